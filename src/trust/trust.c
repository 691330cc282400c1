/* From data to an estimator with a certificate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/certificate.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "infer/train/train.h"
#include "io/file.h"
#include "trust/certificate.h"
#include "trust/conformal.h"
#include "trust/missing.h"
#include "trust/trust.h"

bnre_trust_opts bnre_trust_opts_default(void)
{
    return (bnre_trust_opts){.delta = 0.05, .eps = 0.02, .effort = 2.5};
}

static int chooses_lambda(const bnre_train_opts *train,
                          const bnre_trust_opts *opts)
{
    return opts->trust == BNRE_TRUST_FRESH && isnan(train->lambda) &&
           bnre_method_is_balanced(train->method);
}

static int chooses_temper(const bnre_trust_opts *opts)
{
    return isnan(opts->temper) ||
           (opts->trust == BNRE_TRUST_FRESH && opts->temper == 0);
}

static int is_cross(const bnre_trust_opts *opts)
{
    return opts->trust == BNRE_TRUST_AUTO;
}

void bnre_trust_result_clear(bnre_trust_result *result)
{
    bnre_certificate_clear(&result->certificate);
    *result = (bnre_trust_result){.certificate = bnre_certificate_none()};
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
    return run->opts->trust == BNRE_TRUST_FRESH;
}

/* Pairs that are asked for, and what for. */
struct asked {
    const char *text;
    size_t preset;
    bnre_split split;
    const char *name;
    bnre__trust_pairs *pairs;
};
enum { MOST_ASKED = 3 };

/* Those that have a part in this run; gives their number. */
static size_t list_asked(bnre__trust_run *run, struct asked out[MOST_ASKED])
{
    const bnre_trust_opts *opts = run->opts;
    size_t n = 0;

    if (chooses(run)) {
        out[n++] = (struct asked){opts->select, BNRE_TRUST_SELECT,
                                  BNRE_SPLIT_SELECT, "select", &run->select};
        out[n++] = (struct asked){opts->certify, BNRE_TRUST_CERTIFY,
                                  BNRE_SPLIT_CERTIFY, "certify", &run->certify};
    }
    if (run->cross && opts->certify != NULL)
        out[n++] = (struct asked){opts->certify, 0, BNRE_SPLIT_CERTIFY,
                                  "certify", &run->certify};
    out[n++] =
        (struct asked){opts->calibrate, chooses(run) ? BNRE_TRUST_CALIBRATE : 0,
                       BNRE_SPLIT_CALIBRATE, "calibrate", &run->calibrate};
    return n;
}

/* Files are looked at before anything is simulated. Pairs of an estimator that
   is there already were checked when it was made. */
static bnre_status open_pairs(bnre__trust_run *run, int there)
{
    struct asked asked[MOST_ASKED];
    const size_t n = list_asked(run, asked);

    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__trust_pairs_open(asked[i].text, asked[i].split,
                                       asked[i].pairs));
    if (!there)
        BNRE_DO(bnre__trust_check(run));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__trust_pairs_simulate(run, asked[i].text, asked[i].preset,
                                           asked[i].split, asked[i].pairs));
    for (size_t i = 0; i < n; i++)
        /* Conditional densities know P(result | theta), and thin the pairs. */
        if (asked[i].pairs->data != NULL &&
            !bnre_method_is_conditional(run->train->method))
            BNRE_DO(bnre__missing_share(asked[i].pairs->data,
                                        (bnre_failure_mode)run->train->failure,
                                        &asked[i].pairs->missing));
    if (chooses(run) && run->select.n < BNRE_DIAG_LEAST)
        return bnre_fail(BNRE_EUSAGE,
                         "to choose lambda or temper, %d select pairs are the "
                         "least, and a thousand or more of use; there are %zu",
                         BNRE_DIAG_LEAST, run->select.n);
    return BNRE_OK;
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
        "pairs %s %s %s%s%s%s",
        run->choose_lambda ? "auto" : "given",
        run->choose_temper ? "auto" : bnre__text_real(run->temper[0], temper),
        bnre__text_real(opts->delta, delta), bnre__text_real(opts->eps, eps),
        bnre__text_real(opts->effort, effort), opts->points,
        run->select.n > 0 ? run->select.fingerprint : "-",
        run->certify.n > 0 ? run->certify.fingerprint : "-",
        run->calibrate.n > 0 ? run->calibrate.fingerprint : "-",
        opts->widen > 1 ? ", widen " : "",
        opts->widen > 1 ? bnre__text_real(opts->widen, widen) : "",
        run->cross ? ", out of fold" : "");
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

