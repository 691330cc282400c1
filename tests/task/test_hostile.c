/* Programs that break the protocol in every way we could think of: no run
   hangs, no valid row is lost or mixed up with another, nothing is left. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "outside.h"
#include "support.h"

extern char **environ;

enum { ROWS = 60 };

/* Bad rows: the first and the last one, two neighbours, the end of a batch. */
static const size_t several[] = {0, 17, 18, 24, 59};

/* Run hostile in a mode over ROWS rows, in batches of a length that is not a
   divisor. The n bad rows end as said, all others are right. */
static void expect_at(const char *mode, const char *settings, size_t n,
                      const size_t *bad, bnre_draw outcome, const char *reason)
{
    char yaml[256];
    outside *rig;

    snprintf(yaml, sizeof yaml, "{command: [./hostile, %s]%s}", mode, settings);
    rig = outside_open(yaml, ROWS);
    for (size_t i = 0; i < n; i++)
        rig->nuisance[bad[i]] = 1;
    for (size_t i = 0; i < ROWS; i += 25)
        assert_ok(outside_run(rig, i, i + 25 < ROWS ? i + 25 : ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        if (rig->nuisance[i] > 0 && outcome != BNRE_DRAW_OK)
            assert_row_fails(rig, i, outcome, reason);
        else
            assert_row_ok(rig, i);
    }
    outside_close(rig);
}

static void expect(const char *mode, const char *settings, bnre_draw outcome,
                   const char *reason)
{
    expect_at(mode, settings, sizeof several / sizeof *several, several,
              outcome, reason);
}

/* Waiting takes its time: one row. */
static void expect_timeout(const char *mode, const char *settings,
                           const char *reason)
{
    const size_t row = 18;

    expect_at(mode, settings, 1, &row, BNRE_DRAW_LOST, reason);
}

/* When nothing can be had the run ends, and says why. */
static void expect_abort(const char *command, double bad, size_t rows,
                         const char *text)
{
    outside *rig = outside_open(command, rows);

    for (size_t i = 0; i < rows; i++)
        rig->nuisance[i] = bad;
    assert_fails(outside_run(rig, 0, rows), BNRE_ESIM, text);
    outside_close(rig);
}

static void honest_answers_are_kept(void **state)
{
    (void)state;
    expect("honest", "", BNRE_DRAW_OK, "");
    expect("f32", ", reply: f32", BNRE_DRAW_OK, "");
    expect("f64", ", reply: f64", BNRE_DRAW_OK, "");
}

static void crashes_are_told(void **state)
{
    (void)state;
    expect("exit", "", BNRE_DRAW_LOST, "exit status 3: matrix is singular");
    expect("signal", "", BNRE_DRAW_LOST,
           "killed by signal 11 (segmentation fault)");
}

static void silence_times_out(void **state)
{
    (void)state;
    expect_timeout("sleep", ", timeout: 0.5", "timed out after 0.5 s");
    expect_timeout("stop", ", timeout: 0.5", "timed out after 0.5 s");
    expect_timeout("half", ", timeout: 0.5",
                   "timed out after 0.5 s ... middle");
}

static void sigterm_cannot_be_ignored_for_long(void **state)
{
    (void)state;
    expect_timeout("stubborn", ", timeout: 0.5", "timed out after 0.5 s");
}

static void garbage_is_told(void **state)
{
    (void)state;
    expect("few", "", BNRE_DRAW_LOST, "answered 2 numbers, expected 3");
    expect("many", "", BNRE_DRAW_LOST, "answered 4 numbers, expected 3");
    expect("chatter", "", BNRE_DRAW_LOST, "answer ... not a number: \"now\"");
    expect("long", "", BNRE_DRAW_LOST, "line ... answer ... 4288 bytes");
}

/* One rule, however the pipe hands the bytes over: at once, or in pieces of
   which the next is written when the one before was read. */
static void long_lines_end_alike_in_any_pieces(void **state)
{
    static const struct {
        const char *mode;
        bnre_draw outcome;
    } cases[] = {
        {"wide, '4288'", BNRE_DRAW_OK},
        {"wide_pieces, '4288'", BNRE_DRAW_OK},
        {"wide, '4289'", BNRE_DRAW_LOST},
        {"wide_pieces, '4289'", BNRE_DRAW_LOST},
        {"wide, '60000'", BNRE_DRAW_LOST},
        {"wide_pieces, '60000'", BNRE_DRAW_LOST},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].mode, "", cases[i].outcome,
               "line ... answer ... 4288 bytes");
}

