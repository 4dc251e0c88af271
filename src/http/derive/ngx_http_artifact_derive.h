
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
} ngx_http_artifact_derive_content_t;


/*
 * The search for another form of a content, rule by rule.  Its owner is whoever
 * needs that form: he starts with ngx_http_artifact_derive_init(), asks, runs
 * again when "sr" is done, looks at the outcome, and asks by the next rule.
 *
 * "source" is what the rules are matched with, "takes" and "taker" tell whether
 * the owner takes what a rule makes; "rule" is the number of the rule that is
 * asked, or would be next, that of all rules if none is left; "kind" is what
 * is counted.  "bytes" are those of a source that is no file, while "raw" is
 * set, or those of a client's own media.
 *
 * An owner that looks at the answer sets "chosen" when it knows what the answer
 * is, and "accepted" if it takes that.
 */

typedef struct {
    ngx_http_request_t                  *request;
    ngx_http_artifact_loc_conf_t        *conf;
    ngx_http_artifact_derive_content_t   content;

    art_derive_source_t                  source;
    art_derive_takes_pt                  takes;
    void                                *taker;
    unsigned                             rule;
    art_kind_t                           kind;

    ngx_http_artifact_spool_t            bytes;
    art_base64_decode_t                  base64;

    ngx_http_artifact_consumer_t        *consumer;
    ngx_http_request_t                  *sr;

    ngx_event_t                          timer;

    unsigned                             raw:1;
    unsigned                             chosen:1;
    unsigned                             accepted:1;
    unsigned                             late:1;
    unsigned                             silent:1;   /* "late" is not logged */
} ngx_http_artifact_derive_t;


/*
 * Begins, in zeroed memory, with "kind" set by the caller, and "source" if the
 * first rule is wanted: that of number 0.
 */

void ngx_http_artifact_derive_init(ngx_http_artifact_derive_t *derive,
    ngx_http_request_t *r, ngx_http_artifact_loc_conf_t *conf,
    art_derive_takes_pt takes, void *taker);


/*
 * The first one sets derive->rule to the first rule from number "i" on; the
 * second one returns that rule.  Both return NULL if none is left.
 */

const art_derive_rule_t *ngx_http_artifact_derive_next(
    ngx_http_artifact_derive_t *derive, unsigned i);
const art_derive_rule_t *ngx_http_artifact_derive_rule(
    ngx_http_artifact_derive_t *derive);


/* No rule is asked any more. */

void ngx_http_artifact_derive_give_up(ngx_http_artifact_derive_t *derive);


/*
 * The bytes of a local source, whose file stays open, as those of the content.
 * NGX_DECLINED if the source is no local one: its bytes come only once.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_derive_file(ngx_http_artifact_derive_t *derive,
    ngx_http_artifact_source_t *source);


/*
 * For an owner who asks the source "sr" himself.  The first one, when it is
 * known what the source is: its bytes are in its file, which stays open;
 * others come only now, and are spooled if there is a rule that sends them.
 * The second one takes them, as the output of a consumer.  The third one, when
 * the source has ended, ends the spool, and looks for the first rule again if
 * there are no bytes.  NGX_OK, or NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_derive_original(
    ngx_http_artifact_derive_t *derive, ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream);
ngx_int_t ngx_http_artifact_derive_put(ngx_http_artifact_derive_t *derive,
    ngx_chain_t *out);
ngx_int_t ngx_http_artifact_derive_bytes(ngx_http_artifact_derive_t *derive);


/*
 * Asks the location of derive->rule, by GET or, with "body", by POST; the
 * answer goes to the consumer, on its terms.  The variables of the URI are
 * those of the request.  Sets derive->sr.  NGX_DECLINED if the URI must not be
 * asked for, which is logged; NGX_ERROR when out of memory: then only NGX_ERROR
 * can end the request, as after ngx_http_artifact_ask().
 */

ngx_int_t ngx_http_artifact_derive_ask(ngx_http_artifact_derive_t *derive,
    ngx_http_artifact_consumer_t *consumer);


/*
 * What became of the conversion that derive->sr, which has ended, was: one of
 * ART_COUNT_TAKEN; _CANNOT and _NOT_TAKEN, the next rule; _NOT_DERIVED, as a
 * source that fails, which is logged.  It is counted, and the subrequest
 * released.  The second one counts a conversion that was never asked for.
 */

unsigned ngx_http_artifact_derive_ended(ngx_http_artifact_derive_t *derive);
void ngx_http_artifact_derive_count(ngx_http_artifact_derive_t *derive,
    unsigned outcome);


/*
 * After a conversion that has failed, or could not be asked for: whether the
 * content is described all the same.  Then no rule is asked any more.
 */

ngx_uint_t ngx_http_artifact_derive_words(ngx_http_artifact_derive_t *derive);


/* Frees the bytes of the original, and its file. */

void ngx_http_artifact_derive_release(ngx_http_artifact_derive_t *derive);


/*
 * Limits the time, until ngx_http_artifact_derive_rest(): after "msec", if the
 * time is not limited already, "late" is set, and what is being asked is
 * stopped, until it has ended.  Whoever limits the time calls the second one
 * before the pool is destroyed.
 */

void ngx_http_artifact_derive_limit(ngx_http_artifact_derive_t *derive,
    ngx_msec_t msec);
void ngx_http_artifact_derive_rest(void *derive);


/* Logs that conversions took too long; for an owner with a clock of his own. */

void ngx_http_artifact_derive_late(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf);


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


#endif /* NGX_HTTP_ARTIFACT_DERIVE_H_INCLUDED_ */
