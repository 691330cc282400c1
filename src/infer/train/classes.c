/* classes.c - rows of two classes, to learn from and to judge by. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "bnre/classes.h"
#include "infer/estimator/classes.h"
#include "infer/train/run.h"

/* What has a meaning for pairs of theta and x alone. */
bnre_status bnre__classes_check(const bnre_train_opts *opts)
{
    const int two = opts->classes.count == 2;
    const struct {
        const char *name;
        int given;
    } other[] = {
        {"`data`", opts->data != NULL},
        {"`validation`", opts->validation != NULL},
        {"`schedule`", opts->schedule != NULL},
        {"`task`", opts->task != NULL},
        {"`simulations`", opts->simulations > 0},
        {"`schedule_rows`", two && opts->schedule_rows > 0},
        {"`recipe: paper`", opts->recipe == BNRE_RECIPE_PAPER},
    };

    if (opts->classes.count > BNRE_MOST_MODELS)
        return bnre_fail(BNRE_EUSAGE, "%zu classes, and %d are the most",
                         opts->classes.count, BNRE_MOST_MODELS);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].given)
            return bnre_fail(BNRE_EUSAGE,
                             "%s does not go with `classes`: a classifier has "
                             "rows of files, and no task",
                             other[i].name);
    return BNRE_OK;
}

bnre_status bnre__classes_compare(const char *path,
                                  const bnre_dataset_info *info,
                                  const char *other_path,
                                  const bnre_dataset_info *other)
{
    if (info->ndim != other->ndim ||
        memcmp(info->shape, other->shape, info->ndim * sizeof *info->shape) !=
            0)
        return bnre_fail(BNRE_EUSAGE,
                         "a row of %s has %zu values, a row of %s has %zu, or "
                         "they are of other shapes: all classes need the same "
                         "columns",
                         path, info->x_size, other_path, other->x_size);
    return BNRE_OK;
}

bnre_status bnre__class_name(const char *path, char **out)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t n =
        dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);

    return bnre__text_format(out, "%.*s", (int)n, name);
}

/* What to call the classes: the names of their files, if that tells them
   apart. */
static bnre_status name_classes(bnre__train_data *data, char *const *path)
{
    for (size_t c = 0; c < 2; c++)
        BNRE_DO(bnre__class_name(path[c], &data->label[c]));
    if (strcmp(data->label[0], data->label[1]) == 0)
        for (size_t c = 0; c < 2; c++) {
            bnre__free(data->label[c]);
            data->label[c] = NULL;
            BNRE_DO(bnre__strdup(path[c], &data->label[c]));
        }
    return BNRE_OK;
}

/* A tenth of each class to choose the epoch by, and a tenth for the report. */
static bnre_status count_roles(const bnre_train_opts *opts, const char *path,
                               size_t rows, size_t count[BNRE__ROLES])
{
    const size_t validate =
        opts->validation_rows > 0 ? opts->validation_rows : rows / 10;
    const size_t test = opts->test_rows > 0 ? opts->test_rows : rows / 10;

    if (validate >= rows || test >= rows - validate)
        return bnre_fail(BNRE_EUSAGE,
                         "of the %zu rows of %s %zu and %zu are to be held "
                         "out: nothing is left to learn from",
                         rows, path, validate, test);
    if (validate < 2 || test < 2)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has %zu rows: that is too few to hold out a tenth "
                         "for validation and a tenth for the report",
                         path, rows);
    memset(count, 0, BNRE__ROLES * sizeof *count);
    count[BNRE__ROLE_VALIDATE] = validate;
    count[BNRE__ROLE_SCHEDULE] = test;
    count[BNRE__ROLE_TRAIN] = rows - validate - test;
    return BNRE_OK;
}

static bnre_status open_class(const bnre_train_opts *opts, const char *path,
                              bnre__roles *roles, bnre__subset **set)
{
    bnre_status status = BNRE_OK;
    size_t count[BNRE__ROLES];
    bnre_dataset *file = NULL;

    BNRE_TRY(bnre_dataset_open_x(path, &file));
    BNRE_TRY(count_roles(opts, path, bnre_dataset_describe(file)->rows, count));
    /* Rows of the two files with the same number may belong together: in files
       of the same length they get the same role, and no part of what is learned
       is tested. */
    BNRE_TRY(bnre__roles_draw(roles, opts->seed,
                              bnre_dataset_describe(file)->rows, count));
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
        BNRE_TRY(bnre__subset_open(
            path,
            &(bnre__subset_opts){.roles = roles,
                                 .role = r,
                                 .failure = BNRE__FAILURE_MISSING,
                                 .only_x = 1},
            &set[r]));
done:
    bnre_dataset_close(file);
    return status;
}

