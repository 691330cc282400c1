/* stages.c - the work of one run: train, diagnose, look at the observation. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bnre/command.h"
#include "io/file.h"
#include "study/diagnosis.h"
#include "study/job.h"
#include "study/rounds.h"
#include "study/study.h"
#include "task/external/remove_tree.h"
#include "task/task.h"

/* A run at work. */
struct attempt {
    const bnre__job *job;
    const bnre__cell *cell;
    const bnre__observed *observed; /* NULL = nothing was */
    size_t run;
    char *dir, *estimator; /* paths, the latter of its file */
    bnre_node *stamp;

    /* Of the stage that is at work. */
    bnre_pool *pool;
    bnre__meter meter;
    bnre__stamp_state state; /* of what is there */
};

#define ESTIMATOR "estimator.h5"
#define HISTORY "history.csv"
#define DIAGNOSIS "diagnose.json"
#define UNDER_PRIOR "diagnose-prior.json"
#define FAILURE "failure.txt"

bnre_status bnre__run_path(const bnre__job *job, size_t run, char **out)
{
    return bnre__job_path(job, out, "runs/%s/%zu",
                          bnre__run_cell(job, run)->name,
                          bnre__run_repeat(job, run));
}

static bnre_status path_of(const struct attempt *attempt, const char *file,
                           char **out)
{
    return bnre__text_format(out, "%s/%s", attempt->dir, file);
}

static uint64_t seed_of(const struct attempt *attempt)
{
    return bnre__study_seed(attempt->job->study,
                            (size_t)(attempt->cell - attempt->job->study->cell),
                            bnre__run_repeat(attempt->job, attempt->run));
}

static size_t cost_of(const struct attempt *attempt, size_t stage)
{
    const size_t cell = (size_t)(attempt->cell - attempt->job->study->cell);

    return attempt->job->costs.run[cell][stage];
}

static void hash_source(const struct attempt *attempt, bnre_split split,
                        bnre__hash *hash)
{
    const size_t data = attempt->cell->dataset[split];

    bnre__hash_add_text(hash, bnre_split_name(split));
    if (data != BNRE_NO_DATASET)
        bnre__hash_add_text(hash, attempt->job->source[data].fingerprint);
}

/* The path of a dataset; where the cell has none, `none`, which may be NULL. */
static bnre_status data_of(const struct attempt *attempt, bnre_split split,
                           const char *none, char **out)
{
    const size_t data = attempt->cell->dataset[split];

    *out = NULL;
    if (data != BNRE_NO_DATASET)
        return bnre__source_path(attempt->job, data, out);
    return none != NULL ? bnre__strdup(none, out) : BNRE_OK;
}

/* ---- training ---- */

/* Whether there is more to it than training. */
static int is_trusted(const struct attempt *attempt)
{
    return bnre__fields_choose(&attempt->cell->fields) ||
           attempt->cell->dataset[BNRE_SPLIT_CALIBRATE] != BNRE_NO_DATASET;
}

static bnre_status inputs_of_training(const struct attempt *attempt,
                                      bnre__hash *hash)
{
    bnre__hash_add_text(hash, attempt->cell->identity);
    bnre__hash_add_u64(hash, seed_of(attempt));
    hash_source(attempt, BNRE_SPLIT_TRAIN, hash);
    hash_source(attempt, BNRE_SPLIT_VALIDATE, hash);
    hash_source(attempt, BNRE_SPLIT_SCHEDULE, hash);
    if (bnre__cell_has_rounds(attempt->cell))
        bnre__hash_add_text(hash, attempt->observed->hash);
    if (is_trusted(attempt)) {
        hash_source(attempt, BNRE_SPLIT_SELECT, hash);
        hash_source(attempt, BNRE_SPLIT_CERTIFY, hash);
        hash_source(attempt, BNRE_SPLIT_CALIBRATE, hash);
    }
    return BNRE_OK;
}

/* What an earlier training has left stands in the way of going on with the new
   one after an interruption. */
static bnre_status clear_training(const struct attempt *attempt)
{
    return bnre__place_clear(attempt->dir, ESTIMATOR, HISTORY);
}

/* Paths of a training, as its settings point to them. */
struct training_files {
    char *data[3]; /* to train on, to validate with, for the schedule */
    char *pairs[3];
    char *history;
};

