/* conv1d_simd.c - the kernels of conv1d.h in the compiler's vector types.

   A register tile is three positions by one quad of channels: twelve sums,
   three values and a broadcast weight make the sixteen registers of AVX2. With
   vectors of four the eight observations are done in two halves. */
#include "num/conv1d.h"

#include "num/simd.h"

enum { SIDE = BNRE__SIDE, QUAD = BNRE__QUAD, COUNT = BNRE__TILE1D };

/* ---- sums of products, forward and back ---- */

INLINE void conv_tile(const bnre__conv1d *job, const bnre__tile1d *tile,
                      size_t quad, size_t half, bnre__activation activation,
                      int backward, int count)
{
    const uint32_t *list = job->list + tile->at, *to = list;
    const float *weights = job->w + quad * job->rows * QUAD;
    const size_t out = quad * QUAD * SIDE + half;
    const float *values = job->x + half, *known = job->derivative;
    const vec slope = splat(job->slope);
    float *y = job->y;
    vec sums[COUNT][QUAD];

    UNROLL
    for (int o = 0; o < QUAD; o++) {
        const vec bias = job->bias == NULL
                             ? (vec){0}
                             : splat(job->bias[quad * QUAD + (size_t)o]);

        UNROLL
        for (int i = 0; i < count; i++)
            sums[i][o] = bias;
    }
    list += count;
    for (size_t t = 0; t < tile->terms; t++, list += 2 + count) {
        const float *w = weights + (size_t)list[0] * QUAD;
        const float *x[COUNT];

        UNROLL
        for (int i = 0; i < count; i++)
            x[i] = values + list[2 + i];
        for (size_t k = 0; k < list[1]; k++, w += QUAD) {
            vec value[COUNT];

            UNROLL
            for (int i = 0; i < count; i++)
                value[i] = load(x[i] + k * SIDE);
            UNROLL
            for (int o = 0; o < QUAD; o++) {
                const vec weight = splat(w[o]);

                UNROLL
                for (int i = 0; i < count; i++)
                    sums[i][o] += value[i] * weight;
            }
        }
    }
    UNROLL
    for (int i = 0; i < count; i++) {
        UNROLL
        for (int o = 0; o < QUAD; o++) {
            const size_t at = to[i] + out + (size_t)(o * SIDE);
            vec v = sums[i][o];

            if (backward)
                v *= derivative(activation, slope, load(known + at));
            else
                v = apply(activation, slope, v);
            store(y + at, v);
        }
    }
}

/* The results that a tile of the way back looks at are far away in memory. */
INLINE void fetch_derivative(const bnre__conv1d *job, const bnre__tile1d *tile)
{
    const size_t lines = job->quads * QUAD * SIDE;

    for (size_t i = 0; i < tile->count; i++)
        for (size_t at = 0; at < lines; at += 16)
            __builtin_prefetch(job->derivative + job->list[tile->at + i] + at);
}

INLINE void conv_as(const bnre__conv1d *job, size_t first, size_t last,
                    bnre__activation activation, int backward)
{
    for (size_t t = first; t < last; t++) {
        const bnre__tile1d *tile = &job->tile[t];

        if (backward && t + 1 < last)
            fetch_derivative(job, tile + 1);
        for (size_t half = 0; half < SIDE; half += LANES)
            for (size_t quad = 0; quad < job->quads; quad++) {
                if (tile->count == 3)
                    conv_tile(job, tile, quad, half, activation, backward, 3);
                else if (tile->count == 2)
                    conv_tile(job, tile, quad, half, activation, backward, 2);
                else
                    conv_tile(job, tile, quad, half, activation, backward, 1);
            }
    }
}

