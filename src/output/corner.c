/* corner.c - a page of a corner plot, drawn. */
#include "output/corner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "output/panel.h"

/* SVG of gnuplot gives strokes of one colour that follow each other the dashes
   of the first. */
static const char *const legend_ink[] = {BNRE__INK_DASHED, "#232323"};

/* Of dashed regions, from the largest on. */
static const char *const dash_type[BNRE__CORNER_LEVELS] = {
    "(3,6)", "(9,6)", "(18,6)", "(18,6,3,6)", "(9,6,3,6)", "(27,6)"};

/* Sizes in inches: margins, between panels, of letters and lines in the usual
   and the small font, of steps of the legend. */
static const double edge = 0.14, gap = 0.1, tic_high = 0.2, tic_gap = 0.1;
static const double letter[] = {0.082, 0.068}, line_high[] = {0.19, 0.16};
static const double most_step = 0.21, least_step = 0.155;
static const double legend_width = 1.95;

enum { USUAL, SMALL, MARGINAL_COLUMNS = 4, FEW_LINES = 2 };

/* What is written at a panel. */
struct label {
    size_t letters[2]; /* on a line of the name, and of the numbers */
    size_t lines[2];
    char numbers[BNRE__NUMBERS];
    int size;     /* of the name */
    double title; /* height of both, in inches */
    bnre__tics x, y;
};

struct drawing {
    const bnre__corner_view *view;
    bnre__figure figure;
    struct label *label;  /* (n) */
    double width, height; /* of the figure */
    double side, tall;    /* of a panel */
    double left, bottom, top;
    double row;      /* from row to row of panels */
    size_t column;   /* of the legend; 0: in the only panel */
    double step;     /* between its rows */
    bnre__text note; /* its small print */
    size_t *line;    /* (n) blocks of the table */
    size_t *plane;   /* (n, n) */
    double *highest; /* (n) */
    size_t block;
};

static void clear(struct drawing *d)
{
    bnre__free(d->label);
    bnre__free(d->note.data);
    bnre__free(d->line);
    bnre__free(d->plane);
    bnre__free(d->highest);
    bnre__figure_clear(&d->figure);
}

/* ---- words ---- */

/* "90 %"; with its kind where there are two, or where it is no plain one. */
static const char *name_of(const bnre__corner_view *view,
                           const bnre_contour *region, char out[64])
{
    snprintf(out, 64, "%g %%%s", 100 * region->level,
             region->conformal ? " conformal"
             : view->conformal ? " nominal"
                               : "");
    return out;
}

/* The region that titles tell in numbers: the darkest. */
static const bnre_contour *told(const bnre__corner_view *view)
{
    return view->filled.n > 0 ? &view->filled.of[view->filled.n - 1] : NULL;
}

/* What is guaranteed is the joint region, of which panels show less. */
static const char *const joint_note = "guaranteed jointly; marginals\n"
                                      "are cut at the same mass";

static void write_note(struct drawing *d)
{
    const bnre__corner_view *view = d->view;
    const char *note = view->note != NULL               ? view->note
                       : view->conformal && view->n > 1 ? joint_note
                                                        : "";
    char name[64];

    bnre__text_put(&d->note, "%s", note);
    if (told(view) != NULL)
        bnre__text_put(&d->note, "%snumbers: %s,\nhighest density",
                       *note != 0 ? "\n" : "", name_of(view, told(view), name));
}

static double name_height(const struct label *label)
{
    return line_high[label->size] * (double)label->lines[0];
}

