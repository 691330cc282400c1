#include "narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/rng.h"
#include "densities.h"
#include "diag/diag.h"
#include "num/dist.h"
#include "support.h"

static double variance_of(const narrow *of)
{
    const double v = of->noise * of->noise;

    return v / (1 + v) * of->scale * of->scale;
}

narrow narrow_open(size_t n, size_t dim, double noise, double scale,
                   uint64_t seed)
{
    narrow of = {.n = n, .dim = dim, .noise = noise, .scale = scale};
    const double v = variance_of(&of);
    bnre_rng rng = bnre_rng_stream(seed, 1, 0);

    of.prior = prior_of(dim, "normal(0, 1)");
    of.theta = malloc(n * dim * sizeof *of.theta);
    of.x = malloc(n * dim * sizeof *of.x);
    of.rank = malloc(n * sizeof *of.rank);
    for (size_t i = 0; i < n; i++) {
        double square = 0;

        for (size_t k = i * dim; k < (i + 1) * dim; k++) {
            double off;

            of.theta[k] = bnre_rng_normal(&rng);
            of.x[k] = (double)((of.theta[k] + noise * bnre_rng_normal(&rng)) /
                               (1 + noise * noise));
            off = of.theta[k] - (double)of.x[k];
            square += off * off / v;
        }
        of.rank[i] = bnre__gamma_cdf(square / 2, (double)dim / 2);
    }
    return of;
}

void narrow_close(narrow *of)
{
    free(of->rank);
    free(of->x);
    free(of->theta);
    bnre_prior_destroy(of->prior);
}

struct session {
    const narrow *of;
    double *x;
};

static bnre_status open_session(void *context, void **out)
{
    struct session *session = malloc(sizeof *session);

    session->of = context;
    session->x = malloc(session->of->dim * sizeof *session->x);
    *out = session;
    return BNRE_OK;
}

static void close_session(void *self)
{
    struct session *session = self;

    free(session->x);
    free(session);
}

static bnre_status observe(void *self, const double *x)
{
    struct session *session = self;

    memcpy(session->x, x, session->of->dim * sizeof *x);
    return BNRE_OK;
}

/* log N(theta; x, v) - log N(theta; 0, 1). */
static bnre_status log_ratio(void *self, size_t n, const double *theta,
                             double *out, double *gradient)
{
    const struct session *session = self;
    const size_t dim = session->of->dim;
    const double v = variance_of(session->of);

    (void)gradient;
    for (size_t i = 0; i < n; i++) {
        const double *t = theta + i * dim;

        out[i] = 0;
        for (size_t k = 0; k < dim; k++) {
            const double off = t[k] - (double)session->x[k];

            out[i] += 0.5 * (t[k] * t[k] - off * off / v - log(v));
        }
    }
    return BNRE_OK;
}

bnre_density narrow_density(const narrow *of)
{
    return (bnre_density){.prior = of->prior,
                          .x_size = of->dim,
                          .context = (void *)of,
                          .open = open_session,
                          .close = close_session,
                          .observe = observe,
                          .log_ratio = log_ratio};
}

static bnre_status draw(void *self, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    const struct session *session = self;
    const size_t dim = session->of->dim;
    const double sd = sqrt(variance_of(session->of));

    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 2, first + i);

        for (size_t k = 0; k < dim; k++)
            theta[i * dim + k] = session->x[k] + sd * bnre_rng_normal(&rng);
    }
    return BNRE_OK;
}

bnre_density narrow_drawable(const narrow *of)
{
    bnre_density density = narrow_density(of);

    density.draw = draw;
    return density;
}

bnre_diag *narrow_diagnose(const narrow *of, const bnre_diag_opts *opts)
{
    const bnre_density density = narrow_density(of);
    bnre_diag *diag = NULL;

    assert_ok(bnre_diagnose(&density, of->n, 1, of->theta, of->x, opts, &diag));
    return diag;
}

bnre_coverage narrow_coverage(const narrow *of)
{
    bnre_coverage coverage;

    bnre__coverage_of(of->n, of->rank, 0, 0.05, &coverage);
    return coverage;
}

double worst_deficit(const bnre_coverage *coverage, size_t *level)
{
    double worst = -1;

    for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++) {
        const double deficit = bnre_diag_level(k) - coverage->share[k];

        if (deficit > worst) {
            worst = deficit;
            *level = k;
        }
    }
    return worst;
}
