/* c_file.c - an estimator as one file of C99.

   What others see: NAME_observe() runs the embeddings of all members on x once,
   NAME_log_ratio() then gives the log ratio of any theta and its gradient. A
   second inclusion with NAME_DECLARATIONS_ONLY defined gives the declarations
   alone. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "export/c_writer.h"
#include "nn/net.h"

enum { MOST_WEIGHTS = 4000000 }; /* 50 MB of text */

/* Sizes that the parts of the file have to agree on. */
struct sizes {
    size_t embed_room, phi_at, phi; /* of the embedding: room, result, values */
    size_t head_room;               /* of the largest head */
};

/* ---- tables ---- */

static void put_floats(bnre__text *out, const char *name, size_t members,
                       size_t n, const bnre_estimator *est, int buffers)
{
    bnre__text_put(out, "static const float %s[MEMBERS][%zu] = {\n", name,
                   n > 0 ? n : 1);
    for (size_t k = 0; k < members; k++) {
        const bnre__member *m = &est->member[k];
        const float *value =
            buffers ? m->buffers[m->uses] : m->weights[m->uses];

        bnre__text_put(out, "    {");
        for (size_t i = 0; i < n; i++)
            bnre__text_put(out, "%s%af",
                           i == 0       ? ""
                           : i % 6 == 0 ? ",\n     "
                                        : ", ",
                           (double)value[i]);
        bnre__text_put(out, "%s},\n", n > 0 ? "" : "0");
    }
    bnre__text_put(out, "};\n\n");
}

/* Scalers without columns are the identity. */
static void put_scaler(bnre__c_writer *w, const char *name, int of_x)
{
    const bnre_estimator *est = w->est;
    const size_t sets = bnre__export_sets(est);
    bnre__text *out = &w->body;

    bnre__c_need(w, BNRE__C_SCALED);
    bnre__text_put(out, "static const struct scaler %s[%zu][%zu] = {\n", name,
                   sets,
                   of_x ? (est->x.columns > 0 ? est->x.columns : 1)
                        : (est->theta.columns > 0 ? est->theta.columns : 1));
    for (size_t k = 0; k < sets; k++) {
        const bnre__scaler *s = of_x ? bnre__estimator_scale_x(est, k)
                                     : bnre__estimator_scale_theta(est, k);

        bnre__text_put(out, "    {");
        for (size_t c = 0; c < s->columns; c++)
            bnre__text_put(out, "%s{%d, %.17g, %.17g}",
                           c == 0 ? "" : ",\n     ", s->flags[c] & 3,
                           s->location[c], s->scale[c]);
        bnre__text_put(out, "%s},\n", s->columns > 0 ? "" : "{0, 0, 1}");
    }
    bnre__text_put(out, "};\n\n");
}

/* ---- networks ---- */

static bnre_status put_networks(bnre__c_writer *w, struct sizes *sizes,
                                size_t *result_at)
{
    const bnre__net *net;
    size_t shift, room;
    char name[32];

    net = bnre__export_net(w->est, 0, &shift);
    BNRE_DO(bnre__c_sequence(w, "embed", net->embedding, 0, 0,
                             &sizes->embed_room, &sizes->phi_at));
    sizes->phi = net->embedding->out.size;
    for (size_t j = 0; j < bnre__export_heads(w->est); j++) {
        net = bnre__export_net(w->est, j, &shift);
        snprintf(name, sizeof name, "head_%zu", j);
        BNRE_DO(bnre__c_sequence(w, name, net->head, shift, net->dim_theta > 0,
                                 &room, &result_at[j]));
        if (room > sizes->head_room)
            sizes->head_room = room;
    }
    return BNRE_OK;
}

/* ---- functions ---- */

