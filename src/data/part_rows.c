/* part_rows.c - rows in a journal. The payload of a record of n rows is
   theta (n, dim_theta), nuisance (n, dim_nuisance), x (n, x_size), status
   (n) and, for each row that failed, its reason ended by a 0. */
#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "data/part.h"

enum { CHUNK_BYTES = 256 << 10, CHUNK_ROWS = 1024 };

size_t bnre__part_chunk(const bnre__part *part)
{
    return bnre__rows_within(&part->info, CHUNK_BYTES, CHUNK_ROWS);
}

/* Where the arrays of a record begin in its payload. */
struct layout {
    uint64_t nuisance, x, status, reasons;
};

static struct layout lay_out(const bnre_dataset_info *info, uint64_t n)
{
    struct layout at;

    at.nuisance = n * info->dim_theta * sizeof(double);
    at.x = at.nuisance + n * info->dim_nuisance * sizeof(double);
    at.status = at.x + n * bnre__x_bytes(info);
    at.reasons = at.status + n;
    return at;
}

/* Whether a record can be what it says: others are not worth a complaint, their
   rows are simulated again. */
static int is_sound(const bnre__part *part, const bnre__journal_record *record)
{
    return record->n > 0 && record->n <= bnre__part_chunk(part) &&
           record->first < SIZE_MAX / 2 &&
           record->bytes >= lay_out(&part->info, record->n).reasons;
}

bnre_status bnre__part_refresh(bnre__part *part)
{
    bnre_status status = BNRE_OK;
    const size_t count = part->info.rows;
    const bnre__journal_record *record;
    size_t n, at = part->base; /* all before is there */

    record = bnre__journal_records(part->journal, &n);
    part->pieces = 0;
    part->beyond = 0;
    for (size_t i = 0; i < n; i++, record++) {
        size_t first = (size_t)record->first;
        size_t end = first + (size_t)record->n;

        if (!is_sound(part, record))
            continue;
        if (end > count) {
            part->beyond += end - (first > count ? first : count);
            end = count;
        }
        if (first < at)
            first = at;
        if (first >= end)
            continue;
        BNRE_GROW(part->piece, part->room, part->pieces + 1);
        part->piece[part->pieces++] =
            (bnre__piece){first, end - first, *record};
        at = end;
    }
done:
    return status;
}

static bnre_status add_spans(const bnre__part *part, size_t first, size_t end,
                             bnre__span **list, size_t *n, size_t *room)
{
    bnre_status status = BNRE_OK;
    const size_t chunk = bnre__part_chunk(part);

    while (first < end) {
        size_t next = (first / chunk + 1) * chunk;

        if (next > end)
            next = end;
        BNRE_GROW(*list, *room, *n + 1);
        (*list)[(*n)++] = (bnre__span){first, next - first};
        first = next;
    }
done:
    return status;
}

bnre_status bnre__part_missing(const bnre__part *part, bnre__span **out,
                               size_t *n)
{
    bnre_status status = BNRE_OK;
    bnre__span *list = NULL;
    size_t room = 0, at = part->base;

    *out = NULL;
    *n = 0;
    for (size_t i = 0; i < part->pieces; i++) {
        const bnre__piece *piece = &part->piece[i];

        BNRE_TRY(add_spans(part, at, piece->first, &list, n, &room));
        at = piece->first + piece->n;
    }
    BNRE_TRY(add_spans(part, at, part->info.rows, &list, n, &room));
    *out = list;
    list = NULL;
done:
    bnre__free(list);
    return status;
}

bnre_status bnre__part_add(bnre__part *part, size_t first,
                           const bnre__block *block, size_t from, size_t to,
                           char *text)
{
    const bnre_dataset_info *info = &part->info;
    const size_t n = to - from;
    struct iovec parts[5] = {
        {block->theta + from * info->dim_theta,
         n * info->dim_theta * sizeof(double)},
        {block->nuisance + from * info->dim_nuisance,
         n * info->dim_nuisance * sizeof(double)},
        {(char *)block->x + from * bnre__x_bytes(info),
         n * bnre__x_bytes(info)},
        {block->status + from, n},
        {text, 0},
    };

    for (size_t i = from; i < to; i++) {
        size_t length = strlen(block->reason[i]) + 1;

        if (block->status[i] == BNRE_DRAW_OK)
            continue;
        memcpy(text + parts[4].iov_len, block->reason[i], length);
        parts[4].iov_len += length;
    }
    return bnre__journal_append(part->journal, first + from, n, parts, 5);
}

bnre_status bnre__part_count(bnre__part *part, size_t *rows, size_t *failed)
{
    uint8_t flag[CHUNK_ROWS];

    *rows = part->base;
    *failed = part->old != NULL ? part->old->info.failed : 0;
    for (size_t k = 0; k < part->pieces; k++) {
        const bnre__piece *piece = &part->piece[k];
        struct layout at = lay_out(&part->info, piece->record.n);

        BNRE_DO(bnre__journal_read(
            part->journal, &piece->record,
            at.status + (piece->first - piece->record.first), piece->n, flag));
        for (size_t i = 0; i < piece->n; i++)
            *failed += flag[i] != BNRE_DRAW_OK;
        *rows += piece->n;
    }
    return BNRE_OK;
}

