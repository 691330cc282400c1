#include "mixed_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const double weight[MIXED_KINDS] = {0.5, 0.3, 0.2};
static const double centre[MIXED_KINDS] = {-2, 0, 3};
static const double noise = 0.8;

bnre_prior *mixed_prior(void)
{
    const char *const name[] = {"kind", "shift"};
    const char *const text[] = {"categorical(5, 3, 2)", "normal(0, 1)"};
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(2, name, text, &prior));
    return prior;
}

static size_t draw_kind(bnre_rng *rng, const double *p)
{
    const double u = bnre_rng_open(rng);

    return u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
}

void mixed_draw(bnre_rng *rng, double *theta, double *x)
{
    theta[0] = (double)draw_kind(rng, weight);
    theta[1] = bnre_rng_normal(rng);
    x[0] = centre[(size_t)theta[0]] + theta[1] + bnre_rng_normal(rng);
    x[1] = theta[1] + noise * bnre_rng_normal(rng);
}

/* log p(x | kind): covariance 2, 1, 1, 1 + noise^2. */
static double log_likelihood(const double *x, size_t kind)
{
    const double a = x[0] - centre[kind], b = x[1];
    const double s = 1 + noise * noise, det = 2 * s - 1;

    return -0.5 * (s * a * a - 2 * a * b + 2 * b * b) / det - 0.5 * log(det);
}

void mixed_kinds(const double *x, double p[MIXED_KINDS])
{
    double sum = 0;

    for (size_t k = 0; k < MIXED_KINDS; k++)
        sum += p[k] = weight[k] * exp(log_likelihood(x, k));
    for (size_t k = 0; k < MIXED_KINDS; k++)
        p[k] /= sum;
}

void mixed_shift(const double *x, size_t kind, double *mean, double *variance)
{
    const double v = noise * noise;

    *variance = 1 / (1 + 1 + 1 / v);
    *mean = *variance * (x[0] - centre[kind] + x[1] / v);
}

double mixed_log_ratio(const double *theta, const double *x)
{
    const size_t kind = (size_t)theta[0];
    double p[MIXED_KINDS], mean, variance, off;

    mixed_kinds(x, p);
    mixed_shift(x, kind, &mean, &variance);
    off = theta[1] - mean;
    return log(p[kind] / weight[kind]) - 0.5 * off * off / variance -
           0.5 * log(variance) + 0.5 * theta[1] * theta[1];
}

struct session {
    const mixed_posterior *of;
    double x[2];
};

static bnre_status open_session(void *context, void **out)
{
    struct session *session = calloc(1, sizeof *session);

    session->of = context;
    *out = session;
    return BNRE_OK;
}

static bnre_status observe(void *self, const double *x)
{
    memcpy(((struct session *)self)->x, x, 2 * sizeof *x);
    return BNRE_OK;
}

static bnre_status log_ratio(void *self, size_t n, const double *theta,
                             double *out, double *gradient)
{
    const struct session *session = self;

    (void)gradient;
    for (size_t i = 0; i < n; i++)
        out[i] =
            session->of->power * mixed_log_ratio(theta + 2 * i, session->x);
    return BNRE_OK;
}

static bnre_status draw(void *self, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    const struct session *session = self;
    double p[MIXED_KINDS];

    mixed_kinds(session->x, p);
    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 2, first + i);
        const size_t kind = draw_kind(&rng, p);
        double mean, variance;

        mixed_shift(session->x, kind, &mean, &variance);
        theta[2 * i] = (double)kind;
        theta[2 * i + 1] = mean + sqrt(variance) * bnre_rng_normal(&rng);
    }
    return BNRE_OK;
}

bnre_density mixed_density(const mixed_posterior *of)
{
    return (bnre_density){.prior = of->prior,
                          .x_size = 2,
                          .context = (void *)(uintptr_t)of,
                          .open = open_session,
                          .close = free,
                          .observe = observe,
                          .log_ratio = log_ratio,
                          .draw = of->power == 1 ? draw : NULL};
}
