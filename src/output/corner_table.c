/* corner_table.c - the table behind a page of a corner plot, and the
   contours made of it; and the page again from its files, to be drawn with
   axes that it shares with others. The files are another's: whatever is in
   them, numbers come out, or nothing. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "io/file.h"
#include "output/corner.h"
#include "output/raster.h"

enum { LARGEST = 1 << 26, MOST_REGIONS = 64 };

/* How many of the filled regions a density belongs to. */
static size_t class_of(const bnre__corner_view *view, const double *threshold,
                       double density)
{
    size_t count = 0;

    for (size_t c = 0; c < view->filled.n; c++)
        count += density >= threshold[c] && density > 0;
    return count;
}

/* Digits that tell pieces apart, also of a small range far from 0. */
static int digits_of(double low, double high)
{
    const double far = fmax(fabs(low), fabs(high)) / (high - low);

    return far < 1 ? 7 : far < 1e9 ? 8 + (int)log10(far) : 17;
}

static double middle(double low, double high, size_t n, size_t k)
{
    return low + (high - low) * ((double)k + 0.5) / (double)n;
}

/* ---- lines ---- */

static void add_prior(bnre__figure *figure, const bnre__corner_axis *axis,
                      size_t *block)
{
    const double low = axis->prior_low, high = axis->prior_high;

    bnre__figure_data(figure, "# %s: value, prior\n", axis->name);
    for (size_t k = 0; k < BNRE__LINE; k++)
        bnre__figure_data(figure, "%.*g %.6g\n", digits_of(low, high),
                          middle(low, high, BNRE__LINE, k), axis->prior[k]);
    bnre__figure_data(figure, "\n\n");
    ++*block;
}

/* The borders of each dashed region: uprights from 0 to the density. */
static void add_uprights(const bnre__corner_view *view, bnre__figure *figure,
                         const bnre__corner_axis *axis, size_t *block)
{
    const double step = (axis->high - axis->low) / BNRE__LINE;
    const int digits = digits_of(axis->low, axis->high);
    double threshold[BNRE__CORNER_LEVELS] = {0};

    bnre__figure_fail(
        figure, bnre__raster_thresholds(BNRE__LINE, axis->line, view->dashed.n,
                                        view->dashed.content, threshold));
    for (size_t c = 0; c < view->dashed.n; c++) {
        int before = 0;

        bnre__figure_data(figure, "# borders of %g %% conformal\n",
                          100 * view->dashed.of[c].level);
        for (size_t k = 0; k <= BNRE__LINE; k++) {
            const int in = k < BNRE__LINE && axis->line[k] > 0 &&
                           axis->line[k] >= threshold[c];
            const double x = axis->low + step * (double)k;

            if (in != before)
                bnre__figure_data(figure, "%.*g 0\n%.*g %.6g\n\n", digits, x,
                                  digits, x, axis->line[in ? k : k - 1]);
            before = in;
        }
        bnre__figure_data(figure, "\n");
        ++*block;
    }
}

void bnre__corner_add_line(const bnre__corner_view *view, bnre__figure *figure,
                           size_t a, size_t *block, double *highest)
{
    const bnre__corner_axis *axis = &view->axis[a];
    const int digits = digits_of(axis->low, axis->high);
    double threshold[BNRE__CORNER_LEVELS] = {0};

    *highest = 0;
    bnre__figure_fail(
        figure, bnre__raster_thresholds(BNRE__LINE, axis->line, view->filled.n,
                                        view->filled.content, threshold));
    bnre__figure_data(figure, "# %s: value, density, regions it is in, prior\n",
                      axis->name);
    for (size_t k = 0; k < BNRE__LINE; k++) {
        const double density = axis->line[k];

        *highest = fmax(*highest, density);
        bnre__figure_data(figure, "%.*g %.6g %zu %.6g\n", digits,
                          middle(axis->low, axis->high, BNRE__LINE, k), density,
                          class_of(view, threshold, density),
                          axis->line_prior[k]);
    }
    bnre__figure_data(figure, "\n\n");
    ++*block;
    add_prior(figure, axis, block);
    add_uprights(view, figure, axis, block);
}

/* ---- planes ---- */

/* Contours of the block that was just added, as a block of the script; those of
   each dashed region apart, as each has its own line. */
