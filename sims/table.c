#include "sims.h"

const bnre_plugin *const bnre_sims[] = {
    &bnre_sim_gaussian,
    NULL,
};
