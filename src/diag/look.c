/* A look at one pair: points of the prior, theta* among them, log ratios. Each
   set of points costs an evaluation of each and one or two more, beside what it
   takes to place them (cells, chains). One pair in 16 has twice the points of
   the prior, to see what they would change. */
#include "diag/look.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "bnre/rng.h"
#include "data/rows.h"
#include "num/streams.h"
#include "posterior/points.h"
#include "posterior/posterior.h"
#include "prior/prior.h"

/* Every so many pairs the points are doubled. */
enum { DOUBLED = 16 };

/* Cells per parameter, likewise. */
static size_t default_cells(const bnre_prior *prior)
{
    static const size_t cells[BNRE_GRID_DIMS + 1] = {1, 256, 19, 7};
    const size_t dims = bnre__free_parameters(prior);

    return cells[dims < BNRE_GRID_DIMS ? dims : BNRE_GRID_DIMS];
}

/* The random numbers that place points for what was observed, x (n): the same
   points whenever this x is looked at. */
static bnre_rng points_stream(uint64_t seed, size_t n, const double *x)
{
    return bnre_rng_stream(seed,
                           bnre__purpose(BNRE_USE_POINTS, BNRE_SPLIT_TEST),
                           bnre__hash_floats(x, n));
}

size_t bnre__steps_of(const bnre_diag_opts *opts)
{
    const size_t steps = opts->steps > 0 ? opts->steps : BNRE__CHAIN_STEPS;

    return opts->most_steps > 0 && opts->most_steps < steps ? opts->most_steps
                                                            : steps;
}

void bnre__look_count(const bnre__look *look, size_t *points,
                      size_t *evaluations)
{
    *points += look->placed;
    *evaluations += look->evaluations;
}

static bnre_status create_points(bnre__look *look)
{
    const bnre__look_job *job = look->job;
    const bnre_prior *prior = job->density->prior;
    const bnre_diag_opts *opts = job->opts;
    bnre_rng rng = bnre_rng_stream(opts->seed, 0, 0); /* to be redrawn */

    if (job->grid == BNRE_DIAG_FITTED) {
        BNRE_DO(bnre__cells_create(prior, opts->fitted, opts->strata,
                                   &look->cells));
        look->room = bnre__cells_room(look->cells);
        return BNRE_OK;
    }
    if (job->grid == BNRE_DIAG_DRAWS || job->grid == BNRE_DIAG_CHAINS) {
        look->room = opts->draws > 0 ? opts->draws : BNRE__POSTERIOR_DRAWS;
        return BNRE_OK;
    }
    if (job->grid == BNRE_DIAG_PAPER) {
        BNRE_DO(bnre__points_paper(prior, opts->cells, &look->points));
    } else if (job->grid == BNRE_DIAG_BANK) {
        BNRE_DO(bnre__points_bank(prior,
                                  opts->draws > 0 ? opts->draws : BNRE__DRAWS,
                                  &rng, &look->points));
    } else {
        BNRE_DO(bnre__points_grid(
            prior, opts->cells > 0 ? opts->cells : default_cells(prior),
            &look->points));
    }
    look->room =
        look->points->cells > 0 ? look->points->cells : look->points->n;
    return BNRE_OK;
}

/* The nodes of the reference stay where they are; theta* has no mass there. */
static void place_nodes(bnre__look *look)
{
    const bnre_points *points = look->points;

    memcpy(look->theta, points->theta,
           points->n * look->dim * sizeof *look->theta);
    memcpy(look->log_prior, points->log_prior,
           points->n * sizeof *look->log_prior);
    memcpy(look->log_mass, points->log_mass,
           points->n * sizeof *look->log_mass);
    look->log_mass[points->n] = -HUGE_VAL;
}

bnre_status bnre__look_create(const bnre__look_job *job, bnre__look **out)
{
    bnre_status status = BNRE_OK;
    bnre__look *look = NULL;
    size_t rows;

    *out = NULL;
    BNRE_NEW(look, 1);
    look->job = job;
    look->dim = bnre_prior_dim(job->density->prior);
    look->mixed = bnre__prior_is_mixed(job->density->prior);
    BNRE_TRY(create_points(look));
    rows = look->room + 3 + (job->grid == BNRE_DIAG_PAPER ? 0 : look->room);
    BNRE_NEW(look->theta, rows * look->dim);
    BNRE_NEW(look->log_ratio, rows);
    BNRE_NEW(look->each, job->diag->n_members * rows);
    BNRE_NEW(look->log_prior, look->room + 1);
    BNRE_NEW(look->log_mass, look->room + 1);
    BNRE_NEW(look->more_mass, look->room);
    BNRE_NEW(look->weight, look->room + 1);
    BNRE_NEW(look->value, look->room + 1);
    BNRE_NEW(look->ranked, look->room + 1);
    if (!bnre_prior_has_density(job->density->prior))
        BNRE_NEW(look->row, look->room + 1);
    BNRE_NEW(look->reference, look->dim);
    BNRE_TRY(bnre_session_open(job->density, NULL, &look->session));
    if (job->grid == BNRE_DIAG_CHAINS)
        BNRE_TRY(bnre__star_init(
            &look->star, look->session, look->room, bnre__steps_of(job->opts),
            bnre__steps_of(job->opts) > BNRE__CHAIN_STEPS));
    if (job->grid == BNRE_DIAG_PAPER)
        place_nodes(look);
    *out = look;
    look = NULL;
done:
    bnre__look_destroy(look);
    return status;
}

