/* conv1d_simd.c - the kernels of conv1d.h in the compiler's vector types.

   A register tile is three positions by one quad of channels: twelve sums,
   three values and a broadcast weight make the sixteen registers of AVX2. With
   vectors of four the eight observations are done in two halves. */
#include "num/conv1d.h"

#include "num/simd.h"

enum { SIDE = BNRE__SIDE, QUAD = BNRE__QUAD, COUNT = BNRE__TILE1D };

/* ---- sums of products, forward and back ---- */

/* Where the results of a tile's positions go, and what is known there. */
struct places {
    float *y[COUNT];
    const float *known[COUNT];
};

INLINE void start_sums(const float *bias, vec sums[COUNT][QUAD], int count)
{
    UNROLL
    for (int o = 0; o < QUAD; o++) {
        const vec first = bias == NULL ? (vec){0} : splat(bias[o]);

        UNROLL
        for (int i = 0; i < count; i++)
            sums[i][o] = first;
    }
}

INLINE void add_products(size_t n, const float *w, const float *const x[COUNT],
                         vec sums[COUNT][QUAD], int count)
{
    for (size_t k = 0; k < n; k++) {
        vec value[COUNT];

        UNROLL
        for (int i = 0; i < count; i++)
            value[i] = load(x[i] + k * SIDE);
        UNROLL
        for (int o = 0; o < QUAD; o++) {
            const vec weight = splat(w[k * QUAD + (size_t)o]);

            UNROLL
            for (int i = 0; i < count; i++)
                sums[i][o] += value[i] * weight;
        }
    }
}

INLINE void finish_sums(const struct places *to, size_t at, vec slope,
                        vec sums[COUNT][QUAD], bnre__activation activation,
                        int backward, int count)
{
    UNROLL
    for (int i = 0; i < count; i++) {
        UNROLL
        for (int o = 0; o < QUAD; o++) {
            const size_t here = at + (size_t)(o * SIDE);
            vec v = sums[i][o];

            if (backward)
                v *= derivative(activation, slope, load(to->known[i] + here));
            else
                v = apply(activation, slope, v);
            store(to->y[i] + here, v);
        }
    }
}

