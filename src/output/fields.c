/* fields.c - numbers of structs under keys of JSON, and a report on classes. */
#include "output/fields.h"

#include <stddef.h>

#include "base/mem.h"

static bnre_status put_estimate(bnre__json *parent, const char *key,
                                const bnre_estimate *estimate)
{
    bnre__json *pair = NULL;

    BNRE_DO(bnre__json_object(parent, key, &pair));
    BNRE_DO(bnre__json_real(pair, "mean", estimate->mean));
    return bnre__json_real(pair, "error", estimate->error);
}

bnre_status bnre__field_put(bnre__json *parent, const char *key,
                            bnre__field_kind kind, const void *value)
{
    switch (kind) {
    case BNRE__REAL:
        return bnre__json_real(parent, key, *(const double *)value);
    case BNRE__SIZE:
        return bnre__json_size(parent, key, *(const size_t *)value);
    case BNRE__FLAG:
        return bnre__json_flag(parent, key, *(const int *)value);
    case BNRE__ESTIMATE:
        return put_estimate(parent, key, value);
    case BNRE__LEVELS:
        break;
    }
    return bnre__json_reals(parent, key, BNRE_DIAG_LEVELS, value);
}

bnre_status bnre__fields_put(bnre__json *parent, size_t n,
                             const bnre__field *field, const void *from)
{
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__field_put(parent, field[i].key, field[i].kind,
                                (const char *)from + field[i].at));
    return BNRE_OK;
}

void bnre__field_get(const bnre__json *parent, const char *key,
                     bnre__field_kind kind, void *value)
{
    const bnre__json *found = bnre__json_find(parent, key);

    switch (kind) {
    case BNRE__REAL:
        *(double *)value = bnre__json_as_real(found);
        break;
    case BNRE__SIZE:
        *(size_t *)value = bnre__json_size_of(parent, key);
        break;
    case BNRE__FLAG:
        *(int *)value = bnre__json_as_flag(found);
        break;
    case BNRE__ESTIMATE:
        *(bnre_estimate *)value =
            (bnre_estimate){bnre__json_real_of(found, "mean"),
                            bnre__json_real_of(found, "error")};
        break;
    case BNRE__LEVELS:
        for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
            ((double *)value)[i] = bnre__json_as_real(bnre__json_at(found, i));
        break;
    }
}

void bnre__fields_get(const bnre__json *parent, size_t n,
                      const bnre__field *field, void *to)
{
    for (size_t i = 0; i < n; i++)
        bnre__field_get(parent, field[i].key, field[i].kind,
                        (char *)to + field[i].at);
}

bnre_status bnre__json_take_text(const bnre__json *parent, const char *key,
                                 char **out)
{
    const char *text = bnre__json_text_of(parent, key);

    return text != NULL ? bnre__strdup(text, out) : BNRE_OK;
}

size_t bnre__json_count_at(const bnre__json *list, size_t i)
{
    const double n = bnre__json_as_real(bnre__json_at(list, i));

    return n > 0 && n < 1e15 ? (size_t)n : 0;
}

/* ---- a report on classes ---- */

static const bnre__field of_models[] = {
    {"accuracy", BNRE__REAL, offsetof(bnre_models_report, accuracy)},
    {"accuracy_error", BNRE__REAL,
     offsetof(bnre_models_report, accuracy_error)},
    {"cross_entropy", BNRE__REAL, offsetof(bnre_models_report, cross_entropy)},
    {"calibration", BNRE__REAL, offsetof(bnre_models_report, calibration)},
    {"calibration_chance", BNRE__REAL,
     offsetof(bnre_models_report, calibration_chance)},
};

bnre_status bnre__models_put(bnre__json *root, const bnre_models_report *of)
{
    const size_t n = of->n;
    bnre__json *map, *list;

    BNRE_DO(bnre__json_object(root, "models", &map));
    BNRE_DO(bnre__json_list(map, "name", &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__json_text(list, NULL, of->name[i]));
    BNRE_DO(bnre__json_list(map, "rows", &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__json_size(list, NULL, of->rows[i]));
    BNRE_DO(BNRE__PUT(map, of_models, of));
    BNRE_DO(bnre__json_reals(map, "balance", n, of->balance));
    BNRE_DO(bnre__json_reals(map, "balance_error", n, of->balance_error));
    BNRE_DO(bnre__json_list(map, "confusion", &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__json_reals(list, NULL, n, of->confusion + i * n));
    return BNRE_OK;
}

bnre_status bnre__models_get(const bnre__json *map, bnre_models_report *of)
{
    const bnre__json *list = bnre__json_find(map, "name");
    const bnre__json *rows = bnre__json_find(map, "rows");
    const bnre__json *balance = bnre__json_find(map, "balance");
    const bnre__json *error = bnre__json_find(map, "balance_error");
    const bnre__json *confusion = bnre__json_find(map, "confusion");
    const size_t n = bnre__json_count(list);
    bnre_status status = BNRE_OK;

    if (n > BNRE_MOST_MODELS)
        return bnre_fail(BNRE_EFORMAT, "%zu models are too many", n);
    BNRE__GET(map, of_models, of);
    BNRE_NEW(of->name, n);
    of->n = n;
    BNRE_NEW(of->rows, n);
    BNRE_NEW(of->balance, n);
    BNRE_NEW(of->balance_error, n);
    BNRE_NEW(of->confusion, n * n);
    for (size_t i = 0; i < n; i++) {
        const char *name = bnre__json_as_text(bnre__json_at(list, i));

        BNRE_TRY(bnre__strdup(name != NULL ? name : "", &of->name[i]));
        of->rows[i] = bnre__json_count_at(rows, i);
        of->balance[i] = bnre__json_as_real(bnre__json_at(balance, i));
        of->balance_error[i] = bnre__json_as_real(bnre__json_at(error, i));
        for (size_t k = 0; k < n; k++)
            of->confusion[i * n + k] = bnre__json_as_real(
                bnre__json_at(bnre__json_at(confusion, i), k));
    }
done:
    return status;
}
