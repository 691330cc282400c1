/* tell.c - the monitor of the library for one callback of a binding. */
#include "flat/tell.h"

#include "base/mem.h"

static int tell(bnre__teller *teller, const char *kind, const char *text,
                size_t done, size_t total)
{
    int stop;

    pthread_mutex_lock(&teller->lock);
    if (teller->tell != NULL &&
        teller->tell(teller->user, kind, text, done, total) != 0)
        teller->stop = 1;
    stop = teller->stop;
    pthread_mutex_unlock(&teller->lock);
    return stop;
}

static int progress(void *context, size_t done, size_t found, size_t total)
{
    (void)found;
    return tell(context, "progress", NULL, done, total);
}

static void state(void *context, const char *text)
{
    tell(context, "state", text, 0, 0);
}

static bnre_status keep(bnre__teller *teller, const char *text)
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(teller->note, teller->room, teller->notes + 1);
    BNRE_TRY(bnre__strdup(text, &teller->note[teller->notes]));
    teller->notes++;
done:
    return status;
}

/* One that finds no memory is told all the same. */
static void note(void *context, const char *text)
{
    bnre__teller *teller = context;
    bnre_status kept;

    pthread_mutex_lock(&teller->lock);
    kept = keep(teller, text);
    (void)kept;
    pthread_mutex_unlock(&teller->lock);
    tell(teller, "note", text, 0, 0);
}

void bnre__teller_init(bnre__teller *teller, bnre_tell fn, void *user)
{
    *teller = (bnre__teller){.tell = fn, .user = user};
    pthread_mutex_init(&teller->lock, NULL);
    teller->monitor = (bnre_monitor){
        .progress = progress, .note = note, .context = teller, .state = state};
}

void bnre__teller_clear(bnre__teller *teller)
{
    bnre__texts_free(teller->notes, teller->note);
    pthread_mutex_destroy(&teller->lock);
}
