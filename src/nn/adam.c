/* adam.c - one step of AdamW (Loshchilov and Hutter 2019): rates of a step,
   then a kernel over blocks of weights. */
#include "nn/adam.h"
#include "nn/plan.h"

#include <math.h>
#include <string.h>

bnre__adam_rates bnre__adam_rates_of(const bnre__adam *adam, uint64_t t)
{
    return (bnre__adam_rates){
        .beta1 = (float)adam->beta1,
        .beta2 = (float)adam->beta2,
        .epsilon = (float)adam->epsilon,
        .step =
            (float)(adam->learning_rate / (1 - pow(adam->beta1, (double)t))),
        .unbias = (float)(1 / (1 - pow(adam->beta2, (double)t))),
        .keep = (float)(1 - adam->learning_rate * adam->decay),
    };
}

struct job {
    const bnre__kernels *kernels;
    const bnre__adam_rates *rates;
    const float *g;
    float *w, *m, *v;
};

static bnre_status update_some(void *arg, size_t worker, size_t first,
                               size_t last)
{
    enum { PANEL = BNRE__PANEL };
    const struct job *job = arg;
    const size_t whole = (last - first) / PANEL * PANEL, at = first + whole;
    const size_t rest = (last - at) * sizeof(float);
    _Alignas(64) float g[PANEL] = {0}, w[PANEL] = {0}, m[PANEL] = {0},
                       v[PANEL] = {0};

    (void)worker;
    job->kernels->adam(job->rates, whole, job->g + first, job->w + first,
                       job->m + first, job->v + first);
    if (rest == 0)
        return BNRE_OK;
    memcpy(g, job->g + at, rest);
    memcpy(w, job->w + at, rest);
    memcpy(m, job->m + at, rest);
    memcpy(v, job->v + at, rest);
    job->kernels->adam(job->rates, PANEL, g, w, m, v);
    memcpy(job->w + at, w, rest);
    memcpy(job->m + at, m, rest);
    memcpy(job->v + at, v, rest);
    return BNRE_OK;
}

void bnre__adam_block(const bnre__kernels *kernels, bnre_pool *pool,
                      const bnre__adam_rates *rates, size_t n, const float *g,
                      float *w, float *m, float *v)
{
    struct job job = {kernels, rates, g, w, m, v};
    bnre_status status =
        bnre_pool_for(pool, n, 4096 * BNRE__PANEL, update_some, &job);

    (void)status; /* cannot fail */
}
