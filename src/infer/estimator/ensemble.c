/* ensemble.c - one estimate from several. */
#include <math.h>

#include "infer/estimator/estimator.h"
#include "num/sigmoid.h"

static const double edge = 1e-6; /* of mean probabilities */

/* log mean_k exp(l_k); its derivative by l_k is the share of exp(l_k). */
static double combine_ratios(size_t members, size_t n, const float *logit,
                             double *weight)
{
    double top = -HUGE_VAL, sum = 0;

    for (size_t k = 0; k < members; k++) {
        if (isnan(logit[k * n]))
            return NAN;
        top = fmax(top, (double)logit[k * n]);
    }
    if (isinf(top)) { /* all -inf; or +inf, which the caller refuses */
        for (size_t k = 0; weight != NULL && k < members; k++)
            weight[k * n] = 0;
        return top;
    }
    for (size_t k = 0; k < members; k++)
        sum += exp((double)logit[k * n] - top);
    for (size_t k = 0; weight != NULL && k < members; k++)
        weight[k * n] = exp((double)logit[k * n] - top) / sum;
    return top + log(sum / (double)members);
}

/* logit(p), p = mean_k sigmoid(l_k); its derivative by l_k is
   sigmoid'(l_k) / (K p (1 - p)). */
static double combine_probabilities(size_t members, size_t n,
                                    const float *logit, double *weight)
{
    double yes = 0, no = 0;

    for (size_t k = 0; k < members; k++) {
        yes += bnre__sigmoid((double)logit[k * n]) / (double)members;
        no += bnre__sigmoid(-(double)logit[k * n]) / (double)members;
    }
    for (size_t k = 0; weight != NULL && k < members; k++) {
        const double l = (double)logit[k * n];

        weight[k * n] = yes < edge || no < edge
                            ? 0
                            : bnre__sigmoid(l) * bnre__sigmoid(-l) /
                                  ((double)members * yes * no);
    }
    if (yes < edge)
        return log(edge) - log1p(-edge);
    if (no < edge)
        return log1p(-edge) - log(edge);
    return log(yes) - log(no);
}

void bnre__ensemble(bnre_combine combine, size_t members, size_t n,
                    const float *logit, double *out, double *weight)
{
    for (size_t i = 0; i < n; i++) {
        double *w = weight == NULL ? NULL : weight + i;

        if (members > 1 && combine == BNRE_COMBINE_PROBABILITY)
            out[i] = combine_probabilities(members, n, logit + i, w);
        else
            out[i] = combine_ratios(members, n, logit + i, w);
    }
}
