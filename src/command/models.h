/* models.h - more than two classes of rows: one dataset of them to train on,
   and a report on rows that are held out. */
#ifndef BNRE_COMMAND_MODELS_H
#define BNRE_COMMAND_MODELS_H

#include "bnre/command.h"

typedef struct bnre__models {
    size_t n;
    bnre_dataset *data[BNRE_MOST_MODELS];
    char *name[BNRE_MOST_MODELS];
    size_t test[BNRE_MOST_MODELS];   /* rows of each to hold out, the first, */
    size_t use[BNRE_MOST_MODELS];    /* and others to learn from, */
    size_t *order[BNRE_MOST_MODELS]; /* of this order of its valid rows */
    char *task;                      /* YAML */
    char *settings;                  /* YAML: how the dataset was made */
    char *path;                      /* of the dataset */
} bnre__models;

/* Open the classes for an estimator in `path`; clear it in any case. Errors:
   EUSAGE for options that do not go with classes, and for classes of other
   columns; those of reading. */
BNRE_MUST_CHECK bnre_status bnre__models_open(bnre__models *models,
                                              const bnre_train_opts *opts,
                                              const char *path);
void bnre__models_clear(bnre__models *models);

/* Whether the parameter of a dataset is which of several models made x: then its
   task has them. What cannot be read is no such dataset. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__models_are_in(const char *path, int *out);

/* Write the dataset, unless it is there. Errors: EEXIST for another, unless
   `force`; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__models_write(const bnre__models *models,
                                               int force);

/* Judge the estimator in `path` by the rows held out, and keep what was found
   with it, if that was not done. The caller clears *out in any case. */
BNRE_MUST_CHECK bnre_status bnre__models_assess(const bnre__models *models,
                                                const char *path,
                                                bnre_pool *pool,
                                                bnre_models_report *out);

#endif
