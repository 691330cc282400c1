#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/npy_header.h"
#include "support.h"

static void put_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb"); /* without a sync, so faster */

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* An array file by hand: version, header text, `bytes` bytes of values. */
static size_t make_npy(unsigned char *out, int version, const char *header,
                       const void *values, size_t bytes)
{
    size_t length = strlen(header), start = version > 1 ? 12 : 10;

    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    memset(out + 8, 0, 4);
    out[8] = (unsigned char)(length & 255);
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + start, header, length);
    if (bytes > 0)
        memcpy(out + start + length, values, bytes);
    return start + length + bytes;
}

static const char *put_npy(int version, const char *header, const void *values,
                           size_t bytes)
{
    static unsigned char file[2000];
    const char *path = scratch_path("array.npy");

    put_file(path, file, make_npy(file, version, header, values, bytes));
    return path;
}

/* Values as a machine of the given byte order would write them. */
static void encode(char kind, size_t item, int big, double value,
                   unsigned char *out)
{
    unsigned char little[8];
    float single = (float)value;
    int64_t integer = (int64_t)value;

    if (kind == 'f' && item == 8)
        memcpy(little, &value, 8);
    else if (kind == 'f' && item == 4)
        memcpy(little, &single, 4);
    else if (kind == 'f') /* 1, 2, 3 ... as binary16 */
        memcpy(little,
               value == 1   ? "\0\x3c"
               : value == 2 ? "\0\x40"
                            : "\0\x42",
               2);
    else
        memcpy(little, &integer, 8);
    for (size_t i = 0; i < item; i++)
        out[i] = little[big ? item - 1 - i : i];
}

static const struct {
    char kind;
    size_t item;
} types[] = {{'f', 2}, {'f', 4}, {'f', 8}, {'i', 1}, {'i', 2}, {'i', 4},
             {'i', 8}, {'u', 1}, {'u', 2}, {'u', 4}, {'u', 8}, {'b', 1}};
enum { TYPES = sizeof types / sizeof types[0] };

static void check_type(char kind, size_t item, char order, int version)
{
    const double want[2] = {kind == 'b' ? 1 : 3, kind == 'b' ? 0 : 2};
    const char *path;
    unsigned char values[16];
    char header[99];
    double f64[2];
    float f32[2];
    bnre__npy *npy;

    encode(kind, item, order == '>', want[0], values);
    encode(kind, item, order == '>', want[1], values + item);
    snprintf(header, sizeof header,
             "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (2,), }\n",
             order, kind, item);
    path = put_npy(version, header, values, 2 * item);
    assert_ok(bnre__npy_open(path, &npy));
    assert_int_equal(bnre__npy_describe(npy)->kind, kind);
    assert_int_equal(bnre__npy_describe(npy)->item, item);
    assert_int_equal(bnre__npy_describe(npy)->rows, 2);
    assert_int_equal(bnre__npy_describe(npy)->row_size, 1);
    assert_ok(bnre__npy_read_f64(npy, 0, 2, f64));
    assert_ok(bnre__npy_read_f32(npy, 0, 1, f32));
    assert_ok(bnre__npy_read_f32(npy, 1, 1, f32 + 1));
    for (int i = 0; i < 2; i++) {
        assert_true(f64[i] == want[i]);
        assert_true((double)f32[i] == want[i]);
    }
    bnre__npy_close(npy);
}

static void every_type_order_and_version_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPES; i++)
        for (int version = 1; version <= 3; version++)
            for (const char *order = "<>|="; *order != 0; order++)
                check_type(types[i].kind, types[i].item, *order, version);
}

