/* gradient1d.h - the kernels of gradient1d_simd.c in the set that is being
   built. */
#ifndef BNRE_NUM_GRADIENT1D_H
#define BNRE_NUM_GRADIENT1D_H

#include "num/conv1d.h"
#include "num/simd.h"

enum { SIDE = LANES > 8 ? LANES : 8 }; /* observations side by side */

void BNRE_IN_SET(bnre__gradient1d)(const bnre__gradient1d *job, size_t n);
void BNRE_IN_SET(bnre__derive1d)(bnre__activation activation, float slope,
                                 size_t n, const float *y, float *d);
void BNRE_IN_SET(bnre__gelu1d)(size_t n, const float *x, float *y);
void BNRE_IN_SET(bnre__gelu_back1d)(size_t n, const float *x, float *d);
void BNRE_IN_SET(bnre__gelu_both1d)(size_t n, float *x, float *y);

#endif
