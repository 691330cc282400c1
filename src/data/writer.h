/* writer.h - rows into files of any format. */
#ifndef BNRE_DATA_WRITER_H
#define BNRE_DATA_WRITER_H

#include "data/rows.h"

typedef struct bnre__format {
    const char *name, *ending;
    /* Write all of `rows` to a new version of the file `path`. Fills in the
       fingerprint. */
    bnre_status (*write)(const char *path, const bnre__rows *rows,
                         char fingerprint[33]);
} bnre__format;

/* The format a path asks for by its ending. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__format_find(const char *path,
                                              const bnre__format **out);

/* See bnre__format.write. */
BNRE_MUST_CHECK bnre_status bnre__write_h5(const char *path,
                                           const bnre__rows *rows,
                                           char fingerprint[33]);

/* Whether an HDF5 file can hold these names, which has to be known before the
   rows are made. Errors: EUSAGE. */
BNRE_MUST_CHECK bnre_status bnre__names_check(const char *what, size_t n,
                                              const char *const *name);

#endif
