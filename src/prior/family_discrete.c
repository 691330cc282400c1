/* family_discrete.c - families of whole numbers: integers, categories, coins,
   counts. What is called a density is the probability of a value, which is 0
   between whole numbers. */
#include <math.h>

#include "num/dist.h"
#include "num/special.h"
#include "prior/family.h"

static int is_whole(double x)
{
    return x == floor(x);
}

static double nothing(const double *arg)
{
    (void)arg;
    return 0;
}

/* integer(low, high), both included */

static const char *check_integer(const double *arg, size_t *at)
{
    for (*at = 0; *at < 2; ++*at)
        if (!is_whole(arg[*at]) || fabs(arg[*at]) > 1e9)
            return "must be a whole number between -1e9 and 1e9";
    *at = 1;
    if (!(arg[0] < arg[1]))
        return "must be greater than low";
    return arg[1] - arg[0] < BNRE__MOST_VALUES
               ? NULL
               : "gives more than 1024 values: take uniform(low, high) and let "
                 "the simulator round";
}

static void integer_support(const double *arg, double *low, double *high)
{
    *low = arg[0];
    *high = arg[1];
}

static double integer_constant(const double *arg)
{
    return -log(arg[1] - arg[0] + 1);
}

static double integer_kernel(const double *arg, double x)
{
    (void)arg;
    return is_whole(x) ? 0 : -HUGE_VAL;
}

static double integer_cdf(const double *arg, double x)
{
    return (floor(x) - arg[0] + 1) / (arg[1] - arg[0] + 1);
}

static double integer_quantile(const double *arg, double u)
{
    const double n = arg[1] - arg[0] + 1;

    return arg[0] + fmin(fmax(ceil(u * n) - 1, 0), n - 1);
}

static void integer_moments(const double *arg, double *mean, double *variance)
{
    const double n = arg[1] - arg[0] + 1;

    *mean = (arg[0] + arg[1]) / 2;
    *variance = (n * n - 1) / 12;
}

const bnre__family bnre__family_integer = {
    .name = "integer",
    .count = 2,
    .argument = {"low", "high"},
    .discrete = BNRE__COUNTS,
    .check = check_integer,
    .support = integer_support,
    .constant = integer_constant,
    .kernel = integer_kernel,
    .cdf = integer_cdf,
    .quantile = integer_quantile,
    .moments = integer_moments,
};

/* categorical(weight, weight, ...): 0, 1, ... with these probabilities, which
   are divided by their sum */

static size_t categories(const double *arg)
{
    size_t n = 0;

    while (n < BNRE__FAMILY_ARGS && !isnan(arg[n]))
        n++;
    return n;
}

static const char *check_categorical(const double *arg, size_t *at)
{
    const size_t n = categories(arg);

    for (*at = 0; *at < n; ++*at)
        if (!(arg[*at] > 0 && arg[*at] <= 1e9))
            return "must be greater than 0, and at most 1e9";
    *at = 0;
    return n > 1 ? NULL
                 : "stands alone: give the probability of each category, of "
                   "which there are two or more";
}

static void categorical_support(const double *arg, double *low, double *high)
{
    *low = 0;
    *high = (double)categories(arg) - 1;
}

static double sum_up_to(const double *arg, double x)
{
    const size_t n = categories(arg);
    double sum = 0;

    for (size_t k = 0; k < n && (double)k <= x; k++)
        sum += arg[k];
    return sum;
}

static double categorical_constant(const double *arg)
{
    return -log(sum_up_to(arg, HUGE_VAL));
}

static double categorical_kernel(const double *arg, double x)
{
    return is_whole(x) ? log(arg[(size_t)x]) : -HUGE_VAL;
}

static double categorical_cdf(const double *arg, double x)
{
    return sum_up_to(arg, x) / sum_up_to(arg, HUGE_VAL);
}

static double categorical_quantile(const double *arg, double u)
{
    const double mark = u * sum_up_to(arg, HUGE_VAL);
    const size_t n = categories(arg);
    double sum = arg[0];
    size_t k = 0;

    while (k + 1 < n && sum < mark)
        sum += arg[++k];
    return (double)k;
}

