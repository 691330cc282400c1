/* observed.c - posteriors of observations for bindings. */
#include <string.h>

#include "base/mem.h"
#include "command/posterior.h"
#include "flat/describe.h"
#include "flat/model.h"
#include "flat/tell.h"
#include "posterior/points.h"
#include "posterior/posterior.h"

struct bnre_observed {
    const bnre_model *model;
    bnre_session *session;
    bnre_posterior *posterior;
    char doubt[BNRE_DOUBT];
};

void bnre_observed_close(bnre_observed *observed)
{
    if (observed == NULL)
        return;
    bnre_posterior_destroy(observed->posterior);
    bnre_session_close(observed->session);
    bnre__free(observed);
}

/* ---- settings ---- */

/* Those of the command that say how a posterior is computed. */
struct how {
    bnre_posterior_settings settings;
    uint64_t seed;
};

enum { MOST = 16 };

static size_t list_options(bnre_opt row[MOST])
{
    static const char *const names[] = {"sampler", "grid", "samples", "bank",
                                        "steps"};
    size_t n = 0, n_all;
    const bnre_opt *all = bnre_posterior_options(&n_all);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        row[n++] = *bnre_opt_find(all, n_all, names[i]);
    row[n++] = (bnre_opt){.name = "seed",
                          .type = BNRE_OPT_SEED,
                          .offset = offsetof(struct how, seed),
                          .preset = "1"};
    return n;
}

static bnre_status read_settings(const char *text, bnre_posterior_opts *opts)
{
    bnre_opt row[MOST];
    const size_t n = list_options(row);
    bnre_status status = BNRE_OK;
    struct how how = {.seed = 0};
    bnre_node *map = NULL;

    BNRE_TRY(bnre_opt_init(row, n, &how));
    BNRE_TRY(bnre_yaml_parse(text != NULL ? text : "", "settings", &map));
    BNRE_TRY(bnre_opt_set_map(row, n, &how, map, NULL));
    *opts = bnre_posterior_opts_default();
    opts->seed = how.seed;
    opts->bank = how.settings.bank;
    opts->steps = how.settings.steps;
    opts->draws = bnre__posterior_samples(&how.settings);
    BNRE_TRY(bnre__posterior_method(&how.settings, opts));
done:
    bnre_node_destroy(map);
    bnre_opt_clear(row, n, &how);
    return status;
}

/* ---- what it says ---- */

bnre_status bnre_observed_open(const bnre_model *model, size_t rows,
                               const double *x, const char *settings,
                               bnre_tell tell, void *user, bnre_observed **out)
{
    bnre_posterior_opts opts;
    bnre_observed *observed = NULL;
    bnre_status status = BNRE_OK;
    bnre__teller teller;

    *out = NULL;
    if (model->prior == NULL)
        return bnre_fail(BNRE_EUSAGE, "a classifier without parameters has no "
                                      "posterior");
    bnre__teller_init(&teller, tell, user);
    BNRE_TRY(read_settings(settings, &opts));
    opts.monitor = &teller.monitor;
    BNRE_NEW(observed, 1);
    observed->model = model;
    BNRE_TRY(
        bnre_session_open(&model->density, model->pool, &observed->session));
    BNRE_TRY(bnre_session_observe(observed->session, rows, x));
    BNRE_TRY(
        bnre_posterior_compute(observed->session, &opts, &observed->posterior));
    if (!bnre__posterior_doubt(observed->posterior, observed->doubt))
        observed->doubt[0] = 0;
    *out = observed;
    observed = NULL;
done:
    bnre_observed_close(observed);
    bnre__teller_clear(&teller);
    return status;
}

const char *bnre_observed_doubt(const bnre_observed *observed)
{
    return observed->doubt;
}

bnre_status bnre_observed_sample(const bnre_observed *observed, uint64_t seed,
                                 size_t n, double *theta)
{
    return bnre_posterior_sample(observed->posterior, n, seed, theta);
}

bnre_status bnre_observed_level(const bnre_observed *observed, size_t n,
                                const double *theta, double *level)
{
    const size_t dim = observed->model->info->dim_theta;

    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre_posterior_rank(observed->posterior, observed->session,
                                    theta + i * dim, &level[i]));
    return BNRE_OK;
}

bnre_status bnre_observed_region(const bnre_observed *observed, double level,
                                 double *threshold, double *prior_mass)
{
    bnre_region region;

    BNRE_DO(bnre_posterior_regions(observed->posterior, 1, &level, &region));
    *threshold = region.threshold;
    if (prior_mass != NULL)
        *prior_mass = region.prior_mass;
    return BNRE_OK;
}

static bnre_status add_parameters(const bnre_observed *observed,
                                  bnre__json *root)
{
    const size_t dim = observed->model->info->dim_theta;
    bnre_summary *summary = NULL;
    bnre_status status = BNRE_OK;
    bnre__json *list, *item;

    BNRE_NEW(summary, dim);
    BNRE_TRY(bnre_posterior_summary(observed->posterior, summary));
    BNRE_TRY(bnre__json_list(root, "parameters", &list));
    for (size_t i = 0; i < dim; i++) {
        const bnre_summary *s = &summary[i];
        const double middle[] = {s->low68, s->high68};
        const double wide[] = {s->low95, s->high95};

        BNRE_TRY(bnre__json_object(list, NULL, &item));
        BNRE_TRY(bnre__json_text(item, "name",
                                 observed->model->info->theta_name[i]));
        BNRE_TRY(bnre__json_real(item, "mean", s->mean));
        BNRE_TRY(bnre__json_real(item, "sd", s->sd));
        BNRE_TRY(bnre__json_real(item, "median", s->median));
        BNRE_TRY(bnre__json_reals(item, "central_68", 2, middle));
        BNRE_TRY(bnre__json_reals(item, "central_95", 2, wide));
        BNRE_TRY(bnre__json_real(item, "mode", s->mode));
    }
done:
    bnre__free(summary);
    return status;
}

bnre_status bnre_observed_text(const bnre_observed *observed, char **json)
{
    const bnre_points *points = bnre_posterior_points(observed->posterior);
    const bnre_evidence evidence = bnre_posterior_evidence(observed->posterior);
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL, *item;

    *json = NULL;
    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__json_text(root, "method", bnre__points_name(points->kind)));
    BNRE_TRY(bnre__json_size(root, "points", points->n));
    BNRE_TRY(bnre__json_text(root, "doubt", observed->doubt));
    BNRE_TRY(bnre__json_object(root, "evidence", &item));
    BNRE_TRY(bnre__json_real(item, "log_z", evidence.log_z));
    BNRE_TRY(bnre__json_real(item, "error", evidence.error));
    BNRE_TRY(bnre__json_real(item, "ess", evidence.ess));
    BNRE_TRY(add_parameters(observed, root));
    BNRE_TRY(bnre__json_print(root, json));
done:
    bnre__json_destroy(root);
    return status;
}
