/* conv2d_simd.c - kernels of networks on pictures, in vector types. */
#include "num/conv2d.h"
#include "num/simd.h"
#include "num/winograd.h"

/* to = matrix from (outs by ins), or its transpose. Gathered first: results may
   go where inputs came from. */
#define COMBINE(name, matrix, outs, ins, row, column)                          \
    static void name(const bnre__combination *c)                               \
    {                                                                          \
        const float *from[ins];                                                \
        float *to[outs];                                                       \
                                                                               \
        UNROLL                                                                 \
        for (int k = 0; k < ins; k++)                                          \
            from[k] = c->from[k];                                              \
        UNROLL                                                                 \
        for (int o = 0; o < outs; o++)                                         \
            to[o] = c->to[o];                                                  \
        for (size_t i = 0; i < c->n; i += LANES) {                             \
            vec x[ins];                                                        \
                                                                               \
            UNROLL                                                             \
            for (int k = 0; k < ins; k++)                                      \
                x[k] = load(from[k] + i);                                      \
            UNROLL                                                             \
            for (int o = 0; o < outs; o++) {                                   \
                vec sum = c->add ? load(to[o] + i) : (vec){0};                 \
                                                                               \
                UNROLL                                                         \
                for (int k = 0; k < ins; k++) {                                \
                    const float factor = matrix[row][column];                  \
                                                                               \
                    if (factor != 0)                                           \
                        sum += splat(factor) * x[k];                           \
                }                                                              \
                store(to[o] + i, sum);                                         \
            }                                                                  \
        }                                                                      \
    }

