/* infer.c - the command `infer`: simulate, train, posterior, page, one after
   the other in one directory. Each stage is a command of its own, appears whole
   or not at all, and is found again by the next call; so this goes on where it
   was stopped. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "io/file.h"
#include "io/writer_lock.h"
#include "rounds/command/command.h"
#include "rounds/round.h"
#include "task/task.h"

void bnre_infer_outcome_clear(bnre_infer_outcome *outcome)
{
    bnre__free(outcome->summary);
    bnre__free(outcome->page);
    *outcome = (bnre_infer_outcome){0};
}

static void clear_infer(bnre__infer *infer)
{
    bnre__json_destroy(infer->record);
    bnre_free(infer->made);
    bnre_dataset_close(infer->given);
    bnre__free(infer->truth);
    bnre_observations_clear(&infer->observed);
    bnre_task_destroy(infer->task);
}

/* ---- the posterior ---- */

static bnre_status set_list(const bnre_opt *row, void *fields,
                            const bnre_opt_list *list)
{
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < list->count; i++)
        BNRE_TRY(bnre_opt_set(row, fields, list->text[i]));
done:
    return status;
}

static bnre_status posterior(bnre__infer *infer, const char *estimator,
                             const bnre_monitor *monitor,
                             bnre_infer_outcome *told)
{
    const bnre_infer_settings *wanted = infer->settings;
    bnre_posterior_settings settings = {0};
    const bnre_posterior_request request = {.estimator = estimator,
                                            .settings = &settings,
                                            .observed = &infer->observed,
                                            .seed = infer->request->seed,
                                            .force = 1,
                                            .if_calibrated = 1,
                                            .pool = infer->request->pool,
                                            .monitor = monitor};
    bnre_posterior_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    char *directory = NULL;
    size_t n;
    const bnre_opt *rows = bnre_posterior_options(&n);

    BNRE_TRY(bnre_opt_init(rows, n, &settings));
    BNRE_TRY(set_list(bnre_opt_find(rows, n, "observation"), &settings,
                      &wanted->observation));
    if (wanted->truth != NULL)
        BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "truth"), &settings,
                              wanted->truth));
    BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "format"), &settings,
                          wanted->format));
    settings.samples = wanted->samples;
    /* A region may be too small for a grid over the prior. */
    if (infer->rounds > 1)
        BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "sampler"), &settings,
                              "draws"));
    BNRE_TRY(bnre__infer_path(infer, 0, "posterior", &directory));
    status = bnre_posterior_make(&request, directory, &outcome);
    snprintf(told->doubt, sizeof told->doubt, "%s", outcome.doubt);
    if (outcome.doubt[0] != 0) /* it is told in the end */
        status = BNRE_OK;
done:
    bnre__free(directory);
    bnre_posterior_outcome_clear(&outcome);
    bnre_opt_clear(rows, n, &settings);
    return status;
}

/* ---- the directory ---- */

enum { MOST_ROUNDS = 100 }; /* of any version, to be found in a directory */

/* That no input is the file at `path`. */
static bnre_status refuse_inputs_at(const bnre__infer *infer, const char *path)
{
    const bnre_infer_settings *settings = infer->settings;

    BNRE_DO(bnre__refuse_input(path, settings->task));
    BNRE_DO(bnre__refuse_input(path, settings->data));
    BNRE_DO(bnre__refuse_input(path, infer->request->input));
    for (size_t i = 0; i < settings->observation.count; i++)
        BNRE_DO(bnre__refuse_input(path, settings->observation.text[i]));
    return BNRE_OK;
}

/* Nor any file of a directory that is written, named with its slash. */
static bnre_status refuse_inputs_in(const bnre__infer *infer,
                                    const char *directory)
{
    bnre_status status = BNRE_OK;
    DIR *list = opendir(directory);
    const struct dirent *entry;
    char *path = NULL;

    while (list != NULL && (entry = readdir(list)) != NULL) {
        /* `-o slcp` with the task slcp: .. is no file that is written. */
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__text_format(&path, "%s%s", directory, entry->d_name));
        BNRE_TRY(refuse_inputs_at(infer, path));
    }
done:
    bnre__free(path);
    if (list != NULL)
        closedir(list);
    return status;
}

/* Inputs stay what they are, whatever is replaced. */
static bnre_status refuse_inputs(const bnre__infer *infer)
{
    static const char *const name[] = {"infer.yaml", "infer.json",
                                       "report.html", "estimator.h5"};
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__infer_path(infer, 0, name[i], &path));
        BNRE_TRY(refuse_inputs_at(infer, path));
    }
    for (size_t round = 0; round <= MOST_ROUNDS; round++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__infer_path(infer, round, round == 0 ? "posterior/" : "",
                                  &path));
        BNRE_TRY(refuse_inputs_in(infer, path));
    }
done:
    bnre__free(path);
    return status;
}

/* Files of somebody else that would be written over: there was no inference in
   this directory. */
static bnre_status refuse_foreign(const bnre__infer *infer)
{
    static const char *const name[] = {"infer.json", "report.html",
                                       "estimator.h5", "round-1", "posterior"};
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__infer_path(infer, 0, name[i], &path));
        BNRE_TRY(bnre__refuse_existing(path, infer->request->force));
    }
done:
    bnre__free(path);
    return status;
}

/* What would pass for the result of other settings goes before these are
   written down. */
