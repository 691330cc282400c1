/* trust.h - the work of bnre_trust_train(), in parts. */
#ifndef BNRE_TRUST_TRUST_H
#define BNRE_TRUST_TRUST_H

#include "bnre/dataset.h"
#include "bnre/diag.h"
#include "bnre/estimator.h"
#include "bnre/rng.h"
#include "bnre/trust.h"
#include "io/writer_lock.h"
#include "nn/operations.h"

/* Steps: all lambda, and maybe one from fresh weights. */
enum { BNRE__LAMBDAS = 8, BNRE__STEPS = 9, BNRE__TEMPERS = 15 };

/* 0, 1, 3, ..., 1000; and 1, 0.95, ..., 0.3 */
extern const double bnre__trust_lambda[BNRE__LAMBDAS];
double bnre__trust_temper(size_t i);

/* Pairs for one purpose. */
typedef struct bnre__trust_pairs {
    const char *what; /* they are to be used for: "select", ... */
    char *path;       /* NULL: there are none */
    bnre_dataset *data;
    size_t n;       /* valid ones */
    size_t use;     /* of these, the first are looked at */
    size_t rows;    /* of the file */
    double missing; /* share of these (missing.h) */
    int blind;      /* nothing could be calibrated with them */
    char fingerprint[33];
    uint64_t *hash; /* (hashes) of valid rows in order, once checked */
    size_t hashes;
    uint64_t *as_read; /* the same as they lie in the file, where they are whole
                          numbers that are equal by chance; else NULL */
} bnre__trust_pairs;

typedef struct bnre__trust_run {
    const bnre_train_opts *train;
    const bnre_trust_opts *opts;
    const char *path;
    int choose_lambda, choose_temper;
    int cross; /* out of fold, and not on fresh pairs */
    bnre_trust_result *result;
    bnre__trust_pairs select, certify, calibrate;
    bnre_task *task; /* for simulating; made when first needed */

    size_t steps; /* of the path so far */
    char *step[BNRE__STEPS];
    double lambda[BNRE__STEPS];
    int fresh[BNRE__STEPS]; /* not started from the step before */
    bnre_train_result trained[BNRE__STEPS];
    int nothing;  /* is known by the last of them */
    size_t times; /* as many points as usual were needed so far; 0 = 1 */
    size_t tempers;
    double temper[BNRE__TEMPERS];

    /* Cost (trust_effort.c): of a network, of a pair that is looked at, of all
       that are for conformal regions, and of what was done so far. */
    bnre__work work;
    double pair, calibration, spent;
} bnre__trust_run;

/* ---- files (trust_files.c) ---- */

/* All that can be said of the files before the work: no input would be
   replaced, nor what is somebody else's, and they can be written. *lock, which
   the caller releases, makes us the one to write them; NULL where the result
   is `there` already. Errors: EUSAGE; EEXIST; EIO; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__trust_claim(bnre__trust_run *run, int there,
                                              bnre__writer_lock **lock);
/* The history of the step that was chosen becomes that of the result. */
BNRE_MUST_CHECK bnre_status bnre__trust_copy_history(const bnre__trust_run *run,
                                                     const char *from);

/* Steps that are not kept lie in PATH.steps/, which is this command's alone:
   whoever finds it beside a finished PATH may remove it. */
#define BNRE__TRUST_STEPS ".steps"

/* Whether the steps stay, beside PATH. */
int bnre__trust_keeps(const bnre__trust_run *run);
/* Remove those that do not; the result is there. */
BNRE_MUST_CHECK bnre_status bnre__trust_forget(const bnre__trust_run *run);
/* The same for a call that was interrupted between its result and this. */
BNRE_MUST_CHECK bnre_status
bnre__trust_forget_earlier(const bnre__trust_run *run);
/* After a failure: their place goes, if nothing is in it. */
void bnre__trust_leave(const bnre__trust_run *run);

/* ---- pairs (trust_pairs.c) ---- */

/* Whether pairs are asked for by their number (else by a file). */
int bnre__trust_is_count(const char *text, size_t *count);

/* Open the file, if one was asked for; or simulate as many into STEM.SPLIT.h5,
   if it is a number. Nothing is done for the other kind. */
BNRE_MUST_CHECK bnre_status bnre__trust_pairs_open(const char *asked,
                                                   bnre_split split,
                                                   bnre__trust_pairs *out);
BNRE_MUST_CHECK bnre_status bnre__trust_pairs_simulate(bnre__trust_run *run,
                                                       const char *asked,
                                                       size_t preset,
                                                       bnre_split split,
                                                       bnre__trust_pairs *out);
void bnre__trust_pairs_close(bnre__trust_pairs *pairs);

/* PATH without .h5 */
BNRE_MUST_CHECK bnre_status bnre__trust_stem(const char *path, char **out);

/* Refuse pairs that the estimator was trained on. */
BNRE_MUST_CHECK bnre_status bnre__trust_refuse_seen(const bnre_estimator *est,
                                                    bnre__trust_pairs *pairs);
