/* Where to cut: scouts, what they let expect, and the cell to cut next. Each
   cell costs one evaluation, but for those of the last round. With n cells, a
   round costs O(n dim) for each of up to 64 cells near the peak, and a cut
   O(log n + dim), with a heap. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "diag/partition.h"
#include "diag/rank.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

enum {
    ROUND = 40,  /* cells at least that come of a round of cutting */
    SHARED = 24, /* cells at least that the mass to cut next is in */
    MANY = 64    /* cells with much mass: enough to know where it is */
};

/* A side that was cut so often is of the order of rounding errors. */
static const double NARROWEST = 1e-13;

/* Log ratios that differ by more are as good as this far apart. */
static const double DEEP = 20;

/* What lies within a factor exp(HOT) of the most massive cell has a say about
   its neighbours: there may be exp(-DECAY) of what is at the face. */
static const double HOT = 2, DECAY = 1;

static void swap(size_t *a, size_t *b)
{
    const size_t keep = *a;

    *a = *b;
    *b = keep;
}

static void sift_down(bnre__cells *cells, size_t at)
{
    size_t *heap = cells->heap;

    for (size_t child; (child = 2 * at + 1) < cells->n; at = child) {
        if (child + 1 < cells->n &&
            cells->score[heap[child + 1]] > cells->score[heap[child]])
            child++;
        if (!(cells->score[heap[child]] > cells->score[heap[at]]))
            return;
        swap(&heap[child], &heap[at]);
    }
}

static void push(bnre__cells *cells, size_t cell)
{
    size_t *heap = cells->heap, at = cell;

    heap[at] = cell;
    for (size_t parent; at > 0; at = parent) {
        parent = (at - 1) / 2;
        if (!(cells->score[heap[at]] > cells->score[heap[parent]]))
            return;
        swap(&heap[at], &heap[parent]);
    }
}

static double side(const bnre__cells *cells, size_t cell, size_t axis)
{
    const size_t at = cell * cells->dim + axis;

    return cells->high[at] - cells->low[at];
}

/* log of the mean of exp(s t + c t^2 / 2) over a side of the cell; to first
   order where that does. */
static double log_mean(double s, double c, double width)
{
    enum { PLACES = 5 };
    const double tilt = s * s * width * width, bend = c * width * width;
    double value[PLACES], top = -HUGE_VAL, sum = 0;

    if (tilt < 4 && fabs(bend) < 2)
        return (tilt + bend) / 24;

    for (int k = 0; k < PLACES; k++) {
        const double t = width * ((double)k - 2) / PLACES;

        value[k] = t * (s + 0.5 * c * t);
        top = bnre__larger(top, value[k]);
    }
    for (int k = 0; k < PLACES; k++)
        sum += exp(value[k] - top);
    return top + log(sum / PLACES);
}

static void set_score(bnre__cells *cells, size_t cell)
{
    cells->score[cell] =
        cells->log_mass[cell] + cells->beta * cells->hope[cell];
}

static void set_level(bnre__cells *cells, size_t cell)
{
    const size_t dim = cells->dim;
    double sum = cells->log_ratio[cell];

    for (size_t i = 0; i < dim; i++)
        if (cells->free[i])
            sum += log_mean(cells->slope[cell * dim + i],
                            cells->curve[cell * dim + i], side(cells, cell, i));
    cells->level[cell] = cells->hope[cell] = sum;
    set_score(cells, cell);
}

/* exp(x) for x <= 0, well enough to count by: (1 + x / 64)^64. */
static double roughly_exp(double x)
{
    double y = x > -64 ? 1 + x / 64 : 0;

    for (int i = 0; i < 6; i++)
        y *= y;
    return y;
}

/* How many cells hold the mass of p exp(beta l). */
static double effective(const bnre__cells *cells, double beta)
{
    double top = -HUGE_VAL, sum = 0, squares = 0;

    for (size_t k = 0; k < cells->n; k++)
        top = bnre__larger(top, cells->log_mass[k] + beta * cells->hope[k]);
    if (top == -HUGE_VAL)
        return (double)cells->n;
    for (size_t k = 0; k < cells->n; k++) {
        const double w =
            roughly_exp(cells->log_mass[k] + beta * cells->hope[k] - top);

        sum += w;
        squares += w * w;
    }
    return sum * sum / squares;
}

/* Whether so many cells share the posterior that points in them can. */
static int is_fine(const bnre__cells *cells)
{
    return 2 * effective(cells, 1) >= (double)cells->points;
}

/* As long as the posterior is much narrower than the cells, the one whose scout
   is nearest to a peak outshines all others. So it is followed as it
   narrows: p exp(beta l), with the largest beta for which several cells share
   the mass. */
