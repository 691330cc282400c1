/* section_figures.c - the figures on the page. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"
#include "output/corner.h"
#include "study/page/html.h"

/* A path, which the caller frees; NULL, and the page has failed, without
   memory. */
static char *path_of(bnre__page *page, const char *stem, const char *ending)
{
    char *path = NULL;
    const bnre_status status =
        bnre__text_format(&path, "%s/%s.%s", page->study->dir, stem, ending);

    if (page->text.status == BNRE_OK)
        page->text.status = status;
    return path;
}

static int add_picture(bnre__page *page, const char *stem, const char *prefix,
                       const char *label)
{
    char *path = path_of(page, stem, "svg");
    const int found =
        path != NULL && bnre__html_picture(page, path, prefix, label);

    bnre__free(path);
    return found;
}

/* Links to a figure's files, as far as they were made. */
static void add_links(bnre__page *page, const char *stem, const char *formats)
{
    bnre__html(page, " <small>");
    while (*formats != 0) {
        const size_t length = strcspn(formats, ",");
        char format[8];

        snprintf(format, sizeof format, "%.*s", (int)length, formats);
        bnre__html(page, "<a href=\"%s.%s\">%s</a>, ", stem, format, format);
        formats += length + (formats[length] == ',');
    }
    bnre__html(page,
               "<a href=\"%s.gp\">script</a>, <a href=\"%s.dat\">data</a>"
               "</small>",
               stem, stem);
}

void bnre__html_figure(bnre__page *page, const bnre__page_figure *figure)
{
    bnre__text stem = {0}, prefix = {0};
    int found;

    bnre__text_put(&stem, "figures/%s", figure->name);
    bnre__text_put(&prefix, "%s-", figure->name);
    if (bnre__text_check(&stem) != BNRE_OK ||
        bnre__text_check(&prefix) != BNRE_OK) {
        page->text.status = BNRE_ENOMEM;
        goto done;
    }
    bnre__html(page, "<figure id=\"figure-%s\"><div class=\"picture\">",
               figure->name);
    found = add_picture(page, stem.data, prefix.data, figure->heading);
    bnre__html(page, "</div><figcaption><strong>%s%s%s.</strong> ",
               figure->heading, figure->task != NULL ? ", " : "", figure->task);
    if (!found)
        bnre__html(page, "(The picture was not drawn.) ");
    bnre__html(page, "%s", figure->caption);
    add_links(page, stem.data, found ? page->formats : "");
    bnre__html(page, "</figcaption></figure>\n");
done:
    bnre__free(prefix.data);
    bnre__free(stem.data);
}

/* ---- posteriors of the observation ---- */

static const bnre__saved_run *first_run(const bnre__page *page, size_t cell)
{
    return &page->study->run[page->study->cell[cell].first];
}

/* The name of a picture of the cell that shares its axes with others; number 0
   is the first. NULL if there is none. */
static const char *shared_corner(const bnre__page *page, size_t cell,
                                 size_t number)
{
    const bnre__page_figures *figures = page->figures;

    for (size_t i = 0; i < figures->n; i++)
        if (figures->item[i].cell == cell + 1 && number-- == 0)
            return figures->item[i].name;
    return NULL;
}

/* The stem of a cell's picture: the one with shared axes, or its own. The
   caller frees it. */
static char *stem_of(bnre__page *page, size_t cell, size_t number)
{
    const char *shared = shared_corner(page, cell, number);
    bnre__text stem = {0};
    char *out = NULL;

    if (shared != NULL)
        bnre__text_put(&stem, "figures/%s", shared);
    else
        bnre__text_put(&stem, "%s/posterior/corner",
                       first_run(page, cell)->dir);
    if (shared == NULL && number > 0)
        bnre__text_put(&stem, "-%zu", number + 1);
    if (bnre__text_take(&stem, &out) != BNRE_OK)
        page->text.status = BNRE_ENOMEM;
    return out;
}

/* A link to a picture, if it is there. */
static void add_page(bnre__page *page, const char *stem, const char *words)
{
    char *path = stem != NULL ? path_of(page, stem, "svg") : NULL;

    if (path != NULL && bnre__file_exists(path))
        bnre__html(page, ", <a href=\"%s.svg\">%s</a>", stem, words);
    bnre__free(path);
}

/* Further pages, where there are many parameters. */
static void add_pages(bnre__page *page, size_t cell)
{
    const bnre__saved_run *run = first_run(page, cell);
    const size_t pages = bnre__corner_pages_told(run->posterior);
    char *stem = NULL, words[64];

    for (size_t k = 1; k < pages; k++) {
        stem = stem_of(page, cell, k);
        snprintf(words, sizeof words, "page %zu of %zu", k + 1, pages);
        add_page(page, stem, words);
        bnre__free(stem);
    }
    if (bnre__text_format(&stem, "%s/posterior/corner-marginals", run->dir) !=
        BNRE_OK)
        page->text.status = BNRE_ENOMEM;
    add_page(page, stem, "all parameters, one by one");
    if (stem != NULL && shared_corner(page, cell, 0) != NULL) {
        stem[strlen(stem) - strlen("-marginals")] = 0;
        add_page(page, stem, "with axes of its own");
    }
    bnre__free(stem);
}

