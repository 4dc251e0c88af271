
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the content of a slot is that was looked at: its type by its bytes, and
 * whether that is the one that stands beside it.
 */


#include "core/media/art_classify.h"
#include "core/media/art_signature.h"
#include "core/format/art_route.h"
#include "core/expand/art_expand_scan_int.h"


static void art_content_like(art_scanner_t *scan, const art_scan_part_t *part,
    const art_message_held_value_t *held, art_message_slot_t *slot);
static unsigned art_content_denies(art_str_t declared, art_str_t mime,
    art_str_t right);
static int art_content_type(art_scanner_t *scan, const art_verdict_t *verdict,
    art_message_slot_t *slot);
static unsigned art_content_is_garbage(const art_message_slot_t *slot,
    const art_message_held_value_t *held, const art_verdict_t *verdict);
static unsigned art_content_is_right(const art_scan_part_t *part,
    const art_message_held_value_t *held, const art_message_slot_t *slot);
static unsigned art_content_same(art_str_t one, art_str_t other);


int
art_content_slot(art_scanner_t *scan, const art_scan_part_t *part,
    const art_message_held_value_t *held, art_message_slot_t *slot)
{
    art_claims_t       claims;
    art_verdict_t      verdict;
    const art_part_t  *parts;

    slot->looked = 1;
    slot->cut = held->cut;
    slot->locked = held->locked;
    slot->xref = held->xref;
    slot->raw = held->data;
    slot->type = held->type;
    slot->declared = held->mime.len > 0 ? held->mime : part->mime;
    slot->nmimes = part->nmimes;

    memcpy(slot->mimes, part->mimes, sizeof(slot->mimes));

    /* of nothing, only what was declared can be told */

    if (slot->broken || slot->size == 0) {
        return ART_OK;
    }

    memset(&claims, 0, sizeof(claims));

    claims.declared[0] = slot->declared;
    claims.names[0] = part->name;

    (void) art_classify(&claims, &held->evidence, &verdict);

    if (art_content_type(scan, &verdict, slot) != ART_OK) {
        return ART_ERROR;
    }

    art_content_like(scan, part, held, slot);

    slot->blank = verdict.blank & 1;
    slot->garbage = art_content_is_garbage(slot, held, &verdict) & 1;

    if (slot->garbage || slot->mime_type.len == 0) {
        return ART_OK;
    }

    parts = art_api_request_format(scan->found.conf.api)->parts;

    slot->right = art_part_type_name(&parts[slot->kind], slot->mime_type);
    slot->mistyped = art_content_is_right(part, held, slot) ? 0 : 1;

    return ART_OK;
}


/*
 * The stand-in for what a signature shows; a container alone shows which it is
 * only with what is declared.  All that is declared has to be that.
 */

static void
art_content_like(art_scanner_t *scan, const art_scan_part_t *part,
    const art_message_held_value_t *held, art_message_slot_t *slot)
{
    art_str_t          mime, right;
    const art_part_t  *parts;

    if (held->evidence.media == 0 || !(held->evidence.sign & ART_SIGN_STRONG)) {
        return;
    }

    mime = slot->mime_type.len > 0
           ? slot->mime_type
           : art_cstr(art_media_row(held->evidence.media - 1u)->mime);

    slot->like = art_standin_of(mime);

    if (slot->like == ART_STANDIN_NONE) {
        return;
    }

    parts = art_api_request_format(scan->found.conf.api)->parts;
    right = art_part_type_name(&parts[art_media_traits(mime).kind], mime);

    slot->denied = ((held->type.pos > 0
                     && art_content_denies(held->declared, mime, right))
                    || (part->nmimes > 0
                        && (part->differ
                            || art_content_denies(part->declared, mime,
                                                  right))))
                   & 1;
}


/*
 * "image/jpg" is a common mistake, which servers answer with an error: what has
 * it is not made to look better than it is.
 */

