/* special.c - Loader's saddle-point pieces of log Gamma, the probabilities
   made of them, and Gauss-Legendre quadrature. */
#include "num/special.h"

#include <float.h>
#include <math.h>

/* Asymptotic series; its terms are B_2k / (2k (2k - 1) x^(2k - 1)). From x = 15
   on eight terms are exact to the last bit; below, Gamma itself is small. */
double bnre__stirling(double x)
{
    static const double c[] = {
        1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
        1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400,
    };
    double w, sum;

    if (x < 15) {
        if (x < 1e-300)
            return HUGE_VAL;
        return log(tgamma(x)) - (x - 0.5) * log(x) + x - BNRE__LOG_SQRT_2PI;
    }
    w = 1 / x / x;
    sum = c[7];
    for (int i = 6; i >= 0; i--)
        sum = sum * w + c[i];
    return sum / x;
}

double bnre__log_gamma(double x)
{
    if (x < 1e-300)
        return -log(x);
    if (x < 15)
        return log(tgamma(x));
    return (x - 0.5) * log(x) - x + BNRE__LOG_SQRT_2PI + bnre__stirling(x);
}

/* With s = x / (2 + x), log(1 + x) = 2 atanh(s), and x = 2s + s x, so

     log(1 + x) - x = -s x + 2 (s^3 / 3 + s^5 / 5 + ...)

   where the second part is at most a small fraction of the first. */
double bnre__log1p_less(double x)
{
    double s, w, power, sum = 0, last;

    if (x < -0.5 || x > 1)
        return log1p(x) - x;
    s = x / (2 + x);
    w = s * s;
    power = 2 * s * w;
    for (int k = 3; k < 60; k += 2) { /* w <= 1/9 */
        last = sum;
        sum += power / k;
        if (sum == last)
            break;
        power *= w;
    }
    return sum - s * x;
}

/* log(x / m), also where the ratio does not fit a double */
static double log_ratio(double x, double m)
{
    double ratio = x / m;

    return ratio > DBL_MIN && ratio < DBL_MAX ? log(ratio) : log(x) - log(m);
}

double bnre__deviance(double x, double m)
{
    double ratio = (x - m) / m;

    if (x == 0)
        return m;
    /* x log(x/m) + m - x = m [(1 + r) log(1 + r) - r], r = (x - m) / m; close
       to m this is a difference of nearly equal numbers. */
    if (ratio > -0.5 && ratio < 1) {
        double r = (m - x) / x; /* log(x/m) = -log(1 + r), m - x = r x */

        return -x * bnre__log1p_less(r);
    }
    if (isinf(m))
        return m;
    return x * log_ratio(x, m) + m - x;
}

double bnre__poisson_log_pmf(double k, double mean)
{
    if (k == 0)
        return -mean;
    return -bnre__stirling(k) - bnre__deviance(k, mean) - 0.5 * log(k) -
           BNRE__LOG_SQRT_2PI;
}

double bnre__binomial_log_pmf(double k, double n, double p, double q)
{
    double rest = n - k;

    if (k == 0)
        return p < 0.1 ? n * log1p(-p) : n * log(q);
    if (rest == 0)
        return q < 0.1 ? n * log1p(-q) : n * log(p);
    return bnre__stirling(n) - bnre__stirling(k) - bnre__stirling(rest) -
           bnre__deviance(k, n * p) - bnre__deviance(rest, n * q) +
           0.5 * log(n / k / rest) - BNRE__LOG_SQRT_2PI;
}

double bnre__gauss(double (*f)(double x, const void *context),
                   const void *context, double low, double high, int pieces)
{
    static const double node[8] = {
        0.9894009349916499326,  0.94457502307323257608, 0.86563120238783174388,
        0.7554044083550030339,  0.61787624440264374845, 0.45801677765722738634,
        0.28160355077925891323, 0.095012509837637440185};
    static const double weight[8] = {
        0.027152459411754094852, 0.062253523938647892863,
        0.09515851168249278481,  0.12462897125553387205,
        0.14959598881657673208,  0.16915651939500253819,
        0.18260341504492358887,  0.18945061045506849629};
    double half = (high - low) / pieces / 2, sum = 0;

    for (int i = 0; i < pieces; i++) {
        double middle = low + half * (2 * i + 1);

        for (int k = 0; k < 8; k++)
            sum += weight[k] * (f(middle - half * node[k], context) +
                                f(middle + half * node[k], context));
    }
    return half * sum;
}