/* All quads of one tile. */
INLINE void conv_tile(const bnre__conv1d *job, const bnre__tile1d *tile,
                      size_t half, bnre__activation activation, int backward,
                      int count)
{
    const uint32_t *list = job->list + tile->at;
    const size_t rows = job->rows, quads = job->quads;
    const float *w = job->w, *bias = job->bias, *x[COUNT];
    const vec slope = splat(job->slope);
    struct places to;

    UNROLL
    for (int i = 0; i < count; i++) {
        to.y[i] = job->y + list[i] + half;
        if (backward)
            to.known[i] = job->derivative + list[i] + half;
    }
    list += count;
    for (size_t quad = 0; quad < quads; quad++) {
        const uint32_t *term = list;
        vec sums[COUNT][QUAD];

        start_sums(bias == NULL ? NULL : bias + quad * QUAD, sums, count);
        for (size_t t = 0; t < tile->terms; t++, term += 2 + count) {
            UNROLL
            for (int i = 0; i < count; i++)
                x[i] = job->x + term[2 + i] + half;
            add_products(term[1], w + (quad * rows + term[0]) * QUAD, x, sums,
                         count);
        }
        finish_sums(&to, quad * QUAD * SIDE, slope, sums, activation, backward,
                    count);
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
        for (size_t half = 0; half < SIDE; half += LANES) {
            if (tile->count == 3)
                conv_tile(job, tile, half, activation, backward, 3);
            else if (tile->count == 2)
                conv_tile(job, tile, half, activation, backward, 2);
            else
                conv_tile(job, tile, half, activation, backward, 1);
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

/* Up to three rows: their values at the first position, and their sums. */
struct rows {
    const float *x[COUNT];
    float *dw[COUNT];
};

/* One quad of `count` rows, over n positions. */
INLINE void gradient_tile(const bnre__gradient1d *job, size_t n,
                          const struct rows *rows, size_t quad, size_t half,
                          int count)
{
    const size_t at = quad * job->rows * QUAD * SIDE;
    const size_t x_step = job->x_step, dz_step = job->dz_step;
    const float *dz = job->dz + quad * QUAD * SIDE + half;
    const float *x[COUNT];
    vec sums[COUNT][QUAD];

    UNROLL
    for (int r = 0; r < count; r++) {
        x[r] = rows->x[r];
        UNROLL
        for (int o = 0; o < QUAD; o++)
            sums[r][o] = load(rows->dw[r] + at + o * SIDE);
    }
    for (size_t p = 0; p < n; p++, dz += dz_step) {
        vec value[COUNT];

        UNROLL
        for (int r = 0; r < count; r++) {
            value[r] = load(x[r]);
            x[r] += x_step;
        }
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
            store(rows->dw[r] + at + o * SIDE, sums[r][o]);
    }
}

/* The next rows from row k of term t on; how many. */
INLINE int next_rows(const bnre__gradient1d *job, size_t half, size_t *t,
                     size_t *k, struct rows *rows)
{
    int count = 0;

    while (count < COUNT && *t < job->terms) {
        const bnre__term1d *term = &job->term[*t];

        rows->x[count] = job->x + term->from + *k * SIDE + half;
        rows->dw[count++] = job->dw + (term->row + *k) * QUAD * SIDE + half;
        if (++*k == term->length) {
            *k = 0;
            ++*t;
        }
    }
    return count;
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

/* All quads of some rows: their values stay in the first cache. */
static void gradient_simd(const bnre__gradient1d *job, size_t n)
{
    for (size_t half = 0; half < SIDE; half += LANES) {
        size_t t = 0, k = 0;
        struct rows rows;
        int count;

        while ((count = next_rows(job, half, &t, &k, &rows)) > 0)
            for (size_t quad = 0; quad < job->quads; quad++) {
                if (count == 3)
                    gradient_tile(job, n, &rows, quad, half, 3);
                else if (count == 2)
                    gradient_tile(job, n, &rows, quad, half, 2);
                else
                    gradient_tile(job, n, &rows, quad, half, 1);
            }
        if (job->db != NULL)
            bias_gradient(job, n, half);
    }
}

/* ---- maxima ---- */

typedef int8_t bvec __attribute__((vector_size(4 * BNRE_LANES)));

/* Minus the place of the maximum so far, after value j was compared: -j where
   it is larger. Masks are -1. */
INLINE ivec next_place(ivec place, ivec larger_here, uint32_t j)
{
    if (j == 1)
        return larger_here;
    if (j == 2)
        return (place | larger_here) + larger_here;
    return (larger_here & (-(int32_t)j - (ivec){0})) | (~larger_here & place);
}

/* One window of one quad; `length` 0 = as the job says. */
INLINE void pool_window(const bnre__pool1d *job, size_t w, size_t quad,
                        size_t half, uint32_t length)
{
    const size_t at = quad * QUAD * SIDE + half, z_step = job->z_step;
    const float *z = job->z + job->start[w] * z_step + at;
    float *y = job->y + w * job->y_step + at;
    const uint32_t end = length == 0 ? job->length[w] : length;
    uvec places = {0};

    UNROLL
    for (int c = QUAD - 1; c >= 0; c--) {
        vec best = load(z + c * SIDE);
        ivec place = {0};

        for (uint32_t j = 1; j < end; j++) {
            const vec next = load(z + j * z_step + c * SIDE);

            place = next_place(place, next > best, j);
            best = larger(next, best);
        }
        places = (places << 8) + (uvec)place;
        store(y + c * SIDE, best);
    }
    places = -places;
    if (job->place != NULL)
        memcpy(job->place + (w * job->quads + quad) * SIDE + half, &places,
               sizeof places);
}

/* The activation of maxima, on its own: longer loops are faster here. */
INLINE void activate_as(const bnre__pool1d *job, size_t first, size_t last,
                        bnre__activation activation)
{
    const vec slope = splat(job->slope);
    const size_t n = job->quads * QUAD * SIDE, y_step = job->y_step;
    float *y = job->y;

    for (size_t w = first; w < last; w++)
        for (size_t i = w * y_step; i < w * y_step + n; i += LANES)
            store(y + i, apply(activation, slope, load(y + i)));
}

static void pool_simd(const bnre__pool1d *job, size_t first, size_t last)
{
    for (size_t w = first; w < last; w++)
        for (size_t half = 0; half < SIDE; half += LANES)
            for (size_t quad = 0; quad < job->quads; quad++) {
                if (job->length[w] == 3)
                    pool_window(job, w, quad, half, 3);
                else if (job->length[w] == 2)
                    pool_window(job, w, quad, half, 2);
                else
                    pool_window(job, w, quad, half, 0);
            }
    switch (job->activation) {
    case BNRE__IDENTITY:
        break;
#define X(name)                                                                \
    case name:                                                                 \
        activate_as(job, first, last, name);                                   \
        break;
        X(BNRE__SELU)
        X(BNRE__ELU) X(BNRE__RELU) X(BNRE__LEAKY_RELU) X(BNRE__TANH)
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
        const float *dy = job->dy + w * job->dy_step + at;
        const int8_t j = (int8_t)(p - job->start[w]);
        bvec places;
        uvec mine;

        memcpy(&places, job->place + (w * job->quads + quad) * SIDE + half,
               sizeof places);
        mine = (uvec)(places == j - (bvec){0});
        UNROLL
        for (int c = 0; c < QUAD; c++) /* byte c over all of the value */
            sums[c] += (vec)(((ivec)(mine << (24 - 8 * c)) >> 31) &
                             (ivec)load(dy + c * SIDE));
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
