/* journal.c - rows kept in an append-only file while they are being made. */
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "io/file.h"
#include "io/temporary.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files hold little-endian values");

enum {
    VERSION = 1,
    FRESH = 1, /* flag */
    MAX_PARTS = 8,
    TEXT_LIMIT = 16 << 20,
    SYNC_BYTES = 64 << 20,
    BUFFER = 1 << 18
};

static const char magic[8] = {'b', 'n', 'r', 'e', '.', 'r', 'o', 'w'};

struct head {
    char magic[8];
    uint32_t version, flags;
    uint64_t length;   /* of the identity that follows */
    uint64_t checksum; /* of the above and the identity */
};

struct record_head {
    uint64_t first, n, bytes;
    uint64_t checksum;      /* of the payload that follows */
    uint64_t head_checksum; /* of the above, and of the journal's head */
};

struct bnre__journal {
    char *path;
    int fd;
    struct head head;
    pthread_mutex_t lock; /* of all that follows */
    uint64_t end;         /* of the last whole record */
    uint64_t unsynced;
    int broken; /* part of a record is there and cannot be removed */
    bnre__journal_record *record;
    size_t records, room;
    int sorted;
};

static uint64_t sum_head(const struct head *head, const char *identity)
{
    bnre__hash hash;
    uint64_t sum;

    bnre__hash_init(&hash, 0, 0, 0);
    bnre__hash_add(&hash, head, offsetof(struct head, checksum));
    bnre__hash_add(&hash, identity, (size_t)head->length);
    bnre__hash_end(&hash, &sum);
    return sum;
}

/* Keyed by the journal, so that remains of another are never taken for its. */
static uint64_t sum_record(const struct head *head,
                           const struct record_head *record)
{
    bnre__hash hash;
    uint64_t sum;

    bnre__hash_init(&hash, head->checksum, 1, 0);
    bnre__hash_add(&hash, record, offsetof(struct record_head, head_checksum));
    bnre__hash_end(&hash, &sum);
    return sum;
}

static bnre_status write_parts(const bnre__journal *journal,
                               struct iovec *parts, size_t count)
{
    while (count > 0) {
        ssize_t n = writev(journal->fd, parts, (int)count);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return bnre__file_fail(journal->path, "write", errno);
        for (; count > 0 && (size_t)n >= parts->iov_len; parts++, count--)
            n -= (ssize_t)parts->iov_len;
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + n;
            parts->iov_len -= (size_t)n;
        }
    }
    return BNRE_OK;
}

/* Forget all after `end`; 0 or -1 with errno. */
static int end_at(bnre__journal *journal, uint64_t end)
{
    journal->end = end;
    if (ftruncate(journal->fd, (off_t)end) != 0)
        return -1;
    return lseek(journal->fd, (off_t)end, SEEK_SET) < 0 ? -1 : 0;
}

static bnre_status start(bnre__journal *journal, const char *identity,
                         int fresh)
{
    struct head *head = &journal->head;
    struct iovec parts[2] = {{head, sizeof *head}, {NULL, strlen(identity)}};

    parts[1].iov_base = (char *)(uintptr_t)identity; /* only read */
    *head = (struct head){.version = VERSION,
                          .flags = fresh ? FRESH : 0,
                          .length = strlen(identity)};
    memcpy(head->magic, magic, sizeof magic);
    head->checksum = sum_head(head, identity);
    if (end_at(journal, 0) != 0) {
        return bnre__file_fail(journal->path, "write", errno);
    }
    BNRE_DO(write_parts(journal, parts, 2));
    journal->end = sizeof *head + strlen(identity);
    return bnre__journal_sync(journal);
}

/* Whether the file ends within its head: it was being started, and holds no
   rows. */
static int is_torn_head(const struct head *head, size_t got, uint64_t size)
{
    static const char zeros[sizeof magic];

    if (got < sizeof magic)
        return memcmp(head->magic, magic, got) == 0;
    if (memcmp(head->magic, zeros, sizeof zeros) == 0)
        return size < TEXT_LIMIT; /* its bytes never reached the disk */
    return memcmp(head->magic, magic, sizeof magic) == 0 &&
           (got < sizeof *head || head->length > size - sizeof *head);
}

