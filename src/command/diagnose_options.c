/* diagnose_options.c - the options of the command `diagnose`: their table, and
   what their texts mean. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/value.h"
#include "command/diagnose.h"

#define AT(field) offsetof(bnre_diagnose_settings, field)
static const bnre_opt rows[] = {
    {"data", BNRE_OPT_TEXT, AT(data), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "fresh pairs, which the estimator has not seen; simulate them with "
     "`split: test`"},
    {"classes", BNRE_OPT_LIST, AT(classes), NULL, NULL, "A B ...", 0,
     "of an estimator that was trained with `classes`: files of rows that it "
     "has not seen, one for each class in the same order, which tell its "
     "accuracy, calibration and confusion"},
    {"check", BNRE_OPT_FLAG, AT(check), NULL, NULL, NULL, BNRE_OPT_USUAL,
     "exit with status 3 if the verdict is OVERCONFIDENT, UNINFORMATIVE or "
     "BLIND"},
    {"strict", BNRE_OPT_FLAG, AT(strict), NULL, NULL, NULL, 0,
     "exit with status 3 also if the verdict is INCONCLUSIVE"},
    {"grid", BNRE_OPT_TEXT, AT(grid), "auto", NULL, "auto|chains|paper|N",
     BNRE_OPT_RESULT,
     "where to evaluate the posterior of each pair. auto: at draws of the "
     "posterior with npe and bnpe; else for up to 3 parameters at a random "
     "point in each of many cells, which are small where the posterior has its "
     "mass; else as chains. chains: at the ends of Markov chains that begin at "
     "the true parameters; N: in N cells of equal prior mass per parameter, "
     "for up to 3 parameters; paper: on the grid of the reference experiments"},
    {"points", BNRE_OPT_SIZE, AT(points), "0", "[0, 1e6]", "N", BNRE_OPT_RESULT,
     "number of cells per pair, in place of draws or chains, with `grid: auto` "
     "(default for 1, 2 or 3 parameters: 96, 384 or 512)"},
    {"draws", BNRE_OPT_SIZE, AT(draws), "0", "[0, 1e7]", "N", BNRE_OPT_RESULT,
     "evaluate this many draws per pair in place of a grid: from the posterior "
     "itself with npe and bnpe, else from the prior; with `grid: chains` this "
     "many ends of chains (default: 100 with npe, bnpe and chains, 512 for "
     "priors known by samples, else a grid)"},
    {"steps", BNRE_OPT_SIZE, AT(steps), NULL, "[1, 1e5]", "N", BNRE_OPT_RESULT,
     "largest number of steps of the Markov chains, each way: 4, doubled as "
     "long as the chains remember too much of where they began; if N do not "
     "suffice the verdict is BLIND (default 32)"},
    {"most_points", BNRE_OPT_TEXT, AT(most_points), NULL, NULL, "N",
     BNRE_OPT_RESULT,
     "largest number of points or draws per pair: as long as fewer do not "
     "resolve the posteriors their number is doubled, up to N; if N do not "
     "suffice the verdict is BLIND (default 8192)"},
    {"observations", BNRE_OPT_SIZE, AT(observations), "1", "[1, 10000]", "K",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of independent observations of the same parameters; K consecutive "
     "rows of the data form a pair"},
    {"temper", BNRE_OPT_TEXT, AT(temper), NULL, NULL, "T,T,...",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "diagnose posteriors that are widened towards the prior, p(theta) exp(T "
     "log r) with 0 < T <= 1; the first T is shown in full (default: the value "
     "stored in the estimator)"},
    {"widen", BNRE_OPT_REAL, AT(widen), NULL, "[1, 100]", "C", BNRE_OPT_RESULT,
     "diagnose posteriors whose widths are multiplied by C, for npe and bnpe "
     "(default: the value stored in the estimator)"},
    {"prior", BNRE_OPT_TEXT, AT(prior), NULL, NULL, "FILE.yaml",
     BNRE_OPT_RESULT,
     "diagnose posteriors under another prior than that of training, as in "
     "`prior` of posterior; of pairs that were simulated for the prior of "
     "training some are left out, so that the rest follow the other one"},
    {"each_member", BNRE_OPT_FLAG, AT(each_member), NULL, NULL, NULL,
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "also diagnose each member of an ensemble"},
    {"delta", BNRE_OPT_REAL, AT(delta), "0.05", "(0, 1)", "X", BNRE_OPT_RESULT,
     "the verdict has confidence 1 - X"},
    {"eps", BNRE_OPT_REAL, AT(eps), "0.02", "[0, 1)", "X", BNRE_OPT_RESULT,
     "tolerance of the verdict: coverage may be below its level by this much"},
    {"samples_file", BNRE_OPT_TEXT, AT(samples_file), NULL, NULL, "FILE",
     BNRE_OPT_USUAL,
     "diagnose samples that another program has made: .npz or .h5 with samples "
     "(pairs, samples, parameters) and, if known, theta, log_density and "
     "log_density_true; or .npy"},
    {"normalised", BNRE_OPT_FLAG, AT(normalised), NULL, NULL, NULL,
     BNRE_OPT_RESULT,
     "with `samples_file`: the densities integrate to 1, so that the "
     "information gain can be computed"},
    {"learning_curve", BNRE_OPT_TEXT, AT(learning_curve), NULL, NULL, "DATA",
     BNRE_OPT_USUAL,
     "training data of the estimator; also train on a quarter and on half of "
     "them, to estimate what more simulations would bring"},
    {"observation", BNRE_OPT_TEXT, AT(observation), NULL, NULL, "FILE",
     BNRE_OPT_USUAL, "an observation, to check whether it is like the pairs"},
    {"theorems", BNRE_OPT_SIZE, AT(theorems), "0", "[0, 1e6]", "N", 0,
     "check what theory says about every classifier on N pairs, for tasks with "
     "a known likelihood; 0 means no check"},
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml", 0,
     "task of the pairs, which `theorems` needs if the likelihood is in a "
     "plugin, because a plugin that a data file names is never loaded"},
    {"allow_seen", BNRE_OPT_FLAG, AT(allow_seen), NULL, NULL, NULL,
     BNRE_OPT_RESULT,
     "continue with pairs that the estimator was trained on; the result will "
     "be too good"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL, "file formats of the figures"},
};

const bnre_opt *bnre_diagnose_options(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

/* auto, paper, or cells per parameter. */
static bnre_status read_grid(const char *text, bnre_diag_opts *opts)
{
    if (strcmp(text, "auto") == 0)
        return BNRE_OK;
    if (strcmp(text, "paper") == 0 || strcmp(text, "chains") == 0) {
        opts->grid = text[0] == 'p' ? BNRE_DIAG_PAPER : BNRE_DIAG_CHAINS;
        return BNRE_OK;
    }
    opts->grid = BNRE_DIAG_CELLS;
    if (bnre__read_size(text, "[1, 1e7]", "grid", &opts->cells) != BNRE_OK)
        return bnre_fail(
            BNRE_EUSAGE,
            "grid must be auto, chains, paper or a number of cells "
            "from 1 to 1e7, got \"%s\"",
            text);
    return BNRE_OK;
}

