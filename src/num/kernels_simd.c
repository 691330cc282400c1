/* kernels_simd.c - the kernels in the compiler's vector types.

   Built once for each instruction set, with flags of its own. A register tile
   is HEIGHT rows by one panel. With vectors of eight, six rows make twelve
   sums, two vectors of weights and one broadcast input: the sixteen registers
   of AVX2; with vectors of four, two rows fit. */
#include "num/simd.h"

#include "num/conv1d.h"
#include "num/conv2d.h"
#include "num/kernel_sets.h"
#include "num/logistic.h"

enum {
    TILE = BNRE__TILE,
    HEIGHT = LANES >= 8 ? TILE : 2, /* divides TILE */
    BLOCK = 4 * TILE /* rows whose inputs stay in the first cache */
};

/* sums[r][v] += a[row r] w over `count` inputs of one panel of a. */
INLINE void multiply(size_t count, const float *a, const float *w,
                     vec sums[HEIGHT][VECTORS])
{
    for (size_t k = 0; k < count; k++) {
        vec row[VECTORS];

        UNROLL
        for (int v = 0; v < VECTORS; v++)
            row[v] = load(w + k * PANEL + v * LANES);
        UNROLL
        for (int r = 0; r < HEIGHT; r++) {
            const vec x = splat(a[(size_t)r * PANEL + k]);

            UNROLL
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] += x * row[v];
        }
    }
}

/* One tile of rows and one panel of outputs. */
INLINE void product_tile(const bnre__product *p, size_t row, size_t panel,
                         bnre__activation activation, int backward)
{
    const float *a = p->a + row * PANEL;
    const float *w = p->w + panel * p->inputs * PANEL;
    const size_t out = panel * p->rows * PANEL + row * PANEL;
    const vec slope = splat(p->slope);
    vec sums[HEIGHT][VECTORS];
    size_t k = 0;

    UNROLL
    for (int r = 0; r < HEIGHT; r++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            sums[r][v] = p->bias == NULL
                             ? (vec){0}
                             : load(p->bias + panel * PANEL + v * LANES);
        if (p->add != NULL) {
            const float *add =
                p->add +
                (panel * p->add_rows + p->index[row + (size_t)r]) * PANEL;

            UNROLL
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] += load(add + v * LANES);
        }
    }
    for (; k + PANEL <= p->inputs; k += PANEL, a += p->rows * PANEL)
        multiply(PANEL, a, w + k * PANEL, sums);
    multiply(p->inputs - k, a, w + k * PANEL, sums);
    UNROLL
    for (int r = 0; r < HEIGHT; r++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = out + (size_t)(r * PANEL + v * LANES);
            vec y = sums[r][v];

            if (backward)
                y *= derivative(activation, slope, load(p->derivative + at));
            else
                y = apply(activation, slope, y);
            store(p->y + at, y);
        }
    }
}

