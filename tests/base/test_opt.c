#include "bnre/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "support.h"

struct args {
    int force;
    size_t count;
    uint64_t seed;
    double lambda;
    char *task, *output;
    int split;
    bnre_opt_list option;
    size_t batch_size;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt table[] = {
    {"force", BNRE_OPT_FLAG, AT(force), NULL, NULL, NULL, 0, "replace"},
    {"count", BNRE_OPT_SIZE, AT(count), "1024", "[1, inf)", "N",
     BNRE_OPT_RESULT, "rows"},
    {"seed", BNRE_OPT_SEED, AT(seed), "1", NULL, "N", BNRE_OPT_RESULT, "seed"},
    {"lambda", BNRE_OPT_REAL, AT(lambda), "0.1", "(0, 1]", "X", BNRE_OPT_RESULT,
     "weight"},
    {"task", BNRE_OPT_TEXT, AT(task), "gaussian", NULL, "NAME", BNRE_OPT_RESULT,
     "task"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE", BNRE_OPT_RESULT,
     "file"},
    {"split", BNRE_OPT_CHOICE, AT(split), "train", "train|validate|test", NULL,
     BNRE_OPT_RESULT, "stream"},
    {"option", BNRE_OPT_LIST, AT(option), NULL, NULL, "KEY=VALUE",
     BNRE_OPT_RESULT, "options"},
    {"batch_size", BNRE_OPT_SIZE, AT(batch_size), "2^7", NULL, "N", 0, "rows"},
};
enum { ROWS = sizeof table / sizeof *table };

static bnre_status set(struct args *args, const char *name, const char *text)
{
    const bnre_opt *row = bnre_opt_find(table, ROWS, name);

    assert_non_null(row);
    return bnre_opt_set(row, args, text);
}

static void defaults_come_from_the_table(void **state)
{
    struct args args;

    (void)state;
    memset(&args, 0xa5, sizeof args);
    assert_ok(bnre_opt_init(table, ROWS, &args));
    assert_int_equal(args.force, 0);
    assert_int_equal(args.count, 1024);
    assert_true(args.seed == 1);
    assert_true(args.lambda == 0.1);
    assert_string_equal(args.task, "gaussian");
    assert_null(args.output);
    assert_int_equal(args.split, 0);
    assert_int_equal(args.option.count, 0);
    assert_int_equal(args.batch_size, 128);
    bnre_opt_clear(table, ROWS, &args);
    assert_null(args.task);
}

static void names_are_found_with_dash_or_underscore(void **state)
{
    (void)state;
    assert_ptr_equal(bnre_opt_find(table, ROWS, "batch-size"), &table[8]);
    assert_ptr_equal(bnre_opt_find(table, ROWS, "batch_size"), &table[8]);
    assert_null(bnre_opt_find(table, ROWS, "batch"));
    assert_string_equal(bnre_opt_nearest(table, ROWS, "cuont"), "count");
    assert_string_equal(bnre_opt_nearest(table, ROWS, "batchsize"),
                        "batch_size");
    assert_null(bnre_opt_nearest(table, ROWS, "wavelength"));
}

static void whole_numbers_are_exact_or_refused(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},         {"100000", 100000},
        {"1e6", 1000000}, {"1E+2", 100},
        {"2.5e3", 2500},  {"1.0", 1},
        {"0.5e1", 5},     {"2^17", 131072},
        {"10^3", 1000},   {"2^63", (uint64_t)1 << 63},
        {"0^0", 1},       {"1^99999999999", 1},
        {"0e99999", 0},   {"18446744073709551615", UINT64_MAX},
        {"3.", 3},
    };
    static const char *const no_number[] = {
        "",   "abc",  "1.5",    "1e",  "2^",   "1e-3", " 1",
        "1 ", "0x10", "1.25e1", "2^x", "1e5x", "--1",  ".5e1"};
    static const char *const large[] = {
        "18446744073709551616",   "1e20",  "2^64",
        "1e99999999999999999999", "10^20", "18446744073709551616.0"};
    uint64_t value;
    size_t size;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_ok(bnre__read_seed(good[i].text, NULL, "n", &value));
        assert_true(value == good[i].value);
        assert_ok(bnre__read_size(good[i].text, NULL, "n", &size));
        assert_true(size == good[i].value);
    }
    for (size_t i = 0; i < sizeof no_number / sizeof *no_number; i++) {
        value = 7;
        assert_fails(bnre__read_seed(no_number[i], NULL, "n", &value),
                     BNRE_EUSAGE, "n: \" ... whole number");
        assert_true(value == 7);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        assert_fails(bnre__read_size(large[i], NULL, "n", &size), BNRE_EUSAGE,
                     "is too large");
    assert_fails(bnre__read_size("-5", NULL, "n", &size), BNRE_EUSAGE,
                 "n must be 0 or more, got -5");
    assert_fails(bnre__read_size("-5", "[1, inf)", "n", &size), BNRE_EUSAGE,
                 "n must be 1 or more, got -5");
}

