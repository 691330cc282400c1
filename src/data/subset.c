/* subset.c - some of the rows of a dataset: those drawn for training, say. */
#include "data/subset.h"

#include <string.h>

#include "base/mem.h"
#include "data/arrange.h"
#include "data/dataset.h"
#include "data/precision.h"
#include "num/streams.h"

enum { BLOCK_BYTES = 1 << 20 };

/* ---- which rows ---- */

/* Row by row: of the rows that are left, so many are still to get each role, so
   this one gets it with that probability (selection sampling: Fan, Muller and
   Rezucha 1962). One number for each row, and two bits of memory. */
bnre_status bnre__roles_draw(bnre__roles *roles, uint64_t seed, size_t rows,
                             const size_t count[BNRE__ROLES])
{
    bnre_status status = BNRE_OK;
    bnre_rng rng = bnre_rng_stream(
        seed, bnre__purpose(BNRE_USE_SELECT, BNRE_SPLIT_TRAIN), 0);
    size_t left[BNRE__ROLES], need = 0;

    for (int r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++) {
        left[r] = count[r];
        if (count[r] > rows - need)
            return bnre_fail(BNRE_EINVAL, "there are only %zu rows", rows);
        need += count[r];
    }
    BNRE_NEW(roles->bits, rows / 4 + 1);
    roles->rows = rows;
    for (size_t i = 0; i < rows; i++) {
        size_t u = (size_t)bnre_rng_below(&rng, rows - i);
        unsigned r = BNRE__ROLE_TRAIN;

        while (r < BNRE__ROLES && u >= left[r])
            u -= left[r++];
        if (r == BNRE__ROLES)
            continue;
        left[r]--;
        roles->bits[i / 4] |= (uint8_t)(r << i % 4 * 2);
    }
done:
    return status;
}

void bnre__roles_clear(bnre__roles *roles)
{
    bnre__free(roles->bits);
    *roles = (bnre__roles){0};
}

bnre__role bnre__roles_get(const bnre__roles *roles, size_t row)
{
    return (bnre__role)(roles->bits[row / 4] >> row % 4 * 2 & 3);
}

/* ---- what a row is to a subset ---- */

enum row_class { NOT_IN, JOINT, SPARE, LOST };

static enum row_class classify(const bnre__subset *subset, size_t row,
                               uint8_t flag)
{
    const bnre__subset_opts *opts = &subset->opts;

    if (opts->roles != NULL && bnre__roles_get(opts->roles, row) != opts->role)
        return NOT_IN;
    if (flag == BNRE_DRAW_OK)
        return JOINT;
    if (opts->failure == BNRE__FAILURE_MISSING ||
        (opts->failure == BNRE__FAILURE_AUTO && flag == BNRE_DRAW_LOST))
        return LOST;
    return SPARE;
}

static size_t row_bytes(const bnre_dataset_info *info)
{
    return info->dim_theta * sizeof(double) + info->x_size * sizeof(float);
}

static size_t rows_to_look_at(const bnre__subset *subset)
{
    const size_t limit = subset->opts.limit;

    return limit > 0 && limit < subset->info->rows ? limit : subset->info->rows;
}

/* Count a row, in a block that has room for it. */
static bnre_status count_row(bnre__subset *subset, size_t *room, size_t row,
                             enum row_class what)
{
    bnre_status status = BNRE_OK;
    bnre__subset_block *block;

    if (what == NOT_IN || what == LOST) {
        subset->lost += what == LOST;
        return BNRE_OK;
    }
    if ((subset->joint + subset->spare) % subset->block_rows == 0) {
        BNRE_GROW(subset->block, *room, subset->blocks + 2);
        subset->block[subset->blocks++] = (bnre__subset_block){
            .first = row, .joint = subset->joint, .spare = subset->spare};
    }
    block = &subset->block[subset->blocks - 1];
    block->last = row + 1;
    subset->joint += what == JOINT;
    subset->spare += what == SPARE;
done:
    return status;
}

static bnre_status count_rows(bnre__subset *subset)
{
    enum { PIECE = 4096 };
    bnre_status status = BNRE_OK;
    const size_t rows = rows_to_look_at(subset);
    uint8_t flag[PIECE] = {0};
    size_t room = 0, n;

    BNRE_GROW(subset->block, room, 1);
    for (size_t first = 0; first < rows; first += n) {
        n = rows - first < PIECE ? rows - first : PIECE;
        if (subset->info->failed > 0)
            BNRE_TRY(bnre_dataset_read(subset->data, first, n, NULL, NULL, NULL,
                                       flag));
        for (size_t i = 0; i < n; i++)
            BNRE_TRY(count_row(subset, &room, first + i,
                               classify(subset, first + i, flag[i])));
    }
    subset->block[subset->blocks] = (bnre__subset_block){
        .first = rows,
        .last = rows,
        .joint = subset->joint,
        .spare = subset->spare,
    };
done:
    return status;
}

