/* The figures on the page. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "report/html.h"

enum { MOST_CORNERS = 12 };

/* Links to a figure's files, as far as they were made. */
static bnre_status add_links(bnre__text *page, const char *stem,
                             const char *formats)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(page, " <small>"));
    for (const char *at = formats; *at != 0;) {
        const size_t length = strcspn(at, ",");

        BNRE_TRY(bnre__text_add(page, "<a href=\""));
        BNRE_TRY(bnre__html_escape(page, stem));
        BNRE_TRY(bnre__text_add(page, ".%.*s\">%.*s</a>, ", (int)length, at,
                                (int)length, at));
        at += length + (at[length] == ',');
    }
    BNRE_TRY(bnre__text_add(page, "<a href=\""));
    BNRE_TRY(bnre__html_escape(page, stem));
    BNRE_TRY(bnre__text_add(page, ".gp\">script</a>, <a href=\""));
    BNRE_TRY(bnre__html_escape(page, stem));
    BNRE_TRY(bnre__text_add(page, ".dat\">data</a></small>"));
done:
    return status;
}

bnre_status bnre__html_figure(bnre__text *page, const bnre__findings *findings,
                              const bnre__picture *picture, const char *formats)
{
    bnre_status status = BNRE_OK;
    char *path = NULL, *prefix = NULL, *stem = NULL;
    int found;

    BNRE_TRY(bnre__text_format(&path, "%s/figures/%s.svg", findings->dir,
                               picture->name));
    BNRE_TRY(bnre__text_format(&stem, "figures/%s", picture->name));
    BNRE_TRY(bnre__text_format(&prefix, "%s-", picture->name));
    BNRE_TRY(bnre__text_add(page,
                            "<figure id=\"figure-%s\"><div "
                            "class=\"picture\">",
                            picture->name));
    BNRE_TRY(bnre__html_picture(page, path, prefix, picture->heading, &found));
    BNRE_TRY(
        bnre__text_add(page, "</div><figcaption><strong>%s", picture->heading));
    if (picture->task != NULL) {
        BNRE_TRY(bnre__text_add(page, ", "));
        BNRE_TRY(bnre__html_escape(page, picture->task));
    }
    BNRE_TRY(bnre__text_add(page, ".</strong> "));
    if (!found)
        BNRE_TRY(bnre__text_add(page, "(The picture was not drawn.) "));
    BNRE_TRY(bnre__html_escape(page, picture->caption));
    BNRE_TRY(add_links(page, stem, found ? formats : ""));
    BNRE_TRY(bnre__text_add(page, "</figcaption></figure>\n"));
done:
    bnre__free(prefix);
    bnre__free(stem);
    bnre__free(path);
    return status;
}

/* The corner plot of a cell's first run. */
static bnre_status add_corner(bnre__text *page, const bnre__findings *findings,
                              size_t cell, size_t *shown)
{
    const bnre__run_found *run = &findings->run[findings->cell[cell].first];
    bnre_status status = BNRE_OK;
    char *path = NULL, *stem = NULL, prefix[32];
    bnre__text part = {0};
    int found;

    BNRE_TRY(bnre__text_format(&stem, "%s/posterior/corner", run->dir));
    BNRE_TRY(bnre__text_format(&path, "%s/%s.svg", findings->dir, stem));
    snprintf(prefix, sizeof prefix, "corner%zu-", cell);
    BNRE_TRY(bnre__text_add(&part, " "));
    BNRE_TRY(bnre__html_picture(&part, path, prefix,
                                "Posterior of the observation", &found));
    if (!found)
        goto done;
    if (*shown == 0)
        BNRE_TRY(bnre__text_add(page, "<h3>Posteriors of the observation</h3>\n"
                                      "<div class=\"pair\">\n"));
    ++*shown;
    BNRE_TRY(bnre__text_add(page,
                            "<figure><div class=\"picture\">%s</div>"
                            "<figcaption><strong>",
                            part.data));
    BNRE_TRY(bnre__html_escape(page, findings->cell[cell].name));
    BNRE_TRY(bnre__text_add(page, "</strong>"));
    if (findings->cell[cell].runs > 1)
        BNRE_TRY(bnre__text_add(page, ", the first run"));
    BNRE_TRY(add_links(page, stem, "svg"));
    BNRE_TRY(bnre__text_add(page, "</figcaption></figure>\n"));
done:
    bnre__free(part.data);
    bnre__free(stem);
    bnre__free(path);
    return status;
}

static bnre_status add_corners(bnre__text *page, const bnre__findings *findings)
{
    bnre_status status = BNRE_OK;
    size_t shown = 0, cell = 0;

    for (; cell < findings->cells && shown < MOST_CORNERS; cell++)
        if (findings->run[findings->cell[cell].first].posterior != NULL)
            BNRE_TRY(add_corner(page, findings, cell, &shown));
    if (shown > 0)
        BNRE_TRY(bnre__text_add(page, "</div>\n"));
    if (shown == MOST_CORNERS && cell < findings->cells)
        BNRE_TRY(bnre__text_add(
            page, "<p class=\"soft\">Those of the other cells are in their "
                  "directories, <code>runs/CELL/1/posterior/</code>.</p>\n"));
done:
    return status;
}

bnre_status bnre__html_figures(bnre__text *page, const bnre__findings *findings,
                               const bnre__gallery *gallery,
                               const char *formats)
{
    bnre_status status = BNRE_OK;

    if (gallery->n == 0)
        return BNRE_OK;
    BNRE_TRY(
        bnre__text_add(page, "<section id=\"figures\">\n<h2>Figures</h2>\n"));
    for (size_t i = 0; i < gallery->n; i++)
        if (gallery->picture[i].run == 0)
            BNRE_TRY(bnre__html_figure(page, findings, &gallery->picture[i],
                                       formats));
    BNRE_TRY(add_corners(page, findings));
    BNRE_TRY(bnre__text_add(page, "</section>\n"));
done:
    return status;
}
