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
    size_t run;
    const char *dir;
    bnre_node *stamp;
};

#define ESTIMATOR "estimator.h5"
#define HISTORY "history.csv"
#define DIAGNOSIS "diagnose.json"
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

static size_t cost_of(const struct attempt *attempt, bnre__stage stage)
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

/* The path of a dataset; *out NULL if the cell has none. */
static bnre_status data_of(const struct attempt *attempt, bnre_split split,
                           char **out)
{
    const size_t data = attempt->cell->dataset[split];

    *out = NULL;
    if (data == BNRE_NO_DATASET)
        return BNRE_OK;
    return bnre__source_path(attempt->job, data, out);
}

/* ---- training ---- */

/* Whether there is more to it than training. */
static int is_trusted(const struct attempt *attempt)
{
    return bnre__fields_choose(&attempt->cell->fields) ||
           attempt->cell->dataset[BNRE_SPLIT_CALIBRATE] != BNRE_NO_DATASET;
}

static bnre_status inputs_of_training(const struct attempt *attempt,
                                      char out[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, 0, BNRE__STAGE_TRAIN, 1);
    bnre__hash_add_text(&hash, attempt->cell->identity);
    bnre__hash_add_u64(&hash, seed_of(attempt));
    hash_source(attempt, BNRE_SPLIT_TRAIN, &hash);
    hash_source(attempt, BNRE_SPLIT_VALIDATE, &hash);
    hash_source(attempt, BNRE_SPLIT_SCHEDULE, &hash);
    if (bnre__cell_has_rounds(attempt->cell))
        bnre__hash_add_text(&hash,
                            attempt->job->observed[attempt->cell->task].hash);
    if (is_trusted(attempt)) {
        hash_source(attempt, BNRE_SPLIT_SELECT, &hash);
        hash_source(attempt, BNRE_SPLIT_CERTIFY, &hash);
        hash_source(attempt, BNRE_SPLIT_CALIBRATE, &hash);
    }
    bnre__hash_end_hex(&hash, out);
    return BNRE_OK;
}

/* Pairs for a purpose, as the command is told them: a file, or none. */
static bnre_status pairs_of(const struct attempt *attempt, bnre_split split,
                            char **out)
{
    BNRE_DO(data_of(attempt, split, out));
    if (*out == NULL)
        BNRE_DO(bnre__strdup("0", out));
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
};

/* The settings of the command. The caller frees the files. */
static bnre_status find_training(const struct attempt *attempt, char *history,
                                 struct training_files *files,
                                 bnre_train_settings *out)
{
    static const bnre_split data[] = {BNRE_SPLIT_TRAIN, BNRE_SPLIT_VALIDATE,
                                      BNRE_SPLIT_SCHEDULE};
    static const bnre_split pairs[] = {BNRE_SPLIT_SELECT, BNRE_SPLIT_CERTIFY,
                                       BNRE_SPLIT_CALIBRATE};
    const bnre__fields *fields = &attempt->cell->fields;

    for (size_t i = 0; i < 3; i++) {
        BNRE_DO(data_of(attempt, data[i], &files->data[i]));
        BNRE_DO(pairs_of(attempt, pairs[i], &files->pairs[i]));
    }
    *out = (bnre_train_settings){.train = fields->train,
                                 .trust = bnre__fields_trust(fields),
                                 .select = files->pairs[0],
                                 .certify = files->pairs[1],
                                 .calibrate = files->pairs[2],
                                 .history = history};
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
                                   const bnre_work *work,
                                   const bnre_monitor *monitor)
{
    const bnre__cell *cell = attempt->cell;

    return (bnre__rounds_work){.fields = &cell->fields,
                               .task =
                                   attempt->job->study->task[cell->task].task,
                               .observed = &attempt->job->observed[cell->task],
                               .dir = attempt->dir,
                               .seed = seed_of(attempt),
                               .pool = work->pool,
                               .monitor = monitor};
}

static bnre_status train_in_rounds(const struct attempt *attempt,
                                   const bnre_work *work,
                                   const bnre_train_request *request,
                                   const char *path)
{
    bnre__rounds_work rounds = rounds_of(attempt, work, request->monitor);

    rounds.training = request->settings;
    rounds.force = request->force;
    return bnre__rounds_train(&rounds, path, request->settings->history);
}

