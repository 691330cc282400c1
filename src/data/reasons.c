#include "data/reasons.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void bnre__reasons_clear(bnre__reasons *reasons)
{
    bnre__free(reasons->slot);
    bnre__free(reasons->text);
    *reasons = (bnre__reasons){0};
}

/* The slot that holds `text`, or the free one where it belongs. */
static uint32_t *find_slot(const bnre__reasons *reasons, const char *text)
{
    size_t i = (size_t)bnre__hash_bytes(text, strlen(text));

    for (;; i++) {
        uint32_t *slot = &reasons->slot[i & (reasons->slots - 1)];

        if (*slot == 0 || strcmp(reasons->text[*slot - 1], text) == 0)
            return slot;
    }
}

static bnre_status enlarge(bnre__reasons *reasons)
{
    bnre_status status = BNRE_OK;
    size_t slots = reasons->slots == 0 ? 16 : 2 * reasons->slots;
    uint32_t *fresh = NULL;

    BNRE_NEW(fresh, slots);
    bnre__free(reasons->slot);
    reasons->slot = fresh;
    reasons->slots = slots;
    for (size_t i = 0; i < reasons->count; i++)
        *find_slot(reasons, reasons->text[i]) = (uint32_t)i + 1;
done:
    return status;
}

bnre_status bnre__reasons_number(bnre__reasons *reasons, const char *text,
                                 uint32_t *out)
{
    bnre_status status = BNRE_OK;
    size_t length = strnlen(text, BNRE_REASON_SIZE - 1);
    char reason[BNRE_REASON_SIZE] = {0};
    uint32_t *slot;

    memcpy(reason, text, length);
    if (2 * (reasons->count + 1) > reasons->slots)
        BNRE_TRY(enlarge(reasons));
    slot = find_slot(reasons, reason);
    if (*slot == 0 && reasons->count + 1 >= BNRE__MAX_REASONS) {
        memset(reason, 0, sizeof reason);
        snprintf(reason, sizeof reason, "one of too many different reasons");
        slot = find_slot(reasons, reason);
    }
    if (*slot == 0) {
        BNRE_GROW(reasons->text, reasons->room, reasons->count + 1);
        memcpy(reasons->text[reasons->count++], reason, sizeof reason);
        *slot = (uint32_t)reasons->count;
    }
    *out = *slot - 1;
done:
    return status;
}
