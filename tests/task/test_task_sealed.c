/* Tasks that are described: all that settings tell, and nothing is run. */
#include <string.h>

#include "base/mem.h"
#include "bnre/dataset.h"
#include "bnre/settings.h"
#include "bnre/task.h"
#include "io/file.h"
#include "support.h"

static bnre_task *described(const char *text)
{
    bnre_node *node = NULL;
    bnre_task *task = NULL;

    assert_ok(bnre_yaml_parse(text, NULL, &node));
    assert_ok(bnre_task_describe(node, &task));
    bnre_node_destroy(node);
    return task;
}

static void assert_does_not_run(bnre_task *task)
{
    const char *path = scratch_path("sealed.h5");
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    assert_false(bnre_task_runs(task));
    assert_false(bnre_task_tractable(task));
    opts.count = 3;
    assert_fails(bnre_simulate(task, &opts, path, NULL), BNRE_EUSAGE,
                 "never run");
    assert_false(bnre__file_exists(path));
    assert_false(bnre__file_exists(scratch_path("sealed.h5.part")));
}

/* As datasets record it; there is no such file. */
static const char recorded[] = "name: spy\n"
                               "simulator:\n"
                               "  plugin: ./nowhere/libspy.so\n"
                               "options:\n"
                               "  bins: 24\n"
                               "constraint:\n"
                               "  - a > 0.1\n"
                               "parameters:\n"
                               "  a: uniform(0, 1)\n"
                               "nuisance:\n"
                               "  b: normal(0, 1)\n"
                               "observable:\n"
                               "  - 2\n"
                               "  - 24\n";

static void a_recorded_plugin_tells_all_but_does_not_run(void **state)
{
    bnre_task *task = described(recorded);
    size_t ndim;

    (void)state;
    assert_true(bnre_task_known(task));
    assert_string_equal(bnre_task_text(task), recorded);
    assert_string_equal(bnre_task_name(task), "spy");
    assert_int_equal(bnre_prior_dim(bnre_task_prior(task)), 1);
    assert_int_equal(bnre_prior_dim(bnre_task_nuisance(task)), 1);
    assert_int_equal(bnre_task_observable(task, &ndim)[1], 24);
    assert_int_equal(bnre_task_x_size(task), 48);
    assert_does_not_run(task);
    bnre_task_destroy(task);
}

static void a_program_is_described_and_does_not_run(void **state)
{
    bnre_task *task = described("parameters: {a: \"normal(0, 1)\"}\n"
                                "observable: [1]\n"
                                "simulator: {command: [sh, -c, exit]}\n");

    (void)state;
    assert_true(bnre_task_known(task));
    assert_does_not_run(task);
    bnre_task_destroy(task);
}

static void what_only_a_plugin_tells_is_not_known(void **state)
{
    bnre_task *task = described("simulator: {plugin: dir/libdecay.so}\n"
                                "parameters: {half_life: \"uniform(1, 9)\"}\n");

    (void)state;
    assert_false(bnre_task_known(task));
    assert_false(bnre_task_runs(task));
    assert_string_equal(bnre_task_name(task), "decay");
    assert_int_equal(bnre_prior_dim(bnre_task_prior(task)), 0);
    assert_non_null(strstr(bnre_task_text(task), "half_life"));
    bnre_task_destroy(task);
}

static void built_in_tasks_are_whole(void **state)
{
    bnre_task *task = described("name: gaussian\noptions: {dim: 3}\n");
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    (void)state;
    assert_true(bnre_task_known(task));
    assert_true(bnre_task_runs(task));
    opts.count = 3;
    assert_ok(bnre_simulate(task, &opts, scratch_path("gaussian.h5"), NULL));
    bnre_task_destroy(task);
}

static void mistakes_are_told(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"simulator: {plugin: [a]}\n", "plugin ... shared object"},
        {"simulator: {plugin: ./a.so, plugged: 1}\n", "plugged"},
        {"simulator: {plugin: ./a.so}\nparameter: {a: 1}\n", "parameters"},
        {"simulator: {plugin: ./a.so}\nparameters: {a: nonsense(1)}\n"
         "observable: [1]\n",
         "nonsense"},
        {"simulator: {command: [a]}\nobservable: [1]\n", "parameters"},
        {"name: gausian\n", "gaussian"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bnre_node *node = NULL;
        bnre_task *task = NULL;

        assert_ok(bnre_yaml_parse(wrong[i].text, "a.yaml", &node));
        assert_fails(bnre_task_describe(node, &task), BNRE_EUSAGE,
                     wrong[i].message);
        assert_null(task);
        bnre_node_destroy(node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorded_plugin_tells_all_but_does_not_run),
        cmocka_unit_test(a_program_is_described_and_does_not_run),
        cmocka_unit_test(what_only_a_plugin_tells_is_not_known),
        cmocka_unit_test(built_in_tasks_are_whole),
        cmocka_unit_test(mistakes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
