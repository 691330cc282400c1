/* simulate.c - datasets in the making: rows are drawn in blocks by threads,
   kept in a journal, and written when all are there. */
#include "bnre/dataset.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/failures.h"
#include "data/parameters.h"
#include "data/part.h"
#include "data/precision.h"
#include "data/trial.h"
#include "data/writer.h"
#include "task/simulator.h"
#include "task/task.h"

/* Seconds of work in one batch, and between records of a slow simulator. */
#define BATCH_SECONDS 0.25
#define RECORD_SECONDS 1.0

/* External programs: a trial of so many rows before at least so many, and the
   shares of each worker. */
enum { TRIAL = 5, TRY_FROM = 100, SHARES = 16 };

/* Other simulators: rows after which the precision of x is looked at. */
enum { LOOKED_AT = 64 };

/* What each thread has for itself. */
struct worker {
    int ready;
    void *state;              /* of the simulator */
    bnre__block block;        /* a chunk */
    char *text;               /* for its reasons */
    double rate;              /* rows per second; 0 = not known yet */
    bnre__rounding *rounding; /* (x_size) */
};

struct job {
    const bnre_task *task;
    const bnre__simulator *simulator;
    const bnre_simulate_opts *opts;
    bnre_pool *pool;     /* that simulates */
    bnre_pool *own_pool; /* if it is not the caller's */
    char *log;           /* path, of external programs */
    bnre__part *part;
    const bnre__span *span;
    struct worker *worker;

    pthread_mutex_t lock; /* of the following, and of calls of the monitor */
    size_t done, found;
    int stop;

    int doubtful; /* rows may not be what they seem */
    int coarse;   /* rows lost too much to be kept */
};

bnre_simulate_opts bnre_simulate_opts_default(void)
{
    return (bnre_simulate_opts){
        .count = 1024, .seed = 1, .split = BNRE_SPLIT_TRAIN};
}

/* Tell of `n` more rows; whether to stop. */
static int report(struct job *job, size_t n)
{
    const bnre_monitor *monitor = job->opts->monitor;
    int stop;

    pthread_mutex_lock(&job->lock);
    job->done += n;
    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, job->done, job->found,
                          job->opts->count) != 0)
        job->stop = 1;
    stop = job->stop;
    pthread_mutex_unlock(&job->lock);
    return stop;
}

static int must_stop(struct job *job)
{
    int stop;

    pthread_mutex_lock(&job->lock);
    stop = job->stop;
    pthread_mutex_unlock(&job->lock);
    return stop;
}

static bnre_status fail_interrupted(const struct job *job)
{
    return bnre_fail(BNRE_EINTR,
                     "interrupted: rows so far are kept in %s; the same "
                     "command%s goes on from there",
                     job->part->journal_path,
                     job->opts->force ? " without `force`" : "");
}

static bnre_status prepare(struct job *job, struct worker *worker)
{
    bnre_status status = BNRE_OK;
    size_t rows = bnre__part_chunk(job->part);

    if (worker->ready)
        return BNRE_OK;
    BNRE_TRY(bnre__block_init(&worker->block, &job->part->info, rows));
    BNRE_NEW(worker->text, rows * BNRE_REASON_SIZE);
    BNRE_NEW(worker->rounding, job->part->info.x_size);
    BNRE_TRY(bnre__simulator_open(job->simulator, &worker->state));
    worker->ready = 1;
done:
    if (status != BNRE_OK) {
        bnre__block_clear(&worker->block);
        bnre__free(worker->text);
        bnre__free(worker->rounding);
        worker->text = NULL;
        worker->rounding = NULL;
    }
    return status;
}

static void clear_worker(const struct job *job, struct worker *worker)
{
    if (!worker->ready)
        return;
    job->simulator->kind->close(job->simulator, worker->state);
    bnre__free(worker->rounding);
    bnre__free(worker->text);
    bnre__block_clear(&worker->block);
}

