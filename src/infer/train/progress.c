/* What the monitor is told while members are trained. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "infer/train/run.h"

void bnre__train_note(const bnre_train_opts *opts, const char *fmt, ...)
{
    char text[512];
    va_list args;

    if (opts->monitor == NULL || opts->monitor->note == NULL)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    opts->monitor->note(opts->monitor->context, text);
}

/* "epoch 12/500  loss 1.1031, validation 1.1234 (chance 1.3863)  balance 1.003
   rate 0.001"; of several members means, and the range of epochs. */
static void describe(const bnre__train_run *run, char *out, size_t room)
{
    const size_t members = run->opts.members;
    size_t low = SIZE_MAX, high = 0, over = 0, n = 0;
    double sum[BNRE__COLUMNS] = {0};
    size_t used;

    for (size_t k = 0; k < members; k++) {
        const bnre__member_state *state = &run->state[k];
        const size_t epoch = state->epochs + !state->over;

        low = epoch < low ? epoch : low;
        high = epoch > high ? epoch : high;
        over += state->over != 0;
        n += state->epochs > 0;
        for (size_t c = 0; state->epochs > 0 && c < BNRE__COLUMNS; c++)
            sum[c] += state->last[c];
    }
    used = (size_t)snprintf(out, room, "epoch %zu", low);
    if (high > low)
        used += (size_t)snprintf(out + used, room - used, "-%zu", high);
    used += (size_t)snprintf(out + used, room - used, "/%zu", run->opts.epochs);
    if (members > 1)
        used += (size_t)snprintf(out + used, room - used,
                                 "  %zu/%zu members done", over, members);
    if (n > 0)
        snprintf(out + used, room - used,
                 "  loss %.4f, validation %.4f (chance %.4f)  balance %.3f  "
                 "rate %.2g",
                 sum[BNRE__TRAIN_LOSS] / (double)n,
                 sum[BNRE__VALIDATION_LOSS] / (double)n,
                 run->est->conditional != NULL ? 0 : 2 * log(2),
                 sum[BNRE__VALIDATION_BALANCE] / (double)n,
                 sum[BNRE__RATE] / (double)n);
}

static void tell_state(bnre__train_run *run)
{
    const bnre_monitor *monitor = run->opts.monitor;
    char text[256];

    if (monitor == NULL || monitor->state == NULL)
        return;
    describe(run, text, sizeof text);
    monitor->state(monitor->context, text);
}

static void tell_progress(bnre__train_run *run)
{
    const bnre_monitor *monitor = run->opts.monitor;

    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, run->done, run->found,
                          run->total) != 0)
        run->stop = 1;
}

static int on_tick(void *arg, size_t rows, const bnre__history *history)
{
    bnre__member_state *state = arg;
    bnre__train_run *run = state->run;
    int stop;

    pthread_mutex_lock(&run->lock);
    run->done += rows;
    state->rows += rows;
    if (history->epochs != state->epochs) {
        state->epochs = history->epochs;
        memcpy(state->last, bnre__history_row(history, history->epochs - 1),
               sizeof state->last);
        tell_state(run);
    }
    tell_progress(run);
    stop = run->stop;
    pthread_mutex_unlock(&run->lock);
    return stop;
}

static void on_found(void *arg, size_t rows)
{
    bnre__member_state *state = arg;
    bnre__train_run *run = state->run;

    pthread_mutex_lock(&run->lock);
    run->done += rows;
    run->found += rows;
    state->rows += rows;
    pthread_mutex_unlock(&run->lock);
}

bnre__train_watch bnre__train_watch_of(bnre__train_run *run, size_t member)
{
    bnre__member_state *state = &run->state[member];

    state->run = run;
    return (bnre__train_watch){
        .tick = on_tick, .found = on_found, .arg = state};
}

void bnre__train_over(bnre__train_run *run, size_t member)
{
    const bnre__history *history = &run->trained[member].history;
    bnre__member_state *state = &run->state[member];

    pthread_mutex_lock(&run->lock);
    state->over = 1;
    state->epochs = history->epochs;
    memcpy(state->last, bnre__history_row(history, history->epochs - 1),
           sizeof state->last);
    /* Epochs that were not needed are no work that is left. */
    run->total -= run->each - state->rows;
    tell_state(run);
    tell_progress(run);
    pthread_mutex_unlock(&run->lock);
}
