/* Mixtures as proposals for chains that leap between modes: normal ones fitted
   by expectation-maximisation from centres far apart (Arthur and Vassilvitskii
   2007), the number of components by the Bayesian information criterion
   (Schwarz 1978). What is drawn has the tails of t distributions. A round costs
   O(n components m^2). */
#include "posterior/mixture.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/special.h"
#include "posterior/cholesky.h"

enum { ROUNDS = 30 }; /* of expectation-maximisation, at most */

static const double tail = 5; /* degrees of freedom of draws */

bnre_status bnre__mixture_init(bnre__mixture *mixture, size_t m)
{
    bnre_status status = BNRE_OK;

    *mixture = (bnre__mixture){.m = m, .most = BNRE__MIXTURE_MOST};
    mixture->constant = bnre__log_gamma((tail + (double)m) / 2) -
                        bnre__log_gamma(tail / 2) -
                        (double)m / 2 * log(tail * acos(-1));
    BNRE_NEW(mixture->mean, BNRE__MIXTURE_MOST * m);
    BNRE_NEW(mixture->factor, BNRE__MIXTURE_MOST * m * m);
done:
    return status;
}

void bnre__mixture_clear(bnre__mixture *mixture)
{
    bnre__free(mixture->factor);
    bnre__free(mixture->mean);
}

static void copy(bnre__mixture *to, const bnre__mixture *from)
{
    const size_t m = from->m;

    to->count = from->count;
    memcpy(to->weight, from->weight, sizeof to->weight);
    memcpy(to->log_scale, from->log_scale, sizeof to->log_scale);
    memcpy(to->mean, from->mean, BNRE__MIXTURE_MOST * m * sizeof *to->mean);
    memcpy(to->factor, from->factor,
           BNRE__MIXTURE_MOST * m * m * sizeof *to->factor);
}

/* What a fit works with. */
struct fit {
    size_t n, m;
    const double *z;    /* (n, m) */
    double *share;      /* (n, MOST) of each point in each component */
    double *sum;        /* (m, m) */
    double *spread;     /* (m) variances of all points: the floor's scale */
    double log_density; /* of all points under the mixture */
};

/* (z - mean)' S^-1 (z - mean) of component c */
static double distance(const bnre__mixture *mixture, size_t c, const double *z)
{
    const size_t m = mixture->m;

    return bnre__cholesky_distance(m, mixture->factor + c * m * m, z,
                                   mixture->mean + c * m);
}

/* Shares of the points in the components, and the log density. O(n components
   m^2), as all components are maximised. */
static void expect(const bnre__mixture *mixture, struct fit *fit)
{
    const double constant = -(double)fit->m * BNRE__LOG_SQRT_2PI;

    fit->log_density = 0;
    for (size_t k = 0; k < fit->n; k++) {
        double *share = fit->share + k * BNRE__MIXTURE_MOST;
        double most = -HUGE_VAL, sum = 0;

        for (size_t c = 0; c < mixture->count; c++) {
            share[c] = log(mixture->weight[c]) + constant -
                       mixture->log_scale[c] -
                       0.5 * distance(mixture, c, fit->z + k * fit->m);
            most = fmax(most, share[c]);
        }
        for (size_t c = 0; c < mixture->count; c++)
            sum += share[c] = exp(share[c] - most);
        for (size_t c = 0; c < mixture->count; c++)
            share[c] /= sum;
        fit->log_density += most + log(sum);
    }
}

/* The moments of component c, weighted by the shares. */
static int maximise(bnre__mixture *mixture, struct fit *fit, size_t c)
{
    const size_t m = fit->m;
    double *mean = mixture->mean + c * m, total = 0;

    memset(mean, 0, m * sizeof *mean);
    memset(fit->sum, 0, m * m * sizeof *fit->sum);
    for (size_t k = 0; k < fit->n; k++) {
        const double share = fit->share[k * BNRE__MIXTURE_MOST + c];

        total += share;
        for (size_t i = 0; i < m; i++)
            mean[i] += share * fit->z[k * m + i];
    }
    if (!(total > (double)m + 1)) /* too few points for a covariance */
        return 0;
    for (size_t i = 0; i < m; i++)
        mean[i] /= total;
    for (size_t k = 0; k < fit->n; k++) {
        const double share = fit->share[k * BNRE__MIXTURE_MOST + c] / total;
        const double *z = fit->z + k * m;

        if (share < 1e-12)
            continue;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j <= i; j++)
                fit->sum[i * m + j] +=
                    share * (z[i] - mean[i]) * (z[j] - mean[j]);
    }
    for (size_t i = 0; i < m; i++)
        fit->sum[i * m + i] += 1e-9 * fit->spread[i];
    mixture->weight[c] = total / (double)fit->n;
    return bnre__cholesky(m, fit->sum, mixture->factor + c * m * m,
                          &mixture->log_scale[c]);
}

