/* keys.h - the keys of a study file: those of its own, and the options of the
   commands it stands for. */
#ifndef BNRE_STUDY_KEYS_H
#define BNRE_STUDY_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "bnre/command.h"
#include "bnre/settings.h"
#include "bnre/train.h"
#include "bnre/trust.h"

/* In whose table a key is declared. */
typedef enum bnre__key_source {
    BNRE__KEYS_STUDY,
    BNRE__KEYS_TRAIN,
    BNRE__KEYS_POSTERIOR,
    BNRE__KEYS_DIAGNOSE,
    BNRE__SOURCES,
    BNRE__KEYS_TREE /* a map of its own: task, network, sweep */
} bnre__key_source;

typedef struct bnre__key {
    const char *name;
    bnre__key_source source;
    const bnre_opt *row; /* NULL for trees */
} bnre__key;

/* The key called `name`, in which '-' and '_' are alike; 0 if there is none. */
int bnre__key_find(const char *name, bnre__key *out);

/* EUSAGE for a key that is none, with the nearest that is. */
bnre_status bnre__key_fail(const bnre_node *node, const char *what);

/* A value as it is always written, so that 1024 and 2^10 are the same. The
   caller frees *out. Errors: EUSAGE with the value's place. */
BNRE_MUST_CHECK bnre_status bnre__key_text(const bnre__key *key,
                                           const bnre_node *value, char **out);

/* The study's own. */
typedef struct bnre__study_fields {
    char *title, *observation, *rounds;
    bnre_opt_list summary; /* of x, for a check */
    size_t check;          /* simulations of it; 0 = none */
    uint64_t seed;
    int trust;
    double effort, alpha;
    double temper; /* 0 = the estimator's; NaN = chosen with it */
    size_t most_points;
    int learning_curve;
    size_t repeats, pool, test, validation, schedule, select, certify,
        calibrate, workers;
} bnre__study_fields;

enum { BNRE__MOST_KEYS = 64 };

/* All keys of one cell, typed. */
typedef struct bnre__fields {
    bnre__study_fields study;
    bnre_train_opts train;
    bnre_posterior_settings posterior;
    bnre_diagnose_settings diagnose;
    unsigned char given[BNRE__SOURCES][BNRE__MOST_KEYS];
} bnre__fields;

/* Defaults, then the scalars of `map`, whose keys are known and trees ignored.
   Cleared on failure. Errors: EUSAGE with place; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__fields_init(bnre__fields *fields,
                                              const bnre_node *map);
void bnre__fields_clear(bnre__fields *fields);

/* Whether the key was in the map. */
int bnre__fields_given(const bnre__fields *fields, const char *name);

/* What is chosen automatically, as options for bnre_trust_train() but for the
   pairs; and whether anything is. */
bnre_trust_opts bnre__fields_trust(const bnre__fields *fields);
int bnre__fields_choose(const bnre__fields *fields);

/* What the keys that a training or a diagnosis depends on are set to, defaults
   left out: "key: value" lines. */
BNRE_MUST_CHECK bnre_status bnre__training_identity(const bnre__fields *fields,
                                                    bnre__text *out);
BNRE_MUST_CHECK bnre_status bnre__diagnosis_identity(const bnre__fields *fields,
                                                     bnre__text *out);

#endif
