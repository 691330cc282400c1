/* marginal.c - sets of highest density of a line of pieces of equal width. */
#include "output/marginal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/text.h"
#include "output/raster.h"

static const double noise = 0.01; /* of the mass */

enum { MOST_TOLD = 3 };

/* ---- runs of pieces above a threshold ---- */

struct run {
    size_t first, last; /* pieces, last inside */
    double mass;
};

struct runs {
    size_t n;
    struct run *run;
};

static double mass_of(const double *density, size_t first, size_t end)
{
    double sum = 0;

    for (size_t k = first; k < end; k++)
        sum += density[k];
    return sum;
}

/* Runs in order; those with hardly a gap between them are one. */
static void find_runs(size_t n, const double *density, double threshold,
                      double total, struct runs *out)
{
    for (size_t k = 0; k < n; k++) {
        struct run *before = out->n > 0 ? &out->run[out->n - 1] : NULL;
        size_t end = k;

        while (end < n && density[end] > 0 && density[end] >= threshold)
            end++;
        if (end == k)
            continue;
        if (before != NULL &&
            mass_of(density, before->last + 1, k) < noise * total) {
            before->last = end - 1;
            before->mass = mass_of(density, before->first, end);
        } else
            out->run[out->n++] =
                (struct run){k, end - 1, mass_of(density, k, end)};
        k = end;
    }
}

/* Leave out what is noise, and the least of too many. */
static void drop_runs(double total, struct runs *runs)
{
    for (;;) {
        size_t least = 0;

        for (size_t k = 1; k < runs->n; k++)
            if (runs->run[k].mass < runs->run[least].mass)
                least = k;
        if (runs->n < 2 || (runs->n <= BNRE_MARGINAL_PARTS &&
                            runs->run[least].mass >= noise * total))
            return;
        memmove(&runs->run[least], &runs->run[least + 1],
                (runs->n - least - 1) * sizeof *runs->run);
        runs->n--;
    }
}

/* Where the density crosses the threshold between the middles of pieces
   `outside` and `inside`. */
static double cross(const double *density, size_t outside, size_t inside,
                    double threshold, double low, double width)
{
    const double from = density[outside], to = density[inside];
    const double share = to > from ? (threshold - from) / (to - from) : 0.5;

    return low + width * ((double)outside + 0.5 +
                          share * ((double)inside - (double)outside));
}

/* The mass where the density, linear between the middles of pieces, is at least
   t. */
static double mass_above(size_t n, const double *density, double t)
{
    double sum = (density[0] >= t ? density[0] / 2 : 0) +
                 (density[n - 1] >= t ? density[n - 1] / 2 : 0);

    for (size_t k = 0; k + 1 < n; k++) {
        const double low = fmin(density[k], density[k + 1]);
        const double high = fmax(density[k], density[k + 1]);

        if (low >= t)
            sum += (low + high) / 2;
        else if (high > t)
            sum += (high - t) / (high - low) * (high + t) / 2;
    }
    return sum;
}

static double find_threshold(size_t n, const double *density, double level)
{
    const double wanted = level * mass_above(n, density, 0);
    double low = 0, high = 0;

    for (size_t k = 0; k < n; k++)
        high = fmax(high, density[k]);
    for (int i = 0; i < 60; i++) {
        const double t = (low + high) / 2;

        *(mass_above(n, density, t) >= wanted ? &low : &high) = t;
    }
    return low;
}

/* ---- whole numbers ---- */

/* The probability down to which the likeliest hold the level. */
static double least_probable(size_t n, const double *mass, double level)
{
    double sum = 0, last = HUGE_VAL;

    while (sum < level - 1e-9) {
        double next = 0;

        for (size_t k = 0; k < n; k++)
            if (mass[k] < last)
                next = fmax(next, mass[k]);
        for (size_t k = 0; k < n; k++)
            sum += mass[k] == next ? next : 0;
        last = next;
        if (next <= 0)
            break;
    }
    return last;
}

/* Runs of numbers; of too many those at the end are one. */
static void gather_values(size_t n, const double *number, const double *mass,
                          bnre_marginal *out)
{
    const double least = least_probable(n, mass, out->level);

    out->whole = 1;
    for (size_t k = 0; k < n; k++) {
        const double value = number[k];

        if (!(mass[k] > 0 && mass[k] >= least))
            continue;
        if (out->n > 0 && (out->high[out->n - 1] >= value - 1 ||
                           out->n == BNRE_MARGINAL_PARTS)) {
            out->high[out->n - 1] = value;
            continue;
        }
        out->low[out->n] = out->high[out->n] = value;
        out->n++;
    }
}

static bnre_status find_values(const bnre_posterior *posterior, size_t i,
                               size_t levels, const double *level,
                               bnre_marginal *out)
{
    const size_t n = bnre_posterior_values(posterior, i, 0, NULL, NULL);
    bnre_status status = BNRE_OK;
    double *mass = NULL, *value = NULL;

    BNRE_NEW(mass, n);
    BNRE_NEW(value, n);
    (void)bnre_posterior_values(posterior, i, n, value, mass);
    for (size_t c = 0; c < levels; c++) {
        out[c] = (bnre_marginal){.level = level[c]};
        gather_values(n, value, mass, &out[c]);
    }
done:
    bnre__free(value);
    bnre__free(mass);
    return status;
}

/* Whether a line is bars around whole numbers: nothing between them, from half
   a number to half a number. */
