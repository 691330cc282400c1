#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/study.h"
#include "study/study.h"
#include "support.h"

static bnre_study *parse_as(const char *file, const char *text)
{
    bnre_study *study = NULL;

    assert_ok(bnre__study_parse(text, file, 0, NULL, &study));
    return study;
}

static bnre_study *parse(const char *text)
{
    return parse_as("try/it.yaml", text);
}

static void assert_refused(const char *text, const char *message)
{
    bnre_study *study = NULL;

    assert_fails(bnre__study_parse(text, "it.yaml", 0, NULL, &study),
                 BNRE_EUSAGE, message);
    assert_null(study);
}

static void a_study_of_one_cell_needs_a_task_only(void **state)
{
    bnre_study *study = parse("task: gaussian\n");
    bnre_study_info info = bnre_study_describe(study);
    bnre_study_cell cell = bnre_study_cell_at(study, 0);

    (void)state;
    assert_string_equal(info.title, "it");
    assert_int_equal(info.cells, 1);
    assert_int_equal(info.repeats, 1);
    assert_int_equal(info.seed, 1);
    assert_int_equal(info.keys, 0);
    assert_string_equal(cell.name, "single");
    assert_string_equal(cell.task, "gaussian");
    assert_int_equal(info.datasets, 2);
    assert_string_equal(bnre_study_dataset_at(study, 0).name,
                        "gaussian-train.h5");
    assert_string_equal(bnre_study_dataset_at(study, 1).name,
                        "gaussian-test.h5");
    assert_int_equal(bnre_study_dataset_at(study, 1).rows, 10000);
    assert_int_equal(cell.dataset[BNRE_SPLIT_TRAIN], 0);
    assert_int_equal(cell.dataset[BNRE_SPLIT_TEST], 1);
    assert_true(cell.dataset[BNRE_SPLIT_VALIDATE] == BNRE_NO_DATASET);
    bnre__study_destroy(study);
}

static void cells_are_the_product_of_the_axes(void **state)
{
    static const char *const names[] = {
        "method=nre,simulations=1024",
        "method=nre,simulations=2048",
        "method=bnre,simulations=1024",
        "method=bnre,simulations=2048",
    };
    bnre_study *study = parse("task: weinberg\nrepeats: 5\n"
                              "sweep:\n  method: [nre, bnre]\n"
                              "  simulations: [2^10, 2048]\n");
    bnre_study_info info = bnre_study_describe(study);

    (void)state;
    assert_int_equal(info.cells, 4);
    assert_int_equal(info.repeats, 5);
    assert_int_equal(info.keys, 2);
    assert_string_equal(info.key[1], "simulations");
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(bnre_study_cell_at(study, i).name, names[i]);
    assert_string_equal(bnre_study_cell_at(study, 2).value[0], "bnre");
    assert_int_equal(bnre_study_cell_at(study, 3).simulations, 2048);
    /* All draw from the data of the largest budget. */
    assert_int_equal(info.datasets, 2);
    assert_int_equal(bnre_study_dataset_at(study, 0).rows, 2048);
    assert_true(bnre_study_dataset_at(study, 0).bytes > 2048 * 12.0);
    bnre__study_destroy(study);
}

/* The seed of the cell with this name, first repeat. */
static uint64_t seed_of(const char *text, const char *name, size_t repeat)
{
    bnre_study *study = parse(text);
    uint64_t seed = 0;

    for (size_t i = 0; i < bnre_study_describe(study).cells; i++)
        if (strcmp(bnre_study_cell_at(study, i).name, name) == 0)
            seed = bnre__study_seed(study, i, repeat);
    assert_true(seed != 0);
    bnre__study_destroy(study);
    return seed;
}

