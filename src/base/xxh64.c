/* Y. Collet, "xxHash fast digest algorithm", version 0.1.1. */
#include "base/xxh64.h"

#include <string.h>

/* Words are taken as they are in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "checksums are of little-endian values");

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static inline uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

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
