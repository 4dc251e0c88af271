
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a content is taken for: what has to hold for any claims and any content.
 */


#include <iconv.h>

#include "core/text/art_charset.h"
#include "core/media/art_signature.h"
#include "classify_contents.h"
#include "tap.h"


/* Claims and contents for the properties. */

static const char  *some_types[] = {
    NULL, "", "image", OCTETS, "text/plain", "text/plain; charset=utf-16",
    "text/plain; charset=gbk", "TEXT/HTML;charset=utf-8", "application/json",
    "application/xml; charset=utf-32le", "image/svg+xml", "text/xml",
    "image/png", "image/jpg", "application/zip", DOCX, "application/msword",
    "application/x-new", "application/x-new; charset=utf-16be",
    "application/a+xml", "application/b+json", "audio/mp4", "video/mp4",
    "audio/ogg", "application/ogg", "application/pdf", "x/y/z", "message/a",
    "text/x-a;charset=\"UTF-16LE\"", "application/vnd.ms-a", "font/ttf"
};

static const char  *some_names[] = {
    NULL, "", "a", ".", "a.txt", "a.md", "b.png", ".svg", "c.xml", "d.zip",
    "e.docx", "f.unknown", "a.b/c", "g.ts", ".cst", "h.xls", "i.bin", "css"
};

static const char  *some_magic[] = {
    "", OCTETS, "text/plain", "image/x-new", "application/x-new",
    "application/json", "application/x+xml", "image/svg+xml", "no type"
};


#define PICK(list)  maybe(list[tap_below(nitems(list))])


static void
random_claims(art_claims_t *claims, unsigned *calls)
{
    size_t  i;

    memset(claims, 0, sizeof(*claims));

    claims->declared[0] = PICK(some_types);
    claims->declared[1] = tap_below(2) ? PICK(some_types) : art_str(NULL, 0);
    claims->extension = tap_below(2) ? PICK(some_names) : art_str(NULL, 0);

    for (i = 0; i < ART_NAMES_MAX; i++) {
        claims->names[i] = tap_below(2) ? PICK(some_names)
                                        : art_str(NULL, 0);
    }

    if (tap_below(2)) {
        claims->lookup = lookup;
        claims->data = calls;
    }
}


/* A known content, random bytes, or one behind the other. */

static void
random_evidence(art_evidence_t *evidence)
{
    size_t        len, want;
    uint8_t       bytes[800];
    content_t     content;

    static const uint8_t  noise[] = " aZ\n\r\t\0\1\x1a\x80\xe5\xb7\xa5\xff";

    len = 0;

    if (tap_below(4)) {
        content = (content_t) (1 + tap_below(CONTENTS - 1));
        len = contents[content].len;
        memcpy(bytes, contents[content].bytes, len);
    }

    if (tap_below(2)) {
        want = len + tap_below(sizeof(bytes) - len);

        while (len < want) {
            bytes[len++] = noise[tap_below(sizeof(noise) - 1)];
        }

    } else if (tap_below(2)) {
        want = len + tap_below(sizeof(bytes) - len);

        while (len < want) {
            bytes[len++] = (uint8_t) tap_rand();
        }
    }

    art_sniff(bytes, len, (unsigned) tap_below(2), evidence);

    if (tap_below(2)) {
        art_sniff_magic(evidence, PICK(some_magic));
    }
}


/* The charset that a binary content needs to be text; NULL for none. */

static const char *
declared_charset(const art_claims_t *claims)
{
    size_t             i;
    art_media_type_t   type;

    for (i = 0; i < 2; i++) {
        art_media_parse(claims->declared[i], &type);

        if (type.len > 0) {
            return art_charset_find(type.charset);
        }
    }

    return NULL;
}


static int
may_be_text(const art_claims_t *claims, const art_verdict_t *v, unsigned text)
{
    const char  *charset;

    if (text != ART_TEXT_BINARY && text != ART_TEXT_MIXED) {
        return 1;
    }

    /* a server's types may have charsets, too */

    charset = v->from == ART_FROM_NAME ? art_charset_find(v->type.charset)
                                       : declared_charset(claims);

    if (charset == NULL) {
        return 0;
    }

    return text == ART_TEXT_BINARY ? art_charset_wide(charset)
                                   : strcmp(charset, "UTF-8") != 0;
}


/* What holds for any claims and any content. */

