/* Diagnoses as files, and samples from files. */
#include "output/diag_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "densities.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/h5.h"
#include "io/json.h"
#include "io/npy.h"
#include "output/diagnosis_record.h"
#include "pairs.h"
#include "support.h"

enum { N = 60 };

struct setup {
    bnre_prior *prior;
    normal_guess guess[2];
    bnre_density density;
    pairs pairs;
    bnre_diag *diag;
};

static int set_up(void **state)
{
    static const double temper[] = {1, 0.5};
    struct setup *s = test_malloc(sizeof *s);
    bnre_diag_opts opts = bnre_diag_opts_default();

    s->prior = prior_of(2, "normal(0, 1)");
    s->guess[0] = s->guess[1] = (normal_guess){s->prior, 0.5, 0};
    s->density = normal_guess_ensemble(s->guess);
    s->pairs = pairs_gaussian(N, 2, 1, 5);
    opts.cells = 6;
    opts.temper = temper;
    opts.n_temper = 2;
    opts.each_member = 1;
    assert_ok(bnre_diagnose(&s->density, N, 1, s->pairs.theta, s->pairs.x,
                            &opts, &s->diag));
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct setup *s = *state;

    bnre_diag_destroy(s->diag);
    pairs_free(&s->pairs);
    bnre_prior_destroy(s->prior);
    test_free(s);
    return 0;
}

static double real_at(const bnre__json *root, const char *key, const char *then)
{
    return bnre__json_as_real(
        bnre__json_find(bnre__json_find(root, key), then));
}

static bnre_status write_record(bnre_diag *diag, const bnre_node *made,
                                const char *path)
{
    return bnre__diagnosis_write(
        &(bnre__diagnosis_record){.diag = diag, .made = made}, path);
}

static void json_holds_the_result(void **state)
{
    const struct setup *s = *state;
    bnre_diag *d = s->diag;
    const char *path = scratch_path("d.json");
    const bnre__json *list, *item;
    bnre_node *made, *inner;
    bnre__json *root;

    assert_ok(bnre_node_create(BNRE_NODE_MAP, NULL, &made));
    assert_ok(bnre_node_set(made, "data", "0123"));
    assert_ok(bnre_node_branch(made, "settings", BNRE_NODE_MAP, &inner));
    assert_ok(bnre_node_set(inner, "grid", "6"));
    assert_ok(write_record(d, made, path));
    assert_ok(bnre__json_read(path, &root));
    assert_string_equal(bnre__json_as_text(bnre__json_find(root, "verdict")),
                        bnre_verdict_name(d->curve[0].judgement.verdict));
    assert_true(holds_facts(bnre__json_as_text(bnre__json_find(root, "words")),
                            bnre_verdict_name(d->curve[0].judgement.verdict)));
    assert_close(bnre__json_as_real(bnre__json_find(root, "pairs")), N, 0);
    list = bnre__json_find(root, "coverage");
    assert_int_equal(bnre__json_count(list), BNRE_DIAG_LEVELS);
    assert_close(bnre__json_as_real(bnre__json_at(list, 4)),
                 d->curve[0].coverage.share[4], 1e-14);
    assert_close(real_at(root, "auc", "mean"), d->curve[0].coverage.auc.mean,
                 1e-14);
    assert_close(real_at(root, "information", "error"),
                 d->curve[0].information.error, 1e-14);
    assert_close(real_at(root, "balance", "mean"), d->balance.mean, 1e-14);
    list = bnre__json_find(root, "parameters");
    assert_int_equal(bnre__json_count(list), 2);
    item = bnre__json_at(list, 1);
    assert_string_equal(bnre__json_as_text(bnre__json_find(item, "name")), "b");
    assert_close(real_at(item, "variance", "mean"),
                 d->parameter[1].variance.mean, 1e-14);
    assert_int_equal(bnre__json_count(bnre__json_find(
                         bnre__json_find(item, "sbc"), "histogram")),
                     20);
    list = bnre__json_find(root, "curves");
    assert_int_equal(bnre__json_count(list), 2);
    assert_close(
        bnre__json_as_real(bnre__json_find(bnre__json_at(list, 1), "temper")),
        0.5, 0);
    assert_int_equal(bnre__json_count(bnre__json_find(root, "members")), 2);
    item = bnre__json_find(root, "made");
    assert_string_equal(bnre__json_as_text(bnre__json_find(
                            bnre__json_find(item, "settings"), "grid")),
                        "6");
    bnre__json_destroy(root);
    bnre_node_destroy(made);
}

