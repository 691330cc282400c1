/* tell.h - the monitor of the library for one callback of a binding. */
#ifndef BNRE_FLAT_TELL_H
#define BNRE_FLAT_TELL_H

#include <pthread.h>

#include "base/text.h"
#include "bnre/flat.h"

/* Progress, states and notes of all threads go to one callback, one after the
   other. */
typedef struct bnre__teller {
    bnre_tell tell; /* may be NULL */
    void *user;
    pthread_mutex_t lock;
    int stop; /* the callback asked for it */
    size_t notes;
    size_t room;
    char **note; /* (notes), kept */
    bnre_monitor monitor;
} bnre__teller;

/* teller->monitor is for the work. */
void bnre__teller_init(bnre__teller *teller, bnre_tell tell, void *user);
void bnre__teller_clear(bnre__teller *teller);

#endif
