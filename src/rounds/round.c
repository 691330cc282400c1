/* round.c - simulate where the posterior is, train again, and so on (the prior
   cut to a region, as in Miller and others 2021 and in Deistler, Goncalves and
   Macke 2022).

   Each round has an equal share of the simulations. After a round its estimator
   proposes a region (region.h) for the next. It is taken if it has at most four
   fifths of what the present one has of the prior: otherwise the round knew too
   little, the next simulations join those there are, and the proposal is made
   again. Regions lie in each other. Where the posterior presses against an end
   of its region that is no bound of the prior, the region was too small: the
   next round begins anew from the region before it, made ten times wider in
   alpha and half as wide again in width.

   The rounds end when the simulations are used up; where a region no longer
   shrinks, its round has all that are left. That the posterior
   has not changed is no reason to leave any out: two rounds agree as soon as
   their errors are alike (docs/infer.md). An observation far from all simulations
   of the first round has no posterior to cut to: the rest is then simulated
   from the whole prior.

   Can a simulation influence its own rank? A row checks in the rounds whose
   region was fixed before it was made, and is ranked by networks that have not
   seen its fold. What these depend on:

     region, coordinates   of earlier rounds alone; rows of these inside R teach
                           all folds and check nothing
     weights, best epoch,  of rows outside the fold, by networks that begin
     scalers               anew in each round: none of an earlier round, which
                           may have seen the row in another fold, is gone on with
     depth, rate, level    constants; the level is for the next region, whose
                           rows are not made yet
     widths                one factor for all, by the ranks themselves: that is
                           what cross-checking is, and says (trust/cross.c)
     how many rows         of earlier rounds alone

   What is left: a row of a region that is kept, as no smaller one was proposed,
   checks again in the next round, and it was one of those that led to the
   proposal. Its region is older than the row all the same; what is conditioned on
   is that all rows together proposed more than four fifths of it. */
#include "rounds/round.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/density.h"
#include "bnre/estimator.h"
#include "infer/estimator/restricted.h"
#include "io/file.h"

/* A region is taken if it has at most this share of the one before. */
static const double SHRINKS = 0.8;
/* An observation that is outside what was simulated by this share of the range
   is unlike it. */
static const double UNLIKE = 0.25;

/* A posterior as dense as this at the border of its region, 1 being uniform, is
   cut off there; and how much wider densities make the next. */
static const double AT_BORDER = 0.5, WIDER = 1.5;

/* Truths of a round are outside their own regions this many times less often,
   on average, than what is told may be cut off: regions of 19 in 20 observations
   then hold what is told (docs/infer.md). */
static const double OFTEN = 5;

enum { DRAWS = 2000 };

static void clear_round(bnre__round *round)
{
    bnre__region_destroy(round->region);
    for (size_t k = 0; k < round->files; k++)
        bnre__free(round->simulated[k].path);
    bnre__free(round->maker);
    bnre__free(round->estimator);
}

/* ---- simulations ---- */

/* That are not made yet. */
static size_t left_of(const bnre__infer *infer, const bnre__round *round)
{
    const size_t all = infer->settings->simulations;
    size_t used = 0;

    for (size_t k = 0; k < round->files; k++)
        used += round->simulated[k].rows;
    return all > used ? all - used : 0;
}

/* New ones of this round: equal shares, all that are left in the last. (Half of
   all for the last round was worse: small early rounds cut less off.) */
static size_t share_of(const bnre__infer *infer, const bnre__round *round,
                       size_t last)
{
    const size_t left = left_of(infer, round);

    if (round->number == 1 && last > 1) {
        const size_t first = infer->settings->simulations / last;

        return first > infer->given_rows ? first - infer->given_rows : 0;
    }
    return left / (last - round->number + 1);
}

