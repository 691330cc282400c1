/* diagnosis.c - the command `diagnose` for a run of a study. */
#include "study/diagnosis.h"

#include "base/mem.h"
#include "bnre/command.h"
#include "command/diagnose.h"

/* A setting of the command by its text; NULL leaves the default. */
static bnre_status set(const char *name, const char *text,
                       bnre_diagnose_settings *out)
{
    size_t n;
    const bnre_opt *rows = bnre_diagnose_options(&n);

    return text == NULL ? BNRE_OK
                        : bnre_opt_set(bnre_opt_find(rows, n, name), out, text);
}

/* The settings of the command, where the study says nothing its defaults; the
   caller clears them. */
static bnre_status find_settings(const bnre__fields *fields, const char *data,
                                 const char *learned,
                                 bnre_diagnose_settings *out)
{
    const bnre__diagnose_fields *own = &fields->diagnose;
    bnre_status status = BNRE_OK;
    size_t n;
    const bnre_opt *rows = bnre_diagnose_options(&n);
    bnre_node *record = NULL;
    char temper[32];

    BNRE_TRY(bnre_opt_init(rows, n, out));
    BNRE_TRY(bnre__diagnose_record(fields, &record));
    for (size_t i = 0; i < record->count; i++)
        BNRE_TRY(set(record->child[i]->key, record->child[i]->text, out));
    if (own->temper > 0) /* NaN: it was chosen in training */
        BNRE_TRY(set("temper", bnre__text_real(own->temper, temper), out));
    BNRE_TRY(set("data", data, out));
    if (own->learning_curve)
        BNRE_TRY(set("learning_curve", learned, out));
    bnre__free(out->format); /* the file of results alone */
    out->format = NULL;
done:
    bnre_node_destroy(record);
    return status;
}

static void clear(bnre_diagnose_settings *settings)
{
    size_t n;
    const bnre_opt *rows = bnre_diagnose_options(&n);

    bnre_opt_clear(rows, n, settings);
}

bnre_status bnre__diagnosis_check(const bnre__fields *fields)
{
    bnre_diagnose_settings settings = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(find_settings(fields, "pairs", "learned", &settings));
    BNRE_TRY(bnre__diagnose_check(&settings));
done:
    clear(&settings);
    return status;
}

bnre_status bnre__diagnosis_make(const bnre__diagnosis *diagnosis,
                                 const char *estimator, const char *data,
                                 const char *path)
{
    bnre_diagnose_settings settings = {0};
    const bnre_diagnose_request request = {.estimator = estimator,
                                           .settings = &settings,
                                           .seed = diagnosis->seed,
                                           .task = diagnosis->task,
                                           .stem = diagnosis->stem,
                                           .force = 1,
                                           .fresh = 1,
                                           .whole = 1,
                                           .pool = diagnosis->pool,
                                           .monitor = diagnosis->monitor,
                                           .advising = diagnosis->monitor};
    bnre_diagnose_outcome outcome = {0};
    bnre_status status = BNRE_OK;

    BNRE_TRY(
        find_settings(diagnosis->fields, data, diagnosis->learned, &settings));
    BNRE_TRY(bnre_diagnose_make(&request, path, &outcome));
done:
    bnre_diagnose_outcome_clear(&outcome);
    clear(&settings);
    return status;
}
