
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Lines of a text: a range of them, those that contain a string with their
 * context, and how many there are.  The text is read as a stream, in memory of
 * constant size, however long it or its lines are.
 */


#ifndef ART_LINES_H_INCLUDED_
#define ART_LINES_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_text.h"


/*
 * ART_LINES_GREP_MAX: bytes of a string that is looked for.  ART_LINES_SHOWN:
 * bytes that are shown of a line; of a longer one that matches, each match is
 * shown with ART_LINES_AROUND bytes before and after it.  ART_LINES_HISTORY: of
 * the lines before a match, which may be context; of a long one, what is shown
 * counts.
 */

#define ART_LINES_GREP_MAX  8192
#define ART_LINES_SHOWN     2000
#define ART_LINES_AROUND    200
#define ART_LINES_HISTORY   32768
#define ART_LINES_CONTEXT   2

#define ART_LINES_WINDOW    (3 * ART_LINES_HISTORY)
#define ART_LINES_MARKS     256

#define ART_LINES_END       UINT64_MAX


/* What is asked for; nothing is owned. */

typedef struct {
    art_str_t            grep;      /* empty: all lines of the range */
    uint64_t             first;     /* lines of the range, from 1 */
    uint64_t             last;      /* or ART_LINES_END */
    uint64_t             tail;      /* instead: the last so many; 0: no */
    uint64_t             context;   /* lines before and after a match */
    uint64_t             from;      /* search bytes of the text from here */
    uint64_t             to;        /* ... to here, or ART_LINES_END */
    uint64_t             max;       /* bytes of UTF-8; 0: no limit */
    uint64_t             size;      /* bytes of the content */
    const char          *charset;   /* canonical; NULL: UTF-8 */
    unsigned             lines;     /* it was not declared */
    unsigned             nuls;      /* they are shown as such */
    art_lang_t           lang;      /* of the line at the end */
} art_lines_conf_t;


/* All lines, without a limit; the rest is the caller's to set. */

void art_lines_conf(art_lines_conf_t *conf);


/*
 * Sets the range: "100-200", "5", "5-" to the end, "-50" for the last.
 * ART_ERROR if the value has another form, begins with line 0, or ends before
 * it begins.
 */

int art_lines_range(art_lines_conf_t *conf, art_str_t value);


/*
 * Sets the string.  ART_ERROR if it is empty, longer than ART_LINES_GREP_MAX
 * or has a line break: no line can have that.
 */

int art_lines_grep(art_lines_conf_t *conf, art_str_t value);


/* Words for a model, JSON-safe: what is wrong with a question, or a content. */

typedef enum {
    ART_LINES_BAD_RANGE = 0,
    ART_LINES_BAD_STRING,
    ART_LINES_BINARY,
    ART_LINES_BAD_BYTES,
    ART_LINES_TWO_RANGES,
    ART_LINES_BROKEN             /* in place of the line at the end */
} art_lines_words_t;

art_str_t art_lines_words(art_lines_words_t words, art_lang_t lang);


/* Where a line may be found again: how many ended before an offset. */

typedef struct {
    uint64_t             offset;
    uint64_t             lines;
    uint64_t             end;       /* bytes of the text before it */
} art_lines_mark_t;


/*
 * Indices are those of the window, and negative for what has left it.  "shown"
 * is the start of the first line that was not printed, or that of the range.
 */

typedef struct {
    art_lines_conf_t     conf;
    unsigned             state;
    uint64_t             offset;    /* bytes of the content that were read */
    uint64_t             line;      /* number of the line at "pos" */
    uint64_t             matches;
    uint64_t             after;     /* lines of context that are to follow */
    uint64_t             from;      /* number of the line at "emit" */
    uint64_t             next;      /* number of the first one not shown */
    uint64_t             end;       /* bytes of the text up to "len" */
    uint64_t             line_at;   /* ... and up to the line at "pos" */
    int64_t              drift;     /* from those to offsets */
    int64_t              drift_next;  /* after the window */
    int64_t              pos;       /* everything before was examined */
    int64_t              len;
    int64_t              stop;      /* end of what is searched */
    int64_t              start;     /* of the line at "pos" */
    int64_t              shown;
    int64_t              emit;      /* start of the next line to be printed */
    unsigned             begun:1;   /* the byte order mark was examined */
    unsigned             convert:1;
    unsigned             mixed:1;   /* of "in", the second time */
    unsigned             stored:1;  /* offsets are those of the content */
    unsigned             ended:1;   /* the window has the end of the text */
    unsigned             closed:1;  /* ... or of what is searched, */
    unsigned             early:1;   /* which comes before the text's end */
    unsigned             again:1;   /* the second time for the last lines */
    unsigned             printed:1; /* a line is */
    unsigned             gap:1;     /* before the next line */
    unsigned             shortened:1;
    unsigned             around:1;  /* a match in a long line was shown */
    size_t               nmarks;
    uint64_t             spacing;   /* bytes between marks */
    art_json_text_t      in;        /* converts the content */
    art_json_text_t      out;       /* repairs, limits and escapes */
    art_lines_mark_t     marks[ART_LINES_MARKS];
    uint8_t              window[ART_LINES_WINDOW];
} art_lines_t;


/* About 103 KB; the converter is closed by art_lines_done(). */

void art_lines_init(art_lines_t *l, const art_lines_conf_t *conf);
void art_lines_done(art_lines_t *l);


/*
 * Takes *len bytes of the content from *src, which begin at l->offset, and
 * appends to "out" the inside of a JSON string.  The input advances like that
 * of art_json_text_update(), and the output does not depend on its pieces.
 *
 * ART_LINES_MORE   the input is used up: continue at l->offset, which may have
 *                  gone back once, for the last lines
 * ART_LINES_FULL   "out" has less than ART_LINES_ROOM bytes of room
 * ART_LINES_DONE   with the line about the whole at the end
 * ART_ERROR        no converter can be had for lack of memory
 *
 * An input of no bytes is for an empty content.  Lines end with LF or CRLF and
 * are shown without that, in UTF-8, with U+FFFD for ill-formed bytes, each
 * after its number: "7:" for a line that matches or was asked for, "7-" for its
 * context, "7@4096:" for a match in a line that is long, with its offset in the
 * text: in the content, or in UTF-8 of another charset (art_bytes.h), as for
 * conf->from and conf->to, which are between characters.  "--" stands for lines
 * that were left out, as grep has it.  Lines that exceed conf->max bytes of
 * UTF-8 are not shown (the first one is cut there), but counted.
 */

#define ART_LINES_MORE  1
#define ART_LINES_FULL  2
#define ART_LINES_DONE  3

#define ART_LINES_ROOM  (6 * ART_LINES_SHOWN + 256)

int art_lines_update(art_lines_t *l, art_out_t *out, const uint8_t **src,
    size_t *len);


#endif /* ART_LINES_H_INCLUDED_ */
