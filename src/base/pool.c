/* pool.c - threads that wait for loops. Chunks do not depend on the number
   of threads; workers take the next one until none is left, watch a while
   for the next loop, then sleep. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "bnre/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/float_mode.h"
#include "base/mem.h"

struct worker {
    bnre_pool *pool;
    size_t index;
    pthread_t thread;
};

struct bnre_pool {
    size_t threads; /* the caller is worker 0 */
    size_t started; /* threads besides the caller */
    int patient;    /* there is a core for every thread: waiting may spin */
    struct worker *worker;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work, idle;
    int quit;
    size_t asleep; /* workers waiting for `work` */
    /* Both change under the lock only, and are watched without it. */
    atomic_size_t round;   /* counts loops: a new one wakes the workers */
    atomic_size_t running; /* chunks being worked on */

    bnre__float_mode mode; /* of the caller */
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

/* ---- waiting ---- */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Watch a counter until it differs from `old`, for a while: first doing
   nothing else, since the next loop of a training step is microseconds away and
   waking a thread takes longer than that; then leaving the core to whoever
   wants it. */
static void watch(const bnre_pool *pool, const atomic_size_t *counter,
                  size_t old)
{
    const double spin = 20e-6, yield = 200e-6;
    double start;

    if (!pool->patient)
        return;
    start = bnre__clock();
    for (;;) {
        double waited;

        for (int i = 0; i < 50; i++) {
            if (atomic_load_explicit(counter, memory_order_acquire) != old)
                return;
            relax();
        }
        waited = bnre__clock() - start;
        if (waited > yield)
            return;
        if (waited > spin)
            sched_yield();
    }
}

/* The lock is held for nanoseconds: sleeping for it is the exception. */
static void take_lock(bnre_pool *pool)
{
    for (int i = 0; i < 100; i++) {
        if (pthread_mutex_trylock(&pool->lock) == 0)
            return;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
}

/* ---- working; all with the lock held, except inside the chunks ---- */

static int has_work(const bnre_pool *pool)
{
    return pool->next < pool->n && pool->next < pool->failed;
}

static void work_on_chunk(bnre_pool *pool, size_t index)
{
    const size_t first = pool->next, left = pool->n - first;
    const size_t last = first + (left < pool->chunk ? left : pool->chunk);
    bnre_status status;

    pool->next = last;
    pool->running++;
    pthread_mutex_unlock(&pool->lock);
    status = pool->fn(pool->arg, index, first, last);
    take_lock(pool);
    pool->running--;
    if (status != BNRE_OK && first < pool->failed) {
        pool->failed = first;
        pool->status = status;
        snprintf(pool->message, sizeof pool->message, "%s",
                 bnre_error_message());
    }
}

static void wait_for_work(bnre_pool *pool)
{
    while (!pool->quit && !has_work(pool)) {
        const size_t seen = pool->round;

        pthread_mutex_unlock(&pool->lock);
        watch(pool, &pool->round, seen);
        take_lock(pool);
        pool->asleep++;
        while (pool->round == seen)
            pthread_cond_wait(&pool->work, &pool->lock);
        pool->asleep--;
    }
}

/* A loop ends when all of its chunks are done. Workers that come too late for
   any find the next loop, or nothing; nobody waits for them. */
static void wait_for_others(bnre_pool *pool)
{
    size_t running;

    while ((running = pool->running) > 0) {
        pthread_mutex_unlock(&pool->lock);
        watch(pool, &pool->running, running);
        take_lock(pool);
        if (pool->running == running)
            pthread_cond_wait(&pool->idle, &pool->lock);
    }
}

static void *worker_main(void *arg)
{
    struct worker *self = arg;
    bnre_pool *pool = self->pool;

    take_lock(pool);
    for (;;) {
        wait_for_work(pool);
        if (pool->quit)
            break;
        bnre__float_mode_set(pool->mode);
        while (has_work(pool))
            work_on_chunk(pool, self->index);
        pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Begin a round for `wanted` workers. Those who are awake will see it. */
static void call_workers(bnre_pool *pool, size_t wanted)
{
    const size_t awake = pool->started - pool->asleep;

    pool->round++;
    for (size_t i = awake; i < wanted && i < pool->started; i++)
        pthread_cond_signal(&pool->work);
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
    pool->patient = threads <= available_cores();
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
    call_workers(pool, pool->started);
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
    for (size_t first = 0; first < n; first += chunk) {
        size_t left = n - first;

        BNRE_DO(fn(arg, 0, first, first + (left < chunk ? left : chunk)));
    }
    return BNRE_OK;
}

bnre_status bnre_pool_for(bnre_pool *pool, size_t n, size_t chunk,
                          bnre_pool_fn fn, void *arg)
{
    bnre_status status;

    if (chunk == 0)
        return bnre_fail(BNRE_EINVAL, "a chunk needs 1 item or more");
    if (pool == NULL || pool->threads == 1 || n <= chunk)
        return run_in_caller(n, chunk, fn, arg);
    take_lock(pool);
    pool->mode = bnre__float_mode_get();
    pool->fn = fn;
    pool->arg = arg;
    pool->n = n;
    pool->chunk = chunk;
    pool->next = 0;
    pool->failed = SIZE_MAX;
    pool->status = BNRE_OK;
    call_workers(pool, (n - 1) / chunk); /* the caller takes a chunk as well */
    while (has_work(pool))
        work_on_chunk(pool, 0);
    wait_for_others(pool);
    status = pool->status;
    pthread_mutex_unlock(&pool->lock);
    return status == BNRE_OK ? BNRE_OK : bnre_fail(status, "%s", pool->message);
}
