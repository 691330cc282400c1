/* The table behind a corner plot, and the contours made of it. */
#include "report/corner_table.h"

#include <math.h>

#include "base/mem.h"

enum { PIECES_OF_LINE = 400 };

/* How many of the filled regions a density belongs to. */
static size_t class_of(const bnre__corner *corner, const double *threshold,
                       double density)
{
    size_t count = 0;

    for (size_t c = 0; c < corner->filled.n; c++)
        count += density >= threshold[c] && density > 0;
    return count;
}

/* The borders of each dashed region: uprights from 0 to the density. */
static bnre_status add_uprights(bnre__corner *corner,
                                const bnre__raster *raster)
{
    const double step = (raster->high - raster->low) / (double)raster->n;
    double threshold[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__raster_thresholds(raster->n, corner->density,
                                     corner->dashed.n, corner->dashed.content,
                                     threshold));
    for (size_t c = 0; c < corner->dashed.n; c++) {
        int before = 0;

        BNRE_TRY(bnre__figure_data(corner->figure,
                                   "# borders of %g %% conformal\n",
                                   100 * corner->dashed.of[c].level));
        for (size_t k = 0; k <= raster->n; k++) {
            const int in = k < raster->n && corner->density[k] > 0 &&
                           corner->density[k] >= threshold[c];
            const double x = raster->low + step * (double)k;

            if (in != before)
                BNRE_TRY(bnre__figure_data(corner->figure,
                                           "%.9g 0\n%.9g %.6g\n\n", x, x,
                                           corner->density[in ? k : k - 1]));
            before = in;
        }
        BNRE_TRY(bnre__figure_data(corner->figure, "\n"));
        corner->block++;
    }
done:
    return status;
}

bnre_status bnre__corner_add_line(bnre__corner *corner, size_t a,
                                  double *highest)
{
    const bnre_prior *prior = bnre_posterior_points(corner->posterior)->prior;
    bnre__raster raster = corner->raster[a];
    double *const of_prior = corner->density + PIECES_OF_LINE;
    double threshold[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    raster.n = PIECES_OF_LINE;
    *highest = 0;
    BNRE_TRY(bnre__raster_line(corner->posterior, &raster, corner->density));
    BNRE_TRY(bnre__prior_line_fill(corner->prior, &raster, of_prior));
    BNRE_TRY(bnre__raster_thresholds(raster.n, corner->density,
                                     corner->filled.n, corner->filled.content,
                                     threshold));
    BNRE_TRY(bnre__figure_data(
        corner->figure, "# %s: value, density, regions it is in, prior\n",
        bnre_prior_name(prior, raster.i)));
    for (size_t k = 0; k < raster.n; k++) {
        const double density = corner->density[k];

        *highest = fmax(*highest, density);
        BNRE_TRY(bnre__figure_data(corner->figure, "%.9g %.6g %zu %.6g\n",
                                   bnre__raster_middle(&raster, k), density,
                                   class_of(corner, threshold, density),
                                   of_prior[k]));
    }
    BNRE_TRY(bnre__figure_data(corner->figure, "\n\n"));
    corner->block++;
    BNRE_TRY(add_uprights(corner, &raster));
done:
    return status;
}

/* Contours of the block that was just added, as a block of the script; those of
   each dashed region apart, as each has its own line. */
static bnre_status add_contours(bnre__corner *corner, size_t a, size_t b,
                                const double *filled, const double *dashed)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(
        bnre__figure_script(corner->figure, "set cntrparam levels discrete "));
    for (size_t c = 0; c < corner->filled.n; c++)
        BNRE_TRY(bnre__figure_script(corner->figure, "%s%.6g",
                                     c > 0 ? ", " : "", filled[c]));
    BNRE_TRY(bnre__figure_script(corner->figure,
                                 "\nset table $contour_%zu_%zu\n"
                                 "splot data index %zu using 1:2:3\n"
                                 "unset table\n",
                                 b, a, corner->block));
    for (size_t c = 0; c < corner->dashed.n; c++)
        BNRE_TRY(bnre__figure_script(corner->figure,
                                     "set cntrparam levels discrete %.6g\n"
                                     "set table $dashed_%zu_%zu_%zu\n"
                                     "splot data index %zu using 1:2:3\n"
                                     "unset table\n",
                                     dashed[c], b, a, c, corner->block));
done:
    return status;
}

bnre_status bnre__corner_add_plane(bnre__corner *corner, size_t a, size_t b)
{
    const bnre_prior *prior = bnre_posterior_points(corner->posterior)->prior;
    const bnre__raster *x = &corner->raster[a], *y = &corner->raster[b];
    double threshold[BNRE__CORNER_LEVELS], dashed[BNRE__CORNER_LEVELS];
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__raster_plane(corner->posterior, x, y, corner->density));
    BNRE_TRY(bnre__raster_thresholds(x->n * y->n, corner->density,
                                     corner->filled.n, corner->filled.content,
                                     threshold));
    BNRE_TRY(bnre__raster_thresholds(x->n * y->n, corner->density,
                                     corner->dashed.n, corner->dashed.content,
                                     dashed));
    BNRE_TRY(bnre__figure_data(
        corner->figure, "# %s, %s, density, regions it is in\n",
        bnre_prior_name(prior, x->i), bnre_prior_name(prior, y->i)));
    for (size_t i = 0; i < y->n; i++) {
        for (size_t j = 0; j < x->n; j++) {
            const double density = corner->density[i * x->n + j];

            BNRE_TRY(bnre__figure_data(corner->figure, "%.7g %.7g %.5g %zu\n",
                                       bnre__raster_middle(x, j),
                                       bnre__raster_middle(y, i), density,
                                       class_of(corner, threshold, density)));
        }
        BNRE_TRY(bnre__figure_data(corner->figure, "\n"));
    }
    BNRE_TRY(bnre__figure_data(corner->figure, "\n"));
    BNRE_TRY(add_contours(corner, a, b, threshold, dashed));
    corner->block++;
done:
    return status;
}
