/* csv.c - tables of numbers with a header line. */
#include "io/csv.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"

enum { BLOCK = 1 << 20 };

/* A file cut into lines. The buffer holds at least the present one. */
struct lines {
    const char *path;
    int fd;
    uint64_t offset, size; /* read so far, of the file */
    char *buffer;
    size_t at, used, room;
    size_t start;  /* of the first line's text in the buffer */
    size_t number; /* of the present line, from 1 */
};

static bnre_status fill(struct lines *lines)
{
    bnre_status status = BNRE_OK;
    uint64_t left = lines->size - lines->offset;
    size_t n = left < BLOCK ? (size_t)left : BLOCK;

    if (lines->at > 0) {
        lines->used -= lines->at;
        memmove(lines->buffer, lines->buffer + lines->at, lines->used);
        lines->at = 0;
    }
    BNRE_GROW(lines->buffer, lines->room, lines->used + n);
    n = lines->room - lines->used;
    if (n > left)
        n = (size_t)left;
    BNRE_TRY(bnre__file_read_at(lines->fd, lines->path, lines->offset,
                                lines->buffer + lines->used, n));
    lines->offset += n;
    lines->used += n;
done:
    return status;
}

/* The next line without its end; *line = NULL after the last. */
static bnre_status next_line(struct lines *lines, const char **line,
                             const char **end)
{
    size_t searched = 0;
    const char *newline = NULL;

    *line = *end = NULL;
    for (;;) {
        const char *from = lines->buffer + lines->at + searched;
        size_t n = lines->used - lines->at - searched;

        newline = n > 0 ? memchr(from, '\n', n) : NULL;
        if (newline != NULL || lines->offset == lines->size)
            break;
        searched += n;
        BNRE_DO(fill(lines));
    }
    if (newline == NULL && lines->at == lines->used)
        return BNRE_OK;
    *line = lines->buffer + lines->at;
    *end = newline != NULL ? newline : lines->buffer + lines->used;
    lines->at = (size_t)(*end - lines->buffer) + (newline != NULL);
    lines->number++;
    if (*end > *line && (*end)[-1] == '\r')
        (*end)--;
    return BNRE_OK;
}

/* Blanks around cells mean nothing, unless they are the separator. */
static const char *skip_blanks(const char *at, const char *end, char separator)
{
    while (at < end && (*at == ' ' || *at == '\t') && *at != separator)
        at++;
    return at;
}

/* Whichever occurs most outside quotes. */
static char find_separator(const char *line, const char *end)
{
    static const char candidate[] = ",;\t";
    size_t count[3] = {0};
    int best = 0, quoted = 0;

    for (; line < end; line++) {
        const char *which = *line != 0 ? strchr(candidate, *line) : NULL;

        quoted ^= *line == '"';
        if (which != NULL && !quoted)
            count[which - candidate]++;
    }
    for (int i = 1; i < 3; i++)
        if (count[i] > count[best])
            best = i;
    return candidate[best];
}

/* A name in quotes, in which two quotes stand for one. Gives what follows. */
static const char *unquote(const char *at, const char *end, char *to)
{
    for (at++; at < end; at++) {
        if (*at == '"' && (++at == end || *at != '"')) {
            *to = 0;
            return at;
        }
        *to++ = *at;
    }
    return NULL;
}

/* One name of the header, into `to`, which has room for the line. *at moves
   behind its separator, or becomes NULL after the last name. *text is set if it
   cannot be taken for a number. */
static bnre_status take_name(const char *path, const char **at, const char *end,
                             char separator, char *to, int *text)
{
    const char *from = skip_blanks(*at, end, separator), *stop;
    double value;

    if (from < end && *from == '"') {
        *text = 1;
        stop = unquote(from, end, to);
        if (stop == NULL)
            return bnre_fail(BNRE_EFORMAT, "%s:1: a quote is not closed", path);
        stop = skip_blanks(stop, end, separator);
        if (stop < end && *stop != separator)
            return bnre_fail(BNRE_EFORMAT, "%s:1: text after the name \"%s\"",
                             path, to);
    } else {
        size_t n;

        stop = memchr(from, separator, (size_t)(end - from));
        stop = stop != NULL ? stop : end;
        n = (size_t)(stop - from);
        while (n > 0 && (from[n - 1] == ' ' || from[n - 1] == '\t'))
            n--;
        memcpy(to, from, n);
        to[n] = 0;
        *text |= bnre__number_scan(from, from + n, &value) != from + n;
    }
    *at = stop < end ? stop + 1 : NULL;
    return BNRE_OK;
}

