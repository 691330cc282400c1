#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bnre/settings.h"
#include "bnre/task.h"
#include "support.h"
#include "task/simulator.h"

static bnre_status make(const char *yaml, bnre_task **out)
{
    bnre_node *settings = NULL;
    bnre_status status;

    *out = NULL;
    status = bnre_yaml_parse(yaml, "t.yaml", &settings);
    if (status == BNRE_OK)
        status = bnre_task_create(settings, out);
    bnre_node_destroy(settings);
    return status;
}

static void defaults_are_those_of_the_record(void **state)
{
    bnre_task *task = NULL;
    size_t ndim;

    (void)state;
    assert_ok(make("gaussian", &task));
    assert_string_equal(bnre_task_name(task), "gaussian");
    assert_int_equal(bnre_prior_dim(bnre_task_prior(task)), 2);
    assert_string_equal(bnre_prior_name(bnre_task_prior(task), 1), "theta_1");
    assert_string_equal(bnre_prior_text(bnre_task_prior(task), 1),
                        "normal(0, 1)");
    assert_int_equal(bnre_prior_dim(bnre_task_nuisance(task)), 0);
    assert_int_equal(bnre_task_observable(task, &ndim)[0], 2);
    assert_int_equal(ndim, 1);
    assert_int_equal(bnre_task_x_size(task), 2);
    bnre_task_destroy(task);
}

static void its_text_makes_the_same_task_again(void **state)
{
    bnre_task *task = NULL, *again = NULL;

    (void)state;
    assert_ok(make("name: gaussian\n"
                   "options: {dim: 3}\n"
                   "parameters: {theta_2: 'uniform(-1, 1/3)'}\n",
                   &task));
    assert_non_null(strstr(bnre_task_text(task), "uniform(-1, "));
    assert_ok(make(bnre_task_text(task), &again));
    assert_string_equal(bnre_task_text(task), bnre_task_text(again));
    bnre_task_destroy(again);
    bnre_task_destroy(task);
}

