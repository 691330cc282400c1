/* figure.c - figures: script and table put together, written, and drawn. */
#include "output/figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "io/file.h"
#include "output/gnuplot.h"

enum { POINTS_PER_INCH = 96, SAMPLES_OF_MAP = 9 };

static const struct format {
    const char *name;
    const char *terminal; /* width, height in the terminal's unit */
    double unit;          /* per inch */
    const char *end;      /* of a whole file, but for a few bytes */
} formats_known[] = {
    {"svg",
     "svg size %.0f,%.0f enhanced font 'Helvetica,13' linewidth 1.2 "
     "background rgb 'white'",
     POINTS_PER_INCH, "</svg>"},
    {"pdf", "pdfcairo size %.2fin,%.2fin enhanced font 'Helvetica,10'", 1,
     "%%EOF"},
    {"png", "pngcairo size %.0f,%.0f enhanced font 'Helvetica,20' linewidth 2",
     2 * POINTS_PER_INCH, "IEND"},
};
enum { FORMATS = sizeof formats_known / sizeof *formats_known };

/* ---- colours ---- */

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9",
                                      "#7f3c8d", "#666666"};

const char *bnre__colour_of(size_t i)
{
    return colours[i % (sizeof colours / sizeof *colours)];
}

/* Between two colours, t of the way. */
static const char *mix(const double a[3], const double b[3], double t,
                       char out[8])
{
    unsigned level[3];

    for (int c = 0; c < 3; c++)
        level[c] = (unsigned)((1 - t) * a[c] + t * b[c] + 0.5) & 255u;
    snprintf(out, 8, "#%02x%02x%02x", level[0], level[1], level[2]);
    return out;
}

const char *bnre__colour_scale(double t, char out[8])
{
    static const double map[SAMPLES_OF_MAP][3] = {
        {68.085, 1.275, 83.895},    {72.165, 35.955, 116.79},
        {64.77, 67.575, 135.15},    {52.785, 94.86, 141.015},
        {41.82, 120.105, 142.29},   {32.64, 144.585, 140.505},
        {68.085, 190.995, 112.455}, {141.27, 210.375, 71.655},
        {215.475, 226.185, 25.5}};
    const double at = (t < 0 ? 0 : t > 1 ? 1 : t) * 0.92 * (SAMPLES_OF_MAP - 1);
    const int below = (int)at;

    return mix(map[below], map[below + 1], at - below, out);
}

const char *bnre__colour_region(size_t c, size_t n, char out[8])
{
    static const double pale[] = {214, 230, 244}, dark[] = {58, 127, 184};

    return mix(pale, dark, n > 1 ? (double)c / (double)(n - 1) : 0.6, out);
}

static void add_style(bnre__text *out)
{
    static const int point[] = {7, 5, 9, 13, 11, 4};

    bnre__text_put(out, "set encoding utf8\n"
                        "set border linewidth 0.8 linecolor rgb '#444444'\n"
                        "set tics nomirror scale 0.6 textcolor rgb '#222222'\n"
                        "set grid linewidth 0.5 linecolor rgb '#dddddd'\n"
                        "set key noautotitle samplen 1.6 spacing 1.1\n");
    for (size_t i = 0; i < sizeof point / sizeof *point; i++)
        bnre__text_put(out,
                       "set style line %zu linewidth 1.8 pointtype %d "
                       "linecolor rgb '%s'\n",
                       i + 1, point[i], colours[i]);
    bnre__text_put(out,
                   "set style line 7 linewidth 1.8 pointtype 6 linecolor rgb "
                   "'#000000'\n"
                   "set style line 8 linewidth 1.0 dashtype (6,4) linecolor "
                   "rgb '#777777'\n"
                   "set style fill transparent solid 0.2 noborder\n");
}

/* ---- putting together ---- */

void bnre__figure_begin(bnre__figure *out, double width, double height,
                        const char *stem, ...)
{
    va_list args;

    *out = (bnre__figure){.width = width, .height = height};
    va_start(args, stem);
    bnre__text_vput(&out->stem, stem, args);
    va_end(args);
}

