/* data.c - what training reads: a task and up to three sets of rows. */
#include "infer/train/data.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "data/precision.h"
#include "infer/train/run.h"
#include "task/outline.h"

enum { LEAST_BATCH = 8 };

/* ---- the task ---- */

/* *out stays NULL if a plugin would have to be loaded to tell, which a plan
   does not do. */
static bnre_status read_task_file(const bnre_train_opts *opts, int plan,
                                  char **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL;
    const bnre_node *node;
    bnre_task *task = NULL;

    if (bnre__ends_with(opts->task, ".yaml") ||
        bnre__ends_with(opts->task, ".yml")) {
        BNRE_TRY(bnre_yaml_read(opts->task, &root));
        node = bnre_node_find(root, "task");
        if (node == NULL)
            node = root;
        if (bnre__task_is_outline(node)) {
            BNRE_TRY(bnre_node_write(node, out));
            goto done;
        }
        if (plan &&
            bnre_node_find(bnre_node_find(node, "simulator"), "plugin") != NULL)
            goto done;
    }
    BNRE_TRY(bnre_task_open(opts->task, 0, NULL, &task));
    BNRE_TRY(bnre__strdup(bnre_task_text(task), out));
done:
    bnre_task_destroy(task);
    bnre_node_destroy(root);
    return status;
}

/* The first line in which two texts differ. */
static void find_difference(const char **a, const char **b, int *n, int *m)
{
    for (;;) {
        const size_t i = strcspn(*a, "\n"), j = strcspn(*b, "\n");

        *n = (int)(i < 100 ? i : 100);
        *m = (int)(j < 100 ? j : 100);
        if (i != j || strncmp(*a, *b, i) != 0 || (*a)[i] == 0 || (*b)[j] == 0)
            return;
        *a += i + 1;
        *b += j + 1;
    }
}

static bnre_status check_same_task(const char *path, const char *theirs,
                                   const char *what, const char *ours)
{
    int n, m;

    if (theirs == NULL || strcmp(theirs, ours) == 0)
        return BNRE_OK;
    find_difference(&theirs, &ours, &n, &m);
    theirs += strspn(theirs, " ");
    ours += strspn(ours, " ");
    return bnre_fail(BNRE_EUSAGE,
                     "%s is of another task than %s (\"%.*s\" and \"%.*s\")",
                     path, what, (int)strcspn(theirs, "\n"), theirs,
                     (int)strcspn(ours, "\n"), ours);
}

static bnre_status find_task(bnre__train_data *data,
                             const bnre_train_opts *opts, const char *recorded)
{
    data->file = opts->task_file != NULL ? opts->task_file : opts->data;
    if (opts->task != NULL)
        BNRE_DO(read_task_file(opts, data->plan, &data->task));
    if (data->task != NULL) {
        data->file = opts->task;
        BNRE_DO(check_same_task(opts->data, recorded, opts->task, data->task));
    } else if (recorded != NULL) {
        BNRE_DO(bnre__strdup(recorded, &data->task));
    } else if (opts->task != NULL) {
        return bnre_fail(
            BNRE_EUSAGE,
            "%s does not tell its task, and a dry run does not load the "
            "plugin of %s, which would",
            opts->data, opts->task);
    } else {
        return bnre_fail(BNRE_EUSAGE,
                         "%s does not tell its task: name parameters and "
                         "priors with `task: FILE.yaml`",
                         opts->data);
    }
    return BNRE_OK;
}

/* Some of the parameters, if that was asked for. */
static bnre_status choose_parameters(bnre__train_data *data,
                                     const bnre_train_opts *opts)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;

    if (opts->parameters == NULL)
        return BNRE_OK;
    BNRE_TRY(
        bnre__outline_choose(data->task, data->file, opts->parameters, &text));
    data->whole = data->task;
    data->task = NULL;
    BNRE_TRY(bnre__strdup(text, &data->task));
done:
    bnre_free(text);
    return status;
}

/* ---- the rows ---- */

