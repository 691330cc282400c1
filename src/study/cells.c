/* cells.c - the product of the axes: what each cell is, by name and seed. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "infer/train/train.h"
#include "nn/net.h"
#include "study/diagnosis.h"
#include "study/rounds.h"
#include "study/study.h"
#include "trust/check.h"
#include "trust/trust.h"

/* Beyond any study that ends, and small enough for lists in memory. */
enum { MOST_CELLS = 100000 };

/* Names become directories, of which most systems allow 255 bytes. */
enum { LONGEST_NAME = 200 };

static void clear_cell(const bnre_study *study, bnre__cell *cell)
{
    for (size_t i = 0; cell->value != NULL && i < study->keys; i++)
        bnre__free(cell->value[i]);
    bnre__free(cell->value);
    for (size_t i = 0; cell->shown != NULL && i < study->keys; i++)
        bnre__free(cell->shown[i]);
    bnre__free(cell->shown);
    bnre__free(cell->name);
    bnre__free(cell->identity);
    bnre__free(cell->text);
    bnre_node_destroy(cell->settings);
    bnre__fields_clear(&cell->fields);
}

void bnre__cells_clear(bnre_study *study)
{
    for (size_t i = 0; i < study->cells; i++)
        clear_cell(study, &study->cell[i]);
    bnre__free(study->cell);
    for (size_t i = 0; i < study->tasks; i++) {
        bnre_task_destroy(study->task[i].task);
        bnre__free(study->task[i].label);
    }
    bnre__free(study->task);
}

static bnre_status set_axes(const bnre_study *study, const size_t *index,
                            bnre__cell *cell)
{
    /* What is the whole study's own. */
    static const char *const common[] = {
        "title", "seed", "repeats", "workers", "observation", "truth",
        "show",  "odds", "each",    "prior",   "also"};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_node_copy(study->base, &cell->settings));
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        bnre_node_remove(cell->settings, common[i]);
    BNRE_NEW(cell->value, study->keys);
    BNRE_NEW(cell->shown, study->keys);
    for (size_t a = 0; a < study->axes; a++) {
        const bnre__choice *choice = &study->axis[a].choice[index[a]];

        for (size_t i = 0; i < choice->n; i++) {
            const bnre__assignment *set = &choice->set[i];

            BNRE_TRY(bnre__tree_put(cell->settings, set->path, set->value));
            BNRE_TRY(bnre__strdup(set->label, &cell->value[set->key]));
            BNRE_TRY(bnre__strdup(set->shown, &cell->shown[set->key]));
        }
    }
done:
    return status;
}

/* Values as they are always written: 256 for 2^8. */
static bnre_status write_alike(bnre_node *settings)
{
    bnre__key key;
    char *text = NULL;

    for (size_t i = 0; i < settings->count; i++) {
        bnre_node *node = settings->child[i];

        if (!bnre__key_find(node->key, &key) || key.row == NULL ||
            node->kind != BNRE_NODE_TEXT)
            continue;
        BNRE_DO(bnre__key_text(&key, node, &text));
        bnre__free(node->text);
        node->text = text;
    }
    return BNRE_OK;
}

static size_t key_number(const bnre_study *study, const char *name)
{
    size_t i = 0;

    while (i < study->keys && strcmp(study->key[i], name) != 0)
        i++;
    return i;
}

static int is_auto(const bnre_node *node)
{
    return node->kind == BNRE_NODE_TEXT && strcmp(node->text, "auto") == 0;
}

/* The methods nre and npe have no lambda: cells that differ in it alone are
   one. */
