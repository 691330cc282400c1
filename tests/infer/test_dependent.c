/* threads: parameters that depend on each other in the prior, against the known
   posterior: a, b ~ N(m, C), x = (a, b) + 0.5 noise. Grid, bank and chains of
   the exact ratio, ranks of the exact posterior (uniform, wrong once in 10,000
   seeds for each of 4 tests), and training, whose bounds are about twice what
   fixed seeds gave. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/posterior.h"
#include "densities.h"
#include "support.h"
#include "training.h"

static const char text[] =
    "[a, b]: multivariate_normal([0, 1], [[1, 0.8], [0.8, 1]])";
static const double mean[] = {0, 1};

static bnre_prior *make_prior(void)
{
    const char *const name[] = {"a", "b"}, *const texts[] = {text, text};
    bnre_prior *prior = NULL;

    assert_ok(bnre_prior_create(2, name, texts, &prior));
    return prior;
}

/* Sum and difference of a and b are independent, with variances 1 +- 0.8 as
   unit vectors; the posterior shrinks each by v / (v + 0.25). */
static void posterior_of(const double *x, double at[2], double variance[2])
{
    static const double v[] = {1.8, 0.2};
    const double u[] = {x[0] - mean[0], x[1] - mean[1]};

    for (size_t k = 0; k < 2; k++) {
        const double along = (k == 0 ? u[0] + u[1] : u[0] - u[1]) / sqrt(2);

        variance[k] = v[k] * 0.25 / (v[k] + 0.25);
        at[k] = along * v[k] / (v[k] + 0.25);
    }
}

static double log_ratio_at(const double *theta, const double *x)
{
    static const double v[] = {1.8, 0.2};
    const double u[] = {theta[0] - mean[0], theta[1] - mean[1]};
    double at[2], variance[2], sum = 0;

    posterior_of(x, at, variance);
    for (size_t k = 0; k < 2; k++) {
        const double along = (k == 0 ? u[0] + u[1] : u[0] - u[1]) / sqrt(2);
        const double off = along - at[k];

        sum += 0.5 * (along * along / v[k] - off * off / variance[k]) -
               0.5 * log(variance[k] / v[k]);
    }
    return sum;
}

static void draw_pair(bnre_rng *rng, const bnre_prior *prior, double *theta,
                      double *x)
{
    bnre_prior_draw(prior, rng, theta);
    for (size_t k = 0; k < 2; k++)
        x[k] = theta[k] + 0.5 * bnre_rng_normal(rng);
}

/* ---- the exact ratio as a density ---- */

struct session {
    double x[2];
};

static bnre_status open_session(void *context, void **out)
{
    (void)context;
    *out = calloc(1, sizeof(struct session));
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
    (void)gradient;
    for (size_t i = 0; i < n; i++)
        out[i] = log_ratio_at(theta + 2 * i, ((struct session *)self)->x);
    return BNRE_OK;
}

static bnre_density density_of(const bnre_prior *prior)
{
    return (bnre_density){.prior = prior,
                          .x_size = 2,
                          .open = open_session,
                          .close = free,
                          .observe = observe,
                          .log_ratio = log_ratio};
}

static void grids_banks_and_chains_find_the_posterior(void **state)
{
    static const struct {
        bnre_sampler method;
        double
            error; /* of means, in units of about 0.4; five standard errors */
    } ways[] = {{BNRE_SAMPLER_GRID, 1e-3},
                {BNRE_SAMPLER_BANK, 0.05},
                {BNRE_SAMPLER_CHAIN, 0.1}};
    const double x[] = {0.5, 0.5};
    bnre_prior *prior = make_prior();
    const bnre_density density = density_of(prior);
    double at[2], variance[2];

    (void)state;
    posterior_of(x, at, variance);
    for (size_t i = 0; i < 3; i++) {
        bnre_posterior_opts opts = bnre_posterior_opts_default();
        bnre_session *session = session_for(&density, 1, x);
        bnre_posterior *posterior = NULL;
        double found[2], covariance[4];

        opts.sampler = ways[i].method;
        opts.draws = 4000;
        assert_ok(bnre_posterior_compute(session, &opts, &posterior));
        bnre_posterior_moments(posterior, found, covariance);
        assert_close(found[0], mean[0] + (at[0] + at[1]) / sqrt(2),
                     ways[i].error);
        assert_close(found[1], mean[1] + (at[0] - at[1]) / sqrt(2),
                     ways[i].error);
        assert_close(covariance[0], (variance[0] + variance[1]) / 2,
                     ways[i].error);
        assert_close(covariance[1], (variance[0] - variance[1]) / 2,
                     ways[i].error);
        assert_close(bnre_posterior_evidence(posterior).log_z, 0,
                     i == 0 ? 1e-3 : 0.1);
        bnre_posterior_destroy(posterior);
        bnre_session_close(session);
    }
    bnre_prior_destroy(prior);
}

