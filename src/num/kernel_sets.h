/* kernel_sets.h - the sets that were built; kernels.c chooses. */
#ifndef BNRE_NUM_KERNEL_SETS_H
#define BNRE_NUM_KERNEL_SETS_H

#include "num/kernels.h"

extern const bnre__kernels bnre__kernels_ref;
extern const bnre__kernels bnre__kernels_portable;
#ifdef BNRE_HAVE_X86
extern const bnre__kernels bnre__kernels_avx2, bnre__kernels_avx512;
#endif

/* f(x), and f'(x) told from y = f(x). */
float bnre__apply_ref(bnre__activation activation, float slope, float x);
float bnre__derivative_ref(bnre__activation activation, float slope, float y);

#endif
