/* What rules of choosing widths out of fold have to go by, and what is true:

     bench_cross EST.h5 DATA.h5 TEST.h5 C [C ...]

   For an estimator with folds (bnre train --folds F --trust no) and the data it
   was trained on, a line for each width factor C and each of

     cross   the rows of the data, each seen by the members of its fold
     fresh   the pairs of TEST.h5, seen by all members

   with the number of pairs, information, AUC, and the coverage at 19 levels, as
   CSV. tools/cross-rules tries rules on such lines. */
#include <stdio.h>
#include <stdlib.h>

#include "bnre.h"
#include "trust/cross.h"

static void try_or_fail(bnre_status status)
{
    if (status == BNRE_OK)
        return;
    fprintf(stderr, "%s\n", bnre_error_message());
    exit(1);
}

static void print_line(const char *kind, double widen, const bnre_diag *diag)
{
    const bnre_diag_curve *curve = &diag->curve[0];

    printf("%s,%g,%zu,%.4f,%.4f", kind, widen, curve->coverage.n,
           curve->information.mean, curve->coverage.auc.mean);
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        printf(",%.5f", curve->coverage.share[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_estimator *est = NULL;
    bnre_dataset *data = NULL, *test = NULL;
    bnre__cross cross = {0};

    if (argc < 5) {
        fprintf(stderr,
                "usage: bench_cross EST.h5 DATA.h5 TEST.h5 C [C ...]\n");
        return 2;
    }
    try_or_fail(bnre_estimator_open(argv[1], &est));
    try_or_fail(bnre_dataset_open(argv[2], &data));
    try_or_fail(bnre_dataset_open(argv[3], &test));
    try_or_fail(bnre__cross_init(&cross, est, data, 0, 1));
    printf("kind,widen,pairs,information,auc");
    for (size_t i = 0; i < BNRE_DIAG_LEVELS; i++)
        printf(",%.2f", bnre_diag_level(i));
    printf("\n");
    for (int i = 4; i < argc; i++) {
        const double widen = strtod(argv[i], NULL);
        bnre_density whole;
        bnre_diag *diag = NULL;

        try_or_fail(bnre_estimator_set_widen(est, widen));
        try_or_fail(bnre__cross_diagnose(&cross, &opts, &diag));
        print_line("cross", widen, diag);
        bnre_diag_destroy(diag);
        whole = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        try_or_fail(bnre_diagnose_dataset(&whole, test, 1, &opts, &diag));
        print_line("fresh", widen, diag);
        bnre_diag_destroy(diag);
    }
    bnre__cross_clear(&cross);
    bnre_dataset_close(test);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
    return 0;
}
