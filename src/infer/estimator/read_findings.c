/* read_findings.c - what was found out about an estimator later: its certificate
   and the scores of calibration, which belong to it alone. */
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/read.h"

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
