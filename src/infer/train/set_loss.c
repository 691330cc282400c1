/* set_loss.c - the loss on a set of pairs, from batches of logits. */
#include "infer/train/set_loss.h"

#include <math.h>

#include "num/sigmoid.h"
#include <string.h>

void bnre__set_add_batch(bnre__set_sums *sums, const bnre__loss *loss, size_t n,
                         const float *a, const float *b)
{
    sums->batches++;
    sums->loss += loss->value;
    sums->cross_entropy += loss->cross_entropy;
    sums->balance += loss->balance;
    for (size_t i = 0; a != NULL && i < n; i++)
        sums->certainty += (fabs(2 * bnre__sigmoid((double)a[i]) - 1) +
                            fabs(2 * bnre__sigmoid((double)b[i]) - 1)) /
                           (double)(2 * n);
}

bnre__set_loss bnre__set_by_batches(const bnre__set_sums *sums)
{
    return (bnre__set_loss){
        .loss = sums->loss / sums->batches,
        .cross_entropy = sums->cross_entropy / sums->batches,
        .balance = sums->balance / sums->batches,
        .variance = NAN,
        .certainty = sums->certainty / sums->batches,
    };
}

/* Unbiased variance from a sum and a sum of squares of n numbers. */
static double variance_of(double n, double sum, double squares)
{
    const double v = (squares - sum * sum / n) / (n - 1);

    return v > 0 ? v : 0;
}

/* From logits to d, and their cross-entropy by the way: the logarithms of
   1 + exp(-|l|) are taken of their product. */
struct logits {
    double linear, product; /* of softplus */
    double certainty;
};

static double take_logit(struct logits *all, double logit, int joint)
{
    const double e = exp(-fabs(logit));

    if ((logit > 0) != joint)
        all->linear += fabs(logit);
    all->product *= 1 + e;
    all->certainty += (1 - e) / (1 + e);
    return (logit > 0 ? 1 : e) / (1 + e);
}

/* What is to be known of each theta. */
struct thetas {
    double *sum, *squares, *count; /* d of its marginal pairs */
    double *p;                     /* its part as a row with an x */
};

static void add_row(bnre__set_sums *sums, const bnre__pairing *pairing,
                    size_t i, double a, size_t shifts, const size_t *shift,
                    size_t n, const float *b, const struct thetas *theta)
{
    struct logits joint = {.product = 1}, marginal = {.product = 1};
    const double d_a = take_logit(&joint, a, 1);
    double own = 0, squares = 0;

    for (size_t s = 0; s < shifts; s++) {
        const double d = take_logit(&marginal, (double)b[s * n + i], 0);
        const size_t k = bnre__pairing_theta(pairing, i, shift[s]);

        own += d;
        squares += d * d;
        theta->sum[k] += d;
        theta->squares[k] += d * d;
        theta->count[k]++;
    }
    theta->p[i] = d_a + own / (double)shifts;
    sums->entropy_a += joint.linear + log(joint.product);
    sums->entropy_b += marginal.linear + log(marginal.product);
    sums->certainty += joint.certainty + marginal.certainty;
    sums->d_a += d_a;
    sums->d_b += own;
    sums->d_b2 += squares;
    if (shifts > 1)
        sums->within_x += variance_of((double)shifts, own, squares);
}

static void add_theta(bnre__set_sums *sums, size_t shifts, int has_x,
                      const struct thetas *theta, size_t k)
{
    const double count = theta->count[k];
    const double u = count / (double)shifts, v = has_x;
    const double p = theta->p[k] + theta->sum[k] / (double)shifts;

    sums->p_p += p * p;
    sums->p_v += p * v;
    sums->p_u += p * u;
    sums->v_u += v * u;
    sums->u_u += u * u;
    if (count > 1) {
        sums->within_theta +=
            variance_of(count, theta->sum[k], theta->squares[k]);
        sums->thetas++;
    }
}

