/* train.h - training from inside: one member of an ensemble, and around it the
   data that all members share. */
#ifndef BNRE_INFER_TRAIN_H
#define BNRE_INFER_TRAIN_H

#include "bnre/train.h"
#include "data/loader.h"
#include "infer/estimator/estimator.h"
#include "infer/train/history.h"
#include "nn/net.h"

/* ---- options (options.c) ---- */

/* Put values in place of what is left to the recipe; how x is scaled depends on
   how the network begins. */
void bnre__train_resolve(bnre_train_opts *opts);
void bnre__train_resolve_scaling(bnre_train_opts *opts, const bnre__net *net);

/* All options that affect the result, as YAML; the caller frees it. `label` (2)
   are the names of classes, or NULL. */
BNRE_MUST_CHECK bnre_status bnre__train_record(const bnre_train_opts *opts,
                                               char *const *label, char **out);

/* ---- the network (train.c) ---- */

/* What is trained for x of `ndim` dimensions and a task (its text): the network
   of the options, or what method and recipe say; *out = NULL leaves it to
   bnre__net_create(). The caller destroys *own, to which *out may belong.
   Errors: EUSAGE where the recipe knows none; those of reading files. */
BNRE_MUST_CHECK bnre_status bnre__train_network(const bnre_train_opts *opts,
                                                size_t ndim, const char *task,
                                                bnre_node **own,
                                                const bnre_node **out);

/* ---- classes of rows in place of pairs (classes.c) ---- */

/* Options that do not go with classes. Errors: EUSAGE with the option. */
BNRE_MUST_CHECK bnre_status bnre__classes_check(const bnre_train_opts *opts);
/* Whether rows of two files have the same columns. Errors: EUSAGE with both. */
BNRE_MUST_CHECK bnre_status
bnre__classes_compare(const char *path, const bnre_dataset_info *info,
                      const char *other_path, const bnre_dataset_info *other);
/* What to call a class: its file without directory and ending. The caller frees
   *out. */
BNRE_MUST_CHECK bnre_status bnre__class_name(const char *path, char **out);

/* ---- one member (member.c) ---- */

/* What members share. */
typedef struct bnre__train_inputs {
    const bnre__net *net;                 /* NULL if there is */
    const bnre__conditional *conditional; /* this */
    const bnre__scaler *theta, *x;
    const bnre__subset *train, *validation;
    const bnre__subset *schedule; /* NULL = the validation data serve */

    size_t fold; /* whose rows the member does not see; 0 without folds */

    /* The second class, the sets above being of the first; NULL for ratios. */
    const bnre__subset *train_other, *validation_other;
} bnre__train_inputs;

/* How a member tells of its progress. Calls may be NULL. */
typedef struct bnre__train_watch {
    /* `rows` more simulations went through training, or an epoch ended (rows =
       0). A result other than 0 asks to save and return EINTR. */
    int (*tick)(void *arg, size_t rows, const bnre__history *history);
    /* So many are there already, from an earlier run. */
    void (*found)(void *arg, size_t rows);
    void *arg;
} bnre__train_watch;

typedef struct bnre__trained {
    float *weights[BNRE__EPOCHS]; /* of the best and the last epoch */
    float *buffers[BNRE__EPOCHS];
    size_t epoch[BNRE__EPOCHS]; /* from 1 */
    bnre__history history;
    bnre_train_stop stop;
    size_t skipped; /* steps */
} bnre__trained;

void bnre__trained_clear(bnre__trained *trained);

/* Warnings about the result (information.c), whose `first` member this is. */
unsigned bnre__train_doubts(const bnre_train_result *result,
                            const bnre__trained *first, int uses_last);

/* The seed of member k (from 0), whatever the number of members. */
uint64_t bnre__member_seed(uint64_t seed, size_t k);

/* The method and the number of members of a training: what is asked for, or the
   recipe's. That is five members of npe and bnpe, which are small, and else one;
   with folds the next multiple of their number. */
int bnre__train_method(const bnre_train_opts *opts);
size_t bnre__train_members(const bnre_train_opts *opts);

/* What bnre_train() would do: the counts of simulations in `result`, and as
   YAML all settings with the recipe's values and the network. The caller frees
   *text with bnre_free(). Errors: as bnre_train(), but nothing is written. */
BNRE_MUST_CHECK bnre_status bnre__train_plan(const bnre_train_opts *opts,
                                             bnre_train_result *result,
                                             char **text);

#endif
