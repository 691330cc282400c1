/* folds.c - which simulations a member may see: see folds.h. */
#include "infer/train/folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "infer/train/copies.h"
#include "infer/train/keys.h"
#include "num/streams.h"
#include "prior/prior.h"

enum { TENTH = 10 };

/* ---- rows that are bound to each other ---- */

static size_t first_of(size_t *group, size_t row)
{
    while (group[row] != row) {
        group[row] = group[group[row]];
        row = group[row];
    }
    return row;
}

/* Two rows, and all that are bound to either, become one group. */
static void tie(void *context, size_t row, size_t other)
{
    size_t *group = context;
    const size_t a = first_of(group, row), b = first_of(group, other);

    group[a > b ? a : b] = a < b ? a : b;
}

/* Rows with equal hashes, which are in order. */
static void tie_equal(size_t *group, size_t n, const bnre__row_key *key)
{
    for (size_t i = 1; i < n; i++)
        if (key[i].hash == key[i - 1].hash)
            tie(group, key[i].row, key[i - 1].row);
}

/* More than a hundredth of n keys, which are in order, are like another. */
static int is_frequent(size_t n, const bnre__row_key *key)
{
    size_t equal = 0;

    for (size_t i = 1; i < n; i++)
        equal += key[i].hash == key[i - 1].hash;
    return equal > n / 100;
}

/* What may be a copy where it is equal: not what only has whole numbers, and
   the same ones again and again. */
static int find_binding(const bnre__keys *keys, const bnre_prior *prior)
{
    int binding = BNRE__BIND_EITHER;

    if (prior != NULL && bnre__prior_is_discrete(prior) &&
        is_frequent(keys->thetas, keys->theta))
        binding &= ~BNRE__BIND_THETA;
    if (keys->whole && is_frequent(keys->xs, keys->x))
        binding &= ~BNRE__BIND_X;
    return binding;
}

static void tie_theta(size_t *group, const bnre__keys *keys)
{
    tie_equal(group, keys->thetas, keys->theta);
    for (size_t i = 0; i < keys->n_near; i++)
        tie(group, keys->near[i].row, keys->near[i].first);
}

/* The groups of a binding, and the rows of the largest. */
static bnre_status make_groups(bnre__folds *folds, int binding,
                               const bnre__keys *keys, size_t *members,
                               size_t *largest)
{
    *largest = 0;
    for (size_t i = 0; i < folds->rows; i++)
        folds->group[i] = i;
    if (binding & BNRE__BIND_THETA)
        tie_theta(folds->group, keys);
    if (binding & BNRE__BIND_X)
        tie_equal(folds->group, keys->xs, keys->x);
    if (binding & BNRE__BIND_STRETCHES)
        BNRE_DO(bnre__copies_find(keys->xs, keys->both, tie, folds->group));
    memset(members, 0, folds->rows * sizeof *members);
    for (size_t i = 0; i < folds->rows; i++) {
        folds->group[i] = first_of(folds->group, i);
        if (folds->fold[i] != BNRE__NO_FOLD &&
            ++members[folds->group[i]] > *largest)
            *largest = members[folds->group[i]];
    }
    folds->binding = binding;
    return BNRE_OK;
}

/* How many values there are among n, which are in order, and are put first. */
static size_t each_once(size_t n, double *value)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (kept == 0 || value[i] > value[kept - 1])
            value[kept++] = value[i];
    return kept;
}

/* Whether n different values in order are some steps apart, whole numbers of
   them, as far as single precision tells; two are if they are whole numbers. */
static int is_regular(size_t n, const double *value)
{
    double step = HUGE_VAL, off;

    if (n == 2)
        return value[0] == floor(value[0]) && value[1] == floor(value[1]);
    for (size_t i = 1; i < n; i++)
        step = fmin(step, value[i] - value[i - 1]);
    off = fmax(fabs(value[0]), fabs(value[n - 1])) * 2.5e-7 / step;
    off = fmin(0.05, 1e-3 + off);
    for (size_t i = 1; i < n; i++) {
        const double steps = (value[i] - value[i - 1]) / step;

        if (fabs(steps - round(steps)) > off)
            return 0;
    }
    return 1;
}

