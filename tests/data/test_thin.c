/* Some of the pairs of a file. */
#include <math.h>
#include <string.h>

#include "data/rows.h"
#include "support.h"

enum { N = 1000, MOST = 300 };

/* Which are taken; gives their number. */
static size_t take(const bnre_dataset_info *info, size_t most, uint64_t seed,
                   int taken[N])
{
    bnre__thin thin = bnre__thin_begin(info, N, most, seed, BNRE_SPLIT_CERTIFY);
    size_t n = 0;

    for (size_t i = 0; i < N; i++)
        n += (size_t)(taken[i] = bnre__thin_next(&thin));
    assert_false(bnre__thin_next(&thin));
    return n;
}

static void the_first_simulations_are_taken(void **state)
{
    const bnre_dataset_info info = {.settings = "seed: 1\nsplit: certify\n"};
    int taken[N];

    (void)state;
    assert_int_equal(take(&info, MOST, 1, taken), MOST);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(taken[i], i < MOST);
    assert_int_equal(take(&info, 0, 1, taken), N);
    assert_int_equal(take(&info, N + 1, 1, taken), N);
}

/* Of 4 parts of the file each gives as much; false alarms: 1 in 10,000 for
   unlucky seeds. */
static void others_are_drawn(void **state)
{
    static const bnre_dataset_info info[] = {
        {.settings = NULL},
        {.settings = "seed: 1\nsplit: test\ntheta_rows: 1000\n"}};
    int taken[N], again[N];

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        double part[4] = {0}, chi = 0;

        assert_int_equal(take(&info[k], MOST, 1, taken), MOST);
        for (size_t i = 0; i < N; i++)
            part[4 * i / N] += taken[i];
        for (size_t i = 0; i < 4; i++)
            chi += pow(part[i] - MOST / 4.0, 2) / (MOST / 4.0);
        assert_true(chi_square_pvalue(chi, 3) > 1e-4);
        assert_int_equal(take(&info[k], MOST, 1, again), MOST);
        assert_memory_equal(taken, again, sizeof taken);
        assert_int_equal(take(&info[k], MOST, 2, again), MOST);
        assert_memory_not_equal(taken, again, sizeof taken);
        assert_int_equal(take(&info[k], 0, 1, taken), N);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_simulations_are_taken),
        cmocka_unit_test(others_are_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
