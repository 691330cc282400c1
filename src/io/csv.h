/* csv.h - tables of numbers with a header line. */
#ifndef BNRE_IO_CSV_H
#define BNRE_IO_CSV_H

#include <stddef.h>

#include "bnre/status.h"
#include "io/file.h"

typedef struct bnre__csv {
    size_t rows, cols;
    char **name;  /* (cols) */
    double *data; /* (rows, cols) */
} bnre__csv;

/* Read a whole table: commas or semicolons or tabs (what the header has most
   of), quoted names, CR LF, UTF-8 with or without its mark, a final newline or
   none or blank lines, Fortran exponents; whatever the locale. nan and inf are
   read as such (the caller decides). Errors: EIO; EFORMAT for a header without
   names or with one twice, and with line and column name for a missing or extra
   cell or for text that is no number; ENOMEM. On failure *out is empty. */
BNRE_MUST_CHECK bnre_status bnre__csv_read(const char *path, bnre__csv *out);
/* The same for tables whose columns are all of one kind: a header may be left
   out, and columns are called 0, 1, ... then. */
BNRE_MUST_CHECK bnre_status bnre__csv_read_plain(const char *path,
                                                 bnre__csv *out);
void bnre__csv_clear(bnre__csv *csv);

/* Write a header and rows; numbers are the shortest that read back equal.
   Errors: EINVAL for no columns, empty names, line breaks in names; EIO. */
BNRE_MUST_CHECK bnre_status bnre__csv_write_header(bnre__file *file,
                                                   size_t cols,
                                                   const char *const *name);
BNRE_MUST_CHECK bnre_status bnre__csv_write_row(bnre__file *file, size_t cols,
                                                const double *value);

#endif
