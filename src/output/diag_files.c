/* diag_files.c - a diagnosis as tables, and figures of coverage and ranks. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/csv.h"
#include "output/diag_files.h"
#include "output/panel.h"

bnre_status bnre__diag_write_levels(const bnre_diag *diag, const char *path)
{
    static const char *const name[] = {"level",  "coverage", "low",
                                       "high",   "band_low", "band_high",
                                       "volume", "tarp"};
    enum { COLUMNS = sizeof name / sizeof *name };
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__csv_write_header(file, COLUMNS, name));
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++) {
        const bnre_coverage *c =
            diag->n_curves > 0 ? &diag->curve[0].coverage : NULL;
        const double row[COLUMNS] = {
            bnre_diag_level(i),
            c != NULL ? c->share[i] : NAN,
            c != NULL ? c->low[i] : NAN,
            c != NULL ? c->high[i] : NAN,
            c != NULL ? fmax(0, c->share[i] - c->band) : NAN,
            c != NULL ? fmin(1, c->share[i] + c->band) : NAN,
            diag->volume[i],
            diag->tarp.share[i],
        };

        BNRE_TRY(bnre__csv_write_row(file, COLUMNS, row));
    }
done:
    return bnre__file_end(file, status);
}

enum { FIXED = 2 }; /* columns besides those of curves and parameters */

static bnre_status name_columns(const bnre_diag *diag, char **name)
{
    static const char *const of_curve[] = {"rank", "gain", "ess"};
    size_t k = 0;

    BNRE_DO(bnre__strdup("pair", &name[k++]));
    BNRE_DO(bnre__strdup("tarp", &name[k++]));
    for (size_t i = 0; i < diag->dim; i++)
        BNRE_DO(
            bnre__text_format(&name[k++], "rank.%s", diag->parameter[i].name));
    for (size_t c = 0; c < diag->n_curves; c++)
        for (size_t j = 0; j < 3; j++) {
            /* Further curves are told by their tau. */
            if (c == 0)
                BNRE_DO(bnre__strdup(of_curve[j], &name[k++]));
            else
                BNRE_DO(bnre__text_format(&name[k++], "%s_%zu_%g", of_curve[j],
                                          c, diag->curve[c].tau));
        }
    return BNRE_OK;
}

static void fill_row(const bnre_diag *diag, size_t i, double *row)
{
    size_t k = 0;

    row[k++] = (double)i;
    row[k++] = diag->tarp_rank[i];
    for (size_t d = 0; d < diag->dim; d++)
        row[k++] = diag->parameter[d].rank[i];
    for (size_t c = 0; c < diag->n_curves; c++) {
        row[k++] = diag->curve[c].rank[i];
        row[k++] = diag->curve[c].gain[i];
        row[k++] = diag->curve[c].ess[i];
    }
}

bnre_status bnre__diag_write_pairs(const bnre_diag *diag, const char *path)
{
    const size_t columns = FIXED + diag->dim + 3 * diag->n_curves;
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;
    char **name = NULL;
    double *row = NULL;

    BNRE_NEW(name, columns);
    BNRE_NEW(row, columns);
    BNRE_TRY(name_columns(diag, name));
    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__csv_write_header(file, columns, (const char *const *)name));
    for (size_t i = 0; i < diag->n; i++) {
        fill_row(diag, i, row);
        BNRE_TRY(bnre__csv_write_row(file, columns, row));
    }
done:
    status = bnre__file_end(file, status);
    bnre__free(row);
    for (size_t k = 0; name != NULL && k < columns; k++)
        bnre__free(name[k]);
    bnre__free(name);
    return status;
}

static void add_curve_data(bnre__figure *figure, const bnre_diag_curve *curve)
{
    const bnre_coverage *c = &curve->coverage;

    bnre__figure_data(figure,
                      "# temper %g: level, coverage, low, high, "
                      "band low, band high\n0 0 0 0 0 0\n",
                      curve->tau);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        bnre__figure_data(figure, "%.2f %.6g %.6g %.6g %.6g %.6g\n",
                          bnre_diag_level(i), c->share[i], c->low[i],
                          c->high[i], fmax(0, c->share[i] - c->band),
                          fmin(1, c->share[i] + c->band));
    bnre__figure_data(figure, "1 1 1 1 1 1\n\n\n");
}

