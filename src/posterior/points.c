/* Room for points, and banks: independent draws of the prior. */
#include "posterior/points.h"

#include <math.h>

#include "base/mem.h"

bnre_status bnre__points_create(const bnre_prior *prior, bnre_points_kind kind,
                                size_t room, bnre_points **out)
{
    bnre_status status = BNRE_OK;
    bnre_points *points = NULL;

    *out = NULL;
    BNRE_NEW(points, 1);
    points->prior = prior;
    points->kind = kind;
    points->dim = bnre_prior_dim(prior);
    BNRE_NEW(points->theta, room * points->dim);
    BNRE_NEW(points->log_prior, room);
    BNRE_NEW(points->log_mass, room);
    if (bnre__points_is_grid(points)) {
        BNRE_NEW(points->axis, points->dim);
        BNRE_NEW(points->low, points->dim);
        BNRE_NEW(points->high, points->dim);
        BNRE_NEW(points->cell, room);
    }
    *out = points;
    points = NULL;
done:
    bnre__points_destroy(points);
    return status;
}

void bnre__points_destroy(bnre_points *points)
{
    if (points == NULL)
        return;
    bnre__free(points->cell);
    bnre__free(points->high);
    bnre__free(points->low);
    bnre__free(points->axis);
    bnre__free(points->log_mass);
    bnre__free(points->log_prior);
    bnre__free(points->theta);
    bnre__free(points);
}

int bnre__points_is_grid(const bnre_points *points)
{
    return points->kind == BNRE_POINTS_GRID ||
           points->kind == BNRE_POINTS_PAPER;
}

size_t bnre__points_room(const bnre_points *points)
{
    return bnre__points_is_grid(points) ? points->cells : points->n;
}

/* The mass of a draw is the same for all, and so it stays. */
static void draw_bank(bnre_points *points, bnre_rng *rng)
{
    const int known = bnre_prior_has_density(points->prior);

    for (size_t k = 0; k < points->n; k++) {
        double *theta = points->theta + k * points->dim;

        bnre_prior_draw(points->prior, rng, theta);
        points->log_prior[k] =
            known ? bnre_prior_log_density(points->prior, theta) : 0;
    }
}

bnre_status bnre__points_bank(const bnre_prior *prior, size_t n, bnre_rng *rng,
                              bnre_points **out)
{
    bnre_status status = BNRE_OK;
    bnre_points *points = NULL;

    *out = NULL;
    if (n == 0)
        return bnre_fail(BNRE_EINVAL, "a bank needs 1 draw or more");
    BNRE_TRY(bnre__points_create(prior, BNRE_POINTS_BANK, n, &points));
    points->n = n;
    for (size_t k = 0; k < n; k++)
        points->log_mass[k] = -log((double)n);
    draw_bank(points, rng);
    *out = points;
    points = NULL;
done:
    bnre__points_destroy(points);
    return status;
}

bnre_status bnre__points_redraw(bnre_points *points, bnre_rng *rng)
{
    switch (points->kind) {
    case BNRE_POINTS_BANK:
        draw_bank(points, rng);
        return BNRE_OK;
    case BNRE_POINTS_GRID:
        return bnre__points_place(points, rng);
    default:
        return bnre_fail(BNRE_EINVAL,
                         "only banks and grids of cells can be redrawn");
    }
}

const char *bnre__points_name(bnre_points_kind kind)
{
    static const char *const name[] = {[BNRE_POINTS_GRID] = "grid",
                                       [BNRE_POINTS_PAPER] = "paper",
                                       [BNRE_POINTS_BANK] = "bank",
                                       [BNRE_POINTS_CHAIN] = "chain",
                                       [BNRE_POINTS_DRAWS] = "draws"};

    return name[kind];
}
