/* read.c - an estimator from its file, of which nothing is trusted:
   every length is compared with the bytes that are there before memory is
   taken for it, and the contents with their fingerprint. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "infer/estimator/file.h"
#include "infer/estimator/read.h"
#include "infer/estimator/restricted.h"
#include "io/h5.h"
#include "nn/net.h"

enum {
    BEST_PACKING = 1000,  /* of honest files */
    MOST_REALS = 1 << 28, /* of one x in all layers of a network */
    MOST_MEMBERS = 100000
};

bnre_status bnre__reading_fail(const bnre__reading *source, const char *what)
{
    return bnre_fail(BNRE_EFORMAT, "%s: %s", source->path, what);
}

/* ---- what is there ---- */

static bnre_status check_format(const bnre__reading *source)
{
    bnre_status status = BNRE_OK;
    char *format = NULL;
    int64_t version;
    int found;

    BNRE_TRY(bnre__h5_text(source->h5, "/", "bnre_format", &format));
    if (format == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s is an HDF5 file, but no estimator of bnre",
                   source->path);
    if (strcmp(format, "estimator") != 0)
        BNRE_THROW(BNRE_EFORMAT, "%s holds a bnre %s, not an estimator%s",
                   source->path, format,
                   strcmp(format, "dataset") == 0
                       ? ": bnre train makes one from it"
                       : "");
    BNRE_TRY(
        bnre__h5_int(source->h5, "/", "bnre_format_version", &found, &version));
    if (!found || version != 1)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is in version %lld of the format; this program knows "
                   "version 1: was it made by a newer one?",
                   source->path, found ? (long long)version : 0LL);
done:
    bnre__free(format);
    return status;
}

/* It is shown, and stands in what is exported: nothing but a version. */
static bnre_status check_version(const bnre__reading *source)
{
    static const char good[] = "0123456789.+-~_"
                               "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t length = strlen(source->version);

    if (length > 0 && length <= 64 && strspn(source->version, good) == length)
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "%s: its attribute bnre_version is no version: was it "
                     "changed?",
                     source->path);
}

static bnre_status read_texts(bnre__reading *source)
{
    struct {
        const char *name;
        char **out;
    } text[] = {
        {"kind", &source->kind},
        {"task", &source->task},
        {"network", &source->network},
        {"settings", &source->settings},
        {"bnre_version", &source->version},
        {"failure", &source->failure},
        {"combine", &source->combine},
        {"fingerprint", &source->fingerprint},
    };

    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        BNRE_DO(bnre__h5_text(source->h5, "/", text[i].name, text[i].out));
        if (*text[i].out == NULL)
            return bnre_fail(BNRE_EFORMAT, "%s: the attribute %s is missing",
                             source->path, text[i].name);
    }
    return check_version(source);
}

static bnre_status find_word(const bnre__reading *source, const char *text,
                             size_t words, const char *const *word, int *out)
{
    for (*out = 0; *out < (int)words; ++*out)
        if (strcmp(text, word[*out]) == 0)
            return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT, "%s: \"%s\" should be %s or %s",
                     source->path, text, word[0], word[1]);
}

bnre_status bnre__reading_look(const bnre__reading *source, const char *name,
                               bnre__h5_info *info, int *found)
{
    bnre_status status = BNRE_OK;
    bnre__h5_array *array = NULL;
    double bytes;

    *found = 0;
    *info = (bnre__h5_info){0};
    BNRE_TRY(bnre__h5_array_open(source->h5, name, &array));
    if (array == NULL)
        goto done;
    *found = 1;
    *info = *bnre__h5_array_describe(array);
    bytes = (double)info->rows * (double)info->row_size * (double)info->item;
    if (bytes > (double)info->stored * BEST_PACKING)
        BNRE_THROW(BNRE_EFORMAT, "%s: %s claims more than it holds",
                   source->path, name);
done:
    bnre__h5_array_close(array);
    return status;
}

