/* threads: classifiers of two classes: what they learn, what they report, what
   they refuse; the same bytes on any threads, interrupted or not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bnre/classes.h"
#include "infer/estimator/classes.h"
#include "support.h"
#include "training.h"

/* Two normal laws with unit variance around (1, 0) and (0, 0): the exact log
   ratio is x_0 - 1/2. */
enum { FIRST = 8000, SECOND = 5000, FRESH = 2000 };

static bnre_node *network;
static char first[256], second[256], fresh[2][256];

static const char *write_rows(const char *name, size_t n, double mean,
                              uint64_t stream)
{
    const char *path = scratch_path(name);
    bnre_rng rng = bnre_rng_stream(70, 0, stream);
    FILE *file = fopen(path, "w");

    fprintf(file, "height,weight\n");
    for (size_t i = 0; i < n; i++) {
        const double a = mean + bnre_rng_normal(&rng);

        fprintf(file, "%.9g,%.9g\n", a, bnre_rng_normal(&rng));
    }
    fclose(file);
    return path;
}

static void keep(char out[256], const char *path)
{
    snprintf(out, 256, "%s", path);
}

static int make_data(void **state)
{
    (void)state;
    network = training_network("head: {hidden: [24, 24], activation: selu}\n");
    keep(first, write_rows("first.csv", FIRST, 1, 1));
    keep(second, write_rows("second.csv", SECOND, 0, 2));
    keep(fresh[0], write_rows("fresh0.csv", FRESH, 1, 3));
    keep(fresh[1], write_rows("fresh1.csv", FRESH, 0, 4));
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    bnre_node_destroy(network);
    return 0;
}

static bnre_train_opts some_opts(char *classes[2])
{
    bnre_train_opts opts = training_opts(NULL, network);

    opts.classes = (bnre_opt_list){classes, 2};
    opts.batch_size = 100;
    opts.epochs = 12;
    opts.force = 1;
    return opts;
}

static bnre_status train_on(char *a, const char *b)
{
    char *classes[2] = {a, (char *)(uintptr_t)b}; /* only read */
    bnre_train_opts opts = some_opts(classes);

    return bnre_train(&opts, scratch_path("refused.h5"), NULL);
}

/* ---- what is learned ---- */

/* Log ratios of fresh rows of both classes, and the exact ones. */
static void evaluate(const char *path, double out[2 * FRESH],
                     double exact[2 * FRESH])
{
    static double x[2 * FRESH * 2];
    bnre_estimator *est;

    for (size_t c = 0; c < 2; c++) {
        bnre_dataset *data;

        assert_ok(bnre_dataset_open_x(fresh[c], &data));
        assert_ok(bnre_dataset_read(data, 0, FRESH, NULL, NULL,
                                    x + c * FRESH * 2, NULL));
        bnre_dataset_close(data);
    }
    for (size_t i = 0; i < 2 * FRESH; i++)
        exact[i] = (double)x[2 * i] - 0.5;
    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre_estimator_log_ratio(est, NULL, 2 * FRESH, NULL, x, out));
    bnre_estimator_close(est);
}

static double rms(size_t n, const double *a, double sign, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    return sqrt(sum / (double)n);
}

static void the_log_ratio_is_learned(void **state)
{
    static double out[2][2 * FRESH], exact[2 * FRESH];
    static const double tolerance[] = {0.2, 0.4};

    (void)state;
    for (int method = 0; method < 2; method++) {
        for (size_t swap = 0; swap < 2; swap++) {
            char *classes[2] = {swap ? second : first, swap ? first : second};
            const char *path = scratch_path("learned.h5");
            bnre_train_opts opts = some_opts(classes);
            bnre_train_result result;

            opts.method = method;
            assert_ok(bnre_train(&opts, path, &result));
            evaluate(path, out[swap], exact);
            assert_true(result.classes);
            assert_int_equal(result.class_rows[swap], FIRST * 8 / 10);
            assert_int_equal(result.class_rows[!swap], SECOND * 8 / 10);
            assert_int_equal(result.report.rows[swap], FIRST / 10);
            /* Five standard errors. */
            assert_close(result.report.balance, 1,
                         5 * result.report.balance_error + 0.02);
            /* The exact one is right in 69.1 % of cases. */
            assert_close(result.report.accuracy, 0.691,
                         5 * result.report.accuracy_error);
        }
        /* The penalty on small batches makes the classifier cautious. */
        assert_true(rms(2 * FRESH, out[0], 1, exact) < tolerance[method]);
        /* Swapped classes: the negative. */
        assert_true(rms(2 * FRESH, out[1], -1, exact) < tolerance[method]);
        assert_true(rms(2 * FRESH, out[0], -1, out[1]) < 0.2);
    }
}

