/* tally.c - whether most of the first simulations are lost. */
#include "task/tally.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct bnre__tally {
    pthread_mutex_t lock;
    int begun;
    uint64_t first; /* row */
    size_t lost, rows;
    unsigned char seen[BNRE__TALLY_ROWS];
    char reason[BNRE__TALLY_ROWS][BNRE_REASON_SIZE]; /* "": not lost */
};

bnre_status bnre__tally_create(bnre__tally **out)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(*out, 1);
    pthread_mutex_init(&(*out)->lock, NULL);
done:
    return status;
}

void bnre__tally_destroy(bnre__tally *tally)
{
    if (tally == NULL)
        return;
    pthread_mutex_destroy(&tally->lock);
    bnre__free(tally);
}

static void find_most_frequent(const bnre__tally *tally, bnre__losses *out)
{
    out->times = 0;
    for (size_t i = 0; i < BNRE__TALLY_ROWS; i++) {
        size_t times = 0;

        if (tally->reason[i][0] == 0)
            continue;
        for (size_t k = 0; k < BNRE__TALLY_ROWS; k++)
            times += strcmp(tally->reason[i], tally->reason[k]) == 0;
        if (times > out->times) {
            out->times = times;
            snprintf(out->reason, sizeof out->reason, "%s", tally->reason[i]);
        }
    }
}

void bnre__tally_reset(bnre__tally *tally)
{
    pthread_mutex_lock(&tally->lock);
    tally->begun = 0;
    tally->lost = tally->rows = 0;
    memset(tally->seen, 0, sizeof tally->seen);
    memset(tally->reason, 0, sizeof tally->reason);
    pthread_mutex_unlock(&tally->lock);
}

/* Called with the lock held. */
static int are_most_lost(const bnre__tally *tally, bnre__losses *out)
{
    if (tally->lost <= BNRE__TALLY_ROWS / 2)
        return 0;
    find_most_frequent(tally, out);
    out->lost = tally->lost;
    out->rows = tally->rows;
    return 1;
}

int bnre__tally_ask(bnre__tally *tally, bnre__losses *out)
{
    int most;

    pthread_mutex_lock(&tally->lock);
    most = are_most_lost(tally, out);
    pthread_mutex_unlock(&tally->lock);
    return most;
}

int bnre__tally_add(bnre__tally *tally, uint64_t row, bnre_draw outcome,
                    const char *reason, bnre__losses *out)
{
    const int lost = outcome == BNRE_DRAW_LOST;
    int most = 0;

    pthread_mutex_lock(&tally->lock);
    if (!tally->begun) {
        tally->begun = 1;
        tally->first = row;
    }
    if (row >= tally->first && row - tally->first < BNRE__TALLY_ROWS) {
        size_t i = (size_t)(row - tally->first);

        tally->rows += !tally->seen[i];
        tally->lost -= tally->reason[i][0] != 0;
        tally->lost += (size_t)lost;
        tally->seen[i] = 1;
        snprintf(tally->reason[i], sizeof tally->reason[i], "%s",
                 !lost            ? ""
                 : reason[0] != 0 ? reason
                                  : "no reason given");
        most = are_most_lost(tally, out);
    }
    pthread_mutex_unlock(&tally->lock);
    return most;
}