/* ---- opening ---- */

static bnre_status open_file(const char *path, const bnre__subset_opts *opts,
                             bnre_dataset **out)
{
    if (opts->before != NULL)
        return bnre__dataset_again(opts->before, out);
    return opts->only_x ? bnre_dataset_open_x(path, out)
                        : bnre_dataset_open(path, out);
}

bnre_status bnre__subset_open(const char *path, const bnre__subset_opts *opts,
                              bnre__subset **out)
{
    bnre_status status = BNRE_OK;
    bnre__subset *subset = NULL;

    *out = NULL;
    BNRE_NEW(subset, 1);
    subset->opts = *opts;
    subset->opts.before = NULL; /* it may be closed from now on */
    BNRE_TRY(bnre__strdup(path, &subset->path));
    BNRE_TRY(open_file(path, opts, &subset->data));
    subset->info = bnre_dataset_describe(subset->data);
    subset->block_rows = 1 + (opts->block > 0 ? opts->block : BLOCK_BYTES) /
                                 row_bytes(subset->info);
    BNRE_TRY(count_rows(subset));
    *out = subset;
    subset = NULL;
done:
    bnre__subset_close(subset);
    return status;
}

void bnre__subset_close(bnre__subset *subset)
{
    if (subset == NULL)
        return;
    bnre__free(subset->scaled_spares);
    bnre__free(subset->scaled_theta);
    bnre__free(subset->spares);
    bnre__free(subset->x);
    bnre__free(subset->theta);
    bnre__free(subset->block);
    bnre_dataset_close(subset->data);
    bnre__free(subset->path);
    bnre__free(subset);
}

bnre_status bnre__subset_arrange(bnre__subset *subset, const bnre_prior *prior,
                                 const char *const *x_name)
{
    return bnre__dataset_arrange(subset->data, prior, x_name);
}

bnre_status bnre__subset_set_offset(bnre__subset *subset, const double *offset)
{
    return bnre__dataset_set_offset(subset->data, offset);
}

void bnre__subset_scale_x(const bnre__subset *subset, const bnre__scaler *x,
                          size_t n, const float *in, float *out)
{
    enum { PIECE = 256 };
    const double *offset = subset->data->offset;
    const size_t size = subset->info->x_size;
    double value[PIECE];

    if (offset == NULL) {
        bnre__scaler_apply_f32(x, n, in, out);
        return;
    }
    for (size_t at = 0, m; at < n * size; at += m) {
        m = size - at % size < PIECE ? size - at % size : PIECE;
        for (size_t i = 0; i < m; i++)
            value[i] = offset[(at + i) % size] + (double)in[at + i];
        bnre__scaler_apply_part(x, at % size, m, value, out + at);
    }
}

size_t bnre__subset_bytes(const bnre__subset *subset)
{
    return subset->joint * row_bytes(subset->info) +
           subset->spare * subset->info->dim_theta * sizeof(double);
}

bnre_status bnre__subset_keep(bnre__subset *subset)
{
    bnre_status status = BNRE_OK;
    const size_t dim = subset->info->dim_theta, size = subset->info->x_size;
    bnre__subset_reader reader = {0};

    if (subset->kept)
        return BNRE_OK;
    BNRE_TRY(bnre__subset_reader_open(&reader, subset));
    BNRE_NEW(subset->theta, subset->joint * dim);
    BNRE_NEW(subset->x, subset->joint * size);
    BNRE_NEW(subset->spares, subset->spare * dim);
    for (size_t k = 0; k < subset->blocks; k++) {
        const bnre__subset_block *block = &subset->block[k];

        BNRE_TRY(bnre__subset_read(&reader, k,
                                   subset->theta + block->joint * dim,
                                   subset->x + block->joint * size,
                                   subset->spares + block->spare * dim));
    }
    subset->kept = 1;
done:
    bnre__subset_reader_close(&reader);
    return status;
}

bnre_status bnre__subset_scale(bnre__subset *subset, const bnre__scaler *theta,
                               const bnre__scaler *x)
{
    bnre_status status = BNRE_OK;
    const size_t dim = subset->info->dim_theta;

    if (!subset->kept || subset->scaled)
        return BNRE_OK;
    BNRE_NEW(subset->scaled_theta, subset->joint * dim);
    BNRE_NEW(subset->scaled_spares, subset->spare * dim);
    bnre__scaler_apply_f64(theta, subset->joint, subset->theta,
                           subset->scaled_theta, NULL);
    bnre__scaler_apply_f64(theta, subset->spare, subset->spares,
                           subset->scaled_spares, NULL);
    bnre__subset_scale_x(subset, x, subset->joint, subset->x, subset->x);
    bnre__free(subset->theta);
    bnre__free(subset->spares);
    subset->theta = subset->spares = NULL;
    subset->scaled = 1;
done:
    return status;
}

/* ---- reading ---- */

