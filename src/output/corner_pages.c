/* corner_pages.c - which parameters are on which page of a corner plot:
   drawn, as JSON, and in words. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/file.h"
#include "output/corner.h"
#include "output/raster.h"
#include "prior/prior.h"

static const char *name_at(const void *list, size_t i)
{
    const bnre_prior *prior = list;

    return i < bnre_prior_dim(prior) ? bnre_prior_name(prior, i) : NULL;
}

/* ---- the choice ---- */

static bnre_status refuse(const bnre_prior *prior, const char *name)
{
    const char *near = bnre__text_nearest(name, name_at, prior);
    bnre_status status = BNRE_OK;
    bnre__text all = {0};

    for (size_t i = 0; i < bnre_prior_dim(prior); i++)
        bnre__text_put(&all, i > 0 ? ", %s" : "%s", bnre_prior_name(prior, i));
    BNRE_TRY(bnre__text_check(&all));
    if (near != NULL)
        status = bnre_fail(BNRE_EUSAGE,
                           "there is no parameter \"%s\" to show; did you mean "
                           "%s? There are: %s",
                           name, near, all.data);
    else
        status = bnre_fail(BNRE_EUSAGE,
                           "there is no parameter \"%s\" to show; there are: "
                           "%s",
                           name, all.data != NULL ? all.data : "none");
done:
    bnre__free(all.data);
    return status;
}

static bnre_status add_named(const bnre_prior *prior, const char *name,
                             size_t *n, size_t *parameter)
{
    size_t i = 0;

    while (i < bnre_prior_dim(prior) &&
           strcmp(bnre_prior_name(prior, i), name) != 0)
        i++;
    if (i == bnre_prior_dim(prior))
        return refuse(prior, name);
    if (bnre__prior_is_fixed(prior, i))
        return bnre_fail(BNRE_EUSAGE,
                         "%s is fixed: there is nothing of it to show", name);
    for (size_t k = 0; k < *n; k++)
        if (parameter[k] == i)
            return bnre_fail(BNRE_EUSAGE, "%s is to be shown twice", name);
    parameter[(*n)++] = i;
    return BNRE_OK;
}

static bnre_status read_choice(const bnre_prior *prior, const char *show,
                               size_t *n, size_t *parameter)
{
    bnre_status status = BNRE_OK;
    char *copy = NULL, *name, *comma;

    BNRE_TRY(bnre__strdup(show, &copy));
    for (name = copy; name != NULL; name = comma) {
        size_t length;

        comma = strchr(name, ',');
        if (comma != NULL)
            *comma++ = 0;
        name += strspn(name, " ");
        length = strlen(name);
        while (length > 0 && name[length - 1] == ' ')
            name[--length] = 0;
        if (length == 0)
            BNRE_THROW(BNRE_EUSAGE,
                       "show must be names of parameters with commas between "
                       "them, got \"%s\"",
                       show);
        BNRE_TRY(add_named(prior, name, n, parameter));
    }
done:
    bnre__free(copy);
    return status;
}

bnre_status bnre_posterior_shown(const bnre_prior *prior, const char *show,
                                 size_t *n, size_t *parameter)
{
    *n = 0;
    if (show != NULL)
        return read_choice(prior, show, n, parameter);
    for (; *n < bnre_prior_dim(prior); (*n)++)
        parameter[*n] = *n;
    return BNRE_OK;
}

/* ---- pages ---- */

/* `n` parameters from `first` on, on pages of at most `most`. */
static void add_pages(bnre__corner_pages *pages, int pairs, size_t first,
                      size_t n, size_t most)
{
    const size_t count = (n + most - 1) / most;
    const char *word = pairs ? "" : "-marginals";

    for (size_t k = 0; k < count; k++) {
        bnre__corner_page *page = &pages->page[pages->n++];

        *page = (bnre__corner_page){
            .pairs = pairs, .n = n / count + (k < n % count), .first = first};
        first += page->n;
        if (k == 0)
            snprintf(page->ending, sizeof page->ending, "%s", word);
        else
            snprintf(page->ending, sizeof page->ending, "%s-%zu", word, k + 1);
    }
}

