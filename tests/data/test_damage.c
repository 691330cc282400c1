/* A dataset that was changed after it was written is refused or gives what it
   gave before: nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/dataset.h"
#include "io/h5.h"
#include "probe.h"
#include "support.h"

/* HDF5 forgets memory of its own when it gives up on a damaged file. */
__attribute__((visibility("default"))) const char *
__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

enum { ROWS = 2500, FLIPS = 700 };

static int set_up(void **state)
{
    (void)state;
    probe_reset();
    the_probe.failing = 1;
    return 0;
}

static void make(const char *path)
{
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);

    opts.force = 1;
    assert_ok(probe_simulate(path, &opts, NULL));
}

static void make_other(const char *path)
{
    bnre_simulate_opts opts = probe_opts(ROWS, NULL);

    opts.force = 1;
    opts.seed = 77;
    assert_ok(probe_simulate(path, &opts, NULL));
}

static unsigned char *slurp(const char *path, size_t *bytes)
{
    unsigned char *data = malloc(1 << 20);
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    *bytes = fread(data, 1, 1 << 20, file);
    assert_true(*bytes < 1 << 20);
    fclose(file);
    return data;
}

static void spill(const char *path, const unsigned char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static void add_text(bnre__hash *hash, const char *text)
{
    bnre__hash_add_text(hash, text != NULL ? text : "-");
}

/* A hash of all that can be learnt from an open file. */
static bnre_status digest_of(bnre_dataset *data, char out[33])
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre__rows rows = bnre__dataset_rows(data);
    bnre_status status = BNRE_OK;
    bnre__block block = {0};
    bnre__hash hash;

    bnre__hash_init(&hash, 0, 0, 1);
    bnre__hash_add_u64(&hash, info->rows);
    bnre__hash_add_u64(&hash, info->failed);
    bnre__hash_add(&hash, info->shape, info->ndim * sizeof *info->shape);
    for (size_t i = 0; i < info->dim_theta; i++)
        add_text(&hash, info->theta_name[i]);
    for (size_t i = 0; i < info->dim_nuisance; i++)
        add_text(&hash, info->nuisance_name[i]);
    add_text(&hash, info->task);
    add_text(&hash, info->settings);
    add_text(&hash, info->version);
    add_text(&hash, info->stored_fingerprint);
    BNRE_TRY(bnre__block_init(&block, info, info->rows));
    BNRE_TRY(bnre__block_read(&block, &rows, 0, info->rows));
    bnre__hash_add(&hash, block.theta, info->rows * info->dim_theta * 8);
    bnre__hash_add(&hash, block.nuisance, info->rows * info->dim_nuisance * 8);
    bnre__hash_add(&hash, block.x, info->rows * bnre__x_bytes(info));
    bnre__hash_add(&hash, block.status, info->rows);
    for (size_t i = 0; i < info->rows; i++)
        add_text(&hash, block.reason[i]);
    bnre__hash_end_hex(&hash, out);
done:
    bnre__block_clear(&block);
    return status;
}

static bnre_status digest(const char *path, int only_x, char out[33])
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;

    BNRE_TRY(only_x ? bnre_dataset_open_x(path, &data)
                    : bnre_dataset_open(path, &data));
    BNRE_TRY(digest_of(data, out));
done:
    bnre_dataset_close(data);
    return status;
}

/* Flip a bit at many places; how often it was noticed. */
static size_t flip_bits(const char *path, int only_x)
{
    const char *bad = scratch_path("flipped");
    char before[33], after[33];
    size_t bytes, noticed = 0;
    unsigned char *data = slurp(path, &bytes);

    assert_ok(digest(path, only_x, before));
    for (size_t i = 0; i < FLIPS; i++) {
        /* All over the file, more often where it is described. */
        size_t at = i % 4 == 0 ? i * 7 % 4096 : i * bytes / FLIPS + i % 13;

        if (at >= bytes)
            at = bytes - 1;
        data[at] ^= (unsigned char)(1 << i % 8);
        spill(bad, data, bytes);
        if (digest(bad, only_x, after) != BNRE_OK)
            noticed++;
        else
            assert_string_equal(after, before);
        data[at] ^= (unsigned char)(1 << i % 8);
    }
    free(data);
    return noticed;
}

static void no_flipped_bit_gives_other_data(void **state)
{
    char h5[300], npz[300];

    (void)state;
    snprintf(h5, sizeof h5, "%s", scratch_path("a.h5"));
    snprintf(npz, sizeof npz, "%s", scratch_path("a.npz"));
    make(h5);
    /* A quarter hits the header, which has room to spare. */
    assert_true(flip_bits(h5, 0) > FLIPS / 2);
    assert_true(flip_bits(h5, 1) > FLIPS / 4);
    make(npz);
    assert_true(flip_bits(npz, 0) > FLIPS / 2);
    the_probe.precision = "double";
    make(h5);
    assert_true(flip_bits(h5, 0) > FLIPS / 2);
    make(npz);
    assert_true(flip_bits(npz, 0) > FLIPS / 2);
}