/* Fill in what the certificate tells, which becomes that of the result. */
static void recall(bnre__trust_run *run, bnre_certificate *there)
{
    bnre_trust_result *result = run->result;

    result->train.found = 1;
    run->select.use = there->select.use;
    run->certify.use = there->certify.use;
    run->calibrate.use = there->calibrate.use;
    count_pairs(run);
    bnre_certificate_clear(&result->certificate);
    result->certificate = *there;
    *there = bnre_certificate_none();
}

static bnre_status fail_other(const bnre__trust_run *run)
{
    return bnre_fail(BNRE_EEXIST,
                     "%s exists and was made in another way: use `force` to "
                     "replace it, or another `output`",
                     run->path);
}

static bnre_status read_certificate(const bnre__trust_run *run,
                                    bnre_certificate *out)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *old = NULL;

    BNRE_TRY(bnre_estimator_open(run->path, &old));
    BNRE_TRY(bnre_certificate_of(old, out));
done:
    bnre_estimator_close(old);
    return status;
}

static const bnre_certificate_pairs *pairs_for(const bnre_certificate *there,
                                               bnre_split split)
{
    return split == BNRE_SPLIT_SELECT    ? &there->select
           : split == BNRE_SPLIT_CERTIFY ? &there->certify
                                         : &there->calibrate;
}

/* Whether the estimator that is there had as many pairs. */
static int has_rows(const bnre_certificate_pairs *there, size_t count)
{
    if (!there->given)
        return count == 0;
    if (there->rows > 0)
        return there->rows == count;
    return there->use <= count; /* older versions do not tell; some may have
                                   failed */
}

/* Other numbers of pairs than those of the estimator that is there are refused
   before they are simulated: its files would be extended, and the call that
   made it would not find them any more. */
static bnre_status compare_numbers(bnre__trust_run *run,
                                   const bnre_certificate *there)
{
    struct asked asked[MOST_ASKED];
    const size_t n = list_asked(run, asked);

    if (there->request == NULL)
        return fail_other(run);
    for (size_t i = 0; i < n; i++) {
        size_t count = asked[i].preset;

        if (asked[i].text != NULL &&
            !bnre__trust_is_count(asked[i].text, &count))
            continue;
        if (!has_rows(pairs_for(there, asked[i].split), count))
            return fail_other(run);
    }
    return BNRE_OK;
}

/* Whether `path` is what was asked for already; it is there. */
static bnre_status examine(bnre__trust_run *run, const char *request,
                           bnre_certificate *there)
{
    if (there->request == NULL || strcmp(there->request, request) != 0)
        return fail_other(run);
    recall(run, there);
    return BNRE_OK;
}

/* ---- the result ---- */