static void categorical_moments(const double *arg, double *mean,
                                double *variance)
{
    const double all = sum_up_to(arg, HUGE_VAL);

    *mean = *variance = 0;
    for (size_t k = 0; k < categories(arg); k++)
        *mean += arg[k] / all * (double)k;
    for (size_t k = 0; k < categories(arg); k++)
        *variance += arg[k] / all * ((double)k - *mean) * ((double)k - *mean);
}

const bnre__family bnre__family_categorical = {
    .name = "categorical",
    .count = 1,
    .more = 1,
    .argument = {"probability"},
    .discrete = BNRE__CATEGORIES,
    .check = check_categorical,
    .support = categorical_support,
    .constant = categorical_constant,
    .kernel = categorical_kernel,
    .cdf = categorical_cdf,
    .quantile = categorical_quantile,
    .moments = categorical_moments,
};

/* bernoulli(p): 1 with probability p, else 0 */

static const char *check_bernoulli(const double *arg, size_t *at)
{
    *at = 0;
    return arg[0] > 0 && arg[0] < 1 ? NULL : "must be between 0 and 1";
}

static void bernoulli_support(const double *arg, double *low, double *high)
{
    (void)arg;
    *low = 0;
    *high = 1;
}

static double bernoulli_kernel(const double *arg, double x)
{
    return x == 0 ? log1p(-arg[0]) : x == 1 ? log(arg[0]) : -HUGE_VAL;
}

static double bernoulli_cdf(const double *arg, double x)
{
    return x < 1 ? 1 - arg[0] : 1;
}

static double bernoulli_quantile(const double *arg, double u)
{
    return u > 1 - arg[0];
}

static void bernoulli_moments(const double *arg, double *mean, double *variance)
{
    *mean = arg[0];
    *variance = arg[0] * (1 - arg[0]);
}

const bnre__family bnre__family_bernoulli = {
    .name = "bernoulli",
    .count = 1,
    .argument = {"p"},
    .discrete = BNRE__COUNTS,
    .check = check_bernoulli,
    .support = bernoulli_support,
    .constant = nothing,
    .kernel = bernoulli_kernel,
    .cdf = bernoulli_cdf,
    .quantile = bernoulli_quantile,
    .moments = bernoulli_moments,
};

/* poisson(rate) */

static const char *check_poisson(const double *arg, size_t *at)
{
    *at = 0;
    if (!(arg[0] > 0))
        return "must be greater than 0";
    return arg[0] <= 5000 ? NULL
                          : "must be at most 5000: take normal(rate, root of "
                            "it) and let the simulator round";
}

static double poisson_constant(const double *arg)
{
    return -arg[0];
}

static double poisson_kernel(const double *arg, double x)
{
    return is_whole(x) ? x * log(arg[0]) - bnre__log_gamma(x + 1) : -HUGE_VAL;
}

/* P(X <= k) = P(a gamma number of shape k + 1 is above the rate) */
static double poisson_cdf(const double *arg, double x)
{
    double p, q;

    bnre__gamma_tails(arg[0], floor(x) + 1, &p, &q);
    return q;
}

static double poisson_quantile(const double *arg, double u)
{
    double k = floor(fmax(arg[0] + sqrt(arg[0]) * bnre__normal_quantile(u), 0));

    while (k > 0 && poisson_cdf(arg, k - 1) >= u)
        k--;
    while (k < 1e6 && poisson_cdf(arg, k) < u)
        k++;
    return k;
}

static void poisson_moments(const double *arg, double *mean, double *variance)
{
    *mean = *variance = arg[0];
}

const bnre__family bnre__family_poisson = {
    .name = "poisson",
    .count = 1,
    .argument = {"rate"},
    .discrete = BNRE__COUNTS,
    .check = check_poisson,
    .support = bnre__support_half_line,
    .constant = poisson_constant,
    .kernel = poisson_kernel,
    .cdf = poisson_cdf,
    .quantile = poisson_quantile,
    .moments = poisson_moments,
};
