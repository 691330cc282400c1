/* Ranks among the ends of chains depend on the pair, not on its place.
   threads: several, with the same result. */
#include "bnre/diag.h"
#include "narrow.h"
#include "support.h"

static void reverse_rows(size_t n, size_t dim, double *row)
{
    for (size_t i = 0; i < n / 2; i++)
        for (size_t k = 0; k < dim; k++) {
            const double keep = row[i * dim + k];

            row[i * dim + k] = row[(n - 1 - i) * dim + k];
            row[(n - 1 - i) * dim + k] = keep;
        }
}

static void ranks_depend_on_the_pair_alone(void **state)
{
    enum { N = 30, FIVE = 5 };
    narrow of = narrow_open(N, FIVE, 0.25, 1, 9);
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_diag *one = narrow_diagnose(&of, &opts), *three, *reversed, *other;

    (void)state;
    assert_ok(bnre_pool_create(3, &opts.pool));
    three = narrow_diagnose(&of, &opts);
    assert_memory_equal(one->curve[0].rank, three->curve[0].rank,
                        N * sizeof(double));
    assert_memory_equal(one->curve[0].gain, three->curve[0].gain,
                        N * sizeof(double));
    assert_true(one->curve[0].judgement.chance ==
                three->curve[0].judgement.chance);
    reverse_rows(N, FIVE, of.theta);
    reverse_rows(N, FIVE, of.x);
    reversed = narrow_diagnose(&of, &opts);
    opts.seed = 2;
    other = narrow_diagnose(&of, &opts);
    for (size_t i = 0; i < N; i++) {
        assert_true(one->curve[0].rank[i] ==
                    reversed->curve[0].rank[N - 1 - i]);
        assert_true(one->curve[0].rank[i] != other->curve[0].rank[N - 1 - i]);
    }
    bnre_pool_destroy(opts.pool);
    bnre_diag_destroy(other);
    bnre_diag_destroy(reversed);
    bnre_diag_destroy(three);
    bnre_diag_destroy(one);
    narrow_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_depend_on_the_pair_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
