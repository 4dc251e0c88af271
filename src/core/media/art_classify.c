
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_charset.h"
#include "core/media/art_classify.h"
#include "core/media/art_signature.h"


static void art_by_claim(const art_claims_t *claims,
    const art_evidence_t *evidence, art_verdict_t *out);
static int art_claims_declared(const art_claims_t *claims,
    art_verdict_t *out);
static int art_claims_named(const art_claims_t *claims,
    art_media_type_t *type, unsigned builtin_only);
static int art_claims_by_extension(const art_claims_t *claims,
    art_str_t extension, art_media_type_t *type, unsigned builtin_only);
static void art_verify(const art_claims_t *claims,
    const art_evidence_t *evidence, art_verdict_t *out);
static int art_verify_signature(const art_evidence_t *evidence,
    art_verdict_t *out);
static int art_verify_text(const art_evidence_t *evidence,
    const art_verdict_t *out);
static int art_is_table(const art_media_traits_t *traits);
static int art_reads_badly(const art_evidence_t *evidence);
static void art_specialize(const art_claims_t *claims, art_verdict_t *out);
static void art_by_content(const art_claims_t *claims,
    const art_evidence_t *evidence, art_verdict_t *out);
static unsigned art_magic_is_weak(const art_evidence_t *evidence);
static unsigned art_lacks_signature(const art_evidence_t *evidence,
    const art_media_traits_t *traits, const art_verdict_t *out);
static void art_set_kind(const art_evidence_t *evidence,
    const art_media_traits_t *traits, art_verdict_t *out);
static void art_set_charset(const art_evidence_t *evidence,
    const art_media_traits_t *traits, art_verdict_t *out);
static void art_set_type(art_media_type_t *type, const char *mime);
static art_str_t art_type_str(const art_media_type_t *type);
static art_media_traits_t art_type_traits(const art_media_type_t *type);
static const art_media_t *art_evidence_media(const art_evidence_t *evidence);


/* What libmagic answers for bytes without a magic number. */

static const char  *art_magic_guesses[] = {
    "image/x-tga", "video/mpeg", "video/mpeg4-generic", "video/mp4v-es",
    "video/h264", "audio/mpeg", "audio/aac", "audio/x-mp4a-latm"
};


static const char  *art_from_names[] = { "metadata", "name", "content" };


int
art_classify(const art_claims_t *claims, const art_evidence_t *evidence,
    art_verdict_t *out)
{
    art_media_traits_t  traits;

    memset(out, 0, sizeof(*out));

    if (claims->text) {
        art_by_claim(claims, evidence, out);
        return ART_OK;
    }

    if (art_claims_declared(claims, out)) {

        if (evidence != NULL) {
            art_verify(claims, evidence, out);
            out->contradicted = (out->from == ART_FROM_CONTENT);
        }

    } else if (evidence != NULL) {
        art_by_content(claims, evidence, out);

    } else {
        return ART_ERROR;
    }

    traits = art_type_traits(&out->type);

    art_set_kind(evidence, &traits, out);
    art_set_charset(evidence, &traits, out);

    if (evidence != NULL) {
        out->unproved = art_lacks_signature(evidence, &traits, out);
        out->blank = evidence->blank;
    }

    return ART_OK;
}


/* What is marked as a text is one. */

static void
art_by_claim(const art_claims_t *claims, const art_evidence_t *evidence,
    art_verdict_t *out)
{
    if (!art_claims_declared(claims, out)) {
        art_set_type(&out->type, "text/plain");
        out->from = ART_FROM_METADATA;
    }

    out->type.charset = art_str(NULL, 0);
    out->kind = ART_KIND_TEXT;
    out->text = 1;
    out->blank = evidence != NULL && evidence->blank;
}


int
art_classify_wants_magic(const art_claims_t *claims,
    const art_evidence_t *evidence)
{
    art_verdict_t  verdict;

    if (claims->text || evidence->magic_asked || evidence->media != 0
        || art_text_is_text(evidence->text))
    {
        return 0;
    }

    memset(&verdict, 0, sizeof(verdict));

    if (!art_claims_declared(claims, &verdict)) {
        return 1;
    }

    art_verify(claims, evidence, &verdict);

    return verdict.from == ART_FROM_CONTENT;
}


