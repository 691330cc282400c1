/* phenom.c - set-up of the wave, the remnant, and the strain. */
#include "phenom.h"

#include <math.h>

/* Spin and radiated energy of the remnant, from fits to numerical relativity
   (Husa et al. 2016). */
static void remnant(struct gw_phenom *wave)
{
    double eta = wave->eta;
    double x1 = (1 + wave->diff) / 2, x2 = (1 - wave->diff) / 2;
    double s = x1 * x1 * wave->chi1 + x2 * x2 * wave->chi2;
    double sn = s / (x1 * x1 + x2 * x2);

    wave->final_spin =
        eta * (3.4641016151377544 +
               eta * (-4.399247300629289 +
                      eta * (9.397292189321194 - eta * 13.180949901606242))) +
        s * (1 +
             eta * ((-0.0850917821418767 - 5.837029316602263 * eta) +
                    s * ((0.1014665242971878 - 2.0967746996832157 * eta) +
                         s * ((-1.3546806617824356 + 4.108962025369336 * eta) +
                              s * (-0.8676969352555539 +
                                   2.064046835273906 * eta)))));

    double above = -0.0030302335878845507 +
                   eta * (-2.0066110851351073 + eta * 7.7050567802399215);
    double below = -0.6714403054720589 +
                   eta * (-1.4756929437702908 + eta * 7.304676214885011);

    wave->radiated =
        eta *
        (0.055974469826360077 +
         eta * (0.5809510763115132 +
                eta * (-0.9606726679372312 + eta * 3.352411249771192))) *
        (1 + above * sn) / (1 + below * sn);
}

void gw_phenom_init(struct gw_phenom *wave, const struct gw_qnm *qnm, double m1,
                    double m2, double spin1, double spin2)
{
    int swap = m2 > m1;
    double total = m1 + m2;

    wave->chi1 = swap ? spin2 : spin1;
    wave->chi2 = swap ? spin1 : spin2;
    wave->mass = total * GW_SUN;
    wave->eta = fmin(m1 * m2 / (total * total), 0.25);
    wave->diff = sqrt(1 - 4 * wave->eta);

    double chi_pn = (wave->chi1 + wave->chi2) / 2 * (1 - 76 * wave->eta / 113) +
                    wave->diff * (wave->chi1 - wave->chi2) / 2;

    gw_fit_evaluate(wave->eta, chi_pn, wave->fit);
    remnant(wave);
    gw_qnm_evaluate(qnm, wave->final_spin, &wave->ring, &wave->damp);
    wave->ring /= 1 - wave->radiated;
    wave->damp /= 1 - wave->radiated;
    gw_amplitude_init(wave);
    gw_phase_init(wave);
}

struct gw_complex gw_phenom_strain(const struct gw_phenom *wave, double f_hz,
                                   double coalescence_phase)
{
    /* sqrt(5 / (16 pi)): the (2, 2) mode along its axis. */
    const double face_on = 0.31539156525252000;
    double f = wave->mass * f_hz;

    if (f > GW_PHENOM_END)
        return (struct gw_complex){0, 0};

    double third = cbrt(f);
    double size =
        face_on * wave->mass * wave->mass * gw_amplitude(wave, f, third);
    double angle =
        gw_phase(wave, f, third) - wave->t0 * f - 2 * coalescence_phase;

    return (struct gw_complex){size * cos(angle), -size * sin(angle)};
}
