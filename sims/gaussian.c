/* gaussian.c - a conjugate task whose every answer is known.

   theta ~ N(0, I) in d dimensions, x = theta + noise N(0, I). With noise 1,
   x ~ N(0, 2 I) and theta | x ~ N(x / 2, I / 2). With uniform priors (settings
   replace them) the posterior is N(x, noise^2 I), cut at their bounds. */
#include <math.h>
#include <stdlib.h>

#include "sims.h"

struct gaussian {
    size_t dim;
    double noise;
};

static bnre_draw create_gaussian(const bnre_plugin_value *options, void **state,
                                 char *reason)
{
    struct gaussian *g = malloc(sizeof *g);

    (void)reason;
    if (g == NULL)
        return BNRE_DRAW_STOP;
    g->dim = (size_t)options[0].number;
    g->noise = options[1].text != NULL ? options[1].number : 1;
    *state = g;
    return BNRE_DRAW_OK;
}

static bnre_draw draw_gaussian(void *state, bnre_rng *rng, const double *theta,
                               const double *nuisance, double *x, char *reason)
{
    const struct gaussian *g = state;

    (void)nuisance;
    (void)reason;
    for (size_t i = 0; i < g->dim; i++)
        x[i] = theta[i] + g->noise * bnre_rng_normal(rng);
    return BNRE_DRAW_OK;
}

static double log_likelihood_gaussian(void *state, const double *theta,
                                      const double *x)
{
    const struct gaussian *g = state;
    double sum = -(double)g->dim *
                 (0.5 * log(2 * 3.14159265358979323846) + log(g->noise));

    for (size_t i = 0; i < g->dim; i++) {
        const double z = (x[i] - theta[i]) / g->noise;

        sum -= 0.5 * z * z;
    }
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
            {"noise", NULL, "(0, inf)",
             "standard deviation of x around theta; 1 if left out"},
            {0},
        },
    .observable = "dim",
    .create = create_gaussian,
    .draw = draw_gaussian,
    .destroy = free,
    .log_likelihood = log_likelihood_gaussian,
};
