/* cross.c - simulations as those members see them that never saw them: see
   cross.h. */
#include "trust/cross.h"

#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "data/rows.h"
#include "diag/diag.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };

/* ---- the density ---- */

/* A session for each fold, opened when it is first asked. */
struct session {
    const bnre__cross *cross;
    size_t fold; /* of the pair at hand */
    bnre_density density[BNRE__MOST_FOLDS];
    void *own[BNRE__MOST_FOLDS];
};

static bnre_density fold_density(const bnre__cross *cross, size_t fold)
{
    return cross->plain ? bnre__estimator_plain_fold(cross->est, fold)
                        : bnre__estimator_fold_density(cross->est, fold);
}

static bnre_status open_session(void *context, void **out)
{
    const bnre__cross *cross = context;
    bnre_status status = BNRE_OK;
    struct session *session = NULL;

    BNRE_NEW(session, 1);
    session->cross = cross;
    for (size_t f = 0; f < cross->est->info.folds; f++)
        session->density[f] = fold_density(cross, f);
done:
    *out = session;
    return status;
}

static void close_session(void *self)
{
    struct session *session = self;

    for (size_t f = 0; session != NULL && f < BNRE__MOST_FOLDS; f++)
        if (session->own[f] != NULL)
            session->density[f].close(session->own[f]);
    bnre__free(session);
}

static bnre_status observe(void *self, const double *x)
{
    struct session *session = self;
    const size_t f = (size_t)x[session->cross->est->info.x_size];
    bnre_status status = BNRE_OK;

    session->fold = f;
    if (session->own[f] == NULL)
        BNRE_TRY(session->density[f].open(session->density[f].context,
                                          &session->own[f]));
    BNRE_TRY(session->density[f].observe(session->own[f], x));
done:
    return status;
}

static bnre_status log_ratio(void *self, size_t n, const double *theta,
                             double *out, double *gradient)
{
    const struct session *session = self;
    const size_t f = session->fold;

    return session->density[f].log_ratio(session->own[f], n, theta, out,
                                         gradient);
}

static bnre_status rough(void *self, size_t n, const double *theta, double *out)
{
    const struct session *session = self;
    const size_t f = session->fold;

    return session->density[f].rough(session->own[f], n, theta, out);
}

static bnre_status draw(void *self, uint64_t seed, uint64_t first, size_t n,
                        double *theta)
{
    const struct session *session = self;
    const size_t f = session->fold;

    return session->density[f].draw(session->own[f], seed, first, n, theta);
}

static bnre_density density_of(bnre__cross *cross)
{
    const bnre_density one = fold_density(cross, 0);

    return (bnre_density){.prior = one.prior,
                          .x_size = one.x_size + 1,
                          .context = cross,
                          .open = open_session,
                          .close = close_session,
                          .observe = observe,
                          .log_ratio = log_ratio,
                          .has_gradient = one.has_gradient,
                          .rough = one.rough != NULL ? rough : NULL,
                          .draw = one.draw != NULL ? draw : NULL};
}

/* ---- the pairs ---- */

/* Take row number `row` of the file, if it is in a fold. */
static void take(bnre__cross *cross, size_t row, const double *theta,
                 const double *x)
{
    const bnre_estimator_info *info = &cross->est->info;
    const size_t dim = info->dim_theta;
    size_t fold;

    if (!bnre__estimator_fold_of(
            cross->est, bnre__row_hash(dim, theta, info->x_size, x), &fold))
        return;
    cross->row[cross->n] = row;
    cross->fold[cross->n] = (uint8_t)fold;
    memcpy(cross->theta + cross->n * dim, theta, dim * sizeof *theta);
    cross->n++;
}