bnre_status bnre__corner_pages_init(const bnre_prior *prior, const char *show,
                                    bnre__corner_pages *out)
{
    const size_t dim = bnre_prior_dim(prior);
    bnre_status status = BNRE_OK;

    *out = (bnre__corner_pages){0};
    BNRE_NEW(out->parameter, 2 * dim + 1);
    BNRE_NEW(out->page, 2 * dim + 1);
    for (size_t i = 0; i < dim; i++)
        out->free += (size_t)!bnre__prior_is_fixed(prior, i);
    if (show != NULL)
        BNRE_TRY(read_choice(prior, show, &out->shown, out->parameter));
    for (size_t i = 0; show == NULL && i < dim; i++)
        if (!bnre__prior_is_fixed(prior, i))
            out->parameter[out->shown++] = i;
    add_pages(out, 1, 0, out->shown, BNRE__CORNER_PAGE);
    if (out->n == 1 && out->shown == out->free)
        goto done;
    for (size_t i = 0, k = out->shown; i < dim; i++)
        if (!bnre__prior_is_fixed(prior, i))
            out->parameter[k++] = i;
    add_pages(out, 0, out->shown, out->free, BNRE__CORNER_MARGINALS);
done:
    if (status != BNRE_OK)
        bnre__corner_pages_clear(out);
    return status;
}

void bnre__corner_pages_clear(bnre__corner_pages *pages)
{
    bnre__free(pages->page);
    bnre__free(pages->parameter);
    *pages = (bnre__corner_pages){0};
}

/* ---- pictures ---- */

/* Pages STEM WORD, STEM WORD-2, ... from number `from` on that an earlier
   picture had. */
static bnre_status remove_left(const char *stem, const char *word, size_t from)
{
    static const char *const ending[] = {"gp", "dat", "svg", "pdf", "png"};
    bnre_status status = BNRE_OK;
    char *path = NULL;
    int found = 1;

    for (size_t k = from; found; k++) {
        char number[24] = "";

        if (k > 1)
            snprintf(number, sizeof number, "-%zu", k);
        found = 0;
        for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
            bnre__free(path);
            path = NULL;
            BNRE_TRY(bnre__text_format(&path, "%s%s%s.%s", stem, word, number,
                                       ending[i]));
            if (!bnre__file_exists(path))
                continue;
            found = 1;
            BNRE_TRY(bnre__file_remove(path));
        }
    }
done:
    bnre__free(path);
    return status;
}

bnre_status bnre__corner_draw(const bnre_posterior *posterior, const char *stem,
                              const bnre__corner_opts *opts, int *drawn)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    bnre__corner_pages pages = {0};
    bnre__corner_view view = {0};
    bnre_status status = BNRE_OK;
    size_t count[2] = {0};
    char *name = NULL;
    int one;

    *drawn = 1;
    BNRE_TRY(bnre__corner_pages_init(prior, opts->show, &pages));
    for (size_t i = 0; i < pages.n; i++) {
        const bnre__corner_page *page = &pages.page[i];

        bnre__free(name);
        name = NULL;
        BNRE_TRY(bnre__text_format(&name, "%s%s", stem, page->ending));
        bnre__corner_view_clear(&view);
        BNRE_TRY(bnre__corner_view_init(posterior, &pages, page, opts, &view));
        BNRE_TRY(bnre__corner_view_draw(&view, name, opts->formats, &one));
        *drawn = *drawn && one;
        count[page->pairs]++;
    }
    BNRE_TRY(remove_left(stem, "", count[1] + 1));
    BNRE_TRY(remove_left(stem, "-marginals", count[0] + 1));
done:
    bnre__free(name);
    bnre__corner_view_clear(&view);
    bnre__corner_pages_clear(&pages);
    return status;
}

/* ---- for plots that are to share their axes ---- */

static bnre_status list_pages(const bnre_prior *prior,
                              const bnre__corner_pages *pages,
                              bnre__json *picture)
{
    bnre__json *list, *one;

    BNRE_DO(bnre__json_list(picture, "pages", &list));
    for (size_t i = 0; i < pages->n; i++) {
        const bnre__corner_page *page = &pages->page[i];

        if (!page->pairs)
            continue;
        BNRE_DO(bnre__json_list(list, NULL, &one));
        for (size_t k = 0; k < page->n; k++)
            BNRE_DO(bnre__json_text(
                one, NULL,
                bnre_prior_name(prior, pages->parameter[page->first + k])));
    }
    return BNRE_OK;
}

