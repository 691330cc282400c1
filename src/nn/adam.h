/* adam.h - AdamW through the kernels. */
#ifndef BNRE_NN_ADAM_H
#define BNRE_NN_ADAM_H

#include "nn/net.h"
#include "nn/plan.h"
#include "num/kernels.h"

/* The rates of step t (from 1). */
bnre__adam_rates bnre__adam_rates_of(const bnre__adam *adam, uint64_t t);

/* One step on n weights (aligned to 64 bytes), shared by the pool. */
void bnre__adam_block(const bnre__kernels *kernels, bnre_pool *pool,
                      const bnre__adam_rates *rates, size_t n, const float *g,
                      float *w, float *m, float *v);

#endif
