/* region.c - sets, places and values, for one thread: see region.h. */
#include "infer/estimator/region.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "infer/estimator/region_room.h"
#include "prior/prior.h"

enum { BLOCK = BNRE__EVALUATOR_BLOCK };

/* ---- making ---- */

bnre_status bnre__region_check(const bnre_estimator *est)
{
    const bnre__conditional *c = est->conditional;

    if (c == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "rounds need densities that can be drawn from: use "
                         "the methods npe or bnpe, or one round");
    if (est->info.temper != 1)
        return bnre_fail(BNRE_EUSAGE, "a tempered density cannot be drawn from "
                                      "and makes no region: widen it instead");
    if (!bnre_prior_has_density(est->outline.prior))
        return bnre_fail(BNRE_EUSAGE,
                         "the prior is known by draws only and cannot be "
                         "restricted to a region: use one round");
    if (bnre__prior_depends(est->outline.prior))
        return bnre_fail(BNRE_EUSAGE,
                         "a prior whose parameters depend on each other "
                         "(multivariate_normal) cannot be restricted to a "
                         "region: use one round");
    if (bnre__prior_is_mixed(est->outline.prior))
        return bnre_fail(BNRE_EUSAGE,
                         "a prior with integers or categories cannot be "
                         "restricted to a region: use one round");
    if (bnre__coordinates_reject(c->coordinates))
        return bnre_fail(BNRE_EUSAGE,
                         "a prior with constraints other than orders such as a "
                         ">= b cannot be restricted to a region: use one "
                         "round");
    if (est->info.members * c->components > BNRE__SET_PARTS)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu members are too many to make a region: use %d or "
                         "fewer",
                         est->info.members,
                         BNRE__SET_PARTS / (int)c->components);
    return BNRE_OK;
}

bnre_status bnre__region_create(bnre_estimator *earlier, const double *x,
                                double level, bnre__region **out)
{
    bnre_status status = BNRE_OK;
    bnre__region *region = NULL;

    *out = NULL;
    BNRE_NEW(region, 1);
    region->earlier = earlier;
    earlier = NULL;
    BNRE_TRY(bnre__region_check(region->earlier));
    region->level = region->alpha = level;
    region->rare = BNRE__RARE;
    region->share = region->error = NAN;
    BNRE_NEW(region->x, region->earlier->info.x_size);
    memcpy(region->x, x, region->earlier->info.x_size * sizeof *x);
    BNRE_NEW(region->sets, region->earlier->conditional->factors *
                               bnre__region_numbers(region->earlier));
    *out = region;
    region = NULL;
done:
    bnre_estimator_close(earlier);
    bnre__region_destroy(region);
    return status;
}

void bnre__region_destroy(bnre__region *region)
{
    if (region == NULL)
        return;
    bnre_estimator_close(region->earlier);
    bnre__free(region->sets);
    bnre__free(region->x);
    bnre__free(region);
}

/* ---- room ---- */

void bnre__region_room_close(bnre__region_room *room)
{
    if (room == NULL)
        return;
    bnre__free(room->ends);
    bnre__free(room->near);
    bnre__free(room->part);
    bnre__free(room->log_q);
    bnre__free(room->raw);
    bnre__free(room->c);
    bnre__region_room_close(room->outer);
    bnre__evaluator_close(room->eval);
    bnre__free(room);
}

bnre_status bnre__region_room_observe(bnre__region_room *room, const double *x)
{
    return bnre__evaluator_observe(room->eval, 1, x);
}

size_t bnre__region_numbers(const bnre_estimator *earlier)
{
    return 1 + earlier->conditional->factors + 2 * BNRE__SET_PIECES;
}

/* The numbers of a factor's set, or NULL if it follows. */
static const double *fixed_set(const bnre__region_room *room, size_t j)
{
    const double *set =
        room->sets + j * bnre__region_numbers(room->region->earlier);

    return set[0] > 0 ? set : NULL;
}

void bnre__region_room_use(bnre__region_room *room, const double *sets)
{
    room->sets = sets;
    room->asks = 0;
    for (size_t j = 0; j < room->conditional->factors; j++)
        if (fixed_set(room, j) == NULL)
            room->asks = j + 1;
}

static bnre_status open_room(const bnre__region *region, size_t view,
                             bnre__region_room **out)
{
    const bnre_estimator *est = region->earlier;
    const bnre__conditional *c = est->conditional;
    bnre_status status = BNRE_OK;
    bnre__region_room *room = NULL;

    *out = NULL;
    BNRE_NEW(room, 1);
    room->region = region;
    room->conditional = c;
    bnre__region_room_use(room, region->sets);
    room->beta = -expm1(log1p(-region->level) / (double)c->factors);
    BNRE_TRY(bnre__evaluator_open(&est->view[view], 1, &room->eval));
    BNRE_TRY(bnre__region_room_observe(room, region->x));
    if (est->region != NULL)
        BNRE_TRY(bnre__region_room_open(est->region, &room->outer));
    BNRE_NEW(room->c, BLOCK * est->info.dim_theta);
    BNRE_NEW(room->raw, est->info.members * BLOCK * c->outputs);
    BNRE_NEW(room->log_q, est->info.members * BLOCK);
    BNRE_NEW(room->part, est->info.members * c->components);
    BNRE_NEW(room->near, c->factors);
    BNRE_NEW(room->ends, c->factors);
    *out = room;
    room = NULL;
done:
    bnre__region_room_close(room);
    return status;
}

