/* factor_loss.c - the loss of one factor of a conditional density. */
#include "infer/train/factor_loss.h"

#include <math.h>

#include "num/sigmoid.h"

/* Of the average over steps: it remembers about fifty of them. */
#define KEEP 0.98

static double weight_of(const double *w, size_t i)
{
    return w != NULL ? w[i] : 1;
}

/* exp(-|x|) of the first rows, which the derivatives need once more. */
enum { KEPT = 256 };

static double decay_at(const double kept[KEPT], const float *x, size_t i)
{
    return i < KEPT ? kept[i] : exp(-fabs((double)x[i]));
}

/* The sigmoid of x (sigmoid.h), whose exp(-|x|) is kept. */
static double keep_sigmoid(double kept[KEPT], const float *x, size_t i)
{
    const double e = exp(-fabs((double)x[i]));

    if (i < KEPT)
        kept[i] = e;
    return (x[i] > 0 ? 1 : e) / (1 + e);
}

/* And its slope. */
static double slope_at(const double kept[KEPT], const float *x, size_t i)
{
    const double e = decay_at(kept, x, i);

    return e / ((1 + e) * (1 + e));
}

bnre__loss bnre__factor_loss(double lambda, size_t n, const double *w,
                             const float *l, const float *m, double *balance,
                             float *dl, float *dm)
{
    const double each = 1 / (double)n;
    bnre__loss loss = {.balance = 1};
    double of_l[KEPT] = {0}, of_m[KEPT] = {0}, push = 0;

    for (size_t i = 0; i < n; i++)
        loss.cross_entropy -= each * weight_of(w, i) * (double)l[i];
    if (lambda > 0) {
        loss.balance = 0;
        for (size_t i = 0; i < n; i++)
            loss.balance +=
                each * weight_of(w, i) *
                (keep_sigmoid(of_l, l, i) + keep_sigmoid(of_m, m, i));
        if (balance != NULL) {
            *balance = *balance > 0
                           ? KEEP * *balance + (1 - KEEP) * loss.balance
                           : loss.balance;
            loss.balance = *balance;
        }
        push = 2 * lambda * (loss.balance - 1);
    }
    loss.value =
        loss.cross_entropy + lambda * (loss.balance - 1) * (loss.balance - 1);
    for (size_t i = 0; dl != NULL && i < n; i++) {
        const double of = each * weight_of(w, i);

        dl[i] =
            (float)(lambda > 0 ? of * (push * slope_at(of_l, l, i) - 1) : -of);
        if (lambda > 0)
            dm[i] = (float)(of * push * slope_at(of_m, m, i));
    }
    return loss;
}

void bnre__factor_add(bnre__factor_sums *sums, size_t n, const double *w,
                      const float *l, size_t draws, const float *m)
{
    for (size_t i = 0; i < n; i++) {
        const double own = bnre__sigmoid((double)l[i]), of = weight_of(w, i);
        double d = own;

        for (size_t k = 0; k < draws; k++)
            d += bnre__sigmoid((double)m[k * n + i]) / (double)draws;
        sums->rows += of;
        sums->squares += of * of;
        sums->log_loss -= of * (double)l[i];
        sums->d += of * d;
        sums->d2 += of * d * d;
        sums->certainty += of * fabs(2 * own - 1);
    }
}

bnre__set_loss bnre__factor_set(const bnre__factor_sums *sums, double lambda)
{
    const double n = sums->rows, balance = sums->d / n;
    const double effective = n * n / sums->squares;
    const double variance =
        (sums->d2 / n - balance * balance) / (effective - 1);
    const double excess = (balance - 1) * (balance - 1) - variance;

    return (bnre__set_loss){
        .loss = sums->log_loss / n + (excess > 0 ? lambda * excess : 0),
        .cross_entropy = sums->log_loss / n,
        .balance = balance,
        .variance = variance,
        .certainty = sums->certainty / n,
    };
}

/* ---- classes: the balance of each against all others ---- */

enum { MOST = 1024 }; /* values of a categorical parameter */

