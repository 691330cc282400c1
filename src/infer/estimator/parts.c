/* parts.c - what an estimator's file consists of. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "infer/estimator/file.h"
#include "prior/prior.h"

const char *const bnre__estimator_data_name[BNRE__DATASETS] = {
    "data/training", "data/validation", "data/scheduling"};
const char *const bnre__kind_word[3] = {"ratio", "classifier", "conditional"};
const char *const bnre__combine_word[2] = {"ratio", "probability"};

const char *bnre__estimator_kind_word(const bnre_estimator *est)
{
    return bnre__kind_word[est->conditional != NULL ? 2 : est->info.kind];
}

const bnre_estimator_data *bnre__estimator_data_at(const bnre_estimator *est,
                                                   size_t i)
{
    return i == 0   ? &est->info.training
           : i == 1 ? &est->info.validation
                    : &est->info.scheduling;
}

/* ---- members side by side ---- */

bnre_status bnre__packed_init(bnre__packed *packed, const bnre_estimator *est,
                              size_t rows)
{
    bnre_status status = BNRE_OK;
    const size_t n = est->info.members;

    packed->rows = rows;
    BNRE_NEW(packed->seed, n);
    BNRE_NEW(packed->epoch, 2 * n);
    BNRE_NEW(packed->uses, n);
    BNRE_NEW(packed->epochs, n);
    BNRE_NEW(packed->history, rows * est->columns);
    for (size_t i = 0; i < 2; i++) {
        const size_t size =
            est->info.folds * bnre__estimator_scaler(est, i)->columns;

        if (bnre__estimator_fold_scalers(est, i) == NULL || size == 0)
            continue;
        BNRE_NEW(packed->fold[i].location, size);
        BNRE_NEW(packed->fold[i].scale, size);
        BNRE_NEW(packed->fold[i].flags, size);
    }
done:
    return status;
}

void bnre__packed_clear(bnre__packed *packed)
{
    for (size_t i = 0; i < 2; i++) {
        bnre__free(packed->fold[i].flags);
        bnre__free(packed->fold[i].scale);
        bnre__free(packed->fold[i].location);
    }
    bnre__free(packed->history);
    bnre__free(packed->epochs);
    bnre__free(packed->uses);
    bnre__free(packed->epoch);
    bnre__free(packed->seed);
}

/* The scalers of folds are alike but for their constants. */
static void pack_folds(const bnre_estimator *est, size_t i,
                       bnre__packed *packed)
{
    const bnre__scaler *from = bnre__estimator_fold_scalers(est, i);
    const size_t columns = bnre__estimator_scaler(est, i)->columns;

    if (packed->fold[i].location == NULL)
        return;
    for (size_t f = 0; f < est->info.folds; f++) {
        memcpy(packed->fold[i].location + f * columns, from[f].location,
               columns * sizeof *from->location);
        memcpy(packed->fold[i].scale + f * columns, from[f].scale,
               columns * sizeof *from->scale);
        memcpy(packed->fold[i].flags + f * columns, from[f].flags,
               columns * sizeof *from->flags);
    }
}

static bnre_status unpack_folds(const bnre__packed *packed, size_t i,
                                bnre_estimator *est)
{
    const bnre__scaler *like = bnre__estimator_scaler(est, i);
    bnre__scaler *to = bnre__estimator_fold_scalers(est, i);
    bnre_status status = BNRE_OK;

    for (size_t f = 0; packed->fold[i].location != NULL && f < est->info.folds;
         f++) {
        to[f].columns = like->columns;
        to[f].inner = like->inner;
        BNRE_NEW(to[f].location, like->columns);
        BNRE_NEW(to[f].scale, like->columns);
        BNRE_NEW(to[f].flags, like->columns);
        for (size_t c = 0; c < like->columns; c++) {
            const size_t at = f * like->columns + c;

            to[f].location[c] = packed->fold[i].location[at];
            to[f].scale[c] = packed->fold[i].scale[at];
            to[f].flags[c] = packed->fold[i].flags[at];
            if (!isfinite(to[f].location[c]) || !isfinite(to[f].scale[c]) ||
                !(to[f].scale[c] > 0))
                BNRE_THROW(BNRE_EFORMAT,
                           "the scaler of fold %zu has constants "
                           "that are no finite numbers",
                           f);
        }
    }
done:
    return status;
}

