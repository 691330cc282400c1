/* Arrays of NumPy: .npz archives and pairs of .npy files. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/settings.h"
#include "data/dataset.h"
#include "io/npy.h"

struct npy_data {
    bnre__npy *theta, *nuisance, *x, *status;
};

static void close_npy(void *self)
{
    struct npy_data *npy = self;

    if (npy == NULL)
        return;
    bnre__npy_close(npy->status);
    bnre__npy_close(npy->x);
    bnre__npy_close(npy->nuisance);
    bnre__npy_close(npy->theta);
    bnre__free(npy);
}

static bnre_status describe_array(const bnre_dataset *data, const char *name,
                                  const bnre__npy *npy, bnre__shape *out)
{
    const bnre__npy_info *info;

    *out = (bnre__shape){0};
    if (npy == NULL)
        return BNRE_OK;
    info = bnre__npy_describe(npy);
    if (info->kind == 'S' || info->ndim == 0)
        return bnre_fail(BNRE_EFORMAT, "%s: %s is no array of numbers",
                         data->path, name);
    *out = (bnre__shape){.ndim = info->ndim, .shape = info->shape};
    return BNRE_OK;
}

static bnre_status describe_arrays(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    const struct npy_data *npy = data->self;
    bnre__shape theta, nuisance, x, flags;

    BNRE_TRY(describe_array(data, "theta", npy->theta, &theta));
    BNRE_TRY(describe_array(data, "nuisance", npy->nuisance, &nuisance));
    BNRE_TRY(describe_array(data, "x", npy->x, &x));
    BNRE_TRY(describe_array(data, "status", npy->status, &flags));
    BNRE_TRY(bnre__dataset_set_shape(data, theta, nuisance, x, flags));
    if (npy->x != NULL) {
        const bnre__npy_info *info = bnre__npy_describe(npy->x);

        data->wide = info->item >= 4 && !(info->kind == 'f' && info->item == 4);
    }
done:
    return status;
}

static bnre_status open_pair(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    struct npy_data *npy = NULL;
    char *theta = NULL;
    size_t second = 0;

    BNRE_NEW(npy, 1);
    data->self = npy;
    if (!bnre__is_pair(data->path, &second)) { /* only x matters */
        BNRE_TRY(bnre__npy_open(data->path, &npy->x));
        BNRE_TRY(describe_arrays(data));
        BNRE_TRY(bnre__dataset_set_names(data, 0, 0, NULL));
        BNRE_TRY(bnre__dataset_set_names(data, 1, 0, NULL));
        goto done;
    }
    BNRE_TRY(bnre__text_format(&theta, "%.*s", (int)second - 1, data->path));
    BNRE_TRY(bnre__npy_open(theta, &npy->theta));
    BNRE_TRY(bnre__npy_open(data->path + second, &npy->x));
    BNRE_TRY(describe_arrays(data));
    BNRE_TRY(bnre__dataset_set_names(data, 0, 0, NULL));
    BNRE_TRY(bnre__dataset_set_names(data, 1, 0, NULL));
done:
    bnre__free(theta);
    return status;
}

/* A text of the record; NULL where there is none. */
static bnre_status copy_text(const bnre_node *record, const char *key,
                             char **out)
{
    const bnre_node *node = bnre_node_find(record, key);

    if (node == NULL || node->kind != BNRE_NODE_TEXT)
        return BNRE_OK;
    return bnre__strdup(node->text, out);
}

/* A list of names in the record; none where it has no such list. */
static bnre_status list_names(const bnre_node *record, const char *key,
                              const char ***name, size_t *n)
{
    bnre_status status = BNRE_OK;
    const bnre_node *list = bnre_node_find(record, key);

    *n = list == NULL || list->kind != BNRE_NODE_LIST ? 0 : list->count;
    BNRE_NEW(*name, *n);
    for (size_t i = 0; i < *n; i++)
        (*name)[i] = list->child[i]->text == NULL ? "" : list->child[i]->text;
done:
    return status;
}

static bnre_status copy_names(bnre_dataset *data, int nuisance,
                              const bnre_node *record)
{
    bnre_status status = BNRE_OK;
    const char **name = NULL;
    size_t n;

    BNRE_TRY(list_names(record, nuisance ? "nuisance" : "theta", &name, &n));
    BNRE_TRY(
        bnre__dataset_set_names(data, nuisance, data->only_x ? 0 : n, name));
done:
    bnre__free(name);
    return status;
}

static bnre_status copy_x_names(bnre_dataset *data, const bnre_node *record)
{
    bnre_status status = BNRE_OK;
    const char **name = NULL;
    size_t n;

    BNRE_TRY(list_names(record, "x", &name, &n));
    BNRE_TRY(bnre__dataset_set_x_names(data, n, name));
done:
    bnre__free(name);
    return status;
}

/* What the member `bnre`, if it is there, tells of how the file was made. */
static bnre_status read_record(bnre_dataset *data, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre__npy *npy = NULL;
    bnre_node *record = NULL;
    char *text = NULL;

    *out = NULL;
    BNRE_TRY(bnre__npz_open(data->path, "bnre", &npy));
    if (npy != NULL) {
        if (bnre__npy_describe(npy)->kind != 'S')
            BNRE_THROW(BNRE_EFORMAT, "%s: the member bnre is no text",
                       data->path);
        BNRE_TRY(bnre__npy_read_text(npy, &text));
        status = bnre_yaml_parse(text, data->path, &record);
        if (status == BNRE_EUSAGE)
            status = bnre_fail(BNRE_EFORMAT, "%s", bnre_error_message());
        BNRE_TRY(status);
    }
    BNRE_TRY(copy_text(record, "task", &data->task));
    BNRE_TRY(copy_text(record, "settings", &data->settings));
    BNRE_TRY(copy_text(record, "bnre_version", &data->version));
    BNRE_TRY(copy_text(record, "fingerprint", &data->fingerprint));
    BNRE_TRY(copy_text(record, "bnre_seal", &data->verify.seal));
    *out = record;
    record = NULL;
done:
    bnre_node_destroy(record);
    bnre__free(text);
    bnre__npy_close(npy);
    return status;
}

