#include "io/zip.h"

#include <zlib.h>

#include "base/mem.h"
#include "io/file.h"

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