static bnre_status check_names(const char *path, const bnre__csv *csv)
{
    bnre_status status = BNRE_OK;
    char **sorted = NULL;

    for (size_t j = 0; j < csv->cols; j++)
        if (csv->name[j][0] == 0)
            BNRE_THROW(BNRE_EFORMAT,
                       "%s:1: column %zu has no name: was a row index saved "
                       "with the table? Leave it out",
                       path, j + 1);
    BNRE_NEW(sorted, csv->cols);
    memcpy(sorted, csv->name, csv->cols * sizeof *sorted);
    bnre__sort_texts(csv->cols, sorted);
    for (size_t j = 1; j < csv->cols; j++)
        if (strcmp(sorted[j - 1], sorted[j]) == 0)
            BNRE_THROW(BNRE_EFORMAT, "%s:1: two columns are called \"%s\"",
                       path, sorted[j]);
done:
    bnre__free(sorted);
    return status;
}

static bnre_status check_text(const char *path, const char *line,
                              const char *end)
{
    size_t n = (size_t)(end - line);

    if (n >= 2 &&
        (memcmp(line, "\xff\xfe", 2) == 0 || memcmp(line, "\xfe\xff", 2) == 0))
        return bnre_fail(BNRE_EFORMAT,
                         "%s is UTF-16 text: save it as UTF-8 or ASCII", path);
    if (n > 0 && memchr(line, 0, n) != NULL)
        return bnre_fail(BNRE_EFORMAT, "%s is not a table in text form", path);
    return BNRE_OK;
}

/* Numbers in place of names: the line is the first row, if that is allowed. */
static bnre_status number_columns(struct lines *lines, bnre__csv *csv,
                                  int plain)
{
    if (!plain)
        return bnre_fail(BNRE_EFORMAT,
                         "%s:1: numbers, a line with column names is expected "
                         "before them",
                         lines->path);
    for (size_t j = 0; j < csv->cols; j++) {
        bnre__free(csv->name[j]);
        csv->name[j] = NULL;
        BNRE_DO(bnre__text_format(&csv->name[j], "%zu", j));
    }
    lines->at = lines->start;
    lines->number = 0;
    return BNRE_OK;
}

static bnre_status read_header(struct lines *lines, bnre__csv *csv, int plain,
                               char *separator)
{
    bnre_status status = BNRE_OK;
    const char *line, *end;
    char *name = NULL;
    size_t room = 0;
    int text = 0;

    BNRE_TRY(next_line(lines, &line, &end));
    if (line == NULL)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is empty: a first line with column names is expected",
                   lines->path);
    BNRE_TRY(check_text(lines->path, line, end));
    if (end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; /* the mark some editors put before UTF-8 */
    lines->start = (size_t)(line - lines->buffer);
    if (skip_blanks(line, end, 0) == end)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s:1: blank, a line with column names is expected",
                   lines->path);
    *separator = find_separator(line, end);
    BNRE_NEW(name, (size_t)(end - line) + 1);
    while (line != NULL) {
        BNRE_TRY(take_name(lines->path, &line, end, *separator, name, &text));
        BNRE_GROW(csv->name, room, csv->cols + 1);
        BNRE_TRY(bnre__strdup(name, &csv->name[csv->cols]));
        csv->cols++;
    }
    if (!text)
        BNRE_TRY(number_columns(lines, csv, plain));
    BNRE_TRY(check_names(lines->path, csv));
done:
    bnre__free(name);
    return status;
}

/* What is wrong with the cell that starts at `at`. */
static bnre_status fail_cell(const struct lines *lines, const char *at,
                             const char *end, char separator, const char *name)
{
    const char *stop = memchr(at, separator, (size_t)(end - at));
    const char *hint = "";
    char cell[25];
    size_t n;

    stop = stop != NULL ? stop : end;
    at = skip_blanks(at, stop, separator);
    if (at == stop)
        return bnre_fail(BNRE_EFORMAT, "%s:%zu: column \"%s\" is empty",
                         lines->path, lines->number, name);
    n = (size_t)(stop - at);
    if (separator != ',' && memchr(at, ',', n) != NULL)
        hint = ": use a decimal point";
    n = n < sizeof cell - 1 ? n : sizeof cell - 1;
    for (size_t i = 0; i < n; i++)
        cell[i] = at[i] >= ' ' && at[i] <= '~' ? at[i] : '?';
    cell[n] = 0;
    return bnre_fail(BNRE_EFORMAT,
                     "%s:%zu: column \"%s\": \"%s\" is not a number%s",
                     lines->path, lines->number, name, cell, hint);
}

static bnre_status read_row(const struct lines *lines, const char *line,
                            const char *end, char separator,
                            const bnre__csv *csv, double *to)
{
    const char *at = line;

    for (size_t j = 0; j < csv->cols; j++) {
        const char *cell = at;
        int quoted;

        at = skip_blanks(at, end, separator);
        quoted = at < end && *at == '"';
        at = bnre__number_scan(at + quoted, end, &to[j]);
        if (at == NULL || (quoted && (at == end || *at++ != '"')))
            return fail_cell(lines, cell, end, separator, csv->name[j]);
        at = skip_blanks(at, end, separator);
        if (at < end && *at != separator)
            return fail_cell(lines, cell, end, separator, csv->name[j]);
        if (at == end && j + 1 < csv->cols)
            return bnre_fail(BNRE_EFORMAT,
                             "%s:%zu: %zu values for %zu columns: column "
                             "\"%s\" is missing",
                             lines->path, lines->number, j + 1, csv->cols,
                             csv->name[j + 1]);
        if (at < end && j + 1 == csv->cols)
            return bnre_fail(BNRE_EFORMAT,
                             "%s:%zu: more than %zu values, after column "
                             "\"%s\"",
                             lines->path, lines->number, csv->cols,
                             csv->name[j]);
        at++;
    }
    return BNRE_OK;
}

