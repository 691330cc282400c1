/* How the study was made, and how to make it again. */
#include <string.h>

#include "base/mem.h"
#include "study/page/html.h"

static const struct purpose {
    const char *split, *words;
} purposes[] = {
    {"train", "training; each run draws its own of them"},
    {"validate", "validation during training"},
    {"schedule", "driving the learning rate"},
    {"test", "diagnosis; no run has learned from them"},
    {"select", "choosing among estimators"},
    {"certify", "certifying the choice"},
    {"calibrate", "calibrating regions"},
};

/* The split is the last word of TASK-SPLIT.h5, before a number of rows. */
static const char *purpose_of(const char *name)
{
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        const char *at = strstr(name, purposes[i].split);

        if (at != NULL && at > name && at[-1] == '-')
            return purposes[i].words;
    }
    return "";
}

/* What was made of simulations that failed. */
static bnre_status add_assumption(bnre__text *page,
                                  const bnre__findings *findings)
{
    static const struct {
        const char *word, *means;
    } failure[] = {
        {"auto", "those without a valid result are part of the model, those "
                 "that the machine lost are missing"},
        {"outcome", "they are part of the model, so parameters that often fail "
                    "are less likely"},
        {"missing", "they were lost for reasons that have nothing to do with "
                    "x"},
    };
    const char *word = bnre__findings_setting(findings, "failure");

    for (size_t i = 0; i < findings->keys; i++)
        if (strcmp(findings->key[i], "failure") == 0)
            return bnre__text_add(page, "<p>What they mean differs from cell "
                                        "to cell (failure).</p>\n");
    for (size_t i = 0; i < sizeof failure / sizeof *failure; i++)
        if (strcmp(word != NULL ? word : "auto", failure[i].word) == 0)
            return bnre__text_add(page,
                                  "<p>Assumed of them (failure: %s): %s."
                                  "</p>\n",
                                  failure[i].word, failure[i].means);
    return BNRE_OK;
}

static bnre_status add_failures(bnre__text *page,
                                const bnre__findings *findings)
{
    bnre_status status = BNRE_OK;
    size_t failed = 0;

    for (size_t i = 0; i < findings->datasets; i++) {
        const bnre__data_found *data = &findings->data[i];

        if (data->failed == 0)
            continue;
        BNRE_TRY(bnre__text_add(page,
                                failed == 0 ? "<ul>\n<li>data/" : "<li>data/"));
        BNRE_TRY(bnre__html_escape(page, data->name));
        BNRE_TRY(bnre__text_add(page, ": "));
        BNRE_TRY(bnre__html_count(page, data->failed));
        BNRE_TRY(
            bnre__text_add(page, " simulations failed (%.3g %%)",
                           100 * (double)data->failed / (double)data->rows));
        if (data->failures != NULL) {
            BNRE_TRY(bnre__text_add(page, ": "));
            BNRE_TRY(bnre__html_escape(page, data->failures));
        }
        BNRE_TRY(bnre__text_add(page, "</li>\n"));
        failed += data->failed;
    }
    if (failed == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__text_add(page, "</ul>\n"));
    BNRE_TRY(add_assumption(page, findings));
done:
    return status;
}

static bnre_status add_data(bnre__text *page, const bnre__findings *findings)
{
    bnre_status status = BNRE_OK;
    size_t rows = 0;

    if (findings->datasets == 0)
        return BNRE_OK;
    BNRE_TRY(bnre__text_add(
        page, "<h3>Simulations</h3>\n<div class=\"wide\" tabindex=\"0\" "
              "role=\"region\" aria-label=\"Datasets\"><table><thead><tr><th "
              "scope=\"col\">file</th><th scope=\"col\" class=\"n\">pairs</th>"
              "<th scope=\"col\">used for</th></tr></thead><tbody>\n"));
    for (size_t i = 0; i < findings->datasets; i++) {
        BNRE_TRY(bnre__text_add(page, "<tr><td>data/"));
        BNRE_TRY(bnre__html_escape(page, findings->data[i].name));
        BNRE_TRY(bnre__text_add(page, "</td><td class=\"n\">"));
        BNRE_TRY(bnre__html_count(page, findings->data[i].rows));
        BNRE_TRY(bnre__text_add(page, "</td><td>%s</td></tr>\n",
                                purpose_of(findings->data[i].name)));
        rows += findings->data[i].rows;
    }
    BNRE_TRY(bnre__text_add(page, "<tr><th scope=\"row\">in all</th><td "
                                  "class=\"n\">"));
    BNRE_TRY(bnre__html_count(page, rows));
    BNRE_TRY(
        bnre__text_add(page, "</td><td></td></tr></tbody></table></div>\n"));
    BNRE_TRY(add_failures(page, findings));
done:
    return status;
}

