/* The directory of a study as a report finds it: study.yaml, results.csv, and
   diagnose.json, history.csv, run.yaml, posterior.json, check.json and each.json
   of its first run, with a 0 after each. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "input.h"
#include "study/page/html.h"

static void write_page(const bnre__saved_study *study)
{
    const bnre__page_figures none = {0};
    bnre__page page = {.study = study, .figures = &none, .formats = "svg"};

    bnre__page_write(&page);
    if (bnre__text_check(&page.text) != BNRE_OK)
        MUST_TELL();
    else /* no text of theirs becomes a part of the page */
        MUST(strstr(page.text.data, "<script") == NULL &&
             strstr(page.text.data, "<img") == NULL);
    bnre__free(page.text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"s/study.yaml",
                                       "s/results.csv",
                                       "s/runs/c/1/diagnose.json",
                                       "s/runs/c/1/history.csv",
                                       "s/runs/c/1/run.yaml",
                                       "s/runs/c/1/posterior/posterior.json",
                                       "s/runs/c/1/check/check.json",
                                       "s/runs/c/1/each/each.json"};
    bnre__saved_study study = {0};

    input_forget("s");
    for (size_t i = 0; i < sizeof name / sizeof *name && size > 0; i++) {
        char *text = input_text(&data, &size);

        input_file(name[i], text, strlen(text));
        free(text);
    }
    if (bnre__saved_read(input_path("s"), &study) == BNRE_OK)
        write_page(&study);
    else
        MUST_TELL();
    bnre__saved_clear(&study);
    return 0;
}
