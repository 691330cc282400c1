/* crew.c - the working threads of one rank. */
#include "crew.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
    struct note *next;
    char text[TEXT_SIZE];
};

struct worker {
    struct crew *crew;
    pthread_t thread;
    enum { IDLE, GIVEN, BUSY, FINISHED } state;
    size_t item;
    bnre_status status;
    char text[TEXT_SIZE];
};

struct crew {
    bnre_work_fn fn;
    void *arg;
    size_t threads, started;
    struct worker *worker;

    pthread_mutex_t lock; /* of all that follows, and the workers' states */
    pthread_cond_t more;
    int quit, stop;
    uint64_t units;
    struct note *first, *last;
};

static int report(void *context, size_t units)
{
    struct crew *crew = context;
    int stop;

    pthread_mutex_lock(&crew->lock);
    crew->units += units;
    stop = crew->stop;
    pthread_mutex_unlock(&crew->lock);
    return stop;
}

static void note(void *context, const char *text)
{
    struct note *one = malloc(sizeof *one);
    struct crew *crew = context;

    if (one == NULL)
        return; /* a note is not worth a failure */
    one->next = NULL;
    snprintf(one->text, sizeof one->text, "%s", text);
    pthread_mutex_lock(&crew->lock);
    if (crew->last != NULL)
        crew->last->next = one;
    else
        crew->first = one;
    crew->last = one;
    pthread_mutex_unlock(&crew->lock);
}

static void *work(void *arg)
{
    struct worker *self = arg;
    struct crew *crew = self->crew;
    const bnre_work tools = {NULL, crew, report, note};

    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!crew->quit && self->state != GIVEN)
            pthread_cond_wait(&crew->more, &crew->lock);
        if (self->state != GIVEN)
            break;
        self->state = BUSY;
        pthread_mutex_unlock(&crew->lock);
        self->status = crew->fn(crew->arg, &tools, self->item);
        snprintf(self->text, sizeof self->text, "%s",
                 self->status != BNRE_OK ? bnre_error_message() : "");
        pthread_mutex_lock(&crew->lock);
        self->state = FINISHED;
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

bnre_status crew_start(size_t threads, bnre_work_fn fn, void *arg,
                       struct crew **out)
{
    struct crew *crew = calloc(1, sizeof *crew);

    *out = NULL;
    if (crew != NULL)
        crew->worker = calloc(threads, sizeof *crew->worker);
    if (crew == NULL || crew->worker == NULL) {
        free(crew);
        return bnre_fail(BNRE_ENOMEM, "no memory for %zu workers", threads);
    }
    crew->fn = fn;
    crew->arg = arg;
    crew->threads = threads;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->more, NULL);
    for (; crew->started < threads; crew->started++) {
        struct worker *worker = &crew->worker[crew->started];

        worker->crew = crew;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            const size_t number = crew->started + 1;

            crew_finish(crew);
            return bnre_fail(BNRE_EIO, "cannot start thread %zu of %zu", number,
                             threads);
        }
    }
    *out = crew;
    return BNRE_OK;
}

void crew_finish(struct crew *crew)
{
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->quit = 1;
    pthread_cond_broadcast(&crew->more);
    pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < crew->started; i++)
        pthread_join(crew->worker[i].thread, NULL);
    while (crew->first != NULL) {
        struct note *next = crew->first->next;

        free(crew->first);
        crew->first = next;
    }
    pthread_cond_destroy(&crew->more);
    pthread_mutex_destroy(&crew->lock);
    free(crew->worker);
    free(crew);
}

size_t crew_free(struct crew *crew)
{
    size_t n = 0;

    pthread_mutex_lock(&crew->lock);
    for (size_t i = 0; i < crew->threads; i++)
        n += crew->worker[i].state == IDLE;
    pthread_mutex_unlock(&crew->lock);
    return n;
}

void crew_give(struct crew *crew, size_t item)
{
    pthread_mutex_lock(&crew->lock);
    for (size_t i = 0; i < crew->threads; i++)
        if (crew->worker[i].state == IDLE) {
            crew->worker[i].item = item;
            crew->worker[i].state = GIVEN;
            break;
        }
    pthread_cond_broadcast(&crew->more);
    pthread_mutex_unlock(&crew->lock);
}

void crew_stop(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->stop = 1;
    pthread_mutex_unlock(&crew->lock);
}

static struct worker *find_finished(struct crew *crew)
{
    for (size_t i = 0; i < crew->threads; i++)
        if (crew->worker[i].state == FINISHED)
            return &crew->worker[i];
    return NULL;
}

/* Notes come before the item that they are about is done, and so do units. */
int crew_tell(struct crew *crew, int due, struct message *out)
{
    struct worker *finished;
    int found = 1;

    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&crew->lock);
    finished = find_finished(crew);
    if (crew->first != NULL) {
        struct note *first = crew->first;

        out->kind = NOTE;
        memcpy(out->text, first->text, sizeof out->text);
        crew->first = first->next;
        if (crew->first == NULL)
            crew->last = NULL;
        free(first);
    } else if (crew->units > 0 && (due || finished != NULL)) {
        out->kind = UNITS;
        out->number = crew->units;
        crew->units = 0;
    } else if (finished != NULL) {
        out->kind = DONE;
        out->number = finished->item;
        out->status = (int)finished->status;
        memcpy(out->text, finished->text, sizeof out->text);
        finished->state = IDLE;
    } else {
        found = 0;
    }
    pthread_mutex_unlock(&crew->lock);
    return found;
}
