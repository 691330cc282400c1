/* diagnosis_record.c - a diagnosis as diagnose.json holds it. Numbers stand in
   tables that are both the writer and the reader. */
#include "output/diagnosis_record.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/diag.h"
#include "output/fields.h"
#include "trust/advice.h"
#include "trust/certificate.h"

/* ---- numbers under their keys ---- */

static const bnre__field of_diag[] = {
    {"pairs", BNRE__SIZE, offsetof(bnre_diag, n)},
    {"asked", BNRE__SIZE, offsetof(bnre_diag, asked)},
    {"observations", BNRE__SIZE, offsetof(bnre_diag, observations)},
};

static const bnre__field of_points[] = {
    {"points", BNRE__SIZE, offsetof(bnre_diag, points)},
    {"evaluations", BNRE__SIZE, offsetof(bnre_diag, evaluations)},
    {"seed", BNRE__SIZE, offsetof(bnre_diag, seed)},
};

static const bnre__field of_densities[] = {
    {"doubling", BNRE__ESTIMATE, offsetof(bnre_diag, doubling)},
    {"log_posterior", BNRE__ESTIMATE, offsetof(bnre_diag, log_posterior)},
    {"log_posterior_median", BNRE__REAL,
     offsetof(bnre_diag, log_posterior_median)},
    {"raw_log_posterior", BNRE__ESTIMATE,
     offsetof(bnre_diag, raw_log_posterior)},
    {"balance", BNRE__ESTIMATE, offsetof(bnre_diag, balance)},
    {"normalised_balance", BNRE__ESTIMATE,
     offsetof(bnre_diag, normalised_balance)},
    {"volume", BNRE__LEVELS, offsetof(bnre_diag, volume)},
};

static const bnre__field of_judgement[] = {
    {"delta", BNRE__REAL, offsetof(bnre_judgement, delta)},
    {"eps", BNRE__REAL, offsetof(bnre_judgement, eps)},
    {"least_gain", BNRE__REAL, offsetof(bnre_judgement, least_gain)},
};

#define OF_COVERAGE(field) offsetof(bnre_diag_curve, coverage.field)
static const bnre__field of_curve[] = {
    {"coverage", BNRE__LEVELS, OF_COVERAGE(share)},
    {"coverage_low", BNRE__LEVELS, OF_COVERAGE(low)},
    {"coverage_high", BNRE__LEVELS, OF_COVERAGE(high)},
    {"coverage_band", BNRE__REAL, OF_COVERAGE(band)},
    {"auc", BNRE__ESTIMATE, OF_COVERAGE(auc)},
    {"mean_auc", BNRE__ESTIMATE, OF_COVERAGE(mean_auc)},
    {"information", BNRE__ESTIMATE, offsetof(bnre_diag_curve, information)},
    {"ess_median", BNRE__REAL, offsetof(bnre_diag_curve, ess_median)},
    {"ess_low", BNRE__REAL, offsetof(bnre_diag_curve, ess_low)},
};

static const bnre__field of_parameter[] = {
    {"scale", BNRE__REAL, offsetof(bnre_diag_parameter, scale)},
    {"bias", BNRE__ESTIMATE, offsetof(bnre_diag_parameter, bias)},
    {"variance", BNRE__ESTIMATE, offsetof(bnre_diag_parameter, variance)},
};

static const bnre__field of_uniformity[] = {
    {"ks", BNRE__REAL, offsetof(bnre_uniformity, ks)},
    {"ks_p", BNRE__REAL, offsetof(bnre_uniformity, ks_p)},
    {"chi_square", BNRE__REAL, offsetof(bnre_uniformity, chi_square)},
    {"chi_square_p", BNRE__REAL, offsetof(bnre_uniformity, chi_square_p)},
};

static const bnre__field of_tarp[] = {
    {"coverage", BNRE__LEVELS, offsetof(bnre_coverage, share)},
    {"auc", BNRE__ESTIMATE, offsetof(bnre_coverage, auc)},
};

