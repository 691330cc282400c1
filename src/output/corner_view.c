/* corner_view.c - the numbers behind a page of a corner plot, and the prior
   beside them. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/density.h"
#include "output/corner.h"
#include "output/raster.h"
#include "posterior/points.h"
#include "prior/prior.h"

/* Draws, where there are too many parameters for a grid. */
enum { DRAWS = 16384 };

struct bnre__prior_line {
    const bnre_prior *prior;
    bnre_posterior *flat; /* of an observation that says nothing; NULL without
                             constraints */
};

static bnre_status observe_nothing(void *session, const double *x)
{
    (void)session;
    (void)x;
    return BNRE_OK;
}

static bnre_status say_nothing(void *session, size_t n, const double *theta,
                               double *out, double *gradient)
{
    (void)session;
    (void)theta;
    (void)gradient;
    memset(out, 0, n * sizeof *out);
    return BNRE_OK;
}

static bnre_status compute_flat(const bnre_prior *prior, bnre_posterior **out)
{
    const bnre_density density = {.prior = prior,
                                  .x_size = 1,
                                  .observe = observe_nothing,
                                  .log_ratio = say_nothing};
    bnre_posterior_opts opts = bnre_posterior_opts_default();
    bnre_session *session = NULL;
    bnre_status status = BNRE_OK;
    const double x = 0;

    opts.grid = bnre__points_default(prior);
    opts.sampler = BNRE_SAMPLER_GRID;
    opts.bank = DRAWS;
    BNRE_TRY(bnre_session_open(&density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, &x));
    status = bnre_posterior_compute(session, &opts, out);
    /* Too many parameters, or what is allowed slips through the grid. */
    if (status == BNRE_EUSAGE) {
        opts.sampler = BNRE_SAMPLER_BANK;
        status = bnre_posterior_compute(session, &opts, out);
    }
done:
    bnre_session_close(session);
    return status;
}

bnre_status bnre__prior_line_create(const bnre_prior *prior,
                                    bnre__prior_line **out)
{
    bnre_status status = BNRE_OK;
    bnre__prior_line *line = NULL;

    *out = NULL;
    BNRE_NEW(line, 1);
    line->prior = prior;
    if (bnre__prior_is_constrained(prior))
        BNRE_TRY(compute_flat(prior, &line->flat));
    *out = line;
    line = NULL;
done:
    bnre__prior_line_destroy(line);
    return status;
}

void bnre__prior_line_destroy(bnre__prior_line *line)
{
    if (line == NULL)
        return;
    bnre_posterior_destroy(line->flat);
    bnre__free(line);
}

/* Bars of width 0.8, as those of a posterior. */
static void fill_bars(const bnre_prior *prior, const bnre__raster *raster,
                      double *density)
{
    for (size_t k = 0; k < raster->n; k++) {
        const double at = bnre__raster_middle(raster, k);

        density[k] =
            fabs(at - rint(at)) <= 0.4
                ? bnre__prior_mass(prior, raster->i,
                                   bnre__prior_index(prior, raster->i, at)) /
                      0.8
                : 0;
    }
}

bnre_status bnre__prior_line_fill(const bnre__prior_line *line,
                                  const bnre__raster *raster, double *density)
{
    const double half = (raster->high - raster->low) / (double)raster->n / 2;

    if (line->flat != NULL)
        return bnre__raster_line(line->flat, raster, density);
    if (raster->whole) {
        fill_bars(line->prior, raster, density);
        return BNRE_OK;
    }
    for (size_t k = 0; k < raster->n; k++) {
        const double at = bnre__raster_middle(raster, k);

        density[k] = (bnre_prior_cdf(line->prior, raster->i, at + half) -
                      bnre_prior_cdf(line->prior, raster->i, at - half)) /
                     (2 * half);
    }
    return BNRE_OK;
}

size_t bnre__corner_pieces(size_t n)
{
    return n <= 3 ? 120 : n <= 6 ? 80 : 60;
}

bnre_status bnre__corner_view_create(size_t n, int pairs, size_t pieces,
                                     bnre__corner_view *out)
{
    bnre_status status = BNRE_OK;

    *out = (bnre__corner_view){.n = n, .pairs = pairs, .pieces = pieces};
    BNRE_NEW(out->axis, n);
    BNRE_NEW(out->plane, n * n);
    for (size_t a = 0; a < n; a++) {
        bnre__corner_axis *axis = &out->axis[a];

        BNRE_NEW(axis->line, BNRE__LINE);
        BNRE_NEW(axis->line_prior, BNRE__LINE);
        BNRE_NEW(axis->prior, BNRE__LINE);
        axis->truth = NAN;
        for (size_t b = a + 1; pairs && b < n; b++)
            BNRE_NEW(out->plane[b * n + a], pieces * pieces);
    }
done:
    if (status != BNRE_OK)
        bnre__corner_view_clear(out);
    return status;
}

