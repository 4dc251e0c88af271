
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_bytes.h"
#include "core/media/art_ends.h"


/*
 * Lengths of RIFF from here on are those of a writer that did not know it: of
 * SoX and eSpeak, for one, into a pipe, 7FFFF000 and the header.
 */

#define ART_ENDS_OPEN  0x7ff00000u


/* What the bytes that a walk wants are. */

typedef enum {
    ART_ENDS_CHUNK = 0,          /* the head of a chunk of PNG */
    ART_ENDS_IEND,               /* the last byte of its last chunk */
    ART_ENDS_SCREEN,             /* flags of a GIF */
    ART_ENDS_BLOCK,              /* its blocks: the first byte, */
    ART_ENDS_IMAGE,              /* flags of an image, */
    ART_ENDS_SUB                 /* the length of a sub-block */
} art_ends_state_t;


/* What the sample of a content is. */

typedef enum {
    ART_ENDS_HEAD = 0,
    ART_ENDS_TAIL,
    ART_ENDS_WALK,               /* from the bytes on that a walk wants */
    ART_ENDS_SCAN,               /* any of a JPEG */
    ART_ENDS_XREFS               /* a PDF's references */
} art_ends_sample_t;


static void art_ends_want(art_ends_t *ends, art_ends_state_t state,
    uint64_t next, size_t want);
static void art_ends_step(art_ends_t *ends);
static void art_ends_chunk(art_ends_t *ends);
static void art_ends_block(art_ends_t *ends);
static uint64_t art_ends_colors(uint8_t flags);
static const uint8_t *art_ends_find_last(const uint8_t *p, const uint8_t *end,
    const char *word);
static uint64_t art_ends_number(const uint8_t *p, const uint8_t *end);
static void art_ends_go(art_ends_file_t *file, art_ends_sample_t state,
    uint64_t offset, size_t len);
static void art_ends_known(art_ends_file_t *file, art_end_t end);
static void art_ends_head(art_ends_file_t *file, const uint8_t *p, size_t n);
static void art_ends_tail(art_ends_file_t *file, const uint8_t *p, size_t n);
static void art_ends_tail_pdf(art_ends_file_t *file, const uint8_t *p,
    size_t n);
static void art_ends_walk(art_ends_file_t *file, const uint8_t *p, size_t n);
static void art_ends_scan(art_ends_file_t *file, const uint8_t *p, size_t n);


void
art_ends_begin(art_ends_t *ends, const uint8_t *p, size_t n)
{
    memset(ends, 0, sizeof(*ends));

    if (art_bytes_at(p, n, 0, "\x89PNG\r\n\x1a\n", 8)) {
        ends->format = ART_ENDS_PNG;
        art_ends_want(ends, ART_ENDS_CHUNK, 8, 8);

    } else if (art_bytes_at(p, n, 0, "GIF8", 4)) {
        ends->format = ART_ENDS_GIF;
        art_ends_want(ends, ART_ENDS_SCREEN, 10, 1);

    } else if (art_bytes_at(p, n, 0, "\xff\xd8\xff", 3)) {
        ends->format = ART_ENDS_JPEG;

    } else if (art_bytes_at(p, n, 0, "RIFF", 4)) {
        ends->format = ART_ENDS_RIFF;
        ends->next = n < 8 ? 0 : art_bytes_get(p + 4, 4);

        /* many writers count the head of a WAV, too */

        if (art_bytes_at(p, n, 8, "WAVE", 4)) {
            ends->next -= ends->next < 8 ? ends->next : 8;
        }

    } else if (art_bytes_at(p, n, 0, "%PDF-", 5)) {
        ends->format = ART_ENDS_PDF;
    }
}


static void
art_ends_want(art_ends_t *ends, art_ends_state_t state, uint64_t next,
    size_t want)
{
    ends->state = state;
    ends->next = next;
    ends->want = want;
    ends->got = 0;
}


