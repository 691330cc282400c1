/* fit_validity.c - where simulations give a result, for conditional densities
   whose failed simulations are missing (validity.h).

   Each network is fitted to nine tenths of its rows, and its weights are those
   of the epoch in which the log loss of the other tenth was least. It begins
   with the share of results, whatever theta, and stays there if nothing more is
   to be seen. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/train/run.h"
#include "nn/adam.h"
#include "nn/optim.h"
#include "num/sigmoid.h"
#include "num/streams.h"

enum {
    BATCH = 128,
    BLOCK = 4096,
    MOST_ROWS = 32768,
    EPOCHS = 100,
    PATIENCE = 15,
    PARTS = BNRE__VALIDITY_PARTS
};
#define RATE 3e-3

/* More of the prior than this without results, and it is not the prior that is
   learned about. */
#define MOST_BARREN 0.03

/* All rows, or MOST_ROWS of them. */
struct rows {
    size_t n;
    float *seen;     /* (n, factors) */
    uint8_t *result; /* (n) whether there is one */
    uint8_t *part, *fold;
};

struct fit {
    bnre__validity *v;
    const struct rows *rows;
    bnre__chain_plan *plan;
    size_t n, held; /* rows of this fit, the last `held` of them for judging */
    size_t *order;  /* (n) */
    float *seen, *nothing, *logit, *slope; /* of a batch */
    float *now;                            /* weights */
};

/* ---- rows ---- */

static void free_rows(struct rows *rows)
{
    bnre__free(rows->fold);
    bnre__free(rows->part);
    bnre__free(rows->result);
    bnre__free(rows->seen);
}

static void add_row(const bnre__train_run *run, struct rows *rows, size_t row,
                    const double *theta, uint8_t drawn, float *coordinate)
{
    const bnre__conditional *c = run->est->conditional;
    float *seen = rows->seen + rows->n * c->factors, at[1];
    const int missing = run->opts.failure == BNRE_FAILURE_MISSING
                            ? drawn != BNRE_DRAW_OK
                            : drawn == BNRE_DRAW_LOST;

    bnre__coordinates_of(c->coordinates, theta, coordinate);
    for (size_t j = 0; j < c->factors; j++) {
        at[0] = coordinate[c->order[j]];
        seen[j] =
            (float)bnre__coordinates_seen(c->coordinates, j, (double)at[0]);
    }
    rows->result[rows->n] = !missing;
    rows->part[rows->n] = (uint8_t)bnre__validity_part(c->validity, seen);
    rows->fold[rows->n] =
        run->opts.folds > 0 ? run->data.folds.fold[row] : BNRE__NO_FOLD;
    rows->n++;
}

/* Which of the rows are in use; of many some are drawn. */
static int takes(const bnre__train_run *run, size_t row, double share)
{
    bnre_rng rng = bnre_rng_stream(
        run->opts.seed, bnre__purpose(BNRE_USE_SELECT, BNRE_SPLIT_TEST), row);

    return bnre__roles_get(&run->data.roles, row) != BNRE__ROLE_NONE &&
           (share >= 1 || bnre_rng_uniform(&rng) < share);
}

static bnre_status read_rows(const bnre__train_run *run, struct rows *rows)
{
    const bnre__subset *set = run->data.set[BNRE__ROLE_TRAIN];
    const size_t dim = set->info->dim_theta, all = set->info->rows;
    const double share = (double)MOST_ROWS / (double)all;
    /* Four standard deviations above what is expected. */
    const size_t room = share >= 1 ? all : MOST_ROWS + 4 * 182;
    bnre_status status = BNRE_OK;
    double *theta = NULL;
    float *coordinate = NULL;
    uint8_t drawn[BLOCK];

    BNRE_NEW(rows->seen, room * run->est->conditional->factors);
    BNRE_NEW(rows->result, room);
    BNRE_NEW(rows->part, room);
    BNRE_NEW(rows->fold, room);
    BNRE_NEW(theta, BLOCK * dim);
    BNRE_NEW(coordinate, dim);
    for (size_t first = 0, n; first < all; first += n) {
        n = all - first < BLOCK ? all - first : BLOCK;
        BNRE_TRY(
            bnre_dataset_read(set->data, first, n, theta, NULL, NULL, drawn));
        for (size_t i = 0; i < n && rows->n < room; i++)
            if (takes(run, first + i, share))
                add_row(run, rows, first + i, theta + i * dim, drawn[i],
                        coordinate);
    }
done:
    bnre__free(coordinate);
    bnre__free(theta);
    return status;
}

