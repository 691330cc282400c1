/* threads: records are appended from several of them at once. */
#include "io/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bnre/pool.h"
#include "io/file.h"
#include "support.h"

static const char identity[] = "seed: 1\ntask: test\n";

static bnre_status open_same(const char *path, bnre__journal **out)
{
    char *other;

    return bnre__journal_open(path, identity, 0, &other, out);
}

/* Rows first..first+n-1: n bytes and n 64-bit numbers that tell the row. */
static bnre_status append_rows(bnre__journal *journal, uint64_t first, size_t n)
{
    uint8_t small[64];
    uint64_t large[64];
    struct iovec parts[2] = {{small, n}, {large, n * sizeof *large}};

    for (size_t i = 0; i < n; i++) {
        small[i] = (uint8_t)(first + i);
        large[i] = (first + i) * 1000003;
    }
    return bnre__journal_append(journal, first, n, parts, 2);
}

static void check_rows(const bnre__journal *journal,
                       const bnre__journal_record *record)
{
    uint8_t small[64];
    uint64_t large[64];
    size_t n = (size_t)record->n;

    assert_int_equal(record->bytes, n * 9);
    assert_ok(bnre__journal_read(journal, record, 0, n, small));
    assert_ok(bnre__journal_read(journal, record, n, n * 8, large));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(small[i], (uint8_t)(record->first + i));
        assert_int_equal(large[i], (record->first + i) * 1000003);
    }
    assert_fails(bnre__journal_read(journal, record, n, n * 8 + 1, large),
                 BNRE_EFORMAT, "too short");
}

/* Each record that is there is right; how many there are. */
static size_t check_all(bnre__journal *journal)
{
    size_t n;
    const bnre__journal_record *record = bnre__journal_records(journal, &n);

    for (size_t i = 0; i < n; i++) {
        check_rows(journal, &record[i]);
        if (i > 0)
            assert_true(record[i].first > record[i - 1].first);
    }
    return n;
}

static void start_with_three(const char *path)
{
    bnre__journal *journal;

    assert_ok(open_same(path, &journal));
    assert_ok(append_rows(journal, 100, 7));
    assert_ok(append_rows(journal, 10, 64));
    assert_ok(append_rows(journal, 300, 1));
    assert_int_equal(check_all(journal), 3);
    bnre__journal_close(journal);
}

/* The same as a file again, with one byte changed by `flip`. */
static void restore(const char *path, const char *whole, size_t length,
                    size_t at, int flip)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    for (size_t i = 0; i < length; i++)
        fputc(i == at ? whole[i] ^ flip : whole[i], file);
    assert_int_equal(fclose(file), 0);
}

static void records_are_found_again(void **state)
{
    const char *path = scratch_path("again.part");
    const bnre__journal_record *record;
    bnre__journal *journal;
    size_t n;

    (void)state;
    start_with_three(path);
    assert_ok(open_same(path, &journal));
    assert_false(bnre__journal_fresh(journal));
    assert_int_equal(check_all(journal), 3);
    assert_ok(append_rows(journal, 0, 5));
    record = bnre__journal_records(journal, &n);
    assert_int_equal(n, 4);
    assert_true(record[0].first == 0 && record[1].first == 10);
    assert_ok(bnre__journal_clear(journal));
    assert_ok(append_rows(journal, 7, 2));
    bnre__journal_close(journal);
    assert_ok(open_same(path, &journal));
    assert_int_equal(check_all(journal), 1);
    assert_ok(bnre__journal_remove(journal));
    assert_false(bnre__file_exists(path));
}

static void other_rows_are_not_touched(void **state)
{
    const char *path = scratch_path("other.part");
    bnre__journal *journal;
    char *other;

    (void)state;
    start_with_three(path);
    assert_fails(bnre__journal_open(path, "seed: 2\n", 0, &other, &journal),
                 BNRE_EEXIST, "other settings");
    assert_string_equal(other, identity);
    bnre__free(other);
    assert_ok(bnre__journal_open(path, "seed: 2\n", 1, &other, &journal));
    assert_true(bnre__journal_fresh(journal));
    assert_int_equal(check_all(journal), 0);
    bnre__journal_close(journal);
    assert_ok(bnre__journal_open(path, "seed: 2\n", 0, &other, &journal));
    assert_true(bnre__journal_fresh(journal));
    bnre__journal_close(journal);
}

static void foreign_files_are_not_touched(void **state)
{
    static const char *const texts[] = {
        "some notes of mine that are in the way",
        "bnre.row\2\0\0\0\0\0\0\0",
        "bnre.ro?",
    };
    const char *path = scratch_path("foreign.part");

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bnre__journal *journal;
        char *text;
        FILE *file = fopen(path, "wb");
        size_t n;

        fwrite(texts[i], 1, i == 1 ? 16 : strlen(texts[i]), file);
        for (int k = 0; i == 1 && k < 40; k++)
            fputc(0, file);
        fclose(file);
        assert_fails(open_same(path, &journal), BNRE_EEXIST, "in the way");
        assert_ok(bnre__file_read_all(path, 100, &text, &n));
        assert_memory_equal(text, texts[i], strlen(texts[i]));
        bnre__free(text);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_fails(open_same(path, &(bnre__journal *){NULL}), BNRE_EIO, "write");
}

