/* Whether a model fits, on normal distributions with known answers. threads: */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/dataset.h"
#include "bnre/task.h"
#include "densities.h"
#include "gaussian_exact.h"
#include "pairs.h"
#include "support.h"
#include "trust/check.h"

/* ---- summaries ---- */

static double summary_of(const char *text, size_t x_size, size_t observations,
                         const double *x)
{
    const char *const name[] = {"a", "b", "flux", "3"};
    bnre__check_summary *summary;
    double value;

    assert_ok(bnre__check_summary_parse(text, x_size, x_size <= 4 ? name : NULL,
                                        &summary));
    assert_string_equal(bnre__check_summary_text(summary), text);
    assert_ok(bnre__check_summary_of(summary, observations, x, &value));
    bnre__check_summary_destroy(summary);
    return value;
}

static void summaries_are_what_they_say(void **state)
{
    const double x[] = {1, 2, 4, 9, 3, 0, 8, 5};

    (void)state;
    assert_close(summary_of("mean", 8, 1, x), 4, 1e-15);
    assert_close(summary_of("sd", 8, 1, x), 3, 1e-15);
    assert_close(summary_of("min", 8, 1, x), 0, 0);
    assert_close(summary_of("max[0:3]", 8, 1, x), 4, 0);
    assert_close(summary_of("median", 8, 1, x), 3.5, 1e-15);
    assert_close(summary_of("quantile:0.5", 8, 1, x), 3.5, 1e-15);
    assert_close(summary_of("quantile:1[::2]", 8, 1, x), 8, 0);
    assert_close(summary_of("mean[1,3:5]", 8, 1, x), 14.0 / 3, 1e-15);
    assert_close(summary_of("mean[7]", 8, 1, x), 5, 0);
    /* (-3)(-2) + (-2)0 + 0*5 + 5(-1) + (-1)(-4) + (-4)4 + 4*1 = -7, over 72 */
    assert_close(summary_of("autocorrelation", 8, 1, x), -7.0 / 72, 1e-15);
    assert_close(summary_of("autocorrelation:7", 8, 1, x), -3.0 / 72, 1e-15);
    /* By name; a number that is a name is that name. */
    assert_close(summary_of("max[a,flux]", 4, 1, x), 4, 0);
    assert_close(summary_of("mean[3]", 4, 1, x), 9, 0);
    /* Over all observations, which do not touch. */
    assert_close(summary_of("mean[flux]", 4, 2, x), 6, 0);
    assert_close(summary_of("autocorrelation:3", 4, 2, x),
                 ((1 - 4) * (9 - 4) + (3 - 4) * (5 - 4)) / 72.0, 1e-15);
}

static void summaries_that_are_none_are_refused(void **state)
{
    static const char *const wrong[] = {"average",
                                        "mean:2",
                                        "quantile",
                                        "quantile:2",
                                        "mean[",
                                        "mean[]",
                                        "mean[8]",
                                        "mean[2:2]",
                                        "mean[0:9]",
                                        "mean[1,]",
                                        "mean[0::0]",
                                        "mean[b]",
                                        "mean[0]]",
                                        "mean[0]x",
                                        "",
                                        "[0]",
                                        "autocorrelation:8",
                                        "autocorrelation:1[3]",
                                        "mean[-1]",
                                        "system(rm)",
                                        "mean[0:99999999999999999999]"};
    bnre__check_summary *summary;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(bnre__check_summary_parse(wrong[i], 8, NULL, &summary),
                     BNRE_EUSAGE, "");
        assert_null(summary);
    }
}

/* ---- p-values ---- */

static void holm_is_as_published(void **state)
{
    const double p[] = {0.01, 0.04, 0.03, 0.005, 0.9};
    const double expected[] = {0.04, 0.09, 0.09, 0.025, 0.9};
    double adjusted[5];

    (void)state;
    assert_ok(bnre__holm(5, p, adjusted));
    for (size_t i = 0; i < 5; i++)
        assert_close(adjusted[i], expected[i], 1e-15);
}

enum { K = 4, N = 1000 };

/* K observations x ~ N(theta, sd^2) of one theta, in a model with sd = 1. */
typedef struct trial {
    double x[K], theta[N], y[N * K];
    bnre_check check;
} trial;