void
art_classify_unread(const art_claims_t *claims, uint64_t size,
    art_verdict_t *out)
{
    art_media_type_t  type;

    if (art_classify(claims, NULL, out) == ART_OK) {
        return;
    }

    art_classify_unknown(out);

    /* that of several meanings; packets of MPEG-TS have 188 bytes */

    if (art_claims_named(claims, &type, 1)) {
        art_set_type(&out->type, size > 0 && size % 188 == 0
                                 ? "video/mp2t" : "text/x-typescript");
        out->kind = art_type_traits(&out->type).kind;
        out->from = ART_FROM_NAME;
    }
}


void
art_classify_unknown(art_verdict_t *out)
{
    memset(out, 0, sizeof(*out));

    art_set_type(&out->type, "application/octet-stream");
    out->kind = ART_KIND_OTHER;
    out->from = ART_FROM_CONTENT;
}


const char *
art_from_name(art_from_t from)
{
    return art_from_names[from];
}


/* Sets the type that the first declaring claim declares; 0 if none does. */

static int
art_claims_declared(const art_claims_t *claims, art_verdict_t *out)
{
    unsigned  i;

    for (i = 0; i < 2; i++) {
        art_media_parse(claims->declared[i], &out->type);

        if (out->type.len > 0) {
            out->from = ART_FROM_METADATA;
            art_specialize(claims, out);
            return 1;
        }
    }

    if (art_claims_named(claims, &out->type, 0)) {
        out->from = ART_FROM_NAME;
        return 1;
    }

    return 0;
}


static int
art_claims_named(const art_claims_t *claims, art_media_type_t *type,
    unsigned builtin_only)
{
    unsigned   i;
    uint8_t    buf[ART_MEDIA_EXT_MAX];
    uint8_t    dotted[ART_MEDIA_EXT_MAX + 2];
    art_str_t  s;

    s = claims->extension;

    if (s.len > 0 && s.len <= ART_MEDIA_EXT_MAX && s.data[0] != '.') {

        /* some writers omit the dot: "x.png" has the same extension */

        dotted[0] = 'x';
        dotted[1] = '.';
        memcpy(dotted + 2, s.data, s.len);
        s = art_str(dotted, s.len + 2);
    }

    if (art_claims_by_extension(claims, art_media_extension(s, buf), type,
                                builtin_only))
    {
        return 1;
    }

    for (i = 0; i < ART_NAMES_MAX; i++) {
        s = art_media_extension(claims->names[i], buf);

        if (art_claims_by_extension(claims, s, type, builtin_only)) {
            return 1;
        }
    }

    type->len = 0;

    return 0;
}


static int
art_claims_by_extension(const art_claims_t *claims, art_str_t extension,
    art_media_type_t *type, unsigned builtin_only)
{
    const art_media_t  *media;

    if (extension.len == 0) {
        return 0;
    }

    if (claims->lookup != NULL && !builtin_only) {
        art_media_parse(claims->lookup(claims->data, extension), type);

        if (type->len > 0
            && !art_str_eq(art_type_str(type), art_cstr("video/mp2t")))
        {
            return 1;
        }
    }

    /* TypeScript, or video as nginx's "mime.types" has it: the content tells */

    if (art_str_is(extension, "ts") && !builtin_only) {
        return 0;
    }

    media = art_media_by_extension(extension);

    if (media == NULL) {
        return 0;
    }

    /* ".bin" is a known extension without a meaning */

    art_media_parse(art_cstr(media->mime), type);

    return type->len > 0;
}


/* A name's more specific type replaces a bare container. */

static void
art_specialize(const art_claims_t *claims, art_verdict_t *out)
{
    art_media_type_t    named;
    art_media_traits_t  traits, precise;

    traits = art_type_traits(&out->type);

    if (!(traits.flags & ART_MEDIA_CONTAINER)
        || !art_claims_named(claims, &named, 0))
    {
        return;
    }

    precise = art_type_traits(&named);

    if (precise.family == traits.family
        && !(precise.flags & ART_MEDIA_CONTAINER))
    {
        memcpy(out->type.buf, named.buf, named.len);
        out->type.len = named.len;
    }
}


/* Only a positive contradiction outweighs a declared type. */

static void
art_verify(const art_claims_t *claims, const art_evidence_t *evidence,
    art_verdict_t *out)
{
    if (art_verify_signature(evidence, out)
        && art_verify_text(evidence, out))
    {
        return;
    }

    art_by_content(claims, evidence, out);
}


