/* gather.c - the data of a study: found, cut, or simulated by all. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "bnre/dataset.h"
#include "data/join.h"
#include "io/file.h"
#include "study/job.h"
#include "task/external/remove_tree.h"

/* Several processes simulate a dataset in at most so many blocks, each in a
   file of its own, of at least so many rows. */
enum { MOST_BLOCKS = 256, LEAST_ROWS = 16 };

/* How a dataset is made, decided by the process that leads. */
struct method {
    size_t base;   /* rows that are there already */
    size_t block;  /* rows of a block, 0 = all in one go */
    size_t blocks; /* items of work; 0 = nothing to do */
};

/* One dataset that is being made. */
struct order {
    bnre__job *job;
    size_t number;
    const bnre__data *data;
    struct method method;
    char *path;       /* its file */
    char *blocks;     /* directory of blocks */
    char damage[512]; /* what is wrong with the file that is there */
};

static bnre_status path_with_rows(const bnre__job *job, size_t data, char **out)
{
    const bnre__data *d = &job->study->data[data];
    const size_t plain = strlen(d->name) - strlen(".h5");

    return bnre__job_path(job, out, "data/%.*s-%zu.h5", (int)plain, d->name,
                          d->rows);
}

bnre_status bnre__source_path(const bnre__job *job, size_t data, char **out)
{
    if (job->source[data].cut)
        return path_with_rows(job, data, out);
    return bnre__job_path(job, out, "data/%s", job->study->data[data].name);
}

static bnre_simulate_opts options_of(const struct order *order)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    opts.seed = order->job->study->fields.study.seed;
    opts.split = order->data->split;
    opts.count = order->data->rows;
    opts.observations = order->data->observations;
    opts.workers = order->job->study->fields.study.workers;
    return opts;
}

static void note(const struct order *order, const char *fmt, const char *text)
{
    const bnre_monitor *monitor = order->job->monitor;
    char line[1200];

    if (monitor == NULL || monitor->note == NULL)
        return;
    snprintf(line, sizeof line, fmt, order->data->name, text);
    monitor->note(monitor->context, line);
}

/* Open what is there, and see whether all of it can be used; *out = NULL if
   not. */
static bnre_status open_sound(struct order *order, const char *path,
                              bnre_dataset **out)
{
    bnre_status status = bnre_dataset_open(path, out);

    if (status == BNRE_OK)
        status = bnre_dataset_verify(*out);
    if (status == BNRE_OK || status == BNRE_ENOMEM)
        return status;
    snprintf(order->damage, sizeof order->damage, "%s", bnre_error_message());
    bnre_dataset_close(*out);
    *out = NULL;
    return BNRE_OK;
}

/* Rows of a file that belongs to the same stream; 0 if there is none, or if it
   is damaged. */
static bnre_status rows_of_stream(struct order *order, const char *path,
                                  size_t *out)
{
    const bnre_task *task = order->job->study->task[order->data->task].task;
    const bnre_dataset_info *info;
    bnre_dataset *data = NULL;
    bnre_status status = BNRE_OK;
    char settings[128];
    int length;

    *out = 0;
    order->damage[0] = 0;
    if (!bnre__file_exists(path))
        return BNRE_OK;
    BNRE_TRY(open_sound(order, path, &data));
    if (data == NULL)
        goto done;
    info = bnre_dataset_describe(data);
    length =
        snprintf(settings, sizeof settings, "seed: %" PRIu64 "\nsplit: %s\n",
                 order->job->study->fields.study.seed,
                 bnre_split_name(order->data->split));
    if (order->data->observations > 1)
        snprintf(settings + length, sizeof settings - (size_t)length,
                 "observations: %zu\n", order->data->observations);
    if (info->task != NULL && info->settings != NULL &&
        strcmp(info->task, bnre_task_text(task)) == 0 &&
        strcmp(info->settings, settings) == 0)
        *out = info->rows;
done:
    bnre_dataset_close(data);
    return status;
}

