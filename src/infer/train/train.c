/* From options and files to an estimator in a file. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "infer/train/run.h"
#include "infer/train/train.h"
#include "io/file.h"
#include "nn/net.h"

/* ---- the network ---- */

/* What each factor of a conditional density has, unless it is told. */
#define SMALL_HEAD "head: {hidden: [64, 64, 64], activation: elu}"

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

static int is_conditional(const bnre_train_opts *opts)
{
    return opts->classes.count == 0 && bnre_method_is_conditional(opts->method);
}

bnre_status bnre__train_network(const bnre_train_opts *opts, size_t ndim,
                                const char *task, bnre_node **own,
                                const bnre_node **out)
{
    bnre_status status = BNRE_OK;
    char *name = NULL;

    *out = opts->settings;
    if (opts->settings != NULL)
        return BNRE_OK;
    if (opts->network != NULL && !bnre__net_names_file(opts->network)) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, opts->network, own));
    } else if (opts->network != NULL) {
        BNRE_TRY(bnre_yaml_read(opts->network, own));
        *out = bnre_node_find(*own, "network");
    } else if (is_conditional(opts)) {
        BNRE_TRY(bnre_yaml_parse(ndim > 1 ? "embedding: [flatten]\n" SMALL_HEAD
                                          : SMALL_HEAD,
                                 NULL, own));
    } else if (opts->recipe == BNRE_RECIPE_PAPER) {
        BNRE_TRY(name_of_task(task, &name));
        status = bnre__net_paper(name, own);
        if (status == BNRE_EUSAGE)
            BNRE_THROW(status, "%s: give the network with `network`",
                       bnre_error_message());
        BNRE_TRY(status);
    }
    if (*out == NULL)
        *out = *own;
done:
    bnre__free(name);
    return status;
}

/* ---- the estimator, still without weights ---- */

/* Open it, and add its fingerprint to the settings. */
static bnre_status open_start(bnre__train_run *run, char **settings)
{
    char hash[33], *longer = NULL;

    BNRE_DO(bnre_estimator_open(run->opts.start, &run->start));
    BNRE_DO(bnre_estimator_fingerprint(run->start, hash));
    BNRE_DO(bnre__text_format(&longer, "%sstart: %s\n", *settings, hash));
    bnre__free(*settings);
    *settings = longer;
    return BNRE_OK;
}

/* Weights mean something only with the scalers, and so the data, that they were
   trained with. */
static bnre_status check_start(const bnre__train_run *run)
{
    const bnre_estimator_info *ours = &run->est->info;
    const bnre_estimator_info *theirs = &run->start->info;

    if (strcmp(ours->network, theirs->network) == 0 &&
        strcmp(ours->task, theirs->task) == 0 &&
        ours->members == theirs->members && ours->folds == theirs->folds &&
        ours->training.rows == theirs->training.rows &&
        strcmp(ours->training.fingerprint, theirs->training.fingerprint) == 0 &&
        run->start->member[0].seed == bnre__member_seed(run->opts.seed, 0))
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s cannot be started from: it has other data, another "
                     "network, seed or number of members",
                     run->opts.start);
}

/* The names in "a,b,..."; the caller frees them like those of columns. */
static bnre_status read_order(const bnre__train_run *run, size_t *n,
                              char ***out)
{
    const char *text = run->opts.order;
    bnre_status status = BNRE_OK;
    char **name = NULL;
    size_t room = 0;

    *n = 0;
    *out = NULL;
    if (text != NULL && !is_conditional(&run->opts))
        return bnre_fail(BNRE_EUSAGE, "an order of the parameters is for the "
                                      "methods npe and bnpe");
    while (text != NULL && *text != 0) {
        const size_t length = strcspn(text, ",");

        BNRE_GROW(name, room, *n + 1);
        BNRE_TRY(bnre__text_format(&name[*n], "%.*s", (int)length, text));
        *n += 1;
        text += length + (text[length] == ',');
    }
    *out = name;
    name = NULL;
done:
    bnre__history_names_free(*n, name);
    return status;
}

