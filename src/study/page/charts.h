/* charts.h - the kinds of figures over a study. */
#ifndef BNRE_PAGE_CHARTS_H
#define BNRE_PAGE_CHARTS_H

#include "base/text.h"
#include "study/page/layout.h"

/* A figure that is being made. */
typedef struct bnre__chart {
    const bnre__saved_study *study;
    const bnre__layout *layout;
    const char *name, *formats;
    bnre__text caption; /* stays empty if there is nothing to show */
    int drawn;
} bnre__chart;

/* Each draws one if there is something to show. Errors: those of
   bnre__figure_end(). */
typedef bnre_status bnre__chart_draw(bnre__chart *chart);

BNRE_MUST_CHECK bnre__chart_draw bnre__chart_coverage, bnre__chart_auc,
    bnre__chart_log_posterior, bnre__chart_bias, bnre__chart_lambda,
    bnre__chart_posterior, bnre__chart_balance, bnre__chart_training;

#endif
