/* onnx_density.c - coordinates of priors and mixtures of logistic densities as
   operators of ONNX, in double. The formulas are those of prior/coordinate.c and
   num/logistic.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/onnx.h"

static size_t add(bnre__onnx *g, size_t a, size_t b)
{
    return bnre__onnx_op2(g, "Add", a, b);
}

static size_t sub(bnre__onnx *g, size_t a, size_t b)
{
    return bnre__onnx_op2(g, "Sub", a, b);
}

static size_t mul(bnre__onnx *g, size_t a, size_t b)
{
    return bnre__onnx_op2(g, "Mul", a, b);
}

static size_t divide(bnre__onnx *g, size_t a, size_t b)
{
    return bnre__onnx_op2(g, "Div", a, b);
}

static size_t real(bnre__onnx *g, double value)
{
    return bnre__onnx_real(g, value);
}

static size_t negative(bnre__onnx *g, size_t a)
{
    return bnre__onnx_op1(g, "Neg", a);
}

static size_t between(bnre__onnx *g, size_t a, double low, double high)
{
    a = bnre__onnx_op2(g, "Max", a, real(g, low));
    return bnre__onnx_op2(g, "Min", a, real(g, high));
}

static size_t over(bnre__onnx *g, const char *op, size_t in)
{
    const bnre__onnx_attribute a[] = {{.name = "axes", .n = 1, .integer = {1}},
                                      {.name = "keepdims", .integer = {1}}};

    return bnre__onnx_node(g, op, 1, &in, 2, a);
}

size_t bnre__onnx_log_mean_exp(bnre__onnx *g, size_t value, int sum)
{
    const bnre__onnx_attribute keep = {.name = "keepdims", .integer = {1}};
    const int64_t axis = 1;
    const size_t one = 1;
    const size_t top = over(g, "ReduceMax", value);
    size_t e = bnre__onnx_op1(g, "Exp", sub(g, value, top));

    if (sum) { /* its axes are an input, unlike those of the others */
        const size_t in[] = {e, bnre__onnx_constant(g, BNRE__ONNX_INT64, 1,
                                                    &one, &axis, sizeof axis)};

        e = bnre__onnx_node(g, "ReduceSum", 2, in, 1, &keep);
    } else {
        e = over(g, "ReduceMean", e);
    }
    return add(g, top, bnre__onnx_op1(g, "Log", e));
}

/* ---- coordinates ---- */

/* log erfc(z) with a relative error of erfc below 1.2e-7 everywhere: the
   Chebyshev fit of Press et al., Numerical Recipes, 6.2. There is no erfc among
   the operators, and erf is in single precision. */
static size_t log_erfc(bnre__onnx *g, size_t z)
{
    static const double fit[] = {
        0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
        -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};
    const size_t size = bnre__onnx_op1(g, "Abs", z);
    const size_t t =
        divide(g, real(g, 1), add(g, real(g, 1), mul(g, real(g, 0.5), size)));
    size_t sum = real(g, fit[0]), log_tail, other;

    for (size_t i = 1; i < sizeof fit / sizeof *fit; i++)
        sum = add(g, mul(g, sum, t), real(g, fit[i]));
    log_tail = add(g, sub(g, bnre__onnx_op1(g, "Log", t), mul(g, z, z)), sum);
    other = bnre__onnx_op1(
        g, "Log", sub(g, real(g, 2), bnre__onnx_op1(g, "Exp", log_tail)));
    return bnre__onnx_where(g, bnre__onnx_op2(g, "Less", z, real(g, 0)), other,
                            log_tail);
}

/* (v - mean) / sd / sqrt(2) */
static size_t standard(bnre__onnx *g, size_t v, double mean, double sd)
{
    return mul(g, sub(g, v, real(g, mean)), real(g, sqrt(0.5) / sd));
}

static size_t log_of(bnre__onnx *g, size_t v)
{
    return bnre__onnx_op1(g, "Log",
                          bnre__onnx_op2(g, "Max", v, real(g, DBL_MIN)));
}

/* -log(1 - F), as far as double precision goes */
static size_t half(bnre__onnx *g, size_t c)
{
    return between(g, c, 0, -log(DBL_EPSILON / 2));
}

static size_t normal_line(bnre__onnx *g, size_t z)
{
    const size_t below = sub(g, log_erfc(g, negative(g, z)), real(g, log(2)));
    const size_t above = sub(g, log_erfc(g, z), real(g, log(2)));

    return sub(g, between(g, below, log(DBL_MIN), 0),
               between(g, above, log(DBL_EPSILON / 2), 0));
}

static double erfc_at(double v, const double *arg)
{
    return erfc((arg[0] - v) / arg[1] * sqrt(0.5));
}

static size_t truncated(bnre__onnx *g, size_t v, const double *arg)
{
    const double low = erfc_at(arg[2], arg), high = erfc_at(arg[3], arg);
    size_t e = log_erfc(g, negative(g, standard(g, v, arg[0], arg[1])));

    e = sub(g, bnre__onnx_op1(g, "Exp", e), real(g, low));
    return between(g, divide(g, e, real(g, high - low)), 0, 1);
}

