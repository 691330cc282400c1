/* diagnose.c - the command `diagnose`: from an estimator and fresh pairs to a
   verdict in files, once for the command line and for studies. */
#include "command/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "bnre/text.h"
#include "data/dataset.h"
#include "diag/diag.h"
#include "infer/estimator/estimator.h"
#include "output/diag_files.h"
#include "output/output.h"
#include "trust/advice.h"
#include "trust/certificate.h"

static void clear_work(bnre__diagnose_work *work)
{
    bnre__output_close(work->output);
    bnre_node_destroy(work->made);
    bnre__free(work->temper);
    bnre_joint_destroy(work->joint);
    bnre_prior_destroy(work->prior);
    bnre_node_destroy(work->prior_as);
    bnre_dataset_close(work->data);
    bnre_estimator_close(work->estimator);
}

void bnre_diagnose_outcome_clear(bnre_diagnose_outcome *outcome)
{
    bnre_models_report_clear(&outcome->models);
    bnre__advice_clear(&outcome->advice);
    bnre_certificate_clear(&outcome->certificate);
    bnre_diag_destroy(outcome->diag);
    *outcome = (bnre_diagnose_outcome){0};
}

/* ---- what is asked for ---- */

/* Before the estimator is tempered anew, which drops it. */
static bnre_status keep_certificate(const bnre__diagnose_work *work)
{
    const bnre_estimator_info *info = bnre_estimator_describe(work->estimator);
    bnre_diagnose_outcome *outcome = work->outcome;

    BNRE_DO(bnre_certificate_of(work->estimator, &outcome->certificate));
    outcome->tested = info->temper;
    outcome->tested_widen = info->widen;
    outcome->guarantee = (bnre_guarantee){
        .certificate = &outcome->certificate,
        .temper = work->temper[0],
        .widen =
            work->settings->widen > 0 ? work->settings->widen : info->widen,
        .observations = work->settings->observations,
        .outside = (double)NAN};
    return BNRE_OK;
}

/* Pairs of another prior, or that were trained on. */
static bnre_status refuse_wrong(const bnre__diagnose_work *work)
{
    const bnre_monitor *monitor = work->request->monitor;
    char number[BNRE_READABLE], other[BNRE_READABLE], text[200];
    bnre_status status = BNRE_OK;
    size_t seen = 0;

    if (!work->request->fresh)
        BNRE_TRY(bnre__estimator_overlap(work->estimator, work->data, &seen));
    if (!work->outcome->own_pairs)
        BNRE_TRY(bnre__estimator_check_prior(work->estimator, work->data));
    if (seen == 0)
        return BNRE_OK;
    snprintf(text, sizeof text,
             "%s of the %s pairs are ones that the estimator was trained on",
             bnre_readable_count(seen, number),
             bnre_readable_count(work->outcome->rows, other));
    if (!work->settings->allow_seen)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s: simulate fresh ones with `split: test` (or "
                   "`allow_seen: yes`)",
                   text);
    if (monitor != NULL && monitor->note != NULL) {
        char said[220];

        snprintf(said, sizeof said, "warning: %s", text);
        monitor->note(monitor->context, said);
    }
done:
    return status;
}

static bnre_status open_estimator(bnre__diagnose_work *work)
{
    const char *path = work->request->estimator;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_estimator_open(path, &work->estimator));
    if (bnre_estimator_prior(work->estimator) == NULL)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s is a classifier without parameters: there is no "
                   "posterior to diagnose (bnre info tells how good it is)",
                   path);
    BNRE_TRY(bnre_estimator_fingerprint(work->estimator, work->print));
    if (work->settings->samples_file != NULL)
        return BNRE_OK;
    BNRE_TRY(
        bnre__diagnose_temper(work->settings->temper,
                              bnre_estimator_describe(work->estimator)->temper,
                              &work->temper, &work->opts.n_temper));
    work->opts.temper = work->temper;
    BNRE_TRY(keep_certificate(work));
    /* Log ratios as they are, to be tempered by the diagnosis. */
    BNRE_TRY(bnre_estimator_set_temper(work->estimator, 1));
    BNRE_TRY(bnre_estimator_set_widen(work->estimator,
                                      work->outcome->guarantee.widen));
    BNRE_TRY(bnre__diagnose_prior(work));
    BNRE_TRY(refuse_wrong(work));
done:
    return status;
}

static bnre_status check_request(const bnre__diagnose_work *work)
{
    if (work->request->estimator == NULL &&
        work->settings->samples_file == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "which estimator? Name its file, and the pairs with "
                         "`data: FILE`");
    if (work->path != NULL && !bnre__ends_with(work->path, ".json"))
        return bnre_fail(BNRE_EUSAGE, "the output is a .json file, not %s",
                         work->path);
    return bnre__diagnose_check(work->settings);
}

