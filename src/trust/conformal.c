/* Conformal regions: scores of pairs, what follows from them for a level, and
   the region of an observation. */
#include "trust/conformal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "bnre/certificate.h"
#include "data/rows.h"
#include "diag/sight.h"
#include "infer/estimator/estimator.h"
#include "num/dist.h"
#include "posterior/posterior.h"
#include "prior/prior.h"
#include "trust/missing.h"
#include "trust/scores.h"

enum { SEED = 1 };

/* With fewer effective points a region is what happens to lie in its cell. */
static const double FEW_POINTS = 2;

/* ---- scores of pairs ---- */

bnre_status bnre__conformal_scores(const bnre_density *density, size_t n,
                                   const double *theta, const double *x,
                                   bnre_pool *pool, double *score)
{
    return bnre__score_pairs(density, 0, n, theta, x, pool, score, NULL, NULL);
}

static bnre_status check_data(const bnre_estimator *est, bnre_dataset *data)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const bnre_estimator_info *own = bnre_estimator_describe(est);
    size_t seen;

    if (bnre_estimator_prior(est) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "a classifier has no regions to calibrate");
    if (info->dim_theta > own->dim_theta && info->x_size == own->x_size)
        BNRE_DO(bnre__estimator_arrange(est, data));
    if (info->dim_theta != own->dim_theta || info->x_size != own->x_size)
        return bnre_fail(
            BNRE_EUSAGE,
            "the pairs have %zu parameters and %zu values of x, the "
            "estimator %zu and %zu: are they of another task?",
            info->dim_theta, info->x_size, own->dim_theta, own->x_size);
    BNRE_DO(bnre__estimator_check_prior(est, data));
    BNRE_DO(bnre__estimator_overlap(est, data, &seen));
    if (seen > 0)
        return bnre_fail(
            BNRE_EUSAGE,
            "%zu of the pairs for calibration are ones that the estimator was "
            "trained on: simulate fresh ones with `split: calibrate`",
            seen);
    return BNRE_OK;
}

/* n valid pairs move to the front, those that are kept (NULL: all) and that
   `thin` takes; returns how many. */
static size_t gather(const bnre_dataset_info *info, size_t n,
                     const uint8_t *keep, bnre__thin *thin, double *theta,
                     double *x)
{
    const size_t dim = info->dim_theta, size = info->x_size;
    size_t to = 0;

    for (size_t i = 0; i < n; i++)
        if (keep[i] && (thin == NULL || bnre__thin_next(thin))) {
            memmove(theta + to * dim, theta + i * dim, dim * sizeof *theta);
            memmove(x + to * size, x + i * size, size * sizeof *x);
            to++;
        }
    return to;
}

/* The pairs to calibrate with, draws of the prior: *n of them in theta and x,
   which have room for all rows. */
static bnre_status take_pairs(const bnre_density *density, bnre_dataset *data,
                              size_t most, double *theta, double *x, size_t *n)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre_status status = BNRE_OK;
    uint8_t *keep = NULL;
    double *p = NULL;
    bnre__thin thin;
    size_t left = info->rows - info->failed;

    BNRE_NEW(keep, info->rows);
    BNRE_TRY(bnre_dataset_read(data, 0, info->rows, theta, NULL, x, keep));
    for (size_t i = 0; i < info->rows; i++)
        keep[i] = keep[i] == BNRE_DRAW_OK;
    *n = gather(info, info->rows, keep, NULL, theta, x);
    memset(keep, 1, *n);
    if (density->result != NULL && info->failed > 0) {
        BNRE_NEW(p, *n);
        BNRE_TRY(density->result(density->context, *n, theta, p));
        left = bnre__thin_level(*n, p, SEED, BNRE_SPLIT_CALIBRATE, keep);
    }
    thin = bnre__thin_begin(info, left, most, SEED, BNRE_SPLIT_CALIBRATE);
    *n = gather(info, *n, keep, &thin, theta, x);
done:
    bnre__free(p);
    bnre__free(keep);
    return status;
}

bnre_status bnre__conformal_calibrate(bnre_estimator *est, bnre_dataset *data,
                                      size_t most, bnre_pool *pool)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_status status = BNRE_OK;
    double *theta = NULL, *score = NULL, *ess = NULL, *x = NULL;
    float *view = NULL;
    size_t n = 0;

    BNRE_TRY(check_data(est, data));
    BNRE_NEW(theta, info->rows * info->dim_theta);
    BNRE_NEW(x, info->rows * info->x_size);
    BNRE_TRY(take_pairs(&density, data, most, theta, x, &n));
    BNRE_TRY(bnre__prior_check(density.prior, "pair", 0, n, theta));
    BNRE_NEW(score, n);
    BNRE_NEW(ess, n);
    BNRE_NEW(view, n * BNRE__VIEWS);
    BNRE_TRY(
        bnre__score_pairs(&density, 0, n, theta, x, pool, score, view, ess));
    if (bnre__scores_are_blind(n, ess))
        n = 0;
    BNRE_TRY(bnre__estimator_set_calibration_views(est, n, score, BNRE__VIEWS,
                                                   view));
