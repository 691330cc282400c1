/* threads: regions of the prior around an observation: what is in them, draws
   of the prior within them, and estimators that know no more than them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/gather.h"
#include "infer/estimator/region.h"
#include "infer/estimator/restricted.h"
#include "support.h"
#include "training.h"

enum { DIM = 2, N = 4000 };

static const double observed[] = {0.8, -0.3};
static const double alpha = 0.01;

/* An estimator of the gaussian task, trained for a moment, with its file. */
static const char *train(const char *name, const char *data)
{
    static char path[4096];
    bnre_node *network =
        training_network("head: {hidden: [16], activation: elu}");
    bnre_train_opts opts = training_opts(data, network);

    snprintf(path, sizeof path, "%s", scratch_path(name));
    opts.method = BNRE_METHOD_NPE;
    opts.members = 2;
    opts.epochs = 30;
    opts.batch_size = 64;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    bnre_node_destroy(network);
    return path;
}

/* Whether regions are settled: fixed sets where these do. */
static int settles;

static int settle(void **state)
{
    (void)state;
    settles = 1;
    return 0;
}

static int follow(void **state)
{
    (void)state;
    settles = 0;
    return 0;
}

static bnre__region *make_region_of(const char *path, double outside)
{
    bnre_estimator *est = NULL;
    bnre__region *region = NULL;

    assert_ok(bnre_estimator_open(path, &est));
    assert_ok(bnre__region_create(est, observed, outside, &region));
    if (settles)
        assert_ok(bnre__region_settle(region, 3));
    return region;
}

static bnre__region *make_region(const char *path)
{
    return make_region_of(path, alpha);
}

/* Trained once. */
static const char *first_estimator(void)
{
    static char path[4096];

    if (path[0] == 0)
        snprintf(
            path, sizeof path, "%s",
            train("region-first.h5", training_data("region-data.h5", "gaussian",
                                                   1000, BNRE_SPLIT_TRAIN)));
    return path;
}

static double *new_values(size_t n)
{
    return calloc(n, sizeof(double));
}

/* theta (N, dim) drawn from q(. | observed). */
static void draw_posterior(const bnre_estimator *est, double *theta)
{
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    bnre_session *session = NULL;

    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, observed));
    assert_ok(bnre_session_draw(session, 5, 0, N, theta));
    bnre_session_close(session);
}

static void draw_prior(const bnre_estimator *est, double *theta)
{
    for (size_t i = 0; i < N; i++) {
        bnre_rng rng = bnre_rng_stream(95, 0, i);

        bnre_prior_draw(bnre_estimator_prior(est), &rng, theta + i * DIM);
    }
}

static size_t count_inside(const double *log_w)
{
    size_t inside = 0;

    for (size_t i = 0; i < N; i++)
        inside += log_w[i] > -HUGE_VAL;
    return inside;
}

static void places_and_values_are_inverse(void **state)
{
    bnre__region *region = make_region(first_estimator());
    double *u = new_values(N * DIM), *theta = new_values(N * DIM);
    double *again = new_values(N * DIM), *log_w = new_values(N),
           *log_w2 = new_values(N);
    bnre__region_room *room = NULL;
    bnre_rng rng = bnre_rng_stream(96, 0, 0);

    (void)state;
    for (size_t i = 0; i < N * DIM; i++)
        u[i] = bnre_rng_uniform(&rng);
    assert_ok(bnre__region_room_open(region, &room));
    assert_ok(bnre__region_values(room, N, u, theta, log_w));
    assert_ok(bnre__region_places(room, N, theta, again, log_w2));
    for (size_t i = 0; i < N; i++) {
        assert_close(log_w2[i], log_w[i], 1e-4);
        for (size_t k = 0; k < DIM; k++)
            assert_close(again[i * DIM + k], u[i * DIM + k], 1e-4);
    }
    bnre__region_room_close(room);
    bnre__region_destroy(region);
    free(u), free(theta), free(again), free(log_w), free(log_w2);
}

/* Of right regions these fail in less than one of 10^6 cases. */
static void regions_hold_what_they_say(void **state)
{
    bnre__region *region = make_region(first_estimator());
    double *theta = new_values(N * DIM), *u = new_values(N * DIM),
           *log_w = new_values(N);
    size_t outside;

    (void)state;
    draw_posterior(region->earlier, theta);
    assert_ok(bnre__region_map(region, NULL, N, theta, u, log_w));
    outside = N - count_inside(log_w);
    assert_true((double)outside < N * alpha + 5 * sqrt(N * alpha));
    assert_true((double)outside > 0.3 * N * alpha); /* not much too large */
    bnre__region_destroy(region);
    free(theta), free(u), free(log_w);
}