void bnre__estimator_pack(const bnre_estimator *est, bnre__packed *packed)
{
    double *history = packed->history;

    for (size_t k = 0; k < est->info.members; k++) {
        const bnre__member *m = &est->member[k];
        const size_t size = m->epochs * est->columns;

        packed->seed[k] = m->seed;
        packed->epoch[2 * k] = m->epoch[BNRE__BEST];
        packed->epoch[2 * k + 1] = m->epoch[BNRE__LAST];
        packed->uses[k] = m->uses == BNRE__LAST;
        packed->epochs[k] = m->epochs;
        if (size > 0)
            memcpy(history, m->history, size * sizeof *history);
        history += size;
    }
    for (size_t i = 0; i < 2; i++)
        pack_folds(est, i, packed);
    memcpy(packed->level, bnre__summary_level, sizeof packed->level);
    packed->temper = est->info.temper;
    packed->widen = est->info.widen;
}

bnre_status bnre__estimator_unpack(bnre_estimator *est,
                                   const bnre__packed *packed)
{
    size_t row = 0;

    for (size_t k = 0; k < est->info.members; k++) {
        bnre__member *m = &est->member[k];

        if (packed->uses[k] > 1 || packed->epochs[k] > packed->rows - row)
            return bnre_fail(BNRE_EFORMAT,
                             "member %zu: the table of members is "
                             "damaged",
                             k);
        m->seed = packed->seed[k];
        m->epoch[BNRE__BEST] = packed->epoch[2 * k];
        m->epoch[BNRE__LAST] = packed->epoch[2 * k + 1];
        m->uses = packed->uses[k] == 0 ? BNRE__BEST : BNRE__LAST;
        BNRE_DO(bnre__estimator_set_history(
            est, k, packed->epochs[k], packed->history + row * est->columns));
        row += packed->epochs[k];
    }
    for (size_t i = 0; i < BNRE__LEVELS; i++)
        if (packed->level[i] != bnre__summary_level[i])
            return bnre_fail(BNRE_EFORMAT,
                             "the summary of x has other levels than "
                             "expected");
    if (!(packed->temper > 0 && packed->temper <= 1))
        return bnre_fail(BNRE_EFORMAT, "temper is %g, not within (0, 1]",
                         packed->temper);
    est->info.temper = packed->temper;
    if (est->conditional != NULL &&
        !(packed->widen >= 1 && packed->widen <= BNRE__MOST_WIDEN))
        return bnre_fail(BNRE_EFORMAT, "widen is %g, not within [1, %d]",
                         packed->widen, BNRE__MOST_WIDEN);
    if (est->conditional != NULL)
        est->info.widen = packed->widen;
    for (size_t k = 0; est->row_fold != NULL && k < est->hashes; k++)
        if (est->row_fold[k] >= est->info.folds &&
            est->row_fold[k] != BNRE__IN_NO_FOLD)
            return bnre_fail(BNRE_EFORMAT, "a row is in fold %u of %zu",
                             est->row_fold[k], est->info.folds);
    for (size_t i = 0; i < 2; i++)
        BNRE_DO(unpack_folds(packed, i, est));
    return BNRE_OK;
}

/* ---- the list of arrays ---- */

/* Parts being listed. */
struct list {
    bnre__file_part *part;
    size_t count;
};

/* An array of ndim dimensions, of which two can be given. */
static bnre__file_part *add(struct list *list, const char *name, char kind,
                            size_t item, void *data, size_t ndim, size_t first,
                            size_t second)
{
    bnre__file_part *part = &list->part[list->count++];

    *part = (bnre__file_part){.name = name,
                              .kind = kind,
                              .item = item,
                              .ndim = ndim,
                              .shape = {first, second},
                              .data = data,
                              .into = data};
    return part;
}

static void add_members(struct list *list, const bnre_estimator *est,
                        bnre__packed *packed)
{
    const size_t n = est->info.members;
    const size_t buffers = bnre__estimator_buffers(est);

    add(list, "members/seed", 'u', 8, packed->seed, 1, n, 0);
    add(list, "members/epoch", 'u', 8, packed->epoch, 2, n, 2);
    add(list, "members/uses", 'u', 1, packed->uses, 1, n, 0);
    add(list, "members/epochs", 'u', 8, packed->epochs, 1, n, 0);
    if (est->columns > 0)
        add(list, "members/history", 'f', 8, packed->history, 2, packed->rows,
            est->columns);
    add(list, "weights/best", 'f', 4, est->weights[BNRE__BEST], 2, n,
        est->info.weights);
    add(list, "weights/last", 'f', 4, est->weights[BNRE__LAST], 2, n,
        est->info.weights);
    if (buffers == 0)
        return;
    add(list, "buffers/best", 'f', 4, est->buffers[BNRE__BEST], 2, n, buffers);
    add(list, "buffers/last", 'f', 4, est->buffers[BNRE__LAST], 2, n, buffers);
}

