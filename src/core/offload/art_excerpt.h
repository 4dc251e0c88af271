
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A long JSON string as it streams: its text, decoded, and an excerpt of it,
 * which has the string's own bytes at both ends and a sentence between them.
 */


#ifndef ART_EXCERPT_H_INCLUDED_
#define ART_EXCERPT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/offload/art_solid.h"


/* Bytes of the string that may be given at once. */

#define ART_EXCERPT_STEP  4096

/* The longest escape: a pair of surrogates. */

#define ART_EXCERPT_UNIT  12


/*
 * "size" is that of the text so far, "lines" its line feeds.  "solid" tells
 * whether the text is one run of base64 or a data URL, so far.
 *
 * "head" has the bytes of the string that make the first "head_max" bytes of
 * the text, or less; the first "line" of them are whole lines.  "tail" has its
 * last bytes, of at least "tail_max" bytes of the text, which begin at "front"
 * of the text, behind a line feed or at the text's begin if "front_line".  If
 * "marked", the last piece begins at "mark" of it, and at "mark_size" of the
 * text; the same.
 *
 * All is private but "size", "solid", and what art_excerpt_end() sets.
 */

typedef struct {
    art_sink_pt     sink;
    void           *data;

    uint64_t        size;
    uint64_t        lines;
    art_solid_t     solid;
    unsigned        feed:1;      /* the last character is a line feed */
    unsigned        failed:1;    /* the sink has failed */

    size_t          head_max;
    size_t          tail_max;
    uint8_t        *head;
    size_t          head_len;
    uint64_t        head_size;   /* of the text */
    uint64_t        head_lines;
    size_t          line;
    uint64_t        line_size;
    unsigned        headed:1;    /* nothing more is added to it */

    uint8_t        *tail;
    size_t          tail_room;
    size_t          tail_len;
    uint64_t        front;
    unsigned        front_line:1;
    unsigned        marked:1;
    unsigned        mark_line:1;
    size_t          mark;
    uint64_t        mark_size;

    size_t          nkept;       /* of a character that is not complete */
    uint8_t         kept[ART_EXCERPT_UNIT];
    size_t          ntext;
    uint8_t         text[2048];
} art_excerpt_t;


/*
 * The memory that is needed for ends of at most "head" and "tail" bytes of
 * text.
 */

#define art_excerpt_memory(head, tail)                                        \
    (6 * ((head) + (tail)) + 4 * ART_EXCERPT_UNIT + ART_EXCERPT_STEP)


/*
 * Begins a string.  "memory" outlives it.  The text goes to "sink", as valid
 * UTF-8: each byte that is not UTF-8, and each half of a surrogate pair,
 * becomes U+FFFD.
 */

void art_excerpt_init(art_excerpt_t *excerpt, size_t head, size_t tail,
    uint8_t *memory, art_sink_pt sink, void *data);


/*
 * Reads bytes of the string as they stand, at most ART_EXCERPT_STEP; they are
 * valid JSON, but for their UTF-8.  At most three times as many bytes, and
 * those of a character, go to the sink.  ART_ERROR if that has failed.
 */

int art_excerpt_feed(art_excerpt_t *excerpt, const uint8_t *p, size_t len);


/* The end of the string. */

int art_excerpt_end(art_excerpt_t *excerpt);


/*
 * The excerpt's first bytes, once the text has more than "head" bytes: whole
 * lines, or what ends with a character if there is not one.
 */

art_str_t art_excerpt_head(const art_excerpt_t *excerpt);


/* Its last bytes, behind the sentence, once the string has ended. */

typedef struct {
    art_str_t       bytes;
    uint64_t        pos;         /* of the text */
    uint64_t        lines;
    unsigned        whole:1;     /* it has whole lines only */
} art_excerpt_tail_t;

void art_excerpt_tail(const art_excerpt_t *excerpt, art_excerpt_tail_t *tail);


/*
 * Writes the sentence, at most ART_EXCERPT_SENTENCE bytes: a line of its own
 * between both, as it stands in a JSON string.  It tells which part of the text
 * is left out, and where all of it is.
 */

#define ART_EXCERPT_SENTENCE  512

void art_excerpt_print(art_out_t *out, const art_excerpt_t *excerpt,
    const art_excerpt_tail_t *tail, art_str_t id, art_lang_t lang);


#endif /* ART_EXCERPT_H_INCLUDED_ */
