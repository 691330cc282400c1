/* models.c - estimators of which of several classes a row is: probabilities,
   and how good they are. The task of such an estimator has `models`: a list of
   names, or a map of names and tasks. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "infer/estimator/classes.h"
#include "infer/estimator/estimator.h"

enum { BINS = BNRE_CLASS_BINS };
#define MEAN_OF_NOISE 0.7978845608028654 /* of |N(0, 1)| */

/* The names in the task of an estimator; the caller destroys *root. NULL if it
   has none. */
static bnre_status find_names(const bnre_estimator *est, bnre_node **root,
                              const bnre_node **list)
{
    *list = NULL;
    if (est->info.task == NULL || est->info.dim_theta != 1 ||
        strstr(est->info.task, "models:") == NULL)
        return BNRE_OK;
    BNRE_DO(bnre_yaml_parse(est->info.task, NULL, root));
    *list = bnre_node_find(*root, "models");
    if (*list != NULL &&
        ((*list)->kind == BNRE_NODE_TEXT || (*list)->count < 2 ||
         (*list)->count > BNRE_MOST_MODELS))
        *list = NULL;
    return BNRE_OK;
}

/* What class i is called. */
static const char *name_in(const bnre_node *list, size_t i)
{
    const bnre_node *one = list->child[i];

    return list->kind == BNRE_NODE_MAP ? one->key
           : one->text != NULL         ? one->text
                                       : "";
}

size_t bnre_models_count(const bnre_estimator *est)
{
    const bnre_node *list = NULL;
    bnre_node *root = NULL;
    size_t n = 0;

    if (find_names(est, &root, &list) == BNRE_OK && list != NULL)
        n = list->count;
    bnre_node_destroy(root);
    return n;
}

/* ---- probabilities ---- */

/* From log ratios to probabilities, in place. */
static void normalise(size_t n, const double *odds, double *l)
{
    double most = -HUGE_VAL, sum = 0;

    for (size_t k = 0; k < n; k++) {
        l[k] += odds != NULL ? log(odds[k]) : 0;
        most = fmax(most, l[k]);
    }
    for (size_t k = 0; k < n; k++)
        sum += l[k] = exp(l[k] - most);
    for (size_t k = 0; k < n; k++)
        l[k] /= sum;
}

bnre_status bnre__models_log_ratio(const bnre_estimator *est, bnre_pool *pool,
                                   size_t rows, const double *x, double *l)
{
    const size_t n = bnre_models_count(est), size = est->info.x_size;
    double *theta = NULL, *all = NULL;
    bnre_status status = BNRE_OK;

    if (n == 0)
        return bnre_fail(BNRE_EUSAGE, "the estimator is not of classes");
    BNRE_NEW(theta, rows * n);
    BNRE_NEW(all, rows * n * size);
    for (size_t i = 0; i < rows * n; i++) {
        theta[i] = (double)(i % n);
        memcpy(all + i * size, x + i / n * size, size * sizeof *x);
    }
    BNRE_TRY(bnre_estimator_log_ratio(est, pool, rows * n, theta, all, l));
done:
    bnre__free(all);
    bnre__free(theta);
    return status;
}

bnre_status bnre_models_probability(const bnre_estimator *est, bnre_pool *pool,
                                    const double *odds, size_t rows,
                                    const double *x, double *probability)
{
    const size_t n = bnre_models_count(est);

    BNRE_DO(bnre__models_log_ratio(est, pool, rows, x, probability));
    for (size_t i = 0; i < rows; i++)
        normalise(n, odds, probability + i * n);
    return BNRE_OK;
}

/* ---- the report ---- */

void bnre_models_report_clear(bnre_models_report *report)
{
    bnre__texts_free(report->n, report->name);
    bnre__free(report->rows);
    bnre__free(report->confusion);
    bnre__free(report->balance);
    bnre__free(report->balance_error);
    *report = (bnre_models_report){0};
}

static bnre_status make_room(size_t n, bnre_models_report *out)
{
    bnre_status status = BNRE_OK;

    *out = (bnre_models_report){0};
    BNRE_NEW(out->name, n);
    out->n = n;
    BNRE_NEW(out->rows, n);
    BNRE_NEW(out->confusion, n * n);
    BNRE_NEW(out->balance, n);
    BNRE_NEW(out->balance_error, n);
done:
    return status;
}

