/* Classes of rows, more than two, with known probabilities. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/classes.h"
#include "bnre/command.h"
#include "bnre/rng.h"
#include "infer/estimator/classes.h"
#include "infer/train/factor_loss.h"
#include "support.h"

enum { K = 3 };
static const double mean_of[K] = {-1, 0.5, 2};

/* p(class | x) for these prior odds. */
static void exact(double x, const double *odds, double p[K])
{
    double sum = 0;

    for (size_t k = 0; k < K; k++)
        sum += p[k] = (odds != NULL ? odds[k] : 1) *
                      exp(-(x - mean_of[k]) * (x - mean_of[k]) / 2);
    for (size_t k = 0; k < K; k++)
        p[k] /= sum;
}

/* ---- the penalty ---- */

static double value_of(bnre__lines *lines)
{
    bnre__loss loss = {.balance = 1};

    bnre__class_penalty(3, lines, &loss);
    return loss.value;
}

static void derivatives_of_the_penalty_are_right(void **state)
{
    enum { ROWS = 14, STRIDE = 4 };
    const double log_mass[K] = {log(0.5), log(0.3), log(0.2)};
    float raw[ROWS * STRIDE] = {0}, c[ROWS], draw[ROWS * STRIDE] = {0};
    float ignored[ROWS * STRIDE] = {0};
    bnre__lines lines = {.n = ROWS,
                         .components = K,
                         .widen = 1,
                         .stride = STRIDE,
                         .raw = raw,
                         .c = c,
                         .draw = draw,
                         .log_mass = log_mass};
    bnre_rng rng = bnre_rng_stream(1, 2, 3);

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        c[i] = (float)(i / 2 % K);
        for (size_t k = 0; k < K; k++)
            raw[i * STRIDE + k] = (float)bnre_rng_normal(&rng);
    }
    value_of(&lines);
    lines.draw = ignored;
    for (size_t i = 0; i < ROWS * STRIDE; i++) {
        const float at = raw[i], step = 1e-2f;
        double up, down;

        raw[i] = at + step;
        up = value_of(&lines);
        raw[i] = at - step;
        down = value_of(&lines);
        raw[i] = at;
        assert_true(fabs((up - down) / (2 * (double)step) - (double)draw[i]) <
                    2e-4);
    }
}

/* It is 0 on average, and so is its derivative, where q is right: rows of the
   exact probabilities, many of them. */
static void the_truth_is_balanced(void **state)
{
    enum { ROWS = 200000 };
    const double log_mass[K] = {log(0.5), log(0.3), log(0.2)};
    float *raw = malloc(ROWS * K * sizeof *raw), *c = malloc(ROWS * sizeof *c),
          *draw = calloc(ROWS * K, sizeof *draw);
    const bnre__lines lines = {.n = ROWS,
                               .components = K,
                               .widen = 1,
                               .stride = K,
                               .raw = raw,
                               .c = c,
                               .draw = draw,
                               .log_mass = log_mass};
    bnre__loss loss = {.balance = 1};
    bnre_rng rng = bnre_rng_stream(1, 2, 4);

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const double u = bnre_rng_uniform(&rng);
        const size_t own = u < 0.5 ? 0 : u < 0.8 ? 1 : 2;
        const double x = mean_of[own] + bnre_rng_normal(&rng);

        c[i] = (float)own;
        for (size_t k = 0; k < K; k++)
            raw[i * K + k] = (float)(-(x - mean_of[k]) * (x - mean_of[k]) / 2);
    }
    bnre__class_penalty(1, &lines, &loss);
    assert_true(fabs(loss.balance - 1) < 0.005); /* 4 standard errors */
    assert_true(fabs(loss.value) < 1e-4);
    free(draw);
    free(c);
    free(raw);
}

/* ---- the report ---- */

/* Of the exact log ratios: calibrated, balanced, and as accurate as can be,
   which is the mean over classes of the chance that a row lies between the
   middles of the means. False alarms: 1 in 10,000. */
