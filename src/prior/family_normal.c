/* The normal distribution and what is made of it. */
#include <math.h>

#include "num/dist.h"
#include "num/special.h"
#include "prior/family.h"
#include "prior/truncated.h"

/* normal(mean, sd), and log_normal of the logarithm */

static double normal_constant(const double *arg)
{
    return -BNRE__LOG_SQRT_2PI - log(arg[1]);
}

static double normal_kernel(const double *arg, double x)
{
    double z = (x - arg[0]) / arg[1];

    return -z * z / 2;
}

static double normal_cdf(const double *arg, double x)
{
    return bnre__normal_cdf((x - arg[0]) / arg[1]);
}

static double normal_quantile(const double *arg, double u)
{
    return arg[0] + arg[1] * bnre__normal_quantile(u);
}

static void normal_moments(const double *arg, double *mean, double *variance)
{
    *mean = arg[0];
    *variance = arg[1] * arg[1];
}

const bnre__family bnre__family_normal = {
    .name = "normal",
    .count = 2,
    .argument = {"mean", "sd"},
    .check = bnre__check_second_positive,
    .support = bnre__support_line,
    .constant = normal_constant,
    .kernel = normal_kernel,
    .cdf = normal_cdf,
    .quantile = normal_quantile,
    .moments = normal_moments,
};

static double log_normal_kernel(const double *arg, double x)
{
    return x > 0 ? normal_kernel(arg, log(x)) - log(x) : -HUGE_VAL;
}

static double log_normal_cdf(const double *arg, double x)
{
    return normal_cdf(arg, log(x));
}

static double log_normal_quantile(const double *arg, double u)
{
    return exp(normal_quantile(arg, u));
}

static void log_normal_moments(const double *arg, double *mean,
                               double *variance)
{
    double square = arg[1] * arg[1];

    *mean = exp(arg[0] + square / 2);
    *variance = *mean * *mean * expm1(square);
}

const bnre__family bnre__family_log_normal = {
    .name = "log_normal",
    .count = 2,
    .argument = {"mean", "sd"},
    .check = bnre__check_second_positive,
    .support = bnre__support_half_line,
    .constant = normal_constant,
    .kernel = log_normal_kernel,
    .cdf = log_normal_cdf,
    .quantile = log_normal_quantile,
    .moments = log_normal_moments,
};

/* half_normal(sd) */

static const double root_half = 0.70710678118654752440;

static double half_normal_constant(const double *arg)
{
    return log(2) - BNRE__LOG_SQRT_2PI - log(arg[0]);
}

static double half_normal_kernel(const double *arg, double x)
{
    double z = x / arg[0];

    return -z * z / 2;
}

static double half_normal_cdf(const double *arg, double x)
{
    return erf(x / arg[0] * root_half);
}

static double half_normal_quantile(const double *arg, double u)
{
    return arg[0] * (u <= 0.85 ? bnre__normal_quantile_middle(u / 2)
                               : -bnre__normal_quantile((1 - u) / 2));
}

static void half_normal_moments(const double *arg, double *mean,
                                double *variance)
{
    const double two_over_pi = 2 / acos(-1);

    *mean = arg[0] * sqrt(two_over_pi);
    *variance = arg[0] * arg[0] * (1 - two_over_pi);
}

const bnre__family bnre__family_half_normal = {
    .name = "half_normal",
    .count = 1,
    .argument = {"sd"},
    .check = bnre__check_first_positive,
    .support = bnre__support_half_line,
    .constant = half_normal_constant,
    .kernel = half_normal_kernel,
    .cdf = half_normal_cdf,
    .quantile = half_normal_quantile,
    .moments = half_normal_moments,
};

/* truncated_normal(mean, sd, low, high) */

static const char *check_truncated(const double *arg, size_t *at)
{
    const double most = 1e150; /* squares must fit a double */

    *at = 1;
    if (!(arg[1] > 0))
        return "must be greater than 0";
    *at = 3;
    if (!(arg[2] < arg[3]))
        return "must be greater than low";
    *at = 1;
    if (!(fabs((arg[2] - arg[0]) / arg[1]) < most &&
          fabs((arg[3] - arg[0]) / arg[1]) < most))
        return "is too small for interval and mean";
    return NULL;
}

static void last_two(const double *arg, double *low, double *high)
{
    *low = arg[2];
    *high = arg[3];
}

/* low and width in standard deviations */
static void truncated_place(const double *arg, double *s, double *w)
{
    *s = (arg[2] - arg[0]) / arg[1];
    *w = (arg[3] - arg[2]) / arg[1];
}

static double truncated_constant(const double *arg)
{
    double s, w;

    truncated_place(arg, &s, &w);
    return bnre__truncated_constant(s, w) - log(arg[1]);
}

static double truncated_kernel(const double *arg, double x)
{
    double s, w;

    truncated_place(arg, &s, &w);
    return bnre__truncated_kernel(s, w, (x - arg[2]) / arg[1]);
}

static double truncated_cdf(const double *arg, double x)
{
    double s, w;

    truncated_place(arg, &s, &w);
    return bnre__truncated_cdf(s, w, (x - arg[2]) / arg[1]);
}

static double truncated_quantile(const double *arg, double u)
{
    double s, w;

    truncated_place(arg, &s, &w);
    if (u <= 0.5)
        return arg[2] + arg[1] * bnre__truncated_quantile(s, w, u);
    return arg[3] - arg[1] * bnre__truncated_quantile(-(s + w), w, 1 - u);
}

static void truncated_moments(const double *arg, double *mean, double *variance)
{
    double s, w;

    truncated_place(arg, &s, &w);
    bnre__truncated_moments(s, w, mean, variance);
    *mean = arg[2] + arg[1] * *mean;
    *variance *= arg[1] * arg[1];
}

const bnre__family bnre__family_truncated_normal = {
    .name = "truncated_normal",
    .count = 4,
    .argument = {"mean", "sd", "low", "high"},
    .check = check_truncated,
    .support = last_two,
    .constant = truncated_constant,
    .kernel = truncated_kernel,
    .cdf = truncated_cdf,
    .quantile = truncated_quantile,
    .moments = truncated_moments,
};
