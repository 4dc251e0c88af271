
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The formats: what has to hold of their answers for any names and ids.
 */


#include <jansson.h>

#include "core/text/art_utf8.h"
#include "format_scene.h"
#include "tap.h"


/* Names with everything that could break a JSON string. */

typedef struct {
    uint8_t  data[100];
    size_t   len;
} name_t;


static void
random_name(name_t *name, int hostile)
{
    size_t       i, n;
    const char  *piece;

    static const char  *pieces[] = {
        "a", "b.png", "\"", "\\", "\\\\", "/", "工件", "'", "{", "}", "%B",
        "%n", "%", "\xf0\x9f\x98\x80", "\\u0000", "\\n", " ", "\xe2\x80\xa8",
        "\n", "\t", "\x01", "\x1f", "\x7f", "\xff", "\xe5\xb7", "\xc0\x80"
    };

    name->len = 0;

    for (i = 1 + tap_below(8); i > 0; i--) {
        piece = pieces[tap_below(nitems(pieces) - (hostile ? 0 : 8))];
        n = strlen(piece);
        memcpy(name->data + name->len, piece, n);
        name->len += n;
    }
}


/* A JSON string's value against the bytes it was made of, repaired. */

static int
same_text(const json_t *json, const name_t *name)
{
    uint8_t      buf[400];
    art_out_t    out;
    const char  *text;
    int          n;
    size_t       i;

    out = (art_out_t) { buf, 0, sizeof(buf) };

    for (i = 0; i < name->len; i += (size_t) n) {
        n = art_utf8_char(name->data + i, name->len - i);

        if (n > 0) {
            art_out_mem(&out, name->data + i, (size_t) n);
            continue;
        }

        art_out_cstr(&out, "\xef\xbf\xbd");
        n = n < 0 ? -1 - n : (int) (name->len - i);
    }

    text = json_string_value(json);

    return text != NULL && json_string_length(json) == out.len
           && memcmp(text, buf, out.len) == 0;
}


/* The keys of an object in their order, separated by blanks. */

static const char *
keys_of(json_t *object)
{
    void         *it;
    static char   buf[500];

    buf[0] = '\0';

    for (it = json_object_iter(object); it;
         it = json_object_iter_next(object, it))
    {
        (void) snprintf(buf + strlen(buf), sizeof(buf) - strlen(buf), "%s%s",
                        buf[0] ? " " : "", json_object_iter_key(it));
    }

    return buf;
}


static int
has_keys(json_t *object, const char *want)
{
    const char  *got;

    got = keys_of(object);

    if (strcmp(got, want) != 0) {
        diag("keys: %s", got);
        return 0;
    }

    return 1;
}


typedef struct {
    scene_t    scene;
    name_t     id;
    name_t     name;
    name_t     path;
    name_t     call;
    name_t     message;
    name_t     service;
    art_str_t  services[1];
} random_t;


static void
random_scene(random_t *r)
{
    static name_t  mime;

    set_scene(&r->scene, (view_id_t) tap_below(VIEWS));

    random_name(&r->id, 0);
    random_name(&r->name, 0);
    random_name(&r->path, 0);
    random_name(&r->call, 1);
    random_name(&r->message, 1);
    random_name(&r->service, 1);

    r->scene.view.lang = (art_lang_t) tap_below(ART_LANG_MAX);
    r->scene.view.id = art_str(r->id.data, r->id.len);
    r->scene.view.name = art_str(r->name.data, r->name.len);
    r->scene.origin.name = r->scene.view.name;
    r->scene.view.tool_call_id = art_str(r->call.data, r->call.len);
    r->scene.meta.message_id = art_str(r->message.data, r->message.len);

    if (tap_below(4) == 0) {
        random_name(&mime, 1);
        r->scene.meta.type = art_str(mime.data, mime.len);
    }

    if (r->scene.view.workspace.len > 0) {
        r->scene.view.path = art_str(r->path.data, r->path.len);
    }

    r->services[0] = art_str(r->service.data, r->service.len);
    r->scene.view.suggestions = r->services;
    r->scene.view.nsuggestions
        = r->scene.view.decision.reason == ART_REASON_CAPABILITY;
}


