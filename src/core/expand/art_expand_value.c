
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/text/art_utf8.h"
#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/ref/art_id.h"
#include "core/expand/art_expand_value.h"


/* Characters of base64 that are decoded to find a signature. */

#define ART_VALUE_HEAD  64


/* ... at once, to find the size of an image, most of which have it there. */

#define ART_VALUE_PIXELS  256

/* Bytes of a data URL before its content. */

#define ART_VALUE_URL_HEAD  512


/* A string in a URL's field that is not a URL: longer ones are base64. */

#define ART_VALUE_NO_URL  2048


static int art_value_refers(art_message_held_value_t *held,
    const art_lex_value_t *value, art_message_field_t field,
    const art_url_t *url, uint8_t *buf);
static int art_value_reference(art_message_held_value_t *held,
    const art_lex_value_t *value, const art_url_t *url, uint8_t *buf);
static int art_value_workspace(art_message_held_value_t *held,
    const art_lex_value_t *value, uint8_t *buf);
static unsigned art_value_is_prose(const art_lex_value_t *value);
static int art_value_from_url(art_str_t *id, uint8_t *buf);
static int art_value_begins(art_str_t text, art_str_t prefix);
static unsigned art_value_is_url(art_str_t *text, const art_url_t *url);
static int art_value_prefixed(art_str_t *text, art_str_t prefix);
static void art_value_data_url(art_message_held_value_t *held,
    const art_lex_value_t *value, uint8_t *buf);
static void art_value_base64(art_message_held_value_t *held,
    const art_lex_value_t *value, size_t skip);
static size_t art_value_decode(uint8_t *dst, art_str_t text);
static int art_value_url(art_message_held_value_t *held, art_str_t text);
static art_str_t art_value_cut(art_str_t text);


#define art_value_starts(text, word)                                          \
    ((text).len >= sizeof(word) - 1                                           \
     && memcmp((text).data, word, sizeof(word) - 1) == 0)


void
art_message_value(art_message_held_value_t *held, const art_lex_value_t *value,
    art_message_field_t field, art_value_what_t what, const art_url_t *url,
    uint8_t *buf)
{
    memset(held, 0, sizeof(*held));

    if (what != ART_VALUE_MEDIA
        && art_value_refers(held, value, field, url, buf))
    {
        return;
    }

    if (what == ART_VALUE_REFS || value->text.len == 0) {
        return;
    }

    if (value->text.len > 5
        && art_str_is(art_str(value->text.data, 5), "data:"))
    {
        art_value_data_url(held, value, buf);
        return;
    }

    if (field != ART_FIELD_FILE && art_value_url(held, value->text)) {
        held->held = ART_HELD_URL;
        return;
    }

    if (field == ART_FIELD_DATA
        || (field == ART_FIELD_URL && value->len > ART_VALUE_NO_URL))
    {
        art_value_base64(held, value, 0);
        return;
    }

    held->held = ART_HELD_FILE;
    held->text = art_value_cut(value->text);
}


/* Whether it is a reference, of any spelling that the field has. */

static int
art_value_refers(art_message_held_value_t *held, const art_lex_value_t *value,
    art_message_field_t field, const art_url_t *url, uint8_t *buf)
{
    if ((field == ART_FIELD_ARTIFACT || field == ART_FIELD_URL
         || field == ART_FIELD_FILE)
        && value->len == value->text.len
        && art_id_from_file(value->text, buf))
    {
        held->held = ART_HELD_REF;
        held->text = art_str(buf, ART_UUID_LEN);
        held->file = 1;
        return 1;
    }

    if ((field == ART_FIELD_ARTIFACT || field == ART_FIELD_URL
         || field == ART_FIELD_DATA || field == ART_FIELD_FILE)
        && art_value_workspace(held, value, buf))
    {
        return 1;
    }

    return art_message_may_refer(value->text, url)
           && (field == ART_FIELD_NONE || !art_value_is_prose(value))
           && art_value_reference(held, value, url, buf);
}


