/* cross_conformal.c - conformal regions from the simulations an estimator learned
   from: each is scored by the members that have not seen it.

   The guarantee (Barber, Candes, Ramdas, Tibshirani 2021, theorem 4: CV+). The
   new pair is like the N simulations: all are exchangeable, folds are laid by
   the numbers of rows alone, and training treats rows alike. Let i beat j if
   the score of i is larger, both by members that have seen neither. In such a
   tournament at most 2 (1 - c) (N + 1) players can beat c (N + 1) others each,
   and that the new pair makes one fold larger costs sqrt(2 / N) at most. Theta
   is left out only if it beats that many.

   Settings are fixed before the data: members are taken as trained, since the
   width that is delivered was chosen on the same rows. Both scores come from
   the same code, from points that depend on x and the fold alone. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "posterior/posterior.h"
#include "trust/conformal.h"
#include "trust/cross.h"
#include "trust/scores.h"

enum {
    BLOCK_VALUES = 1 << 23, /* of x at a time */
    OWN_DRAWS = 200         /* of a posterior, for a score: part of what scores
                               in files mean. The guarantee needs no accuracy, and
                               all simulations are scored in every training */
};

bnre_status bnre__cross_calibrate(bnre__cross *cross, bnre_pool *pool,
                                  bnre_estimator *est)
{
    const size_t dim = est->info.dim_theta, size = est->info.x_size + 1;
    const size_t n = cross->n,
                 block = BLOCK_VALUES / size > 0 ? BLOCK_VALUES / size : 1;
    bnre_status status = BNRE_OK;
    double *x = NULL, *score = NULL, *ess = NULL;

    bnre__cross_plain(cross, est);
    BNRE_NEW(x, (n < block ? n : block) * size);
    BNRE_NEW(score, n);
    BNRE_NEW(ess, n);
    for (size_t first = 0, rows; first < n; first += rows) {
        rows = n - first < block ? n - first : block;
        BNRE_TRY(bnre__cross_read(cross, first, rows, x));
        BNRE_TRY(bnre__score_pairs(&cross->density, OWN_DRAWS, rows,
                                   cross->theta + first * dim, x, pool,
                                   score + first, NULL, ess + first));
    }
    BNRE_TRY(bnre__estimator_set_cross_scores(
        est, bnre__scores_are_blind(n, ess) ? 0 : n, score, cross->fold));
done:
    bnre__free(ess);
    bnre__free(score);
    bnre__free(x);
    return status;
}

/* ---- the region of an observation ---- */

/* How many of n sorted numbers are below the value. */
static size_t count_below(size_t n, const double *sorted, double value)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Add to beaten (n) how many simulations of one fold each point beats. */
static bnre_status count_fold(const bnre_estimator_info *info, size_t first,
                              size_t last, bnre__scorer *scorer,
                              const bnre_points *points, double *log_ratio,
                              size_t *beaten)
{
    BNRE_DO(bnre_session_log_ratio(scorer->session, points->n, points->theta,
                                   log_ratio, NULL));
    for (size_t i = 0; i < points->n; i++)
        beaten[i] += count_below(
            last - first, info->cross_score + first,
            bnre__scorer_score(scorer, points->log_prior[i] + log_ratio[i]));
    return BNRE_OK;
}

/* beaten (n): how many simulations each point of the posterior beats. For each
   fold a scorer's own points, an evaluation of n points by its members, and a
   binary search for each. */
static bnre_status count_all(const bnre_estimator *est, const double *x,
                             const bnre_points *points, size_t *beaten)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_status status = BNRE_OK;
    bnre__cross cross = {0};
    bnre__scorer scorer = {0};
    double *with_fold = NULL, *log_ratio = NULL;

    bnre__cross_plain(&cross, est);
    BNRE_NEW(with_fold, info->x_size + 1);
    BNRE_NEW(log_ratio, points->n);
    memcpy(with_fold, x, info->x_size * sizeof *x);
    BNRE_TRY(bnre__scorer_init(&scorer, &cross.density));
    bnre__scorer_draws(&scorer, OWN_DRAWS);
    for (size_t first = 0, last; first < info->cross_scores; first = last) {
        for (last = first + 1;
             last < info->cross_scores &&
             info->cross_fold[last] == info->cross_fold[first];
             last++)
            ;
        with_fold[info->x_size] = info->cross_fold[first];
        BNRE_TRY(bnre__scorer_observe(&scorer, with_fold));
        BNRE_TRY(bnre__conformal_sees(&scorer));
        BNRE_TRY(
            count_fold(info, first, last, &scorer, points, log_ratio, beaten));
    }
done:
    bnre__scorer_clear(&scorer);
    bnre__free(log_ratio);
    bnre__free(with_fold);
    bnre__cross_clear(&cross);
    return status;
}

/* The density above which all points lie that beat fewer than c (N + 1). */
static double enclose(const bnre_posterior *posterior, const size_t *beaten,
                      size_t n, double c)
{
    const bnre_points *points = posterior->points;
    double threshold = HUGE_VAL;

    if (c * (double)(n + 1) > (double)n)
        return -HUGE_VAL; /* too few for any to be left out */
    for (size_t i = 0; i < points->n; i++)
        if ((double)beaten[i] < c * (double)(n + 1))
            threshold = fmin(threshold, posterior->log_density[i]);
    return threshold;
}

bnre_status bnre__conformal_cross(const bnre_estimator *est, const double *x,
                                  bnre_posterior *posterior, size_t n,
                                  const double *level,
                                  bnre_conformal_region *out)
{
    const size_t N = bnre_estimator_describe(est)->cross_scores;
    bnre_status status = BNRE_OK;
    size_t *beaten = NULL;

    if (N == 0)
        return bnre_fail(BNRE_EUSAGE, "the estimator has no scores out of "
                                      "fold: train it with `trust: auto`");
    BNRE_NEW(beaten, posterior->points->n);
    BNRE_TRY(count_all(est, x, posterior->points, beaten));
    for (size_t i = 0; i < n; i++) {
        bnre_conformal_region *r = &out[i];

        *r = (bnre_conformal_region){
            .conformal = {.level = level[i],
                          .pairs = N,
                          .k = (size_t)ceil(level[i] * (double)(N + 1)),
                          .mean = level[i],
                          .assured =
                              fmax(0, 2 * level[i] - 1 - sqrt(2 / (double)N)),
                          .cross = 1}};
        BNRE_TRY(bnre_posterior_regions(posterior, 1, &level[i], &r->nominal));
        BNRE_TRY(bnre__region_above(
            posterior, enclose(posterior, beaten, N, level[i]), &r->region));
        r->conformal.qhat = r->region.content;
        r->paid = r->region.prior_mass / r->nominal.prior_mass;
    }
done:
    bnre__free(beaten);
    return status;
}
