/* diagnose_files.c - FILE.json of the command `diagnose` and all that lies
   beside it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "command/diagnose.h"
#include "io/file.h"
#include "output/diag_files.h"
#include "output/diagnosis_record.h"
#include "output/output.h"

enum { NAMES = 12 };

/* The last part of a path, and how long it is without .json. */
static const char *name_of(const char *path, int *stem)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;

    *stem = (int)(strlen(name) - strlen(".json"));
    return name;
}

/* How the result comes about; the caller destroys *out. */
static bnre_status record(const bnre__diagnose_work *work, bnre_node **out)
{
    bnre_status status = BNRE_OK;
    bnre_node *settings = NULL, *list = NULL;
    size_t n;
    const bnre_opt *rows = bnre_diagnose_options(&n);
    char text[33];

    BNRE_TRY(bnre_opt_record(rows, n, work->settings, &settings));
    BNRE_TRY(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    if (work->estimator != NULL)
        BNRE_TRY(bnre_node_set(*out, "estimator", work->print));
    if (work->data != NULL) {
        BNRE_TRY(bnre_dataset_fingerprint(work->data, text));
        BNRE_TRY(bnre_node_set(*out, "data", text));
    }
    if (work->settings->classes.count > 0)
        BNRE_TRY(bnre_node_branch(*out, "classes", BNRE_NODE_LIST, &list));
    for (size_t c = 0; c < work->settings->classes.count; c++)
        BNRE_TRY(bnre_node_set(list, NULL, work->of_class[c]));
    if (work->settings->samples_file != NULL) {
        BNRE_TRY(bnre__file_fingerprint(work->settings->samples_file, text));
        BNRE_TRY(bnre_node_set(*out, "samples", text));
    }
    snprintf(text, sizeof text, "%" PRIu64, work->request->seed);
    BNRE_TRY(bnre_node_set(*out, "seed", text));
    BNRE_TRY(bnre__diagnose_record_advice(work, *out));
    BNRE_TRY(bnre__diagnose_record_prior(work, *out));
    status = bnre_node_add(*out, "settings", settings);
    settings = NULL;
done:
    bnre_node_destroy(settings);
    return status;
}

/* The files beside FILE.json. */
static bnre_status name_files(const char *path, char text[NAMES][320],
                              const char *name[NAMES])
{
    static const char *const ending[NAMES] = {
        ".csv",          "-pairs.csv",    "-coverage.gp",  "-coverage.dat",
        "-coverage.svg", "-coverage.pdf", "-coverage.png", "-sbc.gp",
        "-sbc.dat",      "-sbc.svg",      "-sbc.pdf",      "-sbc.png"};
    const char *last;
    int stem;

    last = name_of(path, &stem);
    for (size_t i = 0; i < NAMES; i++) {
        if (stem <= 0 || snprintf(text[i], sizeof text[i], "%.*s%s", stem, last,
                                  ending[i]) >= (int)sizeof text[i])
            return bnre_fail(BNRE_EUSAGE,
                             "the output is a .json file with a name before "
                             "its ending, and not too long, not %s",
                             path);
        name[i] = text[i];
    }
    return BNRE_OK;
}

bnre_status bnre__diagnose_open(bnre__diagnose_work *work)
{
    const bnre_diagnose_settings *settings = work->settings;
    const char *const input[] = {
        work->request->estimator, settings->data,        settings->samples_file,
        settings->learning_curve, settings->observation, work->request->input,
        settings->prior};
    char text[NAMES][320];
    const char *name[NAMES];
    bnre__output_plan plan = {.path = work->path,
                              .names = settings->format != NULL ? NAMES : 0,
                              .name = name,
                              .inputs = sizeof input / sizeof *input,
                              .input = input,
                              .force = work->request->force};

    BNRE_DO(record(work, &work->made));
    plan.made = work->made;
    BNRE_DO(name_files(work->path, text, name));
    BNRE_DO(bnre__make_parents(work->path));
    BNRE_DO(bnre__output_open(&plan, &work->output));
    return BNRE_OK;
}

/* Tables and figures, as STEM.csv and so on. */
static bnre_status write_tables(const bnre__diagnose_work *work,
                                const char *stem)
{
    bnre_diagnose_outcome *outcome = work->outcome;
    bnre_status status = BNRE_OK;
    char *path = NULL;
    int drawn = 0;

    BNRE_TRY(bnre__text_format(&path, "%s.csv", stem));
    BNRE_TRY(bnre__diag_write_levels(outcome->diag, path));
    bnre__free(path);
    path = NULL;
    BNRE_TRY(bnre__text_format(&path, "%s-pairs.csv", stem));
    BNRE_TRY(bnre__diag_write_pairs(outcome->diag, path));
    BNRE_TRY(
        bnre__diag_draw(outcome->diag, stem, work->settings->format, &drawn));
    outcome->drawn = drawn;
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__diagnose_publish(const bnre__diagnose_work *work,
                                   const char *unfinished)
{
    const char *place = bnre__output_place(work->output), *name;
    const bnre_diagnose_outcome *outcome = work->outcome;
    const bnre__diagnosis_record record = {
        .diag = outcome->diag,
        .advised = 1,
        .advice = outcome->advice,
        .theorem = outcome->theorem,
        .curve = outcome->curve,
        .other_prior = outcome->other_prior,
        .own_pairs = outcome->own_pairs,
        .rows = outcome->rows,
        .change = outcome->change,
        .models = outcome->models,
        .made = work->made,
        .certificate = bnre__diagnose_certificate(outcome)};
    bnre_status status = BNRE_OK;
    char *path = NULL, *stem = NULL;
    int length;

    name = name_of(work->path, &length);
    BNRE_TRY(bnre__text_format(&path, "%s/%s", place, name));
    BNRE_TRY(bnre__text_format(&stem, "%s/%.*s", place, length, name));
    BNRE_TRY(bnre__diagnosis_write(&record, path));
    if (work->settings->format != NULL)
        BNRE_TRY(write_tables(work, stem));
    if (!outcome->drawn && unfinished == NULL)
        unfinished = "gnuplot was not found";
    BNRE_TRY(bnre__output_publish(work->output, unfinished, NULL));
done:
    bnre__free(path);
    bnre__free(stem);
    return status;
}