static bnre_status draw_coverage(const bnre_diag *diag, const char *stem,
                                 const char *formats, int *drawn)
{
    bnre__figure figure;

    bnre__figure_begin(&figure, 4, 4, "%s-coverage", stem);
    for (size_t c = 0; c < diag->n_curves; c++)
        add_curve_data(&figure, &diag->curve[c]);
    bnre__figure_script(
        &figure,
        "set size square\n"
        "set xrange [0:1]\n"
        "set yrange [0:1]\n"
        "set xtics 0.2\n"
        "set ytics 0.2\n"
        "set xlabel 'credibility level'\n"
        "set ylabel 'expected coverage'\n"
        "set key left top\n"
        "plot data index 0 using 1:5:6 with filledcurves linestyle 1 "
        "fillstyle transparent solid 0.12 noborder title 'band for all "
        "levels', \\\n"
        "  data index 0 using 1:3:4 with filledcurves linestyle 1 "
        "fillstyle transparent solid 0.35 noborder title 'interval of "
        "each', \\\n"
        "  x with lines linestyle 8");
    for (size_t c = 0; c < diag->n_curves; c++) {
        bnre__figure_script(&figure,
                            ", \\\n  data index %zu using 1:2 with "
                            "lines linestyle %zu",
                            c, c % 7 + 1);
        if (diag->n_curves > 1)
            bnre__figure_script(&figure, " title 'temper %g'",
                                diag->curve[c].tau);
    }
    bnre__figure_script(&figure, "\n");
    return bnre__figure_end(&figure, formats, drawn);
}

enum { ACROSS = 4, MOST_PANELS = 24 };

static void add_histogram(bnre__figure *figure, const bnre_diag *diag, size_t k)
{
    const bnre_diag_parameter *parameter = &diag->parameter[k];

    bnre__figure_data(figure, "# rank, pairs: %s\n", parameter->name);
    for (size_t i = 0; i < diag->bins; i++)
        bnre__figure_data(figure, "%.6g %zu\n",
                          ((double)i + 0.5) / (double)diag->bins,
                          parameter->histogram[i]);
    bnre__figure_block(figure, diag->bins);
    bnre__panel_title(figure, parameter->name, 1.9, 2.4, "");
    bnre__figure_script(
        figure,
        "plot [0:1] [0:*] '+' using 1:(low):(high) with filledcurves "
        "linestyle 8, \\\n"
        "  mean with lines linestyle 8, \\\n"
        "  data index %zu using 1:2:(%.6g) with boxes linestyle 1\n",
        k, 1 / (double)diag->bins);
}

static bnre_status draw_sbc(const bnre_diag *diag, const char *stem,
                            const char *formats, int *drawn)
{
    const size_t panels = diag->dim < MOST_PANELS ? diag->dim : MOST_PANELS;
    const size_t across = panels < ACROSS ? panels : ACROSS;
    const size_t down = (panels + across - 1) / across;
    const double p = 1 / (double)diag->bins, mean = p * (double)diag->n;
    /* 99 % of the counts of uniform ranks. */
    const double spread = 2.576 * sqrt(mean * (1 - p));
    bnre__figure figure;

    bnre__figure_begin(&figure, 2.6 * (double)across + 0.4,
                       2.2 * (double)down + 0.2, "%s-sbc", stem);
    bnre__figure_script(&figure,
                        BNRE__SMALL_FONT "mean = %.6g\n"
                                         "low = %.6g\n"
                                         "high = %.6g\n"
                                         "set xlabel 'rank of the truth'\n"
                                         "set xtics 0.5\n"
                                         "set multiplot layout %zu,%zu\n",
                        mean, fmax(0, mean - spread), mean + spread, down,
                        across);
    for (size_t k = 0; k < panels; k++)
        add_histogram(&figure, diag, k);
    bnre__figure_script(&figure, "unset multiplot\n");
    return bnre__figure_end(&figure, formats, drawn);
}

bnre_status bnre__diag_draw(const bnre_diag *diag, const char *stem,
                            const char *formats, int *drawn)
{
    int ignored;

    if (drawn == NULL)
        drawn = &ignored;
    *drawn = 0;
    if (diag->n_curves > 0)
        BNRE_DO(draw_coverage(diag, stem, formats, drawn));
    return draw_sbc(diag, stem, formats, drawn);
}
