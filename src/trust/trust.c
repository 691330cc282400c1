/* From data to an estimator with a certificate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/conformal.h"
#include "bnre/opt.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "io/file.h"
#include "trust/missing.h"
#include "trust/trust.h"

bnre_trust_opts bnre_trust_opts_default(void)
{
    return (bnre_trust_opts){.delta = 0.05, .eps = 0.02, .effort = 2.5};
}

static int chooses_lambda(const bnre_train_opts *train,
                          const bnre_trust_opts *opts)
{
    return opts->trust ||
           (isnan(train->lambda) && bnre_method_is_balanced(train->method));
}

static int chooses_temper(const bnre_trust_opts *opts)
{
    return opts->trust || isnan(opts->temper);
}

static int calibrates(const bnre_trust_opts *opts)
{
    return opts->calibrate != NULL && strcmp(opts->calibrate, "0") != 0;
}

int bnre_trust_chooses(const bnre_train_opts *train,
                       const bnre_trust_opts *opts)
{
    return chooses_lambda(train, opts) || chooses_temper(opts);
}

int bnre_trust_wanted(const bnre_train_opts *train, const bnre_trust_opts *opts)
{
    return bnre_trust_chooses(train, opts) || calibrates(opts) ||
           (opts->temper > 0 && opts->temper < 1) || opts->widen > 1;
}

void bnre_trust_result_clear(bnre_trust_result *result)
{
    bnre__free(result->candidate);
    bnre__free(result->words);
    *result = (bnre_trust_result){0};
}

static void clear(bnre__trust_run *run)
{
    for (size_t i = 0; i < BNRE__STEPS; i++)
        bnre__free(run->step[i]);
    bnre__trust_pairs_close(&run->select);
    bnre__trust_pairs_close(&run->certify);
    bnre__trust_pairs_close(&run->calibrate);
    bnre_task_destroy(run->task);
}

/* ---- what is asked for ---- */

static int chooses(const bnre__trust_run *run)
{
    return run->choose_lambda || run->choose_temper;
}

/* A wish for pairs, and what it is about. */
struct wish {
    const char *text;
    size_t preset;
    bnre_split split;
    const char *name;
    bnre__trust_pairs *pairs;
};
enum { WISHES = 3 };

/* Those that have a part in this run; gives their number. */
static size_t list_wishes(bnre__trust_run *run, struct wish out[WISHES])
{
    const bnre_trust_opts *opts = run->opts;
    size_t n = 0;

    if (chooses(run)) {
        out[n++] = (struct wish){opts->select, BNRE_TRUST_SELECT,
                                 BNRE_SPLIT_SELECT, "select", &run->select};
        out[n++] = (struct wish){opts->certify, BNRE_TRUST_CERTIFY,
                                 BNRE_SPLIT_CERTIFY, "certify", &run->certify};
    }
    out[n++] =
        (struct wish){opts->calibrate, chooses(run) ? BNRE_TRUST_CALIBRATE : 0,
                      BNRE_SPLIT_CALIBRATE, "calibrate", &run->calibrate};
    return n;
}

/* Files are looked at before anything is simulated. Pairs of an estimator that
   is there already were checked when it was made. */
static bnre_status open_pairs(bnre__trust_run *run, int there)
{
    struct wish wish[WISHES];
    const size_t n = list_wishes(run, wish);
    bnre_status status = BNRE_OK;

    for (size_t i = 0; i < n; i++)
        BNRE_TRY(
            bnre__trust_pairs_open(wish[i].text, wish[i].split, wish[i].pairs));
    if (!there)
        BNRE_TRY(bnre__trust_check(run));
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre__trust_pairs_simulate(run, wish[i].text, wish[i].preset,
                                            wish[i].split, wish[i].pairs));
    for (size_t i = 0; i < n; i++)
        if (wish[i].pairs->data != NULL)
            BNRE_TRY(bnre__missing_share(wish[i].pairs->data,
                                         (bnre_failure_mode)run->train->failure,
                                         &wish[i].pairs->missing));
    if (chooses(run) && run->select.n < BNRE_DIAG_LEAST)
        BNRE_THROW(BNRE_EUSAGE,
                   "to choose lambda or temper, %d select pairs are the "
                   "least, and a thousand or more of use; there are %zu",
                   BNRE_DIAG_LEAST, run->select.n);
