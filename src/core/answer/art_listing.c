
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64.h"
#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"
#include "core/answer/art_listing.h"


/* "ws:", a workspace id, ":" and an encoded path */

#define ART_LISTING_ID_MAX                                                    \
    (4 + ART_ID_NAME_MAX + ART_BASE64URL_LEN(ART_ID_PATH_MAX))


/* A byte that is not UTF-8 becomes a character of three bytes. */

#define ART_LISTING_NAME_MAX  (3 * ART_META_NAME_MAX)


static size_t art_page_find(const art_page_t *page, art_str_t name, int *found);
static void art_listing_artifact(art_json_put_t *put,
    const art_listing_entry_t *entry);
static void art_listing_file(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry);
static void art_listing_content(art_json_put_t *put,
    const art_listing_entry_t *entry);


art_page_position_t
art_page_position(const art_page_t *page, art_str_t name)
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

    /* beyond the last name, unless a name was omitted there before */

    return page->more
           || page->n == page->limit
           || page->bytes + page->cost + name.len > ART_PAGE_BYTES_MAX
           ? ART_PAGE_BEYOND : ART_PAGE_IN;
}


void
art_page_add(art_page_t *page, art_str_t name, void *data,
    void (*drop)(void *data))
{
    int     found;
    size_t  i;

    /* a sorted array: a heap could not find names that are listed already */

    i = art_page_find(page, name, &found);

    memmove(page->items + i + 1, page->items + i,
            (page->n - i) * sizeof(art_page_item_t));

    page->items[i].name = name;
    page->items[i].data = data;
    page->n++;
    page->bytes += page->cost + name.len;

    while (page->n > 1
           && (page->n > page->limit || page->bytes > ART_PAGE_BYTES_MAX))
    {
        page->n--;
        page->bytes -= page->cost + page->items[page->n].name.len;
        page->more = 1;

        drop(page->items[page->n].data);
    }
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


/* The position of the first item that does not sort before the name. */

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


void
art_listing_begin(art_json_put_t *put, const art_listing_t *list)
{
    art_json_put_object(put, NULL);

    switch (list->kind) {

    case ART_LISTING_ARTIFACTS:
        art_json_put_array(put, "artifacts");
        break;

    case ART_LISTING_WORKSPACES:
        art_json_put_array(put, "workspaces");
        break;

    case ART_LISTING_FOLDER:
        art_json_put_string(put, "workspaceId", list->workspace);
        art_json_put_string(put, "path", list->path.data != NULL
                                         ? list->path : art_cstr(""));
        art_json_put_array(put, "entries");
        break;
    }
}


void
art_listing_entry(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry)
{
    art_json_put_object(put, NULL);

    switch (list->kind) {

    case ART_LISTING_ARTIFACTS:
        art_listing_artifact(put, entry);
        break;

    case ART_LISTING_WORKSPACES:
        art_json_put_string(put, "id", entry->id);
        art_json_put_string(put, "createdAt", entry->created);
        art_json_put_string(put, "updatedAt", entry->updated);
        break;

    case ART_LISTING_FOLDER:
        art_listing_file(put, list, entry);
        break;
    }

    art_json_put_end(put);
}


void
art_listing_end(art_json_put_t *put, size_t count, const char *key,
    art_str_t next)
{
    art_json_put_end(put);
    art_json_put_number(put, "count", count);
    art_json_put_string(put, key, next);
    art_json_put_end(put);
}


static void
art_listing_artifact(art_json_put_t *put, const art_listing_entry_t *entry)
{
    uint8_t    buf[ART_LISTING_NAME_MAX];
    art_out_t  name;

    name = art_out(buf, sizeof(buf));

    art_utf8_name(&name, entry->name);

    art_json_put_string(put, "id", entry->id);
    art_json_put_prefixed(put, "artifactRef", "artifact:", entry->id);
    art_json_put_string(put, "name", art_str(buf, name.len));
    art_json_put_string(put, "type", entry->type.len > 0 ? entry->type
                                                         : entry->mime);
    art_listing_content(put, entry);
    art_json_put_string(put, "expiresAt", entry->expires);
    art_json_put_string(put, "messageId", entry->message_id);
}


static void
art_listing_file(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry)
{
    uint8_t    buf[ART_LISTING_ID_MAX];
    art_out_t  id;

    art_json_put_string(put, "path", entry->path);
    art_json_put_string(put, "name", entry->name);
    art_json_put_string(put, "kind", art_cstr(entry->folder ? "folder"
                                                            : "file"));

    if (entry->folder) {
        art_json_put_string(put, "updatedAt", entry->updated);
        return;
    }

    id = art_out(buf, sizeof(buf));

    if (art_id_encode(&id, list->workspace, entry->path) == ART_OK
        && id.len <= id.room)
    {
        art_json_put_string(put, "id", art_str(buf, id.len));
    }

    art_listing_content(put, entry);
}


static void
art_listing_content(art_json_put_t *put, const art_listing_entry_t *entry)
{
    art_json_put_string(put, "mimeType", entry->mime);
    art_json_put_number(put, "size", entry->size);
    art_json_put_string(put, "createdAt", entry->created);
    art_json_put_string(put, "updatedAt", entry->updated);
}
