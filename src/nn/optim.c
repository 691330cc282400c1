/* optim.c - AdamW, plainly. */
#include <math.h>

#include "nn/plain.h"
#include "nn/plan.h"

bnre__adam bnre__adam_default(void)
{
    return (bnre__adam){
        .learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

void bnre__adam_step(const bnre__adam *adam, uint64_t t, size_t n,
                     const bnre__real *g, bnre__real *w, bnre__real *m,
                     bnre__real *v)
{
    const double correct1 = 1 - pow(adam->beta1, (double)t);
    const double correct2 = 1 - pow(adam->beta2, (double)t);

    for (size_t i = 0; i < n; i++) {
        const double gradient = (double)g[i];
        double first = (double)m[i], second = (double)v[i];

        first += (1 - adam->beta1) * (gradient - first);
        second += (1 - adam->beta2) * (gradient * gradient - second);
        m[i] = (bnre__real)first;
        v[i] = (bnre__real)second;
        w[i] = (bnre__real)((double)w[i] *
                                (1 - adam->learning_rate * adam->decay) -
                            adam->learning_rate * (first / correct1) /
                                (sqrt(second / correct2) + adam->epsilon));
    }
}

double bnre__clip_factor(const bnre__adam *adam, size_t n, const bnre__real *g)
{
    double squares = 0;

    if (adam->clip <= 0)
        return 1;
    for (size_t i = 0; i < n; i++)
        squares += (double)g[i] * (double)g[i];
    return sqrt(squares) <= adam->clip ? 1 : adam->clip / sqrt(squares);
}
