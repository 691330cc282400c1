/* Looks at many pairs at once: draws of the posterior, by densities that take
   many x at a time. Each pair has the random numbers, the points and the rank
   that it has by itself. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "diag/look.h"

void bnre__look_many_clear(bnre__look *look)
{
    bnre__look_many *many = &look->many;

    if (many->session != NULL)
        look->job->density->close(many->session);
    bnre__free(many->log_ratio);
    bnre__free(many->theta);
    bnre__free(many->drawn);
    bnre__free(many->seed);
    bnre__free(many->at);
    bnre__free(many->reference);
    bnre__free(many->u);
    bnre__free(many->rng);
    *many = (bnre__look_many){0};
}

/* Rows of a pair: its draws, theta*, and the theta of another. */
static size_t rows_of(const bnre__look *look)
{
    return look->room + 2;
}

static size_t widths_of(const bnre__look *look)
{
    return look->job->opts->n_widen > 0 ? look->job->opts->n_widen : 1;
}

static bnre_status prepare(bnre__look *look)
{
    const bnre_density *density = look->job->density;
    const size_t most = density->many, rows = rows_of(look);
    bnre__look_many *many = &look->many;
    bnre_status status = BNRE_OK;

    if (many->session != NULL)
        return BNRE_OK;
    bnre__look_many_clear(look); /* what an attempt that failed has left */
    BNRE_NEW(many->rng, most);
    BNRE_NEW(many->u, most);
    BNRE_NEW(many->reference, most * look->dim);
    BNRE_NEW(many->at, most);
    BNRE_NEW(many->seed, most);
    BNRE_NEW(many->drawn, most * look->room * look->dim);
    BNRE_NEW(many->theta, most * rows * look->dim);
    BNRE_NEW(many->log_ratio, most * rows * widths_of(look));
    BNRE_TRY(density->open(density->context, &many->session));
done:
    return status;
}

/* The numbers of each pair, in the order in which it uses them by itself. */
static void begin(bnre__look *look, size_t i, size_t n, const double *x)
{
    bnre__look_many *many = &look->many;

    for (size_t p = 0; p < n; p++) {
        bnre_rng rng =
            bnre__look_begin(look, i + p, x + p * look->job->density->x_size);

        many->u[p] = look->u;
        memcpy(many->reference + p * look->dim, look->reference,
               look->dim * sizeof *look->reference);
        many->at[p] = bnre_rng_below(&rng, look->room + 1);
        many->seed[p] = bnre_rng_u64(&rng);
        many->rng[p] = rng;
    }
}

/* Let the look be about pair p. */
static void turn_to(bnre__look *look, size_t p)
{
    const bnre__look_many *many = &look->many;

    look->theta = many->theta + p * rows_of(look) * look->dim;
    look->log_ratio = many->log_ratio + p * rows_of(look);
    look->u = many->u[p];
    look->at = many->at[p];
    memcpy(look->reference, many->reference + p * look->dim,
           look->dim * sizeof *look->reference);
}

/* From draws to log ratios. */
static bnre_status evaluate(bnre__look *look, size_t i, size_t n,
                            const double *x)
{
    const bnre_density *density = look->job->density;
    const size_t size = look->room * look->dim;
    bnre__look_many *many = &look->many;

    for (size_t k = 0; k < n * density->x_size; k++)
        if (!isfinite(x[k]))
            return bnre_fail(BNRE_ENUM, "x has a value that is not finite");
    BNRE_DO(density->observe_many(many->session, n, x));
    BNRE_DO(
        density->draw_many(many->session, many->seed, look->room, many->drawn));
    for (size_t p = 0; p < n; p++) {
        turn_to(look, p);
        memcpy(look->theta, many->drawn + p * size, size * sizeof *look->theta);
        memcpy(look->theta + size, look->job->theta + (i + p) * look->dim,
               look->dim * sizeof *look->theta);
        bnre__look_place_among_draws(look, i + p, many->at[p]);
    }
    BNRE_DO(density->log_ratio_many(many->session, rows_of(look), many->theta,
                                    look->job->opts->n_widen,
                                    look->job->opts->widen, many->log_ratio));
    for (size_t k = 0; k < n * rows_of(look) * widths_of(look); k++)
        if (isnan(many->log_ratio[k]) || many->log_ratio[k] == HUGE_VAL)
            return bnre_fail(BNRE_ENUM, "a log ratio is %g",
                             many->log_ratio[k]);
    return BNRE_OK;
}

bnre_status bnre__look_at_many(bnre__look *look, size_t i, size_t n,
                               const double *x)
{
    double *const theta = look->theta, *const log_ratio = look->log_ratio;
    bnre_status status = BNRE_OK;

    BNRE_TRY(prepare(look));
    begin(look, i, n, x);
    BNRE_TRY(evaluate(look, i, n, x));
    look->wide = n * rows_of(look);
    for (size_t p = 0; p < n; p++) {
        turn_to(look, p);
        bnre__look_log_prior(look);
        look->evaluations += look->more;
        bnre__look_note(look, i + p, &look->many.rng[p]);
        bnre__look_end(look, i + p);
    }
done:
    look->theta = theta;
    look->log_ratio = log_ratio;
    return status;
}
