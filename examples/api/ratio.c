/* From a task to log ratios, in C: simulate, train, evaluate.

     cc ratio.c -o ratio $(pkg-config --cflags --libs bnre) -lm && ./ratio

   The task: theta is normal(0, 1), x is normal(theta, 1), so that x alone is
   normal with variance 2, and the exact log ratio log p(x|theta) - log p(x) can
   be printed beside the estimate. */
#include <bnre.h>
#include <math.h>
#include <stdio.h>

#define TRY(call)                                                              \
    do {                                                                       \
        if ((call) != BNRE_OK)                                                 \
            goto done;                                                         \
    } while (0)

int main(void)
{
    static char data[] = "pairs.h5";
    static const char *const options[] = {"dim=1"};
    static const double x = 0.8;
    bnre_simulate_opts simulate = bnre_simulate_opts_default();
    bnre_train_opts train = bnre_train_opts_default();
    bnre_task *task = NULL;
    bnre_node *network = NULL;
    bnre_estimator *est = NULL;
    int failed = 1;

    simulate.count = 4000;
    TRY(bnre_task_open("gaussian", 1, options, &task));
    TRY(bnre_simulate(task, &simulate, data, NULL));

    TRY(bnre_yaml_parse("head: {hidden: [32, 32], activation: selu}", NULL,
                        &network));
    train.data = data;
    train.settings = network;
    train.method = BNRE_METHOD_NRE;
    train.epochs = 20;
    TRY(bnre_train(&train, "estimator.h5", NULL));
    TRY(bnre_estimator_open("estimator.h5", &est));
    printf("theta  estimate  exact    for x = %.1f\n", x);
    for (double theta = -1; theta < 2.3; theta += 0.5) {
        const double d = x - theta;
        const double exact = log(2) / 2 - d * d / 2 + x * x / 4;
        double log_ratio;

        TRY(bnre_estimator_log_ratio(est, NULL, 1, &theta, &x, &log_ratio));
        printf("%5.1f  %8.3f  %5.3f\n", theta, log_ratio, exact);
    }
    failed = 0;
done:
    if (failed)
        fprintf(stderr, "%s\n", bnre_error_message());
    bnre_estimator_close(est);
    bnre_node_destroy(network);
    bnre_task_destroy(task);
    return failed;
}
