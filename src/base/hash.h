/* hash.h - SipHash-2-4: checksums of journals, hashes of rows, fingerprints. */
#ifndef BNRE_HASH_H
#define BNRE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bnre__hash {
    uint64_t v[4];
    uint64_t length;
    uint64_t tail; /* bytes not yet mixed, the first one lowest */
    int wide;      /* 128-bit result */
} bnre__hash;

/* A 64-bit or (wide) 128-bit hash with the given key. */
void bnre__hash_init(bnre__hash *hash, uint64_t k0, uint64_t k1, int wide);
void bnre__hash_add(bnre__hash *hash, const void *data, size_t bytes);
void bnre__hash_add_u64(bnre__hash *hash, uint64_t value); /* little-endian */
void bnre__hash_add_text(bnre__hash *hash, const char *text); /* and its end */
/* out[1] is written for wide hashes only. */
void bnre__hash_end(bnre__hash *hash, uint64_t *out);

/* 64 bits of `bytes` bytes under a key of zeros. */
uint64_t bnre__hash_bytes(const void *data, size_t bytes);

/* Add n numbers as what floats make of them: what was read as a double from one
   file and as a float from another is the same. */
void bnre__hash_add_floats(bnre__hash *hash, const double *value, size_t n);
uint64_t bnre__hash_floats(const double *value, size_t n);

/* A wide hash as 32 hexadecimal digits, with a final 0. */
void bnre__hash_end_hex(bnre__hash *hash, char out[33]);

/* XXH64, a checksum as fast as memory: it finds damage, and is no
   proof against somebody who wants to deceive (see hash.h for that). */

/* With seed 0, as xxh64sum prints it. */
uint64_t bnre__xxh64(const void *data, size_t bytes);

#endif
