/* Many x at a time give what each gives by itself, to the last bit: draws, log
   densities and ranks. */
#include <math.h>
#include <string.h>

#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "densities.h"
#include "pairs.h"
#include "support.h"
#include "training.h"

enum { PAIRS = 75, DIM = 2 }; /* more than twice `many`, and a rest */

static bnre_estimator *trained(void)
{
    const char *path = scratch_path("many.h5");
    bnre_node *network =
        training_network("head: {hidden: [24, 20], activation: elu}");
    bnre_train_opts opts = training_opts(
        training_data("many-data.h5", "gaussian", 256, BNRE_SPLIT_TRAIN),
        network);
    bnre_estimator *est = NULL;

    opts.method = BNRE_METHOD_NPE;
    opts.members = 3;
    opts.epochs = 10;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    bnre_node_destroy(network);
    return est;
}

static void make_pairs(double theta[PAIRS][DIM], double x[PAIRS][DIM])
{
    bnre_rng rng = bnre_rng_stream(9, 0, 0);

    for (size_t i = 0; i < PAIRS; i++)
        for (size_t j = 0; j < DIM; j++) {
            theta[i][j] = bnre_rng_normal(&rng);
            x[i][j] = theta[i][j] + bnre_rng_normal(&rng);
        }
}

static void draws_and_densities_are_those_of_each_x(void **state)
{
    enum { MOST = 32, DRAWS = 53 }; /* 32 x 53 draws are more than a block */
    static double theta[PAIRS][DIM], x[PAIRS][DIM];
    static double many[MOST][DRAWS][DIM], one[DRAWS][DIM];
    static double l_many[MOST][DRAWS], l_one[DRAWS];
    static const size_t counts[] = {1, 5, MOST};
    bnre_estimator *est = trained();
    uint64_t seed[MOST];

    (void)state;
    make_pairs(theta, x);
    for (size_t i = 0; i < MOST; i++)
        seed[i] = 1000 - 7 * i;
    for (double widen = 1; widen < 2; widen += 0.5)
        for (size_t c = 0; c < 3; c++) {
            const size_t n = counts[c];
            bnre_density q;
            void *session;

            assert_ok(bnre_estimator_set_widen(est, widen));
            q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
            assert_int_equal(q.many, MOST);
            assert_ok(q.open(q.context, &session));
            assert_ok(q.observe_many(session, n, x[0]));
            assert_ok(q.draw_many(session, seed, DRAWS, many[0][0]));
            assert_ok(q.log_ratio_many(session, DRAWS, many[0][0], 0, NULL,
                                       l_many[0]));
            for (size_t i = 0; i < n; i++) {
                assert_ok(q.observe(session, x[i]));
                assert_ok(q.draw(session, seed[i], 0, DRAWS, one[0]));
                assert_ok(q.log_ratio(session, DRAWS, one[0], l_one, NULL));
                assert_memory_equal(many[i], one, sizeof one);
                assert_memory_equal(l_many[i], l_one, sizeof l_one);
            }
            q.close(session);
        }
    bnre_estimator_close(est);
}

/* The log ratio of a theta is the same beside whatever others: the true one is
   compared with draws by one and the same function. */
static void the_place_in_a_batch_changes_no_bit(void **state)
{
    enum { N = 300, SIZES = 5 };
    static const size_t size[SIZES] = {1, 3, 7, 64, 299};
    static double theta[N][DIM], all[N], some[N];
    const double x[DIM] = {0.4, -1.3};
    bnre_estimator *est = trained();
    bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    void *session;

    (void)state;
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, x));
    assert_ok(q.draw(session, 3, 0, N, theta[0]));
    assert_ok(q.log_ratio(session, N, theta[0], all, NULL));
    for (size_t s = 0; s < SIZES; s++) {
        for (size_t i = 0; i + size[s] <= N; i += size[s])
            assert_ok(q.log_ratio(session, size[s], theta[i], some + i, NULL));
        assert_memory_equal(some, all, N / size[s] * size[s] * sizeof *all);
    }
    q.close(session);
    bnre_estimator_close(est);
}

static void assert_same_diagnosis(const bnre_diag *a, const bnre_diag *b)
{
    const size_t bytes = a->n * sizeof *a->tarp_rank;

    assert_int_equal(a->n, b->n);
    assert_int_equal(a->points, b->points);
    assert_int_equal(a->evaluations, b->evaluations);
    assert_memory_equal(a->curve->rank, b->curve->rank, bytes);
    assert_memory_equal(a->curve->gain, b->curve->gain, bytes);
    assert_memory_equal(a->curve->ess, b->curve->ess, bytes);
    assert_memory_equal(a->tarp_rank, b->tarp_rank, bytes);
    for (size_t j = 0; j < DIM; j++)
        assert_memory_equal(a->parameter[j].rank, b->parameter[j].rank, bytes);
    assert_true(a->balance.mean == b->balance.mean);
}

static void ranks_are_those_of_each_pair(void **state)
{
    static double theta[PAIRS][DIM], x[PAIRS][DIM];
    bnre_estimator *est = trained();
    bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS), plain = q;
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *many = NULL, *one = NULL;

    (void)state;
    make_pairs(theta, x);
    plain.many = 0;
    assert_ok(bnre_diagnose(&q, PAIRS, 1, theta[0], x[0], &opts, &many));
    assert_ok(bnre_diagnose(&plain, PAIRS, 1, theta[0], x[0], &opts, &one));
    assert_int_equal(many->grid, BNRE_DIAG_DRAWS);
    assert_same_diagnosis(many, one);
    bnre_diag_destroy(one);
    bnre_diag_destroy(many);
    bnre_estimator_close(est);
}