bnre_status bnre__region_room_open(const bnre__region *region,
                                   bnre__region_room **out)
{
    return open_room(region, region->earlier->info.members, out);
}

bnre_status bnre__region_room_open_fold(const bnre__region *region, size_t fold,
                                        bnre__region_room **out)
{
    return open_room(region, region->earlier->info.members + 1 + fold, out);
}

/* ---- borders ---- */

/* Count the ends of a set that are no bounds, and whether u is near one. */
static void look_at_ends(bnre__region_room *room, size_t j,
                         const bnre__line_set *set, double u)
{
    double at = 0;

    for (size_t k = 0; k < set->n; k++) {
        const double next = at + set->mass[k] / set->all;
        const int low = set->range == BNRE__LINE || set->low[k] > 0;
        const int high = set->range != BNRE__UNIT || set->high[k] < 1;

        room->ends[j] += low + high;
        room->near[j] += low && u >= at && u < at + BNRE__BORDER;
        room->near[j] += high && u <= next && u > next - BNRE__BORDER;
        at = next;
    }
}

double bnre__region_border(bnre__region_room *room)
{
    double most = 0;

    for (size_t j = 0; j < room->conditional->factors; j++) {
        if (room->ends[j] > 0)
            most = fmax(most, room->near[j] / (room->ends[j] * BNRE__BORDER));
        room->near[j] = room->ends[j] = 0;
    }
    return most;
}

/* ---- sets ---- */

/* The density of factor j for row i: parts of all members, weighed by what they
   say of the earlier parameters. */
static void read_parts(const bnre__region_room *room, size_t j, size_t i)
{
    const bnre__conditional *c = room->conditional;
    const size_t members = room->eval->members, k_parts = c->components;
    double most = -INFINITY, sum = 0;
    bnre__line_density q;

    for (size_t k = 0; k < members; k++)
        most = fmax(most, room->log_q[k * BLOCK + i]);
    for (size_t k = 0; k < members; k++)
        sum += exp(room->log_q[k * BLOCK + i] - most);
    for (size_t k = 0; k < members; k++) {
        const double log_member = room->log_q[k * BLOCK + i] - most - log(sum);

        c->line[j].type->read(&c->line[j],
                              room->raw + (k * BLOCK + i) * c->outputs,
                              room->eval->widen, &q);
        for (size_t m = 0; m < k_parts; m++)
            room->part[k * k_parts + m] = (bnre__set_part){
                .log_weight =
                    log_member + log(fmax(q.mixture.weight[m], 1e-300)),
                .place = q.mixture.place[m],
                .width = q.mixture.width[m]};
    }
}

/* What members say of the value of factor j joins log_q. */
static void add_factor(const bnre__region_room *room, size_t j, size_t i,
                       double c_j)
{
    const bnre__conditional *c = room->conditional;
    bnre__line_density q;

    for (size_t k = 0; k < room->eval->members; k++) {
        c->line[j].type->read(&c->line[j],
                              room->raw + (k * BLOCK + i) * c->outputs,
                              room->eval->widen, &q);
        room->log_q[k * BLOCK + i] += c->line[j].type->log_density(&q, c_j);
    }
}

void bnre__region_room_set(const bnre__region_room *room, size_t j, size_t i,
                           bnre__line_set *out)
{
    const bnre__conditional *c = room->conditional;
    const double *fixed = fixed_set(room, j);
    const double *at = room->c + i * c->factors;
    double shift = 0;

    if (fixed == NULL) {
        read_parts(room, j, i);
        bnre__line_set_find(c->line[j].range,
                            room->eval->members * c->components, room->part,
                            room->beta, out);
        return;
    }
    for (size_t k = 0; k < j; k++)
        shift += fixed[1 + k] * at[k];
    bnre__line_set_make(c->line[j].range, (size_t)fixed[0],
                        fixed + 1 + c->factors,
                        fixed + 1 + c->factors + BNRE__SET_PIECES, shift, out);
}

void bnre__region_room_pass(bnre__region_room *room, size_t j, size_t n,
                            int back, double *u, double *log_w)
{
    const bnre__conditional *c = room->conditional;
    const size_t dim = bnre_prior_dim(c->prior), parameter = c->order[j];
    float *seen = room->eval->room.seen;
    bnre__line_set set;

    for (size_t k = 0; j < room->asks && k < room->eval->members; k++)
        bnre__chain_factor(room->eval->chain[k], j, n, seen, c->factors, NULL,
                           room->raw + k * BLOCK * c->outputs);
    for (size_t i = 0; i < n; i++) {
        double *at = &room->c[i * c->factors + j],
               *place = &u[i * dim + parameter];

        bnre__region_room_set(room, j, i, &set);
        if (back)
            *at = bnre__line_set_value(&set, *place);
        else if (!bnre__line_set_place(&set, *at, place))
            log_w[i] = -INFINITY;
        log_w[i] += log(set.all);
        look_at_ends(room, j, &set, *place);
        if (j + 1 < room->asks)
            add_factor(room, j, i, *at);
        seen[i * c->factors + j] =
            (float)bnre__coordinates_seen(c->coordinates, j, *at);
    }
}

