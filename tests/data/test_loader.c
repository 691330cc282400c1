/* Subsets and loaders: which rows, in which order, with which failures; in
   memory or not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/loader.h"
#include "data/writer.h"
#include "sample_rows.h"
#include "support.h"

/* Blocks of a few rows make windows of a thousand. */
enum { ROWS = 3000, SMALL_BLOCK = 120, BATCH = 64 };

static const bnre__scaler none_theta = {.size = SAMPLE_DIM},
                          none_x = {.size = SAMPLE_X};

static const char *sample_file(size_t rows, int failing)
{
    const char *path = scratch_path("rows.h5");
    const bnre__rows sample = sample_rows(rows, failing);
    char print[33];

    assert_ok(bnre__write_h5(path, &sample, print));
    return path;
}

/* Which row of the file these values are. */
static size_t row_of(const float *theta)
{
    return (size_t)lround((double)theta[0] * 3 - 0.1);
}

static bnre__subset *open_subset(const bnre__subset_opts *opts, int failing)
{
    bnre__subset *subset;

    assert_ok(bnre__subset_open(sample_file(ROWS, failing), opts, &subset));
    return subset;
}

static bnre__loader *open_loader(const bnre__subset *subset,
                                 bnre__loader_opts opts)
{
    bnre__loader *loader;

    opts.theta = &none_theta;
    opts.x = &none_x;
    if (opts.batch == 0)
        opts.batch = BATCH;
    assert_ok(bnre__loader_create(subset, &opts, &loader));
    return loader;
}

/* ---- roles ---- */

static void roles_have_the_counts_asked_for(void **state)
{
    const size_t count[BNRE__ROLES] = {0, 1000, 300, 5};
    size_t found[BNRE__ROLES] = {0};
    bnre__roles roles = {0};

    (void)state;
    assert_ok(bnre__roles_draw(&roles, 7, 2001, count));
    for (size_t i = 0; i < 2001; i++)
        found[bnre__roles_get(&roles, i)]++;
    assert_int_equal(found[BNRE__ROLE_NONE], 2001 - 1305);
    for (int r = 1; r < BNRE__ROLES; r++)
        assert_int_equal(found[r], count[r]);
    bnre__roles_clear(&roles);
    assert_fails(bnre__roles_draw(&roles, 7, 1304, count), BNRE_EINVAL,
                 "only 1304 rows");
    bnre__roles_clear(&roles);
}

/* Chi-square over rows and roles, 4 draws of 20 rows each time: the p-value is
   below 1e-6 by chance once in a million seeds. */
static void every_row_is_equally_likely(void **state)
{
    enum { N = 20, TIMES = 20000 };
    const size_t count[BNRE__ROLES] = {0, 4, 2, 1};
    double chi = 0;
    static size_t found[N][BNRE__ROLES];

    (void)state;
    for (uint64_t seed = 0; seed < TIMES; seed++) {
        bnre__roles roles = {0};

        assert_ok(bnre__roles_draw(&roles, seed, N, count));
        for (size_t i = 0; i < N; i++)
            found[i][bnre__roles_get(&roles, i)]++;
        bnre__roles_clear(&roles);
    }
    for (size_t i = 0; i < N; i++) {
        const double mean = TIMES * 4.0 / N, error = (double)found[i][1] - mean;

        /* Without replacement: the variance of a row's count is mean (1 - 4/N),
           and rows sum to a constant. */
        chi += error * error / (mean * (1 - 4.0 / N)) * (N - 1.0) / N;
    }
    assert_true(chi_square_pvalue(chi, N - 1) > 1e-6);
    assert_true(chi_square_pvalue(chi, N - 1) < 1 - 1e-6);
}

/* ---- failures ---- */

