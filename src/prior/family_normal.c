/* family_normal.c - the normal distribution and what is made of it. The
   truncated one is computed without cancellation: everything as seen from
   the lower end, in units of the Mills ratio. */
#include <float.h>
#include <math.h>

#include "num/dist.h"
#include "num/special.h"
#include "prior/family.h"

static const double root_half = 0.70710678118654752440; /* sqrt(1/2) */
static const double root_pi_2 = 1.2533141373155002512;  /* sqrt(pi/2) */

/* Mills' ratio P(X > x) / density(x) of the standard normal law, x >= 0. Far
   out by its continued fraction 1/(x + 1/(x + 2/(x + 3/(x + ...)))). */
static double mills(double x)
{
    double f = x;

    if (x < 4)
        return root_pi_2 * exp(x * x / 2) * erfc(x * root_half);
    for (int k = 40; k > 0; k--)
        f = x + k / f;
    return 1 / f;
}

struct piece {
    double s, mean;
};

static double fall(double t, const void *context)
{
    const struct piece *c = context;

    return exp(-t * (c->s + t / 2));
}

/* Whether exp(-s t - t^2 / 2) changes little enough over [0, t] for a single
   application of the quadrature rule. */
static int is_short(double s, double t)
{
    return t * (fabs(s) + t / 2) < 1;
}

/* The integral of exp(-s t - t^2 / 2) over [0, t], for s >= 0 or short t. */
static double fall_integral(double s, double t)
{
    struct piece context = {s, 0};

    if (is_short(s, t))
        return bnre__gauss(fall, &context, 0, t, 1);
    return mills(s) - exp(-t * (s + t / 2)) * mills(s + t);
}

/* Where the interval lies decides from where exponents are counted, so that
   the largest is close to 0. */
enum place { FALLING, RISING, AROUND };

static enum place place(double s, double w)
{
    return s >= 0 || is_short(s, w) ? FALLING : s + w <= 0 ? RISING : AROUND;
}

/* The integral of exp(-x^2 / 2) over [s, s + t], s < 0. */
static double mass(double s, double t)
{
    double x = s + t;

    if (x <= 0)
        return exp(-x * x / 2) * fall_integral(-x, t);
    return root_pi_2 * (erf(x * root_half) + erf(-s * root_half));
}

static double lower_kernel(double s, double w, double t)
{
    double x = s + t;

    switch (place(s, w)) {
    case FALLING:
        return -t * (s + t / 2);
    case RISING:
        return (w - t) * (x + (w - t) / 2); /* (end^2 - x^2) / 2 */
    default:
        return -x * x / 2;
    }
}

/* The integral of exp(kernel) over [0, t]. */
static double kernel_integral(double s, double w, double t)
{
    double x = s + t;

    switch (place(s, w)) {
    case FALLING:
        return fall_integral(s, t);
    case RISING:
        return exp((w - t) * (x + (w - t) / 2)) * fall_integral(-x, t);
    default:
        return mass(s, t);
    }
}

static double lower_constant(double s, double w)
{
    return -log(kernel_integral(s, w, w));
}

static double lower_cdf(double s, double w, double t)
{
    return kernel_integral(s, w, t) / kernel_integral(s, w, w);
}

/* A first guess: exponential if steep, else by the normal quantile. */
static double guess(double s, double w, double u)
{
    double low, high;

    if (is_short(s, w))
        return u * w;
    if (s > 3)
        return -log1p(u * expm1(-w * (s + w / 2))) / s;
    if (s + w < -3)
        return w + log(u) / -(s + w);
    if (s > 0) { /* in terms of the upper tail */
        low = bnre__normal_cdf(-s);
        high = bnre__normal_cdf(-s - w);
        return -bnre__normal_quantile(low + u * (high - low)) - s;
    }
    low = bnre__normal_cdf(s);
    high = bnre__normal_cdf(s + w);
    return bnre__normal_quantile(low + u * (high - low)) - s;
}

/* Newton's method on log P, which is concave because the log density is: from
   the second point on it comes from below, and the first step back is rounding.
   Steps out of the bracket are replaced by halving it. */
