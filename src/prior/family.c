/* family.c - the families: density, distribution function, quantile, moments
   and support of each, in one table. */
#include "prior/family.h"

#include <float.h>
#include <math.h>

#include "num/dist.h"
#include "num/special.h"

void bnre__support_line(const double *arg, double *low, double *high)
{
    (void)arg;
    *low = -HUGE_VAL;
    *high = HUGE_VAL;
}

void bnre__support_half_line(const double *arg, double *low, double *high)
{
    (void)arg;
    *low = 0;
    *high = HUGE_VAL;
}

static void unit_interval(const double *arg, double *low, double *high)
{
    (void)arg;
    *low = 0;
    *high = 1;
}

static void first_two(const double *arg, double *low, double *high)
{
    *low = arg[0];
    *high = arg[1];
}

static double zero(const double *arg)
{
    (void)arg;
    return 0;
}

static const char *check_nothing(const double *arg, size_t *at)
{
    (void)arg;
    (void)at;
    return NULL;
}

const char *bnre__check_first_positive(const double *arg, size_t *at)
{
    *at = 0;
    return arg[0] > 0 ? NULL : "must be greater than 0";
}

const char *bnre__check_both_positive(const double *arg, size_t *at)
{
    *at = arg[0] > 0 ? 1 : 0;
    return arg[*at] > 0 ? NULL : "must be greater than 0";
}

const char *bnre__check_second_positive(const double *arg, size_t *at)
{
    *at = 1;
    return arg[1] > 0 ? NULL : "must be greater than 0";
}

/* uniform(low, high) */

static const char *check_uniform(const double *arg, size_t *at)
{
    *at = 1;
    if (!(arg[0] < arg[1]))
        return "must be greater than low";
    return isinf(arg[1] - arg[0]) ? "is too far from low" : NULL;
}

static double uniform_constant(const double *arg)
{
    return -log(arg[1] - arg[0]);
}

static double uniform_kernel(const double *arg, double x)
{
    (void)arg;
    (void)x;
    return 0;
}

static double uniform_cdf(const double *arg, double x)
{
    return (x - arg[0]) / (arg[1] - arg[0]);
}

static double uniform_quantile(const double *arg, double u)
{
    return arg[0] + (arg[1] - arg[0]) * u;
}

static void uniform_moments(const double *arg, double *mean, double *variance)
{
    double width = arg[1] - arg[0];

    *mean = arg[0] + width / 2;
    *variance = width * width / 12;
}

static const bnre__family uniform_family = {
    .name = "uniform",
    .count = 2,
    .argument = {"low", "high"},
    .check = check_uniform,
    .support = first_two,
    .constant = uniform_constant,
    .kernel = uniform_kernel,
    .cdf = uniform_cdf,
    .quantile = uniform_quantile,
    .moments = uniform_moments,
};

/* log_uniform(low, high) */

static const char *check_log_uniform(const double *arg, size_t *at)
{
    *at = arg[0] > 0 ? 1 : 0;
    if (!(arg[0] > 0))
        return "must be greater than 0";
    return arg[0] < arg[1] ? NULL : "must be greater than low";
}

/* log(a / b) for a >= b > 0, also close to each other or far apart */
static double log_ratio(double a, double b)
{
    double excess = (a - b) / b;

    return excess < 1 ? log1p(excess) : log(a) - log(b);
}

static double log_uniform_constant(const double *arg)
{
    return -log(log_ratio(arg[1], arg[0]));
}

static double minus_log(const double *arg, double x)
{
    (void)arg;
    return -log(x);
}

static double log_uniform_cdf(const double *arg, double x)
{
    return log_ratio(x, arg[0]) / log_ratio(arg[1], arg[0]);
}

static double log_uniform_quantile(const double *arg, double u)
{
    double length = log_ratio(arg[1], arg[0]);

    /* from the nearer end: neither factor overflows */
    return u < 0.5 ? arg[0] * exp(u * length) : arg[1] * exp((u - 1) * length);
}

struct spread {
    const double *arg;
    double mean;
};

static double log_uniform_square(double u, const void *context)
{
    const struct spread *c = context;
    double d = log_uniform_quantile(c->arg, u) - c->mean;

    return d * d;
}