static void failure_modes_sort_failed_rows(void **state)
{
    size_t invalid = 0, lost = 0;
    bnre__subset *subset;

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        if (i % 7 == 3)
            *(i % 2 == 0 ? &lost : &invalid) += 1;
    subset =
        open_subset(&(bnre__subset_opts){.failure = BNRE__FAILURE_AUTO}, 1);
    assert_int_equal(subset->joint, ROWS - invalid - lost);
    assert_int_equal(subset->spare, invalid);
    assert_int_equal(subset->lost, lost);
    bnre__subset_close(subset);
    subset =
        open_subset(&(bnre__subset_opts){.failure = BNRE__FAILURE_OUTCOME}, 1);
    assert_int_equal(subset->spare, invalid + lost);
    assert_int_equal(subset->lost, 0);
    bnre__subset_close(subset);
    subset =
        open_subset(&(bnre__subset_opts){.failure = BNRE__FAILURE_MISSING}, 1);
    assert_int_equal(subset->joint, ROWS - invalid - lost);
    assert_int_equal(subset->spare, 0);
    assert_int_equal(subset->lost, invalid + lost);
    bnre__subset_close(subset);
}

static void only_the_first_rows_are_used(void **state)
{
    bnre__subset *subset =
        open_subset(&(bnre__subset_opts){.limit = 100, .block = 300}, 0);

    (void)state;
    assert_int_equal(subset->joint, 100);
    assert_int_equal(subset->block[subset->blocks - 1].last, 100);
    bnre__subset_close(subset);
}

/* ---- passes ---- */

/* How often each row came as joint and as spare row in a pass. */
struct seen {
    unsigned char joint[ROWS], spare[ROWS];
    size_t batches, rows;
};

static void look(const bnre__batch_rows *batch, struct seen *seen)
{
    for (size_t i = 0; i < batch->n + batch->spare; i++) {
        const size_t row = row_of(batch->theta + i * SAMPLE_DIM);

        assert_true(row < ROWS);
        if (i < batch->n) {
            seen->joint[row]++;
            assert_close((double)batch->x[i * SAMPLE_X],
                         (double)row * 0.37 - 1e-3, 1e-6);
        } else {
            seen->spare[row]++;
        }
    }
    seen->batches++;
    seen->rows += batch->n;
}

static void run_pass(bnre__loader *loader, size_t pass, struct seen *seen)
{
    bnre__batch_rows batch;

    memset(seen, 0, sizeof *seen);
    assert_ok(bnre__loader_begin(loader, pass));
    for (;;) {
        assert_ok(bnre__loader_next(loader, &batch));
        if (batch.n == 0)
            break;
        look(&batch, seen);
    }
}

static void a_pass_has_every_row_once(void **state)
{
    static struct seen seen;

    (void)state;
    for (int kept = 0; kept < 2; kept++)
        for (int remainder = 0; remainder < 3; remainder++) {
            bnre__subset *subset =
                open_subset(&(bnre__subset_opts){.block = SMALL_BLOCK}, 1);
            bnre__loader *loader;
            size_t missing = 0;

            assert_true(subset->blocks > 2 * 256); /* several windows */
            if (kept)
                assert_ok(bnre__subset_keep(subset));
            loader = open_loader(
                subset,
                (bnre__loader_opts){.shuffle = 1,
                                    .remainder = (bnre__remainder)remainder});
            run_pass(loader, 3, &seen);
            assert_int_equal(seen.batches, bnre__loader_batches(loader));
            for (size_t i = 0; i < ROWS; i++) {
                const int failed = i % 7 == 3;

                assert_int_equal(seen.spare[i], failed && i % 2 == 1);
                assert_true(seen.joint[i] <= !failed);
                missing += !failed && seen.joint[i] == 0;
            }
            assert_int_equal(missing, remainder == BNRE__REMAINDER_DROP
                                          ? subset->joint % BATCH
                                          : 0);
            assert_int_equal(seen.rows + missing, subset->joint);
            bnre__loader_destroy(loader);
            bnre__subset_close(subset);
        }
}