/* The settings of the command. The caller frees the files. */
static bnre_status find_training(const struct attempt *attempt,
                                 struct training_files *files,
                                 bnre_train_settings *out)
{
    static const bnre_split data[] = {BNRE_SPLIT_TRAIN, BNRE_SPLIT_VALIDATE,
                                      BNRE_SPLIT_SCHEDULE};
    static const bnre_split pairs[] = {BNRE_SPLIT_SELECT, BNRE_SPLIT_CERTIFY,
                                       BNRE_SPLIT_CALIBRATE};
    const bnre__fields *fields = &attempt->cell->fields;

    BNRE_DO(path_of(attempt, HISTORY, &files->history));
    for (size_t i = 0; i < 3; i++) {
        BNRE_DO(data_of(attempt, data[i], NULL, &files->data[i]));
        BNRE_DO(data_of(attempt, pairs[i], "0", &files->pairs[i]));
    }
    *out = (bnre_train_settings){.train = fields->train,
                                 .trust = bnre__fields_trust(fields),
                                 .select = files->pairs[0],
                                 .certify = files->pairs[1],
                                 .calibrate = files->pairs[2],
                                 .history = files->history};
    out->train.data = files->data[0];
    out->train.validation = files->data[1];
    out->train.schedule = files->data[2];
    out->train.settings = bnre_node_find(attempt->cell->settings, "network");
    out->train.task_file =
        attempt->job->study->task[attempt->cell->task].task->file;
    return BNRE_OK;
}

static bnre_status train_once(const bnre_train_request *request,
                              const char *path)
{
    bnre_train_outcome outcome;
    const bnre_status status = bnre_train_make(request, path, &outcome);

    bnre_train_outcome_clear(&outcome);
    return status;
}

/* What rounds of a run need. */
static bnre__rounds_work rounds_of(const struct attempt *attempt,
                                   const bnre_monitor *monitor)
{
    const bnre__cell *cell = attempt->cell;

    return (bnre__rounds_work){.fields = &cell->fields,
                               .task =
                                   attempt->job->study->task[cell->task].task,
                               .observed = attempt->observed,
                               .dir = attempt->dir,
                               .seed = seed_of(attempt),
                               .pool = attempt->pool,
                               .monitor = monitor};
}

static bnre_status train_in_rounds(const struct attempt *attempt,
                                   const bnre_train_request *request)
{
    bnre__rounds_work rounds = rounds_of(attempt, request->monitor);

    rounds.training = request->settings;
    rounds.force = request->force;
    return bnre__rounds_train(&rounds, attempt->estimator,
                              request->settings->history);
}

static bnre_status train(struct attempt *attempt, bnre__stage stage)
{
    const int rounds = bnre__cell_has_rounds(attempt->cell);
    const int is_new = attempt->state == BNRE__STAMP_NONE;
    bnre_train_settings settings = {0};
    const bnre_train_request request = {.settings = &settings,
                                        .seed = seed_of(attempt),
                                        .shared = 1,
                                        .force = rounds && !is_new,
                                        .pool = attempt->pool,
                                        .monitor = &attempt->meter.monitor};
    struct training_files files = {0};
    bnre_status status = BNRE_OK;

    (void)stage;
    BNRE_TRY(find_training(attempt, &files, &settings));
    /* What it says once would be said by each run. */
    attempt->meter.monitor.note = NULL;
    if (!is_new)
        BNRE_TRY(clear_training(attempt));
    status = rounds ? train_in_rounds(attempt, &request)
                    : train_once(&request, attempt->estimator);
    if (status == BNRE_EEXIST && !rounds) {
        BNRE_TRY(clear_training(attempt));
        status = train_once(&request, attempt->estimator);
    }
done:
    for (size_t i = 0; i < 3; i++) {
        bnre__free(files.data[i]);
        bnre__free(files.pairs[i]);
    }
    bnre__free(files.history);
    return status;
}

/* ---- diagnosis ---- */

/* The hash of a file that an earlier stage has made. */
static const char *made_by(const struct attempt *attempt, const char *stage,
                           const char *file)
{
    const bnre_node *map = bnre_node_find(attempt->stamp, stage);
    const bnre_node *node = bnre_node_find(map, file);

    return node != NULL && node->kind == BNRE_NODE_TEXT ? node->text : "";
}

static bnre_status inputs_of_diagnosis(const struct attempt *attempt,
                                       bnre__hash *hash)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    BNRE_TRY(bnre__text_add(&text, "# diagnosis\n"));
    BNRE_TRY(bnre__diagnosis_identity(&attempt->cell->fields, &text));
    bnre__hash_add_text(hash, text.data);
    bnre__hash_add_text(hash, made_by(attempt, "train", ESTIMATOR));
    bnre__hash_add_u64(hash, attempt->job->study->fields.study.seed);
    hash_source(attempt, BNRE_SPLIT_TEST, hash);
