/* precision.h - x that floats cannot hold.

   Networks see floats, which have 24 bits: of days since 4713 BC, 2459000.0296,
   they keep a quarter of a day. Where a column would lose more than a
   thousandth of its spread, an offset is taken off first. */
#ifndef BNRE_DATA_PRECISION_H
#define BNRE_DATA_PRECISION_H

#include "bnre/dataset.h"

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

#endif
