/* page.c - report.html: the whole page, and its figures. */
#include <string.h>

#include "base/mem.h"
#include "bnre/study.h"
#include "io/file.h"
#include "io/writer_lock.h"
#include "output/figure.h"
#include "study/page/html.h"

static const char style[] =
    ":root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1d2126;"
    "--soft:#5d6670;--line:#dfe2e5;--link:#0b5cad;--code:#f1f2f0;"
    "--good:#11713f;--good-back:#e0f3e7;--bad:#a6201c;--bad-back:#fbe4e1;"
    "--open:#7a5200;--open-back:#fcefd2;--dull:#4d5660;--dull-back:#e8ebee}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;"
    "--ink:#e6e8ea;--soft:#9aa4ae;--line:#343a41;--link:#7db8f5;"
    "--code:#24292e;--good:#7ddba5;--good-back:#143524;--bad:#ff9d94;"
    "--bad-back:#471b18;--open:#f2c464;--open-back:#41300e;--dull:#b4bdc6;"
    "--dull-back:#2b3138}\n"
    /* Pictures are drawn on white: turned over, their hues stay. */
    "figure .picture{filter:invert(.92) hue-rotate(180deg) "
    "brightness(1.45)}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,"
    "sans-serif;overflow-wrap:anywhere}\n"
    "main,header,footer{max-width:1160px;margin:0 auto;padding:0 1.25rem}\n"
    "header{padding-top:2.2rem}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;"
    "letter-spacing:-.015em}\n"
    "h2{font-size:1.3rem;margin:2.6rem 0 .7rem;letter-spacing:-.01em}\n"
    "h3{font-size:1.05rem;margin:1.6rem 0 .5rem}\n"
    "p{margin:.5rem 0;max-width:74ch}.soft,figcaption,.lead{color:var(--soft)}"
    ".lead{font-size:1.05rem}\n"
    "a{color:var(--link)}\n"
    ".wide{overflow-x:auto;border:1px solid var(--line);border-radius:10px;"
    "background:var(--card)}\n"
    "table{border-collapse:collapse;width:100%;font-size:.92rem;"
    "overflow-wrap:normal;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.5rem .7rem;text-align:left;white-space:nowrap;"
    "border-top:1px solid var(--line)}\n"
    "thead th{border-top:0;font-weight:600;color:var(--soft);"
    "font-size:.82rem;vertical-align:bottom}\n"
    "td.n,th.n{text-align:right}td.words{white-space:normal;min-width:22rem}\n"
    "small,.pm{color:var(--soft)}\n"
    ".mark{display:inline-block;padding:.06rem .55rem;border-radius:99px;"
    "font-size:.78rem;font-weight:650;letter-spacing:.02em;margin:.1rem .3rem "
    ".1rem 0;color:var(--dull);background:var(--dull-back)}\n"
    ".mark.good{color:var(--good);background:var(--good-back)}"
    ".mark.bad{color:var(--bad);background:var(--bad-back)}"
    ".mark.open{color:var(--open);background:var(--open-back)}\n"
    ".note{border-left:4px solid var(--open);background:var(--open-back);"
    "border-radius:6px;padding:.5rem .9rem;margin:.8rem 0}"
    ".note p{margin:.2rem 0;max-width:none}\n"
    "figure{margin:1rem 0 1.8rem;background:var(--card);"
    "border:1px solid var(--line);border-radius:10px;padding:1rem}\n"
    "figure .picture{background:#fff;border-radius:6px}\n"
    "figure svg{display:block;max-width:100%;height:auto;margin:0 auto}"
    "figure .picture{overflow-x:auto}\n"
    "ul{margin:.4rem 0;padding-left:1.2rem}li{margin:.3rem 0;max-width:74ch}\n"
    "details figure{border:0;padding:0;margin:1rem 0}\n"
    "figcaption{font-size:.9rem;margin-top:.7rem}figcaption strong"
    "{color:var(--ink)}\n"
    ".pair{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,"
    "minmax(min(100%,420px),1fr))}.pair figure{margin:0}\n"
    "pre{background:var(--code);border-radius:8px;padding:.8rem 1rem;"
    "overflow-x:auto;font-size:.86rem;line-height:1.45;overflow-wrap:normal}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"
    "monospace}\n"
    "details{border:1px solid var(--line);border-radius:10px;"
    "background:var(--card);margin:.5rem 0}\n"
    "summary{cursor:pointer;padding:.55rem .9rem}summary:focus-visible{outline:"
    "2px solid var(--link);border-radius:10px}\n"
    "details>div{padding:0 .9rem .8rem}\n"
    "dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;"
    "gap:.25rem 1.2rem;margin:.6rem 0}dt{color:var(--soft)}dd{margin:0}\n"
    "@media(max-width:600px){body{font-size:15px}figure{padding:.6rem}"
    "main,header,footer{padding-left:.8rem;padding-right:.8rem}"
    "figure svg.broad{max-width:none;width:36rem}"
    "dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}"
    "td.words{min-width:15rem}}\n"
    "@media print{details>div{display:block}figure,tr{break-inside:avoid}}\n"
    "footer{margin-top:3rem;padding-bottom:2rem;color:var(--soft);"
    "font-size:.85rem}\n";