static bnre_status add_file(bnre__round *round, const char *path, size_t rows)
{
    BNRE_DO(bnre__strdup(path, &round->simulated[round->files].path));
    round->simulated[round->files].epoch = round->epoch;
    round->simulated[round->files++].rows = rows;
    return BNRE_OK;
}

/* How many of them failed, that came with this round: of its own file, and in
   the first round of the given one. */
static bnre_status record_failed(const bnre__round *round, bnre__json *record)
{
    bnre_status status = BNRE_OK;
    size_t failed = 0;

    for (size_t k = round->number > 1 ? round->files - 1 : 0; k < round->files;
         k++) {
        bnre_dataset *data = NULL;

        BNRE_TRY(bnre_dataset_open(round->simulated[k].path, &data));
        failed += bnre_dataset_describe(data)->failed;
        bnre_dataset_close(data);
    }
    if (failed > 0)
        BNRE_TRY(bnre__json_size(record, "failed", failed));
done:
    return status;
}

/* `count` simulations of the prior, or of what the region has of it: theta
   (count, dim). */
static bnre_status simulate(bnre__infer *infer, bnre__round *round,
                            size_t count, const double *theta,
                            const bnre_monitor *monitor)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (count == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__infer_path(infer, round->number, "simulations.h5", &path));
    BNRE_TRY(bnre__infer_simulate(infer, round->number, count, theta, monitor,
                                  path));
    BNRE_TRY(add_file(round, path, count));
done:
    bnre__free(path);
    return status;
}

/* ---- regions ---- */

/* The estimator that makes the next region, *path being its file: the last one,
   or if its region was too small the one that made that, with wider densities.
   The caller frees *path. */
static bnre_status find_maker(const bnre__infer *infer,
                              const bnre__round *round, char **path,
                              bnre_estimator **out)
{
    bnre_status status = BNRE_OK;
    double widen;

    if (!round->cut_off) {
        BNRE_DO(bnre__strdup(round->estimator, path));
        return bnre_estimator_open(*path, out);
    }
    BNRE_TRY(bnre__infer_path(infer, round->number, "maker.h5", path));
    BNRE_TRY(bnre_estimator_open(round->maker, out));
    widen = WIDER * bnre_estimator_describe(*out)->widen;
    BNRE_TRY(bnre_estimator_set_widen(*out, fmin(widen, 100)));
    BNRE_TRY(bnre__make_parents(*path));
    BNRE_TRY(bnre_estimator_save(*out, *path, 1));
done:
    return status;
}

/* A new region; simulations of one that was too small are no draws of it. */
static void take_region(bnre__round *round, bnre__region *region, char *maker)
{
    for (size_t k = 0; round->cut_off && k < round->files; k++)
        round->simulated[k].dropped |=
            round->simulated[k].epoch == round->epoch;
    if (round->cut_off)
        round->alpha -= round->region->alpha;
    bnre__region_destroy(round->region);
    bnre__free(round->maker);
    round->region = region;
    round->maker = maker;
    round->epoch++;
    round->alpha += region->alpha;
    round->cut_off = 0;
}

static bnre_status record_draws(const bnre__region_draws *how,
                                bnre__json *record)
{
    BNRE_DO(bnre__json_real(record, "acceptance", how->acceptance));
    BNRE_DO(bnre__json_size(record, "proposals", how->proposals));
    BNRE_DO(bnre__json_size(record, "raised", how->raised));
    return bnre__json_flag(record, "chain", how->chain);
}

/* Take what the last estimator proposes, or stay. theta (*count, dim) are draws
   of the prior within the region that holds then, if there is one. Where that
   is the same as before, more rounds bring nothing: this one has all simulations
   that are left, for which theta has room. */
