/* Which candidates are worth a test, and in which order. */
#include <math.h>

#include "trust/trust.h"

const double bnre__trust_lambda[BNRE__LAMBDAS] = {0,  1,   3,   10,
                                                  30, 100, 300, 1000};

double bnre__trust_temper(size_t i)
{
    return (double)(20 - i) / 20;
}

static int is_known(const bnre_candidate *c)
{
    return !isnan(c->margin) && !isnan(c->information.mean);
}

/* Whether a is at least as good in both and better in one; of equal ones the
   first. */
static int beats(const bnre_candidate *a, const bnre_candidate *b)
{
    if (a->margin < b->margin || a->information.mean < b->information.mean)
        return 0;
    return a->margin > b->margin || a->information.mean > b->information.mean ||
           a < b;
}

size_t bnre_trust_frontier(size_t n, bnre_candidate *candidate)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++) {
        bnre_candidate *c = &candidate[i];

        c->frontier = is_known(c);
        c->test = 0;
        c->passed = 0;
        for (size_t k = 0; k < n && c->frontier; k++)
            if (k != i && is_known(&candidate[k]) && beats(&candidate[k], c))
                c->frontier = 0;
    }
    for (;;) {
        bnre_candidate *next = NULL;

        for (size_t i = 0; i < n; i++)
            if (candidate[i].frontier && candidate[i].test == 0 &&
                (next == NULL || candidate[i].margin > next->margin))
                next = &candidate[i];
        if (next == NULL || (length > 0 && next->margin < 0))
            return length;
        next->test = ++length;
    }
}
