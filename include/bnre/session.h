/* session.h - the log ratio of one theta given what was observed.

   A session stands between a density (density.h) and everything that evaluates
   it: it keeps the observations, adds the log ratios of several independent
   ones, tempers the sum, refuses results that are no numbers, and spreads large
   batches over threads. */
#ifndef BNRE_SESSION_H
#define BNRE_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/density.h"
#include "bnre/pool.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_session bnre_session;

/* `density` and `pool` are borrowed and must live as long. With a pool, batches
   are cut into chunks of fixed size for its threads, so results do not depend
   on their number; the session itself is used from one thread at a time. With
   NULL everything happens in the caller: what a worker of a pool needs, as
   loops do not nest. Errors: ENOMEM; EINVAL for a prior without parameters. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_session_open(
    const bnre_density *density, bnre_pool *pool, bnre_session **out);
BNRE_API void bnre_session_close(bnre_session *session); /* NULL is fine */

/* What was observed: x (n, x_size), n >= 1 independent observations of the same
   theta; copied, in place of earlier ones. Their log ratios are added.
   Errors: EINVAL for n = 0; ENUM with the observation and the place of a value
   that is not finite; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_session_observe(bnre_session *session,
                                                          size_t n,
                                                          const double *x);

/* From now on the sum is multiplied by tau, 0 < tau <= 1 (at first 1), which
   widens the posterior towards the prior. Errors: EUSAGE for other values. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_session_temper(bnre_session *session,
                                                         double tau);

/* out (n) = tau sum_k l(theta, x_k) for theta (n, dim), inside the support of
   the prior; -inf is possible. gradient (n, dim) receives d out / d theta,
   unless it is NULL: for densities that have gradients.
   Errors: EINVAL before the first observation; ENUM with the theta whose result
   is NaN or +inf; those of the density. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_session_log_ratio(bnre_session *session, size_t n, const double *theta,
                       double *out, double *gradient);

/* The same of an ensemble, and in each (members, n) of its members by
   themselves. Errors: also EINVAL for a density without members. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_session_log_ratio_each(bnre_session *session, size_t n,
                            const double *theta, double *out, double *each);

/* out (n) likewise, but rough: see density.h. The same as log ratios where the
   density has nothing rougher. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_session_rough(bnre_session *session,
                                                        size_t n,
                                                        const double *theta,
                                                        double *out);

/* theta (n, dim): independent draws of the posterior, draw number first + i
   depending on it and the seed alone. Possible for a single observation, tau =
   1, and densities that can be drawn from: bnre_session_can_draw() tells.
   Errors: EINVAL where it is not possible; those of the density. */
BNRE_API int bnre_session_can_draw(const bnre_session *session);
BNRE_API BNRE_MUST_CHECK bnre_status bnre_session_draw(bnre_session *session,
                                                       uint64_t seed,
                                                       uint64_t first, size_t n,
                                                       double *theta);

BNRE_API const bnre_density *bnre_session_density(const bnre_session *session);

#ifdef __cplusplus
}
#endif
#endif
