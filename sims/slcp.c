/* slcp.c - simple likelihood, complex posterior: two scales of a bivariate
   normal law, whose correlation is not of interest.

   Four independent points from N(m, S), m = (0.7, -2.9),

     S = [[s1^2, rho s1 s2], [rho s1 s2, s2^2]],   s1 = theta_0^2,
                                                   s2 = theta_1^2,

   rho = tanh(u) with u uniform on (-3, 3), one for the four points. Only the
   squares of theta enter, so every posterior has four equal modes. */
#include <math.h>
#include <stdio.h>

#include "sims.h"

enum { POINTS = 4, MAX_REDRAWS = 1000 };

static const double MEAN_1 = 0.7, MEAN_2 = -2.9;
static const double U_MAX = 3;

/* Whether the Cholesky factor of S exists in single precision, in which the
   reference computes it. */
static int is_positive_definite(double s1, double s2, double rho)
{
    float a = (float)s1 * (float)s1, c = (float)s2 * (float)s2;
    float b = (float)rho * (float)s1 * (float)s2, l;

    if (!(a > 0))
        return 0;
    l = b / sqrtf(a);
    return c - l * l > 0;
}

static bnre_draw draw_slcp(void *state, bnre_rng *rng, const double *theta,
                           const double *nuisance, double *x, char *reason)
{
    double s1 = theta[0] * theta[0], s2 = theta[1] * theta[1];
    double rho = tanh(nuisance[0]), rest;

    (void)state;
    /* For |theta| below 1e-9 or so the correlation is redrawn like in the
       reference. Such a row holds the first u among its nuisance parameters,
       not the one that was used. */
    for (int i = 0; !is_positive_definite(s1, s2, rho); i++) {
        if (i == MAX_REDRAWS) {
            snprintf(reason, BNRE_REASON_SIZE,
                     "covariance is not positive definite: theta too near 0");
            return BNRE_DRAW_INVALID;
        }
        rho = tanh(U_MAX * (2 * bnre_rng_uniform(rng) - 1));
    }
    rest = sqrt(1 - rho * rho);
    for (int i = 0; i < POINTS; i++) {
        double z1 = bnre_rng_normal(rng), z2 = bnre_rng_normal(rng);

        x[2 * i] = MEAN_1 + s1 * z1;
        x[2 * i + 1] = MEAN_2 + s2 * (rho * z1 + rest * z2);
    }
    return BNRE_DRAW_OK;
}

/* The likelihood is an integral over u. With z = (x - m) / s for each point,
   p = sum (z1 - z2)^2 / 2, q = sum (z1 + z2)^2 / 2 and t = 2 u it reads

     (2 pi s1 s2)^-4 exp(-(p + q)/4) int cosh(t/2)^4 exp(c(t)) dt / 12,
     c(t) = -(p exp(t) + q exp(-t)) / 4,   -6 < t < 6.

   c is concave with its top at t = log(q/p)/2, or at the nearer end. The
   integrand can be as narrow as one likes (theta near 0) and cosh^4 varies by
   a factor 1e4 only, so it suffices to integrate where c is within DEPTH of its
   top. */

/* Gauss-Legendre rule of 20 nodes on (-1, 1): positive nodes, weights. */
static const double rule[10][2] = {
    {0.0765265211334973338, 0.1527533871307258507},
    {0.2277858511416450781, 0.1491729864726037468},
    {0.3737060887154195607, 0.1420961093183820513},
    {0.5108670019508270980, 0.1316886384491766269},
    {0.6360536807265150255, 0.1181945319615184173},
    {0.7463319064601507926, 0.1019301198172404350},
    {0.8391169718222188234, 0.0832767415767047487},
    {0.9122344282513259059, 0.0626720483341090636},
    {0.9639719272779137913, 0.0406014298003869413},
    {0.9931285991850949248, 0.0176140071391521183},
};

/* A top of c: there p exp(t) = p_top and q exp(-t) = q_top. */
struct top {
    double exp_t, p, q;
};

/* cosh(t/2)^4 exp(c(t) - c(top)) at a distance d from the top, of which
   m = exp(d) - 1 is known: so the exponent has no cancelling terms. */
