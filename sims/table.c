/* table.c - the list of the built-in tasks. */
#include "sims.h"

/* clang-format off: a line each, so that a new task is one more line */
const bnre_plugin *const bnre_sims[] = {
    &bnre_sim_gaussian,
    &bnre_sim_slcp,
    &bnre_sim_weinberg,
    &bnre_sim_spatial_sir,
    &bnre_sim_mg1,
    &bnre_sim_lotka_volterra,
    NULL,
};
/* clang-format on */
