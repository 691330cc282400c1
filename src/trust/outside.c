/* Whether an observation is like the simulated ones: its mean distance to the
   nearest of them, ranked among theirs (a conformal p-value: Vovk, Gammerman
   and Shafer 2005). O(n^2 size). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "bnre/certificate.h"
#include "bnre/posterior.h"
#include "trust/advice.h"
#include "trust/scores.h"

enum { NEAREST = 10, LEAST = 20 };

/* Half of what lies between the quantiles 16 % and 84 %, or 1: robust. */
static double spread_of(size_t n, size_t size, const double *row, size_t i,
                        double *scratch)
{
    double spread;

    for (size_t k = 0; k < n; k++)
        scratch[k] = row[k * size + i];
    bnre__sort_doubles(n, scratch);
    spread = (scratch[n * 84 / 100] - scratch[n * 16 / 100]) / 2;
    return spread > 0 ? spread : 1;
}

/* Mean distance of x to its nearest rows, row `skip` left out. Beyond three
   spreads a coordinate counts by its logarithm, lest one long tail decide. */
static double distance_of(size_t n, size_t size, const double *row,
                          const double *spread, const double *x, size_t skip)
{
    double nearest[NEAREST], sum = 0;
    size_t have = 0;

    for (size_t k = 0; k < n; k++) {
        double d = 0;
        size_t at;

        if (k == skip)
            continue;
        for (size_t i = 0; i < size; i++) {
            double z = fabs(x[i] - row[k * size + i]) / spread[i];

            z = z > 3 ? 3 * (1 + log(z / 3)) : z;
            d += z * z;
        }
        for (at = have < NEAREST ? have++ : NEAREST;
             at > 0 && nearest[at - 1] > d; at--)
            if (at < NEAREST)
                nearest[at] = nearest[at - 1];
        if (at < NEAREST)
            nearest[at] = d;
    }
    for (size_t k = 0; k < have; k++)
        sum += sqrt(nearest[k]) / (double)have;
    return sum;
}

bnre_status bnre__outside_pvalue(size_t n, size_t size, const double *row,
                                 const double *x, double *p)
{
    bnre_status status = BNRE_OK;
    double *spread = NULL, *scratch = NULL, own;
    double *all = NULL;
    size_t farther = 1;

    if (n < LEAST)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulated x are too few to compare with: %d are "
                         "the least",
                         n, LEAST);
    BNRE_NEW(spread, size);
    BNRE_NEW(scratch, n);
    BNRE_NEW(all, (n + 1) * size);
    memcpy(all, row, n * size * sizeof *all);
    memcpy(all + n * size, x, size * sizeof *all);
    for (size_t i = 0; i < size; i++)
        spread[i] = spread_of(n, size, row, i, scratch);
    /* Each against all others, the observation among them: exchangeable. */
    own = distance_of(n + 1, size, all, spread, x, n);
    for (size_t k = 0; k < n; k++)
        farther +=
            distance_of(n + 1, size, all, spread, all + k * size, k) >= own;
    *p = (double)farther / (double)(n + 1);
done:
    bnre__free(all);
    bnre__free(scratch);
    bnre__free(spread);
    return status;
}

bnre_status bnre__outside_dataset(bnre_dataset *data, size_t most,
                                  const double *x, double *p)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t rows = info->rows < most ? info->rows : most;
    bnre_status status = BNRE_OK;
    uint8_t *drawn = NULL;
    double *row = NULL;
    size_t n = 0;

    BNRE_NEW(row, rows * info->x_size);
    BNRE_NEW(drawn, rows);
    BNRE_TRY(bnre_dataset_read(data, 0, rows, NULL, NULL, row, drawn));
    for (size_t i = 0; i < rows; i++)
        if (drawn[i] == BNRE_DRAW_OK)
            memmove(row + info->x_size * n++, row + info->x_size * i,
                    info->x_size * sizeof *row);
    BNRE_TRY(bnre__outside_pvalue(n, info->x_size, row, x, p));
done:
    bnre__free(drawn);
    bnre__free(row);
    return status;
}

bnre_status bnre__outside_estimator(const bnre_estimator *est, const double *x,
                                    double *p)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_density density;
    bnre_session *session = NULL;
    bnre_status status = BNRE_OK;
    float view[BNRE__VIEWS];
    double own[BNRE__VIEWS], *row = NULL;

    *p = NAN;
    /* p is 1 / (n + 1) at least: fewer could never tell. */
    if (info->views != BNRE__VIEWS ||
        (double)(info->scores + 1) * BNRE_UNLIKE <= 1)
        return BNRE_OK;
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_session_open(&density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, x));
    BNRE_TRY(bnre__view_of(session, view));
    BNRE_NEW(row, info->scores * BNRE__VIEWS);
    for (size_t i = 0; i < info->scores * BNRE__VIEWS; i++)
        row[i] = (double)info->view[i];
    for (size_t i = 0; i < BNRE__VIEWS; i++)
        own[i] = (double)view[i];
    BNRE_TRY(bnre__outside_pvalue(info->scores, BNRE__VIEWS, row, own, p));
done:
    bnre__free(row);
    bnre_session_close(session);
    return status;
}