void
art_ends_byte(art_ends_t *ends, uint8_t c)
{
    ends->bytes[ends->got++] = c;
    ends->next++;

    if (ends->got == ends->want) {
        ends->want = 0;
        art_ends_step(ends);
    }
}


/* The bytes that were wanted are there.  A walk only ever goes on. */

static void
art_ends_step(art_ends_t *ends)
{
    const uint8_t  *p;

    p = ends->bytes;

    switch ((art_ends_state_t) ends->state) {

    case ART_ENDS_CHUNK:
        art_ends_chunk(ends);
        return;

    case ART_ENDS_IEND:
        ends->whole = 1;
        return;

    case ART_ENDS_SCREEN:
        art_ends_want(ends, ART_ENDS_BLOCK,
                      ends->next + 2 + art_ends_colors(p[0]), 1);
        return;

    case ART_ENDS_BLOCK:
        art_ends_block(ends);
        return;

    case ART_ENDS_IMAGE:
        art_ends_want(ends, ART_ENDS_SUB,
                      ends->next + art_ends_colors(p[0]) + 1, 1);
        return;

    default:  /* ART_ENDS_SUB */

        if (p[0] != 0) {
            art_ends_want(ends, ART_ENDS_SUB, ends->next + p[0], 1);

        } else {
            art_ends_want(ends, ART_ENDS_BLOCK, ends->next, 1);
        }
    }
}


/* A chunk: length, name, so many bytes, and four of its sum. */

static void
art_ends_chunk(art_ends_t *ends)
{
    uint64_t        len;
    const uint8_t  *p;

    p = ends->bytes;
    len = (uint64_t) p[0] << 24 | (uint64_t) p[1] << 16
          | (uint64_t) p[2] << 8 | p[3];

    if (memcmp(p + 4, "IEND", 4) == 0) {
        art_ends_want(ends, ART_ENDS_IEND, ends->next + len + 3, 1);

    } else {
        art_ends_want(ends, ART_ENDS_CHUNK, ends->next + len + 4, 8);
    }
}


/* Extension (a label follows), image, trailer; or nothing known. */

static void
art_ends_block(art_ends_t *ends)
{
    switch (ends->bytes[0]) {

    case '!':
        art_ends_want(ends, ART_ENDS_SUB, ends->next + 1, 1);
        return;

    case ',':
        art_ends_want(ends, ART_ENDS_IMAGE, ends->next + 8, 1);
        return;

    case ';':
        ends->whole = 1;
        return;

    default:
        ends->lost = 1;
    }
}


/* Bytes of the table of colors that flags announce. */

static uint64_t
art_ends_colors(uint8_t flags)
{
    return flags & 0x80 ? 3u << ((flags & 7) + 1) : 0;
}


unsigned
art_ends_is_short(const art_ends_t *ends, uint64_t size)
{
    return size < 12
           || (ends->next > 0 && ends->next < ART_ENDS_OPEN
               && ends->next + 8 > size);
}


size_t
art_ends_trim(const uint8_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0) {
        n--;
    }

    return n;
}


/*
 * The last trailer tells whether the document is encrypted, and is in front of
 * the end (ISO 32000-1, 7.5.5 and 7.6).
 */

void
art_ends_pdf(art_ends_pdf_t *pdf, const uint8_t *p, size_t n)
{
    const uint8_t  *end, *found;

    end = p + n;
    p = n > ART_ENDS_LAST ? end - ART_ENDS_LAST : p;

    pdf->whole = art_bytes_find(p, (size_t) (end - p), "%%EOF") != NULL;

    found = art_ends_find_last(p, end, "trailer");

    pdf->locked = found != NULL
                  && art_bytes_find(found, (size_t) (end - found), "/Encrypt")
                     != NULL;

    found = art_ends_find_last(p, end, "startxref");

    pdf->xref = found != NULL
                ? art_ends_number(found + sizeof("startxref") - 1, end) : 0;
}