static void mistakes_are_named_with_their_place(void **state)
{
    static const struct {
        const char *yaml, *message;
    } wrong[] = {
        {"gausian", "t.yaml:1: unknown task \"gausian\": did you mean "
                    "\"gaussian\"?"},
        {"nonsense", "bnre tasks"},
        {"[gaussian]", "t.yaml:1: ... name or ... map"},
        {"options: {dim: 3}", "the key name"},
        {"name: gaussian\noption: {dim: 3}", "t.yaml:2: "},
        {"name: gaussian\noption: {dim: 3}", "\"options\""},
        {"name: gaussian\noptions: {dmi: 3}", "\"dim\""},
        {"name: gaussian\noptions: {dim: 0}", "dim must be"},
        {"name: gaussian\noptions: {dim: 1.5}",
         "dim ... whole number ... 1 or more, got 1.5"},
        {"name: gaussian\noptions: {dim: [1]}", "single value"},
        {"name: gaussian\noptions: 3", "must be a map"},
        {"name: gaussian\nparameters: {theta_7: 'normal(0, 1)'}", "theta_"},
        {"name: gaussian\nparameters:\n  theta_1: uniform(0 1)\n",
         "t.yaml:3: "},
        {"name: gaussian\nparameters: {theta_1: []}", "must be text"},
        {"name: gaussian\nparameters: 7", "must be a map"},
        {"name: gaussian\nobservable: [3]", "shape [2]"},
        {"name: gaussian\nobservable: 2", "shape [2]"},
        {"name: gaussian\nconstraint: theta_0 > theta_9",
         "t.yaml:2: constraint"},
        {"name: gaussian\nconstraint: {a: b}", "a constraint is text"},
        {"name: gaussian\nconstraint: []", "empty list"},
        {"name: gaussian\nparameters: {theta_0: samples}",
         "prior_samples: FILE"},
        {"name: gaussian\nprior_samples: p.txt", ".csv, .npy, .npz and .h5"},
        {"name: gaussian\nprior_samples: [1]", "the path of"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bnre_task *task = NULL;

        assert_fails(make(wrong[i].yaml, &task), BNRE_EUSAGE, wrong[i].message);
        assert_null(task);
    }
}

static void constraints_and_samples_shape_the_prior(void **state)
{
    const char *path = scratch_path("prior.csv");
    const char *const yaml = "name: gaussian\n"
                             "constraint: [theta_0 >= theta_1, theta_1 > 0]\n";
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    bnre_task *task = NULL, *again = NULL;
    FILE *file = fopen(path, "w");
    char text[512];
    double theta[2];

    (void)state;
    assert_ok(make(yaml, &task));
    bnre_prior_draw(bnre_task_prior(task), &rng, theta);
    assert_true(theta[0] >= theta[1] && theta[1] > 0);
    assert_ok(make(bnre_task_text(task), &again));
    assert_string_equal(bnre_task_text(task), bnre_task_text(again));
    bnre_task_destroy(again);
    bnre_task_destroy(task);

    assert_non_null(file);
    fputs("theta_1,theta_0\n1,10\n2,20\n", file); /* columns by name */
    fclose(file);
    snprintf(text, sizeof text, "name: gaussian\nprior_samples: %s\n", path);
    assert_ok(make(text, &task));
    bnre_prior_draw(bnre_task_prior(task), &rng, theta);
    assert_true(theta[0] == 10 * theta[1]);
    assert_ok(make(bnre_task_text(task), &again));
    assert_string_equal(bnre_task_text(task), bnre_task_text(again));
    bnre_task_destroy(again);

    /* A task remembers which samples it was made with. */
    file = fopen(path, "a");
    assert_non_null(file);
    fputs("3,30\n", file);
    fclose(file);
    assert_fails(make(bnre_task_text(task), &again), BNRE_EUSAGE,
                 "have changed");
    bnre_task_destroy(task);
}

/* ---- a record of the test's own, with every kind of outcome ---- */

static bnre_draw create_odd(const bnre_plugin_value *options, void **own,
                            char *reason)
{
    static int token;

    if (options[0].choice == 1) {
        snprintf(reason, BNRE_REASON_SIZE, "no licence");
        return BNRE_DRAW_STOP;
    }
    *own = &token;
    return BNRE_DRAW_OK;
}

static void destroy_odd(void *own)
{
    (void)own;
}

static bnre_draw draw_odd(void *own, bnre_rng *rng, const double *theta,
                          const double *nuisance, double *x, char *reason)
{
    (void)own;
    (void)rng;
    x[0] = x[1] = theta[0] + nuisance[0];
    if (theta[0] == 1) {
        snprintf(reason, BNRE_REASON_SIZE, "no\nroot");
        return BNRE_DRAW_INVALID;
    }
    if (theta[0] == 2)
        return BNRE_DRAW_LOST;
    if (theta[0] == 3)
        x[1] = INFINITY;
    if (theta[0] == 4)
        x[1] = 1e39;
    if (theta[0] == 5) {
        snprintf(reason, BNRE_REASON_SIZE, "table missing");
        return BNRE_DRAW_STOP;
    }
    return BNRE_DRAW_OK;
}

static const bnre_plugin odd = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "odd",
    .parameters =
        (const bnre_plugin_parameter[]){{"a", "normal(0, 1)", NULL}, {0}},
    .nuisance = (const bnre_plugin_parameter[]){{"b", "fixed(10)", NULL}, {0}},
    .options =
        (const bnre_plugin_option[]){{"start", "well", "well|badly", ""}, {0}},
    .observable = "1, 2",
    .create = create_odd,
    .draw = draw_odd,
    .destroy = destroy_odd,
};

static void outcomes_of_rows_are_recorded(void **state)
{
    static const double theta[] = {0, 1, 2, 3, 4, 0}, stop[] = {0, 5};
    static const double nuisance[] = {10, 10, 10, 10, 10, 10};
    static const uint8_t expected[] = {BNRE_DRAW_OK,      BNRE_DRAW_INVALID,
                                       BNRE_DRAW_LOST,    BNRE_DRAW_INVALID,
                                       BNRE_DRAW_INVALID, BNRE_DRAW_OK};
    static const char *const reasons[] = {
        "", "no root", "no reason given", "x ... not finite", "x ... too large",
        ""};
    const bnre__simulator *simulator;
    bnre_task *task = NULL;
    float x[12];
    uint8_t outcome[6];
    char reason[6][BNRE_REASON_SIZE];
    bnre__batch batch = {.n = 6,
                         .theta = theta,
                         .nuisance = nuisance,
                         .x = x,
                         .status = outcome,
                         .reason = reason};
    void *session = NULL;

    (void)state;
    assert_ok(bnre_task_create_plugin(&odd, NULL, &task));
    simulator = bnre__task_simulator(task);
    assert_ok(simulator->kind->open(simulator, &session));
    assert_ok(simulator->kind->run(simulator, session, &batch));
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(outcome[i], expected[i]);
        assert_true(is_told(reason[i], reasons[i]));
        assert_true(outcome[i] == BNRE_DRAW_OK
                        ? x[2 * i + 1] == 10
                        : isnan(x[2 * i]) && isnan(x[2 * i + 1]));
    }
    batch.n = 2;
    batch.row = 40;
    batch.theta = stop;
    assert_fails(simulator->kind->run(simulator, session, &batch), BNRE_ESIM,
                 "odd stopped ... row 41: table missing");
    simulator->kind->close(simulator, session);
    assert_false(bnre_task_tractable(task));
    assert_fails(bnre_task_log_likelihood(task, theta, theta, &(double){0}),
                 BNRE_EINVAL, "no tractable likelihood");
    bnre_task_destroy(task);
}