struct bin {
    double predicted, observed, variance;
};

/* Class c: its rows in the bins, the confusion, the cross-entropy. */
static void add_class(bnre_models_report *out, size_t c, const double *l,
                      double *p, struct bin bin[BINS])
{
    const size_t n = out->n, rows = out->rows[c];
    const double weight = 1 / (double)(rows * n);

    for (size_t i = 0; i < rows; i++) {
        size_t best = 0;

        memcpy(p, l + i * n, n * sizeof *p);
        normalise(n, NULL, p);
        for (size_t k = 0; k < n; k++) {
            const double miss = (k == c) - p[k];
            const size_t at = (size_t)(p[k] * BINS);
            struct bin *b = &bin[at < BINS ? at : BINS - 1];

            best = p[k] > p[best] ? k : best;
            b->predicted += weight / (double)n * p[k];
            b->observed += weight / (double)n * (k == c);
            b->variance += weight * weight / (double)(n * n) * miss * miss;
        }
        out->confusion[c * n + best] += 1 / (double)rows;
        out->cross_entropy -= log(fmax(p[c], 1e-300)) * weight;
    }
}

/* The mean of d_k over rows of class c, and its variance. */
static double mean_of(const bnre_models_report *out, size_t c, size_t k,
                      const double *l, double *p, double *variance)
{
    const size_t n = out->n, rows = out->rows[c];
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < rows; i++) {
        double d;

        memcpy(p, l + i * n, n * sizeof *p);
        normalise(n, NULL, p);
        /* Against the others together, which have the same weight. */
        d = p[k] * (double)(n - 1) / (p[k] * (double)(n - 1) + 1 - p[k]);
        sum += d;
        squares += d * d;
    }
    mean = sum / (double)rows;
    *variance =
        fmax(0, squares / (double)rows - mean * mean) / (double)(rows - 1);
    return mean;
}

static void find_balance(bnre_models_report *out, const double *const *l,
                         double *p)
{
    const double others = (double)(out->n - 1);

    for (size_t k = 0; k < out->n; k++) {
        double all = 0, variance = 0;

        for (size_t c = 0; c < out->n; c++) {
            const double of = c == k ? 1 : 1 / others;
            double v;

            all += of * mean_of(out, c, k, l[c], p, &v);
            variance += of * of * v;
        }
        out->balance[k] = all;
        out->balance_error[k] = sqrt(variance);
    }
}

bnre_status bnre__models_report_make(size_t n, const char *const *name,
                                     const size_t *rows, const double *const *l,
                                     bnre_models_report *out)
{
    struct bin bin[BINS] = {{0}};
    bnre_status status = BNRE_OK;
    double *p = NULL, variance = 0;

    BNRE_TRY(make_room(n, out));
    BNRE_NEW(p, n);
    for (size_t c = 0; c < n; c++) {
        if (rows[c] < 2)
            BNRE_THROW(BNRE_EUSAGE,
                       "%zu rows of a class are too few to tell how good the "
                       "estimator is",
                       rows[c]);
        BNRE_TRY(bnre__strdup(name[c], &out->name[c]));
        out->rows[c] = rows[c];
        add_class(out, c, l[c], p, bin);
        out->accuracy += out->confusion[c * n + c] / (double)n;
        variance += out->confusion[c * n + c] *
                    (1 - out->confusion[c * n + c]) / (double)(rows[c] * n * n);
    }
    out->accuracy_error = sqrt(variance);
    find_balance(out, l, p);
    for (size_t i = 0; i < BINS; i++) {
        out->calibration += fabs(bin[i].predicted - bin[i].observed);
        out->calibration_chance += MEAN_OF_NOISE * sqrt(bin[i].variance);
    }
done:
    bnre__free(p);
    return status;
}

/* ---- in the file ---- */

static bnre_status put_list(bnre_node *map, const char *key, size_t n,
                            const double *value)
{
    bnre_node *list;

    BNRE_DO(bnre_node_branch(map, key, BNRE_NODE_LIST, &list));
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__report_put(list, NULL, value[i]));
    return BNRE_OK;
}

