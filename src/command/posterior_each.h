/* posterior_each.h - posteriors of the rows of a dataset, from the journal that
   keeps them to files. */
#ifndef BNRE_COMMAND_POSTERIOR_EACH_H
#define BNRE_COMMAND_POSTERIOR_EACH_H

#include "command/posterior.h"
#include "io/journal.h"

/* A row has BNRE__EACH_SUMMARY numbers of each parameter, the fields of
   bnre_summary, and then these. */
enum { BNRE__EACH_SUMMARY = 8 };
enum {
    BNRE__EACH_LOG_Z,
    BNRE__EACH_LOG_Z_ERROR,
    BNRE__EACH_ESS,
    BNRE__EACH_TRUTH_IN, /* NaN where the truth is not known */
    BNRE__EACH_OUTSIDE,  /* values beyond those of training */
    BNRE__EACH_OUTSIDE_P,
    BNRE__EACH_DOUBT,
    BNRE__EACH_FURTHER
};

/* Rows that are all in the journal: the numbers of each, and its draws. */
typedef struct bnre__each {
    bnre__posterior_work *work;
    const bnre_estimator_info *info;
    size_t dim, rows, samples;
    size_t numbers; /* of a row, without its draws */
    char *path;     /* of the journal */
    bnre__journal *journal;
} bnre__each;

/* Write all files and publish them; what there is to count is in the outcome
   then. Errors: EIO; EFORMAT for a journal that lacks a row; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__each_write(const bnre__each *each);

#endif
