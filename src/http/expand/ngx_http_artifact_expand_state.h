
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * One expansion: its steps, and what they share.  Private to the room.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_STATE_H_INCLUDED_


#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/derive/ngx_http_artifact_derive.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "core/media/art_find.h"
#include "core/expand/art_expand_error.h"
#include "core/expand/art_expand_long.h"
#include "core/expand/art_expand_name.h"
#include "core/expand/art_expand_plan.h"
#include "core/expand/art_expand_scan.h"
#include "core/expand/art_expand_splice.h"


#define NGX_HTTP_ARTIFACT_EXPAND_ROOM    65536  /* bytes read at once */

/* Bytes scanned at once: what is made to take long takes 1 to 2 ms. */

#define NGX_HTTP_ARTIFACT_SCAN_PIECE     16384

/* Microseconds of the scan in a step of the event loop, at least. */

#define NGX_HTTP_ARTIFACT_SCAN_SPENT     5000

#define NGX_HTTP_ARTIFACT_EXPAND_DIGITS  64     /* of SHA-256 */


typedef struct ngx_http_artifact_expand_s  ngx_http_artifact_expand_t;


typedef struct {
    unsigned                             used:1;   /* in any location */
    unsigned                             hashes:1; /* $artifact_body_hash */
    unsigned                             names:1;  /* $artifact_model */
} ngx_http_artifact_expand_main_conf_t;


/*
 * The steps, in their order.  A body that stays as it is goes straight on to
 * RESTORE.
 *
 *     DECODE -> SCAN -> PLAN -> ASK -> DERIVE -> STORE -> EDIT -> WRITE
 *     -> RESTORE -> HASH -> DONE
 *
 * After an error the state is DONE if this module has answered, or GIVEN_UP if
 * nginx does: the location of an error page may begin another expansion.
 */

typedef enum {
    NGX_HTTP_ARTIFACT_EXPAND_DECODE = 0,
    NGX_HTTP_ARTIFACT_EXPAND_SCAN,
    NGX_HTTP_ARTIFACT_EXPAND_PLAN,
    NGX_HTTP_ARTIFACT_EXPAND_ASK,
    NGX_HTTP_ARTIFACT_EXPAND_DERIVE,
    NGX_HTTP_ARTIFACT_EXPAND_STORE,
    NGX_HTTP_ARTIFACT_EXPAND_EDIT,
    NGX_HTTP_ARTIFACT_EXPAND_WRITE,
    NGX_HTTP_ARTIFACT_EXPAND_RESTORE,
    NGX_HTTP_ARTIFACT_EXPAND_HASH,
    NGX_HTTP_ARTIFACT_EXPAND_DONE,
    NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP
} ngx_http_artifact_expand_step_e;


/* Who scans the body. */

typedef enum {
    NGX_HTTP_ARTIFACT_SCAN_LATER = 0,    /* SCAN, which has not begun */
    NGX_HTTP_ARTIFACT_SCAN_INCOMING,     /* the filter, as it comes in */
    NGX_HTTP_ARTIFACT_SCAN_BODY,         /* SCAN, which is under way */
    NGX_HTTP_ARTIFACT_SCAN_OVER,         /* nobody: no more is needed */
    NGX_HTTP_ARTIFACT_SCAN_TEXTS         /* SCAN, which looks for texts */
} ngx_http_artifact_expand_scanning_e;


typedef struct ngx_http_artifact_expand_text_s
    ngx_http_artifact_expand_text_t;
typedef struct ngx_http_artifact_decoder_s  ngx_http_artifact_decoder_t;
typedef struct ngx_http_artifact_standins_s  ngx_http_artifact_standins_t;
typedef struct ngx_http_artifact_known_s  ngx_http_artifact_known_t;


/* A reference, however often it occurs: what is known about its source. */

typedef struct {
    art_view_t                           view;
    ngx_http_request_t                  *sr;
    ngx_http_artifact_stream_t          *stream;
    unsigned                             known:1;
    unsigned                             missing:1;
    unsigned                             expired:1;
    unsigned                             empty:1;
    unsigned                             failed:1;
    unsigned                             mismatch:1; /* with its stand-in */
} ngx_http_artifact_expand_ref_t;


