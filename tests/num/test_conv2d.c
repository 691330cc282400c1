/* The kernels of networks on pictures: every set against the plain one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "floats.h"
#include "num/conv2d.h"
#include "support.h"

static float *random_floats(size_t n, uint64_t row, double size)
{
    return normal_floats(63, row, n, size);
}

/* For each set but the plain one. */
static void each_set(void (*check)(const bnre__conv2d_kernels *set,
                                   const char *name))
{
    const bnre__kernels *set;

    for (size_t i = 1; (set = bnre__kernels_set(i)) != NULL; i++)
        check(set->conv2d, set->name);
}

/* Terms at random places, some short, more of them than fit at once. */
static void check_sums(const bnre__conv2d_kernels *set, const char *name)
{
    enum { ROOM = 400 * 16 * 3, TERMS = 40, PANELS = 3, ROWS = 200 };
    static const size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 47, 181, ROWS};
    float *a = random_floats(ROOM + ROWS * 40, 1, 1), *y[2];
    float *w = random_floats(PANELS * TERMS * 16 * 16, 2, 0.05);
    float *bias = random_floats(PANELS * 16, 3, 1);
    bnre_rng rng = bnre_rng_stream(64, 0, 0);
    bnre__term term[TERMS];

    for (size_t t = 0; t < TERMS; t++)
        term[t] = (bnre__term){.a = bnre_rng_below(&rng, ROOM - ROWS * 16),
                               .w = t * 16 * 16,
                               .count = 1 + bnre_rng_below(&rng, 16)};
    for (size_t k = 0; k < 3 * sizeof rows / sizeof *rows; k++) {
        bnre__sum sum = {.rows = rows[k / 3],
                         .panels = PANELS,
                         .terms = k % 4 == 0   ? 0
                                  : k % 4 == 1 ? 5
                                               : TERMS,
                         .term = term,
                         .a = a,
                         .a_row = k % 2 == 0 ? 16 : 39,
                         .w = w,
                         .w_panel = TERMS * 16 * 16,
                         .bias = k % 3 == 0 ? bias : NULL,
                         .add = k % 3 == 1,
                         .y_panel = ROWS * 16};

        for (int s = 0; s < 2; s++) {
            y[s] = random_floats(PANELS * ROWS * 16, 4, 1);
            sum.y = y[s];
            (s == 0 ? &bnre__conv2d_ref : set)->sum(&sum);
        }
        assert_each_close(PANELS * ROWS * 16, y[1], y[0], 1e-5, "sum", name);
        free(y[0]);
        free(y[1]);
    }
    free(bias);
    free(w);
    free(a);
}

static void check_outers(const bnre__conv2d_kernels *set, const char *name)
{
    enum { ROWS = 70, INPUTS = 50 };
    static const size_t inputs[] = {1, 2, 3, 4, 5, 6, 16, 17, 33, INPUTS};
    float *a = random_floats(ROWS * 4 * 16 + 100 * ROWS, 1, 1), *dw[2];
    float *dy = random_floats(ROWS * 16, 2, 1);

    for (size_t k = 0; k < 2 * sizeof inputs / sizeof *inputs; k++) {
        bnre__outer outer = {.rows = k % 3 == 0 ? 1 : ROWS,
                             .inputs = inputs[k / 2],
                             .a = a,
                             .a_row = k % 2 ? 16 : 73,
                             .a_panel = k % 2 ? ROWS * 16 : 16,
                             .dy = dy,
                             .add = k % 4 < 2};

        for (int s = 0; s < 2; s++) {
            dw[s] = random_floats(INPUTS * 16, 3, 1);
            outer.dw = dw[s];
            (s == 0 ? &bnre__conv2d_ref : set)->outer(&outer);
        }
        assert_each_close(INPUTS * 16, dw[1], dw[0], 1e-5, "outer product",
                          name);
        free(dw[0]);
        free(dw[1]);
    }
    free(dy);
    free(a);
}

