#include "bnre/settings.h"
#include "bnre/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char study[] = "# a study\n"
                            "task: slcp\n"
                            "lambda: 1e-3   # stays text\n"
                            "flag: off\n"
                            "missing:\n"
                            "quoted: 'a: b'\n"
                            "network:\n"
                            "  - conv1d: {channels: 8, kernel: 012}\n"
                            "  - selu\n"
                            "shape: [2, 128]\n";

static void scalars_stay_text_and_know_their_place(void **state)
{
    bnre_node *root = NULL;
    const bnre_node *node;

    (void)state;
    assert_ok(bnre_yaml_parse(study, "study.yaml", &root));
    assert_int_equal(root->kind, BNRE_NODE_MAP);
    assert_int_equal(root->count, 7);
    assert_string_equal(bnre_node_find(root, "lambda")->text, "1e-3");
    assert_string_equal(bnre_node_find(root, "flag")->text, "off");
    assert_string_equal(bnre_node_find(root, "missing")->text, "");
    assert_string_equal(bnre_node_find(root, "quoted")->text, "a: b");
    node = bnre_node_find(root, "network");
    assert_int_equal(node->kind, BNRE_NODE_LIST);
    assert_string_equal(node->child[1]->text, "selu");
    assert_null(node->child[1]->key);
    assert_int_equal(node->child[1]->line, 9);
    node = bnre_node_find(node->child[0], "conv1d");
    node = bnre_node_find(node, "kernel");
    assert_string_equal(node->text, "012");
    assert_int_equal(node->line, 8);
    assert_int_equal(node->column, 27);
    assert_fails(bnre_node_fail(node, "too %s", "odd"), BNRE_EUSAGE,
                 "study.yaml:8: too odd");
    bnre_node_destroy(root);
}

static void empty_documents_are_empty_maps(void **state)
{
    static const char *const texts[] = {"",      "\n", "# nothing\n",
                                        "---\n", "{}", "\xef\xbb\xbf"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bnre_node *root = NULL;

        assert_ok(bnre_yaml_parse(texts[i], "e.yaml", &root));
        assert_int_equal(root->kind, BNRE_NODE_MAP);
        assert_int_equal(root->count, 0);
        bnre_node_destroy(root);
    }
}

static void malformed_text_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a: 1\nb: [1, 2\nc: 3\n", "s.yaml:3:2: "},
        {"a: 1\n  b: 2\n", "s.yaml:2:4: "},
        {"a: 1\nb: &x 2\n", "s.yaml:2:4: anchors"},
        {"a: 1\nb: *x\n", "s.yaml:2:4: aliases"},
        {"a: !!int 1\n", "s.yaml:1:4: tags"},
        {"a: !x [1]\n", "s.yaml:1:4: tags"},
        {"a: &x {b: 1}\n", "s.yaml:1:4: anchors"},
        {"&k a: 1\n", "s.yaml:1:1: anchors"},
        {"a: 1\nb: 2\n a: 3\n", "s.yaml:3:3: "},
        {"a: 1\nb: 2\na: 3\n", "s.yaml:3:1: \"a\" ... twice ... line 1"},
        {"x: {a: 1, a: 2}\n", "s.yaml:1:11: \"a\" is given twice"},
        {"[1]: 2\n", "s.yaml:1:1: a key must be"},
        {"a: 1\n---\nb: 2\n", "s.yaml:2:1: a second document"},
        {"a:\n\tb: 1\n", "s.yaml:2:1: ... spaces"},
        {"a: \"\\0\"\n", "s.yaml:1:4: ... zero"},
        {"a: 1\nb: \xff\n", "s.yaml:2:4: no UTF-8"},
        {"a: \x01\n", "s.yaml:1:4: no UTF-8 text: control characters"},
        {"a: 'open\n", "s.yaml:2:1: "},
        {"x: {a: uniform(0, 1)}\n",
         "s.yaml:1:8: ... comma ... uniform(0: ... \"uniform(0, 1)\""},
        {"x: [1, {\xc3\xa4: f(g(1), 2), b: 3}]\n",
         "s.yaml:1:12: ... comma ... f(g(1): ... \"f(g(1), 2)\""},
        {"[f(1, 2)]\n", "in quotes, \"f(1, 2)\""},
        {"{f(1, 2)}\n", "in quotes, \"f(1, 2)\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre_node *root = NULL;

        assert_fails(bnre_yaml_parse(cases[i].text, "s.yaml", &root),
                     BNRE_EUSAGE, cases[i].message);
        assert_null(root);
    }
}