static void extreme_values_survive(void **state)
{
    const int64_t integer[] = {INT64_MIN, -1, INT64_MAX};
    const uint8_t byte[] = {255, 128, 2};
    const float single[] = {-0.0f, INFINITY, 0x1p-149f};
    double f64[3];
    bnre__npy *npy;

    (void)state;
#define READ(type, values)                                                     \
    assert_ok(                                                                 \
        bnre__npy_open(put_npy(1,                                              \
                               "{'descr': '" type                              \
                               "', 'fortran_order': False, 'shape': (3,), }",  \
                               values, sizeof values),                         \
                       &npy));                                                 \
    assert_ok(bnre__npy_read_f64(npy, 0, 3, f64));                             \
    bnre__npy_close(npy)
    READ("<i8", integer);
    assert_true(f64[0] == -0x1p63 && f64[1] == -1 && f64[2] == 0x1p63);
    READ("<u8", integer);
    assert_true(f64[0] == 0x1p63 && f64[1] == 0x1p64 && f64[2] == 0x1p63);
    READ("|u1", byte);
    assert_true(f64[0] == 255 && f64[1] == 128 && f64[2] == 2);
    READ("|i1", byte);
    assert_true(f64[0] == -1 && f64[1] == -128 && f64[2] == 2);
    READ("|b1", byte);
    assert_true(f64[0] == 1 && f64[1] == 1 && f64[2] == 1);
    READ("<f4", single);
    assert_true(signbit(f64[0]) && isinf(f64[1]) && f64[2] == 0x1p-149);
#undef READ
}

/* All of them, against the definition of the format. */
static void half_precision_is_exact(void **state)
{
    enum { ALL = 65536 };
    const char *path = scratch_path("half.npy");
    const size_t shape[] = {ALL};
    uint16_t *bits = NULL;
    double *value = NULL;
    bnre__file *file;
    bnre__npy *npy;

    (void)state;
    assert_non_null(bits = bnre__alloc(ALL, sizeof *bits));
    assert_non_null(value = bnre__alloc(ALL, sizeof *value));
    for (int i = 0; i < ALL; i++)
        bits[i] = (uint16_t)i;
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npy_write_header(file, 'f', 2, 1, shape));
    assert_ok(bnre__file_write(file, bits, ALL * sizeof *bits));
    assert_ok(bnre__file_commit(file));
    assert_ok(bnre__npy_open(path, &npy));
    assert_ok(bnre__npy_read_f64(npy, 0, ALL, value));
    for (int i = 0; i < ALL; i++) {
        int exponent = i >> 10 & 31, fraction = i & 1023;
        double want = exponent == 0 ? ldexp(fraction, -24)
                                    : ldexp(1024 + fraction, exponent - 25);

        if (exponent == 31)
            want = fraction == 0 ? INFINITY : NAN;
        if (isnan(want))
            assert_true(isnan(value[i]));
        else
            assert_true(fabs(value[i]) == want &&
                        !signbit(value[i]) == !(i >> 15));
    }
    bnre__npy_close(npy);
    bnre__free(value);
    bnre__free(bits);
}

/* More than one piece of the reader's buffer, rows asked for in any order. */
static void rows_of_large_arrays_are_found(void **state)
{
    const char *path = scratch_path("large.npy");
    const size_t shape[] = {30000, 3, 2};
    static float row[6];
    double f64[12];
    float f32[12];
    float *all = NULL;
    bnre__file *file;
    bnre__npy *npy;

    (void)state;
    assert_ok(bnre__file_create(path, &file));
    assert_ok(bnre__npy_write_header(file, 'f', 4, 3, shape));
    for (size_t i = 0; i < shape[0]; i++) {
        for (size_t j = 0; j < 6; j++)
            row[j] = (float)(6 * i + j);
        assert_ok(bnre__file_write(file, row, sizeof row));
    }
    assert_ok(bnre__file_commit(file));

    assert_ok(bnre__npy_open(path, &npy));
    assert_int_equal(bnre__npy_describe(npy)->ndim, 3);
    assert_int_equal(bnre__npy_describe(npy)->row_size, 6);
    assert_ok(bnre__npy_read_f64(npy, 29998, 2, f64));
    assert_ok(bnre__npy_read_f32(npy, 17, 2, f32));
    for (size_t j = 0; j < 12; j++) {
        assert_true(f64[j] == (double)(29998 * 6 + j));
        assert_true(f32[j] == (float)(17 * 6 + j));
    }
    assert_non_null(all = bnre__alloc(shape[0] * 6, sizeof *all));
    assert_ok(bnre__npy_read_f32(npy, 0, shape[0], all));
    for (size_t i = 0; i < shape[0] * 6; i++)
        assert_true(all[i] == (float)i);
    assert_ok(bnre__npy_read_f32(npy, 30000, 0, all));
    assert_fails(bnre__npy_read_f32(npy, 29999, 2, all), BNRE_EINVAL,
                 "which has 30000");
    assert_fails(bnre__npy_read_f32(npy, SIZE_MAX, 2, all), BNRE_EINVAL, "");
    bnre__npy_close(npy);
    bnre__free(all);
}

