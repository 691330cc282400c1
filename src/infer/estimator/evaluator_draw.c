/* evaluator_draw.c - draws of conditional densities, and what is known of them
   afterwards.

   The networks of the member that made a draw have been at it: its log ratio is
   what an evaluation would find, to the last bit, and needs none. So of the
   draws of bnre__evaluator_draw_many() each member evaluates only those of the
   others, and all members what is no draw: in all one pass of each member's
   networks for a draw and its log ratio. That theta, which is made of a
   coordinate, has this coordinate as a float is checked: the few that do not
   round so are evaluated by all. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/evaluator.h"
#include "num/streams.h"
#include "prior/prior.h"

/* Draws that are still to be made: an ensemble is the mixture of its members, so
   each draw takes one of them by chance, and again where the constraints of the
   prior reject it. */
struct draws {
    size_t n;
    size_t *row;      /* (block): where the draw goes, */
    uint32_t *x;      /* of which x it is, */
    uint32_t *member; /* and whose */
    bnre_rng *rng;
};

static bnre_status init_draws(struct draws *draws, size_t block)
{
    bnre_status status = BNRE_OK;

    BNRE_NEW(draws->row, block);
    BNRE_NEW(draws->x, block);
    BNRE_NEW(draws->member, block);
    BNRE_NEW(draws->rng, block);
done:
    return status;
}

static void clear_draws(struct draws *draws)
{
    bnre__free(draws->rng);
    bnre__free(draws->member);
    bnre__free(draws->x);
    bnre__free(draws->row);
}

static void add_draw(struct draws *draws, size_t row, uint32_t x,
                     const bnre_rng *rng)
{
    draws->row[draws->n] = row;
    draws->x[draws->n] = x;
    draws->rng[draws->n++] = *rng;
}

/* Those of a member, in their order. */
static void take_draws(const struct draws *waiting, uint32_t member,
                       struct draws *own)
{
    own->n = 0;
    for (size_t i = 0; i < waiting->n; i++)
        if (waiting->member[i] == member)
            add_draw(own, waiting->row[i], waiting->x[i], &waiting->rng[i]);
}

enum { NOBODY = UINT32_MAX };

/* What a member says of its draws, for later. */
static void keep_draws(bnre__evaluator *eval, const struct draws *own,
                       uint32_t k, const float *c, const float *l)
{
    const size_t dim = eval->est->info.dim_theta;
    bnre__known *known = &eval->known;

    for (size_t i = 0; i < own->n; i++) {
        const size_t row = own->row[i];
        float *of_theta = known->c + row * dim;
        int same = 1;

        memcpy(known->theta + row * dim, eval->drawn + i * dim,
               dim * sizeof *known->theta);
        bnre__evaluator_scale(eval, eval->drawn + i * dim, of_theta);
        for (size_t d = 0; d < dim; d++)
            same &= of_theta[d] == c[i * dim + d];
        known->member[row] = same ? k : NOBODY;
        known->l[row] = l[i];
    }
}

/* One trial for all that are waiting; those that are rejected wait again, in
   `again`. */
static void try_draws(bnre__evaluator *eval, struct draws *waiting,
                      struct draws *own, struct draws *again, int keep,
                      double *theta)
{
    const bnre_estimator *est = eval->est;
    const size_t dim = est->info.dim_theta;
    float *const c = keep ? eval->theta : NULL;
    float *const l = keep ? eval->logit : NULL;

    for (size_t i = 0; i < waiting->n; i++)
        waiting->member[i] =
            (uint32_t)bnre_rng_below(&waiting->rng[i], eval->members);
    again->n = 0;
    for (size_t k = 0; k < eval->members; k++) {
        take_draws(waiting, (uint32_t)k, own);
        if (own->n > 0)
            bnre__conditional_draw(est->conditional, eval->chain[k],
                                   eval->widen, &eval->room, own->n, own->x,
                                   own->rng, eval->drawn, c, l);
        if (keep)
            keep_draws(eval, own, (uint32_t)k, c, l);
        for (size_t i = 0; i < own->n; i++) {
            const double *one = eval->drawn + i * dim;

            memcpy(theta + own->row[i] * dim, one, dim * sizeof *theta);
            if (bnre_prior_log_density(est->conditional->prior, one) ==
                -HUGE_VAL)
                add_draw(again, own->row[i], own->x[i], &own->rng[i]);
        }
    }
}

