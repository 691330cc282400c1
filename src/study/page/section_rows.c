/* section_rows.c - posteriors of the rows of a dataset: where they are, and how
   many of them are in doubt. */
#include <string.h>

#include "base/mem.h"
#include "bnre/text.h"
#include "io/file.h"
#include "study/page/html.h"

/* A line for a run; nothing if its results are not there, or damaged. */
static bnre_status add_run(bnre__page *page, const bnre__saved_run *run)
{
    bnre_status status = BNRE_OK;
    bnre__json *root = NULL;
    char *path = NULL;

    BNRE_TRY(bnre__text_format(&path, "%s/%s/each/each.json", page->study->dir,
                               run->dir));
    if (!bnre__file_exists(path) || bnre__json_read(path, &root) != BNRE_OK)
        goto done;
    bnre__html(page,
               "<tr><td>%s, %zu</td><td class=\"n\">%s</td><td class=\"n\">%s"
               "</td><td class=\"n\">%s</td><td>%s/each/summaries.csv</td></tr>"
               "\n",
               page->study->cell[run->cell].name, run->repeat,
               BNRE__COUNT(bnre__json_size_of(root, "rows")),
               BNRE__COUNT(bnre__json_size_of(root, "outside")),
               BNRE__COUNT(bnre__json_size_of(root, "doubtful")), run->dir);
done:
    bnre__json_destroy(root);
    bnre__free(path);
    return status;
}

void bnre__section_rows(bnre__page *page)
{
    const char *file = bnre__saved_setting(page->study, "each");
    bnre_status status = BNRE_OK;

    if (file == NULL)
        return;
    bnre__html(
        page,
        "<section id=\"rows\">\n<h2>Every row of %s</h2>\n<p>A posterior "
        "of each row, by each run: means, deviations, intervals and "
        "densest points in a table, samples in "
        "<code>each/samples.npy</code>.</p>\n",
        file);
    bnre__html_table(page, "Posteriors of the rows");
    bnre__html(page,
               "<thead><tr><th scope=\"col\">run</th><th scope=\"col\" "
               "class=\"n\">rows</th><th scope=\"col\" class=\"n\">unlike "
               "training</th><th scope=\"col\" class=\"n\">doubtful</th>"
               "<th scope=\"col\">table</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < page->study->runs && status == BNRE_OK; i++)
        status = add_run(page, &page->study->run[i]);
    bnre__html(page, BNRE__TABLE_END "</section>\n");
}
