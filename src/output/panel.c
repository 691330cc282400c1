/* panel.c - panels of figures: places, lines of names, tics at round
   numbers, legends. */
#include "output/panel.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bnre/text.h"

void bnre__panel_place(bnre__figure *figure, double left, double bottom,
                       double width, double height)
{
    figure->panel = width;
    bnre__figure_script(
        figure,
        "set lmargin at screen %.4f; set rmargin at screen %.4f\n"
        "set bmargin at screen %.4f; set tmargin at screen %.4f\n",
        left / figure->width, (left + width) / figure->width,
        bottom / figure->height, (bottom + height) / figure->height);
}

void bnre__panel_label(bnre__figure *figure, const char *what, const char *text,
                       const char *how)
{
    bnre__figure_script(figure, "set %s ", what);
    bnre__figure_quoted(figure, text);
    bnre__figure_script(figure, " %s\n", how);
}

/* ---- lines ---- */

/* Bytes of the letter at `text`. */
static size_t letter(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    return bnre__text_code(&at) < 0 ? 1 : (size_t)((const char *)at - text);
}

static size_t count_letters(const char *text)
{
    size_t n = 0;

    for (; *text != 0; text += letter(text))
        n++;
    return n;
}

/* Bytes up to the last good place within `most` letters. */
static size_t find_break(const char *text, size_t most)
{
    size_t bytes = 0, good = 0, n = 0;

    while (text[bytes] != 0 && text[bytes] != '\n' && (n < most || n == 0)) {
        const char c = text[bytes];

        bytes += letter(text + bytes);
        n++;
        if (strchr(" _-./:", c) != NULL)
            good = bytes;
    }
    return strchr(" \n", text[bytes]) != NULL || good == 0 ? bytes : good;
}

const char *bnre__line_next(const char **at, size_t most, size_t *bytes)
{
    const char *line = *at;

    if (*line == 0)
        return NULL;
    *bytes = find_break(line, most);
    *at += *bytes;
    *at += **at == '\n' ? 1 : strspn(*at, " ");
    while (*bytes > 1 && line[*bytes - 1] == ' ')
        --*bytes;
    return line;
}

size_t bnre__line_count(const char *text, size_t most)
{
    size_t n = 0, bytes;

    while (bnre__line_next(&text, most, &bytes) != NULL)
        n++;
    return n;
}

