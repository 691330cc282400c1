/* Convolutions with three taps by fewer products: the tables, their kernels on
   every set, and their rounding errors. */
#include "num/winograd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/rng.h"
#include "num/conv2d.h"
#include "support.h"

enum { N = 48, MOST = BNRE__MAX_POINTS };

static const bnre__side sides[] = {BNRE__INPUT, BNRE__OUTPUT, BNRE__WEIGHTS};

/* Every kind, side, direction, and both ways of storing. */
static void kernels_agree(void **state)
{
    static _Alignas(64) float in[MOST][N], out[2][MOST][N];
    const float *from[MOST];
    const bnre__kernels *set;
    bnre_rng rng = bnre_rng_stream(66, 0, 0);

    (void)state;
    for (size_t k = 0; k < MOST; k++) {
        from[k] = in[k];
        for (size_t i = 0; i < N; i++)
            in[k][i] = (float)bnre_rng_normal(&rng);
    }
    for (size_t s = 1; (set = bnre__kernels_set(s)) != NULL; s++)
        for (int c = 0; c < 5 * 3 * 4; c++) {
            for (int fast = 0; fast < 2; fast++) {
                float *to[MOST];

                for (size_t k = 0; k < MOST; k++) {
                    to[k] = out[fast][k];
                    for (size_t i = 0; i < N; i++)
                        to[k][i] = (float)i;
                }
                (fast ? set->conv2d : &bnre__conv2d_ref)
                    ->combine(&(bnre__combination){.kind = 1 + c % 5,
                                                   .side = sides[c / 5 % 3],
                                                   .back = c / 15 % 2,
                                                   .n = N,
                                                   .from = from,
                                                   .to = to,
                                                   .add = c / 30});
            }
            for (size_t k = 0; k < MOST; k++)
                for (size_t i = 0; i < N; i++)
                    assert_close((double)out[1][k][i], (double)out[0][k][i],
                                 5e-6);
        }
}

static void combine(int kind, bnre__side side, const float *in, float *out)
{
    const float *from[MOST];
    float *to[MOST];
    const bnre__combination c = {
        .kind = kind, .side = side, .n = 1, .from = from, .to = to};

    for (size_t k = 0; k < MOST; k++) {
        from[k] = in + k;
        to[k] = out + k;
    }
    bnre__conv2d_ref.combine(&c);
}

/* One dimension of each kind of tile is the convolution. */
static void tiles_convolve(void **state)
{
    bnre_rng rng = bnre_rng_stream(67, 0, 0);

    (void)state;
    for (int kind = 1; kind <= BNRE__MAX_OUTPUTS; kind++)
        for (int times = 0; times < 20; times++) {
            const size_t first = kind == BNRE__PAIR; /* d[0], d[3] are zero */
            float d[MOST + 1] = {0}, g[MOST] = {0}, v[MOST], u[MOST], y[MOST];

            for (size_t i = 0; i < bnre__tile_inputs(kind); i++)
                d[first + i] = (float)bnre_rng_normal(&rng);
            for (size_t i = 0; i < 3; i++)
                g[i] = (float)bnre_rng_normal(&rng);
            combine(kind, BNRE__INPUT, d + first, v);
            combine(kind, BNRE__WEIGHTS, g, u);
            for (size_t p = 0; p < bnre__tile_points(kind); p++)
                v[p] *= u[p];
            combine(kind, BNRE__OUTPUT, v, y);
            for (size_t i = 0; i < bnre__tile_outputs(kind); i++)
                assert_close((double)y[i],
                             (double)g[0] * (double)d[i] +
                                 (double)g[1] * (double)d[i + 1] +
                                 (double)g[2] * (double)d[i + 2],
                             1e-5);
        }
}

/* A square of values from one side to another, rows then columns; `count` of
   them along each dimension on the way in. */
static void both_ways(int kind, bnre__side side, size_t count,
                      float square[MOST][MOST])
{
    float turned[MOST][MOST] = {{0}};

    for (size_t i = 0; i < count; i++) {
        float line[MOST];

        combine(kind, side, square[i], line);
        for (size_t k = 0; k < MOST; k++)
            turned[k][i] = line[k];
    }
    for (size_t k = 0; k < MOST; k++) {
        float line[MOST] = {0};

        combine(kind, side, turned[k], line);
        for (size_t i = 0; i < MOST; i++)
            square[i][k] = line[i];
    }
}

/* Rounding errors of a tile's outputs over 256 channels, relative to their
   size, against those of the plain sum in float. The numbers that winograd.h
   states, with room for other data. */
static void rounding_errors_stay_small(void **state)
{
    static const double limit[] = {0, 3, 3, 5, 5, 10};
    enum { CHANNELS = 256, TIMES = 40 };

    (void)state;
    for (int kind = 1; kind <= BNRE__MAX_OUTPUTS; kind++) {
        const size_t inputs = bnre__tile_inputs(kind);
        const size_t outputs = bnre__tile_outputs(kind);
        const size_t first = kind == BNRE__PAIR;
        double fast = 0, plain = 0;
        bnre_rng rng = bnre_rng_stream(68, 0, (uint64_t)kind);

        for (int times = 0; times < TIMES; times++) {
            float sum[MOST][MOST] = {{0}}, direct[MOST][MOST] = {{0}};
            double exact[MOST][MOST] = {{0}};

            for (int c = 0; c < CHANNELS; c++) {
                float d[MOST][MOST] = {{0}}, g[MOST][MOST] = {{0}};
                float x[MOST + 1][MOST + 1] = {{0}}, w[3][3];

                for (size_t i = 0; i < inputs * inputs; i++)
                    d[i / inputs][i % inputs] =
                        x[first + i / inputs][first + i % inputs] =
                            (float)bnre_rng_normal(&rng);
                for (size_t i = 0; i < 9; i++)
                    g[i / 3][i % 3] = w[i / 3][i % 3] =
                        (float)(bnre_rng_normal(&rng) / 48);
                for (size_t i = 0; i < outputs * outputs * 9; i++) {
                    const size_t r = i / 9 / outputs, q = i / 9 % outputs;
                    const float a = x[r + i % 9 / 3][q + i % 3];
                    const float b = w[i % 9 / 3][i % 3];

                    exact[r][q] += (double)a * (double)b;
                    direct[r][q] += a * b;
                }
                both_ways(kind, BNRE__INPUT, inputs, d);
                both_ways(kind, BNRE__WEIGHTS, 3, g);
                for (size_t i = 0; i < MOST * MOST; i++)
                    sum[i / MOST][i % MOST] +=
                        d[i / MOST][i % MOST] * g[i / MOST][i % MOST];
            }
            both_ways(kind, BNRE__OUTPUT, bnre__tile_points(kind), sum);
            for (size_t i = 0; i < outputs * outputs; i++) {
                const double e = exact[i / outputs][i % outputs];

                fast += pow((double)sum[i / outputs][i % outputs] - e, 2);
                plain += pow((double)direct[i / outputs][i % outputs] - e, 2);
            }
        }
        if (!(sqrt(fast / plain) < limit[kind])) {
            print_error("kind %d: error %.2f times that of a plain sum\n", kind,
                        sqrt(fast / plain));
            fail();
        }
        /* and that one is of the size of float's resolution. */
        assert_true(sqrt(plain / (TIMES * (double)(outputs * outputs))) < 2e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(tiles_convolve),
        cmocka_unit_test(rounding_errors_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
