#include "study/diagnosis.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/diag_files.h"
#include "bnre/estimator.h"
#include "bnre/failures.h"
#include "bnre/trust_files.h"

/* auto, paper, or cells per parameter; or draws. */
static bnre_status read_grid(const bnre__diagnose_fields *fields,
                             bnre_diag_opts *opts)
{
    opts->grid = BNRE_DIAG_AUTO;
    if (strcmp(fields->grid, "paper") == 0) {
        opts->grid = BNRE_DIAG_PAPER;
    } else if (strcmp(fields->grid, "auto") != 0) {
        opts->grid = BNRE_DIAG_CELLS;
        if (bnre_read_size(fields->grid, "[2, 100000]", "grid", &opts->cells) !=
            BNRE_OK)
            return bnre_fail(BNRE_EUSAGE,
                             "grid must be auto, paper or a number of cells, "
                             "got \"%s\"",
                             fields->grid);
    }
    if (fields->draws > 0) {
        if (opts->grid != BNRE_DIAG_AUTO)
            return bnre_fail(BNRE_EUSAGE,
                             "draws are in place of a grid, but grid is %s",
                             fields->grid);
        opts->draws = fields->draws; /* of the posterior or the prior */
    }
    if (fields->points > 0 &&
        (opts->grid != BNRE_DIAG_AUTO || fields->draws > 0))
        return bnre_fail(BNRE_EUSAGE,
                         "points are for grid: auto without draws");
    opts->fitted = fields->points;
    opts->most_points = fields->most_points;
    return BNRE_OK;
}

bnre_status bnre__diagnosis_check(const bnre__diagnose_fields *fields)
{
    bnre_diag_opts opts;

    return read_grid(fields, &opts);
}

/* Theory, of the classifier as it was trained, and the learning curve of the
   posteriors that are diagnosed. */
static bnre_status look_deeper(const bnre__diagnosis *diagnosis,
                               const char *estimator, const char *data,
                               bnre_theorem *theorem,
                               bnre_learning_curve *curve)
{
    enum { MOST = 2000 }; /* pairs that are enough for a curve */
    const bnre__diagnose_fields *fields = diagnosis->fields;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_dataset *pairs = NULL;
    bnre_task *task = NULL; /* one of its own: likelihoods are for one thread */
    bnre_density density;
    double temper;

    if (fields->theorems == 0 && !fields->learning_curve)
        return BNRE_OK;
    BNRE_TRY(bnre_estimator_open(estimator, &est));
    temper = fields->temper > 0 ? fields->temper
                                : bnre_estimator_describe(est)->temper;
    BNRE_TRY(bnre_estimator_set_temper(est, 1));
    BNRE_TRY(bnre_dataset_open(data, &pairs));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    if (fields->theorems > 0) {
        BNRE_TRY(bnre_task_create(diagnosis->task, &task));
        BNRE_TRY(bnre_theorem_check_dataset(task, &density, pairs,
                                            fields->theorems,
                                            diagnosis->monitor, theorem));
    }
    BNRE_TRY(bnre_estimator_set_temper(est, temper));
    if (fields->learning_curve)
        BNRE_TRY(bnre_learning_curve_make(est, diagnosis->learned, data, MOST,
                                          diagnosis->stem, diagnosis->pool,
                                          diagnosis->monitor, curve));
done:
    bnre_task_destroy(task);
    bnre_dataset_close(pairs);
    bnre_estimator_close(est);
    return status;
}

static bnre_status add_advice(const bnre_estimator *est, bnre_dataset *pairs,
                              const bnre_diag *diag,
                              const bnre_theorem *theorem,
                              const bnre_learning_curve *curve,
                              const char *path)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_advice_opts opts = {.estimator = info,
                             .curve = curve->n > 0 ? curve : NULL,
                             .certificate = info->certificate,
                             .outside = NAN};
    bnre_status status = BNRE_OK;
    bnre_advice advice = {0};

    BNRE_TRY(bnre_failures_missing(info, pairs, &opts.missing));
    BNRE_TRY(bnre_advise(diag, &opts, &advice));
    BNRE_TRY(bnre_advice_add_json(path, &advice, info->certificate,
                                  theorem->n > 0 ? theorem : NULL, opts.curve));
done:
    bnre_advice_clear(&advice);
    return status;
}

bnre_status bnre__diagnosis_make(const bnre__diagnosis *diagnosis,
                                 const char *estimator, const char *data,
                                 const char *path)
{
    const bnre__diagnose_fields *fields = diagnosis->fields;
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_dataset *pairs = NULL;
    bnre_diag *diag = NULL;
    bnre_theorem theorem = {0};
    bnre_learning_curve curve = {0};
    bnre_density density;

    BNRE_TRY(read_grid(fields, &opts));
    opts.delta = fields->delta;
    opts.eps = fields->eps;
    opts.each_member = fields->each_member;
    opts.seed = diagnosis->seed;
    opts.pool = diagnosis->pool;
    opts.monitor = diagnosis->monitor;
    BNRE_TRY(bnre_estimator_open(estimator, &est));
    if (fields->temper > 0)
        BNRE_TRY(bnre_estimator_set_temper(est, fields->temper));
    BNRE_TRY(bnre_dataset_open(data, &pairs));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_diagnose_dataset(&density, pairs, fields->observations, &opts,
                                   &diag));
    BNRE_TRY(look_deeper(diagnosis, estimator, data, &theorem, &curve));
    BNRE_TRY(bnre_diag_write_json(diag, NULL, path));
    BNRE_TRY(add_advice(est, pairs, diag, &theorem, &curve, path));
done:
    bnre_diag_destroy(diag);
    bnre_dataset_close(pairs);
    bnre_estimator_close(est);
    return status;
}