done:
    bnre__free(text.data);
    return status;
}

static int has_test(const struct attempt *attempt)
{
    return attempt->cell->dataset[BNRE_SPLIT_TEST] != BNRE_NO_DATASET;
}

/* Under another prior pairs of a region stay there. */
static int has_prior(const struct attempt *attempt)
{
    return attempt->job->catalogue.prior != NULL && has_test(attempt) &&
           !bnre__cell_has_rounds(attempt->cell);
}

static bnre_status inputs_of_prior(const struct attempt *attempt,
                                   bnre__hash *hash)
{
    char own[33];
    bnre__hash diagnosis;

    bnre__hash_init(&diagnosis, 0, BNRE__STAGE_DIAGNOSE, 1);
    BNRE_DO(inputs_of_diagnosis(attempt, &diagnosis));
    bnre__hash_end_hex(&diagnosis, own);
    bnre__hash_add_text(hash, own);
    bnre__hash_add_text(hash, attempt->job->catalogue.of_prior);
    return BNRE_OK;
}

static bnre_status diagnose(struct attempt *attempt, bnre__stage stage)
{
    const int under = stage == BNRE__STAGE_PRIOR;
    bnre__diagnosis diagnosis = {
        .fields = &attempt->cell->fields,
        .task = bnre_node_find(attempt->cell->settings, "task"),
        .seed = attempt->job->study->fields.study.seed,
        .prior = under ? attempt->job->catalogue.prior : NULL,
        .pool = attempt->pool,
        .monitor = &attempt->meter.monitor};
    bnre_status status = BNRE_OK;
    char *data = NULL, *path = NULL, *learned = NULL, *stem = NULL;
    char *fresh = NULL;
    int within = 0;

    BNRE_TRY(path_of(attempt, under ? UNDER_PRIOR : DIAGNOSIS, &path));
    BNRE_TRY(data_of(attempt, BNRE_SPLIT_TEST, NULL, &data));
    if (!under) {
        BNRE_TRY(path_of(attempt, "learning", &stem));
        BNRE_TRY(data_of(attempt, BNRE_SPLIT_TRAIN, NULL, &learned));
    }
    diagnosis.learned = learned;
    diagnosis.stem = stem;
    if (bnre__cell_has_rounds(attempt->cell)) {
        const bnre__rounds_work rounds = rounds_of(attempt, NULL);

        BNRE_TRY(path_of(attempt, "fresh.h5", &fresh));
        BNRE_TRY(bnre__rounds_pairs(&rounds, attempt->estimator,
                                    attempt->cell->fields.study.test, fresh,
                                    &within));
    }
    BNRE_TRY(bnre__diagnosis_make(&diagnosis, attempt->estimator,
                                  within ? fresh : data, path));
    if (within)
        BNRE_TRY(bnre__file_remove(fresh));
done:
    bnre__free(fresh);
    bnre__free(learned);
    bnre__free(stem);
    bnre__free(data);
    bnre__free(path);
    return status;
}

/* ---- the posterior of what was observed ---- */

static int has_observation(const struct attempt *attempt)
{
    return attempt->observed != NULL;
}

/* What both stages of an observation depend on. */
static void begin_inputs(const struct attempt *attempt, bnre__hash *hash)
{
    bnre__hash_add_text(hash, attempt->observed->hash);
    bnre__hash_add_text(hash, made_by(attempt, "train", ESTIMATOR));
}

/* Calibration pairs are of the prior of training: for conformal regions under
   another one test pairs count by their weights. */
static int calibrates_test(const struct attempt *attempt)
{
    const bnre__observed *observed = attempt->observed;

    return attempt->cell->fields.posterior.regions > 0 &&
           !attempt->cell->fields.posterior.local && observed->prior != NULL &&
           observed->also.count == 0 && observed->observed.n == 1 &&
           has_test(attempt) && !bnre__cell_has_rounds(attempt->cell);
}

static bnre_status inputs_of_posterior(const struct attempt *attempt,
                                       bnre__hash *hash)
{
    const bnre__fields *fields = &attempt->cell->fields;
    char temper[32];

    begin_inputs(attempt, hash);
    bnre__hash_add_text(hash, bnre__text_real(fields->study.temper, temper));
    bnre__hash_add_u64(hash, fields->posterior.samples);
    if (fields->posterior.regions > 0 || fields->posterior.local)
        bnre__hash_add_u64(hash, (uint64_t)(2 * fields->posterior.regions +
                                            fields->posterior.local));
    if (calibrates_test(attempt))
        hash_source(attempt, BNRE_SPLIT_TEST, hash);
    bnre__hash_add_u64(hash, attempt->job->study->fields.study.seed);
    return BNRE_OK;
}

