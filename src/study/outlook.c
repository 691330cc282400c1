#include "study/outlook.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bnre/advice.h"
#include "bnre/estimator.h"
#include "bnre/posterior_files.h"
#include "bnre/trust_files.h"
#include "model/task.h"
#include "study/job.h"

/* Numbers with commas between them: exactly n. */
static bnre_status read_numbers(const bnre_node *node, size_t n, double *out)
{
    const char *text = node->text;
    bnre_status status = BNRE_OK;
    char part[64];

    for (size_t i = 0; i < n; i++) {
        const size_t length = strcspn(text, ",");

        snprintf(part, sizeof part, "%.*s", (int)length,
                 text + strspn(text, " "));
        status = bnre_read_real(part, NULL, "truth", &out[i]);
        if (status == BNRE_EUSAGE || (text[length] == 0) != (i + 1 == n))
            return bnre_node_fail(node,
                                  "truth must be %zu number%s with "
                                  "commas between them, got \"%s\"",
                                  n, n == 1 ? "" : "s", node->text);
        BNRE_TRY(status);
        text += length + 1;
    }
done:
    return status;
}

static bnre_status find_truth(const bnre_study *study, const bnre_task *task,
                              bnre__outlook *out)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(task));
    const bnre_node *given = bnre_node_find(study->base, "truth");
    bnre_status status = BNRE_OK;

    if (given == NULL &&
        (out->observed.theta == NULL || out->observed.dim != dim))
        return BNRE_OK;
    BNRE_NEW(out->truth, dim);
    if (given != NULL)
        BNRE_TRY(read_numbers(given, dim, out->truth));
    else
        memcpy(out->truth, out->observed.theta, dim * sizeof *out->truth);
done:
    return status;
}

/* Which parameters are in the picture. */
static bnre_status find_show(const bnre_study *study, const bnre_task *task,
                             bnre__outlook *out)
{
    const bnre_node *node = bnre_node_find(study->base, "show");
    bnre_posterior_files files = bnre_posterior_files_default();
    bnre_status status;
    char *words = NULL;

    if (node == NULL)
        return BNRE_OK;
    files.show = out->show = node->text;
    status = bnre_posterior_pictures(&files, bnre_task_prior(task), &words);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(node, "%s", bnre_error_message());
    bnre_free(words);
    return status;
}

bnre_status bnre__outlook_read(const bnre_study *study, size_t task,
                               bnre__outlook *out)
{
    const bnre_node *node = bnre_node_find(study->base, "observation");
    const bnre_task *of = study->task[task].task;
    const size_t dim = bnre_prior_dim(bnre_task_prior(of));
    bnre_status status = BNRE_OK;
    bnre_observation_form form;
    const size_t *shape;
    char *path = NULL;
    bnre__hash hash;
    size_t ndim;

    *out = (bnre__outlook){0};
    shape = bnre_task_observable(of, &ndim);
    BNRE_TRY(bnre__task_path(node, &path));
    form = (bnre_observation_form){
        .ndim = ndim, .shape = shape, .prior = bnre_task_prior(of)};
    status = bnre_observations_read(&form, 1, (const char *const[]){path},
                                    &out->observed);
    if (status == BNRE_EUSAGE || status == BNRE_EIO)
        status = bnre_node_fail(node, "observation: %s", bnre_error_message());
    BNRE_TRY(status);
    BNRE_TRY(find_truth(study, of, out));
    BNRE_TRY(find_show(study, of, out));
    bnre__hash_init(&hash, 0, 0, 1);
    bnre__hash_add_floats(&hash, out->observed.x,
                          out->observed.n * out->observed.x_size);
    if (out->truth != NULL)
        bnre__hash_add(&hash, out->truth, dim * sizeof *out->truth);
    if (out->show != NULL)
        bnre__hash_add_text(&hash, out->show);
    bnre__hash_end_hex(&hash, out->hash);
done:
    bnre__free(path);
    if (status != BNRE_OK)
        bnre__outlook_clear(out);
    return status;
}

void bnre__outlook_clear(bnre__outlook *outlook)
{
    bnre_observations_clear(&outlook->observed);
    bnre__free(outlook->truth);
    *outlook = (bnre__outlook){0};
}

/* Values beyond the range of training, of all observations. */
static size_t note_outside(const bnre__outlook *outlook,
                           const bnre_estimator *est,
                           const bnre_monitor *monitor, char text[300])
{
    size_t beyond = 0;

    for (size_t k = 0; k < outlook->observed.n; k++) {
        const bnre_estimator_outside outside = bnre_estimator_compare_x(
            est, outlook->observed.x + k * outlook->observed.x_size);

        if (outside.count > 0 && beyond == 0) {
            snprintf(text, 300,
                     "warning: the observation is unlike the simulated ones: "
                     "%zu of its %zu values lie outside their range",
                     outside.count, outlook->observed.x_size);
            if (monitor != NULL && monitor->note != NULL)
                monitor->note(monitor->context, text);
        }
        beyond += outside.count;
    }
    return beyond;
}

