/* posterior_each.c - a posterior for each row of a dataset: in parallel, kept in
   a journal row by row, written when all are there. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/rng.h"
#include "command/posterior_each.h"
#include "data/dataset.h"
#include "infer/estimator/estimator.h"
#include "io/file.h"
#include "num/streams.h"
#include "posterior/posterior.h"
#include "trust/advice.h"

enum { BLOCK = 1024 /* rows in memory at a time */ };

struct job {
    bnre__each of;
    bnre_dataset *data;
    int has_theta;
    uint8_t *done; /* (rows) */

    size_t first; /* row of the block in memory, */
    double *x, *theta;
    uint8_t *valid;

    bnre_session **session; /* (threads) */
    pthread_mutex_t lock;   /* of what follows */
    size_t finished;
    int stop;
};

/* ---- the rows ---- */

/* Parameters of the rows are their truth, if they are of these names. */
static bnre_status open_data(struct job *job)
{
    const char *path = job->of.work->settings->each;
    const bnre_estimator *est = job->of.work->outcome->estimator;
    const bnre_dataset_info *info;

    if (bnre_dataset_open(path, &job->data) == BNRE_OK &&
        bnre_dataset_describe(job->data)->dim_theta >= job->of.dim &&
        bnre__estimator_arrange(est, job->data) == BNRE_OK) {
        job->has_theta = 1;
    } else {
        bnre_dataset_close(job->data);
        job->data = NULL;
        BNRE_DO(bnre_dataset_open_x(path, &job->data));
    }
    info = bnre_dataset_describe(job->data);
    if (info->x_size != job->of.info->x_size)
        return bnre_fail(BNRE_EUSAGE,
                         "a row of %s has %zu values, the estimator was "
                         "trained on %zu: are they of another task?",
                         path, info->x_size, job->of.info->x_size);
    if (!job->has_theta)
        BNRE_DO(bnre__dataset_arrange(job->data, NULL, job->of.info->x_name));
    job->of.rows = info->rows;
    if (job->of.rows == 0)
        return bnre_fail(BNRE_EUSAGE, "%s has no rows", path);
    return BNRE_OK;
}

static uint64_t seed_of(const struct job *job, size_t row)
{
    bnre_rng rng =
        bnre_rng_stream(job->of.work->request->seed,
                        bnre__purpose(BNRE_USE_EACH, BNRE_SPLIT_TEST), row);

    return bnre_rng_u64(&rng);
}

static void set_summary(const struct job *job, const bnre_summary *summary,
                        double *out)
{
    for (size_t i = 0; i < job->of.dim; i++) {
        const bnre_summary *s = &summary[i];
        const double value[BNRE__EACH_SUMMARY] = {
            s->mean,   s->sd,    s->median, s->low68,
            s->high68, s->low95, s->high95, s->mode};

        memcpy(out + i * BNRE__EACH_SUMMARY, value, sizeof value);
    }
}

/* What there is to say of a posterior in numbers. */
static bnre_status describe(const struct job *job, bnre_session *session,
                            size_t at, const bnre_posterior *posterior,
                            double *out)
{
    const double *x = job->x + at * job->of.info->x_size;
    const bnre_estimator *est = job->of.work->outcome->estimator;
    const bnre_evidence evidence = bnre_posterior_evidence(posterior);
    double *further = out + job->of.dim * BNRE__EACH_SUMMARY;
    bnre_status status = BNRE_OK;
    bnre_summary *summary = NULL;
    char why[BNRE_DOUBT];

    BNRE_NEW(summary, job->of.dim);
    BNRE_TRY(bnre_posterior_summary(posterior, summary));
    set_summary(job, summary, out);
    further[BNRE__EACH_LOG_Z] = evidence.log_z;
    further[BNRE__EACH_LOG_Z_ERROR] = evidence.error;
    further[BNRE__EACH_ESS] = evidence.ess;
    further[BNRE__EACH_TRUTH_IN] = NAN;
    if (job->has_theta)
        BNRE_TRY(bnre_posterior_rank(posterior, session,
                                     job->theta + at * job->of.dim,
                                     &further[BNRE__EACH_TRUTH_IN]));
    further[BNRE__EACH_OUTSIDE] =
        (double)bnre_estimator_compare_x(est, x).count;
    BNRE_TRY(bnre__outside_estimator(est, x, &further[BNRE__EACH_OUTSIDE_P]));
    further[BNRE__EACH_DOUBT] = bnre__posterior_doubt(posterior, why);
done:
    bnre__free(summary);
    return status;
}

static bnre_status keep(struct job *job, size_t row, const double *number,
                        const double *draws)
{
    const struct iovec part[] = {
        {(void *)number, job->of.numbers * sizeof *number},
        {(void *)draws, job->of.samples * job->of.dim * sizeof *draws}};

    return bnre__journal_append(job->of.journal, row, 1, part, 2);
}

