/* rows.c - rows of pairs, wherever they come from: blocks, hashes, checks,
   and a part of them as good a sample as all. */
#include "data/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "num/streams.h"

/* Hashes are taken of the bytes in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "fingerprints are of little-endian values");

/* Blocks of checksums have a quarter of these limits. */
enum { CHUNK_BYTES = 1 << 20, CHUNK_ROWS = 4096, CHECKS = 4 };

size_t bnre__x_bytes(const bnre_dataset_info *info)
{
    return info->x_size * (info->x_double ? sizeof(double) : sizeof(float));
}

size_t bnre__row_bytes(const bnre_dataset_info *info)
{
    return (info->dim_theta + info->dim_nuisance) * sizeof(double) +
           bnre__x_bytes(info) + 1;
}

size_t bnre__rows_within(const bnre_dataset_info *info, size_t bytes,
                         size_t most)
{
    size_t fit = bytes / bnre__row_bytes(info);

    return fit < 1 ? 1 : fit > most ? most : fit;
}

size_t bnre__rows_checked(const bnre_dataset_info *info)
{
    return bnre__rows_within(info, CHUNK_BYTES / CHECKS, CHUNK_ROWS / CHECKS);
}

size_t bnre__rows_at_a_time(const bnre_dataset_info *info)
{
    const size_t most = bnre__rows_within(info, CHUNK_BYTES, CHUNK_ROWS);

    return most - most % bnre__rows_checked(info);
}

bnre_status bnre__block_init(bnre__block *block, const bnre_dataset_info *info,
                             size_t rows)
{
    bnre_status status = BNRE_OK;

    block->rows = rows;
    BNRE_NEW(block->theta, rows * info->dim_theta);
    BNRE_NEW(block->nuisance, rows * info->dim_nuisance);
    block->x = bnre__alloc(rows, bnre__x_bytes(info));
    status = block->x == NULL ? BNRE_ENOMEM : BNRE_OK;
    BNRE_TRY(status);
    BNRE_NEW(block->status, rows);
    BNRE_NEW(block->reason, rows);
done:
    return status;
}

void bnre__block_clear(bnre__block *block)
{
    bnre__free(block->reason);
    bnre__free(block->status);
    bnre__free(block->x);
    bnre__free(block->nuisance);
    bnre__free(block->theta);
    *block = (bnre__block){0};
}

bnre_status bnre__block_read(const bnre__block *block, const bnre__rows *rows,
                             size_t first, size_t n)
{
    return rows->read(rows->self, first, n, block->theta, block->nuisance,
                      block->x, block->status, block->reason);
}

uint64_t bnre__row_hash(size_t dim_theta, const double *theta, size_t x_size,
                        const double *x)
{
    bnre__hash hash;
    uint64_t out;

    bnre__hash_init(&hash, dim_theta, x_size, 0);
    bnre__hash_add(&hash, theta, dim_theta * sizeof *theta);
    bnre__hash_add_floats(&hash, x, x_size);
    bnre__hash_end(&hash, &out);
    return out;
}

void bnre__fingerprint_begin(bnre__fingerprint *print, const bnre__rows *rows)
{
    const bnre_dataset_info *info = rows->info;
    bnre__hash *hash = &print->head;

    print->known = rows->fingerprint;
    bnre__hash_init(hash, 0, 0, 1);
    bnre__hash_init(&print->theta, 1, 0, 1);
    bnre__hash_init(&print->nuisance, 2, 0, 1);
    bnre__hash_init(&print->x, 3, 0, 1);
    bnre__hash_init(&print->status, 4, 0, 1);
    bnre__hash_add_text(hash, "dataset 1");
    bnre__hash_add_u64(hash, info->rows);
    bnre__hash_add_u64(hash, info->dim_theta);
    for (size_t i = 0; i < info->dim_theta; i++)
        bnre__hash_add_text(hash, info->theta_name[i]);
    bnre__hash_add_u64(hash, info->dim_nuisance);
    for (size_t i = 0; i < info->dim_nuisance; i++)
        bnre__hash_add_text(hash, info->nuisance_name[i]);
    bnre__hash_add_u64(hash, info->ndim);
    for (size_t i = 0; i < info->ndim; i++)
        bnre__hash_add_u64(hash, info->shape[i]);
    for (size_t i = 0; info->x_name != NULL && i < info->x_size; i++)
        bnre__hash_add_text(hash, info->x_name[i]);
    if (info->x_double)
        bnre__hash_add_text(hash, BNRE__X_DOUBLE);
}

