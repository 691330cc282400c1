/* estimator_trust.c - what is decided and found out about an estimator after
   its training. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/yaml.h"
#include "infer/estimator.h"

static void drop_findings(bnre_estimator *est)
{
    bnre__free(est->certificate);
    bnre__free(est->score);
    est->certificate = NULL;
    est->score = NULL;
    est->info.certificate = NULL;
    est->info.calibration = NULL;
    est->info.scores = 0;
}

bnre_status bnre_estimator_set_temper(bnre_estimator *est, double temper)
{
    if (!(temper > 0 && temper <= 1))
        return bnre_fail(BNRE_EUSAGE,
                         "temper must be above 0 and at most 1, not %g",
                         temper);
    if (temper != est->info.temper)
        drop_findings(est);
    est->info.temper = temper;
    return BNRE_OK;
}

void bnre_estimator_set_combine(bnre_estimator *est, bnre_combine combine)
{
    if (combine != est->info.combine)
        drop_findings(est);
    est->info.combine = combine;
}

bnre_status bnre_estimator_set_certificate(bnre_estimator *est,
                                           const char *certificate)
{
    bnre_status status = BNRE_OK;
    bnre_node *map = NULL;
    char *copy = NULL;

    if (certificate != NULL) {
        BNRE_TRY(bnre_yaml_parse(certificate, "certificate", &map));
        BNRE_TRY(bnre__strdup(certificate, &copy));
    }
    bnre__free(est->certificate);
    est->certificate = copy;
    est->info.certificate = copy;
done:
    bnre_node_destroy(map);
    return status;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

bnre_status bnre_estimator_set_calibration(bnre_estimator *est, size_t n,
                                           const double *score)
{
    bnre_status status = BNRE_OK;
    double *copy = NULL;

    for (size_t i = 0; i < n; i++)
        if (!(score[i] >= 0 && score[i] <= 1))
            return bnre_fail(BNRE_ENUM, "score %zu is %g, not within [0, 1]", i,
                             score[i]);
    if (n > 0) {
        BNRE_NEW(copy, n);
        memcpy(copy, score, n * sizeof *copy);
        qsort(copy, n, sizeof *copy, compare);
    }
    bnre__free(est->score);
    est->score = copy;
    est->info.calibration = copy;
    est->info.scores = n;
done:
    return status;
}
