/* Numbers for people, and what lies at a path. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

const char *cli_count(size_t n, char out[CLI_NUMBER])
{
    return bnre_readable_count(n, out);
}

int cli_name_width(size_t n, const char *const *name, int least)
{
    for (size_t i = 0; i < n; i++)
        if ((int)strlen(name[i]) > least)
            least = (int)strlen(name[i]);
    return least;
}

/* Three figures and a unit, each a thousand times the one before. */
static const char *scaled(double n, const char *const *unit, size_t units,
                          char out[CLI_NUMBER])
{
    size_t i = 0;

    while (n >= 999.5 && i + 1 < units) {
        n /= 1000;
        i++;
    }
    snprintf(out, CLI_NUMBER, "%.*f %s",
             n < 9.95 && (i > 0 || n != floor(n)) ? 1 : 0, n, unit[i]);
    return out;
}

const char *cli_bytes(double n, char out[CLI_NUMBER])
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};

    return scaled(n, unit, sizeof unit / sizeof *unit, out);
}

const char *cli_rate(double n, char out[CLI_NUMBER])
{
    static const char *const unit[] = {"/s", "k/s", "M/s", "G/s"};

    return scaled(n, unit, sizeof unit / sizeof *unit, out);
}

const char *cli_duration(double s, char out[CLI_NUMBER])
{
    unsigned long all = s < 1e9 ? (unsigned long)(s + 0.5) : 999999999;
    unsigned long minutes = all / 60 % 60, hours = all / 3600 % 24;

    if (all >= 86400)
        snprintf(out, CLI_NUMBER, "%lu d %lu h", all / 86400, hours);
    else if (hours > 0)
        snprintf(out, CLI_NUMBER, "%lu:%02lu:%02lu", hours, minutes, all % 60);
    else
        snprintf(out, CLI_NUMBER, "%lu:%02lu", minutes, all % 60);
    return out;
}

const char *cli_shape(const size_t *shape, size_t ndim, char out[CLI_NUMBER])
{
    size_t used = 0;

    out[0] = 0;
    for (size_t i = 0; i < ndim && used < CLI_NUMBER; i++)
        used += (size_t)snprintf(out + used, CLI_NUMBER - used,
                                 i > 0 ? " x %zu" : "%zu", shape[i]);
    return out;
}

int cli_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}
