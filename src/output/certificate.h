/* certificate.h - what an estimator was found to be worth when it was trained:
   how lambda and temper were chosen, and the pairs it was certified and
   calibrated with. */
#ifndef BNRE_REPORT_CERTIFICATE_H
#define BNRE_REPORT_CERTIFICATE_H

#include "bnre/settings.h"

/* Start from {0}: nothing was chosen, certified or calibrated. */
typedef struct bnre__certificate {
    bnre_node *node;   /* owned; the rest is borrowed from it */
    const char *words; /* the outcome; NULL if nothing was chosen */
    int certified;
    double lambda, temper; /* chosen; NaN if not */
    double delta, eps;
    size_t selecting, certifying, calibrating; /* pairs */
    size_t candidates, tested, passed;
    int blind; /* nothing could be seen of any of them */
} bnre__certificate;

/* That of an estimator's file; *out stays {0} if it has none, or none that can
   be read. Errors: ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__certificate_read(const char *estimator,
                                                   bnre__certificate *out);
void bnre__certificate_clear(bnre__certificate *certificate);

/* The lower bound of coverage at level i; NaN if there is none. */
double bnre__certificate_bound(const bnre__certificate *certificate, size_t i);

/* The figure of bnre_trust_draw(), of two candidates or more. */
BNRE_MUST_CHECK bnre_status
bnre__certificate_draw(const bnre__certificate *certificate, const char *stem,
                       const char *formats, int *drawn);

#endif
