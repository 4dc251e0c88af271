
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The tokens of a JSON text (RFC 8259) that comes in pieces of any size, with
 * their positions.  Strings of megabytes are only measured.
 */


#ifndef ART_JSON_LEX_H_INCLUDED_
#define ART_JSON_LEX_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_LEX_DEPTH    512     /* nested objects and arrays, unless set */
#define ART_LEX_DEPTH_MAX  2048
#define ART_LEX_KEEP     8192    /* decoded bytes kept of a string */
#define ART_LEX_PROBE    16      /* of them show if the rest matters */
#define ART_LEX_KEY_MAX  64      /* of a key; longer ones match nothing */


/*
 * A string, a number or a word.  "pos" and "end" are its positions with quotes;
 * "end" is after the last byte.  Of a string, "text" is the beginning, as far
 * as it was requested, "len" the length of the whole in decoded bytes, and
 * "tail" its last two bytes; if no text was requested, it is empty, and "len"
 * and "tail" are 0.  "first" is the first byte of the value: a quote, or that
 * of a number or a word.
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
 * The callbacks that take the tokens; NULL: ignored.  All but "wants",
 * "goes_on" and "text" may end the reading by returning anything but ART_OK.
 *
 * If "open" returns ART_LEX_SKIP, the object or array is skipped up to its end,
 * which is passed to "close".
 *
 * A key is decoded, its data is NULL if it is too long, "pos" and "end" are
 * those of its quotes.  Keys and texts are there until the callback returns.
 * The "end" of an object or array is after its bracket.
 *
 * "wants" returns, before the string at "pos", how many of its bytes are to be
 * kept, and "goes_on", when ART_LEX_PROBE or more of them have come, whether
 * they are of use: if not, the value has no text, and "len" counts no further.
 * If "wants" returns ART_LEX_STREAM, with or without bytes to be kept, the
 * whole string is passed to "text" as it is decoded: "n" bytes at "p" that
 * follow the previous ones and end at the position "end".  In the input they
 * are either the same bytes, or an escape, or two, of one character.
 */

#define ART_LEX_SKIP     1
#define ART_LEX_STREAM   0x10000


typedef struct {
    int                (*open)(void *data, uint64_t pos, unsigned object);
    int                (*close)(void *data, uint64_t end);
    int                (*key)(void *data, uint64_t pos, uint64_t end,
                             art_str_t key);
    size_t             (*wants)(void *data, uint64_t pos);
    int                (*goes_on)(void *data, art_str_t text);
    int                (*value)(void *data, const art_lex_value_t *value);
    void               (*text)(void *data, const uint8_t *p, size_t n,
                             uint64_t end);
} art_lex_handler_t;


typedef enum {
    ART_LEX_VALUE = 0,           /* a value must follow */
    ART_LEX_FIRST_VALUE,         /* or "]" */
    ART_LEX_KEY,
    ART_LEX_FIRST_KEY,           /* or "}" */
    ART_LEX_COLON,
    ART_LEX_AFTER,               /* a value has ended */
    ART_LEX_STRING,
    ART_LEX_ESCAPE,
    ART_LEX_HEX,
    ART_LEX_NUMBER,
    ART_LEX_WORD,
    ART_LEX_FAILED
} art_lex_state_t;


/*
 * Where the first values are that are strings of at least "least" bytes, with
 * their quotes, in order, skipped ones among them.
 */

#define ART_LEX_LONGS    64

typedef struct {
    uint64_t             least;
    unsigned             n;
    uint64_t             pos[ART_LEX_LONGS];
    uint64_t             end[ART_LEX_LONGS];
} art_lex_longs_t;


/* All of it is private. */

typedef struct {
    const art_lex_handler_t  *handler;
    void                *data;
    art_lex_longs_t     *longs;

    art_lex_state_t      state;
    uint64_t             offset;     /* of the current piece */
    const uint8_t       *piece;
    unsigned             depth;
    unsigned             depth_max;
    unsigned             skipped;    /* depth of the skipped one; 0: none */
    unsigned             mark;       /* bytes of a byte order mark */

    art_lex_value_t      value;
    const char          *word;       /* its remaining letters */
    unsigned             number;     /* its state */
    uint8_t              is_key;
    uint8_t              stopped;
    uint8_t              streams;
    uint8_t              decodes;    /* the current string */
    uint8_t              probed;
    uint8_t              refused;    /* by the handler, or too deep */
    unsigned             digits;     /* of \u, still to come */
    unsigned             unit;       /* and its value */
    unsigned             high;       /* a high surrogate before it, */
    uint64_t             high_end;   /* and the position after that */
    size_t               keep;
    size_t               kept;
    size_t               room;
    uint8_t             *text;
    uint8_t              objects[ART_LEX_DEPTH_MAX / 8];   /* else arrays */
} art_lex_t;


