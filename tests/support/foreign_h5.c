#include "foreign_h5.h"

#include <stdio.h>
#include <string.h>

#include "io/h5_common.h"
#include "support.h"

static hid_t packed(size_t cols, hid_t *type)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {7, cols / 2 + 1};

    *type = H5T_STD_I16BE;
    H5Pset_chunk(creation, 2, chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 6);
    return creation;
}

static hid_t creation_of(enum foreign_h5 kind, size_t cols, hid_t *type)
{
    hid_t creation;
    hsize_t chunk[2] = {kind == FOREIGN_HUGE_CHUNK ? 1u << 28 : 5, 1};

    *type = H5T_IEEE_F64LE;
    if (kind == FOREIGN_PACKED)
        return packed(cols, type);
    creation = H5Pcreate(H5P_DATASET_CREATE);
    if (kind == FOREIGN_CHUNKED || kind == FOREIGN_HUGE_CHUNK ||
        kind == FOREIGN_HUGE_SHAPE)
        H5Pset_chunk(creation, 2, chunk);
    if (kind == FOREIGN_EXTERNAL)
        H5Pset_external(creation, "/dev/zero", 0, H5F_UNLIMITED);
    return creation;
}

static hid_t boolean_type(void)
{
    hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    signed char no = 0, yes = 1;

    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    return type;
}

static void write_counting(hid_t array, size_t rows, size_t cols)
{
    hsize_t count[2] = {rows, cols}, start[2] = {0, 0};
    hid_t from = H5Screate_simple(2, count, NULL), to = H5Dget_space(array);
    double *data = NULL;

    assert_non_null(data = bnre__alloc(rows * cols, sizeof *data));
    for (size_t i = 0; i < rows * cols; i++)
        data[i] = (double)i;
    H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_true(
        H5Dwrite(array, H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, data) >= 0);
    bnre__free(data);
    H5Sclose(to);
    H5Sclose(from);
}

static void write_array(hid_t file, enum foreign_h5 kind, size_t rows,
                        size_t cols)
{
    hid_t type, creation = creation_of(kind, cols, &type), space, array;
    hsize_t dims[2] = {rows, cols};

    if (kind == FOREIGN_HUGE_CHUNK)
        dims[0] = 1u << 28;
    if (kind == FOREIGN_HUGE_SHAPE)
        dims[0] = (hsize_t)1 << 60;
    if (kind == FOREIGN_BOOLEAN)
        type = boolean_type();
    space = H5Screate_simple(2, dims, NULL);
    array = H5Dcreate2(file, "data", type, space, H5P_DEFAULT, creation,
                       H5P_DEFAULT);
    assert_true(array >= 0);
    if (kind == FOREIGN_PACKED || kind == FOREIGN_CHUNKED ||
        kind == FOREIGN_HUGE_SHAPE)
        write_counting(array, rows, cols);
    H5Dclose(array);
    H5Sclose(space);
    if (kind == FOREIGN_BOOLEAN)
        H5Tclose(type);
    H5Pclose(creation);
}

void foreign_h5_write(const char *path, enum foreign_h5 kind, size_t rows,
                      size_t cols)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(file >= 0);
    if (kind == FOREIGN_LINK)
        H5Lcreate_soft("/nothing", file, "data", H5P_DEFAULT, H5P_DEFAULT);
    else if (kind == FOREIGN_GROUP)
        H5Gclose(
            H5Gcreate2(file, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else
        write_array(file, kind, rows, cols);
    H5Fclose(file);
}

static hid_t open_or_create(const char *path)
{
    FILE *there = fopen(path, "rb");

    if (there == NULL)
        return H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    fclose(there);
    return H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
}

void foreign_h5_array(const char *path, const char *name, size_t ndim,
                      const size_t *shape, const double *data)
{
    hid_t file = open_or_create(path), space, array;
    hsize_t dims[8];

    for (size_t i = 0; i < ndim; i++)
        dims[i] = shape[i];
    space = H5Screate_simple((int)ndim, dims, NULL);
    array = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT,
                       H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                         H5P_DEFAULT, data) >= 0);
    H5Dclose(array);
    H5Sclose(space);
    H5Fclose(file);
}

void foreign_h5_texts(const char *path, const char *object, const char *name,
                      size_t n, const char *const *text)
{
    hid_t file = open_or_create(path), type = H5Tcopy(H5T_C_S1), space;
    hid_t attribute;
    hsize_t count = n;

    H5Tset_size(type, H5T_VARIABLE);
    space = H5Screate_simple(1, &count, NULL);
    attribute = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
}
