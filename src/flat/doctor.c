/* doctor.c - the command `doctor` with its result as JSON. */
#include "base/mem.h"
#include "base/text.h"
#include "bnre/plugin.h"
#include "flat/verbs.h"

/* Paths are bytes, JSON is UTF-8: a byte that is none becomes the letter of its
   number. */
static bnre_status add_text(bnre__json *root, const char *key, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    bnre_status status = BNRE_OK;
    bnre__text letters = {0};
    char *all = NULL;

    while (*at != 0) {
        const unsigned char *next = at;

        if (bnre__text_code(&next) < 0) {
            bnre__text_put(&letters, "%c%c", 0xc0 | *at >> 6,
                           0x80 | (*at & 63));
            at++;
        } else {
            bnre__text_put(&letters, "%.*s", (int)(next - at),
                           (const char *)at);
            at = next;
        }
    }
    BNRE_TRY(bnre__text_take(&letters, &all));
    BNRE_TRY(bnre__json_text(root, key, all));
done:
    bnre__free(all);
    return status;
}

bnre_status bnre__verb_doctor(const bnre__verb_args *args, bnre_pool *pool,
                              const bnre_monitor *monitor, bnre__json *root)
{
    bnre_doctor_outcome outcome;
    bnre_status status = BNRE_OK;
    bnre__json *found, *missing;

    (void)args;
    (void)pool;
    (void)monitor;
    BNRE_TRY(bnre_doctor_make(&outcome));
    BNRE_TRY(bnre__json_text(root, "version", BNRE_VERSION));
    BNRE_TRY(bnre__json_size(root, "plugin_abi", BNRE_PLUGIN_ABI));
    BNRE_TRY(bnre__json_object(root, "found", &found));
    BNRE_TRY(bnre__json_object(root, "missing", &missing));
    for (size_t i = 0; i < outcome.n; i++) {
        const bnre_doctor_item *item = &outcome.item[i];

        BNRE_TRY(add_text(item->found != NULL ? found : missing, item->what,
                          item->found != NULL ? item->found : item->missing));
    }
    BNRE_TRY(bnre__json_flag(root, "complete", outcome.complete));
done:
    bnre_doctor_outcome_clear(&outcome);
    return status;
}