const char *bnre__line_numbers(const char *words, size_t most,
                               char out[BNRE__NUMBERS])
{
    size_t length = 0, longest = 0, used = 0;
    int apart;

    for (const char *at = words; *at != 0; at++) {
        length = strncmp(at, " or ", 4) == 0 ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    apart = strlen(words) > most && longest <= most;
    for (; *words != 0 && used + 4 < BNRE__NUMBERS; words++)
        used +=
            (size_t)snprintf(out + used, BNRE__NUMBERS - used,
                             *words == '-'                             ? "−"
                             : apart && strncmp(words, " or ", 4) == 0 ? "\n"
                                                                       : "%c",
                             *words);
    out[used] = 0;
    return out;
}

/* Inches of a letter, at most on average. */
static const double inch_usual = 0.082, inch_small = 0.068;

void bnre__panel_title(bnre__figure *figure, const char *text, double width,
                       double most, const char *how)
{
    const int small = inch_usual * (double)count_letters(text) > width;
    const size_t letters =
        small ? (size_t)(most / inch_small) : strlen(text) + 1;
    const char *at = text, *line;
    size_t bytes;

    bnre__figure_script(figure, *text != 0 ? "set title " : "set title ''");
    while ((line = bnre__line_next(&at, letters, &bytes)) != NULL) {
        if (line > text)
            bnre__figure_script(figure, ".\"\\n\".");
        bnre__figure_quoted_part(figure, line, bytes);
    }
    bnre__figure_script(figure, " font %s %s\n", small ? "small" : "''", how);
}

/* ---- tics ---- */

/* 1, 2, 5, 10, ...: the first that is not below `rough`, times 0.75. */
static double round_step(double rough)
{
    const double ten = pow(10, floor(log10(rough)));
    const double times = rough / ten;

    return ten * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static const char *write_label(double at, double step, char out[BNRE_READABLE])
{
    /* Steps have one digit, and a spread is shown to two. */
    return bnre_readable_real(fabs(at) < 1e-9 * step ? 0 : at, 10 * step, out);
}

static size_t widest(const bnre__tics *tics)
{
    char label[BNRE_READABLE];
    size_t most = 0;

    for (size_t k = 0; k < tics->n; k++) {
        const size_t n = strlen(write_label(
            tics->first + (double)k * tics->step, tics->step, label));

        most = n > most ? n : most;
    }
    return most;
}

bnre__tics bnre__tics_find(double from, double to, double room)
{
    const double air = 0.07 * (to - from);
    bnre__tics tics = {.step = round_step((to - from) / 3.2), .every = 1};
    double between; /* letters from tic to tic */

    tics.first = ceil((from + air) / tics.step) * tics.step;
    while (tics.n < BNRE__TICS &&
           tics.first + (double)tics.n * tics.step <= to - air)
        tics.n++;
    tics.letters = widest(&tics);
    between = tics.step / (to - from) * room;
    while (tics.every < BNRE__TICS &&
           (double)tics.every * between < (double)tics.letters + 1.5)
        tics.every++;
    tics.phase = tics.n > 0 ? (tics.n - 1) % tics.every / 2 : 0;
    return tics;
}

void bnre__tics_set(bnre__figure *figure, const char *axis,
                    const bnre__tics *tics, int labels)
{
    char label[BNRE_READABLE];

    bnre__figure_script(figure, "set %stics (", axis);
    for (size_t k = 0; k < tics->n; k++) {
        const double at = tics->first + (double)k * tics->step;
        const int minus = *write_label(at, tics->step, label) == '-';
        const int labelled = labels && k % tics->every == tics->phase;

        bnre__figure_script(figure, "%s'%s%s' %.15g", k > 0 ? ", " : "",
                            labelled && minus ? "−" : "",
                            labelled ? label + minus : "",
                            fabs(at) < 1e-9 * tics->step ? 0 : at);
    }
    bnre__figure_script(figure, ")\n");
}

/* ---- legends ---- */

/* Inches: of a sample, from where on there are words, of a letter with room,
   from line to line. */
static const double sample = 0.22, words_at = 0.3, small_words_at = 0.28;
static const double inch_letter = 0.075, inch_line = 0.2;

double bnre__legend_width(const char *text)
{
    return 0.55 + inch_letter * (double)strlen(text);
}

static void add_words(bnre__legend *legend, double x, const char *text,
                      size_t bytes, const char *how)
{
    bnre__figure *figure = legend->figure;

    bnre__figure_script(figure, "set label ");
    bnre__figure_quoted_part(figure, text, bytes);
    bnre__figure_script(figure, " at screen %.4f, screen %.4f left %s\n",
                        x / figure->width, legend->y / figure->height, how);
}

/* A new line, where there is no room for an entry to the right. */
static void make_room(bnre__legend *legend, const char *text)
{
    if (legend->step == 0 && legend->x > legend->left &&
        legend->x + bnre__legend_width(text) > legend->figure->width) {
        legend->x = legend->left;
        legend->y -= inch_line;
    }
}

static void finish_entry(bnre__legend *legend, int sampled, const char *text)
{
    const double at = legend->small ? small_words_at : words_at;

    add_words(legend, legend->x + (sampled ? at : 0), text, strlen(text),
              legend->small ? "font small" : "front");
    legend->y -= legend->step;
    if (legend->step == 0)
        legend->x += bnre__legend_width(text);
}

void bnre__legend_box(bnre__legend *legend, const char *fill, const char *text)
{
    const bnre__figure *figure = legend->figure;

    make_room(legend, text);
    bnre__figure_script(
        legend->figure,
        "set object rectangle from screen %.4f, screen %.4f to screen %.4f, "
        "screen %.4f front fillstyle solid 1 border linecolor rgb "
        "'" BNRE__INK "' linewidth 0.7 fillcolor rgb '%s'\n",
        legend->x / figure->width, (legend->y - 0.06) / figure->height,
        (legend->x + sample) / figure->width,
        (legend->y + 0.06) / figure->height, fill);
    finish_entry(legend, 1, text);
}

void bnre__legend_stroke(bnre__legend *legend, const char *style,
                         const char *text)
{
    const bnre__figure *figure = legend->figure;

    make_room(legend, text);
    if (style != NULL)
        bnre__figure_script(
            legend->figure,
            "set arrow from screen %.4f, screen %.4f to screen %.4f, screen "
            "%.4f nohead %s%s\n",
            legend->x / figure->width, legend->y / figure->height,
            (legend->x + sample) / figure->width, legend->y / figure->height,
            legend->small ? "" : "front ", style);
    finish_entry(legend, style != NULL, text);
}

void bnre__legend_note(bnre__legend *legend, const char *note)
{
    const char *line;
    size_t bytes;

    while ((line = bnre__line_next(&note, SIZE_MAX, &bytes)) != NULL) {
        add_words(legend, legend->x, line, bytes, "front font small");
        legend->y -= BNRE__LEGEND_SMALL * legend->step;
    }
}
