#define _GNU_SOURCE /* sched_getaffinity */
#include "bnre/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct worker {
    bnre_pool *pool;
    size_t index;
    pthread_t thread;
};

struct bnre_pool {
    size_t threads; /* the caller is worker 0 */
    size_t started; /* threads besides the caller */
    struct worker *worker;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work, idle;
    int quit;
    uint64_t round; /* counts loops: a new one wakes the workers */
    size_t busy;    /* workers still in this loop */

    bnre_pool_fn fn;
    void *arg;
    size_t n, chunk;
    size_t next;   /* first item of the next chunk */
    size_t failed; /* first item of the earliest chunk that failed */
    bnre_status status;
    char message[1024];
};

static size_t available_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1)
        return 1;
    return (size_t)CPU_COUNT(&set);
}

/* Take chunks until none is left. Called with the lock held. */
static void work_on_loop(bnre_pool *pool, size_t index)
{
    while (pool->next < pool->n && pool->next < pool->failed) {
        size_t first = pool->next;
        size_t left = pool->n - first;
        size_t last = first + (left < pool->chunk ? left : pool->chunk);
        bnre_status status;

        pool->next = last;
        pthread_mutex_unlock(&pool->lock);
        status = pool->fn(pool->arg, index, first, last);
        pthread_mutex_lock(&pool->lock);
        if (status != BNRE_OK && first < pool->failed) {
            pool->failed = first;
            pool->status = status;
            snprintf(pool->message, sizeof pool->message, "%s",
                     bnre_error_message());
        }
    }
}

static void *worker_main(void *arg)
{
    struct worker *self = arg;
    bnre_pool *pool = self->pool;
    uint64_t seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && pool->round == seen)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->quit)
            break;
        seen = pool->round;
        work_on_loop(pool, self->index);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

bnre_status bnre_pool_create(size_t threads, bnre_pool **out)
{
    bnre_status status = BNRE_OK;
    bnre_pool *pool = NULL;

    *out = NULL;
    if (threads == 0)
        threads = available_cores();
    if (threads > 4096)
        return bnre_fail(BNRE_EINVAL, "%zu threads are too many", threads);
    BNRE_NEW(pool, 1);
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    BNRE_NEW(pool->worker, threads);
    for (size_t i = 1; i < threads; i++) {
        struct worker *worker = &pool->worker[i];
        int error;

        *worker = (struct worker){.pool = pool, .index = i};
        error = pthread_create(&worker->thread, NULL, worker_main, worker);
        if (error != 0)
            BNRE_THROW(BNRE_EIO, "cannot start thread %zu of %zu: %s", i + 1,
                       threads, strerror(error));
        pool->started++;
    }
    *out = pool;
    pool = NULL;
done:
    bnre_pool_destroy(pool);
    return status;
}

void bnre_pool_destroy(bnre_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 1; i <= pool->started; i++)
        pthread_join(pool->worker[i].thread, NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    bnre__free(pool->worker);
    bnre__free(pool);
}

size_t bnre_pool_threads(const bnre_pool *pool)
{
    return pool == NULL ? 1 : pool->threads;
}

static bnre_status run_in_caller(size_t n, size_t chunk, bnre_pool_fn fn,
                                 void *arg)
{
    bnre_status status = BNRE_OK;

    for (size_t first = 0; first < n; first += chunk) {
        size_t left = n - first;

        BNRE_TRY(fn(arg, 0, first, first + (left < chunk ? left : chunk)));
    }
done:
    return status;
}

bnre_status bnre_pool_for(bnre_pool *pool, size_t n, size_t chunk,
                          bnre_pool_fn fn, void *arg)
{
    bnre_status status;

    if (chunk == 0)
        return bnre_fail(BNRE_EINVAL, "a chunk needs 1 item or more");
    if (pool == NULL || pool->threads == 1 || n <= chunk)
        return run_in_caller(n, chunk, fn, arg);
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->arg = arg;
    pool->n = n;
    pool->chunk = chunk;
    pool->next = 0;
    pool->failed = SIZE_MAX;
    pool->status = BNRE_OK;
    pool->busy = pool->started;
    pool->round++;
    pthread_cond_broadcast(&pool->work);
    work_on_loop(pool, 0);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    status = pool->status;
    pthread_mutex_unlock(&pool->lock);
    return status == BNRE_OK ? BNRE_OK : bnre_fail(status, "%s", pool->message);
}
