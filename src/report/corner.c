#include "report/corner.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "report/figure.h"
#include "report/prior_line.h"
#include "report/raster.h"

static const char *const ink = "#1f4e79", *const truth_ink = "#d55e00";

enum { PIECES_OF_LINE = 400, MOST_TICS = 16 };

/* Sizes in inches. */
static const double left = 0.72, bottom = 0.62, right = 0.16, top = 0.36,
                    gap = 0.1;

struct corner {
    const bnre_posterior *posterior;
    bnre__figure *figure;
    size_t n;                               /* parameters shown */
    bnre__raster raster[BNRE__CORNER_MOST]; /* for pairs */
    bnre_summary *summary;                  /* (dim) */
    size_t levels;
    double level[BNRE__CORNER_LEVELS]; /* from the largest to the smallest */
    const double *truth;
    double width, height, side;
    bnre__prior_line *prior;
    double *density; /* room for two lines or a plane */
    size_t block;    /* of the table, the next one */
};

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
static bnre_status set_title(const struct corner *corner, size_t i)
{
    const bnre_summary *summary = &corner->summary[i];
    const double up = summary->high68 - summary->median;
    const double down = summary->median - summary->low68;
    const double small = fmin(up, down);
    int digits = small > 0 ? 1 - (int)floor(log10(small)) : 3;
    bnre_status status = BNRE_OK;

    digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
    BNRE_TRY(bnre__figure_script(corner->figure, "set title "));
    BNRE_TRY(bnre__figure_quoted(
        corner->figure,
        bnre_prior_name(bnre_posterior_points(corner->posterior)->prior, i)));
    BNRE_TRY(bnre__figure_script(
        corner->figure, ".' = %.*f {/*0.8 (+%.*f -%.*f)}' offset 0,-0.3\n",
        digits, summary->median, digits, up, digits, down));
done:
    return status;
}