/* Rows at..at+n-1 of the block that starts with row `first`. */
static bnre_status draw_batch(struct job *job, struct worker *worker,
                              size_t first, size_t at, size_t n)
{
    const bnre_dataset_info *info = &job->part->info;
    const bnre__block *block = &worker->block;
    bnre__batch batch = {
        .seed = job->opts->seed,
        .split = job->opts->split,
        .row = job->opts->first + first + at,
        .n = n,
        .theta = block->theta + at * info->dim_theta,
        .nuisance = block->nuisance + at * info->dim_nuisance,
        .x = (char *)block->x + at * bnre__x_bytes(info),
        .x_double = info->x_double,
        .status = block->status + at,
        .reason = block->reason + at,
        .rounding = worker->rounding,
    };

    for (size_t i = at; i < at + n; i++)
        block->reason[i][0] = 0;
    bnre__parameters_draw(job->task, job->opts, batch.row, n,
                          block->theta + at * info->dim_theta,
                          block->nuisance + at * info->dim_nuisance);
    return job->simulator->kind->run(job->simulator, worker->state, &batch);
}

/* Whether row `row` is one of the first of a run that is looked at. */
static int is_looked_at(const struct job *job, size_t row)
{
    return row < LOOKED_AT && job->found == 0 &&
           job->task->precision == BNRE__PRECISION_CHECKED &&
           job->simulator->kind->begin == NULL;
}

/* After the first rows of a dataset that is begun, the same whatever the
   threads. Their rounded values are not kept. */
static bnre_status check_precision(struct job *job, const struct worker *worker)
{
    bnre_status status = BNRE_OK;

    if (job->task->precision == BNRE__PRECISION_CHECKED && job->found == 0)
        status = bnre__rounding_check(job->part->info.x_size, worker->rounding);
    if (status != BNRE_OK) {
        pthread_mutex_lock(&job->lock);
        job->coarse = job->stop = 1;
        pthread_mutex_unlock(&job->lock);
    }
    return status;
}

/* As many rows as a fast simulator makes in no time, or a slow one between two
   looks at the clock. */
static size_t batch_size(const struct worker *worker, size_t left)
{
    double rows = worker->rate * BATCH_SECONDS;

    if (rows < 1)
        return 1;
    return rows < (double)left ? (size_t)rows : left;
}

/* Keep rows *saved..at-1. */
static bnre_status save(struct job *job, struct worker *worker,
                        const bnre__span *span, size_t *saved, size_t at)
{
    if (*saved < at)
        BNRE_DO(bnre__part_add(job->part, span->first, &worker->block, *saved,
                               at, worker->text));
    *saved = at;
    return BNRE_OK;
}

/* The same after a failure, which remains what is reported. */
static bnre_status save_anyway(struct job *job, struct worker *worker,
                               const bnre__span *span, size_t saved, size_t at,
                               bnre_status failure)
{
    char message[1024];
    bnre_status kept;

    snprintf(message, sizeof message, "%s", bnre_error_message());
    kept = save(job, worker, span, &saved, at);
    (void)kept;
    return bnre_fail(failure, "%s", message);
}

static bnre_status draw_span(struct job *job, struct worker *worker,
                             const bnre__span *span)
{
    bnre_status status = BNRE_OK;
    size_t at = 0, saved = 0, n;
    double last = bnre__clock();

    for (; at < span->n; at += n) {
        double begin = bnre__clock(), end;

        n = batch_size(worker, span->n - at);
        if (is_looked_at(job, span->first + at) && n > LOOKED_AT - at)
            n = LOOKED_AT - at; /* the span begins with row 0 */
        status = draw_batch(job, worker, span->first, at, n);
        if (status != BNRE_OK)
            BNRE_TRY(save_anyway(job, worker, span, saved, at, status));
        if (is_looked_at(job, span->first + at) && at + n == LOOKED_AT)
            BNRE_TRY(check_precision(job, worker));
        end = bnre__clock();
        worker->rate = (double)n / (end - begin + 1e-9);
        if (at + n == span->n || end - last >= RECORD_SECONDS) {
            BNRE_TRY(save(job, worker, span, &saved, at + n));
            last = end;
        }
        if (report(job, n) && at + n < span->n) {
            BNRE_TRY(save(job, worker, span, &saved, at + n));
            BNRE_TRY(fail_interrupted(job));
        }
    }
done:
    return status;
}