done:
    return status;
}

static void list_tempers(bnre__trust_run *run)
{
    run->tempers = run->choose_temper ? BNRE__TEMPERS : 1;
    for (size_t i = 0; i < run->tempers; i++)
        run->temper[i] = bnre__trust_temper(i);
    if (!run->choose_temper && run->opts->temper > 0)
        run->temper[0] = run->opts->temper;
}

/* What was asked for, as far as the estimator's own settings do not tell. */
static bnre_status describe_request(const bnre__trust_run *run, char **out)
{
    const bnre_trust_opts *opts = run->opts;
    char delta[32], eps[32], temper[32], effort[32], widen[32];

    return bnre__text_format(
        out,
        "lambda %s, temper %s, delta %s, eps %s, effort %s, points %zu, "
        "pairs %s %s %s%s%s",
        run->choose_lambda ? "auto" : "given",
        run->choose_temper ? "auto" : bnre__text_real(run->temper[0], temper),
        bnre__text_real(opts->delta, delta), bnre__text_real(opts->eps, eps),
        bnre__text_real(opts->effort, effort), opts->points,
        run->select.n > 0 ? run->select.fingerprint : "-",
        run->certify.n > 0 ? run->certify.fingerprint : "-",
        run->calibrate.n > 0 ? run->calibrate.fingerprint : "-",
        opts->widen > 1 ? ", widen " : "",
        opts->widen > 1 ? bnre__text_real(opts->widen, widen) : "");
}

static size_t count_left_out(const bnre__trust_pairs *pairs)
{
    /* Where none was looked at it was for want of pairs, not of effort. */
    return pairs->use > 0 ? pairs->n - pairs->use : 0;
}

static void count_pairs(const bnre__trust_run *run)
{
    run->result->selecting = run->select.use;
    run->result->certifying = run->certify.use;
    run->result->calibrating = run->calibrate.use;
    run->result->left_out = count_left_out(&run->select) +
                            count_left_out(&run->certify) +
                            count_left_out(&run->calibrate);
}

/* ---- what is there already ---- */

static double real_of(const bnre_node *map, const char *key)
{
    const bnre_node *node = bnre_node_find(map, key);
    double value;

    if (node == NULL || node->kind != BNRE_NODE_TEXT ||
        bnre_read_real(node->text, NULL, key, &value) != BNRE_OK)
        return NAN;
    return value;
}

static void recall_candidate(const bnre_node *item, bnre_candidate *out)
{
    *out =
        (bnre_candidate){.lambda = real_of(item, "lambda"),
                         .temper = real_of(item, "temper"),
                         .margin = real_of(item, "margin"),
                         .information = {real_of(item, "information"), NAN},
                         .fresh = bnre_node_find(item, "fresh") != NULL,
                         .frontier = bnre_node_find(item, "frontier") != NULL,
                         .passed = bnre_node_find(item, "passed") != NULL,
                         .blind = bnre_node_find(item, "blind") != NULL};
    if (bnre_node_find(item, "test") != NULL)
        out->test = (size_t)real_of(item, "test");
}

/* Pairs that were looked at, of those there are. */
static size_t recall_pairs(const bnre_node *map, const char *name)
{
    const double use = real_of(bnre_node_find(map, name), "pairs");

    return use > 0 ? (size_t)use : 0;
}

