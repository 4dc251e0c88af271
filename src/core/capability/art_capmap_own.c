
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The platform's own map, {"services":[..],"agents":[..]}, and its secrets.
 */


#include <stdio.h>

#include "core/capability/art_capmap_int.h"
#include "core/capability/art_near.h"
#include "core/json/art_json_scan.h"
#include "core/media/art_media.h"
#include "core/text/art_utf8.h"


/* Warnings about the members of one object: each one reads its text. */

#define ART_CAPMAP_UNKNOWN  8


/* 2^53: a JSON number above it may differ from what was written. */

#define ART_CAPMAP_NUMBER_MAX  9007199254740992.0


static int art_capmap_own_service(art_capmap_reader_t *reader,
    const json_t *service, size_t i);
static void art_capmap_own_tags(art_capmap_reader_t *reader,
    const json_t *service, art_capmap_draft_t *draft);
static void art_capmap_own_ignore(art_capmap_reader_t *reader,
    const art_capmap_draft_t *draft, char *fault);
static int art_capmap_own_limits(art_capmap_reader_t *reader,
    const json_t *service, art_capmap_draft_t *draft);
static void art_capmap_own_number(art_capmap_reader_t *reader,
    const json_t *service, const char *key, uint64_t *number,
    const art_capmap_draft_t *draft);
static int art_capmap_own_accepts(art_capmap_reader_t *reader,
    const json_t *accepts, art_capmap_names_t *names, char *fault);
static int art_capmap_own_agent(art_capmap_reader_t *reader,
    const json_t *agent, size_t i);
static size_t art_capmap_string_end(const uint8_t *json, size_t len,
    size_t pos);
static int art_capmap_is_secret(art_str_t key);
static void art_capmap_check_service(art_capmap_reader_t *reader,
    const json_t *service, const art_capmap_draft_t *draft);
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


int
art_capmap_own_match(json_t *root)
{
    return json_is_array(json_object_get(root, "services"));
}


int
art_capmap_own_read(art_capmap_reader_t *reader, json_t *root)
{
    int      rc;
    json_t  *agents;

    art_capmap_check_members(reader, root, art_capmap_document,
                             art_nitems(art_capmap_document), NULL, 0);

    agents = json_object_get(root, "agents");

    if (agents != NULL && !json_is_array(agents)) {
        art_capmap_warn(reader, "key", art_cstr("agents"),
                        " is not an array, ignored");
    }

    if (json_array_size(agents) > ART_CAPMAP_AGENTS) {
        art_capmap_warn(reader, "key", art_cstr("agents"),
                        " has more than 10000 elements, ignored");
        agents = NULL;
    }

    reader->array = art_cstr("services");

    rc = art_capmap_each(reader, json_object_get(root, "services"),
                         art_capmap_own_service);

    if (rc == ART_OK) {
        reader->array = art_cstr("agents");
        rc = art_capmap_each(reader, agents, art_capmap_own_agent);
    }

    reader->array = art_str(NULL, 0);

    return rc;
}


static int
art_capmap_own_service(art_capmap_reader_t *reader, const json_t *service,
    size_t i)
{
    const char          *fault;
    const json_t        *id;
    art_capmap_draft_t   draft;

    static const char *const  keys[2] = { "input", "output" };

    id = json_object_get(service, "id");

    if (json_string_length(id) == 0) {
        fault = "has an \"id\" that is not a non-empty string, skipped";

        if (!json_is_object(service)) {
            fault = "is not an object, skipped";

        } else if (id == NULL) {
            fault = "has no \"id\", skipped";
        }

        art_capmap_warn_at(reader, "services", i, fault);
        return ART_OK;
    }

    art_capmap_draft(&draft, art_capmap_string(service, "id"));

    draft.name = art_capmap_read_string(reader, service, "name", &draft);
    draft.model = art_capmap_read_string(reader, service, "model", &draft);
    draft.description = art_capmap_read_string(reader, service, "description",
                                               &draft);
    draft.format = art_capmap_read_string(reader, service, "format", &draft);

    art_capmap_own_tags(reader, service, &draft);

    if (art_capmap_own_limits(reader, service, &draft) != ART_OK) {
        return ART_ERROR;
    }

    art_capmap_read_caps(json_object_get(service, "capabilities"),
                         "capabilities", keys, 0, &draft);

    art_capmap_check_service(reader, service, &draft);

    return art_capmap_push_entry(reader, &draft);
}


/* Tags do not affect routing: malformed ones count as absent. */

static void
art_capmap_own_tags(art_capmap_reader_t *reader, const json_t *service,
    art_capmap_draft_t *draft)
{
    char           fault[ART_CAPMAP_FAULT];
    const json_t  *tags;

    tags = json_object_get(service, "capabilityTags");

    if (tags == NULL || json_is_null(tags)) {
        return;
    }

    if (!art_capmap_read_names(tags, "capabilityTags", 0, &draft->tags,
                               fault))
    {
        draft->tags.n = 0;
        art_capmap_own_ignore(reader, draft, fault);
    }
}


/* "fault", of ART_CAPMAP_FAULT bytes, describes the fault of a key. */

static void
art_capmap_own_ignore(art_capmap_reader_t *reader,
    const art_capmap_draft_t *draft, char *fault)
{
    snprintf(fault + strlen(fault), ART_CAPMAP_FAULT - strlen(fault),
             ", ignored");
    art_capmap_warn(reader, "service", draft->id, fault);
}


