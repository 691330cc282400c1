/* threads: files are written and read in several of them at once. */
#include "io/h5.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "bnre/pool.h"
#include "foreign_h5.h"
#include "io/file.h"
#include "support.h"

enum { ROWS = 50 };

/* A file with a bit of everything; values depend on `salt`. */
static bnre_status write_sample(const char *path, int salt)
{
    static const char *const names[] = {"rate", "length_of_the_scale"};
    const size_t shape[] = {ROWS, 2}, rows[] = {ROWS}, two[] = {2};
    const char text[2][8] = {"first", "second!!"};
    const uint32_t answer = 42;
    bnre_status status = BNRE_OK;
    bnre__h5_writer *writer = NULL;
    double theta[ROWS][2];
    uint8_t flag[ROWS];
    size_t id[4];

    for (int i = 0; i < ROWS; i++) {
        theta[i][0] = i + salt;
        theta[i][1] = -i / 3.0;
        flag[i] = (uint8_t)(i % 5);
    }
    BNRE_TRY(bnre__h5_writer_create(path, 10, 200, &writer));
    BNRE_TRY(bnre__h5_writer_text(writer, "/", "task", "name: sample\n"));
    BNRE_TRY(bnre__h5_writer_text(writer, "/", "empty", ""));
    BNRE_TRY(bnre__h5_writer_int(writer, "/", "version", -7));
    BNRE_TRY(bnre__h5_writer_array(writer, "theta", 'f', 8, 2, shape, &id[0]));
    BNRE_TRY(bnre__h5_writer_texts(writer, "theta", "names", 2, names));
    BNRE_TRY(bnre__h5_writer_array(writer, "flag", 'u', 1, 1, rows, &id[1]));
    BNRE_TRY(bnre__h5_writer_group(writer, "failures"));
    BNRE_TRY(
        bnre__h5_writer_array(writer, "failures/text", 'S', 8, 1, two, &id[2]));
    BNRE_TRY(bnre__h5_writer_array(writer, "scalar", 'u', 4, 0, NULL, &id[3]));
    BNRE_TRY(bnre__h5_writer_rows(writer, id[1], 0, ROWS, flag));
    BNRE_TRY(bnre__h5_writer_rows(writer, id[0], 30, 20, theta[30]));
    BNRE_TRY(bnre__h5_writer_rows(writer, id[0], 0, 30, theta[0]));
    BNRE_TRY(bnre__h5_writer_rows(writer, id[2], 0, 2, text));
    BNRE_TRY(bnre__h5_writer_rows(writer, id[3], 0, 1, &answer));
    status = bnre__h5_writer_commit(writer);
    writer = NULL;
done:
    bnre__h5_writer_discard(writer);
    return status;
}

static bnre_status check_attributes(bnre__h5 *h5)
{
    bnre_status status = BNRE_OK;
    char *text = NULL, *empty = NULL, *none = NULL, **names = NULL;
    int64_t version;
    size_t n = 0;
    int found;

    BNRE_TRY(bnre__h5_text(h5, "/", "task", &text));
    assert_string_equal(text, "name: sample\n");
    BNRE_TRY(bnre__h5_text(h5, "/", "empty", &empty));
    assert_string_equal(empty, "");
    BNRE_TRY(bnre__h5_text(h5, "/", "missing", &none));
    assert_null(none);
    BNRE_TRY(bnre__h5_text(h5, "nothing/there", "task", &none));
    assert_null(none);
    BNRE_TRY(bnre__h5_int(h5, "/", "version", &found, &version));
    assert_true(found && version == -7);
    BNRE_TRY(bnre__h5_int(h5, "/", "missing", &found, &version));
    assert_false(found);
    BNRE_TRY(bnre__h5_texts(h5, "theta", "names", &n, &names));
    assert_int_equal(n, 2);
    assert_string_equal(names[0], "rate");
    assert_string_equal(names[1], "length_of_the_scale");
done:
    bnre__texts_free(n, names);
    bnre__free(empty);
    bnre__free(text);
    return status;
}

