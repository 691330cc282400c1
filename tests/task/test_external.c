/* Settings of external programs. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "support.h"
#include "task/external/external.h"

static const char *const name[] = {"rate", "drift"};
static const bnre__placeholders names = {2, name};

/* As if the settings stood in a file `file`. */
static bnre_status create(const char *yaml, const char *file,
                          bnre__external **out)
{
    bnre_node *settings = NULL;
    bnre_status status = bnre_yaml_parse(yaml, file, &settings);

    *out = NULL;
    if (status == BNRE_OK)
        status = bnre__external_create(settings, &names, out);
    bnre_node_destroy(settings);
    return status;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void defaults_are_as_documented(void **state)
{
    bnre__external *external = NULL;

    (void)state;
    assert_ok(create("command: [prog, -x, '']", "a.yaml", &external));
    assert_int_equal(external->argc, 3);
    assert_string_equal(external->argv[2], "");
    assert_null(external->argv[3]);
    assert_int_equal(external->reply, BNRE__REPLY_TEXT);
    assert_true(external->timeout == 60);
    assert_int_equal(external->workers, 0);
    assert_int_equal(external->abort, 0);
    assert_int_equal(external->once, 0);
    bnre__external_destroy(external);
}

static void mistakes_are_named_with_their_place(void **state)
{
    static const struct {
        const char *yaml, *message;
    } wrong[] = {
        {"command: python3 sim.py", "a.yaml:1: command ... list"},
        {"command: []", "a.yaml:1: command ... list"},
        {"command: ['']", "a.yaml:1: ... argument ... text"},
        {"command: [a, [b]]", "a.yaml:1: ... argument ... text"},
        {"command: [a]\ntimout: 3", "a.yaml:2: unknown setting \"timout\""},
        {"command: [a]\ntimeout: 0", "a.yaml:2: timeout"},
        {"command: [a]\ntimeout: soon", "a.yaml:2: timeout: \"soon\""},
        {"command: [a]\ntimeout:", "a.yaml:2: timeout ... value"},
        {"command: [a]\nworkers: 0", "a.yaml:2: workers"},
        {"command: [a]\nreply: f16",
         "a.yaml:2: reply ... text, f32, f64 ... f16"},
        {"command: [a]\non_failure: ignore", "a.yaml:2: on_failure must be"},
        {"command: [a]\ninput: x", "there is no template"},
        {"command: [a, '{rate}']", "{drift} ... neither ... command"},
        {"command: [a, '{rate}', '{drifd}']", "did you mean {drift}?"},
        {"command: [a, '{rate}', '{drift}']\noutput: /tmp/x",
         "a.yaml:2: output must be relative"},
        {"command: [a]\ntemplate: absent.in", "a.yaml:2: template: "},
        {"command: [a]\ntemplate: t.in\ninput: x/y", "a.yaml:3: input ... '/'"},
        {"command: [a]\noutput: x", "{rate} is neither"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bnre__external *external = NULL;

        assert_fails(create(wrong[i].yaml, "a.yaml", &external), BNRE_EUSAGE,
                     wrong[i].message);
        assert_null(external);
    }
}

static void a_parameter_cannot_be_the_seed(void **state)
{
    static const char *const bad[] = {"seed"};
    const bnre__placeholders one = {1, bad};
    bnre__external *external = NULL;
    bnre_node *settings = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse("command: [a, '{seed}']", "a.yaml", &settings));
    assert_fails(bnre__external_create(settings, &one, &external), BNRE_EUSAGE,
                 "called seed");
    bnre_node_destroy(settings);
}

static void misspelt_places_in_templates_are_found(void **state)
{
    bnre__external *external = NULL;
    char yaml[256];

    (void)state;
    write_file(scratch_path("t.in"), "{print} {rate} {drfit}\n");
    snprintf(yaml, sizeof yaml, "command: [a]\ntemplate: %s",
             scratch_path("t.in"));
    assert_fails(create(yaml, "a.yaml", &external), BNRE_EUSAGE,
                 "{drfit} ... no parameter ... you ... {drift}");
}

/* Paths are relative to the settings; what is recorded is what was written. */
static void paths_start_at_the_settings(void **state)
{
    const char *yaml = "command: [./sim, table.dat, other.dat, input.nml, "
                       "res.dat, '{rate}', '{drift}']\n"
                       "template: input.nml.in\n"
                       "output: res.dat\n";
    char file[256], expected[4096], *directory;
    bnre__external *external = NULL;

    (void)state;
    write_file(scratch_path("table.dat"), "1\n");
    write_file(scratch_path("res.dat"), "1\n");
    write_file(scratch_path("input.nml"), "1\n");
    write_file(scratch_path("input.nml.in"), "{rate} {drift}\n");
    snprintf(file, sizeof file, "%s", scratch_path("study.yaml"));
    directory = realpath(scratch_path("."), NULL);
    assert_ok(create(yaml, file, &external));
    assert_string_equal(external->directory, directory);
    assert_string_equal(external->command[0], "./sim");
    snprintf(expected, sizeof expected, "%s/./sim", directory);
    assert_string_equal(external->argv[0], expected);
    snprintf(expected, sizeof expected, "%s/table.dat", directory);
    assert_string_equal(external->argv[1], expected);
    assert_string_equal(external->argv[2], "other.dat"); /* not there */
    assert_string_equal(external->argv[3], "input.nml"); /* of the scratch */
    assert_string_equal(external->argv[4], "res.dat");   /* directory */
    assert_string_equal(external->input, "input.nml");
    bnre__external_destroy(external);
    free(directory);
}

static void descriptions_read_back_equal(void **state)
{
    static const char *const yaml[] = {
        "command: [python3, sim.py]\nreply: f32\ntimeout: 0.125\n",
        "command: [a, '{rate}x', '{drift}', '', ' b']\noutput: x/y.dat\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++) {
        char *text[2] = {NULL, NULL};

        for (int k = 0; k < 2; k++) {
            bnre__external *external = NULL;
            bnre_node *map = NULL;

            assert_ok(create(k == 0 ? yaml[i] : text[0], "a.yaml", &external));
            assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
            assert_ok(bnre__external_describe(external, map));
            assert_ok(bnre_node_write(map, &text[k]));
            bnre_node_destroy(map);
            bnre__external_destroy(external);
        }
        assert_string_equal(text[0], text[1]);
        assert_null(strstr(text[0], "/tmp"));
        bnre_free(text[0]);
        bnre_free(text[1]);
    }
}

static void the_number_of_workers_is_not_recorded(void **state)
{
    bnre__external *external = NULL;
    bnre_node *map = NULL;

    (void)state;
    assert_ok(create("{command: [a], workers: 3, on_failure: abort}", "a.yaml",
                     &external));
    assert_int_equal(external->workers, 3);
    assert_int_equal(external->abort, 1);
    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    assert_ok(bnre__external_describe(external, map));
    assert_null(bnre_node_find(map, "workers"));
    assert_null(bnre_node_find(map, "on_failure"));
    bnre_node_destroy(map);
    bnre__external_destroy(external);
}

static bnre_status make_one(void *arg)
{
    bnre__external *external = NULL;
    bnre_status status = bnre__external_create(arg, &names, &external);

    bnre__external_destroy(external);
    return status;
}

static void lack_of_memory_is_reported(void **state)
{
    bnre_node *settings = NULL;

    (void)state;
    assert_ok(bnre_yaml_parse("{command: [a, './x', '{rate}', '{drift}'], "
                              "output: b, timeout: 2}",
                              "a.yaml", &settings));
    assert_survives_lack_of_memory(make_one, settings);
    bnre_node_destroy(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(a_parameter_cannot_be_the_seed),
        cmocka_unit_test(misspelt_places_in_templates_are_found),
        cmocka_unit_test(paths_start_at_the_settings),
        cmocka_unit_test(descriptions_read_back_equal),
        cmocka_unit_test(the_number_of_workers_is_not_recorded),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