static const bnre__activation activations[] = {BNRE__IDENTITY,   BNRE__SELU,
                                               BNRE__ELU,        BNRE__RELU,
                                               BNRE__LEAKY_RELU, BNRE__TANH};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static void check_points(const bnre__conv2d_kernels *set, const char *name)
{
    enum { ROWS = 37, N = ROWS * 16 };
    float *a = random_floats(N, 1, 1), *b = random_floats(N, 2, 1);
    float *c = random_floats(16 * 5, 3, 1);

    for (size_t k = 0; k < 2 * ACTIVATIONS; k++) {
        float *y[2], *dy[2];
        double sum[2][16] = {{0}}, with[2][2][16] = {{{0}}};

        for (int s = 0; s < 2; s++) {
            const bnre__conv2d_kernels *use = s == 0 ? &bnre__conv2d_ref : set;
            bnre__point p = {.rows = ROWS,
                             .activation = activations[k / 2],
                             .slope = 0.1f,
                             .a = a,
                             .b = k % 2 ? b : NULL,
                             .mean = {c, c + 16},
                             .scale = {c + 32, c + 48},
                             .shift = c + 64};
            bnre__point_back back = {.rows = ROWS,
                                     .activation = activations[k / 2],
                                     .slope = 0.1f,
                                     .a = a,
                                     .b = p.b,
                                     .mean = {c, c + 16},
                                     .sum = sum[s],
                                     .with = {with[s][0], with[s][1]}};

            y[s] = random_floats(N, 4, 1);
            dy[s] = random_floats(N, 5, 1);
            p.y = y[s];
            use->point(&p);
            back.y = y[0]; /* for the same signs */
            back.dy = dy[s];
            use->point_back(&back);
        }
        assert_each_close(N, y[1], y[0], 2e-6, "point", name);
        assert_each_close(N, dy[1], dy[0], 2e-6, "point's way back", name);
        for (int i = 0; i < 16; i++) {
            assert_close(sum[1][i], sum[0][i], 1e-5);
            assert_close(with[1][0][i], with[0][0][i], 1e-5);
            assert_close(with[1][1][i], with[0][1][i], 1e-5);
        }
        for (int s = 0; s < 2; s++) {
            free(dy[s]);
            free(y[s]);
        }
    }
    free(c);
    free(b);
    free(a);
}

static void check_lines(const bnre__conv2d_kernels *set, const char *name)
{
    enum { ROWS = 21, N = ROWS * 16 };
    float *g = random_floats(N, 1, 1), *x = random_floats(N, 2, 1);
    float *c = random_floats(64, 3, 1);

    for (int add = 0; add < 2; add++) {
        float *dx[2];

        for (int s = 0; s < 2; s++) {
            dx[s] = random_floats(N, 4, 1);
            (s == 0 ? &bnre__conv2d_ref : set)
                ->line_back(&(bnre__line_back){.rows = ROWS,
                                               .g = g,
                                               .x = x,
                                               .scale = c,
                                               .at_mean = c + 16,
                                               .slope = c + 32,
                                               .mean = c + 48,
                                               .add = add,
                                               .dx = dx[s]});
        }
        assert_each_close(N, dx[1], dx[0], 2e-6, "line", name);
        free(dx[0]);
        free(dx[1]);
    }
    free(c);
    free(x);
    free(g);
}

/* Also where the mean is far larger than the spread, and where there is none.
 */
static void check_moments(const bnre__conv2d_kernels *set, const char *name)
{
    enum { ROWS = 1000 };
    float *x = random_floats(ROWS * 16, 1, 1);
    double mean[2][16], squares[2][16];

    (void)name;
    for (size_t i = 0; i < ROWS; i++) {
        x[i * 16] += 1e4f;
        x[i * 16 + 1] = 1e4f;
    }
    for (size_t rows = 1; rows <= ROWS; rows += 999) {
        bnre__conv2d_ref.moments(rows, x, mean[0], squares[0]);
        set->moments(rows, x, mean[1], squares[1]);
        for (int c = 0; c < 16; c++) {
            assert_close(mean[1][c], mean[0][c], 1e-12);
            assert_close(squares[1][c], squares[0][c], 1e-9);
            assert_true(squares[1][c] >= 0);
        }
        assert_true(squares[1][1] == 0);
    }
    free(x);
}

