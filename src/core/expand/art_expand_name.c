
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/expand/art_expand_name.h"


static int art_name_form(art_name_t *name, art_str_t type);
static int art_name_open(void *data, uint64_t pos, unsigned object);
static int art_name_close(void *data, uint64_t end);
static int art_name_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static size_t art_name_wants(void *data, uint64_t pos);
static int art_name_value(void *data, const art_lex_value_t *value);
static const uint8_t *art_name_body(art_name_t *name, const uint8_t *p,
    const uint8_t *end);
static void art_name_take(art_name_t *name, const uint8_t *p, size_t len);
static void art_name_boundary(art_name_t *name, uint8_t c);
static void art_name_line(art_name_t *name, uint8_t c);
static int art_name_parameter(art_str_t *text, art_str_t *key,
    art_str_t *value);
static art_str_t art_name_trim(art_str_t text);
static int art_name_is_space(uint8_t c);


static const art_lex_handler_t  art_name_handler = {
    art_name_open, art_name_close, art_name_key, art_name_wants, NULL,
    art_name_value, NULL
};


int
art_name_init(art_name_t *name, art_str_t type, unsigned json)
{
    memset(name, 0, sizeof(*name));

    if (!json) {
        name->state = ART_NAME_OVER;
        return art_name_form(name, type);
    }

    art_lex_init(&name->lex, &art_name_handler, name, name->value,
                 sizeof(name->value));
    return ART_OK;
}


/* The body begins as if a line had ended before it. */

static int
art_name_form(art_name_t *name, art_str_t type)
{
    art_str_t  key, value;

    if (art_name_parameter(&type, &key, &value) != ART_OK
        || !art_str_is(key, "multipart/form-data"))
    {
        return ART_ERROR;
    }

    while (art_name_parameter(&type, &key, &value) == ART_OK) {

        if (!art_str_is(key, "boundary") || value.len == 0
            || value.len > ART_NAME_BOUNDARY_MAX)
        {
            continue;
        }

        memcpy(name->boundary, "\r\n--", 4);
        memcpy(name->boundary + 4, value.data, value.len);

        name->boundary_len = value.len + 4;
        name->matched = 2;
        name->state = ART_NAME_BODY;

        return ART_OK;
    }

    return ART_ERROR;
}


void
art_name_feed(art_name_t *name, const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    end = p + len;

    while (p < end) {

        switch (name->state) {

        case ART_NAME_JSON:

            if (art_lex_feed(&name->lex, p, len) != ART_OK) {
                name->state = ART_NAME_OVER;
            }

            return;

        case ART_NAME_BODY:
            p = art_name_body(name, p, end);
            break;

        case ART_NAME_BOUNDARY:
            art_name_boundary(name, *p++);
            break;

        case ART_NAME_LINE:
            art_name_line(name, *p++);
            break;

        default:  /* ART_NAME_OVER */
            return;
        }
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


/*
 * A boundary has no CR but its first byte: where it does not go on, the bytes
 * that seemed to be its beginning are content.
 */

static const uint8_t *
art_name_body(art_name_t *name, const uint8_t *p, const uint8_t *end)
{
    const uint8_t  *cr;

    if (name->matched == 0) {

        cr = memchr(p, '\r', (size_t) (end - p));
        if (cr == NULL) {
            cr = end;
        }

        art_name_take(name, p, (size_t) (cr - p));

        if (cr < end) {
            name->matched = 1;
            cr++;
        }

        return cr;
    }

    if (*p != name->boundary[name->matched]) {
        art_name_take(name, name->boundary, name->matched);
        name->matched = 0;

        return p;
    }

    if (++name->matched == name->boundary_len) {
        name->matched = 0;
        name->state = name->is_model ? ART_NAME_OVER : ART_NAME_BOUNDARY;

        if (name->is_model && !name->too_long) {
            memcpy(name->model, name->value, name->value_len);
            name->model_len = name->value_len;
        }
    }

    return p + 1;
}


static void
art_name_take(art_name_t *name, const uint8_t *p, size_t len)
{
    if (!name->is_model) {
        return;
    }

    if (len > ART_NAME_MAX - name->value_len) {
        name->too_long = 1;
        return;
    }

    memcpy(name->value + name->value_len, p, len);
    name->value_len += len;
}


/* "--" after the last boundary, else perhaps white space. */

static void
art_name_boundary(art_name_t *name, uint8_t c)
{
    if (c == '-') {
        name->state = ART_NAME_OVER;

    } else if (c == '\n') {
        name->state = ART_NAME_LINE;
    }
}


/* An empty line ends a part's header. */

static void
art_name_line(art_name_t *name, uint8_t c)
{
    art_str_t       line, key, value;
    const uint8_t  *colon;

    if (c != '\n') {

        if (name->line_len < ART_NAME_LINE_MAX) {
            name->line[name->line_len++] = c;
        }

        return;
    }

    line = art_name_trim(art_str(name->line, name->line_len));
    name->line_len = 0;

    if (line.len == 0) {
        name->state = ART_NAME_BODY;
        return;
    }

    colon = memchr(line.data, ':', line.len);

    if (colon == NULL) {
        return;
    }

    key = art_str(line.data, (size_t) (colon - line.data));
    line = art_str(colon + 1, line.len - key.len - 1);

    if (!art_str_is(art_name_trim(key), "content-disposition")
        || art_name_parameter(&line, &key, &value) != ART_OK
        || !art_str_is(key, "form-data"))
    {
        return;
    }

    while (art_name_parameter(&line, &key, &value) == ART_OK) {
        if (art_str_is(key, "name") && art_str_eq(value, art_cstr("model"))) {
            name->is_model = 1;
        }
    }
}


/* Cuts a parameter off a header's value, as "key" or "key=value". */

static int
art_name_parameter(art_str_t *text, art_str_t *key, art_str_t *value)
{
    size_t    i, is;
    unsigned  quoted;

    if (text->len == 0) {
        return ART_ERROR;
    }

    is = 0;
    quoted = 0;

    for (i = 0; i < text->len && (quoted || text->data[i] != ';'); i++) {

        if (text->data[i] == '"') {
            quoted = !quoted;

        } else if (text->data[i] == '=' && is == 0) {
            is = i;
        }
    }

    *value = art_str(NULL, 0);
    *key = art_name_trim(art_str(text->data, is > 0 ? is : i));

    if (is > 0) {
        *value = art_name_trim(art_str(text->data + is + 1, i - is - 1));

        if (value->len >= 2 && value->data[0] == '"'
            && value->data[value->len - 1] == '"')
        {
            *value = art_str(value->data + 1, value->len - 2);
        }
    }

    i += i < text->len;
    *text = art_str(text->data + i, text->len - i);

    return ART_OK;
}


static art_str_t
art_name_trim(art_str_t text)
{
    while (text.len > 0 && art_name_is_space(text.data[0])) {
        text.data++;
        text.len--;
    }

    while (text.len > 0 && art_name_is_space(text.data[text.len - 1])) {
        text.len--;
    }

    return text;
}


static int
art_name_is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}
