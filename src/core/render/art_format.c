
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdio.h>

#include "core/base/art_hash.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/ref/art_url.h"
#include "core/render/art_describe.h"
#include "core/render/art_format.h"


#define ART_FILENAME_TAG_LEN  (sizeof(" [01234567]") - 1)


static const char *art_format_template(const art_format_t *format,
    art_form_t form, const art_view_t *view);
static const char *art_format_described(const art_format_t *format,
    const art_view_t *view);
static void art_format_field(art_out_t *out, const art_format_t *format,
    int field, const art_view_t *view, unsigned depth);
static art_str_t art_format_string(const art_format_t *format, int field,
    const art_view_t *view);
static const art_view_t *art_format_origin(const art_view_t *view);
static void art_print_metadata(art_json_put_t *put, const art_view_t *view);
static void art_print_types(art_json_put_t *put, const art_view_t *view);
static void art_print_notes(art_json_put_t *put, const art_view_t *view);
static void art_print_object(art_json_put_t *put, const art_view_t *view);
static void art_print_nullable(art_json_put_t *put, art_str_t s);
static art_str_t art_print_type(const art_view_t *view);
static void art_print_string(art_json_put_t *put, const char *key,
    art_str_t value);
static void art_filename_plain(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view);
static int art_filename_plain_char(uint8_t c);
static art_str_t art_filename_cut(art_str_t name, size_t max);
static const char *art_filename_extension(const art_view_t *view);
static int art_filename_has(const char *list, art_str_t word);


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

        if (view->decision.by_url) {
            return ART_FORM_URL;
        }

        return format->parts[view->kind].template != NULL
               ? ART_FORM_BASE64 : ART_FORM_DESCRIBED;

    default:
        return json && format->json != NULL ? ART_FORM_JSON : ART_FORM_TEXT;
    }
}


static const char *
art_format_template(const art_format_t *format, art_form_t form,
    const art_view_t *view)
{
    switch (form) {

    case ART_FORM_BASE64:
        return format->parts[view->kind].template;

    case ART_FORM_URL:
        return format->urls[view->kind].template;

    case ART_FORM_JSON:
        return format->json;

    case ART_FORM_DESCRIBED:
        return art_format_described(format, view);

    default:  /* ART_FORM_TEXT */
        return format->text;
    }
}


/* Content that cannot be read gets no link, nor does a text without any. */

static const char *
art_format_described(const art_format_t *format, const art_view_t *view)
{
    if (format->described == NULL
        || ((format->flags & ART_FORMAT_LINK)
            && (!art_url_given(view->url)
                || view->decision.reason == ART_REASON_NONE
                || view->decision.reason == ART_REASON_READ)))
    {
        return format->text;
    }

    return format->described;
}


unsigned
art_format_print(art_out_t *out, const art_format_t *format, art_form_t form,
    const art_view_t *view, unsigned tail)
{
    size_t       n;
    unsigned     depth, level, writing;
    const char  *p, *next;

    depth = 0;                   /* of JSON strings around the position */
    level = 0;
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
        case 'E':
            level = p[1] == 'E' || p[2] == '"' ? depth + 1 : 0;

            if (!tail) {

                if (form == ART_FORM_TEXT && view->origin != NULL) {
                    art_describe_converted(out, view, level);
                }

                return level;
            }

            writing = 1;
            break;

        default:
            if (writing) {
                art_format_field(out, format, p[1], view, depth);
            }
        }
    }

    return level;
}