/* What is seen of one row: q (K), and d of each class. */
struct row {
    size_t own; /* its class */
    double q[MOST], rest[MOST], d[MOST];
    double above[MOST + 1]; /* sums of q from a class on */
};

static void read_row(const bnre__lines *lines, size_t i, struct row *row)
{
    const size_t n = lines->components;
    const float *raw = lines->raw + i * lines->stride;
    double most = -HUGE_VAL, sum = 0, below = 0;

    row->own = (size_t)((double)lines->c[i] + 0.5);
    for (size_t k = 0; k < n; k++)
        most = fmax(most, (double)raw[k]);
    for (size_t k = 0; k < n; k++)
        sum += row->q[k] = exp(lines->log_mass[k] + (double)raw[k] - most);
    row->above[n] = 0;
    for (size_t k = n; k-- > 0;)
        row->above[k] = row->above[k + 1] + row->q[k];
    for (size_t k = 0; k < n; k++) {
        const double p = exp(lines->log_mass[k]);
        /* 1 - q_k, of which nothing cancels */
        const double rest = below + row->above[k + 1];

        below += row->q[k];
        row->rest[k] = fmax(rest / sum, 1e-30);
        row->d[k] = bnre__sigmoid(lines->log_mass[k] + (double)raw[k] - most -
                                  log(fmax(rest, 1e-300)) - log(p) + log1p(-p));
    }
    for (size_t k = 0; k < n; k++)
        row->q[k] /= sum;
}

/* Sums of d of each class over the rows of one half of a batch. */
struct half {
    double all, rows[MOST], in[MOST], out[MOST];
    double off[MOST]; /* B - 1; 0 if there is none */
};

/* B is told only where both halves have rows of the class, and others. */
static void find_balance(size_t n, struct half half[2])
{
    for (size_t k = 0; k < n; k++)
        for (size_t h = 0; h < 2; h++) {
            const double rest = half[h].all - half[h].rows[k];
            const struct half *other = &half[!h];

            if (half[h].rows[k] > 0 && rest > 0 && other->rows[k] > 0 &&
                other->all > other->rows[k])
                half[h].off[k] =
                    half[h].in[k] / half[h].rows[k] + half[h].out[k] / rest - 1;
        }
}

static void add_slopes(const bnre__lines *lines, size_t i, double lambda,
                       const struct half *own, const struct half *other)
{
    const size_t n = lines->components;
    float *draw = lines->draw + i * lines->stride;
    double sum = 0; /* of slope / rest */
    struct row row;

    read_row(lines, i, &row);
    for (size_t k = 0; k < n; k++) {
        const double of = k == row.own ? own->rows[k] : own->all - own->rows[k];

        row.above[k] = other->off[k] == 0 ? 0
                                          : lambda * other->off[k] * row.d[k] *
                                                (1 - row.d[k]) / of;
        sum += row.above[k] / row.rest[k];
    }
    /* The slope of class k by number j is 1 for itself, else -q_j / rest_k. */
    for (size_t j = 0; j < n; j++)
        draw[j] += (float)(row.above[j] -
                           row.q[j] * (sum - row.above[j] / row.rest[j]));
}

void bnre__class_penalty(double lambda, const bnre__lines *lines,
                         bnre__loss *loss)
{
    const size_t n = lines->components;
    struct half half[2] = {{0}};
    struct row row;

    for (size_t i = 0; i < lines->n; i++) {
        struct half *h = &half[i % 2];

        read_row(lines, i, &row);
        h->all++;
        h->rows[row.own]++;
        for (size_t k = 0; k < n; k++)
            *(k == row.own ? &h->in[k] : &h->out[k]) += row.d[k];
    }
    find_balance(n, half);
    for (size_t k = 0; k < n; k++) {
        const double off = (half[0].off[k] + half[1].off[k]) / 2;

        loss->value += lambda * half[0].off[k] * half[1].off[k];
        if (fabs(off) > fabs(loss->balance - 1))
            loss->balance = 1 + off;
    }
    for (size_t i = 0; i < lines->n; i++)
        add_slopes(lines, i, lambda, &half[i % 2], &half[!(i % 2)]);
}
