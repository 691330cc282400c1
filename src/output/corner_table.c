/* The table behind a corner plot, and the contours made of it. */
#include <math.h>

#include "base/mem.h"
#include "output/corner_view.h"
#include "output/raster.h"

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

static bnre_status add_prior(bnre__figure *figure,
                             const bnre__corner_axis *axis, size_t *block)
{
    const double low = axis->prior_low, high = axis->prior_high;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_data(figure, "# %s: value, prior\n", axis->name));
    for (size_t k = 0; k < BNRE__LINE; k++)
        BNRE_TRY(bnre__figure_data(figure, "%.*g %.6g\n", digits_of(low, high),
                                   middle(low, high, BNRE__LINE, k),
                                   axis->prior[k]));
    BNRE_TRY(bnre__figure_data(figure, "\n\n"));
    ++*block;
done:
    return status;
}

/* The borders of each dashed region: uprights from 0 to the density. */
static bnre_status add_uprights(const bnre__corner_view *view,
                                bnre__figure *figure,
                                const bnre__corner_axis *axis, size_t *block)
{
    const double step = (axis->high - axis->low) / BNRE__LINE;
    const int digits = digits_of(axis->low, axis->high);
    double threshold[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__raster_thresholds(BNRE__LINE, axis->line, view->dashed.n,
                                     view->dashed.content, threshold));
    for (size_t c = 0; c < view->dashed.n; c++) {
        int before = 0;

        BNRE_TRY(bnre__figure_data(figure, "# borders of %g %% conformal\n",
                                   100 * view->dashed.of[c].level));
        for (size_t k = 0; k <= BNRE__LINE; k++) {
            const int in = k < BNRE__LINE && axis->line[k] > 0 &&
                           axis->line[k] >= threshold[c];
            const double x = axis->low + step * (double)k;

            if (in != before)
                BNRE_TRY(bnre__figure_data(figure, "%.*g 0\n%.*g %.6g\n\n",
                                           digits, x, digits, x,
                                           axis->line[in ? k : k - 1]));
            before = in;
        }
        BNRE_TRY(bnre__figure_data(figure, "\n"));
        ++*block;
    }
done:
    return status;
}

bnre_status bnre__corner_add_line(const bnre__corner_view *view,
                                  bnre__figure *figure, size_t a, size_t *block,
                                  double *highest)
{
    const bnre__corner_axis *axis = &view->axis[a];
    const int digits = digits_of(axis->low, axis->high);
    double threshold[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    *highest = 0;
    BNRE_TRY(bnre__raster_thresholds(BNRE__LINE, axis->line, view->filled.n,
                                     view->filled.content, threshold));
    BNRE_TRY(bnre__figure_data(
        figure, "# %s: value, density, regions it is in, prior\n", axis->name));
    for (size_t k = 0; k < BNRE__LINE; k++) {
        const double density = axis->line[k];

        *highest = fmax(*highest, density);
        BNRE_TRY(bnre__figure_data(figure, "%.*g %.6g %zu %.6g\n", digits,
                                   middle(axis->low, axis->high, BNRE__LINE, k),
                                   density, class_of(view, threshold, density),
                                   axis->line_prior[k]));
    }
    BNRE_TRY(bnre__figure_data(figure, "\n\n"));
    ++*block;
    BNRE_TRY(add_prior(figure, axis, block));
    BNRE_TRY(add_uprights(view, figure, axis, block));
done:
    return status;
}

/* ---- planes ---- */

/* Contours of the block that was just added, as a block of the script; those of
   each dashed region apart, as each has its own line. */
static bnre_status add_contours(const bnre__corner_view *view,
                                bnre__figure *figure, size_t a, size_t b,
                                size_t block, const double *filled,
                                const double *dashed)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__figure_script(figure, "set cntrparam levels discrete "));
    for (size_t c = 0; c < view->filled.n; c++)
        BNRE_TRY(bnre__figure_script(figure, "%s%.6g", c > 0 ? ", " : "",
                                     filled[c]));
    BNRE_TRY(bnre__figure_script(figure,
                                 "\nset table $contour_%zu_%zu\n"
                                 "splot data index %zu using 1:2:3\n"
                                 "unset table\n",
                                 b, a, block));
    for (size_t c = 0; c < view->dashed.n; c++)
        BNRE_TRY(bnre__figure_script(figure,
                                     "set cntrparam levels discrete %.6g\n"
                                     "set table $dashed_%zu_%zu_%zu\n"
                                     "splot data index %zu using 1:2:3\n"
                                     "unset table\n",
                                     dashed[c], b, a, c, block));
done:
    return status;
}

bnre_status bnre__corner_add_plane(const bnre__corner_view *view,
                                   bnre__figure *figure, size_t a, size_t b,
                                   size_t *block)
{
    const bnre__corner_axis *x = &view->axis[a], *y = &view->axis[b];
    const double *plane = view->plane[b * view->n + a];
    const size_t n = view->pieces;
    double threshold[BNRE__CORNER_LEVELS], dashed[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__raster_thresholds(n * n, plane, view->filled.n,
                                     view->filled.content, threshold));
    BNRE_TRY(bnre__raster_thresholds(n * n, plane, view->dashed.n,
                                     view->dashed.content, dashed));
    BNRE_TRY(bnre__figure_data(figure, "# %s, %s, density, regions it is in\n",
                               x->name, y->name));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double density = plane[i * n + j];

            BNRE_TRY(bnre__figure_data(
                figure, "%.*g %.*g %.5g %zu\n", digits_of(x->low, x->high),
                middle(x->low, x->high, n, j), digits_of(y->low, y->high),
                middle(y->low, y->high, n, i), density,
                class_of(view, threshold, density)));
        }
        BNRE_TRY(bnre__figure_data(figure, "\n"));
    }
    BNRE_TRY(bnre__figure_data(figure, "\n"));
    BNRE_TRY(add_contours(view, figure, a, b, *block, threshold, dashed));
    ++*block;
done:
    return status;
}
