/* density.h - a posterior as a function.

   Grids, samplers and diagnostics see an estimated posterior only through this
   record: for one x, the logarithm of q(theta | x) / p(theta) for a batch of
   theta, up to a constant that may depend on x. So they work for trained
   estimators, for exact posteriors, and for those of other programs alike. */
#ifndef BNRE_DENSITY_H
#define BNRE_DENSITY_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/pool.h"
#include "bnre/prior.h"
#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_density {
    const bnre_prior *prior;   /* borrowed; theta has its dimensions */
    size_t x_size;             /* numbers of one observation */
    const char *const *x_name; /* (x_size) borrowed; NULL: without names */
    void *context;             /* borrowed, shared by all sessions */

    /* Each thread works in a session of its own. open and close may both be
       NULL: the context then serves as the session of every thread. */
    bnre_status (*open)(void *context, void **session);
    void (*close)(void *session);

    /* The observation x (x_size) that what follows is about; copied. */
    bnre_status (*observe)(void *session, const double *x);

    /* out (n) from theta (n, dim), inside the support of the prior. gradient
       (n, dim), unless NULL, receives d out / d theta. A result may be -inf,
       never NaN or +inf. */
    bnre_status (*log_ratio)(void *session, size_t n, const double *theta,
                             double *out, double *gradient);
    int has_gradient; /* 0: `gradient` is always NULL */

    /* Of an ensemble, otherwise 0 and NULL: the same `out`, and each
       (members, n) of its members by itself, from one evaluation. */
    size_t members;
    bnre_status (*log_ratio_each)(void *session, size_t n, const double *theta,
                                  double *out, double *each);

    /* Unless NULL, something like `out` at less cost, such as what one member
       of an ensemble says: for where to look, not for what is there. */
    bnre_status (*rough)(void *session, size_t n, const double *theta,
                         double *out);

    /* Unless NULL: theta (n, dim), independent draws of the normalised q(theta
       | x) within the support of the prior; log ratios are then log q - log p,
       without any constant. Draw number first + i depends on it and the seed
       alone. */
    bnre_status (*draw)(void *session, uint64_t seed, uint64_t first, size_t n,
                        double *theta);

    /* Unless NULL, `draw` gives draws of another density h(theta | x), and this
       log w (n) of theta (n, dim), w = p exp(log ratio) / h: what ranks need,
       and no posterior is made of. */
    bnre_status (*weigh)(void *context, size_t n, const double *theta,
                         double *log_w);

    /* Unless `many` is 0 the same for up to so many x at a time, which is faster
       where networks are small: x (n, x_size) from then on, until `observe`;
       of each, draws 0 to n - 1 with a seed of its own, theta (x, n, dim); and
       out (x, rows) from theta (x, rows, dim). They are what the functions
       above give for each x, to the last bit. With `widths` > 0 (up to 16) out
       (widths, x, rows) is of the densities whose widths are times each of
       widen (widths), which costs little more than one: see
       bnre_estimator_set_widen(). */
    size_t many;
    bnre_status (*observe_many)(void *session, size_t n, const double *x);
    bnre_status (*draw_many)(void *session, const uint64_t *seed, size_t n,
                             double *theta);
    bnre_status (*log_ratio_many)(void *session, size_t rows,
                                  const double *theta, size_t widths,
                                  const double *widen, double *out);

    /* Unless 0, log ratios are log q - log p of a normalised q, and in sums over
       several observations each stands for log[(1 - floor) q / p + floor]: what
       a single q says of a theta far out in its tail is no reason to exclude
       it, and the sum stays proper. */
    double floor;
    int floor_single; /* and for a single observation likewise */

    /* Unless NULL, simulations that failed are missing, and p (n) is the
       probability, above 0, that one with theta (n, dim) gives a result. Pairs
       of a file with failed rows are then no draws of the prior until each is
       taken with a probability proportional to 1 / p. */
    bnre_status (*result)(void *context, size_t n, const double *theta,
                          double *p);

    /* Unless NULL, files hold pairs of another prior, and these are pairs of
       `prior` if each is taken with probability p (n), within [0, 1]. */
    bnre_status (*keep)(void *context, size_t n, const double *theta,
                        double *p);

    /* Unless NULL, theta of all the above are places in a region of the prior,
       and this gives u (n, dim), the places of theta (n, dim) of pairs that
       were simulated within it. Errors: EUSAGE for a theta outside. */
    bnre_status (*place)(void *context, bnre_pool *pool, size_t n,
                         const double *theta, double *u);
} bnre_density;

/* ---- other priors, and several experiments ----

   A ratio is a likelihood but for a factor that depends on x alone: with any
   prior p' it gives the posterior p'(theta) r(theta, x), and ratios of
   independent experiments multiply. A joint density is that: one prior, and
   experiments that each speak of some of its parameters. Of conditional
   densities (1 - floor) q / p + floor stands for the ratio, so that tails stay
   proper. Outside the support of an experiment's own prior nothing was learned:
   the log ratio is -inf there. */

typedef struct bnre_experiment {
    bnre_density density;
    size_t observations; /* of the same theta, >= 1 */
} bnre_experiment;

typedef struct bnre_joint bnre_joint;

/* One density of n >= 1 experiments (copied; what they borrow must live as
   long) under `prior` (borrowed), whose parameters have the names that the
   experiments have for theirs. Its x are the observations of the first
   experiment, one after the other, then those of the second, and so on. With
   one experiment pairs of its own prior become pairs of this one (`keep`).
   The caller owns *out. Errors: EUSAGE for a parameter that the prior lacks, or
   one that no experiment speaks of; if more than BNRE_PRIOR_OUTSIDE of the prior
   is outside that of an experiment, with how much; ENOMEM. */
BNRE_API BNRE_MUST_CHECK bnre_status
bnre_joint_create(const bnre_prior *prior, size_t n,
                  const bnre_experiment *experiment, bnre_joint **out);
BNRE_API void bnre_joint_destroy(bnre_joint *joint); /* NULL is fine */

/* Lives as long as the joint. */
BNRE_API bnre_density bnre_joint_density(const bnre_joint *joint);

/* How its prior differs from that of experiment i. */
BNRE_API const bnre_prior_change *bnre_joint_change(const bnre_joint *joint,
                                                    size_t i);

/* ---- a session: the log ratio of one theta given what was observed ----

   A session stands between a density and everything that evaluates it: it keeps
   the observations, adds the log ratios of several independent ones, tempers
   the sum, refuses results that are no numbers, and spreads large batches over
   threads. */

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

/* theta (n, dim): independent draws of the posterior, draw number first + i
   depending on it and the seed alone. Possible for a single observation, tau =
   1, and densities that can be drawn from: bnre_session_can_draw() tells.
   Errors: EINVAL where it is not possible; those of the density. */
BNRE_API int bnre_session_can_draw(const bnre_session *session);
BNRE_API BNRE_MUST_CHECK bnre_status bnre_session_draw(bnre_session *session,
                                                       uint64_t seed,
                                                       uint64_t first, size_t n,
                                                       double *theta);

#ifdef __cplusplus
}
#endif
#endif
