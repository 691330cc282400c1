/* kernels_simd.c - the kernels in the compiler's vector types.

   Built once for each instruction set, with flags of its own. A register tile
   is HEIGHT rows by WIDE panels. With vectors of eight, six rows of one panel
   make twelve sums, two vectors of weights and one broadcast input: the sixteen
   registers of AVX2; with vectors of four, two rows fit. The 32 registers of
   AVX-512 take six rows of four panels.

   Each sum is made in the same order and of the same operations in all sets
   with fused multiply-adds: their results are equal to the last bit. */
#include "num/simd.h"

#include "num/checksum.h"
#include "num/conv1d.h"
#include "num/conv2d.h"
#include "num/kernel_sets.h"
#include "num/logistic.h"
#include "num/random.h"

enum {
    TILE = BNRE__TILE,
    HEIGHT = LANES >= 8 ? TILE : 2, /* divides TILE */
    WIDE = LANES >= 16 ? 4 : 1,
    COLUMNS = WIDE * VECTORS,
    BLOCK = 4 * TILE /* rows whose inputs stay in the first cache */
};

/* sums[r] += a[row r] w over `count` inputs of one panel of a. */
INLINE void multiply(size_t count, const float *a, const float *w, size_t step,
                     int wide, vec sums[HEIGHT][COLUMNS])
{
    for (size_t k = 0; k < count; k++) {
        vec row[COLUMNS];

        load_panels(w + k * PANEL, step, wide, row);
        UNROLL
        for (int r = 0; r < HEIGHT; r++) {
            const vec x = splat(a[(size_t)r * PANEL + k]);

            UNROLL
            for (int c = 0; c < wide * VECTORS; c++)
                sums[r][c] += x * row[c];
        }
    }
}

/* What the sums of a tile begin with. */
INLINE void begin_tile(const bnre__product *p, size_t row, size_t panel,
                       int wide, vec sums[HEIGHT][COLUMNS])
{
    UNROLL
    for (int r = 0; r < HEIGHT; r++) {
        if (p->bias != NULL) {
            load_panels(p->bias + panel * PANEL, PANEL, wide, sums[r]);
        } else {
            UNROLL
            for (int c = 0; c < wide * VECTORS; c++)
                sums[r][c] = (vec){0};
        }
        if (p->add != NULL) {
            vec add[COLUMNS];

            load_panels(p->add +
                            (panel * p->add_rows + p->index[row + (size_t)r]) *
                                PANEL,
                        p->add_rows * PANEL, wide, add);
            UNROLL
            for (int c = 0; c < wide * VECTORS; c++)
                sums[r][c] += add[c];
        }
    }
}

/* One tile of rows and `wide` panels of outputs. */
INLINE void product_tile(const bnre__product *p, size_t row, size_t panel,
                         int wide, bnre__activation activation, int backward)
{
    const float *a = p->a + row * PANEL;
    const size_t step = p->inputs * PANEL, out_step = p->rows * PANEL;
    const float *w = p->w + panel * step;
    const size_t out = panel * out_step + row * PANEL;
    const vec slope = splat(p->slope);
    vec sums[HEIGHT][COLUMNS];
    size_t k = 0;

    begin_tile(p, row, panel, wide, sums);
    for (; k + PANEL <= p->inputs; k += PANEL, a += out_step)
        multiply(PANEL, a, w + k * PANEL, step, wide, sums);
    multiply(p->inputs - k, a, w + k * PANEL, step, wide, sums);
    UNROLL
    for (int c = 0; c < wide * VECTORS; c++) {
        UNROLL
        for (int r = 0; r < HEIGHT; r++) {
            const size_t at = out + (size_t)(c / VECTORS) * out_step +
                              (size_t)(r * PANEL + c % VECTORS * LANES);
            vec y = sums[r][c];

            if (backward)
                y *= derivative(activation, slope, load(p->derivative + at));
            else
                y = apply(activation, slope, y);
            store(p->y + at, y);
        }
    }
}

INLINE void product_rows(const bnre__product *p, size_t first, size_t last,
                         size_t panel, int wide, bnre__activation activation,
                         int backward)
{
    for (size_t row = first; row < last; row += HEIGHT)
        product_tile(p, row, panel, wide, activation, backward);
}

