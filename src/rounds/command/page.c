/* page.c - report.html of an inference, and its summary for a terminal: both
   are made of the files in the directory, and so the same whoever made them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bnre/certificate.h"
#include "bnre/text.h"
#include "bnre/train.h"
#include "io/file.h"
#include "rounds/command/command.h"
#include "study/page/html.h"

struct view {
    const bnre__infer *infer;
    bnre__json *record, *posterior;
    bnre_estimator *estimator;
    const bnre_estimator_info *info;
    bnre_certificate certificate;
};

static void close_view(struct view *view)
{
    bnre_certificate_clear(&view->certificate);
    bnre_estimator_close(view->estimator);
    bnre__json_destroy(view->posterior);
    bnre__json_destroy(view->record);
}

static bnre_status read_json(const bnre__infer *infer, const char *name,
                             bnre__json **out)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    BNRE_TRY(bnre__infer_path(infer, 0, name, &path));
    BNRE_TRY(bnre__json_read(path, out));
done:
    bnre__free(path);
    return status;
}

static bnre_status open_view(const bnre__infer *infer, struct view *view)
{
    bnre_status status = BNRE_OK;
    char *path = NULL;

    *view = (struct view){.infer = infer};
    BNRE_TRY(read_json(infer, "infer.json", &view->record));
    BNRE_TRY(read_json(infer, "posterior/posterior.json", &view->posterior));
    BNRE_TRY(bnre__infer_path(infer, 0, "estimator.h5", &path));
    BNRE_TRY(bnre_estimator_open(path, &view->estimator));
    view->info = bnre_estimator_describe(view->estimator);
    BNRE_TRY(bnre_certificate_of(view->estimator, &view->certificate));
done:
    bnre__free(path);
    return status;
}

/* ---- what both tell ---- */

static const bnre__json *rounds_of(const struct view *view)
{
    return bnre__json_find(view->record, "rounds");
}

static size_t sum_of(const struct view *view, const char *key)
{
    size_t sum = 0;

    for (size_t i = 0; i < bnre__json_count(rounds_of(view)); i++)
        sum += bnre__json_size_of(bnre__json_at(rounds_of(view), i), key);
    return sum;
}

static double bound_of(const bnre__json *parameter, const char *key, size_t i)
{
    return bnre__json_as_real(
        bnre__json_at(bnre__json_find(parameter, key), i));
}

static const char *trust_words(const struct view *view)
{
    return view->certificate.given && view->certificate.words != NULL
               ? view->certificate.words
               : "NOT CHECKED: nothing was found out about its coverage";
}

/* ---- the summary ---- */

static void sum_up_parameters(const struct view *view, bnre__text *text)
{
    const bnre__json *list = bnre__json_find(view->posterior, "parameters");
    char a[BNRE_READABLE], b[BNRE_READABLE], c[BNRE_READABLE], d[BNRE_READABLE];

    bnre__text_put(text, "  %-12s  %12s  %12s    95 %% interval\n", "parameter",
                   "mean", "sd");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *one = bnre__json_at(list, i);
        const double sd = bnre__json_real_of(one, "sd");

        bnre__text_show(
            text, "  %-12s  %12s  %12s    %s to %s\n",
            bnre__json_text_of(one, "name"),
            bnre_readable_real(bnre__json_real_of(one, "mean"), sd, a),
            bnre_readable_real(sd, sd, b),
            bnre_readable_real(bound_of(one, "central_95", 0), sd, c),
            bnre_readable_real(bound_of(one, "central_95", 1), sd, d));
    }
}

static void sum_up_cut(const struct view *view, bnre__text *text)
{
    const double alpha = bnre__json_real_of(view->record, "alpha");
    double bound = NAN;

    for (size_t i = 0; i < bnre__json_count(rounds_of(view)); i++)
        bound =
            fmax(bound, bnre__json_real_of(bnre__json_at(rounds_of(view), i),
                                           "outside_bound"));
    if (alpha > 0)
        bnre__text_put(
            text,
            "  cut off       at most %g of the posterior; "
            "truths lay outside their regions in at most %.4f of cases "
            "(95 %% confidence)\n",
            alpha, bound);
    if (bnre__json_text_of(view->record, "stopped") != NULL)
        bnre__text_show(text, "  stopped       %s\n",
                        bnre__json_text_of(view->record, "stopped"));
}