static void headers_in_any_style_are_understood(void **state)
{
    static const struct {
        const char *header;
        size_t ndim, rows, row_size;
    } style[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }     \n",
         2, 2, 3},
        {"{'shape':(2,3),'fortran_order':False,'descr':'<f8'}", 2, 2, 3},
        {"\t{ \"descr\" :\r\n\"<f8\" ,\"shape\": ( 2 , 3 , ) , "
         "'fortran_order' : False\n} \n",
         2, 2, 3},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L)}", 2, 2,
         3},
        {"{'descr': 'f8', 'fortran_order': False, 'shape': (6,)}", 1, 6, 1},
        {"{'descr': '=f8', 'fortran_order': True, 'shape': (6,)}", 1, 6, 1},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 6, 1)}", 3, 1,
         6},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 4)}", 3, 2,
         12},
        {"{'descr': '|S48', 'fortran_order': False, 'shape': ()}", 0, 1, 1},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,12)}",
         16, 1, 12},
    };
    static const unsigned char values[48];
    bnre__npy *npy;

    (void)state;
    for (size_t i = 0; i < sizeof style / sizeof style[0]; i++) {
        assert_ok(bnre__npy_open(
            put_npy(1 + (int)(i % 3), style[i].header, values, sizeof values),
            &npy));
        assert_int_equal(bnre__npy_describe(npy)->ndim, style[i].ndim);
        assert_int_equal(bnre__npy_describe(npy)->rows, style[i].rows);
        assert_int_equal(bnre__npy_describe(npy)->row_size, style[i].row_size);
        bnre__npy_close(npy);
    }
}

