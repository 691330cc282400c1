/* Training does not give up before it has found anything. */
#include "bnre/train.h"
#include "support.h"
#include "training.h"

/* With this seed the validation loss rises for 20 epochs before it falls. */
static void a_slow_start_is_no_reason_to_stop(void **state)
{
    bnre_node *network =
        training_network("head: {hidden: [64, 64, 64], activation: elu}\n");
    bnre_train_opts opts = bnre_train_opts_default();
    bnre_train_result result;

    (void)state;
    opts.data = training_data("slcp.h5", "slcp", 1024, BNRE_SPLIT_TRAIN);
    opts.settings = network;
    opts.method = BNRE_METHOD_NRE;
    opts.seed = 8;
    assert_ok(bnre_train(&opts, scratch_path("slow.h5"), &result));
    assert_true(result.best_epoch > 50);
    assert_true(result.cross_entropy < 1.2); /* chance has 1.386 */
    bnre_node_destroy(network);
}

/* A rate so low that weights stay where they are. */
static void where_there_is_nothing_it_ends(void **state)
{
    bnre_node *network =
        training_network("head: {hidden: [4], activation: selu}\n");
    bnre_train_opts opts = bnre_train_opts_default();
    bnre_train_result result;

    (void)state;
    opts.data = training_data("gaussian.h5", "gaussian", 400, BNRE_SPLIT_TRAIN);
    opts.settings = network;
    opts.method = BNRE_METHOD_BNRE;
    opts.learning_rate = 1e-9;
    opts.batch_size = 16;
    assert_ok(bnre_train(&opts, scratch_path("nothing.h5"), &result));
    assert_true(result.stop != BNRE_STOP_EPOCHS);
    assert_in_range(result.last_epoch, 1500 / 23, 1500 / 22 + 25);
    bnre_node_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_start_is_no_reason_to_stop),
        cmocka_unit_test(where_there_is_nothing_it_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
