/* What few points hide, and how many it takes.

   Among weighted points of which N = (sum w)^2 / sum w^2 bear the weight,
   theta* has the rank r = A + u w*: the weight of all that is denser, and a
   random share of its own. If its exact rank is r0, then for independent
   points, to first order in 1 / N,

     E[r - r0] = (1/2 - r0) / N,   Var[r] = r0 (1 - r0) / N.

   So where F(c) is the coverage as it is, what is seen of it is

     F(c) - (1/2 - c) F'(c) / N + d/dc [c (1 - c) F'(c)] / (2 N)
       = F(c) + c (1 - c) F''(c) / (2 N).

   For an exact posterior, F = c, that is nothing at all, however few the
   points. Errors are hidden, by a share of themselves: with N equal weights,
   1/2 less the mean rank is exactly 1 - 1 / N of what it should be. A normal
   posterior in D dimensions that is too narrow, or off its place, has c - F = a
   t p(t) with the quantile t and density p of chi-square, so F'' = a / (2
   p(t)); where the error is largest, t = D, the share that is hidden is c (1 -
   c) / (4 D p^2) / N: 0.92 / N for D = 1, 0.86 / N for D = 2, and towards pi /
   4 / N for large D. Never more than 1 / N, so over pairs never more than the
   mean of 1 / N: the share of ranks that is chance. With one effective point
   all is hidden, and any posterior looks perfect.

   A verdict promises that coverage is at most eps too low. With a chance of 0.1
   coverage that is 0.0222 too low looks like 0.02 at best, and no coverage
   that is up to 0.2 off is shown with an error of more than 0.02.

   All this is of errors that are alike for all pairs. They may be worst where
   posteriors are narrowest and N smallest, and there nothing is seen of them:
   so pairs with N < 2 may be no more than 0.02 of all, the default of eps.
   Anything may be true of them, and coverage be off by as much.

   Points in cells are better than independent ones, the more so in few
   dimensions. Measured for normal posteriors of 1 to 20 parameters whose
   standard deviation is 0.8 of what it should be (tests/diag/slow_sight.c;
   docs/diagnosis.md has the table): the share hidden is nowhere clearly above
   the chance, mostly 0.6 to 0.9 of it for draws and in many dimensions, and for
   strata in up to three dimensions 0.03 at most wherever the chance is below
   0.2 and no more than 0.02 of the pairs are dark.

   Chains from theta* (posterior/star.h) hide errors in another way: where they
   have not forgotten theta*, their ends are not draws of q, but between it and
   the true posterior. Let u be the place of a theta among draws of q by
   density, uniform if it is such a draw itself. After 2 k steps, back and
   forth, the ends of theta* at u* have places of mean

     1/2 + m (u* - 1/2)

   if u relaxes at one rate, m being its correlation at a lag of 2 k steps; in
   general m is defined by this regression. Of an error, a mean of u* off by d,
   the ends then share m d, and ranks among them show (1 - m) d: m is the share
   that is hidden, and adds to what a number of ends hides. It is found from all
   pairs, as the slope of the ends' places over those of theta*, both less 1/2.
   (Less 1/2, not their means: if all theta* are off by the same, and their ends
   as well, that is memory too.)

   Draws of q are not to be had, or there would be no need for chains: places
   are among a population that found the posterior from the prior, and then took
   the same steps as the ends. It never saw theta*. Where it is lost, elsewhere,
   or narrower than q, theta* and its ends have places that are alike, and that
   counts as memory; so does a chain that sits in a mode of its own. With M
   others m is too large by 1 / M, which is left so. What neither the population
   nor a chain ever visits is not seen, by this or any other use of chains.

   A pair whose ends all have about one place (a spread below a quarter of a
   uniform one's) is dark, as one with N < 2 is. */
#include "diag/sight.h"

bnre__sight bnre__sight_of(size_t n, const double *ess)
{
    const double few = 2;
    bnre__sight sight = {0, 0};

    for (size_t i = 0; i < n; i++) {
        if (!(ess[i] > 0))
            continue;
        sight.chance += 1 / ess[i];
        sight.dark += ess[i] < few;
    }
    sight.chance /= (double)n;
    sight.dark /= (double)n;
    return sight;
}

double bnre__sight_memory(size_t n, const double *place, size_t stride)
{
    double both = 0, own = 0;

    for (size_t i = 0; i < n; i++) {
        const double a = place[i * stride] - 0.5;
        const double b = place[i * stride + 1] - 0.5;

        both += a * b;
        own += a * a;
    }
    return own > 0 && both > 0 ? (both < own ? both / own : 1) : 0;
}

int bnre__sight_suffices(bnre__sight sight, double most_chance)
{
    return sight.chance <= most_chance && sight.dark <= BNRE__MOST_DARK;
}