static void intervals_hold_at_their_ends(void **state)
{
    static const struct {
        const char *rule, *text, *message; /* NULL: accepted */
    } cases[] = {
        {"[1, inf)", "1", NULL},
        {"[1, inf)", "0.99", "w must be 1 or more, got 0.99"},
        {"[1, inf)", "inf", "w must be 1 or more"},
        {"[1, inf]", "inf", NULL},
        {"(0, inf)", "0", "w must ... more than 0, got 0"},
        {"(0, 1]", "1", NULL},
        {"(0, 1]", "0", "w must ... more than 0 ... most 1, got 0"},
        {"[0, 1)", "1", "w must ... least 0 ... less than 1, got 1"},
        {"[0,1]", "2", "w must be from 0 to 1, got 2"},
        {"(-inf, 0]", "0.5", "w must be 0 or less, got 0.5"},
        {"(-inf, 0)", "0", "w must ... less than 0, got 0"},
        {NULL, "-1e300", NULL},
        {NULL, "1e999", "w must be finite"},
        {NULL, "nan", "w: \"nan\" is not a number"},
        {NULL, "abc", "w: \"abc\" is not a number"},
        {NULL, "", "w: \"\" is not a number"},
        {NULL, "1 2", "w: \"1 2\" is not a number"},
        {NULL, " 1", "is not a number"},
    };
    static const char *const rules[] = {"",      "1",        "[2, 1]", "{0, 1}",
                                        "[0, 1", "[0, 1] x", "[a, b]"};
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre_status status =
            bnre__read_real(cases[i].text, cases[i].rule, "w", &value);

        if (cases[i].message != NULL)
            assert_fails(status, BNRE_EUSAGE, cases[i].message);
        else
            assert_true(status == BNRE_OK &&
                        value == strtod(cases[i].text, NULL));
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        assert_fails(bnre__read_real("1", rules[i], "w", &value), BNRE_EINVAL,
                     "is no interval");
}

static void wrong_values_are_explained(void **state)
{
    struct args args;

    (void)state;
    assert_ok(bnre_opt_init(table, ROWS, &args));
    assert_fails(set(&args, "count", "0"), BNRE_EUSAGE,
                 "count must be 1 or more, got 0");
    assert_fails(set(&args, "lambda", "abc"), BNRE_EUSAGE,
                 "lambda: \"abc\" is not a number");
    assert_fails(
        set(&args, "split", "tset"), BNRE_EUSAGE,
        "split ... train, validate, test ... \"tset\" ... you ... \"test\"");
    assert_fails(set(&args, "split", "holdout"), BNRE_EUSAGE,
                 "split ... train, validate, test ... \"holdout\"");
    assert_fails(set(&args, "force", "maybe"), BNRE_EUSAGE,
                 "force ... yes or no, got \"maybe\"");
    assert_fails(set(&args, "task", ""), BNRE_EUSAGE, "task ... empty");
    assert_int_equal(args.count, 1024);
    assert_string_equal(args.task, "gaussian");
    bnre_opt_clear(table, ROWS, &args);
}

static void flags_have_many_spellings(void **state)
{
    static const char *const yes[] = {"yes", "true", "on", "1", "Yes", "TRUE"};
    static const char *const no[] = {"no", "false", "off", "0", "Off"};
    struct args args;

    (void)state;
    assert_ok(bnre_opt_init(table, ROWS, &args));
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        args.force = 0;
        assert_ok(set(&args, "force", yes[i]));
        assert_int_equal(args.force, 1);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        args.force = 1;
        assert_ok(set(&args, "force", no[i]));
        assert_int_equal(args.force, 0);
    }
    bnre_opt_clear(table, ROWS, &args);
}

static bnre_status add_text(bnre_node *parent, const char *key,
                            const char *text)
{
    bnre_status status = BNRE_OK;
    bnre_node *child = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_TEXT, text, &child));
    BNRE_TRY(bnre_node_add(parent, key, child));
done:
    return status;
}

static bnre_status build_map(bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL, *inner = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(add_text(map, "count", "1e3"));
    BNRE_TRY(add_text(map, "batch-size", "32"));
    BNRE_TRY(add_text(map, "split", "test"));
    BNRE_TRY(add_text(map, "task", "slcp"));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &inner));
    BNRE_TRY(bnre_node_add(map, "option", inner));
    BNRE_TRY(add_text(inner, "dim", "3"));
    BNRE_TRY(add_text(inner, "noise", "0.5"));
    *out = map;
    map = NULL;
done:
    bnre_node_destroy(map);
    return status;
}

static void files_set_what_flags_did_not(void **state)
{
    unsigned char given[ROWS] = {0};
    struct args args;
    bnre_node *map = NULL;

    (void)state;
    assert_ok(build_map(&map));
    assert_ok(bnre_opt_init(table, ROWS, &args));
    assert_ok(set(&args, "count", "5"));
    given[1] = 1;
    assert_ok(bnre_opt_set_map(table, ROWS, &args, map, given));
    assert_int_equal(args.count, 5);
    assert_int_equal(args.batch_size, 32);
    assert_int_equal(args.split, 2);
    assert_string_equal(args.task, "slcp");
    assert_int_equal(args.option.count, 2);
    assert_string_equal(args.option.text[0], "dim=3");
    assert_string_equal(args.option.text[1], "noise=0.5");
    assert_int_equal(given[8], 1);
    assert_int_equal(given[0], 0);
    bnre_opt_clear(table, ROWS, &args);
    bnre_node_destroy(map);
}

