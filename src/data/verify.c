/* verify.c - checksums of a dataset by blocks, its seal, and whether an open
   dataset is what was written. */
#include "data/verify.h"

#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "num/checksum.h"

size_t bnre__blocks_count(const bnre_dataset_info *info)
{
    const size_t each = bnre__rows_checked(info);

    return info->rows / each + (info->rows % each > 0);
}

bnre_status bnre__blocks_init(bnre__blocks *blocks,
                              const bnre_dataset_info *info)
{
    bnre_status status = BNRE_OK;

    blocks->rows = info->rows;
    blocks->each = bnre__rows_checked(info);
    blocks->width[BNRE__THETA] = info->dim_theta * sizeof(double);
    blocks->width[BNRE__NUISANCE] = info->dim_nuisance * sizeof(double);
    blocks->width[BNRE__X] = bnre__x_bytes(info);
    blocks->width[BNRE__STATUS] = 1;
    blocks->count = bnre__blocks_count(info);
    blocks->kernels = bnre__kernels_best();
    BNRE_NEW(blocks->sum, blocks->count);
done:
    return status;
}

void bnre__blocks_clear(bnre__blocks *blocks)
{
    bnre__free(blocks->sum);
    *blocks = (bnre__blocks){0};
}

/* Which rows block b has. */
static size_t block_span(const bnre__blocks *blocks, size_t b, size_t *first)
{
    *first = b * blocks->each;
    return blocks->rows - *first < blocks->each ? blocks->rows - *first
                                                : blocks->each;
}

static uint64_t checksum(const bnre__blocks *blocks, const void *data,
                         size_t bytes)
{
    return blocks->kernels == NULL
               ? bnre__xxh64(data, bytes)
               : bnre__checksum(blocks->kernels, data, bytes);
}

static void add_blocks(bnre__blocks *blocks, size_t first, size_t n,
                       const double *theta, const double *nuisance,
                       const void *x, const uint8_t *status)
{
    const void *const array[] = {theta, nuisance, x, status};
    size_t from, rows;

    for (size_t b = first / blocks->each; b * blocks->each < first + n; b++) {
        rows = block_span(blocks, b, &from);
        for (size_t k = 0; k < BNRE__BLOCK_ARRAYS; k++)
            if (array[k] != NULL)
                blocks->sum[b][k] = checksum(
                    blocks,
                    (const char *)array[k] + (from - first) * blocks->width[k],
                    rows * blocks->width[k]);
    }
}

void bnre__blocks_take(bnre__blocks *blocks, const bnre__rows *rows,
                       size_t first, size_t n, const double *theta,
                       const double *nuisance, const void *x,
                       const uint8_t *status)
{
    const size_t b = first / blocks->each, end = first + n;

    if (rows->sums == NULL)
        add_blocks(blocks, first, n, theta, nuisance, x, status);
    else
        memcpy(blocks->sum + b, rows->sums + b,
               ((end - 1) / blocks->each + 1 - b) * sizeof *blocks->sum);
}

/* ---- the seal ---- */

void bnre__failure_hash_init(bnre__failure_hash *hash)
{
    bnre__hash_init(&hash->row, 1, 0, 1);
    bnre__hash_init(&hash->reason, 2, 0, 1);
    bnre__hash_init(&hash->text, 3, 0, 1);
}

void bnre__failure_hash_add(bnre__failure_hash *hash, size_t n,
                            const uint64_t *row, const uint32_t *reason)
{
    bnre__hash_add(&hash->row, row, n * sizeof *row);
    bnre__hash_add(&hash->reason, reason, n * sizeof *reason);
}

void bnre__failure_hash_texts(bnre__failure_hash *hash, size_t n,
                              const char (*text)[BNRE_REASON_SIZE])
{
    for (size_t i = 0; i < n; i++)
        bnre__hash_add_text(&hash->text, text[i]);
}

static void add_hash(bnre__hash *hash, bnre__hash *part)
{
    uint64_t word[2];

    bnre__hash_end(part, word);
    bnre__hash_add_u64(hash, word[0]);
    bnre__hash_add_u64(hash, word[1]);
}

