/* The directory of an inference as its page and summary find it: infer.json and
   posterior/posterior.json, with a 0 between. The estimator beside them is
   sound; files of estimators are the matter of fuzz_estimator_file.c. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/command.h"
#include "bnre/settings.h"
#include "infer/estimator/estimator.h"
#include "input.h"
#include "io/file.h"
#include "rounds/command/command.h"
#include "task/task.h"

static bnre_task *gaussian(void)
{
    static bnre_task *task;

    if (task == NULL)
        MUST(bnre_task_open("gaussian", 0, NULL, &task) == BNRE_OK);
    return task;
}

static void write_estimator(const char *path)
{
    static const size_t shape[] = {2};
    const bnre__draws none = {0};
    bnre__estimator_spec spec = {.members = 1,
                                 .draws = &none,
                                 .ndim = 1,
                                 .shape = shape,
                                 .kind = BNRE_ESTIMATOR_RATIO,
                                 .task = bnre_task_text(gaussian())};
    bnre_node *network = NULL;
    bnre_estimator *est = NULL;

    MUST(bnre_yaml_parse("head: {hidden: [2]}", "network", &network) ==
         BNRE_OK);
    spec.network = network;
    MUST(bnre__estimator_create(&spec, &est) == BNRE_OK);
    MUST(bnre_estimator_save(est, path, 1) == BNRE_OK);
    bnre_estimator_close(est);
    bnre_node_destroy(network);
}

/* No text of the files becomes a part of the page. */
static void check_page(const char *path)
{
    char *page;
    size_t bytes;

    MUST(bnre__file_read_all(path, (size_t)1 << 26, &page, &bytes) == BNRE_OK);
    MUST(strstr(page, "<script") == NULL && strstr(page, "<img") == NULL);
    bnre__free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"i/infer.json",
                                       "i/posterior/posterior.json"};
    double truth[] = {0.5, -0.25};
    bnre_infer_settings settings = {
        .task = "gaussian", .rounds = "auto", .samples = 10};
    const bnre_infer_request request = {.settings = &settings, .seed = 1};
    bnre__infer infer = {.request = &request,
                         .settings = &settings,
                         .directory = input_path("i"),
                         .task = gaussian(),
                         .truth = truth,
                         .rounds = 2,
                         .made = "seed: 1\n"};
    char *summary = NULL;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char *text = input_text(&data, &size);

        input_file(name[i], text, strlen(text));
        free(text);
    }
    if (!bnre__file_exists(input_path("i/estimator.h5")))
        write_estimator(input_path("i/estimator.h5"));
    if (bnre__infer_summary(&infer, &summary) != BNRE_OK)
        MUST_TELL();
    bnre_free(summary);
    if (bnre__infer_page(&infer) == BNRE_OK)
        check_page(input_path("i/report.html"));
    else
        MUST_TELL();
    return 0;
}
