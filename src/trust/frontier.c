/* Which candidates are worth a test, and in which order. Each is compared with
   each: O(n^2) for the frontier, and again for each place in the sequence. */
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

/* Tempers of the same networks, for which one look at pairs is enough. */
static int are_kin(const bnre_candidate *a, const bnre_candidate *b)
{
    return a->lambda == b->lambda && a->fresh == b->fresh;
}

/* Whether another one beats it: of all, or of its kin only. */
static int is_beaten(size_t n, const bnre_candidate *all,
                     const bnre_candidate *c, int by_kin)
{
    for (size_t i = 0; i < n; i++)
        if (&all[i] != c && is_known(&all[i]) && beats(&all[i], c) &&
            (!by_kin || are_kin(&all[i], c)))
            return 1;
    return 0;
}

/* The sharpest of the frontier that looks safe, if there is one. */
static const bnre_candidate *goal_of(size_t n, const bnre_candidate *all)
{
    const bnre_candidate *goal = NULL;

    for (size_t i = 0; i < n; i++)
        if (all[i].frontier && all[i].margin >= 0 &&
            (goal == NULL || all[i].margin < goal->margin))
            goal = &all[i];
    return goal;
}

static int has_safer_kin(size_t n, const bnre_candidate *all,
                         const bnre_candidate *c)
{
    for (size_t i = 0; i < n; i++)
        if (is_known(&all[i]) && are_kin(&all[i], c) &&
            all[i].margin > c->margin)
            return 1;
    return 0;
}

/* Whether a candidate has a place in the sequence: on the way to the goal, its
   kin if it has safer ones, else the frontier. */
static int leads_to(size_t n, const bnre_candidate *all,
                    const bnre_candidate *goal, const bnre_candidate *c)
{
    if (!is_known(c) || c->margin < goal->margin)
        return 0;
    if (has_safer_kin(n, all, goal))
        return are_kin(c, goal) && !is_beaten(n, all, c, 1);
    return c->frontier;
}

size_t bnre__trust_frontier(size_t n, bnre_candidate *candidate)
{
    const bnre_candidate *goal;
    size_t length = 0;

    for (size_t i = 0; i < n; i++) {
        bnre_candidate *c = &candidate[i];

        c->frontier = is_known(c) && !is_beaten(n, candidate, c, 0);
        c->test = 0;
        c->passed = 0;
    }
    goal = goal_of(n, candidate);
    for (;;) {
        bnre_candidate *next = NULL;

        for (size_t i = 0; i < n; i++) {
            bnre_candidate *c = &candidate[i];

            if (c->test == 0 &&
                (goal == NULL ? c->frontier
                              : leads_to(n, candidate, goal, c)) &&
                (next == NULL || c->margin > next->margin))
                next = c;
        }
        if (next == NULL || (goal == NULL && length > 0))
            return length;
        next->test = ++length;
    }
}
