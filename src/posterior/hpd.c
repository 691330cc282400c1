/* Regions of highest density on points (Hyndman 1996): sort by density
   (O(n log n)), take points until their mass suffices, with all that tie. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "posterior/points.h"
#include "posterior/posterior.h"

struct ranked {
    double log_density;
    size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->log_density != y->log_density)
        return x->log_density < y->log_density ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

bnre_status bnre__posterior_sort(bnre_posterior *posterior)
{
    const size_t n = posterior->points->n;
    bnre_status status = BNRE_OK;
    struct ranked *ranked = NULL;

    if (posterior->sorted)
        return BNRE_OK;
    if (posterior->order == NULL)
        BNRE_NEW(posterior->order, bnre__points_room(posterior->points));
    BNRE_NEW(ranked, n);
    for (size_t k = 0; k < n; k++)
        ranked[k] = (struct ranked){posterior->log_density[k], k};
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (size_t k = 0; k < n; k++)
        posterior->order[k] = ranked[k].index;
    posterior->sorted = 1;
done:
    bnre__free(ranked);
    return status;
}

size_t bnre__hpd_count(size_t n, const size_t *order, const double *log_density,
                       const double *weight, double c)
{
    double sum = 0, last;
    size_t count = 0;

    while (count < n && sum < c)
        sum += weight[order[count++]];
    last = log_density[order[count - 1]];
    while (count < n && log_density[order[count]] == last)
        count++;
    return count;
}

static bnre_status measure(const bnre_posterior *posterior, double level,
                           bnre_region *region)
{
    const bnre_points *points = posterior->points;
    const size_t count =
        bnre__hpd_count(points->n, posterior->order, posterior->log_density,
                        posterior->weight, level);

    *region = (bnre_region){.level = level, .count = count};
    region->threshold = posterior->log_density[posterior->order[count - 1]];
    for (size_t i = 0; i < count; i++) {
        const size_t k = posterior->order[i];

        region->content += posterior->weight[k];
        region->prior_mass += exp(points->log_mass[k]);
        region->volume += exp(points->log_mass[k] - points->log_prior[k]);
    }
    /* Masses of chains' points are estimates, whose sum may go beyond. */
    region->prior_mass = fmin(region->prior_mass, 1);
    if (!bnre_prior_has_density(points->prior))
        region->volume = NAN;
    if (bnre__points_is_grid(points))
        BNRE_DO(bnre__posterior_parts(posterior, region->threshold,
                                      &region->parts));
    return BNRE_OK;
}

bnre_status bnre_posterior_regions(bnre_posterior *posterior, size_t n,
                                   const double *level, bnre_region *out)
{
    for (size_t i = 0; i < n; i++)
        if (!(level[i] > 0 && level[i] < 1))
            return bnre_fail(BNRE_EINVAL,
                             "level %g: expected a number between 0 and 1",
                             level[i]);
    BNRE_DO(bnre__posterior_sort(posterior));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(measure(posterior, level[i], &out[i]));
    return BNRE_OK;
}

/* log p(theta), as points have it; -inf outside the support */
static double log_prior(const bnre_prior *prior, const double *theta)
{
    const double value = bnre_prior_log_density(prior, theta);

    if (bnre_prior_has_density(prior) || value == -HUGE_VAL)
        return value;
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        if (isnan(theta[i]))
            return NAN;
    return 0;
}

bnre_status bnre_posterior_rank(const bnre_posterior *posterior,
                                bnre_session *session, const double *theta,
                                double *rank)
{
    const bnre_points *points = posterior->points;
    const double base = log_prior(points->prior, theta);
    double log_ratio;

    *rank = 1;
    if (!(base > -HUGE_VAL))
        return BNRE_OK;
    BNRE_DO(bnre_session_log_ratio(session, 1, theta, &log_ratio, NULL));
    *rank = 0;
    for (size_t k = 0; k < points->n; k++)
        if (posterior->log_density[k] > base + log_ratio)
            *rank += posterior->weight[k];
    return BNRE_OK;
}

bnre_status bnre_region_contains(const bnre_region *region,
                                 bnre_session *session, size_t n,
                                 const double *theta, int *inside)
{
    const bnre_prior *prior = bnre__session_density(session)->prior;
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    double *kept = NULL, *base = NULL, *log_ratio = NULL;
    size_t *row = NULL, m = 0;

    BNRE_NEW(kept, n * dim);
    BNRE_NEW(base, n);
    BNRE_NEW(log_ratio, n);
    BNRE_NEW(row, n);
    for (size_t k = 0; k < n; k++) {
        inside[k] = 0;
        base[m] = log_prior(prior, theta + k * dim);
        if (!(base[m] > -HUGE_VAL))
            continue;
        for (size_t i = 0; i < dim; i++)
            kept[m * dim + i] = theta[k * dim + i];
        row[m++] = k;
    }
    BNRE_TRY(bnre_session_log_ratio(session, m, kept, log_ratio, NULL));
    for (size_t k = 0; k < m; k++)
        inside[row[k]] = base[k] + log_ratio[k] >= region->threshold;
done:
    bnre__free(row);
    bnre__free(log_ratio);
    bnre__free(base);
    bnre__free(kept);
    return status;
}
