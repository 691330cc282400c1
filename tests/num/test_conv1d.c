/* The kernels of 1-D convolutions: every set against the plain one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "floats.h"
#include "num/conv1d.h"
#include "support.h"

enum { QUAD = BNRE__QUAD };

/* Observations side by side, and the plain kernels that have as many. */
static uint32_t side;
static const bnre__conv1d_kernels *plain_set;

static const bnre__activation activations[] = {BNRE__IDENTITY,   BNRE__SELU,
                                               BNRE__ELU,        BNRE__RELU,
                                               BNRE__LEAKY_RELU, BNRE__TANH};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static float *random_floats(size_t n, uint64_t row, double size)
{
    return normal_floats(75, row, n, size);
}

/* For each set but the plain one. */
static void each_set(void (*check)(const bnre__conv1d_kernels *set,
                                   const char *name))
{
    const bnre__kernels *set;

    for (size_t i = 1; (set = bnre__kernels_set(i)) != NULL; i++) {
        side = (uint32_t)set->conv1d->side;
        plain_set = side == 8 ? &bnre__conv1d_ref : &bnre__conv1d_ref16;
        assert_int_equal(plain_set->side, side);
        check(set->conv1d, set->name);
    }
}

enum { POSITIONS = 40, TILES = 9, ROWS = 21, QUADS = 3 };

/* Tiles of one to three positions with some terms at random places. */
static void random_tiles(bnre__tile1d *tile, uint32_t *list)
{
    bnre_rng rng = bnre_rng_stream(76, 0, 0);
    uint32_t at = 0, position = 0;

    for (uint32_t t = 0; t < TILES; t++) {
        tile[t] = (bnre__tile1d){1 + t % 3, t % 4, at};
        for (uint32_t i = 0; i < tile[t].count; i++)
            list[at++] = position++ * QUADS * QUAD * side;
        for (uint32_t k = 0; k < tile[t].terms; k++) {
            const uint32_t row = (uint32_t)bnre_rng_below(&rng, ROWS);

            list[at++] = row;
            list[at++] = 1 + (uint32_t)bnre_rng_below(&rng, ROWS - row);
            for (uint32_t i = 0; i < tile[t].count; i++)
                list[at++] = (uint32_t)bnre_rng_below(&rng, POSITIONS) * side;
        }
    }
}

static void check_conv(const bnre__conv1d_kernels *set, const char *name)
{
    const size_t out = 3 * TILES * QUADS * QUAD * side;
    float *x = random_floats((POSITIONS + ROWS) * side, 1, 1), *y[2];
    float *w = random_floats(QUADS * ROWS * QUAD, 2, 0.3);
    float *bias = random_floats(QUADS * QUAD, 3, 1);
    float *known = random_floats(out, 4, 1);
    bnre__tile1d tile[TILES];
    uint32_t list[TILES * (3 + 3 * 5)];

    random_tiles(tile, list);
    for (size_t k = 0; k < 2 * ACTIVATIONS; k++) {
        bnre__conv1d job = {
            .rows = ROWS,
            .quads = QUADS,
            .w = w,
            .bias = k % 2 ? NULL : bias,
            .x = x,
            .tile = tile,
            .list = list,
            .activation = activations[k / 2],
            .slope = 0.1f,
            .derivative = k % 2 ? known : NULL,
        };

        for (int s = 0; s < 2; s++) {
            job.y = y[s] = random_floats(out, 5, 1);
            (s == 0 ? plain_set : set)->conv(&job, 1, TILES);
        }
        assert_each_close(out, y[1], y[0], 1e-5, "conv", name);
        free(y[0]);
        free(y[1]);
    }
    free(known);
    free(bias);
    free(w);
    free(x);
}

