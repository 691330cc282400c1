/* h5_common.h - what reading and writing HDF5 files share; for h5_*.c only.

   The one place that includes the library's header. */
#ifndef BNRE_IO_H5_COMMON_H
#define BNRE_IO_H5_COMMON_H

#include <hdf5.h>

#include "io/h5.h"

enum { BNRE__H5_TEXT_LIMIT = 16 << 20 }; /* bytes of one attribute */

/* Every use of HDF5 stands between enter and leave: it takes no more than one
   thread at a time, and prints its errors unless told not to, which the rest of
   the program may want it to. */
typedef struct bnre__h5_printer {
    H5E_auto2_t print;
    void *arg;
} bnre__h5_printer;

bnre__h5_printer bnre__h5_enter(void);
void bnre__h5_leave(bnre__h5_printer outer);

/* HDF5 loses track of memory when a file is damaged, and would end the program
   with a puzzling complaint about itself: let it be silent from now on. */
void bnre__h5_mute(void);

/* Close whatever it is; nothing for a negative id. */
void bnre__h5_drop(hid_t id);

/* What HDF5 has to say about its last failure, written to `reason`. */
const char *bnre__h5_reason(char reason[256]);

/* Lay the file of such an access list out in memory of ours, which `resize` gives
   for `owner` and which outlives it. Negative on failure. */
typedef void *bnre__h5_resize(void *old, size_t size, H5FD_file_image_op_t op,
                              void *owner);
herr_t bnre__h5_lay_out(hid_t access, bnre__h5_resize *resize, void *owner);

/* The type of elements, in files as in memory; negative if there is none. */
hid_t bnre__h5_type(char kind, size_t item);

#endif
