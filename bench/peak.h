/* peak.h - the most multiply-adds that a core does: on registers, with nothing
   to load. Clocks drift, so this is measured between whatever is compared with
   it. */
#ifndef BNRE_BENCH_PEAK_H
#define BNRE_BENCH_PEAK_H

#include "num/kernels.h"
#include "num/x86.h"

enum { BENCH_PEAK_LOOPS = 1000000 };

#if defined(__x86_64__)
/* Twelve sums keep both units busy while results are on their way. */
__attribute__((target("avx2,fma"))) static inline double
bench_multiply_add(void)
{
    /* Not known beforehand, or all calls would be one. */
    static volatile float factor = 0.999f;
    const __m256 a = _mm256_set1_ps(factor), b = _mm256_set1_ps(1e-3f);
    __m256 sum[12];
    float out[8];

    for (int k = 0; k < 12; k++)
        sum[k] = _mm256_set1_ps((float)k);
    for (int i = 0; i < BENCH_PEAK_LOOPS; i++) {
#define ADD(k) sum[k] = _mm256_fmadd_ps(sum[k], a, b)
        ADD(0), ADD(1), ADD(2), ADD(3), ADD(4), ADD(5);
        ADD(6), ADD(7), ADD(8), ADD(9), ADD(10), ADD(11);
#undef ADD
    }
    for (int k = 1; k < 12; k++)
        sum[0] = _mm256_add_ps(sum[0], sum[k]);
    _mm256_storeu_ps(out, sum[0]);
    return (double)out[0];
}

/* The same in vectors of 16. */
__attribute__((target("avx512f"))) static inline double
bench_multiply_add_wide(void)
{
    static volatile float factor = 0.999f;
    const __m512 a = _mm512_set1_ps(factor), b = _mm512_set1_ps(1e-3f);
    __m512 sum[12];

    for (int k = 0; k < 12; k++)
        sum[k] = _mm512_set1_ps((float)k);
    for (int i = 0; i < BENCH_PEAK_LOOPS; i++) {
#define ADD(k) sum[k] = _mm512_fmadd_ps(sum[k], a, b)
        ADD(0), ADD(1), ADD(2), ADD(3), ADD(4), ADD(5);
        ADD(6), ADD(7), ADD(8), ADD(9), ADD(10), ADD(11);
#undef ADD
    }
    for (int k = 1; k < 12; k++)
        sum[0] = _mm512_add_ps(sum[0], sum[k]);
    return (double)_mm512_reduce_add_ps(sum[0]);
}
#endif

/* Elsewhere a product so small that it stays in the first cache. */
static inline double bench_multiply_small(void)
{
    enum { INPUTS = 480, TIMES = BENCH_PEAK_LOOPS / INPUTS };
    static const _Alignas(64) float a[BNRE__TILE * INPUTS], w[INPUTS * 16];
    _Alignas(64) float y[BNRE__TILE * 16];
    const bnre__product product = {.rows = BNRE__TILE,
                                   .inputs = INPUTS,
                                   .panels = 1,
                                   .a = a,
                                   .w = w,
                                   .y = y,
                                   .activation = BNRE__IDENTITY};

    for (int i = 0; i < TIMES; i++)
        bnre__kernels_best()->product(&product, 0, BNRE__TILE);
    return (double)y[0];
}

/* Returns the operations that were done. */
static inline double bench_reach_peak(void)
{
    static volatile double sink;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        sink = bench_multiply_add_wide();
        return 2.0 * 12 * 16 * BENCH_PEAK_LOOPS;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        sink = bench_multiply_add();
        return 2.0 * 12 * 8 * BENCH_PEAK_LOOPS;
    }
#endif
    sink = bench_multiply_small();
    (void)sink;
    return 2.0 * BNRE__TILE * 16 * (BENCH_PEAK_LOOPS / 480) * 480;
}

#endif
