/* Posteriors that are exact, or wrong in a known way. Tests of uniformity and
   means are wrong once in 10,000 seeds each; seeds are fixed. */
#include "bnre/diag.h"

#include <math.h>
#include <string.h>

#include "densities.h"
#include "num/dist.h"
#include "pairs.h"
#include "support.h"

static const double EXACT = 0.5; /* variance of the posterior */

/* Diagnose N(x/2 + shift, variance) on n fresh pairs of `gaussian`. */
static bnre_diag *guess(size_t dim, size_t n, double variance, double shift,
                        bnre_diag_opts opts)
{
    bnre_prior *prior = prior_of(dim, "normal(0, 1)");
    normal_guess as = {prior, variance, shift};
    bnre_density density = normal_guess_density(&as);
    pairs p = pairs_gaussian(n, dim, 1, 1);
    bnre_diag *diag = NULL;

    assert_ok(bnre_diagnose(&density, n, 1, p.theta, p.x, &opts, &diag));
    pairs_free(&p);
    bnre_prior_destroy(prior);
    return diag;
}

static void assert_uniform(size_t n, const double *rank)
{
    double *copy = test_malloc(n * sizeof *copy);

    memcpy(copy, rank, n * sizeof *copy);
    assert_true(ks_uniform_pvalue(n, copy) > 1e-4);
    test_free(copy);
}

/* All ranks there are. */
static void assert_exact(const bnre_diag *diag)
{
    const bnre_diag_curve *curve = &diag->curve[0];

    assert_uniform(diag->n, curve->rank);
    assert_uniform(diag->n, diag->tarp_rank);
    for (size_t k = 0; k < diag->dim; k++)
        assert_uniform(diag->n, diag->parameter[k].rank);
    assert_int_not_equal(curve->judgement.verdict, BNRE_OVERCONFIDENT);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
        assert_true(fabs(curve->coverage.share[k] - bnre_diag_level(k)) <
                    1.7 * curve->coverage.band);
    assert_true(fabs(curve->coverage.auc.mean) < 4 * curve->coverage.auc.error);
}

static void exact_posteriors_are_on_the_diagonal_with_cells(void **state)
{
    const size_t cells[][3] = {{0, 0, 0}, {20, 5, 3}};

    (void)state;
    for (size_t few = 0; few < 2; few++)
        for (size_t dim = 1; dim <= 3; dim++) {
            bnre_diag_opts opts = bnre_diag_opts_default();
            bnre_diag *diag;

            opts.grid = BNRE_DIAG_CELLS;
            opts.cells = cells[few][dim - 1];
            diag = guess(dim, 500, EXACT, 0, opts);
            assert_int_equal(diag->grid, BNRE_DIAG_CELLS);
            assert_exact(diag);
            bnre_diag_destroy(diag);
        }
}

/* 20 cells are halved where the posterior is as well as hundreds are; and cells
   that share points do as well as those that do not. */
static void exact_posteriors_are_on_the_diagonal_when_fitted(void **state)
{
    const size_t dims[] = {1, 2, 3, 5, 10};
    const size_t fitted[] = {0, 20, 60}, strata[] = {0, 0, 12};

    (void)state;
    for (size_t few = 0; few < 3; few++)
        for (size_t i = 0; i < 5; i++) {
            bnre_diag_opts opts = bnre_diag_opts_default();
            bnre_diag *diag;

            opts.grid = BNRE_DIAG_FITTED;
            opts.fitted = fitted[few];
            opts.strata = strata[few];
            opts.most_points = 1; /* exact with so few */
            diag = guess(dims[i], 300, EXACT, 0, opts);
            assert_int_equal(diag->grid, BNRE_DIAG_FITTED);
            assert_true(few < 2 || diag->points < 25);
            assert_exact(diag);
            bnre_diag_destroy(diag);
        }
}

/* Scouts that look for something else, far away and narrow, cost points and not
   exactness. */
