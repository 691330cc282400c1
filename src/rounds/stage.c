/* stage.c - what a round is made of, each a command of its own: simulations,
   a training, and how far the whole has come. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "bnre/settings.h"
#include "bnre/text.h"
#include "io/file.h"
#include "num/streams.h"
#include "rounds/round.h"
#include "task/task.h"

bnre_status bnre__infer_path(const bnre__infer *infer, size_t round,
                             const char *name, char **out)
{
    if (round == 0)
        return bnre__text_format(out, "%s/%s", infer->directory, name);
    return bnre__text_format(out, "%s/round-%zu/%s", infer->directory, round,
                             name);
}

/* ---- what is told ---- */

enum { UNITS = 100000 }; /* of all work */

static int tell_progress(void *context, size_t done, size_t found, size_t total)
{
    bnre__infer_stage *stage = context;
    const bnre_monitor *outer = stage->outer;
    double share = total > 0 ? (double)done / (double)total : 1;

    (void)found;
    if (outer->progress == NULL)
        return 0;
    /* Training that ended early is followed by its check, and that by a count
       that is lower again: the whole never goes back. */
    share = stage->most = fmax(share, stage->most);
    return outer->progress(
        outer->context,
        (size_t)((stage->from + (stage->to - stage->from) * share) * UNITS), 0,
        UNITS);
}

static void tell_note(void *context, const char *text)
{
    const bnre__infer_stage *stage = context;

    if (stage->outer->note != NULL)
        stage->outer->note(stage->outer->context, text);
}

static void tell_state(void *context, const char *text)
{
    const bnre__infer_stage *stage = context;
    char all[160];

    snprintf(all, sizeof all, "%s%s%s", stage->name, *text != 0 ? ", " : "",
             text);
    if (stage->outer->state != NULL)
        stage->outer->state(stage->outer->context, all);
}

const bnre_monitor *bnre__infer_enter(bnre__infer *infer, double from,
                                      double to, size_t round, const char *name)
{
    bnre__infer_stage *stage = &infer->stage;

    stage->outer = infer->request->monitor;
    if (stage->outer == NULL)
        return NULL;
    stage->from = from;
    stage->to = to;
    stage->most = 0;
    if (round > 0)
        snprintf(stage->name, sizeof stage->name, "round %zu: %s", round, name);
    else
        snprintf(stage->name, sizeof stage->name, "%s", name);
    stage->monitor =
        (bnre_monitor){tell_progress, tell_note, stage, tell_state};
    tell_state(stage, "");
    return &stage->monitor;
}

bnre_status bnre__infer_warn(bnre__infer *infer, const char *fmt, ...)
{
    const bnre_monitor *monitor = infer->request->monitor;
    bnre_status status = BNRE_OK;
    bnre__json *list = NULL;
    bnre__text text = {0};
    char *said = NULL;
    va_list args;

    va_start(args, fmt);
    bnre__text_vshow(&text, fmt, args);
    va_end(args);
    BNRE_TRY(bnre__text_check(&text));
    BNRE_TRY(bnre__text_format(&said, "warning: %s", text.data));
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, said);
    if (bnre__json_find(infer->record, "warnings") == NULL)
        BNRE_TRY(bnre__json_list(infer->record, "warnings", &list));
    BNRE_TRY(bnre__json_text(
        (bnre__json *)bnre__json_find(infer->record, "warnings"), NULL,
        text.data));
done:
    bnre__free(said);
    bnre__free(text.data);
    return status;
}

void bnre__round_words(const bnre__json *one, size_t i, bnre__text *text)
{
    const double change = bnre__json_real_of(one, "change");
    const double share = bnre__json_real_of(one, "share");
    char number[BNRE_READABLE], other[BNRE_READABLE];

    bnre__text_put(
        text, "round %zu     %s simulated in %s of the prior", i + 1,
        bnre_readable_count(bnre__json_size_of(one, "simulated"), number),
        share < 1 ? bnre_readable_real(share, share, other) : "all");
    if (bnre__json_flag_of(one, "redone"))
        bnre__text_put(text, ", made wider");
    else if (i > 0 && bnre__json_find(one, "cut") != NULL &&
             !bnre__json_flag_of(one, "cut"))
        bnre__text_put(text, share < 1 ? ": it no longer shrinks"
                                       : ": too little was known to cut");
    if (!isnan(change))
        bnre__text_put(text, "; the posterior changed by %.2f nats", change);
}

bnre_status bnre__infer_tell_round(const bnre__infer *infer,
                                   const bnre__json *one, size_t i)
{
    const bnre_monitor *monitor = infer->request->monitor;
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    if (monitor == NULL || monitor->note == NULL)
        return BNRE_OK;
    bnre__round_words(one, i, &text);
    BNRE_TRY(bnre__text_check(&text));
    monitor->note(monitor->context, text.data);
done:
    bnre__free(text.data);
    return status;
}

