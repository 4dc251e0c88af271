
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: the properties of the capability design for random maps,
 * compared with a plain list.
 */


#include <jansson.h>

#include "core/capability/art_capmap.h"
#include "tap.h"


#define CASES   300
#define IDS     40
#define MODELS  10


/* What the map should know of a service. */

typedef struct {
    unsigned   id;
    unsigned   model;            /* MODELS: none */
    unsigned   layer;
    unsigned   serial;
    json_t    *input;
    json_t    *output;
} expected_t;


static expected_t  expected[IDS];
static unsigned    nexpected;
static unsigned    expected_warnings;
static unsigned    nwarnings;


static void
warn(void *data, int line, const char *text)
{
    (void) data;
    (void) line;
    (void) text;

    nwarnings++;
}


static json_t *
random_names(int *sound)
{
    size_t                    n;
    json_t                   *names;
    static const char *const  all[] = { "text", "vision", "audio", "video",
                                        "file", "pdf", "tool_calling",
                                        "structured_output", "\xe5\x97\x85" };

    if (tap_below(12) == 0) {
        *sound = 0;
        return tap_below(2) ? json_null() : json_string("vision");
    }

    names = json_array();

    for (n = tap_below(5); n > 0; n--) {
        json_array_append_new(names, json_string(all[tap_below(9)]));
    }

    if (tap_below(12) == 0) {
        *sound = 0;
        json_array_append_new(names, tap_below(2) ? json_string("")
                                                  : json_integer(7));
    }

    return names;
}


/* NULL: the service has none; valid or not. */

static json_t *
random_caps(int *sound)
{
    json_t  *caps;

    *sound = 1;

    if (tap_below(4) == 0) {
        return NULL;
    }

    if (tap_below(12) == 0) {
        *sound = 0;
        return json_array();
    }

    caps = json_object();

    if (tap_below(6)) {
        json_object_set_new(caps, "input", random_names(sound));
    }

    if (tap_below(6)) {
        json_object_set_new(caps, "output", random_names(sound));
    }

    *sound &= json_object_size(caps) > 0;

    return caps;
}


static json_t *
direction(json_t *caps, int sound, const char *name)
{
    json_t  *names;

    names = sound ? json_object_get(caps, name) : NULL;

    return names ? json_incref(names) : json_pack("[s]", "text");
}


/* Makes a service for a document and notes the expected result. */

static json_t *
random_service(unsigned layer, unsigned serial)
{
    int          sound;
    char         id[32], model[32];
    json_t      *service, *caps;
    unsigned     i;
    expected_t   e;

    e.id = (unsigned) tap_below(IDS);
    e.model = (unsigned) tap_below(MODELS + 3);
    e.layer = layer;
    e.serial = serial;

    snprintf(id, sizeof(id), "service-%u", e.id);
    service = json_pack("{s:s,s:s,s:s}", "id", id, "apiKey", "sk-1234567890",
                        "baseURL", "https://host/");

    if (e.model < MODELS) {
        snprintf(model, sizeof(model), "model-%u", e.model);
        json_object_set_new(service, "model", json_string(model));

    } else {
        e.model = MODELS;
    }

    caps = random_caps(&sound);

    if (caps != NULL) {
        json_object_set_new(service, "capabilities", caps);
    }

    expected_warnings += !sound;

    e.input = direction(caps, sound, "input");
    e.output = direction(caps, sound, "output");

    for (i = 0; i < nexpected && expected[i].id != e.id; i++) {
        /* void */
    }

    if (i == nexpected) {
        nexpected++;

    } else {
        expected_warnings += expected[i].layer == layer;
        json_decref(expected[i].input);
        json_decref(expected[i].output);
    }

    expected[i] = e;

    return service;
}


static char *
random_document(unsigned layer)
{
    char      *text;
    size_t     n;
    json_t    *services;
    unsigned   i;

    services = json_array();
    n = tap_below(30);

    for (i = 0; i < n; i++) {
        json_array_append_new(services,
                              random_service(layer, layer * 100 + i));
    }

    services = json_pack("{s:o}", "services", services);
    text = json_dumps(services, 0);
    json_decref(services);

    return text;
}


/* The names of the document in order, each once, and their bits. */

