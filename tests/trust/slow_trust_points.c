/* The few points that automatic trust takes for a pair show what many show: a
   posterior that is too narrow is seen, be it wide or a thousandth of the
   prior. */
#include <math.h>
#include <stdlib.h>

#include "bnre/rng.h"
#include "densities.h"
#include "support.h"
#include "trust/trust.h"

enum { PAIRS = 1000, MOST_DIM = 3 };

/* theta ~ N(0, I), x ~ N(theta, noise^2 I); the estimate takes half of the
   variance of the noise for all of it. */
struct guess {
    const bnre_prior *prior;
    double noise;
    double x[MOST_DIM];
};

static bnre_status observe(void *session, const double *x)
{
    struct guess *guess = session;

    for (size_t i = 0; i < bnre_prior_dim(guess->prior); i++)
        guess->x[i] = x[i];
    return BNRE_OK;
}

static bnre_status log_ratio(void *session, size_t n, const double *theta,
                             double *out, double *gradient)
{
    const struct guess *guess = session;
    const size_t dim = bnre_prior_dim(guess->prior);

    (void)gradient;
    for (size_t k = 0; k < n; k++) {
        out[k] = 0;
        for (size_t i = 0; i < dim; i++) {
            const double off =
                (theta[k * dim + i] - (double)guess->x[i]) / guess->noise;

            out[k] -= off * off;
        }
    }
    return BNRE_OK;
}

static bnre_diag *diagnose(struct guess *guess, size_t cells, size_t points)
{
    const size_t dim = bnre_prior_dim(guess->prior);
    const bnre_density density = {.prior = guess->prior,
                                  .x_size = dim,
                                  .context = guess,
                                  .observe = observe,
                                  .log_ratio = log_ratio};
    bnre_rng rng = bnre_rng_stream(11, 99, dim);
    bnre_diag_opts opts = bnre_diag_opts_default();
    double *theta = calloc(PAIRS * dim, sizeof *theta);
    double *x = calloc(PAIRS * dim, sizeof *x);
    bnre_diag *diag = NULL;

    for (size_t i = 0; i < PAIRS * dim; i++) {
        theta[i] = bnre_rng_normal(&rng);
        x[i] = (double)(theta[i] + guess->noise * bnre_rng_normal(&rng));
    }
    opts.fitted = cells;
    opts.strata = points;
    opts.most_points = 1;
    assert_ok(bnre_diagnose(&density, PAIRS, 1, theta, x, &opts, &diag));
    free(x);
    free(theta);
    return diag;
}

static void few_points_show_what_many_show(void **state)
{
    const double noise[MOST_DIM][3] = {
        {0.7, 0.1, 0.01}, {0.7, 0.1, 0.02}, {0.7, 0.3, 0.1}};

    (void)state;
    for (size_t dim = 1; dim <= MOST_DIM; dim++) {
        bnre_prior *prior = prior_of(dim, "normal(0, 1)");
        size_t cells, points;

        bnre__trust_points(prior, 0, &cells, &points);
        for (size_t i = 0; i < 3; i++) {
            struct guess guess = {.prior = prior, .noise = noise[dim - 1][i]};
            bnre_diag *few = diagnose(&guess, cells, points);
            bnre_diag *many = diagnose(&guess, 1500, 0);
            double mean = 0, worst = 0;

            for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
                const double off = few->curve[0].coverage.share[k] -
                                   many->curve[0].coverage.share[k];

                mean += off / BNRE_DIAG_LEVELS;
                worst = fmax(worst, fabs(off));
            }
            print_message("%zu, noise %g: margin %.3f of %.3f, %zu points "
                          "(%.1f), %zu evaluations; mean %.4f, worst %.4f\n",
                          dim, guess.noise, few->curve[0].judgement.margin,
                          many->curve[0].judgement.margin, few->points,
                          few->curve[0].ess_median, few->evaluations, mean,
                          worst);
            assert_true(many->curve[0].judgement.margin < -0.08);
            assert_true(fabs(mean) < 0.02);
            assert_true(worst < 0.04);
            assert_true(few->points < 1.5 * (double)points + 3);
            bnre_diag_destroy(many);
            bnre_diag_destroy(few);
        }
        bnre_prior_destroy(prior);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_points_show_what_many_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
