/* monitor.h - how long work reports progress and learns that it should stop. */
#ifndef BNRE_MONITOR_H
#define BNRE_MONITOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_monitor {
    /* Called now and then, never by two threads at once, with how much of the
       total is done and how much of that was found done at the start (so that
       rates and remaining times count only the new work). A result other than
       0 asks the work to save and return EINTR at the next safe point. */
    int (*progress)(void *context, size_t done, size_t found, size_t total);

    /* Something worth telling that is no failure, one sentence, no newline. */
    void (*note)(void *context, const char *text);

    void *context;

    /* How the work stands, in a few words that replace those before; to be
       shown beside the progress. May be NULL. */
    void (*state)(void *context, const char *text);
} bnre_monitor;

#ifdef __cplusplus
}
#endif
#endif
