/* A grid that shrinks to the box with the mass, until it no longer does. */
#include <math.h>

#include "base/mem.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

/* Mass that may be lost on each side of each axis. Far below what the grid
   itself gets wrong. */
static const double spare = 1e-9;

enum { MOST_ROUNDS = 12, MARGIN = 2 /* cells */ };

/* The first and last cell of axis i that cannot be spared, with a margin. */
static bnre_status trim(const bnre_posterior *posterior, size_t i,
                        size_t *first, size_t *last)
{
    const size_t n = posterior->points->axis[i];
    bnre_status status = BNRE_OK;
    double *mass = NULL, sum = 0;

    BNRE_NEW(mass, n);
    BNRE_TRY(bnre_posterior_marginal(posterior, i, mass));
    for (*first = 0; *first + 1 < n && sum + mass[*first] < spare; *first += 1)
        sum += mass[*first];
    sum = 0;
    for (*last = n - 1; *last > *first && sum + mass[*last] < spare; *last -= 1)
        sum += mass[*last];
    *first = *first > MARGIN ? *first - MARGIN : 0;
    *last = *last + MARGIN < n ? *last + MARGIN : n - 1;
done:
    bnre__free(mass);
    return status;
}

/* The box that holds the mass; *gain receives by how much it is smaller along
   the axis where it shrinks most. */
static bnre_status find_box(const bnre_posterior *posterior, double *low,
                            double *high, double *gain)
{
    const bnre_points *points = posterior->points;

    *gain = 1;
    for (size_t i = 0; i < points->dim; i++) {
        const double n = (double)points->axis[i];
        const double width = (points->high[i] - points->low[i]) / n;
        size_t first, last;

        low[i] = points->low[i];
        high[i] = points->high[i];
        if (bnre__prior_values(points->prior, i, NULL) != BNRE__CONTINUOUS)
            continue; /* each value has its cell */
        BNRE_DO(trim(posterior, i, &first, &last));
        low[i] = points->low[i] + width * (double)first;
        high[i] = last + 1 == points->axis[i]
                      ? points->high[i]
                      : points->low[i] + width * (double)(last + 1);
        *gain = fmax(*gain, n / (double)(last + 1 - first));
    }
    return BNRE_OK;
}

bnre_status bnre__posterior_zoom(bnre_posterior *posterior,
                                 bnre_session *session,
                                 const bnre_monitor *monitor)
{
    const size_t dim = posterior->points->dim;
    bnre_status status = BNRE_OK;
    double *low = NULL, *high = NULL, gain = HUGE_VAL;

    BNRE_NEW(low, dim);
    BNRE_NEW(high, dim);
    BNRE_TRY(bnre__posterior_evaluate(posterior, session, monitor));
    for (int round = 0; round < MOST_ROUNDS; round++) {
        BNRE_TRY(find_box(posterior, low, high, &gain));
        if (gain < 1.25)
            break;
        BNRE_TRY(bnre__points_shrink(posterior->own, low, high));
        BNRE_TRY(bnre__posterior_evaluate(posterior, session, monitor));
    }
done:
    bnre__free(high);
    bnre__free(low);
    return status;
}
