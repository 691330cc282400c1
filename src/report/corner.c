#include "report/corner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "report/corner_table.h"
#include "report/legend.h"

static const char *const ink = "#1f4e79", *const truth_ink = "#d55e00";
static const char *const dash_ink = "#222222";

/* SVG of gnuplot gives strokes of one colour that follow each other the dashes
   of the first. */
static const char *const legend_ink[] = {"#222222", "#232323"};

/* Of dashed regions, from the largest on. */
static const char *const dash_type[BNRE__CORNER_LEVELS] = {
    "(3,6)", "(9,6)", "(18,6)", "(18,6,3,6)", "(9,6,3,6)", "(27,6)"};

enum { MOST_TICS = 16 };

/* Sizes in inches. */
static const double left = 0.72, bottom = 0.62, right = 0.16, top = 0.36,
                    gap = 0.1;
static const double most_step = 0.21, least_step = 0.155; /* of the legend */

/* ---- colours and numbers ---- */

/* The colour of region c out of n, from pale to dark. */
static const char *shade(size_t c, size_t n, char out[8])
{
    static const unsigned pale[] = {214, 230, 244}, dark[] = {58, 127, 184};
    const double t = n > 1 ? (double)c / (double)(n - 1) : 0.6;
    unsigned level[3];

    for (int i = 0; i < 3; i++)
        level[i] = (unsigned)((1 - t) * pale[i] + t * dark[i] + 0.5);
    snprintf(out, 8, "#%02x%02x%02x", level[0] & 255u, level[1] & 255u,
             level[2] & 255u);
    return out;
}

/* A round step that divides the range into about three. */
static double round_step(double range)
{
    const double rough = range / 3.2;
    const double ten = pow(10, floor(log10(rough)));
    const double times = rough / ten;

    return ten * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* Tics at round numbers, off the ends of the panel so that their labels do not
   meet those of its neighbour. */
static bnre_status set_tics(bnre__figure *figure, const char *axis,
                            const bnre__raster *raster, int labels)
{
    const double range = raster->high - raster->low, step = round_step(range);
    const double from = raster->low + 0.07 * range;
    const double to = raster->high - 0.07 * range;
    bnre_status status = BNRE_OK;
    double at = ceil(from / step) * step;

    BNRE_TRY(bnre__figure_script(figure, "set %stics (", axis));
    for (int k = 0; k < MOST_TICS && at <= to; k++, at += step)
        /* a sum of steps may miss 0 by a rounding error */
        BNRE_TRY(bnre__figure_script(figure, "%s'%s' %.9g", k > 0 ? ", " : "",
                                     labels ? "%g" : "",
                                     fabs(at) < 1e-9 * step ? 0 : at));
    BNRE_TRY(bnre__figure_script(figure, ")\n"));
done:
    return status;
}

/* "name = 1.23 (+0.12 -0.10)": median and central 68 %, two digits of error. */
static bnre_status set_title(const bnre__corner *corner, size_t i)
{
    const bnre_summary *summary = &corner->summary[i];
    const double up = summary->high68 - summary->median;
    const double down = summary->median - summary->low68;
    const double small = fmin(up, down);
    double middle = summary->median;
    int digits = small > 0 ? 1 - (int)floor(log10(small)) : 3;
    bnre_status status = BNRE_OK;

    digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
    if (fabs(middle) < 0.5 * pow(10, -digits))
        middle = 0; /* not "-0.0" */
    BNRE_TRY(bnre__figure_script(corner->figure, "set title "));
    BNRE_TRY(bnre__figure_quoted(
        corner->figure,
        bnre_prior_name(bnre_posterior_points(corner->posterior)->prior, i)));
    BNRE_TRY(bnre__figure_script(
        corner->figure, ".' = %.*f {/*0.8 (+%.*f -%.*f)}' offset 0,-0.3\n",
        digits, middle, digits, up, digits, down));
done:
    return status;
}

static bnre_status set_label(const bnre__corner *corner, const char *axis,
                             size_t i)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(corner->figure, "set %slabel ", axis));
    BNRE_TRY(bnre__figure_quoted(
        corner->figure,
        bnre_prior_name(bnre_posterior_points(corner->posterior)->prior, i)));
    BNRE_TRY(bnre__figure_script(corner->figure, " offset %s\n",
                                 *axis == 'x' ? "0,0.3" : "0.6,0"));