void bnre__html_begin(bnre__page *page, const char *title)
{
    /* Nothing but what is in the file may be loaded or run. */
    bnre__html(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=\"generator\" content=\"bnre " BNRE_VERSION "\">\n"
        "<title>%s</title>\n<style>\n",
        title);
    bnre__text_put(&page->text, "%s", style);
    bnre__html(page,
               "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n"
               "<p class=\"lead\">",
               title);
}

/* The method of all runs; NULL if they differ, or do not tell it. */
static const char *method_of_all(const bnre__saved_study *study)
{
    const char *first = NULL;

    for (size_t i = 0; i < study->runs; i++) {
        const char *one = bnre__run_column(study, &study->run[i], "method");

        if (one == NULL || (first != NULL && strcmp(one, first) != 0))
            return NULL;
        first = one;
    }
    return first;
}

static void begin(bnre__page *page)
{
    const bnre__saved_study *study = page->study;
    const char *method = method_of_all(study);
    int many = 0;

    bnre__html_begin(page, study->title);
    for (size_t i = 1; i < study->cells; i++)
        many = many || strcmp(study->cell[i].task, study->cell[0].task) != 0;
    if (study->cells > 0 && !many)
        bnre__html(page, "Task <code>%s</code>, ", study->cell[0].task);
    if (method != NULL)
        bnre__html(page, "method <code>%s</code>, ", method);
    bnre__html(page, "%zu run%s in %zu cell%s", study->runs,
               study->runs == 1 ? "" : "s", study->cells,
               study->cells == 1 ? "" : "s");
    for (size_t i = 0; i < study->keys; i++)
        bnre__html(page, "%s%s", i == 0 ? " over " : ", ", study->key[i]);
    bnre__html(page, "</p>\n</header>\n<main>\n");
}

void bnre__page_write(bnre__page *page)
{
    begin(page);
    bnre__section_notes(page);
    bnre__section_verdicts(page);
    bnre__section_models(page);
    bnre__section_rows(page);
    bnre__section_figures(page);
    bnre__section_runs(page);
    bnre__section_advice(page);
    bnre__section_making(page);
    bnre__html(page,
               "</main>\n<footer>Written by bnre " BNRE_VERSION
               " from the files beside it; <code>bnre report</code> writes it "
               "again.</footer>\n</body>\n</html>\n");
}

static bnre_status write_page(const bnre__saved_study *study,
                              const bnre__page_figures *figures,
                              const char *formats, const char *path)
{
    bnre__page page = {.study = study, .figures = figures, .formats = formats};
    bnre_status status = BNRE_OK;

    bnre__page_write(&page);
    BNRE_TRY(bnre__text_check(&page.text));
    status = bnre__file_put(path, page.text.data, page.text.length);
done:
    bnre__free(page.text.data);
    return status;
}

bnre_status bnre_report_write(const char *directory, const char *formats,
                              bnre_report_result *result)
{
    bnre__saved_study study = {0};
    bnre__page_figures figures = {0};
    bnre_status status = BNRE_OK;
    bnre__writer_lock *lock = NULL;
    char *all = NULL, *path = NULL;

    BNRE_TRY(bnre__figure_check_formats(formats));
    BNRE_TRY(bnre__text_format(
        &all, "%s%s%s", strstr(formats, "svg") != NULL ? "" : "svg",
        strstr(formats, "svg") == NULL && *formats != 0 ? "," : "", formats));
    BNRE_TRY(bnre__saved_read(directory, &study));
    BNRE_TRY(bnre__text_format(&path, "%s/report.html", directory));
    BNRE_TRY(bnre__writer_lock_take(path, &lock));
    BNRE_TRY(bnre__page_figures_draw(&study, all, &figures));
    BNRE_TRY(write_page(&study, &figures, all, path));
    if (result != NULL)
        *result = (bnre_report_result){
            .runs = study.runs,
            .done = study.count[BNRE__RUN_DONE],
            .failed = study.count[BNRE__RUN_FAILED],
            .damaged = study.count[BNRE__RUN_DAMAGED],
            .figures = figures.n,
            .drawn = figures.drawn,
        };
done:
    bnre__writer_lock_release(lock);
    bnre__free(path);
    bnre__free(all);
    bnre__page_figures_clear(&figures);
    bnre__saved_clear(&study);
    return status;
}
