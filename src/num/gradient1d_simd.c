/* gradient1d_simd.c - gradients of weights of 1-D convolutions, and functions of
   single values, of conv1d.h.

   A tile of gradients is some rows by one quad of channels: with three rows
   twelve sums, with the 32 registers of AVX-512 six rows and 24 sums. */
#include "num/gradient1d.h"

enum {
    QUAD = BNRE__QUAD,
    COUNT = LANES >= 16 ? 6 : 3 /* rows at a time */
};

/* ---- gradients of weights ---- */

/* Some rows: their values at the first position, and their sums. */
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

/* As many rows as there are, up to COUNT. */
INLINE void gradient_rows(const bnre__gradient1d *job, size_t n,
                          const struct rows *rows, size_t quad, size_t half,
                          int count)
{
    switch (count) {
#define REST(height)                                                           \
    case height:                                                               \
        if (height <= COUNT)                                                   \
            gradient_tile(job, n, rows, quad, half, height);                   \
        break;
        REST(1)
        REST(2)
        REST(3)
        REST(4)
        REST(5)
        REST(6)
#undef REST
    default:
        break;
    }
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
void BNRE_IN_SET(bnre__gradient1d)(const bnre__gradient1d *job, size_t n)
{
    for (size_t half = 0; half < SIDE; half += LANES) {
        size_t t = 0, k = 0;
        struct rows rows;
        int count;

        while ((count = next_rows(job, half, &t, &k, &rows)) > 0)
            for (size_t quad = 0; quad < job->quads; quad++)
                gradient_rows(job, n, &rows, quad, half, count);
        if (job->db != NULL)
            bias_gradient(job, n, half);
    }
}

/* ---- single values ---- */

void BNRE_IN_SET(bnre__derive1d)(bnre__activation activation, float slope,
                                 size_t n, const float *y, float *d)
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

/* The density, and the derivative of x Phi(x) with it. */
INLINE vec gelu_slope(vec v, vec normal)
{
    const vec density =
        splat(0.39894228040143267794f) * exp_vec(splat(-0.5f) * v * v);

    return normal + v * density;
}

void BNRE_IN_SET(bnre__gelu1d)(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i += LANES) {
        const vec v = load(x + i);

        store(y + i, v * normal_vec(v));
    }
}

void BNRE_IN_SET(bnre__gelu_back1d)(size_t n, const float *x, float *d)
{
    for (size_t i = 0; i < n; i += LANES) {
        const vec v = load(x + i);

        store(d + i, load(d + i) * gelu_slope(v, normal_vec(v)));
    }
}

void BNRE_IN_SET(bnre__gelu_both1d)(size_t n, float *x, float *y)
{
    for (size_t i = 0; i < n; i += LANES) {
        const vec v = load(x + i), normal = normal_vec(v);

        store(y + i, v * normal);
        store(x + i, gelu_slope(v, normal));
    }
}