done:
    return status;
}

/* ---- panels ---- */

/* Margins of the panel in column a and row b, counted from the top. */
static bnre_status place(const bnre__corner *corner, size_t a, size_t b)
{
    const double x = left + (double)a * (corner->side + gap);
    const double y =
        bottom + (double)(corner->n - 1 - b) * (corner->side + gap);
    const double high =
        corner->n == 1 ? corner->height - top - bottom : corner->side;

    return bnre__figure_script(
        corner->figure,
        "set lmargin at screen %.4f; set rmargin at screen %.4f\n"
        "set bmargin at screen %.4f; set tmargin at screen %.4f\n"
        "unset arrow; unset label; unset title; unset xlabel; unset ylabel\n",
        x / corner->width, (x + corner->side) / corner->width,
        y / corner->height, (y + high) / corner->height);
}

static bnre_status set_range(const bnre__corner *corner, const char *axis,
                             size_t a)
{
    return bnre__figure_script(corner->figure, "set %srange [%.9g:%.9g]\n",
                               axis, corner->raster[a].low,
                               corner->raster[a].high);
}

static bnre_status mark_truth(const bnre__corner *corner, size_t a, size_t b)
{
    bnre_status status = BNRE_OK;
    double x, y;

    if (corner->truth == NULL)
        return BNRE_OK;
    x = corner->truth[corner->raster[a].i];
    y = corner->truth[corner->raster[b].i];
    BNRE_TRY(bnre__figure_script(corner->figure,
                                 "set arrow from first %.9g, graph 0 to first "
                                 "%.9g, graph 1 nohead front linewidth 1.1 "
                                 "linecolor rgb '%s'\n",
                                 x, x, truth_ink));
    if (a != b)
        BNRE_TRY(bnre__figure_script(
            corner->figure,
            "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead "
            "front linewidth 1.1 linecolor rgb '%s'\n"
            "set label at first %.9g, first %.9g '' front point pointtype 7 "
            "pointsize 0.5 linecolor rgb '%s'\n",
            y, y, truth_ink, x, y, truth_ink));
done:
    return status;
}

static bnre_status draw_line(bnre__corner *corner, size_t a, size_t block,
                             double highest)
{
    const size_t i = corner->raster[a].i;
    bnre__figure *figure = corner->figure;
    bnre_status status = BNRE_OK;
    char colour[8];

    BNRE_TRY(place(corner, a, a));
    BNRE_TRY(set_range(corner, "x", a));
    BNRE_TRY(bnre__figure_script(figure, "set yrange [0:%.6g]\nunset ytics\n",
                                 1.12 * highest));
    BNRE_TRY(set_tics(figure, "x", &corner->raster[a], a + 1 == corner->n));
    BNRE_TRY(set_title(corner, i));
    if (a + 1 == corner->n)
        BNRE_TRY(set_label(corner, "x", i));
    BNRE_TRY(mark_truth(corner, a, a));
    BNRE_TRY(bnre__figure_script(figure, "plot "));
    for (size_t c = 0; c < corner->filled.n; c++)
        BNRE_TRY(bnre__figure_script(
            figure,
            "data index %zu using 1:($3>=%zu?$2:1/0) with filledcurves y1=0 "
            "fillstyle solid 1 noborder linecolor rgb '%s', \\\n  ",
            block, c + 1, shade(c, corner->filled.n, colour)));
    for (size_t c = 0; c < corner->dashed.n; c++)
        BNRE_TRY(bnre__figure_script(
            figure,
            "data index %zu using 1:2 with lines linewidth 1.2 dashtype %s "
            "linecolor rgb '%s', \\\n  ",
            block + 1 + c, dash_type[c], dash_ink));
    BNRE_TRY(bnre__figure_script(
        figure,
        "data index %zu using 1:4 with lines linestyle 8, \\\n"
        "  data index %zu using 1:2 with lines linewidth 1.6 linecolor rgb "
        "'%s'\n",
        block, block, ink));
done:
    return status;
}

