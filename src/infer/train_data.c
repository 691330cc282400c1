#include "infer/train_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/yaml.h"
#include "data/dataset.h"
#include "data/rows.h"
#include "infer/train.h"

/* Rows that say enough about medians and quartiles need no more memory. */
enum { FIT_BYTES = 1 << 26, LEAST_FIT = 256 };

/* Of more rows than these only a part leaves its hash: one in two, four, ... */
enum { MOST_HASHES = 1 << 24 };

/* ---- the task ---- */

static bnre_status read_task_file(const bnre_train_opts *opts, char **out)
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
        /* Priors without a simulator will do. */
        if (bnre_node_find(node, "simulator") == NULL &&
            bnre_node_find(node, "name") == NULL &&
            node->kind == BNRE_NODE_MAP) {
            BNRE_TRY(bnre_node_write(node, out));
            goto done;
        }
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
    bnre_status status = BNRE_OK;

    data->file = opts->data;
    if (opts->task != NULL) {
        data->file = opts->task;
        BNRE_TRY(read_task_file(opts, &data->task));
        BNRE_TRY(check_same_task(opts->data, recorded, opts->task, data->task));
    } else if (recorded != NULL) {
        BNRE_TRY(bnre__strdup(recorded, &data->task));
    } else {
        BNRE_THROW(BNRE_EUSAGE,
                   "%s does not tell its task: name parameters and priors with "
                   "--task FILE.yaml",
                   opts->data);
    }
done:
    return status;
}

/* ---- the rows ---- */

static void note(const bnre_train_opts *opts, const char *text)
{
    if (opts->monitor != NULL && opts->monitor->note != NULL)
        opts->monitor->note(opts->monitor->context, text);
}

/* How many rows of the file get each role. */
static bnre_status count_roles(const bnre_train_opts *opts, size_t rows,
                               size_t count[BNRE__ROLES])
{
    const size_t all = opts->simulations > 0 ? opts->simulations : rows;
    const int paper = opts->recipe == BNRE_RECIPE_PAPER;
    char text[256];

    if (all > rows)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulations are asked for, %s has %zu rows", all,
                         opts->data, rows);
    memset(count, 0, BNRE__ROLES * sizeof *count);
    if (opts->validation == NULL)
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
    if (paper && count[BNRE__ROLE_TRAIN] < all) {
        snprintf(text, sizeof text,
                 "%zu of the simulations are held out for validation, %zu for "
                 "the learning rate: the reference has data of their own for "
                 "these (--validation, --schedule)",
                 count[BNRE__ROLE_VALIDATE], count[BNRE__ROLE_SCHEDULE]);
        note(opts, text);
    }
    return BNRE_OK;
}

static bnre_status open_set(bnre__train_data *data, const bnre_train_opts *opts,
                            bnre__role role)
{
    static const char *const words[] = {"", "training", "validation",
                                        "scheduling"};
    const char *path = role == BNRE__ROLE_TRAIN      ? opts->data
                       : role == BNRE__ROLE_VALIDATE ? opts->validation
                                                     : opts->schedule;
    bnre__subset_opts subset = {.role = role,
                                .failure = (bnre__failure)opts->failure};
    bnre_status status = BNRE_OK;

    if (role == BNRE__ROLE_TRAIN || path == NULL) {
        path = opts->data;
        subset.roles = &data->roles;
    } else {
        subset.limit = role == BNRE__ROLE_VALIDATE ? opts->validation_rows
                                                   : opts->schedule_rows;
    }
    BNRE_TRY(bnre__subset_open(path, &subset, &data->set[role]));
    if (subset.limit > data->set[role]->info->rows)
        BNRE_THROW(
            BNRE_EUSAGE, "%zu rows for %s are asked for, %s has %zu rows",
            subset.limit, words[role], path, data->set[role]->info->rows);
done:
    return status;
}

