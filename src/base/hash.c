/* hash.c - SipHash-2-4 (Aumasson and Bernstein 2012) with a fixed key, in
   pieces: the same bytes give the same hash however they are handed over,
   floats as the bits that files keep; and XXH64 (Y. Collet, "xxHash fast
   digest algorithm", version 0.1.1). */
#include "base/hash.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static void absorb(bnre__hash *hash, uint64_t word)
{
    hash->v[3] ^= word;
    mix(hash->v);
    mix(hash->v);
    hash->v[0] ^= word;
}

/* Eight bytes, the first one lowest, on machines of either order; compilers see
   one load in this. */
static inline uint64_t load(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
           (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* Whole words, with the state in registers. */
static void absorb_words(bnre__hash *hash, const unsigned char *p, size_t words)
{
    uint64_t v[4] = {hash->v[0], hash->v[1], hash->v[2], hash->v[3]};

    for (; words > 0; words--, p += 8) {
        const uint64_t word = load(p);

        v[3] ^= word;
        mix(v);
        mix(v);
        v[0] ^= word;
    }
    for (int i = 0; i < 4; i++)
        hash->v[i] = v[i];
}

void bnre__hash_init(bnre__hash *hash, uint64_t k0, uint64_t k1, int wide)
{
    *hash = (bnre__hash){
        .v = {k0 ^ UINT64_C(0x736f6d6570736575),
              k1 ^ UINT64_C(0x646f72616e646f6d),
              k0 ^ UINT64_C(0x6c7967656e657261),
              k1 ^ UINT64_C(0x7465646279746573)},
        .wide = wide,
    };
    if (wide)
        hash->v[1] ^= 0xee;
}

void bnre__hash_add(bnre__hash *hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;

    for (; bytes > 0 && hash->length % 8 != 0; bytes--) {
        hash->tail |= (uint64_t)*p++ << 8 * (hash->length % 8);
        if (++hash->length % 8 == 0) {
            absorb(hash, hash->tail);
            hash->tail = 0;
        }
    }
    if (bytes >= 8) {
        absorb_words(hash, p, bytes / 8);
        p += bytes / 8 * 8;
        hash->length += bytes / 8 * 8;
        bytes %= 8;
    }
    for (; bytes > 0; bytes--, hash->length++)
        hash->tail |= (uint64_t)*p++ << 8 * (hash->length % 8);
}

void bnre__hash_add_u64(bnre__hash *hash, uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    bnre__hash_add(hash, bytes, sizeof bytes);
}

void bnre__hash_add_text(bnre__hash *hash, const char *text)
{
    bnre__hash_add(hash, text, strlen(text) + 1);
}

static uint64_t squeeze(bnre__hash *hash)
{
    for (int i = 0; i < 4; i++)
        mix(hash->v);
    return hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
}

void bnre__hash_end(bnre__hash *hash, uint64_t *out)
{
    absorb(hash, hash->length << 56 | hash->tail);
    hash->v[2] ^= hash->wide ? 0xee : 0xff;
    out[0] = squeeze(hash);
    if (hash->wide) {
        hash->v[1] ^= 0xdd;
        out[1] = squeeze(hash);
    }
}

uint64_t bnre__hash_bytes(const void *data, size_t bytes)
{
    bnre__hash hash;
    uint64_t out;

    bnre__hash_init(&hash, 0, 0, 0);
    bnre__hash_add(&hash, data, bytes);
    bnre__hash_end(&hash, &out);
    return out;
}

static float to_float(double value)
{
    const double end = (double)FLT_MAX;

    return (float)(value > end ? end : value < -end ? -end : value);
}

void bnre__hash_add_floats(bnre__hash *hash, const double *value, size_t n)
{
    enum { PIECE = 256 };
    float piece[PIECE];

    for (size_t at = 0, m; at < n; at += m) {
        m = n - at < PIECE ? n - at : PIECE;
        for (size_t i = 0; i < m; i++)
            piece[i] = to_float(value[at + i]);
        bnre__hash_add(hash, piece, m * sizeof *piece);
    }
}

uint64_t bnre__hash_floats(const double *value, size_t n)
{
    bnre__hash hash;
    uint64_t out;

    bnre__hash_init(&hash, 0, 0, 0);
    bnre__hash_add_floats(&hash, value, n);
    bnre__hash_end(&hash, &out);
    return out;
}

void bnre__hash_end_hex(bnre__hash *hash, char out[33])
{
    uint64_t word[2] = {0, 0};

    bnre__hash_end(hash, word);
    snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, word[0], word[1]);
}

/* Words are taken as they are in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "checksums are of little-endian values");

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static inline uint64_t take_round(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * P2, 31) * P1;
}

static inline uint64_t load64(const unsigned char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t load32(const unsigned char *p)
{
    uint32_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* Four lanes side by side: each has to wait for its own multiplications only.
 *data is left at the last bytes, fewer than 32. */
static uint64_t take_stripes(const unsigned char **data, size_t stripes)
{
    const unsigned char *p = *data;
    uint64_t a = P1 + P2, b = P2, c = 0, d = 0 - P1, hash;

    for (; stripes > 0; stripes--, p += 32) {
        a = take_round(a, load64(p));
        b = take_round(b, load64(p + 8));
        c = take_round(c, load64(p + 16));
        d = take_round(d, load64(p + 24));
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    hash = (hash ^ take_round(0, a)) * P1 + P4;
    hash = (hash ^ take_round(0, b)) * P1 + P4;
    hash = (hash ^ take_round(0, c)) * P1 + P4;
    hash = (hash ^ take_round(0, d)) * P1 + P4;
    *data = p;
    return hash;
}

uint64_t bnre__xxh64(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t hash = bytes >= 32 ? take_stripes(&p, bytes / 32) : P5;
    size_t left = bytes % 32;

    hash += bytes;
    for (; left >= 8; left -= 8, p += 8)
        hash = rotate(hash ^ take_round(0, load64(p)), 27) * P1 + P4;
    if (left >= 4) {
        hash = rotate(hash ^ load32(p) * P1, 23) * P2 + P3;
        left -= 4;
        p += 4;
    }
    for (; left > 0; left--, p++)
        hash = rotate(hash ^ *p * P5, 11) * P1;
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}