/* Equal weight for both, whatever their numbers: the log ratio is not shifted
   by the logarithm of 8, which is 2.1. */
static void classes_of_different_sizes_have_equal_weight(void **state)
{
    static double out[2 * FRESH], exact[2 * FRESH];
    char few[256], *classes[2] = {first, few};
    double shift = 0;
    bnre_train_opts opts = some_opts(classes);

    (void)state;
    keep(few, write_rows("few.csv", FIRST / 8, 0, 5));
    assert_ok(bnre_train(&opts, scratch_path("sizes.h5"), NULL));
    evaluate(scratch_path("sizes.h5"), out, exact);
    for (size_t i = 0; i < 2 * FRESH; i++)
        shift += (out[i] - exact[i]) / (2 * FRESH);
    assert_close(shift, 0, 0.3);
}

/* ---- the report ---- */

static void a_report_counts_right(void **state)
{
    const double a[] = {log(3), log(3), -log(3), 0}, b[] = {-log(3), log(9)};
    const double nan[] = {0, NAN};
    bnre_class_report report;

    (void)state;
    assert_ok(bnre__class_report_make(4, a, 2, b, &report));
    assert_int_equal(report.rows[0], 4);
    assert_int_equal(report.rows[1], 2);
    assert_close(report.balance, 2.25 / 4 + 1.15 / 2, 1e-12);
    assert_close(report.accuracy, (2.5 / 4 + 1. / 2) / 2, 1e-12);
    assert_close(report.cross_entropy,
                 (2 * log(4. / 3) + log(4) + log(2)) / 4 +
                     (log(4. / 3) + log(10)) / 2,
                 1e-12);
    /* Bin 0.2-0.3: one of each class, of weights 1/8 and 1/4. */
    assert_close(report.bin[2].share, 3. / 8, 1e-12);
    assert_close(report.bin[2].predicted, 0.25, 1e-12);
    assert_close(report.bin[2].observed, 1. / 3, 1e-12);
    assert_close(report.bin[7].observed, 1, 1e-12);
    assert_close(report.bin[0].share, 0, 0);
    assert_close(report.calibration,
                 3. / 8 * (1. / 3 - 0.25) + 0.25 * 0.25 + 0.125 * 0.5 +
                     0.25 * 0.9,
                 1e-12);
    assert_fails(bnre__class_report_make(1, a, 2, b, &report), BNRE_EUSAGE,
                 "too few");
    assert_fails(bnre__class_report_make(2, a, 2, nan, &report), BNRE_ENUM,
                 "row 1");
}

/* The exact classifier is balanced and calibrated, one that is too sure is
   not. Four standard errors: false alarms in 6e-5 of all seeds. */
static void a_report_tells_good_from_bad(void **state)
{
    enum { N = 20000, M = 10000 };
    double *l = calloc(N + M, sizeof *l);
    bnre_rng rng = bnre_rng_stream(71, 0, 0);
    bnre_class_report report;

    (void)state;
    for (size_t i = 0; i < N + M; i++)
        l[i] = (i < N ? 0.5 : -0.5) + bnre_rng_normal(&rng);
    assert_ok(bnre__class_report_make(N, l, M, l + N, &report));
    assert_close(report.balance, 1, 4 * report.balance_error);
    assert_true(report.calibration < 2 * report.calibration_chance);
    assert_close(report.accuracy, 0.69146, 4 * report.accuracy_error);
    for (size_t i = 0; i < N + M; i++)
        l[i] *= 3;
    assert_ok(bnre__class_report_make(N, l, M, l + N, &report));
    assert_true(report.calibration > 0.1);
    assert_true(report.calibration > 10 * report.calibration_chance);
    free(l);
}

