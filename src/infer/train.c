/* From options and files to an estimator in a file. */
#include "infer/train.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/yaml.h"
#include "data/dataset.h"
#include "infer/train_data.h"
#include "io/file.h"

/* One call of bnre_train(). */
struct run {
    bnre_train_opts opts; /* resolved */
    const char *path;
    bnre__train_data data;
    bnre_node *network;
    bnre_estimator *est;
    char *settings, *identity, *history_path;
    bnre__train_inputs inputs;
    double deadline;
    bnre__trained *trained; /* (members) */

    pthread_mutex_t lock; /* of the following, and of calls of the monitor */
    size_t done, found, total; /* simulations in all epochs of all members */
    size_t *rows;              /* (members) of these */
    int stop;
};

/* A member's part in it. */
struct seat {
    struct run *run;
    size_t member;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the network ---- */

static bnre_status name_of_task(const char *text, char **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    const bnre_node *name;

    BNRE_TRY(bnre_yaml_parse(text, NULL, &map));
    name = bnre_node_find(map, "name");
    BNRE_TRY(bnre__strdup(name != NULL && name->text != NULL ? name->text : "",
                          out));
done:
    bnre_node_destroy(map);
    return status;
}

static bnre_status find_network(struct run *run, const bnre_node **out)
{
    const bnre_train_opts *opts = &run->opts;
    bnre_status status = BNRE_OK;
    char *name = NULL;

    *out = opts->settings;
    if (opts->settings != NULL)
        return BNRE_OK;
    if (opts->network != NULL) {
        BNRE_TRY(bnre_yaml_read(opts->network, &run->network));
        *out = bnre_node_find(run->network, "network");
        if (*out == NULL)
            *out = run->network;
    } else if (opts->recipe == BNRE_RECIPE_PAPER) {
        BNRE_TRY(name_of_task(run->data.task, &name));
        status = bnre_net_paper(name, &run->network);
        if (status == BNRE_EUSAGE)
            BNRE_THROW(status, "%s: give the network with --network FILE.yaml",
                       bnre_error_message());
        BNRE_TRY(status);
        *out = run->network;
    }
done:
    bnre__free(name);
    return status;
}

static bnre_status make_estimator(struct run *run)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = run->data.set[BNRE__ROLE_TRAIN]->info;
    bnre__estimator_spec spec = {.kind = BNRE_ESTIMATOR_RATIO,
                                 .task = run->data.task,
                                 .file = run->data.file,
                                 .ndim = info->ndim,
                                 .shape = info->shape,
                                 .members = run->opts.members,
                                 .columns = BNRE__COLUMNS,
                                 .column = bnre__history_name};

    BNRE_TRY(find_network(run, &spec.network));
    BNRE_TRY(bnre__estimator_create(&spec, &run->est));
    if (run->est->info.dim_theta != info->dim_theta)
        BNRE_THROW(BNRE_EUSAGE,
                   "%s has %zu parameters, its task has %zu: was it made for "
                   "another task?",
                   run->opts.data, info->dim_theta, run->est->info.dim_theta);
    for (size_t i = 0; i < info->dim_theta; i++)
        if (strcmp(info->theta_name[i], run->est->info.theta_name[i]) != 0 &&
            info->task != NULL)
            BNRE_THROW(BNRE_EUSAGE,
                       "parameter %zu is called %s in %s, %s in its task", i,
                       info->theta_name[i], run->opts.data,
                       run->est->info.theta_name[i]);
    BNRE_TRY(bnre__train_data_describe(&run->data, &run->opts, run->est));
    BNRE_TRY(bnre__train_record(&run->opts, &run->settings));
    BNRE_TRY(bnre__estimator_set_settings(run->est, run->settings));
done:
    return status;
}

/* ---- progress ---- */

