#include "study/page/study_corners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "output/corner_json.h"

static int same_task(const bnre__findings *findings, size_t a, size_t b)
{
    const char *x = findings->cell[a].task, *y = findings->cell[b].task;

    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

int bnre__study_corners_shared(const bnre__findings *findings, size_t cell)
{
    size_t n = 0;

    for (size_t i = 0; i < findings->cells; i++)
        n += same_task(findings, i, cell) &&
             bnre__corner_json_pages(
                 findings->run[findings->cell[i].first].posterior) > 0;
    return n > 1;
}

/* From the lowest to the highest that a run of the task shows. */
static void share_axis(const bnre__findings *findings, size_t cell,
                       bnre__corner_axis *axis)
{
    /* All from posterior.json: the table is rounded. */
    axis->from = HUGE_VAL;
    axis->to = -HUGE_VAL;
    for (size_t i = 0; i < findings->runs; i++) {
        const bnre__run_found *run = &findings->run[i];
        const bnre__json *ends = bnre__json_find(
            bnre__json_find(bnre__json_find(run->posterior, "picture"),
                            "ranges"),
            axis->name);
        const double low = bnre__json_as_real(bnre__json_at(ends, 0));
        const double high = bnre__json_as_real(bnre__json_at(ends, 1));

        if (!same_task(findings, run->cell, cell) || !(low < high) ||
            !isfinite(low) || !isfinite(high))
            continue;
        axis->from = fmin(axis->from, low);
        axis->to = fmax(axis->to, high);
    }
    if (!(axis->from < axis->to)) {
        axis->from = axis->low;
        axis->to = axis->high;
    }
}

bnre_status bnre__study_corner_draw(const bnre__findings *findings, size_t cell,
                                    size_t page, const char *name,
                                    const char *formats, int *found, int *drawn)
{
    const bnre__run_found *run = &findings->run[findings->cell[cell].first];
    bnre__corner_view view = {0};
    bnre_status status = BNRE_OK;
    char *path = NULL, *stem = NULL, number[24] = "";

    *drawn = 1;
    if (page > 0)
        snprintf(number, sizeof number, "-%zu", page + 1);
    BNRE_TRY(bnre__text_format(&path, "%s/%s/posterior/corner%s.dat",
                               findings->dir, run->dir, number));
    BNRE_TRY(bnre__corner_view_read(run->posterior, page, path, &view, found));
    if (!*found)
        goto done;
    for (size_t a = 0; a < view.n; a++)
        share_axis(findings, cell, &view.axis[a]);
    BNRE_TRY(bnre__text_format(&stem, "%s/figures/%s", findings->dir, name));
    BNRE_TRY(bnre__corner_view_draw(&view, stem, formats, drawn));
done:
    bnre__corner_view_clear(&view);
    bnre__free(stem);
    bnre__free(path);
    return status;
}
