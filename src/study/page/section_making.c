/* section_making.c - how the study was made, and how to make it again. */
#include <string.h>

#include "bnre/text.h"
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
static void add_assumption(bnre__page *page)
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
    const char *word = bnre__saved_setting(page->study, "failure");

    for (size_t i = 0; i < page->study->keys; i++)
        if (strcmp(page->study->key[i], "failure") == 0) {
            bnre__html(page, "<p>What they mean differs from cell to cell "
                             "(failure).</p>\n");
            return;
        }
    for (size_t i = 0; i < sizeof failure / sizeof *failure; i++)
        if (strcmp(word != NULL ? word : "auto", failure[i].word) == 0)
            bnre__html(page, "<p>Assumed of them (failure: %s): %s.</p>\n",
                       failure[i].word, failure[i].means);
}

static void add_failures(bnre__page *page)
{
    size_t failed = 0;

    for (size_t i = 0; i < page->study->datasets; i++) {
        const bnre__saved_data *data = &page->study->data[i];
        const char *why = data->failures != NULL ? data->failures : "";

        if (data->failed == 0)
            continue;
        if (failed == 0)
            bnre__html(page, "<ul>\n");
        bnre__html(page,
                   "<li>data/%s: %s simulations failed (%.3g %%)%s%s</li>\n",
                   data->name, BNRE__COUNT(data->failed),
                   100 * (double)data->failed / (double)data->rows,
                   *why != 0 ? ": " : "", why);
        failed += data->failed;
    }
    if (failed == 0)
        return;
    bnre__html(page, "</ul>\n");
    add_assumption(page);
}

static void add_data(bnre__page *page)
{
    size_t rows = 0;

    if (page->study->datasets == 0)
        return;
    bnre__html(page, "<h3>Simulations</h3>\n");
    bnre__html_table(page, "Datasets");
    bnre__html(page,
               "<thead><tr><th scope=\"col\">file</th><th scope=\"col\" "
               "class=\"n\">pairs</th><th scope=\"col\">used for</th></tr>"
               "</thead><tbody>\n");
    for (size_t i = 0; i < page->study->datasets; i++) {
        const bnre__saved_data *data = &page->study->data[i];

        bnre__html(page,
                   "<tr><td>data/%s</td><td class=\"n\">%s</td><td>%s</td>"
                   "</tr>\n",
                   data->name, BNRE__COUNT(data->rows), purpose_of(data->name));
        rows += data->rows;
    }
    bnre__html(page,
               "<tr><th scope=\"row\">in all</th><td class=\"n\">%s</td><td>"
               "</td></tr>" BNRE__TABLE_END,
               BNRE__COUNT(rows));
    add_failures(page);
}

static void add_versions(bnre__page *page)
{
    const char *seed = bnre__saved_setting(page->study, "seed");
    const char *version = NULL;

    for (size_t i = 0; i < page->study->runs && version == NULL; i++)
        if (page->study->run[i].diagnosis != NULL)
            version = page->study->run[i].diagnosis->version;
    bnre__html(page, "<dl>");
    if (seed != NULL)
        bnre__html(page,
                   "<dt>seed</dt><dd>%s, from which those of all runs follow"
                   "</dd>",
                   seed);
    if (version != NULL)
        bnre__html(page, "<dt>made by</dt><dd>bnre %s</dd>", version);
    bnre__html(page, "</dl>\n");
}

/* A word of a command, quoted for a shell where it has to be. */
static void add_word(bnre__page *page, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_-./=,+:@";

    if (word[strspn(word, plain)] == 0) {
        bnre__html(page, "%s", word);
        return;
    }
    bnre__html(page, "&#39;");
    for (; *word != 0; word++) {
        const char letter[] = {*word, 0};

        bnre__html(page, "%s", *word == '\'' ? "'\\''" : letter);
    }
    bnre__html(page, "&#39;");
}

static void add_commands(bnre__page *page)
{
    const bnre__saved_study *study = page->study;
    const bnre__saved_run *run = NULL;
    const char *test = NULL;

    bnre__html(page,
               "<h3>Making it again</h3>\n<p>The same version gives the same "
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
        bnre__html(page, "bnre diagnose ");
        add_word(page, run->dir);
        bnre__html(page, "/estimator.h5 --data data/");
        add_word(page, test);
        bnre__html(page, "\n");
    }
    bnre__html(page,
               "</pre>\n<p class=\"soft\">Paths in the study are relative to "
               "the file it was first read from.</p>\n");
}

void bnre__section_making(bnre__page *page)
{
    bnre__html(page, "<section id=\"making\">\n<h2>How it was made</h2>\n");
    add_versions(page);
    add_data(page);
    bnre__html(page, "<h3>Settings</h3>\n<pre>%s</pre>\n", page->study->text);
    add_commands(page);
    bnre__html(page, "</section>\n");
}
