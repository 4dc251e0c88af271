
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URLs of images in a text that comes in pieces of any size: what is left to
 * find where nothing was declared.
 */


#ifndef ART_URLS_H_INCLUDED_
#define ART_URLS_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_URLS_RUN  8192           /* bytes of a URL, at most */
#define ART_URLS_MAX  (64 * 1024)    /* of all of them */


/*
 * What /https?:\/\/\S+\.(png|jpe?g|webp|gif)/gi of ECMAScript finds: up to the
 * last such ending before white space.  "data" has what was found, a line feed
 * behind each, and from "run" on what may become the next one, of which "end"
 * bytes are a URL already; owned.
 */

typedef struct {
    uint64_t             last;       /* the 8 bytes that were read last, */
    uint64_t             lower;      /* and their letters in lower case */
    uint8_t             *data;
    size_t               run;
    size_t               len;
    size_t               room;
    size_t               end;
    size_t               scheme;     /* bytes of it */
    unsigned             within:1;   /* a URL has begun */
    unsigned             over:1;     /* too much: no more are looked for */
    unsigned             failed:1;   /* out of memory */
} art_urls_t;


void art_urls_init(art_urls_t *urls);
void art_urls_done(art_urls_t *urls);

void art_urls_read(art_urls_t *urls, const uint8_t *p, size_t len);


/* The text is over: all that was found, a line feed behind each. */

art_str_t art_urls_found(art_urls_t *urls);


#endif /* ART_URLS_H_INCLUDED_ */