bnre_status bnre__infer_summary(const bnre__infer *infer, char **out)
{
    bnre_status status = BNRE_OK;
    char number[BNRE_READABLE], other[BNRE_READABLE];
    struct view view = {0};
    bnre__text text = {0};

    BNRE_TRY(open_view(infer, &view));
    bnre__text_show(
        &text, "  simulations   %s",
        bnre_readable_count(sum_of(&view, "given") + sum_of(&view, "simulated"),
                            number));
    if (infer->given_rows > 0)
        bnre__text_put(&text, ", of these %s were given",
                       bnre_readable_count(infer->given_rows, other));
    if (sum_of(&view, "failed") > 0)
        bnre__text_put(&text, ", of these %s failed",
                       bnre_readable_count(sum_of(&view, "failed"), other));
    bnre__text_put(&text, "\n  rounds        %zu\n",
                   bnre__json_count(rounds_of(&view)));
    for (size_t i = 0;
         infer->rounds > 1 && i < bnre__json_count(rounds_of(&view)); i++) {
        bnre__text_put(&text, "    ");
        bnre__round_words(bnre__json_at(rounds_of(&view), i), i, &text);
        bnre__text_put(&text, "\n");
    }
    sum_up_cut(&view, &text);
    bnre__text_put(&text, "  method        %s, %zu members\n",
                   bnre_method_name(infer->method), view.info->members);
    bnre__text_show(&text, "  trust         %s\n", trust_words(&view));
    sum_up_parameters(&view, &text);
    BNRE_TRY(bnre__text_take(&text, out));
done:
    bnre__free(text.data);
    close_view(&view);
    return status;
}

/* ---- the page ---- */

static void add_notes(bnre__page *page, const struct view *view)
{
    const bnre__json *lists[] = {bnre__json_find(view->record, "warnings"),
                                 bnre__json_find(view->posterior, "warnings")};
    const char *doubt = bnre__json_text_of(view->posterior, "doubt");

    if (doubt != NULL && doubt[0] != 0)
        bnre__html(page,
                   BNRE__NOTE "Do not use this posterior as it is.</strong> "
                              "%s" BNRE__NOTE_END,
                   doubt);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < bnre__json_count(lists[k]); i++)
            bnre__html(page, BNRE__NOTE "Warning.</strong> %s" BNRE__NOTE_END,
                       bnre__json_as_text(bnre__json_at(lists[k], i)));
}

static void add_table(bnre__page *page, const struct view *view)
{
    const bnre__json *list = bnre__json_find(view->posterior, "parameters");
    const size_t dim = bnre_prior_dim(bnre_task_prior(view->infer->task));
    const int truth = view->infer->truth != NULL;

    bnre__html_table(page, "Posterior of each parameter");
    bnre__html(page,
               "<thead><tr><th scope=\"col\">parameter</th><th scope=\"col\" "
               "class=\"n\">mean</th><th scope=\"col\" class=\"n\">sd"
               "</th><th scope=\"col\" class=\"n\">median</th><th "
               "scope=\"col\" class=\"n\">68 %% interval</th><th "
               "scope=\"col\" class=\"n\">95 %% interval</th>");
    if (truth)
        bnre__html(page, "<th scope=\"col\" class=\"n\">truth</th>");
    bnre__html(page, "<th scope=\"col\">prior</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < dim && i < bnre__json_count(list); i++) {
        const bnre__json *one = bnre__json_at(list, i);
        const double sd = bnre__json_real_of(one, "sd");

        bnre__html(
            page,
            "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td "
            "class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s to "
            "%s</td><td class=\"n\">%s to %s</td>",
            bnre__json_text_of(one, "name"),
            BNRE__REAL(bnre__json_real_of(one, "mean"), sd), BNRE__REAL(sd, sd),
            BNRE__REAL(bnre__json_real_of(one, "median"), sd),
            BNRE__REAL(bound_of(one, "central_68", 0), sd),
            BNRE__REAL(bound_of(one, "central_68", 1), sd),
            BNRE__REAL(bound_of(one, "central_95", 0), sd),
            BNRE__REAL(bound_of(one, "central_95", 1), sd));
        if (truth)
            bnre__html(page, "<td class=\"n\">%s</td>",
                       BNRE__REAL(view->infer->truth[i], sd));
        bnre__html(page, "<td>%s</td></tr>\n",
                   bnre__json_text_of(one, "prior"));
    }
    bnre__html(page, BNRE__TABLE_END);
}

