
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Pages of listings: their names, order and bounds; paging meets every name
 * once; the arguments of a request.
 */


#include "core/answer/art_listing.h"
#include "tap.h"


#define CASES      400
#define NAMES_MAX  300


typedef struct {
    art_str_t  names[NAMES_MAX];
    size_t     n;
} set_t;


static art_page_item_t  items[ART_PAGE_LIMIT_MAX + 1];


static void
start(art_page_t *page, art_page_item_t *memory, size_t limit,
    art_str_t after)
{
    memset(page, 0, sizeof(*page));

    page->items = memory;
    page->limit = limit;
    page->after = after;
}


/* The data is a name: nothing to free. */

static void
drop(void *data)
{
    (void) data;
}


/* Offers a name as the walkers do. */

static void
offer(art_page_t *page, const art_str_t *name)
{
    art_page_position_t  position;

    position = art_page_position(page, *name);

    if (position == ART_PAGE_BEYOND) {
        page->more = 1;

    } else if (position == ART_PAGE_IN) {
        art_page_add(page, *name, (void *) (uintptr_t) name, drop);
    }
}


static int
cmp(const void *a, const void *b)
{
    return art_str_cmp(*(const art_str_t *) a, *(const art_str_t *) b);
}


static void
random_set(set_t *set, size_t max, size_t longest)
{
    size_t    i, k, len;
    uint8_t  *p;

    static const char  alphabet[] = "ab/-.\\\xc3";

    set->n = tap_below(max + 1);

    for (i = 0; i < set->n; i++) {
        len = 1 + tap_below(longest);
        p = malloc(len);

        for (k = 0; k < len; k++) {
            p[k] = (uint8_t) alphabet[tap_below(sizeof(alphabet) - 1)];
        }

        set->names[i] = art_str(p, len);
    }
}


static void
free_set(set_t *set)
{
    size_t  i;

    for (i = 0; i < set->n; i++) {
        free((void *) (uintptr_t) set->names[i].data);
    }
}


/* The sorted set without what stands in it twice, as pointers into it. */

static size_t
sorted(const set_t *set, art_str_t *out)
{
    size_t  i, n;

    memcpy(out, set->names, set->n * sizeof(art_str_t));
    qsort(out, set->n, sizeof(art_str_t), cmp);

    n = 0;

    for (i = 0; i < set->n; i++) {
        if (n == 0 || art_str_cmp(out[n - 1], out[i]) != 0) {
            out[n++] = out[i];
        }
    }

    return n;
}


static void
offer_all(art_page_t *page, const set_t *set)
{
    size_t  i, start;

    /* in another order each time, and some of them twice */

    start = set->n ? tap_below(set->n) : 0;

    for (i = 0; i < set->n; i++) {
        offer(page, &set->names[(start + i) % set->n]);

        if (tap_below(4) == 0) {
            offer(page, &set->names[tap_below(set->n)]);
        }
    }
}


/* All pages of a set, one after the other; the number of what is wrong. */

static unsigned
page_through(const set_t *set, size_t limit, size_t cost)
{
    size_t       i, n, seen;
    unsigned     wrong, pages;
    art_str_t    after, want[NAMES_MAX];
    art_page_t   page;

    n = sorted(set, want);
    seen = 0;
    wrong = 0;
    pages = 0;
    after = art_str(NULL, 0);

    do {
        start(&page, items, limit, after);
        page.cost = cost;
        offer_all(&page, set);

        if (page.n > limit || (page.more && page.n == 0)
            || (page.n > 1 && page.bytes > ART_PAGE_BYTES_MAX)
            || ++pages > n + 1)
        {
            return wrong + 1;
        }

        for (i = 0; i < page.n; i++) {
            wrong += seen >= n
                     || !art_str_eq(page.items[i].name, want[seen++]);
        }

        if (page.n > 0) {
            after = page.items[page.n - 1].name;
        }

        /* there is more if and only if not all have been seen */

        wrong += (seen < n) != page.more;

    } while (page.more);

    return wrong + (seen != n);
}


static void
test_paging(void)
{
    size_t    i;
    set_t     set;
    unsigned  wrong;

    wrong = 0;

    for (i = 0; i < CASES; i++) {
        random_set(&set, i % 60, 1 + i % 9);
        wrong += page_through(&set, 1 + tap_below(12), 0);
        free_set(&set);
    }

    is_int(wrong, 0, "pages of random names meet every one once, in order");

    wrong = 0;

    for (i = 0; i < 40; i++) {
        random_set(&set, NAMES_MAX, 4095);
        wrong += page_through(&set, 1 + tap_below(ART_PAGE_LIMIT_MAX),
                              tap_below(4096));
        free_set(&set);
    }

    is_int(wrong, 0, "so do pages that are bounded by their bytes");
}