/* The checksums of blocks, as halves. */
static bnre_status read_sums(bnre_dataset *data, bnre__npy *npy)
{
    enum { HALVES = 2 * BNRE__BLOCK_ARRAYS };
    bnre__blocks *blocks = &data->verify.blocks;
    const bnre__npy_info *info = bnre__npy_describe(npy);
    bnre_status status = BNRE_OK;

    if (info->kind != 'u' || info->item != 4 ||
        info->rows != bnre__blocks_count(&data->info) ||
        info->row_size != HALVES)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s: bnre_blocks does not fit the other arrays: was the "
                   "file changed or damaged after it was written?",
                   data->path);
    BNRE_TRY(bnre__blocks_init(blocks, &data->info));
    for (size_t b = 0; b < blocks->count; b++) {
        double half[HALVES];

        BNRE_TRY(bnre__npy_read_f64(npy, b, 1, half));
        for (size_t k = 0; k < BNRE__BLOCK_ARRAYS; k++)
            blocks->sum[b][k] =
                (uint64_t)half[2 * k + 1] << 32 | (uint64_t)half[2 * k];
    }
    bnre__failure_hash_init(&data->verify.failures);
done:
    return status;
}

static bnre_status open_npz(bnre_dataset *data)
{
    bnre_status status = BNRE_OK;
    struct npy_data *npy = NULL;
    bnre_node *record = NULL;
    bnre__npy *sums = NULL;

    BNRE_NEW(npy, 1);
    data->self = npy;
    BNRE_TRY(read_record(data, &record));
    BNRE_TRY(bnre__npz_open(data->path, "bnre_blocks", &sums));
    bnre__dataset_claim(data, record != NULL || sums != NULL);
    BNRE_TRY(bnre__npz_open(data->path, "theta", &npy->theta));
    BNRE_TRY(bnre__npz_open(data->path, "nuisance", &npy->nuisance));
    BNRE_TRY(bnre__npz_open(data->path, "x", &npy->x));
    BNRE_TRY(bnre__npz_open(data->path, "status", &npy->status));
    BNRE_TRY(describe_arrays(data));
    BNRE_TRY(copy_names(data, 0, record));
    BNRE_TRY(copy_names(data, 1, record));
    BNRE_TRY(copy_x_names(data, record));
    if (sums != NULL)
        BNRE_TRY(read_sums(data, sums));
done:
    bnre__npy_close(sums);
    bnre_node_destroy(record);
    return status;
}

/* Numbers of any type; what is no status at all becomes 255. */
static bnre_status read_status(bnre__npy *npy, size_t first, size_t n,
                               uint8_t *out)
{
    bnre_status status = BNRE_OK;
    double value[256];
    size_t m;

    for (size_t done_rows = 0; done_rows < n; done_rows += m) {
        m = n - done_rows < 256 ? n - done_rows : 256;
        BNRE_TRY(bnre__npy_read_f64(npy, first + done_rows, m, value));
        for (size_t i = 0; i < m; i++)
            out[done_rows + i] = value[i] == 0 || value[i] == 1 || value[i] == 2
                                     ? (uint8_t)value[i]
                                     : 255;
    }
done:
    return status;
}

static bnre_status read_npy(bnre_dataset *data, size_t first, size_t n,
                            double *theta, double *nuisance, float *x,
                            uint8_t *flags, char (*reason)[BNRE_REASON_SIZE])
{
    const struct npy_data *npy = data->self;
    bnre_status status = BNRE_OK;

    if (theta != NULL)
        BNRE_TRY(bnre__npy_read_f64(npy->theta, first, n, theta));
    if (nuisance != NULL && npy->nuisance != NULL)
        BNRE_TRY(bnre__npy_read_f64(npy->nuisance, first, n, nuisance));
    if (x != NULL)
        BNRE_TRY(bnre__npy_read_f32(npy->x, first, n, x));
    if (flags != NULL && npy->status == NULL)
        memset(flags, BNRE_DRAW_OK, n);
    else if (flags != NULL)
        BNRE_TRY(read_status(npy->status, first, n, flags));
    if (reason != NULL)
        bnre__dataset_no_reasons(n, flags, reason);
done:
    return status;
}

static bnre_status read_wide(bnre_dataset *data, size_t first, size_t n,
                             double *x)
{
    const struct npy_data *npy = data->self;

    return bnre__npy_read_f64(npy->x, first, n, x);
}

const bnre__dataset_kind bnre__dataset_npz = {.format = "npz",
                                              .check = 1,
                                              .open = open_npz,
                                              .read = read_npy,
                                              .read_wide = read_wide,
                                              .close = close_npy};

const bnre__dataset_kind bnre__dataset_npy = {.format = "npy",
                                              .check = 1,
                                              .open = open_pair,
                                              .read = read_npy,
                                              .read_wide = read_wide,
                                              .close = close_npy};