bnre_status bnre__diagnose_grid(const bnre_diagnose_settings *settings,
                                bnre_diag_opts *opts)
{
    const int automatic = strcmp(settings->grid, "auto") == 0;
    bnre_status status = BNRE_OK;

    opts->draws = settings->draws;
    opts->most_steps = settings->steps;
    opts->fitted = settings->points;
    if (settings->most_points != NULL)
        BNRE_TRY(bnre__read_size(settings->most_points, "[1, 1e7]",
                                 "most_points", &opts->most_points));
    BNRE_TRY(read_grid(settings->grid, opts));
    if (settings->draws > 0 && !automatic && opts->grid != BNRE_DIAG_CHAINS)
        BNRE_THROW(BNRE_EUSAGE,
                   "draws are in place of a grid, but grid is %s: they exclude "
                   "each other",
                   settings->grid);
    if (settings->points > 0 && (settings->draws > 0 || !automatic))
        BNRE_THROW(
            BNRE_EUSAGE,
            "`points` are for `grid: auto` without draws, and exclude %s",
            automatic ? "draws" : "another grid");
done:
    return status;
}

bnre_status bnre__diagnose_temper(const char *text, double usual, double **out,
                                  size_t *n)
{
    bnre_status status = BNRE_OK;
    double *temper = NULL;
    char part[64];

    *n = 1;
    for (const char *c = text; c != NULL && *c != 0; c++)
        *n += *c == ',';
    BNRE_NEW(temper, *n);
    temper[0] = usual;
    for (size_t i = 0; text != NULL && i < *n; i++) {
        size_t length = strcspn(text, ",");

        snprintf(part, sizeof part, "%.*s", (int)length, text);
        BNRE_TRY(bnre__read_real(part, "(0, 1]", "temper", &temper[i]));
        text += length + (text[length] == ',');
    }
    *out = temper;
    temper = NULL;
done:
    bnre__free(temper);
    return status;
}

bnre_status bnre__diagnose_check(const bnre_diagnose_settings *settings)
{
    bnre_diag_opts opts = bnre_diag_opts_default();

    if (settings->samples_file != NULL &&
        (settings->temper != NULL || settings->widen > 0 ||
         settings->each_member || settings->observations > 1))
        return bnre_fail(BNRE_EUSAGE, "samples are what they are: temper, "
                                      "widen, each_member and "
                                      "observations do not go with "
                                      "samples_file");
    return bnre__diagnose_grid(settings, &opts);
}