bnre_status bnre__reading_array(const bnre__reading *source,
                                const bnre__file_part *part)
{
    bnre_status status = BNRE_OK;
    bnre__h5_array *array = NULL;
    const bnre__h5_info *info;

    BNRE_TRY(bnre__h5_array_open(source->h5, part->name, &array));
    if (array == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s: %s is missing", source->path, part->name);
    info = bnre__h5_array_describe(array);
    if (info->ndim != part->ndim || info->kind != part->kind ||
        info->item != part->item ||
        memcmp(info->shape, part->shape, info->ndim * sizeof *info->shape) != 0)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s: %s is of another shape or type than "
                   "the rest of the file says",
                   source->path, part->name);
    BNRE_TRY(bnre__h5_array_read(array, part->kind, part->item, 0, info->rows,
                                 part->into));
done:
    bnre__h5_array_close(array);
    return status;
}

/* ---- what the estimator is made from ---- */

static bnre_status read_history(bnre__reading *source)
{
    bnre__h5_info info;
    int found;

    BNRE_DO(bnre__reading_look(source, "members/history", &info, &found));
    if (!found)
        return BNRE_OK;
    BNRE_DO(bnre__h5_texts(source->h5, "members/history", "names",
                           &source->columns, &source->column));
    if (info.ndim != 2 || info.shape[1] != source->columns)
        BNRE_DO(bnre__reading_fail(
            source, "members/history has no name for each column"));
    source->history = info.rows;
    return BNRE_OK;
}

/* The draws of a prior known by them. */
static bnre_status read_draws(bnre__reading *source)
{
    bnre_status status = BNRE_OK;
    bnre__h5_info info;
    bnre__file_part part = {
        .name = "prior", .kind = 'f', .item = 8, .ndim = 2, .shape = {0}};
    int found;

    BNRE_TRY(bnre__reading_look(source, "prior", &info, &found));
    if (!found)
        goto done;
    if (info.ndim != 2)
        BNRE_TRY(bnre__reading_fail(source, "prior is no table"));
    memcpy(part.shape, info.shape, 2 * sizeof *part.shape);
    BNRE_NEW(source->sample, info.rows * info.row_size);
    part.into = source->sample;
    BNRE_TRY(bnre__reading_array(source, &part));
    source->draws = (bnre__draws){
        .rows = info.rows, .dim = info.row_size, .value = source->sample};
done:
    return status;
}

/* The order of the factors. */
static bnre_status read_conditional(bnre__reading *source,
                                    bnre__estimator_spec *spec)
{
    int64_t components = 0;
    int found;

    BNRE_DO(bnre__h5_int(source->h5, "conditional", "components", &found,
                         &components));
    if (!found || components < 1)
        BNRE_DO(bnre__reading_fail(source, "its densities have no components"));
    BNRE_DO(bnre__h5_texts(source->h5, "conditional", "order", &source->ordered,
                           &source->order));
    spec->components = (size_t)components;
    spec->ordered = source->ordered;
    spec->order = (const char *const *)source->order;
    return BNRE_OK;
}

static bnre_status create(bnre__reading *source, int kind, bnre_estimator **out)
{
    const bnre__h5_info *weights = &source->weights;
    const bnre__h5_info *summary = &source->summary;
    bnre__estimator_spec spec = {
        .kind = kind == 1 ? BNRE_ESTIMATOR_CLASSIFIER : BNRE_ESTIMATOR_RATIO,
        .conditional = kind == 2,
        .task = source->task,
        .file = source->path,
        .draws = &source->draws,
        .members = weights->rows,
        .columns = source->columns,
        .column = (const char *const *)source->column,
        .weights = weights->row_size,
    };
    const bnre__net *net;
    int64_t folds = 0;
    int found[2];

    BNRE_DO(bnre__reading_look(source, "weights/best", &source->weights,
                               &found[0]));
    BNRE_DO(bnre__reading_look(source, "summary/value", &source->summary,
                               &found[1]));
    if (!found[0] || weights->ndim != 2 || weights->rows > MOST_MEMBERS ||
        weights->rows == 0 || weights->row_size == 0)
        BNRE_DO(
            bnre__reading_fail(source, "weights/best is no table of weights"));
    if (!found[1] || summary->ndim < 2 || summary->rows != BNRE__LEVELS)
        BNRE_DO(bnre__reading_fail(source, "summary/value is no summary of x"));
    spec.members = weights->rows;
    spec.weights = weights->row_size;
    spec.ndim = summary->ndim - 1;
    spec.shape = summary->shape + 1;
    BNRE_DO(read_history(source));
    spec.columns = source->columns;
    spec.column = (const char *const *)source->column;
    BNRE_DO(read_draws(source));
    BNRE_DO(bnre_yaml_parse(source->network, "network", &source->net));
    spec.network = source->net;
    if (spec.conditional)
        BNRE_DO(read_conditional(source, &spec));
    BNRE_DO(bnre__h5_int(source->h5, "/", "folds", &found[0], &folds));
    if (found[0] && (folds < 2 || folds > BNRE__MOST_FOLDS))
        BNRE_DO(bnre__reading_fail(source, "its number of folds is damaged"));
    spec.folds = found[0] ? (size_t)folds : 0;
    BNRE_DO(bnre__estimator_create(&spec, out));
    net = bnre__estimator_net(*out);
    if (net->embedding->row > MOST_REALS || net->head->row > MOST_REALS)
        BNRE_DO(bnre__reading_fail(
            source, "the network needs more memory than is sane"));
    return BNRE_OK;
}