/* All but the sentences, which follow from what is not in the file. */
static void assert_same_record(const char *a, const char *b)
{
    static const char *const key[] = {"version",
                                      "pairs",
                                      "asked",
                                      "observations",
                                      "grid",
                                      "points",
                                      "evaluations",
                                      "seed",
                                      "levels",
                                      "temper",
                                      "verdict",
                                      "delta",
                                      "eps",
                                      "least_gain",
                                      "low_levels",
                                      "coverage",
                                      "coverage_low",
                                      "coverage_high",
                                      "coverage_band",
                                      "auc",
                                      "mean_auc",
                                      "information",
                                      "ess_median",
                                      "ess_low",
                                      "doubling",
                                      "log_posterior",
                                      "log_posterior_median",
                                      "raw_log_posterior",
                                      "balance",
                                      "normalised_balance",
                                      "volume",
                                      "parameters",
                                      "tarp",
                                      "spread",
                                      "members",
                                      "advice",
                                      "theorem",
                                      "learning_curve",
                                      "other_prior"};
    bnre__json *one, *two;

    assert_ok(bnre__json_read(a, &one));
    assert_ok(bnre__json_read(b, &two));
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (!bnre__json_same(bnre__json_find(one, key[i]),
                             bnre__json_find(two, key[i])))
            fail_msg("%s differs", key[i]);
    assert_int_equal(bnre__json_count(bnre__json_find(two, "curves")), 2);
    bnre__json_destroy(one);
    bnre__json_destroy(two);
}

