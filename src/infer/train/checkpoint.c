/* checkpoint.c - where the training of a member stands, in a file. */
#include "infer/train/checkpoint.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "bnre/pool.h"
#include "bnre/train.h"
#include "io/file.h"

enum { VERSION = 1, MOST_IDENTITY = 1 << 24, MOST_EPOCHS = 1 << 20 };

static const char magic[8] = {'b', 'n', 'r', 'e', '.', 't', 'r', 'n'};

struct head {
    char magic[8];
    uint32_t version, state_bytes;
    uint64_t identity; /* bytes that follow */
    uint64_t weights, buffers, epochs;
};

/* A part of the file: where its bytes are in memory. */
struct part {
    void *data;
    size_t bytes;
};

enum { PARTS = 9 };

static size_t row_bytes(const bnre__checkpoint *c)
{
    return c->history->columns * sizeof *c->history->value;
}

/* What follows the identity. */
static void list_parts(const bnre__checkpoint *c, struct part part[PARTS])
{
    const size_t w = c->weights * sizeof(float);
    const size_t b = c->buffers * sizeof(float);
    const struct part list[PARTS] = {
        {c->state, sizeof *c->state},
        {c->now, w},
        {c->now_buffers, b},
        {c->best, w},
        {c->best_buffers, b},
        {c->first, w},
        {c->second, w},
        {c->history->value, c->history->epochs * row_bytes(c)},
        {c->factor, c->factors * sizeof *c->factor},
    };

    memcpy(part, list, sizeof list);
}

static bnre_status write_part(bnre__file *file, bnre__hash *hash,
                              const void *data, size_t bytes)
{
    if (bytes == 0)
        return BNRE_OK;
    bnre__hash_add(hash, data, bytes);
    return bnre__file_write(file, data, bytes);
}

bnre_status bnre__checkpoint_save(const char *path, const char *identity,
                                  const bnre__checkpoint *checkpoint)
{
    bnre_status status = BNRE_OK;
    struct head head = {.version = VERSION,
                        .state_bytes = sizeof *checkpoint->state,
                        .identity = strlen(identity),
                        .weights = checkpoint->weights,
                        .buffers = checkpoint->buffers,
                        .epochs = checkpoint->history->epochs};
    struct part part[PARTS];
    bnre__file *file = NULL;
    bnre__hash hash;
    uint64_t sum;

    memcpy(head.magic, magic, sizeof magic);
    bnre__hash_init(&hash, 0, 0, 0);
    BNRE_TRY(bnre__file_create(path, &file));
    BNRE_TRY(write_part(file, &hash, &head, sizeof head));
    BNRE_TRY(write_part(file, &hash, identity, strlen(identity)));
    list_parts(checkpoint, part);
    for (size_t i = 0; i < PARTS; i++)
        BNRE_TRY(write_part(file, &hash, part[i].data, part[i].bytes));
    bnre__hash_end(&hash, &sum);
    BNRE_TRY(bnre__file_write(file, &sum, sizeof sum));
done:
    return bnre__file_end(file, status);
}

/* No checkpoint of such a member is larger. */
static size_t largest(const bnre__checkpoint *c)
{
    return sizeof(struct head) + MOST_IDENTITY + sizeof *c->state +
           (4 * c->weights + 2 * c->buffers) * sizeof(float) +
           MOST_EPOCHS * row_bytes(c) + c->factors * sizeof *c->factor +
           sizeof(uint64_t);
}

bnre_status bnre__checkpoint_fail_damaged(const char *path)
{
    return bnre_fail(BNRE_EEXIST,
                     "%s is no checkpoint, or damaged: use `force` to begin "
                     "anew, or another `output`",
                     path);
}

/* Half a training by kernels that round otherwise would be neither. */
static bnre_status fail_kernels(const char *path, const char *theirs)
{
    const int n = (int)strcspn(theirs, "\n");

    return bnre_fail(
        BNRE_EEXIST,
        "%s was begun with kernels that round otherwise (%.*s; "
        "here: %s): set the environment variable BNRE_KERNELS=%.*s "
        "to go on with them, on a machine that has them, or use "
        "`force` to begin anew",
        path, n, theirs, bnre_kernels_rounding(), n, theirs);
}