done:
    bnre__free(view);
    bnre__free(ess);
    bnre__free(score);
    bnre__free(x);
    bnre__free(theta);
    return status;
}

/* ---- what follows from scores ---- */

/* (m + 1) c a hair above a whole number is that number. */
static size_t place_of(size_t m, double level)
{
    return (size_t)ceil((double)(m + 1) * level * (1 - 1e-14));
}

size_t bnre__conformal_needed(double level)
{
    /* ceil((m + 1) c) <= m if and only if (m + 1) c <= m */
    const double bound = level / (1 - level);
    size_t m = bound > 2 ? (size_t)(fmin(bound, 1e16) * (1 - 1e-9)) - 1 : 1;

    while (level < 1 && place_of(m, level) > m)
        m++;
    return m;
}

bnre_conformal bnre__conformal_level(size_t m, const double *score,
                                     double level)
{
    bnre_conformal out = {.level = level, .pairs = m, .k = place_of(m, level)};

    if (out.k < 1)
        out.k = 1;
    if (out.k > m) {
        out.qhat = out.mean = out.assured = 1;
        return out;
    }
    out.qhat = score[out.k - 1];
    out.mean = (double)out.k / (double)(m + 1);
    out.assured =
        bnre__beta_quantile(0.05, (double)out.k, (double)(m + 1 - out.k));
    return out;
}

/* ---- the region of an observation ---- */

enum { FEWEST_ALIKE = 200, SHARE_ALIKE = 5 };

struct near {
    double distance;
    size_t pair;
};

