/* Arrays of a result: made together, compacted together, freed together. */
#include <string.h>

#include "base/mem.h"
#include "diag/diag.h"

/* An array with a row of `width` bytes for each pair. */
struct column {
    void **data;
    size_t width;
};

enum { FOUND_COLUMNS = 13, CURVE_COLUMNS = 4 };

static void found_columns(bnre__found *f, struct column c[FOUND_COLUMNS])
{
    const size_t one = sizeof(double);
    const struct column all[FOUND_COLUMNS] = {
        {(void **)&f->log_prior, one},
        {(void **)&f->log_ratio, one},
        {(void **)&f->gain_change, one},
        {(void **)&f->balance, one},
        {(void **)&f->normalised, one},
        {(void **)&f->error, f->dim * one},
        {(void **)&f->variance, f->dim * one},
        {(void **)&f->rank, f->dim * one},
        {(void **)&f->member_ratio, f->members * one},
        {(void **)&f->member_rank, f->members * one},
        {(void **)&f->volume, BNRE_DIAG_LEVELS * sizeof(float)},
        {(void **)&f->place, f->curves * 2 * one},
        {(void **)&f->done, 1},
    };

    memcpy(c, all, sizeof all);
}

static void curve_columns(bnre_diag_curve *curve,
                          struct column c[CURVE_COLUMNS])
{
    c[0] = (struct column){(void **)&curve->rank, sizeof(double)};
    c[1] = (struct column){(void **)&curve->gain, sizeof(double)};
    c[2] = (struct column){(void **)&curve->ess, sizeof(double)};
    c[3] = (struct column){(void **)&curve->balance, sizeof(double)};
}

static bnre_status make_columns(size_t n, size_t columns, struct column *c)
{
    for (size_t i = 0; i < columns; i++)
        if ((*c[i].data = bnre__alloc(n, c[i].width)) == NULL)
            return BNRE_ENOMEM;
    return BNRE_OK;
}

static void free_columns(size_t columns, struct column *c)
{
    for (size_t i = 0; i < columns; i++) {
        bnre__free(*c[i].data);
        *c[i].data = NULL;
    }
}

/* Move rows that are done to the front. */
static void compact_column(struct column c, size_t n, const unsigned char *done)
{
    char *data = *c.data;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (done[i]) {
            if (i != kept)
                memcpy(data + kept * c.width, data + i * c.width, c.width);
            kept++;
        }
}

bnre_status bnre__found_init(bnre__found *found, size_t n, size_t dim,
                             size_t members, size_t curves)
{
    struct column c[FOUND_COLUMNS];

    *found =
        (bnre__found){.n = n, .dim = dim, .members = members, .curves = curves};
    found_columns(found, c);
    return make_columns(n, FOUND_COLUMNS, c);
}

void bnre__found_clear(bnre__found *found)
{
    struct column c[FOUND_COLUMNS];

    found_columns(found, c);
    free_columns(FOUND_COLUMNS, c);
}

bnre_status bnre__diag_create(size_t n, size_t dim, size_t curves,
                              size_t members, const bnre_diag_opts *opts,
                              bnre_diag **out)
{
    bnre_status status = BNRE_OK;
    bnre_diag *diag = NULL;

    *out = NULL;
    BNRE_NEW(diag, 1);
    diag->n = diag->asked = n;
    diag->bins = opts->bins;
    diag->seed = opts->seed;
    BNRE_NEW(diag->curve, curves);
    diag->n_curves = curves;
    for (size_t i = 0; i < curves; i++) {
        struct column c[CURVE_COLUMNS];

        curve_columns(&diag->curve[i], c);
        BNRE_TRY(make_columns(n, CURVE_COLUMNS, c));
    }
    BNRE_NEW(diag->parameter, dim);
    diag->dim = dim;
    for (size_t k = 0; k < dim; k++) {
        BNRE_NEW(diag->parameter[k].rank, n);
        BNRE_NEW(diag->parameter[k].histogram, opts->bins);
    }
    BNRE_NEW(diag->tarp_rank, n);
    BNRE_NEW(diag->member_auc, members);
    diag->n_members = members;
    *out = diag;
    diag = NULL;
done:
    bnre_diag_destroy(diag);
    return status;
}

void bnre_diag_destroy(bnre_diag *diag)
{
    if (diag == NULL)
        return;
    bnre__free(diag->member_auc);
    bnre__free(diag->tarp_rank);
    for (size_t k = 0; k < diag->dim; k++) {
        bnre__free(diag->parameter[k].histogram);
        bnre__free(diag->parameter[k].rank);
        bnre__free(diag->parameter[k].name);
    }
    bnre__free(diag->parameter);
    for (size_t i = 0; i < diag->n_curves; i++) {
        struct column c[CURVE_COLUMNS];

        curve_columns(&diag->curve[i], c);
        free_columns(CURVE_COLUMNS, c);
    }
    bnre__free(diag->curve);
    bnre__free(diag);
}

void bnre__diag_compact(bnre_diag *diag, bnre__found *found)
{
    struct column c[FOUND_COLUMNS],
        tarp = {(void **)&diag->tarp_rank, sizeof(double)};
    const size_t n = found->n;
    size_t kept = 0;

    for (size_t i = 0; i < diag->n_curves; i++) {
        curve_columns(&diag->curve[i], c);
        for (size_t k = 0; k < CURVE_COLUMNS; k++)
            compact_column(c[k], n, found->done);
    }
    compact_column(tarp, n, found->done);
    found_columns(found, c);
    /* The last column tells what is done. */
    for (size_t k = 0; k + 1 < FOUND_COLUMNS; k++)
        compact_column(c[k], n, found->done);
    for (size_t i = 0; i < n; i++)
        kept += found->done[i] != 0;
    memset(found->done, 1, kept);
    diag->n = found->n = kept;
}
