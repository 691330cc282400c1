/* The exact posterior of SLCP, integrated numerically.

   Its mean log density at the truth has been computed independently to be
   -0.19 +- 0.03, with standard deviation 1.79 over pairs. A correct likelihood
   fails here with one seed in 50,000; the seed is fixed. */
#include <math.h>

#include "agreement.h"
#include "simrun.h"
#include "support.h"

/* Cells in log |theta|, whose posterior is narrow by a fixed factor: coarse
   ones everywhere, FINE x FINE in each that matters. */
enum { COARSE = 34, FINE = 4 };
static const double WIDTH = 0.1, LOWEST = -0.9;

struct posterior {
    const simrun *run;
    const double *x;
    double low[2]; /* log |theta| of the first corner */
};

/* Density of (log |theta_0|, log |theta_1|), up to a factor. */
static double log_density(const struct posterior *p, double a, double b)
{
    double theta[] = {exp(a), exp(b)};

    return a + b + p->run->record->log_likelihood(NULL, theta, p->x);
}

/* Let the cells cover where the scale of each coordinate may be, from below
   its estimate to the end of the prior or far above. */
static struct posterior locate(const simrun *run, const double *x)
{
    struct posterior p = {run, x, {0, 0}};

    for (int k = 0; k < 2; k++) {
        double squares = 0, end = log(3);

        for (int i = 0; i < 4; i++) {
            double d = x[2 * i + k] - (k == 0 ? 0.7 : -2.9);

            squares += d * d;
        }
        /* A cell ends where the prior does. */
        p.low[k] = 0.25 * log(squares / 4) + LOWEST;
        p.low[k] = end - WIDTH * ceil((end - p.low[k]) / WIDTH);
    }
    return p;
}

/* Sum over one coarse cell of exp(log density - top) d log|theta|; *below gets
   the part with |theta_0| below `truth`. */
static double integrate_cell(const struct posterior *p, double a, double b,
                             double top, double truth, double *below)
{
    const double h = WIDTH / FINE;
    double sum = 0;

    for (int i = 0; i < FINE; i++) {
        double left = a + i * h, share = fmin(1, fmax(0, (truth - left) / h));

        for (int j = 0; j < FINE; j++) {
            double f =
                h * h *
                exp(log_density(p, left + h / 2, b + (j + 0.5) * h) - top);

            sum += f;
            *below += share * f;
        }
    }
    return sum;
}

/* Whether the cell or one beside it comes within 20 of the top. */
static int matters(double value[COARSE][COARSE], int i, int j, double top)
{
    for (int k = i - 1; k <= i + 1; k++)
        for (int l = j - 1; l <= j + 1; l++)
            if (k >= 0 && l >= 0 && k < COARSE && l < COARSE &&
                value[k][l] > top - 20)
                return 1;
    return 0;
}

/* log p(theta | x) at the truth, and the posterior probability of |theta_0|
   below it. */
static double log_posterior(const simrun *run, const double *x,
                            const double *theta, double *rank)
{
    struct posterior p = locate(run, x);
    double value[COARSE][COARSE], top = -INFINITY, sum = 0, below = 0;

    for (int i = 0; i < COARSE; i++) {
        for (int j = 0; j < COARSE; j++) {
            double a = p.low[0] + WIDTH * (i + 0.5);
            double b = p.low[1] + WIDTH * (j + 0.5);

            value[i][j] =
                a < log(3) && b < log(3) ? log_density(&p, a, b) : -INFINITY;
            top = fmax(top, value[i][j]);
        }
    }
    for (int i = 0; i < COARSE; i++) {
        for (int j = 0; j < COARSE; j++) {
            double a = p.low[0] + WIDTH * i, b = p.low[1] + WIDTH * j;

            if (matters(value, i, j, top) && a + WIDTH / 2 < log(3) &&
                b + WIDTH / 2 < log(3))
                sum +=
                    integrate_cell(&p, a, b, top, log(fabs(theta[0])), &below);
        }
    }
    *rank = below / sum;
    /* Four quadrants; the density of the prior cancels. */
    return run->record->log_likelihood(NULL, theta, x) - top - log(4 * sum);
}

static void exact_posterior_has_the_known_score(void **state)
{
    enum { N = 1500 };
    simrun run = simrun_open("slcp", 0, 18);
    static double log_p[N], rank[N];
    double error, mean;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        double theta[2], nuisance, x[8];

        simrun_prior(&run, i, theta, &nuisance);
        simrun_draw(&run, i, NULL, NULL, x);
        log_p[i] = log_posterior(&run, x, theta, &rank[i]);
    }
    mean = sample_mean(N, log_p, 1, &error);
    print_message("mean log posterior %.4f +- %.4f\n", mean, error);
    assert_same_mean(mean, error, -0.19, 0.03);
    assert_close(error * sqrt(N), 1.79, 0.1);
    assert_true(ks_uniform_pvalue(N, rank) > 1e-6);
    simrun_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_posterior_has_the_known_score),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