static unsigned
art_content_denies(art_str_t declared, art_str_t mime, art_str_t right)
{
    art_media_type_t  type;

    if (art_content_same(declared, right)) {
        return 0;
    }

    if (declared.len > 0
        && memchr(declared.data, '/', declared.len) == NULL)
    {
        return 1;
    }

    art_media_parse(declared, &type);

    if (type.len == 0) {
        return 0;
    }

    if (!art_str_eq(art_str(type.buf, type.len), mime)) {
        return 1;
    }

    return declared.len >= sizeof("image/jpg") - 1
           && art_content_same(art_str(declared.data, sizeof("image/jpg") - 1),
                               art_cstr("image/jpg"));
}


/* The type of the content; bytes that are of none have the slot's kind. */

static int
art_content_type(art_scanner_t *scan, const art_verdict_t *verdict,
    art_message_slot_t *slot)
{
    art_str_t           mime;
    const art_media_t  *media;

    mime = art_str(verdict->type.buf, verdict->type.len);

    slot->charset = verdict->charset;
    slot->lines = verdict->lines;

    media = art_media_find(mime);

    /* of a bare container, only a declaration tells what is in it */

    if (verdict->from == ART_FROM_CONTENT
        && (art_str_eq(mime, art_cstr("application/octet-stream"))
            || (slot->declared.len == 0 && media != NULL
                && (media->flags & ART_MEDIA_CONTAINER))))
    {
        slot->mime_type = art_str(NULL, 0);
        slot->kind = ART_KIND_OTHER;
        return ART_OK;
    }

    slot->kind = verdict->kind;

    if (media != NULL) {
        slot->mime_type = art_cstr(media->mime);
        return ART_OK;
    }

    return art_arena_copy(&scan->arena, mime, &slot->mime_type) == ART_OK
           ? ART_OK : art_list_fail(scan, ART_SCAN_NO_MEMORY);
}


/*
 * Bytes that have no signature, though their type has one; or of a type that
 * neither they nor the client tell.  A bare container may be a file, and a
 * resource of MCP is described as what it is.
 */

static unsigned
art_content_is_garbage(const art_message_slot_t *slot,
    const art_message_held_value_t *held, const art_verdict_t *verdict)
{
    unsigned  kinds;

    if (verdict->unproved) {
        return 1;
    }

    if (slot->mime_type.len > 0 || art_text_is_text(held->evidence.text)) {
        return 0;
    }

    kinds = slot->form->kinds;

    if (art_str_eq(art_str(verdict->type.buf, verdict->type.len),
                   art_cstr("application/octet-stream"))
        && !(slot->form->flags & ART_FORM_BLOCK))
    {
        return 1;
    }

    return kinds == ART_KIND_BIT(ART_KIND_IMAGE)
           || kinds == ART_KIND_BIT(ART_KIND_AUDIO)
           || kinds == ART_KIND_BIT(ART_KIND_VIDEO);
}


/*
 * Whether the right type stands where the slot keeps one.  In a data URL case
 * and parameters do not matter (RFC 2397, RFC 9110 section 8.3.1).
 */

static unsigned
art_content_is_right(const art_scan_part_t *part,
    const art_message_held_value_t *held, const art_message_slot_t *slot)
{
    unsigned  url;

    url = held->type.pos > 0;

    if (art_form_is_url(slot->form)) {
        return url && art_content_same(held->declared, slot->right);
    }

    if (url) {
        return 0;
    }

    if (art_form_member(slot->form) == NULL) {
        return 1;
    }

    return part->nmimes > 0 && !part->differ
           && art_str_eq(part->declared, slot->right);
}


static unsigned
art_content_same(art_str_t one, art_str_t other)
{
    size_t  i;

    for (i = 0; i < one.len && i < other.len
                && art_char_lower(one.data[i])
                   == art_char_lower(other.data[i]); i++)
    {
        /* void */
    }

    return i == one.len && i == other.len;
}