/* ---- one network ---- */

static bnre_status make(struct fit *f)
{
    const bnre__plan_opts opts = {.batch = BATCH, .train = 1};
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__chain_plan_create(f->v->chain, &opts, &f->plan));
    BNRE_NEW(f->order, f->rows->n);
    BNRE_NEW(f->seen, BATCH * f->v->factors);
    BNRE_NEW(f->nothing, BATCH);
    BNRE_NEW(f->logit, BATCH);
    BNRE_NEW(f->slope, BATCH);
    BNRE_NEW(f->now, bnre__chain_weights(f->v->chain));
done:
    return status;
}

static void clear(struct fit *f)
{
    bnre__free(f->now);
    bnre__free(f->slope);
    bnre__free(f->logit);
    bnre__free(f->nothing);
    bnre__free(f->seen);
    bnre__free(f->order);
    bnre__chain_plan_destroy(f->plan);
}

/* Log loss of the n <= BATCH rows from `first` on of the order, and the slopes
   of their mean. */
static double look_at(struct fit *f, int train, size_t first, size_t n)
{
    const size_t factors = f->v->factors;
    double loss = 0;

    for (size_t i = 0; i < n; i++)
        memcpy(f->seen + i * factors,
               f->rows->seen + f->order[first + i] * factors,
               factors * sizeof *f->seen);
    bnre__chain_forward(f->plan, train, n, f->nothing, f->seen, f->logit);
    for (size_t i = 0; i < n; i++) {
        const double l = (double)f->logit[i];
        const int result = f->rows->result[f->order[first + i]];

        loss += bnre__softplus(result ? -l : l);
        f->slope[i] = (float)((bnre__sigmoid(l) - (double)result) / (double)n);
    }
    return loss;
}

static double judge(struct fit *f)
{
    double loss = 0;

    for (size_t i = f->n - f->held, n; i < f->n; i += n) {
        n = f->n - i < BATCH ? f->n - i : BATCH;
        loss += look_at(f, 0, i, n);
    }
    return loss / (double)f->held;
}

/* Rows outside the fold `set` and the part, in an order by chance; the share of
   results among them, one row of each kind being added. */
static double choose_rows(struct fit *f, size_t set, size_t part, bnre_rng *rng)
{
    double results = 1;

    f->n = 0;
    for (size_t i = 0; i < f->rows->n; i++)
        if (f->rows->fold[i] != set && f->rows->part[i] != part) {
            f->order[f->n++] = i;
            results += f->rows->result[i];
        }
    bnre_rng_shuffle(rng, f->n, f->order);
    f->held = f->n / 10 + 1;
    return results / (double)(f->n + 2);
}

static void train(struct fit *f, size_t set, size_t part, bnre_rng *rng)
{
    float *best = bnre__validity_at(f->v, set, part);
    const double share = choose_rows(f, set, part, rng);
    const float bias = (float)log(share / (1 - share));
    const size_t rows = f->n > f->held ? f->n - f->held : 0;
    bnre__adam adam = bnre__adam_default();
    bnre__schedule schedule;
    double least;
    size_t idle = 0;

    bnre__chain_init(f->v->chain, rng, &bias, best, NULL);
    bnre__chain_set(f->plan, best, NULL);
    memset(f->now, 0, bnre__chain_weights(f->v->chain) * sizeof *f->now);
    bnre__chain_set_moments(f->plan, f->now, f->now, 0);
    bnre__schedule_init(&schedule, BNRE__SCHEDULE_GENTLE, RATE, EPOCHS);
    if (f->n == 0)
        return;
    least = judge(f);
    for (size_t epoch = 1; epoch <= EPOCHS && idle < PATIENCE; epoch++) {
        double loss;

        bnre_rng_shuffle(rng, rows, f->order);
        adam.learning_rate = schedule.rate;
        for (size_t i = 0; i < rows; i += BATCH) {
            (void)look_at(f, 1, i, rows - i < BATCH ? rows - i : BATCH);
            bnre__chain_update(f->plan, f->slope, &adam);
        }
        loss = judge(f);
        bnre__schedule_next(&schedule, loss);
        idle = loss < least ? 0 : idle + 1;
        if (loss < least) {
            least = loss;
            bnre__chain_get(f->plan, best, NULL);
        }
    }
}

