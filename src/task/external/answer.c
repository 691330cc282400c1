/* answer.c - the numbers that external programs answer with. */
#include "task/external/answer.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { LONGEST_NUMBER = 128, LONGEST_QUOTE = 48 };

static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Copy `length` bytes as one line of printable ASCII with a final 0, cut to
   `room` bytes. */
static void quote_bytes(const char *bytes, size_t length, char *out,
                        size_t room)
{
    size_t n = length < room - 1 ? length : room - 1;

    for (size_t i = 0; i < n; i++)
        out[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    out[n] = 0;
}

/* Fortran drops the letter before a long exponent, 1.0-100, and has one of its
   own for long numbers, 1.0Q+00. Returns 0 if this is not it. */
static int spell_out(const char *word, size_t length, const char *rest,
                     char out[LONGEST_NUMBER])
{
    const size_t mantissa = (size_t)(rest - word);
    const int letter = *rest == 'q' || *rest == 'Q';

    if (length + 2 > LONGEST_NUMBER || mantissa == 0 ||
        !(letter || *rest == '+' || *rest == '-') ||
        memchr(word, 'e', mantissa) != NULL ||
        memchr(word, 'E', mantissa) != NULL)
        return 0;
    memcpy(out, word, mantissa);
    out[mantissa] = 'e';
    rest += letter;
    memcpy(out + mantissa + 1, rest, length - mantissa - (size_t)letter);
    out[length + 1 - (size_t)letter] = 0;
    return 1;
}

static int read_number(const char *word, size_t length, double *out)
{
    const char *rest = bnre__number_scan(word, word + length, out);
    char text[LONGEST_NUMBER];

    if (rest == word + length)
        return length > 0;
    if (rest == NULL || !spell_out(word, length, rest, text))
        return 0;
    length = strlen(text);
    return bnre__number_scan(text, text + length, out) == text + length;
}

/* A word is a number, or Fortran's count*number for equal ones in a row. */
static int read_word(const char *word, size_t length, size_t *times,
                     double *value)
{
    const char *star = memchr(word, '*', length);
    size_t digits = star == NULL ? 0 : (size_t)(star - word);

    *times = 1;
    if (star == NULL)
        return read_number(word, length, value);
    if (digits == 0 || digits > 9 ||
        !read_number(star + 1, length - digits - 1, value))
        return 0;
    *times = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!isdigit((unsigned char)word[i]))
            return 0;
        *times = 10 * *times + (size_t)(word[i] - '0');
    }
    return *times > 0;
}

/* The user's own words, in whatever alphabet; only zeros would end them. */
static void copy_line(const char *bytes, size_t length,
                      char out[BNRE_REASON_SIZE])
{
    size_t n = length < BNRE_REASON_SIZE ? length : BNRE_REASON_SIZE - 1;

    for (size_t i = 0; i < n; i++)
        out[i] = bytes[i] == 0 ? '?' : bytes[i];
    out[n] = 0;
}

/* `error TEXT` or `error: TEXT`; only the rest of that line counts. */
static int read_error(const char *text, const char *end,
                      char reason[BNRE_REASON_SIZE])
{
    static const char word[] = "error";
    const size_t length = sizeof word - 1;
    const char *stop;

    if ((size_t)(end - text) < length || memcmp(text, word, length) != 0)
        return 0;
    text += length;
    if (text < end && *text != ':' && !is_blank(*text))
        return 0;
    text += text < end && *text == ':';
    while (text < end && *text != '\n' && is_blank(*text))
        text++;
    stop = text == end ? NULL : memchr(text, '\n', (size_t)(end - text));
    if (stop == NULL)
        stop = end;
    while (stop > text && is_blank(stop[-1]))
        stop--;
    if (stop == text)
        snprintf(reason, BNRE_REASON_SIZE, "error");
    else
        copy_line(text, (size_t)(stop - text), reason);
    return 1;
}

bnre__answer bnre__answer_read(const char *text, size_t length, size_t n,
                               double *x, char reason[BNRE_REASON_SIZE])
{
    const char *const end = text + length;
    size_t count = 0;
    int comma = 0;

    while (text < end && is_blank(*text))
        text++;
    if (read_error(text, end, reason))
        return BNRE__ANSWER_ERROR;
    while (text < end) {
        const char *word = text;
        size_t times = 0;
        double value = 0;
        char quote[LONGEST_QUOTE];

        while (text < end && *text != ',' && !is_blank(*text))
            text++;
        if (!read_word(word, (size_t)(text - word), &times, &value)) {
            quote_bytes(word, (size_t)(text - word), quote, sizeof quote);
            snprintf(reason, BNRE_REASON_SIZE, "answer is not a number: \"%s\"",
                     quote);
            return BNRE__ANSWER_GARBAGE;
        }
        for (size_t i = 0; i < times && count + i < n; i++)
            x[count + i] = value;
        count += times;
        for (comma = 0; text < end; text++) {
            if (*text == ',' && comma)
                break; /* the next word is empty, hence no number */
            if (*text != ',' && !is_blank(*text))
                break;
            comma |= *text == ',';
        }
    }
    if (count == n)
        return BNRE__ANSWER_NUMBERS;
    if (count == 0)
        snprintf(reason, BNRE_REASON_SIZE,
                 "empty answer, expected %zu number%s", n, n == 1 ? "" : "s");
    else
        snprintf(reason, BNRE_REASON_SIZE,
                 "answered %zu number%s, expected %zu", count,
                 count == 1 ? "" : "s", n);
    return BNRE__ANSWER_GARBAGE;
}

size_t bnre__answer_bytes(bnre__reply reply, size_t n)
{
    return reply == BNRE__REPLY_F32   ? 4 * n
           : reply == BNRE__REPLY_F64 ? 8 * n
                                      : 0;
}

static uint64_t little_endian(const char *bytes, size_t n)
{
    uint64_t value = 0;

    for (size_t i = n; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

void bnre__answer_decode(bnre__reply reply, const char *bytes, size_t n,
                         double *x)
{
    for (size_t i = 0; i < n; i++) {
        if (reply == BNRE__REPLY_F32) {
            uint32_t bits = (uint32_t)little_endian(bytes + 4 * i, 4);
            float value;

            memcpy(&value, &bits, sizeof value);
            x[i] = (double)value;
        } else {
            uint64_t bits = little_endian(bytes + 8 * i, 8);

            memcpy(&x[i], &bits, sizeof x[i]);
        }
    }
}
