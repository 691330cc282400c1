/* convert.c - the command `convert`: a dataset in another format. */
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
    bnre__converted made;

    *outcome = (bnre_convert_outcome){0};
    BNRE_DO(make_parents(to));
    BNRE_DO(bnre__dataset_convert(from, to, force, monitor, &made));
    outcome->format = made.format;
    outcome->rows = made.rows;
    memcpy(outcome->fingerprint, made.fingerprint, sizeof made.fingerprint);
    return BNRE_OK;
}