static void parentheses_without_commas_need_no_quotes(void **state)
{
    static const char *const texts[] = {
        "{a: f(1), b: (2}",
        "[a-(, x]",
        "{a: f(\n  1)}",
        "a: f(1, 2)\nb: {c: 1}",
        "{a: 'f(1, 2)', b: \"(1, 2)\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bnre_node *root = NULL;

        assert_ok(bnre_yaml_parse(texts[i], "s.yaml", &root));
        bnre_node_destroy(root);
    }
}

/* `n` times `unit`. */
static char *repeat(const char *unit, size_t n)
{
    size_t length = strlen(unit);
    char *text = malloc(n * length + 1);

    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * length, unit, length);
    text[n * length] = 0;
    return text;
}

static void hostile_files_are_refused_cheaply(void **state)
{
    static const struct {
        const char *unit;
        size_t n;
        const char *message;
    } cases[] = {
        {"[", 100000, "1:65: nested too deeply"},
        {"{a: ", 100000, "nested too deeply"},
        {"- ", 100000, "nested too deeply"},
        {"- a\n", 200000, "too many values"},
        {"aaaaaaaa", 1 << 20, "too large"},
    };
    bnre_node *root = NULL;
    char *text, *at;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text = repeat(cases[i].unit, cases[i].n);
        assert_fails(bnre_yaml_parse(text, "h.yaml", &root), BNRE_EUSAGE,
                     cases[i].message);
        free(text);
    }
    text = at = malloc(200000);
    assert_non_null(text);
    for (int i = 0; i <= 10000; i++)
        at += snprintf(at, 16, "k%d:\n", i);
    assert_fails(bnre_yaml_parse(text, "h.yaml", &root), BNRE_EUSAGE,
                 "too many keys");
    free(text);
}

/* Keys, kinds, texts and order; not places. */
static int same(const bnre_node *a, const bnre_node *b)
{
    if (a->kind != b->kind || a->count != b->count ||
        (a->key == NULL) != (b->key == NULL) ||
        (a->key != NULL && strcmp(a->key, b->key) != 0) ||
        (a->kind == BNRE_NODE_TEXT && strcmp(a->text, b->text) != 0))
        return 0;
    for (size_t i = 0; i < a->count; i++)
        if (!same(a->child[i], b->child[i]))
            return 0;
    return 1;
}

static void assert_reads_back(const bnre_node *node)
{
    bnre_node *again = NULL;
    char *text = NULL;

    assert_ok(bnre_node_write(node, &text));
    assert_ok(bnre_yaml_parse(text, "again.yaml", &again));
    if (!same(node, again))
        fail_msg("does not read back equal:\n%s", text);
    bnre_node_destroy(again);
    bnre_free(text);
}

static void what_is_written_reads_back_equal(void **state)
{
    bnre_node *root = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse(study, "study.yaml", &root));
    assert_reads_back(root);
    bnre_node_destroy(root);
}

/* `text` as key, as value, in a list, and in a map in a list in a list. */
static void check_text(const char *text)
{
    bnre_node *root = NULL, *list = NULL, *inner = NULL, *map = NULL;
    bnre_node *leaf[3];

    for (int i = 0; i < 3; i++)
        assert_ok(bnre_node_create(BNRE_NODE_TEXT, text, &leaf[i]));
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    assert_ok(bnre_node_create(BNRE_NODE_LIST, NULL, &list));
    assert_ok(bnre_node_create(BNRE_NODE_LIST, NULL, &inner));
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    assert_ok(bnre_node_add(root, text, leaf[0]));
    assert_ok(bnre_node_add(root, "list of this test", list));
    assert_ok(bnre_node_add(list, NULL, leaf[1]));
    assert_ok(bnre_node_add(list, NULL, inner));
    assert_ok(bnre_node_add(inner, NULL, map));
    assert_ok(bnre_node_add(map, text, leaf[2]));
    assert_reads_back(root);
    if (text[0] != 0) /* an empty document is an empty map */
        assert_reads_back(leaf[1]);
    bnre_node_destroy(root);
}

/* A file that is looked at, in an editor or on a terminal, says what it says.
 */
static void what_is_not_seen_is_spelt_out(void **state)
{
    static const char evil[] = "a\033[2J\u202etxt\u2066\u200f\u2028\x7f";
    bnre_node *node = NULL;
    char *text = NULL;
    char shown[128];

    (void)state;
    check_text(evil);
    assert_ok(bnre_node_create(BNRE_NODE_TEXT, evil, &node));
    assert_ok(bnre_node_write(node, &text));
    assert_int_equal(bnre_show_text(shown, sizeof shown, text, 1),
                     strlen(text));
    assert_string_equal(shown, text);
    bnre_free(text);
    bnre_node_destroy(node);
}