static int
sound(const art_claims_t *claims, const art_evidence_t *evidence,
    const art_verdict_t *v)
{
    art_str_t           mime;
    art_media_type_t    type;
    art_media_traits_t  traits;

    mime = art_str(v->type.buf, v->type.len);
    traits = art_media_traits(mime);

    if (v->type.len == 0 || v->type.len > ART_MEDIA_TYPE_MAX
        || v->kind >= ART_KIND_MAX || v->from > ART_FROM_CONTENT
        || (v->charset && strcmp(v->charset, "UTF-8") == 0))
    {
        return 0;
    }

    art_media_parse(mime, &type);

    if (!art_str_eq(art_str(type.buf, type.len), mime)
        && !is_type(v, OCTETS))
    {
        return 0;
    }

    if (v->kind != traits.kind && (traits.known || v->kind != ART_KIND_TEXT)) {
        return 0;
    }

    if (evidence == NULL) {
        return v->from != ART_FROM_CONTENT;
    }

    return v->kind != ART_KIND_TEXT
           || may_be_text(claims, v, evidence->text);
}


static int
same(const art_verdict_t *a, const art_verdict_t *b)
{
    return a->type.len == b->type.len
           && memcmp(a->type.buf, b->type.buf, a->type.len) == 0
           && a->kind == b->kind && a->from == b->from
           && strcmp(a->charset ? a->charset : "",
                     b->charset ? b->charset : "") == 0;
}


static void
show(const art_claims_t *claims, const art_evidence_t *evidence,
    const art_verdict_t *v)
{
    size_t  i;

    diag_mem("declared", claims->declared[0].data, claims->declared[0].len);
    diag_mem("declared", claims->declared[1].data, claims->declared[1].len);
    diag_mem("extension", claims->extension.data, claims->extension.len);

    for (i = 0; i < ART_NAMES_MAX; i++) {
        diag_mem("name", claims->names[i].data, claims->names[i].len);
    }

    if (evidence) {
        diag("row %u, sign %u, text class %u", evidence->media,
             evidence->sign, evidence->text);
        diag_mem("magic", evidence->magic, evidence->magic_len);
    }

    diag_mem("type", v->type.buf, v->type.len);
    diag("%s, from %s, charset %s", art_kind_name(v->kind),
         art_from_name(v->from), v->charset ? v->charset : "-");
}


static void
check_random(void)
{
    int                     rc, again;
    size_t                  i;
    unsigned                calls, unsound, differ, binary;
    art_claims_t            claims;
    art_verdict_t           verdict, other;
    art_evidence_t          storage;
    const art_evidence_t   *evidence;

    unsound = 0;
    differ = 0;
    binary = 0;
    calls = 0;

    for (i = 0; i < 20000 && unsound + differ == 0; i++) {
        random_claims(&claims, &calls);
        random_evidence(&storage);
        evidence = i % 8 ? &storage : NULL;

        memset(&verdict, 0, sizeof(verdict));
        memset(&other, 0xff, sizeof(other));

        rc = art_classify(&claims, evidence, &verdict);
        again = art_classify(&claims, evidence, &other);

        if (rc == ART_ERROR) {
            unsound += evidence != NULL;
            differ += again != ART_ERROR;

        } else {
            unsound += !sound(&claims, evidence, &verdict);
            differ += again != ART_OK || !same(&verdict, &other);
        }

        if (unsound + differ) {
            show(&claims, evidence, &verdict);
        }

        binary += evidence != NULL && storage.text == ART_TEXT_BINARY;
    }

    ok(unsound == 0, "any claims and content: a sound verdict, no text of "
       "what is binary");
    ok(differ == 0, "the same twice");
    ok(calls > 100 && binary > 2000, "of all sorts a good part");
}


/* Random characters of a range, in a charset; returns the bytes. */

static size_t
legacy_text(uint8_t *dst, size_t max, iconv_t cd, const uint32_t *range)
{
    char     *in, *out;
    size_t    left, room;
    wchar_t   code;

    out = (char *) dst;
    room = max;

    while (room >= 4) {
        code = (wchar_t) (range[0] + tap_below(range[1]));
        in = (char *) &code;
        left = sizeof(code);

        (void) iconv(cd, &in, &left, &out, &room);
    }

    return max - room;
}


/*
 * A text that is declared to be of a charset, and is, stays so, even if it
 * could be of another.
 */