/* Everything in one component. */
static int fit_one(bnre__mixture *mixture, struct fit *fit)
{
    mixture->count = 1;
    for (size_t k = 0; k < fit->n; k++)
        fit->share[k * BNRE__MIXTURE_MOST] = 1;
    return maximise(mixture, fit, 0);
}

/* How far two points are apart, in units of the spread along the axes; or,
   given all points as one component, of its shape. */
static double apart(const struct fit *fit, const bnre__mixture *one, size_t j,
                    size_t k)
{
    const double *a = fit->z + j * fit->m, *b = fit->z + k * fit->m;
    double sum = 0;

    if (one != NULL)
        return bnre__cholesky_distance(fit->m, one->factor, a, b);
    for (size_t i = 0; i < fit->m; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]) / fit->spread[i];
    return sum;
}

/* Start with `count` centres far apart: each is drawn among the points with a
   probability that grows with the distance to those before it; every point
   begins in the component of the nearest. n distances for each centre. */
static void seed_components(struct fit *fit, const bnre__mixture *one,
                            size_t count, bnre_rng *rng, double *nearest)
{
    size_t centre = (size_t)bnre_rng_below(rng, fit->n);

    for (size_t k = 0; k < fit->n; k++)
        nearest[k] = HUGE_VAL;
    memset(fit->share, 0, fit->n * BNRE__MIXTURE_MOST * sizeof *fit->share);
    for (size_t c = 0; c < count; c++) {
        double total = 0, mark;

        for (size_t k = 0; k < fit->n; k++) {
            const double d = apart(fit, one, k, centre);

            if (d < nearest[k]) {
                double *share = fit->share + k * BNRE__MIXTURE_MOST;

                nearest[k] = d;
                memset(share, 0, BNRE__MIXTURE_MOST * sizeof *share);
                share[c] = 1;
            }
            total += nearest[k];
        }
        mark = bnre_rng_uniform(rng) * total;
        centre = 0;
        while (centre + 1 < fit->n && mark >= nearest[centre])
            mark -= nearest[centre++];
    }
}

/* Fit a given number of components; 0 if one of them starves. */
static int fit_count(bnre__mixture *mixture, struct fit *fit,
                     const bnre__mixture *one, size_t count, bnre_rng *rng,
                     double *nearest)
{
    double before = -HUGE_VAL;

    mixture->count = count;
    seed_components(fit, one, count, rng, nearest);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t c = 0; c < count; c++)
            if (!maximise(mixture, fit, c))
                return 0;
        expect(mixture, fit);
        if (fit->log_density - before < 1e-4 * (double)fit->n)
            break;
        before = fit->log_density;
    }
    return 1;
}

/* The Bayesian information criterion: smaller is better. */
static double criterion(const struct fit *fit, size_t count)
{
    const double m = (double)fit->m;
    const double parameters = (double)count * (1 + m + m * (m + 1) / 2) - 1;

    return parameters * log((double)fit->n) - 2 * fit->log_density;
}

static void assign(const bnre__mixture *mixture, const struct fit *fit,
                   unsigned char *belongs)
{
    for (size_t k = 0; k < fit->n; k++) {
        const double *share = fit->share + k * BNRE__MIXTURE_MOST;

        belongs[k] = 0;
        for (size_t c = 1; c < mixture->count; c++)
            if (share[c] > share[belongs[k]])
                belongs[k] = (unsigned char)c;
    }
}

static void measure_spread(struct fit *fit)
{
    for (size_t i = 0; i < fit->m; i++) {
        double mean = 0, square = 0;

        for (size_t k = 0; k < fit->n; k++)
            mean += fit->z[k * fit->m + i] / (double)fit->n;
        for (size_t k = 0; k < fit->n; k++)
            square += pow(fit->z[k * fit->m + i] - mean, 2) / (double)fit->n;
        fit->spread[i] = fmax(square, 1e-24 * (1 + mean * mean));
    }
}