/* What equal theta are. `regular`: every parameter has regular values, so that
   draws of the prior were rounded or lie on a grid, and equal ones are draws
   like others. `grid`: and of all combinations of values more than half are
   there. Of k points that were simulated again and again neither is so. */
struct equal {
    int any, regular, grid;
};

static bnre_status look_at_equal(const bnre__keys *keys, struct equal *out)
{
    const size_t n = keys->each;
    bnre_status status = BNRE_OK;
    double combinations = 1, *value = NULL;

    *out = (struct equal){.any = keys->distinct < keys->thetas, .regular = 1};
    if (!out->any)
        return BNRE_OK;
    BNRE_NEW(value, n);
    for (size_t d = 0; d < keys->dim; d++) {
        size_t values;

        for (size_t i = 0; i < n; i++)
            value[i] = keys->value[i * keys->dim + d];
        bnre__sort_doubles(n, value);
        values = each_once(n, value);
        combinations *= (double)values;
        out->regular &= is_regular(values, value);
    }
    out->grid = out->regular && 2 * (double)n > combinations;
done:
    bnre__free(value);
    return status;
}

/* Bind what may be copies, as long as that leaves enough to deal. */
static bnre_status bind_rows(bnre__folds *folds, const bnre__keys *keys,
                             const bnre_prior *prior, const struct equal *equal,
                             size_t used, size_t *members)
{
    const int first = find_binding(keys, prior);
    const int step[] = {first != 0 ? first : BNRE__BIND_STRETCHES,
                        first & BNRE__BIND_THETA, BNRE__BIND_NOTHING};
    size_t largest, before = 0;

    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        BNRE_DO(make_groups(folds, step[i], keys, members, &largest));
        if (largest <= 2 || largest <= used / (4 * folds->count))
            break;
        if (step[i] == BNRE__BIND_THETA) {
            if (!equal->grid && largest == before) /* not because of x */
                BNRE_DO(make_groups(folds, first, keys, members, &largest));
            if (!equal->grid)
                break;
        }
        before = largest;
    }
    folds->eased = first & ~folds->binding;
    return BNRE_OK;
}

/* Rows that repeat the theta of an earlier one, or all of it. Draws that are
   equal since they were rounded, or since the prior is a list of draws, repeat
   nothing: judged once each, values that are rare would count too much. (Where
   none are equal, those that are nearly so are no such draws.) */
