#include <math.h>

#include "bnre/dist.h"
#include "support.h"

static void quantiles_invert_gamma_and_beta(void **state)
{
    const double shape[] = {0.05, 0.5, 1, 3, 25, 1000};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        for (double u = 1.0 / 64; u <= 0.5; u += 1.0 / 64) {
            double a = shape[i], b = 2 * a; /* so that x is not close to 1 */

            assert_close(bnre_gamma_cdf(bnre_gamma_quantile(u, a), a), u,
                         1e-13);
            assert_close(bnre_beta_cdf(bnre_beta_quantile(u, a, b), a, b), u,
                         1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_invert_gamma_and_beta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
