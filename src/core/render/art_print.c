
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_put.h"
#include "core/render/art_print.h"


static void art_print_string(art_json_put_t *put, const char *key,
    art_str_t value);
static void art_print_reason(art_json_put_t *put, const art_view_t *view);


void
art_print_metadata(art_out_t *out, const art_view_t *view, unsigned level)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, level);

    art_json_put_object(&put, NULL);
    art_print_string(&put, "id", view->id);
    art_print_string(&put, "type", art_print_type(view));
    art_print_string(&put, "filename", view->name);
    art_print_string(&put, "mimeType", view->mime);

    if (view->size_known) {
        art_json_put_number(&put, "size", view->size);
    }

    art_print_string(&put, "createdAt", view->meta->created);
    art_print_string(&put, "updatedAt", view->meta->updated);
    art_print_string(&put, "messageId", view->meta->message_id);
    art_print_string(&put, "workspaceId", view->workspace);
    art_print_string(&put, "relativePath", view->path);

    if (view->kind != ART_KIND_TEXT) {
        art_print_string(&put, "binaryType",
                         art_cstr(art_kind_name(view->kind)));
    }

    if (view->truncated) {
        art_json_put_bool(&put, "truncated", 1);
    }

    art_print_reason(&put, view);
    art_json_put_end(&put);
}


static void
art_print_reason(art_json_put_t *put, const art_view_t *view)
{
    unsigned  i;

    if (view->decision.reason == ART_REASON_NONE) {
        return;
    }

    art_print_string(put, "reason",
                     art_cstr(art_reason_name(view->decision.reason)));

    if (view->decision.requires != NULL) {
        art_print_string(put, "requires", art_cstr(view->decision.requires));
    }

    if (view->nsuggestions == 0) {
        return;
    }

    art_json_put_array(put, "suggestedServices");

    for (i = 0; i < view->nsuggestions; i++) {
        art_json_put_string(put, NULL, view->suggestions[i]);
    }

    art_json_put_end(put);
}


void
art_print_object(art_out_t *out, const art_view_t *view)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    if (view->workspace.len == 0) {
        art_json_put_raw(&put, NULL, view->meta->object.data != NULL
                                     ? view->meta->object : art_cstr("null"));
        return;
    }

    art_json_put_object(&put, NULL);
    art_print_string(&put, "name", view->name);
    art_print_string(&put, "filename", view->name);
    art_print_string(&put, "workspaceId", view->workspace);
    art_print_string(&put, "relativePath", view->path);
    art_json_put_end(&put);
}


void
art_print_nullable(art_out_t *out, art_str_t s)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    art_json_put_string(&put, NULL, s);

    if (s.data == NULL) {
        art_json_put_raw(&put, NULL, art_cstr("null"));
    }
}


void
art_print_notes(art_out_t *out, const art_view_t *view)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    put.more = 1;

    if (view->truncated) {
        art_json_put_bool(&put, "truncated", 1);
    }

    if (view->decision.reason != ART_REASON_NONE) {
        art_print_string(&put, "reason",
                         art_cstr(art_reason_name(view->decision.reason)));
    }
}


void
art_print_size(art_out_t *out, const art_view_t *view)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    put.more = 1;

    if (view->size_known) {
        art_json_put_number(&put, "size", view->size);
    }
}


art_str_t
art_print_type(const art_view_t *view)
{
    return view->meta->type.len > 0 ? view->meta->type : view->mime;
}


/* A member, unless it is empty. */

static void
art_print_string(art_json_put_t *put, const char *key, art_str_t value)
{
    if (value.len > 0) {
        art_json_put_string(put, key, value);
    }
}