/* Every other set must be of the same kind as the training data. */
static bnre_status check_set(const bnre__train_data *data,
                             const bnre_train_opts *opts, bnre__role role)
{
    const bnre_dataset_info *train = data->set[BNRE__ROLE_TRAIN]->info;
    const bnre__subset *set = data->set[role];
    const bnre_dataset_info *info = set->info;
    bnre_status status = BNRE_OK;

    BNRE_TRY(check_same_task(set->path, info->task, opts->data, data->task));
    if (info->dim_theta != train->dim_theta || info->x_size != train->x_size ||
        info->ndim != train->ndim ||
        memcmp(info->shape, train->shape, train->ndim * sizeof *train->shape) !=
            0)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu parameters and %zu values of x, %s has %zu and "
                   "%zu: are they of the same task?",
                   set->path, info->dim_theta, info->x_size, opts->data,
                   train->dim_theta, train->x_size);
    for (size_t i = 0; i < train->dim_theta; i++)
        if (strcmp(info->theta_name[i], train->theta_name[i]) != 0)
            BNRE_THROW(BNRE_EUSAGE,
                       "parameter %zu is called %s in %s, %s in %s", i,
                       info->theta_name[i], set->path, train->theta_name[i],
                       opts->data);
done:
    return status;
}

static bnre_status check_sizes(const bnre__train_data *data,
                               const bnre_train_opts *opts)
{
    const bnre__subset *train = data->set[BNRE__ROLE_TRAIN];

    if (train->joint < opts->batch_size)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu simulations to learn from are fewer than a batch "
                         "of %zu: simulate more, or lower --batch-size",
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
static bnre_status keep_sets(bnre__train_data *data,
                             const bnre_train_opts *opts)
{
    bnre_status status = BNRE_OK;
    size_t left =
        opts->memory <= SIZE_MAX >> 20 ? opts->memory << 20 : SIZE_MAX;

    for (;;) {
        bnre__subset *next = NULL;

        for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
            if (data->set[r] != NULL && !data->set[r]->kept &&
                (next == NULL ||
                 bnre__subset_bytes(data->set[r]) < bnre__subset_bytes(next)))
                next = data->set[r];
        if (next == NULL || bnre__subset_bytes(next) > left)
            return BNRE_OK;
        left -= bnre__subset_bytes(next);
        BNRE_TRY(bnre__subset_keep(next));
    }
done:
    return status;
}

static bnre_status find_fingerprints(bnre__train_data *data)
{
    bnre_status status = BNRE_OK;

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
            BNRE_TRY(bnre_dataset_fingerprint(set->data, data->fingerprint[r]));
    }
done:
    return status;
}

bnre_status bnre__train_data_open(bnre__train_data *data, bnre_train_opts *opts)
{
    bnre_status status = BNRE_OK;
    size_t count[BNRE__ROLES];
    const bnre_dataset_info *info;
    bnre_dataset *file = NULL;

    if (opts->data == NULL)
        return bnre_fail(BNRE_EUSAGE, "no data to learn from are given");
    BNRE_TRY(bnre_dataset_open(opts->data, &file));
    info = bnre_dataset_describe(file);
    BNRE_TRY(find_task(data, opts, info->task));
    bnre__train_resolve(opts, info->ndim);
    BNRE_TRY(count_roles(opts, info->rows, count));
    BNRE_TRY(bnre__roles_draw(&data->roles, opts->seed, info->rows, count));
    BNRE_TRY(open_set(data, opts, BNRE__ROLE_TRAIN));
    BNRE_TRY(open_set(data, opts, BNRE__ROLE_VALIDATE));
    if (opts->schedule != NULL || count[BNRE__ROLE_SCHEDULE] > 0)
        BNRE_TRY(open_set(data, opts, BNRE__ROLE_SCHEDULE));
    for (bnre__role r = BNRE__ROLE_VALIDATE; r < BNRE__ROLES; r++)
        if (data->set[r] != NULL)
            BNRE_TRY(check_set(data, opts, r));
    BNRE_TRY(check_sizes(data, opts));
    BNRE_TRY(find_fingerprints(data));
    BNRE_TRY(keep_sets(data, opts));
done:
    bnre_dataset_close(file);
    return status;
}

