/* Metropolis steps of many walkers: leaps to a fitted mixture (independence
   chains: Tierney 1994), differences of two earlier points (ter Braak and
   Vrugt 2008), Hamiltonian glides (Duane and others 1987; Neal 2011). Each kind
   is one batch for the density: of a walker, one evaluation for a leap or a
   difference; for a glide of s strides s + 1 evaluations with gradients and
   O(s m^2). */
#include "posterior/moves.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static const double from_prior = 0.05; /* share of leaps to draws of the prior:
                                          bounds the weights of leaps */
static const double good_differ = 0.25, good_glide = 0.8; /* acceptance */

enum {
    MOST_STRIDES = 8,
    MOST_DIM = 256,
    /* A glide costs some ten evaluations without gradient. Per effective draw
       that was twice as much as differing in 10 dimensions, as much in 40. */
    GLIDE_FROM = 32
};

bnre_status bnre__moves_init(bnre__moves *moves, bnre__target *target,
                             size_t most)
{
    const size_t m = target->m;
    bnre_status status = BNRE_OK;

    *moves = (bnre__moves){.target = target,
                           .most = most,
                           .glides = target->has_gradient && m >= GLIDE_FROM,
                           .scale = 2.38 / sqrt(2 * (double)m),
                           .stride = 1 / pow((double)m, 0.25)};
    BNRE_TRY(bnre__walkers_init(&moves->next, most, target));
    BNRE_NEW(moves->log_weight, most);
    BNRE_NEW(moves->leap_ratio, most);
    BNRE_NEW(moves->alive, most);
    BNRE_NEW(moves->momentum, most * m);
    BNRE_NEW(moves->energy, most);
    BNRE_TRY(bnre__mixture_init(&moves->mixture, m));
    BNRE_NEW(moves->factor, m * m);
done:
    return status;
}

void bnre__moves_clear(bnre__moves *moves)
{
    bnre__free(moves->belongs);
    bnre__free(moves->point);
    bnre__free(moves->factor);
    bnre__mixture_clear(&moves->mixture);
    bnre__free(moves->energy);
    bnre__free(moves->momentum);
    bnre__free(moves->alive);
    bnre__free(moves->leap_ratio);
    bnre__free(moves->log_weight);
    bnre__walkers_clear(&moves->next);
}

/* Points in the order of their components. */
static void group(bnre__moves *moves, size_t n, const double *z)
{
    const size_t m = moves->target->m;
    size_t place = 0;

    for (size_t c = 0; c < BNRE__MIXTURE_MOST; c++) {
        moves->first[c] = place;
        for (size_t k = 0; k < n; k++)
            if (moves->belongs[k] == c)
                memcpy(moves->point + m * place++, z + k * m,
                       m * sizeof *moves->point);
    }
    moves->first[BNRE__MIXTURE_MOST] = place;
    moves->kept = n;
}

bnre_status bnre__moves_learn(bnre__moves *moves, size_t n, const double *z,
                              bnre_rng *rng)
{
    bnre_status status = BNRE_OK;

    if (n > moves->room) {
        bnre__free(moves->belongs);
        bnre__free(moves->point);
        moves->belongs = NULL;
        moves->point = NULL;
        moves->room = 0;
        BNRE_NEW(moves->belongs, n);
        BNRE_NEW(moves->point, n * moves->target->m);
        moves->room = n;
    }
    BNRE_TRY(bnre__mixture_fit(&moves->mixture, n, z, rng, moves->belongs));
    BNRE_TRY(bnre__mixture_common_factor(&moves->mixture, moves->factor));
    group(moves, n, z);
done:
    return status;
}

static double log_target(const bnre__walkers *walkers, size_t k, double beta)
{
    /* 0 x -inf must stay -inf */
    if (walkers->ratio[k] == -HUGE_VAL)
        return -HUGE_VAL;
    return beta * walkers->ratio[k] + walkers->base[k];
}

/* Accept proposal k if the logarithm of its advantage allows it. */
static size_t decide(bnre__moves *moves, bnre__walkers *walkers, size_t k,
                     double advantage, bnre_rng *rng)
{
    /* A number is used in any case, so that streams do not depend on it. */
    const double limit = log(bnre_rng_open(rng));

    if (!(limit < advantage))
        return 0;
    bnre__walkers_copy(moves->target, walkers, k, &moves->next, k);
    return 1;
}