static void awkward_texts_read_back_equal(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        " a",
        "a ",
        "a: b",
        "a:",
        ":a",
        "a #b",
        "#a",
        "a#b",
        "- a",
        "-",
        "--",
        "---",
        "--- a",
        "...",
        "... a",
        "-1",
        "-.5",
        "-x",
        "? a",
        "?",
        "[a",
        "a]",
        "{a",
        "a}",
        "a, b",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "'a'",
        "\"a\"",
        "%a",
        "@a",
        "`a",
        "a\nb",
        "a\n",
        "\n",
        "\ta",
        "a\tb",
        "a\\b",
        "a\rb",
        "\x01",
        "\x7f",
        "~",
        "null",
        "yes",
        "0x1f",
        "1e-3",
        "uniform(0, 10)",
        "<<",
        "=",
        "a'b",
        "a\"b",
        "\xc3\xa4",
        "\xc2\x85",
        "\xc2\xa0",
        "\xe2\x80\xa8",
        "\xef\xbb\xbf",
        "\xf0\x9f\x98\x80",
        "\xef\xbf\xbf",
        "C:\\dir",
        "http://a.b/c#d",
        "a:b",
    };
    char longest[201];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i]);
    /* The longest key allowed, every byte of which needs an escape. */
    memset(longest, 1, sizeof longest);
    longest[200] = 0;
    check_text(longest);
}

/* All short texts over an alphabet of trouble makers: 7 + 49 + 343 */
static void all_short_texts_of_special_characters_read_back(void **state)
{
    static const char letters[] = "- :#\na'";
    const size_t base = sizeof letters - 1;

    (void)state;
    for (size_t length = 1, total = base; length <= 3; length++, total *= base)
        for (size_t i = 0; i < total; i++) {
            char text[8] = {0};

            for (size_t k = 0, rest = i; k < length; k++, rest /= base)
                text[k] = letters[rest % base];
            check_text(text);
        }
}

static void files_are_read_or_complained_about(void **state)
{
    const char *path = scratch_path("study.yaml");
    FILE *file = fopen(path, "wb");
    bnre_node *root = NULL;

    (void)state;
    assert_non_null(file);
    fputs(study, file);
    fclose(file);
    assert_ok(bnre_yaml_read(path, &root));
    assert_string_equal(root->file, path);
    assert_string_equal(bnre_node_find(root, "task")->file, path);
    bnre_node_destroy(root);

    assert_fails(bnre_yaml_read(scratch_path("absent.yaml"), &root), BNRE_EIO,
                 "absent.yaml");
    assert_null(root);
    path = scratch_path("zero.yaml");
    file = fopen(path, "wb");
    assert_non_null(file);
    fwrite("a: 1\0b", 1, 6, file);
    fclose(file);
    assert_fails(bnre_yaml_read(path, &root), BNRE_EUSAGE, "zero bytes");
}

static bnre_status parse(void *arg)
{
    bnre_node *root = NULL;
    bnre_status status = bnre_yaml_parse(arg, "s.yaml", &root);

    bnre_node_destroy(root);
    return status;
}

static bnre_status read_file(void *arg)
{
    bnre_node *root = NULL;
    bnre_status status = bnre_yaml_read(arg, &root);

    bnre_node_destroy(root);
    return status;
}

static void reading_survives_lack_of_memory(void **state)
{
    char text[sizeof study];
    char path[256];
    FILE *file;

    (void)state;
    memcpy(text, study, sizeof text);
    assert_survives_lack_of_memory(parse, text);
    text[0] = 0;
    assert_survives_lack_of_memory(parse, text);
    snprintf(path, sizeof path, "%s", scratch_path("memory.yaml"));
    file = fopen(path, "wb");
    assert_non_null(file);
    fputs(study, file);
    fclose(file);
    assert_survives_lack_of_memory(read_file, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_stay_text_and_know_their_place),
        cmocka_unit_test(empty_documents_are_empty_maps),
        cmocka_unit_test(malformed_text_is_refused_with_its_place),
        cmocka_unit_test(parentheses_without_commas_need_no_quotes),
        cmocka_unit_test(hostile_files_are_refused_cheaply),
        cmocka_unit_test(what_is_written_reads_back_equal),
        cmocka_unit_test(awkward_texts_read_back_equal),
        cmocka_unit_test(what_is_not_seen_is_spelt_out),
        cmocka_unit_test(all_short_texts_of_special_characters_read_back),
        cmocka_unit_test(files_are_read_or_complained_about),
        cmocka_unit_test(reading_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
