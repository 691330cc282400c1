/* line_set.c - sets of highest density on a line: see line_set.h. */
#include "num/line_set.h"

#include <math.h>

#include "num/sigmoid.h"

/* ---- the prior on the line ---- */

/* Its mass between a and b, a <= b; nothing cancels in the upper tail. */
static double prior_mass(bnre__range range, double a, double b)
{
    if (range == BNRE__UNIT)
        return b - a;
    if (range == BNRE__HALF)
        return exp(-a) - exp(-b);
    return a > 0 ? bnre__sigmoid(-a) - bnre__sigmoid(-b)
                 : bnre__sigmoid(b) - bnre__sigmoid(a);
}

/* c above `low` with this mass of the prior between them. */
static double prior_value(bnre__range range, double low, double mass)
{
    double s;

    if (range == BNRE__UNIT)
        return low + mass;
    if (range == BNRE__HALF)
        return low - log1p(-fmin(mass * exp(low), 1 - 1e-16));
    if (low > 0) {
        s = fmax(bnre__sigmoid(-low) - mass, 1e-300);
        return log1p(-s) - log(s);
    }
    s = fmin(bnre__sigmoid(low) + mass, 1 - 1e-16);
    return log(s) - log1p(-s);
}

static double range_low(bnre__range range)
{
    return range == BNRE__LINE ? -INFINITY : 0;
}

static double range_high(bnre__range range)
{
    return range == BNRE__UNIT ? 1 : INFINITY;
}

/* ---- parts ---- */

/* One component with its cut worked out. */
struct part {
    double weight, log_weight, place, width;
    double shift;  /* of exponents, where the place is outside the range */
    double inside; /* mass within the range, before the cut, times exp(shift) */
    double log_peak; /* log of weight / (width * mass within the range) */
};

/* Beyond so many widths there is less than any beta can tell. */
static const double NOTHING = 60;

/* sigma(B) - sigma(A), times exp(shift); A = (a - place) / width, ... Written
   so that nothing large cancels, however far out in a tail A and B are. */
static double between(const struct part *p, double a, double b)
{
    const double low = (a - p->place) / p->width;
    const double high = (b - p->place) / p->width;

    if (p->shift == 0 && (low > NOTHING || high < -NOTHING))
        return 0; /* most gaps are far from most components */
    if (low > 0)
        return (exp(p->shift - low) - exp(p->shift - high)) /
               ((1 + exp(-low)) * (1 + exp(-high)));
    if (high < 0)
        return (exp(p->shift + high) - exp(p->shift + low)) /
               ((1 + exp(low)) * (1 + exp(high)));
    return (1 - exp(low - high)) / ((1 + exp(low)) * (1 + exp(-high)));
}

static struct part read_part(bnre__range range, const bnre__set_part *part)
{
    const double a = range_low(range), b = range_high(range);
    struct part p = {.weight = exp(part->log_weight),
                     .log_weight = part->log_weight,
                     .place = part->place,
                     .width = part->width};

    if (p.place < a)
        p.shift = (a - p.place) / p.width;
    else if (p.place > b)
        p.shift = (p.place - b) / p.width;
    p.inside = between(&p, a, b);
    p.log_peak = p.log_weight - log(p.width) - log(p.inside) + p.shift;
    return p;
}

/* ---- the union at a threshold ---- */

/* |z| up to which exp(log_peak) e / (1 + e)^2 >= exp(log_t), e = exp(-|z|); -1
   if nowhere. */
static double reach(double log_peak, double log_t)
{
    const double log_y = log_t - log_peak, y = exp(log_y);

    if (!(y < 0.25))
        return -1;
    return log(((1 - 2 * y) + sqrt(1 - 4 * y)) / 2) - log_y;
}