/* Read the head of what is there; *torn if there is none to speak of. */
static bnre_status read_head(bnre__journal *journal, uint64_t size,
                             char **identity, int *torn)
{
    bnre_status status = BNRE_OK;
    struct head *head = &journal->head;
    size_t got = size < sizeof *head ? (size_t)size : sizeof *head;

    *head = (struct head){.version = 0};
    BNRE_TRY(bnre__file_read_at(journal->fd, journal->path, 0, head, got));
    *torn = is_torn_head(head, got, size);
    if (*torn)
        goto done;
    if (memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->version != VERSION || head->length > TEXT_LIMIT)
        BNRE_THROW(BNRE_EEXIST,
                   "%s is in the way: it is not a file of rows "
                   "that this version has begun",
                   journal->path);
    BNRE_NEW(*identity, (size_t)head->length + 1);
    BNRE_TRY(bnre__file_read_at(journal->fd, journal->path, sizeof *head,
                                *identity, (size_t)head->length));
    if (sum_head(head, *identity) != head->checksum)
        BNRE_THROW(BNRE_EEXIST, "%s is damaged", journal->path);
    journal->end = sizeof *head + head->length;
done:
    return status;
}

static bnre_status sum_payload(const bnre__journal *journal, uint64_t offset,
                               uint64_t bytes, char *buffer, uint64_t *sum)
{
    bnre__hash hash;

    bnre__hash_init(&hash, 0, 0, 0);
    while (bytes > 0) {
        size_t n = bytes < BUFFER ? (size_t)bytes : BUFFER;

        BNRE_DO(
            bnre__file_read_at(journal->fd, journal->path, offset, buffer, n));
        bnre__hash_add(&hash, buffer, n);
        offset += n;
        bytes -= n;
    }
    bnre__hash_end(&hash, sum);
    return BNRE_OK;
}

static bnre_status index_record(bnre__journal *journal,
                                const struct record_head *head, uint64_t offset)
{
    bnre_status status = BNRE_OK;

    BNRE_GROW(journal->record, journal->room, journal->records + 1);
    journal->record[journal->records++] =
        (bnre__journal_record){.first = head->first,
                               .n = head->n,
                               .offset = offset,
                               .bytes = head->bytes};
    journal->sorted = 0;
done:
    return status;
}

/* Find the records; cut off what comes after the last whole one. A record with
   a good head and a damaged payload is passed over. Reads the file once, and
   keeps 32 bytes for each record. */
static bnre_status scan(bnre__journal *journal, uint64_t size)
{
    bnre_status status = BNRE_OK;
    struct record_head head;
    char *buffer = NULL;

    BNRE_NEW(buffer, BUFFER);
    while (size - journal->end >= sizeof head) {
        uint64_t offset = journal->end + sizeof head, sum;

        BNRE_TRY(bnre__file_read_at(journal->fd, journal->path, journal->end,
                                    &head, sizeof head));
        if (sum_record(&journal->head, &head) != head.head_checksum ||
            head.bytes > size - offset)
            break;
        BNRE_TRY(sum_payload(journal, offset, head.bytes, buffer, &sum));
        if (sum == head.checksum)
            BNRE_TRY(index_record(journal, &head, offset));
        journal->end = offset + head.bytes;
    }
    if (end_at(journal, journal->end) != 0)
        status = bnre__file_fail(journal->path, "write", errno);
done:
    bnre__free(buffer);
    return status;
}

/* Open and lock. The file may have been removed between the two by the process
   that had it before. */
