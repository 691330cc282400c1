/* tally.h - are most of the first simulations lost?

   Looks at the hundred rows from the first one that is simulated on, whichever
   thread finishes them when, so that the answer depends on the rows alone. */
#ifndef BNRE_TASK_TALLY_H
#define BNRE_TASK_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/plugin.h"
#include "bnre/status.h"

enum { BNRE__TALLY_ROWS = 100 };

typedef struct bnre__tally bnre__tally;

BNRE_MUST_CHECK bnre_status bnre__tally_create(bnre__tally **out);
void bnre__tally_destroy(bnre__tally *tally);

/* Count anew, from the next row on. */
void bnre__tally_reset(bnre__tally *tally);

/* What the rows were lost by. */
typedef struct bnre__losses {
    size_t lost, rows;             /* lost among the rows seen */
    size_t times;                  /* of the most frequent reason */
    char reason[BNRE_REASON_SIZE]; /* that */
} bnre__losses;

/* Count a row; once more replaces what was said of it before. Returns whether
   more than half of the hundred are lost, with the details in *out. Safe to
   call from several threads. */
int bnre__tally_add(bnre__tally *tally, uint64_t row, bnre_draw outcome,
                    const char *reason, bnre__losses *out);

/* The same question without a new row. */
int bnre__tally_ask(bnre__tally *tally, bnre__losses *out);

#endif