void bnre__look_destroy(bnre__look *look)
{
    if (look == NULL)
        return;
    bnre__look_many_clear(look);
    bnre__star_clear(&look->star);
    bnre_session_close(look->session);
    bnre__free(look->reference);
    bnre__free(look->row);
    bnre__free(look->ranked);
    bnre__free(look->value);
    bnre__free(look->weight);
    bnre__free(look->more_mass);
    bnre__free(look->log_mass);
    bnre__free(look->log_prior);
    bnre__free(look->each);
    bnre__free(look->log_ratio);
    bnre__free(look->theta);
    bnre__cells_destroy(look->cells);
    bnre__points_destroy(look->points);
    bnre__free(look);
}

static void copy_theta(const bnre__look *look, size_t to, const double *from)
{
    memcpy(bnre__look_row(look, to), from, look->dim * sizeof *from);
}

/* Fresh points of a grid or bank into the rows from `first` on. Where no cell
   has a point that satisfies the constraints, theta* alone will do. */
static bnre_status draw_equal(bnre__look *look, bnre_rng *rng, size_t first,
                              size_t *n)
{
    bnre_points *points = look->points;
    bnre_status status = bnre__points_redraw(points, rng);

    if (status != BNRE_OK && points->n > 0)
        return status;
    memcpy(bnre__look_row(look, first), points->theta,
           points->n * look->dim * sizeof *look->theta);
    *n = points->n;
    return BNRE_OK;
}

/* Fresh points as the set, and which of them is in the cell of theta*. Where
   points have equal mass, the logarithm of it stays 0. */
static bnre_status draw_set(bnre__look *look, bnre_rng *rng,
                            const double *theta, bnre_rng *of_pair, size_t *own)
{
    const bnre_points *points = look->points;

    *own = BNRE_NO_POINT;
    if (look->cells != NULL) {
        const size_t cell = bnre__cells_find(look->cells, theta, of_pair);

        look->n = bnre__cells_draw_all(look->cells, rng, cell, look->theta,
                                       look->log_mass, look->log_prior, own);
        if (*own == BNRE_NO_POINT)
            look->log_mass[look->n] = bnre__cells_log_mass(look->cells, cell);
        return BNRE_OK;
    }
    BNRE_DO(draw_equal(look, rng, 0, &look->n));
    memcpy(look->log_prior, points->log_prior,
           points->n * sizeof *look->log_prior);
    if (points->cells > 0)
        *own =
            bnre__points_in_cell(points, bnre__points_cell_of(points, theta));
    return BNRE_OK;
}

/* Let theta* take its place among fresh points. */
static bnre_status place_points(bnre__look *look, bnre_rng *rng,
                                const double *theta, bnre_rng *of_pair)
{
    size_t own;

    BNRE_DO(draw_set(look, rng, theta, of_pair, &own));
    look->at = own != BNRE_NO_POINT ? own : look->n;
    look->n += own == BNRE_NO_POINT;
    look->other = look->n;
    look->more = look->n + 1;
    look->displaced = BNRE_NO_POINT;
    if (own != BNRE_NO_POINT) {
        look->displaced = look->more++;
        copy_theta(look, look->displaced, bnre__look_row(look, own));
    }
    look->mass = 0;
    for (size_t k = 0; k < look->n; k++)
        look->mass += exp(look->log_mass[k]);
    return BNRE_OK;
}

static bnre_status place_more(bnre__look *look, bnre_rng *rng)
{
    if (look->cells == NULL)
        return draw_equal(look, rng, look->more, &look->n_more);
    look->n_more = bnre__cells_draw_all(look->cells, rng, 0,
                                        bnre__look_row(look, look->more),
                                        look->more_mass, NULL, NULL);
    return BNRE_OK;
}

static void place_among_nodes(bnre__look *look)
{
    look->n = look->points->n + 1;
    look->at = look->points->n;
    look->other = look->n;
    look->more = look->n + 1;
    look->displaced = BNRE_NO_POINT;
}