static bnre_status draw_plane(bnre__corner *corner, size_t a, size_t b,
                              size_t block)
{
    bnre__figure *figure = corner->figure;
    bnre_status status = BNRE_OK;

    BNRE_TRY(place(corner, a, b));
    BNRE_TRY(set_range(corner, "x", a));
    BNRE_TRY(set_range(corner, "y", b));
    BNRE_TRY(set_tics(figure, "x", &corner->raster[a], b + 1 == corner->n));
    BNRE_TRY(set_tics(figure, "y", &corner->raster[b], a == 0));
    if (b + 1 == corner->n)
        BNRE_TRY(set_label(corner, "x", corner->raster[a].i));
    if (a == 0)
        BNRE_TRY(set_label(corner, "y", corner->raster[b].i));
    BNRE_TRY(mark_truth(corner, a, b));
    BNRE_TRY(bnre__figure_script(
        figure,
        "plot data index %zu using 1:2:4 with image, \\\n"
        "  $contour_%zu_%zu using 1:2 with lines linewidth 0.7 linecolor rgb "
        "'%s'",
        block, b, a, ink));
    for (size_t c = 0; c < corner->dashed.n; c++)
        BNRE_TRY(bnre__figure_script(
            figure,
            ", \\\n  $dashed_%zu_%zu_%zu using 1:2 with lines linewidth 1.2 "
            "dashtype %s linecolor rgb '%s'",
            b, a, c, dash_type[c], dash_ink));
    BNRE_TRY(bnre__figure_script(figure, "\n"));
done:
    return status;
}

/* ---- the legend, in the empty corner ---- */

/* "90 %"; with its kind where there are two, or where it is no plain one. */
static const char *name_of(const bnre__corner *corner,
                           const bnre_contour *region, char out[64])
{
    snprintf(out, 64, "%g %%%s", 100 * region->level,
             region->conformal   ? " conformal"
             : corner->conformal ? " nominal"
                                 : "");
    return out;
}

/* What is guaranteed is the joint region, of which panels show less. */
static const char *const joint_note = "guaranteed jointly; marginals\n"
                                      "are cut at the same mass";

static const char *note_of(const bnre__corner *corner)
{
    if (corner->opts->note != NULL)
        return corner->opts->note;
    return corner->conformal && corner->n > 1 ? joint_note : "";
}

/* The first column with room for all rows above its panels; one more than there
   are if there is none. Sets the step from row to row. */
static void place_legend(bnre__corner *corner)
{
    double rows = (double)(corner->filled.n + corner->dashed.n +
                           corner->whole.n + 1 + (corner->truth != NULL));

    for (const char *note = note_of(corner); *note != 0; note++)
        rows += *note == '\n' || note[1] == 0 ? BNRE__LEGEND_SMALL : 0;
    corner->column = corner->n > 1 || corner->conformal;
    corner->step = most_step;
    for (; corner->n > 1 && corner->column < corner->n; corner->column++) {
        const double room = (double)corner->column * (corner->side + gap) - top;

        corner->step = fmin(most_step, room / rows);
        if (corner->step >= least_step)
            return;
    }
    if (corner->column == corner->n) {
        corner->width += 1.8;
        corner->step = fmin(most_step, (corner->height - top - bottom) / rows);
    }
}