static void log_uniform_moments(const double *arg, double *mean,
                                double *variance)
{
    double length = log_ratio(arg[1], arg[0]), width = arg[1] - arg[0];
    struct spread context = {arg, width / length};

    *mean = context.mean;
    if (length > 3)
        *variance = width * ((arg[1] + arg[0]) / 2 - *mean) / length;
    else /* the closed form would be a small difference */
        *variance = bnre__gauss(log_uniform_square, &context, 0, 1, 1);
}

static const bnre__family log_uniform_family = {
    .name = "log_uniform",
    .count = 2,
    .argument = {"low", "high"},
    .check = check_log_uniform,
    .support = first_two,
    .constant = log_uniform_constant,
    .kernel = minus_log,
    .cdf = log_uniform_cdf,
    .quantile = log_uniform_quantile,
    .moments = log_uniform_moments,
};

/* exponential(rate) */

static double exponential_constant(const double *arg)
{
    return log(arg[0]);
}

static double exponential_kernel(const double *arg, double x)
{
    return -arg[0] * x;
}

static double exponential_cdf(const double *arg, double x)
{
    return -expm1(-arg[0] * x);
}

static double exponential_quantile(const double *arg, double u)
{
    return -log1p(-u) / arg[0];
}

static void exponential_moments(const double *arg, double *mean,
                                double *variance)
{
    *mean = 1 / arg[0];
    *variance = *mean * *mean;
}

static const bnre__family exponential_family = {
    .name = "exponential",
    .count = 1,
    .argument = {"rate"},
    .check = bnre__check_first_positive,
    .support = bnre__support_half_line,
    .constant = exponential_constant,
    .kernel = exponential_kernel,
    .cdf = exponential_cdf,
    .quantile = exponential_quantile,
    .moments = exponential_moments,
};

/* gamma(shape, rate) */

/* The log density at an end where it behaves like x^(power - 1). */
static double end_value(double power, double log_factor)
{
    return power < 1 ? HUGE_VAL : power > 1 ? -HUGE_VAL : log_factor;
}

static double gamma_kernel(const double *arg, double x)
{
    if (x == 0)
        return end_value(arg[0], log(arg[1]));
    if (arg[1] * x < DBL_MIN) /* too small a product to be exact */
        return arg[0] * (log(arg[1]) + log(x)) - bnre__log_gamma(arg[0]) -
               log(x);
    return bnre__gamma_log_weight(arg[1] * x, arg[0]) - log(x);
}

static double gamma_cdf(const double *arg, double x)
{
    return bnre__gamma_cdf(arg[1] * x, arg[0]);
}

static double gamma_quantile(const double *arg, double u)
{
    return bnre__gamma_quantile(u, arg[0]) / arg[1];
}

static void gamma_moments(const double *arg, double *mean, double *variance)
{
    *mean = arg[0] / arg[1];
    *variance = *mean / arg[1];
}

static const bnre__family gamma_family = {
    .name = "gamma",
    .count = 2,
    .argument = {"shape", "rate"},
    .check = bnre__check_both_positive,
    .support = bnre__support_half_line,
    .constant = zero,
    .kernel = gamma_kernel,
    .cdf = gamma_cdf,
    .quantile = gamma_quantile,
    .moments = gamma_moments,
};

/* beta(a, b) */

static double beta_kernel(const double *arg, double x)
{
    if (x == 0)
        return end_value(arg[0], log(arg[1]));
    if (x == 1)
        return end_value(arg[1], log(arg[0]));
    return bnre__beta_log_weight(x, 1 - x, arg[0], arg[1]) - log(x) - log1p(-x);
}

static double beta_cdf(const double *arg, double x)
{
    return bnre__beta_cdf(x, arg[0], arg[1]);
}

static double beta_quantile(const double *arg, double u)
{
    return bnre__beta_quantile(u, arg[0], arg[1]);
}

static void beta_moments(const double *arg, double *mean, double *variance)
{
    double n = arg[0] + arg[1];

    *mean = arg[0] / n;
    *variance = arg[0] / n * (arg[1] / n) / (n + 1);
}

