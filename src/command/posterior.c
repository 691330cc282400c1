/* posterior.c - the command `posterior`: from an estimator and an observation
   to files, once for the command line and for studies. */
#include "command/posterior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "bnre/text.h"
#include "command/observation.h"
#include "data/dataset.h"
#include "infer/estimator/restricted.h"
#include "io/file.h"
#include "output/output.h"
#include "output/posterior_exchange.h"
#include "output/posterior_files.h"
#include "output/trust_files.h"
#include "posterior/posterior.h"
#include "trust/advice.h"
#include "trust/conformal.h"

/* ---- simulations from draws of the posterior ----

   They are a dataset, made by `bnre simulate` with `theta_file` or elsewhere,
   and written beside the draws; nothing is run. */

static void clear_predictive(bnre__predictive *p)
{
    bnre__free(p->x);
    bnre__free(p->theta);
    *p = (bnre__predictive){0};
}

static bnre_status check_shape(const char *path, const bnre_dataset_info *data,
                               const bnre_estimator_info *est)
{
    if (data->dim_theta == est->dim_theta && data->ndim == est->ndim &&
        memcmp(data->shape, est->shape, est->ndim * sizeof *est->shape) == 0)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s holds simulations of another task: their x or their "
                     "parameters have another shape than those of the "
                     "estimator",
                     path);
}

static bnre_status read_predictive(const bnre_posterior_settings *settings,
                                   const bnre_estimator *est,
                                   bnre__predictive *out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    const char *path = settings->predictive;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    const bnre_dataset_info *found;

    *out = (bnre__predictive){0};
    if (path == NULL)
        return BNRE_OK;
    if (!bnre__exchange_wants(settings->write, "nc"))
        return bnre_fail(BNRE_EUSAGE,
                         "predictive simulations are written to NetCDF files "
                         "only: add nc to the kinds of files to write");
    BNRE_TRY(bnre_dataset_open(path, &data));
    found = bnre_dataset_describe(data);
    BNRE_TRY(check_shape(path, found, info));
    BNRE_TRY(
        bnre__dataset_arrange(data, bnre_estimator_prior(est), info->x_name));
    BNRE_TRY(bnre_dataset_fingerprint(data, out->fingerprint));
    BNRE_NEW(out->theta, found->rows * found->dim_theta);
    BNRE_NEW(out->x, found->rows * found->x_size);
    BNRE_TRY(bnre_dataset_read(data, 0, found->rows, out->theta, NULL, out->x,
                               NULL));
    memcpy(out->shape, found->shape, sizeof out->shape);
    out->data = (bnre_posterior_data){.n = found->rows,
                                      .ndim = found->ndim,
                                      .shape = out->shape,
                                      .x = out->x,
                                      .theta = out->theta};
done:
    bnre_dataset_close(data);
    return status;
}

/* ---- what is cleared away ---- */

static void clear_work(bnre__posterior_work *work)
{
    bnre__output_close(work->output);
    bnre__posterior_clear_join(work);
    bnre_node_destroy(work->made);
    clear_predictive(&work->predictive);
    bnre_observations_clear(&work->own);
}

void bnre_posterior_outcome_clear(bnre_posterior_outcome *outcome)
{
    bnre_posterior_destroy(outcome->posterior);
    bnre_session_close(outcome->session);
    for (size_t i = 0; i < outcome->warnings; i++)
        bnre__free(outcome->warning[i]);
    bnre__free(outcome->warning);
    bnre_certificate_clear(&outcome->certificate);
    bnre__free(outcome->truth);
    bnre_joint_destroy(outcome->joint);
    bnre_prior_destroy(outcome->prior);
    for (size_t i = 0; i < outcome->others; i++)
        bnre_estimator_close(outcome->other[i]);
    bnre__free(outcome->other);
    bnre_estimator_close(outcome->estimator);
    *outcome = (bnre_posterior_outcome){0};
}

/* ---- what is asked for ---- */

static bnre_status open_estimator(bnre__posterior_work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    const char *path = work->request->estimator;
    const bnre_estimator_info *info;

    BNRE_DO(bnre_estimator_open(path, &outcome->estimator));
    info = bnre_estimator_describe(outcome->estimator);
    if (bnre_estimator_prior(outcome->estimator) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is a classifier without parameters: it has no "
                         "posterior",
                         path);
    if (work->settings->odds != NULL && work->settings->prior != NULL)
        return bnre_fail(BNRE_EUSAGE, "odds are a prior of the classes: give "
                                      "either odds or prior");
    BNRE_DO(bnre_estimator_fingerprint(outcome->estimator, work->print));
    /* Tempering anew drops it. */
    BNRE_DO(bnre_certificate_of(outcome->estimator, &outcome->certificate));
    work->calibrated = info->scores;
    if (work->settings->temper > 0)
        BNRE_DO(bnre_estimator_set_temper(outcome->estimator,
                                          work->settings->temper));
    if (work->settings->widen > 0)
        BNRE_DO(bnre_estimator_set_widen(outcome->estimator,
                                         work->settings->widen));
    outcome->guarantee = (bnre_guarantee){.certificate = &outcome->certificate,
                                          .temper = info->temper,
                                          .widen = info->widen,
                                          .outside = NAN};
    outcome->density =
        bnre_estimator_density(outcome->estimator, BNRE_ALL_MEMBERS);
    return BNRE_OK;
}

