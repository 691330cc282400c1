/* run.c - a study from nothing, or from where it was left, to its results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"
#include "study/job.h"

static int on_progress(void *context, size_t done, size_t found, size_t total)
{
    bnre__meter *meter = context;
    const double share = total > 0 ? (double)done / (double)total : 1;
    size_t now = (size_t)((double)meter->cost * (share < 1 ? share : 1));
    size_t more = now > meter->told ? now - meter->told : 0;

    (void)found;
    meter->told += more;
    return meter->work->report(meter->work->context, more);
}

static void on_note(void *context, const char *text)
{
    const bnre__meter *meter = context;

    meter->work->note(meter->work->context, text);
}

void bnre__meter_init(bnre__meter *meter, const bnre_work *work, size_t cost)
{
    *meter = (bnre__meter){.work = work, .cost = cost};
    meter->monitor = (bnre_monitor){
        .progress = on_progress, .note = on_note, .context = meter};
}

void bnre__meter_finish(bnre__meter *meter)
{
    if (meter->cost > meter->told)
        meter->work->report(meter->work->context, meter->cost - meter->told);
    meter->told = meter->cost;
}

/* What runs there are to do. */
struct schedule {
    bnre__job *job;
    size_t *run; /* the longest first */
    size_t n;
};

void bnre__job_found(bnre__job *job, size_t cost)
{
    job->tally.found += cost;
    job->tally.done += cost;
}

static void tell(const bnre__job *job, const char *text)
{
    if (job->monitor != NULL && job->monitor->note != NULL)
        job->monitor->note(job->monitor->context, text);
}

static size_t cost_of_run(const bnre__job *job, size_t run)
{
    const size_t *cost = job->costs.run[run / job->study->fields.study.repeats];
    size_t sum = 0;

    for (size_t i = 0; i < BNRE__STAGES; i++)
        sum += cost[i];
    return sum;
}

static void count_total(bnre__job *job)
{
    for (size_t i = 0; i < job->study->datasets; i++)
        job->tally.total += job->costs.data[i];
    for (size_t i = 0; i < job->runs; i++)
        job->tally.total += cost_of_run(job, i);
}

/* ---- what is to be done ---- */

/* Longer runs come first, so that none is left alone at the end (Graham 1969);
   then by their number. By insertion: O(runs^2) where costs are in no order. */
static void sort_schedule(struct schedule *schedule)
{
    const bnre__job *job = schedule->job;

    for (size_t i = 1; i < schedule->n; i++) {
        const size_t run = schedule->run[i], cost = cost_of_run(job, run);
        size_t k = i;

        for (; k > 0 && cost_of_run(job, schedule->run[k - 1]) < cost; k--)
            schedule->run[k] = schedule->run[k - 1];
        schedule->run[k] = run;
    }
}

struct reasons {
    size_t changed[BNRE__STAGES], damaged;
};

static void tell_reasons(const bnre__job *job, const struct reasons *reasons)
{
    static const char *const what[BNRE__STAGES] = {
        "trained",
        "diagnosed",
        "asked for the posterior",
        "checked",
        "asked for the posteriors of rows",
        "diagnosed under the other prior"};
    char text[200];

    for (size_t i = 0; i < BNRE__STAGES; i++) {
        if (reasons->changed[i] == 0)
            continue;
        snprintf(text, sizeof text,
                 "%zu of %zu runs are %s again: settings or data have changed",
                 reasons->changed[i], job->runs, what[i]);
        tell(job, text);
    }
}

static bnre_status examine_run(struct schedule *schedule, size_t run,
                               struct reasons *reasons)
{
    bnre__job *job = schedule->job;
    const size_t *cost = job->costs.run[run / job->study->fields.study.repeats];
    int changed = 0, damaged = 0;
    bnre__stage next;
    char text[512];

