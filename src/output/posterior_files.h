/* posterior_files.h - files of a posterior from inside: checked before they are
   made, and recognised later. */
#ifndef BNRE_OUTPUT_POSTERIOR_FILES_H
#define BNRE_OUTPUT_POSTERIOR_FILES_H

#include "bnre/posterior_files.h"

/* What bnre_posterior_save() would complain about, before there is a posterior
   to be saved. Errors: EEXIST; EUSAGE; as
   bnre_posterior_save(). */
BNRE_MUST_CHECK bnre_status bnre__posterior_files_check(
    const bnre_posterior_files *files, const bnre_prior *prior);

/* Whether a file is such a posterior.h5, and what is in it: a map with the keys
   samples, parameters (a list), grid (as "256 x 256", if it was one), version
   and made, which the caller destroys. Errors: EIO; EFORMAT; ENOMEM. */
int bnre__posterior_recognise(const char *path);
BNRE_MUST_CHECK bnre_status bnre__posterior_describe(const char *path,
                                                     bnre_node **out);

#endif
