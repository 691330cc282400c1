#include "infer/set_loss.h"

#include <math.h>
#include <string.h>

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double sigmoid(double x)
{
    const double e = exp(-fabs(x));

    return (x > 0 ? 1 : e) / (1 + e);
}

void bnre__set_add_batch(bnre__set_sums *sums, const bnre__loss *loss, size_t n,
                         const float *a, const float *b)
{
    sums->batches++;
    sums->loss += loss->value;
    sums->cross_entropy += loss->cross_entropy;
    sums->balance += loss->balance;
    for (size_t i = 0; a != NULL && i < n; i++)
        sums->certainty += (fabs(2 * sigmoid((double)a[i]) - 1) +
                            fabs(2 * sigmoid((double)b[i]) - 1)) /
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
    const double each = 1 / (double)shifts;
    double *sum = room, *squares = room + thetas;
    double *count = room + 2 * thetas, *p = room + 3 * thetas;

    memset(room, 0, 4 * thetas * sizeof *room);
    for (size_t i = 0; i < n; i++) {
        const double d_a = sigmoid((double)a[i]);
        double own = 0, own_squares = 0;

        sums->entropy_a += softplus(-(double)a[i]);
        sums->d_a += d_a;
        sums->certainty += fabs(2 * d_a - 1);
        for (size_t s = 0; s < shifts; s++) {
            const double logit = (double)b[s * n + i], d = sigmoid(logit);
            const size_t k = bnre__pairing_theta(pairing, i, shift[s]);

            sums->entropy_b += softplus(logit);
            sums->certainty += fabs(2 * d - 1);
            own += d;
            own_squares += d * d;
            sum[k] += d;
            squares[k] += d * d;
            count[k]++;
        }
        p[i] = d_a + each * own;
        sums->d_b += own;
        sums->d_b2 += own_squares;
        if (shifts > 1)
            sums->within_x += variance_of((double)shifts, own, own_squares);
    }
    for (size_t k = 0; k < thetas; k++) {
        const double u = each * count[k], v = k < n;
        const double all = p[k] + each * sum[k];

        sums->p_p += all * all;
        sums->p_v += all * v;
        sums->p_u += all * u;
        sums->v_u += v * u;
        sums->u_u += u * u;
        if (count[k] > 1) {
            sums->within_theta += variance_of(count[k], sum[k], squares[k]);
            sums->thetas++;
        }
    }
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

    set.loss =
        set.cross_entropy +
        lambda * fmax(0, (set.balance - 1) * (set.balance - 1) - set.variance);
    return set;
}
