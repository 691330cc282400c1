/* input.h - the fuzzer's bytes, for readers that want files or texts.

   All targets share this: bytes become files in a private directory of the
   process (below TMPDIR), which goes away when it ends. */
#ifndef BNRE_FUZZ_INPUT_H
#define BNRE_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls this for every input; so does replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file in that directory; four of them are valid at a time. */
const char *input_path(const char *name);

/* A file of these bytes, and its path. `name` may have directories, which are
   made. */
const char *input_file(const char *name, const void *data, size_t size);

/* Remove what is there under this name, with all that it holds. */
void input_forget(const char *name);

/* The bytes up to the end or the first 0 as a text to be freed; *data and *size
   become what follows, so that an input may have several. */
char *input_text(const uint8_t **data, size_t *size);

/* Stop with a crash, which is what the fuzzer looks for. */
#define MUST(condition)                                                        \
    do {                                                                       \
        if (!(condition))                                                      \
            __builtin_trap();                                                  \
    } while (0)

/* What failed says why. */
#define MUST_TELL() MUST(bnre_error_message()[0] != 0)

#endif