static void choose_beta(bnre__cells *cells)
{
    /* 0 would forget what is impossible. Found to within 20 %. */
    const double least = 1e-3;
    double ratio = sqrt(least);

    cells->beta = 1;
    if (effective(cells, 1) >= SHARED)
        return;
    for (size_t i = 0; i < 5; i++, ratio = sqrt(ratio))
        if (effective(cells, cells->beta * ratio) < SHARED)
            cells->beta *= ratio;
    cells->beta *= ratio * ratio;
}

/* The axis along which b lies beyond a face of a, or dim if it does not. */
static size_t shared_face(const bnre__cells *cells, size_t a, size_t b,
                          int *upper)
{
    const size_t dim = cells->dim;
    const double *low_a = cells->low + a * dim, *high_a = cells->high + a * dim;
    const double *low_b = cells->low + b * dim, *high_b = cells->high + b * dim;
    size_t face = dim;

    for (size_t i = 0; i < dim; i++) {
        if (low_a[i] < high_b[i] && low_b[i] < high_a[i])
            continue;
        if (face < dim || (low_a[i] != high_b[i] && low_b[i] != high_a[i]))
            return dim;
        face = i;
        *upper = low_b[i] == high_a[i];
    }
    return face;
}

/* The log ratio is continuous: what is dense up to a face is so beyond it,
   whatever the scout there says, which may be far. */
static void look_across(bnre__cells *cells, size_t a)
{
    const size_t dim = cells->dim;

    for (size_t b = 0; b < cells->n; b++) {
        int upper = 0;
        const size_t axis = shared_face(cells, a, b, &upper);
        double t, there;

        if (a == b || axis == dim)
            continue;
        t = (upper ? 0.5 : -0.5) * side(cells, a, axis);
        there = cells->log_ratio[a] - DECAY +
                t * (cells->slope[a * dim + axis] +
                     0.5 * cells->curve[a * dim + axis] * t);
        cells->hope[b] = bnre__larger(cells->hope[b], there);
    }
}

static void look_around(bnre__cells *cells)
{
    double top = -HUGE_VAL;
    size_t hot = 0;

    for (size_t k = 0; k < cells->n; k++) {
        cells->hope[k] = cells->level[k];
        set_score(cells, k);
        top = bnre__larger(top, cells->score[k]);
    }
    for (size_t k = 0; k < cells->n; k++)
        hot += cells->score[k] > top - HOT;
    /* Where that many are, scouts are near enough to each other. */
    for (size_t k = 0; hot <= MANY && k < cells->n; k++)
        if (cells->score[k] > top - HOT)
            look_across(cells, k);
}

static void rebuild_heap(bnre__cells *cells)
{
    look_around(cells);
    choose_beta(cells);
    for (size_t k = 0; k < cells->n; k++) {
        set_score(cells, k);
        cells->heap[k] = k;
    }
    for (size_t k = cells->n / 2; k-- > 0;)
        sift_down(cells, k);
}

/* The side along which the log ratio varies most; the longest if it does not
   vary; dim if none can be cut. */
static size_t choose_axis(const bnre__cells *cells, size_t cell)
{
    const size_t dim = cells->dim;
    size_t best = dim;
    double most = -1;

    for (size_t i = 0; i < dim; i++) {
        const double w = side(cells, cell, i);
        const double varies =
            w * (0.1 + fabs(cells->slope[cell * dim + i]) +
                 0.25 * w * fabs(cells->curve[cell * dim + i]));

        if (cells->free[i] && w > NARROWEST && varies > most) {
            most = varies;
            best = i;
        }
    }
    return best;
}

/* A new cell that begins as a copy of another one. */
static size_t copy_cell(bnre__cells *cells, size_t from)
{
    const size_t dim = cells->dim, to = cells->n++,
                 bytes = dim * sizeof(double);

    memcpy(cells->low + to * dim, cells->low + from * dim, bytes);
    memcpy(cells->high + to * dim, cells->high + from * dim, bytes);
    memcpy(cells->slope + to * dim, cells->slope + from * dim, bytes);
    memcpy(cells->curve + to * dim, cells->curve + from * dim, bytes);
    cells->log_mass[to] = cells->log_mass[from];
    cells->log_ratio[to] = cells->log_ratio[from];
    cells->waits[to] = 1;
    return to;
}

/* What is expected of a neighbour at the distance t along an axis. */
static void expect(bnre__cells *cells, size_t cell, size_t axis, double t)
{
    const size_t at = cell * cells->dim + axis;

    cells->log_ratio[cell] +=
        t * (cells->slope[at] + 0.5 * cells->curve[at] * t);
    cells->slope[at] += cells->curve[at] * t;
}

/* Cut the cell on top of the heap in three, along one side. Returns 0 if there
   is nothing to cut. */