static void add_contours(const bnre__corner_view *view, bnre__figure *figure,
                         size_t a, size_t b, size_t block, const double *filled,
                         const double *dashed)
{
    bnre__figure_script(figure, "set cntrparam levels discrete ");
    for (size_t c = 0; c < view->filled.n; c++)
        bnre__figure_script(figure, "%s%.6g", c > 0 ? ", " : "", filled[c]);
    bnre__figure_script(figure,
                        "\nset table $contour_%zu_%zu\n"
                        "splot data index %zu using 1:2:3\n"
                        "unset table\n",
                        b, a, block);
    for (size_t c = 0; c < view->dashed.n; c++)
        bnre__figure_script(figure,
                            "set cntrparam levels discrete %.6g\n"
                            "set table $dashed_%zu_%zu_%zu\n"
                            "splot data index %zu using 1:2:3\n"
                            "unset table\n",
                            dashed[c], b, a, c, block);
}

void bnre__corner_add_plane(const bnre__corner_view *view, bnre__figure *figure,
                            size_t a, size_t b, size_t *block)
{
    const bnre__corner_axis *x = &view->axis[a], *y = &view->axis[b];
    const double *plane = view->plane[b * view->n + a];
    const size_t n = view->pieces;
    double threshold[BNRE__CORNER_LEVELS] = {0};
    double dashed[BNRE__CORNER_LEVELS] = {0};

    bnre__figure_fail(figure,
                      bnre__raster_thresholds(n * n, plane, view->filled.n,
                                              view->filled.content, threshold));
    bnre__figure_fail(figure,
                      bnre__raster_thresholds(n * n, plane, view->dashed.n,
                                              view->dashed.content, dashed));
    bnre__figure_data(figure, "# %s, %s, density, regions it is in\n", x->name,
                      y->name);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double density = plane[i * n + j];

            bnre__figure_data(
                figure, "%.*g %.*g %.5g %zu\n", digits_of(x->low, x->high),
                middle(x->low, x->high, n, j), digits_of(y->low, y->high),
                middle(y->low, y->high, n, i), density,
                class_of(view, threshold, density));
        }
        bnre__figure_data(figure, "\n");
    }
    bnre__figure_data(figure, "\n");
    add_contours(view, figure, a, b, *block, threshold, dashed);
    ++*block;
}

/* ---- reading: blocks of rows, each after a line that begins with # ---- */

struct table {
    const char *at, *end;
};

static const char *line_end(const struct table *table)
{
    const char *end = memchr(table->at, '\n', (size_t)(table->end - table->at));

    return end != NULL ? end : table->end;
}

static void skip_line(struct table *table)
{
    const char *end = line_end(table);

    table->at = end < table->end ? end + 1 : end;
}

/* Move past the heading of the next block; 0 if there is none. */
static int next_block(struct table *table)
{
    while (table->at < table->end && *table->at != '#')
        skip_line(table);
    if (table->at == table->end)
        return 0;
    skip_line(table);
    return 1;
}

/* The numbers of the next row of this block. */
static int read_row(struct table *table, size_t columns, double *out)
{
    const char *end;

    while (table->at < table->end && *table->at == '\n')
        table->at++;
    if (table->at == table->end || *table->at == '#')
        return 0;
    end = line_end(table);
    for (size_t c = 0; c < columns; c++) {
        while (table->at < end && *table->at == ' ')
            table->at++;
        table->at = bnre__number_scan(table->at, end, &out[c]);
        if (table->at == NULL) {
            table->at = table->end;
            return 0;
        }
        if (!(fabs(out[c]) < 1e200)) /* sums of them are numbers, too */
            return 0;
    }
    if (table->at != end)
        return 0;
    skip_line(table);
    return 1;
}

/* From the middles of the first and the last of n pieces to their ends. */
static int set_ends(double first, double last, size_t n, double *low,
                    double *high)
{
    const double width = (last - first) / (double)(n - 1);

    *low = first - width / 2;
    *high = last + width / 2;
    return *low < *high && isfinite(*low) && isfinite(*high);
}

static int read_axis(struct table *table, bnre__corner_axis *axis)
{
    double row[4], first = 0;

    if (!next_block(table))
        return 0;
    for (size_t k = 0; k < BNRE__LINE; k++) {
        if (!read_row(table, 4, row) || !(row[1] >= 0) || !(row[3] >= 0))
            return 0;
        first = k == 0 ? row[0] : first;
        axis->line[k] = row[1];
        axis->line_prior[k] = row[3];
    }
    if (!set_ends(first, row[0], BNRE__LINE, &axis->low, &axis->high) ||
        !next_block(table))
        return 0;
    for (size_t k = 0; k < BNRE__LINE; k++) {
        if (!read_row(table, 2, row) || !(row[1] >= 0))
            return 0;
        first = k == 0 ? row[0] : first;
        axis->prior[k] = row[1];
    }
    axis->from = axis->low;
    axis->to = axis->high;
    return set_ends(first, row[0], BNRE__LINE, &axis->prior_low,
                    &axis->prior_high);
}

