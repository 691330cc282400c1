/* factor_loss.c - the loss of one factor of a conditional density. */
#include "infer/train/factor_loss.h"

#include <math.h>

#include "num/sigmoid.h"

/* Of the average over steps: it remembers about fifty of them. */
#define KEEP 0.98

static double weight_of(const double *w, size_t i)
{
    return w != NULL ? w[i] : 1;
}

bnre__loss bnre__factor_loss(double lambda, size_t n, const double *w,
                             const float *l, const float *m, double *balance,
                             float *dl, float *dm)
{
    const double each = 1 / (double)n;
    bnre__loss loss = {.balance = 1};
    double push = 0;

    for (size_t i = 0; i < n; i++)
        loss.cross_entropy -= each * weight_of(w, i) * (double)l[i];
    if (lambda > 0) {
        loss.balance = 0;
        for (size_t i = 0; i < n; i++)
            loss.balance +=
                each * weight_of(w, i) *
                (bnre__sigmoid((double)l[i]) + bnre__sigmoid((double)m[i]));
        if (balance != NULL) {
            *balance = *balance > 0
                           ? KEEP * *balance + (1 - KEEP) * loss.balance
                           : loss.balance;
            loss.balance = *balance;
        }
        push = 2 * lambda * (loss.balance - 1);
    }
    loss.value =
        loss.cross_entropy + lambda * (loss.balance - 1) * (loss.balance - 1);
    for (size_t i = 0; dl != NULL && i < n; i++) {
        const double of = each * weight_of(w, i);

        dl[i] = (float)(of * (push * bnre__sigmoid_slope((double)l[i]) - 1));
        if (lambda > 0)
            dm[i] = (float)(of * push * bnre__sigmoid_slope((double)m[i]));
    }
    return loss;
}

void bnre__factor_add(bnre__factor_sums *sums, size_t n, const double *w,
                      const float *l, size_t draws, const float *m)
{
    for (size_t i = 0; i < n; i++) {
        const double own = bnre__sigmoid((double)l[i]), of = weight_of(w, i);
        double d = own;

        for (size_t k = 0; k < draws; k++)
            d += bnre__sigmoid((double)m[k * n + i]) / (double)draws;
        sums->rows += of;
        sums->squares += of * of;
        sums->log_loss -= of * (double)l[i];
        sums->d += of * d;
        sums->d2 += of * d * d;
        sums->certainty += of * fabs(2 * own - 1);
    }
}

bnre__set_loss bnre__factor_set(const bnre__factor_sums *sums, double lambda)
{
    const double n = sums->rows, balance = sums->d / n;
    const double effective = n * n / sums->squares;
    const double variance =
        (sums->d2 / n - balance * balance) / (effective - 1);
    const double excess = (balance - 1) * (balance - 1) - variance;

    return (bnre__set_loss){
        .loss = sums->log_loss / n + (excess > 0 ? lambda * excess : 0),
        .cross_entropy = sums->log_loss / n,
        .balance = balance,
        .variance = variance,
        .certainty = sums->certainty / n,
    };
}
