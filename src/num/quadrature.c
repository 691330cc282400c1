/* Gauss-Legendre quadrature: 16 nodes in each of some pieces. */
#include "num/quadrature.h"

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
