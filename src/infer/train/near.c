/* near.c - rows whose values are nearly equal: see near.h.

   The distance of two rows is the largest difference of two of their values,
   relative to the larger one: rounding to some digits, or to single precision,
   is a step of so many. C(r) is how many pairs are no further apart than r (a
   correlation sum: Grassberger and Procaccia 1983).

   Independent draws of a density that is smooth on the scale of r have pairs in
   proportion to r, if parameters depend on each other so closely that they lie
   on a line, and to higher powers of it otherwise: C(r) is an eighth of C(8 r),
   or less. Copies that were rounded are all nearer than the rounding, and then
   there is nothing for a while. So: from the largest r on that can be looked
   at, is C(r) at least half of C(8 r), and is that beyond chance if it were a
   quarter (by Chernoff's bound, for one in 10^8 files at each r)? The first
   such r decides, and all pairs within it are the same: the copies, and of
   others at most a sixth as many, which came as near by chance.

   What has this form without being copies: clusters of values that are much
   narrower than what lies between them. They are few points, simulated again
   and again; unless they are most of a file (more than a tenth of all pairs), as
   where all values are near 1000.

   Rows are sorted by one of their values at a time, until one tells them apart
   well; then at most 32 n pairs are looked at, twice. O(dim n log n), with n
   rows by a value in memory. */
#include "infer/train/near.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { BINS = 54, COARSEST = 7, EIGHT = 3, EACH = 32 };

static const double ENOUGH = 18.42; /* log 10^8 */

struct at {
    double value;
    size_t row;
};

struct sweep {
    size_t n, dim;
    const double *value;
    struct at *order; /* (n): rows by one of their values */
};

static int by_value(const void *a, const void *b)
{
    const struct at *x = a, *y = b;

    if (x->value != y->value)
        return x->value > y->value ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The largest value within r of one, and not below it. */
static double end_of(double value, double r)
{
    return value > 0 ? value / (1 - r) : value * (1 - r);
}

/* How many pairs are within r in the value by which they are in order. */
static double count_windows(const struct sweep *s, double r)
{
    double sum = 0;
    size_t end = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double limit = end_of(s->order[i].value, r);

        for (end = end > i ? end : i + 1;
             end < s->n && s->order[end].value <= limit;)
            end++;
        sum += (double)(end - i - 1);
    }
    return sum;
}

static void sort_by(struct sweep *s, size_t column)
{
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = (struct at){s->value[i * s->dim + column], i};
    qsort(s->order, s->n, sizeof *s->order, by_value);
}

/* By the value that tells rows apart best. */
static void put_in_order(struct sweep *s)
{
    double least = HUGE_VAL;
    size_t best = 0;

    for (size_t d = 0; d < s->dim && least > (double)s->n; d++) {
        double windows;

        sort_by(s, d);
        windows = count_windows(s, ldexp(1, -20));
        if (windows < least) {
            least = windows;
            best = d;
        }
        if (least > (double)s->n && d + 1 == s->dim)
            sort_by(s, best);
    }
}

/* How far two rows are apart, as a power of 2 that is no less; -1 if further
   than 2^-bin. */
static int apart(const struct sweep *s, size_t i, size_t j, int bin)
{
    const double *a = s->value + i * s->dim, *b = s->value + j * s->dim;
    const double most = ldexp(1, -bin);
    double worst = 0;
    int power;

    for (size_t d = 0; d < s->dim; d++) {
        const double off = fabs(a[d] - b[d]);
        const double large = fmax(fabs(a[d]), fabs(b[d]));

        if (!(off <= most * large))
            return -1;
        worst = large > 0 ? fmax(worst, off / large) : worst;
    }
    if (worst == 0)
        return BINS - 1;
    worst = frexp(worst, &power); /* 1/2 <= worst < 1 */
    power -= worst == 0.5;
    return -power < BINS ? -power : BINS - 1;
}

static size_t first_of(size_t *root, size_t i)
{
    while (root[i] != i)
        i = root[i] = root[root[i]];
    return i;
}

/* All pairs within 2^-bin: counted, or (`root` given) put together. */
static void go_through(const struct sweep *s, int bin, double *count,
                       size_t *root)
{
    for (size_t i = 0; i < s->n; i++) {
        const double limit = end_of(s->order[i].value, ldexp(1, -bin));

        for (size_t j = i + 1; j < s->n && s->order[j].value <= limit; j++) {
            const size_t a = s->order[i].row, b = s->order[j].row;
            const int at = apart(s, a, b, bin);

            if (at < 0)
                continue;
            if (root != NULL) {
                const size_t x = first_of(root, a), y = first_of(root, b);

                root[x > y ? x : y] = x < y ? x : y;
            } else {
                count[at]++;
            }
        }
    }
}

/* The first power of 2 at which there are too many pairs for chance; BINS if
   there is none. `count` has those in each bin from `from` on. */
static int find_excess(size_t n, int from, double *count)
{
    const double tenth = (double)n * (double)(n - 1) / 20;

    for (int k = BINS - 2; k >= from; k--)
        count[k] += count[k + 1];
    for (int k = from + EIGHT; k < BINS; k++) {
        const double within = count[k], about = count[k - EIGHT];
        const double rest = about - within;
        double surprise;

        if (about == 0 || about > tenth || within < rest)
            continue;
        surprise = within * log(4 * within / about);
        if (rest > 0)
            surprise += rest * log(4 * rest / (3 * about));
        if (surprise > ENOUGH)
            return k;
    }
    return BINS;
}

bnre_status bnre__near_find(size_t n, size_t dim, const double *value,
                            size_t **root)
{
    struct sweep sweep = {.n = n, .dim = dim, .value = value};
    double count[BINS] = {0};
    bnre_status status = BNRE_OK;
    int from = COARSEST, found;

    *root = NULL;
    if (n < 2)
        return BNRE_OK;
    BNRE_NEW(sweep.order, n);
    put_in_order(&sweep);
    while (from < BINS - EIGHT &&
           count_windows(&sweep, ldexp(1, -from)) > EACH * (double)n)
        from++;
    if (from == BINS - EIGHT)
        goto done;
    go_through(&sweep, from, count, NULL);
    found = find_excess(n, from, count);
    if (found == BINS)
        goto done;
    BNRE_NEW(*root, n);
    for (size_t i = 0; i < n; i++)
        (*root)[i] = i;
    go_through(&sweep, found, NULL, *root);
    for (size_t i = 0; i < n; i++)
        (*root)[i] = first_of(*root, i);
done:
    bnre__free(sweep.order);
    return status;
}
