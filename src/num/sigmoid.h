/* sigmoid.h - the logistic function and its kin, without overflow, and with all
   digits far out on either side. */
#ifndef BNRE_NUM_SIGMOID_H
#define BNRE_NUM_SIGMOID_H

#include <math.h>

/* 1 / (1 + exp(-x)) */
static inline double bnre__sigmoid(double x)
{
    const double e = exp(-fabs(x));

    return (x > 0 ? 1 : e) / (1 + e);
}

/* sigmoid(x) (1 - sigmoid(x)), also where 1 - sigmoid(x) rounds to 0. */
static inline double bnre__sigmoid_slope(double x)
{
    const double e = exp(-fabs(x));

    return e / ((1 + e) * (1 + e));
}

/* log(1 + exp(x)) */
static inline double bnre__softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

#endif