/* Fill in what the certificate tells. */
static bnre_status recall(bnre__trust_run *run, const bnre_node *map)
{
    bnre_trust_result *result = run->result;
    const bnre_node *list = bnre_node_find(map, "candidates");
    const bnre_node *certified = bnre_node_find(map, "certified");
    const bnre_node *words = bnre_node_find(map, "words");
    bnre_status status = BNRE_OK;

    result->train.found = 1;
    result->certified =
        certified != NULL && strcmp(certified->text, "yes") == 0;
    result->blind = bnre_node_find(map, "blind") != NULL;
    if (words != NULL)
        BNRE_TRY(bnre__strdup(words->text, &result->words));
    result->information = (bnre_estimate){real_of(map, "information"),
                                          real_of(map, "information_error")};
    result->ess = real_of(map, "effective_points");
    result->effort = real_of(map, "effort");
    run->select.use = recall_pairs(map, "select");
    run->certify.use = recall_pairs(map, "certify");
    run->calibrate.use = recall_pairs(map, "calibrate");
    count_pairs(run);
    for (size_t i = 0; list != NULL && i < list->count &&
                       i < (size_t)BNRE__STEPS * BNRE__TEMPERS;
         i++) {
        bnre_candidate *c = &result->candidate[result->n++];

        recall_candidate(list->child[i], c);
        if (c->lambda == real_of(map, "lambda") &&
            c->temper == real_of(map, "temper") &&
            c->fresh == (bnre_node_find(map, "fresh") != NULL))
            result->chosen = i;
    }
done:
    return status;
}

static bnre_status fail_other(const bnre__trust_run *run)
{
    return bnre_fail(BNRE_EEXIST,
                     "%s exists and was made in another way: use --force to "
                     "replace it, or another -o",
                     run->path);
}

/* The certificate of the estimator that is there; NULL if it has none. */
static bnre_status read_certificate(const bnre__trust_run *run, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *old = NULL;
    const char *text;

    BNRE_TRY(bnre_estimator_open(run->path, &old));
    text = bnre_estimator_describe(old)->certificate;
    if (text != NULL)
        BNRE_TRY(bnre_yaml_parse(text, run->path, out));
done:
    bnre_estimator_close(old);
    return status;
}

/* Other numbers of pairs than those of the estimator that is there are refused
   before they are simulated: its files would be extended, and the call that
   made it would not find them any more. */
static bnre_status compare_numbers(bnre__trust_run *run)
{
    struct wish wish[WISHES];
    const size_t n = list_wishes(run, wish);
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    BNRE_TRY(read_certificate(run, &map));
    if (map == NULL)
        BNRE_TRY(fail_other(run));
    for (size_t i = 0; i < n; i++) {
        const bnre_node *own = bnre_node_find(map, wish[i].name);
        double rows = real_of(own, "rows");
        size_t count = wish[i].preset;

        if (wish[i].text != NULL && !bnre__trust_is_count(wish[i].text, &count))
            continue;
        if (isnan(rows)) /* as older versions tell it; some may have failed */
            rows = own == NULL ? 0 : fmax(real_of(own, "pairs"), (double)count);
        if (rows != (double)count)
            BNRE_TRY(fail_other(run));
    }
done:
    bnre_node_destroy(map);
    return status;
}

/* Whether `path` is what was asked for already; it is there. */
static bnre_status examine(bnre__trust_run *run, const char *request)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    const bnre_node *asked;

    BNRE_TRY(read_certificate(run, &map));
    asked = bnre_node_find(map, "request");
    if (asked == NULL || asked->kind != BNRE_NODE_TEXT ||
        strcmp(asked->text, request) != 0)
        BNRE_TRY(fail_other(run));
    BNRE_TRY(recall(run, map));
done:
    bnre_node_destroy(map);
    return status;
}

/* ---- the result ---- */

/* A step that goes on from the one before has a short training of its own. To
   make it again (see bnre_learning_curve_make()) takes the settings of the
   first as well: kept under `plain`. */
static bnre_status keep_plain(const bnre__trust_run *run, size_t step,
                              bnre_estimator *est)
{
    static const char *const keys[] = {"epochs", "learning_rate", "patience"};
    bnre_status status = BNRE_OK;
    bnre_estimator *first = NULL;
    bnre_node *theirs = NULL, *map = NULL, *plain;
    char *text = NULL;

    if (step == 0 || run->fresh[step])
        return BNRE_OK;
    BNRE_TRY(bnre_estimator_open(run->step[0], &first));
    BNRE_TRY(bnre_yaml_parse(bnre_estimator_describe(first)->settings,
                             run->step[0], &theirs));
    BNRE_TRY(bnre_yaml_parse(bnre_estimator_describe(est)->settings,
                             run->step[step], &map));
    BNRE_TRY(bnre_node_branch(map, "plain", BNRE_NODE_MAP, &plain));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const bnre_node *node = bnre_node_find(theirs, keys[i]);

        if (node != NULL && node->kind == BNRE_NODE_TEXT)
            BNRE_TRY(bnre_node_set(plain, keys[i], node->text));
    }
    BNRE_TRY(bnre_node_write(map, &text));
    BNRE_TRY(bnre__estimator_set_settings(est, text));
