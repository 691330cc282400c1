/* print.h - what people are told of each command, on stdout, and on stderr what
   is beside it. */
#ifndef BNRE_CLI_PRINT_H
#define BNRE_CLI_PRINT_H

#include "cli.h"

/* ---- commands ---- */

bnre_status cli_print_simulation(const struct common *common,
                                 const bnre_simulate_settings *settings,
                                 const bnre_simulate_outcome *outcome,
                                 double seconds);
void cli_print_training(const struct common *common,
                        const bnre_train_settings *settings, const char *path,
                        const bnre_train_outcome *outcome, double seconds);
bnre_status cli_print_posterior(const struct common *common,
                                const bnre_posterior_settings *settings,
                                const char *output,
                                const bnre_posterior_outcome *outcome);
/* `made` is what the command came to. */
bnre_status cli_print_diagnosis(const struct common *common,
                                const bnre_diagnose_settings *settings,
                                const char *estimator, const char *output,
                                const bnre_diagnose_outcome *outcome,
                                bnre_status made);
bnre_status cli_print_check(const struct common *common, const char *estimator,
                            const char *output,
                            const bnre_check_outcome *outcome);

/* The tasks that are built in; or one with all it has. */
bnre_status cli_print_tasks(const struct common *common);
bnre_status cli_print_task(const char *name);

/* ---- files ---- */

/* What it is; also of one that turned out to be damaged: `made` tells. */
bnre_status cli_print_file(const char *path, const bnre_info_outcome *outcome,
                           bnre_status made);

/* All of an estimator; and its history as CSV. */
bnre_status cli_print_estimator(const char *path,
                                const bnre_info_outcome *outcome);
bnre_status cli_print_history(const char *path);

/* Texts, and lists of texts, of a map. */
void cli_print_map(const char *label, const bnre_node *map);

/* Name, simulator and n parameters of a file's task. */
void cli_print_task_of(const bnre_node *task, size_t n,
                       const char *const *name);

/* ---- guarantees ---- */

/* Nominal and conformal regions side by side, with the guarantee in words;
   `local` (n) may be NULL, or the reason why there is none. */
bnre_status cli_print_conformal(size_t n, const bnre_conformal_region *region,
                                const bnre_conformal_region *local,
                                const bnre_guarantee *guarantee);

/* A certificate in words, as one entry of a list. */
void cli_print_certificate(const bnre_certificate *certificate);

/* As far as it holds for what was observed. */
bnre_status cli_print_guarantee(const bnre_guarantee *guarantee);

void cli_print_theorem(const bnre_theorem *theorem);
void cli_print_curve(const bnre_learning_curve *curve);
void cli_print_advice(const bnre_advice *advice);

/* ---- classes and studies ---- */

/* Rows of files as CSV, with what a classifier says to each. *is = 0, and
   nothing is done, if the estimator is none. */
bnre_status cli_classify(const struct cli_work *work,
                         const bnre_posterior_settings *settings, int *is);

/* How good a classifier is on held-out rows. */
void cli_print_class_report(const bnre_class_report *report);
void cli_print_models_report(const bnre_models_report *report);

/* What a study would do, and what came of it. */
void cli_print_study_plan(const bnre_run_outcome *outcome, size_t workers);
void cli_print_study(const bnre_run_outcome *outcome);
void cli_print_page(const struct common *common, const char *directory,
                    const bnre_report_result *result);

/* "  reason  count" lines of a dataset's most frequent failures. */
bnre_status cli_print_failures(bnre_dataset *data, size_t failed, size_t rows);

/* ---- for other programs, from the tables of options ---- */

void cli_print_manual(const struct command *command);
void cli_print_manual_of_all(void);
void cli_print_bash(void);
void cli_print_zsh(void);
void cli_print_fish(void);

#endif
