/* posterior_join.c - the command `posterior` under another prior and with further
   experiments: one density of all of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "command/posterior.h"
#include "command/prior.h"
#include "data/dataset.h"
#include "infer/estimator/estimator.h"
#include "io/json.h"
#include "trust/conformal.h"

static int is_asked(const bnre_posterior_settings *settings)
{
    return settings->prior != NULL || settings->odds != NULL ||
           settings->also.count > 0;
}

bnre_status bnre__posterior_also(const bnre_opt_list *list, size_t *at,
                                 char **estimator, const char **observation)
{
    const char *text = list->text[*at], *cut = strchr(text, '=');

    *at += 1;
    if (cut == NULL && *at < list->count) {
        *observation = list->text[*at];
        *at += 1;
        return bnre__strdup(text, estimator);
    }
    if (cut == NULL || cut == text || cut[1] == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "also: %s: an estimator and its observation, EST.h5 "
                         "OBS.npy, are needed",
                         text);
    *observation = cut + 1;
    return bnre__text_format(estimator, "%.*s", (int)(cut - text), text);
}

bnre_status bnre__posterior_open_also(const char *path, const char *observation,
                                      bnre_estimator **estimator,
                                      bnre_observations *observed)
{
    bnre_observation_form form = {0};
    const bnre_estimator_info *info;

    BNRE_DO(bnre_estimator_open(path, estimator));
    info = bnre_estimator_describe(*estimator);
    BNRE_DO(bnre__prior_refuse_region(*estimator));
    if (bnre_estimator_prior(*estimator) == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "%s is a classifier without parameters: it has "
                         "nothing to say of them",
                         path);
    form.ndim = info->ndim;
    form.shape = info->shape;
    form.x_name = info->x_name;
    form.prior = bnre_estimator_prior(*estimator);
    return bnre_observations_read(&form, 1, &observation, observed);
}

static bnre_status open_other(bnre__posterior_work *work, size_t i, size_t *at)
{
    bnre_posterior_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__posterior_also(&work->settings->also, at,
                                  &work->more_estimator[i],
                                  &work->more_file[i]));
    status =
        bnre__posterior_open_also(work->more_estimator[i], work->more_file[i],
                                  &outcome->other[i], &work->more[i]);
    outcome->others = i + (outcome->other[i] != NULL);
done:
    return status;
}

static size_t observations_of(const bnre__posterior_work *work, size_t k)
{
    if (k > 0)
        return work->more[k - 1].n;
    return work->observed != NULL ? work->observed->n : 1;
}

/* One after the other, as a joint density has them. */
static bnre_status join_x(bnre__posterior_work *work)
{
    const bnre_observations *own = work->observed;
    bnre_status status = BNRE_OK;
    size_t at = 0;

    BNRE_NEW(work->joint_x, work->outcome->density.x_size);
    for (size_t k = 0; k <= work->outcome->others; k++) {
        const bnre_observations *one = k == 0 ? own : &work->more[k - 1];

        memcpy(work->joint_x + at, one->x,
               one->n * one->x_size * sizeof *one->x);
        at += one->n * one->x_size;
    }
    work->x = work->joint_x;
    work->x_n = 1;
done:
    return status;
}

/* Priors without bounds leave nothing outside, but simulations come to an end. */
static bnre_status warn_far(bnre__posterior_work *work, double far)
{
    char text[200];

    if (!(far > BNRE_PRIOR_OUTSIDE))
        return BNRE_OK;
    snprintf(text, sizeof text,
             "%.2g of the prior is where one simulation in a million of the "
             "training would be: there the networks guess",
             far);
    return bnre__posterior_warn(work, text);
}