/* The balance is a mean over pairs that share rows. Row j contributes
   d(a_j) and its part as x of marginal pairs (if it has an x: v_j = 1), and its
   part as theta of u_j S marginal pairs:

     p_j = v_j [d(a_j) + 1/S sum_s d(b_js)] + 1/S sum over pairs of theta_j d(b)

   With A and M the means of d over joint and marginal pairs, the influence of
   row j on the balance is [p_j - v_j (A + M) - u_j M] / rows, and the sum of
   squares of all influences estimates its variance. What belongs to a single
   marginal pair, not to its theta nor to its x, enters twice there: one share
   is taken off, its size being

     variance within x + variance within theta - variance of all d(b). */
void bnre__set_add_shifts(bnre__set_sums *sums, const bnre__pairing *pairing,
                          size_t n, const float *a, size_t shifts,
                          const size_t *shift, const float *b, double *room)
{
    const size_t thetas = pairing->thetas;
    const struct thetas theta = {room, room + thetas, room + 2 * thetas,
                                 room + 3 * thetas};

    memset(room, 0, 4 * thetas * sizeof *room);
    for (size_t i = 0; i < n; i++)
        add_row(sums, pairing, i, (double)a[i], shifts, shift, n, b, &theta);
    for (size_t k = 0; k < thetas; k++)
        add_theta(sums, shifts, k < n, &theta, k);
    sums->rows += (double)n;
    sums->pairs += (double)(n * shifts);
}

static double variance_of_balance(const bnre__set_sums *sums, double joint,
                                  double marginal)
{
    const double n = sums->rows, both = joint + marginal;
    const double influences =
        (sums->p_p - 2 * both * sums->p_v - 2 * marginal * sums->p_u +
         both * both * n + 2 * both * marginal * sums->v_u +
         marginal * marginal * sums->u_u) /
        (n * n);
    double single = 0;

    if (sums->thetas > 0 && sums->pairs > n)
        single = sums->within_x / n + sums->within_theta / sums->thetas -
                 variance_of(sums->pairs, sums->d_b, sums->d_b2);
    if (single > 0)
        return fmax(0, influences - single / sums->pairs);
    return fmax(0, influences);
}

static void add_penalty(bnre__set_loss *set, double lambda)
{
    const double off = set->balance - 1;

    set->loss =
        set->cross_entropy + lambda * fmax(0, off * off - set->variance);
}

bnre__set_loss bnre__set_unbiased(const bnre__set_sums *sums, double lambda)
{
    const double joint = sums->d_a / sums->rows;
    const double marginal = sums->d_b / sums->pairs;
    bnre__set_loss set = {
        .cross_entropy =
            sums->entropy_a / sums->rows + sums->entropy_b / sums->pairs,
        .balance = joint + marginal,
        .variance = variance_of_balance(sums, joint, marginal),
        .certainty = sums->certainty / (sums->rows + sums->pairs),
    };

    add_penalty(&set, lambda);
    return set;
}

/* ---- classes ---- */

void bnre__set_add_class(bnre__set_sums *sums, size_t n, const float *logit,
                         int is_first)
{
    for (size_t i = 0; i < n; i++) {
        struct logits one = {.product = 1};
        const double d = take_logit(&one, (double)logit[i], is_first);

        *(is_first ? &sums->entropy_a : &sums->entropy_b) +=
            one.linear + log(one.product);
        *(is_first ? &sums->d_a : &sums->d_b) += d;
        *(is_first ? &sums->d_a2 : &sums->d_b2) += d * d;
        sums->certainty += one.certainty;
    }
    *(is_first ? &sums->rows : &sums->pairs) += (double)n;
}

bnre__set_loss bnre__set_of_classes(const bnre__set_sums *sums, double lambda)
{
    const double n = sums->rows, m = sums->pairs;
    bnre__set_loss set = {
        .cross_entropy = sums->entropy_a / n + sums->entropy_b / m,
        .balance = sums->d_a / n + sums->d_b / m,
        .variance = variance_of(n, sums->d_a, sums->d_a2) / n +
                    variance_of(m, sums->d_b, sums->d_b2) / m,
        .certainty = sums->certainty / (n + m),
    };

    add_penalty(&set, lambda);
    return set;
}