/* Draws first, first + 1, ... with a seed for each x, n of each. */
static bnre_status draw_all(bnre__evaluator *eval, const uint64_t *seed,
                            uint64_t first, size_t n, int keep, double *theta)
{
    enum { TRIALS = 1000 };
    const size_t all = eval->observed * n;
    bnre_status status = BNRE_OK;
    struct draws part[3] = {{0}}, *waiting = &part[0], *again = &part[1];

    if (eval->drawn == NULL)
        BNRE_NEW(eval->drawn, eval->block * eval->est->info.dim_theta);
    for (size_t i = 0; i < 3; i++)
        BNRE_TRY(init_draws(&part[i], all < eval->block ? all : eval->block));
    for (size_t done = 0, rows; done < all; done += rows) {
        rows = all - done < eval->block ? all - done : eval->block;
        waiting->n = 0;
        for (size_t i = done; i < done + rows; i++) {
            const bnre_rng rng = bnre_rng_stream(
                seed[i / n], bnre__purpose(BNRE_USE_DRAW, BNRE_SPLIT_TEST),
                first + i % n);

            add_draw(waiting, i, (uint32_t)(i / n), &rng);
        }
        for (int trial = 0; waiting->n > 0 && trial < TRIALS; trial++) {
            struct draws *const before = waiting;

            try_draws(eval, waiting, &part[2], again, keep, theta);
            waiting = again;
            again = before;
        }
        if (waiting->n > 0)
            BNRE_THROW(BNRE_ENUM,
                       "none of %d draws of the posterior fulfils the "
                       "constraints of the prior: it was not learned that they "
                       "hold; more simulations may help",
                       TRIALS);
    }
done:
    for (size_t i = 0; i < 3; i++)
        clear_draws(&part[i]);
    return status;
}

bnre_status bnre__evaluator_draw(bnre__evaluator *eval, uint64_t seed,
                                 uint64_t first, size_t n, double *theta)
{
    return draw_all(eval, &seed, first, n, 0, theta);
}

/* ---- what is known ---- */

enum { MOST_KNOWN = 1 << 14, NONE = UINT32_MAX };

static void forget(bnre__known *known)
{
    bnre__free(known->l);
    bnre__free(known->member);
    bnre__free(known->c);
    bnre__free(known->theta);
    known->l = NULL;
    known->member = NULL;
    known->c = NULL;
    known->theta = NULL;
    known->n = 0;
}

static bnre_status make_room(bnre__known *known, size_t all, size_t dim)
{
    bnre_status status = BNRE_OK;

    forget(known);
    BNRE_NEW(known->theta, all * dim);
    BNRE_NEW(known->c, all * dim);
    BNRE_NEW(known->member, all);
    BNRE_NEW(known->l, all);
done:
    return status;
}

bnre_status bnre__evaluator_draw_many(bnre__evaluator *eval,
                                      const uint64_t *seed, size_t n,
                                      double *theta)
{
    const size_t all = eval->observed * n, dim = eval->est->info.dim_theta;
    const int keep = all <= MOST_KNOWN && eval->est->fold_theta == NULL;

    if (keep)
        BNRE_DO(make_room(&eval->known, all, dim));
    BNRE_DO(draw_all(eval, seed, 0, n, keep, theta));
    eval->known.n = keep ? n : 0;
    return BNRE_OK;
}

