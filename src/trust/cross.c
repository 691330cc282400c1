/* cross.c - simulations as those members see them that never saw them: see
   cross.h. */
#include "trust/cross.h"

#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "data/rows.h"
#include "diag/diag.h"
#include "infer/estimator/estimator.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };

/* ---- the density ---- */

/* A session for each fold, opened when it is first asked. */
struct session {
    const bnre__cross *cross;
    size_t fold; /* of the pair at hand */
    bnre_density density[BNRE__MOST_FOLDS];
    void *own[BNRE__MOST_FOLDS];

    /* Many pairs at a time, and what is at hand of those in one fold. */
    size_t n;
    size_t *of;     /* (many): the fold of each */
    uint64_t *seed; /* (many) */
    double *x;      /* (many, x_size) */
    double *theta;  /* (many, rows, dim), for as many rows as were needed */
    double *out;    /* (many, rows) */
    size_t rows;
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
    if (session != NULL) {
        bnre__free(session->out);
        bnre__free(session->theta);
        bnre__free(session->x);
        bnre__free(session->seed);
        bnre__free(session->of);
    }
    bnre__free(session);
}

static bnre_status open_fold(struct session *session, size_t f)
{
    if (session->own[f] != NULL)
        return BNRE_OK;
    return session->density[f].open(session->density[f].context,
                                    &session->own[f]);
}

static bnre_status observe(void *self, const double *x)
{
    struct session *session = self;
    const size_t f = (size_t)x[session->cross->est->info.x_size];

    session->fold = f;
    BNRE_DO(open_fold(session, f));
    return session->density[f].observe(session->own[f], x);
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

/* ---- many pairs at a time ---- */

/* Pairs that are in fold f, beside each other in `part`, from their places in
   `all`, or back; `size` bytes each. How many there are. */
static size_t exchange(const struct session *session, size_t f, size_t size,
                       void *all, void *part, int back)
{
    size_t n = 0;

    for (size_t i = 0; i < session->n; i++) {
        char *whole = (char *)all + i * size, *own = (char *)part + n * size;

        if (session->of[i] != f)
            continue;
        memcpy(back ? whole : own, back ? own : whole, size);
        n++;
    }
    return n;
}

static bnre_status make_many(struct session *session)
{
    const bnre_density *one = &session->density[0];
    bnre_status status = BNRE_OK;

    if (session->x != NULL)
        return BNRE_OK;
    BNRE_NEW(session->of, one->many);
    BNRE_NEW(session->seed, one->many);
    BNRE_NEW(session->x, one->many * one->x_size);
done:
    return status;
}

static bnre_status make_rows(struct session *session, size_t rows)
{
    const bnre_density *one = &session->density[0];
    const size_t all = one->many * rows;
    bnre_status status = BNRE_OK;

    if (rows <= session->rows)
        return BNRE_OK;
    session->rows = 0;
    bnre__free(session->theta);
    bnre__free(session->out);
    session->theta = session->out = NULL;
    BNRE_NEW(session->theta, all * bnre_prior_dim(one->prior));
    BNRE_NEW(session->out, all);
    session->rows = rows;
done:
    return status;
}

static bnre_status observe_many(void *self, size_t n, const double *x)
{
    struct session *session = self;
    const size_t size = session->density[0].x_size;

    BNRE_DO(make_many(session));
    session->n = n;
    for (size_t i = 0; i < n; i++)
        session->of[i] = (size_t)x[i * (size + 1) + size];
    for (size_t f = 0; f < session->cross->est->info.folds; f++) {
        size_t own = 0;

        for (size_t i = 0; i < n; i++)
            if (session->of[i] == f)
                memcpy(session->x + own++ * size, x + i * (size + 1),
                       size * sizeof *x);
        if (own == 0)
            continue;
        BNRE_DO(open_fold(session, f));
        BNRE_DO(
            session->density[f].observe_many(session->own[f], own, session->x));
    }
    return BNRE_OK;
}

static bnre_status draw_many(void *self, const uint64_t *seed, size_t n,
                             double *theta)
{
    struct session *session = self;
    const size_t dim = bnre_prior_dim(session->density[0].prior);

    BNRE_DO(make_rows(session, n));
    for (size_t f = 0; f < session->cross->est->info.folds; f++) {
        if (exchange(session, f, sizeof *seed, (void *)seed, session->seed,
                     0) == 0)
            continue;
        BNRE_DO(session->density[f].draw_many(session->own[f], session->seed, n,
                                              session->theta));
        exchange(session, f, n * dim * sizeof *theta, theta, session->theta, 1);
    }
    return BNRE_OK;
}

static bnre_status log_ratio_many(void *self, size_t rows, const double *theta,
                                  size_t widths, const double *widen,
                                  double *out)
{
    struct session *session = self;
    const size_t dim = bnre_prior_dim(session->density[0].prior);
    const size_t outs = widths > 0 ? widths : 1;

    BNRE_DO(make_rows(session, rows * outs));
    for (size_t f = 0; f < session->cross->est->info.folds; f++) {
        const size_t own = exchange(session, f, rows * dim * sizeof *theta,
                                    (void *)theta, session->theta, 0);

        if (own == 0)
            continue;
        BNRE_DO(session->density[f].log_ratio_many(session->own[f], rows,
                                                   session->theta, widths,
                                                   widen, session->out));
        for (size_t w = 0; w < outs; w++)
            exchange(session, f, rows * sizeof *out,
                     out + w * session->n * rows, session->out + w * own * rows,
                     1);
    }
    return BNRE_OK;
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
                          .draw = one.draw != NULL ? draw : NULL,
                          .many = one.many,
                          .observe_many = observe_many,
                          .draw_many = draw_many,
                          .log_ratio_many = log_ratio_many};
}

