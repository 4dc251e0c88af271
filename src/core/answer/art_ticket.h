
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Tickets: rights to make one new artifact, with the name and the type that the
 * ticket says.
 */


#ifndef ART_TICKET_H_INCLUDED_
#define ART_TICKET_H_INCLUDED_


#include "core/answer/art_error.h"
#include "core/ref/art_url.h"


/* What becomes of a content.  "name" may be empty; "size" counts if "sized". */

typedef struct {
    art_str_t    name;
    art_str_t    type;
    uint64_t     size;
    unsigned     sized:1;
} art_ticket_t;


/* Bytes of buffer to parse a text of "len" bytes. */

#define ART_TICKET_ROOM(len)  (2 * (len) + 16)


/*
 * Reads the arguments of who asks for a ticket, a JSON object with "mime_type"
 * (or "mimeType"), "name" and "size": ART_ERR_MAX, or what is wrong.  "null" is
 * as good as nothing.  The strings are in "text" or in "buf" of
 * ART_TICKET_ROOM(text.len) bytes.
 */

art_error_t art_ticket_ask(art_str_t text, uint8_t *buf, art_ticket_t *ticket);


/* Whether an artifact may have its name and type: ART_ERR_MAX, or an error. */

art_error_t art_ticket_check(const art_ticket_t *ticket);


/*
 * Writes what is signed of a ticket that was checked, and reads it: base64url
 * of {"name","type","size"}, without what is absent.  The reader takes
 * ART_TICKET_ROOM(put.len) bytes in "buf"; ART_ERROR for what is no such text,
 * or no ticket to be carried out: a signer may have made it who knows more, or
 * less, than this.
 */

#define ART_TICKET_PUT_MAX  2048

size_t art_ticket_put(const art_ticket_t *ticket,
    uint8_t put[ART_TICKET_PUT_MAX]);
int art_ticket_parse(art_str_t put, uint8_t *buf, art_ticket_t *ticket);


/* Whether an id is one that tickets are for: a UUID in lower case. */

int art_ticket_is_id(art_str_t id);


/*
 * Writes the answer to who asks, {"ref","url","method","expires"}, for a new
 * artifact; and the same in words, a command that uses the ticket.
 */

void art_ticket_print(art_out_t *out, const art_url_t *url, art_str_t id,
    art_str_t put);
void art_ticket_words(art_out_t *out, const art_url_t *url, art_str_t id,
    art_str_t put, art_lang_t lang);


/*
 * The same for a URL by which a content may be read until a time in seconds,
 * {"ref","url","expires"}.
 */

void art_ticket_print_share(art_out_t *out, const art_url_t *url, art_str_t id,
    uint64_t until);
void art_ticket_words_share(art_out_t *out, const art_url_t *url,
    art_str_t id, uint64_t until, art_lang_t lang);


#endif /* ART_TICKET_H_INCLUDED_ */
