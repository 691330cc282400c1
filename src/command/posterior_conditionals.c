/* posterior_conditionals.c - densities of one parameter each, given those before
   it at the densest point, in the file of a posterior: exact ones, of the methods
   npe and bnpe. */
#include <string.h>

#include "base/mem.h"
#include "command/posterior.h"
#include "io/json.h"

/* Quantiles of the curve, in the middle of equal masses; and five more, of the
   intervals. */
enum { CURVE = 40, MORE = 5, ALL = CURVE + MORE };

static size_t find_parameter(const bnre_estimator_info *info, const char *name)
{
    size_t i = 0;

    while (i + 1 < info->dim_theta &&
           strcmp((const char *)info->theta_name[i], name) != 0)
        i++;
    return i;
}

static bnre_status add_factor(bnre__json *list, const bnre_estimator_info *info,
                              size_t factor, const double *theta,
                              const double *value, const double *density)
{
    const double *own = value + CURVE;
    const double inner[] = {own[1], own[3]}, outer[] = {own[0], own[4]};
    bnre__json *one, *given;

    BNRE_DO(bnre__json_object(list, NULL, &one));
    BNRE_DO(bnre__json_text(one, "parameter", info->order[factor]));
    BNRE_DO(bnre__json_object(one, "given", &given));
    for (size_t j = 0; j < factor; j++)
        BNRE_DO(bnre__json_real(given, info->order[j],
                                theta[find_parameter(info, info->order[j])]));
    BNRE_DO(bnre__json_real(one, "median", own[2]));
    BNRE_DO(bnre__json_reals(one, "central_68", 2, inner));
    BNRE_DO(bnre__json_reals(one, "central_95", 2, outer));
    BNRE_DO(bnre__json_reals(one, "value", CURVE, value));
    return bnre__json_reals(one, "density", CURVE, density);
}

bnre_status bnre__posterior_add_conditionals(const bnre__posterior_work *work,
                                             bnre__json *root)
{
    const bnre_estimator *est = work->outcome->estimator;
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    static const double more[] = {0.025, 0.1587, 0.5, 0.8413, 0.975};
    bnre_status status = BNRE_OK;
    double p[ALL], *theta = NULL, *value = NULL, *density = NULL;
    bnre__json *list;

    if (!bnre_estimator_has_conditionals(est) || work->observed->n != 1 ||
        work->outcome->joint != NULL)
        return BNRE_OK;
    for (size_t i = 0; i < ALL; i++)
        p[i] = i < CURVE ? ((double)i + 0.5) / CURVE : more[i - CURVE];
    BNRE_NEW(theta, info->dim_theta);
    BNRE_NEW(value, info->factors * ALL);
    BNRE_NEW(density, info->factors * ALL);
    (void)bnre_posterior_mode(work->outcome->posterior, theta);
    BNRE_TRY(bnre_estimator_conditionals(est, work->observed->x, theta, ALL, p,
                                         value, density));
    BNRE_TRY(bnre__json_list(root, "conditionals", &list));
    for (size_t j = 0; j < info->factors; j++)
        BNRE_TRY(add_factor(list, info, j, theta, value + j * ALL,
                            density + j * ALL));
done:
    bnre__free(density);
    bnre__free(value);
    bnre__free(theta);
    return status;
}