static bnre_status read_observation(bnre__posterior_work *work)
{
    const bnre_posterior_settings *settings = work->settings;

    BNRE_DO(bnre__observation_read(
        work->outcome->estimator, work->request->observed,
        &settings->observation, &work->own, &work->observed));
    BNRE_DO(bnre__restricted_observed(work->outcome->estimator,
                                      work->observed->n, work->observed->x));
    work->outcome->observations = work->observed->n;
    work->outcome->guarantee.observations = work->observed->n;
    BNRE_DO(bnre__posterior_join(work));
    return bnre__posterior_truth(settings->truth, work->observed,
                                 bnre_prior_dim(work->outcome->density.prior),
                                 &work->outcome->truth);
}

static void describe_files(bnre__posterior_work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_posterior_files *files = &outcome->files;

    *files = bnre_posterior_files_default();
    files->directory = work->directory;
    files->force = 1; /* what is there is looked at by the output */
    files->samples = bnre__posterior_samples(work->settings);
    files->seed = work->request->seed;
    files->levels = outcome->levels;
    files->level = outcome->level;
    files->truth = outcome->truth;
    files->formats = work->settings->format;
    files->show = work->settings->show;
    if (work->settings->write != NULL)
        files->write = work->settings->write;
}

/* ---- the work ---- */

/* One observation or each row of a dataset, and what goes with which. */
static bnre_status check_request(const bnre_posterior_request *request)
{
    const bnre_posterior_settings *settings = request->settings;
    const char *single = settings->observation.count > 0 ? "observation"
                         : settings->truth != NULL       ? "truth"
                         : settings->regions > 0         ? "regions"
                         : settings->local               ? "local"
                         : settings->show != NULL        ? "show"
                         : settings->write != NULL       ? "write"
                                                         : NULL;

    if (settings->calibrate != NULL &&
        (settings->prior == NULL || settings->also.count > 0 ||
         settings->each != NULL))
        return bnre_fail(BNRE_EUSAGE,
                         "pairs are for the regions of one observation under "
                         "another prior");
    if (settings->each != NULL && settings->also.count > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "further experiments go with one observation, not "
                         "with each row of a dataset");
    if (settings->each != NULL && single != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is for a single posterior, not for each row of a "
                         "dataset: leave out one of the two",
                         single);
    if (settings->each == NULL && request->observed == NULL &&
        settings->observation.count == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "what was observed? Give `observation: FILE`, or "
                         "`each: DATA` for a posterior of every row");
    return BNRE_OK;
}

static bnre_status prepare(bnre__posterior_work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    bnre_posterior_outcome *outcome = work->outcome;

    work->opts = bnre_posterior_opts_default();
    work->opts.seed = work->request->seed;
    work->opts.bank = settings->bank;
    work->opts.steps = settings->steps;
    work->opts.draws = bnre__posterior_samples(settings);
    work->opts.monitor = work->request->monitor;
    BNRE_DO(bnre__posterior_method(settings, &work->opts));
    BNRE_DO(bnre__posterior_levels(settings->levels, outcome->level,
                                   &outcome->levels));
    BNRE_DO(open_estimator(work));
    if (settings->each != NULL) {
        BNRE_DO(bnre__restricted_observed(outcome->estimator, 0, NULL));
        return bnre__posterior_join(work);
    }
    BNRE_DO(read_observation(work));
    BNRE_DO(read_predictive(settings, outcome->estimator, &work->predictive));
    describe_files(work);
    BNRE_DO(
        bnre__posterior_files_check(&outcome->files, outcome->density.prior));
    BNRE_DO(bnre__posterior_warn_outside(work));
    return BNRE_OK;
}

/* Files know `sampler` by its first name. */
static bnre_status name_as_ever(bnre_node *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        bnre_node *child = settings->child[i];

        if (strcmp(child->key, "sampler") != 0)
            continue;
        bnre__free(child->key);
        return bnre__strdup("method", &child->key);
    }
    return BNRE_OK;
}