/* Theta* has any place among them, since the last bits of a log ratio may depend
   on the place. */
void bnre__look_place_among_draws(bnre__look *look, size_t i, size_t at)
{
    const bnre__look_job *job = look->job;
    const size_t draws = look->room;

    look->n = draws + 1;
    look->at = at;
    look->other = look->n;
    look->more = look->n + 1;
    look->n_more = 0;
    look->displaced = BNRE_NO_POINT;
    for (size_t k = 0; at < draws && k < look->dim; k++) {
        const double keep = bnre__look_row(look, draws)[k];

        bnre__look_row(look, draws)[k] = bnre__look_row(look, at)[k];
        bnre__look_row(look, at)[k] = keep;
    }
    copy_theta(look, look->other, job->theta + job->other[i] * look->dim);
}

void bnre__look_log_prior(bnre__look *look)
{
    const bnre_prior *prior = look->job->density->prior;

    for (size_t k = 0; k < look->n && bnre_prior_has_density(prior); k++)
        look->log_prior[k] =
            bnre_prior_log_density(prior, bnre__look_row(look, k));
}

/* Draws of the posterior, or ends of chains that began at theta*; by numbers of
   the pair: another theta with the same x has others, or the ranks of both
   would go together. */
static bnre_status place_draws(bnre__look *look, size_t i, bnre_rng *rng)
{
    const size_t draws = look->room;
    const size_t before = look->star.target.evaluations;
    const size_t at = bnre_rng_below(rng, draws + 1);

    copy_theta(look, draws, look->job->theta + i * look->dim);
    if (look->job->grid == BNRE_DIAG_CHAINS)
        BNRE_DO(bnre__star_draw(&look->star, rng, bnre__look_row(look, draws),
                                look->theta));
    else
        BNRE_DO(bnre__session_propose(look->session, bnre_rng_u64(rng), draws,
                                      look->theta));
    look->evaluations += look->star.target.evaluations - before;
    bnre__look_place_among_draws(look, i, at);
    bnre__look_log_prior(look);
    if (look->job->density->weigh != NULL)
        BNRE_DO(look->job->density->weigh(look->job->density->context, look->n,
                                          look->theta, look->log_mass));
    return BNRE_OK;
}

/* All that the chains are to know of x. */
static bnre_status tune(bnre__look *look, bnre_rng *rng)
{
    const size_t before = look->star.target.evaluations;
    bnre_status status = bnre__star_tune(&look->star, look->anchor, rng);

    look->evaluations += look->star.target.evaluations - before;
    return status;
}

static void place_own(bnre__look *look, const double *theta)
{
    const bnre_prior *prior = look->job->density->prior;

    copy_theta(look, look->at, theta);
    look->log_prior[look->at] = bnre_prior_has_density(prior)
                                    ? bnre_prior_log_density(prior, theta)
                                    : 0;
}

/* Where things are counted many pairs are the same: then their numbers differ by
   their place, or their ranks would go together. */
static bnre_rng own_stream(const bnre__look *look, size_t i, bnre_rng rng)
{
    return look->mixed ? bnre_rng_stream(bnre_rng_u64(&rng), 0, i) : rng;
}

/* The points depend on x and the seed alone; those of the posterior itself on
   the numbers of the pair. */
static bnre_status place(bnre__look *look, size_t i, const double *x,
                         bnre_rng *of_pair)
{
    const bnre__look_job *job = look->job;
    const double *theta = job->theta + i * look->dim;
    bnre_rng rng =
        own_stream(look, i,
                   points_stream(job->opts->seed,
                                 job->observations * job->density->x_size, x));

    look->n_more = 0;
    if (job->grid == BNRE_DIAG_PAPER) {
        place_among_nodes(look);
        place_own(look, theta);
    } else if (job->grid == BNRE_DIAG_DRAWS || job->grid == BNRE_DIAG_CHAINS) {
        if (job->grid == BNRE_DIAG_CHAINS)
            BNRE_DO(tune(look, &rng));
        return place_draws(look, i, of_pair);
    } else {
        if (look->cells != NULL)
            BNRE_DO(bnre__cells_fit(look->cells, look->session,
                                    &look->evaluations));
        BNRE_DO(place_points(look, &rng, theta, of_pair));
        if (i % DOUBLED == 0 && (look->cells == NULL || job->opts->strata == 0))
            BNRE_DO(place_more(look, &rng));
        place_own(look, theta);
    }
    copy_theta(look, look->other, job->theta + job->other[i] * look->dim);
    return BNRE_OK;
}

/* The log ratios of the batch, and those of the members. */
static bnre_status evaluate(bnre__look *look)
{
    const size_t rows = look->more + look->n_more;

    if (look->job->diag->n_members > 0)
        return bnre__session_log_ratio_each(look->session, rows, look->theta,
                                            look->log_ratio, look->each);
    return bnre_session_log_ratio(look->session, rows, look->theta,
                                  look->log_ratio, NULL);
}

