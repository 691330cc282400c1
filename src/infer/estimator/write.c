/* write.c - an estimator into its file. */
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/file.h"
#include "io/file.h"
#include "io/h5.h"

enum {
    OBJECTS = 60,      /* groups, arrays and attributes, at most */
    SHORT_TEXT = 1500, /* their names and short values */
    FOLD_OBJECTS = 12, /* the same of folds */
    FOLD_TEXT = 300,
    NAMES_LIMIT = 60000 /* see h5.h */
};

static size_t column_bytes(const bnre_estimator *est)
{
    size_t longest = 1;

    for (size_t i = 0; i < est->columns; i++)
        if (strlen(est->column[i]) > longest)
            longest = strlen(est->column[i]);
    return longest * est->columns;
}

/* Room for n names, which are kept in fields of equal length. */
static size_t name_bytes(size_t n, const char *const *name)
{
    size_t longest = 1;

    for (size_t i = 0; name != NULL && i < n; i++)
        if (strlen(name[i]) > longest)
            longest = strlen(name[i]);
    return name != NULL ? longest * n : 0;
}

static bnre_status write_head(const bnre_estimator *est, const char *hash,
                              bnre__h5_writer *writer)
{
    const bnre_estimator_info *info = &est->info;
    const char *const text[][2] = {
        {"bnre_format", "estimator"},
        {"bnre_version", info->version},
        {"kind", bnre__estimator_kind_word(est)},
        {"task", est->task},
        {"network", info->network},
        {"settings", info->settings},
        {"failure", info->failure},
        {"combine", bnre__combine_word[info->combine]},
        {"fingerprint", hash},
    };

    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        BNRE_DO(bnre__h5_writer_text(writer, "/", text[i][0], text[i][1]));
    return bnre__h5_writer_int(writer, "/", "bnre_format_version", 1);
}

static bnre_status write_conditional(const bnre_estimator *est,
                                     bnre__h5_writer *writer)
{
    BNRE_DO(bnre__h5_writer_group(writer, "conditional"));
    BNRE_DO(bnre__h5_writer_int(writer, "conditional", "components",
                                (int64_t)est->info.components));
    return bnre__h5_writer_texts(writer, "conditional", "order",
                                 est->info.factors, est->info.order);
}

static bnre_status write_groups(const bnre_estimator *est,
                                bnre__h5_writer *writer)
{
    static const char *const group[] = {
        "members",       "weights",         "buffers",        "scalers",
        "scalers/theta", "scalers/x",       "summary",        "data",
        "data/training", "data/validation", "data/scheduling"};
    const bnre__scaler *scaler[] = {&est->theta, &est->x};

    for (size_t i = 0; i < sizeof group / sizeof *group; i++)
        BNRE_DO(bnre__h5_writer_group(writer, group[i]));
    for (size_t i = 0; i < 2; i++)
        BNRE_DO(bnre__h5_writer_int(writer,
                                    i == 0 ? "scalers/theta" : "scalers/x",
                                    "inner", (int64_t)scaler[i]->inner));
    if (est->conditional != NULL)
        BNRE_DO(write_conditional(est, writer));
    if (est->image != NULL)
        BNRE_DO(bnre__h5_writer_group(writer, "region"));
    if (est->info.folds > 0) {
        BNRE_DO(bnre__h5_writer_group(writer, "folds"));
        BNRE_DO(bnre__h5_writer_int(writer, "/", "folds",
                                    (int64_t)est->info.folds));
    }
    if (est->info.x_name != NULL)
        BNRE_DO(bnre__h5_writer_texts(writer, "scalers/x", "names",
                                      est->info.x_size, est->info.x_name));
    for (size_t i = 0; i < BNRE__DATASETS; i++) {
        const char *name = bnre__estimator_data_name[i];
        const bnre_estimator_data *data = bnre__estimator_data_at(est, i);

        BNRE_DO(bnre__h5_writer_int(writer, name, "rows", (int64_t)data->rows));
        BNRE_DO(
            bnre__h5_writer_int(writer, name, "failed", (int64_t)data->failed));
        BNRE_DO(bnre__h5_writer_text(writer, name, "fingerprint",
                                     data->fingerprint));
    }
    return BNRE_OK;
}

/* What was found out later: there only if there is something. Its text may be
   long and comes before the arrays. */
static bnre_status write_findings(const bnre_estimator *est, const char *main,
                                  bnre__h5_writer *writer)
{
    const bnre_estimator_info *info = &est->info;
    char hash[33];

    if (info->certificate == NULL && info->scores == 0 &&
        info->cross_scores == 0)
        return BNRE_OK;
    bnre__findings_hash(est, main, hash);
    BNRE_DO(bnre__h5_writer_group(writer, "findings"));
    if (info->certificate != NULL)
        BNRE_DO(bnre__h5_writer_text(writer, "findings", "certificate",
                                     info->certificate));
    return bnre__h5_writer_text(writer, "findings", "fingerprint", hash);
}

