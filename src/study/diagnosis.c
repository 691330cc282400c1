#include "study/diagnosis.h"

#include <string.h>

#include "base/mem.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "io/json.h"

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

static bnre_status add_estimate(bnre__json *parent, const char *key,
                                bnre_estimate estimate)
{
    bnre_status status = BNRE_OK;
    bnre__json *pair = NULL;

    BNRE_TRY(bnre__json_object(parent, key, &pair));
    BNRE_TRY(bnre__json_real(pair, "mean", estimate.mean));
    BNRE_TRY(bnre__json_real(pair, "error", estimate.error));
done:
    return status;
}

static bnre_status write_json(const bnre_diag *diag, const char *path)
{
    const bnre_diag_curve *curve = &diag->curve[0];
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *list = NULL, *item = NULL;

    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__json_size(root, "pairs", diag->n));
    BNRE_TRY(bnre__json_text(root, "verdict",
                             bnre_verdict_name(curve->judgement.verdict)));
    BNRE_TRY(bnre__json_reals(root, "coverage", BNRE_DIAG_LEVELS,
                              curve->coverage.share));
    BNRE_TRY(add_estimate(root, "auc", curve->coverage.auc));
    BNRE_TRY(add_estimate(root, "information", curve->information));
    BNRE_TRY(add_estimate(root, "log_posterior", diag->log_posterior));
    BNRE_TRY(add_estimate(root, "raw_log_posterior", diag->raw_log_posterior));
    BNRE_TRY(add_estimate(root, "balance", diag->balance));
    BNRE_TRY(bnre__json_list(root, "parameters", &list));
    for (size_t i = 0; i < diag->dim; i++) {
        BNRE_TRY(bnre__json_object(list, NULL, &item));
        BNRE_TRY(bnre__json_text(item, "name", diag->parameter[i].name));
        BNRE_TRY(add_estimate(item, "bias", diag->parameter[i].bias));
        BNRE_TRY(add_estimate(item, "variance", diag->parameter[i].variance));
    }
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    return status;
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
    BNRE_TRY(write_json(diag, path));
done:
    bnre_diag_destroy(diag);
    bnre_dataset_close(pairs);
    bnre_estimator_close(est);
    return status;
}