INLINE void product_as(const bnre__product *p, size_t first, size_t last,
                       bnre__activation activation, int backward)
{
    for (size_t block = first; block < last; block += BLOCK) {
        const size_t end = last - block < BLOCK ? last : block + BLOCK;

        for (size_t panel = 0; panel < p->panels; panel++)
            for (size_t row = block; row < end; row += HEIGHT)
                product_tile(p, row, panel, activation, backward);
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

/* What becomes of the gradient of the weights from one input to a panel. */
INLINE void finish(const bnre__weight_gradient *job, const struct rates *rates,
                   size_t k, size_t panel, const vec sums[VECTORS])
{
    const size_t at = (panel * job->inputs + k) * PANEL;

    UNROLL
    for (int v = 0; v < VECTORS; v++) {
        const size_t here = at + (size_t)(v * LANES);

        if (job->gradient != NULL)
            store(job->gradient + here, sums[v]);
        else
            adam_vec(rates, sums[v], job->w + here, job->m + here,
                     job->v + here);
    }
}

/* What finish() will need is on its way while the sums are made. */
INLINE void fetch(const bnre__weight_gradient *job, size_t k, size_t panel,
                  int count)
{
    const size_t at = (panel * job->inputs + k) * PANEL;

    if (job->gradient != NULL)
        return;
    for (int r = 0; r < count; r++) {
        __builtin_prefetch(job->w + at + r * PANEL, 1);
        __builtin_prefetch(job->m + at + r * PANEL, 1);
        __builtin_prefetch(job->v + at + r * PANEL, 1);
    }
}

/* The gradients of `count` <= HEIGHT inputs from k on. */
INLINE void gradient_tile(const bnre__weight_gradient *job,
                          const struct rates *rates, size_t k, size_t panel,
                          int count)
{
    const float *dy = job->dy + panel * job->rows * PANEL;
    const float *a[HEIGHT];
    vec sums[HEIGHT][VECTORS];

    fetch(job, k, panel, count);
    UNROLL
    for (int r = 0; r < count; r++) {
        const size_t j = k + (size_t)r;

        a[r] = job->a + j / PANEL * job->rows * PANEL + j % PANEL;
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            sums[r][v] = (vec){0};
    }
    for (size_t i = 0; i < job->n; i++) {
        vec row[VECTORS];

        UNROLL
        for (int v = 0; v < VECTORS; v++)
            row[v] = load(dy + i * PANEL + v * LANES);
        UNROLL
        for (int r = 0; r < count; r++) {
            const vec x = splat(a[r][i * PANEL]);

            UNROLL
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] += x * row[v];
        }
    }
    UNROLL
    for (int r = 0; r < count; r++)
        finish(job, rates, k + (size_t)r, panel, sums[r]);
}

/* Of the inputs k..end-1, in tiles; the last ones may be lower. */
INLINE void gradient_tiles(const bnre__weight_gradient *job,
                           const struct rates *rates, size_t k, size_t end,
                           size_t panel)
{
    for (; k + HEIGHT <= end; k += HEIGHT)
        gradient_tile(job, rates, k, panel, HEIGHT);
    if (HEIGHT > 4 && k + 4 <= end) {
        gradient_tile(job, rates, k, panel, 4);
        k += 4;
    }
    if (HEIGHT > 2 && k + 2 <= end) {
        gradient_tile(job, rates, k, panel, 2);
        k += 2;
    }
    if (k < end)
        gradient_tile(job, rates, k, panel, 1);
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

static void bias_gradient(const bnre__weight_gradient *job,
                          const struct rates *rates, size_t panel)
{
    const float *dy = job->dy + panel * job->rows * PANEL;
    vec sums[VECTORS] = {{0}};

    for (size_t i = 0; i < job->n; i++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            sums[v] += load(dy + i * PANEL + v * LANES);
    }
    for (int v = 0; v < VECTORS; v++) {
        const size_t at = panel * PANEL + (size_t)(v * LANES);

        if (job->bias_gradient != NULL)
            store(job->bias_gradient + at, sums[v]);
        else if (job->bias != NULL)
            adam_vec(rates, sums[v], job->bias + at, job->bias_m + at,
                     job->bias_v + at);
    }
}

static void weight_gradient_simd(const bnre__weight_gradient *job, size_t first,
                                 size_t last)
{
    enum { GROUP = 3 * PANEL }; /* new weights still in the first cache */
    struct rates rates = {.keep = {0}};

    if (job->gradient == NULL)
        rates = spread(job->adam);
    for (size_t panel = first; panel < last; panel++) {
        for (size_t k = 0; k < job->inputs; k += GROUP) {
            const size_t left = job->inputs - k;
            const size_t end = k + (left < GROUP ? left : GROUP);

            gradient_tiles(job, &rates, k, end, panel);
            if (job->gradient == NULL && job->transpose != NULL)
                turn(job, k, end, panel);
        }
        bias_gradient(job, &rates, panel);
    }
}

static void output_simd(const bnre__output *out, size_t first, size_t last,
                        float *logits)
{
    for (size_t i = first; i < last; i++) {
        vec sum = {0};
        float total = out->bias;

        for (size_t panel = 0; panel < out->panels; panel++)
            for (int v = 0; v < VECTORS; v++)
                sum +=
                    load(out->y + (panel * out->rows + i) * PANEL + v * LANES) *
                    load(out->w + panel * PANEL + v * LANES);
        for (int v = 0; v < LANES; v++)
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

static void output_gradient_simd(const bnre__output *out, size_t first,
                                 size_t last, size_t n, const float *dlogits,
                                 float *gradient)
{
    for (size_t panel = first; panel < last; panel++)
        for (int v = 0; v < VECTORS; v++) {
            vec sum = {0};

            for (size_t i = 0; i < n; i++)
                sum +=
                    splat(dlogits[i]) *
                    load(out->y + (panel * out->rows + i) * PANEL + v * LANES);
            store(gradient + panel * PANEL + v * LANES, sum);
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
    .conv1d = &BNRE_IN_SET(bnre__conv1d),
    .conv2d = &BNRE_IN_SET(bnre__conv2d),
    .logistic = &BNRE_IN_SET(bnre__logistic),
    .product = product_simd,
    .weight_gradient = weight_gradient_simd,
    .output = output_simd,
    .output_back = output_back_simd,
    .output_gradient = output_gradient_simd,
    .adam = adam_simd,
    .activate = activate_simd,
    .exp = exp_simd,
};