static void batches_of_a_spread_pass_are_alike(void **state)
{
    bnre__subset *subset = open_subset(&(bnre__subset_opts){0}, 1);
    bnre__loader *loader = open_loader(
        subset, (bnre__loader_opts){.remainder = BNRE__REMAINDER_SPREAD});
    size_t low = SIZE_MAX, high = 0, spare_low = SIZE_MAX, spare_high = 0;
    bnre__batch_rows batch;

    (void)state;
    assert_ok(bnre__loader_begin(loader, 0));
    for (;;) {
        assert_ok(bnre__loader_next(loader, &batch));
        if (batch.n == 0)
            break;
        low = batch.n < low ? batch.n : low;
        high = batch.n > high ? batch.n : high;
        spare_low = batch.spare < spare_low ? batch.spare : spare_low;
        spare_high = batch.spare > spare_high ? batch.spare : spare_high;
    }
    assert_true(high <= BATCH && high - low <= 1);
    assert_true(spare_low > 0 && spare_high - spare_low <= 1);
    bnre__loader_destroy(loader);
    bnre__subset_close(subset);
}

static void memory_changes_nothing(void **state)
{
    const size_t count[BNRE__ROLES] = {0, 2400, 100, 0};
    bnre__subset_opts opts = {.role = BNRE__ROLE_TRAIN, .block = SMALL_BLOCK};
    bnre__loader *loader[2];
    bnre__subset *subset[2];
    bnre__batch_rows batch[2];
    bnre__roles roles = {0};

    (void)state;
    assert_ok(bnre__roles_draw(&roles, 2, ROWS, count));
    opts.roles = &roles;
    for (int kept = 0; kept < 2; kept++) {
        subset[kept] = open_subset(&opts, 1);
        if (kept)
            assert_ok(bnre__subset_keep(subset[kept]));
        loader[kept] = open_loader(
            subset[kept], (bnre__loader_opts){.shuffle = 1, .seed = 5});
    }
    for (size_t pass = 1; pass <= 2; pass++) {
        assert_ok(bnre__loader_begin(loader[0], pass));
        assert_ok(bnre__loader_begin(loader[1], pass));
        do {
            for (int kept = 0; kept < 2; kept++)
                assert_ok(bnre__loader_next(loader[kept], &batch[kept]));
            assert_int_equal(batch[0].n, batch[1].n);
            assert_int_equal(batch[0].spare, batch[1].spare);
            if (batch[0].n == 0)
                break;
            assert_memory_equal(batch[0].theta, batch[1].theta,
                                (batch[0].n + batch[0].spare) * SAMPLE_DIM *
                                    sizeof(float));
            assert_memory_equal(batch[0].x, batch[1].x,
                                batch[0].n * SAMPLE_X * sizeof(float));
        } while (batch[0].n > 0);
    }
    for (int kept = 0; kept < 2; kept++) {
        bnre__loader_destroy(loader[kept]);
        bnre__subset_close(subset[kept]);
    }
    bnre__roles_clear(&roles);
}

static void skipping_leads_to_the_same_batch(void **state)
{
    bnre__subset *subset =
        open_subset(&(bnre__subset_opts){.block = SMALL_BLOCK}, 1);
    bnre__loader *loader =
        open_loader(subset, (bnre__loader_opts){.shuffle = 1});
    bnre__loader *other =
        open_loader(subset, (bnre__loader_opts){.shuffle = 1});
    bnre__batch_rows a, b;

    (void)state;
    for (size_t skip = 0; skip <= bnre__loader_batches(loader); skip += 13) {
        assert_ok(bnre__loader_begin(loader, 1));
        for (size_t i = 0; i <= skip; i++)
            assert_ok(bnre__loader_next(loader, &a));
        assert_ok(bnre__loader_begin(other, 1));
        assert_ok(bnre__loader_skip(other, skip));
        assert_ok(bnre__loader_next(other, &b));
        assert_int_equal(a.n, b.n);
        assert_int_equal(a.spare, b.spare);
        if (a.n > 0)
            assert_memory_equal(a.theta, b.theta,
                                (a.n + a.spare) * SAMPLE_DIM * sizeof(float));
    }
    bnre__loader_destroy(other);
    bnre__loader_destroy(loader);
    bnre__subset_close(subset);
}

