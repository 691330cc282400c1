/* family_tails.c - families with heavy or stretched tails: Cauchy, half
   Cauchy, inverse gamma, Weibull. Each keeps relative accuracy in both
   tails. */
#include <float.h>
#include <math.h>

#include "num/dist.h"
#include "num/special.h"
#include "prior/family.h"

static const double pi = 3.14159265358979323846;

/* log(1 + t^2) for t = d / scale >= 0, whose square may be too large */
static double log_one_and_square(double d, double scale)
{
    double t = d / scale;

    return t > 1e100 ? 2 * (log(d) - log(scale)) : log1p(t * t);
}

/* cauchy(location, scale) */

static double cauchy_constant(const double *arg)
{
    return -log(pi) - log(arg[1]);
}

static double cauchy_kernel(const double *arg, double x)
{
    return -log_one_and_square(fabs(x - arg[0]), arg[1]);
}

static double cauchy_cdf(const double *arg, double x)
{
    return atan2(1, -(x - arg[0]) / arg[1]) / pi;
}

static double cauchy_quantile(const double *arg, double u)
{
    double t = u < 0.25   ? -1 / tan(pi * u)
               : u > 0.75 ? 1 / tan(pi * (1 - u))
                          : tan(pi * (u - 0.5));

    return arg[0] + arg[1] * t;
}

static void no_moments(const double *arg, double *mean, double *variance)
{
    (void)arg;
    *mean = *variance = NAN;
}

const bnre__family bnre__family_cauchy = {
    .name = "cauchy",
    .count = 2,
    .argument = {"location", "scale"},
    .check = bnre__check_second_positive,
    .support = bnre__support_line,
    .constant = cauchy_constant,
    .kernel = cauchy_kernel,
    .cdf = cauchy_cdf,
    .quantile = cauchy_quantile,
    .moments = no_moments,
};

/* half_cauchy(scale) */

static double half_cauchy_constant(const double *arg)
{
    return log(2 / pi) - log(arg[0]);
}

static double half_cauchy_kernel(const double *arg, double x)
{
    return -log_one_and_square(x, arg[0]);
}

static double half_cauchy_cdf(const double *arg, double x)
{
    return 2 * atan(x / arg[0]) / pi;
}

static double half_cauchy_quantile(const double *arg, double u)
{
    return u < 0.5 ? arg[0] * tan(pi * u / 2) : arg[0] / tan(pi * (1 - u) / 2);
}

const bnre__family bnre__family_half_cauchy = {
    .name = "half_cauchy",
    .count = 1,
    .argument = {"scale"},
    .check = bnre__check_first_positive,
    .support = bnre__support_half_line,
    .constant = half_cauchy_constant,
    .kernel = half_cauchy_kernel,
    .cdf = half_cauchy_cdf,
    .quantile = half_cauchy_quantile,
    .moments = no_moments,
};

/* inverse_gamma(shape, scale): scale / g with a gamma number g, so that its
   lower tail is the upper one of g. */

static double nothing(const double *arg)
{
    (void)arg;
    return 0;
}

static double inverse_gamma_kernel(const double *arg, double x)
{
    double z = arg[1] / x;

    if (x == 0 || isinf(z))
        return -HUGE_VAL;
    if (z < DBL_MIN) /* too small to be exact */
        return arg[0] * (log(arg[1]) - log(x)) - bnre__log_gamma(arg[0]) -
               log(x);
    return bnre__gamma_log_weight(z, arg[0]) - log(x);
}

static double inverse_gamma_cdf(const double *arg, double x)
{
    double p, q;

    bnre__gamma_tails(arg[1] / x, arg[0], &p, &q);
    return q;
}

static double inverse_gamma_quantile(const double *arg, double u)
{
    return arg[1] / bnre__gamma_upper_quantile(u, arg[0]);
}

static void inverse_gamma_moments(const double *arg, double *mean,
                                  double *variance)
{
    const double a = arg[0];

    *mean = a > 1 ? arg[1] / (a - 1) : NAN;
    *variance = a > 2 ? *mean * *mean / (a - 2) : NAN;
}

const bnre__family bnre__family_inverse_gamma = {
    .name = "inverse_gamma",
    .count = 2,
    .argument = {"shape", "scale"},
    .check = bnre__check_both_positive,
    .support = bnre__support_half_line,
    .constant = nothing,
    .kernel = inverse_gamma_kernel,
    .cdf = inverse_gamma_cdf,
    .quantile = inverse_gamma_quantile,
    .moments = inverse_gamma_moments,
};

/* weibull(shape, scale) */

static double weibull_constant(const double *arg)
{
    return log(arg[0]) - log(arg[1]);
}

static double weibull_kernel(const double *arg, double x)
{
    double t = x / arg[1];

    if (x == 0 && arg[0] != 1)
        return arg[0] < 1 ? HUGE_VAL : -HUGE_VAL;
    return (x == 0 ? 0 : (arg[0] - 1) * (log(x) - log(arg[1]))) -
           pow(t, arg[0]);
}

static double weibull_cdf(const double *arg, double x)
{
    return -expm1(-pow(x / arg[1], arg[0]));
}

static double weibull_quantile(const double *arg, double u)
{
    return arg[1] * pow(-log1p(-u), 1 / arg[0]);
}

/* Gamma(1 + 2 h) / Gamma(1 + h)^2 - 1 as expm1(), h = 1 / shape: it is of the
   order of h^2. */
static void weibull_moments(const double *arg, double *mean, double *variance)
{
    const double h = 1 / arg[0], log_mean = bnre__log_gamma(1 + h);

    *mean = arg[1] * exp(log_mean);
    *variance =
        *mean * *mean * expm1(bnre__log_gamma(1 + 2 * h) - 2 * log_mean);
}

const bnre__family bnre__family_weibull = {
    .name = "weibull",
    .count = 2,
    .argument = {"shape", "scale"},
    .check = bnre__check_both_positive,
    .support = bnre__support_half_line,
    .constant = weibull_constant,
    .kernel = weibull_kernel,
    .cdf = weibull_cdf,
    .quantile = weibull_quantile,
    .moments = weibull_moments,
};
