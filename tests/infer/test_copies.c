/* Rows of whole numbers in folds: equal ones are independent draws, and are told
   apart; a file that was joined with itself is found out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/estimator.h"
#include "data/rows.h"
#include "infer/estimator/estimator.h"
#include "infer/train/copies.h"
#include "infer/train/data.h"
#include "support.h"
#include "training.h"

enum { ROWS = 400, FOLDS = 4, SEEDS = 20 };

/* Poisson counts of a rate that is a count, as rows (theta, x). */
static void draw_rows(uint64_t seed, double row[ROWS][2])
{
    for (size_t i = 0; i < ROWS; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 0, i);

        row[i][0] = (double)bnre_rng_poisson(&rng, 2);
        row[i][1] = (double)bnre_rng_poisson(&rng, row[i][0] + 0.5);
    }
}

struct pairs {
    size_t n, other[ROWS]; /* 0: none */
};

static void note(void *context, size_t row, size_t other)
{
    struct pairs *pairs = context;

    pairs->n++;
    pairs->other[row] = other;
}

static struct pairs find(double row[ROWS][2])
{
    bnre__row_key key[ROWS];
    struct pairs pairs = {0};

    for (size_t i = 0; i < ROWS; i++)
        key[i] =
            (bnre__row_key){bnre__row_hash(1, &row[i][0], 1, &row[i][1]), i};
    assert_ok(bnre__copies_find(ROWS, key, note, &pairs));
    return pairs;
}

/* By construction a false alarm in one of 1,000 files: in none of 20 with a
   chance of 98 %; the seeds are fixed. */
static void independent_rows_are_no_copies(void **state)
{
    double row[ROWS][2];

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        draw_rows(seed, row);
        assert_int_equal(find(row).n, 0);
    }
}

static void a_file_joined_with_itself_is_found(void **state)
{
    double row[ROWS][2];
    struct pairs pairs;

    (void)state;
    draw_rows(1, row);
    memcpy(row[ROWS / 2], row[0], ROWS / 2 * sizeof row[0]);
    pairs = find(row);
    for (size_t i = ROWS / 2; i < ROWS; i++)
        assert_int_equal(pairs.other[i], i - ROWS / 2);
}

static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(double)); /* any order will do */
}

static void order_alone_proves_nothing(void **state)
{
    double row[ROWS][2];

    (void)state;
    draw_rows(1, row);
    qsort(row, ROWS, sizeof row[0], by_value);
    assert_int_equal(find(row).n, 0);
}

/* ---- training ---- */

static const char *write_rows(double row[ROWS][2])
{
    const char *path = scratch_path("counts.csv");
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "theta.k,x.0\n");
    for (size_t i = 0; i < ROWS; i++)
        fprintf(file, "%g,%g\n", row[i][0], row[i][1]);
    fclose(file);
    return path;
}

static bnre_train_opts some_opts(const char *data, const bnre_node *network)
{
    static char task[300];
    bnre_train_opts opts = training_opts(data, network);
    FILE *file;

    snprintf(task, sizeof task, "%s", scratch_path("counts.yaml"));
    file = fopen(task, "w");
    assert_non_null(file);
    fputs("parameters: {k: \"poisson(2)\"}\n", file);
    fclose(file);
    opts.task = task;
    opts.method = BNRE_METHOD_NPE;
    opts.folds = FOLDS;
    opts.members = FOLDS;
    opts.epochs = 1;
    opts.force = 1;
    return opts;
}

/* Equal rows are dealt by chance, and the file of the estimator says of each in
   which fold it is. */
static void equal_rows_are_told_apart(void **state)
{
    bnre_node *network = training_network("head: {hidden: [4]}");
    const char *path = scratch_path("counts.h5");
    size_t count[FOLDS] = {0}, fold, apart = 0;
    bnre__train_data data = {0};
    bnre_estimator *est = NULL;
    double row[ROWS][2];
    bnre_train_opts opts;
    uint32_t *met;

    (void)state;
    draw_rows(1, row);
    opts = some_opts(write_rows(row), network);
    assert_ok(bnre__train_data_open(&data, &opts));
    assert_int_equal(data.folds.binding, BNRE__BIND_STRETCHES);
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    met = calloc(est->hashes, sizeof *met);
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t hash = bnre__row_hash(1, &row[i][0], 1, &row[i][1]);

        apart += !bnre__estimator_fold_of(est, hash, NULL, &fold);
        assert_true(bnre__estimator_fold_of(est, hash, met, &fold));
        assert_int_equal(fold, data.folds.fold[i]);
        count[fold]++;
    }
    assert_true(apart > ROWS / 2); /* by what they hold they are not known */
    for (size_t f = 0; f < FOLDS; f++)
        assert_int_equal(count[f], ROWS / FOLDS);
    free(met);
    bnre_estimator_close(est);
    bnre__train_data_clear(&data);
    bnre_node_destroy(network);
}

static void copies_of_counts_are_in_one_fold(void **state)
{
    bnre_node *network = training_network("head: {hidden: [4]}");
    bnre__train_data data = {0};
    double row[ROWS][2];
    bnre_train_opts opts;

    (void)state;
    draw_rows(1, row);
    memcpy(row[ROWS / 2], row[0], ROWS / 2 * sizeof row[0]);
    opts = some_opts(write_rows(row), network);
    assert_ok(bnre__train_data_open(&data, &opts));
    for (size_t i = 0; i < ROWS / 2; i++)
        assert_int_equal(data.folds.fold[i], data.folds.fold[i + ROWS / 2]);
    bnre__train_data_clear(&data);
    bnre_node_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_rows_are_no_copies),
        cmocka_unit_test(a_file_joined_with_itself_is_found),
        cmocka_unit_test(order_alone_proves_nothing),
        cmocka_unit_test(equal_rows_are_told_apart),
        cmocka_unit_test(copies_of_counts_are_in_one_fold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
