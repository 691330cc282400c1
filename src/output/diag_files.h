/* diag_files.h - diagnoses in files: tables and figures (diagnosis_record.h
   has the results), and samples of posteriors that other programs made. */
#ifndef BNRE_OUTPUT_DIAG_FILES_H
#define BNRE_OUTPUT_DIAG_FILES_H

#include "bnre/diag.h"
#include "bnre/status.h"

/* A table (CSV) with a row for each level: coverage with its intervals, volume
   of regions, TARP. Errors: EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diag_write_levels(const bnre_diag *diag,
                                                    const char *path);

/* A table (CSV) with a row for each pair: rank, gain, effective points, ranks
   by parameter, TARP rank. */
BNRE_MUST_CHECK bnre_status bnre__diag_write_pairs(const bnre_diag *diag,
                                                   const char *path);

/* Pictures STEM-coverage and STEM-sbc in formats such as "svg,pdf", with the
   scripts and data they are drawn from (.gp and .dat). *drawn (may be NULL) is
   0 if there is no gnuplot to draw them with; all else is then well. Errors:
   EUSAGE for an unknown format; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diag_draw(const bnre_diag *diag,
                                            const char *stem,
                                            const char *formats, int *drawn);

/* Read samples (n, samples, dim) of n posteriors: the array `samples` of a .npz
   or .h5 file, with `theta` (n, dim), `log_density` (n, samples) and
   `log_density_true` (n) if they are there, else NULL; or a .npy file. The
   caller clears *out. Errors: EIO; EFORMAT for arrays that are missing or do
   not fit together; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diag_samples_read(const char *path,
                                                    bnre_diag_samples *out);
/* Put the parameters into this order (n): those of samples that have names by
   these, others are in it already. Errors: EUSAGE with both lists of names when
   they differ; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__diag_samples_arrange(
    bnre_diag_samples *samples, size_t n, const char *const *name);
void bnre__diag_samples_clear(bnre_diag_samples *samples);

#endif