/* Numbers that are not lists, and their names. */
static const bnre__report_field fields[] = {
    {"accuracy", offsetof(bnre_models_report, accuracy)},
    {"accuracy_error", offsetof(bnre_models_report, accuracy_error)},
    {"cross_entropy", offsetof(bnre_models_report, cross_entropy)},
    {"calibration", offsetof(bnre_models_report, calibration)},
    {"calibration_chance", offsetof(bnre_models_report, calibration_chance)},
};
enum { FIELDS = sizeof fields / sizeof *fields };

bnre_status bnre__models_keep(bnre_estimator *est,
                              const bnre_models_report *report)
{
    const size_t n = report->n;
    bnre_status status = BNRE_OK;
    bnre_node *root = NULL, *map;

    BNRE_TRY(bnre__report_begin(n, report->rows, &root, &map));
    BNRE_TRY(bnre__report_put_all(map, FIELDS, fields, report));
    BNRE_TRY(put_list(map, "balance", n, report->balance));
    BNRE_TRY(put_list(map, "balance_error", n, report->balance_error));
    BNRE_TRY(put_list(map, "confusion", n * n, report->confusion));
    status = bnre__report_end(est, root);
done:
    bnre_node_destroy(root);
    return status;
}

static bnre_status get_list(const bnre_node *map, const char *key, size_t n,
                            double *out)
{
    const bnre_node *list = bnre_node_find(map, key);

    if (list == NULL || list->kind != BNRE_NODE_LIST || list->count != n)
        return bnre_fail(BNRE_EFORMAT, "the report on held-out rows is "
                                       "damaged");
    for (size_t i = 0; i < n; i++)
        BNRE_DO(bnre__read_real(
            list->child[i]->text != NULL ? list->child[i]->text : "", NULL, key,
            &out[i]));
    return BNRE_OK;
}

static bnre_status read_report(const bnre_node *map, bnre_models_report *out)
{
    const size_t n = out->n;
    double rows[BNRE_MOST_MODELS];

    BNRE_DO(get_list(map, "rows", n, rows));
    for (size_t i = 0; i < n; i++)
        out->rows[i] = rows[i] >= 0 && rows[i] < 1e15 ? (size_t)rows[i] : 0;
    BNRE_DO(bnre__report_get_all(map, FIELDS, fields, out));
    BNRE_DO(get_list(map, "balance", n, out->balance));
    BNRE_DO(get_list(map, "balance_error", n, out->balance_error));
    return get_list(map, "confusion", n * n, out->confusion);
}

/* Room for those of a list, and their names. */
static bnre_status take_names(const bnre_node *list, bnre_models_report *out)
{
    BNRE_DO(make_room(list->count, out));
    for (size_t i = 0; i < out->n; i++)
        BNRE_DO(bnre__strdup(name_in(list, i), &out->name[i]));
    return BNRE_OK;
}

bnre_status bnre_models_names(const bnre_estimator *est,
                              bnre_models_report *out)
{
    const bnre_node *list = NULL;
    bnre_status status = BNRE_OK;
    bnre_node *task = NULL;

    *out = (bnre_models_report){0};
    BNRE_TRY(find_names(est, &task, &list));
    if (list == NULL)
        BNRE_THROW(BNRE_EUSAGE, "the estimator is not of classes");
    BNRE_TRY(take_names(list, out));
done:
    bnre_node_destroy(task);
    return status;
}

bnre_status bnre_models_report_of(const bnre_estimator *est,
                                  bnre_models_report *out)
{
    bnre_node *task = NULL, *root = NULL;
    const bnre_node *list, *map;
    bnre_status status = BNRE_OK;

    *out = (bnre_models_report){0};
    BNRE_TRY(find_names(est, &task, &list));
    if (list == NULL || est->info.certificate == NULL)
        BNRE_THROW(BNRE_EUSAGE, "there is no report on held-out rows");
    BNRE_TRY(bnre_yaml_parse(est->info.certificate, NULL, &root));
    map = bnre_node_find(root, "held_out");
    if (map == NULL)
        BNRE_THROW(BNRE_EUSAGE, "there is no report on held-out rows");
    BNRE_TRY(take_names(list, out));
    BNRE_TRY(read_report(map, out));
done:
    bnre_node_destroy(root);
    bnre_node_destroy(task);
    return status;
}
