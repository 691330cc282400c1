/* The command `train`: bnre_train_make(), told by print_train.c. */
#include <stddef.h>

#include "print.h"

/* Options of training are followed by more of the command. */
struct args {
    struct common common;
    bnre_train_settings settings;
};

static bnre_status run(const void *fields, struct cli_work *work)
{
    const struct args *args = fields;
    const char *path =
        args->settings.output != NULL ? args->settings.output : "estimator.h5";
    const bnre_train_request request = {CLI_REQUEST(args, work)};
    bnre_train_outcome outcome = {0};
    const bnre_status status = bnre_train_make(&request, path, &outcome);
    const double seconds = cli_work_end(work);

    if (status == BNRE_OK || status == BNRE_EDOUBT)
        cli_print_training(&args->common, &args->settings, path, &outcome,
                           seconds);
    bnre_train_outcome_clear(&outcome);
    return status;
}

const struct command cli_train = {
    .name = "train",
    .title = "learn posteriors from a dataset",
    .usage =
        "--data FILE [options]\n       bnre train --classes A B ... [options]",
    .text = "Trains networks that know the posterior of any x. npe and bnpe "
            "learn p(theta|x) as a product of one-dimensional densities; nre "
            "and bnre learn the ratio log p(x|theta) / p(x) from a classifier "
            "of pairs (theta, x) that belong together and pairs that do not. "
            "bnpe and bnre have the penalty lambda (B - 1)^2 on their balance "
            "B, which makes posteriors cautious.\n\n"
            "By default (npe with --trust auto) each simulation is judged by "
            "networks that did not learn from it, and posteriors are made as "
            "wide as that needs. With --trust fresh the program trains with "
            "several values of lambda, evaluates them on fresh pairs, and "
            "returns the sharpest estimator that is certified to be "
            "conservative.\n\n"
            "With --classes it trains a balanced classifier of two classes of "
            "rows (CSV, npy, npz, HDF5); both classes have equal weight, "
            "whatever their sizes. More than two classes are values of a "
            "categorical parameter, learned as a conditional density that is "
            "balanced for each class against the rest; rows that are held out "
            "tell accuracy, calibration and confusion.\n\n"
            "The file of the estimator is complete: it holds the networks, "
            "scalers, priors, settings and history. Training can be "
            "interrupted at any moment; the same command continues from there.",
    .examples =
        "  bnre train --data slcp.h5 -o slcp-est.h5\n"
        "  bnre train --data slcp.h5 --method nre --members 5 -o nre.h5\n"
        "  bnre train --data slcp.h5 --certify 2000 --check -o slcp-est.h5\n"
        "  bnre train --data slcp.h5 --method nre --temper auto "
        "--calibrate 2000\n"
        "  bnre train --data series.h5 --network cnn1d\n"
        "  bnre train --data slcp.h5 --network net.yaml --epochs 50\n"
        "  bnre train --data slcp.h5 --recipe paper --simulations 1024 \\\n"
        "      --validation slcp-validate.h5 --schedule slcp-schedule.h5\n"
        "  bnre train --classes measured.csv simulated.csv -o classifier.h5\n"
        "  bnre train --classes a.h5 b.h5 c.h5 -o models.h5\n",
    .shared = {bnre_train_options, bnre_train_more},
    .shared_at = offsetof(struct args, settings),
    .size = sizeof(struct args),
    .bar = CLI_BAR,
    .run = run,
};