void bnre__figure_clear(bnre__figure *figure)
{
    bnre__free(figure->data.data);
    bnre__free(figure->script.data);
    bnre__free(figure->stem.data);
    *figure = (bnre__figure){0};
}

void bnre__figure_fail(bnre__figure *figure, bnre_status status)
{
    if (figure->script.status == BNRE_OK)
        figure->script.status = status;
}

void bnre__figure_script(bnre__figure *figure, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bnre__text_vput(&figure->script, fmt, args);
    va_end(args);
}

void bnre__figure_data(bnre__figure *figure, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bnre__text_vshow(&figure->data, fmt, args);
    va_end(args);
}

/* In single quotes nothing means anything to gnuplot but a quote; in double
   quotes it runs what stands in back-quotes. A quote is written by number,
   since twice, as its manual has it, ends a string that begins so. What is
   shown may still be marked up: a backslash takes the meaning from a letter,
   and a division from \U+. Texts of tics are formats of numbers, in which a
   percent sign is written twice. */
static void quote(bnre__figure *figure, const char *text, size_t bytes,
                  int is_tic)
{
    bnre__text *to = &figure->script, raw = {0}, plain = {0};

    bnre__text_put(&raw, "%.*s", (int)bytes, text);
    if (raw.status == BNRE_OK)
        bnre__text_show(&plain, "%s", raw.data);
    bnre__figure_fail(figure, raw.status);
    bnre__figure_fail(figure, plain.status);
    bnre__text_put(to, "'");
    for (const char *at = plain.data; to->status == BNRE_OK && *at != 0; at++)
        bnre__text_put(to,
                       *at == '\''                     ? "\\047"
                       : is_tic && *at == '%'          ? "%%%%"
                       : strncmp(at, "\\U+", 3) == 0   ? "\\\\{}"
                       : strchr("\\_^{}@&~", *at) != 0 ? "\\%c"
                                                       : "%c",
                       *at);
    bnre__text_put(to, "'");
    bnre__free(plain.data);
    bnre__free(raw.data);
}

void bnre__figure_quoted(bnre__figure *figure, const char *text)
{
    quote(figure, text, strlen(text), 0);
}

void bnre__figure_quoted_part(bnre__figure *figure, const char *text,
                              size_t bytes)
{
    quote(figure, text, bytes, 0);
}

void bnre__figure_tic(bnre__figure *figure, const char *text)
{
    quote(figure, text, strlen(text), 1);
}

size_t bnre__figure_block(bnre__figure *figure, size_t rows)
{
    bnre__figure_data(figure, "\n\n");
    figure->blocks += rows > 0;
    return figure->blocks - (rows > 0);
}

/* ---- drawing ---- */

enum { LARGEST = 1 << 28 };

static const char *name_of(const bnre__figure *figure)
{
    const char *slash = strrchr(figure->stem.data, '/');

    return slash == NULL ? figure->stem.data : slash + 1;
}

static bnre_status path_of(const bnre__figure *figure, const char *ending,
                           char **out)
{
    return bnre__text_format(out, "%s.%s", figure->stem.data, ending);
}

/* The content of a file, or NULL if it cannot be read, or is a link or a pipe
   that somebody put there; the caller frees it. */
static bnre_status read_file(const char *path, char **out, size_t *bytes)
{
    bnre_status status = BNRE_OK;
    struct stat info;

    *out = NULL;
    *bytes = 0;
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode))
        status = bnre__file_read_all(path, LARGEST, out, bytes);
    if (status == BNRE_ENOMEM)
        return status;
    return BNRE_OK;
}

/* Whether a part of the figure is there already; if not, *changed is set. */
static bnre_status compare_part(const bnre__figure *figure, const char *ending,
                                const bnre__text *text, int *changed)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *old = NULL;
    size_t bytes;

    BNRE_TRY(path_of(figure, ending, &path));
    BNRE_TRY(read_file(path, &old, &bytes));
    if (old == NULL || bytes != text->length ||
        (bytes > 0 && memcmp(old, text->data, bytes) != 0))
        *changed = 1;
done:
    bnre__free(old);
    bnre__free(path);
    return status;
}

