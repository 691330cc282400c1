/* Regions that cover as they promise, for a density that is wrong. threads: */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/certificate.h"
#include "densities.h"
#include "estimators.h"
#include "infer/estimator/estimator.h"
#include "nn/net.h"
#include "num/dist.h"
#include "pairs.h"
#include "support.h"
#include "trust/conformal.h"
#include "trust/scores.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorted scores of n fresh pairs of the task gaussian. */
static double *scores_of(const bnre_density *density, size_t n, uint64_t seed,
                         bnre_pool *pool)
{
    pairs p = pairs_gaussian(n, bnre_prior_dim(density->prior), 1, seed);
    double *score = malloc(n * sizeof *score);

    assert_ok(bnre__conformal_scores(density, n, p.theta, p.x, pool, score));
    pairs_free(&p);
    return score;
}

static void numbers_of_a_level(void **state)
{
    double score[99];
    bnre_conformal c;

    (void)state;
    for (size_t i = 0; i < 99; i++)
        score[i] = (double)(i + 1) / 100;
    c = bnre__conformal_level(99, score, 0.9);
    assert_int_equal(c.k, 90);
    assert_close(c.qhat, 0.9, 0);
    assert_close(c.mean, 0.9, 1e-15);
    assert_close(bnre__beta_cdf(c.assured, 90, 10), 0.05, 1e-9);
    c = bnre__conformal_level(99, score, 0.901);
    assert_int_equal(c.k, 91);
    c = bnre__conformal_level(99, score, 0.995); /* 99.5 of 100: too few */
    assert_close(c.qhat, 1, 0);
    c = bnre__conformal_level(0, NULL, 0.5);
    assert_close(c.qhat, 1, 0);
}

/* Coverage given a calibration set follows Beta(k, m + 1 - k), though the
   posterior is far too narrow and in the wrong place. It is read off the scores
   of 4,000 other pairs. False alarms: 1 in 1000. */
static void coverage_follows_the_beta_law(void **state)
{
    enum { REPEATS = 200, M = 19, MANY = 4000 };
    const double level = 0.9;
    const normal_guess guess = {prior_of(1, "normal(0, 1)"), 0.1, 0.4};
    const bnre_density density = normal_guess_density(&guess);
    double *many = scores_of(&density, MANY, 1, NULL), u[REPEATS];
    double mean = 0, nominal = 0;

    (void)state;
    qsort(many, MANY, sizeof *many, ascending);
    for (size_t r = 0; r < REPEATS; r++) {
        double *score = scores_of(&density, M, 100 + r, NULL);
        bnre_conformal c;
        size_t inside = 0;

        qsort(score, M, sizeof *score, ascending);
        c = bnre__conformal_level(M, score, level);
        while (inside < MANY && many[inside] <= c.qhat)
            inside++;
        mean += (double)inside / MANY / REPEATS;
        u[r] = bnre__beta_cdf((double)inside / MANY, (double)c.k,
                              (double)(M + 1 - c.k));
        free(score);
    }
    for (size_t i = 0; i < MANY; i++)
        nominal += many[i] <= level ? 1.0 / MANY : 0;
    assert_true(nominal < 0.7); /* it is wrong */
    assert_close(mean, level, 0.02);
    assert_true(ks_uniform_pvalue(REPEATS, u) > 1e-3);
    free(many);
    bnre_prior_destroy((bnre_prior *)guess.prior);
}

/* The score is the mass of what is denser, here of a normal posterior: known,
   and wrong by what some dozens of points leave open. */