static bnre_status check_numbers(bnre__h5 *h5, int salt)
{
    bnre_status status = BNRE_OK;
    bnre__h5_array *array = NULL;
    const bnre__h5_info *info;
    double theta[3][2];
    float single[2];
    uint32_t answer;

    BNRE_TRY(bnre__h5_array_open(h5, "theta", &array));
    info = bnre__h5_array_describe(array);
    assert_true(info->kind == 'f' && info->item == 8 && info->ndim == 2);
    assert_true(info->rows == ROWS && info->row_size == 2);
    BNRE_TRY(bnre__h5_array_read(array, 'f', 8, 29, 3, theta));
    for (int i = 0; i < 3; i++) {
        assert_true(theta[i][0] == 29 + i + salt);
        assert_true(theta[i][1] == -(29 + i) / 3.0);
    }
    BNRE_TRY(bnre__h5_array_read(array, 'f', 4, 49, 1, single));
    assert_true(single[1] == (float)(-49 / 3.0));
    assert_fails(bnre__h5_array_read(array, 'f', 8, 49, 2, theta), BNRE_EINVAL,
                 "50");
    assert_fails(bnre__h5_array_read(array, 'S', 8, 0, 1, theta), BNRE_EFORMAT,
                 "numbers");
    bnre__h5_array_close(array);
    BNRE_TRY(bnre__h5_array_open(h5, "scalar", &array));
    assert_int_equal(bnre__h5_array_describe(array)->ndim, 0);
    BNRE_TRY(bnre__h5_array_read(array, 'u', 4, 0, 1, &answer));
    assert_int_equal(answer, 42);
done:
    bnre__h5_array_close(array);
    return status;
}

static bnre_status check_texts(bnre__h5 *h5)
{
    bnre_status status = BNRE_OK;
    bnre__h5_array *array = NULL, *none = NULL;
    char text[2][8];

    BNRE_TRY(bnre__h5_array_open(h5, "failures/text", &array));
    assert_int_equal(bnre__h5_array_describe(array)->kind, 'S');
    BNRE_TRY(bnre__h5_array_read(array, 'S', 8, 0, 2, text));
    assert_memory_equal(text, "first\0\0\0second!!", 16);
    assert_fails(bnre__h5_array_read(array, 'f', 8, 0, 1, text), BNRE_EFORMAT,
                 "texts");
    BNRE_TRY(bnre__h5_array_open(h5, "failures/row", &none));
    assert_null(none);
    BNRE_TRY(bnre__h5_array_open(h5, "nowhere/row", &none));
    assert_null(none);
done:
    bnre__h5_array_close(array);
    return status;
}

static bnre_status check_sample(const char *path, int salt)
{
    bnre_status status = BNRE_OK;
    bnre__h5 *h5 = NULL;

    BNRE_TRY(bnre__h5_open(path, &h5));
    BNRE_TRY(check_attributes(h5));
    BNRE_TRY(check_numbers(h5, salt));
    BNRE_TRY(check_texts(h5));
done:
    bnre__h5_close(h5);
    return status;
}

static void what_is_written_is_read(void **state)
{
    const char *path = scratch_path("sample.h5");

    (void)state;
    assert_ok(write_sample(path, 1));
    assert_ok(check_sample(path, 1));
}

static void equal_calls_give_equal_bytes(void **state)
{
    const char *a = scratch_path("a.h5"), *b = scratch_path("b.h5");
    char *first, *second;
    size_t n, m;

    (void)state;
    assert_ok(write_sample(a, 1));
    assert_ok(write_sample(b, 1));
    assert_ok(bnre__file_read_all(a, 1 << 20, &first, &n));
    assert_ok(bnre__file_read_all(b, 1 << 20, &second, &m));
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    bnre__free(first);
    bnre__free(second);
}

static void rows_beyond_four_gigabytes_are_reached(void **state)
{
    const char *path = scratch_path("long.h5");
    const size_t shape[] = {(size_t)5 << 30, 1};
    const uint8_t value = 77;
    bnre__h5_writer *writer;
    bnre__h5_array *array;
    bnre__h5 *h5;
    uint8_t found[2];
    size_t id;

    (void)state;
    assert_ok(bnre__h5_writer_create(path, 1, 1, &writer));
    assert_ok(bnre__h5_writer_array(writer, "x", 'u', 1, 2, shape, &id));
    assert_ok(bnre__h5_writer_rows(writer, id, shape[0] - 1, 1, &value));
    assert_fails(bnre__h5_writer_rows(writer, id, shape[0], 1, &value),
                 BNRE_EINVAL, "rows");
    assert_ok(bnre__h5_writer_commit(writer));
    assert_ok(bnre__h5_open(path, &h5));
    assert_ok(bnre__h5_array_open(h5, "x", &array));
    assert_ok(bnre__h5_array_read(array, 'u', 1, shape[0] - 2, 2, found));
    assert_true(found[0] == 0 && found[1] == 77);
    bnre__h5_array_close(array);
    bnre__h5_close(h5);
    remove(path);
}

