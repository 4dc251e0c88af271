
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * One page of a listing: of any number of names, offered once or several times
 * in any order, those that come first behind a given name, in the order of
 * their bytes.  The memory is that of one page, whatever is offered.
 */


#ifndef ART_PAGE_H_INCLUDED_
#define ART_PAGE_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_PAGE_LIMIT      100      /* names, unless the client asks */
#define ART_PAGE_LIMIT_MAX  1000

/* All names of a page together; a page of longer ones holds fewer. */

#define ART_PAGE_BYTES_MAX  262144


typedef struct {
    art_str_t          name;
    void              *data;     /* the caller's */
} art_page_item_t;


/*
 * "items" is the caller's memory, room for limit + 1 of them; the names belong
 * to the caller, too.  "more" says that there are names behind the last one of
 * the page; what was left out once stays out, so that a listing which goes on
 * behind the last name misses none.
 */

typedef struct {
    art_page_item_t   *items;    /* in order, no two of one name */
    size_t             n;
    size_t             limit;    /* 1 to ART_PAGE_LIMIT_MAX */
    size_t             bytes;    /* of the names, with their costs */
    size_t             cost;     /* bytes of each one besides its name */
    art_str_t          after;
    unsigned           more:1;
} art_page_t;


typedef enum {
    ART_PAGE_OUT = 0,            /* not behind "after", or on the page */
    ART_PAGE_IN,
    ART_PAGE_BEYOND              /* behind a page that is full */
} art_page_place_t;


/*
 * Starts an empty page of the names behind "after", which may be empty.  The
 * cost is 0 until the caller sets it, before the first name: what an entry
 * takes besides its name, the path of its folder.
 */

void art_page_init(art_page_t *page, art_page_item_t *items, size_t limit,
    art_str_t after);


/*
 * Where a name would go; nothing is changed.  After ART_PAGE_BEYOND the caller
 * sets "more", if the name does stand for something.
 */

art_page_place_t art_page_place(const art_page_t *page, art_str_t name);


/*
 * Puts a name with the place ART_PAGE_IN on the page.  It must be followed by
 * art_page_excess() until that returns NULL: each call takes one name off the
 * end of a page that has grown too large and returns its data, which must not
 * be NULL, for the caller to free.
 */

void art_page_add(art_page_t *page, art_str_t name, void *data);
void *art_page_excess(art_page_t *page);


/* The name on the page; NULL if it is not there. */

art_page_item_t *art_page_get(const art_page_t *page, art_str_t name);


/*
 * Whether a folder need not be looked at: no name that starts with "prefix"
 * (it ends with a "/") could be on the page or change it.
 */

int art_page_skips(const art_page_t *page, art_str_t prefix);


/*
 * The arguments of requests for pages, of whatever they are.  art_page_limit()
 * takes decimal digits, a number above 0; more than ART_PAGE_LIMIT_MAX counts
 * as that.  art_page_flag() takes one of "1", "true", "yes", "0", "false",
 * "no" in any case of letters.  ART_ERROR for anything else.
 */

int art_page_limit(art_str_t text, size_t *limit);
int art_page_flag(art_str_t text, unsigned *flag);


#endif /* ART_PAGE_H_INCLUDED_ */