/* The pictures that are there, page by page. */
static void add_pictures(bnre__page *page, const struct view *view)
{
    static const char *const name[] = {"corner", "corner-2", "corner-3",
                                       "corner-4", "corner-marginals"};

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const size_t length = page->text.length;
        char path[4096], prefix[16];

        snprintf(path, sizeof path, "%s/posterior/%s.svg",
                 view->infer->directory, name[i]);
        snprintf(prefix, sizeof prefix, "p%zu-", i);
        bnre__html(page, "<figure><div class=\"picture\">");
        if (bnre__html_picture(page, path, prefix, "posterior")) {
            bnre__html(page,
                       "</div><figcaption><strong>The posterior</strong>: "
                       "densities of single parameters and of pairs, with "
                       "regions of highest density. Data and script: "
                       "<code>posterior/%s.dat</code>, "
                       "<code>posterior/%s.gp</code>.</figcaption></figure>\n",
                       name[i], name[i]);
        } else if (page->text.data != NULL) {
            page->text.length = length;
            page->text.data[length] = 0;
        }
    }
}

static void add_posterior(bnre__page *page, const struct view *view)
{
    bnre__html(page, "<h2>Posterior</h2>\n");
    add_table(page, view);
    add_pictures(page, view);
    bnre__html(page,
               "<p class=\"soft\">%s samples are in "
               "<code>posterior/samples.csv</code> and <code>.npy</code>, all "
               "numbers in <code>posterior/posterior.json</code>.</p>\n",
               BNRE__COUNT(view->infer->settings->samples));
}

static void add_cut(bnre__page *page, const struct view *view);

/* How often regions of three levels hold the truth, and a table of all. */
static void add_levels(bnre__page *page, const bnre_certificate *of)
{
    static const double shown[] = {0.5, 0.8, 0.95};
    const char *before = ":";

    bnre__html(page, "<details><summary>Coverage by level");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        for (size_t i = 0; i < of->levels; i++)
            if (fabs(of->level[i] - shown[k]) < 1e-6) {
                bnre__html(page, "%s %s %% regions hold %s %%", before,
                           BNRE__FIXED(0, 100 * of->level[i]),
                           BNRE__FIXED(1, 100 * of->coverage[i]));
                before = ",";
            }
    bnre__html(page, " of the truths</summary>\n");
    bnre__html_table(page, "Coverage by level");
    bnre__html(page, "<thead><tr><th scope=\"col\" class=\"n\">level</th><th "
                     "scope=\"col\" class=\"n\">truths inside</th><th "
                     "scope=\"col\" class=\"n\">lower bound</th></tr>"
                     "</thead><tbody>\n");
    for (size_t i = 0; i < of->levels; i++)
        bnre__html(page,
                   "<tr><td class=\"n\">%s</td><td class=\"n\">%s</td><td "
                   "class=\"n\">%s</td></tr>\n",
                   BNRE__FIXED(2, of->level[i]),
                   BNRE__FIXED(3, of->coverage[i]),
                   BNRE__FIXED(3, of->lower_bound[i]));
    bnre__html(page, BNRE__TABLE_END "</details>\n");
}

static void add_trust(bnre__page *page, const struct view *view)
{
    const bnre_certificate *of = &view->certificate;

    bnre__html(page, "<h2>How far to believe it</h2>\n<p>%s.</p>\n",
               trust_words(view));
    if (of->given && of->levels > 0)
        add_levels(page, of);
    add_cut(page, view);
    bnre__html(page, "<p class=\"soft\">All of this speaks of data from the "
                     "simulator and the prior, on average. None of it can see "
                     "that the simulator itself is wrong.</p>\n");
}

