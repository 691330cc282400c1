/* diagnosis_files.h - FILE.json of a diagnosis and all that lies beside it. */
#ifndef BNRE_CLI_DIAGNOSIS_FILES_H
#define BNRE_CLI_DIAGNOSIS_FILES_H

#include "advise.h"

/* Before the work: directories are made, `path` ends in .json. The caller
   closes *out. Errors: those of bnre_output_open(). */
bnre_status cli_diagnosis_open(const char *path, size_t inputs,
                               const char *const *input, const bnre_node *made,
                               int force, bnre_output **out);

struct cli_diagnosis {
    const struct common *common;
    const char *path;
    const bnre_diag *diag;
    const struct cli_findings *findings;
    const bnre_node *made;
    const char *formats;
    const char *unfinished; /* why this is not all; NULL: it is */
};

/* All files, at once. */
bnre_status cli_diagnosis_publish(const struct cli_diagnosis *diagnosis,
                                  bnre_output *output);

/* What was found when it was made; with `check` the same exit status again. */
bnre_status cli_diagnosis_recall(const struct common *common, const char *path,
                                 const bnre_output *output, int check,
                                 int strict);

/* For samples without densities. */
bnre_status cli_diagnosis_fail_check(void);

#endif