static void scouts_on_the_wrong_track_do_no_harm(void **state)
{
    enum { N = 200, DIM = 2 };
    bnre_prior *prior = prior_of(DIM, "normal(0, 1)");
    const normal_guess two[] = {{prior, EXACT, 0}, {prior, EXACT / 10, 1.5}};
    const bnre_density misled = normal_guess_ensemble(two);
    const bnre_density led = normal_guess_density(two);
    pairs p = pairs_gaussian(N, DIM, 1, 1);

    (void)state;
    for (size_t strata = 0; strata < 60; strata += 20) {
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *a = NULL, *b = NULL;

        opts.fitted = strata > 0 ? 80 : 0;
        opts.strata = strata;
        assert_ok(bnre_diagnose(&misled, N, 1, p.theta, p.x, &opts, &a));
        assert_ok(bnre_diagnose(&led, N, 1, p.theta, p.x, &opts, &b));
        assert_exact(a);
        assert_true(a->curve[0].ess_median < 0.7 * b->curve[0].ess_median);
        bnre_diag_destroy(b);
        bnre_diag_destroy(a);
    }
    pairs_free(&p);
    bnre_prior_destroy(prior);
}

static void exact_posteriors_are_on_the_diagonal_with_a_bank(void **state)
{
    const size_t dims[] = {1, 2, 3, 5, 10}, draws[] = {0, 20};

    (void)state;
    for (size_t few = 0; few < 2; few++)
        for (size_t i = 0; i < 5; i++) {
            bnre_diag_opts opts = bnre_diag_opts_default();
            bnre_diag *diag;

            opts.grid = BNRE_DIAG_BANK;
            opts.draws = draws[few];
            opts.most_points = 1;
            diag = guess(dims[i], 500, EXACT, 0, opts);
            assert_int_equal(diag->grid, BNRE_DIAG_BANK);
            assert_int_equal(diag->points, few ? 20 : 512);
            assert_exact(diag);
            bnre_diag_destroy(diag);
        }
}

static void wide_is_conservative_and_narrow_overconfident(void **state)
{
    const bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *wide = guess(2, 1500, 2 * EXACT, 0, opts);
    bnre_diag *narrow = guess(2, 1500, EXACT / 2, 0, opts);
    char *words;

    (void)state;
    assert_int_equal(wide->curve[0].judgement.verdict, BNRE_CONSERVATIVE);
    assert_true(wide->curve[0].coverage.auc.mean > 0.1);
    assert_ok(bnre_judgement_words(&wide->curve[0].judgement, &words));
    assert_non_null(strstr(words, "CONSERVATIVE"));
    bnre_free(words);
    assert_int_equal(narrow->curve[0].judgement.verdict, BNRE_OVERCONFIDENT);
    assert_true(narrow->curve[0].coverage.auc.mean < -0.1);
    assert_ok(bnre_judgement_words(&narrow->curve[0].judgement, &words));
    assert_non_null(strstr(words, "OVERCONFIDENT at 0."));
    bnre_free(words);
    /* SBC: a hump for the wide one, a U for the narrow one. */
    assert_true(wide->parameter[0].sbc.ks_p < 1e-6);
    assert_true(wide->parameter[0].histogram[0] <
                narrow->parameter[0].histogram[0] / 4);
    bnre_diag_destroy(narrow);
    bnre_diag_destroy(wide);
}

/* In two dimensions coverage of N(m, v) under the truth N(m, 1/2) is exactly
   1 - (1 - c)^(v / (1/2)). */
static void coverage_of_a_wrong_width_is_the_known_one(void **state)
{
    const double factor[] = {0.5, 2};
    bnre_diag_opts opts = bnre_diag_opts_default();

    (void)state;
    opts.cells = 32;
    for (size_t i = 0; i < 2; i++) {
        bnre_diag *diag = guess(2, 1000, factor[i] * EXACT, 0, opts);

        for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
            double known = 1 - pow(1 - bnre_diag_level(k), factor[i]);

            assert_close(diag->curve[0].coverage.share[k], known,
                         4.5 * sqrt(known * (1 - known) / 1000) + 0.005);
        }
        bnre_diag_destroy(diag);
    }
}

static double nothing(const void *context, size_t dim, const double *theta,
                      double *gradient)
{
    (void)context;
    (void)dim;
    (void)theta;
    (void)gradient;
    return 3.25;
}

