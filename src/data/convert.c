/* convert.c - a dataset from one format to another, row by row. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/precision.h"
#include "data/writer.h"
#include "io/file.h"
#include "io/writer_lock.h"

/* Rows on their way, watched by a monitor. */
struct passage {
    bnre__rows rows;
    const bnre_monitor *monitor;
};

static bnre_status read_watched(void *self, size_t first, size_t n,
                                double *theta, double *nuisance, void *x,
                                uint8_t *flags,
                                char (*reason)[BNRE_REASON_SIZE])
{
    const struct passage *passage = self;
    const bnre__rows *rows = &passage->rows;
    const bnre_monitor *monitor = passage->monitor;

    BNRE_DO(
        rows->read(rows->self, first, n, theta, nuisance, x, flags, reason));
    /* Formats that take one array after the other read rows several times; x
       is most of the work. */
    if (x != NULL && monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, first + n, 0, rows->info->rows))
        return bnre_fail(BNRE_EINTR, "interrupted at row %zu of %zu", first + n,
                         rows->info->rows);
    return BNRE_OK;
}

/* One of the files to be written: nobody else writes it, it can be written, and
   nothing is lost by it. */
static bnre_status claim(const char *path, const char *in_path, int force,
                         bnre__writer_lock **lock)
{
    BNRE_DO(bnre__refuse_input(path, in_path));
    BNRE_DO(bnre__refuse_existing(path, force));
    BNRE_DO(bnre__writer_lock_take(path, lock));
    BNRE_DO(bnre__refuse_existing(path, force)); /* nor did another one */
    return bnre__file_check_writable(path);
}

static bnre_status claim_target(const char *path, const char *in_path,
                                int force, bnre__writer_lock *lock[2])
{
    bnre_status status = BNRE_OK;
    char *first = NULL;
    size_t second;

    if (!bnre__is_pair(path, &second))
        return claim(path, in_path, force, &lock[0]);
    BNRE_TRY(bnre__text_format(&first, "%.*s", (int)second - 1, path));
    BNRE_TRY(claim(first, in_path, force, &lock[0]));
    BNRE_TRY(claim(path + second, in_path, force, &lock[1]));
done:
    bnre__free(first);
    return status;
}

bnre_status bnre__dataset_convert(const char *in_path, const char *out_path,
                                  int force, const bnre_monitor *monitor,
                                  bnre__converted *out)
{
    bnre_status status = BNRE_OK;
    const bnre__format *format;
    bnre_dataset *data = NULL;
    struct passage passage;
    bnre__writer_lock *lock[2] = {NULL, NULL};
    char fingerprint[33];
    double *offset = NULL;

    BNRE_TRY(bnre__format_find(out_path, &format));
    BNRE_TRY(claim_target(out_path, in_path, force, lock));
    BNRE_TRY(bnre_dataset_open(in_path, &data));
    BNRE_TRY(bnre__dataset_find_offset(data, &offset));
    if (offset != NULL) /* floats would lose too much */
        bnre__dataset_set_double(data, 1);
    passage = (struct passage){bnre__dataset_rows(data), monitor};
    BNRE_TRY(
        format->write(out_path,
                      &(bnre__rows){.info = passage.rows.info,
                                    .self = &passage,
                                    .read = read_watched,
                                    .sums = passage.rows.sums,
                                    .fingerprint = passage.rows.fingerprint},
                      fingerprint));
    if (out != NULL) {
        *out = (bnre__converted){format->name, passage.rows.info->rows, ""};
        memcpy(out->fingerprint, fingerprint, sizeof fingerprint);
    }
done:
    bnre__writer_lock_release(lock[1]);
    bnre__writer_lock_release(lock[0]);
    bnre__free(offset);
    bnre_dataset_close(data);
    return status;
}
