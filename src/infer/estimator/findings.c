/* findings.c - what is decided and found out about an estimator after its
   training: temper, width, certificate, scores of calibration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/read.h"

static void drop_cross(bnre_estimator *est)
{
    bnre__free(est->cross_score);
    bnre__free(est->cross_fold);
    est->cross_score = NULL;
    est->cross_fold = NULL;
    est->info.cross_score = NULL;
    est->info.cross_fold = NULL;
    est->info.cross_scores = 0;
}

/* What holds for one temper, width and combination alone. */
static void drop_findings(bnre_estimator *est)
{
    bnre__free(est->certificate);
    bnre__free(est->score);
    bnre__free(est->seen);
    est->certificate = NULL;
    est->score = NULL;
    est->seen = NULL;
    est->info.certificate = NULL;
    est->info.calibration = NULL;
    est->info.scores = 0;
    est->info.view = NULL;
    est->info.views = 0;
}

bnre_status bnre_estimator_set_temper(bnre_estimator *est, double temper)
{
    if (!(temper > 0 && temper <= 1))
        return bnre_fail(BNRE_EUSAGE,
                         "temper must be above 0 and at most 1, not %g",
                         temper);
    if (temper != est->info.temper)
        drop_findings(est);
    est->info.temper = temper;
    return BNRE_OK;
}

/* Closed form, and still a normalised density: it is the components that become
   wider. For x alone, and so for every posterior of the estimator alike. */
bnre_status bnre_estimator_set_widen(bnre_estimator *est, double widen)
{
    if (!(widen >= 1 && widen <= BNRE__MOST_WIDEN))
        return bnre_fail(BNRE_EUSAGE, "widen must be 1 to %d, not %g",
                         BNRE__MOST_WIDEN, widen);
    if (est->conditional == NULL && widen > 1)
        return bnre_fail(BNRE_EUSAGE,
                         "widen is for conditional densities (methods npe and "
                         "bnpe): a ratio can be tempered");
    if (widen != est->info.widen)
        drop_findings(est);
    est->info.widen = widen;
    return BNRE_OK;
}

void bnre__estimator_set_combine(bnre_estimator *est, bnre_combine combine)
{
    if (combine != est->info.combine) {
        drop_findings(est);
        drop_cross(est);
    }
    est->info.combine = combine;
}

bnre_status bnre__estimator_set_certificate(bnre_estimator *est,
                                            const char *certificate)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    char *copy = NULL;

    if (certificate != NULL) {
        BNRE_TRY(bnre_yaml_parse(certificate, "certificate", &map));
        BNRE_TRY(bnre__strdup(certificate, &copy));
    }
    bnre__free(est->certificate);
    est->certificate = copy;
    est->info.certificate = copy;
done:
    bnre_node_destroy(map);
    return status;
}

/* A score and the pair that it is of. */
struct scored {
    double score;
    size_t pair;
};

