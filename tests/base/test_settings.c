#include <string.h>

#include "bnre/settings.h"
#include "support.h"

static bnre_status build_and_write(void *arg)
{
    bnre_node *root = NULL, *list = NULL, *inner = NULL;
    bnre_status status = BNRE_OK;
    char **out = arg;
    char *text = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    BNRE_TRY(bnre_node_set(root, "task", "slcp"));
    BNRE_TRY(bnre_node_set(root, "empty", NULL));
    BNRE_TRY(bnre_node_branch(root, "none", BNRE_NODE_LIST, &list));
    BNRE_TRY(bnre_node_branch(root, "nothing", BNRE_NODE_MAP, &list));
    BNRE_TRY(bnre_node_branch(root, "layers", BNRE_NODE_LIST, &list));
    BNRE_TRY(bnre_node_set(list, NULL, "selu"));
    BNRE_TRY(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &inner));
    BNRE_TRY(bnre_node_set(inner, "channels", "8"));
    BNRE_TRY(bnre_node_set(inner, "kernel", "-3"));
    BNRE_TRY(bnre_node_branch(list, NULL, BNRE_NODE_LIST, &inner));
    BNRE_TRY(bnre_node_set(inner, NULL, "a"));
    BNRE_TRY(bnre_node_set(inner, NULL, "b: c"));
    BNRE_TRY(bnre_node_write(root, &text));
    if (out != NULL) {
        *out = text;
        text = NULL;
    }
done:
    bnre_free(text);
    bnre_node_destroy(root);
    return status;
}

static void setting_a_key_again_replaces_it(void **state)
{
    bnre_node *root = NULL, *list = NULL;

    (void)state;
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    assert_ok(bnre_node_branch(root, "a", BNRE_NODE_LIST, &list));
    assert_ok(bnre_node_set(root, "b", "1"));
    assert_ok(bnre_node_set(root, "a", "2"));
    assert_int_equal(root->count, 2);
    assert_string_equal(bnre_node_find(root, "a")->text, "2");
    assert_string_equal(root->child[0]->key, "a");
    bnre_node_destroy(root);
}

static void copies_keep_places_and_lose_what_is_removed(void **state)
{
    bnre_node *root = NULL, *list = NULL, *copy = NULL;

    (void)state;
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &root));
    assert_ok(bnre_node_branch(root, "a", BNRE_NODE_LIST, &list));
    assert_ok(bnre_node_set(list, NULL, "1"));
    assert_ok(bnre_node_set(root, "b", "2"));
    assert_ok(bnre_node_set(root, "c", "3"));
    root->child[0]->file = "it.yaml";
    root->child[0]->line = 7;
    assert_ok(bnre_node_copy(root, &copy));
    bnre_node_remove(copy, "b");
    bnre_node_remove(copy, "none");
    assert_int_equal(copy->count, 2);
    assert_string_equal(copy->child[1]->key, "c");
    assert_string_equal(copy->child[0]->child[0]->text, "1");
    assert_fails(bnre_node_fail(copy->child[0], "no"), BNRE_EUSAGE,
                 "it.yaml:7: no");
    assert_int_equal(root->count, 3);
    bnre_node_destroy(copy);
    bnre_node_destroy(root);
}

static void trees_are_written_as_block_yaml(void **state)
{
    char *text = NULL;

    (void)state;
    assert_ok(build_and_write(&text));
    assert_string_equal(text, "task: slcp\n"
                              "empty: \"\"\n"
                              "none: []\n"
                              "nothing: {}\n"
                              "layers:\n"
                              "  - selu\n"
                              "  - channels: 8\n"
                              "    kernel: -3\n"
                              "  - - a\n"
                              "    - \"b: c\"\n");
    bnre_free(text);
}

static void building_survives_lack_of_memory(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(build_and_write, NULL);
}

