
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is found in the texts of tools: markers of artifacts, and base64 that
 * was pasted.  A result has few finds that count; they wait until it is known
 * that it is one, since types and roles may come last.
 */


#include "core/expand/art_expand_scan_int.h"


/* The next byte to be read. */

#define art_search_at(search)                                                 \
    ((search)->piece + ((search)->pos - (search)->piece_pos))


static unsigned art_search_is_text(const art_scanner_t *scan,
    const art_walk_rule_t *rule);
static unsigned art_search_depth(const art_scanner_t *scan);
static unsigned art_search_is_full(const art_search_t *search);
static unsigned art_search_is_over(const art_scanner_t *scan);
static unsigned art_search_stops(const art_scanner_t *scan);
static unsigned art_search_is_json(uint8_t c);
static void art_search_event(art_scanner_t *scan, art_find_event_t event);
static void art_search_text(art_search_t *search);
static unsigned art_search_is_known(const art_search_t *search);
static unsigned art_search_select(art_scanner_t *scan, uint32_t first);
static unsigned art_search_is_slot(const art_scanner_t *scan, uint32_t first,
    const art_search_find_t *found);
static int art_search_groups(art_scanner_t *scan, art_message_place_t place);
static int art_search_slot(art_scanner_t *scan, art_message_slot_t *slot,
    const art_search_find_t *found, art_message_place_t place);


void
art_search_result(art_scanner_t *scan)
{
    scan->search.over = 0;
    scan->search.ntexts = 0;
    scan->search.nfound = 0;
    scan->search.nlinks = 0;
    scan->search.nold = 0;
}


void
art_search_string(art_scanner_t *scan, const art_walk_rule_t *rule,
    uint64_t pos)
{
    art_search_t          *search;
    art_message_search_t   which;

    search = &scan->search;
    which = ((const art_message_rule_t *) (const void *) rule)->search;

    search->any = which == ART_SEARCH_STANDINS;
    search->since = scan->nstandins;

    if (which == ART_SEARCH_NONE
        || (!search->any && (search->over || art_search_stops(scan)
                             || !art_search_is_text(scan, rule))))
    {
        return;
    }

    search->on = 1;
    search->begin = pos + 1;
    search->pos = pos + 1;
}


static unsigned
art_search_is_full(const art_search_t *search)
{
    return search->nfound - search->nold + search->nlinks == ART_SEARCH_FINDS;
}


/* Whether no more is looked for in the result. */

static unsigned
art_search_is_over(const art_scanner_t *scan)
{
    const art_search_t  *search;

    search = &scan->search;

    return scan->found.finds + search->nfound == ART_MESSAGE_FINDS_MAX
           || search->nfound == ART_SEARCH_MOST
           || (art_search_is_full(search)
               && scan->found.conf.standins == 0);
}


unsigned
art_search_link(art_scanner_t *scan)
{
    art_search_t  *search;

    search = &scan->search;

    if (art_search_is_full(search)) {
        return 0;
    }

    search->nlinks++;

    return 1;
}


/* Whether a string may be the text of a tool, as far as it is known. */

static unsigned
art_search_is_text(const art_scanner_t *scan, const art_walk_rule_t *rule)
{
    unsigned                    depth;
    art_message_type_t          type;
    const art_scan_message_t   *message;
    const art_message_rule_t   *own;

    own = (const void *) rule;
    message = &scan->message;
    depth = art_search_depth(scan);

    if (scan->nparts != depth + (own->search == ART_SEARCH_PART)) {
        return 0;
    }

    if (depth == 0) {
        return message->item == ART_TYPE_OUTPUT
               || (message->item == ART_TYPE_NONE
                   && (!message->told || message->role == ART_ROLE_TOOL));
    }

    type = scan->parts[0].type;

    return type == ART_TYPE_NONE || type == ART_TYPE_TOOL_RESULT
           || type == ART_TYPE_CALL;
}


/* How many parts deep results of tools are. */

static unsigned
art_search_depth(const art_scanner_t *scan)
{
    return (scan->found.conf.api->flags & ART_API_RESULTS) != 0;
}


