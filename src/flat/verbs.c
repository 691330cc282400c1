/* verbs.c - every command with its result as JSON. */
#include "flat/verbs.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/plugin.h"
#include "flat/describe.h"
#include "io/file.h"
#include "output/diagnosis_record.h"
#include "output/fields.h"

/* What all requests have, of a verb's args, pool and monitor. */
#define REQUEST(of)                                                            \
    .settings = &args->of, .seed = args->seed, .force = args->force,           \
    .dry_run = args->dry_run, .pool = pool, .monitor = monitor

/* Put what is in a JSON file of results into an object. */
static bnre_status add_file(bnre__json *root, const char *key, const char *path)
{
    bnre_status status = BNRE_OK;
    bnre__json *file = NULL;

    BNRE_TRY(bnre__json_read(path, &file));
    status = bnre__json_adopt(root, key, file);
done:
    return status;
}

/* ---- simulate ---- */

static bnre_status simulate(const bnre__verb_args *args, bnre_pool *pool,
                            const bnre_monitor *monitor, bnre__json *root)
{
    const bnre_simulate_request request = {REQUEST(simulate)};
    bnre_simulate_outcome outcome = {0};
    const bnre_simulate_result *result = &outcome.result;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_simulate_make(&request, &outcome));
    BNRE_TRY(bnre__json_text(root, "output", outcome.path));
    BNRE_TRY(bnre__json_text(root, "task", bnre_task_name(outcome.task)));
    BNRE_TRY(bnre__json_size(root, "count", outcome.count));
    BNRE_TRY(bnre__json_size(root, "rows", result->rows));
    BNRE_TRY(bnre__json_size(root, "found", result->found));
    BNRE_TRY(bnre__json_size(root, "failed", result->failed));
    BNRE_TRY(bnre__json_size(root, "bytes", result->bytes));
    BNRE_TRY(bnre__json_text(root, "fingerprint", result->fingerprint));
done:
    bnre_simulate_outcome_clear(&outcome);
    return status;
}

/* ---- train ---- */

static bnre_status add_training(const bnre_train_result *result,
                                bnre__json *root)
{
    const bnre_estimate information = {result->information,
                                       result->information_error};
    bnre__json *list;

    BNRE_DO(bnre__json_flag(root, "found", result->found));
    BNRE_DO(bnre__json_text(root, "method", bnre_method_name(result->method)));
    BNRE_DO(bnre__json_real(root, "lambda", result->lambda));
    BNRE_DO(bnre__json_size(root, "members", result->members));
    BNRE_DO(bnre__json_size(root, "simulations", result->simulations));
    BNRE_DO(bnre__json_size(root, "validation", result->validation));
    BNRE_DO(bnre__json_size(root, "failed", result->failed));
    BNRE_DO(bnre__json_size(root, "epochs", result->epochs));
    BNRE_DO(bnre__json_size(root, "best_epoch", result->best_epoch));
    BNRE_DO(bnre__json_real(root, "loss", result->loss));
    BNRE_DO(bnre__json_real(root, "train_loss", result->train_loss));
    BNRE_DO(bnre__json_real(root, "chance", result->chance));
    BNRE_DO(bnre__json_real(root, "balance", result->balance));
    BNRE_DO(bnre__field_put(root, "information", BNRE__ESTIMATE, &information));
    BNRE_DO(bnre__json_list(root, "warnings", &list));
    for (unsigned bit = 1; bit <= result->warnings; bit <<= 1)
        if (result->warnings & bit && bnre_train_warning(bit) != NULL)
            BNRE_DO(bnre__json_text(list, NULL, bnre_train_warning(bit)));
    return BNRE_OK;
}

static bnre_status add_certificate(const char *path, bnre__json *root)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;

    BNRE_TRY(bnre_estimator_open(path, &est));
    BNRE_TRY(bnre__describe_yaml(root, "certificate",
                                 bnre_estimator_describe(est)->certificate));
done:
    bnre_estimator_close(est);
    return status;
}

static bnre_status train(const bnre__verb_args *args, bnre_pool *pool,
                         const bnre_monitor *monitor, bnre__json *root)
{
    const char *path =
        args->train.output != NULL ? args->train.output : "estimator.h5";
    const bnre_train_request request = {REQUEST(train)};
    bnre_status status = BNRE_OK, made;
    bnre_train_outcome outcome = {0};
    char *why = NULL;

    made = bnre_train_make(&request, path, &outcome);
    if (made != BNRE_OK && made != BNRE_EDOUBT)
        BNRE_TRY(made);
    BNRE_TRY(bnre__strdup(bnre_error_message(), &why));
    BNRE_TRY(bnre__json_text(root, "output", path));
    BNRE_TRY(add_training(&outcome.result.train, root));
    if (args->dry_run)
        BNRE_TRY(bnre__json_text(root, "plan", outcome.plan));
    else
        BNRE_TRY(add_certificate(path, root));
    if (made != BNRE_OK)
        BNRE_THROW(made, "%s", why);
done:
    bnre__free(why);
    bnre_train_outcome_clear(&outcome);
    return status;
}