static bnre_status add_versions(bnre__text *page,
                                const bnre__findings *findings)
{
    bnre_status status = BNRE_OK;
    const char *seed = bnre__findings_setting(findings, "seed");
    const char *version = NULL;

    for (size_t i = 0; i < findings->runs && version == NULL; i++)
        version = bnre__json_as_text(
            bnre__json_find(findings->run[i].diagnosis, "version"));
    BNRE_TRY(bnre__text_add(page, "<dl>"));
    if (seed != NULL) {
        BNRE_TRY(bnre__text_add(page, "<dt>seed</dt><dd>"));
        BNRE_TRY(bnre__html_escape(page, seed));
        BNRE_TRY(
            bnre__text_add(page, ", from which those of all runs follow</dd>"));
    }
    if (version != NULL) {
        BNRE_TRY(bnre__text_add(page, "<dt>made by</dt><dd>bnre "));
        BNRE_TRY(bnre__html_escape(page, version));
        BNRE_TRY(bnre__text_add(page, "</dd>"));
    }
    BNRE_TRY(bnre__text_add(page, "</dl>\n"));
done:
    return status;
}

/* A word of a command, quoted for a shell where it has to be. */
static bnre_status add_word(bnre__text *page, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_-./=,+:@";
    bnre_status status = BNRE_OK;

    if (word[strspn(word, plain)] == 0)
        return bnre__html_escape(page, word);
    BNRE_TRY(bnre__text_add(page, "&#39;"));
    for (; *word != 0; word++) {
        const char letter[] = {*word, 0};

        BNRE_TRY(bnre__html_escape(page, *word == '\'' ? "'\\''" : letter));
    }
    BNRE_TRY(bnre__text_add(page, "&#39;"));
done:
    return status;
}

static bnre_status add_commands(bnre__text *page,
                                const bnre__findings *findings)
{
    const bnre__run_found *run = NULL;
    const char *test = NULL;
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(
        page, "<h3>Making it again</h3>\n<p>The same version gives the same "
              "bytes, with any number of threads. In this "
              "directory:</p>\n<pre>bnre run study.yaml -o ../again    # all "
              "of it\nbnre report .                      # this page\n"));
    for (size_t i = 0; i < findings->runs && run == NULL; i++)
        if (findings->run[i].diagnosis != NULL)
            run = &findings->run[i];
    for (size_t i = 0; i < findings->datasets && test == NULL; i++)
        if (strstr(findings->data[i].name, "-test") != NULL)
            test = findings->data[i].name;
    if (run != NULL && test != NULL) {
        BNRE_TRY(bnre__text_add(page, "bnre diagnose "));
        BNRE_TRY(add_word(page, run->dir));
        BNRE_TRY(bnre__text_add(page, "/estimator.h5 --data data/"));
        BNRE_TRY(add_word(page, test));
        BNRE_TRY(bnre__text_add(page, "\n"));
    }
    BNRE_TRY(bnre__text_add(
        page, "</pre>\n<p class=\"soft\">Paths in the study are relative to "
              "the file it was first read from.</p>\n"));
done:
    return status;
}

bnre_status bnre__html_making(bnre__text *page, const bnre__findings *findings)
{
    bnre_status status = BNRE_OK;

    BNRE_TRY(bnre__text_add(page, "<section id=\"making\">\n<h2>How it was "
                                  "made</h2>\n"));
    BNRE_TRY(add_versions(page, findings));
    BNRE_TRY(add_data(page, findings));
    BNRE_TRY(bnre__text_add(page, "<h3>Settings</h3>\n<pre>"));
    BNRE_TRY(bnre__html_escape(page, findings->text));
    BNRE_TRY(bnre__text_add(page, "</pre>\n"));
    BNRE_TRY(add_commands(page, findings));
    BNRE_TRY(bnre__text_add(page, "</section>\n"));
done:
    return status;
}