static double integrand(const struct top *top, double m)
{
    double exp_d = 1 + m, exp_t = top->exp_t * exp_d;
    double fall = m * ((top->p - top->q) + top->p * m) / (4 * exp_d);
    double cosh2 = (2 + exp_t + 1 / exp_t) / 4;

    return cosh2 * cosh2 * exp(-fall);
}

/* Nodes lie around the middles of their panels in the same way, and
   exp(a + b) - 1 = A + B + A B with A = exp(a) - 1. What rounding leaves of it
   is as small as the widest panel's m, over which c falls by DEPTH at most. */
static double integrate(const struct top *top, double low, double high)
{
    enum { PANELS = 4, NODES = sizeof rule / sizeof *rule };
    double half = (high - low) / (2 * PANELS), sum = 0, up[NODES], down[NODES];

    for (int k = 0; k < NODES; k++) {
        up[k] = expm1(half * rule[k][0]);
        down[k] = -up[k] / (1 + up[k]);
    }
    for (int i = 0; i < PANELS; i++) {
        double m = expm1(low + (2 * i + 1) * half);

        for (int k = 0; k < NODES; k++)
            sum += rule[k][1] * (integrand(top, m + up[k] * (1 + m)) +
                                 integrand(top, m + down[k] * (1 + m)));
    }
    return half * sum;
}

/* log of: int cosh(t/2)^4 exp(c(t)) dt / 12. */
static double log_integral(double p, double q)
{
    const double end = 2 * U_MAX, DEPTH = 45;
    double t = p > 0 || q > 0 ? 0.5 * (log(q) - log(p)) : 0;
    double sum, root, low, high;
    struct top top;

    if (fabs(t) < end) {
        top.exp_t = exp(t);
        top.p = top.q = sqrt(p) * sqrt(q);
    } else {
        t = t < 0 ? -end : end;
        top.exp_t = exp(t);
        top.p = p * top.exp_t;
        top.q = q / top.exp_t;
    }
    /* c has fallen by DEPTH where p e^d + q e^-d = sum: quadratic in e^d. */
    sum = top.p + top.q + 4 * DEPTH;
    root = sqrt(top.p) - sqrt(top.q);
    root =
        sqrt((4 * DEPTH + root * root) * (sum + 2 * sqrt(top.p) * sqrt(top.q)));
    low = fmax(log(2 * top.q / (sum + root)), -end - t);
    high = fmin(log((sum + root) / (2 * top.p)), end - t);
    return log(integrate(&top, low, high) / 12) - (top.p + top.q) / 4;
}

static double log_likelihood_slcp(void *state, const double *theta,
                                  const double *x)
{
    const double two_pi = 6.283185307179586477;
    double s1 = theta[0] * theta[0], s2 = theta[1] * theta[1];
    double p = 0, q = 0;

    (void)state;
    for (int i = 0; i < POINTS; i++) {
        double z1 = (x[2 * i] - MEAN_1) / s1;
        double z2 = (x[2 * i + 1] - MEAN_2) / s2;

        p += (z1 - z2) * (z1 - z2) / 2;
        q += (z1 + z2) * (z1 + z2) / 2;
    }
    if (!isfinite(p + q)) /* a scale of 0, or so small that z is not finite */
        return -INFINITY;
    return -POINTS * (log(two_pi) + log(s1) + log(s2)) - (p + q) / 4 +
           log_integral(p, q);
}

const bnre_plugin bnre_sim_slcp = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "slcp",
    .title = "four points in the plane; infer two scales, four equal modes",
    .reference = "Papamakarios, Sterratt, Murray, Sequential Neural "
                 "Likelihood, AISTATS 2019 (two of its five parameters)",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"theta_0", "uniform(-3, 3)", NULL},
            {"theta_1", "uniform(-3, 3)", NULL},
            {0},
        },
    .nuisance =
        (const bnre_plugin_parameter[]){
            {"u", "uniform(-3, 3)", NULL},
            {0},
        },
    .observable = "8",
    .draw = draw_slcp,
    .log_likelihood = log_likelihood_slcp,
};
