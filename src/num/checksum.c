/* checksum.c - XXH3: where its sums start, and what becomes of them; the plain
   kernel. */
#include "num/checksum.h"

#include <string.h>

#include "base/hash.h"

enum { SHORT = 240, MERGE = 11 /* where the key for the end is */ };

#define P1 UINT64_C(0x9E3779B185EBCA87)

/* Numbers of the algorithm, words of 192 bytes. */
const uint64_t bnre__checksum_secret[BNRE__SECRET / 8] = {
    UINT64_C(0xbe4ba423396cfeb8), UINT64_C(0x1cad21f72c81017c),
    UINT64_C(0xdb979083e96dd4de), UINT64_C(0x1f67b3b7a4a44072),
    UINT64_C(0x78e5c0cc4ee679cb), UINT64_C(0x2172ffcc7dd05a82),
    UINT64_C(0x8e2443f7744608b8), UINT64_C(0x4c263a81e69035e0),
    UINT64_C(0xcb00c391bb52283c), UINT64_C(0xa32e531b8b65d088),
    UINT64_C(0x4ef90da297486471), UINT64_C(0xd8acdea946ef1938),
    UINT64_C(0x3f349ce33f76faa8), UINT64_C(0x1d4f0bc7c7bbdcf9),
    UINT64_C(0x3159b4cd4be0518a), UINT64_C(0x647378d9c97e9fc8),
    UINT64_C(0xc3ebd33483acc5ea), UINT64_C(0xeb6313faffa081c5),
    UINT64_C(0x49daf0b751dd0d17), UINT64_C(0x9e68d429265516d3),
    UINT64_C(0xfca1477d58be162b), UINT64_C(0xce31d07ad1b8f88f),
    UINT64_C(0x280416958f3acb45), UINT64_C(0x7e404bbbcafbd7af)};

static uint64_t load_word(const unsigned char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static void take_stripe(const unsigned char *data, const unsigned char *key,
                        uint64_t sum[8])
{
    for (size_t i = 0; i < 8; i++) {
        const uint64_t word = load_word(data + 8 * i);
        const uint64_t mixed = word ^ load_word(key + 8 * i);

        sum[i ^ 1] += word;
        sum[i] += (mixed & 0xffffffff) * (mixed >> 32);
    }
}

static void stir(const unsigned char *key, uint64_t sum[8])
{
    for (size_t i = 0; i < 8; i++)
        sum[i] =
            (sum[i] ^ sum[i] >> 47 ^ load_word(key + 8 * i)) * BNRE__STIR_PRIME;
}

void bnre__checksum_sums_ref(const unsigned char *data, size_t bytes,
                             uint64_t sum[8])
{
    const unsigned char *secret = (const unsigned char *)bnre__checksum_secret;
    const size_t stripes = (bytes - 1) / BNRE__STRIPE;

    for (size_t i = 0; i < stripes; i++) {
        take_stripe(data + i * BNRE__STRIPE, secret + 8 * (i % BNRE__ROUND),
                    sum);
        if (i % BNRE__ROUND == BNRE__ROUND - 1)
            stir(secret + BNRE__STIR, sum);
    }
    take_stripe(data + bytes - BNRE__STRIPE, secret + BNRE__LAST_KEY, sum);
}

/* The halves of a product of 128 bits, one on the other. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t bnre__checksum(const bnre__kernels *kernels, const void *data,
                        size_t bytes)
{
    const unsigned char *key =
        (const unsigned char *)bnre__checksum_secret + MERGE;
    uint64_t sum[8] = {
        UINT64_C(0xC2B2AE3D),         P1,
        UINT64_C(0xC2B2AE3D27D4EB4F), UINT64_C(0x165667B19E3779F9),
        UINT64_C(0x85EBCA77C2B2AE63), UINT64_C(0x85EBCA77),
        UINT64_C(0x27D4EB2F165667C5), BNRE__STIR_PRIME};
    uint64_t out = bytes * P1;

    if (bytes <= SHORT)
        return bnre__xxh64(data, bytes);
    kernels->checksum_sums(data, bytes, sum);
    for (size_t i = 0; i < 8; i += 2)
        out += fold(sum[i] ^ load_word(key + 8 * i),
                    sum[i + 1] ^ load_word(key + 8 * i + 8));
    out = (out ^ out >> 37) * UINT64_C(0x165667919E3779F9);
    return out ^ out >> 32;
}
