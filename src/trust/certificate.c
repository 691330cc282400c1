/* certificate.c - certificates as YAML and back: nothing else knows the keys.
 */
#include "trust/certificate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "io/h5.h"

/* The key `kind` in files; "": there is none, and other keys tell. */
static const char *const kinds[] = {[BNRE_CERTIFICATE_NONE] = "",
                                    [BNRE_CERTIFICATE_FRESH] = "",
                                    [BNRE_CERTIFICATE_CROSS] = "cross"};
enum { KINDS = sizeof kinds / sizeof *kinds };

bnre_certificate bnre_certificate_none(void)
{
    return (bnre_certificate){.lambda = NAN,
                              .temper = NAN,
                              .widen = 1,
                              .information = {NAN, NAN},
                              .auc = {NAN, NAN},
                              .balance = {NAN, NAN},
                              .ess = NAN,
                              .effort = NAN,
                              .delta = NAN,
                              .eps = NAN};
}

void bnre_certificate_clear(bnre_certificate *certificate)
{
    bnre__free(certificate->words);
    bnre__free(certificate->request);
    bnre__free(certificate->candidate);
    *certificate = bnre_certificate_none();
}

const char *bnre__certificate_word(const bnre_certificate *certificate)
{
    const bnre_certificate *c = certificate;

    if (c->kind == BNRE_CERTIFICATE_NONE || c->words == NULL)
        return "";
    if (c->certified)
        return "CERTIFIED";
    if (c->kind == BNRE_CERTIFICATE_FRESH || c->certify.use > 0)
        return "NOT CERTIFIED";
    if (c->checked)
        return "CROSS-CHECKED";
    return strncmp(c->words, "NOT", 3) == 0 ? "NOT CROSS-CHECKED"
                                            : "INCONCLUSIVE";
}

const char *bnre_certificate_words(const bnre_certificate *certificate)
{
    return certificate->words != NULL
               ? certificate->words
               : "NOT CERTIFIED: nothing was tested, neither out of fold "
                 "(training with `trust: auto`) nor on fresh pairs";
}

/* ---- reading ---- */

static const char *text_of(const bnre_node *map, const char *key)
{
    const bnre_node *node = bnre_node_find(map, key);

    return node != NULL && node->kind == BNRE_NODE_TEXT ? node->text : NULL;
}

static double number_of(const char *text)
{
    double value;

    if (text == NULL ||
        bnre__number_scan(text, text + strlen(text), &value) == NULL)
        return NAN;
    return value;
}

static double real_of(const bnre_node *map, const char *key)
{
    return number_of(text_of(map, key));
}

static size_t size_of(const bnre_node *map, const char *key)
{
    const double value = real_of(map, key);

    return value > 0 && value < 1e15 ? (size_t)value : 0;
}

static int flag_of(const bnre_node *map, const char *key)
{
    const char *text = text_of(map, key);

    return text != NULL && strcmp(text, "yes") == 0;
}

static bnre_status read_text(const bnre_node *map, const char *key, char **out)
{
    const char *text = text_of(map, key);

    return text != NULL ? bnre__strdup(text, out) : BNRE_OK;
}

static bnre_status read_kind(const bnre_node *map, bnre_certificate_kind *out)
{
    const char *name = text_of(map, "kind");

    *out = text_of(map, "certified") != NULL ? BNRE_CERTIFICATE_FRESH
                                             : BNRE_CERTIFICATE_NONE;
    if (name == NULL)
        return BNRE_OK;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i][0] != 0 && strcmp(name, kinds[i]) == 0) {
            *out = (bnre_certificate_kind)i;
            return BNRE_OK;
        }
    return bnre_fail(BNRE_EFORMAT,
                     "the estimator's certificate is of the kind \"%.40s\", "
                     "which this version of bnre does not know",
                     name);
}

