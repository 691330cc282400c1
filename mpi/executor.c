/* executor.c - a list of items, dealt out by the first rank one by one. */
#include "executor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "crew.h"
#include "ranks.h"

/* Between two looks for messages. */
static const struct timespec PAUSE = {.tv_nsec = 1000000};

/* Seconds between reports of progress. */
#define REPORT_SECONDS 0.1

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the rank that leads ---- */

struct dealer {
    size_t n, next, finished, running;
    const char *what;
    struct crew *crew;
    const bnre_monitor *monitor;
    bnre_tally *tally;
    size_t *asking; /* (ranks) workers of each rank that wait for an item */
    int stopping;
    bnre_status failure; /* the first that nobody asked for */
    char text[TEXT_SIZE];
    double last; /* time of the last report */
};

static void tell_state(const struct dealer *dealer)
{
    const bnre_monitor *monitor = dealer->monitor;
    char text[128];

    snprintf(text, sizeof text, "%zu of %zu %s", dealer->finished, dealer->n,
             dealer->what);
    if (monitor != NULL && monitor->state != NULL)
        monitor->state(monitor->context, text);
}

static void stop_all(struct dealer *dealer)
{
    const struct message stop = {.kind = STOP};

    if (dealer->stopping)
        return;
    dealer->stopping = 1;
    crew_stop(dealer->crew);
    for (int i = 1; i < rank_count(); i++)
        rank_send(i, &stop);
}

/* Tell the user, and ask whether to go on. */
static void watch(struct dealer *dealer)
{
    const bnre_monitor *monitor = dealer->monitor;
    const bnre_tally *tally = dealer->tally;

    dealer->last = now();
    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, tally->done, tally->found,
                          tally->total) != 0)
        stop_all(dealer);
}

static void take_message(struct dealer *dealer, const struct message *one,
                         int from)
{
    const bnre_monitor *monitor = dealer->monitor;
    bnre_tally *tally = dealer->tally;

    switch ((enum message_kind)one->kind) {
    case ASK:
        dealer->asking[from]++;
        break;
    case DONE:
        dealer->running--;
        dealer->finished++;
        tell_state(dealer);
        if (one->status == BNRE_OK)
            break;
        if (dealer->failure == BNRE_OK &&
            !(one->status == BNRE_EINTR && dealer->stopping)) {
            dealer->failure = (bnre_status)one->status;
            memcpy(dealer->text, one->text, sizeof dealer->text);
        }
        stop_all(dealer);
        break;
    case UNITS:
        tally->done += (size_t)one->number;
        if (tally->done > tally->total)
            tally->done = tally->total;
        break;
    case NOTE:
        if (monitor != NULL && monitor->note != NULL)
            monitor->note(monitor->context, one->text);
        break;
    case ITEM:
    case STOP:
    case END:
    case GOODBYE:
        break; /* not for the one that leads */
    }
}

/* Give items to whom has nothing to do. */
static void deal(struct dealer *dealer)
{
    for (int i = 0; i < rank_count(); i++) {
        size_t idle = i == 0 ? crew_free(dealer->crew) : dealer->asking[i];

        while (idle > 0 && dealer->next < dealer->n && !dealer->stopping) {
            const struct message item = {.kind = ITEM, .number = dealer->next};

            if (i == 0)
                crew_give(dealer->crew, dealer->next);
            else
                rank_send(i, &item);
            if (i > 0)
                dealer->asking[i]--;
            dealer->next++;
            dealer->running++;
            idle--;
        }
    }
}

/* Everybody learns how it ended, and says that no message is under way. */
static void say_goodbye(const struct dealer *dealer)
{
    struct message end = {.kind = END, .status = (int)dealer->failure};
    int left = rank_count() - 1, from;
    struct message one;

    memcpy(end.text, dealer->text, sizeof end.text);
    for (int i = 1; i < rank_count(); i++)
        rank_send(i, &end);
    while (left > 0)
        if (!rank_receive(&one, &from))
            nanosleep(&PAUSE, NULL);
        else if (one.kind == GOODBYE)
            left--;
}

static void lead(struct dealer *dealer)
{
    struct message one;
    int from;

    tell_state(dealer);
    while (dealer->running > 0 ||
           (dealer->next < dealer->n && !dealer->stopping)) {
        int busy = 0;

        for (; rank_receive(&one, &from); busy = 1)
            take_message(dealer, &one, from);
        for (; crew_tell(dealer->crew, 1, &one); busy = 1)
            take_message(dealer, &one, 0);
        deal(dealer);
        if (now() - dealer->last >= REPORT_SECONDS)
            watch(dealer);
        if (!busy)
            nanosleep(&PAUSE, NULL);
    }
    if (dealer->stopping && dealer->failure == BNRE_OK) {
        dealer->failure = BNRE_EINTR;
        snprintf(dealer->text, sizeof dealer->text, "interrupted");
    }
    say_goodbye(dealer);
}

