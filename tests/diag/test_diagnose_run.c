/* How a diagnosis runs. threads: several, with the same result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/dataset.h"
#include "bnre/diag.h"
#include "densities.h"
#include "pairs.h"
#include "support.h"

enum { N = 200 };

struct setup {
    bnre_prior *prior;
    normal_guess guess;
    bnre_density density;
    pairs pairs;
    bnre_diag_opts opts;
};

static int set_up(void **state)
{
    struct setup *s = test_malloc(sizeof *s);

    s->prior = prior_of(2, "normal(0, 1)");
    s->guess = (normal_guess){s->prior, 0.5, 0};
    s->density = normal_guess_density(&s->guess);
    s->pairs = pairs_gaussian(N, 2, 1, 5);
    s->opts = bnre_diag_opts_default();
    s->opts.cells = 6;
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct setup *s = *state;

    pairs_free(&s->pairs);
    bnre_prior_destroy(s->prior);
    test_free(s);
    return 0;
}

static bnre_status diagnose(const struct setup *s, size_t n, bnre_diag **out)
{
    return bnre_diagnose(&s->density, n, 1, s->pairs.theta, s->pairs.x,
                         &s->opts, out);
}

static void assert_same(const bnre_diag *a, const bnre_diag *b)
{
    const size_t bytes = a->n * sizeof(double);

    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->curve[0].rank, b->curve[0].rank, bytes);
    assert_memory_equal(a->curve[0].gain, b->curve[0].gain, bytes);
    assert_memory_equal(a->curve[0].ess, b->curve[0].ess, bytes);
    assert_memory_equal(a->tarp_rank, b->tarp_rank, bytes);
    assert_memory_equal(a->parameter[1].rank, b->parameter[1].rank, bytes);
    assert_memory_equal(&a->curve[0].coverage, &b->curve[0].coverage,
                        sizeof a->curve[0].coverage);
    assert_memory_equal(a->volume, b->volume, sizeof a->volume);
    assert_true(a->normalised_balance.mean == b->normalised_balance.mean);
    assert_true(a->doubling.mean == b->doubling.mean);
    assert_true(a->parameter[0].bias.mean == b->parameter[0].bias.mean);
}

static void result_is_the_same_on_any_number_of_threads(void **state)
{
    const bnre_diag_grid grid[] = {BNRE_DIAG_CELLS, BNRE_DIAG_BANK,
                                   BNRE_DIAG_FITTED};
    struct setup *s = *state;

    for (size_t i = 0; i < 3; i++) {
        bnre_diag *one, *three;

        s->opts.grid = grid[i];
        s->opts.fitted = s->opts.draws = 40;
        s->opts.pool = NULL;
        assert_ok(diagnose(s, N, &one));
        assert_ok(bnre_pool_create(3, &s->opts.pool));
        assert_ok(diagnose(s, N, &three));
        assert_same(one, three);
        assert_int_equal(one->points, three->points);
        assert_int_equal(one->evaluations, three->evaluations);
        bnre_pool_destroy(s->opts.pool);
        bnre_diag_destroy(three);
        bnre_diag_destroy(one);
    }
}

/* The same pairs in another order have the same ranks, as everything random
   depends on the pair alone; but not with another seed. */
static void ranks_depend_on_the_pair_and_the_seed(void **state)
{
    struct setup *s = *state;
    bnre_diag *all, *rest, *other;

    assert_ok(diagnose(s, N, &all));
    assert_ok(bnre_diagnose(&s->density, N - 50, 1, s->pairs.theta + 100,
                            s->pairs.x + 100, &s->opts, &rest));
    assert_memory_equal(all->curve[0].rank + 50, rest->curve[0].rank,
                        (N - 50) * sizeof(double));
    s->opts.seed = 2;
    assert_ok(diagnose(s, N, &other));
    for (size_t i = 0; i < N; i++)
        assert_true(all->curve[0].rank[i] != other->curve[0].rank[i]);
    bnre_diag_destroy(other);
    bnre_diag_destroy(rest);
    bnre_diag_destroy(all);
}

