/* gather.c - one dataset out of rows of several. */
#include "data/gather.h"

#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "data/precision.h"
#include "data/writer.h"

struct gather {
    size_t sources;
    const bnre__gather_source *source;
    size_t *first; /* (sources + 1) rows before each, and in all */
    bnre_dataset_info info;
    double *x; /* (x_size) of a row on its way */
};

/* ---- one row ---- */

/* Row i of a source; any of theta, x, flags may be NULL. */
static bnre_status read_row(const struct gather *gather,
                            const bnre__gather_source *source, size_t i,
                            double *theta, void *x, uint8_t *flags,
                            char *reason)
{
    const bnre_dataset_info *info = &gather->info;
    const size_t row = source->row != NULL ? source->row[i] : i;
    char why[1][BNRE_REASON_SIZE];
    uint8_t flag;

    BNRE_DO(bnre_dataset_read(source->data, row, 1,
                              source->theta != NULL ? NULL : theta, NULL,
                              x != NULL ? gather->x : NULL, &flag));
    if (theta != NULL && source->theta != NULL)
        memcpy(theta, source->theta + i * info->dim_theta,
               info->dim_theta * sizeof *theta);
    for (size_t k = 0; x != NULL && k < info->x_size; k++)
        if (info->x_double)
            ((double *)x)[k] = gather->x[k];
        else
            ((float *)x)[k] = (float)gather->x[k];
    if (flags != NULL)
        *flags = flag;
    if (reason != NULL) {
        const bnre__rows rows = bnre__dataset_rows(source->data);

        reason[0] = 0;
        if (flag != BNRE_DRAW_OK) {
            BNRE_DO(rows.read(rows.self, row, 1, NULL, NULL, NULL, &flag, why));
            memcpy(reason, why[0], BNRE_REASON_SIZE);
        }
    }
    return BNRE_OK;
}

/* As bnre__rows.read. */
static bnre_status read_rows(void *self, size_t first, size_t n, double *theta,
                             double *nuisance, void *x, uint8_t *flags,
                             char (*reason)[BNRE_REASON_SIZE])
{
    const struct gather *gather = self;
    const bnre_dataset_info *info = &gather->info;
    size_t k = 0;

    (void)nuisance; /* there are none */
    for (size_t i = 0; i < n; i++) {
        while (first + i >= gather->first[k + 1])
            k++;
        BNRE_DO(read_row(gather, &gather->source[k],
                         first + i - gather->first[k],
                         theta != NULL ? theta + i * info->dim_theta : NULL,
                         x != NULL ? (char *)x + i * bnre__x_bytes(info) : NULL,
                         flags != NULL ? flags + i : NULL,
                         reason != NULL ? reason[i] : NULL));
    }
    return BNRE_OK;
}

/* ---- all of them ---- */

static bnre_status check_source(const struct gather *gather, size_t k)
{
    const bnre_dataset_info *base = &gather->info;
    const bnre_dataset_info *info =
        bnre_dataset_describe(gather->source[k].data);

    const size_t dim =
        gather->source[k].dim > 0 ? gather->source[k].dim : info->dim_theta;

    if (dim == base->dim_theta && info->ndim == base->ndim &&
        memcmp(info->shape, base->shape, info->ndim * sizeof *info->shape) == 0)
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "%s has parameters or observations of another shape than "
                     "the other simulations",
                     gather->source[k].data->path);
}

/* Rows, failed ones among them, and how precise x has to be. */
static bnre_status count(struct gather *gather)
{
    bnre_status status = BNRE_OK;
    double *offset = NULL;
    uint8_t flag;

    for (size_t k = 0; k < gather->sources; k++) {
        const bnre__gather_source *source = &gather->source[k];

        BNRE_TRY(check_source(gather, k));
        gather->first[k + 1] = gather->first[k] + source->n;
        for (size_t i = 0; i < source->n; i++) {
            BNRE_TRY(read_row(gather, source, i, NULL, NULL, &flag, NULL));
            gather->info.failed += flag != BNRE_DRAW_OK;
        }
        gather->info.x_double |= bnre_dataset_describe(source->data)->x_double;
        BNRE_TRY(bnre__dataset_find_offset(source->data, &offset));
        gather->info.x_double |= offset != NULL;
        bnre__free(offset);
        offset = NULL;
    }
    gather->info.rows = gather->first[gather->sources];
done:
    bnre__free(offset);
    return status;
}

bnre_status bnre__dataset_gather(size_t sources,
                                 const bnre__gather_source *source,
                                 const char *task, const char *settings,
                                 const char *path, char fingerprint[33])
{
    struct gather gather = {.sources = sources, .source = source};
    bnre_status status = BNRE_OK;

    gather.info = *bnre_dataset_describe(source[0].data);
    if (source[0].dim > 0) {
        gather.info.dim_theta = source[0].dim;
        gather.info.theta_name = source[0].name;
    }
    gather.info.failed = 0;
    gather.info.dim_nuisance = 0;
    gather.info.x_double = 0;
    gather.info.task = task;
    gather.info.settings = settings;
    gather.info.version = BNRE_VERSION;
    BNRE_NEW(gather.first, sources + 1);
    BNRE_NEW(gather.x, gather.info.x_size);
    BNRE_TRY(count(&gather));
    BNRE_TRY(bnre__write_h5(
        path,
        &(bnre__rows){.info = &gather.info, .self = &gather, .read = read_rows},
        fingerprint));
done:
    bnre__free(gather.x);
    bnre__free(gather.first);
    return status;
}
