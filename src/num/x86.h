/* x86.h - instructions of x86 by name, where compilers do not find them by
   themselves, and whether this processor has those of a set of kernels. */
#ifndef BNRE_NUM_X86_H
#define BNRE_NUM_X86_H

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifdef BNRE_HAVE_X86
static inline int bnre__has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline int bnre__has_avx512(void)
{
    return bnre__has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

#endif