/* The posterior of a row that has an x. */
static bnre_status compute(struct job *job, bnre_session *session, size_t at,
                           double *number, double *draws)
{
    bnre_posterior_opts opts = job->of.work->opts;
    bnre_status status = BNRE_OK;
    bnre_posterior *posterior = NULL;

    opts.seed = seed_of(job, job->first + at);
    opts.draws = job->of.samples;
    opts.quick = 1;
    opts.monitor = NULL;
    BNRE_TRY(
        bnre_session_observe(session, 1, job->x + at * job->of.info->x_size));
    BNRE_TRY(bnre_posterior_compute(session, &opts, &posterior));
    BNRE_TRY(describe(job, session, at, posterior, number));
    BNRE_TRY(
        bnre_posterior_sample(posterior, job->of.samples, opts.seed, draws));
done:
    bnre_posterior_destroy(posterior);
    return status;
}

static int must_stop(struct job *job, size_t more)
{
    const bnre_monitor *monitor = job->of.work->request->monitor;
    int stop;

    pthread_mutex_lock(&job->lock);
    job->finished += more;
    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, job->finished,
                          job->of.work->outcome->each.kept, job->of.rows) != 0)
        job->stop = 1;
    stop = job->stop;
    pthread_mutex_unlock(&job->lock);
    return stop;
}

static bnre_status run_rows(void *arg, size_t worker, size_t first, size_t last)
{
    struct job *job = arg;
    const bnre_density *density = &job->of.work->outcome->density;
    bnre_status status = BNRE_OK;
    double *number = NULL, *draws = NULL;

    BNRE_NEW(number, job->of.numbers);
    BNRE_NEW(draws, job->of.samples * job->of.dim);
    if (job->session[worker] == NULL)
        BNRE_TRY(bnre_session_open(density, NULL, &job->session[worker]));
    for (size_t at = first; at < last; at++) {
        if (job->done[job->first + at])
            continue;
        if (must_stop(job, 0))
            BNRE_THROW(BNRE_EINTR,
                       "interrupted: posteriors so far are kept in %s; the "
                       "same command%s goes on from there",
                       job->of.path,
                       job->of.work->request->force ? " without `force`" : "");
        if (job->valid[at] == BNRE_DRAW_OK) {
            BNRE_TRY(compute(job, job->session[worker], at, number, draws));
        } else {
            for (size_t k = 0; k < job->of.numbers; k++)
                number[k] = NAN;
            for (size_t k = 0; k < job->of.samples * job->of.dim; k++)
                draws[k] = NAN;
        }
        BNRE_TRY(keep(job, job->first + at, number, draws));
        (void)must_stop(job, 1);
    }
done:
    bnre__free(draws);
    bnre__free(number);
    return status;
}

static bnre_status run(struct job *job)
{
    /* Without sessions of their own, threads would observe at once. */
    bnre_pool *pool = job->of.work->outcome->density.open != NULL
                          ? job->of.work->request->pool
                          : NULL;
    bnre_status status = BNRE_OK;

    BNRE_NEW(job->session, bnre_pool_threads(pool));
    BNRE_NEW(job->x, BLOCK * job->of.info->x_size);
    BNRE_NEW(job->theta, BLOCK * job->of.dim);
    BNRE_NEW(job->valid, BLOCK);
    for (size_t n; job->first < job->of.rows; job->first += n) {
        n = job->of.rows - job->first < BLOCK ? job->of.rows - job->first
                                              : BLOCK;
        BNRE_TRY(bnre_dataset_read(job->data, job->first, n,
                                   job->has_theta ? job->theta : NULL, NULL,
                                   job->x, job->valid));
        BNRE_TRY(bnre_pool_for(pool, n, 1, run_rows, job));
    }
done:
    for (size_t i = 0; job->session != NULL && i < bnre_pool_threads(pool); i++)
        bnre_session_close(job->session[i]);
    bnre__free(job->session);
    bnre__free(job->valid);
    bnre__free(job->theta);
    bnre__free(job->x);
    return status;
}

/* ---- what was computed before ---- */

/* Where rows are kept: beside the directory. */
static bnre_status find_journal(struct job *job)
{
    const char *directory = job->of.work->directory;
    size_t length = strlen(directory);

    while (length > 1 && directory[length - 1] == '/')
        length--;
    return bnre__text_format(&job->of.path, "%.*s.part", (int)length,
                             directory);
}

