/* Which rows a dataset gets: by seed, split and number alone. */
#include <math.h>
#include <stdio.h>

#include "probe.h"
#include "support.h"

/* Whatever the count, a row is the same; theta is what the simulator saw. */
static void rows_do_not_depend_on_the_count(void **state)
{
    static const size_t counts[] = {700, 2500};
    double theta[2][700][2];
    double x[2][700][4];
    bnre_dataset *data;

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        bnre_simulate_opts opts = probe_opts(counts[k], NULL);
        char path[256];

        snprintf(path, sizeof path, "%s", scratch_path("rows.h5"));
        opts.force = 1;
        assert_ok(probe_simulate(path, &opts, NULL));
        assert_ok(bnre_dataset_open(path, &data));
        assert_ok(
            bnre_dataset_read(data, 0, 700, theta[k][0], NULL, x[k][0], NULL));
        bnre_dataset_close(data);
    }
    assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static double correlation(size_t n, const double *a, const double *b)
{
    double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;

    for (size_t i = 0; i < n; i++) {
        ma += a[i] / (double)n;
        mb += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
        ab += (a[i] - ma) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

/* Seeds and splits give unrelated rows: 36 correlations of 2000 pairs each for
   theta and for the noise in x, none beyond 4.5 standard deviations (false
   alarm 5e-4 in all). */
static void seeds_and_splits_are_unrelated(void **state)
{
    enum { N = 2000, STREAMS = BNRE_SPLIT_COUNT + 2 };
    static double value[2][STREAMS][N];

    (void)state;
    for (size_t k = 0; k < STREAMS; k++) {
        static double theta[N][2], nuisance[N];
        static double x[N][4];
        bnre_simulate_opts opts = probe_opts(N, NULL);
        bnre_dataset *data;
        char path[256], name[32];

        snprintf(name, sizeof name, "stream%zu.h5", k);
        snprintf(path, sizeof path, "%s", scratch_path(name));
        if (k < BNRE_SPLIT_COUNT)
            opts.split = (bnre_split)k;
        else
            opts.seed = k;
        assert_ok(probe_simulate(path, &opts, NULL));
        assert_ok(bnre_dataset_open(path, &data));
        assert_ok(
            bnre_dataset_read(data, 0, N, theta[0], nuisance, x[0], NULL));
        bnre_dataset_close(data);
        for (size_t i = 0; i < N; i++) {
            value[0][k][i] = theta[i][0];
            value[1][k][i] = ((double)x[i][0] - theta[i][0]) / nuisance[i];
        }
    }
    for (size_t what = 0; what < 2; what++)
        for (size_t a = 0; a < STREAMS; a++)
            for (size_t b = 0; b < a; b++)
                assert_true(fabs(correlation(N, value[what][a],
                                             value[what][b])) < 4.5 / sqrt(N));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_do_not_depend_on_the_count),
        cmocka_unit_test(seeds_and_splits_are_unrelated),
    };

    probe_reset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
