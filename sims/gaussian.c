/* gaussian.c - a conjugate task whose every answer is known.

   theta ~ N(0, I) in d dimensions, x = theta + N(0, I). Hence x ~ N(0, 2 I) and
   theta | x ~ N(x / 2, I / 2). */
#include <math.h>
#include <stdlib.h>

#include "sims.h"

static bnre_draw create_gaussian(const bnre_plugin_value *options, void **state,
                                 char *reason)
{
    size_t *dim = malloc(sizeof *dim);

    (void)reason;
    if (dim == NULL)
        return BNRE_DRAW_STOP;
    *dim = (size_t)options[0].number;
    *state = dim;
    return BNRE_DRAW_OK;
}

static bnre_draw draw_gaussian(void *state, bnre_rng *rng, const double *theta,
                               const double *nuisance, double *x, char *reason)
{
    const size_t dim = *(const size_t *)state;

    (void)nuisance;
    (void)reason;
    for (size_t i = 0; i < dim; i++)
        x[i] = theta[i] + bnre_rng_normal(rng);
    return BNRE_DRAW_OK;
}

static double log_likelihood_gaussian(void *state, const double *theta,
                                      const double *x)
{
    const size_t dim = *(const size_t *)state;
    double sum = -0.5 * (double)dim * log(2 * 3.14159265358979323846);

    for (size_t i = 0; i < dim; i++)
        sum -= 0.5 * (x[i] - theta[i]) * (x[i] - theta[i]);
    return sum;
}

const bnre_plugin bnre_sim_gaussian = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "gaussian",
    .title = "normal mean with a normal prior; the exact posterior is known",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"theta", "normal(0, 1)", "dim"},
            {0},
        },
    .options =
        (const bnre_plugin_option[]){
            {"dim", "2", "[1, 1000]", "number of parameters"},
            {0},
        },
    .observable = "dim",
    .create = create_gaussian,
    .draw = draw_gaussian,
    .destroy = free,
    .log_likelihood = log_likelihood_gaussian,
};
