#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/npy.h"
#include "io/npy_header.h"
#include "io/zip.h"
#include "support.h"

static void put_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb"); /* without a sync, so faster */

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static const double theta[6] = {0, 1.5, -2, 1e300, 0.1, 5};
static const float x[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8.5f}}};
static const char how[] = "seed: 1\ntask: gaussian\n";

/* An archive of three members; 64-bit fields from `wide` on. */
static bnre_status write_archive(const char *path, uint64_t wide)
{
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    bnre__npz *npz = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__npz_begin(file, &npz));
    bnre__npz_wide_from(npz, wide);
    BNRE_TRY(bnre__npz_member(npz, "theta", 'f', 8, 2, (size_t[]){2, 3}));
    BNRE_TRY(bnre__npz_write(npz, theta, 8));
    BNRE_TRY(bnre__npz_write(npz, theta + 1, 40));
    BNRE_TRY(bnre__npz_member(npz, "x", 'f', 4, 3, (size_t[]){2, 2, 2}));
    BNRE_TRY(bnre__npz_write(npz, x, sizeof x));
    BNRE_TRY(bnre__npz_member(npz, "how", 'S', strlen(how), 0, NULL));
    BNRE_TRY(bnre__npz_write(npz, how, strlen(how)));
    BNRE_TRY(bnre__npz_end(npz));
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__npz_destroy(npz);
    bnre__file_discard(file);
    return status;
}

static void assert_theta(const char *path, const char *member)
{
    double f64[6];
    bnre__npy *npy;

    assert_ok(bnre__npz_open(path, member, &npy));
    assert_non_null(npy);
    assert_int_equal(bnre__npy_describe(npy)->rows, 2);
    assert_int_equal(bnre__npy_describe(npy)->row_size, 3);
    assert_ok(bnre__npy_read_f64(npy, 0, 2, f64));
    assert_memory_equal(f64, theta, sizeof theta);
    bnre__npy_close(npy);
}

static void written_archives_read_back(void **state)
{
    const uint64_t wide[] = {0xffffffff, 200, 0};
    const char *path = scratch_path("written.npz");
    bnre__npy *npy;
    float f32[8];
    char *text;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_ok(write_archive(path, wide[i]));
        assert_theta(path, "theta");
        assert_ok(bnre__npz_open(path, "x", &npy));
        assert_int_equal(bnre__npy_describe(npy)->ndim, 3);
        assert_ok(bnre__npy_read_f32(npy, 1, 1, f32 + 4));
        assert_ok(bnre__npy_read_f32(npy, 0, 1, f32));
        assert_memory_equal(f32, x, sizeof x);
        bnre__npy_close(npy);
        assert_ok(bnre__npz_open(path, "how", &npy));
        assert_ok(bnre__npy_read_text(npy, &text));
        assert_string_equal(text, how);
        bnre__free(text);
        bnre__npy_close(npy);
        assert_ok(bnre__npz_open(path, "y", &npy));
        assert_null(npy);
    }
}

static void equal_content_gives_equal_bytes(void **state)
{
    char *a, *b;
    size_t na, nb;

    (void)state;
    assert_ok(write_archive(scratch_path("a.npz"), 0xffffffff));
    assert_ok(write_archive(scratch_path("b.npz"), 0xffffffff));
    assert_ok(bnre__file_read_all(scratch_path("a.npz"), 9999, &a, &na));
    assert_ok(bnre__file_read_all(scratch_path("b.npz"), 9999, &b, &nb));
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    bnre__free(a);
    bnre__free(b);
}

static void wrong_use_of_the_writer_is_told(void **state)
{
    const size_t shape[] = {2};
    char name[1100];
    bnre__file *file;
    bnre__npz *npz;

    (void)state;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    assert_ok(bnre__file_create(scratch_path("wrong.npz"), &file));
    assert_ok(bnre__npz_begin(file, &npz));
    assert_fails(bnre__npz_write(npz, "x", 1), BNRE_EINVAL,
                 "values without a member");
    assert_fails(bnre__npz_member(npz, "a", 'c', 8, 1, shape), BNRE_EINVAL,
                 "type c8");
    assert_fails(bnre__npz_member(npz, "", 'f', 8, 1, shape), BNRE_EINVAL,
                 "name");
    assert_fails(bnre__npz_member(npz, name, 'f', 8, 1, shape), BNRE_EINVAL,
                 "name");
    assert_ok(bnre__npz_member(npz, "a", 'f', 8, 1, shape));
    assert_ok(bnre__npz_write(npz, theta, 8));
    assert_fails(bnre__npz_end(npz), BNRE_EINVAL, "a.npy lacks 8 bytes");
    assert_fails(bnre__npz_member(npz, "b", 'f', 8, 1, shape), BNRE_EINVAL,
                 "a.npy lacks 8 bytes");
    assert_fails(bnre__npz_write(npz, theta, 16), BNRE_EINVAL,
                 "more ... shape");
    assert_ok(bnre__npz_write(npz, theta, 8));
    assert_fails(bnre__npz_member(npz, "a", 'f', 8, 1, shape), BNRE_EINVAL,
                 "two members ... a");
    bnre__npz_destroy(npz);
    bnre__npz_destroy(NULL);
    bnre__file_discard(file);
}