static bnre_status add_ranges(const bnre_posterior *posterior,
                              const bnre__corner_pages *pages,
                              bnre__json *picture)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    bnre__json *ranges;

    BNRE_DO(bnre__json_object(picture, "ranges", &ranges));
    for (size_t k = 0; k < pages->shown; k++) {
        const size_t i = pages->parameter[k];
        bnre__raster raster;
        double ends[2];

        BNRE_DO(bnre__raster_init(&raster, posterior, i, 1));
        ends[0] = raster.low;
        ends[1] = raster.high;
        BNRE_DO(bnre__json_reals(ranges, bnre_prior_name(prior, i), 2, ends));
    }
    return BNRE_OK;
}

bnre_status bnre__corner_json(const bnre_posterior *posterior,
                              const bnre__corner_opts *opts, bnre__json *root)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    bnre__corner_pages pages = {0};
    bnre_status status = BNRE_OK;
    bnre__json *picture, *list, *one;

    BNRE_TRY(bnre__corner_pages_init(prior, opts->show, &pages));
    BNRE_TRY(bnre__json_object(root, "picture", &picture));
    BNRE_TRY(list_pages(prior, &pages, picture));
    BNRE_TRY(add_ranges(posterior, &pages, picture));
    BNRE_TRY(bnre__json_list(picture, "regions", &list));
    for (size_t c = 0; c < opts->contours; c++) {
        BNRE_TRY(bnre__json_object(list, NULL, &one));
        BNRE_TRY(bnre__json_real(one, "level", opts->contour[c].level));
        BNRE_TRY(bnre__json_real(one, "content", opts->contour[c].content));
        BNRE_TRY(bnre__json_flag(one, "conformal", opts->contour[c].conformal));
    }
    if (opts->note != NULL)
        BNRE_TRY(bnre__json_text(picture, "note", opts->note));
done:
    bnre__corner_pages_clear(&pages);
    return status;
}

/* ---- in words ---- */

enum { FEW = 3 }; /* parameters that are named even if they are all */

static void add_page(const bnre_posterior_files *files, const bnre_prior *prior,
                     const bnre__corner_pages *pages, size_t i,
                     bnre__text *text)
{
    const bnre__corner_page *page = &pages->page[i];
    const size_t ending = strcspn(files->formats, ",");

    bnre__text_put(text, "%scorner%s.%.*s: ", i > 0 ? "; " : "", page->ending,
                   ending > 0 ? (int)ending : 2,
                   ending > 0 ? files->formats : "gp");
    if (page->n == pages->free && page->n > FEW) {
        bnre__text_put(text, "all %zu parameters%s", page->n,
                       page->pairs ? "" : ", one by one");
        return;
    }
    for (size_t k = 0; k < page->n; k++)
        bnre__text_put(
            text, "%s%s", k > 0 ? ", " : "",
            bnre_prior_name(prior, pages->parameter[page->first + k]));
    if (!page->pairs)
        bnre__text_put(text, ", one by one");
}

bnre_status bnre_posterior_pictures(const bnre_posterior_files *files,
                                    const bnre_prior *prior, char **out)
{
    bnre__corner_pages pages = {0};
    bnre_status status = BNRE_OK;
    bnre__text text = {0};

    *out = NULL;
    BNRE_TRY(bnre__corner_pages_init(prior, files->show, &pages));
    for (size_t i = 0; i < pages.n; i++)
        add_page(files, prior, &pages, i, &text);
    if (pages.n == 0)
        bnre__text_put(&text, "none: all parameters are fixed");
    else if (pages.shown > BNRE__CORNER_PAGE)
        bnre__text_put(&text, ". Pairs of parameters on different pages are "
                              "shown by `show: a,b,...`");
    status = bnre__text_take(&text, out);
done:
    bnre__corner_pages_clear(&pages);
    return status;
}
