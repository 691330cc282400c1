/* The truncated normal law without cancellation: everything as seen from the
   lower end, in units of the Mills ratio. */
#include "prior/truncated.h"

#include <float.h>
#include <math.h>

#include "num/dist.h"
#include "num/quadrature.h"

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

double bnre__truncated_kernel(double s, double w, double t)
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

double bnre__truncated_constant(double s, double w)
{
    return -log(kernel_integral(s, w, w));
}

double bnre__truncated_cdf(double s, double w, double t)
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
double bnre__truncated_quantile(double s, double w, double u)
{
    double total = kernel_integral(s, w, w);
    double low = 0, high = w, last = 0, t = guess(s, w, u);

    if (!(t > 0 && t < w))
        t = u * w;
    for (int i = 0; i < 200; i++) {
        double part = kernel_integral(s, w, t);
        double step =
            log(u * total / part) * part / exp(bnre__truncated_kernel(s, w, t));

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
void bnre__truncated_moments(double s, double w, double *mean, double *variance)
{
    double mode = fmax(0, -s), slope = fmax(0, s), from, to, total;
    struct piece context = {s, 0};

    if (s + w / 2 < 0) {
        bnre__truncated_moments(-(s + w), w, mean, variance);
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
