/* Pairs in memory and in datasets, joint and marginal. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/rng.h"
#include "data/dataset.h"
#include "data/rows.h"
#include "diag/diag.h"
#include "num/streams.h"

/* Pairs first, ..., n - 1 of the order that are of a group, in a cycle. */
static void close_cycle(size_t n, const uint8_t *group, const size_t *order,
                        size_t first, size_t *other)
{
    size_t last = first;

    for (size_t i = first + 1; i < n; i++)
        if (group == NULL || group[order[i]] == group[order[first]]) {
            other[order[last]] = order[i];
            last = i;
        }
    other[order[last]] = order[first];
}

void bnre__pair_up(size_t n, const uint8_t *group, uint64_t seed, int any,
                   size_t *order, size_t *other)
{
    unsigned char closed[256] = {0};
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_MARGINAL, BNRE_SPLIT_TEST), 0);

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    bnre_rng_shuffle(&rng, n, order);
    for (size_t i = 0; i < n; i++) {
        const uint8_t own = group != NULL ? group[order[i]] : 0;

        if (any) {
            other[i] = order[i];
        } else if (!closed[own]) {
            close_cycle(n, group, order, i, other);
            closed[own] = 1;
        }
    }
}

struct memory {
    const double *x;
    size_t x_of_pair;
};

static bnre_status read_memory(void *self, size_t first, size_t n, double *x)
{
    const struct memory *memory = self;
    const size_t row = memory->x_of_pair;

    memcpy(x, memory->x + first * row, n * row * sizeof *x);
    return BNRE_OK;
}

bnre_status bnre_diagnose(const bnre_density *density, size_t n,
                          size_t observations, const double *theta,
                          const double *x, const bnre_diag_opts *opts,
                          bnre_diag **out)
{
    struct memory memory = {x, observations * density->x_size};
    const bnre__pairs pairs = {.n = n,
                               .observations = observations,
                               .theta = theta,
                               .self = &memory,
                               .read = read_memory};

    return bnre__diagnose(density, &pairs, opts, out);
}

struct file {
    bnre_dataset *data;
    const bnre_dataset_info *info;
    size_t observations;
    size_t n, *row; /* first row of each pair */
    double *theta;  /* (n, dim) */
};

/* Pairs that follow each other in the file are read at once. */
static bnre_status read_file(void *self, size_t first, size_t n, double *x)
{
    const struct file *file = self;
    const size_t K = file->observations;

    for (size_t i = 0, run; i < n; i += run) {
        const size_t *row = file->row + first + i;

        for (run = 1; i + run < n && row[run] == row[run - 1] + K; run++)
            ;
        BNRE_DO(bnre_dataset_read(file->data, row[0], run * K, NULL, NULL,
                                  x + i * K * file->info->x_size, NULL));
    }
    return BNRE_OK;
}

static bnre_status check_shapes(const bnre_density *density,
                                const bnre_dataset_info *info)
{
    const size_t dim = bnre_prior_dim(density->prior);

    if (info->dim_theta != dim)
        return bnre_fail(BNRE_EUSAGE,
                         "theta has %zu columns, the prior has %zu: was this "
                         "dataset made for another task?",
                         info->dim_theta, dim);
    if (info->x_size != density->x_size)
        return bnre_fail(BNRE_EUSAGE,
                         "x has %zu values, the posterior is for %zu: was this "
                         "dataset made for another task?",
                         info->x_size, density->x_size);
    return BNRE_OK;
}

/* The rows from `first` on, which make up one pair, if all of them are valid.
 */
static bnre_status take_pair(struct file *file, size_t first,
                             const double *theta, const uint8_t *valid)
{
    const size_t dim = file->info->dim_theta;

    for (size_t k = 0; k < file->observations; k++) {
        if (valid[k] != BNRE_DRAW_OK)
            return BNRE_OK;
        if (memcmp(theta, theta + k * dim, dim * sizeof *theta) != 0)
            return bnre_fail(
                BNRE_EUSAGE,
                "rows %zu and %zu have different theta: with %zu observations "
                "per pair, that many rows in turn must be of one theta",
                first, first + k, file->observations);
    }
    memcpy(file->theta + file->n * dim, theta, dim * sizeof *theta);
    file->row[file->n++] = first;
    return BNRE_OK;
}

/* Where all pairs are, and their theta. */
static bnre_status find_pairs(struct file *file)
{
    enum { BLOCK = 4096 };
    const size_t K = file->observations, all = file->info->rows / K;
    const size_t dim = file->info->dim_theta, block = BLOCK / K + 1;
    bnre_status status = BNRE_OK;
    double *theta = NULL;
    uint8_t *valid = NULL;

    BNRE_NEW(file->theta, all * dim);
    BNRE_NEW(file->row, all);
    BNRE_NEW(theta, block * K * dim);
    BNRE_NEW(valid, block * K);
    for (size_t i = 0; i < all; i += block) {
        const size_t n = all - i < block ? all - i : block;

        BNRE_TRY(bnre_dataset_read(file->data, i * K, n * K, theta, NULL, NULL,
                                   valid));
        for (size_t k = 0; k < n; k++)
            BNRE_TRY(take_pair(file, (i + k) * K, theta + k * K * dim,
                               valid + k * K));
    }
done:
    bnre__free(valid);
    bnre__free(theta);
    return status;
}

