
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "art_media_table.h"


static int art_media_row_cmp(const void *key, const void *row);
static int art_media_alias_cmp(const void *key, const void *row);
static int art_media_cmp(const art_str_t *key, const char *text);
static int art_media_token_char(unsigned c);
static size_t art_media_essence(art_str_t text, uint8_t *buf, size_t *end);
static art_str_t art_media_charset(art_str_t params);
static size_t art_media_parameter(art_str_t s, art_str_t *name,
    art_str_t *value);
static int art_media_has_suffix(art_str_t mime, const char *suffix);
static int art_media_has_prefix(art_str_t mime, const char *prefix);


/* What people write when they do not know: it declares nothing. */

static const char  *art_media_generic[] = {
    "application/octet-stream", "binary/octet-stream",
    "application/octetstream", "application/binary", "application/unknown",
    "application/x-unknown", "application/download",
    "application/force-download", "application/x-download",
    "application/x-empty", "inode/x-empty", "unknown/unknown", NULL
};


/* Types without a row: what their first part or their suffix tells. */

static const struct {
    const char    *prefix;
    art_kind_t     kind;
} art_media_majors[] = {
    { "text/", ART_KIND_TEXT },
    { "image/", ART_KIND_IMAGE },
    { "audio/", ART_KIND_AUDIO },
    { "video/", ART_KIND_VIDEO },
    { "message/", ART_KIND_TEXT },
    { "font/", ART_KIND_OTHER },
    { "model/", ART_KIND_OTHER },
    { "application/vnd.openxmlformats-officedocument.", ART_KIND_DOCUMENT },
    { "application/vnd.oasis.opendocument.", ART_KIND_DOCUMENT },
    { "application/vnd.ms-word", ART_KIND_DOCUMENT },
    { "application/vnd.ms-excel", ART_KIND_DOCUMENT },
    { "application/vnd.ms-powerpoint", ART_KIND_DOCUMENT }
};


static const char  *art_kind_names[ART_KIND_MAX] = {
    "text", "image", "audio", "video", "document", "other"
};


void
art_media_parse(art_str_t text, art_media_type_t *out)
{
    size_t                    end, i;
    art_str_t                 essence;
    const art_media_alias_t  *alias;

    out->charset = art_str(NULL, 0);
    out->len = art_media_essence(text, out->buf, &end);

    if (out->len == 0) {
        return;
    }

    essence = art_str(out->buf, out->len);

    for (i = 0; art_media_generic[i] != NULL; i++) {
        if (art_media_cmp(&essence, art_media_generic[i]) == 0) {
            out->len = 0;
            return;
        }
    }

    alias = bsearch(&essence, art_media_aliases, art_media_aliases_size,
                    sizeof(art_media_alias_t), art_media_alias_cmp);

    if (alias != NULL) {
        out->len = strlen(alias->mime);
        memcpy(out->buf, alias->mime, out->len);
    }

    out->charset = art_media_charset(art_str(text.data + end, text.len - end));
}


/*
 * Copies "type/subtype" in lower case; 0 if the text is no media type.  *end
 * is where the parameters start.
 */

