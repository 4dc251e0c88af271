
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Conversions: a rule's location is asked for another form of a content, and
 * its answer means that it is there, that the location cannot make it, or that
 * it has failed.
 */


#ifndef NGX_HTTP_ARTIFACT_DERIVE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_DERIVE_H_INCLUDED_


#include "http/compose/ngx_http_artifact_spool.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "core/derive/art_derive.h"
#include "core/text/art_base64.h"


/*
 * A content and what is sent of it: "body" is its bytes, "size" of them, in
 * memory or files from offset 0 on, for rules with "body"; "id" is canonical,
 * empty for a client's own media.  All must live as long as the request.
 */

typedef struct {
    ngx_http_artifact_original_t     original;
    art_str_t                        id;
    ngx_chain_t                     *body;
    off_t                            size;
} ngx_http_artifact_derive_t;


typedef enum {
    NGX_HTTP_ARTIFACT_DERIVE_TAKEN = 0,
    NGX_HTTP_ARTIFACT_DERIVE_CANNOT,     /* the next rule */
    NGX_HTTP_ARTIFACT_DERIVE_FAILED      /* as a source that fails */
} ngx_http_artifact_derive_outcome_e;


/*
 * The bytes of a local source, whose file stays open, as derive->body.
 * NGX_DECLINED if the source is no local one: its bytes come only once.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_derive_file(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_http_artifact_derive_t *derive);


/*
 * For a source that is no local one, when it is known what it is: its bytes
 * will be rendered as base64 and nothing else, at most "max" of them.  The
 * second one takes that rendering, as the output of a consumer: the bytes are
 * appended to a spool.  The third one ends the spool: it sets body and size of
 * "derive".
 */

void ngx_http_artifact_derive_raw(ngx_http_artifact_stream_t *stream,
    off_t max);
ngx_int_t ngx_http_artifact_derive_raw_put(ngx_http_artifact_spool_t *spool,
    art_base64_decode_t *base64, ngx_chain_t *out);
ngx_int_t ngx_http_artifact_derive_raw_end(ngx_http_artifact_spool_t *spool,
    art_base64_decode_t *base64, ngx_http_artifact_derive_t *derive);


/*
 * Asks the location of a rule, by GET or, with "body", by POST; the answer goes
 * to the consumer, on its terms.  The variables of the URI are those of "r".
 * Sets *sr.  NGX_DECLINED if the URI must not be asked
 * for, which is logged; NGX_ERROR when out of memory: then only NGX_ERROR can
 * end "r", as after ngx_http_artifact_ask().
 */

ngx_int_t ngx_http_artifact_derive_ask(ngx_http_request_t *r,
    const art_derive_rule_t *rule, ngx_http_artifact_derive_t *derive,
    ngx_http_artifact_consumer_t *consumer, ngx_http_request_t **sr);


/*
 * What became of a conversion that has ended, by its status and bytes; whether
 * the reader takes the content is another question.  A failure is logged.
 */

ngx_http_artifact_derive_outcome_e ngx_http_artifact_derive_outcome(
    ngx_http_request_t *sr, ngx_http_artifact_consumer_t *consumer);


/*
 * Ends a conversion that has taken too long, if it waits for an upstream:
 * whoever waits for it runs again.  Anything else has to end by itself.
 */

void ngx_http_artifact_derive_stop(ngx_http_request_t *sr);


/*
 * For the phase handler before the content: from here on nginx may know how
 * long the body of a conversion is.
 */

void ngx_http_artifact_derive_admit(ngx_http_request_t *r);


/*
 * For the end of the configuration: from here on no X-Accel-Redirect in the
 * answer of a converter is followed, which is logged.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_derive_redirects(ngx_conf_t *cf);


#endif /* NGX_HTTP_ARTIFACT_DERIVE_H_INCLUDED_ */