/* Reasons of rows from..from+n-1 of a record, whose statuses are given. */
static bnre_status read_reasons(bnre__part *part,
                                const bnre__journal_record *record, size_t from,
                                size_t n, char (*reason)[BNRE_REASON_SIZE])
{
    bnre_status status = BNRE_OK;
    struct layout at = lay_out(&part->info, record->n);
    uint64_t bytes = record->bytes - at.reasons;
    uint8_t flag[CHUNK_ROWS];
    const char *text;

    for (size_t i = 0; i < n; i++)
        memset(reason[i], 0, sizeof reason[i]);
    if (bytes == 0)
        return BNRE_OK;
    if (part->tail == NULL)
        BNRE_NEW(part->tail, (size_t)CHUNK_ROWS * BNRE_REASON_SIZE + 1);
    if (bytes > (size_t)CHUNK_ROWS * BNRE_REASON_SIZE)
        bytes = (size_t)CHUNK_ROWS * BNRE_REASON_SIZE;
    BNRE_TRY(
        bnre__journal_read(part->journal, record, at.status, from + n, flag));
    BNRE_TRY(bnre__journal_read(part->journal, record, at.reasons,
                                (size_t)bytes, part->tail));
    part->tail[bytes] = 0;
    text = part->tail;
    for (size_t i = 0; i < from + n && text < part->tail + bytes; i++) {
        if (flag[i] == BNRE_DRAW_OK)
            continue;
        if (i >= from)
            memcpy(reason[i - from], text, strnlen(text, BNRE_REASON_SIZE - 1));
        text += strlen(text) + 1;
    }
done:
    return status;
}

/* Rows from..from+n-1 of a record. */
static bnre_status read_record(bnre__part *part,
                               const bnre__journal_record *record, size_t from,
                               size_t n, double *theta, double *nuisance,
                               void *x, uint8_t *flags,
                               char (*reason)[BNRE_REASON_SIZE])
{
    const bnre_dataset_info *info = &part->info;
    struct layout at = lay_out(info, record->n);
    const struct {
        void *out;
        uint64_t offset;
        size_t row;
    } array[] = {
        {theta, 0, info->dim_theta * sizeof *theta},
        {nuisance, at.nuisance, info->dim_nuisance * sizeof *nuisance},
        {x, at.x, bnre__x_bytes(info)},
        {flags, at.status, 1},
    };

    for (size_t k = 0; k < 4; k++)
        if (array[k].out != NULL && array[k].row > 0)
            BNRE_DO(bnre__journal_read(part->journal, record,
                                       array[k].offset + from * array[k].row,
                                       n * array[k].row, array[k].out));
    if (reason != NULL)
        BNRE_DO(read_reasons(part, record, from, n, reason));
    return BNRE_OK;
}

/* The piece with this row; NULL if it is missing. */
static const bnre__piece *find_piece(const bnre__part *part, size_t row)
{
    size_t low = 0, high = part->pieces;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const bnre__piece *piece = &part->piece[middle];

        if (row < piece->first)
            high = middle;
        else if (row - piece->first >= piece->n)
            low = middle + 1;
        else
            return piece;
    }
    return NULL;
}

static bnre_status read_part(void *self, size_t first, size_t n, double *theta,
                             double *nuisance, void *x, uint8_t *flags,
                             char (*reason)[BNRE_REASON_SIZE])
{
    bnre__part *part = self;
    const bnre_dataset_info *info = &part->info;
    size_t m;

    for (size_t row = first, i = 0; i < n; i += m, row += m) {
        double *t = theta != NULL ? theta + i * info->dim_theta : NULL;
        double *u = nuisance != NULL ? nuisance + i * info->dim_nuisance : NULL;
        void *y = x != NULL ? (char *)x + i * bnre__x_bytes(info) : NULL;
        uint8_t *f = flags != NULL ? flags + i : NULL;
        char(*r)[BNRE_REASON_SIZE] = reason != NULL ? reason + i : NULL;
        const bnre__piece *piece;

        m = n - i;
        if (row < part->base) {
            bnre__rows old = bnre__dataset_rows(part->old);

            if (m > part->base - row)
                m = part->base - row;
            BNRE_DO(old.read(old.self, row, m, t, u, y, f, r));
            continue;
        }
        piece = find_piece(part, row);
        if (piece == NULL)
            return bnre_fail(BNRE_EINVAL, "row %zu of %s is missing", row,
                             part->path);
        if (m > piece->first + piece->n - row)
            m = piece->first + piece->n - row;
        BNRE_DO(read_record(part, &piece->record,
                            row - (size_t)piece->record.first, m, t, u, y, f,
                            r));
    }
    return BNRE_OK;
}

bnre__rows bnre__part_rows(bnre__part *part)
{
    return (bnre__rows){.info = &part->info, .self = part, .read = read_part};
}
