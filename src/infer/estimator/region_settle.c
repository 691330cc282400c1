/* region_settle.c - which sets of a region are fixed: see region.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "infer/estimator/region_room.h"

enum {
    DRAWS = 16384, /* of q, that make sets */
    LOOKS = 512    /* of these, at which sets that follow are looked at */
};

/* Slopes are taken if they make a set smaller than this share of what it is
   without; sets that follow networks if they are so for each of the parameters
   that they follow. */
static const double PAYS = 0.8;

struct settling {
    bnre__region_room *room;
    size_t factors, numbers;
    double beta;
    double *c;     /* (DRAWS, factors): draws of q */
    double *rest;  /* (factors, DRAWS): what earlier factors leave */
    double *slope; /* (factors, factors) by which they do */
    double *size;  /* (factors): of sets that follow, on average */
    double *sets;  /* (factors, numbers): the result */
    double *value; /* (DRAWS) */
};

/* ---- draws ---- */

static bnre_status draw(const struct settling *s, uint64_t seed)
{
    const bnre__conditional *c = s->room->conditional;
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    double *theta = NULL;

    BNRE_NEW(theta, DRAWS * dim);
    BNRE_TRY(bnre__evaluator_draw(s->room->eval, seed, 0, DRAWS, theta));
    for (size_t i = 0; i < DRAWS; i++)
        for (size_t j = 0; j < s->factors; j++)
            s->c[i * s->factors + j] =
                bnre__coordinates_at(c->coordinates, j, theta + i * dim);
done:
    bnre__free(theta);
    return status;
}

/* ---- sets that follow ---- */

/* How large they are; and that of the first factor, which is the same for all
   values. */
static bnre_status look_at_sets(const struct settling *s, bnre__line_set *first)
{
    enum { ROWS = BNRE__EVALUATOR_BLOCK };
    bnre_status status = BNRE_OK;
    double *u = NULL, *log_w = NULL;

    BNRE_NEW(u, ROWS * bnre_prior_dim(s->room->conditional->prior));
    BNRE_NEW(log_w, ROWS);
    for (size_t at = 0; at < LOOKS; at += ROWS) {
        memcpy(s->room->c, s->c + at * s->factors,
               ROWS * s->factors * sizeof *s->c);
        bnre__region_room_begin(s->room, ROWS, log_w);
        for (size_t j = 0; j < s->factors; j++) {
            memset(log_w, 0, ROWS * sizeof *log_w);
            bnre__region_room_pass(s->room, j, ROWS, 0, u, log_w);
            for (size_t i = 0; i < ROWS; i++)
                s->size[j] += exp(log_w[i]) / LOOKS;
            if (j == 0)
                bnre__region_room_set(s->room, 0, 0, first);
        }
    }
done:
    bnre__free(log_w);
    bnre__free(u);
    return status;
}

/* ---- sets that are fixed ---- */

/* c_j = sum over k of slope_k c_k + rest_j, as the least squares have it: by
   the rests of earlier factors, which are orthogonal (Gram and Schmidt). O(j)
   passes over the draws. */
static void find_slopes(const struct settling *s, size_t j)
{
    double *rest = s->rest + j * DRAWS, *slope = s->slope + j * s->factors;
    double mean = 0;

    for (size_t i = 0; i < DRAWS; i++)
        mean += s->c[i * s->factors + j] / DRAWS;
    for (size_t i = 0; i < DRAWS; i++)
        rest[i] = s->c[i * s->factors + j] - mean;
    for (size_t k = 0; k < j; k++) {
        const double *e = s->rest + k * DRAWS;
        double up = 0, down = 0, b;

        for (size_t i = 0; i < DRAWS; i++) {
            up += rest[i] * e[i];
            down += e[i] * e[i];
        }
        b = down > 0 ? up / down : 0;
        for (size_t i = 0; i < DRAWS; i++)
            rest[i] -= b * e[i];
        slope[k] += b;
        for (size_t l = 0; l < k; l++)
            slope[l] -= b * s->slope[k * s->factors + l];
    }
}