/*
 * The rendering for a slot: bytes of "rendered".  "begin" is -1 before the
 * first of them, and -2 if the content may have to be converted.  Between
 * "head" and "tail" bytes it has the content, as "base64" bytes of that if it
 * is no text.  If "standin" is set, it replaces these: the base64 behind the
 * head, or the middle of a long text.
 */

#define NGX_HTTP_ARTIFACT_EXPAND_CONVERT  -2

typedef struct {
    off_t                                begin;
    off_t                                size;
    off_t                                head;
    off_t                                tail;
    off_t                                base64;
    art_str_t                            standin;
    unsigned                             cut:1;     /* the text, at its max */
} ngx_http_artifact_expand_part_t;


/*
 * A conversion for a slot.  "was" is what the slot becomes without it, "origin"
 * the content as it is.  "same" is an earlier job with the same content, whose
 * result may do if the "first" rule is the same.
 */

typedef struct ngx_http_artifact_expand_job_s  ngx_http_artifact_expand_job_t;

struct ngx_http_artifact_expand_job_s {
    ngx_http_artifact_expand_t          *expand;
    uint32_t                             slot;
    unsigned                             first;      /* rule */
    art_message_edit_t                   was;
    art_view_t                           origin;
    art_view_t                           view;       /* of the conversion */
    ngx_http_artifact_derive_t           derive;
    ngx_http_artifact_expand_job_t      *same;

    art_find_decode_t                    clean;      /* of a client's own */
    struct evp_md_ctx_st                *digest;     /* the same */
    uint64_t                             pos;        /* the same: read so far */

    ngx_http_artifact_consumer_t         consumer;

    unsigned                             own:1;      /* the client's own */
    unsigned                             over:1;
};


struct ngx_http_artifact_expand_s {
    ngx_http_request_t                  *request;
    ngx_http_artifact_loc_conf_t        *conf;
    ngx_http_artifact_expand_conf_t     *directives;
    ngx_http_artifact_turn_t             turn;

    ngx_http_artifact_expand_step_e      step;
    art_message_error_t                  error;      /* of a step */
    art_str_t                            error_ref;  /* its reference */
    const char                          *why;        /* the body is unchanged */

    art_argument_t                       argument;   /* of a tool; or off */
    art_str_t                            call_id;    /* for its error; JSON */
    const art_api_t                     *api;        /* NULL: only hashed */
    const art_api_t                     *named;      /* that of "name" */
    art_name_t                          *name;       /* or only the model */
    art_str_t                            path_model;
    art_pool_t                           pool;       /* the request's */

    /* the body that came: "body" is decoded, "cursor" and "buf" read it */

    ngx_http_artifact_decoder_t         *decoder;
    ngx_http_artifact_spool_t            decoded;
    ngx_chain_t                         *body;
    ngx_http_artifact_body_t             cursor;
    u_char                              *buf;

    /* what is in it */

    ngx_http_artifact_expand_scanning_e  scanning;
    off_t                                came;       /* bytes so far */
    off_t                                scanned;    /* of these */
    uint64_t                             began;      /* turn.began */
    uint64_t                             cpu;        /* of the thread, then */
    uint64_t                             spent;      /* on scans since then */
    art_scan_t                          *scan;
    art_prompt_t                        *prompt;     /* NULL: none is added */
    art_long_t                          *texts;      /* NULL: none may leave */
    uint32_t                             nslots;

    /* what it becomes */

    ngx_http_artifact_reader_t          *readers;    /* of its requests */
    art_message_plan_t                   plan;
    art_splice_op_t                      added[ART_PROMPT_OPS];
    size_t                               nadded;     /* for the prompt */

    /* the sources; "slot" is asked for by "sr" */

    uint32_t                             slot;
    ngx_http_request_t                  *sr;
    ngx_http_artifact_consumer_t         consumer;
    ngx_chain_t                         *busy;       /* of its output */
    ngx_http_artifact_expand_ref_t      *refs;
    ngx_http_artifact_expand_part_t     *parts;      /* one for each slot */

