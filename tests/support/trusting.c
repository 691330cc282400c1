#include "trusting.h"

static const char network[] = "{head: {hidden: [16], activation: selu}}";

void trusting_begin(struct trusting *run, const char *data)
{
    *run = (struct trusting){.net = training_network(network),
                             .trust = bnre_trust_opts_default()};
    run->train = training_opts(data, run->net);
    run->train.epochs = 25;
    run->train.members = 2;
    run->train.learning_rate = 0.01;
    run->trust.trust = BNRE_TRUST_FRESH;
    run->trust.select = "60";
    run->trust.certify = "600";
    run->trust.calibrate = "40";
    run->trust.effort = 1000; /* such a training costs less than one look */
}

void trusting_end(struct trusting *run)
{
    bnre_trust_result_clear(&run->result);
    bnre_node_destroy(run->net);
}

bnre_status trusting_go(struct trusting *run, const char *path)
{
    bnre_trust_result_clear(&run->result);
    return bnre_trust_train(&run->train, &run->trust, path, &run->result);
}

int trusting_stop_after(void *context, size_t done, size_t found, size_t total)
{
    size_t *left = context;

    (void)done;
    (void)found;
    (void)total;
    return *left > 0 && --*left == 0;
}