static void draw_posterior(trial *t, bnre_rng *rng)
{
    double sum = 0;

    for (size_t i = 0; i < K; i++)
        sum += t->x[i];
    for (size_t j = 0; j < N; j++) {
        t->theta[j] = sum / (K + 1) + bnre_rng_normal(rng) / sqrt(K + 1);
        for (size_t i = 0; i < K; i++)
            t->y[j * K + i] = t->theta[j] + bnre_rng_normal(rng);
    }
}

static void make_trial(trial *t, const bnre_density *density, double sd,
                       uint64_t seed)
{
    static const char *const text[] = {"mean", "sd"};
    bnre__check_summary *summary[2];
    bnre_rng rng = bnre_rng_stream(seed, 1, 0);
    const double truth = bnre_rng_normal(&rng);
    bnre__check_input input = {.density = density,
                               .observations = K,
                               .x = t->x,
                               .n = N,
                               .theta = t->theta,
                               .y = t->y,
                               .summaries = 2,
                               .summary =
                                   (const bnre__check_summary *const *)summary};

    for (size_t i = 0; i < K; i++)
        t->x[i] = truth + sd * bnre_rng_normal(&rng);
    draw_posterior(t, &rng);
    for (size_t i = 0; i < 2; i++)
        assert_ok(bnre__check_summary_parse(text[i], 1, NULL, &summary[i]));
    assert_ok(bnre__check_fit(&input, &t->check));
    for (size_t i = 0; i < 2; i++)
        bnre__check_summary_destroy(summary[i]);
}

static const bnre_check_test *test_of(const bnre_check *check, const char *name)
{
    for (size_t i = 0; i < check->tests; i++)
        if (strcmp(check->test[i].name, name) == 0)
            return &check->test[i];
    fail_msg("no test %s", name);
    return NULL;
}

/* The standard deviation does not depend on theta, so its p-value is uniform;
   the mean does, and its p-value is never far from 1: given x the mean of y has
   variance 1 / K + 1 / (K + 1) about K / (K + 1) times that of x. All five
   tests together are too strict once in 100 trials at most 2 times, by Holm and
   Meng. False alarms: 1 in 1,000 by each of two checks. */
static void p_values_of_the_right_model_are_right(void **state)
{
    enum { TRIALS = 40 };
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    const bnre_density density = gaussian_density(prior);
    double p[TRIALS];
    size_t refused = 0;
    trial *t = malloc(sizeof *t);

    (void)state;
    for (size_t r = 0; r < TRIALS; r++) {
        double off = 0, sd = sqrt(1.0 / K + 1.0 / (K + 1)), exact;
        const bnre_check_test *mean;

        make_trial(t, &density, 1, 100 + r);
        p[r] = test_of(&t->check, "sd")->p;
        mean = test_of(&t->check, "mean");
        for (size_t i = 0; i < K; i++)
            off += t->x[i] / K;
        exact = erfc(fabs(off / (K + 1)) / sd / sqrt(2));
        assert_true(fabs(mean->p - exact) < 0.11); /* 4.5 standard errors */
        assert_true(mean->low < mean->observed && mean->observed < mean->high);
        refused += !t->check.fits;
        bnre__check_clear(&t->check);
    }
    assert_true(ks_uniform_pvalue(TRIALS, p) > 1e-3);
    assert_true(refused <= 5); /* of Binomial(40, 0.02): 1 in 1,000 */
    free(t);
    bnre_prior_destroy(prior);
}

/* Data five times as wide as the model has them. */
static void p_values_of_a_wrong_model_are_small(void **state)
{
    enum { TRIALS = 10 };
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    const bnre_density density = gaussian_density(prior);
    trial *t = malloc(sizeof *t);
    size_t refused = 0;
    char *words;

    (void)state;
    for (size_t r = 0; r < TRIALS; r++) {
        make_trial(t, &density, 5, 200 + r);
        refused += !t->check.fits;
        assert_int_equal(t->check.tests, bnre__check_tests(2));
        if (!t->check.fits) {
            assert_ok(bnre__check_words(&t->check, &words));
            assert_non_null(strstr(words, "unlike 1,000 simulations"));
            bnre_free(words);
        }
        bnre__check_clear(&t->check);
    }
    assert_true(refused >= 8);
    free(t);
    bnre_prior_destroy(prior);
}

/* Ties count on both sides; what never varies is never unlike; one that varies
   by itself is. */