static void wrong_settings_in_files_have_a_place(void **state)
{
    static const struct {
        const char *key, *text, *message;
    } cases[] = {
        {"cuont", "1",
         "s.yaml:4: unknown setting \"cuont\": did you mean "
         "\"count\"?"},
        {"wavelength", "1", "s.yaml:4: unknown setting \"wavelength\""},
        {"count", "0", "s.yaml:4: count must be 1 or more, got 0"},
        {"count", NULL, "s.yaml:4: count ... value, not a list"},
    };
    struct args args;
    bnre_node *map = NULL, *child = NULL;

    (void)state;
    assert_ok(bnre_opt_init(table, ROWS, &args));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
        assert_ok(
            bnre_node_create(cases[i].text ? BNRE_NODE_TEXT : BNRE_NODE_LIST,
                             cases[i].text, &child));
        child->file = "s.yaml";
        child->line = 4;
        assert_ok(bnre_node_add(map, cases[i].key, child));
        assert_fails(bnre_opt_set_map(table, ROWS, &args, map, NULL),
                     BNRE_EUSAGE, cases[i].message);
        assert_fails(bnre_opt_set_map(table, ROWS, &args, map->child[0], NULL),
                     BNRE_EUSAGE, "s.yaml:4: settings (key: value)");
        bnre_node_destroy(map);
    }
    bnre_opt_clear(table, ROWS, &args);
}

static void a_setting_with_two_spellings_is_given_twice(void **state)
{
    struct args args;
    bnre_node *map = NULL;

    (void)state;
    assert_ok(bnre_opt_init(table, ROWS, &args));
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    assert_ok(bnre_node_set(map, "batch_size", "1"));
    assert_ok(bnre_node_set(map, "batch-size", "2"));
    assert_fails(bnre_opt_set_map(table, ROWS, &args, map, NULL), BNRE_EUSAGE,
                 "batch_size ... twice");
    bnre_node_destroy(map);
    bnre_opt_clear(table, ROWS, &args);
}

/* Set, record, set again from the record: everything comes back. */
static bnre_status record_and_read_back(void *arg)
{
    struct args args = {0}, again = {0};
    bnre_node *map = NULL, *record = NULL;
    bnre_status status = BNRE_OK;
    char *text = NULL, *text_again = NULL;

    (void)arg;
    BNRE_TRY(build_map(&map));
    BNRE_TRY(bnre_opt_init(table, ROWS, &args));
    BNRE_TRY(bnre_opt_set_map(table, ROWS, &args, map, NULL));
    BNRE_TRY(set(&args, "lambda", "0.3"));
    BNRE_TRY(bnre_opt_record(table, ROWS, &args, &record));
    BNRE_TRY(bnre_node_write(record, &text));
    assert_string_equal(text, "count: 1000\nseed: 1\nlambda: 0.3\n"
                              "task: slcp\nsplit: test\n"
                              "option:\n  - dim=3\n  - noise=0.5\n");
    BNRE_TRY(bnre_opt_init(table, ROWS, &again));
    BNRE_TRY(bnre_opt_set_map(table, ROWS, &again, record, NULL));
    bnre_node_destroy(record);
    record = NULL;
    BNRE_TRY(bnre_opt_record(table, ROWS, &again, &record));
    BNRE_TRY(bnre_node_write(record, &text_again));
    assert_string_equal(text, text_again);
done:
    bnre_free(text);
    bnre_free(text_again);
    bnre_node_destroy(record);
    bnre_node_destroy(map);
    bnre_opt_clear(table, ROWS, &args);
    bnre_opt_clear(table, ROWS, &again);
    return status;
}

static void records_read_back_equal_and_survive_lack_of_memory(void **state)
{
    (void)state;
    assert_ok(record_and_read_back(NULL));
    assert_survives_lack_of_memory(record_and_read_back, NULL);
}

static bnre_status choose_wrongly(void *arg)
{
    int choice;
    bnre_status status = bnre__read_choice("c", "a|b", "w", &choice);

    (void)arg;
    return status == BNRE_EUSAGE ? BNRE_OK : status;
}

static void complaints_survive_lack_of_memory(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(choose_wrongly, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(names_are_found_with_dash_or_underscore),
        cmocka_unit_test(whole_numbers_are_exact_or_refused),
        cmocka_unit_test(intervals_hold_at_their_ends),
        cmocka_unit_test(wrong_values_are_explained),
        cmocka_unit_test(flags_have_many_spellings),
        cmocka_unit_test(files_set_what_flags_did_not),
        cmocka_unit_test(wrong_settings_in_files_have_a_place),
        cmocka_unit_test(a_setting_with_two_spellings_is_given_twice),
        cmocka_unit_test(records_read_back_equal_and_survive_lack_of_memory),
        cmocka_unit_test(complaints_survive_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