static int is_bars(size_t n, const double *density, double low, double high)
{
    const double pieces = (double)n / (high - low);

    if (fabs(low + 0.5 - rint(low + 0.5)) > 1e-6 ||
        fabs(high + 0.5 - rint(high + 0.5)) > 1e-6)
        return 0;
    for (double edge = 0; edge < high - low; edge++)
        if (density[(size_t)(edge * pieces)] > 0)
            return 0;
    return 1;
}

static bnre_status of_bars(size_t n, const double *density, double low,
                           double high, bnre_marginal *out)
{
    const size_t values = (size_t)(high - low + 0.5);
    bnre_status status = BNRE_OK;
    double *mass = NULL, *value = NULL, all = 0;

    BNRE_NEW(mass, values);
    BNRE_NEW(value, values);
    for (size_t k = 0; k < values; k++) {
        value[k] = rint(low + 0.5 + (double)k);
        mass[k] =
            density[(size_t)(((double)k + 0.5) / (double)values * (double)n)];
        all += mass[k];
    }
    for (size_t k = 0; k < values; k++)
        mass[k] /= all;
    gather_values(values, value, mass, out);
done:
    bnre__free(value);
    bnre__free(mass);
    return status;
}

/* ---- lines ---- */

bnre_status bnre__marginal_of_line(size_t n, const double *density, double low,
                                   double high, double level,
                                   bnre_marginal *out)
{
    const double width = (high - low) / (double)n;
    const double total = mass_of(density, 0, n);
    bnre_status status = BNRE_OK;
    struct runs runs = {0};
    double threshold;

    *out = (bnre_marginal){.level = level};
    if (is_bars(n, density, low, high))
        return of_bars(n, density, low, high, out);
    BNRE_NEW(runs.run, n / 2 + 1);
    threshold = find_threshold(n, density, level);
    find_runs(n, density, threshold, total, &runs);
    drop_runs(total, &runs);
    for (size_t k = 0; k < runs.n; k++) {
        const struct run *run = &runs.run[k];

        out->low[k] = run->first == 0
                          ? low
                          : cross(density, run->first - 1, run->first,
                                  threshold, low, width);
        out->high[k] = run->last + 1 == n
                           ? high
                           : cross(density, run->last + 1, run->last, threshold,
                                   low, width);
    }
    out->n = runs.n;
done:
    bnre__free(runs.run);
    return status;
}

/* ---- of a posterior ---- */

bnre_status bnre_marginal_find(const bnre_posterior *posterior, size_t i,
                               size_t levels, const double *level,
                               bnre_marginal *out)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    bnre_status status = BNRE_OK;
    double *density = NULL, low, high;
    bnre__raster raster;

    if (i >= points->dim)
        return bnre_fail(BNRE_EINVAL, "parameter %zu of %zu", i, points->dim);
    for (size_t c = 0; c < levels; c++)
        if (!(level[c] > 0 && level[c] < 1))
            return bnre_fail(BNRE_EINVAL, "level %g: expected (0, 1)",
                             level[c]);
    if (bnre_posterior_values(posterior, i, 0, NULL, NULL) > 0)
        return find_values(posterior, i, levels, level, out);
    bnre_prior_support(points->prior, i, &low, &high);
    for (size_t c = 0; c < levels && !(low < high); c++)
        out[c] = (bnre_marginal){
            .level = level[c], .n = 1, .low = {low}, .high = {low}};
    if (!(low < high))
        return BNRE_OK;
    BNRE_NEW(density, BNRE__LINE);
    BNRE_TRY(bnre__raster_init(&raster, posterior, i, BNRE__LINE));
    BNRE_TRY(bnre__raster_line(posterior, &raster, density));
    for (size_t c = 0; c < levels; c++)
        BNRE_TRY(bnre__marginal_of_line(BNRE__LINE, density, raster.low,
                                        raster.high, level[c], &out[c]));
done:
    bnre__free(density);
    return status;
}

/* ---- in words ---- */

const char *bnre_marginal_words(const bnre_marginal *marginal,
                                char out[BNRE_MARGINAL_WORDS])
{
    const size_t n = marginal->n;
    const size_t told = n > MOST_TOLD ? 1 : n;
    double half = HUGE_VAL;
    size_t used = 0;

    for (size_t k = 0; k < n && !marginal->whole; k++)
        half = fmin(half, (marginal->high[k] - marginal->low[k]) / 2);
    if (n == 0) {
        snprintf(out, BNRE_MARGINAL_WORDS, BNRE_READABLE_NONE);
        return out;
    }
    if (n > MOST_TOLD)
        used = (size_t)snprintf(out, BNRE_MARGINAL_WORDS, "%zu parts from ", n);
    for (size_t k = 0; k < told; k++) {
        const double end = marginal->high[n > MOST_TOLD ? n - 1 : k];
        char low[BNRE_READABLE], high[BNRE_READABLE];

        if (marginal->whole) {
            used += (size_t)snprintf(
                out + used, BNRE_MARGINAL_WORDS - used,
                end > marginal->low[k] ? "%s%.0f to %.0f" : "%s%.0f",
                k > 0 ? " or " : "", marginal->low[k], end);
            continue;
        }
        bnre_readable_real(marginal->low[k], half, low);
        bnre_readable_real(end, half, high);
        used += (size_t)snprintf(out + used, BNRE_MARGINAL_WORDS - used,
                                 "%s%s%s%s", k > 0 ? " or " : "", low,
                                 half > 0 ? " to " : "", half > 0 ? high : "");
    }
    return out;
}
