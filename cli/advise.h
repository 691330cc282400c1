/* advise.h - what `diagnose` does beyond the diagnosis. */
#ifndef BNRE_CLI_ADVISE_H
#define BNRE_CLI_ADVISE_H

#include "cli.h"

struct cli_wishes {
    const struct common *common;
    bnre_estimator *estimator; /* NULL: samples from elsewhere */
    double temper;             /* of the posteriors that are looked at */
    const char *estimator_path;
    bnre_dataset *data;
    const char *data_path;
    const char *learning_curve; /* the data of the training, or NULL */
    const char *observation;    /* file or NULL */
    size_t theorems;            /* pairs; 0 = not asked for */
    const char *task;           /* name or file, whose likelihood to take; NULL:
                                   the one that the data name */
    bnre_pool *pool;
};

/* Start from {0}; clear it in any case. */
struct cli_findings {
    char *certificate;        /* as the estimator had it; NULL = none */
    double tested;            /* its temper */
    bnre_guarantee guarantee; /* whether it is about these posteriors */
    bnre_advice advice;
    bnre_learning_curve curve; /* n = 0: none */
    bnre_theorem theorem;      /* likewise */
};

/* Before the estimator is tempered anew, which drops it. */
bnre_status cli_keep_certificate(const bnre_estimator *estimator,
                                 struct cli_findings *findings);
/* Whether what is asked for can be looked at at all: before any work. */
bnre_status cli_check_wishes(const struct cli_wishes *wishes);
/* What of it the result depends on, into the map of how it comes about. */
bnre_status cli_record_wishes(const struct cli_wishes *wishes, bnre_node *made);
bnre_status cli_advise(const struct cli_wishes *wishes, const bnre_diag *diag,
                       struct cli_findings *findings);
bnre_status cli_print_findings(const struct cli_findings *findings);
bnre_status cli_add_findings(const struct cli_findings *findings,
                             const char *json);
void cli_findings_clear(struct cli_findings *findings);

#endif