/* What each member says, with its log ratios in place of the ensemble's. */
static void note_members(bnre__look *look, size_t i)
{
    const size_t rows = look->more + look->n_more;
    const size_t members = look->job->diag->n_members;
    bnre__found *found = look->job->found;

    for (size_t m = 0; m < members; m++) {
        memcpy(look->log_ratio, look->each + m * rows,
               rows * sizeof *look->log_ratio);
        found->member_ratio[i * members + m] = look->log_ratio[look->at];
        found->member_rank[i * members + m] = bnre__look_rank(look, 1);
    }
}

/* Ends of chains are draws of the posterior that these are for: what they stand
   for of the prior, so that they weigh the same there. */
static void set_masses(bnre__look *look)
{
    for (size_t k = 0; k < look->n; k++)
        look->log_mass[k] = look->log_ratio[k] > -HUGE_VAL
                                ? -look->anchor * look->log_ratio[k]
                                : 0;
}

/* One set of points, and what it says. */
static bnre_status look_once(bnre__look *look, size_t i, const double *x,
                             bnre_rng *rng)
{
    BNRE_DO(place(look, i, x, rng));
    BNRE_DO(evaluate(look));
    look->evaluations += look->more;
    if (look->job->grid == BNRE_DIAG_CHAINS)
        set_masses(look);
    bnre__look_note(look, i, rng);
    return BNRE_OK;
}

/* Chains for each tau that serves as an anchor; that of the first curve last,
   since all that is not of a curve is about it. */
static bnre_status look_by_chains(bnre__look *look, size_t i, const double *x,
                                  bnre_rng *rng)
{
    const bnre_diag *diag = look->job->diag;
    const double first = bnre__look_anchor(diag, diag->curve[0].tau);

    for (size_t c = diag->n_curves; c-- > 1;) {
        look->anchor = diag->curve[c].tau;
        if (look->anchor != first &&
            bnre__look_anchor(diag, look->anchor) == look->anchor)
            BNRE_DO(look_once(look, i, x, rng));
    }
    look->anchor = first;
    return look_once(look, i, x, rng);
}

bnre_rng bnre__look_begin(bnre__look *look, size_t i, const double *x)
{
    const bnre__look_job *job = look->job;
    bnre_rng rng = bnre_rng_stream(
        job->opts->seed, bnre__purpose(BNRE_USE_RANKS, BNRE_SPLIT_TEST),
        bnre__row_hash(look->dim, job->theta + i * look->dim,
                       job->observations * job->density->x_size, x));

    rng = own_stream(look, i, rng);
    look->u = bnre_rng_uniform(&rng);
    bnre_prior_draw(job->density->prior, &rng, look->reference);
    return rng;
}

void bnre__look_end(bnre__look *look, size_t i)
{
    look->placed += look->n - (look->displaced == BNRE_NO_POINT);
    note_members(look, i);
    look->job->found->done[i] = 1;
}

bnre_status bnre__look_at(bnre__look *look, size_t i, const double *x)
{
    const bnre__look_job *job = look->job;
    bnre_rng rng = bnre__look_begin(look, i, x);

    BNRE_DO(bnre_session_observe(look->session, job->observations, x));
    if (job->grid == BNRE_DIAG_CHAINS)
        BNRE_DO(look_by_chains(look, i, x, &rng));
    else
        BNRE_DO(look_once(look, i, x, &rng));
    bnre__look_end(look, i);
    return BNRE_OK;
}

bnre_status bnre__look_at_some(bnre__look *look, size_t i, size_t n,
                               const double *x)
{
    const bnre__look_job *job = look->job;
    const size_t many =
        job->grid == BNRE_DIAG_DRAWS && job->density->weigh == NULL
            ? job->density->many
            : 0;
    const size_t of_pair = job->observations * job->density->x_size;
    bnre_status status;

    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < many ? n - done : many;
        status = some > 0 ? bnre__look_at_many(look, i + done, some,
                                               x + done * of_pair)
                          : BNRE_OK;
        if (some > 0 && status == BNRE_OK)
            continue;
        if (job->opts->n_widen > 0) /* which a pair by itself has not */
            return bnre__fail_in(status, "pairs %zu to %zu", i + done,
                                 i + done + some - 1);
        some = some > 0 ? some : 1;
        for (size_t k = done; k < done + some; k++) {
            status = bnre__look_at(look, i + k, x + k * of_pair);
            if (status != BNRE_OK)
                return bnre__fail_in(status, "pair %zu", i + k);
        }
    }
    return BNRE_OK;
}
