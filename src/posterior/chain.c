/* Markov chains for posteriors of many parameters: an annealed start, a
   warm-up in which moves learn, then steps until the chains agree and are
   worth enough. What a step costs is in moves.c. Every step is kept: (dim + 1)
   numbers for each chain. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "num/streams.h"
#include "posterior/anneal.h"
#include "posterior/convergence.h"
#include "posterior/points.h"
#include "posterior/posterior.h"

enum {
    WARM_UP = 100,   /* steps in which sizes are adapted; the moves learn */
    LEARN_FROM = 16, /* from so many of the last, */
    LEARN_EVERY = 3, /* that far apart */
    FIRST_CHECK = 100
};

/* Sums of weights exp(w), kept relative to the largest w so far. */
struct tally {
    double most, sum, squares;
    size_t n;
};

static void tally_add(struct tally *tally, double w)
{
    tally->n++;
    if (w == -HUGE_VAL)
        return;
    if (w > tally->most) {
        const double shrink = exp(tally->most - w);

        tally->sum *= shrink;
        tally->squares *= shrink * shrink;
        tally->most = w;
    }
    tally->sum += exp(w - tally->most);
    tally->squares += exp(2 * (w - tally->most));
}

static double tally_log_mean(const struct tally *tally)
{
    return tally->most + log(tally->sum / (double)tally->n);
}

struct run {
    const bnre_posterior_opts *opts;
    bnre__target target;
    bnre__moves moves;
    bnre__walkers walkers, chains;
    bnre_rng prior_rng, rng;
    size_t stages;

    size_t steps, room;    /* recorded, and room for */
    double *theta;         /* (room, chains, dim) */
    double *ratio;         /* (room, chains) */
    struct tally *after;   /* (room) the weights of leaps up to each step */
    double leaping, local; /* sums over the steps */
};

static bnre_status watch(const struct run *run)
{
    const bnre_monitor *monitor = run->opts->monitor;

    if (monitor != NULL && monitor->progress != NULL &&
        monitor->progress(monitor->context, run->steps, 0, run->opts->steps))
        return bnre_fail(BNRE_EINTR,
                         "interrupted after %zu steps of the "
                         "Markov chains",
                         run->steps);
    return BNRE_OK;
}

/* Chains begin at walkers spread evenly over the population, whose order is
   that of a random choice; sizes of steps are adapted, and the moves learn once
   more, for good. */
static bnre_status warm_up(struct run *run)
{
    const size_t n = run->chains.n, m = run->target.m;
    bnre_status status = BNRE_OK;
    double *seen = NULL;

    BNRE_NEW(seen, LEARN_FROM * n * m);
    for (size_t c = 0; c < n; c++)
        bnre__walkers_copy(&run->target, &run->chains, c, &run->walkers,
                           c * run->walkers.n / n);
    for (size_t s = 0; s < WARM_UP; s++) {
        BNRE_TRY(watch(run));
        BNRE_TRY(bnre__moves_step(&run->moves, &run->chains, 1,
                                  1 / sqrt(1 + (double)s), &run->rng));
        if (s % LEARN_EVERY == 0)
            memcpy(seen + s / LEARN_EVERY % LEARN_FROM * n * m, run->chains.z,
                   n * m * sizeof *seen);
    }
    BNRE_TRY(bnre__moves_learn(&run->moves, LEARN_FROM * n, seen, &run->rng));
done:
    bnre__free(seen);
    return status;
}

static bnre_status make_room(struct run *run, size_t steps)
{
    const size_t n = run->chains.n, dim = run->target.dim;
    size_t theta = run->room * n * dim, ratio = run->room * n;
    size_t after = run->room;
    bnre_status status = BNRE_OK;

    BNRE_GROW(run->theta, theta, steps * n * dim);
    BNRE_GROW(run->ratio, ratio, steps * n);
    BNRE_GROW(run->after, after, steps);
    run->room = steps;
done:
    return status;
}