static bnre_status write_part(const bnre__figure *figure, const char *ending,
                              const bnre__text *text)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(path_of(figure, ending, &path));
    BNRE_TRY(bnre__file_put(path, text->data, text->length));
done:
    bnre__free(path);
    return status;
}

/* Pictures of what the figure was before. */
static bnre_status remove_pictures(const bnre__figure *figure)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    for (size_t i = 0; i < FORMATS; i++) {
        BNRE_TRY(path_of(figure, formats_known[i].name, &path));
        if (bnre__file_exists(path))
            BNRE_TRY(bnre__file_remove(path));
        bnre__free(path);
        path = NULL;
    }
done:
    bnre__free(path);
    return status;
}

/* The name of a file as gnuplot takes it for one. It begins with a directory: a
   bare name may be an option, a pipe (| and <) or one of its own ($, -, +), and
   a tilde somebody's home. Quotes, and control characters, which a line cannot
   hold, are put in between by number. */
static void add_name(bnre__text *to, const char *name, size_t length)
{
    bnre__text_put(to, *name == '/' ? "'" : "'./");
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)name[i];

        const int by_number = c < ' ' || c == 0x7f || c == '\'';

        bnre__text_put(to, by_number ? "'.\"\\%03o\".'" : "%c", c);
    }
    bnre__text_put(to, "'");
}

/* What chooses the picture's format stands first, so that gnuplot -e can. */
static void make_script(const bnre__figure *figure, bnre__text *out)
{
    const char *name = name_of(figure);

    bnre__text_put(out, "# gnuplot draws this as SVG; for another "
                        "format: gnuplot -e \"format='pdf'\"\n"
                        "if (!exists('format')) format = 'svg'\n"
                        "data = ");
    add_name(out, name, strlen(name));
    bnre__text_put(out, ".'.dat'\n");
    for (size_t i = 0; i < FORMATS; i++) {
        const struct format *format = &formats_known[i];

        bnre__text_put(out, "if (format eq '%s') { set terminal ",
                       format->name);
        bnre__text_put(out, format->terminal, figure->width * format->unit,
                       figure->height * format->unit);
        bnre__text_put(out, " }\n");
    }
    bnre__text_put(out, "if (!exists('piped')) set output ");
    add_name(out, name, strlen(name));
    bnre__text_put(out, ".'.'.format\n");
    add_style(out);
    if (figure->script.length > 0)
        bnre__text_put(out, "%s", figure->script.data);
}

/* PDF files tell when they were made, which makes equal ones unlike: put
   another date in its place. Gives how many there were that had to be changed.
 */
static size_t forget_dates(size_t bytes, char *data)
{
    static const char start[] = "/CreationDate (D:", never[] = "19700101000000";
    enum { START = sizeof start - 1, DATE = sizeof never - 1 };
    size_t n = 0;

    for (size_t i = 0; i + START + DATE <= bytes; i++)
        if (data[i] == '/' && memcmp(data + i, start, START) == 0 &&
            memcmp(data + i + START, never, DATE) != 0) {
            memcpy(data + i + START, never, DATE);
            n++;
        }
    return n;
}

/* Whether these are all bytes of a picture. */
static int ends_well(const struct format *format, size_t bytes,
                     const char *data)
{
    const size_t end = strlen(format->end);

    for (size_t skip = 0; skip < 16 && bytes >= end + skip; skip++)
        if (memcmp(data + bytes - end - skip, format->end, end) == 0)
            return 1;
    return 0;
}

/* Draw in one format. The picture comes through gnuplot's stdout, so that only
   we write files, under names of our own. */
