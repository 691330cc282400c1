/* h5_writer.c - writing HDF5 files in memory of a known size, whole or not
   at all. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"
#include "io/h5_common.h"

enum { BLOCK = 4096 };

struct place {
    uint64_t offset;
    size_t rows, row_bytes;
};

struct bnre__h5_writer {
    bnre__file *file;
    char *path;
    hid_t h5; /* lives in `image` */
    unsigned char *image;
    size_t room;   /* of the image */
    int overflow;  /* HDF5 wanted more of it */
    uint64_t head; /* where the first array begins */
    uint64_t end;  /* of the last array; 0 without one */
    struct place *array;
    size_t arrays, array_room;
};

static bnre_status fail_crowded(const bnre__h5_writer *writer)
{
    return bnre_fail(BNRE_EINVAL,
                     "%s: more or longer attributes than announced",
                     writer->path);
}

static bnre_status fail_writing(const bnre__h5_writer *writer, const char *name)
{
    char reason[256];

    if (writer->overflow)
        return fail_crowded(writer);
    return bnre_fail(BNRE_EIO, "cannot write %s of %s: %s", name, writer->path,
                     bnre__h5_reason(reason));
}

/* Nothing of when or how an object came about, only what it is. */
static void set_plain(hid_t creation)
{
    H5Pset_obj_track_times(creation, 0);
    H5Pset_attr_phase_change(creation, 4096, 4000);
}

/* The memory HDF5 lays the file out in is ours, and is read when HDF5 has
   closed the file. */
static void *image_resize(void *old, size_t size, H5FD_file_image_op_t op,
                          void *arg)
{
    bnre__h5_writer *writer = arg;

    (void)old;
    (void)op;
    if (size <= writer->room)
        return writer->image;
    writer->overflow = 1;
    return NULL;
}

static bnre_status create_in_memory(bnre__h5_writer *writer, size_t block)
{
    bnre_status status = BNRE_OK;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    char name[32]; /* tells open files apart, is no file */

    snprintf(name, sizeof name, "%p", (void *)writer);
    set_plain(creation);
    H5Pset_link_phase_change(creation, 4096, 4000);
    /* All that is not arrays goes into one block before them. */
    H5Pset_meta_block_size(access, block);
    H5Pset_small_data_block_size(access, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    if (H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
        H5Pset_fapl_core(access, 1, 0) < 0 ||
        bnre__h5_lay_out(access, image_resize, writer) < 0 ||
        (writer->h5 = H5Fcreate(name, H5F_ACC_TRUNC, creation, access)) < 0)
        status = fail_writing(writer, "the header");
    bnre__h5_drop(creation);
    bnre__h5_drop(access);
    return status;
}

bnre_status bnre__h5_writer_create(const char *path, size_t objects,
                                   size_t text, bnre__h5_writer **out)
{
    bnre_status status = BNRE_OK;
    bnre__h5_writer *writer = NULL;
    bnre__h5_printer outer = bnre__h5_enter();
    size_t block;

    *out = NULL;
    if (text > BNRE__H5_TEXT_LIMIT || objects > BNRE__H5_TEXT_LIMIT / 512)
        BNRE_THROW(BNRE_EINVAL,
                   "%s: %zu objects with %zu bytes of text are too many", path,
                   objects, text);
    /* An attribute may be moved once, when more are added; objects are smaller
       than this. */
    block = (1024 + 512 * objects + 2 * text + BLOCK - 1) / BLOCK * BLOCK;
    BNRE_NEW(writer, 1);
    writer->h5 = -1;
    writer->room = 4 * block;
    BNRE_NEW(writer->image, writer->room);
    BNRE_TRY(bnre__strdup(path, &writer->path));
    BNRE_TRY(create_in_memory(writer, block));
    BNRE_TRY(bnre__file_create(path, &writer->file));
    *out = writer;
    writer = NULL;
done:
    bnre__h5_leave(outer);
    bnre__h5_writer_discard(writer);
    return status;
}

/* Descriptions must not come to lie behind arrays: the image ends there. */
static bnre_status check_end(const bnre__h5_writer *writer)
{
    hsize_t size = 0;

    H5Fget_filesize(writer->h5, &size);
    if (size > (writer->arrays > 0 ? writer->end : writer->room))
        return fail_crowded(writer);
    return BNRE_OK;
}

bnre_status bnre__h5_writer_group(bnre__h5_writer *writer, const char *name)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE), group;

    set_plain(creation);
    group = H5Gcreate2(writer->h5, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    status = group < 0 ? fail_writing(writer, name) : check_end(writer);
    bnre__h5_drop(group);
    bnre__h5_drop(creation);
    bnre__h5_leave(outer);
    return status;
}

