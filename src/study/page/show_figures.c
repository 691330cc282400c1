/* The figures on the page. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/file.h"
#include "output/corner.h"
#include "study/page/figures.h"
#include "study/page/html.h"

/* Links to a figure's files, as far as they were made. */
static bnre_status add_links(bnre__text *page, const char *stem,
                             const char *formats)
{
    bnre_status status = BNRE_OK;

    bnre__text_put(page, " <small>");
    for (const char *at = formats; *at != 0;) {
        const size_t length = strcspn(at, ",");

        bnre__text_put(page, "<a href=\"");
        BNRE_TRY(bnre__html_escape(page, stem));
        bnre__text_put(page, ".%.*s\">%.*s</a>, ", (int)length, at, (int)length,
                       at);
        at += length + (at[length] == ',');
    }
    bnre__text_put(page, "<a href=\"");
    BNRE_TRY(bnre__html_escape(page, stem));
    bnre__text_put(page, ".gp\">script</a>, <a href=\"");
    BNRE_TRY(bnre__html_escape(page, stem));
    bnre__text_put(page, ".dat\">data</a></small>");
done:
    return status;
}

bnre_status bnre__html_figure(bnre__text *page, const bnre__saved_study *study,
                              const bnre__page_figure *picture,
                              const char *formats)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *prefix = NULL, *stem = NULL;
    int found;

    BNRE_TRY(bnre__text_format(&path, "%s/figures/%s.svg", study->dir,
                               picture->name));
    BNRE_TRY(bnre__text_format(&stem, "figures/%s", picture->name));
    BNRE_TRY(bnre__text_format(&prefix, "%s-", picture->name));
    bnre__text_put(page,
                   "<figure id=\"figure-%s\"><div "
                   "class=\"picture\">",
                   picture->name);
    BNRE_TRY(bnre__html_picture(page, path, prefix, picture->heading, &found));
    bnre__text_put(page, "</div><figcaption><strong>%s", picture->heading);
    if (picture->task != NULL) {
        bnre__text_put(page, ", ");
        BNRE_TRY(bnre__html_escape(page, picture->task));
    }
    bnre__text_put(page, ".</strong> ");
    if (!found)
        bnre__text_put(page, "(The picture was not drawn.) ");
    BNRE_TRY(bnre__html_escape(page, picture->caption));
    BNRE_TRY(add_links(page, stem, found ? formats : ""));
    bnre__text_put(page, "</figcaption></figure>\n");
done:
    bnre__free(prefix);
    bnre__free(stem);
    bnre__free(path);
    return status;
}

/* The name of a picture of the cell that shares its axes with others; page 0 is
   the first. NULL if there is none. */
static const char *shared_corner(const bnre__page_figures *figures, size_t cell,
                                 size_t page)
{
    for (size_t i = 0; i < figures->n; i++)
        if (figures->item[i].cell == cell + 1 && page-- == 0)
            return figures->item[i].name;
    return NULL;
}

/* A link to a picture, if it is there. */
static bnre_status add_page(bnre__text *page, const bnre__saved_study *study,
                            const char *stem, const char *words)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/%s.svg", study->dir, stem));
    if (!bnre__file_exists(path))
        goto done;
    bnre__text_put(page, ", <a href=\"");
    BNRE_TRY(bnre__html_escape(page, stem));
    bnre__text_put(page, ".svg\">%s</a>", words);
done:
    bnre__free(path);
    return status;
}

/* Further pages, where there are many parameters. */
static bnre_status add_pages(bnre__text *page, const bnre__saved_study *study,
                             const bnre__page_figures *figures, size_t cell)
{
    const bnre__saved_run *run = &study->run[study->cell[cell].first];
    const size_t pages = bnre__corner_pages_told(run->posterior);
    const int shared = shared_corner(figures, cell, 0) != NULL;
    bnre_status status = BNRE_OK;
    char *stem = NULL, words[64];

    for (size_t k = 1; k < pages; k++) {
        const char *name = shared_corner(figures, cell, k);

        bnre__free(stem);
        stem = NULL;
        if (name != NULL)
            BNRE_TRY(bnre__text_format(&stem, "figures/%s", name));
        else
            BNRE_TRY(bnre__text_format(&stem, "%s/posterior/corner-%zu",
                                       run->dir, k + 1));
        snprintf(words, sizeof words, "page %zu of %zu", k + 1, pages);
        BNRE_TRY(add_page(page, study, stem, words));
    }
    bnre__free(stem);
    stem = NULL;
    BNRE_TRY(
        bnre__text_format(&stem, "%s/posterior/corner-marginals", run->dir));
    BNRE_TRY(add_page(page, study, stem, "all parameters, one by one"));
    bnre__free(stem);
    stem = NULL;
    BNRE_TRY(bnre__text_format(&stem, "%s/posterior/corner", run->dir));
    if (shared)
        BNRE_TRY(add_page(page, study, stem, "with axes of its own"));
done:
    bnre__free(stem);
    return status;
}