static int cut(bnre__cells *cells)
{
    const size_t dim = cells->dim, middle = cells->heap[0];
    const size_t axis = choose_axis(cells, middle), at = middle * dim + axis;
    double width, low, high;
    size_t lower, upper;

    if (axis == dim || cells->score[middle] == -HUGE_VAL)
        return 0;
    width = side(cells, middle, axis) / 3;
    low = cells->low[at] + width;
    high = cells->high[at] - width;
    cells->log_mass[middle] -= log(3);
    lower = copy_cell(cells, middle);
    upper = copy_cell(cells, middle);
    cells->high[lower * dim + axis] = cells->low[at] = low;
    cells->low[upper * dim + axis] = cells->high[at] = high;
    expect(cells, lower, axis, -width);
    expect(cells, upper, axis, width);
    set_level(cells, middle);
    set_level(cells, lower);
    set_level(cells, upper);
    cells->n -= 2;
    sift_down(cells, 0);
    cells->n += 2;
    push(cells, lower);
    push(cells, upper);
    cells->cut[cells->cuts++] = (struct cut){middle, lower, upper, axis};
    return 1;
}

/* First and second derivative at the middle of three values. */
static void parabola(double a, double b, double c, double width, double *slope,
                     double *curve)
{
    const double top = bnre__larger(a, bnre__larger(b, c));

    *slope = *curve = 0;
    if (top == -HUGE_VAL)
        return;
    /* Deep valleys beside a peak say how narrow it is, not how high. */
    a = bnre__larger(a, top - DEEP);
    b = bnre__larger(b, top - DEEP);
    c = bnre__larger(c, top - DEEP);
    *slope = 0.5 * (c - a) / width;
    *curve = (a - 2 * b + c) / (width * width);
}

/* What the scouts of a cell cut in three tell about all of them. Later cuts of
   the same round inherit it, as they come later. */
static void learn(bnre__cells *cells, const struct cut *cut)
{
    const size_t dim = cells->dim, bytes = dim * sizeof(double);
    const size_t part[] = {cut->lower, cut->upper};
    const double *l = cells->log_ratio;
    const double low = cells->low[cut->upper * dim + cut->axis];
    const double high = cells->high[cut->lower * dim + cut->axis];
    const double width = low - high;
    double slope, curve;

    parabola(l[cut->lower], l[cut->middle], l[cut->upper], width, &slope,
             &curve);
    cells->slope[cut->middle * dim + cut->axis] = slope;
    cells->curve[cut->middle * dim + cut->axis] = curve;
    for (size_t k = 0; k < 2; k++) {
        memcpy(cells->slope + part[k] * dim, cells->slope + cut->middle * dim,
               bytes);
        memcpy(cells->curve + part[k] * dim, cells->curve + cut->middle * dim,
               bytes);
        cells->slope[part[k] * dim + cut->axis] =
            slope + (k == 0 ? -width : width) * curve;
    }
}

static bnre_status evaluate_pending(bnre__cells *cells, bnre_session *session)
{
    BNRE_DO(bnre__session_rough(session, cells->n_pending, cells->theta,
                                cells->value));
    for (size_t i = 0; i < cells->n_pending; i++)
        cells->log_ratio[cells->pending[i]] = cells->value[i];
    cells->sent += cells->n_pending;
    cells->n_pending = 0;
    return BNRE_OK;
}

/* The middle of a cell; whether it satisfies the constraints. */
static int place_scout(const bnre__cells *cells, size_t cell, double *theta)
{
    for (size_t i = 0; i < cells->dim; i++) {
        const size_t at = cell * cells->dim + i;

        theta[i] = 0.5 * (cells->low[at] + cells->high[at]);
    }
    bnre__prior_from_places(cells->prior, theta, theta);
    return bnre_prior_log_density(cells->prior, theta) > -HUGE_VAL;
}

/* Send the scouts of all cells that wait. Where there can be none, what was
   expected stays. */
static bnre_status send_scouts(bnre__cells *cells, bnre_session *session)
{
    for (size_t k = 0; k < cells->n; k++) {
        if (!cells->waits[k])
            continue;
        cells->waits[k] = 0;
        if (!place_scout(cells, k,
                         cells->theta + cells->n_pending * cells->dim))
            continue;
        cells->pending[cells->n_pending++] = k;
        if (cells->n_pending == BNRE__SCOUTS)
            BNRE_DO(evaluate_pending(cells, session));
    }
    if (cells->n_pending > 0)
        BNRE_DO(evaluate_pending(cells, session));
    return BNRE_OK;
}

