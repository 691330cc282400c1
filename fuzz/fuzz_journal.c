/* Journals of rows (NAME.part). An even first byte: what follows is the file.
   An odd one: what follows are its records, under checksums that are right, as
   no mutation would ever get them:  first, n, bytes (each a byte), payload. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/part.h"
#include "input.h"

enum { COUNT = 12 };

static bnre_simulate_opts options(void)
{
    bnre_simulate_opts opts = bnre_simulate_opts_default();

    opts.count = COUNT;
    return opts;
}

static bnre_task *gaussian(void)
{
    static bnre_task *task;

    if (task == NULL)
        MUST(bnre_task_open("gaussian", 0, NULL, &task) == BNRE_OK);
    return task;
}

/* As `simulate` finds them. */
static void read_part(const char *path)
{
    const bnre_simulate_opts opts = options();
    bnre__part *part = NULL;
    bnre__span *missing = NULL;
    bnre__block block = {0};
    size_t rows, failed, n;

    if (bnre__part_open(gaussian(), &opts, path, &part) != BNRE_OK) {
        MUST(part == NULL);
        MUST_TELL();
        return;
    }
    if (bnre__part_count(part, &rows, &failed) == BNRE_OK)
        MUST(rows <= COUNT && failed <= rows);
    else
        MUST_TELL();
    MUST(bnre__part_missing(part, &missing, &n) == BNRE_OK);
    if (n == 0) {
        const bnre__rows all = bnre__part_rows(part);

        MUST(bnre__block_init(&block, &part->info, COUNT) == BNRE_OK);
        if (bnre__block_read(&block, &all, 0, COUNT) != BNRE_OK)
            MUST_TELL();
        bnre__block_clear(&block);
    }
    bnre__free(missing);
    bnre__part_close(part);
}

static void write_records(const char *path, const uint8_t *data, size_t size)
{
    const bnre_simulate_opts opts = options();
    bnre__part *part = NULL;

    MUST(bnre__part_open(gaussian(), &opts, path, &part) == BNRE_OK);
    while (size > 3) {
        const size_t room = size - 3;
        const size_t bytes = data[2] < room ? data[2] : room;
        char copy[256];
        const struct iovec payload = {copy, bytes};

        memcpy(copy, data + 3, bytes);
        /* 255 stands for the largest there is. */
        MUST(bnre__journal_append(part->journal,
                                  data[0] == 255 ? UINT64_MAX : data[0],
                                  data[1] == 255 ? UINT64_MAX : data[1],
                                  &payload, 1) == BNRE_OK);
        data += 3 + bytes;
        size -= 3 + bytes;
    }
    bnre__part_close(part);
}

/* Alone, with the identity that it has. */
static void read_journal(const char *path)
{
    bnre__journal *journal = NULL;
    const bnre__journal_record *record;
    char *other = NULL, *none = NULL, byte[4096];
    size_t n;

    if (bnre__journal_open(path, "another", 0, &other, &journal) == BNRE_EEXIST)
        MUST(bnre__journal_open(path, other != NULL ? other : "another", 0,
                                &none, &journal) == BNRE_OK ||
             other == NULL);
    if (journal != NULL) {
        record = bnre__journal_records(journal, &n);
        for (size_t i = 0; i < n; i++)
            if (record[i].bytes <= sizeof byte)
                MUST(bnre__journal_read(journal, &record[i], 0,
                                        (size_t)record[i].bytes,
                                        byte) == BNRE_OK);
    }
    bnre__free(none);
    bnre__free(other);
    bnre__journal_close(journal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = input_path("rows.h5");

    if (size == 0)
        return 0;
    input_forget("rows.h5.part");
    if (data[0] % 2 == 1)
        write_records(path, data + 1, size - 1);
    else
        input_file("rows.h5.part", data + 1, size - 1);
    read_part(path);
    if (data[0] % 2 == 0)
        input_file("rows.h5.part", data + 1, size - 1);
    read_journal(input_path("rows.h5.part"));
    return 0;
}