/* ---- posterior ---- */

static bnre_status posterior(const bnre__verb_args *args, bnre_pool *pool,
                             const bnre_monitor *monitor, bnre__json *root)
{
    const char *path = args->output != NULL ? args->output : "posterior";
    const bnre_posterior_request request = {.estimator = args->estimator,
                                            REQUEST(posterior)};
    bnre_posterior_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char *file = NULL;
    int classes;

    BNRE_TRY(bnre__verb_classify(args, pool, root, &classes));
    if (classes)
        goto done;
    made = bnre_posterior_make(&request, path, &outcome);
    if (made != BNRE_OK && outcome.doubt[0] == 0)
        BNRE_TRY(made);
    BNRE_TRY(bnre__json_text(root, "output", path));
    BNRE_TRY(bnre__json_flag(root, "found", outcome.found));
    BNRE_TRY(bnre__json_text(root, "doubt", outcome.doubt));
    BNRE_TRY(
        bnre__text_format(&file, "%s/%s.json", path,
                          args->posterior.each != NULL ? "each" : "posterior"));
    if (!args->dry_run)
        BNRE_TRY(add_file(root, "posterior", file));
    if (made != BNRE_OK)
        BNRE_THROW(made, "%s", outcome.doubt);
done:
    bnre__free(file);
    bnre_posterior_outcome_clear(&outcome);
    return status;
}

/* ---- diagnose ---- */

static bnre_status add_diagnosis(const bnre__verb_args *args,
                                 const bnre_diagnose_outcome *outcome,
                                 bnre__json *root)
{
    bnre_status status = BNRE_OK;
    bnre__json *item;

    BNRE_TRY(bnre__json_text(root, "output", args->output));
    BNRE_TRY(bnre__json_flag(root, "found", outcome->found));
    BNRE_TRY(bnre__json_text(
        root, "verdict", outcome->verdict[0] != 0 ? outcome->verdict : NULL));
    if (args->dry_run)
        goto done;
    if (args->output != NULL)
        return add_file(root, "diagnosis", args->output);
    BNRE_TRY(bnre__json_object(root, "diagnosis", &item));
    BNRE_TRY(bnre__diagnosis_put(
        &(bnre__diagnosis_record){.diag = outcome->diag,
                                  .models = outcome->models},
        item));
done:
    return status;
}

static bnre_status diagnose(const bnre__verb_args *args, bnre_pool *pool,
                            const bnre_monitor *monitor, bnre__json *root)
{
    const bnre_diagnose_request request = {
        .estimator = args->estimator, REQUEST(diagnose), .advising = monitor};
    bnre_diagnose_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char *why = NULL;

    made = bnre_diagnose_make(&request, args->output, &outcome);
    if (made != BNRE_OK && outcome.check != BNRE_EDOUBT)
        BNRE_TRY(made);
    BNRE_TRY(bnre__strdup(bnre_error_message(), &why));
    BNRE_TRY(add_diagnosis(args, &outcome, root));
    if (made != BNRE_OK)
        BNRE_THROW(made, "%s", why);
done:
    bnre__free(why);
    bnre_diagnose_outcome_clear(&outcome);
    return status;
}

/* ---- check ---- */

static bnre_status check(const bnre__verb_args *args, bnre_pool *pool,
                         const bnre_monitor *monitor, bnre__json *root)
{
    const char *path = args->output != NULL ? args->output : "check";
    const bnre_check_request request = {.estimator = args->estimator,
                                        REQUEST(check)};
    bnre_check_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char *file = NULL;

    made = bnre_check_make(&request, path, &outcome);
    if (made != BNRE_OK && outcome.doubt[0] == 0)
        BNRE_TRY(made);
    BNRE_TRY(bnre__json_text(root, "output", path));
    BNRE_TRY(bnre__json_flag(root, "found", outcome.found));
    BNRE_TRY(bnre__json_text(root, "verdict",
                             outcome.verdict[0] != 0 ? outcome.verdict : NULL));
    BNRE_TRY(bnre__json_text(root, "doubt", outcome.doubt));
    BNRE_TRY(bnre__text_format(&file, "%s/check.json", path));
    if (!args->dry_run)
        BNRE_TRY(add_file(root, "check", file));
    if (made != BNRE_OK)
        BNRE_THROW(made, "%s", outcome.doubt);
done:
    bnre__free(file);
    bnre_check_outcome_clear(&outcome);
    return status;
}