static bnre_status draw_spans(void *arg, size_t index, size_t first,
                              size_t last)
{
    struct job *job = arg;
    struct worker *worker = &job->worker[index];

    BNRE_DO(prepare(job, worker));
    for (size_t i = first; i < last; i++) {
        if (must_stop(job))
            BNRE_DO(fail_interrupted(job));
        BNRE_DO(draw_span(job, worker, &job->span[i]));
    }
    return BNRE_OK;
}

/* Simulate the first rows of the span, which is shortened by them, one by one,
   and end the program in good order: that shows whether it answers as it
   should before much depends on it. */
static bnre_status try_first(struct job *job, size_t rows, bnre__span *span)
{
    const size_t n = span->n < TRIAL ? span->n : TRIAL;
    struct worker *worker = &job->worker[0];
    size_t saved = 0, lost = 0;
    double start = 0, seconds = 0;
    int stop = 0;

    BNRE_DO(prepare(job, worker));
    for (size_t i = 0; i < n && !stop; i++) {
        /* The first includes the start of the program: it counts only if it
           is all there is. */
        if (i <= 1)
            start = bnre__clock();
        BNRE_DO(draw_batch(job, worker, span->first, i, 1));
        seconds = bnre__clock() - start;
        lost += worker->block.status[i] == BNRE_DRAW_LOST;
        if (lost <= i) /* who mends a program wants its rows again */
            BNRE_DO(save(job, worker, span, &saved, i + 1));
        stop = report(job, 1);
    }
    if (stop)
        BNRE_DO(fail_interrupted(job));
    BNRE_DO(bnre__lost_trial(&(bnre__lost){job->simulator, job->opts, job->log},
                             &worker->block, span->first, n));
    BNRE_DO(check_precision(job, worker));
    if (job->simulator->kind->settle != NULL)
        BNRE_DO(job->simulator->kind->settle(job->simulator, worker->state));
    seconds /= n > 1 ? (double)(n - 1) : 1;
    worker->rate = 1 / (seconds + 1e-9);
    bnre__trial_tell(job->opts->monitor, &worker->block, n, seconds, rows - n,
                     bnre_pool_threads(job->pool));
    span->first += n;
    span->n -= n;
    return BNRE_OK;
}

/* Ask the simulators whether all answers went to the rows they belong to.
   Without certainty, rows that were kept are no better than lost. */
static bnre_status settle(struct job *job, bnre_status so_far)
{
    const bnre__simulator *simulator = job->simulator;
    bnre_status status = BNRE_OK;
    char message[1024];

    snprintf(message, sizeof message, "%s", bnre_error_message());
    if (simulator->kind->settle == NULL || job->worker == NULL)
        return so_far;
    for (size_t i = 0; i < bnre_pool_threads(job->pool); i++)
        if (job->worker[i].ready)
            BNRE_TRY(simulator->kind->settle(simulator, job->worker[i].state));
done:
    if (status == BNRE_ESIM) {
        job->doubtful = 1;
        if (so_far != BNRE_ESIM)
            snprintf(message, sizeof message, "%s", bnre_error_message());
        return bnre_fail(status, "%s (the rows so far were discarded)",
                         message);
    }
    return so_far == BNRE_OK ? status : bnre_fail(so_far, "%s", message);
}

/* External programs may be slow: shares so small that all workers have one to
   the end. */
static bnre_status cut_spans(const struct job *job, size_t rows,
                             bnre__span **list, size_t *n)
{
    bnre_status status = BNRE_OK;
    const size_t most = rows / (SHARES * bnre_pool_threads(job->pool)) + 1;
    bnre__span *cut = NULL;
    size_t count = 0, room = 0;

    for (size_t i = 0; i < *n; i++) {
        bnre__span left = (*list)[i];

        while (left.n > 0) {
            size_t share = left.n < most ? left.n : most;

            BNRE_GROW(cut, room, count + 1);
            cut[count++] = (bnre__span){left.first, share};
            left.first += share;
            left.n -= share;
        }
    }
    bnre__free(*list);
    *list = cut;
    *n = count;
    cut = NULL;
done:
    bnre__free(cut);
    return status;
}

