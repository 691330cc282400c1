/* executor.h - who does the work of a study: threads here, ranks of MPI in
   bnre-mpi.

   A study is run by one or several processes that all make the same calls in
   the same order. One of them leads: it looks after what they share. Work is a
   list of items, each of which writes files of its own, so that it does not
   matter who does which. */
#ifndef BNRE_EXECUTOR_H
#define BNRE_EXECUTOR_H

#include <stddef.h>

#include "bnre/monitor.h"
#include "bnre/pool.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an item has while it is being worked on. */
typedef struct bnre_work {
    bnre_pool *pool; /* threads of its own; NULL = the one it runs in */
    void *context;
    /* Tell that so many more units are done; a result other than 0 asks to save
       and return EINTR at the next safe point. From any thread. */
    int (*report)(void *context, size_t units);
    /* Something worth telling, one sentence. From any thread. */
    void (*note)(void *context, const char *text);
} bnre_work;

typedef bnre_status (*bnre_work_fn)(void *arg, const bnre_work *work,
                                    size_t item);

/* How far a study is, for the monitor: units done before, found and in all. */
typedef struct bnre_tally {
    size_t done, found, total;
} bnre_tally;

typedef struct bnre_executor {
    void *context;
    int leads;        /* whether this process is the one that leads */
    size_t processes; /* that share the work */
    size_t workers;   /* items at a time, of all processes together */
    bnre_pool *pool;  /* threads of this process, for work that is not shared */

    /* Do items 0..n-1, in about this order. After a failure no more are begun
       and the others are asked to stop; the first failure that was not caused
       by this is what all processes return, with its message. `tally` goes on
       counting what items report; the monitor is called by the process that
       leads only, its state being "3 of n" and `what`. */
    bnre_status (*each)(void *context, size_t n, bnre_work_fn fn, void *arg,
                        const char *what, const bnre_monitor *monitor,
                        bnre_tally *tally);

    /* Give all processes what the one that leads has in `data`. */
    bnre_status (*share)(void *context, size_t bytes, void *data);

    /* Let all processes know if one has failed: each passes its status and gets
       the failure of the first, with its message, or OK. */
    bnre_status (*agree)(void *context, bnre_status status);
} bnre_executor;

/* One process with the threads of a pool (NULL: one). If there are fewer items
   than threads, they are done one by one with all threads in each. The pool is
   borrowed; the executor needs no clearing. */
BNRE_API bnre_executor bnre_executor_threads(bnre_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