/* Against rejection: draw from the prior, keep what is inside. Each bound is at
   five standard errors. A chain has four steps for each proposal that is kept,
   so that its draws are worth about as many independent ones. */
static void check_draws(int by_chain)
{
    bnre__region *region = make_region(first_estimator());
    double *theta = new_values(N * DIM), *drawn = new_values(N * DIM),
           *u = new_values(N * DIM), *log_w = new_values(N);
    bnre__region_draws how;
    double share;
    size_t inside;

    region->rare = by_chain ? 2 : BNRE__RARE;
    draw_prior(region->earlier, theta);
    assert_ok(bnre__region_map(region, NULL, N, theta, u, log_w));
    inside = count_inside(log_w);
    share = (double)inside / N;
    assert_true(inside > 500 && inside < N);
    assert_ok(bnre__region_draw(region, NULL, 7, N, drawn, &how));
    assert_true(fabs(region->share - share) <
                5 * sqrt(share / N) + 5 * region->error);
    assert_int_equal(how.chain, by_chain);
    for (size_t k = 0; k < DIM; k++)
        for (int power = 1; power <= 2; power++) {
            double a = 0, aa = 0, b = 0;

            for (size_t i = 0; i < N; i++) {
                const double v = pow(theta[i * DIM + k], power);

                a += log_w[i] > -HUGE_VAL ? v : 0;
                aa += log_w[i] > -HUGE_VAL ? v * v : 0;
                b += pow(drawn[i * DIM + k], power) / N;
            }
            a /= (double)inside;
            aa = aa / (double)inside - a * a;
            assert_true(fabs(a - b) <
                        5 * sqrt(aa * (1 / (double)inside + 1.0 / N)));
        }
    /* All of them are inside. */
    assert_ok(bnre__region_map(region, NULL, N, drawn, u, log_w));
    assert_int_equal(count_inside(log_w), N);
    bnre__region_destroy(region);
    free(theta), free(drawn), free(u), free(log_w);
}

static void draws_follow_the_prior_within(void **state)
{
    (void)state;
    check_draws(0);
}

static void a_chain_follows_the_prior_within(void **state)
{
    (void)state;
    check_draws(1);
}

/* How dense q is at the ends of its own region, of what lies inside. */
static double border_of(double outside)
{
    bnre__region *region = make_region_of(first_estimator(), outside);
    double *theta = new_values(N * DIM), *u = new_values(N * DIM),
           *log_w = new_values(N), border;
    bnre__region_room *room = NULL;
    size_t n = 0;

    draw_posterior(region->earlier, theta);
    assert_ok(bnre__region_map(region, NULL, N, theta, u, log_w));
    for (size_t i = 0; i < N; i++)
        if (log_w[i] > -HUGE_VAL)
            memmove(theta + DIM * n++, theta + DIM * i, DIM * sizeof *theta);
    assert_ok(bnre__region_room_open(region, &room));
    assert_ok(bnre__region_places(room, n, theta, u, log_w));
    border = bnre__region_border(room);
    assert_true(bnre__region_border(room) == 0); /* it begins anew */
    bnre__region_room_close(room);
    bnre__region_destroy(region);
    free(theta), free(u), free(log_w);
    return border;
}

/* A region of 1 - a leaves the density of a normal law at its ends: with 0.001
   that is a small part of the mean even in places that follow the mass of the
   prior, with 0.6 it is nearly all of it. */
static void a_border_tells_what_was_cut_off(void **state)
{
    (void)state;
    assert_true(border_of(0.001) < 0.25);
    assert_true(border_of(0.6) > 0.5);
}

/* Train on places in the region, and make of it an estimator of theta. */
static const char *second_estimator(const char *first, bnre__region *region)
{
    static char path[4096];
    static const char task[] =
        "{name: places, parameters: {theta_0: \"uniform(0, 1)\", theta_1: "
        "\"uniform(0, 1)\"}, observable: [2]}";
    double *theta = new_values(1000 * DIM), *u = new_values(1000 * DIM),
           *log_w = new_values(1000);
    bnre_simulate_opts opts = bnre_simulate_opts_default();
    bnre__region_draws how;
    bnre_task *gaussian = NULL;
    bnre_dataset *data = NULL;
    char inner[4096], print[33];

    assert_ok(bnre__region_draw(region, NULL, 8, 1000, theta, &how));
    assert_ok(bnre__region_map(region, NULL, 1000, theta, u, log_w));
    assert_ok(bnre_task_open("gaussian", 0, NULL, &gaussian));
    opts.count = opts.theta_rows = 1000;
    opts.force = 1;
    opts.theta = theta;
    assert_ok(
        bnre_simulate(gaussian, &opts, scratch_path("region-new.h5"), NULL));
    assert_ok(bnre_dataset_open(scratch_path("region-new.h5"), &data));
    assert_ok(bnre__dataset_gather(
        1, &(bnre__gather_source){.data = data, .n = 1000, .theta = u}, task,
        "places: yes\n", scratch_path("region-places.h5"), print));
    snprintf(inner, sizeof inner, "%s",
             train("region-inner.h5", scratch_path("region-places.h5")));
    snprintf(path, sizeof path, "%s", scratch_path("region-second.h5"));
    assert_ok(bnre__estimator_dress(inner, region, first, path));
    bnre_dataset_close(data);
    bnre_task_destroy(gaussian);
    free(theta), free(u), free(log_w);
    return path;
}

