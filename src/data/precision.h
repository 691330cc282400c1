/* precision.h - x that floats cannot hold.

   Networks see floats, which have 24 bits: of days since 4713 BC, 2459000.0296,
   they keep a quarter of a day. Where a column would lose more than a
   thousandth of its spread, an offset is taken off first. */
#ifndef BNRE_DATA_PRECISION_H
#define BNRE_DATA_PRECISION_H

#include "bnre/dataset.h"
#include "bnre/status.h"
#include "task/simulator.h"

/* What to take off each value of x (x_size) before it becomes a float: 0 where
   floats do, the median of others. *out is NULL where floats do for all, or the
   file has no more than floats; else the caller frees it. Looks at 4096 rows at
   most, evenly spread. Errors: as bnre_dataset_read(). */
BNRE_MUST_CHECK bnre_status bnre__dataset_find_offset(bnre_dataset *data,
                                                      double **out);

/* From now on bnre__dataset_read_f32() gives x less this offset (x_size),
   copied; NULL = none. */
BNRE_MUST_CHECK bnre_status bnre__dataset_set_offset(bnre_dataset *data,
                                                     const double *offset);

/* What x loses when it becomes a float.

   Datasets keep x as floats, unless the task has `precision: double`. That is
   never done silently where they are too coarse: where a value is rounded by
   more than about a thousandth of its spread, the first rows of a dataset are
   refused, and what is found out later is told. */

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
