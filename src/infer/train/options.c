/* The options of training: one table, and what the recipes mean. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "infer/train/train.h"
#include "nn/net.h"

#define AT(field) offsetof(bnre_train_opts, field)
static const bnre_opt table[] = {
    {"data", BNRE_OPT_TEXT, AT(data), NULL, NULL, "FILE", BNRE_OPT_USUAL,
     "dataset to train on"},
    {"classes", BNRE_OPT_LIST, AT(classes), NULL, NULL, "A B ...",
     BNRE_OPT_USUAL,
     "two files or more, each with the rows of one class; trains a classifier "
     "that tells them apart, in place of `data`"},
    {"validation", BNRE_OPT_TEXT, AT(validation), NULL, NULL, "FILE", 0,
     "dataset whose loss selects the best epoch (default: a tenth of the data "
     "is held out)"},
    {"schedule", BNRE_OPT_TEXT, AT(schedule), NULL, NULL, "FILE", 0,
     "dataset whose loss drives the learning rate in the recipe paper "
     "(default: a second tenth of the data is held out)"},
    {"task", BNRE_OPT_TEXT, AT(task), NULL, NULL, "NAME|FILE.yaml", 0,
     "task with the parameters and priors. Data that do not name their task "
     "need it; for other data it is checked against them. It is also needed if "
     "pairs are simulated during training and the simulator is a program or a "
     "plugin, because a program that a data file names is never run"},
    {"method", BNRE_OPT_CHOICE, AT(method), "auto", "nre|bnre|npe|bnpe|auto",
     "WORD", BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "what the network learns. nre and bnre: a likelihood ratio; npe and bnpe: "
     "the posterior as a product of one-dimensional densities, which makes the "
     "most of few simulations. bnre and bnpe add the balance penalty; auto: "
     "npe where `trust: auto` chooses its widths, else bnpe, or bnre in the "
     "recipe paper and with `classes`"},
    {"parameters", BNRE_OPT_TEXT, AT(parameters), NULL, NULL, "A,B,...",
     BNRE_OPT_RESULT,
     "parameters of the data to infer; the others become nuisance, and the "
     "posterior is averaged over them (default: all)"},
    {"order", BNRE_OPT_TEXT, AT(order), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "npe and bnpe: parameters whose factors come first; the factor of the "
     "first one is its marginal posterior (default: the order of the task)"},
    {"lambda", BNRE_OPT_REAL, AT(lambda), "auto", "[0, inf)|auto", "X|auto",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "strength of the balance penalty, relative to the sum of the two "
     "cross-entropies (programs that average them need half of it); auto: 0 "
     "with npe and nre, what `trust: fresh` chooses, else 100"},
    {"lambda_ramp", BNRE_OPT_FLAG, AT(lambda_ramp), NULL, NULL, NULL,
     BNRE_OPT_RESULT,
     "increase lambda from 0 during the first 80 % of the epochs"},
    {"recipe", BNRE_OPT_CHOICE, AT(recipe), "default", "default|paper", "WORD",
     BNRE_OPT_RESULT,
     "settings for all options that are not given. default: the recommended "
     "ones; paper: those of the reference experiments"},
    {"network", BNRE_OPT_TEXT, AT(network), NULL, NULL, "NAME", BNRE_OPT_USUAL,
     "network: mlp, cnn1d, dilated_cnn, resnet18, or a file NAME.yaml (default "
     "mlp; recipe paper: the network of the task)"},
    {"members", BNRE_OPT_SIZE, AT(members), NULL, "[1, 1000]", "K",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of networks in the ensemble; each thread trains one at a time "
     "(default: 10 with `trust: auto`, else 5 with npe and bnpe and 1 with nre "
     "and bnre; with `folds` the next multiple)"},
    {"folds", BNRE_OPT_SIZE, AT(folds), NULL, "[2, 100]", "F", BNRE_OPT_RESULT,
     "divide the simulations into F folds; equally many members train without "
     "each of them, so that their number is a multiple of F (default: none, "
     "or what `trust: auto` needs)"},
    {"simulations", BNRE_OPT_SIZE, AT(simulations), NULL, "[1, inf)", "N",
     BNRE_OPT_RESULT | BNRE_OPT_USUAL,
     "number of rows of the data to use, drawn at random; it includes failed "
     "rows and those held out (default: all)"},
    {"validation_rows", BNRE_OPT_SIZE, AT(validation_rows), NULL, "[1, inf)",
     "N", BNRE_OPT_RESULT,
     "number of rows to hold out for validation, or to read from the start of "
     "`validation` (default: a tenth of the data, or all of the file)"},
    {"schedule_rows", BNRE_OPT_SIZE, AT(schedule_rows), NULL, "[1, inf)", "N",
     BNRE_OPT_RESULT, "the same number for `schedule`"},
    {"teach_rows", BNRE_OPT_SIZE, AT(teach_rows), NULL, "[1, inf)", "N",
     BNRE_OPT_RESULT,
     "with folds: the last N rows of the data teach every network and check "
     "none, as they are no independent draws of the prior (default 0)"},
    {"test_rows", BNRE_OPT_SIZE, AT(test_rows), NULL, "[2, inf)", "N", 0,
     "with `classes`: number of rows of each class to hold out for the report "
     "(default: a tenth)"},
    {"failure", BNRE_OPT_CHOICE, AT(failure), "auto", "auto|outcome|missing",
     "WORD", BNRE_OPT_RESULT,
     "how to treat failed simulations. outcome: the model can fail, and "
     "failing is informative; missing: the result was lost by chance; auto: "
     "invalid results are outcomes, crashes and time-outs are missing"},
    {"epochs", BNRE_OPT_SIZE, AT(epochs), NULL, "[1, 1000000]", "N",
     BNRE_OPT_RESULT,
     "largest number of passes through the data (default 500)"},
    {"batch_size", BNRE_OPT_SIZE, AT(batch_size), NULL, "[2, 1000000]", "N",
     BNRE_OPT_RESULT,
     "number of simulations in a training step (default 128; npe and bnpe: "
     "64; fewer where there are few simulations)"},
    {"learning_rate", BNRE_OPT_REAL, AT(learning_rate), NULL, "(0, 10]", "X",
     BNRE_OPT_RESULT,
     "initial learning rate of AdamW; it is divided by ten whenever the loss "
     "stops falling (default 0.001)"},
    {"weight_decay", BNRE_OPT_REAL, AT(weight_decay), "0", "[0, inf)", "X",
     BNRE_OPT_RESULT, "weight decay of AdamW"},
    {"clip", BNRE_OPT_REAL, AT(clip), "0", "[0, inf)", "X", BNRE_OPT_RESULT,
     "largest norm of a gradient; longer ones are scaled down; 0 means no "
     "limit"},
    {"weights", BNRE_OPT_CHOICE, AT(weights), "auto", "auto|best|last", "WORD",
     BNRE_OPT_RESULT,
     "which weights the estimator uses; both are kept. best: those of the "
     "epoch with the lowest validation loss; last: those of the last epoch; "
     "auto: best, in the recipe paper last"},
    {"standardise", BNRE_OPT_CHOICE, AT(standardise), "auto",
     "auto|none|element|channel|feature", "WORD", BNRE_OPT_RESULT,
     "which values of x are standardised with a common location and scale; "
     "auto: element for vectors and channel for other shapes, in the recipe "
     "paper none"},
    {"pairing", BNRE_OPT_CHOICE, AT(pairing), "auto",
     "auto|permutation|derangement", "WORD", BNRE_OPT_RESULT,
     "how a batch pairs each theta with the x of another; a permutation may "
     "leave some pairs in place, a derangement leaves none; auto: derangement, "
     "in the recipe paper permutation"},
    {"patience", BNRE_OPT_SIZE, AT(patience), NULL, "[1, inf)", "N",
     BNRE_OPT_RESULT,
     "stop after N epochs without a lower validation loss, counted once the "
     "loss is below that of chance (default 25; recipe paper: never)"},
    {"stop_at_floor", BNRE_OPT_FLAG, AT(stop_at_floor), "yes", NULL, NULL,
     BNRE_OPT_RESULT,
     "stop when the learning rate is so small that the weights no longer "
     "change; `stop_at_floor: no` continues"},
    {"max_time", BNRE_OPT_REAL, AT(max_time), NULL, "(0, inf)", "SECONDS", 0,
     "stop after this time, at the end of the epoch that is running; the "
     "result then depends on the speed of the machine"},
    {"memory", BNRE_OPT_SIZE, AT(memory), "1024", "[1, inf)", "MIB", 0,
     "memory for data, in MiB; larger data are read again in every epoch, with "
     "the same result"},
};
enum { ROWS = sizeof table / sizeof *table };

const bnre_opt *bnre_train_options(size_t *n)
{
    *n = ROWS;
    return table;
}

bnre_train_opts bnre_train_opts_default(void)
{
    bnre_train_opts opts = {.seed = 1, .save_every = 30};

    /* There is no text with a preset, so nothing is allocated. */
    if (bnre_opt_init(table, ROWS, &opts) != BNRE_OK)
        return (bnre_train_opts){0};
    return opts;
}

