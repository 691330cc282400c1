/* print_posterior.h - a posterior as tables for people. */
#ifndef BNRE_CLI_PRINT_POSTERIOR_H
#define BNRE_CLI_PRINT_POSTERIOR_H

#include "cli.h"

/* Method, parameters (those of `show`, "a,b", in this order; NULL: all), regions
   at `level` (levels), where the truth lies (dim, may be NULL). */
bnre_status cli_print_posterior(bnre_posterior *posterior,
                                bnre_session *session, size_t levels,
                                const double *level, const double *truth,
                                const char *show);

#endif
