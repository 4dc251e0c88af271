
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The text stream: bytes in any known charset become the inside of a JSON
 * string, in bounded memory.  Charset conversion is iconv's.
 */


#ifndef ART_JSON_TEXT_H_INCLUDED_
#define ART_JSON_TEXT_H_INCLUDED_


#include <iconv.h>

#include "core/base/art_core.h"


#define ART_JSON_TEXT_HOLD     16
#define ART_JSON_TEXT_PENDING  512
#define ART_JSON_TEXT_LINE     1024


typedef struct {
    iconv_t     cd;              /* (iconv_t) -1 while not converting */
    const char *charset;         /* canonical; a byte order mark changes it */
    uint64_t    left;            /* bytes of UTF-8 that may still be sent */
    uint64_t    chars;           /* the same for characters */
    unsigned    level;           /* of JSON escaping */
    unsigned    traits;          /* ART_CHARSET_* */
    unsigned    limited:1;       /* "left" counts */
    unsigned    counted:1;       /* "chars" counts */
    unsigned    started:1;       /* the byte order mark was examined */
    unsigned    convert:1;       /* the charset is not UTF-8 */
    unsigned    ended:1;         /* the converter was flushed */
    unsigned    truncated:1;     /* the text was cut; the rest is dropped */
    unsigned    shown:1;         /* what was written is more than blank */
    unsigned    lines:1;         /* each line may be UTF-8 */
    unsigned    again:1;         /* what lines tell is known */
    unsigned    mixed:1;         /* there are others, and one surely was */
    unsigned    other:1;         /* this line is not, up to its end */
    unsigned    decided:1;       /* it is known what "line" has */
    unsigned    valid:1;         /* what is "clear" is, without damage */
    unsigned    nuls:1;          /* NULs become U+2400 */
    unsigned    tries;           /* to find the charset of a line */
    size_t      clear;           /* bytes of UTF-8 that come next */
    unsigned    nline;           /* bytes of a line held in "line", */
    unsigned    pline;           /* and how many of them were used */
    unsigned    nin;             /* bytes of input held in "in" */
    unsigned    nout;            /* bytes of valid UTF-8 held in "out", */
    unsigned    pout;            /* and how many of them were written */
    uint8_t     in[ART_JSON_TEXT_HOLD];
    uint8_t     out[ART_JSON_TEXT_PENDING];
    uint8_t     line[ART_JSON_TEXT_LINE];
} art_json_text_t;


/*
 * Prepares a stream.  "charset" is a canonical name of art_charset_find(), or
 * NULL for UTF-8.  "max" bounds the output, in bytes of UTF-8 before escaping,
 * cut at a character boundary; 0: no bound.  "level" is the JSON escaping
 * level, up to ART_JSON_LEVEL_MAX; 0: the text is not escaped.  A byte order
 * mark at the start overrides the charset and is removed.  FF FE 00 00 is
 * UTF-32's.  Charset names without a byte order ("UTF-16") mean big-endian
 * unless a mark says otherwise (RFC 2781, section 4.3).  Allocates nothing.
 */

void art_json_text_init(art_json_text_t *t, const char *charset, uint64_t max,
    unsigned level);


/*
 * The input comes from a text after its mark: none is looked for.  To be called
 * before the first piece.
 */

void art_json_text_inner(art_json_text_t *t);


/*
 * The charset is a guess, or unknown (NULL): what is UTF-8 is read as such line
 * by line, and only the other lines are in that charset, which otherwise the
 * first of them tells.  Of a line, what decides is up to ART_JSON_TEXT_LINE
 * bytes from the first one that is not ASCII, and then as many again unless it
 * is in the other charset.  To be called before the first piece.
 */

void art_json_text_lines(art_json_text_t *t);


/*
 * Lines tell nothing more than a first reading of the text has found: "mixed"
 * is what that had at its end, and "charset" of art_json_text_init() its
 * charset.  To be called after art_json_text_lines().
 */

void art_json_text_again(art_json_text_t *t, unsigned mixed);


/*
 * NULs are U+2400, the symbol of one, and not U+FFFD.  To be called before the
 * first piece.
 */

void art_json_text_nuls(art_json_text_t *t);


/*
 * Also bounds the text to "max" characters (code points, not 0).  To be called
 * before the first piece.
 */

void art_json_text_limit(art_json_text_t *t, uint64_t max);


/*
 * Converts *len bytes from *src into dst, which has "room" bytes (at least
 * ART_JSON_UNIT_MAX), until the input is used up or the output is full.
 * Advances *src and *len; returns the bytes written, or ART_JSON_TEXT_ERROR
 * when no converter can be had for lack of memory or files: whatever the
 * content turns out to be, it goes on.  "last": nothing follows this input, so
 * what is held is written as well.  When nothing was written and *len is 0, the
 * stream needs more input or (after "last") is complete: call with "last" until
 * 0 is returned.  The output ends between characters and escapes; it depends
 * neither on how the input is cut into pieces nor on "room".
 *
 * Ill-formed input becomes U+FFFD: of UTF-8 each maximal subpart (Unicode 15,
 * section 3.9), of UTF-16 and UTF-32 each unit, of the other charsets a byte,
 * or the two bytes of an unassigned pair whose second is not ASCII (as the
 * WHATWG decoders do).  An unfinished character at the end is one U+FFFD, and
 * so is a NUL, which many a program takes for the end of a text.  When
 * the next character would exceed a bound, t->truncated is set; what follows is
 * consumed and dropped.
 *
 * The converter is opened on the first call that has to convert; iconv
 * allocates it.  If iconv knows no such charset, the text is read as UTF-8.
 */

#define ART_JSON_TEXT_ERROR  ((size_t) -1)

size_t art_json_text_update(art_json_text_t *t, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);


/* Closes the converter; the structure needs no other cleanup. */

void art_json_text_done(art_json_text_t *t);


#endif /* ART_JSON_TEXT_H_INCLUDED_ */
