/* What an estimator is worth for one observation of a task whose likelihood is
   known:

     bench_infer EST.h5 TASK OBSERVATION [KEY=VALUE ...]

   prints KL(p* within R || q) in nats, with p* the exact posterior and R the
   region of the estimator; the mass of p* that R leaves out; and with two
   parameters the shares of q and of p* in the four quadrants. Exact posteriors
   are on a grid that is finer where the posterior is (one or two parameters),
   or draws for the task gaussian with uniform priors (more parameters). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre.h"

enum { DRAWS = 2000 };

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

/* ---- on a grid ---- */

/* Cells with more than this share of the posterior are split. */
static const double COARSE = 5e-4;

struct grid {
    bnre_task *task;
    const double *x;
    size_t room;
    double *volume; /* of each cell */
};

static void add_cell(struct grid *grid, struct points *p, const double *theta,
                     double volume)
{
    const size_t dim = p->dim, i = p->n++;
    double l;

    if (p->n > grid->room) {
        grid->room = 2 * p->n;
        p->theta = realloc(p->theta, grid->room * dim * sizeof *p->theta);
        p->log_p = realloc(p->log_p, grid->room * sizeof *p->log_p);
        grid->volume = realloc(grid->volume, grid->room * sizeof(double));
    }
    memcpy(p->theta + i * dim, theta, dim * sizeof *theta);
    try_or_fail(bnre_task_log_likelihood(grid->task, theta, grid->x, &l));
    p->log_p[i] =
        l + bnre_prior_log_density(bnre_task_prior(grid->task), theta);
    grid->volume[i] = volume;
}

/* Normalise log_p, and tell the masses. */
static void weigh(const struct grid *grid, struct points *p)
{
    double most = -INFINITY, sum = 0;

    for (size_t i = 0; i < p->n; i++)
        most = fmax(most, p->log_p[i]);
    for (size_t i = 0; i < p->n; i++)
        sum += exp(p->log_p[i] - most) * grid->volume[i];
    p->weight = realloc(p->weight, p->n * sizeof *p->weight);
    for (size_t i = 0; i < p->n; i++)
        p->weight[i] = exp(p->log_p[i] - most) * grid->volume[i] / sum;
}

/* Cells that have much of the posterior become two in each direction. */
static int split_cells(struct grid *grid, struct points *p, double size[2])
{
    struct points old = *p;
    double *volume = grid->volume;
    int any = 0;

    *p = (struct points){.dim = old.dim};
    grid->volume = NULL;
    grid->room = 0;
    for (size_t i = 0; i < old.n; i++) {
        const double *at = old.theta + i * p->dim;
        const double level = log2(size[0] / volume[i]) / (double)p->dim;
        const double part = exp2(-level - 1) / 2;

        if (old.weight[i] <= COARSE) {
            add_cell(grid, p, at, volume[i]);
            continue;
        }
        any = 1;
        for (size_t k = 0; k < (size_t)1 << p->dim; k++) {
            double theta[2];

            for (size_t d = 0; d < p->dim; d++)
                theta[d] =
                    at[d] + ((k >> d & 1) != 0 ? part : -part) * size[1 + d];
            add_cell(grid, p, theta, volume[i] / exp2((double)p->dim));
        }
    }
    free(old.theta), free(old.log_p), free(old.weight), free(volume);
    return any;
}

static void make_grid(bnre_task *task, const double *x, struct points *p)
{
    enum { MOST_LEVELS = 12 };
    struct grid grid = {.task = task, .x = x};
    const bnre_prior *prior = bnre_task_prior(task);
    const size_t side = p->dim == 1 ? 2000 : 100;
    double low[2] = {0}, high[2] = {1, 1}, size[3] = {1, 0, 0};

    for (size_t d = 0; d < p->dim; d++) {
        bnre_prior_support(prior, d, &low[d], &high[d]);
        size[1 + d] = (high[d] - low[d]) / (double)side;
        size[0] *= size[1 + d];
    }
    for (size_t i = 0; i < (p->dim == 1 ? side : side * side); i++) {
        double theta[2];

        for (size_t d = 0, k = i; d < p->dim; d++, k /= side)
            theta[d] = low[d] + size[1 + d] * ((double)(k % side) + 0.5);
        add_cell(&grid, p, theta, size[0]);
    }
    weigh(&grid, p);
    for (int level = 0; level < MOST_LEVELS && split_cells(&grid, p, size);
         level++)
        weigh(&grid, p);
    weigh(&grid, p);
    for (size_t i = 0; i < p->n; i++)
        p->log_p[i] = log(p->weight[i] / grid.volume[i]);
    free(grid.volume);
}

/* ---- by draws ---- */

static double normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* Draws of N(x, noise^2 I) within the box of the priors. */
static void make_draws(bnre_task *task, const double *x, struct points *p)
{
    const double half_log_2_pi = 0.5 * log(2 * acos(-1));
    const bnre_prior *prior = bnre_task_prior(task);
    bnre_rng rng = bnre_rng_stream(1, 1, 1);
    double noise, l;

    /* At theta = x the likelihood is (sqrt(2 pi) noise)^-dim. */
    try_or_fail(bnre_task_log_likelihood(task, x, x, &l));
    noise = exp(-l / (double)p->dim - half_log_2_pi);

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
            while (x[d] + noise * z < low || x[d] + noise * z > high);
            p->theta[i * p->dim + d] = x[d] + noise * z;
            p->log_p[i] -= 0.5 * z * z + half_log_2_pi + log(noise) +
                           log(normal_cdf((high - x[d]) / noise) -
                               normal_cdf((low - x[d]) / noise));
        }
    }
}

/* Points that have nothing of the posterior cost time. */
static void drop_light(struct points *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        if (p->weight[i] > 1e-8) {
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
