/* input.h - the fuzzer's bytes as a file, for readers that want a path. */
#ifndef BNRE_FUZZ_INPUT_H
#define BNRE_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls this for every input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path to these bytes, in memory only; valid until the next call. */
const char *input_path(const uint8_t *data, size_t size);

/* Stop with a crash, which is what the fuzzer looks for. */
#define MUST(condition)                                                        \
    do {                                                                       \
        if (!(condition))                                                      \
            __builtin_trap();                                                  \
    } while (0)

#endif