    BNRE_DO(bnre__run_examine(job, run, &next, &changed, &damaged));
    for (size_t i = 0; i < (size_t)next; i++)
        bnre__job_found(job, cost[i]);
    if (next == BNRE__STAGES)
        return BNRE_OK;
    schedule->run[schedule->n++] = run;
    if (changed)
        reasons->changed[next]++;
    if (damaged) {
        snprintf(text, sizeof text,
                 "files of runs/%s/%zu are missing or damaged: it is %s again",
                 bnre__run_cell(job, run)->name, bnre__run_repeat(job, run),
                 next == BNRE__STAGE_TRAIN      ? "trained"
                 : next == BNRE__STAGE_DIAGNOSE ? "diagnosed"
                                                : "asked for its posterior");
        tell(job, text);
    }
    return BNRE_OK;
}

static bnre_status make_schedule(struct schedule *schedule)
{
    const bnre__job *job = schedule->job;
    struct reasons reasons = {{0}, 0};

    for (size_t i = 0; i < job->runs; i++)
        BNRE_DO(examine_run(schedule, i, &reasons));
    tell_reasons(job, &reasons);
    sort_schedule(schedule);
    return BNRE_OK;
}

/* ---- doing it ---- */

/* Whether a failure is a run's own: others may fare better. */
static int is_own(bnre_status status)
{
    return status == BNRE_ENUM || status == BNRE_EUSAGE ||
           status == BNRE_EINVAL;
}

/* Keep the reason where the results would be. */
static bnre_status record_failure(const bnre__job *job, size_t run,
                                  const bnre_work *work)
{
    bnre_status status = BNRE_OK;
    char *dir = NULL, *path = NULL, *text = NULL, message[1024];

    snprintf(message, sizeof message, "%s\n", bnre_error_message());
    BNRE_TRY(bnre__run_path(job, run, &dir));
    BNRE_TRY(bnre__text_format(&path, "%s/failure.txt", dir));
    status = bnre__file_put(path, message, strlen(message));
    BNRE_TRY(status);
    BNRE_TRY(bnre__text_format(
        &text, "runs/%s/%zu failed: %.*s", bnre__run_cell(job, run)->name,
        bnre__run_repeat(job, run), (int)strcspn(message, "\n"), message));
    work->note(work->context, text);
done:
    bnre__free(text);
    bnre__free(path);
    bnre__free(dir);
    return status;
}

static bnre_status do_run(void *arg, const bnre_work *work, size_t item)
{
    const struct schedule *schedule = arg;
    const size_t run = schedule->run[item];
    bnre_status status = bnre__run_work(schedule->job, run, work);

    if (is_own(status))
        status = record_failure(schedule->job, run, work);
    return status;
}

static bnre_status do_runs(bnre__job *job, bnre_study_result *result)
{
    const bnre_executor *executor = &job->executor;
    struct schedule schedule = {.job = job};
    bnre_status status = BNRE_OK;

    BNRE_NEW(schedule.run, job->runs);
    if (executor->leads)
        status = make_schedule(&schedule);
    BNRE_TRY(executor->agree(executor->context, status));
    BNRE_TRY(
        executor->share(executor->context, sizeof schedule.n, &schedule.n));
    BNRE_TRY(executor->share(executor->context,
                             job->runs * sizeof *schedule.run, schedule.run));
    result->found = job->runs - schedule.n;
    BNRE_TRY(executor->each(executor->context, schedule.n, do_run, &schedule,
                            "runs", job->monitor, &job->tally));
done:
    bnre__free(schedule.run);
    return status;
}

/* ---- all of it ---- */

static bnre_status read_observation(bnre__job *job)
{
    const bnre_study *study = job->study;
    bnre_status status = BNRE_OK;

    BNRE_DO(bnre__catalogue_read(study, &job->catalogue));
    if (study->fields.study.observation == NULL)
        return BNRE_OK;
    BNRE_NEW(job->observed, study->tasks);
    for (size_t i = 0; i < study->tasks; i++)
        BNRE_TRY(bnre__observed_read(study, i, &job->observed[i]));
done:
    return status;
}

static void close_job(bnre__job *job)
{
    bnre__place_close(job);
    for (size_t i = 0; job->observed != NULL && i < job->study->tasks; i++)
        bnre__observed_clear(&job->observed[i]);
    bnre__free(job->observed);
    bnre__catalogue_clear(&job->catalogue);
    bnre__costs_clear(&job->costs);
    bnre__free(job->source);
}