static bnre_status drop_old(const bnre__infer *infer)
{
    static const char *const name[] = {
        "infer.json", "report.html",    "estimator.h5", "estimator.history.csv",
        "maker.h5",   "simulations.h5", "data.h5"};
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t round = 0; round <= MOST_ROUNDS; round++)
        for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
            bnre__free(path);
            path = NULL;
            if (round == 0 && i > 2)
                break; /* somebody else's */
            BNRE_TRY(bnre__infer_path(infer, round, name[i], &path));
            if (bnre__file_exists(path))
                BNRE_TRY(bnre__file_remove(path));
        }
done:
    bnre__free(path);
    return status;
}

/* That the directory is that of the same settings, or new. */
static bnre_status claim(const bnre__infer *infer)
{
    enum { LIMIT = 1 << 24 };
    bnre_status status = BNRE_OK;
    char *path = NULL, *old = NULL;
    size_t bytes;

    BNRE_TRY(bnre__infer_path(infer, 0, "infer.yaml", &path));
    if (bnre__file_exists(path) && !infer->request->force) {
        BNRE_TRY(bnre__file_read_all(path, LIMIT, &old, &bytes));
        if (strcmp(old, infer->made) != 0)
            BNRE_THROW(BNRE_EEXIST,
                       "%s holds an inference with other settings (see %s): "
                       "give another directory, or `force` to replace it",
                       infer->directory, path);
        goto done;
    }
    if (!bnre__file_exists(path))
        BNRE_TRY(refuse_foreign(infer));
    BNRE_TRY(bnre__make_directories(infer->directory));
    BNRE_TRY(drop_old(infer));
    BNRE_TRY(bnre__file_put(path, infer->made, strlen(infer->made)));
done:
    bnre_free(old);
    bnre__free(path);
    return status;
}

/* Whether all of it is there. */
static bnre_status is_done(const bnre__infer *infer, int *done)
{
    static const char *const name[] = {"infer.json", "report.html",
                                       "estimator.h5",
                                       "posterior/posterior.json"};
    bnre_status status = BNRE_OK;
    char *path = NULL;

    *done = !infer->request->force;
    for (size_t i = 0; *done && i < sizeof name / sizeof *name; i++) {
        BNRE_TRY(bnre__infer_path(infer, 0, name[i], &path));
        *done = bnre__file_exists(path);
        bnre__free(path);
        path = NULL;
    }
done:
    bnre__free(path);
    return status;
}

/* ---- the whole ---- */

static bnre_status run(bnre__infer *infer, bnre_infer_outcome *outcome)
{
    bnre_status status = BNRE_OK;
    char *estimator = NULL, *final = NULL, *json = NULL;

    BNRE_TRY(bnre__json_create(&infer->record));
    BNRE_TRY(bnre__infer_rounds(infer, &estimator));
    BNRE_TRY(bnre__infer_path(infer, 0, "estimator.h5", &final));
    BNRE_TRY(bnre__infer_copy(estimator, final));
    BNRE_TRY(posterior(infer, final,
                       bnre__infer_enter(infer, 0.9, 1, 0, "posterior"),
                       outcome));
    BNRE_TRY(bnre__infer_path(infer, 0, "infer.json", &json));
    BNRE_TRY(bnre__json_write(infer->record, json));
    BNRE_TRY(bnre__infer_page(infer));
done:
    bnre__free(json);
    bnre__free(final);
    bnre__free(estimator);
    return status;
}

static bnre_status find_doubt(const bnre__infer *infer,
                              bnre_infer_outcome *outcome)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;
    char *path = NULL;
    const char *text;

    BNRE_TRY(bnre__infer_path(infer, 0, "posterior/posterior.json", &path));
    BNRE_TRY(bnre__json_read(path, &root));
    text = bnre__json_text_of(root, "doubt");
    snprintf(outcome->doubt, sizeof outcome->doubt, "%s",
             text != NULL ? text : "");
done:
    bnre__json_destroy(root);
    bnre__free(path);
    return status;
}

bnre_status bnre_infer(const bnre_infer_request *request,
                       bnre_infer_outcome *outcome)
{
    bnre__infer infer = {.request = request,
                         .settings = request->settings,
                         .directory = request->settings->output};
    bnre_status status = BNRE_OK;
    bnre__writer_lock *lock = NULL;
    char *path = NULL;

    *outcome = (bnre_infer_outcome){0};
    BNRE_TRY(bnre__infer_prepare(&infer));
    if (request->dry_run) {
        BNRE_TRY(bnre__infer_plan(&infer, &outcome->summary));
        goto done;
    }
    BNRE_TRY(refuse_inputs(&infer));
    BNRE_TRY(bnre__infer_path(&infer, 0, "infer.json", &path));
    BNRE_TRY(bnre__infer_path(&infer, 0, "report.html", &outcome->page));
    BNRE_TRY(bnre__make_directories(infer.directory));
    BNRE_TRY(bnre__writer_lock_take_as(path, infer.directory, &lock));
    BNRE_TRY(claim(&infer));
    BNRE_TRY(is_done(&infer, &outcome->found));
    if (!outcome->found)
        BNRE_TRY(run(&infer, outcome));
    else
        BNRE_TRY(find_doubt(&infer, outcome));
    BNRE_TRY(bnre__infer_summary(&infer, &outcome->summary));
    if (outcome->doubt[0] != 0)
        status = bnre_fail(BNRE_EDOUBT, "%s", outcome->doubt);
done:
    bnre__writer_lock_release(lock);
    bnre__free(path);
    clear_infer(&infer);
    return status;
}