static void children_are_found_by_key_and_in_order(void **state)
{
    bnre_node *map = NULL;

    (void)state;
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    assert_ok(bnre_node_set(map, "b", "1"));
    assert_ok(bnre_node_set(map, "a", "2"));
    assert_int_equal(map->count, 2);
    assert_string_equal(map->child[0]->key, "b");
    assert_string_equal(bnre_node_find(map, "a")->text, "2");
    assert_null(bnre_node_find(map, "c"));
    assert_null(bnre_node_find(bnre_node_find(map, "a"), "c"));
    assert_null(bnre_node_find(NULL, "c"));
    bnre_node_destroy(map);
}

static void misuse_is_refused(void **state)
{
    bnre_node *map = NULL, *list = NULL, *text = NULL, *twice = NULL;
    char key[300];

    (void)state;
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = 0;
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    assert_ok(bnre_node_create(BNRE_NODE_LIST, NULL, &list));
    assert_ok(bnre_node_create(BNRE_NODE_TEXT, "x", &text));
    assert_ok(bnre_node_set(map, "a", "1"));
    assert_fails(bnre_node_branch(map, "a", BNRE_NODE_LIST, &twice),
                 BNRE_EUSAGE, "\"a\" is given twice");
    assert_fails(bnre_node_set(map, key, "2"), BNRE_EUSAGE, "299 letters");
    assert_fails(bnre_node_set(map, NULL, "2"), BNRE_EINVAL,
                 "only maps have keys");
    assert_fails(bnre_node_set(list, "a", "2"), BNRE_EINVAL,
                 "only maps have keys");
    assert_fails(bnre_node_set(text, NULL, "2"), BNRE_EINVAL, "no children");
    assert_int_equal(map->count, 1);
    bnre_node_destroy(text);
    bnre_node_destroy(list);
    bnre_node_destroy(map);
    bnre_node_destroy(NULL);
}

static void unknown_keys_are_reported_with_place_and_nearest(void **state)
{
    static const char *const keys[] = {"count", "seed", NULL};
    bnre_node *map = NULL;

    (void)state;
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    assert_ok(bnre_node_set(map, "seed", "1"));
    assert_ok(bnre_node_check_keys(map, keys));
    assert_ok(bnre_node_set(map, "cuont", "1"));
    assert_fails(bnre_node_check_keys(map, keys), BNRE_EUSAGE,
                 "unknown setting \"cuont\" ... you ... \"count\"");
    map->child[1]->file = "study.yaml";
    map->child[1]->line = 3;
    assert_fails(bnre_node_check_keys(map, keys), BNRE_EUSAGE,
                 "study.yaml:3: unknown setting");
    assert_ok(bnre_node_set(map, "observable", "1"));
    bnre_free(map->child[1]->key);
    map->child[1]->key = NULL;
    assert_ok(bnre__strdup("count", &map->child[1]->key));
    assert_fails(bnre_node_check_keys(map, keys), BNRE_EUSAGE,
                 "unknown setting \"observable\"");
    assert_null(strstr(bnre_error_message(), "did you mean"));
    assert_fails(bnre_node_check_keys(map->child[0], keys), BNRE_EUSAGE,
                 "settings (key: value)");
    bnre_node_destroy(map);
}

static void bytes_that_are_no_utf8_are_not_written(void **state)
{
    static const char *const bad[] = {
        "caf\xe9",         "\x80",         "\xc3",
        "\xc0\x80",        "\xed\xa0\x80", "\xf8\x88",
        "\xf4\x90\x80\x80"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bnre_node *node = NULL;
        char *text = NULL;

        assert_ok(bnre_node_create(BNRE_NODE_TEXT, bad[i], &node));
        assert_fails(bnre_node_write(node, &text), BNRE_EUSAGE, "not UTF-8");
        assert_null(text);
        bnre_node_destroy(node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_a_key_again_replaces_it),
        cmocka_unit_test(copies_keep_places_and_lose_what_is_removed),
        cmocka_unit_test(trees_are_written_as_block_yaml),
        cmocka_unit_test(building_survives_lack_of_memory),
        cmocka_unit_test(children_are_found_by_key_and_in_order),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(unknown_keys_are_reported_with_place_and_nearest),
        cmocka_unit_test(bytes_that_are_no_utf8_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