static bnre_certificate_pairs read_pairs(const bnre_node *map, const char *key)
{
    const bnre_node *own = bnre_node_find(map, key);
    const char *fingerprint = text_of(own, "fingerprint");
    bnre_certificate_pairs pairs = {.given = own != NULL,
                                    .use = size_of(own, "pairs"),
                                    .rows = size_of(own, "rows"),
                                    .blind = flag_of(own, "blind"),
                                    .missing = real_of(own, "missing")};

    snprintf(pairs.fingerprint, sizeof pairs.fingerprint, "%s",
             fingerprint != NULL ? fingerprint : "");
    if (!(pairs.missing > 0))
        pairs.missing = 0;
    return pairs;
}

static size_t read_list(const bnre_node *map, const char *key,
                        double out[BNRE_DIAG_LEVELS])
{
    const bnre_node *list = bnre_node_find(map, key);
    const size_t n =
        list != NULL && list->kind == BNRE_NODE_LIST ? list->count : 0;

    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        out[i] = i < n ? number_of(list->child[i]->text) : (double)NAN;
    return n < BNRE_DIAG_LEVELS ? n : BNRE_DIAG_LEVELS;
}

static bnre_candidate read_candidate(const bnre_node *item)
{
    const double widen = real_of(item, "widen");

    return (bnre_candidate){.lambda = real_of(item, "lambda"),
                            .temper = real_of(item, "temper"),
                            .widen = isnan(widen) ? 1 : widen,
                            .blind = flag_of(item, "blind"),
                            .margin = real_of(item, "margin"),
                            .information = {real_of(item, "information"), NAN},
                            .fresh = flag_of(item, "fresh"),
                            .frontier = flag_of(item, "frontier"),
                            .test = size_of(item, "test"),
                            .passed = flag_of(item, "passed")};
}

static bnre_status read_candidates(const bnre_node *map, bnre_certificate *out)
{
    const bnre_node *list = bnre_node_find(map, "candidates");
    bnre_status status = BNRE_OK;

    if (list == NULL || list->kind != BNRE_NODE_LIST)
        return BNRE_OK;
    BNRE_NEW(out->candidate, list->count);
    out->n = list->count;
    for (size_t i = 0; i < out->n; i++) {
        const bnre_candidate *c = &out->candidate[i];

        out->candidate[i] = read_candidate(list->child[i]);
        if (c->lambda == out->lambda && c->temper == out->temper &&
            c->widen == out->widen && c->fresh == out->fresh)
            out->chosen = i;
    }
done:
    return status;
}

static bnre_estimate estimate_of(const bnre_node *map, const char *key,
                                 const char *error)
{
    return (bnre_estimate){real_of(map, key), real_of(map, error)};
}

static void read_cross(const bnre_node *map, bnre_certificate *out)
{
    const bnre_node *own = bnre_node_find(map, "out_of_fold");

    out->cross = read_pairs(map, "cross");
    out->checked = flag_of(own, "checked");
    out->folds = size_of(own, "folds");
    out->members = size_of(own, "members");
    out->needed = size_of(own, "needed");
    out->auc = estimate_of(own, "auc", "auc_error");
    out->balance = estimate_of(own, "balance", "balance_error");
}

bnre_status bnre__certificate_read(const char *yaml, bnre_certificate *out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    *out = bnre_certificate_none();
    if (yaml == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(yaml, "certificate", &map));
    out->given = 1;
    BNRE_TRY(read_kind(map, &out->kind));
    out->certified = flag_of(map, "certified");
    out->blind = flag_of(map, "blind");
    BNRE_TRY(read_text(map, "words", &out->words));
    if (text_of(map, "method") != NULL)
        snprintf(out->method, sizeof out->method, "%s", text_of(map, "method"));
    out->lambda = real_of(map, "lambda");
    out->temper = real_of(map, "temper");
    if (text_of(map, "widen") != NULL)
        out->widen = real_of(map, "widen");
    out->fresh = flag_of(map, "fresh");
    out->information = (bnre_estimate){real_of(map, "information"),
                                       real_of(map, "information_error")};
    out->ess = real_of(map, "effective_points");
    out->effort = real_of(map, "effort");
    out->delta = real_of(map, "delta");
    out->eps = real_of(map, "eps");
    BNRE_TRY(read_text(map, "request", &out->request));
    out->select = read_pairs(map, "select");
    out->certify = read_pairs(map, "certify");
    out->calibrate = read_pairs(map, "calibrate");
    read_cross(map, out);
    out->levels = read_list(map, "levels", out->level);
    (void)read_list(map, "coverage", out->coverage);
    (void)read_list(map, "lower_bound", out->lower_bound);
    BNRE_TRY(read_candidates(map, out));
done:
    if (status != BNRE_OK)
        bnre_certificate_clear(out);
    bnre_node_destroy(map);
    return status;
}