/* Stops once `limit` pairs are done. */
struct stopper {
    size_t limit, done, total;
};

static int stop_at(void *context, size_t done, size_t found, size_t total)
{
    struct stopper *stopper = context;

    assert_int_equal(found, 0);
    assert_true(done > stopper->done && done <= total);
    stopper->done = done;
    stopper->total = total;
    return done >= stopper->limit;
}

static void interruption_keeps_what_is_done(void **state)
{
    struct setup *s = *state;
    struct stopper stopper = {.limit = 40};
    bnre_monitor monitor = {.progress = stop_at, .context = &stopper};
    bnre_diag *part, *whole;

    assert_ok(diagnose(s, N, &whole));
    s->opts.monitor = &monitor;
    assert_fails(diagnose(s, N, &part), BNRE_EINTR, "40 of 200");
    assert_non_null(part);
    assert_int_equal(part->n, 40);
    assert_int_equal(part->asked, N);
    assert_int_equal(stopper.total, N);
    /* One thread goes from the first to the last. */
    assert_memory_equal(part->curve[0].rank, whole->curve[0].rank,
                        40 * sizeof(double));
    assert_int_equal(part->curve[0].coverage.n, 40);
    assert_int_equal(part->curve[0].judgement.n, 40);
    bnre_diag_destroy(part);

    stopper = (struct stopper){.limit = 1};
    assert_fails(diagnose(s, N, &part), BNRE_EINTR, "8 of 200");
    assert_null(part);
    /* A stop asked for at the very end changes nothing. */
    stopper = (struct stopper){.limit = N};
    assert_ok(diagnose(s, N, &part));
    assert_same(part, whole);
    bnre_diag_destroy(part);
    bnre_diag_destroy(whole);
}

static void interruption_of_threads_leaves_pairs_with_their_results(void **st)
{
    struct setup *s = *st;
    struct stopper stopper = {.limit = 60};
    bnre_monitor monitor = {.progress = stop_at, .context = &stopper};
    bnre_diag *part, *whole;
    size_t found = 0;

    assert_ok(diagnose(s, N, &whole));
    s->opts.monitor = &monitor;
    assert_ok(bnre_pool_create(3, &s->opts.pool));
    assert_fails(diagnose(s, N, &part), BNRE_EINTR, "interrupted after");
    assert_true(part->n >= 60 && part->n < N);
    for (size_t i = 0; i < N && found < part->n; i++)
        found += whole->curve[0].rank[i] == part->curve[0].rank[found] &&
                 whole->tarp_rank[i] == part->tarp_rank[found];
    assert_int_equal(found, part->n);
    bnre_pool_destroy(s->opts.pool);
    bnre_diag_destroy(part);
    bnre_diag_destroy(whole);
}

static void wrong_settings_are_refused(void **state)
{
    struct setup *s = *state;
    const bnre_diag_opts good = s->opts;
    const double temper[] = {1, 1.5};
    bnre_diag *diag;

    assert_fails(diagnose(s, 19, &diag), BNRE_EUSAGE,
                 "19 pairs ... nothing ... coverage: 20 ... least");
    assert_null(diag);
    assert_ok(diagnose(s, 20, &diag));
    bnre_diag_destroy(diag);
    s->opts.temper = temper;
    s->opts.n_temper = 2;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE, "temper 1.5");
    s->opts.n_temper = 0;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE, "no temper");
    s->opts = good;
    s->opts.delta = 1;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE, "delta is 1");
    s->opts = good;
    s->opts.eps = -0.1;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE, "eps is -0.1");
    s->opts = good;
    s->opts.bins = 1;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE, "bins is 1");
    s->opts = good;
    s->opts.grid = BNRE_DIAG_PAPER;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE, "has no bounds");
    assert_fails(bnre_diagnose(&s->density, N, 0, s->pairs.theta, s->pairs.x,
                               &good, &diag),
                 BNRE_EUSAGE, "needs an observation");
}

