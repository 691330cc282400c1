/* dist.c - the normal law (quantiles by Wichura's AS 241) and Student's, as
   an incomplete beta function. */
#include "num/dist.h"

#include <math.h>

#include "num/special.h"

double bnre__normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

/* c[0] + c[1] r + ... + c[7] r^7, in an order that leaves the processor several
   independent products at a time. */
static inline double poly7(const double c[8], double r)
{
    double r2 = r * r, r4 = r2 * r2;

    return ((c[0] + c[1] * r) + (c[2] + c[3] * r) * r2) +
           ((c[4] + c[5] * r) + (c[6] + c[7] * r) * r2) * r4;
}

static double ratio7(const double num[8], const double den[8], double r)
{
    return poly7(num, r) / poly7(den, r);
}

/* Wichura's rational approximations (Algorithm AS 241, PPND16): one about the
   middle, two in sqrt(-log(tail probability)). */
double bnre__normal_quantile_middle(double q)
{
    static const double middle[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e+2,
         1.9715909503065514427e+3, 1.3731693765509461125e+4,
         4.5921953931549871457e+4, 6.7265770927008700853e+4,
         3.3430575583588128105e+4, 2.5090809287301226727e+3},
        {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2,
         5.3941960214247511077e+3, 2.1213794301586595867e+4,
         3.9307895800092710610e+4, 2.8729085735721942674e+4,
         5.2264952788528545610e+3}};

    return q * ratio7(middle[0], middle[1], 0.180625 - q * q);
}

double bnre__normal_quantile(double u)
{
    static const double tail[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0,
         5.76949722146069140550e0, 3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1,
         2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
         6.89767334985100004550e-1, 1.48103976427480074590e-1,
         1.51986665636164571966e-2, 5.47593808499534494600e-4,
         1.05075007164441684324e-9}};
    static const double far[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0,
         1.78482653991729133580e0, 2.96560571828504891230e-1,
         2.65321895265761230930e-2, 1.24266094738807843860e-3,
         2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
         1.48753612908506148525e-2, 7.86869131145613259100e-4,
         1.84631831751005468180e-5, 1.42151175831644588870e-7,
         2.04426310338993978564e-15}};
    double q = u - 0.5, r, size;

    if (fabs(q) <= 0.425)
        return bnre__normal_quantile_middle(q);
    if (!(u > 0 && u < 1))
        return u == 0 ? -HUGE_VAL : u == 1 ? HUGE_VAL : NAN;
    r = sqrt(-log(q < 0 ? u : 1 - u));
    if (r <= 5)
        size = ratio7(tail[0], tail[1], r - 1.6);
    else
        size = ratio7(far[0], far[1], r - 5);
    return q < 0 ? -size : size;
}

/* With w = t^2 / df, 1 / (1 + w) has a beta distribution with parameters df/2
   and 1/2; half of its lower tail is that of t. Far out the leading term
   serves, because t^2 would not fit a double. */
static double student_t_tail(double size, double df)
{
    double log_w = 2 * log(size) - log(df), p, q;

    if (log_w > 600)
        return 0.5 * exp(-0.5 * df * log_w + bnre__log_gamma(0.5 * df + 0.5) -
                         bnre__log_gamma(0.5 * df + 1) - 0.5 * log(acos(-1)));
    bnre__beta_tails(1 / (1 + size / df * size), 1 / (1 + df / size / size),
                     0.5 * df, 0.5, &p, &q);
    return 0.5 * p;
}

double bnre__student_t_cdf(double x, double df)
{
    double tail;

    if (isnan(x) || !(df > 0))
        return NAN;
    if (x == 0)
        return 0.5;
    if (isinf(x))
        return x > 0;
    if (df > 1e17) /* the difference is below rounding */
        return bnre__normal_cdf(x);
    tail = student_t_tail(fabs(x), df);
    return x < 0 ? tail : 1 - tail;
}

double bnre__student_t_quantile(double u, double df)
{
    double tail = u < 0.5 ? u : 1 - u, size;

    if (!(u >= 0 && u <= 1 && df > 0))
        return NAN;
    if (df > 1e17)
        return bnre__normal_quantile(u);
    if (u == 0.5)
        return 0;
    if (u == 0 || u == 1)
        return u == 0 ? -HUGE_VAL : HUGE_VAL;
    size = sqrt(df) *
           exp(-0.5 * bnre__beta_logit(2 * tail, 1 - 2 * tail, 0.5 * df, 0.5));
    return u < 0.5 ? -size : size;
}
