/* fit.h - the 19 quantities that IMRPhenomD was calibrated with. */
#ifndef GW_FIT_H
#define GW_FIT_H

/* rho, v2, gamma: amplitude; sigma, beta, alpha: phase. */
enum gw_fit {
    GW_RHO1,
    GW_RHO2,
    GW_RHO3,
    GW_V2,
    GW_GAMMA1,
    GW_GAMMA2,
    GW_GAMMA3,
    GW_SIGMA1,
    GW_SIGMA2,
    GW_SIGMA3,
    GW_SIGMA4,
    GW_BETA1,
    GW_BETA2,
    GW_BETA3,
    GW_ALPHA1,
    GW_ALPHA2,
    GW_ALPHA3,
    GW_ALPHA4,
    GW_ALPHA5,
    GW_FITS
};

/* Evaluate all of them for the symmetric mass ratio eta and the reduced spin
   chi_pn. */
void gw_fit_evaluate(double eta, double chi_pn, double fit[GW_FITS]);

#endif