static bnre_status choose_region(bnre__infer *infer, bnre__round *round,
                                 double alpha, size_t *count, double *theta,
                                 bnre__json *record)
{
    const double before = round->region != NULL ? round->region->share : 1;
    const uint64_t seed = infer->request->seed + round->number;
    bnre_pool *pool = infer->request->pool;
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre__region *region = NULL;
    bnre__region_draws how;
    char *maker = NULL;
    int taken;

    BNRE_TRY(bnre__json_flag(record, "redone", round->cut_off));
    BNRE_TRY(find_maker(infer, round, &maker, &est));
    if (round->cut_off)
        round->level = round->region->level / 10;
    status = bnre__region_create(est, infer->observed.x, round->level, &region);
    est = NULL;
    BNRE_TRY(status);
    region->alpha = alpha;
    BNRE_TRY(bnre__region_settle(region, seed));
    BNRE_TRY(bnre__region_draw(region, pool, seed, *count, theta, &how));
    taken = round->cut_off || region->share <= SHRINKS * before;
    BNRE_TRY(bnre__json_flag(record, "cut", taken));
    BNRE_TRY(bnre__json_real(record, "proposed", region->share));
    if (taken) {
        take_region(round, region, maker);
        region = NULL;
        maker = NULL;
    } else if (round->region != NULL) {
        *count = left_of(infer, round);
        BNRE_TRY(
            bnre__region_draw(round->region, pool, seed, *count, theta, &how));
    }
    if (round->region != NULL)
        BNRE_TRY(record_draws(&how, record));
done:
    bnre_estimator_close(est);
    bnre__free(maker);
    bnre__region_destroy(region);
    return status;
}

/* ---- what a round brought ---- */

/* KL(q' || q) of the posterior of the observation: from draws of the new one,
   q' being that of `now`, q of `before`. Values outside a region count as far
   as 50 nats. */
static bnre_status divergence(const bnre__infer *infer, const char *before,
                              const char *now, double *out, double *error)
{
    const char *const path[2] = {now, before};
    const size_t dim = bnre_prior_dim(bnre_task_prior(infer->task));
    bnre_status status = BNRE_OK;
    double *theta = NULL, *l[2] = {NULL, NULL}, sum = 0, square = 0;

    BNRE_NEW(theta, DRAWS * dim);
    for (int k = 0; k < 2; k++) {
        bnre_estimator *est = NULL;
        bnre_session *session = NULL;
        bnre_density density;

        BNRE_NEW(l[k], DRAWS);
        status = bnre_estimator_open(path[k], &est);
        if (status == BNRE_OK) {
            density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
            status =
                bnre_session_open(&density, infer->request->pool, &session);
        }
        if (status == BNRE_OK)
            status = bnre_session_observe(session, 1, infer->observed.x);
        if (status == BNRE_OK && k == 0)
            status = bnre_session_draw(session, infer->request->seed, 0, DRAWS,
                                       theta);
        if (status == BNRE_OK)
            status = bnre_session_log_ratio(session, DRAWS, theta, l[k], NULL);
        bnre_session_close(session);
        bnre_estimator_close(est);
        BNRE_TRY(status);
    }
    for (size_t i = 0; i < DRAWS; i++) {
        const double d = fmin(l[0][i] - l[1][i], 50);

        sum += d;
        square += d * d;
    }
    *out = sum / DRAWS;
    *error = sqrt(fmax(square / DRAWS - *out * *out, 0) / DRAWS);
done:
    bnre__free(l[1]);
    bnre__free(l[0]);
    bnre__free(theta);
    return status;
}

/* How dense the posterior of the observation is at the border of its region. */
static bnre_status look_at_border(const bnre__infer *infer,
                                  const bnre__round *round, const char *path,
                                  double *out)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(infer->task));
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_session *session = NULL;
    bnre__region_room *room = NULL;
    bnre_density density;
    double *theta = NULL, *u = NULL, *log_w = NULL;

    *out = 0;
    if (round->region == NULL)
        return BNRE_OK;
    BNRE_NEW(theta, DRAWS * dim);
    BNRE_NEW(u, DRAWS * dim);
    BNRE_NEW(log_w, DRAWS);
    BNRE_TRY(bnre_estimator_open(path, &est));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    BNRE_TRY(bnre_session_open(&density, infer->request->pool, &session));
    BNRE_TRY(bnre_session_observe(session, 1, infer->observed.x));
    BNRE_TRY(bnre_session_draw(session, infer->request->seed, 0, DRAWS, theta));
    BNRE_TRY(bnre__region_room_open(round->region, &room));
    BNRE_TRY(bnre__region_places(room, DRAWS, theta, u, log_w));
    *out = bnre__region_border(room);