static bnre_status train(const struct attempt *attempt, const bnre_work *work,
                         bnre__stage stage, bnre__stamp_state state)
{
    bnre_train_settings settings = {0};
    bnre_train_request request = {.settings = &settings,
                                  .seed = seed_of(attempt),
                                  .shared = 1,
                                  .pool = work->pool};
    struct training_files files = {0};
    bnre_status status = BNRE_OK;
    char *path = NULL, *history = NULL;
    bnre__meter meter;

    BNRE_TRY(path_of(attempt, ESTIMATOR, &path));
    BNRE_TRY(path_of(attempt, HISTORY, &history));
    BNRE_TRY(find_training(attempt, history, &files, &settings));
    bnre__meter_init(&meter, work, cost_of(attempt, stage));
    request.monitor = &meter.monitor;
    meter.monitor.note = NULL; /* what it says once would be said by each run */
    if (state != BNRE__STAMP_NONE)
        BNRE_TRY(clear_training(attempt));
    request.force =
        bnre__cell_has_rounds(attempt->cell) && state != BNRE__STAMP_NONE;
    status = bnre__cell_has_rounds(attempt->cell)
                 ? train_in_rounds(attempt, work, &request, path)
                 : train_once(&request, path);
    if (status == BNRE_EEXIST && !bnre__cell_has_rounds(attempt->cell)) {
        BNRE_TRY(clear_training(attempt));
        status = train_once(&request, path);
    }
    BNRE_TRY(status);
    bnre__meter_finish(&meter);
done:
    for (size_t i = 0; i < 3; i++) {
        bnre__free(files.data[i]);
        bnre__free(files.pairs[i]);
    }
    bnre__free(history);
    bnre__free(path);
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
                                       char out[33])
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    bnre__hash hash;

    BNRE_TRY(bnre__text_add(&text, "# diagnosis\n"));
    BNRE_TRY(bnre__diagnosis_identity(&attempt->cell->fields, &text));
    bnre__hash_init(&hash, 0, BNRE__STAGE_DIAGNOSE, 1);
    bnre__hash_add_text(&hash, text.data);
    bnre__hash_add_text(&hash, made_by(attempt, "train", ESTIMATOR));
    bnre__hash_add_u64(&hash, attempt->job->study->fields.study.seed);
    hash_source(attempt, BNRE_SPLIT_TEST, &hash);
    bnre__hash_end_hex(&hash, out);
done:
    bnre__free(text.data);
    return status;
}

static bnre_status diagnose(const struct attempt *attempt,
                            const bnre_work *work, bnre__stage stage,
                            bnre__stamp_state state)
{
    bnre__diagnosis diagnosis = {
        .fields = &attempt->cell->fields,
        .task = bnre_node_find(attempt->cell->settings, "task"),
        .seed = attempt->job->study->fields.study.seed,
        .pool = work->pool};
    bnre_status status = BNRE_OK;
    char *estimator = NULL, *data = NULL, *path = NULL;
    char *learned = NULL, *stem = NULL, *fresh = NULL;
    bnre__rounds_work rounds;
    bnre__meter meter;
    int within = 0;

    (void)state;
    BNRE_TRY(path_of(attempt, ESTIMATOR, &estimator));
    BNRE_TRY(path_of(attempt, DIAGNOSIS, &path));
    BNRE_TRY(path_of(attempt, "learning", &stem));
    BNRE_TRY(data_of(attempt, BNRE_SPLIT_TEST, &data));
    BNRE_TRY(data_of(attempt, BNRE_SPLIT_TRAIN, &learned));
    diagnosis.learned = learned;
    diagnosis.stem = stem;
    bnre__meter_init(&meter, work, cost_of(attempt, stage));
    diagnosis.monitor = &meter.monitor;
    if (bnre__cell_has_rounds(attempt->cell)) {
        rounds = rounds_of(attempt, work, NULL);
        BNRE_TRY(path_of(attempt, "fresh.h5", &fresh));
        BNRE_TRY(bnre__rounds_pairs(&rounds, estimator,
                                    attempt->cell->fields.study.test, fresh,
                                    &within));
    }
    BNRE_TRY(bnre__diagnosis_make(&diagnosis, estimator, within ? fresh : data,
                                  path));
    if (within)
        BNRE_TRY(bnre__file_remove(fresh));
    bnre__meter_finish(&meter);
done:
    bnre__free(fresh);
    bnre__free(learned);
    bnre__free(stem);
    bnre__free(estimator);
    bnre__free(data);
    bnre__free(path);
    return status;
}

