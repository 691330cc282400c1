/* table.c - tables of text: CSV files whose cells are not all numbers. */
#include "io/table.h"

#include <string.h>

#include "base/mem.h"
#include "io/file.h"

enum { LARGEST = 1 << 28 };

struct scan {
    const char *path;
    char *at;
    size_t line;
    int ended; /* the cell was the last of its line */
};

/* Cut the next cell out of the text, in place. */
static bnre_status next_cell(struct scan *scan, char **out)
{
    const size_t line = scan->line;
    char *from = scan->at, *to = scan->at;
    int quoted = *from == '"';

    *out = to;
    from += quoted;
    for (;; from++) {
        if (*from == 0 && quoted)
            return bnre_fail(BNRE_EFORMAT,
                             "%s: line %zu: a quote that does not end",
                             scan->path, line);
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = 0;
            continue;
        }
        if (!quoted && (*from == ',' || *from == '\n' || *from == 0))
            break;
        from += quoted && *from == '"';
        scan->line += *from == '\n';
        *to++ = *from;
    }
    scan->ended = *from != ',';
    scan->line += *from == '\n';
    scan->at = from + (*from != 0);
    if (scan->ended && to > *out && to[-1] == '\r')
        to--;
    *to = 0;
    return BNRE_OK;
}

static bnre_status read_header(struct scan *scan, bnre__table *table)
{
    bnre_status status = BNRE_OK;
    size_t room = 0;

    do {
        BNRE_GROW(table->name, room, table->cols + 1);
        BNRE_TRY(next_cell(scan, &table->name[table->cols]));
        table->cols++;
    } while (!scan->ended);
    if (table->cols == 1 && table->name[0][0] == 0)
        BNRE_THROW(BNRE_EFORMAT, "%s has no header", scan->path);
done:
    return status;
}

static bnre_status read_rows(struct scan *scan, bnre__table *table)
{
    bnre_status status = BNRE_OK;
    size_t room = 0;

    while (*scan->at != 0) {
        const size_t line = scan->line;
        char **row;

        BNRE_GROW(table->cell, room, (table->rows + 1) * table->cols);
        row = table->cell + table->rows * table->cols;
        for (size_t i = 0; i < table->cols; i++) {
            BNRE_TRY(next_cell(scan, &row[i]));
            if (scan->ended != (i + 1 == table->cols))
                BNRE_THROW(BNRE_EFORMAT, "%s: line %zu should have %zu cells",
                           scan->path, line, table->cols);
        }
        table->rows++;
    }
done:
    return status;
}

bnre_status bnre__table_read(const char *path, bnre__table *out)
{
    struct scan scan = {.path = path, .line = 1};
    bnre_status status = BNRE_OK;
    size_t bytes = 0;

    *out = (bnre__table){0};
    BNRE_TRY(bnre__file_read_all(path, LARGEST, &out->text, &bytes));
    if (strlen(out->text) != bytes)
        BNRE_THROW(BNRE_EFORMAT, "%s is no table: it holds zero bytes", path);
    scan.at = out->text;
    BNRE_TRY(read_header(&scan, out));
    BNRE_TRY(read_rows(&scan, out));
done:
    if (status != BNRE_OK)
        bnre__table_clear(out);
    return status;
}

void bnre__table_clear(bnre__table *table)
{
    bnre__free(table->name);
    bnre__free(table->cell);
    bnre__free(table->text);
    *table = (bnre__table){0};
}

const char *bnre__table_find(const bnre__table *table, size_t row,
                             const char *name)
{
    for (size_t i = 0; i < table->cols; i++)
        if (strcmp(table->name[i], name) == 0)
            return table->cell[row * table->cols + i];
    return NULL;
}