static bnre_status set_label(const struct corner *corner, const char *axis,
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

/* ---- the table ---- */

/* How many of the regions a density belongs to. */
static size_t class_of(const struct corner *corner, const double *threshold,
                       double density)
{
    size_t count = 0;

    for (size_t c = 0; c < corner->levels; c++)
        count += density >= threshold[c] && density > 0;
    return count;
}

/* value, density, regions, prior */
static bnre_status add_line(struct corner *corner, size_t a, double *highest)
{
    const bnre_prior *prior = bnre_posterior_points(corner->posterior)->prior;
    bnre__raster raster = corner->raster[a];
    double *const of_prior = corner->density + PIECES_OF_LINE;
    double threshold[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    raster.n = PIECES_OF_LINE;
    *highest = 0;
    BNRE_TRY(bnre__raster_line(corner->posterior, &raster, corner->density));
    BNRE_TRY(bnre__prior_line_fill(corner->prior, &raster, of_prior));
    BNRE_TRY(bnre__raster_thresholds(raster.n, corner->density, corner->levels,
                                     corner->level, threshold));
    BNRE_TRY(bnre__figure_data(
        corner->figure, "# %s: value, density, regions it is in, prior\n",
        bnre_prior_name(prior, raster.i)));
    for (size_t k = 0; k < raster.n; k++) {
        const double density = corner->density[k];

        *highest = fmax(*highest, density);
        BNRE_TRY(bnre__figure_data(corner->figure, "%.9g %.6g %zu %.6g\n",
                                   bnre__raster_middle(&raster, k), density,
                                   class_of(corner, threshold, density),
                                   of_prior[k]));
    }
    BNRE_TRY(bnre__figure_data(corner->figure, "\n\n"));
    corner->block++;
done:
    return status;
}

/* x, y, density, regions; and the contours as a block of the script. */
static bnre_status add_plane(struct corner *corner, size_t a, size_t b)
{
    const bnre_prior *prior = bnre_posterior_points(corner->posterior)->prior;
    const bnre__raster *x = &corner->raster[a], *y = &corner->raster[b];
    double threshold[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__raster_plane(corner->posterior, x, y, corner->density));
    BNRE_TRY(bnre__raster_thresholds(x->n * y->n, corner->density,
                                     corner->levels, corner->level, threshold));
    BNRE_TRY(bnre__figure_data(
        corner->figure, "# %s, %s, density, regions it is in\n",
        bnre_prior_name(prior, x->i), bnre_prior_name(prior, y->i)));
    for (size_t i = 0; i < y->n; i++) {
        for (size_t j = 0; j < x->n; j++) {
            const double density = corner->density[i * x->n + j];

            BNRE_TRY(bnre__figure_data(corner->figure, "%.7g %.7g %.5g %zu\n",
                                       bnre__raster_middle(x, j),
                                       bnre__raster_middle(y, i), density,
                                       class_of(corner, threshold, density)));
        }
        BNRE_TRY(bnre__figure_data(corner->figure, "\n"));
    }
    BNRE_TRY(bnre__figure_data(corner->figure, "\n"));
    BNRE_TRY(
        bnre__figure_script(corner->figure, "set cntrparam levels discrete "));
    for (size_t c = 0; c < corner->levels; c++)
        BNRE_TRY(bnre__figure_script(corner->figure, "%s%.6g",
                                     c > 0 ? ", " : "", threshold[c]));
    BNRE_TRY(bnre__figure_script(corner->figure,
                                 "\nset table $contour_%zu_%zu\n"
                                 "splot data index %zu using 1:2:3\n"
                                 "unset table\n",
                                 b, a, corner->block));
    corner->block++;
done:
    return status;
}

/* ---- panels ---- */

/* Margins of the panel in column a and row b, counted from the top. */
static bnre_status place(const struct corner *corner, size_t a, size_t b)
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

static bnre_status set_range(const struct corner *corner, const char *axis,
                             size_t a)
{
    return bnre__figure_script(corner->figure, "set %srange [%.9g:%.9g]\n",
                               axis, corner->raster[a].low,
                               corner->raster[a].high);
}

static bnre_status mark_truth(const struct corner *corner, size_t a, size_t b)
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

static bnre_status draw_line(struct corner *corner, size_t a, size_t block,
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
    for (size_t c = 0; c < corner->levels; c++)
        BNRE_TRY(bnre__figure_script(
            figure,
            "data index %zu using 1:($3>=%zu?$2:1/0) with filledcurves y1=0 "
            "fillstyle solid 1 noborder linecolor rgb '%s', \\\n  ",
            block, c + 1, shade(c, corner->levels, colour)));
    BNRE_TRY(bnre__figure_script(
        figure,
        "data index %zu using 1:4 with lines linestyle 8, \\\n"
        "  data index %zu using 1:2 with lines linewidth 1.6 linecolor rgb "
        "'%s'\n",
        block, block, ink));
done:
    return status;
}

static bnre_status draw_plane(struct corner *corner, size_t a, size_t b,
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
        "'%s'\n",
        block, b, a, ink));
done:
    return status;
}