static void seeds_belong_to_settings_and_repeat_alone(void **state)
{
    const char *name = "simulations=1024";
    const char *text = "task: gaussian\nsweep: {simulations: [1024, 2048]}\n";
    uint64_t seed = seed_of(text, name, 1);

    (void)state;
    assert_true(seed < UINT64_C(1) << 53);
    /* Another spelling, a longer axis, other places, explicit defaults, keys of
       the diagnosis: all the same. */
    assert_true(seed ==
                seed_of("task: gaussian\n"
                        "sweep: {simulations: [64, 2^10, 2048, 9999]}\n"
                        "method: npe\nmembers: 10\ntrust: auto\ngrid: paper\n"
                        "test: 500\n",
                        name, 1));
    assert_true(seed == seed_of("task: {name: gaussian}\nsimulations: 1024\n",
                                "single", 1));
    /* The method that the recipe means. */
    assert_true(seed_of("task: gaussian\nrecipe: paper\nepochs: 9\n", "single",
                        1) == seed_of("task: gaussian\nrecipe: paper\n"
                                      "epochs: 9\nmethod: bnre\n",
                                      "single", 1));
    /* And these are others. */
    assert_true(seed != seed_of(text, name, 2));
    assert_true(seed != seed_of(text, "simulations=2048", 1));
    assert_true(seed != seed_of("task: gaussian\nseed: 2\nsimulations: 1024\n",
                                "single", 1));
    assert_true(seed !=
                seed_of("task: gaussian\nlambda: 10\nsimulations: 1024\n",
                        "single", 1));
    assert_true(seed !=
                seed_of("task: gaussian\nmethod: bnre\nsimulations: 1024\n",
                        "single", 1));
    assert_true(seed != seed_of("task: {name: gaussian, options: {dim: 3}}\n"
                                "simulations: 1024\n",
                                "single", 1));
    assert_true(seed != seed_of("task: gaussian\nsimulations: 1024\n"
                                "network: {head: {hidden: [8]}}\n",
                                "single", 1));
}

static void lambda_has_no_part_in_nre(void **state)
{
    bnre_study *study = parse("task: gaussian\n"
                              "sweep: {method: [nre, bnre], lambda: [1, 10]}");

    (void)state;
    assert_int_equal(bnre_study_describe(study).cells, 3);
    assert_string_equal(bnre_study_cell_at(study, 0).name, "method=nre");
    assert_null(bnre_study_cell_at(study, 0).value[1]);
    assert_string_equal(bnre_study_cell_at(study, 1).name,
                        "method=bnre,lambda=1");
    bnre__study_destroy(study);
    assert_refused("task: gaussian\nmethod: nre\nlambda: 5\n",
                   "it.yaml:3: lambda ... method nre");
    assert_refused("task: gaussian\nsweep:\n  method: [nre]\n"
                   "  lambda: [5, 6]\n",
                   "it.yaml:4: lambda ... axis ... no cell");
}

static void keys_of_maps_can_be_axes(void **state)
{
    bnre_study *study = parse("task: gaussian\nsweep:\n"
                              "  task.options.dim: [1, 2]\n"
                              "  network.head.hidden: [[8], [8, 8]]\n");
    bnre_study_cell cell = bnre_study_cell_at(study, 2);

    (void)state;
    assert_int_equal(bnre_study_describe(study).cells, 4);
    assert_memory_equal(cell.name, "task.options.dim=2,network.head.hidden=",
                        strlen("task.options.dim=2,network.head.hidden="));
    assert_non_null(strstr(cell.settings, "dim: 2"));
    /* Two tasks of one name: their data are told apart. */
    assert_int_equal(bnre_study_describe(study).datasets, 4);
    assert_string_not_equal(bnre_study_dataset_at(study, 0).name,
                            bnre_study_dataset_at(study, 1).name);
    bnre__study_destroy(study);
}

static void keys_can_vary_together(void **state)
{
    bnre_study *study = parse("task: gaussian\nsweep:\n"
                              "  together:\n"
                              "    - {method: nre, weights: last}\n"
                              "    - {method: bnre, weights: best}\n"
                              "  simulations: [64, 128]\n");

    (void)state;
    assert_int_equal(bnre_study_describe(study).cells, 4);
    assert_string_equal(bnre_study_cell_at(study, 3).name,
                        "method=bnre,weights=best,simulations=128");
    bnre__study_destroy(study);
    assert_refused("task: gaussian\nsweep:\n  method: [nre, bnre]\n"
                   "  together: [{method: nre}]\n",
                   "it.yaml:4: method ... two axes");
    assert_refused("task: gaussian\nsweep:\n  together: [{method: nre},\n"
                   "    {weights: last}]\n",
                   "it.yaml:4: ... together ... same keys");
    assert_refused("task: gaussian\nsweep: {together: [nre]}\n",
                   "together ... map");
}