static bnre_status prepare(bnre__diagnose_work *work)
{
    const bnre_diagnose_settings *settings = work->settings;

    BNRE_DO(check_request(work));
    work->opts = bnre_diag_opts_default();
    work->opts.seed = work->request->seed;
    work->opts.delta = settings->delta;
    work->opts.eps = settings->eps;
    work->opts.pool = work->request->pool;
    work->opts.monitor = work->request->monitor;
    BNRE_DO(bnre__diagnose_grid(settings, &work->opts));
    if (settings->data != NULL) {
        BNRE_DO(bnre_dataset_open(settings->data, &work->data));
        work->outcome->rows = bnre_dataset_describe(work->data)->rows;
    }
    if (work->request->estimator != NULL)
        BNRE_DO(open_estimator(work));
    BNRE_DO(bnre__diagnose_check_advice(work));
    return BNRE_OK;
}

/* ---- posteriors made elsewhere ---- */

struct elsewhere {
    bnre_diag_samples samples;
    bnre_task *task; /* of the data */
    double *theta;   /* of the data, if the samples do not bring them */
};

/* The prior that samples are compared with: of the estimator, or of the task
   that the data are from. */
static bnre_status find_prior(const bnre__diagnose_work *work,
                              struct elsewhere *found)
{
    bnre_status status = BNRE_OK;
    bnre_node *node = NULL;
    const char *text;

    if (work->estimator != NULL) {
        found->samples.prior = bnre_estimator_prior(work->estimator);
        return BNRE_OK;
    }
    text = work->data != NULL ? bnre_dataset_describe(work->data)->task : NULL;
    if (text == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(text, NULL, &node));
    BNRE_TRY(bnre_task_describe(node, &found->task));
    found->samples.prior = bnre_task_prior(found->task);
done:
    bnre_node_destroy(node);
    return status;
}

/* Samples that stand alone bring the true parameters. */
static bnre_status arrange_alone(const bnre__diagnose_work *work,
                                 bnre_diag_samples *samples)
{
    const bnre_estimator_info *info;

    if (samples->theta == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has no array theta: give the true parameters "
                         "with `data: FILE`",
                         work->settings->samples_file);
    if (work->estimator == NULL)
        return BNRE_OK;
    info = bnre_estimator_describe(work->estimator);
    return bnre__diag_samples_arrange(samples, info->dim_theta,
                                      info->theta_name);
}

/* True parameters from the dataset, if the samples do not bring them. */
static bnre_status find_theta(const bnre__diagnose_work *work,
                              struct elsewhere *found)
{
    bnre_diag_samples *samples = &found->samples;
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info;

    if (work->data == NULL)
        return arrange_alone(work, samples);
    info = bnre_dataset_describe(work->data);
    if (samples->prior != NULL)
        BNRE_TRY(bnre__dataset_arrange(work->data, samples->prior, NULL));
    BNRE_TRY(
        bnre__diag_samples_arrange(samples, info->dim_theta, info->theta_name));
    if (samples->theta != NULL)
        return BNRE_OK;
    if (info->rows != samples->n || info->dim_theta != samples->dim)
        BNRE_THROW(BNRE_EUSAGE,
                   "samples are for %zu pairs of %zu parameters, %s has %zu of "
                   "%zu",
                   samples->n, samples->dim, work->settings->data, info->rows,
                   info->dim_theta);
    BNRE_NEW(found->theta, info->rows * info->dim_theta);
    samples->theta = found->theta;
    BNRE_TRY(bnre_dataset_read(work->data, 0, info->rows, found->theta, NULL,
                               NULL, NULL));
done:
    return status;
}

static bnre_status diagnose_elsewhere(const bnre__diagnose_work *work)
{
    struct elsewhere found = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(
        bnre__diag_samples_read(work->settings->samples_file, &found.samples));
    found.samples.normalised = work->settings->normalised;
    BNRE_TRY(find_prior(work, &found));
    BNRE_TRY(find_theta(work, &found));
    BNRE_TRY(bnre_diagnose_samples(&found.samples, &work->opts,
                                   &work->outcome->diag));
done:
    if (found.theta != NULL) /* those of a file are its own */
        found.samples.theta = NULL;
    bnre__diag_samples_clear(&found.samples);
    bnre__free(found.theta);
    bnre_task_destroy(found.task);
    return status;
}

/* ---- the work ---- */

static bnre_status diagnose(bnre__diagnose_work *work)
{
    bnre_density density;

    if (work->settings->samples_file != NULL)
        return diagnose_elsewhere(work);
    work->opts.each_member = work->settings->each_member;
    density = work->joint != NULL
                  ? bnre_joint_density(work->joint)
                  : bnre__estimator_judged_density(work->estimator);
    if (work->outcome->own_pairs)
        density.keep = NULL;
    return bnre_diagnose_dataset(&density, work->data,
                                 work->settings->observations, &work->opts,
                                 &work->outcome->diag);
}

/* Whether to go on with such an estimator, if that was asked for. */
static bnre_status check_verdict(const bnre__diagnose_work *work,
                                 const bnre_judgement *judgement)
{
    const bnre_diagnose_settings *settings = work->settings;
    bnre_diagnose_outcome *outcome = work->outcome;

    if (!settings->check && !settings->strict)
        return BNRE_OK;
    if (outcome->verdict[0] == 0)
        return outcome->check = bnre_fail(
                   BNRE_EUSAGE, "there is no verdict to check: samples "
                                "without densities give none");
    return outcome->check = bnre__judgement_check(judgement, settings->strict);
}

