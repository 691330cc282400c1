#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bnre/dataset.h"
#include "data/dataset.h"
#include "data/writer.h"
#include "io/file.h"
#include "sample_rows.h"
#include "support.h"

static const char *const endings[] = {"h5", "npz", "csv"};

static void write_sample(const char *path, size_t rows, int failing,
                         char fingerprint[33])
{
    bnre__rows sample = sample_rows(rows, failing);
    const bnre__format *format;

    assert_ok(bnre__format_find(path, &format));
    assert_ok(format->write(path, &sample, fingerprint));
}

static void check_fingerprint(const char *path, const char *expected)
{
    bnre_dataset *data;
    char found[33];

    assert_ok(bnre_dataset_open(path, &data));
    assert_ok(bnre_dataset_fingerprint(data, found));
    assert_string_equal(found, expected);
    bnre_dataset_close(data);
}

static void any_format_goes_to_any(void **state)
{
    (void)state;
    for (size_t k = 0; k < 18; k++) {
        static const char *const format[] = {"HDF5", "npz", "CSV"};
        char in[256], out[256], name[32], expected[33];
        bnre__converted made;

        snprintf(name, sizeof name, "in.%s", endings[k % 3]);
        snprintf(in, sizeof in, "%s", scratch_path(name));
        snprintf(name, sizeof name, "out.%s", endings[k / 3 % 3]);
        snprintf(out, sizeof out, "%s", scratch_path(name));
        write_sample(in, 3000, k >= 9, expected);
        assert_ok(bnre__dataset_convert(in, out, 1, NULL, &made));
        check_fingerprint(out, expected);
        assert_string_equal(made.fingerprint, expected);
        assert_string_equal(made.format, format[k / 3 % 3]);
        assert_int_equal(made.rows, 3000);
    }
}

static int files_are_equal(const char *a, const char *b)
{
    char *first, *second;
    size_t n, m;
    int equal;

    assert_ok(bnre__file_read_all(a, 1 << 26, &first, &n));
    assert_ok(bnre__file_read_all(b, 1 << 26, &second, &m));
    equal = n == m && memcmp(first, second, n) == 0;
    bnre__free(second);
    bnre__free(first);
    return equal;
}

/* What HDF5 tells of the making survives a way through .npz and back; also the
   bytes, when no reasons of failures are involved. */
static void there_and_back_is_the_same_file(void **state)
{
    char a[256], b[256], c[256], unused[33];

    (void)state;
    snprintf(a, sizeof a, "%s", scratch_path("a.h5"));
    snprintf(b, sizeof b, "%s", scratch_path("b.npz"));
    snprintf(c, sizeof c, "%s", scratch_path("c.h5"));
    write_sample(a, 100, 0, unused);
    assert_ok(bnre__dataset_convert(a, b, 0, NULL, NULL));
    assert_ok(bnre__dataset_convert(b, c, 0, NULL, NULL));
    assert_true(files_are_equal(a, c));
    /* An input is never an output. */
    assert_fails(bnre__dataset_convert(c, c, 1, NULL, NULL), BNRE_EUSAGE,
                 "is the input");
    assert_true(files_are_equal(a, c));
}

static void nothing_is_replaced_without_force(void **state)
{
    char in[256], out[256], pair[520], unused[33];

    (void)state;
    snprintf(in, sizeof in, "%s", scratch_path("here.h5"));
    snprintf(out, sizeof out, "%s", scratch_path("there.csv"));
    snprintf(pair, sizeof pair, "%s,%s", scratch_path("there.npy"),
             scratch_path("x.npy"));
    write_sample(in, 10, 0, unused);
    assert_ok(bnre__dataset_convert(in, out, 0, NULL, NULL));
    assert_fails(bnre__dataset_convert(in, out, 0, NULL, NULL), BNRE_EEXIST,
                 "`force`");
    assert_ok(bnre__dataset_convert(in, out, 1, NULL, NULL));
    assert_ok(bnre__dataset_convert(in, pair, 0, NULL, NULL));
    assert_int_equal(unlink(scratch_path("there.npy")), 0);
    assert_fails(bnre__dataset_convert(in, pair, 0, NULL, NULL), BNRE_EEXIST,
                 "x.npy");
    assert_fails(bnre__dataset_convert(in, "rows.dat", 0, NULL, NULL),
                 BNRE_EUSAGE, ".h5, .npz or .csv");
    assert_fails(bnre__dataset_convert("nothing.h5", out, 1, NULL, NULL),
                 BNRE_EIO, "nothing.h5");
    assert_fails(bnre__dataset_convert(in, "no/such/place.h5", 0, NULL, NULL),
                 BNRE_EIO, "no/such");
}