/* Archives by hand, so that every field can lie. */
struct archive {
    unsigned char bytes[4000];
    size_t used, count;
    size_t local[4], central[4], end; /* where they are */
    struct {
        const char *name;
        unsigned method;
        size_t packed, size;
        uint32_t crc;
    } member[4];
};

static void put(struct archive *zip, size_t bytes, uint64_t value)
{
    bnre__zip_put(zip->bytes + zip->used, bytes, value);
    zip->used += bytes;
}

static void put_text(struct archive *zip, const void *text, size_t bytes)
{
    memcpy(zip->bytes + zip->used, text, bytes);
    zip->used += bytes;
}

static void put_fields(struct archive *zip, size_t i)
{
    put(zip, 2, 20);
    put(zip, 2, 0);
    put(zip, 2, zip->member[i].method);
    put(zip, 4, 0x210000);
    put(zip, 4, zip->member[i].crc);
    put(zip, 4, zip->member[i].packed);
    put(zip, 4, zip->member[i].size);
    put(zip, 2, strlen(zip->member[i].name));
    put(zip, 2, 0);
}

/* Deflated without compressing: blocks that hold their bytes as they are. */
static void add(struct archive *zip, const char *name, unsigned method,
                const void *data, size_t bytes)
{
    size_t i = zip->count++;

    zip->member[i].name = name;
    zip->member[i].method = method;
    zip->member[i].packed = bytes + (method == 8 ? 5 : 0);
    zip->member[i].size = bytes;
    zip->member[i].crc = bnre__zip_crc(0, data, bytes);
    zip->local[i] = zip->used;
    put_text(zip, "PK\3\4", 4);
    put_fields(zip, i);
    put_text(zip, name, strlen(name));
    if (method == 8) {
        put(zip, 1, 1);
        put(zip, 2, bytes);
        put(zip, 2, ~bytes & 0xffff);
    }
    put_text(zip, data, bytes);
}

static void add_directory(struct archive *zip)
{
    size_t start = zip->used;

    for (size_t i = 0; i < zip->count; i++) {
        zip->central[i] = zip->used;
        put_text(zip, "PK\1\2", 4);
        put(zip, 2, 20);
        put_fields(zip, i);
        put(zip, 8, 0); /* comment, disk, attributes */
        put(zip, 2, 0);
        put(zip, 4, zip->local[i]);
        put_text(zip, zip->member[i].name, strlen(zip->member[i].name));
    }
    zip->end = zip->used;
    put_text(zip, "PK\5\6\0\0\0\0", 8);
    put(zip, 2, zip->count);
    put(zip, 2, zip->count);
    put(zip, 4, zip->end - start);
    put(zip, 4, start);
    put(zip, 2, 0);
}

/* theta, as an array file. */
static size_t make_theta(unsigned char *out)
{
    uint64_t values;
    size_t bytes;

    assert_ok(bnre__npy_format_header('f', 8, 2, (size_t[]){2, 3}, out, &bytes,
                                      &values));
    memcpy(out + bytes, theta, sizeof theta);
    return bytes + sizeof theta;
}

static void make_archive(struct archive *zip)
{
    unsigned char file[BNRE__NPY_MAX_WRITTEN + sizeof theta];
    size_t bytes = make_theta(file);

    memset(zip, 0, sizeof *zip);
    add(zip, "stored.npy", 0, file, bytes);
    add(zip, "packed.npy", 8, file, bytes);
    add(zip, "bare", 8, file, bytes);
    add_directory(zip);
}

/* Open a member and read it all; *found = 0 if there is none. */
static bnre_status read_member(const char *path, const char *member,
                               double *out, int *found)
{
    bnre_status status = BNRE_OK;
    bnre__npy *npy = NULL;
    const bnre__npy_info *info;

    *found = 0;
    BNRE_TRY(bnre__npz_open(path, member, &npy));
    if (npy == NULL)
        goto done;
    *found = 1;
    info = bnre__npy_describe(npy);
    assert_true(info->rows * info->row_size <= 48); /* of 48 bytes */
    BNRE_TRY(bnre__npy_read_f64(npy, 0, info->rows, out));
    if (info->rows != 2 || info->row_size != 3)
        status = bnre_fail(BNRE_EFORMAT, "another shape");
done:
    bnre__npy_close(npy);
    return status;
}

