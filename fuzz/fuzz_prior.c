/* Texts of priors and of conditions between parameters: a prior, a 0, and a
   condition on the parameters a and b that both have it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/prior.h"
#include "input.h"
#include "prior/constraint.h"
#include "prior/prior.h"
#include "prior/text.h"

/* What was read is written, and reads back as the same numbers. */
static void check_text(const bnre__family *family, const double *arg)
{
    const bnre__family *again;
    double back[BNRE__FAMILY_ARGS] = {0};
    char *text = NULL;

    MUST(bnre__prior_write(family, arg, &text) == BNRE_OK);
    MUST(bnre__prior_parse(text, &again, back) == BNRE_OK);
    MUST(again == family);
    MUST(memcmp(arg, back, sizeof back) == 0);
    bnre__free(text);
}

static void check_numbers(const bnre_prior *prior)
{
    bnre_rng rng = bnre_rng_stream(1, 0, 0);
    double theta[2], z[2], low, high, log_jacobian;

    bnre_prior_support(prior, 0, &low, &high);
    MUST(low <= high);
    for (int i = 0; i < 4; i++) {
        bnre_prior_draw(prior, &rng, theta);
        for (int k = 0; k < 2; k++)
            MUST(isfinite(theta[k]) && low <= theta[k] && theta[k] <= high);
        MUST(!isnan(bnre_prior_log_density(prior, theta)));
        bnre__prior_to_real(prior, theta, z);
        bnre__prior_from_real(prior, z, theta, &log_jacobian, NULL, NULL);
        MUST(isfinite(z[0]) && isfinite(theta[0]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"a", "b"};
    const bnre__family *family;
    double arg[BNRE__FAMILY_ARGS] = {0};
    bnre__constraint *constraint = NULL;
    bnre_prior *prior = NULL;
    char *text = input_text(&data, &size);
    char *condition = input_text(&data, &size);
    const char *const both[] = {text, text};

    if (bnre__prior_parse(text, &family, arg) == BNRE_OK)
        check_text(family, arg);
    else
        MUST_TELL();
    if (bnre_prior_create(2, name, both, &prior) == BNRE_OK)
        check_numbers(prior);
    else
        MUST(prior == NULL);
    if (bnre__constraint_create(condition, 2, name, &constraint) == BNRE_OK)
        bnre__constraint_holds(constraint, arg);
    else
        MUST(constraint == NULL);
    bnre__constraint_destroy(constraint);
    bnre_prior_destroy(prior);
    free(condition);
    free(text);
    return 0;
}