    /* conversions; those of pages that were in vain are looked at "again" */

    ngx_http_artifact_expand_job_t     **jobs;
    ngx_http_artifact_expand_job_t      *job;        /* of "slot", or NULL */
    uint32_t                             njobs;
    uint32_t                             nagain;
    ngx_int_t                            nrunning;
    ngx_msec_t                           until;
    ngx_event_t                          tick;

    /*
     * The new body.  While "in_order" is set, "rendered" is this body itself:
     * the bytes between the renderings are also appended, before each source
     * is asked.  Otherwise "rendered" has renderings, perhaps among bytes of a
     * body that was begun, and "copied" is the body made from them at the end.
     */

    ngx_http_artifact_spool_t            rendered;
    art_splice_t                         ahead;      /* appended next to it */
    uint32_t                             nahead;     /* slots before its end */

    ngx_chain_t                         *renderings; /* "rendered", to read */
    ngx_http_artifact_spool_t            copied;
    art_splice_t                         splice;     /* all of the body */
    uint64_t                             total;      /* its length */

    art_splice_piece_t                   piece;      /* being written */
    art_find_decode_t                    clean;      /* of a piece */
    ngx_http_artifact_spool_t           *sent;       /* the new body */
    ngx_http_artifact_spool_t            restored;   /* or the old one */

    struct evp_md_ctx_st                *digest;
    u_char                              *hash;       /* hexadecimal */

    ngx_http_artifact_expand_text_t     *text;       /* of "slot", or NULL */
    ngx_http_artifact_standins_t        *standins;   /* NULL: none are made */
    ngx_http_artifact_standins_t        *longs;      /* long texts; or NULL */
    ngx_http_artifact_known_t           *known;      /* NULL: all is saved */
    off_t                                length;     /* of a body with such */
    ngx_table_elt_t                     *content_length; /* the same */
    ngx_int_t                            failed;     /* NGX_OK, or the error */

    unsigned                             scan_lags:1; /* as it comes in */
    unsigned                             received:1; /* all of the body */
    unsigned                             restoring:1;
    unsigned                             versioned:1;
    unsigned                             silent:1;   /* ART_PATH_SILENT */
    unsigned                             aws_signed:1;
    unsigned                             unknown:1;  /* no map has the model */
    unsigned                             chosen:1;   /* the source is known */
    unsigned                             in_order:1;
    unsigned                             appending:1; /* "ahead" */
    unsigned                             copying:1;
    unsigned                             writing:1;  /* "piece" */
    unsigned                             cleaning:1;
    unsigned                             deriving:1;
    unsigned                             late:1;     /* conversions are */
    unsigned                             conversion_failed:1;
    unsigned                             again:1;
    unsigned                             subrequest_lost:1; /* "sr" */
    unsigned                             refused:1;  /* with "error" */
};


/* The reader of a slot. */

#define ngx_http_artifact_expand_reads(ex, slot)                              \
    (&(ex)->readers[art_scan_slot((ex)->scan, slot)->request])


/* The model that the request asks for; empty if unknown. */

#define ngx_http_artifact_expand_model(ex)                                    \
    ((ex)->scan && (ex)->scan->nmodels > 0 && (ex)->scan->models[0].len > 0   \
     ? (ex)->scan->models[0] : (ex)->path_model)


/*
 * The steps.  Each returns
 *
 *     NGX_OK        it is over, the next one follows
 *     NGX_AGAIN     it waits for an event, and is called again then
 *     NGX_BUSY      its turn is over, others have theirs first
 *     NGX_DECLINED  the body stays as it is, because of ex->why
 *     NGX_ABORT     the request is refused with ex->error and ex->error_ref
 *     NGX_ERROR     it ends with a 500, or at once if ex->subrequest_lost is
 *                   set: a subrequest will never run
 */