/* Cut anywhere, what was whole before is found and appending goes on. */
static void a_torn_end_is_cut_off(void **state)
{
    const char *path = scratch_path("torn.part");
    const size_t head = 32 + sizeof identity - 1;
    const size_t ends[] = {head, head + 40 + 63, head + 80 + 63 + 576,
                           head + 120 + 63 + 576 + 9};

    char *bytes;
    size_t size;

    (void)state;
    start_with_three(path);
    assert_ok(bnre__file_read_all(path, 10000, &bytes, &size));
    assert_int_equal(size, ends[3]);
    for (size_t length = 0; length <= size; length++) {
        bnre__journal *journal;
        size_t whole = 0;

        restore(path, bytes, length, 0, 0);
        while (whole < 3 && length >= ends[whole + 1])
            whole++;
        assert_ok(open_same(path, &journal));
        assert_int_equal(check_all(journal), whole);
        assert_ok(append_rows(journal, 1000, 3));
        bnre__journal_close(journal);
        assert_ok(open_same(path, &journal));
        assert_int_equal(check_all(journal), whole + 1);
        bnre__journal_close(journal);
    }
    bnre__free(bytes);
}

/* A byte changed anywhere never gives a wrong row. */
static void damage_is_noticed(void **state)
{
    const char *path = scratch_path("damage.part");
    char *bytes;
    size_t size;

    (void)state;
    start_with_three(path);
    assert_ok(bnre__file_read_all(path, 10000, &bytes, &size));
    for (size_t at = 0; at < size; at++) {
        bnre__journal *journal;
        bnre_status status;
        char *other;

        restore(path, bytes, size, at, 16);
        status = bnre__journal_open(path, identity, 0, &other, &journal);
        if (status == BNRE_OK) {
            assert_true(check_all(journal) < 3);
            bnre__journal_close(journal);
        } else {
            assert_true(status == BNRE_EEXIST);
            bnre__free(other);
        }
    }
    bnre__free(bytes);
}

static void one_process_at_a_time(void **state)
{
    char path[256];
    bnre__journal *journal, *second;
    pid_t child;
    int result;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("locked.part"));
    assert_ok(open_same(path, &journal));
    assert_fails(open_same(path, &second), BNRE_EIO, "another process");
    child = fork();
    if (child == 0) {
        /* Not the inherited one: a process of its own opens the file anew. */
        _exit(open_same(path, &second) == BNRE_EIO ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    bnre__journal_close(journal);
    assert_ok(open_same(path, &second));
    bnre__journal_close(second);
}

/* Appending within a file size limit: what fails leaves the journal as before,
   and it can be appended to when there is room again. */
static void a_full_disk_loses_nothing(void **state)
{
    char path[256];
    const size_t head = 32 + sizeof identity - 1, record = 40 + 90;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("full.part"));
    for (size_t limit = 0; limit < head + 3 * record; limit += 13) {
        size_t fit = limit < head ? 0 : (limit - head) / record;
        bnre__journal *journal;
        pid_t child;
        int result;

        unlink(path);
        child = fork();
        if (child == 0) {
            struct rlimit bound = {limit, limit};
            uint64_t done = 0;

            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &bound);
            if (open_same(path, &journal) != BNRE_OK)
                _exit(strstr(bnre_error_message(), "no space") ? 0 : 100);
            while (append_rows(journal, 10 * done, 10) == BNRE_OK)
                done++;
            _exit(strstr(bnre_error_message(), "no space") ? (int)done : 100);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), fit);
        assert_ok(open_same(path, &journal));
        assert_int_equal(check_all(journal), fit);
        assert_ok(append_rows(journal, 1000, 10));
        bnre__journal_close(journal);
    }
}

static bnre_status use_journal(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre__journal *journal = NULL;

    for (int again = 0; again < 2; again++) {
        BNRE_TRY(open_same(arg, &journal));
        for (uint64_t i = 0; i < 20; i++)
            BNRE_TRY(append_rows(journal, 10 * i, 10));
        bnre__journal_close(journal);
        journal = NULL;
    }
done:
    bnre__journal_close(journal);
    unlink(arg);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("memory.part"));
    assert_survives_lack_of_memory(use_journal, path);
}

static bnre_status append_each(void *arg, size_t worker, size_t first,
                               size_t last)
{
    bnre_status status = BNRE_OK;

    (void)worker;
    for (size_t i = first; i < last; i++)
        BNRE_TRY(append_rows(arg, 64 * i, 1 + i % 64));
done:
    return status;
}

static void threads_may_append_at_once(void **state)
{
    const char *path = scratch_path("threads.part");
    bnre__journal *journal;
    bnre_pool *pool;

    (void)state;
    assert_ok(bnre_pool_create(4, &pool));
    assert_ok(open_same(path, &journal));
    assert_ok(bnre_pool_for(pool, 500, 3, append_each, journal));
    assert_int_equal(check_all(journal), 500);
    bnre__journal_close(journal);
    assert_ok(open_same(path, &journal));
    assert_int_equal(check_all(journal), 500);
    bnre__journal_close(journal);
    bnre_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_found_again),
        cmocka_unit_test(other_rows_are_not_touched),
        cmocka_unit_test(foreign_files_are_not_touched),
        cmocka_unit_test(a_torn_end_is_cut_off),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(one_process_at_a_time),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(lack_of_memory_is_survived),
        cmocka_unit_test(threads_may_append_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
