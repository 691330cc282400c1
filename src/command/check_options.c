/* check_options.c - the options of the command `check`. */
#include "bnre/command.h"

#define AT(field) offsetof(bnre_check_settings, field)
static const bnre_opt rows[] = {
    {"observation", BNRE_OPT_LIST, AT(observation), NULL, NULL, "FILE",
     BNRE_OPT_RESULT | BNRE_OPT_NEEDED | BNRE_OPT_USUAL,
     "the observation, as for bnre posterior"},
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml",
     BNRE_OPT_USUAL,
     "the task to simulate (default: that of the estimator, if it is built "
     "in: what a file names is never run)"},
    {"option", BNRE_OPT_LIST, AT(option), NULL, NULL, "KEY=VALUE", 0,
     "option of the simulator"},
    {"summary", BNRE_OPT_LIST, AT(summary), NULL, NULL, "TEXT",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "also compare a summary of x: mean, sd, min, max, median, quantile:P or "
     "autocorrelation:LAG, of all values or of some, such as sd[0:50]; can be "
     "repeated"},
    {"draws", BNRE_OPT_SIZE, AT(draws), "0", "[0, 1e7]", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of simulations from the posterior (default: 1000, or as many as "
     "the level needs; p-values are 2/(N+1) at least)"},
    {"pairs", BNRE_OPT_TEXT, AT(pairs), "auto", NULL, "auto|N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of pairs to simulate from the prior; the tenth of them that is "
     "nearest to the observation is diagnosed. auto: 4000, none where "
     "simulators are external programs; 0: none"},
    {"data", BNRE_OPT_TEXT, AT(data), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "fresh pairs to take the nearest from, in place of new simulations"},
    {"predictive", BNRE_OPT_TEXT, AT(predictive), NULL, NULL, "FILE", 0,
     "simulations for samples of this posterior that were made elsewhere "
     "(simulate with `theta_file: samples.csv`), in place of new ones"},
    {"significance", BNRE_OPT_REAL, AT(significance), "0.01", "(0, 1)", "X",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "level: the model does not fit if a corrected p-value is below"},
    {"temper", BNRE_OPT_REAL, AT(temper), NULL, "(0, 1]", "T", 0,
     "as for bnre posterior"},
    {"widen", BNRE_OPT_REAL, AT(widen), NULL, "[1, 100]", "C", 0,
     "as for bnre posterior"},
    {"workers", BNRE_OPT_SIZE, AT(workers), NULL, "[1, 4096]", "N", 0,
     "number of external programs that run at the same time"},
    {"format", BNRE_OPT_TEXT, AT(format), "svg,pdf", NULL, "svg,pdf,png",
     BNRE_OPT_RESULT, "file formats of the figure"},
};

const bnre_opt *bnre_check_options(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}
