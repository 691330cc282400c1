#include "diagnosis_files.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 12 };

/* The last part of a path, and how long it is without .json. */
static const char *name_of(const char *path, int *stem)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;

    *stem = (int)(strlen(name) - strlen(".json"));
    return name;
}

bnre_status cli_diagnosis_open(const char *path, size_t inputs,
                               const char *const *input, const bnre_node *made,
                               int force, bnre_output **out)
{
    static const char *const ending[NAMES] = {
        ".csv",          "-pairs.csv",    "-coverage.gp",  "-coverage.dat",
        "-coverage.svg", "-coverage.pdf", "-coverage.png", "-sbc.gp",
        "-sbc.dat",      "-sbc.svg",      "-sbc.pdf",      "-sbc.png"};
    char text[NAMES][320];
    const char *name[NAMES];
    bnre_output_plan plan = {.path = path,
                             .names = NAMES,
                             .name = name,
                             .inputs = inputs,
                             .input = input,
                             .made = made,
                             .force = force};
    bnre_status status = BNRE_OK;
    int stem;

    for (size_t i = 0; i < NAMES; i++) {
        const char *last = name_of(path, &stem);

        if (stem <= 0 || snprintf(text[i], sizeof text[i], "%.*s%s", stem, last,
                                  ending[i]) >= (int)sizeof text[i])
            return bnre_fail(BNRE_EUSAGE,
                             "the output is a .json file with a name before "
                             "its ending, and not too long, not %s",
                             path);
        name[i] = text[i];
    }
    CLI_TRY(cli_make_parents(path));
    CLI_TRY(bnre_output_open(&plan, out));
done:
    return status;
}

bnre_status cli_diagnosis_publish(const struct cli_diagnosis *diagnosis,
                                  bnre_output *output)
{
    const char *place = bnre_output_place(output), *name;
    const char *unfinished = diagnosis->unfinished;
    bnre_status status = BNRE_OK;
    char path[CLI_PATH];
    int drawn = 0, stem;

    name = name_of(diagnosis->path, &stem);
    snprintf(path, sizeof path, "%s/%s", place, name);
    CLI_TRY(bnre_diag_write_json(diagnosis->diag, diagnosis->made, path));
    CLI_TRY(cli_add_findings(diagnosis->findings, path));
    snprintf(path, sizeof path, "%s/%.*s.csv", place, stem, name);
    CLI_TRY(bnre_diag_write_levels(diagnosis->diag, path));
    snprintf(path, sizeof path, "%s/%.*s-pairs.csv", place, stem, name);
    CLI_TRY(bnre_diag_write_pairs(diagnosis->diag, path));
    snprintf(path, sizeof path, "%s/%.*s", place, stem, name);
    CLI_TRY(bnre_diag_draw(diagnosis->diag, path, diagnosis->formats, &drawn));
    if (!drawn)
        cli_note(diagnosis->common,
                 "gnuplot was not found: figures are there as scripts and "
                 "data, %.*s-*.gp",
                 (int)(strlen(diagnosis->path) - strlen(".json")),
                 diagnosis->path);
    if (!drawn && unfinished == NULL)
        unfinished = "gnuplot was not found";
    CLI_TRY(bnre_output_publish(output, unfinished, NULL));
done:
    return status;
}

bnre_status cli_diagnosis_fail_check(void)
{
    return bnre_fail(BNRE_EUSAGE, "there is no verdict to check: samples "
                                  "without densities give none");
}

bnre_status cli_diagnosis_recall(const struct common *common, const char *path,
                                 const bnre_output *output, int check,
                                 int strict)
{
    const char *verdict = bnre_output_text(output, "verdict");
    bnre_judgement judgement = {0};

    if (!common->quiet)
        cli_print("%s (was there already)\n", path);
    if (!common->quiet && verdict != NULL)
        cli_print("  verdict       %s\n", verdict);
    fflush(stdout);
    if (!check && !strict)
        return BNRE_OK;
    if (verdict == NULL || !bnre_verdict_find(verdict, &judgement.verdict))
        return cli_diagnosis_fail_check();
    return bnre_judgement_check(&judgement, strict);
}
