/* fit_prior.c - the density of a prior that is known by draws.

   Conditional densities need it for their log ratio and for the balance. It has
   the same form as q, g = prod_j g_j(theta_j | earlier ones), with heads that
   do not see x, and is fitted by maximum likelihood to nine tenths of the
   draws; the weights of each factor are those of the epoch in which the other
   tenth was likeliest. One g serves all members. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train/gaps.h"
#include "infer/train/run.h"
#include "nn/adam.h"
#include "nn/optim.h"
#include "nn/plan.h"
#include "num/streams.h"
#include "prior/prior.h"

enum { BATCH = 64, MOST_ROWS = 16384, EPOCHS = 300, PATIENCE = 30 };
#define RATE 2e-3

struct fit {
    const bnre__conditional *c;
    bnre__chain_plan *plan;
    bnre_rng rng;
    size_t rows, held; /* of draws, the last `held` of them for judging */
    size_t *order;     /* (rows - held) */
    float *coordinate; /* (rows, dim) */
    float *row;        /* (BATCH, dim) */
    float *at, *seen, *nothing, *raw, *draw, *l, *dl;
    float *weights;   /* now */
    bnre__gaps *gaps; /* (factors) values of the draws, where those of the
                         simulations come again and again */
    double *best;     /* (factors) losses */
    bnre__schedule schedule;
};

static bnre_status make(struct fit *f, bnre_rng *rng)
{
    const bnre__conditional *c = f->c;
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    float *output = NULL;

    BNRE_TRY(bnre__conditional_prior_plan(c, BATCH, 1, &f->plan));
    BNRE_NEW(f->order, f->rows);
    BNRE_NEW(f->coordinate, f->rows * dim);
    BNRE_NEW(f->row, BATCH * dim);
    BNRE_NEW(f->at, BATCH * c->factors);
    BNRE_NEW(f->seen, BATCH * c->factors);
    BNRE_NEW(f->nothing, BATCH);
    BNRE_NEW(f->raw, BATCH * c->factors * c->outputs);
    BNRE_NEW(f->draw, BATCH * c->factors * c->outputs);
    BNRE_NEW(f->l, BATCH);
    BNRE_NEW(f->dl, BATCH);
    BNRE_NEW(f->weights, bnre__chain_weights(c->prior_chain));
    BNRE_NEW(f->gaps, c->factors);
    BNRE_NEW(f->best, c->factors);
    BNRE_NEW(output, c->factors * c->outputs);
    bnre__conditional_begin(c, output);
    bnre__chain_init(c->prior_chain, rng, output, f->weights, NULL);
    bnre__chain_set(f->plan, f->weights, NULL);
    for (size_t j = 0; j < c->factors; j++)
        f->best[j] = INFINITY;
done:
    bnre__free(output);
    return status;
}

static void clear(struct fit *f)
{
    for (size_t j = 0; f->gaps != NULL && j < f->c->factors; j++)
        bnre__free(f->gaps[j].value);
    bnre__free(f->gaps);
    bnre__free(f->best);
    bnre__free(f->weights);
    bnre__free(f->dl);
    bnre__free(f->l);
    bnre__free(f->draw);
    bnre__free(f->raw);
    bnre__free(f->nothing);
    bnre__free(f->seen);
    bnre__free(f->at);
    bnre__free(f->row);
    bnre__free(f->coordinate);
    bnre__free(f->order);
    bnre__chain_plan_destroy(f->plan);
}

static void shuffle(bnre_rng *rng, size_t n, size_t *order)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)bnre_rng_below(rng, i), keep = order[k];

        order[k] = order[i - 1];
        order[i - 1] = keep;
    }
}

static int has_gaps(const bnre__conditional *c, size_t factor)
{
    for (size_t set = 0; set < c->gap_sets; set++)
        if (c->gaps[set * c->factors + factor].n > 0)
            return 1;
    return 0;
}

/* Coordinates of the draws, in an order by chance. */
static bnre_status take_draws(struct fit *f, bnre_rng *rng)
{
    const size_t dim = bnre_prior_dim(f->c->prior);
    bnre_status status = BNRE_OK;
    size_t all, *chosen = NULL;
    const double *sample = bnre__prior_samples(f->c->prior, &all);

    BNRE_NEW(chosen, all);
    for (size_t i = 0; i < all; i++)
        chosen[i] = i;
    shuffle(rng, all, chosen);
    for (size_t i = 0; i < f->rows; i++)
        bnre__coordinates_of(f->c->coordinates, sample + chosen[i] * dim,
                             f->coordinate + i * dim);
    for (size_t i = 0; i < f->rows; i++)
        f->order[i] = i;
    for (size_t j = 0; f->c->gaps != NULL && j < f->c->factors; j++)
        if (has_gaps(f->c, j))
            BNRE_TRY(bnre__gaps_take(f->c, j, all, sample, &f->gaps[j]));
done:
    bnre__free(chosen);
    return status;
}

