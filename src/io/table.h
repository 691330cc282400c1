/* table.h - tables of text: CSV files whose cells are not all numbers. */
#ifndef BNRE_IO_TABLE_H
#define BNRE_IO_TABLE_H

#include <stddef.h>

#include "bnre/status.h"

typedef struct bnre__table {
    size_t rows, cols; /* the header is none of the rows */
    char **name;       /* (cols) */
    char **cell;       /* (rows, cols) */
    char *text;        /* that all of them lie in */
} bnre__table;

/* Read a whole table with commas; cells may be quoted. Errors: EIO; EFORMAT
   with the line for a row that has too few or too many cells, a quote that does
   not end, or no header; ENOMEM. On failure *out is empty. */
BNRE_MUST_CHECK bnre_status bnre__table_read(const char *path,
                                             bnre__table *out);
void bnre__table_clear(bnre__table *table);

/* The cell of a row in the column called `name`; NULL if there is none. */
const char *bnre__table_find(const bnre__table *table, size_t row,
                             const char *name);

#endif