/* The corner plot of a cell's first run. */
static bnre_status add_corner(bnre__text *page, const bnre__saved_study *study,
                              const bnre__page_figures *figures,
                              const char *formats, size_t cell, size_t *shown)
{
    const bnre__saved_run *run = &study->run[study->cell[cell].first];
    const char *shared = shared_corner(figures, cell, 0);
    bnre_status status = BNRE_OK;
    char *path = NULL, *stem = NULL, prefix[32];
    bnre__text part = {0};
    int found;

    if (shared != NULL)
        BNRE_TRY(bnre__text_format(&stem, "figures/%s", shared));
    else
        BNRE_TRY(bnre__text_format(&stem, "%s/posterior/corner", run->dir));
    BNRE_TRY(bnre__text_format(&path, "%s/%s.svg", study->dir, stem));
    snprintf(prefix, sizeof prefix, "corner%zu-", cell);
    bnre__text_put(&part, " ");
    BNRE_TRY(bnre__html_picture(&part, path, prefix,
                                "Posterior of the observation", &found));
    if (!found)
        goto done;
    if (*shown == 0)
        bnre__text_put(page,
                       "<h3>Posteriors of the observation</h3>\n%s"
                       "<div class=\"pair\">\n",
                       shared == NULL
                           ? ""
                           : "<p class=\"soft\">A parameter has the same axis "
                             "in all cells.</p>\n");
    ++*shown;
    bnre__text_put(page,
                   "<figure><div class=\"picture\">%s</div>"
                   "<figcaption><strong>",
                   part.data);
    BNRE_TRY(bnre__html_escape(page, study->cell[cell].name));
    bnre__text_put(page, "</strong>");
    if (study->cell[cell].runs > 1)
        bnre__text_put(page, ", the first run");
    BNRE_TRY(add_pages(page, study, figures, cell));
    BNRE_TRY(add_links(page, stem, shared != NULL ? formats : "svg"));
    bnre__text_put(page, "</figcaption></figure>\n");
done:
    bnre__free(part.data);
    bnre__free(stem);
    bnre__free(path);
    return status;
}

static bnre_status add_corners(bnre__text *page, const bnre__saved_study *study,
                               const bnre__page_figures *figures,
                               const char *formats)
{
    bnre_status status = BNRE_OK;
    size_t shown = 0, cell = 0;

    for (; cell < study->cells && shown < BNRE__MOST_CORNERS; cell++)
        if (study->run[study->cell[cell].first].posterior != NULL)
            BNRE_TRY(add_corner(page, study, figures, formats, cell, &shown));
    if (shown > 0)
        bnre__text_put(page, "</div>\n");
    if (shown == BNRE__MOST_CORNERS && cell < study->cells)
        bnre__text_put(
            page, "<p class=\"soft\">Those of the other cells are in their "
                  "directories, <code>runs/CELL/1/posterior/</code>.</p>\n");
done:
    return status;
}

bnre_status bnre__html_figures(bnre__text *page, const bnre__saved_study *study,
                               const bnre__page_figures *figures,
                               const char *formats)
{
    bnre_status status = BNRE_OK;

    if (figures->n == 0)
        return BNRE_OK;
    bnre__text_put(page, "<section id=\"figures\">\n<h2>Figures</h2>\n");
    for (size_t i = 0; i < figures->n; i++)
        if (figures->item[i].run == 0 && figures->item[i].cell == 0)
            BNRE_TRY(
                bnre__html_figure(page, study, &figures->item[i], formats));
    BNRE_TRY(add_corners(page, study, figures, formats));
    bnre__text_put(page, "</section>\n");
done:
    return status;
}
