/* Out of fold: nothing that ranks a row has seen it, and a leak would show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/trust.h"
#include "support.h"
#include "training.h"
#include "trust/conformal.h"
#include "trust/cross.h"

enum { ROWS = 200, FOLDS = 4, CHANGED = 7 };

/* Data of the task gaussian, row CHANGED drawn from another seed if asked
   for. */
static const char *write_data(const char *name, int changed)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "theta.theta_0,theta.theta_1,x.0,x.1\n");
    for (size_t i = 0; i < ROWS; i++) {
        bnre_rng rng = bnre_rng_stream(changed && i == CHANGED ? 2 : 1, 0, i);
        const double a = bnre_rng_normal(&rng), b = bnre_rng_normal(&rng);

        fprintf(file, "%.17g,%.17g,%.9g,%.9g\n", a, b,
                a + bnre_rng_normal(&rng), b + bnre_rng_normal(&rng));
    }
    fclose(file);
    return path;
}

struct checked {
    bnre_estimator *est;
    bnre_dataset *data;
    bnre__cross cross;
    bnre_diag *diag;
};

static void train_folds(const char *data, const char *name, size_t epochs,
                        bnre_weights weights, struct checked *out)
{
    bnre_node *network = training_network("head: {hidden: [32, 32]}");
    bnre_train_opts opts = training_opts(data, network);
    const char *path = scratch_path(name);
    static char task[] = "gaussian";

    opts.task = task;
    opts.method = BNRE_METHOD_NPE;
    opts.folds = FOLDS;
    opts.members = FOLDS;
    opts.epochs = epochs;
    opts.patience = epochs;
    opts.learning_rate = 0.01;
    opts.weights = (int)weights;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &out->est));
    assert_ok(bnre_dataset_open(data, &out->data));
    assert_ok(bnre__cross_init(&out->cross, out->est, out->data, 0, 1));
    out->diag = NULL;
    bnre_node_destroy(network);
}

static void look(struct checked *it)
{
    const bnre_diag_opts opts = bnre_diag_opts_default();

    bnre_diag_destroy(it->diag);
    it->diag = NULL;
    assert_ok(bnre__cross_diagnose(&it->cross, &opts, &it->diag));
}

static void end(struct checked *it)
{
    bnre_diag_destroy(it->diag);
    bnre__cross_clear(&it->cross);
    bnre_dataset_close(it->data);
    bnre_estimator_close(it->est);
}