static bnre_status make_estimator(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = run->data.set[BNRE__ROLE_TRAIN]->info;
    bnre__estimator_spec spec = {.kind = run->data.classes
                                             ? BNRE_ESTIMATOR_CLASSIFIER
                                             : BNRE_ESTIMATOR_RATIO,
                                 .task = run->data.task,
                                 .file = run->data.file,
                                 .ndim = info->ndim,
                                 .shape = info->shape,
                                 .members = run->opts.members,
                                 .folds = run->opts.folds,
                                 .conditional = is_conditional(&run->opts)};
    char *settings = NULL, **order = NULL, **column = NULL;
    size_t columns = 0;

    BNRE_TRY(bnre__train_network(&run->opts,
                                 run->data.set[BNRE__ROLE_TRAIN]->info->ndim,
                                 run->data.task, &run->network, &spec.network));
    BNRE_TRY(read_order(run, &spec.ordered, &order));
    spec.order = (const char *const *)order;
    BNRE_TRY(bnre__estimator_create(&spec, &run->est));
    BNRE_TRY(bnre__history_names(run->est->info.factors, run->est->info.order,
                                 &columns, &column));
    BNRE_TRY(bnre__estimator_name_columns(run->est, columns,
                                          (const char *const *)column));
    bnre__train_resolve_scaling(&run->opts, bnre__estimator_net(run->est));
    BNRE_TRY(bnre__estimator_set_x_names(run->est, info->x_name));
    if (run->data.x_offset != NULL) {
        BNRE_NEW(run->est->x_offset, info->x_size);
        memcpy(run->est->x_offset, run->data.x_offset,
               info->x_size * sizeof *run->est->x_offset);
    }
    BNRE_TRY(bnre__train_record(
        &run->opts, run->data.classes ? run->data.label : NULL, &settings));
    if (run->opts.start != NULL)
        BNRE_TRY(open_start(run, &settings));
    BNRE_TRY(bnre__estimator_set_settings(run->est, settings));
    bnre__train_data_record(&run->data, &run->opts, run->est);
    if (run->start != NULL)
        BNRE_TRY(check_start(run));
    BNRE_TRY(bnre__train_identify(run));
done:
    bnre__history_names_free(columns, column);
    bnre__history_names_free(spec.ordered, order);
    bnre__free(settings);
    return status;
}

/* ---- the result ---- */

/* What an estimator's file tells about its training. */
static bnre_status recall(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;

    if (run->data.classes)
        BNRE_TRY(bnre__train_assess(run));
    else if (run->opts.folds == 0)
        BNRE_TRY(bnre__train_take_probe(&run->probe,
                                        run->data.set[BNRE__ROLE_VALIDATE]));
    BNRE_NEW(run->trained, run->opts.members);
    for (size_t k = 0; k < run->opts.members; k++) {
        const bnre__member *member = &run->est->member[k];
        bnre__trained *trained = &run->trained[k];

        trained->history.columns = run->est->columns;
        for (int e = 0; e < BNRE__EPOCHS; e++)
            trained->epoch[e] = member->epoch[e];
        for (size_t e = 0; e < member->epochs; e++)
            BNRE_TRY(bnre__history_add(
                &trained->history, member->history + e * run->est->columns));
    }
done:
    return status;
}

static void count_classes(const bnre__train_data *data,
                          bnre_train_result *result)
{
    size_t failed = 0;

    result->classes = 1;
    for (size_t c = 0; c < 2; c++) {
        bnre__subset *const *set = c == 0 ? data->set : data->other;

        result->class_rows[c] = set[BNRE__ROLE_TRAIN]->joint;
        result->class_validation[c] = set[BNRE__ROLE_VALIDATE]->joint;
        result->report.rows[c] = set[BNRE__ROLE_SCHEDULE]->joint;
        failed += set[BNRE__ROLE_TRAIN]->lost;
    }
    result->failed = failed;
    result->simulations = result->class_rows[0] + result->class_rows[1];
    result->validation =
        result->class_validation[0] + result->class_validation[1];
    result->scheduling = 0;
}

/* What is known before training. */
static void count(const bnre__train_run *run, bnre_train_result *result)
{
    const bnre__subset *train = run->data.set[BNRE__ROLE_TRAIN];
    const bnre__subset *schedule = run->data.set[BNRE__ROLE_SCHEDULE];

    result->method = run->opts.method;
    result->lambda = run->opts.lambda;
    result->members = run->opts.members;
    result->chance = run->est->conditional != NULL ? 0 : 2 * log(2);
    result->most_epochs = run->opts.epochs;
    result->simulations = train->joint;
    if (run->data.set[BNRE__ROLE_VALIDATE] != NULL)
        result->validation = run->data.set[BNRE__ROLE_VALIDATE]->joint;
    if (schedule != NULL)
        result->scheduling = schedule->joint;
    result->outcome = train->spare;
    result->failed = train->spare + train->lost;
    result->weights = run->est->info.weights;
    if (run->data.classes)
        count_classes(&run->data, result);
}

