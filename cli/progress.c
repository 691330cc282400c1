/* The progress of long work, and how it is asked to stop. */
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* A signal handler can reach nothing but a global, and any thread may read it
   while another is interrupted. */
static atomic_int interrupted;
static atomic_llong first_signal; /* when, in milliseconds */

/* timeout(1) and some schedulers send a signal to a process and then to its
   group: it arrives twice, and nobody meant a second one. */
enum { SAME_SIGNAL = 500 };

/* The first signal asks to stop, the second kills. But a lost terminal hangs up
   more than once, as it goes and as the shell goes, and nobody is impatient. */
static void on_signal(int number)
{
    struct timespec time;
    long long ms;

    clock_gettime(CLOCK_MONOTONIC, &time);
    ms = (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
    if (!interrupted) {
        first_signal = ms;
        interrupted = 1;
    } else if (number != SIGHUP && ms - first_signal >= SAME_SIGNAL) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction before;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* Under nohup(1) it is ignored, and shall be. */
    if (sigaction(SIGHUP, NULL, &before) != 0 || before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20)
        return 80;
    return size.ws_col;
}

static void erase_bar(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = 0;
}

/* " 61 %   61,000/100,000   1.2 M/s  ETA 0:03   ", in columns that keep their
   place while the numbers grow. */
static void describe(const struct progress *progress, double time, size_t total,
                     char *out, size_t room)
{
    char done[CLI_NUMBER], all[CLI_NUMBER], rate[CLI_NUMBER] = "";
    char left[CLI_NUMBER] = "";
    double seconds = time - progress->start;
    double fresh = (double)(progress->done - progress->found);
    double share = total > 0 ? (double)progress->done / (double)total : 1;

    cli_count(total, all);
    if (fresh > 0 && seconds > 0) {
        cli_rate(fresh / seconds, rate);
        cli_duration((double)(total - progress->done) * seconds / fresh, left);
    }
    if (progress->bare)
        snprintf(out, room, "%3d %%  %s  %s %-7s", (int)(100 * share),
                 progress->state, left[0] != 0 ? "ETA" : "   ", left);
    else if (progress->state[0] != 0)
        /* What matters less comes last: narrow terminals cut it off. */
        snprintf(out, room, "%3d %%  %8s  %s %-7s  %s", (int)(100 * share),
                 rate, left[0] != 0 ? "ETA" : "   ", left, progress->state);
    else
        snprintf(out, room, "%3d %%  %*s/%s  %8s  %s %-7s", (int)(100 * share),
                 (int)strlen(all), cli_count(progress->done, done), all, rate,
                 left[0] != 0 ? "ETA" : "   ", left);
}

static void draw_bar(struct progress *progress, double time, size_t total)
{
    char text[320];
    size_t width = terminal_width(), fixed = strlen(progress->verb) + 7;

    describe(progress, time, total, text, sizeof text);
    fixed += strlen(text);
    cli_fprint(stderr, "\r\033[K%s  ", progress->verb);
    /* One column stays free: a full line would wrap. */
    if (width > fixed + 8) {
        size_t room = width - fixed < 60 ? width - fixed : 60;
        size_t full = total > 0 ? (size_t)((double)progress->done /
                                           (double)total * (double)room)
                                : room;

        fputc('[', stderr);
        for (size_t i = 0; i < room; i++)
            fputc(i < full ? '#' : '.', stderr);
        fputs("]  ", stderr);
    }
    cli_fprint(stderr, "%.*s", (int)(width - strlen(progress->verb) - 3), text);
    fflush(stderr);
    progress->drawn = 1;
    progress->last = time;
}

static void print_line(struct progress *progress, double time, size_t total)
{
    char text[320];
    size_t length;

    describe(progress, time, total, text, sizeof text);
    for (length = strlen(text); length > 0 && text[length - 1] == ' ';)
        text[--length] = 0;
    cli_fprint(stderr, "%s: %s\n", progress->verb, text + strspn(text, " "));
    progress->last = time;
    progress->wait = progress->wait * 2 < 300 ? progress->wait * 2 : 300;
}

static int on_progress(void *context, size_t done, size_t found, size_t total)
{
    struct progress *progress = context;
    double time = now();

    progress->done = done < total ? done : total;
    progress->found = found < progress->done ? found : progress->done;
    if (progress->quiet)
        return interrupted;
    if (interrupted && !progress->told) {
        erase_bar(progress);
        cli_fprint(stderr,
                   "%s: stopping at the next safe point (again: at once)\n",
                   progress->verb);
        progress->told = 1;
    } else if (progress->terminal && time - progress->last >= 0.1) {
        draw_bar(progress, time, total);
    } else if (!progress->terminal && time - progress->last >= progress->wait) {
        print_line(progress, time, total);
    }
    return interrupted;
}

static void on_note(void *context, const char *text)
{
    struct progress *progress = context;

    if (progress->quiet)
        return;
    erase_bar(progress);
    cli_fprint(stderr, "%s: %s\n", progress->verb, text);
}

static void on_state(void *context, const char *text)
{
    struct progress *progress = context;

    snprintf(progress->state, sizeof progress->state, "%s", text);
}

bnre_monitor cli_progress_start(struct progress *progress, const char *verb,
                                const struct common *common)
{
    bnre_monitor monitor = {on_progress, on_note, progress, on_state};

    catch_signals();
    *progress = (struct progress){.verb = verb,
                                  .quiet = common->quiet,
                                  .terminal = isatty(STDERR_FILENO),
                                  .start = now(),
                                  .wait = 10};
    progress->last = progress->terminal ? 0 : progress->start;
    return monitor;
}

double cli_progress_finish(struct progress *progress)
{
    erase_bar(progress);
    fflush(stderr);
    return now() - progress->start;
}

void cli_note(const struct common *common, const char *fmt, ...)
{
    va_list args;

    if (common->quiet)
        return;
    va_start(args, fmt);
    cli_vfprint(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

static int watch_progress(void *context, size_t done, size_t found,
                          size_t total)
{
    struct watch *watch = context;

    if (watch->bar.progress == NULL)
        watch->bar =
            cli_progress_start(&watch->progress, watch->verb, watch->common);
    return watch->bar.progress(watch->bar.context, done, found, total);
}

static void watch_state(void *context, const char *text)
{
    struct watch *watch = context;

    if (watch->bar.state != NULL)
        watch->bar.state(watch->bar.context, text);
}

static void watch_note(void *context, const char *text)
{
    struct watch *watch = context;

    cli_watch_finish(watch);
    cli_note(watch->common, "%s%s%s", watch->named ? watch->verb : "",
             watch->named ? ": " : "", text);
}

bnre_monitor cli_watch_start(struct watch *watch, const char *verb,
                             const struct common *common)
{
    *watch = (struct watch){.verb = verb, .common = common};
    return (bnre_monitor){watch_progress, watch_note, watch, watch_state};
}

void cli_watch_finish(struct watch *watch)
{
    if (watch->bar.progress != NULL)
        cli_progress_finish(&watch->progress);
}