void bnre__train_data_clear(bnre__train_data *data)
{
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
        bnre__subset_close(data->set[r]);
    bnre__roles_clear(&data->roles);
    bnre__free(data->task);
    *data = (bnre__train_data){0};
}

/* ---- scalers, range and hashes ---- */

/* What is gathered in one pass over the rows. */
struct scan {
    const bnre_dataset_info *info;
    size_t joint;
    size_t want, got; /* rows for the fit, evenly spread */
    double *theta;    /* (want, dim_theta) */
    float *x;         /* (want, x_size) */
    float *range;     /* (2, x_size): smallest and largest values */
    uint64_t *hash;
    size_t hashes;
    uint64_t mask; /* hashes with any of these bits are left out */
};

static void take_fit(struct scan *scan, size_t first, size_t n,
                     const double *theta, const float *x)
{
    const size_t dim = scan->info->dim_theta, size = scan->info->x_size;

    for (;;) {
        const size_t row = scan->joint / scan->want * scan->got +
                           scan->joint % scan->want * scan->got / scan->want;

        if (scan->got == scan->want || row >= first + n)
            return;
        memcpy(scan->theta + scan->got * dim, theta + (row - first) * dim,
               dim * sizeof *theta);
        memcpy(scan->x + scan->got * size, x + (row - first) * size,
               size * sizeof *x);
        scan->got++;
    }
}

static void take_hashes(struct scan *scan, size_t n, const double *theta,
                        const float *x)
{
    const size_t dim = scan->info->dim_theta, size = scan->info->x_size;

    for (size_t i = 0; i < n; i++) {
        const uint64_t hash =
            bnre__row_hash(dim, theta + i * dim, size, x + i * size);

        if ((hash & scan->mask) == 0 && scan->hashes < 2 * MOST_HASHES)
            scan->hash[scan->hashes++] = hash;
    }
}

static bnre_status scan_train(void *arg, size_t first, size_t n,
                              const double *theta, const float *x)
{
    struct scan *scan = arg;
    const size_t size = scan->info->x_size;
    float *low = scan->range, *high = scan->range + size;

    if (first == 0) {
        memcpy(low, x, size * sizeof *x);
        memcpy(high, x, size * sizeof *x);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < size; j++) {
            const float value = x[i * size + j];

            low[j] = value < low[j] ? value : low[j];
            high[j] = value > high[j] ? value : high[j];
        }
    take_fit(scan, first, n, theta, x);
    take_hashes(scan, n, theta, x);
    return BNRE_OK;
}

static bnre_status scan_other(void *arg, size_t first, size_t n,
                              const double *theta, const float *x)
{
    (void)first;
    take_hashes(arg, n, theta, x);
    return BNRE_OK;
}

static bnre_status scan_sets(const bnre__train_data *data, struct scan *scan)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *train = data->set[BNRE__ROLE_TRAIN];
    const size_t row = train->info->dim_theta * sizeof(double) +
                       train->info->x_size * sizeof(float);
    size_t rows = 0, room;

    scan->info = train->info;
    scan->joint = train->joint;
    scan->want = FIT_BYTES / row < LEAST_FIT ? LEAST_FIT : FIT_BYTES / row;
    if (scan->want > BNRE__SCALER_ROWS)
        scan->want = BNRE__SCALER_ROWS;
    if (scan->want > train->joint)
        scan->want = train->joint;
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
        if (data->set[r] != NULL)
            rows += data->set[r]->joint;
    for (room = rows; room > MOST_HASHES; room /= 2)
        scan->mask = scan->mask << 1 | 1;
    BNRE_NEW(scan->theta, scan->want * train->info->dim_theta);
    BNRE_NEW(scan->x, scan->want * train->info->x_size);
    BNRE_NEW(scan->range, 2 * train->info->x_size);
    BNRE_NEW(scan->hash, scan->mask == 0 ? rows : 2 * MOST_HASHES);
    BNRE_TRY(bnre__subset_scan(train, scan_train, scan));
    for (bnre__role r = BNRE__ROLE_VALIDATE; r < BNRE__ROLES; r++)
        if (data->set[r] != NULL)
            BNRE_TRY(bnre__subset_scan(data->set[r], scan_other, scan));
