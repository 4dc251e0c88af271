
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Markers of artifacts and media in base64, found in a JSON string as it
 * streams (docs/expand.md).  The bytes are those of the string as it stands,
 * with its escapes: a text may be JSON in JSON in JSON.
 */


#ifndef ART_FIND_H_INCLUDED_
#define ART_FIND_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/text/art_base64.h"
#include "core/media/art_standin.h"


#define ART_FIND_MARKERS   0x01  /* what is looked for */
#define ART_FIND_RUNS      0x02
#define ART_FIND_BEGINS    0x04  /* ART_FIND_BEGIN and ART_FIND_LEFT are told */
#define ART_FIND_STANDINS  0x08  /* runs of fewer characters, too */


typedef enum {
    ART_FIND_MORE = 0,           /* all bytes were read */
    ART_FIND_MARKER,             /* a marker has ended: id, pos, end */
    ART_FIND_BEGIN,              /* a run is signed: pos, mime */
    ART_FIND_RUN,                /* a run has ended: all but the id */
    ART_FIND_LEFT                /* what has begun is no run after all */
} art_find_event_t;


#define ART_FIND_ID        36    /* bytes of a UUID */

/* Characters that show a signature, a type, and the end of a content. */

#define ART_FIND_SIGN      24
#define ART_FIND_HEAD      520
#define ART_FIND_TAIL      1472

/* Bytes of "data:..;base64," before a run, and of its first character. */

#define ART_FIND_PREFIX    128
#define ART_FIND_FIRST     260

/* What is known of the text before it: an escape that it would begin in. */

#define ART_FIND_WINDOW    (ART_FIND_PREFIX + 5)

/* Characters of a line that another one may follow. */

#define ART_FIND_LINE_MIN  60
#define ART_FIND_LINE      100

/* The bytes of a run until its type is known, with escapes. */

#define ART_FIND_BEHIND    4096


/*
 * Some 4.5 KB.  The first members are the event's: "pos" is the offset of its
 * first byte, "end" that behind its last one, from the begin of the string.
 * "mime" is of the media table, "size" the number of decoded bytes.  "whole":
 * the content has its end, as far as its format shows that.
 * "pixels" are those of an image whose first bytes show them.  A "standin" is a
 * run with an "id" in it, whose base64 begins at "data".
 */

typedef struct {
    uint64_t        pos;
    uint64_t        end;
    uint64_t        size;
    const char     *mime;
    uint32_t        pixels[2];        /* width and height; 0: unknown */
    unsigned        whole;
    art_standin_t   standin;
    uint64_t        data;             /* where its base64 begins */
    uint8_t         id[ART_FIND_ID];  /* as in the text */

    /* private */

    unsigned        flags;
    uint64_t        min;
    uint64_t        at;          /* offset of the next byte */
    const uint8_t  *p;           /* and that byte */

    uint64_t        asked;       /* no byte that ends a run is before it */
    unsigned        state;       /* of the run */
    unsigned        prev;        /* alphabets that may begin here */

    unsigned        esc;         /* within an escape */
    unsigned        value;       /* its digits */
    uint64_t        esc_pos;

    unsigned        ready;       /* a character was read, but not taken */
    int             c;
    uint64_t        c_pos;
    uint64_t        c_end;

    unsigned        mark;        /* characters of a marker, from its "t:" */
    unsigned        mark_esc;
    uint64_t        mark_pos;

    unsigned        alphabets;
    unsigned        pads;
    unsigned        told;
    unsigned        glued;       /* within a word: only a stand-in is one */
    int             line_break;  /* the last character, if it was one */
    unsigned        ending;      /* how the format shows its end */
    uint64_t        riff;        /* bytes that a RIFF states */
    uint64_t        line;        /* characters of this line */
    uint64_t        width;       /* of those before it; 0: none */
    uint64_t        count;       /* characters of the alphabet */
    uint64_t        run_pos;
    uint64_t        run_end;
    uint64_t        line_end;    /* of the line before */
    uint64_t        last;        /* the end of the last run */

    size_t          ntail;
    size_t          nbehind;
    uint64_t        line_pos[ART_FIND_LINE];  /* of its characters */
    uint8_t         tail[2 * ART_FIND_TAIL];
    uint8_t         behind[ART_FIND_WINDOW + ART_FIND_FIRST];
} art_find_t;