done:
    bnre_free(text);
    bnre_node_destroy(map);
    bnre_node_destroy(theirs);
    bnre_estimator_close(first);
    return status;
}

static bnre_status finish(bnre__trust_run *run, const char *request)
{
    const size_t step =
        run->result->n > 0 ? bnre__trust_step_of(run, run->result->chosen) : 0;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    char *certificate = NULL;

    count_pairs(run);
    run->result->effort = bnre__trust_effort(run);
    run->result->train = run->trained[step];
    run->result->train.found = 0; /* its step may have been, but not all */
    if (run->result->n > 0) {
        run->result->train.information = run->result->information.mean;
        run->result->train.information_error = run->result->information.error;
    }
    BNRE_TRY(bnre_estimator_open(run->step[step], &est));
    BNRE_TRY(keep_plain(run, step, est));
    BNRE_TRY(bnre_estimator_set_temper(
        est, run->result->n > 0
                 ? run->result->candidate[run->result->chosen].temper
                 : run->temper[0]));
    if (run->opts->widen > 1)
        BNRE_TRY(bnre_estimator_set_widen(est, run->opts->widen));
    if (run->calibrate.n > 0)
        BNRE_TRY(bnre_conformal_calibrate(
            est, run->calibrate.data, run->calibrate.use, run->train->pool));
    if (run->calibrate.use > 0 && bnre_estimator_describe(est)->scores == 0) {
        run->calibrate.blind = 1;
        run->result->calibrating = 0;
        bnre__trust_note(run,
                         "warning: there will be no conformal regions: these "
                         "posteriors are too narrow for the points by which "
                         "they are found (blind)");
    }
    BNRE_TRY(bnre__trust_certificate(run, request, &certificate));
    BNRE_TRY(bnre_estimator_set_certificate(est, certificate));
    BNRE_TRY(bnre__trust_copy_history(run, run->step[step]));
    BNRE_TRY(bnre_estimator_save(est, run->path, 1));
    if (!run->opts->keep)
        BNRE_TRY(bnre__trust_forget(run));
done:
    bnre_free(certificate);
    bnre_estimator_close(est);
    return status;
}

/* Wishes that contradict each other. */
static bnre_status check(const bnre_train_opts *train,
                         const bnre_trust_opts *opts)
{
    if (train->classes.count > 0)
        return bnre_fail(BNRE_EUSAGE, "a classifier of two classes has no "
                                      "posterior: trust, temper and calibrate "
                                      "have no part in it");
    if (opts->trust && !(opts->temper == 0 || isnan(opts->temper)))
        return bnre_fail(BNRE_EUSAGE,
                         "trust: auto chooses temper itself: leave "
                         "temper out, or use lambda: auto");
    if (opts->trust && !isnan(train->lambda) &&
        train->lambda != bnre_train_opts_default().lambda)
        return bnre_fail(BNRE_EUSAGE,
                         "trust: auto chooses lambda itself: leave lambda "
                         "out, or use temper: auto");
    if (opts->widen > 1 && !bnre_method_is_conditional(train->method))
        return bnre_fail(BNRE_EUSAGE,
                         "widen is for the methods npe and bnpe: use temper");
    if (opts->widen > 1 && bnre_trust_chooses(train, opts))
        return bnre_fail(BNRE_EUSAGE, "widen is given by hand or something is "
                                      "chosen, not both");
    if (chooses_lambda(train, opts) && !bnre_method_is_balanced(train->method))
        return bnre_fail(BNRE_EUSAGE,
                         "trust: auto chooses lambda, which the method %s does "
                         "not have: take b%s, or use temper: auto",
                         bnre_method_name(train->method),
                         bnre_method_name(train->method));
    if (!(opts->delta > 0 && opts->delta < 1) ||
        !(opts->eps >= 0 && opts->eps < 1))
        return bnre_fail(BNRE_EUSAGE, "delta must be within (0, 1), and eps "
                                      "within [0, 1)");
    if (!(opts->effort >= 1))
        return bnre_fail(BNRE_EUSAGE, "effort is 1, for the first training, or "
                                      "more");
    return BNRE_OK;
}

