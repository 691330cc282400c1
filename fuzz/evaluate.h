/* evaluate.h - use an estimator as far as its reader lets it come. */
#ifndef BNRE_FUZZ_EVALUATE_H
#define BNRE_FUZZ_EVALUATE_H

#include <math.h>

#include "export/export.h"
#include "infer/estimator/evaluator.h"
#include "input.h"
#include "nn/net.h"

enum { FUZZ_MOST = 128, FUZZ_REALS = 1 << 20 };

/* A ratio by itself, and pairs. */
static inline void evaluate_pairs(const bnre_estimator *est,
                                  const double *theta, const double *x)
{
    double out, gradient[FUZZ_MOST];
    bnre__evaluator *eval = NULL;

    if (bnre__evaluator_open(&est->view[est->info.members], 2, &eval) !=
        BNRE_OK) {
        MUST_TELL();
        return;
    }
    if (bnre__evaluator_observe(eval, 1, x) != BNRE_OK)
        MUST_TELL();
    else if (bnre__evaluator_log_ratio(eval, 1, theta, &out, gradient, NULL) !=
             BNRE_OK)
        MUST_TELL();
    if (bnre__evaluator_pairs(eval, 0, 1, theta, x, &out) != BNRE_OK)
        MUST_TELL();
    bnre__evaluator_close(eval);
}

/* What a posterior does with it; draws are where its prior is. */
static inline void evaluate_density(const bnre_estimator *est,
                                    const double *theta, const double *x)
{
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    double out[4], drawn[4 * FUZZ_MOST];
    const size_t dim = est->info.dim_theta;
    void *session = NULL;

    if (density.open(density.context, &session) != BNRE_OK) {
        MUST_TELL();
        return;
    }
    if (density.observe(session, x) != BNRE_OK) {
        MUST_TELL();
    } else {
        if (density.log_ratio(session, 1, theta, out, NULL) != BNRE_OK)
            MUST_TELL();
        else
            MUST(!(out[0] == INFINITY));
        if (density.draw != NULL) {
            if (density.draw(session, 7, 0, 4, drawn) != BNRE_OK)
                MUST_TELL();
            else
                for (size_t i = 0; i < 4; i++)
                    MUST(bnre_prior_log_density(density.prior,
                                                drawn + i * dim) > -INFINITY);
        }
    }
    density.close(session);
}

/* As C and as ONNX: what is there can be written, or is refused in words. */
static inline void evaluate_export(const bnre_estimator *est)
{
    static const char *const name[] = {"export.c", "export.onnx"};
    const bnre__export_opts opts = {.name = "fuzz", .rows = 2, .force = 1};

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (bnre__export_save(est, input_path(name[i]), &opts) != BNRE_OK)
            MUST_TELL();
}

static inline void evaluate(const bnre_estimator *est)
{
    const size_t dim = est->info.dim_theta;
    const bnre__net *net =
        est->net != NULL ? est->net : bnre__chain_net(est->conditional->chain);
    double theta[FUZZ_MOST] = {0}, x[FUZZ_MOST];

    if (dim > FUZZ_MOST || est->info.x_size > FUZZ_MOST ||
        net->embedding->row > FUZZ_REALS || net->head->row > FUZZ_REALS)
        return;
    for (size_t j = 0; j < FUZZ_MOST; j++)
        x[j] = 0.5;
    for (size_t j = 0; j < dim; j++)
        theta[j] = bnre_prior_quantile(est->outline.prior, j, 0.5);
    evaluate_pairs(est, theta, x);
    evaluate_export(est);
    if (dim > 0)
        evaluate_density(est, theta, x);
}

#endif