static bnre_status sum_up(const bnre__train_run *run, bnre_train_result *result)
{
    const int last = run->opts.weights == BNRE_WEIGHTS_LAST;
    const double each = 1 / (double)run->opts.members;

    result->best_epoch = run->trained[0].epoch[BNRE__BEST];
    result->last_epoch = run->trained[0].epoch[BNRE__LAST];
    result->stop = run->trained[0].stop;
    for (size_t k = 0; k < run->opts.members; k++) {
        const bnre__trained *trained = &run->trained[k];
        const bnre__history *history = &trained->history;
        const double *row = bnre__history_row(
            history, trained->epoch[last ? BNRE__LAST : BNRE__BEST] - 1);

        result->epochs += history->epochs;
        result->skipped += trained->skipped;
        result->loss += each * row[BNRE__VALIDATION_LOSS];
        result->cross_entropy += each * row[BNRE__VALIDATION_ENTROPY];
        result->balance += each * row[BNRE__VALIDATION_BALANCE];
        result->train_loss += each * row[BNRE__TRAIN_LOSS];
        result->learning_rate =
            bnre__history_row(history, history->epochs - 1)[BNRE__RATE];
    }
    result->warnings = bnre__train_doubts(result, &run->trained[0], last);
    if (run->data.classes) {
        result->report = run->report;
        return BNRE_OK;
    }
    return bnre__train_information(run, result);
}

static void clear(bnre__train_run *run)
{
    for (size_t k = 0; run->trained != NULL && k < run->opts.members; k++)
        bnre__trained_clear(&run->trained[k]);
    for (size_t k = 0; run->part != NULL && k < run->opts.members; k++)
        bnre__free(run->part[k]);
    bnre__train_free_probe(&run->probe);
    bnre__free(run->state);
    bnre__free(run->trained);
    bnre__free(run->part);
    bnre__free(run->identity);
    bnre__writer_lock_release(run->writer);
    bnre__free(run->history_path);
    bnre_estimator_close(run->start);
    bnre_estimator_close(run->est);
    bnre_node_destroy(run->network);
    bnre__train_data_clear(&run->data);
    pthread_mutex_destroy(&run->lock);
}

static void tell_doubt(const bnre__train_run *run)
{
    char doubt[BNRE__NET_DOUBT];

    if (bnre__net_doubt(bnre__estimator_net(run->est), doubt))
        bnre__train_note(&run->opts, "warning: %s", doubt);
}

/* What is about to be done, for those who wait for it. */
static void tell_plan(const bnre__train_run *run, const bnre_train_result *plan)
{
    const bnre_train_opts *opts = &run->opts;

    if (plan->classes)
        bnre__train_note(
            opts,
            "%zu rows of %s and %zu of %s to learn from, the classes having "
            "equal weight; %zu network%s of %zu weights, %zu epoch%s at most",
            plan->class_rows[0], run->data.label[0], plan->class_rows[1],
            run->data.label[1], plan->members, plan->members == 1 ? "" : "s",
            plan->weights, opts->epochs, opts->epochs == 1 ? "" : "s");
    else
        bnre__train_note(opts,
                         "%zu simulations to learn from, %zu for validation; "
                         "%zu network%s of %zu weights, %zu epoch%s at most",
                         plan->simulations, plan->validation, plan->members,
                         plan->members == 1 ? "" : "s", plan->weights,
                         opts->epochs, opts->epochs == 1 ? "" : "s");
    if (plan->failed > 0 && plan->classes)
        bnre__train_note(opts, "%zu rows are marked as failed and left out",
                         plan->failed);
    else if (plan->failed > 0)
        bnre__train_note(
            opts,
            "%zu of the simulations failed (%.3g %%): %zu are outcomes of the "
            "model, whose parameters count as draws from the prior; %zu are "
            "missing and left out (`failure`)",
            plan->failed,
            100 * (double)plan->failed /
                (double)(plan->failed + plan->simulations),
            plan->outcome, plan->failed - plan->outcome);
    tell_doubt(run);
    if (!bnre__train_keeps(run))
        bnre__train_note(opts,
                         "the data need more than `memory` %zu MiB: they are "
                         "read again in every epoch",
                         opts->memory);
}

/* All that the trainer sees; the report on classes starts from raw rows. */
static bnre_status scale(const bnre__train_run *run)
{
    for (size_t i = 0; i < BNRE__SETS; i++) {
        bnre__subset *set = bnre__train_data_at(&run->data, i);

        if (set != NULL &&
            !(run->data.classes && i % BNRE__ROLES == BNRE__ROLE_SCHEDULE))
            BNRE_DO(bnre__subset_scale(set, &run->est->theta, &run->est->x));
    }
    return BNRE_OK;
}

