/* posterior.c - the command `posterior`: from an estimator and an observation
   to files, once for the command line and for studies. */
#include "command/posterior.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "bnre/text.h"
#include "io/file.h"
#include "output/output.h"
#include "output/trust_files.h"
#include "trust/advice.h"
#include "trust/conformal.h"

struct work {
    const bnre_posterior_request *request;
    const bnre_posterior_settings *settings;
    const char *directory;
    bnre_posterior_outcome *outcome;
    char print[33]; /* of the estimator as it is in the file */
    bnre_observations own;
    const bnre_observations *observed; /* its own, or the request's */
    bnre_posterior_opts opts;
    size_t calibrated; /* pairs, before another temper */
    bnre_node *made;   /* how it comes about */
    bnre__predictive predictive;
    bnre__output_files *output;
};

static void clear_work(struct work *work)
{
    bnre__output_close(work->output);
    bnre_node_destroy(work->made);
    bnre__predictive_clear(&work->predictive);
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
    bnre_estimator_close(outcome->estimator);
    *outcome = (bnre_posterior_outcome){0};
}

static void note(const struct work *work, const char *text)
{
    const bnre_monitor *monitor = work->request->monitor;

    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, text);
}

/* ---- what is asked for ---- */

static bnre_status open_estimator(struct work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    const char *path = work->request->estimator;
    const bnre_estimator_info *info;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_estimator_open(path, &outcome->estimator));
    info = bnre_estimator_describe(outcome->estimator);
    if (bnre_estimator_prior(outcome->estimator) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is a classifier without parameters: it has no "
                         "posterior",
                         path);
    if (work->settings->odds != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "odds are for classifiers (trained with `classes`)");
    BNRE_TRY(bnre_estimator_fingerprint(outcome->estimator, work->print));
    /* Tempering anew drops it. */
    BNRE_TRY(bnre_certificate_of(outcome->estimator, &outcome->certificate));
    work->calibrated = info->scores;
    if (work->settings->temper > 0)
        BNRE_TRY(bnre_estimator_set_temper(outcome->estimator,
                                           work->settings->temper));
    if (work->settings->widen > 0)
        BNRE_TRY(bnre_estimator_set_widen(outcome->estimator,
                                          work->settings->widen));
    outcome->guarantee = (bnre_guarantee){.certificate = &outcome->certificate,
                                          .temper = info->temper,
                                          .widen = info->widen,
                                          .outside = NAN};
    outcome->density =
        bnre_estimator_density(outcome->estimator, BNRE_ALL_MEMBERS);
done:
    return status;
}

static bnre_status read_observation(struct work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    const bnre_estimator *est = work->outcome->estimator;
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    const bnre_observation_form form = {.ndim = info->ndim,
                                        .shape = info->shape,
                                        .x_name = info->x_name,
                                        .prior = bnre_estimator_prior(est)};
    bnre_status status = BNRE_OK;

    work->observed = work->request->observed;
    if (work->observed == NULL) {
        BNRE_TRY(bnre_observations_read(
            &form, settings->observation.count,
            (const char *const *)settings->observation.text, &work->own));
        work->observed = &work->own;
    }
    work->outcome->observations = work->observed->n;
    work->outcome->guarantee.observations = work->observed->n;
    BNRE_TRY(bnre__posterior_truth(settings->truth, work->observed,
                                   info->dim_theta, &work->outcome->truth));
done:
    return status;
}

static void describe_files(struct work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_posterior_files *files = &outcome->files;

    *files = bnre_posterior_files_default();
    files->directory = work->directory;
    files->force = 1; /* what is there is looked at by the output */
    files->samples = work->settings->samples;
    files->seed = work->request->seed;
    files->levels = outcome->levels;
    files->level = outcome->level;
    files->truth = outcome->truth;
    files->formats = work->settings->format;
    files->show = work->settings->show;
    if (work->settings->write != NULL)
        files->write = work->settings->write;
}

/* ---- warnings ---- */

