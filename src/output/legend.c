#include "output/legend.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const double sample = 0.22, text = 0.3; /* its width, where words are */

static bnre_status add_words(bnre__legend *legend, const char *name,
                             const char *words)
{
    const double y = legend->y;

    legend->y -= legend->step;
    return bnre__figure_script(
        legend->figure,
        "set label '%s%s' at screen %.4f, screen %.4f left front\n", name,
        words, (legend->x + text) / legend->width, y / legend->height);
}

bnre_status bnre__legend_box(bnre__legend *legend, const char *border,
                             const char *fill, const char *name,
                             const char *words)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(
        legend->figure,
        "set object rectangle from screen %.4f, screen %.4f to screen %.4f, "
        "screen %.4f front fillstyle solid 1 border linecolor rgb '%s' "
        "linewidth 0.7 fillcolor rgb '%s'\n",
        legend->x / legend->width, (legend->y - 0.06) / legend->height,
        (legend->x + sample) / legend->width,
        (legend->y + 0.06) / legend->height, border, fill));
    BNRE_TRY(add_words(legend, name, words));
done:
    return status;
}

bnre_status bnre__legend_stroke(bnre__legend *legend, const char *style,
                                const char *name)
{
    const double y = legend->y / legend->height;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(
        legend->figure,
        "set arrow from screen %.4f, screen %.4f to screen %.4f, screen %.4f "
        "nohead front %s\n",
        legend->x / legend->width, y, (legend->x + sample) / legend->width, y,
        style));
    BNRE_TRY(add_words(legend, name, ""));
done:
    return status;
}

bnre_status bnre__legend_note(bnre__legend *legend, const char *note)
{
    bnre_status status = BNRE_OK;
    char *line = NULL;

    while (*note != 0) {
        const size_t length = strcspn(note, "\n");

        bnre__free(line);
        line = NULL;
        BNRE_TRY(bnre__text_format(&line, "%.*s", (int)length, note));
        BNRE_TRY(bnre__figure_script(legend->figure, "set label "));
        BNRE_TRY(bnre__figure_quoted(legend->figure, line));
        BNRE_TRY(bnre__figure_script(
            legend->figure,
            " at screen %.4f, screen %.4f left front font small\n",
            legend->x / legend->width, legend->y / legend->height));
        legend->y -= BNRE__LEGEND_SMALL * legend->step;
        note += length + (note[length] != 0);
    }
done:
    bnre__free(line);
    return status;
}
