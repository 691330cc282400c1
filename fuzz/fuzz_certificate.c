/* Certificates in YAML, as estimators keep them. */
#include <stdlib.h>
#include <string.h>

#include "bnre/settings.h"
#include "input.h"
#include "trust/certificate.h"

/* What was read gives the same text again. */
static void check_again(const char *text)
{
    bnre_certificate read;
    char *again = NULL;

    MUST(bnre__certificate_read(text, &read) == BNRE_OK);
    MUST(bnre__certificate_write(&read, &again) == BNRE_OK);
    MUST(strcmp(text, again) == 0);
    bnre_free(again);
    bnre_certificate_clear(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = input_text(&data, &size), *written = NULL;
    bnre_certificate read;

    if (bnre__certificate_read(text, &read) != BNRE_OK) {
        MUST_TELL();
    } else {
        MUST(bnre__certificate_word(&read) != NULL);
        if (bnre__certificate_write(&read, &written) == BNRE_OK)
            check_again(written);
        else
            MUST_TELL();
    }
    bnre_free(written);
    bnre_certificate_clear(&read);
    free(text);
    return 0;
}
