/* nc_writer.c - NetCDF-4 files by HDF5 and its dimension scales.

   What the high-level library of HDF5 calls attaching a scale is done by hand:
   the variable has an attribute DIMENSION_LIST with a reference to each of its
   scales, each scale an attribute REFERENCE_LIST with those that refer to it. */
#include "io/nc.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"
#include "io/h5_common.h"

enum { MOST_SCALES = 32, MOST_USES = 256 };

/* As HDF5 wants it in REFERENCE_LIST. */
struct use {
    hobj_ref_t variable;
    int dimension;
};

struct scale {
    char name[64];
    size_t length;
    hid_t id;
    size_t uses;
    struct use use[MOST_USES];
};

struct bnre__nc {
    unsigned char
        *image; /* what HDF5 lays out; whole once the file is closed */
    size_t room;
    hid_t file, group; /* the group is the file before there is one */
    size_t scales;     /* of this group */
    struct scale *scale;
};

static bnre_status fail(const char *what)
{
    char reason[256];

    return bnre_fail(BNRE_EIO, "cannot make %s of a NetCDF file: %s", what,
                     bnre__h5_reason(reason));
}

/* Properties of creation that keep time and order of use out of the file. */
static hid_t plain(hid_t kind)
{
    const hid_t out = H5Pcreate(kind);

    H5Pset_obj_track_times(out, 0);
    H5Pset_attr_creation_order(out,
                               H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (kind != H5P_DATASET_CREATE)
        H5Pset_link_creation_order(out, H5P_CRT_ORDER_TRACKED |
                                            H5P_CRT_ORDER_INDEXED);
    return out;
}

/* The memory HDF5 works in is ours, and stays when it has closed the file. */
static void *image_resize(void *old, size_t size, H5FD_file_image_op_t op,
                          void *arg)
{
    bnre__nc *nc = arg;
    bnre_status status = BNRE_OK;

    (void)old;
    (void)op;
    BNRE_GROW(nc->image, nc->room, size);
done:
    return status == BNRE_OK ? nc->image : NULL;
}

bnre_status bnre__nc_create(bnre__nc **out)
{
    bnre_status status = BNRE_OK;
    const bnre__h5_printer outer = bnre__h5_enter();
    hid_t access = -1, creation = -1;
    bnre__nc *nc = NULL;
    char name[32];

    *out = NULL;
    BNRE_NEW(nc, 1);
    nc->file = nc->group = -1;
    BNRE_NEW(nc->scale, MOST_SCALES);
    access = H5Pcreate(H5P_FILE_ACCESS);
    creation = plain(H5P_FILE_CREATE);
    snprintf(name, sizeof name, "%p", (void *)nc);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_fapl_core(access, 1 << 16, 0);
    bnre__h5_lay_out(access, image_resize, nc);
    nc->file = H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
    if (nc->file < 0) {
        status = fail("the header");
        goto done;
    }
    nc->group = nc->file;
    *out = nc;
    nc = NULL;
done:
    bnre__h5_drop(creation);
    bnre__h5_drop(access);
    bnre__h5_leave(outer);
    bnre__nc_close(nc);
    return status;
}

/* ---- attributes ---- */

static int write_attribute(hid_t object, const char *name, hid_t type,
                           hid_t space, const void *data)
{
    const hid_t id =
        H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = id < 0 || H5Awrite(id, type, data) < 0;

    bnre__h5_drop(id);
    return bad;
}

static int write_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    int bad;

    H5Tset_size(type, strlen(text) + 1);
    H5Tset_strpad(type, H5T_STR_NULLTERM);
    H5Tset_cset(type, H5T_CSET_UTF8);
    bad = write_attribute(object, name, type, space, text);
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    return bad;
}

/* Marks of scales are plain letters. */
static int write_mark(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    int bad;

    H5Tset_size(type, strlen(text) + 1);
    bad = write_attribute(object, name, type, space, text);
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    return bad;
}

