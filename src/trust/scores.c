#include "trust/scores.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bnre/rng.h"

/* These numbers and this seed are part of what calibrated files mean. */
enum { DRAWS = 2048, SEED = 1 };
static const size_t cells_of[BNRE_GRID_DIMS + 1] = {1, 512, 40, 14};

static size_t free_parameters(const bnre_prior *prior)
{
    size_t count = 0;

    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        double low, high;

        bnre_prior_support(prior, i, &low, &high);
        count += low < high;
    }
    return count;
}

bnre_status bnre__scorer_init(bnre__scorer *scorer, const bnre_density *density)
{
    const bnre_prior *prior = density->prior;
    const size_t dims = free_parameters(prior);
    bnre_rng rng = bnre_rng_stream(
        SEED, bnre_purpose(BNRE_USE_SCORES, BNRE_SPLIT_CALIBRATE), 0);
    bnre_status status = BNRE_OK;
    size_t room;

    BNRE_TRY(bnre_session_open(density, NULL, &scorer->session));
    if (bnre_prior_has_density(prior) && dims <= BNRE_GRID_DIMS)
        BNRE_TRY(bnre_points_grid(prior, cells_of[dims], &scorer->points));
    else
        BNRE_TRY(bnre_points_bank(prior, DRAWS, &rng, &scorer->points));
    room =
        scorer->points->cells > 0 ? scorer->points->cells : scorer->points->n;
    BNRE_NEW(scorer->log_ratio, room);
    BNRE_NEW(scorer->point, room);
done:
    return status;
}

void bnre__scorer_clear(bnre__scorer *scorer)
{
    bnre__free(scorer->point);
    bnre__free(scorer->log_ratio);
    bnre_points_destroy(scorer->points);
    bnre_session_close(scorer->session);
    *scorer = (bnre__scorer){0};
}

static int denser_first(const void *a, const void *b)
{
    const bnre__scored *x = a, *y = b;

    if (x->log_density != y->log_density)
        return x->log_density < y->log_density ? 1 : -1;
    /* Equal densities add up the same in any order of their weights only if
       that order is always the same. */
    return (x->weight < y->weight) - (x->weight > y->weight);
}

bnre_status bnre__scorer_observe(bnre__scorer *scorer, const float *x)
{
    const size_t size = bnre_session_density(scorer->session)->x_size;
    bnre_points *points = scorer->points;
    bnre_status status = BNRE_OK;
    bnre_rng rng = bnre_rng_stream(
        SEED, bnre_purpose(BNRE_USE_SCORES, BNRE_SPLIT_CALIBRATE),
        bnre__hash_bytes(x, size * sizeof *x));
    double top = -HUGE_VAL, sum = 0;

    BNRE_TRY(bnre_session_observe(scorer->session, 1, x));
    BNRE_TRY(bnre_points_redraw(points, &rng));
    BNRE_TRY(bnre_session_log_ratio(scorer->session, points->n, points->theta,
                                    scorer->log_ratio, NULL));
    scorer->n = points->n;
    for (size_t i = 0; i < points->n; i++)
        top = fmax(top, scorer->log_ratio[i] + points->log_mass[i]);
    if (top == -HUGE_VAL)
        BNRE_THROW(BNRE_ENUM, "the log ratio is -inf everywhere");
    for (size_t i = 0; i < points->n; i++)
        scorer->point[i] = (bnre__scored){
            points->log_prior[i] + scorer->log_ratio[i],
            exp(scorer->log_ratio[i] + points->log_mass[i] - top)};
    qsort(scorer->point, points->n, sizeof *scorer->point, denser_first);
    for (size_t i = 0; i < points->n; i++)
        sum = scorer->point[i].weight += sum;
    for (size_t i = 0; i < points->n; i++)
        scorer->point[i].weight /= sum;
done:
    return status;
}

double bnre__scorer_score(const bnre__scorer *scorer, double log_density)
{
    size_t low = 0, high = scorer->n; /* how many are at least as dense */

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (scorer->point[middle].log_density >= log_density)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? scorer->point[low - 1].weight : 0;
}

double bnre__scorer_threshold(const bnre__scorer *scorer, double qhat)
{
    const size_t n = scorer->n;

    for (size_t i = 0; i < n; i++) {
        const double density = scorer->point[i].log_density;

        if (i + 1 < n && scorer->point[i + 1].log_density == density)
            continue; /* ties count whole */
        if (scorer->point[i].weight > qhat)
            return nextafter(density, HUGE_VAL);
    }
    return -HUGE_VAL;
}

double bnre__scorer_prior(const bnre_prior *prior, const double *theta)
{
    return bnre_prior_has_density(prior) ? bnre_prior_log_density(prior, theta)
                                         : 0;
}

bnre_status bnre__view_of(bnre_session *session, float *out)
{
    const bnre_prior *prior = bnre_session_density(session)->prior;
    const size_t dim = bnre_prior_dim(prior);
    double log_ratio[BNRE__VIEWS], *theta = NULL;
    bnre_status status = BNRE_OK;

    BNRE_NEW(theta, BNRE__VIEWS * dim);
    for (size_t j = 0; j < BNRE__VIEWS; j++) {
        bnre_rng rng = bnre_rng_stream(
            SEED, bnre_purpose(BNRE_USE_VIEWS, BNRE_SPLIT_CALIBRATE), j);

        bnre_prior_draw(prior, &rng, theta + j * dim);
    }
    BNRE_TRY(
        bnre_session_log_ratio(session, BNRE__VIEWS, theta, log_ratio, NULL));
    for (size_t j = 0; j < BNRE__VIEWS; j++)
        out[j] = (float)(1 / (1 + exp(-log_ratio[j])));
done:
    bnre__free(theta);
    return status;
}
