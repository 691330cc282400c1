/* What theory says of every classifier, on the task gaussian. */
#include <math.h>
#include <string.h>

#include "bnre/certificate.h"
#include "bnre/settings.h"
#include "densities.h"
#include "pairs.h"
#include "support.h"
#include "trust/theorem.h"

static bnre_task *gaussian(size_t dim)
{
    bnre_node *node = NULL;
    bnre_task *task = NULL;

    assert_ok(bnre_yaml_parse(dim == 1 ? "{name: gaussian, options: {dim: 1}}"
                                       : "{name: gaussian, options: {dim: 2}}",
                              NULL, &node));
    assert_ok(bnre_task_create(node, &task));
    bnre_node_destroy(node);
    return task;
}

/* The exact ratio, multiplied and shifted: a classifier too sure of itself or
   out of balance. */
struct twisted {
    bnre_density exact;
    double factor, shift;
};

static bnre_status observe(void *session, const double *x)
{
    struct twisted *t = session;

    return t->exact.observe(t->exact.context, x);
}

static bnre_status log_ratio(void *session, size_t n, const double *theta,
                             double *out, double *gradient)
{
    struct twisted *t = session;
    bnre_status status =
        t->exact.log_ratio(t->exact.context, n, theta, out, gradient);

    for (size_t i = 0; i < n; i++)
        out[i] = t->factor * out[i] + t->shift;
    return status;
}

/* `off` is added to what the first pair observed. */
static bnre_theorem check_off(double factor, double shift, size_t n, double off)
{
    bnre_task *task = gaussian(1);
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    struct twisted twisted = {gaussian_density(prior), factor, shift};
    const bnre_density density = {.prior = prior,
                                  .x_size = 1,
                                  .context = &twisted,
                                  .observe = observe,
                                  .log_ratio = log_ratio};
    pairs p = pairs_gaussian(n, 1, 1, 17);
    bnre_theorem theorem;
    void *session = NULL;

    p.x[0] += off;
    if (twisted.exact.open != NULL) {
        assert_ok(twisted.exact.open(twisted.exact.context, &session));
        twisted.exact.context = session;
    }
    assert_ok(
        bnre__theorem_check(task, &density, n, p.theta, p.x, NULL, &theorem));
    if (session != NULL && twisted.exact.close != NULL)
        twisted.exact.close(session);
    pairs_free(&p);
    bnre_prior_destroy(prior);
    bnre_task_destroy(task);
    return theorem;
}

static bnre_theorem check(double factor, double shift, size_t n)
{
    return check_off(factor, shift, n, 0);
}

/* Log ratios of joint pairs are hardly ever below -30: something happened to
   x. */
static void impossible_pairs_are_left_out(void **state)
{
    const bnre_theorem possible = check_off(1, 0, 300, 3);
    const bnre_theorem impossible = check_off(1, 0, 300, 60);

    (void)state;
    assert_int_equal(possible.left_out, 0);
    assert_int_equal(impossible.left_out, 1);
    assert_int_equal(impossible.n, 299);
    assert_true(impossible.holds);
}

static void the_exact_classifier_is_balanced_and_ties(void **state)
{
    const bnre_theorem t = check(1, 0, 800);

    (void)state;
    assert_true(t.holds);
    assert_true(t.exact_balance.error < 0.03);
    assert_close(t.exact_balance.mean, 1, 3 * t.exact_balance.error);
    assert_close(t.balance.mean, t.exact_balance.mean, 1e-4);
    assert_close(t.joint.mean, 0, 1e-4);
    assert_close(t.marginal.mean, 0, 1e-4);
}

/* They hold for every classifier; the gap of a wrong one is positive. */
static void the_inequalities_hold_for_wrong_ones(void **state)
{
    static const double twist[][2] = {
        {3, 0}, {0.2, 0}, {1, 2}, {1, -2}, {0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof twist / sizeof *twist; i++) {
        const bnre_theorem t = check(twist[i][0], twist[i][1], 500);

        assert_true(t.holds);
        assert_true(t.joint_gap.mean > -3 * t.joint_gap.error);
        if (twist[i][1] > 0)
            assert_true(t.balance.mean > 1.2);
        if (twist[i][1] < 0)
            assert_true(t.balance.mean < 0.8);
    }
}

/* A balanced classifier is less sure than the exact one: too sure, and it is
   out of balance or breaks the inequality; here log B makes up for it. */
static void without_its_balance_the_bound_would_fail(void **state)
{
    const bnre_theorem t = check(1, 2, 800);

    (void)state;
    assert_true(t.joint.mean < -3 * t.joint.error); /* below 0, */
    assert_true(t.holds);                           /* but above -log B */
}

static void errors_are_told(void **state)
{
    bnre_prior *prior = prior_of(1, "normal(0, 1)");
    const bnre_density density = gaussian_density(prior);
    bnre_task *task = NULL;
    pairs p = pairs_gaussian(30, 1, 1, 1);
    bnre_theorem theorem;

    (void)state;
    assert_ok(bnre_task_open("mg1", 0, NULL, &task));
    assert_fails(
        bnre__theorem_check(task, &density, 30, p.theta, p.x, NULL, &theorem),
        BNRE_EUSAGE, "mg1 ... likelihood");
    bnre_task_destroy(task);
    task = gaussian(1);
    assert_fails(
        bnre__theorem_check(task, &density, 3, p.theta, p.x, NULL, &theorem),
        BNRE_EUSAGE, "too few");
    bnre_task_destroy(task);
    task = gaussian(2);
    assert_fails(
        bnre__theorem_check(task, &density, 30, p.theta, p.x, NULL, &theorem),
        BNRE_EUSAGE, "another task");
    bnre_task_destroy(task);
    pairs_free(&p);
    bnre_prior_destroy(prior);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_pairs_are_left_out),
        cmocka_unit_test(the_exact_classifier_is_balanced_and_ties),
        cmocka_unit_test(the_inequalities_hold_for_wrong_ones),
        cmocka_unit_test(without_its_balance_the_bound_would_fail),
        cmocka_unit_test(errors_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