static bnre_status drop_lambda(const bnre_study *study, bnre__cell *cell)
{
    const size_t lambda = key_number(study, "lambda");
    const bnre_node *node;
    bnre__key key;

    if (bnre_method_is_balanced(cell->fields.train.method))
        return BNRE_OK;
    node = bnre_node_find(cell->settings, "lambda");
    if (node == NULL)
        return BNRE_OK;
    if (key_number(study, "method") == study->keys && !is_auto(node))
        return bnre_node_fail(node,
                              "lambda has no part in the method %s: leave it "
                              "out, or use the method b%s",
                              bnre_method_name(cell->fields.train.method),
                              bnre_method_name(cell->fields.train.method));
    if (bnre__key_find("lambda", &key))
        BNRE_DO(bnre_opt_set(key.row, &cell->fields.train, key.row->preset));
    bnre_node_remove(cell->settings, "lambda");
    if (lambda < study->keys) {
        bnre__free(cell->value[lambda]);
        cell->value[lambda] = NULL;
    }
    return BNRE_OK;
}

static bnre_status name_cell(const bnre_study *study, bnre__cell *cell)
{
    bnre_status status = BNRE_OK;
    bnre__text name = {0};
    char hash[BNRE__SHORT_HASH];

    for (size_t i = 0; i < study->keys; i++)
        if (cell->value[i] != NULL)
            BNRE_TRY(bnre__text_add(&name, "%s%s=%s",
                                    name.length > 0 ? "," : "", study->key[i],
                                    cell->value[i]));
    if (name.length == 0)
        BNRE_TRY(bnre__text_add(&name, "single"));
    if (name.length > LONGEST_NAME) {
        bnre__short_hash(name.data, hash);
        name.length = LONGEST_NAME - BNRE__SHORT_HASH;
        BNRE_TRY(bnre__text_add(&name, "-%s", hash));
    }
    cell->name = name.data;
    name.data = NULL;
done:
    bnre__free(name.data);
    return status;
}

/* Whether there is a cell like this one, which then is here once more because
   of an axis that has no part in it. */
static int is_known(const bnre_study *study, const bnre__cell *cell)
{
    const size_t lambda = key_number(study, "lambda");

    if (lambda == study->keys || cell->value[lambda] != NULL)
        return 0;
    for (size_t i = 0; i < study->cells; i++)
        if (strcmp(study->cell[i].name, cell->name) == 0)
            return 1;
    return 0;
}

/* Cells of the same task share it. */
static bnre_status find_task(bnre_study *study, bnre__cell *cell)
{
    bnre_status status = BNRE_OK;
    bnre_task *task = NULL;

    BNRE_TRY((study->sealed ? bnre_task_describe : bnre_task_create)(
        bnre_node_find(cell->settings, "task"), &task));
    for (cell->task = 0; cell->task < study->tasks; cell->task++)
        if (strcmp(bnre_task_text(study->task[cell->task].task),
                   bnre_task_text(task)) == 0)
            goto done;
    BNRE_GROW(study->task, study->task_room, study->tasks + 1);
    study->task[study->tasks++].task = task;
    task = NULL;
done:
    bnre_task_destroy(task);
    return status;
}

/* The network that was asked for, checked against the shapes of the task. */
static bnre_status describe_network(const bnre_study *study, bnre__cell *cell,
                                    bnre__text *out)
{
    const bnre_task *task = study->task[cell->task].task;
    bnre_status status = BNRE_OK;
    bnre_node *node = (bnre_node *)bnre_node_find(cell->settings, "network");
    bnre__net_input input = {.dim_theta =
                                 bnre_prior_dim(bnre_task_prior(task))};
    bnre_node *map = NULL, *copy = NULL;
    bnre__net *net = NULL;

    if (node == NULL || !bnre_task_known(task))
        return BNRE_OK;
    if (node->kind == BNRE_NODE_TEXT) {
        BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, &map));
        BNRE_TRY(bnre_node_copy(node, &copy));
        BNRE_TRY(bnre_node_add(map, "preset", copy));
        BNRE_TRY(bnre__tree_put(cell->settings, "network", map));
        node = (bnre_node *)bnre_node_find(cell->settings, "network");
    }
    input.shape = bnre_task_observable(task, &input.ndim);
    status = bnre__net_create(node, &input, &net);
    if (status == BNRE_EUSAGE &&
        (node->file == NULL ||
         strstr(bnre_error_message(), node->file) == NULL))
        status = bnre_node_fail(node, "network: %s", bnre_error_message());
    BNRE_TRY(status);
    bnre__net_doubt(net, cell->doubt);
    BNRE_TRY(bnre__text_add(out, "# network\n%s", bnre__net_text(net)));