static const uint8_t *
art_ends_find_last(const uint8_t *p, const uint8_t *end, const char *word)
{
    const uint8_t  *found, *next;

    found = NULL;

    for ( ;; ) {
        next = art_bytes_find(p, (size_t) (end - p), word);

        if (next == NULL) {
            return found;
        }

        found = next;
        p = next + 1;
    }
}


/* A number behind white space, such as an offset. */

static uint64_t
art_ends_number(const uint8_t *p, const uint8_t *end)
{
    uint64_t  n;

    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) {
        p++;
    }

    for (n = 0; p < end && *p >= '0' && *p <= '9' && n < UINT32_MAX; p++) {
        n = n * 10 + (unsigned) (*p - '0');
    }

    return n;
}


unsigned
art_ends_is_locked(const uint8_t *p, size_t len)
{
    int             table;
    const uint8_t  *end;

    table = art_bytes_at(p, len, 0, "xref", 4);

    end = art_bytes_find(p, len, table ? "startxref" : "stream");
    len = end != NULL ? (size_t) (end - p) : len;

    return (table || art_bytes_find(p, len, "/XRef") != NULL)
           && art_bytes_find(p, len, "/Encrypt") != NULL;
}


void
art_ends_init(art_ends_file_t *file, uint64_t size)
{
    memset(file, 0, sizeof(*file));

    file->size = size;

    art_ends_go(file, ART_ENDS_HEAD, 0, ART_ENDS_SIGN);
}


static void
art_ends_go(art_ends_file_t *file, art_ends_sample_t state, uint64_t offset,
    size_t len)
{
    uint64_t  left;

    left = file->size - offset;

    file->state = state;
    file->sample.offset = offset;
    file->sample.len = left < len ? (size_t) left : len;
}


static void
art_ends_known(art_ends_file_t *file, art_end_t end)
{
    file->end = end;
    file->sample.len = 0;
}


unsigned
art_ends_next(const art_ends_file_t *file, art_sample_t *sample)
{
    *sample = file->sample;

    return sample->len > 0;
}


void
art_ends_sample(art_ends_file_t *file, const uint8_t *p, size_t n)
{
    if (n < file->sample.len) {
        art_ends_known(file, ART_END_UNKNOWN);
        return;
    }

    switch ((art_ends_sample_t) file->state) {

    case ART_ENDS_HEAD:
        art_ends_head(file, p, n);
        return;

    case ART_ENDS_TAIL:
        art_ends_tail(file, p, n);
        return;

    case ART_ENDS_WALK:
        art_ends_walk(file, p, n);
        return;

    case ART_ENDS_SCAN:
        art_ends_scan(file, p, n);
        return;

    default:  /* ART_ENDS_XREFS */
        art_ends_known(file, art_ends_is_locked(p, n) ? ART_END_LOCKED
                                                      : ART_END_WHOLE);
    }
}


static void
art_ends_head(art_ends_file_t *file, const uint8_t *p, size_t n)
{
    art_ends_begin(&file->ends, p, n);

    switch (file->ends.format) {

    case ART_ENDS_NONE:
        art_ends_known(file, ART_END_WHOLE);
        return;

    case ART_ENDS_RIFF:
        art_ends_known(file, art_ends_is_short(&file->ends, file->size)
                             ? ART_END_CUT : ART_END_WHOLE);
        return;

    default:
        art_ends_go(file, ART_ENDS_TAIL,
                    file->size > ART_ENDS_PIECE ? file->size - ART_ENDS_PIECE
                                                : 0,
                    ART_ENDS_PIECE);
    }
}


/* Most contents show their end here: whatever follows it, it is the end. */

