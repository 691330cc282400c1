/* weinberg.c - scattering angles of e+ e- -> mu+ mu- near the Z resonance.

   The angular distribution has a forward-backward asymmetry that is
   proportional to the coupling theta, relative to its nominal value 1. With
   c the cosine of the angle,

     f(c) = 3/8 (1 + c^2 + a c),   a = 2 tanh(10 (2 E - m_Z) / m_Z) theta

   at beam energy E = 40 and m_Z = 90. A value is a proposal c, uniform on
   (-1, 1), that was accepted with probability f(c) / M, M = max f = f(+-1):
   the textbook rule. The reference divides by M once more, so that

     p(c) ~ min(1, max(0, f(c) / M^2)),

   flat where f > M^2 (theta < 0.4144). With both rules values never fall where
   f < 0 (theta > 1.2431). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sims.h"

enum { VALUES = 20, REFERENCE = 0 };

/* The law of c' = c or -c, whichever makes a >= 0, without the factor 3/8:
   p(c') ~ clip(1 + c'^2 + a c') between 0 and top. */
struct law {
    double a, top, sign; /* c = sign c' */
};

static struct law law_of(const int *acceptance, double theta)
{
    const double energy = 40, mass = 90;
    double a = 2 * tanh(10 * (2 * energy - mass) / mass) * theta;
    double max = 2 + fabs(a);

    return (struct law){
        .a = fabs(a),
        .top = *acceptance == REFERENCE ? 3 * max * max / 8 : max,
        .sign = a < 0 ? -1 : 1,
    };
}

/* Without branches that nobody could predict: a minimum, which is an instruction,
   and twice a maximum with 0, as a sum. */
static double clipped(const struct law *law, double c)
{
    double f = 1 + c * c + law->a * c;

    f = f > law->top ? law->top : f;
    return 0.5 * (f + fabs(f));
}

static bnre_draw create_weinberg(const bnre_plugin_value *options, void **state,
                                 char *reason)
{
    int *acceptance = malloc(sizeof *acceptance);

    if (acceptance == NULL) {
        snprintf(reason, BNRE_REASON_SIZE, "no memory");
        return BNRE_DRAW_STOP;
    }
    *acceptance = options[0].choice;
    *state = acceptance;
    return BNRE_DRAW_OK;
}

/* Rejection with fewer misses than the rule it stands for: |c'| is uniform on
   (0, 1), and one number decides between c' = |c'|, -|c'| and another try. The
   density of |c'| is ~ clipped(|c'|) + clipped(-|c'|), which is largest at 1:
   the first term grows; the sum of both grows as 1 + c^2 as long as neither is
   clipped, and as the first term where the second is 0; and the first is
   clipped for a < 2/3 only, when the second too is largest at 1. */
static bnre_draw draw_weinberg(void *state, bnre_rng *rng, const double *theta,
                               const double *nuisance, double *x, char *reason)
{
    struct law law = law_of(state, theta[0]);
    const double side[] = {-law.sign, law.sign};
    double most = clipped(&law, 1) + clipped(&law, -1);

    (void)nuisance;
    (void)reason;
    for (int i = 0; i < VALUES;) {
        double c = bnre_rng_uniform(rng);
        double v = bnre_rng_uniform(rng) * most;
        double forward = clipped(&law, c), backward = clipped(&law, -c);

        /* Stored without a branch, too; a miss is overwritten. */
        x[i] = side[v < forward] * c;
        i += v < forward + backward;
    }
    return BNRE_DRAW_OK;
}

/* The integral of the clipped 1 + c^2 + a c over (-1, 1), by the antiderivative
   between the points where clipping begins and ends. */
static double normalisation(const struct law *law)
{
    double a = law->a, low = -1, high = 1, flat = 0;

    if (law->top < 2 + a) {
        double root = sqrt(a * a - 4 * (1 - law->top));

        high = (root - a) / 2;
        flat = law->top * (1 - high);
        if (-(root + a) / 2 > low) { /* a near 0: clipped on both sides */
            low = -(root + a) / 2;
            flat += law->top * (low + 1);
        }
    }
    if (a > 2) /* the larger root of 1 + c^2 + a c; the other is below -1 */
        low = -2 / (a + sqrt((a - 2) * (a + 2)));
    return flat + (high - low) + (high * high * high - low * low * low) / 3 +
           a * (high * high - low * low) / 2;
}

static double log_likelihood_weinberg(void *state, const double *theta,
                                      const double *x)
{
    struct law law = law_of(state, theta[0]);
    double sum = -VALUES * log(normalisation(&law));

    for (int i = 0; i < VALUES; i++) {
        if (!(fabs(x[i]) <= 1))
            return -INFINITY;
        sum += log(clipped(&law, law.sign * x[i]));
    }
    return sum;
}

const bnre_plugin bnre_sim_weinberg = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "weinberg",
    .title = "twenty scattering angles; infer the coupling",
    .reference = "Louppe, Cranmer, Adversarial Variational Optimization of "
                 "Non-Differentiable Simulators, 2017",
    .parameters =
        (const bnre_plugin_parameter[]){
            {"coupling", "uniform(0.25, 2)", NULL},
            {0},
        },
    .options =
        (const bnre_plugin_option[]){
            {"acceptance", "reference", "reference|textbook",
             "divide f by its maximum twice, or once"},
            {0},
        },
    .observable = "20",
    .create = create_weinberg,
    .draw = draw_weinberg,
    .destroy = free,
    .log_likelihood = log_likelihood_weinberg,
};
