/* The loss of one factor of a conditional density. */
#include <math.h>

#include "infer/train/factor_loss.h"
#include "support.h"

static void gradient_matches_central_differences(void **state)
{
    static const double weight[] = {0.5, 2, 0.25};
    float l[] = {-3, 0.5f, 2}, m[] = {1, -0.25f, -4}, dl[3], dm[3];
    const float h = 0x1p-7f;

    (void)state;
    for (size_t k = 0; k < 12; k++) {
        const double *w = k < 6 ? NULL : weight;
        const size_t i = k % 6;
        float *at = i < 3 ? &l[i] : &m[i - 3];
        const float keep = *at;
        double up, down, d;

        bnre__factor_loss(100, 3, w, l, m, NULL, dl, dm);
        d = (double)(i < 3 ? dl[i] : dm[i - 3]);
        *at = keep + h;
        up = bnre__factor_loss(100, 3, w, l, m, NULL, NULL, NULL).value;
        *at = keep - h;
        down = bnre__factor_loss(100, 3, w, l, m, NULL, NULL, NULL).value;
        *at = keep;
        assert_close(d, (up - down) / (2 * (double)h), 1e-3 * (1 + fabs(d)));
    }
}

/* A row of weight 2 is two rows, in a batch and in a set. */
static void weights_repeat_rows(void **state)
{
    const double w[] = {1.5, 0.75, 0.75};
    const float l[] = {1, 1, -2, 0.5f}, m[] = {0.3f, 0.3f, -1, 2};
    float dl[4], dm[4];
    bnre__factor_sums a = {0}, b = {0};
    const bnre__loss four = bnre__factor_loss(10, 4, NULL, l, m, NULL, dl, dm);
    const bnre__loss three =
        bnre__factor_loss(10, 3, w, l + 1, m + 1, NULL, NULL, NULL);

    (void)state;
    assert_close(three.value, four.value, 1e-12);
    assert_close(three.balance, four.balance, 1e-12);
    bnre__factor_add(&a, 4, NULL, l, 1, m);
    bnre__factor_add(&b, 3, w, l + 1, 1, m + 1);
    assert_close(bnre__factor_set(&b, 0).loss, bnre__factor_set(&a, 0).loss,
                 1e-12);
    assert_close(bnre__factor_set(&b, 0).balance,
                 bnre__factor_set(&a, 0).balance, 1e-12);
    /* Of which there are no more to average over. */
    assert_true(bnre__factor_set(&b, 0).variance >
                bnre__factor_set(&a, 0).variance);
}

static void without_penalty_it_is_the_log_loss(void **state)
{
    const float l[] = {1, 2, -6};
    float dl[3];
    const bnre__loss loss =
        bnre__factor_loss(0, 3, NULL, l, NULL, NULL, dl, NULL);

    (void)state;
    assert_close(loss.value, 1, 1e-7);
    assert_close(loss.cross_entropy, 1, 1e-7);
    for (size_t i = 0; i < 3; i++)
        assert_close((double)dl[i], -1.0 / 3, 1e-7);
}

/* Averaged over steps, the balance of balanced batches that miss 1 by chance
   hardly pushes: its variance is about a hundredth, (1 - keep) / (1 + keep), of
   that of a batch. */
static void the_balance_is_averaged_over_steps(void **state)
{
    enum { STEPS = 4000, BATCH = 16 };
    bnre_rng rng = bnre_rng_stream(72, 0, 0);
    float l[BATCH], m[BATCH], dl[BATCH], dm[BATCH];
    double balance = 0, single = 0, mean = 0;

    (void)state;
    for (size_t s = 0; s < STEPS; s++) {
        double batch;

        for (size_t i = 0; i < BATCH; i++) {
            l[i] = bnre_rng_below(&rng, 2) ? 40 : -40;
            m[i] = 0;
        }
        batch = bnre__factor_loss(1, BATCH, NULL, l, m, NULL, dl, dm).balance;
        bnre__factor_loss(1, BATCH, NULL, l, m, &balance, dl, dm);
        single += (batch - 1) * (batch - 1) / STEPS;
        if (s >= 500) /* when the first is forgotten */
            mean += (balance - 1) * (balance - 1) / (STEPS - 500);
    }
    assert_close(single, 0.25 / BATCH, 0.1 * 0.25 / BATCH);
    assert_true(mean < 0.03 * single);
}

/* With the true density the balance is 1 whatever is drawn from: c given x is
   uniform on a tenth of [0, 1] that x chooses, g uniform. Then l is log 10 at
   the truth, and at fresh values log 10 with chance 0.1, else -inf. */
static void the_truth_is_balanced(void **state)
{
    const float inside = logf(10), outside = -80;
    bnre__factor_sums sums = {0};
    bnre__set_loss set;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        const float m = i % 10 == 0 ? inside : outside;

        bnre__factor_add(&sums, 1, NULL, &inside, 1, &m);
    }
    set = bnre__factor_set(&sums, 100);
    assert_close(set.balance, 1, 1e-6);
    assert_close(set.cross_entropy, -log(10), 1e-6);
    assert_close(set.loss, -log(10), 1e-6);
}

/* The penalty on a set is without bias: balances that miss 1 by chance alone
   cost nothing on average. Means of 2,000 sets; within 5 standard errors. */
static void chance_costs_nothing(void **state)
{
    enum { SETS = 2000, ROWS = 50 };
    bnre_rng rng = bnre_rng_stream(71, 0, 0);
    double mean = 0, plain = 0;

    (void)state;
    for (size_t s = 0; s < SETS; s++) {
        bnre__factor_sums sums = {0};
        bnre__set_loss set;

        for (size_t i = 0; i < ROWS; i++) {
            /* d = 1/2 +- 1/2 half and half, and 1/2: the balance is 1. */
            const float l = bnre_rng_below(&rng, 2) ? 40 : -40, m = 0;

            bnre__factor_add(&sums, 1, NULL, &l, 1, &m);
        }
        set = bnre__factor_set(&sums, 1);
        mean += ((set.balance - 1) * (set.balance - 1) - set.variance) / SETS;
        plain += (set.balance - 1) * (set.balance - 1) / SETS;
    }
    assert_close(plain, 0.25 / ROWS, 0.1 * 0.25 / ROWS);
    assert_close(mean, 0, 5 * sqrt(2.0 / SETS) * 0.25 / ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_matches_central_differences),
        cmocka_unit_test(weights_repeat_rows),
        cmocka_unit_test(without_penalty_it_is_the_log_loss),
        cmocka_unit_test(the_balance_is_averaged_over_steps),
        cmocka_unit_test(the_truth_is_balanced),
        cmocka_unit_test(chance_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
