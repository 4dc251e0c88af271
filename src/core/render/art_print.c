
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/render/art_print.h"


/* An object being written: "depth" strings deep, with or without members. */

typedef struct {
    art_out_t  *out;
    unsigned    depth;
    unsigned    members;
} art_printer_t;


static void art_print_key(art_printer_t *printer, const char *key);
static void art_print_string(art_printer_t *printer, const char *key,
    art_str_t value);
static void art_print_number(art_printer_t *printer, const char *key,
    uint64_t value);
static void art_print_reason(art_printer_t *printer, const art_view_t *view);
static void art_print_syntax(art_printer_t *printer, const char *text);


void
art_print_metadata(art_out_t *out, const art_view_t *view, unsigned depth)
{
    art_printer_t  printer;

    printer.out = out;
    printer.depth = depth;
    printer.members = 0;

    art_print_syntax(&printer, "{");
    art_print_string(&printer, "id", view->id);
    art_print_string(&printer, "type", art_print_type(view));
    art_print_string(&printer, "filename", view->name);
    art_print_string(&printer, "mimeType", view->mime);

    if (view->size_known) {
        art_print_number(&printer, "size", view->size);
    }

    art_print_string(&printer, "createdAt", view->meta->created);
    art_print_string(&printer, "updatedAt", view->meta->updated);
    art_print_string(&printer, "messageId", view->meta->message_id);
    art_print_string(&printer, "workspaceId", view->workspace);
    art_print_string(&printer, "relativePath", view->path);

    if (view->kind != ART_KIND_TEXT) {
        art_print_string(&printer, "binaryType",
                         art_cstr(art_kind_name(view->kind)));
    }

    if (view->truncated) {
        art_print_key(&printer, "truncated");
        art_print_syntax(&printer, "true");
    }

    art_print_reason(&printer, view);
    art_print_syntax(&printer, "}");
}


static void
art_print_reason(art_printer_t *printer, const art_view_t *view)
{
    unsigned  i;

    if (view->decision.reason == ART_REASON_NONE) {
        return;
    }

    art_print_string(printer, "reason",
                     art_cstr(art_reason_name(view->decision.reason)));

    if (view->decision.requires != NULL) {
        art_print_string(printer, "requires",
                         art_cstr(view->decision.requires));
    }

    if (view->nsuggestions == 0) {
        return;
    }

    art_print_key(printer, "suggestedServices");

    for (i = 0; i < view->nsuggestions; i++) {
        art_print_syntax(printer, i == 0 ? "[\"" : ",\"");
        art_json_string(printer->out, view->suggestions[i],
                        printer->depth + 1);
        art_print_syntax(printer, "\"");
    }

    art_print_syntax(printer, "]");
}


void
art_print_object(art_out_t *out, const art_view_t *view)
{
    art_printer_t  printer;

    if (view->workspace.len > 0) {
        printer.out = out;
        printer.depth = 0;
        printer.members = 0;

        art_print_syntax(&printer, "{");
        art_print_string(&printer, "name", view->name);
        art_print_string(&printer, "filename", view->name);
        art_print_string(&printer, "workspaceId", view->workspace);
        art_print_string(&printer, "relativePath", view->path);
        art_print_syntax(&printer, "}");
        return;
    }

    if (view->meta->object.data != NULL) {
        art_out_str(out, view->meta->object);
        return;
    }

    art_out_cstr(out, "null");
}


void
art_print_nullable(art_out_t *out, art_str_t s)
{
    if (s.data == NULL) {
        art_out_cstr(out, "null");
        return;
    }

    art_json_put_text(out, s);
}


art_str_t
art_print_type(const art_view_t *view)
{
    return view->meta->type.len > 0 ? view->meta->type : view->mime;
}


static void
art_print_string(art_printer_t *printer, const char *key, art_str_t value)
{
    if (value.len == 0) {
        return;
    }

    art_print_key(printer, key);
    art_print_syntax(printer, "\"");
    art_json_string(printer->out, value, printer->depth + 1);
    art_print_syntax(printer, "\"");
}


static void
art_print_number(art_printer_t *printer, const char *key, uint64_t value)
{
    art_print_key(printer, key);
    art_out_uint(printer->out, value);
}


static void
art_print_key(art_printer_t *printer, const char *key)
{
    art_print_syntax(printer, printer->members++ > 0 ? ",\"" : "\"");
    art_print_syntax(printer, key);
    art_print_syntax(printer, "\":");
}


/* The JSON syntax itself is escaped as often as the object is quoted. */

static void
art_print_syntax(art_printer_t *printer, const char *text)
{
    art_json_literal(printer->out, art_cstr(text), printer->depth);
}