bnre_status bnre__nc_text(bnre__nc *nc, const char *name, const char *text)
{
    const bnre__h5_printer outer = bnre__h5_enter();
    const int bad = write_text(nc->group, name, text);
    const bnre_status status = bad ? fail(name) : BNRE_OK;

    bnre__h5_leave(outer);
    return status;
}

bnre_status bnre__nc_real(bnre__nc *nc, const char *name, double value)
{
    const bnre__h5_printer outer = bnre__h5_enter();
    const hid_t space = H5Screate(H5S_SCALAR);
    const int bad =
        write_attribute(nc->group, name, H5T_NATIVE_DOUBLE, space, &value);
    const bnre_status status = bad ? fail(name) : BNRE_OK;

    bnre__h5_drop(space);
    bnre__h5_leave(outer);
    return status;
}

/* ---- dimensions ---- */

/* REFERENCE_LIST of all scales of the group, which is left. */
static int finish_scales(bnre__nc *nc)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct use));
    int bad = 0;

    H5Tinsert(type, "dataset", HOFFSET(struct use, variable), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", HOFFSET(struct use, dimension),
              H5T_NATIVE_INT);
    for (size_t i = 0; i < nc->scales; i++) {
        struct scale *scale = &nc->scale[i];
        const hsize_t n = scale->uses;
        hid_t space;

        if (n > 0 && scale->id >= 0) {
            space = H5Screate_simple(1, &n, NULL);
            bad |= write_attribute(scale->id, "REFERENCE_LIST", type, space,
                                   scale->use);
            bnre__h5_drop(space);
        }
        bnre__h5_drop(scale->id);
        *scale = (struct scale){.id = -1};
    }
    nc->scales = 0;
    bnre__h5_drop(type);
    return bad;
}