static void a_report_is_kept_with_the_estimator(void **state)
{
    char *classes[2] = {first, second};
    bnre_train_opts opts = some_opts(classes);
    const char *path = scratch_path("kept.h5");
    bnre_train_result result, again;
    bnre_class_report report;
    bnre_dataset *data[2];
    bnre_estimator *est;

    (void)state;
    opts.epochs = 2;
    assert_ok(bnre_train(&opts, path, &result));
    assert_ok(bnre_estimator_open(path, &est));
    assert_int_equal(bnre_estimator_describe(est)->kind,
                     BNRE_ESTIMATOR_CLASSIFIER);
    assert_ok(bnre_classifier_report(est, &report));
    assert_memory_equal(&report, &result.report, sizeof report);
    for (size_t c = 0; c < 2; c++)
        assert_ok(bnre_dataset_open_x(fresh[c], &data[c]));
    assert_ok(bnre__classifier_assess(est, NULL, data[0], data[1], &report));
    assert_int_equal(report.rows[0], FRESH);
    assert_close(report.accuracy, result.report.accuracy, 0.1);
    for (size_t c = 0; c < 2; c++)
        bnre_dataset_close(data[c]);
    bnre_estimator_close(est);
    /* What is there already is judged by the same rows. */
    opts.force = 0;
    assert_ok(bnre_train(&opts, path, &again));
    assert_true(again.found);
    assert_memory_equal(&again.report, &result.report, sizeof report);
}

static void ratios_have_no_such_report(void **state)
{
    const char *path =
        training_data("ratio.h5", "gaussian", 400, BNRE_SPLIT_TRAIN);
    bnre_train_opts opts = training_opts(path, network);
    bnre_class_report report;
    bnre_estimator *est;

    (void)state;
    opts.epochs = 1;
    opts.force = 1;
    assert_ok(bnre_train(&opts, scratch_path("other.h5"), NULL));
    assert_ok(bnre_estimator_open(scratch_path("other.h5"), &est));
    assert_fails(bnre_classifier_report(est, &report), BNRE_EUSAGE,
                 "no report");
    assert_fails(bnre__classifier_assess(est, NULL, NULL, NULL, &report),
                 BNRE_EUSAGE, "no classifier");
    bnre_estimator_close(est);
}

/* ---- same bytes ---- */

struct stopper {
    size_t calls, stop_at;
};

static int stop_later(void *context, size_t done, size_t found, size_t total)
{
    struct stopper *stopper = context;

    assert_true(done <= total && found <= done);
    return ++stopper->calls == stopper->stop_at;
}

static void threads_and_interruptions_change_nothing(void **state)
{
    char *classes[2] = {second, first};
    bnre_train_opts opts = some_opts(classes);
    char keep_whole[256], cut[256];
    bnre_pool *pool;

    (void)state;
    keep(keep_whole, scratch_path("whole.h5"));
    keep(cut, scratch_path("cut.h5"));
    opts.epochs = 2;
    opts.members = 2;
    assert_ok(bnre_train(&opts, keep_whole, NULL));
    assert_ok(bnre_pool_create(2, &pool));
    opts.pool = pool;
    assert_ok(bnre_train(&opts, cut, NULL));
    assert_same_file(keep_whole, cut);
    opts.pool = NULL;
    for (size_t n = 1; n < 100; n = 2 * n + 1) {
        struct stopper stopper = {.stop_at = n};
        const bnre_monitor monitor = {stop_later, NULL, &stopper, NULL};

        unlink(cut);
        opts.monitor = &monitor;
        opts.force = 1;
        assert_fails(bnre_train(&opts, cut, NULL), BNRE_EINTR, "goes on");
        opts.monitor = NULL;
        opts.force = 0;
        assert_ok(bnre_train(&opts, cut, NULL));
        assert_same_file(keep_whole, cut);
    }
    bnre_pool_destroy(pool);
}