/* Put [low, high] into the pieces, which stay in order and apart. O(pieces). */
static void add_piece(bnre__line_set *set, double low, double high)
{
    size_t first = 0, last, joined;

    while (first < set->n && set->high[first] < low)
        first++;
    for (last = first; last < set->n && set->low[last] <= high; last++) {
        low = fmin(low, set->low[last]);
        high = fmax(high, set->high[last]);
    }
    if (last == first && set->n == BNRE__SET_PIECES) {
        /* No room: join with a neighbour, which only adds. */
        first -= first == set->n;
        last = first + 1;
        low = fmin(low, set->low[first]);
        high = fmax(high, set->high[first]);
    }
    joined = last - first;
    if (joined == 0)
        for (size_t k = set->n; k > first; k--) {
            set->low[k] = set->low[k - 1];
            set->high[k] = set->high[k - 1];
        }
    for (size_t k = last; joined > 1 && k < set->n; k++) {
        set->low[k - joined + 1] = set->low[k];
        set->high[k - joined + 1] = set->high[k];
    }
    set->n += 1 - joined;
    set->low[first] = low;
    set->high[first] = high;
}

/* The mass of the mixture outside the pieces: in the gaps between them. */
static double mass_outside(size_t n, const struct part *part,
                           const bnre__line_set *set)
{
    double sum = 0;

    for (size_t i = 0; i <= set->n; i++) {
        const double a = i > 0 ? set->high[i - 1] : range_low(set->range);
        const double b = i < set->n ? set->low[i] : range_high(set->range);

        for (size_t k = 0; a < b && k < n; k++)
            sum += part[k].weight * between(&part[k], a, b) / part[k].inside;
    }
    return sum;
}

/* The set of a threshold. */
static void cut_at(size_t n, const struct part *part, double log_t,
                   bnre__line_set *set)
{
    const double a = range_low(set->range), b = range_high(set->range);

    set->n = 0;
    for (size_t k = 0; k < n; k++) {
        const struct part *p = &part[k];
        const double z = reach(p->log_peak, log_t);
        const double low = fmax(p->place - z * p->width, a);
        const double high = fmin(p->place + z * p->width, b);

        if (z >= 0 && low < high)
            add_piece(set, low, high);
    }
    set->outside = mass_outside(n, part, set);
}

/* The largest threshold, within 5 % of mass, that leaves at most beta outside.
   Tails are exponential, so that the mass outside is about in proportion to it.
   By secants and bisection, at most 61 cuts of O(n pieces). */
static void search(size_t n, const struct part *part, double beta,
                   bnre__line_set *set)
{
    double low = -INFINITY, high = INFINITY, log_t, most = -INFINITY;
    double at_low = 0, at_high = 0; /* log mass outside there */

    for (size_t k = 0; k < n; k++)
        most = fmax(most, part[k].log_peak - part[k].shift);
    log_t = most + log(beta);
    for (int i = 0; i < 60 && log_t <= most; i++) {
        double share;

        cut_at(n, part, log_t, set);
        if (set->outside <= beta && set->outside > 0.95 * beta)
            return;
        if (set->outside <= beta) {
            low = log_t;
            at_low = log(fmax(set->outside, 1e-300));
        } else {
            high = log_t;
            at_high = log(set->outside);
        }
        if (isinf(low)) {
            log_t -= at_high - log(0.97 * beta) + 0.1;
        } else if (isinf(high)) {
            log_t += fmin(log(0.97 * beta) - at_low, 5) + 0.1;
        } else {
            if (high - low < 1e-6)
                break;
            share = (log(0.97 * beta) - at_low) / (at_high - at_low);
            log_t =
                low + (high - low) *
                          (i % 3 == 2 ? 0.5 : fmin(fmax(share, 0.02), 0.98));
        }
    }
    cut_at(n, part, isfinite(low) ? low : -1000, set);
}

/* The prior's masses of the pieces. */
static void weigh_pieces(bnre__line_set *set)
{
    set->all = 0;
    for (size_t i = 0; i < set->n; i++) {
        set->mass[i] = prior_mass(set->range, set->low[i], set->high[i]);
        set->all += set->mass[i];
    }
}

