/* dist_gamma.c - the incomplete gamma function: a series, a continued
   fraction, or Temme's expansion, by where x lies; quantiles by Newton's
   method on logarithms. */
#include <float.h>
#include <math.h>

#include "num/dist.h"
#include "num/special.h"

double bnre__gamma_log_weight(double x, double a)
{
    return 0.5 * log(a) - BNRE__LOG_SQRT_2PI - bnre__stirling(a) -
           bnre__deviance(a, x);
}

/* A shape and what is computed for it once. */
struct shape {
    double a, scale;
};

static struct shape make_shape(double a)
{
    double scale = a < 15 ? 1 / tgamma(a + 1)
                          : exp(-bnre__stirling(a)) / sqrt(2 * acos(-1) * a);

    return (struct shape){a, scale};
}

/* x^a e^-x / Gamma(a + 1) */
static double weight(double x, const struct shape *shape)
{
    double a = shape->a;

    if (a >= 15)
        return exp(-bnre__deviance(a, x)) * shape->scale;
    if (x > 1000) /* less than the smallest double */
        return 0;
    return pow(x, a) * exp(-x / 2) * exp(-x / 2) * shape->scale;
}

/* P / weight = 1 + x/(a+1) + x^2/((a+1)(a+2)) + ..., for x < a + 1 */
static double lower_series(double x, double a)
{
    double term = 1, sum = 1;

    for (int n = 1; n < 10000 && term > sum * DBL_EPSILON / 4; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Q / (a weight) = 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))), for
   x >= a + 1, by Lentz's method. */
static double upper_fraction(double x, double a)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;

    for (int n = 1; n < 10000; n++) {
        double numerator = -n * (n - a), factor;

        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        factor = c * d;
        h *= factor;
        if (fabs(factor - 1) < DBL_EPSILON)
            break;
    }
    return h;
}

/* For large a and x of its size (Temme, "On the computation of the incomplete
   gamma functions for large values of the parameters", 1987): with

     eta^2 / 2 = x/a - 1 - log(x/a), eta of the sign of x - a,
     Q = erfc(eta sqrt(a/2)) / 2 + exp(-a eta^2 / 2) / sqrt(2 pi a) S(eta)

   differentiation gives 1 + eta S - S'/a = f(eta) exp(-stirling(a)), where
   f(eta) = eta / (x/a - 1). The power series of f is known, and comparing
   coefficients gives that of S from high orders down. Good to 1e-15 for
   a >= 20 and |eta| <= 1. */
static void uniform_tails(double eta, const struct shape *shape, double *p,
                          double *q)
{
    enum { N = 30 };
    static const double f[N + 2] = {
        1.0,
        -0.33333333333333333333,
        0.083333333333333333333,
        -0.014814814814814814815,
        0.0011574074074074074074,
        0.00035273368606701940035,
        -0.0001787551440329218107,
        0.000039192631785224377817,
        -2.1854485106799921615e-6,
        -1.8540622107151599607e-6,
        8.296711340953086005e-7,
        -1.7665952736826079304e-7,
        6.7078535434014985804e-9,
        1.0261809784240308043e-8,
        -4.3820360184533531866e-9,
        9.1476995822367902342e-10,
        -2.5514193994946249767e-11,
        -5.8307721325504250675e-11,
        2.4361948020667416244e-11,
        -5.0276692801141755891e-12,
        1.1004392031956134771e-13,
        3.3717632624009853788e-13,
        -1.3923887224181620659e-13,
        2.8534893807047443204e-14,
        -5.139111834242572619e-16,
        -1.9752288294349442835e-15,
        8.0995211567045613341e-16,
        -1.6522531216398161819e-16,
        2.5305430097478884233e-18,
        1.1686939738559576589e-17,
        -4.7700370498204847582e-18,
        9.6991260590562371242e-19,
    };
    const double a = shape->a;
    double above = f[N + 1], here = f[N], sum = above * eta + here, rest;

    /* above, here: coefficients of orders n + 1 and n, times exp(stirling) */
    for (int n = N - 1; n >= 1; n--) {
        double below = f[n] + (n + 1) / a * above;

        above = here;
        here = below;
        sum = sum * eta + here;
    }
    rest = exp(-a * eta * eta / 2) * shape->scale * sum;
    if (eta > 0) {
        *q = 0.5 * erfc(eta * sqrt(a / 2)) + rest;
        *p = 1 - *q;
    } else {
        *p = 0.5 * erfc(-eta * sqrt(a / 2)) - rest;
        *q = 1 - *p;
    }
}