/* The smallest memory: rows are read again in every epoch. */
static void memory_changes_nothing(void **state)
{
    static float wide[600 * 1000];
    bnre_rng rng = bnre_rng_stream(72, 0, 0);
    char path[2][256], *classes[2] = {path[0], path[1]};
    bnre_train_opts opts;

    (void)state;
    for (size_t c = 0; c < 2; c++) {
        const char head[] = "{'descr': '<f4', 'fortran_order': False, "
                            "'shape': (600, 1000), }";
        FILE *file;

        for (size_t i = 0; i < 600 * 1000; i++)
            wide[i] = (float)bnre_rng_normal(&rng);
        keep(path[c], scratch_path(c == 0 ? "wide0.npy" : "wide1.npy"));
        file = fopen(path[c], "wb");
        fprintf(file, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, head);
        fwrite(wide, sizeof *wide, 600 * 1000, file);
        fclose(file);
    }
    opts = some_opts(classes);
    opts.epochs = 1;
    assert_ok(bnre_train(&opts, scratch_path("much.h5"), NULL));
    opts.memory = 1;
    assert_ok(bnre_train(&opts, scratch_path("little.h5"), NULL));
    assert_same_file(scratch_path("much.h5"), scratch_path("little.h5"));
}

/* ---- what is refused ---- */

static char *write_text(const char *name, const char *text, size_t times)
{
    static char path[4][256];
    static size_t turn;
    char *out = path[turn++ % 4];
    FILE *file;

    keep(out, scratch_path(name));
    file = fopen(out, "w");
    fputs("height,weight\n", file);
    for (size_t i = 0; i < times; i++)
        fputs(text, file);
    fclose(file);
    return out;
}

static void rows_that_do_not_fit_are_refused(void **state)
{
    char *bad;
    FILE *file;

    (void)state;
    bad = write_text("three.csv", "", 0);
    file = fopen(bad, "w");
    fputs("height,weight,age\n", file);
    for (size_t i = 0; i < 500; i++)
        fputs("1,2,3\n", file);
    fclose(file);
    assert_fails(train_on(first, bad), BNRE_EUSAGE, "has 2 values");
    assert_fails(train_on(first, bad), BNRE_EUSAGE, "same columns");
    file = fopen(bad, "w");
    fputs("weight,length\n", file);
    for (size_t i = 0; i < 500; i++)
        fputs("1,2\n", file);
    fclose(file);
    assert_fails(
        train_on(first, bad), BNRE_EUSAGE,
        "called weight, length ... training data ... called height, weight");
    bad = write_text("nan.csv", "1,2\n", 400);
    file = fopen(bad, "a");
    fputs("1,nan\n", file);
    fclose(file);
    assert_fails(train_on(first, bad), BNRE_ENUM,
                 "nan.csv: row 400, column weight ... nan");
    assert_fails(train_on(first, write_text("few.csv", "1,2\n", 19)),
                 BNRE_EUSAGE, "19 ... too few");
    assert_fails(train_on(first, write_text("few.csv", "1,2\n", 100)),
                 BNRE_EUSAGE, "lower `batch_size`");
    assert_fails(train_on(first, scratch_path("nowhere.csv")), BNRE_EIO,
                 "nowhere.csv");
}

static void options_that_do_not_fit_are_refused(void **state)
{
    char *classes[2] = {first, second};
    bnre_train_opts opts = some_opts(classes);

    (void)state;
    opts.data = first;
    assert_fails(bnre_train(&opts, scratch_path("no.h5"), NULL), BNRE_EUSAGE,
                 "`data` ... not ... `classes`");
    opts = some_opts(classes);
    opts.recipe = BNRE_RECIPE_PAPER;
    assert_fails(bnre_train(&opts, scratch_path("no.h5"), NULL), BNRE_EUSAGE,
                 "`recipe: paper` does not go");
    opts = some_opts(classes);
    opts.classes.count = 1;
    assert_fails(bnre_train(&opts, scratch_path("no.h5"), NULL), BNRE_EUSAGE,
                 "two classes are needed");
    opts = some_opts(classes);
    opts.test_rows = SECOND;
    assert_fails(bnre_train(&opts, scratch_path("no.h5"), NULL), BNRE_EUSAGE,
                 "nothing is left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_ratio_is_learned),
        cmocka_unit_test(classes_of_different_sizes_have_equal_weight),
        cmocka_unit_test(a_report_counts_right),
        cmocka_unit_test(a_report_tells_good_from_bad),
        cmocka_unit_test(a_report_is_kept_with_the_estimator),
        cmocka_unit_test(ratios_have_no_such_report),
        cmocka_unit_test(threads_and_interruptions_change_nothing),
        cmocka_unit_test(memory_changes_nothing),
        cmocka_unit_test(rows_that_do_not_fit_are_refused),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, make_data, free_data);
}