ngx_int_t ngx_http_artifact_expand_decode(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_scan(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_ask(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_derive(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_store(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_edit(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_write(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_restore(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_hash(ngx_http_artifact_expand_t *ex);


/*
 * STORE's.  Whether media leave a request; NGX_ERROR when out of memory.  The
 * others are for a request of which they do.  After the scan, the first tells
 * whether nothing else is to become of the body, and the second whether it has
 * a stand-in of the client's own that it cannot have; the third is for a body
 * that belongs to no API.  The last two are STORE's part, and add the
 * operations.
 */

ngx_int_t ngx_http_artifact_standins_asked(ngx_http_request_t *r,
    ngx_http_artifact_expand_conf_t *elcf, ngx_uint_t *asked);
ngx_uint_t ngx_http_artifact_standins_alone(ngx_http_artifact_expand_t *ex);
ngx_uint_t ngx_http_artifact_standins_passed(ngx_http_artifact_expand_t *ex);
void ngx_http_artifact_standins_foreign(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_standins_store(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_standins_ops(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops);


/*
 * STORE's, for values of either kind.  The first one makes *values, with
 * nothing in them; NGX_ERROR when out of memory.  The second one gives back
 * what they have open; NULL is allowed.
 */

ngx_int_t ngx_http_artifact_store_create(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standins_t **values);
void ngx_http_artifact_store_close(ngx_http_artifact_standins_t *values);


/*
 * STORE's, for long texts.  The first one begins, where they may leave the
 * request, and sets conf->long_min.  The second one ends SCAN: NGX_BUSY, or
 * what steps return; then the last one tells whether there may be any.  The
 * third one adds the operations.
 */

ngx_int_t ngx_http_artifact_longs_scan(ngx_http_artifact_expand_t *ex,
    art_scan_conf_t *conf);
ngx_int_t ngx_http_artifact_longs_walk(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_longs_ops(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops);

#define ngx_http_artifact_longs_are(ex)  ((ex)->texts && (ex)->texts->n > 0)


/* SCAN's: begins, or begins again; NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_expand_scan_begin(ngx_http_artifact_expand_t *ex);


/* SCAN's: the filter, which reads what comes in before "next" saves it. */

ngx_int_t ngx_http_artifact_expand_scan_filter(ngx_http_artifact_expand_t *ex,
    ngx_chain_t *in, ngx_http_request_body_filter_pt next);


/*
 * Media of the body that the store has, which are not saved as they come in.
 * At most 64 of their files are open, and 256 in a process.
 *
 * The first one makes ex->known where that is of use; NGX_ERROR when out of
 * memory.  The second one reads "len" bytes at ex->scanned, of a buffer, that
 * were just scanned; the third one ends that buffer, or another one; the fourth
 * one passes on to "next" what is to be saved of them.
 *
 * The fifth one makes of what was saved the whole body, which only
 * ngx_http_artifact_body_read() can read; the request itself has none until
 * there is a new one, or the old one is restored.  The sixth one tells whether
 * that is so.  The seventh one is for a body that failed to be read: the
 * request has none.  The last one closes the files.
 */

ngx_int_t ngx_http_artifact_known_create(ngx_http_artifact_expand_t *ex);
void ngx_http_artifact_known_read(ngx_http_artifact_expand_t *ex, ngx_buf_t *b,
    u_char *p, size_t len);
void ngx_http_artifact_known_put(ngx_http_artifact_expand_t *ex, ngx_buf_t *b);
ngx_int_t ngx_http_artifact_known_pass(ngx_http_artifact_expand_t *ex,
    ngx_http_request_body_filter_pt next);
ngx_int_t ngx_http_artifact_known_body(ngx_http_artifact_expand_t *ex,
    ngx_chain_t **body);
ngx_uint_t ngx_http_artifact_known_omits(ngx_http_artifact_expand_t *ex);
void ngx_http_artifact_known_drop(ngx_http_artifact_expand_t *ex);
void ngx_http_artifact_known_close(ngx_http_artifact_expand_t *ex);


/* DECODE's: makes ex->cursor start at ex->body; NGX_ERROR: out of memory. */

ngx_int_t ngx_http_artifact_expand_rewind(ngx_http_artifact_expand_t *ex);


/* DECODE's: the codings that this build decodes, as for Accept-Encoding. */

extern ngx_str_t  ngx_http_artifact_expand_codings;


/*
 * ASK's, for DERIVE.  The first one asks for ex->slot, and returns what steps
 * return.  The second one takes a rendering for any slot, as the output of a
 * consumer does.
 */

ngx_int_t ngx_http_artifact_expand_ask_slot(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_take(ngx_http_artifact_expand_t *ex,
    uint32_t slot, ngx_http_request_t *sr, ngx_chain_t *out);


/*
 * The originals of conversions.  The first one is for ASK, after the decision
 * about ex->slot: with rules for what "view" is, a job for it, in ex->job while
 * "sr" runs; "sr" is NULL if the source has been asked for another slot.
 * NGX_OK; NGX_DECLINED if nothing is to be converted; NGX_BUSY if its source
 * has to be asked again; NGX_ERROR.  The second one is the same for media of
 * the client's own.
 */

ngx_int_t ngx_http_artifact_expand_derivable(ngx_http_artifact_expand_t *ex,
    const art_view_t *view, ngx_uint_t empty, ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream);
ngx_int_t ngx_http_artifact_expand_derivable_own(
    ngx_http_artifact_expand_t *ex, uint32_t slot);


/*
 * For DERIVE: decodes media of the client's own, and looks for the same content
 * among earlier jobs: NGX_OK, NGX_BUSY or NGX_ERROR.
 */

ngx_int_t ngx_http_artifact_expand_job_own(
    ngx_http_artifact_expand_job_t *job);


/*
 * For PLAN: looks into PDFs of the client's own for what only the middle of
 * them shows.  NGX_ERROR if the body cannot be read.
 */

ngx_int_t ngx_http_artifact_expand_look(ngx_http_artifact_expand_t *ex);


/*
 * For ASK: renders the text that the client has put into ex->slot as a file,
 * and returns what steps return.
 */

#define ngx_http_artifact_expand_is_text(ex, slot)                            \
    ((ex)->plan.edits[slot].becomes == ART_BECOMES_TEXT                       \
     && (ex)->plan.edits[slot].format != NULL                                 \
     && art_scan_slot((ex)->scan, slot)->held == ART_HELD_DATA)

ngx_int_t ngx_http_artifact_expand_text(ngx_http_artifact_expand_t *ex);


/*
 * WRITE's, for ASK.  While the body is written in order, the first one appends
 * the bytes before the part of a slot, the second one those of ex->slot's part
 * before its rendering; ex->in_order is reset if that cannot be done.  The
 * first one returns what steps return, the second one NGX_OK or NGX_ERROR.
 */

ngx_int_t ngx_http_artifact_expand_write_to(ngx_http_artifact_expand_t *ex,
    uint32_t slot);
ngx_int_t ngx_http_artifact_expand_write_lead(ngx_http_artifact_expand_t *ex);


/*
 * Before the end: sets ex->call_id if the body, as far as it was scanned, has
 * an id that an answer can repeat.  NGX_ERROR when out of memory, or if the
 * body cannot be read.
 */

ngx_int_t ngx_http_artifact_expand_call_id(ngx_http_artifact_expand_t *ex);


/*
 * After the end: answers with the error as JSON, or leaves that to an
 * "error_page" of the location; returns what the phase handler has to return.
 */

ngx_int_t ngx_http_artifact_expand_refuse(ngx_http_artifact_expand_t *ex);


/*
 * The handler of the phase before the content: NGX_DECLINED once the request
 * may go on, with its body as it came or with a new one.
 */

ngx_int_t ngx_http_artifact_expand_handler(ngx_http_request_t *r);


/* As ngx_http_artifact_error_pt: of a request to a model, or to a tool. */

ngx_int_t ngx_http_artifact_expand_too_large(ngx_http_request_t *r,
    art_out_t *out);


/*
 * The expansion of a request, under way or over; NULL if there is none, or if
 * it was given up.
 */

ngx_http_artifact_expand_t *ngx_http_artifact_expand(ngx_http_request_t *r);


/* The same, also one that was given up. */

ngx_http_artifact_expand_t *ngx_http_artifact_expand_last(
    ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_STATE_H_INCLUDED_ */