/* Numbers of all factors for rows order[0..n-1]. */
static void look_at(struct fit *f, int train, size_t n, const size_t *order)
{
    const size_t dim = bnre_prior_dim(f->c->prior);

    for (size_t i = 0; i < n; i++)
        memcpy(f->row + i * dim, f->coordinate + order[i] * dim,
               dim * sizeof *f->row);
    bnre__conditional_spread(f->c, n, f->row, f->at, f->seen);
    for (size_t j = 0; j < f->c->factors; j++) {
        bnre_rng fixed = bnre_rng_stream(order[0], (uint32_t)j, 0);

        bnre__gaps_spread(&f->gaps[j], f->c->line[j].range,
                          train ? &f->rng : &fixed, n, f->at + j * n);
    }
    bnre__chain_forward(f->plan, train, n, f->seen, f->nothing, f->raw);
}

static bnre__lines lines_of(const struct fit *f, size_t j, size_t n)
{
    const bnre__conditional *c = f->c;
    bnre__lines lines = bnre__line_pass(&c->line[j], c->outputs);

    lines.n = n;
    lines.raw = f->raw + j * n * c->outputs;
    lines.c = f->at + j * n;
    lines.l = f->l;
    lines.dl = f->dl;
    lines.draw = f->draw + j * n * c->outputs;
    return lines;
}

static void step(struct fit *f, size_t n, const size_t *order)
{
    const bnre__conditional *c = f->c;
    bnre__adam adam = bnre__adam_default();

    adam.learning_rate = f->schedule.rate;
    look_at(f, 1, n, order);
    memset(f->draw, 0, n * c->factors * c->outputs * sizeof *f->draw);
    for (size_t i = 0; i < n; i++)
        f->dl[i] = -1 / (float)n;
    for (size_t j = 0; j < c->factors; j++) {
        const bnre__lines lines = lines_of(f, j, n);

        c->line[j].type->back(&lines);
    }
    bnre__chain_update(f->plan, f->draw, &adam);
}

/* The sum over factors of the loss of the rows held out; those of factors in
   loss (factors). */
static double judge(struct fit *f, double *loss)
{
    const bnre__conditional *c = f->c;
    const size_t first = f->rows - f->held;
    double all = 0;

    memset(loss, 0, c->factors * sizeof *loss);
    for (size_t i = 0, n; i < f->held; i += n) {
        n = f->held - i < BATCH ? f->held - i : BATCH;
        look_at(f, 0, n, f->order + first + i);
        for (size_t j = 0; j < c->factors; j++) {
            const bnre__lines lines = lines_of(f, j, n);

            c->line[j].type->forward(&lines);
            for (size_t k = 0; k < n; k++)
                loss[j] -= (double)f->l[k] / (double)f->held;
        }
    }
    for (size_t j = 0; j < c->factors; j++)
        all += loss[j];
    return all;
}

/* Factors share nothing: each keeps its best. Gives whether one got better. */
static int keep_best(struct fit *f, const double *loss)
{
    const bnre__conditional *c = f->c;
    int better = 0;
    size_t at, n;

    bnre__chain_get(f->plan, f->weights, NULL);
    for (size_t j = 0; j < c->factors; j++) {
        if (!(loss[j] < f->best[j]))
            continue;
        better = 1;
        f->best[j] = loss[j];
        bnre__chain_part(c->prior_chain, j, &at, &n);
        memcpy(c->prior_weights + at, f->weights + at, n * sizeof *f->weights);
    }
    return better;
}

static void train(struct fit *f, bnre_rng *rng, double *loss)
{
    const size_t rows = f->rows - f->held;
    size_t idle = 0;

    bnre__schedule_init(&f->schedule, BNRE__SCHEDULE_GENTLE, RATE, EPOCHS);
    (void)keep_best(f, (judge(f, loss), loss));
    for (size_t epoch = 1; epoch <= EPOCHS && idle < PATIENCE; epoch++) {
        shuffle(rng, rows, f->order);
        for (size_t i = 0; i < rows; i += BATCH)
            step(f, rows - i < BATCH ? rows - i : BATCH, f->order + i);
        bnre__schedule_next(&f->schedule, judge(f, loss));
        idle = keep_best(f, loss) ? 0 : idle + 1;
    }
}

bnre_status bnre__train_fit_prior(bnre__train_run *run)
{
    const bnre__conditional *c = run->est->conditional;
    bnre_rng rng = bnre_rng_stream(
        run->opts.seed, bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TEST), 0);
    struct fit f = {.c = c};
    bnre_status status = BNRE_OK;
    double *loss = NULL;

    if (c == NULL || c->prior_chain == NULL)
        return BNRE_OK;
    (void)bnre__prior_samples(c->prior, &f.rows);
    f.rows = f.rows < MOST_ROWS ? f.rows : MOST_ROWS;
    f.held = f.rows / 10 > 0 ? f.rows / 10 : 1;
    BNRE_NEW(loss, c->factors);
    BNRE_TRY(make(&f, &rng));
    BNRE_TRY(take_draws(&f, &rng));
    f.rng = bnre_rng_stream(
        run->opts.seed, bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_TEST), 1);
    train(&f, &rng, loss);
    bnre__train_note(&run->opts,
                     "the prior is known by draws: a density was fitted to %zu "
                     "of them, for the ratio of posterior and prior",
                     f.rows);
done:
    clear(&f);
    bnre__free(loss);
    return status;
}
