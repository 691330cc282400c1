/* join.h - one dataset from parts of a stream, or from the beginning of one. */
#ifndef BNRE_DATA_JOIN_H
#define BNRE_DATA_JOIN_H

#include "bnre/dataset.h"

/* Write rows 0..rows-1 of a stream into `path` (.h5). They are in n files, each
   of which begins where the one before ends (bnre_simulate_opts.first); the
   last may have more. The result is what bnre_simulate() would have made of all
   rows, byte for byte. `path` may be one of the parts.
   Errors: EFORMAT when a part does not go on with the one before or rows are
   missing; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__dataset_join(size_t n,
                                               const char *const *part,
                                               size_t rows, const char *path,
                                               char fingerprint[33]);

#endif