void
art_search_piece(art_scanner_t *scan, const uint8_t *p)
{
    scan->search.piece = p;
    scan->search.piece_pos = art_lex_pos(&scan->lex);
}


void
art_search_read(art_scanner_t *scan, uint64_t end)
{
    size_t             n, len;
    unsigned           flags;
    art_search_t      *search;
    const uint8_t     *p;
    art_find_event_t   event;

    search = &scan->search;

    if (!search->on || end <= search->pos) {
        return;
    }

    if (search->pos == search->begin) {

        if (search->any && !art_search_is_json(*art_search_at(search))) {
            search->on = 0;
            return;
        }

        flags = ART_FIND_RUNS;

        if (scan->found.conf.standins != 0) {
            flags |= ART_FIND_STANDINS;
        }

        if (!(scan->found.conf.standins & ART_SCAN_ONLY) && !search->any) {
            flags |= ART_FIND_MARKERS;
        }

        art_find_init(&search->find, scan->found.conf.run_min, flags);
    }

    p = art_search_at(search);
    len = (size_t) (end - search->pos);
    search->pos = end;

    while (len > 0 && search->on) {
        event = art_find_feed(&search->find, p, len, &n);

        p += n;
        len -= n;

        art_search_event(scan, event);
    }
}


/* Whether a string with this first byte may be JSON: it may be escaped. */

static unsigned
art_search_is_json(uint8_t c)
{
    return c == '{' || c == '[' || c == '\\' || c == ' ';
}


void
art_search_string_end(art_scanner_t *scan, uint64_t end)
{
    uint64_t            len, min;
    art_search_t       *search;
    art_find_event_t    event;
    art_search_text_t  *text;

    search = &scan->search;
    len = end - 1 - search->begin;
    min = scan->found.conf.run_min;

    if (scan->found.conf.standins != 0
        && min > ART_STANDIN_MIN)
    {
        min = ART_STANDIN_MIN;
    }

    /* most strings are short */

    if (search->on && search->pos == search->begin
        && (len == 0
            || art_find_is_plain(art_search_at(search), (size_t) len, min)))
    {
        search->on = 0;
        return;
    }

    art_search_read(scan, end - 1);

    while (search->on) {
        event = art_find_end(&search->find);

        if (event == ART_FIND_MORE) {
            search->on = 0;
        }

        art_search_event(scan, event);
    }

    if (search->ntexts > 0) {
        text = &search->texts[search->ntexts - 1];

        if (text->string.end == 0) {
            text->string.end = end;
        }
    }
}


/* Notes what was found, unless it is known already. */

static void
art_search_event(art_scanner_t *scan, art_find_event_t event)
{
    unsigned            full;
    art_find_t         *find;
    art_search_t       *search;
    art_search_find_t  *found;

    search = &scan->search;
    find = &search->find;

    if (search->any) {

        if (event == ART_FIND_RUN && find->standin) {
            (void) art_standins_found(scan, find);
        }

        return;
    }

    full = art_search_is_full(search);

    if (art_search_is_over(scan)) {
        scan->found.excess |= event == ART_FIND_RUN && find->standin != 0;
        return;
    }

    if (event != ART_FIND_RUN
        && (event != ART_FIND_MARKER || art_search_is_known(search)))
    {
        return;
    }

    if (full && (event == ART_FIND_MARKER || !find->standin)) {
        return;
    }

    art_search_text(search);

    found = &search->found[search->nfound++];

    found->span.pos = search->begin + find->pos;
    found->span.end = search->begin + find->end;
    found->text = search->ntexts - 1;
    found->mime = NULL;
    found->standin = ART_STANDIN_NONE;
    found->data = found->span.pos;
    found->old = full;
    search->nold += full;

    memcpy(found->id, find->id, sizeof(found->id));

    if (event == ART_FIND_RUN) {
        found->standin = find->standin;
        found->data = search->begin + find->data;
        found->mime = find->mime;
        found->pixels[0] = find->pixels[0];
        found->pixels[1] = find->pixels[1];
        found->size = find->size;
        found->whole = find->whole;
    }

    if (art_search_stops(scan)) {
        search->over = 1;
        search->on = 0;
    }
}