void
art_message_argument(art_message_held_value_t *held,
    const art_lex_value_t *value, const art_url_t *url, uint8_t *buf)
{
    art_str_t        text;
    art_lex_value_t  inner;

    inner = *value;
    text = value->text;

    if (art_message_may_mark(text)) {
        memset(held, 0, sizeof(*held));

        text = art_str(text.data + 1, text.len - 1);

        if (value->len > value->text.len
            || memchr(text.data, '[', text.len) != NULL
            || memchr(text.data, ']', text.len) != text.data + text.len - 1)
        {
            return;
        }

        inner.text = art_str(text.data, text.len - 1);
        inner.len = inner.text.len;
        url = NULL;
    }

    art_message_value(held, &inner, ART_FIELD_ARGUMENT, ART_VALUE_REFS, url,
                      buf);
}


void
art_message_link(art_message_held_value_t *held, const art_lex_value_t *value,
    const art_url_t *url, uint8_t *buf)
{
    art_message_value(held, value, ART_FIELD_LINK, ART_VALUE_REFS, url, buf);

    if (held->held != ART_HELD_REF || held->malformed
        || !art_id_is_uuid(held->text))
    {
        memset(held, 0, sizeof(*held));
        held->held = ART_HELD_WORDS;
    }
}


art_str_t
art_message_uri_name(art_str_t uri)
{
    size_t  n;

    for (n = 0; n < uri.len && uri.data[n] != '?' && uri.data[n] != '#'; n++) {
        /* void */
    }

    uri.len = n;

    while (n > 0 && uri.data[n - 1] != '/') {
        n--;
    }

    return n < uri.len ? art_str(uri.data + n, uri.len - n) : uri;
}


void
art_message_pixels_init(art_message_pixels_t *st)
{
    st->head = 0;

    memset(&st->decode, 0, sizeof(st->decode));
    art_pixels_init(&st->pixels);
}


/*
 * Whether it is a data URL shows only its comma: until then it is read as
 * base64 that begins at once, which costs little.
 */

void
art_message_pixels_read(art_message_pixels_t *st, const uint8_t *p,
    size_t len)
{
    size_t          n;
    uint8_t         room[ART_VALUE_PIXELS / 4 * 3 + 3];
    const uint8_t  *comma;

    if (st->head < ART_VALUE_URL_HEAD) {
        n = ART_VALUE_URL_HEAD - st->head;
        n = n < len ? n : len;

        comma = memchr(p, ',', n);
        st->head += n;

        if (comma != NULL) {
            art_message_pixels_init(st);
            st->head = ART_VALUE_URL_HEAD;

            len -= (size_t) (comma + 1 - p);
            p = comma + 1;
        }
    }

    while (len > 0 && st->pixels.status == ART_PIXELS_MORE && !st->decode.bad
           && st->decode.digits < ART_VALUE_PIXELS_MAX)
    {
        n = len < ART_VALUE_PIXELS ? len : ART_VALUE_PIXELS;

        (void) art_pixels_feed(&st->pixels, room,
                            art_base64_decode(&st->decode, room, p, n));
        p += n;
        len -= n;
    }
}


void
art_message_pixels_end(art_message_pixels_t *st,
    art_message_held_value_t *held)
{
    size_t   n;
    uint8_t  room[3];

    n = art_base64_decode_end(&st->decode, room);

    if (art_pixels_feed(&st->pixels, room, n) == ART_PIXELS_DONE) {
        held->width = st->pixels.width;
        held->height = st->pixels.height;
    }
}


static int
art_value_reference(art_message_held_value_t *held,
    const art_lex_value_t *value, const art_url_t *url, uint8_t *buf)
{
    unsigned   from_url;
    art_ref_t  ref;
    art_str_t  id, name;
    uint8_t    room[ART_ID_ROOM(ART_LEX_KEEP)];

    id = value->text;
    from_url = art_value_is_url(&id, url);

    if (from_url) {
        held->malformed = art_value_from_url(&id, buf) != 0;

    } else if (id.len > 0) {
        memcpy(buf, id.data, id.len);
        id.data = buf;
    }

    name = id;

    if (!art_value_prefixed(&name, art_cstr("artifact:"))
        && (!from_url || id.len == 0
            || art_str_eq(id, art_cstr("artifact:"))))
    {
        return 0;
    }

    held->held = ART_HELD_REF;

    if (held->malformed || art_id_parse(id, room, &ref) != ART_ID_OK) {
        held->malformed = 1;
        held->text = art_value_cut(name);
        return 1;
    }

    memcpy(buf, ref.id.data, ref.id.len);
    held->text = art_str(buf, ref.id.len);

    return 1;
}


