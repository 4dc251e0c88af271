
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/answer/art_counters.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_recent.h"
#include "core/base/art_time.h"
#include "core/json/art_json_put.h"
#include "core/text/art_utf8.h"


/* What an entry has before its reason and its id. */

#define ART_RECENT_ENTRY  4

#define ART_RECENT_REASON_MAX  48


/* An entry, as it is read back. */

typedef struct {
    art_became_t    became;
    art_kind_t      kind;
    art_str_t       reason;
    art_str_t       id;
} art_recent_entry_t;


static size_t art_recent_cut(uint8_t *dst, art_str_t value, size_t max);
static int art_recent_next(const art_recent_t *recent, size_t *pos,
    art_recent_entry_t *entry);
static art_str_t art_recent_text(const art_recent_t *recent,
    art_recent_text_t text);
static size_t art_recent_texts_len(const art_recent_t *recent,
    unsigned texts);
static int art_recent_number(art_str_t value, uint64_t *n);
static int art_recent_has(const art_recent_t *recent, art_str_t ref,
    art_str_t reason);
static int art_recent_has_status(const art_recent_t *recent, art_str_t status);
static int art_recent_contains(art_str_t text, art_str_t part);
static void art_recent_print_one(art_json_put_t *put,
    const art_recent_t *recent);
static void art_recent_print_entry(art_json_put_t *put,
    const art_recent_entry_t *entry);


/* Longest texts, at most 255 bytes; there is room for all and some entries. */

static const struct {
    const char  *name;
    size_t       max;
} art_recent_texts[ART_RECENT_TEXTS] = {
    { "method", 8 },
    { "location", 48 },
    { "api", 24 },
    { "call", 80 },
    { "model", 80 },
    { "service", 80 },
    { "tenant", 64 },
    { "id", 48 }
};


static const char *const  art_became_names[] = {
    "sent", "stored", "removed", "kept", "expanded", "url", "derived",
    "degraded", "missing", "expired", "refused", "pending"
};


/* Those that look for a part of a text come first, with the text. */

static const struct {
    const char         *name;
    art_recent_text_t   text;
} art_recent_args[ART_RECENT_ARGS] = {
    { "model", ART_RECENT_MODEL },
    { "service", ART_RECENT_SERVICE },
    { "tenant", ART_RECENT_TENANT },
    { "id", ART_RECENT_ID },
    { "api", ART_RECENT_API },
    { "ref", ART_RECENT_TEXTS },
    { "handler", ART_RECENT_TEXTS },
    { "reason", ART_RECENT_TEXTS },
    { "status", ART_RECENT_TEXTS },
    { "since", ART_RECENT_TEXTS },
    { "before", ART_RECENT_TEXTS },
    { "limit", ART_RECENT_TEXTS }
};


void
art_recent_init(art_recent_t *recent)
{
    memset(recent, 0, offsetof(art_recent_t, data));
}


void
art_recent_set(art_recent_t *recent, art_recent_text_t text, art_str_t value)
{
    size_t  n;

    n = art_recent_cut(recent->data + recent->len, value,
                       art_recent_texts[text].max);

    recent->texts[text] = (uint8_t) n;
    recent->len = (uint16_t) (recent->len + n);
}


/* Copies at most "max" bytes; "..." ends what is cut. */

static size_t
art_recent_cut(uint8_t *dst, art_str_t value, size_t max)
{
    size_t  n;

    if (value.len <= max) {

        if (value.len > 0) {
            memcpy(dst, value.data, value.len);
        }

        return value.len;
    }

    n = art_utf8_cut(value.data, value.len, max - 3);

    memcpy(dst, value.data, n);
    memcpy(dst + n, "...", 3);

    return n + 3;
}


void
art_recent_add(art_recent_t *recent, art_became_t became, art_kind_t kind,
    art_str_t id, const char *reason)
{
    size_t               n, pos, len;
    uint8_t              buf[ART_RECENT_ENTRY + ART_RECENT_REASON_MAX
                             + ART_RECENT_REF_MAX];
    art_recent_entry_t   entry;

    buf[0] = (uint8_t) became;
    buf[1] = (uint8_t) kind;

    n = art_recent_cut(buf + ART_RECENT_ENTRY,
                       reason != NULL ? art_cstr(reason) : art_str(NULL, 0),
                       ART_RECENT_REASON_MAX);
    buf[2] = (uint8_t) n;

    n += ART_RECENT_ENTRY;
    len = art_recent_cut(buf + n, id, ART_RECENT_REF_MAX);
    buf[3] = (uint8_t) len;
    n += len;

    pos = 0;

    while (art_recent_next(recent, &pos, &entry)) {

        len = (size_t) (entry.id.data + entry.id.len - entry.reason.data)
              + ART_RECENT_ENTRY;

        if (len == n
            && memcmp(entry.reason.data - ART_RECENT_ENTRY, buf, n) == 0)
        {
            return;
        }
    }

    if (recent->more > 0 || n > sizeof(recent->data) - recent->len) {
        recent->more = (uint16_t) (recent->more
                                   + (recent->more < UINT16_MAX));
        return;
    }

    memcpy(recent->data + recent->len, buf, n);
    recent->len = (uint16_t) (recent->len + n);
}