void bnre__line_set_find(bnre__range range, size_t n,
                         const bnre__set_part *given, double beta,
                         bnre__line_set *out)
{
    /* What is too light to matter is outside, and counted so. */
    const double least = log(beta) - log((double)n) - 5;
    struct part part[BNRE__SET_PARTS];
    double dropped = 0;
    size_t m = 0;

    *out = (bnre__line_set){.range = range};
    for (size_t k = 0; k < n; k++)
        if (given[k].log_weight < least)
            dropped += exp(given[k].log_weight);
        else
            part[m++] = read_part(range, &given[k]);
    search(m, part, beta - dropped, out);
    out->outside += dropped;
    weigh_pieces(out);
}

void bnre__line_set_make(bnre__range range, size_t n, const double *low,
                         const double *high, double shift, bnre__line_set *out)
{
    const double a = range_low(range), b = range_high(range);

    out->range = range;
    out->n = 0;
    out->outside = NAN;
    for (size_t i = 0; i < n; i++) {
        const double from = fmax(low[i] + shift, a);
        const double to = fmin(high[i] + shift, b);

        if (from < to) {
            out->low[out->n] = from;
            out->high[out->n++] = to;
        }
    }
    weigh_pieces(out);
}

/* ---- sets of values ---- */

enum { MOST_RUNS = 8, STEPS = 64 };
static const double LEFT = 0.02;

/* Values first .. last of a list in ascending order, near each other. */
struct run {
    size_t first, last;
};

/* Runs between gaps that are wider than `gap`; MOST_RUNS + 1 if there are more
   than MOST_RUNS. O(n). */
static size_t split_values(size_t n, const double *v, double gap,
                           struct run run[MOST_RUNS + 1])
{
    size_t runs = 0;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || v[i] - v[i - 1] > gap) {
            if (runs == MOST_RUNS)
                return MOST_RUNS + 1;
            run[runs++].first = i;
        }
        run[runs - 1].last = i;
    }
    return runs;
}

/* How much shorter the set is, for each value, without the `step` first (or
   last) values of a run, or without all of it if these are no more. */
static double gain_of(const double *v, const struct run *run, int upper,
                      size_t step, double gap)
{
    const size_t a = run->first, b = run->last;

    if (b - a < step)
        return (v[b] - v[a] + gap) / (double)(b - a + 1);
    return (upper ? v[b] - v[b - step] : v[a + step] - v[a]) / (double)step;
}

/* What to leave out next. */
struct choice {
    double gain;
    size_t run, count;
    int upper;
    size_t inside; /* values after this one, in the middle of the run; or 0 */
};

/* The `step` values in the middle of a run that are farthest apart, if they
   leave a gap. */
static void look_inside(const double *v, size_t k, const struct run *run,
                        size_t step, double gap, struct choice *best)
{
    for (size_t i = run->first + step; i + 2 * step < run->last; i++) {
        const double span = v[i + step + 1] - v[i];

        if (span > gap && span / (double)step > best->gain)
            *best = (struct choice){span / (double)step, k, step, 0, i};
    }
}

static struct choice choose(const double *v, size_t runs, const struct run *run,
                            size_t step, size_t inner, double gap)
{
    struct choice best = {.gain = -1};

    for (size_t k = 0; k < runs; k++) {
        const size_t count = run[k].last - run[k].first + 1;

        for (int upper = 0; upper < 2; upper++) {
            const double gain = gain_of(v, &run[k], upper, step, gap);

            if (gain > best.gain)
                best = (struct choice){gain, k, count < step ? count : step,
                                       upper, 0};
        }
        if (runs < MOST_RUNS && inner > 0)
            look_inside(v, k, &run[k], inner, gap, &best);
    }
    return best;
}

