#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/temporary.h"
#include "support.h"

static void assert_content(const char *path, const char *text)
{
    char *found = NULL;
    size_t bytes;

    assert_ok(bnre__file_read_all(path, 1 << 20, &found, &bytes));
    assert_string_equal(found, text);
    assert_int_equal(bytes, strlen(text));
    bnre__free(found);
}

/* How many temporaries of a file in the scratch directory there are; the name
   of one. */
static size_t count_temporaries(const char *path, char out[512])
{
    DIR *list = opendir(scratch_path(""));
    const struct dirent *entry;
    char start[256];
    size_t n = 0;

    snprintf(start, sizeof start, "%s.", strrchr(path, '/') + 1);
    assert_non_null(list);
    while ((entry = readdir(list)) != NULL)
        if (bnre__random_name(entry->d_name, start, ".tmp")) {
            snprintf(out, 512, "%s", scratch_path(entry->d_name));
            n++;
        }
    closedir(list);
    return n;
}

static void assert_no_temporary(const char *path)
{
    char name[512];

    assert_int_equal(count_temporaries(path, name), 0);
}

static bnre_status write_text(const char *path, const char *text)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__file_write(file, text, strlen(text)));
done:
    return bnre__file_end(file, status);
}

static void new_version_appears_at_commit_only(void **state)
{
    const char *path = scratch_path("whole");
    bnre__file *file;

    (void)state;
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__file_write(file, "one", 3));
    assert_false(bnre__file_exists(path));
    assert_ok(bnre__file_commit(file));
    assert_content(path, "one");

    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__file_write(file, "two", 3));
    assert_content(path, "one");
    assert_ok(bnre__file_commit(file));
    assert_content(path, "two");
    assert_no_temporary(path);
}

static void discarded_version_leaves_no_trace(void **state)
{
    const char *path = scratch_path("discarded");
    bnre__file *file;

    (void)state;
    assert_ok(write_text(path, "old"));
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__file_write(file, "new", 3));
    bnre__file_discard(file);
    bnre__file_discard(NULL);
    assert_content(path, "old");
    assert_no_temporary(path);
}

static void what_failed_before_its_end_leaves_no_trace(void **state)
{
    const char *path = scratch_path("failed");
    bnre__file *file;

    (void)state;
    assert_ok(write_text(path, "old"));
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__file_write(file, "new", 3));
    assert_int_equal(bnre__file_end(file, BNRE_ENUM), BNRE_ENUM);
    assert_content(path, "old");
    assert_no_temporary(path);
    assert_int_equal(bnre__file_end(NULL, BNRE_EIO), BNRE_EIO);
    assert_ok(bnre__file_end(NULL, BNRE_OK));
}

/* Pieces below, at and above the size of the buffer, and corrections that fall
   before, across and behind the part that has left the buffer. */
static void pieces_of_any_size_arrive_in_order(void **state)
{
    const size_t piece[] = {1,       (1 << 20) - 1, 1 << 20, 0, 3,
                            3000000, 1 << 19,       1 << 19, 7};
    const size_t count = sizeof piece / sizeof piece[0];
    const char *path = scratch_path("pieces");
    unsigned char *want = NULL;
    char *found = NULL;
    bnre__file *file;
    size_t total = 0, bytes;

    (void)state;
    for (size_t i = 0; i < count; i++)
        total += piece[i];
    assert_non_null(want = bnre__alloc(total, 1));
    for (size_t i = 0; i < total; i++)
        want[i] = (unsigned char)(i * 2654435761u >> 24);

    assert_ok(bnre__file_create(path, &file));
    total = 0;
    for (size_t i = 0; i < count; i++) {
        assert_ok(bnre__file_write(file, want + total, piece[i]));
        total += piece[i];
        assert_int_equal(bnre__file_offset(file), total);
    }
    for (size_t at = 0; at + 600000 <= total; at += 300000) {
        memset(want + at, (int)(at % 251), 600000);
        assert_ok(bnre__file_write_at(file, at, want + at, 600000));
    }
    want[total - 1] = 77;
    assert_ok(bnre__file_write_at(file, total - 1, want + total - 1, 1));
    assert_fails(bnre__file_write_at(file, total - 1, want, 2), BNRE_EINVAL,
                 "beyond its end");
    assert_ok(bnre__file_commit(file));

    assert_ok(bnre__file_read_all(path, total, &found, &bytes));
    assert_int_equal(bytes, total);
    assert_memory_equal(found, want, total);
    bnre__free(found);
    bnre__free(want);
}

/* The limit on file sizes stands in for a full disk: the same failures, at a
   place that can be chosen. */