struct watch {
    size_t calls, stop_at, last;
};

static int watch_progress(void *context, size_t done, size_t found,
                          size_t total)
{
    struct watch *watch = context;

    assert_int_equal(found, 0);
    assert_true(done >= watch->last && done <= total);
    watch->last = done;
    return ++watch->calls == watch->stop_at;
}

static void it_can_be_watched_and_stopped(void **state)
{
    char in[256], out[256], unused[33];

    (void)state;
    snprintf(in, sizeof in, "%s", scratch_path("watch.h5"));
    write_sample(in, 10000, 0, unused);
    for (size_t k = 0; k < 3; k++) {
        struct watch watch = {0};
        bnre_monitor monitor = {watch_progress, NULL, &watch, NULL};
        char name[32];

        snprintf(name, sizeof name, "watch_out.%s", endings[k]);
        snprintf(out, sizeof out, "%s", scratch_path(name));
        watch.stop_at = 2;
        assert_fails(bnre__dataset_convert(in, out, 0, &monitor, NULL),
                     BNRE_EINTR, "interrupted");
        assert_false(bnre__file_exists(out));
        watch = (struct watch){0};
        assert_ok(bnre__dataset_convert(in, out, 0, &monitor, NULL));
        assert_true(watch.calls > 2 && watch.last == 10000);
    }
}

static void files_cut_short_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        char name[32], path[256], unused[33];
        bnre_dataset *data;
        struct stat info;

        snprintf(name, sizeof name, "cut.%s", endings[k]);
        snprintf(path, sizeof path, "%s", scratch_path(name));
        write_sample(path, 40, 1, unused);
        assert_int_equal(stat(path, &info), 0);
        for (off_t length = info.st_size - 1; length >= 0; length -= 37) {
            assert_int_equal(truncate(path, length), 0);
            assert_fails(bnre_dataset_open(path, &data), BNRE_EFORMAT, "cut.");
        }
    }
}

struct way {
    char in[256], out[256];
};

static bnre_status convert(void *arg)
{
    struct way *way = arg;

    return bnre__dataset_convert(way->in, way->out, 1, NULL, NULL);
}

static bnre_status read_all(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    bnre_failure failure[4];
    char unused[33];
    size_t n;

    BNRE_TRY(bnre_dataset_open(arg, &data));
    BNRE_TRY(bnre_dataset_fingerprint(data, unused));
    BNRE_TRY(bnre_dataset_failures(data, 4, failure, &n));
done:
    bnre_dataset_close(data);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    static const char *const names[] = {"m.h5", "m.npz", "m.csv", "n.h5"};
    struct way way;
    char unused[33];

    (void)state;
    write_sample(scratch_path(names[0]), 20, 1, unused);
    for (size_t k = 0; k < 3; k++) {
        snprintf(way.in, sizeof way.in, "%s", scratch_path(names[k]));
        snprintf(way.out, sizeof way.out, "%s", scratch_path(names[k + 1]));
        assert_survives_lack_of_memory(convert, &way);
        assert_survives_lack_of_memory(read_all, way.in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_format_goes_to_any),
        cmocka_unit_test(there_and_back_is_the_same_file),
        cmocka_unit_test(nothing_is_replaced_without_force),
        cmocka_unit_test(it_can_be_watched_and_stopped),
        cmocka_unit_test(files_cut_short_are_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