/* Returns 0 when a signature contradicts the declared type. */

static int
art_verify_signature(const art_evidence_t *evidence, art_verdict_t *out)
{
    unsigned            related;
    const art_media_t  *media;
    art_media_traits_t  traits;

    media = art_evidence_media(evidence);

    if (media == NULL
        || art_str_eq(art_type_str(&out->type), art_cstr(media->mime)))
    {
        return 1;
    }

    traits = art_type_traits(&out->type);

    /* many formats without a row are ZIP or OLE files */

    if ((evidence->sign & ART_SIGN_GENERIC) && traits.row == NULL
        && (media->family == ART_FAMILY_ZIP
            || media->family == ART_FAMILY_OLE)
        && traits.kind == ART_KIND_OTHER)
    {
        return 1;
    }

    related = media->family != ART_FAMILY_NONE
              && media->family == traits.family;

    if (related && (traits.flags & ART_MEDIA_CONTAINER)
        && !(media->flags & ART_MEDIA_CONTAINER))
    {
        /* both name the container, and the content is more precise */

        art_set_type(&out->type, media->mime);
        return 1;
    }

    /* tracks of sound in a film's container: one name is as good as another */

    if (related && media->kind == ART_KIND_AUDIO
        && traits.kind == ART_KIND_AUDIO
        && (media->family == ART_FAMILY_MP4
            || media->family == ART_FAMILY_EBML))
    {
        return 1;
    }

    if (related && (evidence->sign & ART_SIGN_GENERIC)
        && (media->kind == ART_KIND_IMAGE) == (traits.kind == ART_KIND_IMAGE))
    {
        return 1;
    }

    /*
     * a weak signature counts against a type that would have its own; that of
     * a text format only if a text follows it
     */

    return !(evidence->sign & ART_SIGN_STRONG)
           && (!(traits.flags & ART_MEDIA_SIGNED)
               || (related && (evidence->sign & ART_SIGN_GENERIC))
               || (art_reads_badly(evidence) && art_media_is_textual(media)));
}


/* Returns 0 when the content is text and must not be, or the reverse. */

static int
art_verify_text(const art_evidence_t *evidence, const art_verdict_t *out)
{
    const char         *charset;
    const art_media_t  *media;
    art_media_traits_t  traits;

    media = art_evidence_media(evidence);
    traits = art_type_traits(&out->type);

    switch (evidence->text) {

    case ART_TEXT_FOREIGN:
    case ART_TEXT_MIXED:
    case ART_TEXT_BINARY:

        if (traits.kind != ART_KIND_TEXT && traits.family != ART_FAMILY_XML) {
            return 1;
        }

        charset = art_charset_find(out->type.charset);

        return charset != NULL
               && (art_charset_wide(charset)
                   || (evidence->text != ART_TEXT_BINARY
                       && strcmp(charset, "UTF-8") != 0));

    case ART_TEXT_EMPTY:
    case ART_TEXT_LOOSE:
        return 1;

    default:

        /* the format has a signature, but the content is only text */

        if (!(traits.flags & ART_MEDIA_SIGNED)
            || (media != NULL
                && ((evidence->sign & ART_SIGN_STRONG)
                    || art_str_eq(art_type_str(&out->type),
                                  art_cstr(media->mime)))))
        {
            return 1;
        }

        return !art_is_table(&traits)
               && (evidence->text == ART_TEXT_STRAY
                   || !evidence->sure || evidence->guessed);
    }
}


/*
 * Whether it is a document of Office that would be a ZIP or an OLE file: tables
 * in text are declared so, in whatever charset.
 */

static int
art_is_table(const art_media_traits_t *traits)
{
    return traits->kind == ART_KIND_DOCUMENT
           && (traits->family == ART_FAMILY_ZIP
               || traits->family == ART_FAMILY_OLE);
}


/*
 * Whether it is text only if declared, or only in a charset that was guessed:
 * any binary content may have such bytes.
 */

static int
art_reads_badly(const art_evidence_t *evidence)
{
    return !art_text_is_text(evidence->text) || evidence->guessed;
}