int bnre_method_is_balanced(int method)
{
    return method != BNRE_METHOD_NRE && method != BNRE_METHOD_NPE;
}

int bnre_method_is_conditional(int method)
{
    return method == BNRE_METHOD_NPE || method == BNRE_METHOD_BNPE;
}

const char *bnre_method_name(int method)
{
    static const char *const name[] = {[BNRE_METHOD_NRE] = "nre",
                                       [BNRE_METHOD_BNRE] = "bnre",
                                       [BNRE_METHOD_NPE] = "npe",
                                       [BNRE_METHOD_BNPE] = "bnpe",
                                       [BNRE_METHOD_OF_RECIPE] = "auto"};

    return name[method];
}

int bnre__train_method(const bnre_train_opts *opts)
{
    if (opts->method != BNRE_METHOD_OF_RECIPE)
        return opts->method;
    return opts->recipe == BNRE_RECIPE_PAPER || opts->classes.count > 0
               ? BNRE_METHOD_BNRE
               : BNRE_METHOD_BNPE;
}

/* One network claims too much as a rule; five small ones cost a second. */
size_t bnre__train_members(const bnre_train_opts *opts)
{
    const size_t enough =
        opts->classes.count == 0 &&
                bnre_method_is_conditional(bnre__train_method(opts))
            ? 5
            : 1;
    const size_t step = opts->folds > 0 ? opts->folds : 1;

    return opts->members > 0 ? opts->members
                             : (enough + step - 1) / step * step;
}

