/* oracle.h - what the GNU Scientific Library says, to compare with. */
#ifndef BNRE_TEST_ORACLE_H
#define BNRE_TEST_ORACLE_H

/* Distribution functions: lower tail, upper tail, inverse of the lower
   (NaN where GSL finds none). */
double oracle_normal_p(double x);
double oracle_normal_inverse(double u);
double oracle_gamma_p(double x, double shape);
double oracle_gamma_q(double x, double shape);
double oracle_gamma_inverse(double u, double shape);
double oracle_beta_p(double x, double a, double b);
double oracle_beta_q(double x, double a, double b);
double oracle_beta_inverse(double u, double a, double b);
double oracle_student_p(double x, double df);
double oracle_student_inverse(double u, double df);

/* Densities. */
double oracle_normal_density(double x);
double oracle_log_normal_density(double x, double mean, double sd);
double oracle_gamma_density(double x, double shape, double rate);
double oracle_beta_density(double x, double a, double b);
double oracle_student_density(double x, double df);

/* Probabilities of counts. */
double oracle_poisson(unsigned k, double mean);
double oracle_binomial(unsigned k, unsigned n, double p);

/* The integral of f over [low, high], adaptively, to a relative 1e-11 or to
   1e-300. */
double oracle_integral(double (*f)(double x, void *context), void *context,
                       double low, double high);

#endif