/* Where c_j - sum slope_k c_k is, and how large the set is on average. One sort
   of the draws. */
static double fix_set(const struct settling *s, size_t j, const double *slope,
                      bnre__line_set *out)
{
    const bnre__range range = s->room->conditional->line[j].range;
    double size = 0;

    for (size_t i = 0; i < DRAWS; i++) {
        s->value[i] = s->c[i * s->factors + j];
        for (size_t k = 0; slope != NULL && k < j; k++)
            s->value[i] -= slope[k] * s->c[i * s->factors + k];
    }
    bnre__sort_doubles(DRAWS, s->value);
    bnre__line_set_of_values(slope != NULL ? BNRE__LINE : range, DRAWS,
                             s->value, s->beta, out);
    for (size_t i = 0; i < LOOKS; i++) {
        bnre__line_set set;
        double shift = 0;

        for (size_t k = 0; slope != NULL && k < j; k++)
            shift += slope[k] * s->c[i * s->factors + k];
        bnre__line_set_make(range, out->n, out->low, out->high, shift, &set);
        size += set.all / LOOKS;
    }
    return size;
}

static void write_set(const struct settling *s, size_t j, const double *slope,
                      const bnre__line_set *set)
{
    double *out = s->sets + j * s->numbers, *low = out + 1 + s->factors;

    memset(out, 0, s->numbers * sizeof *out);
    out[0] = (double)set->n;
    for (size_t k = 0; slope != NULL && k < j; k++)
        out[1 + k] = slope[k];
    memcpy(low, set->low, set->n * sizeof *low);
    memcpy(low + BNRE__SET_PIECES, set->high, set->n * sizeof *low);
}

/* The simplest set unless another is much smaller. */
static void choose_set(const struct settling *s, size_t j)
{
    const double *slope = s->slope + j * s->factors;
    bnre__line_set fixed, sloped;
    double size = fix_set(s, j, NULL, &fixed);
    const double other = fix_set(s, j, slope, &sloped);

    if (other < PAYS * size) {
        size = other;
        write_set(s, j, slope, &sloped);
    } else {
        write_set(s, j, NULL, &fixed);
    }
    if (s->size[j] < pow(PAYS, (double)j) * size)
        s->sets[j * s->numbers] = 0;
}

bnre_status bnre__region_settle(bnre__region *region, uint64_t seed)
{
    struct settling s = {.factors = region->earlier->conditional->factors,
                         .numbers = bnre__region_numbers(region->earlier)};
    bnre_status status = BNRE_OK;
    bnre__line_set first;

    s.beta = region->level / (double)s.factors;
    BNRE_TRY(bnre__region_room_open(region, &s.room));
    BNRE_NEW(s.c, DRAWS * s.factors);
    BNRE_NEW(s.rest, DRAWS * s.factors);
    BNRE_NEW(s.slope, s.factors * s.factors);
    BNRE_NEW(s.size, s.factors);
    BNRE_NEW(s.value, DRAWS);
    BNRE_NEW(s.sets, s.factors * s.numbers);
    bnre__region_room_use(s.room, s.sets); /* all follow */
    BNRE_TRY(draw(&s, seed));
    BNRE_TRY(look_at_sets(&s, &first));
    write_set(&s, 0, NULL, &first);
    find_slopes(&s, 0);
    for (size_t j = 1; j < s.factors; j++) {
        find_slopes(&s, j);
        choose_set(&s, j);
    }
    bnre__free(region->sets);
    region->sets = s.sets;
    s.sets = NULL;
done:
    bnre__free(s.sets);
    bnre__free(s.value);
    bnre__free(s.size);
    bnre__free(s.slope);
    bnre__free(s.rest);
    bnre__free(s.c);
    bnre__region_room_close(s.room);
    return status;
}
