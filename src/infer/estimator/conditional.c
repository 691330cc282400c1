/* conditional.c - posteriors as products of densities of one parameter. */
#include "infer/estimator/conditional.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/float_mode.h"
#include "base/mem.h"
#include "bnre/settings.h"
#include "nn/net.h"
#include "nn/plan.h"
#include "prior/prior.h"

/* ---- making ---- */

/* Append a parameter to the order, unless it is there. */
static int append(bnre__conditional *c, size_t i)
{
    for (size_t j = 0; j < c->factors; j++)
        if (c->order[j] == i)
            return 0;
    c->order[c->factors++] = i;
    return 1;
}

static bnre_status append_named(bnre__conditional *c, const char *name)
{
    const size_t dim = bnre_prior_dim(c->prior);
    size_t i = 0;

    while (i < dim && strcmp(bnre_prior_name(c->prior, i), name) != 0)
        i++;
    if (i == dim)
        return bnre_fail(BNRE_EUSAGE,
                         "order: there is no parameter called \"%s\"", name);
    if (bnre__prior_is_fixed(c->prior, i))
        return bnre_fail(BNRE_EUSAGE,
                         "order: %s is fixed, there is nothing to infer", name);
    if (!append(c, i))
        return bnre_fail(BNRE_EUSAGE, "order: %s is given twice", name);
    return BNRE_OK;
}

/* A factor of values in a list. */
static bnre_status make_values(bnre__conditional *c, size_t j)
{
    const size_t i = c->order[j];
    bnre__line *line = &c->line[j];
    bnre_status status = BNRE_OK;

    line->type = &bnre__line_values;
    if (bnre__prior_values(c->prior, i, &line->components) == BNRE__CATEGORIES)
        c->levels[j] = line->components;
    BNRE_NEW(c->log_mass[j], line->components);
    for (size_t k = 0; k < line->components; k++)
        c->log_mass[j][k] = log(bnre__prior_mass(c->prior, i, k));
    line->log_mass = c->log_mass[j];
done:
    return status;
}

static bnre_status make_lines(bnre__conditional *c)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__coordinates_create(c->prior, c->factors, c->order,
                                      &c->coordinates));
    BNRE_NEW(c->line, c->factors);
    BNRE_NEW(c->levels, c->factors);
    BNRE_NEW(c->log_mass, c->factors);
    for (size_t j = 0; j < c->factors; j++) {
        c->line[j] =
            (bnre__line){.type = &bnre__line_logistic,
                         .range = bnre__coordinates_range(c->coordinates, j),
                         .components = c->components};
        if (c->line[j].range == BNRE__VALUES)
            BNRE_TRY(make_values(c, j));
        if (bnre__line_outputs(&c->line[j]) > c->outputs)
            c->outputs = bnre__line_outputs(&c->line[j]);
    }
done:
    return status;
}

static bnre_status find_order(bnre__conditional *c, size_t n,
                              const char *const *order)
{
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;

    BNRE_NEW(c->order, dim);
    for (size_t j = 0; j < n; j++)
        BNRE_TRY(append_named(c, order[j]));
    for (size_t i = 0; i < dim; i++)
        if (!bnre__prior_is_fixed(c->prior, i))
            (void)append(c, i);
    if (c->factors == 0)
        BNRE_THROW(BNRE_EUSAGE, "all parameters are fixed: there is nothing to "
                                "infer");
done:
    return status;
}

/* Heads that see nothing of x. */
static bnre_status make_prior_chain(bnre__conditional *c)
{
    static const size_t shape[] = {1};
    const bnre__net_input input = {.dim_theta = c->factors,
                                   .levels = c->levels,
                                   .ndim = 1,
                                   .shape = shape,
                                   .outputs = c->outputs};
    bnre_status status = BNRE_OK;
    bnre_node *network = NULL;

    if (bnre_prior_has_density(c->prior))
        return BNRE_OK;
    BNRE_TRY(bnre_yaml_parse("head: {hidden: [32, 32], activation: elu}", NULL,
                             &network));
    BNRE_TRY(bnre__chain_create(network, &input, &c->prior_chain));
    BNRE_NEW(c->prior_weights, bnre__chain_weights(c->prior_chain));
done:
    bnre_node_destroy(network);
    return status;
}

bnre_status bnre__conditional_prior_plan(const bnre__conditional *c,
                                         size_t batch, int train,
                                         bnre__chain_plan **out)
{
    const bnre__plan_opts opts = {.batch = batch, .train = train};
    const float zero = 0;

    BNRE_DO(bnre__chain_plan_create(c->prior_chain, &opts, out));
    bnre__chain_set(*out, c->prior_weights, NULL);
    bnre__chain_observe(*out, 1, &zero);
    return BNRE_OK;
}

