/* quadrature.h - an exact posterior of up to three parameters by summing over a
   grid, for the examples whose likelihood is known. The box must hold the
   posterior: a warning tells if more than a thousandth lies at its sides. */
#ifndef QUADRATURE_H
#define QUADRATURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct axis {
    const char *name;
    double low, high;
    size_t n;
} axis;

static double axis_at(const axis *a, size_t i)
{
    return a->low + (a->high - a->low) * ((double)i + 0.5) / (double)a->n;
}

/* Where the cumulated masses reach q, linear within cells. */
static double axis_quantile(const axis *a, const double *mass, double q)
{
    double sum = 0;
    size_t i = 0;

    while (i + 1 < a->n && sum + mass[i] < q)
        sum += mass[i++];
    return a->low + (a->high - a->low) * ((double)i + (q - sum) / mass[i]) /
                        (double)a->n;
}

/* Prints mean, standard deviation and 2.5, 50 and 97.5 % of each parameter as
   CSV, for a log posterior density that need not be normalised. */
static int quadrature(size_t dims, const axis *axes,
                      double (*log_density)(const double *theta))
{
    size_t cells = 1;
    double *value, *mass[3] = {0}, most = -HUGE_VAL, sum = 0, sides = 0;

    for (size_t d = 0; d < dims; d++) {
        cells *= axes[d].n;
        mass[d] = calloc(axes[d].n, sizeof *mass[d]);
    }
    value = malloc(cells * sizeof *value);
    for (size_t i = 0; i < cells; i++) {
        double theta[3];

        for (size_t d = 0, k = i; d < dims; k /= axes[d++].n)
            theta[d] = axis_at(&axes[d], k % axes[d].n);
        value[i] = log_density(theta);
        most = fmax(most, value[i]);
    }
    for (size_t i = 0; i < cells; i++)
        sum += value[i] = exp(value[i] - most);
    for (size_t i = 0; i < cells; i++)
        for (size_t d = 0, k = i; d < dims; k /= axes[d++].n) {
            const size_t at = k % axes[d].n;

            mass[d][at] += value[i] / sum;
            if (at == 0 || at + 1 == axes[d].n)
                sides += value[i] / sum;
        }
    printf("parameter,mean,sd,q025,q500,q975\n");
    for (size_t d = 0; d < dims; d++) {
        double mean = 0, square = 0;

        for (size_t i = 0; i < axes[d].n; i++) {
            mean += mass[d][i] * axis_at(&axes[d], i);
            square += mass[d][i] * pow(axis_at(&axes[d], i), 2);
        }
        printf("%s,%.5g,%.4g,%.5g,%.5g,%.5g\n", axes[d].name, mean,
               sqrt(square - mean * mean),
               axis_quantile(&axes[d], mass[d], 0.025),
               axis_quantile(&axes[d], mass[d], 0.5),
               axis_quantile(&axes[d], mass[d], 0.975));
        free(mass[d]);
    }
    free(value);
    if (sides > 1e-3)
        fprintf(stderr, "warning: %.2g of the mass lies at the sides\n", sides);
    return 0;
}

#endif
