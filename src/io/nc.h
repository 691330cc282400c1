/* nc.h - NetCDF-4 files: groups of variables over named dimensions.

   A NetCDF-4 file is an HDF5 file in which every dimension is a dimension scale
   and every variable refers to those it runs over. Dimensions have coordinates
   0, 1, ... as integers. The file is laid out in memory, appears whole or not at
   all, and equal calls give equal bytes. */
#ifndef BNRE_IO_NC_H
#define BNRE_IO_NC_H

#include <stddef.h>

#include "bnre/status.h"

typedef struct bnre__nc bnre__nc;

enum { BNRE__NC_DIMENSIONS = 10 }; /* of a variable, at most */

BNRE_MUST_CHECK bnre_status bnre__nc_create(bnre__nc **out);

/* A group, and from then on the one that the other calls are about. */
BNRE_MUST_CHECK bnre_status bnre__nc_group(bnre__nc *nc, const char *name);
BNRE_MUST_CHECK bnre_status bnre__nc_dimension(bnre__nc *nc, const char *name,
                                               size_t length);
/* Doubles over dimensions of this group. */
BNRE_MUST_CHECK bnre_status bnre__nc_variable(bnre__nc *nc, const char *name,
                                              size_t ndim,
                                              const char *const *dimension,
                                              const double *data);
/* An attribute of the group; of the file before there is a group. */
BNRE_MUST_CHECK bnre_status bnre__nc_text(bnre__nc *nc, const char *name,
                                          const char *text);
BNRE_MUST_CHECK bnre_status bnre__nc_real(bnre__nc *nc, const char *name,
                                          double value);

/* Write the file, once: nc can only be closed after it. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__nc_write(bnre__nc *nc, const char *path);
void bnre__nc_close(bnre__nc *nc); /* NULL is fine */

#endif
