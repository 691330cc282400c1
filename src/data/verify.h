/* verify.h - whether an open dataset is what was written.

   Files that this program wrote hold a seal and checksums by blocks (see
   below); those of version 0.1.0 hold a fingerprint of the whole. Files from
   elsewhere hold neither, and there is nothing to compare with. */
#ifndef BNRE_DATA_VERIFY_H
#define BNRE_DATA_VERIFY_H

#include "base/hash.h"
#include "data/rows.h"
#include "num/kernels.h"

/* Checksums of a dataset's rows, block by block.

   Whoever reads some rows of a file learns from the checksums of their blocks
   whether they are what was written. A seal, which is stored in the same file,
   is a hash of these checksums and of all that says what the rows are: names,
   shapes, task, settings, fingerprint, reasons of failures. */

/* Arrays have checksums of their own, since not all are read together. */
enum { BNRE__THETA, BNRE__NUISANCE, BNRE__X, BNRE__STATUS, BNRE__BLOCK_ARRAYS };

typedef struct bnre__blocks {
    size_t rows;                      /* of the data */
    size_t each;                      /* rows of a block but the last */
    size_t width[BNRE__BLOCK_ARRAYS]; /* bytes of a row */
    size_t count;
    uint64_t (*sum)[BNRE__BLOCK_ARRAYS]; /* (count) */
    /* By which they are computed (num/checksum.h); NULL: XXH64, as of files that
       were written before there was another. */
    const bnre__kernels *kernels;
} bnre__blocks;

size_t bnre__blocks_count(const bnre_dataset_info *info);

/* Room for the checksums of such data. Start from {0}. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__blocks_init(bnre__blocks *blocks,
                                              const bnre_dataset_info *info);
void bnre__blocks_clear(bnre__blocks *blocks);

/* Take rows first..first+n-1, which were just read: whole blocks, or up to the
   last row. Arrays that do not come with them are NULL. */
void bnre__blocks_take(bnre__blocks *blocks, const bnre__rows *rows,
                       size_t first, size_t n, const double *theta,
                       const double *nuisance, const void *x,
                       const uint8_t *status);

/* Why rows failed: two arrays, in pieces of any size, then the texts. */
typedef struct bnre__failure_hash {
    bnre__hash row, reason, text;
} bnre__failure_hash;
void bnre__failure_hash_init(bnre__failure_hash *hash);
void bnre__failure_hash_add(bnre__failure_hash *hash, size_t n,
                            const uint64_t *row, const uint32_t *reason);
void bnre__failure_hash_texts(bnre__failure_hash *hash, size_t n,
                              const char (*text)[BNRE_REASON_SIZE]);

/* The seal, 32 hexadecimal digits. Ends the hash of failures. */
void bnre__blocks_seal(const bnre__blocks *blocks,
                       const bnre_dataset_info *info, const char *fingerprint,
                       bnre__failure_hash *failures, char out[33]);

/* Which rows were compared: shared by all that have the same file open, each in
   a thread of its own perhaps. */
typedef struct bnre__sound bnre__sound;

/* What a file says of itself, and what is known of its rows. */
typedef struct bnre__verify {
    int ours;   /* it claims to be from this program */
    char *seal; /* NULL if it has none */
    bnre__blocks blocks;
    bnre__failure_hash failures;
    bnre__sound *sound;     /* NULL if there is nothing to compare with */
    unsigned char *scratch; /* an array of a block */
} bnre__verify;

void bnre__verify_clear(bnre__verify *verify);

/* Compare the seal with what was found on opening; it tells the kind of the
   checksums, too. Errors: EFORMAT when it does
   not match, or when something is missing that such files have; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__verify_seal(bnre_dataset *data);

/* A file that was opened before has the same seal: what was compared there need
   not be compared again. */
void bnre__verify_share(bnre__verify *verify, const bnre__verify *before);

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