bnre_status bnre__conditional_create(const bnre_prior *prior,
                                     const bnre_node *network,
                                     const bnre__net_input *input, size_t n,
                                     const char *const *order,
                                     size_t components, bnre__conditional **out)
{
    bnre_status status = BNRE_OK;
    bnre__conditional *c = NULL;
    bnre__net_input of = *input;

    *out = NULL;
    if (components == 0 || components > BNRE__MOST_COMPONENTS ||
        components % BNRE__COMPONENT_STEP != 0)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu components: 8, 16, 24 or 32 are "
                         "possible",
                         components);
    BNRE_NEW(c, 1);
    c->prior = prior;
    c->components = components;
    BNRE_TRY(find_order(c, n, order));
    BNRE_TRY(make_lines(c));
    of.dim_theta = c->factors;
    of.levels = c->levels;
    of.outputs = c->outputs;
    BNRE_TRY(bnre__chain_create(network, &of, &c->chain));
    BNRE_TRY(make_prior_chain(c));
    *out = c;
    c = NULL;
done:
    bnre__conditional_destroy(c);
    return status;
}

void bnre__conditional_destroy(bnre__conditional *c)
{
    if (c == NULL)
        return;
    bnre__validity_destroy(c->validity);
    bnre__free(c->prior_weights);
    bnre__chain_destroy(c->prior_chain);
    bnre__chain_destroy(c->chain);
    for (size_t j = 0; c->log_mass != NULL && j < c->factors; j++)
        bnre__free(c->log_mass[j]);
    bnre__free(c->log_mass);
    for (size_t j = 0; c->gaps != NULL && j < c->gap_sets * c->factors; j++)
        bnre__free(c->gaps[j].value);
    bnre__free(c->gaps);
    bnre__free(c->levels);
    bnre__free(c->line);
    bnre__coordinates_destroy(c->coordinates);
    bnre__free(c->order);
    bnre__free(c);
}

/* ---- coordinates ---- */

/* What networks see of factor j's coordinates at (n). */
static void spread_factor(const bnre__conditional *c, size_t j, size_t n,
                          const float *at, float *seen)
{
    for (size_t i = 0; i < n; i++)
        seen[i * c->factors + j] =
            (float)bnre__coordinates_seen(c->coordinates, j, (double)at[i]);
}

void bnre__conditional_spread(const bnre__conditional *c, size_t n,
                              const float *coordinate, float *to, float *seen)
{
    const size_t dim = bnre_prior_dim(c->prior);

    for (size_t j = 0; j < c->factors; j++) {
        for (size_t i = 0; i < n; i++)
            to[j * n + i] = coordinate[i * dim + c->order[j]];
        spread_factor(c, j, n, to + j * n, seen);
    }
}

bnre_status bnre__conditional_valid(const bnre__conditional *c, size_t set,
                                    size_t n, const double *theta, double *p)
{
    enum { BATCH = 128 };
    const size_t dim = bnre_prior_dim(c->prior);
    bnre_status status = BNRE_OK;
    bnre__validity_plan plan = {0};
    float *coordinate = NULL, *at = NULL, *seen = NULL;

    BNRE_TRY(bnre__validity_plan_init(&plan, c->validity, set, BATCH));
    BNRE_NEW(coordinate, BATCH * dim);
    BNRE_NEW(at, BATCH * c->factors);
    BNRE_NEW(seen, BATCH * c->factors);
    for (size_t first = 0, rows; first < n; first += rows) {
        rows = n - first < BATCH ? n - first : BATCH;
        for (size_t i = 0; i < rows; i++)
            bnre__coordinates_of(c->coordinates, theta + (first + i) * dim,
                                 coordinate + i * dim);
        bnre__conditional_spread(c, rows, coordinate, at, seen);
        bnre__validity_of(&plan, 0, rows, seen, p + first);
    }
done:
    bnre__free(seen);
    bnre__free(at);
    bnre__free(coordinate);
    bnre__validity_plan_clear(&plan);
    return status;
}

void bnre__conditional_begin(const bnre__conditional *c, float *output)
{
    /* Factors of few values leave outputs unused. */
    memset(output, 0, c->factors * c->outputs * sizeof *output);
    for (size_t j = 0; j < c->factors; j++)
        c->line[j].type->begin(&c->line[j], output + j * c->outputs);
}

/* ---- evaluating ---- */

bnre_status bnre__conditional_room_init(bnre__conditional_room *room,
                                        const bnre__conditional *c, size_t rows,
                                        size_t pairs)
{
    const size_t factors =
        rows > pairs * c->factors ? rows : pairs * c->factors;
    bnre_status status = BNRE_OK;

    *room = (bnre__conditional_room){.rows = rows};
    BNRE_NEW(room->c, rows * c->factors);
    BNRE_NEW(room->seen, rows * c->factors);
    BNRE_NEW(room->raw, factors * c->outputs);
    BNRE_NEW(room->l, rows);
    BNRE_NEW(room->drawn, rows);
done:
    return status;
}