static bnre_status draw_missing(struct job *job)
{
    bnre_status status = BNRE_OK;
    const size_t rows = job->opts->count - job->done;
    bnre__rounding *rounding = NULL;
    bnre__span *span = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__part_missing(job->part, &span, &n));
    BNRE_NEW(job->worker, bnre_pool_threads(job->pool));
    if (job->simulator->kind->begin != NULL) {
        BNRE_TRY(job->simulator->kind->begin(job->simulator, job->log));
        if (rows >= TRY_FROM)
            BNRE_TRY(try_first(job, rows, span));
        BNRE_TRY(cut_spans(job, rows, &span, &n));
    }
    job->span = span;
    BNRE_TRY(bnre_pool_for(job->pool, n, 1, draw_spans, job));
    BNRE_NEW(rounding, job->part->info.x_size);
    for (size_t i = 0; i < bnre_pool_threads(job->pool); i++)
        bnre__rounding_add(job->part->info.x_size, rounding,
                           job->worker[i].rounding);
    if (job->task->precision == BNRE__PRECISION_CHECKED)
        bnre__rounding_tell(job->opts->monitor, job->part->info.x_size,
                            rounding);
done:
    status = settle(job, status);
    for (size_t i = 0; job->worker != NULL && i < bnre_pool_threads(job->pool);
         i++)
        clear_worker(job, &job->worker[i]);
    bnre__free(rounding);
    bnre__free(job->worker);
    bnre__free(span);
    return status;
}

/* The finished rows on their way into the file. */
static bnre_status read_watched(void *self, size_t first, size_t n,
                                double *theta, double *nuisance, void *x,
                                uint8_t *flags,
                                char (*reason)[BNRE_REASON_SIZE])
{
    struct job *job = self;
    bnre__rows rows = bnre__part_rows(job->part);

    if (report(job, 0))
        return fail_interrupted(job);
    return rows.read(rows.self, first, n, theta, nuisance, x, flags, reason);
}

/* What the file of a finished run is like. */
static bnre_status describe_file(const bnre__part *part,
                                 bnre_simulate_result *result)
{
    bnre_status status = BNRE_OK;
    struct stat info;

    if (stat(part->path, &info) == 0)
        result->bytes = (size_t)info.st_size;
    if (!part->complete)
        return BNRE_OK;
    result->rows = result->found = part->info.rows;
    result->failed = part->old->info.failed;
    if (part->old->fingerprint != NULL)
        snprintf(result->fingerprint, sizeof result->fingerprint, "%s",
                 part->old->fingerprint);
    else
        status = bnre_dataset_fingerprint(part->old, result->fingerprint);
    return status;
}

static void note_rows_beyond(const struct job *job)
{
    const bnre_monitor *monitor = job->opts->monitor;
    char text[512];

    if (job->part->beyond == 0 || monitor == NULL || monitor->note == NULL)
        return;
    snprintf(text, sizeof text, "%s keeps %zu more rows for a larger count",
             job->part->journal_path, job->part->beyond);
    monitor->note(monitor->context, text);
}

/* A dataset in which all rows are lost, from the beginning of its stream, is
   none. */
static bnre_status refuse_lost(struct job *job, size_t failed)
{
    const bnre__rows rows = bnre__part_rows(job->part);
    bnre_status status;
    char message[1024];

    if (failed < job->opts->count || job->opts->first > 0)
        return BNRE_OK;
    status = bnre__lost_rows(&(bnre__lost){job->simulator, job->opts, job->log},
                             &rows);
    if (status != BNRE_ESIM)
        return status;
    snprintf(message, sizeof message, "%s", bnre_error_message());
    if (bnre__part_discard(job->part) != BNRE_OK)
        return bnre_fail(status, "%s (first remove %s)", message,
                         job->part->journal_path);
    return bnre_fail(status, "%s", message);
}