static double lower_quantile(double s, double w, double u)
{
    double total = kernel_integral(s, w, w);
    double low = 0, high = w, last = 0, t = guess(s, w, u);

    if (!(t > 0 && t < w))
        t = u * w;
    for (int i = 0; i < 200; i++) {
        double part = kernel_integral(s, w, t);
        double step = log(u * total / part) * part / exp(lower_kernel(s, w, t));

        if (part < u * total)
            low = t;
        else
            high = t;
        if (last > 0 && step <= 0)
            break;
        last = step;
        if (!(t + step > low && t + step < high)) {
            if (fabs(step) <= DBL_EPSILON * t)
                break;
            step = (low + high) / 2 - t;
            last = 0;
        }
        t += step;
        if (fabs(step) <= DBL_EPSILON * t)
            break;
    }
    return t;
}

/* The density relative to its largest value. */
static double bell(double t, const void *context)
{
    const struct piece *c = context;
    double x = c->s + t;

    return c->s < 0 ? exp(-x * x / 2) : fall(t, context);
}

static double first_moment(double t, const void *context)
{
    return t * bell(t, context);
}

static double second_moment(double t, const void *context)
{
    const struct piece *c = context;

    return (t - c->mean) * (t - c->mean) * bell(t, context);
}

/* The closed forms subtract nearly equal numbers for narrow and for far
   intervals; quadrature does not. The interval is mirrored if the mean is in
   its upper half, and cut where the density has fallen by e^-40. */
static void lower_moments(double s, double w, double *mean, double *variance)
{
    double mode = fmax(0, -s), slope = fmax(0, s), from, to, total;
    struct piece context = {s, 0};

    if (s + w / 2 < 0) {
        lower_moments(-(s + w), w, mean, variance);
        *mean = w - *mean;
        return;
    }
    from = fmax(0, mode - 9);
    to = fmin(w, mode + 80 / (slope + sqrt(slope * slope + 80)));
    total = bnre__gauss(bell, &context, from, to, 12);
    *mean = bnre__gauss(first_moment, &context, from, to, 12) / total;
    context.mean = *mean;
    *variance = bnre__gauss(second_moment, &context, from, to, 12) / total;
}

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

/* truncated_normal(mean, sd, low, high), whose bounds may be infinite: then the
   interval is computed to where nothing of the mass is left in doubles. */

#define ENOUGH 60 /* standard deviations */

static double lower_end(const double *arg)
{
    return isinf(arg[2]) ? fmin(arg[0], arg[3]) - ENOUGH * arg[1] : arg[2];
}

static double upper_end(const double *arg)
{
    return isinf(arg[3]) ? fmax(arg[0], arg[2]) + ENOUGH * arg[1] : arg[3];
}

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
    if (!(fabs((lower_end(arg) - arg[0]) / arg[1]) < most &&
          fabs((upper_end(arg) - arg[0]) / arg[1]) < most))
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
    *s = (lower_end(arg) - arg[0]) / arg[1];
    *w = (upper_end(arg) - lower_end(arg)) / arg[1];
}

static double truncated_constant(const double *arg)
{
    double s, w;

    truncated_place(arg, &s, &w);
    return lower_constant(s, w) - log(arg[1]);
}

static double truncated_kernel(const double *arg, double x)
{
    double s, w;

    truncated_place(arg, &s, &w);
    return lower_kernel(s, w, (x - lower_end(arg)) / arg[1]);
}

static double truncated_cdf(const double *arg, double x)
{
    double s, w;

    truncated_place(arg, &s, &w);
    return lower_cdf(s, w, fmin(fmax((x - lower_end(arg)) / arg[1], 0), w));
}

static double truncated_quantile(const double *arg, double u)
{
    double s, w;

    truncated_place(arg, &s, &w);
    if (u <= 0.5)
        return lower_end(arg) + arg[1] * lower_quantile(s, w, u);
    return upper_end(arg) - arg[1] * lower_quantile(-(s + w), w, 1 - u);
}

static void truncated_moments(const double *arg, double *mean, double *variance)
{
    double s, w;

    truncated_place(arg, &s, &w);
    lower_moments(s, w, mean, variance);
    *mean = lower_end(arg) + arg[1] * *mean;
    *variance *= arg[1] * arg[1];
}

const bnre__family bnre__family_truncated_normal = {
    .name = "truncated_normal",
    .count = 4,
    .argument = {"mean", "sd", "low", "high"},
    .infinite = 1 << 2 | 1 << 3,
    .check = check_truncated,
    .support = last_two,
    .constant = truncated_constant,
    .kernel = truncated_kernel,
    .cdf = truncated_cdf,
    .quantile = truncated_quantile,
    .moments = truncated_moments,
};
