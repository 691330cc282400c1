/* posterior_files.h - files of a posterior, checked before they are made. */
#ifndef BNRE_OUTPUT_POSTERIOR_FILES_H
#define BNRE_OUTPUT_POSTERIOR_FILES_H

#include "bnre/posterior_files.h"

/* What bnre_posterior_save() would complain about, before there is a posterior
   to be saved. Errors: EEXIST; EUSAGE; as
   bnre_posterior_save(). */
BNRE_MUST_CHECK bnre_status bnre__posterior_files_check(
    const bnre_posterior_files *files, const bnre_prior *prior);

#endif
