/* posterior_exchange.c - draws of a posterior for other programs: NetCDF for
   ArviZ, chains for GetDist, a table for R's package posterior. */
#include "output/posterior_exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/rng.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/nc.h"
#include "num/streams.h"
#include "posterior/posterior.h"

static const char *const kinds[] = {"nc", "getdist", "stan", "csv", "npy"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The length of the word at *at, which ends at a comma. */
static size_t word(const char **at)
{
    size_t n;

    *at += strspn(*at, " ,");
    n = strcspn(*at, " ,");
    return n;
}

int bnre__exchange_wants(const char *write, const char *kind)
{
    size_t n;

    if (write == NULL)
        write = "csv,npy";
    for (const char *at = write; (n = word(&at)) > 0; at += n)
        if (strlen(kind) == n && strncmp(at, kind, n) == 0)
            return 1;
    return 0;
}

bnre_status bnre__exchange_check(const char *write)
{
    size_t n, i;

    for (const char *at = write == NULL ? "" : write; (n = word(&at)) > 0;
         at += n) {
        for (i = 0; i < KINDS; i++)
            if (strlen(kinds[i]) == n && strncmp(at, kinds[i], n) == 0)
                break;
        if (i == KINDS)
            return bnre_fail(BNRE_EUSAGE,
                             "\"%.*s\" is no kind of file: there are nc, "
                             "getdist, stan, csv and npy",
                             (int)n, at);
    }
    return BNRE_OK;
}

/* ---- draws in chains ---- */

/* Draws of Markov chains come turn by turn, all chains in each; independent
   ones are one chain. A turn that not all chains have made is left out. */
struct draws {
    size_t dim, chains, length;
    double *theta; /* (chains, length, dim) */
    double *value; /* (chains, length) of one parameter */
    double *lp;    /* (chains, length): log density up to a constant */
};

static void clear_draws(struct draws *d)
{
    bnre__free(d->lp);
    bnre__free(d->value);
    bnre__free(d->theta);
}

static bnre_status find_density(const bnre__exchange *of, struct draws *d)
{
    const bnre_prior *prior = bnre_posterior_points(of->posterior)->prior;
    const double log_z = bnre_posterior_evidence(of->posterior).log_z;
    const size_t n = d->chains * d->length;

    BNRE_DO(bnre_session_log_ratio(of->session, n, d->theta, d->lp, NULL));
    for (size_t i = 0; i < n; i++) {
        d->lp[i] -= log_z;
        if (bnre_prior_has_density(prior))
            d->lp[i] += bnre_prior_log_density(prior, d->theta + i * d->dim);
    }
    return BNRE_OK;
}

static bnre_status arrange(const bnre__exchange *of, struct draws *d)
{
    const bnre_points *points = bnre_posterior_points(of->posterior);
    const bnre_chain_report *report = bnre_posterior_report(of->posterior);
    const size_t n = of->files->samples;
    bnre_status status = BNRE_OK;

    d->dim = points->dim;
    d->chains = report != NULL && n == points->n && n >= 2 * report->chains
                    ? report->chains
                    : 1;
    d->length = n / d->chains;
    BNRE_NEW(d->theta, d->chains * d->length * d->dim);
    BNRE_NEW(d->value, d->chains * d->length);
    BNRE_NEW(d->lp, d->chains * d->length);
    for (size_t c = 0; c < d->chains; c++)
        for (size_t t = 0; t < d->length; t++)
            memcpy(d->theta + (c * d->length + t) * d->dim,
                   of->theta + (t * d->chains + c) * d->dim,
                   d->dim * sizeof *d->theta);
    BNRE_TRY(find_density(of, d));
done:
    return status;
}

static const double *column(const struct draws *d, size_t i)
{
    for (size_t k = 0; k < d->chains * d->length; k++)
        d->value[k] = d->theta[k * d->dim + i];
    return d->value;
}

static bnre_status path_to(const bnre__exchange *of, const char *name,
                           char **out)
{
    return bnre__text_format(out, "%s/%s", of->files->directory, name);
}

/* ---- NetCDF ---- */

static const char *const over_draws[] = {"chain", "draw"};

static bnre_status add_draws(bnre__nc *nc, const bnre__exchange *of,
                             const char *group, const struct draws *d)
{
    BNRE_DO(bnre__nc_group(nc, group));
    BNRE_DO(bnre__nc_dimension(nc, "chain", d->chains));
    BNRE_DO(bnre__nc_dimension(nc, "draw", d->length));
    for (size_t i = 0; i < d->dim; i++) {
        if (strcmp(of->name[i], "chain") == 0 ||
            strcmp(of->name[i], "draw") == 0)
            return bnre_fail(BNRE_EUSAGE,
                             "a parameter is called %s, which is a dimension "
                             "in NetCDF files: rename it, or leave out nc",
                             of->name[i]);
        BNRE_DO(
            bnre__nc_variable(nc, of->name[i], 2, over_draws, column(d, i)));
    }
    return BNRE_OK;
}

/* The certificate whole, as YAML, and each thing that it says in one word or
   sentence as an attribute of its own: certificate_words, ... */
static bnre_status add_certificate(bnre__nc *nc, const char *text)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    char name[256];

    BNRE_TRY(bnre__nc_text(nc, "certificate", text != NULL ? text : "none"));
    if (text == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse(text, NULL, &map));
    for (size_t i = 0; i < map->count; i++)
        if (map->child[i]->kind == BNRE_NODE_TEXT) {
            snprintf(name, sizeof name, "certificate_%s", map->child[i]->key);
            BNRE_TRY(bnre__nc_text(nc, name, map->child[i]->text));
        }
done:
    bnre_node_destroy(map);
    return status;
}

