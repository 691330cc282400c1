/* scores.c - the score of theta given x, from points that depend on x alone:
   of more than three parameters draws of the posterior itself, where they
   can be had, as points of the prior would miss it. */
#include "trust/scores.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bnre/rng.h"
#include "diag/diag.h"
#include "diag/sight.h"
#include "num/streams.h"
#include "posterior/posterior.h"

/* These numbers and this seed are part of what calibrated files mean, as is all
   that places points. */
enum { DRAWS = 2048, OWN_DRAWS = 1000, LEAST = 32, SEED = 1 };
enum { CHUNK = 8 }; /* pairs that a thread takes at a time */
static const size_t cells_of[] = {1, 80, 192, 512};
static const double PLACE = 1e-3;

/* Few parameters keep their cells, whose masses are exact; under another prior
   draws have weights, and are no draws of the posterior. */
static int draws_own(const bnre_density *density)
{
    return density->draw != NULL && density->weigh == NULL &&
           bnre__free_parameters(density->prior) > 3;
}

size_t bnre__scorer_points(const bnre_density *density)
{
    const size_t dims = bnre__free_parameters(density->prior);

    if (draws_own(density))
        return OWN_DRAWS;
    return bnre_prior_has_density(density->prior)
               ? cells_of[dims < 3 ? dims : 3]
               : DRAWS;
}

bnre_status bnre__scorer_init(bnre__scorer *scorer, const bnre_density *density)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre_session_open(density, NULL, &scorer->session));
    scorer->own = draws_own(density) ? OWN_DRAWS : 0;
    if (bnre_prior_has_density(density->prior) && !scorer->own)
        BNRE_TRY(bnre__cells_create(
            density->prior, bnre__scorer_points(density), 0, &scorer->cells));
    BNRE_NEW(scorer->theta, DRAWS * bnre_prior_dim(density->prior));
    BNRE_NEW(scorer->log_prior, DRAWS);
    BNRE_NEW(scorer->log_mass, DRAWS);
    BNRE_NEW(scorer->log_ratio, DRAWS);
    BNRE_NEW(scorer->weight, DRAWS);
    if (!bnre_prior_has_density(density->prior) && !scorer->own)
        BNRE_NEW(scorer->row, DRAWS);
    BNRE_NEW(scorer->point, DRAWS);
done:
    return status;
}

void bnre__scorer_draws(bnre__scorer *scorer, size_t draws)
{
    if (scorer->own > 0 && draws > 0 && draws < DRAWS)
        scorer->own = draws;
}

void bnre__scorer_clear(bnre__scorer *scorer)
{
    bnre__free(scorer->point);
    bnre__free(scorer->row);
    bnre__free(scorer->weight);
    bnre__free(scorer->log_ratio);
    bnre__free(scorer->log_mass);
    bnre__free(scorer->log_prior);
    bnre__free(scorer->theta);
    bnre__cells_destroy(scorer->cells);
    bnre_session_close(scorer->session);
    *scorer = (bnre__scorer){0};
}

static bnre_status place_own(bnre__scorer *scorer, bnre_rng *rng)
{
    const bnre_prior *prior = bnre__session_density(scorer->session)->prior;
    const size_t dim = bnre_prior_dim(prior);

    scorer->placed = 0;
    BNRE_DO(bnre_session_draw(scorer->session, bnre_rng_u64(rng), 0,
                              scorer->own, scorer->theta));
    for (size_t k = 0; k < scorer->own; k++)
        scorer->log_prior[k] =
            bnre__scorer_prior(prior, scorer->theta + k * dim);
    scorer->placed = scorer->own;
    return BNRE_OK;
}

/* What draws of the posterior stand for of the prior, so that they weigh the
   same. */
static void set_own_masses(bnre__scorer *scorer)
{
    const double *l = scorer->log_ratio;

    for (size_t k = 0; k < scorer->placed; k++)
        scorer->log_mass[k] = l[k] > -HUGE_VAL ? -l[k] : 0;
}

/* Draws of the posterior; or points in cells that follow it; or draws of the
   prior where it has no density, or so many constraints that next to no point
   satisfies them. */
static bnre_status place(bnre__scorer *scorer, bnre_rng *rng)
{
    const bnre_prior *prior = bnre__session_density(scorer->session)->prior;
    const size_t dim = bnre_prior_dim(prior);
    size_t evaluations = 0;

    if (scorer->own)
        return place_own(scorer, rng);
    scorer->placed = 0;
    if (scorer->cells != NULL) {
        BNRE_DO(bnre__cells_fit(scorer->cells, scorer->session, &evaluations));
        scorer->placed =
            bnre__cells_draw_all(scorer->cells, rng, 0, scorer->theta,
                                 scorer->log_mass, scorer->log_prior, NULL);
    }
    scorer->drawn = scorer->placed < LEAST;
    if (!scorer->drawn)
        return BNRE_OK;
    for (size_t k = 0; k < DRAWS; k++) {
        bnre_prior_draw(prior, rng, scorer->theta + k * dim);
        scorer->log_prior[k] =
            bnre__scorer_prior(prior, scorer->theta + k * dim);
        scorer->log_mass[k] = 0;
    }
    scorer->placed = DRAWS;
    return BNRE_OK;
}

