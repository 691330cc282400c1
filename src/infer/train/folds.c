/* folds.c - which simulations a member may see: see folds.h. */
#include "infer/train/folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/rows.h"
#include "num/streams.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_ROWS = 4096, TENTH = 10 };

/* ---- rows that are bound to each other ---- */

struct key {
    uint64_t hash;
    size_t row;
};

static int by_hash(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static size_t first_of(size_t *group, size_t row)
{
    while (group[row] != row) {
        group[row] = group[group[row]];
        row = group[row];
    }
    return row;
}

/* Rows with equal hashes become one group. */
static void tie_rows(size_t *group, size_t n, struct key *key)
{
    qsort(key, n, sizeof *key, by_hash);
    for (size_t i = 1; i < n; i++)
        if (key[i].hash == key[i - 1].hash) {
            const size_t a = first_of(group, key[i].row);
            const size_t b = first_of(group, key[i - 1].row);

            group[a > b ? a : b] = a < b ? a : b;
        }
}

/* Hashes of theta of all rows in use, and of x of those that have one. */
struct keys {
    size_t thetas, xs;
    struct key *theta, *x;
};

static bnre_status make_keys(struct keys *keys, size_t rows)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(keys->theta, rows);
    BNRE_NEW(keys->x, rows);
done:
    return status;
}

static void free_keys(struct keys *keys)
{
    bnre__free(keys->x);
    bnre__free(keys->theta);
}

static bnre_status read_keys(const bnre__folds *folds, const bnre__subset *set,
                             struct keys *keys)
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
            if (folds != NULL && folds->fold[first + i] == BNRE__NO_FOLD)
                continue;
            keys->theta[keys->thetas++] = (struct key){
                bnre__row_hash(dim, block.theta + i * dim, 0, NULL), first + i};
            if (block.status[i] == BNRE_DRAW_OK)
                keys->x[keys->xs++] = (struct key){
                    bnre__row_hash(0, NULL, size, x + i * size), first + i};
        }
    }
done:
    bnre__free(x);
    bnre__block_clear(&block);
    return status;
}

/* The groups of a binding, and the rows of the largest. */
static size_t make_groups(bnre__folds *folds, bnre__binding binding,
                          struct keys *keys, size_t *members)
{
    size_t largest = 0;

    for (size_t i = 0; i < folds->rows; i++)
        folds->group[i] = i;
    if (binding != BNRE__BIND_NOTHING)
        tie_rows(folds->group, keys->thetas, keys->theta);
    if (binding == BNRE__BIND_EITHER)
        tie_rows(folds->group, keys->xs, keys->x);
    memset(members, 0, folds->rows * sizeof *members);
    for (size_t i = 0; i < folds->rows; i++) {
        folds->group[i] = first_of(folds->group, i);
        if (folds->fold[i] != BNRE__NO_FOLD &&
            ++members[folds->group[i]] > largest)
            largest = members[folds->group[i]];
    }
    folds->binding = binding;
    return largest;
}

/* ---- groups in random order ---- */

struct group {
    size_t rows; /* in use */
    uint64_t key;
    size_t first;
};

static int by_key(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

static int large_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->rows != y->rows)
        return x->rows < y->rows ? 1 : -1;
    return by_key(a, b);
}

static uint64_t key_of(uint64_t seed, bnre_split split, size_t row)
{
    bnre_rng rng =
        bnre_rng_stream(seed, bnre__purpose(BNRE_USE_FOLD, split), row);

    return bnre_rng_u64(&rng);
}

/* Those of rows that are in use and not in fold `but`; gives their number and
   (rows) that of all their rows. */
static size_t list_groups(const bnre__folds *folds, size_t but, uint64_t seed,
                          bnre_split split, struct group *out, size_t *rows)
{
    size_t n = 0;

    *rows = 0;
    for (size_t i = 0; i < folds->rows; i++)
        out[i] = (struct group){0};
    for (size_t i = 0; i < folds->rows; i++)
        if (folds->fold[i] != BNRE__NO_FOLD && folds->fold[i] != but) {
            out[folds->group[i]].rows++;
            ++*rows;
        }
    for (size_t i = 0; i < folds->rows; i++)
        if (out[i].rows > 0) {
            out[n] = (struct group){out[i].rows, key_of(seed, split, i), i};
            n++;
        }
    return n;
}

/* Large groups first, each into the fold with the fewest rows: single rows come
   last, and one after the other. */
static bnre_status deal(bnre__folds *folds, uint64_t seed)
{
    size_t filled[BNRE__NO_FOLD] = {0}, n, rows;
    struct group *group = NULL;
    uint8_t *of = NULL; /* (rows) fold of a group, by its first row */
    bnre_status status = BNRE_OK;

    BNRE_NEW(group, folds->rows);
    BNRE_NEW(of, folds->rows);
    n = list_groups(folds, BNRE__NO_FOLD, seed, BNRE_SPLIT_TRAIN, group, &rows);
    if (n < 2 * folds->count)
        BNRE_THROW(BNRE_EUSAGE,
                   "%zu different simulations cannot be laid in %zu folds: "
                   "simulate more, or give fewer folds",
                   n, folds->count);
    qsort(group, n, sizeof *group, large_first);
    for (size_t i = 0; i < n; i++) {
        size_t least = 0;

        for (size_t f = 1; f < folds->count; f++)
            if (filled[f] < filled[least])
                least = f;
        filled[least] += group[i].rows;
        of[group[i].first] = (uint8_t)least;
    }
    for (size_t i = 0; i < folds->rows; i++)
        if (folds->fold[i] != BNRE__NO_FOLD)
            folds->fold[i] = of[folds->group[i]];
done:
    bnre__free(of);
    bnre__free(group);
    return status;
}

