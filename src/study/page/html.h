/* html.h - the page while it is written: text of others that stays text,
   numbers, pictures, and the sections. It fails once, at its end
   (base/text.h). */
#ifndef BNRE_PAGE_HTML_H
#define BNRE_PAGE_HTML_H

#include "base/text.h"
#include "study/page/figures.h"

typedef struct bnre__page {
    bnre__text text;
    const bnre__saved_study *study;
    const bnre__page_figures *figures;
    const char *formats; /* that figures were drawn in */
} bnre__page;

/* As printf(), but what %s brings in has what means something to HTML taken
   away, and what is not to be seen spelt out; NULL is nothing. Markup is in the
   format alone. */
void bnre__html(bnre__page *page, const char *fmt, ...) BNRE_PRINTF(2, 3);

/* ---- numbers for %s, a dash if they are not known ---- */

enum { BNRE__NUMBER = 800 };

const char *bnre__html_fixed(int digits, double value, char out[BNRE__NUMBER]);
const char *bnre__html_shown(const char *number, char out[BNRE__NUMBER]);
const char *bnre__html_real(double value, double spread,
                            char out[BNRE__NUMBER]);
const char *bnre__html_p(double p, char out[BNRE__NUMBER]);

/* With `digits` after the point; to two digits of its spread and a p-value
   (bnre/text.h); one that is words already, with true minus signs; 131072 as
   131,072. They live as long as the block they stand in. */
#define BNRE__FIXED(digits, value)                                             \
    bnre__html_fixed(digits, value, (char[BNRE__NUMBER]){0})
#define BNRE__REAL(value, spread)                                              \
    bnre__html_real(value, spread, (char[BNRE__NUMBER]){0})
#define BNRE__P(p) bnre__html_p(p, (char[BNRE__NUMBER]){0})
#define BNRE__SHOWN(number) bnre__html_shown(number, (char[BNRE__NUMBER]){0})
#define BNRE__COUNT(n) bnre_readable_count(n, (char[BNRE_READABLE]){0})

/* ---- parts that sections share ---- */

/* The picture in an SVG file as part of the page, its names made unlike those
   of other pictures by `prefix`. Gives 0, and the page is as before, if there
   is no such file. Scripts, and whatever else no figure of ours has, are
   refused: then it is 0 too. */
int bnre__html_picture(bnre__page *page, const char *path, const char *prefix,
                       const char *label);

/* A figure of the page, with its caption and links. */
void bnre__html_figure(bnre__page *page, const bnre__page_figure *figure);

/* A table that may be wider than the window: up to its head; its cells are
   "<th scope=\"col\">"; bnre__html(page, BNRE__TABLE_END) ends it. */
void bnre__html_table(bnre__page *page, const char *label);
#define BNRE__TABLE_END "</tbody></table></div>\n"

/* "<span class=\"mark CLASS\">N WORDS</span>", without N if it is all of one;
   nothing for n = 0. The class of a verdict is "good", "bad", ... */
void bnre__html_mark(bnre__page *page, const char *class, size_t n, size_t of,
                     const char *words);
const char *bnre__html_class(const char *verdict);

/* A note: "<strong>" begins it, the caller ends it with BNRE__NOTE_END. */
#define BNRE__NOTE "<div class=\"note\" role=\"note\"><p><strong>"
#define BNRE__NOTE_END "</p></div>\n"

/* ---- the whole (page.c) and its sections ---- */

/* From the first line to the heading and "<p class=\"lead\">", which the caller
   ends with "</p>\n</header>\n<main>\n". */
void bnre__html_begin(bnre__page *page, const char *title);
void bnre__page_write(bnre__page *page);

void bnre__section_notes(bnre__page *page);
void bnre__section_verdicts(bnre__page *page);
/* Of a study of models, nothing of others. */
void bnre__section_models(bnre__page *page);
/* Of a study with `each`, likewise. */
void bnre__section_rows(bnre__page *page);
void bnre__section_figures(bnre__page *page);
void bnre__section_runs(bnre__page *page);
void bnre__section_advice(bnre__page *page);
void bnre__section_making(bnre__page *page);

/* What trust has to say: marks of runs; notes; and about a run: items of a list
   of facts, tables, advice. */
void bnre__trust_marks(bnre__page *page, size_t first, size_t runs);
void bnre__trust_notes(bnre__page *page);
void bnre__trust_facts(bnre__page *page, const bnre__saved_run *run);
void bnre__trust_regions(bnre__page *page, const bnre__saved_run *run);
void bnre__trust_advice(bnre__page *page, const bnre__saved_run *run);

#endif
