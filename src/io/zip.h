/* zip.h - members of zip archives: where they are, and unpacking them.

   Sizes and offsets of an archive are claims. Nothing is allocated by them, and
   what is found must fit them. */
#ifndef BNRE_IO_ZIP_H
#define BNRE_IO_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "bnre/status.h"

typedef struct bnre__zip_entry {
    int deflated;    /* or stored */
    uint32_t crc;    /* of the unpacked bytes */
    uint64_t offset; /* of the member's bytes in the archive */
    uint64_t packed; /* how many there are; within the archive */
    uint64_t size;   /* unpacked; equal to packed if stored */
} bnre__zip_entry;

/* Look for the member `name` or `name`.npy in the archive open as `fd`, of
   `size` bytes. *found is 0 when there is none. Errors: EIO; EFORMAT for
   anything but a sound archive, for two members of that name, and for members
   that share bytes with others; ENOMEM. */
BNRE_MUST_CHECK bnre_status bnre__zip_find(int fd, const char *path,
                                           uint64_t size, const char *name,
                                           bnre__zip_entry *entry, int *found);

/* The unpacked bytes of a deflated member, in order. `label` is what messages
   call it; it and `fd` are borrowed until close. */
typedef struct bnre__zip_stream bnre__zip_stream;
BNRE_MUST_CHECK bnre_status bnre__zip_open(int fd, const char *label,
                                           const bnre__zip_entry *entry,
                                           bnre__zip_stream **out);
/* Exactly these many. Errors: EIO; EFORMAT when there are fewer. */
BNRE_MUST_CHECK bnre_status bnre__zip_read(bnre__zip_stream *stream, void *data,
                                           size_t bytes);
/* Nothing may be left, and the checksum must be right. Errors: EFORMAT, EIO. */
BNRE_MUST_CHECK bnre_status bnre__zip_finish(bnre__zip_stream *stream);
void bnre__zip_close(bnre__zip_stream *stream); /* NULL is fine */

/* CRC-32 of what `crc` covers (0 = nothing) followed by `data`. */
uint32_t bnre__zip_crc(uint32_t crc, const void *data, size_t bytes);
/* EFORMAT if they differ. */
BNRE_MUST_CHECK bnre_status bnre__zip_compare(const char *label, uint32_t crc,
                                              uint32_t expected);

/* A little-endian number. */
void bnre__zip_put(unsigned char *to, size_t bytes, uint64_t value);

#endif
