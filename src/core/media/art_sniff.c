
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"
#include "core/text/art_utf16.h"
#include "core/text/art_utf8.h"
#include "core/media/art_media.h"
#include "core/media/art_pixels.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


/* Fewer bytes may fit a charset by chance. */

#define ART_SNIFF_SURE_LEN      64

/* One in 32 bytes of a sample need not fit the charset of the others. */

#define ART_SNIFF_SAMPLE_SHARE  32

/* Undeclared content with more faults than 1 in 32 bytes is not text. */

#define ART_SNIFF_STRAY_SHARE   32

/* So few bad bytes in a short content may be damage in a text. */

#define ART_SNIFF_FEW           4

/* So few NULs may be in a text: logs after a crash, dumps of a database. */

#define ART_SNIFF_NUL_SHARE     1000

/*
 * A text is one if of at least ten lines nine can be read, unless the others
 * have a fourth of its bytes.
 */

#define ART_SNIFF_LINES         10
#define ART_SNIFF_LINES_SHARE   10
#define ART_SNIFF_BYTES_SHARE   4

/* Bytes read at once, a constant so that compilers use vectors. */

#define ART_SNIFF_BLOCK         256


/*
 * "control" counts characters other than NUL, "invalid" sequences that are not
 * UTF-8; "ascii": all bytes are ASCII.  Counting ends where more would change
 * nothing: with too many NULs; with an invalid sequence beside control
 * characters; with more than ART_SNIFF_FEW invalid ones that are more than
 * their share.
 */

typedef struct {
    size_t    nul;
    size_t    control;
    size_t    invalid;
    unsigned  ascii;
} art_sniff_faults_t;


typedef struct {
    uint8_t  odd;                /* not 0 if there is a NUL or a control */
    uint8_t  all;                /* the high bit is set unless all is ASCII */
} art_sniff_block_t;


static void art_sniff_sign(art_evidence_t *evidence, art_signature_t found);
static void art_sniff_pixels(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out);
static void art_sniff_coded(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out);
static void art_sniff_mixed(const uint8_t *p, size_t len, art_evidence_t *out);
static unsigned art_sniff_lines(const uint8_t *p, size_t len,
    const char *charset);
static unsigned art_sniff_line_reads(const uint8_t *p, size_t len,
    const char *charset);
static void art_sniff_set_charset(art_evidence_t *evidence,
    const char *charset, unsigned guessed);
static void art_sniff_add_text(const uint8_t *p, size_t n, unsigned whole,
    art_evidence_t *evidence);
static unsigned art_sniff_add_coded(const uint8_t *p, size_t n, unsigned whole,
    unsigned text, art_evidence_t *evidence);
static unsigned art_sniff_is_readable(const art_evidence_t *evidence);
static unsigned art_sniff_is_binary(const art_evidence_t *evidence);
static const char *art_sniff_row(unsigned charset);
static unsigned art_sniff_text(const uint8_t *p, size_t len, unsigned whole,
    const char **charset, unsigned *ascii);
static unsigned art_sniff_text_sample(const uint8_t *p, size_t len,
    unsigned whole, unsigned *ascii);
static unsigned art_sniff_class(const art_sniff_faults_t *faults, size_t len);
static unsigned art_sniff_blank(const uint8_t *p, size_t len,
    const char *charset);
static unsigned art_sniff_mark(const uint8_t *p, size_t len,
    const char **charset);
static void art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);
static unsigned art_sniff_plain(const uint8_t *p, size_t len,
    art_sniff_faults_t *faults);
static art_sniff_block_t art_sniff_block(const uint8_t *p);
static void art_sniff_odd(const uint8_t *p, size_t len, size_t nuls,
    art_sniff_faults_t *faults);
static void art_sniff_invalid(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);


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

    art_sniff_sign(out, art_signature_find(p, len, art_sniff_is_readable(out)));

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

    art_sniff_pixels(p, len, whole, out);
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
art_sniff_sign(art_evidence_t *evidence, art_signature_t found)
{
    const art_media_t  *media;

    if (found.mime != NULL) {
        media = art_media_find(art_cstr(found.mime));

        evidence->media = (uint16_t) (media - art_media_row(0) + 1);
        evidence->sign = (uint8_t) found.sign;
    }
}


/* An image's size, as far as these bytes show it. */

static void
art_sniff_pixels(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out)
{
    art_pixels_t         px;
    art_pixels_status_t  status;

    out->pixels = ART_PIXELS_NONE;

    if (out->media == 0
        || art_media_row(out->media - 1u)->kind != ART_KIND_IMAGE)
    {
        return;
    }

    art_pixels_init(&px);

    status = art_pixels_feed(&px, p, len);

    if (status == ART_PIXELS_DONE) {
        out->width = px.width;
        out->height = px.height;
    }

    if (status != ART_PIXELS_MORE || !whole) {
        out->pixels = (uint8_t) status;
    }
}