#define BOTH(name, matrix, rows, columns)                                      \
    COMBINE(name, matrix, rows, columns, o, k)                                 \
    COMBINE(name##_back, matrix, columns, rows, k, o)

BOTH(input_1, bnre__input_1, 3, 2)
BOTH(input_2, bnre__input_2, 4, 4)
BOTH(input_3, bnre__input_3, 5, 5)
BOTH(input_4, bnre__input_4, 6, 6)
BOTH(input_5, bnre__input_5, 7, 7)
BOTH(output_1, bnre__output_1, 2, 3)
BOTH(output_2, bnre__output_2, 2, 4)
BOTH(output_3, bnre__output_3, 3, 5)
BOTH(output_4, bnre__output_4, 4, 6)
BOTH(output_5, bnre__output_5, 5, 7)
BOTH(weights_1, bnre__weights_1, 3, 3)
BOTH(weights_2, bnre__weights, 4, 3)
BOTH(weights_3, bnre__weights, 5, 3)
BOTH(weights_4, bnre__weights, 6, 3)
BOTH(weights_5, bnre__weights, 7, 3)

#define CHOOSE(side)                                                           \
    static void side(const bnre__combination *c)                               \
    {                                                                          \
        switch (c->kind + 8 * !!c->back) {                                     \
            EACH(side, 1)                                                      \
            EACH(side, 2)                                                      \
            EACH(side, 3)                                                      \
            EACH(side, 4)                                                      \
            EACH(side, 5)                                                      \
        default:                                                               \
            break;                                                             \
        }                                                                      \
    }

#define EACH(side, kind)                                                       \
    case kind:                                                                 \
        side##_##kind(c);                                                      \
        break;                                                                 \
    case kind + 8:                                                             \
        side##_##kind##_back(c);                                               \
        break;

CHOOSE(input)
CHOOSE(output)
CHOOSE(weights)

static void combine(const bnre__combination *c)
{
    if (c->side == BNRE__INPUT)
        input(c);
    else if (c->side == BNRE__OUTPUT)
        output(c);
    else
        weights(c);
}

enum {
    /* The register tile, as in kernels_simd.c. */
    HEIGHT = LANES >= 8 ? 6 : 2,
    WIDE = LANES >= 16 ? 4 : 1,
    COLUMNS = WIDE * VECTORS,
    /* Values of a row that are summed before the next panel: their weights stay
       in the first cache, while the rows of a block stay in the second. */
    DEPTH = 256,
    BLOCK = 30 * HEIGHT
};

/* ---- sums of products ---- */

INLINE void multiply(size_t count, const float *a, size_t a_row, const float *w,
                     size_t w_panel, int height, int wide,
                     vec sums[HEIGHT][COLUMNS])
{
    for (size_t k = 0; k < count; k++) {
        vec row[COLUMNS];

        load_panels(w + k * PANEL, w_panel, wide, row);
        UNROLL
        for (int r = 0; r < height; r++) {
            const vec x = splat(a[(size_t)r * a_row + k]);

            UNROLL
            for (int c = 0; c < wide * VECTORS; c++)
                sums[r][c] += x * row[c];
        }
    }
}

/* Some terms of `height` rows of `wide` panels, added to y or to the bias. */
INLINE void sum_tile(const bnre__sum *s, size_t first, size_t last, size_t row,
                     size_t panel, size_t a_row, int height, int wide)
{
    const float *a = s->a + row * a_row, *w = s->w + panel * s->w_panel;
    float *y = s->y + panel * s->y_panel + row * PANEL;
    const int add = first > 0 || s->add;
    vec sums[HEIGHT][COLUMNS];

    UNROLL
    for (int r = 0; r < height; r++) {
        if (add) {
            load_panels(y + r * PANEL, s->y_panel, wide, sums[r]);
        } else if (s->bias != NULL) {
            load_panels(s->bias + panel * PANEL, PANEL, wide, sums[r]);
        } else {
            UNROLL
            for (int c = 0; c < wide * VECTORS; c++)
                sums[r][c] = (vec){0};
        }
    }
    for (size_t t = first; t < last; t++) {
        const bnre__term *term = &s->term[t];

        multiply(term->count, a + term->a, a_row, w + term->w, s->w_panel,
                 height, wide, sums);
    }
    UNROLL
    for (int r = 0; r < height; r++) {
        UNROLL
        for (int c = 0; c < wide * VECTORS; c++)
            store(y + (size_t)(c / VECTORS) * s->y_panel + r * PANEL +
                      c % VECTORS * LANES,
                  sums[r][c]);
    }
}

INLINE void sum_rows(const bnre__sum *s, size_t first, size_t last, size_t row,
                     size_t end, size_t panel, size_t a_row, int wide)
{
    for (; row + HEIGHT <= end; row += HEIGHT)
        sum_tile(s, first, last, row, panel, a_row, HEIGHT, wide);
    switch (end - row) {
#define REST(count)                                                            \
    case count:                                                                \
        if (count < HEIGHT)                                                    \
            sum_tile(s, first, last, row, panel, a_row, count, wide);          \
        break;
        REST(1)
        REST(2)
        REST(3)
        REST(4)
        REST(5)
#undef REST
    default:
        break;
    }
}

/* All panels of some rows. */
INLINE void sum_panels(const bnre__sum *s, size_t first, size_t last,
                       size_t row, size_t end, size_t a_row)
{
    size_t panel = 0;

    for (; panel + WIDE <= s->panels; panel += WIDE)
        sum_rows(s, first, last, row, end, panel, a_row, WIDE);
    if (WIDE > 2 && panel + 2 <= s->panels) {
        sum_rows(s, first, last, row, end, panel, a_row, 2);
        panel += 2;
    }
    if (WIDE > 1 && panel < s->panels)
        sum_rows(s, first, last, row, end, panel, a_row, 1);
}

/* Two copies: rows of a panel follow each other in constant steps. */
static void sum_block(const bnre__sum *s, size_t first, size_t last, size_t row,
                      size_t end)
{
    if (s->a_row == PANEL)
        sum_panels(s, first, last, row, end, PANEL);
    else
        sum_panels(s, first, last, row, end, s->a_row);
}

static void sum_simd(const bnre__sum *s)
{
    for (size_t row = 0; row < s->rows; row += BLOCK) {
        const size_t end = s->rows - row < BLOCK ? s->rows : row + BLOCK;
        size_t first = 0;

        do {
            size_t last = first, depth = 0;

            while (last < s->terms && depth < DEPTH)
                depth += s->term[last++].count;
            sum_block(s, first, last, row, end);
            first = last;
        } while (first < s->terms);
    }
}

/* ---- gradients of weights ---- */

/* Inputs of a tile: with long vectors a panel of them, each with one sum. */
enum { TALL = LANES >= 16 ? PANEL : HEIGHT };

INLINE void outer_tile(const bnre__outer *job, const float *a, size_t a_row,
                       float *dw, int height)
{
    vec sums[TALL][VECTORS];

    UNROLL
    for (int r = 0; r < height; r++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            sums[r][v] = job->add ? load(dw + r * PANEL + v * LANES) : (vec){0};
    }
    for (size_t i = 0; i < job->rows; i++) {
        vec row[VECTORS];

        UNROLL
        for (int v = 0; v < VECTORS; v++)
            row[v] = load(job->dy + i * PANEL + v * LANES);
        UNROLL
        for (int r = 0; r < height; r++) {
            const vec x = splat(a[i * a_row + (size_t)r]);

            UNROLL
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] += x * row[v];
        }
    }
    UNROLL
    for (int r = 0; r < height; r++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            store(dw + r * PANEL + v * LANES, sums[r][v]);
    }
}