/* Both tails; returns the weight. */
static double tails(double x, const struct shape *shape, double *p, double *q)
{
    double a = shape->a, w = weight(x, shape);

    if (a >= 20) {
        double eta = sqrt(-2 * bnre__log1p_less((x - a) / a));

        if (eta <= 1) {
            uniform_tails(x < a ? -eta : eta, shape, p, q);
            return w;
        }
    }
    if (x < a + 1) {
        *p = fmin(1, w * lower_series(x, a));
        *q = 1 - *p;
    } else {
        *q = fmin(1, w * a * upper_fraction(x, a));
        *p = 1 - *q;
    }
    return w;
}

void bnre__gamma_tails(double x, double shape, double *p, double *q)
{
    struct shape s = make_shape(shape);

    if (x > 0 && x < HUGE_VAL) {
        tails(x, &s, p, q);
        return;
    }
    *p = x > 0;
    *q = 1 - *p;
}

double bnre__gamma_cdf(double x, double shape)
{
    double p, q;

    if (isnan(x) || !(shape > 0 && shape < HUGE_VAL))
        return NAN;
    bnre__gamma_tails(x, shape, &p, &q);
    return p;
}

/* Newton's method on log P as a function of log x, which is concave: from the
   second point on it comes from below and never overshoots, so the first step
   back is rounding. */
static double solve_lower(double u, const struct shape *shape, double x)
{
    double last = 0;

    for (int i = 0; i < 200; i++) {
        double p, q, step, w = tails(x, shape, &p, &q);

        if (!(p > 0 && w > 0)) { /* too low to be seen: up by sd / 10 */
            x *= 1 + 0.1 / sqrt(shape->a);
            continue;
        }
        step = log(u / p) * (p / w) / shape->a;
        if (last > 0 && step <= 0)
            break;
        x *= exp(step);
        if (fabs(step) <= DBL_EPSILON)
            break;
        last = step;
    }
    return x;
}

/* The same on log Q as a function of x, which is concave for a >= 1 and convex
   for a <= 1; the steps again keep their sign from the second on. */
static double solve_upper(double v, const struct shape *shape, double x)
{
    double a = shape->a, last = 0, side = a >= 1 ? -1 : 1, seen = a;

    for (int i = 0; i < 200; i++) {
        double p, q, step, w = tails(x, shape, &p, &q);

        if (!(q > 0 && w > 0)) { /* too high to be seen: half the way back */
            x = (x + seen) / 2;
            last = 0;
            continue;
        }
        seen = x;
        step = log(q / v) * (q / w) / a * x;
        if (last * side > 0 && step * side <= 0)
            break;
        x += step;
        if (fabs(step) <= DBL_EPSILON * x)
            break;
        last = step;
    }
    return x;
}

double bnre__gamma_quantile(double u, double shape)
{
    struct shape s;
    double p, q, low, root;

    if (!(u >= 0 && u <= 1 && shape > 0 && shape < HUGE_VAL))
        return NAN;
    if (u == 0 || u == 1)
        return u == 0 ? 0 : HUGE_VAL;
    /* P <= x^a / Gamma(a + 1), with equality at x = 0 */
    low = exp((log(u) + bnre__log_gamma(shape + 1)) / shape);
    if (low < 1e-17)
        return low;
    s = make_shape(shape);
    if (shape < 1) {
        tails(1, &s, &p, &q);
        return u < p ? solve_lower(u, &s, low) : solve_upper(1 - u, &s, 1);
    }
    /* Wilson and Hilferty: the cube root is nearly normal. */
    root = 1 - 1 / (9 * shape) + bnre__normal_quantile(u) / (3 * sqrt(shape));
    if (u > 0.5)
        return solve_upper(1 - u, &s, shape * root * root * root);
    return solve_lower(u, &s, root > 0.3 ? shape * root * root * root : low);
}

double bnre__gamma_upper_quantile(double v, double shape)
{
    struct shape s;
    double p, q, root;

    if (!(v >= 0 && v <= 1 && shape > 0 && shape < HUGE_VAL))
        return NAN;
    if (v == 0)
        return HUGE_VAL;
    s = make_shape(shape);
    tails(1, &s, &p, &q);
    if (v > 0.5 || (shape < 1 && v > q))
        return bnre__gamma_quantile(1 - v, shape);
    if (shape < 1)
        return solve_upper(v, &s, 1);
    root = 1 - 1 / (9 * shape) - bnre__normal_quantile(v) / (3 * sqrt(shape));
    return solve_upper(v, &s, shape * root * root * root);
}
