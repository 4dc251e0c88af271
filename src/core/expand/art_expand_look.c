
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A string that may be media of the client's own, read to its end: where its
 * base64 is, whether it is any, and what its first bytes are.
 */


#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/expand/art_expand_value.h"


/* Bytes of a data URL before its content. */

#define ART_LOOK_URL_HEAD  512

/* Bytes that show most signatures; only without one more are looked at. */

#define ART_LOOK_HEAD      512


typedef enum {
    ART_LOOK_AT_LEAD = 0,
    ART_LOOK_AT_TYPE,
    ART_LOOK_AT_COMMA,
    ART_LOOK_AT_DATA,            /* of a data URL, */
    ART_LOOK_AT_BARE,            /* of none */
    ART_LOOK_AT_NOTHING          /* a data URL without a comma */
} art_look_at_t;


static unsigned art_look_prefix(art_message_look_t *st, uint8_t c,
    uint64_t pos, uint64_t end);
static void art_look_bare(art_message_look_t *st);
static size_t art_look_skip(const art_message_look_t *st, art_str_t text);
static void art_look_declared(const art_message_look_t *st,
    art_message_held_value_t *held, art_str_t text, size_t skip, uint8_t *buf);
static unsigned art_look_is_image(const art_evidence_t *evidence);
static void art_look_sniff(art_evidence_t *evidence, art_str_t text,
    uint64_t size);


void
art_message_look_init(art_message_look_t *st, uint64_t pos)
{
    st->state = ART_LOOK_AT_LEAD;
    st->nlead = 0;
    st->head = 0;
    st->end = pos;
    st->data = pos;
    st->type.pos = 0;
    st->type.end = 0;

    art_look_init(&st->look);
}


/* Bytes are not escaped, unless they are the first ones of their call. */

void
art_message_look_read(art_message_look_t *st, const uint8_t *p, size_t len,
    uint64_t end)
{
    size_t    i;
    uint64_t  pos;

    for (i = 0; i < len && st->state < ART_LOOK_AT_DATA; i++) {
        pos = i == 0 ? st->end : end - (len - i);

        if (!art_look_prefix(st, p[i], pos, end - (len - i - 1))) {
            art_look_bare(st);
            break;
        }
    }

    st->end = end;

    if (i < len && st->state < ART_LOOK_AT_NOTHING) {
        art_look_feed(&st->look, p + i, len - i);
    }
}


/* A byte of "data:" and what follows; 0: it is no data URL. */

static unsigned
art_look_prefix(art_message_look_t *st, uint8_t c, uint64_t pos, uint64_t end)
{
    static const char  lead[] = "data:";

    if (st->state == ART_LOOK_AT_LEAD) {

        if (art_char_lower(c) != (uint8_t) lead[st->nlead]) {
            return 0;
        }

        st->lead[st->nlead++] = c;

        if (st->nlead == ART_VALUE_LEAD) {
            st->state = ART_LOOK_AT_TYPE;
            st->type.pos = end;
        }

        return 1;
    }

    if (st->state == ART_LOOK_AT_TYPE && (c == ';' || c == ',')) {
        st->state = ART_LOOK_AT_COMMA;
        st->type.end = pos;
    }

    if (c == ',') {
        st->state = ART_LOOK_AT_DATA;
        st->data = end;

    } else if (++st->head == ART_LOOK_URL_HEAD) {
        st->state = ART_LOOK_AT_NOTHING;
    }

    return 1;
}


/* What was taken for the beginning of a data URL is base64. */

static void
art_look_bare(art_message_look_t *st)
{
    st->state = ART_LOOK_AT_BARE;

    art_look_feed(&st->look, st->lead, st->nlead);
}


uint64_t
art_message_look_data(const art_message_look_t *st)
{
    return st->state == ART_LOOK_AT_DATA || st->state == ART_LOOK_AT_BARE
           ? st->data : 0;
}


