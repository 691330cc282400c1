/* plugin.h - all that a simulator written in C needs.

   A simulator is one constant record that describes it and three functions.
   The built-in tasks are written against this header and nothing else. To make
   a plugin, export the record under the name bnre_plugin_record and build a
   shared object; no library has to be linked:

     const bnre_plugin bnre_plugin_record = { BNRE_PLUGIN_ABI, ... };

     cc -O2 -fPIC -shared -I.../include mine.c -o libmine.so -lm

   One state is created per thread, so `draw` may keep buffers and plans in it
   without locks. All randomness must come from `rng`: then the same seed gives
   the same data on any number of threads. */
#ifndef BNRE_PLUGIN_H
#define BNRE_PLUGIN_H

#include "bnre/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BNRE_PLUGIN_ABI 1
#define BNRE_REASON_SIZE 128 /* bytes for a reason, with its final 0 */

/* What became of a simulation. Of INVALID and LOST the row is recorded with
   the reason you write, and the run goes on. */
typedef enum bnre_draw {
    BNRE_DRAW_OK,
    BNRE_DRAW_INVALID, /* an outcome of the model: nothing could be observed */
    BNRE_DRAW_LOST,    /* the machine lost the result: says nothing of theta */
    BNRE_DRAW_STOP     /* cannot go on: the whole run ends with the reason */
} bnre_draw;

/* A parameter and its default prior, such as "uniform(0, 10)". With `repeat`,
   the name of a numeric option, it stands for that many parameters called
   name_0, name_1, ... */
typedef struct bnre_plugin_parameter {
    const char *name;
    const char *prior;
    const char *repeat;
} bnre_plugin_parameter;

/* A setting of the simulator. One without a preset may be left out: its value
   has then no text, and files that were made before the simulator had it stay
   what they are. The rule is an interval for numbers, such as
   "[1, inf)", or words to choose from, "reference|clean"; it is checked
   before `create` sees the value. */
typedef struct bnre_plugin_option {
    const char *name;
    const char *preset; /* default; NULL = it may be left out */
    const char *rule;
    const char *help;
} bnre_plugin_option;

/* The value of an option, in the order of the record's list. */
typedef struct bnre_plugin_value {
    const char *text; /* NULL: not given, and without a preset */
    double number;    /* of numeric options */
    int choice;       /* of the others: which of the rule's words, from 0 */
} bnre_plugin_value;

/* Lists end with an entry whose name is NULL; an absent list is NULL. */
typedef struct bnre_plugin {
    uint32_t abi;          /* BNRE_PLUGIN_ABI */
    const char *name;      /* as in `--task NAME` */
    const char *title;     /* one line for `bnre tasks` */
    const char *reference; /* the paper it comes from; may be NULL */

    const bnre_plugin_parameter *parameters; /* inferred */
    const bnre_plugin_parameter *nuisance;   /* drawn, not inferred */
    const bnre_plugin_option *options;
    const char *observable; /* shape of x: "8", or "3, grid, grid" where
                               grid is a numeric option */

    /* Make the state of one thread. Return BNRE_DRAW_OK, or anything else
       after writing why into reason (BNRE_REASON_SIZE bytes). NULL: the
       simulator needs no state, `draw` gets NULL. */
    bnre_draw (*create)(const bnre_plugin_value *options, void **state,
                        char *reason);

    /* Simulate once: fill x (as many values as the shape has, row-major) for
       the given parameters. On anything but BNRE_DRAW_OK, write a short reason
       (BNRE_REASON_SIZE bytes). A value that is not finite makes the row
       INVALID without your doing. */
    bnre_draw (*draw)(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason);

    void (*destroy)(void *state); /* NULL if create is NULL */

    /* Where it can be computed: log p(x | theta), nuisance integrated out, up
       to nothing (normalised in x). NULL if intractable. Serves exact checks
       of estimators. */
    double (*log_likelihood)(void *state, const double *theta, const double *x);
} bnre_plugin;

#ifdef __cplusplus
}
#endif
#endif