static void put_observe(bnre__c_writer *w, const struct sizes *sizes)
{
    const bnre_estimator *est = w->est;

    bnre__text_put(
        &w->body,
        "int %s_observe(const double *x, %s_observation *out)\n"
        "{\n"
        "    double *a = malloc(%zu * sizeof *a);\n\n"
        "    if (a == NULL)\n"
        "        return 0;\n"
        "    for (size_t i = 0; i < %zu; i++)\n"
        "        if (!(fabs(x[i]) <= DBL_MAX)) {\n"
        "            free(a);\n"
        "            return 0;\n"
        "        }\n"
        "    for (size_t k = 0; k < MEMBERS; k++) {\n"
        "        for (size_t i = 0; i < %zu; i++)\n"
        "            a[i] = scaled(&scale_x[k %% %zu][i / %zu %% %zu],\n"
        "                %sx[i], NULL);\n"
        "        embed(weights[k], statistics[k], a);\n"
        "        memcpy(out->phi[k], a + %zu, sizeof out->phi[k]);\n"
        "    }\n"
        "    free(a);\n"
        "    return 1;\n"
        "}\n\n",
        w->name, w->name, sizes->embed_room, est->info.x_size, est->info.x_size,
        bnre__export_sets(est), est->x.inner,
        est->x.columns > 0 ? est->x.columns : 1,
        est->x_offset != NULL ? "" : "(float)", sizes->phi_at);
}

/* One member of a ratio: l, and its gradient. */
static void put_ratio_member(bnre__c_writer *w, const struct sizes *sizes,
                             size_t result_at)
{
    const bnre_estimator *est = w->est;
    const size_t dim = est->info.dim_theta;
    const size_t theta_at = est->net->theta_first ? 0 : sizes->phi;
    const size_t phi_at = est->net->theta_first ? dim : 0;

    bnre__text_put(
        &w->body,
        "static double member(const double *phi, size_t k, const double "
        "*theta,\n    double *gradient)\n"
        "{\n"
        "    double a[%zu], d[%zu] = {0}, slope[%zu];\n\n"
        "    memcpy(a + %zu, phi, %zu * sizeof *a);\n"
        "    for (size_t i = 0; i < %zu; i++)\n"
        "        a[%zu + i] = scaled(&scale_theta[k %% %zu][i %% %zu],\n"
        "            theta[i], &slope[i]);\n"
        "    head_0(weights[k], statistics[k], a);\n"
        "    if (gradient != NULL) {\n"
        "        d[%zu] = 1;\n"
        "        head_0_back(weights[k], statistics[k], a, d);\n"
        "        for (size_t i = 0; i < %zu; i++)\n"
        "            gradient[i] = d[%zu + i] * slope[i];\n"
        "    }\n"
        "    return a[%zu];\n"
        "}\n\n",
        sizes->head_room, sizes->head_room, dim, phi_at, sizes->phi, dim,
        theta_at, bnre__export_sets(est),
        est->theta.columns > 0 ? est->theta.columns : 1, result_at, dim,
        theta_at, result_at);
}

/* Numbers that heads see of factor e: which of so many categories, or one. */
static size_t width_of(const bnre__conditional *c, size_t e)
{
    return c->levels[e] > 0 ? c->levels[e] : 1;
}

static size_t place_of(const bnre__conditional *c, size_t e)
{
    size_t at = 0;

    for (size_t i = 0; i < e; i++)
        at += width_of(c, i);
    return at;
}

/* What the head of factor j sees of those before. */
static void put_seen(bnre__c_writer *w, size_t j, size_t at)
{
    const bnre__conditional *c = w->est->conditional;

    for (size_t e = 0; e < j; e++)
        if (c->levels[e] == 0)
            bnre__text_put(&w->body, "    a[%zu] = seen[%zu];\n",
                           at + place_of(c, e), e);
        else
            bnre__text_put(&w->body,
                           "    for (size_t i = 0; i < %zu; i++)\n"
                           "        a[%zu + i] = i == (size_t)c[%zu];\n",
                           c->levels[e], at + place_of(c, e), e);
}

/* A factor of a member: what its head sees, its density, and on the way back
   what comes from earlier coordinates. */
