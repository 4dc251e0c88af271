
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What looks like a mistake in the platform's own map though it breaks no rule.
 */


#include <stdio.h>

#include "core/text/art_utf8.h"
#include "core/capability/art_near.h"
#include "core/capability/art_capmap_int.h"


/* Warnings about the members of one object: each one reads its text. */

#define ART_CAPMAP_UNKNOWN  8


static const art_str_t  art_capmap_document[] = {
    art_string("services"), art_string("agents")
};

static const art_str_t  art_capmap_service[] = {
    art_string("id"), art_string("name"), art_string("model"),
    art_string("description"), art_string("capabilities"),
    art_string("capabilityTags"), art_string("format"),
    art_string("accepts"), art_string("maxBytes"),
    art_string("maxSide"), art_string("maxMedia"),
    art_string("toolMedia")
};

static const art_str_t  art_capmap_directions[] = {
    art_string("input"), art_string("output")
};


static void art_capmap_check_misplaced(art_capmap_reader_t *reader,
    const json_t *service, const art_capmap_draft_t *draft);
static void art_capmap_check_members(art_capmap_reader_t *reader,
    const json_t *object, const art_str_t *known, size_t n,
    const art_capmap_draft_t *draft, int caps);
static void art_capmap_check_names(art_capmap_reader_t *reader,
    const art_capmap_names_t *names, art_str_t direction,
    const art_capmap_draft_t *draft);
static void art_capmap_unknown(art_capmap_reader_t *reader, const char *what,
    art_str_t name, art_str_t meant, const art_capmap_draft_t *draft);
static art_str_t art_capmap_text(art_capmap_reader_t *reader, int caps);
static const uint8_t *art_capmap_key_place(art_str_t object, art_str_t key);
static const uint8_t *art_capmap_name_place(art_str_t array, art_str_t name);


void
art_capmap_check_document(art_capmap_reader_t *reader, const json_t *root)
{
    art_capmap_check_members(reader, root, art_capmap_document,
                             art_nitems(art_capmap_document), NULL, 0);
}


void
art_capmap_check_service(art_capmap_reader_t *reader, const json_t *service,
    const art_capmap_draft_t *draft)
{
    const json_t  *caps;

    caps = json_object_get(service, "capabilities");

    art_capmap_check_members(reader, service, art_capmap_service,
                             art_nitems(art_capmap_service), draft, 0);

    if (caps == NULL) {
        art_capmap_check_misplaced(reader, service, draft);
    }

    /* a fault has a warning already */

    if (!json_is_object(caps) || draft->fault[0] != '\0') {
        return;
    }

    art_capmap_check_members(reader, caps, art_capmap_directions,
                             art_nitems(art_capmap_directions), draft, 1);

    art_capmap_check_names(reader, &draft->input, art_capmap_directions[0],
                           draft);
    art_capmap_check_names(reader, &draft->output, art_capmap_directions[1],
                           draft);
}


/* "input" and "output" beside "id", not within "capabilities". */

static void
art_capmap_check_misplaced(art_capmap_reader_t *reader, const json_t *service,
    const art_capmap_draft_t *draft)
{
    size_t     i;
    art_str_t  name;

    for (i = 0; i < art_nitems(art_capmap_directions); i++) {
        name = art_capmap_directions[i];

        if (json_object_get(service, (const char *) name.data) == NULL) {
            continue;
        }

        reader->at = art_capmap_key_place(art_capmap_text(reader, 0), name);
        art_capmap_unknown(reader, "member", name,
                           art_cstr("capabilities"), draft);
    }
}


/* A member may have any name if the one that it is like is there as well. */

