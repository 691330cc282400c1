/* describe.h - what things are, for programs. */
#ifndef BNRE_FLAT_DESCRIBE_H
#define BNRE_FLAT_DESCRIBE_H

#include "bnre/dataset.h"
#include "bnre/estimator.h"
#include "bnre/task.h"
#include "io/json.h"

/* Keys of flat.h, put into an object. Errors: ENOMEM; EINVAL for names that are
   not UTF-8. */
BNRE_MUST_CHECK bnre_status bnre__describe_estimator(const bnre_estimator *est,
                                                     bnre__json *root);
BNRE_MUST_CHECK bnre_status bnre__describe_task(const bnre_task *task,
                                                bnre__json *root);
BNRE_MUST_CHECK bnre_status bnre__describe_dataset(const bnre_dataset *data,
                                                   bnre__json *root);

/* YAML text under `key`, numbers being numbers; null for NULL or "". */
BNRE_MUST_CHECK bnre_status bnre__describe_yaml(bnre__json *root,
                                                const char *key,
                                                const char *yaml);

/* Texts under `key`; null for NULL. */
BNRE_MUST_CHECK bnre_status bnre__describe_texts(bnre__json *root,
                                                 const char *key, size_t n,
                                                 const char *const *text);

#endif
