/* h5_reader.c - reading HDF5 files that may be damaged or hostile: every
   claim is compared with the size of the file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "io/h5_common.h"

struct bnre__h5 {
    char *path;
    uint64_t size;
    hid_t id;
    int damaged; /* HDF5 could not read something */
};

struct bnre__h5_array {
    bnre__h5 *h5;
    char *name;
    hid_t id;
    bnre__h5_info info;
};

static bnre_status fail_reading(bnre__h5 *h5, const char *name)
{
    char reason[256];

    h5->damaged = 1;
    return bnre_fail(BNRE_EFORMAT, "cannot read %s of %s: %s", name, h5->path,
                     bnre__h5_reason(reason));
}

bnre_status bnre__h5_open(const char *path, bnre__h5 **out)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bnre__h5 *h5 = NULL;
    char reason[256];
    int fd = -1;

    *out = NULL;
    BNRE_NEW(h5, 1);
    h5->id = -1;
    BNRE_TRY(bnre__strdup(path, &h5->path));
    BNRE_TRY(bnre__file_open(path, &fd, &h5->size));
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    /* Files are replaced, not changed; and some file systems know no locks. */
    H5Pset_file_locking(access, 0, 1);
#endif
    h5->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (h5->id < 0)
        BNRE_THROW(BNRE_EFORMAT, "%s is not an HDF5 file or was cut short (%s)",
                   path, bnre__h5_reason(reason));
    *out = h5;
    h5 = NULL;
done:
    bnre__h5_drop(access);
    bnre__h5_leave(outer);
    if (fd >= 0)
        close(fd);
    if (h5 != NULL)
        h5->damaged = fd >= 0;
    bnre__h5_close(h5);
    return status;
}

bnre_status bnre__h5_open_bytes(const char *name, const void *bytes, size_t n,
                                bnre__h5 **out)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bnre__h5 *h5 = NULL;
    char reason[256], own[40];

    *out = NULL;
    BNRE_NEW(h5, 1);
    h5->id = -1;
    h5->size = n;
    BNRE_TRY(bnre__strdup(name, &h5->path));
    /* HDF5 takes files in memory that have the same name for the same file. */
    snprintf(own, sizeof own, "bytes %p", (void *)h5);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* HDF5 keeps a copy in memory, and writes nothing. */
    if (H5Pset_fapl_core(access, 1 << 16, 0) < 0 ||
        H5Pset_file_image(access, (void *)(uintptr_t)bytes, n) < 0)
        BNRE_THROW(BNRE_ENOMEM, "no memory for %s", name);
    h5->id = H5Fopen(own, H5F_ACC_RDONLY, access);
    if (h5->id < 0)
        BNRE_THROW(BNRE_EFORMAT, "%s is not an HDF5 file or was cut short (%s)",
                   name, bnre__h5_reason(reason));
    *out = h5;
    h5 = NULL;
done:
    bnre__h5_drop(access);
    bnre__h5_leave(outer);
    if (h5 != NULL)
        h5->damaged = 1;
    bnre__h5_close(h5);
    return status;
}

void bnre__h5_close(bnre__h5 *h5)
{
    bnre__h5_printer outer;

    if (h5 == NULL)
        return;
    outer = bnre__h5_enter();
    if (h5->id >= 0)
        H5Fclose(h5->id);
    bnre__h5_leave(outer);
    if (h5->damaged)
        bnre__h5_mute();
    bnre__free(h5->path);
    bnre__free(h5);
}

/* Whether there is such an object in this very file. */
static bnre_status find_object(bnre__h5 *h5, const char *name, int *found)
{
    H5L_info_t info;
    char part[256];
    htri_t there;

    *found = strcmp(name, "/") == 0;
    for (size_t n = 1; !*found && n <= strlen(name); n++) {
        if (name[n] != '/' && name[n] != 0)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)n, name);
        there = H5Lexists(h5->id, part, H5P_DEFAULT);
        if (there == 0)
            return BNRE_OK;
        if (there < 0)
            return fail_reading(h5, part);
        if (H5Lget_info(h5->id, part, &info, H5P_DEFAULT) < 0)
            return fail_reading(h5, name);
        if (info.type != H5L_TYPE_HARD)
            return bnre_fail(BNRE_EFORMAT,
                             "%s of %s is a link to elsewhere, which is not "
                             "followed: copy the data into the file",
                             part, h5->path);
        *found = name[n] == 0;
    }
    return BNRE_OK;
}