bnre_status bnre__checkpoint_fail_other(const char *path, const char *verb,
                                        const char *theirs, const char *ours)
{
    static const char kernels[] = "kernels: ";
    const size_t length = sizeof kernels - 1;

    for (;;) {
        const size_t n = strcspn(theirs, "\n"), m = strcspn(ours, "\n");

        if (strncmp(theirs, kernels, length) == 0 &&
            strncmp(ours, kernels, length) == 0 &&
            (n != m || strncmp(theirs, ours, n) != 0))
            return fail_kernels(path, theirs + length);

        if (n != m || strncmp(theirs, ours, n) != 0 || theirs[n] == 0 ||
            ours[m] == 0)
            return bnre_fail(BNRE_EEXIST,
                             "%s was %s with other settings or data (\"%.*s\" "
                             "there, \"%.*s\" asked for): use `force` to begin "
                             "anew, or another `output`",
                             path, verb, (int)(n < 100 ? n : 100), theirs,
                             (int)(m < 100 ? m : 100), ours);
        theirs += n + 1;
        ours += m + 1;
    }
}

/* Whether these bytes are a whole checkpoint; its identity, copied. */
static bnre_status check(const char *path, const char *bytes, size_t size,
                         struct head *head, char **identity)
{
    uint64_t sum;

    if (size < sizeof *head + sizeof sum)
        return bnre__checkpoint_fail_damaged(path);
    memcpy(head, bytes, sizeof *head);
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    if (memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->version != VERSION || head->identity > MOST_IDENTITY ||
        head->identity > size - sizeof *head - sizeof sum ||
        sum != bnre__hash_bytes(bytes, size - sizeof sum))
        return bnre__checkpoint_fail_damaged(path);
    return bnre__text_format(identity, "%.*s", (int)head->identity,
                             bytes + sizeof *head);
}

/* The checksum is no proof of good will: indices are looked at, too. */
static int is_possible(const bnre__train_state *state)
{
    return state->epoch > 0 && state->pass < BNRE__PASSES &&
           state->best_epoch <= state->epoch && state->stop <= BNRE_STOP_TIME;
}

static bnre_status take(const char *path, const struct head *head,
                        const char *bytes, size_t size,
                        bnre__checkpoint *checkpoint)
{
    bnre_status status = BNRE_OK;
    bnre__history *history = checkpoint->history;
    struct part part[PARTS];
    size_t need = 0;

    if (head->state_bytes != sizeof *checkpoint->state ||
        head->weights != checkpoint->weights ||
        head->buffers != checkpoint->buffers || head->epochs > MOST_EPOCHS)
        return bnre__checkpoint_fail_damaged(path);
    BNRE_GROW(history->value, history->room,
              ((size_t)head->epochs + 1) * history->columns);
    history->epochs = (size_t)head->epochs;
    list_parts(checkpoint, part);
    for (size_t i = 0; i < PARTS; i++)
        need += part[i].bytes;
    if (need != size)
        return bnre__checkpoint_fail_damaged(path);
    for (size_t i = 0; i < PARTS; bytes += part[i++].bytes)
        if (part[i].bytes > 0)
            memcpy(part[i].data, bytes, part[i].bytes);
    if (!is_possible(checkpoint->state))
        return bnre__checkpoint_fail_damaged(path);
done:
    return status;
}

/* The same but for the version of the program: what an earlier one began goes
   on. */
static int same_training(const char *one, const char *other)
{
    const char *a = strstr(one, "\nversion: "),
               *b = strstr(other, "\nversion: ");

    if (a == NULL || b == NULL)
        return strcmp(one, other) == 0;
    return a - one == b - other && memcmp(one, other, (size_t)(a - one)) == 0 &&
           strcmp(a + 1 + strcspn(a + 1, "\n"), b + 1 + strcspn(b + 1, "\n")) ==
               0;
}

bnre_status bnre__checkpoint_load(const char *path, const char *identity,
                                  bnre__checkpoint *checkpoint, int *found)
{
    bnre_status status = BNRE_OK;
    char *bytes = NULL, *theirs = NULL;
    struct head head;
    size_t size, before;

    *found = 0;
    if (!bnre__file_exists(path))
        return BNRE_OK;
    status = bnre__file_read_all(path, largest(checkpoint), &bytes, &size);
    if (status == BNRE_EFORMAT)
        status = bnre__checkpoint_fail_damaged(path);
    BNRE_TRY(status);
    BNRE_TRY(check(path, bytes, size, &head, &theirs));
    if (!same_training(theirs, identity))
        BNRE_TRY(bnre__checkpoint_fail_other(path, "begun", theirs, identity));
    before = sizeof head + (size_t)head.identity;
    BNRE_TRY(take(path, &head, bytes + before, size - before - sizeof(uint64_t),
                  checkpoint));
    *found = 1;
done:
    bnre__free(theirs);
    bnre__free(bytes);
    return status;
}