static bnre_status make_label(const struct drawing *d, size_t a)
{
    const bnre__corner_axis *axis = &d->view->axis[a];
    struct label *label = &d->label[a];
    char words[BNRE_MARGINAL_WORDS] = "";
    bnre_marginal marginal;

    for (label->size = USUAL;; label->size = SMALL) {
        label->letters[0] = (size_t)(d->side / letter[label->size]);
        label->lines[0] = bnre__line_count(axis->name, label->letters[0]);
        if (label->lines[0] <= FEW_LINES || label->size == SMALL)
            break;
    }
    if (told(d->view) != NULL) {
        BNRE_DO(bnre__marginal_of_line(BNRE__LINE, axis->line, axis->low,
                                       axis->high, told(d->view)->content,
                                       &marginal));
        bnre_marginal_words(&marginal, words);
    }
    label->letters[1] = (size_t)(d->side / letter[SMALL]);
    bnre__line_numbers(words, label->letters[1], label->numbers);
    label->lines[1] = bnre__line_count(label->numbers, label->letters[1]);
    label->title =
        name_height(label) + line_high[SMALL] * (double)label->lines[1];
    label->x = bnre__tics_find(axis->from, axis->to, d->side / letter[SMALL]);
    label->y = bnre__tics_find(axis->from, axis->to, HUGE_VAL);
    return BNRE_OK;
}

/* ---- sizes ---- */

/* The first column with room for all rows above its panels and their titles;
   one more than there are if there is none. Sets the step from row to row. */
static void place_legend(struct drawing *d)
{
    const bnre__corner_view *view = d->view;
    const size_t n = view->n;
    double rows = (double)(view->filled.n + view->dashed.n + view->whole.n + 2);

    for (const char *at = d->note.data; *at != 0; at++)
        rows += *at == '\n' || at[1] == 0 ? BNRE__LEGEND_SMALL : 0;
    d->step = most_step;
    d->column = n; /* beside everything */
    for (size_t c = 1; view->pairs && c < n; c++) {
        const double room =
            d->top + (double)c * d->row - d->label[c].title - edge - 0.3;

        /* It must not reach into the title of the next column. */
        if ((double)(n - c) * (d->side + gap) < legend_width && c + 1 < n)
            continue;
        d->step = fmin(most_step, room / rows);
        if (d->step >= least_step) {
            d->column = c;
            break;
        }
    }
    if (d->column == n) {
        d->width += legend_width;
        d->step = fmin(most_step, (d->height - edge - 0.2) / rows);
    } else
        d->width =
            fmax(d->width,
                 d->left + (double)d->column * (d->side + gap) + legend_width);
}

static void measure(struct drawing *d)
{
    const size_t n = d->view->n;
    const size_t columns = d->view->pairs         ? n
                           : n < MARGINAL_COLUMNS ? n
                                                  : MARGINAL_COLUMNS;
    const size_t rows = d->view->pairs ? n : (n + columns - 1) / columns;
    double names = 0, title = 0, tics = 0;

    for (size_t a = 0; a < n; a++) {
        const struct label *label = &d->label[a];

        names = fmax(names, name_height(label));
        title = fmax(title, label->title);
        if (a > 0 && d->view->pairs)
            tics = fmax(tics, letter[SMALL] * (double)label->y.letters);
    }
    d->top = edge + (d->view->pairs ? d->label[0].title : title);
    d->bottom = edge + tic_high + (d->view->pairs ? names + 0.04 : 0);
    d->left =
        n > 1 && d->view->pairs ? edge + names + tics + tic_gap : 2 * edge;
    d->row = d->view->pairs ? d->tall + gap : d->tall + title + tic_high + 0.12;
    d->width = d->left + edge + (double)columns * (d->side + gap) - gap;
    d->height = d->top + d->bottom + (double)(rows - 1) * d->row + d->tall;
    place_legend(d);
}

static bnre_status prepare(struct drawing *d)
{
    const size_t n = d->view->n;
    bnre_status status = BNRE_OK;

    BNRE_NEW(d->label, n);
    BNRE_NEW(d->line, n);
    BNRE_NEW(d->plane, n * n);
    BNRE_NEW(d->highest, n);
    d->side = !d->view->pairs ? 1.9
              : n == 1        ? 4.2
              : n <= 3        ? 1.9
              : n <= 6        ? 1.5
                              : 1.3;
    d->tall = !d->view->pairs ? 1.1 : n == 1 ? 2.4 : d->side;
    write_note(d);
    BNRE_TRY(bnre__text_check(&d->note));
    for (size_t a = 0; a < n; a++)
        BNRE_TRY(make_label(d, a));
    measure(d);
done:
    return status;
}