static bnre_status advance(struct run *run, size_t to)
{
    const size_t n = run->chains.n, dim = run->target.dim;
    struct tally tally = {-HUGE_VAL, 0, 0, 0};

    BNRE_DO(make_room(run, to));
    if (run->steps > 0)
        tally = run->after[run->steps - 1];
    while (run->steps < to) {
        const size_t s = run->steps;

        BNRE_DO(watch(run));
        BNRE_DO(bnre__moves_step(&run->moves, &run->chains, 1, 0, &run->rng));
        memcpy(run->theta + s * n * dim, run->chains.theta,
               n * dim * sizeof *run->theta);
        memcpy(run->ratio + s * n, run->chains.ratio, n * sizeof *run->ratio);
        for (size_t c = 0; c < n; c++)
            tally_add(&tally, run->moves.log_weight[c]);
        run->after[s] = tally;
        run->leaping += run->moves.leaping;
        run->local += run->moves.local;
        run->steps++;
    }
    return BNRE_OK;
}

/* The verdict on the steps so far. */
static bnre_status judge(const struct run *run, bnre_chain_report *report,
                         bnre_convergence *parameter)
{
    const bnre_posterior_opts *opts = run->opts;
    const size_t n = run->chains.n, dim = run->target.dim;
    double bulk = HUGE_VAL, tail = HUGE_VAL;

    report->worst = run->target.free[0];
    for (size_t i = 0; i < dim; i++) {
        BNRE_DO(bnre__convergence(n, run->steps, dim, run->theta + i,
                                  &parameter[i]));
        if (parameter[i].rhat > parameter[report->worst].rhat)
            report->worst = i;
        bulk = fmin(bulk, parameter[i].bulk);
        tail = fmin(tail, parameter[i].tail);
    }
    report->converged = parameter[report->worst].rhat <= opts->rhat &&
                        bulk >= opts->ess && tail >= opts->ess;
    snprintf(report->why, sizeof report->why,
             "%s: R-hat %.3f (%s), %.0f effective draws (%.0f in the tails), "
             "wanted %.3g and %.0f",
             report->converged ? "converged" : "did not converge",
             parameter[report->worst].rhat,
             bnre_prior_name(run->target.prior, report->worst), bulk, tail,
             opts->rhat, opts->ess);
    return BNRE_OK;
}

/* Twice as many steps each time, until chains agree and suffice. So they are
   fewer than twice what it takes, and all judgements together cost about two of
   the last. */
static bnre_status run_chains(struct run *run, bnre_chain_report *report,
                              bnre_convergence *parameter)
{
    const size_t n = run->chains.n, most = run->opts->steps;
    const size_t least = (run->opts->draws + n - 1) / n;
    size_t to = least > FIRST_CHECK ? least : FIRST_CHECK;

    if (to > most)
        to = most;
    for (;;) {
        BNRE_DO(advance(run, to));
        BNRE_DO(judge(run, report, parameter));
        if (report->converged || to == most)
            break;
        to = to > most / 2 ? most : 2 * to;
    }
    report->chains = n;
    report->steps = run->steps;
    report->stages = run->stages;
    report->evaluations = run->target.evaluations;
    report->leaping = run->leaping / (double)run->steps;
    report->local = run->local / (double)run->steps;
    return BNRE_OK;
}

/* Leaps are independent draws of a known density: their weights have the
   evidence as their mean. */
static bnre_evidence evidence_of(const struct run *run,
                                 const bnre_convergence *parameter)
{
    const struct tally *all = &run->after[run->steps - 1];
    const struct tally *half = &run->after[(run->steps - 1) / 2];
    const double n = (double)all->n;
    bnre_evidence evidence = {.log_z = tally_log_mean(all)};

    evidence.change = evidence.log_z - tally_log_mean(half);
    evidence.error =
        sqrt(fmax(n * all->squares / (all->sum * all->sum) - 1, 0) / (n - 1));
    evidence.ess = HUGE_VAL;
    for (size_t i = 0; i < run->target.m; i++)
        evidence.ess = fmin(evidence.ess, parameter[run->target.free[i]].bulk);
    return evidence;
}

/* Which of the recorded points becomes draw k: all chains at steps that are
   evenly spaced, as many as `draws` need. */
