#include "sims.h"

const bnre_plugin *const bnre_sims[] = {
    &bnre_sim_gaussian,
    &bnre_sim_spatial_sir,
    NULL,
};
