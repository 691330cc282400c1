/* chain.c - a long Markov chain on the exact likelihood, to compare with: random
   walks of Metropolis in the logarithms of the parameters, with the covariance
   of the first part for the second. Usage: chain log_pelts.csv [STEPS] */
#include "lynx_hare.c"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double observed[2 * YEARS];

/* xorshift64*, since the program stands alone */
static uint64_t word = 88172645463325252u;
static double uniform(void)
{
    word ^= word >> 12;
    word ^= word << 25;
    word ^= word >> 27;
    return ((double)((word * 2685821657736338717u) >> 11) + 0.5) /
           9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1.0) * uniform());
}

static double log_normal_plus(double value, double mean, double sd)
{
    return -pow((value - mean) / sd, 2) / 2;
}

/* Of y = log theta: prior, likelihood and the Jacobian. */
static double log_posterior(const double *y)
{
    static const double ten = 2.302585;
    double t[PARAMETERS], sum = 0;

    for (size_t i = 0; i < PARAMETERS; i++)
        t[i] = exp(y[i]);
    sum += log_normal_plus(t[ALPHA], 1, 0.5) + y[ALPHA];
    sum += log_normal_plus(t[BETA], 0.05, 0.05) + y[BETA];
    sum += log_normal_plus(t[GAMMA], 1, 0.5) + y[GAMMA];
    sum += log_normal_plus(t[DELTA], 0.05, 0.05) + y[DELTA];
    for (size_t i = HARE; i < PARAMETERS; i++)
        sum += log_normal_plus(y[i], i < SIGMA_HARE ? ten : -1, 1);
    return sum + log_likelihood(NULL, t, observed);
}

/* One step with the proposal's factor; y and *log_p are where it ends. */
static void step(double y[PARAMETERS], double *log_p,
                 double factor[PARAMETERS][PARAMETERS])
{
    double z[PARAMETERS], to[PARAMETERS], log_to;

    for (size_t i = 0; i < PARAMETERS; i++) {
        z[i] = normal();
        to[i] = y[i];
        for (size_t k = 0; k <= i; k++)
            to[i] += factor[i][k] * z[k];
    }
    log_to = log_posterior(to);
    if (log(uniform()) < log_to - *log_p) {
        memcpy(y, to, sizeof to);
        *log_p = log_to;
    }
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"alpha",      "beta",      "gamma",
                                       "delta",      "hare",      "lynx",
                                       "sigma_hare", "sigma_lynx"};
    const size_t steps = argc > 2 ? (size_t)atol(argv[2]) : 200000;
    FILE *file = fopen(argc > 1 ? argv[1] : "log_pelts.csv", "r");
    double y[PARAMETERS] = {-0.6, -3.6, -0.2, -3.7, 3.5, 1.8, -1.4, -1.4};
    double factor[PARAMETERS][PARAMETERS] = {{0}};
    double sum[PARAMETERS] = {0}, square[PARAMETERS][PARAMETERS] = {{0}};
    double mean[PARAMETERS] = {0}, sd[PARAMETERS] = {0}, log_p;

    if (file == NULL || fscanf(file, "%*[^\n]") != 0)
        return 1;
    for (size_t i = 0; i < 2 * YEARS; i++)
        if (fscanf(file, i > 0 ? ",%lf" : "%lf", &observed[i]) != 1)
            return 1;
    fclose(file);
    log_p = log_posterior(y);
    for (size_t i = 0; i < PARAMETERS; i++)
        factor[i][i] = 0.02;
    for (size_t part = 0; part < 3; part++) { /* the last one counts */
        const double n = (double)(part < 2 ? steps / 4 : steps);

        memset(sum, 0, sizeof sum);
        memset(square, 0, sizeof square);
        for (size_t s = 0; s < (size_t)n; s++) {
            step(y, &log_p, factor);
            for (size_t i = 0; i < PARAMETERS; i++) {
                sum[i] += y[i] / n;
                mean[i] += part == 2 ? exp(y[i]) / n : 0;
                sd[i] += part == 2 ? exp(2 * y[i]) / n : 0;
                for (size_t k = 0; k <= i; k++)
                    square[i][k] += y[i] * y[k] / n;
            }
        }
        for (size_t i = 0; i < PARAMETERS; i++) /* Cholesky, times 2.4^2 / 8 */
            for (size_t k = 0; k <= i; k++) {
                double c = 0.72 * (square[i][k] - sum[i] * sum[k]);

                if (i == k)
                    c += 1e-9;
                for (size_t j = 0; j < k; j++)
                    c -= factor[i][j] * factor[k][j];
                factor[i][k] = i == k ? sqrt(fmax(c, 1e-12)) : c / factor[k][k];
            }
    }
    printf("parameter,mean,sd\n");
    for (size_t i = 0; i < PARAMETERS; i++)
        printf("%s,%.4g,%.3g\n", name[i], mean[i],
               sqrt(sd[i] - mean[i] * mean[i]));
    return 0;
}
