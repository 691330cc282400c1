/* writer_h5.c - datasets as HDF5 files, with checksums and a seal. */
#include <string.h>

#include "base/mem.h"
#include "data/failures.h"
#include "data/verify.h"
#include "data/writer.h"
#include "io/h5.h"

enum {
    FAILURES = 1024,    /* written at a time */
    NAMES_LIMIT = 60000 /* see h5.h */
};

/* A dataset being written. */
struct target {
    const bnre__rows *rows;
    bnre__h5_writer *writer;
    const bnre_dataset_info *info;
    size_t theta, nuisance, x, status, row, reason, sums; /* arrays */

    bnre__blocks blocks;
    bnre__failure_hash failures;
    bnre__reasons reasons;
    uint64_t failed_row[FAILURES];
    uint32_t failed_reason[FAILURES];
    size_t pending, written; /* failures */
};

static size_t names_bytes(size_t n, const char *const *name)
{
    size_t longest = 1;

    for (size_t i = 0; i < n; i++)
        if (strlen(name[i]) > longest)
            longest = strlen(name[i]);
    return n * longest;
}

bnre_status bnre__names_check(const char *what, size_t n,
                              const char *const *name)
{
    if (names_bytes(n, name) <= NAMES_LIMIT)
        return BNRE_OK;
    return bnre_fail(BNRE_EUSAGE,
                     "%zu %s are too many for a file: their names take more "
                     "than %d bytes",
                     n, what, NAMES_LIMIT);
}

static size_t text_bytes(const bnre_dataset_info *info)
{
    const char *const text[] = {info->task, info->settings, info->version};
    size_t bytes = 600; /* names of objects, short values */

    for (size_t i = 0; i < 3; i++)
        bytes += text[i] != NULL ? strlen(text[i]) : 0;
    return bytes + names_bytes(info->dim_theta, info->theta_name) +
           names_bytes(info->dim_nuisance, info->nuisance_name) +
           (info->x_name != NULL ? names_bytes(info->x_size, info->x_name) : 0);
}

static bnre_status write_text(struct target *target, const char *name,
                              const char *text)
{
    if (text == NULL)
        return BNRE_OK;
    return bnre__h5_writer_text(target->writer, "/", name, text);
}

static bnre_status write_head(struct target *target)
{
    const bnre_dataset_info *info = target->info;

    BNRE_DO(write_text(target, "bnre_format", "dataset"));
    BNRE_DO(bnre__h5_writer_int(target->writer, "/", "bnre_format_version", 1));
    BNRE_DO(write_text(target, "bnre_version", info->version));
    BNRE_DO(write_text(target, "task", info->task));
    return write_text(target, "settings", info->settings);
}

/* An array of doubles with the names of its columns. */
static bnre_status add_columns(struct target *target, const char *name,
                               size_t dim, const char *const *names, size_t *id)
{
    const size_t shape[] = {target->info->rows, dim};

    BNRE_DO(bnre__names_check("parameters", dim, names));
    BNRE_DO(bnre__h5_writer_array(target->writer, name, 'f', 8, 2, shape, id));
    return bnre__h5_writer_texts(target->writer, name, "names", dim, names);
}

static bnre_status add_arrays(struct target *target)
{
    const bnre_dataset_info *info = target->info;
    size_t shape[1 + BNRE_MAX_NDIM] = {info->rows};

    memcpy(shape + 1, info->shape, info->ndim * sizeof *shape);
    BNRE_DO(add_columns(target, "theta", info->dim_theta, info->theta_name,
                        &target->theta));
    if (info->dim_nuisance > 0)
        BNRE_DO(add_columns(target, "nuisance", info->dim_nuisance,
                            info->nuisance_name, &target->nuisance));
    BNRE_DO(bnre__h5_writer_array(target->writer, "x", 'f',
                                  bnre__x_bytes(info) / info->x_size,
                                  1 + info->ndim, shape, &target->x));
    if (info->x_name != NULL) {
        BNRE_DO(bnre__names_check("columns of x", info->x_size, info->x_name));
        BNRE_DO(bnre__h5_writer_texts(target->writer, "x", "names",
                                      info->x_size, info->x_name));
    }
    BNRE_DO(bnre__h5_writer_array(target->writer, "status", 'u', 1, 1, shape,
                                  &target->status));
    BNRE_DO(bnre__h5_writer_array(
        target->writer, "bnre_blocks", 'u', 8, 2,
        (const size_t[]){target->blocks.count, BNRE__BLOCK_ARRAYS},
        &target->sums));
    if (info->failed == 0)
        return BNRE_OK;
    shape[0] = info->failed;
    BNRE_DO(bnre__h5_writer_group(target->writer, "failures"));
    BNRE_DO(bnre__h5_writer_array(target->writer, "failures/row", 'u', 8, 1,
                                  shape, &target->row));
    return bnre__h5_writer_array(target->writer, "failures/reason", 'u', 4, 1,
                                 shape, &target->reason);
}

