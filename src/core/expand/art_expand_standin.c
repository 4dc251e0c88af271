
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Strings that are stand-ins, or have some in them, wherever they are in a body
 * (docs/standins.md).
 * They are noted as they come; those that are no slot of a part by the end of
 * the request become slots of their own.
 */


#include "core/json/art_json_escape.h"
#include "core/expand/art_expand_scan_int.h"


static art_scan_standin_t *art_standins_item(const art_scanner_t *scan,
    uint32_t n);
static unsigned art_standins_is_full(art_scanner_t *scan,
    art_standin_t kind);
static art_scan_standin_t *art_standins_add(art_scanner_t *scan,
    art_standin_t kind, const uint8_t *id);
static int art_standins_head(art_scanner_t *scan, art_str_t text,
    art_str_t *head);
static uint32_t art_standins_select(art_scanner_t *scan);
static unsigned art_standins_is_free(art_scanner_t *scan,
    const art_scan_standin_t *one, uint32_t *i);
static int art_standins_slot(art_scanner_t *scan, art_message_slot_t *slot,
    const art_scan_standin_t *one);


int
art_standins_value(art_scanner_t *scan, const art_lex_value_t *value)
{
    size_t               at;
    uint8_t              id[ART_STANDIN_ID];
    art_standin_t        kind;
    art_scan_standin_t  *one;

    scan->standin = ART_STANDIN_NONE;

    if (!value->string || value->len < ART_STANDIN_MIN
        || value->len != value->text.len)
    {
        return ART_OK;
    }

    kind = art_standin_read(value->text, id, &at);

    if (kind == ART_STANDIN_NONE) {
        return ART_OK;
    }

    /* the same one was found in it */

    if (scan->search.any) {
        scan->nstandins = scan->search.since;
    }

    if (art_standins_is_full(scan, kind)) {
        return ART_OK;
    }

    one = art_standins_add(scan, kind, id);

    if (one == NULL) {
        return ART_ERROR;
    }

    scan->standin = kind;

    one->string.pos = value->pos;
    one->string.end = value->end;

    return art_standins_head(scan, art_str(value->text.data, at), &one->head);
}


int
art_standins_found(art_scanner_t *scan, const art_find_t *find)
{
    art_scan_standin_t  *one;

    if (art_standins_is_full(scan, find->standin)) {
        return ART_OK;
    }

    one = art_standins_add(scan, find->standin, find->id);

    if (one == NULL) {
        return ART_ERROR;
    }

    one->string.pos = scan->search.begin + find->data;
    one->string.end = scan->search.begin + find->end;
    one->inside = 1;

    return ART_OK;
}


static unsigned
art_standins_is_full(art_scanner_t *scan, art_standin_t kind)
{
    if (scan->nstandins < ART_SCAN_BLOCKS * ART_MESSAGE_SLOTS_BLOCK) {
        return 0;
    }

    scan->found.untouched[kind]++;

    return 1;
}


static art_scan_standin_t *
art_standins_item(const art_scanner_t *scan, uint32_t n)
{
    return art_list_at(&scan->standins, n, sizeof(art_scan_standin_t));
}


static art_scan_standin_t *
art_standins_add(art_scanner_t *scan, art_standin_t kind, const uint8_t *id)
{
    art_scan_standin_t  *one;

    one = art_list_add(scan, &scan->standins, &scan->nstandins, sizeof(*one));

    if (one != NULL) {
        one->kind = kind;
        memcpy(one->id, id, sizeof(one->id));
    }

    return one;
}


/*
 * The text before the base64, escaped.  The arena takes strings back, and this
 * one may outlive its message.
 */

static int
art_standins_head(art_scanner_t *scan, art_str_t text, art_str_t *head)
{
    art_out_t  out;

    *head = art_str(NULL, 0);

    if (text.len == 0) {
        return ART_OK;
    }

    out = art_out(NULL, 0);

    do {
        art_json_string(&out, text, 1);
    } while (art_out_again(&out, &scan->arena.pool));

    *head = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : art_list_fail(scan, ART_SCAN_NO_MEMORY);
}


