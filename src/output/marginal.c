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

    for (size_t k = 0; k < n; k++)
        half = fmin(half, (marginal->high[k] - marginal->low[k]) / 2);
    if (n == 0) {
        snprintf(out, BNRE_MARGINAL_WORDS, BNRE_READABLE_NONE);
        return out;
    }
    if (n > MOST_TOLD)
        used = (size_t)snprintf(out, BNRE_MARGINAL_WORDS, "%zu parts from ", n);
    for (size_t k = 0; k < told; k++) {
        char low[BNRE_READABLE], high[BNRE_READABLE];

        bnre_readable_real(marginal->low[k], half, low);
        bnre_readable_real(marginal->high[n > MOST_TOLD ? n - 1 : k], half,
                           high);
        used += (size_t)snprintf(out + used, BNRE_MARGINAL_WORDS - used,
                                 "%s%s%s%s", k > 0 ? " or " : "", low,
                                 half > 0 ? " to " : "", half > 0 ? high : "");
    }
    return out;
}
