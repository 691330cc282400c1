/* rounds.c - runs of a study that learn in rounds: as the command `infer` does,
   with the study's settings of training, in the directory of the run. */
#include "study/rounds.h"

#include <string.h>

#include "base/mem.h"
#include "base/value.h"
#include "data/dataset.h"
#include "infer/estimator/restricted.h"
#include "io/file.h"
#include "rounds/round.h"

int bnre__cell_has_rounds(const bnre__cell *cell)
{
    return strcmp(cell->fields.study.rounds, "1") != 0;
}

bnre_status bnre__cell_check_rounds(const bnre_study *study,
                                    const bnre__cell *cell)
{
    static const char *const others[] = {
        "validation", "schedule", "select",         "certify",
        "calibrate",  "local",    "learning_curve", "theorems"};
    const bnre_node *map = cell->settings;
    const bnre_node *node = bnre_node_find(map, "rounds");

    size_t rounds;

    if (!bnre__cell_has_rounds(cell))
        return BNRE_OK;
    if (strcmp(cell->fields.study.rounds, "auto") != 0 &&
        bnre__read_size(cell->fields.study.rounds, "[1, 10]", "rounds",
                        &rounds) != BNRE_OK)
        return bnre_node_fail(node, "%s", bnre_error_message());
    if (bnre_node_find(study->base, "observation") == NULL)
        return bnre_node_fail(node, "rounds are for the posterior of an "
                                    "observation: name it");
    if (cell->fields.diagnose.observations > 1)
        return bnre_node_fail(node, "rounds are for single observations: leave "
                                    "observations out");
    if (cell->fields.train.recipe == BNRE_RECIPE_PAPER)
        return bnre_node_fail(node, "rounds have no part in the recipe paper");
    if (cell->fields.study.trust != BNRE_TRUST_AUTO)
        return bnre_node_fail(node, "rounds need trust: auto, which checks a "
                                    "round by its own simulations");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (bnre_node_find(map, others[i]) != NULL)
            return bnre_node_fail(bnre_node_find(map, others[i]),
                                  "%s has no part in rounds: leave it out",
                                  others[i]);
    return BNRE_OK;
}

/* Of the file FIRST, or SECOND where there is no such file, beside `path`. */
static bnre_status find_beside(const char *path, const char *first,
                               const char *second, char **out)
{
    const int n = (int)(strrchr(path, '/') - path);

    BNRE_DO(bnre__text_format(out, "%.*s/%s", n, path, first));
    if (bnre__file_exists(*out))
        return BNRE_OK;
    bnre__free(*out);
    return bnre__text_format(out, "%.*s/%s", n, path, second);
}

static bnre_status make_rounds(const bnre__rounds_work *work,
                               const char *estimator, const char *history)
{
    const bnre_infer_settings settings = {
        .simulations = work->fields->train.simulations,
        .rounds = work->fields->study.rounds,
        .alpha = work->fields->study.alpha,
        .workers = work->fields->study.workers};
    const bnre_infer_request request = {.settings = &settings,
                                        .seed = work->seed,
                                        .force = work->force,
                                        .pool = work->pool,
                                        .monitor = work->monitor};
    bnre__infer infer = {.request = &request,
                         .settings = &settings,
                         .task = work->task,
                         .method = work->fields->train.method,
                         .training = work->training,
                         .observed = work->observed->observed};
    bnre_status status = BNRE_OK;
    char *directory = NULL, *last = NULL, *told = NULL, *record = NULL;

    BNRE_TRY(bnre__text_format(&directory, "%s/rounds", work->dir));
    infer.directory = directory;
    BNRE_TRY(bnre__infer_settle(&infer));
    BNRE_TRY(bnre__json_create(&infer.record));
    BNRE_TRY(bnre__infer_rounds(&infer, &last));
    BNRE_TRY(bnre__infer_copy(last, estimator));
    BNRE_TRY(find_beside(last, "places.history.csv", "estimator.history.csv",
                         &told));
    BNRE_TRY(bnre__infer_copy(told, history));
    BNRE_TRY(bnre__infer_path(&infer, 0, "infer.json", &record));
    BNRE_TRY(bnre__json_write(infer.record, record));
done:
    bnre__free(record);
    bnre__free(told);
    bnre__free(last);
    bnre__json_destroy(infer.record);
    bnre__free(directory);
    return status;
}

bnre_status bnre__rounds_train(const bnre__rounds_work *work,
                               const char *estimator, const char *history)
{
    bnre_train_settings settings = *work->training;
    bnre__rounds_work own = *work;
    bnre_status status;

    settings.history = NULL;        /* each round has one, */
    settings.train.simulations = 0; /* and data of its own */
    own.training = &settings;
    status = make_rounds(&own, estimator, history);
    if (status != BNRE_EEXIST)
        return status;
    own.force = 1;
    return make_rounds(&own, estimator, history);
}

bnre_status bnre__rounds_pairs(const bnre__rounds_work *work,
                               const char *estimator, size_t count,
                               const char *path, int *made)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    double *theta = NULL;
    char name[33];

    *made = 0;
    BNRE_TRY(bnre_estimator_open(estimator, &est));
    if (est->region == NULL)
        goto done;
    opts.count = opts.theta_rows = count;
    opts.seed = work->seed;
    opts.split = BNRE_SPLIT_TEST;
    opts.force = 1;
    opts.within = name;
    opts.workers = work->fields->study.workers;
    opts.pool = work->pool;
    BNRE_NEW(theta, count * est->info.dim_theta);
    BNRE_TRY(bnre__restricted_draw(est, work->pool, work->seed, opts.split,
                                   count, theta, name));
    opts.theta = theta;
    BNRE_TRY(bnre_simulate(work->task, &opts, path, NULL));
    *made = 1;
done:
    bnre__free(theta);
    bnre_estimator_close(est);
    return status;
}
