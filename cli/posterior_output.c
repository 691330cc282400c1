#include "posterior_output.h"

#include <stdlib.h>

bnre_status cli_posterior_open(const struct common *common, const char *path,
                               const char *estimator,
                               const bnre_opt_list *observation,
                               const bnre_node *made, bnre_output **out)
{
    static const char *const name[] = {"samples.csv",
                                       "samples.npy",
                                       "posterior.h5",
                                       "corner.dat",
                                       "corner.gp",
                                       "corner.svg",
                                       "corner.pdf",
                                       "corner.png",
                                       "corner-2.gp",
                                       "corner-2.dat",
                                       "corner-2.svg",
                                       "corner-2.pdf",
                                       "corner-2.png",
                                       "corner-marginals.gp",
                                       "corner-marginals.dat",
                                       "corner-marginals.svg",
                                       "corner-marginals.pdf",
                                       "corner-marginals.png"};
    bnre_output_plan plan = {.path = path,
                             .main = "posterior.json",
                             .names = sizeof name / sizeof *name,
                             .name = name,
                             .made = made,
                             .force = common->force};
    bnre_status status = BNRE_OK;
    const char **input = malloc((observation->count + 2) * sizeof *input);

    if (input == NULL)
        return bnre_fail(BNRE_ENOMEM, "no memory");
    input[plan.inputs++] = estimator;
    input[plan.inputs++] = common->config;
    for (size_t i = 0; i < observation->count; i++)
        input[plan.inputs++] = observation->text[i];
    plan.input = input;
    CLI_TRY(cli_make_parents(path));
    CLI_TRY(bnre_output_open(&plan, out));
done:
    free(input);
    return status;
}

bnre_status cli_posterior_recall(const struct common *common, const char *path,
                                 const bnre_output *output)
{
    const char *doubt = bnre_output_text(output, "doubt");

    if (!common->quiet)
        cli_print("%s (was there already)\n", path);
    fflush(stdout);
    return doubt == NULL ? BNRE_OK : bnre_fail(BNRE_EDOUBT, "%s", doubt);
}