/* Rows that only teach, after all others were dealt. */
static void add_teachers(bnre__folds *folds, const bnre__subset *set,
                         size_t teach)
{
    for (size_t i = folds->rows - teach; i < folds->rows; i++)
        if (bnre__roles_get(set->opts.roles, i) == BNRE__ROLE_TRAIN)
            folds->fold[i] = BNRE__EVERY_FOLD;
}

bnre_status bnre__folds_draw(bnre__folds *folds, const bnre__subset *set,
                             size_t count, size_t teach, uint64_t seed)
{
    bnre_status status = BNRE_OK;
    struct keys keys = {0};
    size_t *members = NULL, used = 0;

    folds->count = count;
    folds->rows = set->info->rows;
    BNRE_NEW(folds->fold, folds->rows);
    BNRE_NEW(folds->group, folds->rows);
    BNRE_TRY(make_keys(&keys, folds->rows));
    BNRE_NEW(members, folds->rows);
    for (size_t i = 0; i < folds->rows; i++) {
        const int in = i + teach < folds->rows &&
                       bnre__roles_get(set->opts.roles, i) == BNRE__ROLE_TRAIN;

        folds->fold[i] = in ? 0 : BNRE__NO_FOLD;
        used += (size_t)in;
    }
    BNRE_TRY(read_keys(folds, set, &keys));
    for (int binding = BNRE__BIND_EITHER; binding <= BNRE__BIND_NOTHING;
         binding++) {
        const size_t largest =
            make_groups(folds, (bnre__binding)binding, &keys, members);

        if (largest <= 2 || largest <= used / (4 * count))
            break;
    }
    BNRE_TRY(deal(folds, seed));
    add_teachers(folds, set, teach);
done:
    bnre__free(members);
    free_keys(&keys);
    return status;
}

/* How many of n hashes are among m others, which are in order. */
static size_t count_shared(size_t n, const struct key *key, size_t m,
                           const struct key *other)
{
    size_t shared = 0;

    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = m;

        while (low < high) {
            const size_t middle = low + (high - low) / 2;

            if (other[middle].hash < key[i].hash)
                low = middle + 1;
            else
                high = middle;
        }
        shared += low < m && other[low].hash == key[i].hash;
    }
    return shared;
}

bnre_status bnre__folds_shared(const bnre__folds *folds,
                               const bnre__subset *set,
                               const bnre__subset *other, size_t *count)
{
    bnre_status status = BNRE_OK;
    struct keys ours = {0}, theirs = {0};

    *count = 0;
    BNRE_TRY(make_keys(&ours, set->info->rows));
    BNRE_TRY(make_keys(&theirs, other->info->rows));
    BNRE_TRY(read_keys(folds, set, &ours));
    BNRE_TRY(read_keys(NULL, other, &theirs));
    qsort(ours.theta, ours.thetas, sizeof *ours.theta, by_hash);
    qsort(ours.x, ours.xs, sizeof *ours.x, by_hash);
    if (folds->binding != BNRE__BIND_NOTHING)
        *count +=
            count_shared(theirs.thetas, theirs.theta, ours.thetas, ours.theta);
    if (folds->binding == BNRE__BIND_EITHER)
        *count += count_shared(theirs.xs, theirs.x, ours.xs, ours.x);
done:
    free_keys(&theirs);
    free_keys(&ours);
    return status;
}

void bnre__folds_clear(bnre__folds *folds)
{
    bnre__free(folds->group);
    bnre__free(folds->fold);
    *folds = (bnre__folds){0};
}

/* ---- roles ---- */

static bnre_status begin_roles(const bnre__folds *folds, bnre__roles *roles)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(roles->bits, folds->rows / 4 + 1);
    roles->rows = folds->rows;
done:
    return status;
}

static void set_role(bnre__roles *roles, size_t row, unsigned role)
{
    roles->bits[row / 4] &= (uint8_t) ~(3u << row % 4 * 2);
    roles->bits[row / 4] |= (uint8_t)(role << row % 4 * 2);
}

bnre_status bnre__folds_outside(const bnre__folds *folds, size_t fold,
                                bnre__roles *roles)
{
    BNRE_DO(begin_roles(folds, roles));
    for (size_t i = 0; i < folds->rows; i++)
        if (folds->fold[i] != BNRE__NO_FOLD && folds->fold[i] != fold)
            set_role(roles, i, BNRE__ROLE_TRAIN);
    return BNRE_OK;
}

bnre_status bnre__folds_split(const bnre__folds *folds, size_t fold,
                              uint64_t seed, bnre__roles *roles)
{
    bnre_status status = BNRE_OK;
    struct group *group = NULL;
    uint8_t *held = NULL; /* (rows) whether a group is, by its first row */
    size_t n, rows, out = 0;

    BNRE_TRY(bnre__folds_outside(folds, fold, roles));
    BNRE_NEW(group, folds->rows);
    BNRE_NEW(held, folds->rows);
    n = list_groups(folds, fold, seed, BNRE_SPLIT_VALIDATE, group, &rows);
    qsort(group, n, sizeof *group, by_key);
    for (size_t i = 0; i < n && (out < rows / TENTH || out < 2); i++) {
        held[group[i].first] = 1;
        out += group[i].rows;
    }
    for (size_t i = 0; i < folds->rows; i++)
        if (held[folds->group[i]] &&
            bnre__roles_get(roles, i) == BNRE__ROLE_TRAIN)
            set_role(roles, i, BNRE__ROLE_VALIDATE);
done:
    bnre__free(held);
    bnre__free(group);
    return status;
}
