/* check_trust.c - whether an estimator can be trusted where an observation is:
   posterior simulation-based calibration, and coverage of pairs near it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diag/diag.h"
#include "trust/check.h"

double bnre__check_uniform(const bnre_diag *diag)
{
    double least = 1;
    size_t tests = 0;
    bnre_uniformity u;
    size_t count[20];

    if (diag->n_curves > 0 && bnre__uniformity_of(diag->n, diag->curve[0].rank,
                                                  20, count, &u) == BNRE_OK) {
        least = fmin(least, u.ks_p);
        tests++;
    }
    for (size_t k = 0; k < diag->dim; k++) {
        if (!(diag->parameter[k].scale > 0)) /* fixed */
            continue;
        least = fmin(least, diag->parameter[k].sbc.ks_p);
        tests++;
    }
    return fmin(1, (double)tests * least); /* the smallest, by Holm's method */
}

const char *bnre_check_here_means(void)
{
    return "Data were simulated from draws of this posterior, and the draws "
           "ranked given these and the observation together. This tests the "
           "estimator at data such as this posterior predicts, and never the "
           "posterior of the observation itself";
}

const char *bnre_check_near_means(void)
{
    return "Of pairs drawn from the prior those whose x look most like the "
           "observation to the estimator, chosen by x alone. This tests "
           "posteriors of data around the observation, on average over them";
}

/* ---- here ---- */

bnre_status bnre__check_here(const bnre__check_input *input, size_t m,
                             const double *bank, uint64_t seed,
                             const bnre_monitor *monitor, bnre_diag **out)
{
    const bnre_prior *prior = input->density->prior;
    const size_t dim = bnre_prior_dim(prior);
    bnre_density density = *input->density;
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_prior *posterior = NULL;
    bnre_status status = BNRE_OK;
    const char **name = NULL;

    *out = NULL;
    BNRE_NEW(name, dim);
    for (size_t i = 0; i < dim; i++)
        name[i] = bnre_prior_name(prior, i);
    BNRE_TRY(bnre_prior_create_samples(dim, name, m, bank, &posterior));
    /* The posterior of x_o is the prior, and y_j brings its ratio. What can be
       drawn is the posterior by the old prior, which is another. */
    density.prior = posterior;
    density.draw = NULL;
    density.result = NULL;
    density.members = 0;
    opts.grid = BNRE_DIAG_BANK;
    opts.over = "draws of this posterior";
    opts.least_gain = -HUGE_VAL; /* y may well tell nothing more */
    opts.seed = seed;
    opts.pool = input->pool;
    opts.monitor = monitor;
    BNRE_TRY(bnre_diagnose(&density, input->n, input->observations,
                           input->theta, input->y, &opts, out));
done:
    bnre_prior_destroy(posterior);
    bnre__free(name);
    return status;
}

/* ---- near ---- */

enum { PLACES = 32, FEWEST = 200, SHARE = 10, BLOCK = 256 };

size_t bnre__check_nearest(size_t n)
{
    const size_t share = n / SHARE;

    if (share >= FEWEST)
        return share;
    return n < FEWEST ? n : FEWEST;
}

struct near {
    double distance;
    size_t row;
};

