/* file.h - the parts of an estimator's file, for writing, reading and
   hashing it alike. */
#ifndef BNRE_INFER_ESTIMATOR_FILE_H
#define BNRE_INFER_ESTIMATOR_FILE_H

#include "infer/estimator/estimator.h"

/* An array of the file and where it is in memory. */
typedef struct bnre__file_part {
    const char *name;
    char kind;
    size_t item;
    size_t ndim;
    size_t shape[1 + BNRE_MAX_NDIM];
    const void *data;
    void *into; /* the same to read it; NULL if that is done elsewhere */
} bnre__file_part;

enum { BNRE__MOST_PARTS = 32 };

/* Members side by side. */
typedef struct bnre__packed {
    uint64_t *seed;   /* (members) */
    uint64_t *epoch;  /* (members, 2): best and last */
    uint8_t *uses;    /* (members): 0 best, 1 last */
    uint64_t *epochs; /* (members): rows of the history */
    size_t rows;      /* of all histories, one after the other */
    double *history;  /* (rows, columns) */
    double level[BNRE__LEVELS];
    double temper, widen;
    struct {
        double *location, *scale; /* (folds, columns) */
        uint8_t *flags;
    } fold[2]; /* of theta and x */
} bnre__packed;

/* The scaler of all, and those of folds: of theta (i = 0) and x (i = 1); NULL
   without. */
const bnre__scaler *bnre__estimator_scaler(const bnre_estimator *est, size_t i);
bnre__scaler *bnre__estimator_fold_scalers(const bnre_estimator *est, size_t i);

BNRE_MUST_CHECK bnre_status bnre__packed_init(bnre__packed *packed,
                                              const bnre_estimator *est,
                                              size_t rows);
void bnre__packed_clear(bnre__packed *packed);

/* All arrays of such an estimator. Gives their number. */
size_t bnre__estimator_parts(const bnre_estimator *est, bnre__packed *packed,
                             bnre__file_part part[BNRE__MOST_PARTS]);

/* From the members to `packed`, and back. */
void bnre__estimator_pack(const bnre_estimator *est, bnre__packed *packed);
BNRE_MUST_CHECK bnre_status bnre__estimator_unpack(bnre_estimator *est,
                                                   const bnre__packed *packed);

/* The datasets that went in, and their names in the file. */
enum { BNRE__DATASETS = 3 };
extern const char *const bnre__estimator_data_name[BNRE__DATASETS];
const bnre_estimator_data *bnre__estimator_data_at(const bnre_estimator *est,
                                                   size_t i);

/* Rows of the datasets beside the one to learn from: for validation, and for the
   learning rate. 0 of a file that cannot be read. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__estimator_count_beside(const char *estimator,
                                                         size_t *rows);

extern const char
    *const bnre__kind_word[3]; /* ratio, classifier, conditional */
const char *bnre__estimator_kind_word(const bnre_estimator *est);
extern const char *const bnre__combine_word[2]; /* ratio, probability */

/* The hash of what was found out later, which is bound to the other one. */
void bnre__findings_hash(const bnre_estimator *est, const char *main,
                         char out[33]);

void bnre__estimator_hash(const bnre_estimator *est, size_t parts,
                          const bnre__file_part *part, char out[33]);

#endif