static void hostile_headers_are_refused_with_a_reason(void **state)
{
#define F8 "'descr': '<f8', "
#define C "'fortran_order': False, "
#define OK_SHAPE "'shape': (6,)"
    static const struct {
        const char *header, *message;
    } hostile[] = {
        {"", "expected a dictionary"},
        {"{", "expected a key"},
        {"{'descr", "expected a closing quote"},
        {"{'descr'", "expected a colon"},
        {"{'descr' '<f8'", "expected a colon, found \"'<f8'\""},
        {"{'descr':", "a type in quotes"},
        {"{'descr': 8", "a type in quotes, found \"8\""},
        {"{" F8 C OK_SHAPE, "a comma or ... dictionary"},
        {"{" F8 C OK_SHAPE "} x", "nothing after ... found \"x\""},
        {"{" F8 C "}", "no 'shape'"},
        {"{" F8 OK_SHAPE "}", "no 'fortran_order'"},
        {"{" C OK_SHAPE "}", "no 'descr'"},
        {"{" F8 F8 C OK_SHAPE "}", "a key is twice"},
        {"{'name': 1}", "unknown key 'name'"},
        {"{" F8 "'fortran_order': 0}", "expected True or False"},
        {"{" F8 "'fortran_order': True, 'shape': (2, 3)}",
         "Fortran order: save numpy.ascontiguousarray(x)"},
        {"{" F8 C "'shape': 6}", "the shape in parentheses"},
        {"{" F8 C "'shape': (6", "a comma or ... shape"},
        {"{" F8 C "'shape': (6.0,)}", "a comma or ... shape"},
        {"{" F8 C "'shape': (,)}", "a number ... shape"},
        {"{" F8 C "'shape': (-6,)}", "negative dimension"},
        {"{" F8 C "'shape': (18446744073709551622,)}", "larger"},
        {"{" F8 C "'shape': (4294967296, 4294967296)}", "larger"},
        {"{" F8 C "'shape': (2, 4294967296, 4294967296)}",
         "larger than any file: (2, 4294967296, 4294967296)"},
        {"{" F8 C "'shape': (0, 4294967296, 4294967296)}", "larger"},
        {"{" F8 C "'shape': (0, 99999999999)}", "larger"},
        {"{" F8 C "'shape': (4611686018427387904,)}", "larger"},
        {"{" F8 C "'shape': (6, 0)}", "rows without values: shape (6, 0)"},
        {"{" F8 C "'shape': (1000000000000,)}",
         "its shape (1000000000000,) needs 8000000000000 bytes, there are 48"},
        {"{" F8 C "'shape': (7,)}", "needs 56 bytes, there are 48"},
        {"{" F8 C "'shape': (5,)}", "several arrays"},
        {"{" F8 C "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)}",
         "more than 16 dimensions"},
        {"{'descr': '|O', " C OK_SHAPE "}", "can run code ... numeric array"},
        {"{'descr': '|O8', " C OK_SHAPE "}", "can run code"},
        {"{'descr': [('a', '<f8')], " C OK_SHAPE "}",
         "structures ... numeric array"},
        {"{'descr': '<c8', " C OK_SHAPE "}", "complex"},
        {"{'descr': '<U2', " C OK_SHAPE "}", "Unicode"},
        {"{'descr': '|V8', " C OK_SHAPE "}", "raw memory"},
        {"{'descr': '<M8[s]', " C OK_SHAPE "}", "dates"},
        {"{'descr': '<f16', " C OK_SHAPE "}", "values of type '<f16'"},
        {"{'descr': '<f3', " C OK_SHAPE "}", "values of type '<f3'"},
        {"{'descr': '<i0', " C OK_SHAPE "}", "values of type '<i0'"},
        {"{'descr': '<f', " C OK_SHAPE "}", "values of type '<f'"},
        {"{'descr': '<f8x', " C OK_SHAPE "}", "values of type '<f8x'"},
        {"{'descr': '', " C OK_SHAPE "}", "values of type ''"},
        {"{'descr': '<', " C OK_SHAPE "}", "values of type '<'"},
        {"{'descr': '|b8', " C OK_SHAPE "}", "values of type '|b8'"},
        {"{'descr': '|S99999999999999999999999', " C OK_SHAPE "}",
         "values of type"},
        {"{'descr': '|S9223372036854775', " C OK_SHAPE "}", "are 48"},
        {"{'descr': '|S0', " C "'shape': (99999999,)}", "larger than any"},
    };
    static const unsigned char values[48];
    bnre__npy *npy;

    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        const char *path =
            put_npy(1 + (int)(i % 3), hostile[i].header, values, sizeof values);

        assert_fails(bnre__npy_open(path, &npy), BNRE_EFORMAT,
                     hostile[i].message);
        assert_null(npy);
        assert_non_null(strstr(bnre_error_message(), path));
    }
}

