
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * One pass over a request's body, in pieces of any size: the model it asks for,
 * and the slots that hold references or media.
 */


#ifndef ART_EXPAND_SCAN_H_INCLUDED_
#define ART_EXPAND_SCAN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_lex.h"
#include "core/ref/art_url.h"
#include "core/expand/art_expand_prompt.h"
#include "core/expand/art_expand_slot.h"
#include "core/api/art_api.h"


typedef enum {
    ART_SCAN_OK = 0,
    ART_SCAN_PASS,               /* not JSON, or not of the API: untouched */
    ART_SCAN_TOO_MANY,           /* references */
    ART_SCAN_FOREIGN,            /* a file id where only a provider's may be */
    ART_SCAN_NO_MEMORY
} art_scan_status_t;


/*
 * "url" is how URLs are written; what begins with its prefix, which may be
 * empty, is a reference.  More than "refs_max" references, or than
 * ART_MESSAGE_SLOTS_MAX, are too many; "seed" is random (art_hash.h).  Of what
 * is found in texts of tools the oldest is left out instead.  "run_min" is the
 * least length of base64 that is looked for in them, in characters.
 *
 * "prompt", if it is not NULL, sees all tokens as well; with "prompt_only" the
 * scan does not, and no slot or model is found.  Of strings of at least
 * "long_min" bytes, unless that is 0, the first ones are noted.
 *
 * "standins" are bits, 0: nobody looks for stand-ins (art_standin.h).  They are
 * found in any string of the body, do not count as references, and there are
 * never too many.
 *
 * With "argument" the body is read as a call of a tool, by the API's
 * call.rules, and its slots are the references among the tool's arguments.
 */

#define ART_SCAN_STANDINS  0x01  /* references beside the others */
#define ART_SCAN_ONLY      0x02  /* no other reference matters */
#define ART_SCAN_FORGED    0x04  /* media to be taken out, as others are */

typedef struct {
    const art_api_t          *api;
    art_pool_t                pool;
    art_url_t                 url;
    uint32_t                  refs_max;  /* of each request */
    uint64_t                  run_min;
    uint64_t                  seed[2];
    art_prompt_t             *prompt;
    uint64_t                  long_min;
    unsigned                  prompt_only;
    unsigned                  standins;
    art_argument_t            argument;
} art_scan_conf_t;


/*
 * A request in a body: its slots and groups, from the first to before the last,
 * what follows the number of its last message but for system messages, the
 * group of the tool messages that reach that end (UINT32_MAX: there is none),
 * its bytes, and the model that it names (empty: none).
 */

typedef struct {
    uint32_t             from;
    uint32_t             to;
    uint32_t             first;
    uint32_t             end;
    uint32_t             messages;
    uint32_t             tools;
    uint64_t             len;
    art_str_t            model;
} art_scan_request_t;


/*
 * What a scan has found.  Strings are the pool's, but those of "models" are the
 * scan's own.  The first model is the body's own (empty: the body has none),
 * the others are those of "models".  "full": media were skipped because there
 * are no more slots.  "refused": a body that passes may still be JSON, nested
 * too deep or with two lists of messages.  "messages" is their number.
 * "call_id" is where a call has its id; both 0: it has none, or none that is a
 * string or a number.
 *
 * "requests" are those that have slots; in a "batch" the body has no model.
 * "untouched" counts the stand-ins of each kind that are no slots: beside one
 * in its part, beside the requests of a batch, or more than there is room for.
 * "excess": some are in the text of a tool, behind more finds than are noted.
 */

typedef struct {
    art_scan_conf_t      conf;
    art_scan_status_t    status;
    uint64_t             len;        /* of the body */
    uint32_t             nslots;
    uint32_t             ngroups;
    uint32_t             nrefs;      /* distinct ones */
    uint32_t             occurrences;
    uint32_t             finds;      /* in texts of tools */
    uint32_t             messages;
    uint32_t             nrequests;
    uint32_t             nmodels;
    art_str_t            models[ART_MESSAGE_MODELS_MAX];
    uint32_t             untouched[ART_STANDIN_KINDS];
    art_str_t            foreign;    /* the artifact, if that is the status */
    art_span_t           call_id;
    art_lex_longs_t      longs;
    unsigned             called:1;       /* it calls a tool */
    unsigned             versioned:1;    /* has anthropic_version */
    unsigned             full:1;
    unsigned             excess:1;
    unsigned             refused:1;
    unsigned             batch:1;
} art_scan_t;


/*
 * Begins; "conf" is copied.  "scan" is the caller's memory, art_scan_size()
 * bytes (68 KB), aligned as by malloc().  Everything else comes from the pool:
 * some 28 KB for each 64 slots, and their strings, bounded by the number of
 * slots.
 */

size_t art_scan_size(void);
void art_scan_init(art_scan_t *scan, const art_scan_conf_t *conf);


/*
 * Takes the next piece of the body.  After ART_ERROR nothing more needs to be
 * fed: art_scan_end() returns the reason.  Time is linear for any body, and the
 * result does not depend on how it is cut into pieces.
 */

int art_scan_feed(art_scan_t *scan, const uint8_t *p, size_t len);


/*
 * Where the base64 of a string begins that may be media of the client's own and
 * is not over yet; 0: what was fed last is no such string.
 */

uint64_t art_scan_media(const art_scan_t *scan);


/*
 * Ends the body.  After ART_SCAN_OK slots and references are set, the slots in
 * the order of their positions; any other status leaves the lists empty.
 */

art_scan_status_t art_scan_end(art_scan_t *scan);


/* A slot, a group or a request by its number. */

art_message_slot_t *art_scan_slot(const art_scan_t *scan, uint32_t i);
art_message_group_t *art_scan_group(const art_scan_t *scan, uint32_t i);
const art_scan_request_t *art_scan_request(const art_scan_t *scan, uint32_t i);


/*
 * Whether a slot is in the last message of its request that is no system
 * message, or in tool messages that reach it.
 */

int art_scan_is_last(const art_scan_t *scan, const art_message_slot_t *slot);


#endif /* ART_EXPAND_SCAN_H_INCLUDED_ */
