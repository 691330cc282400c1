/* Guarantees and advice, for programs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "bnre/settings.h"
#include "bnre/trust_files.h"
#include "io/json.h"
#include "trust/certificate.h"

static bnre_status add_estimate(bnre__json *parent, const char *key,
                                bnre_estimate estimate)
{
    bnre__json *pair = NULL;

    BNRE_DO(bnre__json_object(parent, key, &pair));
    BNRE_DO(bnre__json_real(pair, "mean", estimate.mean));
    return bnre__json_real(pair, "error", estimate.error);
}

/* ---- conformal regions ---- */

static bnre_status add_region(bnre__json *list, const bnre_conformal_region *r,
                              const bnre_guarantee *guarantee)
{
    const bnre_conformal *c = &r->conformal;
    bnre_status status = BNRE_OK;
    bnre__json *item = NULL, *law = NULL;
    char *words = NULL;

    BNRE_TRY(bnre__json_object(list, NULL, &item));
    BNRE_TRY(bnre__json_real(item, "level", c->level));
    BNRE_TRY(bnre__json_flag(item, "local", c->local));
    BNRE_TRY(bnre__json_size(item, "pairs", c->pairs));
    BNRE_TRY(bnre__json_real(item, "qhat", c->qhat));
    if (c->k <= c->pairs) {
        BNRE_TRY(bnre__json_list(item, "beta", &law));
        BNRE_TRY(bnre__json_size(law, NULL, c->k));
        BNRE_TRY(bnre__json_size(law, NULL, c->pairs + 1 - c->k));
    }
    BNRE_TRY(bnre__json_real(
        item, "assured",
        c->local || bnre_guarantee_void(guarantee, NULL) ? NAN : c->assured));
    BNRE_TRY(bnre__json_real(item, "content", r->region.content));
    BNRE_TRY(bnre__json_real(item, "threshold", r->region.threshold));
    BNRE_TRY(bnre__json_real(item, "prior_mass", r->region.prior_mass));
    BNRE_TRY(
        bnre__json_real(item, "nominal_prior_mass", r->nominal.prior_mass));
    BNRE_TRY(bnre__json_real(item, "volume", r->region.volume));
    BNRE_TRY(bnre__json_real(item, "paid", r->paid));
    BNRE_TRY(bnre_conformal_words(c, guarantee, &words));
    BNRE_TRY(bnre__json_text(item, "words", words));
done:
    bnre_free(words);
    return status;
}

static bnre_status add_words(bnre__json *root, const bnre_guarantee *guarantee)
{
    bnre_status status = BNRE_OK;
    bnre__json *item = NULL;
    char *words = NULL;

    if (!isnan(guarantee->outside))
        BNRE_TRY(bnre__json_real(root, "outside_p", guarantee->outside));
    BNRE_TRY(bnre_guarantee_words(guarantee, &words));
    BNRE_TRY(bnre__json_object(root, "certificate", &item));
    BNRE_TRY(bnre__json_text(item, "words", words));
done:
    bnre_free(words);
    return status;
}

bnre_status bnre_assurance_add_json(const char *path,
                                    const bnre_assurance *assurance)
{
    const bnre_guarantee *guarantee = &assurance->guarantee;
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *list = NULL;

    BNRE_TRY(bnre__json_read(path, &root));
    if (assurance->n > 0)
        BNRE_TRY(bnre__json_list(root, "conformal", &list));
    for (size_t i = 0; i < assurance->n; i++)
        BNRE_TRY(add_region(list, &assurance->region[i], guarantee));
    for (size_t i = 0; assurance->local != NULL && i < assurance->n; i++)
        BNRE_TRY(add_region(list, &assurance->local[i], guarantee));
    BNRE_TRY(add_words(root, guarantee));
    BNRE_TRY(bnre__json_list(root, "warnings", &list));
    for (size_t i = 0; i < assurance->warnings; i++)
        BNRE_TRY(bnre__json_text(list, NULL, assurance->warning[i]));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    return status;
}

/* ---- advice ---- */