/* ---- whether the model fits ---- */

static int has_check(const struct attempt *attempt)
{
    return has_observation(attempt) && attempt->cell->fields.study.check > 0;
}

/* Test pairs that a check takes those near the observation from: where there are
   enough, none need be simulated. Rounds have pairs of their region. */
static int checks_test(const struct attempt *attempt)
{
    enum { FEWEST = 1000 };

    return attempt->cell->rows[BNRE_SPLIT_TEST] >= FEWEST &&
           attempt->observed->observed.n == 1 &&
           !bnre__cell_has_rounds(attempt->cell);
}

static bnre_status inputs_of_check(const struct attempt *attempt,
                                   bnre__hash *hash)
{
    const bnre__study_fields *own = &attempt->cell->fields.study;
    const bnre_task *task = attempt->job->study->task[attempt->cell->task].task;
    char temper[32];

    begin_inputs(attempt, hash);
    bnre__hash_add_text(hash, bnre_task_text(task));
    bnre__hash_add_text(hash, bnre__text_real(own->temper, temper));
    bnre__hash_add_u64(hash, own->check);
    for (size_t i = 0; i < own->summary.count; i++)
        bnre__hash_add_text(hash, own->summary.text[i]);
    if (checks_test(attempt))
        hash_source(attempt, BNRE_SPLIT_TEST, hash);
    bnre__hash_add_u64(hash, attempt->job->study->fields.study.seed);
    return BNRE_OK;
}

/* ---- posteriors of the rows of a dataset ---- */

static int has_catalogue(const struct attempt *attempt)
{
    return attempt->job->catalogue.file != NULL;
}

static bnre_status inputs_of_catalogue(const struct attempt *attempt,
                                       bnre__hash *hash)
{
    bnre__hash_add_text(hash, made_by(attempt, "train", ESTIMATOR));
    bnre__catalogue_hash(&attempt->job->catalogue, &attempt->cell->fields,
                         hash);
    bnre__hash_add_u64(hash, attempt->job->study->fields.study.seed);
    return BNRE_OK;
}

/* ---- posterior, check, rows: each in a directory of the run ---- */

static bnre_status observe(struct attempt *attempt, bnre__stage stage)
{
    const bnre__job *job = attempt->job;
    /* A picture of each cell is enough. */
    const int first = bnre__run_repeat(job, attempt->run) == 1;
    const bnre__observed_work settings = {.fields = &attempt->cell->fields,
                                          .seed = job->study->fields.study.seed,
                                          .formats = first ? "svg" : "",
                                          .pool = attempt->pool,
                                          .monitor = &attempt->meter.monitor};
    const char *estimator = attempt->estimator;
    bnre_status status = BNRE_OK;
    char *directory = NULL, *pairs = NULL;

    if (!first)
        attempt->meter.monitor.note = NULL;
    BNRE_TRY(path_of(attempt, bnre__stage_name(stage), &directory));
    if (stage == BNRE__STAGE_CHECK       ? checks_test(attempt)
        : stage == BNRE__STAGE_POSTERIOR ? calibrates_test(attempt)
                                         : 0)
        BNRE_TRY(data_of(attempt, BNRE_SPLIT_TEST, NULL, &pairs));
    if (stage == BNRE__STAGE_EACH)
        BNRE_TRY(bnre__catalogue_posteriors(&job->catalogue, &settings,
                                            estimator, directory));
    else if (stage == BNRE__STAGE_CHECK)
        BNRE_TRY(bnre__observed_check(
            attempt->observed, &settings,
            bnre_node_find(attempt->cell->settings, "task"), pairs, estimator,
            directory));
    else
        BNRE_TRY(bnre__observed_posterior(attempt->observed, &settings, pairs,
                                          estimator, directory));
done:
    bnre__free(pairs);
    bnre__free(directory);
    return status;
}

/* ---- all of them ---- */

