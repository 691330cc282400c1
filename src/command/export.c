/* export.c - the command `export`: a trained log ratio for other programs. */
#include <stddef.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "export/export.h"
#include "io/file.h"
#include "io/writer_lock.h"
#include "output/output.h"

#define AT(field) offsetof(bnre_export_settings, field)
static const bnre_opt options[] = {
    {"name", BNRE_OPT_TEXT, AT(name), NULL, NULL, "NAME", BNRE_OPT_USUAL,
     "how names in C begin (default: the name of the file)"},
    {"rows", BNRE_OPT_SIZE, AT(rows), "1", "[1, 1e6]", "N", BNRE_OPT_USUAL,
     "pairs of theta and x that a model in ONNX takes at a time"},
};

const bnre_opt *bnre_export_options(size_t *n)
{
    *n = sizeof options / sizeof *options;
    return options;
}

bnre_status bnre_export_make(const bnre_export_request *request,
                             const char *path, bnre_export_outcome *outcome)
{
    const bnre__export_opts how = {.name = request->settings->name,
                                   .rows = request->settings->rows,
                                   .force = request->force};
    const char *const input[] = {request->estimator, request->input};
    bnre_status status = BNRE_OK;
    bnre__writer_lock *lock = NULL;

    *outcome = (bnre_export_outcome){0};
    BNRE_TRY(bnre_estimator_open(request->estimator, &outcome->estimator));
    if (request->dry_run)
        goto done;
    BNRE_TRY(bnre__output_refuse_inputs(path, 2, input));
    BNRE_TRY(bnre__make_parents(path));
    BNRE_TRY(bnre__writer_lock_take(path, &lock));
    BNRE_TRY(bnre__export_save(outcome->estimator, path, &how));
done:
    bnre__writer_lock_release(lock);
    return status;
}

void bnre_export_outcome_clear(bnre_export_outcome *outcome)
{
    bnre_estimator_close(outcome->estimator);
    *outcome = (bnre_export_outcome){0};
}
