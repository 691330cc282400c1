#!/bin/sh
# bnre infer in rounds on posteriors that are known: two far modes of unequal
# mass with failures of both kinds, and counts.
. "$(dirname "$0")/lib.sh"

# x = |theta| + noise; a tenth of the simulations fails, half of these by chance.
cat >modes.c <<'END'
#include <math.h>
#include <string.h>
#include "bnre/plugin.h"
static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    const double u = bnre_rng_uniform(rng);

    (void)state, (void)nuisance;
    x[0] = fabs(theta[0]) + 0.3 * bnre_rng_normal(rng);
    if (u < 0.1) {
        strcpy(reason, u < 0.05 ? "nothing seen" : "lost");
        return u < 0.05 ? BNRE_DRAW_INVALID : BNRE_DRAW_LOST;
    }
    return BNRE_DRAW_OK;
}
BNRE_API const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI, .name = "modes", .title = "two modes",
    .parameters = (const bnre_plugin_parameter[]){{"a", "normal(1.5, 3)", 0},
                                                  {0}},
    .observable = "1", .draw = draw};
END
plugin modes

# At x = 5 the modes 5 and -5 have masses of exp(-3.5^2/18) : exp(-6.5^2/18),
# that is 0.84 : 0.16, and little else: 0.05 to 0.35 allow for what 1,000
# simulations do not tell.
echo 5 >obs.txt
run infer --task modes.yaml --observation obs.txt --simulations 1000 \
    --rounds 2 --samples 4000 --format svg -o modes
exits 0
prints "of these ... failed"
holds grep -q "of all failed" modes/report.html
holds grep -q '"cut": true' modes/infer.json
awk 'NR > 1 { n++; low += $1 < 0; between += $1 > -3 && $1 < 3 }
    END { exit !(low / n > 0.05 && low / n < 0.35 && between / n < 0.02) }' \
    modes/posterior/samples.csv ||
    fail "both modes should survive with about their masses"

# Counts: x ~ Poisson(exp(theta)); at 20 theta is about 2.97 +- 0.23.
cat >counts.c <<'END'
#include <math.h>
#include "bnre/plugin.h"
static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    double p = 1, limit = exp(-exp(theta[0]));

    (void)state, (void)nuisance, (void)reason;
    for (x[0] = -1; p > limit; x[0]++)
        p *= bnre_rng_uniform(rng);
    return BNRE_DRAW_OK;
}
BNRE_API const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI, .name = "counts", .title = "counts",
    .parameters = (const bnre_plugin_parameter[]){{"a", "uniform(-2, 5)", 0},
                                                  {0}},
    .observable = "1", .draw = draw};
END
plugin counts
echo 20 >count.txt
run infer --task counts.yaml --observation count.txt --simulations 1000 \
    --rounds 2 --samples 2000 --format svg -o counts
exits 0
holds grep -q '"cut": true' counts/infer.json
awk 'NR > 1 { n++; a += $1; b += $1 * $1 }
    END { a /= n; s = sqrt(b / n - a * a)
          exit !(a > 2.8 && a < 3.1 && s > 0.15 && s < 0.4) }' \
    counts/posterior/samples.csv || fail "the posterior of a count"

finish
