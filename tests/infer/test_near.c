/* Rows that are the same but for rounding are told from independent draws. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/rng.h"
#include "infer/train/near.h"
#include "support.h"

enum { MOST = 20000, DIM = 3 };

enum kind { NORMAL, NARROW, DECADES, CAUCHY, LINE, COUNTS, RATIONAL, KINDS };

/* A draw of one of many kinds of prior. */
static void draw_row(enum kind kind, uint64_t seed, size_t i, double *out)
{
    bnre_rng rng = bnre_rng_stream(seed, (uint64_t)kind, i);

    for (size_t d = 0; d < DIM; d++) {
        const double u = bnre_rng_uniform(&rng), v = bnre_rng_normal(&rng);

        switch (kind) {
        case NARROW:
            out[d] = 1000 + u;
            break;
        case DECADES:
            out[d] = pow(10, -10 * u);
            break;
        case CAUCHY:
            out[d] = v / bnre_rng_normal(&rng);
            break;
        case LINE:
            out[d] = d == 0 ? v : 2 * out[0] - 1;
            break;
        case COUNTS: /* and a real number, with others between */
            out[d] = d == 1 ? v : floor(1e6 + 1e3 * v);
            break;
        case RATIONAL: /* 999 values, again and again */
            out[d] = d == 0 ? round(u * 999) / 999 : v;
            break;
        default:
            out[d] = v;
        }
    }
}

/* Of n rows with `dim` values. */
static double *draw(enum kind kind, uint64_t seed, size_t n, size_t dim)
{
    double *out = calloc(n * dim, sizeof *out), row[DIM];

    assert_non_null(out);
    for (size_t i = 0; i < n; i++) {
        draw_row(kind, seed, i, row);
        memcpy(out + i * dim, row, dim * sizeof *row);
    }
    return out;
}

/* Whole numbers of the only parameter are equal and not nearly so. */
static int different(enum kind kind, size_t dim)
{
    return dim > 1 || (kind != COUNTS && kind != RATIONAL);
}

/* By construction a false alarm in fewer than one of 10^6 files; seeds are
   fixed. */
static void independent_draws_are_not_near(void **state)
{
    static const size_t size[] = {2, 30, 400, 1024, MOST};

    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t dim = 1; dim <= DIM; dim++)
            for (size_t s = 0; s < sizeof size / sizeof *size; s++)
                for (uint64_t seed = 1; seed <= 3; seed++) {
                    double *value = draw((enum kind)k, seed, size[s], dim);
                    size_t *root;

                    if (different((enum kind)k, dim)) {
                        assert_ok(bnre__near_find(size[s], dim, value, &root));
                        assert_null(root);
                    }
                    free(value);
                }
}

static double rounded(double value, int digits)
{
    char text[40];

    if (digits == 0)
        return (double)(float)value;
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

/* n rows, then the same again, rounded: each is found, and few others that came
   as near by chance. */
static void expect_found(enum kind kind, size_t n, size_t dim, int digits)
{
    double *value = draw(kind, 1, 2 * n, dim);
    size_t *root, found = 0, others = 0;

    for (size_t i = 0; i < n * dim; i++)
        value[n * dim + i] = rounded(value[i], digits);
    assert_ok(bnre__near_find(2 * n, dim, value, &root));
    assert_non_null(root);
    for (size_t i = 0; i < n; i++) {
        found += root[n + i] == root[i];
        others += root[i] != i;
        assert_true(root[i] <= i && root[root[i]] == root[i]);
    }
    assert_int_equal(found, n);
    assert_true(others <= n / 5);
    bnre__free(root);
    free(value);
}

static void rounded_copies_are_found(void **state)
{
    static const enum kind kind[] = {NORMAL, DECADES, CAUCHY, LINE};

    (void)state;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (size_t dim = 1; dim <= DIM; dim++) {
            for (int digits = 6; digits < 15; digits++)
                expect_found(kind[k], 400, dim, digits);
            expect_found(kind[k], 400, dim, 0); /* single precision */
            expect_found(kind[k], 20, dim, 6);
            expect_found(kind[k], MOST / 2, dim, 9);
        }
    expect_found(NORMAL, 400, 2, 5);
    expect_found(NORMAL, 400, 3, 4);
    expect_found(NARROW, 400, 3, 7);
}

/* A dozen are less than chance is ruled out by. */
static void a_few_are_not_enough(void **state)
{
    double *value = draw(NORMAL, 1, 412, 2);
    size_t *root;

    (void)state;
    for (size_t i = 0; i < 24; i++)
        value[800 + i] = value[i] * (1 + 1e-7);
    assert_ok(bnre__near_find(412, 2, value, &root));
    assert_null(root);
    free(value);
}

/* Sixteen points, each simulated again and again with other last digits. */
static void points_with_noise_in_the_last_digits_are_found(void **state)
{
    enum { POINTS = 16, EACH = 60 };
    double *value = draw(NORMAL, 1, POINTS * EACH, 2);
    size_t *root;

    (void)state;
    for (size_t i = POINTS; i < POINTS * EACH; i++)
        for (size_t d = 0; d < 2; d++)
            value[i * 2 + d] =
                value[i % POINTS * 2 + d] * (1 + 2e-16 * (double)(i / POINTS));
    assert_ok(bnre__near_find((size_t)POINTS * EACH, 2, value, &root));
    assert_non_null(root);
    for (size_t i = 0; i < (size_t)POINTS * EACH; i++)
        assert_int_equal(root[i], i % POINTS);
    bnre__free(root);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_draws_are_not_near),
        cmocka_unit_test(rounded_copies_are_found),
        cmocka_unit_test(a_few_are_not_enough),
        cmocka_unit_test(points_with_noise_in_the_last_digits_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