static void ranks_of_the_exact_posterior_are_uniform(void **state)
{
    enum { N = 2000 };
    static double theta[2 * N], x[2 * N], copy[N];
    bnre_prior *prior = make_prior();
    const bnre_density density = density_of(prior);
    const bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *diag = NULL;

    (void)state;
    for (uint64_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(21, 0, i);

        draw_pair(&rng, prior, theta + 2 * i, x + 2 * i);
    }
    assert_ok(bnre_diagnose(&density, N, 1, theta, x, &opts, &diag));
    assert_int_equal(diag->grid, BNRE_DIAG_FITTED);
    memcpy(copy, diag->curve[0].rank, sizeof copy);
    assert_true(ks_uniform_pvalue(N, copy) > 1e-4);
    memcpy(copy, diag->tarp_rank, sizeof copy);
    assert_true(ks_uniform_pvalue(N, copy) > 1e-4);
    for (size_t k = 0; k < 2; k++) {
        memcpy(copy, diag->parameter[k].rank, sizeof copy);
        assert_true(ks_uniform_pvalue(N, copy) > 1e-4);
    }
    bnre_diag_destroy(diag);
    bnre_prior_destroy(prior);
}

/* ---- training ---- */

static const char *write_data(size_t n, const bnre_prior *prior,
                              const char **task)
{
    static char table[400], yaml[400];
    FILE *file;

    snprintf(yaml, sizeof yaml, "%s", scratch_path("dependent.yaml"));
    file = fopen(yaml, "w");
    assert_non_null(file);
    fprintf(file, "parameters:\n  %s\n", text);
    fclose(file);
    snprintf(table, sizeof table, "%s", scratch_path("dependent.csv"));
    file = fopen(table, "w");
    assert_non_null(file);
    fprintf(file, "theta.a,theta.b,x.0,x.1\n");
    for (uint64_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(22, 0, i);
        double theta[2], x[2];

        draw_pair(&rng, prior, theta, x);
        fprintf(file, "%.9g,%.9g,%.9g,%.9g\n", theta[0], theta[1], x[0], x[1]);
    }
    fclose(file);
    *task = yaml;
    return table;
}

static void conditional_densities_learn_it_in_either_order(void **state)
{
    enum { PAIRS = 500, GRID = 150 };
    static const char *const orders[] = {"a,b", "b,a"};
    static double theta[2 * PAIRS], x[2 * PAIRS], out[PAIRS];
    static double plane[2 * GRID * GRID], l[GRID * GRID];
    bnre_prior *prior = make_prior();
    const char *task, *data = write_data(2048, prior, &task);

    (void)state;
    for (uint64_t i = 0; i < PAIRS; i++) {
        bnre_rng rng = bnre_rng_stream(23, 0, i);

        draw_pair(&rng, prior, theta + 2 * i, x + 2 * i);
    }
    for (size_t i = 0; i < GRID * GRID; i++) {
        plane[2 * i] = 9 * ((double)(i / GRID) + 0.5) / GRID - 4.5;
        plane[2 * i + 1] = 9 * ((double)(i % GRID) + 0.5) / GRID - 3.5;
    }
    for (size_t o = 0; o < 2; o++) {
        bnre_node *network =
            training_network("head: {hidden: [32, 32], activation: elu}");
        bnre_train_opts opts = training_opts(data, network);
        bnre_estimator *est = NULL;
        bnre_density q;
        void *session = NULL;
        double squares = 0, sum = 0, slope[2], up, down, h = 1e-2;
        double at[] = {0.2, 0.9};

        opts.task = (char *)(uintptr_t)task;
        opts.order = (char *)(uintptr_t)orders[o];
        opts.method = BNRE_METHOD_NPE;
        opts.members = 2;
        opts.epochs = 60;
        opts.batch_size = 64;
        opts.lambda = 0;
        opts.force = 1;
        assert_ok(bnre_train(&opts, scratch_path("dependent.h5"), NULL));
        bnre_node_destroy(network);
        assert_ok(bnre_estimator_open(scratch_path("dependent.h5"), &est));
        assert_ok(bnre_estimator_log_ratio(est, NULL, PAIRS, theta, x, out));
        for (size_t i = 0; i < PAIRS; i++)
            squares += pow(out[i] - log_ratio_at(theta + 2 * i, x + 2 * i), 2);
        assert_true(sqrt(squares / PAIRS) < 0.6);
        /* It is a density, ... */
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        assert_ok(q.observe(session, x));
        assert_ok(q.log_ratio(session, GRID * GRID, plane, l, NULL));
        for (size_t i = 0; i < GRID * GRID; i++)
            sum += exp(l[i] + bnre_prior_log_density(prior, plane + 2 * i)) *
                   81 / GRID / GRID;
        assert_close(sum, 1, 1e-4);
        /* and its gradient is that of the log ratio. */
        assert_ok(q.log_ratio(session, 1, at, l, slope));
        for (size_t k = 0; k < 2; k++) {
            at[k] += h;
            assert_ok(q.log_ratio(session, 1, at, &up, NULL));
            at[k] -= 2 * h;
            assert_ok(q.log_ratio(session, 1, at, &down, NULL));
            at[k] += h;
            assert_close(slope[k], (up - down) / (2 * h),
                         2e-2 * (1 + fabs(slope[k])));
        }
        q.close(session);
        bnre_estimator_close(est);
    }
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_banks_and_chains_find_the_posterior),
        cmocka_unit_test(ranks_of_the_exact_posterior_are_uniform),
        cmocka_unit_test(conditional_densities_learn_it_in_either_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