static int denser_first(const void *a, const void *b)
{
    const bnre__scored *x = a, *y = b;

    if (x->log_density != y->log_density)
        return x->log_density < y->log_density ? 1 : -1;
    /* Equal densities add up the same in any order of their weights only if
       that order is always the same. */
    return (x->score < y->score) - (x->score > y->score);
}

/* The score of each point from its weight: the mass of those before it and half
   its own, as of what it stands for one half is denser; ties count whole. And a
   little of its place among them, so that scores grow also where no mass is
   left. O(n log n), and then a binary search for the score of a theta. */
static void score_points(bnre__scorer *scorer)
{
    bnre__scored *point = scorer->point;
    size_t n = 0;
    double sum = 0;

    qsort(point, scorer->n, sizeof *point, denser_first);
    for (size_t i = 0; i < scorer->n; i++) {
        const double weight = point[i].score;
        const int tied =
            i > 0 && point[i].log_density == point[n - 1].log_density;

        sum += weight;
        n += !tied;
        point[n - 1].log_density = point[i].log_density;
        point[n - 1].score = tied ? sum : sum - weight / 2;
    }
    scorer->n = n;
    for (size_t i = 0; i < n; i++)
        point[i].score = (1 - PLACE) * (point[i].score / sum) +
                         PLACE / 2 * ((double)(i + 1) / (double)n);
}

bnre_status bnre__scorer_observe(bnre__scorer *scorer, const double *x)
{
    const size_t size = bnre__session_density(scorer->session)->x_size;
    bnre_rng rng = bnre_rng_stream(
        SEED, bnre__purpose(BNRE_USE_SCORES, BNRE_SPLIT_CALIBRATE),
        bnre__hash_floats(x, size));
    const double *l = scorer->log_ratio;
    double top = -HUGE_VAL;

    BNRE_DO(bnre_session_observe(scorer->session, 1, x));
    BNRE_DO(place(scorer, &rng));
    BNRE_DO(bnre_session_log_ratio(scorer->session, scorer->placed,
                                   scorer->theta, scorer->log_ratio, NULL));
    if (scorer->own)
        set_own_masses(scorer);
    for (size_t i = 0; i < scorer->placed; i++)
        top = fmax(top, l[i] + scorer->log_mass[i]);
    if (top == -HUGE_VAL)
        return bnre_fail(BNRE_ENUM, "the log ratio is -inf everywhere");
    scorer->n = 0;
    scorer->top = top;
    for (size_t i = 0; i < scorer->placed; i++) {
        scorer->weight[i] = exp(l[i] + scorer->log_mass[i] - top);
        if (l[i] > -HUGE_VAL)
            scorer->point[scorer->n++] =
                (bnre__scored){scorer->log_prior[i] + l[i], scorer->weight[i]};
    }
    score_points(scorer);
    return BNRE_OK;
}

double bnre__scorer_ess(bnre__scorer *scorer, const double *theta,
                        double log_ratio)
{
    const size_t dim =
        bnre_prior_dim(bnre__session_density(scorer->session)->prior);
    double sum = 0, squares = 0, own = -HUGE_VAL, top, rest;

    if (scorer->row != NULL) {
        const size_t rows = bnre__distinct_rows(
            scorer->placed, dim, scorer->theta, scorer->weight, scorer->row);

        for (size_t i = 0; i < rows; i++) {
            sum += scorer->row[i].weight;
            squares += scorer->row[i].weight * scorer->row[i].weight;
        }
    } else {
        for (size_t i = 0; i < scorer->placed; i++) {
            sum += scorer->weight[i];
            squares += scorer->weight[i] * scorer->weight[i];
        }
    }
    if (theta != NULL && scorer->own)
        own = 0;
    else if (theta != NULL)
        own =
            log_ratio - scorer->top +
            (scorer->drawn ? 0
                           : bnre__cells_log_mass(
                                 scorer->cells,
                                 bnre__cells_find(scorer->cells, theta, NULL)));
    top = fmax(own, 0);
    own = exp(own - top);
    rest = exp(-top);
    sum = rest * sum + own;
    return sum * sum / (rest * rest * squares + own * own);
}

double bnre__scorer_score(const bnre__scorer *scorer, double log_density)
{
    const bnre__scored *point = scorer->point;
    size_t low = 0, high = scorer->n; /* how many are at least as dense */
    double part;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (point[middle].log_density >= log_density)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return point[0].score / (1 + log_density - point[0].log_density);
    if (low == scorer->n)
        return 1 - (1 - point[low - 1].score) /
                       (1 + point[low - 1].log_density - log_density);
    part = (point[low - 1].log_density - log_density) /
           (point[low - 1].log_density - point[low].log_density);
    return point[low - 1].score +
           part * (point[low].score - point[low - 1].score);
}

