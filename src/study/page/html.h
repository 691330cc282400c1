/* html.h - pieces of the page. */
#ifndef BNRE_PAGE_HTML_H
#define BNRE_PAGE_HTML_H

#include "base/text.h"
#include "study/page/figures.h"

/* Text of others, with what means something to HTML taken away. */
BNRE_MUST_CHECK bnre_status bnre__html_escape(bnre__text *page,
                                              const char *text);

/* A number with `digits` after the point; a dash if it is not known. */
void bnre__html_number(bnre__text *page, int digits, double value);

/* A number to two digits of its spread, and a p-value (readable.h); a dash if
   it is not known. */
void bnre__html_real(bnre__text *page, double value, double spread);
void bnre__html_p(bnre__text *page, double p);

/* Numbers that are words already (readable.h, marginal.h): with true minus
   signs, and a dash for none. */
void bnre__html_shown(bnre__text *page, const char *number);

/* 131072 as 131,072. */
void bnre__html_count(bnre__text *page, size_t n);

/* The picture in an SVG file as part of the page, its names made unlike those
   of other pictures by `prefix`. *found is 0 if there is no such file. Scripts,
   and whatever else no figure of ours has, are refused: then it is 0 too. */
BNRE_MUST_CHECK bnre_status bnre__html_picture(bnre__text *page,
                                               const char *path,
                                               const char *prefix,
                                               const char *label, int *found);

/* What stands before and after the sections: head, style, title. */
BNRE_MUST_CHECK bnre_status bnre__html_begin(bnre__text *page,
                                             const bnre__saved_study *study);
void bnre__html_end(bnre__text *page);

/* The sections. */
BNRE_MUST_CHECK bnre_status bnre__html_verdicts(bnre__text *page,
                                                const bnre__saved_study *study);
BNRE_MUST_CHECK bnre_status bnre__html_notes(bnre__text *page,
                                             const bnre__saved_study *study,
                                             const bnre__page_figures *figures);
BNRE_MUST_CHECK bnre_status
bnre__html_figures(bnre__text *page, const bnre__saved_study *study,
                   const bnre__page_figures *figures, const char *formats);
BNRE_MUST_CHECK bnre_status bnre__html_advice(bnre__text *page,
                                              const bnre__saved_study *study);
BNRE_MUST_CHECK bnre_status bnre__html_runs(bnre__text *page,
                                            const bnre__saved_study *study,
                                            const bnre__page_figures *figures,
                                            const char *formats);
BNRE_MUST_CHECK bnre_status bnre__html_making(bnre__text *page,
                                              const bnre__saved_study *study);

/* A figure of the figures. */
BNRE_MUST_CHECK bnre_status bnre__html_figure(bnre__text *page,
                                              const bnre__saved_study *study,
                                              const bnre__page_figure *picture,
                                              const char *formats);

/* What trust has to say about a run: marks for headings; items of a list of
   facts; tables and advice. */
void bnre__html_certificates(bnre__text *page, const bnre__saved_study *study,
                             size_t first, size_t runs);
BNRE_MUST_CHECK bnre_status bnre__html_trust_facts(bnre__text *page,
                                                   const bnre__saved_run *run);
BNRE_MUST_CHECK bnre_status bnre__html_conformal(bnre__text *page,
                                                 const bnre__saved_run *run);
BNRE_MUST_CHECK bnre_status bnre__html_run_advice(bnre__text *page,
                                                  const bnre__saved_run *run);

/* A note if the observation is unlike what was simulated. */
BNRE_MUST_CHECK bnre_status bnre__html_outside(bnre__text *page,
                                               const bnre__saved_study *study);

/* A note if posteriors should not be used as they are. */
void bnre__html_doubts(bnre__text *page, const bnre__saved_study *study);

/* The class of a verdict's mark: "good", "bad", ... */
const char *bnre__html_class(const char *verdict);

#endif
