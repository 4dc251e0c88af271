
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading JSON as a stream: tells of every byte what it is, and whether it
 * may stand there at all.
 */


#ifndef ART_JSON_SCAN_H_INCLUDED_
#define ART_JSON_SCAN_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_JSON_SCAN_DEPTH  2048


typedef enum {
    ART_JSON_SPACE = 0,
    ART_JSON_KEY_START,          /* the quote before a key */
    ART_JSON_KEY,
    ART_JSON_KEY_END,            /* the quote behind it */
    ART_JSON_COLON,
    ART_JSON_VALUE_START,        /* '{', '[', '"' or a scalar's first byte */
    ART_JSON_VALUE,
    ART_JSON_VALUE_END,          /* '}', ']', '"' or a literal's last byte */
    ART_JSON_COMMA
} art_json_kind_t;


/*
 * "kind" and "level" are those of the byte given last: "level" is the number
 * of objects and arrays around what it belongs to, so that both brackets of
 * the outermost object have level 0, its keys and values level 1.  If a
 * number ended before this byte, "ended" is 1 more than the number's level,
 * else 0: nothing in a number tells that it is over.  The rest is private.
 */

typedef struct {
    art_json_kind_t  kind;
    unsigned         level;
    unsigned         ended;

    unsigned         state;
    unsigned         depth;
    unsigned         key;        /* the string is a key */
    unsigned         left;       /* bytes of a character, or hex digits */
    uint8_t          low;        /* bounds of a character's next byte */
    uint8_t          high;
    const char      *word;       /* the rest of a literal */
    uint8_t          bits[ART_JSON_SCAN_DEPTH / 8];
} art_json_scan_t;


void art_json_scan_init(art_json_scan_t *scan);


/*
 * Takes the next byte of a document.  ART_ERROR where the grammar of RFC
 * 8259, UTF-8 (RFC 3629) or ART_JSON_SCAN_DEPTH does not allow it; the scan
 * is over then.
 */

int art_json_scan(art_json_scan_t *scan, uint8_t c);


/*
 * How many of the next bytes are nothing but more of the same, ASCII
 * characters of a string or white space: the scan stays as it is, so that they
 * need not be given to it.
 */

size_t art_json_scan_run(const art_json_scan_t *scan, const uint8_t *p,
    size_t len);


/* Whether the bytes so far are a whole document, one that is no number. */

int art_json_scan_done(const art_json_scan_t *scan);


/*
 * Whether a text is one JSON value by that grammar, without a byte order
 * mark.  Numbers may be of any size, and escapes of any code unit.  Linear.
 */

int art_json_valid(const uint8_t *p, size_t len);


#endif /* ART_JSON_SCAN_H_INCLUDED_ */