static void add_scalers(struct list *list, const bnre_estimator *est)
{
    const bnre__scaler *theta = &est->theta, *x = &est->x;

    if (theta->columns > 0) {
        add(list, "scalers/theta/location", 'f', 8, theta->location, 1,
            theta->columns, 0);
        add(list, "scalers/theta/scale", 'f', 8, theta->scale, 1,
            theta->columns, 0);
        add(list, "scalers/theta/flags", 'u', 1, theta->flags, 1,
            theta->columns, 0);
    }
    if (x->columns > 0) {
        add(list, "scalers/x/location", 'f', 8, x->location, 1, x->columns, 0);
        add(list, "scalers/x/scale", 'f', 8, x->scale, 1, x->columns, 0);
        add(list, "scalers/x/flags", 'u', 1, x->flags, 1, x->columns, 0);
    }
}

const bnre__scaler *bnre__estimator_scaler(const bnre_estimator *est, size_t i)
{
    return i == 0 ? &est->theta : &est->x;
}

bnre__scaler *bnre__estimator_fold_scalers(const bnre_estimator *est, size_t i)
{
    return i == 0 ? est->fold_theta : est->fold_x;
}

static void add_folds(struct list *list, const bnre_estimator *est,
                      const bnre__packed *packed)
{
    static const char *const name[2][3] = {
        {"folds/theta_location", "folds/theta_scale", "folds/theta_flags"},
        {"folds/x_location", "folds/x_scale", "folds/x_flags"}};
    const size_t folds = est->info.folds;

    add(list, "folds/rows", 'u', 1, est->row_fold, 1, est->hashes, 0);
    for (size_t i = 0; i < 2; i++) {
        const size_t columns = bnre__estimator_scaler(est, i)->columns;

        if (packed->fold[i].location == NULL)
            continue;
        add(list, name[i][0], 'f', 8, packed->fold[i].location, 2, folds,
            columns);
        add(list, name[i][1], 'f', 8, packed->fold[i].scale, 2, folds, columns);
        add(list, name[i][2], 'u', 1, packed->fold[i].flags, 2, folds, columns);
    }
}

size_t bnre__estimator_parts(const bnre_estimator *est, bnre__packed *packed,
                             bnre__file_part part[BNRE__MOST_PARTS])
{
    struct list list = {.part = part};
    const double *sample = NULL;
    bnre__file_part *summary;
    size_t rows = 0;

    add_members(&list, est, packed);
    add_scalers(&list, est);
    add(&list, "summary/level", 'f', 8, packed->level, 1, BNRE__LEVELS, 0);
    summary = add(&list, "summary/value", 'f', 4, est->summary.value,
                  1 + est->info.ndim, BNRE__LEVELS, 0);
    memcpy(summary->shape + 1, est->info.shape,
           est->info.ndim * sizeof *summary->shape);
    if (est->x_offset != NULL)
        add(&list, "summary/offset", 'f', 8, est->x_offset, 1, est->info.x_size,
            0);
    add(&list, "temper", 'f', 8, &packed->temper, 0, 0, 0);
    if (est->conditional != NULL)
        add(&list, "conditional/widen", 'f', 8, &packed->widen, 0, 0, 0);
    if (est->conditional != NULL && est->conditional->prior_chain != NULL)
        add(&list, "conditional/prior", 'f', 4, est->conditional->prior_weights,
            1, bnre__chain_weights(est->conditional->prior_chain), 0);
    if (est->conditional != NULL && est->conditional->validity != NULL)
        add(&list, "conditional/validity", 'f', 4,
            est->conditional->validity->weights, 2,
            est->conditional->validity->sets * BNRE__VALIDITY_PARTS,
            bnre__chain_weights(est->conditional->validity->chain));
    add(&list, "rows", 'u', 8, est->hash, 1, est->hashes, 0);
    if (est->info.folds > 0)
        add_folds(&list, est, packed);
    if (est->image != NULL) {
        add(&list, "region/earlier", 'u', 1, est->image, 1, est->image_bytes,
            0);
        add(&list, "region/x", 'f', 8, est->region_x, 1, est->info.x_size, 0);
        add(&list, "region/numbers", 'f', 8,
            (double *)(uintptr_t)est->region_number, 1, BNRE__REGION_NUMBERS,
            0);
        add(&list, "region/sets", 'f', 8, est->region_sets, 1,
            est->region_sets_n, 0);
    }
    if (est->outline.prior != NULL)
        sample = bnre__prior_samples(est->outline.prior, &rows);
    if (rows > 0)
        add(&list, "prior", 'f', 8, NULL, 2, rows, est->info.dim_theta)->data =
            sample;
    return list.count;
}