/* A third region in the second one: what is drawn there lies in it, and E over
   its prior of q / p is 1 within five standard errors. (Any estimator of places
   will do.) */
static void check_third(const bnre__region *second)
{
    const char *path = scratch_path("region-third.h5");
    bnre_estimator *est = NULL;
    bnre_density density;
    bnre_session *session = NULL;
    double *theta = new_values(N * DIM), *l = new_values(N), sum = 0,
           square = 0;
    bnre__region_draws how;

    assert_ok(bnre__estimator_dress(scratch_path("region-inner.h5"), second,
                                    scratch_path("region-second.h5"), path));
    assert_ok(bnre_estimator_open(path, &est));
    assert_close(bnre_estimator_describe(est)->cut, 2 * alpha, 1e-12);
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, observed));
    assert_ok(bnre__region_draw(est->region, NULL, 11, N, theta, &how));
    assert_ok(bnre_session_log_ratio(session, N, theta, l, NULL));
    for (size_t i = 0; i < N; i++) {
        const double v = exp(l[i]) * est->region->share;

        assert_true(l[i] > -HUGE_VAL);
        sum += v / N;
        square += v * v / N;
    }
    assert_true(fabs(sum - 1) <
                5 * sqrt((square - sum * sum) / N) +
                    5 * est->region->error / est->region->share);
    bnre_session_close(session);
    bnre_estimator_close(est);
    free(theta), free(l);
}

static void estimators_of_a_region_are_densities_of_theta(void **state)
{
    char first[4096];
    bnre__region *region, *nested;
    bnre_estimator *est = NULL;
    bnre_density density;
    bnre_session *session = NULL;
    double *theta = new_values(N * DIM), *l = new_values(N),
           *x = new_values(N * DIM), *log_w = new_values(N);
    double sum = 0, square = 0;
    size_t outside = 0;

    (void)state;
    snprintf(first, sizeof first, "%s", first_estimator());
    region = make_region(first);
    assert_ok(bnre_estimator_open(second_estimator(first, region), &est));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_session_open(&density, NULL, &session));
    assert_ok(bnre_session_observe(session, 1, observed));

    /* E over the prior of q / p is 1, by draws of the whole prior. */
    draw_prior(est, theta);
    assert_ok(bnre_session_log_ratio(session, N, theta, l, NULL));
    for (size_t i = 0; i < N; i++) {
        sum += exp(l[i]) / N;
        square += exp(2 * l[i]) / N;
        outside += l[i] == -HUGE_VAL;
    }
    assert_true(fabs(sum - 1) < 5 * sqrt((square - sum * sum) / N));
    assert_true(outside > 100);

    /* Pairs: the same numbers, and refusal outside. */
    for (size_t i = 0; i < N; i++)
        memcpy(x + i * DIM, observed, sizeof observed);
    assert_fails(bnre_estimator_log_ratio(est, NULL, N, theta, x, l),
                 BNRE_EUSAGE, "outside the region");
    draw_posterior(est, theta);
    assert_ok(bnre_session_log_ratio(session, 100, theta, l, NULL));
    assert_ok(bnre_estimator_log_ratio(est, NULL, 100, theta, x, log_w));
    for (size_t i = 0; i < 100; i++) {
        assert_true(l[i] > -HUGE_VAL); /* draws are inside */
        assert_close(log_w[i], l[i], 1e-4);
    }

    /* What it says is about right: the exact posterior is N(x / 2, 1 / 2). */
    for (size_t k = 0; k < DIM; k++) {
        double mean = 0;

        for (size_t i = 0; i < N; i++)
            mean += theta[i * DIM + k] / N;
        assert_close(mean, observed[k] / 2, 0.3);
    }

    /* Its own region lies within the first. */
    nested = make_region(scratch_path("region-second.h5"));
    {
        bnre__region_draws how;
        double *u = new_values(N * DIM);

        assert_ok(bnre__region_draw(nested, NULL, 9, N, theta, &how));
        assert_true(nested->share < region->share * 1.001);
        assert_ok(bnre__region_map(region, NULL, N, theta, u, log_w));
        assert_int_equal(count_inside(log_w), N);
        free(u);
    }
    check_third(nested);
    bnre__region_destroy(nested);
    bnre__region_destroy(region);
    bnre_session_close(session);
    bnre_estimator_close(est);
    free(theta), free(l), free(x), free(log_w);
}

