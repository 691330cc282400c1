/* What an estimator is worth for one observation of a task whose likelihood is
   known:

     bench_infer EST.h5 TASK OBSERVATION [KEY=VALUE ...]

   prints KL(p* within R || q) in nats, with p* the exact posterior and R the
   region of the estimator; the mass of p* that R leaves out; and with two
   parameters the shares of q and of p* in the four quadrants. Exact posteriors
   are on a grid (2,000 cells for one parameter, 600 x 600 for two), or draws
   for the task gaussian with uniform priors (more parameters). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre.h"

enum { DRAWS = 4000 };

struct points {
    size_t n, dim;
    double *theta, *weight; /* exact posterior masses */
    double *log_p;          /* and its log density */
};

static void fail(void)
{
    fprintf(stderr, "%s\n", bnre_error_message());
    exit(1);
}

static void try_or_fail(bnre_status status)
{
    if (status != BNRE_OK)
        fail();
}

static void make_grid(bnre_task *task, const double *x, struct points *p)
{
    const bnre_prior *prior = bnre_task_prior(task);
    const size_t side = p->dim == 1 ? 2000 : 600;
    double low[2] = {0}, high[2] = {1, 1}, volume = 1, most = -INFINITY,
           sum = 0;

    p->n = p->dim == 1 ? side : side * side;
    p->theta = calloc(p->n * p->dim, sizeof *p->theta);
    p->weight = calloc(p->n, sizeof *p->weight);
    p->log_p = calloc(p->n, sizeof *p->log_p);
    for (size_t d = 0; d < p->dim; d++) {
        bnre_prior_support(prior, d, &low[d], &high[d]);
        volume *= (high[d] - low[d]) / (double)side;
    }
    for (size_t i = 0; i < p->n; i++) {
        double *theta = p->theta + i * p->dim, l;

        for (size_t d = 0, k = i; d < p->dim; d++, k /= side)
            theta[d] = low[d] + (high[d] - low[d]) *
                                    ((double)(k % side) + 0.5) / (double)side;
        try_or_fail(bnre_task_log_likelihood(task, theta, x, &l));
        p->log_p[i] = l + bnre_prior_log_density(prior, theta);
        most = fmax(most, p->log_p[i]);
    }
    for (size_t i = 0; i < p->n; i++)
        sum += exp(p->log_p[i] - most) * volume;
    for (size_t i = 0; i < p->n; i++) {
        p->log_p[i] -= most + log(sum);
        p->weight[i] = exp(p->log_p[i]) * volume;
    }
}

static double normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* Draws of N(x, I) within the box of the priors. */
static void make_draws(const bnre_task *task, const double *x, struct points *p)
{
    const bnre_prior *prior = bnre_task_prior(task);
    bnre_rng rng = bnre_rng_stream(1, 1, 1);

    p->n = DRAWS;
    p->theta = calloc(p->n * p->dim, sizeof *p->theta);
    p->weight = calloc(p->n, sizeof *p->weight);
    p->log_p = calloc(p->n, sizeof *p->log_p);
    for (size_t i = 0; i < p->n; i++) {
        p->weight[i] = 1.0 / (double)p->n;
        for (size_t d = 0; d < p->dim; d++) {
            double low, high, z;

            bnre_prior_support(prior, d, &low, &high);
            do
                z = bnre_rng_normal(&rng);
            while (x[d] + z < low || x[d] + z > high);
            p->theta[i * p->dim + d] = x[d] + z;
            p->log_p[i] -=
                0.5 * z * z + 0.5 * log(2 * acos(-1)) +
                log(normal_cdf(high - x[d]) - normal_cdf(low - x[d]));
        }
    }
}

/* Points that have nothing of the posterior cost time. */
static void drop_light(struct points *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        if (p->weight[i] > 1e-12) {
            memmove(p->theta + n * p->dim, p->theta + i * p->dim,
                    p->dim * sizeof *p->theta);
            p->weight[n] = p->weight[i];
            p->log_p[n++] = p->log_p[i];
        }
    p->n = n;
}

/* Shares of the four quadrants: exact, and of draws of the estimate. */
static void print_quadrants(const struct points *p, bnre_session *session)
{
    double exact[4] = {0}, drawn[4] = {0};
    double *theta = calloc(DRAWS * 2, sizeof *theta);

    for (size_t i = 0; i < p->n; i++)
        exact[(p->theta[2 * i] > 0) + 2 * (p->theta[2 * i + 1] > 0)] +=
            p->weight[i];
    try_or_fail(bnre_session_draw(session, 1, 0, DRAWS, theta));
    for (size_t i = 0; i < DRAWS; i++)
        drawn[(theta[2 * i] > 0) + 2 * (theta[2 * i + 1] > 0)] += 1.0 / DRAWS;
    printf(" quadrants");
    for (int k = 0; k < 4; k++)
        printf(" %.3f/%.3f", drawn[k], exact[k]);
    free(theta);
}

int main(int argc, char **argv)
{
    bnre_estimator *est = NULL;
    bnre_task *task = NULL;
    bnre_session *session = NULL;
    bnre_observations observed = {0};
    bnre_observation_form form = {0};
    bnre_density density;
    struct points p = {0};
    double *l, kl = 0, inside = 0, all = 0;

    if (argc < 4) {
        fprintf(stderr, "usage: %s EST.h5 TASK OBSERVATION [KEY=VALUE ...]\n",
                argv[0]);
        return 2;
    }
    try_or_fail(bnre_estimator_open(argv[1], &est));
    try_or_fail(bnre_task_open(argv[2], (size_t)argc - 4,
                               (const char *const *)argv + 4, &task));
    form.shape = bnre_task_observable(task, &form.ndim);
    form.prior = bnre_task_prior(task);
    try_or_fail(bnre_observations_read(&form, 1, (const char *const[]){argv[3]},
                                       &observed));
    p.dim = bnre_prior_dim(form.prior);
    if (p.dim <= 2)
        make_grid(task, observed.x, &p);
    else
        make_draws(task, observed.x, &p);
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    try_or_fail(bnre_session_open(&density, NULL, &session));
    try_or_fail(bnre_session_observe(session, 1, observed.x));
    drop_light(&p);
    l = calloc(p.n, sizeof *l);
    try_or_fail(bnre_session_log_ratio(session, p.n, p.theta, l, NULL));
    for (size_t i = 0; i < p.n; i++) {
        const double *theta = p.theta + i * p.dim;
        const double log_q = l[i] + bnre_prior_log_density(form.prior, theta);

        all += p.weight[i];
        if (l[i] == -INFINITY)
            continue;
        inside += p.weight[i];
        kl += p.weight[i] * (p.log_p[i] - log_q);
    }
    printf("kl %.4f cut %.5f", kl / inside - log(inside / all),
           1 - inside / all);
    if (p.dim == 2)
        print_quadrants(&p, session);
    printf("\n");
    free(l);
    free(p.theta);
    free(p.weight);
    free(p.log_p);
    bnre_observations_clear(&observed);
    bnre_session_close(session);
    bnre_task_destroy(task);
    bnre_estimator_close(est);
    return 0;
}