static void foreign_archives_are_read(void **state)
{
    const char *path = scratch_path("foreign.npz");
    struct archive zip;

    (void)state;
    make_archive(&zip);
    /* A comment at the end that looks like an end: the last fit counts. */
    bnre__zip_put(zip.bytes + zip.end + 20, 2, 26);
    put_text(&zip, "PK\5\6 any comment in here..", 26);
    put_file(path, zip.bytes, zip.used);
    assert_theta(path, "stored");
    assert_theta(path, "packed");
    assert_theta(path, "bare");
    assert_theta(path, "packed.npy");
}

static void lying_archives_are_refused_with_a_reason(void **state)
{
    static const struct {
        const char *member;
        char where; /* local, central or end record */
        size_t field, width;
        uint64_t value;
        const char *message;
    } lie[] = {
        {"stored", 'l', 0, 1, 'Q', "member differs ... directory"},
        {"stored", 'l', 8, 2, 8, "member differs ... directory"},
        {"stored", 'l', 26, 2, 9, "member differs ... directory"},
        {"stored", 'l', 30, 1, 'S', "member differs ... directory"},
        {"stored", 'l', 28, 2, 65535, "a member is outside"},
        {"stored", 'c', 0, 1, 'Q', "directory ... bad entry"},
        {"stored", 'c', 8, 2, 1, "encrypted ... password"},
        {"stored", 'c', 10, 2, 12, "method 12, only stored and deflated"},
        {"stored", 'c', 16, 4, 7, "foreign.npz[stored] is damaged: its chec"},
        {"stored", 'c', 20, 4, 9, "stored member ... two sizes"},
        {"stored", 'c', 24, 4, 9, "stored member ... two sizes"},
        {"stored", 'c', 28, 2, 65535, "its directory is cut"},
        {"stored", 'c', 30, 2, 65535, "its directory is cut"},
        {"stored", 'c', 42, 4, 0xfffffff0, "a member is outside"},
        {"stored", 'c', 42, 4, 1, "member differs ... directory"},
        {"packed", 'c', 16, 4, 7, "foreign.npz[packed] is damaged: its chec"},
        {"packed", 'c', 20, 4, 0xffff, "a member is outside"},
        {"packed", 'c', 20, 4, 0xfffffff0, "a member is outside"},
        {"packed", 'c', 20, 4, 60, "compressed bytes end"},
        {"packed", 'c', 20, 4, 0, "compressed bytes end"},
        {"packed", 'c', 24, 4, 177, "has 49 bytes, its shape (2, 3) needs 48"},
        {"packed", 'c', 24, 4, 175, "needs 48 bytes, there are 47"},
        {"packed", 'c', 24, 4, 20, "its header has 128 bytes, the file 20"},
        {"packed", 'd', 0, 1, 7, "compressed bytes ... damaged"},
        {"packed", 'd', 1, 4, 0xff9b0064,
         "unpacks to 100 bytes, the archive "
         "promises 176"},
        {"packed", 'd', 0, 1, 0, "compressed bytes end"},
        {"packed", 'e', 4, 2, 1, "several pieces"},
        {"packed", 'e', 10, 2, 9, "directory ... too few bytes"},
        {"packed", 'e', 10, 2, 2, ""},
        {"packed", 'e', 12, 4, 0xfffffff0, "its directory is outside"},
        {"packed", 'e', 12, 4, 0xffffffff, "its directory is outside"},
        {"packed", 'e', 16, 4, 0xfffffff0, "its directory is outside"},
        {"packed", 'e', 16, 4, 0xffffffff, "its directory is outside"},
        {"packed", 'e', 20, 2, 1, "not complete ... no directory"},
        {"packed", 'e', 0, 1, 'Q', "not complete ... no directory"},
    };
    const char *path = scratch_path("foreign.npz");
    struct archive zip;
    double f64[48];
    int found;

    (void)state;
    for (size_t i = 0; i < sizeof lie / sizeof lie[0]; i++) {
        size_t which = lie[i].member[0] == 'p', at;

        make_archive(&zip);
        at = lie[i].where == 'l'   ? zip.local[which]
             : lie[i].where == 'c' ? zip.central[which]
             : lie[i].where == 'd' ? zip.local[which] + 40
                                   : zip.end;
        bnre__zip_put(zip.bytes + at + lie[i].field, lie[i].width,
                      lie[i].value);
        put_file(path, zip.bytes, zip.used);
        if (lie[i].message[0] == 0)
            assert_theta(path, lie[i].member);
        else
            assert_fails(read_member(path, lie[i].member, f64, &found),
                         BNRE_EFORMAT, lie[i].message);
    }
}

