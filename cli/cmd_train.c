#include <math.h>
#include <string.h>

#include "cli.h"

struct args {
    struct common common;
    bnre_train_opts train;
    char *history, *output;
};

#define AT(field) offsetof(struct args, field)
static const bnre_opt opts[] = {
    {"history", BNRE_OPT_TEXT, AT(history), NULL, NULL, "FILE.csv", 0,
     "where the course of training goes (default: beside the output)"},
    {"output", BNRE_OPT_TEXT, AT(output), NULL, NULL, "FILE.h5", 0,
     "the estimator (default estimator.h5)"},
};

/* 2 log 2: the loss of a classifier that knows nothing. */
#define CHANCE 1.3862943611198906

static const char *why(const bnre_train_result *result)
{
    switch (result->stop) {
    case BNRE_STOP_PATIENCE:
        return "no better epoch came";
    case BNRE_STOP_FLOOR:
        return "the learning rate came to its end";
    case BNRE_STOP_TIME:
        return "the time was over";
    default:
        return "all done";
    }
}

static void print_warnings(const struct common *common, unsigned warnings)
{
    for (unsigned bit = 1; bit <= warnings; bit <<= 1)
        if (warnings & bit && bnre_train_warning(bit) != NULL)
            cli_note(common, "warning: %s", bnre_train_warning(bit));
}

static void print_summary(const char *path, const bnre_train_result *result,
                          double seconds)
{
    char number[CLI_NUMBER], other[CLI_NUMBER];

    printf("%s\n", path);
    printf("  simulations   %s to learn from, %s for validation\n",
           cli_count(result->simulations, number),
           cli_count(result->validation, other));
    if (result->members == 1)
        printf("  epochs        %zu, the best was %zu (%s)\n",
               result->last_epoch, result->best_epoch, why(result));
    else
        printf("  epochs        %zu in %zu members\n", result->epochs,
               result->members);
    printf("  loss          %.4f in validation, %.4f in training (chance "
           "%.4f)\n",
           result->loss, result->train_loss, CHANCE);
    printf("  balance       %.4f\n", result->balance);
    printf("  time          %s\n", cli_duration(seconds, number));
}

static bnre_status run(const void *fields, size_t n, const char *const *operand)
{
    const struct args *args = fields;
    const char *path = args->output != NULL ? args->output : "estimator.h5";
    bnre_train_opts train = args->train;
    bnre_train_result result = {0};
    bnre_status status = BNRE_OK;
    struct progress progress;
    bnre_monitor monitor;
    bnre_pool *pool = NULL;
    double seconds;

    (void)n;
    (void)operand;
    CLI_TRY(cli_make_parents(path));
    CLI_TRY(bnre_pool_create(args->common.threads, &pool));
    monitor = cli_progress_start(&progress, "train", &args->common);
    train.seed = args->common.seed;
    train.force = args->common.force;
    train.history = args->history;
    train.save_every = 30;
    train.pool = pool;
    train.monitor = &monitor;
    status = bnre_train(&train, path, &result);
    seconds = cli_progress_finish(&progress);
    CLI_TRY(status);
    if (!args->common.quiet)
        print_summary(path, &result, seconds);
    fflush(stdout);
    print_warnings(&args->common, result.warnings);
    cli_note(&args->common, "next: bnre info %s", path);
done:
    bnre_pool_destroy(pool);
    return status;
}

const struct command cli_train = {
    .name = "train",
    .title = "learn an estimator of log ratios from a dataset",
    .usage = "--data FILE [options]",
    .text =
        "Trains networks to tell pairs (theta, x) that belong together from "
        "pairs that do not; their logit estimates log p(x|theta)/p(x). The "
        "method bnre adds the balance penalty lambda (B - 1)^2, which makes "
        "posteriors conservative. The file written is complete: networks, "
        "scalers, priors, settings, history.",
    .examples = "  bnre train --data slcp.h5 -o slcp-bnre.h5\n"
                "  bnre train --data slcp.h5 --method nre --members 5\n"
                "  bnre train --data slcp.h5 --recipe paper --validation "
                "slcp-validate.h5 \\\n"
                "      --schedule slcp-schedule.h5 --simulations 1024\n",
    .shared = bnre_train_options,
    .shared_at = offsetof(struct args, train),
    .opts = opts,
    .n_opts = sizeof opts / sizeof *opts,
    .size = sizeof(struct args),
    .run = run,
};