static bnre_status draw_legend(bnre__corner *corner)
{
    const double x = (double)corner->column * (corner->side + gap);
    bnre__legend legend = {.figure = corner->figure,
                           .width = corner->width,
                           .height = corner->height,
                           .x = corner->column == 0
                                    ? corner->width - right - 1.05
                                    : left + x + 0.2,
                           .y = corner->height - top - 0.12,
                           .step = corner->step};
    bnre_status status = BNRE_OK;
    char text[80], name[64];

    for (size_t c = corner->filled.n; c-- > 0;)
        BNRE_TRY(
            bnre__legend_box(&legend, ink, shade(c, corner->filled.n, text),
                             name_of(corner, &corner->filled.of[c], name), ""));
    for (size_t c = corner->dashed.n; c-- > 0;) {
        snprintf(text, sizeof text,
                 "linewidth 1.2 dashtype %s linecolor rgb '%s'", dash_type[c],
                 legend_ink[c % 2]);
        BNRE_TRY(bnre__legend_stroke(
            &legend, text, name_of(corner, &corner->dashed.of[c], name)));
    }
    for (size_t c = corner->whole.n; c-- > 0;)
        BNRE_TRY(bnre__legend_box(&legend, ink, "white",
                                  name_of(corner, &corner->whole.of[c], name),
                                  ": all"));
    BNRE_TRY(bnre__legend_stroke(&legend, "linestyle 8", "prior"));
    snprintf(text, sizeof text, "linewidth 1.1 linecolor rgb '%s'", truth_ink);
    if (corner->truth != NULL)
        BNRE_TRY(bnre__legend_stroke(&legend, text, "truth"));
    BNRE_TRY(bnre__legend_note(&legend, note_of(corner)));
done:
    return status;
}

/* The legend belongs to the last panel drawn: it is set before its plot. */
static bnre_status draw_panels(bnre__corner *corner, const double *highest,
                               const size_t *line, const size_t *plane)
{
    bnre_status status = BNRE_OK;
    char colour[8];

    BNRE_TRY(bnre__figure_script(corner->figure,
                                 "unset contour\nunset grid\n"
                                 "small = format eq 'png' ? ',16' : format eq "
                                 "'pdf' ? ',8' : ',11'\n"
                                 "set tics front font small\n"
                                 "set xtics offset 0,0.3\n"
                                 "set ytics offset 0.4,0\n"
                                 "set palette defined (0 'white'"));
    for (size_t c = 0; c < corner->filled.n; c++)
        BNRE_TRY(bnre__figure_script(corner->figure, ", %zu '%s'", c + 1,
                                     shade(c, corner->filled.n, colour)));
    BNRE_TRY(bnre__figure_script(
        corner->figure,
        ")\nset cbrange [0:%zu]\nunset colorbox\nset multiplot\n",
        corner->filled.n > 0 ? corner->filled.n : 1));
    for (size_t b = 0; b < corner->n; b++)
        for (size_t a = 0; a < b; a++)
            BNRE_TRY(draw_plane(corner, a, b, plane[b * corner->n + a]));
    for (size_t a = 0; a < corner->n; a++)
        BNRE_TRY(draw_line(corner, a, line[a], highest[a]));
    /* An empty plot carries the legend. */
    BNRE_TRY(bnre__figure_script(
        corner->figure,
        "unset border; unset tics; unset title; unset xlabel; unset ylabel\n"
        "unset arrow; unset label\nset yrange [0:1]\n"));
    BNRE_TRY(draw_legend(corner));
    BNRE_TRY(bnre__figure_script(corner->figure, "plot -1\nunset multiplot\n"));
done:
    return status;
}

/* ---- all of it ---- */

static int is_free(const bnre_prior *prior, size_t i)
{
    double low, high;

    bnre_prior_support(prior, i, &low, &high);
    return low < high;
}

static void add_region(bnre__corner_regions *regions,
                       const bnre_contour *contour)
{
    size_t at = regions->n;

    if (at == BNRE__CORNER_LEVELS)
        return;
    for (; at > 0 && regions->content[at - 1] < contour->content; at--) {
        regions->content[at] = regions->content[at - 1];
        regions->of[at] = regions->of[at - 1];
    }
    regions->content[at] = contour->content;
    regions->of[at] = *contour;
    regions->n++;
}