static bnre_status read_rows(struct lines *lines, char separator,
                             bnre__csv *csv)
{
    bnre_status status = BNRE_OK;
    size_t room = 0, blank = 0;
    const char *line, *end;

    for (;;) {
        BNRE_TRY(next_line(lines, &line, &end));
        if (line == NULL)
            break;
        if (skip_blanks(line, end, 0) == end) {
            blank = blank > 0 ? blank : lines->number;
            continue;
        }
        if (blank > 0) /* only at the end can they be meant */
            BNRE_THROW(BNRE_EFORMAT, "%s:%zu: the line is blank", lines->path,
                       blank);
        BNRE_GROW(csv->data, room, (csv->rows + 1) * csv->cols);
        BNRE_TRY(read_row(lines, line, end, separator, csv,
                          csv->data + csv->rows * csv->cols));
        csv->rows++;
    }
done:
    return status;
}

static bnre_status read_table(const char *path, int plain, bnre__csv *out)
{
    bnre_status status = BNRE_OK;
    struct lines lines = {.path = path, .fd = -1};
    char separator = ',';

    memset(out, 0, sizeof *out);
    BNRE_TRY(bnre__file_open(path, &lines.fd, &lines.size));
    BNRE_GROW(lines.buffer, lines.room, 1);
    BNRE_TRY(read_header(&lines, out, plain, &separator));
    BNRE_TRY(read_rows(&lines, separator, out));
done:
    if (lines.fd >= 0)
        close(lines.fd);
    bnre__free(lines.buffer);
    if (status != BNRE_OK)
        bnre__csv_clear(out);
    return status;
}

bnre_status bnre__csv_read(const char *path, bnre__csv *out)
{
    return read_table(path, 0, out);
}

bnre_status bnre__csv_read_plain(const char *path, bnre__csv *out)
{
    return read_table(path, 1, out);
}

void bnre__csv_clear(bnre__csv *csv)
{
    for (size_t j = 0; j < csv->cols; j++)
        bnre__free(csv->name[j]);
    bnre__free(csv->name);
    bnre__free(csv->data);
    memset(csv, 0, sizeof *csv);
}

/* Whether a name would be read as something else without quotes. */
static int needs_quotes(const char *name)
{
    size_t n = strlen(name);
    double value;

    return n == 0 || strpbrk(name, ",;\t\"") != NULL || name[0] == ' ' ||
           name[n - 1] == ' ' || (unsigned char)name[0] >= 0xef ||
           bnre__number_scan(name, name + n, &value) == name + n;
}

/* A header is one line: a name that has several is spelt out. */
static bnre_status write_name(bnre__file *file, const char *name)
{
    bnre_status status = BNRE_OK;
    bnre__text shown = {0};

    if (strpbrk(name, "\r\n") != NULL) {
        bnre__text_show(&shown, "%s", name);
        BNRE_TRY(bnre__text_check(&shown));
        name = shown.data;
    }
    if (!needs_quotes(name)) {
        status = bnre__file_write(file, name, strlen(name));
        goto done;
    }
    BNRE_TRY(bnre__file_write(file, "\"", 1));
    for (; *name != 0; name++)
        BNRE_TRY(bnre__file_write(file, *name == '"' ? "\"\"" : name,
                                  *name == '"' ? 2 : 1));
    BNRE_TRY(bnre__file_write(file, "\"", 1));
done:
    bnre__free(shown.data);
    return status;
}

bnre_status bnre__csv_write_header(bnre__file *file, size_t cols,
                                   const char *const *name)
{
    if (cols == 0)
        return bnre_fail(BNRE_EINVAL, "a table needs a column");
    for (size_t j = 0; j < cols; j++) {
        if (name[j][0] == 0 || strpbrk(name[j], "\r\n") != NULL)
            return bnre_fail(BNRE_EINVAL,
                             "\"%s\" cannot be the name of a column", name[j]);
        if (j > 0)
            BNRE_DO(bnre__file_write(file, ",", 1));
        BNRE_DO(write_name(file, name[j]));
    }
    return bnre__file_write(file, "\n", 1);
}

bnre_status bnre__csv_write_row(bnre__file *file, size_t cols,
                                const double *value)
{
    char text[BNRE__NUMBER_ROOM];

    for (size_t j = 0; j < cols; j++) {
        size_t n = bnre__number_format(value[j], text);

        text[n++] = j + 1 < cols ? ',' : '\n';
        BNRE_DO(bnre__file_write(file, text, n));
    }
    return BNRE_OK;
}