static void check_gradient(const bnre__conv1d_kernels *set, const char *name)
{
    enum { N = 13 };
    const size_t size = QUADS * ROWS * QUAD * side,
                 bias_size = QUADS * QUAD * side;
    const bnre__term1d term[] = {
        {3, 6, 0}, {9, 2, 5 * side}, {0, 1, 2 * side}, {11, 10, side}};
    float *x = random_floats((N * 7 + ROWS) * side, 6, 1);
    float *dz = random_floats(N * (bias_size + side), 7, 1), *dw[2], *db[2];

    for (size_t n = 1; n <= N; n += 4)
        for (int bias = 0; bias < 2; bias++) {
            for (int s = 0; s < 2; s++) {
                bnre__gradient1d job = {
                    .rows = ROWS,
                    .quads = QUADS,
                    .terms = 4,
                    .term = term,
                    .x = x,
                    .x_step = 7 * side,
                    .dz = dz,
                    .dz_step = bias_size + side,
                };

                job.dw = dw[s] = random_floats(size, 8, 1);
                db[s] = random_floats(bias_size, 9, 1);
                job.db = bias ? db[s] : NULL;
                (s == 0 ? plain_set : set)->gradient(&job, n);
            }
            assert_each_close(size, dw[1], dw[0], 1e-5, "gradient", name);
            assert_each_close(bias_size, db[1], db[0], 1e-5,
                              "gradient of biases", name);
            for (int s = 0; s < 2; s++) {
                free(dw[s]);
                free(db[s]);
            }
        }
    free(dz);
    free(x);
}

/* Windows of some length and stride, at both ends shorter; values are few, so
   that maxima are met more than once. */
struct windows {
    uint32_t start[POSITIONS], length[POSITIONS], first[POSITIONS],
        having[POSITIONS];
    size_t count;
};

static struct windows windows_of(size_t kernel, size_t stride)
{
    struct windows w = {.count = 0};

    for (size_t at = 0; at < POSITIONS + kernel / 2 - 1; at += stride) {
        const size_t start = at < kernel / 2 ? 0 : at - kernel / 2;
        const size_t end = at + kernel - kernel / 2;

        w.start[w.count] = (uint32_t)start;
        w.length[w.count] =
            (uint32_t)((end < POSITIONS ? end : POSITIONS) - start);
        for (size_t p = start; p < start + w.length[w.count]; p++)
            if (w.having[p]++ == 0)
                w.first[p] = (uint32_t)w.count;
        w.count++;
        if (w.count == POSITIONS)
            break;
    }
    return w;
}

static void check_windows(const bnre__conv1d_kernels *set, const char *name,
                          size_t kernel, size_t stride)
{
    const size_t step = QUADS * QUAD * side, size = POSITIONS * step;
    const struct windows w = windows_of(kernel, stride);
    float *z = random_floats(size, 10, 2), *dy = random_floats(size, 11, 1);
    float *y[2], *dz[2];
    uint32_t *place[2];

    for (size_t i = 0; i < size; i++)
        z[i] = roundf(z[i]);
    for (size_t a = 0; a < ACTIVATIONS; a++) {
        for (int s = 0; s < 2; s++) {
            const bnre__conv1d_kernels *k = s == 0 ? plain_set : set;
            bnre__pool1d pool = {.quads = QUADS,
                                 .start = w.start,
                                 .length = w.length,
                                 .z = z,
                                 .z_step = step,
                                 .y_step = step,
                                 .activation = activations[a],
                                 .slope = 0.1f};
            bnre__unpool1d unpool = {.quads = QUADS,
                                     .start = w.start,
                                     .first = w.first,
                                     .windows = w.having,
                                     .dy = dy,
                                     .dy_step = step,
                                     .dz_step = step};

            pool.y = y[s] = random_floats(size, 12, 1);
            pool.place = place[s] = calloc(size / QUAD, sizeof *place[s]);
            k->pool(&pool, 0, w.count);
            unpool.place = place[s];
            unpool.dz = dz[s] = random_floats(size, 13, 1);
            k->unpool(&unpool, 0, POSITIONS);
            pool.place = NULL; /* not wanted */
            k->pool(&pool, 0, w.count);
        }
        assert_each_close(size, y[1], y[0], 1e-6, "maxima", name);
        assert_each_close(size, dz[1], dz[0], 1e-6, "way back of maxima", name);
        assert_memory_equal(place[0], place[1], size / QUAD * sizeof *place[0]);
        for (int s = 0; s < 2; s++) {
            free(y[s]);
            free(dz[s]);
            free(place[s]);
        }
    }
    free(dy);
    free(z);
}