static const struct stage {
    const char *name;
    int (*wanted)(const struct attempt *attempt); /* NULL: always */
    bnre_status (*inputs)(const struct attempt *attempt, bnre__hash *hash);
    bnre_status (*work)(struct attempt *attempt, bnre__stage stage);
    const char *file[3]; /* that it makes, NULL-ended */
} stages[BNRE__STAGES] = {
    [BNRE__STAGE_TRAIN] =
        {"train", NULL, inputs_of_training, train, {ESTIMATOR, HISTORY}},
    [BNRE__STAGE_DIAGNOSE] =
        {"diagnose", has_test, inputs_of_diagnosis, diagnose, {DIAGNOSIS}},
    [BNRE__STAGE_POSTERIOR] = {"posterior",
                               has_observation,
                               inputs_of_posterior,
                               observe,
                               {"posterior/posterior.json",
                                "posterior/posterior.h5"}},
    [BNRE__STAGE_CHECK] =
        {"check", has_check, inputs_of_check, observe, {"check/check.json"}},
    [BNRE__STAGE_EACH] = {"each",
                          has_catalogue,
                          inputs_of_catalogue,
                          observe,
                          {"each/each.json", "each/samples.npy"}},
    [BNRE__STAGE_PRIOR] =
        {"prior", has_prior, inputs_of_prior, diagnose, {UNDER_PRIOR}},
};

const char *bnre__stage_name(size_t stage)
{
    return stages[stage].name;
}

static int is_wanted(const struct attempt *attempt, size_t i)
{
    return stages[i].wanted == NULL || stages[i].wanted(attempt);
}

/* Whether what a stage has made is there, and made of these inputs. */
static bnre_status examine_stage(struct attempt *attempt, size_t i,
                                 char inputs[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, 0, (uint64_t)i, 1);
    BNRE_DO(stages[i].inputs(attempt, &hash));
    bnre__hash_end_hex(&hash, inputs);
    return bnre__stamp_check(attempt->stamp, attempt->dir, stages[i].name,
                             inputs, &attempt->state);
}

static bnre_status open_attempt(const bnre__job *job, size_t run,
                                struct attempt *attempt)
{
    *attempt = (struct attempt){
        .job = job, .cell = bnre__run_cell(job, run), .run = run};
    if (job->observed != NULL)
        attempt->observed = &job->observed[attempt->cell->task];
    BNRE_DO(bnre__run_path(job, run, &attempt->dir));
    BNRE_DO(path_of(attempt, ESTIMATOR, &attempt->estimator));
    return bnre__stamp_read(attempt->dir, &attempt->stamp);
}

static void close_attempt(struct attempt *attempt)
{
    bnre_node_destroy(attempt->stamp);
    bnre__free(attempt->estimator);
    bnre__free(attempt->dir);
}

bnre_status bnre__run_examine(const bnre__job *job, size_t run,
                              bnre__stage *next, int *changed, int *damaged)
{
    struct attempt attempt;
    bnre_status status = BNRE_OK;
    char inputs[33];
    size_t i;

    BNRE_TRY(open_attempt(job, run, &attempt));
    attempt.state = BNRE__STAMP_GOOD;
    for (i = 0; i < BNRE__STAGES; i++) {
        if (!is_wanted(&attempt, i))
            continue;
        BNRE_TRY(examine_stage(&attempt, i, inputs));
        if (attempt.state != BNRE__STAMP_GOOD)
            break;
    }
    *next = (bnre__stage)i;
    *changed = attempt.state == BNRE__STAMP_OTHER;
    *damaged = attempt.state == BNRE__STAMP_DAMAGED;
done:
    close_attempt(&attempt);
    return status;
}

bnre_status bnre__run_work(const bnre__job *job, size_t run,
                           const bnre_work *work)
{
    struct attempt attempt;
    bnre_status status = BNRE_OK;
    char inputs[33];

    BNRE_TRY(open_attempt(job, run, &attempt));
    attempt.pool = work->pool;
    BNRE_TRY(bnre__make_directories(attempt.dir));
    BNRE_TRY(bnre__place_clear(attempt.dir, FAILURE, FAILURE));
    for (size_t i = 0; i < BNRE__STAGES; i++) {
        if (!is_wanted(&attempt, i))
            continue;
        BNRE_TRY(examine_stage(&attempt, i, inputs));
        if (attempt.state == BNRE__STAMP_GOOD)
            continue;
        bnre__meter_init(&attempt.meter, work, cost_of(&attempt, i));
        BNRE_TRY(stages[i].work(&attempt, (bnre__stage)i));
        bnre__meter_finish(&attempt.meter);
        BNRE_TRY(
            bnre__stamp_renew(job, run, seed_of(&attempt), i, &attempt.stamp));
        BNRE_TRY(bnre__stamp_put(attempt.stamp, attempt.dir, stages[i].name,
                                 inputs, stages[i].file));
        BNRE_TRY(bnre__stamp_write(attempt.dir, attempt.stamp));
    }
done:
    close_attempt(&attempt);
    return status;
}
