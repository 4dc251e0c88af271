
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Entries, what is said of them, and in which line of the document they are:
 * the functions that the readers of all sources share.
 */


#include <stdio.h>

#include "core/base/art_array.h"
#include "core/text/art_utf8.h"
#include "core/capability/art_capmap_int.h"


/* Other sources' names of kinds of content, and the platform's. */

static const struct {
    art_str_t  modality;
    art_str_t  name;
} art_capmap_modalities[] = {
    { art_string("image"), art_string("vision") }
};


static const art_str_t  art_capmap_text = art_string("text");


static size_t art_capmap_draft_size(const art_capmap_draft_t *draft);
static int art_capmap_intern(art_intern_t *strings, art_str_t *s,
    art_str_t text);
static int art_capmap_intern_names(art_intern_t *strings, art_str_t **kept,
    unsigned *n, const art_capmap_names_t *names);
static void *art_capmap_push(void **items, unsigned *n, size_t *room,
    size_t size);


void
art_capmap_draft(art_capmap_draft_t *draft, art_str_t id)
{
    memset(draft, 0, offsetof(art_capmap_draft_t, input));

    draft->id = id;
    draft->tags.n = 0;
    draft->accepts.n = 0;
    draft->max_bytes = 0;
    draft->max_side = 0;
    draft->max_media = 0;
    draft->tool_media = 0;
    draft->blank = 1;
    draft->fault[0] = '\0';

    draft->input.items[0] = art_capmap_text;
    draft->input.n = 1;
    draft->output.items[0] = art_capmap_text;
    draft->output.n = 1;
}


int
art_capmap_each(art_capmap_reader_t *reader, const json_t *array,
    int (*read)(art_capmap_reader_t *reader, const json_t *element, size_t i))
{
    int     rc;
    size_t  i;

    rc = ART_OK;

    for (i = 0; i < json_array_size(array) && rc == ART_OK; i++) {
        reader->index = i;
        rc = read(reader, json_array_get(array, i), i);
    }

    return rc;
}


/* Why there can be no entry; NULL if there can. */

static const char *
art_capmap_unfit(const art_capmap_draft_t *draft)
{
    if (draft->id.len == 0) {
        return " has no name, skipped";
    }

    if (draft->id.len > ART_CAPMAP_ID_MAX) {
        return " has an id of more than 1024 bytes, skipped";
    }

    if (art_capmap_draft_size(draft) > ART_CAPMAP_ENTRY_MAX) {
        return " has more than 64 KB of text to keep, skipped";
    }

    return NULL;
}


int
art_capmap_push_entry(art_capmap_reader_t *reader, art_capmap_draft_t *draft)
{
    void                *items;
    const char          *fault;
    art_intern_t        *strings;
    art_service_t       *s;
    art_capmap_entry_t  *entry;

    fault = art_capmap_unfit(draft);

    if (fault != NULL) {
        art_capmap_warn(reader, "service", draft->id, fault);
        return ART_OK;
    }

    if (draft->fault[0] != '\0') {
        snprintf(draft->fault + strlen(draft->fault),
                 ART_CAPMAP_FAULT - strlen(draft->fault),
                 ", text only assumed");
        art_capmap_warn(reader, "service", draft->id, draft->fault);

        draft->input.items[0] = art_capmap_text;
        draft->input.n = 1;
        draft->output = draft->input;
    }

    items = reader->list.entries;
    entry = art_capmap_push(&items, &reader->list.n, &reader->list.room,
                            sizeof(art_capmap_entry_t));
    reader->list.entries = items;

    if (entry == NULL) {
        return ART_ERROR;
    }

    entry->own = reader->own & 1;
    entry->blank = draft->blank && !reader->own;

    s = &entry->service;
    s->max_bytes = draft->max_bytes;
    s->max_side = draft->max_side;
    s->max_media = draft->max_media;
    s->tool_media = draft->tool_media;

    strings = reader->strings;

    return art_capmap_intern(strings, &s->id, draft->id)
           || art_capmap_intern(strings, &s->name, draft->name)
           || art_capmap_intern(strings, &s->model, draft->model)
           || art_capmap_intern(strings, &s->description, draft->description)
           || art_capmap_intern(strings, &s->format, draft->format)
           || art_capmap_intern(strings, &entry->provider, draft->provider)
           || art_capmap_intern_names(strings, &s->tags, &s->ntags,
                                      &draft->tags)
           || art_capmap_intern_names(strings, &s->accepts, &s->naccepts,
                                      &draft->accepts)
           || art_capmap_intern_caps(strings, &s->input, &draft->input)
           || art_capmap_intern_caps(strings, &s->output, &draft->output)
           ? ART_ERROR : ART_OK;
}


