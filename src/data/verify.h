/* verify.h - whether an open dataset is what was written.

   Files that this program wrote hold a seal and checksums by blocks (see
   blocks.h); those of version 0.1.0 hold a fingerprint of the whole. Files from
   elsewhere hold neither, and there is nothing to compare with. */
#ifndef BNRE_DATA_VERIFY_H
#define BNRE_DATA_VERIFY_H

#include "data/blocks.h"

/* What a file says of itself, and what is known of its rows. */
typedef struct bnre__verify {
    int ours;   /* it claims to be from this program */
    char *seal; /* NULL if it has none */
    bnre__blocks blocks;
    bnre__failure_hash failures;
    uint8_t
        *sound; /* (blocks.count) one bit for each array that was compared */
    unsigned char *scratch; /* an array of a block */
} bnre__verify;

void bnre__verify_clear(bnre__verify *verify);

/* Compare the seal with what was found on opening. Errors: EFORMAT when it does
   not match, or when something is missing that such files have; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__verify_seal(bnre_dataset *data);

/* Compare rows first..first+n-1, which were just read: the blocks they are in
   are compared once, those of which rows are missing here are read for it.
   Arrays that were not read are NULL. Errors: EFORMAT with the rows; as reading
   them. */
BNRE_MUST_CHECK bnre_status bnre__verify_read(bnre_dataset *data, size_t first,
                                              size_t n, const double *theta,
                                              const double *nuisance,
                                              const void *x,
                                              const uint8_t *status);

/* Compare the fingerprint of all rows with the one in the file, if it has one.
 */
BNRE_MUST_CHECK bnre_status bnre__verify_fingerprint(bnre_dataset *data);

#endif