static int
same_caps(const art_caps_t *caps, const json_t *names)
{
    size_t       i;
    json_t      *value;
    unsigned     j, n, bits;
    art_str_t    name;

    n = 0;
    bits = 0;

    json_array_foreach(names, i, value) {
        name = art_cstr(json_string_value(value));
        bits |= art_capability_bit(name);

        for (j = 0; j < n && !art_str_eq(caps->names[j], name); j++) {
            /* void */
        }

        if (j < n) {
            continue;
        }

        if (n == caps->nnames || !art_str_eq(caps->names[n], name)) {
            return 0;
        }

        n++;
    }

    return n == caps->nnames && bits == caps->bits;
}


static int
same_service(const art_service_t *s, const expected_t *e)
{
    char  id[32], model[32];

    snprintf(id, sizeof(id), "service-%u", e->id);
    snprintf(model, sizeof(model), "model-%u", e->model);

    return s != NULL
           && art_str_eq(s->id, art_cstr(id))
           && (e->model == MODELS ? s->model.data == NULL
                                  : art_str_eq(s->model, art_cstr(model)));
}


static int
same_models(const art_capmap_t *map)
{
    char                  key[32];
    unsigned              i, model;
    const expected_t     *last;
    const art_service_t  *s;

    for (model = 0; model < MODELS; model++) {
        last = NULL;

        for (i = 0; i < nexpected; i++) {
            if (expected[i].model == model
                && (last == NULL || expected[i].serial > last->serial))
            {
                last = &expected[i];
            }
        }

        snprintf(key, sizeof(key), "model-%u", model);
        s = art_capmap_find(map, art_cstr(key));

        if (last == NULL ? s != NULL : !same_service(s, last)) {
            return 0;
        }
    }

    return 1;
}


static int
same_suggestions(const art_capmap_t *map, unsigned needs, unsigned except)
{
    unsigned              i, n;
    art_suggestions_t     got;
    const art_service_t  *s;

    art_capmap_suggest(map, needs, art_capmap_get(map, except), &got);
    n = 0;

    for (i = 0; i < art_capmap_count(map); i++) {
        s = art_capmap_get(map, i);

        if ((s->input.bits & needs) == 0
            || i == except
            || n == ART_CAPMAP_SERVICES_MAX)
        {
            continue;
        }

        if (n == got.nservices || !art_str_eq(got.services[n], s->id)) {
            return 0;
        }

        n++;
    }

    return n == got.nservices && got.nagents == 0;
}


static void
check_random(void)
{
    int                   added, warned, found, caps, models, suggested;
    char                 *text;
    size_t                i;
    unsigned              layer, k;
    art_capmap_t         *map;
    const art_service_t  *s;
    art_capmap_error_t    err;

    added = warned = found = caps = models = suggested = 1;

    for (i = 0; i < CASES; i++) {
        map = art_capmap_create();
        nexpected = 0;

        for (layer = 0; layer < 1 + i % 3; layer++) {
            text = random_document(layer);
            added &= art_capmap_add(map, art_cstr(text), warn, NULL, &err)
                     == ART_OK;
            warned &= nwarnings == expected_warnings;
            free(text);
        }

        added &= art_capmap_finish(map) == ART_OK
                 && art_capmap_count(map) == nexpected;

        for (k = 0; k < nexpected; k++) {
            s = art_capmap_get(map, k);

            found &= same_service(s, &expected[k])
                     && art_capmap_find(map, s->id) == s;
            caps &= same_caps(&s->input, expected[k].input)
                    && same_caps(&s->output, expected[k].output);

            json_decref(expected[k].input);
            json_decref(expected[k].output);
        }

        models &= same_models(map);

        for (k = 0; k < 64 * 10; k++) {
            suggested &= same_suggestions(map, k % 64, k / 64);
        }

        art_capmap_destroy(map);
    }

    ok(added, "random maps are taken");
    ok(warned, "property 1: a warning for each fault, none without");
    ok(found, "each id is found, in the order of first appearance");
    ok(caps, "properties 6 and 7: exactly the capabilities of the document");
    ok(models, "a model name finds the service added last");
    ok(suggested, "suggestions are the first services that can");
}


int
main(void)
{
    check_random();

    return done();
}