static void attributes_may_be_long_if_announced(void **state)
{
    const char *path = scratch_path("attributes.h5");
    const size_t length = 150000, shape[] = {3};
    bnre__h5_writer *writer;
    bnre__h5 *h5;
    char *text, *found;
    size_t id;

    (void)state;
    text = malloc(length + 1);
    memset(text, 'x', length);
    text[length] = 0;
    assert_ok(bnre__h5_writer_create(path, 3, 2 * length, &writer));
    assert_ok(bnre__h5_writer_text(writer, "/", "task", text));
    assert_ok(bnre__h5_writer_array(writer, "x", 'u', 8, 1, shape, &id));
    assert_ok(bnre__h5_writer_text(writer, "x", "task", text + 90000));
    assert_ok(bnre__h5_writer_commit(writer));
    assert_ok(bnre__h5_open(path, &h5));
    assert_ok(bnre__h5_text(h5, "x", "task", &found));
    assert_string_equal(found, text + 90000);
    bnre__free(found);
    bnre__h5_close(h5);

    assert_ok(bnre__h5_writer_create(path, 3, 10, &writer));
    assert_ok(bnre__h5_writer_array(writer, "x", 'u', 8, 1, shape, &id));
    assert_fails(bnre__h5_writer_text(writer, "/", "task", text), BNRE_EINVAL,
                 "announced");
    bnre__h5_writer_discard(writer);
    assert_ok(bnre__h5_writer_create(path, 3, 10, &writer));
    assert_ok(bnre__h5_writer_array(writer, "x", 'u', 8, 1, shape, &id));
    assert_fails(bnre__h5_writer_text(writer, "x", "task", text + 140000),
                 BNRE_EINVAL, "announced");
    bnre__h5_writer_discard(writer);
    assert_fails(bnre__h5_writer_create(path, 1, SIZE_MAX, &writer),
                 BNRE_EINVAL, "too many");
    free(text);
}

static void impossible_arrays_are_refused(void **state)
{
    const char *path = scratch_path("impossible.h5");
    const size_t large[] = {SIZE_MAX / 2, 3}, wide[] = {1, SIZE_MAX, 8};
    bnre__h5_writer *writer;
    size_t id;

    (void)state;
    assert_ok(bnre__h5_writer_create(path, 3, 10, &writer));
    assert_fails(bnre__h5_writer_array(writer, "x", 'f', 8, 2, large, &id),
                 BNRE_EINVAL, "too large");
    assert_fails(bnre__h5_writer_array(writer, "x", 'f', 8, 3, wide, &id),
                 BNRE_EINVAL, "too large");
    assert_fails(bnre__h5_writer_array(writer, "x", 'f', 3, 1, large, &id),
                 BNRE_EINVAL, "f3");
    assert_fails(bnre__h5_writer_rows(writer, 0, 0, 1, large), BNRE_EINVAL,
                 "no array");
    bnre__h5_writer_discard(writer);
    assert_false(bnre__file_exists(path));
}

static void a_file_cut_short_is_no_file(void **state)
{
    const char *path = scratch_path("cut.h5");
    char whole[256];
    struct stat info;

    (void)state;
    snprintf(whole, sizeof whole, "%s", path);
    assert_ok(write_sample(whole, 1));
    assert_int_equal(stat(whole, &info), 0);
    for (off_t length = info.st_size - 1; length >= 0;
         length -= length > 100 ? 17 : 1) {
        assert_int_equal(truncate(whole, length), 0);
        assert_fails(check_sample(whole, 1), BNRE_EFORMAT,
                     "not ... HDF5 file ... cut short");
    }
    assert_int_equal(unlink(whole), 0);
    assert_fails(check_sample(whole, 1), BNRE_EIO, "No such file");
    assert_fails(check_sample(".", 1), BNRE_EIO, "directory");
}

static void foreign_layouts_are_read(void **state)
{
    const enum foreign_h5 kinds[] = {FOREIGN_PACKED, FOREIGN_CHUNKED};
    const char *path = scratch_path("foreign.h5");

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        bnre__h5 *h5;
        bnre__h5_array *array;
        float found[4][30];

        foreign_h5_write(path, kinds[k], 100, 30);
        assert_ok(bnre__h5_open(path, &h5));
        assert_ok(bnre__h5_array_open(h5, "data", &array));
        assert_int_equal(bnre__h5_array_describe(array)->kind,
                         kinds[k] == FOREIGN_PACKED ? 'i' : 'f');
        for (size_t first = 0; first < 100; first += 4) {
            assert_ok(bnre__h5_array_read(array, 'f', 4, first, 4, found));
            for (size_t i = 0; i < 120; i++)
                assert_true(found[i / 30][i % 30] == (float)(first * 30 + i));
        }
        bnre__h5_array_close(array);
        bnre__h5_close(h5);
    }
}