static int compare(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? 1 : -1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static bnre_status check_calibration(size_t n, const double *score,
                                     size_t views, const float *view)
{
    for (size_t i = 0; i < n; i++)
        if (!(score[i] >= 0 && score[i] <= 1))
            return bnre_fail(BNRE_ENUM, "score %zu is %g, not within [0, 1]", i,
                             score[i]);
    for (size_t i = 0; i < n * views; i++)
        if (!isfinite(view[i]))
            return bnre_fail(BNRE_ENUM, "a view of pair %zu is not finite",
                             i / views);
    return BNRE_OK;
}

static int compare_cross(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;

    if (x->pair != y->pair) /* here, the fold */
        return x->pair > y->pair ? 1 : -1;
    return (x->score > y->score) - (x->score < y->score);
}

bnre_status bnre__estimator_set_cross_scores(bnre_estimator *est, size_t n,
                                             const double *score,
                                             const uint8_t *fold)
{
    bnre_status status = BNRE_OK;
    struct scored *order = NULL;
    double *copy = NULL;
    uint8_t *folds = NULL;

    BNRE_TRY(check_calibration(n, score, 0, NULL));
    for (size_t i = 0; i < n; i++)
        if (fold[i] >= est->info.folds)
            BNRE_THROW(BNRE_EINVAL, "score %zu is of fold %d of %zu", i,
                       fold[i], est->info.folds);
    if (n > 0) {
        BNRE_NEW(order, n);
        BNRE_NEW(copy, n);
        BNRE_NEW(folds, n);
        for (size_t i = 0; i < n; i++)
            order[i] = (struct scored){score[i], fold[i]};
        qsort(order, n, sizeof *order, compare_cross);
        for (size_t i = 0; i < n; i++) {
            copy[i] = order[i].score;
            folds[i] = (uint8_t)order[i].pair;
        }
    }
    drop_cross(est);
    est->cross_score = copy;
    est->cross_fold = folds;
    est->info.cross_score = copy;
    est->info.cross_fold = folds;
    est->info.cross_scores = n;
    copy = NULL;
    folds = NULL;
done:
    bnre__free(folds);
    bnre__free(copy);
    bnre__free(order);
    return status;
}

bnre_status bnre__estimator_set_calibration(bnre_estimator *est, size_t n,
                                            const double *score)
{
    return bnre__estimator_set_calibration_views(est, n, score, 0, NULL);
}

bnre_status bnre__estimator_set_calibration_views(bnre_estimator *est, size_t n,
                                                  const double *score,
                                                  size_t views,
                                                  const float *view)
{
    bnre_status status = BNRE_OK;
    struct scored *order = NULL;
    double *copy = NULL;
    float *seen = NULL;

    BNRE_TRY(check_calibration(n, score, views, view));
    if (n > 0) {
        BNRE_NEW(order, n);
        BNRE_NEW(copy, n);
        BNRE_NEW(seen, n * views);
        for (size_t i = 0; i < n; i++)
            order[i] = (struct scored){score[i], i};
        qsort(order, n, sizeof *order, compare);
        for (size_t i = 0; i < n; i++) {
            copy[i] = order[i].score;
            if (views > 0)
                memcpy(seen + i * views, view + order[i].pair * views,
                       views * sizeof *seen);
        }
    }
    bnre__free(est->score);
    bnre__free(est->seen);
    est->score = copy;
    est->seen = seen;
    est->info.calibration = copy;
    est->info.view = seen;
    est->info.scores = n;
    est->info.views = n > 0 ? views : 0;
    copy = NULL;
    seen = NULL;
done:
    bnre__free(seen);
    bnre__free(copy);
    bnre__free(order);
    return status;
}

/* ---- from a file ---- */

/* Scores that were computed in another way say nothing about regions today. */
static bnre_status refuse_old_scores(const bnre__reading *source)
{
    bnre__h5_info info;
    int found;

    BNRE_DO(bnre__reading_look(source, "findings/calibration", &info, &found));
    if (found)
        BNRE_DO(bnre__reading_fail(
            source, "it was calibrated by an older version, whose scores "
                    "mean something else: train it again, with `force`"));
    return BNRE_OK;
}

static bnre_status read_scores(const bnre__reading *source, bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__file_part part = {
        .name = "findings/scores", .kind = 'f', .item = 8, .ndim = 1};
    bnre__file_part view = {
        .name = "findings/view", .kind = 'f', .item = 4, .ndim = 2};
    bnre__h5_info info, views;
    double *score = NULL;
    float *seen = NULL;
    int found;

    BNRE_TRY(refuse_old_scores(source));
    BNRE_TRY(bnre__reading_look(source, part.name, &info, &found));
    if (!found)
        goto done;
    BNRE_NEW(score, info.rows);
    part.shape[0] = info.rows;
    part.into = score;
    BNRE_TRY(bnre__reading_array(source, &part));
    BNRE_TRY(bnre__reading_look(source, view.name, &views, &found));
    if (found) {
        if (views.ndim != 2 || views.rows != info.rows)
            BNRE_TRY(bnre__reading_fail(source, "its calibration is damaged"));
        view.shape[0] = views.rows;
        view.shape[1] = views.shape[1];
        BNRE_NEW(seen, views.rows * view.shape[1]);
        view.into = seen;
        BNRE_TRY(bnre__reading_array(source, &view));
    }
    BNRE_TRY(bnre__estimator_set_calibration_views(est, info.rows, score,
                                                   view.shape[1], seen));
done:
    bnre__free(seen);
    bnre__free(score);
    return status;
}

static bnre_status read_cross_scores(const bnre__reading *source,
                                     bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__file_part part = {
        .name = "findings/cross_scores", .kind = 'f', .item = 8, .ndim = 1};
    bnre__file_part of = {
        .name = "findings/cross_folds", .kind = 'u', .item = 1, .ndim = 1};
    bnre__h5_info info;
    double *score = NULL;
    uint8_t *fold = NULL;
    int found;

    BNRE_TRY(bnre__reading_look(source, part.name, &info, &found));
    if (!found)
        goto done;
    part.shape[0] = of.shape[0] = info.rows;
    BNRE_NEW(score, info.rows);
    BNRE_NEW(fold, info.rows);
    part.into = score;
    of.into = fold;
    BNRE_TRY(bnre__reading_array(source, &part));
    BNRE_TRY(bnre__reading_array(source, &of));
    if (bnre__estimator_set_cross_scores(est, info.rows, score, fold) !=
        BNRE_OK)
        BNRE_TRY(
            bnre__reading_fail(source, "its scores out of fold are damaged"));
done:
    bnre__free(fold);
    bnre__free(score);
    return status;
}

bnre_status bnre__reading_findings(const bnre__reading *source,
                                   bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    char *certificate = NULL, *stored = NULL, hash[33];

    BNRE_TRY(bnre__h5_text(source->h5, "findings", "fingerprint", &stored));
    if (stored == NULL)
        goto done;
    BNRE_TRY(
        bnre__h5_text(source->h5, "findings", "certificate", &certificate));
    BNRE_TRY(bnre__estimator_set_certificate(est, certificate));
    BNRE_TRY(read_scores(source, est));
    BNRE_TRY(read_cross_scores(source, est));
    bnre__findings_hash(est, source->fingerprint, hash);
    if (strcmp(hash, stored) != 0)
        BNRE_TRY(bnre__reading_fail(
            source, "its certificate or calibration is damaged, or "
                    "belongs to another estimator"));
done:
    bnre__free(stored);
    bnre__free(certificate);
    return status;
}
