/* memory.c - simulations into arrays of the caller. */
#include "data/memory.h"

#include "base/mem.h"
#include "bnre/plugin.h"
#include "data/parameters.h"
#include "task/simulator.h"

enum { CHUNK = 64 }; /* rows that a thread takes at a time */

/* What each thread has for itself. */
struct worker {
    int ready;
    void *state;
    double *nuisance;                 /* (CHUNK, dim_nuisance) */
    double *drawn;                    /* (CHUNK, dim_theta), left alone */
    uint8_t *status;                  /* (CHUNK) */
    char (*reason)[BNRE_REASON_SIZE]; /* (CHUNK) */
};

struct job {
    const bnre_task *task;
    const bnre__simulator *simulator;
    const bnre_simulate_opts *opts;
    int draw_theta;
    double *theta, *x;
    uint8_t *status;
    struct worker *worker;
};

static bnre_status prepare(const struct job *job, struct worker *worker)
{
    bnre_status status = BNRE_OK;

    if (worker->ready)
        return BNRE_OK;
    BNRE_NEW(worker->nuisance, CHUNK * job->simulator->dim_nuisance);
    BNRE_NEW(worker->drawn, CHUNK * job->simulator->dim_theta);
    BNRE_NEW(worker->status, CHUNK);
    BNRE_NEW(worker->reason, CHUNK);
    BNRE_TRY(bnre__simulator_open(job->simulator, &worker->state));
    worker->ready = 1;
done:
    return status;
}

static void clear(const struct job *job, struct worker *worker)
{
    if (worker->ready)
        job->simulator->kind->close(job->simulator, worker->state);
    bnre__free(worker->reason);
    bnre__free(worker->status);
    bnre__free(worker->drawn);
    bnre__free(worker->nuisance);
}

static bnre_status run_rows(void *arg, size_t index, size_t first, size_t last)
{
    struct job *job = arg;
    struct worker *worker = &job->worker[index];
    const size_t dim = job->simulator->dim_theta;
    bnre__batch batch = {.seed = job->opts->seed,
                         .split = job->opts->split,
                         .row = job->opts->first + first,
                         .n = last - first,
                         .theta = job->theta + first * dim,
                         .x = job->x + first * job->simulator->x_size,
                         .x_double = 1};

    BNRE_DO(prepare(job, worker));
    batch.nuisance = worker->nuisance;
    batch.status = worker->status;
    batch.reason = worker->reason;
    for (size_t i = 0; i < batch.n; i++)
        worker->reason[i][0] = 0;
    bnre__parameters_draw(job->task, job->opts, batch.row, batch.n,
                          job->draw_theta ? job->theta + first * dim
                                          : worker->drawn,
                          worker->nuisance);
    BNRE_DO(job->simulator->kind->run(job->simulator, worker->state, &batch));
    for (size_t i = first; job->status != NULL && i < last; i++)
        job->status[i] = worker->status[i - first];
    return BNRE_OK;
}

bnre_status bnre__simulate_memory(const bnre_task *task,
                                  const bnre_simulate_opts *opts,
                                  int draw_theta, double *theta, double *x,
                                  uint8_t *status_out)
{
    const size_t threads = bnre_pool_threads(opts->pool);
    const bnre_simulate_opts given = {
        .count = opts->count, .theta = theta, .theta_rows = opts->count};
    struct job job = {.task = task,
                      .simulator = bnre__task_simulator(task),
                      .opts = opts,
                      .draw_theta = draw_theta,
                      .theta = theta,
                      .x = x,
                      .status = status_out};
    bnre_status status = BNRE_OK;

    if (opts->count == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__simulator_check(job.simulator));
    if (job.simulator->kind->begin != NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "the simulator is an external program: simulate into "
                         "a file, and read that");
    if (!draw_theta)
        BNRE_TRY(bnre__parameters_check(task, &given));
    BNRE_NEW(job.worker, threads);
    BNRE_TRY(bnre_pool_for(opts->pool, opts->count, CHUNK, run_rows, &job));
done:
    for (size_t i = 0; job.worker != NULL && i < threads; i++)
        clear(&job, &job.worker[i]);
    bnre__free(job.worker);
    return status;
}
