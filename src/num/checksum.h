/* checksum.h - a checksum that costs next to nothing beside reading what it is
   of: XXH3 with 64 bits and seed 0, as xxhsum -H3 prints it, for more than 240
   bytes, and XXH64 for fewer. It finds damage, and is no proof against somebody
   who wants to deceive.

   Eight sums take stripes of eight words,

     sum[i] += word[i ^ 1] + low(word[i] ^ key[i]) high(word[i] ^ key[i]),

   low and high being the halves, where the key moves on by a word with each
   stripe. After BNRE__ROUND stripes the sums are stirred, and the key begins
   anew. The last 64 bytes, which may overlap the stripe before, have a key of
   their own. */
#ifndef BNRE_NUM_CHECKSUM_H
#define BNRE_NUM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "num/kernels.h"

enum {
    BNRE__STRIPE = 64,   /* bytes */
    BNRE__SECRET = 192,  /* bytes that keys are taken from */
    BNRE__ROUND = 16,    /* stripes: (SECRET - STRIPE) / 8 */
    BNRE__STIR = 128,    /* where the key for stirring is in the secret, */
    BNRE__LAST_KEY = 121 /* and that of the last stripe */
};

/* How stirring multiplies. */
#define BNRE__STIR_PRIME UINT64_C(0x9E3779B1)

extern const uint64_t bnre__checksum_secret[BNRE__SECRET / 8];

/* By the kernels of a set. */
uint64_t bnre__checksum(const bnre__kernels *kernels, const void *data,
                        size_t bytes);

/* The part of each set: sums, which start from the caller's, of more bytes than
   a stripe. */
typedef void bnre__checksum_sums(const unsigned char *data, size_t bytes,
                                 uint64_t sum[8]);
bnre__checksum_sums bnre__checksum_sums_ref, bnre__checksum_sums_portable,
    bnre__checksum_sums_avx2, bnre__checksum_sums_avx512;

#endif
