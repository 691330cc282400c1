/* The M/G/1 queue against an independent implementation, against one written
   down here as the model is, and against laws known exactly.

   Comparisons in standard errors allow 4.5 of them, p-values 1e-6; there are
   about 200, so a correct simulator would fail with one seed in 700. The seed
   is fixed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "num/streams.h"
#include "simrun.h"
#include "support.h"

enum { DIM = 5, CUSTOMERS = 50 };

static double *rows_at(const simrun *run, size_t n, const double *theta)
{
    double *x = NULL;

    assert_non_null(x = bnre__alloc(n * DIM, sizeof *x));
    for (size_t i = 0; i < n; i++)
        simrun_draw(run, i, theta, NULL, x + i * DIM);
    return x;
}

static void statistics_agree_with_the_reference(void **state)
{
    enum { N = 40000 };
    ref *root = ref_load("mg1.json");
    simrun run = simrun_open("mg1", 0, 31);

    (void)state;
    for (size_t k = 0; k < ref_count(ref_at(root, "points")); k++) {
        const ref *point = ref_at(root, "points/%zu", k);
        double theta[3], *x;

        ref_numbers(ref_at(point, "theta"), 3, theta);
        x = rows_at(&run, N, theta);
        assert_agrees(ref_at(point, "stats"),
                      ref_number(ref_at(point, "draws")), N, DIM, x, AGREE_ALL);
        bnre__free(x);
    }
    simrun_close(&run);
    ref_free(root);
}

/* Arrival rates near 0 make the tails too heavy for moments. */
static void prior_predictive_agrees_with_the_reference(void **state)
{
    enum { N = 40000 };
    ref *root = ref_load("mg1.json");
    const ref *prior = ref_at(root, "prior_predictive");
    double draws = ref_number(ref_at(prior, "draws"));
    simrun run = simrun_open("mg1", 0, 32);
    double *x = rows_at(&run, N, NULL), theta[3 * N];

    (void)state;
    assert_agrees(ref_at(prior, "stats"), draws, N, DIM, x, AGREE_QUANTILES);
    for (size_t i = 0; i < N; i++)
        simrun_prior(&run, i, theta + 3 * i, NULL);
    assert_agrees(ref_at(prior, "theta"), draws, N, 3, theta, AGREE_ALL);
    bnre__free(x);
    simrun_close(&run);
    ref_free(root);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The queue as the model states it, from the same random numbers. */
static void plain_queue(bnre_rng *rng, const double *theta, double *x)
{
    double d[CUSTOMERS], a = 0, departed = 0;

    for (int i = 0; i < CUSTOMERS; i++) {
        double s = theta[0] + (theta[1] - theta[0]) * bnre_rng_uniform(rng);

        a += bnre_rng_exponential(rng) / theta[2];
        d[i] = i == 0 ? s + a : s + fmax(0, a - departed);
        departed += d[i];
    }
    qsort(d, CUSTOMERS, sizeof *d, ascending);
    for (int k = 0; k < DIM; k++) {
        double place = 0.25 * k * (CUSTOMERS - 1);
        int i = (int)place < CUSTOMERS - 1 ? (int)place : CUSTOMERS - 2;

        x[k] = d[i] + (place - i) * (d[i + 1] - d[i]);
    }
}

static void every_row_equals_the_plain_queue(void **state)
{
    simrun run = simrun_open("mg1", 0, 33);

    (void)state;
    for (size_t i = 0; i < 5000; i++) {
        double theta[3], x[DIM], expected[DIM];
        bnre_rng rng = bnre_rng_stream(
            33, bnre__purpose(BNRE_USE_SIMULATE, BNRE_SPLIT_TEST), i);

        simrun_prior(&run, i, theta, NULL);
        simrun_draw(&run, i, NULL, NULL, x);
        plain_queue(&rng, theta, expected);
        for (int k = 0; k < DIM; k++)
            assert_close(x[k], expected[k], 1e-12);
    }
    simrun_close(&run);
}

static void service_bounds_can_be_exchanged(void **state)
{
    enum { N = 20000 };
    const double theta[] = {2, 7, 0.15}, exchanged[] = {7, 2, 0.15};
    simrun run = simrun_open("mg1", 0, 34), other = simrun_open("mg1", 0, 35);
    double *x = rows_at(&run, N, theta), *y = rows_at(&other, N, exchanged);
    static double a[N], b[N];

    (void)state;
    for (size_t k = 0; k < DIM; k++) {
        for (size_t i = 0; i < N; i++) {
            a[i] = x[i * DIM + k];
            b[i] = y[i * DIM + k];
        }
        assert_true(ks_two_sample_pvalue(N, a, N, b) > 1e-6);
    }
    bnre__free(x);
    bnre__free(y);
    simrun_close(&run);
    simrun_close(&other);
}

/* With no time for service, departures are arrivals: x are order statistics of
   50 exponential numbers, whose k-th smallest has mean
   sum_{j<=k} 1/(50 - j) / t3. */
static void without_service_intervals_are_exponential(void **state)
{
    enum { N = 20000 };
    const double theta[] = {0, 0, 0.25};
    simrun run = simrun_open("mg1", 0, 36);
    double *x = rows_at(&run, N, theta), expected[CUSTOMERS], error, mean;

    (void)state;
    for (int k = 0; k < CUSTOMERS; k++)
        expected[k] =
            (k > 0 ? expected[k - 1] : 0) + 1 / (0.25 * (CUSTOMERS - k));
    mean = sample_mean(N, x, DIM, &error);
    assert_same_mean(mean, error, expected[0], 0);
    mean = sample_mean(N, x + 1, DIM, &error);
    assert_same_mean(mean, error, 0.75 * expected[12] + 0.25 * expected[13], 0);
    mean = sample_mean(N, x + 2, DIM, &error);
    assert_same_mean(mean, error, 0.5 * expected[24] + 0.5 * expected[25], 0);
    mean = sample_mean(N, x + 3, DIM, &error);
    assert_same_mean(mean, error, 0.25 * expected[36] + 0.75 * expected[37], 0);
    mean = sample_mean(N, x + 4, DIM, &error);
    assert_same_mean(mean, error, expected[49], 0);
    bnre__free(x);
    simrun_close(&run);
}

static void a_full_queue_departs_at_the_pace_of_service(void **state)
{
    const double theta[] = {3, 3, 1e12};
    simrun run = simrun_open("mg1", 0, 37);
    double x[DIM];

    (void)state;
    simrun_draw(&run, 0, theta, NULL, x);
    for (int k = 0; k < DIM; k++)
        assert_close(x[k], 3, 1e-9);
    simrun_close(&run);
}

static void without_arrivals_the_row_is_invalid(void **state)
{
    const double theta[] = {1, 2, 0};
    simrun run = simrun_open("mg1", 0, 38);
    char reason[BNRE_REASON_SIZE] = "";
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    double x[DIM];

    (void)state;
    assert_int_equal(run.record->draw(run.state, &rng, theta, NULL, x, reason),
                     BNRE_DRAW_INVALID);
    assert_non_null(strstr(reason, "arrival_rate is 0"));
    simrun_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_agree_with_the_reference),
        cmocka_unit_test(prior_predictive_agrees_with_the_reference),
        cmocka_unit_test(every_row_equals_the_plain_queue),
        cmocka_unit_test(service_bounds_can_be_exchanged),
        cmocka_unit_test(without_service_intervals_are_exponential),
        cmocka_unit_test(a_full_queue_departs_at_the_pace_of_service),
        cmocka_unit_test(without_arrivals_the_row_is_invalid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
