/* observed.c - what was observed, for a study: read before anything is done,
   and its posterior by the estimator of each run. */
#include "study/observed.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bnre/command.h"
#include "command/posterior.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/json.h"
#include "task/task.h"

/* ---- names in a list, "a,b" ---- */

/* The next of them, without blanks; *list moves on. 0: there is none. */
static int next_name(const char **list, const char **name, size_t *length)
{
    *name = *list + strspn(*list, " ,");
    *length = strcspn(*name, ",");
    *list = *name + *length;
    while (*length > 0 && (*name)[*length - 1] == ' ')
        *length -= 1;
    return *length > 0;
}

static int has_name(const char *list, const char *name, size_t length)
{
    const char *one;
    size_t n;

    while (next_name(&list, &one, &n))
        if (n == length && strncmp(one, name, n) == 0)
            return 1;
    return 0;
}

static size_t count_names(const char *list)
{
    const char *one;
    size_t n, count = 0;

    while (next_name(&list, &one, &n))
        count++;
    return count;
}

/* ---- what belongs to an observation ---- */

/* The truth as given, or that of the dataset the observation is a row of: of
   all parameters of the task, or of those that are asked for. Beside further
   experiments, which may have parameters of their own, the command reads it. */
static bnre_status find_truth(const bnre_study *study, const bnre_task *task,
                              bnre__observed *out)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(task));
    const bnre_node *given = bnre_node_find(study->base, "truth");
    const bnre_node *names = bnre_node_find(study->base, "parameters");
    bnre_status status;

    out->given = given != NULL ? given->text : NULL;
    if (given != NULL && (out->also.count > 0 ||
                          (names != NULL && count_names(given->text) ==
                                                count_names(names->text))))
        return BNRE_OK;
    status =
        bnre__posterior_truth(out->given, &out->observed, dim, &out->truth);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(given,
                                "truth must be %zu number%s with commas "
                                "between them, got \"%s\"",
                                dim, dim == 1 ? "" : "s", given->text);
    return status;
}

/* Which parameters are in the picture. */
static bnre_status find_show(const bnre_study *study, const bnre_task *task,
                             bnre__observed *out)
{
    const bnre_node *node = bnre_node_find(study->base, "show");
    const bnre_node *names = bnre_node_find(study->base, "parameters");
    bnre_posterior_files files = bnre_posterior_files_default();
    bnre_status status;
    char *words = NULL;
    size_t n;

    if (node == NULL)
        return BNRE_OK;
    files.show = out->show = node->text;
    if (out->also.count > 0) /* they may have parameters of their own */
        return BNRE_OK;
    if (names != NULL)
        for (const char *list = node->text, *one; next_name(&list, &one, &n);)
            if (!has_name(names->text, one, n))
                return bnre_node_fail(node,
                                      "show: %.*s is none of the parameters to "
                                      "be inferred, %s",
                                      (int)n, one, names->text);
    status = bnre_posterior_pictures(&files, bnre_task_prior(task), &words);
    if (status == BNRE_EUSAGE)
        status = bnre_node_fail(node, "%s", bnre_error_message());
    bnre_free(words);
    return status;
}

/* Another prior than that of training: its file, and what is in it. */
static bnre_status find_prior(const bnre_study *study, bnre__observed *out,
                              char print[33])
{
    const bnre_node *node = bnre_node_find(study->base, "prior");
    bnre_status status;

    if (node == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__task_path(node, &out->prior));
    status = bnre__file_hash(out->prior, print);
    if (status == BNRE_EIO)
        status = bnre_node_fail(node, "prior: %s", bnre_error_message());
    return status;
}

/* A path beside the study's file. */
static bnre_status add_path(const bnre_node *node, const char *text,
                            bnre_opt_list *list)
{
    bnre_node place = *node;

    place.text = (char *)text;
    BNRE_DO(bnre__task_path(&place, &list->text[list->count]));
    list->count++;
    return BNRE_OK;
}

/* A parameter that both have needs one prior. */
static bnre_status compare_priors(const bnre_task *task,
                                  const bnre_estimator *other)
{
    const bnre_prior *own = bnre_task_prior(task);
    const bnre_prior *prior = bnre_estimator_prior(other);

    for (size_t i = 0; i < bnre_prior_dim(own); i++)
        for (size_t k = 0; k < bnre_prior_dim(prior); k++)
            if (strcmp(bnre_prior_name(own, i), bnre_prior_name(prior, k)) ==
                    0 &&
                strcmp(bnre_prior_text(own, i), bnre_prior_text(prior, k)) != 0)
                return bnre_fail(
                    BNRE_EUSAGE,
                    "also: %s is %s here and %s there: say which prior is "
                    "meant with `prior: FILE`",
                    bnre_prior_name(own, i), bnre_prior_text(own, i),
                    bnre_prior_text(prior, k));
    return BNRE_OK;
}

