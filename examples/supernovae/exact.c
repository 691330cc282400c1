/* exact.c - the posterior of the supernovae by quadrature of the likelihood.
   Usage: exact magnitudes.csv */
#include "supernovae.c"

#include "../quadrature.h"

static double magnitude[BINS];

static double log_posterior(const double *theta)
{
    return log_likelihood(NULL, theta, magnitude);
}

int main(int argc, char **argv)
{
    static const axis axes[] = {{"Omega_m", 0.05, 0.6, 110},
                                {"w", -2, -0.3, 120}};
    FILE *file = fopen(argc > 1 ? argv[1] : "magnitudes.csv", "r");

    if (file == NULL || fscanf(file, "%*[^\n]") != 0)
        return 1;
    for (size_t i = 0; i < BINS; i++)
        if (fscanf(file, i > 0 ? ",%lf" : "%lf", &magnitude[i]) != 1)
            return 1;
    fclose(file);
    return quadrature(2, axes, log_posterior);
}