void bnre__conditional_room_clear(bnre__conditional_room *room)
{
    bnre__free(room->dseen);
    bnre__free(room->dl);
    bnre__free(room->draw);
    bnre__free(room->drawn);
    bnre__free(room->l);
    bnre__free(room->raw);
    bnre__free(room->seen);
    bnre__free(room->c);
    *room = (bnre__conditional_room){0};
}

/* Add to l (n) what the first factor says: of its neighbours that have an x in
   common, from one row of numbers. */
static void add_first(const bnre__conditional *c, bnre__chain_plan *plan,
                      double widen, const bnre__conditional_room *room,
                      size_t n, const uint32_t *index, float *l)
{
    const float *raw = bnre__chain_first(plan);
    bnre__lines lines = bnre__line_pass(&c->line[0], c->outputs);

    lines.widen = (float)widen;
    for (size_t i = 0; i < n; i += lines.n) {
        for (lines.n = 1; i + lines.n < n; lines.n++)
            if (index != NULL && index[i + lines.n] != index[i])
                break;
        lines.raw = raw + (index == NULL ? 0 : index[i]) * c->outputs;
        lines.c = room->c + i;
        lines.l = room->l + i;
        c->line[0].type->same(&lines);
    }
    for (size_t i = 0; i < n; i++)
        l[i] += room->l[i];
}

/* Add to l (n) what factor j says, whose raw numbers are known. */
static void add_factor(const bnre__conditional *c, size_t j, double widen,
                       const bnre__conditional_room *room, size_t n,
                       const float *raw, float *l)
{
    bnre__lines lines = bnre__line_pass(&c->line[j], c->outputs);

    lines.n = n;
    lines.widen = (float)widen;
    lines.raw = raw;
    lines.c = room->c + j * n;
    lines.l = room->l;
    c->line[j].type->forward(&lines);
    for (size_t i = 0; i < n; i++)
        l[i] += room->l[i];
}

void bnre__conditional_log_ratio(const bnre__conditional *c,
                                 bnre__chain_plan *plan, double widen,
                                 bnre__conditional_room *room, size_t n,
                                 const float *coordinate, const uint32_t *index,
                                 float *l)
{
    bnre__conditional_widths(c, plan, 1, &widen, room, n, coordinate, index,
                             &l);
}

void bnre__conditional_widths(const bnre__conditional *c,
                              bnre__chain_plan *plan, size_t widths,
                              const double *widen, bnre__conditional_room *room,
                              size_t n, const float *coordinate,
                              const uint32_t *index, float *const *l)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    bnre__conditional_spread(c, n, coordinate, room->c, room->seen);
    for (size_t w = 0; w < widths; w++)
        memset(l[w], 0, n * sizeof *l[w]);
    for (size_t w = 0; w < widths; w++)
        add_first(c, plan, widen[w], room, n, index, l[w]);
    for (size_t j = 1; j < c->factors; j++) {
        bnre__chain_factor(plan, j, n, room->seen, c->factors, index,
                           room->raw);
        for (size_t w = 0; w < widths; w++)
            add_factor(c, j, widen[w], room, n, room->raw, l[w]);
    }
    bnre__float_mode_set(mode);
}

void bnre__conditional_pairs(const bnre__conditional *c, bnre__chain_plan *plan,
                             double widen, bnre__conditional_room *room,
                             size_t n, const float *coordinate, const float *x,
                             float *l)
{
    const bnre__float_mode mode = bnre__float_mode_flush();

    bnre__conditional_spread(c, n, coordinate, room->c, room->seen);
    bnre__chain_forward(plan, 0, n, room->seen, x, room->raw);
    memset(l, 0, n * sizeof *l);
    for (size_t j = 0; j < c->factors; j++)
        add_factor(c, j, widen, room, n, room->raw + j * n * c->outputs, l);
    bnre__float_mode_set(mode);
}

static bnre_status make_room_back(bnre__conditional_room *room,
                                  const bnre__conditional *c)
{
    bnre_status status = BNRE_OK;

    if (room->draw != NULL)
        return BNRE_OK;
    BNRE_NEW(room->dl, room->rows);
    BNRE_NEW(room->dseen, room->rows * c->factors);
    BNRE_NEW(room->draw, room->rows * c->outputs);
    for (size_t i = 0; i < room->rows; i++)
        room->dl[i] = 1;
done:
    return status;
}

/* Add d l_j / d c of factor j's own coordinate, and through its network of
   those before it. */