static void
art_by_content(const art_claims_t *claims, const art_evidence_t *evidence,
    art_verdict_t *out)
{
    art_media_type_t    named;
    const art_media_t  *media;
    art_media_traits_t  traits;

    out->from = ART_FROM_CONTENT;
    out->type.charset = art_str(NULL, 0);

    media = art_evidence_media(evidence);

    /* the signature of a text format before binary proves nothing */

    if (media != NULL
        && !(media->kind == ART_KIND_TEXT
             && (evidence->text == ART_TEXT_BINARY
                 || evidence->text == ART_TEXT_MIXED)))
    {
        art_set_type(&out->type, media->mime);
        art_specialize(claims, out);
        return;
    }

    if (art_text_is_text(evidence->text)) {

        /* text has no signature: a name may say which type of text it is */

        if (art_claims_named(claims, &named, 1)
            && art_type_traits(&named).kind == ART_KIND_TEXT)
        {
            memcpy(out->type.buf, named.buf, named.len);
            out->type.len = named.len;
            return;
        }

        art_set_type(&out->type, "text/plain");
        return;
    }

    if (evidence->magic_len > 0 && !art_magic_is_weak(evidence)) {
        memcpy(out->type.buf, evidence->magic, evidence->magic_len);
        out->type.len = evidence->magic_len;

        /* bytes that are not text stay binary, whatever libmagic calls them */

        traits = art_type_traits(&out->type);

        if (traits.kind != ART_KIND_TEXT && traits.family != ART_FAMILY_XML) {
            return;
        }
    }

    art_set_type(&out->type, "application/octet-stream");
}


/* Whether libmagic only guessed: any binary content may have such bytes. */

static unsigned
art_magic_is_weak(const art_evidence_t *evidence)
{
    size_t     i;
    art_str_t  mime;

    mime = art_str(evidence->magic, evidence->magic_len);

    for (i = 0; i < art_nitems(art_magic_guesses); i++) {
        if (art_str_eq(mime, art_cstr(art_magic_guesses[i]))) {
            return 1;
        }
    }

    return 0;
}


/*
 * Whether the type's files always begin with a signature, and this one, neither
 * text nor empty, has neither the type's nor its container's.
 */

static unsigned
art_lacks_signature(const art_evidence_t *evidence,
    const art_media_traits_t *traits, const art_verdict_t *out)
{
    const art_media_t  *media;

    if (!(traits->flags & ART_MEDIA_SIGNED)
        || evidence->text == ART_TEXT_EMPTY || out->kind == ART_KIND_TEXT)
    {
        return 0;
    }

    media = art_evidence_media(evidence);

    if (media == NULL) {
        return out->from != ART_FROM_CONTENT;
    }

    return media != traits->row
           && (media->family == ART_FAMILY_NONE
               || media->family != traits->family);
}


static void
art_set_kind(const art_evidence_t *evidence, const art_media_traits_t *traits,
    art_verdict_t *out)
{
    out->kind = traits->kind;

    if (!traits->known && evidence != NULL && evidence->text != ART_TEXT_EMPTY
        && art_text_is_text(evidence->text)
        && !(evidence->sign & ART_SIGN_STRONG))
    {
        out->kind = ART_KIND_TEXT;
    }
}


static void
art_set_charset(const art_evidence_t *evidence,
    const art_media_traits_t *traits, art_verdict_t *out)
{
    const char  *charset;

    charset = art_charset_find(out->type.charset);

    if (charset != NULL && strcmp(charset, "UTF-8") == 0) {
        charset = NULL;
    }

    out->lines = evidence != NULL && charset == NULL;

    if (out->lines && evidence->charset != 0
        && evidence->text != ART_TEXT_MARKED)
    {
        charset = art_charset_row(evidence->charset - 1u);
    }

    if (out->kind != ART_KIND_TEXT && !(traits->flags & ART_MEDIA_TEXTUAL)) {
        charset = NULL;
    }

    out->charset = charset;
}


static void
art_set_type(art_media_type_t *type, const char *mime)
{
    type->len = strlen(mime);
    memcpy(type->buf, mime, type->len);
}


static art_str_t
art_type_str(const art_media_type_t *type)
{
    return art_str(type->buf, type->len);
}


static art_media_traits_t
art_type_traits(const art_media_type_t *type)
{
    return art_media_traits(art_type_str(type));
}


static const art_media_t *
art_evidence_media(const art_evidence_t *evidence)
{
    return evidence->media != 0
           ? art_media_row((unsigned) evidence->media - 1) : NULL;
}