static void
art_format_field(art_out_t *out, const art_format_t *format, int field,
    const art_view_t *view, unsigned depth)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, field == 'd' ? depth : 0);

    switch (field) {

    case 'l':
        art_describe_lead(out, view, depth + 1);
        break;

    case 'n':
        art_filename_print(out, &format->name_rule, view, depth + 1);
        break;

    case 'a':
        art_url_print(out, view->url, view->id, depth + 1);
        break;

    case 's':
        put.more = 1;

        if (view->size_known) {
            art_json_put_number(&put, "size", view->size);
        }

        break;

    case 'd':
        art_print_metadata(&put, view);
        break;

    case 'p':
        put.more = 1;
        art_print_types(&put, view);
        break;

    case 'o':
        art_print_object(&put, view);
        break;

    case 'r':
        art_print_nullable(&put, view->meta->created.data != NULL
                                 ? view->meta->created : view->meta->updated);
        break;

    case 'g':
        art_print_nullable(&put, view->meta->message_id);
        break;

    case 'b':
        art_out_cstr(out, view->kind != ART_KIND_TEXT ? "true" : "false");
        break;

    case 'z':
        put.more = 1;
        art_print_notes(&put, view);
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
        return art_print_type(art_format_origin(view));
    }
}


/* The view of what is stored. */

static const art_view_t *
art_format_origin(const art_view_t *view)
{
    return view->origin != NULL ? view->origin : view;
}


/*
 * The metadata object of a routed answer, keys in the contract's order
 * (docs/formats.md), absent ones omitted.
 */

static void
art_print_metadata(art_json_put_t *put, const art_view_t *view)
{
    const art_view_t  *stored;

    stored = art_format_origin(view);

    art_json_put_object(put, NULL);
    art_print_string(put, "id", view->id);
    art_print_string(put, "type", art_print_type(stored));
    art_print_string(put, "filename", stored->name);
    art_print_types(put, view);

    if (stored->size_known) {
        art_json_put_number(put, "size", stored->size);
    }

    art_print_string(put, "createdAt", view->meta->created);
    art_print_string(put, "updatedAt", view->meta->updated);
    art_print_string(put, "messageId", view->meta->message_id);
    art_print_string(put, "workspaceId", view->workspace);
    art_print_string(put, "relativePath", view->path);

    if (stored->kind != ART_KIND_TEXT) {
        art_print_string(put, "binaryType",
                         art_cstr(art_kind_name(stored->kind)));
    }

    art_print_notes(put, view);

    if (view->decision.reason != ART_REASON_NONE) {

        if (view->decision.requires != NULL) {
            art_print_string(put, "requires",
                             art_cstr(view->decision.requires));
        }

        if (view->nsuggestions > 0) {
            art_json_put_strings(put, "suggestedServices", view->suggestions,
                                 view->nsuggestions);
        }
    }

    art_json_put_end(put);
}


/* Members: the media type of what is stored, and of what was made of it. */

static void
art_print_types(art_json_put_t *put, const art_view_t *view)
{
    art_print_string(put, "mimeType", art_format_origin(view)->mime);

    if (view->origin != NULL) {
        art_print_string(put, "derivedType", view->mime);
    }
}


/* Members: whether the content was cut, and why it is not sent as is. */

static void
art_print_notes(art_json_put_t *put, const art_view_t *view)
{
    if (view->truncated) {
        art_json_put_bool(put, "truncated", 1);
    }

    if (view->decision.reason != ART_REASON_NONE) {
        art_print_string(put, "reason",
                         art_cstr(art_reason_name(view->decision.reason)));
    }
}


/* The store's "meta" value: an object, or null. */

static void
art_print_object(art_json_put_t *put, const art_view_t *view)
{
    art_str_t  name;

    name = art_format_origin(view)->name;

    if (view->workspace.len == 0) {
        art_json_put_raw(put, NULL, view->meta->object.data != NULL
                                    ? view->meta->object : art_cstr("null"));
        return;
    }

    art_json_put_object(put, NULL);
    art_print_string(put, "name", name);
    art_print_string(put, "filename", name);
    art_print_string(put, "workspaceId", view->workspace);
    art_print_string(put, "relativePath", view->path);
    art_json_put_end(put);
}


/* A JSON string, or null for an absent one. */