/* Keep a warning for the file of results. */
static bnre_status keep_warning(struct work *work, const char *text)
{
    bnre_posterior_outcome *outcome = work->outcome;
    size_t room = outcome->warnings;
    bnre_status status = BNRE_OK;

    BNRE_GROW(outcome->warning, room, outcome->warnings + 1);
    BNRE_TRY(bnre__strdup(text, &outcome->warning[outcome->warnings]));
    outcome->warnings++;
done:
    return status;
}

/* Say it, and keep it for the file of results. */
static bnre_status warn(struct work *work, const char *text)
{
    bnre_status status = BNRE_OK;
    char *said = NULL;

    BNRE_TRY(bnre__text_format(&said, "warning: %s", text));
    note(work, said);
    BNRE_TRY(keep_warning(work, text));
done:
    bnre__free(said);
    return status;
}

/* What tells the value apart from the range, however near it is. */
static double outside_spread(const bnre_estimator_outside *outside)
{
    const double beyond = outside->value < outside->low
                              ? outside->low - outside->value
                              : outside->value - outside->high;

    return fmin(beyond, outside->high - outside->low);
}

/* What was rounded says less, and something else, than it seems to. */
static bnre_status warn_coarse(struct work *work, size_t k,
                               const bnre_estimator_outside *outside)
{
    char text[400];

    snprintf(text, sizeof text,
             "value %zu of observation %zu has only the digits of single "
             "precision, but the estimator was trained on more, and needs "
             "them: it was probably rounded by a file or program on its way. "
             "Give it in double precision, or as text with all its digits",
             outside->coarsest, k);
    return warn(work, text);
}

/* Data unlike all simulated ones are where networks guess. */
static bnre_status warn_outside(struct work *work)
{
    bnre_status status = BNRE_OK;
    char text[400], at[BNRE_READABLE], low[BNRE_READABLE], high[BNRE_READABLE];

    for (size_t k = 0; k < work->observed->n; k++) {
        const bnre_estimator_outside outside = bnre_estimator_compare_x(
            work->outcome->estimator,
            work->observed->x + k * work->observed->x_size);

        const double spread = outside_spread(&outside);

        if (outside.coarse > 0)
            BNRE_TRY(warn_coarse(work, k, &outside));
        work->outcome->guarantee.beyond += outside.count;
        if (outside.count == 0)
            continue;
        snprintf(text, sizeof text,
                 "observation %zu is unlike the simulated ones: %zu of its %zu "
                 "values lie outside their range; value %zu is %s, in training "
                 "it was from %s to %s. The posterior cannot be relied on "
                 "there",
                 k, outside.count, work->observed->x_size, outside.worst,
                 bnre_readable_real(outside.value, spread, at),
                 bnre_readable_real(outside.low, spread, low),
                 bnre_readable_real(outside.high, spread, high));
        BNRE_TRY(warn(work, text));
    }
done:
    return status;
}

/* A ratio that is not normalised for these data. */
static bnre_status warn_evidence(struct work *work)
{
    char why[BNRE_DOUBT];

    if (!bnre_posterior_far(work->outcome->posterior, work->observed->n,
                            work->outcome->guarantee.temper, why))
        return BNRE_OK;
    return warn(work, why);
}

/* "unlike the simulated ones", by what the estimator sees in them. */
static bnre_status warn_unlike(struct work *work)
{
    double *const least = &work->outcome->guarantee.outside;
    bnre_status status = BNRE_OK;
    char text[200], words[BNRE_READABLE];
    double p;

    for (size_t k = 0; k < work->observed->n; k++) {
        BNRE_TRY(bnre__outside_estimator(
            work->outcome->estimator,
            work->observed->x + k * work->observed->x_size, &p));
        *least = fmin(*least, p); /* NaN is no number to compare with */
        if (!(p < BNRE_UNLIKE))
            continue;
        snprintf(text, sizeof text,
                 "observation %zu is unlike the pairs of the calibration (%s): "
                 "no guarantee holds for it",
                 k, bnre_readable_p_words(p, words));
        BNRE_TRY(warn(work, text));
    }
done:
    return status;
}