INLINE void product_as(const bnre__product *p, size_t first, size_t last,
                       bnre__activation activation, int backward)
{
    for (size_t block = first; block < last; block += BLOCK) {
        const size_t end = last - block < BLOCK ? last : block + BLOCK;
        size_t panel = 0;

        for (; panel + WIDE <= p->panels; panel += WIDE)
            product_rows(p, block, end, panel, WIDE, activation, backward);
        if (WIDE > 2 && panel + 2 <= p->panels) {
            product_rows(p, block, end, panel, 2, activation, backward);
            panel += 2;
        }
        if (WIDE > 1 && panel < p->panels)
            product_rows(p, block, end, panel, 1, activation, backward);
    }
}

static void product_simd(const bnre__product *p, size_t first, size_t last)
{
    switch (p->activation) {
#define X(name)                                                                \
    case name:                                                                 \
        if (p->derivative != NULL)                                             \
            product_as(p, first, last, name, 1);                               \
        else                                                                   \
            product_as(p, first, last, name, 0);                               \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

INLINE vec square_root(vec x)
{
    vec y;

    for (int i = 0; i < LANES; i++)
        y[i] = __builtin_sqrtf(x[i]);
    return y;
}

/* The rates in vectors, where no store can be suspected to change them. */
struct rates {
    vec first, second, keep, step, unbias, epsilon;
};

INLINE struct rates spread(const bnre__adam_rates *rates)
{
    return (struct rates){
        .first = splat(1 - rates->beta1),
        .second = splat(1 - rates->beta2),
        .keep = splat(rates->keep),
        .step = splat(rates->step),
        .unbias = splat(rates->unbias),
        .epsilon = splat(rates->epsilon),
    };
}

INLINE void adam_vec(const struct rates *rates, vec g, float *w, float *m,
                     float *v)
{
    vec first = load(m), second = load(v);

    first += rates->first * (g - first);
    second += rates->second * (g * g - second);
    store(m, first);
    store(v, second);
    store(w, load(w) * rates->keep -
                 rates->step * first /
                     (square_root(second * rates->unbias) + rates->epsilon));
}

static void adam_simd(const bnre__adam_rates *rates, size_t n, const float *g,
                      float *w, float *m, float *v)
{
    const struct rates spread_rates = spread(rates);

    for (size_t i = 0; i < n; i += LANES)
        adam_vec(&spread_rates, load(g + i), w + i, m + i, v + i);
}

/* ---- gradients of weights ---- */

/* Gradients of a tile for AdamW. The next tile's sums have pauses in which it
   goes on, each after so few rows that they need no loop: roots and divisions
   have a unit of their own, and wait for each other rather than for it. */
struct waiting {
    _Alignas(64) float g[HEIGHT * WIDE * PANEL];
    size_t at[HEIGHT * WIDE]; /* the place of each PANEL of them */
    size_t count;
};

INLINE void adam_panel(const bnre__weight_gradient *job,
                       const struct rates *rates, const struct waiting *waiting,
                       size_t i)
{
    const size_t at = waiting->at[i];

    UNROLL
    for (int v = 0; v < PANEL; v += LANES)
        adam_vec(rates, load(waiting->g + i * PANEL + v), job->w + at + v,
                 job->m + at + v, job->v + at + v);
}

/* sums += a dy of row i; with a bias, its input is 1. */
INLINE void gradient_row(size_t i, const float *const *a, const float *dy,
                         size_t step, int count, int wide, int bias,
                         vec sums[HEIGHT][COLUMNS])
{
    vec row[COLUMNS];

    load_panels(dy + i * PANEL, step, wide, row);
    UNROLL
    for (int r = 0; r < count; r++) {
        const vec x = splat(a[r][i * PANEL]);

        UNROLL
        for (int c = 0; c < wide * VECTORS; c++)
            sums[r][c] += x * row[c];
    }
    for (int c = 0; bias && c < wide * VECTORS; c++)
        sums[count][c] += row[c];
}

/* Biases and what comes of them. */
INLINE void finish_bias(const bnre__weight_gradient *job,
                        const struct rates *rates, size_t panel, int wide,
                        const vec *sums)
{
    UNROLL
    for (int v = 0; v < wide * VECTORS; v++) {
        const size_t at = panel * PANEL + (size_t)(v * LANES);

        if (job->gradient != NULL)
            store(job->bias_gradient + at, sums[v]);
        else
            adam_vec(rates, sums[v], job->bias + at, job->bias_m + at,
                     job->bias_v + at);
    }
}

/* The gradients of `count` inputs from k on to `wide` panels, and of the biases
   if there is room: count + bias <= HEIGHT. */
INLINE void gradient_tile(const bnre__weight_gradient *job,
                          const struct rates *rates, struct waiting *waiting,
                          size_t k, size_t panel, int count, int wide, int bias)
{
    const size_t step = job->rows * PANEL;
    const float *dy = job->dy + panel * step;
    const float *a[HEIGHT];
    vec sums[HEIGHT][COLUMNS];
    const size_t pause = wide * VECTORS > 2 ? 2 : 4;
    size_t i = 0, p = 0;

    UNROLL
    for (int r = 0; r < count; r++) {
        const size_t j = k + (size_t)r;

        a[r] = job->a + j / PANEL * step + j % PANEL;
        UNROLL
        for (int c = 0; c < wide * VECTORS; c++)
            sums[r][c] = (vec){0};
    }
    for (int c = 0; bias && c < wide * VECTORS; c++)
        sums[count][c] = (vec){0};
    for (; p < waiting->count && i + pause <= job->n; p++, i += pause) {
        UNROLL
        for (size_t r = 0; r < pause; r++)
            gradient_row(i + r, a, dy, step, count, wide, bias, sums);
        adam_panel(job, rates, waiting, p);
    }
    for (; p < waiting->count; p++)
        adam_panel(job, rates, waiting, p);
    for (; i < job->n; i++)
        gradient_row(i, a, dy, step, count, wide, bias, sums);
    if (bias)
        finish_bias(job, rates, panel, wide, sums[count]);
    waiting->count = 0;
    UNROLL
    for (int c = 0; c < wide; c++) {
        UNROLL
        for (int r = 0; r < count; r++) {
            const size_t at =
                ((panel + (size_t)c) * job->inputs + k + (size_t)r) * PANEL;
            float *to = job->gradient != NULL
                            ? job->gradient + at
                            : waiting->g + waiting->count * PANEL;

            UNROLL
            for (int v = 0; v < VECTORS; v++)
                store(to + v * LANES, sums[r][c * VECTORS + v]);
            waiting->at[waiting->count] = at;
            waiting->count += job->gradient == NULL;
        }
    }
}

/* Of the inputs k..end-1. The last tiles may be lower, and the very last, which is
   lower, has the biases. */
INLINE void gradient_tiles(const bnre__weight_gradient *job,
                           const struct rates *rates, size_t k, size_t end,
                           size_t panel, int wide, int bias)
{
    struct waiting waiting;

    waiting.count = 0;
    for (; k + HEIGHT + (size_t)bias <= end; k += HEIGHT)
        gradient_tile(job, rates, &waiting, k, panel, HEIGHT, wide, 0);
    if (HEIGHT > 4 && k + 4 + (size_t)bias <= end) {
        gradient_tile(job, rates, &waiting, k, panel, 4, wide, 0);
        k += 4;
    }
    if (HEIGHT > 4 && k + 4 == end) {
        gradient_tile(job, rates, &waiting, k, panel, 4, wide, 1);
        k = end;
    }
    for (; HEIGHT > 2 && k + 2 + (size_t)bias <= end; k += 2)
        gradient_tile(job, rates, &waiting, k, panel, 2, wide, 0);
    if (HEIGHT > 2 && k + 2 == end) {
        gradient_tile(job, rates, &waiting, k, panel, 2, wide, 1);
        k = end;
    }
    for (; k + 1 + (size_t)bias <= end; k++)
        gradient_tile(job, rates, &waiting, k, panel, 1, wide, 0);
    if (k < end)
        gradient_tile(job, rates, &waiting, k, panel, 1, wide, 1);
    for (size_t p = 0; p < waiting.count; p++)
        adam_panel(job, rates, &waiting, p);
}

/* Where there is no input, the biases alone. */
INLINE void bias_panel(const bnre__weight_gradient *job,
                       const struct rates *rates, size_t panel)
{
    const float *dy = job->dy + panel * job->rows * PANEL;
    vec sums[VECTORS] = {{0}};

    for (size_t i = 0; i < job->n; i++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            sums[v] += load(dy + i * PANEL + v * LANES);
    }
    finish_bias(job, rates, panel, 1, sums);
}

/* A square of PANEL by PANEL, rows without gaps, into its transpose. */
INLINE void turn_panel(const float *from, float *to)
{
    for (size_t i = 0; i < PANEL; i += LANES)
        for (size_t j = 0; j < PANEL; j += LANES) {
            vec v[LANES];

            UNROLL
            for (size_t r = 0; r < LANES; r++)
                v[r] = load(from + (i + r) * PANEL + j);
            turn_square(v);
            UNROLL
            for (size_t r = 0; r < LANES; r++)
                store(to + (j + r) * PANEL + i, v[r]);
        }
}

/* The weights of a panel from inputs k..end-1 (k a multiple of PANEL), into the
   transpose. */
static void turn(const bnre__weight_gradient *job, size_t k, size_t end,
                 size_t panel)
{
    const float *w = job->w + panel * job->inputs * PANEL;

    for (; k < end; k += PANEL) {
        const size_t count = end - k < PANEL ? end - k : PANEL;
        float *to = job->transpose + k * job->outputs + panel * PANEL * PANEL;

        if (count == PANEL)
            turn_panel(w + k * PANEL, to);
        else
            for (size_t n = 0; n < PANEL; n++)
                for (size_t r = 0; r < count; r++)
                    to[n * PANEL + r] = w[(k + r) * PANEL + n];
    }
}

INLINE void gradient_panels(const bnre__weight_gradient *job,
                            const struct rates *rates, size_t panel, int wide)
{
    const int bias =
        job->gradient != NULL ? job->bias_gradient != NULL : job->bias != NULL;
    enum { GROUP = 6 * PANEL }; /* new weights still in the first caches */

    for (size_t k = 0; k < job->inputs; k += GROUP) {
        const size_t left = job->inputs - k;
        const size_t end = k + (left < GROUP ? left : GROUP);

        gradient_tiles(job, rates, k, end, panel, wide,
                       bias && end == job->inputs);
        for (int c = 0; c < wide; c++)
            if (job->gradient == NULL && job->transpose != NULL)
                turn(job, k, end, panel + (size_t)c);
    }
    for (int c = 0; bias && job->inputs == 0 && c < wide; c++)
        bias_panel(job, rates, panel + (size_t)c);
}

static void weight_gradient_simd(const bnre__weight_gradient *job, size_t first,
                                 size_t last)
{
    struct rates rates = {.keep = {0}};
    size_t panel = first;

    if (job->gradient == NULL)
        rates = spread(job->adam);
    for (; panel + WIDE <= last; panel += WIDE)
        gradient_panels(job, &rates, panel, WIDE);
    if (WIDE > 2 && panel + 2 <= last) {
        gradient_panels(job, &rates, panel, 2);
        panel += 2;
    }
    if (WIDE > 1 && panel < last)
        gradient_panels(job, &rates, panel, 1);
}

/* At most eight sums side by side, so that longer vectors sum in no other
   order. */
enum { SUMS = LANES < 8 ? LANES : 8 };
typedef float sums_vec __attribute__((vector_size(LANES < 8 ? 4 * LANES : 32)));

INLINE sums_vec load_sums(const float *p)
{
    sums_vec v;

    memcpy(&v, p, sizeof v);
    return v;
}

static void output_simd(const bnre__output *out, size_t first, size_t last,
                        float *logits)
{
    for (size_t i = first; i < last; i++) {
        sums_vec sum = {0};
        float total = out->bias;

        for (size_t panel = 0; panel < out->panels; panel++)
            for (int v = 0; v < PANEL; v += SUMS)
                sum += load_sums(out->y + (panel * out->rows + i) * PANEL + v) *
                       load_sums(out->w + panel * PANEL + v);
        for (int v = 0; v < SUMS; v++)
            total += sum[v];
        logits[i] = total;
    }
}

INLINE void output_back_as(const bnre__output *out, size_t first, size_t last,
                           const float *dlogits, float *dy,
                           bnre__activation activation)
{
    const vec slope = splat(out->slope);

    for (size_t panel = 0; panel < out->panels; panel++)
        for (size_t i = first; i < last; i++)
            for (int v = 0; v < VECTORS; v++) {
                const size_t at =
                    (panel * out->rows + i) * PANEL + (size_t)(v * LANES);

                store(dy + at,
                      splat(dlogits[i]) *
                          load(out->w + panel * PANEL + v * LANES) *
                          derivative(activation, slope, load(out->y + at)));
            }
}

static void output_back_simd(const bnre__output *out, size_t first, size_t last,
                             const float *dlogits, float *dy)
{
    switch (out->activation) {
#define X(name)                                                                \
    case name:                                                                 \
        output_back_as(out, first, last, dlogits, dy, name);                   \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

/* `wide` panels together, as sums wait for themselves. */
INLINE void output_gradient_panels(const bnre__output *out, size_t panel,
                                   int wide, size_t n, const float *dlogits,
                                   float *gradient)
{
    const size_t step = out->rows * PANEL;
    const float *y = out->y + panel * step;
    vec sums[4 * VECTORS] = {{0}};

    for (size_t i = 0; i < n; i++) {
        vec row[4 * VECTORS];

        load_panels(y + i * PANEL, step, wide, row);
        UNROLL
        for (int v = 0; v < wide * VECTORS; v++)
            sums[v] += splat(dlogits[i]) * row[v];
    }
    UNROLL
    for (int v = 0; v < wide * VECTORS; v++)
        store(gradient + panel * PANEL + v * LANES, sums[v]);
}

static void output_gradient_simd(const bnre__output *out, size_t first,
                                 size_t last, size_t n, const float *dlogits,
                                 float *gradient)
{
    for (; first + 4 <= last; first += 4)
        output_gradient_panels(out, first, 4, n, dlogits, gradient);
    for (; first < last; first++)
        output_gradient_panels(out, first, 1, n, dlogits, gradient);
}

static void gather_simd(size_t n, const uint32_t *index, const float *from,
                        float *to)
{
    for (size_t i = 0; i < n; i++)
        for (int v = 0; v < PANEL; v += LANES) {
            float *here = to + index[i] * (size_t)PANEL + v;

            store(here, load(here) + load(from + i * PANEL + v));
        }
}

static void activate_simd(bnre__activation activation, float slope, size_t n,
                          const float *x, float *y)
{
    switch (activation) {
#define X(name)                                                                \
    case name:                                                                 \
        for (size_t i = 0; i < n; i += LANES)                                  \
            store(y + i, apply(name, splat(slope), load(x + i)));              \
        break;
        EACH_ACTIVATION(X)
#undef X
    }
}

static void exp_simd(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i += LANES)
        store(y + i, exp_vec(load(x + i)));
}

const bnre__kernels BNRE_IN_SET(bnre__kernels) = {
    .name = BNRE_SET_NAME,
    /* Called after the first of its kind, as checkpoints have it. */
    .rounding = LANES < 8 ? BNRE_SET_NAME : "avx2",
    .conv1d = &BNRE_IN_SET(bnre__conv1d),
    .conv2d = &BNRE_IN_SET(bnre__conv2d),
    .logistic = &BNRE_IN_SET(bnre__logistic),
    .product = product_simd,
    .weight_gradient = weight_gradient_simd,
    .output = output_simd,
    .output_back = output_back_simd,
    .output_gradient = output_gradient_simd,
    .gather = gather_simd,
    .adam = adam_simd,
    .activate = activate_simd,
    .exp = exp_simd,
    .checksum_sums = BNRE_IN_SET(bnre__checksum_sums),
    .random_refill = BNRE_IN_SET(bnre__random_refill),
    .random_start = BNRE_IN_SET(bnre__random_start),
};
