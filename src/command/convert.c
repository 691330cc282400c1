/* convert.c - the command `convert`: a dataset in another format. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "data/dataset.h"
#include "io/file.h"

/* Of "theta.npy,x.npy" those of both. */
static bnre_status make_parents(const char *path)
{
    const char *comma = strstr(path, ".npy,");
    bnre_status status = BNRE_OK;
    char *first = NULL;

    if (comma == NULL)
        return bnre__make_parents(path);
    BNRE_TRY(bnre__strdup(path, &first));
    first[comma - path + (ptrdiff_t)strlen(".npy")] = 0;
    BNRE_TRY(bnre__make_parents(first));
    BNRE_TRY(bnre__make_parents(comma + strlen(".npy,")));
done:
    bnre__free(first);
    return status;
}

bnre_status bnre_convert_make(const char *from, const char *to, int force,
                              const bnre_monitor *monitor,
                              bnre_convert_outcome *outcome)
{
    const bnre_dataset_info *info;
    bnre_status status = BNRE_OK;
    bnre_dataset *data = NULL;

    *outcome = (bnre_convert_outcome){0};
    BNRE_TRY(make_parents(to));
    BNRE_TRY(bnre__dataset_convert(from, to, force, monitor));
    BNRE_TRY(bnre_dataset_open(to, &data));
    info = bnre_dataset_describe(data);
    outcome->format = info->format;
    outcome->rows = info->rows;
    if (info->stored_fingerprint != NULL)
        snprintf(outcome->fingerprint, sizeof outcome->fingerprint, "%s",
                 info->stored_fingerprint);
    else
        BNRE_TRY(bnre_dataset_fingerprint(data, outcome->fingerprint));
done:
    bnre_dataset_close(data);
    return status;
}