static void wrong_pairs_are_refused(void **state)
{
    struct setup *s = *state;
    bnre_prior *box = prior_of(2, "uniform(-1, 1)");
    bnre_diag *diag;

    s->pairs.theta[7] = NAN;
    assert_fails(diagnose(s, N, &diag), BNRE_ENUM, "pair 3: b ... finite");
    for (size_t i = 0; i < 2 * N; i++)
        s->pairs.theta[i] = 0.5;
    s->pairs.theta[8] = 1.25;
    s->density.prior = box;
    assert_fails(diagnose(s, N, &diag), BNRE_EUSAGE,
                 "pair 4 ... = 1.25 ... outside ... prior uniform(-1, 1)");
    s->pairs.theta[8] = 1;
    s->pairs.x[11] = NAN;
    assert_fails(diagnose(s, N, &diag), BNRE_ENUM, "pair 5: observation 0");
    bnre_prior_destroy(box);
}

static bnre_status refuse(void *session, size_t n, const double *theta,
                          double *out, double *gradient)
{
    (void)session;
    (void)n;
    (void)theta;
    (void)out;
    (void)gradient;
    return bnre_fail(BNRE_ENUM, "the network is upset");
}

static void failures_of_the_density_are_passed_on(void **state)
{
    struct setup *s = *state;
    bnre_diag *diag;

    s->density.log_ratio = refuse;
    assert_fails(diagnose(s, N, &diag), BNRE_ENUM,
                 "pair 0: the network is upset");
    assert_null(diag);
}

static bnre_status with_little_memory(void *arg)
{
    const struct setup *s = arg;
    bnre_status status = BNRE_OK;
    bnre_diag *diag = NULL;

    BNRE_TRY(diagnose(s, 24, &diag));
done:
    bnre_diag_destroy(diag);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    struct setup *s = *state;

    assert_survives_lack_of_memory(with_little_memory, s);
    s->opts.grid = BNRE_DIAG_FITTED;
    s->opts.fitted = 30;
    assert_survives_lack_of_memory(with_little_memory, s);
}

/* The task `gaussian` in a file, of `rows` rows. */
static bnre_dataset *dataset(size_t rows, const double *theta)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    const char *path = scratch_path("pairs.h5");
    bnre_dataset *data = NULL;
    bnre_task *task = NULL;

    opts.count = rows;
    opts.force = 1;
    opts.theta = theta;
    opts.theta_rows = rows;
    assert_ok(bnre_task_open("gaussian", 0, NULL, &task));
    assert_ok(bnre_simulate(task, &opts, path, NULL));
    assert_ok(bnre_dataset_open(path, &data));
    bnre_task_destroy(task);
    return data;
}

static void dataset_gives_what_memory_gives(void **state)
{
    struct setup *s = *state;
    bnre_dataset *data = dataset(N, NULL);
    bnre_diag *one, *other;

    assert_ok(
        bnre_dataset_read(data, 0, N, s->pairs.theta, NULL, s->pairs.x, NULL));
    assert_ok(diagnose(s, N, &one));
    assert_ok(bnre_diagnose_dataset(&s->density, data, 1, &s->opts, &other));
    assert_same(one, other);
    bnre_diag_destroy(other);
    bnre_diag_destroy(one);
    bnre_dataset_close(data);
}

