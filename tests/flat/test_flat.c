/* What bindings use: this file knows bnre/flat.h and nothing else of the
   library.
   threads: callbacks come from several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bnre/flat.h"
#include "support.h"

enum { ROWS = 400, DIM = 2, X = 2, DRAWS = 4000 };

static char *call(const char *verb, const char *settings)
{
    char *result = NULL;

    if (bnre_call(verb, settings, NULL, NULL, &result) != BNRE_OK)
        fail_msg("%s: %s", verb, bnre_error_message());
    assert_non_null(result);
    assert_non_null(strstr(result, "\"status\": \"ok\""));
    assert_non_null(strstr(result, "\"notes\": ["));
    return result;
}

static void has(const char *json, const char *part)
{
    if (!holds_facts(json, part))
        fail_msg("\"%s\" is not in %s", part, json);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A directory of its own with a dataset and two estimators. */
static int setup(void **state)
{
    static char path[] = "flat.XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(path));
    assert_int_equal(chdir(path), 0);
    write_file("net.yaml", "head: {hidden: [8, 8], activation: elu}\n");
    bnre_free(call("simulate", "{\"task\": \"gaussian\", \"count\": 400, "
                               "\"output\": \"a.h5\", \"option\": "
                               "{\"dim\": 2}}"));
    bnre_free(call("simulate", "task: gaussian\ncount: 60\nsplit: test\n"
                               "option: [dim=2]\noutput: test.h5\n"));
    bnre_free(call("train",
                   "data: a.h5\noutput: nre.h5\nmethod: nre\n"
                   "network: net.yaml\nepochs: 3\nmembers: 2\nthreads: 2\n"));
    bnre_free(call("train", "data: a.h5\noutput: npe.h5\nmethod: npe\n"
                            "network: net.yaml\nepochs: 3\nmembers: 1\n"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return system("rm -rf \"$PWD\"") != 0; /* it is the working directory */
}

/* ---- calls ---- */

static void a_call_gives_its_result_as_json(void **state)
{
    char *result = call("info", "file: nre.h5");

    (void)state;
    has(result, "\"kind\": \"estimator\"");
    has(result, "\"method\": \"nre\"");
    has(result, "\"name\": \"theta_0\"");
    bnre_free(result);
    result = call("train", "data: a.h5\noutput: nre.h5\nmethod: nre\n"
                           "network: net.yaml\nepochs: 3\nmembers: 2\n");
    has(result, "\"found\": true");
    has(result, "\"simulations\": 360");
    bnre_free(result);
    result = call("convert", "input: a.h5\noutput: a.npz");
    has(result, "\"format\": \"npz\"");
    has(result, "\"rows\": 400");
    bnre_free(result);
    result = call("tasks", NULL);
    has(result, "\"slcp\"");
    bnre_free(result);
    result = call("tasks", "task: gaussian");
    has(result, "\"tractable\": true");
    bnre_free(result);
    result = call("doctor", NULL);
    has(result, "\"found\": {");
    has(result, "\"supervisor\": \"/");
    has(result, "\"complete\": true");
    bnre_free(result);
    result = call("diagnose", "estimator: nre.h5\ndata: test.h5");
    has(result, "\"verdict\": \"");
    has(result, "\"coverage\"");
    bnre_free(result);
}

static void run_and_report_are_calls_too(void **state)
{
    char *result;

    (void)state;
    write_file("s.yaml", "task: gaussian\nmethod: nre\nsimulations: 64\ntest: "
                         "50\nbatch_size: 16\n"
                         "network: {head: {hidden: [4], activation: elu}}\n"
                         "epochs: 1\n");
    result = call("run", "study: s.yaml\noutput: s\nset: [repeats=2]\n");
    has(result, "\"runs\": 2");
    has(result, "\"repeat\": 2");
    bnre_free(result);
    result = call("report", "directory: s\nformat: svg");
    has(result, "\"done\": 2");
    bnre_free(result);
}

static void refuse(const char *verb, const char *settings, bnre_status code,
                   const char *words)
{
    char *result = "";

    assert_int_equal(bnre_call(verb, settings, NULL, NULL, &result), code);
    assert_null(result);
    has(bnre_error_message(), words);
}

static void settings_that_are_none_are_refused(void **state)
{
    (void)state;
    refuse("trian", NULL, BNRE_EUSAGE, "train");
    refuse("train", "daat: a.h5", BNRE_EUSAGE, "data");
    refuse("train", "data: [", BNRE_EUSAGE, "settings:");
    refuse("train", "data: missing.h5", BNRE_EIO, "missing.h5");
    refuse("posterior", "observation: a.h5:0", BNRE_EUSAGE,
           "estimator is needed");
    refuse("convert", "input: a.h5\noutput: a.npz", BNRE_EEXIST, "a.npz");
    assert_int_equal(bnre_exit_status(BNRE_OK), 0);
    assert_int_equal(bnre_exit_status(BNRE_EIO), 1);
    assert_int_equal(bnre_exit_status(BNRE_EUSAGE), 2);
    assert_int_equal(bnre_exit_status(BNRE_EDOUBT), 3);
    assert_int_equal(bnre_exit_status(BNRE_EINTR), 130);
}

static void every_verb_tells_its_settings(void **state)
{
    const char *verb;
    size_t n = 0;

    (void)state;
    for (; (verb = bnre_call_verb(n)) != NULL; n++) {
        char *list = NULL;

        assert_int_equal(bnre_call_options(verb, &list), BNRE_OK);
        has(list, "\"name\": \"threads\"");
        if (strcmp(verb, "train") == 0)
            has(list, "\"name\": \"batch_size\"");
        bnre_free(list);
    }
    assert_int_equal(n, 13);
}

static void a_result_in_doubt_is_given_all_the_same(void **state)
{
    char *result = NULL;

    (void)state;
    assert_int_equal(
        bnre_call("posterior",
                  "estimator: nre.h5\nobservation: test.h5:0\n"
                  "sampler: chain\nsteps: 4\nformat: svg\noutput: chain\n",
                  NULL, NULL, &result),
        BNRE_EDOUBT);
    has(bnre_error_message(), "R-hat ... not use");
    has(result, "\"status\": \"doubt\"");
    has(result, "\"converged\": false");
    bnre_free(result);
}

struct heard {
    size_t progress, note;
    int stop;
};

static int hear(void *user, const char *kind, const char *text, size_t done,
                size_t total)
{
    struct heard *heard = user;

    if (strcmp(kind, "note") == 0) {
        assert_non_null(text);
        heard->note++;
    }
    if (strcmp(kind, "progress") == 0) {
        assert_null(text);
        assert_true(done <= total);
        heard->progress++;
    }
    return heard->stop;
}

static void files_are_equal(const char *a, const char *b)
{
    char command[256];

    snprintf(command, sizeof command, "cmp %s %s", a, b);
    assert_int_equal(system(command), 0);
}

static void work_can_be_stopped_and_goes_on(void **state)
{
    const char *settings =
        "data: a.h5\noutput: again.h5\nmethod: nre\n"
        "network: net.yaml\nepochs: 3\nmembers: 2\nthreads: 2\n";
    struct heard heard = {.stop = 1};
    char *result = NULL;

    (void)state;
    assert_int_equal(bnre_call("train", settings, hear, &heard, &result),
                     BNRE_EINTR);
    assert_null(result);
    assert_true(heard.progress > 0);
    assert_int_not_equal(access("again.h5", F_OK), 0);
    heard.stop = 0;
    assert_int_equal(bnre_call("train", settings, hear, &heard, &result),
                     BNRE_OK);
    bnre_free(result);
    files_are_equal("nre.h5", "again.h5");
}

static void notes_are_told_and_kept(void **state)
{
    struct heard heard = {0};
    char *result = NULL;

    (void)state;
    write_file("far.csv", "1e6 -1e6\n");
    assert_int_equal(bnre_call("posterior",
                               "estimator: nre.h5\nobservation: far.csv\n"
                               "output: far\nformat: svg\n",
                               hear, &heard, &result),
                     BNRE_OK);
    assert_true(heard.note > 0);
    has(result, "unlike the simulated ones");
    bnre_free(result);
}

/* ---- estimators ---- */

static bnre_model *open_model(const char *path)
{
    bnre_model *model = NULL;

    if (bnre_model_open(path, 2, &model) != BNRE_OK)
        fail_msg("%s", bnre_error_message());
    assert_int_equal(bnre_model_dim(model), DIM);
    assert_int_equal(bnre_model_x_size(model), X);
    return model;
}

static void a_model_tells_what_it_is(void **state)
{
    bnre_model *model = open_model("npe.h5");
    char *text = NULL;

    (void)state;
    assert_int_equal(bnre_model_text(model, &text), BNRE_OK);
    has(text, "\"kind\": \"density\"");
    has(text, "\"prior\": \"normal(");
    bnre_free(text);
    assert_int_equal(bnre_model_certificate(model, &text), BNRE_OK);
    assert_string_equal(text, "null");
    bnre_free(text);
    assert_int_equal(bnre_model_history(model, &text), BNRE_OK);
    has(text, "\"train_loss\": [");
    bnre_free(text);
    bnre_model_close(model);
    assert_int_equal(bnre_model_open("a.h5", 1, &model), BNRE_EFORMAT);
    assert_null(model);
}

static void one_x_and_an_x_for_each_row_agree(const char *path)
{
    bnre_model *model = open_model(path);
    double theta[ROWS * DIM], x[ROWS * X], one[ROWS], each[ROWS];

    bnre_model_draw_prior(model, 3, 0, ROWS, theta);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < X; k++)
            x[i * X + k] = 0.5 - (double)k;
    assert_int_equal(bnre_model_log_ratio(model, ROWS, theta, 1, x, one, NULL),
                     BNRE_OK);
    assert_int_equal(
        bnre_model_log_ratio(model, ROWS, theta, ROWS, x, each, NULL), BNRE_OK);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(fabs(one[i] - each[i]) < 1e-4 * (1 + fabs(one[i])));
    bnre_model_close(model);
}

static void batches_agree(void **state)
{
    (void)state;
    one_x_and_an_x_for_each_row_agree("nre.h5");
    one_x_and_an_x_for_each_row_agree("npe.h5");
}

static void gradients_are_slopes(void **state)
{
    const char *const path[] = {"nre.h5", "npe.h5"};
    const double h = 1e-2;

    (void)state;
    for (size_t p = 0; p < 2; p++) {
        bnre_model *model = open_model(path[p]);
        double theta[] = {0.3, -0.7, 1.1, 0.2}, x[] = {0.5, 0.1, -0.5, 1};
        double out[2], slope[4], one[4], up[2], down[2];

        assert_int_equal(
            bnre_model_log_ratio(model, 2, theta, 2, x, out, slope), BNRE_OK);
        assert_int_equal(bnre_model_log_ratio(model, 1, theta, 1, x, out, one),
                         BNRE_OK);
        for (size_t k = 0; k < DIM; k++) {
            const double keep = theta[k];

            assert_true(fabs(one[k] - slope[k]) < 1e-4 * (1 + fabs(slope[k])));
            theta[k] = keep + h;
            assert_int_equal(
                bnre_model_log_ratio(model, 1, theta, 1, x, up, NULL), BNRE_OK);
            theta[k] = keep - h;
            assert_int_equal(
                bnre_model_log_ratio(model, 1, theta, 1, x, down, NULL),
                BNRE_OK);
            theta[k] = keep;
            assert_true(fabs(slope[k] - (up[0] - down[0]) / (2 * h)) <
                        0.02 * (1 + fabs(slope[k])));
        }
        bnre_model_close(model);
    }
}

/* A task with bounds. */
static void outside_the_prior_there_is_nothing(void **state)
{
    bnre_model *model = NULL;
    double theta[] = {0, 0, 9, 0, 1, 1, 0, -9}, out[4], prior[4], slope[8];
    double x[X] = {0.1, 0.2}, bad[] = {NAN, 0};

    (void)state;
    write_file("box.yaml",
               "name: gaussian\noptions: {dim: 2}\nparameters: {theta_0: "
               "\"uniform(-2, 2)\", theta_1: \"uniform(-2, 2)\"}\n");
    bnre_free(call("simulate", "task: box.yaml\ncount: 200\noutput: box.h5"));
    bnre_free(call("train", "data: box.h5\noutput: box-est.h5\nepochs: 1\n"
                            "members: 1\n"));
    assert_int_equal(bnre_model_open("box-est.h5", 1, &model), BNRE_OK);
    assert_int_equal(bnre_model_log_ratio(model, 4, theta, 1, x, out, slope),
                     BNRE_OK);
    bnre_model_log_prior(model, 4, theta, prior);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(out[i] == -INFINITY, i % 2);
        assert_int_equal(prior[i] == -INFINITY, i % 2);
        assert_int_equal(slope[2 * i] == 0 && slope[2 * i + 1] == 0, i % 2);
    }
    assert_int_equal(bnre_model_log_ratio(model, 1, bad, 1, x, out, NULL),
                     BNRE_ENUM);
    has(bnre_error_message(), "theta_0 is NaN");
    assert_int_equal(bnre_model_log_ratio(model, 1, theta, 1, bad, out, NULL),
                     BNRE_ENUM);
    assert_int_equal(bnre_model_log_ratio(model, 4, theta, 2, x, out, NULL),
                     BNRE_EINVAL);
    bnre_model_close(model);
}

