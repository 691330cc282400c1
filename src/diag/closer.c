/* A closer look where the points do not suffice: twice as many, and again; or
   where chains remember where they began: twice the steps. All looks
   before the last one together cost about as much as it does; of more than 200
   pairs only 100 are looked at until these see enough. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "diag/cells.h"
#include "diag/diag.h"

/* Pairs that tell whether a number of points would do, so that all are looked
   at with those that do and not with all in between. All of them are doubled
   and none is picked for its own points: a choice of pairs by what theta*
   did among their points would bend the ranks. */
enum { PILOT = 100 };

/* Cells or draws of a pair, unless told otherwise: 16 times what is usual for
   many parameters. */
enum { MOST_POINTS = 8192 };

/* Steps of a chain, likewise. */
enum { MOST_STEPS = 32 };

static int sees(const bnre_diag *diag)
{
    for (size_t i = 0; i < diag->n_curves; i++)
        if (diag->curve[i].judgement.verdict == BNRE_BLIND)
            return 0;
    return 1;
}

/* Points of a pair, or steps of its chains. */
static size_t points_of(const bnre_prior *prior, bnre_diag_grid grid,
                        const bnre_diag_opts *opts)
{
    if (grid == BNRE_DIAG_BANK)
        return opts->draws > 0 ? opts->draws : BNRE__DRAWS;
    if (grid == BNRE_DIAG_CHAINS)
        return bnre__steps_of(opts);
    return opts->fitted > 0 ? opts->fitted : bnre__cells_usual(prior);
}

/* How many there may be at most. */
static size_t most_of(bnre_diag_grid grid, const bnre_diag_opts *opts)
{
    if (grid == BNRE_DIAG_CHAINS)
        return opts->most_steps > 0 ? opts->most_steps : MOST_STEPS;
    return opts->most_points > 0 ? opts->most_points : MOST_POINTS;
}

static size_t *setting_of(bnre_diag_grid grid, bnre_diag_opts *opts)
{
    return grid == BNRE_DIAG_BANK     ? &opts->draws
           : grid == BNRE_DIAG_CHAINS ? &opts->steps
                                      : &opts->fitted;
}

static void tell(const bnre_monitor *monitor, bnre_diag_grid grid,
                 size_t points)
{
    char text[160];

    if (monitor == NULL || monitor->note == NULL)
        return;
    snprintf(text, sizeof text,
             grid == BNRE_DIAG_CHAINS
                 ? "the Markov chains remember too much: once more, with %zu "
                   "steps each way"
                 : "these posteriors need more points than there were: once "
                   "more, with up to %zu for each pair",
             points);
    monitor->note(monitor->context, text);
}

static void note_tried(bnre_diag *diag, size_t points)
{
    for (size_t i = 0; i < diag->n_curves; i++)
        diag->curve[i].judgement.tried = points;
}

/* Every so many pairs: a file may be sorted, and its first ones be unlike the
   rest. */
struct spaced {
    const bnre__pairs *of;
    size_t step, x_of_pair;
};

static bnre_status read_spaced(void *self, size_t first, size_t n, double *x)
{
    const struct spaced *spaced = self;

    for (size_t i = 0; i < n; i++)
        BNRE_DO(spaced->of->read(spaced->of->self, (first + i) * spaced->step,
                                 1, x + i * spaced->x_of_pair));
    return BNRE_OK;
}

/* n of the pairs; an interruption leaves no result, as there is a coarser one
   of all. */
static bnre_status look_at(const bnre_density *density,
                           const bnre__pairs *pairs, size_t n,
                           const bnre_diag_opts *opts, bnre_diag **out)
{
    const size_t dim = bnre_prior_dim(density->prior);
    struct spaced spaced = {.of = pairs,
                            .step = pairs->n / n,
                            .x_of_pair = pairs->observations * density->x_size};
    bnre__pairs some = *pairs;
    bnre_status status = BNRE_OK;
    double *theta = NULL;

    if (n < pairs->n) {
        BNRE_NEW(theta, n * dim);
        for (size_t i = 0; i < n; i++)
            memcpy(theta + i * dim, pairs->theta + i * spaced.step * dim,
                   dim * sizeof *theta);
        some = (bnre__pairs){.n = n,
                             .observations = pairs->observations,
                             .theta = theta,
                             .self = &spaced,
                             .read = read_spaced};
    }
    status = bnre__diagnose_once(density, &some, opts, out);
done:
    bnre__free(theta);
    if (status == BNRE_EINTR) {
        bnre_diag_destroy(*out);
        *out = NULL;
        return bnre_fail(BNRE_EINTR, "interrupted while taking more points");
    }
    return status;
}

/* *out, found with the usual number of points, is replaced. */
static bnre_status look_closer(const bnre_density *density,
                               const bnre__pairs *pairs,
                               const bnre_diag_opts *opts, bnre_diag **out)
{
    const bnre_diag_grid grid = (*out)->grid;
    const size_t few = points_of(density->prior, grid, opts), n = pairs->n;
    const size_t most = most_of(grid, opts);
    size_t work = (*out)->evaluations * n;
    int all = n <= 2 * PILOT;
    bnre_diag_opts more = *opts;
    bnre_diag *diag = NULL;

    note_tried(*out, few);
    for (size_t times = 2; times * few <= most && !sees(*out); times *= 2) {
        const size_t looked = all ? n : PILOT;

        *setting_of(grid, &more) = times * few;
        more.strata = times * opts->strata;
        if (all)
            tell(opts->monitor, grid, times * few);
        BNRE_DO(look_at(density, pairs, looked, &more, &diag));
        work += diag->evaluations * looked;
        note_tried(*out, times * few);
        if (all) {
            bnre_diag_destroy(*out);
            *out = diag;
            diag = NULL;
            note_tried(*out, times * few);
        } else if (sees(diag)) {
            all = 1;
            times /= 2; /* the same again, for all */
        }
        bnre_diag_destroy(diag);
        diag = NULL;
    }
    (*out)->evaluations = (work + n / 2) / n;
    return BNRE_OK;
}

bnre_status bnre__diagnose(const bnre_density *density,
                           const bnre__pairs *pairs, const bnre_diag_opts *opts,
                           bnre_diag **out)
{
    bnre_status status = bnre__diagnose_once(density, pairs, opts, out);
    bnre_density plain = *density;

    if (status != BNRE_OK || sees(*out))
        return status;
    if ((*out)->grid == BNRE_DIAG_DRAWS && density->weigh != NULL &&
        opts->draws == 0) { /* too few of them have a weight */
        bnre_diag_destroy(*out);
        *out = NULL;
        plain.draw = NULL;
        plain.weigh = NULL;
        return bnre__diagnose(&plain, pairs, opts, out);
    }
    if ((*out)->grid == BNRE_DIAG_CELLS || (*out)->grid == BNRE_DIAG_PAPER ||
        (*out)->grid == BNRE_DIAG_DRAWS)
        return BNRE_OK; /* these are as they were asked for */
    status = look_closer(density, pairs, opts, out);
    if (status != BNRE_OK && status != BNRE_EINTR) {
        bnre_diag_destroy(*out);
        *out = NULL;
    }
    return status;
}