static void every_row_has_its_fold(void **state)
{
    struct checked it;
    size_t count[FOLDS] = {0};
    double x[3];

    (void)state;
    train_folds(write_data("all.csv", 0), "all.h5", 2, BNRE_WEIGHTS_BEST, &it);
    assert_int_equal(it.cross.n, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        count[it.cross.fold[i]]++;
    for (size_t f = 0; f < FOLDS; f++)
        assert_int_equal(count[f], ROWS / FOLDS);
    assert_ok(bnre__cross_read(&it.cross, 5, 1, x));
    assert_close(x[2], it.cross.fold[5], 0);
    end(&it);
}

/* The numbers that rank a fold are the same, whatever a row of it holds. */
static void a_row_changes_no_rank_of_its_fold(void **state)
{
    struct checked one, other;
    size_t same = 0, different = 0;

    (void)state;
    train_folds(write_data("one.csv", 0), "one.h5", 5, BNRE_WEIGHTS_BEST, &one);
    train_folds(write_data("other.csv", 1), "other.h5", 5, BNRE_WEIGHTS_BEST,
                &other);
    look(&one);
    look(&other);
    for (size_t i = 0; i < ROWS; i++) {
        const bnre_diag_curve *a = one.diag->curve, *b = other.diag->curve;

        assert_int_equal(one.cross.fold[i], other.cross.fold[i]);
        if (i == CHANGED)
            continue;
        if (one.cross.fold[i] == one.cross.fold[CHANGED]) {
            assert_true(a->rank[i] == b->rank[i] && a->gain[i] == b->gain[i]);
            same++;
        } else {
            different += a->gain[i] != b->gain[i];
        }
    }
    assert_int_equal(same, ROWS / FOLDS - 1);
    assert_true(different > ROWS / 2);
    end(&other);
    end(&one);
}

/* Many pairs of several folds at a time: each is seen by its own members. */
static void many_pairs_have_the_ranks_of_each(void **state)
{
    const bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *many = NULL, *one = NULL;
    double *x = test_malloc(ROWS * 3 * sizeof *x);
    struct checked it;
    bnre_density plain;

    (void)state;
    train_folds(write_data("many.csv", 0), "many.h5", 5, BNRE_WEIGHTS_BEST,
                &it);
    assert_ok(bnre__cross_read(&it.cross, 0, ROWS, x));
    plain = it.cross.density;
    assert_true(plain.many > FOLDS);
    plain.many = 0;
    assert_ok(bnre_diagnose(&it.cross.density, ROWS, 1, it.cross.theta, x,
                            &opts, &many));
    assert_ok(bnre_diagnose(&plain, ROWS, 1, it.cross.theta, x, &opts, &one));
    assert_int_equal(many->grid, BNRE_DIAG_DRAWS);
    assert_memory_equal(many->curve->rank, one->curve->rank,
                        ROWS * sizeof *one->curve->rank);
    assert_memory_equal(many->curve->gain, one->curve->gain,
                        ROWS * sizeof *one->curve->gain);
    bnre_diag_destroy(one);
    bnre_diag_destroy(many);
    test_free(x);
    end(&it);
}

/* What fresh pairs say of the members of all folds, on average. */
static double gain_on_fresh(const struct checked *it, size_t n)
{
    double sum = 0;

    for (size_t f = 0; f < FOLDS; f++) {
        const bnre_density density = bnre__estimator_fold_density(it->est, f);
        const bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *diag = NULL;
        double theta[500][2], x[500][2];

        for (size_t i = 0; i < n; i++) {
            bnre_rng rng = bnre_rng_stream(3, 0, i);

            for (size_t k = 0; k < 2; k++)
                theta[i][k] = bnre_rng_normal(&rng);
            for (size_t k = 0; k < 2; k++)
                x[i][k] = theta[i][k] + bnre_rng_normal(&rng);
        }
        assert_ok(bnre_diagnose(&density, n, 1, &theta[0][0], &x[0][0], &opts,
                                &diag));
        sum += diag->curve[0].information.mean / FOLDS;
        bnre_diag_destroy(diag);
    }
    return sum;
}

/* Members that know too much of what they saw: 150 rows, too many epochs. Their
   own rows look better than fresh pairs by more than a nat. Out of fold is as
   good as fresh, within noise: 200 and 500 gains with a standard deviation of
   about 3 have errors of 0.2 and 0.13, so that a difference of 1 is four of
   them (false alarm below 1e-4). */
static void a_leak_shows(void **state)
{
    struct checked it;
    double honest, leaked, fresh;

    (void)state;
    train_folds(write_data("leak.csv", 0), "leak.h5", 60, BNRE_WEIGHTS_LAST,
                &it);
    fresh = gain_on_fresh(&it, 500);
    look(&it);
    honest = it.diag->curve[0].information.mean;
    for (size_t i = 0; i < it.cross.n; i++) /* members that learned from it */
        it.cross.fold[i] = (uint8_t)((it.cross.fold[i] + 1) % FOLDS);
    look(&it);
    leaked = it.diag->curve[0].information.mean;
    assert_true(fabs(honest - fresh) < 1);
    assert_true(leaked > fresh + 1 && leaked > honest + 1);
    end(&it);
}

/* How many of n fresh pairs the nominal and the conformal regions of a level
   contain, of posteriors on a grid. */
static void count_covered(const bnre_estimator *est, size_t n, double level,
                          size_t *nominal, size_t *conformal)
{
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_session *session = NULL;

    opts.grid = 48;
    *nominal = *conformal = 0;
    assert_ok(bnre_session_open(&density, NULL, &session));
    for (size_t i = 0, seen = 0; seen < n; i++) {
        bnre_rng rng = bnre_rng_stream(4, 0, i);
        bnre_status status;
        bnre_conformal_region region;
        bnre_posterior *posterior = NULL;
        double theta[2], x[2];
        int inside;

        for (size_t k = 0; k < 2; k++)
            theta[k] = bnre_rng_normal(&rng);
        for (size_t k = 0; k < 2; k++)
            x[k] = theta[k] + bnre_rng_normal(&rng);
        assert_ok(bnre_session_observe(session, 1, x));
        assert_ok(bnre_posterior_compute(session, &opts, &posterior));
        status = bnre__conformal_cross(est, x, posterior, 1, &level, &region);
        if (status == BNRE_EDOUBT && i < 2 * n) { /* too narrow to be seen */
            bnre_posterior_destroy(posterior);
            continue;
        }
        assert_ok(status);
        seen++;
        assert_true(region.conformal.cross && region.conformal.pairs == ROWS);
        assert_close(region.conformal.assured, 2 * level - 1 - sqrt(2.0 / ROWS),
                     1e-12);
        assert_ok(
            bnre_region_contains(&region.nominal, session, 1, theta, &inside));
        *nominal += inside != 0;
        assert_ok(
            bnre_region_contains(&region.region, session, 1, theta, &inside));
        *conformal += inside != 0;
        bnre_posterior_destroy(posterior);
    }
    bnre_session_close(session);
}

/* Members that know too much again, as far as that is the same on every machine.
   The 90 % regions of the posterior contain about 155 of 200 fresh pairs.
   Conformal ones should contain 180 give or take 4.2, or more, since they
   enclose the region of the guarantee (193 were seen): below 168 in 1 of 400
   sets of pairs. Scores by members that have seen the rows claim too much, and
   that shows: about 164. */
static void conformal_regions_need_no_further_pairs(void **state)
{
    enum { PAIRS = 200 };
    size_t nominal, conformal, leaked;
    struct checked it;

    (void)state;
    train_folds(write_data("regions.csv", 0), "regions.h5", 30,
                BNRE_WEIGHTS_LAST, &it);
    assert_fails(
        bnre__conformal_cross(it.est, it.cross.theta, NULL, 0, NULL, NULL),
        BNRE_EUSAGE, "trust: auto");
    assert_ok(bnre__cross_calibrate(&it.cross, NULL, it.est));
    count_covered(it.est, PAIRS, 0.9, &nominal, &conformal);
    assert_true(nominal < 172);
    assert_true(conformal >= 168 && conformal > nominal + 10);
    for (size_t i = 0; i < it.cross.n; i++)
        it.cross.fold[i] = (uint8_t)((it.cross.fold[i] + 1) % FOLDS);
    assert_ok(bnre__cross_calibrate(&it.cross, NULL, it.est));
    count_covered(it.est, PAIRS, 0.9, &nominal, &leaked);
    assert_true(leaked + 10 < conformal);
    end(&it);
}

/* They are of the members as trained: other widths are delivered with them, in
   files too. */
static void scores_out_of_fold_outlive_widths(void **state)
{
    const char *path = scratch_path("wide.h5");
    bnre_estimator *read = NULL;
    struct checked it;
    double *before;

    (void)state;
    train_folds(write_data("wide.csv", 0), "plain.h5", 3, BNRE_WEIGHTS_BEST,
                &it);
    assert_ok(bnre__cross_calibrate(&it.cross, NULL, it.est));
    before = malloc(ROWS * sizeof *before);
    assert_non_null(before);
    memcpy(before, it.est->info.cross_score, ROWS * sizeof *before);
    assert_ok(bnre_estimator_set_widen(it.est, 1.5));
    assert_int_equal(it.est->info.cross_scores, ROWS);
    assert_ok(bnre__cross_calibrate(&it.cross, NULL, it.est));
    assert_memory_equal(before, it.est->info.cross_score,
                        ROWS * sizeof *before);
    assert_ok(bnre_estimator_save(it.est, path, 1));
    assert_ok(bnre_estimator_open(path, &read));
    assert_int_equal(read->info.cross_scores, ROWS);
    assert_memory_equal(before, read->info.cross_score, ROWS * sizeof *before);
    for (size_t i = 1; i < ROWS; i++)
        assert_true(read->info.cross_fold[i] > read->info.cross_fold[i - 1] ||
                    (read->info.cross_fold[i] == read->info.cross_fold[i - 1] &&
                     before[i] >= before[i - 1]));
    bnre_estimator_close(read);
    free(before);
    end(&it);
}

static void an_estimator_without_folds_is_refused(void **state)
{
    const char *data = write_data("none.csv", 0);
    bnre_node *network = training_network("head: {hidden: [4]}");
    bnre_train_opts opts = training_opts(data, network);
    const char *path = scratch_path("none.h5");
    bnre_estimator *est = NULL;
    bnre_dataset *file = NULL;
    static char task[] = "gaussian";
    bnre__cross cross = {0};

    (void)state;
    opts.task = task;
    opts.epochs = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_dataset_open(data, &file));
    assert_fails(bnre__cross_init(&cross, est, file, 0, 1), BNRE_EUSAGE,
                 "without folds");
    bnre__cross_clear(&cross);
    bnre_dataset_close(file);
    bnre_estimator_close(est);
    bnre_node_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_fold),
        cmocka_unit_test(a_row_changes_no_rank_of_its_fold),
        cmocka_unit_test(many_pairs_have_the_ranks_of_each),
        cmocka_unit_test(a_leak_shows),
        cmocka_unit_test(conformal_regions_need_no_further_pairs),
        cmocka_unit_test(scores_out_of_fold_outlive_widths),
        cmocka_unit_test(an_estimator_without_folds_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