static void add_names(bnre__hash *hash, size_t n, const char *const *name)
{
    bnre__hash_add_u64(hash, n);
    for (size_t i = 0; i < n; i++)
        bnre__hash_add_text(hash, name[i]);
}

/* A text that is not there is not the same as an empty one. */
static void add_text(bnre__hash *hash, const char *text)
{
    bnre__hash_add_u64(hash, text != NULL);
    if (text != NULL)
        bnre__hash_add_text(hash, text);
}

void bnre__blocks_seal(const bnre__blocks *blocks,
                       const bnre_dataset_info *info, const char *fingerprint,
                       bnre__failure_hash *failures, char out[33])
{
    bnre__hash hash;

    bnre__hash_init(&hash, 0, 0, 1);
    bnre__hash_add_text(&hash,
                        blocks->kernels != NULL ? "blocks 2" : "blocks 1");
    bnre__hash_add_u64(&hash, info->rows);
    add_names(&hash, info->dim_theta, info->theta_name);
    add_names(&hash, info->dim_nuisance, info->nuisance_name);
    bnre__hash_add_u64(&hash, info->ndim);
    for (size_t i = 0; i < info->ndim; i++)
        bnre__hash_add_u64(&hash, info->shape[i]);
    add_names(&hash, info->x_name != NULL ? info->x_size : 0, info->x_name);
    if (info->x_double)
        bnre__hash_add_text(&hash, BNRE__X_DOUBLE);
    add_text(&hash, info->task);
    add_text(&hash, info->settings);
    add_text(&hash, info->version);
    add_text(&hash, fingerprint);
    add_hash(&hash, &failures->row);
    add_hash(&hash, &failures->reason);
    add_hash(&hash, &failures->text);
    bnre__hash_add_u64(&hash, blocks->each);
    bnre__hash_add(&hash, blocks->sum, blocks->count * sizeof *blocks->sum);
    bnre__hash_end_hex(&hash, out);
}

static const char *const array_name[] = {"theta", "nuisance", "x", "status"};

struct bnre__sound {
    atomic_size_t users;
    _Atomic uint8_t *arrays; /* (blocks) a bit for each that was compared */
};

static void leave(bnre__sound *sound)
{
    if (sound == NULL || atomic_fetch_sub(&sound->users, 1) > 1)
        return;
    bnre__free((void *)sound->arrays);
    bnre__free(sound);
}

static bnre_status begin(size_t blocks, bnre__sound **out)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(*out, 1);
    atomic_init(&(*out)->users, 1);
    BNRE_NEW((*out)->arrays, blocks);
done:
    return status;
}

void bnre__verify_share(bnre__verify *verify, const bnre__verify *before)
{
    if (before->sound == NULL || verify->sound == before->sound)
        return;
    leave(verify->sound);
    verify->sound = before->sound;
    atomic_fetch_add(&before->sound->users, 1);
}

void bnre__verify_clear(bnre__verify *verify)
{
    bnre__free(verify->scratch);
    leave(verify->sound);
    bnre__blocks_clear(&verify->blocks);
    bnre__free(verify->seal);
    *verify = (bnre__verify){0};
}

static bnre_status fail_changed(const bnre_dataset *data, const char *what)
{
    return bnre_fail(BNRE_EFORMAT,
                     "%s was changed or damaged after it was written: %s; take "
                     "it from a copy, or make it again",
                     data->path, what);
}

static int seal_matches(const bnre_dataset *data)
{
    const bnre__verify *verify = &data->verify;
    bnre__failure_hash failures = verify->failures;
    char found[33];

    bnre__blocks_seal(&verify->blocks, &data->info, data->fingerprint,
                      &failures, found);
    return strcmp(found, verify->seal) == 0;
}

bnre_status bnre__verify_seal(bnre_dataset *data)
{
    bnre__verify *verify = &data->verify;

    if (verify->seal == NULL && verify->blocks.sum == NULL)
        return !verify->ours || data->fingerprint != NULL
                   ? BNRE_OK
                   : fail_changed(data, "its fingerprint is missing");
    if (verify->seal == NULL || verify->blocks.sum == NULL ||
        data->fingerprint == NULL)
        return fail_changed(data, "some of its checksums are missing");
    if (seal_matches(data))
        return begin(verify->blocks.count, &verify->sound);
    verify->blocks.kernels = NULL;
    if (!seal_matches(data))
        return fail_changed(data,
                            "its names, shapes, task, settings, failures or "
                            "checksums do not match its seal");
    return begin(verify->blocks.count, &verify->sound);
}