static bnre_status open_journal(struct job *job)
{
    bnre__posterior_work *work = job->of.work;
    bnre_status status = BNRE_OK;
    char *made = NULL, *identity = NULL, *other = NULL;

    BNRE_TRY(bnre_node_write(work->made, &made));
    BNRE_TRY(
        bnre__text_format(&identity, "%sversion: %s\n", made, BNRE_VERSION));
    status = bnre__journal_open(job->of.path, identity, work->request->force,
                                &other, &job->of.journal);
    if (status == BNRE_EEXIST)
        BNRE_THROW(BNRE_EEXIST,
                   "%s holds posteriors of other data or settings, or is "
                   "something else: finish them, remove it, or use `force`",
                   job->of.path);
done:
    bnre__free(other);
    bnre__free(identity);
    bnre_free(made);
    return status;
}

static bnre_status remove_journal(struct job *job)
{
    bnre__journal *journal = job->of.journal;

    job->of.journal = NULL;
    return bnre__journal_remove(journal);
}

static bnre_status find_done(struct job *job)
{
    bnre_posterior_rows *each = &job->of.work->outcome->each;
    const bnre__journal_record *record;
    bnre_status status = BNRE_OK;
    size_t n;

    BNRE_NEW(job->done, job->of.rows);
    record = bnre__journal_records(job->of.journal, &n);
    for (size_t i = 0; i < n; i++)
        if (record[i].first < job->of.rows && !job->done[record[i].first]) {
            job->done[record[i].first] = 1;
            each->kept++;
        }
    job->finished = each->kept;
done:
    return status;
}

/* ---- all of it ---- */

static bnre_status open_output(struct job *job)
{
    static const char *const name[] = {"summaries.csv", "samples.npy"};
    bnre__posterior_work *work = job->of.work;
    const char *input[] = {work->request->estimator, work->settings->each,
                           work->settings->prior, work->request->input};
    const bnre__output_plan plan = {
        .path = work->directory,
        .main = "each.json",
        .names = sizeof name / sizeof *name,
        .name = name,
        .inputs = sizeof input / sizeof *input,
        .input = input,
        .force = work->request->force || (job->of.journal != NULL &&
                                          bnre__journal_fresh(job->of.journal)),
        .made = work->made};

    BNRE_DO(bnre__make_parents(work->directory));
    return bnre__output_open(&plan, &work->output);
}

static void recall(struct job *job)
{
    const char *doubt = bnre__output_text(job->of.work->output, "doubt");
    bnre_posterior_outcome *outcome = job->of.work->outcome;

    outcome->found = 1;
    snprintf(outcome->doubt, sizeof outcome->doubt, "%s",
             doubt != NULL ? doubt : "");
}

static bnre_status record(struct job *job)
{
    char print[33];

    BNRE_DO(bnre__posterior_record(job->of.work, &job->of.work->made));
    BNRE_DO(bnre_dataset_fingerprint(job->data, print));
    BNRE_DO(bnre_node_set(job->of.work->made, "data", print));
    return BNRE_OK;
}

/* A journal that is there is that of an interruption, whose --force counts. */
static bnre_status make(struct job *job)
{
    BNRE_DO(record(job));
    BNRE_DO(find_journal(job));
    if (bnre__file_exists(job->of.path))
        BNRE_DO(open_journal(job));
    BNRE_DO(open_output(job));
    if (bnre__output_done(job->of.work->output)) {
        recall(job);
        return job->of.journal != NULL ? remove_journal(job) : BNRE_OK;
    }
    if (job->of.journal == NULL)
        BNRE_DO(open_journal(job));
    BNRE_DO(find_done(job));
    BNRE_DO(run(job));
    BNRE_DO(bnre__each_write(&job->of));
    return remove_journal(job);
}

bnre_status bnre__posterior_each(bnre__posterior_work *work)
{
    struct job job = {
        .of = {.work = work,
               .info = bnre_estimator_describe(work->outcome->estimator),
               .samples = bnre__posterior_samples(work->settings)},
        .lock = PTHREAD_MUTEX_INITIALIZER};
    bnre_status status = BNRE_OK;

    job.of.dim = job.of.info->dim_theta;
    job.of.numbers = job.of.dim * BNRE__EACH_SUMMARY + BNRE__EACH_FURTHER;
    BNRE_TRY(open_data(&job));
    work->outcome->observations = 1;
    work->outcome->guarantee.observations = 1;
    work->outcome->each.rows = job.of.rows;
    if (!work->request->dry_run)
        BNRE_TRY(make(&job));
    if (work->outcome->doubt[0] != 0)
        BNRE_THROW(BNRE_EDOUBT, "%s", work->outcome->doubt);
done:
    bnre__journal_close(job.of.journal);
    bnre__free(job.done);
    bnre__free(job.of.path);
    bnre_dataset_close(job.data);
    return status;
}