static void tell_state(struct run *run, const bnre__history *history)
{
    const bnre_monitor *monitor = run->opts.monitor;
    const double *row;
    char text[256];

    if (monitor == NULL || monitor->state == NULL || history->epochs == 0)
        return;
    row = history->row[history->epochs - 1];
    snprintf(text, sizeof text,
             "epoch %zu  train %.4f  validation %.4f (chance 1.3863)  balance "
             "%.3f  rate %.0e",
             history->epochs, row[BNRE__TRAIN_LOSS], row[BNRE__VALIDATION_LOSS],
             row[BNRE__VALIDATION_BALANCE], row[BNRE__RATE]);
    monitor->state(monitor->context, text);
}

static int on_tick(void *arg, size_t rows, const bnre__history *history)
{
    struct seat *seat = arg;
    struct run *run = seat->run;
    const bnre_monitor *monitor = run->opts.monitor;
    int stop;

    pthread_mutex_lock(&run->lock);
    run->done += rows;
    run->rows[seat->member] += rows;
    if (rows == 0)
        tell_state(run, history);
    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, run->done, run->found,
                          run->total) != 0)
        run->stop = 1;
    stop = run->stop;
    pthread_mutex_unlock(&run->lock);
    return stop;
}

/* ---- members ---- */

static bnre_status train_members(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    struct run *run = arg;
    bnre_status status = BNRE_OK;

    (void)worker;
    for (size_t k = first; k < last; k++) {
        struct seat seat = {run, k};
        const bnre__train_job job = {
            .opts = &run->opts,
            .inputs = &run->inputs,
            .seed = bnre__member_seed(run->opts.seed, k),
            .pool = run->opts.members == 1 ? run->opts.pool : NULL,
            .deadline = run->deadline,
            .watch = {.tick = on_tick, .arg = &seat},
        };

        BNRE_TRY(bnre__train_member(&job, &run->trained[k]));
    }
done:
    return status;
}

static bnre_status train_all(struct run *run)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *train = run->data.set[BNRE__ROLE_TRAIN];
    const size_t members = run->opts.members, batch = run->opts.batch_size;

    run->inputs = (bnre__train_inputs){
        .net = run->est->net,
        .theta = &run->est->theta,
        .x = &run->est->x,
        .train = train,
        .validation = run->data.set[BNRE__ROLE_VALIDATE],
        .schedule = run->data.set[BNRE__ROLE_SCHEDULE],
    };
    run->total = members * run->opts.epochs * (train->joint / batch * batch);
    if (run->opts.max_time > 0)
        run->deadline = now() + run->opts.max_time;
    BNRE_NEW(run->trained, members);
    BNRE_NEW(run->rows, members);
    BNRE_TRY(bnre_pool_for(members > 1 ? run->opts.pool : NULL, members, 1,
                           train_members, run));
done:
    return status;
}

/* ---- the file ---- */

static bnre_status fill_in(struct run *run)
{
    bnre_status status = BNRE_OK;
    const size_t weights = bnre_net_weights(run->est->net);
    const size_t buffers = bnre_net_buffers(run->est->net);

    for (size_t k = 0; k < run->opts.members; k++) {
        bnre__member *member = &run->est->member[k];
        const bnre__trained *trained = &run->trained[k];

        member->seed = bnre__member_seed(run->opts.seed, k);
        member->uses =
            run->opts.weights == BNRE_WEIGHTS_LAST ? BNRE__LAST : BNRE__BEST;
        for (int e = 0; e < BNRE__EPOCHS; e++) {
            member->epoch[e] = trained->epoch[e];
            memcpy(member->weights[e], trained->weights[e],
                   weights * sizeof(float));
            if (buffers > 0)
                memcpy(member->buffers[e], trained->buffers[e],
                       buffers * sizeof(float));
        }
        BNRE_TRY(bnre__estimator_set_history(
            run->est, k, trained->history.epochs, trained->history.row[0]));
    }
done:
    return status;
}