static bnre_status create(bnre__posterior_work *work)
{
    bnre_posterior_outcome *outcome = work->outcome;
    const size_t n = 1 + outcome->others;
    bnre_status status = BNRE_OK;
    bnre_experiment *experiment = NULL;
    const bnre_estimator **est = NULL;

    BNRE_NEW(est, n);
    BNRE_NEW(experiment, n);
    for (size_t k = 0; k < n; k++) {
        est[k] = k == 0 ? outcome->estimator : outcome->other[k - 1];
        experiment[k] = (bnre_experiment){
            .density = bnre_estimator_density(est[k], BNRE_ALL_MEMBERS),
            .observations = observations_of(work, k)};
    }
    if (work->settings->odds != NULL)
        experiment[0].density.floor = 0; /* classes have no tails */
    BNRE_TRY(bnre__prior_of(n, est, work->settings->prior, work->settings->odds,
                            &outcome->prior, &work->prior));
    BNRE_TRY(bnre_joint_create(outcome->prior, n, experiment, &outcome->joint));
    outcome->density = bnre_joint_density(outcome->joint);
    for (size_t k = 0; k < n; k++)
        BNRE_TRY(warn_far(work, bnre_joint_change(outcome->joint, k)->far));
    outcome->guarantee.other_prior =
        work->settings->prior != NULL || work->settings->odds != NULL;
    outcome->guarantee.experiments = n;
done:
    bnre__free(experiment);
    bnre__free(est);
    return status;
}

/* ---- pairs ---- */

/* Where they are not asked for by name, there are no conformal regions. */
static bnre_status refuse_pairs(bnre__posterior_work *work)
{
    static const char why[] =
        "there are no conformal regions: pairs of the prior of training cannot "
        "stand for this one, which is known by samples or fixes a parameter: "
        "simulate pairs for it";

    if (!work->request->if_calibrated)
        return bnre_fail(BNRE_EUSAGE, "%s", why);
    bnre_dataset_close(work->pairs);
    work->pairs = NULL;
    return bnre__posterior_warn(work, why);
}

/* Fresh ones, of either prior. */
static bnre_status open_pairs(bnre__posterior_work *work)
{
    const bnre_estimator *est = work->outcome->estimator;
    const char *path = work->settings->calibrate;
    bnre_status status = BNRE_OK;
    size_t seen;

    if (work->observed->n != 1)
        return bnre_fail(BNRE_EUSAGE,
                         "pairs are for single observations, and "
                         "there are %zu",
                         work->observed->n);
    BNRE_TRY(bnre_dataset_open(path, &work->pairs));
    BNRE_TRY(bnre__estimator_overlap(est, work->pairs, &seen));
    if (seen > 0)
        BNRE_THROW(BNRE_EUSAGE,
                   "%zu of the pairs in %s are ones that the estimator was "
                   "trained on: simulate fresh ones with `split: calibrate`",
                   seen, path);
    BNRE_TRY(bnre__prior_of_data(work->prior, work->settings->prior,
                                 work->pairs, path, &work->own_pairs));
    if (!work->own_pairs)
        BNRE_TRY(bnre__estimator_check_prior(est, work->pairs));
    if (!work->own_pairs && work->outcome->density.keep == NULL)
        BNRE_TRY(refuse_pairs(work));
done:
    return status;
}

bnre_status bnre__posterior_conformal(bnre__posterior_work *work)
{
    bnre_posterior_outcome *o = work->outcome;
    bnre_density density = o->density;
    bnre_status status = BNRE_OK;

    if (work->settings->local)
        return bnre_fail(BNRE_EUSAGE, "local goes with the calibration that an "
                                      "estimator has, not with pairs");
    if (work->own_pairs)
        density.keep = NULL;
    status = bnre__conformal_changed(
        &density, work->pairs,
        work->own_pairs ? 0 : bnre_joint_change(o->joint, 0)->lost,
        work->request->pool, work->x, o->posterior, o->levels, o->level,
        o->conformal);
    if (status == BNRE_EDOUBT &&
        (work->settings->regions == 0 || work->request->if_calibrated))
        return bnre__posterior_warn(work, bnre_error_message());
    BNRE_TRY(status);
    o->conformals = o->levels;
done:
    return status;
}