/* Detects the charset; markup may then show its first tag. */

static void
art_sniff_coded(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out)
{
    size_t       n;
    uint8_t      foreign[ART_SNIFF_MAX];
    unsigned     guessed;
    const char  *charset;

    if (out->text == ART_TEXT_MIXED && out->media == 0) {
        art_sniff_mixed(p, len, out);
        return;
    }

    if ((out->text != ART_TEXT_STRAY && out->text != ART_TEXT_LOOSE
         && out->text != ART_TEXT_FOREIGN)
        || art_sniff_is_binary(out))
    {
        return;
    }

    guessed = 0;
    charset = NULL;

    n = art_charset_foreign(p, len, foreign);

    if (n > 0) {
        charset = art_charset_detect(foreign, n, whole,
                                     out->text == ART_TEXT_LOOSE,
                                     art_sniff_row(out->says), &guessed);
    }

    if (charset != NULL) {
        art_sniff_set_charset(out, charset, guessed);

    } else if (out->text == ART_TEXT_FOREIGN) {
        art_sniff_mixed(p, len, out);
    }

    if (out->text == ART_TEXT_CODED && out->media == 0) {
        art_sniff_sign(out, art_signature_find(p, len, 1));
    }
}


/* A text in which not all lines can be read. */

static void
art_sniff_mixed(const uint8_t *p, size_t len, art_evidence_t *out)
{
    const char  *charset;

    charset = art_charset_detect_lines(p, len);

    if (charset != NULL && art_sniff_lines(p, len, charset)) {
        art_sniff_set_charset(out, charset, 1);

    } else if (art_sniff_lines(p, len, NULL)) {
        out->text = ART_TEXT_STRAY;
    }
}


/* Whether enough lines are UTF-8 or in the charset, which may be NULL. */

static unsigned
art_sniff_lines(const uint8_t *p, size_t len, const char *charset)
{
    size_t          i, n, lines, bad, bytes;
    const uint8_t  *lf;

    lines = 0;
    bad = 0;
    bytes = 0;

    for (i = 0; i < len; i += n) {
        lf = memchr(p + i, '\n', len - i);
        n = lf != NULL ? (size_t) (lf - p) + 1 - i : len - i;
        lines++;

        if (art_sniff_line_reads(p + i, n, charset)) {
            continue;
        }

        bad++;
        bytes += n;

        if (bytes * ART_SNIFF_BYTES_SHARE > len) {
            return 0;
        }
    }

    return lines >= ART_SNIFF_LINES && bad * ART_SNIFF_LINES_SHARE <= lines;
}


static unsigned
art_sniff_line_reads(const uint8_t *p, size_t len, const char *charset)
{
    art_sniff_faults_t  faults;

    memset(&faults, 0, sizeof(faults));

    if (art_sniff_plain(p, len, &faults)) {
        return faults.nul == 0 && faults.control == 0;
    }

    if (faults.nul > 0 || faults.control > 0) {
        return 0;
    }

    return art_charset_line(p, len) != ART_LINE_OTHER
           || (charset != NULL
               && art_charset_faults(charset, p, len, 0) == 0);
}