bnre_status bnre_certificate_of(const bnre_estimator *estimator,
                                bnre_certificate *out)
{
    return bnre__certificate_read(
        bnre_estimator_describe(estimator)->certificate, out);
}

bnre_status bnre__certificate_of_file(const char *estimator,
                                      bnre_certificate *out)
{
    bnre_status status = BNRE_OK;
    bnre__h5 *h5 = NULL;
    char *text = NULL;

    *out = bnre_certificate_none();
    BNRE_TRY(bnre__h5_open(estimator, &h5));
    BNRE_TRY(bnre__h5_text(h5, "findings", "certificate", &text));
    BNRE_TRY(bnre__certificate_read(text, out));
done:
    bnre__free(text);
    bnre__h5_close(h5);
    return status;
}

/* ---- writing ---- */

/* Six digits are enough for people, and few enough for a file. */
static double rounded(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    return number_of(text);
}

static bnre_status add_real(bnre_node *map, const char *key, double value)
{
    char text[32];

    return bnre_node_set(map, key, bnre__text_real(value, text));
}

static bnre_status add_size(bnre_node *map, const char *key, size_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%zu", value);
    return bnre_node_set(map, key, text);
}

static bnre_status add_flag(bnre_node *map, const char *key, int value)
{
    return value ? bnre_node_set(map, key, "yes") : BNRE_OK;
}

static bnre_status add_pairs(bnre_node *map, const char *key,
                             const bnre_certificate_pairs *pairs)
{
    bnre_node *own;

    if (!pairs->given)
        return BNRE_OK;
    BNRE_DO(bnre_node_branch(map, key, BNRE_NODE_MAP, &own));
    BNRE_DO(add_size(own, "pairs", pairs->use));
    if (pairs->rows > 0)
        BNRE_DO(add_size(own, "rows", pairs->rows));
    BNRE_DO(bnre_node_set(own, "fingerprint", pairs->fingerprint));
    BNRE_DO(add_flag(own, "blind", pairs->blind));
    if (pairs->missing > 0)
        BNRE_DO(add_real(own, "missing", rounded(pairs->missing)));
    return BNRE_OK;
}

static bnre_status add_levels(bnre_node *map, const bnre_certificate *c)
{
    bnre_node *level, *share, *lower;

    if (c->levels == 0)
        return BNRE_OK;
    BNRE_DO(bnre_node_branch(map, "levels", BNRE_NODE_LIST, &level));
    BNRE_DO(bnre_node_branch(map, "coverage", BNRE_NODE_LIST, &share));
    BNRE_DO(bnre_node_branch(map, "lower_bound", BNRE_NODE_LIST, &lower));
    for (size_t i = 0; i < c->levels; i++) {
        BNRE_DO(add_real(level, NULL, c->level[i]));
        BNRE_DO(add_real(share, NULL, rounded(c->coverage[i])));
        BNRE_DO(add_real(lower, NULL, rounded(c->lower_bound[i])));
    }
    return BNRE_OK;
}

static bnre_status add_candidates(bnre_node *map, const bnre_certificate *of)
{
    bnre_node *list, *item;

    BNRE_DO(bnre_node_branch(map, "candidates", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < of->n; i++) {
        const bnre_candidate *c = &of->candidate[i];

        BNRE_DO(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &item));
        BNRE_DO(add_real(item, "lambda", c->lambda));
        BNRE_DO(add_real(item, "temper", c->temper));
        if (c->widen > 1)
            BNRE_DO(add_real(item, "widen", c->widen));
        BNRE_DO(add_flag(item, "blind", c->blind));
        if (!isnan(c->margin))
            BNRE_DO(add_real(item, "margin", rounded(c->margin)));
        if (!isnan(c->information.mean))
            BNRE_DO(
                add_real(item, "information", rounded(c->information.mean)));
        BNRE_DO(add_flag(item, "fresh", c->fresh));
        BNRE_DO(add_flag(item, "frontier", c->frontier));
        if (c->test > 0)
            BNRE_DO(add_size(item, "test", c->test));
        BNRE_DO(add_flag(item, "passed", c->passed));
    }
    return BNRE_OK;
}

