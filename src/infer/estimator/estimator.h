/* estimator.h - what an estimator is made of, for those that make one. */
#ifndef BNRE_INFER_ESTIMATOR_H
#define BNRE_INFER_ESTIMATOR_H

#include "bnre/estimator.h"
#include "data/scaler.h"
#include "infer/estimator/conditional.h"
#include "nn/net.h"
#include "task/outline.h"

enum {
    BNRE__MOST_FOLDS = 100,
    BNRE__IN_NO_FOLD = 254 /* of rows that all members have seen */
};

typedef enum bnre__epoch { BNRE__BEST, BNRE__LAST, BNRE__EPOCHS } bnre__epoch;

/* All but the history is there from the beginning. */
typedef struct bnre__member {
    uint64_t seed;
    float *weights[BNRE__EPOCHS]; /* (weights) of the best and last epoch */
    float *buffers[BNRE__EPOCHS]; /* (buffers) */
    size_t epoch[BNRE__EPOCHS];   /* which these are, from 1 */
    bnre__epoch uses;
    size_t epochs;
    double *history; /* (epochs, columns) */
} bnre__member;

/* What a density's sessions are about. */
enum { BNRE__REGION_NUMBERS = 4 };

typedef struct bnre__view {
    const bnre_estimator *est;
    size_t first, step, members; /* these: first, first + step, ... */
    int plain;                   /* as trained: not tempered, not widened */
} bnre__view;

struct bnre_estimator {
    bnre_estimator_info info; /* kept up to date by the functions below; the
                                 trainer sets training, validation and
                                 scheduling in place */
    bnre__outline outline;    /* name, prior, names, shape, transforms */
    bnre__net *net;           /* NULL if there is a conditional density */
    bnre__conditional *conditional; /* or NULL */
    bnre__scaler theta, x;        /* the identity until the trainer fits them */
    bnre__summary summary;        /* likewise; zeros until then */
    double *x_offset;             /* (x_size) if floats would lose what x tells:
                                     the summary is of x less this; or NULL, and
                                     x is rounded to floats */
    bnre__member *member;         /* (info.members) */
    float *weights[BNRE__EPOCHS]; /* (members, weights) which they point into */
    float *buffers[BNRE__EPOCHS]; /* (members, buffers) likewise */

    /* Of folds (info.folds > 0): members of fold f, which are f, f + folds,
       ..., have seen nothing of its rows, and so scale by others of their own.
     */
    bnre__scaler *fold_theta, *fold_x; /* (folds) */
    uint8_t *row_fold;                 /* (hashes) of each row below */

    /* Of a prior that is restricted to a region (region.h), else NULL: what
       the networks know are places in it, whose prior is `cube`, and
       outline.prior is borrowed from the estimator that made the region. As it
       is in the file: that one's file, the observation (x_size), the level, the
       share of the prior with its error, and alpha. */
    struct bnre__region *region;
    bnre_prior *cube;
    uint8_t *image; /* (image_bytes) */
    size_t image_bytes;
    double *region_x, region_number[BNRE__REGION_NUMBERS];
    double *region_sets; /* (region_sets_n): region.h */
    size_t region_sets_n;

    size_t columns; /* of the history */
    char **column;  /* (columns) their names */

    size_t hashes;  /* bnre__row_hash of every row used, failed rows left out */
    uint64_t *hash; /* in order, each once; of rows that are equal and in
                       different folds each as often as it was met */

    /* What info points to. */
    char *task, *settings, *version, *certificate;
    double *score;
    float *seen; /* (scores, views) */
    const char **theta_name;
    char **x_name;      /* (x_size) or NULL */
    const char **order; /* (factors) or NULL */
    double *cross_score;
    uint8_t *cross_fold;
    bnre__view *view; /* (members + 1 + 2 folds): each, all, those of a fold,
                         these as they were trained */
};

typedef struct bnre__estimator_spec {
    bnre_estimator_kind kind;
    const char *task; /* YAML, see bnre_task_text(); NULL for classifiers */
    const char *file; /* where it came from: paths are relative to it; may be
                         NULL */
    const bnre__draws
        *draws;          /* of the prior, in place of a file; may be NULL */
    size_t ndim;         /* of x; 0 = as the task says */
    const size_t *shape; /* (ndim) */
    const bnre_node *network; /* as for bnre__net_create(); NULL = preset mlp */
    int conditional;          /* a product of densities rather than a ratio */
    size_t ordered;           /* parameters whose order is given */
    const char *const *order; /* (ordered) their names */
    size_t components;        /* of each density; 0 = the usual */
    size_t members;
    size_t folds; /* 0, or what divides the members */
    size_t columns;
    const char *const *column; /* (columns) names of the history's */
    size_t weights;            /* 0, or what a member has to have */
} bnre__estimator_spec;

/* An estimator with zeros for weights, the identity for scalers and no history,
   which uses its best epochs, temper 1. Release it with bnre_estimator_close().
   Errors: EUSAGE; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__estimator_create(const bnre__estimator_spec *spec, bnre_estimator **out);

/* Replace the record of settings (YAML), copied, and what failed simulations
   were taken to mean. */
BNRE_MUST_CHECK bnre_status bnre__estimator_set_settings(bnre_estimator *est,
                                                         const char *settings);
void bnre__estimator_set_failure(bnre_estimator *est, int missing);

/* The columns of the histories, copied: once, unless they were in the spec.
   Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__estimator_name_columns(
    bnre_estimator *est, size_t n, const char *const *name);

/* The history of a member, copied: (epochs, est->columns). */
BNRE_MUST_CHECK bnre_status bnre__estimator_set_history(bnre_estimator *est,
                                                        size_t member,
                                                        size_t epochs,
                                                        const double *history);