/* What a round brought, in a sentence. */
static void add_words(bnre__page *page, const bnre__json *one, size_t i)
{
    const double change = bnre__json_real_of(one, "change");

    if (i == 0)
        bnre__html(page, "of the whole prior");
    else if (bnre__json_flag_of(one, "redone"))
        bnre__html(page, "the region before was too small, and was made wider");
    else if (bnre__json_flag_of(one, "cut"))
        bnre__html(page, "the prior was cut to the posterior");
    else if (bnre__json_find(one, "cut") != NULL &&
             bnre__json_real_of(one, "share") < 1)
        bnre__html(page,
                   "the region no longer shrinks (to %s of the prior): "
                   "these join the simulations in it",
                   BNRE__FIXED(3, bnre__json_real_of(one, "proposed")));
    else if (bnre__json_find(one, "cut") != NULL)
        bnre__html(page,
                   "the round before knew too little to cut much (its region "
                   "has %s of the prior): these join the simulations before",
                   BNRE__FIXED(3, bnre__json_real_of(one, "proposed")));
    else
        bnre__html(page, "of the whole prior again");
    if (!isnan(change))
        bnre__html(page, "; the posterior changed by %s nats",
                   BNRE__FIXED(2, change));
}

static void add_rounds(bnre__page *page, const struct view *view)
{
    const bnre__json *list = rounds_of(view);

    bnre__html(page, "<h2>Rounds, and what they cost</h2>\n");
    bnre__html_table(page, "Rounds");
    bnre__html(page,
               "<thead><tr><th scope=\"col\" class=\"n\">round</th><th "
               "scope=\"col\" class=\"n\">simulated</th><th scope=\"col\" "
               "class=\"n\">learned from</th><th scope=\"col\" "
               "class=\"n\">share of the prior</th><th scope=\"col\">what it "
               "brought</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *one = bnre__json_at(list, i);

        bnre__html(page,
                   "<tr><td class=\"n\">%zu</td><td class=\"n\">%s</td><td "
                   "class=\"n\">%s</td><td class=\"n\">%s</td><td "
                   "class=\"words\">",
                   i + 1, BNRE__COUNT(bnre__json_size_of(one, "simulated")),
                   BNRE__COUNT(bnre__json_size_of(one, "learned")),
                   BNRE__REAL(bnre__json_real_of(one, "share"),
                              bnre__json_real_of(one, "share") / 10));
        add_words(page, one, i);
        bnre__html(page, "</td></tr>\n");
    }
    bnre__html(page, BNRE__TABLE_END);
    bnre__html(page, "<p>%s simulations in all",
               BNRE__COUNT(sum_of(view, "given") + sum_of(view, "simulated")));
    if (view->infer->given_rows > 0)
        bnre__html(page, ", of which %s were given",
                   BNRE__COUNT(view->infer->given_rows));
    if (sum_of(view, "failed") > 0)
        bnre__html(page, "; %s of all failed",
                   BNRE__COUNT(sum_of(view, "failed")));
    bnre__html(page, ".</p>\n");
    if (bnre__json_text_of(view->record, "stopped") != NULL)
        bnre__html(page, "<p>There were fewer rounds than planned: %s.</p>\n",
                   bnre__json_text_of(view->record, "stopped"));
}

/* What was cut off: as estimated, and as measured. */
static void add_cut(bnre__page *page, const struct view *view)
{
    const bnre__json *list = rounds_of(view);
    const double alpha = bnre__json_real_of(view->record, "alpha");

    if (!(alpha > 0))
        return;
    bnre__html(page,
               "<p>The prior was restricted to a region around the "
               "observation. At most %s of the posterior should lie outside: "
               "regions are so large that held-out truths lie outside those of "
               "their own data five times less often, because single "
               "observations differ from the average. How often they did:"
               "</p>\n<ul>\n",
               BNRE__REAL(alpha, alpha));
    for (size_t i = 0; i < bnre__json_count(list); i++) {
        const bnre__json *one = bnre__json_at(list, i);

        if (bnre__json_size_of(one, "truths") > 0)
            bnre__html(
                page,
                "<li>round %zu: %s of %s, so with 95 %% confidence in at most "
                "%s of cases, on average over the prior of the round</li>\n",
                i + 1, BNRE__COUNT(bnre__json_size_of(one, "outside")),
                BNRE__COUNT(bnre__json_size_of(one, "truths")),
                BNRE__FIXED(4, bnre__json_real_of(one, "outside_bound")));
    }
    bnre__html(page, "</ul>\n<p>Simulations of earlier rounds that lie in a "
                     "region teach; only those made for it check. Coverage is "
                     "that of regions that are smallest in the coordinates of "
                     "the round.</p>\n");
}

