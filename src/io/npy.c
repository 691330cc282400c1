/* npy.c - NumPy's array files: .npy, and .npz archives of them. */
#include "io/npy.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/npy_header.h"
#include "io/zip.h"

enum {
    CHUNK = 1 << 16,  /* bytes read at a time */
    INFLATE = 1 << 20 /* bytes unpacked before the first growth */
};

struct bnre__npy {
    char *label; /* the file, and the member if it is an archive */
    int fd;
    uint64_t offset;       /* of the values in the file, if they are there */
    unsigned char *values; /* or the values, if they had to be unpacked */
    bnre__npy_layout layout;
    /* A stored member's checksum is taken while rows are read in order: it
       costs no second pass, and covers whoever reads everything. */
    int checking;
    uint32_t crc, expected;
    uint64_t covered; /* bytes of the values */
};

/* Where the bytes of an array file come from, in order. */
struct source {
    const char *label;
    int fd;
    uint64_t at, end;         /* in the file */
    bnre__zip_stream *stream; /* or through this, if not NULL */
    uint64_t size;            /* of the array file */
    uint32_t crc;             /* of what was read */
};

static bnre_status take_bytes(struct source *source, void *data, size_t bytes)
{
    if (source->stream != NULL)
        BNRE_DO(bnre__zip_read(source->stream, data, bytes));
    else if (bytes > source->end - source->at)
        return bnre_fail(
            BNRE_EFORMAT,
            "%s is not complete: it ends within its header, at byte "
            "%llu",
            source->label, (unsigned long long)source->size);
    else
        BNRE_DO(bnre__file_read_at(source->fd, source->label, source->at, data,
                                   bytes));
    source->at += bytes;
    source->crc = bnre__zip_crc(source->crc, data, bytes);
    return BNRE_OK;
}

/* Read the header and compare the size it promises with the size there is. */
static bnre_status read_layout(struct source *source, bnre__npy_layout *layout)
{
    bnre_status status = BNRE_OK;
    unsigned char prefix[BNRE__NPY_PREFIX] = {0};
    char *text = NULL, shape[128];
    size_t start, length;
    uint64_t rest;

    BNRE_TRY(take_bytes(source, prefix, 10));
    if (prefix[6] > 1)
        BNRE_TRY(take_bytes(source, prefix + 10, 2));
    BNRE_TRY(bnre__npy_parse_prefix(source->label, prefix, &start, &length));
    if (start + length > source->size)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is not complete: its header has %zu bytes, the file "
                   "%llu",
                   source->label, start + length,
                   (unsigned long long)source->size);
    BNRE_NEW(text, length + 1);
    BNRE_TRY(take_bytes(source, text, length));
    BNRE_TRY(bnre__npy_parse_header(source->label, text, length, layout));
    rest = source->size - start - length;
    bnre__npy_shape_text(&layout->info, sizeof shape, shape);
    if (layout->bytes > rest)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is not complete: its shape %s needs %llu bytes, there "
                   "are %llu",
                   source->label, shape, (unsigned long long)layout->bytes,
                   (unsigned long long)rest);
    if (layout->bytes < rest)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s has %llu bytes, its shape %s needs %llu: are there "
                   "several arrays in it? Save each in a file of its own",
                   source->label, (unsigned long long)rest, shape,
                   (unsigned long long)layout->bytes);
done:
    bnre__free(text);
    return status;
}

/* Unpack all values. Memory follows what was really found, not what is promised
   - a small archive may promise terabytes - and ends at the promise. */
static bnre_status unpack_values(bnre__npy *npy, bnre__zip_stream *stream)
{
    bnre_status status = BNRE_OK;
    unsigned char *grown = NULL;
    size_t total = (size_t)npy->layout.bytes, used = 0, room = 0;

    while (used < total || npy->values == NULL) {
        room = room == 0 ? INFLATE : room > total / 2 ? total : 2 * room;
        if (room > total)
            room = total;
        BNRE_NEW(grown, room);
        if (used > 0)
            memcpy(grown, npy->values, used);
        bnre__free(npy->values);
        npy->values = grown;
        grown = NULL;
        BNRE_TRY(bnre__zip_read(stream, npy->values + used, room - used));
        used = room;
    }
    BNRE_TRY(bnre__zip_finish(stream));
done:
    bnre__free(grown);
    return status;
}