static void scores_are_masses(void **state)
{
    enum { N = 400 };
    const double within[] = {0, 0.015, 0.02, 0.02};

    (void)state;
    for (size_t dim = 1; dim <= 3; dim++) {
        const normal_guess guess = {prior_of(dim, "normal(0, 1)"), 0.5, 0};
        const bnre_density density = normal_guess_density(&guess);
        pairs p = pairs_gaussian(N, dim, 1, 3);
        double score[N], squares = 0, mean = 0;

        assert_ok(
            bnre__conformal_scores(&density, N, p.theta, p.x, NULL, score));
        for (size_t i = 0; i < N; i++) {
            double r = 0, off;

            for (size_t k = 0; k < dim; k++) {
                off = p.theta[i * dim + k] - (double)p.x[i * dim + k] / 2;
                r += off * off / 0.5;
            }
            /* Of the three chi-square laws. */
            off = dim == 1 ? erf(sqrt(r / 2))
                  : dim == 2
                      ? 1 - exp(-r / 2)
                      : erf(sqrt(r / 2)) - sqrt(2 * r / acos(-1)) * exp(-r / 2);
            squares += (score[i] - off) * (score[i] - off) / N;
            mean += (score[i] - off) / N;
        }
        print_message("dim %zu: error %.4f, mean %.4f\n", dim, sqrt(squares),
                      mean);
        assert_true(sqrt(squares) < within[dim]);
        assert_true(fabs(mean) < 0.005);
        pairs_free(&p);
        bnre_prior_destroy((bnre_prior *)guess.prior);
    }
}

static double constant(const void *context, size_t dim, const double *theta,
                       double *gradient)
{
    (void)context;
    (void)dim;
    (void)theta;
    (void)gradient;
    return 0.3;
}

/* Where nothing was learned all have the same score, and none is outside; also
   if constraints leave next to nothing of all cells. */
static void flat_posteriors_have_one_score(void **state)
{
    const char *order[] = {"a < b", "b < c", "c < d", "d < e", "e < f"};
    const double x = 0;

    (void)state;
    for (size_t dim = 1; dim <= 6; dim += 5) {
        log_ratio_function f = {.value = constant};
        bnre__scorer scorer = {0};
        bnre_prior *prior = prior_of(dim, "uniform(0, 1)");
        bnre_density density;
        double theta[6], log_density, score;
        bnre_rng rng = bnre_rng_stream(5, 99, dim);

        if (dim > 1)
            assert_ok(bnre_prior_constrain(prior, 5, order));
        f.prior = prior;
        density = function_density(&f);
        bnre_prior_draw(prior, &rng, theta);
        log_density = bnre__scorer_prior(prior, theta) + 0.3;
        assert_ok(bnre__scorer_init(&scorer, &density));
        assert_ok(bnre__scorer_observe(&scorer, &x));
        score = bnre__scorer_score(&scorer, log_density);
        assert_close(score, 1, 1e-3);
        assert_true(bnre__scorer_threshold(&scorer, score) <= log_density);
        assert_true(bnre__scorer_threshold(&scorer, score - 1e-4) >
                    log_density);
        bnre__scorer_clear(&scorer);
        bnre_prior_destroy(prior);
    }
}

static void scores_do_not_depend_on_threads(void **state)
{
    const normal_guess guess = {prior_of(2, "normal(0, 1)"), 0.3, 0};
    const bnre_density density = normal_guess_density(&guess);
    bnre_pool *pool = NULL;
    double *one, *two;

    (void)state;
    assert_ok(bnre_pool_create(2, &pool));
    one = scores_of(&density, 60, 5, NULL);
    two = scores_of(&density, 60, 5, pool);
    assert_memory_equal(one, two, 60 * sizeof *one);
    free(one);
    free(two);
    bnre_pool_destroy(pool);
    bnre_prior_destroy((bnre_prior *)guess.prior);
}

/* An estimator of some kind with scores as if calibrated. */
static bnre_estimator *calibrated(some_estimator kind)
{
    enum { M = 400, VIEWS = 32 };
    bnre_estimator *est = NULL;
    double score[M];
    static float view[M * VIEWS];

    assert_ok(some_estimator_create(kind, &est));
    for (size_t i = 0; i < M; i++) {
        score[i] = (double)i / M;
        for (size_t j = 0; j < VIEWS; j++)
            view[i * VIEWS + j] = (float)i / M; /* like others of its score */
    }
    assert_ok(
        bnre__estimator_set_calibration_views(est, M, score, VIEWS, view));
    return est;
}

static const bnre_sampler methods[] = {BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK,
                                       BNRE_SAMPLER_CHAIN};