static bnre_status describe(bnre__nc *nc, const bnre__exchange *of)
{
    const bnre_evidence evidence = bnre_posterior_evidence(of->posterior);
    bnre_status status = BNRE_OK;
    char *made = NULL, doubt[BNRE_DOUBT];

    BNRE_TRY(bnre__nc_text(nc, "inference_library", "bnre"));
    BNRE_TRY(bnre__nc_text(nc, "inference_library_version", BNRE_VERSION));
    BNRE_TRY(add_certificate(nc, of->files->certificate));
    BNRE_TRY(bnre__nc_text(
        nc, "doubt", bnre__posterior_doubt(of->posterior, doubt) ? doubt : ""));
    BNRE_TRY(bnre__nc_real(nc, "log_evidence", evidence.log_z));
    if (of->files->made != NULL) {
        BNRE_TRY(bnre_node_write(of->files->made, &made));
        BNRE_TRY(bnre__nc_text(nc, "made", made));
    }
done:
    bnre_free(made);
    return status;
}

/* As many independent draws of the prior, one chain. */
static bnre_status add_prior(bnre__nc *nc, const bnre__exchange *of, size_t n)
{
    const bnre_prior *prior = bnre_posterior_points(of->posterior)->prior;
    struct draws d = {.dim = bnre_prior_dim(prior), .chains = 1, .length = n};
    bnre_status status = BNRE_OK;

    BNRE_NEW(d.theta, n * d.dim);
    BNRE_NEW(d.value, n);
    for (size_t k = 0; k < n; k++) {
        bnre_rng rng = bnre_rng_stream(
            of->files->seed, bnre__purpose(BNRE_USE_BANK, BNRE_SPLIT_TEST),
            k + 1);

        bnre_prior_draw(prior, &rng, d.theta + k * d.dim);
    }
    BNRE_TRY(add_draws(nc, of, "prior", &d));
done:
    clear_draws(&d);
    return status;
}

/* x over `n` dimensions that are there, and those of its own. */
static bnre_status add_x(bnre__nc *nc, const bnre_posterior_data *data,
                         size_t n, const char *const *over, const double *x)
{
    char name[BNRE__NC_DIMENSIONS][32];
    const char *dimension[BNRE__NC_DIMENSIONS];

    for (size_t i = 0; i < n; i++)
        dimension[i] = over[i];
    for (size_t i = 0; i < data->ndim; i++) {
        snprintf(name[i], sizeof name[i], "x_dim_%zu", i);
        dimension[n++] = name[i];
        BNRE_DO(bnre__nc_dimension(nc, name[i], data->shape[i]));
    }
    return bnre__nc_variable(nc, "x", n, dimension, x);
}