/* Diagnose a log ratio that ignores x (1), with theta from the prior. */
static bnre_diag *function(const bnre_prior *prior, size_t n,
                           double (*value)(const void *, size_t, const double *,
                                           double *),
                           bnre_diag_opts opts)
{
    const size_t dim = bnre_prior_dim(prior);
    log_ratio_function f = {.prior = prior, .value = value};
    bnre_density density = function_density(&f);
    double *theta = test_malloc(n * dim * sizeof *theta);
    double *x = test_malloc(n * sizeof *x);
    bnre_diag *diag = NULL;

    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(2, 99, i);

        bnre_prior_draw(prior, &rng, theta + i * dim);
        x[i] = (double)i;
    }
    assert_ok(bnre_diagnose(&density, n, 1, theta, x, &opts, &diag));
    test_free(x);
    test_free(theta);
    return diag;
}

static void flat_is_uninformative(void **state)
{
    const size_t dims[] = {2, 4, 2};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bnre_prior *prior = prior_of(dims[i], "uniform(0, 1)");
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *diag;

        opts.grid = i == 0   ? BNRE_DIAG_CELLS
                    : i == 1 ? BNRE_DIAG_BANK
                             : BNRE_DIAG_FITTED;
        diag = function(prior, 400, nothing, opts);
        assert_int_equal(diag->curve[0].judgement.verdict, BNRE_UNINFORMATIVE);
        assert_close(diag->curve[0].information.mean, 0, 1e-12);
        assert_close(diag->doubling.mean, 0, 1e-12);
        assert_close(diag->normalised_balance.mean, 1, 1e-12);
        assert_close(diag->balance.mean, 2 / (1 + exp(-3.25)), 1e-12);
        if (diag->grid != BNRE_DIAG_FITTED)
            assert_close(diag->curve[0].ess_low,
                         (double)diag->points + (double)(dims[i] > 3), 1e-9);
        /* All ties: the share u alone makes the curve. */
        assert_uniform(diag->n, diag->curve[0].rank);
        for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
            assert_close(diag->volume[k], bnre_diag_level(k), 1e-6);
        bnre_diag_destroy(diag);
        bnre_prior_destroy(prior);
    }
}

static double falling(const void *context, size_t dim, const double *theta,
                      double *gradient)
{
    (void)context;
    (void)dim;
    (void)gradient;
    return -4 * theta[0];
}

/* Where the density falls with the parameter, to rank by one is to rank by the
   other: SBC with the density as its statistic is coverage. */
static void sbc_by_the_density_is_coverage(void **state)
{
    const bnre_diag_grid grid[] = {BNRE_DIAG_CELLS, BNRE_DIAG_BANK};
    bnre_prior *prior = prior_of(1, "uniform(0, 1)");

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *diag;

        opts.grid = grid[i];
        diag = function(prior, 300, falling, opts);
        for (size_t k = 0; k < diag->n; k++)
            assert_close(diag->curve[0].rank[k], diag->parameter[0].rank[k],
                         1e-12);
        bnre_diag_destroy(diag);
    }
    bnre_prior_destroy(prior);
}

/* x is 1 with probability 0.9 above theta = 1/2 and 0.2 below: a posterior with
   two different densities. */
static bnre_status step_observe(void *session, const double *x)
{
    *(double *)session = *x;
    return BNRE_OK;
}

static bnre_status step_ratio(void *session, size_t n, const double *theta,
                              double *out, double *gradient)
{
    const int one = *(const double *)session > 0.5f;

    (void)gradient;
    for (size_t i = 0; i < n; i++) {
        double p = theta[i] > 0.5 ? 0.9 : 0.2;

        out[i] = log(one ? p : 1 - p);
    }
    return BNRE_OK;
}

