/* c_prior.c - the prior in C: coordinates of factors, and its log density. */
#include <math.h>
#include <string.h>

#include "export/c_writer.h"

/* A real number, exactly. */
static void put_real(bnre__text *text, double value)
{
    if (isinf(value))
        bnre__text_put(text, value > 0 ? "HUGE_VAL" : "-HUGE_VAL");
    else
        bnre__text_put(text, "%.17g", value);
}

/* What an expression of a family uses. */
static void need_for(bnre__c_writer *w, const char *expression)
{
    if (strstr(expression, "square(") != NULL)
        bnre__c_need(w, BNRE__C_SQUARE);
    if (strstr(expression, "times_log(") != NULL)
        bnre__c_need(w, BNRE__C_TIMES_LOG);
}

/* `const double arg[]` and v of parameter i. */
static void put_arguments(bnre__c_writer *w, const char *indent,
                          const bnre__family *family, const double *arg,
                          size_t i)
{
    bnre__text_put(&w->body, "%sstatic const double arg[] = {", indent);
    for (size_t k = 0; k < family->count; k++) {
        bnre__text_put(&w->body, k == 0 ? "" : ", ");
        put_real(&w->body, arg[k]);
    }
    bnre__text_put(&w->body, "};\n%sconst double v = theta[%zu];", indent, i);
}

/* Which value of a list a number is, or the one next to it; and the logarithms
   of the probabilities that they have. */
static void put_values(bnre__c_writer *w, size_t j)
{
    const bnre__conditional *c = w->est->conditional;
    const size_t n = c->line[j].components;
    bnre__text *out = &w->body;

    bnre__text_put(out,
                   "/* %s: %s */\n"
                   "static double coordinate_%zu(const double *theta, double "
                   "*slope)\n{\n    const double k = floor(theta[%zu] - ",
                   bnre_prior_name(c->prior, c->order[j]),
                   bnre_prior_text(c->prior, c->order[j]), j, c->order[j]);
    put_real(out, bnre__prior_value(c->prior, c->order[j], 0));
    bnre__text_put(out,
                   " + 0.5);\n\n    *slope = 0;\n    return k > %zu ? %zu : k "
                   "> 0 ? k : 0;\n}\n\n"
                   "static const double mass_%zu[%zu] = {",
                   n - 1, n - 1, j, n);
    for (size_t k = 0; k < n; k++) {
        bnre__text_put(out, k == 0 ? "" : k % 4 == 0 ? ",\n    " : ", ");
        put_real(out, c->log_mass[j][k]);
    }
    bnre__text_put(out, "};\n\n");
}

static void put_coordinate(bnre__c_writer *w, size_t j)
{
    const bnre__conditional *c = w->est->conditional;
    const size_t i = c->order[j];
    const double *arg;
    const bnre__family *family = bnre__prior_family(c->prior, i, &arg);
    const bnre__family_text *text = bnre__family_text_of(family);
    bnre__text *out = &w->body;
    double low, high;

    bnre_prior_support(c->prior, i, &low, &high);
    bnre__c_need(w, BNRE__C_COORDINATE);
    need_for(w, text->kernel_text);
    need_for(w, text->cdf_text);
    bnre__text_put(out,
                   "/* %s: %s */\n"
                   "static double coordinate_%zu(const double *theta, double "
                   "*slope)\n{\n",
                   bnre_prior_name(c->prior, i), bnre_prior_text(c->prior, i),
                   j);
    put_arguments(w, "    ", family, arg, i);
    bnre__text_put(out, "\n    const double f = v >= ");
    put_real(out, high);
    bnre__text_put(out, " ? 1 : v <= ");
    put_real(out, low);
    bnre__text_put(out, " ? 0 :\n        %s;\n    const double p = exp(",
                   text->cdf_text);
    put_real(out, bnre__family_text_constant(text, family, arg));
    bnre__text_put(out,
                   " + (%s));\n\n    (void)arg;\n"
                   "    return coordinate(%d, f, p, slope);\n}\n\n",
                   text->kernel_text, (int)c->line[j].range);
}

static void put_log_density(bnre__c_writer *w, const bnre_prior *prior,
                            size_t i)
{
    const double *arg;
    const bnre__family *family = bnre__prior_family(prior, i, &arg);
    const bnre__family_text *text = bnre__family_text_of(family);
    bnre__text *out = &w->body;
    double low, high;

    bnre_prior_support(prior, i, &low, &high);
    need_for(w, text->kernel_text);
    need_for(w, text->slope_text);
    bnre__text_put(out, "    { /* %s: %s */\n", bnre_prior_name(prior, i),
                   bnre_prior_text(prior, i));
    put_arguments(w, "        ", family, arg, i);
    bnre__text_put(out, "\n\n        (void)arg;\n        if (!(v >= ");
    put_real(out, low);
    bnre__text_put(out, " && v <= ");
    put_real(out, high);
    bnre__text_put(out, "))\n            return -HUGE_VAL;\n        l += ");
    put_real(out, bnre__family_text_constant(text, family, arg));
    bnre__text_put(out,
                   " + (%s);\n        if (gradient != NULL)\n"
                   "            gradient[%zu] = %s;\n    }\n",
                   text->kernel_text, i, text->slope_text);
}

static int can_write(const bnre_prior *prior)
{
    const double *arg;

    if (bnre__prior_is_constrained(prior) || bnre__prior_depends(prior))
        return 0;
    for (size_t i = 0; i < bnre_prior_dim(prior); i++) {
        const bnre__family *family = bnre__prior_family(prior, i, &arg);

        if (family == NULL || bnre__family_text_of(family) == NULL)
            return 0;
        for (size_t k = 0; k < family->count; k++)
            if (!isfinite(arg[k]))
                return 0;
    }
    return 1;
}

int bnre__c_prior(bnre__c_writer *w)
{
    const bnre_prior *prior = w->est->outline.prior;
    const int can = can_write(prior);

    for (size_t j = 0;
         w->est->conditional != NULL && j < w->est->conditional->factors; j++)
        if (w->est->conditional->line[j].range == BNRE__VALUES)
            put_values(w, j);
        else
            put_coordinate(w, j);
    if (!can)
        return 0;
    bnre__text_put(&w->body,
                   "double %s_log_prior(const double *theta, double "
                   "*gradient)\n{\n    double l = 0;\n\n",
                   w->name);
    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        put_log_density(w, prior, i);
    bnre__text_put(&w->body, "    return l;\n}\n\n");
    return 1;
}