static void mark_copies(bnre__folds *folds, const bnre__keys *keys,
                        const bnre_prior *prior, const struct equal *equal)
{
    size_t listed = 0;
    const int repeats =
        (folds->binding & BNRE__BIND_THETA) &&
        !(equal->any && equal->regular) &&
        (prior == NULL || bnre__prior_samples(prior, &listed) == NULL);

    for (size_t i = 1; repeats && i < keys->thetas; i++)
        if (keys->theta[i].hash == keys->theta[i - 1].hash)
            folds->copy[keys->theta[i].row] = 1;
    for (size_t i = 0; repeats && i < keys->n_near; i++)
        folds->copy[keys->near[i].row] = 1;
    for (size_t i = 0; i < folds->rows; i++) {
        if ((folds->binding & BNRE__BIND_STRETCHES) && folds->group[i] != i)
            folds->copy[i] = 1;
        folds->copies += folds->copy[i];
    }
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

/* Large groups first, each into the fold with the fewest rows (Graham 1969):
   single rows come last, and one after the other. O(n log n + n folds). */
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
                   "%zu different simulations cannot be laid in %zu folds (the "
                   "same parameters again and again count once): simulate "
                   "more, give fewer folds, or take `trust: no`",
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

/* Look for a parameter that does not follow the prior, among the keys that are
   not merged. */
static bnre_status compare(bnre__folds *folds, const bnre__keys *keys,
                           const bnre_prior *prior)
{
    const size_t n = keys->thetas;
    bnre_status status = BNRE_OK;
    double *value = NULL;

    folds->strange = keys->dim;
    if (prior == NULL || bnre__prior_is_constrained(prior))
        return BNRE_OK;
    BNRE_NEW(value, n);
    for (size_t d = 0; d < keys->dim; d++) {
        double distance;

        if (bnre__prior_is_fixed(prior, d))
            continue;
        for (size_t i = 0; i < n; i++)
            value[i] = keys->value[i * keys->dim + d];
        bnre__sort_doubles(n, value);
        distance = bnre__prior_distance(prior, d, n, value);
        if (distance > bnre__prior_far(n) && distance > folds->distance) {
            folds->strange = d;
            folds->distance = distance;
        }
    }
done:
    bnre__free(value);
    return status;
}

/* Whether the program drew the parameters of a file from the prior itself. */
static int are_drawn(const bnre_dataset_info *info)
{
    return info->settings != NULL && info->task != NULL &&
           strstr(info->settings, "\ntheta") == NULL;
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
                             size_t count, size_t teach,
                             const bnre_prior *prior, uint64_t seed)
{
    bnre_status status = BNRE_OK;
    bnre__keys keys = {0};
    struct equal equal;
    size_t *members = NULL, used = 0;

    folds->count = count;
    folds->rows = set->info->rows;
    BNRE_NEW(folds->fold, folds->rows);
    BNRE_NEW(folds->group, folds->rows);
    BNRE_NEW(folds->copy, folds->rows);
    BNRE_TRY(bnre__keys_init(&keys, set->info));
    BNRE_NEW(members, folds->rows);
    for (size_t i = 0; i < folds->rows; i++) {
        const int in = i + teach < folds->rows &&
                       bnre__roles_get(set->opts.roles, i) == BNRE__ROLE_TRAIN;

        folds->fold[i] = in ? 0 : BNRE__NO_FOLD;
        used += (size_t)in;
    }
    BNRE_TRY(bnre__keys_read(&keys, set, folds->fold, BNRE__NO_FOLD));
    BNRE_TRY(compare(folds, &keys, are_drawn(set->info) ? NULL : prior));
    BNRE_TRY(bnre__keys_merge(&keys));
    BNRE_TRY(look_at_equal(&keys, &equal));
    BNRE_TRY(bind_rows(folds, &keys, prior, &equal, used, members));
    mark_copies(folds, &keys, prior, &equal);
    BNRE_TRY(deal(folds, seed));
    add_teachers(folds, set, teach);
done:
    bnre__free(members);
    bnre__keys_clear(&keys);
    return status;
}

/* Mark those of n rows whose hashes are among m others, which are in order. */
static void mark_shared(size_t n, const bnre__row_key *key, size_t m,
                        const bnre__row_key *other, uint8_t *shared)
{
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = m;

        while (low < high) {
            const size_t middle = low + (high - low) / 2;

            if (other[middle].hash < key[i].hash)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < m && other[low].hash == key[i].hash)
            shared[key[i].row] = 1;
    }
}

bnre_status bnre__folds_shared(const bnre__folds *folds,
                               const bnre__subset *set,
                               const bnre__subset *other, size_t *count)
{
    bnre_status status = BNRE_OK;
    bnre__keys ours = {0}, theirs = {0};
    uint8_t *shared = NULL; /* (rows of the other file) */

    *count = 0;
    BNRE_TRY(bnre__keys_init(&ours, set->info));
    BNRE_TRY(bnre__keys_init(&theirs, other->info));
    BNRE_NEW(shared, other->info->rows);
    BNRE_TRY(bnre__keys_read(&ours, set, folds->fold, BNRE__NO_FOLD));
    BNRE_TRY(bnre__keys_read(&theirs, other, NULL, 0));
    if (folds->binding & BNRE__BIND_THETA)
        mark_shared(theirs.thetas, theirs.theta, ours.thetas, ours.theta,
                    shared);
    if (folds->binding & BNRE__BIND_X)
        mark_shared(theirs.xs, theirs.x, ours.xs, ours.x, shared);
    for (size_t i = 0; i < other->info->rows; i++)
        *count += shared[i];
done:
    bnre__free(shared);
    bnre__keys_clear(&theirs);
    bnre__keys_clear(&ours);
    return status;
}

void bnre__folds_clear(bnre__folds *folds)
{
    bnre__free(folds->copy);
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