/* A theta is in the region exactly if its score is at most qhat, whatever the
   posterior was made of; ensembles included. */
static void regions_hold_what_scores_allow(void **state)
{
    const double level[] = {0.5, 0.95};
    bnre_estimator *est = calibrated(EST_ENSEMBLE);
    const size_t dim = bnre_estimator_describe(est)->dim_theta;
    bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_session *session = NULL;
    double x[16];

    (void)state;
    some_x(est, 3, x);
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, x));
    for (size_t m = 0; m < 3; m++) {
        bnre_posterior_opts opts = bnre_posterior_opts_default();
        bnre_conformal_region region[2];
        bnre_posterior *posterior = NULL;
        size_t in = 0;

        opts.sampler = methods[m];
        opts.grid = m == 0 ? 64 : 0;
        opts.bank = 1024;
        opts.walkers = 64;
        opts.chains = 16;
        opts.draws = 200;
        opts.steps = 60;
        assert_ok(bnre_posterior_compute(session, &opts, &posterior));
        assert_ok(bnre__conformal_regions(est, session, x, posterior, 0, 2,
                                          level, region));
        assert_close(region[1].conformal.qhat, 0.95, 0.01);
        assert_true(region[1].paid > 0.5 && region[1].paid < 2);
        assert_true(region[0].region.prior_mass < region[1].region.prior_mass);
        for (uint64_t i = 0; i < 60; i++) {
            double theta[4], score;
            int inside;

            some_theta(est, i, theta);
            assert_ok(
                bnre__conformal_scores(&density, 1, theta, x, NULL, &score));
            assert_ok(bnre_region_contains(&region[1].region, session, 1, theta,
                                           &inside));
            assert_int_equal(inside, score <= region[1].conformal.qhat);
            in += inside != 0;
        }
        assert_true(in > 0 && in < 60);
        bnre_posterior_destroy(posterior);
    }
    assert_true(dim <= 4);
    bnre_session_close(session);
    bnre_estimator_close(est);
}

/* The number that is told is the least with a bound. */
static void too_few_pairs_are_told_how_many_are_needed(void **state)
{
    const double level[] = {0.001, 0.3, 0.5, 0.683, 0.9, 0.954, 0.997, 0.999};
    static const double score[2000];
    bnre_conformal few;
    char *words = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        const size_t m = bnre__conformal_needed(level[i]);

        assert_true(bnre__conformal_level(m, score, level[i]).k <= m);
        if (m > 1)
            assert_true(bnre__conformal_level(m - 1, score, level[i]).k >
                        m - 1);
    }
    assert_int_equal(bnre__conformal_needed(0.997), 333);
    assert_int_equal(bnre__conformal_needed(0.9), 9);
    few = bnre__conformal_level(300, score, 0.999);
    assert_ok(bnre_conformal_words(&few, NULL, &words));
    assert_true(holds_facts(words, "300 calibration pairs ... needs 999"));
    bnre_free(words);
}

static void the_local_version_looks_at_pairs_alike(void **state)
{
    const double level = 0.5;
    bnre_estimator *est = calibrated(EST_PLAIN);
    bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    const bnre_guarantee unlike = {.outside = 0.003}, alike = {.outside = 0.5};
    bnre_conformal_region all, local;
    bnre_posterior *posterior = NULL;
    bnre_session *session = NULL;
    char *words = NULL;
    double x[16];

    (void)state;
    some_x(est, 1, x);
    opts.grid = 32;
    opts.sampler = BNRE_SAMPLER_GRID;
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, x));
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_ok(bnre__conformal_regions(est, session, x, posterior, 0, 1, &level,
                                      &all));
    assert_ok(bnre__conformal_regions(est, session, x, posterior, 1, 1, &level,
                                      &local));
    assert_int_equal(all.conformal.pairs, 400);
    assert_int_equal(local.conformal.pairs, 200);
    assert_ok(bnre_conformal_words(&all.conformal, NULL, &words));
    assert_true(holds_facts(words, "50 % conformal ... at least 50 %"));
    bnre_free(words);
    assert_ok(bnre_conformal_words(&all.conformal, &unlike, &words));
    assert_null(strstr(words, "at least"));
    assert_true(holds_facts(
        words, "no guarantee ... 50 % conformal ... unlike ... (p = 0.003"));
    bnre_free(words);
    assert_ok(bnre_conformal_words(&local.conformal, &alike, &words));
    assert_non_null(strstr(words, "APPROXIMATE"));
    bnre_free(words);
    assert_ok(bnre__estimator_set_calibration(est, 0, NULL));
    assert_fails(
        bnre__conformal_regions(est, session, x, posterior, 0, 1, &level, &all),
        BNRE_EUSAGE, "no calibration pairs");
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_estimator_close(est);
}