static void ties_make_p_larger(void **state)
{
    bnre_prior *prior = prior_of(3, "normal(0, 1)");
    const bnre_density density = gaussian_density(prior);
    double x[] = {7, 1, 0}, theta[3 * N] = {0}, y[3 * N];
    bnre__check_input input = {.density = &density,
                               .observations = 1,
                               .x = x,
                               .n = N,
                               .theta = theta,
                               .y = y};
    bnre_check check;

    (void)state;
    for (size_t j = 0; j < N; j++) {
        y[3 * j] = 7;
        y[3 * j + 1] = j % 10 == 0; /* 1 is seen 100 times in 1,000 */
        y[3 * j + 2] = j % 3 == 0;
    }
    assert_ok(bnre__check_fit(&input, &check));
    assert_close(check.value[0].p, 1, 0);
    assert_close(check.value[1].p, 2 * 101.0 / (N + 1), 1e-15);
    assert_close(check.value[2].p, 1, 0);
    assert_true(check.value[1].adjusted >= 0.1);
    bnre__check_clear(&check);
    x[0] = 7.001;
    assert_ok(bnre__check_fit(&input, &check));
    assert_close(check.value[0].p, 2.0 / (N + 1), 1e-15);
    assert_close(check.value[0].adjusted, 1.0 / (N + 1), 1e-15);
    assert_int_equal(check.worst, 0);
    assert_false(check.fits);
    bnre__check_clear(&check);
    input.n = bnre__check_needed(bnre__check_tests(0), 0) - 1;
    assert_fails(bnre__check_fit(&input, &check), BNRE_EUSAGE, "599 ... 600");
    bnre__check_clear(&check);
    input.n = N;
    y[5] = (double)NAN;
    assert_fails(bnre__check_fit(&input, &check), BNRE_ENUM,
                 "value 2 of simulation 1");
    bnre__check_clear(&check);
    bnre_prior_destroy(prior);
}

/* However many values there are, and however they hang together, one of them
   seems unlike as often as alpha says. False alarms: 1 in 1,000. */
static void many_values_are_one_test(void **state)
{
    enum { TRIALS = 200, SIZE = 30, DRAWS = 199 };
    double p[TRIALS], x[SIZE], *y = malloc(DRAWS * SIZE * sizeof *y);
    double theta[DRAWS * SIZE] = {0};
    bnre_prior *prior = prior_of(SIZE, "normal(0, 1)");
    const bnre_density density = gaussian_density(prior);
    const bnre__check_input input = {.density = &density,
                                     .observations = 1,
                                     .x = x,
                                     .n = DRAWS,
                                     .theta = theta,
                                     .y = y,
                                     .alpha = 0.1};
    bnre_check check;

    (void)state;
    for (size_t r = 0; r < TRIALS; r++) {
        bnre_rng rng = bnre_rng_stream(r, 2, 0);

        for (size_t j = 0; j <= DRAWS; j++) {
            double *row = j < DRAWS ? y + j * SIZE : x;

            for (size_t i = 0; i < SIZE; i++)
                row[i] = i % 2 == 1 ? row[i - 1] + bnre_rng_normal(&rng)
                                    : bnre_rng_exponential(&rng);
        }
        assert_ok(bnre__check_fit(&input, &check));
        p[r] = check.test[0].p;
        bnre__check_clear(&check);
    }
    assert_true(ks_uniform_pvalue(TRIALS, p) > 1e-3);
    free(y);
    bnre_prior_destroy(prior);
}

/* ---- trust ---- */

/* Draws of the posterior of x = (1.5, -0.5), and simulations from them, judged
   by the guess. */
static double here(const normal_guess *guess, const normal_guess *drawn,
                   bnre_pool *pool, bnre_verdict *verdict)
{
    enum { DRAWS = 500 };
    const double x[] = {1.5, -0.5};
    const bnre_density density = normal_guess_density(guess);
    double *theta = malloc(2 * DRAWS * sizeof *theta),
           *y = malloc(2 * DRAWS * sizeof *y), p;
    const bnre__check_input input = {.density = &density,
                                     .observations = 1,
                                     .x = x,
                                     .n = DRAWS,
                                     .theta = theta,
                                     .y = y,
                                     .pool = pool};
    bnre_rng rng = bnre_rng_stream(1, 3, 0);
    bnre_diag *diag;

    for (size_t i = 0; i < 2 * DRAWS; i++) {
        theta[i] = x[i % 2] / 2 + drawn->shift +
                   sqrt(drawn->variance) * bnre_rng_normal(&rng);
        y[i] = theta[i] + bnre_rng_normal(&rng);
    }
    assert_ok(bnre__check_here(&input, DRAWS, theta, 1, NULL, &diag));
    *verdict = diag->curve[0].judgement.verdict;
    p = bnre__check_uniform(diag);
    bnre_diag_destroy(diag);
    free(y);
    free(theta);
    return p;
}