/* ---- the rest ---- */

static bnre_status prepare_scaler(const bnre__reading *source,
                                  const char *group, const char *location,
                                  bnre__scaler *scaler)
{
    bnre_status status = BNRE_OK;
    bnre__h5_info info;
    int64_t inner = 0;
    int found, is_there;
    size_t columns;

    BNRE_TRY(bnre__reading_look(source, location, &info, &found));
    BNRE_TRY(bnre__h5_int(source->h5, group, "inner", &is_there, &inner));
    if (!is_there || inner < 1)
        BNRE_TRY(bnre__reading_fail(source, "a scaler is damaged"));
    if (!found)
        goto done;
    columns = info.rows;
    if (info.ndim != 1 || columns == 0 || columns > scaler->size ||
        (uint64_t)inner > scaler->size / columns ||
        scaler->size % (columns * (size_t)inner) != 0)
        BNRE_TRY(
            bnre__reading_fail(source, "a scaler does not fit what it scales"));
    BNRE_NEW(scaler->location, columns);
    BNRE_NEW(scaler->scale, columns);
    BNRE_NEW(scaler->flags, columns);
    scaler->columns = columns;
    scaler->inner = (size_t)inner;
done:
    return status;
}

static bnre_status check_scaler(const bnre__reading *source,
                                const bnre__scaler *scaler)
{
    for (size_t c = 0; c < scaler->columns; c++)
        if (!isfinite(scaler->location[c]) || !isfinite(scaler->scale[c]) ||
            !(scaler->scale[c] > 0))
            return bnre__reading_fail(
                source, "a scaler's constants are no finite numbers");
    return BNRE_OK;
}

static bnre_status prepare_hashes(const bnre__reading *source,
                                  bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__h5_info info;
    int found;

    BNRE_TRY(bnre__reading_look(source, "rows", &info, &found));
    if (!found || info.ndim != 1)
        BNRE_TRY(bnre__reading_fail(source, "rows is no list"));
    BNRE_NEW(est->hash, info.rows);
    est->hashes = info.rows;
    if (est->info.folds > 0)
        BNRE_NEW(est->row_fold, info.rows);
done:
    return status;
}

static bnre_status read_data(const bnre__reading *source, bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre_estimator_data data[BNRE__DATASETS] = {0};
    char *print = NULL;

    for (size_t i = 0; i < BNRE__DATASETS; i++) {
        const char *name = bnre__estimator_data_name[i];
        int64_t rows = 0, failed = 0;
        int found[2];

        BNRE_TRY(bnre__h5_int(source->h5, name, "rows", &found[0], &rows));
        BNRE_TRY(bnre__h5_int(source->h5, name, "failed", &found[1], &failed));
        BNRE_TRY(bnre__h5_text(source->h5, name, "fingerprint", &print));
        if (!found[0] || !found[1] || rows < 0 || failed < 0 || failed > rows ||
            print == NULL || strlen(print) >= sizeof data[i].fingerprint)
            BNRE_TRY(bnre__reading_fail(source,
                                        "the record of the data is damaged"));
        data[i].rows = (size_t)rows;
        data[i].failed = (size_t)failed;
        memcpy(data[i].fingerprint, print, strlen(print) + 1);
        bnre__free(print);
        print = NULL;
    }
    est->info.training = data[0];
    est->info.validation = data[1];
    est->info.scheduling = data[2];
done:
    bnre__free(print);
    return status;
}