/* Further experiments: whether they can be read, and what is in them. */
static bnre_status find_also(const bnre_study *study, const bnre_task *task,
                             bnre__observed *out, bnre__hash *hash)
{
    const bnre_node *node = bnre_node_find(study->base, "also");
    const bnre_opt_list *list = &study->fields.posterior.also;
    bnre_status status = BNRE_OK;
    bnre_estimator *estimator = NULL;
    bnre_observations observed = {0};
    char *path = NULL, print[33];
    const char *file;

    if (node == NULL)
        return BNRE_OK;
    BNRE_NEW(out->also.text, 2 * list->count);
    for (size_t at = 0; at < list->count;) {
        const char *const *place = (const char *const *)out->also.text;

        BNRE_TRY(bnre__posterior_also(list, &at, &path, &file));
        BNRE_TRY(add_path(node, path, &out->also));
        BNRE_TRY(add_path(node, file, &out->also));
        BNRE_TRY(bnre__posterior_open_also(place[out->also.count - 2],
                                           place[out->also.count - 1],
                                           &estimator, &observed));
        if (bnre_node_find(study->base, "prior") == NULL)
            BNRE_TRY(compare_priors(task, estimator));
        BNRE_TRY(bnre_estimator_fingerprint(estimator, print));
        bnre__hash_add_text(hash, print);
        bnre__observations_fingerprint(&observed, print);
        bnre__hash_add_text(hash, print);
        bnre_observations_clear(&observed);
        bnre_estimator_close(estimator);
        estimator = NULL;
        bnre__free(path);
        path = NULL;
    }
done:
    if (status == BNRE_EUSAGE || status == BNRE_EIO)
        status = bnre_node_fail(node, "%s", bnre_error_message());
    bnre_observations_clear(&observed);
    bnre_estimator_close(estimator);
    bnre__free(path);
    return status;
}

/* Prior odds of models, in place of those that were simulated. */
static bnre_status find_odds(const bnre_study *study, bnre__observed *out)
{
    const bnre_node *models =
        bnre_node_find(bnre_node_find(study->base, "task"), "models");
    const bnre_node *node = bnre_node_find(study->base, "odds");
    size_t n = 1;

    if (node == NULL)
        return BNRE_OK;
    out->odds = study->fields.posterior.odds;
    for (const char *c = out->odds; *c != 0; c++)
        n += *c == ',';
    if (models == NULL || models->count != n)
        return bnre_node_fail(node,
                              "odds are numbers with commas between them, "
                              "one for each of the models of a study");
    return BNRE_OK;
}

bnre_status bnre__observed_read(const bnre_study *study, size_t task,
                                bnre__observed *out)
{
    const bnre_node *node = bnre_node_find(study->base, "observation");
    const bnre_task *of = study->task[task].task;
    const size_t dim = bnre_prior_dim(bnre_task_prior(of));
    bnre_status status = BNRE_OK;
    bnre_observation_form form;
    const size_t *shape;
    char *path = NULL, print[33] = "";
    bnre__hash hash;
    size_t ndim;

    *out = (bnre__observed){.file = node->text, .all = bnre_task_prior(of)};
    shape = bnre_task_observable(of, &ndim);
    BNRE_TRY(bnre__task_path(node, &path));
    form = (bnre_observation_form){
        .ndim = ndim, .shape = shape, .prior = bnre_task_prior(of)};
    status = bnre_observations_read(&form, 1, (const char *const[]){path},
                                    &out->observed);
    if (status == BNRE_EUSAGE || status == BNRE_EIO)
        status = bnre_node_fail(node, "observation: %s", bnre_error_message());
    BNRE_TRY(status);
    bnre__hash_init(&hash, 0, 0, 1);
    BNRE_TRY(find_also(study, of, out, &hash));
    BNRE_TRY(find_truth(study, of, out));
    BNRE_TRY(find_show(study, of, out));
    BNRE_TRY(find_prior(study, out, print));
    BNRE_TRY(find_odds(study, out));
    bnre__hash_add_floats(&hash, out->observed.x,
                          out->observed.n * out->observed.x_size);
    if (out->truth != NULL)
        bnre__hash_add(&hash, out->truth, dim * sizeof *out->truth);
    else if (out->given != NULL)
        bnre__hash_add_text(&hash, out->given);
    if (out->show != NULL)
        bnre__hash_add_text(&hash, out->show);
    if (out->odds != NULL)
        bnre__hash_add_text(&hash, out->odds);
    if (out->prior != NULL)
        bnre__hash_add_text(&hash, print);
    bnre__hash_end_hex(&hash, out->hash);
done:
    bnre__free(path);
    if (status != BNRE_OK)
        bnre__observed_clear(out);
    return status;
}

void bnre__observed_clear(bnre__observed *observed)
{
    bnre_observations_clear(&observed->observed);
    bnre__free(observed->truth);
    bnre__free(observed->prior);
    for (size_t i = 0; i < observed->also.count; i++)
        bnre__free(observed->also.text[i]);
    bnre__free(observed->also.text);
    *observed = (bnre__observed){0};
}