/* The exact posterior passes; one that is too narrow or in the wrong place does
   not. A wrong posterior of x itself is not seen if the ratio is right for the
   data that follow from it. False alarms: 1 in 1,000 each. */
static void posterior_sbc_sees_wrong_ratios(void **state)
{
    bnre_prior *prior = prior_of(2, "normal(0, 1)");
    const normal_guess exact = {prior, 0.5, 0}, narrow = {prior, 0.15, 0},
                       shifted = {prior, 0.5, 0.6};
    bnre_verdict verdict;
    bnre_pool *pool;
    double p;

    (void)state;
    assert_ok(bnre_pool_create(2, &pool));
    p = here(&exact, &exact, NULL, &verdict);
    assert_true(p > 1e-3);
    assert_true(verdict != BNRE_OVERCONFIDENT && verdict != BNRE_BLIND);
    assert_true(here(&exact, &exact, pool, &verdict) == p); /* any threads */
    assert_true(here(&narrow, &narrow, NULL, &verdict) < 1e-6);
    assert_int_equal(verdict, BNRE_OVERCONFIDENT);
    assert_true(here(&shifted, &shifted, NULL, &verdict) < 1e-6);
    assert_true(here(&exact, &shifted, NULL, &verdict) > 1e-3);
    bnre_pool_destroy(pool);
    bnre_prior_destroy(prior);
}

/* Exact for x below 1, far too narrow above. */
static bnre_status half_right(void *session, size_t n, const double *theta,
                              double *out, double *gradient)
{
    const double x = *(const double *)session, v = x < 1 ? 0.5 : 0.02;

    (void)gradient;
    for (size_t k = 0; k < n; k++)
        out[k] = 0.5 * (theta[k] * theta[k] - log(v) -
                        (theta[k] - x / 2) * (theta[k] - x / 2) / v);
    return BNRE_OK;
}

static bnre_status keep(void *session, const double *x)
{
    *(double *)session = *x;
    return BNRE_OK;
}

static bnre_verdict near_of(const bnre_density *density, bnre_dataset *data,
                            double x)
{
    double theta[64];
    const bnre__check_input input = {.density = density,
                                     .observations = 1,
                                     .x = &x,
                                     .n = 64,
                                     .theta = theta};
    bnre_verdict verdict;
    bnre_diag *diag;

    for (size_t k = 0; k < 64; k++)
        theta[k] = x / 2 + 0.7 * ((double)k / 32 - 1);
    assert_ok(bnre__check_near(&input, data, 1, NULL, &diag));
    assert_int_equal(diag->n, 200);
    verdict = diag->curve[0].judgement.verdict;
    bnre_diag_destroy(diag);
    return verdict;
}

static void coverage_near_depends_on_where(void **state)
{
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    double x;
    const bnre_density density = {.prior = prior,
                                  .x_size = 1,
                                  .context = &x,
                                  .observe = keep,
                                  .log_ratio = half_right};
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    const char *path = scratch_path("pairs.h5");
    bnre_dataset *data;
    bnre_task *task;

    (void)state;
    assert_ok(
        bnre_task_open("gaussian", 1, (const char *const[]){"dim=1"}, &task));
    opts.count = 2000;
    opts.split = BNRE_SPLIT_TEST;
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    assert_ok(bnre_dataset_open(path, &data));
    assert_int_equal(near_of(&density, data, 2), BNRE_OVERCONFIDENT);
    assert_int_not_equal(near_of(&density, data, -1), BNRE_OVERCONFIDENT);
    bnre_dataset_close(data);
    bnre_task_destroy(task);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_are_what_they_say),
        cmocka_unit_test(summaries_that_are_none_are_refused),
        cmocka_unit_test(holm_is_as_published),
        cmocka_unit_test(p_values_of_the_right_model_are_right),
        cmocka_unit_test(p_values_of_a_wrong_model_are_small),
        cmocka_unit_test(ties_make_p_larger),
        cmocka_unit_test(many_values_are_one_test),
        cmocka_unit_test(posterior_sbc_sees_wrong_ratios),
        cmocka_unit_test(coverage_near_depends_on_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
