/* onnx_file.c - an estimator as a model of ONNX: scalers, networks, members. */
#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "export/onnx.h"
#include "nn/net.h"

/* ---- scalers ---- */

/* A constant for every element of a row, by its column. */
typedef double (*of_column)(const bnre__scaler *scaler, size_t column);

static double location_of(const bnre__scaler *s, size_t c)
{
    return s->location[c];
}

static double scale_of(const bnre__scaler *s, size_t c)
{
    return s->scale[c];
}

static bnre_status spread(bnre__onnx *g, const bnre__scaler *s, of_column get,
                          size_t ndim, const size_t *dim, size_t *out)
{
    bnre_status status = BNRE_OK;
    double *value = NULL;

    BNRE_NEW(value, s->size);
    for (size_t i = 0; i < s->size; i++)
        value[i] = get(s, i / s->inner % s->columns);
    *out = bnre__onnx_constant(g, BNRE__ONNX_DOUBLE, ndim, dim, value,
                               s->size * sizeof *value);
done:
    bnre__free(value);
    return status;
}

/* Which elements have a flag; `all` where every one has it. */
static bnre_status mask(bnre__onnx *g, const bnre__scaler *s, uint8_t flag,
                        size_t ndim, const size_t *dim, int *all, size_t *out)
{
    bnre_status status = BNRE_OK;
    unsigned char *set = NULL;

    *all = 1;
    BNRE_NEW(set, s->size);
    for (size_t i = 0; i < s->size; i++) {
        set[i] = (s->flags[i / s->inner % s->columns] & flag) != 0;
        *all &= set[i];
    }
    if (!*all)
        *out = bnre__onnx_constant(g, BNRE__ONNX_BOOL, ndim, dim, set, s->size);
done:
    bnre__free(set);
    return status;
}

static size_t put_asinh(bnre__onnx *g, size_t z)
{
    const size_t size = bnre__onnx_op1(g, "Abs", z);
    const size_t root =
        bnre__onnx_op1(g, "Sqrt",
                       bnre__onnx_op2(g, "Add", bnre__onnx_op2(g, "Mul", z, z),
                                      bnre__onnx_real(g, 1)));

    return bnre__onnx_op2(
        g, "Mul", bnre__onnx_op1(g, "Sign", z),
        bnre__onnx_op1(g, "Log", bnre__onnx_op2(g, "Add", size, root)));
}

static size_t put_log(bnre__onnx *g, size_t v)
{
    return bnre__onnx_op1(
        g, "Log", bnre__onnx_op2(g, "Max", v, bnre__onnx_real(g, DBL_MIN)));
}

/* From doubles to floats as a network sees them. */
static bnre_status put_scaler(bnre__onnx *g, const bnre__scaler *s, size_t ndim,
                              const size_t *dim, size_t v, size_t *out)
{
    size_t constant, which = 0;
    int all;

    if (s->columns > 0 && bnre__scaler_count(s, BNRE__SCALED_LOG) > 0) {
        BNRE_DO(mask(g, s, BNRE__SCALED_LOG, ndim, dim, &all, &which));
        v = all ? put_log(g, v) : bnre__onnx_where(g, which, put_log(g, v), v);
    }
    if (s->columns > 0) {
        BNRE_DO(spread(g, s, location_of, ndim, dim, &constant));
        v = bnre__onnx_op2(g, "Sub", v, constant);
        BNRE_DO(spread(g, s, scale_of, ndim, dim, &constant));
        v = bnre__onnx_op2(g, "Div", v, constant);
    }
    if (s->columns > 0 && bnre__scaler_count(s, BNRE__SCALED_ASINH) > 0) {
        BNRE_DO(mask(g, s, BNRE__SCALED_ASINH, ndim, dim, &all, &which));
        v = all ? put_asinh(g, v)
                : bnre__onnx_where(g, which, put_asinh(g, v), v);
    }
    *out = bnre__onnx_cast(g, v, BNRE__ONNX_FLOAT);
    return BNRE_OK;
}

