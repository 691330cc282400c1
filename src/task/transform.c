/* transform.c - which parameters, and whether x, a network sees as
   logarithms. */
#include "task/transform.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Values at 0 are possible only where the prior is a table of draws: others
   have no draw at an end. */
static bnre_status check_positive(const bnre_node *node,
                                  const bnre_prior *prior, size_t i)
{
    double low, high;
    char text[32];

    bnre_prior_support(prior, i, &low, &high);
    if (low > 0 || (low == 0 && high > 0 && bnre_prior_has_density(prior)))
        return BNRE_OK;
    return bnre_node_fail(node,
                          "%s has no logarithm everywhere: its prior %s begins "
                          "at %s, not above 0",
                          node->key, bnre_prior_text(prior, i),
                          isinf(low) ? "-inf" : bnre__text_real(low, text));
}

static bnre_status read_word(const bnre_node *node, int *log)
{
    if (node->kind != BNRE_NODE_TEXT ||
        (strcmp(node->text, "log") != 0 && strcmp(node->text, "none") != 0))
        return bnre_node_fail(node, "the transform of %s must be log or none",
                              node->key);
    *log = node->text[0] == 'l';
    return BNRE_OK;
}

static bnre_status check_names(const bnre_node *map, const bnre_prior *prior)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;
    const char **known = NULL;

    BNRE_NEW(known, dim + 2);
    for (size_t i = 0; i < dim; i++) {
        known[i] = bnre_prior_name(prior, i);
        if (strcmp(known[i], "x") == 0 && bnre_node_find(map, "x") != NULL)
            BNRE_TRY(bnre_node_fail(map, "x is the observable and a parameter: "
                                         "give the parameter another name"));
    }
    known[dim] = "x";
    BNRE_TRY(bnre_node_check_keys(map, known));
done:
    bnre__free(known);
    return status;
}

bnre_status bnre__transform_read(bnre__transform *transform,
                                 const bnre_prior *prior,
                                 const bnre_node *settings)
{
    bnre_status status = BNRE_OK;
    const bnre_node *map = bnre_node_find(settings, "transform");
    const bnre_node *x = bnre_node_find(map, "x");
    const size_t dim = bnre_prior_dim(prior);

    BNRE_NEW(transform->log_theta, dim);
    if (map == NULL)
        goto done;
    if (map->kind != BNRE_NODE_MAP)
        BNRE_TRY(bnre_node_fail(map, "transform must be a map such as {rate: "
                                     "log, x: log}"));
    BNRE_TRY(check_names(map, prior));
    for (size_t i = 0; i < dim; i++) {
        const bnre_node *node = bnre_node_find(map, bnre_prior_name(prior, i));
        int log = 0;

        if (node == NULL)
            continue;
        BNRE_TRY(read_word(node, &log));
        if (log)
            BNRE_TRY(check_positive(node, prior, i));
        transform->log_theta[i] = (uint8_t)log;
    }
    if (x != NULL)
        BNRE_TRY(read_word(x, &transform->log_x));
done:
    return status;
}

bnre_status bnre__transform_record(const bnre__transform *transform,
                                   const bnre_prior *prior, bnre_node *record)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_node *map = NULL;

    for (size_t i = 0; i <= dim; i++) {
        const char *name = i < dim ? bnre_prior_name(prior, i) : "x";

        if (i < dim ? !transform->log_theta[i] : !transform->log_x)
            continue;
        if (map == NULL)
            BNRE_DO(bnre_node_branch(record, "transform", BNRE_NODE_MAP, &map));
        BNRE_DO(bnre_node_set(map, name, "log"));
    }
    return BNRE_OK;
}

void bnre__transform_clear(bnre__transform *transform)
{
    bnre__free(transform->log_theta);
    *transform = (bnre__transform){0};
}
