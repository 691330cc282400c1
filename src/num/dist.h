/* dist.h - distribution functions, in double precision.

   cdf: P(X <= x). quantile: its inverse for 0 <= u <= 1 (the ends give the
   ends of the support). NaN in, NaN out; so do u outside [0, 1] and parameters
   that are not positive. Everything returns quickly for any parameters.

   Accuracy, as tests/num/test_dist.c has it: distribution functions have a
   relative error below 1e-12 down to 1e-290 for shapes from 1e-2 to 1e4, most
   of it where the rounding of x alone moves the result by as much (near the
   middle 1e-14 is usual). Quantiles are what they should be for some u changed
   by a relative 1e-12, from u = 1e-300 on. The normal ones: 1e-15 near the
   middle, 5e-13 for the distribution function at 1e-300. */
#ifndef BNRE_NUM_DIST_H
#define BNRE_NUM_DIST_H

double bnre__normal_cdf(double x);
double bnre__normal_quantile(double u);

/* Gamma with scale 1: regularised incomplete gamma function P(shape, x). */
double bnre__gamma_cdf(double x, double shape);
double bnre__gamma_quantile(double u, double shape);
/* x with P(X > x) = v, which keeps its digits where v is small. */
double bnre__gamma_upper_quantile(double v, double shape);

/* Regularised incomplete beta function I_x(a, b). */
double bnre__beta_cdf(double x, double a, double b);
double bnre__beta_quantile(double u, double a, double b);

double bnre__student_t_cdf(double x, double df);
double bnre__student_t_quantile(double u, double df);

#endif
