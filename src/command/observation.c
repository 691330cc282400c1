/* observation.c - what the commands about an observation have in common: reading
   it, how a result comes about, warnings. */
#include "command/observation.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"

bnre_status bnre__observation_read(const bnre_estimator *est,
                                   const bnre_observations *given,
                                   const bnre_opt_list *file,
                                   bnre_observations *own,
                                   const bnre_observations **out)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    const bnre_observation_form form = {.ndim = info->ndim,
                                        .shape = info->shape,
                                        .x_name = info->x_name,
                                        .prior = bnre_estimator_prior(est)};

    *out = given;
    if (given != NULL)
        return BNRE_OK;
    BNRE_DO(bnre_observations_read(&form, file->count,
                                   (const char *const *)file->text, own));
    *out = own;
    return BNRE_OK;
}

static bnre_status set_real(bnre_node *map, const char *key, double value)
{
    char text[33];

    snprintf(text, sizeof text, "%.17g", value);
    return bnre_node_set(map, key, text);
}

bnre_status bnre__observation_record(const char *print, double temper,
                                     double widen, uint64_t seed,
                                     const bnre_observations *observed,
                                     bnre_node **out)
{
    char text[33];

    BNRE_DO(bnre_node_create(BNRE_NODE_MAP, NULL, out));
    BNRE_DO(bnre_node_set(*out, "estimator", print));
    BNRE_DO(set_real(*out, "temper", temper));
    if (widen > 1)
        BNRE_DO(set_real(*out, "widen", widen));
    snprintf(text, sizeof text, "%" PRIu64, seed);
    BNRE_DO(bnre_node_set(*out, "seed", text));
    if (observed == NULL)
        return BNRE_OK;
    bnre__observations_fingerprint(observed, text);
    return bnre_node_set(*out, "observed", text);
}

bnre_status bnre__warning_keep(const char *text, size_t *n, char ***list)
{
    bnre_status status = BNRE_OK;
    size_t room = *n;

    BNRE_GROW(*list, room, *n + 1);
    BNRE_TRY(bnre__strdup(text, &(*list)[*n]));
    ++*n;
done:
    return status;
}

bnre_status bnre__warning_say(const bnre_monitor *monitor, const char *text,
                              size_t *n, char ***list)
{
    bnre_status status = BNRE_OK;
    char *said = NULL;

    BNRE_TRY(bnre__text_format(&said, "warning: %s", text));
    if (monitor != NULL && monitor->note != NULL)
        monitor->note(monitor->context, said);
    BNRE_TRY(bnre__warning_keep(text, n, list));
done:
    bnre__free(said);
    return status;
}
