/* What rules of choosing widths out of fold have to go by, and what is true:

     bench_cross EST.h5 DATA.h5 TEST.h5 C [C ...]

   For an estimator with folds (bnre train --folds F --trust no) and the data it
   was trained on, a line for each width factor C and each of

     cross   the rows of the data, each seen by the members of its fold
     folds   the pairs of TEST.h5, seen by the members of one fold after the
             other: what `cross` is an estimate of
     fresh   the pairs of TEST.h5, seen by all members: what is delivered

   with the number of pairs, information, AUC, and the coverage at 19 levels, as
   CSV. tools/cross-spread tells from such lines of many runs how many independent
   pairs the rows are worth. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
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

/* Pairs that no member has seen, dealt to folds. */
static bnre__cross all_rows(const bnre_estimator *est, bnre_dataset *data)
{
    const bnre_estimator_info *info = bnre_estimator_describe(est);
    bnre__cross out = {.est = est, .data = data};
    bnre_status status = BNRE_OK;

    out.n = bnre_dataset_describe(data)->rows;
    BNRE_NEW(out.row, out.n);
    BNRE_NEW(out.fold, out.n);
    BNRE_NEW(out.theta, out.n * info->dim_theta);
    BNRE_TRY(bnre__estimator_arrange(est, data));
    BNRE_TRY(bnre_dataset_read(data, 0, out.n, out.theta, NULL, NULL, NULL));
    for (size_t i = 0; i < out.n; i++) {
        out.row[i] = i;
        out.fold[i] = (uint8_t)(i % info->folds);
    }
done:
    try_or_fail(status);
    return out;
}

int main(int argc, char **argv)
{
    bnre_diag_opts opts = bnre_diag_opts_default();
    bnre_estimator *est = NULL;
    bnre_dataset *data = NULL, *test = NULL;
    bnre__cross cross = {0}, strangers = {0};

    if (argc < 5) {
        fprintf(stderr,
                "usage: bench_cross EST.h5 DATA.h5 TEST.h5 C [C ...]\n");
        return 2;
    }
    try_or_fail(bnre_estimator_open(argv[1], &est));
    try_or_fail(bnre_dataset_open(argv[2], &data));
    try_or_fail(bnre_dataset_open(argv[3], &test));
    try_or_fail(bnre__cross_init(&cross, est, data, 0, 1));
    strangers = all_rows(est, test);
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
        try_or_fail(bnre__cross_diagnose(&strangers, &opts, &diag));
        print_line("folds", widen, diag);
        bnre_diag_destroy(diag);
        whole = bnre_estimator_density(est, BNRE_ALL_MEMBERS);
        try_or_fail(bnre_diagnose_dataset(&whole, test, 1, &opts, &diag));
        print_line("fresh", widen, diag);
        bnre_diag_destroy(diag);
    }
    bnre__cross_clear(&strangers);
    bnre__cross_clear(&cross);
    bnre_dataset_close(test);
    bnre_dataset_close(data);
    bnre_estimator_close(est);
    return 0;
}