done:
    return status;
}

static bnre_status fit(const struct scan *scan, const bnre_train_opts *opts,
                       bnre_estimator *est)
{
    static const bnre__scale_by by[] = {
        [BNRE_STANDARDISE_AUTO] = BNRE__SCALE_ELEMENT,
        [BNRE_STANDARDISE_NONE] = BNRE__SCALE_NONE,
        [BNRE_STANDARDISE_ELEMENT] = BNRE__SCALE_ELEMENT,
        [BNRE_STANDARDISE_CHANNEL] = BNRE__SCALE_CHANNEL,
        [BNRE_STANDARDISE_FEATURE] = BNRE__SCALE_FEATURE};
    bnre_status status = BNRE_OK;
    const size_t dim = scan->info->dim_theta, size = scan->info->x_size;
    bnre__scaler_spec theta = {.by = opts->standardise == BNRE_STANDARDISE_NONE
                                         ? BNRE__SCALE_NONE
                                         : BNRE__SCALE_ELEMENT,
                               .ndim = 1,
                               .shape = &dim,
                               .log = est->outline.transform.log_theta,
                               .name = scan->info->theta_name};
    bnre__scaler_spec x = {.by = by[opts->standardise],
                           .ndim = scan->info->ndim,
                           .shape = scan->info->shape};
    uint8_t *logs = NULL;

    if (est->outline.transform.log_x) {
        BNRE_NEW(logs, size);
        memset(logs, 1, size);
        x.log = logs;
    }
    BNRE_TRY(
        bnre__scaler_fit_f64(&est->theta, &theta, scan->want, scan->theta));
    BNRE_TRY(bnre__scaler_fit_f32(&est->x, &x, scan->want, scan->x));
    BNRE_TRY(bnre__summary_fit(&est->summary, scan->want, size, scan->x));
    bnre__summary_extend(&est->summary, 2, scan->range);
done:
    bnre__free(logs);
    return status;
}

static bnre_estimator_data data_of(const bnre__train_data *data,
                                   bnre__role role)
{
    const bnre__subset *set = data->set[role];
    bnre_estimator_data out = {0};

    if (set == NULL)
        return out;
    out.rows = set->joint + set->spare + set->lost;
    out.failed = set->spare + set->lost;
    snprintf(out.fingerprint, sizeof out.fingerprint, "%s",
             data->fingerprint[role]);
    return out;
}

bnre_status bnre__train_data_describe(const bnre__train_data *data,
                                      const bnre_train_opts *opts,
                                      bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    struct scan scan = {0};

    BNRE_TRY(scan_sets(data, &scan));
    BNRE_TRY(fit(&scan, opts, est));
    BNRE_TRY(bnre__estimator_set_hashes(est, scan.hashes, scan.hash));
    bnre__estimator_set_failure(est, opts->failure == BNRE_FAILURE_MISSING);
    est->info.training = data_of(data, BNRE__ROLE_TRAIN);
    est->info.validation = data_of(data, BNRE__ROLE_VALIDATE);
    est->info.scheduling = data_of(data, BNRE__ROLE_SCHEDULE);
done:
    bnre__free(scan.hash);
    bnre__free(scan.range);
    bnre__free(scan.x);
    bnre__free(scan.theta);
    return status;
}
