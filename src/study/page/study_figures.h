/* study_figures.h - the kinds of figures over a study. */
#ifndef BNRE_REPORT_STUDY_FIGURES_H
#define BNRE_REPORT_STUDY_FIGURES_H

#include "base/text.h"
#include "study/page/panels.h"

enum { BNRE__MOST_SERIES = 9 };

/* A figure that is being made. */
typedef struct bnre__easel {
    const bnre__findings *findings;
    const bnre__layout *layout;
    const char *name, *formats;
    bnre__text caption; /* stays empty if there is nothing to show */
    int drawn;
} bnre__easel;

/* Each draws one if there is something to show. Errors: those of
   bnre__sheet_draw(). */
BNRE_MUST_CHECK bnre_status bnre__draw_coverage(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_auc(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_log_posterior(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_bias(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_lambda(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_posterior(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_balance(bnre__easel *easel);
BNRE_MUST_CHECK bnre_status bnre__draw_training(bnre__easel *easel);

typedef enum bnre__bands {
    BNRE__NO_BANDS,
    BNRE__BANDS_OF_MEANS,
    BNRE__BANDS_OF_MEDIANS
} bnre__bands;

/* The caption: `text`, and then what is to be said about runs and bands, and
   about dashed lines. */
BNRE_MUST_CHECK bnre_status bnre__easel_explain(bnre__easel *easel,
                                                bnre__bands bands,
                                                const char *text);

/* Series that have cells on the axis, which get panels of their own. */
size_t bnre__easel_panels(const bnre__layout *layout,
                          size_t out[BNRE__MOST_SERIES]);

BNRE_MUST_CHECK bnre_status bnre__easel_legend(bnre__sheet *sheet,
                                               const bnre__layout *layout,
                                               bnre__legend legend);

extern const bnre__trend bnre__balance_trend;

/* 0 for runs that are done. */
bnre_estimate bnre__quantity_zero(const bnre__run_found *run, size_t which);

#endif