void
art_message_look_end(art_message_look_t *st, art_message_held_value_t *held,
    const art_lex_value_t *value, art_message_field_t field, uint8_t *buf)
{
    size_t       skip;
    unsigned     bare;
    art_str_t    text;
    art_look_t  *look;

    look = &st->look;
    text = value->text;

    if (held->held == ART_HELD_REF || held->held == ART_HELD_URL
        || field == ART_FIELD_FILE)
    {
        return;
    }

    if (st->state == ART_LOOK_AT_LEAD) {
        art_look_bare(st);
    }

    bare = st->state == ART_LOOK_AT_BARE;
    skip = bare ? 0 : art_look_skip(st, text);

    /* text in a data URL is left alone */

    if (!bare && skip == 0 && st->state == ART_LOOK_AT_DATA
        && field != ART_FIELD_BYTES)
    {
        return;
    }

    look->bad |= !bare && skip == 0;

    art_look_end(look);
    art_look_sniff(&held->evidence,
                   art_str(text.data + skip, text.len - skip),
                   look->bad ? 0 : look->size);

    if (bare && field == ART_FIELD_URL && value->len > 0
        && (look->bad || !art_look_is_image(&held->evidence)))
    {
        return;
    }

    held->held = ART_HELD_DATA;
    held->looked = 1;
    held->size = look->bad ? held->size : look->size;
    held->broken = look->bad;
    held->cut = look->cut;
    held->locked = look->locked;
    held->xref = look->xref;
    held->data.pos = st->data;
    held->data.end = value->end - 1;
    held->plain = look->plain
                  && held->data.end - held->data.pos
                     == ART_BASE64_LEN(look->size);

    if (bare) {
        held->text = art_str(NULL, 0);
        held->mime = art_str(NULL, 0);

    } else {
        art_look_declared(st, held, text, skip, buf);
    }
}


/* Bytes before the base64 of a data URL; 0: it has none. */

static size_t
art_look_skip(const art_message_look_t *st, art_str_t text)
{
    size_t          n;
    const uint8_t  *comma;

    if (st->state != ART_LOOK_AT_DATA) {
        return 0;
    }

    comma = memchr(text.data, ',', text.len);
    n = (size_t) (comma - text.data);

    return n >= ART_VALUE_LEAD + 7
           && art_str_is(art_str(comma - 7, 7), ";base64") ? n + 1 : 0;
}


/* What a data URL declares. */

static void
art_look_declared(const art_message_look_t *st,
    art_message_held_value_t *held, art_str_t text, size_t skip, uint8_t *buf)
{
    size_t  n;

    text = art_str(text.data + ART_VALUE_LEAD, text.len - ART_VALUE_LEAD);
    text.len = skip == 0 ? 0 : skip - ART_VALUE_LEAD - 1;

    held->type = st->type;
    held->mime = art_message_mime(text, buf);

    for (n = 0; n < text.len && n < ART_MEDIA_TYPE_MAX
                && text.data[n] != ';'; n++)
    {
        /* void */
    }

    held->declared = art_str(text.data, n);
}


static unsigned
art_look_is_image(const art_evidence_t *evidence)
{
    return evidence->media != 0 && (evidence->sign & ART_SIGN_STRONG)
           && art_media_row(evidence->media - 1u)->kind == ART_KIND_IMAGE;
}


/* Examines the first bytes of base64, which has "size" bytes, maybe 0. */

static void
art_look_sniff(art_evidence_t *evidence, art_str_t text, uint64_t size)
{
    size_t               n;
    uint8_t              bytes[ART_LEX_KEEP / 4 * 3 + 3];
    art_base64_decode_t  st;

    memset(evidence, 0, sizeof(*evidence));

    if (size == 0) {
        return;
    }

    memset(&st, 0, sizeof(st));

    n = text.len < ART_LOOK_HEAD / 3 * 4 ? text.len : ART_LOOK_HEAD / 3 * 4;
    n = art_base64_decode(&st, bytes, text.data, n);

    if (n < size) {
        art_sniff(bytes, n, 0, evidence);

        if (evidence->sign & ART_SIGN_STRONG) {
            return;
        }
    }

    memset(&st, 0, sizeof(st));

    n = art_base64_decode(&st, bytes, text.data, text.len);
    n += art_base64_decode_end(&st, bytes + n);
    n = n < size ? n : (size_t) size;

    art_sniff(bytes, n, n == size, evidence);
}