static int nearer_first(const void *a, const void *b)
{
    const struct near *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance > y->distance ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

struct search {
    const bnre__check_input *input;
    size_t places;
    double view[PLACES]; /* of x_o */
    const double *x;     /* (BLOCK, x_size) */
    const uint8_t *drawn;
    size_t first;
    struct near *near;
    bnre_session **session;
};

/* What is seen in x: log ratios at draws of the posterior of x_o, which depend
   on x alone. Large ones count by their logarithm. */
static bnre_status view_of(const struct search *search, bnre_session *session,
                           const double *x, double out[PLACES])
{
    BNRE_DO(bnre_session_observe(session, 1, x));
    BNRE_DO(bnre_session_log_ratio(session, search->places,
                                   search->input->theta, out, NULL));
    for (size_t k = 0; k < search->places; k++)
        out[k] = asinh(fmax(out[k], -1e6));
    return BNRE_OK;
}

static bnre_status measure_some(void *arg, size_t worker, size_t first,
                                size_t last)
{
    struct search *search = arg;
    const bnre_density *density = search->input->density;
    double view[PLACES];

    if (search->session[worker] == NULL)
        BNRE_DO(bnre_session_open(density, NULL, &search->session[worker]));
    for (size_t i = first; i < last; i++) {
        struct near *near = &search->near[search->first + i];

        *near = (struct near){HUGE_VAL, search->first + i};
        if (search->drawn[i] != BNRE_DRAW_OK)
            continue;
        BNRE_DO(view_of(search, search->session[worker],
                        search->x + i * density->x_size, view));
        near->distance = 0;
        for (size_t k = 0; k < search->places; k++)
            near->distance +=
                (view[k] - search->view[k]) * (view[k] - search->view[k]);
    }
    return BNRE_OK;
}

/* Distances of all rows; *n receives how many did not fail. */
static bnre_status measure(struct search *search, bnre_dataset *data,
                           const bnre_monitor *monitor, size_t *n)
{
    enum { CHUNK = 16 };
    const bnre_density *density = search->input->density;
    bnre_pool *pool = density->open != NULL ? search->input->pool : NULL;
    const size_t rows = bnre_dataset_describe(data)->rows;
    const size_t threads = bnre_pool_threads(pool);
    bnre_status status = BNRE_OK;
    uint8_t *drawn = NULL;
    double *x = NULL;

    *n = 0;
    BNRE_NEW(search->session, threads);
    BNRE_NEW(x, BLOCK * density->x_size);
    BNRE_NEW(drawn, BLOCK);
    search->x = x;
    search->drawn = drawn;
    BNRE_TRY(bnre_session_open(density, NULL, &search->session[0]));
    BNRE_TRY(
        view_of(search, search->session[0], search->input->x, search->view));
    for (; search->first < rows; search->first += BLOCK) {
        const size_t rest = rows - search->first;
        const size_t some = rest < BLOCK ? rest : BLOCK;

        BNRE_TRY(
            bnre_dataset_read(data, search->first, some, NULL, NULL, x, drawn));
        BNRE_TRY(bnre_pool_for(pool, some, CHUNK, measure_some, search));
        for (size_t i = 0; i < some; i++)
            *n += drawn[i] == BNRE_DRAW_OK;
        if (monitor != NULL && monitor->progress != NULL &&
            monitor->progress(monitor->context, search->first + some, 0,
                              rows) != 0)
            BNRE_THROW(BNRE_EINTR, "interrupted");
    }
done:
    for (size_t i = 0; search->session != NULL && i < threads; i++)
        bnre_session_close(search->session[i]);
    bnre__free(search->session);
    bnre__free(drawn);
    bnre__free(x);
    return status;
}

static int by_row(const void *a, const void *b)
{
    const struct near *x = a, *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* Diagnose the pairs in the first n places of the list. */
static bnre_status diagnose(const struct search *search, bnre_dataset *data,
                            size_t n, const bnre_diag_opts *opts,
                            bnre_diag **out)
{
    const bnre_density *density = search->input->judged != NULL
                                      ? search->input->judged
                                      : search->input->density;
    const size_t dim = bnre_prior_dim(density->prior);
    double *theta = NULL, *x = NULL, *u = NULL;
    bnre_status status = BNRE_OK;

    BNRE_NEW(theta, n * dim);
    BNRE_NEW(u, n * dim);
    BNRE_NEW(x, n * density->x_size);
    qsort(search->near, n, sizeof *search->near, by_row);
    for (size_t i = 0; i < n; i++)
        BNRE_TRY(bnre_dataset_read(data, search->near[i].row, 1,
                                   theta + i * dim, NULL,
                                   x + i * density->x_size, NULL));
    if (density->place != NULL)
        BNRE_TRY(density->place(density->context, opts->pool, n, theta, u));
    BNRE_TRY(bnre_diagnose(density, n, 1, density->place != NULL ? u : theta, x,
                           opts, out));
done:
    bnre__free(x);
    bnre__free(u);
    bnre__free(theta);
    return status;
}

bnre_status bnre__check_near(const bnre__check_input *input, bnre_dataset *data,
                             uint64_t seed, const bnre_monitor *monitor,
                             bnre_diag **out)
{
    struct search search = {.input = input,
                            .places = input->n < PLACES ? input->n : PLACES};
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_status status = BNRE_OK;
    size_t n;

    *out = NULL;
    opts.over = "data near the observation";
    opts.least_gain = -HUGE_VAL; /* nothing may be known where x_o is */
    opts.seed = seed;
    opts.pool = input->pool;
    opts.monitor = monitor;
    BNRE_NEW(search.near, bnre_dataset_describe(data)->rows);
    BNRE_TRY(measure(&search, data, monitor, &n));
    qsort(search.near, bnre_dataset_describe(data)->rows, sizeof *search.near,
          nearer_first);
    BNRE_TRY(diagnose(&search, data, bnre__check_nearest(n), &opts, out));
done:
    bnre__free(search.near);
    return status;
}
