/* diagnose_advice.c - what the command `diagnose` looks at beyond the
   diagnosis: the observation, theory, what more simulations would bring; and
   the advice that follows from all of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/dataset.h"
#include "bnre/settings.h"
#include "command/diagnose.h"
#include "data/dataset.h"
#include "trust/advice.h"
#include "trust/missing.h"
#include "trust/theorem.h"

enum { MOST = 2000 }; /* pairs that are enough here */

/* Of samples made elsewhere there is nothing more to look at. */
static int has_more(const bnre__diagnose_work *work)
{
    return work->estimator != NULL && work->settings->samples_file == NULL;
}

const bnre_certificate *
bnre__diagnose_certificate(const bnre_diagnose_outcome *outcome)
{
    const bnre_guarantee *guarantee = &outcome->guarantee;

    return outcome->certificate.given && guarantee->temper == outcome->tested &&
                   guarantee->widen == outcome->tested_widen &&
                   guarantee->observations <= 1
               ? &outcome->certificate
               : NULL;
}

static bnre_status read_observation(const bnre__diagnose_work *work,
                                    bnre_observations *observed)
{
    const bnre_dataset_info *info = bnre_dataset_describe(work->data);
    const char *const path[] = {work->settings->observation};

    const bnre_observation_form form = {
        .ndim = info->ndim,
        .shape = info->shape,
        .x_name = info->x_name,
    };

    return bnre_observations_read(&form, 1, path, observed);
}

/* What a data file names is not run: of a plugin, the user has to name it. */
static bnre_status refuse_foreign(const bnre__diagnose_work *work)
{
    const char *text = bnre_dataset_describe(work->data)->task;
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;

    if (text == NULL || work->settings->task != NULL ||
        work->request->task != NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(text, NULL, &node));
    if (bnre_node_find(node, "simulator") != NULL)
        BNRE_THROW(BNRE_EUSAGE,
                   "`theorems` needs the plugin of the task, and what a data "
                   "file names is never run: if you trust it, name the task "
                   "yourself with `task: FILE.yaml`");
done:
    bnre_node_destroy(node);
    return status;
}

bnre_status bnre__diagnose_check_advice(const bnre__diagnose_work *work)
{
    const bnre_diagnose_settings *settings = work->settings;
    bnre_observations observed = {0};
    bnre_dataset *learned = NULL;
    bnre_status status = BNRE_OK;

    if (!has_more(work))
        return BNRE_OK;
    if (settings->observation != NULL)
        BNRE_TRY(read_observation(work, &observed));
    if (settings->learning_curve != NULL)
        BNRE_TRY(bnre_dataset_open(settings->learning_curve, &learned));
    if (settings->theorems > 0 && settings->theorems < BNRE_DIAG_LEAST)
        BNRE_THROW(BNRE_EUSAGE, "theorems: %zu, but %d pairs are the least",
                   settings->theorems, BNRE_DIAG_LEAST);
    if (settings->theorems > 0)
        BNRE_TRY(refuse_foreign(work));
done:
    bnre_dataset_close(learned);
    bnre_observations_clear(&observed);
    return status;
}

bnre_status bnre__diagnose_record_advice(const bnre__diagnose_work *work,
                                         bnre_node *made)
{
    const bnre_diagnose_settings *settings = work->settings;
    bnre_observations observed = {0};
    bnre_dataset *learned = NULL;
    bnre_status status = BNRE_OK;
    char text[33];

    if (!has_more(work))
        return BNRE_OK;
    if (settings->observation != NULL) {
        BNRE_TRY(read_observation(work, &observed));
        bnre__observations_fingerprint(&observed, text);
        BNRE_TRY(bnre_node_set(made, "observed", text));
    }
    if (settings->learning_curve != NULL) {
        BNRE_TRY(bnre_dataset_open(settings->learning_curve, &learned));
        BNRE_TRY(bnre_dataset_fingerprint(learned, text));
        BNRE_TRY(bnre_node_set(made, "learning_curve", text));
    }
    if (settings->theorems > 0) {
        snprintf(text, sizeof text, "%zu", settings->theorems);
        BNRE_TRY(bnre_node_set(made, "theorems", text));
    }
done:
    bnre_dataset_close(learned);
    bnre_observations_clear(&observed);
    return status;
}