INLINE void outer_as(const bnre__outer *job, size_t a_row)
{
    for (size_t k = 0; k < job->inputs; k += PANEL) {
        const float *a = job->a + k / PANEL * job->a_panel;
        const size_t end =
            job->inputs - k < PANEL ? job->inputs - k : (size_t)PANEL;
        float *dw = job->dw + k * PANEL;
        size_t j = 0;

        for (; j + TALL <= end; j += TALL)
            outer_tile(job, a + j, a_row, dw + j * PANEL, TALL);
        if (TALL > 8 && j + 8 <= end) {
            outer_tile(job, a + j, a_row, dw + j * PANEL, 8);
            j += 8;
        }
        if (TALL > 4 && j + 4 <= end) {
            outer_tile(job, a + j, a_row, dw + j * PANEL, 4);
            j += 4;
        }
        if (TALL > 2 && j + 2 <= end) {
            outer_tile(job, a + j, a_row, dw + j * PANEL, 2);
            j += 2;
        }
        if (j < end)
            outer_tile(job, a + j, a_row, dw + j * PANEL, 1);
    }
}

static void outer_simd(const bnre__outer *job)
{
    if (job->a_row == PANEL)
        outer_as(job, PANEL);
    else
        outer_as(job, job->a_row);
}

/* ---- single values ---- */

INLINE void point_as(const bnre__point *p, bnre__activation activation)
{
    const vec slope = splat(p->slope);

    for (int v = 0; v < VECTORS; v++) {
        const int at = v * LANES;
        const vec mean = load(p->mean[0] + at), scale = load(p->scale[0] + at);
        const vec shift = load(p->shift + at);

        if (p->b == NULL) {
            for (size_t i = 0; i < p->rows; i++) {
                const size_t here = i * PANEL + (size_t)at;
                vec y = (load(p->a + here) - mean) * scale + shift;

                store(p->y + here, apply(activation, slope, y));
            }
        } else {
            const vec mean_b = load(p->mean[1] + at);
            const vec scale_b = load(p->scale[1] + at);

            for (size_t i = 0; i < p->rows; i++) {
                const size_t here = i * PANEL + (size_t)at;
                vec y = (load(p->a + here) - mean) * scale + shift;

                y += (load(p->b + here) - mean_b) * scale_b;
                store(p->y + here, apply(activation, slope, y));
            }
        }
    }
}