static void the_report_of_the_truth_is_right(void **state)
{
    enum { ROWS = 4000 };
    const char *const name[K] = {"a", "b", "c"};
    const size_t rows[K] = {ROWS, ROWS / 2, ROWS};
    const double outer = 0.5 * erfc(-0.75 / sqrt(2)),
                 middle = erf(0.75 / sqrt(2));
    double *l[K];
    bnre_models_report report;
    bnre_rng rng = bnre_rng_stream(1, 2, 5);

    (void)state;
    for (size_t c = 0; c < K; c++) {
        l[c] = malloc(rows[c] * K * sizeof *l[c]);
        for (size_t i = 0; i < rows[c]; i++) {
            const double x = mean_of[c] + bnre_rng_normal(&rng);

            for (size_t k = 0; k < K; k++)
                l[c][i * K + k] = 7 - (x - mean_of[k]) * (x - mean_of[k]) / 2;
        }
    }
    assert_ok(bnre__models_report_make(K, name, rows, (const double *const *)l,
                                       &report));
    assert_true(fabs(report.accuracy - (2 * outer + middle) / 3) <
                4 * report.accuracy_error);
    assert_true(report.accuracy_error < 0.01);
    for (size_t k = 0; k < K; k++)
        assert_true(fabs(report.balance[k] - 1) < 4 * report.balance_error[k]);
    assert_true(report.calibration < 2.5 * report.calibration_chance);
    for (size_t c = 0; c < K; c++) {
        double sum = 0;

        for (size_t k = 0; k < K; k++)
            sum += report.confusion[c * K + k];
        assert_close(sum, 1, 1e-9);
    }
    assert_true(fabs(report.confusion[0] - outer) < 0.03);
    assert_true(fabs(report.confusion[K + 1] - middle) < 0.05);
    bnre_models_report_clear(&report);
    for (size_t c = 0; c < K; c++)
        free(l[c]);
}

/* ---- all of it ---- */

static void write_class(const char *path, size_t c, size_t rows)
{
    bnre_rng rng = bnre_rng_stream(1, 9, c);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("u,v\n", file);
    for (size_t i = 0; i < rows; i++) {
        fprintf(file, "%.17g,", mean_of[c] + bnre_rng_normal(&rng));
        fprintf(file, "%.17g\n", bnre_rng_normal(&rng));
    }
    fclose(file);
}

/* Three normal distributions of unequal numbers of rows: probabilities for equal
   and for other odds are near the known ones. */
static void three_normals_are_told_apart(void **state)
{
    static const char *const name[K] = {"a.csv", "b.csv", "c.csv"};
    static const size_t rows[K] = {3000, 2000, 2500};
    const double odds[K] = {1, 1, 4};
    bnre_train_settings settings = {0};
    bnre_train_request request = {.settings = &settings, .seed = 1};
    bnre_train_outcome outcome = {0};
    char path[K][512], output[512];
    double x[11 * 2] = {0}, p[11 * K], q[K], worst = 0;
    size_t n, more;
    const bnre_opt *first = bnre_train_options(&n);
    const bnre_opt *second = bnre_train_more(&more);
    bnre_estimator *est;

    (void)state;
    assert_ok(bnre_opt_init(first, n, &settings));
    assert_ok(bnre_opt_init(second, more, &settings));
    for (size_t c = 0; c < K; c++) {
        snprintf(path[c], sizeof path[c], "%s", scratch_path(name[c]));
        write_class(path[c], c, rows[c]);
        assert_ok(bnre_opt_set(bnre_opt_find(first, n, "classes"), &settings,
                               path[c]));
    }
    snprintf(output, sizeof output, "%s", scratch_path("models.h5"));
    settings.train.members = 2;
    settings.train.epochs = 20;
    assert_ok(bnre_train_make(&request, output, &outcome));
    assert_int_equal(outcome.models.n, K);
    assert_string_equal(outcome.models.name[1], "b");
    assert_int_equal(outcome.models.rows[0], 300);
    assert_true(outcome.models.accuracy > 0.63); /* 0.68 is the most */
    assert_true(outcome.models.calibration <
                3 * outcome.models.calibration_chance);
    assert_ok(bnre_estimator_open(output, &est));
    assert_int_equal(bnre_models_count(est), K);
    for (size_t i = 0; i < 11; i++)
        x[2 * i] = -2 + 0.5 * (double)i;
    for (size_t o = 0; o < 2; o++) {
        assert_ok(
            bnre_models_probability(est, NULL, o == 1 ? odds : NULL, 11, x, p));
        for (size_t i = 0; i < 11; i++) {
            exact(x[2 * i], o == 1 ? odds : NULL, q);
            for (size_t k = 0; k < K; k++)
                worst = fmax(worst, fabs(p[i * K + k] - q[k]));
        }
    }
    print_message("farthest from the exact probability: %.3f\n", worst);
    assert_true(worst < 0.12);
    bnre_estimator_close(est);
    bnre_train_outcome_clear(&outcome);
    /* Again: nothing is done, and the report is that of the file. */
    assert_ok(bnre_train_make(&request, output, &outcome));
    assert_true(outcome.result.train.found);
    assert_int_equal(outcome.models.rows[1], 200);
    bnre_train_outcome_clear(&outcome);
    bnre_opt_clear(first, n, &settings);
    bnre_opt_clear(second, more, &settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_the_penalty_are_right),
        cmocka_unit_test(the_truth_is_balanced),
        cmocka_unit_test(the_report_of_the_truth_is_right),
        cmocka_unit_test(three_normals_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
