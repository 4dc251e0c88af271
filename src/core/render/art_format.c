
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/ref/art_id.h"
#include "core/render/art_describe.h"
#include "core/render/art_filename.h"
#include "core/render/art_format.h"
#include "core/render/art_print.h"


static const char *art_format_described(const art_format_t *format,
    const art_view_t *view);
static void art_format_part(art_out_t *out, const art_format_t *format,
    art_form_t form, const art_view_t *view, unsigned tail);
static void art_format_field(art_out_t *out, const art_format_t *format,
    int field, const art_view_t *view, unsigned depth);
static art_str_t art_format_string(const art_format_t *format, int field,
    const art_view_t *view);


art_form_t
art_format_form(const art_format_t *format, const art_view_t *view,
    unsigned json)
{
    if (view->decision.described) {
        return ART_FORM_DESCRIBED;
    }

    switch (view->decision.routing) {

    case ART_ROUTING_IMAGE_URL:
    case ART_ROUTING_FILE:
        return format->parts[view->kind].template != NULL
               ? ART_FORM_BASE64 : ART_FORM_DESCRIBED;

    default:
        return json && format->json != NULL ? ART_FORM_JSON : ART_FORM_TEXT;
    }
}


const char *
art_format_template(const art_format_t *format, art_form_t form,
    const art_view_t *view)
{
    switch (form) {

    case ART_FORM_BASE64:
        return format->parts[view->kind].template;

    case ART_FORM_JSON:
        return format->json;

    case ART_FORM_DESCRIBED:
        return art_format_described(format, view);

    default:  /* ART_FORM_TEXT */
        return format->text;
    }
}


/* A link to what cannot be read leads nowhere. */

static const char *
art_format_described(const art_format_t *format, const art_view_t *view)
{
    if (format->described == NULL
        || ((format->flags & ART_FORMAT_LINK)
            && (view->url.len == 0
                || view->decision.reason == ART_REASON_READ)))
    {
        return format->text;
    }

    return format->described;
}


void
art_format_head(art_out_t *out, const art_format_t *format, art_form_t form,
    const art_view_t *view)
{
    art_format_part(out, format, form, view, 0);
}


void
art_format_tail(art_out_t *out, const art_format_t *format, art_form_t form,
    const art_view_t *view)
{
    art_format_part(out, format, form, view, 1);
}


unsigned
art_format_body_level(const char *form)
{
    unsigned     depth;
    const char  *p;

    depth = 0;

    for (p = form; *p != '\0'; p++) {

        if (*p != '%') {
            continue;
        }

        p++;

        if (*p == 'B') {
            return p[1] == '"' ? depth + 1 : 0;
        }

        depth += *p == '(';
        depth -= *p == ')';
    }

    return 0;
}


/* "depth" counts the JSON strings that the current place stands in. */

static void
art_format_part(art_out_t *out, const art_format_t *format, art_form_t form,
    const art_view_t *view, unsigned tail)
{
    size_t       n;
    unsigned     depth, writing;
    const char  *p, *next;

    depth = 0;
    writing = !tail;

    for (p = art_format_template(format, form, view); *p != '\0'; p += n) {
        next = strchr(p, '%');
        n = next != NULL ? (size_t) (next - p) : strlen(p);

        if (n > 0) {
            if (writing) {
                art_json_literal(out, art_str(p, n), depth);
            }

            continue;
        }

        n = 2;

        switch (p[1]) {

        case '(':
            depth++;
            break;

        case ')':
            depth--;
            break;

        case 'B':
            if (!tail) {
                return;
            }

            writing = 1;
            break;

        default:
            if (writing) {
                art_format_field(out, format, p[1], view, depth);
            }
        }
    }
}


static void
art_format_field(art_out_t *out, const art_format_t *format, int field,
    const art_view_t *view, unsigned depth)
{
    switch (field) {

    case 'l':
        art_describe_lead(out, view, depth + 1);
        break;

    case 'n':
        art_filename_print(out, &format->name_rule, view, depth + 1);
        break;

    case 'a':
        art_json_string(out, view->url.len > 0 ? view->url
                                               : art_cstr("artifact:"),
                        depth + 1);
        art_id_uri(out, view->id);
        break;

    case 's':
        art_print_size(out, view);
        break;

    case 'd':
        art_print_metadata(out, view, depth);
        break;

    case 'o':
        art_print_object(out, view);
        break;

    case 'r':
        art_print_nullable(out, view->meta->created.data != NULL
                                ? view->meta->created : view->meta->updated);
        break;

    case 'g':
        art_print_nullable(out, view->meta->message_id);
        break;

    case 'b':
        art_out_cstr(out, view->kind != ART_KIND_TEXT ? "true" : "false");
        break;

    case 'z':
        art_print_notes(out, view);
        break;

    default:
        art_json_string(out, art_format_string(format, field, view),
                        depth + 1);
    }
}


static art_str_t
art_format_string(const art_format_t *format, int field,
    const art_view_t *view)
{
    switch (field) {

    case 't':
        return art_cstr(art_content_type_name(view->kind));

    case 'u':
        return art_cstr(art_routing_name(view->decision.routing));

    case 'm':
        return view->mime;

    case 'f':
        return art_part_type_name(&format->parts[view->kind], view->mime);

    case 'c':
        return view->tool_call_id;

    case 'i':
        return view->id;

    default:  /* 'y' */
        return art_print_type(view);
    }
}
