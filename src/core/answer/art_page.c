
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/answer/art_page.h"


static size_t art_page_find(const art_page_t *page, art_str_t name,
    int *found);


void
art_page_init(art_page_t *page, art_page_item_t *items, size_t limit,
    art_str_t after)
{
    page->items = items;
    page->n = 0;
    page->limit = limit;
    page->bytes = 0;
    page->cost = 0;
    page->after = after;
    page->more = 0;
}


art_page_place_t
art_page_place(const art_page_t *page, art_str_t name)
{
    int     found;
    size_t  i;

    if (page->after.len > 0 && art_str_cmp(name, page->after) <= 0) {
        return ART_PAGE_OUT;
    }

    i = art_page_find(page, name, &found);

    if (found) {
        return ART_PAGE_OUT;
    }

    if (i < page->n || page->n == 0) {
        return ART_PAGE_IN;
    }

    /* behind the last one: only while nothing was left out there before */

    return page->more
           || page->n == page->limit
           || page->bytes + page->cost + name.len > ART_PAGE_BYTES_MAX
           ? ART_PAGE_BEYOND : ART_PAGE_IN;
}


void
art_page_add(art_page_t *page, art_str_t name, void *data)
{
    int     found;
    size_t  i;

    /* a sorted array: a heap could not tell that a name is there already */

    i = art_page_find(page, name, &found);

    memmove(page->items + i + 1, page->items + i,
            (page->n - i) * sizeof(art_page_item_t));

    page->items[i].name = name;
    page->items[i].data = data;
    page->n++;
    page->bytes += page->cost + name.len;
}


void *
art_page_excess(art_page_t *page)
{
    if (page->n <= 1
        || (page->n <= page->limit && page->bytes <= ART_PAGE_BYTES_MAX))
    {
        return NULL;
    }

    page->n--;
    page->bytes -= page->cost + page->items[page->n].name.len;
    page->more = 1;

    return page->items[page->n].data;
}


art_page_item_t *
art_page_get(const art_page_t *page, art_str_t name)
{
    int     found;
    size_t  i;

    i = art_page_find(page, name, &found);

    return found ? &page->items[i] : NULL;
}


int
art_page_skips(const art_page_t *page, art_str_t prefix)
{
    const art_str_t  *after, *last;

    after = &page->after;

    if (after->len > 0
        && (after->len < prefix.len
            || memcmp(after->data, prefix.data, prefix.len) != 0)
        && art_str_cmp(prefix, *after) < 0)
    {
        return 1;
    }

    if (!page->more || page->n == 0) {
        return 0;
    }

    last = &page->items[page->n - 1].name;

    return art_str_cmp(prefix, *last) > 0;
}


int
art_page_limit(art_str_t text, size_t *limit)
{
    size_t  i, n;

    n = 0;

    for (i = 0; i < text.len; i++) {

        if (text.data[i] < '0' || text.data[i] > '9') {
            return ART_ERROR;
        }

        n = n * 10 + (size_t) (text.data[i] - '0');

        if (n > ART_PAGE_LIMIT_MAX) {
            n = ART_PAGE_LIMIT_MAX;
        }
    }

    if (n == 0) {
        return ART_ERROR;
    }

    *limit = n;

    return ART_OK;
}


int
art_page_flag(art_str_t text, unsigned *flag)
{
    size_t  i;

    static const char *const  words[] = {
        "0", "1", "false", "true", "no", "yes"
    };

    for (i = 0; i < art_nitems(words); i++) {
        if (art_str_is(text, words[i])) {
            *flag = i % 2;
            return ART_OK;
        }
    }

    return ART_ERROR;
}


/* The first item that is not before the name. */

static size_t
art_page_find(const art_page_t *page, art_str_t name, int *found)
{
    int     rc;
    size_t  low, high, mid;

    low = 0;
    high = page->n;
    *found = 0;

    while (low < high) {
        mid = low + (high - low) / 2;
        rc = art_str_cmp(page->items[mid].name, name);

        if (rc < 0) {
            low = mid + 1;
            continue;
        }

        if (rc == 0) {
            *found = 1;
        }

        high = mid;
    }

    return low;
}
