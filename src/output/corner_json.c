#include "output/corner_json.h"

#include "base/mem.h"
#include "output/raster.h"

static bnre_status add_pages(const bnre_prior *prior,
                             const bnre__corner_pages *pages,
                             bnre__json *picture)
{
    bnre_status status = BNRE_OK;
    bnre__json *list, *one;

    BNRE_TRY(bnre__json_list(picture, "pages", &list));
    for (size_t i = 0; i < pages->n; i++) {
        const bnre__corner_page *page = &pages->page[i];

        if (!page->pairs)
            continue;
        BNRE_TRY(bnre__json_list(list, NULL, &one));
        for (size_t k = 0; k < page->n; k++)
            BNRE_TRY(bnre__json_text(
                one, NULL,
                bnre_prior_name(prior, pages->parameter[page->first + k])));
    }
done:
    return status;
}

static bnre_status add_ranges(const bnre_posterior *posterior,
                              const bnre__corner_pages *pages,
                              bnre__json *picture)
{
    const bnre_prior *prior = bnre_posterior_points(posterior)->prior;
    bnre_status status = BNRE_OK;
    bnre__json *ranges;

    BNRE_TRY(bnre__json_object(picture, "ranges", &ranges));
    for (size_t k = 0; k < pages->shown; k++) {
        const size_t i = pages->parameter[k];
        bnre__raster raster;
        double ends[2];

        BNRE_TRY(bnre__raster_init(&raster, posterior, i, 1));
        ends[0] = raster.low;
        ends[1] = raster.high;
        BNRE_TRY(bnre__json_reals(ranges, bnre_prior_name(prior, i), 2, ends));
    }
done:
    return status;
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
    BNRE_TRY(add_pages(prior, &pages, picture));
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
