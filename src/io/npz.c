/* npz.c - writing .npz archives: the sizes of members are known from their
   shapes, so that only the checksum has to be filled in afterwards. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/npy.h"
#include "io/npy_header.h"
#include "io/zip.h"

enum {
    LOCAL = 30,
    CRC_AT = 14, /* in a local header */
    CENTRAL = 46,
    END64 = 56,
    LOCATOR = 20,
    END = 22,
    WIDE_SIZES = 4 + 16, /* an extra field with two sizes */
    WIDE_ALL = 4 + 24,   /* and an offset */
    VERSION = 20,        /* needed to unpack; with 64-bit fields: */
    VERSION_WIDE = 45,
    UNIX = 3 << 8,
    MIDNIGHT_1980 = 1 << 5 | 1, /* the date; the time is 0 */
    LONGEST_NAME = 1024,
};

struct member {
    char *name; /* with .npy */
    uint64_t offset, size;
    uint32_t crc;
};

struct bnre__npz {
    bnre__file *file;
    struct member *member;
    size_t count, room;
    uint64_t left;      /* bytes of the last member still to come */
    uint64_t wide_from; /* what does not fit the plain fields */
};

bnre_status bnre__npy_write_header(bnre__file *file, char kind, size_t item,
                                   size_t ndim, const size_t *shape)
{
    unsigned char header[BNRE__NPY_MAX_WRITTEN];
    uint64_t values;
    size_t bytes;

    BNRE_DO(bnre__npy_format_header(kind, item, ndim, shape, header, &bytes,
                                    &values));
    return bnre__file_write(file, header, bytes);
}

bnre_status bnre__npz_begin(bnre__file *file, bnre__npz **out)
{
    bnre_status status = BNRE_OK;

    *out = NULL;
    BNRE_NEW(*out, 1);
    (*out)->file = file;
    (*out)->wide_from = 0xffffffff;
done:
    return status;
}

void bnre__npz_wide_from(bnre__npz *npz, uint64_t limit)
{
    npz->wide_from = limit;
}

void bnre__npz_destroy(bnre__npz *npz)
{
    if (npz == NULL)
        return;
    for (size_t i = 0; i < npz->count; i++)
        bnre__free(npz->member[i].name);
    bnre__free(npz->member);
    bnre__free(npz);
}

/* The 32-bit field of a value, which is all ones if it stands elsewhere. */
static uint64_t narrow(const bnre__npz *npz, uint64_t value)
{
    return value >= npz->wide_from ? 0xffffffff : value;
}

/* What local headers and the directory have in common, 26 bytes. */
static void put_common(const bnre__npz *npz, const struct member *member,
                       int wide, unsigned char *to)
{
    bnre__zip_put(to, 2, wide ? VERSION_WIDE : VERSION);
    bnre__zip_put(to + 2, 2, 0); /* flags */
    bnre__zip_put(to + 4, 2, 0); /* stored */
    bnre__zip_put(to + 6, 2, 0);
    bnre__zip_put(to + 8, 2, MIDNIGHT_1980);
    bnre__zip_put(to + 10, 4, member->crc);
    bnre__zip_put(to + 14, 4, narrow(npz, member->size));
    bnre__zip_put(to + 18, 4, narrow(npz, member->size));
    bnre__zip_put(to + 22, 2, strlen(member->name));
}

static bnre_status write_local(bnre__npz *npz, const struct member *member)
{
    unsigned char local[LOCAL] = "PK\3\4", extra[WIDE_SIZES];
    int wide = member->size >= npz->wide_from;
    size_t bytes = wide ? sizeof extra : 0;

    put_common(npz, member, wide, local + 4);
    bnre__zip_put(local + 28, 2, bytes);
    bnre__zip_put(extra, 2, 1);
    bnre__zip_put(extra + 2, 2, 16);
    bnre__zip_put(extra + 4, 8, member->size);
    bnre__zip_put(extra + 12, 8, member->size);
    BNRE_DO(bnre__file_write(npz->file, local, sizeof local));
    BNRE_DO(bnre__file_write(npz->file, member->name, strlen(member->name)));
    return bnre__file_write(npz->file, extra, bytes);
}

/* The last member is complete: put its checksum where it belongs. */
static bnre_status finish_member(bnre__npz *npz)
{
    const struct member *last;
    unsigned char crc[4];

    if (npz->count == 0)
        return BNRE_OK;
    last = &npz->member[npz->count - 1];
    if (npz->left > 0)
        return bnre_fail(BNRE_EINVAL, "%s lacks %llu bytes of its values",
                         last->name, (unsigned long long)npz->left);
    bnre__zip_put(crc, 4, last->crc);
    return bnre__file_write_at(npz->file, last->offset + CRC_AT, crc, 4);
}

static bnre_status add_member(bnre__npz *npz, const char *name,
                              struct member **out)
{
    bnre_status status = BNRE_OK;
    char *full = NULL;