static size_t leave_out(size_t runs, struct run *run, const struct choice *what)
{
    struct run *one = &run[what->run];

    if (what->inside > 0) {
        for (size_t k = runs; k > what->run; k--)
            run[k] = run[k - 1];
        one[0].last = what->inside;
        one[1].first = what->inside + what->count + 1;
        return runs + 1;
    }
    if (what->count > one->last - one->first) {
        for (size_t k = what->run; k + 1 < runs; k++)
            run[k] = run[k + 1];
        return runs - 1;
    }
    if (what->upper)
        one->last -= what->count;
    else
        one->first += what->count;
    return runs;
}

/* Leave out `most` values, from where they are farthest from each other, a 64th
   of them at a time: about 64 choices, each at most a pass over the values. */
static size_t trim_runs(const double *v, size_t runs, struct run *run,
                        size_t most, double gap)
{
    const size_t step = most / STEPS > 0 ? most / STEPS : 1;
    const size_t inner = most / 8; /* at a time from the middle of a run */

    for (;;) {
        const struct choice next =
            choose(v, runs, run, step, inner <= most ? inner : 0, gap);

        if (next.count > most)
            return runs;
        most -= next.count;
        runs = leave_out(runs, run, &next);
    }
}

/* How far a run reaches beyond its end: as far as its values are apart there. */
static double margin_of(const double *v, const struct run *run, int upper,
                        size_t step, double gap)
{
    const size_t a = run->first, b = run->last;

    if (b - a < step)
        return gap / 2;
    return fmin(upper ? v[b] - v[b - step] : v[a + step] - v[a], gap / 2);
}

void bnre__line_set_of_values(bnre__range range, size_t n, const double *v,
                              double beta, bnre__line_set *out)
{
    const size_t most = (size_t)(beta * (double)n);
    const size_t step = most / STEPS + 4;
    const size_t tail = n / 200;
    double low[MOST_RUNS], high[MOST_RUNS];
    double gap = 0.1 * (v[n - 1 - tail] - v[tail]);
    struct run run[MOST_RUNS + 1];
    size_t runs;

    while ((runs = split_values(n, v, gap, run)) > MOST_RUNS)
        gap *= 1.5;
    runs = trim_runs(v, runs, run, most, gap);
    for (size_t k = 0; k < runs; k++) {
        low[k] = v[run[k].first] - margin_of(v, &run[k], 0, step, gap);
        high[k] = v[run[k].last] + margin_of(v, &run[k], 1, step, gap);
    }
    bnre__line_set_make(range, runs, low, high, 0, out);
    /* What is left over at a bound is no end of its own. */
    if (prior_mass(range, range_low(range), out->low[0]) < LEFT * out->all)
        out->low[0] = range_low(range);
    if (prior_mass(range, out->high[out->n - 1], range_high(range)) <
        LEFT * out->all)
        out->high[out->n - 1] = range_high(range);
    weigh_pieces(out);
    out->outside = beta;
}

/* ---- places ---- */

int bnre__line_set_place(const bnre__line_set *set, double c, double *u)
{
    double below = 0;

    /* Ends belong to it, also after a way there and back that rounds. */
    for (size_t i = 0; i < set->n; i++) {
        const double low = set->low[i], high = set->high[i];
        const double more = isfinite(high - low) ? 1e-9 * (high - low) : 0;

        if (c >= low - more && c <= high + more) {
            below += prior_mass(set->range, low, fmin(fmax(c, low), high));
            *u = fmin(fmax(below / set->all, 0), 1);
            return 1;
        }
        below += set->mass[i];
    }
    *u = 0.5;
    return 0;
}

double bnre__line_set_value(const bnre__line_set *set, double u)
{
    double left = u * set->all;
    size_t i = 0;

    if (set->n == 0)
        return 0.5; /* anywhere: it has no mass */

    for (; i + 1 < set->n && left > set->mass[i]; i++)
        left -= set->mass[i];
    left = fmin(left, set->mass[i]);
    return fmin(fmax(prior_value(set->range, set->low[i], left), set->low[i]),
                set->high[i]);
}