/* How the result comes about; the caller destroys *out. */
bnre_status bnre__posterior_record(const bnre__posterior_work *work,
                                   bnre_node **out)
{
    const bnre_guarantee *guarantee = &work->outcome->guarantee;
    bnre_status status = BNRE_OK;
    bnre_posterior_settings of;
    bnre_node *settings = NULL;
    size_t n_rows;
    const bnre_opt *rows = bnre_posterior_options(&n_rows);

    of = *work->settings;
    of.samples = bnre__posterior_samples(&of);
    BNRE_TRY(bnre_opt_record(rows, n_rows, &of, &settings));
    BNRE_TRY(name_as_ever(settings));
    if (of.also.count == 0) /* as in files that know of no such thing */
        bnre_node_remove(settings, "also");
    BNRE_TRY(bnre__observation_record(work->print, guarantee->temper,
                                      guarantee->widen, work->request->seed,
                                      work->observed, out));
    if (work->predictive.data.n > 0)
        BNRE_TRY(
            bnre_node_set(*out, "predictive", work->predictive.fingerprint));
    BNRE_TRY(bnre__posterior_record_join(work, *out));
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_node_destroy(settings);
    return status;
}

/* Before the work: who writes what, and what is there. */
static bnre_status open_output(bnre__posterior_work *work)
{
    static const char *const name[] = {
        "samples.csv",          "samples.npy",
        "posterior.h5",         "posterior.nc",
        "getdist.txt",          "getdist.paramnames",
        "getdist.ranges",       "draws.csv",
        "corner.dat",           "corner.gp",
        "corner.svg",           "corner.pdf",
        "corner.png",           "corner-2.gp",
        "corner-2.dat",         "corner-2.svg",
        "corner-2.pdf",         "corner-2.png",
        "corner-marginals.gp",  "corner-marginals.dat",
        "corner-marginals.svg", "corner-marginals.pdf",
        "corner-marginals.png"};
    bnre__output_plan plan = {.path = work->directory,
                              .main = "posterior.json",
                              .names = sizeof name / sizeof *name,
                              .name = name,
                              .more = &work->settings->observation,
                              .force = work->request->force};
    bnre_status status = BNRE_OK;
    const char **input = NULL;

    BNRE_TRY(bnre__posterior_record(work, &work->made));
    plan.made = work->made;
    BNRE_NEW(input, 5 + 2 * work->outcome->others);
    for (size_t i = 0; i < work->outcome->others; i++) {
        input[plan.inputs++] = work->more_estimator[i];
        input[plan.inputs++] = work->more_file[i];
    }
    input[plan.inputs++] = work->settings->prior;
    input[plan.inputs++] = work->settings->calibrate;
    input[plan.inputs++] = work->request->estimator;
    input[plan.inputs++] = work->settings->predictive;
    input[plan.inputs++] = work->request->input;
    plan.input = input;
    BNRE_TRY(bnre__make_parents(work->directory));
    BNRE_TRY(bnre__output_open(&plan, &work->output));
done:
    bnre__free(input);
    return status;
}

static bnre_status compute(bnre__posterior_work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;

    BNRE_DO(bnre_session_open(&outcome->density, work->request->pool,
                              &outcome->session));
    BNRE_DO(bnre_session_observe(outcome->session, work->x_n, work->x));
    BNRE_DO(bnre_posterior_compute(outcome->session, &work->opts,
                                   &outcome->posterior));
    return BNRE_OK;
}

/* Calibration pairs were single observations, and say nothing of several. */
static bnre_status do_without_conformal(const bnre__posterior_work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    const char *why = work->outcome->guarantee.experiments > 1
                          ? "calibration is for single experiments"
                      : work->outcome->joint != NULL
                          ? "calibration is for the prior of training (give "
                            "`calibrate: FILE`)"
                      : work->observed->n != 1
                          ? "calibration is for single observations"
                          : "the estimator is not calibrated, or for "
                            "another temper (train with `calibrate: N`)";
    char text[200];

    snprintf(text, sizeof text, "there are no conformal regions: %s", why);
    if ((settings->regions > 0 || settings->local) &&
        !work->request->if_calibrated)
        return bnre_fail(BNRE_EUSAGE, "%s", text);
    if (work->calibrated > 0)
        bnre__posterior_note(work, text);
    return BNRE_OK;
}

