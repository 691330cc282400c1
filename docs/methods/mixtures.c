/* mixtures.c - what members of ensembles have in common: coverage AUC and
   information of estimators of one parameter, each by itself, and of mixtures
   of networks that learned from different simulations.

     cc -O2 mixtures.c -o mixtures $(pkg-config --cflags --libs bnre) -lm
     ./mixtures TEST.h5 PAIRS EST.h5 EST2.h5 ...

   Ranks are those of 400 nodes of equal prior mass. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <bnre.h>

enum { NODES = 400, COLUMNS = NODES + 1 };

static void must(bnre_status status)
{
    if (status == BNRE_OK)
        return;
    fprintf(stderr, "mixtures: %s\n", bnre_error_message());
    exit(1);
}

static double *room_for(size_t n)
{
    double *room = calloc(n, sizeof *room);

    if (room == NULL)
        exit(1);
    return room;
}

/* Add posterior over prior, at all nodes and at the truth, to sum (pairs,
   COLUMNS). */
static void add(const bnre_estimator *est, size_t member, size_t pairs,
                const double *theta, const double *x, double *sum)
{
    const bnre_density q = bnre_estimator_density(est, member);
    double at[COLUMNS], l[COLUMNS];
    void *session;

    must(q.open(q.context, &session));
    for (size_t i = 0; i < pairs; i++) {
        for (size_t k = 0; k < NODES; k++)
            at[k] = bnre_prior_quantile(q.prior, 0, ((double)k + 0.5) / NODES);
        at[NODES] = theta[i];
        must(q.observe(session, x + i * q.x_size));
        must(q.log_ratio(session, COLUMNS, at, l, NULL));
        for (size_t k = 0; k < COLUMNS; k++)
            sum[i * COLUMNS + k] += exp(l[k]);
    }
    q.close(session);
}

static void tell(const char *name, size_t pairs, const double *sum)
{
    double auc = 0, squares = 0, gain = 0;
    const double n = (double)pairs;

    for (size_t i = 0; i < pairs; i++) {
        const double *row = sum + i * COLUMNS;
        double denser = 0, all = 0, off;

        for (size_t k = 0; k < NODES; k++) {
            all += row[k];
            denser += row[k] > row[NODES] ? row[k] : 0;
        }
        off = 0.5 - denser / all;
        auc += off / n;
        squares += off * off / n;
        gain += log(row[NODES] / (all / NODES)) / n;
    }
    printf("%-30s AUC %+.4f +- %.4f, %.3f nats\n", name, auc,
           sqrt((squares - auc * auc) / n), gain);
}

int main(int argc, char **argv)
{
    const size_t pairs = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
    double *theta, *x, *first, *all;
    bnre_dataset *data = NULL;

    if (pairs == 0)
        return 2;
    must(bnre_dataset_open(argv[1], &data));
    theta = room_for(pairs);
    x = room_for(pairs * bnre_dataset_describe(data)->x_size);
    first = room_for(pairs * COLUMNS);
    all = room_for(pairs * COLUMNS);
    must(bnre_dataset_read(data, 0, pairs, theta, NULL, x, NULL));
    for (int k = 3; k < argc; k++) {
        double *own = room_for(pairs * COLUMNS);
        bnre_estimator *est = NULL;

        must(bnre_estimator_open(argv[k], &est));
        add(est, BNRE_ALL_MEMBERS, pairs, theta, x, own);
        tell(argv[k], pairs, own);
        for (size_t i = 0; i < pairs * COLUMNS; i++)
            all[i] += own[i];
        add(est, 0, pairs, theta, x, first);
        bnre_estimator_close(est);
        free(own);
    }
    tell("one network of each", pairs, first);
    tell("all networks", pairs, all);
    bnre_dataset_close(data);
    free(all);
    free(first);
    free(x);
    free(theta);
    return 0;
}