bnre_status bnre__posterior_join(bnre__posterior_work *work)
{
    const size_t others = work->settings->also.count; /* at most */
    bnre_status status = BNRE_OK;

    if (work->observed != NULL) {
        work->x = work->observed->x;
        work->x_n = work->observed->n;
    }
    if (!is_asked(work->settings))
        return BNRE_OK;
    BNRE_DO(bnre__prior_refuse_region(work->outcome->estimator));
    BNRE_NEW(work->more, others);
    BNRE_NEW(work->more_estimator, others);
    BNRE_NEW(work->more_file, others);
    BNRE_NEW(work->outcome->other, others);
    for (size_t i = 0, at = 0; at < others; i++)
        BNRE_TRY(open_other(work, i, &at));
    BNRE_TRY(create(work));
    if (work->observed != NULL)
        BNRE_TRY(join_x(work));
    if (work->settings->calibrate != NULL)
        BNRE_TRY(open_pairs(work));
done:
    return status;
}

void bnre__posterior_clear_join(bnre__posterior_work *work)
{
    const size_t others = work->settings->also.count;

    for (size_t i = 0; work->more != NULL && i < others; i++)
        bnre_observations_clear(&work->more[i]);
    for (size_t i = 0; work->more_estimator != NULL && i < others; i++)
        bnre__free(work->more_estimator[i]);
    bnre__free(work->more);
    bnre__free(work->more_estimator);
    bnre__free(work->more_file);
    bnre__free(work->joint_x);
    bnre_dataset_close(work->pairs);
    bnre_node_destroy(work->prior);
}

/* ---- what it was ---- */

bnre_status bnre__posterior_record_join(const bnre__posterior_work *work,
                                        bnre_node *made)
{
    bnre_status status = BNRE_OK;
    bnre_node *copy = NULL, *list, *one;
    char print[33];

    if (work->outcome->joint == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_node_copy(work->prior, &copy));
    status = bnre_node_add(made, "prior", copy);
    copy = NULL;
    BNRE_TRY(status);
    if (work->pairs != NULL) {
        BNRE_TRY(bnre_dataset_fingerprint(work->pairs, print));
        BNRE_TRY(bnre_node_set(made, "pairs", print));
    }
    if (work->outcome->others == 0)
        return BNRE_OK;
    BNRE_TRY(bnre_node_branch(made, "also", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < work->outcome->others; i++) {
        BNRE_TRY(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &one));
        BNRE_TRY(bnre_estimator_fingerprint(work->outcome->other[i], print));
        BNRE_TRY(bnre_node_set(one, "estimator", print));
        bnre__observations_fingerprint(&work->more[i], print);
        BNRE_TRY(bnre_node_set(one, "observed", print));
    }
done:
    bnre_node_destroy(copy);
    return status;
}

bnre_status bnre__posterior_add_join(const bnre__posterior_work *work,
                                     bnre__json *root)
{
    const bnre_posterior_outcome *outcome = work->outcome;
    bnre__json *list, *one;

    if (outcome->joint == NULL)
        return BNRE_OK;
    BNRE_DO(
        bnre__json_flag(root, "other_prior", work->settings->prior != NULL));
    BNRE_DO(bnre__json_list(root, "experiments", &list));
    for (size_t k = 0; k <= outcome->others; k++) {
        const bnre_estimator *est =
            k == 0 ? outcome->estimator : outcome->other[k - 1];
        const bnre_estimator_info *info = bnre_estimator_describe(est);
        const bnre_prior_change *change = bnre_joint_change(outcome->joint, k);
        bnre__json *names;

        BNRE_DO(bnre__json_object(list, NULL, &one));
        BNRE_DO(bnre__json_list(one, "parameters", &names));
        for (size_t i = 0; i < info->dim_theta; i++)
            BNRE_DO(bnre__json_text(names, NULL, info->theta_name[i]));
        BNRE_DO(bnre__json_size(one, "observations", observations_of(work, k)));
        BNRE_DO(bnre__json_real(one, "prior_outside", change->outside));
        BNRE_DO(bnre__json_flag(one, "exact", change->exact));
    }
    return BNRE_OK;
}