static const bnre__field of_theorem[] = {
    {"holds", BNRE__FLAG, offsetof(bnre_theorem, holds)},
    {"pairs", BNRE__SIZE, offsetof(bnre_theorem, n)},
    {"left_out", BNRE__SIZE, offsetof(bnre_theorem, left_out)},
    {"balance", BNRE__ESTIMATE, offsetof(bnre_theorem, balance)},
    {"exact_balance", BNRE__ESTIMATE, offsetof(bnre_theorem, exact_balance)},
    {"joint", BNRE__ESTIMATE, offsetof(bnre_theorem, joint)},
    {"joint_gap", BNRE__ESTIMATE, offsetof(bnre_theorem, joint_gap)},
    {"marginal", BNRE__ESTIMATE, offsetof(bnre_theorem, marginal)},
    {"marginal_gap", BNRE__ESTIMATE, offsetof(bnre_theorem, marginal_gap)},
};

static const bnre__field of_learning[] = {
    {"doubling", BNRE__REAL, offsetof(bnre_learning_curve, gain)},
    {"doubling_low", BNRE__REAL, offsetof(bnre_learning_curve, gain_low)},
    {"doubling_high", BNRE__REAL, offsetof(bnre_learning_curve, gain_high)},
    {"doubling_volume", BNRE__REAL, offsetof(bnre_learning_curve, shrink)},
    {"doubling_volume_low", BNRE__REAL,
     offsetof(bnre_learning_curve, shrink_low)},
    {"doubling_volume_high", BNRE__REAL,
     offsetof(bnre_learning_curve, shrink_high)},
};

/* Of its first budget; arrays have the others. */
static const struct {
    const char *key;
    bnre__field_kind kind;
    size_t at, step;
} of_budget[] = {
    {"simulations", BNRE__SIZE, offsetof(bnre_learning_curve, simulations),
     sizeof(size_t)},
    {"information", BNRE__ESTIMATE, offsetof(bnre_learning_curve, information),
     sizeof(bnre_estimate)},
    {"volume", BNRE__REAL, offsetof(bnre_learning_curve, volume),
     sizeof(double)},
    {"volume_error", BNRE__REAL, offsetof(bnre_learning_curve, volume_error),
     sizeof(double)},
};

#define OF_PRIOR(field) offsetof(bnre__diagnosis_record, field)
static const bnre__field of_prior[] = {
    {"outside", BNRE__REAL, OF_PRIOR(change.outside)},
    {"exact", BNRE__FLAG, OF_PRIOR(change.exact)},
    {"own_pairs", BNRE__FLAG, OF_PRIOR(own_pairs)},
    {"rows", BNRE__SIZE, OF_PRIOR(rows)},
};

static const bnre__field of_foreign_pairs[] = {
    {"most", BNRE__REAL, OF_PRIOR(change.most)},
    {"lost", BNRE__REAL, OF_PRIOR(change.lost)},
};

/* ---- how points were laid ---- */

static const char *const grids[] = {
    [BNRE_DIAG_AUTO] = "auto",     [BNRE_DIAG_CELLS] = "cells",
    [BNRE_DIAG_FITTED] = "fitted", [BNRE_DIAG_BANK] = "bank",
    [BNRE_DIAG_PAPER] = "paper",   [BNRE_DIAG_DRAWS] = "draws",
    [BNRE_DIAG_CHAINS] = "chains"};

const char *bnre__diag_grid_name(bnre_diag_grid grid)
{
    return grids[grid];
}

static bnre_status get_grid(const bnre__json *root, bnre_diag_grid *out)
{
    const char *name = bnre__json_text_of(root, "grid");

    *out = BNRE_DIAG_AUTO;
    for (size_t i = 0; name != NULL && i < BNRE__COUNT_OF(grids); i++)
        if (strcmp(name, grids[i]) == 0) {
            *out = (bnre_diag_grid)i;
            name = NULL;
        }
    if (name != NULL)
        return bnre_fail(BNRE_EFORMAT, "grid \"%s\" is not known", name);
    return BNRE_OK;
}

/* ---- a curve and its verdict ---- */