/* Several observations have one dimension more. */
static bnre_status add_observed(bnre__nc *nc, const bnre__exchange *of)
{
    static const char *const over[] = {"observation"};
    const bnre_posterior_data *data = of->files->observed;
    const size_t n = data != NULL && data->n > 1;

    if (data == NULL || data->ndim + 1 > BNRE__NC_DIMENSIONS)
        return BNRE_OK;
    BNRE_DO(bnre__nc_group(nc, "observed_data"));
    if (n > 0)
        BNRE_DO(bnre__nc_dimension(nc, over[0], data->n));
    return add_x(nc, data, n, over, data->x);
}

/* Each was simulated from the draw of the same number? Files may have rounded
   it. */
static bnre_status check_predictive(const bnre__exchange *of)
{
    const bnre_posterior_data *data = of->files->predictive;
    const size_t dim = bnre_posterior_points(of->posterior)->dim;

    if (data->n > of->files->samples)
        return bnre_fail(BNRE_EUSAGE,
                         "there are %zu predictive simulations, but only %zu "
                         "draws of the posterior",
                         data->n, of->files->samples);
    for (size_t k = 0; k < data->n * dim; k++)
        if (!(fabs(data->theta[k] - of->theta[k]) <= 1e-6 * fabs(of->theta[k])))
            return bnre_fail(
                BNRE_EUSAGE,
                "row %zu of the predictive simulations is not from draw %zu of "
                "this posterior (%s is %g there, %g here): simulate its "
                "samples.npy, made with the same seed and settings",
                k / dim, k / dim, of->name[k % dim], data->theta[k],
                of->theta[k]);
    return BNRE_OK;
}

/* Simulations come turn by turn, as the draws do. */
static bnre_status add_predictive(bnre__nc *nc, const bnre__exchange *of,
                                  const struct draws *d)
{
    const bnre_posterior_data *data = of->files->predictive;
    bnre_status status = BNRE_OK;
    size_t chains, length, size = 1;
    double *x = NULL;

    if (data == NULL || data->ndim + 2 > BNRE__NC_DIMENSIONS)
        return BNRE_OK;
    BNRE_DO(check_predictive(of));
    chains = data->n >= d->chains ? d->chains : 1;
    length = data->n / chains;
    for (size_t i = 0; i < data->ndim; i++)
        size *= data->shape[i];
    BNRE_NEW(x, chains * length * size);
    for (size_t c = 0; c < chains; c++)
        for (size_t t = 0; t < length; t++)
            memcpy(x + (c * length + t) * size,
                   data->x + (t * chains + c) * size, size * sizeof *x);
    BNRE_TRY(bnre__nc_group(nc, "posterior_predictive"));
    BNRE_TRY(bnre__nc_dimension(nc, "chain", chains));
    BNRE_TRY(bnre__nc_dimension(nc, "draw", length));
    BNRE_TRY(add_x(nc, data, 2, over_draws, x));
done:
    bnre__free(x);
    return status;
}

static bnre_status write_nc(const bnre__exchange *of, const struct draws *d)
{
    bnre_status status = BNRE_OK;
    bnre__nc *nc = NULL;
    char *path = NULL;

    BNRE_TRY(path_to(of, "posterior.nc", &path));
    BNRE_TRY(bnre__nc_create(&nc));
    BNRE_TRY(describe(nc, of));
    BNRE_TRY(add_draws(nc, of, "posterior", d));
    BNRE_TRY(describe(nc, of));
    BNRE_TRY(bnre__nc_group(nc, "sample_stats"));
    BNRE_TRY(bnre__nc_dimension(nc, "chain", d->chains));
    BNRE_TRY(bnre__nc_dimension(nc, "draw", d->length));
    BNRE_TRY(bnre__nc_variable(nc, "lp", 2, over_draws, d->lp));
    BNRE_TRY(add_prior(nc, of, d->chains * d->length));
    BNRE_TRY(add_observed(nc, of));
    BNRE_TRY(add_predictive(nc, of, d));
    BNRE_TRY(bnre__nc_write(nc, path));
done:
    bnre__nc_close(nc);
    bnre__free(path);
    return status;
}

