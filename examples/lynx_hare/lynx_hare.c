/* lynx_hare.c - pelts of hare and lynx in 21 years, as Lotka and Volterra have it:

     u' = (alpha - beta v) u,   v' = (-gamma + delta u) v

   u are hares, v lynxes, in thousands of pelts. What is observed are the
   logarithms of both in every year, with normal errors of standard deviation
   sigma_hare and sigma_lynx: x has 21 values of hare, then 21 of lynx. */
#include <bnre/plugin.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { YEARS = 21, STEPS = 24, PARAMETERS = 8 };
enum { ALPHA, BETA, GAMMA, DELTA, HARE, LYNX, SIGMA_HARE, SIGMA_LYNX };

/* In logarithms, where numbers stay positive: (log u)' and (log v)'. */
static void slope(const double *theta, const double *y, double *dy)
{
    dy[0] = theta[ALPHA] - theta[BETA] * exp(y[1]);
    dy[1] = -theta[GAMMA] + theta[DELTA] * exp(y[0]);
}

/* The logarithms of the means; 0 if numbers run away. */
static int solve(const double *theta, double *x)
{
    const double h = 1.0 / STEPS;
    double y[2] = {log(theta[HARE]), log(theta[LYNX])}, k[4][2], z[2];

    for (size_t year = 0; year < YEARS; year++) {
        x[year] = y[0];
        x[YEARS + year] = y[1];
        for (size_t s = 0; s < STEPS; s++) {
            slope(theta, y, k[0]);
            for (size_t part = 1; part < 4; part++) {
                for (size_t i = 0; i < 2; i++)
                    z[i] = y[i] + (part < 3 ? h / 2 : h) * k[part - 1][i];
                slope(theta, z, k[part]);
            }
            for (size_t i = 0; i < 2; i++)
                y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
            if (!(fabs(y[0]) < 50 && fabs(y[1]) < 50))
                return 0;
        }
    }
    return 1;
}

static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    (void)state, (void)nuisance;
    if (!solve(theta, x)) {
        snprintf(reason, BNRE_REASON_SIZE, "numbers run away");
        return BNRE_DRAW_INVALID;
    }
    for (size_t i = 0; i < 2 * YEARS; i++)
        x[i] +=
            theta[i < YEARS ? SIGMA_HARE : SIGMA_LYNX] * bnre_rng_normal(rng);
    return BNRE_DRAW_OK;
}

static double log_likelihood(void *state, const double *theta, const double *x)
{
    double mean[2 * YEARS], sum = 0;

    (void)state;
    if (!solve(theta, mean))
        return -HUGE_VAL;
    for (size_t i = 0; i < 2 * YEARS; i++) {
        const double sigma = theta[i < YEARS ? SIGMA_HARE : SIGMA_LYNX];
        const double z = (x[i] - mean[i]) / sigma;

        sum -= z * z / 2 + log(sigma) + 0.5 * log(2 * acos(-1.0));
    }
    return sum;
}

BNRE_API const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "lynx_hare",
    .title = "pelts of hare and lynx, Hudson's Bay Company",
    .reference = "Hewitt 1921, The Conservation of the Wild Life of Canada",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"alpha", "truncated_normal(1, 0.5, 0, inf)", NULL},
            {"beta", "truncated_normal(0.05, 0.05, 0, inf)", NULL},
            {"gamma", "truncated_normal(1, 0.5, 0, inf)", NULL},
            {"delta", "truncated_normal(0.05, 0.05, 0, inf)", NULL},
            {"hare", "log_normal(2.302585, 1)", NULL},
            {"lynx", "log_normal(2.302585, 1)", NULL},
            {"sigma_hare", "log_normal(-1, 1)", NULL},
            {"sigma_lynx", "log_normal(-1, 1)", NULL},
            {0},
        },
    .observable = "42",
    .draw = draw,
    .log_likelihood = log_likelihood,
};