/* ---- posteriors ---- */

/* The numbers at the end of a .npy file. */
static void read_npy(const char *path, size_t n, double *out)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    assert_int_equal(fseek(file, -(long)(n * sizeof *out), SEEK_END), 0);
    assert_int_equal(fread(out, sizeof *out, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void draws_are_those_of_the_command(const char *path, const char *how,
                                           const char *directory)
{
    bnre_model *model = open_model(path);
    bnre_dataset *data = NULL;
    bnre_observed *observed = NULL;
    double *draws = calloc(2 * DRAWS * DIM, sizeof *draws), x[X];
    char settings[400];

    assert_non_null(draws);
    assert_int_equal(bnre_dataset_open("test.h5", &data), BNRE_OK);
    assert_int_equal(bnre_dataset_read(data, 7, 1, NULL, NULL, x, NULL),
                     BNRE_OK);
    snprintf(settings, sizeof settings,
             "%s\nestimator: %s\nobservation: test.h5:7\noutput: %s\n"
             "format: svg\n",
             how, path, directory);
    bnre_free(call("posterior", settings));
    snprintf(settings, sizeof settings, "%s/samples.npy", directory);
    read_npy(settings, DRAWS * DIM, draws);
    assert_int_equal(
        bnre_observed_open(model, 1, x, how, NULL, NULL, &observed), BNRE_OK);
    assert_string_equal(bnre_observed_doubt(observed), "");
    assert_int_equal(
        bnre_observed_sample(observed, 5, DRAWS, draws + DRAWS * DIM), BNRE_OK);
    assert_memory_equal(draws, draws + DRAWS * DIM,
                        DRAWS * DIM * sizeof *draws);
    bnre_observed_close(observed);
    bnre_dataset_close(data);
    bnre_model_close(model);
    free(draws);
}

static void samples_are_those_of_the_command(void **state)
{
    (void)state;
    draws_are_those_of_the_command("nre.h5", "samples: 4000\nseed: 5", "g");
    draws_are_those_of_the_command(
        "npe.h5", "samples: 4000\nseed: 5\nsampler: draws", "d");
}

/* Half of the draws lie in the region of half the mass: false alarms below
   1e-6 at five standard deviations, 5 sqrt(0.25 / 4000) = 0.04. */
static void levels_and_regions_belong_together(void **state)
{
    bnre_model *model = open_model("nre.h5");
    bnre_observed *observed = NULL;
    double *theta = calloc(DRAWS * DIM, sizeof *theta);
    double *level = calloc(DRAWS, sizeof *level);
    double *density = calloc(2 * DRAWS, sizeof *density);
    double x[X] = {0.4, -0.2}, threshold, mass;
    size_t inside = 0, apart = 0;
    char *text = NULL;

    (void)state;
    assert_true(theta != NULL && level != NULL && density != NULL);
    assert_int_equal(
        bnre_observed_open(model, 1, x, "grid: 200", NULL, NULL, &observed),
        BNRE_OK);
    assert_int_equal(bnre_observed_sample(observed, 1, DRAWS, theta), BNRE_OK);
    assert_int_equal(bnre_observed_level(observed, DRAWS, theta, level),
                     BNRE_OK);
    assert_int_equal(bnre_observed_region(observed, 0.5, &threshold, &mass),
                     BNRE_OK);
    assert_true(mass > 0 && mass < 0.5);
    assert_int_equal(
        bnre_model_log_ratio(model, DRAWS, theta, 1, x, density, NULL),
        BNRE_OK);
    bnre_model_log_prior(model, DRAWS, theta, density + DRAWS);
    for (size_t i = 0; i < DRAWS; i++) {
        inside += level[i] <= 0.5;
        apart +=
            (level[i] <= 0.5) != (density[i] + density[DRAWS + i] >= threshold);
    }
    assert_true(fabs((double)inside / DRAWS - 0.5) < 0.04);
    assert_true(apart < DRAWS / 100); /* at the edge of a cell */
    assert_int_equal(bnre_observed_text(observed, &text), BNRE_OK);
    has(text, "\"method\": \"grid\"");
    has(text, "\"central_68\"");
    bnre_free(text);
    assert_int_equal(bnre_observed_region(observed, 1.5, &threshold, NULL),
                     BNRE_EINVAL);
    bnre_observed_close(observed);
    assert_int_equal(
        bnre_observed_open(model, 1, x, "girds: 3", NULL, NULL, &observed),
        BNRE_EUSAGE);
    has(bnre_error_message(), "grid");
    bnre_model_close(model);
    free(density);
    free(level);
    free(theta);
}

/* ---- tasks and datasets ---- */

/* Rows in memory are those in the file, which keeps them in single precision;
   in any number of threads, and from any row on. */
static void simulations_are_those_of_the_command(void **state)
{
    double theta[ROWS * DIM], x[ROWS * X], kept[ROWS * DIM], rows[ROWS * X];
    const char *option = "dim=2";
    bnre_dataset *data = NULL;
    bnre_task *task = NULL;
    uint8_t status[ROWS];
    char *text = NULL;

    (void)state;
    assert_int_equal(bnre_task_open("gaussian", 1, &option, &task), BNRE_OK);
    assert_int_equal(bnre_task_dim(task), DIM);
    assert_int_equal(bnre_task_x_size(task), X);
    assert_int_equal(
        bnre_task_simulate(task, 2, 1, 0, ROWS, 1, theta, x, status), BNRE_OK);
    assert_int_equal(bnre_dataset_open("a.h5", &data), BNRE_OK);
    assert_int_equal(bnre_dataset_json(data, &text), BNRE_OK);
    has(text, "\"rows\": 400");
    bnre_free(text);
    assert_int_equal(bnre_dataset_read(data, 0, ROWS, kept, NULL, rows, NULL),
                     BNRE_OK);
    assert_memory_equal(theta, kept, sizeof theta);
    for (size_t i = 0; i < ROWS * X; i++)
        assert_true((double)(float)x[i] == rows[i]);
    /* The same theta, given; and the last rows alone. */
    assert_int_equal(
        bnre_task_simulate(task, 1, 1, 0, ROWS, 0, theta, rows, NULL), BNRE_OK);
    assert_memory_equal(x, rows, sizeof x);
    assert_int_equal(bnre_task_simulate(task, 1, 1, ROWS - 3, 3, 0,
                                        theta + (ROWS - 3) * DIM, rows, NULL),
                     BNRE_OK);
    assert_memory_equal(x + (ROWS - 3) * X, rows, 3 * X * sizeof *x);
    theta[3] = NAN;
    assert_int_equal(
        bnre_task_simulate(task, 1, 1, 0, ROWS, 0, theta, rows, NULL),
        BNRE_ENUM);
    bnre_dataset_close(data);
    bnre_task_destroy(task);
}

static void tasks_come_from_text(void **state)
{
    bnre_task *task = NULL;
    double theta[2], x[2];
    char *text = NULL;

    (void)state;
    assert_int_equal(
        bnre_task_parse("{\"name\": \"gaussian\", \"options\": {\"dim\": 2}}",
                        &task),
        BNRE_OK);
    assert_int_equal(bnre_task_json(task, &text), BNRE_OK);
    has(text, "\"name\": \"gaussian\"");
    bnre_free(text);
    bnre_task_destroy(task);
    assert_int_equal(bnre_task_parse("name: gausian", &task), BNRE_EUSAGE);
    has(bnre_error_message(), "gaussian");
    assert_int_equal(
        bnre_task_parse("parameters: {a: \"normal(0, 1)\"}\nobservable: [2]\n"
                        "simulator: {command: [cat]}",
                        &task),
        BNRE_OK);
    assert_int_equal(bnre_task_simulate(task, 1, 1, 0, 1, 1, theta, x, NULL),
                     BNRE_EUSAGE);
    bnre_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_gives_its_result_as_json),
        cmocka_unit_test(run_and_report_are_calls_too),
        cmocka_unit_test(settings_that_are_none_are_refused),
        cmocka_unit_test(every_verb_tells_its_settings),
        cmocka_unit_test(a_result_in_doubt_is_given_all_the_same),
        cmocka_unit_test(work_can_be_stopped_and_goes_on),
        cmocka_unit_test(notes_are_told_and_kept),
        cmocka_unit_test(a_model_tells_what_it_is),
        cmocka_unit_test(batches_agree),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(outside_the_prior_there_is_nothing),
        cmocka_unit_test(samples_are_those_of_the_command),
        cmocka_unit_test(levels_and_regions_belong_together),
        cmocka_unit_test(simulations_are_those_of_the_command),
        cmocka_unit_test(tasks_come_from_text),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
