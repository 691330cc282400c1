#include "study/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

/* The posteriors that are diagnosed: how far they are widened, and the
   certificate if it is about them. */
struct subject {
    char print[33]; /* of the estimator as it is in the file */
    double temper;
    char *certificate; /* or NULL */
};

/* The estimator is left to give log ratios as they are, to be tempered by the
   diagnosis. */
static bnre_status find_subject(const bnre__diagnose_fields *fields,
                                bnre_estimator *est, struct subject *out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_status status = BNRE_OK;

    out->temper = fields->temper > 0 ? fields->temper : info->temper;
    BNRE_TRY(bnre_estimator_fingerprint(est, out->print));
    if (info->certificate != NULL && out->temper == info->temper &&
        fields->observations <= 1)
        BNRE_TRY(bnre__strdup(info->certificate, &out->certificate));
    BNRE_TRY(bnre_estimator_set_temper(est, 1));
done:
    return status;
}

/* How the result comes about; the caller destroys *out. */
static bnre_status record(const bnre__diagnosis *diagnosis,
                          const struct subject *subject, bnre_dataset *pairs,
                          bnre_node **out)
{
    const bnre__diagnose_fields *fields = diagnosis->fields;
    bnre_status status = BNRE_OK;
    bnre_dataset *learned = NULL;
    bnre_node *settings = NULL;
    char text[33];

    BNRE_TRY(bnre__diagnose_record(fields, &settings));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    BNRE_TRY(bnre_node_set(*out, "estimator", subject->print));
    BNRE_TRY(bnre_dataset_fingerprint(pairs, text));
    BNRE_TRY(bnre_node_set(*out, "data", text));
    snprintf(text, sizeof text, "%" PRIu64, diagnosis->seed);
    BNRE_TRY(bnre_node_set(*out, "seed", text));
    if (fields->learning_curve) {
        BNRE_TRY(bnre_dataset_open(diagnosis->learned, &learned));
        BNRE_TRY(bnre_dataset_fingerprint(learned, text));
        BNRE_TRY(bnre_node_set(*out, "learning_curve", text));
    }
    if (fields->theorems > 0) {
        snprintf(text, sizeof text, "%zu", fields->theorems);
        BNRE_TRY(bnre_node_set(*out, "theorems", text));
    }
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_dataset_close(learned);
    bnre_node_destroy(settings);
    return status;
}

static bnre_status add_advice(const bnre_estimator *est,
                              const struct subject *subject,
                              bnre_dataset *pairs, const bnre_diag *diag,
                              const bnre_theorem *theorem,
                              const bnre_learning_curve *curve,
                              const char *path)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre_advice_opts opts = {.estimator = info,
                             .curve = curve->n > 0 ? curve : NULL,
                             .certificate = subject->certificate,
                             .outside = NAN};
    bnre_status status = BNRE_OK;
    bnre_advice advice = {0};

    BNRE_TRY(bnre_failures_missing(info, pairs, &opts.missing));
    BNRE_TRY(bnre_advise(diag, &opts, &advice));
    BNRE_TRY(bnre_advice_add_json(path, &advice, subject->certificate,
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
    bnre_node *made = NULL;
    struct subject subject = {0};
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
    BNRE_TRY(find_subject(fields, est, &subject));
    opts.temper = &subject.temper;
    opts.n_temper = 1;
    BNRE_TRY(bnre_dataset_open(data, &pairs));
    BNRE_TRY(record(diagnosis, &subject, pairs, &made));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_diagnose_dataset(&density, pairs, fields->observations, &opts,
                                   &diag));
    BNRE_TRY(look_deeper(diagnosis, estimator, data, &theorem, &curve));
    BNRE_TRY(bnre_diag_write_json(diag, made, path));
    BNRE_TRY(add_advice(est, &subject, pairs, diag, &theorem, &curve, path));
done:
    bnre_node_destroy(made);
    bnre__free(subject.certificate);
    bnre_diag_destroy(diag);
    bnre_dataset_close(pairs);
    bnre_estimator_close(est);
    return status;
}