/* A folder that is skipped must not matter, whatever lies in it. */

static void
test_skips(void)
{
    int         skips;
    size_t      i, k, skipped;
    set_t       set;
    unsigned    wrong;
    art_str_t   prefix, name, after;
    uint8_t     buf[64];
    art_page_t  page;

    wrong = 0;
    skipped = 0;

    for (i = 0; i < 4 * CASES; i++) {
        random_set(&set, 12, 5);

        if (set.n < 3) {
            free_set(&set);
            continue;
        }

        after = tap_below(3) ? set.names[0] : art_str(NULL, 0);
        start(&page, items, 1 + tap_below(3), after);
        offer_all(&page, &set);

        prefix = set.names[1];
        memcpy(buf, prefix.data, prefix.len);
        buf[prefix.len] = '/';
        prefix = art_str(buf, prefix.len + 1);

        skips = art_page_skips(&page, prefix);
        skipped += (size_t) skips;

        for (k = 0; k < set.n; k++) {
            memcpy(buf + prefix.len, set.names[k].data, set.names[k].len);
            name = art_str(buf, prefix.len + set.names[k].len);

            wrong += skips && art_page_position(&page, name) == ART_PAGE_IN;
            wrong += skips && !page.more
                     && art_page_position(&page, name) != ART_PAGE_OUT;
        }

        free_set(&set);
    }

    is_int(wrong, 0, "nothing in a skipped folder belongs on the page");
    ok(skipped > CASES / 4, "folders are skipped, %zu of them", skipped);

    start(&page, items, 2, art_cstr("b/m"));
    ok(art_page_skips(&page, art_cstr("a/")), "a folder before \"after\"");
    ok(!art_page_skips(&page, art_cstr("b/")), "the folder of \"after\"");
    ok(!art_page_skips(&page, art_cstr("b/m/")), "a folder of its name");
    ok(art_page_skips(&page, art_cstr("b-/")), "\"-\" is before \"/\"");
    ok(!art_page_skips(&page, art_cstr("b0/")), "and \"0\" behind it");
}


static void
test_get(void)
{
    char             data;
    art_page_t       page;
    art_page_item_t  items[4], *item;

    start(&page, items, 3, art_str(NULL, 0));
    ok(art_page_get(&page, art_cstr("b")) == NULL, "nothing on it");

    art_page_add(&page, art_cstr("c"), &data, drop);
    art_page_add(&page, art_cstr("a"), NULL, drop);

    item = art_page_get(&page, art_cstr("c"));
    ok(item != NULL && item->data == &data, "a name on the page");
    ok(art_page_get(&page, art_cstr("b")) == NULL, "none in between");
    ok(art_page_get(&page, art_cstr("d")) == NULL, "none behind");
}


static void
test_words(void)
{
    size_t    i, limit;
    unsigned  flag;

    static const struct {
        const char  *text;
        size_t       limit;
    } limits[] = {
        { "1", 1 }, { "100", 100 }, { "1000", 1000 }, { "0007", 7 },
        { "1001", 1000 }, { "18446744073709551617", 1000 },
        { "", 0 }, { "0", 0 }, { "000", 0 }, { "-1", 0 }, { "+1", 0 },
        { " 1", 0 }, { "1 ", 0 }, { "1a", 0 }, { "0x1", 0 }
    };

    static const struct {
        const char  *text;
        int          flag;
    } flags[] = {
        { "1", 1 }, { "true", 1 }, { "YES", 1 }, { "0", 0 }, { "False", 0 },
        { "no", 0 }, { "", -1 }, { "2", -1 }, { "on", -1 }, { "tru", -1 },
        { "truee", -1 }
    };

    for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        limit = 0;

        ok((art_page_limit(art_cstr(limits[i].text), &limit) == ART_OK)
           == (limits[i].limit > 0) && limit == limits[i].limit,
           "limit \"%s\"", limits[i].text);
    }

    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        flag = 7;

        ok((art_page_flag(art_cstr(flags[i].text), &flag) == ART_OK)
           ? (int) flag == flags[i].flag : flags[i].flag == -1,
           "flag \"%s\"", flags[i].text);
    }
}


int
main(void)
{
    test_paging();
    test_skips();
    test_get();
    test_words();

    return done();
}