static void
check_legacy(void)
{
    size_t            i, k, len;
    char              type[80];
    uint8_t           bytes[400];
    iconv_t           cd;
    unsigned          failed;
    art_claims_t      claims;
    art_verdict_t     verdict;
    art_evidence_t    evidence;

    static const struct {
        const char  *charset;
        uint32_t     range[2];
    } texts[] = {
        { "GB18030", { 0x4e00, 0x5200 } },
        { "CP950", { 0x4e00, 0x5200 } },
        { "CP932", { 0x3041, 0x52 } },
        { "CP932", { 0x4e00, 0x5200 } },
        { "EUC-JP", { 0x3041, 0x52 } },
        { "UHC", { 0xac00, 0x2ba4 } },
        { "CP1251", { 0x410, 0x40 } },
        { "KOI8-R", { 0x410, 0x40 } },
        { "CP1253", { 0x391, 0x38 } },
        { "CP874", { 0xe01, 0x2e } }
    };

    for (i = 0; i < nitems(texts); i++) {
        cd = iconv_open(texts[i].charset, "WCHAR_T");
        failed = cd == (iconv_t) -1;

        memset(&claims, 0, sizeof(claims));
        (void) snprintf(type, sizeof(type), "text/plain; charset=%s",
                        texts[i].charset);
        claims.declared[0] = art_cstr(type);

        for (k = 0; k < 200 && failed == 0; k++) {
            len = legacy_text(bytes, 30 + tap_below(300), cd,
                              texts[i].range);

            if (k % 2) {
                bytes[len++] = '\n';
            }

            art_sniff(bytes, len, 1, &evidence);
            (void) art_classify(&claims, &evidence, &verdict);

            if (verdict.kind != ART_KIND_TEXT || verdict.charset == NULL
                || strcmp(verdict.charset,
                          art_charset_find(art_cstr(texts[i].charset))) != 0)
            {
                diag("text class %u, charset %s", evidence.text,
                     verdict.charset ? verdict.charset : "-");
                diag_mem("source", bytes, len);
                failed++;
            }
        }

        ok(failed == 0, "declared %s stays so, U+%04X and on",
           texts[i].charset, texts[i].range[0]);

        if (cd != (iconv_t) -1) {
            (void) iconv_close(cd);
        }
    }
}


/* Bytes of no UTF-8 that may be characters of some charset. */

static void
guessable(uint8_t *p, size_t len)
{
    size_t    i;
    uint8_t   byte;
    unsigned  how;

    how = (unsigned) tap_below(6);
    byte = (uint8_t) (0x80 + tap_below(0x80));

    for (i = 0; i < len; i++) {

        switch (how) {

        case 0:                              /* the same one again and again */
            p[i] = byte;
            break;

        case 1:
            p[i] = (uint8_t) (0x80 + tap_below(0x80));
            break;

        case 2:                              /* among ASCII, of ISO 8859 */
            p[i] = (uint8_t) (tap_below(4) ? 0x20 + tap_below(0x5f)
                                           : 0xa0 + tap_below(0x60));
            break;

        case 3:                              /* frequent rows of GB 2312 */
            p[i] = (uint8_t) (i % 2 ? 0xa1 + tap_below(0x5e)
                                    : 0xb0 + tap_below(0x28));
            break;

        case 4:                              /* words of windows-1251 */
            p[i] = (uint8_t) (tap_below(6) ? 0xe0 + tap_below(0x20) : ' ');
            break;

        default:                             /* kana of EUC-JP */
            p[i] = (uint8_t) (i % 2 ? 0xa1 + tap_below(0x53) : 0xa4);
        }
    }
}


/* A beginning that may be a text's, ASCII perhaps, and such bytes. */

static size_t
random_guessable(uint8_t *p)
{
    size_t       head, size;
    const char  *start;

    static const char  *starts[] = {
        "", "<!DOCTYPE html>\n<p>", "<?xml version=\"1.0\"?>\n<a>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\">", "%!PS-Adobe-3.0\n",
        "some words "
    };
    static const size_t  sizes[] = { 1, 3, 64, 700, 4096, 4097, 12000 };

    start = starts[tap_below(nitems(starts))];
    head = strlen(start);
    size = head + sizes[tap_below(nitems(sizes))];

    memcpy(p, start, head);

    if (size > ART_SNIFF_MAX && tap_below(2)) {
        memset(p + head, 'a', ART_SNIFF_MAX - head);
        head = ART_SNIFF_MAX;
    }

    guessable(p + head, size - head);

    return size;
}


/* What is seen of a file. */

