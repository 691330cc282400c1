/* conv1d_simd.c - the kernels of conv1d.h in the compiler's vector types.

   A register tile is three positions by one quad of channels: twelve sums,
   three values and a broadcast weight make the sixteen registers of AVX2. With
   vectors of four the eight observations are done in two halves; with vectors
   of sixteen, sixteen observations lie side by side. Gradients of weights are in
   gradient1d_simd.c. */
#include "num/gradient1d.h"

enum { QUAD = BNRE__QUAD, COUNT = BNRE__TILE1D };

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

/* ---- maxima ---- */

#if BNRE_LANES < 16
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
#endif

/* The places of the four channels, byte by byte: the place of channel c becomes
   j where value j is larger. */
INLINE uvec note_place(uvec places, vec next, vec best, uint32_t j, int c)
{
#if BNRE_LANES == 16
    /* places with byte c cleared, and j there: (a & ~b) | c in one go. */
    return (uvec)_mm512_mask_ternarylogic_epi32(
        (__m512i)places,
        _mm512_cmp_ps_mask((__m512)next, (__m512)best, _CMP_GT_OQ),
        _mm512_set1_epi32((int)(255u << 8 * c)),
        _mm512_set1_epi32((int)(j << 8 * c)), 0xba);
#else
    (void)c;
    return (uvec)next_place((ivec)places, next > best, j);
#endif
}

/* One window of one quad; `length` 0 = as the job says. */
INLINE void pool_window(const bnre__pool1d *job, size_t w, size_t quad,
                        size_t half, uint32_t length)
{
    const size_t at = quad * QUAD * SIDE + half, z_step = job->z_step;
    const float *z = job->z + job->start[w] * z_step + at;
    float *y = job->y + w * job->y_step + at;
    const uint32_t end = length == 0 ? job->length[w] : length;
    const int together = LANES >= 16; /* no minus, no byte by itself */
    uvec places = {0};

    UNROLL
    for (int c = QUAD - 1; c >= 0; c--) {
        vec best = load(z + c * SIDE);
        uvec place = together ? places : (uvec){0};

        for (uint32_t j = 1; j < end; j++) {
            const vec next = load(z + j * z_step + c * SIDE);

            place = note_place(place, next, best, j, c);
            best = larger(next, best);
        }
        places = together ? place : (places << 8) + place;
        store(y + c * SIDE, best);
    }
    places = together ? places : -places;
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

/* Add dy of the channels whose place is j. */
INLINE void add_mine(const uint32_t *place, uint32_t j, const float *dy,
                     vec sums[QUAD])
{
#if BNRE_LANES == 16
    const __m512i other = _mm512_xor_si512(
        _mm512_loadu_si512(place), _mm512_set1_epi32((int)(j * 0x01010101u)));

    UNROLL
    for (int c = 0; c < QUAD; c++)
        sums[c] = (vec)_mm512_mask_add_ps(
            (__m512)sums[c],
            _mm512_testn_epi32_mask(other,
                                    _mm512_set1_epi32((int)(255u << 8 * c))),
            (__m512)sums[c], _mm512_loadu_ps(dy + c * SIDE));
#else
    bvec places;
    uvec mine;

    memcpy(&places, place, sizeof places);
    mine = (uvec)(places == (int8_t)j - (bvec){0});
    UNROLL
    for (int c = 0; c < QUAD; c++) /* byte c over all of the value */
        sums[c] += (vec)(((ivec)(mine << (24 - 8 * c)) >> 31) &
                         (ivec)load(dy + c * SIDE));
#endif
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
        const uint32_t *place =
            job->place + (w * job->quads + quad) * SIDE + half;

        add_mine(place, (uint32_t)(p - job->start[w]), dy, sums);
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

const bnre__conv1d_kernels BNRE_IN_SET(bnre__conv1d) = {
    .side = SIDE,
    .conv = conv_simd,
    .gradient = BNRE_IN_SET(bnre__gradient1d),
    .pool = pool_simd,
    .unpool = unpool_simd,
    .turn = turn_simd,
    .derive = BNRE_IN_SET(bnre__derive1d),
    .gelu = BNRE_IN_SET(bnre__gelu1d),
    .gelu_back = BNRE_IN_SET(bnre__gelu_back1d),
    .gelu_both = BNRE_IN_SET(bnre__gelu_both1d),
};