/* The names of all cells, and what readers see of the key number `key`. */
static void assert_labels(const char *text, size_t key, size_t n,
                          const char *const (*label)[2])
{
    bnre_study *study = parse(text);

    assert_int_equal(bnre_study_describe(study).cells, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(bnre_study_cell_at(study, i).name, label[i][0]);
        assert_string_equal(study->cell[i].shown[key], label[i][1]);
    }
    bnre__study_destroy(study);
}

static void lists_and_maps_are_named_by_what_they_are(void **state)
{
    static const char *const one[][2] = {{"network.head.hidden=8x8", "8x8"},
                                         {"network.head.hidden=16", "16"}};
    static const char *const few[][2] = {{"network=8-selu", "8"},
                                         {"network=16x16-selu", "16x16"}};
    static const char *const more[][2] = {
        {"network=8-selu", "hidden 8, activation selu"},
        {"network=16x16-selu", "hidden 16x16, activation selu"},
        {"network=8-elu", "hidden 8, activation elu"},
        {"network=mlp", "mlp"}};

    (void)state;
    assert_labels("task: gaussian\nnetwork: {head: {activation: selu}}\n"
                  "sweep: {network.head.hidden: [[8, 8], [16]]}\n",
                  0, 2, one);
    assert_labels("task: gaussian\nsweep:\n  network:\n"
                  "  - {head: {hidden: [8], activation: selu}}\n"
                  "  - {head: {hidden: [16, 16], activation: selu}}\n",
                  0, 2, few);
    /* A longer axis changes no name, but what has to be told. */
    assert_labels("task: gaussian\nsweep:\n  network:\n"
                  "  - {head: {hidden: [8], activation: selu}}\n"
                  "  - {head: {hidden: [16, 16], activation: selu}}\n"
                  "  - {head: {hidden: [8], activation: elu}}\n"
                  "  - mlp\n",
                  0, 4, more);
}

static void trees_are_told_apart_where_they_differ(void **state)
{
    static const char head[] = "head: {hidden: [8], activation: selu}";
    static const char task[] = "task: {name: own, parameters: {a: 'normal(0, "
                               "1)'}, observable: [1, 16],\n"
                               "  simulator: {command: [cat]}}\n";
    bnre_study *study;
    char text[2000];

    (void)state;
    snprintf(text, sizeof text,
             "%ssweep:\n  together:\n"
             "  - {members: 1, network: {%s}}\n"
             "  - {members: 2, network: {%s}}\n"
             "  - {members: 1, network: {embedding: [{conv1d: {channels: 4, "
             "kernel: 3, padding: 1}}, flatten], %s}}\n",
             task, head, head, head);
    study = parse_as("it.yaml", text);
    assert_string_equal(study->cell[0].shown[1], "no embedding");
    assert_string_equal(study->cell[1].shown[1], "no embedding");
    assert_string_equal(study->cell[2].shown[1], "conv1d-4-3-1-flatten");
    bnre__study_destroy(study);
    /* Deep inside, and under the same word at two places. */
    snprintf(text, sizeof text,
             "%ssweep:\n  network:\n"
             "  - {embedding: [{conv1d: {channels: 4, kernel: 3, padding: 1}}, "
             "{conv1d: {channels: 4, kernel: 3}}, flatten], %s}\n"
             "  - {embedding: [{conv1d: {channels: 5, kernel: 3, padding: 1}}, "
             "{conv1d: {channels: 6, kernel: 3}}, flatten], %s}\n",
             task, head, head);
    study = parse_as("it.yaml", text);
    assert_string_equal(study->cell[1].shown[0],
                        "embedding.1.conv1d.channels 5, "
                        "embedding.2.conv1d.channels 6");
    /* Too long for a name: cut, and still its own. */
    assert_true(strncmp(study->cell[0].name, "network=conv1d-4-3-1-conv1d-4-3",
                        31) == 0);
    assert_int_equal(strlen(study->cell[0].name), strlen("network=") + 32);
    assert_string_not_equal(study->cell[0].name, study->cell[1].name);
    bnre__study_destroy(study);
    /* Tasks of one name. */
    study =
        parse_as("it.yaml", "sweep:\n  task:\n"
                            "  - {name: own, parameters: {a: 'normal(0, 1)'}, "
                            "observable: [1], simulator: {command: [cat]}}\n"
                            "  - {name: own, parameters: {a: 'normal(0, 2)'}, "
                            "observable: [1], simulator: {command: [cat]}}\n");
    assert_string_equal(study->cell[0].name, "task=own");
    assert_string_equal(study->cell[0].shown[0], "normal(0, 1)");
    assert_string_equal(study->cell[1].shown[0], "normal(0, 2)");
    bnre__study_destroy(study);
}

