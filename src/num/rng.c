/* rng.c - random streams, and the samplers on them; each names its method. All
   end for any arguments. */
#include "bnre/rng.h"

#include <math.h>

#include "num/dist.h"
#include "num/random.h"
#include "num/special.h"
#include "num/x86.h"

static double draw_normal(bnre_rng *rng)
{
    return bnre__normal_quantile(bnre_rng_open(rng));
}

static double draw_exponential(bnre_rng *rng)
{
    return -log(bnre_rng_open(rng));
}

/* Shape >= 1. Marsaglia and Tsang ("A simple method for generating gamma
   variables", 2000): d v with v = (1 + c z)^3, z normal, is almost gamma;
   accept it with the ratio of the densities. */
static double draw_gamma_large(bnre_rng *rng, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / (3 * sqrt(d));

    for (;;) {
        double z = draw_normal(rng);
        double u = bnre_rng_open(rng);
        double t = 1 + c * z, v = t * t * t;

        if (t <= 0)
            continue;
        if (u < 1 - 0.0331 * (z * z) * (z * z)) /* surely below the ratio */
            return d * v;
        if (log(u) < 0.5 * z * z + d * (1 - v + log(v)))
            return d * v;
    }
}

/* The logarithm of a gamma number. For small shapes, where the number itself
   would often be too small for a double: if g has shape a + 1 then g u^(1/a)
   has shape a. */
static double draw_log_gamma(bnre_rng *rng, double shape)
{
    if (shape >= 1)
        return log(draw_gamma_large(rng, shape));
    return log(draw_gamma_large(rng, shape + 1)) +
           log(bnre_rng_open(rng)) / shape;
}

static double draw_gamma(bnre_rng *rng, double shape)
{
    if (!(shape > 0))
        return NAN;
    if (isinf(shape))
        return shape;
    if (shape >= 1)
        return draw_gamma_large(rng, shape);
    return draw_gamma_large(rng, shape + 1) *
           pow(bnre_rng_open(rng), 1 / shape);
}

/* x / (x + y) with gamma numbers x and y. */
static double draw_beta(bnre_rng *rng, double a, double b)
{
    double x, y;

    if (!(a > 0 && b > 0 && a < HUGE_VAL && b < HUGE_VAL))
        return NAN;
    if (a < 1e-290 && b < 1e-290) /* all mass at the ends, logarithms too big */
        return bnre_rng_open(rng) * (1 + b / a) < 1 ? 1 : 0;
    if (a >= 1 && b >= 1) {
        x = draw_gamma_large(rng, a);
        y = draw_gamma_large(rng, b);
        return x / (x + y);
    }
    x = draw_log_gamma(rng, a);
    y = draw_log_gamma(rng, b);
    return 1 / (1 + exp(y - x));
}

static double draw_student_t(bnre_rng *rng, double df)
{
    double z;

    if (!(df > 0))
        return NAN;
    z = draw_normal(rng);
    if (isinf(df))
        return z;
    return z * exp(0.5 * (log(df / 2) - draw_log_gamma(rng, df / 2)));
}

/* A count that was computed as a whole double. */
static uint64_t as_count(double k)
{
    return k < 0x1p64 ? (uint64_t)k : UINT64_MAX;
}

/* Small means: walk along the probabilities until they add up to u. When
   rounding leaves the sum short of u = 1 - 2^-53, the walk stops where nothing
   is left to add. */
static uint64_t draw_poisson_walk(bnre_rng *rng, double mean)
{
    double u = bnre_rng_open(rng), p = exp(-mean);
    uint64_t k = 0;

    while (u > p && p > 1e-30) {
        u -= p;
        k++;
        p *= mean / (double)k;
    }
    return k;
}

/* Mean >= 10. Hoermann's transformed rejection ("The transformed rejection
   method for generating Poisson random variables", 1993): k = floor(G(u)) with
   G close to the inverse of the distribution function; (u, v) is accepted below
   the ratio of the probability of k to the density of G(u). Inside the first
   box it always is. The constants fit the hat for all means from 10 on. */
static uint64_t draw_poisson_reject(bnre_rng *rng, double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    double box = 0.9277 - 3.6224 / (b - 2);

    for (;;) {
        double u = bnre_rng_open(rng) - 0.5;
        double v = bnre_rng_open(rng);
        double edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + mean + 0.43);

        if (edge >= 0.07 && v <= box)
            return as_count(k);
        if (k < 0 || (edge < 0.013 && v > edge))
            continue;
        if (log(v * inverse_alpha / (a / (edge * edge) + b)) <=
            bnre__poisson_log_pmf(k, mean))
            return as_count(k);
    }
}

static uint64_t draw_poisson(bnre_rng *rng, double mean)
{
    if (!(mean >= 0) || mean >= 0x1p64)
        return UINT64_MAX;
    if (mean < 10)
        return draw_poisson_walk(rng, mean);
    return draw_poisson_reject(rng, mean);
}

static double draw_binomial_walk(bnre_rng *rng, double n, double p)
{
    double u = bnre_rng_open(rng);
    double mass = exp(n * log1p(-p)), odds = p / (1 - p), k = 0;

    while (u > mass && mass > 1e-30) {
        u -= mass;
        mass *= odds * (n - k) / (k + 1);
        k++;
    }
    return k;
}

