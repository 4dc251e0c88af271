
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/answer/art_ticket.h"
#include "core/base/art_time.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/json/art_json_scan.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_id.h"
#include "core/text/art_base64.h"


/* Bytes of the text that is signed: a name and a type may be all quotes. */

#define ART_TICKET_JSON_MAX  1280


/* The members of a ticket, and of a question for one. */

typedef enum {
    ART_TICKET_NAME = 0,
    ART_TICKET_TYPE,
    ART_TICKET_SIZE,
    ART_TICKET_MEMBERS
} art_ticket_member_t;

typedef struct {
    const char           *name;
    art_ticket_member_t   member;
} art_ticket_key_t;

static const art_ticket_key_t  art_ticket_signed[] = {
    { "name", ART_TICKET_NAME },
    { "type", ART_TICKET_TYPE },
    { "size", ART_TICKET_SIZE },
    { NULL, ART_TICKET_MEMBERS }
};

static const art_ticket_key_t  art_ticket_asked[] = {
    { "name", ART_TICKET_NAME },
    { "mime_type", ART_TICKET_TYPE },
    { "mimeType", ART_TICKET_TYPE },
    { "size", ART_TICKET_SIZE },
    { NULL, ART_TICKET_MEMBERS }
};


/* Texts between a reference, a time and a URL. */

static const char *const  art_ticket_curl[ART_LANG_MAX][2] = {
    { "，在 ", " 之前用此命令上传（FILE 为文件路径）: curl -T FILE " },
    { ": upload it until ", " with (FILE is its path): curl -T FILE " }
};

static const char *const  art_ticket_share[ART_LANG_MAX][2] = {
    { "，在 ", " 之前任何人都可以凭此链接读取: " },
    { ": until ", " anybody can read it at " }
};


static int art_ticket_read(art_str_t text, const art_ticket_key_t *keys,
    uint8_t *buf, art_ticket_t *ticket);
static int art_ticket_member(art_ticket_t *ticket, art_ticket_member_t member,
    art_str_t value, uint8_t **buf);
static int art_ticket_size(art_str_t value, uint64_t *size);
static void art_ticket_begin(art_json_put_t *put, art_out_t *out, art_str_t id);
static void art_ticket_expires(art_json_put_t *put, uint64_t until);
static void art_ticket_say(art_out_t *out, const char *const words[2],
    art_str_t id, uint64_t until);


art_error_t
art_ticket_ask(art_str_t text, uint8_t *buf, art_ticket_t *ticket)
{
    if (!art_json_valid(text.data, text.len)
        || art_json_space(text.data, text.data + text.len)[0] != '{')
    {
        return ART_ERR_JSON;
    }

    return art_ticket_read(text, art_ticket_asked, buf, ticket) == ART_OK
           ? art_ticket_check(ticket) : ART_ERR_ARGUMENT;
}


art_error_t
art_ticket_check(const art_ticket_t *ticket)
{
    if (ticket->name.len > 0 && !art_id_component(ticket->name)) {
        return ART_ERR_NAME;
    }

    return art_meta_type_valid(ticket->type) ? ART_ERR_MAX : ART_ERR_MIME;
}


int
art_ticket_parse(art_str_t put, uint8_t *buf, art_ticket_t *ticket)
{
    size_t  n;

    if (put.len == 0
        || art_base64url_decode(buf, &n, put.data, put.len) != ART_OK
        || !art_json_valid(buf, n)
        || art_ticket_read(art_str(buf, n), art_ticket_signed,
                           buf + put.len + 8, ticket)
           != ART_OK)
    {
        return ART_ERROR;
    }

    return art_ticket_check(ticket) == ART_ERR_MAX ? ART_OK : ART_ERROR;
}


/* What is unknown may be a condition, so that it is refused. */

static int
art_ticket_read(art_str_t text, const art_ticket_key_t *keys, uint8_t *buf,
    art_ticket_t *ticket)
{
    int                      rc;
    unsigned                 seen;
    uint8_t                  room[16];
    art_str_t                key, name, value;
    art_json_members_t       members;
    const art_ticket_key_t  *row;

    memset(ticket, 0, sizeof(art_ticket_t));

    ticket->name = art_cstr("");
    ticket->type = art_cstr("");
    seen = 0;

    if (art_json_members(&members, text) != ART_OK) {
        return ART_ERROR;
    }

    while ((rc = art_json_next(&members, &key, &value)) == 1) {

        if (art_json_key(key, room, sizeof(room), &name) != ART_OK) {
            return ART_ERROR;
        }

        for (row = keys; row->name != NULL; row++) {
            if (art_str_eq(name, art_cstr(row->name))) {
                break;
            }
        }

        if (row->name == NULL) {
            return ART_ERROR;
        }

        if (art_str_eq(value, art_cstr("null")) && keys == art_ticket_asked) {
            continue;
        }

        if ((seen & 1u << row->member)
            || art_ticket_member(ticket, row->member, value, &buf) != ART_OK)
        {
            return ART_ERROR;
        }

        seen |= 1u << row->member;
    }

    return rc == 0 ? ART_OK : ART_ERROR;
}