/* ---- panels ---- */

/* Lines around a place in inches, one below the other, or upright. */
static void write_lines(struct drawing *d, const char *text, size_t letters,
                        int size, double x, double y, int upright)
{
    const char *line;
    size_t bytes;

    while ((line = bnre__line_next(&text, letters, &bytes)) != NULL) {
        bnre__figure_script(&d->figure, "set label ");
        bnre__figure_quoted_part(&d->figure, line, bytes);
        bnre__figure_script(
            &d->figure, " at screen %.4f, screen %.4f center%s%s front\n",
            x / d->width, y / d->height, upright ? " rotate by 90" : "",
            size == SMALL ? " font small" : "");
        *(upright ? &x : &y) += upright ? line_high[size] : -line_high[size];
    }
}

static void write_name(struct drawing *d, size_t a, double x, double y,
                       int upright)
{
    const struct label *label = &d->label[a];

    write_lines(d, d->view->axis[a].name, label->letters[0], label->size, x, y,
                upright);
}

/* The lower left of the panel in column a and row b, counted from the top. */
static void corner_of(const struct drawing *d, size_t a, size_t b, double *x,
                      double *y)
{
    *x = d->left + (double)a * (d->side + gap);
    *y = d->height - d->top - d->tall - (double)b * d->row;
}

static void place(struct drawing *d, size_t a, size_t b)
{
    double x, y;

    corner_of(d, a, b, &x, &y);
    bnre__panel_place(&d->figure, x, y, d->side, d->tall);
    bnre__figure_script(&d->figure, "unset arrow; unset label\n");
}

static void set_range(struct drawing *d, const char *axis, size_t a)
{
    bnre__figure_script(&d->figure, "set %srange [%.15g:%.15g]\n", axis,
                        d->view->axis[a].from, d->view->axis[a].to);
}

/* The name below the panels of column a, or beside those of row b. */
static void write_below(struct drawing *d, size_t a)
{
    double x, y;

    corner_of(d, a, d->view->n - 1, &x, &y);
    write_name(d, a, x + d->side / 2,
               y - tic_high - 0.5 * line_high[d->label[a].size] - 0.02, 0);
}

static void write_beside(struct drawing *d, size_t b)
{
    double x, y;

    corner_of(d, 0, b, &x, &y);
    write_name(d, b, 0.5 * edge + 0.5 * line_high[d->label[b].size],
               y + d->tall / 2, 1);
}

static void write_title(struct drawing *d, size_t i, size_t a, size_t b)
{
    const struct label *label = &d->label[i];
    double x, y;

    corner_of(d, a, b, &x, &y);
    x += d->side / 2;
    y += d->tall + label->title + 0.03;
    write_name(d, i, x, y - 0.5 * line_high[label->size], 0);
    write_lines(d, label->numbers, label->letters[1], SMALL, x,
                y - name_height(label) - 0.5 * line_high[SMALL], 0);
}

static void mark_truth(struct drawing *d, size_t a, size_t b)
{
    const double x = d->view->axis[a].truth, y = d->view->axis[b].truth;

    if (isnan(x) || isnan(y))
        return;
    bnre__figure_script(&d->figure,
                        "set arrow from first %.15g, graph 0 to first "
                        "%.15g, graph 1 nohead front linewidth 1.1 "
                        "linecolor rgb '%s'\n",
                        x, x, BNRE__INK_TRUTH);
    if (a != b)
        bnre__figure_script(
            &d->figure,
            "set arrow from graph 0, first %.15g to graph 1, first %.15g "
            "nohead front linewidth 1.1 linecolor rgb '%s'\n"
            "set label at first %.15g, first %.15g '' front point pointtype 7 "
            "pointsize 0.5 linecolor rgb '%s'\n",
            y, y, BNRE__INK_TRUTH, x, y, BNRE__INK_TRUTH);
}