/* How many rows of the file get each role. */
static bnre_status count_roles(const bnre_train_opts *opts, size_t rows,
                               size_t count[BNRE__ROLES])
{
    const size_t all = opts->simulations > 0 ? opts->simulations : rows;
    const int paper = opts->recipe == BNRE_RECIPE_PAPER;

    if (all > rows)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulations are asked for, %s has %zu rows", all,
                         opts->data, rows);
    memset(count, 0, BNRE__ROLES * sizeof *count);
    if (opts->validation == NULL && opts->folds == 0)
        count[BNRE__ROLE_VALIDATE] =
            opts->validation_rows > 0 ? opts->validation_rows : all / 10;
    if (opts->schedule == NULL && paper)
        count[BNRE__ROLE_SCHEDULE] =
            opts->schedule_rows > 0 ? opts->schedule_rows : all / 10;
    if (count[BNRE__ROLE_VALIDATE] >= all ||
        count[BNRE__ROLE_SCHEDULE] >= all - count[BNRE__ROLE_VALIDATE])
        return bnre_fail(BNRE_EUSAGE,
                         "of %zu simulations %zu and %zu are to be held out: "
                         "nothing is left to learn from",
                         all, count[BNRE__ROLE_VALIDATE],
                         count[BNRE__ROLE_SCHEDULE]);
    count[BNRE__ROLE_TRAIN] =
        all - count[BNRE__ROLE_VALIDATE] - count[BNRE__ROLE_SCHEDULE];
    if (paper && count[BNRE__ROLE_TRAIN] < all)
        bnre__train_note(opts,
                         "%zu of the simulations are held out for validation, "
                         "%zu for the learning rate: the reference has data of "
                         "their own for these (`validation`, `schedule`)",
                         count[BNRE__ROLE_VALIDATE],
                         count[BNRE__ROLE_SCHEDULE]);
    return BNRE_OK;
}

/* `before`: the data, open already. */
static bnre_status open_set(bnre__train_data *data, const bnre_train_opts *opts,
                            const bnre_dataset *before, bnre__role role)
{
    static const char *const words[] = {"", "training", "validation",
                                        "scheduling"};
    const char *path = role == BNRE__ROLE_TRAIN      ? opts->data
                       : role == BNRE__ROLE_VALIDATE ? opts->validation
                                                     : opts->schedule;
    bnre__subset_opts subset = {.role = role,
                                .failure = (bnre__failure)opts->failure};

    if (role == BNRE__ROLE_TRAIN || path == NULL) {
        path = opts->data;
        subset.roles = &data->roles;
        subset.before = before;
    } else {
        subset.limit = role == BNRE__ROLE_VALIDATE ? opts->validation_rows
                                                   : opts->schedule_rows;
    }
    BNRE_DO(bnre__subset_open(path, &subset, &data->set[role]));
    if (subset.limit > data->set[role]->info->rows)
        return bnre_fail(
            BNRE_EUSAGE, "%zu rows for %s are asked for, %s has %zu rows",
            subset.limit, words[role], path, data->set[role]->info->rows);
    return BNRE_OK;
}

/* Simulations in a set, failed ones included. */
static size_t rows_of(const bnre__train_data *data, bnre__role role)
{
    size_t rows = 0;

    for (size_t i = role; i < BNRE__SETS; i += BNRE__ROLES) {
        const bnre__subset *set = bnre__train_data_at(data, i);

        rows += set == NULL ? 0 : set->joint + set->spare + set->lost;
    }
    return rows;
}

/* Every other set must be of the same kind as the training data. */
static bnre_status check_set(const bnre__train_data *data,
                             const bnre_train_opts *opts, bnre__role role)
{
    const bnre_dataset_info *train = data->set[BNRE__ROLE_TRAIN]->info;
    const bnre__subset *set = data->set[role];
    const bnre_dataset_info *info = set->info;

    BNRE_DO(check_same_task(set->path, info->task, opts->data,
                            data->whole != NULL ? data->whole : data->task));
    if (info->dim_theta != train->dim_theta || info->x_size != train->x_size ||
        info->ndim != train->ndim ||
        memcmp(info->shape, train->shape, train->ndim * sizeof *train->shape) !=
            0)
        return bnre_fail(
            BNRE_EUSAGE,
            "%s has %zu parameters and %zu values of x, %s has %zu and "
            "%zu: are they of the same task?",
            set->path, info->dim_theta, info->x_size, opts->data,
            train->dim_theta, train->x_size);
    return BNRE_OK;
}

bnre_status bnre__train_data_offset(bnre__train_data *data)
{
    BNRE_DO(bnre__dataset_find_offset(data->set[BNRE__ROLE_TRAIN]->data,
                                      &data->x_offset));
    for (size_t i = 0; i < BNRE__SETS; i++) {
        bnre__subset *set = bnre__train_data_at(data, i);

        if (set == NULL)
            continue;
        if (data->x_offset != NULL && !set->data->wide && !set->info->x_double)
            return bnre_fail(BNRE_EUSAGE,
                             "%s has x in single precision, the data to learn "
                             "from have more digits, which matter: make it "
                             "again like these",
                             set->path);
        BNRE_DO(bnre__subset_set_offset(set, data->x_offset));
    }
    return BNRE_OK;
}

