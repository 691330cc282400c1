/* data.c - which datasets the cells of a study need. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "study/rounds.h"
#include "study/study.h"

/* Rows of the reference experiments, for training, validation and the learning
   rate each. */
enum { PAPER_ROWS = 131072 };

static int is_paper(const bnre__cell *cell)
{
    return cell->fields.train.recipe != 0;
}

static size_t rows_of(const bnre__cell *cell, const char *key, size_t value)
{
    if (bnre__fields_given(&cell->fields, key))
        return value;
    return is_paper(cell) ? PAPER_ROWS : 0;
}

/* From how many training simulations the runs of a cell draw theirs. */
static bnre_status choose_pool(const bnre_study *study, bnre__cell *cell)
{
    const size_t budget = cell->fields.train.simulations;
    size_t pool = cell->fields.study.pool;

    if (bnre__fields_given(&cell->fields, "pool")) {
        if (pool < budget)
            return bnre_node_fail(
                bnre_node_find(cell->settings, "pool"),
                "pool is %zu, less than the %zu simulations of the cell %s",
                pool, budget, cell->name);
        cell->rows[BNRE_SPLIT_TRAIN] = pool;
        return BNRE_OK;
    }
    pool = is_paper(cell) ? PAPER_ROWS : 0;
    for (size_t i = 0; i < study->cells; i++)
        if (study->cell[i].task == cell->task &&
            is_paper(&study->cell[i]) == is_paper(cell) &&
            study->cell[i].fields.train.simulations > pool)
            pool = study->cell[i].fields.train.simulations;
    cell->rows[BNRE_SPLIT_TRAIN] = pool;
    return BNRE_OK;
}

/* Pairs for what is chosen automatically. */
static size_t pairs_of(const bnre__cell *cell, const char *key, size_t value,
                       size_t preset)
{
    if (bnre__fields_given(&cell->fields, key))
        return value;
    return cell->fields.study.trust == BNRE_TRUST_FRESH ? preset : 0;
}

static bnre_status count_rows(const bnre_study *study, bnre__cell *cell)
{
    const bnre__study_fields *own = &cell->fields.study;

    cell->rows[BNRE_SPLIT_VALIDATE] =
        rows_of(cell, "validation", own->validation);
    cell->rows[BNRE_SPLIT_SCHEDULE] = rows_of(cell, "schedule", own->schedule);
    cell->rows[BNRE_SPLIT_SELECT] =
        pairs_of(cell, "select", own->select, BNRE_TRUST_SELECT);
    cell->rows[BNRE_SPLIT_CERTIFY] =
        pairs_of(cell, "certify", own->certify, BNRE_TRUST_CERTIFY);
    cell->rows[BNRE_SPLIT_CALIBRATE] =
        pairs_of(cell, "calibrate", own->calibrate, BNRE_TRUST_CALIBRATE);
    cell->rows[BNRE_SPLIT_TEST] =
        own->test * cell->fields.diagnose.observations;
    if (!is_paper(cell) && cell->rows[BNRE_SPLIT_SCHEDULE] > 0)
        return bnre_node_fail(bnre_node_find(cell->settings, "schedule"),
                              "schedule has no part in the recipe default: "
                              "leave it out, or use the recipe paper");
    if (bnre__cell_has_rounds(cell))
        return BNRE_OK; /* it has simulations of its own */
    return choose_pool(study, cell);
}

/* The number of the dataset with these rows, which is added if it is new. */
static bnre_status find_dataset(bnre_study *study, size_t task,
                                bnre_split split, size_t rows,
                                size_t observations, size_t *out)
{
    bnre_status status = BNRE_OK;

    for (*out = 0; *out < study->datasets; ++*out) {
        const bnre__data *data = &study->data[*out];

        if (data->task == task && data->split == split && data->rows == rows &&
            data->observations == observations)
            return BNRE_OK;
    }
    BNRE_GROW(study->data, study->data_room, study->datasets + 1);
    study->data[study->datasets++] = (bnre__data){.task = task,
                                                  .split = split,
                                                  .rows = rows,
                                                  .observations = observations};
done:
    return status;
}

/* Tasks are told apart by their names or, if these are alike, their hashes. */
static bnre_status label_tasks(bnre_study *study)
{
    for (size_t i = 0; i < study->tasks; i++) {
        const bnre_task *task = study->task[i].task;
        char hash[BNRE__SHORT_HASH];
        int alone = 1;

        for (size_t k = 0; k < study->tasks; k++)
            if (k != i && strcmp(bnre_task_name(task),
                                 bnre_task_name(study->task[k].task)) == 0)
                alone = 0;
        bnre__short_hash(bnre_task_text(task), hash);
        BNRE_DO(bnre__text_format(&study->task[i].label, "%s%s%s",
                                  bnre_task_name(task), alone ? "" : "-",
                                  alone ? "" : hash));
    }
    return BNRE_OK;
}

int bnre__data_same_stream(const bnre__data *a, const bnre__data *b)
{
    return a->task == b->task && a->split == b->split &&
           a->observations == b->observations;
}

/* The largest of a split has the plain name, so that a study that grows goes
   on with the file it has. */
static bnre_status name_dataset(const bnre_study *study, bnre__data *data)
{
    const char *label = study->task[data->task].label;
    const char *split = bnre_split_name(data->split);
    char by[32] = "";

    if (data->observations > 1)
        snprintf(by, sizeof by, "-by-%zu", data->observations);
    for (size_t i = 0; i < study->datasets; i++)
        if (bnre__data_same_stream(&study->data[i], data) &&
            study->data[i].rows > data->rows)
            return bnre__text_format(&data->name, "%s-%s%s-%zu.h5", label,
                                     split, by, data->rows);
    return bnre__text_format(&data->name, "%s-%s%s.h5", label, split, by);
}

bnre_status bnre__data_plan(bnre_study *study)
{
    for (size_t i = 0; i < study->cells; i++)
        BNRE_DO(count_rows(study, &study->cell[i]));
    for (size_t s = 0; s < BNRE_SPLIT_COUNT; s++)
        for (size_t i = 0; i < study->cells; i++) {
            bnre__cell *cell = &study->cell[i];

            cell->dataset[s] = BNRE_NO_DATASET;
            if (cell->rows[s] > 0)
                BNRE_DO(find_dataset(
                    study, cell->task, (bnre_split)s, cell->rows[s],
                    s == BNRE_SPLIT_TEST ? cell->fields.diagnose.observations
                                         : 1,
                    &cell->dataset[s]));
        }
    BNRE_DO(label_tasks(study));
    for (size_t i = 0; i < study->datasets; i++)
        BNRE_DO(name_dataset(study, &study->data[i]));
    return BNRE_OK;
}