static void foreign_files_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *message;
    } foreign[] = {
        {"", 0, "foreign.npy ... ends ... byte 0"},
        {"theta,x\n1,2\n3,4\n", 15, "does not start with \\x93NUMPY"},
        {"PK\3\4xxxxxxxxxxx", 15, "an archive ... .npz"},
        {"\x93NUMPY\4\0\4\0\0\0abcd", 16, "version 4.0"},
        {"\x93NUMPY\1\1\4\0\0\0abcd", 16, "version 1.1"},
        {"\x93NUMPY\0\0\4\0\0\0abcd", 16, "version 0.0"},
        {"\x93NUMPY\2\0\1\0\1\0abcd", 16, "a header of 65537 bytes"},
        {"\x93NUMPY\3\0\377\377\377\377", 12, "a header of 4294967295 bytes"},
        {"\x93NUMPY\1\0\377\377ab", 12, "has 65545 bytes, the file 12"},
    };
    bnre__npy *npy;

    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const char *path = scratch_path("foreign.npy");

        put_file(path, foreign[i].bytes, foreign[i].count);
        assert_fails(bnre__npy_open(path, &npy), BNRE_EFORMAT,
                     foreign[i].message);
    }
    assert_fails(bnre__npy_open(scratch_path("none.npy"), &npy), BNRE_EIO,
                 "No such file");
    assert_fails(bnre__npy_open(scratch_path(""), &npy), BNRE_EIO,
                 "a directory");
}

static void every_truncation_is_noticed(void **state)
{
    static const unsigned char values[48];
    unsigned char file[400];
    size_t bytes = make_npy(
        file, 2, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }\n",
        values, sizeof values);
    const char *path = scratch_path("cut.npy");
    bnre__npy *npy;

    (void)state;
    for (size_t n = 0; n < bytes; n++) {
        put_file(path, file, n);
        assert_fails(bnre__npy_open(path, &npy), BNRE_EFORMAT, "not complete");
    }
    /* Cut while it is open: noticed when it is read. */
    put_file(path, file, bytes);
    assert_ok(bnre__npy_open(path, &npy));
    assert_int_equal(truncate(path, (off_t)bytes - 1), 0);
    assert_fails(bnre__npy_read_f64(npy, 0, 6, (double[6]){0}), BNRE_EFORMAT,
                 "still being written?");
    bnre__npy_close(npy);
}