/* Regions with a guarantee, where there are calibration pairs. */
static bnre_status make_conformal(bnre__posterior_work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    bnre_posterior_outcome *o = work->outcome;
    const int needed = (settings->regions > 0 || settings->local) &&
                       !work->request->if_calibrated;
    const bnre_estimator_info *info = bnre_estimator_describe(o->estimator);
    const int cross = info->scores == 0 && info->cross_scores > 0;
    bnre_status status = BNRE_OK;

    if (work->pairs != NULL)
        return bnre__posterior_conformal(work);
    if ((info->scores == 0 && !cross) || (cross && settings->local) ||
        work->observed->n != 1 || o->joint != NULL)
        return do_without_conformal(work);
    status = cross ? bnre__conformal_cross(o->estimator, work->observed->x,
                                           o->posterior, o->levels, o->level,
                                           o->conformal)
                   : bnre__conformal_regions(o->estimator, o->session,
                                             work->observed->x, o->posterior, 0,
                                             o->levels, o->level, o->conformal);
    if (status == BNRE_EDOUBT && !needed)
        return bnre__posterior_warn(work, bnre_error_message());
    BNRE_TRY(status);
    if (settings->local)
        BNRE_TRY(bnre__conformal_regions(o->estimator, o->session,
                                         work->observed->x, o->posterior, 1,
                                         o->levels, o->level, o->local));
    o->conformals = o->levels;
done:
    return status;
}

static bnre__assurance assurance_of(const bnre__posterior_work *work)
{
    const bnre_posterior_outcome *outcome = work->outcome;

    return (bnre__assurance){.n = outcome->conformals,
                             .region = outcome->conformal,
                             .local =
                                 work->settings->local ? outcome->local : NULL,
                             .guarantee = outcome->guarantee,
                             .warnings = outcome->warnings,
                             .warning = (const char *const *)outcome->warning};
}

/* What the file of results has besides the posterior. */
static bnre_status add_results(const void *context, bnre__json *root)
{
    const bnre__posterior_work *work = context;
    const bnre__assurance assurance = assurance_of(work);

    BNRE_DO(bnre__assurance_put(&assurance, root));
    BNRE_DO(bnre__posterior_add_join(work, root));
    return bnre__posterior_add_conditionals(work, root);
}

static bnre_status write_files(const bnre__posterior_work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    const bnre__assurance assurance = assurance_of(work);
    bnre_posterior_files files = outcome->files;
    bnre_contour contour[2 * BNRE_POSTERIOR_LEVELS];
    const bnre_estimator_info *info =
        bnre_estimator_describe(outcome->estimator);
    const bnre_posterior_data observed = {.n = work->observed->n,
                                          .ndim = info->ndim,
                                          .shape = info->shape,
                                          .x = work->observed->x};
    char note[BNRE__NOTE];

    files.made = work->made;
    files.observed = &observed;
    if (work->predictive.data.n > 0)
        files.predictive = &work->predictive.data;
    files.certificate = info->certificate;
    files.directory = bnre__output_place(work->output);
    bnre__assurance_show(&assurance, (bnre__regions)work->settings->regions,
                         contour, note, &files);
    BNRE_DO(bnre__posterior_save(outcome->posterior, outcome->session, &files,
                                 add_results, work, &outcome->drawn));
    return bnre__output_publish(work->output,
                                outcome->drawn ? NULL : "gnuplot was not found",
                                outcome->doubt[0] != 0 ? outcome->doubt : NULL);
}

/* All of it, from the output that is open to the files. */
static bnre_status make(bnre__posterior_work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;
    char why[BNRE_DOUBT];

    BNRE_TRY(compute(work));
    if (bnre__posterior_doubt(outcome->posterior, why))
        BNRE_TRY(bnre__posterior_keep_warning(work, why));
    else
        why[0] = 0;
    BNRE_TRY(bnre__posterior_warn_evidence(work));
    BNRE_TRY(make_conformal(work));
    BNRE_TRY(bnre__posterior_warn_unlike(work));
    memcpy(outcome->doubt, why, sizeof why);
    status = write_files(work);
    if (status != BNRE_OK)
        outcome->doubt[0] = 0; /* there is nothing to be doubted */
done:
    return status;
}

bnre_status bnre_posterior_make(const bnre_posterior_request *request,
                                const char *directory,
                                bnre_posterior_outcome *outcome)
{
    bnre__posterior_work work = {.request = request,
                                 .settings = request->settings,
                                 .directory = directory,
                                 .outcome = outcome};
    bnre_status status = BNRE_OK;
    const char *doubt;

    *outcome = (bnre_posterior_outcome){.drawn = 1};
    BNRE_TRY(check_request(request));
    BNRE_TRY(prepare(&work));
    if (work.settings->each != NULL) {
        status = bnre__posterior_each(&work);
        goto done;
    }
    if (request->dry_run)
        goto done;
    BNRE_TRY(open_output(&work));
    outcome->found = bnre__output_done(work.output);
    if (outcome->found) {
        doubt = bnre__output_text(work.output, "doubt");
        snprintf(outcome->doubt, sizeof outcome->doubt, "%s",
                 doubt != NULL ? doubt : "");
    } else {
        BNRE_TRY(make(&work));
    }
    if (outcome->doubt[0] != 0)
        BNRE_THROW(BNRE_EDOUBT, "%s", outcome->doubt);
done:
    clear_work(&work);
    return status;
}
