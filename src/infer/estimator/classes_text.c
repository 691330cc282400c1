/* classes_text.c - the report of a classifier as YAML, and back. */
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "infer/estimator/classes.h"
#include "infer/estimator/estimator.h"

#define AT(name)                                                               \
    {                                                                          \
#name, offsetof(bnre_class_report, name)                               \
    }
static const bnre__report_field fields[] = {
    AT(balance),
    AT(balance_error),
    AT(accuracy),
    AT(accuracy_error),
    AT(cross_entropy),
    AT(calibration),
    AT(calibration_chance),
};

#define IN(name)                                                               \
    {                                                                          \
#name, offsetof(bnre_class_bin, name)                                  \
    }
static const bnre__report_field bin_fields[] = {
    IN(share),
    IN(predicted),
    IN(observed),
    IN(error),
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

bnre_status bnre__report_put(bnre_node *node, const char *key, double value)
{
    char text[BNRE__NUMBER_ROOM + 1];

    text[bnre__number_format(value, text)] = 0;
    return bnre_node_set(node, key, text);
}

bnre_status bnre__report_put_all(bnre_node *map, size_t n,
                                 const bnre__report_field *field,
                                 const void *from)
{
    for (size_t i = 0; i < n; i++) {
        double value;

        memcpy(&value, (const char *)from + field[i].offset, sizeof value);
        BNRE_DO(bnre__report_put(map, field[i].name, value));
    }
    return BNRE_OK;
}

bnre_status bnre__report_begin(size_t n, const size_t *rows, bnre_node **root,
                               bnre_node **map)
{
    bnre_node *list;

    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, root));
    BNRE_DO(bnre_node_branch(*root, "held_out", BNRE_NODE_MAP, map));
    BNRE_DO(bnre_node_branch(*map, "rows", BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__report_put(list, NULL, (double)rows[i]));
    return BNRE_OK;
}

bnre_status bnre__report_end(bnre_estimator *est, const bnre_node *root)
{
    bnre_status status = BNRE_OK;
    char *text = NULL;

    BNRE_TRY(bnre_node_write(root, &text));
    status = bnre__estimator_set_certificate(est, text);
done:
    bnre__free(text);
    return status;
}

/* held_out: {rows: [n, m], balance: ..., bins: [{share: ...}, ...]} */
bnre_status bnre__classes_keep(bnre_estimator *est,
                               const bnre_class_report *report)
{
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *map, *list, *bin;

    BNRE_TRY(bnre__report_begin(2, report->rows, &root, &map));
    BNRE_TRY(bnre__report_put_all(map, COUNT(fields), fields, report));
    BNRE_TRY(bnre_node_branch(map, "bins", BNRE_NODE_LIST, &list));
    for (size_t k = 0; k < BNRE_CLASS_BINS; k++) {
        BNRE_TRY(bnre_node_branch(list, NULL, BNRE_NODE_MAP, &bin));
        BNRE_TRY(bnre__report_put_all(bin, COUNT(bin_fields), bin_fields,
                                      &report->bin[k]));
    }
    status = bnre__report_end(est, root);
done:
    bnre_node_destroy(root);
    return status;
}

bnre_status bnre__report_get_all(const bnre_node *map, size_t n,
                                 const bnre__report_field *field, void *to)
{
    for (size_t i = 0; i < n; i++) {
        const bnre_node *node = bnre_node_find(map, field[i].name);
        double value;

        if (node == NULL || node->text == NULL)
            return bnre_fail(BNRE_EFORMAT, "the report has no %s",
                             field[i].name);
        BNRE_DO(bnre__read_real(node->text, NULL, field[i].name, &value));
        memcpy((char *)to + field[i].offset, &value, sizeof value);
    }
    return BNRE_OK;
}

static const bnre_node *list_in(const bnre_node *map, const char *key, size_t n)
{
    const bnre_node *list = bnre_node_find(map, key);

    return list != NULL && list->kind == BNRE_NODE_LIST && list->count == n
               ? list
               : NULL;
}

bnre_status bnre_classifier_report(const bnre_estimator *est,
                                   bnre_class_report *out)
{
    bnre_status status = BNRE_OK;
    const bnre_node *map, *rows, *bins;
    bnre_node *root = NULL;

    *out = (bnre_class_report){0};
    if (est->info.kind != BNRE_ESTIMATOR_CLASSIFIER ||
        est->info.certificate == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "the estimator has no report on held-out rows");
    BNRE_TRY(bnre_yaml_parse(est->info.certificate, NULL, &root));
    map = bnre_node_find(root, "held_out");
    rows = list_in(map, "rows", 2);
    bins = list_in(map, "bins", BNRE_CLASS_BINS);
    if (rows == NULL || bins == NULL)
        BNRE_THROW(BNRE_EFORMAT, "the report on held-out rows is damaged");
    for (size_t i = 0; i < 2; i++)
        BNRE_TRY(bnre__read_size(
            rows->child[i]->text != NULL ? rows->child[i]->text : "", NULL,
            "rows", &out->rows[i]));
    BNRE_TRY(bnre__report_get_all(map, COUNT(fields), fields, out));
    for (size_t k = 0; k < BNRE_CLASS_BINS; k++)
        BNRE_TRY(bnre__report_get_all(bins->child[k], COUNT(bin_fields),
                                      bin_fields, &out->bin[k]));
done:
    bnre_node_destroy(root);
    return status;
}