static size_t
art_media_essence(art_str_t text, uint8_t *buf, size_t *end)
{
    size_t    i, n, slash;
    uint8_t   c;

    for (i = 0; i < text.len && (text.data[i] == ' ' || text.data[i] == '\t');
         i++)
    {
        /* void */
    }

    slash = 0;

    for (n = 0; i < text.len; i++, n++) {
        c = text.data[i];

        if (c == ';' || c == ' ' || c == '\t') {
            break;
        }

        if (n == ART_MEDIA_TYPE_MAX
            || (c == '/' && (slash != 0 || n == 0))
            || (c != '/' && !art_media_token_char(c)))
        {
            return 0;
        }

        if (c == '/') {
            slash = n;
        }

        buf[n] = (uint8_t) (c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }

    while (i < text.len && (text.data[i] == ' ' || text.data[i] == '\t')) {
        i++;
    }

    if (slash == 0 || slash + 1 == n || (i < text.len && text.data[i] != ';')) {
        return 0;
    }

    *end = i;

    return n;
}


/* The names that RFC 6838 section 4.2 allows; "*" is for ranges only. */

static int
art_media_token_char(unsigned c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9')
           || (c != 0 && c < 0x80 && strchr("!#$&-^_.+", (int) c) != NULL);
}


/* The value of the charset parameter, a token, without quotes. */

static art_str_t
art_media_charset(art_str_t params)
{
    size_t     i, n;
    art_str_t  name, value;

    while (params.len > 0) {
        n = art_media_parameter(params, &name, &value);

        if (art_str_is(name, "charset")) {

            for (i = 0; i < value.len; i++) {
                if (!art_media_token_char(value.data[i])) {
                    return art_str(NULL, 0);
                }
            }

            return value;
        }

        params.data += n;
        params.len -= n;
    }

    return art_str(NULL, 0);
}


/* Splits one ";name=value" off and returns its length, at least 1. */

static size_t
art_media_parameter(art_str_t s, art_str_t *name, art_str_t *value)
{
    size_t   i, start;
    uint8_t  quote;

    i = 0;

    while (i < s.len && strchr("; \t", s.data[i]) != NULL && s.data[i] != 0) {
        i++;
    }

    start = i;

    while (i < s.len && s.data[i] != '=' && s.data[i] != ';') {
        i++;
    }

    *name = art_str(s.data + start, i - start);
    *value = art_str(NULL, 0);

    if (i == s.len || s.data[i] == ';') {
        return i > 0 ? i : 1;
    }

    i++;
    quote = (uint8_t) (i < s.len && s.data[i] == '"');
    i += quote;
    start = i;

    while (i < s.len
           && (quote ? s.data[i] != '"'
                     : s.data[i] != ';' && s.data[i] != ' '))
    {
        /* RFC 9110 section 5.6.4: a backslash quotes what follows */

        i += quote && s.data[i] == '\\' && i + 1 < s.len ? 2 : 1;
    }

    *value = art_str(s.data + start, i - start);

    return i < s.len && quote ? i + 1 : i;
}


const art_media_t *
art_media_find(art_str_t mime)
{
    return bsearch(&mime, art_media_table, art_media_table_size,
                   sizeof(art_media_t), art_media_row_cmp);
}


const art_media_t *
art_media_by_extension(art_str_t extension)
{
    size_t       n;
    unsigned     i;
    const char  *p;

    if (extension.len == 0) {
        return NULL;
    }

    for (i = 0; i < art_media_table_size; i++) {

        for (p = art_media_table[i].extensions; *p != '\0'; p += n) {
            n = strcspn(p, " ");

            if (n == extension.len && memcmp(p, extension.data, n) == 0) {
                return &art_media_table[i];
            }

            n += strspn(p + n, " ");
        }
    }

    return NULL;
}


const art_media_t *
art_media_row(unsigned i)
{
    return i < art_media_table_size ? &art_media_table[i] : NULL;
}


unsigned
art_media_index(const art_media_t *media)
{
    return (unsigned) (media - art_media_table);
}


art_kind_t
art_media_kind(art_str_t mime, unsigned *known)
{
    unsigned            i;
    const art_media_t  *media;

    *known = 1;
    media = art_media_find(mime);

    if (media != NULL) {
        return media->kind;
    }

    for (i = 0; i < sizeof(art_media_majors) / sizeof(art_media_majors[0]);
         i++)
    {
        if (art_media_has_prefix(mime, art_media_majors[i].prefix)) {
            return art_media_majors[i].kind;
        }
    }

    if (art_media_has_suffix(mime, "+json")
        || art_media_has_suffix(mime, "+xml")
        || art_media_has_suffix(mime, "+yaml"))
    {
        return ART_KIND_TEXT;
    }

    *known = 0;

    return ART_KIND_OTHER;
}


art_family_t
art_media_family(art_str_t mime)
{
    const art_media_t  *media;

    media = art_media_find(mime);

    if (media != NULL) {
        return media->family;
    }

    if (art_media_has_suffix(mime, "+xml")) {
        return ART_FAMILY_XML;
    }

    if (art_media_has_suffix(mime, "+zip")
        || art_media_has_suffix(mime, ".macroenabled.12")
        || art_media_has_prefix(mime, "application/vnd.ms-xpsdocument")
        || art_media_has_prefix(mime,
                                "application/vnd.openxmlformats-officedocument")
        || art_media_has_prefix(mime, "application/vnd.oasis.opendocument"))
    {
        return ART_FAMILY_ZIP;
    }

    if (art_media_has_prefix(mime, "application/vnd.ms-")) {
        return ART_FAMILY_OLE;
    }

    return ART_FAMILY_NONE;
}


unsigned
art_media_flags(art_str_t mime)
{
    const art_media_t  *media;

    media = art_media_find(mime);

    if (media != NULL) {
        return media->flags;
    }

    if (art_media_has_suffix(mime, "+xml")) {
        return ART_MEDIA_ACTIVE;
    }

    return art_media_has_suffix(mime, "+json") ? ART_MEDIA_JSON : 0;
}


const char *
art_kind_name(art_kind_t kind)
{
    return art_kind_names[kind];
}


art_str_t
art_media_friendly(art_str_t mime, art_lang_t lang)
{
    const art_media_t  *media;

    media = art_media_find(mime);

    return media != NULL ? art_cstr(media->names[lang]) : mime;
}


art_str_t
art_media_extension(art_str_t name, uint8_t *buf)
{
    size_t   i, n;
    uint8_t  c;

    for (i = name.len; i > 0 && name.data[i - 1] != '.'; i--) {
        if (name.data[i - 1] == '/') {
            return art_str(NULL, 0);
        }
    }

    n = name.len - i;

    /* a name that only starts with a dot (".env") is looked up whole */

    if (i == 0 || n == 0 || n > ART_MEDIA_EXT_MAX) {
        return art_str(NULL, 0);
    }

    for (n = 0; i < name.len; i++, n++) {
        c = name.data[i];
        buf[n] = (uint8_t) (c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }

    return art_str(buf, n);
}


static int
art_media_row_cmp(const void *key, const void *row)
{
    return art_media_cmp(key, ((const art_media_t *) row)->mime);
}


static int
art_media_alias_cmp(const void *key, const void *row)
{
    return art_media_cmp(key, ((const art_media_alias_t *) row)->alias);
}


static int
art_media_cmp(const art_str_t *key, const char *text)
{
    int     rc;
    size_t  len;

    len = strlen(text);
    rc = memcmp(key->data, text, key->len < len ? key->len : len);

    if (rc != 0) {
        return rc;
    }

    return key->len == len ? 0 : key->len < len ? -1 : 1;
}


static int
art_media_has_suffix(art_str_t mime, const char *suffix)
{
    size_t  len;

    len = strlen(suffix);

    return mime.len > len
           && memcmp(mime.data + mime.len - len, suffix, len) == 0;
}


static int
art_media_has_prefix(art_str_t mime, const char *prefix)
{
    size_t  len;

    len = strlen(prefix);

    return mime.len > len && memcmp(mime.data, prefix, len) == 0;
}