/* The names of the columns of x (x_size), copied; NULL = they have none.
   Errors: EUSAGE for more than a file can hold; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__estimator_set_x_names(bnre_estimator *est, const char *const *name);

/* The rows used: n hashes in any order, also repeated; copied and sorted. */
BNRE_MUST_CHECK bnre_status bnre__estimator_set_hashes(bnre_estimator *est,
                                                       size_t n,
                                                       const uint64_t *hash);

/* The fold of each of these rows: n hashes and folds. Rows that the estimator
   has no hash of are passed over. Equal rows in different folds are kept as they
   follow each other. After bnre__estimator_set_hashes(). */
BNRE_MUST_CHECK bnre_status bnre__estimator_set_row_folds(bnre_estimator *est,
                                                          size_t n,
                                                          const uint64_t *hash,
                                                          const uint8_t *fold);

/* The fold of the row with this hash; 0 where no row has it, there are no
   folds, or it is in none as all members have seen it. Who goes through the
   training data in their order has counters `met` (hashes), all 0 in the
   beginning: they tell equal rows in different folds apart. Without (NULL) such
   rows are in no fold. */
int bnre__estimator_fold_of(const bnre_estimator *est, uint64_t hash,
                            uint32_t *met, size_t *fold);

/* In what pairs are judged: as bnre_estimator_density(), but of places where
   the prior is restricted to a region. */
bnre_density bnre__estimator_judged_density(const bnre_estimator *est);

/* What the members of a fold say together: of rows of the fold, which none of
   them has seen, a fair test of such ensembles. As bnre_estimator_density(). */
bnre_density bnre__estimator_fold_density(const bnre_estimator *est,
                                          size_t fold);
/* The same as trained, whatever the estimator's temper and widen are. */
bnre_density bnre__estimator_plain_fold(const bnre_estimator *est, size_t fold);

/* Keep the scores of n simulations, each by the members of its fold, for
   conformal regions (trust/cross.h): copied, in any order. They outlive other
   values of temper and widen, as they are of the members as trained. Errors:
   EINVAL without such folds; ENUM for what is no score. */
BNRE_MUST_CHECK bnre_status bnre__estimator_set_cross_scores(
    bnre_estimator *est, size_t n, const double *score, const uint8_t *fold);

/* The scalers of a member, from 0. */
static inline const bnre__scaler *
bnre__estimator_scale_theta(const bnre_estimator *est, size_t member)
{
    return est->fold_theta != NULL ? &est->fold_theta[member % est->info.folds]
                                   : &est->theta;
}
static inline const bnre__scaler *
bnre__estimator_scale_x(const bnre_estimator *est, size_t member)
{
    return est->fold_x != NULL ? &est->fold_x[member % est->info.folds]
                               : &est->x;
}

/* The network that begins with x: the whole one, or a factor's. */
const bnre__net *bnre__estimator_net(const bnre_estimator *est);
/* Numbers of a member that are kept beside its weights. */
size_t bnre__estimator_buffers(const bnre_estimator *est);

/* Which elements of x belong together, by how its network begins: channels
   before a convolution, features of items in a set, else each for itself. */
bnre__scale_by bnre__estimator_scale_by(const bnre__net *net);

/* l of members (K, n) in `logit` become one estimate (n) in `out`, with
   d out / d logit (K, n) in `weight` unless NULL. One member is left as it is.
   NaN where a member's is. */
void bnre__ensemble(bnre_combine combine, size_t members, size_t n,
                    const float *logit, double *out, double *weight);

/* Let a dataset give its columns in the order of the estimator, found by their
   names: see bnre__dataset_arrange(). Functions that take both do so themselves.
   Errors: EFORMAT when the shapes are not the estimator's; EUSAGE with both
   lists of names when they differ; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__estimator_arrange(const bnre_estimator *est,
                                                    bnre_dataset *data);

/* Whether a dataset is of the estimator's prior; one that does not tell how it
   was made may be. Errors: EUSAGE with the parameter or the condition that is
   another, and both; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__estimator_check_prior(
    const bnre_estimator *est, const bnre_dataset *data);

/* Keep a certificate (YAML; NULL = none) or n scores (any order, copied) with
   the estimator. Both are bound to it: a file whose other contents were
   replaced is refused. Errors: EUSAGE for text that is no YAML; ENUM for a
   score outside [0, 1]; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__estimator_set_certificate(bnre_estimator *est, const char *certificate);
BNRE_MUST_CHECK bnre_status bnre__estimator_set_calibration(
    bnre_estimator *est, size_t n, const double *score);

/* The same with `views` numbers for each, view (n, views). */
BNRE_MUST_CHECK bnre_status bnre__estimator_set_calibration_views(
    bnre_estimator *est, size_t n, const double *score, size_t views,
    const float *view);

/* As bnre_estimator_set_temper() and the like. */
void bnre__estimator_set_combine(bnre_estimator *est, bnre_combine combine);

/* How many rows of a dataset (theta and x) the estimator was trained, validated
   or scheduled on; of huge training sets only a part is remembered, and so
   counted. 0 where parameters are whole numbers and rows of the dataset are
   alike by chance: nothing can be told then. Errors: EFORMAT when the shapes
   are not the estimator's; as bnre_dataset_read(). */
BNRE_MUST_CHECK bnre_status bnre__estimator_overlap(const bnre_estimator *est,
                                                    bnre_dataset *data,
                                                    size_t *count);

#endif