/* ---- what HDF5 does not notice: another file in perfect order ---- */

static bnre__h5 *source;
static bnre__h5_writer *target;
static const char *change; /* what is to be different */

static int is_changed(const char *name)
{
    return strcmp(name, change) == 0;
}

static void copy_array(const char *name)
{
    bnre__h5_array *array;
    const bnre__h5_info *info;
    char *values, gone[64];
    size_t id, item;

    snprintf(gone, sizeof gone, "no %s", name);
    assert_ok(bnre__h5_array_open(source, name, &array));
    assert_non_null(array);
    info = bnre__h5_array_describe(array);
    item = info->item;
    if (strcmp(name, "x") == 0 && is_changed("type of x"))
        item = 12 - item; /* single and double precision */
    values = malloc(info->rows * info->row_size * item);
    assert_ok(
        bnre__h5_array_read(array, info->kind, item, 0, info->rows, values));
    if (is_changed(name))
        values[info->rows / 2 * info->row_size * item] ^= 1;
    if (!is_changed(gone)) {
        assert_ok(bnre__h5_writer_array(target, name, info->kind, item,
                                        info->ndim, info->shape, &id));
        assert_ok(bnre__h5_writer_rows(target, id, 0, info->rows, values));
    }
    free(values);
    bnre__h5_array_close(array);
}

static void copy_text(const char *name)
{
    char *text, gone[64];

    snprintf(gone, sizeof gone, "no %s", name);
    assert_ok(bnre__h5_text(source, "/", name, &text));
    assert_non_null(text);
    if (is_changed(name))
        text[strlen(text) / 2] ^= 1;
    if (!is_changed(gone))
        assert_ok(bnre__h5_writer_text(target, "/", name, text));
    bnre__free(text);
}

static void copy_names(const char *array)
{
    char **name, what[64];
    size_t n;

    snprintf(what, sizeof what, "names of %s", array);
    assert_ok(bnre__h5_texts(source, array, "names", &n, &name));
    if (is_changed(what))
        name[0][0] ^= 1;
    assert_ok(bnre__h5_writer_texts(target, array, "names", n,
                                    (const char *const *)name));
    bnre__texts_free(n, name);
}

/* Write what is in `from` with one thing changed. */
static void forge(const char *from, const char *to, const char *what)
{
    static const char *const text[] = {"bnre_format", "bnre_version",
                                       "task",        "settings",
                                       "fingerprint", "bnre_seal"};

    change = what;
    assert_ok(bnre__h5_open(from, &source));
    assert_ok(bnre__h5_writer_create(to, 30, 8000, &target));
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        copy_text(text[i]);
    assert_ok(bnre__h5_writer_int(target, "/", "bnre_format_version", 1));
    copy_array("theta");
    copy_names("theta");
    copy_array("nuisance");
    copy_names("nuisance");
    copy_array("x");
    copy_array("status");
    copy_array("bnre_blocks");
    assert_ok(bnre__h5_writer_group(target, "failures"));
    copy_array("failures/row");
    copy_array("failures/reason");
    copy_array("failures/text");
    assert_ok(bnre__h5_writer_commit(target));
    bnre__h5_close(source);
}

static void each_thing_in_a_file_is_covered(void **state)
{
    static const char *const thing[] = {"bnre_version",
                                        "task",
                                        "settings",
                                        "fingerprint",
                                        "bnre_seal",
                                        "theta",
                                        "names of theta",
                                        "nuisance",
                                        "x",
                                        "names of nuisance",
                                        "status",
                                        "bnre_blocks",
                                        "failures/row",
                                        "failures/reason",
                                        "failures/text",
                                        "no task",
                                        "no settings",
                                        "no fingerprint",
                                        "no bnre_seal",
                                        "no bnre_blocks",
                                        "no status",
                                        "no bnre_version",
                                        "type of x"};
    const char *good = scratch_path("good.h5");
    const char *forged = scratch_path("forged.h5");
    char before[33], after[33];

    (void)state;
    for (int k = 0; k < 2; k++) {
        the_probe.precision = k == 0 ? NULL : "double";
        make(good);
        assert_ok(digest(good, 0, before));
        forge(good, forged, "nothing");
        assert_ok(digest(forged, 0, after));
        assert_string_equal(after, before);
        for (size_t i = 0; i < sizeof thing / sizeof *thing; i++) {
            bnre_status status;

            forge(good, forged, thing[i]);
            status = digest(forged, 0, after);
            if (status != BNRE_EFORMAT && status != BNRE_ENUM)
                fail_msg("%s was changed, which was not noticed", thing[i]);
        }
    }
}

/* ---- parts ---- */

