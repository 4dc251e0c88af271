
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings (docs/writes.md): which names are on a page, and its JSON.
 */


#ifndef ART_LISTING_H_INCLUDED_
#define ART_LISTING_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_put.h"


#define ART_PAGE_LIMIT      100      /* names, by default */
#define ART_PAGE_LIMIT_MAX  1000

/* All names of a page together; fewer of them fit if they are longer. */

#define ART_PAGE_BYTES_MAX  262144


typedef struct {
    art_str_t          name;
    void              *data;     /* the caller's */
} art_page_item_t;


/*
 * One page of a listing: the names that come first after a given one, in byte
 * order, of any number of names, offered once or several times in any order.
 * The memory is that of one page, however many names are offered.
 *
 * The caller sets items, limit and after in a zeroed page, and the cost if an
 * entry takes bytes besides its name (for the path of its folder).  "items" is
 * the caller's memory, with room for limit + 1 of them; the names belong to the
 * caller as well.  "more": there are names after the last one of the page.  A
 * name that was omitted once stays out, so a listing that goes on after the
 * last name misses none.
 */

typedef struct {
    art_page_item_t   *items;    /* in order, no two of one name */
    size_t             n;
    size_t             limit;    /* 1 to ART_PAGE_LIMIT_MAX */
    size_t             bytes;    /* of the names, with their costs */
    size_t             cost;     /* bytes of each one besides its name */
    art_str_t          after;    /* or empty: from the first name on */
    unsigned           more:1;
} art_page_t;


typedef enum {
    ART_PAGE_OUT = 0,            /* not after "after", or already listed */
    ART_PAGE_IN,
    ART_PAGE_BEYOND              /* after the last name of a full page */
} art_page_position_t;


/*
 * The position that a name would get; nothing is changed.  After
 * ART_PAGE_BEYOND the caller sets "more" if an entry of that name exists.
 */

art_page_position_t art_page_position(const art_page_t *page, art_str_t name);


/*
 * Puts a name whose position is ART_PAGE_IN on the page.  If the page becomes
 * too large, names are taken off its end: "drop" gets the data of each.
 */

void art_page_add(art_page_t *page, art_str_t name, void *data,
    void (*drop)(void *data));


/* The item of a name; NULL if it is not on the page. */

art_page_item_t *art_page_get(const art_page_t *page, art_str_t name);


/*
 * Whether a folder can be skipped: no name starting with "prefix" (which ends
 * with a "/") could get onto the page or change it.
 */

int art_page_skips(const art_page_t *page, art_str_t prefix);


/*
 * The arguments of all requests for pages.  art_page_limit() takes decimal
 * digits, a number above 0; more than ART_PAGE_LIMIT_MAX counts as that.
 * art_page_flag() takes "1", "true", "yes", "0", "false" or "no", in any case.
 * ART_ERROR for anything else.
 */

int art_page_limit(art_str_t text, size_t *limit);
int art_page_flag(art_str_t text, unsigned *flag);


typedef enum {
    ART_LISTING_ARTIFACTS = 0,
    ART_LISTING_WORKSPACES,
    ART_LISTING_FOLDER              /* of a workspace */
} art_listing_kind_t;


/* What is listed; the strings are those of a folder. */

typedef struct {
    art_listing_kind_t  kind;
    art_str_t           workspace;
    art_str_t           path;      /* without a "/" at the end; or empty */
} art_listing_t;


/* An entry of a listing.  Unknown strings have data NULL. */

typedef struct {
    art_str_t         id;        /* of an artifact or a workspace */
    art_str_t         path;      /* of a file or folder, in its workspace */
    art_str_t         name;      /* not of a workspace; ART_META_NAME_MAX */
    art_str_t         type;      /* as an artifact's sidecar declares it */
    art_str_t         mime;      /* in effect; none for a folder */
    uint64_t          size;      /* bytes */
    art_str_t         created;
    art_str_t         updated;
    art_str_t         expires;
    art_str_t         message_id;
    unsigned          folder:1;
} art_listing_entry_t;


/*
 * Write a listing: its beginning, the entries, and its end, with their number
 * and, as member "key", where the next page begins, unless its data is NULL.  A
 * file's id is built from its workspace and path (ART_ID_PATH_MAX bytes at
 * most).  Keys are in the order of the documentation.
 */

void art_listing_begin(art_json_put_t *put, const art_listing_t *list);
void art_listing_entry(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry);
void art_listing_end(art_json_put_t *put, size_t count, const char *key,
    art_str_t next);


#endif /* ART_LISTING_H_INCLUDED_ */
