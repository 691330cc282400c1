#include "study/diagnosis.h"

#include <string.h>

#include "base/mem.h"
#include "bnre/diag_files.h"
#include "bnre/estimator.h"

/* auto, paper, or cells per parameter. */
static bnre_status read_grid(const char *text, bnre_diag_opts *opts)
{
    if (strcmp(text, "auto") == 0) {
        opts->grid = BNRE_DIAG_AUTO;
        return BNRE_OK;
    }
    if (strcmp(text, "paper") == 0) {
        opts->grid = BNRE_DIAG_PAPER;
        return BNRE_OK;
    }
    opts->grid = BNRE_DIAG_CELLS;
    return bnre_read_size(text, "[2, inf)", "grid", &opts->cells);
}

bnre_status bnre__diagnosis_make(const bnre__diagnosis *diagnosis,
                                 const char *estimator, const char *data,
                                 const char *path)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_dataset *pairs = NULL;
    bnre_diag *diag = NULL;
    bnre_density density;

    BNRE_TRY(read_grid(diagnosis->fields->grid, &opts));
    opts.seed = diagnosis->seed;
    opts.pool = diagnosis->pool;
    opts.monitor = diagnosis->monitor;
    BNRE_TRY(bnre_estimator_open(estimator, &est));
    BNRE_TRY(bnre_dataset_open(data, &pairs));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_diagnose_dataset(&density, pairs, 1, &opts, &diag));
    BNRE_TRY(bnre_diag_write_json(diag, NULL, path));
done:
    bnre_diag_destroy(diag);
    bnre_dataset_close(pairs);
    bnre_estimator_close(est);
    return status;
}