static void plot_line(struct drawing *d, size_t a)
{
    const bnre__corner_view *view = d->view;
    const bnre__corner_axis *axis = &view->axis[a];
    const int wider = axis->from < axis->low || axis->to > axis->high;
    char colour[8];

    bnre__figure_script(&d->figure, "plot ");
    for (size_t c = 0; c < view->filled.n; c++)
        bnre__figure_script(
            &d->figure,
            "data index %zu using 1:($3>=%zu?$2:1/0) with filledcurves y1=0 "
            "fillstyle solid 1 noborder linecolor rgb '%s', \\\n  ",
            d->line[a], c + 1, bnre__colour_region(c, view->filled.n, colour));
    for (size_t c = 0; c < view->dashed.n; c++)
        bnre__figure_script(
            &d->figure,
            "data index %zu using 1:2 with lines linewidth 1.2 dashtype %s "
            "linecolor rgb '%s', \\\n  ",
            d->line[a] + 2 + c, dash_type[c], BNRE__INK_DASHED);
    bnre__figure_script(
        &d->figure,
        "data index %zu using 1:%d with lines linestyle 8, \\\n"
        "  data index %zu using 1:2 with lines linewidth 1.6 linecolor rgb "
        "'%s'\n",
        d->line[a] + (size_t)wider, wider ? 2 : 4, d->line[a], BNRE__INK);
}

static void draw_line(struct drawing *d, size_t i)
{
    const int pairs = d->view->pairs;
    const size_t a = pairs ? i : i % MARGINAL_COLUMNS;
    const size_t b = pairs ? i : i / MARGINAL_COLUMNS;
    const int last = i + 1 == d->view->n;

    place(d, a, b);
    set_range(d, "x", i);
    bnre__figure_script(&d->figure, "set yrange [0:%.6g]\nunset ytics\n",
                        1.12 * d->highest[i]);
    bnre__tics_set(&d->figure, "x", &d->label[i].x, !pairs || last);
    write_title(d, i, a, b);
    if (pairs && last)
        write_below(d, i);
    mark_truth(d, i, i);
    plot_line(d, i);
}

static void draw_plane(struct drawing *d, size_t a, size_t b)
{
    const int last = b + 1 == d->view->n;

    place(d, a, b);
    set_range(d, "x", a);
    set_range(d, "y", b);
    bnre__tics_set(&d->figure, "x", &d->label[a].x, last);
    bnre__tics_set(&d->figure, "y", &d->label[b].y, a == 0);
    if (last)
        write_below(d, a);
    if (a == 0)
        write_beside(d, b);
    mark_truth(d, a, b);
    bnre__figure_script(
        &d->figure,
        "plot data index %zu using 1:2:4 with image, \\\n"
        "  $contour_%zu_%zu using 1:2 with lines linewidth 0.7 linecolor rgb "
        "'%s'",
        d->plane[b * d->view->n + a], b, a, BNRE__INK);
    for (size_t c = 0; c < d->view->dashed.n; c++)
        bnre__figure_script(
            &d->figure,
            ", \\\n  $dashed_%zu_%zu_%zu using 1:2 with lines linewidth 1.2 "
            "dashtype %s linecolor rgb '%s'",
            b, a, c, dash_type[c], BNRE__INK_DASHED);
    bnre__figure_script(&d->figure, "\n");
}

/* ---- the legend, in the empty corner or beside all ---- */