static void
art_sniff_set_charset(art_evidence_t *evidence, const char *charset,
    unsigned guessed)
{
    evidence->text = ART_TEXT_CODED;
    evidence->guessed = guessed & 1;
    evidence->charset = (uint8_t) art_charset_number(charset);
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

        /* what is called a film may have tracks of sound only */

        return ((evidence->sign & ART_SIGN_GENERIC)
                || media->kind == ART_KIND_VIDEO)
               && art_signature_locate(p, len, size, media->family,
                                       &samples[0].offset, &samples[0].len);
    }

    if (art_sniff_is_binary(evidence)) {
        return 0;
    }

    if (end == len) {
        return 1;
    }

    /* the end first: binary content usually shows there */

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
    const art_media_t  *media;

    media = evidence->media != 0 ? art_media_row(evidence->media - 1u) : NULL;

    if (media != NULL && (evidence->sign & ART_SIGN_STRONG)) {
        art_sniff_sign(evidence, art_signature_inside(p, n, media->family));
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

        if (!art_utf16_is_text(p, n, charset)) {
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

    if (text > ART_TEXT_LOOSE
        && art_sniff_lines(p, n, art_sniff_row(evidence->charset)))
    {
        text = ART_TEXT_STRAY;
    }

    if (text == ART_TEXT_STRAY && evidence->text == ART_TEXT_CODED) {
        return;
    }

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
 * Whether lines that are not UTF-8 continue a text in a charset, or are the
 * first ones.
 */

static unsigned
art_sniff_add_coded(const uint8_t *p, size_t n, unsigned whole,
    unsigned text, art_evidence_t *evidence)
{
    size_t       skip, len;
    uint8_t      foreign[ART_SNIFF_SAMPLE_MAX];
    unsigned     guessed;
    const char  *charset;

    if ((text != ART_TEXT_STRAY && text != ART_TEXT_FOREIGN
         && text != ART_TEXT_LOOSE)
        || n > sizeof(foreign))
    {
        return 0;
    }

    skip = art_charset_resume(p, n);
    len = art_charset_foreign(p + skip, n - skip, foreign);

    if (len == 0) {
        return 0;
    }

    if (evidence->text == ART_TEXT_CODED) {
        return art_charset_faults(art_sniff_row(evidence->charset), foreign,
                                  len, whole)
               * ART_SNIFF_SAMPLE_SHARE <= n;
    }

    if (!art_sniff_is_readable(evidence)) {
        return 0;
    }

    charset = art_charset_detect(foreign, len, whole, text == ART_TEXT_LOOSE,
                                 art_sniff_row(evidence->says), &guessed);

    if (charset == NULL) {
        return 0;
    }

    art_sniff_set_charset(evidence, charset, guessed);

    return 1;
}


/* Whether it is plain text, for which a signature of letters does not count. */

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


/* The charset of a number in the evidence, or NULL. */

static const char *
art_sniff_row(unsigned charset)
{
    return charset != 0 ? art_charset_row(charset - 1) : NULL;
}


/*
 * The class of the first "len" bytes of a content, except ART_TEXT_CODED.
 * *ascii is set to whether all of them are ASCII; *charset is set for UTF-16
 * and UTF-32, else to NULL.
 */

static unsigned
art_sniff_text(const uint8_t *p, size_t len, unsigned whole,
    const char **charset, unsigned *ascii)
{
    unsigned            text;
    art_sniff_faults_t  faults;

    *charset = NULL;
    *ascii = 0;

    if (len == 0) {
        *ascii = 1;
        return ART_TEXT_EMPTY;
    }

    if (art_sniff_mark(p, len, charset)) {
        return ART_TEXT_MARKED;
    }

    art_sniff_count(p, len, whole, &faults);
    text = art_sniff_class(&faults, len);

    *ascii = faults.ascii && faults.control == 0 && text <= ART_TEXT_STRAY;

    if (text == ART_TEXT_CLEAN) {
        return text;
    }

    if (faults.nul > 0 || faults.control > 0) {
        *charset = art_utf16_detect(p, len, faults.nul > 0);

        if (*charset != NULL) {
            return strcmp(*charset, "UTF-16LE") == 0 ? ART_TEXT_UTF16LE
                                                     : ART_TEXT_UTF16BE;
        }
    }

    return text;
}


/*
 * The same for a sample of possible text in UTF-8 or a charset of 8 bits;
 * UTF-16 is not detected.
 */

static unsigned
art_sniff_text_sample(const uint8_t *p, size_t len, unsigned whole,
    unsigned *ascii)
{
    size_t              skip;
    unsigned            text;
    art_sniff_faults_t  faults;

    /* a sample may begin within a character */

    for (skip = 0; skip < 3 && skip < len && (p[skip] & 0xc0) == 0x80; skip++)
    {
        /* void */
    }

    p += skip;
    len -= skip;

    art_sniff_count(p, len, whole, &faults);
    text = len > 0 ? art_sniff_class(&faults, len) : ART_TEXT_CLEAN;

    *ascii = faults.ascii && faults.control == 0 && text <= ART_TEXT_STRAY;

    return text;
}


static unsigned
art_sniff_class(const art_sniff_faults_t *faults, size_t len)
{
    if (faults->nul * ART_SNIFF_NUL_SHARE > len) {
        return ART_TEXT_BINARY;
    }

    if (faults->control > 0 && faults->invalid > 0) {
        return ART_TEXT_MIXED;
    }

    if (faults->control == 0 && faults->invalid == 0) {
        return faults->nul == 0 ? ART_TEXT_CLEAN : ART_TEXT_STRAY;
    }

    if ((faults->control + faults->invalid) * ART_SNIFF_STRAY_SHARE <= len) {
        return ART_TEXT_STRAY;
    }

    return faults->control > 0 || faults->invalid <= ART_SNIFF_FEW
           ? ART_TEXT_LOOSE : ART_TEXT_FOREIGN;
}


/* Whether a complete text has only a byte order mark and white space. */

static unsigned
art_sniff_blank(const uint8_t *p, size_t len, const char *charset)
{
    size_t    i;
    unsigned  big;

    if (charset == NULL) {
        return art_utf8_is_blank(p, len) != 0;
    }

    if (strncmp(charset, "UTF-16", 6) != 0) {
        return 0;
    }

    big = charset[6] == 'B';

    for (i = 0; i + 2 <= len; i += 2) {
        if (!art_utf8_blank(art_utf16_unit(p + i, big))) {
            return 0;
        }
    }

    return i == len;
}


/* Whether a byte order mark of UTF-16 or UTF-32 is followed by text. */

static unsigned
art_sniff_mark(const uint8_t *p, size_t len, const char **charset)
{
    size_t  mark;

    *charset = art_charset_mark(p, len, 1, &mark);

    if (*charset != NULL && art_charset_wide(*charset)
        && art_utf16_is_text(p + mark, len - mark, *charset))
    {
        return 1;
    }

    *charset = NULL;

    return 0;
}


/*
 * Control characters are ASCII, so no other fault hides one.  A character that
 * is cut off at the end is invalid if nothing follows ("whole").
 */

static void
art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults)
{
    memset(faults, 0, sizeof(*faults));

    faults->ascii = art_sniff_plain(p, len, faults);

    if (faults->nul * ART_SNIFF_NUL_SHARE <= len && !faults->ascii) {
        art_sniff_invalid(p, len, whole, faults);
    }
}


/* Counts NULs and control characters; returns whether all is ASCII. */

static unsigned
art_sniff_plain(const uint8_t *p, size_t len, art_sniff_faults_t *faults)
{
    size_t             i, n;
    uint8_t            all, buf[ART_SNIFF_BLOCK];
    const uint8_t     *from;
    art_sniff_block_t  block;

    all = 0;

    for (i = 0; i < len && faults->nul * ART_SNIFF_NUL_SHARE <= len; i += n) {
        from = p + i;
        n = ART_SNIFF_BLOCK;

        if (len - i < n) {
            n = len - i;
            from = buf;

            memcpy(buf, p + i, n);
            memset(buf + n, ' ', sizeof(buf) - n);
        }

        block = art_sniff_block(from);
        all |= block.all;

        if (block.odd) {
            art_sniff_odd(from, n, len / ART_SNIFF_NUL_SHARE, faults);
        }
    }

    return all < 0x80;
}


/* The same loop for each set of instructions. */

static inline __attribute__((always_inline)) art_sniff_block_t
art_sniff_block_loop(const uint8_t *p)
{
    uint8_t            c, odd, all;
    unsigned           i;

    odd = 0;
    all = 0;

    for (i = 0; i < ART_SNIFF_BLOCK; i++) {
        c = p[i];
        all |= c;
        odd |= (uint8_t) (((c < 0x20) & ((uint8_t) (c - '\b') > '\r' - '\b')
                           & (c != 0x1b))
                          | (c == 0x7f));
    }

    return (art_sniff_block_t) { odd, all };
}


#ifdef ART_SIMD_X86

art_target_avx2
static art_sniff_block_t
art_sniff_block_avx2(const uint8_t *p)
{
    return art_sniff_block_loop(p);
}

#endif


static art_sniff_block_t
art_sniff_block(const uint8_t *p)
{
#ifdef ART_SIMD_X86

    if (art_simd_level() >= ART_SIMD_AVX2) {
        return art_sniff_block_avx2(p);
    }

#endif

    return art_sniff_block_loop(p);
}


/* After more than "nuls" NULs the bytes are binary, whatever else there is. */

static void
art_sniff_odd(const uint8_t *p, size_t len, size_t nuls,
    art_sniff_faults_t *faults)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < len; i++) {
        c = p[i];

        if (c == 0) {
            faults->nul++;

            if (faults->nul > nuls) {
                return;
            }

        } else if (c == 0x7f
                   || (c < 0x20 && c != 0x1b && (c < '\b' || c > '\r')))
        {
            faults->control++;
        }
    }
}


static void
art_sniff_invalid(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults)
{
    int     n;
    size_t  i;

    for (i = art_utf8_valid_len(p, len); i < len;
         i += art_utf8_valid_len(p + i, len - i))
    {
        n = art_utf8_char(p + i, len - i);

        if (n == 0) {
            faults->invalid += whole;
            return;
        }

        faults->invalid++;
        i += (size_t) (-1 - n);

        if (faults->control > 0
            || (faults->invalid > ART_SNIFF_FEW
                && faults->invalid * ART_SNIFF_STRAY_SHARE > len))
        {
            return;
        }
    }
}