/* ---- members ---- */

/* What members share. */
struct model {
    bnre__onnx graph;
    const bnre_estimator *est;
    size_t *x, *theta; /* (sets), scaled */
    size_t *c, *seen;  /* (factors): coordinates, and as networks see them */
    size_t *part;      /* (factors + 2): what is joined */
};

static bnre_status put_inputs(struct model *m)
{
    const bnre_estimator_info *info = &m->est->info;
    bnre__onnx *g = &m->graph;
    size_t x = BNRE__ONNX_X;

    if (m->est->x_offset == NULL) { /* training saw floats */
        x = bnre__onnx_cast(g, x, BNRE__ONNX_FLOAT);
        x = bnre__onnx_cast(g, x, BNRE__ONNX_DOUBLE);
    }
    for (size_t k = 0; k < bnre__export_sets(m->est); k++) {
        BNRE_DO(put_scaler(g, bnre__estimator_scale_x(m->est, k), info->ndim,
                           info->shape, x, &m->x[k]));
        if (m->est->conditional == NULL)
            BNRE_DO(put_scaler(g, bnre__estimator_scale_theta(m->est, k), 1,
                               &info->dim_theta, BNRE__ONNX_THETA,
                               &m->theta[k]));
    }
    return BNRE_OK;
}

static void put_coordinates(struct model *m)
{
    const bnre__conditional *c = m->est->conditional;
    bnre__onnx *g = &m->graph;

    for (size_t j = 0; c != NULL && j < c->factors; j++) {
        const double slope = bnre__coordinate_standard_slope(c->line[j].range);
        const double at = bnre__coordinate_standard(c->line[j].range, 0);
        size_t v = bnre__onnx_coordinate(g, c->prior, c->order[j]);

        v = bnre__onnx_cast(g, v, BNRE__ONNX_FLOAT);
        m->c[j] = v = bnre__onnx_cast(g, v, BNRE__ONNX_DOUBLE);
        v = bnre__onnx_op2(g, "Mul", v, bnre__onnx_real(g, slope));
        v = bnre__onnx_op2(g, "Add", v, bnre__onnx_real(g, at));
        m->seen[j] = bnre__onnx_cast(g, v, BNRE__ONNX_FLOAT);
    }
}

/* The embedding of a member, flat. */
static bnre_status put_phi(struct model *m, size_t k, const float *w,
                           const float *s, size_t *out)
{
    const bnre__net *net;
    size_t shift;

    net = bnre__export_net(m->est, 0, &shift);
    BNRE_DO(bnre__onnx_sequence(&m->graph, net->embedding, w, s,
                                m->x[k % bnre__export_sets(m->est)], out));
    *out = bnre__onnx_reshape(&m->graph, *out, 1, &net->embedding->out.size);
    return BNRE_OK;
}

/* phi, and what a head sees of theta, in the order of the network. */
static size_t join(struct model *m, const bnre__net *net, size_t phi, size_t n,
                   const size_t *theta)
{
    size_t parts = 0;

    if (!net->theta_first)
        m->part[parts++] = phi;
    for (size_t i = 0; i < n; i++)
        m->part[parts++] = theta[i];
    if (net->theta_first)
        m->part[parts++] = phi;
    return bnre__onnx_concat(&m->graph, parts, m->part);
}