static void hostile_layouts_are_refused(void **state)
{
    static const struct {
        enum foreign_h5 kind;
        const char *says;
    } cases[] = {
        {FOREIGN_HUGE_CHUNK, "data"},        {FOREIGN_HUGE_SHAPE, "claims"},
        {FOREIGN_UNWRITTEN, "never"},        {FOREIGN_EXTERNAL, "other files"},
        {FOREIGN_BOOLEAN, "plain numbers"},  {FOREIGN_LINK, "link"},
        {FOREIGN_GROUP, "cannot read data"},
    };
    const char *path = scratch_path("hostile.h5");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnre__h5_array *array;
        bnre__h5 *h5;

        foreign_h5_write(path, cases[i].kind, 4, 3);
        assert_ok(bnre__h5_open(path, &h5));
        assert_fails(bnre__h5_array_open(h5, "data", &array), BNRE_EFORMAT,
                     cases[i].says);
        assert_null(array);
        bnre__h5_close(h5);
    }
}

static void attributes_of_another_kind_are_refused(void **state)
{
    static const char *const names[] = {"alpha", "beta", "gamma"};
    const char *path = scratch_path("attr.h5");
    char *text, **list;
    int64_t value;
    bnre__h5 *h5;
    size_t n;
    int found;

    (void)state;
    assert_ok(write_sample(path, 0));
    foreign_h5_texts(path, "flag", "names", 3, names);
    assert_ok(bnre__h5_open(path, &h5));
    assert_ok(bnre__h5_texts(h5, "flag", "names", &n, &list));
    assert_int_equal(n, 3);
    assert_string_equal(list[2], "gamma");
    bnre__texts_free(n, list);
    assert_fails(bnre__h5_text(h5, "flag", "names", &text), BNRE_EFORMAT,
                 "list");
    assert_fails(bnre__h5_text(h5, "/", "version", &text), BNRE_EFORMAT,
                 "no text");
    assert_fails(bnre__h5_int(h5, "/", "task", &found, &value), BNRE_EFORMAT,
                 "no integer");
    bnre__h5_close(h5);
}

/* In a child that may write no file longer than `limit`: 0 = written, 1 =
   refused because the disk is full, anything else is a fault. */
static int write_within(const char *path, off_t limit)
{
    pid_t child = fork();
    int result;

    if (child == 0) {
        struct rlimit bound = {(rlim_t)limit, (rlim_t)limit};
        bnre_status status;

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &bound);
        status = write_sample(path, 2);
        if (status == BNRE_OK)
            _exit(0);
        _exit(status == BNRE_EIO &&
                      strstr(bnre_error_message(), "no space") != NULL
                  ? 1
                  : 2);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 100 + WTERMSIG(result);
}

/* No temporary is left beside it. */
static void assert_no_temporaries(void)
{
    DIR *list = opendir(scratch_path(""));
    const struct dirent *entry;

    assert_non_null(list);
    while ((entry = readdir(list)) != NULL)
        assert_null(strstr(entry->d_name, ".tmp"));
    closedir(list);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    char path[256];
    struct stat info;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("full.h5"));
    assert_ok(write_sample(path, 1));
    assert_int_equal(stat(path, &info), 0);
    for (off_t limit = 0; limit < info.st_size; limit += 211) {
        assert_int_equal(write_within(path, limit), 1);
        assert_ok(check_sample(path, 1));
        assert_no_temporaries();
    }
    assert_int_equal(write_within(path, info.st_size), 0);
    assert_ok(check_sample(path, 2));
}

static bnre_status write_and_read(void *arg)
{
    const char *path = arg;
    bnre_status status = write_sample(path, 3);

    return status == BNRE_OK ? check_sample(path, 3) : status;
}

static void lack_of_memory_is_survived(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("memory.h5"));
    assert_survives_lack_of_memory(write_and_read, path);
}

static bnre_status write_and_read_each(void *arg, size_t worker, size_t first,
                                       size_t last)
{
    bnre_status status = BNRE_OK;
    char path[256];

    (void)worker;
    for (size_t i = first; i < last; i++) {
        snprintf(path, sizeof path, "%s.%zu", (const char *)arg, i);
        BNRE_TRY(write_sample(path, (int)i));
        BNRE_TRY(check_sample(path, (int)i));
    }
done:
    return status;
}

static void threads_may_use_it_at_once(void **state)
{
    bnre_pool *pool;
    char path[200];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("threads.h5"));
    assert_ok(bnre_pool_create(4, &pool));
    assert_ok(bnre_pool_for(pool, 16, 1, write_and_read_each, path));
    bnre_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(equal_calls_give_equal_bytes),
        cmocka_unit_test(rows_beyond_four_gigabytes_are_reached),
        cmocka_unit_test(attributes_may_be_long_if_announced),
        cmocka_unit_test(impossible_arrays_are_refused),
        cmocka_unit_test(a_file_cut_short_is_no_file),
        cmocka_unit_test(foreign_layouts_are_read),
        cmocka_unit_test(hostile_layouts_are_refused),
        cmocka_unit_test(attributes_of_another_kind_are_refused),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(lack_of_memory_is_survived),
        cmocka_unit_test(threads_may_use_it_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
