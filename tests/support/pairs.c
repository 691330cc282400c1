#include "pairs.h"

#include <math.h>
#include <string.h>

#include "num/streams.h"
#include "support.h"

enum { MOST_DIM = 16, MOST_X = 64 };

static pairs pairs_new(size_t n, size_t dim, size_t observations, size_t x_size)
{
    pairs p = {
        .n = n, .dim = dim, .observations = observations, .x_size = x_size};

    assert_true(x_size <= MOST_X);
    assert_non_null(p.theta = bnre__alloc(n * dim, sizeof *p.theta));
    assert_non_null(p.x = bnre__alloc(n * observations * x_size, sizeof *p.x));
    return p;
}

void pairs_free(pairs *p)
{
    bnre__free(p->exact);
    bnre__free(p->x);
    bnre__free(p->theta);
}

pairs pairs_gaussian(size_t n, size_t dim, size_t observations, uint64_t seed)
{
    pairs p = pairs_new(n, dim, observations, dim);

    for (size_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(
            seed, bnre__purpose(BNRE_USE_PRIOR, BNRE_SPLIT_TEST), i);
        double *theta = p.theta + i * dim;
        double *x = p.x + i * observations * dim;

        for (size_t k = 0; k < dim; k++)
            theta[k] = bnre_rng_normal(&rng);
        for (size_t k = 0; k < observations * dim; k++)
            x[k] = (double)(theta[k % dim] + bnre_rng_normal(&rng));
    }
    return p;
}

pairs pairs_simulated(const simrun *run, size_t n, size_t x_size)
{
    pairs p = pairs_new(n, run->dim_theta, 1, 1);
    double nuisance[MOST_DIM];

    assert_non_null(p.exact = bnre__alloc(n * x_size, sizeof *p.exact));
    p.exact_size = x_size;
    for (size_t i = 0; i < n; i++) {
        simrun_prior(run, i, p.theta + i * p.dim, nuisance);
        simrun_draw(run, i, NULL, NULL, p.exact + i * x_size);
        p.x[i] = (double)i;
    }
    return p;
}

/* A session that remembers x. */
struct watcher {
    const void *guess;
    size_t x_size;
    double x[MOST_X];
};

static bnre_status watch(const void *guess, size_t x_size, void **session)
{
    bnre_status status = BNRE_OK;
    struct watcher *watcher = NULL;

    BNRE_NEW(watcher, 1);
    watcher->guess = guess;
    watcher->x_size = x_size;
    *session = watcher;
done:
    return status;
}

static bnre_status observe(void *session, const double *x)
{
    struct watcher *watcher = session;

    for (size_t i = 0; i < watcher->x_size; i++)
        watcher->x[i] = (double)x[i];
    return BNRE_OK;
}

static bnre_status open_normal(void *context, void **session)
{
    const normal_guess *guess = context;

    return watch(guess, bnre_prior_dim(guess->prior), session);
}

static bnre_status normal_ratio(void *session, size_t n, const double *theta,
                                double *out, double *gradient)
{
    const struct watcher *watcher = session;
    const normal_guess *guess = watcher->guess;
    const size_t dim = watcher->x_size;
    const double v = guess->variance;

    (void)gradient;
    for (size_t k = 0; k < n; k++) {
        double sum = -0.5 * (double)dim * log(v);

        for (size_t i = 0; i < dim; i++) {
            double t = theta[k * dim + i];
            double off = t - watcher->x[i] / 2 - guess->shift;

            sum += 0.5 * (t * t - off * off / v);
        }
        out[k] = sum;
    }
    return BNRE_OK;
}

bnre_density normal_guess_density(const normal_guess *guess)
{
    return (bnre_density){.prior = guess->prior,
                          .x_size = bnre_prior_dim(guess->prior),
                          .context = (void *)guess,
                          .open = open_normal,
                          .close = bnre__free,
                          .observe = observe,
                          .log_ratio = normal_ratio};
}

static bnre_status normal_each(void *session, size_t n, const double *theta,
                               double *out, double *each)
{
    struct watcher *watcher = session;
    const normal_guess *first = watcher->guess;
    bnre_status status = BNRE_OK;

    for (size_t m = 0; m < 2; m++) {
        watcher->guess = first + m;
        BNRE_TRY(normal_ratio(session, n, theta, each + m * n, NULL));
    }
    memcpy(out, each, n * sizeof *out);
done:
    watcher->guess = first;
    return status;
}

static bnre_status normal_rough(void *session, size_t n, const double *theta,
                                double *out)
{
    struct watcher *watcher = session;
    const normal_guess *first = watcher->guess;
    bnre_status status;

    watcher->guess = first + 1;
    status = normal_ratio(session, n, theta, out, NULL);
    watcher->guess = first;
    return status;
}

bnre_density normal_guess_ensemble(const normal_guess guess[2])
{
    bnre_density density = normal_guess_density(guess);

    density.members = 2;
    density.log_ratio_each = normal_each;
    density.rough = normal_rough;
    return density;
}

static bnre_status open_likelihood(void *context, void **session)
{
    const likelihood_guess *guess = context;

    return watch(guess, 1, session);
}

static bnre_status likelihood_ratio(void *session, size_t n,
                                    const double *theta, double *out,
                                    double *gradient)
{
    const struct watcher *watcher = session;
    const likelihood_guess *guess = watcher->guess;
    const simrun *run = guess->run;
    const double *x =
        guess->of->exact + (size_t)watcher->x[0] * guess->of->exact_size;

    (void)gradient;
    for (size_t k = 0; k < n; k++)
        out[k] = guess->power * run->record->log_likelihood(
                                    run->state, theta + k * run->dim_theta, x);
    return BNRE_OK;
}

bnre_density likelihood_guess_density(const likelihood_guess *guess)
{
    return (bnre_density){.prior = guess->prior,
                          .x_size = 1,
                          .context = (void *)guess,
                          .open = open_likelihood,
                          .close = bnre__free,
                          .observe = observe,
                          .log_ratio = likelihood_ratio};
}

bnre_prior *simrun_priors(const simrun *run)
{
    const char *name[SIMRUN_MAX_DIM], *text[SIMRUN_MAX_DIM];
    bnre_prior *prior = NULL;

    for (size_t i = 0; i < run->dim_theta; i++) {
        name[i] = run->record->parameters[i].name;
        text[i] = run->record->parameters[i].prior;
    }
    assert_ok(bnre_prior_create(run->dim_theta, name, text, &prior));
    return prior;
}
