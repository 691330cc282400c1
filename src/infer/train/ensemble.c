/* ensemble.c - all members of an ensemble, side by side or one by one. */
#include "base/clock.h"
#include "base/mem.h"
#include "infer/train/run.h"

/* The rows that member k may see, scaled by what they say of themselves. */
static bnre_status take_own(const bnre__train_run *run, size_t k,
                            bnre__train_data *data, bnre__train_inputs *inputs)
{
    bnre_train_opts opts = run->opts;

    if (!run->alone)
        opts.memory /= bnre_pool_threads(opts.pool);
    BNRE_DO(bnre__train_data_of_member(&run->data, &opts, k % opts.folds,
                                       bnre__member_seed(opts.seed, k), data));
    BNRE_DO(bnre__train_data_keep(data, &opts));
    inputs->fold = k % opts.folds;
    inputs->theta = bnre__estimator_scale_theta(run->est, k);
    inputs->x = bnre__estimator_scale_x(run->est, k);
    inputs->train = data->set[BNRE__ROLE_TRAIN];
    inputs->validation = data->set[BNRE__ROLE_VALIDATE];
    BNRE_DO(bnre__subset_scale(data->set[BNRE__ROLE_TRAIN], inputs->theta,
                               inputs->x));
    return bnre__subset_scale(data->set[BNRE__ROLE_VALIDATE], inputs->theta,
                              inputs->x);
}

/* With folds every thread has a copy of what its member may see. */
int bnre__train_keeps(const bnre__train_run *run)
{
    if (run->opts.folds == 0)
        return bnre__train_data_is_kept(&run->data);
    return (double)bnre__subset_bytes(run->data.set[BNRE__ROLE_TRAIN]) *
               (double)bnre_pool_threads(run->opts.pool) <=
           1048576 * (double)run->opts.memory;
}

static bnre_status train_members(void *arg, size_t worker, size_t first,
                                 size_t last)
{
    bnre__train_run *run = arg;
    bnre_status status = BNRE_OK;
    bnre__train_data data = {0};

    (void)worker;
    for (size_t k = first; k < last; k++) {
        const bnre__member *from =
            run->start != NULL ? &run->start->member[k] : NULL;
        bnre__train_inputs own = run->inputs;
        const bnre__train_job job = {
            .opts = &run->opts,
            .inputs = &own,
            .seed = bnre__member_seed(run->opts.seed, k),
            .weights = from != NULL ? from->weights[from->uses] : NULL,
            .buffers = from != NULL ? from->buffers[from->uses] : NULL,
            .pool = run->alone ? run->opts.pool : NULL,
            .deadline = run->deadline,
            .watch = bnre__train_watch_of(run, k),
            .checkpoint = run->part[k],
            .identity = run->identity,
        };

        bnre__train_data_clear(&data);
        if (run->opts.folds > 0)
            BNRE_TRY(take_own(run, k, &data, &own));
        BNRE_TRY(bnre__train_member(&job, &run->trained[k]));
        bnre__train_over(run, k);
    }
done:
    bnre__train_data_clear(&data);
    return status;
}

bnre_status bnre__train_all(bnre__train_run *run)
{
    bnre_status status = BNRE_OK;
    const bnre__subset *train = run->data.set[BNRE__ROLE_TRAIN];
    const bnre__subset *other = run->data.other[BNRE__ROLE_TRAIN];
    const size_t members = run->opts.members, batch = run->opts.batch_size;
    const size_t rows = other != NULL && other->joint > train->joint
                            ? other->joint
                            : train->joint;

    run->inputs = (bnre__train_inputs){
        .net = run->est->net,
        .conditional = run->est->conditional,
        .theta = &run->est->theta,
        .x = &run->est->x,
        .train = train,
        .validation = run->data.set[BNRE__ROLE_VALIDATE],
        .schedule =
            run->data.classes ? NULL : run->data.set[BNRE__ROLE_SCHEDULE],
        .train_other = other,
        .validation_other = run->data.other[BNRE__ROLE_VALIDATE],
    };
    run->each = run->opts.epochs * (rows / batch * batch);
    run->total = members * run->each;
    run->alone = members == 1 || !bnre__train_keeps(run);
    if (run->opts.max_time > 0)
        run->deadline = bnre__clock() + run->opts.max_time;
    BNRE_NEW(run->trained, members);
    BNRE_NEW(run->state, members);
    BNRE_TRY(bnre_pool_for(run->alone ? NULL : run->opts.pool, members, 1,
                           train_members, run));
done:
    return status;
}
