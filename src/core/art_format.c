
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "art_format.h"
#include "art_describe.h"
#include "art_json.h"
#include "art_print.h"


/*
 * Templates: text with
 *
 *     %B   the body                      %(..%)  a JSON text in a JSON string
 *     %t   contentType                   %u   routing
 *     %l   the lead-in line              %n   file name
 *     %m   media type                    %d   the metadata object
 *     %c   tool call id                  %i   id
 *     %y   declared type                 %r   createdAt, or null
 *     %g   messageId, or null            %o   the store's "meta" object
 *     %b   whether the content is binary
 *     %z   ,"truncated":true and ,"reason":.. where they apply
 *
 * The file part and image part of "route" are what a Chat Completions
 * message takes as they are.
 */

#define ART_IMAGE_PART                                                        \
    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:%m;base64,%B\"}}"

#define ART_FILE_PART                                                         \
    "{\"type\":\"file\",\"file\":{\"filename\":\"%n\",\"mimeType\":\"%m\","   \
    "\"data\":\"%B\"}}"

#define ART_ROUTE(middle)                                                     \
    "{\"contentType\":\"%t\",\"routing\":\"%u\"," middle ",\"metadata\":%d}"

#define ART_ROUTE_TEXT  ART_ROUTE("\"content\":\"%B\"")

#define ART_TOOL(content)                                                     \
    "{\"role\":\"tool\",\"tool_call_id\":\"%c\",\"content\":" content "}"

#define ART_TOOL_MEDIA(part)                                                  \
    ART_TOOL("[{\"type\":\"text\",\"text\":\"%l\"}," part "]")

#define ART_TOOL_TEXT                                                         \
    ART_TOOL("\"%({\"status\":\"success\",\"contentType\":\"%t\","            \
             "\"routing\":\"%u\",\"content\":\"%B\",\"metadata\":%d}%)\"")

#define ART_OBJECT(content, binary)                                           \
    "{\"id\":\"%i\",\"content\":" content ",\"type\":\"%y\","                 \
    "\"createdAt\":%r,\"messageId\":%g,\"meta\":%o,"                          \
    "\"isBinary\":" binary ",\"mimeType\":\"%m\"%z}"


static const art_format_t  art_formats[] = {

    { "route", 0,
      { ART_ROUTE("\"content\":\"%l\",\"imageUrl\":" ART_IMAGE_PART),
        ART_ROUTE("\"content\":\"%l\",\"file\":" ART_FILE_PART),
        ART_ROUTE_TEXT,
        NULL,
        ART_ROUTE_TEXT } },

    { "object", ART_FORMAT_PROGRAM,
      { ART_OBJECT("\"%B\"", "true"),
        ART_OBJECT("\"%B\"", "true"),
        ART_OBJECT("\"%B\"", "false"),
        ART_OBJECT("%B", "false"),
        ART_OBJECT("null", "%b") } },

    { "tool_message", ART_FORMAT_CALL_ID,
      { ART_TOOL_MEDIA(ART_IMAGE_PART),
        ART_TOOL_MEDIA(ART_FILE_PART),
        ART_TOOL_TEXT,
        NULL,
        ART_TOOL_TEXT } }
};


static void art_format_part(art_out_t *out, const char *form,
    const art_view_t *view, unsigned tail);
static void art_format_field(art_out_t *out, int field,
    const art_view_t *view, unsigned depth);
static art_str_t art_format_string(int field, const art_view_t *view);
static void art_format_notes(art_out_t *out, const art_view_t *view);


const art_format_t *
art_format_find(art_str_t name)
{
    unsigned             i;
    const art_format_t  *format;

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        if (art_str_eq(name, art_cstr(format->name))) {
            return format;
        }
    }

    return NULL;
}


const art_format_t *
art_format_row(unsigned i)
{
    return i < sizeof(art_formats) / sizeof(art_formats[0])
           ? &art_formats[i] : NULL;
}


art_form_t
art_format_form(const art_format_t *format, const art_view_t *view,
    unsigned json)
{
    if (view->decision.described) {
        return ART_FORM_DESCRIBED;
    }

    switch (view->decision.routing) {

    case ART_ROUTING_IMAGE_URL:
        return ART_FORM_IMAGE;

    case ART_ROUTING_FILE:
        return ART_FORM_FILE;

    default:
        return json && format->forms[ART_FORM_JSON] != NULL
               ? ART_FORM_JSON : ART_FORM_TEXT;
    }
}


int
art_form_is_base64(art_form_t form)
{
    return form == ART_FORM_IMAGE || form == ART_FORM_FILE;
}


void
art_format_head(art_out_t *out, const char *form, const art_view_t *view)
{
    art_format_part(out, form, view, 0);
}


void
art_format_tail(art_out_t *out, const char *form, const art_view_t *view)
{
    art_format_part(out, form, view, 1);
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
art_format_part(art_out_t *out, const char *form, const art_view_t *view,
    unsigned tail)
{
    size_t       n;
    unsigned     depth, writing;
    const char  *p, *next;

    depth = 0;
    writing = !tail;

    for (p = form; *p != '\0'; p += n) {
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
                art_format_field(out, p[1], view, depth);
            }
        }
    }
}


static void
art_format_field(art_out_t *out, int field, const art_view_t *view,
    unsigned depth)
{
    switch (field) {

    case 'l':
        art_describe_lead(out, view, depth + 1);
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
        art_format_notes(out, view);
        break;

    default:
        art_json_string(out, art_format_string(field, view), depth + 1);
    }
}


static art_str_t
art_format_string(int field, const art_view_t *view)
{
    switch (field) {

    case 't':
        return art_cstr(art_content_type_name(view->kind));

    case 'u':
        return art_cstr(art_routing_name(view->decision.routing));

    case 'n':
        return view->name;

    case 'm':
        return view->mime;

    case 'c':
        return view->tool_call_id;

    case 'i':
        return view->id;

    default:  /* 'y' */
        return art_print_type(view);
    }
}


static void
art_format_notes(art_out_t *out, const art_view_t *view)
{
    if (view->truncated) {
        art_out_cstr(out, ",\"truncated\":true");
    }

    if (view->decision.reason != ART_REASON_NONE) {
        art_out_cstr(out, ",\"reason\":\"");
        art_out_cstr(out, art_reason_name(view->decision.reason));
        art_out_char(out, '"');
    }
}