static bnre_status train_and_write(bnre__train_run *run,
                                   const bnre_train_result *plan)
{
    bnre_status status = BNRE_OK;

    if (run->opts.folds == 0)
        BNRE_TRY(bnre__train_data_keep(&run->data, &run->opts));
    tell_plan(run, plan);
    BNRE_TRY(bnre__train_data_fit(&run->data, &run->opts, run->est));
    if (run->opts.folds > 0)
        BNRE_TRY(bnre__train_data_fit_folds(&run->data, &run->opts, run->est));
    else if (!run->data.classes)
        BNRE_TRY(bnre__train_take_probe(&run->probe,
                                        run->data.set[BNRE__ROLE_VALIDATE]));
    if (run->opts.folds == 0)
        BNRE_TRY(scale(run));
    BNRE_TRY(bnre__train_fit_prior(run));
    BNRE_TRY(bnre__train_fit_validity(run, plan->failed - plan->outcome));
    status = bnre__train_all(run);
    if (status == BNRE_EINTR)
        BNRE_THROW(BNRE_EINTR,
                   "interrupted: training so far is kept in %s.*.part; the "
                   "same command%s goes on from there",
                   run->path, run->opts.force ? " without `force`" : "");
    BNRE_TRY(status);
    BNRE_TRY(bnre__train_write(run));
done:
    return status;
}

/* Simulations that are missing leave draws of p(theta) P(result | theta), whose
   density of theta a ratio does not learn, but a conditional density does. */
static bnre_status prepare_validity(bnre__train_run *run,
                                    const bnre_train_result *plan)
{
    bnre__conditional *c = run->est->conditional;

    if (c == NULL || plan->failed == plan->outcome)
        return BNRE_OK;
    run->est->info.weighed = 1;
    return bnre__validity_create(
        c->factors, run->opts.folds > 0 ? run->opts.folds : 1, &c->validity);
}

/* Data, network and an estimator without weights. */
static bnre_status prepare(bnre__train_run *run, bnre_train_result *result)
{
    *result = (bnre_train_result){.information = NAN, .information_error = NAN};
    pthread_mutex_init(&run->lock, NULL);
    run->data.plan = run->path == NULL;
    BNRE_DO(bnre__train_data_open(&run->data, &run->opts));
    BNRE_DO(make_estimator(run));
    count(run, result);
    return prepare_validity(run, result);
}

/* Be the one who writes the files, unless they are there: finished work needs
   no right to write. */
static bnre_status claim(bnre__train_run *run, int *found)
{
    bnre_status status = bnre__writer_lock_take(run->path, &run->writer);

    if (status == BNRE_EIO && !run->opts.force &&
        bnre__file_exists(run->path)) {
        BNRE_TRY(bnre__train_examine(run, found));
        if (*found)
            return BNRE_OK;
        BNRE_TRY(bnre__writer_lock_take(run->path, &run->writer));
    }
    BNRE_TRY(status);
    BNRE_TRY(bnre__train_examine(run, found));
    if (*found)
        return BNRE_OK;
    BNRE_TRY(bnre__file_check_writable(run->path));
    BNRE_TRY(bnre__file_check_writable(run->history_path));
done:
    return status;
}

bnre_status bnre_train(const bnre_train_opts *opts, const char *path,
                       bnre_train_result *result)
{
    bnre_status status = BNRE_OK;
    bnre__train_run run = {.opts = *opts, .path = path};
    bnre_train_result unused;

    if (result == NULL)
        result = &unused;
    BNRE_TRY(prepare(&run, result));
    BNRE_TRY(bnre__train_name_files(&run));
    BNRE_TRY(bnre__train_refuse_inputs(&run));
    BNRE_TRY(claim(&run, &result->found));
    if (result->found)
        BNRE_TRY(recall(&run));
    else
        BNRE_TRY(train_and_write(&run, result));
    if (run.writer != NULL)
        BNRE_TRY(bnre__train_remove_parts(&run));
    BNRE_TRY(sum_up(&run, result));
done:
    clear(&run);
    return status;
}

bnre_status bnre__train_plan(const bnre_train_opts *opts,
                             bnre_train_result *result, char **text)
{
    bnre_status status = BNRE_OK;
    bnre__train_run run = {.opts = *opts};

    *text = NULL;
    BNRE_TRY(prepare(&run, result));
    tell_doubt(&run);
    BNRE_TRY(bnre__text_format(text, "%s# the network\n%s",
                               run.est->info.settings, run.est->info.network));
done:
    clear(&run);
    return status;
}