static bnre_status open_job(bnre__job *job)
{
    const bnre_executor *executor = &job->executor;
    bnre_study *study = job->study;
    bnre_status status = BNRE_OK;

    job->runs = study->cells * study->fields.study.repeats;
    BNRE_NEW(job->source, study->datasets);
    status = read_observation(job);
    if (status == BNRE_OK && executor->leads)
        status = bnre__costs_estimate(study, &job->costs);
    else if (status == BNRE_OK)
        status = bnre__costs_init(study, &job->costs);
    if (status == BNRE_OK && executor->leads)
        status = bnre__place_open(job);
    BNRE_TRY(executor->agree(executor->context, status));
    BNRE_TRY(executor->share(executor->context,
                             study->datasets * sizeof *job->costs.data,
                             job->costs.data));
    BNRE_TRY(executor->share(executor->context,
                             study->cells * sizeof *job->costs.run,
                             job->costs.run));
    count_total(job);
done:
    return status;
}

static bnre_status fail_some(const bnre__job *job,
                             const bnre_study_result *result)
{
    for (size_t i = 0; i < result->runs; i++)
        if (!result->outcome[i].done)
            return bnre_fail(BNRE_ENUM,
                             "%zu of %zu runs failed; %s/runs/%s/%zu/"
                             "failure.txt tells why, and the same command "
                             "tries again",
                             result->failed, result->runs, job->dir,
                             bnre__run_cell(job, i)->name,
                             bnre__run_repeat(job, i));
    return BNRE_OK;
}

/* What NAME/NAME.json of a run says. */
static bnre_status find_doubt(const bnre__job *job, size_t run,
                              const char *name, char why[BNRE_DOUBT])
{
    bnre_status status = BNRE_OK;
    char *dir = NULL, *path = NULL, *file = NULL;

    BNRE_TRY(bnre__run_path(job, run, &dir));
    BNRE_TRY(bnre__text_format(&path, "%s/%s", dir, name));
    BNRE_TRY(bnre__text_format(&file, "%s.json", name));
    BNRE_TRY(bnre__observed_doubt(path, file, why));
done:
    bnre__free(file);
    bnre__free(path);
    bnre__free(dir);
    return status;
}

/* EDOUBT, as the command ends, if a posterior must not be used. */
static bnre_status fail_doubtful(const bnre__job *job)
{
    size_t n = 0, first = 0;
    bnre_status status = BNRE_OK;
    char why[BNRE_DOUBT], text[BNRE_DOUBT] = "";

    for (size_t i = 0; i < job->runs; i++) {
        const struct {
            int made;
            const char *name;
        } file[] = {
            {job->observed != NULL, "posterior"},
            {job->observed != NULL &&
                 bnre__run_cell(job, i)->fields.study.check > 0,
             "check"},
            {job->catalogue.file != NULL, "each"},
        };

        why[0] = 0;
        for (size_t k = 0; why[0] == 0 && k < sizeof file / sizeof *file; k++)
            if (file[k].made)
                BNRE_TRY(find_doubt(job, i, file[k].name, why));
        if (why[0] == 0)
            continue;
        if (n++ == 0) {
            first = i;
            memcpy(text, why, sizeof text);
        }
    }
    if (n > 0)
        BNRE_THROW(BNRE_EDOUBT,
                   "%zu of %zu posteriors must not be used; of runs/%s/%zu: %s",
                   n, job->runs, bnre__run_cell(job, first)->name,
                   bnre__run_repeat(job, first), text);
done:
    return status;
}

/* The table of what is done so far: at the beginning, so that all can see which
   runs there are to be, and after a stop. It is written anew in the end. */
static bnre_status write_so_far(const bnre__job *job)
{
    bnre_study_result partial = {0};
    bnre_status status;

    if (!job->executor.leads)
        return BNRE_OK;
    status = bnre__results_write(job, &partial);
    bnre__study_result_clear(&partial);
    return status;
}