/* What several widths say at the same points is what each says by itself. */
static void widths_share_the_networks(void **state)
{
    enum { MOST = 3, ROWS = 41 };
    static const double widen[] = {2, 1.3, 1};
    static double theta[PAIRS][DIM], x[PAIRS][DIM];
    static double at[MOST][ROWS][DIM], all[3][MOST][ROWS], one[MOST][ROWS];
    bnre_estimator *est = trained();
    const uint64_t seed[MOST] = {1, 2, 3};

    (void)state;
    make_pairs(theta, x);
    for (size_t w = 0; w < 3; w++) {
        bnre_density q;
        void *session;

        assert_ok(bnre_estimator_set_widen(est, widen[w]));
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        assert_ok(q.observe_many(session, MOST, x[0]));
        if (w == 0) {
            assert_ok(q.draw_many(session, seed, ROWS, at[0][0]));
            assert_ok(
                q.log_ratio_many(session, ROWS, at[0][0], 3, widen, all[0][0]));
            assert_fails(
                q.log_ratio_many(session, ROWS, at[0][0], 17, widen, all[0][0]),
                BNRE_EINVAL, "17 widths");
        }
        assert_ok(q.log_ratio_many(session, ROWS, at[0][0], 0, NULL, one[0]));
        assert_memory_equal(all[w], one, sizeof one);
        q.close(session);
    }
    bnre_estimator_close(est);
}

/* Theta that are draws of the density of one width, ranked among weighed draws
   of a wider one and among its own: both are uniform, and both see as much of it
   if they are draws of a narrower one. Each test of uniformity is wrong once in
   10,000 seeds, the difference beyond 4.5 standard errors in 100,000. */
static void ranks_by_draws_of_a_wider_density_are_exact(void **state)
{
    enum { N = 2000 };
    static const double widen[] = {2.2, 1.4};
    static double theta[N][DIM], x[N][DIM], copy[N];
    bnre_rng rng = bnre_rng_stream(77, 0, 0);
    bnre_estimator *est = trained();

    (void)state;
    for (size_t i = 0; i < N * DIM; i++)
        x[i / DIM][i % DIM] = 1.4 * bnre_rng_normal(&rng);
    for (int narrow = 0; narrow < 2; narrow++) {
        bnre_diag_opts opts = bnre_diag_opts_default();
        bnre_diag *shared = NULL, *own = NULL;
        double mean[2] = {0, 0};
        bnre_density q;
        void *session;

        assert_ok(bnre_estimator_set_widen(est, narrow ? 1 : widen[1]));
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        for (size_t i = 0; i < N; i++) {
            assert_ok(q.observe(session, x[i]));
            assert_ok(q.draw(session, 100 + i, 0, 1, theta[i]));
        }
        q.close(session);
        assert_ok(bnre_estimator_set_widen(est, widen[1]));
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(bnre_diagnose(&q, N, 1, theta[0], x[0], &opts, &own));
        assert_ok(bnre_estimator_set_widen(est, widen[0]));
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        opts.widen = widen;
        opts.n_widen = 2;
        assert_ok(bnre_diagnose(&q, N, 1, theta[0], x[0], &opts, &shared));
        assert_true(shared->curve[1].ess_median > 50);
        assert_true(shared->curve[1].ess_median < 100);
        for (size_t i = 0; i < N; i++) {
            mean[0] += own->curve[0].rank[i] / N;
            mean[1] += shared->curve[1].rank[i] / N;
            /* Log densities are of the width in question. */
            assert_true(own->curve[0].gain[i] == shared->curve[1].gain[i]);
            assert_true(own->curve[0].balance[i] ==
                        shared->curve[1].balance[i]);
        }
        memcpy(copy, shared->curve[1].rank, sizeof copy);
        if (narrow)
            assert_true(mean[1] < 0.5 - 4 * sqrt(1 / 12.0 / N));
        else
            assert_true(ks_uniform_pvalue(N, copy) > 1e-4);
        /* Ranks of a pair differ by some 0.5 / sqrt(50) at most. */
        assert_close(mean[0], mean[1], 4.5 * 0.08 / sqrt(N));
        bnre_diag_destroy(shared);
        bnre_diag_destroy(own);
    }
    bnre_estimator_close(est);
}

static void widths_need_a_density_that_takes_many(void **state)
{
    static const double widen[] = {1.5, 1.2};
    static double theta[PAIRS][DIM], x[PAIRS][DIM];
    bnre_estimator *est = trained();
    bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    (void)state;
    make_pairs(theta, x);
    q.many = 0;
    opts.widen = widen;
    opts.n_widen = 2;
    assert_fails(bnre_diagnose(&q, PAIRS, 1, theta[0], x[0], &opts, &diag),
                 BNRE_EUSAGE, "several widths");
    bnre_estimator_close(est);
}

static void a_pair_that_fails_is_named(void **state)
{
    static double theta[PAIRS][DIM], x[PAIRS][DIM];
    bnre_estimator *est = trained();
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    (void)state;
    make_pairs(theta, x);
    x[41][1] = HUGE_VAL;
    assert_int_equal(bnre_diagnose(&q, PAIRS, 1, theta[0], x[0], &opts, &diag),
                     BNRE_ENUM);
    assert_null(diag);
    assert_non_null(strstr(bnre_error_message(), "pair 41"));
    assert_non_null(strstr(bnre_error_message(), "value 1 of 2"));
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_and_densities_are_those_of_each_x),
        cmocka_unit_test(the_place_in_a_batch_changes_no_bit),
        cmocka_unit_test(ranks_are_those_of_each_pair),
        cmocka_unit_test(widths_share_the_networks),
        cmocka_unit_test(ranks_by_draws_of_a_wider_density_are_exact),
        cmocka_unit_test(widths_need_a_density_that_takes_many),
        cmocka_unit_test(a_pair_that_fails_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
