/* join.c - one dataset from parts of a stream, or from the beginning of one. */
#include "data/join.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/writer.h"

struct join {
    size_t n;
    bnre_dataset **part; /* (n) */
    size_t *first;       /* (n + 1) rows before each, and in all */
    bnre_dataset_info info;
};

/* A part has the settings of the first, and says where it begins. */
static bnre_status check_part(const struct join *join, size_t i,
                              const char *path)
{
    const bnre_dataset_info *base = &join->part[0]->info;
    const bnre_dataset_info *info = &join->part[i]->info;
    bnre_status status = BNRE_OK;
    char *expected = NULL;

    if (base->settings == NULL || base->task == NULL)
        BNRE_THROW(BNRE_EFORMAT, "%s does not tell how it was made", path);
    if (i > 0) {
        BNRE_TRY(bnre__text_format(&expected, "%sfirst: %zu\n", base->settings,
                                   join->first[i]));
        if (info->settings == NULL || strcmp(info->settings, expected) != 0 ||
            info->task == NULL || strcmp(info->task, base->task) != 0 ||
            info->x_double != base->x_double)
            BNRE_THROW(BNRE_EFORMAT,
                       "%s does not go on from row %zu of the same stream",
                       path, join->first[i]);
    }
done:
    bnre__free(expected);
    return status;
}

static bnre_status open_parts(struct join *join, const char *const *path)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(join->part, join->n);
    BNRE_NEW(join->first, join->n + 1);
    for (size_t i = 0; i < join->n; i++) {
        BNRE_TRY(bnre_dataset_open(path[i], &join->part[i]));
        BNRE_TRY(check_part(join, i, path[i]));
        join->first[i + 1] = join->first[i] + join->part[i]->info.rows;
    }
    join->info = join->part[0]->info;
done:
    return status;
}

static bnre_status read_join(void *self, size_t first, size_t n, double *theta,
                             double *nuisance, void *x, uint8_t *flags,
                             char (*reason)[BNRE_REASON_SIZE])
{
    const struct join *join = self;
    const bnre_dataset_info *info = &join->info;
    size_t m, k = 0;

    for (size_t row = first, i = 0; i < n; i += m, row += m) {
        bnre__rows rows;

        while (row >= join->first[k + 1])
            k++;
        m = n - i;
        if (m > join->first[k + 1] - row)
            m = join->first[k + 1] - row;
        rows = bnre__dataset_rows(join->part[k]);
        BNRE_DO(rows.read(
            rows.self, row - join->first[k], m,
            theta != NULL ? theta + i * info->dim_theta : NULL,
            nuisance != NULL ? nuisance + i * info->dim_nuisance : NULL,
            x != NULL ? (char *)x + i * bnre__x_bytes(info) : NULL,
            flags != NULL ? flags + i : NULL,
            reason != NULL ? reason + i : NULL));
    }
    return BNRE_OK;
}

/* How many of the rows failed. */
static bnre_status count_failed(struct join *join)
{
    enum { AT_A_TIME = 4096 };
    bnre_status status = BNRE_OK;
    uint8_t *flags = NULL;
    size_t n;

    BNRE_NEW(flags, AT_A_TIME);
    join->info.failed = 0;
    for (size_t row = 0; row < join->info.rows; row += n) {
        n = join->info.rows - row;
        if (n > AT_A_TIME)
            n = AT_A_TIME;
        BNRE_TRY(read_join(join, row, n, NULL, NULL, NULL, flags, NULL));
        for (size_t i = 0; i < n; i++)
            join->info.failed += flags[i] != BNRE_DRAW_OK;
    }
done:
    bnre__free(flags);
    return status;
}

bnre_status bnre__dataset_join(size_t n, const char *const *part, size_t rows,
                               const char *path, char fingerprint[33])
{
    struct join join = {.n = n};
    bnre_status status = BNRE_OK;

    BNRE_TRY(open_parts(&join, part));
    if (join.first[n] < rows)
        BNRE_THROW(BNRE_EFORMAT, "%s and %zu others have %zu of %zu rows",
                   part[0], n - 1, join.first[n], rows);
    join.info.rows = rows;
    BNRE_TRY(count_failed(&join));
    BNRE_TRY(bnre__write_h5(
        path,
        &(bnre__rows){.info = &join.info, .self = &join, .read = read_join},
        fingerprint));
done:
    for (size_t i = 0; join.part != NULL && i < n; i++)
        bnre_dataset_close(join.part[i]);
    bnre__free(join.part);
    bnre__free(join.first);
    return status;
}
