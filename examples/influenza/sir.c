/* sir.c - influenza in a school of 763 boys: how many are in bed each day.

     S' = -beta S I / N,   I' = beta S I / N - gamma I,   S(0) = N - 1, I(0) = 1

   with t = 0 on the day before the first count. The count of a day is negative
   binomial with mean I(t) and variance I + phi_inv I^2. */
#include <bnre/plugin.h>
#include <math.h>
#include <stddef.h>

enum { DAYS = 14, BOYS = 763, STEPS = 16 }; /* of Runge-Kutta, for each day */

static void slope(const double *theta, double s, double i, double *ds,
                  double *di)
{
    const double infections = theta[0] * s * i / BOYS;

    *ds = -infections;
    *di = infections - theta[1] * i;
}

/* Boys in bed on days 1 ... 14. */
static void solve(const double *theta, double *in_bed)
{
    const double h = 1.0 / STEPS;
    double s = BOYS - 1, i = 1, ds[4], di[4];

    for (size_t day = 0; day < DAYS; day++) {
        for (size_t k = 0; k < STEPS; k++) {
            slope(theta, s, i, &ds[0], &di[0]);
            slope(theta, s + h / 2 * ds[0], i + h / 2 * di[0], &ds[1], &di[1]);
            slope(theta, s + h / 2 * ds[1], i + h / 2 * di[1], &ds[2], &di[2]);
            slope(theta, s + h * ds[2], i + h * di[2], &ds[3], &di[3]);
            s += h / 6 * (ds[0] + 2 * ds[1] + 2 * ds[2] + ds[3]);
            i += h / 6 * (di[0] + 2 * di[1] + 2 * di[2] + di[3]);
        }
        in_bed[day] = fmax(i, 1e-9);
    }
}

static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    const double shape = 1 / theta[2];

    (void)state, (void)nuisance, (void)reason;
    solve(theta, x);
    for (size_t day = 0; day < DAYS; day++)
        x[day] = (double)bnre_rng_poisson(
            rng, x[day] * bnre_rng_gamma(rng, shape) / shape);
    return BNRE_DRAW_OK;
}

static double log_likelihood(void *state, const double *theta, const double *x)
{
    const double shape = 1 / theta[2];
    double in_bed[DAYS], sum = 0;

    (void)state;
    solve(theta, in_bed);
    for (size_t day = 0; day < DAYS; day++)
        sum += lgamma(x[day] + shape) - lgamma(shape) - lgamma(x[day] + 1) +
               shape * log(shape / (shape + in_bed[day])) +
               x[day] * log(in_bed[day] / (shape + in_bed[day]));
    return sum;
}

BNRE_API const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "influenza",
    .title = "an influenza outbreak in a boarding school",
    .reference = "Anonymous, British Medical Journal 1978, 1:587",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"beta", "truncated_normal(2, 1, 0, inf)", NULL},
            {"gamma", "truncated_normal(0.4, 0.5, 0, inf)", NULL},
            {"phi_inv", "exponential(5)", NULL},
            {0},
        },
    .observable = "14",
    .draw = draw,
    .log_likelihood = log_likelihood,
};