static void conv_simd(const bnre__conv1d *job, size_t first, size_t last)
{
    switch (job->activation) {
#define X(name)                                                                \
    case name:                                                                 \
        if (job->derivative != NULL)                                           \
            conv_as(job, first, last, name, 1);                                \
        else                                                                   \
            conv_as(job, first, last, name, 0);                                \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

/* ---- gradients of weights ---- */

/* Of `count` rows, over n positions. */
INLINE void gradient_tile(const bnre__gradient1d *job, size_t n, const float *x,
                          const float *dz, float *dw, int count)
{
    vec sums[COUNT][QUAD];

    UNROLL
    for (int r = 0; r < count; r++) {
        UNROLL
        for (int o = 0; o < QUAD; o++)
            sums[r][o] = load(dw + (r * QUAD + o) * SIDE);
    }
    for (size_t p = 0; p < n; p++, x += job->x_step, dz += job->dz_step) {
        vec value[COUNT];

        UNROLL
        for (int r = 0; r < count; r++)
            value[r] = load(x + r * SIDE);
        UNROLL
        for (int o = 0; o < QUAD; o++) {
            const vec d = load(dz + o * SIDE);

            UNROLL
            for (int r = 0; r < count; r++)
                sums[r][o] += value[r] * d;
        }
    }
    UNROLL
    for (int r = 0; r < count; r++) {
        UNROLL
        for (int o = 0; o < QUAD; o++)
            store(dw + (r * QUAD + o) * SIDE, sums[r][o]);
    }
}

/* All quads of `count` rows: the values stay in the first cache. */
INLINE void gradient_rows(const bnre__gradient1d *job, size_t n, const float *x,
                          size_t row, size_t half, int count)
{
    for (size_t quad = 0; quad < job->quads; quad++)
        gradient_tile(job, n, x, job->dz + quad * QUAD * SIDE + half,
                      job->dw + (quad * job->rows + row) * QUAD * SIDE + half,
                      count);
}

static void bias_gradient(const bnre__gradient1d *job, size_t n, size_t half)
{
    for (size_t quad = 0; quad < job->quads; quad++) {
        const float *dz = job->dz + quad * QUAD * SIDE + half;
        float *db = job->db + quad * QUAD * SIDE + half;
        vec sums[QUAD];

        UNROLL
        for (int o = 0; o < QUAD; o++)
            sums[o] = load(db + o * SIDE);
        for (size_t p = 0; p < n; p++, dz += job->dz_step) {
            UNROLL
            for (int o = 0; o < QUAD; o++)
                sums[o] += load(dz + o * SIDE);
        }
        UNROLL
        for (int o = 0; o < QUAD; o++)
            store(db + o * SIDE, sums[o]);
    }
}

static void gradient_simd(const bnre__gradient1d *job, size_t n)
{
    for (size_t half = 0; half < SIDE; half += LANES) {
        for (size_t t = 0; t < job->terms; t++) {
            const bnre__term1d *term = &job->term[t];
            const float *x = job->x + term->from + half;
            size_t k = 0;

            for (; k + 3 <= term->length; k += 3)
                gradient_rows(job, n, x + k * SIDE, term->row + k, half, 3);
            if (term->length - k == 2)
                gradient_rows(job, n, x + k * SIDE, term->row + k, half, 2);
            else if (term->length - k == 1)
                gradient_rows(job, n, x + k * SIDE, term->row + k, half, 1);
        }
        if (job->db != NULL)
            bias_gradient(job, n, half);
    }
}

/* ---- maxima ---- */

INLINE ivec splat_int(int32_t x)
{
    return x - (ivec){0};
}

INLINE ivec choose_int(ivec mask, ivec yes, ivec no)
{
    return (mask & yes) | (~mask & no);
}

/* One window of one quad; `length` 0 = as the job says. */
INLINE void pool_window(const bnre__pool1d *job, size_t w, size_t quad,
                        size_t half, bnre__activation activation,
                        uint32_t length)
{
    const size_t at = quad * QUAD * SIDE + half;
    const float *z = job->z + job->start[w] * job->z_step + at;
    float *y = job->y + w * job->y_step + at;
    const uint32_t end = length == 0 ? job->length[w] : length;
    ivec places = {0};

    UNROLL
    for (int c = 0; c < QUAD; c++) {
        vec best = load(z + c * SIDE);
        ivec place = {0};

        for (uint32_t j = 1; j < end; j++) {
            const vec next = load(z + j * job->z_step + c * SIDE);

            place = choose_int(next > best, splat_int((int32_t)(j << 8 * c)),
                               place);
            best = larger(next, best);
        }
        places |= place;
        store(y + c * SIDE, apply(activation, splat(job->slope), best));
    }
    if (job->place != NULL)
        memcpy(job->place + (w * job->quads + quad) * SIDE + half, &places,
               sizeof places);
}

INLINE void pool_as(const bnre__pool1d *job, size_t first, size_t last,
                    bnre__activation activation)
{
    for (size_t w = first; w < last; w++)
        for (size_t half = 0; half < SIDE; half += LANES)
            for (size_t quad = 0; quad < job->quads; quad++) {
                if (job->length[w] == 3)
                    pool_window(job, w, quad, half, activation, 3);
                else if (job->length[w] == 2)
                    pool_window(job, w, quad, half, activation, 2);
                else
                    pool_window(job, w, quad, half, activation, 0);
            }
}

static void pool_simd(const bnre__pool1d *job, size_t first, size_t last)
{
    switch (job->activation) {
#define X(name)                                                                \
    case name:                                                                 \
        pool_as(job, first, last, name);                                       \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

/* One position of z, one quad; `windows` 0 = as the job says. */
INLINE void unpool_place(const bnre__unpool1d *job, size_t p, size_t quad,
                         size_t half, uint32_t windows)
{
    const size_t at = quad * QUAD * SIDE + half;
    const uint32_t count = windows == 0 ? job->windows[p] : windows;
    vec sums[QUAD] = {{0}};

    for (uint32_t i = 0; i < count; i++) {
        const size_t w = job->first[p] + i;
        const uint32_t j = (uint32_t)p - job->start[w];
        const float *dy = job->dy + w * job->dy_step + at;
        ivec places;

        memcpy(&places, job->place + (w * job->quads + quad) * SIDE + half,
               sizeof places);
        UNROLL
        for (int c = 0; c < QUAD; c++) {
            const ivec mine = (places & splat_int((int32_t)(255u << 8 * c))) ==
                              splat_int((int32_t)(j << 8 * c));

            sums[c] += (vec)(mine & (ivec)load(dy + c * SIDE));
        }
    }
    UNROLL
    for (int c = 0; c < QUAD; c++)
        store(job->dz + p * job->dz_step + at + c * SIDE, sums[c]);
}

static void unpool_simd(const bnre__unpool1d *job, size_t first, size_t last)
{
    for (size_t p = first; p < last; p++)
        for (size_t half = 0; half < SIDE; half += LANES)
            for (size_t quad = 0; quad < job->quads; quad++) {
                if (job->windows[p] == 3)
                    unpool_place(job, p, quad, half, 3);
                else if (job->windows[p] == 2)
                    unpool_place(job, p, quad, half, 2);
                else if (job->windows[p] == 1)
                    unpool_place(job, p, quad, half, 1);
                else
                    unpool_place(job, p, quad, half, 0);
            }
}

/* ---- rows to columns ---- */

#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* The square of LANES by LANES values in v, turned. */
INLINE void turn_square(vec v[LANES])
{
#if BNRE_LANES == 8
    vec t[8];

    UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = SHUFFLE(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = SHUFFLE(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    UNROLL
    for (int i = 0; i < 8; i += 4) {
        UNROLL
        for (int j = 0; j < 2; j++) {
            v[i + 2 * j] =
                SHUFFLE(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            v[i + 2 * j + 1] =
                SHUFFLE(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = SHUFFLE(v[i], v[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[i + 4] = SHUFFLE(v[i], v[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    memcpy(v, t, sizeof t);
#else
    const vec a = SHUFFLE(v[0], v[1], 0, 4, 1, 5);
    const vec b = SHUFFLE(v[0], v[1], 2, 6, 3, 7);
    const vec c = SHUFFLE(v[2], v[3], 0, 4, 1, 5);
    const vec d = SHUFFLE(v[2], v[3], 2, 6, 3, 7);

    v[0] = SHUFFLE(a, c, 0, 1, 4, 5);
    v[1] = SHUFFLE(a, c, 2, 3, 6, 7);
    v[2] = SHUFFLE(b, d, 0, 1, 4, 5);
    v[3] = SHUFFLE(b, d, 2, 3, 6, 7);
#endif
}

static void turn_simd(const bnre__turn1d *job)
{
    for (size_t half = 0; half < SIDE; half += LANES)
        for (size_t i = 0; i < BNRE__TURN; i += LANES) {
            vec v[LANES];

            UNROLL
            for (int s = 0; s < LANES; s++)
                v[s] = load(job->row[half + (size_t)s] + i);
            turn_square(v);
            UNROLL
            for (int k = 0; k < LANES; k++) {
                const size_t at = i + (size_t)k;

                if (job->shift != NULL)
                    v[k] =
                        (v[k] - splat(job->shift[at])) * splat(job->factor[at]);
                store(job->y + job->to[at] + half, v[k]);
            }
        }
}

/* ---- single values ---- */

static void derive_simd(bnre__activation activation, float slope, size_t n,
                        const float *y, float *d)
{
    switch (activation) {
#define X(name)                                                                \
    case name:                                                                 \
        for (size_t i = 0; i < n; i += LANES)                                  \
            store(d + i,                                                       \
                  load(d + i) * derivative(name, splat(slope), load(y + i)));  \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

/* The normal distribution function: erfc(z) = t exp(-z^2 + p(t)) with t = 1 /
   (1 + z / 2), a fit with relative errors below 1.2e-7 for all z >= 0. */
INLINE vec normal_vec(vec x)
{
    const vec z = larger(x, -x) * splat(0.70710678118654752440f);
    const vec t = splat(1) / (splat(1) + splat(0.5f) * z);
    vec p = splat(0.17087277f);
    vec tail;

    p = p * t + splat(-0.82215223f);
    p = p * t + splat(1.48851587f);
    p = p * t + splat(-1.13520398f);
    p = p * t + splat(0.27886807f);
    p = p * t + splat(-0.18628806f);
    p = p * t + splat(0.09678418f);
    p = p * t + splat(0.37409196f);
    p = p * t + splat(1.00002368f);
    p = p * t + splat(-1.26551223f);
    tail = splat(0.5f) * t * exp_vec(p - z * z);
    return choose(x > splat(0), splat(1) - tail, tail);
}

static void gelu_simd(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i += LANES) {
        const vec v = load(x + i);

        store(y + i, v * normal_vec(v));
    }
}

static void gelu_back_simd(size_t n, const float *x, float *d)
{
    for (size_t i = 0; i < n; i += LANES) {
        const vec v = load(x + i);
        const vec density =
            splat(0.39894228040143267794f) * exp_vec(splat(-0.5f) * v * v);

        store(d + i, load(d + i) * (normal_vec(v) + v * density));
    }
}

const bnre__conv1d_kernels BNRE_IN_SET(bnre__conv1d) = {
    .conv = conv_simd,
    .gradient = gradient_simd,
    .pool = pool_simd,
    .unpool = unpool_simd,
    .turn = turn_simd,
    .derive = derive_simd,
    .gelu = gelu_simd,
    .gelu_back = gelu_back_simd,
};
