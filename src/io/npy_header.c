/* npy_header.c - the text in front of an array's values. */
#include "io/npy_header.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6 };

bnre_status bnre__npy_parse_prefix(const char *label,
                                   const unsigned char *prefix, size_t *start,
                                   size_t *length)
{
    unsigned major = prefix[6], minor = prefix[7];
    uint32_t n;

    if (memcmp(prefix, "PK\3\4", 4) == 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s is an archive of arrays, not one array: call it "
                         ".npz",
                         label);
    if (memcmp(prefix, magic, MAGIC) != 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s is not a NumPy array file: it does not start "
                         "with \\x93NUMPY",
                         label);
    if (major < 1 || major > 3 || minor != 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s has version %u.%u of the npy format: 1.0, 2.0 and "
                         "3.0 are read",
                         label, major, minor);
    n = (uint32_t)prefix[8] | (uint32_t)prefix[9] << 8;
    if (major > 1)
        n |= (uint32_t)prefix[10] << 16 | (uint32_t)prefix[11] << 24;
    if (n > BNRE__NPY_MAX_HEADER)
        return bnre_fail(BNRE_EFORMAT,
                         "%s has a header of %lu bytes: at most %d are read",
                         label, (unsigned long)n, BNRE__NPY_MAX_HEADER);
    *start = major > 1 ? 12 : 10;
    *length = n;
    return BNRE_OK;
}

/* Text being parsed: at <= end always. */
struct scan {
    const char *label, *begin, *at, *end;
};

static bnre_status fail_at(const struct scan *scan, const char *what)
{
    size_t left = (size_t)(scan->end - scan->at);
    char near[17];
    size_t n = left < sizeof near - 1 ? left : sizeof near - 1;

    for (size_t i = 0; i < n; i++)
        near[i] = scan->at[i] >= ' ' && scan->at[i] <= '~' ? scan->at[i] : '?';
    near[n] = 0;
    return bnre_fail(BNRE_EFORMAT,
                     "%s: header, byte %zu: expected %s, found \"%s\"",
                     scan->label, (size_t)(scan->at - scan->begin), what, near);
}

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at != 0 &&
           strchr(" \t\r\n\f\v", *scan->at) != NULL)
        scan->at++;
}

/* Whether the next token is this character, which is then consumed. */
static int take(struct scan *scan, char c)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != c)
        return 0;
    scan->at++;
    return 1;
}

static int take_word(struct scan *scan, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(scan);
    if ((size_t)(scan->end - scan->at) < n || memcmp(scan->at, word, n) != 0)
        return 0;
    scan->at += n;
    return 1;
}

/* A quoted string without escapes, cut to the room there is. */
static bnre_status take_string(struct scan *scan, const char *what, size_t room,
                               char *out)
{
    const char *close;
    size_t n;

    skip_blanks(scan);
    if (scan->at == scan->end || (*scan->at != '\'' && *scan->at != '"'))
        return fail_at(scan, what);
    close = memchr(scan->at + 1, *scan->at, (size_t)(scan->end - scan->at - 1));
    if (close == NULL)
        return fail_at(scan, "a closing quote");
    n = (size_t)(close - scan->at - 1);
    if (n > room - 1)
        n = room - 1;
    memcpy(out, scan->at + 1, n);
    out[n] = 0;
    scan->at = close + 1;
    return BNRE_OK;
}

/* Python 2 wrote long numbers as 10L. */
static bnre_status take_dimension(struct scan *scan, size_t *out)
{
    size_t value = 0;
    const char *first;

    skip_blanks(scan);
    first = scan->at;
    if (first < scan->end && *first == '-')
        return bnre_fail(BNRE_EFORMAT,
                         "%s has a negative dimension in its "
                         "shape",
                         scan->label);
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9') {
        size_t digit = (size_t)(*scan->at - '0');

        if (value > (SIZE_MAX - digit) / 10)
            return bnre_fail(BNRE_EFORMAT,
                             "%s has a dimension in its shape that is larger "
                             "than any file",
                             scan->label);
        value = 10 * value + digit;
        scan->at++;
    }
    if (scan->at == first)
        return fail_at(scan, "a number in the shape");
    if (scan->at < scan->end && *scan->at == 'L')
        scan->at++;
    *out = value;
    return BNRE_OK;
}

static bnre_status take_shape(struct scan *scan, bnre__npy_info *info)
{
    if (!take(scan, '('))
        return fail_at(scan, "the shape in parentheses");
    info->ndim = 0;
    while (!take(scan, ')')) {
        if (info->ndim == BNRE__NPY_MAX_NDIM)
            return bnre_fail(BNRE_EFORMAT, "%s has more than %d dimensions",
                             scan->label, BNRE__NPY_MAX_NDIM);
        BNRE_DO(take_dimension(scan, &info->shape[info->ndim++]));
        if (take(scan, ','))
            continue;
        if (!take(scan, ')'))
            return fail_at(scan, "a comma or the end of the shape");
        break;
    }
    return BNRE_OK;
}