static bnre_status put_judgement(bnre__json *parent, const bnre_judgement *j)
{
    bnre_status status = BNRE_OK;
    bnre__json *list = NULL;
    char *words = NULL;

    BNRE_TRY(bnre__json_text(parent, "verdict", bnre_verdict_name(j->verdict)));
    BNRE_TRY(bnre_judgement_words(j, &words));
    BNRE_TRY(bnre__json_text(parent, "words", words));
    BNRE_TRY(BNRE__PUT(parent, of_judgement, j));
    BNRE_TRY(bnre__json_list(parent, "low_levels", &list));
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        if (j->low[i])
            BNRE_TRY(bnre__json_real(list, NULL, bnre_diag_level(i)));
    if (j->verdict == BNRE_INCONCLUSIVE && j->needed > 0)
        BNRE_TRY(bnre__json_size(parent, "needed", j->needed));
done:
    bnre_free(words);
    return status;
}

static bnre_status get_judgement(const bnre__json *parent, bnre_judgement *j)
{
    const char *verdict = bnre__json_text_of(parent, "verdict");
    const bnre__json *list = bnre__json_find(parent, "low_levels");

    if (verdict == NULL || !bnre__verdict_find(verdict, &j->verdict))
        return bnre_fail(BNRE_EFORMAT, "verdict \"%s\" is not known",
                         verdict != NULL ? verdict : "");
    BNRE__GET(parent, of_judgement, j);
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const double level = bnre__json_as_real(bnre__json_at(list, i));

        for (size_t k = 0; k < BNRE_DIAG_LEVELS; k++)
            if (fabs(level - bnre_diag_level(k)) < 0.001)
                j->low[k] = 1;
    }
    j->needed = bnre__json_size_of(parent, "needed");
    return BNRE_OK;
}

static bnre_status put_curve(bnre__json *parent, const bnre_diag_curve *curve)
{
    BNRE_DO(bnre__json_real(parent, "temper", curve->tau));
    BNRE_DO(put_judgement(parent, &curve->judgement));
    return BNRE__PUT(parent, of_curve, curve);
}

static bnre_status get_curve(const bnre__json *parent, size_t pairs,
                             bnre_diag_curve *curve)
{
    curve->tau = bnre__json_real_of(parent, "temper");
    BNRE_DO(get_judgement(parent, &curve->judgement));
    BNRE__GET(parent, of_curve, curve);
    curve->judgement.gain = curve->information;
    curve->judgement.n = curve->coverage.n = pairs;
    return BNRE_OK;
}

/* One is told by the root alone, several in a list as well. */
static bnre_status get_curves(const bnre__json *root, bnre_diag *diag)
{
    const bnre__json *list = bnre__json_find(root, "curves");
    bnre_status status = BNRE_OK;

    if (bnre__json_find(root, "verdict") == NULL)
        return BNRE_OK;
    diag->n_curves = bnre__json_count(list) > 1 ? bnre__json_count(list) : 1;
    BNRE_NEW(diag->curve, diag->n_curves);
    BNRE_TRY(get_curve(root, diag->n, &diag->curve[0]));
    for (size_t i = 1; i < diag->n_curves; i++)
        BNRE_TRY(get_curve(bnre__json_at(list, i), diag->n, &diag->curve[i]));
done:
    if (diag->curve == NULL)
        diag->n_curves = 0;
    return status;
}

/* ---- parameters and members ---- */

static bnre_status put_parameter(bnre__json *list, const bnre_diag *diag,
                                 const bnre_diag_parameter *parameter)
{
    bnre__json *item = NULL, *sbc = NULL, *counts = NULL;

    BNRE_DO(bnre__json_object(list, NULL, &item));
    BNRE_DO(bnre__json_text(item, "name", parameter->name));
    BNRE_DO(BNRE__PUT(item, of_parameter, parameter));
    BNRE_DO(bnre__json_object(item, "sbc", &sbc));
    BNRE_DO(bnre__json_list(sbc, "histogram", &counts));
    for (size_t i = 0; i < diag->bins; i++)
        BNRE_DO(bnre__json_size(counts, NULL, parameter->histogram[i]));
    return BNRE__PUT(sbc, of_uniformity, &parameter->sbc);
}

