/* train.c - the command `train`: from data to an estimator, plainly or with
   what is chosen, certified and calibrated. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "command/models.h"
#include "infer/train/train.h"
#include "io/file.h"
#include "output/output.h"
#include "output/trust_files.h"
#include "trust/certificate.h"
#include "trust/trust.h"

#define AT(field) offsetof(bnre_train_settings, field)
static const bnre_opt rows[] = {
    {"trust", BNRE_OPT_CHOICE, AT(trust.trust), "default",
     "default|auto|fresh|no", "WORD", BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "how cautious to be. auto: as the simulations themselves tell, each seen "
     "by networks that did not learn from it (CROSS-CHECKED); fresh: as "
     "certified on further simulations (CERTIFIED); no: as lambda, temper and "
     "widen say; default: auto for npe and bnpe, unless one of these is given "
     "as a number"},
    {"temper", BNRE_OPT_REAL, AT(trust.temper), NULL, "(0, 1]|auto", "T|auto",
     BNRE_OPT_RESULT,
     "widen posteriors towards the prior: p(theta) exp(T log r); auto: as far "
     "as certification needs (default 1)"},
    {"widen", BNRE_OPT_REAL, AT(trust.widen), NULL, "[1, 100]", "C",
     BNRE_OPT_RESULT,
     "multiply the widths of the densities by C, for npe and bnpe (default "
     "1)"},
    {"select", BNRE_OPT_TEXT, AT(select), NULL, NULL, "N|FILE", BNRE_OPT_RESULT,
     "pairs for choosing: a number of pairs, which are simulated beside the "
     "output, or a dataset (default 2000)"},
    {"certify", BNRE_OPT_TEXT, AT(certify), NULL, NULL, "N|FILE",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "fresh pairs for certifying the choice: a number or a dataset (default: "
     "10000 with `trust: fresh`, else none)"},
    {"effort", BNRE_OPT_REAL, AT(trust.effort), "2.5", "[1, inf)", "X",
     BNRE_OPT_RESULT,
     "budget of the automatic choice, in units of one plain training; pairs "
     "and lambdas beyond it are skipped"},
    {"calibrate", BNRE_OPT_TEXT, AT(calibrate), NULL, NULL, "N|FILE",
     BNRE_OPT_RESULT,
     "pairs for calibrating conformal regions: a number or a dataset (default: "
     "1000 if something is chosen, else 0)"},
    {"delta", BNRE_OPT_REAL, AT(trust.delta), "0.05", "(0, 1)", "X",
     BNRE_OPT_RESULT, "the certificate has confidence 1 - X"},
    {"eps", BNRE_OPT_REAL, AT(trust.eps), "0.02", "[0, 1)", "X",
     BNRE_OPT_RESULT,
     "tolerance of the certificate: coverage may be below its level by this "
     "much"},
    {"points", BNRE_OPT_SIZE, AT(trust.points), "0", "[0, 1e6]", "N",
     BNRE_OPT_RESULT,
     "largest number of evaluation points for the posterior of each pair "
     "(default: about 13, 26, 64 or 512 for 1, 2, 3 or more parameters)"},
    {"check", BNRE_OPT_FLAG, AT(check), NULL, NULL, NULL, 0,
     "exit with status 3 unless the result is CROSS-CHECKED or CERTIFIED"},
    {"keep", BNRE_OPT_FLAG, AT(trust.keep), NULL, NULL, NULL, 0,
     "keep the estimators that were not chosen, as OUTPUT.lambda-L.h5"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png", 0,
     "file formats of the figure that compares the candidates"},
    {"history", BNRE_OPT_TEXT, AT(history), NULL, NULL, "FILE.csv", 0,
     "CSV file for the losses and learning rates of all epochs (default: "
     "beside the output)"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE.h5", BNRE_OPT_USUAL,
     "file for the estimator (default estimator.h5)"},
};

const bnre_opt *bnre_train_more(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

void bnre_train_outcome_clear(bnre_train_outcome *outcome)
{
    bnre_trust_result_clear(&outcome->result);
    bnre_models_report_clear(&outcome->models);
    bnre_free(outcome->plan);
    bnre_free(outcome->choice);
    *outcome = (bnre_train_outcome){0};
}

/* Seconds of work that a crash may cost. */
static const double SAVE_EVERY = 30;

/* Settings that would be ignored: they are for a choice, and nothing is to be
   chosen. */
static bnre_status refuse_idle(const bnre_trust_opts *trust, int check)
{
    const bnre_trust_opts usual = bnre_trust_opts_default();
    const char *key = trust->select != NULL           ? "select"
                      : trust->certify != NULL        ? "certify"
                      : trust->delta != usual.delta   ? "delta"
                      : trust->eps != usual.eps       ? "eps"
                      : trust->points > 0             ? "points"
                      : trust->effort != usual.effort ? "effort"
                      : check                         ? "check"
                                                      : NULL;

    const int fresh = key != NULL && (strcmp(key, "select") == 0 ||
                                      strcmp(key, "effort") == 0);

    if (key == NULL || trust->trust == BNRE_TRUST_FRESH ||
        (!fresh && trust->trust == BNRE_TRUST_AUTO))
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE, "`%s` has an effect only with %s", key,
                     fresh ? "`trust: fresh`"
                           : "`trust: auto` or `trust: fresh`");
}