static void data_of_several_sizes_have_names_of_their_own(void **state)
{
    bnre_study *study = parse("task: slcp\nrecipe: paper\n"
                              "sweep: {validation: [10000, 131072]}\n");
    bnre_study_cell cell = bnre_study_cell_at(study, 0);

    (void)state;
    assert_int_equal(bnre_study_describe(study).datasets, 5);
    assert_string_equal(
        bnre_study_dataset_at(study, cell.dataset[BNRE_SPLIT_VALIDATE]).name,
        "slcp-validate-10000.h5");
    cell = bnre_study_cell_at(study, 1);
    assert_string_equal(
        bnre_study_dataset_at(study, cell.dataset[BNRE_SPLIT_VALIDATE]).name,
        "slcp-validate.h5");
    assert_int_equal(
        bnre_study_dataset_at(study, cell.dataset[BNRE_SPLIT_TRAIN]).rows,
        131072);
    assert_int_equal(
        bnre_study_dataset_at(study, cell.dataset[BNRE_SPLIT_SCHEDULE]).rows,
        131072);
    bnre__study_destroy(study);
}

static void settings_can_be_set_from_outside(void **state)
{
    const char *set[] = {"batch-size=32", "method=nre", "task.options.dim=3",
                         "sweep.simulations=[64, 128]"};
    bnre_study *study = NULL;

    (void)state;
    assert_ok(bnre__study_parse("task: gaussian\nbatch_size: 64\nsweep:\n"
                                "  method: [nre, bnre]\n  simulations: [99]\n",
                                "it.yaml", 4, set, &study));
    assert_int_equal(bnre_study_describe(study).cells, 2);
    assert_string_equal(bnre_study_cell_at(study, 1).name, "simulations=128");
    assert_non_null(
        strstr(bnre_study_cell_at(study, 1).settings, "batch_size: 32"));
    assert_non_null(strstr(bnre_study_cell_at(study, 1).settings, "dim: 3"));
    bnre__study_destroy(study);
    set[0] = "epoch=3";
    assert_fails(
        bnre__study_parse("task: gaussian\n", "it.yaml", 1, set, &study),
        BNRE_EUSAGE, "unknown setting \"epoch\" ... you ... \"epochs\"");
    set[0] = "epochs";
    assert_fails(
        bnre__study_parse("task: gaussian\n", "it.yaml", 1, set, &study),
        BNRE_EUSAGE, "epochs ... key=value");
    set[0] = "sweep={a: [}";
    assert_fails(
        bnre__study_parse("task: gaussian\n", "it.yaml", 1, set, &study),
        BNRE_EUSAGE, "`set: sweep={a: [}`");
}

static void the_text_reads_back_to_the_same_plan(void **state)
{
    bnre_study *study = parse("task: gaussian\nrepeats: 2\nseed: 2^5\nsweep:\n"
                              "  method: [nre, bnre]\n"
                              "  simulations: [2^6, 128]\n");
    bnre_study_info info = bnre_study_describe(study);
    bnre_study *again = NULL;

    (void)state;
    assert_non_null(strstr(info.text, "seed: 32\n"));
    assert_non_null(strstr(info.text, "test: 10000\n"));
    assert_ok(bnre__study_parse(info.text, "other.yaml", 0, NULL, &again));
    assert_string_equal(bnre_study_describe(again).text, info.text);
    assert_string_equal(bnre_study_describe(again).title, "it");
    for (size_t i = 0; i < info.cells; i++) {
        assert_string_equal(bnre_study_cell_at(study, i).name,
                            bnre_study_cell_at(again, i).name);
        assert_true(bnre__study_seed(study, i, 2) ==
                    bnre__study_seed(again, i, 2));
    }
    bnre__study_destroy(study);
    bnre__study_destroy(again);
}