static int nearer_first(const void *a, const void *b)
{
    const struct near *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance > y->distance ? 1 : -1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* The sorted scores of the calibration pairs most like the observation: all are
   measured and sorted, O(m (views + log m)). */
static bnre_status find_alike(const bnre_estimator_info *info,
                              const float view[BNRE__VIEWS], size_t *n,
                              double **out)
{
    bnre_status status = BNRE_OK;
    struct near *near = NULL;

    *n = info->scores / SHARE_ALIKE;
    if (*n < FEWEST_ALIKE)
        *n = FEWEST_ALIKE < info->scores ? FEWEST_ALIKE : info->scores;
    BNRE_NEW(near, info->scores);
    BNRE_NEW(*out, *n);
    for (size_t i = 0; i < info->scores; i++) {
        near[i].pair = i;
        for (size_t j = 0; j < BNRE__VIEWS; j++) {
            const double d =
                (double)info->view[i * BNRE__VIEWS + j] - (double)view[j];

            near[i].distance += d * d;
        }
    }
    qsort(near, info->scores, sizeof *near, nearer_first);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = info->calibration[near[i].pair];
    bnre__sort_doubles(*n, *out);
done:
    bnre__free(near);
    return status;
}

bnre_status bnre__region_above(bnre_posterior *posterior, double threshold,
                               bnre_region *out)
{
    const bnre_points *points = bnre_posterior_points(posterior);
    const double *log_ratio = bnre_posterior_log_ratio(posterior);
    const double *weight = bnre_posterior_weight(posterior);
    double content = 0, level;

    for (size_t i = 0; i < points->n; i++)
        if (points->log_prior[i] + log_ratio[i] >= threshold)
            content += weight[i];
    level = fmin(fmax(content * (1 - 1e-12), 1e-12), 1 - 1e-12);
    BNRE_DO(bnre_posterior_regions(posterior, 1, &level, out));
    out->level = out->content = fmin(content, 1);
    out->threshold = threshold;
    if (threshold == -HUGE_VAL)
        out->prior_mass = 1;
    return BNRE_OK;
}

static bnre_status check_use(const bnre_estimator_info *info, int local)
{
    if (info->scores == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "the estimator has no calibration pairs: train it "
                         "with `calibrate: N` or `calibrate: FILE`");
    if (local && info->views != BNRE__VIEWS)
        return bnre_fail(BNRE_EUSAGE,
                         "the estimator does not tell which calibration pairs "
                         "are alike: calibrate it anew");
    return BNRE_OK;
}

bnre_status bnre__conformal_sees(bnre__scorer *scorer)
{
    const double ess = bnre__scorer_ess(scorer, NULL, 0);

    if (ess < FEW_POINTS)
        return bnre_fail(BNRE_EDOUBT,
                         "there are no conformal regions: this posterior is "
                         "too narrow for the points by which they are found, "
                         "of which %.1f bear weight (blind)",
                         ess);
    return BNRE_OK;
}

bnre_status bnre__conformal_place(const bnre__scorer *scorer,
                                  bnre_posterior *posterior,
                                  bnre_conformal_region *out)
{
    BNRE_DO(bnre_posterior_regions(posterior, 1, &out->conformal.level,
                                   &out->nominal));
    BNRE_DO(bnre__region_above(
        posterior, bnre__scorer_threshold(scorer, out->conformal.qhat),
        &out->region));
    out->paid = out->region.prior_mass / out->nominal.prior_mass;
    return BNRE_OK;
}

bnre_status bnre__conformal_regions(const bnre_estimator *est,
                                    bnre_session *session, const double *x,
                                    bnre_posterior *posterior, int local,
                                    size_t n, const double *level,
                                    bnre_conformal_region *out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    const double *score = info->calibration;
    size_t scores = info->scores;
    bnre_status status = BNRE_OK;
    bnre__scorer scorer = {0};
    float view[BNRE__VIEWS];
    double *alike = NULL;

    BNRE_TRY(check_use(info, local));
    BNRE_TRY(bnre__scorer_init(&scorer, bnre__session_density(session)));
    BNRE_TRY(bnre__scorer_observe(&scorer, x));
    BNRE_TRY(bnre__conformal_sees(&scorer));
    if (local) {
        BNRE_TRY(bnre__view_of(scorer.session, view));
        BNRE_TRY(find_alike(info, view, &scores, &alike));
        score = alike;
    }
    for (size_t i = 0; i < n; i++) {
        bnre_conformal_region *region = &out[i];

        region->conformal = bnre__conformal_level(scores, score, level[i]);
        region->conformal.local = local;
        BNRE_TRY(bnre__conformal_place(&scorer, posterior, region));
    }
done:
    bnre__free(alike);
    bnre__scorer_clear(&scorer);
    return status;
}

/* Of calibration pairs that are weighed for another prior. */
static bnre_status other_prior_words(const bnre_conformal *conformal,
                                     char **text)
{
    const double percent = 100 * conformal->level;

    if (conformal->k > conformal->pairs)
        return bnre__text_format(
            text,
            "the %g %% conformal region is all of the prior's support: %zu "
            "pairs, worth %.0f of the new prior, are too few for this level",
            percent, conformal->pairs, conformal->worth);
    return bnre__text_format(
        text,
        "the %g %% conformal region contains the true parameters in at "
        "least %.4g %% of cases, for data from this simulator and the new "
        "prior (an average over such data and over sets of pairs; the %zu "
        "pairs at hand are worth %.0f of that prior)",
        percent, 100 * conformal->assured, conformal->pairs, conformal->worth);
}

bnre_status bnre_conformal_words(const bnre_conformal *conformal,
                                 const bnre_guarantee *guarantee, char **text)
{
    const double percent = 100 * conformal->level;
    bnre_status status = BNRE_OK;
    const double missing = guarantee != NULL && guarantee->certificate != NULL
                               ? conformal->cross
                                     ? guarantee->certificate->cross.missing
                                     : guarantee->certificate->calibrate.missing
                               : 0;
    char why[BNRE_WHY];

    *text = NULL;
    if (guarantee != NULL && bnre_guarantee_void(guarantee, why))
        status = bnre__text_format(
            text, "no guarantee holds for the %g %% conformal region%s: %s",
            percent, conformal->local ? " of pairs alike" : "", why);
    else if (conformal->worth > 0)
        status = other_prior_words(conformal, text);
    else if (conformal->k > conformal->pairs)
        status = bnre__text_format(
            text,
            "the %g %% conformal region is all of the prior's support: %zu "
            "calibration pairs%s are too few for this level, which needs %zu",
            percent, conformal->pairs,
            conformal->local ? " like the observation" : "",
            bnre__conformal_needed(conformal->level));
    else if (conformal->cross)
        status = bnre__text_format(
            text,
            "the %g %% conformal region contains the true parameters in about "
            "%g %% of cases, and whatever the estimator's faults in at least "
            "%.1f %%, for data from this simulator and prior (out of fold: an "
            "average over such data and over sets of %zu simulations to learn "
            "from%s)",
            percent, percent, 100 * conformal->assured, conformal->pairs,
            missing > 0 ? ", where simulations are not missing" : "");
    else if (conformal->local)
        status = bnre__text_format(
            text,
            "APPROXIMATE: the %g %% conformal region of the %zu pairs most "
            "like the observation contains the true parameters in about %g %% "
            "of such cases, without a guarantee",
            percent, conformal->pairs, percent);
    else
        status = bnre__text_format(
            text,
            "the %g %% conformal region contains the true parameters in at "
            "least %g %% of cases, for data from this simulator and prior%s "
            "(an average over such data and over sets of calibration pairs; "
            "with the %zu pairs at hand at least %.1f %% with 95 %% "
            "confidence)",
            percent, percent,
            missing > 0 ? ", where simulations are not missing" : "",
            conformal->pairs, 100 * conformal->assured);
    return status;
}
