#include "made.h"

#include <math.h>
#include <stdio.h>

#include "support.h"
#include "task/outline.h"
#include "training.h"

const char *made_task(const made *of)
{
    const char *path = scratch_path("made.yaml");
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(of->task, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void write_row(const made *of, FILE *file, const double *theta,
                      const double *x, int status)
{
    for (size_t i = 0; i < of->dim; i++)
        fprintf(file, "%.17g,", theta[i]);
    for (size_t i = 0; i < of->x_size; i++)
        if (status == 0)
            fprintf(file, "%.9g,", x[i]);
        else
            fprintf(file, "nan,");
    fprintf(file, "%d\n", status);
}

const char *made_data(const made *of, const char *name, size_t rows,
                      uint64_t seed)
{
    const char *path;
    bnre__outline outline = {0};
    double theta[64], x[64];
    FILE *file;

    assert_ok(bnre__outline_read(&outline, of->task, made_task(of), NULL));
    assert_int_equal(bnre_prior_dim(outline.prior), of->dim);
    path = scratch_path(name);
    file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < of->dim; i++)
        fprintf(file, "theta.%s,", bnre_prior_name(outline.prior, i));
    for (size_t i = 0; i < of->x_size; i++)
        fprintf(file, "x.%zu,", i);
    fprintf(file, "status\n");
    for (size_t r = 0; r < rows; r++) {
        bnre_rng rng = bnre_rng_stream(seed, 77, r);

        if (of->draw != NULL)
            of->draw(&rng, theta);
        else
            bnre_prior_draw(outline.prior, &rng, theta);
        write_row(of, file, theta, x, of->simulate(&rng, theta, x));
    }
    assert_int_equal(fclose(file), 0);
    bnre__outline_clear(&outline);
    return path;
}

bnre_train_opts made_opts(const made *of, const char *data)
{
    static bnre_node *network;
    static char task[512];
    bnre_train_opts opts;

    if (network == NULL)
        network = training_network("head: {hidden: [32, 32], activation: elu}");
    snprintf(task, sizeof task, "%s", made_task(of));
    opts = training_opts(data, network);
    opts.task = task;
    opts.method = BNRE_METHOD_NPE;
    opts.epochs = 120;
    opts.batch_size = 64;
    opts.force = 1;
    return opts;
}

bnre_estimator *made_train(const bnre_train_opts *opts,
                           bnre_train_result *result)
{
    char path[512];
    bnre_estimator *est = NULL;

    snprintf(path, sizeof path, "%s", scratch_path("made.h5"));
    assert_ok(bnre_train(opts, path, result));
    assert_ok(bnre_estimator_open(path, &est));
    return est;
}
