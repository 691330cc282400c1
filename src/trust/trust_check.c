/* trust_check.c - pairs that would void the guarantee, before any training:
   of another task or prior, shared by two purposes, or trained on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/rows.h"
#include "infer/train/copies.h"
#include "infer/train/data.h"
#include "prior/prior.h"
#include "task/outline.h"
#include "trust/trust.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096, PURPOSES = 3 };

/* ---- the rows of pairs ---- */

/* Whether pairs, whose hashes are in order, are of whole numbers, and more than
   a hundredth of them are like another one. */
static int is_by_chance(const bnre__trust_pairs *pairs, const bnre_prior *prior)
{
    size_t equal = 0;

    for (size_t i = 1; i < pairs->hashes; i++)
        equal += pairs->hash[i] == pairs->hash[i - 1];
    return bnre__prior_is_discrete(prior) && equal > pairs->hashes / 100;
}

/* Hashes of all valid rows, in order; their parameters are possible. */
static bnre_status list_rows(bnre__trust_pairs *pairs, const bnre_prior *prior)
{
    const bnre_dataset_info *info = bnre_dataset_describe(pairs->data);
    const size_t dim = info->dim_theta, size = info->x_size;
    bnre_status status = BNRE_OK;
    bnre__block block = {0};
    double *x = NULL;
    char *what = NULL;
    size_t n;

    BNRE_TRY(bnre__text_format(&what, "%s: row", pairs->path));
    BNRE_NEW(pairs->hash, info->rows);
    BNRE_TRY(bnre__block_init(
        &block, info, bnre__rows_within(info, BLOCK_BYTES, BLOCK_ROWS)));
    BNRE_NEW(x, block.rows * info->x_size);
    for (size_t first = 0; first < info->rows; first += n) {
        n = info->rows - first < block.rows ? info->rows - first : block.rows;
        BNRE_TRY(bnre_dataset_read(pairs->data, first, n, block.theta, NULL, x,
                                   block.status));
        for (size_t i = 0; i < n; i++) {
            if (block.status[i] != BNRE_DRAW_OK)
                continue;
            BNRE_TRY(bnre__prior_check(prior, what, first + i, 1,
                                       block.theta + i * dim));
            pairs->hash[pairs->hashes++] =
                bnre__row_hash(dim, block.theta + i * dim, size, x + i * size);
        }
    }
    BNRE_NEW(pairs->as_read, pairs->hashes);
    if (pairs->hashes > 0)
        memcpy(pairs->as_read, pairs->hash,
               pairs->hashes * sizeof *pairs->hash);
    bnre__sort_hashes(pairs->hashes, pairs->hash);
    if (!is_by_chance(pairs, prior)) {
        bnre__free(pairs->as_read);
        pairs->as_read = NULL;
    }
done:
    bnre__free(x);
    bnre__free(what);
    bnre__block_clear(&block);
    return status;
}

/* Rows of two lists one after the other, each as it lies in its file. */
struct meeting {
    size_t n;      /* of the first list */
    uint8_t *copy; /* whether a row of the second has its like in the first */
};

static void meet(void *context, size_t row, size_t other)
{
    const struct meeting *meeting = context;
    const size_t low = row < other ? row : other;
    const size_t high = row < other ? other : row;

    if (low < meeting->n && high >= meeting->n)
        meeting->copy[high - meeting->n] = 1;
}

/* How many of m rows are copies of the n others, where equal rows are frequent
   by chance. */
static bnre_status count_copies(size_t n, const uint64_t *a, size_t m,
                                const uint64_t *b, size_t *count)
{
    struct meeting meeting = {.n = n};
    bnre_status status = BNRE_OK;
    bnre__row_key *key = NULL;

    BNRE_NEW(meeting.copy, m);
    BNRE_NEW(key, n + m);
    for (size_t i = 0; i < n + m; i++)
        key[i] = (bnre__row_key){i < n ? a[i] : b[i - n], i};
    BNRE_TRY(bnre__copies_find(n + m, key, meet, &meeting));
    *count = 0;
    for (size_t i = 0; i < m; i++)
        *count += meeting.copy[i];
done:
    bnre__free(key);
    bnre__free(meeting.copy);
    return status;
}

static bnre_status refuse_shared(const bnre__trust_pairs *a,
                                 const bnre__trust_pairs *b)
{
    size_t shared = 0;

    if (a->as_read != NULL && b->as_read != NULL)
        BNRE_DO(count_copies(a->hashes, a->as_read, b->hashes, b->as_read,
                             &shared));
    else
        for (size_t i = 0; i < a->hashes; i++)
            shared += (size_t)bnre__hashes_hold(b->hashes, b->hash, a->hash[i]);
    if (shared == 0)
        return BNRE_OK;
    return bnre_fail(
        BNRE_EUSAGE,
        "%s (to %s with) and %s (to %s with) have %zu pairs in common, and "
        "then nothing is guaranteed: simulate pairs for each with `split: %s` "
        "and `split: %s`, or give numbers in place of files",
        a->path, a->what, b->path, b->what, shared, a->what, b->what);
}

