
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A rendering before its content comes: what form the answer has, how long it
 * is, what memory it takes.
 */


#ifndef ART_RENDER_PLAN_H_INCLUDED_
#define ART_RENDER_PLAN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/text/art_base64.h"
#include "core/json/art_json_text.h"
#include "core/api/art_api_format.h"
#include "core/render/art_format.h"
#include "core/render/art_view.h"


/*
 * The largest JSON document that "object" embeds as a value: it must be held
 * until it is known to be sound.  Longer ones become strings.
 */

#define ART_RENDER_JSON_MAX  65536       /* bytes */


typedef enum {
    ART_RENDER_HOLD = 0,     /* collecting a JSON document */
    ART_RENDER_HEAD,
    ART_RENDER_BODY,
    ART_RENDER_TAIL,
    ART_RENDER_DONE
} art_render_state_t;


/* Head and tail of an answer, rendered before, or all of it (a form KEPT). */

typedef struct {
    art_form_t           form;
    uint64_t             hash;
    size_t               head_len;       /* bytes */
    size_t               tail_len;
    uint8_t              data[];         /* the head, then the tail */
} art_render_memo_t;


typedef struct {
    const art_format_t  *format;
    art_view_t          *view;
    const art_render_memo_t  *memo;      /* of the same answer, or NULL */
    art_str_t            description;    /* replaces the built-in one */
    const char          *charset;        /* of text */
    uint64_t             text_max;       /* bytes of UTF-8; 0: no limit but
                                            that of the format */
    unsigned             json;           /* the content is a JSON document */
} art_render_conf_t;


typedef struct {
    art_render_conf_t    conf;
    art_form_t           form;
    art_render_state_t   state;
    uint64_t             hash;           /* of all but the content */
    uint64_t             text_chars;     /* at most, of text; 0: no limit */
    uint8_t             *memory;         /* of the head, then the tail */
    const uint8_t       *scratch;        /* the same, or of the memo */
    size_t               room;
    size_t               head_room;
    size_t               head_len;
    size_t               tail_len;
    const uint8_t       *out;            /* what is being written out */
    size_t               left;
    uint8_t             *hold;           /* a JSON document */
    size_t               hold_room;
    size_t               held;
    size_t               hold_pos;
    uint64_t             taken;          /* bytes of text */
    unsigned             started:1;
    unsigned             open:1;         /* a text converter is open */
    art_base64_t         base64;
    art_json_text_t      text;
} art_render_t;


/*
 * Chooses the form and starts a rendering; "conf" is copied, what it points to
 * must outlive it.  Afterwards render->room is what art_render_memory() needs;
 * with a memo it needs none, and is not called.
 */

void art_render_init(art_render_t *render, const art_render_conf_t *conf);


/* Whether the content's bytes are needed: not if the head is all there is. */

int art_render_needs_content(const art_render_t *render);


/* Whether art_render_memory() has to bring memory for a JSON document. */

int art_render_needs_hold(const art_render_t *render);


/*
 * Gives the rendering its memory: "scratch" of render->room bytes and, where
 * needed, "hold" of ART_RENDER_JSON_MAX bytes, or of view->size + 1 if that is
 * known; both owned by the caller.  Then render->hash is one of everything but
 * the content that the answer's bytes depend on, for its entity tag: the form,
 * head and tail, and the limits.  art_hash_words() made it.
 */

void art_render_memory(art_render_t *render, uint8_t *scratch, uint8_t *hold);


/*
 * After art_render_memory(): remembers head and tail.  The memo may be given
 * to a rendering of the same view in the same format, with the same settings,
 * of a content of the same length, instead of rendering them again.
 * art_render_memo_size() is its size in bytes, 0 where head and tail are not
 * final before the content is known.  The memo is owned by the caller, and
 * must outlive the renderings that use it.
 */

size_t art_render_memo_size(const art_render_t *render);
void art_render_memo_make(const art_render_t *render,
    art_render_memo_t *memo);


/*
 * The same for all "len" bytes of an answer, of the same content, too; "memo"
 * has room for ART_RENDER_CACHED_SIZE(len).
 */

#define ART_RENDER_CACHED_SIZE(len)  (sizeof(art_render_memo_t) + (len))

void art_render_memo_answer(const art_render_t *render, const uint8_t *answer,
    size_t len, art_render_memo_t *memo);


/*
 * How many bytes of content are enough for a text that is to be cut; the
 * answer counts as cut if the content is longer.  0: all of it is needed.
 */

uint64_t art_render_input_limit(const art_render_t *render);


/*
 * After art_render_memory(): the length of the whole answer in bytes, where it
 * follows from the length of the content (view->size): *length is set and 1
 * returned; 0 otherwise.
 */

int art_render_length(const art_render_t *render, uint64_t *length);


#endif /* ART_RENDER_PLAN_H_INCLUDED_ */
