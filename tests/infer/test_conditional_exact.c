/* Conditional densities of one parameter against exact posteriors: priors with
   one bound, two and none, a posterior with two modes, x that counts, and values
   far out. (Gaussians of many are in slow_conditional_gaussian.c.)

   Tolerances are about twice what was found with the seeds given here; nothing
   depends on chance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/density.h"
#include "made.h"
#include "support.h"

static double drawn[1000];

static const char *name_task(const char *prior)
{
    static char text[200];

    snprintf(text, sizeof text, "parameters: {p: \"%s\"}\nobservable: [1]\n",
             prior);
    return text;
}

/* ---- one parameter and any prior ---- */

static int add_noise(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + 0.5 * bnre_rng_normal(rng);
    return 0;
}

/* So much that x five prior standard deviations out is nothing special. */
static int add_much(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = theta[0] + 5 * bnre_rng_normal(rng);
    return 0;
}

/* Only |theta| is seen. */
static int hide_sign(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = fabs(theta[0]) + 0.3 * bnre_rng_normal(rng);
    return 0;
}

/* Of four throws with the probability theta. */
static int count_hits(bnre_rng *rng, const double *theta, double *x)
{
    x[0] = 0;
    for (int i = 0; i < 4; i++)
        x[0] += bnre_rng_uniform(rng) < theta[0];
    return 0;
}

static double normal_at(double v, double sd)
{
    return exp(-0.5 * v * v / (sd * sd)) / sd;
}

static double likelihood_of(int (*simulate)(bnre_rng *, const double *,
                                            double *),
                            double theta, double x)
{
    if (simulate == add_noise)
        return normal_at(x - theta, 0.5);
    if (simulate == add_much)
        return normal_at(x - theta, 5);
    if (simulate == hide_sign)
        return normal_at(x - fabs(theta), 0.3);
    return pow(theta, x) * pow(1 - theta, 4 - x);
}

/* Quantile p_k of the prior, k of N in the middle of equal masses; where the
   mass of q and the exact posterior lie among these. */
enum { NODES = 4000 };

static void compare_line(const made *of, size_t n, const double *observed,
                         double most)
{
    bnre_train_opts opts = made_opts(of, made_data(of, "line.csv", 2048, 12));
    static double theta[NODES], l[NODES];
    bnre_estimator *est;
    bnre_density q;
    void *session;

    opts.method = BNRE_METHOD_BNPE;
    opts.epochs = 60;
    opts.members = 2;
    est = made_train(&opts, NULL);
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    for (size_t k = 0; k < NODES; k++)
        theta[k] = bnre_prior_quantile(q.prior, 0, ((double)k + 0.5) / NODES);
    assert_ok(q.open(q.context, &session));
    for (size_t i = 0; i < n; i++) {
        double mass = 0, exact = 0, distance = 0, ours = 0, theirs = 0;

        assert_ok(q.observe(session, &observed[i]));
        assert_ok(q.log_ratio(session, NODES, theta, l, NULL));
        for (size_t k = 0; k < NODES; k++) {
            mass += exp(l[k]) / NODES;
            exact += likelihood_of(of->simulate, theta[k], observed[i]) / NODES;
        }
        for (size_t k = 0; k < NODES; k++) {
            ours += exp(l[k]) / NODES;
            theirs += likelihood_of(of->simulate, theta[k], observed[i]) /
                      NODES / exact;
            distance = fmax(distance, fabs(ours - theirs));
        }
        /* Nodes of equal prior mass: the rule of midpoints. */
        assert_close(mass, 1, 1e-4);
        assert_true(distance < most);
    }
    q.close(session);
    bnre_estimator_close(est);
}

static void every_kind_of_prior_has_its_posterior(void **state)
{
    static const struct {
        const char *prior;
        double x[3];
    } kind[] = {{"uniform(-1, 2)", {-1, 0.5, 2.2}},
                {"exponential(1)", {0, 0.7, 2}},
                {"normal(0, 1)", {-1.5, 0, 1}}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const made of = {name_task(kind[i].prior), 1, 1, add_noise, NULL};

        compare_line(&of, 3, kind[i].x, 0.1);
    }
}

static void two_modes_stay_two(void **state)
{
    static const double x[] = {0.2, 0.8, 1.6};
    const made of = {name_task("uniform(-2, 2)"), 1, 1, hide_sign, NULL};

    (void)state;
    compare_line(&of, 3, x, 0.1);
}

static void x_may_count(void **state)
{
    static const double x[] = {0, 1, 2, 3, 4};
    const made of = {name_task("uniform(0, 1)"), 1, 1, count_hits, NULL};

    (void)state;
    compare_line(&of, 5, x, 0.08);
}

/* ---- values far out ---- */

/* x = 5 where theta ~ N(0, 1): under much noise the posterior is exact; under
   little (0.5), where no simulation came near, it is N(4, 0.45^2), and networks
   that saw nothing beyond 3.5 lead to about 3, as wide as elsewhere. */
