/* truncated.h - the normal distribution restricted to an interval, as seen from
   its lower end.

   With s = (low - mean) / sd and w = (high - low) / sd, t = (x - low) / sd has
   the density exp(-s t - t^2 / 2) on [0, w], up to a constant. Nothing here
   subtracts nearly equal numbers, however narrow the interval is or far from
   the mean. All assume 0 <= t <= w, w > 0. */
#ifndef BNRE_PRIOR_TRUNCATED_H
#define BNRE_PRIOR_TRUNCATED_H

/* The log density of t without its constant, and that constant. */
double bnre__truncated_kernel(double s, double w, double t);
double bnre__truncated_constant(double s, double w);

double bnre__truncated_cdf(double s, double w, double t);

/* t with cdf(t) = u, for 0 < u <= 1/2; mirror the interval for larger u:
   s -> -(s + w), t -> w - t. */
double bnre__truncated_quantile(double s, double w, double u);

void bnre__truncated_moments(double s, double w, double *mean,
                             double *variance);

#endif
