/* Tasks around external programs. */
#include <stdio.h>
#include <string.h>

#include "bnre/settings.h"
#include "bnre/task.h"
#include "support.h"
#include "task/simulator.h"

static const char full[] = "name: mine\n"
                           "parameters:\n"
                           "  rate: uniform(0, 10)\n"
                           "  scale: log_normal(0, 1)\n"
                           "nuisance: {drift: 'normal(0, 0.1)'}\n"
                           "observable: [2, 128]\n"
                           "simulator: {command: [./sim, -x], timeout: 2}\n";

static bnre_status create(const char *yaml, bnre_task **out)
{
    bnre_node *settings = NULL;
    bnre_status status = bnre_yaml_parse(yaml, "a.yaml", &settings);

    *out = NULL;
    if (status == BNRE_OK)
        status = bnre_task_create(settings, out);
    bnre_node_destroy(settings);
    return status;
}

static void everything_comes_from_the_settings(void **state)
{
    bnre_task *task = NULL;
    const size_t *shape;
    size_t ndim;

    (void)state;
    assert_ok(create(full, &task));
    assert_string_equal(bnre_task_name(task), "mine");
    assert_int_equal(bnre_prior_dim(bnre_task_prior(task)), 2);
    assert_string_equal(bnre_prior_name(bnre_task_prior(task), 1), "scale");
    assert_int_equal(bnre_prior_dim(bnre_task_nuisance(task)), 1);
    shape = bnre_task_observable(task, &ndim);
    assert_int_equal(ndim, 2);
    assert_int_equal(shape[1], 128);
    assert_int_equal(bnre_task_x_size(task), 256);
    assert_int_equal(bnre__task_simulator(task)->dim_theta, 2);
    assert_int_equal(bnre__task_simulator(task)->dim_nuisance, 1);
    bnre_task_destroy(task);
}

static void the_text_makes_an_equal_task(void **state)
{
    bnre_task *task = NULL, *again = NULL;

    (void)state;
    assert_ok(create(full, &task));
    assert_ok(create(bnre_task_text(task), &again));
    assert_string_equal(bnre_task_text(task), bnre_task_text(again));
    assert_non_null(strstr(bnre_task_text(task), "./sim"));
    assert_non_null(strstr(bnre_task_text(task), "drift"));
    bnre_task_destroy(again);
    bnre_task_destroy(task);
}

static void a_short_form_is_enough(void **state)
{
    bnre_task *task = NULL;
    size_t ndim;

    (void)state;
    assert_ok(create("{parameters: {a: 'uniform(0, 1)'}, observable: 3, "
                     "simulator: {command: [x]}}",
                     &task));
    assert_string_equal(bnre_task_name(task), "external");
    assert_int_equal(bnre_task_observable(task, &ndim)[0], 3);
    assert_int_equal(ndim, 1);
    assert_int_equal(bnre_prior_dim(bnre_task_nuisance(task)), 0);
    bnre_task_destroy(task);
}

static void it_has_no_likelihood(void **state)
{
    bnre_task *task = NULL;
    double theta[2] = {1, 1}, x[256] = {0}, value;

    (void)state;
    assert_ok(create(full, &task));
    assert_false(bnre_task_tractable(task));
    assert_fails(bnre_task_log_likelihood(task, theta, x, &value), BNRE_EINVAL,
                 "no tractable likelihood");
    bnre_task_destroy(task);
}

static void mistakes_are_named_with_their_place(void **state)
{
#define SIM "\nsimulator: {command: [x]}"
    static const struct {
        const char *yaml, *message;
    } wrong[] = {
        {"observable: 3" SIM, "parameters, ... priors"},
        {"parameters: {}\nobservable: 3" SIM, "a.yaml:1: parameters must be"},
        {"parameters: [a]\nobservable: 3" SIM, "a.yaml:1: parameters must be"},
        {"parameters: {a: [1]}\nobservable: 3" SIM,
         "a.yaml:1: ... a must be text"},
        {"parameters:\n  a: unform(0, 1)\nobservable: 3" SIM, "a.yaml:2: "},
        {"parameters: {a: 'fixed(1)'}" SIM, "observable, ... shape"},
        {"parameters: {a: 'fixed(1)'}\nobservable: 0" SIM, "a.yaml:2: "},
        {"parameters: {a: 'fixed(1)'}\nobservable: []" SIM, "a.yaml:2: "},
        {"parameters: {a: 'fixed(1)'}\nobservable: [[1]]" SIM,
         "a.yaml:2: ... x must be ... number"},
        {"parameters: {a: 'fixed(1)'}\nobservable: [1e9, 1e9, 1e9]" SIM,
         "too large"},
        {"parameters: {a: 'fixed(1)'}\nobservable: 3\nnuisance:\n  a: "
         "fixed(2)" SIM,
         "a.yaml:4: a ... parameter"},
        {"name: a/b\nparameters: {a: 'fixed(1)'}\nobservable: 3" SIM,
         "a.yaml:1: name must be"},
        {"options: {a: 1}\nparameters: {a: 'fixed(1)'}\nobservable: 3" SIM,
         "a.yaml:1: ... external ... options"},
        {"simulator:\n  timeout: 3\n  comand: [x]",
         "a.yaml:3: unknown setting \"comand\": did you mean \"command\"?"},
        {"simulator: {timeout: 3}", "a.yaml:1: ... simulator ... map"},
        {"simulator: [x]", "a.yaml:1: ... simulator ... map"},
        {"simulator: x", "a.yaml:1: ... simulator ... map"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bnre_task *task = NULL;

        assert_fails(create(wrong[i].yaml, &task), BNRE_EUSAGE,
                     wrong[i].message);
        assert_null(task);
    }
}

static bnre_status make_one(void *arg)
{
    bnre_task *task = NULL;
    bnre_status status = bnre_task_create(arg, &task);

    bnre_task_destroy(task);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    bnre_node *settings = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse(full, "a.yaml", &settings));
    assert_survives_lack_of_memory(make_one, settings);
    bnre_node_destroy(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_from_the_settings),
        cmocka_unit_test(the_text_makes_an_equal_task),
        cmocka_unit_test(a_short_form_is_enough),
        cmocka_unit_test(it_has_no_likelihood),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
