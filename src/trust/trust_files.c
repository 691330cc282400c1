/* The files of a training that chooses: who may write them, and the history. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "task/external/remove_tree.h"
#include "trust/trust.h"

static bnre_status name_history(const bnre__trust_run *run, char **out)
{
    bnre_status status = BNRE_OK;
    char *stem = NULL;

    if (run->train->history != NULL)
        return bnre__strdup(run->train->history, out);
    BNRE_TRY(bnre__trust_stem(run->path, &stem));
    BNRE_TRY(bnre__text_format(out, "%s.history.csv", stem));
done:
    bnre__free(stem);
    return status;
}

/* Inputs stay what they are. */
static bnre_status refuse_inputs(const bnre__trust_run *run,
                                 const char *history)
{
    const bnre_train_opts *train = run->train;
    const char *const output[] = {run->path, history};
    const char *const input[] = {train->data,         train->validation,
                                 train->schedule,     train->network,
                                 run->opts->select,   run->opts->certify,
                                 run->opts->calibrate};

    for (size_t k = 0; k < sizeof output / sizeof *output; k++)
        for (size_t i = 0; i < sizeof input / sizeof *input; i++)
            BNRE_DO(bnre__refuse_input(output[k], input[i]));
    if (bnre__same_file(run->path, history) || strcmp(run->path, history) == 0)
        return bnre_fail(BNRE_EUSAGE,
                         "%s cannot be both the estimator and its history",
                         run->path);
    return BNRE_OK;
}

/* The history, and the picture that the program draws beside the estimator: of
   somebody else, unless this was begun before and interrupted. */
static bnre_status refuse_existing(bnre__trust_run *run, const char *history)
{
    static const char *const picture[] = {"gp", "dat", "svg", "pdf", "png"};
    bnre_status status = BNRE_OK;
    char *stem = NULL, *path = NULL;
    int begun;

    BNRE_TRY(bnre__trust_begun(run, &begun));
    if (run->train->force || begun)
        goto done;
    BNRE_TRY(bnre__refuse_existing(history, 0));
    BNRE_TRY(bnre__trust_stem(run->path, &stem));
    for (size_t i = 0; i < sizeof picture / sizeof *picture; i++) {
        bnre__free(path);
        path = NULL;
        BNRE_TRY(bnre__text_format(&path, "%s-trust.%s", stem, picture[i]));
        BNRE_TRY(bnre__refuse_existing(path, 0));
    }
done:
    bnre__free(path);
    bnre__free(stem);
    return status;
}

/* The directory of the steps is ours: not somebody else's through a link. */
static bnre_status refuse_link(const bnre__trust_run *run)
{
    bnre_status status = BNRE_OK;
    char *steps = NULL;
    struct stat info;

    BNRE_TRY(bnre__text_format(&steps, "%s" BNRE__TRUST_STEPS, run->path));
    if (lstat(steps, &info) == 0 && !S_ISDIR(info.st_mode))
        BNRE_THROW(BNRE_EIO,
                   "cannot write %s: %s is in the way and no directory: remove "
                   "it",
                   run->path, steps);
done:
    bnre__free(steps);
    return status;
}

bnre_status bnre__trust_claim(bnre__trust_run *run, int there,
                              bnre__writer_lock **lock)
{
    bnre_status status = BNRE_OK;
    char *history = NULL;

    BNRE_TRY(name_history(run, &history));
    BNRE_TRY(refuse_inputs(run, history));
    if (there) /* it is only looked at */
        goto done;
    BNRE_TRY(bnre__writer_lock_take(run->path, lock));
    BNRE_TRY(refuse_existing(run, history));
    BNRE_TRY(refuse_link(run));
    BNRE_TRY(bnre__file_check_writable(run->path));
    BNRE_TRY(bnre__file_check_writable(history));
done:
    bnre__free(history);
    return status;
}

bnre_status bnre__trust_copy_history(const bnre__trust_run *run,
                                     const char *from)
{
    enum { LARGEST = 1 << 28 };
    bnre_status status = BNRE_OK;
    char *to = NULL, *source = NULL, *text = NULL;
    size_t bytes;

    BNRE_TRY(bnre__text_format(&source, "%s.csv", from));
    BNRE_TRY(name_history(run, &to));
    BNRE_TRY(bnre__file_read_all(source, LARGEST, &text, &bytes));
    status = bnre__file_put(to, text, bytes);
done:
    bnre__free(text);
    bnre__free(source);
    bnre__free(to);
    return status;
}

/* ---- what is not kept ---- */

int bnre__trust_keeps(const bnre__trust_run *run)
{
    return run->opts->keep && !run->cross; /* else there is nothing but one */
}

static bnre_status remove_steps(const char *steps)
{
    if (bnre__remove_tree(steps) != 0)
        return bnre__file_fail(steps, "remove", errno);
    return BNRE_OK;
}

bnre_status bnre__trust_forget(const bnre__trust_run *run)
{
    bnre_status status = BNRE_OK;
    char *steps = NULL;

    BNRE_TRY(bnre__text_format(&steps, "%s" BNRE__TRUST_STEPS, run->path));
    BNRE_TRY(remove_steps(steps));
done:
    bnre__free(steps);
    return status;
}

void bnre__trust_leave(const bnre__trust_run *run)
{
    char *steps = NULL;

    if (bnre__text_format(&steps, "%s" BNRE__TRUST_STEPS, run->path) == BNRE_OK)
        rmdir(steps);
    bnre__free(steps);
}

bnre_status bnre__trust_forget_earlier(const bnre__trust_run *run)
{
    bnre_status status = BNRE_OK;
    bnre__writer_lock *lock = NULL;
    char *steps = NULL;

    BNRE_TRY(bnre__text_format(&steps, "%s" BNRE__TRUST_STEPS, run->path));
    /* Those of a writer who is at work, or where nobody may write, stay. */
    if (bnre__file_exists(steps) &&
        bnre__writer_lock_take(run->path, &lock) == BNRE_OK)
        BNRE_TRY(remove_steps(steps));
done:
    bnre__writer_lock_release(lock);
    bnre__free(steps);
    return status;
}