static bnre_status get_parameter(const bnre__json *item, size_t bins,
                                 bnre_diag_parameter *parameter)
{
    const bnre__json *sbc = bnre__json_find(item, "sbc");
    const bnre__json *counts = bnre__json_find(sbc, "histogram");
    const char *name = bnre__json_text_of(item, "name");
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__strdup(name != NULL ? name : "", &parameter->name));
    BNRE__GET(item, of_parameter, parameter);
    BNRE__GET(sbc, of_uniformity, &parameter->sbc);
    BNRE_NEW(parameter->histogram, bins);
    for (size_t i = 0; i < bins; i++)
        parameter->histogram[i] = bnre__json_count_at(counts, i);
done:
    return status;
}

static bnre_status get_parameters(const bnre__json *root, bnre_diag *diag)
{
    const bnre__json *list = bnre__json_find(root, "parameters");
    const bnre__json *first = bnre__json_find(bnre__json_at(list, 0), "sbc");
    const size_t n = bnre__json_count(list);
    bnre_status status = BNRE_OK;

    diag->bins = bnre__json_count(bnre__json_find(first, "histogram"));
    BNRE_NEW(diag->parameter, n);
    diag->dim = n;
    for (size_t k = 0; k < n; k++)
        BNRE_TRY(get_parameter(bnre__json_at(list, k), diag->bins,
                               &diag->parameter[k]));
done:
    return status;
}

static bnre_status put_members(bnre__json *root, const bnre_diag *diag)
{
    bnre__json *list = NULL, *item = NULL;

    if (diag->n_members == 0)
        return BNRE_OK;
    BNRE_DO(bnre__field_put(root, "spread", BNRE__ESTIMATE, &diag->spread));
    BNRE_DO(bnre__json_list(root, "members", &list));
    for (size_t i = 0; i < diag->n_members; i++) {
        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(
            bnre__field_put(item, "auc", BNRE__ESTIMATE, &diag->member_auc[i]));
    }
    return BNRE_OK;
}

static bnre_status get_members(const bnre__json *root, bnre_diag *diag)
{
    const bnre__json *list = bnre__json_find(root, "members");
    bnre_status status = BNRE_OK;

    bnre__field_get(root, "spread", BNRE__ESTIMATE, &diag->spread);
    diag->n_members = bnre__json_count(list);
    BNRE_NEW(diag->member_auc, diag->n_members);
    for (size_t i = 0; i < diag->n_members; i++)
        bnre__field_get(bnre__json_at(list, i), "auc", BNRE__ESTIMATE,
                        &diag->member_auc[i]);
done:
    return status;
}

/* ---- the diagnosis ---- */

static bnre_status put_diag(bnre__json *root, const bnre_diag *diag)
{
    bnre__json *list = NULL, *item = NULL;
    double level[BNRE_DIAG_LEVELS];

    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        level[i] = bnre_diag_level(i);
    BNRE_DO(BNRE__PUT(root, of_diag, diag));
    BNRE_DO(bnre__json_text(root, "grid", grids[diag->grid]));
    BNRE_DO(BNRE__PUT(root, of_points, diag));
    BNRE_DO(bnre__field_put(root, "levels", BNRE__LEVELS, level));
    if (diag->n_curves > 0)
        BNRE_DO(put_curve(root, &diag->curve[0]));
    BNRE_DO(BNRE__PUT(root, of_densities, diag));
    BNRE_DO(bnre__json_list(root, "parameters", &list));
    for (size_t k = 0; k < diag->dim; k++)
        BNRE_DO(put_parameter(list, diag, &diag->parameter[k]));
    BNRE_DO(bnre__json_object(root, "tarp", &item));
    BNRE_DO(BNRE__PUT(item, of_tarp, &diag->tarp));
    BNRE_DO(BNRE__PUT(item, of_uniformity, &diag->tarp_uniformity));
    BNRE_DO(put_members(root, diag));
    if (diag->n_curves > 1)
        BNRE_DO(bnre__json_list(root, "curves", &list));
    for (size_t i = 0; diag->n_curves > 1 && i < diag->n_curves; i++) {
        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(put_curve(item, &diag->curve[i]));
    }
    return BNRE_OK;
}