/* ---- convert, info, tasks ---- */

static bnre_status convert(const bnre__verb_args *args, bnre_pool *pool,
                           const bnre_monitor *monitor, bnre__json *root)
{
    bnre_convert_outcome outcome;
    bnre_status status = BNRE_OK;

    (void)pool;
    BNRE_TRY(bnre__json_text(root, "output", args->output));
    if (args->dry_run)
        goto done;
    BNRE_TRY(bnre_convert_make(args->input, args->output, args->force, monitor,
                               &outcome));
    BNRE_TRY(bnre__json_text(root, "format", outcome.format));
    BNRE_TRY(bnre__json_size(root, "rows", outcome.rows));
    BNRE_TRY(bnre__json_text(root, "fingerprint", outcome.fingerprint));
done:
    return status;
}

static bnre_status add_columns(const bnre_info_outcome *outcome,
                               bnre__json *root)
{
    const bnre_dataset_info *info = bnre_dataset_describe(outcome->data);
    bnre__json *list, *item;

    BNRE_DO(bnre__json_flag(root, "unfinished", outcome->unfinished));
    BNRE_DO(bnre__json_list(root, "columns", &list));
    for (size_t k = 0; outcome->column != NULL && k <= info->dim_theta; k++) {
        const bnre_info_column *c = &outcome->column[k];

        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(bnre__json_text(
            item, "name", k < info->dim_theta ? info->theta_name[k] : "x"));
        BNRE_DO(bnre__json_real(item, "low", c->n > 0 ? c->low : NAN));
        BNRE_DO(bnre__json_real(item, "mean", c->sum / (double)c->n));
        BNRE_DO(bnre__json_real(item, "high", c->n > 0 ? c->high : NAN));
    }
    return BNRE_OK;
}

static bnre_status info(const bnre__verb_args *args, bnre_pool *pool,
                        const bnre_monitor *monitor, bnre__json *root)
{
    static const char *const kind[] = {[BNRE_INFO_DATASET] = "dataset",
                                       [BNRE_INFO_ESTIMATOR] = "estimator",
                                       [BNRE_INFO_POSTERIOR] = "posterior",
                                       [BNRE_INFO_TASK] = "task",
                                       [BNRE_INFO_STUDY] = "study",
                                       [BNRE_INFO_OUTLINE] = "outline"};
    bnre_info_outcome outcome = {0};
    bnre_status status = BNRE_OK;
    bnre__json *item;

    (void)pool;
    (void)monitor;
    BNRE_TRY(bnre_info_make(args->file, &outcome));
    BNRE_TRY(bnre__json_text(root, "kind", kind[outcome.kind]));
    if (outcome.fingerprint[0] != 0)
        BNRE_TRY(bnre__json_text(root, "fingerprint", outcome.fingerprint));
    if (outcome.posterior != NULL) {
        BNRE_TRY(bnre__json_settings(root, "posterior", outcome.posterior));
        goto done;
    }
    if (outcome.outline != NULL)
        BNRE_TRY(bnre__json_text(root, "outline", outcome.outline));
    BNRE_TRY(bnre__json_object(root, kind[outcome.kind], &item));
    if (outcome.estimator != NULL)
        BNRE_TRY(bnre__describe_estimator(outcome.estimator, item));
    if (outcome.task != NULL)
        BNRE_TRY(bnre__describe_task(outcome.task, item));
    if (outcome.data != NULL) {
        BNRE_TRY(bnre__describe_dataset(outcome.data, item));
        BNRE_TRY(add_columns(&outcome, item));
    }
done:
    bnre_info_outcome_clear(&outcome);
    return status;
}

static bnre_status tasks(const bnre__verb_args *args, bnre_pool *pool,
                         const bnre_monitor *monitor, bnre__json *root)
{
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL;
    bnre__json *list;
    const char *name;

    (void)pool;
    (void)monitor;
    if (args->task != NULL) {
        BNRE_TRY(bnre_task_look(args->task, 0, NULL, &task));
        BNRE_TRY(bnre__describe_task(task, root));
        goto done;
    }
    BNRE_TRY(bnre__json_list(root, "tasks", &list));
    for (size_t i = 0; (name = bnre_task_builtin_name(i)) != NULL; i++)
        BNRE_TRY(bnre__json_text(list, NULL, name));
done:
    bnre_task_destroy(task);
    return status;
}