int
art_capmap_push_agent(art_capmap_reader_t *reader, art_str_t id,
    art_str_t service)
{
    void                *items;
    art_capmap_agent_t  *agent;

    items = reader->agents.agents;
    agent = art_capmap_push(&items, &reader->agents.n, &reader->agents.room,
                            sizeof(art_capmap_agent_t));
    reader->agents.agents = items;

    if (agent == NULL) {
        return ART_ERROR;
    }

    memset(agent, 0, sizeof(art_capmap_agent_t));

    agent->line = art_capmap_line(reader);

    return art_capmap_intern(reader->strings, &agent->id, id)
           || art_capmap_intern(reader->strings, &agent->service, service)
           ? ART_ERROR : ART_OK;
}


int
art_capmap_add_name(art_capmap_names_t *names, art_str_t name)
{
    unsigned  i;

    for (i = 0; i < names->n; i++) {
        if (art_str_eq(names->items[i], name)) {
            return 1;
        }
    }

    if (names->n == ART_CAPMAP_NAMES) {
        return 0;
    }

    names->items[names->n++] = name;

    return 1;
}


int
art_capmap_read_names(const json_t *array, const char *path, int modality,
    art_capmap_names_t *names, char *fault)
{
    size_t         i, j;
    art_str_t      name;
    const json_t  *value;

    if (!json_is_array(array)) {
        snprintf(fault, ART_CAPMAP_FAULT, ": \"%s\" is not an array", path);
        return 0;
    }

    for (i = 0; i < json_array_size(array); i++) {
        value = json_array_get(array, i);
        name = art_str(json_string_value(value), json_string_length(value));

        if (name.len == 0) {
            snprintf(fault, ART_CAPMAP_FAULT,
                     ": \"%s[%zu]\" is not a non-empty string", path, i);
            return 0;
        }

        for (j = 0; modality && j < art_nitems(art_capmap_modalities); j++) {
            if (art_str_eq(art_capmap_modalities[j].modality, name)) {
                name = art_capmap_modalities[j].name;
            }
        }

        if (!art_capmap_add_name(names, name)) {
            snprintf(fault, ART_CAPMAP_FAULT,
                     ": \"%s\" has more than %d names", path,
                     ART_CAPMAP_NAMES);
            return 0;
        }
    }

    return 1;
}


void
art_capmap_read_caps(const json_t *caps, const char *path,
    const char *const keys[2], int modality, art_capmap_draft_t *draft)
{
    char                 name[64];
    size_t               i;
    json_t              *array;
    art_capmap_names_t  *lists[2] = { &draft->input, &draft->output };

    if (caps == NULL || draft->fault[0] != '\0') {
        return;
    }

    if (!json_is_object(caps)) {
        snprintf(draft->fault, ART_CAPMAP_FAULT, ": \"%s\" is not an object",
                 path);
        return;
    }

    if (json_object_get(caps, keys[0]) == NULL
        && json_object_get(caps, keys[1]) == NULL)
    {
        snprintf(draft->fault, ART_CAPMAP_FAULT,
                 ": \"%s\" has neither \"%s\" nor \"%s\"", path, keys[0],
                 keys[1]);
        return;
    }

    for (i = 0; i < 2; i++) {
        array = json_object_get(caps, keys[i]);

        if (array == NULL) {
            continue;
        }

        lists[i]->n = 0;
        draft->blank &= i > 0;
        snprintf(name, sizeof(name), "%s.%s", path, keys[i]);

        if (!art_capmap_read_names(array, name, modality, lists[i],
                                   draft->fault))
        {
            return;
        }
    }
}


art_str_t
art_capmap_string(const json_t *object, const char *key)
{
    const json_t  *value;

    value = json_object_get(object, key);

    return art_str(json_string_value(value), json_string_length(value));
}


art_str_t
art_capmap_read_string(art_capmap_reader_t *reader, const json_t *entry,
    const char *key, const art_capmap_draft_t *draft)
{
    char           fault[ART_CAPMAP_FAULT];
    const json_t  *value;

    value = json_object_get(entry, key);

    if (value != NULL && !json_is_string(value) && !json_is_null(value)) {
        snprintf(fault, sizeof(fault), ": \"%s\" is not a string, ignored",
                 key);
        art_capmap_warn(reader, "service", draft->id, fault);
    }

    return art_capmap_string(entry, key);
}


static size_t
art_capmap_draft_size(const art_capmap_draft_t *draft)
{
    size_t                     i, j, size;
    const art_capmap_names_t  *lists[] = { &draft->input, &draft->output,
                                           &draft->tags, &draft->accepts };

    size = draft->id.len + draft->name.len + draft->model.len
           + draft->description.len + draft->format.len
           + draft->provider.len;

    for (i = 0; i < art_nitems(lists); i++) {
        for (j = 0; j < lists[i]->n; j++) {
            size += lists[i]->items[j].len;
        }
    }

    return size;
}


static int
art_capmap_intern(art_intern_t *strings, art_str_t *s, art_str_t text)
{
    *s = text;

    if (text.data != NULL) {
        s->data = art_intern(strings, text.data, text.len, 1);
    }

    return text.data != NULL && s->data == NULL ? ART_ERROR : ART_OK;
}