art_str_t
art_standins_id(const art_scanner_t *scan)
{
    return art_str(art_standins_item(scan, scan->nstandins - 1)->id,
                   ART_STANDIN_ID);
}


void
art_standins_drop(art_scanner_t *scan)
{
    while (scan->nstandins > 0) {
        scan->nstandins--;
        scan->found.untouched[art_standins_item(scan,
                                                scan->nstandins)->kind]++;
    }
}


int
art_standins_end(art_scanner_t *scan)
{
    uint32_t             n, to, from;
    art_scan_standin_t  *one;
    art_message_slot_t  *slot;

    from = scan->found.nslots;
    n = art_standins_select(scan);
    scan->nstandins = 0;

    while (scan->found.nslots < from + n) {
        if (art_list_find(scan) == NULL) {
            return ART_ERROR;
        }
    }

    /* both are in order, and are joined from their ends */

    for (to = scan->found.nslots; n > 0; ) {
        slot = art_scan_slot(&scan->found, --to);
        one = art_standins_item(scan, n - 1);

        if (from > scan->request.from
            && art_scan_slot(&scan->found, from - 1)->part.pos
               > one->string.pos)
        {
            *slot = *art_scan_slot(&scan->found, --from);
            continue;
        }

        if (art_standins_slot(scan, slot, one) != ART_OK) {
            return ART_ERROR;
        }

        n--;
    }

    return ART_OK;
}


/* Leaves out what belongs to a slot; how many are left. */

static uint32_t
art_standins_select(art_scanner_t *scan)
{
    uint32_t             i, n, left, room;
    art_scan_standin_t  *one;

    i = scan->request.from;
    left = 0;
    room = ART_SCAN_BLOCKS * ART_MESSAGE_SLOTS_BLOCK - scan->found.nslots;

    for (n = 0; n < scan->nstandins; n++) {
        one = art_standins_item(scan, n);

        if (!art_standins_is_free(scan, one, &i)) {
            continue;
        }

        if (left == room) {
            scan->found.untouched[one->kind]++;
            continue;
        }

        *art_standins_item(scan, left++) = *one;
    }

    return left;
}


/*
 * Whether a string is in no slot.  What is beside a slot in its part stays
 * there, unless it is to be taken out: the part may be made anew.
 */

static unsigned
art_standins_is_free(art_scanner_t *scan, const art_scan_standin_t *one,
    uint32_t *i)
{
    art_message_slot_t  *slot;

    slot = NULL;

    for ( /* void */ ; *i < scan->found.nslots; *i += 1) {
        slot = art_scan_slot(&scan->found, *i);

        if (slot->part.end > one->string.pos) {
            break;
        }
    }

    if (slot == NULL || slot->part.pos >= one->string.end
        || *i == scan->found.nslots)
    {
        return 1;
    }

    if (art_slot_is_found(slot) || slot->part.pos == one->string.pos
        || slot->data.pos == one->string.pos)
    {
        return 0;
    }

    if (scan->found.conf.standins & ART_SCAN_FORGED) {
        return 1;
    }

    scan->found.untouched[one->kind]++;

    return 0;
}


static int
art_standins_slot(art_scanner_t *scan, art_message_slot_t *slot,
    const art_scan_standin_t *one)
{
    memset(slot, 0, sizeof(*slot));

    slot->held = (scan->found.conf.standins & ART_SCAN_FORGED)
                 ? ART_HELD_STANDIN : ART_HELD_REF;
    slot->role = ART_ROLE_USER;
    slot->place = ART_PLACE_ELSEWHERE;
    slot->part = one->string;
    slot->target = one->string;
    slot->data = one->string;
    slot->message = UINT32_MAX;
    slot->group = UINT32_MAX;
    slot->tools = UINT32_MAX;
    slot->standin = one->kind;
    slot->inside = one->inside;
    slot->head = one->head;
    slot->mime_type = art_standin_mime(one->kind);
    slot->kind = art_media_traits(slot->mime_type).kind;

    return art_arena_copy(&scan->arena, art_str(one->id, sizeof(one->id)),
                          &slot->text) == ART_OK
           ? ART_OK : art_list_fail(scan, ART_SCAN_NO_MEMORY);
}
