/* The rank of the true parameter among weighted points, ties shared at
   random: of its density for coverage (Hermans and others 2021), of a value for
   calibration (Talts and others 2018). Selecting a quantile costs
   O(n), regions O(n log n). */
#include "diag/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double bnre__rank(size_t n, const double *weight, const double *value,
                  double total, size_t at, double u)
{
    const double own = value[at];
    double above = 0, tied = 0;

    if (!(total > 0))
        return 1;
    for (size_t i = 0; i < n; i++) {
        above += value[i] > own ? weight[i] : 0;
        tied += value[i] == own ? weight[i] : 0;
    }
    /* Sums in another order than the total's may end just above it. */
    return fmin(1, (above + u * tied) / total);
}

static int by_falling_value(const void *a, const void *b)
{
    double x = ((const bnre__ranked *)a)->value;
    double y = ((const bnre__ranked *)b)->value;

    return (x < y) - (x > y);
}

/* Two runs that are in order, as one; of equal ones those of `a` first. Chance
   decides which comes next, so nothing is guessed. */
static void merge(const bnre__ranked *a, size_t n_a, const bnre__ranked *b,
                  size_t n_b, bnre__ranked *to)
{
    const bnre__ranked *const end_a = a + n_a, *const end_b = b + n_b;

    while (a < end_a && b < end_b) {
        const size_t take = b->value > a->value;
        const bnre__ranked *const from[2] = {a, b};

        *to++ = *from[take];
        a += 1 - take;
        b += take;
    }
    memcpy(to, a, (size_t)(end_a - a) * sizeof *to);
    memcpy(to + (end_a - a), b, (size_t)(end_b - b) * sizeof *to);
}

/* By falling value, equal ones in their order. The draws of a pair are few, and
   merged from runs of 1, 2, 4, ... here in place of a call for every
   comparison: O(n log n). */
static void sort_points(size_t n, bnre__ranked *point)
{
    enum { FEW = 512 };
    bnre__ranked room[FEW], *from = point, *to = room, *keep;

    if (n > FEW) {
        qsort(point, n, sizeof *point, by_falling_value);
        return;
    }
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            const size_t n_a = n - i < run ? n - i : run;
            const size_t rest = n - i - n_a;

            merge(from + i, n_a, from + i + n_a, rest < run ? rest : run,
                  to + i);
        }
        keep = from;
        from = to;
        to = keep;
    }
    if (from != point)
        memcpy(point, from, n * sizeof *point);
}

/* The mass that a region takes which needs so much of the weight of `last`
   besides all before it. */
static double mass_taken(size_t n, const bnre__ranked *point, size_t last,
                         double need, int whole)
{
    double mass = point[last].mass;

    if (!whole)
        return point[last].weight > 0
                   ? mass * fmin(1, need / point[last].weight)
                   : mass;
    for (size_t i = last + 1; i < n && point[i].value == point[last].value; i++)
        mass += point[i].mass;
    return mass;
}

void bnre__region_shares(size_t n, bnre__ranked *point, int whole,
                         double share[BNRE_DIAG_LEVELS])
{
    double total = 0, all = 0, weight = 0, mass = 0;
    size_t last = 0;

    for (size_t i = 0; i < n; i++) {
        total += point[i].weight;
        all += point[i].mass;
    }
    sort_points(n, point);
    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        const double wanted = bnre_diag_level(k) * total;

        for (; last + 1 < n && weight + point[last].weight < wanted; last++) {
            weight += point[last].weight;
            mass += point[last].mass;
        }
        share[k] =
            (mass + mass_taken(n, point, last, wanted - weight, whole)) / all;
    }
}

bnre_estimate bnre__estimate(size_t n, const double *value, size_t stride)
{
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < n; i++)
        sum += value[i * stride];
    mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = value[i * stride] - mean;

        squares += off * off;
    }
    return (bnre_estimate){
        mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN};
}

size_t bnre__worth(size_t n, const double *weight)
{
    double sum = 0, squares = 0;

    if (weight == NULL)
        return n;
    for (size_t i = 0; i < n; i++) {
        sum += weight[i];
        squares += weight[i] * weight[i];
    }
    return (size_t)floor(sum * sum / squares + 1e-9);
}

bnre_estimate bnre__estimate_weighed(size_t n, const double *value,
                                     const double *weight)
{
    double all = 0, sum = 0, squares = 0, mean;

    if (weight == NULL)
        return bnre__estimate(n, value, 1);
    for (size_t i = 0; i < n; i++) {
        all += weight[i];
        sum += weight[i] * value[i];
    }
    mean = sum / all;
    for (size_t i = 0; i < n; i++) {
        const double off = weight[i] * (value[i] - mean);

        squares += off * off;
    }
    return (bnre_estimate){mean, n > 1 ? sqrt(squares) / all : NAN};
}

/* Put the k-th smallest of n values in its place, none before it being larger
   and none after it smaller: Hoare's selection (1961) with ties in the middle.
   O(n) as a rule, O(n^2) for orders made to be bad for it. */
static void select_value(size_t n, double *value, size_t k)
{
    size_t first = 0, last = n; /* it is in [first, last) */

    while (last - first > 1) {
        const double pivot = value[first + (last - first) / 2];
        size_t low = first, high = last;

        for (size_t i = first; i < high;) {
            const double one = value[i];

            if (one < pivot) {
                value[i++] = value[low];
                value[low++] = one;
            } else if (one > pivot) {
                value[i] = value[--high];
                value[high] = one;
            } else {
                i++;
            }
        }
        if (k < low)
            last = low;
        else if (k >= high)
            first = high;
        else
            return;
    }
}

double bnre__quantile(size_t n, const double *value, size_t stride, double p,
                      double *scratch)
{
    double place = p * (double)(n - 1);
    size_t below = (size_t)place, above = below + 1 < n ? below + 1 : below;

    for (size_t i = 0; i < n; i++)
        scratch[i] = value[i * stride];
    select_value(n, scratch, below);
    select_value(n - below, scratch + below, above - below);
    /* Without a product that might be 0 times infinity. */
    if (place == (double)below || scratch[below] == scratch[above])
        return scratch[below];
    return scratch[below] +
           (place - (double)below) * (scratch[above] - scratch[below]);
}
