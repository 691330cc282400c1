/* panels.h - panels that figures over a study are made of. Each is placed with
   bnre__sheet_place() before. Errors: ENOMEM, and those of files. */
#ifndef BNRE_REPORT_PANELS_H
#define BNRE_REPORT_PANELS_H

#include "study/page/sheet.h"

#define BNRE__ALL_SERIES ((size_t)-1)

/* Expected coverage against credibility: the curves of one series in the
   colours of the ticks, or one tick of all series in their own. Those without a
   place on the axis are dashed. */
BNRE_MUST_CHECK bnre_status bnre__coverage_panel(bnre__sheet *sheet,
                                                 const bnre__layout *layout,
                                                 size_t series);

/* A number against the axis. */
typedef struct bnre__trend {
    const char *label; /* of the vertical axis */
    bnre__quantity quantity;
    size_t which;            /* handed to it */
    int median;              /* over runs, else the mean */
    int from_one;            /* the distance of the mean from 1 */
    bnre__quantity baseline; /* a line to compare with, a mean; or NULL */
    int from_zero;           /* the vertical axis begins at 0 */
} bnre__trend;

BNRE_MUST_CHECK bnre_status bnre__trend_panel(bnre__sheet *sheet,
                                              const bnre__layout *layout,
                                              const bnre__trend *trend);

/* The posterior of the first parameter in each cell of the series, the mean
   over its runs, in the colours of the ticks. */
BNRE_MUST_CHECK bnre_status bnre__posterior_panel(bnre__sheet *sheet,
                                                  const bnre__layout *layout,
                                                  size_t series);

/* Losses of all runs, by epoch: a column of BNRE__HISTORY_... */
BNRE_MUST_CHECK bnre_status bnre__training_panel(bnre__sheet *sheet,
                                                 const bnre__layout *layout,
                                                 size_t series, size_t column);

/* Quantities. */
bnre_estimate bnre__quantity_auc(const bnre__run_found *run, size_t which);
bnre_estimate bnre__quantity_balance(const bnre__run_found *run, size_t which);
bnre_estimate bnre__quantity_information(const bnre__run_found *run,
                                         size_t which);

#endif
