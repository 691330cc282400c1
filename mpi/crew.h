/* crew.h - the working threads of one rank.

   They take items from an inbox and leave what became of them in an outbox; the
   thread that talks to the other ranks fills the one and empties the other. */
#ifndef BNRE_MPI_CREW_H
#define BNRE_MPI_CREW_H

#include "bnre/study.h"
#include "ranks.h"

struct crew;

/* Start `threads` threads that call fn(arg, ...). Errors: ENOMEM; EIO. */
bnre_status crew_start(size_t threads, bnre_work_fn fn, void *arg,
                       struct crew **out);
/* Wait for all threads to end, and free what there is. NULL is fine. */
void crew_finish(struct crew *crew);

/* How many more items it can be given. */
size_t crew_free(struct crew *crew);
void crew_give(struct crew *crew, size_t item);

/* Ask all work to stop at the next safe point. */
void crew_stop(struct crew *crew);

/* The next thing to tell: DONE, UNITS or NOTE. 0 if there is none. Units wait
   until they are due, or something is done. */
int crew_tell(struct crew *crew, int due, struct message *out);

#endif
