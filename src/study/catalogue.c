/* catalogue.c - a posterior for each row of a dataset by the estimator of each
   run of a study. */
#include <string.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "io/file.h"
#include "study/observed.h"
#include "task/task.h"

static bnre_status find_file(const bnre_study *study, const char *key,
                             char **path, char print[33])
{
    const bnre_node *node = bnre_node_find(study->base, key);
    bnre_status status;

    if (node == NULL)
        return BNRE_OK;
    BNRE_DO(bnre__task_path(node, path));
    status = bnre__file_hash(*path, print);
    if (status == BNRE_EIO)
        status = bnre_node_fail(node, "%s: %s", key, bnre_error_message());
    return status;
}

bnre_status bnre__catalogue_read(const bnre_study *study, bnre__catalogue *out)
{
    BNRE_DO(find_file(study, "each", &out->file, out->print));
    return find_file(study, "prior", &out->prior, out->of_prior);
}

void bnre__catalogue_clear(bnre__catalogue *catalogue)
{
    bnre__free(catalogue->file);
    bnre__free(catalogue->prior);
    *catalogue = (bnre__catalogue){0};
}

void bnre__catalogue_hash(const bnre__catalogue *catalogue,
                          const bnre__fields *fields, bnre__hash *hash)
{
    char temper[32];

    bnre__hash_add_text(hash, catalogue->print);
    bnre__hash_add_text(hash, catalogue->of_prior);
    bnre__hash_add_text(hash, bnre__text_real(fields->study.temper, temper));
    bnre__hash_add_u64(hash, bnre__fields_given(fields, "samples")
                                 ? fields->posterior.samples
                                 : 0);
}

bnre_status bnre__catalogue_posteriors(const bnre__catalogue *catalogue,
                                       const bnre__observed_work *work,
                                       const char *estimator,
                                       const char *directory)
{
    bnre_posterior_settings settings = work->fields->posterior;
    bnre_posterior_request request = {.estimator = estimator,
                                      .settings = &settings,
                                      .seed = work->seed,
                                      .pool = work->pool,
                                      .monitor = work->monitor};
    bnre_posterior_outcome outcome = {0};
    bnre_status status;

    settings.each = catalogue->file;
    settings.prior = catalogue->prior;
    settings.regions = settings.local = 0;
    if (!bnre__fields_given(work->fields, "samples"))
        settings.samples = 0; /* as many as the command makes of each row */
    if (work->fields->study.temper > 0) /* NaN: it was chosen in training */
        settings.temper = work->fields->study.temper;
    status = bnre_posterior_make(&request, directory, &outcome);
    if (status == BNRE_EEXIST) { /* of something else */
        bnre_posterior_outcome_clear(&outcome);
        request.force = 1;
        status = bnre_posterior_make(&request, directory, &outcome);
    }
    if (outcome.doubt[0] != 0) /* it is told in the end */
        status = BNRE_OK;
    bnre_posterior_outcome_clear(&outcome);
    return status;
}