/* Parameters as the task has them, x as the training data have it. */
static bnre_status arrange(bnre__train_data *data, const bnre_train_opts *opts)
{
    const bnre_dataset_info *info = data->set[BNRE__ROLE_TRAIN]->info;
    size_t dim;

    BNRE_DO(bnre__outline_read(&data->outline, data->task, data->file, NULL));
    dim = bnre_prior_dim(data->outline.prior);
    if (info->dim_theta != dim &&
        (data->whole == NULL || info->dim_theta < dim))
        return bnre_fail(
            BNRE_EUSAGE,
            "%s has %zu parameters, its task has %zu: was it made for "
            "another task?",
            opts->data, info->dim_theta, dim);
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
        if (data->set[r] != NULL)
            BNRE_DO(bnre__subset_arrange(data->set[r], data->outline.prior,
                                         info->x_name));
    return BNRE_OK;
}

/* Few simulations are learned from in small steps, where the size of a batch
   is ours to choose: `batches` of them at least are wanted of `rows`. */
static void fit_batch(const bnre__train_data *data, bnre_train_opts *opts,
                      size_t rows, size_t batches)
{
    while (!data->given_batch && opts->batch_size > LEAST_BATCH &&
           batches * opts->batch_size > rows)
        opts->batch_size /= 2;
}

static bnre_status check_sizes(const bnre__train_data *data,
                               const bnre_train_opts *opts)
{
    const bnre__subset *train = data->set[BNRE__ROLE_TRAIN];

    if (train->joint < opts->batch_size)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulations to learn from are fewer than a batch "
                         "of %zu: simulate more, or lower `batch_size`",
                         train->joint, opts->batch_size);
    for (bnre__role r = BNRE__ROLE_VALIDATE; r < BNRE__ROLES; r++)
        if (data->set[r] != NULL && data->set[r]->joint < 2)
            return bnre_fail(BNRE_EUSAGE,
                             "%zu valid simulations are too few for "
                             "%s: 2 are needed, some hundred are useful",
                             data->set[r]->joint,
                             r == BNRE__ROLE_VALIDATE ? "validation"
                                                      : "the learning rate");
    return BNRE_OK;
}

/* Small sets first: what is read again costs less. */
bnre_status bnre__train_data_keep(bnre__train_data *data,
                                  const bnre_train_opts *opts)
{
    size_t left =
        opts->memory <= SIZE_MAX >> 20 ? opts->memory << 20 : SIZE_MAX;

    for (;;) {
        bnre__subset *next = NULL;

        for (size_t i = 0; i < BNRE__SETS; i++) {
            bnre__subset *set = bnre__train_data_at(data, i);

            if (set != NULL && !set->kept &&
                (next == NULL ||
                 bnre__subset_bytes(set) < bnre__subset_bytes(next)))
                next = set;
        }
        if (next == NULL || bnre__subset_bytes(next) > left)
            return BNRE_OK;
        left -= bnre__subset_bytes(next);
        BNRE_DO(bnre__subset_keep(next));
    }
    return BNRE_OK;
}

int bnre__train_data_is_kept(const bnre__train_data *data)
{
    for (size_t i = 0; i < BNRE__SETS; i++) {
        const bnre__subset *set = bnre__train_data_at(data, i);

        if (set != NULL && !set->kept)
            return 0;
    }
    return 1;
}

static bnre_status find_fingerprints(bnre__train_data *data)
{
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++) {
        const bnre__subset *set = data->set[r];

        if (set == NULL)
            continue;
        if (set->info->stored_fingerprint != NULL)
            snprintf(data->fingerprint[r], sizeof data->fingerprint[r], "%s",
                     set->info->stored_fingerprint);
        else if (set->opts.roles != NULL && r > BNRE__ROLE_TRAIN)
            memcpy(data->fingerprint[r], data->fingerprint[BNRE__ROLE_TRAIN],
                   sizeof data->fingerprint[r]);
        else
            BNRE_DO(bnre_dataset_fingerprint(set->data, data->fingerprint[r]));
    }
    return BNRE_OK;
}

/* ---- folds ---- */

