/* Losses of sets: by batches as the reference has it, and without bias. */
#include <math.h>

#include "gaussian_exact.h"
#include "infer/train/set_loss.h"
#include "support.h"

enum { N = 102, SPARE = 20, SHIFTS = 7, TIMES = 3000 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Simulations of the gaussian task in one dimension, of which those with a
   large x fail; the exact classifier, all with l multiplied by `sharp`. */
struct sample {
    size_t n, spare;
    double theta[N + SPARE], x[N];
    double failed[SPARE];
};

static void draw_sample(struct sample *sample, uint64_t k, double fail_above)
{
    bnre_rng rng = bnre_rng_stream(11, 0, k);

    sample->n = sample->spare = 0;
    for (size_t i = 0; sample->n < N && sample->spare < SPARE; i++) {
        const double theta = bnre_rng_normal(&rng);
        const double x = theta + bnre_rng_normal(&rng);

        if (x > fail_above) {
            sample->failed[sample->spare++] = theta;
        } else {
            sample->theta[sample->n] = theta;
            sample->x[sample->n++] = x;
        }
    }
    for (size_t i = 0; i < sample->spare; i++)
        sample->theta[sample->n + i] = sample->failed[i];
}

static double logit(double sharp, double theta, double x)
{
    return sharp * gaussian_log_ratio(1, &theta, &x);
}

/* The balance of a sample and its estimated variance, by the library. */
static bnre__set_loss measure(const struct sample *sample, double sharp,
                              double lambda, uint64_t k)
{
    bnre__pairing pairing = {0};
    bnre__set_sums sums = {0};
    bnre_rng rng = bnre_rng_stream(12, 0, k);
    double room[4 * (N + SPARE)];
    float a[N], b[SHIFTS * N];
    size_t shift[SHIFTS];

    assert_ok(bnre__pairing_draw(&pairing, &rng, sample->n, sample->spare));
    for (size_t i = 0; i < sample->n; i++)
        a[i] = (float)logit(sharp, sample->theta[i], sample->x[i]);
    for (size_t s = 0; s < SHIFTS; s++) {
        shift[s] = 1 + 3 * s;
        for (size_t i = 0; i < sample->n; i++)
            b[s * sample->n + i] = (float)logit(
                sharp,
                sample->theta[bnre__pairing_theta(&pairing, i, shift[s])],
                sample->x[i]);
    }
    bnre__set_add_shifts(&sums, &pairing, sample->n, a, SHIFTS, shift, b, room);
    bnre__pairing_clear(&pairing);
    return bnre__set_unbiased(&sums, lambda);
}

/* Over many small sets the estimated variance is the variance that is seen, and
   the penalty's mean is (E[B] - 1)^2. The variance within 8 % (its standard
   error is 3 %), the penalty within 5 standard errors. */
static void the_penalty_has_no_bias(void **state)
{
    static const double sharps[] = {1, 3, 1};
    static const double fails[] = {INFINITY, INFINITY, 1.5};

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        double sum = 0, squares = 0, variance = 0, penalty = 0, penalty2 = 0;
        double mean;

        for (uint64_t k = 0; k < TIMES; k++) {
            struct sample sample;
            bnre__set_loss set;
            double p;

            draw_sample(&sample, k, fails[c]);
            set = measure(&sample, sharps[c], 1, k);
            sum += set.balance;
            squares += set.balance * set.balance;
            variance += set.variance;
            p = (set.balance - 1) * (set.balance - 1) - set.variance;
            penalty += p;
            penalty2 += p * p;
        }
        mean = sum / TIMES;
        squares = squares / TIMES - mean * mean;
        penalty /= TIMES;
        penalty2 = sqrt((penalty2 / TIMES - penalty * penalty) / TIMES);
        assert_true(fabs(variance / TIMES / squares - 1) < 0.08);
        assert_true(fabs(penalty - (mean - 1) * (mean - 1)) < 5 * penalty2);
        assert_true(mean > 0.9);
    }
}

/* The exact classifier pays nothing on average, where the plain penalty of the
   same sets is clearly above 0. */
static void exact_classifiers_pay_nothing(void **state)
{
    double paid = 0, plain = 0, squares = 0;

    (void)state;
    for (uint64_t k = 0; k < TIMES; k++) {
        struct sample sample;
        bnre__set_loss set;
        double p;

        draw_sample(&sample, k, INFINITY);
        set = measure(&sample, 1, 100, k);
        p = 100 * ((set.balance - 1) * (set.balance - 1) - set.variance);
        paid += p / TIMES;
        squares += p * p / TIMES;
        plain += 100 * (set.balance - 1) * (set.balance - 1) / TIMES;
    }
    assert_true(fabs(paid) < 5 * sqrt(squares / TIMES));
    assert_true(plain > 10 * sqrt(squares / TIMES));
}

static void sums_are_means_over_pairs(void **state)
{
    bnre__pairing pairing = {0};
    bnre__set_sums sums = {0};
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    const float a[] = {1, -2, 0.5f}, b[] = {0, 1, -1, 2, -3, 0.25f};
    const size_t shift[] = {1, 2};
    double room[12], entropy = 0, d_a = 0, d_b = 0, certainty = 0;
    bnre__set_loss set;

    (void)state;
    assert_ok(bnre__pairing_draw(&pairing, &rng, 3, 0));
    bnre__set_add_shifts(&sums, &pairing, 3, a, 2, shift, b, room);
    set = bnre__set_unbiased(&sums, 10);
    for (size_t i = 0; i < 3; i++) {
        entropy += log1p(exp(-(double)a[i])) / 3;
        d_a += sigmoid((double)a[i]) / 3;
        certainty += fabs(2 * sigmoid((double)a[i]) - 1) / 9;
    }
    for (size_t i = 0; i < 6; i++) {
        entropy += log1p(exp((double)b[i])) / 6;
        d_b += sigmoid((double)b[i]) / 6;
        certainty += fabs(2 * sigmoid((double)b[i]) - 1) / 9;
    }
    assert_close(set.cross_entropy, entropy, 1e-12);
    assert_close(set.balance, d_a + d_b, 1e-12);
    assert_close(set.certainty, certainty, 1e-12);
    assert_close(set.loss,
                 entropy + 10 * fmax(0, (d_a + d_b - 1) * (d_a + d_b - 1) -
                                            set.variance),
                 1e-12);
    bnre__pairing_clear(&pairing);
}

/* The reference's: each batch counts the same, whatever its size, and each has
   its own penalty. */
static void batches_count_alike(void **state)
{
    const float a[] = {1, 2, 3}, b[] = {0, -1, 1};
    bnre__set_sums sums = {0};
    const bnre__loss one = bnre__loss_balanced(100, 3, a, b, NULL, NULL);
    const bnre__loss two = bnre__loss_balanced(100, 1, a, b, NULL, NULL);
    bnre__set_loss set;

    (void)state;
    bnre__set_add_batch(&sums, &one, 3, a, b);
    bnre__set_add_batch(&sums, &two, 1, a, b);
    set = bnre__set_by_batches(&sums);
    assert_close(set.loss, (one.value + two.value) / 2, 1e-15);
    assert_close(set.cross_entropy, (one.cross_entropy + two.cross_entropy) / 2,
                 1e-15);
    assert_close(set.balance, (one.balance + two.balance) / 2, 1e-15);
    assert_true(set.loss > set.cross_entropy);
    assert_true(set.certainty > 0.3 && set.certainty < 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_penalty_has_no_bias),
        cmocka_unit_test(exact_classifiers_pay_nothing),
        cmocka_unit_test(sums_are_means_over_pairs),
        cmocka_unit_test(batches_count_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
