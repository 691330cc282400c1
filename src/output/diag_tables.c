/* A diagnosis as tables. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/diag_files.h"
#include "io/csv.h"

bnre_status bnre_diag_write_levels(const bnre_diag *diag, const char *path)
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
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__file_discard(file);
    return status;
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

bnre_status bnre_diag_write_pairs(const bnre_diag *diag, const char *path)
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
    status = bnre__file_commit(file);
    file = NULL;
done:
    bnre__file_discard(file);
    bnre__free(row);
    for (size_t k = 0; name != NULL && k < columns; k++)
        bnre__free(name[k]);
    bnre__free(name);
    return status;
}