static bnre_status check_folds(const bnre_train_opts *opts)
{
    if (opts->recipe == BNRE_RECIPE_PAPER || opts->schedule != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "folds are not for the recipe paper: its learning "
                         "rate follows other data");
    if (opts->validation == NULL && opts->validation_rows > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "with folds each network holds out a tenth of its own "
                         "simulations: leave validation_rows out");
    return BNRE_OK;
}

static bnre_status draw_folds(bnre__train_data *data, bnre_train_opts *opts)
{
    const bnre__subset *train = data->set[BNRE__ROLE_TRAIN];
    size_t own, shared = 0;

    if (opts->teach_rows > train->info->rows)
        return bnre_fail(BNRE_EUSAGE, "%zu rows shall teach only, %s has %zu",
                         opts->teach_rows, opts->data, train->info->rows);
    BNRE_DO(bnre__folds_draw(&data->folds, train, opts->folds, opts->teach_rows,
                             data->outline.prior, opts->seed));
    if (data->folds.strange < train->info->dim_theta)
        bnre__train_note(
            opts,
            "warning: the values of %s do not follow its prior %s "
            "(distribution functions differ by %.3f): posteriors are those of "
            "the parameters as the data have them, and so is what is found out "
            "of fold; simulate parameters that are drawn from the prior",
            bnre_prior_name(data->outline.prior, data->folds.strange),
            bnre_prior_text(data->outline.prior, data->folds.strange),
            data->folds.distance);
    if (data->folds.eased != 0)
        bnre__train_note(opts,
                         "many simulations have the same %s: they are taken to "
                         "be independent all the same, and not to be copies of "
                         "each other",
                         data->folds.eased & BNRE__BIND_THETA ? "parameters"
                                                              : "x");
    if (data->folds.copies > 0)
        bnre__train_note(opts,
                         "%zu simulations repeat the parameters of others: "
                         "they teach, but of those that are alike the first "
                         "alone is judged out of fold",
                         data->folds.copies);
    if (data->set[BNRE__ROLE_VALIDATE] != NULL)
        BNRE_DO(bnre__folds_shared(&data->folds, train,
                                   data->set[BNRE__ROLE_VALIDATE], &shared));
    if (shared > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "%s and %s have parameters or x in common (%zu rows): "
                         "with folds, data for validation must be new; leave "
                         "`validation` out, and each network holds out a tenth",
                         opts->validation, opts->data, shared);
    own = train->joint - train->joint / opts->folds;
    own -= own / 10;
    fit_batch(data, opts, own, 4);
    if (own < opts->batch_size)
        return bnre_fail(
            BNRE_EUSAGE,
            "%zu simulations in %zu folds leave about %zu for a network "
            "to learn from, fewer than a batch of %zu: simulate more",
            train->joint, opts->folds, own, opts->batch_size);
    return BNRE_OK;
}

bnre_status bnre__train_data_again(const bnre__train_data *data,
                                   const bnre_train_opts *opts, bnre__role role,
                                   bnre__train_data *out)
{
    const bnre__subset *train = data->set[BNRE__ROLE_TRAIN];

    BNRE_DO(open_set(out, opts, train->data, role));
    BNRE_DO(bnre__subset_arrange(out->set[role], data->outline.prior,
                                 train->info->x_name));
    return bnre__subset_set_offset(out->set[role], data->x_offset);
}

bnre_status bnre__train_data_of_member(const bnre__train_data *data,
                                       const bnre_train_opts *opts, size_t fold,
                                       uint64_t seed, bnre__train_data *out)
{
    if (opts->validation != NULL)
        BNRE_DO(bnre__folds_outside(&data->folds, fold, &out->roles));
    else
        BNRE_DO(bnre__folds_split(&data->folds, fold, seed, &out->roles));
    BNRE_DO(bnre__train_data_again(data, opts, BNRE__ROLE_TRAIN, out));
    BNRE_DO(bnre__train_data_again(data, opts, BNRE__ROLE_VALIDATE, out));
    return check_sizes(out, opts);
}

/* Failures teach beside others, never alone. */
static bnre_status refuse_failures(bnre_dataset *file, const char *path)
{
    const bnre_dataset_info *info = bnre_dataset_describe(file);
    bnre_failure failure = {.reason = ""};
    size_t n;

    if (info->rows == 0 || info->failed < info->rows)
        return BNRE_OK;
    BNRE_DO(bnre_dataset_failures(file, 1, &failure, &n));
    return bnre_fail(BNRE_ESIM,
                     "all %zu simulations of %s failed%s%s: there is nothing "
                     "to learn from; mend the simulator, and simulate again",
                     info->rows, path, n > 0 ? ", most by: " : "",
                     n > 0 ? failure.reason : "");
}