/* A larger dataset of the same stream, of this study or an earlier form of it,
   has the rows already. */
static bnre_status cut_from_larger(struct order *order)
{
    bnre__job *job = order->job;
    const bnre_study *study = job->study;
    bnre_status status = BNRE_OK;
    char *larger = NULL, fingerprint[33];
    size_t rows = 0, there = 0;

    for (size_t i = 0; i < study->datasets && larger == NULL; i++)
        if (bnre__data_same_stream(&study->data[i], order->data) &&
            study->data[i].rows > order->data->rows)
            BNRE_TRY(bnre__source_path(job, i, &larger));
    if (larger == NULL) {
        BNRE_TRY(rows_of_stream(order, order->path, &rows));
        if (rows <= order->data->rows)
            goto done;
        job->source[order->number].cut = 1;
        larger = order->path;
        order->path = NULL;
        BNRE_TRY(bnre__source_path(job, order->number, &order->path));
    }
    BNRE_TRY(rows_of_stream(order, larger, &rows));
    BNRE_TRY(rows_of_stream(order, order->path, &there));
    if (rows >= order->data->rows && there != order->data->rows)
        BNRE_TRY(bnre__dataset_join(1, (const char *const[]){larger},
                                    order->data->rows, order->path,
                                    fingerprint));
done:
    bnre__free(larger);
    return status;
}

/* Decide how to make the dataset. */
static bnre_status choose_method(struct order *order)
{
    bnre_status status = BNRE_OK;
    struct method *method = &order->method;
    const size_t rows = order->data->rows;
    char *part = NULL;
    struct stat info;

    BNRE_TRY(cut_from_larger(order));
    BNRE_TRY(bnre__text_format(&part, "%s.part", order->path));
    BNRE_TRY(rows_of_stream(order, order->path, &method->base));
    if (method->base == rows && !bnre__file_exists(part))
        goto done;
    method->blocks = 1;
    /* What one process has begun one process ends. */
    if (bnre__file_exists(part) || (order->job->executor.processes == 1 &&
                                    stat(order->blocks, &info) != 0))
        goto done;
    method->block = (rows - method->base) / MOST_BLOCKS + 1;
    if (method->block < LEAST_ROWS)
        method->block = LEAST_ROWS;
    method->blocks = (rows - method->base + method->block - 1) / method->block;
    if (order->damage[0] != 0)
        note(order, "%s is simulated again: %s", order->damage);
    BNRE_TRY(bnre__make_directories(order->blocks));
done:
    bnre__free(part);
    return status;
}

static bnre_status block_path(const struct order *order, size_t i, char **out)
{
    return bnre__text_format(out, "%s/%zu-%zu.h5", order->blocks,
                             order->method.base, i);
}

/* Simulate, also over what is there but cannot be used. */
static bnre_status simulate(const struct order *order, bnre_simulate_opts *opts,
                            const char *path)
{
    bnre_task *task = order->job->study->task[order->data->task].task;
    bnre_status status = bnre_simulate(task, opts, path, NULL);

    if (status == BNRE_EEXIST) {
        note(order, "%s is simulated again: %s", bnre_error_message());
        opts->force = 1;
        status = bnre_simulate(task, opts, path, NULL);
    }
    return status;
}

static bnre_status make_block(void *arg, const bnre_work *work, size_t item)
{
    const struct order *order = arg;
    const struct method *method = &order->method;
    const size_t all = order->job->costs.data[order->number];
    bnre_simulate_opts opts = options_of(order);
    bnre_status status = BNRE_OK;
    bnre__meter meter;
    char *path = NULL;

    if (method->block > 0) {
        opts.first = method->base + item * method->block;
        opts.count = order->data->rows - opts.first;
        if (opts.count > method->block)
            opts.count = method->block;
        BNRE_TRY(block_path(order, item, &path));
    }
    bnre__meter_init(&meter, work, all / method->blocks);
    opts.pool = work->pool;
    opts.monitor = &meter.monitor;
    BNRE_TRY(simulate(order, &opts, path != NULL ? path : order->path));
    bnre__meter_finish(&meter);
done:
    bnre__free(path);
    return status;
}