done:
    bnre__region_room_close(room);
    bnre_session_close(session);
    bnre_estimator_close(est);
    bnre__free(log_w);
    bnre__free(u);
    bnre__free(theta);
    return status;
}

/* ---- one round ---- */

/* From simulations to an estimator of theta. */
static bnre_status learn(bnre__infer *infer, bnre__round *round, double alpha,
                         const bnre_monitor *monitor, bnre__json *record)
{
    bnre_status status = BNRE_OK;
    char *data = NULL, *inner = NULL, *path = NULL;
    bnre__round_outside outside;
    double border, change, error;

    if (round->region == NULL && round->files == 1 && infer->given == NULL) {
        BNRE_TRY(bnre__strdup(round->simulated[0].path, &data));
        round->learned = round->simulated[0].rows;
    } else {
        BNRE_TRY(bnre__infer_path(infer, round->number, "data.h5", &data));
        BNRE_TRY(bnre__make_parents(data)); /* perhaps nothing was simulated */
        BNRE_TRY(bnre__round_gather(infer, round, data));
    }
    BNRE_TRY(bnre__infer_path(infer, round->number, "estimator.h5", &path));
    BNRE_TRY(bnre__infer_path(
        infer, round->number,
        round->region != NULL ? "places.h5" : "estimator.h5", &inner));
    BNRE_TRY(bnre__infer_train(infer, round->number, data, round->teach,
                               monitor, inner));
    if (round->region != NULL)
        BNRE_TRY(
            bnre__estimator_dress(inner, round->region, round->maker, path));
    BNRE_TRY(bnre__json_size(record, "learned", round->learned));
    BNRE_TRY(bnre__json_size(record, "earlier", round->teach));
    if (alpha > 0) {
        BNRE_TRY(bnre__round_level(inner, data, round->teach, alpha / OFTEN,
                                   &outside));
        round->level = outside.level;
        BNRE_TRY(bnre__json_real(record, "alpha", alpha));
        BNRE_TRY(bnre__json_real(record, "level", outside.level));
        BNRE_TRY(bnre__json_size(record, "truths", outside.looked));
        BNRE_TRY(bnre__json_size(record, "outside", outside.outside));
        BNRE_TRY(bnre__json_real(record, "outside_bound", outside.bound));
    }
    BNRE_TRY(look_at_border(infer, round, path, &border));
    BNRE_TRY(bnre__json_real(record, "border", border));
    round->cut_off = border > AT_BORDER;
    if (round->number > 1) {
        BNRE_TRY(divergence(infer, round->estimator, path, &change, &error));
        /* From the posterior before within the region, which holds 1 - level
           of it: what is cut off is no news. */
        if (bnre__json_flag_of(record, "cut"))
            change = fmax(change + log1p(-round->region->level), 0);
        BNRE_TRY(bnre__json_real(record, "change", change));
        BNRE_TRY(bnre__json_real(record, "change_error", error));
    }
    bnre__free(round->estimator);
    round->estimator = path;
    path = NULL;
done:
    bnre__free(path);
    bnre__free(inner);
    bnre__free(data);
    return status;
}

