/* infer.c - the command `infer`: simulate, train, posterior, page, one after
   the other in one directory. Each stage is a command of its own, appears whole
   or not at all, and is found again by the next call; so this goes on where it
   was stopped. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "io/file.h"
#include "io/writer_lock.h"
#include "num/streams.h"
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

bnre_status bnre__infer_path(const bnre__infer *infer, size_t round,
                             const char *name, char **out)
{
    if (round == 0)
        return bnre__text_format(out, "%s/%s", infer->directory, name);
    return bnre__text_format(out, "%s/round-%zu/%s", infer->directory, round,
                             name);
}

/* ---- what is told ---- */

enum { UNITS = 100000 }; /* of all work */

static int tell_progress(void *context, size_t done, size_t found, size_t total)
{
    const bnre__infer_stage *stage = context;
    const bnre_monitor *outer = stage->outer;
    const double share = total > 0 ? (double)done / (double)total : 1;

    (void)found;
    if (outer->progress == NULL)
        return 0;
    return outer->progress(
        outer->context,
        (size_t)((stage->from + (stage->to - stage->from) * share) * UNITS), 0,
        UNITS);
}

static void tell_note(void *context, const char *text)
{
    const bnre__infer_stage *stage = context;

    if (stage->outer->note != NULL)
        stage->outer->note(stage->outer->context, text);
}

static void tell_state(void *context, const char *text)
{
    const bnre__infer_stage *stage = context;
    char all[160];

    snprintf(all, sizeof all, "%s%s%s", stage->name, *text != 0 ? ", " : "",
             text);
    if (stage->outer->state != NULL)
        stage->outer->state(stage->outer->context, all);
}

const bnre_monitor *bnre__infer_enter(bnre__infer *infer, double from,
                                      double to, size_t round, const char *name)
{
    bnre__infer_stage *stage = &infer->stage;

    stage->outer = infer->request->monitor;
    if (stage->outer == NULL)
        return NULL;
    stage->from = from;
    stage->to = to;
    if (round > 0)
        snprintf(stage->name, sizeof stage->name, "round %zu: %s", round, name);
    else
        snprintf(stage->name, sizeof stage->name, "%s", name);
    stage->monitor =
        (bnre_monitor){tell_progress, tell_note, stage, tell_state};
    tell_state(stage, "");
    return &stage->monitor;
}

bnre_status bnre__infer_warn(bnre__infer *infer, const char *fmt, ...)
{
    const bnre_monitor *monitor = infer->request->monitor;
    bnre_status status = BNRE_OK;
    bnre__json *list = NULL;
    bnre__text text = {0};
    char *said = NULL;
    va_list args;

    va_start(args, fmt);
    bnre__text_vshow(&text, fmt, args);
    va_end(args);
    BNRE_TRY(bnre__text_check(&text));
    BNRE_TRY(bnre__text_format(&said, "warning: %s", text.data));
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, said);
    if (bnre__json_find(infer->record, "warnings") == NULL)
        BNRE_TRY(bnre__json_list(infer->record, "warnings", &list));
    BNRE_TRY(bnre__json_text(
        (bnre__json *)bnre__json_find(infer->record, "warnings"), NULL,
        text.data));
done:
    bnre__free(said);
    bnre__free(text.data);
    return status;
}

/* ---- stages ---- */

/* The seed of a round: its simulations are others than those that any other
   command makes from the same seed, which --data may bring. */
static uint64_t seed_of(const bnre__infer *infer, size_t round)
{
    bnre_rng rng =
        bnre_rng_stream(infer->request->seed,
                        bnre__purpose(BNRE_USE_ROUND, BNRE_SPLIT_TRAIN), round);

    return bnre_rng_u64(&rng);
}

bnre_status bnre__infer_simulate(bnre__infer *infer, size_t round, size_t count,
                                 const double *theta,
                                 const bnre_monitor *monitor, const char *path)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    opts.count = count;
    opts.seed = seed_of(infer, round);
    opts.theta = theta;
    opts.theta_rows = theta != NULL ? count : 0;
    opts.force = infer->request->force;
    opts.workers = infer->settings->workers;
    opts.pool = infer->request->pool;
    opts.monitor = monitor;
    BNRE_DO(bnre__make_parents(path));
    return bnre_simulate(infer->task, &opts, path, NULL);
}

/* Of training, which is known only to the call that trains: told, not kept. */
static void tell_warning(const bnre__infer *infer, const char *text)
{
    const bnre_monitor *monitor = infer->request->monitor;
    char said[400];

    snprintf(said, sizeof said, "warning: %s", text);
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, said);
}

bnre_status bnre__infer_train(bnre__infer *infer, size_t round,
                              const char *data, size_t teach,
                              const bnre_monitor *monitor, const char *path)
{
    bnre_train_settings settings = {0};
    bnre_train_request request = {.settings = &settings,
                                  .seed = infer->request->seed + round - 1,
                                  .force = infer->request->force,
                                  .pool = infer->request->pool,
                                  .monitor = monitor};
    bnre_train_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    size_t n, more;
    const bnre_opt *rows = bnre_train_options(&n);
    const bnre_opt *others = bnre_train_more(&more);

    BNRE_TRY(bnre_opt_init(rows, n, &settings));
    BNRE_TRY(bnre_opt_init(others, more, &settings));
    BNRE_TRY(bnre_opt_set(bnre_opt_find(rows, n, "data"), &settings, data));
    settings.train.method = bnre__infer_method(infer);
    settings.train.task_file = infer->task->file;
    settings.trust.trust = BNRE_TRUST_AUTO;
    settings.train.teach_rows = teach;
    BNRE_TRY(bnre_train_make(&request, path, &outcome));
    for (unsigned bit = 1; bit <= outcome.result.train.warnings; bit <<= 1)
        if ((outcome.result.train.warnings & bit) != 0 &&
            bnre_train_warning(bit) != NULL)
            tell_warning(infer, bnre_train_warning(bit));
done:
    bnre_train_outcome_clear(&outcome);
    bnre_opt_clear(others, more, &settings);
    bnre_opt_clear(rows, n, &settings);
    return status;
}

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
        BNRE_TRY(
            bnre_opt_set(bnre_opt_find(rows, n, "method"), &settings, "draws"));
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

static bnre_status copy_file(const char *from, const char *to)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    char *bytes = NULL;
    size_t n;

    BNRE_TRY(bnre__file_read_all(from, (size_t)1 << 40, &bytes, &n));
    BNRE_TRY(bnre__file_create(to, &file));
    BNRE_TRY(bnre__file_write(file, bytes, n));
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__file_discard(file);
    bnre__free(bytes);
    return status;
}

/* ---- the directory ---- */

static bnre_status write_text(const char *path, const char *text)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__file_write(file, text, strlen(text)));
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__file_discard(file);
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
    enum { MOST_ROUNDS = 100 };
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
    BNRE_TRY(write_text(path, infer->made));
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
    BNRE_TRY(copy_file(estimator, final));
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
