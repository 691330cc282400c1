/* h5_common.c - what reading and writing HDF5 files share; for h5_*.c only. */
#include "io/h5_common.h"

#include <pthread.h>
#include <stdio.h>

/* Values go between memory and files as they are. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files hold little-endian values");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bnre__h5_printer bnre__h5_enter(void)
{
    bnre__h5_printer outer = {NULL, NULL};

    pthread_mutex_lock(&lock);
    H5Eget_auto2(H5E_DEFAULT, &outer.print, &outer.arg);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return outer;
}

void bnre__h5_leave(bnre__h5_printer outer)
{
    H5Eset_auto2(H5E_DEFAULT, outer.print, outer.arg);
    pthread_mutex_unlock(&lock);
}

void bnre__h5_mute(void)
{
    bnre__h5_enter();
    bnre__h5_leave((bnre__h5_printer){NULL, NULL});
}

void bnre__h5_drop(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *arg)
{
    char *reason = arg;

    if (n == 0 && error->desc != NULL)
        snprintf(reason, 256, "%s", error->desc);
    return 0;
}

const char *bnre__h5_reason(char reason[256])
{
    snprintf(reason, 256, "HDF5 does not say why");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
    return reason;
}

/* ---- files laid out in memory, which is not HDF5's to free ---- */

static herr_t image_free(void *image, H5FD_file_image_op_t op, void *arg)
{
    (void)image;
    (void)op;
    (void)arg;
    return 0;
}

static void *arg_copy(void *arg)
{
    return arg;
}

static herr_t arg_free(void *arg)
{
    (void)arg;
    return 0;
}

herr_t bnre__h5_lay_out(hid_t access, bnre__h5_resize *resize, void *owner)
{
    H5FD_file_image_callbacks_t calls = {.image_realloc = resize,
                                         .image_free = image_free,
                                         .udata_copy = arg_copy,
                                         .udata_free = arg_free,
                                         .udata = owner};

    return H5Pset_file_image_callbacks(access, &calls);
}

/* ---- types ---- */

static hid_t number_type(char kind, size_t item)
{
    switch (kind << 8 | (int)item) {
    case 'f' << 8 | 4:
        return H5T_IEEE_F32LE;
    case 'f' << 8 | 8:
        return H5T_IEEE_F64LE;
    case 'u' << 8 | 1:
        return H5T_STD_U8LE;
    case 'u' << 8 | 4:
        return H5T_STD_U32LE;
    case 'u' << 8 | 8:
        return H5T_STD_U64LE;
    case 'i' << 8 | 8:
        return H5T_STD_I64LE;
    }
    return -1;
}

hid_t bnre__h5_type(char kind, size_t item)
{
    hid_t type;

    if (kind != 'S') {
        type = number_type(kind, item);
        return type < 0 ? -1 : H5Tcopy(type);
    }
    if (item == 0)
        return -1;
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, item);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}
