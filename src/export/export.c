/* export.c - what can be exported, and the files that it is exported to. */
#include "export/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"
#include "nn/net.h"

void bnre__bytes_put(bnre__bytes *bytes, const void *data, size_t n)
{
    bnre_status status = bytes->status;

    if (status != BNRE_OK || n == 0)
        return;
    BNRE_GROW(bytes->data, bytes->room, bytes->size + n);
    memcpy(bytes->data + bytes->size, data, n);
    bytes->size += n;
done:
    bytes->status = status;
}

/* ---- what an estimate is made of ---- */

size_t bnre__export_heads(const bnre_estimator *est)
{
    return est->conditional != NULL ? est->conditional->factors : 1;
}

const bnre__net *bnre__export_net(const bnre_estimator *est, size_t head,
                                  size_t *shift)
{
    const bnre__chain *chain;
    const bnre__net *net = est->net;
    size_t n;

    *shift = 0;
    if (est->conditional == NULL)
        return net;
    chain = est->conditional->chain;
    net = bnre__chain_net_at(chain, head);
    bnre__chain_part(chain, head, shift, &n);
    *shift -= net->weights - n;
    return net;
}

size_t bnre__export_sets(const bnre_estimator *est)
{
    return est->info.folds > 0 ? est->info.folds : 1;
}

bnre_status bnre__export_about(const bnre_estimator *est, bnre__text *out)
{
    const bnre_estimator_info *info = &est->info;
    bnre_status status = BNRE_OK;
    char fingerprint[33];

    BNRE_TRY(bnre_estimator_fingerprint(est, fingerprint));
    bnre__text_show(out, "estimator %s of bnre %s\n", fingerprint,
                    info->version);
    bnre__text_put(out, "theta:");
    for (size_t i = 0; i < info->dim_theta; i++)
        bnre__text_show(out, " %s", info->theta_name[i]);
    bnre__text_put(out, "\nx: %zu numbers, shape (", info->x_size);
    for (size_t i = 0; i < info->ndim; i++)
        bnre__text_put(out, i == 0 ? "%zu" : ", %zu", info->shape[i]);
    bnre__text_put(out, ")\nmembers: %zu\n", info->members);
    bnre__text_put(out, "certificate: %s\n",
                   info->certificate != NULL ? "see `bnre info`" : "none");
    status = bnre__text_check(out);
done:
    return status;
}

/* ---- refusals ---- */

/* A truncated normal law far from its mean needs more than erfc(); one without
   a bound is none of the forms that are written. */
static int is_far(const bnre__family *family, const double *arg)
{
    return strcmp(family->name, "truncated_normal") == 0 &&
           (isinf(arg[2]) || isinf(arg[3]) || arg[0] < arg[2] - 5 * arg[1] ||
            arg[0] > arg[3] + 5 * arg[1]);
}

static bnre_status check_coordinates(const bnre_estimator *est, int onnx)
{
    const bnre_prior *prior = est->conditional->prior;

    if (bnre__prior_depends(prior))
        return bnre_fail(
            BNRE_EUSAGE,
            "parameters depend on each other in the prior "
            "(multivariate_normal): a conditional density under it cannot be "
            "exported; an estimator of `method: bnre` can");
    if (bnre__prior_is_constrained(prior))
        return bnre_fail(BNRE_EUSAGE,
                         "the prior has conditions between parameters: a "
                         "conditional density under them cannot be exported; "
                         "an estimator of `method: bnre` can");
    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        const double *arg;
        const bnre__family *family = bnre__prior_family(prior, i, &arg);
        const bnre__family_text *text;

        if (bnre__prior_values(prior, i, NULL) != BNRE__CONTINUOUS)
            continue; /* a list of numbers */
        if (family == NULL)
            return bnre_fail(
                BNRE_EUSAGE,
                "the prior is known by draws: a conditional density over it "
                "cannot be exported; an estimator of `method: bnre` can");
        text = bnre__family_text_of(family);
        if (text == NULL || text->cdf_text == NULL || is_far(family, arg) ||
            (onnx && !text->in_onnx))
            return bnre_fail(
                BNRE_EUSAGE,
                "the prior of %s is %s, whose distribution function cannot be "
                "written in %s: %s",
                bnre_prior_name(prior, i), bnre_prior_text(prior, i),
                onnx ? "ONNX" : "C",
                onnx && text != NULL && text->cdf_text != NULL
                    ? "export to C (`output: NAME.c`)"
                    : "an estimator of `method: bnre` can be exported");
    }
    return BNRE_OK;
}

static bnre_status check(const bnre_estimator *est, int onnx)
{
    if (est->info.kind != BNRE_ESTIMATOR_RATIO)
        return bnre_fail(BNRE_EUSAGE,
                         "this is a classifier: only estimators with "
                         "parameters can be exported");
    if (bnre__prior_is_mixed(est->outline.prior) &&
        (onnx || est->conditional == NULL))
        return bnre_fail(
            BNRE_EUSAGE,
            "the prior has parameters with values in a list (integer, "
            "categorical, bernoulli, poisson): %s",
            onnx ? "a model in ONNX takes real numbers, and these are none; "
                   "export to C (`output: NAME.c`)"
                 : "ratios of `nre` and `bnre` over them cannot be exported; "
                   "those of `npe` and `bnpe` can, to C");
    if (est->conditional != NULL)
        return check_coordinates(est, onnx);
    return BNRE_OK;
}

/* ---- files ---- */

/* The name of a file without its directory and ending, if it is one in C. */
static bnre_status name_of(const char *path, const char *given, char out[64])
{
    const char *slash = strrchr(path, '/');
    const char *from = given != NULL ? given : slash != NULL ? slash + 1 : path;
    size_t n = 0;

    while (from[n] != 0 && (given != NULL || from[n] != '.')) {
        const char c = from[n];
        const int letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

        if (n >= 48 || (!letter && !(n > 0 && c >= '0' && c <= '9')))
            return bnre_fail(BNRE_EUSAGE,
                             "\"%s\" cannot begin names in C: give one with "
                             "`name`, of letters, digits and '_'",
                             from);
        out[n++] = c;
    }
    if (n == 0)
        return bnre_fail(BNRE_EUSAGE, "`name` needs letters");
    out[n] = 0;
    return BNRE_OK;
}

bnre_status bnre__export_save(const bnre_estimator *est, const char *path,
                              const bnre__export_opts *opts)
{
    const bnre__export_opts none = {0};
    const int onnx = bnre__ends_with(path, ".onnx");
    bnre_status status = BNRE_OK;
    bnre__bytes bytes = {0};
    char name[64];

    if (opts == NULL)
        opts = &none;
    if (!onnx && !bnre__ends_with(path, ".c"))
        return bnre_fail(BNRE_EUSAGE,
                         "%s: the file ends in .c or .onnx, which says what "
                         "it will be",
                         path);
    BNRE_TRY(check(est, onnx));
    if (!onnx)
        BNRE_TRY(name_of(path, opts->name, name));
    if (!opts->force && bnre__file_exists(path))
        BNRE_THROW(BNRE_EEXIST, "%s is there already; use `force`", path);
    BNRE_TRY(
        onnx ? bnre__export_onnx(est, opts->rows > 0 ? opts->rows : 1, &bytes)
             : bnre__export_c(est, name, &bytes));
    BNRE_TRY(bytes.status);
    BNRE_TRY(bnre__file_put(path, bytes.data, bytes.size));
done:
    bnre__free(bytes.data);
    return status;
}
