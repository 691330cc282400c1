/* qnm.h - ring-down of a rotating black hole: its l = m = 2 mode. */
#ifndef GW_QNM_H
#define GW_QNM_H

#include <stddef.h>

#define GW_QNM_KNOTS 1003

/* Natural cubic splines through the tabulated frequencies. */
struct gw_qnm {
    double ring_bend[GW_QNM_KNOTS]; /* second derivatives at the knots */
    double damp_bend[GW_QNM_KNOTS];
};

void gw_qnm_init(struct gw_qnm *qnm);

/* Frequency and damping rate of a hole of unit mass with spin -1 <= spin <= 1
   (negative: against the orbit). */
void gw_qnm_evaluate(const struct gw_qnm *qnm, double spin, double *ring,
                     double *damp);

#endif
