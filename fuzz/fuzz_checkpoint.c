/* Checkpoints of training. After an even first byte comes the file; after an
   odd one the file without its checksum, which is then right, as no mutation
   would ever get it. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "infer/train/checkpoint.h"
#include "input.h"

enum { WEIGHTS = 3, BUFFERS = 2 };

static const char *write_file(const uint8_t *data, size_t size)
{
    const size_t bytes = size - 1;
    uint8_t *whole = malloc(bytes + 8);
    uint64_t sum = bnre__hash_bytes(data + 1, bytes);
    const char *path;

    MUST(whole != NULL);
    memcpy(whole, data + 1, bytes);
    memcpy(whole + bytes, &sum, sizeof sum);
    path = input_file("e.h5.1.part", whole,
                      data[0] % 2 == 1 ? bytes + sizeof sum : bytes);
    free(whole);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bnre__train_state state = {0};
    float all[6][WEIGHTS];
    bnre__history history = {0};
    bnre__checkpoint checkpoint = {.state = &state,
                                   .weights = WEIGHTS,
                                   .buffers = BUFFERS,
                                   .now = all[0],
                                   .now_buffers = all[1],
                                   .best = all[2],
                                   .best_buffers = all[3],
                                   .first = all[4],
                                   .second = all[5],
                                   .history = &history};
    int found;

    if (size == 0)
        return 0;
    if (bnre__checkpoint_load(write_file(data, size), "identity", &checkpoint,
                              &found) == BNRE_OK)
        MUST(found && state.pass < BNRE__PASSES);
    else
        MUST_TELL();
    bnre__history_clear(&history);
    return 0;
}
