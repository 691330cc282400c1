/* diagnosis.c - the command `diagnose` for a run of a study. */
#include "study/diagnosis.h"

#include <stdio.h>

#include "base/text.h"
#include "bnre/command.h"
#include "command/diagnose.h"

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

bnre_status bnre__diagnosis_make(const bnre__diagnosis *diagnosis,
                                 const char *estimator, const char *data,
                                 const char *path)
{
    struct texts texts;
    const bnre_diagnose_settings settings =
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
    const bnre_status status = bnre_diagnose_make(&request, path, &outcome);

    bnre_diagnose_outcome_clear(&outcome);
    return status;
}
