/* values.c - parameters of whole numbers: which values they have, and how much
   of the prior each of them is; and places in the mass of a prior. */
#include <math.h>
#include <string.h>

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

int bnre__prior_is_discrete(const bnre_prior *prior)
{
    for (size_t i = 0; i < prior->dim; i++)
        if (prior->parameter[i].values == 0 &&
            prior->parameter[i].low < prior->parameter[i].high)
            return 0;
    return bnre__prior_is_mixed(prior);
}

int bnre__prior_is_fixed(const bnre_prior *prior, size_t i)
{
    double low, high;

    bnre_prior_support(prior, i, &low, &high);
    return !(low < high);
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

/* ---- values that shall follow the prior ---- */

double bnre__prior_distance(const bnre_prior *prior, size_t i, size_t n,
                            const double *value)
{
    double most = 0;
    size_t end;

    for (size_t k = 0; k < n; k = end) {
        const double rounding = 1e-6 * fabs(value[k]);

        for (end = k + 1; end < n && value[end] == value[k];)
            end++;
        /* Where values are equal the shares jump: from k to `end`. */
        most = fmax(most,
                    bnre_prior_cdf(prior, i,
                                   nextafter(value[k] - rounding, -HUGE_VAL)) -
                        (double)k / (double)n);
        most = fmax(most, (double)end / (double)n -
                              bnre_prior_cdf(prior, i, value[k] + rounding));
    }
    return most;
}

double bnre__prior_far(size_t n)
{
    return sqrt(log(2e9) / (2 * (double)n));
}

/* ---- parameters that depend on each other ---- */

const bnre__joint *bnre__prior_joint(const bnre_prior *prior, size_t i,
                                     size_t *place)
{
    *place = prior->parameter[i].place;
    return prior->parameter[i].block;
}

int bnre__prior_depends(const bnre_prior *prior)
{
    return prior->blocks > 0;
}

double bnre__prior_dependence(const bnre_prior *prior, const double *theta)
{
    double sum = 0;

    for (size_t i = 0; i < prior->blocks; i++)
        sum += bnre__joint_dependence(prior->block[i], theta);
    return sum;
}

void bnre__prior_from_places(const bnre_prior *prior, const double *u,
                             double *theta)
{
    for (size_t i = 0; i < prior->dim; i++) /* which may be the same place */
        theta[i] = bnre_prior_quantile(prior, i, u[i]);
    for (size_t i = 0; i < prior->blocks; i++)
        bnre__joint_join(prior->block[i], theta);
}

void bnre__prior_to_places(const bnre_prior *prior, const double *theta,
                           const double *v, double *u)
{
    memcpy(u, theta, prior->dim * sizeof *u);
    for (size_t i = 0; i < prior->blocks; i++)
        bnre__joint_part(prior->block[i], u);
    for (size_t i = 0; i < prior->dim; i++)
        u[i] = bnre__prior_place(prior, i, u[i], v != NULL ? v[i] : 0.5);
}