/* Types that are understood, but not as numbers or text. */
static const struct {
    char kind;
    const char *why;
} refused[] = {
    {'O', "Python objects, which can run code when they are loaded: save a "
          "numeric array instead, such as x.astype('float32')"},
    {'c', "complex numbers: save real and imaginary parts as columns"},
    {'U', "Unicode text: save bytes (S) or numbers"},
    {'V', "structures or raw memory: save a plain numeric array"},
    {'M', "dates: save numbers"},
    {'m', "times: save numbers"},
    {'a', "text of a type NumPy has dropped: save bytes (S) or numbers"},
};

static int item_known(char kind, size_t item)
{
    switch (kind) {
    case 'f':
        return item == 2 || item == 4 || item == 8;
    case 'i':
    case 'u':
        return item == 1 || item == 2 || item == 4 || item == 8;
    case 'b':
        return item == 1;
    case 'S':
        return 1;
    }
    return 0;
}

static int little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* "<f4": byte order, kind, bytes. */
static bnre_status parse_type(const char *label, const char *descr,
                              bnre__npy_layout *out)
{
    const char *at = descr;
    char order = '=';
    size_t item = 0;

    if (*at != 0 && strchr("<>|=", *at) != NULL)
        order = *at++;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (*at == refused[i].kind)
            return bnre_fail(BNRE_EFORMAT, "%s (type '%s') holds %s", label,
                             descr, refused[i].why);
    out->info.kind = *at;
    if (*at != 0)
        at++;
    if (*at == 0)
        item = SIZE_MAX; /* no size, no type */
    for (; *at >= '0' && *at <= '9' && item < SIZE_MAX / 20; at++)
        item = 10 * item + (size_t)(*at - '0');
    if (*at != 0 || !item_known(out->info.kind, item))
        return bnre_fail(BNRE_EFORMAT,
                         "%s has values of type '%s': integers, floats of 2, "
                         "4 or 8 bytes, booleans and bytes (S) are read",
                         label, descr);
    out->info.item = item;
    out->swap = item > 1 && out->info.kind != 'S' &&
                ((order == '<' && !little_endian()) ||
                 (order == '>' && little_endian()));
    return BNRE_OK;
}

enum { NOTHING_PER_ROW = 1 << 20 };

/* Products of dimensions, with care: they come from the file. */
static bnre_status count_values(const char *label, bnre__npy_layout *layout)
{
    bnre__npy_info *info = &layout->info;
    char text[128];

    info->rows = info->ndim > 0 ? info->shape[0] : 1;
    info->row_size = 1;
    for (size_t i = 1; i < info->ndim; i++) {
        if (info->shape[i] > 0 && info->row_size > SIZE_MAX / info->shape[i])
            goto too_large;
        info->row_size *= info->shape[i];
    }
    if (info->row_size == 0)
        return bnre_fail(BNRE_EFORMAT, "%s has rows without values: shape %s",
                         label, bnre__npy_shape_text(info, sizeof text, text));
    /* No bytes vouch for the size of a row when there are none. */
    if ((info->rows == 0 || info->item == 0) &&
        (info->row_size > NOTHING_PER_ROW || info->rows > NOTHING_PER_ROW))
        goto too_large;
    if (info->item > 0 && info->row_size > SIZE_MAX / info->item)
        goto too_large;
    if (info->item > 0 && info->rows > SIZE_MAX / info->item / info->row_size)
        goto too_large;
    layout->bytes = (uint64_t)info->rows * info->row_size * info->item;
    return BNRE_OK;

too_large:
    return bnre_fail(BNRE_EFORMAT, "%s has a shape larger than any file: %s",
                     label, bnre__npy_shape_text(info, sizeof text, text));
}