static bnre_status open_locked(bnre__journal *journal, uint64_t *size)
{
    struct stat mine, there;

    for (;;) {
        journal->fd =
            open(journal->path,
                 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (journal->fd < 0 || fstat(journal->fd, &mine) != 0)
            return bnre__file_fail(journal->path, "write", errno);
        if (!S_ISREG(mine.st_mode))
            return bnre_fail(BNRE_EIO, "cannot write %s: it is no regular file",
                             journal->path);
        if (!bnre__lock_now(journal->fd))
            return bnre_fail(BNRE_EIO,
                             "%s is being written by another process: wait for "
                             "it, or choose another `output`",
                             journal->path);
        if (stat(journal->path, &there) == 0 && there.st_ino == mine.st_ino &&
            there.st_dev == mine.st_dev && fstat(journal->fd, &mine) == 0) {
            *size = (uint64_t)mine.st_size;
            return BNRE_OK;
        }
        close(journal->fd);
    }
}

bnre_status bnre__journal_open(const char *path, const char *identity,
                               int fresh, char **other, bnre__journal **out)
{
    bnre_status status = BNRE_OK;
    bnre__journal *journal = NULL;
    char *found = NULL;
    uint64_t size = 0;
    int torn = 1;

    *out = NULL;
    *other = NULL;
    if (strlen(identity) > TEXT_LIMIT)
        return bnre_fail(BNRE_EINVAL, "%s: the task is too long to be written",
                         path);
    BNRE_NEW(journal, 1);
    journal->fd = -1;
    pthread_mutex_init(&journal->lock, NULL);
    BNRE_TRY(bnre__strdup(path, &journal->path));
    BNRE_TRY(open_locked(journal, &size));
    if (!fresh && size > 0)
        BNRE_TRY(read_head(journal, size, &found, &torn));
    if (torn) {
        BNRE_TRY(start(journal, identity, fresh));
    } else if (found == NULL || strcmp(found, identity) != 0) {
        *other = found;
        found = NULL;
        BNRE_THROW(BNRE_EEXIST, "%s holds rows of other settings", path);
    } else {
        BNRE_TRY(scan(journal, size));
    }
    *out = journal;
    journal = NULL;
done:
    bnre__free(found);
    bnre__journal_close(journal);
    return status;
}

void bnre__journal_close(bnre__journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    pthread_mutex_destroy(&journal->lock);
    bnre__free(journal->record);
    bnre__free(journal->path);
    bnre__free(journal);
}

bnre_status bnre__journal_remove(bnre__journal *journal)
{
    /* While it is still locked. */
    bnre_status status = bnre__file_remove(journal->path);

    bnre__journal_close(journal);
    return status;
}

int bnre__journal_fresh(const bnre__journal *journal)
{
    return (journal->head.flags & FRESH) != 0;
}

/* With the lock held. */
static bnre_status append(bnre__journal *journal, struct record_head *head,
                          struct iovec *parts, size_t count)
{
    bnre_status status = BNRE_OK;
    uint64_t offset = journal->end + sizeof *head;

    BNRE_GROW(journal->record, journal->room, journal->records + 1);
    if (journal->broken)
        BNRE_THROW(BNRE_EIO, "an earlier write to %s failed", journal->path);
    status = write_parts(journal, parts, count);
    if (status != BNRE_OK) {
        journal->broken = end_at(journal, journal->end) != 0;
        goto done;
    }
    BNRE_TRY(index_record(journal, head, offset)); /* has room */
    journal->end = offset + head->bytes;
    journal->unsynced += sizeof *head + head->bytes;
    if (journal->unsynced >= SYNC_BYTES)
        BNRE_TRY(bnre__journal_sync(journal));
done:
    return status;
}

bnre_status bnre__journal_append(bnre__journal *journal, uint64_t first,
                                 uint64_t n, const struct iovec *parts,
                                 size_t count)
{
    bnre_status status;
    struct record_head head = {.first = first, .n = n};
    struct iovec all[MAX_PARTS + 1] = {{&head, sizeof head}};
    bnre__hash hash;

    if (count > MAX_PARTS)
        return bnre_fail(BNRE_EINVAL, "%s: a record of %zu parts",
                         journal->path, count);
    bnre__hash_init(&hash, 0, 0, 0);
    for (size_t i = 0; i < count; i++) {
        all[i + 1] = parts[i];
        head.bytes += parts[i].iov_len;
        bnre__hash_add(&hash, parts[i].iov_base, parts[i].iov_len);
    }
    bnre__hash_end(&hash, &head.checksum);
    head.head_checksum = sum_record(&journal->head, &head);
    pthread_mutex_lock(&journal->lock);
    status = append(journal, &head, all, count + 1);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

bnre_status bnre__journal_sync(bnre__journal *journal)
{
    if (fdatasync(journal->fd) != 0 && errno != EINVAL && errno != ENOSYS &&
        errno != ENOTSUP)
        return bnre__file_fail(journal->path, "write", errno);
    journal->unsynced = 0;
    return BNRE_OK;
}

bnre_status bnre__journal_clear(bnre__journal *journal)
{
    bnre_status status = BNRE_OK;

    pthread_mutex_lock(&journal->lock);
    journal->records = 0;
    if (end_at(journal, sizeof journal->head + journal->head.length) != 0)
        status = bnre__file_fail(journal->path, "write", errno);
    pthread_mutex_unlock(&journal->lock);
    return status == BNRE_OK ? bnre__journal_sync(journal) : status;
}

static int by_first_row(const void *a, const void *b)
{
    const bnre__journal_record *r = a, *s = b;

    return r->first != s->first
               ? (r->first > s->first ? 1 : -1)
               : (r->offset > s->offset) - (r->offset < s->offset);
}

const bnre__journal_record *bnre__journal_records(bnre__journal *journal,
                                                  size_t *n)
{
    if (!journal->sorted && journal->records > 0)
        qsort(journal->record, journal->records, sizeof *journal->record,
              by_first_row);
    journal->sorted = 1;
    *n = journal->records;
    return journal->record;
}

bnre_status bnre__journal_read(const bnre__journal *journal,
                               const bnre__journal_record *record,
                               uint64_t offset, size_t bytes, void *out)
{
    if (offset > record->bytes || bytes > record->bytes - offset)
        return bnre_fail(BNRE_EFORMAT, "%s has a record that is too short",
                         journal->path);
    return bnre__file_read_at(journal->fd, journal->path,
                              record->offset + offset, out, bytes);
}
