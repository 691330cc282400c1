/* activation.c - functions of single values. */
#include <math.h>

#include "base/mem.h"
#include "nn/layers/layer.h"

static const double selu_scale = 1.0507009873554805;
static const double selu_alpha = 1.6732632423543772;

static bnre_status create_same(bnre__layer *layer, const bnre_node *settings)
{
    (void)settings;
    layer->out = layer->in;
    return BNRE_OK;
}

static bnre_status create_leaky(bnre__layer *layer, const bnre_node *settings)
{
    layer->out = layer->in;
    return bnre__layer_real(layer, settings, "slope", 0.01, "[0, 1]",
                            &layer->slope);
}

static double value_selu(double slope, double x)
{
    (void)slope;
    return selu_scale * (x > 0 ? x : selu_alpha * expm1(x));
}

static double slope_selu(double slope, double x)
{
    (void)slope;
    return selu_scale * (x > 0 ? 1 : selu_alpha * exp(x));
}

static double value_relu(double slope, double x)
{
    (void)slope;
    return x > 0 ? x : 0;
}

static double slope_relu(double slope, double x)
{
    (void)slope;
    return x > 0;
}

static double value_leaky(double slope, double x)
{
    return x > 0 ? x : slope * x;
}

static double slope_leaky(double slope, double x)
{
    return x > 0 ? 1 : slope;
}

static double value_elu(double slope, double x)
{
    (void)slope;
    return x > 0 ? x : expm1(x);
}

static double slope_elu(double slope, double x)
{
    (void)slope;
    return x > 0 ? 1 : exp(x);
}

/* x times the normal distribution function, exactly, not its tanh likeness. */
static double value_gelu(double slope, double x)
{
    (void)slope;
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}

static double slope_gelu(double slope, double x)
{
    const double density = 0.39894228040143267794 * exp(-0.5 * x * x);

    (void)slope;
    return 0.5 * erfc(-x * 0.70710678118654752440) + x * density;
}

static double value_tanh(double slope, double x)
{
    (void)slope;
    return tanh(x);
}

static double slope_tanh(double slope, double x)
{
    const double y = tanh(x);

    (void)slope;
    return 1 - y * y;
}

/* One layer type from a function and its derivative. */
#define ACTIVATION(name_)                                                      \
    static void forward_##name_(const bnre__layer *layer,                      \
                                const bnre__pass *pass, const bnre__real *x,   \
                                bnre__real *y, bnre__real *keep)               \
    {                                                                          \
        (void)keep;                                                            \
        for (size_t i = 0; i < pass->n * layer->in.size; i++)                  \
            y[i] = (bnre__real)value_##name_(layer->slope, (double)x[i]);      \
    }                                                                          \
    static void backward_##name_(                                              \
        const bnre__layer *layer, const bnre__pass *pass, const bnre__real *x, \
        const bnre__real *y, const bnre__real *keep, const bnre__real *dy,     \
        bnre__real *dx, bnre__real *dkeep)                                     \
    {                                                                          \
        (void)y;                                                               \
        (void)keep;                                                            \
        (void)dkeep;                                                           \
        for (size_t i = 0; dx != NULL && i < pass->n * layer->in.size; i++)    \
            dx[i] = (bnre__real)((double)dy[i] *                               \
                                 slope_##name_(layer->slope, (double)x[i]));   \
    }

#define ACTIVATION_TYPE(variable, name_, text, create_, keys_)                 \
    const bnre__layer_type variable = {.name = text,                           \
                                       .keys = keys_,                          \
                                       .create = create_,                      \
                                       .forward = forward_##name_,             \
                                       .backward = backward_##name_}

ACTIVATION(selu)
ACTIVATION(relu)
ACTIVATION(leaky)
ACTIVATION(elu)
ACTIVATION(gelu)
ACTIVATION(tanh)

static const char *const slope_key[] = {"slope", NULL};

ACTIVATION_TYPE(bnre__layer_selu, selu, "selu", create_same, NULL);
ACTIVATION_TYPE(bnre__layer_relu, relu, "relu", create_same, NULL);
ACTIVATION_TYPE(bnre__layer_leaky_relu, leaky, "leaky_relu", create_leaky,
                slope_key);
ACTIVATION_TYPE(bnre__layer_elu, elu, "elu", create_same, NULL);
ACTIVATION_TYPE(bnre__layer_gelu, gelu, "gelu", create_same, NULL);
ACTIVATION_TYPE(bnre__layer_tanh, tanh, "tanh", create_same, NULL);
