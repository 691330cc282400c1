#include "output/wrap.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Bytes of the letter at `text`. */
static size_t letter(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    return bnre__text_code(&at) < 0 ? 1 : (size_t)((const char *)at - text);
}

static size_t count_letters(const char *text, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes; i += letter(text + i))
        n++;
    return n;
}

/* Bytes of the next line: up to the last good place within `most` letters. */
static size_t next_line(const char *text, size_t most)
{
    size_t bytes = 0, good = 0, n = 0;

    while (text[bytes] != 0 && n < most) {
        const char c = text[bytes];

        bytes += letter(text + bytes);
        n++;
        if (strchr(" _-./:", c) != NULL)
            good = bytes;
    }
    if (text[bytes] == 0 || text[bytes] == ' ' || good == 0)
        return bytes;
    return good;
}

bnre_status bnre__wrap(const char *text, size_t most, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text lines = {0};

    BNRE_TRY(bnre__text_add(&lines, "%s", ""));
    while (*text != 0) {
        size_t bytes = next_line(text, most > 0 ? most : 1), used = bytes;

        while (used > 1 && text[used - 1] == ' ')
            used--;
        BNRE_TRY(bnre__text_add(&lines, "%s%.*s", lines.length > 0 ? "\n" : "",
                                (int)used, text));
        text += bytes;
        text += strspn(text, " ");
    }
    *out = lines.data;
    lines.data = NULL;
done:
    bnre__free(lines.data);
    return status;
}

bnre_status bnre__wrap_numbers(const char *words, size_t most, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text plain = {0}, lines = {0};
    size_t length = 0, longest = 0;

    for (const char *at = words; *at != 0; at++) {
        BNRE_TRY(bnre__text_add(&plain, *at == '-' ? "−" : "%c", *at));
        length = strncmp(at, " or ", 4) == 0 ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    if (plain.data == NULL || strlen(words) <= most || longest > most) {
        BNRE_TRY(bnre__wrap(plain.data != NULL ? plain.data : "", most, out));
        goto done;
    }
    for (const char *at = plain.data; *at != 0; at++)
        BNRE_TRY(bnre__text_add(
            &lines, strncmp(at, " or ", 4) == 0 ? "\n" : "%c", *at));
    *out = lines.data;
    lines.data = NULL;
done:
    bnre__free(plain.data);
    bnre__free(lines.data);
    return status;
}

size_t bnre__wrap_lines(const char *text)
{
    size_t n = *text != 0;

    for (; *text != 0; text++)
        n += *text == '\n';
    return n;
}

size_t bnre__wrap_width(const char *text)
{
    size_t most = 0;

    for (;;) {
        const size_t bytes = strcspn(text, "\n");
        const size_t n = count_letters(text, bytes);

        most = n > most ? n : most;
        if (text[bytes] == 0)
            return most;
        text += bytes + 1;
    }
}

/* Inches of a letter, at most on average. */
static const double inch_usual = 0.082, inch_small = 0.068;

bnre_status bnre__wrap_title(bnre__figure *figure, const char *text,
                             double width, double most, const char *how)
{
    const int small =
        inch_usual * (double)count_letters(text, strlen(text)) > width;
    bnre_status status = BNRE_OK;
    char *lines = NULL, *line = NULL;
    const char *at;

    BNRE_TRY(bnre__wrap(
        text, small ? (size_t)(most / inch_small) : strlen(text) + 1, &lines));
    BNRE_TRY(bnre__figure_script(figure, "set title "));
    for (at = lines; at == lines || *at != 0;) {
        const size_t bytes = strcspn(at, "\n");

        bnre__free(line);
        line = NULL;
        BNRE_TRY(bnre__text_format(&line, "%.*s", (int)bytes, at));
        if (at > lines)
            BNRE_TRY(bnre__figure_script(figure, ".\"\\n\"."));
        BNRE_TRY(bnre__figure_quoted(figure, line));
        if (*at == 0)
            break;
        at += bytes + (at[bytes] != 0);
    }
    BNRE_TRY(bnre__figure_script(figure, " font %s %s\n",
                                 small ? "small" : "''", how));
done:
    bnre__free(line);
    bnre__free(lines);
    return status;
}