static void an_observation_is_five_standard_deviations_out(void **state)
{
    static const double x[] = {-5, 5};
    const made much = {name_task("normal(0, 1)"), 1, 1, add_much, NULL};
    made little = much;
    bnre_train_opts opts;
    bnre_estimator *est;
    bnre_density q;
    void *session;

    (void)state;
    compare_line(&much, 2, x, 0.1);
    little.simulate = add_noise;
    opts = made_opts(&little, made_data(&little, "five.csv", 2048, 13));
    opts.method = BNRE_METHOD_BNPE;
    opts.epochs = 60;
    opts.members = 2;
    est = made_train(&opts, NULL);
    q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(q.open(q.context, &session));
    for (size_t k = 0; k < 2; k++) {
        double mean = 0, variance = 0;

        assert_ok(q.observe(session, &x[k]));
        assert_ok(q.draw(session, 1, 0, 1000, drawn));
        for (size_t j = 0; j < 1000; j++)
            mean += drawn[j] / 1000;
        for (size_t j = 0; j < 1000; j++)
            variance += (drawn[j] - mean) * (drawn[j] - mean) / 1000;
        assert_close(mean * x[k] / 5, 3.2, 0.9);
        assert_close(sqrt(variance), 0.45, 0.25);
    }
    q.close(session);
    bnre_estimator_close(est);
}

/* An observation five prior standard deviations out, a truth on the bound and
   one far out in the tail give numbers, and no more than the prior allows. */
static void extremes_have_finite_numbers(void **state)
{
    static const char *const prior[] = {"uniform(-1, 2)", "exponential(1)",
                                        "normal(0, 1)"};
    static const double theta[][4] = {
        {-1, 2, 0.5, 1.999999}, {0, 40, 1e-12, 1}, {-9, 9, 0, 5}};
    static const double x[] = {-6, 6, 0, 1e6};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const made of = {name_task(prior[i]), 1, 1, add_noise, NULL};
        bnre_train_opts opts =
            made_opts(&of, made_data(&of, "far.csv", 1024, 13));
        double l[4], slope[4];
        bnre_estimator *est;
        bnre_density q;
        void *session;

        opts.members = 1;
        opts.epochs = 20;
        est = made_train(&opts, NULL);
        q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        assert_ok(q.open(q.context, &session));
        for (size_t k = 0; k < 4; k++) {
            assert_ok(q.observe(session, &x[k]));
            assert_ok(q.log_ratio(session, 4, theta[i], l, slope));
            for (size_t j = 0; j < 4; j++) {
                assert_true(isfinite(l[j]));
                assert_true(isfinite(slope[j]));
            }
            assert_ok(q.draw(session, 1, 0, 1000, drawn));
            for (size_t j = 0; j < 1000; j++) {
                assert_true(isfinite(drawn[j]));
                assert_true(bnre_prior_log_density(q.prior, &drawn[j]) >
                            -HUGE_VAL);
            }
        }
        q.close(session);
        bnre_estimator_close(est);
    }
}

/* Of twenty rows one is at the lower bound (or nine standard deviations out) and
   one at the upper (or far out in a tail). */
static const double ends[3][2] = {{-1, 2}, {0, 600}, {-9, 9}};
static size_t which;

static void draw_ends(bnre_rng *rng, double *theta)
{
    const size_t k = (size_t)bnre_rng_below(rng, 20);

    theta[0] = k < 2        ? ends[which][k]
               : which == 0 ? 3 * bnre_rng_uniform(rng) - 1
               : which == 1 ? -log(bnre_rng_open(rng))
                            : bnre_rng_normal(rng);
}

/* They are learned from, with a finite loss that is better than the prior's, and
   leave finite numbers everywhere. */
static void extremes_can_be_learned_from(void **state)
{
    static const char *const prior[] = {"uniform(-1, 2)", "exponential(1)",
                                        "normal(0, 1)"};

    (void)state;
    for (which = 0; which < 3; which++)
        for (int method = BNRE_METHOD_NPE; method <= BNRE_METHOD_BNPE;
             method++) {
            const made of = {name_task(prior[which]), 1, 1, add_noise,
                             draw_ends};
            bnre_train_opts opts =
                made_opts(&of, made_data(&of, "ends.csv", 512, 14));
            bnre_train_result result;
            bnre_estimator *est;
            bnre_density q;
            void *session;

            opts.method = method;
            opts.members = 1;
            opts.epochs = 30;
            est = made_train(&opts, &result);
            assert_true(isfinite(result.loss) && result.loss < 0);
            q = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
            assert_ok(q.open(q.context, &session));
            for (size_t k = 0; k < 2; k++) {
                const double *x = &ends[which][k];
                double l[2];

                assert_ok(q.observe(session, x));
                assert_ok(q.log_ratio(session, 2, ends[which], l, NULL));
                assert_true(isfinite(l[0]) && isfinite(l[1]));
                assert_true(l[k] > l[1 - k]);
                assert_ok(q.draw(session, 1, 0, 1000, drawn));
                for (size_t j = 0; j < 1000; j++)
                    assert_true(isfinite(drawn[j]));
            }
            q.close(session);
            bnre_estimator_close(est);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_prior_has_its_posterior),
        cmocka_unit_test(two_modes_stay_two),
        cmocka_unit_test(x_may_count),
        cmocka_unit_test(an_observation_is_five_standard_deviations_out),
        cmocka_unit_test(extremes_have_finite_numbers),
        cmocka_unit_test(extremes_can_be_learned_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