/* Only hostile files go this far: HDF5 would hold a whole chunk in memory, and
   no packing is that good. */
enum { CHUNK_LIMIT = 256 << 20, PACKING_LIMIT = 1 << 16 };

static bnre_status fail_array(const bnre__h5_array *array, const char *what)
{
    return bnre_fail(BNRE_EFORMAT, "%s of %s %s", array->name, array->h5->path,
                     what);
}

static bnre_status describe_type(bnre__h5_array *array)
{
    hid_t type = H5Dget_type(array->id);
    H5T_class_t class = H5Tget_class(type);
    size_t item = H5Tget_size(type);
    bnre_status status = BNRE_OK;

    array->info.item = item;
    if (class == H5T_FLOAT && item <= 16)
        array->info.kind = 'f';
    else if (class == H5T_INTEGER && item <= 8)
        array->info.kind = H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
    else if (class == H5T_STRING && H5Tis_variable_str(type) == 0 && item > 0)
        array->info.kind = 'S';
    else
        status = fail_array(array, "is no array of plain numbers: convert it "
                                   "to floats");
    bnre__h5_drop(type);
    return status;
}

static bnre_status describe_shape(bnre__h5_array *array)
{
    bnre_status status = BNRE_OK;
    bnre__h5_info *info = &array->info;
    hid_t space = H5Dget_space(array->id);
    int ndim = H5Sget_simple_extent_ndims(space);
    hsize_t dims[H5S_MAX_RANK];

    if (H5Sget_simple_extent_type(space) == H5S_NULL || ndim < 0 ||
        ndim > BNRE__H5_MAX_NDIM) {
        status = fail_array(array, "is empty or has too many dimensions");
        goto done;
    }
    H5Sget_simple_extent_dims(space, dims, NULL);
    info->ndim = (size_t)ndim;
    info->rows = info->row_size = 1;
    for (size_t i = 0; i < info->ndim; i++) {
        size_t *into = i == 0 ? &info->rows : &info->row_size;

        info->shape[i] = (size_t)dims[i];
        if (__builtin_mul_overflow(*into, info->shape[i], into)) {
            status = fail_array(array, "claims more values than can be");
            goto done;
        }
    }
done:
    bnre__h5_drop(space);
    return status;
}

/* Chunks: reading rows in order should unpack each of them once. */
static bnre_status reopen_chunked(bnre__h5_array *array, hid_t creation)
{
    const bnre__h5_info *info = &array->info;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    bnre_status status = BNRE_OK;
    hsize_t chunk[H5S_MAX_RANK];
    int ndim = H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
    double bytes = (double)info->item, row = (double)info->item;
    size_t cache;

    if (ndim != (int)info->ndim) {
        status = fail_reading(array->h5, array->name);
        goto done;
    }
    for (int i = 0; i < ndim; i++) {
        double wide = (double)info->shape[i] / (double)chunk[i] + 1;

        bytes *= (double)chunk[i];
        row *= i == 0 ? (double)chunk[i] : wide * (double)chunk[i];
    }
    if (bytes > CHUNK_LIMIT) {
        status = fail_array(array, "has chunks of more than 256 MiB: write it "
                                   "with smaller ones");
        goto done;
    }
    cache = row < CHUNK_LIMIT ? (size_t)row : CHUNK_LIMIT;
    H5Pset_chunk_cache(access, 12421, cache < 1 << 20 ? 1 << 20 : cache, 1);
    bnre__h5_drop(array->id);
    array->id = H5Dopen2(array->h5->id, array->name, access);
    if (array->id < 0)
        status = fail_reading(array->h5, array->name);
done:
    bnre__h5_drop(access);
    return status;
}

/* The data is in this file, and as much as the shape says. */
static bnre_status check_storage(bnre__h5_array *array)
{
    bnre_status status = BNRE_OK;
    const bnre__h5_info *info = &array->info;
    hid_t creation = H5Dget_create_plist(array->id);
    H5D_layout_t layout = H5Pget_layout(creation);
    double bytes =
        (double)info->rows * (double)info->row_size * (double)info->item;
    double limit = (double)array->h5->size;

    array->info.stored = H5Dget_storage_size(array->id);
    if (layout == H5D_CHUNKED)
        limit *= PACKING_LIMIT;
    if ((layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS &&
         layout != H5D_COMPACT) ||
        H5Pget_external_count(creation) > 0)
        status = fail_array(array, "keeps its data in other files: copy them "
                                   "into one");
    else if (bytes > limit)
        status = fail_array(array, "claims more data than the file has bytes");
    else if (bytes > 0 && info->stored == 0)
        status = fail_array(array, "was never written");
    else if (layout == H5D_CHUNKED)
        status = reopen_chunked(array, creation);
    bnre__h5_drop(creation);
    return status;
}

