/* threads: training where a parameter is a category or a count: against closed
   forms, as densities, and their gradients. Bounds on errors are about twice
   what fixed seeds gave. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bnre/estimator.h"
#include "bnre/settings.h"
#include "mixed_exact.h"
#include "num/special.h"
#include "support.h"
#include "training.h"

static const char small[] = "head: {hidden: [32, 32], activation: elu}";

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    return file;
}

/* The task and n rows of it. */
static const char *write_kinds(size_t n, const char **task)
{
    static char table[400], yaml[400];
    FILE *file;

    snprintf(yaml, sizeof yaml, "%s", scratch_path("kinds.yaml"));
    file = create(yaml);
    fprintf(file, "parameters:\n  kind: categorical(5, 3, 2)\n"
                  "  shift: normal(0, 1)\n");
    fclose(file);
    snprintf(table, sizeof table, "%s", scratch_path("kinds.csv"));
    file = create(table);
    fprintf(file, "theta.kind,theta.shift,x.0,x.1\n");
    for (uint64_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(7, 0, i);
        double theta[2], x[2];

        mixed_draw(&rng, theta, x);
        fprintf(file, "%g,%.9g,%.9g,%.9g\n", theta[0], theta[1], x[0], x[1]);
    }
    fclose(file);
    *task = yaml;
    return table;
}

/* n ~ poisson(7); each is seen with probability 1/2. */
static const char *write_counts(size_t n, const char **task)
{
    static char table[400], yaml[400];
    FILE *file;

    snprintf(yaml, sizeof yaml, "%s", scratch_path("counts.yaml"));
    file = create(yaml);
    fprintf(file, "parameters: {n: poisson(7)}\n");
    fclose(file);
    snprintf(table, sizeof table, "%s", scratch_path("counts.csv"));
    file = create(table);
    fprintf(file, "theta.n,x.0\n");
    for (uint64_t i = 0; i < n; i++) {
        bnre_rng rng = bnre_rng_stream(8, 0, i);
        size_t all = 0, seen = 0;

        for (double sum = -log(bnre_rng_open(&rng)); sum < 7; all++)
            sum -= log(bnre_rng_open(&rng));
        for (size_t k = 0; k < all; k++)
            seen += bnre_rng_uniform(&rng) < 0.5;
        fprintf(file, "%zu,%zu\n", all, seen);
    }
    fclose(file);
    *task = yaml;
    return table;
}

static bnre_estimator *train(const char *data, const char *task, int method,
                             const char *order)
{
    const char *path = scratch_path("mixed.h5");
    bnre_node *network = training_network(small);
    bnre_train_opts opts = training_opts(data, network);
    bnre_estimator *est = NULL;

    opts.task = (char *)(uintptr_t)task;
    opts.method = method;
    opts.order = (char *)(uintptr_t)order;
    opts.members = 2;
    opts.epochs = 60;
    opts.batch_size = 64;
    opts.lambda = method == BNRE_METHOD_BNPE ? 100 : 0;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    bnre_node_destroy(network);
    assert_ok(bnre_estimator_open(path, &est));
    return est;
}

/* RMS difference from the exact log ratio over fresh pairs. */
static double miss_of(const bnre_estimator *est)
{
    enum { PAIRS = 500 };
    static double theta[2 * PAIRS], x[2 * PAIRS], out[PAIRS];
    double squares = 0;

    for (uint64_t i = 0; i < PAIRS; i++) {
        bnre_rng rng = bnre_rng_stream(9, 0, i);

        mixed_draw(&rng, theta + 2 * i, x + 2 * i);
    }
    assert_ok(bnre_estimator_log_ratio(est, NULL, PAIRS, theta, x, out));
    for (size_t i = 0; i < PAIRS; i++)
        squares += pow(out[i] - mixed_log_ratio(theta + 2 * i, x + 2 * i), 2);
    return sqrt(squares / PAIRS);
}

/* The sum over kinds of the integral over shifts. */
static void assert_normalised(const bnre_density *q, const double *x)
{
    enum { GRID = 2000 };
    static double theta[2 * GRID], l[GRID];
    void *session = NULL;
    double sum = 0;

    assert_ok(q->open(q->context, &session));
    assert_ok(q->observe(session, x));
    for (size_t kind = 0; kind < MIXED_KINDS; kind++) {
        for (size_t i = 0; i < GRID; i++) {
            theta[2 * i] = (double)kind;
            theta[2 * i + 1] = 16 * ((double)i + 0.5) / GRID - 8;
        }
        assert_ok(q->log_ratio(session, GRID, theta, l, NULL));
        for (size_t i = 0; i < GRID; i++)
            sum += exp(l[i] + bnre_prior_log_density(q->prior, theta + 2 * i)) *
                   16 / GRID;
    }
    assert_close(sum, 1, 1e-4);
    q->close(session);
}