/* The same after a stop, whose message stays. */
static void write_after(const bnre__job *job, bnre_status stop)
{
    char message[1024];

    snprintf(message, sizeof message, "%s", bnre_error_message());
    (void)!write_so_far(job);
    bnre_fail(stop, "%s", message);
}

bnre_status bnre__study_run(bnre_study *study, const bnre__study_opts *opts,
                            const char *directory, bnre_study_result *result)
{
    bnre_study_result unused;
    bnre_status status = BNRE_OK;
    bnre__job job = {.study = study,
                     .dir = directory,
                     .executor = opts->executor != NULL
                                     ? *opts->executor
                                     : bnre_executor_threads(NULL),
                     .monitor = opts->monitor,
                     .force = opts->force,
                     .lock = -1};

    if (result == NULL)
        result = &unused;
    *result = (bnre_study_result){0};
    BNRE_TRY(open_job(&job));
    result->runs = job.runs;
    for (size_t i = 0; i < study->datasets; i++)
        result->simulations += study->data[i].rows;
    BNRE_TRY(bnre__gather(&job));
    BNRE_TRY(job.executor.agree(job.executor.context, write_so_far(&job)));
    status = do_runs(&job, result);
    if (status != BNRE_OK)
        write_after(&job, status);
    BNRE_TRY(status);
    if (job.executor.leads) {
        status = bnre__results_write(&job, result);
        if (status == BNRE_OK && result->failed > 0)
            status = fail_some(&job, result);
        else if (status == BNRE_OK)
            status = fail_doubtful(&job);
    }
    BNRE_TRY(job.executor.agree(job.executor.context, status));
done:
    close_job(&job);
    if (result == &unused)
        bnre__study_result_clear(result);
    return status;
}

void bnre__study_result_clear(bnre_study_result *result)
{
    bnre__free(result->outcome);
    *result = (bnre_study_result){0};
}

/* ---- what came of a cell ---- */

/* "CONSERVATIVE", or "2 CONSERVATIVE, 1 INCONCLUSIVE". */
static void list_verdicts(const bnre_study_result *result, size_t cell,
                          char *out, size_t room)
{
    size_t runs = 0, used = 0;

    out[0] = 0;
    for (size_t i = 0; i < result->runs; i++)
        runs += result->outcome[i].cell == cell;
    for (size_t i = 0; i < result->runs && used < room; i++) {
        const bnre_study_outcome *one = &result->outcome[i];
        const char *word = one->done ? one->verdict : "failed";
        size_t count = 0, before = 0;

        if (one->cell != cell || word[0] == 0)
            continue;
        for (size_t k = 0; k < result->runs; k++) {
            const bnre_study_outcome *other = &result->outcome[k];

            if (other->cell != cell ||
                strcmp(other->done ? other->verdict : "failed", word) != 0)
                continue;
            count++;
            before += k < i;
        }
        if (before > 0)
            continue;
        if (count == runs)
            snprintf(out, room, "%s", word);
        else
            used += (size_t)snprintf(out + used, room - used, "%s%zu %s",
                                     used > 0 ? ", " : "", count, word);
    }
}

bnre_study_summary bnre_study_summarise(const bnre_study_result *result,
                                        size_t cell)
{
    bnre_study_summary sum = {.auc_sd = NAN};
    double n = 0, squares = 0;

    for (size_t i = 0; i < result->runs; i++)
        if (result->outcome[i].cell == cell && result->outcome[i].done) {
            n++;
            sum.auc += result->outcome[i].auc;
            sum.information += result->outcome[i].information;
        }
    sum.auc /= n;
    sum.information /= n;
    for (size_t i = 0; i < result->runs; i++)
        if (result->outcome[i].cell == cell && result->outcome[i].done) {
            const double d = result->outcome[i].auc - sum.auc;

            squares += d * d;
        }
    if (n > 1)
        sum.auc_sd = sqrt(squares / n);
    list_verdicts(result, cell, sum.verdicts, sizeof sum.verdicts);
    return sum;
}