/* The id of a workspace file as a write returns it, if it is well-formed. */

static int
art_value_workspace(art_message_held_value_t *held,
    const art_lex_value_t *value, uint8_t *buf)
{
    art_ref_t  ref;
    uint8_t    room[ART_ID_ROOM(ART_LEX_KEEP)];

    if (!art_message_may_be_workspace(value->text)
        || art_value_is_prose(value)
        || art_id_parse(value->text, room, &ref) != ART_ID_OK)
    {
        return 0;
    }

    memcpy(buf, ref.id.data, ref.id.len);

    held->held = ART_HELD_REF;
    held->text = art_str(buf, ref.id.len);

    return 1;
}


/*
 * A text that merely begins like a reference: it has white space, or is longer
 * than any reference.
 */

static unsigned
art_value_is_prose(const art_lex_value_t *value)
{
    return value->len > value->text.len || art_utf8_has_white(value->text);
}


/* Decodes a URL after its prefix; returns whether escapes are malformed. */

static int
art_value_from_url(art_str_t *id, uint8_t *buf)
{
    size_t  n;

    for (n = 0; n < id->len && id->data[n] != '?' && id->data[n] != '#'; n++) {
        /* void */
    }

    id->len = n;

    if (art_percent_decode(buf, &n, *id) != ART_OK) {
        memcpy(buf, id->data, id->len);
        id->data = buf;
        return 1;
    }

    *id = art_str(buf, n);

    return 0;
}


int
art_message_may_refer(art_str_t text, const art_url_t *url)
{
    unsigned  i;

    if (art_value_starts(text, "artifact:")) {
        return 1;
    }

    for (i = 0; url && i < url->nothers; i++) {
        if (art_value_begins(text, url->others[i])) {
            return 1;
        }
    }

    return url && art_value_begins(text, url->prefix);
}


/* Whether a text, or as much as there is of it, is that of a prefix. */

static int
art_value_begins(art_str_t text, art_str_t prefix)
{
    size_t  len;

    len = text.len < prefix.len ? text.len : prefix.len;

    return len > 0 && memcmp(text.data, prefix.data, len) == 0;
}


int
art_message_may_be_file(art_str_t text)
{
    return art_value_starts(text, ART_ID_FILE_OPENAI)
           || art_value_starts(text, ART_ID_FILE_ANTHROPIC);
}


int
art_message_may_be_workspace(art_str_t text)
{
    return art_value_starts(text, "ws:");
}


int
art_message_may_mark(art_str_t text)
{
    return art_value_starts(text, "[artifact:");
}


/* Removes the longest prefix of URLs that a text has; 0 if it has none. */

static unsigned
art_value_is_url(art_str_t *text, const art_url_t *url)
{
    unsigned   i;
    art_str_t  best, prefix;

    best = art_str(NULL, 0);

    for (i = 0; url && i <= url->nothers; i++) {
        prefix = i < url->nothers ? url->others[i] : url->prefix;

        if (prefix.len > best.len && text->len > prefix.len
            && memcmp(text->data, prefix.data, prefix.len) == 0)
        {
            best = prefix;
        }
    }

    return best.len > 0 && art_value_prefixed(text, best);
}


/* Removes a prefix; 0 if it is absent, or nothing follows it. */

static int
art_value_prefixed(art_str_t *text, art_str_t prefix)
{
    if (text->len <= prefix.len
        || memcmp(text->data, prefix.data, prefix.len) != 0)
    {
        return 0;
    }

    text->data += prefix.len;
    text->len -= prefix.len;

    return 1;
}


/* RFC 2397: data:[type][;parameters][;base64],data */

static void
art_value_data_url(art_message_held_value_t *held,
    const art_lex_value_t *value, uint8_t *buf)
{
    size_t           n;
    art_str_t        head;
    const uint8_t   *comma;

    head = art_str(value->text.data + 5, value->text.len - 5);
    comma = memchr(head.data, ',', head.len);

    if (comma == NULL) {
        held->held = ART_HELD_DATA;
        held->size = value->len;
        return;
    }

    head.len = (size_t) (comma - head.data);
    held->mime = art_message_mime(head, buf);

    n = head.len + 6;

    if (head.len >= 7
        && art_str_is(art_str(comma - 7, 7), ";base64"))
    {
        art_value_base64(held, value, n);
        return;
    }

    held->held = ART_HELD_DATA;
    held->size = value->len - n;
}