/* A step that goes on from the one before has a short training of its own. To
   make it again (see bnre__learning_curve_make()) takes the settings of the
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

static bnre_certificate_pairs describe_pairs(const bnre__trust_pairs *pairs)
{
    bnre_certificate_pairs out = {.given = pairs->n > 0,
                                  .use = pairs->use,
                                  .rows = pairs->rows,
                                  .blind = pairs->blind,
                                  .missing = pairs->missing};

    memcpy(out.fingerprint, pairs->fingerprint, sizeof out.fingerprint);
    return out;
}

/* What the certificate says besides the outcome of the tests. */
static bnre_status complete(const bnre__trust_run *run, const char *request)
{
    bnre_certificate *c = &run->result->certificate;

    c->given = 1;
    if (!run->cross)
        c->effort = bnre__trust_effort(run);
    if (c->n > 0) {
        const bnre_candidate *chosen = &c->candidate[c->chosen];

        c->kind = run->cross ? BNRE_CERTIFICATE_CROSS : BNRE_CERTIFICATE_FRESH;
        snprintf(c->method, sizeof c->method, "%s",
                 bnre_method_name(run->trained[0].method));
        c->lambda = chosen->lambda;
        c->temper = chosen->temper;
        c->fresh = chosen->fresh;
        c->delta = run->opts->delta;
        c->eps = run->opts->eps;
    }
    c->select = describe_pairs(&run->select);
    c->certify = describe_pairs(&run->certify);
    c->calibrate = describe_pairs(&run->calibrate);
    return bnre__strdup(request, &c->request);
}

/* The estimator of the chosen step as it will be: tempered and calibrated. */
static bnre_status prepare(bnre__trust_run *run, size_t step,
                           bnre_estimator *est)
{
    const bnre_certificate *c = &run->result->certificate;

    BNRE_DO(keep_plain(run, step, est));
    BNRE_DO(bnre_estimator_set_temper(
        est, c->n > 0 ? c->candidate[c->chosen].temper : run->temper[0]));
    if (c->widen > 1 || run->opts->widen > 1)
        BNRE_DO(bnre_estimator_set_widen(est, c->widen > 1 ? c->widen
                                                           : run->opts->widen));
    if (run->cross)
        BNRE_DO(bnre__trust_cross_scores(run, est));
    if (run->calibrate.n > 0)
        BNRE_DO(bnre__conformal_calibrate(
            est, run->calibrate.data, run->calibrate.use, run->train->pool));
    if (run->calibrate.use > 0 && bnre_estimator_describe(est)->scores == 0) {
        run->calibrate.blind = 1;
        run->result->calibrating = 0;
        bnre__trust_note(run,
                         "warning: there will be no conformal regions: these "
                         "posteriors are too narrow for the points by which "
                         "they are found (blind)");
    }
    return BNRE_OK;
}

static bnre_status finish(bnre__trust_run *run, const char *request)
{
    bnre_trust_result *result = run->result;
    const bnre_certificate *c = &result->certificate;
    const size_t step = c->n > 0 ? bnre__trust_step_of(run, c->chosen) : 0;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    char *certificate = NULL;

    count_pairs(run);
    result->train = run->trained[step];
    result->train.found = 0; /* its step may have been, but not all */
    if (c->n > 0) {
        result->train.information = c->information.mean;
        result->train.information_error = c->information.error;
    }
    BNRE_TRY(bnre_estimator_open(run->step[step], &est));
    BNRE_TRY(prepare(run, step, est));
    BNRE_TRY(complete(run, request));
    BNRE_TRY(bnre__certificate_write(c, &certificate));
    BNRE_TRY(bnre__estimator_set_certificate(est, certificate));
    BNRE_TRY(bnre__trust_copy_history(run, run->step[step]));
    BNRE_TRY(bnre_estimator_save(est, run->path, 1));
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
    if (is_cross(opts) && train->folds < 2)
        return bnre_fail(BNRE_EUSAGE,
                         "`trust: auto` needs networks that have not seen a "
                         "simulation, and %zu cannot be laid in folds: give "
                         "`members: 10`, or `trust: no`",
                         train->members);
    if (isnan(opts->temper) && opts->trust == BNRE_TRUST_NO)
        return bnre_fail(BNRE_EUSAGE, "`temper: auto` needs `trust: auto` or "
                                      "`trust: fresh`");
    if (is_cross(opts) && opts->temper > 0)
        return bnre_fail(BNRE_EUSAGE,
                         "`trust: auto` chooses how cautious to be: leave "
                         "`temper` out, or use `trust: no`");
    if (opts->widen > 1 &&
        !bnre_method_is_conditional(bnre__train_method(train)))
        return bnre_fail(BNRE_EUSAGE,
                         "widen is for the methods npe and bnpe: use temper");
    if (opts->widen > 1 && bnre__trust_chooses(train, opts))
        return bnre_fail(BNRE_EUSAGE, "widen is given by hand or something is "
                                      "chosen, not both");
    if (!(opts->delta > 0 && opts->delta < 1) ||
        !(opts->eps >= 0 && opts->eps < 1))
        return bnre_fail(BNRE_EUSAGE, "delta must be within (0, 1), and eps "
                                      "within [0, 1)");
    if (!(opts->effort >= 1))
        return bnre_fail(BNRE_EUSAGE, "effort is 1, for the first training, or "
                                      "more");
    return BNRE_OK;
}