static int
good_metadata(json_t *json, const random_t *r)
{
    json_t            *list;
    const art_view_t  *view;

    view = &r->scene.view;
    list = json_object_get(json, "suggestedServices");

    return same_text(json_object_get(json, "id"), &r->id)
           && same_text(json_object_get(json, "filename"), &r->name)
           && same_text(json_object_get(json, "messageId"), &r->message)
           && (view->workspace.len == 0
               || same_text(json_object_get(json, "relativePath"), &r->path))
           && (view->nsuggestions == 0
               ? list == NULL
               : json_array_size(list) == 1
                 && same_text(json_array_get(list, 0), &r->service))
           && !json_object_get(json, "reason")
              == (view->decision.reason == ART_REASON_NONE)
           && !json_object_get(json, "requires")
              == (view->decision.reason != ART_REASON_CAPABILITY)
           && !json_object_get(json, "binaryType")
              == ((view->origin ? view->origin : view)->kind
                  == ART_KIND_TEXT)
           && !json_object_get(json, "derivedType") == (view->origin == NULL);
}


/* The lead-in line has the file's name in it. */

static int
good_lead(const json_t *json, const random_t *r)
{
    name_t       lead;
    const char  *start;

    start = r->scene.view.lang == ART_LANG_ZH ? "工件内容 ("
                                              : "Artifact content (";

    lead.len = strlen(start);
    memcpy(lead.data, start, lead.len);
    memcpy(lead.data + lead.len, r->name.data, r->name.len);
    lead.len += r->name.len;
    memcpy(lead.data + lead.len, "):", 2);
    lead.len += 2;

    return same_text(json, &lead);
}


static int
good_route(json_t *json, const random_t *r)
{
    json_t     *part;
    art_form_t  form;

    form = art_format_form(art_format_find(art_cstr("route")),
                           &r->scene.view, 0);

    if (form == ART_FORM_BASE64 && r->scene.view.kind == ART_KIND_IMAGE) {
        return has_keys(json, "contentType routing content imageUrl metadata")
               && good_lead(json_object_get(json, "content"), r);
    }

    if (form == ART_FORM_BASE64) {
        part = json_object_get(json_object_get(json, "file"), "file");

        return has_keys(json, "contentType routing content file metadata")
               && has_keys(part, "filename mimeType data")
               && same_text(json_object_get(part, "filename"), &r->name)
               && good_lead(json_object_get(json, "content"), r);
    }

    return has_keys(json, "contentType routing content metadata");
}


/* tool_message: an array of two parts, or a JSON text with all of "route". */

static int
good_tool(json_t *json, const random_t *r)
{
    int      good;
    json_t  *content, *inner;

    content = json_object_get(json, "content");

    if (!has_keys(json, "role tool_call_id content")
        || !same_text(json_object_get(json, "tool_call_id"), &r->call))
    {
        return 0;
    }

    if (json_is_array(content)) {
        return json_array_size(content) == 2
               && !r->scene.view.decision.described
               && r->scene.view.kind != ART_KIND_TEXT
               && good_lead(json_object_get(json_array_get(content, 0),
                                            "text"), r);
    }

    inner = json_loadb(json_string_value(content),
                       json_string_length(content), 0, NULL);

    good = inner != NULL
           && has_keys(inner, "status contentType routing content metadata")
           && good_metadata(json_object_get(inner, "metadata"), r);

    json_decref(inner);

    return good;
}


static int
good_object(json_t *json, const random_t *r)
{
    char               want[200];
    const art_view_t  *view;

    view = &r->scene.view;

    (void) snprintf(want, sizeof(want), "id content type createdAt messageId "
                    "meta isBinary mimeType%s%s%s",
                    view->origin ? " derivedType" : "",
                    view->truncated ? " truncated" : "",
                    view->decision.reason ? " reason" : "");

    return has_keys(json, want)
           && same_text(json_object_get(json, "id"), &r->id)
           && same_text(json_object_get(json, "messageId"), &r->message)
           && json_is_boolean(json_object_get(json, "isBinary"));
}


static void
check_random(void)
{
    int                  good;
    size_t               i, len;
    json_t              *json;
    random_t             r;
    unsigned             failed;
    static uint8_t       got[BYTES];
    const art_format_t  *format;

    static const char   *formats[] = { "route", "tool_message", "object" };

    failed = 0;

    for (i = 0; i < 3000 && failed == 0; i++) {
        random_scene(&r);

        format = art_format_find(art_cstr(formats[i % 3]));
        len = assemble(got, format, &r.scene.view, (unsigned) tap_below(2),
                       "0");
        json = json_loadb((char *) got, len, 0, NULL);

        good = json != NULL
               && (i % 3 == 0 ? good_route(json, &r)
                                && good_metadata(json_object_get(json,
                                                         "metadata"), &r)
                   : i % 3 == 1 ? good_tool(json, &r)
                   : good_object(json, &r));

        if (!good) {
            diag_mem("got", got, len);
            failed++;
        }

        json_decref(json);
    }

    ok(failed == 0, "any names and ids stay in their strings");
}


int
main(void)
{
    check_random();

    return done();
}