static bnre_status get_diag(const bnre__json *root, bnre_diag *diag)
{
    const bnre__json *tarp = bnre__json_find(root, "tarp");

    BNRE__GET(root, of_diag, diag);
    BNRE_DO(get_grid(root, &diag->grid));
    BNRE__GET(root, of_points, diag);
    BNRE_DO(get_curves(root, diag));
    BNRE__GET(root, of_densities, diag);
    BNRE_DO(get_parameters(root, diag));
    BNRE__GET(tarp, of_tarp, &diag->tarp);
    BNRE__GET(tarp, of_uniformity, &diag->tarp_uniformity);
    return get_members(root, diag);
}

/* ---- what follows from it ---- */

static bnre_status put_advice(bnre__json *root, const bnre_advice *advice)
{
    bnre__json *list = NULL, *item = NULL;

    BNRE_DO(bnre__json_list(root, "advice", &list));
    for (size_t i = 0; i < advice->n; i++) {
        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(bnre__json_text(item, "topic", advice->item[i].topic));
        BNRE_DO(bnre__json_text(item, "text", advice->item[i].text));
    }
    return BNRE_OK;
}

/* Its topics are words of the program. */
static const char *find_topic(const char *text)
{
    static const char *const topic[] = {"enough",  "caution",    "simulations",
                                        "pairs",   "points",     "ensemble",
                                        "pattern", "observation"};

    for (size_t i = 0; text != NULL && i < BNRE__COUNT_OF(topic); i++)
        if (strcmp(text, topic[i]) == 0)
            return topic[i];
    return "";
}

/* Up to the first item without a text. */
static bnre_status get_advice(const bnre__json *list, bnre_advice *advice)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(advice->item, bnre__json_count(list));
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *item = bnre__json_at(list, i);

        BNRE_TRY(bnre__json_take_text(item, "text", &advice->item[i].text));
        if (advice->item[i].text == NULL)
            break;
        advice->item[i].topic = find_topic(bnre__json_text_of(item, "topic"));
        advice->n++;
    }
done:
    return status;
}

static bnre_status put_learning(bnre__json *root,
                                const bnre_learning_curve *curve)
{
    bnre__json *item = NULL, *list = NULL, *budget = NULL;

    BNRE_DO(bnre__json_object(root, "learning_curve", &item));
    BNRE_DO(BNRE__PUT(item, of_learning, curve));
    BNRE_DO(bnre__json_list(item, "budgets", &list));
    for (size_t i = 0; i < curve->n; i++) {
        BNRE_DO(bnre__json_object(list, NULL, &budget));
        for (size_t k = 0; k < BNRE__COUNT_OF(of_budget); k++)
            BNRE_DO(bnre__field_put(budget, of_budget[k].key, of_budget[k].kind,
                                    (const char *)curve + of_budget[k].at +
                                        i * of_budget[k].step));
    }
    return BNRE_OK;
}

static void get_learning(const bnre__json *item, bnre_learning_curve *curve)
{
    const bnre__json *list = bnre__json_find(item, "budgets");

    BNRE__GET(item, of_learning, curve);
    for (size_t i = 0;
         i < bnre__json_count(list) && i < BNRE__COUNT_OF(curve->simulations);
         i++) {
        for (size_t k = 0; k < BNRE__COUNT_OF(of_budget); k++)
            bnre__field_get(
                bnre__json_at(list, i), of_budget[k].key, of_budget[k].kind,
                (char *)curve + of_budget[k].at + i * of_budget[k].step);
        curve->n++;
    }
}

static bnre_status put_certificate(bnre__json *root,
                                   const bnre_certificate *certificate)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    BNRE_TRY(bnre__certificate_node(certificate, &map));
    BNRE_TRY(bnre__json_settings(root, "certificate", map));