/* n p >= 10, p <= 1/2: the same method for the binomial law (Hoermann, "The
   generation of binomial random variates", 1993), whose hat is scaled by the
   probability of the mode. */
static double draw_binomial_reject(bnre_rng *rng, double n, double p)
{
    double q = 1 - p, sd = sqrt(n * p * q);
    double b = 1.15 + 2.53 * sd, a = -0.0873 + 0.0248 * b + 0.01 * p;
    double box = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * sd;
    double log_mode =
        bnre__binomial_log_pmf(fmin(floor((n + 1) * p), n), n, p, q);

    for (;;) {
        double u = bnre_rng_open(rng) - 0.5;
        double v = bnre_rng_open(rng);
        double edge = 0.5 - fabs(u);
        double k = floor((2 * a / edge + b) * u + n * p + 0.5);

        if (k < 0 || k > n)
            continue;
        if (edge >= 0.07 && v <= box)
            return k;
        if (log(v * alpha / (a / (edge * edge) + b)) <=
            bnre__binomial_log_pmf(k, n, p, q) - log_mode)
            return k;
    }
}

static uint64_t draw_binomial(bnre_rng *rng, uint64_t n, double p)
{
    int mirrored = p > 0.5;
    double size = (double)n, rare = mirrored ? 1 - p : p, k;
    uint64_t count;

    if (!(p >= 0 && p <= 1))
        return UINT64_MAX;
    if (size * rare < 10)
        k = draw_binomial_walk(rng, size, rare);
    else
        k = draw_binomial_reject(rng, size, rare);
    count = as_count(k);
    if (count > n)
        count = n;
    return mirrored ? n - count : count;
}

/* P(K >= k) = (1 - p)^k: the whole part of an exponential number. */
static uint64_t draw_geometric(bnre_rng *rng, double p)
{
    if (!(p > 0 && p <= 1))
        return UINT64_MAX;
    return as_count(log(bnre_rng_open(rng)) / log1p(-p));
}

/* Lemire ("Fast random integer generation in an interval", 2019): the upper
   half of x n is uniform once the 2^64 mod n surplus values of x, those with
   the smallest lower halves, are drawn again. */
static uint64_t draw_below(bnre_rng *rng, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)bnre_rng_u64(rng) * n;

    if ((uint64_t)product < n) {
        uint64_t surplus = n == 0 ? 0 : (0 - n) % n;

        while ((uint64_t)product < surplus)
            product = (wide)bnre_rng_u64(rng) * n;
    }
    return (uint64_t)(product >> 64);
}

/* Fisher and Yates, in place from the end (Durstenfeld 1964): n - 1 numbers. */
static void shuffle(bnre_rng *rng, size_t n, size_t *index)
{
    for (size_t left = n; left > 1; left--) {
        size_t i = (size_t)draw_below(rng, left), keep = index[i];

        index[i] = index[left - 1];
        index[left - 1] = keep;
    }
}

/* The samplers on the words of a set of kernels. */
#define CALLS_OF(set)                                                          \
    {                                                                          \
        .refill = bnre__random_refill_##set, .normal = draw_normal,            \
        .exponential = draw_exponential, .gamma = draw_gamma,                  \
        .beta = draw_beta, .student_t = draw_student_t,                        \
        .poisson = draw_poisson, .binomial = draw_binomial,                    \
        .geometric = draw_geometric, .below = draw_below, .shuffle = shuffle,  \
    }

/* What streams carry, and how several are begun. */
struct source {
    bnre_rng_calls calls;
    bnre__random_start *start;
};

static const struct source portable = {CALLS_OF(portable),
                                       bnre__random_start_portable};
#ifdef BNRE_HAVE_X86
static const struct source avx2 = {CALLS_OF(avx2), bnre__random_start_avx2};
static const struct source avx512 = {CALLS_OF(avx512),
                                     bnre__random_start_avx512};
#endif

static const struct source *best(void)
{
#ifdef BNRE_HAVE_X86
    if (bnre__has_avx512())
        return &avx512;
    if (bnre__has_avx2())
        return &avx2;
#endif
    return &portable;
}

bnre_rng bnre_rng_stream(uint64_t seed, uint32_t purpose, uint64_t row)
{
    bnre_rng rng = {.calls = &best()->calls,
                    .seed = seed,
                    .row = row,
                    .purpose = purpose,
                    .used = BNRE_RNG_WORDS};

    return rng;
}

void bnre__rng_streams(uint64_t seed, uint32_t purpose, uint64_t row,
                       size_t blocks, bnre_rng out[BNRE__STREAMS])
{
    const struct source *source = best();

    for (size_t i = 0; i < BNRE__STREAMS; i++) {
        out[i].calls = &source->calls;
        out[i].seed = seed;
        out[i].row = row + i;
        out[i].purpose = purpose;
    }
    source->start(blocks, out);
}

const char *bnre_split_name(bnre_split split)
{
    static const char *const names[BNRE_SPLIT_COUNT] = {
        [BNRE_SPLIT_TRAIN] = "train",
        [BNRE_SPLIT_VALIDATE] = "validate",
        [BNRE_SPLIT_SCHEDULE] = "schedule",
        [BNRE_SPLIT_SELECT] = "select",
        [BNRE_SPLIT_CERTIFY] = "certify",
        [BNRE_SPLIT_CALIBRATE] = "calibrate",
        [BNRE_SPLIT_TEST] = "test"};

    return names[split];
}
