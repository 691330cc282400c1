/* check_files.c - a check in files: check.json, check.csv and the figure of the
   observation in its predictive band. */
#include "output/check_files.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/json.h"
#include "output/diagnosis_record.h"
#include "output/panel.h"

/* ---- check.json ---- */

static bnre_status add_test(bnre__json *list, const bnre_check_test *test)
{
    const double predicted[] = {test->low, test->median, test->high};
    bnre__json *item;

    BNRE_DO(bnre__json_object(list, NULL, &item));
    BNRE_DO(bnre__json_text(item, "name", test->name));
    BNRE_DO(bnre__json_real(item, "observed", test->observed));
    BNRE_DO(bnre__json_reals(item, "predicted", 3, predicted));
    BNRE_DO(bnre__json_real(item, "p", test->p));
    return bnre__json_real(item, "corrected", test->adjusted);
}

static bnre_status add_fit(bnre__json *root, const bnre_check_report *report)
{
    const bnre_check *check = &report->check;
    const bnre_check_value *worst;
    bnre__json *list, *item;

    if (check->tests == 0)
        return BNRE_OK;
    BNRE_DO(bnre__json_size(root, "simulations", check->draws));
    BNRE_DO(bnre__json_size(root, "failed", report->failed));
    BNRE_DO(bnre__json_real(root, "alpha", check->alpha));
    BNRE_DO(bnre__json_text(root, "correction", "Holm"));
    BNRE_DO(bnre__json_text(root, "correction_of_values",
                            "Westfall and Young, the farthest value"));
    BNRE_DO(bnre__json_list(root, "tests", &list));
    for (size_t i = 0; i < check->tests; i++)
        BNRE_DO(add_test(list, &check->test[i]));
    worst = &check->value[check->worst];
    BNRE_DO(bnre__json_object(root, "farthest", &item));
    BNRE_DO(bnre__json_size(item, "observation", check->worst / check->x_size));
    BNRE_DO(bnre__json_size(item, "value", check->worst % check->x_size));
    BNRE_DO(bnre__json_real(item, "observed", worst->observed));
    BNRE_DO(bnre__json_real(item, "low", worst->low95));
    BNRE_DO(bnre__json_real(item, "high", worst->high95));
    return bnre__json_real(item, "corrected", worst->adjusted);
}

static bnre_status put_diag(bnre_diag *diag, bnre__json *item)
{
    return bnre__diagnosis_put(&(bnre__diagnosis_record){.diag = diag}, item);
}

static bnre_status add_trust(bnre__json *root, const bnre_check_report *report)
{
    bnre__json *item;

    if (report->here != NULL) {
        BNRE_DO(bnre__json_object(root, "here", &item));
        BNRE_DO(put_diag(report->here, item));
        BNRE_DO(bnre__json_real(item, "uniform_p", report->here_uniform));
        BNRE_DO(bnre__json_text(item, "means", bnre_check_here_means()));
    }
    if (report->near == NULL)
        return bnre__json_text(root, "near_unchecked", report->no_near);
    BNRE_DO(bnre__json_object(root, "near", &item));
    BNRE_DO(put_diag(report->near, item));
    BNRE_DO(bnre__json_size(item, "of", report->near_of));
    return bnre__json_text(item, "means", bnre_check_near_means());
}

static bnre_status write_json(const bnre__check_files *files, const char *path)
{
    const bnre_check_report *report = files->report;
    bnre__json *root = NULL, *list;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__json_text(root, "version", BNRE_VERSION));
    BNRE_TRY(bnre__json_text(root, "verdict",
                             bnre_check_verdict_name(report->verdict)));
    BNRE_TRY(bnre__json_text(root, "words", report->words));
    if (report->unchecked != NULL)
        BNRE_TRY(bnre__json_text(root, "unchecked", report->unchecked));
    BNRE_TRY(bnre__json_size(root, "beyond", report->beyond));
    BNRE_TRY(bnre__json_real(root, "outside_p", report->outside));
    BNRE_TRY(bnre__json_real(root, "log_z", report->log_z));
    BNRE_TRY(add_fit(root, report));
    BNRE_TRY(add_trust(root, report));
    BNRE_TRY(bnre__json_list(root, "warnings", &list));
    for (size_t i = 0; i < files->warnings; i++)
        BNRE_TRY(bnre__json_text(list, NULL, files->warning[i]));
    BNRE_TRY(bnre__made_add(root, files->made));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    return status;
}

/* ---- check.csv: a row for each value ---- */