/* How far the observation is from the pairs; NaN if there is none. */
static bnre_status look_outside(const bnre__diagnose_work *work, double *p)
{
    bnre_observations observed = {0};
    bnre_status status = BNRE_OK;

    *p = (double)NAN;
    if (work->settings->observation == NULL)
        return BNRE_OK;
    BNRE_TRY(read_observation(work, &observed));
    BNRE_TRY(bnre__outside_dataset(work->data, MOST, observed.x, p));
done:
    bnre_observations_clear(&observed);
    return status;
}

/* The task that was named, none if the pairs tell it. */
static bnre_status open_task(const bnre__diagnose_work *work, bnre_task **out)
{
    const char *name = work->settings->task;
    const char *recorded = bnre_dataset_describe(work->data)->task;
    bnre_status status = BNRE_OK;

    if (work->request->task != NULL)
        return bnre_task_create(work->request->task, out);
    if (name == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_task_open(name, 0, NULL, out));
    if (recorded != NULL && strcmp(recorded, bnre_task_text(*out)) != 0)
        BNRE_THROW(BNRE_EUSAGE, "%s is of another task than %s",
                   work->settings->data, name);
done:
    return status;
}

/* Of the classifier as it was trained. The exact one comes from the task of the
   data, which the user has to name if it is not built in. */
static bnre_status check_theorems(const bnre__diagnose_work *work)
{
    const bnre_density density =
        bnre_estimator_density(work->estimator, BNRE_ALL_MEMBERS);
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL; /* one of its own: likelihoods are for one thread */

    BNRE_TRY(open_task(work, &task));
    BNRE_TRY(bnre__theorem_check_dataset(
        task, &density, work->data, work->settings->theorems,
        work->request->advising, &work->outcome->theorem));
done:
    bnre_task_destroy(task);
    return status;
}

/* Of the posteriors that are diagnosed. */
static bnre_status make_curve(const bnre__diagnose_work *work)
{
    const bnre_diagnose_request *request = work->request;
    const bnre_diagnose_settings *settings = work->settings;
    bnre_status status = BNRE_OK, restored;
    char *stem = NULL;

    if (request->stem != NULL)
        BNRE_TRY(bnre__strdup(request->stem, &stem));
    else
        BNRE_TRY(bnre__text_format(&stem, "%s.learning", request->estimator));
    BNRE_TRY(bnre_estimator_set_temper(work->estimator, work->temper[0]));
    status = bnre__learning_curve_make(
        work->estimator, settings->learning_curve, settings->data, MOST, stem,
        request->pool, request->advising, &work->outcome->curve);
    restored = bnre_estimator_set_temper(work->estimator, 1);
    if (status == BNRE_OK)
        status = restored;
done:
    bnre__free(stem);
    return status;
}

bnre_status bnre__diagnose_advise(const bnre__diagnose_work *work)
{
    bnre_diagnose_outcome *outcome = work->outcome;
    bnre__advice_opts opts = {.outside = (double)NAN};

    if (has_more(work)) {
        opts.estimator = bnre_estimator_describe(work->estimator);
        opts.certificate = bnre__diagnose_certificate(outcome);
        BNRE_DO(look_outside(work, &opts.outside));
        BNRE_DO(
            bnre__failures_missing(opts.estimator, work->data, &opts.missing));
        if (work->settings->theorems > 0)
            BNRE_DO(check_theorems(work));
        if (work->settings->learning_curve != NULL)
            BNRE_DO(make_curve(work));
        if (outcome->curve.n > 0)
            opts.curve = &outcome->curve;
    }
    BNRE_DO(bnre__advise(outcome->diag, &opts, &outcome->advice));
    return BNRE_OK;
}