static void damage_x(const char *good, const char *bad, size_t row)
{
    bnre_dataset *data;
    unsigned char *bytes;
    double wide[4];
    float x[4];
    size_t n, at;

    assert_ok(bnre_dataset_open(good, &data));
    assert_ok(bnre_dataset_read(data, row, 1, NULL, NULL, wide, NULL));
    bnre_dataset_close(data);
    for (size_t j = 0; j < 4; j++)
        x[j] = (float)wide[j];
    bytes = slurp(good, &n);
    for (at = 0; memcmp(bytes + at, x, sizeof x) != 0; at++)
        assert_true(at + sizeof x < n);
    bytes[at] ^= 1;
    spill(bad, bytes, n);
    free(bytes);
}

static void partial_reads_verify_their_blocks(void **state)
{
    const char *good = scratch_path("good.h5"), *bad = scratch_path("bad.h5");
    static double x[ROWS * 4];
    static double theta[ROWS * 2];
    bnre_dataset *data;

    (void)state;
    make(good);
    damage_x(good, bad, 1500);
    assert_ok(bnre_dataset_open(bad, &data));
    /* Elsewhere, and of other arrays, all is well. */
    assert_ok(bnre_dataset_read(data, 0, 1024, theta, NULL, x, NULL));
    assert_ok(bnre_dataset_read(data, 2048, 10, theta, NULL, x, NULL));
    assert_ok(bnre_dataset_read(data, 0, ROWS, theta, NULL, NULL, NULL));
    /* Whatever is read of the block, even if it is not the row itself. */
    assert_fails(bnre_dataset_read(data, 1024, 1, NULL, NULL, x, NULL),
                 BNRE_EFORMAT, "rows 1024 ... 2047 ... x ... not match");
    assert_fails(bnre_dataset_read(data, 0, ROWS, NULL, NULL, x, NULL),
                 BNRE_EFORMAT, "rows 1024 ... 2047 ... x ... not match");
    assert_fails(bnre_dataset_verify(data), BNRE_EFORMAT, "rows 1024 to 2047");
    bnre_dataset_close(data);
}

/* What one of them compared the other takes for sound, and nothing else. */
static void readers_of_one_file_share_what_they_know(void **state)
{
    const char *good = scratch_path("good.h5"), *bad = scratch_path("bad.h5");
    static double x[ROWS * 4];
    bnre_dataset *first, *second, *third;

    (void)state;
    make(good);
    damage_x(good, bad, 1500);
    assert_ok(bnre_dataset_open(bad, &first));
    assert_ok(bnre__dataset_again(first, &second));
    assert_ok(bnre_dataset_read(first, 0, 1024, NULL, NULL, x, NULL));
    bnre_dataset_close(first);
    assert_ok(bnre__dataset_again(second, &third));
    bnre_dataset_close(second);
    assert_ok(bnre_dataset_read(third, 0, 1024, NULL, NULL, x, NULL));
    assert_fails(bnre_dataset_read(third, 1024, 1, NULL, NULL, x, NULL),
                 BNRE_EFORMAT, "rows 1024 ... 2047 ... x ... not match");
    bnre_dataset_close(third);
    /* Another file took its place: nothing is known of that one. */
    assert_ok(bnre_dataset_open(good, &first));
    assert_ok(bnre_dataset_read(first, 0, ROWS, NULL, NULL, x, NULL));
    make_other(good);
    assert_fails(bnre__dataset_again(first, &second), BNRE_EIO,
                 "changed while");
    bnre_dataset_close(first);
}

static void pieces_of_any_size_are_well(void **state)
{
    const char *good = scratch_path("good.h5");
    static double x[ROWS * 4];
    static double theta[ROWS * 2], nuisance[ROWS];
    static uint8_t flags[ROWS];
    bnre_dataset *data;

    (void)state;
    make(good);
    for (size_t piece = 1; piece <= ROWS; piece = 2 * piece + 1) {
        assert_ok(bnre_dataset_open(good, &data));
        for (size_t first = 0, n; first < ROWS; first += n) {
            n = ROWS - first < piece ? ROWS - first : piece;
            assert_ok(
                bnre_dataset_read(data, first, n, theta, nuisance, x, flags));
        }
        assert_ok(bnre_dataset_verify(data));
        bnre_dataset_close(data);
    }
}

static bnre_status convert_and_read(void *arg)
{
    bnre_status status = BNRE_OK;
    const char **path = arg;
    char out[33];

    BNRE_TRY(bnre__dataset_convert(path[0], path[1], 1, NULL, NULL));
    BNRE_TRY(digest(path[1], 0, out));
done:
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    const char *path[] = {scratch_path("good.h5"), scratch_path("copy.npz")};

    (void)state;
    make(path[0]);
    assert_survives_lack_of_memory(convert_and_read, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_flipped_bit_gives_other_data, set_up),
        cmocka_unit_test_setup(each_thing_in_a_file_is_covered, set_up),
        cmocka_unit_test_setup(partial_reads_verify_their_blocks, set_up),
        cmocka_unit_test_setup(readers_of_one_file_share_what_they_know,
                               set_up),
        cmocka_unit_test_setup(pieces_of_any_size_are_well, set_up),
        cmocka_unit_test_setup(lack_of_memory_is_survived, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
