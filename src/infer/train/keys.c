/* keys.c - by what rows of a dataset are known to be equal: see keys.h. */
#include "infer/train/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "data/rows.h"
#include "infer/train/near.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096 };

bnre_status bnre__keys_init(bnre__keys *keys, const bnre_dataset_info *info)
{
    const size_t rows = info->rows;
    bnre_status status = BNRE_OK;

    keys->dim = info->dim_theta;
    BNRE_NEW(keys->value, rows * keys->dim);
    BNRE_NEW(keys->at, rows);
    BNRE_NEW(keys->theta, rows);
    BNRE_NEW(keys->x, rows);
    BNRE_NEW(keys->both, rows);
    keys->whole = 1;
done:
    return status;
}

void bnre__keys_clear(bnre__keys *keys)
{
    bnre__free(keys->near);
    bnre__free(keys->at);
    bnre__free(keys->value);
    bnre__free(keys->both);
    bnre__free(keys->x);
    bnre__free(keys->theta);
}

bnre_status bnre__keys_read(bnre__keys *keys, const bnre__subset *set,
                            const uint8_t *fold, uint8_t unused)
{
    const bnre_dataset_info *info = set->info;
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
        BNRE_TRY(bnre_dataset_read(set->data, first, n, block.theta, NULL, x,
                                   block.status));
        for (size_t i = 0; i < n; i++) {
            if (fold != NULL && fold[first + i] == unused)
                continue;
            memcpy(keys->value + keys->thetas * dim, block.theta + i * dim,
                   dim * sizeof *keys->value);
            keys->at[first + i] = keys->thetas;
            keys->theta[keys->thetas++] = (bnre__row_key){
                bnre__row_hash(dim, block.theta + i * dim, 0, NULL), first + i};
            if (block.status[i] != BNRE_DRAW_OK)
                continue;
            keys->both[keys->xs] = (bnre__row_key){
                bnre__row_hash(dim, block.theta + i * dim, size, x + i * size),
                first + i};
            keys->x[keys->xs++] = (bnre__row_key){
                bnre__row_hash(0, NULL, size, x + i * size), first + i};
            for (size_t j = 0; keys->whole && j < size; j++)
                keys->whole = x[i * size + j] == floor(x[i * size + j]);
        }
    }
    qsort(keys->theta, keys->thetas, sizeof *keys->theta,
          bnre__row_key_compare);
    qsort(keys->x, keys->xs, sizeof *keys->x, bnre__row_key_compare);
done:
    bnre__free(x);
    bnre__block_clear(&block);
    return status;
}

/* Keep of `value` the different ones alone, in the order of the file: gives
   their number, and in `row` whose they are. */
static size_t keep_distinct(bnre__keys *keys, uint64_t *row)
{
    const size_t dim = keys->dim;
    size_t n = 0;

    for (size_t i = 0; i < keys->thetas; i++)
        if (i == 0 || keys->theta[i].hash != keys->theta[i - 1].hash)
            row[n++] = keys->theta[i].row;
    bnre__sort_hashes(n, row);
    for (size_t i = 0; i < n; i++)
        memmove(keys->value + i * dim, keys->value + keys->at[row[i]] * dim,
                dim * sizeof *keys->value);
    return n;
}

bnre_status bnre__keys_merge(bnre__keys *keys)
{
    const size_t dim = keys->dim;
    bnre_status status = BNRE_OK;
    uint64_t *row = NULL;
    size_t *root = NULL;

    BNRE_NEW(row, keys->thetas);
    keys->distinct = keys->each = keep_distinct(keys, row);
    BNRE_TRY(bnre__near_find(keys->distinct, dim, keys->value, &root));
    if (root == NULL)
        goto done;
    BNRE_NEW(keys->near, keys->distinct);
    keys->each = 0;
    for (size_t i = 0; i < keys->distinct; i++) {
        if (root[i] != i)
            keys->near[keys->n_near++] =
                (bnre__near){(size_t)row[i], (size_t)row[root[i]]};
        else
            memmove(keys->value + keys->each++ * dim, keys->value + i * dim,
                    dim * sizeof *keys->value);
    }
done:
    bnre__free(root);
    bnre__free(row);
    return status;
}