bnre_status bnre_trust_train(const bnre_train_opts *train,
                             const bnre_trust_opts *opts, const char *path,
                             bnre_trust_result *result)
{
    bnre__trust_run run = {.train = train,
                           .opts = opts,
                           .path = path,
                           .choose_lambda = chooses_lambda(train, opts),
                           .choose_temper = chooses_temper(opts),
                           .result = result};
    bnre_status status = BNRE_OK;
    const int there = !train->force && bnre__file_exists(path);
    bnre__writer_lock *lock = NULL;
    char *request = NULL, *stem = NULL;

    *result = (bnre_trust_result){.ess = NAN};
    BNRE_TRY(check(train, opts));
    BNRE_TRY(bnre__trust_stem(path, &stem)); /* a wrong name is told at once */
    BNRE_TRY(bnre__trust_claim(&run, there, &lock));
    list_tempers(&run);
    BNRE_NEW(result->candidate, (size_t)BNRE__STEPS * BNRE__TEMPERS);
    if (there)
        BNRE_TRY(compare_numbers(&run));
    BNRE_TRY(open_pairs(&run, there));
    BNRE_TRY(describe_request(&run, &request));
    if (there) {
        BNRE_TRY(examine(&run, request));
        goto done;
    }
    BNRE_TRY(bnre__trust_check(&run));
    BNRE_TRY(bnre__trust_walk(&run));
    if (chooses(&run))
        BNRE_TRY(bnre__trust_certify(&run));
    BNRE_TRY(finish(&run, request));
done:
    bnre__free(stem);
    bnre__free(request);
    clear(&run);
    bnre__writer_lock_release(lock);
    return status;
}

static bnre_status add_wish(bnre__text *text, const char *what,
                            const char *wish, size_t preset)
{
    size_t count = preset;

    if (wish != NULL && !bnre__trust_is_count(wish, &count))
        return bnre__text_add(text, "  %-13s pairs of %s\n", what, wish);
    if (count == 0)
        return bnre__text_add(text, "  %-13s none\n", what);
    return bnre__text_add(text, "  %-13s %zu fresh pairs, simulated\n", what,
                          count);
}

bnre_status bnre_trust_plan(const bnre_train_opts *train,
                            const bnre_trust_opts *opts, char **out)
{
    const int lambda = chooses_lambda(train, opts);
    const int temper = chooses_temper(opts);
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    *out = NULL;
    BNRE_TRY(check(train, opts));
    BNRE_TRY(bnre__text_add(
        &text, "  chosen        %s\n",
        lambda && temper ? "lambda (0, 1, 3, ..., 1000) and temper (1 ... 0.3)"
        : lambda         ? "lambda (0, 1, 3, ..., 1000)"
        : temper         ? "temper (1, 0.95, ..., 0.3)"
                         : "nothing"));
    if (lambda || temper) {
        BNRE_TRY(add_wish(&text, "select", opts->select, BNRE_TRUST_SELECT));
        BNRE_TRY(add_wish(&text, "certify", opts->certify, BNRE_TRUST_CERTIFY));
    }
    BNRE_TRY(add_wish(&text, "calibrate", opts->calibrate,
                      lambda || temper ? BNRE_TRUST_CALIBRATE : 0));
    if (lambda || temper)
        BNRE_TRY(bnre__text_add(&text,
                                "  effort        as much as %g plain "
                                "trainings: pairs beyond that are left out\n",
                                opts->effort));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}