static bnre_status fail_damaged(const bnre_dataset *data, size_t k,
                                size_t first, size_t n)
{
    return bnre_fail(BNRE_EFORMAT,
                     "%s was changed or damaged after it was written: rows %zu "
                     "to %zu of %s do not match their checksum; take it from a "
                     "copy, or make it again",
                     data->path, first, first + n - 1, array_name[k]);
}

/* An array of rows first..first+n-1, no more than a block. */
static bnre_status read_scratch(bnre_dataset *data, size_t k, size_t first,
                                size_t n)
{
    bnre_status status = BNRE_OK;
    bnre__verify *verify = &data->verify;
    size_t widest = 1;
    void *to;

    for (size_t i = 0; i < BNRE__BLOCK_ARRAYS; i++)
        if (verify->blocks.width[i] > widest)
            widest = verify->blocks.width[i];
    if (verify->scratch == NULL)
        BNRE_NEW(verify->scratch, verify->blocks.each * widest);
    to = verify->scratch;
    BNRE_TRY(bnre__dataset_read_file(
        data, first, n, k == BNRE__THETA ? to : NULL,
        k == BNRE__NUISANCE ? to : NULL, k == BNRE__X ? to : NULL,
        k == BNRE__STATUS ? to : NULL, NULL));
done:
    return status;
}

/* An array of block b; rows first..first+n-1 of it are at hand. */
static bnre_status verify_block(bnre_dataset *data, size_t k, size_t b,
                                size_t first, size_t n,
                                const unsigned char *array)
{
    bnre__verify *verify = &data->verify;
    const size_t width = verify->blocks.width[k];
    size_t from, rows = block_span(&verify->blocks, b, &from);

    if (width == 0 || verify->sound->arrays[b] >> k & 1)
        return BNRE_OK;
    if (from >= first && from + rows <= first + n) {
        array += (from - first) * width;
    } else {
        BNRE_DO(read_scratch(data, k, from, rows));
        array = verify->scratch;
    }
    if (checksum(&verify->blocks, array, rows * width) !=
        verify->blocks.sum[b][k])
        BNRE_DO(fail_damaged(data, k, from, rows));
    atomic_fetch_or(&verify->sound->arrays[b], (uint8_t)(1 << k));
    return BNRE_OK;
}

bnre_status bnre__verify_read(bnre_dataset *data, size_t first, size_t n,
                              const double *theta, const double *nuisance,
                              const void *x, const uint8_t *flags)
{
    const bnre__verify *verify = &data->verify;
    const void *const array[] = {theta, nuisance, x, flags};
    const size_t each = verify->blocks.each;

    if (verify->sound == NULL || n == 0)
        return BNRE_OK;
    for (size_t k = 0; k < BNRE__BLOCK_ARRAYS; k++)
        for (size_t b = first / each; array[k] != NULL && b * each < first + n;
             b++)
            BNRE_DO(verify_block(data, k, b, first, n, array[k]));
    return BNRE_OK;
}

bnre_status bnre_dataset_verify(bnre_dataset *data)
{
    const bnre__verify *verify = &data->verify;

    if (verify->sound == NULL)
        return BNRE_OK; /* nothing to compare with, or done on opening */
    for (size_t b = 0; b < verify->blocks.count; b++)
        for (size_t k = 0; k < BNRE__BLOCK_ARRAYS; k++)
            if (!data->only_x || k >= BNRE__X)
                BNRE_DO(verify_block(data, k, b, 0, 0, NULL));
    return BNRE_OK;
}

bnre_status bnre__verify_fingerprint(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    char found[33];

    if (data->fingerprint == NULL)
        return BNRE_OK;
    BNRE_TRY(bnre_dataset_fingerprint(data, found));
    if (strcmp(found, data->fingerprint) != 0)
        status =
            fail_changed(data, "its contents do not match its fingerprint");
done:
    return status;
}