static void misspelt_keys_are_told_with_place_and_nearest(void **state)
{
    (void)state;
    assert_refused("task: gaussian\nmethd: nre\n",
                   "it.yaml:2: unknown setting \"methd\": did you mean "
                   "\"method\"?");
    assert_refused("task: gaussian\nsweep:\n  simulatons: [1]\n",
                   "it.yaml:3: unknown axis \"simulatons\": did you mean "
                   "\"simulations\"?");
    assert_refused("task: gausian\n", "it.yaml:1: unknown task \"gausian\"");
    assert_refused("task: gaussian\nmethod: bnr\n",
                   "it.yaml:2: method must be");
    assert_refused("task: gaussian\nsweep: {method: [nre, bnr]}\n",
                   "did you mean \"bnre\"?");
    assert_refused("task: gaussian\nbatch_size: 64\nbatch-size: 64\n",
                   "it.yaml:3: \"batch_size\" is given twice");
}

static void axes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_refused("task: gaussian\nsweep:\n  method: []\n",
                   "it.yaml:3: ... axis method ... empty");
    assert_refused("task: gaussian\nsweep:\n  method: nre\n",
                   "it.yaml:3: ... axis ... list");
    assert_refused("task: gaussian\nsweep: [method]\n",
                   "it.yaml:2: sweep ... map");
    assert_refused("task: gaussian\nsweep:\n  seed: [1, 2]\n",
                   "it.yaml:3: seed ... axis ... repeats");
    assert_refused("task: gaussian\nsweep:\n  lambda.max: [1, 2]\n",
                   "it.yaml:3: lambda ... no keys");
    assert_refused("task: gaussian\nmethod: nre\n"
                   "sweep: {method: [nre, bnre]}\n",
                   "it.yaml:2: method ... set ... axis");
    assert_refused("task: gaussian\nsweep: {simulations: [1024, 2^10]}\n",
                   "simulations has the value 1024 twice");
    assert_refused("task: gaussian\nsweep:\n"
                   "  simulations: [1]\n"
                   "  task.options.dim: [nothing]\n",
                   "it.yaml:4:");
}

static void theory_needs_a_density_of_the_prior(void **state)
{
    char *path = strdup(scratch_path("prior.csv")), text[256];
    FILE *file = fopen(path, "w");

    (void)state;
    fprintf(file, "theta_0,theta_1\n0,1\n1,0\n-1,2\n");
    fclose(file);
    snprintf(text, sizeof text,
             "task: {name: gaussian, prior_samples: %s}\ntheorems: 100\n",
             path);
    assert_refused(text, "it.yaml:2: ... prior ... draws");
    free(path);
}

static void contradictory_settings_are_refused(void **state)
{
    (void)state;
    assert_refused("method: nre\n", "it.yaml ... no task");
    assert_refused("- task\n", "it.yaml ... study ... map");
    assert_refused("task: gaussian\npool: 100\nsimulations: 200\n",
                   "it.yaml:2: pool is 100, less than the 200 simulations");
    assert_refused("task: gaussian\nschedule: 100\n",
                   "it.yaml:2: schedule ... recipe default");
    assert_refused("task: gaussian\ntrust: auto\nmembers: 1\n",
                   "it.yaml:2: trust: auto ... 1 cannot ... folds");
    assert_refused("task: gaussian\ntrust: auto\ntemper: 0.5\n",
                   "it.yaml:2: trust: auto ... temper");
    bnre__study_destroy(parse("task: gaussian\ntrust: auto\nlambda: auto\n"));
    assert_refused("task: mg1\ntheorems: 100\n",
                   "it.yaml:2: ... task mg1 ... likelihood");
    assert_refused("task: gaussian\ntheorems: 10\n",
                   "it.yaml:2: 10 pairs are too few: 20 are the least");
    assert_refused("task: gaussian\ntest: 0\nlearning_curve: yes\n",
                   "it.yaml:3: ... no pairs");
    assert_refused("task: gaussian\nobservations: 3\ntheorems: 50\n",
                   "it.yaml:3: theorems ... single");
    assert_refused("task: gaussian\nlearning_curve: yes\nobservations: 3\n",
                   "it.yaml:2: learning curves ... single");
    assert_refused("task: gaussian\nlocal: yes\n",
                   "it.yaml:2: ... posterior ... observation");
    assert_refused("task: gaussian\neffort: 0.5\n", "it.yaml:2: effort");
    bnre__study_destroy(parse("task: gaussian\nlambda: 10\n"
                              "sweep: {trust: [no, auto]}\n"));
    assert_refused("task: gaussian\ngrid: papier\n",
                   "it.yaml:2: grid ... auto, chains, paper");
    assert_refused("task: gaussian\ngrid: 20\ndraws: 100\n",
                   "it.yaml:3: draws ... grid is 20");
    assert_refused("task: gaussian\nnetwork:\n"
                   "  head: {hidden: [8], activation: seluu}\n",
                   "it.yaml:2: network: head, layer 2 (seluu)");
}