/* ---- infer ---- */

static bnre_status infer(const bnre__verb_args *args, bnre_pool *pool,
                         const bnre_monitor *monitor, bnre__json *root)
{
    const bnre_infer_request request = {REQUEST(infer)};
    bnre_infer_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char *file = NULL;

    made = bnre_infer(&request, &outcome);
    if (made != BNRE_OK && outcome.doubt[0] == 0)
        BNRE_TRY(made);
    BNRE_TRY(bnre__json_text(root, "output", args->infer.output));
    BNRE_TRY(bnre__json_flag(root, "found", outcome.found));
    BNRE_TRY(bnre__json_text(root, "page", outcome.page));
    BNRE_TRY(bnre__json_text(root, "summary", outcome.summary));
    BNRE_TRY(bnre__json_text(root, "doubt", outcome.doubt));
    BNRE_TRY(bnre__text_format(&file, "%s/infer.json", args->infer.output));
    if (!args->dry_run && bnre__file_exists(file))
        BNRE_TRY(add_file(root, "infer", file));
    if (made != BNRE_OK)
        BNRE_THROW(made, "%s", outcome.doubt);
done:
    bnre__free(file);
    bnre_infer_outcome_clear(&outcome);
    return status;
}

/* ---- run, report ---- */

static bnre_status add_report(const bnre_report_result *result,
                              bnre__json *root)
{
    BNRE_DO(bnre__json_size(root, "runs", result->runs));
    BNRE_DO(bnre__json_size(root, "done", result->done));
    BNRE_DO(bnre__json_size(root, "failed", result->failed));
    BNRE_DO(bnre__json_size(root, "damaged", result->damaged));
    BNRE_DO(bnre__json_size(root, "figures", result->figures));
    BNRE_DO(bnre__json_flag(root, "drawn", result->drawn));
    return BNRE_OK;
}

static bnre_status add_runs(const bnre_run_outcome *outcome, bnre__json *root)
{
    const bnre_study_result *result = &outcome->result;
    bnre__json *list, *item;

    BNRE_DO(bnre__json_size(root, "runs", result->runs));
    BNRE_DO(bnre__json_size(root, "found", result->found));
    BNRE_DO(bnre__json_size(root, "failed", result->failed));
    BNRE_DO(bnre__json_size(root, "simulations", result->simulations));
    BNRE_DO(bnre__json_list(root, "outcomes", &list));
    for (size_t i = 0; result->outcome != NULL && i < result->runs; i++) {
        const bnre_study_outcome *one = &result->outcome[i];

        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(bnre__json_text(
            item, "cell", bnre_study_cell_at(outcome->study, one->cell).name));
        BNRE_DO(bnre__json_size(item, "repeat", one->repeat));
        BNRE_DO(bnre__json_flag(item, "done", one->done));
        BNRE_DO(bnre__json_text(item, "verdict", one->verdict));
        BNRE_DO(bnre__json_real(item, "auc", one->auc));
        BNRE_DO(bnre__json_real(item, "information", one->information));
    }
    if (outcome->reported) {
        BNRE_DO(bnre__json_object(root, "report", &item));
        BNRE_DO(add_report(&outcome->report, item));
    }
    return BNRE_OK;
}

static bnre_status run(const bnre__verb_args *args, bnre_pool *pool,
                       const bnre_monitor *monitor, bnre__json *root)
{
    const bnre_executor executor = bnre_executor_threads(pool);
    const bnre_run_request request = {.study = args->study,
                                      .settings = &args->run,
                                      .force = args->force,
                                      .dry_run = args->dry_run,
                                      .executor = &executor,
                                      .monitor = monitor};
    bnre_run_outcome outcome = {0};
    bnre_status status = BNRE_OK, made;
    char *why = NULL;

    made = bnre_run_make(&request, &outcome);
    if (made != BNRE_OK && made != BNRE_EDOUBT)
        BNRE_TRY(made);
    BNRE_TRY(bnre__strdup(bnre_error_message(), &why));
    BNRE_TRY(bnre__json_text(root, "output", outcome.path));
    BNRE_TRY(add_runs(&outcome, root));
    if (made != BNRE_OK)
        BNRE_THROW(made, "%s", why);
done:
    bnre__free(why);
    bnre_run_outcome_clear(&outcome);
    return status;
}