bnre_status bnre__subset_reader_open(bnre__subset_reader *reader,
                                     const bnre__subset *subset)
{
    bnre_status status = BNRE_OK;

    reader->subset = subset;
    reader->room = subset->block_rows;
    BNRE_TRY(bnre__dataset_again(subset->data, &reader->data));
    BNRE_TRY(bnre__dataset_arrange_like(reader->data, subset->data));
    BNRE_TRY(bnre__dataset_set_offset(reader->data, subset->data->offset));
    BNRE_NEW(reader->theta, reader->room * subset->info->dim_theta);
    BNRE_NEW(reader->x, reader->room * subset->info->x_size);
    BNRE_NEW(reader->status, reader->room);
done:
    return status;
}

void bnre__subset_reader_close(bnre__subset_reader *reader)
{
    bnre__free(reader->status);
    bnre__free(reader->x);
    bnre__free(reader->theta);
    bnre_dataset_close(reader->data);
    *reader = (bnre__subset_reader){0};
}

/* Pick those of n rows that belong to the subset, from row `first` of the file
   on. */
static void pick(const bnre__subset_reader *reader, size_t first, size_t n,
                 double **theta, float **x, double **spares)
{
    const size_t dim = reader->subset->info->dim_theta;
    const size_t size = reader->subset->info->x_size;

    for (size_t i = 0; i < n; i++) {
        const enum row_class what =
            classify(reader->subset, first + i, reader->status[i]);

        if (what == JOINT) {
            memcpy(*theta, reader->theta + i * dim, dim * sizeof **theta);
            memcpy(*x, reader->x + i * size, size * sizeof **x);
            *theta += dim;
            *x += size;
        } else if (what == SPARE) {
            memcpy(*spares, reader->theta + i * dim, dim * sizeof **spares);
            *spares += dim;
        }
    }
}

bnre_status bnre__subset_read(bnre__subset_reader *reader, size_t k,
                              double *theta, float *x, double *spares)
{
    const bnre__subset_block *block = &reader->subset->block[k];
    const size_t rows = block->last - block->first;
    size_t n;

    /* All rows are joint: no detour. */
    if (block[1].joint - block->joint == rows)
        return bnre__dataset_read_f32(reader->data, block->first, rows, theta,
                                      x, NULL);
    for (size_t first = block->first; first < block->last; first += n) {
        n = block->last - first < reader->room ? block->last - first
                                               : reader->room;
        BNRE_DO(bnre__dataset_read_f32(reader->data, first, n, reader->theta,
                                       reader->x, reader->status));
        pick(reader, first, n, &theta, &x, &spares);
    }
    return BNRE_OK;
}

/* Rows of a scan, from memory or from the file. */
struct scan {
    bnre__subset_reader reader;
    double *theta, *spares; /* (block_rows, dim) unless the subset is kept */
    float *x;
    double *wide; /* (block_rows, size) */
};

static bnre_status scan_block(const bnre__subset *subset, struct scan *scan,
                              size_t k, bnre__subset_fn fn, void *arg)
{
    const size_t dim = subset->info->dim_theta, size = subset->info->x_size;
    const size_t first = subset->block[k].joint;
    const size_t n = subset->block[k + 1].joint - first;
    const double *theta = subset->kept ? subset->theta + first * dim : NULL;
    const float *x = subset->kept ? subset->x + first * size : NULL;
    const double *offset = subset->data->offset;

    if (n == 0)
        return BNRE_OK;
    if (!subset->kept) {
        BNRE_DO(bnre__subset_read(&scan->reader, k, scan->theta, scan->x,
                                  scan->spares));
        theta = scan->theta;
        x = scan->x;
    }
    for (size_t i = 0; i < n * size; i++)
        scan->wide[i] = (double)x[i] + (offset != NULL ? offset[i % size] : 0);
    return fn(arg, first, n, theta, scan->wide);
}

bnre_status bnre__subset_scan(const bnre__subset *subset, bnre__subset_fn fn,
                              void *arg)
{
    bnre_status status = BNRE_OK;
    const size_t dim = subset->info->dim_theta, size = subset->info->x_size;
    const size_t rows = subset->block_rows;
    struct scan scan = {0};

    if (subset->scaled)
        return bnre_fail(BNRE_EINVAL, "%s was scaled already", subset->path);
    if (!subset->kept) {
        BNRE_TRY(bnre__subset_reader_open(&scan.reader, subset));
        BNRE_NEW(scan.theta, rows * dim);
        BNRE_NEW(scan.x, rows * size);
        BNRE_NEW(scan.spares, rows * dim);
    }
    BNRE_NEW(scan.wide, rows * size);
    for (size_t k = 0; k < subset->blocks; k++)
        BNRE_TRY(scan_block(subset, &scan, k, fn, arg));
done:
    bnre__free(scan.wide);
    bnre__free(scan.spares);
    bnre__free(scan.x);
    bnre__free(scan.theta);
    bnre__subset_reader_close(&scan.reader);
    return status;
}
