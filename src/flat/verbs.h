/* verbs.h - every command as a table of options and a function. */
#ifndef BNRE_FLAT_VERBS_H
#define BNRE_FLAT_VERBS_H

#include "bnre/command.h"
#include "bnre/infer.h"
#include "bnre/study.h"
#include "io/json.h"

enum { BNRE__VERB_OPTIONS = 80 }; /* at most */

/* What any command can be told. Operands of the command line have names. */
typedef struct bnre__verb_args {
    size_t threads;
    uint64_t seed;
    int force, dry_run;
    char *estimator, *input, *output, *file, *study, *directory, *task;
    bnre_simulate_settings simulate;
    bnre_train_settings train;
    bnre_posterior_settings posterior;
    bnre_diagnose_settings diagnose;
    bnre_check_settings check;
    bnre_infer_settings infer;
    bnre_run_settings run;
    bnre_report_settings report;
    bnre_export_settings export;
} bnre__verb_args;

typedef struct bnre__verb {
    const char *name;
    /* Tables of the command, with offsets in a struct at `at` of the above. */
    const bnre_opt *(*options[2])(size_t *n);
    size_t at;
    const char *own[4]; /* which of the operands above it has, up to NULL; one
                           that ends in ! is needed */
    /* Do it, and put what came of it into an object. */
    bnre_status (*run)(const bnre__verb_args *args, bnre_pool *pool,
                       const bnre_monitor *monitor, bnre__json *result);
} bnre__verb;

/* The i-th; NULL past the last. */
const bnre__verb *bnre__verb_at(size_t i);

/* What a classifier says of rows; *is = 0, and nothing is done, if the estimator
   is none. (classify.c) */
BNRE_MUST_CHECK bnre_status bnre__verb_classify(const bnre__verb_args *args,
                                                bnre_pool *pool,
                                                bnre__json *root, int *is);

#endif