/* Room for the offset of x, where there is one. */
static bnre_status prepare_offset(const bnre__reading *source,
                                  bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__h5_info info;
    int found;

    BNRE_TRY(bnre__reading_look(source, "summary/offset", &info, &found));
    if (!found)
        return BNRE_OK;
    if (info.ndim != 1 || info.rows != est->info.x_size)
        BNRE_TRY(
            bnre__reading_fail(source, "summary/offset is no offset of x"));
    BNRE_NEW(est->x_offset, est->info.x_size);
done:
    return status;
}

/* The same for P(result | theta). */
static bnre_status prepare_validity(const bnre__reading *source,
                                    bnre_estimator *est)
{
    const size_t sets = est->info.folds > 0 ? est->info.folds : 1;
    bnre__h5_info info;
    int found;

    if (est->conditional == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__reading_look(source, "conditional/validity", &info, &found));
    if (found)
        BNRE_DO(bnre__validity_create(est->conditional->factors, sets,
                                      &est->conditional->validity));
    est->info.weighed = found;
    return BNRE_OK;
}

/* Names of the columns of x, where the training data had any. */
static bnre_status read_x_names(const bnre__reading *source,
                                bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    char **name = NULL;
    size_t n = 0;

    BNRE_TRY(bnre__h5_texts(source->h5, "scalers/x", "names", &n, &name));
    if (n > 0 && n != est->info.x_size)
        BNRE_THROW(BNRE_EFORMAT, "%s: %zu names for the %zu values of x",
                   source->path, n, est->info.x_size);
    BNRE_TRY(bnre__estimator_set_x_names(est, n > 0 ? (const char *const *)name
                                                    : NULL));
done:
    bnre__texts_free(n, name);
    return status;
}

/* Room for what tells of a region, if there is one. */
static bnre_status prepare_region(const bnre__reading *source,
                                  bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__h5_info info;
    int found;

    BNRE_TRY(bnre__reading_look(source, "region/earlier", &info, &found));
    if (!found)
        return BNRE_OK;
    if (info.ndim != 1 || info.rows == 0)
        BNRE_TRY(bnre__reading_fail(source, "region/earlier is no file"));
    BNRE_NEW(est->image, info.rows);
    est->image_bytes = info.rows;
    BNRE_TRY(bnre__reading_look(source, "region/sets", &info, &found));
    if (!found || info.ndim != 1 || info.rows == 0)
        BNRE_TRY(bnre__reading_fail(source, "region/sets are no sets"));
    BNRE_NEW(est->region_sets, info.rows);
    est->region_sets_n = info.rows;
    BNRE_NEW(est->region_x, est->info.x_size);
done:
    return status;
}

static bnre_status read_parts(const bnre__reading *source, bnre_estimator *est)
{
    bnre_status status = BNRE_OK;
    bnre__packed packed = {0};
    bnre__file_part part[BNRE__MOST_PARTS];
    char found[33];
    size_t n;

    BNRE_TRY(prepare_scaler(source, "scalers/theta", "scalers/theta/location",
                            &est->theta));
    BNRE_TRY(
        prepare_scaler(source, "scalers/x", "scalers/x/location", &est->x));
    BNRE_TRY(read_x_names(source, est));
    BNRE_TRY(prepare_offset(source, est));
    BNRE_TRY(prepare_validity(source, est));
    BNRE_TRY(prepare_hashes(source, est));
    BNRE_TRY(prepare_region(source, est));
    BNRE_TRY(bnre__packed_init(&packed, est, source->history));
    n = bnre__estimator_parts(est, &packed, part);
    for (size_t i = 0; i < n; i++)
        if (part[i].into != NULL)
            BNRE_TRY(bnre__reading_array(source, &part[i]));
    bnre__estimator_hash(est, n, part, found);
    if (strcmp(found, source->fingerprint) != 0)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s was changed or damaged after it was written: its "
                   "contents do not match its fingerprint",
                   source->path);
    BNRE_TRY(check_scaler(source, &est->theta));
    BNRE_TRY(check_scaler(source, &est->x));
    status = bnre__estimator_unpack(est, &packed);
    if (status == BNRE_EFORMAT)
        status = bnre__fail_in(status, "%s", source->path);