/* That it is not that of training alone: another prior, further experiments. */
static void add_joint(bnre__page *page, const bnre__json *posterior)
{
    const bnre__json *of = bnre__json_find(posterior, "experiments");
    const size_t n = bnre__json_count(of);
    const char *words =
        bnre__json_text_of(bnre__json_find(posterior, "certificate"), "words");
    const char *prior = bnre__saved_setting(page->study, "prior");

    if (prior == NULL && n < 2)
        return;
    bnre__html(page, "<p>");
    if (n > 1)
        bnre__html(page, "Of %zu experiments together", n);
    if (prior != NULL)
        bnre__html(page,
                   "%s another prior than that of training, that of "
                   "<code>%s</code>",
                   n > 1 ? ", under" : "Under", prior);
    bnre__html(page, ". %s.</p>\n", words != NULL ? words : "");
}

/* The corner plot of a cell's first run; gives whether there is one. */
static int add_corner(bnre__page *page, size_t cell, int first)
{
    const size_t before = page->text.length;
    const int shared = shared_corner(page, cell, 0) != NULL;
    char *stem = stem_of(page, cell, 0), prefix[32];
    int found = 0;

    if (stem == NULL)
        return 0;
    if (first)
        bnre__html(page, "<h3>Posteriors of the observation</h3>\n");
    if (first)
        add_joint(page, first_run(page, cell)->posterior);
    if (first && shared)
        bnre__html(page, "<p class=\"soft\">A parameter has the same axis in "
                         "all cells.</p>\n");
    if (first)
        bnre__html(page, "<div class=\"pair\">\n");
    bnre__html(page, "<figure><div class=\"picture\"> ");
    snprintf(prefix, sizeof prefix, "corner%zu-", cell);
    found = add_picture(page, stem, prefix, "Posterior of the observation");
    if (found) {
        bnre__html(page, "</div><figcaption><strong>%s</strong>%s",
                   page->study->cell[cell].name,
                   page->study->cell[cell].runs > 1 ? ", the first run" : "");
        add_pages(page, cell);
        add_links(page, stem, shared ? page->formats : "svg");
        bnre__html(page, "</figcaption></figure>\n");
    } else if (page->text.status == BNRE_OK) {
        page->text.length = before; /* as if nothing had been said */
    }
    bnre__free(stem);
    return found;
}

static void add_corners(bnre__page *page)
{
    size_t shown = 0, cell = 0;

    for (; cell < page->study->cells && shown < BNRE__MOST_CORNERS; cell++)
        if (first_run(page, cell)->posterior != NULL)
            shown += (size_t)add_corner(page, cell, shown == 0);
    if (shown > 0)
        bnre__html(page, "</div>\n");
    if (shown == BNRE__MOST_CORNERS && cell < page->study->cells)
        bnre__html(page,
                   "<p class=\"soft\">Those of the other cells are in their "
                   "directories, <code>runs/CELL/1/posterior/</code>.</p>\n");
}

/* ---- whether the model fits ---- */

/* The verdict of a cell's first run and its predictive band. */
static void add_check(bnre__page *page, size_t cell, int first)
{
    const bnre__saved_run *run = first_run(page, cell);
    const char *verdict = bnre__json_text_of(run->check, "verdict");
    const char *words = bnre__json_text_of(run->check, "words");
    const bnre__json *here = bnre__json_find(run->check, "here");
    const bnre__json *near = bnre__json_find(run->check, "near");
    char *stem = NULL, prefix[32];

    if (first)
        bnre__html(page,
                   "<h3>Does the model fit?</h3>\n<div class=\"pair\">\n");
    if (bnre__text_format(&stem, "%s/check/check", run->dir) != BNRE_OK) {
        page->text.status = BNRE_ENOMEM;
        return;
    }
    bnre__html(page, "<figure><div class=\"picture\"> ");
    snprintf(prefix, sizeof prefix, "check%zu-", cell);
    add_picture(page, stem, prefix, "The observation in its predictive band");
    bnre__html(page, "</div><figcaption><strong>%s</strong>: %s; %s.",
               page->study->cell[cell].name, verdict != NULL ? verdict : "",
               words != NULL ? words : "");
    if (bnre__json_text_of(here, "verdict") != NULL)
        bnre__html(page, " Posterior SBC: %s.",
                   bnre__json_text_of(here, "verdict"));
    if (bnre__json_text_of(near, "verdict") != NULL)
        bnre__html(page, " Pairs near the observation: %s.",
                   bnre__json_text_of(near, "verdict"));
    add_links(page, stem, "svg");
    bnre__html(page, "</figcaption></figure>\n");
    bnre__free(stem);
}

static void add_checks(bnre__page *page)
{
    size_t shown = 0;

    for (size_t cell = 0;
         cell < page->study->cells && shown < BNRE__MOST_CORNERS; cell++)
        if (first_run(page, cell)->check != NULL)
            add_check(page, cell, shown++ == 0);
    if (shown > 0)
        bnre__html(page, "</div>\n");
}

void bnre__section_figures(bnre__page *page)
{
    const bnre__page_figures *figures = page->figures;

    if (figures->n == 0)
        return;
    bnre__html(page, "<section id=\"figures\">\n<h2>Figures</h2>\n");
    for (size_t i = 0; i < figures->n; i++)
        if (figures->item[i].run == 0 && figures->item[i].cell == 0)
            bnre__html_figure(page, &figures->item[i]);
    add_corners(page);
    add_checks(page);
    bnre__html(page, "</section>\n");
}