double bnre__scorer_threshold(const bnre__scorer *scorer, double qhat)
{
    const bnre__scored *point = scorer->point;
    const size_t n = scorer->n;
    size_t low = 0; /* points with scores up to qhat */
    double part;

    if (qhat >= 1)
        return -HUGE_VAL;
    while (low < n && point[low].score <= qhat)
        low++;
    /* At the score of a point, exactly its density. */
    if (low == 0)
        return point[0].log_density + (point[0].score / qhat - 1);
    if (low == n)
        return point[n - 1].log_density -
               ((1 - point[n - 1].score) / (1 - qhat) - 1);
    part = (qhat - point[low - 1].score) /
           (point[low].score - point[low - 1].score);
    return point[low - 1].log_density +
           part * (point[low].log_density - point[low - 1].log_density);
}

double bnre__scorer_prior(const bnre_prior *prior, const double *theta)
{
    return bnre_prior_has_density(prior) ? bnre_prior_log_density(prior, theta)
                                         : 0;
}

bnre_status bnre__view_of(bnre_session *session, float *out)
{
    const bnre_prior *prior = bnre__session_density(session)->prior;
    const size_t dim = bnre_prior_dim(prior);
    double log_ratio[BNRE__VIEWS], *theta = NULL;
    bnre_status status = BNRE_OK;

    BNRE_NEW(theta, BNRE__VIEWS * dim);
    for (size_t j = 0; j < BNRE__VIEWS; j++) {
        bnre_rng rng = bnre_rng_stream(
            SEED, bnre__purpose(BNRE_USE_VIEWS, BNRE_SPLIT_CALIBRATE), j);

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

/* ---- many pairs ---- */

struct job {
    const bnre_density *density;
    const double *theta;
    const double *x;
    double *score;        /* (n) */
    float *view;          /* (n, BNRE__VIEWS) or NULL */
    double *ess;          /* (n) or NULL */
    size_t own;           /* draws of a scorer that takes them; 0: the usual */
    bnre__scorer *scorer; /* (threads) */
};

static bnre_status score_some(void *arg, size_t worker, size_t first,
                              size_t last)
{
    const struct job *job = arg;
    const bnre_prior *prior = job->density->prior;
    const size_t dim = bnre_prior_dim(prior), size = job->density->x_size;
    bnre__scorer *scorer = &job->scorer[worker];

    if (scorer->session == NULL) {
        BNRE_DO(bnre__scorer_init(scorer, job->density));
        bnre__scorer_draws(scorer, job->own);
    }
    for (size_t i = first; i < last; i++) {
        const double *theta = job->theta + i * dim;
        double log_ratio;

        BNRE_DO(bnre__scorer_observe(scorer, job->x + i * size));
        BNRE_DO(bnre_session_log_ratio(scorer->session, 1, theta, &log_ratio,
                                       NULL));
        job->score[i] = bnre__scorer_score(
            scorer, bnre__scorer_prior(prior, theta) + log_ratio);
        if (job->ess != NULL)
            job->ess[i] = bnre__scorer_ess(scorer, theta, log_ratio);
        if (job->view != NULL)
            BNRE_DO(
                bnre__view_of(scorer->session, job->view + i * BNRE__VIEWS));
    }
    return BNRE_OK;
}

static bnre_status score_all(struct job *job, size_t n, bnre_pool *pool)
{
    const size_t threads = bnre_pool_threads(pool);
    bnre_status status = BNRE_OK;

    BNRE_NEW(job->scorer, threads);
    /* Without sessions of their own, threads would observe at once. */
    BNRE_TRY(bnre_pool_for(job->density->open != NULL ? pool : NULL, n, CHUNK,
                           score_some, job));
done:
    for (size_t i = 0; job->scorer != NULL && i < threads; i++)
        bnre__scorer_clear(&job->scorer[i]);
    bnre__free(job->scorer);
    return status;
}

bnre_status bnre__score_pairs(const bnre_density *density, size_t own, size_t n,
                              const double *theta, const double *x,
                              bnre_pool *pool, double *score, float *view,
                              double *ess)
{
    struct job job = {.density = density,
                      .own = own,
                      .theta = theta,
                      .x = x,
                      .score = score,
                      .view = view,
                      .ess = ess};

    return score_all(&job, n, pool);
}

/* Regions of posteriors that the points do not resolve mean nothing: the scores
   are the places of single points. The guarantee needs no more, but who reads
   of a region takes it for one. For scores, whose points are part of what they
   mean and cannot be more, a chance of 0.2 is allowed: they decide nothing. */
int bnre__scores_are_blind(size_t n, const double *ess)
{
    return bnre__sight_of(n, ess).chance > BNRE__MOST_CHANCE_STRATA;
}
