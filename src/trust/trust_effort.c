/* What the parts of an automatic choice cost, and how many pairs and steps that
   leaves: counted, not timed, so that the same data give the same choice on any
   machine. The unit is a multiply-add. */
#include <math.h>

#include "infer/estimator/estimator.h"
#include "trust/scores.h"
#include "trust/trust.h"

/* Of the multiply-adds of training four fifths are counted, so that what is
   compared with it is rather over- than underestimated. */
#define COUNTED 0.8

/* What takes as long as so many multiply-adds: the rest of a training step for
   a simulation, the rest of a network for a theta, placing a cell, and weighing
   a point for a temper. Found for networks of 400 to 330,000 weights, one and
   five of them, and one to three parameters: right within a quarter. */
#define SIMULATION 6e3
#define THETA 500
#define CELL 14e3
#define TEMPER 1.8e3

/* Points that only tell where cells should be, for each cell; one member looks
   at them. */
#define SCOUTS 0.8

/* Where the prior has no density. Of chains for many parameters: evaluations
   by all members, and by one; and how many sets of chains all tempers take. */
enum { USUAL_DRAWS = 512, BY_ALL = 2600, BY_ONE = 4000, SETS = 3 };

/* Of what a choice may cost besides the first training, conformal regions have
   this share; and of the rest, looking at one lambda. */
#define SHARE (1.0 / 3)

/* Fewer pairs tell too little, whatever they cost. */
enum { LEAST_CALIBRATE = 400, LEAST_PAIRS = 500 };

/* So many are set aside to certify with before lambda goes on, and taken where
   effort is exceeded already: then more of it should bring a certificate. */
enum { SPARED_PAIRS = 2000 };

/* `epochs` of one member count as one. */
static double cost_of_training(const bnre__trust_run *run, size_t epochs)
{
    return (double)epochs * (double)run->trained[0].simulations *
           (COUNTED * run->work.step + SIMULATION);
}

/* Of a pair: `points` for all members, and `scouts` for one. */
static double cost_of_pair(const bnre__trust_run *run, double points,
                           double scouts, size_t tempers)
{
    const double members = (double)run->trained[0].members;

    return members * run->work.x +
           (members * points + scouts) * (run->work.theta + THETA) +
           CELL * scouts + TEMPER * points * (double)tempers;
}

static double cost_of_chains(const bnre__trust_run *run, double sets)
{
    return cost_of_pair(run, sets * BY_ALL, sets * BY_ONE, 1);
}

static double cost_of_first(const bnre__trust_run *run)
{
    return cost_of_training(run, run->trained[0].epochs);
}

/* What may still be spent on choosing. */
static double left(const bnre__trust_run *run)
{
    return run->opts->effort * cost_of_first(run) - run->spent -
           run->calibration;
}

/* Of pairs that cost `each` as many as this much is enough for. */
static size_t pairs_for(double cost, double each, size_t least, size_t n)
{
    const double pairs = fmax((double)least, floor(cost / each));

    return pairs < (double)n ? (size_t)pairs : n;
}

static void plan_calibration(bnre__trust_run *run, const bnre_estimator *est)
{
    const bnre_density density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    const double points = (double)bnre__scorer_points(&density);
    const double each =
        cost_of_pair(run, points + BNRE__VIEWS, SCOUTS * points, 1);
    const int chooses = run->select.n > 0;

    run->calibrate.use = chooses ? pairs_for(SHARE * left(run), each,
                                             LEAST_CALIBRATE, run->calibrate.n)
                                 : run->calibrate.n;
    run->calibration = (double)run->calibrate.use * each;
}

void bnre__trust_plan_looks(bnre__trust_run *run, const bnre_estimator *est)
{
    const bnre_prior *prior = bnre_estimator_prior(est);
    size_t cells, points;

    run->work = bnre__net_work(bnre__estimator_net(est));
    run->spent = cost_of_first(run);
    plan_calibration(run, est);
    bnre__trust_points(prior, run->opts->points, &cells, &points);
    if (!bnre_prior_has_density(prior)) {
        cells = 0; /* there is nothing to place */
        points = USUAL_DRAWS;
    } else if (points == 0) {
        points = cells;
    }
    run->pair =
        cost_of_pair(run, (double)points, SCOUTS * (double)cells, run->tempers);
    if (bnre_prior_has_density(prior) && cells == 0)
        run->pair = cost_of_chains(run, run->tempers > 1 ? SETS : 1);
    run->select.use =
        pairs_for(SHARE * left(run), run->pair, LEAST_PAIRS, run->select.n);
}

void bnre__trust_spend_look(bnre__trust_run *run, const bnre_diag *diag)
{
    const double points = (double)diag->points;

    run->pair =
        diag->grid == BNRE_DIAG_CHAINS
            ? cost_of_chains(run, (double)diag->evaluations / (BY_ALL + BY_ONE))
            : cost_of_pair(run, points,
                           fmax(0, (double)diag->evaluations - points),
                           run->tempers);
    run->spent += (double)diag->n * run->pair;
}

void bnre__trust_spend_step(bnre__trust_run *run, size_t epochs)
{
    run->spent += cost_of_training(run, epochs);
}

void bnre__trust_plan_tests(bnre__trust_run *run, size_t steps)
{
    const double rest = left(run);

    run->certify.use =
        pairs_for(rest / (double)steps, run->pair,
                  rest < 0 ? SPARED_PAIRS : LEAST_PAIRS, run->certify.n);
}

int bnre__trust_affords(const bnre__trust_run *run, size_t epochs)
{
    const size_t spared =
        run->certify.n < SPARED_PAIRS ? run->certify.n : SPARED_PAIRS;

    return cost_of_training(run, epochs) +
               (double)(run->select.use + spared) * run->pair <=
           left(run);
}

double bnre__trust_effort(const bnre__trust_run *run)
{
    return (run->spent + run->calibration) / cost_of_first(run);
}