/* Where HDF5 has put an array, and that nothing else is behind it. */
static bnre_status place_array(bnre__h5_writer *writer, hid_t array,
                               size_t rows, size_t row_bytes)
{
    uint64_t bytes = (uint64_t)rows * row_bytes;
    struct place *place = &writer->array[writer->arrays];

    *place = (struct place){.rows = rows, .row_bytes = row_bytes};
    if (bytes > 0) {
        haddr_t offset = H5Dget_offset(array);

        if (offset == HADDR_UNDEF ||
            (writer->end > 0 && offset != writer->end) ||
            (writer->end == 0 && offset > writer->room))
            BNRE_DO(fail_crowded(writer));
        place->offset = offset;
        if (writer->end == 0)
            writer->head = offset;
        writer->end = offset + bytes;
        BNRE_DO(bnre__file_extend(writer->file, writer->end));
    }
    writer->arrays++;
    return BNRE_OK;
}

bnre_status bnre__h5_writer_array(bnre__h5_writer *writer, const char *name,
                                  char kind, size_t item, size_t ndim,
                                  const size_t *shape, size_t *id)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = -1, array = -1;
    hid_t type = bnre__h5_type(kind, item);
    hsize_t dims[BNRE__H5_MAX_NDIM];
    size_t rows = ndim > 0 ? shape[0] : 1, row_bytes = item;

    *id = writer->arrays;
    if (type < 0 || ndim > BNRE__H5_MAX_NDIM)
        BNRE_THROW(BNRE_EINVAL, "%s: no array of %zu dimensions of %c%zu",
                   writer->path, ndim, kind, item);
    for (size_t i = 0; i < ndim; i++) {
        dims[i] = shape[i];
        if (i > 0 && __builtin_mul_overflow(row_bytes, shape[i], &row_bytes))
            rows = SIZE_MAX;
    }
    if (row_bytes > 0 && rows > INT64_MAX / 2 / row_bytes)
        BNRE_THROW(BNRE_EINVAL, "%s: the array %s is too large", writer->path,
                   name);
    BNRE_GROW(writer->array, writer->array_room, writer->arrays + 1);
    set_plain(creation);
    H5Pset_layout(creation, H5D_CONTIGUOUS);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    space = ndim > 0 ? H5Screate_simple((int)ndim, dims, NULL)
                     : H5Screate(H5S_SCALAR);
    array = H5Dcreate2(writer->h5, name, type, space, H5P_DEFAULT, creation,
                       H5P_DEFAULT);
    if (array < 0) {
        status = fail_writing(writer, name);
        goto done;
    }
    BNRE_TRY(place_array(writer, array, rows, row_bytes));
    BNRE_TRY(check_end(writer));
done:
    bnre__h5_drop(array);
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    bnre__h5_drop(creation);
    bnre__h5_leave(outer);
    return status;
}

bnre_status bnre__h5_writer_rows(bnre__h5_writer *writer, size_t id,
                                 size_t first, size_t n, const void *data)
{
    const struct place *place;

    if (id >= writer->arrays)
        return bnre_fail(BNRE_EINVAL, "%s has no array %zu", writer->path, id);
    place = &writer->array[id];
    if (first > place->rows || n > place->rows - first)
        return bnre_fail(BNRE_EINVAL,
                         "rows %zu to %zu of an array of %zu in %s", first,
                         first + n, place->rows, writer->path);
    return bnre__file_write_at(writer->file,
                               place->offset + first * place->row_bytes, data,
                               n * place->row_bytes);
}