static void check_pool(const bnre__conv1d_kernels *set, const char *name)
{
    static const size_t kernel[] = {1, 2, 3, 3, 4, 9, 40};
    static const size_t stride[] = {1, 2, 1, 2, 3, 1, 5};

    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
        check_windows(set, name, kernel[i], stride[i]);
}

static void check_turn(const bnre__conv1d_kernels *set, const char *name)
{
    const size_t size = BNRE__TURN * 3 * side;
    float *x = random_floats(side * 50, 14, 1), *y[2];
    float *shift = random_floats(BNRE__TURN, 15, 1);
    float *factor = random_floats(BNRE__TURN, 16, 1);
    uint32_t to[BNRE__TURN];

    for (uint32_t i = 0; i < BNRE__TURN; i++)
        to[i] = (i * 5 % BNRE__TURN * 3 + i % 3) * side;
    for (int scaled = 0; scaled < 2; scaled++) {
        bnre__turn1d job = {.to = to,
                            .shift = scaled ? shift : NULL,
                            .factor = scaled ? factor : NULL};

        for (size_t s = 0; s < side; s++)
            job.row[s] = x + s * 33 + s % 3;
        for (int s = 0; s < 2; s++) {
            job.y = y[s] = random_floats(size, 17, 1);
            (s == 0 ? plain_set : set)->turn(&job);
        }
        assert_each_close(size, y[1], y[0], 1e-6, "turned values", name);
        free(y[0]);
        free(y[1]);
    }
    free(factor);
    free(shift);
    free(x);
}

static void check_values(const bnre__conv1d_kernels *set, const char *name)
{
    enum { N = 4096 };
    float *x = random_floats(N, 18, 4), *y[2], *d[2];

    x[0] = 0;
    x[1] = 30;
    x[2] = -30;
    for (size_t a = 0; a <= ACTIVATIONS; a++) {
        for (int s = 0; s < 2; s++) {
            const bnre__conv1d_kernels *k = s == 0 ? plain_set : set;

            y[s] = random_floats(N, 19, 1);
            d[s] = random_floats(N, 20, 1);
            if (a < ACTIVATIONS) {
                k->derive(activations[a], 0.1f, N, x, d[s]);
            } else {
                k->gelu(N, x, y[s]);
                k->gelu_back(N, x, d[s]);
            }
        }
        assert_each_close(N, y[1], y[0], 1e-6, "GELU", name);
        assert_each_close(N, d[1], d[0], 1e-6, "derivative", name);
        for (int s = 0; s < 2; s++) {
            free(y[s]);
            free(d[s]);
        }
    }
    free(x);
}

/* Both at once are the same bytes as each alone. */
static void check_both(const bnre__conv1d_kernels *set, const char *name)
{
    enum { N = 4096 };
    float *x = random_floats(N, 21, 4), *y = random_floats(N, 22, 1);
    float *d = random_floats(N, 22, 1), *both = random_floats(N, 22, 1);

    (void)name;
    for (size_t i = 0; i < N; i++)
        d[i] = 1;
    set->gelu(N, x, y);
    set->gelu_back(N, x, d);
    set->gelu_both(N, x, both);
    assert_memory_equal(both, y, N * sizeof *y);
    assert_memory_equal(x, d, N * sizeof *d);
    free(both);
    free(d);
    free(y);
    free(x);
}

#define TEST(what)                                                             \
    static void what##_agrees(void **state)                                    \
    {                                                                          \
        (void)state;                                                           \
        each_set(check_##what);                                                \
    }

TEST(conv)
TEST(gradient)
TEST(pool)
TEST(turn)
TEST(values)
TEST(both)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_agrees),   cmocka_unit_test(gradient_agrees),
        cmocka_unit_test(pool_agrees),   cmocka_unit_test(turn_agrees),
        cmocka_unit_test(values_agrees), cmocka_unit_test(both_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
