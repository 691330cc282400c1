/* zip.c - archives of files, written, listed and unpacked piece by piece.
   Field positions are those of PKWARE's APPNOTE 6.3, sections 4.3.7 to
   4.5.3. */
#include "io/zip.h"

#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "io/file.h"

enum {
    LOCAL = 30,               /* bytes of a local header without its name */
    CENTRAL = 46,             /* of an entry of the directory, likewise */
    END = 22,                 /* of the end record without its comment */
    END64 = 56,               /* of the 64-bit end record */
    LOCATOR = 20,             /* of what points to it, just before the end */
    COMMENT = 65535,          /* longest */
    MAX_DIRECTORY = 16 << 20, /* bytes; numpy.savez needs about 60 a member */
    ENCRYPTED = 1,            /* flag */
    STORED = 0,
    DEFLATED = 8,
};

static uint64_t zip_get(const unsigned char *from, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

void bnre__zip_put(unsigned char *to, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i & 255);
}

struct directory {
    const char *path;
    uint64_t offset, size, count; /* of entries */
    unsigned char *bytes;         /* (size) */
};

static bnre_status fail_archive(const char *path, const char *what)
{
    return bnre_fail(BNRE_EFORMAT, "%s is a damaged archive: %s", path, what);
}

/* Fill in the 64-bit values, for which the end record at `end` has no room. */
static bnre_status locate_64(int fd, uint64_t end, struct directory *dir)
{
    unsigned char locator[LOCATOR], record[END64];
    uint64_t at;

    if (end < LOCATOR + END64)
        return fail_archive(dir->path, "its end is missing");
    BNRE_DO(bnre__file_read_at(fd, dir->path, end - LOCATOR, locator,
                               sizeof locator));
    if (memcmp(locator, "PK\6\7", 4) != 0)
        return BNRE_OK; /* the numbers just happen to be that large */
    at = zip_get(locator + 8, 8);
    if (at > end - LOCATOR - END64)
        return fail_archive(dir->path, "its 64-bit end is outside");
    BNRE_DO(bnre__file_read_at(fd, dir->path, at, record, sizeof record));
    if (memcmp(record, "PK\6\6", 4) != 0)
        return fail_archive(dir->path, "its 64-bit end is missing");
    dir->count = zip_get(record + 32, 8);
    dir->size = zip_get(record + 40, 8);
    dir->offset = zip_get(record + 48, 8);
    return BNRE_OK;
}

/* The end record is the last thing but a comment of unknown length. */
static bnre_status locate(int fd, uint64_t size, struct directory *dir)
{
    bnre_status status = BNRE_OK;
    unsigned char *tail = NULL, *end = NULL;
    size_t n = size < END + COMMENT ? (size_t)size : END + COMMENT;
    uint64_t at;

    if (n < END)
        BNRE_THROW(BNRE_EFORMAT, "%s is not a .npz archive: it has %zu bytes",
                   dir->path, n);
    BNRE_NEW(tail, n);
    BNRE_TRY(bnre__file_read_at(fd, dir->path, size - n, tail, n));
    for (size_t i = n - END + 1; i-- > 0 && end == NULL;)
        if (memcmp(tail + i, "PK\5\6", 4) == 0 &&
            zip_get(tail + i + 20, 2) == n - END - i)
            end = tail + i;
    if (end == NULL)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is not a .npz archive, or not complete: it has no "
                   "directory at its end",
                   dir->path);
    dir->count = zip_get(end + 10, 2);
    dir->size = zip_get(end + 12, 4);
    dir->offset = zip_get(end + 16, 4);
    at = size - n + (uint64_t)(end - tail);
    if (zip_get(end + 4, 4) != 0)
        BNRE_THROW(BNRE_EFORMAT, "%s is part of an archive in several pieces",
                   dir->path);
    if (dir->count == 0xffff || dir->size == 0xffffffff ||
        dir->offset == 0xffffffff)
        BNRE_TRY(locate_64(fd, at, dir));
    if (dir->offset > at || dir->size > at - dir->offset)
        status = fail_archive(dir->path, "its directory is outside");
    else if (dir->size > MAX_DIRECTORY)
        status = fail_archive(dir->path, "its directory is too large");
    else if (dir->count > dir->size / CENTRAL)
        status = fail_archive(dir->path, "its directory has too few bytes");