/*
 * Starts a string.  A run has at least "min" characters of its alphabet,
 * padding not counted, unless it is a stand-in (art_standin.h) and "flags" have
 * ART_FIND_STANDINS beside ART_FIND_MARKERS, ART_FIND_RUNS and ART_FIND_BEGINS.
 */

void art_find_init(art_find_t *find, uint64_t min, unsigned flags);


/*
 * Reads the next bytes of the string until something is found; *n is how many
 * were read (it may be 0 with an event).  Events come in the order of their
 * ends; how the string is cut does not matter.
 *
 * ART_FIND_MARKER: "[artifact:", a UUID and "]", whose brackets may be escaped
 * ("\u005b") and behind any number of backslashes.
 *
 * ART_FIND_RUN: base64 of an image, audio, video or PDF with a strong signature
 * (docs/classification.md) at its very start.  It is wrapped in lines of equal
 * length, 60 to 100 characters, or not at all; a short last line that follows a
 * whole content and does not belong to it is left out.  The earliest run wins:
 * none is looked for within one.  With ART_FIND_BEGINS each run is announced by
 * ART_FIND_BEGIN when it has ART_FIND_HEAD characters, or has ended, and ends
 * with ART_FIND_RUN or ART_FIND_LEFT.
 * By then bytes may have been read that do not belong to it: a line behind its
 * last one.  art_find_decode() knows that.
 */

art_find_event_t art_find_feed(art_find_t *find, const uint8_t *p, size_t len,
    size_t *n);


/* The end of the string; to be called until it returns ART_FIND_MORE. */

art_find_event_t art_find_end(art_find_t *find);


/*
 * Whether this is clear without all that: a whole string with no marker, too
 * short for a run of "min" characters.
 */

unsigned art_find_is_plain(const uint8_t *p, size_t len, uint64_t min);


/*
 * The offset of the first byte that may belong to a run that is yet to begin,
 * or has begun: what is before it may be passed on.  Unless ART_FIND_BEGIN was
 * told, these are at most ART_FIND_BEHIND bytes.
 */

uint64_t art_find_from(const art_find_t *find);


/*
 * Turns the bytes of a run as they stand, from its "pos" on (with "data:..."),
 * into its content.  It is given all bytes up to "end", or all that were read
 * when the run's end was told; what is too much is dropped, since the last
 * ART_FIND_LAG bytes of the content are kept back until the end.
 */

#define ART_FIND_LAG  80

typedef struct {
    unsigned      state;         /* the prefix */
    unsigned      esc;
    unsigned      value;
    unsigned      nbits;
    uint32_t      bits;
    uint64_t      size;          /* bytes given so far */
    size_t        nheld;
    uint8_t       held[ART_FIND_LAG];
    art_base64_t  base64;        /* of art_find_clean() */
} art_find_decode_t;             /* starts zeroed */


/*
 * Reads from *src into dst until the input is used up or "room" (not 0) is;
 * advances *src and *len.  Returns the bytes written.
 */

size_t art_find_decode(art_find_decode_t *st, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len);


/*
 * The last bytes of a content of "size" bytes, as ART_FIND_RUN told.  At most
 * ART_FIND_LAG bytes are written; returns their number.
 */

size_t art_find_decode_end(art_find_decode_t *st, uint64_t size,
    uint8_t *dst);


/*
 * The same as canonical base64 (RFC 4648 section 4, padded, one line), in all
 * ART_BASE64_LEN(size) characters; "room" is 8 at least.  art_find_clean_end()
 * writes at most ART_FIND_CLEAN_END characters.
 */

#define ART_FIND_CLEAN_END  ART_BASE64_LEN(ART_FIND_LAG + 4)

size_t art_find_clean(art_find_decode_t *st, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len);
size_t art_find_clean_end(art_find_decode_t *st, uint64_t size, uint8_t *dst);


#endif /* ART_FIND_H_INCLUDED_ */
