/* cli.h - what the commands of the program share. */
#ifndef BNRE_CLI_H
#define BNRE_CLI_H

#include <stdarg.h>
#include <stdio.h>

#include "bnre.h"

#define CLI_TRY(call)                                                          \
    do {                                                                       \
        if ((status = (call)) != BNRE_OK)                                      \
            goto done;                                                         \
    } while (0)

/* What every command can be told; the first member of every command's args. */
struct common {
    size_t threads;
    uint64_t seed;
    int quiet, force, dry_run, json;
    char *config;
};

enum { CLI_MOST_OPTIONS = 64, CLI_MOST_OPERANDS = 4, CLI_PATH = 4096 };

/* A progress bar on a terminal, a plain line now and then elsewhere, nothing
   if quiet. Between start and finish Ctrl-C asks the work to save and stop. */
struct progress {
    const char *verb;
    int quiet, terminal, drawn, told;
    double start, last, wait; /* seconds; wait: until the next plain line */
    size_t done, found;
    int bare;        /* units mean nothing to people: share and time alone */
    char state[160]; /* what the work tells of itself; "" = nothing */
};
bnre_monitor cli_progress_start(struct progress *progress, const char *verb,
                                const struct common *common);
double cli_progress_finish(struct progress *progress); /* seconds it took */

/* For calls that do all of a command: the bar starts with the first progress,
   so that until then Ctrl-C ends the program at once; it may be waiting for
   numbers on standard input. */
struct watch {
    const char *verb;
    int named; /* notes begin with the verb */
    const struct common *common;
    struct progress progress;
    bnre_monitor bar; /* {0} until it has started */
};
bnre_monitor cli_watch_start(struct watch *watch, const char *verb,
                             const struct common *common);
void cli_watch_finish(struct watch *watch);

/* What a command works with, which the program makes and clears away. */
struct cli_work {
    const struct common *common;
    size_t n; /* operands */
    const char *const *operand;
    bnre_pool *pool;
    bnre_monitor monitor;
    struct progress progress;
    struct watch watch;
};
/* What all requests have, from what the command was told. */
#define CLI_REQUEST(args, work)                                                \
    .settings = &(args)->settings, .seed = (work)->common->seed,               \
    .input = (work)->common->config, .force = (work)->common->force,           \
    .dry_run = (work)->common->dry_run, .pool = (work)->pool,                  \
    .monitor = &(work)->monitor
/* Once the work is done the bar goes, before anything is told: seconds it took.
 */
double cli_work_end(struct cli_work *work);

struct command {
    const char *name;
    const char *title; /* one line in the list of commands */
    const char *usage; /* what follows the name */
    const char *text;  /* what it does, for its help */
    const char *examples;
    const bnre_opt *opts; /* its own; one that has a common name replaces it */
    size_t n_opts;
    /* Tables of the library, with offsets in a struct that lies at `shared_at`
       in the args; NULL = none. They come first. */
    const bnre_opt *(*shared[2])(size_t *n);
    size_t shared_at;
    const char *idle;   /* common options that mean nothing to it */
    size_t size;        /* of its args */
    size_t least, most; /* operands */
    int own_json;       /* it prints its result as JSON itself */
    /* When the bar of progress begins, from when on Ctrl-C asks the work to save
       and stop: at once, or with the first progress, as it may be waiting for
       numbers on standard input. Commands without one get no threads. */
    enum { CLI_NO_BAR, CLI_BAR, CLI_LATE_BAR } bar;
    bnre_status (*run)(const void *args, struct cli_work *work);
};

extern const struct command cli_run, cli_simulate, cli_train, cli_posterior,
    cli_diagnose, cli_check, cli_infer, cli_report, cli_tasks, cli_info,
    cli_convert, cli_export, cli_doctor, cli_manual, cli_completion;
extern const struct command *const cli_commands[]; /* NULL-ended */

/* All of the program: its exit status. */
int cli_main(int argc, char **argv);

/* A command's options: its own first, then the common ones, and last the idle
   ones, which every command takes and which no help shows. */