/* One dimension larger than 1 lies in memory the same way in both orders. */
static int order_matters(const bnre__npy_info *info)
{
    size_t wide = 0;

    for (size_t i = 0; i < info->ndim; i++)
        wide += info->shape[i] != 1;
    return wide > 1;
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

/* One `key: value`, and which it was. */
static bnre_status take_pair(struct scan *scan, bnre__npy_layout *out,
                             int *fortran, int *which)
{
    char key[24], descr[64];

    BNRE_DO(take_string(scan, "a key in quotes", sizeof key, key));
    if (!take(scan, ':'))
        return fail_at(scan, "a colon");
    if (strcmp(key, "descr") == 0) {
        *which = DESCR;
        skip_blanks(scan);
        if (scan->at < scan->end && *scan->at == '[')
            return bnre_fail(BNRE_EFORMAT, "%s holds %s", scan->label,
                             "structures: save a plain numeric array");
        BNRE_DO(take_string(scan, "a type in quotes", sizeof descr, descr));
        BNRE_DO(parse_type(scan->label, descr, out));
    } else if (strcmp(key, "fortran_order") == 0) {
        *which = ORDER;
        *fortran = take_word(scan, "True");
        if (!*fortran && !take_word(scan, "False"))
            return fail_at(scan, "True or False");
    } else if (strcmp(key, "shape") == 0) {
        *which = SHAPE;
        BNRE_DO(take_shape(scan, &out->info));
    } else {
        return bnre_fail(BNRE_EFORMAT, "%s: unknown key '%s' in the header",
                         scan->label, key);
    }
    return BNRE_OK;
}

bnre_status bnre__npy_parse_header(const char *label, const char *text,
                                   size_t length, bnre__npy_layout *out)
{
    struct scan scan = {label, text, text, text + length};
    int fortran = 0, seen = 0;

    memset(out, 0, sizeof *out);
    if (!take(&scan, '{'))
        return fail_at(&scan, "a dictionary in braces");
    while (!take(&scan, '}')) {
        int which = 0;

        BNRE_DO(take_pair(&scan, out, &fortran, &which));
        if (seen & which)
            return bnre_fail(BNRE_EFORMAT, "%s: a key is twice in the header",
                             label);
        seen |= which;
        if (take(&scan, ','))
            continue;
        if (!take(&scan, '}'))
            return fail_at(&scan, "a comma or the end of the dictionary");
        break;
    }
    skip_blanks(&scan);
    if (scan.at < scan.end)
        return fail_at(&scan, "nothing after the dictionary");
    if (seen != ALL)
        return bnre_fail(BNRE_EFORMAT, "%s: no '%s' in the header", label,
                         !(seen & DESCR)   ? "descr"
                         : !(seen & ORDER) ? "fortran_order"
                                           : "shape");
    BNRE_DO(count_values(label, out));
    if (fortran && order_matters(&out->info))
        return bnre_fail(
            BNRE_EFORMAT,
            "%s is in Fortran order: save numpy.ascontiguousarray(x) "
            "instead",
            label);
    return BNRE_OK;
}

const char *bnre__npy_shape_text(const bnre__npy_info *info, size_t room,
                                 char *out)
{
    size_t used = (size_t)snprintf(out, room, "(");

    for (size_t i = 0; i < info->ndim && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%zu",
                                 i > 0 ? ", " : "", info->shape[i]);
    if (used < room)
        snprintf(out + used, room - used, info->ndim == 1 ? ",)" : ")");
    return out;
}

bnre_status bnre__npy_format_header(char kind, size_t item, size_t ndim,
                                    const size_t *shape,
                                    unsigned char out[BNRE__NPY_MAX_WRITTEN],
                                    size_t *bytes, uint64_t *values)
{
    bnre_status status = BNRE_OK;
    bnre__npy_layout layout = {.info = {.kind = kind, .item = item}};
    char text[400]; /* 16 dimensions of 20 digits are 352 bytes */
    size_t used, total;

    if (!item_known(kind, item) || ndim > BNRE__NPY_MAX_NDIM)
        return bnre_fail(BNRE_EINVAL,
                         "cannot write arrays of type %c%zu with %zu "
                         "dimensions",
                         kind, item, ndim);
    layout.info.ndim = ndim;
    for (size_t i = 0; i < ndim; i++)
        layout.info.shape[i] = shape[i];
    if (count_values("the array to write", &layout) != BNRE_OK)
        return BNRE_EINVAL;
    *values = layout.bytes;

    memset(out, ' ', BNRE__NPY_MAX_WRITTEN);
    memcpy(out, "\x93NUMPY\1\0", 8);
    used = (size_t)snprintf(
        (char *)out + 10, BNRE__NPY_MAX_WRITTEN - 10,
        "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': %s, }",
        item == 1 || kind == 'S' ? '|' : '<', kind, item,
        bnre__npy_shape_text(&layout.info, sizeof text, text));
    used += 10;
    out[used] = ' '; /* in place of snprintf's 0 */
    /* Values start at a multiple of 64, for those who map the file. */
    total = (used + 1 + 63) / 64 * 64;
    out[total - 1] = '\n';
    out[8] = (unsigned char)((total - 10) & 255);
    out[9] = (unsigned char)((total - 10) >> 8);
    *bytes = total;
    return status;
}
