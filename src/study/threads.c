/* threads.c - the executor of one process. */
#include <pthread.h>
#include <stdio.h>

#include "base/mem.h"
#include "bnre/study.h"

struct crew {
    bnre_pool *inner; /* of each item */
    bnre_work_fn fn;
    void *arg;
    const char *what;
    size_t n;
    const bnre_monitor *monitor;

    pthread_mutex_t lock; /* of the following, and of calls of the monitor */
    bnre_tally *tally;
    size_t finished; /* items */
    int stop;
    bnre_status failure; /* the first that nobody asked for */
    char message[1024];
};

static int report(void *context, size_t units)
{
    struct crew *crew = context;
    const bnre_monitor *monitor = crew->monitor;
    bnre_tally *tally = crew->tally;
    int stop;

    pthread_mutex_lock(&crew->lock);
    tally->done += units;
    if (tally->done > tally->total)
        tally->done = tally->total;
    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, tally->done, tally->found,
                          tally->total) != 0)
        crew->stop = 1;
    stop = crew->stop;
    pthread_mutex_unlock(&crew->lock);
    return stop;
}

static void note(void *context, const char *text)
{
    struct crew *crew = context;
    const bnre_monitor *monitor = crew->monitor;

    pthread_mutex_lock(&crew->lock);
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, text);
    pthread_mutex_unlock(&crew->lock);
}

/* Tell how many items are done, `more` of them just now. */
static void count_items(struct crew *crew, size_t more)
{
    const bnre_monitor *monitor = crew->monitor;
    char text[128];

    pthread_mutex_lock(&crew->lock);
    crew->finished += more;
    snprintf(text, sizeof text, "%zu of %zu %s", crew->finished, crew->n,
             crew->what);
    if (monitor != NULL && monitor->state != NULL)
        monitor->state(monitor->context, text);
    pthread_mutex_unlock(&crew->lock);
}

static bnre_status work_on(void *arg, size_t worker, size_t first, size_t last)
{
    struct crew *crew = arg;
    const bnre_work work = {crew->inner, crew, report, note};
    bnre_status status = BNRE_OK;

    (void)worker;
    for (size_t i = first; i < last; i++) {
        if (report(crew, 0))
            return bnre_fail(BNRE_EINTR, "interrupted");
        BNRE_TRY(crew->fn(crew->arg, &work, i));
        count_items(crew, 1);
    }
done:
    if (status != BNRE_OK) {
        pthread_mutex_lock(&crew->lock);
        /* What stops because others failed has nothing to say. */
        if (crew->failure == BNRE_OK && !(status == BNRE_EINTR && crew->stop)) {
            crew->failure = status;
            snprintf(crew->message, sizeof crew->message, "%s",
                     bnre_error_message());
        }
        crew->stop = 1;
        pthread_mutex_unlock(&crew->lock);
    }
    return status;
}

static bnre_status each(void *context, size_t n, bnre_work_fn fn, void *arg,
                        const char *what, const bnre_monitor *monitor,
                        bnre_tally *tally)
{
    bnre_pool *pool = context;
    const int alone = n < bnre_pool_threads(pool);
    struct crew crew = {.inner = alone ? pool : NULL,
                        .fn = fn,
                        .arg = arg,
                        .what = what,
                        .n = n,
                        .monitor = monitor,
                        .tally = tally};
    bnre_status status;

    pthread_mutex_init(&crew.lock, NULL);
    count_items(&crew, 0);
    status = bnre_pool_for(alone ? NULL : pool, n, 1, work_on, &crew);
    pthread_mutex_destroy(&crew.lock);
    if (crew.failure != BNRE_OK)
        return bnre_fail(crew.failure, "%s", crew.message);
    return status;
}

static bnre_status share(void *context, size_t bytes, void *data)
{
    (void)context;
    (void)bytes;
    (void)data;
    return BNRE_OK;
}

static bnre_status agree(void *context, bnre_status status)
{
    (void)context;
    return status;
}

bnre_executor bnre_executor_threads(bnre_pool *pool)
{
    return (bnre_executor){
        .context = pool,
        .leads = 1,
        .processes = 1,
        .workers = bnre_pool_threads(pool),
        .pool = pool,
        .each = each,
        .share = share,
        .agree = agree,
    };
}
