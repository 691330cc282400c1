/* part.c - a dataset in the making: the rows that are there already, in the
   file and in the journal beside it (`path`.part), and those that are not. */
#include "data/part.h"
#include "data/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/writer.h"
#include "io/file.h"
#include "task/task.h"

static bnre_status list_names(const bnre_prior *prior, const char ***out)
{
    bnre_status status = BNRE_OK;
    size_t n = bnre_prior_dim(prior);

    BNRE_NEW(*out, n);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = bnre_prior_name(prior, i);
    BNRE_TRY(bnre__names_check("parameters", n, *out));
done:
    return status;
}

/* What is missing is listed by chunks: of so many the list takes 0.5 GB. */
#define MOST_CHUNKS ((size_t)1 << 25)

/* What the dataset will be, from the task and the options. */
static bnre_status describe(bnre__part *part, const bnre_task *task,
                            const bnre_simulate_opts *opts)
{
    bnre_status status = BNRE_OK;
    bnre_dataset_info *info = &part->info;
    bnre__text settings = {0};
    const size_t *shape;
    size_t most;

    BNRE_TRY(list_names(bnre_task_prior(task), &part->theta_name));
    BNRE_TRY(list_names(bnre_task_nuisance(task), &part->nuisance_name));
    BNRE_TRY(bnre__text_add(&settings, "seed: %" PRIu64 "\nsplit: %s\n",
                            opts->seed, bnre_split_name(opts->split)));
    if (opts->first > 0)
        BNRE_TRY(bnre__text_add(&settings, "first: %zu\n", opts->first));
    BNRE_TRY(bnre__parameters_describe(task, opts, &settings));
    part->settings = settings.data;
    settings.data = NULL;
    *info = (bnre_dataset_info){
        .rows = opts->count,
        .dim_theta = bnre_prior_dim(bnre_task_prior(task)),
        .dim_nuisance = bnre_prior_dim(bnre_task_nuisance(task)),
        .x_size = bnre_task_x_size(task),
        .x_double = task->precision == BNRE__PRECISION_DOUBLE,
        .theta_name = part->theta_name,
        .nuisance_name = part->nuisance_name,
        .task = bnre_task_text(task),
        .settings = part->settings,
        .version = BNRE_VERSION,
    };
    shape = bnre_task_observable(task, &info->ndim);
    memcpy(info->shape, shape, info->ndim * sizeof *shape);
    most = MOST_CHUNKS * bnre__part_chunk(part);
    if (most > SIZE_MAX / 4 / bnre__row_bytes(info))
        most = SIZE_MAX / 4 / bnre__row_bytes(info);
    if (info->rows > most)
        BNRE_THROW(BNRE_EUSAGE,
                   "%zu rows of %zu bytes are too many: a dataset of this task "
                   "has up to %zu",
                   info->rows, bnre__row_bytes(info), most);
done:
    bnre__free(settings.data);
    return status;
}

/* The first line in which two texts differ, without its indentation. */
static const char *show_difference(const char *theirs, const char *ours,
                                   char out[256])
{
    for (;;) {
        size_t n = strcspn(theirs, "\n"), m = strcspn(ours, "\n");

        if (n != m || strncmp(theirs, ours, n) != 0) {
            theirs += strspn(theirs, " ");
            ours += strspn(ours, " ");
            snprintf(out, 256, "\"%.*s\" there, \"%.*s\" asked for",
                     (int)(strcspn(theirs, "\n") % 100), theirs,
                     (int)(strcspn(ours, "\n") % 100), ours);
            return out;
        }
        if (theirs[n] == 0 || ours[m] == 0)
            return "the end";
        theirs += n + 1;
        ours += m + 1;
    }
}

/* Whether the file goes on with what is asked for: then it is kept open. */
static bnre_status compare_file(bnre__part *part, const bnre_dataset_info *old)
{
    const bnre_dataset_info *info = &part->info;
    const char *path = part->path;
    char text[256];

    if (old->task == NULL || old->settings == NULL)
        return bnre_fail(BNRE_EEXIST,
                         "%s exists and does not tell how it was made, so it "
                         "cannot be extended: use `force` to replace it, or "
                         "another `output` (files that end in .h5 do tell)",
                         path);
    if (strcmp(old->settings, info->settings) != 0 ||
        strcmp(old->task, info->task) != 0)
        return bnre_fail(
            BNRE_EEXIST,
            "%s was made with other settings (%s): use `force` to replace it, "
            "or another `output`",
            path,
            strcmp(old->settings, info->settings) != 0
                ? show_difference(old->settings, info->settings, text)
                : show_difference(old->task, info->task, text));
    if (old->dim_theta != info->dim_theta || old->x_size != info->x_size ||
        old->dim_nuisance != info->dim_nuisance ||
        old->x_double != info->x_double)
        return bnre_fail(
            BNRE_EEXIST,
            "%s was made with the same settings but its rows are of another "
            "size: use `force` to replace it, or another `output`",
            path);
    if (old->rows > info->rows)
        return bnre_fail(BNRE_EEXIST,
                         "%s has %zu rows, only %zu were asked for: use "
                         "`force` to replace it, or another `output`",
                         path, old->rows, info->rows);
    return BNRE_OK;
}

/* A file that cannot be used, as a refusal. */
static bnre_status refuse_unsound(const bnre__part *part, bnre_status status)
{
    if (status != BNRE_EFORMAT && status != BNRE_ENUM)
        return status;
    return bnre_fail(BNRE_EEXIST,
                     "%s exists and cannot be extended (%s): use `force` to "
                     "replace it, or another `output`",
                     part->path, bnre_error_message());
}