static void a_simulator_that_cannot_start_says_why(void **state)
{
    bnre_node *settings = NULL;
    bnre_task *task = NULL;
    void *session = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse("options: {start: badly}", NULL, &settings));
    assert_ok(bnre_task_create_plugin(&odd, settings, &task));
    assert_fails(bnre__task_simulator(task)->kind->open(
                     bnre__task_simulator(task), &session),
                 BNRE_ESIM, "no licence");
    bnre_task_destroy(task);
    bnre_node_destroy(settings);
}

static void broken_records_are_refused(void **state)
{
    bnre_plugin bad = odd;
    bnre_task *task = NULL;

    (void)state;
    bad.abi = 99;
    assert_fails(bnre_task_create_plugin(&bad, NULL, &task), BNRE_EUSAGE,
                 "ABI 99");
    bad = odd;
    bad.draw = NULL;
    assert_fails(bnre_task_create_plugin(&bad, NULL, &task), BNRE_EUSAGE,
                 "draw function");
    bad = odd;
    bad.destroy = NULL;
    assert_fails(bnre_task_create_plugin(&bad, NULL, &task), BNRE_EUSAGE,
                 "go together");
    for (int i = 0; i < 4; i++) {
        static const char *const shapes[] = {"", "1 2", "grid", "0"};

        bad = odd;
        bad.observable = shapes[i];
        assert_int_equal(bnre_task_create_plugin(&bad, NULL, &task),
                         BNRE_EUSAGE);
        assert_null(task);
    }
}

static bnre_status make_and_run(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL;
    double one[2] = {0, 0}, out;

    (void)arg;
    BNRE_TRY(
        make("name: gaussian\nparameters: {theta_0: 'normal(0, 2)'}", &task));
    BNRE_TRY(bnre_task_log_likelihood(task, one, one, &out));
done:
    bnre_task_destroy(task);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(make_and_run, NULL);
}

static void command_line_options_win_over_the_file(void **state)
{
    const char *path = scratch_path("task.yaml");
    const char *const option[] = {"dim=4"}, *const bad[] = {"dim"};
    FILE *file = fopen(path, "w");
    bnre_task *task = NULL;

    (void)state;
    assert_non_null(file);
    fputs("task:\n  name: gaussian\n  options: {dim: 3}\n", file);
    fclose(file);
    assert_ok(bnre_task_open(path, 0, NULL, &task));
    assert_int_equal(bnre_task_x_size(task), 3);
    bnre_task_destroy(task);
    assert_ok(bnre_task_open(path, 1, option, &task));
    assert_int_equal(bnre_task_x_size(task), 4);
    bnre_task_destroy(task);
    assert_ok(bnre_task_open("gaussian", 1, option, &task));
    assert_int_equal(bnre_task_x_size(task), 4);
    bnre_task_destroy(task);
    assert_fails(bnre_task_open("gaussian", 1, bad, &task), BNRE_EUSAGE,
                 "key=value");
    assert_fails(bnre_task_open("absent.yaml", 0, NULL, &task), BNRE_EIO,
                 "absent.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_record),
        cmocka_unit_test(its_text_makes_the_same_task_again),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(constraints_and_samples_shape_the_prior),
        cmocka_unit_test(outcomes_of_rows_are_recorded),
        cmocka_unit_test(a_simulator_that_cannot_start_says_why),
        cmocka_unit_test(broken_records_are_refused),
        cmocka_unit_test(lack_of_memory_is_reported),
        cmocka_unit_test(command_line_options_win_over_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