done:
    bnre__net_destroy(net);
    bnre_node_destroy(map);
    return status;
}

/* What tables of options cannot tell. */
static bnre_status check_diagnosis(const bnre__cell *cell)
{
    const bnre_node *node = bnre_node_find(cell->settings, "draws");
    bnre_status status = bnre__diagnosis_check(&cell->fields);

    if (node == NULL)
        node = bnre_node_find(cell->settings, "grid");
    if (status == BNRE_EUSAGE && node != NULL)
        status = bnre_node_fail(node, "%s", bnre_error_message());
    return status;
}

/* Too few simulations for a check, and summaries that are none. */
static bnre_status check_check(const bnre_study *study, const bnre__cell *cell)
{
    const bnre__study_fields *own = &cell->fields.study;
    const bnre_task *task = study->task[cell->task].task;
    const size_t needed =
        bnre__check_needed(bnre__check_tests(own->summary.count), 0);
    bnre__check_summary *summary = NULL;

    if (own->check > 0 && own->check < needed)
        return bnre_node_fail(bnre_node_find(cell->settings, "check"),
                              "%zu simulations are too few for so many tests: "
                              "%zu are the least",
                              own->check, needed);
    for (size_t i = 0; bnre_task_known(task) && i < own->summary.count; i++) {
        if (bnre__check_summary_parse(own->summary.text[i],
                                      bnre_task_x_size(task), NULL,
                                      &summary) != BNRE_OK)
            return bnre_node_fail(bnre_node_find(cell->settings, "summary"),
                                  "%s", bnre_error_message());
        bnre__check_summary_destroy(summary);
    }
    return BNRE_OK;
}

/* Theory, learning curves and regions that the pairs or the task do not serve. */
static bnre_status check_extras(const bnre_study *study, const bnre__cell *cell)
{
    const bnre_diagnose_settings *fields = &cell->fields.diagnose;
    const int learning = cell->fields.study.learning_curve;
    const bnre_task *task = study->task[cell->task].task;
    const bnre_node *map = cell->settings;
    const bnre_node *theorems = bnre_node_find(map, "theorems");
    const bnre_node *curve = bnre_node_find(map, "learning_curve");

    if (cell->fields.study.test == 0 && (fields->theorems > 0 || learning))
        return bnre_node_fail(fields->theorems > 0 ? theorems : curve,
                              "there are no pairs to do that with: test is 0");
    if (fields->theorems > 0 && fields->theorems < BNRE_DIAG_LEAST)
        return bnre_node_fail(theorems,
                              "%zu pairs are too few: %d are the "
                              "least",
                              fields->theorems, BNRE_DIAG_LEAST);
    if (fields->theorems > 0 && !bnre_task_tractable(task) &&
        bnre_task_runs(task)) /* else nobody knows */
        return bnre_node_fail(theorems,
                              "the task %s does not tell its likelihood: there "
                              "is no exact classifier to compare with",
                              bnre_task_name(task));
    if (fields->theorems > 0 && !bnre_prior_has_density(bnre_task_prior(task)))
        return bnre_node_fail(theorems, "the prior is known by draws only: "
                                        "there is no exact classifier");
    if (fields->theorems > 0 && fields->observations > 1)
        return bnre_node_fail(theorems, "theorems are for single observations: "
                                        "leave observations out");
    if (bnre_node_find(study->base, "observation") == NULL &&
        bnre_node_find(study->base, "show") != NULL)
        return bnre_node_fail(
            bnre_node_find(study->base, "show"),
            "that is for the posterior of an observation: name it");
    if (bnre_node_find(study->base, "observation") == NULL &&
        (cell->fields.posterior.regions > 0 || cell->fields.posterior.local))
        return bnre_node_fail(
            bnre_node_find(map,
                           cell->fields.posterior.local ? "local" : "regions"),
            "that is for the posterior of an observation: name it");
    if (bnre_node_find(study->base, "observation") == NULL &&
        (cell->fields.study.check > 0 || cell->fields.study.summary.count > 0))
        return bnre_node_fail(bnre_node_find(map, cell->fields.study.check > 0
                                                      ? "check"
                                                      : "summary"),
                              "a check is of an observation: name it");
    BNRE_DO(check_check(study, cell));
    if (learning && fields->observations > 1)
        return bnre_node_fail(curve, "learning curves are for single "
                                     "observations: leave observations out");
    return BNRE_OK;
}