bnre_status bnre__h5_array_open(bnre__h5 *h5, const char *name,
                                bnre__h5_array **out)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    bnre__h5_array *array = NULL;
    int found;

    *out = NULL;
    BNRE_TRY(find_object(h5, name, &found));
    if (!found)
        goto done;
    BNRE_NEW(array, 1);
    array->h5 = h5;
    array->id = -1;
    BNRE_TRY(bnre__strdup(name, &array->name));
    array->id = H5Dopen2(h5->id, name, H5P_DEFAULT);
    if (array->id < 0) {
        status = fail_reading(h5, name);
        goto done;
    }
    BNRE_TRY(describe_type(array));
    BNRE_TRY(describe_shape(array));
    BNRE_TRY(check_storage(array));
    *out = array;
    array = NULL;
done:
    bnre__h5_leave(outer);
    bnre__h5_array_close(array);
    return status;
}

void bnre__h5_array_close(bnre__h5_array *array)
{
    bnre__h5_printer outer;

    if (array == NULL)
        return;
    outer = bnre__h5_enter();
    bnre__h5_drop(array->id);
    bnre__h5_leave(outer);
    bnre__free(array->name);
    bnre__free(array);
}

const bnre__h5_info *bnre__h5_array_describe(const bnre__h5_array *array)
{
    return &array->info;
}

bnre_status bnre__h5_array_read(bnre__h5_array *array, char kind, size_t item,
                                size_t first, size_t n, void *out)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    const bnre__h5_info *info = &array->info;
    hid_t type = bnre__h5_type(kind, item), from = -1, to = -1;
    hsize_t start[BNRE__H5_MAX_NDIM] = {first}, count[BNRE__H5_MAX_NDIM];

    if (first > info->rows || n > info->rows - first)
        BNRE_THROW(BNRE_EINVAL, "rows %zu to %zu of the %zu of %s in %s", first,
                   first + n, info->rows, array->name, array->h5->path);
    if (type < 0 || (kind == 'S') != (info->kind == 'S') ||
        (kind == 'S' && item != info->item))
        BNRE_THROW(BNRE_EFORMAT, "%s of %s holds %s", array->name,
                   array->h5->path, info->kind == 'S' ? "texts" : "numbers");
    if (n == 0 || info->row_size == 0)
        goto done;
    for (size_t i = 0; i < info->ndim; i++)
        count[i] = i == 0 ? n : info->shape[i];
    from = H5Dget_space(array->id);
    to = info->ndim > 0 ? H5Screate_simple((int)info->ndim, count, NULL)
                        : H5Screate(H5S_SCALAR);
    if ((info->ndim > 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, start,
                                               NULL, count, NULL) < 0) ||
        H5Dread(array->id, type, to, from, H5P_DEFAULT, out) < 0)
        status = fail_reading(array->h5, array->name);
done:
    bnre__h5_drop(to);
    bnre__h5_drop(from);
    bnre__h5_drop(type);
    bnre__h5_leave(outer);
    return status;
}

/* An attribute of this name; negative and BNRE_OK if there is none. */
static bnre_status open_attribute(bnre__h5 *h5, const char *object,
                                  const char *name, hid_t *out)
{
    bnre_status status = BNRE_OK;
    htri_t there;
    int found;

    *out = -1;
    BNRE_TRY(find_object(h5, object, &found));
    if (!found)
        goto done;
    there = H5Aexists_by_name(h5->id, object, name, H5P_DEFAULT);
    if (there < 0)
        BNRE_TRY(fail_reading(h5, name));
    if (there <= 0)
        goto done;
    *out = H5Aopen_by_name(h5->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*out < 0)
        status = fail_reading(h5, name);
done:
    return status;
}

/* Texts of fixed length, `item` bytes each, padded with zeros or spaces. */
static bnre_status copy_fixed(hid_t type, size_t n, const char *table,
                              char **text)
{
    bnre_status status = BNRE_OK;
    size_t item = H5Tget_size(type);

    for (size_t i = 0; i < n; i++, table += item) {
        size_t length = strnlen(table, item);

        if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
            while (length > 0 && table[length - 1] == ' ')
                length--;
        BNRE_NEW(text[i], length + 1);
        memcpy(text[i], table, length);
    }
done:
    return status;
}