/* ---- the hash ---- */

static void hash_scaler(bnre__hash *hash, const bnre__scaler *scaler)
{
    bnre__hash_add_u64(hash, scaler->columns);
    bnre__hash_add_u64(hash, scaler->inner);
}

void bnre__estimator_hash(const bnre_estimator *est, size_t parts,
                          const bnre__file_part *part, char out[33])
{
    const bnre_estimator_info *info = &est->info;
    bnre__hash hash;

    bnre__hash_init(&hash, 0, 0, 1);
    bnre__hash_add_text(&hash, "estimator 1");
    bnre__hash_add_text(&hash, bnre__estimator_kind_word(est));
    bnre__hash_add_text(&hash, bnre__combine_word[info->combine]);
    bnre__hash_add_text(&hash, est->task);
    bnre__hash_add_text(&hash, info->network);
    bnre__hash_add_text(&hash, info->settings);
    bnre__hash_add_text(&hash, info->version);
    bnre__hash_add_text(&hash, info->failure);
    for (size_t i = 0; i < BNRE__DATASETS; i++) {
        const bnre_estimator_data *data = bnre__estimator_data_at(est, i);

        bnre__hash_add_u64(&hash, data->rows);
        bnre__hash_add_u64(&hash, data->failed);
        bnre__hash_add_text(&hash, data->fingerprint);
    }
    hash_scaler(&hash, &est->theta);
    hash_scaler(&hash, &est->x);
    if (info->folds > 0)
        bnre__hash_add_u64(&hash, info->folds);
    bnre__hash_add_u64(&hash, est->columns);
    for (size_t i = 0; i < est->columns; i++)
        bnre__hash_add_text(&hash, est->column[i]);
    for (size_t i = 0; info->x_name != NULL && i < info->x_size; i++)
        bnre__hash_add_text(&hash, info->x_name[i]);
    for (size_t j = 0; j < info->factors; j++)
        bnre__hash_add_text(&hash, info->order[j]);
    for (size_t i = 0; i < parts; i++) {
        size_t bytes = part[i].item;

        bnre__hash_add_text(&hash, part[i].name);
        for (size_t k = 0; k < part[i].ndim; k++) {
            bnre__hash_add_u64(&hash, part[i].shape[k]);
            bytes *= part[i].shape[k];
        }
        bnre__hash_add(&hash, part[i].data, bytes);
    }
    bnre__hash_end_hex(&hash, out);
}

void bnre__findings_hash(const bnre_estimator *est, const char *main,
                         char out[33])
{
    const bnre_estimator_info *info = &est->info;
    bnre__hash hash;

    bnre__hash_init(&hash, 1, 0, 1);
    bnre__hash_add_text(&hash, main);
    bnre__hash_add_text(&hash,
                        info->certificate != NULL ? info->certificate : "");
    bnre__hash_add_u64(&hash, info->scores);
    if (info->scores > 0)
        bnre__hash_add(&hash, info->calibration,
                       info->scores * sizeof *info->calibration);
    if (info->views > 0) {
        bnre__hash_add_u64(&hash, info->views);
        bnre__hash_add(&hash, info->view,
                       info->scores * info->views * sizeof *info->view);
    }
    if (info->cross_scores > 0) {
        bnre__hash_add_u64(&hash, info->cross_scores);
        bnre__hash_add(&hash, info->cross_score,
                       info->cross_scores * sizeof *info->cross_score);
        bnre__hash_add(&hash, info->cross_fold, info->cross_scores);
    }
    bnre__hash_end_hex(&hash, out);
}
