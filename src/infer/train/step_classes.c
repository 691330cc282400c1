/* step_classes.c - batches of two classes.

   An epoch goes once through the class with more rows. The other goes along:
   in training it begins again, in a new order, whenever its rows are used up,
   epochs or not; in validation its batches are spread over those of the larger
   one, each being seen once. */
#include <string.h>

#include "base/mem.h"
#include "infer/train/loss.h"
#include "infer/train/step.h"
#include "nn/plan.h"

static int is_second_larger(const bnre__trainer *t, size_t pass)
{
    const bnre__train_inputs *in = t->inputs;

    return pass == BNRE__PASS_TRAIN
               ? in->train_other->joint > in->train->joint
               : in->validation_other->joint > in->validation->joint;
}

bnre_status bnre__trainer_init_classes(bnre__trainer *t)
{
    bnre_status status = BNRE_OK;
    const bnre__train_inputs *in = t->inputs;
    const bnre__subset *set[2][2] = {
        [BNRE__PASS_TRAIN] = {in->train, in->train_other},
        [BNRE__PASS_VALIDATE] = {in->validation, in->validation_other},
    };

    BNRE_NEW(t->other.x, 2 * t->opts->batch_size * in->train->info->x_size);
    for (size_t pass = 0; pass < 2; pass++) {
        const int larger = is_second_larger(t, pass);
        bnre__loader_opts opts = bnre__trainer_loader(t, pass);

        BNRE_TRY(
            bnre__loader_create(set[pass][larger], &opts, &t->loader[pass]));
        /* An order of its own: splits name streams, and training on classes
           has no other use for this one. */
        opts.split = BNRE_SPLIT_SELECT;
        BNRE_TRY(bnre__loader_create(set[pass][!larger], &opts,
                                     &t->other.loader[pass]));
    }
done:
    return status;
}

/* Batch number k of the smaller class, all its passes counted. */
static bnre_status take_other(bnre__trainer *t, uint64_t k,
                              bnre__batch_rows *rows)
{
    const size_t pass = (size_t)t->state.pass;
    bnre__loader *loader = t->other.loader[pass];
    const size_t n = bnre__loader_batches(loader);

    if (!t->other.begun[pass] || t->other.at[pass] != k || k % n == 0) {
        BNRE_DO(bnre__loader_begin(loader, (size_t)(k / n) + 1));
        BNRE_DO(bnre__loader_skip(loader, (size_t)(k % n)));
        t->other.begun[pass] = 1;
    }
    BNRE_DO(bnre__loader_next(loader, rows));
    t->other.at[pass] = k + 1;
    return BNRE_OK;
}

/* ---- training ---- */

static bnre_status train_batch(bnre__trainer *t, const bnre__batch_rows *rows)
{
    const size_t n = rows->n, size = t->inputs->train->info->x_size;
    const int second = is_second_larger(t, BNRE__PASS_TRAIN);
    const uint64_t batches = bnre__loader_batches(t->loader[BNRE__PASS_TRAIN]);
    const bnre__minibatch pairs = {.n = 2 * n, .x = t->other.x};
    bnre__batch_rows other;
    bnre__loss loss;

    BNRE_DO(
        take_other(t, (t->state.epoch - 1) * batches + t->state.batch, &other));
    memcpy(t->other.x + (second ? n * size : 0), rows->x,
           n * size * sizeof *rows->x);
    memcpy(t->other.x + (second ? 0 : n * size), other.x,
           n * size * sizeof *other.x);
    bnre__plan_train_forward(t->plan, &pairs, t->a, NULL);
    loss = bnre__loss_balanced(bnre__trainer_lambda(t), n, t->a, t->a + n,
                               t->da, t->da + n);
    return bnre__trainer_step(t, &loss, t->da, NULL);
}

/* ---- losses of sets ---- */

static void evaluate(bnre__trainer *t, const bnre__batch_rows *rows,
                     int is_first)
{
    const bnre__minibatch pairs = {.n = rows->n, .x = rows->x};

    bnre__plan_pairs(t->plan, &pairs, t->a, NULL);
    bnre__set_add_class(&t->state.sums, rows->n, t->a, is_first);
}

static bnre_status evaluate_batch(bnre__trainer *t,
                                  const bnre__batch_rows *rows)
{
    const int second = is_second_larger(t, BNRE__PASS_VALIDATE);
    const uint64_t all = bnre__loader_batches(t->loader[BNRE__PASS_VALIDATE]);
    const uint64_t n =
        bnre__loader_batches(t->other.loader[BNRE__PASS_VALIDATE]);
    const uint64_t k = t->state.batch * n / all;
    bnre__batch_rows other;

    evaluate(t, rows, !second);
    if ((t->state.batch + 1) * n / all == k)
        return BNRE_OK;
    BNRE_DO(take_other(t, k, &other));
    evaluate(t, &other, second);
    return BNRE_OK;
}

bnre_status bnre__trainer_classes(bnre__trainer *t,
                                  const bnre__batch_rows *rows)
{
    return t->state.pass == BNRE__PASS_TRAIN ? train_batch(t, rows)
                                             : evaluate_batch(t, rows);
}