static void
art_capmap_check_members(art_capmap_reader_t *reader, const json_t *object,
    const art_str_t *known, size_t n, const art_capmap_draft_t *draft,
    int caps)
{
    void       *iter;
    json_t     *members;
    unsigned    found;
    art_str_t   name, meant;

    /* jansson's iterators change nothing, but are not for constants */

    members = (json_t *) (uintptr_t) object;
    found = 0;

    for (iter = json_object_iter(members);
         iter != NULL && found < ART_CAPMAP_UNKNOWN;
         iter = json_object_iter_next(members, iter))
    {
        name = art_cstr(json_object_iter_key(iter));
        meant = art_near_member(name, known, n);

        if (meant.data == NULL
            || json_object_get(object, (const char *) meant.data) != NULL)
        {
            continue;
        }

        reader->at = art_capmap_key_place(art_capmap_text(reader, caps),
                                          name);
        art_capmap_unknown(reader, "member", name, meant, draft);
        found++;
    }
}


static void
art_capmap_check_names(art_capmap_reader_t *reader,
    const art_capmap_names_t *names, art_str_t direction,
    const art_capmap_draft_t *draft)
{
    char       what[32];
    unsigned   i;
    art_str_t  meant, array;

    for (i = 0; i < names->n; i++) {
        meant = art_near_capability(names->items[i]);

        if (meant.data == NULL) {
            continue;
        }

        snprintf(what, sizeof(what), "%s capability",
                 (const char *) direction.data);

        array = art_capmap_member_text(art_capmap_text(reader, 1), direction);
        reader->at = art_capmap_name_place(array, names->items[i]);

        art_capmap_unknown(reader, what, names->items[i], meant, draft);
    }
}


/* Names that are like known ones may still have control characters. */

static void
art_capmap_unknown(art_capmap_reader_t *reader, const char *what,
    art_str_t name, art_str_t meant, const art_capmap_draft_t *draft)
{
    char       line[ART_CAPMAP_FAULT];
    art_out_t  out;

    out = art_out(line, sizeof(line) - 1);

    art_out_cstr(&out, draft != NULL ? ": unknown " : "unknown ");
    art_out_cstr(&out, what);
    art_out_cstr(&out, " \"");
    art_utf8_name(&out, art_str(name.data,
                                art_utf8_cut(name.data, name.len, 40)));
    art_out_cstr(&out, "\" (did you mean \"");
    art_out_str(&out, meant);
    art_out_cstr(&out, "\"?)");

    line[out.len < out.room ? out.len : out.room] = '\0';

    if (draft != NULL) {
        art_capmap_warn(reader, "service", draft->id, line);

    } else if (reader->warn != NULL) {
        reader->warn(reader->data, art_capmap_line(reader), line);
    }

    reader->at = NULL;
}


/* The text of the object: the document, an entry, or its capabilities. */

static art_str_t
art_capmap_text(art_capmap_reader_t *reader, int caps)
{
    art_str_t  text;

    text = reader->array.len > 0 ? art_capmap_entry_text(reader)
                                 : reader->json;

    return caps ? art_capmap_member_text(text, art_cstr("capabilities"))
                : text;
}


static const uint8_t *
art_capmap_key_place(art_str_t object, art_str_t key)
{
    uint8_t             buf[64];
    art_str_t           name, text, value;
    art_json_members_t  members;

    if (art_json_members(&members, object) != ART_OK) {
        return NULL;
    }

    while (art_json_next(&members, &text, &value) == 1) {
        if (art_json_key(text, buf, sizeof(buf), &name) == ART_OK
            && art_str_eq(name, key))
        {
            return text.data;
        }
    }

    return NULL;
}


static const uint8_t *
art_capmap_name_place(art_str_t array, art_str_t name)
{
    uint8_t             buf[64];
    art_str_t           text, value;
    art_json_members_t  elements;

    if (art_json_elements(&elements, array) != ART_OK) {
        return NULL;
    }

    while (art_json_element(&elements, &text) == 1) {
        if (text.len > 2
            && art_json_key(art_str(text.data + 1, text.len - 2), buf,
                            sizeof(buf), &value)
               == ART_OK
            && art_str_eq(value, name))
        {
            return text.data;
        }
    }

    return NULL;
}