static bnre_status add_estimate(bnre_node *map, const char *key,
                                const char *error, bnre_estimate value)
{
    BNRE_DO(add_real(map, key, rounded(value.mean)));
    BNRE_DO(add_real(map, error, rounded(value.error)));
    return BNRE_OK;
}

static bnre_status add_cross(bnre_node *map, const bnre_certificate *c)
{
    bnre_node *own;

    BNRE_DO(add_pairs(map, "cross", &c->cross));
    BNRE_DO(bnre_node_branch(map, "out_of_fold", BNRE_NODE_MAP, &own));
    BNRE_DO(bnre_node_set(own, "checked", c->checked ? "yes" : "no"));
    BNRE_DO(add_size(own, "folds", c->folds));
    BNRE_DO(add_size(own, "members", c->members));
    BNRE_DO(add_estimate(own, "auc", "auc_error", c->auc));
    BNRE_DO(add_estimate(own, "balance", "balance_error", c->balance));
    if (c->needed > 0)
        BNRE_DO(add_size(own, "needed", c->needed));
    return BNRE_OK;
}

/* The outcome of a choice. */
static bnre_status add_choice(bnre_node *map, const bnre_certificate *c)
{
    BNRE_DO(bnre_node_set(map, "certified", c->certified ? "yes" : "no"));
    BNRE_DO(add_flag(map, "blind", c->blind));
    BNRE_DO(bnre_node_set(map, "words", c->words != NULL ? c->words : ""));
    if (c->method[0] != 0)
        BNRE_DO(bnre_node_set(map, "method", c->method));
    BNRE_DO(add_real(map, "lambda", c->lambda));
    BNRE_DO(add_real(map, "temper", c->temper));
    if (c->widen != 1)
        BNRE_DO(add_real(map, "widen", c->widen));
    BNRE_DO(add_flag(map, "fresh", c->fresh));
    BNRE_DO(add_real(map, "information", rounded(c->information.mean)));
    BNRE_DO(add_real(map, "information_error", rounded(c->information.error)));
    if (!isnan(c->ess))
        BNRE_DO(add_real(map, "effective_points", rounded(c->ess)));
    if (!isnan(c->effort))
        BNRE_DO(add_real(map, "effort", rounded(c->effort)));
    BNRE_DO(add_real(map, "delta", c->delta));
    return add_real(map, "eps", c->eps);
}

bnre_status bnre__certificate_node(const bnre_certificate *certificate,
                                   bnre_node **out)
{
    const bnre_certificate *c = certificate;
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    if (kinds[c->kind][0] != 0)
        BNRE_TRY(bnre_node_set(map, "kind", kinds[c->kind]));
    if (c->kind != BNRE_CERTIFICATE_NONE)
        BNRE_TRY(add_choice(map, c));
    if (c->request != NULL)
        BNRE_TRY(bnre_node_set(map, "request", c->request));
    BNRE_TRY(add_pairs(map, "select", &c->select));
    BNRE_TRY(add_pairs(map, "certify", &c->certify));
    BNRE_TRY(add_pairs(map, "calibrate", &c->calibrate));
    if (c->kind == BNRE_CERTIFICATE_CROSS)
        BNRE_TRY(add_cross(map, c));
    if (c->kind != BNRE_CERTIFICATE_NONE) {
        BNRE_TRY(add_levels(map, c));
        BNRE_TRY(add_candidates(map, c));
    }
    *out = map;
    map = NULL;
done:
    bnre_node_destroy(map);
    return status;
}

bnre_status bnre__certificate_write(const bnre_certificate *certificate,
                                    char **yaml)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    *yaml = NULL;
    BNRE_TRY(bnre__certificate_node(certificate, &map));
    BNRE_TRY(bnre_node_write(map, yaml));
done:
    bnre_node_destroy(map);
    return status;
}
