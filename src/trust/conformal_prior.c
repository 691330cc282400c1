/* conformal_prior.c - conformal regions under another prior than that of the
   calibration pairs, by their weights. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "trust/conformal.h"
#include "trust/scores.h"

struct weighted {
    double score, weight;
};

static int by_score(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? 1 : -1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* With pair m + 1 that of theta, each of the m + 1 is the new one with a
   probability proportional to its weight, given all of them. Theta stays if
   smaller scores have less than the level of all weight:
     sum_{s_i < s} w_i < c (sum_i w_i + w(theta)).
   As no weight is above 1, c (sum + 1) on the right leaves no theta out, and
   makes it a bound on the score. (Weighted conformal prediction: Tibshirani,
   Barber, Candes and Ramdas 2019.) O(m log m). */
bnre_status bnre__conformal_weigh(size_t m, const double *score,
                                  const double *weight, double level,
                                  bnre_conformal *out)
{
    bnre_status status = BNRE_OK;
    struct weighted *pair = NULL;
    double sum = 0, squares = 0, below = 0;

    *out = (bnre_conformal){.level = level,
                            .pairs = m,
                            .k = m + 1,
                            .qhat = 1,
                            .assured = NAN,
                            .mean = NAN};
    BNRE_NEW(pair, m);
    for (size_t i = 0; i < m; i++) {
        pair[i] = (struct weighted){score[i], weight[i]};
        sum += weight[i];
        squares += weight[i] * weight[i];
    }
    qsort(pair, m, sizeof *pair, by_score);
    out->worth = squares > 0 ? sum * sum / squares : 0;
    for (size_t i = 0; i < m; i++) {
        below += pair[i].weight;
        if (below < level * (sum + 1) * (1 - 1e-14)) /* as place_of() */
            continue;
        out->k = i + 1;
        out->qhat = pair[i].score;
        break;
    }
done:
    bnre__free(pair);
    return status;
}

/* The valid pairs, to the front, and their weights: *n of them. */
static bnre_status read_pairs(const bnre_density *density, bnre_dataset *data,
                              double *theta, double *x, double *weight,
                              size_t *n)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    const size_t dim = info->dim_theta, size = info->x_size;
    bnre_status status = BNRE_OK;
    uint8_t *valid = NULL;
    double *p = NULL, least = 1;

    BNRE_NEW(valid, info->rows);
    BNRE_NEW(p, info->rows);
    BNRE_TRY(bnre_dataset_read(data, 0, info->rows, theta, NULL, x, valid));
    *n = 0;
    for (size_t i = 0; i < info->rows; i++) {
        if (valid[i] != BNRE_DRAW_OK)
            continue;
        for (size_t j = 0; j < dim; j++)
            theta[*n * dim + j] = theta[i * dim + j];
        for (size_t j = 0; j < size; j++)
            x[*n * size + j] = x[i * size + j];
        weight[*n] = 1;
        *n += 1;
    }
    if (density->keep != NULL)
        BNRE_TRY(density->keep(density->context, *n, theta, weight));
    if (density->result != NULL && info->failed > 0) {
        BNRE_TRY(density->result(density->context, *n, theta, p));
        for (size_t i = 0; i < *n; i++)
            least = fmin(least, p[i]);
        for (size_t i = 0; i < *n; i++)
            weight[i] *= least / p[i];
    }
done:
    bnre__free(p);
    bnre__free(valid);
    return status;
}

/* Pairs without weight have no part. */
static size_t drop_weightless(const bnre_density *density, size_t n,
                              double *theta, double *x, double *weight)
{
    const size_t dim = bnre_prior_dim(density->prior), size = density->x_size;
    size_t to = 0;

    for (size_t i = 0; i < n; i++) {
        if (!(weight[i] > 0))
            continue;
        for (size_t j = 0; j < dim; j++)
            theta[to * dim + j] = theta[i * dim + j];
        for (size_t j = 0; j < size; j++)
            x[to * size + j] = x[i * size + j];
        weight[to++] = weight[i];
    }
    return to;
}

bnre_status bnre__conformal_changed(const bnre_density *density,
                                    bnre_dataset *data, double lost,
                                    bnre_pool *pool, const double *observed,
                                    bnre_posterior *posterior, size_t n,
                                    const double *level,
                                    bnre_conformal_region *out)
{
    const bnre_dataset_info *info = bnre_dataset_describe(data);
    bnre_status status = BNRE_OK;
    bnre__scorer scorer = {0};
    double *theta = NULL, *x = NULL, *weight = NULL, *score = NULL;
    size_t m = 0;

    BNRE_NEW(theta, info->rows * info->dim_theta);
    BNRE_NEW(x, info->rows * info->x_size);
    BNRE_NEW(weight, info->rows);
    BNRE_TRY(read_pairs(density, data, theta, x, weight, &m));
    m = drop_weightless(density, m, theta, x, weight);
    BNRE_NEW(score, m);
    BNRE_TRY(bnre__conformal_scores(density, m, theta, x, pool, score));
    BNRE_TRY(bnre__scorer_init(&scorer, density));
    BNRE_TRY(bnre__scorer_observe(&scorer, observed));
    BNRE_TRY(bnre__conformal_sees(&scorer));
    for (size_t i = 0; i < n; i++) {
        bnre_conformal_region *region = &out[i];

        BNRE_TRY(bnre__conformal_weigh(m, score, weight, level[i],
                                       &region->conformal));
        region->conformal.assured = level[i] - lost;
        BNRE_TRY(bnre__conformal_place(&scorer, posterior, region));
    }
done:
    bnre__scorer_clear(&scorer);
    bnre__free(score);
    bnre__free(weight);
    bnre__free(x);
    bnre__free(theta);
    return status;
}