done:
    bnre_node_destroy(map);
    return status;
}

bnre_status bnre__diagnosis_put(const bnre__diagnosis_record *record,
                                bnre__json *root)
{
    bnre__json *item = NULL;

    BNRE_DO(bnre__json_text(root, "version", BNRE_VERSION));
    if (record->diag == NULL) {
        BNRE_DO(bnre__models_put(root, &record->models));
        return bnre__made_add(root, record->made);
    }
    BNRE_DO(put_diag(root, record->diag));
    BNRE_DO(bnre__made_add(root, record->made));
    if (record->advised)
        BNRE_DO(put_advice(root, &record->advice));
    if (record->certificate != NULL)
        BNRE_DO(put_certificate(root, record->certificate));
    if (record->theorem.n > 0) {
        BNRE_DO(bnre__json_object(root, "theorem", &item));
        BNRE_DO(BNRE__PUT(item, of_theorem, &record->theorem));
    }
    if (record->curve.n > 0)
        BNRE_DO(put_learning(root, &record->curve));
    if (record->other_prior) {
        BNRE_DO(bnre__json_object(root, "other_prior", &item));
        BNRE_DO(BNRE__PUT(item, of_prior, record));
        if (!record->own_pairs)
            BNRE_DO(BNRE__PUT(item, of_foreign_pairs, record));
    }
    return record->models.n > 0 ? bnre__models_put(root, &record->models)
                                : BNRE_OK;
}

static bnre_status get_record(const bnre__json *root,
                              bnre__diagnosis_record *record)
{
    const bnre__json *item;

    BNRE_DO(bnre__json_take_text(root, "version", &record->version));
    BNRE_DO(bnre__json_take_text(root, "words", &record->words));
    BNRE_DO(get_diag(root, record->diag));
    if ((item = bnre__json_find(root, "advice")) != NULL) {
        record->advised = 1;
        BNRE_DO(get_advice(item, &record->advice));
    }
    if ((item = bnre__json_find(root, "theorem")) != NULL)
        BNRE__GET(item, of_theorem, &record->theorem);
    if ((item = bnre__json_find(root, "learning_curve")) != NULL)
        get_learning(item, &record->curve);
    if ((item = bnre__json_find(root, "other_prior")) != NULL) {
        record->other_prior = 1;
        BNRE__GET(item, of_prior, record);
        BNRE__GET(item, of_foreign_pairs, record);
    }
    if ((item = bnre__json_find(root, "models")) != NULL)
        BNRE_DO(bnre__models_get(item, &record->models));
    return BNRE_OK;
}

/* ---- files ---- */

bnre_status bnre__diagnosis_write(const bnre__diagnosis_record *record,
                                  const char *path)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__diagnosis_put(record, root));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    return status;
}

bnre_status bnre__diagnosis_read(const char *path, bnre__diagnosis_record **out)
{
    bnre__diagnosis_record *record = NULL;
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    *out = NULL;
    BNRE_TRY(bnre__json_read(path, &root));
    BNRE_NEW(record, 1);
    BNRE_NEW(record->diag, 1);
    status = get_record(root, record);
    if (status == BNRE_EFORMAT)
        status = bnre_fail(BNRE_EFORMAT, "%s: %s", path, bnre_error_message());
    BNRE_TRY(status);
    *out = record;
    record = NULL;
done:
    bnre__diagnosis_destroy(record);
    bnre__json_destroy(root);
    return status;
}

void bnre__diagnosis_destroy(bnre__diagnosis_record *record)
{
    if (record == NULL)
        return;
    bnre_diag_destroy(record->diag);
    bnre__advice_clear(&record->advice);
    bnre_models_report_clear(&record->models);
    bnre__free(record->version);
    bnre__free(record->words);
    bnre__free(record);
}

const bnre_diag_curve *
bnre__diagnosis_curve(const bnre__diagnosis_record *record)
{
    return record != NULL && record->diag->n_curves > 0 ? record->diag->curve
                                                        : NULL;
}