static int has_test(const struct attempt *attempt)
{
    return attempt->cell->dataset[BNRE_SPLIT_TEST] != BNRE_NO_DATASET;
}

/* ---- the posterior of what was observed ---- */

static int has_observation(const struct attempt *attempt)
{
    return attempt->job->observed != NULL;
}

/* What both stages of an observation depend on. */
static void begin_inputs(const struct attempt *attempt, bnre__stage stage,
                         bnre__hash *hash)
{
    bnre__hash_init(hash, 0, stage, 1);
    bnre__hash_add_text(hash, attempt->job->observed[attempt->cell->task].hash);
    bnre__hash_add_text(hash, made_by(attempt, "train", ESTIMATOR));
}

/* Calibration pairs are of the prior of training: for conformal regions under
   another one test pairs count by their weights. */
static int calibrates_test(const struct attempt *attempt)
{
    const bnre__observed *observed =
        &attempt->job->observed[attempt->cell->task];

    return attempt->cell->fields.posterior.regions > 0 &&
           !attempt->cell->fields.posterior.local && observed->prior != NULL &&
           observed->also.count == 0 && observed->observed.n == 1 &&
           has_test(attempt) && !bnre__cell_has_rounds(attempt->cell);
}

static bnre_status posterior(const struct attempt *attempt,
                             const bnre__observed *observed,
                             const bnre__observed_work *settings,
                             const char *estimator, const char *directory)
{
    bnre_status status = BNRE_OK;
    char *pairs = NULL;

    if (calibrates_test(attempt))
        BNRE_TRY(data_of(attempt, BNRE_SPLIT_TEST, &pairs));
    BNRE_TRY(bnre__observed_posterior(observed, settings, pairs, estimator,
                                      directory));
done:
    bnre__free(pairs);
    return status;
}

static bnre_status inputs_of_posterior(const struct attempt *attempt,
                                       char out[33])
{
    const bnre__fields *fields = &attempt->cell->fields;
    char temper[32];
    bnre__hash hash;

    begin_inputs(attempt, BNRE__STAGE_POSTERIOR, &hash);
    bnre__hash_add_text(&hash, bnre__text_real(fields->study.temper, temper));
    bnre__hash_add_u64(&hash, fields->posterior.samples);
    if (fields->posterior.regions > 0 || fields->posterior.local)
        bnre__hash_add_u64(&hash, (uint64_t)(2 * fields->posterior.regions +
                                             fields->posterior.local));
    if (calibrates_test(attempt))
        hash_source(attempt, BNRE_SPLIT_TEST, &hash);
    bnre__hash_add_u64(&hash, attempt->job->study->fields.study.seed);
    bnre__hash_end_hex(&hash, out);
    return BNRE_OK;
}

/* Test pairs that a check takes those near the observation from: where there are
   enough, none need be simulated. Rounds have pairs of their region. */
static int checks_test(const struct attempt *attempt)
{
    enum { FEWEST = 1000 };

    return attempt->cell->rows[BNRE_SPLIT_TEST] >= FEWEST &&
           attempt->job->observed[attempt->cell->task].observed.n == 1 &&
           !bnre__cell_has_rounds(attempt->cell);
}

static bnre_status check(const struct attempt *attempt,
                         const bnre__observed *observed,
                         const bnre__observed_work *settings,
                         const char *estimator, const char *directory)
{
    bnre_status status = BNRE_OK;
    char *pairs = NULL;

    if (checks_test(attempt))
        BNRE_TRY(data_of(attempt, BNRE_SPLIT_TEST, &pairs));
    BNRE_TRY(bnre__observed_check(
        observed, settings, bnre_node_find(attempt->cell->settings, "task"),
        pairs, estimator, directory));
done:
    bnre__free(pairs);
    return status;
}

