/* values.c - parameters of whole numbers: which values they have, and how much
   of the prior each of them is. */
#include <math.h>

#include "prior/inside.h"

/* The values that matter: two or more. */
void bnre__parameter_list_values(bnre__parameter *p)
{
    const double spare = 5e-10;
    double last = p->high;

    p->least = p->low;
    if (isinf(p->high)) {
        p->least = p->family->quantile(p->arg, spare);
        last = p->family->quantile(p->arg, 1 - spare);
        if (last == p->least)
            last++;
    }
    p->values = (size_t)(last - p->least) + 1;
}

bnre__discrete bnre__prior_values(const bnre_prior *prior, size_t i, size_t *n)
{
    const bnre__parameter *p = &prior->parameter[i];

    if (n != NULL)
        *n = p->values;
    return p->values > 0 ? p->family->discrete : BNRE__CONTINUOUS;
}

double bnre__prior_value(const bnre_prior *prior, size_t i, size_t k)
{
    return prior->parameter[i].least + (double)k;
}

double bnre__prior_mass(const bnre_prior *prior, size_t i, size_t k)
{
    const bnre__parameter *p = &prior->parameter[i];
    const double value = p->least + (double)k;

    if (isfinite(p->high) || (k > 0 && k + 1 < p->values))
        return exp(p->constant + p->family->kernel(p->arg, value));
    return k == 0 ? p->family->cdf(p->arg, value)
                  : 1 - p->family->cdf(p->arg, value - 1);
}

size_t bnre__prior_index(const bnre_prior *prior, size_t i, double value)
{
    const bnre__parameter *p = &prior->parameter[i];
    const double k = floor(value - p->least + 0.5);

    return k >= (double)p->values ? p->values - 1 : k > 0 ? (size_t)k : 0;
}

int bnre__prior_is_mixed(const bnre_prior *prior)
{
    for (size_t i = 0; i < prior->dim; i++)
        if (prior->parameter[i].values > 0)
            return 1;
    return 0;
}

double bnre__prior_place(const bnre_prior *prior, size_t i, double value,
                         double v)
{
    const bnre__parameter *p = &prior->parameter[i];
    const double up_to = bnre_prior_cdf(prior, i, value);
    double below;

    if (p->values == 0)
        return up_to;
    below = value > p->low ? bnre_prior_cdf(prior, i, value - 1) : 0;
    return below + v * (up_to - below);
}