static void set_regions(bnre__corner *corner, const bnre__corner_opts *opts)
{
    int nominal = 0;

    for (size_t i = 0; i < opts->contours; i++) {
        corner->conformal |= opts->contour[i].conformal;
        nominal |= !opts->contour[i].conformal;
    }
    for (size_t i = 0; i < opts->contours; i++) {
        const bnre_contour *contour = &opts->contour[i];

        if (contour->content >= 1 - 1e-9)
            add_region(&corner->whole, contour);
        else if (contour->conformal && nominal)
            add_region(&corner->dashed, contour);
        else
            add_region(&corner->filled, contour);
    }
}

/* Parameters, sizes, and room; the more panels, the coarser their rasters. */
static bnre_status prepare(bnre__corner *corner)
{
    const bnre_points *points = bnre_posterior_points(corner->posterior);
    bnre_status status = BNRE_OK;
    size_t pieces;

    BNRE_NEW(corner->summary, points->dim);
    BNRE_TRY(bnre_posterior_summary(corner->posterior, corner->summary));
    for (size_t i = 0; i < points->dim && corner->n < BNRE__CORNER_MOST; i++)
        corner->n += (size_t)is_free(points->prior, i);
    pieces = corner->n <= 3 ? 120 : corner->n <= 6 ? 80 : 60;
    for (size_t i = 0, a = 0; a < corner->n; i++)
        if (is_free(points->prior, i))
            BNRE_TRY(bnre__raster_init(&corner->raster[a++], corner->posterior,
                                       i, pieces));
    BNRE_TRY(bnre__prior_line_create(points->prior, &corner->prior));
    BNRE_NEW(corner->density, 120 * 120);
    corner->side = corner->n == 1   ? 4.2
                   : corner->n <= 3 ? 1.9
                   : corner->n <= 6 ? 1.5
                                    : 1.25;
    corner->width = left + right + (double)corner->n * corner->side +
                    (double)(corner->n - 1) * gap;
    corner->height =
        corner->n == 1 ? 3.3 : corner->width - left - right + bottom + top;
    place_legend(corner);
done:
    return status;
}

static bnre_status build(bnre__corner *corner)
{
    double highest[BNRE__CORNER_MOST];
    size_t line[BNRE__CORNER_MOST];
    size_t plane[BNRE__CORNER_MOST * BNRE__CORNER_MOST];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(corner->figure,
                                 "set contour base\nunset surface\n"));
    for (size_t a = 0; a < corner->n; a++) {
        line[a] = corner->block;
        BNRE_TRY(bnre__corner_add_line(corner, a, &highest[a]));
    }
    for (size_t b = 0; b < corner->n; b++)
        for (size_t a = 0; a < b; a++) {
            plane[b * corner->n + a] = corner->block;
            BNRE_TRY(bnre__corner_add_plane(corner, a, b));
        }
    BNRE_TRY(draw_panels(corner, highest, line, plane));
done:
    return status;
}

bnre_status bnre__corner_draw(const bnre_posterior *posterior, const char *stem,
                              const bnre__corner_opts *opts, int *drawn)
{
    bnre__corner corner = {
        .posterior = posterior, .opts = opts, .truth = opts->truth};
    bnre_status status = BNRE_OK;

    set_regions(&corner, opts);
    BNRE_TRY(prepare(&corner));
    BNRE_TRY(
        bnre__figure_create(stem, corner.width, corner.height, &corner.figure));
    BNRE_TRY(build(&corner));
    BNRE_TRY(bnre__figure_draw(corner.figure, opts->formats, drawn));
done:
    bnre__figure_destroy(corner.figure);
    bnre__free(corner.density);
    bnre__prior_line_destroy(corner.prior);
    bnre__free(corner.summary);
    return status;
}
