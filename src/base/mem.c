/* mem.c - memory that is zeroed, aligned and counted, with failures that
   tests can ask for. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"

/* 0 = nothing to inject, k = the k-th allocation from now fails. */
static atomic_size_t fail_countdown;

static int inject_failure(void)
{
    size_t left = atomic_load(&fail_countdown);

    while (left > 0)
        if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1))
            return left == 1;
    return 0;
}

void bnre__alloc_fail_at(size_t n)
{
    atomic_store(&fail_countdown, n);
}

int bnre__alloc_failed(void)
{
    return atomic_load(&fail_countdown) == 0;
}

void *bnre__alloc(size_t n, size_t size)
{
    const size_t align = 64;
    void *memory = NULL;
    size_t bytes;

    if (size != 0 && n > (SIZE_MAX - align) / size) {
        (void)bnre_fail(BNRE_ENOMEM, "%zu elements of %zu bytes are too many",
                        n, size);
        return NULL;
    }
    bytes = (n * size + align - 1) / align * align;
    if (bytes == 0)
        bytes = align;
    if (!inject_failure())
        memory = aligned_alloc(align, bytes);
    if (memory == NULL)
        (void)bnre_fail(BNRE_ENOMEM, "no memory for %zu bytes", bytes);
    else
        memset(memory, 0, bytes);
    return memory;
}

void *bnre__grow(void *ptr, size_t *room, size_t need, size_t size)
{
    size_t count = *room < 8 ? 8 : *room;
    void *grown;

    while (count < need)
        count = count > SIZE_MAX / 2 ? need : 2 * count;
    grown = bnre__alloc(count, size);
    if (grown == NULL)
        return NULL;
    if (*room > 0)
        memcpy(grown, ptr, *room * size);
    bnre__free(ptr);
    *room = count;
    return grown;
}

bnre_status bnre__strdup(const char *text, char **out)
{
    bnre_status status = BNRE_OK;
    size_t length = strlen(text);

    BNRE_NEW(*out, length + 1);
    memcpy(*out, text, length);
done:
    return status;
}

void bnre__free(void *ptr)
{
    free(ptr);
}

void bnre_free(void *text)
{
    free(text);
}
