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
static void add_assumption(bnre__text *page, const bnre__saved_study *study)
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
    const char *word = bnre__saved_setting(study, "failure");

    for (size_t i = 0; i < study->keys; i++)
        if (strcmp(study->key[i], "failure") == 0) {
            bnre__text_put(page, "<p>What they mean differs from cell "
                                 "to cell (failure).</p>\n");
            return;
        }
    for (size_t i = 0; i < sizeof failure / sizeof *failure; i++)
        if (strcmp(word != NULL ? word : "auto", failure[i].word) == 0) {
            bnre__text_put(page,
                           "<p>Assumed of them (failure: %s): %s."
                           "</p>\n",
                           failure[i].word, failure[i].means);
            return;
        }
}

static bnre_status add_failures(bnre__text *page,
                                const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    size_t failed = 0;

    for (size_t i = 0; i < study->datasets; i++) {
        const bnre__saved_data *data = &study->data[i];

        if (data->failed == 0)
            continue;
        bnre__text_put(page, failed == 0 ? "<ul>\n<li>data/" : "<li>data/");
        BNRE_TRY(bnre__html_escape(page, data->name));
        bnre__text_put(page, ": ");
        bnre__html_count(page, data->failed);
        bnre__text_put(page, " simulations failed (%.3g %%)",
                       100 * (double)data->failed / (double)data->rows);
        if (data->failures != NULL) {
            bnre__text_put(page, ": ");
            BNRE_TRY(bnre__html_escape(page, data->failures));
        }
        bnre__text_put(page, "</li>\n");
        failed += data->failed;
    }
    if (failed == 0)
        return BNRE_OK;
    bnre__text_put(page, "</ul>\n");
    add_assumption(page, study);
done:
    return status;
}

static bnre_status add_data(bnre__text *page, const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    size_t rows = 0;

    if (study->datasets == 0)
        return BNRE_OK;
    bnre__text_put(
        page, "<h3>Simulations</h3>\n<div class=\"wide\" tabindex=\"0\" "
              "role=\"region\" aria-label=\"Datasets\"><table><thead><tr><th "
              "scope=\"col\">file</th><th scope=\"col\" class=\"n\">pairs</th>"
              "<th scope=\"col\">used for</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < study->datasets; i++) {
        bnre__text_put(page, "<tr><td>data/");
        BNRE_TRY(bnre__html_escape(page, study->data[i].name));
        bnre__text_put(page, "</td><td class=\"n\">");
        bnre__html_count(page, study->data[i].rows);
        bnre__text_put(page, "</td><td>%s</td></tr>\n",
                       purpose_of(study->data[i].name));
        rows += study->data[i].rows;
    }
    bnre__text_put(page, "<tr><th scope=\"row\">in all</th><td "
                         "class=\"n\">");
    bnre__html_count(page, rows);
    bnre__text_put(page, "</td><td></td></tr></tbody></table></div>\n");
    BNRE_TRY(add_failures(page, study));
done:
    return status;
}

static bnre_status add_versions(bnre__text *page,
                                const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;
    const char *seed = bnre__saved_setting(study, "seed");
    const char *version = NULL;

    for (size_t i = 0; i < study->runs && version == NULL; i++)
        version = bnre__json_as_text(
            bnre__json_find(study->run[i].diagnosis, "version"));
    bnre__text_put(page, "<dl>");
    if (seed != NULL) {
        bnre__text_put(page, "<dt>seed</dt><dd>");
        BNRE_TRY(bnre__html_escape(page, seed));
        bnre__text_put(page, ", from which those of all runs follow</dd>");
    }
    if (version != NULL) {
        bnre__text_put(page, "<dt>made by</dt><dd>bnre ");
        BNRE_TRY(bnre__html_escape(page, version));
        bnre__text_put(page, "</dd>");
    }
    bnre__text_put(page, "</dl>\n");
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
    bnre__text_put(page, "&#39;");
    for (; *word != 0; word++) {
        const char letter[] = {*word, 0};

        BNRE_TRY(bnre__html_escape(page, *word == '\'' ? "'\\''" : letter));
    }
    bnre__text_put(page, "&#39;");
done:
    return status;
}

static bnre_status add_commands(bnre__text *page,
                                const bnre__saved_study *study)
{
    const bnre__saved_run *run = NULL;
    const char *test = NULL;
    bnre_status status = BNRE_OK;

    bnre__text_put(
        page, "<h3>Making it again</h3>\n<p>The same version gives the same "
              "bytes, with any number of threads. In this "
              "directory:</p>\n<pre>bnre run study.yaml -o ../again    # all "
              "of it\nbnre report .                      # this page\n");
    for (size_t i = 0; i < study->runs && run == NULL; i++)
        if (study->run[i].diagnosis != NULL)
            run = &study->run[i];
    for (size_t i = 0; i < study->datasets && test == NULL; i++)
        if (strstr(study->data[i].name, "-test") != NULL)
            test = study->data[i].name;
    if (run != NULL && test != NULL) {
        bnre__text_put(page, "bnre diagnose ");
        BNRE_TRY(add_word(page, run->dir));
        bnre__text_put(page, "/estimator.h5 --data data/");
        BNRE_TRY(add_word(page, test));
        bnre__text_put(page, "\n");
    }
    bnre__text_put(
        page, "</pre>\n<p class=\"soft\">Paths in the study are relative to "
              "the file it was first read from.</p>\n");
done:
    return status;
}

bnre_status bnre__html_making(bnre__text *page, const bnre__saved_study *study)
{
    bnre_status status = BNRE_OK;

    bnre__text_put(page, "<section id=\"making\">\n<h2>How it was "
                         "made</h2>\n");
    BNRE_TRY(add_versions(page, study));
    BNRE_TRY(add_data(page, study));
    bnre__text_put(page, "<h3>Settings</h3>\n<pre>");
    BNRE_TRY(bnre__html_escape(page, study->text));
    bnre__text_put(page, "</pre>\n");
    BNRE_TRY(add_commands(page, study));
    bnre__text_put(page, "</section>\n");
done:
    return status;
}