/* Takes `space` and `type`. */
static bnre_status add_attribute(bnre__h5_writer *writer, const char *object,
                                 const char *name, hid_t type, hid_t space,
                                 const void *value)
{
    bnre_status status = BNRE_OK;
    hid_t attribute = H5Acreate_by_name(writer->h5, object, name, type, space,
                                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    if (attribute < 0 || H5Awrite(attribute, type, value) < 0)
        status = fail_writing(writer, name);
    else
        status = check_end(writer);
    bnre__h5_drop(attribute);
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    return status;
}

bnre_status bnre__h5_writer_text(bnre__h5_writer *writer, const char *object,
                                 const char *name, const char *text)
{
    bnre_status status;
    bnre__h5_printer outer = bnre__h5_enter();
    size_t length = strlen(text);

    status = add_attribute(writer, object, name,
                           bnre__h5_type('S', length > 0 ? length : 1),
                           H5Screate(H5S_SCALAR), text);
    bnre__h5_leave(outer);
    return status;
}

bnre_status bnre__h5_writer_texts(bnre__h5_writer *writer, const char *object,
                                  const char *name, size_t n,
                                  const char *const *text)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hsize_t count = n;
    size_t item = 1;
    char *table = NULL;

    for (size_t i = 0; i < n; i++)
        if (strlen(text[i]) > item)
            item = strlen(text[i]);
    BNRE_NEW(table, n * item);
    for (size_t i = 0; i < n; i++)
        memcpy(table + i * item, text[i], strlen(text[i]));
    status = add_attribute(writer, object, name, bnre__h5_type('S', item),
                           H5Screate_simple(1, &count, NULL), table);
done:
    bnre__h5_leave(outer);
    bnre__free(table);
    return status;
}

bnre_status bnre__h5_writer_int(bnre__h5_writer *writer, const char *object,
                                const char *name, int64_t value)
{
    bnre_status status;
    bnre__h5_printer outer = bnre__h5_enter();

    status = add_attribute(writer, object, name, H5Tcopy(H5T_STD_I64LE),
                           H5Screate(H5S_SCALAR), &value);
    bnre__h5_leave(outer);
    return status;
}

/* Let HDF5 finish the image. */
static herr_t close_image(bnre__h5_writer *writer)
{
    hid_t h5 = writer->h5;

    writer->h5 = -1;
    return h5 >= 0 ? H5Fclose(h5) : 0;
}

bnre_status bnre__h5_writer_commit(bnre__h5_writer *writer)
{
    bnre_status status = BNRE_OK;
    bnre__h5_printer outer = bnre__h5_enter();
    hsize_t size = 0;
    bnre__file *file;

    BNRE_TRY(check_end(writer));
    H5Fget_filesize(writer->h5, &size);
    if (writer->end == 0) {
        writer->head = size;
        BNRE_TRY(bnre__file_extend(writer->file, size));
    }
    if (close_image(writer) < 0) {
        status = fail_writing(writer, "the header");
        goto done;
    }
    BNRE_TRY(bnre__file_write_at(
        writer->file, 0, writer->image,
        writer->head < writer->room ? (size_t)writer->head : writer->room));
    file = writer->file;
    writer->file = NULL;
    BNRE_TRY(bnre__file_commit(file));
done:
    bnre__h5_leave(outer);
    bnre__h5_writer_discard(writer);
    return status;
}

void bnre__h5_writer_discard(bnre__h5_writer *writer)
{
    bnre__h5_printer outer;

    if (writer == NULL)
        return;
    outer = bnre__h5_enter();
    close_image(writer);
    bnre__h5_leave(outer);
    bnre__file_discard(writer->file);
    bnre__free(writer->array);
    bnre__free(writer->image);
    bnre__free(writer->path);
    bnre__free(writer);
}