/* Two entries of the directory that lead to the same bytes. */
static void overlapping_members_are_refused(void **state)
{
    const char *path = scratch_path("overlap.npz");
    struct archive zip;
    double f64[48];
    int found;

    (void)state;
    make_archive(&zip);
    bnre__zip_put(zip.bytes + zip.central[1] + 42, 4, zip.local[0] + 60);
    put_file(path, zip.bytes, zip.used);
    assert_fails(read_member(path, "stored", f64, &found), BNRE_EFORMAT,
                 "members overlap");
    make_archive(&zip);
    bnre__zip_put(zip.bytes + zip.central[0] + 20, 4, 300);
    put_file(path, zip.bytes, zip.used);
    assert_fails(read_member(path, "packed", f64, &found), BNRE_EFORMAT,
                 "members overlap");
}

static void a_name_must_be_unique(void **state)
{
    const char *path = scratch_path("twice.npz");
    struct archive zip = {.used = 0};
    bnre__npy *npy;

    (void)state;
    add(&zip, "theta.npy", 0, "x", 1);
    add(&zip, "theta", 0, "y", 1);
    add_directory(&zip);
    put_file(path, zip.bytes, zip.used);
    assert_fails(bnre__npz_open(path, "theta", &npy), BNRE_EFORMAT,
                 "two members called theta");
}

/* A header and a directory that agree on 2^50 bytes, of which hardly any are
   there. An allocation of the promised size would give ENOMEM. */
static void promised_size_is_not_allocated(void **state)
{
    const size_t shape[] = {(size_t)1 << 47};
    const char *path = scratch_path("bomb.npz");
    unsigned char file[BNRE__NPY_MAX_WRITTEN + 99] = {0};
    struct archive zip = {.used = 0};
    uint64_t values;
    bnre__npy *npy;
    size_t bytes;

    (void)state;
    assert_ok(bnre__npy_format_header('f', 8, 1, shape, file, &bytes, &values));
    add(&zip, "theta.npy", 8, file, bytes + 99);
    zip.member[0].size = 0xffffffff;
    add_directory(&zip);
    /* The size stands in an extra field between the entry and the end. */
    memmove(zip.bytes + zip.end + 12, zip.bytes + zip.end, 22);
    zip.used += 12;
    bnre__zip_put(zip.bytes + zip.central[0] + 30, 2, 12);
    bnre__zip_put(zip.bytes + zip.end, 2, 1);
    bnre__zip_put(zip.bytes + zip.end + 2, 2, 8);
    bnre__zip_put(zip.bytes + zip.end + 4, 8, bytes + values);
    bnre__zip_put(zip.bytes + zip.end + 12 + 12, 4, 46 + 9 + 12);
    put_file(path, zip.bytes, zip.used);
    assert_fails(bnre__npz_open(path, "theta", &npy), BNRE_EFORMAT,
                 "bomb.npz[theta] unpacks ... 227 bytes ... archive promises "
                 "1125899906842752");
}

static void every_truncation_and_flipped_byte_is_harmless(void **state)
{
    static const char *const member[] = {"stored", "packed", "bare"};
    const char *path = scratch_path("hurt.npz");
    struct archive zip;
    double f64[48];
    int found;

    (void)state;
    make_archive(&zip);
    for (size_t n = 0; n < zip.used; n++) {
        put_file(path, zip.bytes, n);
        assert_fails(read_member(path, "packed", f64, &found), BNRE_EFORMAT,
                     "is not a .npz archive");
    }
    for (size_t n = 0; n < zip.used; n++) {
        zip.bytes[n] ^= n % 2 ? 255 : 1;
        put_file(path, zip.bytes, zip.used);
        zip.bytes[n] ^= n % 2 ? 255 : 1;
        for (int i = 0; i < 3; i++) {
            bnre_status status = read_member(path, member[i], f64, &found);

            assert_true(status == BNRE_OK || status == BNRE_EFORMAT);
            if (status == BNRE_OK && found)
                assert_memory_equal(f64, theta, sizeof theta);
        }
    }
}

