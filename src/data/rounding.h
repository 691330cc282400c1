/* rounding.h - what x loses when it becomes a float.

   Datasets keep x as floats, unless the task has `precision: double`. That is
   never done silently where they are too coarse: where a value is rounded by
   more than about a thousandth of its spread, the first rows of a dataset are
   refused, and what is found out later is told. */
#ifndef BNRE_DATA_ROUNDING_H
#define BNRE_DATA_ROUNDING_H

#include "bnre/status.h"
#include "task/simulator.h"

/* Take what another thread saw of n values into `all`. Either may be NULL. */
void bnre__rounding_add(size_t n, bnre__rounding *all,
                        const bnre__rounding *other);

/* Whether what was seen of the first rows shows that floats will not do. They
   are few: a thousandth of their whole range has to be lost. Errors: EUSAGE
   with what to do. */
BNRE_MUST_CHECK bnre_status bnre__rounding_check(size_t n,
                                                 const bnre__rounding *all);

/* Tell the monitor of the first value that lost too much, if there is one. */
void bnre__rounding_tell(const bnre_monitor *monitor, size_t n,
                         const bnre__rounding *all);

#endif