done:
    bnre__free(tail);
    return status;
}

/* An entry of the directory. */
struct record {
    const char *name;
    size_t length; /* of the name */
    size_t bytes;  /* of the whole entry */
    unsigned flags, method;
    uint64_t local; /* where the member starts, with its local header */
    bnre__zip_entry entry;
};

/* Sizes and offset that do not fit 32 bits stand in the extra field, each only
   if its place in the entry says so. */
static bnre_status read_extra(const char *path, const unsigned char *extra,
                              size_t length, struct record *record)
{
    uint64_t *value[] = {&record->entry.size, &record->entry.packed,
                         &record->local};

    while (length >= 4) {
        size_t id = (size_t)zip_get(extra, 2);
        size_t n = (size_t)zip_get(extra + 2, 2);

        extra += 4;
        length -= 4;
        if (n > length)
            return fail_archive(path, "an extra field is cut");
        for (size_t i = 0; id == 1 && i < 3; i++) {
            if (*value[i] != 0xffffffff)
                continue;
            if (n < 8)
                return fail_archive(path, "a 64-bit size is missing");
            *value[i] = zip_get(extra, 8);
            extra += 8;
            length -= 8;
            n -= 8;
        }
        extra += n;
        length -= n;
    }
    return BNRE_OK;
}

static bnre_status read_record(const struct directory *dir, size_t at,
                               struct record *out)
{
    const unsigned char *from = dir->bytes + at;
    size_t left = (size_t)dir->size - at, extra, comment;

    memset(out, 0, sizeof *out);
    if (left < CENTRAL || memcmp(from, "PK\1\2", 4) != 0)
        return fail_archive(dir->path, "its directory has a bad entry");
    out->flags = (unsigned)zip_get(from + 8, 2);
    out->method = (unsigned)zip_get(from + 10, 2);
    out->entry.crc = (uint32_t)zip_get(from + 16, 4);
    out->entry.packed = zip_get(from + 20, 4);
    out->entry.size = zip_get(from + 24, 4);
    out->length = (size_t)zip_get(from + 28, 2);
    extra = (size_t)zip_get(from + 30, 2);
    comment = (size_t)zip_get(from + 32, 2);
    out->local = zip_get(from + 42, 4);
    out->bytes = CENTRAL + out->length + extra + comment;
    if (out->bytes > left)
        return fail_archive(dir->path, "its directory is cut");
    out->name = (const char *)from + CENTRAL;
    return read_extra(dir->path, from + CENTRAL + out->length, extra, out);
}

static int name_matches(const struct record *record, const char *name)
{
    size_t n = strlen(name), length = record->length;

    if (length == n + 4 && memcmp(record->name + n, ".npy", 4) == 0)
        length = n;
    return length == n && memcmp(record->name, name, n) == 0;
}

/* Follow a record to its member's bytes, which must lie before `limit`. */
static bnre_status read_local(int fd, const char *path, uint64_t limit,
                              struct record *record)
{
    bnre_status status = BNRE_OK;
    bnre__zip_entry *entry = &record->entry;
    unsigned char local[LOCAL];
    char *name = NULL;

