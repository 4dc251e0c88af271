
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"
#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"
#include "core/media/art_sniff_text.h"


/* Fewer bytes may read as a charset by chance. */

#define ART_SNIFF_SURE_LEN     64

/* One in 32 bytes of a sample need not fit the charset of the others. */

#define ART_SNIFF_SAMPLE_SHARE  32


static void art_sniff_signature(const uint8_t *p, size_t len,
    unsigned readable, art_evidence_t *out);
static void art_sniff_coded(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out);
static unsigned art_sniff_is_readable(const art_evidence_t *evidence);
static unsigned art_sniff_is_binary(const art_evidence_t *evidence);
static void art_sniff_add_text(const uint8_t *p, size_t n, unsigned whole,
    art_evidence_t *evidence);
static unsigned art_sniff_add_coded(const uint8_t *p, size_t n,
    unsigned whole, unsigned text, art_evidence_t *evidence);
static const char *art_sniff_row(unsigned charset);


void
art_sniff(const uint8_t *p, size_t len, unsigned whole, art_evidence_t *out)
{
    unsigned     ascii;
    const char  *charset;

    memset(out, 0, sizeof(*out));

    if (len > ART_SNIFF_MAX) {
        len = ART_SNIFF_MAX;
        whole = 0;
    }

    out->text = (uint8_t) art_sniff_text(p, len, whole, &charset, &ascii);
    out->charset = (uint8_t) art_charset_number(charset);
    out->ascii = ascii & 1;

    art_sniff_signature(p, len, art_sniff_is_readable(out), out);

    if ((out->sign & ART_SIGN_STRONG)
        && (out->text == ART_TEXT_UTF16LE || out->text == ART_TEXT_UTF16BE))
    {
        out->text = ART_TEXT_BINARY;
        out->charset = 0;
    }

    if (!art_sniff_is_binary(out)
        && (out->text != ART_TEXT_CLEAN || (out->ascii && !whole)))
    {
        out->says = (uint8_t) art_charset_number(art_charset_says(p, len));
    }

    art_sniff_coded(p, len, whole, out);

    out->sure = out->text == ART_TEXT_CLEAN || out->text == ART_TEXT_MARKED
                || ((out->text == ART_TEXT_CODED
                     || out->text == ART_TEXT_UTF16LE
                     || out->text == ART_TEXT_UTF16BE)
                    && len >= ART_SNIFF_SURE_LEN);

    out->blank = whole && len > 0 && art_text_is_text(out->text)
                 && art_sniff_blank(p, len, charset);
}


static void
art_sniff_signature(const uint8_t *p, size_t len, unsigned readable,
    art_evidence_t *out)
{
    art_signature_t  found;

    found = art_signature_find(p, len, readable);

    if (found.mime != NULL) {
        out->media = (uint16_t)
                        (art_media_index(art_media_find(art_cstr(found.mime)))
                         + 1);
        out->sign = (uint8_t) found.sign;
    }
}


/* Detects the charset; markup in it may now show its first tag. */

static void
art_sniff_coded(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out)
{
    unsigned     few, guessed;
    const char  *charset;

    if ((out->text != ART_TEXT_STRAY && out->text != ART_TEXT_LOOSE
         && out->text != ART_TEXT_FOREIGN)
        || art_sniff_is_binary(out))
    {
        return;
    }

    few = !art_sniff_scattered(p, len);

    if (few && out->text == ART_TEXT_STRAY) {
        return;
    }

    charset = art_charset_detect(p, len, whole,
                                 few && out->text != ART_TEXT_FOREIGN,
                                 art_sniff_row(out->says), &guessed);

    if (charset == NULL) {
        return;
    }

    out->text = ART_TEXT_CODED;
    out->guessed = guessed & 1;
    out->charset = (uint8_t) art_charset_number(charset);

    if (out->media == 0) {
        art_sniff_signature(p, len, 1, out);
    }
}


unsigned
art_sniff_samples(const uint8_t *p, size_t len, uint64_t size,
    const art_evidence_t *evidence, art_sample_t *samples)
{
    uint64_t            end;
    const art_media_t  *media;

    if (size <= len) {
        return 0;
    }

    /* whole units of UTF-16 and UTF-32 */

    end = size > len + ART_SNIFF_SAMPLE_MAX
          ? (size - ART_SNIFF_SAMPLE_MAX + 3) & ~(uint64_t) 3 : len;

    samples[0].offset = end;
    samples[0].len = (size_t) (size - end);

    if (evidence->sign & ART_SIGN_STRONG) {
        media = art_media_row(evidence->media - 1u);

        return (evidence->sign & ART_SIGN_GENERIC)
               && art_signature_locate(p, len, size, media->family,
                                       &samples[0].offset, &samples[0].len);
    }

    if (art_sniff_is_binary(evidence)) {
        return 0;
    }

    if (end == len) {
        return 1;
    }

    /* the end first: binary content is binary there as a rule */

    samples[1].offset = (len + (end - len) / 2) & ~(uint64_t) 3;
    samples[1].len = (size_t) (end - samples[1].offset);

    if (samples[1].len > ART_SNIFF_SAMPLE_MAX) {
        samples[1].len = ART_SNIFF_SAMPLE_MAX;
    }

    return 2;
}