static size_t coordinate(bnre__onnx *g, const char *family, const double *arg,
                         size_t v)
{
    if (strcmp(family, "uniform") == 0)
        return between(
            g, divide(g, sub(g, v, real(g, arg[0])), real(g, arg[1] - arg[0])),
            0, 1);
    if (strcmp(family, "log_uniform") == 0)
        return between(g,
                       divide(g, sub(g, log_of(g, v), real(g, log(arg[0]))),
                              real(g, log(arg[1] / arg[0]))),
                       0, 1);
    if (strcmp(family, "normal") == 0)
        return normal_line(g, standard(g, v, arg[0], arg[1]));
    if (strcmp(family, "log_normal") == 0)
        return half(
            g, sub(g, real(g, log(2)),
                   log_erfc(g, standard(g, log_of(g, v), arg[0], arg[1]))));
    if (strcmp(family, "half_normal") == 0)
        return half(g, negative(g, log_erfc(g, standard(g, v, 0, arg[0]))));
    if (strcmp(family, "exponential") == 0)
        return half(g, mul(g, v, real(g, arg[0])));
    if (strcmp(family, "weibull") == 0)
        return half(
            g, bnre__onnx_op1(g, "Exp",
                              mul(g, sub(g, log_of(g, v), real(g, log(arg[1]))),
                                  real(g, arg[0]))));
    return truncated(g, v, arg);
}

size_t bnre__onnx_coordinate(bnre__onnx *g, const bnre_prior *prior,
                             size_t parameter)
{
    const bnre__onnx_attribute axis = {.name = "axis", .integer = {1}};
    const int64_t at = (int64_t)parameter;
    const size_t one = 1;
    size_t in[2] = {BNRE__ONNX_THETA};
    const double *arg;
    const bnre__family *family = bnre__prior_family(prior, parameter, &arg);

    in[1] = bnre__onnx_constant(g, BNRE__ONNX_INT64, 1, &one, &at, sizeof at);
    return coordinate(g, family->name, arg,
                      bnre__onnx_node(g, "Gather", 2, in, 1, &axis));
}

/* ---- mixtures ---- */

static size_t columns(bnre__onnx *g, size_t value, size_t first, size_t n)
{
    const bnre__onnx_attribute axis = {.name = "axis", .integer = {1}};
    int64_t index[BNRE__MOST_COMPONENTS];
    size_t in[2] = {value};

    for (size_t i = 0; i < n; i++)
        index[i] = (int64_t)(first + i);
    in[1] = bnre__onnx_constant(g, BNRE__ONNX_INT64, 1, &n, index,
                                n * sizeof *index);
    return bnre__onnx_node(g, "Gather", 2, in, 1, &axis);
}

/* log(1 + exp(-|v|)) */
static size_t log1p_exp(bnre__onnx *g, size_t v)
{
    const size_t e =
        bnre__onnx_op1(g, "Exp", negative(g, bnre__onnx_op1(g, "Abs", v)));

    return bnre__onnx_op1(g, "Log", add(g, real(g, 1), e));
}

static size_t width(bnre__onnx *g, bnre__range range, double widen, size_t r)
{
    const size_t e =
        add(g, real(g, 1), bnre__onnx_op1(g, "Exp", negative(g, r)));
    const size_t s =
        add(g, real(g, widen * BNRE__LEAST_WIDTH),
            divide(g, real(g, widen * (1 - BNRE__LEAST_WIDTH)), e));

    return range == BNRE__UNIT ? s : bnre__onnx_op2(g, "Min", s, real(g, 1));
}

static size_t log_component(bnre__onnx *g, bnre__range range, size_t m,
                            size_t s, size_t c)
{
    const size_t z = divide(g, sub(g, c, m), s);
    size_t x = bnre__onnx_op1(g, "Abs", z);
    size_t l = sub(g, negative(g, bnre__onnx_op1(g, "Log", s)),
                   mul(g, real(g, 2), log1p_exp(g, z)));

    if (range != BNRE__LINE) {
        const size_t low = negative(g, divide(g, m, s));

        l = add(g, l, log1p_exp(g, low));
        x = bnre__onnx_where(g, bnre__onnx_op2(g, "Greater", low, real(g, 0)),
                             divide(g, c, s), x);
    }
    if (range == BNRE__UNIT) {
        const size_t high = divide(g, sub(g, real(g, 1), m), s);
        const size_t cut =
            bnre__onnx_op1(g, "Exp", negative(g, divide(g, real(g, 1), s)));

        l = add(g, l, log1p_exp(g, high));
        l = sub(g, l, bnre__onnx_op1(g, "Log", sub(g, real(g, 1), cut)));
        x = bnre__onnx_where(g, bnre__onnx_op2(g, "Less", high, real(g, 0)),
                             divide(g, sub(g, real(g, 1), c), s), x);
    }
    return sub(g, l, x);
}

size_t bnre__onnx_mixture(bnre__onnx *g, bnre__range range, size_t n,
                          double widen, size_t raw, size_t c)
{
    const size_t a = columns(g, raw, 0, n), m = columns(g, raw, n, n);
    const size_t s = width(g, range, widen, columns(g, raw, 2 * n, n));
    const size_t weight = sub(g, a, bnre__onnx_log_mean_exp(g, a, 1));
    size_t l = bnre__onnx_log_mean_exp(
        g, add(g, weight, log_component(g, range, m, s, c)), 1);

    if (range == BNRE__HALF)
        l = add(g, l, c);
    if (range == BNRE__LINE)
        l = add(g, l,
                add(g, bnre__onnx_op1(g, "Abs", c),
                    mul(g, real(g, 2), log1p_exp(g, c))));
    return l;
}