/* Run one of them, into a directory of the run. */
static bnre_status observe(const struct attempt *attempt, const bnre_work *work,
                           bnre__stage stage, bnre__stamp_state state)
{
    /* A picture of each cell is enough. */
    const int first = bnre__run_repeat(attempt->job, attempt->run) == 1;
    const bnre__observed *observed =
        has_observation(attempt) ? &attempt->job->observed[attempt->cell->task]
                                 : NULL;
    bnre__observed_work settings = {.fields = &attempt->cell->fields,
                                    .seed =
                                        attempt->job->study->fields.study.seed,
                                    .formats = first ? "svg" : "",
                                    .pool = work->pool};
    bnre_status status = BNRE_OK;
    char *estimator = NULL, *directory = NULL;
    bnre__meter meter;

    (void)state;
    BNRE_TRY(path_of(attempt, ESTIMATOR, &estimator));
    BNRE_TRY(path_of(attempt, bnre__stage_name(stage), &directory));
    bnre__meter_init(&meter, work, cost_of(attempt, stage));
    settings.monitor = &meter.monitor;
    if (!first)
        meter.monitor.note = NULL;
    if (stage == BNRE__STAGE_EACH)
        BNRE_TRY(bnre__catalogue_posteriors(&attempt->job->catalogue, &settings,
                                            estimator, directory));
    else if (stage == BNRE__STAGE_CHECK)
        BNRE_TRY(check(attempt, observed, &settings, estimator, directory));
    else
        BNRE_TRY(posterior(attempt, observed, &settings, estimator, directory));
    bnre__meter_finish(&meter);
done:
    bnre__free(estimator);
    bnre__free(directory);
    return status;
}

/* ---- whether the model fits ---- */

static int has_check(const struct attempt *attempt)
{
    return has_observation(attempt) && attempt->cell->fields.study.check > 0;
}

static bnre_status inputs_of_check(const struct attempt *attempt, char out[33])
{
    const bnre__study_fields *own = &attempt->cell->fields.study;
    const bnre_task *task = attempt->job->study->task[attempt->cell->task].task;
    char temper[32];
    bnre__hash hash;

    begin_inputs(attempt, BNRE__STAGE_CHECK, &hash);
    bnre__hash_add_text(&hash, bnre_task_text(task));
    bnre__hash_add_text(&hash, bnre__text_real(own->temper, temper));
    bnre__hash_add_u64(&hash, own->check);
    for (size_t i = 0; i < own->summary.count; i++)
        bnre__hash_add_text(&hash, own->summary.text[i]);
    if (checks_test(attempt))
        hash_source(attempt, BNRE_SPLIT_TEST, &hash);
    bnre__hash_add_u64(&hash, attempt->job->study->fields.study.seed);
    bnre__hash_end_hex(&hash, out);
    return BNRE_OK;
}

/* ---- posteriors of the rows of a dataset ---- */

static int has_catalogue(const struct attempt *attempt)
{
    return attempt->job->catalogue.file != NULL;
}

static bnre_status inputs_of_catalogue(const struct attempt *attempt,
                                       char out[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, 0, BNRE__STAGE_EACH, 1);
    bnre__hash_add_text(&hash, made_by(attempt, "train", ESTIMATOR));
    bnre__catalogue_hash(&attempt->job->catalogue, &attempt->cell->fields,
                         &hash);
    bnre__hash_add_u64(&hash, attempt->job->study->fields.study.seed);
    bnre__hash_end_hex(&hash, out);
    return BNRE_OK;
}

/* ---- the diagnosis under another prior ---- */

#define UNDER_PRIOR "diagnose-prior.json"

/* Pairs of a region stay there. */
static int has_prior(const struct attempt *attempt)
{
    return attempt->job->catalogue.prior != NULL && has_test(attempt) &&
           !bnre__cell_has_rounds(attempt->cell);
}

static bnre_status inputs_of_prior(const struct attempt *attempt, char out[33])
{
    char own[33];
    bnre__hash hash;

    BNRE_DO(inputs_of_diagnosis(attempt, own));
    bnre__hash_init(&hash, 0, BNRE__STAGE_PRIOR, 1);
    bnre__hash_add_text(&hash, own);
    bnre__hash_add_text(&hash, attempt->job->catalogue.of_prior);
    bnre__hash_end_hex(&hash, out);
    return BNRE_OK;
}

