/* loss.c - what training makes small. */
#include "infer/train/loss.h"

#include "num/sigmoid.h"

bnre__loss bnre__loss_balanced(double lambda, size_t n, const bnre__real *a,
                               const bnre__real *b, bnre__real *da,
                               bnre__real *db)
{
    const double each = 1 / (double)n;
    bnre__loss loss = {0};
    double push;

    for (size_t i = 0; i < n; i++) {
        loss.cross_entropy += each * (bnre__softplus(-(double)a[i]) +
                                      bnre__softplus((double)b[i]));
        loss.balance +=
            each * (bnre__sigmoid((double)a[i]) + bnre__sigmoid((double)b[i]));
    }
    loss.value =
        loss.cross_entropy + lambda * (loss.balance - 1) * (loss.balance - 1);
    push = 2 * lambda * (loss.balance - 1);
    for (size_t i = 0; da != NULL && i < n; i++) {
        const double x = (double)a[i], y = (double)b[i];

        da[i] = (bnre__real)(each * (-bnre__sigmoid(-x) +
                                     push * bnre__sigmoid_slope(x)));
        db[i] = (bnre__real)(each * (bnre__sigmoid(y) +
                                     push * bnre__sigmoid_slope(y)));
    }
    return loss;
}
