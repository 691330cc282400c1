/* plugin.c - plugins: shared objects are found and loaded, their records
   checked, options set, rows simulated. */
#include "task/plugin.h"

#include <ctype.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "base/text.h"
#include "base/value.h"
#include "bnre/settings.h"
#include "num/random.h"
#include "num/streams.h"

#define RECORD "bnre_plugin_record"

/* Where the library goes, seen from the installation's root. */
#ifndef BNRE_LIBDIR
#define BNRE_LIBDIR "lib"
#endif

bnre_status bnre__plugin_load(const char *path, const bnre_plugin **out)
{
    bnre_status status = BNRE_OK;
    char *explicit_path = NULL;
    void *library;

    *out = NULL;
    /* Without a slash the loader would search the system's directories. */
    BNRE_TRY(bnre__text_format(&explicit_path, "%s%s",
                               strchr(path, '/') == NULL ? "./" : "", path));
    library = dlopen(explicit_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        BNRE_THROW(BNRE_EUSAGE, "cannot load plugin %s: %s", path, dlerror());
    *out = dlsym(library, RECORD);
    if (*out == NULL) {
        dlclose(library);
        BNRE_THROW(BNRE_EUSAGE,
                   "plugin %s has no symbol " RECORD
                   ": does it define `const bnre_plugin " RECORD
                   "` and export it?",
                   path);
    }
    /* Checked before anything else of the record is looked at: another ABI may
       have another layout. */
    if ((*out)->abi != BNRE_PLUGIN_ABI) {
        unsigned abi = (*out)->abi;

        *out = NULL;
        dlclose(library);
        BNRE_THROW(BNRE_EUSAGE,
                   "plugin %s was built for plugin ABI %u, this program has "
                   "%d: rebuild it with this version's bnre/plugin.h",
                   path, abi, BNRE_PLUGIN_ABI);
    }
done:
    bnre__free(explicit_path);
    return status;
}

/* Load DIRECTORY/NAME.so if there is such a file. */
static bnre_status try_directory(const char *directory, size_t length,
                                 const char *between, const char *name,
                                 const bnre_plugin **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    if (*out != NULL || length == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__text_format(&path, "%.*s%s/%s.so", (int)length, directory,
                               between, name));
    if (access(path, R_OK) == 0)
        BNRE_TRY(bnre__plugin_load(path, out));
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__plugin_find(const char *name, const bnre_plugin **out)
{
    /* Built: beside the program, or above a test. Installed: below the
       library, or across from the program. */
    static const char *const from_here[] = {"/plugins", "/../plugins",
                                            "/bnre/plugins",
                                            "/../" BNRE_LIBDIR "/bnre/plugins"};
    bnre_status status = BNRE_OK;
    const char *list = getenv("BNRE_PLUGIN_PATH");
    char *own = NULL;
    size_t length;

    *out = NULL;
    while (list != NULL && *list != 0) {
        length = strcspn(list, ":");
        BNRE_TRY(try_directory(list, length, "", name, out));
        list += length + (list[length] == ':');
    }
    BNRE_TRY(bnre__own_directory(&own));
    length = own == NULL ? 0 : strlen(own);
    for (size_t i = 0; i < sizeof from_here / sizeof *from_here; i++)
        BNRE_TRY(try_directory(own, length, from_here[i], name, out));
done:
    bnre__free(own);
    return status;
}

static size_t count_options(const bnre_plugin *record)
{
    size_t n = 0;

    while (record->options != NULL && record->options[n].name != NULL)
        n++;
    return n;
}

static bnre_status check_option_names(const bnre_plugin *record, size_t n,
                                      const bnre_node *options)
{
    bnre_status status = BNRE_OK;
    const char **known = NULL;

    if (options->kind != BNRE_NODE_MAP)
        return bnre_node_fail(options,
                              "options must be a map such as {key: value}");
    BNRE_NEW(known, n + 1);
    for (size_t i = 0; i < n; i++)
        known[i] = record->options[i].name;
    BNRE_TRY(bnre_node_check_keys(options, known));
done:
    bnre__free(known);
    return status;
}

static bnre_status check_record(const bnre_plugin *record)
{
    if (record->abi != BNRE_PLUGIN_ABI)
        return bnre_fail(BNRE_EUSAGE,
                         "the simulator was built for plugin ABI %u, this "
                         "program has %u: rebuild it with this version's "
                         "bnre/plugin.h",
                         (unsigned)record->abi, (unsigned)BNRE_PLUGIN_ABI);
    if (record->name == NULL || record->draw == NULL ||
        record->parameters == NULL || record->parameters[0].name == NULL ||
        record->observable == NULL)
        return bnre_fail(BNRE_EUSAGE,
                         "the simulator's record needs a name, parameters, an "
                         "observable and a draw function");
    if ((record->create == NULL) != (record->destroy == NULL))
        return bnre_fail(BNRE_EUSAGE,
                         "simulator %s: create and destroy go together",
                         record->name);
    return BNRE_OK;
}

/* Numeric options have an interval for a rule, the others words. */
static bnre_status set_value(const bnre_plugin_option *option, const char *text,
                             bnre_plugin_value *value)
{
    const char *rule = option->rule;

    if (rule == NULL)
        return BNRE_OK;
    if (rule[0] == '[' || rule[0] == '(')
        return bnre__read_real(text, rule, option->name, &value->number);
    return bnre__read_choice(text, rule, option->name, &value->choice);
}

bnre_status bnre__plugin_create(const bnre_plugin *record,
                                const bnre_node *options, bnre__plugin **out)
{
    bnre_status status = BNRE_OK;
    bnre__plugin *plugin = NULL;

    *out = NULL;
    BNRE_TRY(check_record(record));
    if (options != NULL)
        BNRE_TRY(check_option_names(record, count_options(record), options));
    BNRE_NEW(plugin, 1);
    plugin->record = record;
    plugin->n = count_options(record);
    BNRE_NEW(plugin->value, plugin->n);
    for (size_t i = 0; i < plugin->n; i++) {
        const bnre_plugin_option *option = &record->options[i];
        const bnre_node *given = bnre_node_find(options, option->name);
        const char *text = given != NULL ? given->text : option->preset;

        if (given == NULL && text == NULL)
            continue;
        if (text == NULL)
            BNRE_TRY(bnre_node_fail(given, "option %s needs a single value",
                                    option->name));
        BNRE_TRY(bnre__strdup(text, (char **)&plugin->value[i].text));
        status = set_value(option, text, &plugin->value[i]);
        if (status == BNRE_EUSAGE && given != NULL)
            status = bnre_node_fail(given, "%s", bnre_error_message());
        BNRE_TRY(status);
    }
    *out = plugin;
    plugin = NULL;
done:
    bnre__plugin_destroy(plugin);
    return status;
}

void bnre__plugin_destroy(bnre__plugin *plugin)
{
    if (plugin == NULL)
        return;
    for (size_t i = 0; plugin->value != NULL && i < plugin->n; i++)
        bnre__free((char *)plugin->value[i].text);
    bnre__free(plugin->value);
    bnre__free(plugin->path);
    bnre__free(plugin);
}

/* The last whole number up to which a double holds all of them. */
static const double LARGEST_COUNT = 9007199254740992.0;

bnre_status bnre__plugin_count(const bnre__plugin *plugin, const char *option,
                               size_t *out)
{
    const bnre_plugin_value *value;
    size_t i = 0;

    while (i < plugin->n &&
           strcmp(plugin->record->options[i].name, option) != 0)
        i++;
    if (i == plugin->n)
        return bnre_fail(BNRE_EUSAGE,
                         "%s counts by \"%s\", not one of its options",
                         plugin->record->name, option);
    value = &plugin->value[i];
    if (!(value->number >= 1 && value->number <= LARGEST_COUNT) ||
        value->number != floor(value->number))
        return bnre_fail(BNRE_EUSAGE,
                         "%s must be a whole number of 1 or more, got %s",
                         option, value->text);
    *out = (size_t)value->number;
    return BNRE_OK;
}

/* One length of the shape: digits, or the name of an option. */
static bnre_status read_length(const bnre__plugin *plugin, const char *word,
                               size_t *out)
{
    if (isdigit((unsigned char)word[0]))
        return bnre__read_size(word, "[1, inf)", "a length of the observable",
                               out);
    return bnre__plugin_count(plugin, word, out);
}

bnre_status bnre__plugin_shape(const bnre__plugin *plugin, size_t *ndim,
                               size_t shape[BNRE_MAX_NDIM])
{
    const char *p = plugin->record->observable;

    *ndim = 0;
    for (;;) {
        char word[64];
        size_t length;

        p += strspn(p, " ");
        length = strcspn(p, " ,");
        if (length == 0 || length >= sizeof word || *ndim == BNRE_MAX_NDIM)
            return bnre_fail(BNRE_EUSAGE,
                             "observable of %s: \"%s\" is not a shape such as "
                             "\"3, 50, 50\" of at most %d dimensions",
                             plugin->record->name, plugin->record->observable,
                             BNRE_MAX_NDIM);
        memcpy(word, p, length);
        word[length] = 0;
        BNRE_DO(read_length(plugin, word, &shape[(*ndim)++]));
        p += length;
        p += strspn(p, " ");
        if (*p == 0)
            break;
        if (*p++ != ',')
            return bnre_fail(
                BNRE_EUSAGE,
                "observable of %s: expected ',' between lengths in "
                "\"%s\"",
                plugin->record->name, plugin->record->observable);
    }
    return BNRE_OK;
}

/* ---- as a simulator ---- */

struct state {
    void *own;     /* the record's */
    double *x;     /* (x_size) */
    size_t blocks; /* of random words that each row gets beforehand */
    int created;
};

static void close_plugin(const bnre__simulator *simulator, void *arg)
{
    const bnre__plugin *plugin = simulator->self;
    struct state *state = arg;

    if (state == NULL)
        return;
    if (state->created && plugin->record->destroy != NULL)
        plugin->record->destroy(state->own);
    bnre__free(state->x);
    bnre__free(state);
}

static bnre_status open_plugin(const bnre__simulator *simulator, void **out)
{
    bnre_status status = BNRE_OK;
    const bnre__plugin *plugin = simulator->self;
    const bnre_plugin *record = plugin->record;
    char reason[BNRE_REASON_SIZE] = "";
    struct state *state = NULL;

    *out = NULL;
    BNRE_NEW(state, 1);
    BNRE_NEW(state->x, simulator->x_size);
    if (record->create != NULL &&
        record->create(plugin->value, &state->own, reason) != BNRE_DRAW_OK) {
        reason[sizeof reason - 1] = 0;
        BNRE_THROW(BNRE_ESIM, "simulator %s cannot start: %s", record->name,
                   reason[0] ? reason : "it gave no reason");
    }
    state->created = 1;
    state->blocks = 1;
    *out = state;
    state = NULL;
done:
    close_plugin(simulator, state);
    return status;
}

static bnre_status run_plugin(const bnre__simulator *simulator, void *arg,
                              const bnre__batch *batch)
{
    const bnre_plugin *record = ((const bnre__plugin *)simulator->self)->record;
    const uint32_t purpose = bnre__purpose(BNRE_USE_SIMULATE, batch->split);
    struct state *state = arg;
    bnre_rng stream[BNRE__STREAMS];

    for (size_t i = 0; i < batch->n; i++) {
        bnre_rng *rng = &stream[i % BNRE__STREAMS];
        bnre_draw outcome;

        if (rng == stream)
            bnre__rng_streams(batch->seed, purpose, batch->row + i,
                              state->blocks, stream);
        batch->reason[i][0] = 0;
        outcome = record->draw(state->own, rng,
                               batch->theta + i * simulator->dim_theta,
                               batch->nuisance + i * simulator->dim_nuisance,
                               state->x, batch->reason[i]);
        state->blocks = bnre__rng_blocks(state->blocks, rng);
        if (outcome == BNRE_DRAW_OK) {
            bnre__batch_store(batch, i, simulator->x_size, state->x);
            continue;
        }
        bnre__batch_fail(batch, i, simulator->x_size, outcome);
        if (outcome != BNRE_DRAW_INVALID && outcome != BNRE_DRAW_LOST)
            return bnre_fail(BNRE_ESIM,
                             "simulator %s stopped at row %" PRIu64 ": %s",
                             record->name, batch->row + i, batch->reason[i]);
    }
    return BNRE_OK;
}

static bnre_status describe_plugin(const bnre__simulator *simulator,
                                   bnre_node *task)
{
    const bnre__plugin *plugin = simulator->self;
    bnre_node *branch = NULL;

    if (plugin->path != NULL) {
        BNRE_DO(bnre_node_branch(task, "simulator", BNRE_NODE_MAP, &branch));
        BNRE_DO(bnre_node_set(branch, "plugin", plugin->path));
    }
    if (plugin->n > 0)
        BNRE_DO(bnre_node_branch(task, "options", BNRE_NODE_MAP, &branch));
    for (size_t i = 0; i < plugin->n; i++)
        if (plugin->value[i].text != NULL)
            BNRE_DO(bnre_node_set(branch, plugin->record->options[i].name,
                                  plugin->value[i].text));
    return BNRE_OK;
}

static int is_tractable(const bnre__simulator *simulator)
{
    const bnre__plugin *plugin = simulator->self;

    return plugin->record->log_likelihood != NULL;
}

static double log_likelihood(const bnre__simulator *simulator, void *arg,
                             const double *theta, const double *x)
{
    const bnre__plugin *plugin = simulator->self;
    struct state *state = arg;

    return plugin->record->log_likelihood(state->own, theta, x);
}

static void destroy_plugin(void *self)
{
    bnre__plugin_destroy(self);
}

const bnre__simulator_kind bnre__plugin_simulator = {
    .open = open_plugin,
    .run = run_plugin,
    .close = close_plugin,
    .destroy = destroy_plugin,
    .describe = describe_plugin,
    .tractable = is_tractable,
    .log_likelihood = log_likelihood,
};