static void ties_do_not_bias(void **state)
{
    enum { N = 2000 };
    bnre_prior *prior = prior_of(1, "uniform(0, 1)");
    double last = 0;
    /* Points differ from pair to pair although x does not: it has a second
       number that tells nothing. */
    bnre_density density = {.prior = prior,
                            .x_size = 2,
                            .context = &last,
                            .observe = step_observe,
                            .log_ratio = step_ratio};
    double *theta = test_malloc(N * sizeof *theta);
    double *x = test_malloc(2 * N * sizeof *x);
    const size_t cells[] = {0, 7};

    (void)state;
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(3, 99, i);

        theta[i] = bnre_rng_open(&rng);
        x[2 * i] = bnre_rng_uniform(&rng) < (theta[i] > 0.5 ? 0.9 : 0.2);
        x[2 * i + 1] = (double)i;
    }
    for (size_t c = 0; c < 2; c++) {
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *diag;

        opts.cells = cells[c];
        assert_ok(bnre_diagnose(&density, N, 1, theta, x, &opts, &diag));
        assert_exact(diag);
        bnre_diag_destroy(diag);
    }
    test_free(x);
    test_free(theta);
    bnre_prior_destroy(prior);
}

/* E[log q] = E[log p(theta | x)] - KL for any q; with q = N(m + s, v) and the
   exact N(m, 1/2) the divergence has a formula. */
static void loss_of_a_guess_is_its_divergence(void **state)
{
    const double variance[] = {0.25, 0.8, 0.5}, shift[] = {0, 0, 0.4};
    const size_t n = 1000;
    bnre_diag_opts opts = bnre_diag_opts_default();

    (void)state;
    for (size_t dim = 1; dim <= 2; dim++) {
        bnre_diag *exact;

        opts.cells = dim == 1 ? 64 : 24;
        exact = guess(dim, n, EXACT, 0, opts);
        for (size_t i = 0; i < 3; i++) {
            bnre_diag *diag = guess(dim, n, variance[i], shift[i], opts);
            double v = variance[i] / EXACT;
            double divergence =
                (double)dim *
                (0.5 * log(v) + (1 + shift[i] * shift[i] / EXACT) / (2 * v) -
                 0.5);
            double sum = 0, squares = 0, lost, error;

            for (size_t k = 0; k < n; k++) {
                double off = exact->curve[0].gain[k] - diag->curve[0].gain[k];

                sum += off;
                squares += off * off;
            }
            lost = sum / (double)n;
            error = sqrt((squares / (double)n - lost * lost) / (double)n);
            assert_true(fabs(lost - divergence) < 4 * error + 1e-3);
            assert_close(exact->log_posterior.mean - diag->log_posterior.mean,
                         lost, 1e-9);
            bnre_diag_destroy(diag);
        }
        /* The exact value: minus the entropy of the posterior. */
        assert_true(fabs(exact->log_posterior.mean +
                         0.5 * (double)dim * log(2 * acos(-1) * exp(1) / 2)) <
                    4 * exact->log_posterior.error + 1e-3);
        bnre_diag_destroy(exact);
    }
}

static void exact_classifier_is_balanced(void **state)
{
    const bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *exact = guess(1, 2000, EXACT, 0, opts);
    bnre_diag *narrow = guess(1, 2000, EXACT / 4, 0, opts);

    (void)state;
    assert_true(exact->balance.error < 0.02);
    assert_true(fabs(exact->balance.mean - 1) < 4 * exact->balance.error);
    assert_true(fabs(exact->normalised_balance.mean - 1) <
                4 * exact->normalised_balance.error);
    /* This guess is normalised, so both forms are one. */
    assert_close(narrow->normalised_balance.mean, narrow->balance.mean, 1e-3);
    assert_true(fabs(narrow->balance.mean - 1) > 5 * narrow->balance.error);
    bnre_diag_destroy(narrow);
    bnre_diag_destroy(exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_posteriors_are_on_the_diagonal_with_cells),
        cmocka_unit_test(exact_posteriors_are_on_the_diagonal_when_fitted),
        cmocka_unit_test(scouts_on_the_wrong_track_do_no_harm),
        cmocka_unit_test(exact_posteriors_are_on_the_diagonal_with_a_bank),
        cmocka_unit_test(wide_is_conservative_and_narrow_overconfident),
        cmocka_unit_test(coverage_of_a_wrong_width_is_the_known_one),
        cmocka_unit_test(flat_is_uninformative),
        cmocka_unit_test(sbc_by_the_density_is_coverage),
        cmocka_unit_test(ties_do_not_bias),
        cmocka_unit_test(loss_of_a_guess_is_its_divergence),
        cmocka_unit_test(exact_classifier_is_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
