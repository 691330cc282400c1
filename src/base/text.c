/* Strings that grow, and the distance between a misspelt name and those
   there are. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"
#include "bnre/text.h"

static bnre_status add_args(bnre__text *text, const char *fmt, va_list args)
{
    bnre_status status = BNRE_OK;
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    if (length < 0)
        BNRE_THROW(BNRE_EINVAL, "cannot format \"%s\"", fmt);
    BNRE_GROW(text->data, text->room, text->length + (size_t)length + 1);
    vsnprintf(text->data + text->length, (size_t)length + 1, fmt, again);
    text->length += (size_t)length;
done:
    va_end(again);
    return status;
}

bnre_status bnre__text_add(bnre__text *text, const char *fmt, ...)
{
    bnre_status status;
    va_list args;

    va_start(args, fmt);
    status = add_args(text, fmt, args);
    va_end(args);
    return status;
}

bnre_status bnre__text_vshow(bnre__text *text, const char *fmt, va_list args)
{
    bnre_status status = BNRE_OK;
    const size_t length = bnre_show_format(NULL, 0, fmt, args);

    BNRE_GROW(text->data, text->room, text->length + length + 1);
    bnre_show_format(text->data + text->length, length + 1, fmt, args);
    text->length += length;
done:
    return status;
}

bnre_status bnre__text_show(bnre__text *text, const char *fmt, ...)
{
    bnre_status status;
    va_list args;

    va_start(args, fmt);
    status = bnre__text_vshow(text, fmt, args);
    va_end(args);
    return status;
}

bnre_status bnre__text_format(char **out, const char *fmt, ...)
{
    bnre__text text = {0};
    bnre_status status;
    va_list args;

    va_start(args, fmt);
    status = add_args(&text, fmt, args);
    va_end(args);
    *out = text.data;
    return status;
}

void bnre__texts_free(size_t n, char **text)
{
    for (size_t i = 0; text != NULL && i < n; i++)
        bnre__free(text[i]);
    bnre__free(text);
}

int bnre__ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);

    return n > m && strcasecmp(text + n - m, ending) == 0;
}

const char *bnre__text_real(double value, char out[32])
{
    bnre__number_format(value, out);
    return out;
}

enum { LONGEST = 40 }; /* letters that count in a comparison */

static char fold(char c)
{
    return c == '-' ? '_' : c;
}

/* Edit distance with exchanges of neighbours, by rows of the usual table. */
size_t bnre__text_distance(const char *a, const char *b)
{
    size_t na = strnlen(a, LONGEST), nb = strnlen(b, LONGEST);
    size_t table[3][LONGEST + 1];
    size_t *before = table[0], *last = table[1], *row = table[2];

    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t differ = fold(a[i - 1]) != fold(b[j - 1]);
            size_t best = last[j - 1] + differ;

            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[nb];
}

const char *bnre__text_nearest(const char *name,
                               const char *(*word)(const void *list, size_t i),
                               const void *list)
{
    const char *best = NULL, *candidate;
    size_t least = strlen(name) / 3 + 2; /* at least this far is too far */

    for (size_t i = 0; (candidate = word(list, i)) != NULL; i++) {
        size_t distance = bnre__text_distance(name, candidate);
        size_t length = strlen(name);

        /* The beginning of a longer word is a likely abbreviation. */
        if (length >= 3 && strncmp(name, candidate, length) == 0)
            distance = 1;
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

long bnre__text_code(const unsigned char **at)
{
    static const long least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *p = *at;
    int more = *p < 0x80    ? 0
               : *p >= 0xf0 ? 3
               : *p >= 0xe0 ? 2
               : *p >= 0xc0 ? 1
                            : -1;
    long code;

    if (more < 0 || *p >= 0xf8)
        return -1;
    code = more == 0 ? *p : *p & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (p[i] & 0x3f);
    }
    if (code < least[more] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return -1;
    *at = p + more + 1;
    return code;
}