/* The cells of a lattice, the last axis running fastest. */
static void lay_lattice(bnre__cells *cells)
{
    const size_t dim = cells->dim;

    cells->n = 1;
    for (size_t i = 0; i < dim; i++)
        cells->n *= cells->free[i] ? cells->per_axis : 1;
    for (size_t k = 0; k < cells->n; k++) {
        size_t rest = k;

        for (size_t i = dim; i-- > 0;) {
            const size_t n = cells->free[i] ? cells->per_axis : 1;

            cells->low[k * dim + i] = (double)(rest % n) / (double)n;
            cells->high[k * dim + i] = (double)(rest % n + 1) / (double)n;
            rest /= n;
        }
        cells->log_mass[k] = -log((double)cells->n);
        cells->log_ratio[k] = NAN;
        cells->waits[k] = 1;
    }
    memset(cells->slope, 0, cells->n * dim * sizeof *cells->slope);
    memset(cells->curve, 0, cells->n * dim * sizeof *cells->curve);
}

/* The largest log ratio that scouts found next to a cell of the lattice; NaN if
   there was none. */
static double look_next(const bnre__cells *cells, size_t k)
{
    const size_t n = cells->per_axis;
    double best = NAN;
    size_t stride = 1;

    for (size_t i = cells->dim; i-- > 0; stride *= cells->free[i] ? n : 1) {
        const size_t at = cells->free[i] ? k / stride % n : 0;

        if (cells->free[i] && at > 0)
            best = fmax(best, cells->log_ratio[k - stride]);
        if (cells->free[i] && at + 1 < n)
            best = fmax(best, cells->log_ratio[k + stride]);
    }
    return best;
}

/* Where constraints let no scout in, there may still be a part of the cell that
   satisfies them: it is expected to be as the next cells are, or else as the
   emptiest of all. A value of its own, such as 0, would mean something else
   for every constant that log ratios may have in common. */
static void guess_barred(bnre__cells *cells)
{
    double *l = cells->log_ratio, lowest = NAN;

    for (size_t k = 0; k < cells->n; k++) {
        lowest = fmin(lowest, l[k]);
        cells->level[k] = isnan(l[k]) ? look_next(cells, k) : l[k];
    }
    if (isnan(lowest))
        lowest = 0;
    for (size_t k = 0; k < cells->n; k++)
        l[k] = isnan(cells->level[k]) ? lowest : cells->level[k];
}

/* Derivatives from the neighbours on the lattice; at its ends, from the three
   cells there. */
static void compare_neighbours(bnre__cells *cells)
{
    const size_t dim = cells->dim, n = cells->per_axis;
    const double *l = cells->log_ratio, width = 1 / (double)n;
    size_t stride = 1;

    for (size_t i = dim; i-- > 0; stride *= cells->free[i] ? n : 1) {
        if (!cells->free[i] || n < 3)
            continue;
        for (size_t k = 0; k < cells->n; k++) {
            const size_t at = k / stride % n;
            const size_t near = at == 0 ? 1 : at == n - 1 ? n - 2 : at;
            const size_t m = k + near * stride - at * stride;
            double slope, curve;

            parabola(l[m - stride], l[m], l[m + stride], width, &slope, &curve);
            cells->slope[k * dim + i] =
                slope + curve * width * ((double)at - (double)near);
            cells->curve[k * dim + i] = curve;
        }
    }
    for (size_t k = 0; k < cells->n; k++)
        set_level(cells, k);
}

bnre_status bnre__cells_fit(bnre__cells *cells, bnre_session *session,
                            size_t *evaluations)
{
    cells->sent = cells->n_pending = 0;
    lay_lattice(cells);
    BNRE_DO(send_scouts(cells, session));
    guess_barred(cells);
    compare_neighbours(cells);
    choose_beta(cells);
    for (;;) {
        const size_t some = cells->n / 5 * 2;
        const size_t more = some > ROUND ? some : ROUND;
        const size_t limit =
            cells->n + 2 <= cells->enough ? cells->enough : cells->room;
        const size_t goal = cells->n + more < limit ? cells->n + more : limit;

        rebuild_heap(cells);
        cells->cuts = 0;
        while (cells->n + 2 <= goal && cut(cells))
            ;
        /* The last ones need no scouts: nothing is decided after them. */
        if (cells->cuts == 0 || goal == cells->room ||
            (goal >= cells->enough && is_fine(cells)))
            break;
        BNRE_DO(send_scouts(cells, session));
        for (size_t k = 0; k < cells->cuts; k++)
            learn(cells, &cells->cut[k]);
        for (size_t k = 0; k < cells->cuts; k++) {
            set_level(cells, cells->cut[k].middle);
            set_level(cells, cells->cut[k].lower);
            set_level(cells, cells->cut[k].upper);
        }
    }
    bnre__cells_pool(cells);
    *evaluations += cells->sent;
    return BNRE_OK;
}
