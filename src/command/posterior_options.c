/* posterior_options.c - the options of the command `posterior`: their table,
   and what their texts mean. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/value.h"
#include "command/posterior.h"

/* In the order of the words of `sampler`. */
static const bnre_sampler methods[] = {BNRE_SAMPLER_AUTO, BNRE_SAMPLER_DRAWS,
                                       BNRE_SAMPLER_GRID, BNRE_SAMPLER_BANK,
                                       BNRE_SAMPLER_CHAIN};

#define AT(field) offsetof(bnre_posterior_settings, field)
static const bnre_opt rows[] = {
    {"observation", BNRE_OPT_LIST, AT(observation), NULL, NULL, "FILE",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "the observation: .npy, .npz, .h5 (array x), text, DATASET:ROW, or - for "
     "standard input. Several files, or several rows in a file, are "
     "independent observations of the same parameters"},
    {"each", BNRE_OPT_TEXT, AT(each), NULL, NULL, "DATA",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "a posterior for each row of a dataset, instead of `observation`: a table "
     "of summaries and one array of samples"},
    {"prior", BNRE_OPT_TEXT, AT(prior), NULL, NULL, "FILE.yaml",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "another prior than that of training: a file with parameters: {name: "
     "\"normal(0, 1)\"} as in a task; those it leaves out keep theirs"},
    {"calibrate", BNRE_OPT_TEXT, AT(calibrate), NULL, NULL, "FILE",
     BNRE_OPT_RESULT,
     "with `prior`: fresh pairs (of the prior of training, or of the other), "
     "for conformal regions that hold under the other prior"},
    {"also", BNRE_OPT_LIST, AT(also), NULL, NULL, "EST2.h5 OBS2",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "a further experiment: an estimator of another task and its observation. "
     "Parameters of the same name are the same. May be given several times"},
    {"samples", BNRE_OPT_SIZE, AT(samples), NULL, "[1, 1e8]", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of posterior samples to write (default: 10000; with `each` 1000 "
     "of each row)"},
    {"grid", BNRE_OPT_TEXT, AT(grid), "auto", NULL, "auto|paper|N",
     BNRE_OPT_RESULT,
     "for up to 3 parameters. auto: a fine grid where the posterior has its "
     "mass; N: N cells of equal prior mass per parameter; paper: the grid of "
     "the reference experiments"},
    {"sampler", BNRE_OPT_CHOICE, AT(sampler), "auto",
     "auto|draws|grid|bank|chain", "WORD", BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "how to compute the posterior. grid: for up to 3 parameters; bank: "
     "weighted draws from the prior; chain: Markov chains; draws: independent "
     "draws, for npe and bnpe; auto: grid if possible, else draws, else chain"},
    {"levels", BNRE_OPT_TEXT, AT(levels), "0.683,0.954,0.997", NULL, "C,C,...",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "credibility levels of the highest-density regions"},
    {"regions", BNRE_OPT_CHOICE, AT(regions), "nominal",
     "nominal|conformal|both", "WORD", BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "regions drawn in the corner plot: nominal (from the posterior), "
     "conformal (with a coverage guarantee; needs calibration), or both"},
    {"local", BNRE_OPT_FLAG, AT(local), NULL, NULL, NULL, BNRE_OPT_RESULT,
     "also compute conformal regions from the calibration pairs that are most "
     "similar to the observation; their coverage is approximate"},
    {"temper", BNRE_OPT_REAL, AT(temper), NULL, "(0, 1]", "T", 0,
     "widen the posterior towards the prior: p(theta) exp(T log r) (default: "
     "the value stored in the estimator)"},
    {"widen", BNRE_OPT_REAL, AT(widen), NULL, "[1, 100]", "C", 0,
     "multiply the widths of the densities by C, for npe and bnpe (default: "
     "the value stored in the estimator)"},
    {"truth", BNRE_OPT_TEXT, AT(truth), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "true parameters, to be marked in the corner plot (default: those of the "
     "row, if the observation is a row of a dataset)"},
    {"bank", BNRE_OPT_SIZE, AT(bank), "65536", "[2, 1e8]", "N", BNRE_OPT_RESULT,
     "number of draws from the prior, for `sampler: bank` and for the starting "
     "points of chains"},
    {"steps", BNRE_OPT_SIZE, AT(steps), "6400", "[4, 1e7]", "N",
     BNRE_OPT_RESULT, "largest number of steps of the Markov chains"},
    {"odds", BNRE_OPT_TEXT, AT(odds), NULL, NULL, "A,B,...", 0,
     "with a classifier (trained with `classes`): prior odds of its classes, "
     "in "
     "their order (default: all the same)"},
    {"show", BNRE_OPT_TEXT, AT(show), NULL, NULL, "A,B,...",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "parameters in the corner plot and in the table, in this order (default: "
     "all, on several pages if there are more than 8)"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT, "file formats of the corner plot"},
    {"write", BNRE_OPT_TEXT, AT(write), NULL, NULL, "csv,npy,nc,getdist,stan",
     BNRE_OPT_RESULT,
     "files of draws (default: csv,npy). nc: NetCDF for ArviZ and xarray; "
     "getdist: chains for GetDist; stan: a table for R's posterior package"},
    {"predictive", BNRE_OPT_TEXT, AT(predictive), NULL, NULL, "FILE", 0,
     "simulations from the first draws of this posterior (simulate with "
     "`theta_file: DIR/samples.npy`), to be written with them by `write: nc`"},
};

const bnre_opt *bnre_posterior_options(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

size_t bnre__posterior_samples(const bnre_posterior_settings *settings)
{
    if (settings->samples > 0)
        return settings->samples;
    return settings->each != NULL ? 1000 : 10000;
}

/* Numbers separated by commas; *n receives how many. */
static bnre_status read_list(const char *text, const char *rule,
                             const char *what, size_t room, double *out,
                             size_t *n)
{
    for (*n = 0;; *n += 1) {
        size_t length;
        char part[64];

        text += strspn(text, " ");
        length = strcspn(text, ",");
        if (*n == room)
            return bnre_fail(BNRE_EUSAGE, "%s: more than %zu values", what,
                             room);
        if (length >= sizeof part)
            return bnre_fail(BNRE_EUSAGE, "%s: %.20s... is too long", what,
                             text);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        BNRE_DO(bnre__read_real(part, rule, what, &out[*n]));
        if (text[length] == 0)
            break;
        text += length + 1;
    }
    *n += 1;
    return BNRE_OK;
}

bnre_status bnre__posterior_levels(const char *text,
                                   double out[BNRE_POSTERIOR_LEVELS], size_t *n)
{
    return read_list(text, "(0, 1)", "levels", BNRE_POSTERIOR_LEVELS, out, n);
}

bnre_status bnre__posterior_method(const bnre_posterior_settings *settings,
                                   bnre_posterior_opts *opts)
{
    opts->sampler = methods[settings->sampler];
    if (strcmp(settings->grid, "auto") == 0)
        return BNRE_OK;
    if (opts->sampler != BNRE_SAMPLER_AUTO &&
        opts->sampler != BNRE_SAMPLER_GRID)
        return bnre_fail(BNRE_EUSAGE, "grid and sampler exclude each other");
    if (strcmp(settings->grid, "paper") == 0) {
        opts->sampler = BNRE_SAMPLER_PAPER;
        return BNRE_OK;
    }
    opts->sampler = BNRE_SAMPLER_GRID;
    return bnre__read_size(settings->grid, "[1, inf)", "grid", &opts->grid);
}

bnre_status bnre__posterior_truth(const char *text,
                                  const bnre_observations *observed, size_t dim,
                                  double **out)
{
    bnre_status status = BNRE_OK;
    double *truth = NULL;
    size_t n = dim;

    *out = NULL;
    if (text == NULL && (observed->theta == NULL || observed->dim != dim))
        return BNRE_OK;
    BNRE_NEW(truth, dim);
    if (text == NULL)
        memcpy(truth, observed->theta, dim * sizeof *truth);
    else
        BNRE_TRY(read_list(text, "(-inf, inf)", "truth", dim, truth, &n));
    if (n != dim)
        BNRE_THROW(BNRE_EUSAGE,
                   "truth has %zu value%s, the estimator has %zu parameters", n,
                   n == 1 ? "" : "s", dim);
    *out = truth;
    truth = NULL;
done:
    bnre__free(truth);
    return status;
}