done:
    bnre__packed_clear(&packed);
    return status;
}

static bnre_status read_all(bnre__reading *source, bnre_estimator **out)
{
    static const char *const failures[2] = {"outcome", "missing"};
    bnre_status status = BNRE_OK;
    int kind, combine, missing;

    BNRE_TRY(check_format(source));
    BNRE_TRY(read_texts(source));
    BNRE_TRY(find_word(source, source->kind, 3, bnre__kind_word, &kind));
    BNRE_TRY(
        find_word(source, source->combine, 2, bnre__combine_word, &combine));
    BNRE_TRY(find_word(source, source->failure, 2, failures, &missing));
    status = create(source, kind, out);
    if (status == BNRE_EUSAGE || status == BNRE_ENUM)
        status = bnre__fail_in(BNRE_EFORMAT, "%s", source->path);
    BNRE_TRY(status);
    BNRE_TRY(bnre__estimator_set_settings(*out, source->settings));
    bnre__free((*out)->version);
    (*out)->version = source->version;
    (*out)->info.version = source->version;
    source->version = NULL;
    (*out)->info.combine = (bnre_combine)combine;
    bnre__estimator_set_failure(*out, missing);
    BNRE_TRY(read_data(source, *out));
    BNRE_TRY(read_parts(source, *out));
    status = bnre__reading_findings(source, *out);
    if (status == BNRE_EUSAGE || status == BNRE_ENUM)
        status = bnre__fail_in(BNRE_EFORMAT, "%s", source->path);
done:
    return status;
}

int bnre_estimator_recognise(const char *path)
{
    bnre__h5 *h5 = NULL;
    char *format = NULL;
    int is;

    is = bnre__h5_open(path, &h5) == BNRE_OK &&
         bnre__h5_text(h5, "/", "bnre_format", &format) == BNRE_OK &&
         format != NULL && strcmp(format, "estimator") == 0;
    bnre__free(format);
    bnre__h5_close(h5);
    return is;
}

/* A file, or its bytes. */
static bnre_status open_any(const char *path, const void *bytes, size_t n,
                            int depth, bnre_estimator **out)
{
    bnre_status status = BNRE_OK;
    bnre__reading source = {.path = path};
    bnre_estimator *est = NULL;

    *out = NULL;
    BNRE_TRY(bytes == NULL ? bnre__h5_open(path, &source.h5)
                           : bnre__h5_open_bytes(path, bytes, n, &source.h5));
    BNRE_TRY(read_all(&source, &est));
    /* HDF5 takes an image for an open one of the same name, and regions lie in
       each other. */
    bnre__h5_close(source.h5);
    source.h5 = NULL;
    if (est->image != NULL)
        status = bnre__estimator_restrict(est, depth);
    if (status == BNRE_EUSAGE || status == BNRE_EFORMAT)
        status = bnre__fail_in(BNRE_EFORMAT, "%s", path);
    BNRE_TRY(status);
    *out = est;
    est = NULL;
done:
    bnre_estimator_close(est);
    bnre_node_destroy(source.net);
    bnre__free(source.sample);
    bnre__texts_free(source.ordered, source.order);
    bnre__texts_free(source.columns, source.column);
    bnre__free(source.fingerprint);
    bnre__free(source.combine);
    bnre__free(source.failure);
    bnre__free(source.version);
    bnre__free(source.settings);
    bnre__free(source.network);
    bnre__free(source.task);
    bnre__free(source.kind);
    bnre__h5_close(source.h5);
    return status;
}

bnre_status bnre_estimator_open(const char *path, bnre_estimator **out)
{
    return open_any(path, NULL, 0, 0, out);
}

bnre_status bnre__estimator_open_bytes(const char *name, const void *bytes,
                                       size_t n, int depth,
                                       bnre_estimator **out)
{
    return open_any(name, bytes, n, depth, out);
}
