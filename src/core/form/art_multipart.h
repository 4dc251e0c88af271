
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bodies of type multipart/form-data (RFC 7578; RFC 2046, section 5.1), read as
 * a stream in memory of constant size.
 */


#ifndef ART_MULTIPART_H_INCLUDED_
#define ART_MULTIPART_H_INCLUDED_


#include "core/base/art_core.h"


/* ART_MULTIPART_HEADER: bytes of the fields before a part's content. */

#define ART_MULTIPART_BOUNDARY  70       /* RFC 2046, section 5.1.1 */
#define ART_MULTIPART_HEADER    8192
#define ART_MULTIPART_PARTS     64

#define ART_MULTIPART_DELIMITER  (ART_MULTIPART_BOUNDARY + 6)


typedef enum {
    ART_MULTIPART_SOUND = 0,
    ART_MULTIPART_NO_BOUNDARY,   /* Content-Type is not one of form-data */
    ART_MULTIPART_MALFORMED,     /* a delimiter, or a part's header */
    ART_MULTIPART_LONG,          /* the header of a part */
    ART_MULTIPART_MANY,          /* parts */
    ART_MULTIPART_ENCODED,       /* a Content-Transfer-Encoding */
    ART_MULTIPART_UNFINISHED,    /* no delimiter at the end */
    ART_MULTIPART_SINK           /* the caller's sink failed */
} art_multipart_error_t;


/*
 * What precedes a part's content.  "filename" has data NULL if there is none,
 * and is empty if it was sent so; of filename* and filename the former counts
 * (RFC 7578 forbids it, clients send it).  Both are as the client sent them,
 * with escapes decoded: any bytes, paths included.  "type" is the value of
 * Content-Type, or empty.
 */

typedef struct {
    art_str_t              name;
    art_str_t              filename;
    art_str_t              type;
} art_multipart_part_t;


/*
 * The caller's: a part begins, its next bytes (never none), it ends.  Any
 * result but ART_OK ends the reading.
 *
 * The strings of "part" are valid during the call.  Bytes are not copied: they
 * lie in the piece that is being read, or, if they seemed to be a delimiter
 * that was cut, in the reader itself, where they never change.
 */

typedef struct {
    int                  (*begin)(void *data, const art_multipart_part_t *part);
    int                  (*bytes)(void *data, const uint8_t *p, size_t len);
    int                  (*end)(void *data);
} art_multipart_sink_t;


/* The caller reads "error" only. */

typedef struct {
    art_multipart_error_t        error;

    /* private */

    unsigned                     state;
    unsigned                     open:1;   /* a part has begun */
    unsigned                     nparts;
    const art_multipart_sink_t  *sink;
    void                        *data;
    size_t                       matched;  /* of the delimiter, or of its end */
    size_t                       unsent;   /* of them no content: CRLF */
    size_t                       ndelimiter;
    size_t                       ntext;
    uint8_t                      delimiter[ART_MULTIPART_DELIMITER];
    uint8_t                      text[ART_MULTIPART_HEADER];
} art_multipart_t;


/*
 * Begins a body with the value of the header Content-Type, of which "boundary"
 * is taken, quoted or not.  ART_ERROR if there is no valid one.  "sink" and
 * "data" must outlive the reader, which must not move.
 */

int art_multipart_init(art_multipart_t *m, art_str_t content_type,
    const art_multipart_sink_t *sink, void *data);


/*
 * Reads the next piece of the body.  ART_ERROR if the body is not valid or the
 * sink failed, from then on always; see "error".  Joined, the bytes of a part
 * do not depend on how the body is cut into pieces.  What precedes the first
 * delimiter and follows the last one is ignored.
 */

int art_multipart_feed(art_multipart_t *m, const uint8_t *p, size_t len);


/*
 * Ends the body: ART_OK if the closing delimiter was seen and all was valid.
 * Otherwise a part may have begun that never ends.
 */

int art_multipart_end(art_multipart_t *m);


#endif /* ART_MULTIPART_H_INCLUDED_ */