static void
look_at(const uint8_t *p, size_t size, art_evidence_t *evidence)
{
    size_t        i, n, len;
    art_sample_t  samples[ART_SNIFF_SAMPLES];

    len = size < ART_SNIFF_MAX ? size : ART_SNIFF_MAX;
    art_sniff(p, len, len == size, evidence);

    n = art_sniff_samples(p, len, size, evidence, samples);

    for (i = 0; i < n; i++) {
        art_sniff_sample(p + samples[i].offset, samples[i].len,
                         samples[i].offset + samples[i].len == size, evidence);
    }
}


/* Claims a row by its type, its extension or its name. */

static void
claim_row(art_claims_t *claims, const art_media_t *row, char *name,
    size_t size)
{
    unsigned  how;

    memset(claims, 0, sizeof(*claims));
    (void) snprintf(name, size, "a.%.*s",
                    (int) strcspn(row->extensions, " "), row->extensions);

    how = row->extensions[0] ? (unsigned) tap_below(3) : 0;

    if (how == 0) {
        claims->declared[0] = art_cstr(row->mime);

    } else if (how == 1) {
        claims->extension = art_cstr(name + 1);

    } else {
        claims->names[0] = art_cstr(name);
    }
}


/*
 * Bytes that are text only in a charset that they are taken for never make a
 * text of what is declared as binary, but for documents of Office, which tables
 * are called; and what is declared as text is converted from it.
 */

static void
check_guessed(void)
{
    char                name[40];
    size_t              size;
    unsigned            i, k, coded, texts, lost;
    art_claims_t        claims;
    art_verdict_t       verdict;
    art_evidence_t      evidence;
    static uint8_t      bytes[ART_SNIFF_MAX + 12000];
    const art_media_t  *row;

    coded = 0;
    texts = 0;
    lost = 0;

    for (i = 0; (row = art_media_row(i)) != NULL; i++) {

        if (strcmp(row->mime, OCTETS) == 0) {
            continue;
        }

        for (k = 0; k < 100; k++) {
            size = random_guessable(bytes);
            look_at(bytes, size, &evidence);
            claim_row(&claims, row, name, sizeof(name));

            (void) art_classify(&claims, &evidence, &verdict);

            if (evidence.text != ART_TEXT_CODED
                && evidence.text != ART_TEXT_FOREIGN)
            {
                continue;
            }

            coded += evidence.text == ART_TEXT_CODED;

            if (art_media_is_textual(row)) {
                lost += evidence.text == ART_TEXT_CODED
                        && verdict.charset == NULL
                        && !(evidence.sign & ART_SIGN_STRONG);

            } else if (row->kind == ART_KIND_DOCUMENT
                       && (row->family == ART_FAMILY_ZIP
                           || row->family == ART_FAMILY_OLE))
            {
                lost += evidence.text == ART_TEXT_CODED
                        && verdict.from != ART_FROM_CONTENT;

            } else if (verdict.kind == ART_KIND_TEXT
                       || is_type(&verdict, "image/svg+xml"))
            {
                show(&claims, &evidence, &verdict);
                texts++;
            }
        }
    }

    ok(texts == 0, "a charset that is guessed makes no text of what is binary");
    ok(lost == 0, "but converts what is text");
    ok(coded > 1000, "%u of them have such a charset", coded);
}


/*
 * Content with a strong signature is either what the signature says, or a
 * compatible type of the same container.
 */

static void
check_random_strong(void)
{
    size_t              i;
    unsigned            failed, calls;
    art_str_t           mime;
    art_claims_t        claims;
    art_verdict_t       verdict;
    art_evidence_t      evidence;
    const art_media_t  *row;

    failed = 0;
    calls = 0;

    for (i = 0; i < 5000 && failed == 0; i++) {
        random_claims(&claims, &calls);
        (void) look((content_t) (PNG + tap_below(CONTENTS - PNG)), &evidence);

        if (!(evidence.sign & ART_SIGN_STRONG)) {
            continue;
        }

        row = art_media_row(evidence.media - 1u);
        (void) art_classify(&claims, &evidence, &verdict);
        mime = art_str(verdict.type.buf, verdict.type.len);

        if (!art_str_eq(mime, art_cstr(row->mime))
            && (!(evidence.sign & ART_SIGN_GENERIC)
                || (art_media_traits(mime).family != row->family
                    && art_media_find(mime) != NULL)))
        {
            show(&claims, &evidence, &verdict);
            failed++;
        }
    }

    ok(failed == 0, "a strong signature is never overruled");
}


int
main(void)
{
    check_random();
    check_random_strong();
    check_legacy();
    check_guessed();

    return done();
}