/* What must not pass is looked for to the end. */

static unsigned
art_search_stops(const art_scanner_t *scan)
{
    return art_search_is_over(scan)
           && !(scan->found.conf.standins & ART_SCAN_FORGED);
}


/* The string being read, among those in which something was found. */

static void
art_search_text(art_search_t *search)
{
    art_search_text_t  *text;

    if (search->ntexts > 0) {
        text = &search->texts[search->ntexts - 1];

        if (text->string.pos == search->begin - 1) {
            return;
        }
    }

    text = &search->texts[search->ntexts++];

    memset(text, 0, sizeof(*text));
    text->string.pos = search->begin - 1;
}


/* Whether the artifact of a marker was found in the result before. */

static unsigned
art_search_is_known(const art_search_t *search)
{
    unsigned                  i;
    const art_search_find_t  *found;

    for (i = 0; i < search->nfound; i++) {
        found = &search->found[i];

        if (found->mime == NULL
            && memcmp(found->id, search->find.id, sizeof(found->id)) == 0)
        {
            return 1;
        }
    }

    return 0;
}


void
art_search_part(art_scanner_t *scan, const art_scan_part_t *part,
    unsigned text, uint64_t end)
{
    unsigned       i;
    art_search_t  *search;

    search = &scan->search;

    if (scan->nparts != art_search_depth(scan)) {
        return;
    }

    if (!text) {
        search->over = 0;
        search->ntexts = part->texts;

        while (search->nfound > part->found) {
            search->nold -= search->found[--search->nfound].old;
        }

        return;
    }

    for (i = part->texts; i < search->ntexts; i++) {
        search->texts[i].after = end;
    }
}


int
art_search_result_end(art_scanner_t *scan, uint32_t first,
    art_message_place_t place)
{
    uint32_t             to, from;
    unsigned             n;
    art_search_t        *search;
    art_message_slot_t  *slot;

    search = &scan->search;
    from = scan->found.nslots;
    n = art_search_select(scan, first);

    if (n == 0) {
        return ART_OK;
    }

    if (art_search_groups(scan, place) != ART_OK) {
        return ART_ERROR;
    }

    while (scan->found.nslots < from + n) {
        if (art_list_find(scan) == NULL) {
            return ART_ERROR;
        }
    }

    scan->found.finds += n;

    /* both are in order, and are joined from their ends */

    for (to = scan->found.nslots; n > 0; ) {
        slot = art_scan_slot(&scan->found, --to);

        if (from > first
            && art_scan_slot(&scan->found, from - 1)->part.pos
               > search->found[n - 1].span.pos)
        {
            *slot = *art_scan_slot(&scan->found, --from);

        } else if (art_search_slot(scan, slot, &search->found[--n], place)
                   != ART_OK)
        {
            return ART_ERROR;
        }
    }

    art_search_result(scan);

    return ART_OK;
}


/*
 * Drops what is in a slot, which is replaced as a whole, and markers of the
 * artifact that is in a slot of the same result; how many are left.
 */

static unsigned
art_search_select(art_scanner_t *scan, uint32_t first)
{
    uint32_t                   i;
    unsigned                   n, left;
    art_search_t              *search;
    const art_search_find_t   *found;
    const art_message_slot_t  *slot;

    i = first;
    left = 0;
    search = &scan->search;

    for (n = 0; n < search->nfound; n++) {
        found = &search->found[n];
        slot = NULL;

        for ( /* void */ ; i < scan->found.nslots; i++) {
            slot = art_scan_slot(&scan->found, i);

            if (slot->part.end > found->span.pos) {
                break;
            }
        }

        if ((i < scan->found.nslots && slot->part.pos < found->span.end)
            || art_search_is_slot(scan, first, found))
        {
            continue;
        }

        search->found[left++] = *found;
    }

    search->nfound = left;

    return left;
}


