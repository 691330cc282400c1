#include "densities.h"

#include <math.h>

#include "bnre/density.h"
#include "bnre/rng.h"
#include "gaussian_exact.h"
#include "support.h"

enum { MOST = 52 };

bnre_prior *prior_of(size_t dim, const char *text)
{
    char name[MOST][4];
    const char *names[MOST], *texts[MOST];
    bnre_prior *prior = NULL;

    assert_true(dim <= MOST);
    for (size_t i = 0; i < dim; i++) {
        name[i][0] = (char)('a' + i % 26); /* a ... z, a1, b1, ... */
        name[i][1] = i < 26 ? 0 : '1';
        name[i][2] = 0;
        names[i] = name[i];
        texts[i] = text;
    }
    assert_ok(bnre_prior_create(dim, names, texts, &prior));
    return prior;
}

struct gaussian {
    size_t dim;
    double x[MOST];
};

static bnre_status gaussian_open(void *context, void **session)
{
    bnre_status status = BNRE_OK;
    struct gaussian *gaussian = NULL;

    BNRE_NEW(gaussian, 1);
    gaussian->dim = bnre_prior_dim(context);
    *session = gaussian;
done:
    return status;
}

static bnre_status gaussian_observe(void *session, const double *x)
{
    struct gaussian *gaussian = session;

    for (size_t i = 0; i < gaussian->dim; i++)
        gaussian->x[i] = (double)x[i];
    return BNRE_OK;
}

static bnre_status gaussian_ratio(void *session, size_t n, const double *theta,
                                  double *out, double *gradient)
{
    const struct gaussian *gaussian = session;
    const size_t dim = gaussian->dim;

    for (size_t k = 0; k < n; k++) {
        out[k] = gaussian_log_ratio(dim, theta + k * dim, gaussian->x);
        for (size_t i = 0; gradient != NULL && i < dim; i++)
            gradient[k * dim + i] = gaussian->x[i] - theta[k * dim + i];
    }
    return BNRE_OK;
}

bnre_density gaussian_density(const bnre_prior *prior)
{
    return (bnre_density){.prior = prior,
                          .x_size = bnre_prior_dim(prior),
                          .context = (void *)prior,
                          .open = gaussian_open,
                          .close = bnre__free,
                          .observe = gaussian_observe,
                          .log_ratio = gaussian_ratio,
                          .has_gradient = 1};
}

static bnre_status open_same(void *context, void **session)
{
    *session = context;
    return BNRE_OK;
}

static void close_nothing(void *session)
{
    (void)session;
}

static bnre_status observe_nothing(void *session, const double *x)
{
    (void)session;
    (void)x;
    return BNRE_OK;
}

static bnre_status function_ratio(void *session, size_t n, const double *theta,
                                  double *out, double *gradient)
{
    const log_ratio_function *function = session;
    const size_t dim = bnre_prior_dim(function->prior);

    for (size_t k = 0; k < n; k++)
        out[k] = function->value(function->context, dim, theta + k * dim,
                                 gradient != NULL ? gradient + k * dim : NULL);
    return BNRE_OK;
}

bnre_density function_density(const log_ratio_function *function)
{
    return (bnre_density){.prior = function->prior,
                          .x_size = 1,
                          .context = (void *)function,
                          .open = open_same,
                          .close = close_nothing,
                          .observe = observe_nothing,
                          .log_ratio = function_ratio,
                          .has_gradient = function->has_gradient};
}

/* log density of a component; slope (dim) receives its gradient. The residuals
   of a first-order autoregression are independent. */
static double component(const normal_mixture *mixture, size_t c, size_t dim,
                        const double *theta, double *slope)
{
    const double rho = mixture->rho, sd = mixture->sd[c];
    const double narrow = 1 - rho * rho;
    double sum = -(double)dim * log(sd * sqrt(2 * acos(-1))) -
                 0.5 * (double)(dim - 1) * log(narrow);
    double before = 0;

    for (size_t i = 0; i < dim; i++) {
        const double y = (theta[i] - mixture->mean[c][i]) / sd;
        const double residual = i > 0 ? y - rho * before : y;
        const double variance = i > 0 ? narrow : 1;

        sum -= 0.5 * residual * residual / variance;
        slope[i] = -residual / variance / sd;
        if (i > 0)
            slope[i - 1] += rho * residual / variance / sd;
        before = y;
    }
    return sum;
}

double normal_mixture_ratio(const void *context, size_t dim,
                            const double *theta, double *gradient)
{
    const normal_mixture *mixture = context;
    double term[4], slope[4][MOST], most = -HUGE_VAL, sum = 0;

    for (size_t c = 0; c < mixture->count; c++) {
        term[c] = log(mixture->weight[c]) +
                  component(mixture, c, dim, theta, slope[c]);
        most = fmax(most, term[c]);
    }
    for (size_t c = 0; c < mixture->count; c++)
        sum += exp(term[c] - most);
    for (size_t i = 0; gradient != NULL && i < dim; i++) {
        gradient[i] = mixture->prior_variance > 0
                          ? theta[i] / mixture->prior_variance
                          : 0;
        for (size_t c = 0; c < mixture->count; c++)
            gradient[i] += exp(term[c] - most) / sum * slope[c][i];
    }
    return most + log(sum) - bnre_prior_log_density(mixture->prior, theta);
}

bnre_session *session_for(const bnre_density *density, size_t n,
                          const double *x)
{
    static const double zeros[MOST];
    bnre_session *session = NULL;

    assert_ok(bnre_session_open(density, NULL, &session));
    assert_ok(bnre_session_observe(session, n, x != NULL ? x : zeros));
    return session;
}

/* ---- with draws ---- */

static bnre_status drawn_observe(void *session, const double *x)
{
    *(double *)session = *x;
    return BNRE_OK;
}

static bnre_status drawn_log_ratio(void *session, size_t n, const double *theta,
                                   double *out, double *gradient)
{
    const double x = *(double *)session;

    (void)gradient;
    for (size_t i = 0; i < n; i++)
        out[i] = 0.5 * log(2) - (theta[i] - x / 2) * (theta[i] - x / 2) +
                 theta[i] * theta[i] / 2;
    return BNRE_OK;
}

static bnre_status drawn_draw(void *session, uint64_t seed, uint64_t first,
                              size_t n, double *theta)
{
    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(seed, 3, first + i);

        theta[i] = *(double *)session / 2 + sqrt(0.5) * bnre_rng_normal(&rng);
    }
    return BNRE_OK;
}

bnre_density drawn_density(const bnre_prior *prior, double *x)
{
    return (bnre_density){.prior = prior,
                          .x_size = 1,
                          .context = x,
                          .observe = drawn_observe,
                          .log_ratio = drawn_log_ratio,
                          .draw = drawn_draw};
}