/* Whole runs of valid rows at a time: a call per row would take longer than the
   hash. */
static void add_x(bnre__hash *hash, size_t row, size_t n, const char *x,
                  const uint8_t *status)
{
    for (size_t i = 0, run; i < n; i += run) {
        int valid = status[i] == BNRE_DRAW_OK;

        for (run = 1; i + run < n; run++)
            if ((status[i + run] == BNRE_DRAW_OK) != valid)
                break;
        if (valid)
            bnre__hash_add(hash, x + i * row, run * row);
    }
}

void bnre__fingerprint_add(bnre__fingerprint *print,
                           const bnre_dataset_info *info, size_t n,
                           const double *theta, const double *nuisance,
                           const void *x, const uint8_t *status)
{
    if (print->known != NULL)
        return;
    if (theta != NULL)
        bnre__hash_add(&print->theta, theta,
                       n * info->dim_theta * sizeof *theta);
    if (nuisance != NULL)
        bnre__hash_add(&print->nuisance, nuisance,
                       n * info->dim_nuisance * sizeof *nuisance);
    if (x == NULL)
        return;
    add_x(&print->x, bnre__x_bytes(info), n, x, status);
    bnre__hash_add(&print->status, status, n);
}

void bnre__fingerprint_end(bnre__fingerprint *print, char out[33])
{
    bnre__hash *part[] = {&print->theta, &print->nuisance, &print->x,
                          &print->status};

    if (print->known != NULL) {
        snprintf(out, 33, "%s", print->known);
        return;
    }
    for (size_t i = 0; i < 4; i++) {
        uint64_t word[2];

        bnre__hash_end(part[i], word);
        bnre__hash_add_u64(&print->head, word[0]);
        bnre__hash_add_u64(&print->head, word[1]);
    }
    bnre__hash_end_hex(&print->head, out);
}

bnre_status bnre__rows_each(const bnre__rows *rows, int reasons,
                            bnre__block_fn fn, void *arg, char fingerprint[33])
{
    bnre_status status = BNRE_OK;
    const bnre_dataset_info *info = rows->info;
    bnre__block block = {0};
    bnre__fingerprint print;
    size_t n;

    BNRE_TRY(bnre__block_init(&block, info, bnre__rows_at_a_time(info)));
    bnre__fingerprint_begin(&print, rows);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(rows->read(rows->self, first, n, block.theta, block.nuisance,
                            block.x, block.status,
                            reasons ? block.reason : NULL));
        bnre__fingerprint_add(&print, info, n, block.theta, block.nuisance,
                              block.x, block.status);
        if (fn != NULL)
            BNRE_TRY(fn(arg, &block, first, n));
    }
    bnre__fingerprint_end(&print, fingerprint);
done:
    bnre__block_clear(&block);
    return status;
}

bnre_status bnre__rows_fingerprint(const bnre__rows *rows, char out[33])
{
    return bnre__rows_each(rows, 0, NULL, NULL, out);
}

/* Whether the order of rows says nothing of them. */
static int is_shuffled(const bnre_dataset_info *info)
{
    return info->settings != NULL && strstr(info->settings, "\ntheta") == NULL;
}

bnre__thin bnre__thin_begin(const bnre_dataset_info *info, size_t n,
                            size_t most, uint64_t seed, bnre_split split)
{
    return (bnre__thin){
        .rng = bnre_rng_stream(seed, bnre__purpose(BNRE_USE_SELECT, split), 0),
        .draws = !is_shuffled(info),
        .left = n,
        .want = most > 0 && most < n ? most : n};
}

int bnre__thin_next(bnre__thin *thin)
{
    int taken;

    if (thin->want == 0)
        return 0;
    taken = !thin->draws || bnre_rng_below(&thin->rng, thin->left) < thin->want;
    thin->left--;
    thin->want -= (size_t)taken;
    return taken;
}

size_t bnre__thin_level(size_t n, const double *p, uint64_t seed,
                        bnre_split split, uint8_t *keep)
{
    double least = 1;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        least = fmin(least, p[i]);
    for (size_t i = 0; i < n; i++) {
        bnre_rng rng =
            bnre_rng_stream(seed, bnre__purpose(BNRE_USE_LEVEL, split), i);

        keep[i] = bnre_rng_uniform(&rng) * p[i] < least;
        kept += keep[i];
    }
    return kept;
}