static const bnre__family beta_family = {
    .name = "beta",
    .count = 2,
    .argument = {"a", "b"},
    .check = bnre__check_both_positive,
    .support = unit_interval,
    .constant = zero,
    .kernel = beta_kernel,
    .cdf = beta_cdf,
    .quantile = beta_quantile,
    .moments = beta_moments,
};

/* student_t(df, location, scale) */

static const char *check_student(const double *arg, size_t *at)
{
    *at = arg[0] > 0 ? 2 : 0;
    return arg[*at] > 0 ? NULL : "must be greater than 0";
}

/* log Gamma(h + 1/2) - log Gamma(h) without their common size, h = df / 2 */
static double student_constant(const double *arg)
{
    double h = arg[0] / 2;

    return h * log1p(0.5 / h) - 0.5 + bnre__stirling(h + 0.5) -
           bnre__stirling(h) - BNRE__LOG_SQRT_2PI - log(arg[2]);
}

static double student_kernel(const double *arg, double x)
{
    double d = fabs(x - arg[1]), t = d / arg[2] / sqrt(arg[0]);
    double log_term = log1p(t * t);

    if (t > 1e100) /* t^2, or t itself, may be too large */
        log_term = 2 * (log(d) - log(arg[2])) - log(arg[0]);
    return -(arg[0] + 1) / 2 * log_term;
}

static double student_cdf(const double *arg, double x)
{
    return bnre__student_t_cdf((x - arg[1]) / arg[2], arg[0]);
}

static double student_quantile(const double *arg, double u)
{
    return arg[1] + arg[2] * bnre__student_t_quantile(u, arg[0]);
}

static void student_moments(const double *arg, double *mean, double *variance)
{
    *mean = arg[0] > 1 ? arg[1] : NAN;
    *variance = arg[0] > 2 ? arg[2] * arg[2] * arg[0] / (arg[0] - 2) : NAN;
}

static const bnre__family student_t_family = {
    .name = "student_t",
    .count = 3,
    .argument = {"df", "location", "scale"},
    .check = check_student,
    .support = bnre__support_line,
    .constant = student_constant,
    .kernel = student_kernel,
    .cdf = student_cdf,
    .quantile = student_quantile,
    .moments = student_moments,
};

/* fixed(value) */

static void fixed_support(const double *arg, double *low, double *high)
{
    *low = *high = arg[0];
}

static double fixed_cdf(const double *arg, double x)
{
    return x >= arg[0];
}

static double fixed_quantile(const double *arg, double u)
{
    (void)u;
    return arg[0];
}

static void fixed_moments(const double *arg, double *mean, double *variance)
{
    *mean = arg[0];
    *variance = 0;
}

static const bnre__family fixed_family = {
    .name = "fixed",
    .count = 1,
    .argument = {"value"},
    .check = check_nothing,
    .support = fixed_support,
    .constant = zero,
    .kernel = uniform_kernel,
    .cdf = fixed_cdf,
    .quantile = fixed_quantile,
    .moments = fixed_moments,
};

static const bnre__family *const families[] = {
    &uniform_family,
    &log_uniform_family,
    &bnre__family_normal,
    &bnre__family_log_normal,
    &bnre__family_half_normal,
    &bnre__family_truncated_normal,
    &exponential_family,
    &gamma_family,
    &beta_family,
    &student_t_family,
    &bnre__family_cauchy,
    &bnre__family_half_cauchy,
    &bnre__family_inverse_gamma,
    &bnre__family_weibull,
    &bnre__family_integer,
    &bnre__family_categorical,
    &bnre__family_bernoulli,
    &bnre__family_poisson,
    &fixed_family,
    NULL, /* the end */
};

size_t bnre__family_count(const bnre__family *family, const double *arg)
{
    size_t n = family->count;

    while (family->more && n < BNRE__FAMILY_ARGS && !isnan(arg[n]))
        n++;
    return n;
}

const bnre__family *bnre__family_at(size_t i)
{
    for (size_t j = 0; families[j] != NULL; j++)
        if (j == i)
            return families[j];
    return NULL;
}
