/* dist.h - distribution functions, in double precision.

   cdf: P(X <= x). quantile: its inverse for 0 <= u <= 1 (the ends give the
   ends of the support). Relative accuracy is 1e-13 or better for quantities
   of moderate size unless stated otherwise. NaN in, NaN out. */
#ifndef BNRE_DIST_H
#define BNRE_DIST_H

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

BNRE_API double bnre_normal_cdf(double x);
BNRE_API double bnre_normal_quantile(double u);

/* Gamma with scale 1: regularised incomplete gamma function P(shape, x). */
BNRE_API double bnre_gamma_cdf(double x, double shape);
BNRE_API double bnre_gamma_quantile(double u, double shape);

/* Regularised incomplete beta function I_x(a, b). */
BNRE_API double bnre_beta_cdf(double x, double a, double b);
BNRE_API double bnre_beta_quantile(double u, double a, double b);

BNRE_API double bnre_student_t_cdf(double x, double df);
BNRE_API double bnre_student_t_quantile(double u, double df);

#ifdef __cplusplus
}
#endif
#endif
