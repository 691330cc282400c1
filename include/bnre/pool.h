/* pool.h - what computes: a fixed set of threads that share loops, and kernels
   for this machine.

   Work is cut into chunks whose size the caller chooses; which thread takes
   which chunk is left open, so results must not depend on it. */
#ifndef BNRE_POOL_H
#define BNRE_POOL_H

#include <stddef.h>

#include "bnre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bnre_pool bnre_pool;

/* Work on items first..last-1. `worker` is below bnre_pool_threads() and no
   two calls with the same worker run at once: an index for per-thread state. */
typedef bnre_status (*bnre_pool_fn)(void *arg, size_t worker, size_t first,
                                    size_t last);

/* `threads` includes the calling one; 0 = one per available core.
   Errors: ENOMEM; EIO when threads cannot be started. */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_pool_create(size_t threads,
                                                      bnre_pool **out);
BNRE_API void bnre_pool_destroy(bnre_pool *pool); /* NULL is fine */

BNRE_API size_t bnre_pool_threads(const bnre_pool *pool); /* NULL: 1 */

/* Call `fn` for 0..n-1 in chunks of `chunk` (the last may be shorter) and
   wait for all. When chunks fail, those not yet started are skipped unless
   they come earlier, and the failure of the earliest chunk is returned, with
   its message. A NULL pool runs everything in the caller. Calls do not nest.
   Threads compute in the caller's floating-point mode (rounding, denormals). */
BNRE_API BNRE_MUST_CHECK bnre_status bnre_pool_for(bnre_pool *pool, size_t n,
                                                   size_t chunk,
                                                   bnre_pool_fn fn, void *arg);

/* The set of kernels in use ("avx512", "avx2", "portable"): the best this
   machine has, unless the environment variable BNRE_KERNELS names another. */
BNRE_API const char *bnre_kernels_name(void);

/* How it rounds: the first set that gives the same bytes, "avx2" for "avx2" and
   "avx512". */
BNRE_API const char *bnre_kernels_rounding(void);

#ifdef __cplusplus
}
#endif
#endif