/* ---- the work ---- */

static bnre_status prepare(struct work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;

    work->opts = bnre_posterior_opts_default();
    work->opts.seed = work->request->seed;
    work->opts.bank = settings->bank;
    work->opts.steps = settings->steps;
    work->opts.draws = settings->samples;
    work->opts.monitor = work->request->monitor;
    BNRE_TRY(bnre__posterior_method(settings, &work->opts));
    BNRE_TRY(bnre__posterior_levels(settings->levels, outcome->level,
                                    &outcome->levels));
    BNRE_TRY(open_estimator(work));
    BNRE_TRY(read_observation(work));
    BNRE_TRY(
        bnre__predictive_read(settings, outcome->estimator, &work->predictive));
    describe_files(work);
    BNRE_TRY(bnre_posterior_files_check(
        &outcome->files, bnre_estimator_prior(outcome->estimator)));
    BNRE_TRY(warn_outside(work));
done:
    return status;
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
static bnre_status record(const struct work *work, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *settings = NULL;
    size_t n_rows;
    const bnre_opt *rows = bnre_posterior_options(&n_rows);
    char text[33];

    BNRE_TRY(bnre_opt_record(rows, n_rows, work->settings, &settings));
    BNRE_TRY(name_as_ever(settings));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    BNRE_TRY(bnre_node_set(*out, "estimator", work->print));
    snprintf(text, sizeof text, "%.17g", work->outcome->guarantee.temper);
    BNRE_TRY(bnre_node_set(*out, "temper", text));
    if (work->outcome->guarantee.widen > 1) {
        snprintf(text, sizeof text, "%.17g", work->outcome->guarantee.widen);
        BNRE_TRY(bnre_node_set(*out, "widen", text));
    }
    snprintf(text, sizeof text, "%" PRIu64, work->request->seed);
    BNRE_TRY(bnre_node_set(*out, "seed", text));
    bnre_observations_fingerprint(work->observed, text);
    BNRE_TRY(bnre_node_set(*out, "observed", text));
    if (work->predictive.data.n > 0)
        BNRE_TRY(
            bnre_node_set(*out, "predictive", work->predictive.fingerprint));
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_node_destroy(settings);
    return status;
}

/* Before the work: who writes what, and what is there. */
static bnre_status open_output(struct work *work)
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
    const bnre_opt_list *observation = &work->settings->observation;
    bnre__output_plan plan = {.path = work->directory,
                              .main = "posterior.json",
                              .names = sizeof name / sizeof *name,
                              .name = name,
                              .force = work->request->force};
    bnre_status status = BNRE_OK;
    const char **input = NULL;

    BNRE_TRY(record(work, &work->made));
    plan.made = work->made;
    BNRE_NEW(input, observation->count + 3);
    input[plan.inputs++] = work->request->estimator;
    input[plan.inputs++] = work->settings->predictive;
    input[plan.inputs++] = work->request->input;
    for (size_t i = 0; i < observation->count; i++)
        input[plan.inputs++] = observation->text[i];
    plan.input = input;
    BNRE_TRY(bnre__make_parents(work->directory));
    BNRE_TRY(bnre__output_open(&plan, &work->output));
done:
    bnre__free(input);
    return status;
}

static bnre_status compute(struct work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_session_open(&outcome->density, work->request->pool,
                               &outcome->session));
    BNRE_TRY(bnre_session_observe(outcome->session, work->observed->n,
                                  work->observed->x));
    BNRE_TRY(bnre_posterior_compute(outcome->session, &work->opts,
                                    &outcome->posterior));
done:
    return status;
}

/* Calibration pairs were single observations, and say nothing of several. */
static bnre_status do_without_conformal(const struct work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    const char *why = work->observed->n != 1
                          ? "calibration is for single observations"
                          : "the estimator is not calibrated, or for "
                            "another temper (train with calibrate: N)";
    char text[200];

    snprintf(text, sizeof text, "there are no conformal regions: %s", why);
    if ((settings->regions > 0 || settings->local) &&
        !work->request->if_calibrated)
        return bnre_fail(BNRE_EUSAGE, "%s", text);
    if (work->calibrated > 0)
        note(work, text);
    return BNRE_OK;
}

