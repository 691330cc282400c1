/* part.h - a dataset in the making: the rows that are there already, in the
   file and in the journal beside it (`path`.part), and those that are not. */
#ifndef BNRE_DATA_PART_H
#define BNRE_DATA_PART_H

#include "bnre/dataset.h"
#include "data/rows.h"
#include "io/journal.h"

/* Rows first..first+n-1. */
typedef struct bnre__span {
    size_t first, n;
} bnre__span;

/* Rows first..first+n-1, all in one record of the journal. */
typedef struct bnre__piece {
    size_t first, n;
    bnre__journal_record record;
} bnre__piece;

typedef struct bnre__part {
    const char *path;
    char *journal_path;
    bnre_dataset_info info; /* of the dataset as it is to be */
    const char **theta_name, **nuisance_name;
    char *settings; /* YAML */

    bnre_dataset *old; /* the file, if it is to be extended, or NULL */
    size_t base;       /* its rows */
    int complete;      /* the file has all rows: nothing is to be done */

    bnre__journal *journal; /* NULL when there is nothing to be done */
    bnre__piece *piece;     /* what it has of rows base..count-1, in order */
    size_t pieces, room;
    size_t beyond; /* rows it keeps for a larger count */
    char *tail;    /* buffer for the reasons of a record */
} bnre__part;

/* Find out what there is of the rows that are asked for, and take hold of the
   journal. `task` and `path` are borrowed.
   Errors: EEXIST when what is there belongs to something else; EUSAGE; EIO;
   EFORMAT; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__part_open(const bnre_task *task,
                                            const bnre_simulate_opts *opts,
                                            const char *path, bnre__part **out);

/* Keep the journal if it has rows, remove it if not. NULL is fine. */
void bnre__part_close(bnre__part *part);

/* All rows are in the file now: remove the journal, unless it keeps others. */
BNRE_MUST_CHECK bnre_status bnre__part_finish(bnre__part *part);

/* Forget all rows of the journal. */
BNRE_MUST_CHECK bnre_status bnre__part_discard(bnre__part *part);

/* Rows are kept in records of at most this many, whatever the threads. */
size_t bnre__part_chunk(const bnre__part *part);

/* The rows that are not there, in spans that do not cross multiples of the
   chunk; the caller frees the list. */
BNRE_MUST_CHECK bnre_status bnre__part_missing(const bnre__part *part,
                                               bnre__span **out, size_t *n);

/* Add rows `from`..`to`-1 of the block, which starts with row `first`. `text`
   is room for reasons, BNRE_REASON_SIZE bytes for each row. From any thread. */
BNRE_MUST_CHECK bnre_status bnre__part_add(bnre__part *part, size_t first,
                                           const bnre__block *block,
                                           size_t from, size_t to, char *text);

/* Take notice of what was added since. */
BNRE_MUST_CHECK bnre_status bnre__part_refresh(bnre__part *part);

/* How many of the rows asked for are there, and how many of these failed. */
BNRE_MUST_CHECK bnre_status bnre__part_count(bnre__part *part, size_t *rows,
                                             size_t *failed);

/* The rows, once none is missing. */
bnre__rows bnre__part_rows(bnre__part *part);

#endif
