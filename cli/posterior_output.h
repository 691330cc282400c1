/* posterior_output.h - the directory of a posterior, before and after. */
#ifndef BNRE_CLI_POSTERIOR_OUTPUT_H
#define BNRE_CLI_POSTERIOR_OUTPUT_H

#include "cli.h"

/* Before the work: who writes what, and what is there. The caller closes *out.
   Errors: those of bnre_output_open(). */
bnre_status cli_posterior_open(const struct common *common, const char *path,
                               const char *estimator,
                               const bnre_opt_list *observation,
                               const bnre_node *made, bnre_output **out);

/* It was there already: say so, with the same exit status as before. */
bnre_status cli_posterior_recall(const struct common *common, const char *path,
                                 const bnre_output *output);

#endif