/* Tell why the posterior should not be used as it is, if so. */
static int note_doubt(int doubtful, const bnre_monitor *monitor,
                      const char why[BNRE_DOUBT])
{
    char text[BNRE_DOUBT + 10];

    if (!doubtful)
        return 0;
    snprintf(text, sizeof text, "warning: %s", why);
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, text);
    return 1;
}

/* Regions with a guarantee, and whether it holds for the observation, where the
   estimator was calibrated. */
struct regions {
    bnre_conformal_region *all, *local;
    bnre_contour *contour;
    char note[BNRE_NOTE];
    char blind[BNRE_DOUBT]; /* why there are none, or "" */
};

static void clear_regions(struct regions *regions)
{
    bnre__free(regions->all);
    bnre__free(regions->local);
    bnre__free(regions->contour);
}

static bnre_status
make_regions(const bnre_estimator *est, bnre_session *session, const double *x,
             bnre_posterior *posterior, const bnre__study_fields *fields,
             bnre_posterior_files *files, struct regions *regions,
             bnre_assurance *assurance)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(regions->all, files->levels);
    BNRE_NEW(regions->contour, 2 * files->levels);
    status = bnre_conformal_regions(est, session, x, posterior, 0,
                                    files->levels, files->level, regions->all);
    if (status == BNRE_EDOUBT) { /* nominal ones will do, and it is said */
        snprintf(regions->blind, sizeof regions->blind, "%s",
                 bnre_error_message());
        return BNRE_OK;
    }
    BNRE_TRY(status);
    if (fields->local) {
        BNRE_NEW(regions->local, files->levels);
        BNRE_TRY(bnre_conformal_regions(est, session, x, posterior, 1,
                                        files->levels, files->level,
                                        regions->local));
    }
    BNRE_TRY(bnre_outside_estimator(est, x, &assurance->guarantee.outside));
    assurance->n = files->levels;
    assurance->region = regions->all;
    assurance->local = regions->local;
    bnre_assurance_show(assurance, (bnre_regions)fields->regions,
                        regions->contour, regions->note, files);
done:
    return status;
}

bnre_status bnre__outlook_make(const bnre__outlook *outlook,
                               const bnre__outlook_work *work,
                               const char *estimator, const char *directory)
{
    bnre_posterior_files files = bnre_posterior_files_default();
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_posterior *posterior = NULL;
    bnre_session *session = NULL;
    bnre_estimator *est = NULL;
    bnre_status status = BNRE_OK;
    bnre_assurance assurance = {0};
    struct regions regions = {0};
    char *certificate = NULL, *json = NULL, text[300];
    char why[BNRE_DOUBT], far[BNRE_DOUBT];
    const char *warning[4];
    const bnre_estimator_info *info;
    bnre_density density;

    BNRE_TRY(bnre__make_directories(directory));
    BNRE_TRY(bnre_estimator_open(estimator, &est));
    info = bnre_estimator_describe(est);
    if (info->certificate != NULL) /* tempering anew drops it */
        BNRE_TRY(bnre__strdup(info->certificate, &certificate));
    if (work->fields->diagnose.temper > 0)
        BNRE_TRY(bnre_estimator_set_temper(est, work->fields->diagnose.temper));
    assurance.guarantee = (bnre_guarantee){
        .certificate = certificate,
        .temper = bnre_estimator_describe(est)->temper,
        .observations = outlook->observed.n,
        .outside = NAN,
        .beyond = note_outside(outlook, est, work->monitor, text)};
    if (assurance.guarantee.beyond > 0)
        warning[assurance.warnings++] = text + strlen("warning: ");
    assurance.warning = warning;
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_session_open(&density, work->pool, &session));
    BNRE_TRY(bnre_session_observe(session, outlook->observed.n,
                                  outlook->observed.x));
    opts.seed = work->seed;
    opts.monitor = work->monitor;
    BNRE_TRY(bnre_posterior_compute(session, &opts, &posterior));
    if (note_doubt(bnre_posterior_doubt(posterior, why), work->monitor, why))
        warning[assurance.warnings++] = why;
    if (note_doubt(bnre_posterior_far(posterior, outlook->observed.n,
                                      assurance.guarantee.temper, far),
                   work->monitor, far))
        warning[assurance.warnings++] = far;
    files.directory = directory;
    files.force = 1;
    files.seed = work->seed;
    files.samples = work->fields->study.samples;
    files.truth = outlook->truth;
    files.show = outlook->show;
    files.formats = work->formats;
    if (bnre_estimator_describe(est)->scores > 0 && outlook->observed.n == 1)
        BNRE_TRY(make_regions(est, session, outlook->observed.x, posterior,
                              &work->fields->study, &files, &regions,
                              &assurance));
    if (regions.blind[0] != 0)
        warning[assurance.warnings++] = regions.blind;
    BNRE_TRY(bnre_posterior_save(posterior, session, &files, NULL));
    BNRE_TRY(bnre__text_format(&json, "%s/posterior.json", directory));
    BNRE_TRY(bnre_assurance_add_json(json, &assurance));
done:
    clear_regions(&regions);
    bnre__free(json);
    bnre_posterior_destroy(posterior);
    bnre_session_close(session);
    bnre_estimator_close(est);
    bnre__free(certificate);
    return status;
}
