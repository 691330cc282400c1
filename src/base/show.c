/* show.c - text from elsewhere on its way to a terminal or page: controls,
   marks of direction and broken UTF-8 are spelt out, also inside a printf-
   like format. */
#include "bnre/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Where text goes: what does not fit is counted only. */
struct sink {
    char *out;
    size_t size, length;
    size_t letters; /* code points put so far */
};

static void put(struct sink *sink, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (sink->length + 1 < sink->size)
            sink->out[sink->length] = bytes[i];
        sink->length++;
        sink->letters += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    }
}

static size_t finish(struct sink *sink)
{
    if (sink->size > 0)
        sink->out[sink->length < sink->size ? sink->length : sink->size - 1] =
            0;
    return sink->length;
}

/* ---- what is spelt out ---- */

static int is_control(long code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Not to be seen, but felt: directions of writing, ends of lines, blanks of no
   width and tags. (Joiners stay: some scripts need them.) */
int bnre__text_is_hidden(long code)
{
    static const long range[][2] = {{0x061c, 0x061c}, {0x200b, 0x200b},
                                    {0x200e, 0x200f}, {0x2028, 0x202e},
                                    {0x2060, 0x2069}, {0xfeff, 0xfeff},
                                    {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (code >= range[i][0] && code <= range[i][1])
            return 1;
    return 0;
}

static void put_code(struct sink *sink, long code)
{
    char spelt[16];
    int n;

    if (code == '\n' || code == '\t' || code == '\r')
        n = snprintf(spelt, sizeof spelt, "\\%c",
                     code == '\n'   ? 'n'
                     : code == '\t' ? 't'
                                    : 'r');
    else if (code < 0x80)
        n = snprintf(spelt, sizeof spelt, "\\x%02lx", (unsigned long)code);
    else
        n = snprintf(spelt, sizeof spelt,
                     code < 0x10000 ? "\\u%04lx" : "\\U%08lx",
                     (unsigned long)code);
    put(sink, spelt, (size_t)n);
}

/* Whether a letter begins here that needs more than the bytes there are. */
static int is_cut(const unsigned char *letter, size_t left)
{
    const size_t needs = *letter >= 0xf0 ? 4 : *letter >= 0xe0 ? 3 : 2;

    return *letter >= 0xc0 && *letter < 0xf8 && left < needs;
}

/* At most `most` bytes of the text, which end before a letter they would cut.
 */
static void put_text(struct sink *sink, const char *text, size_t most,
                     int lines)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strnlen(text, most);

    while (left > 0) {
        unsigned char letter[5] = {
            0}; /* what follows may not be ours to read */
        const unsigned char *next = letter;
        char spelt[8];
        size_t n;
        long code;

        memcpy(letter, at, left < 4 ? left : 4);
        code = bnre__text_code(&next);
        n = code < 0 ? 1 : (size_t)(next - letter);
        if (code < 0 && left == most && is_cut(letter, left))
            return;
        if (code < 0) {
            snprintf(spelt, sizeof spelt, "\\x%02x", *letter);
            put(sink, spelt, 4);
        } else if ((is_control(code) && !(lines && code == '\n')) ||
                   bnre__text_is_hidden(code)) {
            put_code(sink, code);
        } else {
            put(sink, (const char *)at, n);
        }
        left -= n;
        most -= n;
        at += n;
    }
}

size_t bnre_show_text(char *out, size_t size, const char *text, int lines)
{
    struct sink sink = {.out = out, .size = size};

    put_text(&sink, text, SIZE_MAX, lines);
    return finish(&sink);
}

/* ---- formats ---- */

enum { SPEC_ROOM = 48 };

/* A conversion: "%-*.3zu" without its stars, which have become numbers. */
struct spec {
    char text[SPEC_ROOM];
    size_t length;
    int left, width, precision; /* of text; -1: none */
    char size;                  /* 'H' for hh, 'L' for ll; 0: plain */
    char conversion;
};

/* Arguments that functions can take from, whatever va_list is. */
struct arguments {
    va_list list;
};

static void add_number(struct spec *spec, int number)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%d", number);

    if (spec->length + (size_t)n + 8 < SPEC_ROOM) {
        memcpy(spec->text + spec->length, digits, (size_t)n);
        spec->length += (size_t)n;
    }
}

static int read_number(const char **at, struct arguments *args)
{
    int n = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(args->list, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n < 100000 ? 10 * n + (**at - '0') : n;
    return n;
}

static void read_size(const char **at, struct spec *spec)
{
    for (; **at != 0 && strchr("hlzjt", **at) != NULL; ++*at) {
        spec->size = **at == 'h' && spec->size == 'h'   ? 'H'
                     : **at == 'l' && spec->size == 'l' ? 'L'
                                                        : **at;
        spec->text[spec->length++] = **at;
    }
}

/* *at is past the percent sign. */
static void read_spec(const char **at, struct arguments *args,
                      struct spec *spec)
{
    *spec = (struct spec){.text = "%", .length = 1, .precision = -1};
    for (; **at != 0 && strchr("-+ #0", **at) != NULL; ++*at) {
        spec->left |= **at == '-';
        if (spec->length < 8)
            spec->text[spec->length++] = **at;
    }
    spec->width = read_number(at, args);
    if (spec->width < 0) {
        spec->left = 1;
        spec->width = -spec->width;
        spec->text[spec->length++] = '-';
    }
    if (spec->width > 0)
        add_number(spec, spec->width);
    if (**at == '.') {
        ++*at;
        spec->precision = read_number(at, args);
        if (spec->precision >= 0) {
            spec->text[spec->length++] = '.';
            add_number(spec, spec->precision);
        }
    }
    read_size(at, spec);
    spec->conversion = **at;
    if (**at != 0)
        ++*at;
    spec->text[spec->length] = spec->conversion;
    spec->text[spec->length + 1] = 0;
}

/* The text of an argument, filled up with blanks to the width. */
static void put_padded(struct sink *sink, const struct spec *spec,
                       const char *text)
{
    const size_t most =
        spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;
    struct sink measure = {0};
    const size_t width = (size_t)spec->width;

    if (text == NULL)
        text = "(null)";
    put_text(&measure, text, most, 0);
    for (size_t i = measure.letters; !spec->left && i < width; i++)
        put(sink, " ", 1);
    put_text(sink, text, most, 0);
    for (size_t i = measure.letters; spec->left && i < width; i++)
        put(sink, " ", 1);
}

static size_t format_integer(const struct spec *spec, struct arguments *args,
                             char *out, size_t room)
{
    int n;

    switch (spec->size) {
    case 'l':
        n = snprintf(out, room, spec->text, va_arg(args->list, long));
        break;
    case 'L':
        n = snprintf(out, room, spec->text, va_arg(args->list, long long));
        break;
    case 'z':
        n = snprintf(out, room, spec->text, va_arg(args->list, size_t));
        break;
    case 'j':
        n = snprintf(out, room, spec->text, va_arg(args->list, intmax_t));
        break;
    case 't':
        n = snprintf(out, room, spec->text, va_arg(args->list, ptrdiff_t));
        break;
    default: /* shorter ones come as int */
        n = snprintf(out, room, spec->text, va_arg(args->list, int));
    }
    return n < 0 ? 0 : (size_t)n;
}

static void put_argument(struct sink *sink, const struct spec *spec,
                         struct arguments *args)
{
    char out[512], letter[2] = {0};
    size_t n = 0;

    switch (spec->conversion) {
    case '%':
        out[n++] = '%';
        break;
    case 's':
        put_padded(sink, spec, va_arg(args->list, const char *));
        return;
    case 'c':
        letter[0] = (char)va_arg(args->list, int);
        put_padded(sink, spec, letter);
        return;
    case 'p':
        n = (size_t)snprintf(out, sizeof out, "%p", va_arg(args->list, void *));
        break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        n = format_integer(spec, args, out, sizeof out);
        break;
    default: /* a real number */
        n = (size_t)snprintf(out, sizeof out, spec->text,
                             va_arg(args->list, double));
    }
    put(sink, out, n < sizeof out ? n : sizeof out - 1);
}

size_t bnre_show_format(char *out, size_t size, const char *fmt, va_list args)
{
    struct sink sink = {.out = out, .size = size};
    struct arguments own;
    struct spec spec;

    va_copy(own.list, args);
    while (*fmt != 0) {
        const size_t plain = strcspn(fmt, "%");

        put(&sink, fmt, plain);
        fmt += plain;
        if (*fmt == 0)
            break;
        fmt++;
        read_spec(&fmt, &own, &spec);
        put_argument(&sink, &spec, &own);
    }
    va_end(own.list);
    return finish(&sink);
}