/* ---- what came out ---- */

/* Of one set: how rows weigh, each by the network that has not seen it. */
struct weights {
    size_t rows, barren, yields; /* yields: results of barren rows */
    double results, sum, squares, largest;
};

static bnre_status weigh(const struct rows *rows, bnre__validity *v, size_t set,
                         struct weights *out)
{
    bnre__validity_plan plan;
    bnre_status status = BNRE_OK;
    double p[BATCH];

    *out = (struct weights){0};
    BNRE_TRY(bnre__validity_plan_init(&plan, v, set, BATCH));
    for (size_t first = 0, n; first < rows->n; first += n) {
        n = rows->n - first < BATCH ? rows->n - first : BATCH;
        bnre__validity_of(&plan, 1, n, rows->seen + first * v->factors, p);
        for (size_t i = 0; i < n; i++) {
            if (rows->fold[first + i] == set)
                continue;
            out->rows++;
            out->barren += p[i] <= BNRE__LEAST_VALID;
            if (!rows->result[first + i])
                continue;
            out->yields += p[i] <= BNRE__LEAST_VALID;
            out->results++;
            out->sum += 1 / p[i];
            out->squares += 1 / p[i] / p[i];
            out->largest = fmax(out->largest, 1 / p[i]);
        }
    }
    v->share[set] = out->results / out->sum;
done:
    bnre__validity_plan_clear(&plan);
    return status;
}

static bnre_status judge_weights(const bnre__train_run *run,
                                 const struct weights *w, size_t missing)
{
    const double barren = (double)w->barren / (double)w->rows;
    const double mean = w->sum / w->results;

    /* Few rows may be taken for barren that are not: they must be so. */
    if (barren > MOST_BARREN &&
        (double)w->yields < BNRE__LEAST_VALID * (double)w->barren)
        return bnre_fail(
            BNRE_EUSAGE,
            "in about %.2g %% of the prior simulations hardly ever give a "
            "result (less than one in %.0f): nothing can be learned there. "
            "Make the prior narrower, repair the simulator, or give `failure: "
            "outcome` if failing is part of the model",
            100 * barren, 1 / BNRE__LEAST_VALID);
    bnre__train_note(
        &run->opts,
        "%zu simulations are missing: the others count by 1 / P(result | "
        "theta), which was learned from all of them; the largest weight is "
        "%.3g times the mean, and they are worth %.3g %% of as many equal ones",
        missing, w->largest / mean,
        100 * w->sum * w->sum / w->squares / w->results);
    return BNRE_OK;
}

bnre_status bnre__train_fit_validity(bnre__train_run *run, size_t missing)
{
    bnre__validity *v =
        run->est->conditional != NULL ? run->est->conditional->validity : NULL;
    bnre_status status = BNRE_OK;
    struct rows rows = {0};
    struct fit f = {.v = v, .rows = &rows};
    struct weights weights = {0};

    if (v == NULL)
        return BNRE_OK;
    BNRE_TRY(read_rows(run, &rows));
    BNRE_TRY(make(&f));
    for (size_t set = 0; set < v->sets; set++) {
        for (size_t part = 0; part < PARTS; part++) {
            bnre_rng rng = bnre_rng_stream(
                run->opts.seed,
                bnre__purpose(BNRE_USE_WEIGHTS, BNRE_SPLIT_VALIDATE),
                set * PARTS + part);

            train(&f, set, part, &rng);
        }
        BNRE_TRY(weigh(&rows, v, set, &weights));
    }
    BNRE_TRY(judge_weights(run, &weights, missing));
done:
    clear(&f);
    free_rows(&rows);
    return status;
}
