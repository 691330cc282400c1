#include "output/prior_line.h"

#include <string.h>

#include "base/mem.h"
#include "bnre/density.h"
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
    opts.method = BNRE_METHOD_GRID;
    opts.bank = DRAWS;
    BNRE_TRY(bnre_session_open(&density, NULL, &session));
    BNRE_TRY(bnre_session_observe(session, 1, &x));
    status = bnre_posterior_compute(session, &opts, out);
    /* Too many parameters, or what is allowed slips through the grid. */
    if (status == BNRE_EUSAGE) {
        opts.method = BNRE_METHOD_BANK;
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

bnre_status bnre__prior_line_fill(const bnre__prior_line *line,
                                  const bnre__raster *raster, double *density)
{
    const double half = (raster->high - raster->low) / (double)raster->n / 2;

    if (line->flat != NULL)
        return bnre__raster_line(line->flat, raster, density);
    for (size_t k = 0; k < raster->n; k++) {
        const double at = bnre__raster_middle(raster, k);

        density[k] = (bnre_prior_cdf(line->prior, raster->i, at + half) -
                      bnre_prior_cdf(line->prior, raster->i, at - half)) /
                     (2 * half);
    }
    return BNRE_OK;
}