void
art_sniff_sample(const uint8_t *p, size_t n, unsigned whole,
    art_evidence_t *evidence)
{
    art_signature_t     found;
    const art_media_t  *media;

    media = evidence->media != 0 ? art_media_row(evidence->media - 1u) : NULL;

    if (media != NULL && (evidence->sign & ART_SIGN_STRONG)) {
        found = art_signature_inside(p, n, media->family);

        if (found.mime != NULL) {
            evidence->media = (uint16_t)
                        (art_media_index(art_media_find(art_cstr(found.mime)))
                         + 1);
            evidence->sign = (uint8_t) found.sign;
        }

        return;
    }

    art_sniff_add_text(p, n, whole, evidence);

    /* a signature of text does not count in binary content */

    if (media != NULL && art_sniff_is_binary(evidence)
        && art_media_is_textual(media))
    {
        evidence->media = 0;
        evidence->sign = 0;
    }
}


static void
art_sniff_add_text(const uint8_t *p, size_t n, unsigned whole,
    art_evidence_t *evidence)
{
    unsigned     text, ascii;
    const char  *charset;

    charset = art_sniff_row(evidence->charset);

    if (charset != NULL && art_charset_wide(charset)) {

        if (!art_sniff_wide(p, n, charset)) {
            evidence->text = ART_TEXT_BINARY;
            evidence->charset = 0;
        }

        return;
    }

    text = art_sniff_text_sample(p, n, whole, &ascii);

    if (text == ART_TEXT_CLEAN || art_sniff_add_coded(p, n, whole, text,
                                                      evidence))
    {
        evidence->ascii &= ascii & 1;
        return;
    }

    evidence->ascii = 0;

    if (evidence->text == ART_TEXT_CODED) {
        evidence->charset = 0;
        evidence->text = ART_TEXT_FOREIGN;
    }

    if (text == ART_TEXT_FOREIGN && evidence->text == ART_TEXT_LOOSE) {
        text = ART_TEXT_MIXED;
    }

    if (text > evidence->text) {
        evidence->text = (uint8_t) text;
    }
}


/*
 * Whether bytes that are not UTF-8 continue a text in a charset, or begin one
 * after ASCII only.
 */

static unsigned
art_sniff_add_coded(const uint8_t *p, size_t n, unsigned whole,
    unsigned text, art_evidence_t *evidence)
{
    size_t       skip;
    unsigned     guessed;
    const char  *charset;

    if (text != ART_TEXT_STRAY && text != ART_TEXT_FOREIGN) {
        return 0;
    }

    skip = art_charset_resume(p, n);

    if (evidence->text == ART_TEXT_CODED) {
        return art_charset_faults(art_sniff_row(evidence->charset), p + skip,
                                  n - skip, whole)
               * ART_SNIFF_SAMPLE_SHARE <= n;
    }

    if (!evidence->ascii
        || (text == ART_TEXT_STRAY && !art_sniff_scattered(p, n)))
    {
        return 0;
    }

    charset = art_charset_detect(p + skip, n - skip, whole, 0,
                                 art_sniff_row(evidence->says), &guessed);

    if (charset == NULL) {
        return 0;
    }

    evidence->text = ART_TEXT_CODED;
    evidence->guessed = guessed & 1;
    evidence->charset = (uint8_t) art_charset_number(charset);

    return 1;
}


/* Plain text, where a signature of letters does not count. */

static unsigned
art_sniff_is_readable(const art_evidence_t *evidence)
{
    return evidence->text == ART_TEXT_CLEAN
           || evidence->text == ART_TEXT_STRAY;
}


/*
 * Whether the content is binary whatever is declared, or has a signature of
 * something binary; in a charset of 8 bits bad bytes may still be text.
 */

static unsigned
art_sniff_is_binary(const art_evidence_t *evidence)
{
    const art_media_t  *media;

    if (evidence->text == ART_TEXT_BINARY || evidence->text == ART_TEXT_EMPTY)
    {
        return 1;
    }

    if (evidence->media == 0) {
        return evidence->text == ART_TEXT_MIXED;
    }

    media = art_media_row(evidence->media - 1u);

    return (evidence->sign & ART_SIGN_STRONG)
           || evidence->text == ART_TEXT_MIXED
           || (!art_sniff_is_readable(evidence)
               && !art_media_is_textual(media));
}


void
art_sniff_magic(art_evidence_t *evidence, art_str_t mime)
{
    art_media_type_t  type;

    art_media_parse(mime, &type);

    evidence->magic_asked = 1;
    evidence->magic_len = (uint8_t) type.len;
    memcpy(evidence->magic, type.buf, type.len);
}


int
art_text_is_text(unsigned text)
{
    return text != ART_TEXT_LOOSE && text != ART_TEXT_FOREIGN
           && text != ART_TEXT_MIXED && text != ART_TEXT_BINARY;
}


/* The charset that a number in the evidence stands for, or NULL. */

static const char *
art_sniff_row(unsigned charset)
{
    return charset != 0 ? art_charset_row(charset - 1) : NULL;
}