/* ---- the others ---- */

struct hand {
    struct crew *crew;
    const bnre_monitor *monitor;
    size_t asked; /* for items that have not come */
    double last;
    bnre_status status;
    char text[TEXT_SIZE];
};

/* A signal to this rank alone stops its own work; the failure of that stops
   the others. */
static void look_around(struct hand *hand)
{
    const bnre_monitor *monitor = hand->monitor;

    hand->last = now();
    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, 0, 0, 0) != 0)
        crew_stop(hand->crew);
}

/* Whether the end has come. */
static int obey(struct hand *hand, const struct message *one)
{
    switch ((enum message_kind)one->kind) {
    case ITEM:
        hand->asked--;
        crew_give(hand->crew, (size_t)one->number);
        break;
    case STOP:
        crew_stop(hand->crew);
        break;
    case END:
        hand->status = (bnre_status)one->status;
        memcpy(hand->text, one->text, sizeof hand->text);
        return 1;
    case ASK:
    case DONE:
    case UNITS:
    case NOTE:
    case GOODBYE:
        break; /* not for the others */
    }
    return 0;
}

static void help(struct hand *hand)
{
    const struct message ask = {.kind = ASK}, goodbye = {.kind = GOODBYE};
    struct message one;
    int from, over = 0;

    while (!over) {
        const int due = now() - hand->last >= REPORT_SECONDS;
        int busy = 0;

        for (; !over && rank_receive(&one, &from); busy = 1)
            over = obey(hand, &one);
        /* A thousand ranks shall not tell every step. */
        for (; crew_tell(hand->crew, due, &one); busy = 1)
            rank_send(0, &one);
        for (; !over && hand->asked < crew_free(hand->crew); hand->asked++)
            rank_send(0, &ask);
        if (due)
            look_around(hand);
        if (!busy)
            nanosleep(&PAUSE, NULL);
    }
    rank_send(0, &goodbye);
}

/* ---- the executor ---- */

static bnre_status agree(void *context, bnre_status status)
{
    const int least = rank_least(status != BNRE_OK ? rank_number() : INT_MAX);
    struct message failure = {.status = (int)status};

    (void)context;
    if (least == INT_MAX)
        return BNRE_OK;
    snprintf(failure.text, sizeof failure.text, "%s", bnre_error_message());
    rank_broadcast(least, sizeof failure, &failure);
    return bnre_fail((bnre_status)failure.status, "%s", failure.text);
}

static bnre_status share(void *context, size_t bytes, void *data)
{
    (void)context;
    rank_broadcast(0, bytes, data);
    return BNRE_OK;
}

static bnre_status each(void *context, size_t n, bnre_work_fn fn, void *arg,
                        const char *what, const bnre_monitor *monitor,
                        bnre_tally *tally)
{
    const size_t *threads = context;
    struct dealer dealer = {
        .n = n, .what = what, .monitor = monitor, .tally = tally};
    struct hand hand = {.monitor = monitor};
    bnre_status status;

    status = crew_start(*threads, fn, arg, &dealer.crew);
    dealer.asking = calloc((size_t)rank_count(), sizeof *dealer.asking);
    if (status == BNRE_OK && dealer.asking == NULL)
        status = bnre_fail(BNRE_ENOMEM, "no memory for a list of ranks");
    status = agree(NULL, status);
    if (status != BNRE_OK)
        goto done;
    hand.crew = dealer.crew;
    if (rank_number() == 0)
        lead(&dealer);
    else
        help(&hand);
    status = rank_number() == 0 ? dealer.failure : hand.status;
    if (status != BNRE_OK)
        bnre_fail(status, "%s", rank_number() == 0 ? dealer.text : hand.text);
done:
    crew_finish(dealer.crew);
    free(dealer.asking);
    return status;
}

bnre_status cli_executor_open(size_t threads, bnre_executor *out)
{
    size_t *context = malloc(sizeof *context);

    if (context == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    /* Ranks are as many as there shall be workers, unless told otherwise. */
    *context = threads > 0 ? threads : 1;
    *out = (bnre_executor){
        .context = context,
        .leads = rank_number() == 0,
        .processes = (size_t)rank_count(),
        .workers = (size_t)rank_count() * *context,
        .each = each,
        .share = share,
        .agree = agree,
    };
    return BNRE_OK;
}

void cli_executor_close(bnre_executor *executor)
{
    free(executor->context);
}