static unsigned
art_search_is_slot(const art_scanner_t *scan, uint32_t first,
    const art_search_find_t *found)
{
    uint32_t                   i;
    art_str_t                  id;
    const art_message_slot_t  *slot;

    id = art_str(found->id, sizeof(found->id));

    for (i = first; found->mime == NULL && i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        if (slot->held == ART_HELD_REF && !slot->within
            && art_str_eq(slot->text, id))
        {
            return 1;
        }
    }

    return 0;
}


/* A group for each text that has any finds. */

static int
art_search_groups(art_scanner_t *scan, art_message_place_t place)
{
    unsigned              i;
    art_search_t         *search;
    art_search_text_t    *text;
    art_message_group_t  *group;

    search = &scan->search;

    if (place != ART_PLACE_FOUND) {
        return ART_OK;
    }

    for (i = 0; i < search->ntexts; i++) {
        search->texts[i].group = UINT32_MAX;
    }

    for (i = 0; i < search->nfound; i++) {
        text = &search->texts[search->found[i].text];

        if (text->group != UINT32_MAX) {
            continue;
        }

        group = art_list_group(scan);

        if (group == NULL) {
            return ART_ERROR;
        }

        group->kind = ART_GROUP_TEXT;
        group->at = text->after;
        group->string = text->string;
        text->group = scan->found.ngroups - 1;
    }

    return ART_OK;
}


static int
art_search_slot(art_scanner_t *scan, art_message_slot_t *slot,
    const art_search_find_t *found, art_message_place_t place)
{
    art_str_t  id;

    memset(slot, 0, sizeof(*slot));

    slot->role = ART_ROLE_TOOL;
    slot->place = place;
    slot->part = found->span;
    slot->target = found->span;
    slot->group = place == ART_PLACE_FOUND
                  ? scan->search.texts[found->text].group : UINT32_MAX;
    slot->tools = UINT32_MAX;
    slot->kind = ART_KIND_OTHER;
    slot->standin = found->standin;
    slot->data.pos = found->data;
    slot->data.end = found->span.end;
    slot->old = found->old & 1;

    if (found->mime != NULL) {
        slot->held = ART_HELD_RUN;
        slot->mime_type = art_cstr(found->mime);
        slot->kind = art_media_traits(slot->mime_type).kind;
        slot->size = found->size;
        slot->width = found->pixels[0];
        slot->height = found->pixels[1];
        slot->broken = !found->whole;
        slot->like = art_standin_of(slot->mime_type);
    }

    if (found->mime != NULL
        && (!found->standin || !art_scan_has_refs(scan)))
    {
        return ART_OK;
    }

    slot->held = ART_HELD_REF;
    id = art_str(found->id, sizeof(found->id));

    return art_arena_copy(&scan->arena, id, &slot->text) == ART_OK
           ? ART_OK : art_list_fail(scan, ART_SCAN_NO_MEMORY);
}


/*
 * The cut moves in steps of half the limit, and depends on nothing but the
 * number of finds: so it stays for many turns.
 */

void
art_search_cut(art_scanner_t *scan)
{
    uint32_t             i, n, cut, max, step, runs, finds;
    art_message_slot_t  *slot;

    cut = 0;
    max = scan->found.conf.refs_max;
    finds = scan->found.finds - scan->finds;

    if (finds > max) {
        step = max > 1 ? max / 2 : 1;
        cut = (finds - max + step - 1) / step * step;
    }

    n = scan->request.from;
    runs = 0;

    for (i = n; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        if (art_slot_is_found(slot) || art_slot_is_link(slot)) {

            if (slot->held == ART_HELD_RUN || slot->standin) {
                slot->nth = ++runs;
                slot->old |= cut > 0;

            } else if (cut == 0) {
                scan->found.occurrences++;
            }

            if (cut > 0) {
                cut--;

                if (art_slot_is_link(slot)) {
                    slot->held = ART_HELD_WORDS;

                } else if (slot->held != ART_HELD_RUN && !slot->standin) {
                    continue;
                }
            }
        }

        if (n < i) {
            *art_scan_slot(&scan->found, n) = *slot;
        }

        n++;
    }

    scan->found.nslots = n;
}
