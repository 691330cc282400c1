/* near.h - rows whose values are nearly equal: one draw, rounded in two ways. */
#ifndef BNRE_INFER_NEAR_H
#define BNRE_INFER_NEAR_H

#include <stddef.h>

#include "bnre/status.h"

/* Tell of n rows of `dim` values, all of them different, which are the same but
   for rounding: in *root, (n) and of the caller's, the first row that each is
   the same as; NULL if there are none. A file that was joined with its rounded
   self is found so (13 pairs, at least); independent draws of a density are
   not, however near some of them come by chance. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__near_find(size_t n, size_t dim,
                                            const double *value, size_t **root);

#endif
