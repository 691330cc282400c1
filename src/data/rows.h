/* rows.h - rows of pairs, wherever they come from: blocks, hashes, checks. */
#ifndef BNRE_DATA_ROWS_H
#define BNRE_DATA_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "bnre/dataset.h"
#include "bnre/rng.h"

/* What hashes and seals cover where x is double. */
#define BNRE__X_DOUBLE "x in double precision"

/* Rows that can be asked for again and again: an open file, a journal. */
typedef struct bnre__rows {
    const bnre_dataset_info *info;
    void *self;
    /* Rows first..first+n-1 into arrays with n rows each; any may be NULL. x is
       float, or double if info->x_double. reason[i] is "" for rows that did not
       fail. */
    bnre_status (*read)(void *self, size_t first, size_t n, double *theta,
                        double *nuisance, void *x, uint8_t *status,
                        char (*reason)[BNRE_REASON_SIZE]);
    /* Checksums of all blocks (see verify.h), if rows are compared with them as
       they are read, and they are those that are written; NULL if not. */
    const uint64_t (*sums)[4];
    /* Their fingerprint, if such checksums stand for it; NULL if not. */
    const char *fingerprint;
} bnre__rows;

/* Memory for some rows. */
typedef struct bnre__block {
    size_t rows;
    double *theta, *nuisance;
    void *x;
    uint8_t *status;
    char (*reason)[BNRE_REASON_SIZE];
} bnre__block;

/* Bytes of the x of a row; and of its theta, nuisance, x and status. */
size_t bnre__x_bytes(const bnre_dataset_info *info);
size_t bnre__row_bytes(const bnre_dataset_info *info);

/* As many rows as fit into `bytes`, at least 1 and at most `most`. */
size_t bnre__rows_within(const bnre_dataset_info *info, size_t bytes,
                         size_t most);

/* Rows of a block that has a checksum (see verify.h). They are few, so that one
   row costs little to verify; enough for checksums to take a thousandth of the
   file. */
size_t bnre__rows_checked(const bnre_dataset_info *info);

/* Rows that are handled at a time when all are read or written: about 1 MiB,
   whole blocks. */
size_t bnre__rows_at_a_time(const bnre_dataset_info *info);

/* Room for `rows` rows. Start from {0}. */
BNRE_MUST_CHECK bnre_status bnre__block_init(bnre__block *block,
                                             const bnre_dataset_info *info,
                                             size_t rows);
void bnre__block_clear(bnre__block *block);

/* Read rows first..first+n-1 into a block. */
BNRE_MUST_CHECK bnre_status bnre__block_read(const bnre__block *block,
                                             const bnre__rows *rows,
                                             size_t first, size_t n);

/* 64 bits that tell a pair from others: equal theta and x (as floats), equal
   hash. Serves to find pairs that are in two files. */
uint64_t bnre__row_hash(size_t dim_theta, const double *theta, size_t x_size,
                        const double *x);

/* The fingerprint of data: begin, then all rows in order, then end. Arrays are
   hashed apart, so that they may also come one after the other: those not given
   are NULL; x comes with the status, and what a failed row has for an x does
   not count. Rows that have a fingerprint, and are compared with checksums as
   they are read, are not hashed once more. */
typedef struct bnre__fingerprint {
    bnre__hash head, theta, nuisance, x, status;
    const char *known; /* NULL if it is to be found */
} bnre__fingerprint;

void bnre__fingerprint_begin(bnre__fingerprint *print, const bnre__rows *rows);
void bnre__fingerprint_add(bnre__fingerprint *print,
                           const bnre_dataset_info *info, size_t n,
                           const double *theta, const double *nuisance,
                           const void *x, const uint8_t *status);
void bnre__fingerprint_end(bnre__fingerprint *print, char out[33]);
BNRE_MUST_CHECK bnre_status bnre__rows_fingerprint(const bnre__rows *rows,
                                                   char out[33]);

/* Read all rows, block after block, with why some failed if `reasons` are
   wanted, hand each block on, and give the fingerprint. Errors: those of reading
   and of `fn`; ENOMEM. */
typedef bnre_status (*bnre__block_fn)(void *arg, const bnre__block *block,
                                      size_t first, size_t n);
BNRE_MUST_CHECK bnre_status bnre__rows_each(const bnre__rows *rows, int reasons,
                                            bnre__block_fn fn, void *arg,
                                            char fingerprint[33]);

/* Some of the pairs of a file, as good a sample as all of them.

   Simulations of draws from the prior are independent of each other: the first
   ones do. A file from elsewhere, or of given parameters, may be sorted: some
   are drawn, whatever they hold. */

typedef struct bnre__thin {
    bnre_rng rng;
    int draws;
    size_t left; /* pairs to decide on */
    size_t want; /* of these, to take */
} bnre__thin;

/* Take `most` of n pairs of the file, or all (0, or more than there are). The
   same seed and split take the same ones. */
bnre__thin bnre__thin_begin(const bnre_dataset_info *info, size_t n,
                            size_t most, uint64_t seed, bnre_split split);

/* Whether the next pair is taken; for each of the n in turn. */
int bnre__thin_next(bnre__thin *thin);

/* Draws of p(theta) P(result | theta) become draws of p(theta) where each is
   kept with a probability proportional to 1 / P: keep[i] tells, for n rows with
   P in p (n) above 0; returns how many are kept. Row i has the same chance
   number with the same seed and split. */
size_t bnre__thin_level(size_t n, const double *p, uint64_t seed,
                        bnre_split split, uint8_t *keep);

#endif