static bnre_status write_files(struct run *run)
{
    bnre_status status = BNRE_OK;
    bnre__history *history = NULL;

    BNRE_TRY(fill_in(run));
    BNRE_NEW(history, run->opts.members);
    for (size_t k = 0; k < run->opts.members; k++)
        history[k] = run->trained[k].history;
    BNRE_TRY(
        bnre__history_write(run->history_path, run->opts.members, history));
    BNRE_TRY(bnre_estimator_save(run->est, run->path, 1));
done:
    bnre__free(history);
    return status;
}

static bnre_status choose_history(struct run *run)
{
    const char *path = run->path;
    size_t n = strlen(path);

    if (run->opts.history != NULL)
        return bnre__strdup(run->opts.history, &run->history_path);
    if (bnre__ends_with(path, ".h5"))
        n -= 3;
    return bnre__text_format(&run->history_path, "%.*s.history.csv", (int)n,
                             path);
}

/* ---- the result ---- */

static void sum_up(const struct run *run, bnre_train_result *result)
{
    const bnre__subset *train = run->data.set[BNRE__ROLE_TRAIN];
    const bnre__subset *schedule = run->data.set[BNRE__ROLE_SCHEDULE];
    const double each = 1 / (double)run->opts.members;

    *result = (bnre_train_result){
        .members = run->opts.members,
        .best_epoch = run->trained[0].epoch[BNRE__BEST],
        .last_epoch = run->trained[0].epoch[BNRE__LAST],
        .stop = run->trained[0].stop,
        .simulations = train->joint,
        .validation = run->data.set[BNRE__ROLE_VALIDATE]->joint,
        .scheduling = schedule != NULL ? schedule->joint : 0,
        .failed = train->spare + train->lost,
        .outcome = train->spare,
        .information = NAN,
        .information_error = NAN,
    };
    for (size_t k = 0; k < run->opts.members; k++) {
        const bnre__trained *trained = &run->trained[k];
        const size_t epoch =
            trained->epoch[run->opts.weights == BNRE_WEIGHTS_LAST ? BNRE__LAST
                                                                  : BNRE__BEST];
        const double *row = trained->history.row[epoch - 1];

        result->epochs += trained->history.epochs;
        result->skipped += trained->skipped;
        result->loss += each * row[BNRE__VALIDATION_LOSS];
        result->cross_entropy += each * row[BNRE__VALIDATION_ENTROPY];
        result->balance += each * row[BNRE__VALIDATION_BALANCE];
        result->train_loss += each * row[BNRE__TRAIN_LOSS];
        result->learning_rate =
            trained->history.row[trained->history.epochs - 1][BNRE__RATE];
    }
    result->warnings = bnre__train_doubts(
        result, &run->trained[0], run->opts.weights == BNRE_WEIGHTS_LAST);
}

static void clear(struct run *run)
{
    for (size_t k = 0; run->trained != NULL && k < run->opts.members; k++)
        bnre__trained_clear(&run->trained[k]);
    bnre__free(run->trained);
    bnre__free(run->rows);
    bnre__free(run->history_path);
    bnre__free(run->identity);
    bnre__free(run->settings);
    bnre_estimator_close(run->est);
    bnre_node_destroy(run->network);
    bnre__train_data_clear(&run->data);
    pthread_mutex_destroy(&run->lock);
}

bnre_status bnre_train(const bnre_train_opts *opts, const char *path,
                       bnre_train_result *result)
{
    bnre_status status = BNRE_OK;
    struct run run = {.opts = *opts, .path = path};
    bnre_train_result unused;

    if (result == NULL)
        result = &unused;
    *result = (bnre_train_result){0};
    pthread_mutex_init(&run.lock, NULL);
    if (bnre__file_exists(path) && !opts->force)
        BNRE_THROW(BNRE_EEXIST,
                   "%s exists: use --force to replace it, or another -o", path);
    BNRE_TRY(choose_history(&run));
    BNRE_TRY(bnre__train_data_open(&run.data, &run.opts));
    BNRE_TRY(make_estimator(&run));
    BNRE_TRY(train_all(&run));
    BNRE_TRY(write_files(&run));
    sum_up(&run, result);
done:
    clear(&run);
    return status;
}