/* The entry at *pos, 0 at first. */

static int
art_recent_next(const art_recent_t *recent, size_t *pos,
    art_recent_entry_t *entry)
{
    const uint8_t  *p;

    if (*pos == 0) {
        *pos = art_recent_texts_len(recent, ART_RECENT_TEXTS);
    }

    if (*pos >= recent->len) {
        return 0;
    }

    p = recent->data + *pos;

    entry->became = (art_became_t) p[0];
    entry->kind = (art_kind_t) p[1];
    entry->reason = art_str(p + ART_RECENT_ENTRY, p[2]);
    entry->id = art_str(p + ART_RECENT_ENTRY + p[2], p[3]);

    *pos += (size_t) ART_RECENT_ENTRY + p[2] + p[3];

    return 1;
}


static art_str_t
art_recent_text(const art_recent_t *recent, art_recent_text_t text)
{
    return art_str(recent->data + art_recent_texts_len(recent, text),
                   recent->texts[text]);
}


/* The bytes of the first texts. */

static size_t
art_recent_texts_len(const art_recent_t *recent, unsigned texts)
{
    size_t    n;
    unsigned  i;

    for (n = 0, i = 0; i < texts; i++) {
        n += recent->texts[i];
    }

    return n;
}


art_str_t
art_recent_given(art_str_t ref)
{
    const uint8_t  *p;

    static const char  prefix[] = "artifact:";

    if (ref.len >= sizeof(prefix) - 1
        && memcmp(ref.data, prefix, sizeof(prefix) - 1) == 0)
    {
        ref.data += sizeof(prefix) - 1;
        ref.len -= sizeof(prefix) - 1;
    }

    p = ref.len > 0 ? memchr(ref.data, '?', ref.len) : NULL;

    if (p != NULL) {
        ref.len = (size_t) (p - ref.data);
    }

    return ref;
}


size_t
art_recent_size(const art_recent_t *recent)
{
    return offsetof(art_recent_t, data) + recent->len;
}


const char *
art_recent_arg(unsigned arg)
{
    return arg < ART_RECENT_ARGS ? art_recent_args[arg].name : NULL;
}


void
art_recent_query_init(art_recent_query_t *query)
{
    memset(query, 0, sizeof(*query));

    query->limit = ART_PAGE_LIMIT;
}


int
art_recent_query_set(art_recent_query_t *query, art_recent_arg_t arg,
    art_str_t value)
{
    query->values[arg] = value;

    if (value.len == 0) {
        return ART_OK;
    }

    switch (arg) {

    case ART_RECENT_BY_LIMIT:
        return art_page_limit(value, &query->limit);

    case ART_RECENT_BY_BEFORE:
        return art_recent_number(value, &query->before);

    case ART_RECENT_BY_SINCE:

        if (art_recent_number(value, &query->since) == ART_OK) {
            query->since *= 1000;
            return ART_OK;
        }

        return art_time_read(value, &query->since);

    default:
        return ART_OK;
    }
}


/* Digits only, and no more than fit, whatever is made of them. */

static int
art_recent_number(art_str_t value, uint64_t *n)
{
    size_t  i;

    *n = 0;

    for (i = 0; i < value.len; i++) {

        if (i == 15 || value.data[i] < '0' || value.data[i] > '9') {
            return ART_ERROR;
        }

        *n = *n * 10 + (uint64_t) (value.data[i] - '0');
    }

    return ART_OK;
}


int
art_recent_matches(const art_recent_query_t *query, const art_recent_t *recent)
{
    unsigned   i;
    art_str_t  handler;

    handler = query->values[ART_RECENT_BY_HANDLER];

    if (recent->time < query->since
        || (handler.len > 0
            && !art_str_eq(handler, art_cstr(art_count_handler_name(
                                (art_count_handler_t) recent->handler))))
        || !art_recent_has_status(recent, query->values[ART_RECENT_BY_STATUS]))
    {
        return 0;
    }

    for (i = 0; i < ART_RECENT_BY_REF; i++) {
        if (!art_recent_contains(art_recent_text(recent,
                                                 art_recent_args[i].text),
                                 query->values[i]))
        {
            return 0;
        }
    }

    return art_recent_has(recent, query->values[ART_RECENT_BY_REF],
                          query->values[ART_RECENT_BY_REASON]);
}


/* Whether one entry has both, each of which may be empty. */