static bnre_status find_rows(bnre__cross *cross)
{
    const bnre_dataset_info *info = bnre_dataset_describe(cross->data);
    const size_t dim = info->dim_theta, size = info->x_size;
    bnre_status status = BNRE_OK;
    bnre__block block = {0};
    double *x = NULL;
    size_t n;

    BNRE_TRY(bnre__block_init(
        &block, info, bnre__rows_within(info, BLOCK_BYTES, BLOCK_ROWS)));
    BNRE_NEW(x, block.rows * size);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(bnre_dataset_read(cross->data, first, n, block.theta, NULL, x,
                                   block.status));
        for (size_t i = 0; i < n; i++)
            if (block.status[i] == BNRE_DRAW_OK)
                take(cross, first + i, block.theta + i * dim, x + i * size);
    }
done:
    bnre__free(x);
    bnre__block_clear(&block);
    return status;
}

static void keep_some(bnre__cross *cross, size_t most, uint64_t seed)
{
    const bnre_dataset_info *info = bnre_dataset_describe(cross->data);
    const size_t dim = info->dim_theta;
    bnre__thin thin =
        bnre__thin_begin(info, cross->n, most, seed, BNRE_SPLIT_TRAIN);
    size_t n = 0;

    for (size_t i = 0; i < cross->n; i++)
        if (bnre__thin_next(&thin)) {
            cross->row[n] = cross->row[i];
            cross->fold[n] = cross->fold[i];
            memmove(cross->theta + n * dim, cross->theta + i * dim,
                    dim * sizeof *cross->theta);
            n++;
        }
    cross->n = n;
}

bnre_status bnre__cross_init(bnre__cross *cross, const bnre_estimator *est,
                             bnre_dataset *data, size_t most, uint64_t seed)
{
    const size_t rows = bnre_dataset_describe(data)->rows;
    bnre_status status = BNRE_OK;

    *cross = (bnre__cross){.est = est, .data = data};
    if (est->info.folds == 0)
        BNRE_THROW(BNRE_EUSAGE, "the estimator was trained without folds: "
                                "every member has seen every simulation");
    BNRE_TRY(bnre_estimator_arrange(est, data));
    BNRE_NEW(cross->row, rows);
    BNRE_NEW(cross->fold, rows);
    BNRE_NEW(cross->theta, rows * est->info.dim_theta);
    BNRE_TRY(find_rows(cross));
    keep_some(cross, most, seed);
    cross->density = density_of(cross);
done:
    return status;
}

void bnre__cross_plain(bnre__cross *cross, const bnre_estimator *est)
{
    if (cross->est == NULL)
        cross->est = est;
    cross->plain = 1;
    cross->density = density_of(cross);
}

void bnre__cross_clear(bnre__cross *cross)
{
    bnre__free(cross->theta);
    bnre__free(cross->fold);
    bnre__free(cross->row);
    *cross = (bnre__cross){0};
}

/* Rows that follow each other are read at once, and then moved apart to make
   room for their folds. */
bnre_status bnre__cross_read(const bnre__cross *cross, size_t first, size_t n,
                             double *x)
{
    const size_t size = cross->est->info.x_size;
    bnre_status status = BNRE_OK;

    for (size_t i = 0, run; i < n; i += run) {
        const size_t *row = cross->row + first + i;

        for (run = 1; i + run < n && row[run] == row[run - 1] + 1; run++)
            ;
        BNRE_TRY(bnre_dataset_read(cross->data, row[0], run, NULL, NULL,
                                   x + i * size, NULL));
    }
    for (size_t i = n; i-- > 0;) {
        memmove(x + i * (size + 1), x + i * size, size * sizeof *x);
        x[i * (size + 1) + size] = (double)cross->fold[first + i];
    }
done:
    return status;
}

static bnre_status read_pairs(void *self, size_t first, size_t n, double *x)
{
    return bnre__cross_read(self, first, n, x);
}

bnre_status bnre__cross_diagnose(bnre__cross *cross, const bnre_diag_opts *opts,
                                 bnre_diag **out)
{
    const bnre__pairs pairs = {.n = cross->n,
                               .observations = 1,
                               .theta = cross->theta,
                               .group = cross->fold,
                               .self = cross,
                               .read = read_pairs};

    cross->density = density_of(cross); /* as it is tempered now */
    return bnre__diagnose(&cross->density, &pairs, opts, out);
}
