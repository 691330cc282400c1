#include "bnre/dist.h"

#include <math.h>

double bnre_normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

double bnre_gamma_cdf(double x, double shape)
{
    return x < 0 ? 0 : shape > 0 ? x : NAN;
}