static void what_is_written_is_read(void **state)
{
    const struct setup *s = *state;
    struct bnre_advice_item item[] = {{"enough", (char *)"no more"},
                                      {"pairs", (char *)"take more pairs"}};
    const bnre_estimate one = {0.25, 0.125};
    const bnre__diagnosis_record record = {
        .diag = s->diag,
        .advised = 1,
        .advice = {2, item},
        .theorem = {50, 1, one, one, one, one, one, one, 1},
        .curve = {3,
                  {1, 2, 4},
                  {one, one, one},
                  {0.5, 0.25, 0.125},
                  {0.1, 0.2, 0.3},
                  1,
                  2,
                  3,
                  4,
                  5,
                  6},
        .other_prior = 1,
        .rows = 70,
        .change = {.outside = 0.5, .exact = 1, .most = 2.5, .lost = 0.001}};
    bnre__diagnosis_record *found;
    char first[300];

    snprintf(first, sizeof first, "%s", scratch_path("first.json"));
    assert_ok(bnre__diagnosis_write(&record, first));
    assert_ok(bnre__diagnosis_read(first, &found));
    assert_ok(bnre__diagnosis_write(found, scratch_path("second.json")));
    assert_same_record(first, scratch_path("second.json"));
    assert_string_equal(found->version, BNRE_VERSION);
    assert_true(holds_facts(
        found->words,
        bnre_verdict_name(found->diag->curve[0].judgement.verdict)));
    assert_int_equal(found->diag->curve[1].judgement.verdict,
                     s->diag->curve[1].judgement.verdict);
    bnre__diagnosis_destroy(found);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What is not there is not known; what is there and unknown is refused. */
static void hostile_records_are_survived(void **state)
{
    const char *path = scratch_path("odd.json");
    bnre__diagnosis_record *found;

    (void)state;
    write_text(path, "{\"parameters\": [1, {\"name\": 3}], \"pairs\": -4,"
                     "\"advice\": {}, \"curves\": [], \"members\": [0]}");
    assert_ok(bnre__diagnosis_read(path, &found));
    assert_null(bnre__diagnosis_curve(found));
    assert_int_equal(found->diag->n, 0);
    assert_int_equal(found->diag->dim, 2);
    assert_true(isnan(found->diag->parameter[1].bias.mean));
    bnre__diagnosis_destroy(found);
    write_text(path, "{\"verdict\": \"FINE\"}");
    assert_fails(bnre__diagnosis_read(path, &found), BNRE_EFORMAT, "FINE");
    write_text(path, "{\"grid\": \"hexagons\"}");
    assert_fails(bnre__diagnosis_read(path, &found), BNRE_EFORMAT, "hexagons");
}

/* Unknown numbers are null, which reads as NaN. */
static void unknown_is_null(void **state)
{
    const struct setup *s = *state;
    const bnre_diag_opts opts = bnre_diag_opts_default();
    const char *path = scratch_path("null.json");
    bnre_diag_samples in = {.n = N,
                            .samples = 1,
                            .dim = 2,
                            .theta = s->pairs.theta,
                            .sample = s->pairs.theta};
    bnre__json *root;
    bnre_diag *diag;
    char *text;
    size_t bytes;

    assert_ok(bnre_diagnose_samples(&in, &opts, &diag));
    assert_ok(write_record(diag, NULL, path));
    assert_ok(bnre__file_read_all(path, 1 << 20, &text, &bytes));
    assert_null(strstr(text, "nan"));
    assert_ok(bnre__json_read(path, &root));
    assert_true(isnan(real_at(root, "balance", "mean")));
    assert_null(bnre__json_find(root, "verdict"));
    bnre__json_destroy(root);
    bnre__free(text);
    bnre_diag_destroy(diag);
}

static void tables_hold_levels_and_pairs(void **state)
{
    const struct setup *s = *state;
    const bnre_diag *d = s->diag;
    const char *path = scratch_path("d.csv");
    bnre__csv csv;

    assert_ok(bnre__diag_write_levels(d, path));
    assert_ok(bnre__csv_read(path, &csv));
    assert_int_equal(csv.rows, BNRE_DIAG_LEVELS);
    assert_string_equal(csv.name[1], "coverage");
    assert_true(csv.data[3 * csv.cols + 1] == d->curve[0].coverage.share[3]);
    assert_true(csv.data[3 * csv.cols + 6] == d->volume[3]);
    bnre__csv_clear(&csv);
    assert_ok(bnre__diag_write_pairs(d, path));
    assert_ok(bnre__csv_read(path, &csv));
    assert_int_equal(csv.rows, N);
    assert_int_equal(csv.cols, 2 + 2 + 6);
    assert_string_equal(csv.name[3], "rank.b");
    assert_string_equal(csv.name[4], "rank");
    assert_string_equal(csv.name[7], "rank_1_0.5");
    assert_true(csv.data[7 * csv.cols + 3] == d->parameter[1].rank[7]);
    assert_true(csv.data[7 * csv.cols + 8] == d->curve[1].gain[7]);
    bnre__csv_clear(&csv);
}

static void figures_come_with_script_and_data(void **state)
{
    static const char *const end[] = {"-coverage.gp", "-coverage.dat",
                                      "-sbc.gp", "-sbc.dat"};
    const struct setup *s = *state;
    char stem[300], path[400];
    int drawn;

    snprintf(stem, sizeof stem, "%s", scratch_path("figure"));
    assert_ok(bnre__diag_draw(s->diag, stem, "svg", &drawn));
    for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
        snprintf(path, sizeof path, "%s%s", stem, end[i]);
        assert_true(bnre__file_exists(path));
    }
    snprintf(path, sizeof path, "%s-coverage.svg", stem);
    assert_int_equal(bnre__file_exists(path), drawn);
    snprintf(path, sizeof path, "%s-sbc.svg", stem);
    assert_int_equal(bnre__file_exists(path), drawn);
    assert_fails(bnre__diag_draw(s->diag, stem, "bmp", NULL), BNRE_EUSAGE,
                 "bmp");
}

/* Arrays of a .npz, each with the number of its dimensions. */
struct member {
    const char *name;
    size_t ndim, shape[3];
    const double *data;
};

static const char *npz(const char *name, size_t n, const struct member *member)
{
    const char *path = scratch_path(name);
    bnre__file *file;
    bnre__npz *archive;

    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npz_begin(file, &archive));
    for (size_t i = 0; i < n; i++) {
        size_t bytes = sizeof(double);

        for (size_t k = 0; k < member[i].ndim; k++)
            bytes *= member[i].shape[k];
        assert_ok(bnre__npz_member(archive, member[i].name, 'f', 8,
                                   member[i].ndim, member[i].shape));
        assert_ok(bnre__npz_write(archive, member[i].data, bytes));
    }
    assert_ok(bnre__npz_end(archive));
    bnre__npz_destroy(archive);
    assert_ok(bnre__file_commit(file));
    return path;
}