bnre_status bnre__nc_group(bnre__nc *nc, const char *name)
{
    const bnre__h5_printer outer = bnre__h5_enter();
    const hid_t creation = plain(H5P_GROUP_CREATE);
    bnre_status status = BNRE_OK;

    if (finish_scales(nc))
        status = fail("a dimension");
    if (nc->group != nc->file)
        bnre__h5_drop(nc->group);
    nc->group = H5Gcreate2(nc->file, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (status == BNRE_OK && nc->group < 0)
        status = fail(name);
    bnre__h5_drop(creation);
    bnre__h5_leave(outer);
    return status;
}

static hid_t create_array(bnre__nc *nc, const char *name, hid_t type,
                          size_t ndim, const hsize_t *shape, const void *data)
{
    const hid_t creation = plain(H5P_DATASET_CREATE);
    const hid_t space = ndim > 0 ? H5Screate_simple((int)ndim, shape, NULL)
                                 : H5Screate(H5S_SCALAR);
    hid_t id = H5Dcreate2(nc->group, name, type, space, H5P_DEFAULT, creation,
                          H5P_DEFAULT);

    if (id >= 0 &&
        H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        bnre__h5_drop(id);
        id = -1;
    }
    bnre__h5_drop(space);
    bnre__h5_drop(creation);
    return id;
}

bnre_status bnre__nc_dimension(bnre__nc *nc, const char *name, size_t length)
{
    const bnre__h5_printer outer = bnre__h5_enter();
    struct scale *scale = &nc->scale[nc->scales];
    const hsize_t shape = length;
    bnre_status status = BNRE_OK;
    int64_t *index = NULL;

    if (nc->scales == MOST_SCALES || strlen(name) >= sizeof scale->name)
        BNRE_THROW(BNRE_EINVAL, "too many dimensions, or too long a name");
    BNRE_NEW(index, length);
    for (size_t i = 0; i < length; i++)
        index[i] = (int64_t)i;
    *scale = (struct scale){.length = length};
    snprintf(scale->name, sizeof scale->name, "%s", name);
    scale->id = create_array(nc, name, H5T_STD_I64LE, 1, &shape, index);
    nc->scales++;
    if (scale->id < 0 || write_mark(scale->id, "CLASS", "DIMENSION_SCALE") ||
        write_mark(scale->id, "NAME", name))
        status = fail(name);
done:
    bnre__free(index);
    bnre__h5_leave(outer);
    return status;
}

static struct scale *find_scale(bnre__nc *nc, const char *name)
{
    for (size_t i = 0; i < nc->scales; i++)
        if (strcmp(nc->scale[i].name, name) == 0)
            return &nc->scale[i];
    return NULL;
}

/* ---- variables ---- */

/* DIMENSION_LIST of a variable: for each of its dimensions a list of one. */
static int refer(bnre__nc *nc, const char *name, hid_t id, size_t ndim,
                 struct scale *const *scale)
{
    const hsize_t n = ndim;
    const hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    const hid_t space = H5Screate_simple(1, &n, NULL);
    hobj_ref_t target[BNRE__NC_DIMENSIONS], self;
    hvl_t list[BNRE__NC_DIMENSIONS];
    int bad = H5Rcreate(&self, nc->group, name, H5R_OBJECT, -1) < 0;

    for (size_t i = 0; i < ndim; i++) {
        bad |= H5Rcreate(&target[i], nc->group, scale[i]->name, H5R_OBJECT,
                         -1) < 0;
        list[i] = (hvl_t){.len = 1, .p = &target[i]};
        if (scale[i]->uses < MOST_USES)
            scale[i]->use[scale[i]->uses++] =
                (struct use){.variable = self, .dimension = (int)i};
    }
    bad |= write_attribute(id, "DIMENSION_LIST", type, space, list);
    bnre__h5_drop(space);
    bnre__h5_drop(type);
    return bad;
}

bnre_status bnre__nc_variable(bnre__nc *nc, const char *name, size_t ndim,
                              const char *const *dimension, const double *data)
{
    const bnre__h5_printer outer = bnre__h5_enter();
    struct scale *scale[BNRE__NC_DIMENSIONS];
    hsize_t shape[BNRE__NC_DIMENSIONS];
    bnre_status status = BNRE_OK;
    hid_t id = -1;

    for (size_t i = 0; i < ndim; i++) {
        scale[i] = find_scale(nc, dimension[i]);
        if (scale[i] == NULL)
            BNRE_THROW(BNRE_EINVAL, "there is no dimension %s", dimension[i]);
        shape[i] = scale[i]->length;
    }
    id = create_array(nc, name, H5T_IEEE_F64LE, ndim, shape, data);
    if (id < 0 || (ndim > 0 && refer(nc, name, id, ndim, scale)))
        status = fail(name);
done:
    bnre__h5_drop(id);
    bnre__h5_leave(outer);
    return status;
}

/* ---- the file ---- */

/* Close it: the image is then whole, and *size long. */
static bnre_status finish(bnre__nc *nc, size_t *size)
{
    const bnre__h5_printer outer = bnre__h5_enter();
    bnre_status status = BNRE_OK;
    hsize_t n = 0;
    int bad = finish_scales(nc);

    if (nc->group != nc->file)
        bnre__h5_drop(nc->group);
    bad |= H5Fflush(nc->file, H5F_SCOPE_GLOBAL) < 0 ||
           H5Fget_filesize(nc->file, &n) < 0;
    bad |= H5Fclose(nc->file) < 0;
    nc->group = nc->file = -1;
    *size = (size_t)n;
    if (bad || *size > nc->room)
        status = fail("the end");
    bnre__h5_leave(outer);
    return status;
}

bnre_status bnre__nc_write(bnre__nc *nc, const char *path)
{
    bnre_status status = BNRE_OK;
    size_t size = 0;

    BNRE_TRY(finish(nc, &size));
    status = bnre__file_put(path, nc->image, size);
done:
    return status;
}

void bnre__nc_close(bnre__nc *nc)
{
    bnre__h5_printer outer;

    if (nc == NULL)
        return;
    outer = bnre__h5_enter();
    for (size_t i = 0; i < nc->scales; i++)
        bnre__h5_drop(nc->scale[i].id);
    if (nc->group != nc->file)
        bnre__h5_drop(nc->group);
    bnre__h5_drop(nc->file);
    bnre__h5_leave(outer);
    bnre__free(nc->image);
    bnre__free(nc->scale);
    bnre__free(nc);
}
