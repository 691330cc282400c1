/* exact.c - the posterior of the outbreak by quadrature of the likelihood. */
#include "sir.c"

#include "../quadrature.h"

static const double in_bed[DAYS] = {3,   8,   26,  76, 225, 298, 258,
                                    233, 189, 128, 68, 29,  14,  4};

static double log_posterior(const double *theta)
{
    return log_likelihood(NULL, theta, in_bed) - pow(theta[0] - 2, 2) / 2 -
           pow((theta[1] - 0.4) / 0.5, 2) / 2 - 5 * theta[2];
}

int main(void)
{
    static const axis axes[] = {{"beta", 1.3, 2.3, 64},
                                {"gamma", 0.25, 0.9, 64},
                                {"phi_inv", 0.005, 1.5, 96}};

    return quadrature(3, axes, log_posterior);
}
