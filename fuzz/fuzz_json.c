#include <math.h>
#include <string.h>

#include "input.h"
#include "io/json.h"

/* Every way of looking at a value, whatever it is. */
static size_t look(const bnre__json *value, int depth)
{
    const size_t n = bnre__json_count(value);
    const char *text = bnre__json_as_text(value);
    size_t found = 1;

    bnre__json_as_real(value);
    bnre__json_as_flag(value);
    MUST(text == NULL || strlen(text) < SIZE_MAX);
    MUST(bnre__json_at(value, n) == NULL);
    for (size_t i = 0; depth > 0 && i < n; i++)
        found += look(bnre__json_at(value, i), depth - 1);
    return found + (bnre__json_find(value, "a") != NULL) +
           (bnre__json_find(value, "mean") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre__json *root = NULL, *again = NULL;

    if (bnre__json_read(input_file("x.json", data, size), &root) != BNRE_OK) {
        MUST(root == NULL);
        MUST_TELL();
        return 0;
    }
    /* It can be written, and then holds as much as before. */
    MUST(bnre__json_write(root, input_path("y.json")) == BNRE_OK);
    MUST(bnre__json_read(input_path("y.json"), &again) == BNRE_OK);
    MUST(look(root, 20) == look(again, 20));
    bnre__json_destroy(again);
    bnre__json_destroy(root);
    return 0;
}