bnre_status bnre__train_data_open(bnre__train_data *data, bnre_train_opts *opts)
{
    bnre_status status = BNRE_OK;
    size_t count[BNRE__ROLES];
    const bnre_dataset_info *info;
    bnre_dataset *file = NULL;

    if (opts->lambda < 0 || opts->lambda > DBL_MAX)
        return bnre_fail(BNRE_EUSAGE, "lambda must be 0 or more, not %g",
                         opts->lambda);
    if (opts->classes.count > 0)
        return bnre__train_classes_open(data, opts);
    if (opts->data == NULL)
        return bnre_fail(BNRE_EUSAGE, "there are no data to learn from: `data: "
                                      "FILE` is needed, or `classes: A B`");
    BNRE_TRY(bnre_dataset_open(opts->data, &file));
    info = bnre_dataset_describe(file);
    BNRE_TRY(refuse_failures(file, opts->data));
    BNRE_TRY(find_task(data, opts, info->task));
    BNRE_TRY(choose_parameters(data, opts));
    data->given_batch = opts->batch_size > 0;
    bnre__train_resolve(opts);
    if (opts->folds > 0)
        BNRE_TRY(check_folds(opts));
    BNRE_TRY(count_roles(opts, info->rows, count));
    BNRE_TRY(bnre__roles_draw(&data->roles, opts->seed, info->rows, count));
    BNRE_TRY(open_set(data, opts, file, BNRE__ROLE_TRAIN));
    if (opts->folds == 0 || opts->validation != NULL)
        BNRE_TRY(open_set(data, opts, file, BNRE__ROLE_VALIDATE));
    if (opts->schedule != NULL || count[BNRE__ROLE_SCHEDULE] > 0)
        BNRE_TRY(open_set(data, opts, file, BNRE__ROLE_SCHEDULE));
    opts->simulations = count[BNRE__ROLE_TRAIN] + count[BNRE__ROLE_VALIDATE] +
                        count[BNRE__ROLE_SCHEDULE];
    opts->validation_rows = rows_of(data, BNRE__ROLE_VALIDATE);
    opts->schedule_rows = rows_of(data, BNRE__ROLE_SCHEDULE);
    for (bnre__role r = BNRE__ROLE_VALIDATE; r < BNRE__ROLES; r++)
        if (data->set[r] != NULL)
            BNRE_TRY(check_set(data, opts, r));
    BNRE_TRY(arrange(data, opts));
    BNRE_TRY(bnre__train_data_offset(data));
    if (opts->folds > 0)
        BNRE_TRY(draw_folds(data, opts));
    else
        fit_batch(data, opts, data->set[BNRE__ROLE_TRAIN]->joint, 1);
    BNRE_TRY(check_sizes(data, opts));
    BNRE_TRY(find_fingerprints(data));
done:
    bnre_dataset_close(file);
    return status;
}

void bnre__train_data_clear(bnre__train_data *data)
{
    for (size_t i = 0; i < BNRE__SETS; i++)
        bnre__subset_close(bnre__train_data_at(data, i));
    bnre__free(data->label[0]);
    bnre__free(data->label[1]);
    bnre__folds_clear(&data->folds);
    bnre__roles_clear(&data->other_roles);
    bnre__roles_clear(&data->roles);
    bnre__outline_clear(&data->outline);
    bnre__free(data->x_offset);
    bnre__free(data->whole);
    bnre__free(data->task);
    *data = (bnre__train_data){0};
}

/* ---- the record ---- */

static bnre_estimator_data data_of(const bnre__train_data *data,
                                   bnre__role role)
{
    const bnre__subset *set = data->set[role];
    bnre_estimator_data out = {0};

    if (set == NULL)
        return out;
    out.rows = rows_of(data, role);
    out.failed = set->spare + set->lost;
    if (data->other[role] != NULL)
        out.failed += data->other[role]->lost;
    snprintf(out.fingerprint, sizeof out.fingerprint, "%s",
             data->fingerprint[role]);
    return out;
}

void bnre__train_data_record(const bnre__train_data *data,
                             const bnre_train_opts *opts, bnre_estimator *est)
{
    bnre__estimator_set_failure(est, opts->failure == BNRE_FAILURE_MISSING);
    est->info.training = data_of(data, BNRE__ROLE_TRAIN);
    est->info.validation = data_of(data, BNRE__ROLE_VALIDATE);
    est->info.scheduling = data_of(data, BNRE__ROLE_SCHEDULE);
}