static bnre_status write_scores(const bnre_estimator *est,
                                bnre__h5_writer *writer)
{
    size_t id, shape[2];

    if (est->info.scores == 0)
        return BNRE_OK;
    BNRE_DO(bnre__h5_writer_array(writer, "findings/scores", 'f', 8, 1,
                                  &est->info.scores, &id));
    BNRE_DO(bnre__h5_writer_rows(writer, id, 0, est->info.scores,
                                 est->info.calibration));
    if (est->info.views == 0)
        return BNRE_OK;
    shape[0] = est->info.scores;
    shape[1] = est->info.views;
    BNRE_DO(
        bnre__h5_writer_array(writer, "findings/view", 'f', 4, 2, shape, &id));
    return bnre__h5_writer_rows(writer, id, 0, est->info.scores,
                                est->info.view);
}

static bnre_status write_cross_scores(const bnre_estimator *est,
                                      bnre__h5_writer *writer)
{
    const size_t n = est->info.cross_scores;
    size_t id;

    if (n == 0)
        return BNRE_OK;
    BNRE_DO(bnre__h5_writer_array(writer, "findings/cross_scores", 'f', 8, 1,
                                  &n, &id));
    BNRE_DO(bnre__h5_writer_rows(writer, id, 0, n, est->info.cross_score));
    BNRE_DO(bnre__h5_writer_array(writer, "findings/cross_folds", 'u', 1, 1, &n,
                                  &id));
    return bnre__h5_writer_rows(writer, id, 0, n, est->info.cross_fold);
}

static bnre_status write_parts(size_t n, const bnre__file_part *part,
                               const bnre_estimator *est,
                               bnre__h5_writer *writer)
{
    for (size_t i = 0; i < n; i++) {
        size_t id;

        BNRE_DO(bnre__h5_writer_array(writer, part[i].name, part[i].kind,
                                      part[i].item, part[i].ndim, part[i].shape,
                                      &id));
        if (strcmp(part[i].name, "members/history") == 0)
            BNRE_DO(bnre__h5_writer_texts(writer, part[i].name, "names",
                                          est->columns,
                                          (const char *const *)est->column));
        BNRE_DO(bnre__h5_writer_rows(writer, id, 0,
                                     part[i].ndim > 0 ? part[i].shape[0] : 1,
                                     part[i].data));
    }
    return BNRE_OK;
}

/* What only the trainer could get wrong. */
static bnre_status check(const bnre_estimator *est)
{
    if (column_bytes(est) > NAMES_LIMIT)
        return bnre_fail(BNRE_EINVAL, "the names of the history's columns take "
                                      "too many bytes");
    if (est->theta.size != est->info.dim_theta ||
        est->x.size != est->info.x_size ||
        est->summary.size != est->info.x_size ||
        (est->info.folds > 0) != (est->row_fold != NULL))
        return bnre_fail(BNRE_EINVAL, "scalers or summary are of another size "
                                      "than theta and x, or rows without "
                                      "folds");
    return BNRE_OK;
}

static size_t history_rows(const bnre_estimator *est)
{
    size_t rows = 0;

    for (size_t k = 0; k < est->info.members; k++)
        rows += est->member[k].epochs;
    return rows;
}

bnre_status bnre_estimator_save(const bnre_estimator *est, const char *path,
                                int force)
{
    bnre_status status = BNRE_OK;
    const bnre_estimator_info *info = &est->info;
    bnre__h5_writer *writer = NULL, *done_writer;
    bnre__packed packed = {0};
    bnre__file_part part[BNRE__MOST_PARTS];
    char hash[33];
    size_t n, text;

    if (!force && bnre__file_exists(path))
        return bnre_fail(
            BNRE_EEXIST,
            "%s exists: use `force` to replace it, or another name", path);
    BNRE_TRY(check(est));
    BNRE_TRY(bnre__packed_init(&packed, est, history_rows(est)));
    bnre__estimator_pack(est, &packed);
    n = bnre__estimator_parts(est, &packed, part);
    bnre__estimator_hash(est, n, part, hash);
    text = SHORT_TEXT + strlen(est->task) + strlen(info->network) +
           strlen(info->settings) + column_bytes(est) +
           name_bytes(info->x_size, info->x_name) +
           name_bytes(info->factors, info->order) +
           (info->certificate != NULL ? strlen(info->certificate) : 0);
    BNRE_TRY(bnre__h5_writer_create(
        path, OBJECTS + (info->folds > 0 ? FOLD_OBJECTS : 0),
        text + (info->folds > 0 ? FOLD_TEXT : 0), &writer));
    BNRE_TRY(write_head(est, hash, writer));
    BNRE_TRY(write_groups(est, writer));
    BNRE_TRY(write_findings(est, hash, writer));
    BNRE_TRY(write_parts(n, part, est, writer));
    BNRE_TRY(write_scores(est, writer));
    BNRE_TRY(write_cross_scores(est, writer));
    done_writer = writer;
    writer = NULL;
    BNRE_TRY(bnre__h5_writer_commit(done_writer));
done:
    bnre__h5_writer_discard(writer);
    bnre__packed_clear(&packed);
    return status;
}

bnre_status bnre_estimator_fingerprint(const bnre_estimator *est, char out[33])
{
    bnre_status status = BNRE_OK;
    bnre__packed packed = {0};
    bnre__file_part part[BNRE__MOST_PARTS];

    BNRE_TRY(bnre__packed_init(&packed, est, history_rows(est)));
    bnre__estimator_pack(est, &packed);
    bnre__estimator_hash(est, bnre__estimator_parts(est, &packed, part), part,
                         out);
done:
    bnre__packed_clear(&packed);
    return status;
}