/* What the colours mean, in the empty corner. */
static bnre_status draw_legend(struct corner *corner)
{
    const double x = corner->n == 1 ? corner->width - right - 1.05
                                    : left + corner->side + gap + 0.3;
    double y = corner->height - top - 0.12;
    bnre_status status = BNRE_OK;
    char colour[8];

    for (size_t c = corner->levels; c-- > 0; y -= 0.21) {
        BNRE_TRY(bnre__figure_script(
            corner->figure,
            "set object rectangle from screen %.4f, screen %.4f to screen "
            "%.4f, screen %.4f front fillstyle solid 1 border linecolor rgb "
            "'%s' linewidth 0.7 fillcolor rgb '%s'\n"
            "set label '%g %%' at screen %.4f, screen %.4f left front\n",
            x / corner->width, (y - 0.06) / corner->height,
            (x + 0.22) / corner->width, (y + 0.06) / corner->height, ink,
            shade(c, corner->levels, colour), 100 * corner->level[c],
            (x + 0.3) / corner->width, y / corner->height));
    }
    BNRE_TRY(bnre__figure_script(
        corner->figure,
        "set arrow from screen %.4f, screen %.4f to screen %.4f, screen %.4f "
        "nohead front linestyle 8\n"
        "set label 'prior' at screen %.4f, screen %.4f left front\n",
        x / corner->width, y / corner->height, (x + 0.22) / corner->width,
        y / corner->height, (x + 0.3) / corner->width, y / corner->height));
    y -= 0.21;
    if (corner->truth != NULL)
        BNRE_TRY(bnre__figure_script(
            corner->figure,
            "set arrow from screen %.4f, screen %.4f to screen %.4f, screen "
            "%.4f nohead front linewidth 1.1 linecolor rgb '%s'\n"
            "set label 'truth' at screen %.4f, screen %.4f left front\n",
            x / corner->width, y / corner->height, (x + 0.22) / corner->width,
            y / corner->height, truth_ink, (x + 0.3) / corner->width,
            y / corner->height));
done:
    return status;
}

/* The legend belongs to the last panel drawn: it is set before its plot. */
static bnre_status draw_panels(struct corner *corner, const double *highest,
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
    for (size_t c = 0; c < corner->levels; c++)
        BNRE_TRY(bnre__figure_script(corner->figure, ", %zu '%s'", c + 1,
                                     shade(c, corner->levels, colour)));
    BNRE_TRY(bnre__figure_script(
        corner->figure,
        ")\nset cbrange [0:%zu]\nunset colorbox\nset multiplot\n",
        corner->levels));
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

static void set_levels(struct corner *corner, size_t levels,
                       const double *level)
{
    corner->levels =
        levels < BNRE__CORNER_LEVELS ? levels : BNRE__CORNER_LEVELS;
    for (size_t c = 0; c < corner->levels; c++) {
        size_t at = c;

        for (; at > 0 && corner->level[at - 1] < level[c]; at--)
            corner->level[at] = corner->level[at - 1];
        corner->level[at] = level[c];
    }
}

/* Parameters, sizes, and room; the more panels, the coarser their rasters. */
static bnre_status prepare(struct corner *corner)
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
done:
    return status;
}

static bnre_status build(struct corner *corner)
{
    double highest[BNRE__CORNER_MOST];
    size_t line[BNRE__CORNER_MOST];
    size_t plane[BNRE__CORNER_MOST * BNRE__CORNER_MOST];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(corner->figure,
                                 "set contour base\nunset surface\n"));
    for (size_t a = 0; a < corner->n; a++) {
        line[a] = corner->block;
        BNRE_TRY(add_line(corner, a, &highest[a]));
    }
    for (size_t b = 0; b < corner->n; b++)
        for (size_t a = 0; a < b; a++) {
            plane[b * corner->n + a] = corner->block;
            BNRE_TRY(add_plane(corner, a, b));
        }
    BNRE_TRY(draw_panels(corner, highest, line, plane));
done:
    return status;
}

bnre_status bnre__corner_draw(const bnre_posterior *posterior, const char *stem,
                              size_t levels, const double *level,
                              const double *truth, const char *formats,
                              int *drawn)
{
    struct corner corner = {.posterior = posterior, .truth = truth};
    bnre_status status = BNRE_OK;

    set_levels(&corner, levels, level);
    BNRE_TRY(prepare(&corner));
    BNRE_TRY(
        bnre__figure_create(stem, corner.width, corner.height, &corner.figure));
    BNRE_TRY(build(&corner));
    BNRE_TRY(bnre__figure_draw(corner.figure, formats, drawn));
done:
    bnre__figure_destroy(corner.figure);
    bnre__free(corner.density);
    bnre__prior_line_destroy(corner.prior);
    bnre__free(corner.summary);
    return status;
}