/* Draw what is missing, then put the file together. */
static bnre_status complete(struct job *job, const bnre__format *format,
                            bnre_simulate_result *result)
{
    bnre_status status = BNRE_OK, counted;
    bnre__part *part = job->part;
    char message[1024];

    BNRE_TRY(bnre__part_count(part, &result->found, &result->failed));
    result->rows = result->found;
    job->done = job->found = result->found;
    if (report(job, 0))
        return fail_interrupted(job);
    status = draw_missing(job);
    snprintf(message, sizeof message, "%s", bnre_error_message());
    counted = job->doubtful || job->coarse ? bnre__part_discard(part) : BNRE_OK;
    if (counted == BNRE_OK)
        counted = bnre__part_refresh(part);
    if (counted == BNRE_OK)
        counted = bnre__part_count(part, &result->rows, &result->failed);
    if (status != BNRE_OK && counted == BNRE_OK)
        counted = bnre__journal_sync(part->journal);
    if (status != BNRE_OK)
        return bnre_fail(status, "%s", message);
    BNRE_TRY(counted);
    BNRE_TRY(refuse_lost(job, result->failed));
    part->info.failed = result->failed;
    BNRE_TRY(format->write(
        part->path,
        &(bnre__rows){.info = &part->info, .self = job, .read = read_watched},
        result->fingerprint));
done:
    return status;
}

/* External programs have a number of their own, since threads that wait for
   them need no core. */
static bnre_status choose_pool(struct job *job)
{
    const bnre__simulator *simulator = job->simulator;
    const bnre_simulate_opts *opts = job->opts;
    size_t workers = opts->workers;

    job->pool = opts->pool;
    if (simulator->kind->workers == NULL) {
        if (workers > 0)
            return bnre_fail(
                BNRE_EUSAGE,
                "workers are for external programs; the task %s is "
                "simulated by threads",
                bnre_task_name(job->task));
        return BNRE_OK;
    }
    if (workers == 0)
        workers = simulator->kind->workers(simulator);
    if (workers > 0 && workers != bnre_pool_threads(opts->pool)) {
        BNRE_DO(bnre_pool_create(workers, &job->own_pool));
        job->pool = job->own_pool;
    }
    return BNRE_OK;
}

static bnre_status check_opts(const bnre_simulate_opts *opts, const char *path,
                              const bnre__format **format)
{
    bnre_status status;
    size_t second;

    if (opts->count == 0)
        return bnre_fail(BNRE_EUSAGE, "count is 0: ask for 1 row or more");
    if (opts->first > 0 && opts->theta != NULL)
        return bnre_fail(BNRE_EINVAL, "given parameters begin with row 0");
    if ((unsigned)opts->split >= BNRE_SPLIT_COUNT)
        return bnre_fail(BNRE_EINVAL, "there is no split number %d",
                         (int)opts->split);
    if (bnre__is_pair(path, &second))
        return bnre_fail(BNRE_EUSAGE,
                         "simulations are written to .h5, .npz or .csv; bnre "
                         "convert makes pairs of .npy files from these");
    status = bnre__format_find(path, format);
    if (status == BNRE_EUSAGE)
        return bnre_fail(status,
                         "cannot tell the format of %s: end it in .h5, .npz or "
                         ".csv",
                         path);
    return status;
}

bnre_status bnre_simulate(bnre_task *task, const bnre_simulate_opts *opts,
                          const char *path, bnre_simulate_result *result)
{
    bnre_status status = BNRE_OK;
    const bnre__format *format = NULL;
    struct job job = {
        .task = task, .simulator = bnre__task_simulator(task), .opts = opts};
    bnre_simulate_result unused;

    if (result == NULL)
        result = &unused;
    *result = (bnre_simulate_result){0};
    pthread_mutex_init(&job.lock, NULL);
    BNRE_TRY(bnre__simulator_check(job.simulator));
    BNRE_TRY(check_opts(opts, path, &format));
    BNRE_TRY(bnre__parameters_check(task, opts));
    BNRE_TRY(choose_pool(&job));
    BNRE_TRY(bnre__text_format(&job.log, "%s.log", path));
    BNRE_TRY(bnre__part_open(task, opts, path, &job.part));
    if (!job.part->complete)
        BNRE_TRY(complete(&job, format, result));
    BNRE_TRY(describe_file(job.part, result));
    note_rows_beyond(&job);
    BNRE_TRY(bnre__part_finish(job.part));
done:
    bnre__part_close(job.part);
    bnre_pool_destroy(job.own_pool);
    bnre__free(job.log);
    pthread_mutex_destroy(&job.lock);
    return status;
}