static void put_factor(bnre__c_writer *w, const struct sizes *sizes, size_t j,
                       size_t result_at)
{
    const bnre__conditional *c = w->est->conditional;
    const int first = bnre__chain_net(c->chain)->theta_first;
    const size_t at = first ? 0 : sizes->phi;
    bnre__text *out = &w->body;

    bnre__text_put(out, "    memcpy(a + %zu, phi, %zu * sizeof *a);\n",
                   first ? place_of(c, j) : 0, sizes->phi);
    put_seen(w, j, at);
    bnre__text_put(out,
                   "    memset(raw, 0, sizeof raw);\n"
                   "    head_%zu(weights[k], statistics[k], a);\n",
                   j);
    if (c->line[j].range == BNRE__VALUES) {
        bnre__c_need(w, BNRE__C_VALUES);
        bnre__text_put(out,
                       "    l += values(%zu, mass_%zu, WIDEN, a + %zu, "
                       "(size_t)c[%zu], raw);\n",
                       c->line[j].components, j, result_at, j);
    } else {
        bnre__c_need(w, BNRE__C_MIXTURE);
        bnre__text_put(out,
                       "    l += mixture(%d, WIDEN, a + %zu, c[%zu], &own, "
                       "raw);\n    dc[%zu] += own;\n",
                       (int)c->line[j].range, result_at, j, j);
    }
    if (j > 0) {
        bnre__text_put(out,
                       "    if (gradient != NULL) {\n"
                       "        memset(d, 0, sizeof d);\n"
                       "        memcpy(d + %zu, raw, sizeof raw);\n"
                       "        head_%zu_back(weights[k], statistics[k], a, "
                       "d);\n",
                       result_at, j);
        for (size_t e = 0; e < j; e++)
            if (c->line[e].range != BNRE__VALUES)
                bnre__text_put(
                    out, "        dc[%zu] += %.17g * d[%zu];\n", e,
                    bnre__coordinate_standard_slope(c->line[e].range),
                    at + place_of(c, e));
        bnre__text_put(out, "    }\n");
    }
}

static void put_conditional_member(bnre__c_writer *w, const struct sizes *sizes,
                                   const size_t *result_at)
{
    const bnre__conditional *c = w->est->conditional;
    bnre__text *out = &w->body;

    bnre__text_put(out,
                   "static double member(const double *phi, size_t k, const "
                   "double *theta,\n    double *gradient)\n"
                   "{\n"
                   "    double a[%zu], d[%zu], raw[%zu], own = 0;\n"
                   "    double c[%zu], slope[%zu], seen[%zu], dc[%zu] = {0};\n"
                   "    double l = 0;\n\n"
                   "    (void)d;\n    (void)own;\n    (void)seen;\n",
                   sizes->head_room, sizes->head_room, c->outputs, c->factors,
                   c->factors, c->factors, c->factors);
    for (size_t j = 0; j < c->factors; j++) {
        bnre__text_put(out,
                       "    c[%zu] = (float)coordinate_%zu(theta, "
                       "&slope[%zu]);\n    seen[%zu] = (float)(",
                       j, j, j, j);
        bnre__text_put(out, "%.17g * c[%zu] - %.17g);\n",
                       bnre__coordinates_seen(c->coordinates, j, 1) -
                           bnre__coordinates_seen(c->coordinates, j, 0),
                       j, -bnre__coordinates_seen(c->coordinates, j, 0));
    }
    for (size_t j = 0; j < c->factors; j++)
        put_factor(w, sizes, j, result_at[j]);
    bnre__text_put(out,
                   "    if (gradient != NULL) {\n"
                   "        memset(gradient, 0, %zu * sizeof "
                   "*gradient);\n",
                   w->est->info.dim_theta);
    for (size_t j = 0; j < c->factors; j++)
        bnre__text_put(out, "        gradient[%zu] = dc[%zu] * slope[%zu];\n",
                       c->order[j], j, j);
    bnre__text_put(out, "    }\n    return l;\n}\n\n");
}