static void
art_print_nullable(art_json_put_t *put, art_str_t s)
{
    if (s.data == NULL) {
        art_json_put_raw(put, NULL, art_cstr("null"));
        return;
    }

    art_json_put_string(put, NULL, s);
}


/* The declared type if there is one, else the media type in effect. */

static art_str_t
art_print_type(const art_view_t *view)
{
    return view->meta->type.len > 0 ? view->meta->type : view->mime;
}


static void
art_print_string(art_json_put_t *put, const char *key, art_str_t value)
{
    if (value.len > 0) {
        art_json_put_string(put, key, value);
    }
}


void
art_filename_print(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view, unsigned level)
{
    const char  *extension;

    if (rule->flags & ART_FILENAME_PLAIN) {
        art_filename_plain(out, rule, view);
        return;
    }

    art_json_string(out, art_filename_cut(view->name, rule->max), level);

    if (!(rule->flags & ART_FILENAME_EXTENSION)) {
        return;
    }

    extension = art_filename_extension(view);

    if (extension != NULL) {
        art_out_char(out, '.');
        art_out_mem(out, extension, strcspn(extension, " "));
    }
}


/* Nothing written here needs escaping in JSON. */

static void
art_filename_plain(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view)
{
    int       gap;
    char      buf[ART_FILENAME_TAG_LEN + 1];
    size_t    i, n;
    uint8_t   c;
    uint64_t  hash;

    n = 0;
    gap = 0;

    for (i = 0; i < view->name.len; i++) {
        c = view->name.data[i];

        if (!art_filename_plain_char(c)) {

            if (c != ' ' || gap == 0) {
                gap = c == ' ' ? ' ' : '-';
            }

            continue;
        }

        /* both ends are letters, digits or brackets */

        if (n + 2 + ART_FILENAME_TAG_LEN > rule->max) {
            break;
        }

        if (gap != 0 && n > 0) {
            art_out_char(out, gap);
            n++;
        }

        art_out_char(out, c);
        n++;
        gap = 0;
    }

    if (n == 0) {
        art_out_cstr(out, "document");
    }

    hash = art_hash(ART_HASH_INIT, view->id.data, view->id.len);

    (void) snprintf(buf, sizeof(buf), " [%08x]",
                    (unsigned) ((hash ^ hash >> 32) & 0xffffffff));
    art_out_cstr(out, buf);
}


static int
art_filename_plain_char(uint8_t c)
{
    return art_char_alnum(c) || c == '(' || c == ')' || c == '[' || c == ']';
}


/* At most "max" characters, 0: all; an ill-formed sequence counts as one. */

static art_str_t
art_filename_cut(art_str_t name, size_t max)
{
    int     n;
    size_t  i, count;

    if (max == 0) {
        return name;
    }

    count = 0;

    for (i = 0; i < name.len && count < max; i += (size_t) n) {
        n = art_utf8_char(name.data + i, name.len - i);

        if (n < 0) {
            n = -1 - n;

        } else if (n == 0) {
            n = (int) (name.len - i);
        }

        count++;
    }

    return art_str(name.data, i);
}


/* The extensions of the media type; NULL if the name has one of them. */

static const char *
art_filename_extension(const art_view_t *view)
{
    uint8_t             buf[ART_MEDIA_EXT_MAX];
    const art_media_t  *media;

    media = art_media_find(view->mime);

    if (media == NULL || *media->extensions == '\0'
        || art_filename_has(media->extensions,
                        art_media_extension(view->name, buf)))
    {
        return NULL;
    }

    return media->extensions;
}


static int
art_filename_has(const char *list, art_str_t word)
{
    size_t       n;
    const char  *p;

    for (p = list; *p != '\0'; p += n + strspn(p + n, " ")) {
        n = strcspn(p, " ");

        if (art_str_eq(art_str(p, n), word)) {
            return 1;
        }
    }

    return 0;
}