/* ART_ERROR when out of memory. */

static int
art_capmap_own_limits(art_capmap_reader_t *reader, const json_t *service,
    art_capmap_draft_t *draft)
{
    char           fault[ART_CAPMAP_FAULT];
    const json_t  *value;

    fault[0] = '\0';

    value = json_object_get(service, "accepts");

    if (value != NULL
        && art_capmap_own_accepts(reader, value, &draft->accepts, fault)
           != ART_OK)
    {
        return ART_ERROR;
    }

    if (fault[0] != '\0') {
        draft->accepts.n = 0;
        art_capmap_own_ignore(reader, draft, fault);
    }

    art_capmap_own_number(reader, service, "maxBytes", &draft->max_bytes,
                          draft);
    art_capmap_own_number(reader, service, "maxSide", &draft->max_side, draft);
    art_capmap_own_number(reader, service, "maxMedia", &draft->max_media,
                          draft);

    value = json_object_get(service, "toolMedia");
    draft->tool_media = json_is_true(value);

    if (value != NULL && !json_is_boolean(value)) {
        snprintf(fault, sizeof(fault),
                 ": \"toolMedia\" is neither true nor false");
        art_capmap_own_ignore(reader, draft, fault);
    }

    return ART_OK;
}


static void
art_capmap_own_number(art_capmap_reader_t *reader, const json_t *service,
    const char *key, uint64_t *number, const art_capmap_draft_t *draft)
{
    char           fault[ART_CAPMAP_FAULT];
    double         real;
    const json_t  *value;

    value = json_object_get(service, key);

    if (value == NULL) {
        return;
    }

    real = json_number_value(value);

    if (!json_is_number(value) || real < 1.0 || real > ART_CAPMAP_NUMBER_MAX
        || (double) (uint64_t) real > real
        || (double) (uint64_t) real < real)
    {
        snprintf(fault, sizeof(fault),
                 ": \"%s\" is not a positive whole number", key);
        art_capmap_own_ignore(reader, draft, fault);
        return;
    }

    *number = (uint64_t) real;
}


/* ART_ERROR when out of memory; "fault" is set on any fault. */

static int
art_capmap_own_accepts(art_capmap_reader_t *reader, const json_t *accepts,
    art_capmap_names_t *names, char *fault)
{
    unsigned           i;
    art_media_type_t   type;

    if (!art_capmap_read_names(accepts, "accepts", 0, names, fault)) {
        return ART_OK;
    }

    if (names->n == 0) {
        snprintf(fault, ART_CAPMAP_FAULT, ": \"accepts\" is empty");
    }

    for (i = 0; i < names->n; i++) {
        art_media_range(names->items[i], &type);

        if (type.len == 0) {
            snprintf(fault, ART_CAPMAP_FAULT,
                     ": \"accepts\" holds what is not a media type");
            break;
        }

        names->items[i] = art_str(art_intern(reader->strings, type.buf,
                                             type.len, 1),
                                  type.len);

        if (names->items[i].data == NULL) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_capmap_own_agent(art_capmap_reader_t *reader, const json_t *agent,
    size_t i)
{
    art_str_t  id, service;

    id = art_capmap_string(agent, "id");
    service = art_capmap_string(agent, "serviceId");

    if (id.len == 0 || service.len == 0) {
        art_capmap_warn_at(reader, "agents", i,
                           !json_is_object(agent)
                           ? "is not an object, skipped"
                           : "lacks a non-empty string \"id\" or "
                             "\"serviceId\", skipped");
        return ART_OK;
    }

    if (id.len > ART_CAPMAP_ID_MAX || service.len > ART_CAPMAP_ID_MAX) {
        art_capmap_warn_at(reader, "agents", i,
                           "has an id of more than 1024 bytes, skipped");
        return ART_OK;
    }

    return art_capmap_push_agent(reader, id, service);
}


/* A string is a key if a colon follows.  The parser reports malformed JSON. */

void
art_capmap_redact(uint8_t *json, size_t len)
{
    size_t          pos, end;
    art_str_t       key;
    const uint8_t  *p, *last;

    last = json + len;

    for (pos = 0; /* void */ ; pos = end + 1) {

        while (pos < len && json[pos] != '"') {
            pos++;
        }

        end = art_capmap_string_end(json, len, pos);

        if (end >= len) {
            return;
        }

        key = art_str(json + pos + 1, end - pos - 1);

        if (!art_capmap_is_secret(key)) {
            continue;
        }

        p = art_json_space(json + end + 1, last);

        if (p == last || *p != ':') {
            continue;
        }

        p = art_json_space(p + 1, last);

        if (p == last || *p != '"') {
            continue;
        }

        pos = (size_t) (p - json) + 1;
        end = art_capmap_string_end(json, len, pos - 1);

        if (end >= len) {
            return;
        }

        memset(json + pos, '*', end - pos);
    }
}


/* The closing quote of the string that opens at "pos", or "len" without one. */

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


static int
art_capmap_is_secret(art_str_t key)
{
    static const art_str_t  secrets[] = {
        art_string("apiKey"), art_string("baseURL")
    };

    return art_str_eq(key, secrets[0]) || art_str_eq(key, secrets[1]);
}


/*
 * Warns about members of a service, and names of its capabilities, that are
 * unknown, but look like known ones.
 */

static void
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
