/* Diagnoses (diagnose.json), as reports and learning curves read them. */
#include <string.h>

#include "base/mem.h"
#include "input.h"
#include "io/file.h"
#include "output/diagnosis_record.h"

static char *write_text(const bnre__diagnosis_record *record, const char *name)
{
    char *text = NULL;
    size_t bytes;

    MUST(bnre__diagnosis_write(record, input_path(name)) == BNRE_OK);
    MUST(bnre__file_read_all(input_path(name), (size_t)1 << 26, &text,
                             &bytes) == BNRE_OK);
    return text;
}

/* What was read can be written, and then gives the same text again. */
static void check_again(const bnre__diagnosis_record *record)
{
    bnre__diagnosis_record *again = NULL;
    char *first = write_text(record, "first.json"), *second;

    MUST(bnre__diagnosis_read(input_path("first.json"), &again) == BNRE_OK);
    second = write_text(again, "second.json");
    MUST(strcmp(first, second) == 0);
    bnre__free(second);
    bnre__free(first);
    bnre__diagnosis_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre__diagnosis_record *record = NULL;

    if (bnre__diagnosis_read(input_file("d.json", data, size), &record) ==
        BNRE_OK) {
        bnre__diagnosis_curve(record);
        check_again(record);
    } else {
        MUST(record == NULL);
        MUST_TELL();
    }
    bnre__diagnosis_destroy(record);
    return 0;
}
