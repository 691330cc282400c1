/* classes.h - the report of a classifier, as it is kept in its file. */
#ifndef BNRE_INFER_CLASSES_H
#define BNRE_INFER_CLASSES_H

#include "bnre/classes.h"
#include "infer/estimator/estimator.h"

/* ---- numbers of a report in a map (classes_text.c) ---- */

typedef struct bnre__report_field {
    const char *name;
    size_t offset; /* of a double */
} bnre__report_field;

BNRE_MUST_CHECK bnre_status bnre__report_put(bnre_node *node, const char *key,
                                             double value);
BNRE_MUST_CHECK bnre_status
bnre__report_put_all(bnre_node *map, size_t n, const bnre__report_field *field,
                     const void *from);
/* A report is the map of what was held out, first the rows of each class; the
   end keeps it with the estimator. The caller destroys *root in any case. */
BNRE_MUST_CHECK bnre_status bnre__report_begin(size_t n, const size_t *rows,
                                               bnre_node **root,
                                               bnre_node **map);
BNRE_MUST_CHECK bnre_status bnre__report_end(bnre_estimator *est,
                                             const bnre_node *root);
/* Errors: EFORMAT for one that is not there; those of bnre__read_real(). */
BNRE_MUST_CHECK bnre_status bnre__report_get_all(
    const bnre_node *map, size_t n, const bnre__report_field *field, void *to);

/* ---- */

/* Keep it with the estimator, in place of a certificate. (classes_text.c) */
BNRE_MUST_CHECK bnre_status bnre__classes_keep(bnre_estimator *est,
                                               const bnre_class_report *report);

/* The same of more than two classes, and their log ratios l (rows, n) for x
   (rows, x_size). (models.c) */
BNRE_MUST_CHECK bnre_status bnre__models_keep(bnre_estimator *est,
                                              const bnre_models_report *report);
BNRE_MUST_CHECK bnre_status bnre__models_log_ratio(const bnre_estimator *est,
                                                   bnre_pool *pool, size_t rows,
                                                   const double *x, double *l);

/* From logits of rows of the first (n) and of the second class (m). Errors:
   EUSAGE for fewer than two of either; ENUM when one is NaN. */
BNRE_MUST_CHECK bnre_status bnre__class_report_make(size_t n,
                                                    const double *first,
                                                    size_t m,
                                                    const double *second,
                                                    bnre_class_report *out);

/* From rows that the classifier has not seen. Rows that failed are left out.
   Errors: EUSAGE for an estimator that is no classifier; EFORMAT for rows of
   another shape; as bnre_dataset_read() and bnre__class_report_make(). */
BNRE_MUST_CHECK bnre_status bnre__classifier_assess(const bnre_estimator *est,
                                                    bnre_pool *pool,
                                                    bnre_dataset *first,
                                                    bnre_dataset *second,
                                                    bnre_class_report *out);

/* From log ratios l[c] (rows[c], n) of rows of each class. The caller clears
   *out in any case. Errors: EUSAGE for fewer than two rows of a class; ENUM;
   ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__models_report_make(size_t n,
                                                     const char *const *name,
                                                     const size_t *rows,
                                                     const double *const *l,
                                                     bnre_models_report *out);

#endif