    if (record->flags & ENCRYPTED)
        BNRE_THROW(BNRE_EFORMAT, "%s is encrypted: save it without a password",
                   path);
    if (record->method != STORED && record->method != DEFLATED)
        BNRE_THROW(BNRE_EFORMAT,
                   "%s is compressed by method %u, only stored and deflated "
                   "members are read: save it with numpy.savez",
                   path, record->method);
    entry->deflated = record->method == DEFLATED;
    if (!entry->deflated && entry->packed != entry->size)
        return fail_archive(path, "a stored member has two sizes");
    if (record->local > limit || limit - record->local < LOCAL)
        return fail_archive(path, "a member is outside");
    BNRE_TRY(bnre__file_read_at(fd, path, record->local, local, LOCAL));
    if (memcmp(local, "PK\3\4", 4) != 0 ||
        zip_get(local + 8, 2) != record->method ||
        zip_get(local + 26, 2) != record->length)
        return fail_archive(path, "a member differs from the directory");
    entry->offset =
        record->local + LOCAL + record->length + zip_get(local + 28, 2);
    if (entry->offset > limit || entry->packed > limit - entry->offset)
        return fail_archive(path, "a member is outside");
    BNRE_NEW(name, record->length + 1);
    BNRE_TRY(bnre__file_read_at(fd, path, record->local + LOCAL, name,
                                record->length));
    if (memcmp(name, record->name, record->length) != 0)
        status = fail_archive(path, "a member differs from the directory");
done:
    bnre__free(name);
    return status;
}

/* Archives that unpack to far more than they hold use the same bytes twice. */
static bnre_status check_alone(const struct directory *dir,
                               const struct record *own)
{
    uint64_t own_end = own->entry.offset + own->entry.packed;
    struct record other;
    size_t at = 0;

    for (uint64_t i = 0; i < dir->count; i++, at += other.bytes) {
        uint64_t head;

        BNRE_DO(read_record(dir, at, &other));
        head = LOCAL + other.length;
        if (other.name == own->name || other.local >= own_end)
            continue;
        if (other.local >= own->local || own->local - other.local < head ||
            own->local - other.local - head < other.entry.packed)
            return fail_archive(dir->path, "members overlap");
    }
    return BNRE_OK;
}

bnre_status bnre__zip_find(int fd, const char *path, uint64_t size,
                           const char *name, bnre__zip_entry *entry, int *found)
{
    bnre_status status = BNRE_OK;
    struct directory dir = {.path = path};
    struct record record, own = {0};
    size_t at = 0;

    *found = 0;
    BNRE_TRY(locate(fd, size, &dir));
    BNRE_NEW(dir.bytes, (size_t)dir.size);
    BNRE_TRY(
        bnre__file_read_at(fd, path, dir.offset, dir.bytes, (size_t)dir.size));
    for (uint64_t i = 0; i < dir.count; i++, at += record.bytes) {
        BNRE_TRY(read_record(&dir, at, &record));
        if (!name_matches(&record, name))
            continue;
        if (*found)
            BNRE_THROW(BNRE_EFORMAT, "%s has two members called %s", path,
                       name);
        own = record;
        *found = 1;
    }
    if (!*found)
        goto done;
    BNRE_TRY(read_local(fd, path, dir.offset, &own));
    BNRE_TRY(check_alone(&dir, &own));
    *entry = own.entry;
done:
    bnre__free(dir.bytes);
    return status;
}

struct bnre__zip_stream {
    z_stream z;
    int fd, started, ended;
    const char *label;
    bnre__zip_entry entry; /* offset and packed move with what was read */
    uint32_t crc;
    uint64_t produced;
    unsigned char input[1 << 16];
};

static voidpf zip_alloc(voidpf context, uInt items, uInt size)
{
    (void)context;
    return bnre__alloc(items, size);
}

static void zip_free(voidpf context, voidpf address)
{
    (void)context;
    bnre__free(address);
}