static bnre_status diagnose_prior(const struct attempt *attempt,
                                  const bnre_work *work, bnre__stage stage,
                                  bnre__stamp_state state)
{
    bnre__diagnosis diagnosis = {
        .fields = &attempt->cell->fields,
        .task = bnre_node_find(attempt->cell->settings, "task"),
        .prior = attempt->job->catalogue.prior,
        .seed = attempt->job->study->fields.study.seed,
        .pool = work->pool};
    bnre_status status = BNRE_OK;
    char *estimator = NULL, *data = NULL, *path = NULL;
    bnre__meter meter;

    (void)state;
    BNRE_TRY(path_of(attempt, ESTIMATOR, &estimator));
    BNRE_TRY(path_of(attempt, UNDER_PRIOR, &path));
    BNRE_TRY(data_of(attempt, BNRE_SPLIT_TEST, &data));
    bnre__meter_init(&meter, work, cost_of(attempt, stage));
    diagnosis.monitor = &meter.monitor;
    BNRE_TRY(bnre__diagnosis_make(&diagnosis, estimator, data, path));
    bnre__meter_finish(&meter);
done:
    bnre__free(estimator);
    bnre__free(data);
    bnre__free(path);
    return status;
}

/* ---- all of them ---- */

static const struct stage {
    const char *name;
    int (*wanted)(const struct attempt *attempt); /* NULL: always */
    bnre_status (*inputs)(const struct attempt *attempt, char out[33]);
    bnre_status (*work)(const struct attempt *attempt, const bnre_work *work,
                        bnre__stage stage, bnre__stamp_state state);
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
        {"prior", has_prior, inputs_of_prior, diagnose_prior, {UNDER_PRIOR}},
};

const char *bnre__stage_name(size_t stage)
{
    return stages[stage].name;
}

static int is_wanted(const struct attempt *attempt, size_t i)
{
    return stages[i].wanted == NULL || stages[i].wanted(attempt);
}

static bnre_status examine_stage(const struct attempt *attempt,
                                 const struct stage *stage, char inputs[33],
                                 bnre__stamp_state *state)
{
    BNRE_DO(stage->inputs(attempt, inputs));
    return bnre__stamp_check(attempt->stamp, attempt->dir, stage->name, inputs,
                             state);
}

static bnre_status open_attempt(const bnre__job *job, size_t run,
                                struct attempt *attempt, char **dir)
{
    BNRE_DO(bnre__run_path(job, run, dir));
    *attempt = (struct attempt){
        .job = job, .cell = bnre__run_cell(job, run), .run = run, .dir = *dir};
    return bnre__stamp_read(*dir, &attempt->stamp);
}

bnre_status bnre__run_examine(const bnre__job *job, size_t run,
                              bnre__stage *next, int *changed, int *damaged)
{
    struct attempt attempt = {0};
    bnre__stamp_state state = BNRE__STAMP_GOOD;
    bnre_status status = BNRE_OK;
    char *dir = NULL, inputs[33];
    size_t i;

    BNRE_TRY(open_attempt(job, run, &attempt, &dir));
    for (i = 0; i < BNRE__STAGES; i++) {
        if (!is_wanted(&attempt, i))
            continue;
        BNRE_TRY(examine_stage(&attempt, &stages[i], inputs, &state));
        if (state != BNRE__STAMP_GOOD)
            break;
    }
    *next = (bnre__stage)i;
    *changed = state == BNRE__STAMP_OTHER;
    *damaged = state == BNRE__STAMP_DAMAGED;
done:
    bnre_node_destroy(attempt.stamp);
    bnre__free(dir);
    return status;
}

bnre_status bnre__run_work(const bnre__job *job, size_t run,
                           const bnre_work *work)
{
    struct attempt attempt = {0};
    bnre_status status = BNRE_OK;
    bnre__stamp_state state;
    char *dir = NULL, inputs[33];

    BNRE_TRY(open_attempt(job, run, &attempt, &dir));
    BNRE_TRY(bnre__make_directories(dir));
    BNRE_TRY(bnre__place_clear(dir, FAILURE, FAILURE));
    for (size_t i = 0; i < BNRE__STAGES; i++) {
        if (!is_wanted(&attempt, i))
            continue;
        BNRE_TRY(examine_stage(&attempt, &stages[i], inputs, &state));
        if (state == BNRE__STAMP_GOOD)
            continue;
        BNRE_TRY(stages[i].work(&attempt, work, (bnre__stage)i, state));
        BNRE_TRY(
            bnre__stamp_renew(job, run, seed_of(&attempt), i, &attempt.stamp));
        BNRE_TRY(bnre__stamp_put(attempt.stamp, dir, stages[i].name, inputs,
                                 stages[i].file));
        BNRE_TRY(bnre__stamp_write(dir, attempt.stamp));
    }
done:
    bnre_node_destroy(attempt.stamp);
    bnre__free(dir);
    return status;
}