static bnre_status create(const char *path, const char *member, bnre__npy **out)
{
    bnre_status status = BNRE_OK;
    bnre__npy *npy = NULL;

    *out = NULL;
    BNRE_NEW(npy, 1);
    npy->fd = -1;
    if (member == NULL)
        BNRE_TRY(bnre__text_format(&npy->label, "%s", path));
    else
        BNRE_TRY(bnre__text_format(&npy->label, "%s[%s]", path, member));
    *out = npy;
    npy = NULL;
done:
    bnre__npy_close(npy);
    return status;
}

bnre_status bnre__npy_open(const char *path, bnre__npy **out)
{
    bnre_status status = BNRE_OK;
    struct source source = {0};
    bnre__npy *npy = NULL;

    *out = NULL;
    BNRE_TRY(create(path, NULL, &npy));
    BNRE_TRY(bnre__file_open(path, &npy->fd, &source.end));
    source.label = npy->label;
    source.fd = npy->fd;
    source.size = source.end;
    BNRE_TRY(read_layout(&source, &npy->layout));
    npy->offset = source.at;
    *out = npy;
    npy = NULL;
done:
    bnre__npy_close(npy);
    return status;
}

bnre_status bnre__npz_open(const char *path, const char *member,
                           bnre__npy **out)
{
    bnre_status status = BNRE_OK;
    struct source source = {0};
    bnre__zip_entry entry;
    bnre__npy *npy = NULL;
    uint64_t size;
    int found;

    *out = NULL;
    BNRE_TRY(create(path, member, &npy));
    BNRE_TRY(bnre__file_open(path, &npy->fd, &size));
    BNRE_TRY(bnre__zip_find(npy->fd, path, size, member, &entry, &found));
    if (!found)
        goto done;
    source.label = npy->label;
    source.fd = npy->fd;
    source.size = entry.size;
    if (entry.deflated) {
        BNRE_TRY(bnre__zip_open(npy->fd, npy->label, &entry, &source.stream));
        BNRE_TRY(read_layout(&source, &npy->layout));
        BNRE_TRY(unpack_values(npy, source.stream));
    } else {
        source.at = entry.offset;
        source.end = entry.offset + entry.packed;
        BNRE_TRY(read_layout(&source, &npy->layout));
        npy->offset = source.at;
        npy->checking = 1;
        npy->crc = source.crc;
        npy->expected = entry.crc;
    }
    *out = npy;
    npy = NULL;
done:
    bnre__zip_close(source.stream);
    bnre__npy_close(npy);
    return status;
}

void bnre__npy_close(bnre__npy *npy)
{
    if (npy == NULL)
        return;
    if (npy->fd >= 0)
        close(npy->fd);
    bnre__free(npy->values);
    bnre__free(npy->label);
    bnre__free(npy);
}

const bnre__npy_info *bnre__npy_describe(const bnre__npy *npy)
{
    return &npy->layout.info;
}

static bnre_status fetch(bnre__npy *npy, uint64_t at, void *data, size_t bytes)
{
    if (npy->values == NULL)
        return bnre__file_read_at(npy->fd, npy->label, npy->offset + at, data,
                                  bytes);
    if (bytes > 0)
        memcpy(data, npy->values + at, bytes);
    return BNRE_OK;
}

static void swap_bytes(unsigned char *data, size_t n, size_t item)
{
    for (size_t i = 0; i < n; i++, data += item)
        for (size_t a = 0, b = item - 1; a < b; a++, b--) {
            unsigned char keep = data[a];

            data[a] = data[b];
            data[b] = keep;
        }
}