bnre_status bnre__zip_open(int fd, const char *label,
                           const bnre__zip_entry *entry, bnre__zip_stream **out)
{
    bnre_status status = BNRE_OK;
    bnre__zip_stream *stream = NULL;

    *out = NULL;
    BNRE_NEW(stream, 1);
    stream->fd = fd;
    stream->label = label;
    stream->entry = *entry;
    stream->z.zalloc = zip_alloc;
    stream->z.zfree = zip_free;
    /* Negative: without zlib's own header and checksum. */
    if (inflateInit2(&stream->z, -MAX_WBITS) != Z_OK)
        BNRE_THROW(BNRE_ENOMEM, "no memory to unpack %s", label);
    stream->started = 1;
    *out = stream;
    stream = NULL;
done:
    bnre__zip_close(stream);
    return status;
}

static bnre_status refill(bnre__zip_stream *stream)
{
    bnre__zip_entry *entry = &stream->entry;
    size_t n = sizeof stream->input;

    if (entry->packed < n)
        n = (size_t)entry->packed;
    if (n == 0)
        return bnre_fail(BNRE_EFORMAT, "%s: its compressed bytes end too early",
                         stream->label);
    BNRE_DO(bnre__file_read_at(stream->fd, stream->label, entry->offset,
                               stream->input, n));
    entry->offset += n;
    entry->packed -= n;
    stream->z.next_in = stream->input;
    stream->z.avail_in = (uInt)n;
    return BNRE_OK;
}

/* Up to `bytes` bytes; fewer only at the end. */
static bnre_status unpack(bnre__zip_stream *stream, unsigned char *data,
                          size_t bytes, size_t *got)
{
    *got = 0;
    while (*got < bytes && !stream->ended) {
        size_t want = bytes - *got;
        size_t n = want < (1u << 30) ? want : (1u << 30);
        int code;

        if (stream->z.avail_in == 0)
            BNRE_DO(refill(stream));
        stream->z.next_out = data + *got;
        stream->z.avail_out = (uInt)n;
        code = inflate(&stream->z, Z_NO_FLUSH);
        n -= stream->z.avail_out;
        stream->crc = bnre__zip_crc(stream->crc, data + *got, n);
        *got += n;
        stream->produced += n;
        stream->ended = code == Z_STREAM_END;
        if (code == Z_MEM_ERROR)
            return bnre_fail(BNRE_ENOMEM, "no memory to unpack %s",
                             stream->label);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return bnre_fail(BNRE_EFORMAT,
                             "%s: its compressed bytes are damaged",
                             stream->label);
    }
    return BNRE_OK;
}

bnre_status bnre__zip_read(bnre__zip_stream *stream, void *data, size_t bytes)
{
    size_t got;

    BNRE_DO(unpack(stream, data, bytes, &got));
    if (got < bytes)
        return bnre_fail(BNRE_EFORMAT,
                         "%s unpacks to %llu bytes, the archive promises %llu",
                         stream->label, (unsigned long long)stream->produced,
                         (unsigned long long)stream->entry.size);
    return BNRE_OK;
}

bnre_status bnre__zip_finish(bnre__zip_stream *stream)
{
    unsigned char more;
    size_t got;

    BNRE_DO(unpack(stream, &more, 1, &got));
    if (got > 0)
        return bnre_fail(BNRE_EFORMAT,
                         "%s unpacks to more than the %llu bytes the archive "
                         "promises",
                         stream->label, (unsigned long long)stream->entry.size);
    return bnre__zip_compare(stream->label, stream->crc, stream->entry.crc);
}

void bnre__zip_close(bnre__zip_stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->started)
        inflateEnd(&stream->z);
    bnre__free(stream);
}

uint32_t bnre__zip_crc(uint32_t crc, const void *data, size_t bytes)
{
    /* zlib starts anew for a NULL, which is what no bytes may come with. */
    return bytes == 0 ? crc : (uint32_t)crc32_z(crc, data, bytes);
}

bnre_status bnre__zip_compare(const char *label, uint32_t crc,
                              uint32_t expected)
{
    if (crc == expected)
        return BNRE_OK;
    return bnre_fail(BNRE_EFORMAT,
                     "%s is damaged: its checksum is %08lx, the archive says "
                     "%08lx",
                     label, (unsigned long)crc, (unsigned long)expected);
}