/*
 * The decoded size of the base64 after "skip" bytes; line breaks would count.
 */

static void
art_value_base64(art_message_held_value_t *held, const art_lex_value_t *value,
    size_t skip)
{
    size_t           n;
    uint64_t         len;
    uint8_t          head[ART_VALUE_HEAD];
    art_signature_t  signature;

    held->held = ART_HELD_DATA;

    len = value->len - skip;

    if (len > 0 && value->tail[1] == '=') {
        len--;

        if (len > 0 && value->tail[0] == '=') {
            len--;
        }
    }

    held->size = len / 4 * 3 + len % 4 * 3 / 4;

    if (held->mime.len > 0) {
        return;
    }

    n = art_value_decode(head, art_str(value->text.data + skip,
                                       value->text.len - skip));
    signature = art_signature_find(head, n, 0);

    if (signature.mime != NULL) {
        held->mime = art_cstr(signature.mime);
        held->generic = (signature.sign & ART_SIGN_GENERIC) != 0;
    }
}


/* Decodes the first bytes, up to what is not base64 in either alphabet. */

static size_t
art_value_decode(uint8_t *dst, art_str_t text)
{
    int       sextet;
    size_t    i, n;
    unsigned  bits, word;

    n = 0;
    bits = 0;
    word = 0;

    for (i = 0; i < text.len && i < ART_VALUE_HEAD; i++) {
        sextet = art_base64_value(text.data[i]);

        if (sextet < 0) {
            break;
        }

        word = word << 6 | (unsigned) sextet;
        bits += 6;

        if (bits >= 8) {
            bits -= 8;
            dst[n++] = (uint8_t) (word >> bits);
        }
    }

    return n;
}


/* A URL without its user and what follows its path, which may be secrets. */

static int
art_value_url(art_message_held_value_t *held, art_str_t text)
{
    size_t          i, scheme, authority, end;
    const uint8_t  *p;

    p = text.data;

    for (scheme = 0; scheme < text.len && scheme < 16
                     && (art_char_alnum(p[scheme]) || p[scheme] == '+'
                         || p[scheme] == '-' || p[scheme] == '.'); scheme++)
    {
        /* void */
    }

    if (scheme == 0 || text.len - scheme < 3
        || memcmp(p + scheme, "://", 3) != 0)
    {
        return 0;
    }

    authority = scheme + 3;
    end = text.len;

    for (i = authority; i < end; i++) {
        if (p[i] == '?' || p[i] == '#') {
            end = i;
        }
    }

    held->text = art_str(p, end);

    for (i = authority; i < end && p[i] != '/' && p[i] != '\\'; i++) {
        if (p[i] == '@') {
            held->text = art_str(p + i + 1, end - i - 1);
        }
    }

    held->text = art_value_cut(held->text);

    return 1;
}


static art_str_t
art_value_cut(art_str_t text)
{
    if (text.len > ART_VALUE_TEXT_MAX) {
        text.len = art_utf8_cut(text.data, text.len, ART_VALUE_TEXT_MAX);
    }

    return text;
}


art_str_t
art_message_mime(art_str_t name, uint8_t *buf)
{
    size_t              i;
    art_media_type_t    type;
    const art_media_t  *media;

    if (name.len > 0 && memchr(name.data, '/', name.len) != NULL) {
        art_media_parse(name, &type);

        media = art_media_find(art_str(type.buf, type.len));

        if (media == NULL) {
            memcpy(buf, type.buf, type.len);
            return art_str(buf, type.len);
        }

    } else if (name.len > 0 && name.len <= ART_MEDIA_EXT_MAX) {

        for (i = 0; i < name.len; i++) {
            buf[i] = art_char_lower(name.data[i]);
        }

        media = art_media_by_extension(art_str(buf, name.len));

    } else {
        media = NULL;
    }

    return media != NULL ? art_cstr(media->mime) : art_str(NULL, 0);
}