static int
art_recent_has(const art_recent_t *recent, art_str_t ref, art_str_t reason)
{
    size_t              pos;
    art_recent_entry_t  entry;

    if (ref.len == 0 && reason.len == 0) {
        return 1;
    }

    ref = art_recent_given(ref);

    if (recent->unknown && ref.len == 0
        && art_str_eq(reason, art_cstr("unknown_service")))
    {
        return 1;
    }

    pos = 0;

    while (art_recent_next(recent, &pos, &entry)) {

        if (art_recent_contains(entry.id, ref)
            && (reason.len == 0 || art_str_eq(entry.reason, reason)
                || art_str_eq(art_cstr(art_became_names[entry.became]),
                              reason)))
        {
            return 1;
        }
    }

    return 0;
}


static int
art_recent_has_status(const art_recent_t *recent, art_str_t status)
{
    uint8_t    buf[8];
    art_out_t  out;

    out = art_out(buf, sizeof(buf));
    art_out_uint(&out, recent->status);

    return status.len <= out.len
           && art_str_eq(art_str(buf, status.len), status);
}


/* In any case of ASCII's letters. */

static int
art_recent_contains(art_str_t text, art_str_t part)
{
    size_t  i, n;

    for (i = 0; i + part.len <= text.len; i++) {

        for (n = 0; n < part.len; n++) {
            if (art_char_lower(text.data[i + n])
                != art_char_lower(part.data[n]))
            {
                break;
            }
        }

        if (n == part.len) {
            return 1;
        }
    }

    return 0;
}


void
art_recent_print(art_out_t *out, const art_recent_t *const *list, size_t n,
    unsigned more)
{
    size_t          i;
    uint8_t         buf[20];
    art_out_t       number;
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);
    art_json_put_array(&put, "requests");

    for (i = 0; i < n; i++) {
        art_recent_print_one(&put, list[i]);
    }

    art_json_put_end(&put);
    art_json_put_number(&put, "kept", ART_RECENT_REQUESTS);

    if (more && n > 0) {
        number = art_out(buf, sizeof(buf));
        art_out_uint(&number, list[n - 1]->number);
        art_json_put_string(&put, "next", art_str(buf, number.len));
    }

    art_json_put_end(&put);
}


static void
art_recent_print_one(art_json_put_t *put, const art_recent_t *recent)
{
    size_t              pos;
    uint8_t             time[ART_TIME_LEN], buf[32];
    unsigned            i;
    art_out_t           seconds;
    art_str_t           text;
    art_recent_entry_t  entry;

    art_time_print(time, recent->time);

    seconds = art_out(buf, sizeof(buf));
    art_out_uint(&seconds, recent->msec / 1000);
    art_out_char(&seconds, '.');
    art_out_char(&seconds, (int) ('0' + recent->msec / 100 % 10));
    art_out_char(&seconds, (int) ('0' + recent->msec / 10 % 10));
    art_out_char(&seconds, (int) ('0' + recent->msec % 10));

    art_json_put_object(put, NULL);
    art_json_put_number(put, "number", recent->number);
    art_json_put_string(put, "time", art_str(time, sizeof(time)));
    art_json_put_raw(put, "seconds", art_str(buf, seconds.len));
    art_json_put_number(put, "status", recent->status);
    art_json_put_string(put, "handler",
                        art_cstr(art_count_handler_name(
                                 (art_count_handler_t) recent->handler)));

    for (i = 0; i < ART_RECENT_TEXTS; i++) {
        text = art_recent_text(recent, (art_recent_text_t) i);

        if (text.len > 0) {
            art_json_put_string(put, art_recent_texts[i].name, text);
        }
    }

    if (recent->unknown) {
        art_json_put_bool(put, "unknown", 1);
    }

    art_json_put_number(put, "connection", recent->connection);
    art_json_put_array(put, "refs");
    pos = 0;

    while (art_recent_next(recent, &pos, &entry)) {
        art_recent_print_entry(put, &entry);
    }

    art_json_put_end(put);

    if (recent->more > 0) {
        art_json_put_number(put, "more", recent->more);
    }

    art_json_put_end(put);
}


static void
art_recent_print_entry(art_json_put_t *put, const art_recent_entry_t *entry)
{
    art_json_put_object(put, NULL);

    if (entry->id.len > 0) {
        art_json_put_prefixed(put, "ref", "artifact:", entry->id);

    } else if (entry->became != ART_BECAME_REFUSED) {
        art_json_put_string(put, "kind", art_cstr(art_kind_name(entry->kind)));
    }

    art_json_put_string(put, "became",
                        art_cstr(art_became_names[entry->became]));

    if (entry->reason.len > 0) {
        art_json_put_string(put, "reason", entry->reason);
    }

    art_json_put_end(put);
}
