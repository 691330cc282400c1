/* Training along a path of lambda, each step from where the last one ended. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/cells.h"
#include "diag/diag.h"
#include "infer/train/train.h"
#include "io/file.h"
#include "trust/trust.h"

/* Of the epochs of the plain training a step gets so many, at a lower rate: it
   starts near its end. Seven steps then take half as long as the first. */
#define STEP_SHARE 0.07
#define STEP_RATE 0.3
enum { STEP_PATIENCE = 6 };

/* A step that brings less than this ends the path. */
#define NOTABLE 0.01 /* nats */
#define FRESH_LAMBDA 100.0

/* Times the usual points that a look may take: effort is for pairs, too. */
enum { CLOSER = 4 };

/* For coverage alone fewer points do than a diagnosis takes: with these,
   networks of SLCP, Weinberg and M/G/1 have a coverage that differs from that
   with 1,000 cells by 0.01 at most on average over levels. Where a posterior
   is too narrow for as many cells, there will be more. */
void bnre__trust_points(const bnre_prior *prior, size_t asked, size_t *cells,
                        size_t *points)
{
    enum { MOST = 3, CELLS = 4 }; /* parameters for which this was found */
    static const size_t few_cells[] = {1, 32, 65, 256};
    static const size_t few_points[] = {1, 13, 26, 64};
    const size_t dims = bnre__free_parameters(prior);

    *cells = asked;
    *points = 0;
    if (dims > MOST)
        return;
    *cells = asked > 0 ? CELLS * asked : few_cells[dims];
    *points = asked > 0 ? asked : few_points[dims];
}

size_t bnre__trust_step_of(const bnre__trust_run *run, size_t candidate)
{
    return run->cross ? 0 : candidate / run->tempers;
}

/* PATH.lambda-L.h5 if it is to be kept, else in a directory that is ours. */
static bnre_status name_step(bnre__trust_run *run, size_t step)
{
    const char *place = bnre__trust_keeps(run) ? "." : BNRE__TRUST_STEPS "/";

    if (run->choose_lambda)
        return bnre__text_format(&run->step[step], "%s%s%s-%g.h5", run->path,
                                 place, run->fresh[step] ? "fresh" : "lambda",
                                 run->lambda[step]);
    return bnre__text_format(&run->step[step], "%s%splain.h5", run->path,
                             place);
}

bnre_status bnre__trust_begun(bnre__trust_run *run, int *out)
{
    bnre_status status = BNRE_OK;
    char *part = NULL;

    BNRE_TRY(name_step(run, 0));
    BNRE_TRY(bnre__text_format(&part, "%s.1.part", run->step[0]));
    *out = bnre__file_exists(run->step[0]) || bnre__file_exists(part);
done:
    bnre__free(run->step[0]);
    run->step[0] = NULL;
    bnre__free(part);
    return status;
}

/* Epochs of one member in a step that goes on from the last, at most. */
static size_t epochs_of_step(const bnre__trust_run *run)
{
    const size_t each = run->trained[0].epochs / run->trained[0].members;
    const size_t epochs = (size_t)(STEP_SHARE * (double)each);

    return epochs > 0 ? epochs : 1;
}

static bnre_status train_step(bnre__trust_run *run, size_t step,
                              bnre_train_result *result)
{
    bnre_train_opts opts = *run->train;
    bnre_status status = BNRE_OK;
    char *history = NULL;

    BNRE_TRY(name_step(run, step));
    BNRE_TRY(bnre__make_parents(run->step[step]));
    BNRE_TRY(bnre__text_format(&history, "%s.csv", run->step[step]));
    opts.history = history;
    opts.no_information = run->select.n > 0 || run->cross;
    if (run->choose_lambda) {
        opts.method = bnre_method_is_conditional(bnre__train_method(&opts))
                          ? BNRE_METHOD_BNPE
                          : BNRE_METHOD_BNRE;
        opts.lambda = run->lambda[step];
    }
    if (step > 0) {
        opts.epochs = epochs_of_step(run);
        if (run->fresh[step]) {
            opts.epochs = run->trained[0].epochs / run->trained[0].members;
        } else {
            opts.start = run->step[step - 1];
            opts.patience = STEP_PATIENCE;
            opts.learning_rate =
                STEP_RATE *
                (opts.learning_rate > 0 ? opts.learning_rate : 1e-3);
            opts.lambda_ramp = 0;
        }
    }
    if (run->choose_lambda)
        bnre__trust_note(run, "lambda %g%s", run->lambda[step],
                         run->fresh[step] ? " from fresh weights" : "");
    BNRE_TRY(bnre_train(&opts, run->step[step], result));
    if (step == 0)
        run->result->plain_epochs = result->epochs;
    run->result->epochs += result->epochs;
    if (step > 0)
        bnre__trust_spend_step(run, result->epochs);
done:
    bnre__free(history);
    return status;
}

/* Points for a look, or steps of its chains, and how many more it may take; as
   many as an earlier one needed. Returns the usual number. */
static size_t choose_points(const bnre__trust_run *run, const bnre_prior *prior,
                            bnre_diag_opts *opts)
{
    size_t few = BNRE__DRAWS, *points = &opts->draws;

    bnre__trust_points(prior, run->opts->points, &opts->fitted, &opts->strata);
    if (bnre_prior_has_density(prior) && opts->fitted == 0) {
        few = BNRE__CHAIN_STEPS; /* of more parameters than cells are for */
        points = &opts->steps;
    } else if (bnre_prior_has_density(prior)) {
        few = opts->fitted;
        points = &opts->fitted;
    }
    opts->most_points = opts->most_steps = CLOSER * few;
    if (run->times > 1) {
        *points = run->times * few;
        opts->strata *= run->times;
    }
    return few;
}

