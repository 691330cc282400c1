/* gaps.c - values of parameters that come again and again.

   Parameters on a grid, rounded, or drawn with replacement from a table: a
   density of them becomes a spike at each value, as narrow as the floor of
   widths lets it. So in training a value stands for its part of the line, from
   half way to the value below to half way to the one above: each time it is
   somewhere in there by chance. Densities then are as fine as values are apart,
   and no finer. (Theis and others, A note on the evaluation of generative
   models, 2016, for pixels.) */
#include "infer/train/gaps.h"

#include <math.h>

#include "base/mem.h"
#include "base/sort.h"

/* Values in order, each once; how many. */
static size_t distinct(size_t n, double *value)
{
    size_t kept = 1;

    bnre__sort_doubles(n, value);
    for (size_t i = 1; i < n; i++)
        if (value[i] > value[kept - 1])
            value[kept++] = value[i];
    return kept;
}

bnre_status bnre__gaps_find(bnre__conditional *c, size_t factor, size_t n,
                            const double *theta, size_t *values)
{
    enum { ENOUGH = 100 };
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    double *value = NULL;

    *values = 0;
    if (n < ENOUGH || c->line[factor].range == BNRE__VALUES)
        return BNRE_OK;
    BNRE_NEW(value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = theta[i * dim + c->order[factor]];
    *values = distinct(n, value);
    if (*values < 2 || *values >= n / 2) {
        *values = 0;
        goto done;
    }
    if (!bnre__coordinates_alone(c->coordinates, factor))
        goto done;
    if (c->gaps == NULL)
        BNRE_NEW(c->gaps, c->factors);
    bnre__free(c->gaps[factor].value);
    c->gaps[factor] = (bnre__gaps){0};
    for (size_t i = 0; i < n; i++)
        value[i] = (double)(float)bnre__coordinates_at(c->coordinates, factor,
                                                       theta + i * dim);
    BNRE_NEW(c->gaps[factor].value, n);
    c->gaps[factor].n = distinct(n, value);
    for (size_t i = 0; i < c->gaps[factor].n; i++)
        c->gaps[factor].value[i] = (float)value[i];
done:
    bnre__free(value);
    return status;
}

/* The value next to c. */
static size_t nearest(const bnre__gaps *gaps, double c)
{
    size_t low = 0, high = gaps->n - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if ((double)gaps->value[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 &&
        c - (double)gaps->value[low - 1] < fabs((double)gaps->value[low] - c))
        low--;
    return low;
}

void bnre__gaps_spread(const bnre__conditional *c, size_t factor, bnre_rng *rng,
                       size_t n, float *at)
{
    const bnre__range range = c->line[factor].range;
    const bnre__gaps *gaps = c->gaps != NULL ? &c->gaps[factor] : NULL;

    for (size_t i = 0; gaps != NULL && gaps->n > 1 && i < n; i++) {
        const size_t k = nearest(gaps, (double)at[i]);
        const double own = (double)gaps->value[k];
        const double below = k > 0 ? own - (double)gaps->value[k - 1]
                                   : (double)gaps->value[1] - own;
        const double above =
            k + 1 < gaps->n ? (double)gaps->value[k + 1] - own : below;
        const double u = bnre_rng_uniform(rng);
        double to = own - below / 2 + u * (below + above) / 2;

        if (range != BNRE__LINE) /* bounds are not crossed */
            to = fmax(to, 0);
        if (range == BNRE__UNIT)
            to = fmin(to, 1);
        at[i] = (float)to;
    }
}