/* Settings with numbers as numbers. */
static bnre_status add_node(bnre__json *parent, const char *key,
                            const bnre_node *node)
{
    bnre__json *inner = NULL;
    double value;

    if (node->kind == BNRE_NODE_TEXT) {
        const char *end = node->text + strlen(node->text);

        /* Some fingerprints read as numbers. */
        if ((key == NULL || strcmp(key, "fingerprint") != 0) &&
            bnre__number_scan(node->text, end, &value) == end)
            return bnre__json_real(parent, key, value);
        return bnre__json_text(parent, key, node->text);
    }
    if (node->kind == BNRE_NODE_MAP)
        BNRE_DO(bnre__json_object(parent, key, &inner));
    else
        BNRE_DO(bnre__json_list(parent, key, &inner));
    for (size_t i = 0; i < node->count; i++)
        BNRE_DO(add_node(
            inner, node->kind == BNRE_NODE_MAP ? node->child[i]->key : NULL,
            node->child[i]));
    return BNRE_OK;
}

static bnre_status add_theorem(bnre__json *root, const bnre_theorem *theorem)
{
    bnre__json *item = NULL;

    BNRE_DO(bnre__json_object(root, "theorem", &item));
    BNRE_DO(bnre__json_flag(item, "holds", theorem->holds));
    BNRE_DO(bnre__json_size(item, "pairs", theorem->n));
    BNRE_DO(bnre__json_size(item, "left_out", theorem->left_out));
    BNRE_DO(add_estimate(item, "balance", theorem->balance));
    BNRE_DO(add_estimate(item, "exact_balance", theorem->exact_balance));
    BNRE_DO(add_estimate(item, "joint", theorem->joint));
    BNRE_DO(add_estimate(item, "joint_gap", theorem->joint_gap));
    BNRE_DO(add_estimate(item, "marginal", theorem->marginal));
    return add_estimate(item, "marginal_gap", theorem->marginal_gap);
}

static bnre_status add_curve(bnre__json *root, const bnre_learning_curve *curve)
{
    bnre__json *item = NULL, *list = NULL, *budget = NULL;

    BNRE_DO(bnre__json_object(root, "learning_curve", &item));
    BNRE_DO(bnre__json_real(item, "doubling", curve->gain));
    BNRE_DO(bnre__json_real(item, "doubling_low", curve->gain_low));
    BNRE_DO(bnre__json_real(item, "doubling_high", curve->gain_high));
    BNRE_DO(bnre__json_real(item, "doubling_volume", curve->shrink));
    BNRE_DO(bnre__json_real(item, "doubling_volume_low", curve->shrink_low));
    BNRE_DO(bnre__json_real(item, "doubling_volume_high", curve->shrink_high));
    BNRE_DO(bnre__json_list(item, "budgets", &list));
    for (size_t i = 0; i < curve->n; i++) {
        BNRE_DO(bnre__json_object(list, NULL, &budget));
        BNRE_DO(bnre__json_size(budget, "simulations", curve->simulations[i]));
        BNRE_DO(add_estimate(budget, "information", curve->information[i]));
        BNRE_DO(bnre__json_real(budget, "volume", curve->volume[i]));
        BNRE_DO(
            bnre__json_real(budget, "volume_error", curve->volume_error[i]));
    }
    return BNRE_OK;
}

bnre_status bnre_advice_add_json(const char *path, const bnre_advice *advice,
                                 const bnre_certificate *certificate,
                                 const bnre_theorem *theorem,
                                 const bnre_learning_curve *curve)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *list = NULL, *item = NULL;
    bnre_node *map = NULL;

    BNRE_TRY(bnre__json_read(path, &root));
    if (advice != NULL)
        BNRE_TRY(bnre__json_list(root, "advice", &list));
    for (size_t i = 0; advice != NULL && i < advice->n; i++) {
        BNRE_TRY(bnre__json_object(list, NULL, &item));
        BNRE_TRY(bnre__json_text(item, "topic", advice->item[i].topic));
        BNRE_TRY(bnre__json_text(item, "text", advice->item[i].text));
    }
    if (certificate != NULL) {
        BNRE_TRY(bnre__certificate_node(certificate, &map));
        BNRE_TRY(add_node(root, "certificate", map));
    }
    if (theorem != NULL)
        BNRE_TRY(add_theorem(root, theorem));
    if (curve != NULL)
        BNRE_TRY(add_curve(root, curve));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre_node_destroy(map);
    bnre__json_destroy(root);
    return status;
}
