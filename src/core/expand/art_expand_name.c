
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/expand/art_expand_name.h"


static int art_name_open(void *data, uint64_t pos, unsigned object);
static int art_name_close(void *data, uint64_t end);
static int art_name_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static size_t art_name_wants(void *data, uint64_t pos);
static int art_name_value(void *data, const art_lex_value_t *value);
static int art_name_begin(void *data, const art_multipart_part_t *part);
static int art_name_bytes(void *data, const uint8_t *p, size_t len);
static int art_name_end(void *data);


static const art_lex_handler_t  art_name_handler = {
    art_name_open, art_name_close, art_name_key, art_name_wants, NULL,
    art_name_value, NULL
};

static const art_multipart_sink_t  art_name_sink = {
    art_name_begin, art_name_bytes, art_name_end
};


int
art_name_init(art_name_t *name, art_str_t type, unsigned json)
{
    memset(name, 0, offsetof(art_name_t, value));

    if (!json) {
        name->is_form = 1;
        return art_multipart_init(&name->form, type, &art_name_sink, name);
    }

    art_lex_init(&name->lex, &art_name_handler, name, name->value,
                 sizeof(name->value));
    return ART_OK;
}


/* What cannot be read has named all the models that it will. */

void
art_name_feed(art_name_t *name, const uint8_t *p, size_t len)
{
    if (name->is_form) {
        (void) art_multipart_feed(&name->form, p, len);

    } else {
        (void) art_lex_feed(&name->lex, p, len);
    }
}


art_str_t
art_name_model(const art_name_t *name)
{
    return art_str(name->model, name->model_len);
}


/* Of the top object only: all others are skipped. */

static int
art_name_open(void *data, uint64_t pos, unsigned object)
{
    art_name_t *name = data;

    (void) pos;

    if (name->depth == 0 && !object) {
        return ART_ERROR;
    }

    if (name->is_model) {
        name->model_len = 0;
    }

    return name->depth++ == 0 ? ART_OK : ART_LEX_SKIP;
}


static int
art_name_close(void *data, uint64_t end)
{
    art_name_t *name = data;

    (void) end;

    name->depth--;

    return ART_OK;
}


static int
art_name_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_name_t *name = data;

    (void) pos;
    (void) end;

    name->is_model = art_str_eq(key, art_cstr("model")) ? 1 : 0;

    return ART_OK;
}


static size_t
art_name_wants(void *data, uint64_t pos)
{
    art_name_t *name = data;

    (void) pos;

    return name->is_model ? ART_NAME_MAX : 0;
}


static int
art_name_value(void *data, const art_lex_value_t *value)
{
    art_name_t *name = data;

    if (!name->is_model || name->depth != 1) {
        return ART_OK;
    }

    name->is_model = 0;
    name->model_len = 0;

    if (value->string && value->len == value->text.len) {
        memcpy(name->model, value->text.data, value->text.len);
        name->model_len = value->text.len;
    }

    return ART_OK;
}


/* Of parts with the name "model" the first one counts. */

static int
art_name_begin(void *data, const art_multipart_part_t *part)
{
    art_name_t *name = data;

    name->is_model = art_str_eq(part->name, art_cstr("model")) ? 1 : 0;

    return ART_OK;
}


static int
art_name_bytes(void *data, const uint8_t *p, size_t len)
{
    art_name_t *name = data;

    if (!name->is_model) {
        return ART_OK;
    }

    if (len > ART_NAME_MAX - name->value_len) {
        return ART_ERROR;
    }

    memcpy(name->value + name->value_len, p, len);
    name->value_len += len;

    return ART_OK;
}


static int
art_name_end(void *data)
{
    art_name_t *name = data;

    if (!name->is_model) {
        return ART_OK;
    }

    memcpy(name->model, name->value, name->value_len);
    name->model_len = name->value_len;

    return ART_ERROR;
}