void bnre__corner_view_clear(bnre__corner_view *view)
{
    for (size_t i = 0; view->plane != NULL && i < view->n * view->n; i++)
        bnre__free(view->plane[i]);
    for (size_t a = 0; view->axis != NULL && a < view->n; a++) {
        bnre__free(view->axis[a].name);
        bnre__free(view->axis[a].line);
        bnre__free(view->axis[a].line_prior);
        bnre__free(view->axis[a].prior);
    }
    bnre__free(view->plane);
    bnre__free(view->axis);
    *view = (bnre__corner_view){0};
}

/* ---- regions ---- */

static void add_region(bnre__corner_regions *regions,
                       const bnre_contour *contour)
{
    size_t at = regions->n;

    if (at == BNRE__CORNER_LEVELS)
        return;
    for (; at > 0 && regions->content[at - 1] < contour->content; at--) {
        regions->content[at] = regions->content[at - 1];
        regions->of[at] = regions->of[at - 1];
    }
    regions->content[at] = contour->content;
    regions->of[at] = *contour;
    regions->n++;
}

void bnre__corner_view_regions(bnre__corner_view *view, size_t contours,
                               const bnre_contour *contour)
{
    int nominal = 0;

    for (size_t i = 0; i < contours; i++) {
        view->conformal |= contour[i].conformal;
        nominal |= !contour[i].conformal;
    }
    for (size_t i = 0; i < contours; i++) {
        if (contour[i].content >= 1 - 1e-9)
            add_region(&view->whole, &contour[i]);
        else if (contour[i].conformal && nominal)
            add_region(&view->dashed, &contour[i]);
        else
            add_region(&view->filled, &contour[i]);
    }
}

/* ---- densities ---- */

static bnre_status fill_axis(const bnre_posterior *posterior,
                             const bnre__prior_line *of_prior, size_t i,
                             bnre__corner_axis *axis)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    bnre__raster raster;
    double low, high, width;

    BNRE_DO(bnre__strdup(bnre_prior_title(prior, i), &axis->name));
    BNRE_DO(bnre__raster_init(&raster, posterior, i, BNRE__LINE));
    axis->low = axis->from = raster.low;
    axis->high = axis->to = raster.high;
    BNRE_DO(bnre__raster_line(posterior, &raster, axis->line));
    BNRE_DO(bnre__prior_line_fill(of_prior, &raster, axis->line_prior));
    /* Plots that share axes may show more. */
    bnre_prior_support(prior, i, &low, &high);
    if (raster.whole) {
        axis->prior_low = raster.low;
        axis->prior_high = raster.high;
        return bnre__prior_line_fill(of_prior, &raster, axis->prior);
    }
    width = raster.high - raster.low;
    raster.low = axis->prior_low = fmax(low, raster.low - 3 * width);
    raster.high = axis->prior_high = fmin(high, raster.high + 3 * width);
    return bnre__prior_line_fill(of_prior, &raster, axis->prior);
}

static int is_whole(const bnre_prior *prior, size_t i)
{
    return bnre__prior_values(prior, i, NULL) != BNRE__CONTINUOUS;
}

static bnre_status fill_plane(const bnre_posterior *posterior,
                              const bnre__corner_view *view,
                              const size_t *parameter, size_t a, size_t b)
{
    const bnre__corner_axis *x = &view->axis[a], *y = &view->axis[b];
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    const bnre__raster across = {parameter[a], x->low, x->high, view->pieces,
                                 is_whole(prior, parameter[a])};
    const bnre__raster up = {parameter[b], y->low, y->high, view->pieces,
                             is_whole(prior, parameter[b])};

    return bnre__raster_plane(posterior, &across, &up,
                              view->plane[b * view->n + a]);
}

bnre_status bnre__corner_view_init(const bnre_posterior *posterior,
                                   const bnre__corner_pages *pages,
                                   const bnre__corner_page *page,
                                   const bnre__corner_opts *opts,
                                   bnre__corner_view *out)
{
    const size_t *parameter = pages->parameter + page->first;
    bnre__prior_line *of_prior = NULL;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__corner_view_create(page->n, page->pairs,
                                      bnre__corner_pieces(page->n), out));
    bnre__corner_view_regions(out, opts->contours, opts->contour);
    out->note = opts->note;
    BNRE_TRY(bnre__prior_line_create(bnre_posterior_points(posterior)->prior,
                                     &of_prior));
    for (size_t a = 0; a < out->n; a++) {
        BNRE_TRY(fill_axis(posterior, of_prior, parameter[a], &out->axis[a]));
        if (opts->truth != NULL)
            out->axis[a].truth = opts->truth[parameter[a]];
    }
    for (size_t b = 0; out->pairs && b < out->n; b++)
        for (size_t a = 0; a < b; a++)
            BNRE_TRY(fill_plane(posterior, out, parameter, a, b));
done:
    bnre__prior_line_destroy(of_prior);
    if (status != BNRE_OK)
        bnre__corner_view_clear(out);
    return status;
}
