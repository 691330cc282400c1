#include "infer/train/loss.h"

#include <math.h>

/* log(1 + exp(x)) without overflow, and with full accuracy far below 0. */
static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double sigmoid(double x)
{
    const double e = exp(-fabs(x));

    return (x > 0 ? 1 : e) / (1 + e);
}

/* sigmoid(x) (1 - sigmoid(x)), also where 1 - sigmoid(x) rounds to 0. */
static double sigmoid_slope(double x)
{
    const double e = exp(-fabs(x));

    return e / ((1 + e) * (1 + e));
}

bnre__loss bnre__loss_balanced(double lambda, size_t n, const bnre__real *a,
                               const bnre__real *b, bnre__real *da,
                               bnre__real *db)
{
    const double each = 1 / (double)n;
    bnre__loss loss = {0};
    double push;

    for (size_t i = 0; i < n; i++) {
        loss.cross_entropy +=
            each * (softplus(-(double)a[i]) + softplus((double)b[i]));
        loss.balance += each * (sigmoid((double)a[i]) + sigmoid((double)b[i]));
    }
    loss.value =
        loss.cross_entropy + lambda * (loss.balance - 1) * (loss.balance - 1);
    push = 2 * lambda * (loss.balance - 1);
    for (size_t i = 0; da != NULL && i < n; i++) {
        const double x = (double)a[i], y = (double)b[i];

        da[i] = (bnre__real)(each * (-sigmoid(-x) + push * sigmoid_slope(x)));
        db[i] = (bnre__real)(each * (sigmoid(y) + push * sigmoid_slope(y)));
    }
    return loss;
}