/* ---- stages ---- */

/* The seed of a round: its simulations are others than those that any other
   command makes from the same seed, which --data may bring. */
static uint64_t seed_of(const bnre__infer *infer, size_t round)
{
    bnre_rng rng =
        bnre_rng_stream(infer->request->seed,
                        bnre__purpose(BNRE_USE_ROUND, BNRE_SPLIT_TRAIN), round);

    return bnre_rng_u64(&rng);
}

bnre_status bnre__infer_simulate(bnre__infer *infer, size_t round, size_t count,
                                 const double *theta,
                                 const bnre_monitor *monitor, const char *path)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    opts.count = count;
    opts.seed = seed_of(infer, round);
    opts.theta = theta;
    opts.theta_rows = theta != NULL ? count : 0;
    opts.force = infer->request->force;
    opts.workers = infer->settings->workers;
    opts.pool = infer->request->pool;
    opts.monitor = monitor;
    BNRE_DO(bnre__make_parents(path));
    return bnre_simulate(infer->task, &opts, path, NULL);
}

/* Of training, which is known only to the call that trains: told, not kept. */
static void tell_warning(const bnre__infer *infer, const char *text)
{
    const bnre_monitor *monitor = infer->request->monitor;
    char said[400];

    snprintf(said, sizeof said, "warning: %s", text);
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, said);
}

/* Where there are several rounds, each has deeper networks than `bnre train`
   takes, and a larger rate. With 350 to 4,000 simulations they learn more from
   the same data, in twice the time, which one observation is worth
   (docs/infer.md). */
#define DEEP_HEAD                                                              \
    "head: {hidden: [64, 64, 64, 64, 64, 64, 64], activation: elu}"
static const double DEEP_RATE = 0.003;

/* A study may have said otherwise. The caller destroys *network. */
static bnre_status take_deep(const bnre__infer *infer, bnre_train_opts *train,
                             bnre_node **network)
{
    if (infer->rounds == 1 || train->network != NULL ||
        train->settings != NULL || train->recipe == BNRE_RECIPE_PAPER)
        return BNRE_OK;
    BNRE_DO(bnre_yaml_parse(
        infer->task->ndim > 1 ? "embedding: [flatten]\n" DEEP_HEAD : DEEP_HEAD,
        NULL, network));
    train->settings = *network;
    if (train->learning_rate == 0)
        train->learning_rate = DEEP_RATE;
    return BNRE_OK;
}

bnre_status bnre__infer_train(bnre__infer *infer, size_t round,
                              const char *data, size_t teach,
                              const bnre_monitor *monitor, const char *path)
{
    bnre_train_settings own = {0}, settings;
    bnre_train_request request = {.settings = &settings,
                                  .seed = infer->request->seed + round - 1,
                                  .force = infer->request->force,
                                  .shared = infer->training != NULL,
                                  .pool = infer->request->pool,
                                  .monitor = monitor};
    bnre_train_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    size_t n, more;
    const bnre_opt *rows = bnre_train_options(&n);
    const bnre_opt *others = bnre_train_more(&more);
    bnre_node *network = NULL;

    BNRE_TRY(bnre_opt_init(rows, n, &own));
    BNRE_TRY(bnre_opt_init(others, more, &own));
    own.trust.trust = BNRE_TRUST_AUTO;
    settings = infer->training != NULL ? *infer->training : own;
    BNRE_TRY(take_deep(infer, &settings.train, &network));
    settings.train.data = (char *)(uintptr_t)data;
    settings.train.method = infer->method;
    settings.train.task_file = infer->task->file;
    settings.train.teach_rows = teach;
    BNRE_TRY(bnre_train_make(&request, path, &outcome));
    for (unsigned bit = 1; bit <= outcome.result.train.warnings; bit <<= 1)
        if ((outcome.result.train.warnings & bit) != 0 &&
            bnre_train_warning(bit) != NULL)
            tell_warning(infer, bnre_train_warning(bit));
done:
    bnre_train_outcome_clear(&outcome);
    bnre_opt_clear(others, more, &own);
    bnre_opt_clear(rows, n, &own);
    bnre_node_destroy(network);
    return status;
}

bnre_status bnre__infer_copy(const char *from, const char *to)
{
    bnre_status status = BNRE_OK;
    char *bytes = NULL;
    size_t n;

    BNRE_TRY(bnre__file_read_all(from, (size_t)1 << 40, &bytes, &n));
    status = bnre__file_put(to, bytes, n);
done:
    bnre__free(bytes);
    return status;
}
