/* sims.h - the built-in simulators. */
#ifndef BNRE_SIMS_H
#define BNRE_SIMS_H

#include "bnre/plugin.h"

extern const bnre_plugin bnre_sim_gaussian;
extern const bnre_plugin bnre_sim_spatial_sir;

/* All of them, ended by NULL. */
extern const bnre_plugin *const bnre_sims[];

#endif