/* A word of a command line as a shell takes it. */
static void add_word(bnre__page *page, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./:=,+";

    if (word[0] != 0 && word[strspn(word, plain)] == 0) {
        bnre__html(page, " %s", word);
        return;
    }
    bnre__html(page, " '");
    for (const char *at = word; *at != 0; at++)
        if (*at == '\'')
            bnre__html(page, "'\\''");
        else
            bnre__html(page, "%s", (char[]){*at, 0});
    bnre__html(page, "'");
}

static void add_option(bnre__page *page, const char *name, const char *value)
{
    if (value == NULL)
        return;
    bnre__html(page, " --%s", name);
    add_word(page, value);
}

static void add_number(bnre__page *page, const char *name, double value)
{
    char text[32];

    bnre__text_real(value, text);
    add_option(page, name, text);
}

static void add_making(bnre__page *page, const struct view *view)
{
    const bnre_infer_settings *settings = view->infer->settings;
    char seed[24];

    snprintf(seed, sizeof seed, "%" PRIu64, view->infer->request->seed);
    bnre__html(page, "<h2>How to make it again</h2>\n<pre>bnre infer");
    add_option(page, "task", settings->task);
    for (size_t i = 0; i < settings->option.count; i++)
        add_option(page, "option", settings->option.text[i]);
    for (size_t i = 0; i < settings->observation.count; i++)
        add_option(page, "observation", settings->observation.text[i]);
    bnre__html(page, " --simulations %zu --rounds %s --method %s --seed %s",
               settings->simulations, settings->rounds,
               bnre_method_name(view->infer->method), seed);
    add_option(page, "data", settings->data);
    add_option(page, "truth", settings->truth);
    add_number(page, "alpha", settings->alpha);
    bnre__html(page, " --samples %zu", settings->samples);
    add_option(page, "format", settings->format);
    bnre__html(page,
               " -o DIR</pre>\n<details><summary>All that the result "
               "depends on: <code>infer.yaml</code></summary><div><pre>"
               "%s</pre></div></details>\n",
               view->infer->made);
    bnre__html(page,
               "<p class=\"soft\">The same command gives the same bytes. "
               "<code>bnre posterior estimator.h5 --observation FILE</code> "
               "computes posteriors again, <code>bnre info estimator.h5</code> "
               "tells about the networks.</p>\n");
}

static void write_page(bnre__page *page, const struct view *view)
{
    char title[200];

    snprintf(title, sizeof title, "Posterior of %s",
             bnre_task_name(view->infer->task));
    bnre__html_begin(page, title);
    bnre__html(page,
               "Task <code>%s</code>, method <code>%s</code>, %s simulations "
               "in all</p>\n</header>\n<main>\n",
               bnre_task_name(view->infer->task),
               bnre_method_name(view->infer->method),
               BNRE__COUNT(sum_of(view, "given") + sum_of(view, "simulated")));
    add_notes(page, view);
    add_posterior(page, view);
    add_trust(page, view);
    add_rounds(page, view);
    add_making(page, view);
    bnre__html(page, "</main>\n<footer>Written by bnre " BNRE_VERSION
                     " from the files beside it.</footer>\n</body>\n</html>\n");
}

bnre_status bnre__infer_page(const bnre__infer *infer)
{
    bnre_status status = BNRE_OK;
    struct view view = {0};
    bnre__page page = {0};
    char *path = NULL;

    BNRE_TRY(open_view(infer, &view));
    write_page(&page, &view);
    BNRE_TRY(bnre__text_check(&page.text));
    BNRE_TRY(bnre__infer_path(infer, 0, "report.html", &path));
    status = bnre__file_put(path, page.text.data, page.text.length);
done:
    bnre__free(path);
    bnre__free(page.text.data);
    close_view(&view);
    return status;
}
