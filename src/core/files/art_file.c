
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/json/art_json_put.h"
#include "core/media/art_media.h"
#include "core/ref/art_id.h"
#include "core/files/art_file.h"


static void art_file_put(art_json_put_t *put, art_file_api_t api,
    const art_file_t *file);
static void art_file_put_openai(art_json_put_t *put, const art_file_t *file);
static void art_file_put_anthropic(art_json_put_t *put, const art_file_t *file);
static void art_file_put_time(art_json_put_t *put, const char *key,
    uint64_t ms);
static void art_file_put_name(art_json_put_t *put, const art_file_t *file);
static void art_file_put_id(art_json_put_t *put, const char *key,
    art_file_api_t api, const art_file_t *file);
static art_str_t art_file_id(uint8_t *buf, art_file_api_t api, art_str_t id);


void
art_file_print(art_out_t *out, art_file_api_t api, const art_file_t *file)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    art_file_put(&put, api, file);
}


void
art_file_print_deleted(art_out_t *out, art_file_api_t api, art_str_t id)
{
    uint8_t         buf[ART_ID_FILE];
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "id", art_file_id(buf, api, id));

    if (api == ART_FILE_ANTHROPIC) {
        art_json_put_string(&put, "type", art_cstr("file_deleted"));

    } else {
        art_json_put_string(&put, "object", art_cstr("file"));
        art_json_put_bool(&put, "deleted", 1);
    }

    art_json_put_end(&put);
}


/*
 * The cursor of clients since 1.12 is next_page, of others last_id or first_id,
 * and of OpenAI's the id of the last element.
 */

void
art_file_print_list(art_out_t *out, art_file_api_t api, const art_file_t *files,
    size_t n, unsigned more)
{
    size_t             i;
    const art_file_t  *last;
    art_json_put_t     put;

    last = n > 0 ? &files[n - 1] : NULL;

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);

    if (api == ART_FILE_OPENAI) {
        art_json_put_string(&put, "object", art_cstr("list"));
    }

    art_json_put_array(&put, "data");

    for (i = 0; i < n; i++) {
        art_file_put(&put, api, &files[i]);
    }

    art_json_put_end(&put);

    art_file_put_id(&put, "first_id", api, n > 0 ? &files[0] : NULL);
    art_file_put_id(&put, "last_id", api, last);
    art_json_put_bool(&put, "has_more", more);

    if (api == ART_FILE_ANTHROPIC) {
        art_file_put_id(&put, "next_page", api, more ? last : NULL);
    }

    art_json_put_end(&put);
}


void
art_file_unnamed(art_out_t *out, art_str_t type)
{
    size_t              n;
    const art_media_t  *media;

    media = art_media_find(type);
    n = media != NULL && media->extensions != NULL
        ? strcspn(media->extensions, " ") : 0;

    art_out_cstr(out, "unnamed");

    if (n > 0) {
        art_out_char(out, '.');
        art_out_mem(out, media->extensions, n);
    }
}


static void
art_file_put(art_json_put_t *put, art_file_api_t api, const art_file_t *file)
{
    art_json_put_object(put, NULL);
    art_file_put_id(put, "id", api, file);

    if (api == ART_FILE_ANTHROPIC) {
        art_file_put_anthropic(put, file);

    } else {
        art_file_put_openai(put, file);
    }

    art_json_put_end(put);
}


/* Clients wait until "status" is "processed". */

static void
art_file_put_openai(art_json_put_t *put, const art_file_t *file)
{
    art_json_put_string(put, "object", art_cstr("file"));
    art_json_put_number(put, "bytes", file->size);
    art_json_put_number(put, "created_at", file->created / 1000);

    if (file->expires > 0) {
        art_json_put_number(put, "expires_at", file->expires / 1000);

    } else {
        art_json_put_raw(put, "expires_at", art_cstr("null"));
    }

    art_file_put_name(put, file);
    art_json_put_string(put, "purpose", file->purpose.len > 0
                                        ? file->purpose
                                        : art_cstr(ART_FILE_PURPOSE));
    art_json_put_string(put, "status", art_cstr("processed"));
    art_json_put_raw(put, "status_details", art_cstr("null"));
}


static void
art_file_put_anthropic(art_json_put_t *put, const art_file_t *file)
{
    art_json_put_string(put, "type", art_cstr("file"));
    art_file_put_name(put, file);
    art_json_put_string(put, "mime_type",
                        file->type.len > 0
                        ? file->type : art_cstr("application/octet-stream"));
    art_json_put_number(put, "size_bytes", file->size);
    art_file_put_time(put, "created_at", file->created);

    if (file->expires > 0) {
        art_file_put_time(put, "expires_at", file->expires);

    } else {
        art_json_put_raw(put, "expires_at", art_cstr("null"));
    }

    art_json_put_bool(put, "downloadable", 1);
}


static void
art_file_put_time(art_json_put_t *put, const char *key, uint64_t ms)
{
    uint8_t  text[ART_TIME_LEN];

    art_time_print(text, ms);
    art_json_put_string(put, key, art_str(text, sizeof(text)));
}


static void
art_file_put_name(art_json_put_t *put, const art_file_t *file)
{
    uint8_t    buf[64];
    art_out_t  out;
    art_str_t  name;

    name = file->name;

    if (name.len == 0) {
        out = art_out(buf, sizeof(buf));
        art_file_unnamed(&out, file->type);
        name = art_str(buf, out.len < sizeof(buf) ? out.len : sizeof(buf));
    }

    art_json_put_string(put, "filename", name);
}


/* A file's id; null without a file. */

static void
art_file_put_id(art_json_put_t *put, const char *key, art_file_api_t api,
    const art_file_t *file)
{
    uint8_t  buf[ART_ID_FILE];

    if (file == NULL) {
        art_json_put_raw(put, key, art_cstr("null"));
        return;
    }

    art_json_put_string(put, key, art_file_id(buf, api, file->id));
}


/* The artifact's id itself if it is not a UUID, which no file has. */

static art_str_t
art_file_id(uint8_t *buf, art_file_api_t api, art_str_t id)
{
    art_out_t  out;

    out = art_out(buf, ART_ID_FILE);

    if (art_id_file(&out, api == ART_FILE_ANTHROPIC ? ART_ID_FILE_ANTHROPIC
                                                    : ART_ID_FILE_OPENAI, id)
        != ART_OK)
    {
        return id;
    }

    return art_str(buf, out.len);
}