static void an_unshuffled_pass_has_the_order_of_the_file(void **state)
{
    bnre__subset *subset =
        open_subset(&(bnre__subset_opts){.block = SMALL_BLOCK}, 0);
    bnre__loader *loader = open_loader(
        subset, (bnre__loader_opts){.remainder = BNRE__REMAINDER_KEEP});
    bnre__batch_rows batch;
    size_t row = 0;

    (void)state;
    assert_ok(bnre__loader_begin(loader, 9));
    do {
        assert_ok(bnre__loader_next(loader, &batch));
        for (size_t i = 0; i < batch.n; i++)
            assert_int_equal(row_of(batch.theta + i * SAMPLE_DIM), row++);
    } while (batch.n > 0);
    assert_int_equal(row, ROWS);
    bnre__loader_destroy(loader);
    bnre__subset_close(subset);
}

/* Where row 10 of 100 lands in 5000 passes: uniform, p-value below 1e-6 by
   chance once in a million seeds. */
static void small_data_are_wholly_shuffled(void **state)
{
    enum { N = 100, PASSES = 5000 };
    static double u[PASSES];
    bnre__subset *subset = open_subset(&(bnre__subset_opts){.limit = N}, 0);
    bnre__loader *loader =
        open_loader(subset, (bnre__loader_opts){.shuffle = 1, .batch = N});
    bnre_rng rng = bnre_rng_stream(3, 0, 0);
    bnre__batch_rows batch;

    (void)state;
    assert_ok(bnre__subset_keep(subset));
    for (size_t pass = 0; pass < PASSES; pass++) {
        size_t i = 0;

        assert_ok(bnre__loader_begin(loader, pass));
        assert_ok(bnre__loader_next(loader, &batch));
        assert_int_equal(batch.n, N);
        while (row_of(batch.theta + i * SAMPLE_DIM) != 10)
            i++;
        u[pass] = ((double)i + bnre_rng_uniform(&rng)) / N;
    }
    assert_true(ks_uniform_pvalue(PASSES, u) > 1e-6);
    bnre__loader_destroy(loader);
    bnre__subset_close(subset);
}

/* Scaled beforehand or batch by batch: the same numbers. */
static void scaling_at_once_changes_nothing(void **state)
{
    const size_t dim = SAMPLE_DIM, shape[] = {2, 3};
    bnre__scaler theta = {0}, x = {0};
    bnre__loader *loader[2];
    bnre__subset *subset[2];
    bnre__batch_rows batch[2];

    (void)state;
    for (int scaled = 0; scaled < 2; scaled++) {
        bnre__loader_opts opts = {
            .batch = BATCH, .shuffle = 1, .theta = &theta, .x = &x};

        subset[scaled] = open_subset(&(bnre__subset_opts){0}, 1);
        assert_ok(bnre__subset_keep(subset[scaled]));
        if (scaled == 0) {
            assert_ok(bnre__scaler_fit_f64(
                &theta,
                &(bnre__scaler_spec){
                    .by = BNRE__SCALE_ELEMENT, .ndim = 1, .shape = &dim},
                subset[0]->joint, subset[0]->theta));
            assert_ok(bnre__scaler_fit_f32(
                &x,
                &(bnre__scaler_spec){
                    .by = BNRE__SCALE_CHANNEL, .ndim = 2, .shape = shape},
                subset[0]->joint, subset[0]->x));
        } else {
            assert_ok(bnre__subset_scale(subset[1], &theta, &x));
        }
        assert_ok(bnre__loader_create(subset[scaled], &opts, &loader[scaled]));
        assert_ok(bnre__loader_begin(loader[scaled], 1));
    }
    do {
        for (int scaled = 0; scaled < 2; scaled++)
            assert_ok(bnre__loader_next(loader[scaled], &batch[scaled]));
        assert_int_equal(batch[0].n, batch[1].n);
        if (batch[0].n == 0)
            break;
        assert_memory_equal(batch[0].theta, batch[1].theta,
                            (batch[0].n + batch[0].spare) * SAMPLE_DIM *
                                sizeof(float));
        assert_memory_equal(batch[0].x, batch[1].x,
                            batch[0].n * SAMPLE_X * sizeof(float));
    } while (batch[0].n > 0);
    for (int scaled = 0; scaled < 2; scaled++) {
        bnre__loader_destroy(loader[scaled]);
        bnre__subset_close(subset[scaled]);
    }
    bnre__scaler_clear(&x);
    bnre__scaler_clear(&theta);
}

