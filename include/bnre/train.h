/* train.h - from datasets to an estimator.

   Balanced neural ratio estimation: a classifier learns to tell pairs (theta,
   x) from pairs whose theta and x do not belong together; its logit is the log
   ratio. The loss of n joint (a) and n marginal (b) logits is

     1/n sum_i [softplus(-a_i) + softplus(b_i)] + lambda (B - 1)^2
     B = 1/n sum_i [sigmoid(a_i) + sigmoid(b_i)]

   The two cross-entropies are added, not averaged: where they are averaged,
   the same lambda is twice as strong (lambda 100 here is 50 there). The method
   nre is lambda = 0.

   The loss needs no more than two classes of rows: with `classes` the same
   trainer makes a balanced classifier of the rows of two files. Each batch has
   as many rows of one class as of the other, and so the classes have equal
   weight: an epoch goes once through the larger one, and through the smaller
   one as often as needed, in a new order each time. */
#ifndef BNRE_TRAIN_H
#define BNRE_TRAIN_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/classes.h"
#include "bnre/pool.h"
#include "bnre/settings.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NRE and BNRE learn a ratio, without and with the penalty. NPE and BNPE learn
   the posterior as a product of densities of one parameter each, given those
   before it: by maximum likelihood, without and with the same penalty on every
   factor (log q_j - log g_j in place of a logit, g_j the parameter's prior). */
typedef enum bnre_method {
    BNRE_METHOD_NRE,
    BNRE_METHOD_BNRE,
    BNRE_METHOD_NPE,
    BNRE_METHOD_BNPE,
    /* "auto": bnpe, with trust: auto npe (trust.h), and bnre for the recipe paper
       and for classifiers of two classes */
    BNRE_METHOD_OF_RECIPE
} bnre_method;

/* Whether a method has lambda, whether it learns conditional densities, and its
   name. (Whatever the recipe, its method has lambda.) */
BNRE_API int bnre_method_is_balanced(int method);
BNRE_API int bnre_method_is_conditional(int method);
BNRE_API const char *bnre_method_name(int method);

/* DEFAULT is what we recommend; PAPER are the settings of the reference
   experiments. They differ in what "the recipe's" means below. */
typedef enum bnre_recipe { BNRE_RECIPE_DEFAULT, BNRE_RECIPE_PAPER } bnre_recipe;

/* What failed simulations mean. */
typedef enum bnre_failure_mode {
    BNRE_FAILURE_AUTO,    /* invalid: outcome; lost: missing */
    BNRE_FAILURE_OUTCOME, /* the model can give nothing that is observed */
    BNRE_FAILURE_MISSING  /* the result was lost by chance */
} bnre_failure_mode;

typedef enum bnre_weights {
    BNRE_WEIGHTS_AUTO, /* the recipe's */
    BNRE_WEIGHTS_BEST, /* of the epoch with the lowest validation loss */
    BNRE_WEIGHTS_LAST
} bnre_weights;

typedef enum bnre_standardise {
    BNRE_STANDARDISE_AUTO,    /* the recipe's, by how the network begins */
    BNRE_STANDARDISE_NONE,    /* values as they are */
    BNRE_STANDARDISE_ELEMENT, /* each element of x for itself */
    BNRE_STANDARDISE_CHANNEL, /* along the first axis */
    BNRE_STANDARDISE_FEATURE  /* along the last axis */
} bnre_standardise;

typedef enum bnre_pairing {
    BNRE_PAIRING_AUTO,        /* the recipe's */
    BNRE_PAIRING_PERMUTATION, /* theta and x permuted within the batch; a pair
                                 may meet itself */
    BNRE_PAIRING_DERANGEMENT  /* no theta meets its own x */
} bnre_pairing;

/* Fields up to `memory` are rows of the table below, with the same names. The
   struct owns nothing: texts and lists are borrowed, and live as long as it is
   used. Whoever fills one in through the table (bnre_opt_set) frees its texts
   through the table (bnre_opt_clear), and hands out copies of the struct to add
   texts of his own. 0 means the recipe's value, unless it says something
   else. */
typedef struct bnre_train_opts {
    const char *data;       /* dataset */
    const char *validation; /* dataset; NULL = a part of `data` */
    const char *schedule;   /* dataset that drives the learning rate */
    const char *task;       /* name or file, if the dataset does not tell its
                               task */
    bnre_opt_list classes; /* two files (see bnre_dataset_open_x) of rows of the
                              first and of the second class, in place of `data`;
                              none = a ratio is estimated; more are for
                              bnre_train_make() */
    int method;            /* bnre_method */
    double lambda;         /* ignored by nre, npe; NaN = 100, or what is chosen
                        (trust.h) */
    int lambda_ramp; /* from 0 to lambda within the first 80 % of epochs */
    int recipe;      /* bnre_recipe */
    const char *parameters; /* names of those to infer, "a,b"; the others are
                               nuisance. NULL = all */
    const char *order;      /* npe, bnpe: names of parameters whose factors come
                            first, with commas; NULL = as in the task */
    const char *network;    /* file; NULL = the recipe's */
    size_t members;
    size_t folds; /* 0 = none; else members f, f + folds, ... see nothing of
                     fold f */
    size_t simulations; /* rows used of `data`, drawn at random; 0 = all */
    size_t validation_rows, schedule_rows; /* split off, or first of the file */
    size_t teach_rows; /* the last of `data`: with folds, every member learns
                          from them, and nothing is checked with them */
    size_t test_rows;  /* of each class, split off for the report */
    int failure;       /* bnre_failure_mode */
    size_t epochs, batch_size;
    double learning_rate, weight_decay, clip; /* clip 0 = no clipping */
    int weights;                              /* bnre_weights */
    int standardise;                          /* bnre_standardise */
    int pairing;                              /* bnre_pairing */
    size_t patience;   /* stop after so many epochs without a better one */
    int stop_at_floor; /* stop when the learning rate has come to its end */
    double max_time;   /* seconds; 0 = no limit */
    size_t memory; /* MiB for data, which are read again if they need more */

    uint64_t seed;
    int force;                 /* replace whatever is there */
    const bnre_node *settings; /* of the network, in place of a file; borrowed;
                                  NULL = none */
    const char *task_file;     /* beside which the files are that the task in
                                  `data` names; NULL = data */
    const char *start;  /* an estimator of the same data, network, members and
                           seed, whose weights to start from; NULL = fresh ones */
    int models;         /* the parameter is a class: the balance of each against
                           the rest is penalised, (B_k - 1)^2 */
    int no_information; /* leave it out of the result: someone else will look */
    const char *history;         /* CSV; NULL = beside the estimator */
    double save_every;           /* seconds between checkpoints */
    bnre_pool *pool;             /* borrowed; NULL = one thread */
    const bnre_monitor *monitor; /* borrowed; NULL = silent */
} bnre_train_opts;

/* The table of options: rows for the command line, studies and records, with
   offsets in bnre_train_opts. */
BNRE_API const bnre_opt *bnre_train_options(size_t *n);

/* Those of the program: recipe default and its method, lambda NaN, seed 1. */
BNRE_API bnre_train_opts bnre_train_opts_default(void);

/* Lambda where it is neither given nor chosen (NaN in bnre_train()). */
#define BNRE_TRAIN_LAMBDA 100.0

/* Why training ended. */
typedef enum bnre_train_stop {
    BNRE_STOP_NOT,      /* it did not */
    BNRE_STOP_EPOCHS,   /* all epochs are done */
    BNRE_STOP_PATIENCE, /* no better epoch for long */
    BNRE_STOP_FLOOR,    /* the learning rate is at its end */
    BNRE_STOP_TIME      /* max_time */
} bnre_train_stop;

enum {
    BNRE_TRAIN_COLLAPSED = 1, /* the classifier says 1/2 to everything */
    BNRE_TRAIN_DIVERGED = 2,  /* worse than chance */
    BNRE_TRAIN_OVERFITTED = 4,
    BNRE_TRAIN_FEW = 8,     /* simulations */
    BNRE_TRAIN_SKIPPED = 16 /* steps with a loss that was not finite */
};

typedef struct bnre_train_result {
    int method;    /* that was used, */
    double lambda; /* and 0 if it has none */
    size_t members;
    int found;          /* the file was there already, made in the same way */
    size_t epochs;      /* of all members together */
    size_t most_epochs; /* of one member, if it is not stopped before */
    size_t best_epoch, last_epoch;              /* of the first member */
    bnre_train_stop stop;                       /* of the first member */
    size_t simulations, validation, scheduling; /* with an x; of both classes */
    size_t failed;  /* simulations for training that failed, */
    size_t outcome; /* of these, whose theta counts */
    size_t skipped; /* steps */
    size_t weights; /* of one network */

    /* Of the weights that are used, on the validation data; means over
       members. */
    double loss, cross_entropy, balance; /* npe, bnpe: the log loss in place of
                                            the cross-entropy, and the balance
                                            of the factor farthest from 1 */
    double chance;                       /* the loss of what knows nothing */
    double train_loss;                   /* in the same epoch */
    double learning_rate;                /* of the last epoch */
    double information; /* gained about theta, in nats, normalised, with its
                           standard error; NaN when it was not computed */
    double information_error;
    unsigned warnings;

    /* Of classifiers: rows of the first and second class to learn from and for
       validation, and how good it is on others, held out for that. */
    int classes; /* 0 = it is none, and the rest is 0 */
    size_t class_rows[2], class_validation[2];
    bnre_class_report report;
} bnre_train_result;

/* Train on opts->data and write an estimator to `path` (.h5) and its history
   beside it. Equal options and data give equal bytes for any pool, and also
   after interruptions: the state of each member is kept in `path`.K.part (K
   from 1) and the same call goes on from there. Only max_time makes results
   depend on the machine.
   Errors: EEXIST when `path` or its parts come from other options or data,
   unless `force`; EINTR when the monitor asked to stop (work so far is safe);
   EUSAGE for options that do not fit each other or the data; ENUM when the loss
   is not finite again and again, and as bnre_dataset_read(); EIO; EFORMAT;
   ENOMEM. `result` may be NULL. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_train(const bnre_train_opts *opts,
                                                const char *path,
                                                bnre_train_result *result);

/* A sentence for one of the warnings; NULL for others. */
BNRE_API const char *bnre_train_warning(unsigned warning);

#ifdef __cplusplus
}
#endif
#endif