/* Look at the file, if there is one. */
static bnre_status examine_file(bnre__part *part)
{
    if (!bnre__file_exists(part->path))
        return BNRE_OK;
    BNRE_DO(refuse_unsound(part, bnre_dataset_open(part->path, &part->old)));
    BNRE_DO(compare_file(part, &part->old->info));
    part->base = part->old->info.rows;
    part->complete = part->base == part->info.rows;
    /* Before hours of work on the rest, and before it is called complete; a
       file that is opened once more with its journal is verified then. */
    if (part->complete || part->journal != NULL)
        BNRE_DO(refuse_unsound(part, bnre_dataset_verify(part->old)));
    return BNRE_OK;
}

static bnre_status open_journal(bnre__part *part, int fresh)
{
    bnre_status status = BNRE_OK;
    char *identity = NULL, *other = NULL, text[256];

    BNRE_TRY(bnre__text_format(&identity, "%s%s", part->info.settings,
                               part->info.task));
    status = bnre__journal_open(part->journal_path, identity, fresh, &other,
                                &part->journal);
    if (status == BNRE_EEXIST && other != NULL)
        BNRE_THROW(BNRE_EEXIST,
                   "%s holds rows of other settings (%s): use `force` to "
                   "discard them, or another `output`",
                   part->journal_path, show_difference(other, identity, text));
    if (status == BNRE_EEXIST)
        BNRE_THROW(BNRE_EEXIST,
                   "%s: use `force` to discard it, or another `output`",
                   bnre_error_message());
done:
    bnre__free(other);
    bnre__free(identity);
    return status;
}

/* Whether the file, which does not tell how it was made, is what the journal
   holds: the last run ended between writing the one and removing the other. */
static bnre_status recognise_file(bnre__part *part)
{
    bnre_status status = BNRE_OK;
    bnre__rows rows = bnre__part_rows(part), old;
    bnre__span *missing = NULL;
    char ours[33], theirs[33];
    size_t n;

    BNRE_TRY(bnre__part_missing(part, &missing, &n));
    if (n > 0 || part->old->info.rows != part->info.rows)
        goto done;
    bnre__dataset_set_double(part->old, part->info.x_double);
    old = bnre__dataset_rows(part->old);
    BNRE_TRY(bnre__rows_fingerprint(&rows, ours));
    BNRE_TRY(bnre__rows_fingerprint(&old, theirs));
    part->complete = strcmp(ours, theirs) == 0;
done:
    bnre__free(missing);
    return status;
}

/* With the journal at hand. */
static bnre_status examine_both(bnre__part *part)
{
    bnre_status status = BNRE_OK;

    /* A file that is to be replaced does not matter. */
    if (bnre__journal_fresh(part->journal))
        return bnre__part_refresh(part);
    status = examine_file(part);
    if (status == BNRE_EEXIST && part->old != NULL &&
        part->old->info.task == NULL) {
        char refusal[512];

        snprintf(refusal, sizeof refusal, "%s", bnre_error_message());
        BNRE_TRY(bnre__part_refresh(part));
        BNRE_TRY(recognise_file(part));
        if (!part->complete)
            BNRE_THROW(BNRE_EEXIST, "%s", refusal);
        goto done;
    }
    BNRE_TRY(status);
    BNRE_TRY(bnre__part_refresh(part));
done:
    return status;
}

bnre_status bnre__part_open(const bnre_task *task,
                            const bnre_simulate_opts *opts, const char *path,
                            bnre__part **out)
{
    bnre_status status = BNRE_OK;
    bnre__part *part = NULL;

    *out = NULL;
    BNRE_NEW(part, 1);
    part->path = path;
    BNRE_TRY(describe(part, task, opts));
    BNRE_TRY(bnre__text_format(&part->journal_path, "%s.part", path));
    if (!opts->force && !bnre__file_exists(part->journal_path)) {
        /* Refusals and finished work need no journal, nor the right to write
           one. */
        BNRE_TRY(examine_file(part));
        if (!part->complete) {
            bnre_dataset_close(part->old);
            part->old = NULL;
            part->base = 0;
        }
    }
    if (!part->complete) {
        BNRE_TRY(open_journal(part, opts->force));
        BNRE_TRY(examine_both(part));
    }
    *out = part;
    part = NULL;
done:
    bnre__part_close(part);
    return status;
}

void bnre__part_close(bnre__part *part)
{
    size_t n = 1;

    if (part == NULL)
        return;
    if (part->journal != NULL)
        bnre__journal_records(part->journal, &n);
    if (n > 0)
        bnre__journal_close(part->journal);
    else if (bnre__journal_remove(part->journal) != BNRE_OK)
        n = 0; /* an empty journal in the way does no harm */
    bnre_dataset_close(part->old);
    bnre__free(part->tail);
    bnre__free(part->piece);
    bnre__free(part->settings);
    bnre__free(part->nuisance_name);
    bnre__free(part->theta_name);
    bnre__free(part->journal_path);
    bnre__free(part);
}

bnre_status bnre__part_finish(bnre__part *part)
{
    bnre__journal *journal = part->journal;

    if (journal == NULL || part->beyond > 0)
        return BNRE_OK;
    part->journal = NULL;
    return bnre__journal_remove(journal);
}

bnre_status bnre__part_discard(bnre__part *part)
{
    return bnre__journal_clear(part->journal);
}