static void samples_are_read_from_npz(void **state)
{
    double data[24];
    const struct member all[] = {{"samples", 3, {3, 4, 2}, data},
                                 {"theta", 2, {3, 2}, data},
                                 {"log_density", 2, {3, 4}, data},
                                 {"log_density_true", 1, {3}, data + 5}};
    const struct member one[] = {{"samples", 2, {3, 4}, data}};
    const struct member theta[] = {all[0], {"theta", 2, {3, 1}, data}};
    const struct member deep[] = {{"samples", 1, {3}, data}};
    bnre_diag_samples in;

    (void)state;
    for (size_t i = 0; i < 24; i++)
        data[i] = (double)i / 8;
    assert_ok(bnre__diag_samples_read(npz("all.npz", 4, all), &in));
    assert_int_equal(in.n, 3);
    assert_int_equal(in.samples, 4);
    assert_int_equal(in.dim, 2);
    assert_memory_equal(in.sample, data, sizeof data);
    assert_memory_equal(in.theta, data, 6 * sizeof *data);
    assert_true(in.log_density_true[2] == data[7]);
    bnre__diag_samples_clear(&in);
    /* One parameter needs no dimension of its own. */
    assert_ok(bnre__diag_samples_read(npz("one.npz", 1, one), &in));
    assert_int_equal(in.dim, 1);
    assert_null(in.theta);
    bnre__diag_samples_clear(&in);
    assert_fails(bnre__diag_samples_read(npz("theta.npz", 2, theta), &in),
                 BNRE_EFORMAT, "array theta ... 3 rows ... 1 values");
    assert_fails(bnre__diag_samples_read(npz("deep.npz", 1, deep), &in),
                 BNRE_EFORMAT, "should have the shape");
    assert_fails(bnre__diag_samples_read(npz("none.npz", 1, all + 1), &in),
                 BNRE_EFORMAT, "has no array samples");
    assert_fails(bnre__diag_samples_read("no/such.npz", &in), BNRE_EIO,
                 "no/such.npz");
}

static void samples_are_read_from_h5_and_npy(void **state)
{
    const size_t shape[] = {3, 4, 2};
    const char *path = scratch_path("samples.h5");
    bnre__h5_writer *writer;
    bnre_diag_samples in;
    bnre__file *file;
    double data[24];
    size_t id;

    (void)state;
    for (size_t i = 0; i < 24; i++)
        data[i] = (double)i / 8;
    assert_ok(bnre__h5_writer_create(path, 4, 100, &writer));
    assert_ok(bnre__h5_writer_array(writer, "samples", 'f', 8, 3, shape, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, 0, 3, data));
    assert_ok(bnre__h5_writer_commit(writer));
    assert_ok(bnre__diag_samples_read(path, &in));
    assert_int_equal(in.samples, 4);
    assert_memory_equal(in.sample, data, sizeof data);
    bnre__diag_samples_clear(&in);
    path = scratch_path("samples.npy");
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npy_write_header(file, 'f', 8, 3, shape));
    assert_ok(bnre__file_write(file, data, sizeof data));
    assert_ok(bnre__file_commit(file));
    assert_ok(bnre__diag_samples_read(path, &in));
    assert_int_equal(in.n, 3);
    assert_memory_equal(in.sample, data, sizeof data);
    bnre__diag_samples_clear(&in);
}

static bnre_status with_little_memory(void *arg)
{
    const struct setup *s = arg;
    bnre__diagnosis_record *found = NULL;
    bnre_status status = BNRE_OK;

    BNRE_TRY(write_record(s->diag, NULL, scratch_path("m.json")));
    BNRE_TRY(bnre__diagnosis_read(scratch_path("m.json"), &found));
    BNRE_TRY(bnre__diag_write_levels(s->diag, scratch_path("m.csv")));
    BNRE_TRY(bnre__diag_write_pairs(s->diag, scratch_path("m.csv")));
done:
    bnre__diagnosis_destroy(found);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    assert_survives_lack_of_memory(with_little_memory, *state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(json_holds_the_result),
        TEST(what_is_written_is_read),
        cmocka_unit_test(hostile_records_are_survived),
        TEST(unknown_is_null),
        TEST(tables_hold_levels_and_pairs),
        TEST(figures_come_with_script_and_data),
        cmocka_unit_test(samples_are_read_from_npz),
        cmocka_unit_test(samples_are_read_from_h5_and_npy),
        TEST(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