/* ---- the training data ---- */

static bnre_status refuse_kind(const bnre__train_data *train,
                               const char *train_path,
                               const bnre__trust_pairs *pairs)
{
    const bnre_dataset_info *ours = train->set[BNRE__ROLE_TRAIN]->info;
    const bnre_dataset_info *theirs = bnre_dataset_describe(pairs->data);

    if (theirs->dim_theta > ours->dim_theta)
        BNRE_DO(bnre__dataset_arrange(pairs->data, train->outline.prior, NULL));
    if (theirs->dim_theta != ours->dim_theta || theirs->x_size != ours->x_size)
        return bnre_fail(BNRE_EUSAGE,
                         "%s has %zu parameters and %zu values of x, %s has "
                         "%zu and %zu: pairs to %s with are of the same task",
                         pairs->path, theirs->dim_theta, theirs->x_size,
                         train_path, ours->dim_theta, ours->x_size,
                         pairs->what);
    if (theirs->task == NULL)
        return BNRE_OK;
    return bnre__task_same_prior(theirs->task, pairs->path, train->task,
                                 train_path);
}

/* Rows of the training data among the pairs of each purpose. */
struct search {
    size_t dim, size;
    size_t n;
    const bnre__trust_pairs *pairs[PURPOSES];
    size_t seen[PURPOSES];
    /* Of the training data as they lie in their files, if `keep`. */
    int keep;
    size_t rows, room;
    uint64_t *hash;
};

static bnre_status search_some(void *arg, size_t first, size_t n,
                               const double *theta, const double *x)
{
    struct search *search = arg;
    bnre_status status = BNRE_OK;

    (void)first;
    if (search->keep)
        BNRE_GROW(search->hash, search->room, search->rows + n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash =
            bnre__row_hash(search->dim, theta + i * search->dim, search->size,
                           x + i * search->size);

        for (size_t k = 0; k < search->n; k++)
            search->seen[k] += (size_t)bnre__hashes_hold(
                search->pairs[k]->hashes, search->pairs[k]->hash, hash);
        if (search->keep)
            search->hash[search->rows++] = hash;
    }
done:
    return status;
}

static bnre_status refuse_trained(const bnre__train_data *train,
                                  struct search *search)
{
    for (size_t k = 0; k < search->n; k++)
        search->keep = search->keep || search->pairs[k]->as_read != NULL;
    for (bnre__role r = BNRE__ROLE_TRAIN; r < BNRE__ROLES; r++)
        if (train->set[r] != NULL)
            BNRE_DO(bnre__subset_scan(train->set[r], search_some, search));
    for (size_t k = 0; k < search->n; k++)
        if (search->pairs[k]->as_read != NULL)
            BNRE_DO(count_copies(search->rows, search->hash,
                                 search->pairs[k]->hashes,
                                 search->pairs[k]->as_read, &search->seen[k]));
    for (size_t k = 0; k < search->n; k++)
        if (search->seen[k] > 0)
            BNRE_DO(bnre__trust_fail_seen(search->pairs[k], search->seen[k]));
    return BNRE_OK;
}

/* The data as the first step will see them. */
static bnre_status open_training(const bnre__trust_run *run,
                                 bnre__train_data *out)
{
    bnre_train_opts opts = *run->train;

    if (isnan(opts.lambda))
        opts.lambda = 0;
    opts.monitor = NULL; /* it will be told when training begins */
    return bnre__train_data_open(out, &opts);
}

bnre_status bnre__trust_check(bnre__trust_run *run)
{
    bnre__trust_pairs *all[PURPOSES] = {&run->select, &run->certify,
                                        &run->calibrate};
    struct search search = {0};
    bnre_status status = BNRE_OK;
    bnre__train_data train = {0};

    for (size_t i = 0; i < PURPOSES; i++)
        if (all[i]->data != NULL && all[i]->hash == NULL)
            search.pairs[search.n++] = all[i];
    if (search.n == 0)
        return BNRE_OK;
    BNRE_TRY(open_training(run, &train));
    for (size_t k = 0; k < search.n; k++)
        BNRE_TRY(refuse_kind(&train, run->train->data, search.pairs[k]));
    for (size_t k = 0; k < search.n; k++)
        BNRE_TRY(
            bnre__dataset_arrange(search.pairs[k]->data, train.outline.prior,
                                  train.set[BNRE__ROLE_TRAIN]->info->x_name));
    search.dim = train.set[BNRE__ROLE_TRAIN]->info->dim_theta;
    search.size = train.set[BNRE__ROLE_TRAIN]->info->x_size;
    for (size_t i = 0; i < PURPOSES; i++)
        if (all[i]->data != NULL && all[i]->hash == NULL)
            BNRE_TRY(list_rows(all[i], train.outline.prior));
    for (size_t i = 0; i < PURPOSES; i++)
        for (size_t j = i + 1; j < PURPOSES; j++)
            BNRE_TRY(refuse_shared(all[i], all[j]));
    BNRE_TRY(refuse_trained(&train, &search));
done:
    bnre__free(search.hash);
    bnre__train_data_clear(&train);
    return status;
}