/* The truth of the parameters that a run is about; *out NULL if it is what the
   study says, or is not known. The caller frees it. */
static bnre_status choose_truth(const bnre__observed *observed,
                                const char *names, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    const char *one;
    char number[32];
    size_t n;

    *out = NULL;
    if (observed->truth == NULL || names == NULL)
        return BNRE_OK;
    while (next_name(&names, &one, &n))
        for (size_t i = 0; i < bnre_prior_dim(observed->all); i++) {
            const char *name = bnre_prior_name(observed->all, i);

            if (strlen(name) == n && strncmp(name, one, n) == 0)
                BNRE_TRY(bnre__text_add(
                    &text, text.length > 0 ? ",%s" : "%s",
                    bnre__text_real(observed->truth[i], number)));
        }
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}

/* The settings of the command: texts stay whose they are. */
static bnre_posterior_settings find_settings(const bnre__observed *observed,
                                             const bnre__fields *fields,
                                             const char *formats, char **file)
{
    bnre_posterior_settings out = fields->posterior;

    *file = (char *)observed->file;
    out.observation = (bnre_opt_list){file, 1};
    out.truth = (char *)observed->given;
    out.show = (char *)observed->show;
    out.prior = observed->prior;
    out.also = observed->also;
    out.odds = (char *)observed->odds;
    out.format = (char *)formats;
    if (fields->study.temper > 0) /* NaN: it was chosen in training */
        out.temper = fields->study.temper;
    return out;
}

bnre_status bnre__observed_posterior(const bnre__observed *observed,
                                     const bnre__observed_work *work,
                                     const char *pairs, const char *estimator,
                                     const char *directory)
{
    char *file;
    bnre_posterior_settings settings =
        find_settings(observed, work->fields, work->formats, &file);
    const bnre_posterior_request request = {.estimator = estimator,
                                            .settings = &settings,
                                            .observed = &observed->observed,
                                            .seed = work->seed,
                                            .force = 1,
                                            .if_calibrated = 1,
                                            .pool = work->pool,
                                            .monitor = work->monitor};
    bnre_posterior_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    size_t n;
    const bnre_opt *rows = bnre_posterior_options(&n);
    char *truth = NULL;

    BNRE_TRY(choose_truth(observed, work->fields->train.parameters, &truth));
    if (truth != NULL)
        settings.truth = truth;
    settings.calibrate = (char *)pairs;
    /* A region may be too small for a grid over the prior. */
    if (strcmp(work->fields->study.rounds, "1") != 0)
        BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "sampler"), &settings,
                              "draws"));
    status = bnre_posterior_make(&request, directory, &outcome);
    if (outcome.doubt[0] != 0) /* it is told in the end */
        status = BNRE_OK;
done:
    bnre_posterior_outcome_clear(&outcome);
    bnre__free(truth);
    return status;
}

bnre_status bnre__observed_check(const bnre__observed *observed,
                                 const bnre__observed_work *work,
                                 const bnre_node *task, const char *pairs,
                                 const char *estimator, const char *directory)
{
    const bnre__study_fields *own = &work->fields->study;
    bnre_check_settings settings = {0};
    const bnre_check_request request = {.estimator = estimator,
                                        .settings = &settings,
                                        .observed = &observed->observed,
                                        .seed = work->seed,
                                        .task = task,
                                        .force = 1,
                                        .pool = work->pool,
                                        .monitor = work->monitor};
    bnre_check_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    size_t n;
    const bnre_opt *rows = bnre_check_options(&n);

    BNRE_TRY(bnre_opt_init(rows, n, &settings));
    BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "observation"), &settings,
                          observed->file));
    for (size_t i = 0; i < own->summary.count; i++)
        BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "summary"), &settings,
                              own->summary.text[i]));
    bnre__free(settings.format); /* none at all is no text of an option */
    settings.format = NULL;
    BNRE_TRY(bnre__strdup(work->formats, &settings.format));
    if (pairs != NULL)
        BNRE_TRY(bnre__strdup(pairs, &settings.data));
    settings.draws = own->check;
    settings.workers = own->workers;
    if (work->fields->study.temper > 0) /* NaN: it was chosen in training */
        settings.temper = work->fields->study.temper;
    status = bnre_check_make(&request, directory, &outcome);
    if (outcome.doubt[0] != 0) /* it is told in the end */
        status = BNRE_OK;
done:
    bnre_check_outcome_clear(&outcome);
    bnre_opt_clear(rows, n, &settings);
    return status;
}

bnre_status bnre__observed_doubt(const char *directory, const char *file,
                                 char why[BNRE_DOUBT])
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;
    char *path = NULL;
    const char *text;

    BNRE_TRY(bnre__text_format(&path, "%s/%s", directory, file));
    BNRE_TRY(bnre__json_read(path, &root));
    text = bnre__json_as_text(bnre__json_find(root, "doubt"));
    snprintf(why, BNRE_DOUBT, "%s", text != NULL ? text : "");
done:
    bnre__json_destroy(root);
    bnre__free(path);
    return status;
}