/* Weights a hundred times as large make a posterior that no points follow: it
   has no regions, whatever was calibrated before. */
static void what_is_not_resolved_has_no_regions(void **state)
{
    const double level = 0.5;
    bnre_estimator *est = calibrated(EST_PLAIN);
    bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    const size_t weights = bnre__net_weights(est->net);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_conformal_region region;
    bnre_posterior *posterior = NULL;
    bnre_session *session = NULL;
    double x[16];

    (void)state;
    for (size_t i = 0; i < weights; i++)
        est->weights[BNRE__BEST][i] *= 1e4F;
    some_x(est, 1, x);
    opts.grid = 32;
    opts.sampler = BNRE_SAMPLER_GRID;
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, x));
    assert_ok(bnre_posterior_compute(session, &opts, &posterior));
    assert_fails(bnre__conformal_regions(est, session, x, posterior, 0, 1,
                                         &level, &region),
                 BNRE_EDOUBT, "bear weight (blind)");
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_estimator_close(est);
}

static void views_stay_with_their_scores_in_files(void **state)
{
    const char *path = scratch_path("views.h5");
    const double score[] = {0.7, 0.2, 0.5};
    const float view[] = {7, 70, 2, 20, 5, 50},
                sorted[] = {2, 20, 5, 50, 7, 70};
    bnre_estimator *est = NULL, *back = NULL;

    (void)state;
    assert_ok(some_estimator_create(EST_PLAIN, &est));
    assert_ok(bnre__estimator_set_calibration_views(est, 3, score, 2, view));
    assert_ok(bnre_estimator_save(est, path, 0));
    assert_ok(bnre_estimator_open(path, &back));
    assert_int_equal(bnre_estimator_describe(back)->views, 2);
    assert_memory_equal(bnre_estimator_describe(back)->view, sorted,
                        sizeof sorted);
    assert_fails(bnre__estimator_set_calibration_views(
                     est, 3, score, 2, (const float[]){1, 2, NAN, 4, 5, 6}),
                 BNRE_ENUM, "not finite");
    bnre_estimator_close(back);
    bnre_estimator_close(est);
}

static bnre_status score_a_few(void *arg)
{
    const bnre_density *density = arg;
    const double theta[] = {0.1, -0.4};
    const double x[] = {0.3f, 0.2f};
    double score[2];

    return bnre__conformal_scores(density, 2, theta, x, NULL, score);
}

static void scores_survive_lack_of_memory(void **state)
{
    const normal_guess guess = {prior_of(1, "normal(0, 1)"), 0.3, 0};
    bnre_density density = normal_guess_density(&guess);

    (void)state;
    assert_survives_lack_of_memory(score_a_few, &density);
    bnre_prior_destroy((bnre_prior *)guess.prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_level),
        cmocka_unit_test(coverage_follows_the_beta_law),
        cmocka_unit_test(scores_are_masses),
        cmocka_unit_test(flat_posteriors_have_one_score),
        cmocka_unit_test(scores_do_not_depend_on_threads),
        cmocka_unit_test(regions_hold_what_scores_allow),
        cmocka_unit_test(too_few_pairs_are_told_how_many_are_needed),
        cmocka_unit_test(the_local_version_looks_at_pairs_alike),
        cmocka_unit_test(what_is_not_resolved_has_no_regions),
        cmocka_unit_test(views_stay_with_their_scores_in_files),
        cmocka_unit_test(scores_survive_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
