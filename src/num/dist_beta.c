/* dist_beta.c - the incomplete beta function: the continued fraction of
   Didonato and Morris, or quadrature where both shapes are large; quantiles
   by Newton's method on the logit. */
#include <float.h>
#include <math.h>

#include "num/dist.h"
#include "num/special.h"

/* deviance(a, n x), also where the product is too small for a double */
static double deviance(double a, double n, double x)
{
    if (n * x < DBL_MIN)
        return a * (log(a) - log(n) - log(x)) - a;
    return bnre__deviance(a, n * x);
}

/* Parameters and what is computed for them once: the log weight at the mean. */
struct shape {
    double a, b, log_scale;
};

static struct shape make_shape(double a, double b)
{
    double n = a + b;

    return (struct shape){a, b,
                          bnre__stirling(n) - bnre__stirling(a) -
                              bnre__stirling(b) + 0.5 * log(a / n * b) -
                              BNRE__LOG_SQRT_2PI};
}

static struct shape mirror(const struct shape *s)
{
    return (struct shape){s->b, s->a, s->log_scale};
}

/* x^a y^b / B(a, b) and its logarithm */
static double log_weight(double x, double y, const struct shape *s)
{
    double n = s->a + s->b;

    return s->log_scale - deviance(s->a, n, x) - deviance(s->b, n, y);
}

static double weight(double x, double y, const struct shape *s)
{
    return exp(log_weight(x, y, s));
}

double bnre__beta_log_weight(double x, double y, double a, double b)
{
    struct shape s = make_shape(a, b);

    return log_weight(x, y, &s);
}

/* P / weight = 1/(b_0 + a_1/(b_1 + a_2/(b_2 + ...))),

     a_m = (a + m - 1) (a + b + m - 1) m (b - m) x^2 / (a + 2m - 1)^2
     b_m = m + m (b - m) x / (a + 2m - 1)
             + (a + m) (a y - b x + 1 + m (1 + y)) / (a + 2m + 1)

   (Didonato and Morris, "Significant digit computation of the incomplete beta
   function ratios", 1992) by Lentz's method. It sees the distance of x from 1
   through y. Fast below the mean; the number of terms grows like
   sqrt(min(a, b)). */
static double lower_fraction(double x, double y, double a, double b)
{
    const double slope = a * y - b * x;
    double f = a / (a + 1) * (slope + 1), c = f, d = 0;

    for (int m = 1; m < 10000; m++) {
        double e = a + 2 * m - 1, rise = m * ((b - m) / e) * x;
        double am = (a + m - 1) / e * (a + b + m - 1) * rise * x;
        double bm = m + rise + (a + m) / (e + 2) * (slope + 1 + m * (1 + y));
        double factor;

        d = 1 / (bm + am * d);
        c = bm + am / c;
        factor = c * d;
        f *= factor;
        if (fabs(factor - 1) < DBL_EPSILON)
            break;
    }
    return 1 / f;
}

/* exp(-t) - 1 + t */
static double exp_rest(double t)
{
    double term = t * t / 2, sum = term;

    if (t > 0.5)
        return expm1(-t) + t;
    for (int k = 3; k < 30; k++) {
        term *= -t / k;
        sum += term;
    }
    return sum;
}

struct below {
    double n, x, slope;
};

/* The density of the logit at a distance t below logit(x), relative to that at
   logit(x):

     exp(-slope t - n [log(1 + w) - w] - n x (exp(-t) - 1 + t)),
     w = x (exp(-t) - 1), slope = a y - b x */
static double relative_density(double t, const void *context)
{
    const struct below *c = context;
    double w = c->x * expm1(-t);

    return exp(-c->slope * t - c->n * bnre__log1p_less(w) -
               c->n * c->x * exp_rest(t));
}

/* P / weight for large a and b, x below the mean: there the density falls like
   a piece of a normal one. Integrated up to where e^-40 is left. */
static double lower_integral(double x, double y, double a, double b)
{
    struct below context = {a + b, x, a * y - b * x};
    double slope = context.slope, bend = context.n * x * y;
    double reach = 80 / (slope + sqrt(slope * slope + 80 * bend));

    return bnre__gauss(relative_density, &context, 0, reach, 4);
}

/* w is the weight */
static double lower_tail(double x, double y, double a, double b, double w)
{
    if (w <= 0)
        return 0;
    if (a > 500 && b > 500)
        return fmin(1, w * lower_integral(x, y, a, b));
    return fmin(1, w * lower_fraction(x, y, a, b));
}

