/* What a study's figures have along their axis, and what in series. */
#include "study/page/layout.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bnre/study.h"
#include "io/file.h"
#include "study/page/panels.h"
#include "support.h"

static void write_text(const char *directory, const char *name,
                       const char *text)
{
    char path[600];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A study's directory without any run. */
static const char *study_of(const char *sweep, const char *results,
                            char directory[512])
{
    char text[1000];

    snprintf(directory, 512, "%s", scratch_path("study"));
    mkdir(directory, 0777);
    snprintf(text, sizeof text, "title: T\nseed: 1\nsweep:\n%s", sweep);
    write_text(directory, "study.yaml", text);
    write_text(directory, "results.csv", results);
    return directory;
}

static void budgets_are_the_axis_and_methods_the_series(void **state)
{
    bnre__saved_study study;
    bnre__layout layout;
    char place[512], text[64];

    (void)state;
    study_of("  method: [nre, bnre]\n  simulations: [4096, 1024]\n",
             "cell,repeat,task,method,lambda,simulations\n"
             "a,1,t,nre,0,4096\na,2,t,nre,0,4096\nb,1,t,nre,0,1024\n"
             "c,1,t,bnre,100,4096\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_int_equal(study.cells, 3);
    assert_int_equal(study.runs, 4);
    assert_int_equal(study.cell[0].runs, 2);
    assert_int_equal(study.count[BNRE__RUN_MISSING], 4);
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_string_equal(layout.key, "simulations");
    assert_true(layout.logarithmic);
    assert_int_equal(layout.ticks, 2);
    assert_string_equal(layout.tick[0].text, "1024"); /* by size */
    assert_string_equal(bnre__layout_text(&layout, 0, 1, text), "2^{10}");
    assert_string_equal(bnre__layout_text(&layout, 0, 0, text), "1024");
    assert_int_equal(layout.n, 2);
    assert_string_equal(layout.series[0].label, "NRE");
    assert_string_equal(layout.series[1].label, "BNRE");
    assert_int_equal(layout.series[0].cell[0], 1);
    assert_int_equal(layout.series[0].cell[1], 0);
    assert_int_equal(layout.series[1].cell[0], BNRE__NO_CELL);
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
}

static void nre_stands_beside_a_sweep_over_lambda(void **state)
{
    bnre__saved_study study;
    bnre__layout layout;
    char place[512];

    (void)state;
    study_of("  together:\n"
             "    - {method: bnre, lambda: 1, simulations: 64}\n"
             "    - {method: bnre, lambda: 10, simulations: 64}\n"
             "    - {method: bnre, lambda: 100, simulations: 64}\n"
             "    - {method: nre, lambda: 0, simulations: 512}\n",
             "cell,repeat,task,method,lambda,simulations\n"
             "a,1,t,bnre,1,64\nb,1,t,bnre,10,64\nc,1,t,bnre,100,64\n"
             "d,1,t,nre,0,512\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_int_equal(study.keys, 3);
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_string_equal(layout.key, "lambda");
    assert_string_equal(bnre__layout_title(&layout), "λ");
    assert_int_equal(layout.ticks, 3);
    assert_int_equal(layout.n, 2);
    assert_int_equal(layout.series[0].constant, BNRE__NO_CELL);
    assert_int_equal(layout.series[1].constant, 3);
    assert_string_equal(layout.series[1].label, "NRE, simulations 512");
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
}

static void what_chose_its_own_value_stands_beside_the_axis(void **state)
{
    bnre__saved_study study;
    bnre__layout layout;
    char place[512];

    (void)state;
    study_of("  lambda: [1, auto, 10]\n",
             "cell,repeat,task,method,lambda\n"
             "a,1,t,bnre,1\nb,1,t,bnre,auto\nc,1,t,bnre,10\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_true(layout.numeric);
    assert_int_equal(layout.ticks, 2);
    assert_string_equal(layout.tick[1].text, "10");
    assert_int_equal(layout.n, 2);
    assert_string_equal(layout.series[0].label, "BNRE");
    assert_int_equal(layout.series[0].cell[1], 2);
    assert_int_equal(layout.series[0].constant, BNRE__NO_CELL);
    assert_string_equal(layout.series[1].label, "BNRE, λ auto");
    assert_int_equal(layout.series[1].constant, 1);
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
    /* One number is no axis of numbers. */
    study_of("  lambda: [100, auto]\n",
             "cell,repeat,task,method,lambda\n"
             "a,1,t,bnre,100\nb,1,t,bnre,auto\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_false(layout.numeric);
    assert_int_equal(layout.ticks, 2);
    assert_int_equal(layout.n, 1);
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
}

static void words_can_be_the_axis(void **state)
{
    bnre__saved_study study;
    bnre__layout layout;
    char place[512];

    (void)state;
    study_of("  network: [small, large]\n",
             "cell,repeat,task,method,network\n"
             "a,1,t,bnre,small\nb,1,t,bnre,large\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_false(layout.numeric);
    assert_int_equal(layout.ticks, 2);
    assert_string_equal(layout.tick[0].text, "small"); /* as they come */
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
}

static void long_labels_get_room(void **state)
{
    bnre__saved_study study;
    bnre__layout layout;
    char place[512];

    (void)state;
    study_of("  network: [a, b]\n  members: [1, 2]\n",
             "cell,repeat,task,method,network,members\n"
             "a,1,t,bnre,\"hidden 8, activation selu\",1\n"
             "b,1,t,bnre,\"hidden 8, activation selu\",2\n"
             "c,1,t,bnre,\"hidden 16, activation elu\",1\n"
             "d,1,t,bnre,\"hidden 16, activation elu\",2\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_string_equal(layout.series[1].label,
                        "BNRE, network hidden 16, activation elu");
    /* One line is enough for both in a wide legend, not in a narrow one. */
    assert_int_equal(bnre__legend_lines(&layout, 0, 20), 1);
    assert_int_equal(bnre__legend_lines(&layout, 0, 6), 2);
    /* Numbers need no more room than they always have. */
    assert_true(bnre__panels_slant(&layout, 0.01) == 0);
    assert_true(bnre__legend_margin(&layout, 1.15) == 1.15);
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
    study_of("  network: [a, b]\n",
             "cell,repeat,task,method,network\n"
             "a,1,t,bnre,\"hidden 8, activation selu\"\n"
             "b,1,t,bnre,\"hidden 16, activation elu\"\n",
             place);
    assert_ok(bnre__saved_read(place, &study));
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_true(bnre__panels_slant(&layout, 2) > 1);
    assert_true(bnre__panels_slant(&layout, 20) == 0);
    assert_true(bnre__legend_margin(&layout, 1.15) > 1.5);
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
}

static void a_study_without_axes_has_one_tick(void **state)
{
    bnre__saved_study study;
    bnre__layout layout;
    char place[512];

    (void)state;
    study_of("  method: [nre, bnre]\n",
             "cell,repeat,task,method\na,1,t,nre\nb,1,u,bnre\n", place);
    assert_ok(bnre__saved_read(place, &study));
    assert_ok(bnre__layout_init(&study, NULL, &layout));
    assert_null(layout.key);
    assert_int_equal(layout.ticks, 1);
    assert_int_equal(layout.n, 2);
    bnre__layout_clear(&layout);
    /* Of one task only its cells are shown. */
    assert_ok(bnre__layout_init(&study, "u", &layout));
    assert_int_equal(layout.n, 1);
    assert_string_equal(layout.series[0].label, "BNRE");
    bnre__layout_clear(&layout);
    bnre__saved_clear(&study);
}

static bnre_status report_without_pictures(void *place)
{
    return bnre_report_write(place, "", NULL);
}

static void lack_of_memory_is_survived(void **state)
{
    char place[512];

    (void)state;
    study_of("  method: [nre, bnre]\n",
             "cell,repeat,task,method\na,1,t,nre\nb,1,t,bnre\n", place);
    assert_survives_lack_of_memory(report_without_pictures, place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_the_axis_and_methods_the_series),
        cmocka_unit_test(nre_stands_beside_a_sweep_over_lambda),
        cmocka_unit_test(what_chose_its_own_value_stands_beside_the_axis),
        cmocka_unit_test(words_can_be_the_axis),
        cmocka_unit_test(long_labels_get_room),
        cmocka_unit_test(a_study_without_axes_has_one_tick),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
