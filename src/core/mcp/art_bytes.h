
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A range of the bytes of a text, of whole characters, as a stream in memory of
 * constant size.  Offsets are those of the content; of a text in another
 * charset than UTF-8 they are those of the text in UTF-8.
 */


#ifndef ART_BYTES_H_INCLUDED_
#define ART_BYTES_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_text.h"


#define ART_BYTES_END     UINT64_MAX
#define ART_BYTES_WINDOW  4096


/* What is asked for; nothing is owned. */

typedef struct {
    uint64_t             first;
    uint64_t             last;      /* inclusive, or ART_BYTES_END */
    uint64_t             tail;      /* instead: the last so many; 0: no */
    uint64_t             max;       /* bytes of the range; 0: no limit */
    uint64_t             size;      /* bytes of the content */
    const char          *charset;   /* canonical; NULL: UTF-8 */
    unsigned             lines;     /* it was not declared */
    unsigned             whole:1;   /* nobody asked for a range */
    unsigned             only:1;    /* only the range is wanted, no text */
    art_lang_t           lang;      /* of the line before the text */
} art_bytes_conf_t;


/*
 * Sets the range: "0-4095", "4096-" to the end, "-2000" for the last; from 0,
 * both inclusive.  ART_ERROR if the value has another form, or ends before it
 * begins.
 */

int art_bytes_range(art_bytes_conf_t *conf, art_str_t value);


/*
 * The caller reads "offset", where the next bytes of the content are taken
 * from, and at the end "from" and "to" (exclusive), which is the range of whole
 * characters that was shown, "total", the bytes of the text, and with
 * conf->whole "rows", its lines.  "stored": it is UTF-8.
 */

typedef struct {
    uint64_t             offset;
    uint64_t             from;
    uint64_t             to;
    uint64_t             total;
    uint64_t             rows;
    unsigned             stored:1;

    /* private */

    art_bytes_conf_t     conf;
    unsigned             state;
    unsigned             again:1;   /* the converter reads a second time */
    unsigned             mixed:1;   /* what it has found before */
    unsigned             learned:1; /* all that lines can tell */
    unsigned             ranged:1;  /* from and to are known */
    unsigned             broken:1;  /* the last byte was a line feed */
    uint64_t             at;        /* of the window, in the text */
    art_json_text_t      in;        /* converts the content */
    art_json_text_t      out;       /* repairs and escapes */
    size_t               nhead;
    uint8_t              head[4];
    size_t               pos;       /* in the window */
    size_t               len;
    uint8_t              window[ART_BYTES_WINDOW];
} art_bytes_t;


/* About 8 KB; the converters are closed by art_bytes_done(). */

void art_bytes_init(art_bytes_t *b, const art_bytes_conf_t *conf);
void art_bytes_done(art_bytes_t *b);


/*
 * Takes *len bytes of the content from *src, which begin at b->offset, and
 * appends to "out" the inside of a JSON string: a line that tells the range,
 * unless conf->whole, and its text.  The input advances; the output does not
 * depend on its pieces.
 *
 * As of art_lines_update():
 *
 * ART_LINES_MORE   the input is used up or dropped: continue at b->offset,
 *                  which may have moved; with no bytes at the content's end
 * ART_LINES_FULL   "out" has less than ART_BYTES_ROOM bytes of room
 * ART_LINES_DONE
 * ART_ERROR        no converter can be had for lack of memory
 *
 * A text in UTF-8 is read where the range is; with conf->whole also from there
 * to its end, and one in another charset from its beginning, two or three
 * times.
 */

#define ART_BYTES_ROOM  512

int art_bytes_update(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len);


/* Writes the line that tells the range, with its line feed, JSON-safe. */

void art_bytes_say(const art_bytes_t *b, art_out_t *out);


#endif /* ART_BYTES_H_INCLUDED_ */