/* Regions with a guarantee, where there are calibration pairs. */
static bnre_status make_conformal(struct work *work)
{
    const bnre_posterior_settings *settings = work->settings;
    bnre_posterior_outcome *o = work->outcome;
    const int needed = (settings->regions > 0 || settings->local) &&
                       !work->request->if_calibrated;
    const bnre_estimator_info *info = bnre_estimator_describe(o->estimator);
    const int cross = info->scores == 0 && info->cross_scores > 0;
    bnre_status status = BNRE_OK;

    if ((info->scores == 0 && !cross) || (cross && settings->local) ||
        work->observed->n != 1)
        return do_without_conformal(work);
    status = cross ? bnre__conformal_cross(o->estimator, work->observed->x,
                                           o->posterior, o->levels, o->level,
                                           o->conformal)
                   : bnre__conformal_regions(o->estimator, o->session,
                                             work->observed->x, o->posterior, 0,
                                             o->levels, o->level, o->conformal);
    if (status == BNRE_EDOUBT && !needed)
        return warn(work, bnre_error_message());
    BNRE_TRY(status);
    if (settings->local)
        BNRE_TRY(bnre__conformal_regions(o->estimator, o->session,
                                         work->observed->x, o->posterior, 1,
                                         o->levels, o->level, o->local));
    o->conformals = o->levels;
done:
    return status;
}

static bnre_status write_files(const struct work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    const bnre__assurance assurance = {
        .n = outcome->conformals,
        .region = outcome->conformal,
        .local = work->settings->local ? outcome->local : NULL,
        .guarantee = outcome->guarantee,
        .warnings = outcome->warnings,
        .warning = (const char *const *)outcome->warning};
    bnre_posterior_files files = outcome->files;
    bnre_contour contour[2 * BNRE_POSTERIOR_LEVELS];
    const bnre_estimator_info *info =
        bnre_estimator_describe(outcome->estimator);
    const bnre_posterior_data observed = {.n = work->observed->n,
                                          .ndim = info->ndim,
                                          .shape = info->shape,
                                          .x = work->observed->x};
    bnre_status status = BNRE_OK;
    char *path = NULL, note[BNRE__NOTE];

    files.made = work->made;
    files.observed = &observed;
    if (work->predictive.data.n > 0)
        files.predictive = &work->predictive.data;
    files.certificate = info->certificate;
    files.directory = bnre__output_place(work->output);
    bnre__assurance_show(&assurance, (bnre__regions)work->settings->regions,
                         contour, note, &files);
    BNRE_TRY(bnre_posterior_save(outcome->posterior, outcome->session, &files,
                                 &outcome->drawn));
    BNRE_TRY(bnre__text_format(&path, "%s/posterior.json", files.directory));
    BNRE_TRY(bnre__assurance_add_json(path, &assurance));
    BNRE_TRY(bnre__output_publish(
        work->output, outcome->drawn ? NULL : "gnuplot was not found",
        outcome->doubt[0] != 0 ? outcome->doubt : NULL));
done:
    bnre__free(path);
    return status;
}

/* All of it, from the output that is open to the files. */
static bnre_status make(struct work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;
    char why[BNRE_DOUBT];

    BNRE_TRY(compute(work));
    if (bnre_posterior_doubt(outcome->posterior, why))
        BNRE_TRY(keep_warning(work, why));
    else
        why[0] = 0;
    BNRE_TRY(warn_evidence(work));
    BNRE_TRY(make_conformal(work));
    BNRE_TRY(warn_unlike(work));
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
    struct work work = {.request = request,
                        .settings = request->settings,
                        .directory = directory,
                        .outcome = outcome};
    bnre_status status = BNRE_OK;
    const char *doubt;

    *outcome = (bnre_posterior_outcome){.drawn = 1};
    BNRE_TRY(prepare(&work));
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
