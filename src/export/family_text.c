/* family_text.c - families of priors as expressions of C.

   Each expression stands here once: as code, from which the constant is found,
   and as the text that is written. */
#include <math.h>
#include <string.h>

#include "export/export.h"

/* What an expression may use: arguments of the family and a value. */
#define KERNEL(name, expression)                                               \
    static double kernel_##name(const double *arg, double v)                   \
    {                                                                          \
        (void)arg;                                                             \
        (void)v;                                                               \
        return expression;                                                     \
    }                                                                          \
    static const char text_##name[] = #expression;

static double square(double z)
{
    return z * z;
}

static double times_log(double k, double v)
{
    return k == 0 ? 0 : k * log(v);
}

KERNEL(uniform, 0)
KERNEL(log_uniform, -log(v))
KERNEL(normal, -0.5 * square((v - arg[0]) / arg[1]))
KERNEL(log_normal, -0.5 * square((log(v) - arg[0]) / arg[1]) - log(v))
KERNEL(half_normal, -0.5 * square(v / arg[0]))
KERNEL(exponential, -arg[0] * v)
KERNEL(gamma, times_log(arg[0] - 1, v) - arg[1] * v)
KERNEL(beta, times_log(arg[0] - 1, v) + times_log(arg[1] - 1, 1 - v))
KERNEL(student_t,
       -0.5 * (arg[0] + 1) * log1p(square((v - arg[1]) / arg[2]) / arg[0]))
KERNEL(cauchy, -log1p(square((v - arg[0]) / arg[1])))
KERNEL(half_cauchy, -log1p(square(v / arg[0])))
KERNEL(inverse_gamma, -(arg[0] + 1) * log(v) - arg[1] / v)
KERNEL(weibull, times_log(arg[0] - 1, v) - pow(v / arg[1], arg[0]))

#define FAMILY(name_, slope, cdf, onnx)                                        \
    {                                                                          \
        .name = #name_, .kernel = kernel_##name_, .kernel_text = text_##name_, \
        .slope_text = slope, .cdf_text = cdf, .in_onnx = onnx                  \
    }
#define ROOT_HALF "0.70710678118654752440"
#define PI "3.14159265358979323846"

static const bnre__family_text families[] = {
    FAMILY(uniform, "0", "(v - arg[0]) / (arg[1] - arg[0])", 1),
    FAMILY(log_uniform, "-1 / v", "log(v / arg[0]) / log(arg[1] / arg[0])", 1),
    FAMILY(normal, "-(v - arg[0]) / arg[1] / arg[1]",
           "0.5 * erfc((arg[0] - v) / arg[1] * " ROOT_HALF ")", 1),
    FAMILY(log_normal, "(-(log(v) - arg[0]) / arg[1] / arg[1] - 1) / v",
           "0.5 * erfc((arg[0] - log(v)) / arg[1] * " ROOT_HALF ")", 1),
    FAMILY(half_normal, "-v / arg[0] / arg[0]",
           "erf(v / arg[0] * " ROOT_HALF ")", 1),
    {.name = "truncated_normal",
     .kernel = kernel_normal,
     .kernel_text = text_normal,
     .slope_text = "-(v - arg[0]) / arg[1] / arg[1]",
     .cdf_text = "(erfc((arg[0] - v) / arg[1] * " ROOT_HALF ") - "
                 "erfc((arg[0] - arg[2]) / arg[1] * " ROOT_HALF ")) / "
                 "(erfc((arg[0] - arg[3]) / arg[1] * " ROOT_HALF ") - "
                 "erfc((arg[0] - arg[2]) / arg[1] * " ROOT_HALF "))",
     .in_onnx = 1},
    FAMILY(exponential, "-arg[0]", "-expm1(-arg[0] * v)", 1),
    FAMILY(gamma, "(arg[0] - 1) / v - arg[1]", NULL, 0),
    FAMILY(beta, "(arg[0] - 1) / v - (arg[1] - 1) / (1 - v)", NULL, 0),
    FAMILY(student_t,
           "-(arg[0] + 1) * (v - arg[1]) / "
           "(arg[0] * arg[2] * arg[2] + square(v - arg[1]))",
           NULL, 0),
    FAMILY(cauchy, "-2 * (v - arg[0]) / (arg[1] * arg[1] + square(v - arg[0]))",
           "atan2(1, (arg[0] - v) / arg[1]) / " PI, 0),
    FAMILY(half_cauchy, "-2 * v / (arg[0] * arg[0] + v * v)",
           "2 * atan(v / arg[0]) / " PI, 0),
    FAMILY(inverse_gamma, "-(arg[0] + 1) / v + arg[1] / v / v", NULL, 0),
    FAMILY(weibull,
           "(arg[0] - 1) / v - "
           "arg[0] / arg[1] * pow(v / arg[1], arg[0] - 1)",
           "-expm1(-pow(v / arg[1], arg[0]))", 1),
    {.name = "fixed",
     .kernel = kernel_uniform,
     .kernel_text = text_uniform,
     .slope_text = "0",
     .cdf_text = "v >= arg[0]",
     .in_onnx = 1},
};

const bnre__family_text *bnre__family_text_of(const bnre__family *family)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].name, family->name) == 0)
            return &families[i];
    return NULL;
}

double bnre__family_text_constant(const bnre__family_text *text,
                                  const bnre__family *family, const double *arg)
{
    const double median = family->quantile(arg, 0.5);

    return family->constant(arg) + family->kernel(arg, median) -
           text->kernel(arg, median);
}
