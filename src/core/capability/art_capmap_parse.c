
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Documents: from a text to the reader of its source.
 */


#include <stdio.h>
#include <stdlib.h>

#include "core/capability/art_capmap_int.h"
#include "core/text/art_utf8.h"


/* Bytes of an id that a warning shows. */

#define ART_CAPMAP_SHOWN  200


static json_t *art_capmap_load(art_str_t text, art_capmap_error_t *err);
static size_t art_capmap_string_end(const uint8_t *json, size_t len,
    size_t pos);
static size_t art_capmap_space(const uint8_t *json, size_t len, size_t pos);
static int art_capmap_is_secret(art_str_t key);


/* The first that matches counts. */

static const art_capmap_source_t  art_capmap_sources[] = {
    { art_capmap_own_match, art_capmap_own_read, 1 },
    { art_capmap_openrouter_match, art_capmap_openrouter_read, 0 },
    { art_capmap_models_dev_match, art_capmap_models_dev_read, 0 },
    { art_capmap_litellm_match, art_capmap_litellm_read, 0 },
    { NULL, NULL, 0 }
};


int
art_capmap_read(art_capmap_reader_t *reader, art_str_t json,
    art_capmap_error_t *err)
{
    int                         rc;
    json_t                     *root;
    const art_capmap_source_t  *source;

    root = art_capmap_load(json, err);
    if (root == NULL) {
        return ART_ERROR;
    }

    for (source = art_capmap_sources; source->match; source++) {
        if (source->match(root)) {
            break;
        }
    }

    if (source->match == NULL) {
        json_decref(root);
        art_capmap_fail(err, 1, 1, "no capability map: neither an object with "
                        "an array \"services\", nor a model list of "
                        "OpenRouter, models.dev or LiteLLM");
        return ART_ERROR;
    }

    reader->own = source->own;

    rc = source->read(reader, root);

    json_decref(root);

    if (rc != ART_OK) {
        art_capmap_fail(err, 1, 1, "out of memory");
    }

    return rc;
}


void
art_capmap_reader_free(art_capmap_reader_t *reader)
{
    free(reader->list.entries);
    free(reader->agents.agents);
}


/*
 * A string is a key if a colon follows.  What is no JSON is left to the
 * parser, which tells of it.
 */

void
art_capmap_blank(uint8_t *json, size_t len)
{
    size_t     pos, end, next;
    art_str_t  key;

    pos = 0;

    for ( ;; ) {
        while (pos < len && json[pos] != '"') {
            pos++;
        }

        end = art_capmap_string_end(json, len, pos);

        if (end >= len) {
            return;
        }

        key = art_str(json + pos + 1, end - pos - 1);
        pos = end + 1;

        if (!art_capmap_is_secret(key)) {
            continue;
        }

        next = art_capmap_space(json, len, pos);

        if (next == len || json[next] != ':') {
            continue;
        }

        next = art_capmap_space(json, len, next + 1);
        end = art_capmap_string_end(json, len, next);

        if (next < len && json[next] == '"' && end < len) {
            memset(json + next + 1, '*', end - next - 1);
            pos = end + 1;
        }
    }
}


void
art_capmap_warn(art_capmap_reader_t *reader, const char *what, art_str_t id,
    const char *text)
{
    char       line[ART_CAPMAP_SHOWN * 3 + ART_CAPMAP_FAULT * 2];
    art_out_t  out;

    if (reader->warn == NULL) {
        return;
    }

    out.data = (uint8_t *) line;
    out.len = 0;
    out.room = sizeof(line) - 1;

    art_out_cstr(&out, what);
    art_out_cstr(&out, " \"");
    art_utf8_name(&out, art_str(id.data, art_utf8_cut(id.data, id.len,
                                                      ART_CAPMAP_SHOWN)));
    art_out_cstr(&out, id.len > ART_CAPMAP_SHOWN ? "...\"" : "\"");
    art_out_cstr(&out, text);

    line[out.len < out.room ? out.len : out.room] = '\0';

    reader->warn(reader->data, line);
}


void
art_capmap_warn_at(art_capmap_reader_t *reader, const char *array, size_t i,
    const char *text)
{
    char  line[ART_CAPMAP_FAULT];

    if (reader->warn != NULL) {
        snprintf(line, sizeof(line), "%s[%zu] %s", array, i, text);
        reader->warn(reader->data, line);
    }
}


void
art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text)
{
    err->line = line > 0 ? line : 1;
    err->column = column > 0 ? column : 1;

    snprintf(err->text, sizeof(err->text), "%s", text);
}


static json_t *
art_capmap_load(art_str_t text, art_capmap_error_t *err)
{
    char          *near;
    json_t        *root;
    json_error_t   error;

    /* so that no number is too big for an integer */

    root = json_loadb(text.len ? (const char *) text.data : "", text.len,
                      JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL
                      |JSON_DECODE_INT_AS_REAL, &error);

    if (root == NULL) {

        /* what the parser quotes from the document may be an API key */

        near = strstr(error.text, " near '");
        if (near != NULL) {
            *near = '\0';
        }

        art_capmap_fail(err, error.line, error.column,
                        error.text[0] ? error.text : "out of memory");
    }

    return root;
}


/* The closing quote of the string that opens at "pos"; "len" without one. */

static size_t
art_capmap_string_end(const uint8_t *json, size_t len, size_t pos)
{
    for (pos++; pos < len; pos++) {
        if (json[pos] == '"') {
            return pos;
        }

        if (json[pos] == '\\') {
            pos++;
        }
    }

    return len;
}


static size_t
art_capmap_space(const uint8_t *json, size_t len, size_t pos)
{
    while (pos < len && (json[pos] == ' ' || json[pos] == '\t'
                         || json[pos] == '\r' || json[pos] == '\n'))
    {
        pos++;
    }

    return pos;
}


static int
art_capmap_is_secret(art_str_t key)
{
    static const art_str_t  secrets[] = {
        art_string("apiKey"), art_string("baseURL")
    };

    return art_str_eq(key, secrets[0]) || art_str_eq(key, secrets[1]);
}