static int
art_ticket_member(art_ticket_t *ticket, art_ticket_member_t member,
    art_str_t value, uint8_t **buf)
{
    art_str_t  *text;

    if (member == ART_TICKET_SIZE) {
        ticket->sized = 1;
        return art_ticket_size(value, &ticket->size);
    }

    if (value.len < 2 || value.data[0] != '"') {
        return ART_ERROR;
    }

    /* what is decoded is not longer, and all values are parts of the text */

    text = member == ART_TICKET_NAME ? &ticket->name : &ticket->type;
    value = art_str(value.data + 1, value.len - 2);

    if (art_json_key(value, *buf, value.len, text) != ART_OK) {
        return ART_ERROR;
    }

    *buf += value.len;

    return ART_OK;
}


static int
art_ticket_size(art_str_t value, uint64_t *size)
{
    size_t    i;
    uint64_t  digit;

    *size = 0;

    for (i = 0; i < value.len; i++) {
        digit = (uint64_t) value.data[i] - '0';

        if (value.data[i] < '0' || digit > 9
            || *size > (INT64_MAX - digit) / 10)
        {
            return ART_ERROR;
        }

        *size = *size * 10 + digit;
    }

    return value.len > 0 ? ART_OK : ART_ERROR;
}


size_t
art_ticket_put(const art_ticket_t *ticket, uint8_t put[ART_TICKET_PUT_MAX])
{
    uint8_t         text[ART_TICKET_JSON_MAX];
    art_out_t       out;
    art_json_put_t  json;

    out = art_out(text, sizeof(text));

    art_json_put_init(&json, &out, 0);
    art_json_put_object(&json, NULL);

    if (ticket->name.len > 0) {
        art_json_put_string(&json, "name", ticket->name);
    }

    art_json_put_string(&json, "type", ticket->type);

    if (ticket->sized) {
        art_json_put_number(&json, "size", ticket->size);
    }

    art_json_put_end(&json);

    return art_base64url_encode(put, text, out.len);
}


int
art_ticket_is_id(art_str_t id)
{
    size_t  i;

    for (i = 0; i < id.len; i++) {
        if (id.data[i] >= 'A' && id.data[i] <= 'F') {
            return 0;
        }
    }

    return art_id_is_uuid(id);
}


void
art_ticket_print(art_out_t *out, const art_url_t *url, art_str_t id,
    art_str_t put)
{
    art_json_put_t  json;

    art_ticket_begin(&json, out, id);
    art_url_print_ticket(out, url, id, put, 1);
    art_out_char(out, '"');

    art_json_put_string(&json, "method", art_cstr("PUT"));
    art_ticket_expires(&json, art_url_ticket_until(url));
}


void
art_ticket_print_share(art_out_t *out, const art_url_t *url, art_str_t id,
    uint64_t until)
{
    art_json_put_t  json;

    art_ticket_begin(&json, out, id);
    art_url_print(out, url, id, 1);
    art_out_char(out, '"');

    art_ticket_expires(&json, until);
}


/* Up to the URL. */

static void
art_ticket_begin(art_json_put_t *put, art_out_t *out, art_str_t id)
{
    art_json_put_init(put, out, 0);
    art_json_put_object(put, NULL);
    art_json_put_prefixed(put, "ref", "artifact:", id);

    art_json_put_key(put, "url");
    art_out_char(out, '"');
}


static void
art_ticket_expires(art_json_put_t *put, uint64_t until)
{
    uint8_t  text[ART_TIME_LEN];

    art_time_print(text, until * 1000);

    art_json_put_string(put, "expires", art_str(text, sizeof(text)));
    art_json_put_end(put);
}


/* A quote in the URL would end the argument. */

void
art_ticket_words(art_out_t *out, const art_url_t *url, art_str_t id,
    art_str_t put, art_lang_t lang)
{
    int  quote;

    quote = memchr(url->prefix.data, '\'', url->prefix.len) ? '"' : '\'';

    art_ticket_say(out, art_ticket_curl[lang], id, art_url_ticket_until(url));
    art_out_char(out, quote);
    art_url_print_ticket(out, url, id, put, 0);
    art_out_char(out, quote);
}


void
art_ticket_words_share(art_out_t *out, const art_url_t *url, art_str_t id,
    uint64_t until, art_lang_t lang)
{
    art_ticket_say(out, art_ticket_share[lang], id, until);
    art_url_print(out, url, id, 0);
}


static void
art_ticket_say(art_out_t *out, const char *const words[2], art_str_t id,
    uint64_t until)
{
    uint8_t  text[ART_TIME_LEN];

    art_time_print(text, until * 1000);

    art_out_cstr(out, "artifact:");
    art_out_str(out, id);
    art_out_cstr(out, words[0]);
    art_out_mem(out, text, sizeof(text));
    art_out_cstr(out, words[1]);
}
