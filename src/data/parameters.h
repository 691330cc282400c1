/* parameters.h - where the parameters of a row come from. */
#ifndef BNRE_DATA_PARAMETERS_H
#define BNRE_DATA_PARAMETERS_H

#include "base/text.h"
#include "bnre/dataset.h"

/* The parameters (n, dim) and nuisance parameters of n rows: drawn from a
   row's own stream, whatever else is simulated with it, or from that of the
   first row it shares them with, or the given ones. Nuisance parameters are each
   row's own. */
void bnre__parameters_draw(const bnre_task *task,
                           const bnre_simulate_opts *opts, uint64_t row,
                           size_t n, double *theta, double *nuisance);

/* Given parameters suffice and are finite; a note if they are outside of the
   prior's support. */
BNRE_MUST_CHECK bnre_status
bnre__parameters_check(const bnre_task *task, const bnre_simulate_opts *opts);

/* Add what tells given parameters, or those that rows share, from others to the
   text of the settings; nothing when each row draws its own. */
BNRE_MUST_CHECK bnre_status bnre__parameters_describe(
    const bnre_task *task, const bnre_simulate_opts *opts, bnre__text *out);

/* The parameters alone, of which bnre_simulate() with the same options would
   make rows: for simulating elsewhere. Columns theta.NAME and nuisance.NAME of
   a .csv file, arrays theta and nuisance of .npz and .h5, or theta as .npy (if
   there is no nuisance). Errors: EEXIST unless `force`; EUSAGE; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__simulate_theta(const bnre_task *task,
                                                 const bnre_simulate_opts *opts,
                                                 const char *path);

/* Parameters of a task from text ("0.5,1.2": one row) or from a file: .csv with
   a column per parameter, .npy (N, dim), or array theta of .npz and .h5. The
   caller frees *out with bnre_free(). Errors: EUSAGE; ENUM; EIO; EFORMAT. */
BNRE_MUST_CHECK bnre_status bnre__theta_parse(const bnre_task *task,
                                              const char *text, double **out);
BNRE_MUST_CHECK bnre_status bnre__theta_read(const bnre_task *task,
                                             const char *path, size_t *rows,
                                             double **out);

#endif
