/* study.h - what a study is made of, for those that plan and run it. */
#ifndef BNRE_STUDY_STUDY_H
#define BNRE_STUDY_STUDY_H

#include "bnre/study.h"
#include "bnre/task.h"
#include "nn/net.h"
#include "study/keys.h"

/* One key and what it is set to in some cells. */
typedef struct bnre__assignment {
    char *path;             /* "method", or "task.options.dim" */
    size_t key;             /* its number among the swept keys */
    const bnre_node *value; /* borrowed from the study's tree */
    char *label;            /* the value in names: by itself alone, so that a
                               longer axis changes no name */
    int derived;            /* the label was made of a list or map */
    char *shown;            /* in tables and figures: what sets it apart from
                               the others of the axis */
} bnre__assignment;

/* One value of an axis: one assignment, or several that go together. */
typedef struct bnre__choice {
    bnre__assignment *set;
    size_t n, room;
} bnre__choice;

typedef struct bnre__axis {
    const bnre_node *node;
    bnre__choice *choice;
    size_t n, room;
} bnre__axis;

typedef struct bnre__cell {
    char *name;
    char **value;        /* (keys) as in bnre_study_cell */
    char **shown;        /* (keys) the same for readers */
    bnre_node *settings; /* all keys of the study, the axes set */
    bnre__fields fields;
    size_t task;    /* its number */
    char *identity; /* what defines its training besides data and seed */
    char *text;
    char doubt[BNRE__NET_DOUBT];      /* about its network, or "" */
    size_t rows[BNRE_SPLIT_COUNT];    /* it needs of each split */
    size_t dataset[BNRE_SPLIT_COUNT]; /* and in which dataset they are */
} bnre__cell;

typedef struct bnre__study_task {
    bnre_task *task;
    char *label; /* in names of files: unlike those of the other tasks */
} bnre__study_task;

typedef struct bnre__data {
    char *name;
    size_t task;
    bnre_split split;
    size_t rows;
    size_t observations; /* of each parameter: rows that share it */
} bnre__data;

struct bnre_study {
    int sealed;       /* to be shown, not to be run */
    bnre_node *root;  /* as read, with --set */
    bnre_node **file; /* others that it names */
    size_t files, file_room;
    char *title, *text;
    bnre_node *base; /* the keys that all cells share */
    bnre__fields fields;
    bnre__axis *axis;
    size_t axes, axis_room;
    char **key; /* that axes vary */
    size_t keys, key_room;
    bnre__cell *cell;
    size_t cells, cell_room;
    bnre__study_task *task;
    size_t tasks, task_room;
    bnre__data *data;
    size_t datasets, data_room;
};

/* ---- tree.c: changing settings ---- */

/* Set the value at a path such as "task.options.dim", with a copy of `value`;
   a task that is only named becomes a map. */
BNRE_MUST_CHECK bnre_status bnre__tree_put(bnre_node *map, const char *path,
                                           const bnre_node *value);

/* Apply "key=value" to a study's tree. */
BNRE_MUST_CHECK bnre_status bnre__tree_set(bnre_node *root, const char *text);

/* What a value of `task` or `network` stands for: itself, or what is in the
   file that it names, which the study then keeps. */
BNRE_MUST_CHECK bnre_status bnre__tree_load(bnre_study *study,
                                            const bnre_node *value,
                                            const char *key,
                                            const bnre_node **out);

/* ---- axes.c ---- */

BNRE_MUST_CHECK bnre_status bnre__axes_read(bnre_study *study,
                                            const bnre_node *sweep);
void bnre__axes_clear(bnre_study *study);

/* ---- labels.c ---- */

/* A list or map by its values, short: 64x64-selu. */
BNRE_MUST_CHECK bnre_status bnre__label_tree(const bnre_node *value,
                                             char **out);

/* What an axis that is complete shows to readers. */
BNRE_MUST_CHECK bnre_status bnre__labels_show(bnre__axis *axis);

/* ---- cells.c, data.c: the plan ---- */

BNRE_MUST_CHECK bnre_status bnre__cells_make(bnre_study *study);
void bnre__cells_clear(bnre_study *study);
BNRE_MUST_CHECK bnre_status bnre__data_plan(bnre_study *study);

/* Whether one of them has rows of the other. */
int bnre__data_same_stream(const bnre__data *a, const bnre__data *b);

/* The first hexadecimal digits of a text's hash, for names. */
enum { BNRE__SHORT_HASH = 9 };
const char *bnre__short_hash(const char *text, char out[BNRE__SHORT_HASH]);

/* Read a study; `set` (n) are "key=value" texts that win over the file. A key
   that is an axis of the sweep is no longer one when it is set. Keys of maps
   are joined by dots: "task.options.dim=3".
   The caller owns *out. Errors: EIO; EUSAGE with file, line and, for a name
   that is none, the nearest that is one; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__study_read(const char *path, size_t n,
                                             const char *const *set,
                                             bnre_study **out);

void bnre__study_destroy(bnre_study *study); /* NULL is fine */

/* Errors: EUSAGE for a cell whose task has no network in its recipe; ENOMEM. */
BNRE_MUST_CHECK bnre_status
bnre__study_estimate_costs(const bnre_study *study, bnre_study_estimate *out);

typedef struct bnre__study_opts {
    int force;                     /* in a directory of something else */
    const bnre_executor *executor; /* NULL = one thread */
    const bnre_monitor *monitor;   /* NULL = silent; progress is in
                                      milliseconds of work, about */
} bnre__study_opts;

/* Simulate, train and diagnose all of it: see bnre_run_make(). `result` may be
   NULL. */
BNRE_MUST_CHECK bnre_status bnre__study_run(bnre_study *study,
                                            const bnre__study_opts *opts,
                                            const char *directory,
                                            bnre_study_result *result);
void bnre__study_result_clear(bnre_study_result *result);

/* The same as bnre__study_read() for showing the plan: no plugin is loaded, now
   or later. It cannot be run. */
BNRE_MUST_CHECK bnre_status bnre__study_look(const char *path, size_t n,
                                             const char *const *set,
                                             bnre_study **out);

/* And from text; `name` stands for the file. */
BNRE_MUST_CHECK bnre_status bnre__study_parse(const char *text,
                                              const char *name, size_t n,
                                              const char *const *set,
                                              bnre_study **out);

/* The seed of a run: from the study's seed, the cell's settings and the repeat
   (from 1), and nothing else: other cells do not matter. Below 2^53, so that
   every program reads it back exactly. */
uint64_t bnre__study_seed(const bnre_study *study, size_t cell, size_t repeat);

#endif