static bnre_status read_fixed(bnre__h5 *h5, const char *name, hid_t attribute,
                              hid_t type, size_t n, char **text)
{
    bnre_status status = BNRE_OK;
    char *table = NULL;

    BNRE_NEW(table, n * H5Tget_size(type));
    if (H5Aread(attribute, type, table) < 0)
        status = fail_reading(h5, name);
    else
        status = copy_fixed(type, n, table, text);
done:
    bnre__free(table);
    return status;
}

/* Texts of variable length, which HDF5 allocates itself. */
static bnre_status read_variable(bnre__h5 *h5, const char *name,
                                 hid_t attribute, size_t n, char **text)
{
    bnre_status status = BNRE_OK;
    hid_t kind = H5Aget_type(attribute), type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Aget_space(attribute);
    char **found = NULL;

    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5Tget_cset(kind));
    BNRE_NEW(found, n);
    if (H5Aread(attribute, type, found) < 0) {
        status = fail_reading(h5, name);
        goto done;
    }
    for (size_t i = 0; i < n && status == BNRE_OK; i++)
        status = bnre__strdup(found[i] != NULL ? found[i] : "", &text[i]);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, found);
done:
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    bnre__h5_drop(kind);
    bnre__free(found);
    return status;
}

static bnre_status read_texts(bnre__h5 *h5, const char *object,
                              const char *name, size_t *n, char ***out)
{
    bnre_status status = BNRE_OK;
    hid_t attribute = -1, type = -1, space = -1;
    char **text = NULL;
    hssize_t points = 0;

    *n = 0;
    *out = NULL;
    BNRE_TRY(open_attribute(h5, object, name, &attribute));
    if (attribute < 0)
        goto done;
    type = H5Aget_type(attribute);
    space = H5Aget_space(attribute);
    points = H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) != H5T_STRING || points < 0)
        BNRE_THROW(BNRE_EFORMAT, "the attribute %s of %s is no text", name,
                   h5->path);
    if ((double)points * (double)H5Tget_size(type) > BNRE__H5_TEXT_LIMIT)
        BNRE_THROW(BNRE_EFORMAT, "the attribute %s of %s is too long", name,
                   h5->path);
    if (points == 0)
        goto done;
    BNRE_NEW(text, (size_t)points);
    if (H5Tis_variable_str(type) > 0)
        BNRE_TRY(read_variable(h5, name, attribute, (size_t)points, text));
    else
        BNRE_TRY(read_fixed(h5, name, attribute, type, (size_t)points, text));
    *n = (size_t)points;
    *out = text;
    text = NULL;
done:
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    bnre__h5_drop(attribute);
    bnre__texts_free((size_t)points, text);
    return status;
}

bnre_status bnre__h5_texts(bnre__h5 *h5, const char *object, const char *name,
                           size_t *n, char ***out)
{
    bnre__h5_printer outer = bnre__h5_enter();
    bnre_status status = read_texts(h5, object, name, n, out);

    bnre__h5_leave(outer);
    return status;
}

bnre_status bnre__h5_text(bnre__h5 *h5, const char *object, const char *name,
                          char **out)
{
    bnre_status status = BNRE_OK;
    char **text = NULL;
    size_t n = 0;

    *out = NULL;
    BNRE_TRY(bnre__h5_texts(h5, object, name, &n, &text));
    if (n > 1)
        BNRE_THROW(BNRE_EFORMAT, "the attribute %s of %s is a list of texts",
                   name, h5->path);
    if (n == 1) {
        *out = text[0];
        text[0] = NULL;
    }
done:
    bnre__texts_free(n, text);
    return status;
}

bnre_status bnre__h5_int(bnre__h5 *h5, const char *object, const char *name,
                         int *found, int64_t *out)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hid_t attribute = -1, type = -1, space = -1;

    *found = 0;
    BNRE_TRY(open_attribute(h5, object, name, &attribute));
    if (attribute < 0)
        goto done;
    type = H5Aget_type(attribute);
    space = H5Aget_space(attribute);
    if (H5Tget_class(type) != H5T_INTEGER ||
        H5Sget_simple_extent_npoints(space) != 1)
        BNRE_THROW(BNRE_EFORMAT, "the attribute %s of %s is no integer", name,
                   h5->path);
    if (H5Aread(attribute, H5T_NATIVE_INT64, out) < 0)
        status = fail_reading(h5, name);
    else
        *found = 1;
done:
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    bnre__h5_drop(attribute);
    bnre__h5_leave(outer);
    return status;
}
