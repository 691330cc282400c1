/* The key `transform` of tasks, and tasks read without their simulator. */
#include <string.h>

#include "bnre/settings.h"
#include "support.h"
#include "task/outline.h"

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

#define MINE                                                                   \
    "parameters: {rate: 'log_uniform(1, 9)', shift: 'normal(0, 1)', size: "    \
    "'uniform(0, 2)'}\nobservable: [2, 3]\nsimulator: {command: [x]}\n"

static void transforms_are_kept_in_the_text(void **state)
{
    static const char *const tasks[] = {
        MINE "transform: {x: log, size: log, shift: none, rate: log}\n",
        "{name: mg1, transform: {x: log, arrival_rate: log}}",
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bnre_task *task = NULL, *again = NULL;
        bnre__outline outline = {0};

        assert_ok(create(tasks[i], &task));
        assert_non_null(strstr(bnre_task_text(task), "x: log"));
        assert_null(strstr(bnre_task_text(task), "shift: log"));
        assert_ok(create(bnre_task_text(task), &again));
        assert_string_equal(bnre_task_text(task), bnre_task_text(again));
        assert_ok(
            bnre__outline_read(&outline, bnre_task_text(task), NULL, NULL));
        assert_true(outline.transform.log_x);
        assert_int_equal(outline.transform.log_theta[0], i == 0);
        assert_int_equal(outline.transform.log_theta[1], 0);
        assert_int_equal(outline.transform.log_theta[2], 1);
        bnre__outline_clear(&outline);
        bnre_task_destroy(again);
        bnre_task_destroy(task);
    }
}

static void a_task_without_transforms_says_nothing_of_them(void **state)
{
    bnre_task *task = NULL;

    (void)state;
    assert_ok(create(MINE "transform: {shift: none}\n", &task));
    assert_null(strstr(bnre_task_text(task), "transform"));
    bnre_task_destroy(task);
}

static void mistakes_are_told_with_their_line(void **state)
{
    static const struct {
        const char *yaml, *says;
    } cases[] = {
        {MINE "transform: log\n", "a.yaml:4: transform ... map"},
        {MINE "transform: {rte: log}\n",
         "a.yaml:4: unknown setting \"rte\": did you mean \"rate\"?"},
        {MINE "transform: {rate: log10}\n",
         "a.yaml:4: ... rate ... log or none"},
        {MINE "transform: {x: [log]}\n", "a.yaml:4: ... x must be"},
        {MINE "transform: {shift: log}\n",
         "shift ... logarithm ... normal(0, 1) ... -inf"},
        {"{name: slcp, transform: {theta_0: log}}",
         "prior uniform(-3, 3) begins at -3"},
        {"{name: slcp, transfrom: {x: log}}", "did you mean \"transform\"?"},
        {"{parameters: {x: 'uniform(0, 1)'}, observable: 2, simulator: "
         "{command: [c]}, transform: {x: log}}",
         "x ... observable ... parameter"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre_task *task = NULL;

        assert_fails(create(cases[i].yaml, &task), BNRE_EUSAGE, cases[i].says);
        assert_null(task);
    }
}

/* Draws of 0 are possible in a table, not in a family. */
static void a_table_that_touches_0_has_no_logarithm(void **state)
{
    static const char text[] =
        "{parameters: {a: samples}, observable: [1], prior_samples: {file: t}, "
        "transform: {a: log}}";
    const double good[] = {1, 2, 3}, bad[] = {1, 0, 3};
    bnre__outline outline = {0};

    (void)state;
    assert_ok(
        bnre__outline_read(&outline, text, NULL, &(bnre__draws){3, 1, good}));
    bnre__outline_clear(&outline);
    assert_fails(
        bnre__outline_read(&outline, text, NULL, &(bnre__draws){3, 1, bad}),
        BNRE_EUSAGE, "begins at 0, not above 0");
    bnre__outline_clear(&outline);
}

static void an_outline_is_the_task_without_its_simulator(void **state)
{
    static const char text[] =
        "name: far\nsimulator: {plugin: ./gone.so}\n"
        "parameters: {a: 'uniform(0, 1)', b: 'uniform(0, 1)'}\n"
        "nuisance: {c: 'normal(0, 1)'}\nconstraint: [a > b]\n"
        "observable: [3, 4]\n";
    bnre__outline outline = {0};
    const double in[] = {0.7, 0.2}, out[] = {0.2, 0.7};

    (void)state;
    assert_ok(bnre__outline_read(&outline, text, "f.h5", NULL));
    assert_string_equal(outline.name, "far");
    assert_int_equal(bnre_prior_dim(outline.prior), 2);
    assert_int_equal(outline.x_size, 12);
    assert_close(bnre_prior_log_density(outline.prior, in), 0.693, 0.02);
    assert_true(bnre_prior_log_density(outline.prior, out) < -1e300);
    bnre__outline_clear(&outline);
}

static void texts_that_are_no_task_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "needs parameters"},
        {"slcp", "needs parameters"},
        {"[1]", "needs parameters"},
        {"{parameters: {a: 'normal(0)'}, observable: 1}", "normal"},
        {"{parameters: {a: samples}, observable: 1}", "samples need a file"},
        {"{parameters: {a: samples}, observable: 1, prior_samples: none.csv}",
         "none.csv"},
        {"{parameters: {a: 'normal(0, 1)'}, observable: [1e9, 1e9, 1e9]}",
         "too large"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre__outline outline = {0};
        bnre_status status =
            bnre__outline_read(&outline, cases[i].text, "f.h5", NULL);

        assert_true(status == BNRE_EUSAGE || status == BNRE_EIO);
        assert_non_null(strstr(bnre_error_message(), cases[i].says));
        bnre__outline_clear(&outline);
    }
}

static void draws_of_another_width_are_refused(void **state)
{
    static const char text[] = "{parameters: {a: samples, b: samples}, "
                               "observable: 1, prior_samples: {file: t}}";
    const double value[] = {1, 2, 3, 4};
    bnre__outline outline = {0};

    (void)state;
    assert_fails(
        bnre__outline_read(&outline, text, NULL, &(bnre__draws){4, 1, value}),
        BNRE_EUSAGE, "1 columns ... 2 parameters");
    bnre__outline_clear(&outline);
    assert_fails(bnre__outline_read(&outline, text, NULL, &(bnre__draws){0}),
                 BNRE_EUSAGE, "2 samples or more");
    bnre__outline_clear(&outline);
}

static bnre_status read_outline(void *arg)
{
    bnre__outline outline = {0};
    bnre_status status = bnre__outline_read(&outline, arg, "f.h5", NULL);

    bnre__outline_clear(&outline);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    char text[] = MINE "transform: {x: log, size: log}\n";

    (void)state;
    assert_survives_lack_of_memory(read_outline, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_kept_in_the_text),
        cmocka_unit_test(a_task_without_transforms_says_nothing_of_them),
        cmocka_unit_test(mistakes_are_told_with_their_line),
        cmocka_unit_test(a_table_that_touches_0_has_no_logarithm),
        cmocka_unit_test(an_outline_is_the_task_without_its_simulator),
        cmocka_unit_test(texts_that_are_no_task_are_refused),
        cmocka_unit_test(draws_of_another_width_are_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