bnre_status bnre_trust_train(const bnre_train_opts *given,
                             const bnre_trust_opts *wanted, const char *path,
                             bnre_trust_result *result)
{
    bnre_train_opts train = *given;
    bnre_trust_opts opts = *wanted;
    bnre__trust_run run = {
        .train = &train, .opts = &opts, .path = path, .result = result};
    bnre_status status = BNRE_OK;
    const int there = !given->force && bnre__file_exists(path);
    bnre__writer_lock *lock = NULL;
    bnre_certificate old = bnre_certificate_none();
    char *request = NULL, *stem = NULL;

    *result = (bnre_trust_result){.certificate = bnre_certificate_none()};
    bnre__trust_settle(&train, &opts);
    run.cross = is_cross(&opts);
    run.choose_lambda = chooses_lambda(&train, &opts);
    run.choose_temper = chooses_temper(&opts);
    BNRE_TRY(check(&train, &opts));
    BNRE_TRY(bnre__trust_stem(path, &stem)); /* a wrong name is told at once */
    BNRE_TRY(bnre__trust_claim(&run, there, &lock));
    list_tempers(&run);
    BNRE_NEW(result->certificate.candidate,
             (size_t)BNRE__STEPS * BNRE__TEMPERS);
    if (there) {
        if (run.cross) /* compares the settings, and tells which differ */
            BNRE_TRY(bnre_train(&train, path, &result->train));
        BNRE_TRY(read_certificate(&run, &old));
        BNRE_TRY(compare_numbers(&run, &old));
    }
    BNRE_TRY(open_pairs(&run, there));
    BNRE_TRY(describe_request(&run, &request));
    if (there) {
        BNRE_TRY(examine(&run, request, &old));
        BNRE_TRY(bnre__trust_forget_earlier(&run));
        goto done;
    }
    BNRE_TRY(bnre__trust_check(&run));
    BNRE_TRY(bnre__trust_walk(&run));
    if (run.cross)
        BNRE_TRY(bnre__trust_cross(&run));
    else if (chooses(&run))
        BNRE_TRY(bnre__trust_certify(&run));
    BNRE_TRY(finish(&run, request));
done:
    if (status != BNRE_OK && lock != NULL)
        bnre__trust_leave(&run);
    bnre__free(stem);
    bnre__free(request);
    bnre_certificate_clear(&old);
    clear(&run);
    bnre__writer_lock_release(lock);
    return status;
}

static bnre_status add_asked(bnre__text *text, const char *what,
                             const char *asked, size_t preset)
{
    size_t count = preset;

    if (asked != NULL && !bnre__trust_is_count(asked, &count))
        return bnre__text_add(text, "  %-13s pairs of %s\n", what, asked);
    if (count == 0)
        return bnre__text_add(text, "  %-13s none\n", what);
    return bnre__text_add(text, "  %-13s %zu fresh pairs, simulated\n", what,
                          count);
}

bnre_status bnre__trust_plan(const bnre_train_opts *train,
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
        BNRE_TRY(add_asked(&text, "select", opts->select, BNRE_TRUST_SELECT));
        BNRE_TRY(
            add_asked(&text, "certify", opts->certify, BNRE_TRUST_CERTIFY));
    }
    BNRE_TRY(add_asked(&text, "calibrate", opts->calibrate,
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
