/* bnre_infer() from C: rounds, what it tells, stopping and going on. */
#include "bnre/infer.h"

#include <stdio.h>
#include <string.h>

#include "bnre/estimator.h"
#include "io/json.h"
#include "support.h"

struct told {
    double stop_at; /* share of the work at which to stop; 0 = never */
    size_t calls, rounds, last;
    int backwards;
};

static int on_progress(void *context, size_t done, size_t found, size_t total)
{
    struct told *told = context;

    (void)found;
    told->backwards |= done < told->last || done > total;
    told->last = done;
    told->calls++;
    return told->stop_at > 0 && (double)done >= told->stop_at * (double)total;
}

static void on_note(void *context, const char *text)
{
    struct told *told = context;

    told->rounds += strncmp(text, "round ", 6) == 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The settings of all tests, into `directory`. */
static void set_up(const char *directory, const char *rounds,
                   bnre_infer_settings *settings)
{
    size_t n;
    const bnre_opt *rows = bnre_infer_options(&n);
    char task[256], observation[256];
    const char *set[][2] = {{"task", task},       {"observation", observation},
                            {"rounds", rounds},   {"simulations", "256"},
                            {"samples", "200"},   {"format", "svg"},
                            {"output", directory}};

    snprintf(task, sizeof task, "%s", scratch_path("task.yaml"));
    snprintf(observation, sizeof observation, "%s", scratch_path("obs.txt"));
    write_file(task, "name: gaussian\noptions: {dim: 1, noise: 0.1}\n"
                     "parameters: {theta: \"uniform(0, 10)\"}\n");
    write_file(observation, "4.2\n");
    assert_ok(bnre_opt_init(rows, n, settings));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_ok(bnre_opt_set(bnre_opt_find(rows, n, set[i][0]), settings,
                               set[i][1]));
}

static void clear(bnre_infer_settings *settings)
{
    size_t n;
    const bnre_opt *rows = bnre_infer_options(&n);

    bnre_opt_clear(rows, n, settings);
}

static bnre_status infer_in(const char *rounds, const char *directory,
                            struct told *told, int *found)
{
    const bnre_monitor monitor = {on_progress, on_note, told, NULL};
    bnre_infer_settings settings = {0};
    bnre_infer_outcome outcome;
    bnre_status status;

    set_up(directory, rounds, &settings);
    status = bnre_infer(&(bnre_infer_request){.settings = &settings,
                                              .seed = 1,
                                              .monitor = &monitor},
                        &outcome);
    *found = outcome.found;
    if (status == BNRE_OK) {
        if (strcmp(rounds, "1") != 0)
            assert_non_null(strstr(outcome.summary, "round 2"));
        assert_non_null(strstr(outcome.page, "report.html"));
    }
    bnre_infer_outcome_clear(&outcome);
    clear(&settings);
    return status;
}

static bnre_status infer(const char *directory, struct told *told, int *found)
{
    return infer_in("2", directory, told, found);
}

static void assert_same(const char *a, const char *b, const char *name)
{
    char first[300], second[300];

    snprintf(first, sizeof first, "%s/%s", a, name);
    snprintf(second, sizeof second, "%s/%s", b, name);
    assert_same_file(first, second);
}

/* Stopped at its first sign of life, then later and later. */
static void what_was_stopped_goes_on_to_the_same_bytes(void **state)
{
    struct told told = {0};
    char whole[256], parts[256];
    int found;

    (void)state;
    snprintf(whole, sizeof whole, "%s", scratch_path("whole"));
    snprintf(parts, sizeof parts, "%s", scratch_path("parts"));
    assert_ok(infer(whole, &told, &found));
    assert_false(found);
    assert_int_equal(told.rounds, 2); /* each is told of when it has ended */
    assert_false(told.backwards);
    assert_true(told.calls > 4);
    for (size_t part = 0; part < 4; part++) {
        struct told now = {.stop_at = 0.01 + 0.25 * (double)part};

        assert_int_equal(infer(parts, &now, &found), BNRE_EINTR);
    }
    told = (struct told){0};
    assert_ok(infer(parts, &told, &found));
    assert_false(found);
    assert_int_equal(told.rounds, 2); /* told again */
    assert_same(whole, parts, "estimator.h5");
    assert_same(whole, parts, "infer.json");
    assert_same(whole, parts, "report.html");
    assert_same(whole, parts, "posterior/samples.csv");
    told = (struct told){0};
    assert_ok(infer(parts, &told, &found));
    assert_true(found);
    assert_int_equal(told.calls, 0);
}

/* The estimator knows what it was restricted to, and so does the record. */
static void the_record_is_that_of_the_estimator(void **state)
{
    struct told told = {0};
    bnre_estimator *est = NULL;
    bnre__json *record = NULL;
    const bnre__json *list, *first, *second;
    char directory[256], path[300];
    int found;

    (void)state;
    snprintf(directory, sizeof directory, "%s", scratch_path("record"));
    assert_ok(infer(directory, &told, &found));
    snprintf(path, sizeof path, "%s/infer.json", directory);
    assert_ok(bnre__json_read(path, &record));
    list = bnre__json_find(record, "rounds");
    assert_int_equal(bnre__json_count(list), 2);
    first = bnre__json_at(list, 0);
    second = bnre__json_at(list, 1);
    assert_int_equal(bnre__json_size_of(first, "simulated"), 128);
    assert_int_equal(bnre__json_size_of(second, "simulated"), 128);
    assert_int_equal(bnre__json_size_of(first, "learned"), 128);
    assert_true(bnre__json_flag_of(second, "cut"));
    assert_int_equal(bnre__json_size_of(second, "learned"),
                     128 + bnre__json_size_of(second, "earlier"));
    /* Of all simulations some lie in the region, and those of round 1 in it
       are about its share of them: 128 times share, by at most 5 deviations. */
    {
        const double share = bnre__json_real_of(second, "share");
        const double inside = (double)bnre__json_size_of(second, "earlier");
        const double off = inside - 128 * share;

        assert_true(share > 0 && share < 0.8);
        assert_true(off * off <= 25 * (128 * share * (1 - share) + 1));
    }
    assert_close(bnre__json_real_of(record, "alpha"), 0.05, 1e-12);
    /* A truth more may lie outside than did: never below 3 / n. */
    assert_true(bnre__json_real_of(first, "outside_bound") >= 0.02);
    snprintf(path, sizeof path, "%s/estimator.h5", directory);
    assert_ok(bnre_estimator_open(path, &est));
    assert_close(bnre_estimator_describe(est)->region,
                 bnre__json_real_of(second, "share"), 1e-5);
    bnre_estimator_close(est);
    bnre__json_destroy(record);
}

/* The learning rate and the number of weights of an estimator. */
static void look_at_recipe(const char *path, char *rate, size_t room,
                           size_t *weights)
{
    bnre_estimator *est = NULL;
    const char *at;

    assert_ok(bnre_estimator_open(path, &est));
    at = strstr(bnre_estimator_describe(est)->settings, "learning_rate:");
    assert_non_null(at);
    snprintf(rate, room, "%.*s", (int)strcspn(at, "\n"), at);
    *weights = bnre_estimator_describe(est)->weights;
    bnre_estimator_close(est);
}

/* Each of several rounds has deeper networks and a larger rate; a single one has
   what `bnre train` takes. */
static void several_rounds_have_deeper_networks(void **state)
{
    static const char *const name[] = {
        "one/estimator.h5", "two/round-1/estimator.h5", "two/estimator.h5"};
    char rate[3][64];
    size_t weights[3];
    int found;

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct told told = {0};
        char directory[256];

        snprintf(directory, sizeof directory, "%s",
                 scratch_path(k == 0 ? "one" : "two"));
        assert_ok(infer_in(k == 0 ? "1" : "2", directory, &told, &found));
    }
    for (int k = 0; k < 3; k++) {
        char path[256];

        snprintf(path, sizeof path, "%s", scratch_path(name[k]));
        look_at_recipe(path, rate[k], sizeof rate[k], &weights[k]);
    }
    assert_string_equal(rate[0], "learning_rate: 0.001");
    assert_string_equal(rate[1], "learning_rate: 0.003");
    assert_string_equal(rate[2], rate[1]);
    /* Four more layers from 64 to 64, and their biases. */
    assert_int_equal(weights[1], weights[0] + 4 * (64 * 64 + 64));
    assert_int_equal(weights[2], weights[1]);
}

static void what_rounds_cannot_do_is_refused(void **state)
{
    bnre_infer_settings settings = {0};
    bnre_infer_outcome outcome;
    size_t n;
    const bnre_opt *rows = bnre_infer_options(&n);
    const bnre_infer_request request = {.settings = &settings, .dry_run = 1};

    (void)state;
    set_up(scratch_path("none"), "2", &settings);
    assert_ok(bnre_opt_set(bnre_opt_find(rows, n, "method"), &settings, "nre"));
    assert_fails(bnre_infer(&request, &outcome), BNRE_EUSAGE, "npe or bnpe");
    bnre_infer_outcome_clear(&outcome);
    clear(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_stopped_goes_on_to_the_same_bytes),
        cmocka_unit_test(the_record_is_that_of_the_estimator),
        cmocka_unit_test(several_rounds_have_deeper_networks),
        cmocka_unit_test(what_rounds_cannot_do_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
