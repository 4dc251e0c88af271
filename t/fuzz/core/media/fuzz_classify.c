
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The claims stand first, each ended by a line feed: two
 * declared types, the extension, a name, libmagic's answer; a line of flags
 * behind them; the rest is the content.  Whatever it is: a verdict is sound,
 * the same twice, and never text for content that is binary unless a charset
 * was declared in which it may be text.
 */


#include <stdlib.h>

#include "core/media/art_classify.h"
#include "core/text/art_charset.h"


#define FUZZ_FIELDS  6

#define FUZZ_WHOLE   0x01
#define FUZZ_MAGIC   0x02
#define FUZZ_LOOKUP  0x04
#define FUZZ_UNREAD  0x08

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* A field of its own memory, so that a sanitizer sees one byte more. */

static art_str_t
fuzz_field(const uint8_t **data, size_t *size)
{
    size_t          n;
    uint8_t        *copy;
    const uint8_t  *end;

    end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    n = end ? (size_t) (end - *data) : *size;

    copy = malloc(n + (n == 0));
    check(copy != NULL);
    memcpy(copy, *data, n);

    *data += end ? n + 1 : n;
    *size -= end ? n + 1 : n;

    return art_str(copy, n);
}


/* A server's types: what the second declared type says, for some names. */

static art_str_t
fuzz_lookup(void *data, art_str_t extension)
{
    const art_claims_t  *claims;

    claims = data;

    check(extension.len > 0 && extension.len <= ART_MEDIA_EXT_MAX);

    return extension.len % 2 ? claims->declared[1] : art_str(NULL, 0);
}


static void
fuzz_sound(const art_verdict_t *v)
{
    size_t              i, slashes;
    art_str_t           mime;
    art_media_type_t    again;
    art_media_traits_t  traits;

    mime = art_str(v->type.buf, v->type.len);
    slashes = 0;

    check(mime.len > 2 && mime.len <= ART_MEDIA_TYPE_MAX);

    for (i = 0; i < mime.len; i++) {
        slashes += mime.data[i] == '/';
        check(mime.data[i] > ' ' && mime.data[i] < 0x7f
              && mime.data[i] != '"' && mime.data[i] != '\\'
              && !(mime.data[i] >= 'A' && mime.data[i] <= 'Z'));
    }

    check(slashes == 1);

    art_media_parse(mime, &again);
    check(art_str_eq(art_str(again.buf, again.len), mime)
          || art_str_eq(mime, art_cstr("application/octet-stream")));

    traits = art_media_traits(mime);

    check(v->kind < ART_KIND_MAX && v->from <= ART_FROM_CONTENT);
    check(v->kind == traits.kind
          || (!traits.known && v->kind == ART_KIND_TEXT));
    check(v->charset == NULL || strcmp(v->charset, "UTF-8") != 0);
}


/*
 * Whether content of that class may be text, as it is declared; a server's
 * types may have charsets, too.
 */

static int
fuzz_may_be_text(const art_claims_t *claims, unsigned text, unsigned named)
{
    unsigned           i;
    const char        *charset;
    art_media_type_t   type;

    if (text != ART_TEXT_BINARY && text != ART_TEXT_MIXED) {
        return 1;
    }

    for (i = named ? 1 : 0; i < 2; i++) {
        art_media_parse(claims->declared[i], &type);

        if (type.len > 0) {
            charset = art_charset_find(type.charset);

            return charset != NULL
                   && (text == ART_TEXT_BINARY
                       ? art_charset_wide(charset)
                       : strcmp(charset, "UTF-8") != 0);
        }
    }

    return 0;
}


/* A verdict that came out twice, or none. */

static void
fuzz_classify(const art_claims_t *claims, const art_evidence_t *evidence)
{
    int            rc;
    art_verdict_t  verdict, again;

    memset(&verdict, 0xa5, sizeof(verdict));
    memset(&again, 0x5a, sizeof(again));

    rc = art_classify(claims, evidence, &verdict);
    check(rc == art_classify(claims, evidence, &again));

    if (rc != ART_OK) {
        check(rc == ART_ERROR && evidence == NULL);
        return;
    }

    fuzz_sound(&verdict);

    check(verdict.type.len == again.type.len && verdict.kind == again.kind
          && verdict.from == again.from && verdict.charset == again.charset
          && memcmp(verdict.type.buf, again.type.buf, again.type.len) == 0);

    check(evidence != NULL || verdict.from != ART_FROM_CONTENT);
    check(evidence == NULL || verdict.kind != ART_KIND_TEXT
          || fuzz_may_be_text(claims, evidence->text,
                              verdict.from == ART_FROM_NAME));
}


static void
fuzz_content(const art_claims_t *claims, art_str_t magic, unsigned flags,
    const uint8_t *data, size_t size)
{
    uint8_t         *copy;
    art_evidence_t   evidence;

    copy = malloc(size + (size == 0));
    check(copy != NULL);
    memcpy(copy, data, size);

    art_sniff(copy, size, flags & FUZZ_WHOLE, &evidence);
    free(copy);

    check(evidence.text <= ART_TEXT_MARKED);
    check((evidence.text == ART_TEXT_EMPTY) == (size == 0));
    check(evidence.media == 0
          || art_media_row(evidence.media - 1u) != NULL);
    check(evidence.media != 0 || evidence.sign == 0);

    if (art_classify_wants_magic(claims, &evidence) || (flags & FUZZ_MAGIC)) {
        art_sniff_magic(&evidence, magic);
        check(!art_classify_wants_magic(claims, &evidence));
    }

    fuzz_classify(claims, &evidence);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned       i, flags;
    art_str_t      fields[FUZZ_FIELDS];
    art_claims_t   claims;

    for (i = 0; i < FUZZ_FIELDS; i++) {
        fields[i] = fuzz_field(&data, &size);
    }

    flags = fields[5].len > 0 ? fields[5].data[0] : 0;
    memset(&claims, 0, sizeof(claims));

    claims.declared[0] = fields[0];
    claims.declared[1] = fields[1];
    claims.extension = fields[2];
    claims.names[flags % ART_NAMES_MAX] = fields[3];

    if (flags & FUZZ_LOOKUP) {
        claims.lookup = fuzz_lookup;
        claims.data = &claims;
    }

    fuzz_classify(&claims, NULL);

    if (!(flags & FUZZ_UNREAD)) {
        fuzz_content(&claims, fields[4], flags, data, size);
    }

    for (i = 0; i < FUZZ_FIELDS; i++) {
        free((void *) (uintptr_t) fields[i].data);
    }

    return 0;
}
