/* rounds.h - an inference on its way: what its parts share. */
#ifndef BNRE_ROUNDS_ROUNDS_H
#define BNRE_ROUNDS_ROUNDS_H

#include "base/text.h"
#include "bnre/command.h"
#include "bnre/dataset.h"
#include "bnre/infer.h"
#include "bnre/task.h"
#include "io/json.h"

enum { BNRE__MOST_ROUNDS = 10 };

/* What is told of a stage as a part of the whole. */
typedef struct bnre__infer_stage {
    const bnre_monitor *outer; /* may be NULL */
    bnre_monitor monitor;      /* for the stage; its context is this */
    double from, to;           /* shares of the whole */
    double most;               /* of the stage that was told of so far */
    char name[64];             /* "round 1 of 3: simulate" */
} bnre__infer_stage;

typedef struct bnre__infer {
    const bnre_infer_request *request;
    const bnre_infer_settings *settings;
    const char *directory;
    bnre_task *task;
    int method;                          /* bnre_method */
    const bnre_train_settings *training; /* of a study; NULL = the defaults of
                                            the command */
    bnre_observations observed;
    double *truth;        /* (dim) or NULL */
    bnre_dataset *given;  /* settings->data; NULL = none */
    size_t given_rows;    /* of it */
    char given_print[33]; /* its fingerprint */
    size_t rounds;        /* at most */
    char *made;           /* infer.yaml */
    bnre__json *record;   /* infer.json as it grows */
    bnre__infer_stage stage;
} bnre__infer;

/* DIRECTORY/round-K/NAME, or DIRECTORY/NAME for round 0; the caller frees
   *out. */
BNRE_MUST_CHECK bnre_status bnre__infer_path(const bnre__infer *infer,
                                             size_t round, const char *name,
                                             char **out);

/* What follows is the part from..to of all work; gives the monitor of it. */
const bnre_monitor *bnre__infer_enter(bnre__infer *infer, double from,
                                      double to, size_t round,
                                      const char *name);
/* A warning: told at once, and kept for the page. */
BNRE_MUST_CHECK bnre_status bnre__infer_warn(bnre__infer *infer,
                                             const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* What round number i + 1 did and brought, in a line; and the same told at
   once. */
void bnre__round_words(const bnre__json *one, size_t i, bnre__text *text);
BNRE_MUST_CHECK bnre_status bnre__infer_tell_round(const bnre__infer *infer,
                                                   const bnre__json *one,
                                                   size_t i);

/* A copy of a file. */
BNRE_MUST_CHECK bnre_status bnre__infer_copy(const char *from, const char *to);

/* How many rounds there are at most: of settings->rounds, the method, the task
   and the observation. (plan.c) Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__infer_settle(bnre__infer *infer);

#endif