/* IEEE 754 binary16: 5 bits of exponent, 10 of fraction; exact in a float. */
static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31;
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    uint32_t bits;
    float value;

    if (exponent == 0) { /* zero or subnormal: fraction 2^-24 */
        value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    exponent = exponent == 31 ? 255 : exponent - 15 + 127;
    bits = sign | exponent << 23 | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* n values from `from`, which need not be aligned, as doubles or floats. */
#define CONVERT(stored, expression)                                            \
    for (size_t i = 0; i < n; i++) {                                           \
        stored v;                                                              \
                                                                               \
        memcpy(&v, from + i * sizeof v, sizeof v);                             \
        if (f64 != NULL)                                                       \
            f64[i] = (double)(expression);                                     \
        else                                                                   \
            f32[i] = (float)(expression);                                      \
    }                                                                          \
    break

static void convert(const bnre__npy_info *info, const unsigned char *from,
                    size_t n, double *f64, float *f32)
{
    switch (info->kind << 4 | (int)info->item) {
    case 'f' << 4 | 2:
        CONVERT(uint16_t, half_to_float(v));
    case 'f' << 4 | 4:
        CONVERT(float, v);
    case 'f' << 4 | 8:
        CONVERT(double, v);
    case 'i' << 4 | 1:
        CONVERT(int8_t, v);
    case 'i' << 4 | 2:
        CONVERT(int16_t, v);
    case 'i' << 4 | 4:
        CONVERT(int32_t, v);
    case 'i' << 4 | 8:
        CONVERT(int64_t, v);
    case 'u' << 4 | 1:
        CONVERT(uint8_t, v);
    case 'u' << 4 | 2:
        CONVERT(uint16_t, v);
    case 'u' << 4 | 4:
        CONVERT(uint32_t, v);
    case 'u' << 4 | 8:
        CONVERT(uint64_t, v);
    case 'b' << 4 | 1:
        CONVERT(uint8_t, v != 0);
    }
}

static bnre_status check_rows(const bnre__npy *npy, size_t first, size_t n)
{
    const bnre__npy_info *info = &npy->layout.info;

    if (first > info->rows || n > info->rows - first)
        return bnre_fail(BNRE_EINVAL,
                         "rows %zu to %zu were asked of %s, which has %zu",
                         first, first + n, npy->label, info->rows);
    return BNRE_OK;
}

/* Values that were read extend the checksum if they follow what it covers. */
static bnre_status check_bytes(bnre__npy *npy, uint64_t at,
                               const unsigned char *data, size_t bytes)
{
    uint64_t known = npy->covered;

    if (!npy->checking)
        return BNRE_OK;
    if (at <= known && at + bytes > known) {
        npy->crc = bnre__zip_crc(npy->crc, data + (known - at),
                                 (size_t)(at + bytes - known));
        npy->covered = at + bytes;
    }
    if (npy->covered < npy->layout.bytes)
        return BNRE_OK;
    return bnre__zip_compare(npy->label, npy->crc, npy->expected);
}

bnre_status bnre__npy_read(bnre__npy *npy, char kind, size_t item, size_t first,
                           size_t n, void *out)
{
    const bnre__npy_info *info = &npy->layout.info;
    const int direct = info->kind == kind && info->item == item;
    unsigned char chunk[CHUNK], *to = out;
    uint64_t at;
    size_t left;

    if (!direct && (info->kind == 'S' || kind != 'f' || item % 4 != 0))
        return bnre_fail(BNRE_EFORMAT, "%s holds %s", npy->label,
                         info->kind == 'S' ? "text, numbers are expected"
                                           : "numbers of another type");
    BNRE_DO(check_rows(npy, first, n));
    at = (uint64_t)first * info->row_size * info->item;
    left = n * info->row_size;
    while (left > 0) {
        size_t most = info->item < CHUNK ? CHUNK / info->item : 1;
        size_t count = left < most ? left : most;
        size_t bytes = count * info->item;
        unsigned char *raw = direct ? to : chunk;

        BNRE_DO(fetch(npy, at, raw, bytes));
        BNRE_DO(check_bytes(npy, at, raw, bytes));
        if (npy->layout.swap)
            swap_bytes(raw, count, info->item);
        if (!direct)
            convert(info, raw, count, item == 8 ? (double *)(void *)to : NULL,
                    item == 4 ? (float *)(void *)to : NULL);
        to += count * item;
        at += bytes;
        left -= count;
    }
    return BNRE_OK;
}

bnre_status bnre__npy_read_f64(bnre__npy *npy, size_t first, size_t n,
                               double *out)
{
    return bnre__npy_read(npy, 'f', sizeof *out, first, n, out);
}

bnre_status bnre__npy_read_f32(bnre__npy *npy, size_t first, size_t n,
                               float *out)
{
    return bnre__npy_read(npy, 'f', sizeof *out, first, n, out);
}

bnre_status bnre__npy_read_text(bnre__npy *npy, char **out)
{
    bnre_status status = BNRE_OK;
    size_t bytes = (size_t)npy->layout.bytes;
    char *text = NULL;

    *out = NULL;
    if (npy->layout.info.kind != 'S')
        BNRE_THROW(BNRE_EFORMAT, "%s holds numbers, text is expected",
                   npy->label);
    BNRE_NEW(text, bytes + 1);
    BNRE_TRY(fetch(npy, 0, text, bytes));
    BNRE_TRY(check_bytes(npy, 0, (unsigned char *)text, bytes));
    while (bytes > 0 && text[bytes - 1] == 0) /* NumPy fills up with these */
        bytes--;
    if (memchr(text, 0, bytes) != NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s holds text with a zero byte in it",
                   npy->label);
    *out = text;
    text = NULL;
done:
    bnre__free(text);
    return status;
}
