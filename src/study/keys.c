/* keys.c - the keys of a study file: those of its own, and the options of
   the commands it stands for. */
#include "study/keys.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

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
     "auto: be as cautious as the simulations themselves tell, out of fold; "
     "fresh: choose lambda and temper, the sharpest that is certified to be "
     "conservative on further pairs; default: auto for npe and bnpe, unless "
     "lambda or temper is given as a number"},
    {"select", BNRE_OPT_SIZE, OWN(select), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of pairs for the choice among candidates (default: 2000 if "
     "something is chosen, else 0)"},
    {"certify", BNRE_OPT_SIZE, OWN(certify), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of pairs that certify the choice (default: 10000 if something is "
     "chosen, else 0)"},
    {"effort", BNRE_OPT_REAL, OWN(effort), "2.5", "[1, inf)", "X",
     BNRE_OPT_RESULT,
     "budget of the automatic choice, in units of one plain training; pairs "
     "and lambdas beyond it are skipped"},
    {"calibrate", BNRE_OPT_SIZE, OWN(calibrate), NULL, "[0, inf)", "N",
     BNRE_OPT_RESULT,
     "number of pairs that calibrate conformal regions (default: 1000 if "
     "something is chosen, else 0)"},
    {"observation", BNRE_OPT_TEXT, OWN(observation), NULL, NULL, "FILE",
     BNRE_OPT_RESULT,
     "file of the observation; every run computes its posterior"},
    {"truth", BNRE_OPT_TEXT, OWN(truth), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "true parameters of the observation, if they are known"},
    {"show", BNRE_OPT_TEXT, OWN(show), NULL, NULL, "A,B,...", BNRE_OPT_RESULT,
     "parameters in the corner plot, in this order (default: all, on several "
     "pages if there are more than 8)"},
    {"samples", BNRE_OPT_SIZE, OWN(samples), "10000", "[1, 1e8]", "N",
     BNRE_OPT_RESULT, "number of samples of each posterior"},
    {"regions", BNRE_OPT_CHOICE, OWN(regions), "nominal",
     "nominal|conformal|both", "WORD", BNRE_OPT_RESULT,
     "regions drawn in the corner plot: nominal (from the posterior), "
     "conformal (with a coverage guarantee; needs calibration), or both"},
    {"local", BNRE_OPT_FLAG, OWN(local), NULL, NULL, NULL, BNRE_OPT_RESULT,
     "also compute conformal regions from the calibration pairs that are most "
     "like the observation; these are approximate"},
    {"workers", BNRE_OPT_SIZE, OWN(workers), NULL, "[1, 4096]", "N", 0,
     "number of external programs that run at the same time"},
};

/* Options of training that a study has other words for. */
static const char *const hidden[] = {
    "data",          "validation", "schedule",
    "task",          "network",    "validation_rows",
    "schedule_rows", "classes",    "test_rows"};

/* Simulations for training, where a study does not say. */
enum { BUDGET = 4096 };

#define DIAGNOSE(field) offsetof(bnre__diagnose_fields, field)
static const bnre_opt diagnose_rows[] = {
    {"grid", BNRE_OPT_TEXT, DIAGNOSE(grid), "auto", NULL, "auto|chains|paper|N",
     BNRE_OPT_RESULT, "points at which posteriors are evaluated"},
    {"points", BNRE_OPT_SIZE, DIAGNOSE(points), "0", "[0, 1e6]", "N",
     BNRE_OPT_RESULT, "with auto: at most so many, also where trust is chosen"},
    {"draws", BNRE_OPT_SIZE, DIAGNOSE(draws), "0", "[0, 1e7]", "N",
     BNRE_OPT_RESULT,
     "number of draws of the prior that a diagnosis uses instead of a grid"},
    {"most_points", BNRE_OPT_SIZE, DIAGNOSE(most_points), "8192", "[1, 1e7]",
     "N", BNRE_OPT_RESULT,
     "largest number of points or draws for each pair, used if fewer do not "
     "resolve the posteriors; if these do not either, the verdict is BLIND"},
    {"temper", BNRE_OPT_REAL, DIAGNOSE(temper), NULL, "(0, 1]|auto", "T|auto",
     BNRE_OPT_RESULT,
     "widen posteriors towards the prior: p exp(T l). auto: as far as is "
     "needed for a certificate"},
    {"each_member", BNRE_OPT_FLAG, DIAGNOSE(each_member), NULL, NULL, NULL,
     BNRE_OPT_RESULT, "also diagnose each member of an ensemble"},
    {"observations", BNRE_OPT_SIZE, DIAGNOSE(observations), "1", "[1, 10000]",
     "K", BNRE_OPT_RESULT,
     "number of observations that share their parameters; the diagnosis uses "
     "them together"},
    {"delta", BNRE_OPT_REAL, DIAGNOSE(delta), "0.05", "(0, 1)", "X",
     BNRE_OPT_RESULT, "the verdict holds with confidence 1 - X"},
    {"eps", BNRE_OPT_REAL, DIAGNOSE(eps), "0.02", "[0, 1)", "X",
     BNRE_OPT_RESULT, "tolerance: coverage may be too low by this much"},
    {"learning_curve", BNRE_OPT_FLAG, DIAGNOSE(learning_curve), NULL, NULL,
     NULL, BNRE_OPT_RESULT,
     "also train on a quarter and on half of the simulations, to estimate "
     "what more simulations would bring"},
    {"theorems", BNRE_OPT_SIZE, DIAGNOSE(theorems), "0", "[0, 1e6]", "N",
     BNRE_OPT_RESULT,
     "on N pairs, check the inequalities that hold for every classifier; for "
     "tasks with a known likelihood"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
struct group {
    const bnre_opt *row;
    size_t n, offset; /* of its fields in bnre__fields */
};

static struct group group_of(size_t group)
{
    size_t n;
    const bnre_opt *train = bnre_train_options(&n);
    const struct group groups[BNRE__GROUPS] = {
        [BNRE__GROUP_STUDY] = {study_rows, COUNT(study_rows),
                               offsetof(bnre__fields, study)},
        [BNRE__GROUP_TRAIN] = {train, n, offsetof(bnre__fields, train)},
        [BNRE__GROUP_DIAGNOSE] = {diagnose_rows, COUNT(diagnose_rows),
                                  offsetof(bnre__fields, diagnose)},
    };

    return groups[group];
}

static int is_hidden(const bnre_opt *row)
{
    for (size_t i = 0; i < COUNT(hidden); i++)
        if (strcmp(row->name, hidden[i]) == 0)
            return 1;
    return 0;
}

/* A row of the options of training may hide behind one of the study. */
static int is_key(size_t group, const bnre_opt *row)
{
    return group != BNRE__GROUP_TRAIN || !is_hidden(row);
}

static const char *const trees[] = {"task", "network", "sweep"};

static void *fields_of(bnre__fields *fields, size_t group)
{
    return (char *)fields + group_of(group).offset;
}

static const void *values_of(const bnre__fields *fields, size_t group)
{
    return (const char *)fields + group_of(group).offset;
}

int bnre__key_find(const char *name, bnre__key *out)
{
    for (size_t i = 0; i < COUNT(trees); i++)
        if (strcmp(name, trees[i]) == 0) {
            *out = (bnre__key){trees[i], BNRE__GROUP_TREE, NULL};
            return 1;
        }
    for (size_t g = 0; g < BNRE__GROUPS; g++) {
        const struct group group = group_of(g);
        const bnre_opt *row = bnre_opt_find(group.row, group.n, name);

        if (row != NULL && is_key(g, row)) {
            *out = (bnre__key){row->name, (bnre__group)g, row};
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
    for (size_t g = 0; g < BNRE__GROUPS; i -= group_of(g++).n)
        if (i < group_of(g).n) {
            const bnre_opt *row = &group_of(g).row[i];

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

/* Defaults in the fields of all groups. */
static bnre_status init_defaults(bnre__fields *fields)
{
    memset(fields, 0, sizeof *fields);
    for (size_t g = 0; g < BNRE__GROUPS; g++)
        BNRE_DO(bnre_opt_init(group_of(g).row, group_of(g).n,
                              fields_of(fields, g)));
    fields->train.simulations = BUDGET;
    return BNRE_OK;
}

void bnre__fields_clear(bnre__fields *fields)
{
    for (size_t g = 0; g < BNRE__GROUPS; g++)
        bnre_opt_clear(group_of(g).row, group_of(g).n, fields_of(fields, g));
}

/* The part of `map` that is a group's. */
static bnre_status select_group(const bnre_node *map, size_t group,
                                bnre_node **out)
{
    bnre_node *copy = NULL;
    bnre__key key;

    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    for (size_t i = 0; i < map->count; i++) {
        if (!bnre__key_find(map->child[i]->key, &key) || key.group != group)
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
    for (size_t g = 0; g < BNRE__GROUPS; g++) {
        BNRE_TRY(select_group(map, g, &part));
        BNRE_TRY(bnre_opt_set_map(group_of(g).row, group_of(g).n,
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
           fields->given[key.group][key.row - group_of(key.group).row];
}

bnre_trust_opts bnre__fields_trust(const bnre__fields *fields)
{
    bnre_trust_opts opts = bnre_trust_opts_default();

    opts.trust = fields->study.trust;
    /* A temper that is given is the diagnosis' own, unless lambda is chosen for
       it; either way it says how cautious to be. */
    opts.temper =
        isnan(fields->diagnose.temper) || opts.trust == BNRE_TRUST_FRESH
            ? fields->diagnose.temper
            : 0;
    if (opts.trust == BNRE_TRUST_DEFAULT && fields->diagnose.temper > 0)
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

    return bnre_trust_wanted(&fields->train, &opts);
}

/* What one row of a group is set to; *out NULL if it is absent. */
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
    BNRE_TRY(record_row(key->row, values_of(&fields, key->group), &record));
    BNRE_TRY(flatten(record, out));
done:
    bnre__fields_clear(&fields);
    bnre_node_destroy(record);
    bnre_node_destroy(map);
    return status;
}

bnre_status bnre__fields_identity(const bnre__fields *fields, bnre__group group,
                                  bnre__text *out)
{
    bnre_status status = BNRE_OK;
    bnre_node *value = NULL, *preset = NULL;
    char *text = NULL, *usual = NULL;
    bnre__fields defaults;

    BNRE_TRY(init_defaults(&defaults));
    /* Work that was done while these were the defaults stays done. */
    defaults.train.method = BNRE_METHOD_BNRE;
    defaults.train.members = 1;
    defaults.train.lambda = BNRE_TRAIN_LAMBDA;
    defaults.study.trust = BNRE_TRUST_NO;
    for (size_t i = 0; i < group_of(group).n; i++) {
        const bnre_opt *row = &group_of(group).row[i];

        if (!(row->flags & BNRE_OPT_RESULT) || !is_key(group, row))
            continue;
        BNRE_TRY(record_row(row, values_of(fields, group), &value));
        BNRE_TRY(record_row(row, values_of(&defaults, group), &preset));
        if (value != NULL)
            BNRE_TRY(bnre_node_write(value, &text));
        if (preset != NULL)
            BNRE_TRY(bnre_node_write(preset, &usual));
        if (text != NULL && (usual == NULL || strcmp(text, usual) != 0))
            BNRE_TRY(bnre__text_add(out, "%s: %s", row->name, text));
        bnre_node_destroy(value);
        bnre_node_destroy(preset);
        bnre_free(text);
        bnre_free(usual);
        value = preset = NULL;
        text = usual = NULL;
    }
done:
    bnre_node_destroy(value);
    bnre_node_destroy(preset);
    bnre_free(text);
    bnre_free(usual);
    bnre__fields_clear(&defaults);
    return status;
}

bnre_status bnre__diagnose_record(const bnre__fields *fields, bnre_node **out)
{
    /* Of these a study says something else than the command. */
    static const char *const other[] = {"temper", "learning_curve"};

    BNRE_DO(bnre_opt_record(diagnose_rows, COUNT(diagnose_rows),
                            &fields->diagnose, out));
    for (size_t i = 0; i < COUNT(other); i++)
        bnre_node_remove(*out, other[i]);
    if (!bnre__fields_given(fields,
                            "most_points")) /* it has no default there */
        bnre_node_remove(*out, "most_points");
    return BNRE_OK;
}