/* Both tails, inside the interval; returns the weight. */
static double tails(double x, double y, const struct shape *s, double *p,
                    double *q)
{
    double w = weight(x, y, s);

    if (x * (s->b + 1) < y * (s->a + 1)) {
        *p = lower_tail(x, y, s->a, s->b, w);
        *q = 1 - *p;
    } else {
        *q = lower_tail(y, x, s->b, s->a, w);
        *p = 1 - *q;
    }
    return w;
}

void bnre__beta_tails(double x, double y, double a, double b, double *p,
                      double *q)
{
    struct shape s = make_shape(a, b);

    if (x > 0 && y > 0) {
        tails(x, y, &s, p, q);
        return;
    }
    *p = x > 0;
    *q = 1 - *p;
}

double bnre__beta_cdf(double x, double a, double b)
{
    double p, q;

    if (isnan(x) || !(a > 0 && b > 0 && a < HUGE_VAL && b < HUGE_VAL))
        return NAN;
    bnre__beta_tails(x, 1 - x, a, b, &p, &q);
    return p;
}

/* log x of the leading term P = x^a / (a B(a, b)) at x = 0. */
static double log_small(double p, const struct shape *s)
{
    double a = s->a, b = s->b;

    return (log(p) + log(a) + a * log(a / (a + b)) - b * log1p(a / b) -
            s->log_scale) /
           a;
}

/* A first guess of the logit. */
static double guess(double p, double q, const struct shape *shape)
{
    double a = shape->a, b = shape->b, n = a + b, left, right;

    if (a >= 1 && b >= 1) {
        /* Carter's expansion (Abramowitz and Stegun 26.5.22); not below the
           leading term, which is a lower bound for b >= 1. */
        double z = bnre__normal_quantile(p), l = (z * z - 3) / 6;
        double r = 1 / (2 * a - 1), s = 1 / (2 * b - 1), h = 2 / (r + s);
        double w = -z * sqrt(h + l) / h - (s - r) * (l + 5.0 / 6 - 2 / (3 * h));

        return fmax(log(a / b) - 2 * w, log_small(p, shape));
    }
    /* Powers at the ends, weighed by where the mean is. */
    left = exp(a * log(a / n)) / a;
    right = exp(b * log(b / n)) / b;
    if (p < left / (left + right))
        return log(a * (left + right) * p) / a;
    return -log(b * (left + right) * q) / b;
}

/* For p <= 1/2: Newton's method on log P as a function of the logit, which is
   concave, so that from the second point on it comes from below and the first
   step back is rounding. Steps out of the bracket, which only a bad guess can
   cause, are replaced by halving it. */
static double solve_lower(double p, double q, const struct shape *s)
{
    double z = guess(p, q, s), low = -800, high = 800, last = NAN;

    if (!(z > low && z < high))
        z = 0;
    for (int i = 0; i < 200; i++) {
        double x = 1 / (1 + exp(-z)), y = 1 / (1 + exp(z));
        double lower, upper, step, w = tails(x, y, s, &lower, &upper);

        if (lower < p)
            low = z;
        else
            high = z;
        step = log(p / lower) * (lower / w);
        if (z + step > low && z + step < high) {
            if (last > 0 && step <= 0)
                break;
            last = step;
            z += step;
        } else {
            if (fabs(step) <= 1e-12 * fabs(z))
                break;
            last = NAN;
            step = 0.5 * (low + high) - z;
            z += step;
        }
        if (fabs(step) <= DBL_EPSILON * fmax(1, fabs(z)))
            break;
    }
    return z;
}

/* The logit of the quantile for p <= q. */
static double lower_logit(double p, double q, const struct shape *s)
{
    double log_x = log_small(p, s);

    if (log_x + log(fmax(1, s->b)) < -38) /* the next term is below rounding */
        return log_x;
    return solve_lower(p, q, s);
}

double bnre__beta_logit(double p, double q, double a, double b)
{
    struct shape s = make_shape(a, b), mirrored = mirror(&s);

    return p <= q ? lower_logit(p, q, &s) : -lower_logit(q, p, &mirrored);
}

double bnre__beta_quantile(double u, double a, double b)
{
    double z;

    if (!(u >= 0 && u <= 1 && a > 0 && b > 0 && a < HUGE_VAL && b < HUGE_VAL))
        return NAN;
    if (u == 0 || u == 1)
        return u;
    z = bnre__beta_logit(u, 1 - u, a, b);
    return z < 0 ? exp(z) / (1 + exp(z)) : 1 / (1 + exp(-z));
}