static size_t row_of(const struct run *run, size_t k)
{
    const size_t n = run->chains.n, needed = (run->opts->draws + n - 1) / n;
    const size_t turn = k / n;

    if (needed >= run->steps)
        return k;
    return (turn * run->steps / needed) * n + k % n;
}

/* `draws` of the recorded points as a posterior. Their prior mass is such that
   all weights are alike and log Z is the evidence. */
static bnre_status collect(const struct run *run, bnre_evidence evidence,
                           bnre_posterior **out)
{
    const size_t total = run->steps * run->chains.n, dim = run->target.dim;
    const size_t n = run->opts->draws < total ? run->opts->draws : total;
    bnre_points *points = NULL;

    BNRE_DO(
        bnre__points_create(run->target.prior, BNRE_POINTS_CHAIN, n, &points));
    points->n = n;
    BNRE_DO(bnre__posterior_own(points, out));
    for (size_t k = 0; k < n; k++) {
        const size_t row = row_of(run, k);
        double *theta = points->theta + k * dim;

        memcpy(theta, run->theta + row * dim, dim * sizeof *theta);
        points->log_prior[k] = bnre_prior_log_density(run->target.prior, theta);
        points->log_mass[k] = evidence.log_z - log((double)n) - run->ratio[row];
        (*out)->log_ratio[k] = run->ratio[row];
    }
    (*out)->evidence = evidence;
    return bnre__posterior_settle(*out);
}

static bnre_status start(struct run *run, bnre_session *session,
                         const bnre_posterior_opts *opts)
{
    const size_t room = opts->bank > opts->walkers ? opts->bank : opts->walkers;
    const size_t most =
        opts->walkers > opts->chains ? opts->walkers : opts->chains;

    run->opts = opts;
    run->prior_rng = bnre_rng_stream(
        opts->seed, bnre__purpose(BNRE_USE_BANK, BNRE_SPLIT_TEST), 0);
    run->rng = bnre_rng_stream(
        opts->seed, bnre__purpose(BNRE_USE_CHAIN, BNRE_SPLIT_TEST), 0);
    BNRE_DO(bnre__target_init(&run->target, session, room));
    BNRE_DO(bnre__moves_init(&run->moves, &run->target, most));
    BNRE_DO(bnre__walkers_init(&run->walkers, opts->walkers, &run->target));
    BNRE_DO(bnre__walkers_init(&run->chains, opts->chains, &run->target));
    BNRE_DO(watch(run));
    BNRE_DO(bnre__anneal(&run->moves, bnre__anneal_careful, opts->bank,
                         &run->prior_rng, &run->rng, &run->walkers,
                         &run->stages));
    return warm_up(run);
}

static void clear(struct run *run)
{
    bnre__free(run->after);
    bnre__free(run->ratio);
    bnre__free(run->theta);
    bnre__walkers_clear(&run->chains);
    bnre__walkers_clear(&run->walkers);
    bnre__moves_clear(&run->moves);
    bnre__target_clear(&run->target);
}

bnre_status bnre__posterior_chains(bnre_session *session,
                                   const bnre_posterior_opts *opts,
                                   bnre_posterior **out)
{
    bnre_status status = BNRE_OK;
    struct run run = {0};
    bnre_posterior *posterior = NULL;
    bnre_chain_report *report = NULL;
    bnre_convergence *parameter = NULL;

    *out = NULL;
    BNRE_TRY(start(&run, session, opts));
    BNRE_NEW(report, 1);
    BNRE_NEW(parameter, run.target.dim);
    BNRE_TRY(run_chains(&run, report, parameter));
    BNRE_TRY(collect(&run, evidence_of(&run, parameter), &posterior));
    report->dim = run.target.dim;
    report->parameter = parameter;
    posterior->report = report;
    posterior->convergence = parameter;
    report = NULL;
    parameter = NULL;
    *out = posterior;
    posterior = NULL;
done:
    bnre__free(parameter);
    bnre__free(report);
    bnre_posterior_destroy(posterior);
    clear(&run);
    return status;
}

const bnre_chain_report *bnre_posterior_report(const bnre_posterior *posterior)
{
    return posterior->report;
}
