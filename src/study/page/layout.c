/* layout.c - the axis and the series of a study, and their names. */
#include "study/page/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "bnre/text.h"

static int is_shown(const bnre__layout *layout, size_t cell)
{
    const char *task = layout->study->cell[cell].task;

    return layout->task == NULL ||
           (task != NULL && strcmp(task, layout->task) == 0);
}

static int read_number(const char *text, double *out)
{
    const char *end = text + strlen(text);

    return bnre__number_scan(text, end, out) == end && isfinite(*out);
}

/* A number that was to be chosen has no place among given ones. */
static int is_auto(const char *text)
{
    return strcmp(text, "auto") == 0;
}

/* How many values a key has, and whether they are numbers: two at least, and
   besides them at most `auto`. */
static size_t count_values(const bnre__layout *layout, size_t key, int *numeric)
{
    const bnre__saved_study *study = layout->study;
    size_t n = 0, numbers = 0;
    double number;

    *numeric = 1;
    for (size_t i = 0; i < study->cells; i++) {
        const char *value = study->cell[i].value[key];
        int known = 0;

        if (value == NULL || !is_shown(layout, i))
            continue;
        for (size_t k = 0; k < i && !known; k++)
            known = is_shown(layout, k) && study->cell[k].value[key] != NULL &&
                    strcmp(study->cell[k].value[key], value) == 0;
        n += !known;
        numbers += !known && !is_auto(value);
        *numeric = *numeric && (is_auto(value) || read_number(value, &number));
    }
    *numeric = *numeric && numbers > 1;
    return n;
}

/* The number of the key along the axis; `keys` if there is none. */
static size_t choose_axis(bnre__layout *layout)
{
    const bnre__saved_study *study = layout->study;
    size_t best = study->keys, most = 0;

    for (size_t i = 0; i < study->keys; i++) {
        const char *key = study->key[i];
        int numeric;
        size_t n = count_values(layout, i, &numeric);
        size_t weight;

        if (n < 2 || strcmp(key, "method") == 0 || strcmp(key, "task") == 0)
            continue;
        weight = 4 * n + (strcmp(key, "simulations") == 0) +
                 (numeric ? (size_t)1 << 30 : 0);
        if (weight <= most)
            continue;
        most = weight;
        best = i;
        layout->key = key;
        layout->numeric = numeric;
    }
    return best;
}

static bnre_status add_tick(bnre__layout *layout, const char *text)
{
    bnre_status status = BNRE_OK;
    double at = (double)layout->ticks + 1;
    size_t i;

    for (i = 0; i < layout->ticks; i++)
        if (strcmp(layout->tick[i].text, text) == 0)
            return BNRE_OK;
    if (layout->numeric)
        read_number(text, &at);
    BNRE_GROW(layout->tick, layout->tick_room, layout->ticks + 1);
    for (; i > 0 && layout->tick[i - 1].at > at; i--)
        layout->tick[i] = layout->tick[i - 1];
    layout->tick[i] = (bnre__tick){text, at};
    layout->ticks++;
done:
    return status;
}

/* A cell's place on the axis; NULL if it has none. */
static const char *place_of(const bnre__layout *layout, size_t cell,
                            size_t axis)
{
    const char *text = axis < layout->study->keys
                           ? layout->study->cell[cell].value[axis]
                           : layout->tick[0].text;

    return text != NULL && layout->numeric && is_auto(text) ? NULL : text;
}

static bnre_status make_ticks(bnre__layout *layout, size_t key)
{
    const bnre__saved_study *study = layout->study;
    double first, last;

    if (layout->key == NULL)
        return add_tick(layout, "");
    for (size_t i = 0; i < study->cells; i++)
        if (is_shown(layout, i) && place_of(layout, i, key) != NULL)
            BNRE_DO(add_tick(layout, place_of(layout, i, key)));
    first = layout->tick[0].at;
    last = layout->tick[layout->ticks - 1].at;
    layout->logarithmic = layout->numeric && first > 0 && last >= 4 * first;
    if (strcmp(layout->key, "simulations") == 0)
        layout->logarithmic = first > 0;
    layout->log2 = layout->logarithmic && first >= 64;
    for (size_t i = 0; i < layout->ticks && layout->log2; i++)
        layout->log2 =
            exp2(round(log2(layout->tick[i].at))) == layout->tick[i].at;
    return BNRE_OK;
}