static int is_blind(const bnre_diag *diag)
{
    for (size_t i = 0; i < diag->n_curves; i++)
        if (diag->curve[i].judgement.verdict == BNRE_BLIND)
            return 1;
    return 0;
}

bnre_status bnre__trust_look(bnre__trust_run *run, size_t step,
                             bnre__trust_pairs *pairs, bnre_diag **out)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;
    bnre_density density;
    size_t few;

    BNRE_TRY(bnre_estimator_open(run->step[step], &est));
    BNRE_TRY(bnre__trust_refuse_seen(est, pairs));
    density = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
    few = choose_points(run, density.prior, &opts);
    opts.most = pairs->use;
    opts.temper = run->temper;
    opts.n_temper = run->tempers;
    opts.delta = run->opts->delta;
    opts.eps = run->opts->eps;
    opts.seed = run->train->seed;
    opts.pool = run->train->pool;
    opts.monitor = run->train->monitor;
    BNRE_TRY(bnre_diagnose_dataset(&density, pairs->data, 1, &opts, out));
    bnre__trust_spend_look(run, *out);
    if ((*out)->curve[0].judgement.tried > 0 && !is_blind(*out))
        run->times = (*out)->curve[0].judgement.tried / few;
done:
    bnre_estimator_close(est);
    return status;
}

static bnre_status plan_looks(bnre__trust_run *run)
{
    bnre_status status = BNRE_OK;
    bnre_estimator *est = NULL;

    BNRE_TRY(bnre_estimator_open(run->step[0], &est));
    bnre__trust_plan_looks(run, est);
done:
    bnre_estimator_close(est);
    return status;
}

/* Hardly more than the prior, and not overconfident. If that is so without a
   penalty, nothing is to be gained by one. By chance such a posterior may look
   unsafe at any temper. */
static int knows_nothing(const bnre_judgement *judgement)
{
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        if (judgement->low[i])
            return 0;
    return judgement->verdict == BNRE_UNINFORMATIVE;
}

/* Margin and information of all tempers of a step. */
static bnre_status add_candidates(bnre__trust_run *run, size_t step)
{
    bnre_certificate *certificate = &run->result->certificate;
    bnre_status status = BNRE_OK;
    bnre_diag *diag = NULL;

    BNRE_TRY(bnre__trust_look(run, step, &run->select, &diag));
    run->nothing = knows_nothing(&diag->curve[0].judgement);
    certificate->ess = diag->curve[0].ess_median; /* until there is a test */
    for (size_t i = 0; i < run->tempers; i++) {
        const bnre_diag_curve *curve = &diag->curve[i];
        const int blind = curve->judgement.verdict == BNRE_BLIND;

        certificate->candidate[certificate->n++] = (bnre_candidate){
            .lambda = run->lambda[step],
            .fresh = run->fresh[step],
            .temper = run->temper[i],
            .widen = 1,
            .margin = blind ? (double)NAN : curve->judgement.margin,
            .information = curve->information,
            .blind = blind};
    }
done:
    bnre_diag_destroy(diag);
    return status;
}

/* The most information among candidates that look safe. */
static double sharpest_safe(const bnre_certificate *certificate)
{
    double best = -HUGE_VAL;

    for (size_t i = 0; i < certificate->n; i++)
        if (certificate->candidate[i].margin >= 0)
            best = fmax(best, certificate->candidate[i].information.mean);
    return best;
}

/* One more step: train, and look if there is something to look with. */
static bnre_status go_on(bnre__trust_run *run, double lambda, int fresh)
{
    const size_t i = run->steps++;

    run->lambda[i] = lambda;
    run->fresh[i] = fresh;
    BNRE_DO(train_step(run, i, &run->trained[i]));
    if (i == 0)
        BNRE_DO(plan_looks(run));
    if (run->select.n > 0)
        BNRE_DO(add_candidates(run, i));
    return BNRE_OK;
}

bnre_status bnre__trust_walk(bnre__trust_run *run)
{
    double best = -HUGE_VAL;

    if (!run->choose_lambda)
        return go_on(run,
                     bnre_method_is_balanced(run->train->method)
                         ? run->train->lambda
                         : 0,
                     0);
    for (size_t i = 0; i < BNRE__LAMBDAS; i++) {
        const double before = best;

        BNRE_DO(go_on(run, bnre__trust_lambda[i], 0));
        if (i == 0 && run->nothing)
            return BNRE_OK;
        best = sharpest_safe(&run->result->certificate);
        if (before > -HUGE_VAL && best < before + NOTABLE)
            return BNRE_OK; /* more lambda only loses information */
        if (best > -HUGE_VAL &&
            !bnre__trust_affords(run,
                                 run->trained[0].members * epochs_of_step(run)))
            return BNRE_OK;
    }
    /* A penalty that sets in late may not lead away from an overconfident
       classifier; from the beginning it does. */
    if (best == -HUGE_VAL)
        BNRE_DO(go_on(run, FRESH_LAMBDA, 1));
    return BNRE_OK;
}