static void ratios_make_no_region(void **state)
{
    bnre_node *network =
        training_network("head: {hidden: [8], activation: elu}");
    bnre_train_opts opts = training_opts(
        training_data("region-few.h5", "gaussian", 200, BNRE_SPLIT_TRAIN),
        network);
    const char *path = scratch_path("region-ratio.h5");
    bnre_estimator *est = NULL;
    bnre__region *region = NULL;

    (void)state;
    opts.method = BNRE_METHOD_NRE;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    assert_fails(bnre__region_create(est, observed, alpha, &region),
                 BNRE_EUSAGE, "npe or bnpe");
    bnre_node_destroy(network);
}

/* theta_1 = theta_0 + a tenth of what it was: posteriors are ten times as long
   as they are wide. */
static const char *leaning_estimator(void)
{
    static const char task[] =
        "{name: leaning, parameters: {theta_0: \"normal(0, 1)\", theta_1: "
        "\"normal(0, 1)\"}, observable: [2]}";
    double *theta = new_values(1000 * DIM);
    bnre_dataset *data = NULL;
    char print[33];

    assert_ok(bnre_dataset_open(
        training_data("region-data.h5", "gaussian", 1000, BNRE_SPLIT_TRAIN),
        &data));
    assert_ok(bnre_dataset_read(data, 0, 1000, theta, NULL, NULL, NULL));
    for (size_t i = 0; i < 1000; i++)
        theta[i * DIM + 1] = theta[i * DIM] + 0.1 * theta[i * DIM + 1];
    assert_ok(bnre__dataset_gather(
        1, &(bnre__gather_source){.data = data, .n = 1000, .theta = theta},
        task, "leaning: yes\n", scratch_path("region-leans.h5"), print));
    bnre_dataset_close(data);
    free(theta);
    return train("region-leaning.h5", scratch_path("region-leans.h5"));
}

static void sets_lean_where_parameters_do(void **state)
{
    const char *path = leaning_estimator();
    bnre__region *region = make_region(path), *alone = make_region(path);
    double *theta = new_values(N * DIM), *u = new_values(N * DIM),
           *log_w = new_values(N);
    double *second = region->sets + bnre__region_numbers(region->earlier);
    bnre__region_draws how;
    size_t outside;

    (void)state;
    /* Fixed, and both move together. */
    assert_true(region->sets[0] > 0 && second[0] > 0);
    assert_true(second[1] > 0.5 && second[1] < 1.5);
    draw_posterior(region->earlier, theta);
    assert_ok(bnre__region_map(region, NULL, N, theta, u, log_w));
    outside = N - count_inside(log_w);
    assert_true((double)outside < N * alpha + 5 * sqrt(N * alpha));
    /* Without slopes it would be much more of the prior. */
    assert_ok(bnre__region_draw(region, NULL, 7, N, theta, &how));
    memset(alone->sets, 0,
           bnre__region_numbers(alone->earlier) * DIM * sizeof *alone->sets);
    assert_ok(bnre__region_draw(alone, NULL, 7, N, theta, &how));
    assert_true(region->share < 2 * alone->share);
    bnre__region_destroy(alone);
    bnre__region_destroy(region);
    free(theta), free(u), free(log_w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_values_are_inverse),
        cmocka_unit_test(regions_hold_what_they_say),
        cmocka_unit_test(draws_follow_the_prior_within),
        cmocka_unit_test(a_chain_follows_the_prior_within),
        cmocka_unit_test(a_border_tells_what_was_cut_off),
        cmocka_unit_test(estimators_of_a_region_are_densities_of_theta),
        cmocka_unit_test(ratios_make_no_region),
        cmocka_unit_test_setup_teardown(places_and_values_are_inverse, settle,
                                        follow),
        cmocka_unit_test_setup_teardown(regions_hold_what_they_say, settle,
                                        follow),
        cmocka_unit_test_setup_teardown(draws_follow_the_prior_within, settle,
                                        follow),
        cmocka_unit_test_setup_teardown(
            estimators_of_a_region_are_densities_of_theta, settle, follow),
        cmocka_unit_test_setup_teardown(sets_lean_where_parameters_do, settle,
                                        follow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