static bnre_status write_with_limit(const char *path, size_t bytes,
                                    rlim_t limit)
{
    struct rlimit old, low;
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    char *data = NULL;

    BNRE_NEW(data, bytes);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &low);
    status = bnre__file_create(path, &file);
    if (status == BNRE_OK)
        status = bnre__file_write(file, data, bytes);
    if (status == BNRE_OK) {
        status = bnre__file_commit(file);
        file = NULL;
    }
    setrlimit(RLIMIT_FSIZE, &old);
    if (file != NULL) { /* a failed write cannot be forgotten */
        assert_fails(bnre__file_write(file, data, 1), BNRE_EIO, "incomplete");
        assert_fails(bnre__file_write_at(file, 0, data, 1), BNRE_EIO,
                     "incomplete");
        status = bnre__file_commit(file);
    }
done:
    bnre__free(data);
    return status;
}

static void full_disk_keeps_the_old_version(void **state)
{
    const char *path = scratch_path("full");

    (void)state;
    assert_ok(write_text(path, "old"));
    /* At commit, for what fits the buffer ... */
    assert_fails(write_with_limit(path, 5000, 4096), BNRE_EIO,
                 "no space left ... disk");
    assert_non_null(strstr(bnre_error_message(), path));
    assert_true(holds_facts(bnre_error_message(), "free ... intact"));
    assert_content(path, "old");
    assert_no_temporary(path);
    /* ... and in a write otherwise. */
    assert_fails(write_with_limit(path, 3 << 20, 1 << 20), BNRE_EIO,
                 "incomplete");
    assert_content(path, "old");
    assert_no_temporary(path);
    assert_ok(write_with_limit(path, 4096, 4096));
}

static void system_errors_end_with_advice(void **state)
{
    char path[300];
    bnre__file *file;

    (void)state;
    snprintf(path, sizeof path, "%s/x.npz", scratch_path("nowhere"));
    assert_fails(bnre__file_create(path, &file), BNRE_EIO,
                 "not exist: create ... choose ... `output`");
    assert_null(file);
    assert_non_null(strstr(bnre_error_message(), path));

    assert_ok(write_text(scratch_path("plain"), "x"));
    snprintf(path, sizeof path, "%s/x.npz", scratch_path("plain"));
    assert_fails(bnre__file_create(path, &file), BNRE_EIO,
                 "plain is not a directory: ... `output`");

    assert_fails(bnre__file_create(scratch_path(""), &file), BNRE_EIO,
                 "directory: name ... file");
    assert_fails(bnre__file_create("/dev/null", &file), BNRE_EIO,
                 "not a regular file");
    assert_fails(bnre__file_create("", &file), BNRE_EIO, "empty");

    assert_fails(
        bnre__file_fail("a/b", "write", EACCES), BNRE_EIO,
        "cannot write a/b (Permission denied): choose ... `output` ... "
        "right ... write");
    assert_fails(bnre__file_fail("/b", "write", EROFS), BNRE_EIO,
                 "right to write in /");
    assert_fails(bnre__file_fail("b", "write", EROFS), BNRE_EIO,
                 "right to write in .");
    assert_fails(bnre__file_fail("b", "read", ENOENT), BNRE_EIO,
                 "read b: No such file");
}

/* Neither through the name itself nor through names that others may guess. */
static void planted_links_are_not_followed(void **state)
{
    const char *path = scratch_path("linked");
    const char *victim = scratch_path("victim");
    struct stat info;

    (void)state;
    assert_ok(write_text(victim, "precious"));
    assert_int_equal(symlink("victim", scratch_path("linked.tmp")), 0);
    assert_int_equal(symlink("victim", path), 0);
    assert_ok(write_text(path, "ours"));
    assert_content(path, "ours");
    assert_content(victim, "precious");
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_true(bnre__file_exists(scratch_path("linked.tmp")));
}

/* Two at once never share a temporary: each publishes what it wrote. */
static void every_writer_has_a_temporary_of_its_own(void **state)
{
    const char *path = scratch_path("shared");
    bnre__file *one, *two;
    char name[512];

    (void)state;
    assert_ok(bnre__file_create(path, &one));
    assert_ok(bnre__file_write(one, "first", 5));
    assert_ok(bnre__file_create(path, &two));
    assert_int_equal(count_temporaries(path, name), 2);
    assert_ok(bnre__file_write(two, "second", 6));
    assert_ok(bnre__file_commit(two));
    assert_content(path, "second");
    assert_ok(bnre__file_commit(one));
    assert_content(path, "first");
    assert_no_temporary(path);
}