static void point_simd(const bnre__point *p)
{
    switch (p->activation) {
#define X(name)                                                                \
    case name:                                                                 \
        point_as(p, name);                                                     \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

/* Half a vector of floats as a vector of doubles. */
enum { HALF = LANES / 2 };
typedef float half __attribute__((vector_size(4 * BNRE_LANES / 2)));
typedef double dvec __attribute__((vector_size(8 * BNRE_LANES / 2)));

INLINE dvec widen(const float *p)
{
    half h;

    memcpy(&h, p, sizeof h);
    return __builtin_convertvector(h, dvec);
}

INLINE void store_wide(double *p, dvec v)
{
    memcpy(p, &v, sizeof v);
}

INLINE void back_as(const bnre__point_back *p, bnre__activation activation)
{
    const vec slope = splat(p->slope);

    for (size_t i = 0; i < p->rows * PANEL; i += LANES)
        store(p->dy + i,
              load(p->dy + i) * derivative(activation, slope, load(p->y + i)));
}

/* Sums of g, and of g times the distance of x from the mean. */
INLINE void sums_of(size_t rows, const float *g, const float *x,
                    const float *mean, double *sum, double *with)
{
    for (int v = 0; v < PANEL; v += HALF) {
        const dvec centre = widen(mean + v);
        dvec total = {0}, product = {0};

        for (size_t i = 0; i < rows; i++) {
            const dvec here = widen(g + i * PANEL + v);

            total += here;
            product += here * (widen(x + i * PANEL + v) - centre);
        }
        store_wide(sum + v, total);
        store_wide(with + v, product);
    }
}

static void point_back_simd(const bnre__point_back *p)
{
    const float *const x[2] = {p->a, p->b};

    switch (p->activation) {
    case BNRE__IDENTITY:
        break;
#define X(name)                                                                \
    case name:                                                                 \
        back_as(p, name);                                                      \
        break;
        X(BNRE__SELU)
        X(BNRE__ELU) X(BNRE__RELU) X(BNRE__LEAKY_RELU) X(BNRE__TANH)
#undef X
    }
    for (int t = 0; t < 2; t++)
        if (x[t] != NULL)
            sums_of(p->rows, p->dy, x[t], p->mean[t], p->sum, p->with[t]);
}

static void line_back_simd(const bnre__line_back *p)
{
    for (int v = 0; v < VECTORS; v++) {
        const int at = v * LANES;
        const vec scale = load(p->scale + at), level = load(p->at_mean + at);
        const vec slope = load(p->slope + at), mean = load(p->mean + at);

        for (size_t i = 0; i < p->rows; i++) {
            const size_t here = i * PANEL + (size_t)at;
            vec d = load(p->g + here) * scale + level +
                    (load(p->x + here) - mean) * slope;

            if (p->add)
                d += load(p->dx + here);
            store(p->dx + here, d);
        }
    }
}

static void moments_simd(size_t rows, const float *x, double mean[16],
                         double squares[16])
{
    for (int v = 0; v < PANEL; v += HALF) {
        /* Relative to the first row, whose size may be far from the spread. */
        const dvec base = widen(x + v);
        dvec sum = {0}, square = {0};

        for (size_t i = 0; i < rows; i++) {
            const dvec d = widen(x + i * PANEL + v) - base;

            sum += d;
            square += d * d;
        }
        sum /= (double)rows;
        store_wide(squares + v, square - sum * sum * (double)rows);
        store_wide(mean + v, base + sum);
    }
    for (int v = 0; v < PANEL; v++)
        squares[v] = squares[v] > 0 ? squares[v] : 0;
}

/* ---- maxima ---- */

static void largest_simd(size_t n, size_t count, const float *const *x,
                         float *y, float *place)
{
    for (size_t i = 0; i < n; i += LANES) {
        vec best = load(x[0] + i), where = {0};

        for (size_t k = 1; k < count; k++) {
            const vec next = load(x[k] + i);

            where = choose(next > best, splat((float)k), where);
            best = larger(next, best);
        }
        store(y + i, best);
        if (place != NULL)
            store(place + i, where);
    }
}

static void largest_back_simd(size_t n, size_t count, const float *const *place,
                              const float *which, const float *const *dy,
                              int add, float *dx)
{
    for (size_t i = 0; i < n; i += LANES) {
        vec sum = add ? load(dx + i) : (vec){0};

        for (size_t k = 0; k < count; k++)
            sum += choose(load(place[k] + i) == splat(which[k]),
                          load(dy[k] + i), (vec){0});
        store(dx + i, sum);
    }
}

/* ---- turning ---- */

static void turn_simd(size_t columns, const float *from, size_t from_row,
                      const size_t *place, float *to)
{
    for (size_t j = 0; j < columns; j += LANES)
        for (size_t i = 0; i < PANEL; i += LANES) {
            vec x[LANES];

            UNROLL
            for (size_t k = 0; k < LANES; k++)
                x[k] = load(from + (i + k) * from_row + j);
            turn_square(x);
            UNROLL
            for (size_t k = 0; k < LANES; k++)
                store(to + place[j + k] + i, x[k]);
        }
}

static void turn_back_simd(size_t columns, const float *from,
                           const size_t *place, float *to, size_t to_row)
{
    for (size_t j = 0; j < columns; j += LANES)
        for (size_t i = 0; i < PANEL; i += LANES) {
            vec x[LANES];

            UNROLL
            for (size_t k = 0; k < LANES; k++)
                x[k] = load(from + place[j + k] + i);
            turn_square(x);
            UNROLL
            for (size_t k = 0; k < LANES; k++)
                store(to + (i + k) * to_row + j, x[k]);
        }
}

const bnre__conv2d_kernels BNRE_IN_SET(bnre__conv2d) = {
    .sum = sum_simd,
    .outer = outer_simd,
    .point = point_simd,
    .point_back = point_back_simd,
    .line_back = line_back_simd,
    .moments = moments_simd,
    .largest = largest_simd,
    .largest_back = largest_back_simd,
    .combine = combine,
    .turn = turn_simd,
    .turn_back = turn_back_simd,
};
