/* coordinate.c - parameters in the coordinates of their priors. */
#include "prior/coordinate.h"

#include <float.h>
#include <math.h>

bnre__range bnre__coordinate_range(const bnre_prior *prior, size_t i)
{
    double low, high;

    bnre_prior_support(prior, i, &low, &high);
    if (isfinite(low) && isfinite(high))
        return BNRE__UNIT;
    return isfinite(low) || isfinite(high) ? BNRE__HALF : BNRE__LINE;
}

static int has_upper_bound(const bnre_prior *prior, size_t i)
{
    double low, high;

    bnre_prior_support(prior, i, &low, &high);
    return isfinite(high);
}

double bnre__coordinate_of(const bnre_prior *prior, size_t i, double theta)
{
    const bnre__range range = bnre__coordinate_range(prior, i);
    const double f = bnre_prior_cdf(prior, i, theta);
    const double below = fmax(f, DBL_MIN), above = fmax(1 - f, DBL_EPSILON / 2);

    if (range == BNRE__UNIT)
        return f;
    if (range == BNRE__HALF)
        return has_upper_bound(prior, i) ? -log(below) : -log(above);
    return log(below) - log(above);
}

/* F within (0, 1). */
static double open_share(double f)
{
    return fmin(fmax(f, DBL_MIN), 1 - DBL_EPSILON / 2);
}

double bnre__coordinate_value(const bnre_prior *prior, size_t i, double c)
{
    const bnre__range range = bnre__coordinate_range(prior, i);
    double f;

    if (range == BNRE__UNIT)
        f = c;
    else if (range == BNRE__HALF)
        f = has_upper_bound(prior, i) ? exp(-c) : -expm1(-c);
    else
        f = c < 0 ? exp(c) / (1 + exp(c)) : 1 / (1 + exp(-c));
    return bnre_prior_quantile(prior, i, open_share(f));
}

double bnre__coordinate_standard(bnre__range range, double c)
{
    return range == BNRE__UNIT   ? 3.4641016151377546 * (c - 0.5)
           : range == BNRE__HALF ? c - 1
                                 : c * 0.5513288954217921; /* sqrt(3) / pi */
}