/* Names are interned first: equal lists of names are then the same bytes. */

static int
art_capmap_intern_names(art_intern_t *strings, art_str_t **kept, unsigned *n,
    const art_capmap_names_t *names)
{
    unsigned            i;
    const void         *list;
    art_capmap_names_t  copy;

    *kept = NULL;
    *n = names->n;

    if (names->n == 0) {
        return ART_OK;
    }

    for (i = 0; i < names->n; i++) {
        if (art_capmap_intern(strings, &copy.items[i], names->items[i])
            != ART_OK)
        {
            return ART_ERROR;
        }
    }

    list = art_intern(strings, copy.items, names->n * sizeof(art_str_t),
                      sizeof(void *));
    *kept = (art_str_t *) (uintptr_t) list;

    return list ? ART_OK : ART_ERROR;
}


int
art_capmap_intern_caps(art_intern_t *strings, art_caps_t *caps,
    const art_capmap_names_t *names)
{
    unsigned  i;

    caps->bits = 0;

    for (i = 0; i < names->n; i++) {
        caps->bits |= art_capability_bit(names->items[i]);
    }

    return art_capmap_intern_names(strings, &caps->names, &caps->nnames, names);
}


/* Appends a cleared element; NULL when out of memory. */

static void *
art_capmap_push(void **items, unsigned *n, size_t *room, size_t size)
{
    void     *grown;
    uint8_t  *item;

    grown = art_array_grow(*items, *n, room, size);

    if (grown == NULL) {
        return NULL;
    }

    *items = grown;

    item = (uint8_t *) grown + (size_t) (*n)++ * size;
    memset(item, 0, size);

    return item;
}


/* How many bytes of an id a warning shows. */

#define ART_CAPMAP_SHOWN  200


void
art_capmap_warn(art_capmap_reader_t *reader, const char *what, art_str_t id,
    const char *text)
{
    char       line[ART_CAPMAP_SHOWN * 3 + ART_CAPMAP_FAULT * 2];
    art_out_t  out;

    if (reader->warn == NULL) {
        return;
    }

    out = art_out(line, sizeof(line) - 1);

    art_out_cstr(&out, what);
    art_out_cstr(&out, " \"");
    art_utf8_name(&out, art_str(id.data, art_utf8_cut(id.data, id.len,
                                                      ART_CAPMAP_SHOWN)));
    art_out_cstr(&out, id.len > ART_CAPMAP_SHOWN ? "...\"" : "\"");
    art_out_cstr(&out, text);

    line[out.len < out.room ? out.len : out.room] = '\0';

    reader->warn(reader->data, art_capmap_line(reader), line);
}


void
art_capmap_warn_at(art_capmap_reader_t *reader, const char *array, size_t i,
    const char *text)
{
    char  line[ART_CAPMAP_FAULT];

    if (reader->warn != NULL) {
        snprintf(line, sizeof(line), "%s[%zu] %s", array, i, text);
        reader->warn(reader->data, art_capmap_line(reader), line);
    }
}


/* jansson does not keep the places of values in the text. */

int
art_capmap_line(art_capmap_reader_t *reader)
{
    int                  line;
    const uint8_t       *p, *at;
    art_capmap_place_t  *place;

    place = &reader->place;
    at = reader->at;

    if (reader->array.len > 0) {
        p = art_capmap_entry_text(reader).data;

        if (p == NULL) {
            return 0;
        }

        at = at != NULL ? at : p;

        /* entries are read in order: no line is counted twice */

        while (place->counted < p) {
            place->line += *place->counted++ == '\n';
        }
    }

    if (at == NULL) {
        return 0;
    }

    line = place->line;

    for (p = place->counted; p < at; p++) {
        line += *p == '\n';
    }

    return line;
}


art_str_t
art_capmap_entry_text(art_capmap_reader_t *reader)
{
    art_str_t            array;
    art_capmap_place_t  *place;

    place = &reader->place;

    if (!art_str_eq(place->array, reader->array)) {
        place->array = reader->array;
        place->counted = reader->json.data;
        place->line = 1;
        place->next = 0;

        array = art_capmap_member_text(reader->json, reader->array);

        if (art_json_elements(&place->elements, array) != ART_OK) {
            place->next = SIZE_MAX;
        }
    }

    while (place->next <= reader->index) {

        if (art_json_element(&place->elements, &place->element) != 1) {
            place->next = SIZE_MAX;
            break;
        }

        place->next++;
    }

    return place->next == reader->index + 1 ? place->element
                                            : art_str(NULL, 0);
}


art_str_t
art_capmap_member_text(art_str_t object, art_str_t key)
{
    art_str_t  value;

    return art_json_find(object, &key, 1, &value) == ART_OK
           ? value : art_str(NULL, 0);
}


void
art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text)
{
    err->line = line > 0 ? line : 1;
    err->column = column > 0 ? column : 1;

    snprintf(err->text, sizeof(err->text), "%s", text);
}