static bnre_status write_values(const bnre_check *check, const char *path)
{
    static const char *const name[] = {
        "observation", "value",   "observed", "low_95", "low_68",
        "median",      "high_68", "high_95",  "p",      "corrected"};
    enum { COLUMNS = sizeof name / sizeof *name };
    bnre_status status = BNRE_OK;
    bnre__file *file = NULL;

    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(bnre__csv_write_header(file, COLUMNS, name));
    for (size_t i = 0; i < check->observations * check->x_size; i++) {
        const bnre_check_value *v = &check->value[i];
        const double row[COLUMNS] = {(double)(i / check->x_size),
                                     (double)(i % check->x_size),
                                     v->observed,
                                     v->low95,
                                     v->low68,
                                     v->median,
                                     v->high68,
                                     v->high95,
                                     v->p,
                                     v->adjusted};

        BNRE_TRY(bnre__csv_write_row(file, COLUMNS, row));
    }
done:
    return bnre__file_end(file, status);
}

/* ---- the figure ---- */

enum { MOST_SHOWN = 2000, FEW = 16 };

/* Few values may be of different kinds, and are shown in units of what was
   predicted: 1 is the end of the central 68 %. */
static double shown(const bnre_check_value *v, double value, int relative)
{
    const double off = value - v->median;
    const double side = off < 0 ? v->median - v->low68 : v->high68 - v->median;
    const double whole = (v->high95 - v->low95) / 4;

    if (!relative)
        return value;
    return off / (side > 0 ? side : whole > 0 ? whole : 1);
}

static void add_names(bnre__figure *figure, const bnre__check_files *files,
                      size_t n)
{
    bnre__figure_script(figure, "set xtics (");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            bnre__figure_script(figure, ", ");
        bnre__figure_tic(figure,
                         files->x_name[i % files->report->check.x_size]);
        bnre__figure_script(figure, " %zu", i);
    }
    bnre__figure_script(figure, ") rotate by 30 right\n");
}

static bnre_status draw(const bnre__check_files *files, const char *stem,
                        int *drawn)
{
    const bnre_check *check = &files->report->check;
    const size_t n = check->observations * check->x_size;
    const size_t step = (n + MOST_SHOWN - 1) / MOST_SHOWN;
    const int few = n <= FEW;
    bnre__figure figure;

    bnre__figure_begin(&figure, 7, 3.4, "%s", stem);
    bnre__figure_data(&figure, "# value, low 95 %%, low 68 %%, median, high 68 "
                               "%%, high 95 %%, observed\n");
    for (size_t i = 0; i < n; i += step) {
        const bnre_check_value *v = &check->value[i];

        bnre__figure_data(&figure, "%zu %.9g %.9g %.9g %.9g %.9g %.9g\n", i,
                          shown(v, v->low95, few), shown(v, v->low68, few),
                          shown(v, v->median, few), shown(v, v->high68, few),
                          shown(v, v->high95, few), shown(v, v->observed, few));
    }
    if (few && files->x_name != NULL)
        add_names(&figure, files, n);
    else if (few)
        bnre__figure_script(&figure, "set xtics 1\n");
    bnre__figure_script(&figure,
                        "set xrange [%.9g:%.9g]\n"
                        "set xlabel 'value of x'\n"
                        "set ylabel '%s'\n"
                        "set key outside top center horizontal\n",
                        few ? -0.5 : 0, few ? (double)n - 0.5 : (double)(n - 1),
                        few ? "in units of what is predicted" : "x");
    if (few)
        bnre__figure_script(
            &figure,
            "set boxwidth 0.3\n"
            "plot data using 1:2:2:6:6 with candlesticks linestyle 1 fillstyle "
            "transparent solid 0.15 noborder title 'predicted, 95 %%', \\\n"
            "  data using 1:3:3:5:5 with candlesticks linestyle 1 fillstyle "
            "transparent solid 0.3 noborder title '68 %%', \\\n"
            "  data using 1:7 with points pointtype 7 pointsize 1.6 linecolor "
            "rgb '" BNRE__INK_TRUTH "' title 'observed'\n");
    else
        bnre__figure_script(
            &figure,
            "plot data using 1:2:6 with filledcurves linestyle 1 fillstyle "
            "transparent solid 0.15 noborder title 'predicted, 95 %%', \\\n"
            "  data using 1:3:5 with filledcurves linestyle 1 fillstyle "
            "transparent solid 0.3 noborder title '68 %%', \\\n"
            "  data using 1:4 with lines linestyle 1 title 'median', \\\n"
            "  data using 1:7 with lines linewidth 1 linecolor "
            "rgb '" BNRE__INK_TRUTH "' title 'observed'\n");
    return bnre__figure_end(&figure, files->formats, drawn);
}

bnre_status bnre__check_save(const bnre__check_files *files, int *drawn)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    *drawn = 1;
    BNRE_TRY(bnre__text_format(&path, "%s/check.json", files->directory));
    BNRE_TRY(write_json(files, path));
    if (files->report->check.tests == 0)
        goto done;
    bnre__free(path);
    path = NULL;
    BNRE_TRY(bnre__text_format(&path, "%s/check.csv", files->directory));
    BNRE_TRY(write_values(&files->report->check, path));
    bnre__free(path);
    path = NULL;
    BNRE_TRY(bnre__text_format(&path, "%s/check", files->directory));
    BNRE_TRY(draw(files, path, drawn));
done:
    bnre__free(path);
    return status;
}