/* The file from its blocks, and from what was there before. */
static bnre_status join_blocks(const struct order *order)
{
    const struct method *method = &order->method;
    const size_t old = method->base > 0;
    bnre_status status = BNRE_OK;
    char **part = NULL, fingerprint[33];

    BNRE_NEW(part, method->blocks + 1);
    for (size_t i = 0; i < method->blocks; i++)
        BNRE_TRY(block_path(order, i, &part[old + i]));
    if (old)
        BNRE_TRY(bnre__strdup(order->path, &part[0]));
    BNRE_TRY(bnre__dataset_join(old + method->blocks, (const char *const *)part,
                                order->data->rows, order->path, fingerprint));
done:
    for (size_t i = 0; part != NULL && i <= method->blocks; i++)
        bnre__free(part[i]);
    bnre__free(part);
    return status;
}

static bnre_status read_fingerprint(const struct order *order)
{
    struct bnre__source *source = &order->job->source[order->number];
    const bnre_dataset_info *info;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;

    BNRE_TRY(bnre_dataset_open(order->path, &data));
    info = bnre_dataset_describe(data);
    if (info->stored_fingerprint != NULL)
        snprintf(source->fingerprint, sizeof source->fingerprint, "%s",
                 info->stored_fingerprint);
    else
        BNRE_TRY(bnre_dataset_fingerprint(data, source->fingerprint));
done:
    bnre_dataset_close(data);
    return status;
}

static bnre_status gather_one(bnre__job *job, size_t number)
{
    const bnre_executor *executor = &job->executor;
    struct order order = {
        .job = job, .number = number, .data = &job->study->data[number]};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__source_path(job, number, &order.path));
    BNRE_TRY(
        bnre__job_path(job, &order.blocks, "data/%s.blocks", order.data->name));
    if (executor->leads)
        status = choose_method(&order);
    BNRE_TRY(executor->agree(executor->context, status));
    BNRE_TRY(executor->share(executor->context, sizeof job->source[number],
                             &job->source[number]));
    BNRE_TRY(
        executor->share(executor->context, sizeof order.method, &order.method));
    bnre__free(order.path);
    order.path = NULL;
    BNRE_TRY(bnre__source_path(job, number, &order.path));
    if (order.method.blocks > 0)
        BNRE_TRY(executor->each(executor->context, order.method.blocks,
                                make_block, &order, order.data->name,
                                job->monitor, &job->tally));
    else
        bnre__job_found(job, job->costs.data[number]);
    if (executor->leads && order.method.block > 0)
        status = join_blocks(&order);
    if (executor->leads && status == BNRE_OK) {
        /* They are in the file now. */
        bnre__remove_tree(order.blocks);
        status = read_fingerprint(&order);
    }
    BNRE_TRY(executor->agree(executor->context, status));
    BNRE_TRY(executor->share(executor->context, sizeof job->source[number],
                             &job->source[number]));
done:
    bnre__free(order.path);
    bnre__free(order.blocks);
    return status;
}

bnre_status bnre__gather(bnre__job *job)
{
    const bnre_study *study = job->study;

    /* The largest first: others are cut from them. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < study->datasets; i++) {
            int largest = 1;

            for (size_t k = 0; k < study->datasets; k++)
                if (bnre__data_same_stream(&study->data[k], &study->data[i]) &&
                    study->data[k].rows > study->data[i].rows)
                    largest = 0;
            if (largest == (pass == 0))
                BNRE_DO(gather_one(job, i));
        }
    return BNRE_OK;
}