static void choose(int *field, int given)
{
    if (*field == 0)
        *field = given;
}

void bnre__train_resolve(bnre_train_opts *opts)
{
    const int paper = opts->recipe == BNRE_RECIPE_PAPER;
    int conditional;

    opts->members = bnre__train_members(opts);
    opts->method = bnre__train_method(opts);
    conditional = bnre_method_is_conditional(opts->method);
    if (isnan(opts->lambda))
        opts->lambda = BNRE_TRAIN_LAMBDA;
    if (!bnre_method_is_balanced(opts->method))
        opts->lambda = 0;
    if (opts->lambda == 0)
        opts->lambda_ramp = 0;
    if (opts->epochs == 0)
        opts->epochs = 500;
    if (opts->batch_size == 0)
        opts->batch_size = conditional ? 64 : 128;
    if (opts->learning_rate == 0)
        opts->learning_rate = 1e-3;
    if (opts->patience == 0)
        opts->patience = paper ? opts->epochs : 25;
    if (opts->memory == 0)
        opts->memory = 1024;
    choose(&opts->weights, paper ? BNRE_WEIGHTS_LAST : BNRE_WEIGHTS_BEST);
    choose(&opts->pairing,
           paper ? BNRE_PAIRING_PERMUTATION : BNRE_PAIRING_DERANGEMENT);
}

void bnre__train_resolve_scaling(bnre_train_opts *opts, const bnre__net *net)
{
    static const int by[] = {[BNRE__SCALE_NONE] = BNRE_STANDARDISE_NONE,
                             [BNRE__SCALE_ELEMENT] = BNRE_STANDARDISE_ELEMENT,
                             [BNRE__SCALE_CHANNEL] = BNRE_STANDARDISE_CHANNEL,
                             [BNRE__SCALE_FEATURE] = BNRE_STANDARDISE_FEATURE};

    choose(&opts->standardise, opts->recipe == BNRE_RECIPE_PAPER
                                   ? BNRE_STANDARDISE_NONE
                                   : by[bnre__estimator_scale_by(net)]);
}

/* A classifier has some settings of its own, and others mean nothing to it. */
static bnre_status record_classes(const bnre_train_opts *opts,
                                  char *const *label, bnre_node *map)
{
    static const char *const unused[] = {"recipe",        "pairing",
                                         "failure",       "simulations",
                                         "schedule_rows", "validation_rows"};
    bnre_node *list;
    char rows[32];

    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        bnre_node_remove(map, unused[i]);
    BNRE_DO(bnre_node_branch(map, "classes", BNRE_NODE_LIST, &list));
    BNRE_DO(bnre_node_set(list, NULL, label[0]));
    BNRE_DO(bnre_node_set(list, NULL, label[1]));
    if (opts->validation_rows > 0) {
        snprintf(rows, sizeof rows, "%zu", opts->validation_rows);
        BNRE_DO(bnre_node_set(map, "validation_rows", rows));
    }
    if (opts->test_rows > 0) {
        snprintf(rows, sizeof rows, "%zu", opts->test_rows);
        BNRE_DO(bnre_node_set(map, "test_rows", rows));
    }
    return BNRE_OK;
}

bnre_status bnre__train_record(const bnre_train_opts *opts, char *const *label,
                               char **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    char seed[32];

    BNRE_TRY(bnre_opt_record(table, ROWS, opts, &map));
    if (label != NULL)
        BNRE_TRY(record_classes(opts, label, map));
    if (opts->folds == 0)
        bnre_node_remove(map, "folds");
    if (opts->teach_rows == 0)
        bnre_node_remove(map, "teach_rows");
    snprintf(seed, sizeof seed, "%" PRIu64, opts->seed);
    BNRE_TRY(bnre_node_set(map, "seed", seed));
    BNRE_TRY(bnre_node_write(map, out));
done:
    bnre_node_destroy(map);
    return status;
}