/* l of member k, (rows, 1) in double. */
static bnre_status put_member(struct model *m, size_t k, size_t *out)
{
    const bnre__member *member = &m->est->member[k];
    const float *w = member->weights[member->uses];
    const float *s = member->buffers[member->uses];
    const bnre__conditional *c = m->est->conditional;
    bnre__onnx *g = &m->graph;
    size_t phi, raw, l = 0, shift;

    BNRE_DO(put_phi(m, k, w, s, &phi));
    for (size_t j = 0; j < bnre__export_heads(m->est); j++) {
        const bnre__net *net = bnre__export_net(m->est, j, &shift);
        const size_t in = c != NULL
                              ? join(m, net, phi, j, m->seen)
                              : join(m, net, phi, 1,
                                     &m->theta[k % bnre__export_sets(m->est)]);

        BNRE_DO(bnre__onnx_sequence(g, net->head, w + shift, s, in, &raw));
        raw = bnre__onnx_cast(g, raw, BNRE__ONNX_DOUBLE);
        if (c != NULL)
            raw = bnre__onnx_mixture(g, c->line[j].range, c->components,
                                     m->est->info.widen, raw, m->c[j]);
        l = j == 0 ? raw : bnre__onnx_op2(g, "Add", l, raw);
    }
    *out = l;
    return BNRE_OK;
}

/* The logit of the mean probability, within 1e-6 of 0 and 1. */
static size_t mean_probability(bnre__onnx *g, size_t l)
{
    const bnre__onnx_attribute a[] = {{.name = "axes", .n = 1, .integer = {1}},
                                      {.name = "keepdims", .integer = {1}}};
    const double end = log(1e-6) - log1p(-1e-6);
    size_t side[2];

    for (int i = 0; i < 2; i++) {
        size_t e =
            bnre__onnx_op1(g, "Exp", i == 0 ? bnre__onnx_op1(g, "Neg", l) : l);

        e = bnre__onnx_op2(g, "Div", bnre__onnx_real(g, 1),
                           bnre__onnx_op2(g, "Add", bnre__onnx_real(g, 1), e));
        e = bnre__onnx_node(g, "ReduceMean", 1, &e, 2, a);
        side[i] = bnre__onnx_op1(g, "Log", e);
    }
    l = bnre__onnx_op2(g, "Sub", side[0], side[1]);
    l = bnre__onnx_op2(g, "Max", l, bnre__onnx_real(g, end));
    return bnre__onnx_op2(g, "Min", l, bnre__onnx_real(g, -end));
}

static bnre_status put_members(struct model *m, size_t *out)
{
    const bnre_estimator_info *info = &m->est->info;
    bnre_status status = BNRE_OK;
    bnre__onnx *g = &m->graph;
    size_t *l = NULL, all;

    BNRE_NEW(l, info->members);
    for (size_t k = 0; k < info->members; k++)
        BNRE_TRY(put_member(m, k, &l[k]));
    all = bnre__onnx_concat(g, info->members, l);
    if (info->members > 1)
        all = info->combine == BNRE_COMBINE_PROBABILITY
                  ? mean_probability(g, all)
                  : bnre__onnx_log_mean_exp(g, all, 0);
    all = bnre__onnx_op2(g, "Mul", all, bnre__onnx_real(g, info->temper));
    *out = bnre__onnx_reshape(g, all, 0, NULL);
done:
    bnre__free(l);
    return status;
}

bnre_status bnre__export_onnx(const bnre_estimator *est, size_t rows,
                              bnre__bytes *out)
{
    struct model m = {.graph = {.next = BNRE__ONNX_FIRST, .rows = rows},
                      .est = est};
    const size_t factors = bnre__export_heads(est);
    bnre_status status = BNRE_OK;
    size_t result;

    BNRE_NEW(m.x, bnre__export_sets(est));
    BNRE_NEW(m.theta, bnre__export_sets(est));
    BNRE_NEW(m.c, factors);
    BNRE_NEW(m.seen, factors);
    BNRE_NEW(m.part, factors + 2);
    BNRE_TRY(put_inputs(&m));
    put_coordinates(&m);
    BNRE_TRY(put_members(&m, &result));
    BNRE_TRY(bnre__onnx_finish(&m.graph, est, result, out));
done:
    bnre__free(m.graph.node.data);
    bnre__free(m.graph.initializer.data);
    bnre__free(m.part);
    bnre__free(m.seen);
    bnre__free(m.c);
    bnre__free(m.theta);
    bnre__free(m.x);
    return status;
}
