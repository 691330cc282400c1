/* print_trust.h - guarantees and advice for people. */
#ifndef BNRE_CLI_PRINT_TRUST_H
#define BNRE_CLI_PRINT_TRUST_H

#include "cli.h"

/* Nominal and conformal regions side by side, with the guarantee in words;
   `local` (n) may be NULL, or the reason why there is none. */
bnre_status cli_print_conformal(size_t n, const bnre_conformal_region *region,
                                const bnre_conformal_region *local,
                                const bnre_guarantee *guarantee);

/* A certificate in words, as one entry of a list. */
void cli_print_certificate(const bnre_certificate *certificate);

/* As far as it holds for what was observed. */
bnre_status cli_print_guarantee(const bnre_guarantee *guarantee);

void cli_print_theorem(const bnre_theorem *theorem);
void cli_print_curve(const bnre_learning_curve *curve);
void cli_print_advice(const bnre_advice *advice);

#endif