/* ---- texts ---- */

static bnre_status write_text(const bnre__exchange *of, const char *name,
                              bnre__text *text)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__text_check(text));
    BNRE_TRY(path_to(of, name, &path));
    status = bnre__file_put(path, text->data, text->length);
done:
    bnre__free(path);
    return status;
}

static void put_bound(bnre__text *out, double value)
{
    char number[32];

    bnre__text_put(out, " %s",
                   isinf(value) ? "N" : bnre__text_real(value, number));
}

/* Weight, minus log posterior, parameters; and beside them the names and the
   bounds that densities must not be smoothed over. */
static bnre_status write_getdist(const bnre__exchange *of,
                                 const struct draws *d)
{
    const bnre_prior *prior = bnre_posterior_points(of->posterior)->prior;
    bnre__text chain = {0}, names = {0}, ranges = {0};
    bnre_status status = BNRE_OK;
    char number[32];

    for (size_t k = 0; k < d->chains * d->length; k++) {
        bnre__text_put(&chain, "1 %s", bnre__text_real(-d->lp[k], number));
        for (size_t i = 0; i < d->dim; i++)
            bnre__text_put(&chain, " %s",
                           bnre__text_real(d->theta[k * d->dim + i], number));
        bnre__text_put(&chain, "\n");
    }
    for (size_t i = 0; i < d->dim; i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        bnre__text_put(&names, "%s\t", of->name[i]);
        for (const char *c = of->name[i]; *c != 0; c++)
            bnre__text_put(&names, *c == '_' ? "\\_" : "%c", *c);
        bnre__text_put(&names, "\n");
        bnre__text_put(&ranges, "%s", of->name[i]);
        put_bound(&ranges, low);
        put_bound(&ranges, high);
        bnre__text_put(&ranges, "\n");
    }
    BNRE_TRY(write_text(of, "getdist.txt", &chain));
    BNRE_TRY(write_text(of, "getdist.paramnames", &names));
    BNRE_TRY(write_text(of, "getdist.ranges", &ranges));
done:
    bnre__free(ranges.data);
    bnre__free(names.data);
    bnre__free(chain.data);
    return status;
}

/* A data frame of draws: .chain and .iteration from 1 on, as R counts. */
static bnre_status write_stan(const bnre__exchange *of, const struct draws *d)
{
    bnre__text out = {0};
    bnre_status status = BNRE_OK;
    char number[32];

    bnre__text_put(&out, ".chain,.iteration,.draw,lp__");
    for (size_t i = 0; i < d->dim; i++)
        bnre__text_put(&out, ",%s", of->name[i]);
    bnre__text_put(&out, "\n");
    for (size_t k = 0; k < d->chains * d->length; k++) {
        bnre__text_put(&out, "%zu,%zu,%zu,%s", k / d->length + 1,
                       k % d->length + 1, k + 1,
                       bnre__text_real(d->lp[k], number));
        for (size_t i = 0; i < d->dim; i++)
            bnre__text_put(&out, ",%s",
                           bnre__text_real(d->theta[k * d->dim + i], number));
        bnre__text_put(&out, "\n");
    }
    BNRE_TRY(write_text(of, "draws.csv", &out));
done:
    bnre__free(out.data);
    return status;
}

bnre_status bnre__exchange_write(const bnre__exchange *of)
{
    const char *write = of->files->write;
    bnre_status status = BNRE_OK;
    struct draws d = {0};

    if (!bnre__exchange_wants(write, "nc") &&
        !bnre__exchange_wants(write, "getdist") &&
        !bnre__exchange_wants(write, "stan"))
        return BNRE_OK;
    BNRE_TRY(arrange(of, &d));
    if (bnre__exchange_wants(write, "nc"))
        BNRE_TRY(write_nc(of, &d));
    if (bnre__exchange_wants(write, "getdist"))
        BNRE_TRY(write_getdist(of, &d));
    if (bnre__exchange_wants(write, "stan"))
        BNRE_TRY(write_stan(of, &d));
done:
    clear_draws(&d);
    return status;
}