static void written_headers_read_back(void **state)
{
    const size_t shape[16] = {2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const unsigned char zeros[48];
    const char *path = scratch_path("written.npy");
    bnre__file *file;
    bnre__npy *npy;

    (void)state;
    for (size_t i = 0; i < TYPES; i++)
        for (size_t ndim = i % 4; ndim <= 16; ndim += 4) {
            size_t n = ndim == 0 ? 1 : ndim == 1 ? 2 : 6;

            assert_ok(bnre__file_create(path, &file));
            assert_ok(bnre__npy_write_header(file, types[i].kind, types[i].item,
                                             ndim, shape));
            assert_int_equal(bnre__file_offset(file) % 64, 0);
            assert_ok(bnre__file_write(file, zeros, n * types[i].item));
            assert_ok(bnre__file_commit(file));
            assert_ok(bnre__npy_open(path, &npy));
            assert_int_equal(bnre__npy_describe(npy)->kind, types[i].kind);
            assert_int_equal(bnre__npy_describe(npy)->item, types[i].item);
            assert_int_equal(bnre__npy_describe(npy)->ndim, ndim);
            assert_memory_equal(bnre__npy_describe(npy)->shape, shape,
                                ndim * sizeof *shape);
            bnre__npy_close(npy);
        }
}

static void longest_header_fits(void **state)
{
    size_t shape[16];
    unsigned char out[BNRE__NPY_MAX_WRITTEN];
    bnre__npy_layout layout;
    uint64_t values;
    size_t bytes;

    (void)state;
    for (int i = 0; i < 16; i++)
        shape[i] = i == 0 ? SIZE_MAX / 2 : 1;
    assert_ok(bnre__npy_format_header('S', 2, 16, shape, out, &bytes, &values));
    assert_int_equal(values, SIZE_MAX - 1);
    assert_ok(
        bnre__npy_parse_header("it", (char *)out + 10, bytes - 10, &layout));
    assert_int_equal(layout.info.shape[0], SIZE_MAX / 2);
    shape[1] = 2;
    assert_fails(
        bnre__npy_format_header('S', 2, 16, shape, out, &bytes, &values),
        BNRE_EINVAL, "larger");
    assert_fails(
        bnre__npy_format_header('f', 16, 1, shape, out, &bytes, &values),
        BNRE_EINVAL, "type f16");
    assert_fails(
        bnre__npy_format_header('c', 8, 1, shape, out, &bytes, &values),
        BNRE_EINVAL, "type c8");
    assert_fails(
        bnre__npy_format_header('f', 8, 17, shape, out, &bytes, &values),
        BNRE_EINVAL, "17 dimensions");
}

static void text_loses_only_its_padding(void **state)
{
    static const struct {
        const char *descr, *bytes;
        size_t count;
        const char *text;
    } good[] = {
        {"{'descr': '|S5', 'fortran_order': False, 'shape': ()}", "hello", 5,
         "hello"},
        {"{'descr': '|S5', 'fortran_order': False, 'shape': ()}", "hi\0\0\0", 5,
         "hi"},
        {"{'descr': '|S1', 'fortran_order': False, 'shape': (5,)}", "hello", 5,
         "hello"},
        {"{'descr': '|S0', 'fortran_order': False, 'shape': ()}", "", 0, ""},
        {"{'descr': '|S3', 'fortran_order': False, 'shape': (0,)}", "", 0, ""},
    };
    bnre__npy *npy;
    char *text;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_ok(bnre__npy_open(
            put_npy(1, good[i].descr, good[i].bytes, good[i].count), &npy));
        assert_ok(bnre__npy_read_text(npy, &text));
        assert_string_equal(text, good[i].text);
        assert_fails(bnre__npy_read_f64(npy, 0, 1, NULL), BNRE_EFORMAT,
                     "holds text");
        bnre__free(text);
        bnre__npy_close(npy);
    }
    assert_ok(bnre__npy_open(put_npy(1, good[0].descr, "a\0b\0\0", 5), &npy));
    assert_fails(bnre__npy_read_text(npy, &text), BNRE_EFORMAT, "zero byte");
    bnre__npy_close(npy);
    assert_ok(bnre__npy_open(
        put_npy(1, "{'descr': 'u1', 'fortran_order': False, 'shape': (5,)}",
                "abcde", 5),
        &npy));
    assert_fails(bnre__npy_read_text(npy, &text), BNRE_EFORMAT,
                 "holds numbers");
    assert_null(text);
    bnre__npy_close(npy);
}

static bnre_status open_and_read(void *arg)
{
    bnre_status status = BNRE_OK;
    bnre__npy *npy = NULL;
    char *text = NULL;

    BNRE_TRY(bnre__npy_open(arg, &npy));
    BNRE_TRY(bnre__npy_read_text(npy, &text));
done:
    bnre__free(text);
    bnre__npy_close(npy);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    const char *path = put_npy(
        1, "{'descr': '|S5', 'fortran_order': False, 'shape': ()}", "hello", 5);

    (void)state;
    assert_survives_lack_of_memory(open_and_read, (void *)path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_order_and_version_is_read),
        cmocka_unit_test(extreme_values_survive),
        cmocka_unit_test(half_precision_is_exact),
        cmocka_unit_test(rows_of_large_arrays_are_found),
        cmocka_unit_test(headers_in_any_style_are_understood),
        cmocka_unit_test(hostile_headers_are_refused_with_a_reason),
        cmocka_unit_test(foreign_files_are_refused),
        cmocka_unit_test(every_truncation_is_noticed),
        cmocka_unit_test(written_headers_read_back),
        cmocka_unit_test(longest_header_fits),
        cmocka_unit_test(text_loses_only_its_padding),
        cmocka_unit_test(lack_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