/* What is chosen after training is part of its result. */
static bnre_status add_trust(const bnre__cell *cell, bnre__text *out)
{
    const bnre_trust_opts opts = bnre__fields_trust(&cell->fields);
    char delta[32], eps[32], effort[32], temper[32];

    if (!bnre__fields_choose(&cell->fields))
        return BNRE_OK;
    return bnre__text_add(
        out, "trust: %s, temper %s, delta %s, eps %s, effort %s, points %zu\n",
        opts.trust == BNRE_TRUST_AUTO ? "auto" : "fresh",
        isnan(opts.temper) ? "auto" : bnre__text_real(opts.temper, temper),
        bnre__text_real(opts.delta, delta), bnre__text_real(opts.eps, eps),
        bnre__text_real(opts.effort, effort), opts.points);
}

/* Rounds are a part of the training. */
static bnre_status add_rounds(const bnre__cell *cell, bnre__text *out)
{
    char alpha[32];

    if (!bnre__cell_has_rounds(cell))
        return BNRE_OK;
    return bnre__text_add(out, "rounds: %s, alpha %s\n",
                          cell->fields.study.rounds,
                          bnre__text_real(cell->fields.study.alpha, alpha));
}

/* Automatic choices that cannot be made. */
static bnre_status check_trust(const bnre__cell *cell)
{
    const bnre_node *node = bnre_node_find(cell->settings, "trust");

    if (cell->fields.study.trust != BNRE_TRUST_AUTO || node == NULL)
        return BNRE_OK;
    if (cell->fields.study.temper > 0)
        return bnre_node_fail(node, "trust: auto chooses how cautious to be: "
                                    "leave temper out, or use trust: no");
    if (cell->fields.train.folds < 2)
        return bnre_node_fail(node,
                              "trust: auto needs networks that have not seen a "
                              "simulation, and %zu cannot be laid in folds: "
                              "take members: 10",
                              cell->fields.train.members);
    return BNRE_OK;
}

/* All that decides on the result of training, besides data and seed. */
static bnre_status identify(bnre_study *study, bnre__cell *cell)
{
    const bnre__study_fields *own = &cell->fields.study;
    bnre_status status = BNRE_OK;
    bnre__text text = {0};
    char digits[32];

    BNRE_TRY(find_task(study, cell));
    BNRE_TRY(bnre__text_add(&text, "# task\n%s",
                            bnre_task_text(study->task[cell->task].task)));
    BNRE_TRY(describe_network(study, cell, &text));
    BNRE_TRY(bnre__text_add(&text, "# training\n"));
    BNRE_TRY(bnre__training_identity(&cell->fields, &text));
    if (cell->fields.train.max_time > 0)
        BNRE_TRY(bnre__text_add(
            &text, "max_time: %s\n",
            bnre__text_real(cell->fields.train.max_time, digits)));
    if (bnre__fields_given(&cell->fields, "validation"))
        BNRE_TRY(bnre__text_add(&text, "validation: %zu\n", own->validation));
    if (bnre__fields_given(&cell->fields, "schedule"))
        BNRE_TRY(bnre__text_add(&text, "schedule: %zu\n", own->schedule));
    BNRE_TRY(add_trust(cell, &text));
    BNRE_TRY(add_rounds(cell, &text));
    cell->identity = text.data;
    text.data = NULL;
    BNRE_TRY(bnre_node_write(cell->settings, &cell->text));
done:
    bnre__free(text.data);
    return status;
}