/* Points too few or too much alike: their spread along each axis, enlarged. */
static void fit_axes(bnre__mixture *mixture, const struct fit *fit)
{
    const size_t m = fit->m;

    mixture->count = 1;
    mixture->weight[0] = 1;
    mixture->log_scale[0] = 0;
    memset(mixture->mean, 0, m * sizeof *mixture->mean);
    memset(mixture->factor, 0, m * m * sizeof *mixture->factor);
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < fit->n; k++)
            mixture->mean[i] += fit->z[k * m + i] / (double)fit->n;
        mixture->factor[i * m + i] = 2 * sqrt(fit->spread[i]);
        mixture->log_scale[0] += log(mixture->factor[i * m + i]);
    }
}

bnre_status bnre__mixture_fit(bnre__mixture *mixture, size_t n, const double *z,
                              bnre_rng *rng, unsigned char *belongs)
{
    bnre_status status = BNRE_OK;
    struct fit fit = {.n = n, .m = mixture->m, .z = z};
    bnre__mixture trial = {0}, one = {0};
    double *nearest = NULL, best;

    BNRE_TRY(bnre__mixture_init(&trial, mixture->m));
    BNRE_TRY(bnre__mixture_init(&one, mixture->m));
    BNRE_NEW(fit.share, n * BNRE__MIXTURE_MOST);
    BNRE_NEW(fit.sum, fit.m * fit.m);
    BNRE_NEW(fit.spread, fit.m);
    BNRE_NEW(nearest, n);
    measure_spread(&fit);
    memset(belongs, 0, n);
    if (!fit_one(&one, &fit)) {
        fit_axes(mixture, &fit);
        goto done;
    }
    copy(mixture, &one);
    expect(mixture, &fit);
    best = criterion(&fit, 1);
    /* One more component at a time; two failures in a row end it, as two modes
       may need a number of their own to show. */
    for (size_t count = 2, failed = 0; count <= mixture->most && failed < 2;
         count++) {
        failed++;
        for (int start = 0; start < 2; start++) {
            if (!fit_count(&trial, &fit, start == 0 ? NULL : &one, count, rng,
                           nearest) ||
                criterion(&fit, count) >= best)
                continue;
            best = criterion(&fit, count);
            copy(mixture, &trial);
            failed = 0;
        }
    }
    expect(mixture, &fit);
    assign(mixture, &fit, belongs);
done:
    bnre__free(nearest);
    bnre__free(fit.spread);
    bnre__free(fit.sum);
    bnre__free(fit.share);
    bnre__mixture_clear(&one);
    bnre__mixture_clear(&trial);
    return status;
}

void bnre__mixture_draw(const bnre__mixture *mixture, bnre_rng *rng, double *z)
{
    const size_t m = mixture->m;
    double u = bnre_rng_uniform(rng), stretch;
    size_t c = 0;

    while (c + 1 < mixture->count && u >= mixture->weight[c])
        u -= mixture->weight[c++];
    for (size_t i = 0; i < m; i++)
        z[i] = bnre_rng_normal(rng);
    stretch = sqrt(tail / (2 * bnre_rng_gamma(rng, tail / 2)));
    for (size_t i = m; i-- > 0;) { /* from below: row i needs z[0..i] */
        const double *row = mixture->factor + (c * m + i) * m;
        double sum = 0;

        for (size_t j = 0; j <= i; j++)
            sum += row[j] * z[j];
        z[i] = mixture->mean[c * m + i] + stretch * sum;
    }
}

double bnre__mixture_log_density(const bnre__mixture *mixture, const double *z)
{
    const double m = (double)mixture->m;
    double term[BNRE__MIXTURE_MOST], most = -HUGE_VAL, sum = 0;

    for (size_t c = 0; c < mixture->count; c++) {
        term[c] = log(mixture->weight[c]) - mixture->log_scale[c] -
                  (tail + m) / 2 * log1p(distance(mixture, c, z) / tail);
        most = fmax(most, term[c]);
    }
    for (size_t c = 0; c < mixture->count; c++)
        sum += exp(term[c] - most);
    return mixture->constant + most + log(sum);
}

bnre_status bnre__mixture_common_factor(const bnre__mixture *mixture,
                                        double *factor)
{
    const size_t m = mixture->m;
    bnre_status status = BNRE_OK;
    double *sum = NULL, log_scale;

    BNRE_NEW(sum, m * m);
    for (size_t c = 0; c < mixture->count; c++) {
        const double *f = mixture->factor + c * m * m;

        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j <= i; j++)
                for (size_t k = 0; k <= j; k++)
                    sum[i * m + j] +=
                        mixture->weight[c] * f[i * m + k] * f[j * m + k];
    }
    if (!bnre__cholesky(m, sum, factor, &log_scale))
        memcpy(factor, mixture->factor, m * m * sizeof *factor);
done:
    bnre__free(sum);
    return status;
}
