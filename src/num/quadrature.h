/* quadrature.h - integrals of smooth functions. */
#ifndef BNRE_QUADRATURE_H
#define BNRE_QUADRATURE_H

/* The integral of f over [low, high] by Gauss-Legendre's rule with 16 points on
   each of `pieces` equal parts: exact for polynomials of degree 31 there. */
double bnre__gauss(double (*f)(double x, const void *context),
                   const void *context, double low, double high, int pieces);

#endif