/* ---- scanning ---- */

struct count {
    size_t next;
};

static bnre_status count_rows(void *arg, size_t first, size_t n,
                              const double *theta, const double *x)
{
    struct count *count = arg;

    (void)x;
    assert_int_equal(first, count->next);
    for (size_t i = 1; i < n; i++)
        assert_true(theta[i * SAMPLE_DIM] > theta[(i - 1) * SAMPLE_DIM]);
    count->next += n;
    return BNRE_OK;
}

static void a_scan_goes_through_all_joint_rows(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        bnre__subset *subset =
            open_subset(&(bnre__subset_opts){.block = SMALL_BLOCK}, 1);
        struct count count = {0};

        if (kept)
            assert_ok(bnre__subset_keep(subset));
        assert_ok(bnre__subset_scan(subset, count_rows, &count));
        assert_int_equal(count.next, subset->joint);
        assert_ok(bnre__subset_scale(subset, &none_theta, &none_x));
        if (kept)
            assert_fails(bnre__subset_scan(subset, count_rows, &count),
                         BNRE_EINVAL, "scaled already");
        bnre__subset_close(subset);
    }
}

static bnre_status use_all(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre__subset *subset = NULL;
    bnre__loader *loader = NULL;
    bnre__batch_rows batch;
    struct count count = {0};

    BNRE_TRY(bnre__subset_open(arg, &(bnre__subset_opts){.block = SMALL_BLOCK},
                               &subset));
    BNRE_TRY(bnre__subset_scan(subset, count_rows, &count));
    BNRE_TRY(bnre__loader_create(
        subset,
        &(bnre__loader_opts){
            .batch = 50, .shuffle = 1, .theta = &none_theta, .x = &none_x},
        &loader));
    BNRE_TRY(bnre__loader_begin(loader, 0));
    BNRE_TRY(bnre__loader_next(loader, &batch));
    BNRE_TRY(bnre__subset_keep(subset));
done:
    bnre__loader_destroy(loader);
    bnre__subset_close(subset);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    char path[256];

    (void)state;
    strcpy(path, sample_file(200, 1));
    assert_survives_lack_of_memory(use_all, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_have_the_counts_asked_for),
        cmocka_unit_test(every_row_is_equally_likely),
        cmocka_unit_test(failure_modes_sort_failed_rows),
        cmocka_unit_test(only_the_first_rows_are_used),
        cmocka_unit_test(a_pass_has_every_row_once),
        cmocka_unit_test(batches_of_a_spread_pass_are_alike),
        cmocka_unit_test(memory_changes_nothing),
        cmocka_unit_test(skipping_leads_to_the_same_batch),
        cmocka_unit_test(an_unshuffled_pass_has_the_order_of_the_file),
        cmocka_unit_test(small_data_are_wholly_shuffled),
        cmocka_unit_test(scaling_at_once_changes_nothing),
        cmocka_unit_test(a_scan_goes_through_all_joint_rows),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
