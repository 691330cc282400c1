/* describe.h - parts of what `bnre info` tells. */
#ifndef BNRE_CLI_DESCRIBE_H
#define BNRE_CLI_DESCRIBE_H

#include "cli.h"

/* Names with their priors, where the file's task tells them. */
void cli_print_names(const char *label, size_t n, const char *const *name,
                     const bnre_node *priors);

/* Texts, and lists of texts, of a map. */
void cli_print_map(const char *label, const bnre_node *map);

/* Name, simulator and n parameters of a task. */
void cli_print_task(const bnre_node *task, size_t n, const char *const *name);

/* All of an estimator; and its history as CSV. */
bnre_status cli_print_estimator(const char *path,
                                const bnre_info_outcome *outcome);
bnre_status cli_print_history(const char *path);

#endif
