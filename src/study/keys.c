/* keys.c - the keys of a study file: those of its own, and the options of
   the commands it stands for. */
#include "study/keys.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "command/posterior.h"
#include "trust/trust.h"

#define OWN(field) offsetof(bnre__study_fields, field)
static const bnre_opt study_rows[] = {
    {"title", BNRE_OPT_TEXT, OWN(title), NULL, NULL, "TEXT", 0,
     "title of the study (default: the name of its file)"},
    {"seed", BNRE_OPT_SEED, OWN(seed), "1", NULL, "N", BNRE_OPT_RESULT,
     "seed of all data and runs; the same seed gives the same bytes"},
    {"repeats", BNRE_OPT_SIZE, OWN(repeats), "1", "[1, 10000]", "N",
     BNRE_OPT_RESULT, "number of runs of each cell, each with its own seed"},
    {"pool", BNRE_OPT_SIZE, OWN(pool), NULL, "[1, inf)", "N", BNRE_OPT_RESULT,
     "number of training simulations that the runs draw theirs from (default: "
     "the largest budget of the study; recipe paper: 131072)"},
    {"test", BNRE_OPT_SIZE, OWN(test), "10000", "[0, inf)", "N",
     BNRE_OPT_RESULT, "number of fresh pairs for the diagnosis"},
    {"validation", BNRE_OPT_SIZE, OWN(validation), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of extra pairs for validation (default: 0, a part of the budget "
     "is held out; recipe paper: 131072)"},
    {"schedule", BNRE_OPT_SIZE, OWN(schedule), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of extra pairs that control the learning rate in the recipe "
     "paper (default there: 131072)"},
    {"trust", BNRE_OPT_CHOICE, OWN(trust), "default", "default|auto|fresh|no",
     "WORD", BNRE_OPT_RESULT,
     "how cautious to be. auto: as the simulations themselves tell, each seen "
     "by networks that did not learn from it (CROSS-CHECKED); fresh: as "
     "certified on further simulations (CERTIFIED); no: as lambda, temper and "
     "widen say; default: auto for npe and bnpe, unless one of these is given "
     "as a number"},
    {"select", BNRE_OPT_SIZE, OWN(select), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of pairs for choosing (default: 2000 with `trust: fresh`, else "
     "0)"},
    {"certify", BNRE_OPT_SIZE, OWN(certify), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of fresh pairs for certifying the choice (default: 10000 with "
     "`trust: fresh`, else 0)"},
    {"effort", BNRE_OPT_REAL, OWN(effort), "2.5", "[1, inf)", "X",
     BNRE_OPT_RESULT,
     "budget of the automatic choice, in units of one plain training; pairs "
     "and lambdas beyond it are skipped"},
    {"calibrate", BNRE_OPT_SIZE, OWN(calibrate), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of pairs for calibrating conformal regions (default: 1000 with "
     "`trust: fresh`, else 0)"},
    {"observation", BNRE_OPT_TEXT, OWN(observation), NULL, NULL, "FILE",
     BNRE_OPT_RESULT,
     "file of the observation; every run computes its posterior"},
    {"most_points", BNRE_OPT_SIZE, OWN(most_points), "8192", "[1, 1e7]", "N",
     BNRE_OPT_RESULT,
     "largest number of points or draws per pair: as long as fewer do not "
     "resolve the posteriors their number is doubled, up to it; if that does "
     "not suffice the verdict is BLIND"},
    {"temper", BNRE_OPT_REAL, OWN(temper), NULL, "(0, 1]|auto", "T|auto",
     BNRE_OPT_RESULT,
     "widen posteriors towards the prior: p(theta) exp(T log r); auto: as far "
     "as certification needs"},
    {"learning_curve", BNRE_OPT_FLAG, OWN(learning_curve), NULL, NULL, NULL,
     BNRE_OPT_RESULT,
     "also train on a quarter and on half of the simulations, to estimate "
     "what more simulations would bring"},
    {"check", BNRE_OPT_SIZE, OWN(check), "0", "[0, 1e7]", "N", BNRE_OPT_RESULT,
     "number of simulations from the posterior of the observation that tell "
     "whether the model fits (bnre check); 0: it is not checked"},
    {"summary", BNRE_OPT_LIST, OWN(summary), NULL, NULL, "TEXT",
     BNRE_OPT_RESULT, "summaries of x to compare in a check, such as sd"},
    {"workers", BNRE_OPT_SIZE, OWN(workers), NULL, "[1, 4096]", "N", 0,
     "number of external programs that run at the same time"},
    {"rounds", BNRE_OPT_TEXT, OWN(rounds), "1", NULL, "auto|K", BNRE_OPT_RESULT,
     "number of rounds, as of `bnre infer`: after each the prior is cut to "
     "where the posterior of the observation is; each run then simulates for "
     "itself, and is diagnosed on pairs within its final region"},
    {"alpha", BNRE_OPT_REAL, OWN(alpha), "0.05", "(0, 0.5]", "X",
     BNRE_OPT_RESULT,
     "mass of the posterior that all rounds together may cut off; on average "
     "over the prior it is a fifth of that"},
};

/* Options of training that a study has other words for. */
static const char *const hidden[] = {
    "data",          "validation", "schedule",
    "task",          "network",    "validation_rows",
    "schedule_rows", "classes",    "test_rows"};

/* Simulations for training, where a study does not say. */
enum { BUDGET = 4096 };

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* Keys that are options of `posterior` and `diagnose`, with the same meaning. */
static const char *const of_posterior[] = {"truth",   "show",  "samples",
                                           "regions", "local", "prior",
                                           "also",    "odds",  "each"};
static const char *const of_diagnose[] = {
    "grid",         "points", "draws", "each_member",
    "observations", "delta",  "eps",   "theorems"};

/* What a diagnosis depends on, in the order in which finished ones have it in
   their stamps. */
static const char *const diagnosing[] = {
    "grid",   "points",         "draws",        "most_points",
    "temper", "each_member",    "observations", "delta",
    "eps",    "learning_curve", "theorems"};

struct table {
    const bnre_opt *row;
    size_t n, offset; /* of its fields in bnre__fields */
};

static struct table table_of(size_t source)
{
    struct table table = {study_rows, COUNT(study_rows),
                          offsetof(bnre__fields, study)};

    if (source == BNRE__KEYS_TRAIN) {
        table.row = bnre_train_options(&table.n);
        table.offset = offsetof(bnre__fields, train);
    } else if (source == BNRE__KEYS_POSTERIOR) {
        table.row = bnre_posterior_options(&table.n);
        table.offset = offsetof(bnre__fields, posterior);
    } else if (source == BNRE__KEYS_DIAGNOSE) {
        table.row = bnre_diagnose_options(&table.n);
        table.offset = offsetof(bnre__fields, diagnose);
    }
    return table;
}

static int is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* Whether an option of a command is a key of studies, too. */
static int is_key(size_t source, const bnre_opt *row)
{
    switch (source) {
    case BNRE__KEYS_TRAIN:
        return !is_among(row->name, hidden, COUNT(hidden));
    case BNRE__KEYS_POSTERIOR:
        return is_among(row->name, of_posterior, COUNT(of_posterior));
    case BNRE__KEYS_DIAGNOSE:
        return is_among(row->name, of_diagnose, COUNT(of_diagnose));
    default:
        return 1;
    }
}

static const char *const trees[] = {"task", "models", "network", "sweep"};

static void *fields_of(bnre__fields *fields, size_t source)
{
    return (char *)fields + table_of(source).offset;
}

static const void *values_of(const bnre__fields *fields, size_t source)
{
    return (const char *)fields + table_of(source).offset;
}

int bnre__key_find(const char *name, bnre__key *out)
{
    for (size_t i = 0; i < COUNT(trees); i++)
        if (strcmp(name, trees[i]) == 0) {
            *out = (bnre__key){trees[i], BNRE__KEYS_TREE, NULL};
            return 1;
        }
    for (size_t g = 0; g < BNRE__SOURCES; g++) {
        const struct table table = table_of(g);
        const bnre_opt *row = bnre_opt_find(table.row, table.n, name);

        if (row != NULL && is_key(g, row)) {
            *out = (bnre__key){row->name, (bnre__key_source)g, row};
            return 1;
        }
    }
    return 0;
}

static const char *key_word(const void *list, size_t i)
{
    (void)list;
    if (i < COUNT(trees))
        return trees[i];
    i -= COUNT(trees);
    for (size_t g = 0; g < BNRE__SOURCES; i -= table_of(g++).n)
        if (i < table_of(g).n) {
            const bnre_opt *row = &table_of(g).row[i];

            /* Words that are none here repeat the first, which is. */
            return is_key(g, row) ? row->name : trees[0];
        }
    return NULL;
}

bnre_status bnre__key_fail(const bnre_node *node, const char *what)
{
    const char *nearest = bnre__text_nearest(node->key, key_word, NULL);

    if (nearest == NULL)
        return bnre_node_fail(node, "unknown %s \"%s\"", what, node->key);
    return bnre_node_fail(node, "unknown %s \"%s\": did you mean \"%s\"?", what,
                          node->key, nearest);
}

/* Defaults in the fields of all sources. */
static bnre_status init_defaults(bnre__fields *fields)
{
    memset(fields, 0, sizeof *fields);
    for (size_t g = 0; g < BNRE__SOURCES; g++)
        BNRE_DO(bnre_opt_init(table_of(g).row, table_of(g).n,
                              fields_of(fields, g)));
    fields->train.simulations = BUDGET;
    fields->posterior.samples = bnre__posterior_samples(&fields->posterior);
    return BNRE_OK;
}

void bnre__fields_clear(bnre__fields *fields)
{
    for (size_t g = 0; g < BNRE__SOURCES; g++)
        bnre_opt_clear(table_of(g).row, table_of(g).n, fields_of(fields, g));
}

/* The part of `map` that is of one source. */
static bnre_status select_source(const bnre_node *map, size_t source,
                                 bnre_node **out)
{
    bnre_node *copy = NULL;
    bnre__key key;

    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    for (size_t i = 0; i < map->count; i++) {
        if (!bnre__key_find(map->child[i]->key, &key) || key.source != source)
            continue;
        BNRE_DO(bnre_node_copy(map->child[i], &copy));
        BNRE_DO(bnre_node_add(*out, map->child[i]->key, copy));
    }
    return BNRE_OK;
}

bnre_status bnre__fields_init(bnre__fields *fields, const bnre_node *map)
{
    bnre_status status = BNRE_OK;
    bnre_node *part = NULL;

    BNRE_TRY(init_defaults(fields));
    for (size_t g = 0; g < BNRE__SOURCES; g++) {
        BNRE_TRY(select_source(map, g, &part));
        BNRE_TRY(bnre_opt_set_map(table_of(g).row, table_of(g).n,
                                  fields_of(fields, g), part,
                                  fields->given[g]));
        bnre_node_destroy(part);
        part = NULL;
    }
done:
    if (status != BNRE_OK)
        bnre__fields_clear(fields);
    bnre_node_destroy(part);
    return status;
}

int bnre__fields_given(const bnre__fields *fields, const char *name)
{
    bnre__key key;

    return bnre__key_find(name, &key) && key.row != NULL &&
           fields->given[key.source][key.row - table_of(key.source).row];
}

bnre_trust_opts bnre__fields_trust(const bnre__fields *fields)
{
    bnre_trust_opts opts = bnre_trust_opts_default();

    opts.trust = fields->study.trust;
    /* A temper that is given is the diagnosis' own, unless lambda is chosen for
       it; either way it says how cautious to be. */
    opts.temper = isnan(fields->study.temper) || opts.trust == BNRE_TRUST_FRESH
                      ? fields->study.temper
                      : 0;
    if (opts.trust == BNRE_TRUST_DEFAULT && fields->study.temper > 0)
        opts.trust = BNRE_TRUST_NO;
    opts.delta = fields->diagnose.delta;
    opts.eps = fields->diagnose.eps;
    opts.points = fields->diagnose.points;
    opts.effort = fields->study.effort;
    return opts;
}

int bnre__fields_choose(const bnre__fields *fields)
{
    const bnre_trust_opts opts = bnre__fields_trust(fields);

    return bnre__trust_wanted(&fields->train, &opts);
}

/* What one row is set to; *out NULL if it is absent. */
static bnre_status record_row(const bnre_opt *row, const void *values,
                              bnre_node **out)
{
    bnre_opt alone = *row;
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;

    *out = NULL;
    alone.flags |= BNRE_OPT_RESULT;
    BNRE_TRY(bnre_opt_record(&alone, 1, values, &map));
    if (map->count > 0)
        BNRE_TRY(bnre_node_copy(map->child[0], out));
done:
    bnre_node_destroy(map);
    return status;
}

/* A node as one line of text. */
static bnre_status flatten(const bnre_node *node, char **out)
{
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    if (node->kind == BNRE_NODE_TEXT)
        BNRE_TRY(bnre__text_add(&text, "%s", node->text));
    for (size_t i = 0; i < node->count; i++)
        BNRE_TRY(
            bnre__text_add(&text, i > 0 ? "+%s" : "%s", node->child[i]->text));
    *out = text.data;
    text.data = NULL;
done:
    bnre__free(text.data);
    return status;
}

bnre_status bnre__key_text(const bnre__key *key, const bnre_node *value,
                           char **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL, *copy = NULL, *record = NULL;
    bnre__fields fields;

    *out = NULL;
    memset(&fields, 0, sizeof fields);
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
    BNRE_TRY(bnre_node_copy(value, &copy));
    BNRE_TRY(bnre_node_add(map, key->name, copy));
    BNRE_TRY(bnre__fields_init(&fields, map));
    BNRE_TRY(record_row(key->row, values_of(&fields, key->source), &record));
    BNRE_TRY(flatten(record, out));
done:
    bnre__fields_clear(&fields);
    bnre_node_destroy(record);
    bnre_node_destroy(map);
    return status;
}

/* "key: value", unless that is the default. */
static bnre_status add_identity(const bnre__fields *fields,
                                const bnre__fields *defaults,
                                const bnre__key *key, bnre__text *out)
{
    bnre_status status = BNRE_OK;
    bnre_node *value = NULL, *preset = NULL;
    char *text = NULL, *usual = NULL;

    BNRE_TRY(record_row(key->row, values_of(fields, key->source), &value));
    BNRE_TRY(record_row(key->row, values_of(defaults, key->source), &preset));
    if (value != NULL)
        BNRE_TRY(bnre_node_write(value, &text));
    if (preset != NULL)
        BNRE_TRY(bnre_node_write(preset, &usual));
    if (text != NULL && (usual == NULL || strcmp(text, usual) != 0))
        BNRE_TRY(bnre__text_add(out, "%s: %s", key->name, text));
done:
    bnre_node_destroy(value);
    bnre_node_destroy(preset);
    bnre_free(text);
    bnre_free(usual);
    return status;
}

bnre_status bnre__training_identity(const bnre__fields *fields, bnre__text *out)
{
    const struct table train = table_of(BNRE__KEYS_TRAIN);
    bnre_status status = BNRE_OK;
    bnre__fields defaults;

    BNRE_TRY(init_defaults(&defaults));
    /* Work that was done while these were the defaults stays done. */
    defaults.train.method = BNRE_METHOD_BNRE;
    defaults.train.members = 1;
    defaults.train.lambda = BNRE_TRAIN_LAMBDA;
    for (size_t i = 0; i < train.n; i++) {
        const bnre_opt *row = &train.row[i];
        const bnre__key key = {row->name, BNRE__KEYS_TRAIN, row};

        if (row->flags & BNRE_OPT_RESULT && is_key(BNRE__KEYS_TRAIN, row))
            BNRE_TRY(add_identity(fields, &defaults, &key, out));
    }
done:
    bnre__fields_clear(&defaults);
    return status;
}

bnre_status bnre__diagnosis_identity(const bnre__fields *fields,
                                     bnre__text *out)
{
    bnre_status status = BNRE_OK;
    bnre__fields defaults;
    bnre__key key;

    BNRE_TRY(init_defaults(&defaults));
    for (size_t i = 0; i < COUNT(diagnosing); i++)
        if (bnre__key_find(diagnosing[i], &key))
            BNRE_TRY(add_identity(fields, &defaults, &key, out));
done:
    bnre__fields_clear(&defaults);
    return status;
}
