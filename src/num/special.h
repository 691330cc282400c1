/* special.h - pieces of log Gamma that do not cancel, and tails.

   Probabilities of large counts and shapes are differences of huge logarithms
   when written with log Gamma. Splitting it as in Loader's saddle-point
   formulas ("Fast and accurate computation of binomial probabilities", 2000)

     log Gamma(x) = (x - 1/2) log x - x + log sqrt(2 pi) + stirling(x)
     deviance(x, m) = x log(x / m) + m - x

   leaves only small terms, so that their error does not grow with the size of
   the arguments. All functions are pure and safe in threads (lgamma is not: it
   writes a global sign). */
#ifndef BNRE_SPECIAL_H
#define BNRE_SPECIAL_H

#define BNRE__LOG_SQRT_2PI 0.91893853320467274178

/* x > 0; absolute error below 4e-15. */
double bnre__stirling(double x);

/* x > 0; error below 2e-15 max(1, |result|). */
double bnre__log_gamma(double x);

/* log(1 + x) - x for x > -1, relative error a few 1e-16. */
double bnre__log1p_less(double x);

/* x >= 0, m > 0; relative error a few 1e-16. */
double bnre__deviance(double x, double m);

/* log P(K = k) for K Poisson with the given mean > 0, k >= 0. */
double bnre__poisson_log_pmf(double k, double mean);

/* The same for successes in n trials of probability p = 1 - q, 0 < p < 1. */
double bnre__binomial_log_pmf(double k, double n, double p, double q);

/* log(x^a e^-x / Gamma(a)) and log(x^a y^b / B(a, b)) with y = 1 - x: the
   densities of log X and logit X for X gamma or beta, at 0 < x. */
double bnre__gamma_log_weight(double x, double a);
double bnre__beta_log_weight(double x, double y, double a, double b);

/* The normal quantile of 1/2 + q, |q| <= 0.425, without adding the half. */
double bnre__normal_quantile_middle(double q);

/* Distribution functions with both tails: *p = P(X <= x), *q = P(X > x). The
   smaller one is computed, the other is its complement to 1. Gamma with scale
   1; beta at x = 1 - y, both given because a small one would be lost in the
   other. */
void bnre__gamma_tails(double x, double shape, double *p, double *q);
void bnre__beta_tails(double x, double y, double a, double b, double *p,
                      double *q);

/* The quantile of the beta distribution at p = 1 - q, 0 < p < 1, as its logit
   log(x / (1 - x)): exact at both ends of the interval. */
double bnre__beta_logit(double p, double q, double a, double b);

/* Integrals of smooth functions. */

/* The integral of f over [low, high] by Gauss-Legendre's rule with 16 points on
   each of `pieces` equal parts: exact for polynomials of degree 31 there. */
double bnre__gauss(double (*f)(double x, const void *context),
                   const void *context, double low, double high, int pieces);

#endif