static bnre_status report(const bnre__verb_args *args, bnre_pool *pool,
                          const bnre_monitor *monitor, bnre__json *root)
{
    bnre_report_result result;
    bnre_status status = BNRE_OK;

    (void)pool;
    (void)monitor;
    BNRE_TRY(bnre__json_text(root, "output", args->directory));
    if (args->dry_run)
        goto done;
    BNRE_TRY(bnre_report_write(args->directory, args->report.format, &result));
    BNRE_TRY(add_report(&result, root));
done:
    return status;
}

/* ---- export ---- */

static bnre_status export(const bnre__verb_args *args, bnre_pool *pool,
                          const bnre_monitor *monitor, bnre__json *root)
{
    const bnre_export_request request = {.estimator = args->estimator,
                                         .settings = &args->export,
                                         .force = args->force,
                                         .dry_run = args->dry_run};
    bnre_export_outcome outcome = {0};
    bnre_status status = BNRE_OK;

    (void)pool;
    (void)monitor;
    BNRE_TRY(bnre_export_make(&request, args->output, &outcome));
    BNRE_TRY(bnre__json_text(root, "output", args->output));
done:
    bnre_export_outcome_clear(&outcome);
    return status;
}

/* ---- doctor ---- */

/* Paths are bytes, JSON is UTF-8: a byte that is none becomes the letter of its
   number. */
static bnre_status add_text(bnre__json *root, const char *key, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    bnre_status status = BNRE_OK;
    bnre__text letters = {0};
    char *all = NULL;

    while (*at != 0) {
        const unsigned char *next = at;

        if (bnre__text_code(&next) < 0) {
            bnre__text_put(&letters, "%c%c", 0xc0 | *at >> 6,
                           0x80 | (*at & 63));
            at++;
        } else {
            bnre__text_put(&letters, "%.*s", (int)(next - at),
                           (const char *)at);
            at = next;
        }
    }
    BNRE_TRY(bnre__text_take(&letters, &all));
    BNRE_TRY(bnre__json_text(root, key, all));
done:
    bnre__free(all);
    return status;
}

static bnre_status doctor(const bnre__verb_args *args, bnre_pool *pool,
                          const bnre_monitor *monitor, bnre__json *root)
{
    bnre_doctor_outcome outcome;
    bnre_status status = BNRE_OK;
    bnre__json *found, *missing;

    (void)args;
    (void)pool;
    (void)monitor;
    BNRE_TRY(bnre_doctor_make(&outcome));
    BNRE_TRY(bnre__json_text(root, "version", BNRE_VERSION));
    BNRE_TRY(bnre__json_size(root, "plugin_abi", BNRE_PLUGIN_ABI));
    BNRE_TRY(bnre__json_object(root, "found", &found));
    BNRE_TRY(bnre__json_object(root, "missing", &missing));
    for (size_t i = 0; i < outcome.n; i++) {
        const bnre_doctor_item *item = &outcome.item[i];

        BNRE_TRY(add_text(item->found != NULL ? found : missing, item->what,
                          item->found != NULL ? item->found : item->missing));
    }
    BNRE_TRY(bnre__json_flag(root, "complete", outcome.complete));
done:
    bnre_doctor_outcome_clear(&outcome);
    return status;
}

/* ---- all ---- */

#define AT(field) offsetof(bnre__verb_args, field)
static const bnre__verb verbs[] = {
    {"simulate", {bnre_simulate_options}, AT(simulate), {NULL}, simulate},
    {"train", {bnre_train_options, bnre_train_more}, AT(train), {NULL}, train},
    {"posterior",
     {bnre_posterior_options},
     AT(posterior),
     {"estimator!", "output"},
     posterior},
    {"diagnose",
     {bnre_diagnose_options},
     AT(diagnose),
     {"estimator", "output"},
     diagnose},
    {"check", {bnre_check_options}, AT(check), {"estimator!", "output"}, check},
    {"convert", {NULL}, 0, {"input!", "output!"}, convert},
    {"export",
     {bnre_export_options},
     AT(export),
     {"estimator!", "output!"},
     export},
    {"info", {NULL}, 0, {"file!"}, info},
    {"tasks", {NULL}, 0, {"task"}, tasks},
    {"doctor", {NULL}, 0, {NULL}, doctor},
    {"infer", {bnre_infer_options}, AT(infer), {NULL}, infer},
    {"run", {bnre_run_options}, AT(run), {"study!"}, run},
    {"report", {bnre_report_options}, AT(report), {"directory!"}, report},
};

const bnre__verb *bnre__verb_at(size_t i)
{
    return i < sizeof verbs / sizeof *verbs ? &verbs[i] : NULL;
}