/* log mean exp of the members, or the logit of their mean probability. */
static void put_log_ratio(bnre__c_writer *w)
{
    const bnre_estimator *est = w->est;
    const int probability =
        est->info.members > 1 && est->info.combine == BNRE_COMBINE_PROBABILITY;

    bnre__text_put(
        &w->body,
        "double %s_log_ratio(const %s_observation *of, const double *theta,\n"
        "    double *gradient)\n"
        "{\n"
        "    double l[MEMBERS], g[MEMBERS][%zu], share[MEMBERS], top = "
        "-HUGE_VAL;\n"
        "    double sum = 0, out;\n\n"
        "    for (size_t k = 0; k < MEMBERS; k++) {\n"
        "        l[k] = member(of->phi[k], k, theta,\n"
        "            gradient == NULL ? NULL : g[k]);\n"
        "        top = fmax(top, l[k]);\n"
        "    }\n",
        w->name, w->name, est->info.dim_theta);
    if (probability)
        bnre__text_put(
            &w->body,
            "    {\n"
            "        double yes = 0, no = 0;\n\n"
            "        for (size_t k = 0; k < MEMBERS; k++) {\n"
            "            share[k] = 1 / (1 + exp(-l[k])) / (1 + exp(l[k]));\n"
            "            yes += 1 / (1 + exp(-l[k])) / MEMBERS;\n"
            "            no += 1 / (1 + exp(l[k])) / MEMBERS;\n"
            "        }\n"
            "        for (size_t k = 0; k < MEMBERS; k++)\n"
            "            share[k] = yes < 1e-6 || no < 1e-6 ? 0 :\n"
            "                share[k] / (MEMBERS * yes * no);\n"
            "        out = yes < 1e-6 ? log(1e-6) - log1p(-1e-6) :\n"
            "            no < 1e-6 ? log1p(-1e-6) - log(1e-6) : log(yes) - "
            "log(no);\n"
            "        (void)sum;\n"
            "    }\n");
    else
        bnre__text_put(&w->body, "    for (size_t k = 0; k < MEMBERS; k++)\n"
                                 "        sum += share[k] = exp(l[k] - top);\n"
                                 "    for (size_t k = 0; k < MEMBERS; k++)\n"
                                 "        share[k] /= sum;\n"
                                 "    out = top + log(sum / MEMBERS);\n");
    bnre__text_put(&w->body,
                   "    for (size_t i = 0; gradient != NULL && i < %zu; i++) "
                   "{\n"
                   "        gradient[i] = 0;\n"
                   "        for (size_t k = 0; k < MEMBERS; k++)\n"
                   "            gradient[i] += TEMPER * share[k] * g[k][i];\n"
                   "    }\n"
                   "    return TEMPER * out;\n"
                   "}\n",
                   est->info.dim_theta);
}

/* ---- the file ---- */

/* Text inside a comment: nothing ends it. */
static void put_comment(bnre__text *out, const char *text)
{
    bnre__text_put(out, "   ");
    for (; *text != 0; text++)
        if (text[0] == '\n' && text[1] != 0)
            bnre__text_put(out, "\n   ");
        else if (text[0] != '\n')
            bnre__text_put(out, text[0] == '*' && text[1] == '/' ? "* " : "%c",
                           text[0]);
}