bnre_status bnre__trust_fail_seen(const bnre__trust_pairs *pairs, size_t seen);

/* Refuse pairs, of those that are open and were not checked yet, that are of
   another task or prior than the training data, among them, or shared by two
   purposes. Reads all of them. (trust_check.c) Errors: EUSAGE with the file. */
BNRE_MUST_CHECK bnre_status bnre__trust_check(bnre__trust_run *run);

/* ---- the path of lambda (trust_path.c) ---- */

/* Cells and points for a pair, as `fitted` and `strata` of bnre_diag_opts, if
   `asked` points a pair are wanted; 0 = what does. */
void bnre__trust_points(const bnre_prior *prior, size_t asked, size_t *cells,
                        size_t *points);

/* What a step gives on the pairs in use, for all tempers. Pairs that it was
   trained on are refused. */
BNRE_MUST_CHECK bnre_status bnre__trust_look(bnre__trust_run *run, size_t step,
                                             bnre__trust_pairs *pairs,
                                             bnre_diag **out);

/* Whether a training for this output was begun before and not finished: the
   files of its first step are there. */
BNRE_MUST_CHECK bnre_status bnre__trust_begun(bnre__trust_run *run, int *out);

/* Train step after step and look at each on the select pairs, until more lambda
   only loses information. */
BNRE_MUST_CHECK bnre_status bnre__trust_walk(bnre__trust_run *run);
/* The step that a candidate belongs to. */
size_t bnre__trust_step_of(const bnre__trust_run *run, size_t candidate);

/* ---- what it costs (trust_effort.c) ---- */

/* After the first training: what pairs cost, and how many are used to calibrate
   with and to look at for each lambda. */
void bnre__trust_plan_looks(bnre__trust_run *run, const bnre_estimator *est);

/* After a look, and after a further step of so many epochs of all members. */
void bnre__trust_spend_look(bnre__trust_run *run, const bnre_diag *diag);
void bnre__trust_spend_step(bnre__trust_run *run, size_t epochs);

/* How many pairs are used to certify with, for so many steps. */
void bnre__trust_plan_tests(bnre__trust_run *run, size_t steps);

/* Whether one more step, of so many epochs of all members, leaves enough. */
int bnre__trust_affords(const bnre__trust_run *run, size_t epochs);

/* Trainings that all of it has cost. */
double bnre__trust_effort(const bnre__trust_run *run);

/* ---- the tests (trust_certify.c) ---- */

/* Whether the lower bounds of coverage at confidence 1 - delta are at least
   level - eps, at every level. */
int bnre__trust_is_conservative(const bnre_coverage *coverage, double delta,
                                double eps);

/* Test the frontier on the certify pairs and choose: the outcome in the
   certificate of the result, with its words. */
BNRE_MUST_CHECK bnre_status bnre__trust_certify(bnre__trust_run *run);

/* ---- out of fold (trust_cross.c) ---- */

/* Test the candidates out of fold and choose: the outcome in the certificate of
   the result, with its words. */
BNRE_MUST_CHECK bnre_status bnre__trust_cross(bnre__trust_run *run);
/* Scores for conformal regions, kept with the estimator. */
BNRE_MUST_CHECK bnre_status bnre__trust_cross_scores(bnre__trust_run *run,
                                                     bnre_estimator *est);

/* A sentence for the monitor. */
void bnre__trust_note(const bnre__trust_run *run, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* Put values in place of what is left open: the mode (auto for npe and bnpe
   where neither lambda nor temper nor widen is a number, and for temper NaN;
   never for the recipe paper, classes, or members that cannot be laid in
   folds; else no); out of fold the method, if neither it nor lambda is given:
   npe; lambda (NaN: stays to be chosen on fresh pairs, is 0 for npe, else 100);
   and out of fold the numbers of folds and members. What
   follows does so itself. */
void bnre__trust_settle(bnre_train_opts *train, bnre_trust_opts *opts);

/* Whether lambda or temper is to be chosen: what select, certify, delta, eps and
   points are for. */
int bnre__trust_chooses(const bnre_train_opts *train,
                        const bnre_trust_opts *opts);

/* Whether there is something to be done besides plain training. */
int bnre__trust_wanted(const bnre_train_opts *train,
                       const bnre_trust_opts *opts);

/* Mark the frontier and the sequence of tests. It ends with the sharpest of the
   frontier whose margin is not negative, and has before it, by falling margin,
   what no safer and sharper temper of the same lambda beats; if there is no
   safer temper, those of the frontier. If all margins are negative it is the
   safest alone. Gives the length of the sequence. Candidates whose
   information or margin is NaN have no part in it. */
size_t bnre__trust_frontier(size_t n, bnre_candidate *candidate);

/* What it would do, in words and numbers of pairs; the caller frees *text with
   bnre_free(). */
BNRE_MUST_CHECK bnre_status bnre__trust_plan(const bnre_train_opts *train,
                                             const bnre_trust_opts *opts,
                                             char **text);

#endif