static int read_plane(struct table *table, size_t n, double *plane)
{
    double row[4];

    if (!next_block(table))
        return 0;
    for (size_t k = 0; k < n * n; k++) {
        if (!read_row(table, 4, row) || !(row[2] >= 0))
            return 0;
        plane[k] = row[2];
    }
    return 1;
}

static int read_table(struct table *table, bnre__corner_view *view)
{
    for (size_t a = 0; a < view->n; a++) {
        if (!read_axis(table, &view->axis[a]))
            return 0;
        for (size_t c = 0; c < view->dashed.n; c++)
            if (!next_block(table))
                return 0;
    }
    for (size_t b = 0; b < view->n; b++)
        for (size_t a = 0; a < b; a++)
            if (!read_plane(table, view->pieces, view->plane[b * view->n + a]))
                return 0;
    return 1;
}

/* ---- what posterior.json says ---- */

static void read_regions(const bnre__json *picture, bnre__corner_view *view)
{
    const bnre__json *list = bnre__json_find(picture, "regions");
    bnre_contour contour[MOST_REGIONS];
    size_t n = 0;

    for (size_t i = 0; i < bnre__json_count(list) && n < MOST_REGIONS; i++) {
        const bnre__json *one = bnre__json_at(list, i);

        contour[n] =
            (bnre_contour){.content = bnre__json_real_of(one, "content"),
                           .level = bnre__json_real_of(one, "level"),
                           .conformal = bnre__json_flag_of(one, "conformal")};
        n += contour[n].content > 0 && contour[n].level > 0 &&
             contour[n].level < 1;
    }
    bnre__corner_view_regions(view, n, contour);
}

static double truth_of(const bnre__json *posterior, const char *name)
{
    const bnre__json *list = bnre__json_find(posterior, "parameters");

    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *one = bnre__json_at(list, i);
        const char *of = bnre__json_text_of(one, "name");

        if (of != NULL && strcmp(of, name) == 0)
            return bnre__json_real_of(one, "truth");
    }
    return NAN;
}

/* Names of ours are words; this one goes into the table as it is. */
static int is_name(const char *name)
{
    for (; *name != 0; name++)
        if ((unsigned char)*name < ' ')
            return 0;
    return 1;
}

size_t bnre__corner_pages_told(const bnre__json *posterior)
{
    return bnre__json_count(
        bnre__json_find(bnre__json_find(posterior, "picture"), "pages"));
}

bnre_status bnre__corner_view_read(const bnre__json *posterior, size_t page,
                                   const char *path, bnre__corner_view *out,
                                   int *found)
{
    const bnre__json *picture = bnre__json_find(posterior, "picture");
    const bnre__json *names =
        bnre__json_at(bnre__json_find(picture, "pages"), page);
    const size_t n = bnre__json_count(names);
    bnre_status status = BNRE_OK;
    struct table table;
    char *data = NULL;
    size_t bytes;

    *found = 0;
    *out = (bnre__corner_view){0};
    if (n == 0 || n > BNRE__CORNER_PAGE || !bnre__file_exists(path))
        return BNRE_OK;
    BNRE_TRY(bnre__corner_view_create(n, 1, bnre__corner_pieces(n), out));
    for (size_t a = 0; a < n; a++) {
        const char *name = bnre__json_as_text(bnre__json_at(names, a));

        if (name == NULL || !is_name(name))
            goto done;
        BNRE_TRY(bnre__strdup(name, &out->axis[a].name));
        out->axis[a].truth = truth_of(posterior, name);
    }
    read_regions(picture, out);
    out->note = bnre__json_text_of(picture, "note");
    status = bnre__file_read_all(path, LARGEST, &data, &bytes);
    if (status == BNRE_ENOMEM)
        goto done;
    *found = status == BNRE_OK;
    status = BNRE_OK;
    table = (struct table){data, data + (*found ? bytes : 0)};
    *found = *found && read_table(&table, out);
done:
    bnre__free(data);
    if (status != BNRE_OK || !*found)
        bnre__corner_view_clear(out);
    return status;
}