double bnre__moves_log_leap(const bnre__moves *moves,
                            const bnre__walkers *walkers, size_t k)
{
    const double a = log1p(-from_prior) +
                     bnre__mixture_log_density(
                         &moves->mixture, walkers->z + k * moves->target->m);
    const double b = log(from_prior) + walkers->base[k];

    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

static bnre_status leap(bnre__moves *moves, bnre__walkers *walkers, double beta,
                        bnre_rng *rng)
{
    bnre__target *target = moves->target;
    bnre__walkers *next = &moves->next;
    size_t accepted = 0;

    for (size_t k = 0; k < walkers->n; k++) {
        double *z = next->z + k * target->m, theta[MOST_DIM];

        if (bnre_rng_uniform(rng) < from_prior) {
            bnre_prior_draw(target->prior, rng, theta);
            bnre__target_to_real(target, theta, z);
        } else {
            bnre__mixture_draw(&moves->mixture, rng, z);
        }
    }
    next->n = walkers->n;
    BNRE_DO(bnre__target_evaluate(target, next, 0));
    for (size_t k = 0; k < walkers->n; k++) {
        const double there = log_target(next, k, beta);
        const double here = log_target(walkers, k, beta);
        double to, from;

        moves->leap_ratio[k] = next->ratio[k];
        moves->log_weight[k] = -HUGE_VAL;
        if (there == -HUGE_VAL) {
            (void)decide(moves, walkers, k, -HUGE_VAL, rng);
            continue;
        }
        to = bnre__moves_log_leap(moves, next, k);
        from = bnre__moves_log_leap(moves, walkers, k);
        moves->log_weight[k] = log_target(next, k, 1) - to;
        accepted += decide(moves, walkers, k, there - to - here + from, rng);
    }
    moves->leaping = (double)accepted / (double)walkers->n;
    return BNRE_OK;
}

/* Two different points of one component, chosen by its size. A component of one
   point lends the whole set. */
static void pick_pair(const bnre__moves *moves, bnre_rng *rng, size_t *a,
                      size_t *b)
{
    const size_t any = (size_t)bnre_rng_below(rng, moves->kept);
    size_t c = 0, first, count;

    while (any >= moves->first[c + 1])
        c++;
    first = moves->first[c];
    count = moves->first[c + 1] - first;
    if (count < 2) {
        first = 0;
        count = moves->kept;
    }
    *a = first + (size_t)bnre_rng_below(rng, count);
    *b = first + (size_t)bnre_rng_below(rng, count);
}

static bnre_status differ(bnre__moves *moves, bnre__walkers *walkers,
                          double beta, double adapt, bnre_rng *rng)
{
    bnre__walkers *next = &moves->next;
    const size_t m = moves->target->m;
    size_t accepted = 0;

    for (size_t k = 0; k < walkers->n; k++) {
        size_t a, b;

        pick_pair(moves, rng, &a, &b);
        for (size_t i = 0; i < m; i++) {
            /* A little noise reaches what no difference does. */
            const double width = moves->factor[i * m + i];

            next->z[k * m + i] = walkers->z[k * m + i] +
                                 moves->scale * (moves->point[a * m + i] -
                                                 moves->point[b * m + i]) +
                                 0.01 * width * bnre_rng_normal(rng);
        }
    }
    next->n = walkers->n;
    BNRE_DO(bnre__target_evaluate(moves->target, next, 0));
    for (size_t k = 0; k < walkers->n; k++)
        accepted += decide(
            moves, walkers, k,
            log_target(next, k, beta) - log_target(walkers, k, beta), rng);
    moves->local = (double)accepted / (double)walkers->n;
    moves->scale *= exp(adapt * (moves->local - good_differ));
    return BNRE_OK;
}

/* Change the momenta by half a stride along the gradient. Walkers that left the
   support, where there is none, are lost. */
static void push(bnre__moves *moves, double beta)
{
    const bnre__walkers *next = &moves->next;
    const size_t m = moves->target->m;

    for (size_t k = 0; k < next->n; k++) {
        moves->alive[k] &= (unsigned char)(next->ratio[k] > -HUGE_VAL);
        if (!moves->alive[k])
            continue;
        for (size_t i = 0; i < m; i++) {
            double slope = 0;

            for (size_t j = i; j < m; j++) /* the factor, transposed */
                slope +=
                    moves->factor[j * m + i] *
                    (beta * next->dratio[k * m + j] + next->dbase[k * m + j]);
            moves->momentum[k * m + i] += 0.5 * moves->stride * slope;
        }
    }
}

static void drift(bnre__moves *moves)
{
    bnre__walkers *next = &moves->next;
    const size_t m = moves->target->m;

    for (size_t k = 0; k < next->n; k++)
        for (size_t i = 0; i < m && moves->alive[k]; i++)
            for (size_t j = 0; j <= i; j++)
                next->z[k * m + i] += moves->stride * moves->factor[i * m + j] *
                                      moves->momentum[k * m + j];
}

static double kinetic(const bnre__moves *moves, size_t k)
{
    const size_t m = moves->target->m;
    double sum = 0;

    for (size_t i = 0; i < m; i++)
        sum += moves->momentum[k * m + i] * moves->momentum[k * m + i];
    return sum / 2;
}

static void set_off(bnre__moves *moves, const bnre__walkers *walkers,
                    double beta, bnre_rng *rng)
{
    const size_t m = moves->target->m;

    moves->next.n = walkers->n;
    for (size_t k = 0; k < walkers->n; k++) {
        bnre__walkers_copy(moves->target, &moves->next, k, walkers, k);
        for (size_t i = 0; i < m; i++)
            moves->momentum[k * m + i] = bnre_rng_normal(rng);
        moves->energy[k] = kinetic(moves, k) - log_target(walkers, k, beta);
        moves->alive[k] = 1;
    }
}

uint64_t bnre__moves_strides(const bnre__moves *moves, bnre_rng *rng)
{
    const double far = ceil(1.6 / moves->stride); /* a quarter of an orbit */
    const uint64_t most = far < 1              ? 1
                          : far > MOST_STRIDES ? MOST_STRIDES
                                               : (uint64_t)far;

    return 1 + bnre_rng_below(rng, most);
}

static bnre_status glide(bnre__moves *moves, bnre__walkers *walkers,
                         double beta, double adapt, uint64_t strides,
                         bnre_rng *rng)
{
    double accepted = 0;

    set_off(moves, walkers, beta, rng);
    BNRE_DO(bnre__target_evaluate(moves->target, &moves->next, 1));
    for (uint64_t s = 0; s < strides; s++) {
        push(moves, beta);
        drift(moves);
        BNRE_DO(bnre__target_evaluate(moves->target, &moves->next, 1));
        push(moves, beta);
    }
    for (size_t k = 0; k < walkers->n; k++) {
        const double advantage = moves->alive[k]
                                     ? moves->energy[k] - kinetic(moves, k) +
                                           log_target(&moves->next, k, beta)
                                     : -HUGE_VAL;

        accepted += fmin(1, exp(advantage));
        (void)decide(moves, walkers, k, advantage, rng);
    }
    moves->local = accepted / (double)walkers->n;
    moves->stride *= exp(adapt * (moves->local - good_glide));
    return BNRE_OK;
}

bnre_status bnre__moves_step(bnre__moves *moves, bnre__walkers *walkers,
                             double beta, double adapt, bnre_rng *rng)
{
    BNRE_DO(leap(moves, walkers, beta, rng));
    if (moves->glides) {
        BNRE_DO(glide(moves, walkers, beta, adapt,
                      bnre__moves_strides(moves, rng), rng));
    } else {
        BNRE_DO(differ(moves, walkers, beta, adapt, rng));
        BNRE_DO(differ(moves, walkers, beta, adapt, rng));
    }
    return BNRE_OK;
}

bnre_status bnre__moves_mirrored(bnre__moves *moves, bnre__walkers *walkers,
                                 uint64_t strides, bnre_rng *rng)
{
    if (moves->glides) {
        BNRE_DO(leap(moves, walkers, 1, rng));
        BNRE_DO(glide(moves, walkers, 1, 0, strides, rng));
        BNRE_DO(leap(moves, walkers, 1, rng));
    } else {
        BNRE_DO(differ(moves, walkers, 1, 0, rng));
        BNRE_DO(leap(moves, walkers, 1, rng));
        BNRE_DO(differ(moves, walkers, 1, 0, rng));
    }
    return BNRE_OK;
}
