/* The command `doctor`: what is here, what is missing, and what to do. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { MOST = 12 };

struct args {
    struct common common;
};

/* What was looked for: where it is, or NULL and what that means. */
struct finding {
    const char *what, *missing;
    char found[CLI_PATH];
    int there;
};

static void note(struct finding *list, size_t *n, const char *what,
                 const char *found, const char *missing)
{
    struct finding *one = &list[(*n)++];

    one->what = what;
    one->missing = missing;
    one->there = found != NULL;
    snprintf(one->found, sizeof one->found, "%s", found != NULL ? found : "");
}

/* A letter in a text of JSON, with nothing left that cli_print() spells out; the
   bytes of `text` that it took. A byte that is none is \u00XX. */
static size_t quote(const char *text, char out[16])
{
    const unsigned char byte = (unsigned char)*text;
    const int n = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    char letter[5];

    snprintf(letter, sizeof letter, "%.*s", n, text);
    bnre_show_text(out, 16, letter, 0);
    if (byte == '"' || byte == '\\')
        snprintf(out, 16, "\\%c", byte);
    else if (strcmp(out, letter) != 0 && strncmp(out, "\\u", 2) != 0) {
        snprintf(out, 16, "\\u%04x", byte);
        return 1;
    }
    return (size_t)n;
}

/* A member of an object: "what": "text". */
static void print_member(const char *what, const char *text)
{
    char quoted[6 * CLI_PATH + 16];
    size_t n = 0;

    for (quoted[0] = 0; *text != 0 && n + 16 < sizeof quoted;
         n += strlen(quoted + n))
        text += quote(text, quoted + n);
    cli_print("\n  \"%s\": \"%s\"", what, quoted);
}

static void print_json(const struct finding *list, size_t n, int complete)
{
    cli_print("{\n \"version\": \"" BNRE_VERSION "\",\n \"plugin_abi\": %d",
              BNRE_PLUGIN_ABI);
    for (int there = 1; there >= 0; there--) {
        int between = 0;

        cli_print(",\n \"%s\": {", there ? "found" : "missing");
        for (size_t i = 0; i < n; i++)
            if (list[i].there == there) {
                cli_print("%s", between ? "," : "");
                print_member(list[i].what,
                             there ? list[i].found : list[i].missing);
                between = 1;
            }
        cli_print("\n }");
    }
    cli_print(",\n \"complete\": %s\n}\n", complete ? "true" : "false");
}

static void print_table(const struct finding *list, size_t n)
{
    cli_print("bnre " BNRE_VERSION " (plugin ABI %d)\n", BNRE_PLUGIN_ABI);
    for (size_t i = 0; i < n; i++)
        cli_print("  %-16s%s\n", list[i].what,
                  list[i].there ? list[i].found : list[i].missing);
}

/* Where a program is by PATH; NULL if nowhere. */
static const char *find_program(const char *name, char out[CLI_PATH])
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != 0) {
        const size_t n = strcspn(path, ":");

        if (n > 0 && n < CLI_PATH / 2) {
            snprintf(out, CLI_PATH, "%.*s/%s", (int)n, path, name);
            if (access(out, X_OK) == 0)
                return out;
        }
        path += n + (path[n] == ':');
    }
    return NULL;
}

/* What runs external simulators: beside the program, or where it is installed.
 */
static const char *find_supervisor(char out[CLI_PATH])
{
    static const char *const places[] = {"bnre-supervise",
                                         "../libexec/bnre/bnre-supervise"};
    char own[CLI_PATH / 2];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    char *slash;

    if (n <= 0)
        return NULL;
    own[n] = 0;
    slash = strrchr(own, '/');
    if (slash == NULL)
        return NULL;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, CLI_PATH, "%s/%s", own, places[i]);
        if (access(out, X_OK) == 0)
            return out;
    }
    return NULL;
}

static int has_task(const char *name)
{
    bnre_task *task = NULL;
    const int has = bnre_task_open(name, 0, NULL, &task) == BNRE_OK;

    bnre_task_destroy(task);
    return has;
}

static bnre_status run(const void *fields, struct cli_work *work)
{
    const char *scratch = getenv("TMPDIR");
    char path[CLI_PATH], cores[32];
    struct finding list[MOST];
    size_t n = 0;
    int supervised;

    (void)fields;
    scratch = scratch != NULL && scratch[0] != 0 ? scratch : "/tmp";
    snprintf(cores, sizeof cores, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    note(list, &n, "kernels", bnre_kernels_name(), "");
    note(list, &n, "cores", cores, "");
    supervised = find_supervisor(path) != NULL;
    note(list, &n, "supervisor", supervised ? path : NULL,
         "MISSING: programs cannot be simulators; install bnre-supervise "
         "beside bnre");
    note(list, &n, "gnuplot", find_program("gnuplot", path),
         "missing: pictures are written as scripts and data (apt-get install "
         "gnuplot-nox)");
    note(list, &n, "task gw", has_task("gw") ? "there" : NULL,
         "missing: it needs FFTW when bnre is built (apt-get install "
         "libfftw3-dev)");
    note(list, &n, "bnre-mpi", find_program("bnre-mpi", path),
         "missing: studies run on one machine (apt-get install "
         "libopenmpi-dev before building)");
    note(list, &n, "python3", find_program("python3", path),
         "missing: only the Python package needs it");
    note(list, &n, "scratch", access(scratch, W_OK) == 0 ? scratch : NULL,
         "cannot be written: set TMPDIR to a directory that can");
    if (work->common->json)
        print_json(list, n, supervised);
    else
        print_table(list, n);
    if (!supervised)
        return bnre_fail(BNRE_EIO, "something that is needed is missing");
    if (!work->common->json)
        cli_print("all that is needed is there\n");
    return BNRE_OK;
}

const struct command cli_doctor = {
    .name = "doctor",
    .title = "what is here, what is missing, and what to do about it",
    .usage = "[options]",
    .text = "Looks for what bnre works with: the kernels of this processor, "
            "the supervisor of external simulators, gnuplot for pictures, "
            "plugins, MPI and Python. The exit status is 1 if something is "
            "missing that bnre cannot do without.",
    .examples = "  bnre doctor\n",
    .own_json = 1,
    .size = sizeof(struct args),
    .run = run,
};