static void what_a_killed_process_left_is_removed(void **state)
{
    const char *path = scratch_path("left");
    char name[512];
    bnre__file *file;
    FILE *foreign;
    pid_t child = fork();
    int result;

    (void)state;
    if (child == 0) {
        if (bnre__file_create(path, &file) != BNRE_OK)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    assert_int_equal(count_temporaries(path, name), 1);
    /* Alike, but not a name of ours, or not of this file. */
    foreign = fopen(scratch_path("left.tmp"), "w");
    assert_int_equal(fclose(foreign), 0);
    foreign = fopen(scratch_path("left2.abcdefghijklmnop.tmp"), "w");
    assert_int_equal(fclose(foreign), 0);
    assert_ok(write_text(path, "new"));
    assert_no_temporary(path);
    assert_true(bnre__file_exists(scratch_path("left.tmp")));
    assert_true(bnre__file_exists(scratch_path("left2.abcdefghijklmnop.tmp")));
}

static void names_may_be_as_long_as_the_system_allows(void **state)
{
    char name[256], path[1024];

    (void)state;
    memset(name, 'n', 255);
    name[255] = 0;
    snprintf(path, sizeof path, "%s", scratch_path(name));
    assert_ok(write_text(path, "long"));
    assert_content(path, "long");
    unlink(path);
}

static void small_files_are_read_whole_up_to_a_limit(void **state)
{
    const char *path = scratch_path("small");
    char *text;
    size_t bytes;

    (void)state;
    assert_ok(write_text(path, ""));
    assert_content(path, "");
    assert_ok(write_text(path, "twelve bytes"));
    assert_ok(bnre__file_read_all(path, 12, &text, &bytes));
    assert_int_equal(bytes, 12);
    bnre__free(text);
    assert_fails(bnre__file_read_all(path, 11, &text, &bytes), BNRE_EFORMAT,
                 "more than 11 bytes");
    assert_null(text);
    assert_fails(bnre__file_read_all("/dev/zero", 100000, &text, &bytes),
                 BNRE_EFORMAT, "right file?");
    assert_fails(bnre__file_read_all(scratch_path("missing"), 9, &text, &bytes),
                 BNRE_EIO, "No such file");
    assert_fails(bnre__file_read_all(scratch_path(""), 9, &text, &bytes),
                 BNRE_EIO, "Is a directory");
}

static void bytes_are_read_in_place(void **state)
{
    const char *path = scratch_path("place");
    char text[4] = {0};
    uint64_t size;
    int fd;

    (void)state;
    assert_ok(write_text(path, "0123456789"));
    assert_ok(bnre__file_open(path, &fd, &size));
    assert_int_equal(size, 10);
    assert_ok(bnre__file_read_at(fd, path, 7, text, 3));
    assert_string_equal(text, "789");
    assert_fails(bnre__file_read_at(fd, path, 8, text, 3), BNRE_EFORMAT,
                 "ends at byte 10");
    close(fd);

    assert_fails(bnre__file_open(scratch_path("none"), &fd, &size), BNRE_EIO,
                 "No such file");
    assert_fails(bnre__file_open(scratch_path(""), &fd, &size), BNRE_EIO,
                 "a directory");
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_fails(bnre__file_open(scratch_path("pipe"), &fd, &size), BNRE_EIO,
                 "no regular file");
    assert_int_equal(fd, -1);
}

static bnre_status create_and_read(void *arg)
{
    bnre_status status = BNRE_OK;
    const char *path = arg;
    char *text = NULL;
    size_t bytes;

    BNRE_TRY(write_text(path, "old"));
    BNRE_TRY(bnre__file_read_all(path, 9, &text, &bytes));
done:
    bnre__free(text);
    return status;
}

static void lack_of_memory_keeps_the_old_version(void **state)
{
    const char *path = scratch_path("memory");

    (void)state;
    assert_ok(write_text(path, "old"));
    assert_survives_lack_of_memory(create_and_read, (void *)path);
    assert_content(path, "old");
    assert_no_temporary(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_version_appears_at_commit_only),
        cmocka_unit_test(discarded_version_leaves_no_trace),
        cmocka_unit_test(what_failed_before_its_end_leaves_no_trace),
        cmocka_unit_test(pieces_of_any_size_arrive_in_order),
        cmocka_unit_test(full_disk_keeps_the_old_version),
        cmocka_unit_test(system_errors_end_with_advice),
        cmocka_unit_test(planted_links_are_not_followed),
        cmocka_unit_test(every_writer_has_a_temporary_of_its_own),
        cmocka_unit_test(what_a_killed_process_left_is_removed),
        cmocka_unit_test(names_may_be_as_long_as_the_system_allows),
        cmocka_unit_test(small_files_are_read_whole_up_to_a_limit),
        cmocka_unit_test(bytes_are_read_in_place),
        cmocka_unit_test(lack_of_memory_keeps_the_old_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