static void add_slopes(const bnre__conditional *c, bnre__chain_plan *plan,
                       const bnre__conditional_room *room,
                       const bnre__lines *lines, size_t j, double *dc)
{
    const bnre__line *line = &c->line[j];
    const size_t n = lines->n;
    bnre__line_density q;

    for (size_t i = 0; line->range != BNRE__VALUES && i < n; i++) {
        const double at = (double)lines->c[i];

        line->type->read(line, lines->raw + i * c->outputs,
                         (double)lines->widen, &q);
        dc[i * c->factors + j] +=
            line->type->slope(&q, at) - bnre__range_slope(line->range, at);
    }
    if (j == 0)
        return;
    memset(room->draw, 0, n * c->outputs * sizeof *room->draw);
    line->type->back(lines);
    bnre__chain_factor_back(plan, j, n, room->draw, room->dseen);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < j; k++)
            dc[i * c->factors + k] +=
                (double)room->dseen[i * j + k] *
                bnre__coordinates_seen_slope(c->coordinates, k);
}

bnre_status bnre__conditional_gradient(const bnre__conditional *c,
                                       bnre__chain_plan *plan, double widen,
                                       bnre__conditional_room *room, size_t n,
                                       const float *coordinate, float *l,
                                       double *dc)
{
    BNRE_DO(make_room_back(room, c));
    bnre__conditional_spread(c, n, coordinate, room->c, room->seen);
    memset(l, 0, n * sizeof *l);
    memset(dc, 0, n * c->factors * sizeof *dc);
    for (size_t j = 0; j < c->factors; j++) {
        bnre__lines lines = bnre__line_pass(&c->line[j], c->outputs);

        lines.n = n;
        lines.widen = (float)widen;
        lines.raw = room->raw;
        lines.c = room->c + j * n;
        lines.l = room->l;
        lines.dl = room->dl;
        lines.draw = room->draw;
        bnre__chain_factor(plan, j, n, room->seen, c->factors, NULL, room->raw);
        if (j == 0)
            add_first(c, plan, widen, room, n, NULL, l);
        else
            add_factor(c, j, widen, room, n, room->raw, l);
        add_slopes(c, plan, room, &lines, j, dc);
    }
    return BNRE_OK;
}

/* Factor j of draws, whose earlier factors are there. */
static void draw_factor(const bnre__conditional *c, size_t j, double widen,
                        bnre__conditional_room *room, size_t n, bnre_rng *rng,
                        double *theta)
{
    const bnre__line *line = &c->line[j];
    const size_t dim = bnre_prior_dim(c->prior);

    line->type->draw_rows(line, widen, n, room->raw, c->outputs, rng,
                          room->drawn);
    for (size_t i = 0; i < n; i++) {
        theta[i * dim + c->order[j]] = bnre__coordinates_value(
            c->coordinates, j, theta + i * dim, room->drawn[i]);
        room->c[j * n + i] = (float)room->drawn[i];
    }
}

static void set_fixed(const bnre__conditional *c, size_t n, double *theta)
{
    const size_t dim = bnre_prior_dim(c->prior);

    for (size_t k = 0; k < dim; k++) {
        const int fixed = bnre__prior_is_fixed(c->prior, k);
        const double value = fixed ? bnre_prior_quantile(c->prior, k, 0.5) : 0;

        for (size_t i = 0; fixed && i < n; i++)
            theta[i * dim + k] = value;
    }
}

void bnre__conditional_draw(const bnre__conditional *c, bnre__chain_plan *plan,
                            double widen, bnre__conditional_room *room,
                            size_t n, const uint32_t *index, bnre_rng *rng,
                            double *theta, float *coordinate, float *l)
{
    const size_t dim = bnre_prior_dim(c->prior);

    set_fixed(c, n, theta);
    if (l != NULL)
        memset(l, 0, n * sizeof *l);
    if (coordinate != NULL)
        memset(coordinate, 0, n * dim * sizeof *coordinate);
    for (size_t j = 0; j < c->factors; j++) {
        bnre__float_mode mode;

        bnre__chain_factor(plan, j, n, room->seen, c->factors, index,
                           room->raw);
        draw_factor(c, j, widen, room, n, rng, theta);
        mode = bnre__float_mode_flush();
        spread_factor(c, j, n, room->c + j * n, room->seen);
        if (l != NULL && j == 0)
            add_first(c, plan, widen, room, n, index, l);
        else if (l != NULL)
            add_factor(c, j, widen, room, n, room->raw, l);
        bnre__float_mode_set(mode);
        for (size_t i = 0; coordinate != NULL && i < n; i++)
            coordinate[i * dim + c->order[j]] = room->c[j * n + i];
    }
}
