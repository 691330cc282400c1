/* diagnosis.c - the command `diagnose` for a run of a study. */
#include "study/diagnosis.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "bnre/command.h"
#include "command/diagnose.h"
#include "io/json.h"

/* Numbers of a study that are texts of the command. */
struct texts {
    char temper[32], most_points[32];
};

/* The settings of the command: texts stay whose they are. */
static bnre_diagnose_settings find_settings(const bnre__fields *fields,
                                            const char *data,
                                            const char *learned,
                                            struct texts *texts)
{
    const bnre__study_fields *own = &fields->study;
    bnre_diagnose_settings out = fields->diagnose;

    out.data = (char *)data;
    out.format = NULL;     /* the file of results alone */
    if (own->temper > 0) { /* NaN: it was chosen in training */
        bnre__text_real(own->temper, texts->temper);
        out.temper = texts->temper;
    }
    if (bnre__fields_given(fields,
                           "most_points")) { /* else up to the command */
        snprintf(texts->most_points, sizeof texts->most_points, "%zu",
                 own->most_points);
        out.most_points = texts->most_points;
    }
    if (own->learning_curve)
        out.learning_curve = (char *)learned;
    return out;
}

bnre_status bnre__diagnosis_check(const bnre__fields *fields)
{
    struct texts texts;
    const bnre_diagnose_settings settings =
        find_settings(fields, "pairs", "learned", &texts);

    return bnre__diagnose_check(&settings);
}

/* There is no diagnosis: why, in its place. */
static bnre_status write_refusal(const char *path, const char *why)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;

    BNRE_TRY(bnre__json_create(&root));
    BNRE_TRY(bnre__json_text(root, "words", why));
    BNRE_TRY(bnre__json_write(root, path));
done:
    bnre__json_destroy(root);
    return status;
}

bnre_status bnre__diagnosis_make(const bnre__diagnosis *diagnosis,
                                 const char *estimator, const char *data,
                                 const char *path)
{
    struct texts texts;
    bnre_diagnose_settings settings =
        find_settings(diagnosis->fields, data, diagnosis->learned, &texts);
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
    bnre_status status;

    if (diagnosis->prior != NULL) {
        settings.prior = (char *)diagnosis->prior;
        settings.theorems = 0; /* the prior of training has told them */
        settings.each_member = 0;
        settings.learning_curve = NULL;
    }
    status = bnre_diagnose_make(&request, path, &outcome);
    bnre_diagnose_outcome_clear(&outcome);
    if (status == BNRE_EUSAGE && diagnosis->prior != NULL)
        return write_refusal(path, bnre_error_message());
    return status;
}
