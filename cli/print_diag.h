/* print_diag.h - a diagnosis for people. */
#ifndef BNRE_CLI_PRINT_DIAG_H
#define BNRE_CLI_PRINT_DIAG_H

#include "cli.h"

/* All of it on stdout, the verdict last. */
bnre_status cli_print_diag(const bnre_diag *diag);

#endif