static void draw_legend(struct drawing *d)
{
    const bnre__corner_view *view = d->view;
    const double x = d->column == view->n
                         ? d->width - legend_width + 0.1
                         : d->left + 0.2 + (double)d->column * (d->side + gap);
    bnre__legend legend = {.figure = &d->figure,
                           .x = x,
                           .y = d->height - edge - 0.2,
                           .step = d->step};
    char text[80], name[64];

    for (size_t c = view->filled.n; c-- > 0;)
        bnre__legend_box(&legend, bnre__colour_region(c, view->filled.n, text),
                         name_of(view, &view->filled.of[c], name));
    for (size_t c = view->dashed.n; c-- > 0;) {
        snprintf(text, sizeof text,
                 "linewidth 1.2 dashtype %s linecolor rgb '%s'", dash_type[c],
                 legend_ink[c % 2]);
        bnre__legend_stroke(&legend, text,
                            name_of(view, &view->dashed.of[c], name));
    }
    for (size_t c = view->whole.n; c-- > 0;) {
        snprintf(text, sizeof text, "%s: all",
                 name_of(view, &view->whole.of[c], name));
        bnre__legend_box(&legend, "white", text);
    }
    bnre__legend_stroke(&legend, "linestyle 8", "prior");
    if (!isnan(view->axis[0].truth))
        bnre__legend_stroke(&legend,
                            "linewidth 1.1 linecolor rgb '" BNRE__INK_TRUTH "'",
                            "truth");
    bnre__legend_note(&legend, d->note.data);
}

static void draw_panels(struct drawing *d)
{
    const bnre__corner_regions *filled = &d->view->filled;
    char colour[8];

    bnre__figure_script(&d->figure,
                        "unset contour\nunset grid\n" BNRE__SMALL_FONT
                        "set tics front font small\n"
                        "set xtics offset 0,0.3\n"
                        "set ytics offset 0.4,0\n"
                        "set palette defined (0 'white'");
    for (size_t c = 0; c < filled->n; c++)
        bnre__figure_script(&d->figure, ", %zu '%s'", c + 1,
                            bnre__colour_region(c, filled->n, colour));
    bnre__figure_script(
        &d->figure, ")\nset cbrange [0:%zu]\nunset colorbox\nset multiplot\n",
        filled->n > 0 ? filled->n : 1);
    for (size_t b = 0; b < d->view->n && d->view->pairs; b++)
        for (size_t a = 0; a < b; a++)
            draw_plane(d, a, b);
    for (size_t a = 0; a < d->view->n; a++)
        draw_line(d, a);
    /* An empty plot carries the legend. */
    bnre__figure_script(&d->figure, "unset border; unset tics\n"
                                    "unset arrow; unset label\n"
                                    "set yrange [0:1]\n");
    draw_legend(d);
    bnre__figure_script(&d->figure, "plot -1\nunset multiplot\n");
}

/* ---- all of it ---- */

static void build(struct drawing *d)
{
    const bnre__corner_view *view = d->view;

    bnre__figure_script(&d->figure, "set contour base\nunset surface\n");
    for (size_t a = 0; a < view->n; a++) {
        d->line[a] = d->block;
        bnre__corner_add_line(view, &d->figure, a, &d->block, &d->highest[a]);
    }
    for (size_t b = 0; b < view->n && view->pairs; b++)
        for (size_t a = 0; a < b; a++) {
            d->plane[b * view->n + a] = d->block;
            bnre__corner_add_plane(view, &d->figure, a, b, &d->block);
        }
    draw_panels(d);
}

bnre_status bnre__corner_view_draw(const bnre__corner_view *view,
                                   const char *stem, const char *formats,
                                   int *drawn)
{
    struct drawing d = {.view = view};
    bnre_status status = BNRE_OK;

    BNRE_TRY(prepare(&d));
    bnre__figure_begin(&d.figure, d.width, d.height, "%s", stem);
    build(&d);
    BNRE_TRY(bnre__figure_end(&d.figure, formats, drawn));
done:
    clear(&d);
    return status;
}
