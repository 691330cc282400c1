/* Posteriors in rounds against exact ones, in nats: KL(exact within R || q), and
   the exact mass that R leaves out. Gaussians with two and ten parameters in
   closed form, slcp on a grid. Seeds are fixed; bounds are about twice what was
   found (that of ten parameters is below the 2.7 nats of one round). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/estimator.h"
#include "bnre/infer.h"
#include "bnre/posterior.h"
#include "bnre/rng.h"
#include "bnre/task.h"
#include "support.h"

struct exact {
    size_t n, dim;
    double *theta;  /* (n, dim) */
    double *weight; /* (n): masses, whose sum is 1 */
    double *log_p;  /* (n): log densities */
};

static void clear_exact(struct exact *e)
{
    free(e->theta);
    free(e->weight);
    free(e->log_p);
}

static void write_values(const char *path, size_t n, const double *value)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (size_t i = 0; i < n; i++)
        fprintf(file, "%.17g\n", value[i]);
    assert_int_equal(fclose(file), 0);
}

static void infer(const char *task, const char *simulations, const char *rounds,
                  size_t n, const double *x, const char *directory)
{
    size_t rows;
    const bnre_opt *row = bnre_infer_options(&rows);
    bnre_infer_settings settings = {0};
    bnre_infer_outcome outcome;
    char observed[300];
    const char *set[][2] = {{"task", task},
                            {"observation", observed},
                            {"simulations", simulations},
                            {"rounds", rounds},
                            {"samples", "200"},
                            {"format", "svg"},
                            {"output", directory}};

    snprintf(observed, sizeof observed, "%s", scratch_path("obs.txt"));
    write_values(observed, n, x);
    assert_ok(bnre_opt_init(row, rows, &settings));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_ok(bnre_opt_set(bnre_opt_find(row, rows, set[i][0]), &settings,
                               set[i][1]));
    assert_ok(bnre_infer(
        &(bnre_infer_request){.settings = &settings, .seed = 1}, &outcome));
    bnre_infer_outcome_clear(&outcome);
    bnre_opt_clear(row, rows, &settings);
}

/* KL(exact within R || q) and the mass outside R; `drawn` (2,000, dim) are draws
   of q, if it is not NULL. */
static double compare(const char *directory, const struct exact *e,
                      const double *x, double *cut, double *drawn)
{
    bnre_estimator *est = NULL;
    bnre_session *session = NULL;
    bnre_density density;
    double *l = calloc(e->n, sizeof *l), kl = 0, inside = 0;
    char path[300];

    snprintf(path, sizeof path, "%s/estimator.h5", directory);
    assert_ok(bnre_estimator_open(path, &est));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, x));
    assert_ok(bnre_session_log_ratio(session, e->n, e->theta, l, NULL));
    for (size_t i = 0; i < e->n; i++) {
        if (l[i] == -INFINITY)
            continue;
        inside += e->weight[i];
        kl += e->weight[i] * (e->log_p[i] - l[i] -
                              bnre_prior_log_density(bnre_estimator_prior(est),
                                                     e->theta + i * e->dim));
    }
    if (drawn != NULL)
        assert_ok(bnre_session_draw(session, 1, 0, 2000, drawn));
    free(l);
    bnre_session_close(session);
    bnre_estimator_close(est);
    *cut = 1 - inside;
    return kl / inside - log(inside);
}