static void binary_junk_becomes_a_printable_reason(void **state)
{
    outside *rig = outside_open("{command: [./hostile, junk]}", 3);

    (void)state;
    rig->nuisance[1] = 1;
    assert_ok(outside_run(rig, 0, 3));
    assert_row_ok(rig, 0);
    assert_row_ok(rig, 2);
    assert_int_equal(rig->status[1], BNRE_DRAW_LOST);
    assert_true(holds_facts(rig->reason[1], "not a number: \""));
    for (const char *p = rig->reason[1]; *p != 0; p++)
        assert_in_range(*p, ' ', '~');
    outside_close(rig);
}

static void values_that_are_not_finite_are_outcomes(void **state)
{
    (void)state;
    expect("nan", "", BNRE_DRAW_INVALID, "x ... not finite");
    expect("inf", "", BNRE_DRAW_INVALID, "x ... not finite");
}

static void error_replies_are_outcomes(void **state)
{
    outside *rig = outside_open("{command: [./hostile, error]}", 3);

    (void)state;
    rig->nuisance[1] = 1;
    assert_ok(outside_run(rig, 0, 3));
    assert_row_ok(rig, 0);
    assert_row_fails(rig, 1, BNRE_DRAW_INVALID, "no solution at 1.25");
    assert_row_ok(rig, 2);
    outside_close(rig);
}

static void reasons_are_printable_utf8(void **state)
{
    char reason[1][BNRE_REASON_SIZE] = {"a\xc3\xa9\tb\xff\xc3z\x1b\xc2\x85."};
    uint8_t flag = 0;
    float x = 0;
    const bnre__batch batch = {.x = &x, .status = &flag, .reason = reason};

    (void)state;
    bnre__batch_fail(&batch, 0, 1, BNRE_DRAW_LOST);
    assert_string_equal(reason[0], "a\xc3\xa9 b?\?z   .");
    memset(reason[0], 0xc3, sizeof reason[0]);
    bnre__batch_fail(&batch, 0, 1, BNRE_DRAW_LOST);
    assert_int_equal(strlen(reason[0]), BNRE_REASON_SIZE - 1);
    assert_int_equal(reason[0][0], '?');
}

static void a_flood_of_diagnostics_stops_nothing(void **state)
{
    (void)state;
    expect("flood", "", BNRE_DRAW_OK, "");
    expect("flood_at_end", "", BNRE_DRAW_OK, "");
}

static void children_go_with_their_parents(void **state)
{
    (void)state;
    expect("family", "", BNRE_DRAW_OK, "");
    /* A child that holds the output open does not hide its parent's end. */
    expect("orphan", "", BNRE_DRAW_LOST, "exit status 0");
}

/* Programs that always say too much lose every row; on a busy machine the first
   extra answers may come so late that it shows only afterwards. */
static void expect_noticed(const char *command, double bad)
{
    outside *rig = outside_open(command, ROWS);
    bnre_status status;

    for (size_t i = 0; i < ROWS; i++)
        rig->nuisance[i] = bad;
    status = outside_run(rig, 0, ROWS);
    if (status == BNRE_OK)
        status = outside_settle(rig);
    assert_fails(status, BNRE_ESIM, "more than it");
    outside_close(rig);
}

static void extra_answers_do_not_shift_rows(void **state)
{
    (void)state;
    expect_noticed("{command: [./hostile, twice]}", 1);
    expect_noticed("{command: [./hostile, early]}", 0);
    expect("f64_long", ", reply: f64", BNRE_DRAW_LOST,
           "answered more ... asked");
    expect_timeout("f64_short", ", reply: f64, timeout: 0.5",
                   "timed out after 0.5 s ... middle");
}

