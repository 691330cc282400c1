/* command.h - the command `infer` around its rounds. */
#ifndef BNRE_ROUNDS_COMMAND_H
#define BNRE_ROUNDS_COMMAND_H

#include "rounds/rounds.h"

/* Open and check what is given, and say what is to be done. (prepare.c)
   Errors: EUSAGE; those of reading. */
BNRE_MUST_CHECK bnre_status bnre__infer_prepare(bnre__infer *infer);
/* The plan in words, for a dry run. */
BNRE_MUST_CHECK bnre_status bnre__infer_plan(const bnre__infer *infer,
                                             char **out);

/* The page (page.c), and lines for people, from the files of the directory. */
BNRE_MUST_CHECK bnre_status bnre__infer_page(const bnre__infer *infer);
BNRE_MUST_CHECK bnre_status bnre__infer_summary(const bnre__infer *infer,
                                                char **out);

#endif