static bnre_status parse_everything(void *arg)
{
    const char *set[] = {"epochs=3", "task.options.dim=2"};
    bnre_study *study = NULL;
    bnre_status status;

    (void)arg;
    status = bnre__study_parse("task: gaussian\nnetwork: mlp\nsweep:\n"
                               "  method: [nre, bnre]\n  lambda: [1, 2]\n"
                               "  together: [{weights: last, members: 2}]\n",
                               "it.yaml", 2, set, &study);
    bnre__study_destroy(study);
    return status;
}

static bnre_status parse_trees(void *arg)
{
    bnre_study *study = NULL;
    bnre_status status;

    (void)arg;
    status = bnre__study_parse(
        "task: gaussian\nnetwork: {head: {}}\nsweep:\n"
        "  network.head: [{hidden: [8], activation: elu}, {hidden: [4]}]\n",
        "it.yaml", 0, NULL, &study);
    bnre__study_destroy(study);
    return status;
}

/* A density of ten parameters has ten heads of three layers of 64, head j with
   10 + j inputs and 24 outputs. */
static void
the_network_that_is_estimated_is_the_one_that_is_trained(void **state)
{
    bnre_study *study = parse("task: {name: gaussian, options: {dim: 10}}\n"
                              "method: npe\nmembers: 3\nepochs: 10\n"
                              "simulations: 100\ntest: 50\n");
    bnre_study_estimate estimate;
    size_t weights = 0;

    (void)state;
    for (size_t j = 0; j < 10; j++)
        weights += (10 + j + 1) * 64 + 2 * (64 + 1) * 64 + (64 + 1) * 24;
    assert_ok(bnre__study_estimate_costs(study, &estimate));
    assert_close(estimate.runs,
                 3 * (8 * (double)weights + 250 * 10) + 8 * 100 + 20e3, 1);
    bnre__study_destroy(study);
}

static void lack_of_memory_is_an_error(void **state)
{
    (void)state;
    assert_survives_lack_of_memory(parse_everything, NULL);
    assert_survives_lack_of_memory(parse_trees, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_of_one_cell_needs_a_task_only),
        cmocka_unit_test(cells_are_the_product_of_the_axes),
        cmocka_unit_test(seeds_belong_to_settings_and_repeat_alone),
        cmocka_unit_test(lambda_has_no_part_in_nre),
        cmocka_unit_test(keys_of_maps_can_be_axes),
        cmocka_unit_test(keys_can_vary_together),
        cmocka_unit_test(lists_and_maps_are_named_by_what_they_are),
        cmocka_unit_test(trees_are_told_apart_where_they_differ),
        cmocka_unit_test(data_of_several_sizes_have_names_of_their_own),
        cmocka_unit_test(settings_can_be_set_from_outside),
        cmocka_unit_test(the_text_reads_back_to_the_same_plan),
        cmocka_unit_test(misspelt_keys_are_told_with_place_and_nearest),
        cmocka_unit_test(axes_that_make_no_sense_are_refused),
        cmocka_unit_test(theory_needs_a_density_of_the_prior),
        cmocka_unit_test(contradictory_settings_are_refused),
        cmocka_unit_test(
            the_network_that_is_estimated_is_the_one_that_is_trained),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
