
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The tokens of a JSON text (RFC 8259) that comes in pieces of any size, with
 * the places where they stand.  Strings of megabytes are only measured.
 */


#ifndef ART_JSON_LEX_H_INCLUDED_
#define ART_JSON_LEX_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_LEX_DEPTH    512     /* objects and arrays in each other */
#define ART_LEX_KEEP     8192    /* decoded bytes of a string, at most */
#define ART_LEX_PROBE    16      /* of them tell whether the rest matters */
#define ART_LEX_KEY_MAX  64      /* of a key; a longer one is no key of ours */


/*
 * A value that is no object or array.  "pos" and "end" are where it begins and
 * what stands behind it, quotes included.  Of a string "text" is what was asked
 * for of its beginning, "len" the whole in decoded bytes, and "tail" the last
 * two of them; without a wish for text, both are 0.  "first" is the first byte
 * of the value as it stands there: a quote, or what a number or a word begins
 * with.
 */

typedef struct {
    uint64_t             pos;
    uint64_t             end;
    uint64_t             len;
    art_str_t            text;
    uint8_t              tail[2];
    uint8_t              first;
    unsigned             string:1;
    unsigned             null:1;
} art_lex_value_t;


/*
 * Who takes the tokens.  All but "wants" may end the reading by what is not
 * ART_OK.  A key is decoded, its data NULL if it is too long, and
 * lex->value.end is behind it; "wants" is asked
 * before a string for the bytes of it that are to be kept, and "goes_on", when
 * ART_LEX_PROBE or more of them are there, whether they were of use: if not,
 * the value has no text, and only that much of "len" holds.  "end" of an object
 * or array is what stands behind it.
 *
 * A string of which "wants" says ART_LEX_STREAM, with or without bytes to be
 * kept, goes to "text" (NULL if that is never said) as it is decoded, however
 * long it is: "n" bytes at "p", behind those before, of what stands in the text
 * up to "end".  Either as many bytes stand there, the same ones, or an escape,
 * or two, of one character.
 */

#define ART_LEX_STREAM   0x10000


typedef struct {
    int                (*open)(void *data, uint64_t pos, unsigned object);
    int                (*close)(void *data, uint64_t end);
    int                (*key)(void *data, uint64_t pos, art_str_t key);
    size_t             (*wants)(void *data);
    int                (*goes_on)(void *data, art_str_t text);
    int                (*value)(void *data, const art_lex_value_t *value);
    void               (*text)(void *data, const uint8_t *p, size_t n,
                             uint64_t end);
} art_lex_handler_t;


typedef enum {
    ART_LEX_VALUE = 0,           /* a value has to come */
    ART_LEX_FIRST_VALUE,         /* or "]" */
    ART_LEX_KEY,
    ART_LEX_FIRST_KEY,           /* or "}" */
    ART_LEX_COLON,
    ART_LEX_AFTER,               /* a value is over */
    ART_LEX_STRING,
    ART_LEX_ESCAPE,
    ART_LEX_HEX,
    ART_LEX_NUMBER,
    ART_LEX_WORD,
    ART_LEX_FAILED
} art_lex_state_t;


typedef struct {
    const art_lex_handler_t  *handler;
    void                *data;

    art_lex_state_t      state;
    uint64_t             offset;     /* of the piece that is being read */
    const uint8_t       *piece;
    unsigned             depth;
    unsigned             mark;       /* bytes of a byte order mark */
    uint8_t              objects[ART_LEX_DEPTH / 8];   /* else arrays */

    art_lex_value_t      value;
    const char          *word;       /* what has to come of it */
    unsigned             number;     /* the state of it */
    unsigned             is_key:1;
    unsigned             stopped:1;
    unsigned             streams:1;
    unsigned             decodes:1;  /* the string that is being read */
    unsigned             probed:1;
    unsigned             refused:1;  /* by the handler, or too deep */
    unsigned             digits;     /* of \u, still to come */
    unsigned             unit;       /* and its value */
    unsigned             high;       /* a high surrogate before it, */
    uint64_t             high_end;   /* and what stands behind that */
    size_t               keep;
    size_t               kept;
    size_t               room;
    uint8_t             *text;
} art_lex_t;


/*
 * Begins.  "handler" and "data" must outlive the reading, and so must "text",
 * which has room for what the handler wants of a string, ART_LEX_KEEP bytes at
 * most, and for a key, ART_LEX_KEY_MAX.
 */

void art_lex_init(art_lex_t *lex, const art_lex_handler_t *handler,
    void *data, uint8_t *text, size_t room);


/*
 * The next piece stands at "pos", since something that is no part of the text
 * stands before it.
 */

#define art_lex_at(lex, pos)  ((lex)->offset = (pos))


/*
 * Reads the next piece, to the letter but for the UTF-8 in strings, which is
 * not looked at; a byte order mark at the start is passed over.  ART_ERROR if
 * this cannot be JSON, is nested deeper than ART_LEX_DEPTH, or the handler said
 * so: all else is ignored then.  Linear, and what depends on pieces is seen by
 * nobody.
 */

int art_lex_feed(art_lex_t *lex, const uint8_t *p, size_t len);


/*
 * For a handler, within "open", "value" or "close": nothing behind it is read
 * before the next call.  lex->offset tells where that is.
 */

#define art_lex_stop(lex)  ((lex)->stopped = 1)


/* The end of the text: ART_ERROR if it is not a whole value. */

int art_lex_end(art_lex_t *lex);


#endif /* ART_JSON_LEX_H_INCLUDED_ */