static void put_head(const bnre__c_writer *w, const char *about,
                     const struct sizes *sizes, int has_prior, bnre__text *out)
{
    const bnre_estimator_info *info = &w->est->info;
    char upper[64];
    size_t n = 0;

    for (; w->name[n] != 0; n++)
        upper[n] = (char)toupper((unsigned char)w->name[n]);
    upper[n] = 0;
    bnre__text_put(out, "/* The log ratio log p(x|theta) - log p(x) of a "
                        "trained estimator.\n\n");
    put_comment(out, about);
    bnre__text_put(
        out,
        "\n\n   %s_observe() looks at x (%zu numbers) once; 0 = it is not "
        "finite, or there\n"
        "   is no memory. %s_log_ratio() gives the log ratio of theta (%zu "
        "numbers) and,\n"
        "   unless `gradient` is NULL, its gradient by theta. Any number of "
        "threads may\n   call them.%s\n\n"
        "   C99, link with -lm. To declare what is here in another file:\n\n"
        "     #define %s_DECLARATIONS_ONLY\n"
        "     #include \"this file\" */\n",
        w->name, info->x_size, w->name, info->dim_theta,
        has_prior ? " The log density of the prior is there as well.\n"
                    "   The sum of both is that of the posterior up to a "
                    "constant."
                  : " The prior is not: it has conditions or whole "
                    "numbers, or is known by draws.",
        upper);
    bnre__text_put(out,
                   "#ifndef %s_DECLARED\n#define %s_DECLARED\n"
                   "enum { %s_parameters = %zu, %s_x_size = %zu };\n"
                   "typedef struct %s_observation {\n"
                   "    double phi[%zu][%zu];\n} %s_observation;\n"
                   "int %s_observe(const double *x, %s_observation *out);\n"
                   "double %s_log_ratio(const %s_observation *of, const double "
                   "*theta,\n    double *gradient);\n",
                   upper, upper, w->name, info->dim_theta, w->name,
                   info->x_size, w->name, info->members, sizes->phi, w->name,
                   w->name, w->name, w->name, w->name);
    if (has_prior)
        bnre__text_put(out,
                       "double %s_log_prior(const double *theta, double "
                       "*gradient);\n",
                       w->name);
    bnre__text_put(out,
                   "#endif\n\n#ifndef %s_DECLARATIONS_ONLY\n"
                   "#include <float.h>\n#include <math.h>\n"
                   "#include <stddef.h>\n#include <stdlib.h>\n"
                   "#include <string.h>\n\n"
                   "enum { MEMBERS = %zu, COMPONENTS = %zu };\n"
                   "#define TEMPER %.17g\n#define WIDEN %.17g\n\n",
                   upper, info->members,
                   info->components > 0 ? info->components : 1, info->temper,
                   info->widen > 0 ? info->widen : 1);
}

static bnre_status check_size(const bnre_estimator *est)
{
    if (est->info.members * est->info.weights > MOST_WEIGHTS)
        return bnre_fail(BNRE_EUSAGE,
                         "%zu weights are too many for a file of C: export to "
                         "ONNX (-o NAME.onnx)",
                         est->info.members * est->info.weights);
    return BNRE_OK;
}

bnre_status bnre__export_c(const bnre_estimator *est, const char *name,
                           bnre__bytes *out)
{
    bnre__c_writer w = {.est = est, .name = name};
    bnre_status status = BNRE_OK;
    bnre__text file = {0}, about = {0};
    struct sizes sizes = {0};
    size_t *result_at = NULL;
    int has_prior;

    BNRE_TRY(check_size(est));
    BNRE_NEW(result_at, bnre__export_heads(est));
    BNRE_TRY(bnre__export_about(est, &about));
    put_floats(&w.body, "weights", est->info.members, est->info.weights, est,
               0);
    put_floats(&w.body, "statistics", est->info.members,
               bnre__estimator_buffers(est), est, 1);
    put_scaler(&w, "scale_x", 1);
    if (est->conditional == NULL)
        put_scaler(&w, "scale_theta", 0);
    has_prior = bnre__c_prior(&w);
    BNRE_TRY(put_networks(&w, &sizes, result_at));
    put_observe(&w, &sizes);
    if (est->conditional != NULL)
        put_conditional_member(&w, &sizes, result_at);
    else
        put_ratio_member(&w, &sizes, result_at[0]);
    put_log_ratio(&w);
    BNRE_TRY(bnre__text_check(&w.body));
    put_head(&w, about.data, &sizes, has_prior, &file);
    for (size_t i = 0; i < BNRE__C_PIECES; i++)
        if (w.needs[i])
            bnre__text_put(&file, "%s", bnre__c_runtime[i]);
    BNRE_TRY(bnre__text_check(&file));
    bnre__bytes_put(out, file.data, file.length);
    bnre__bytes_put(out, w.body.data, w.body.length);
    bnre__bytes_put(out, "#endif\n", 7);
done:
    bnre__free(result_at);
    bnre__free(about.data);
    bnre__free(file.data);
    bnre__free(w.body.data);
    return status;
}
