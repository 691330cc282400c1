/* sims.h - the built-in simulators. */
#ifndef BNRE_SIMS_H
#define BNRE_SIMS_H

#include "bnre/plugin.h"

extern const bnre_plugin bnre_sim_gaussian;
extern const bnre_plugin bnre_sim_slcp;
extern const bnre_plugin bnre_sim_weinberg;
extern const bnre_plugin bnre_sim_spatial_sir;
extern const bnre_plugin bnre_sim_mg1;
extern const bnre_plugin bnre_sim_lotka_volterra;

/* All of them, ended by NULL. */
extern const bnre_plugin *const bnre_sims[];

#endif