/* An answer too many in the middle of a batch cannot be told from the next one;
   but then one is left over in the end. */
static void a_rare_extra_answer_is_noticed_in_the_end(void **state)
{
    (void)state;
    for (size_t k = 5; k < ROWS; k += 30) {
        outside *rig = outside_open("{command: [./hostile, twice]}", ROWS);
        bnre_status status;

        rig->nuisance[k] = 1;
        status = outside_run(rig, 0, 20);
        if (status == BNRE_OK)
            status = outside_run(rig, 20, ROWS);
        if (status == BNRE_OK)
            status = outside_settle(rig);
        if (status != BNRE_OK)
            assert_fails(status, BNRE_ESIM, "more than it");
        for (size_t i = 0; i < ROWS && status == BNRE_OK; i++)
            if (i != k)
                assert_row_ok(rig, i);
        outside_close(rig);
    }
}

static void a_closed_output_is_told(void **state)
{
    outside *rig = outside_open("{command: [./hostile, close]}", 3);

    (void)state;
    rig->nuisance[1] = 1;
    assert_ok(outside_run(rig, 0, 3));
    assert_row_ok(rig, 0);
    assert_row_fails(rig, 1, BNRE_DRAW_LOST, "closed its output");
    assert_row_ok(rig, 2);
    outside_close(rig);
}

static void dying_of_age_loses_no_row(void **state)
{
    outside *rig = outside_open("{command: [./hostile, mortal, '57']}", 300);

    (void)state;
    assert_ok(outside_run(rig, 0, 200));
    assert_ok(outside_run(rig, 200, 300));
    for (size_t i = 0; i < 300; i++)
        assert_row_ok(rig, i);
    outside_close(rig);
}

static void hopeless_programs_end_the_run(void **state)
{
    (void)state;
    expect_abort("{command: [./hostile, at_once, '5']}", 0, 60,
                 "51 of the first 51; 51 times: exit status 5. To see for "
                 "yourself");
    expect_abort("{command: [./hostile, deaf], timeout: 0.01}", 0, 60,
                 "timed out after 0.01 s ... flush");
    expect_abort("{command: [./not_there]}", 0, 60,
                 "cannot start the simulator ./not_there: No such file");
    expect_abort("{command: [not_there_at_all]}", 0, 60, "on the PATH");
    expect_abort("{command: [./hostile, at_once], on_failure: abort}", 0, 60,
                 "row 0 failed: exit status 0; on_failure is abort");
}

/* ---- the death of this process ---- */

static void wait_a_little(void)
{
    const struct timespec t = {.tv_nsec = 10000000};

    nanosleep(&t, NULL);
}

/* What the driver process does: simulate until it is killed. */
static int drive(const char *yaml)
{
    outside *rig = outside_open(yaml, 1);

    rig->nuisance[0] = 1;
    return outside_run(rig, 0, 1) == BNRE_OK;
}

static void wait_until_gone(const char *directory)
{
    for (int i = 0; i < 3000 && rmdir(directory) != 0; i++)
        wait_a_little();
    assert_int_not_equal(access(directory, F_OK), 0);
}

static void expect_no_survivors(const char *yaml, size_t processes)
{
    char *argv[] = {(char *)"driver", (char *)yaml, NULL};
    const char *temporary = outside_temporary();
    size_t noted = 0;
    pid_t pid;

    outside_pid_file();
    setenv("OUTSIDE_DRIVEN", "1", 1);
    assert_int_equal(
        posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
    unsetenv("OUTSIDE_DRIVEN");
    for (int i = 0; i < 3000 && noted < processes; i++) {
        wait_a_little();
        outside_count_alive(&noted);
    }
    assert_int_equal(noted, processes);
    assert_int_equal(outside_count_alive(NULL), processes);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 3000 && outside_count_alive(NULL) > 0; i++)
        wait_a_little();
    assert_int_equal(outside_count_alive(NULL), 0);
    /* Removed by the last who could. */
    wait_until_gone(temporary);
}