/* Put values in place of what the study leaves open. */
static void settle(bnre__fields *fields, const bnre_node *task)
{
    bnre_trust_opts opts = bnre__fields_trust(fields);

    fields->train.models = bnre_node_find(task, "models") != NULL;
    bnre__trust_settle(&fields->train, &opts);
    fields->study.trust = opts.trust;
    fields->train.members = bnre__train_members(&fields->train);
    fields->train.method = bnre__train_method(&fields->train);
}

static bnre_status add_cell(bnre_study *study, const size_t *index)
{
    bnre_status status = BNRE_OK;
    bnre__cell cell;

    memset(&cell, 0, sizeof cell);
    BNRE_TRY(set_axes(study, index, &cell));
    BNRE_TRY(bnre__fields_init(&cell.fields, cell.settings));
    settle(&cell.fields, bnre_node_find(cell.settings, "task"));
    BNRE_TRY(write_alike(cell.settings));
    BNRE_TRY(drop_lambda(study, &cell));
    BNRE_TRY(check_diagnosis(&cell));
    BNRE_TRY(check_trust(&cell));
    BNRE_TRY(name_cell(study, &cell));
    if (is_known(study, &cell))
        goto done;
    BNRE_TRY(identify(study, &cell));
    BNRE_TRY(check_extras(study, &cell));
    BNRE_TRY(bnre__cell_check_rounds(study, &cell));
    BNRE_GROW(study->cell, study->cell_room, study->cells + 1);
    study->cell[study->cells++] = cell;
    return BNRE_OK;
done:
    clear_cell(study, &cell);
    return status;
}

/* An axis of lambda where no cell has one is a misunderstanding. */
static bnre_status check_lambda(const bnre_study *study)
{
    const size_t lambda = key_number(study, "lambda");
    const bnre_node *node = study->root;

    if (lambda == study->keys)
        return BNRE_OK;
    for (size_t i = 0; i < study->cells; i++)
        if (study->cell[i].value[lambda] != NULL)
            return BNRE_OK;
    for (size_t a = 0; a < study->axes; a++)
        for (size_t i = 0; i < study->axis[a].choice[0].n; i++)
            if (study->axis[a].choice[0].set[i].key == lambda)
                node = study->axis[a].node;
    return bnre_node_fail(node,
                          "lambda is an axis, but no cell has the method bnre");
}

bnre_status bnre__cells_make(bnre_study *study)
{
    bnre_status status = BNRE_OK;
    size_t *index = NULL, count = 1, a;

    for (a = 0; a < study->axes; a++) {
        if (study->axis[a].n > MOST_CELLS / count)
            return bnre_node_fail(study->axis[a].node,
                                  "more than %d cells are too many",
                                  MOST_CELLS);
        count *= study->axis[a].n;
    }
    BNRE_NEW(index, study->axes);
    for (size_t i = 0; i < count; i++) {
        BNRE_TRY(add_cell(study, index));
        /* The last axis runs fastest. */
        for (a = study->axes; a > 0 && ++index[a - 1] == study->axis[a - 1].n;)
            index[--a] = 0;
    }
    BNRE_TRY(check_lambda(study));
done:
    bnre__free(index);
    return status;
}

uint64_t bnre__study_seed(const bnre_study *study, size_t cell, size_t repeat)
{
    bnre__hash hash;
    uint64_t seed;

    bnre__hash_init(&hash, study->fields.study.seed, repeat, 0);
    bnre__hash_add_text(&hash, study->cell[cell].identity);
    bnre__hash_end(&hash, &seed);
    return seed >> 11;
}