static bnre_status draw_one(const bnre__figure *figure,
                            const struct format *format, const char *path,
                            int *drawn)
{
    bnre_status status = BNRE_OK;
    bnre__text first = {0};
    char *script = NULL, *picture = NULL, *words = NULL;
    const char *name = name_of(figure), *stem = figure->stem.data;
    size_t bytes;

    BNRE_TRY(bnre__text_format(&script, "./%s.gp", name));
    bnre__text_put(&first, "format='%s'; piped=1", format->name);
    if (name > stem) {
        bnre__text_put(&first, "; cd ");
        add_name(&first, stem, (size_t)(name - stem));
    }
    BNRE_TRY(bnre__text_check(&first));
    status = bnre__gnuplot_run(first.data, script, &picture, &bytes, drawn);
    if (status == BNRE_EIO) {
        BNRE_TRY(bnre__strdup(bnre_error_message(), &words));
        BNRE_THROW(BNRE_EIO, "gnuplot could not draw %s.gp: %s", stem, words);
    }
    BNRE_TRY(status);
    if (!*drawn)
        goto done;
    if (!ends_well(format, bytes, picture))
        BNRE_THROW(BNRE_EIO,
                   "gnuplot could not draw %s.gp: it ended before the picture "
                   "was whole",
                   stem);
    if (strcmp(format->name, "pdf") == 0)
        forget_dates(bytes, picture);
    BNRE_TRY(bnre__file_put(path, picture, bytes));
done:
    bnre__free(words);
    bnre__free(picture);
    bnre__free(script);
    bnre__free(first.data);
    return status;
}

/* The next of the formats, which *at moves past. Errors: EUSAGE. */
static bnre_status next_format(const char **at, const struct format **out)
{
    const size_t length = strcspn(*at, ",");

    *out = NULL;
    for (size_t i = 0; i < FORMATS; i++)
        if (strlen(formats_known[i].name) == length &&
            memcmp(formats_known[i].name, *at, length) == 0)
            *out = &formats_known[i];
    if (*out == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "there is no picture format '%.*s': svg, pdf or png",
                         (int)length, *at);
    *at += length + ((*at)[length] == ',');
    return BNRE_OK;
}

bnre_status bnre__figure_check_formats(const char *formats)
{
    const struct format *format;

    while (*formats != '\0')
        BNRE_DO(next_format(&formats, &format));
    return BNRE_OK;
}

/* Whether a picture is there as a whole, and as it should be: drawing may have
   been stopped. */
static bnre_status is_whole(const char *path, const struct format *format,
                            int *out)
{
    bnre_status status = BNRE_OK;
    char *data = NULL;
    size_t bytes;

    BNRE_TRY(read_file(path, &data, &bytes));
    *out = ends_well(format, bytes, data);
    if (strcmp(format->name, "pdf") == 0 && forget_dates(bytes, data) > 0)
        *out = 0;
done:
    bnre__free(data);
    return status;
}

static bnre_status draw(const bnre__figure *figure, const char *formats,
                        int *drawn)
{
    bnre_status status = BNRE_OK;
    const struct format *format;
    bnre__text script = {0};
    char *path = NULL;
    int changed = 0, whole;

    BNRE_TRY(bnre__text_check(&figure->stem));
    BNRE_TRY(bnre__text_check(&figure->script));
    BNRE_TRY(bnre__text_check(&figure->data));
    make_script(figure, &script);
    BNRE_TRY(bnre__text_check(&script));
    BNRE_TRY(compare_part(figure, "dat", &figure->data, &changed));
    BNRE_TRY(compare_part(figure, "gp", &script, &changed));
    if (changed) {
        /* In this order: an old picture never stands beside new data, which
           would be taken for its own after a crash. */
        BNRE_TRY(remove_pictures(figure));
        BNRE_TRY(write_part(figure, "dat", &figure->data));
        BNRE_TRY(write_part(figure, "gp", &script));
    }
    while (*formats != '\0' && *drawn) {
        BNRE_TRY(next_format(&formats, &format));
        BNRE_TRY(path_of(figure, format->name, &path));
        BNRE_TRY(is_whole(path, format, &whole));
        if (!whole)
            BNRE_TRY(draw_one(figure, format, path, drawn));
        bnre__free(path);
        path = NULL;
    }
done:
    bnre__free(path);
    bnre__free(script.data);
    return status;
}

bnre_status bnre__figure_end(bnre__figure *figure, const char *formats,
                             int *drawn)
{
    bnre_status status;

    *drawn = 1;
    status = draw(figure, formats, drawn);
    bnre__figure_clear(figure);
    return status;
}
