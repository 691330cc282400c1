/* bench_rng.c - random numbers per second, sampler by sampler, on one thread,
   and draws from priors. The best of five turns of 0.05 s or more. */
#include <stdio.h>

#include "bench.h"
#include "bnre/prior.h"
#include "bnre/rng.h"

/* Each sampler adds up n numbers, so that none can be left out. */
#define SAMPLER(name, call)                                                    \
    static double name(bnre_rng *rng, const bnre_prior *prior, long n)         \
    {                                                                          \
        double sum = 0;                                                        \
                                                                               \
        (void)prior;                                                           \
        for (long i = 0; i < n; i++)                                           \
            sum += (double)call;                                               \
        return sum;                                                            \
    }

SAMPLER(u32, bnre_rng_u32(rng))
SAMPLER(uniform, bnre_rng_uniform(rng))
SAMPLER(normal, bnre_rng_normal(rng))
SAMPLER(exponential, bnre_rng_exponential(rng))
SAMPLER(gamma_small, bnre_rng_gamma(rng, 0.5))
SAMPLER(gamma_large, bnre_rng_gamma(rng, 5))
SAMPLER(beta, bnre_rng_beta(rng, 2, 3))
SAMPLER(student_t, bnre_rng_student_t(rng, 4))
SAMPLER(poisson_small, bnre_rng_poisson(rng, 3))
SAMPLER(poisson_large, bnre_rng_poisson(rng, 1000))
SAMPLER(binomial_small, bnre_rng_binomial(rng, 20, 0.2))
SAMPLER(binomial_large, bnre_rng_binomial(rng, 10000, 0.3))
SAMPLER(geometric, bnre_rng_geometric(rng, 0.1))
SAMPLER(below, bnre_rng_below(rng, 1000))

static double stream(bnre_rng *rng, const bnre_prior *prior, long n)
{
    double sum = 0;

    (void)prior;
    for (long i = 0; i < n; i++) {
        *rng = bnre_rng_stream(1, 1, (uint64_t)i);
        sum += bnre_rng_uniform(rng);
    }
    return sum;
}

static double draw(bnre_rng *rng, const bnre_prior *prior, long n)
{
    double sum = 0, theta;

    for (long i = 0; i < n; i++) {
        bnre_prior_draw(prior, rng, &theta);
        sum += theta;
    }
    return sum;
}

typedef double (*sampler)(bnre_rng *rng, const bnre_prior *prior, long n);

static void report(const char *name, sampler run, const bnre_prior *prior)
{
    static volatile double sink;
    bnre_rng rng = bnre_rng_stream(1, 1, 1);
    double best = 0;
    long n = 1000;

    for (int turn = 0; turn < 5;) {
        double start = bench_now(), seconds;

        sink = run(&rng, prior, n);
        seconds = bench_now() - start;
        if (seconds < 0.05) {
            n *= 2;
            continue;
        }
        if ((double)n / seconds > best)
            best = (double)n / seconds;
        turn++;
    }
    (void)sink;
    printf("%-34s %8.2f million/s\n", name, best * 1e-6);
    bench_row("1/s", best, "random numbers, %s", name);
}

int main(void)
{
    static const struct {
        const char *name;
        sampler run;
    } row[] = {
        {"u32", u32},
        {"uniform", uniform},
        {"new stream, one uniform", stream},
        {"normal", normal},
        {"exponential", exponential},
        {"gamma(0.5)", gamma_small},
        {"gamma(5)", gamma_large},
        {"beta(2, 3)", beta},
        {"student_t(4)", student_t},
        {"poisson(3)", poisson_small},
        {"poisson(1000)", poisson_large},
        {"binomial(20, 0.2)", binomial_small},
        {"binomial(10000, 0.3)", binomial_large},
        {"geometric(0.1)", geometric},
        {"below(1000)", below},
    };
    static const char *const text[] = {
        "uniform(0, 10)", "normal(0, 1)", "truncated_normal(0, 1, -1, 2)",
        "gamma(3, 1)",    "beta(2, 5)",   "student_t(4, 0, 1)",
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        report(row[i].name, row[i].run, NULL);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const char *name = "x";
        char label[64];
        bnre_prior *prior;

        if (bnre_prior_create(1, &name, &text[i], &prior) != BNRE_OK)
            return 1;
        snprintf(label, sizeof label, "prior %s", text[i]);
        report(label, draw, prior);
        bnre_prior_destroy(prior);
    }
    return 0;
}