/*
 * Begins.  "handler", "data" and "text" must outlive the reading; "text" has
 * "room" bytes, enough for all that the handler wants of a string (at most
 * ART_LEX_KEEP) and for a key (ART_LEX_KEY_MAX).  A lexer takes 440 bytes.
 */

void art_lex_init(art_lex_t *lex, const art_lex_handler_t *handler,
    void *data, uint8_t *text, size_t room);


/*
 * Before the first piece: no byte order mark may precede the text, and "depth"
 * (at most ART_LEX_DEPTH_MAX) objects and arrays may be nested.
 */

#define ART_LEX_MARKED  3        /* bytes of a byte order mark */

static inline void
art_lex_restrict(art_lex_t *lex, unsigned depth)
{
    lex->mark = ART_LEX_MARKED;
    lex->depth_max = depth;
}


/* Before the first piece: notes long strings. */

static inline void
art_lex_note(art_lex_t *lex, art_lex_longs_t *longs)
{
    lex->longs = longs;
}


/*
 * Reads the next piece, strictly but for the UTF-8 in strings, which is not
 * checked; a byte order mark at the start is skipped.  ART_ERROR if this cannot
 * be JSON, is nested too deep, or a callback ended it:
 * everything further is then ignored.  Linear; the tokens do not depend on how
 * the text is cut into pieces.
 */

int art_lex_feed(art_lex_t *lex, const uint8_t *p, size_t len);


/*
 * The position of the next piece.  art_lex_seek() sets it, if bytes that do not
 * belong to the text precede that piece.
 */

static inline uint64_t
art_lex_pos(const art_lex_t *lex)
{
    return lex->offset;
}


static inline void
art_lex_seek(art_lex_t *lex, uint64_t pos)
{
    lex->offset = pos;
}


/*
 * A text may be read again after another lexer has noted its long strings.
 * They need not be read as a whole: if the last piece ended in such a string,
 * and nothing more of it is wanted, this skips to its end, and the next piece
 * has to begin at art_lex_pos().
 */

void art_lex_leap(art_lex_t *lex, const art_lex_longs_t *longs);


/*
 * For "open", "value", "close" and "wants": nothing after this token, or after
 * the quote that begins it, is read before the next call, which has to continue
 * at art_lex_pos().
 */

static inline void
art_lex_stop(art_lex_t *lex)
{
    lex->stopped = 1;
}


/*
 * Whether the last piece ended within a key, which begins at *pos; within a
 * string, a number or a word that is a value, which does; behind a backslash;
 * within an escape of a string passed to "text"; before the value's first byte.
 */

static inline int
art_lex_in_key(const art_lex_t *lex, uint64_t *pos)
{
    *pos = lex->value.pos;

    return lex->is_key && lex->state >= ART_LEX_STRING
           && lex->state <= ART_LEX_HEX;
}

static inline int
art_lex_in_scalar(const art_lex_t *lex, uint64_t *pos)
{
    *pos = lex->value.pos;

    return lex->state >= ART_LEX_STRING && lex->state <= ART_LEX_WORD
           && (lex->state > ART_LEX_HEX || !lex->is_key);
}

static inline int
art_lex_is_escaped(const art_lex_t *lex)
{
    return lex->state == ART_LEX_ESCAPE;
}

static inline int
art_lex_in_escape(const art_lex_t *lex)
{
    return lex->streams
           && (lex->state == ART_LEX_ESCAPE || lex->state == ART_LEX_HEX);
}

static inline int
art_lex_is_blank(const art_lex_t *lex)
{
    return lex->depth == 0 && lex->state == ART_LEX_VALUE;
}


/* The position of the byte at which it failed. */

static inline uint64_t
art_lex_fault(const art_lex_t *lex)
{
    return lex->value.pos;
}


/* Whether it failed because of a callback or its depth. */

static inline int
art_lex_is_refused(const art_lex_t *lex)
{
    return lex->refused;
}


/* Ends the text: ART_ERROR if it is not a complete value. */

int art_lex_end(art_lex_t *lex);


#endif /* ART_JSON_LEX_H_INCLUDED_ */
