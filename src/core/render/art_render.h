
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The rendering of one answer as a stream: head, encoded body, tail, in bounded
 * memory, for any chunking of input and any room for output.  Form, length and
 * memory of the answer are known before its content comes.
 */


#ifndef ART_RENDER_H_INCLUDED_
#define ART_RENDER_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/text/art_base64.h"
#include "core/json/art_json_text.h"
#include "core/api/art_api_format.h"
#include "core/render/art_format.h"
#include "core/render/art_view.h"


/*
 * The largest JSON document, in bytes, that "object" embeds as a value: it must
 * be held until it is known to be valid.  Longer ones become strings.
 */

#define ART_RENDER_JSON_MAX  65536       /* bytes */


typedef enum {
    ART_RENDER_HOLD = 0,     /* collecting a JSON document */
    ART_RENDER_HEAD,
    ART_RENDER_BODY,
    ART_RENDER_TAIL,
    ART_RENDER_DONE
} art_render_state_t;


/* Head and tail of an answer rendered before, or all of it (form CACHED). */

typedef struct {
    art_form_t           form;
    unsigned             level;          /* of escaping, in the body */
    uint64_t             hash;
    size_t               head_len;       /* bytes */
    size_t               tail_len;
    uint8_t              data[];         /* the head, then the tail */
} art_render_memo_t;


/*
 * What is written around an answer, such as the envelope of a message; "cut"
 * follows the answer if that is a text that was cut.
 */

typedef struct {
    art_str_t            before;
    art_str_t            cut;
    art_str_t            after;
} art_envelope_t;


typedef struct {
    const art_format_t  *format;
    art_view_t          *view;
    art_envelope_t       envelope;
    const art_render_memo_t  *memo;      /* of the same answer, or NULL */
    art_str_t            description;    /* replaces the built-in one */
    const char          *charset;        /* of text */
    unsigned             lines;          /* it was not declared */
    unsigned             nuls;           /* they are shown as such */
    uint64_t             text_max;       /* bytes of UTF-8; 0: the format's */
    unsigned             json;           /* the content is a JSON document */
    uint8_t             *draft;          /* memory, or NULL: see below */
    size_t               draft_room;
} art_render_conf_t;


typedef struct {
    art_render_conf_t    conf;
    art_form_t           form;
    art_render_state_t   state;
    unsigned             level;          /* of escaping, in the body */
    uint64_t             hash;           /* of all but the content */
    uint64_t             text_chars;     /* maximum, of text; 0: no limit */
    uint8_t             *memory;         /* of the head, then the tail */
    const uint8_t       *scratch;        /* the same, or of the memo */
    size_t               room;
    size_t               head_room;
    size_t               head_len;
    size_t               tail_len;
    unsigned             piece;          /* of head or tail, being written */
    const uint8_t       *out;
    size_t               left;
    uint8_t             *hold;           /* a JSON document */
    size_t               hold_room;
    size_t               held;
    size_t               hold_pos;
    uint64_t             consumed;       /* bytes of text */
    unsigned             started:1;
    unsigned             open:1;         /* a text converter is open */
    art_base64_t         base64;
    art_json_text_t      text;           /* must be the last */
} art_render_t;


/*
 * The size of a rendering in bytes, with this memo or without (NULL): what a
 * text holds, at the end, is more than all else.
 */

static inline size_t
art_render_size(const art_render_memo_t *memo)
{
    return memo == NULL || memo->form == ART_FORM_TEXT
           ? sizeof(art_render_t) : offsetof(art_render_t, text.in);
}


/*
 * Chooses the form and starts a rendering; "conf" is copied, and what it points
 * to must outlive the rendering.  Afterwards render->room and render->hold_room
 * are the sizes for art_render_memory(); with a memo it is not called.
 *
 * "draft" is only used until art_render_memory() has returned: head and tail
 * are rendered once if they fit into it, else a second time when their memory
 * is there.
 */

void art_render_init(art_render_t *render, const art_render_conf_t *conf);


/* Whether the content's bytes are needed: not if the head is everything. */

int art_render_needs_content(const art_render_t *render);


/*
 * Gives the rendering its memory: "scratch" of render->room bytes and, for a
 * JSON document, "hold" of render->hold_room bytes, at most ART_RENDER_JSON_MAX
 * + 1; both owned by the caller.  Then render->hash covers all that the
 * answer's bytes depend on besides the content, for the entity tag: the form,
 * head and tail, and the limits.  It is made by art_hash_words().
 */

void art_render_memory(art_render_t *render, uint8_t *scratch, uint8_t *hold);


/*
 * After art_render_memory(): stores head and tail in a memo.  A rendering of
 * the same view in the same format, with the same settings, of content of the
 * same length, need not render them again.  art_render_memo_size() is the
 * memo's size in bytes, 0 where head and tail are not final before the content
 * is known.  The memo is owned by the caller and must outlive the renderings
 * that use it.
 */

size_t art_render_memo_size(const art_render_t *render);
void art_render_memo_make(const art_render_t *render,
    art_render_memo_t *memo);


/*
 * The same for a whole answer of "len" bytes to the same content, without its
 * envelope; "memo" has room for ART_RENDER_CACHED_SIZE(len).
 */

#define ART_RENDER_CACHED_SIZE(len)  (sizeof(art_render_memo_t) + (len))

void art_render_memo_answer(const art_render_t *render, const uint8_t *answer,
    size_t len, art_render_memo_t *memo);


/*
 * Whether a limit of "max" bytes may cut the content as a text, which has up to
 * three bytes for one where it is repaired or converted; 0: there is no limit.
 */

int art_render_may_cut(const art_view_t *view, uint64_t max);


/*
 * The bytes of content that suffice for a text with a limit; the answer counts
 * as cut if the content is longer.  0: all of it is needed.
 */

uint64_t art_render_input_limit(const art_render_t *render);


/*
 * After art_render_memory(): the length of the whole answer in bytes, where it
 * follows from the length of the content (view->size): *length is set and 1
 * returned; 0 otherwise.
 */

int art_render_length(const art_render_t *render, uint64_t *length);


/*
 * Writes the next bytes of the answer into dst, "room" bytes (at least
 * ART_JSON_UNIT_MAX), from *src, *len bytes of content, advancing both.
 * "last": the content ends with this input.  Returns the bytes written, or
 * ART_JSON_TEXT_ERROR when the charset cannot be converted.  The state becomes
 * ART_RENDER_DONE with the answer's last byte; further input is ignored.  When
 * nothing is written and the input is used up, more input is needed.
 */

size_t art_render_update(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);


/*
 * After ART_RENDER_DONE: whether the content was rendered as a text that shows
 * nothing (art_utf8_is_blank()).
 */

int art_render_is_blank(const art_render_t *render);


/* Frees what a rendering holds, a charset converter; allowed at any time. */

void art_render_close(art_render_t *render);


#endif /* ART_RENDER_H_INCLUDED_ */