/* Four rows of each theta: one pair of four observations. */
static void rows_of_one_theta_make_a_pair(void **state)
{
    enum { K = 4, PAIRS = 30 };
    struct setup *s = *state;
    double theta[2 * K * PAIRS];
    double x[2 * K * PAIRS];
    bnre_dataset *data;
    bnre_diag *one, *other;

    for (size_t i = 0; i < 2 * K * PAIRS; i++)
        theta[i] = s->pairs.theta[i / (2 * K) * 2 + i % 2];
    data = dataset(K * PAIRS, theta);
    assert_ok(bnre_dataset_read(data, 0, K * PAIRS, NULL, NULL, x, NULL));
    assert_ok(bnre_diagnose(&s->density, PAIRS, K, s->pairs.theta, x, &s->opts,
                            &one));
    assert_ok(bnre_diagnose_dataset(&s->density, data, K, &s->opts, &other));
    assert_same(one, other);
    bnre_diag_destroy(other);
    bnre_diag_destroy(one);
    assert_fails(bnre_diagnose_dataset(&s->density, data, 3, &s->opts, &one),
                 BNRE_EUSAGE, "rows 3 and 4 ... theta");
    assert_fails(bnre_diagnose_dataset(&s->density, data, 0, &s->opts, &one),
                 BNRE_EUSAGE, "needs an observation");
    bnre_dataset_close(data);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The mean rank of the first parameter among a part of a file; in the mean over
   the prior it is 0.5, and its error with 60 pairs 0.037. */
static double mean_rank(const struct setup *s, bnre_dataset *data)
{
    const bnre_density exact = gaussian_density(s->prior);
    bnre_diag_opts opts = s->opts;
    bnre_diag *diag = NULL;
    double mean = 0;

    opts.most = 60;
    assert_ok(bnre_diagnose_dataset(&exact, data, 1, &opts, &diag));
    assert_int_equal(diag->n, 60);
    for (size_t i = 0; i < 60; i++)
        mean += diag->parameter[0].rank[i] / 60;
    bnre_diag_destroy(diag);
    return mean;
}

/* Some pairs of a file stand for all, even if theta are in order: the first
   ones have a mean rank of 0.25. */
static void some_pairs_stand_for_all(void **state)
{
    struct setup *s = *state;
    bnre_dataset *data = dataset(N, NULL);
    bnre_diag *one, *other;

    assert_ok(
        bnre_dataset_read(data, 0, N, s->pairs.theta, NULL, s->pairs.x, NULL));
    s->opts.most = 60;
    assert_ok(diagnose(s, 60, &one));
    assert_ok(bnre_diagnose_dataset(&s->density, data, 1, &s->opts, &other));
    assert_same(one, other); /* of simulations the first */
    bnre_diag_destroy(other);
    bnre_diag_destroy(one);
    assert_close(mean_rank(s, data), 0.5, 0.15);
    bnre_dataset_close(data);

    qsort(s->pairs.theta, N, 2 * sizeof *s->pairs.theta, ascending);
    data = dataset(N, s->pairs.theta);
    assert_close(mean_rank(s, data), 0.5, 0.15);
    bnre_dataset_close(data);
}

static void dataset_of_other_shapes_is_refused(void **state)
{
    struct setup *s = *state;
    bnre_dataset *data = dataset(N, NULL);
    bnre_prior *one = prior_of(1, "normal(0, 1)");
    bnre_diag *diag;

    s->density.x_size = 3;
    assert_fails(bnre_diagnose_dataset(&s->density, data, 1, &s->opts, &diag),
                 BNRE_EUSAGE, "x ... 2 values ... posterior ... 3");
    s->density.prior = one;
    assert_fails(bnre_diagnose_dataset(&s->density, data, 1, &s->opts, &diag),
                 BNRE_EUSAGE, "theta ... 2 columns ... prior ... 1");
    bnre_prior_destroy(one);
    bnre_dataset_close(data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(result_is_the_same_on_any_number_of_threads),
        TEST(ranks_depend_on_the_pair_and_the_seed),
        TEST(interruption_keeps_what_is_done),
        TEST(interruption_of_threads_leaves_pairs_with_their_results),
        TEST(wrong_settings_are_refused),
        TEST(wrong_pairs_are_refused),
        TEST(failures_of_the_density_are_passed_on),
        TEST(lack_of_memory_is_survived),
        TEST(dataset_gives_what_memory_gives),
        TEST(rows_of_one_theta_make_a_pair),
        TEST(some_pairs_stand_for_all),
        TEST(dataset_of_other_shapes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