static int same_value(const bnre__layout *layout, size_t a, size_t b,
                      size_t key)
{
    const char *x = layout->study->cell[a].value[key];
    const char *y = layout->study->cell[b].value[key];

    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

static bnre_status find_series(bnre__layout *layout, size_t cell, size_t axis,
                               bnre__series **out)
{
    const bnre__saved_study *study = layout->study;
    bnre_status status = BNRE_OK;
    bnre__series *series;

    for (size_t s = 0; s < layout->n; s++) {
        const size_t model = layout->series[s].model;
        int same = (place_of(layout, cell, axis) == NULL) ==
                   (place_of(layout, model, axis) == NULL);

        for (size_t k = 0; k < study->keys; k++)
            same = same && (k == axis || same_value(layout, cell, model, k));
        *out = &layout->series[s];
        if (same)
            return BNRE_OK;
    }
    BNRE_GROW(layout->series, layout->series_room, layout->n + 1);
    series = &layout->series[layout->n++];
    series->model = cell;
    series->constant = BNRE__NO_CELL;
    BNRE_NEW(series->cell, layout->ticks);
    for (size_t i = 0; i < layout->ticks; i++)
        series->cell[i] = BNRE__NO_CELL;
    *out = series;
done:
    return status;
}

static bnre_status place_cells(bnre__layout *layout, size_t axis)
{
    const bnre__saved_study *study = layout->study;

    for (size_t i = 0; i < study->cells; i++) {
        const char *text = place_of(layout, i, axis);
        bnre__series *series;

        if (!is_shown(layout, i))
            continue;
        BNRE_DO(find_series(layout, i, axis, &series));
        if (text == NULL)
            series->constant = i;
        for (size_t t = 0; text != NULL && t < layout->ticks; t++)
            if (strcmp(layout->tick[t].text, text) == 0)
                series->cell[t] = i;
    }
    return BNRE_OK;
}

/* ---- what series are called ---- */

/* Whether two series differ in a key that is in the set. */
static int differ(const bnre__layout *layout, const unsigned char *set,
                  size_t a, size_t b)
{
    for (size_t k = 0; k < layout->study->keys; k++)
        if (set[k] && !same_value(layout, layout->series[a].model,
                                  layout->series[b].model, k))
            return 1;
    return 0;
}

static size_t count_pairs(const bnre__layout *layout, const unsigned char *set)
{
    size_t n = 0;

    for (size_t a = 0; a < layout->n; a++)
        for (size_t b = 0; b < a; b++)
            n += (size_t)differ(layout, set, a, b);
    return n;
}

/* The keys that are needed to tell all series apart, the method first. */
static void choose_names(const bnre__layout *layout, size_t axis,
                         unsigned char *set)
{
    const bnre__saved_study *study = layout->study;
    size_t told = 0;

    for (int others = 0; others < 2; others++)
        for (size_t k = 0; k < study->keys; k++) {
            size_t more;

            if (k == axis || (strcmp(study->key[k], "method") == 0) == others)
                continue;
            set[k] = 1;
            more = count_pairs(layout, set);
            set[k] = more > told;
            told = more;
        }
}

static const char *method_of(const bnre__layout *layout, size_t cell)
{
    const bnre__saved_study *study = layout->study;
    const char *method =
        bnre__table_find(&study->table, study->cell[cell].first, "method");
    static const char *const known[][2] = {
        {"nre", "NRE"}, {"npe", "NPE"}, {"bnpe", "BNPE"}};

    for (size_t i = 0; method != NULL && i < 3; i++)
        if (strcmp(method, known[i][0]) == 0)
            return known[i][1];
    return "BNRE";
}

static bnre_status name_series(const bnre__layout *layout, bnre__series *series,
                               const unsigned char *set, size_t axis)
{
    const bnre__saved_study *study = layout->study;
    const bnre__saved_cell *cell = &study->cell[series->model];
    const char *method = method_of(layout, series->model);
    bnre__text text = {0};

    bnre__text_put(&text, "%s", method);
    for (size_t k = 0; k < study->keys; k++) {
        const char *key = study->key[k];
        int numeric;

        if (cell->value[k] == NULL || strcmp(key, "method") == 0 ||
            strcmp(key, "task") == 0)
            continue;
        if (k == axis && place_of(layout, series->model, k) != NULL)
            continue;
        /* One that stands alone says more, for want of neighbours. */
        if (set[k] || (series->constant != BNRE__NO_CELL &&
                       count_values(layout, k, &numeric) > 1))
            bnre__text_put(&text, ", %s %s",
                           strcmp(key, "lambda") == 0 ? "λ" : key,
                           cell->value[k]);
    }
    series->method = method[0] == 'N' ? 'n' : 'b';
    return bnre__text_take(&text, &series->label);
}

bnre_status bnre__layout_init(const bnre__saved_study *study, const char *task,
                              bnre__layout *out)
{
    bnre_status status = BNRE_OK;
    unsigned char *set = NULL;
    size_t axis;

    *out = (bnre__layout){.study = study, .task = task};
    axis = choose_axis(out);
    BNRE_TRY(make_ticks(out, axis));
    BNRE_TRY(place_cells(out, axis));
    BNRE_NEW(set, study->keys + 1);
    choose_names(out, axis, set);
    for (size_t s = 0; s < out->n; s++)
        BNRE_TRY(name_series(out, &out->series[s], set, axis));
done:
    bnre__free(set);
    if (status != BNRE_OK)
        bnre__layout_clear(out);
    return status;
}

void bnre__layout_clear(bnre__layout *layout)
{
    for (size_t s = 0; s < layout->n; s++) {
        bnre__free(layout->series[s].label);
        bnre__free(layout->series[s].cell);
    }
    bnre__free(layout->series);
    bnre__free(layout->tick);
    *layout = (bnre__layout){0};
}

/* ---- what there is to show ---- */

static int cell_knows(const bnre__saved_study *study, size_t cell,
                      bnre__quantity quantity, size_t which)
{
    const bnre__saved_cell *of = &study->cell[cell];

    for (size_t i = of->first; i < of->first + of->runs; i++)
        if (isfinite(quantity(&study->run[i], which).mean))
            return 1;
    return 0;
}

int bnre__layout_knows(const bnre__layout *layout, bnre__quantity quantity,
                       size_t which)
{
    const bnre__saved_study *study = layout->study;

    for (size_t s = 0; s < layout->n; s++) {
        const bnre__series *one = &layout->series[s];

        if (one->constant != BNRE__NO_CELL &&
            cell_knows(study, one->constant, quantity, which))
            return 1;
        for (size_t t = 0; t < layout->ticks; t++)
            if (one->cell[t] != BNRE__NO_CELL &&
                cell_knows(study, one->cell[t], quantity, which))
                return 1;
    }
    return 0;
}

/* ---- the axis in words ---- */

const char *bnre__layout_title(const bnre__layout *layout)
{
    return layout->key == NULL                  ? ""
           : strcmp(layout->key, "lambda") == 0 ? "λ"
                                                : layout->key;
}

const char *bnre__layout_text(const bnre__layout *layout, size_t tick,
                              int enhanced, char out[64])
{
    const bnre__tick *at = &layout->tick[tick];

    if (layout->log2 && enhanced)
        snprintf(out, 64, "2^{%.0f}", log2(at->at));
    else if (layout->numeric && at->at >= 1e4 && at->at < 1e15 &&
             floor(at->at) == at->at)
        bnre_readable_count((size_t)at->at, out);
    else
        snprintf(out, 64, "%.60s", at->text);
    return out;
}