/* N(x, 0.01^2) in `dim` parameters that are uniform in (0, 1). */
static void gaussian(size_t dim, const char *simulations, const char *rounds,
                     double most)
{
    enum { DRAWS = 1000, MOST = 10 };
    const double noise = 0.01, pi = acos(-1);
    struct exact e = {.n = DRAWS, .dim = dim};
    bnre_rng rng = bnre_rng_stream(7, 1, 1);
    double x[MOST], cut, kl;
    char task[300], directory[300];
    FILE *file;

    snprintf(task, sizeof task, "%s", scratch_path("task.yaml"));
    snprintf(directory, sizeof directory, "%s",
             scratch_path(dim == 2 ? "two" : "ten"));
    file = fopen(task, "w");
    assert_non_null(file);
    fprintf(file,
            "name: gaussian\noptions: {dim: %zu, noise: 0.01}\n"
            "parameters: {theta: \"uniform(0, 1)\"}\n",
            dim);
    assert_int_equal(fclose(file), 0);
    for (size_t k = 0; k < dim; k++)
        x[k] = 0.15 + 0.07 * (double)k;
    e.theta = calloc(DRAWS * dim, sizeof(double));
    e.weight = calloc(DRAWS, sizeof(double));
    e.log_p = calloc(DRAWS, sizeof(double));
    for (size_t i = 0; i < DRAWS; i++) {
        e.weight[i] = 1.0 / DRAWS;
        for (size_t k = 0; k < dim; k++) {
            const double z = bnre_rng_normal(&rng);

            e.theta[i * dim + k] = x[k] + noise * z;
            e.log_p[i] -= z * z / 2 + log(noise) + log(2 * pi) / 2;
        }
    }
    infer(task, simulations, rounds, dim, x, directory);
    kl = compare(directory, &e, x, &cut, NULL);
    print_message("%zu parameters: KL %.3f, cut off %.4f\n", dim, kl, cut);
    assert_true(kl > 0 && kl < most);
    assert_true(cut <= 0.05);
    clear_exact(&e);
}

static void two_parameters(void **state)
{
    (void)state;
    gaussian(2, "900", "3", 0.25);
}

static void ten_parameters(void **state)
{
    (void)state;
    gaussian(10, "600", "2", 2);
}

/* Squares alone enter slcp, so that the modes in the four quadrants are equal. */
static void four_modes(void **state)
{
    enum { SIDE = 300, N = SIDE * SIDE };
    const double x[8] = {-1.7659, -2.3179, -0.9719, -2.8251,
                         -0.5099, -2.7948, -4.0465, -1.3896};
    struct exact e = {.n = N, .dim = 2};
    double most = -INFINITY, sum = 0, quadrant[4] = {0}, exact[4] = {0};
    double *drawn = calloc(2000 * 2, sizeof *drawn), cut, kl;
    bnre_task *task = NULL;
    char directory[300];

    (void)state;
    e.theta = calloc(N * 2, sizeof(double));
    e.weight = calloc(N, sizeof(double));
    e.log_p = calloc(N, sizeof(double));
    assert_ok(bnre_task_open("slcp", 0, NULL, &task));
    for (size_t i = 0; i < N; i++) {
        e.theta[2 * i] = -3 + 6 * ((double)(i % SIDE) + 0.5) / SIDE;
        e.theta[2 * i + 1] = -3 + 6 * ((double)(i / SIDE) + 0.5) / SIDE;
        assert_ok(
            bnre_task_log_likelihood(task, e.theta + 2 * i, x, &e.log_p[i]));
        most = fmax(most, e.log_p[i]);
    }
    for (size_t i = 0; i < N; i++)
        sum += exp(e.log_p[i] - most);
    for (size_t i = 0; i < N; i++) {
        e.weight[i] = exp(e.log_p[i] - most) / sum;
        e.log_p[i] = log(e.weight[i] / (36.0 / N));
        if (e.weight[i] == 0)
            e.log_p[i] = 0;
        exact[(e.theta[2 * i] > 0) + 2 * (e.theta[2 * i + 1] > 0)] +=
            e.weight[i];
    }
    bnre_task_destroy(task);
    snprintf(directory, sizeof directory, "%s", scratch_path("slcp"));
    infer("slcp", "1200", "3", 8, x, directory);
    kl = compare(directory, &e, x, &cut, drawn);
    for (size_t i = 0; i < 2000; i++)
        quadrant[(drawn[2 * i] > 0) + 2 * (drawn[2 * i + 1] > 0)] += 1 / 2000.0;
    print_message("slcp: KL %.3f, cut off %.4f, modes %.3f %.3f %.3f %.3f\n",
                  kl, cut, quadrant[0], quadrant[1], quadrant[2], quadrant[3]);
    for (int k = 0; k < 4; k++) {
        assert_close(exact[k], 0.25, 1e-6);
        assert_true(quadrant[k] > 0.1 && quadrant[k] < 0.4);
    }
    assert_true(kl > 0 && kl < 1.7);
    assert_true(cut <= 0.05);
    free(drawn);
    clear_exact(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_parameters),
        cmocka_unit_test(ten_parameters),
        cmocka_unit_test(four_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