static void name_verdict(bnre_diagnose_outcome *outcome, const char *name)
{
    snprintf(outcome->verdict, sizeof outcome->verdict, "%s", name);
}

/* What was found when it was made, and the same of the check again. */
static bnre_status recall(const bnre__diagnose_work *work)
{
    const char *verdict = bnre__output_text(work->output, "verdict");
    bnre_judgement judgement = {0};

    work->outcome->found = 1;
    if (verdict != NULL && bnre__verdict_find(verdict, &judgement.verdict))
        name_verdict(work->outcome, verdict);
    return check_verdict(work, &judgement);
}

/* All of it, from the output that is open to the files. An interrupted
   diagnosis is kept as far as it came. */
static bnre_status make(bnre__diagnose_work *work)
{
    const int whole = work->request->whole;
    bnre_status status = BNRE_OK, found, advised;
    const bnre_judgement *judgement = NULL;
    const bnre_diag *diag;

    found = diagnose(work);
    diag = work->outcome->diag;
    if (found != BNRE_OK && (diag == NULL || whole))
        return found;
    if (diag->n_curves > 0) {
        judgement = &diag->curve[0].judgement;
        name_verdict(work->outcome, bnre_verdict_name(judgement->verdict));
    }
    if (work->estimator != NULL && work->joint == NULL && work->data != NULL)
        BNRE_TRY(bnre__assess_pairs(work->estimator, work->request->pool,
                                    work->data, &work->outcome->models));
    advised = bnre__diagnose_advise(work);
    if (work->output != NULL && (advised == BNRE_OK || !whole))
        BNRE_TRY(bnre__diagnose_publish(
            work, found == BNRE_EINTR  ? "it was interrupted"
                  : advised != BNRE_OK ? "there is no advice"
                                       : NULL));
    BNRE_TRY(advised); /* what was diagnosed is not lost with it */
    if (found == BNRE_EINTR)
        BNRE_THROW(BNRE_EINTR,
                   "interrupted after %zu of %zu pairs: the result is of these",
                   diag->n, diag->asked);
    BNRE_TRY(check_verdict(work, judgement));
done:
    return status;
}

/* ---- without pairs ---- */

/* The verdict of what was found out of fold, or on certify pairs. */
static bnre_verdict verdict_of(const bnre_certificate *c)
{
    const bnre_estimate *gain = &c->information;

    if (c->blind)
        return BNRE_BLIND;
    if (bnre_certificate_passed(c))
        return gain->mean > 0.05 + 1.645 * gain->error ? BNRE_CONSERVATIVE
                                                       : BNRE_UNINFORMATIVE;
    return strcmp(bnre__certificate_word(c), "INCONCLUSIVE") == 0
               ? BNRE_INCONCLUSIVE
               : BNRE_OVERCONFIDENT;
}

/* What is known of an estimator from its own simulations. */
static bnre_status tell_known(bnre__diagnose_work *work)
{
    const char *path = work->request->estimator;
    bnre_certificate *c = &work->outcome->certificate;
    bnre_judgement judgement = {0};
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;

    if (path == NULL || work->path != NULL)
        BNRE_THROW(BNRE_EUSAGE, "`data` is needed: fresh pairs to diagnose "
                                "with");
    BNRE_TRY(bnre_estimator_open(path, &est));
    BNRE_TRY(bnre_certificate_of(est, c));
    if (c->kind != BNRE_CERTIFICATE_CROSS)
        BNRE_THROW(BNRE_EUSAGE,
                   "`data` is needed: fresh pairs to diagnose with. (Without "
                   "them something is known of estimators that were trained "
                   "with `trust: auto`)");
    judgement.verdict = verdict_of(c);
    work->outcome->known = 1;
    name_verdict(work->outcome, bnre_verdict_name(judgement.verdict));
    BNRE_TRY(check_verdict(work, &judgement));
done:
    bnre_estimator_close(est);
    return status;
}

bnre_status bnre_diagnose_make(const bnre_diagnose_request *request,
                               const char *path, bnre_diagnose_outcome *outcome)
{
    bnre__diagnose_work work = {.request = request,
                                .settings = request->settings,
                                .path = path,
                                .outcome = outcome};
    bnre_status status = BNRE_OK;

    *outcome = (bnre_diagnose_outcome){.drawn = 1};
    if (request->settings->classes.count > 0) {
        status = bnre__diagnose_classes(&work);
        goto done;
    }
    if (request->settings->data == NULL &&
        request->settings->samples_file == NULL)
        return tell_known(&work);
    BNRE_TRY(prepare(&work));
    if (request->dry_run)
        goto done;
    if (path != NULL)
        BNRE_TRY(bnre__diagnose_open(&work));
    if (work.output != NULL && bnre__output_done(work.output))
        BNRE_TRY(recall(&work));
    else
        BNRE_TRY(make(&work));
done:
    clear_work(&work);
    return status;
}
