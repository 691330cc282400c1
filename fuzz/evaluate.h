/* evaluate.h - use an estimator as far as its reader lets it come. */
#ifndef BNRE_FUZZ_EVALUATE_H
#define BNRE_FUZZ_EVALUATE_H

#include "infer/estimator/evaluator.h"
#include "input.h"
#include "nn/net.h"

static inline void evaluate(const bnre_estimator *est)
{
    enum { MOST = 128, MOST_REALS = 1 << 20 };
    const size_t dim = est->info.dim_theta;
    bnre__evaluator *eval = NULL;
    double theta[MOST] = {0}, out, gradient[MOST];
    double x[MOST];

    if (dim > MOST || est->info.x_size > MOST ||
        est->net->embedding->row > MOST_REALS ||
        est->net->head->row > MOST_REALS)
        return;
    for (size_t j = 0; j < MOST; j++)
        x[j] = 0.5f;
    for (size_t j = 0; j < dim; j++)
        theta[j] = bnre_prior_quantile(est->outline.prior, j, 0.5);
    if (bnre__evaluator_open(&est->view[est->info.members], 2, &eval) !=
        BNRE_OK) {
        MUST_TELL();
        return;
    }
    if (bnre__evaluator_observe(eval, x) != BNRE_OK)
        MUST_TELL();
    else if (bnre__evaluator_log_ratio(eval, 1, theta, &out, gradient, NULL) !=
             BNRE_OK)
        MUST_TELL();
    if (bnre__evaluator_pairs(eval, 0, 1, theta, x, &out) != BNRE_OK)
        MUST_TELL();
    bnre__evaluator_close(eval);
}

#endif