void bnre__region_room_begin(const bnre__region_room *room, size_t n,
                             double *log_w)
{
    for (size_t i = 0; i < n; i++)
        log_w[i] = 0;
    for (size_t k = 0; k < room->eval->members; k++)
        for (size_t i = 0; i < n; i++)
            room->log_q[k * BLOCK + i] = 0;
}

/* ---- from theta to places ---- */

static int is_factor(const bnre__conditional *c, size_t parameter)
{
    for (size_t j = 0; j < c->factors; j++)
        if (c->order[j] == parameter)
            return 1;
    return 0;
}

/* Fixed parameters are the same everywhere. */
static void copy_fixed(const bnre__conditional *c, size_t n, const double *from,
                       double *to)
{
    const size_t dim = bnre_prior_dim(c->prior);

    for (size_t k = 0; k < dim; k++)
        if (!is_factor(c, k))
            for (size_t i = 0; i < n; i++)
                to[i * dim + k] = from[i * dim + k];
}

/* What is left of the way between theta and places: the region around this one,
   or the coordinates. */
static void add_shares(const bnre__region_room *room, size_t n,
                       const double *theta, const double *outer_w,
                       double *log_w)
{
    const bnre__conditional *c = room->conditional;
    const size_t dim = bnre_prior_dim(c->prior);

    for (size_t i = 0; i < n; i++)
        log_w[i] +=
            room->outer != NULL
                ? outer_w[i]
                : -bnre__coordinates_log_share(c->coordinates, theta + i * dim);
}

static bnre_status places_block(bnre__region_room *room, size_t n,
                                const double *theta, double *u, double *log_w)
{
    const bnre__conditional *c = room->conditional;
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    double *outer_w = NULL;

    BNRE_NEW(outer_w, n);
    copy_fixed(c, n, theta, u);
    if (room->outer != NULL)
        BNRE_TRY(bnre__region_places(room->outer, n, theta, u, outer_w));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < c->factors; j++)
            room->c[i * c->factors + j] =
                room->outer != NULL
                    ? u[i * dim + c->order[j]]
                    : bnre__coordinates_at(c->coordinates, j, theta + i * dim);
    bnre__region_room_begin(room, n, log_w);
    for (size_t j = 0; j < c->factors; j++)
        bnre__region_room_pass(room, j, n, 0, u, log_w);
    add_shares(room, n, theta, outer_w, log_w);
done:
    bnre__free(outer_w);
    return status;
}

/* ---- and back ---- */

static bnre_status values_block(bnre__region_room *room, size_t n,
                                const double *u, double *theta, double *log_w)
{
    const bnre__conditional *c = room->conditional;
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    double *place = NULL, *outer_w = NULL;

    BNRE_NEW(place, n * dim);
    BNRE_NEW(outer_w, n);
    memcpy(place, u, n * dim * sizeof *place);
    copy_fixed(c, n, u, theta);
    bnre__region_room_begin(room, n, log_w);
    for (size_t j = 0; j < c->factors; j++)
        bnre__region_room_pass(room, j, n, 1, place, log_w);
    if (room->outer != NULL) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < c->factors; j++)
                place[i * dim + c->order[j]] = room->c[i * c->factors + j];
        BNRE_TRY(bnre__region_values(room->outer, n, place, theta, outer_w));
    }
    for (size_t i = 0; room->outer == NULL && i < n; i++)
        for (size_t j = 0; j < c->factors; j++)
            theta[i * dim + c->order[j]] =
                bnre__coordinates_value(c->coordinates, j, theta + i * dim,
                                        room->c[i * c->factors + j]);
    add_shares(room, n, theta, outer_w, log_w);
done:
    bnre__free(outer_w);
    bnre__free(place);
    return status;
}

typedef bnre_status (*block_fn)(bnre__region_room *room, size_t n,
                                const double *from, double *to, double *log_w);

static bnre_status by_blocks(bnre__region_room *room, size_t n,
                             const double *from, double *to, double *log_w,
                             block_fn block)
{
    const size_t dim = bnre_prior_dim(room->conditional->prior);

    for (size_t first = 0, rows; first < n; first += rows) {
        rows = n - first < BLOCK ? n - first : BLOCK;
        BNRE_DO(block(room, rows, from + first * dim, to + first * dim,
                      log_w + first));
    }
    return BNRE_OK;
}

bnre_status bnre__region_places(bnre__region_room *room, size_t n,
                                const double *theta, double *u, double *log_w)
{
    return by_blocks(room, n, theta, u, log_w, places_block);
}

bnre_status bnre__region_values(bnre__region_room *room, size_t n,
                                const double *u, double *theta, double *log_w)
{
    return by_blocks(room, n, u, theta, log_w, values_block);
}