/* By the shift against differences; a kind has none. */
static void assert_gradients(const bnre_density *q, const double *x)
{
    void *session = NULL;

    assert_true(q->has_gradient);
    assert_ok(q->open(q->context, &session));
    assert_ok(q->observe(session, x));
    for (size_t kind = 0; kind < MIXED_KINDS; kind++) {
        const double h = 1e-2;
        double theta[] = {(double)kind, 0.3}, slope[2], l, up, down;

        assert_ok(q->log_ratio(session, 1, theta, &l, slope));
        theta[1] += h;
        assert_ok(q->log_ratio(session, 1, theta, &up, NULL));
        theta[1] -= 2 * h;
        assert_ok(q->log_ratio(session, 1, theta, &down, NULL));
        assert_true(slope[0] == 0);
        assert_close(slope[1], (up - down) / (2 * h),
                     2e-2 * (1 + fabs(slope[1])));
    }
    q->close(session);
}

/* Draws have the exact shares of kinds, as far as q is right: 0.05. */
static void assert_draws(const bnre_density *q, const double *x)
{
    enum { DRAWS = 4000 };
    static double theta[2 * DRAWS];
    double p[MIXED_KINDS], share[MIXED_KINDS] = {0};
    void *session = NULL;

    assert_ok(q->open(q->context, &session));
    assert_ok(q->observe(session, x));
    assert_ok(q->draw(session, 1, 0, DRAWS, theta));
    for (size_t i = 0; i < DRAWS; i++)
        share[(size_t)theta[2 * i]] += 1.0 / DRAWS;
    mixed_kinds(x, p);
    for (size_t k = 0; k < MIXED_KINDS; k++)
        assert_close(share[k], p[k], 0.08);
    q->close(session);
}

static void conditional_densities_learn_kinds_and_shifts(void **state)
{
    static const struct {
        int method;
        const char *order;
    } ways[] = {{BNRE_METHOD_NPE, "kind,shift"},
                {BNRE_METHOD_BNPE, "shift,kind"}};
    const double x[] = {0.4, 0.3};
    const char *task, *data = write_kinds(2048, &task);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bnre_estimator *est = train(data, task, ways[i].method, ways[i].order);
        const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);

        assert_true(miss_of(est) < 0.3);
        assert_normalised(&q, x);
        assert_gradients(&q, x);
        assert_draws(&q, x);
        bnre_estimator_close(est);
    }
}

static void ratios_learn_kinds_and_shifts(void **state)
{
    const double x[] = {0.4, 0.3};
    const char *task, *data = write_kinds(2048, &task);
    bnre_estimator *est = train(data, task, BNRE_METHOD_NRE, NULL);
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);

    (void)state;
    assert_true(miss_of(est) < 0.4);
    assert_gradients(&q, x);
    bnre_estimator_close(est);
}

/* Given that k were seen, the others are poisson(3.5). */
static void conditional_densities_learn_counts(void **state)
{
    enum { MOST = 60 };
    const char *task, *data = write_counts(2048, &task);
    bnre_estimator *est = train(data, task, BNRE_METHOD_NPE, NULL);
    const bnre_density q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    const double x = 4;
    double theta[MOST], l[MOST], sum = 0, far = 0;
    void *session = NULL;

    (void)state;
    for (size_t n = 0; n < MOST; n++)
        theta[n] = (double)n;
    assert_ok(q.open(q.context, &session));
    assert_ok(q.observe(session, &x));
    assert_ok(q.log_ratio(session, MOST, theta, l, NULL));
    for (size_t n = 0; n < MOST; n++) {
        const double p = exp(l[n] + bnre_prior_log_density(q.prior, &theta[n]));
        const double rest = theta[n] - x;

        sum += p;
        far += 0.5 * fabs(p - (rest < 0 ? 0
                                        : exp(-3.5 + rest * log(3.5) -
                                              bnre__log_gamma(rest + 1))));
    }
    assert_close(sum, 1, 1e-6);
    assert_true(far < 0.12); /* total variation */
    q.close(session);
    bnre_estimator_close(est);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditional_densities_learn_kinds_and_shifts),
        cmocka_unit_test(ratios_learn_kinds_and_shifts),
        cmocka_unit_test(conditional_densities_learn_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
