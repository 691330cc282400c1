/* posterior_predictive.c - simulations from draws of a posterior, which
   `bnre posterior` writes beside these. It runs nothing: they are a dataset,
   made by `bnre simulate --theta-file` or elsewhere. */
#include <string.h>

#include "base/mem.h"
#include "command/posterior.h"
#include "output/posterior_exchange.h"

void bnre__predictive_clear(bnre__predictive *p)
{
    bnre__free(p->x);
    bnre__free(p->theta);
    *p = (bnre__predictive){0};
}

static bnre_status check_shape(const char *path, const bnre_dataset_info *data,
                               const bnre_estimator_info *est)
{
    if (data->dim_theta == est->dim_theta && data->ndim == est->ndim &&
        memcmp(data->shape, est->shape, est->ndim * sizeof *est->shape) == 0)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%s holds simulations of another task: their x or their "
                     "parameters have another shape than those of the "
                     "estimator",
                     path);
}

bnre_status bnre__predictive_read(const bnre_posterior_settings *settings,
                                  const bnre_estimator *est,
                                  bnre__predictive *out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    const char *path = settings->predictive;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;
    const bnre_dataset_info *found;

    *out = (bnre__predictive){0};
    if (path == NULL)
        return BNRE_OK;
    if (!bnre__exchange_wants(settings->write, "nc"))
        return bnre_fail(BNRE_EUSAGE,
                         "predictive simulations are written to NetCDF files "
                         "only: add nc to the kinds of files to write");
    BNRE_TRY(bnre_dataset_open(path, &data));
    found = bnre_dataset_describe(data);
    BNRE_TRY(check_shape(path, found, info));
    BNRE_TRY(
        bnre_dataset_arrange(data, bnre_estimator_prior(est), info->x_name));
    BNRE_TRY(bnre_dataset_fingerprint(data, out->fingerprint));
    BNRE_NEW(out->theta, found->rows * found->dim_theta);
    BNRE_NEW(out->x, found->rows * found->x_size);
    BNRE_TRY(bnre_dataset_read(data, 0, found->rows, out->theta, NULL, out->x,
                               NULL));
    memcpy(out->shape, found->shape, sizeof out->shape);
    out->data = (bnre_posterior_data){.n = found->rows,
                                      .ndim = found->ndim,
                                      .shape = out->shape,
                                      .x = out->x,
                                      .theta = out->theta};
done:
    bnre_dataset_close(data);
    return status;
}
