/* text.c - strings that grow, and the distance between a misspelt name and
   those there are. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"
#include "bnre/text.h"

/* ---- putting together ---- */

/* Room for `more` letters and a 0; NULL, and the text has failed, if there is
   none. */
static char *make_room(bnre__text *text, size_t more)
{
    const size_t need = text->length + more + 1;
    char *grown = text->data;

    if (text->status == BNRE_OK && need > text->room)
        grown = bnre__grow(text->data, &text->room, need, 1);
    if (text->status == BNRE_OK && grown == NULL)
        text->status = BNRE_ENOMEM;
    if (text->status != BNRE_OK)
        return NULL;
    text->data = grown;
    return text->data + text->length;
}

void bnre__text_vput(bnre__text *text, const char *fmt, va_list args)
{
    va_list again;
    char *to;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    if (length < 0 && text->status == BNRE_OK)
        text->status = bnre_fail(BNRE_EINVAL, "cannot format \"%s\"", fmt);
    to = make_room(text, length < 0 ? 0 : (size_t)length);
    if (to != NULL) {
        vsnprintf(to, (size_t)length + 1, fmt, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void bnre__text_put(bnre__text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bnre__text_vput(text, fmt, args);
    va_end(args);
}

bnre_status bnre__text_add(bnre__text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bnre__text_vput(text, fmt, args);
    va_end(args);
    return text->status;
}

void bnre__text_vshow(bnre__text *text, const char *fmt, va_list args)
{
    const size_t length = bnre_show_format(NULL, 0, fmt, args);
    char *to = make_room(text, length);

    if (to == NULL)
        return;
    bnre_show_format(to, length + 1, fmt, args);
    text->length += length;
}

void bnre__text_show(bnre__text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bnre__text_vshow(text, fmt, args);
    va_end(args);
}

bnre_status bnre__text_check(const bnre__text *text)
{
    /* Others may have failed, and left their words, since. */
    return text->status == BNRE_ENOMEM
               ? bnre_fail(BNRE_ENOMEM, "no memory for a text of %zu bytes",
                           text->length)
               : text->status;
}

bnre_status bnre__text_take(bnre__text *text, char **out)
{
    bnre_status status = bnre__text_check(text);

    if (status == BNRE_OK)
        status = bnre__text_add(text, "%s", ""); /* there may be none yet */
    *out = status == BNRE_OK ? text->data : NULL;
    if (status != BNRE_OK)
        bnre__free(text->data);
    *text = (bnre__text){0};
    return status;
}

bnre_status bnre__text_format(char **out, const char *fmt, ...)
{
    bnre__text text = {0};
    va_list args;

    va_start(args, fmt);
    bnre__text_vput(&text, fmt, args);
    va_end(args);
    return bnre__text_take(&text, out);
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

/* Edit distance with exchanges of neighbours (Damerau 1964), by rows of the
   usual table. O(length of a times that of b). */
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
