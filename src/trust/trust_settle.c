/* trust_settle.c - what is to be chosen, and from what, where the options leave it
   open. */
#include <math.h>
#include <string.h>

#include "infer/train/train.h"
#include "trust/trust.h"

/* Into how many folds so many members go; 0 = into none. */
static size_t folds_for(size_t members)
{
    static const size_t folds[] = {5, 4, 6, 3, 7, 2, 8, 9, 10};

    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (members % folds[i] == 0)
            return folds[i];
    return 0;
}

static int mode_of(const bnre_train_opts *train, const bnre_trust_opts *opts)
{
    if (opts->trust != BNRE_TRUST_DEFAULT)
        return opts->trust;
    if (train->recipe == BNRE_RECIPE_PAPER || train->classes.count > 0 ||
        (train->folds == 0 && train->members > 0 &&
         folds_for(train->members) == 0))
        return BNRE_TRUST_NO;
    if (isnan(opts->temper))
        return BNRE_TRUST_AUTO;
    return bnre_method_is_conditional(bnre__train_method(train)) &&
                   isnan(train->lambda) && opts->temper == 0 && opts->widen == 0
               ? BNRE_TRUST_AUTO
               : BNRE_TRUST_NO;
}

/* Classes have several penalties, and more noise: with 100 a classifier of three
   normal distributions learned less well than with 10. */
static void settle_models(bnre_train_opts *train, bnre_trust_opts *opts)
{
    if (train->method == BNRE_METHOD_OF_RECIPE)
        train->method = BNRE_METHOD_BNPE;
    if (isnan(train->lambda) && bnre_method_is_balanced(train->method))
        train->lambda = 10;
    if (opts->trust == BNRE_TRUST_DEFAULT)
        opts->trust = BNRE_TRUST_NO;
}

void bnre__trust_settle(bnre_train_opts *train, bnre_trust_opts *opts)
{
    bnre_trust_mode mode;
    int conditional;

    if (train->models)
        settle_models(train, opts);
    conditional = bnre_method_is_conditional(bnre__train_method(train));
    mode = (bnre_trust_mode)mode_of(train, opts);
    opts->trust = (int)mode;
    /* Widths that are chosen out of fold do what the penalty is for, and cost
       less: docs/trust.md. */
    if (mode == BNRE_TRUST_AUTO && conditional && isnan(train->lambda) &&
        train->method == BNRE_METHOD_OF_RECIPE)
        train->method = BNRE_METHOD_NPE;
    if (isnan(train->lambda) && mode != BNRE_TRUST_FRESH)
        train->lambda =
            train->method == BNRE_METHOD_NPE ? 0 : BNRE_TRAIN_LAMBDA;
    if (mode != BNRE_TRUST_AUTO)
        return;
    if (train->members == 0)
        train->members = train->folds > 0 ? 2 * train->folds
                         : conditional    ? 10
                                          : 5;
    if (train->folds == 0)
        train->folds = folds_for(train->members);
}

static int calibrates(const bnre_trust_opts *opts)
{
    return opts->calibrate != NULL && strcmp(opts->calibrate, "0") != 0;
}

int bnre__trust_chooses(const bnre_train_opts *train,
                        const bnre_trust_opts *opts)
{
    const int mode = mode_of(train, opts);

    return mode == BNRE_TRUST_AUTO || mode == BNRE_TRUST_FRESH;
}

int bnre__trust_wanted(const bnre_train_opts *train,
                       const bnre_trust_opts *opts)
{
    return bnre__trust_chooses(train, opts) || calibrates(opts) ||
           (opts->temper > 0 && opts->temper < 1) || opts->widen > 1;
}
