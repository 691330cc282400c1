/* failure_places.c - where in the space of parameters simulations fail. */
#include "data/failures.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/text.h"
#include "num/dist.h"

enum { LEAST = 25, PARTS = BNRE__FAILURE_PARTS };

/* For all parameters together. */
static const double NOTABLE = 1e-3;

struct row {
    double value;
    int failed;
};

static int by_value(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    return x->failed - y->failed;
}

/* Rows of one parameter, in order. */
static void locate(size_t n, const struct row *row, double share,
                   bnre__failure_place *out)
{
    double chi_square = 0;

    for (size_t k = 0; k < PARTS; k++) {
        const size_t first = n * k / PARTS, last = n * (k + 1) / PARTS;
        const double rows = (double)(last - first);
        double failed = 0;

        for (size_t i = first; i < last; i++)
            failed += row[i].failed;
        out->edge[k] = row[first].value;
        out->share[k] = failed / rows;
        if (out->share[k] > out->share[out->worst])
            out->worst = k;
        if (share > 0 && share < 1)
            chi_square += (failed - rows * share) * (failed - rows * share) /
                          (rows * share * (1 - share));
    }
    out->edge[PARTS] = row[n - 1].value;
    out->p = 1 - bnre__gamma_cdf(chi_square / 2, (PARTS - 1) / 2.0);
}

bnre_status bnre__failures_locate(bnre_dataset *data, bnre__failure_place *out,
                                  double *failed)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t n = info->rows, dim = info->dim_theta;
    const double share = (double)info->failed / (double)n;
    bnre_status status = BNRE_OK;
    double *theta = NULL;
    uint8_t *drawn = NULL;
    struct row *row = NULL;

    if (n < LEAST)
        return bnre_fail(BNRE_EUSAGE, "%zu rows are too few: %d are the least",
                         n, LEAST);
    BNRE_NEW(theta, n * dim);
    BNRE_NEW(drawn, n);
    BNRE_NEW(row, n);
    BNRE_TRY(bnre_dataset_read(data, 0, n, theta, NULL, NULL, drawn));
    for (size_t k = 0; k < dim; k++) {
        out[k] = (bnre__failure_place){.name = info->theta_name[k]};
        for (size_t i = 0; i < n; i++)
            row[i] = (struct row){theta[i * dim + k], drawn[i] != BNRE_DRAW_OK};
        qsort(row, n, sizeof *row, by_value);
        locate(n, row, share, &out[k]);
    }
    if (failed != NULL)
        *failed = share;
done:
    bnre__free(row);
    bnre__free(drawn);
    bnre__free(theta);
    return status;
}

bnre_status bnre_failures_words(bnre_dataset *data, char **text)
{
    const size_t dim = bnre_dataset_describe(data)->dim_theta;
    bnre__failure_place *place = NULL;
    const bnre__failure_place *most;
    bnre_status status = BNRE_OK;
    char low[BNRE_READABLE], high[BNRE_READABLE];
    double width;

    *text = NULL;
    BNRE_NEW(place, dim);
    BNRE_TRY(bnre__failures_locate(data, place, NULL));
    most = place;
    for (size_t i = 1; i < dim; i++)
        if (place[i].p < most->p)
            most = &place[i];
    if (dim > 0 && most->p < NOTABLE / (double)dim) {
        width = most->edge[most->worst + 1] - most->edge[most->worst];
        BNRE_TRY(bnre__text_format(
            text, "depend on %s: %.3g %% fail from %s to %s", most->name,
            100 * most->share[most->worst],
            bnre_readable_real(most->edge[most->worst], width, low),
            bnre_readable_real(most->edge[most->worst + 1], width, high)));
    } else
        BNRE_TRY(bnre__text_format(
            text, "no sign that they depend on the parameters"));
done:
    bnre__free(place);
    return status;
}