/* Whoever reads everything in order learns of damage, in whatever pieces. */
static void damage_of_stored_values_is_noticed(void **state)
{
    const char *path = scratch_path("damaged.npz");
    struct archive zip;
    double f64[6];
    bnre__npy *npy;

    (void)state;
    make_archive(&zip);
    zip.bytes[zip.local[1] - 20] ^= 1; /* within the last row */
    put_file(path, zip.bytes, zip.used);
    assert_ok(bnre__npz_open(path, "stored", &npy));
    assert_ok(bnre__npy_read_f64(npy, 0, 1, f64));
    assert_ok(bnre__npy_read_f64(npy, 0, 1, f64));
    assert_fails(bnre__npy_read_f64(npy, 0, 2, f64), BNRE_EFORMAT,
                 "damaged ... checksum");
    assert_fails(bnre__npy_read_f64(npy, 0, 1, f64), BNRE_EFORMAT,
                 "damaged ... checksum");
    bnre__npy_close(npy);
}

static void what_is_no_archive_is_refused(void **state)
{
    bnre__npy *npy;

    (void)state;
    put_file(scratch_path("none.npz"), "", 0);
    assert_fails(bnre__npz_open(scratch_path("none.npz"), "x", &npy),
                 BNRE_EFORMAT, "not ... .npz archive ... 0 bytes");
    put_file(scratch_path("text.npz"), "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", 25);
    assert_fails(bnre__npz_open(scratch_path("text.npz"), "x", &npy),
                 BNRE_EFORMAT, "is not a .npz archive");
    assert_fails(bnre__npz_open(scratch_path("missing.npz"), "x", &npy),
                 BNRE_EIO, "No such file");
}

/* Python's own zipfile accepts what is written here, and the other way round.
 */
static void python_agrees(void **state)
{
    static const char *const member[] = {"stored", "deflated", "bare", "wide",
                                         "streamed"};
    const uint64_t wide[] = {0xffffffff, 200, 0};
    char command[800];
    const char *path;
    bnre__npy *npy;
    double *value = NULL;

    (void)state;
    if (system("python3 -c 'import zipfile, zlib, bz2' >/dev/null 2>&1") != 0)
        skip();
    for (int i = 0; i < 3; i++) {
        path = scratch_path("ours.npz");
        assert_ok(write_archive(path, wide[i]));
        snprintf(command, sizeof command,
                 "python3 %s/../io/check_npz.py check %s", TEST_DATA, path);
        assert_int_equal(system(command), 0);
    }
    path = scratch_path("theirs.npz");
    snprintf(command, sizeof command, "python3 %s/../io/check_npz.py make %s",
             TEST_DATA, path);
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < sizeof member / sizeof member[0]; i++)
        assert_theta(path, member[i]);

    /* Three million bytes that pack well. */
    assert_ok(bnre__npz_open(path, "large", &npy));
    assert_int_equal(bnre__npy_describe(npy)->rows, 375000);
    assert_non_null(value = bnre__alloc(375000, sizeof *value));
    assert_ok(bnre__npy_read_f64(npy, 0, 375000, value));
    for (int i = 0; i < 375000; i++)
        assert_true(value[i] == i % 1000);
    bnre__free(value);
    bnre__npy_close(npy);
    assert_fails(bnre__npz_open(path, "bzip2", &npy), BNRE_EFORMAT,
                 "method 12");
}

static bnre_status write_and_read(void *arg)
{
    bnre_status status = BNRE_OK;
    double f64[48];
    int found;

    BNRE_TRY(write_archive(scratch_path("memory.npz"), 0));
    BNRE_TRY(read_member(scratch_path("memory.npz"), "theta", f64, &found));
    BNRE_TRY(read_member(arg, "packed", f64, &found));
done:
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    char path[256];
    struct archive zip;

    (void)state;
    make_archive(&zip);
    snprintf(path, sizeof path, "%s", scratch_path("packed.npz"));
    put_file(path, zip.bytes, zip.used);
    assert_survives_lack_of_memory(write_and_read, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_archives_read_back),
        cmocka_unit_test(equal_content_gives_equal_bytes),
        cmocka_unit_test(wrong_use_of_the_writer_is_told),
        cmocka_unit_test(foreign_archives_are_read),
        cmocka_unit_test(lying_archives_are_refused_with_a_reason),
        cmocka_unit_test(overlapping_members_are_refused),
        cmocka_unit_test(a_name_must_be_unique),
        cmocka_unit_test(promised_size_is_not_allocated),
        cmocka_unit_test(every_truncation_and_flipped_byte_is_harmless),
        cmocka_unit_test(damage_of_stored_values_is_noticed),
        cmocka_unit_test(what_is_no_archive_is_refused),
        cmocka_unit_test(python_agrees),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