/* ---- the pairs ---- */

/* Take row number `row` of the file, if it is in a fold. */
static void take(bnre__cross *cross, size_t row, const double *theta,
                 const double *x, uint32_t *met)
{
    const bnre_estimator_info *info = &cross->est->info;
    const size_t dim = info->dim_theta;
    size_t fold;

    if (!bnre__estimator_fold_of(cross->est,
                                 bnre__row_hash(dim, theta, info->x_size, x),
                                 met, &fold))
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
    uint32_t *met = NULL;
    double *x = NULL;
    size_t n;

    BNRE_TRY(bnre__block_init(
        &block, info, bnre__rows_within(info, BLOCK_BYTES, BLOCK_ROWS)));
    BNRE_NEW(x, block.rows * size);
    BNRE_NEW(met, cross->est->hashes);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(bnre_dataset_read(cross->data, first, n, block.theta, NULL, x,
                                   block.status));
        for (size_t i = 0; i < n; i++)
            if (block.status[i] == BNRE_DRAW_OK)
                take(cross, first + i, block.theta + i * dim, x + i * size,
                     met);
    }
done:
    bnre__free(met);
    bnre__free(x);
    bnre__block_clear(&block);
    return status;
}

/* Row i becomes row n <= i. */
static void move_row(bnre__cross *cross, size_t n, size_t i)
{
    const size_t dim = cross->est->info.dim_theta;

    cross->row[n] = cross->row[i];
    cross->fold[n] = cross->fold[i];
    memmove(cross->theta + n * dim, cross->theta + i * dim,
            dim * sizeof *cross->theta);
}

static void keep_some(bnre__cross *cross, size_t most, uint64_t seed)
{
    bnre__thin thin = bnre__thin_begin(bnre_dataset_describe(cross->data),
                                       cross->n, most, seed, BNRE_SPLIT_TRAIN);
    size_t n = 0;

    for (size_t i = 0; i < cross->n; i++)
        if (bnre__thin_next(&thin))
            move_row(cross, n++, i);
    cross->n = n;
}

/* Rows with a result are draws of p(theta) P(result | theta) where others are
   missing: each counts by 1 / P. */
static bnre_status weigh(bnre__cross *cross)
{
    const size_t dim = cross->est->info.dim_theta;
    bnre_status status = BNRE_OK;
    double *theta = NULL, *p = NULL;

    if (fold_density(cross, 0).result == NULL)
        return BNRE_OK;
    BNRE_NEW(cross->weight, cross->n);
    BNRE_NEW(theta, cross->n * dim);
    BNRE_NEW(p, cross->n);
    for (size_t f = 0; f < cross->est->info.folds; f++) {
        const bnre_density density = fold_density(cross, f);
        size_t n = 0;

        for (size_t i = 0; i < cross->n; i++)
            if (cross->fold[i] == f)
                memcpy(theta + n++ * dim, cross->theta + i * dim,
                       dim * sizeof *theta);
        BNRE_TRY(density.result(density.context, n, theta, p));
        n = 0;
        for (size_t i = 0; i < cross->n; i++)
            if (cross->fold[i] == f)
                cross->weight[i] = 1 / p[n++];
    }
done:
    bnre__free(p);
    bnre__free(theta);
    return status;
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
    BNRE_TRY(bnre__estimator_arrange(est, data));
    BNRE_NEW(cross->row, rows);
    BNRE_NEW(cross->fold, rows);
    BNRE_NEW(cross->theta, rows * est->info.dim_theta);
    BNRE_TRY(find_rows(cross));
    keep_some(cross, most, seed);
    BNRE_TRY(weigh(cross));
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

bnre_status bnre__cross_level(bnre__cross *cross, uint64_t seed)
{
    bnre_status status = BNRE_OK;
    uint8_t *keep = NULL;
    double *p = NULL;
    size_t n = 0;

    if (cross->weight == NULL)
        return BNRE_OK;
    BNRE_NEW(keep, cross->n);
    BNRE_NEW(p, cross->n);
    for (size_t i = 0; i < cross->n; i++)
        p[i] = 1 / cross->weight[i];
    (void)bnre__thin_level(cross->n, p, seed, BNRE_SPLIT_TRAIN, keep);
    for (size_t i = 0; i < cross->n; i++)
        if (keep[i])
            move_row(cross, n++, i);
    cross->n = n;
    bnre__free(cross->weight);
    cross->weight = NULL; /* all count the same now */
done:
    bnre__free(p);
    bnre__free(keep);
    return status;
}

void bnre__cross_clear(bnre__cross *cross)
{
    bnre__free(cross->weight);
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
                               .weight = cross->weight,
                               .self = cross,
                               .read = read_pairs};

    cross->density = density_of(cross); /* as it is tempered now */
    return bnre__diagnose(&cross->density, &pairs, opts, out);
}