struct cli_table {
    bnre_opt row[CLI_MOST_OPTIONS];
    size_t n, own, shown;
};
void cli_table_init(struct cli_table *table, const struct command *command);

/* The short help has the usual options, the long one all of them in groups. */
enum cli_help { CLI_HELP_NONE, CLI_HELP_SHORT, CLI_HELP_ALL };

/* What became of the arguments after a command's name. */
struct cli_call {
    size_t n;
    const char *operand[CLI_MOST_OPERANDS];
    enum cli_help help; /* if asked for, nothing else was looked at */
    unsigned char given[CLI_MOST_OPTIONS]; /* rows of the table */
};

/* Fill `args` (with defaults in it) from argv and the file of --config, and
   check that what is needed was given. Errors: EUSAGE, EIO, ENOMEM. */
bnre_status cli_parse(const struct cli_table *table,
                      const struct command *command, int argc,
                      char *const *argv, void *args, struct cli_call *call);

/* Do the work of a command through bnre_call(), and print its result as JSON. */
bnre_status cli_json(const struct command *command,
                     const struct cli_table *table, const void *args,
                     const struct cli_call *call);

void cli_print_help(FILE *out, const struct command *command,
                    enum cli_help how);
void cli_print_commands(FILE *out, const struct command *const *commands);

/* Words of `text` from column `column` on, later lines indented to `indent`. */
void cli_print_wrapped(FILE *out, const char *text, size_t column,
                       size_t indent);

/* Whether `name` is one of the words of `names`. */
int cli_is_among(const char *names, const char *name);

/* --name with dashes, in static storage of the caller. */
const char *cli_flag(const char *name, char out[64]);

/* The library names settings as `name` or `name: value`, since they are keys of
   files and arguments of functions, too. Here they become --name and --name
   value, in place; all that is printed has gone through it. */
void cli_name_options(char *text);

/* Whether people give this setting as an option: to `run` if it has it, since
   others are keys of a study; else to any command. */
int cli_is_option(const char *name);
/* Whom cli_is_option() is asked for. */
void cli_speak_for(const struct command *command);

/* As printf() and its like, but what %s brings in is made safe to show: the
   commands say everything through these. They give the bytes of it. */
int cli_print(const char *fmt, ...) BNRE_PRINTF(1, 2);
int cli_fprint(FILE *out, const char *fmt, ...) BNRE_PRINTF(2, 3);
int cli_vfprint(FILE *out, const char *fmt, va_list args);
/* Text of several lines, safe to show. */
void cli_print_lines(FILE *out, const char *text);

/* Lines of a summary, "  label         text", whose long texts are wrapped. */
void cli_print_facts(const char *text);

/* A line "  label         text", the texts of all lines below each other; and
   one whose text is as long as it is. */
void cli_fact(const char *label, const char *fmt, ...) BNRE_PRINTF(2, 3);
void cli_words(const char *label, const char *text);
#define CLI_PLURAL(n) ((n) == 1 ? "" : "s")

/* OK, or EDOUBT with these words where there are any. */
bnre_status cli_doubt(const char *why);

/* One line on stderr: "bnre: simulate: text"; nothing if quiet. */
void cli_note(const struct common *common, const char *fmt, ...)
    BNRE_PRINTF(2, 3);

/* Numbers for people, written into out and returned. */
enum { CLI_NUMBER = BNRE_READABLE };
const char *cli_count(size_t n, char out[CLI_NUMBER]);    /* 61,000 */
const char *cli_bytes(double n, char out[CLI_NUMBER]);    /* 3.1 MB */
const char *cli_rate(double n, char out[CLI_NUMBER]);     /* 1.2 M/s */
const char *cli_duration(double s, char out[CLI_NUMBER]); /* 1:02:03 */
const char *cli_shape(const size_t *shape, size_t ndim, char out[CLI_NUMBER]);

/* A column wide enough for the longest name, and for `least`. */
int cli_name_width(size_t n, const char *const *name, int least);

int cli_exists(const char *path);

/* Who does the work of a study: threads in bnre, ranks of MPI in bnre-mpi. */
bnre_status cli_executor_open(size_t threads, bnre_executor *out);
void cli_executor_close(bnre_executor *executor);

#endif
