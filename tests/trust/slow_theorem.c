/* The inequalities for trained classifiers, NRE and BNRE, on tasks whose
   likelihood is known. Three standard errors for three claims: a false alarm
   once in 200 per classifier. */
#include "bnre/certificate.h"
#include "bnre/estimator.h"
#include "support.h"
#include "training.h"
#include "trust/theorem.h"

static void check(const char *task, double lambda, size_t pairs)
{
    bnre_train_opts opts = bnre_train_opts_default();
    const char *path = scratch_path("est.h5");
    bnre_estimator *est = NULL;
    bnre_dataset *test = NULL;
    bnre_density density;
    bnre_theorem t;

    opts.data = training_data("train.h5", task, 1024, BNRE_SPLIT_TRAIN);
    opts.method = BNRE_METHOD_BNRE;
    opts.lambda = lambda;
    opts.epochs = 60;
    opts.force = 1;
    assert_ok(bnre_train(&opts, path, NULL));
    assert_ok(bnre_estimator_open(path, &est));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    assert_ok(bnre_dataset_open(
        training_data("test.h5", task, pairs, BNRE_SPLIT_TEST), &test));
    assert_ok(
        bnre__theorem_check_dataset(NULL, &density, test, pairs, NULL, &t));
    print_message("%s, lambda %g: B %.3f +- %.3f (exact %.3f +- %.3f), gaps "
                  "%.4f +- %.4f, %.4f +- %.4f\n",
                  task, lambda, t.balance.mean, t.balance.error,
                  t.exact_balance.mean, t.exact_balance.error, t.joint_gap.mean,
                  t.joint_gap.error, t.marginal_gap.mean, t.marginal_gap.error);
    assert_true(t.holds);
    bnre_dataset_close(test);
    bnre_estimator_close(est);
}

static void they_hold_on_gaussian(void **state)
{
    (void)state;
    check("gaussian", 0, 400);
    check("gaussian", 100, 400);
}

static void they_hold_on_weinberg(void **state)
{
    (void)state;
    check("weinberg", 0, 400);
    check("weinberg", 100, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_hold_on_gaussian),
        cmocka_unit_test(they_hold_on_weinberg),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