/* Let go of the pairs that are not to be kept. */
static void compact(struct file *file, const uint8_t *keep)
{
    const size_t dim = file->info->dim_theta;
    size_t n = 0;

    for (size_t i = 0; i < file->n; i++)
        if (keep[i]) {
            memmove(file->theta + n * dim, file->theta + i * dim,
                    dim * sizeof *file->theta);
            file->row[n++] = file->row[i];
        }
    file->n = n;
}

/* Into the places of a region, where the density is of these. */
static bnre_status place(struct file *file, const bnre_density *density,
                         bnre_pool *pool)
{
    bnre_status status = BNRE_OK;
    double *u = NULL;

    if (density->place == NULL)
        return BNRE_OK;
    BNRE_NEW(u, file->n * file->info->dim_theta);
    BNRE_TRY(density->place(density->context, pool, file->n, file->theta, u));
    memcpy(file->theta, u, file->n * file->info->dim_theta * sizeof *u);
done:
    bnre__free(u);
    return status;
}

/* Where others are missing, those that make up draws of the prior. */
static bnre_status level(struct file *file, const bnre_density *density,
                         const bnre_diag_opts *opts)
{
    bnre_status status = BNRE_OK;
    double *p = NULL;
    uint8_t *keep = NULL;

    if (density->result == NULL || file->info->failed == 0)
        return BNRE_OK;
    BNRE_NEW(p, file->n);
    BNRE_NEW(keep, file->n);
    BNRE_TRY(density->result(density->context, file->n, file->theta, p));
    /* A pair is there if all its rows are. */
    for (size_t i = 0; i < file->n; i++)
        p[i] = pow(p[i], (double)file->observations);
    (void)bnre__thin_level(file->n, p, opts->seed, BNRE_SPLIT_TEST, keep);
    compact(file, keep);
done:
    bnre__free(keep);
    bnre__free(p);
    return status;
}

/* Those that make up draws of another prior than the file's. Chance numbers are
   of the row, and no others: kept pairs are independent of their ranks. */
static bnre_status change_prior(struct file *file, const bnre_density *density,
                                const bnre_diag_opts *opts)
{
    const size_t before = file->n;
    bnre_status status = BNRE_OK;
    double *p = NULL;
    uint8_t *keep = NULL;

    if (density->keep == NULL)
        return BNRE_OK;
    BNRE_NEW(p, file->n);
    BNRE_NEW(keep, file->n);
    BNRE_TRY(density->keep(density->context, file->n, file->theta, p));
    for (size_t i = 0; i < file->n; i++) {
        bnre_rng rng = bnre_rng_stream(
            opts->seed, bnre__purpose(BNRE_USE_CHANGE, BNRE_SPLIT_TEST),
            1 + file->row[i]);

        keep[i] = bnre_rng_uniform(&rng) < p[i];
    }
    compact(file, keep);
    if (file->n < BNRE_DIAG_LEAST)
        BNRE_THROW(BNRE_EUSAGE,
                   "%zu of the %zu pairs are left as pairs of the new prior, "
                   "too few to say anything: more are needed, or pairs that "
                   "were simulated for this prior",
                   file->n, before);
done:
    bnre__free(keep);
    bnre__free(p);
    return status;
}

/* As many as are asked for. */
static bnre_status keep_some(struct file *file, const bnre_diag_opts *opts)
{
    bnre__thin thin = bnre__thin_begin(file->info, file->n, opts->most,
                                       opts->seed, BNRE_SPLIT_TEST);
    bnre_status status = BNRE_OK;
    uint8_t *keep = NULL;

    BNRE_NEW(keep, file->n);
    for (size_t i = 0; i < file->n; i++)
        keep[i] = (uint8_t)bnre__thin_next(&thin);
    compact(file, keep);
done:
    bnre__free(keep);
    return status;
}

bnre_status bnre_diagnose_dataset(const bnre_density *density,
                                  bnre_dataset *data, size_t observations,
                                  const bnre_diag_opts *opts, bnre_diag **out)
{
    struct file file = {.data = data,
                        .info = bnre_dataset_describe(data),
                        .observations = observations};
    bnre_status status = BNRE_OK;
    bnre__pairs pairs;

    *out = NULL;
    if (observations == 0)
        return bnre_fail(BNRE_EUSAGE, "a pair needs an observation or more");
    /* Others are left out where those of the prior are among them; where they
       are not, the shapes say so. */
    if (file.info->dim_theta > bnre_prior_dim(density->prior))
        (void)!bnre__dataset_arrange(data, density->prior, NULL);
    BNRE_TRY(check_shapes(density, file.info));
    BNRE_TRY(bnre__dataset_arrange(data, density->prior, density->x_name));
    BNRE_TRY(find_pairs(&file));
    BNRE_TRY(place(&file, density, opts->pool));
    BNRE_TRY(level(&file, density, opts));
    BNRE_TRY(change_prior(&file, density, opts));
    BNRE_TRY(keep_some(&file, opts));
    pairs = (bnre__pairs){.n = file.n,
                          .observations = observations,
                          .theta = file.theta,
                          .self = &file,
                          .read = read_file};
    BNRE_TRY(bnre__diagnose(density, &pairs, opts, out));
done:
    bnre__free(file.row);
    bnre__free(file.theta);
    return status;
}
