/* gaps.c - values of parameters that come again and again.

   Parameters on a grid, rounded, or drawn with replacement from a table: a
   density of them becomes a spike at each value, as narrow as the floor of
   widths lets it. So in training a value stands for its part of the line, from
   half way to the value below to half way to the one above: each time it is
   somewhere in there by chance. Densities then are as fine as values are apart,
   and no finer. (Theis and others, A note on the evaluation of generative
   models, 2016, for pixels.) Members of a fold go by the values outside it: which
   others there are would tell them where the parameters of their fold lie. */
#include "infer/train/gaps.h"

#include <math.h>

#include "base/mem.h"
#include "base/sort.h"
#include "infer/train/run.h"

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

/* How many values there are, if less than half as many as the rows; else 0. */
static bnre_status count_values(const bnre__conditional *c, size_t factor,
                                size_t n, const double *theta, size_t *values)
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
    if (*values < 2 || *values >= n / 2)
        *values = 0;
done:
    bnre__free(value);
    return status;
}

bnre_status bnre__gaps_take(const bnre__conditional *c, size_t factor, size_t n,
                            const double *theta, bnre__gaps *out)
{
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    double *value = NULL;

    *out = (bnre__gaps){0};
    if (!bnre__coordinates_alone(c->coordinates, factor))
        return BNRE_OK;
    BNRE_NEW(value, n);
    BNRE_NEW(out->value, n);
    for (size_t i = 0; i < n; i++)
        value[i] = (double)(float)bnre__coordinates_at(c->coordinates, factor,
                                                       theta + i * dim);
    out->n = distinct(n, value);
    for (size_t i = 0; i < out->n; i++)
        out->value[i] = (float)value[i];
done:
    bnre__free(value);
    return status;
}

bnre_status bnre__gaps_find(bnre_estimator *est, size_t set, size_t sets,
                            size_t n, const double *theta)
{
    bnre__conditional *c = est->conditional;
    bnre_status status = BNRE_OK;

    for (size_t j = 0; c != NULL && j < c->factors; j++) {
        size_t values;

        BNRE_TRY(count_values(c, j, n, theta, &values));
        if (values == 0)
            continue;
        if (c->gaps == NULL) {
            BNRE_NEW(c->gaps, sets * c->factors);
            c->gap_sets = sets;
        }
        BNRE_TRY(
            bnre__gaps_take(c, j, n, theta, &c->gaps[set * c->factors + j]));
    }
done:
    return status;
}

bnre_status bnre__gaps_tell(const bnre_estimator *est,
                            const bnre_train_opts *opts, size_t n,
                            const double *theta)
{
    const bnre__conditional *c = est->conditional;

    for (size_t j = 0; c != NULL && j < c->factors; j++) {
        const char *name = bnre_prior_name(c->prior, c->order[j]);
        size_t values;

        BNRE_DO(count_values(c, j, n, theta, &values));
        if (values > 0 && bnre__coordinates_alone(c->coordinates, j))
            bnre__train_note(
                opts,
                "%s has only %zu different values in %zu simulations: each "
                "stands for the values half way to its neighbours, so that no "
                "density is finer than they are apart. If it is a whole number "
                "or a category, give it such a prior (docs/priors.md)",
                name, values, n);
        else if (values > 0)
            bnre__train_note(
                opts,
                "warning: %s has only %zu different values in %zu simulations. "
                "The methods npe and bnpe learn a density, which may become a "
                "spike at each of them: draw it from its prior with all "
                "digits, or take method nre or bnre",
                name, values, n);
    }
    return BNRE_OK;
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

void bnre__gaps_spread(const bnre__gaps *gaps, bnre__range range, bnre_rng *rng,
                       size_t n, float *at)
{
    for (size_t i = 0; gaps->n > 1 && i < n; i++) {
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