/* ---- checks ---- */

static bnre_status check_sizes(const bnre__train_data *data, size_t batch)
{
    static const char *const use[] = {[BNRE__ROLE_VALIDATE] = "for validation",
                                      [BNRE__ROLE_SCHEDULE] = "for the report"};

    for (size_t i = 0; i < BNRE__SETS; i++) {
        const bnre__subset *set = bnre__train_data_at(data, i);
        const size_t role = i % BNRE__ROLES;

        if (set == NULL)
            continue;
        if (role == BNRE__ROLE_TRAIN && set->joint < batch)
            return bnre_fail(BNRE_EUSAGE,
                             "%s leaves %zu rows to learn from, fewer than the "
                             "%zu of a batch: lower `batch_size`",
                             set->path, set->joint, batch);
        if (role != BNRE__ROLE_TRAIN && set->joint < 2)
            return bnre_fail(BNRE_EUSAGE,
                             "%s leaves %zu valid rows %s: 2 are needed, some "
                             "hundred are useful",
                             set->path, set->joint, use[role]);
    }
    return BNRE_OK;
}

/* One for both files, in their order. */
static bnre_status find_fingerprint(bnre__train_data *data)
{
    bnre__hash hash;
    char text[33];

    bnre__hash_init(&hash, 2, 0, 1);
    for (size_t c = 0; c < 2; c++) {
        const bnre__subset *set =
            bnre__train_data_at(data, c * BNRE__ROLES + BNRE__ROLE_TRAIN);

        BNRE_DO(bnre_dataset_fingerprint(set->data, text));
        bnre__hash_add_text(&hash, text);
    }
    bnre__hash_end_hex(&hash, text);
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
        memcpy(data->fingerprint[r], text, sizeof text);
    return BNRE_OK;
}

bnre_status bnre__train_classes_open(bnre__train_data *data,
                                     bnre_train_opts *opts)
{
    char *const *path = opts->classes.text;

    data->classes = 1;
    if (opts->classes.count != 2)
        return bnre_fail(BNRE_EUSAGE,
                         "two classes are needed, `classes: A B`, not %zu",
                         opts->classes.count);
    BNRE_DO(bnre__classes_check(opts));
    bnre__train_resolve(opts);
    BNRE_DO(name_classes(data, path));
    BNRE_DO(open_class(opts, path[0], &data->roles, data->set));
    BNRE_DO(open_class(opts, path[1], &data->other_roles, data->other));
    BNRE_DO(bnre__classes_compare(path[0], data->set[BNRE__ROLE_TRAIN]->info,
                                  path[1],
                                  data->other[BNRE__ROLE_TRAIN]->info));
    for (size_t i = 0; i < BNRE__SETS; i++) {
        bnre__subset *set = bnre__train_data_at(data, i);

        if (set != NULL)
            BNRE_DO(bnre__subset_arrange(
                set, NULL, data->set[BNRE__ROLE_TRAIN]->info->x_name));
    }
    BNRE_DO(bnre__train_data_offset(data));
    BNRE_DO(check_sizes(data, opts->batch_size));
    BNRE_DO(find_fingerprint(data));
    opts->failure = BNRE_FAILURE_MISSING;
    return BNRE_OK;
}

/* ---- the report ---- */

struct answers {
    const bnre__train_run *run;
    double *logit; /* (joint) */
};

static bnre_status answer(void *arg, size_t first, size_t n,
                          const double *theta, const double *x)
{
    const struct answers *answers = arg;

    return bnre_estimator_log_ratio(answers->run->est, answers->run->opts.pool,
                                    n, theta, x, answers->logit + first);
}

bnre_status bnre__train_assess(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *set[2] = {run->data.set[BNRE__ROLE_SCHEDULE],
                                  run->data.other[BNRE__ROLE_SCHEDULE]};
    struct answers answers[2] = {{.run = run}, {.run = run}};

    for (size_t c = 0; c < 2; c++) {
        BNRE_NEW(answers[c].logit, set[c]->joint);
        BNRE_TRY(bnre__subset_scan(set[c], answer, &answers[c]));
    }
    BNRE_TRY(bnre__class_report_make(set[0]->joint, answers[0].logit,
                                     set[1]->joint, answers[1].logit,
                                     &run->report));
done:
    bnre__free(answers[1].logit);
    bnre__free(answers[0].logit);
    return status;
}
