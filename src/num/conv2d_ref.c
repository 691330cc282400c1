/* conv2d_ref.c - what the kernels of networks on pictures compute, plainly. */
#include "num/conv2d.h"
#include "num/kernel_sets.h"
#include "num/winograd.h"

/* Element (row, column) of a table. */
static float element(int kind, bnre__side side, size_t row, size_t column)
{
    if (side == BNRE__WEIGHTS)
        return kind == BNRE__PAIR ? bnre__weights_1[row][column]
                                  : bnre__weights[row][column];
    switch (kind) {
#define KIND(m)                                                                \
    case m:                                                                    \
        return side == BNRE__INPUT ? bnre__input_##m[row][column]              \
                                   : bnre__output_##m[row][column];
        KIND(1)
        KIND(2)
        KIND(3)
        KIND(4)
        KIND(5)
#undef KIND
    default:
        return 0;
    }
}

static void combine_ref(const bnre__combination *c)
{
    const size_t points = bnre__tile_points(c->kind);
    const size_t rows =
        c->side == BNRE__OUTPUT ? bnre__tile_outputs(c->kind) : points;
    const size_t columns = c->side == BNRE__OUTPUT  ? points
                           : c->side == BNRE__INPUT ? bnre__tile_inputs(c->kind)
                                                    : 3;
    const size_t outs = c->back ? columns : rows;
    const size_t ins = c->back ? rows : columns;

    for (size_t i = 0; i < c->n; i++)
        for (size_t o = 0; o < outs; o++) {
            double sum = c->add ? (double)c->to[o][i] : 0;

            for (size_t k = 0; k < ins; k++)
                sum += (double)c->from[k][i] * (double)element(c->kind, c->side,
                                                               c->back ? k : o,
                                                               c->back ? o : k);
            c->to[o][i] = (float)sum;
        }
}

enum { PANEL = BNRE__PANEL };

static void sum_ref(const bnre__sum *s)
{
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->panels * PANEL; j++) {
            const float *w = s->w + j / PANEL * s->w_panel + j % PANEL;
            float *y = s->y + j / PANEL * s->y_panel + i * PANEL + j % PANEL;
            double sum = s->add            ? (double)*y
                         : s->bias != NULL ? (double)s->bias[j]
                                           : 0;

            for (size_t t = 0; t < s->terms; t++)
                for (size_t k = 0; k < s->term[t].count; k++)
                    sum += (double)s->a[i * s->a_row + s->term[t].a + k] *
                           (double)w[s->term[t].w + k * PANEL];
            *y = (float)sum;
        }
}

static void outer_ref(const bnre__outer *job)
{
    for (size_t k = 0; k < job->inputs; k++)
        for (size_t j = 0; j < PANEL; j++) {
            const float *a = job->a + k / PANEL * job->a_panel + k % PANEL;
            float *dw = job->dw + k * PANEL + j;
            double sum = job->add ? (double)*dw : 0;

            for (size_t i = 0; i < job->rows; i++)
                sum +=
                    (double)a[i * job->a_row] * (double)job->dy[i * PANEL + j];
            *dw = (float)sum;
        }
}

static void point_ref(const bnre__point *p)
{
    for (size_t i = 0; i < p->rows * PANEL; i++) {
        const size_t c = i % PANEL;
        float y = (p->a[i] - p->mean[0][c]) * p->scale[0][c] + p->shift[c];

        if (p->b != NULL)
            y += (p->b[i] - p->mean[1][c]) * p->scale[1][c];
        p->y[i] = bnre__apply_ref(p->activation, p->slope, y);
    }
}

static void point_back_ref(const bnre__point_back *p)
{
    const float *const x[2] = {p->a, p->b};

    for (size_t i = 0; i < p->rows * PANEL; i++)
        p->dy[i] *= bnre__derivative_ref(p->activation, p->slope, p->y[i]);
    for (int t = 0; t < 2; t++)
        for (size_t c = 0; x[t] != NULL && c < PANEL; c++) {
            double sum = 0, with = 0;

            for (size_t i = c; i < p->rows * PANEL; i += PANEL) {
                sum += (double)p->dy[i];
                with += (double)p->dy[i] *
                        ((double)x[t][i] - (double)p->mean[t][c]);
            }
            p->sum[c] = sum;
            p->with[t][c] = with;
        }
}

static void line_back_ref(const bnre__line_back *p)
{
    for (size_t i = 0; i < p->rows * PANEL; i++) {
        const size_t c = i % PANEL;
        const float d = p->g[i] * p->scale[c] + p->at_mean[c] +
                        (p->x[i] - p->mean[c]) * p->slope[c];

        p->dx[i] = p->add ? p->dx[i] + d : d;
    }
}

static void moments_ref(size_t rows, const float *x, double mean[16],
                        double squares[16])
{
    for (size_t c = 0; c < PANEL; c++) {
        mean[c] = squares[c] = 0;
        for (size_t i = 0; i < rows; i++)
            mean[c] += (double)x[i * PANEL + c] / (double)rows;
        for (size_t i = 0; i < rows; i++) {
            const double d = (double)x[i * PANEL + c] - mean[c];

            squares[c] += d * d;
        }
    }
}

static size_t place_of_largest(size_t count, const float *const *x, size_t i)
{
    size_t best = 0;

    for (size_t k = 1; k < count; k++)
        if (x[k][i] > x[best][i])
            best = k;
    return best;
}

static void largest_ref(size_t n, size_t count, const float *const *x, float *y,
                        float *place)
{
    for (size_t i = 0; i < n; i++) {
        const size_t best = place_of_largest(count, x, i);

        y[i] = x[best][i];
        if (place != NULL)
            place[i] = (float)best;
    }
}

static void largest_back_ref(size_t n, size_t count, const float *const *place,
                             const float *which, const float *const *dy,
                             int add, float *dx)
{
    for (size_t i = 0; i < n; i++) {
        float sum = add ? dx[i] : 0;

        for (size_t k = 0; k < count; k++)
            if (place[k][i] == which[k])
                sum += dy[k][i];
        dx[i] = sum;
    }
}

static void turn_ref(size_t columns, const float *from, size_t from_row,
                     const size_t *place, float *to)
{
    for (size_t i = 0; i < PANEL; i++)
        for (size_t j = 0; j < columns; j++)
            to[place[j] + i] = from[i * from_row + j];
}

static void turn_back_ref(size_t columns, const float *from,
                          const size_t *place, float *to, size_t to_row)
{
    for (size_t i = 0; i < PANEL; i++)
        for (size_t j = 0; j < columns; j++)
            to[i * to_row + j] = from[place[j] + i];
}

const bnre__conv2d_kernels bnre__conv2d_ref = {
    .sum = sum_ref,
    .outer = outer_ref,
    .point = point_ref,
    .point_back = point_back_ref,
    .line_back = line_back_ref,
    .moments = moments_ref,
    .largest = largest_ref,
    .largest_back = largest_back_ref,
    .combine = combine_ref,
    .turn = turn_ref,
    .turn_back = turn_back_ref,
};