static bnre_status flush_failures(struct target *target)
{
    if (target->pending == 0)
        return BNRE_OK;
    BNRE_DO(bnre__h5_writer_rows(target->writer, target->row, target->written,
                                 target->pending, target->failed_row));
    BNRE_DO(bnre__h5_writer_rows(target->writer, target->reason,
                                 target->written, target->pending,
                                 target->failed_reason));
    bnre__failure_hash_add(&target->failures, target->pending,
                           target->failed_row, target->failed_reason);
    target->written += target->pending;
    target->pending = 0;
    return BNRE_OK;
}

static bnre_status write_failures(struct target *target,
                                  const bnre__block *block, size_t first,
                                  size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (block->status[i] == BNRE_DRAW_OK)
            continue;
        if (target->pending == FAILURES)
            BNRE_DO(flush_failures(target));
        target->failed_row[target->pending] = first + i;
        BNRE_DO(bnre__reasons_number(&target->reasons, block->reason[i],
                                     &target->failed_reason[target->pending]));
        target->pending++;
    }
    return BNRE_OK;
}

static bnre_status write_block(struct target *target, const bnre__block *block,
                               size_t first, size_t n)
{
    bnre__h5_writer *writer = target->writer;

    BNRE_DO(
        bnre__h5_writer_rows(writer, target->theta, first, n, block->theta));
    if (target->info->dim_nuisance > 0)
        BNRE_DO(bnre__h5_writer_rows(writer, target->nuisance, first, n,
                                     block->nuisance));
    BNRE_DO(bnre__h5_writer_rows(writer, target->x, first, n, block->x));
    BNRE_DO(
        bnre__h5_writer_rows(writer, target->status, first, n, block->status));
    return write_failures(target, block, first, n);
}

/* How many reasons there are is known only now: their array comes last. */
static bnre_status write_reasons(struct target *target)
{
    const bnre__reasons *reasons = &target->reasons;
    size_t id;

    BNRE_DO(flush_failures(target));
    if (target->written != target->info->failed)
        return bnre_fail(BNRE_EINVAL, "%zu rows failed, %zu were announced",
                         target->written, target->info->failed);
    if (reasons->count == 0)
        return BNRE_OK;
    BNRE_DO(bnre__h5_writer_array(target->writer, "failures/text", 'S',
                                  BNRE_REASON_SIZE, 1, &reasons->count, &id));
    BNRE_DO(bnre__h5_writer_rows(target->writer, id, 0, reasons->count,
                                 reasons->text));
    bnre__failure_hash_texts(&target->failures, reasons->count,
                             (const char(*)[BNRE_REASON_SIZE])reasons->text);
    return BNRE_OK;
}

/* Checksums, and the seal that binds them to all the rest. */
static bnre_status write_seal(struct target *target, const char *fingerprint)
{
    char seal[33];

    BNRE_DO(bnre__h5_writer_rows(target->writer, target->sums, 0,
                                 target->blocks.count, target->blocks.sum));
    bnre__blocks_seal(&target->blocks, target->info, fingerprint,
                      &target->failures, seal);
    BNRE_DO(write_text(target, "fingerprint", fingerprint));
    return write_text(target, "bnre_seal", seal);
}

static bnre_status take_block(void *arg, const bnre__block *block, size_t first,
                              size_t n)
{
    struct target *target = arg;

    bnre__blocks_take(&target->blocks, target->rows, first, n, block->theta,
                      block->nuisance, block->x, block->status);
    return write_block(target, block, first, n);
}

bnre_status bnre__write_h5(const char *path, const bnre__rows *rows,
                           char fingerprint[33])
{
    bnre_status status = BNRE_OK;
    struct target *target = NULL;
    bnre__h5_writer *writer;

    BNRE_NEW(target, 1);
    target->rows = rows;
    target->info = rows->info;
    bnre__failure_hash_init(&target->failures);
    BNRE_TRY(bnre__blocks_init(&target->blocks, rows->info));
    BNRE_TRY(bnre__h5_writer_create(path, 22, text_bytes(rows->info),
                                    &target->writer));
    BNRE_TRY(write_head(target));
    BNRE_TRY(add_arrays(target));
    BNRE_TRY(bnre__rows_each(rows, 1, take_block, target, fingerprint));
    BNRE_TRY(write_reasons(target));
    BNRE_TRY(write_seal(target, fingerprint));
    writer = target->writer;
    target->writer = NULL;
    BNRE_TRY(bnre__h5_writer_commit(writer));
done:
    if (target != NULL) {
        bnre__h5_writer_discard(target->writer);
        bnre__reasons_clear(&target->reasons);
        bnre__blocks_clear(&target->blocks);
    }
    bnre__free(target);
    return status;
}
