/* The files of a training: the estimator, its history, and checkpoints. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "infer/train/checkpoint.h"
#include "infer/train/run.h"
#include "io/file.h"

bnre_status bnre__train_name_files(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    const size_t n = strlen(run->path) - strlen(".h5");

    if (strlen(run->path) <= strlen(".h5") || strcmp(run->path + n, ".h5") != 0)
        BNRE_THROW(BNRE_EUSAGE, "%s: an estimator's file ends in .h5",
                   run->path);
    if (run->opts.history != NULL)
        BNRE_TRY(bnre__strdup(run->opts.history, &run->history_path));
    else
        BNRE_TRY(bnre__text_format(&run->history_path, "%.*s.history.csv",
                                   (int)n, run->path));
    BNRE_NEW(run->part, run->opts.members);
    for (size_t k = 0; k < run->opts.members; k++)
        BNRE_TRY(
            bnre__text_format(&run->part[k], "%s.%zu.part", run->path, k + 1));
done:
    return status;
}

/* ---- identity ---- */

static bnre_status add_data(bnre__text *text, const char *what,
                            const bnre_estimator_data *data)
{
    return bnre__text_add(text, "%s: %s, %zu rows\n", what, data->fingerprint,
                          data->rows);
}

/* All that an estimator depends on, as far as its file tells it. */
static bnre_status identify(const bnre_estimator *est, bnre__text *text)
{
    const bnre_estimator_info *info = &est->info;

    BNRE_DO(
        bnre__text_add(text, "%sversion: %s\n", info->settings, info->version));
    BNRE_DO(add_data(text, "training data", &info->training));
    BNRE_DO(add_data(text, "validation data", &info->validation));
    BNRE_DO(add_data(text, "scheduling data", &info->scheduling));
    return bnre__text_add(text, "%s%s", info->network, info->task);
}

bnre_status bnre__train_identify(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    BNRE_TRY(identify(run->est, &text));
    /* The folds, as another version might deal them otherwise: members of both
       would have seen what they judge. */
    if (run->data.folds.count > 0)
        BNRE_TRY(bnre__text_add(
            &text, "folds: %016" PRIx64 "\n",
            bnre__hash_bytes(run->data.folds.fold, run->data.folds.rows)));
    /* Kernels that round otherwise: half a training by each is neither. */
    BNRE_TRY(bnre__text_add(&text, "kernels: %s\n", bnre_kernels_rounding()));
    run->identity = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}

/* ---- inputs ---- */

bnre_status bnre__train_refuse_inputs(bnre__train_run *run)
{
    const bnre_train_opts *opts = &run->opts;
    const char *const output[] = {run->path, run->history_path};
    const char *const input[] = {opts->data, opts->validation, opts->schedule,
                                 opts->network, opts->start};

    for (size_t k = 0; k < sizeof output / sizeof *output; k++) {
        for (size_t i = 0; i < sizeof input / sizeof *input; i++)
            BNRE_DO(bnre__refuse_input(output[k], input[i]));
        for (size_t i = 0; i < opts->classes.count; i++)
            BNRE_DO(bnre__refuse_input(output[k], opts->classes.text[i]));
    }
    if (bnre__same_file(run->path, run->history_path) ||
        strcmp(run->path, run->history_path) == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "%s cannot be both the estimator and its "
                         "history",
                         run->path);
    return BNRE_OK;
}

/* ---- what is there ---- */

/* Checkpoints of this run or, from the last of them on, of an earlier one with
   more members. */
bnre_status bnre__train_remove_parts(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;
    int there = 1;

    for (size_t k = 0; k < run->opts.members || there; k++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__text_format(&path, "%s.%zu.part", run->path, k + 1));
        there = bnre__file_exists(path);
        if (there)
            BNRE_TRY(bnre__file_remove(path));
    }
done:
    bnre__free(path);
    return status;
}

/* Whether a training was interrupted here, whose files are ours to replace. */
static int goes_on(const bnre__train_run *run)
{
    for (size_t k = 0; k < run->opts.members; k++)
        if (bnre__file_exists(run->part[k]))
            return 1;
    return 0;
}

static bnre_status compare(bnre__train_run *run, bnre_estimator *old,
                           int *complete)
{
    bnre_status status = BNRE_OK;
    bnre__text ours = {0}, theirs = {0};

    BNRE_TRY(identify(run->est, &ours));
    BNRE_TRY(identify(old, &theirs));
    *complete = strcmp(ours.data, theirs.data) == 0;
    if (*complete)
        goto done;
    if (goes_on(run))
        goto done; /* it was to be replaced when work was interrupted */
    BNRE_TRY(
        bnre__checkpoint_fail_other(run->path, "made", theirs.data, ours.data));
done:
    bnre__free(theirs.data);
    bnre__free(ours.data);
    return status;
}

bnre_status bnre__train_examine(bnre__train_run *run, int *complete)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *old = NULL;

    *complete = 0;
    if (run->opts.force)
        return bnre__train_remove_parts(run);
    if (!bnre__file_exists(run->path))
        return bnre__refuse_existing(run->history_path, goes_on(run));
    status = bnre_estimator_open(run->path, &old);
    if (status == BNRE_EFORMAT || status == BNRE_EUSAGE)
        BNRE_THROW(BNRE_EEXIST,
                   "%s exists and is no estimator that could be kept (%s): use "
                   "`force` to replace it, or another `output`",
                   run->path, bnre_error_message());
    BNRE_TRY(status);
    BNRE_TRY(compare(run, old, complete));
    if (*complete) {
        bnre_estimator_close(run->est);
        run->est = old;
        old = NULL;
    }
done:
    bnre_estimator_close(old);
    return status;
}

/* ---- the result ---- */

static bnre_status fill_in(bnre__train_run *run)
{
    const size_t weights = run->est->info.weights;
    const size_t buffers = bnre__estimator_buffers(run->est);

    for (size_t k = 0; k < run->opts.members; k++) {
        bnre__member *member = &run->est->member[k];
        const bnre__trained *trained = &run->trained[k];

        member->seed = bnre__member_seed(run->opts.seed, k);
        member->uses =
            run->opts.weights == BNRE_WEIGHTS_LAST ? BNRE__LAST : BNRE__BEST;
        for (int e = 0; e < BNRE__EPOCHS; e++) {
            member->epoch[e] = trained->epoch[e];
            memcpy(member->weights[e], trained->weights[e],
                   weights * sizeof(float));
            if (buffers > 0)
                memcpy(member->buffers[e], trained->buffers[e],
                       buffers * sizeof(float));
        }
        BNRE_DO(bnre__estimator_set_history(
            run->est, k, trained->history.epochs, trained->history.value));
    }
    return BNRE_OK;
}

/* The history first: where the estimator is, it is too. */
bnre_status bnre__train_write(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    bnre__history *history = NULL;

    BNRE_TRY(fill_in(run));
    if (run->data.classes) {
        BNRE_TRY(bnre__train_assess(run));
        BNRE_TRY(bnre__classes_keep(run->est, &run->report));
    }
    BNRE_NEW(history, run->opts.members);
    for (size_t k = 0; k < run->opts.members; k++)
        history[k] = run->trained[k].history;
    BNRE_TRY(bnre__history_write(run->history_path, run->opts.members, history,
                                 (const char *const *)run->est->column));
    BNRE_TRY(bnre_estimator_save(run->est, run->path, 1));
done:
    bnre__free(history);
    return status;
}
