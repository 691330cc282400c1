/* classify.c - the command `posterior` of classifiers with its result as JSON. */
#include <math.h>

#include "base/mem.h"
#include "bnre/classes.h"
#include "flat/verbs.h"

/* Where rows go, and whether they are of models. */
struct rows {
    bnre__json *list;
    int models;
};

static bnre_status add_class(void *context, size_t row, double log_ratio,
                             size_t n, const double *probability)
{
    bnre_status status = BNRE_OK;
    const struct rows *to = context;
    bnre__json *item;

    BNRE_TRY(bnre__json_object(to->list, NULL, &item));
    BNRE_TRY(bnre__json_size(item, "row", row));
    if (to->models) {
        if (probability != NULL)
            BNRE_TRY(bnre__json_reals(item, "probability", n, probability));
        goto done;
    }
    BNRE_TRY(bnre__json_real(item, "log_ratio", log_ratio));
    BNRE_TRY(bnre__json_real(item, "probability",
                             probability != NULL ? probability[0] : NAN));
done:
    return status;
}

/* What the classes of an estimator are called; nothing of two. */
static bnre_status add_models(const bnre_estimator *est, bnre__json *root)
{
    bnre_models_report report = {0};
    bnre_status status = BNRE_OK;
    bnre__json *list;

    if (bnre_models_count(est) == 0)
        return BNRE_OK;
    BNRE_TRY(bnre_models_names(est, &report));
    BNRE_TRY(bnre__json_list(root, "models", &list));
    for (size_t k = 0; k < report.n; k++)
        BNRE_TRY(bnre__json_text(list, NULL, report.name[k]));
done:
    bnre_models_report_clear(&report);
    return status;
}

bnre_status bnre__verb_classify(const bnre__verb_args *args, bnre_pool *pool,
                                bnre__json *root, int *is)
{
    const bnre_opt_list *file = &args->posterior.observation;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    struct rows to = {0};
    size_t rows, outside;

    BNRE_TRY(bnre_estimator_open(args->estimator, &est));
    *is = bnre_classify_count(est) > 0;
    if (!*is)
        goto done;
    BNRE_TRY(add_models(est, root));
    to.models = bnre_models_count(est) > 0;
    BNRE_TRY(bnre__json_list(root, "classes", &to.list));
    BNRE_TRY(bnre_classify(est, pool, args->posterior.odds, file->count,
                           file->text, add_class, &to, &rows, &outside));
    BNRE_TRY(bnre__json_size(root, "rows", rows));
    BNRE_TRY(bnre__json_size(root, "outside", outside));
done:
    bnre_estimator_close(est);
    return status;
}
