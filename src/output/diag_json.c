/* A diagnosis for programs. */
#include <math.h>

#include "base/mem.h"
#include "bnre/diag_files.h"
#include "io/json.h"
#include "output/made.h"

static bnre_status add_estimate(bnre__json *parent, const char *key,
                                bnre_estimate estimate)
{
    bnre__json *pair = NULL;

    BNRE_DO(bnre__json_object(parent, key, &pair));
    BNRE_DO(bnre__json_real(pair, "mean", estimate.mean));
    return bnre__json_real(pair, "error", estimate.error);
}

static bnre_status add_levels(bnre__json *parent, const char *key,
                              const double value[BNRE_DIAG_LEVELS])
{
    return bnre__json_reals(parent, key, BNRE_DIAG_LEVELS, value);
}

static bnre_status add_uniformity(bnre__json *parent, const bnre_uniformity *u)
{
    BNRE_DO(bnre__json_real(parent, "ks", u->ks));
    BNRE_DO(bnre__json_real(parent, "ks_p", u->ks_p));
    BNRE_DO(bnre__json_real(parent, "chi_square", u->chi_square));
    return bnre__json_real(parent, "chi_square_p", u->chi_square_p);
}

static bnre_status add_judgement(bnre__json *parent, const bnre_judgement *j)
{
    bnre_status status = BNRE_OK;
    bnre__json *list = NULL;
    char *words = NULL;

    BNRE_TRY(bnre__json_text(parent, "verdict", bnre_verdict_name(j->verdict)));
    BNRE_TRY(bnre_judgement_words(j, &words));
    BNRE_TRY(bnre__json_text(parent, "words", words));
    BNRE_TRY(bnre__json_real(parent, "delta", j->delta));
    BNRE_TRY(bnre__json_real(parent, "eps", j->eps));
    BNRE_TRY(bnre__json_real(parent, "least_gain", j->least_gain));
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

static bnre_status add_curve(bnre__json *parent, const bnre_diag_curve *curve)
{
    const bnre_coverage *coverage = &curve->coverage;

    BNRE_DO(bnre__json_real(parent, "temper", curve->tau));
    BNRE_DO(add_judgement(parent, &curve->judgement));
    BNRE_DO(add_levels(parent, "coverage", coverage->share));
    BNRE_DO(add_levels(parent, "coverage_low", coverage->low));
    BNRE_DO(add_levels(parent, "coverage_high", coverage->high));
    BNRE_DO(bnre__json_real(parent, "coverage_band", coverage->band));
    BNRE_DO(add_estimate(parent, "auc", coverage->auc));
    BNRE_DO(add_estimate(parent, "mean_auc", coverage->mean_auc));
    BNRE_DO(add_estimate(parent, "information", curve->information));
    BNRE_DO(bnre__json_real(parent, "ess_median", curve->ess_median));
    return bnre__json_real(parent, "ess_low", curve->ess_low);
}

static bnre_status add_parameter(bnre__json *list, const bnre_diag *diag,
                                 const bnre_diag_parameter *parameter)
{
    bnre__json *item = NULL, *sbc = NULL, *counts = NULL;

    BNRE_DO(bnre__json_object(list, NULL, &item));
    BNRE_DO(bnre__json_text(item, "name", parameter->name));
    BNRE_DO(bnre__json_real(item, "scale", parameter->scale));
    BNRE_DO(add_estimate(item, "bias", parameter->bias));
    BNRE_DO(add_estimate(item, "variance", parameter->variance));
    BNRE_DO(bnre__json_object(item, "sbc", &sbc));
    BNRE_DO(bnre__json_list(sbc, "histogram", &counts));
    for (size_t i = 0; i < diag->bins; i++)
        BNRE_DO(bnre__json_size(counts, NULL, parameter->histogram[i]));
    return add_uniformity(sbc, &parameter->sbc);
}

static bnre_status add_tarp(bnre__json *root, const bnre_diag *diag)
{
    bnre__json *tarp = NULL;

    BNRE_DO(bnre__json_object(root, "tarp", &tarp));
    BNRE_DO(add_levels(tarp, "coverage", diag->tarp.share));
    BNRE_DO(add_estimate(tarp, "auc", diag->tarp.auc));
    return add_uniformity(tarp, &diag->tarp_uniformity);
}

static bnre_status add_members(bnre__json *root, const bnre_diag *diag)
{
    bnre__json *list = NULL, *item = NULL;

    if (diag->n_members == 0)
        return BNRE_OK;
    BNRE_DO(add_estimate(root, "spread", diag->spread));
    BNRE_DO(bnre__json_list(root, "members", &list));
    for (size_t i = 0; i < diag->n_members; i++) {
        BNRE_DO(bnre__json_object(list, NULL, &item));
        BNRE_DO(add_estimate(item, "auc", diag->member_auc[i]));
    }
    return BNRE_OK;
}

static bnre_status add_densities(bnre__json *root, const bnre_diag *diag)
{
    BNRE_DO(add_estimate(root, "doubling", diag->doubling));
    BNRE_DO(add_estimate(root, "log_posterior", diag->log_posterior));
    BNRE_DO(bnre__json_real(root, "log_posterior_median",
                            diag->log_posterior_median));
    BNRE_DO(add_estimate(root, "raw_log_posterior", diag->raw_log_posterior));
    BNRE_DO(add_estimate(root, "balance", diag->balance));
    BNRE_DO(add_estimate(root, "normalised_balance", diag->normalised_balance));
    return add_levels(root, "volume", diag->volume);
}

static bnre_status add_settings(bnre__json *root, const bnre_diag *diag)
{
    static const char *const grids[] = {
        [BNRE_DIAG_AUTO] = "auto",     [BNRE_DIAG_CELLS] = "cells",
        [BNRE_DIAG_FITTED] = "fitted", [BNRE_DIAG_BANK] = "bank",
        [BNRE_DIAG_PAPER] = "paper",   [BNRE_DIAG_DRAWS] = "draws",
        [BNRE_DIAG_CHAINS] = "chains"};
    double level[BNRE_DIAG_LEVELS];

    BNRE_DO(bnre__json_text(root, "version", BNRE_VERSION));
    BNRE_DO(bnre__json_size(root, "pairs", diag->n));
    BNRE_DO(bnre__json_size(root, "asked", diag->asked));
    BNRE_DO(bnre__json_size(root, "observations", diag->observations));
    BNRE_DO(bnre__json_text(root, "grid", grids[diag->grid]));
    BNRE_DO(bnre__json_size(root, "points", diag->points));
    BNRE_DO(bnre__json_size(root, "evaluations", diag->evaluations));
    BNRE_DO(bnre__json_size(root, "seed", (size_t)diag->seed));
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        level[i] = bnre_diag_level(i);
    return add_levels(root, "levels", level);
}

bnre_status bnre_diag_write_json(const bnre_diag *diag, const bnre_node *made,
                                 const char *path)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *list = NULL, *item = NULL;

    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(add_settings(root, diag));
    if (diag->n_curves > 0)
        BNRE_TRY(add_curve(root, &diag->curve[0]));
    BNRE_TRY(add_densities(root, diag));
    BNRE_TRY(bnre__json_list(root, "parameters", &list));
    for (size_t k = 0; k < diag->dim; k++)
        BNRE_TRY(add_parameter(list, diag, &diag->parameter[k]));
    BNRE_TRY(add_tarp(root, diag));
    BNRE_TRY(add_members(root, diag));
    if (diag->n_curves > 1) {
        BNRE_TRY(bnre__json_list(root, "curves", &list));
        for (size_t i = 0; i < diag->n_curves; i++) {
            BNRE_TRY(bnre__json_object(list, NULL, &item));
            BNRE_TRY(add_curve(item, &diag->curve[i]));
        }
    }
    BNRE_TRY(bnre__made_add(root, made));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    return status;
}
