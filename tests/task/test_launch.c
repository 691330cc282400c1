/* Programs that are run once per simulation. */
#include <stdio.h>

#include "outside.h"
#include "support.h"

enum { ROWS = 4, BAD = 2 };

static void expect(const char *yaml, bnre_draw outcome, const char *reason)
{
    outside *rig = outside_open(yaml, ROWS);

    rig->nuisance[BAD] = outcome != BNRE_DRAW_OK;
    assert_ok(outside_run(rig, 0, ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        if (i == BAD && outcome != BNRE_DRAW_OK)
            assert_row_fails(rig, i, outcome, reason);
        else
            assert_row_ok(rig, i);
    }
    outside_close(rig);
}

static void arguments_are_filled_in(void **state)
{
    (void)state;
    expect("{command: [./once, print, '{seed}', '{a}', '{bad}']}", BNRE_DRAW_OK,
           "");
    expect("{command: [./once, f32, '{seed}', '{a}', '{bad}'], reply: f32}",
           BNRE_DRAW_OK, "");
}

/* Write a template beside the test. */
static const char *write_template(const char *text)
{
    const char *path = scratch_path("input.txt.in");
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void templates_become_input_files(void **state)
{
    const char *path = write_template("{ {} } {other: {Z}\n  seed = {seed}\n"
                                      "a = {a}\nbad={bad} {{a}}\n");
    char yaml[512];

    (void)state;
    snprintf(yaml, sizeof yaml,
             "{command: [./once, file], template: %s, output: results/x.dat}",
             path);
    expect(yaml, BNRE_DRAW_OK, "");
    expect(yaml, BNRE_DRAW_LOST, "output ... results/x.dat: No such file");
}

static void failures_are_told(void **state)
{
    static const struct {
        const char *mode, *settings;
        bnre_draw outcome;
        const char *reason;
    } cases[] = {
        {"exit", "", BNRE_DRAW_LOST, "exit status 4: cannot converge"},
        {"sleep", "timeout: 0.5", BNRE_DRAW_LOST, "timed out after 0.5 s"},
        {"error", "", BNRE_DRAW_INVALID, "no root"},
        {"few", "", BNRE_DRAW_LOST, "answered 2 numbers, expected 3"},
        {"many", "", BNRE_DRAW_LOST, "answered 4 numbers, expected 3"},
        {"trail", "", BNRE_DRAW_LOST, "answer ... not a number: \"done\""},
        {"flood", "", BNRE_DRAW_LOST, "answer ... longer ... 65728 bytes"},
        {"silent", "", BNRE_DRAW_LOST, "empty answer, expected 3 numbers"},
        {"f32", "reply: f32", BNRE_DRAW_LOST, "answered 8 bytes, expected 12"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char yaml[256];

        snprintf(yaml, sizeof yaml,
                 "{command: [./once, %s, '{seed}', '{a}', '{bad}']%s%s}",
                 cases[i].mode, cases[i].settings[0] ? ", " : "",
                 cases[i].settings);
        expect(yaml, cases[i].outcome, cases[i].reason);
    }
}

static void shells_run_only_when_named(void **state)
{
    (void)state;
    expect(
        "{command: [sh, -c, 'exec \"$0\" p $1 $2 $3', once, '{seed}', '{a}', "
        "'{bad}'], timeout: 60}",
        BNRE_DRAW_OK, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_filled_in),
        cmocka_unit_test(templates_become_input_files),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(shells_run_only_when_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