/* Values with many ties: the first of them counts. */
static void check_largest(const bnre__conv2d_kernels *set, const char *name)
{
    enum { N = 16 * 12, COUNT = 9 };
    float *x[COUNT], *y[2], *place[2], *dx[2];
    const float which[] = {0, 3, 1, 8};

    (void)name;
    for (uint64_t k = 0; k < COUNT; k++) {
        x[k] = random_floats(N, k, 1.5);
        for (size_t i = 0; i < N; i++)
            x[k][i] = rintf(x[k][i]);
    }
    for (size_t count = 1; count <= COUNT; count += 4)
        for (int add = 0; add < 2; add++) {
            for (int s = 0; s < 2; s++) {
                const bnre__conv2d_kernels *use =
                    s == 0 ? &bnre__conv2d_ref : set;
                const float *places[4];

                y[s] = random_floats(N, 91, 1);
                place[s] = random_floats(N, 92, 1);
                dx[s] = random_floats(N, 93, 1);
                use->largest(N, count, (const float *const *)x, y[s], place[s]);
                for (int k = 0; k < 4; k++)
                    places[k] = place[s];
                use->largest_back(N, 4, places, which, (const float *const *)x,
                                  add, dx[s]);
            }
            assert_memory_equal(y[0], y[1], N * sizeof **y);
            assert_memory_equal(place[0], place[1], N * sizeof **place);
            assert_memory_equal(dx[0], dx[1], N * sizeof **dx);
            set->largest(N, count, (const float *const *)x, y[1], NULL);
            assert_memory_equal(y[0], y[1], N * sizeof **y);
            for (int s = 0; s < 2; s++) {
                free(dx[s]);
                free(place[s]);
                free(y[s]);
            }
        }
    for (size_t k = 0; k < COUNT; k++)
        free(x[k]);
}

static void check_turns(const bnre__conv2d_kernels *set, const char *name)
{
    enum { COLUMNS = 48, ROW = 51 };
    float *from = random_floats(16 * ROW, 1, 1), *to[2], *back[2];
    size_t place[COLUMNS];

    (void)name;
    for (size_t j = 0; j < COLUMNS; j++)
        place[j] = 16 * (j * 29 % COLUMNS);
    for (int s = 0; s < 2; s++) {
        const bnre__conv2d_kernels *use = s == 0 ? &bnre__conv2d_ref : set;

        to[s] = random_floats(COLUMNS * 16, 2, 1);
        back[s] = random_floats(16 * ROW, 3, 1);
        use->turn(COLUMNS, from, ROW, place, to[s]);
        use->turn_back(COLUMNS, to[s], place, back[s], ROW);
    }
    assert_memory_equal(to[0], to[1], COLUMNS * 16 * sizeof *to[0]);
    assert_memory_equal(back[0], back[1], 16 * ROW * sizeof *back[0]);
    for (size_t i = 0; i < 16; i++)
        assert_memory_equal(from + i * ROW, back[1] + i * ROW,
                            COLUMNS * sizeof *from);
    for (int s = 0; s < 2; s++) {
        free(back[s]);
        free(to[s]);
    }
    free(from);
}

#define TEST(name, check)                                                      \
    static void name(void **state)                                             \
    {                                                                          \
        (void)state;                                                           \
        each_set(check);                                                       \
    }

TEST(sums_of_products_agree, check_sums)
TEST(outer_products_agree, check_outers)
TEST(points_agree, check_points)
TEST(lines_agree, check_lines)
TEST(moments_agree, check_moments)
TEST(maxima_agree_also_in_ties, check_largest)
TEST(turns_agree, check_turns)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_products_agree),
        cmocka_unit_test(outer_products_agree),
        cmocka_unit_test(points_agree),
        cmocka_unit_test(lines_agree),
        cmocka_unit_test(moments_agree),
        cmocka_unit_test(maxima_agree_also_in_ties),
        cmocka_unit_test(turns_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