static void nothing_survives_a_killed_parent(void **state)
{
    (void)state;
    expect_no_survivors("{command: [./hostile, sleep]}", 1);
    expect_no_survivors("{command: [./hostile, stubborn]}", 1);
    expect_no_survivors("{command: [./hostile, deaf]}", 1);
    expect_no_survivors("{command: [./hostile, brood]}", 2);
    expect_no_survivors("{command: [./once, sleep, '{seed}', '{a}', '{bad}']}",
                        1);
}

/* A scratch directory goes whenever this process dies: before the program is
   let go, while it runs, after its end, and also if the supervisor is killed
   under us. */
enum moment { MADE, RUNNING, ENDED, SUPERVISOR_KILLED, MOMENTS };

static void die_at(enum moment moment, const char *parent)
{
    char sleep[] = "sleep", end[] = "0", long_time[] = "1000";
    char *argv[] = {sleep, moment == ENDED ? end : long_time, NULL};
    bnre__process process = BNRE__PROCESS_NONE;
    bnre__program program = {.directory = parent, .scratch = 1, .argv = argv};
    char *supervisor = NULL;

    if (bnre__supervisor_find(&supervisor) != BNRE_OK)
        _exit(1);
    program.supervisor = supervisor;
    if (bnre__process_start(&process, &program) != BNRE_OK ||
        access(process.scratch, F_OK) != 0)
        _exit(1);
    if (moment != MADE)
        bnre__process_go(&process);
    while (moment == ENDED && !process.ended) {
        wait_a_little();
        bnre__process_look(&process);
    }
    if (moment == SUPERVISOR_KILLED) {
        kill(process.pid, SIGKILL);
        bnre__process_stop(&process, 0);
    }
    _exit(0);
}

static void scratch_directories_go_with_their_maker(void **state)
{
    (void)state;
    for (enum moment moment = 0; moment < MOMENTS; moment++) {
        const char *temporary = outside_temporary();
        int ending = 0;
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            die_at(moment, temporary);
        waitpid(pid, &ending, 0);
        assert_int_equal(ending, 0);
        wait_until_gone(temporary);
    }
}

static void a_place_for_scratch_directories_is_found(void **state)
{
    outside *rig =
        outside_open("{command: [./once, p, '{seed}', '{a}', '{bad}']}", 1);
    char temporary[4096];

    (void)state;
    snprintf(temporary, sizeof temporary, "%s", getenv("TMPDIR"));
    setenv("TMPDIR", "/proc/self/nowhere", 1);
    assert_ok(outside_run(rig, 0, 1));
    assert_row_ok(rig, 0);
    setenv("TMPDIR", temporary, 1);
    assert_ok(outside_run(rig, 0, 1));
    assert_row_ok(rig, 0);
    outside_close(rig);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_answers_are_kept),
        cmocka_unit_test(crashes_are_told),
        cmocka_unit_test(silence_times_out),
        cmocka_unit_test(sigterm_cannot_be_ignored_for_long),
        cmocka_unit_test(garbage_is_told),
        cmocka_unit_test(long_lines_end_alike_in_any_pieces),
        cmocka_unit_test(binary_junk_becomes_a_printable_reason),
        cmocka_unit_test(values_that_are_not_finite_are_outcomes),
        cmocka_unit_test(error_replies_are_outcomes),
        cmocka_unit_test(reasons_are_printable_utf8),
        cmocka_unit_test(a_flood_of_diagnostics_stops_nothing),
        cmocka_unit_test(children_go_with_their_parents),
        cmocka_unit_test(extra_answers_do_not_shift_rows),
        cmocka_unit_test(a_rare_extra_answer_is_noticed_in_the_end),
        cmocka_unit_test(a_closed_output_is_told),
        cmocka_unit_test(dying_of_age_loses_no_row),
        cmocka_unit_test(hopeless_programs_end_the_run),
        cmocka_unit_test(nothing_survives_a_killed_parent),
        cmocka_unit_test(scratch_directories_go_with_their_maker),
        cmocka_unit_test(a_place_for_scratch_directories_is_found),
    };

    if (argc > 1)
        return drive(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