void bnre__known_clear(bnre__known *known)
{
    forget(known);
    bnre__free(known->answer);
    bnre__free(known->theta_c);
    bnre__free(known->index);
    bnre__free(known->row);
    bnre__free(known->at);
    *known = (bnre__known){0};
}

static bnre_status make_room_to_ask(bnre__evaluator *eval)
{
    bnre__known *known = &eval->known;
    bnre_status status = BNRE_OK;

    if (known->answer != NULL)
        return BNRE_OK;
    BNRE_NEW(known->at, eval->block);
    BNRE_NEW(known->row, eval->block);
    BNRE_NEW(known->index, eval->block);
    BNRE_NEW(known->theta_c, eval->block * eval->est->info.dim_theta);
    BNRE_NEW(known->answer, BNRE__EVALUATOR_WIDTHS * eval->block);
done:
    return status;
}

/* The draw of x number i that is this theta, likely to be number `likely`: draws
   are asked about in their order, but that others stand in the place of some. */
static uint32_t find_draw(const bnre__evaluator *eval, size_t i, size_t likely,
                          const double *theta, size_t *missing)
{
    const bnre__known *known = &eval->known;
    const size_t dim = eval->est->info.dim_theta, n = known->n;
    const double *drawn = known->theta + i * n * dim;

    if (likely < n &&
        memcmp(drawn + likely * dim, theta, dim * sizeof *theta) == 0)
        return (uint32_t)(i * n + likely);
    if (*missing < n &&
        memcmp(drawn + *missing * dim, theta, dim * sizeof *theta) == 0)
        return (uint32_t)(i * n + *missing);
    if (likely < n && *missing == n)
        *missing = likely;
    return NONE;
}

bnre_status bnre__evaluator_find(bnre__evaluator *eval, size_t rows,
                                 const double *theta, size_t first, size_t n,
                                 int look)
{
    const bnre_estimator *est = eval->est;
    const size_t dim = est->info.dim_theta;
    bnre__known *known = &eval->known;
    size_t missing = known->n;

    BNRE_DO(make_room_to_ask(eval));
    for (size_t i = 0; i < n; i++) {
        const size_t row = first + i;

        eval->index[i] = (uint32_t)(row / rows);
        known->at[i] = NONE;
        if (row % rows == 0)
            missing = known->n;
        if (look && known->n > 0)
            known->at[i] = find_draw(eval, row / rows, row % rows,
                                     theta + row * dim, &missing);
        if (known->at[i] != NONE)
            memcpy(eval->theta + i * dim, known->c + known->at[i] * dim,
                   dim * sizeof *eval->theta);
        else
            bnre__evaluator_scale(eval, theta + row * dim,
                                  eval->theta + i * dim);
    }
    return BNRE_OK;
}

void bnre__evaluator_ask(bnre__evaluator *eval, size_t k, size_t n,
                         size_t widths, const double *widen, float *const *l)
{
    const size_t dim = eval->est->info.dim_theta;
    const float *theta = eval->theta;
    bnre__known *known = &eval->known;
    float *answer[BNRE__EVALUATOR_WIDTHS];
    size_t asked = 0;

    for (size_t i = 0; i < n; i++) {
        const uint32_t at = known->at[i];

        if (at != NONE && known->member[at] == k) {
            l[0][i] = known->l[at];
            continue;
        }
        memcpy(known->theta_c + asked * dim, theta + i * dim,
               dim * sizeof *theta);
        known->index[asked] = eval->index[i];
        known->row[asked++] = i;
    }
    for (size_t w = 0; w < widths; w++)
        answer[w] = known->answer + w * eval->block;
    bnre__conditional_widths(eval->est->conditional, eval->chain[k], widths,
                             widen, &eval->room, asked, known->theta_c,
                             known->index, answer);
    for (size_t w = 0; w < widths; w++)
        for (size_t i = 0; i < asked; i++)
            l[w][known->row[i]] = answer[w][i];
}