    *out = NULL;
    if (name[0] == 0 || strlen(name) > LONGEST_NAME)
        BNRE_THROW(BNRE_EINVAL, "a member's name has 1 to %d bytes",
                   LONGEST_NAME);
    BNRE_TRY(bnre__text_format(&full, "%s.npy", name));
    for (size_t i = 0; i < npz->count; i++)
        if (strcmp(npz->member[i].name, full) == 0)
            BNRE_THROW(BNRE_EINVAL, "two members are called %s", name);
    BNRE_GROW(npz->member, npz->room, npz->count + 1);
    *out = &npz->member[npz->count++];
    (*out)->name = full;
    full = NULL;
done:
    bnre__free(full);
    return status;
}

bnre_status bnre__npz_member(bnre__npz *npz, const char *name, char kind,
                             size_t item, size_t ndim, const size_t *shape)
{
    unsigned char header[BNRE__NPY_MAX_WRITTEN];
    struct member *member;
    uint64_t values;
    size_t bytes;

    BNRE_DO(bnre__npy_format_header(kind, item, ndim, shape, header, &bytes,
                                    &values));
    BNRE_DO(finish_member(npz));
    BNRE_DO(add_member(npz, name, &member));
    member->offset = bnre__file_offset(npz->file);
    member->size = bytes + values;
    npz->left = member->size;
    BNRE_DO(write_local(npz, member));
    return bnre__npz_write(npz, header, bytes);
}

bnre_status bnre__npz_write(bnre__npz *npz, const void *data, size_t bytes)
{
    struct member *last;

    if (npz->count == 0)
        return bnre_fail(BNRE_EINVAL, "values without a member");
    last = &npz->member[npz->count - 1];
    if (bytes > npz->left)
        return bnre_fail(BNRE_EINVAL, "%s has more values than its shape",
                         last->name);
    BNRE_DO(bnre__file_write(npz->file, data, bytes));
    last->crc = bnre__zip_crc(last->crc, data, bytes);
    npz->left -= bytes;
    return BNRE_OK;
}

static bnre_status write_central(bnre__npz *npz, const struct member *member)
{
    unsigned char central[CENTRAL] = "PK\1\2", extra[WIDE_ALL];
    size_t bytes = 4;

    bnre__zip_put(extra, 2, 1);
    if (member->size >= npz->wide_from) {
        bnre__zip_put(extra + 4, 8, member->size);
        bnre__zip_put(extra + 12, 8, member->size);
        bytes += 16;
    }
    if (member->offset >= npz->wide_from) {
        bnre__zip_put(extra + bytes, 8, member->offset);
        bytes += 8;
    }
    bnre__zip_put(extra + 2, 2, bytes - 4);
    if (bytes == 4)
        bytes = 0;
    put_common(npz, member, bytes > 0, central + 6);
    bnre__zip_put(central + 4, 2, UNIX | VERSION_WIDE);
    bnre__zip_put(central + 30, 2, bytes);
    bnre__zip_put(central + 38, 4, (uint64_t)0100644 << 16); /* rw-r--r-- */
    bnre__zip_put(central + 42, 4, narrow(npz, member->offset));
    BNRE_DO(bnre__file_write(npz->file, central, sizeof central));
    BNRE_DO(bnre__file_write(npz->file, member->name, strlen(member->name)));
    return bnre__file_write(npz->file, extra, bytes);
}

static bnre_status write_end_64(bnre__npz *npz, uint64_t start, uint64_t size)
{
    unsigned char end[END64] = "PK\6\6", locator[LOCATOR] = "PK\6\7";

    bnre__zip_put(end + 4, 8, END64 - 12); /* bytes after this field */
    bnre__zip_put(end + 12, 2, UNIX | VERSION_WIDE);
    bnre__zip_put(end + 14, 2, VERSION_WIDE);
    bnre__zip_put(end + 24, 8, npz->count);
    bnre__zip_put(end + 32, 8, npz->count);
    bnre__zip_put(end + 40, 8, size);
    bnre__zip_put(end + 48, 8, start);
    bnre__zip_put(locator + 8, 8, start + size);
    bnre__zip_put(locator + 16, 4, 1); /* disks */
    BNRE_DO(bnre__file_write(npz->file, end, sizeof end));
    return bnre__file_write(npz->file, locator, sizeof locator);
}

bnre_status bnre__npz_end(bnre__npz *npz)
{
    unsigned char end[END] = "PK\5\6";
    uint64_t start = bnre__file_offset(npz->file), size, count = npz->count;

    BNRE_DO(finish_member(npz));
    for (size_t i = 0; i < npz->count; i++)
        BNRE_DO(write_central(npz, &npz->member[i]));
    size = bnre__file_offset(npz->file) - start;
    if (start >= npz->wide_from || size >= npz->wide_from || count >= 0xffff) {
        BNRE_DO(write_end_64(npz, start, size));
        count = count >= npz->wide_from || count >= 0xffff ? 0xffff : count;
    }
    bnre__zip_put(end + 8, 2, count);
    bnre__zip_put(end + 10, 2, count);
    bnre__zip_put(end + 12, 4, narrow(npz, size));
    bnre__zip_put(end + 16, 4, narrow(npz, start));
    return bnre__file_write(npz->file, end, sizeof end);
}