/* Whether the observation is far from all simulations. */
static bnre_status is_unlike(bnre__infer *infer, const bnre__round *round,
                             int *unlike)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_estimator_outside outside;
    double far;

    BNRE_TRY(bnre_estimator_open(round->estimator, &est));
    outside = bnre_estimator_compare_x(est, infer->observed.x);
    far = outside.value < outside.low ? outside.low - outside.value
                                      : outside.value - outside.high;
    *unlike =
        outside.count > 0 && !(far <= UNLIKE * (outside.high - outside.low));
    if (*unlike)
        BNRE_TRY(bnre__infer_warn(
            infer,
            "the observation is far from all simulations of round 1 (value %zu "
            "is %g, simulated were %g to %g): the simulator or the prior may "
            "be "
            "wrong. The prior is not cut to where such data would come from; "
            "all further simulations are of the whole prior",
            outside.worst, outside.value, outside.low, outside.high));
done:
    bnre_estimator_close(est);
    return status;
}

static bnre_status next_round(bnre__infer *infer, bnre__round *round,
                              size_t last, int whole, bnre__json *record)
{
    const size_t dim = bnre_prior_dim(bnre_task_prior(infer->task));
    const double alpha =
        last > 1 ? infer->settings->alpha / (double)(last - 1) : 0;
    const double from = (double)(round->number - 1) / (double)last * 0.9;
    const double part = 0.9 / (double)last;
    size_t count = share_of(infer, round, last);
    bnre_status status = BNRE_OK;
    double *theta = NULL;

    BNRE_NEW(theta, left_of(infer, round) * dim);
    if (round->number > 1 && !whole)
        BNRE_TRY(choose_region(infer, round, alpha, &count, theta, record));
    BNRE_TRY(bnre__json_size(record, "simulated", count));
    BNRE_TRY(bnre__json_real(record, "share",
                             round->region != NULL ? round->region->share : 1));
    BNRE_TRY(simulate(infer, round, count, round->region != NULL ? theta : NULL,
                      bnre__infer_enter(infer, from, from + 0.3 * part,
                                        round->number, "simulate")));
    if (count > 0 || round->number == 1)
        BNRE_TRY(record_failed(round, record));
    BNRE_TRY(learn(infer, round, round->number < last && !whole ? alpha : 0,
                   bnre__infer_enter(infer, from + 0.3 * part, from + part,
                                     round->number, "train"),
                   record));
done:
    bnre__free(theta);
    return status;
}

bnre_status bnre__infer_rounds(bnre__infer *infer, char **estimator)
{
    bnre__round round = {0};
    bnre_status status = BNRE_OK;
    bnre__json *list, *record;
    size_t last = infer->rounds;
    int whole = 0;

    BNRE_TRY(bnre__json_list(infer->record, "rounds", &list));
    if (infer->given != NULL)
        BNRE_TRY(add_file(&round, infer->settings->data, infer->given_rows));
    for (round.number = 1; round.number <= last; round.number++) {
        BNRE_TRY(bnre__json_object(list, NULL, &record));
        if (round.number == 1)
            BNRE_TRY(bnre__json_size(record, "given", infer->given_rows));
        BNRE_TRY(next_round(infer, &round, last, whole, record));
        if (infer->rounds > 1)
            BNRE_TRY(bnre__infer_tell_round(infer, record, round.number - 1));
        if (round.number == 1 && last > 1)
            BNRE_TRY(is_unlike(infer, &round, &whole));
        if (whole && last > 2)
            last = 2; /* all that is left, at once */
        if (round.number < last && left_of(infer, &round) == 0) {
            BNRE_TRY(bnre__json_text(infer->record, "stopped",
                                     "the region no longer shrinks"));
            break;
        }
    }
    if (round.cut_off)
        BNRE_TRY(bnre__infer_warn(
            infer,
            "the posterior presses against the border of its region, and no "
            "simulations are left to make that wider: what lies beyond is cut "
            "off. Use more simulations, fewer rounds or a smaller `alpha`"));
    BNRE_TRY(bnre__json_real(infer->record, "alpha", round.alpha));
    *estimator = round.estimator;
    round.estimator = NULL;
done:
    clear_round(&round);
    return status;
}