static void
art_ends_tail(art_ends_file_t *file, const uint8_t *p, size_t n)
{
    size_t  len;

    len = art_ends_trim(p, n);

    switch (file->ends.format) {

    case ART_ENDS_PDF:
        art_ends_tail_pdf(file, p, len);
        return;

    case ART_ENDS_JPEG:

        /* not all of a long one would be read */

        if (art_bytes_find(p, n, "\xff\xd9") != NULL
            || file->size > ART_ENDS_STEPS * (ART_ENDS_PIECE - 1))
        {
            art_ends_known(file, ART_END_WHOLE);

        } else {
            art_ends_go(file, ART_ENDS_SCAN, 0, ART_ENDS_PIECE);
        }

        return;

    case ART_ENDS_PNG:

        if (art_bytes_find(p, n, "IEND\xae\x42\x60\x82") != NULL) {
            art_ends_known(file, ART_END_WHOLE);
            return;
        }

        break;

    default:  /* ART_ENDS_GIF */

        /* a terminator, and the trailer */

        if (len > 1 && p[len - 2] == 0 && p[len - 1] == ';') {
            art_ends_known(file, ART_END_WHOLE);
            return;
        }
    }

    if (file->ends.next >= file->size) {
        art_ends_known(file, ART_END_CUT);
        return;
    }

    art_ends_go(file, ART_ENDS_WALK, file->ends.next, ART_ENDS_PIECE);
}


/* The end may be in front of so many zeros that not all of it is here. */

static void
art_ends_tail_pdf(art_ends_file_t *file, const uint8_t *p, size_t n)
{
    uint64_t        end;
    art_ends_pdf_t  pdf;

    if (n < ART_ENDS_LAST && file->sample.offset > 0
        && ++file->steps < ART_ENDS_STEPS)
    {
        end = file->sample.offset + n;
        end -= end < ART_ENDS_PIECE ? end : ART_ENDS_PIECE;

        art_ends_go(file, ART_ENDS_TAIL, end, ART_ENDS_PIECE);
        return;
    }

    art_ends_pdf(&pdf, p, n);

    if (!pdf.whole) {
        art_ends_known(file, n >= ART_ENDS_LAST || file->sample.offset == 0
                             ? ART_END_CUT : ART_END_WHOLE);

    } else if (pdf.locked) {
        art_ends_known(file, ART_END_LOCKED);

    } else if (pdf.xref > 0 && pdf.xref < file->size) {
        art_ends_go(file, ART_ENDS_XREFS, pdf.xref, ART_ENDS_XREF);

    } else {
        art_ends_known(file, ART_END_WHOLE);
    }
}


static void
art_ends_walk(art_ends_file_t *file, const uint8_t *p, size_t n)
{
    unsigned     seen;
    art_ends_t  *ends;

    ends = &file->ends;

    while (ends->want > 0 && ends->next - file->sample.offset < n) {
        art_ends_byte(ends, p[ends->next - file->sample.offset]);
    }

    /* what it does not know may be anything */

    seen = ends->whole || ends->lost;

    if (!seen && ends->next >= file->size) {
        art_ends_known(file, ART_END_CUT);

    } else if (seen || ++file->steps == ART_ENDS_STEPS) {
        art_ends_known(file, ART_END_WHOLE);

    } else {
        art_ends_go(file, ART_ENDS_WALK, ends->next, ART_ENDS_PIECE);
    }
}


/* The last byte of a piece may be the first one of an end. */

static void
art_ends_scan(art_ends_file_t *file, const uint8_t *p, size_t n)
{
    unsigned  seen;
    uint64_t  next;

    next = file->sample.offset + n;
    seen = art_bytes_find(p, n, "\xff\xd9") != NULL;

    if (!seen && next == file->size) {
        art_ends_known(file, ART_END_CUT);

    } else if (seen || ++file->steps == ART_ENDS_STEPS) {
        art_ends_known(file, ART_END_WHOLE);

    } else {
        art_ends_go(file, ART_ENDS_SCAN, next - 1, ART_ENDS_PIECE);
    }
}