/* What a dry run tells. */
static bnre_status plan(const bnre_train_opts *train,
                        const bnre_trust_opts *trust,
                        bnre_train_outcome *outcome)
{
    bnre_train_opts plain = *train;

    if (isnan(plain.lambda))
        plain.lambda = 0; /* the first that is tried */
    BNRE_DO(bnre__train_plan(&plain, &outcome->result.train, &outcome->plan));
    if (outcome->chosen)
        BNRE_DO(bnre__trust_plan(train, trust, &outcome->choice));
    return BNRE_OK;
}

/* The figure beside the estimator; of one that was there already too, since the
   run that made it may have been killed before it drew. */
static bnre_status draw(const bnre_train_settings *settings, const char *path,
                        bnre_train_outcome *outcome)
{
    const bnre_certificate *certificate = &outcome->result.certificate;
    bnre_status status = BNRE_OK;
    char *stem = NULL;

    if (settings->format == NULL || certificate->n < 2 ||
        certificate->kind != BNRE_CERTIFICATE_FRESH)
        return BNRE_OK;
    BNRE_TRY(
        bnre__text_format(&stem, "%.*s-trust", (int)(strlen(path) - 3), path));
    BNRE_TRY(
        bnre__trust_draw(certificate, stem, settings->format, &outcome->drawn));
done:
    bnre__free(stem);
    return status;
}

static bnre_status make(const bnre_train_settings *settings,
                        const bnre_train_opts *train,
                        const bnre_trust_opts *trust, const char *path,
                        bnre_train_outcome *outcome)
{
    bnre_trust_result *result = &outcome->result;
    bnre_status status = BNRE_OK;

    if (!outcome->chosen)
        return bnre_train(train, path, &result->train);
    BNRE_TRY(bnre_trust_train(train, trust, path, result));
    BNRE_TRY(draw(settings, path, outcome));
    if (settings->check && !bnre_certificate_passed(&result->certificate))
        BNRE_THROW(BNRE_EDOUBT, "the check failed: %s%s",
                   bnre__certificate_word(&result->certificate),
                   result->certificate.blind ? " (blind)" : "");
done:
    return status;
}

/* What training reads it protects by itself; these it does not know. */
static bnre_status refuse_inputs(const bnre_train_request *request,
                                 const char *path)
{
    const char *const input[] = {request->settings->train.task, request->input};
    const char *history = request->settings->history;

    BNRE_DO(bnre__output_refuse_inputs(path, 2, input));
    return history != NULL ? bnre__output_refuse_inputs(history, 2, input)
                           : BNRE_OK;
}

/* More than two classes are the values of a parameter: a dataset of them, and
   what else a training on it needs to know. */
static bnre_status take_classes(const bnre_train_request *request,
                                const char *path, bnre__models *models,
                                bnre_train_opts *train)
{
    BNRE_DO(bnre__models_open(models, train, path));
    for (size_t c = 0; c < train->classes.count; c++) {
        const char *const input[] = {train->classes.text[c]};

        BNRE_DO(bnre__output_refuse_inputs(models->path, 1, input));
        BNRE_DO(bnre__output_refuse_inputs(path, 1, input));
        if (train->history != NULL)
            BNRE_DO(bnre__output_refuse_inputs(train->history, 1, input));
    }
    if (!request->dry_run)
        BNRE_DO(bnre__models_write(models, request->force));
    train->classes = (bnre_opt_list){0};
    train->test_rows = 0;
    train->data = models->path;
    train->models = 1;
    return BNRE_OK;
}

/* What a dry run tells of classes. */
static bnre_status plan_classes(const bnre__models *models, char **out)
{
    bnre__text text = {0};

    for (size_t c = 0; c < models->n; c++)
        bnre__text_put(&text,
                       "# %s: %zu rows to learn from, %zu for the report\n",
                       models->name[c], models->use[c], models->test[c]);
    return bnre__text_take(&text, out);
}

bnre_status bnre_train_make(const bnre_train_request *request, const char *path,
                            bnre_train_outcome *outcome)
{
    const bnre_train_settings *settings = request->settings;
    bnre_train_opts train = settings->train;
    bnre_trust_opts trust = settings->trust;
    bnre__models models = {0};
    bnre_status status = BNRE_OK;

    *outcome = (bnre_train_outcome){.drawn = 1};
    train.seed = request->seed;
    train.force = request->force;
    train.history = settings->history;
    train.save_every =
        request->save_every > 0 ? request->save_every : SAVE_EVERY;
    train.pool = request->pool;
    train.monitor = request->monitor;
    trust.select = settings->select;
    trust.certify = settings->certify;
    trust.calibrate = settings->calibrate;
    if (train.classes.count > 2) {
        BNRE_TRY(take_classes(request, path, &models, &train));
        if (request->dry_run) {
            BNRE_TRY(plan_classes(&models, &outcome->plan));
            goto done;
        }
    }
    if (train.data != NULL && !train.models)
        BNRE_TRY(bnre__models_are_in(train.data, &train.models));
    bnre__trust_settle(&train, &trust);
    if (!request->shared)
        BNRE_TRY(refuse_idle(&trust, settings->check));
    outcome->chosen = bnre__trust_wanted(&train, &trust);
    if (request->dry_run)
        return plan(&train, &trust, outcome);
    BNRE_TRY(refuse_inputs(request, path));
    BNRE_TRY(bnre__make_parents(path));
    BNRE_TRY(make(settings, &train, &trust, path, outcome));
    if (models.n > 0)
        BNRE_TRY(bnre__models_assess(&models, path, request->pool,
                                     &outcome->models));
done:
    bnre__models_clear(&models);
    return status;
}
