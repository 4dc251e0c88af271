
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/form/art_pair.h"
#include "core/ref/art_id.h"
#include "core/answer/art_listing.h"
#include "core/files/art_file_query.h"


/* By API: OpenAI's list has up to 10000 files by default. */

#define ART_FILE_LIMIT_ANTHROPIC  20


typedef int (*art_file_arg_pt)(art_file_query_t *q, art_str_t value);

typedef struct {
    const char        *name;
    unsigned           apis;     /* a bit for each */
    art_file_arg_pt    parse;
} art_file_arg_t;


static int art_file_query_pair(art_file_query_t *q, art_file_api_t api,
    art_str_t key, art_str_t value, art_file_error_t *error);
static int art_file_query_decode(art_file_query_t *q, size_t *n,
    art_str_t *s);
static int art_file_query_limit(art_file_query_t *q, art_str_t value);
static int art_file_query_after(art_file_query_t *q, art_str_t value);
static int art_file_query_before(art_file_query_t *q, art_str_t value);
static int art_file_query_order(art_file_query_t *q, art_str_t value);
static int art_file_query_purpose(art_file_query_t *q, art_str_t value);
static int art_file_query_id(art_file_query_t *q, art_str_t value);


#define ART_FILE_OF_OPENAI     (1u << ART_FILE_OPENAI)
#define ART_FILE_OF_ANTHROPIC  (1u << ART_FILE_ANTHROPIC)


static const art_file_arg_t  art_file_args[] = {
    { "limit", ART_FILE_OF_OPENAI | ART_FILE_OF_ANTHROPIC,
      art_file_query_limit },
    { "after", ART_FILE_OF_OPENAI, art_file_query_after },
    { "order", ART_FILE_OF_OPENAI, art_file_query_order },
    { "purpose", ART_FILE_OF_OPENAI, art_file_query_purpose },
    { "after_id", ART_FILE_OF_ANTHROPIC, art_file_query_after },
    { "before_id", ART_FILE_OF_ANTHROPIC, art_file_query_before },
    { "page", ART_FILE_OF_ANTHROPIC, art_file_query_after },
    { "ids[]", ART_FILE_OF_ANTHROPIC, art_file_query_id },
    { "ids", ART_FILE_OF_ANTHROPIC, art_file_query_id }
};


int
art_file_query_parse(art_file_query_t *q, art_file_api_t api, art_str_t args,
    art_file_error_t *error)
{
    size_t      n;
    art_pair_t  arg;

    memset(q, 0, offsetof(art_file_query_t, ids));

    error->reason = ART_FILE_PARAM;
    error->param = "query";
    error->detail = art_str(NULL, 0);

    q->limit = api == ART_FILE_ANTHROPIC ? ART_FILE_LIMIT_ANTHROPIC
                                         : ART_FILE_LIMIT_MAX;

    if (args.len > ART_FILE_QUERY_MAX) {
        return ART_ERROR;
    }

    n = 0;

    while (art_query_next(&args, &arg)) {

        if (art_file_query_decode(q, &n, &arg.name) != ART_OK
            || art_file_query_decode(q, &n, &arg.value) != ART_OK
            || art_file_query_pair(q, api, arg.name, arg.value, error)
               != ART_OK)
        {
            return ART_ERROR;
        }
    }

    error->reason = ART_FILE_SOUND;

    return ART_OK;
}


/* Decodes into q->text, of which *n bytes are used. */

static int
art_file_query_decode(art_file_query_t *q, size_t *n, art_str_t *s)
{
    size_t  len;

    if (art_percent_decode(q->text + *n, &len, *s) != ART_OK) {
        return ART_ERROR;
    }

    *s = art_str(q->text + *n, len);
    *n += len;

    return ART_OK;
}


static int
art_file_query_pair(art_file_query_t *q, art_file_api_t api, art_str_t key,
    art_str_t value, art_file_error_t *error)
{
    size_t  i;

    for (i = 0; value.len > 0 && i < art_nitems(art_file_args); i++) {

        if (!(art_file_args[i].apis & 1u << api)
            || !art_str_eq(key, art_cstr(art_file_args[i].name)))
        {
            continue;
        }

        if (art_file_args[i].parse(q, value) == ART_OK) {
            return ART_OK;
        }

        error->param = art_file_args[i].name;
        error->detail = value;

        return ART_ERROR;
    }

    return ART_OK;
}


static int
art_file_query_limit(art_file_query_t *q, art_str_t value)
{
    return art_page_limit(value, &q->limit);
}


static int
art_file_query_after(art_file_query_t *q, art_str_t value)
{
    q->has_cursor = 1;
    q->backwards = 0;

    return art_id_from_file(value, q->cursor) ? ART_OK : ART_ERROR;
}


static int
art_file_query_before(art_file_query_t *q, art_str_t value)
{
    if (art_file_query_after(q, value) != ART_OK) {
        return ART_ERROR;
    }

    q->backwards = 1;

    return ART_OK;
}


static int
art_file_query_order(art_file_query_t *q, art_str_t value)
{
    q->ascending = art_str_eq(value, art_cstr("asc")) != 0;

    if (q->ascending) {
        return ART_OK;
    }

    return art_str_eq(value, art_cstr("desc")) ? ART_OK : ART_ERROR;
}


static int
art_file_query_purpose(art_file_query_t *q, art_str_t value)
{
    q->purpose = value;

    return ART_OK;
}


/* Ids of others are none that is there; the same one again counts once. */

static int
art_file_query_id(art_file_query_t *q, art_str_t value)
{
    size_t   i;
    uint8_t  id[ART_UUID_LEN];

    q->by_ids = 1;

    if (!art_id_from_file(value, id)) {
        return ART_OK;
    }

    for (i = 0; i < q->nids; i++) {
        if (memcmp(q->ids[i], id, sizeof(id)) == 0) {
            return ART_OK;
        }
    }

    if (q->nids == ART_FILE_IDS_MAX) {
        return ART_ERROR;
    }

    memcpy(q->ids[q->nids++], id, sizeof(id));

    return ART_OK;
}
