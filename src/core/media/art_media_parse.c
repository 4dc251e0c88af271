
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_char.h"
#include "core/media/art_media_parse.h"
#include "core/media/art_media_table.h"


static void art_media_replace_alias(art_media_type_t *type);
static int art_media_alias_cmp(const void *key, const void *row);
static size_t art_media_essence(art_str_t text, uint8_t *buf, size_t *end);
static int art_media_token_char(uint8_t c);
static art_str_t art_media_charset(art_str_t params);
static size_t art_media_parameter(art_str_t s, art_str_t *name,
    art_str_t *value);


void
art_media_parse(art_str_t text, art_media_type_t *out)
{
    size_t  end;

    out->charset = art_str(NULL, 0);
    out->len = art_media_essence(text, out->buf, &end);

    if (out->len == 0) {
        return;
    }

    art_media_replace_alias(out);

    /* what people write when they do not know */

    if (art_str_eq(art_str(out->buf, out->len),
                   art_cstr("application/octet-stream")))
    {
        out->len = 0;
        return;
    }

    out->charset = art_media_charset(art_str(text.data + end, text.len - end));
}


void
art_media_range(art_str_t text, art_media_type_t *out)
{
    size_t   end;
    uint8_t  copy[ART_MEDIA_TYPE_MAX];

    out->charset = art_str(NULL, 0);
    out->len = 0;

    if (text.len < 2 || text.len > sizeof(copy)) {
        return;
    }

    memcpy(copy, text.data, text.len);

    if (memcmp(copy + text.len - 2, "/*", 2) != 0) {
        out->len = art_media_essence(text, out->buf, &end);
        art_media_replace_alias(out);
        return;
    }

    copy[text.len - 1] = 'x';
    out->len = art_media_essence(art_str(copy, text.len), out->buf, &end);

    if (out->len > 0) {
        out->buf[out->len - 1] = '*';
    }
}


static void
art_media_replace_alias(art_media_type_t *type)
{
    art_str_t                 essence;
    const art_media_alias_t  *alias;

    essence = art_str(type->buf, type->len);

    if (art_media_find(essence) != NULL) {
        return;
    }

    alias = bsearch(&essence, art_media_aliases, art_media_aliases_size,
                    sizeof(art_media_alias_t), art_media_alias_cmp);

    if (alias != NULL) {
        type->len = strlen(alias->mime);
        memcpy(type->buf, alias->mime, type->len);
    }
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

        buf[n] = art_char_lower(c);
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
art_media_token_char(uint8_t c)
{
    return art_char_alnum(c)
           || (c != 0 && c < 0x80 && strchr("!#$&-^_.+", c) != NULL);
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


static int
art_media_alias_cmp(const void *key, const void *row)
{
    return art_media_cmp(key, ((const art_media_alias_t *) row)->alias);
}
