#include <string.h>

#include "base/number.h"
#include "input.h"
#include "io/csv.h"

/* What was read can be written, and reads back as the same bits. */
static void check_number(double value)
{
    char text[BNRE__NUMBER_ROOM];
    size_t length = bnre__number_format(value, text);
    double back;

    MUST(length < sizeof text && text[length] == 0);
    MUST(bnre__number_scan(text, text + length, &back) == text + length);
    MUST(memcmp(&back, &value, sizeof back) == 0 || value != value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre__csv csv;

    if (bnre__csv_read(input_file("input", data, size), &csv) != BNRE_OK) {
        MUST(csv.name == NULL && csv.data == NULL);
        MUST_TELL();
        return 0;
    }
    MUST(csv.cols > 0 && csv.rows * csv.cols <= size);
    for (size_t j = 0; j < csv.cols; j++)
        MUST(csv.name[j][0] != 0);
    for (size_t i = 0; i < csv.rows * csv.cols; i++)
        check_number(csv.data[i]);
    bnre__csv_clear(&csv);
    return 0;
}
