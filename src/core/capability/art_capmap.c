
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: how a document of LiteLLM, models.dev or OpenRouter is read,
 * how the map is built, and what is looked up in it.
 */


#include <limits.h>
#include <stdlib.h>
#include <stdio.h>

#include "core/capability/art_capmap_int.h"
#include "core/capability/art_model.h"


/*
 * A row for each source of maps: "match" returns whether a document is from it;
 * "read" reads one and returns ART_ERROR only when out of memory.
 */

typedef struct {
    int                 (*match)(json_t *root);
    int                 (*read)(art_capmap_reader_t *reader, json_t *root);
    unsigned              own;
} art_capmap_source_t;


/* A flag of an entry: if "key" is true, the list has "name". */

typedef struct {
    const char           *key;
    unsigned              output;      /* the list: output or input */
    art_str_t             name;
} art_capmap_flag_t;


/* With so many entries, ranks and the indexes of parts cannot overflow. */

#define ART_CAPMAP_MAX  (UINT_MAX / 4 / ART_MODEL_KEYS_MAX)


static int art_capmap_merge(art_capmap_t *map, art_capmap_reader_t *reader);
static void art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first);
static void art_capmap_put_agent(art_capmap_t *map,
    art_capmap_agent_t *agent, art_capmap_reader_t *reader);
static uint32_t *art_capmap_named(const art_capmap_t *map, unsigned model,
    art_str_t name, art_table_key_t *key);
static int art_capmap_index_models(art_capmap_t *map);
static void art_capmap_rank(art_capmap_t *map);
static void art_capmap_rank_agents(art_capmap_t *map);
static void art_capmap_rank_put(art_capmap_ranking_t *ranking, unsigned bits,
    unsigned rank);
static unsigned art_capmap_ranked(const art_capmap_ranking_t *ranking,
    unsigned needs, unsigned ranks[ART_CAPMAP_PREPARED]);
static int art_capmap_read(art_capmap_reader_t *reader, art_str_t json,
    art_capmap_error_t *err);
static json_t *art_capmap_load(art_str_t text, art_capmap_error_t *err);
static int art_capmap_litellm_match(json_t *root);
static int art_capmap_litellm_read(art_capmap_reader_t *reader, json_t *root);
static int art_capmap_litellm_model(art_capmap_reader_t *reader,
    const char *id, const json_t *model);
static void art_capmap_litellm_modalities(const json_t *model,
    art_capmap_draft_t *draft);
static int art_capmap_is_litellm(const json_t *model);
static int art_capmap_models_dev_match(json_t *root);
static int art_capmap_models_dev_read(art_capmap_reader_t *reader,
    json_t *root);
static int art_capmap_models_dev_model(art_capmap_reader_t *reader,
    const char *provider, const char *key, const json_t *model);
static int art_capmap_is_models_dev(const json_t *provider);
static int art_capmap_openrouter_match(json_t *root);
static int art_capmap_openrouter_read(art_capmap_reader_t *reader,
    json_t *root);
static int art_capmap_openrouter_model(art_capmap_reader_t *reader,
    const json_t *model, size_t i);
static void art_capmap_openrouter_output(const json_t *parameters,
    art_capmap_draft_t *draft);
static unsigned art_capmap_read_flags(const json_t *entry,
    const art_capmap_flag_t *flags, art_capmap_draft_t *draft);
static int art_capmap_has_member(json_t *root,
    int (*is)(const json_t *member));


/* The first that matches counts. */

static const art_capmap_source_t  art_capmap_sources[] = {
    { art_capmap_own_match, art_capmap_own_read, 1 },
    { art_capmap_openrouter_match, art_capmap_openrouter_read, 0 },
    { art_capmap_models_dev_match, art_capmap_models_dev_read, 0 },
    { art_capmap_litellm_match, art_capmap_litellm_read, 0 },
    { NULL, NULL, 0 }
};


art_capmap_t *
art_capmap_create(void)
{
    return calloc(1, sizeof(art_capmap_t));
}


void
art_capmap_seed(art_capmap_t *map, const uint64_t seed[2])
{
    size_t        i;
    art_table_t  *tables[] = { &map->strings.table, &map->ids, &map->models,
                               &map->callers, &map->by_part };

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        tables[i]->seed[0] = seed[0];
        tables[i]->seed[1] = seed[1];
    }
}


void
art_capmap_destroy(art_capmap_t *map)
{
    if (map == NULL) {
        return;
    }

    art_intern_destroy(&map->strings);
    free(map->list.entries);
    free(map->agents.agents);
    art_table_free(&map->ids);
    art_table_free(&map->models);
    art_table_free(&map->callers);
    art_capmap_free_parts(map);
    free(map);
}


int
art_capmap_add(art_capmap_t *map, art_str_t json, art_capmap_warn_pt warn,
    void *data, art_capmap_error_t *err)
{
    int                  rc;
    art_capmap_reader_t  reader;

    memset(&reader, 0, sizeof(art_capmap_reader_t));

    reader.strings = &map->strings;
    reader.json = json;
    reader.place.counted = json.data;
    reader.place.line = 1;
    reader.warn = warn;
    reader.data = data;

    rc = art_capmap_read(&reader, json, err);

    if (rc == ART_OK && art_capmap_merge(map, &reader) != ART_OK) {
        art_capmap_fail(err, 1, 1, "out of memory");
        rc = ART_ERROR;
    }

    free(reader.list.entries);
    free(reader.agents.agents);

    return rc;
}


int
art_capmap_finish(art_capmap_t *map)
{
    unsigned             i;
    art_capmap_agent_t  *agent;

    if (art_capmap_index_parts(map) != ART_OK
        || art_capmap_index_models(map) != ART_OK)
    {
        return ART_ERROR;
    }

    /* without their index: no agent leads to another one */

    art_table_free(&map->callers);

    for (i = 0; i < map->agents.n; i++) {
        agent = &map->agents.agents[i];
        agent->found = art_capmap_find(map, agent->service);
    }

    if (art_capmap_index_agents(map) != ART_OK) {
        return ART_ERROR;
    }

    art_capmap_rank(map);
    art_intern_seal(&map->strings);

    return ART_OK;
}


unsigned
art_capmap_count(const art_capmap_t *map)
{
    return map->list.n;
}


const art_service_t *
art_capmap_get(const art_capmap_t *map, unsigned i)
{
    return i < map->list.n ? &map->list.entries[i].service : NULL;
}


unsigned
art_capmap_own(const art_capmap_t *map, unsigned i)
{
    return map->list.entries[i].own;
}


/*
 * Moves what was read into the map.  All memory is allocated before the first
 * entry moves, so that the map changes as a whole or not at all.
 */

static int
art_capmap_merge(art_capmap_t *map, art_capmap_reader_t *reader)
{
    size_t               total, agents;
    unsigned             i, first;
    void                *memory;

    total = (size_t) map->list.n + reader->list.n;
    agents = (size_t) map->agents.n + reader->agents.n;

    if (total > ART_CAPMAP_MAX || agents > ART_CAPMAP_MAX
        || map->serial > UINT_MAX - reader->list.n)
    {
        return ART_ERROR;
    }

    memory = realloc(map->agents.agents,
                     (agents + 1) * sizeof(art_capmap_agent_t));
    if (memory == NULL) {
        return ART_ERROR;
    }

    map->agents.agents = memory;
    map->agents.room = agents + 1;

    memory = realloc(map->list.entries,
                     (total + 1) * sizeof(art_capmap_entry_t));
    if (memory == NULL) {
        return ART_ERROR;
    }

    map->list.entries = memory;
    map->list.room = total + 1;

    if (art_table_room(&map->ids, total) != ART_OK) {
        return ART_ERROR;
    }

    /* parts point to names that may be replaced now */

    art_capmap_free_parts(map);
    art_table_free(&map->models);
    art_table_free(&map->callers);

    first = map->serial;

    for (i = 0; i < reader->list.n; i++) {
        art_capmap_put(map, &reader->list.entries[i], reader, first);
    }

    for (i = 0; i < reader->agents.n; i++) {
        art_capmap_put_agent(map, &reader->agents.agents[i], reader);
    }

    map->ndocuments++;

    return ART_OK;
}


/* Entries with serials from "first" on are from the same document. */

static void
art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first)
{
    uint32_t            *item;
    art_table_key_t      key;
    art_capmap_entry_t  *old;

    entry->serial = map->serial++;

    item = art_capmap_named(map, 0, entry->service.id, &key);

    if (item == NULL) {

        /* cannot fail: there is room for all of them */

        (void) art_table_add(&map->ids, &key, map->list.n);
        map->list.entries[map->list.n++] = *entry;
        return;
    }

    old = &map->list.entries[*item];

    if (old->serial >= first) {
        art_capmap_warn(reader, "service", entry->service.id,
                        " is listed more than once, the last entry counts");

    } else if (old->own && !entry->own) {
        art_capmap_warn(reader, "service", entry->service.id,
                        " of the platform's own map is replaced by a row of "
                        "this one: load the own map last");
    }

    *old = *entry;
}


/* A platform has few agents: ids are compared one by one. */

static void
art_capmap_put_agent(art_capmap_t *map, art_capmap_agent_t *agent,
    art_capmap_reader_t *reader)
{
    unsigned             i;
    art_capmap_agent_t  *old;

    agent->document = map->ndocuments;

    for (i = 0; i < map->agents.n; i++) {
        old = &map->agents.agents[i];

        if (!art_str_eq(old->id, agent->id)) {
            continue;
        }

        if (old->document == agent->document) {
            art_capmap_warn(reader, "agent", agent->id,
                            " is listed more than once, the last entry counts");
        }

        *old = *agent;
        return;
    }

    map->agents.agents[map->agents.n++] = *agent;
}


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    uint32_t         *id, *model;
    art_table_key_t   search;

    if (map->list.n == 0) {
        return NULL;
    }

    id = art_capmap_named(map, 0, key, &search);

    if (id != NULL && map->list.entries[*id].own) {
        return &map->list.entries[*id].service;
    }

    model = art_capmap_named(map, 1, key, &search);

    if (model != NULL && (id == NULL || map->list.entries[*model].own)) {
        return &map->list.entries[*model].service;
    }

    return id ? &map->list.entries[*id].service
              : art_capmap_find_part(map, key);
}


unsigned
art_capmap_position(const art_capmap_t *map, art_str_t id)
{
    uint32_t         *item;
    art_table_key_t   key;

    item = art_capmap_named(map, 0, id, &key);

    return item != NULL ? *item : map->list.n;
}


/*
 * The index of an entry with this id or model, to be read or replaced, or NULL;
 * "key" is set to add the name to map->ids or ->models.
 */

static uint32_t *
art_capmap_named(const art_capmap_t *map, unsigned model, art_str_t name,
    art_table_key_t *key)
{
    uint32_t             *item;
    const art_table_t    *table;
    const art_service_t  *service;

    table = model ? &map->models : &map->ids;

    art_table_key(table, key, name.data, name.len);

    while ((item = art_table_next(table, key)) != NULL) {
        service = &map->list.entries[*item].service;

        if (art_str_eq(model ? service->model : service->id, name)) {
            break;
        }
    }

    return item;
}


/*
 * The models of the platform's own maps are names as ids are; those of public
 * maps only if they are too long to be reduced to parts.  Of several entries,
 * the one added last counts, but an own one before any other.
 */

static int
art_capmap_index_models(art_capmap_t *map)
{
    unsigned                   i;
    uint32_t                  *item;
    art_table_key_t            key;
    const art_capmap_entry_t  *entry, *old;

    art_table_free(&map->models);

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (entry->service.model.len == 0
            || (!entry->own && entry->service.model.len <= ART_MODEL_NAME_MAX))
        {
            continue;
        }

        item = art_capmap_named(map, 1, entry->service.model, &key);

        if (item == NULL) {
            if (art_table_add(&map->models, &key, i) != ART_OK) {
                return ART_ERROR;
            }

            continue;
        }

        old = &map->list.entries[*item];

        if (entry->own > old->own
            || (entry->own == old->own && entry->serial > old->serial))
        {
            *item = i;
        }
    }

    return ART_OK;
}


static void
art_capmap_rank(art_capmap_t *map)
{
    unsigned                   i;
    const art_capmap_entry_t  *entry;

    memset(&map->services, 0, sizeof(art_capmap_ranking_t));
    memset(&map->capable, 0, sizeof(art_capmap_ranking_t));

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (entry->own) {
            art_capmap_rank_put(&map->services, entry->service.input.bits, i);
        }
    }

    art_capmap_rank_agents(map);
}


void
art_capmap_suggest(const art_capmap_t *map, unsigned needs,
    const art_service_t *except, art_suggestions_t *s)
{
    unsigned              i, n, ranks[ART_CAPMAP_PREPARED];
    const art_service_t  *service;

    s->nservices = 0;
    s->nagents = 0;

    n = art_capmap_ranked(&map->services, needs, ranks);

    for (i = 0; i < n && s->nservices < ART_CAPMAP_SERVICES_MAX; i++) {
        service = &map->list.entries[ranks[i]].service;

        if (service != except) {
            s->services[s->nservices++] = service->id;
        }
    }

    n = art_capmap_ranked(&map->capable, needs, ranks);

    for (i = 0; i < n && s->nagents < ART_CAPMAP_AGENTS_MAX; i++) {
        s->agents[s->nagents++] = map->agents.agents[ranks[i]].id;
    }
}


unsigned
art_capmap_has_agents(const art_capmap_t *map)
{
    return map != NULL && map->agents.n > 0;
}


static void
art_capmap_rank_agents(art_capmap_t *map)
{
    unsigned              i;
    const art_service_t  *service;

    for (i = 0; i < map->agents.n; i++) {
        service = map->agents.agents[i].found;

        if (service != NULL) {
            art_capmap_rank_put(&map->capable, service->input.bits, i);
        }
    }
}


/* To be called with ascending ranks. */

static void
art_capmap_rank_put(art_capmap_ranking_t *ranking, unsigned bits,
    unsigned rank)
{
    unsigned  bit;

    for (bit = 0; bit < ART_CAP_COUNT; bit++) {
        if ((bits & (1u << bit)) && ranking->n[bit] < ART_CAPMAP_PREPARED) {
            ranking->ranks[bit][ranking->n[bit]++] = rank;
        }
    }
}


/* Merges the lists of several capabilities; returns the number of ranks. */

static unsigned
art_capmap_ranked(const art_capmap_ranking_t *ranking, unsigned needs,
    unsigned ranks[ART_CAPMAP_PREPARED])
{
    unsigned  bit, n, next, pos[ART_CAP_COUNT];

    memset(pos, 0, sizeof(pos));

    for (n = 0; n < ART_CAPMAP_PREPARED; n++) {
        next = UINT_MAX;

        for (bit = 0; bit < ART_CAP_COUNT; bit++) {
            if ((needs & (1u << bit)) && pos[bit] < ranking->n[bit]
                && ranking->ranks[bit][pos[bit]] < next)
            {
                next = ranking->ranks[bit][pos[bit]];
            }
        }

        if (next == UINT_MAX) {
            break;
        }

        for (bit = 0; bit < ART_CAP_COUNT; bit++) {
            pos[bit] += pos[bit] < ranking->n[bit]
                        && ranking->ranks[bit][pos[bit]] == next;
        }

        ranks[n] = next;
    }

    return n;
}


/*
 * Reads a document, with warnings, into reader->list and ->agents, which the
 * caller frees.  Duplicates are included, and serials are not set.  On failure,
 * ART_ERROR with *err set.
 */

static int
art_capmap_read(art_capmap_reader_t *reader, art_str_t json,
    art_capmap_error_t *err)
{
    int                         rc;
    json_t                     *root;
    const art_capmap_source_t  *source;

    root = art_capmap_load(json, err);
    if (root == NULL) {
        return ART_ERROR;
    }

    for (source = art_capmap_sources; source->match; source++) {
        if (source->match(root)) {
            break;
        }
    }

    if (source->match == NULL) {
        json_decref(root);
        art_capmap_fail(err, 1, 1, "no capability map: neither an object with "
                        "an array \"services\", nor a model list of "
                        "OpenRouter, models.dev or LiteLLM");
        return ART_ERROR;
    }

    reader->own = source->own;

    rc = source->read(reader, root);

    json_decref(root);

    if (rc != ART_OK) {
        art_capmap_fail(err, 1, 1, "out of memory");
    }

    return rc;
}


static json_t *
art_capmap_load(art_str_t text, art_capmap_error_t *err)
{
    char          *near;
    json_t        *root;
    json_error_t   error;

    /* integers are read as reals, so that none is too big */

    root = json_loadb(text.len ? (const char *) text.data : "", text.len,
                      JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL
                      |JSON_DECODE_INT_AS_REAL, &error);

    if (root == NULL) {

        /* the parser quotes the document, possibly an API key */

        near = strstr(error.text, " near '");
        if (near != NULL) {
            *near = '\0';
        }

        art_capmap_fail(err, error.line, error.column,
                        error.text[0] ? error.text : "out of memory");
    }

    return root;
}


/*
 * LiteLLM's model_prices_and_context_window.json, id -> model: docs.litellm.ai,
 * "Add Model Pricing & Context Window", sample_spec; an absent flag means
 * false.
 */

static const art_capmap_flag_t  art_capmap_litellm_flags[] = {
    { "supports_vision", 0, art_string("vision") },
    { "supports_image_input", 0, art_string("vision") },
    { "supports_audio_input", 0, art_string("audio") },
    { "supports_video_input", 0, art_string("video") },
    { "supports_pdf_input", 0, art_string("pdf") },
    { "supports_audio_output", 1, art_string("audio") },
    { "supports_function_calling", 1, art_string("tool_calling") },
    { "supports_response_schema", 1, art_string("structured_output") },
    { "supports_native_structured_output", 1,
      art_string("structured_output") },
    { "supports_reasoning", 1, art_string("reasoning") },
    { NULL, 0, art_null_string }
};


/* Members of LiteLLM's map that are not models. */

static const char *const  art_capmap_litellm_notes[] = {
    "sample_spec", "fallback_generalizations", NULL
};


/* Models of other modes do not take messages. */

static const char *const  art_capmap_litellm_modes[] = {
    "chat", "completion", "responses", NULL
};


static int
art_capmap_litellm_match(json_t *root)
{
    return art_capmap_has_member(root, art_capmap_is_litellm);
}


static int
art_capmap_litellm_read(art_capmap_reader_t *reader, json_t *root)
{
    json_t      *model;
    const char  *id;

    json_object_foreach(root, id, model) {
        if (art_capmap_litellm_model(reader, id, model) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_capmap_litellm_model(art_capmap_reader_t *reader, const char *id,
    const json_t *model)
{
    size_t               i;
    json_t              *mode;
    unsigned             flags;
    const char          *name;
    art_capmap_draft_t   draft;

    for (i = 0; art_capmap_litellm_notes[i] != NULL; i++) {
        if (strcmp(id, art_capmap_litellm_notes[i]) == 0) {
            return ART_OK;
        }
    }

    mode = json_object_get(model, "mode");

    if (!json_is_object(model) || (mode != NULL && !json_is_string(mode))) {
        art_capmap_warn(reader, "service", art_cstr(id),
                        json_is_object(model)
                        ? " has a \"mode\" that is not a string, skipped"
                        : " is not an object, skipped");
        return ART_OK;
    }

    art_capmap_draft(&draft, art_cstr(id));
    draft.provider = art_capmap_string(model, "litellm_provider");

    art_capmap_litellm_modalities(model, &draft);
    flags = art_capmap_read_flags(model, art_capmap_litellm_flags, &draft);

    /* entries with neither mode nor flags are classes of prices */

    name = flags ? "chat" : "";

    if (mode) {
        name = json_string_value(mode);
    }

    for (i = 0; art_capmap_litellm_modes[i] != NULL; i++) {
        if (strcmp(name, art_capmap_litellm_modes[i]) == 0) {
            return art_capmap_push_entry(reader, &draft);
        }
    }

    return ART_OK;
}


static void
art_capmap_litellm_modalities(const json_t *model, art_capmap_draft_t *draft)
{
    const json_t  *array;

    array = json_object_get(model, "supported_output_modalities");

    if (array != NULL && !json_is_null(array)) {
        draft->output.n = 0;
        art_capmap_read_names(array, "supported_output_modalities", 1,
                              &draft->output, draft->fault);
    }

    array = json_object_get(model, "supported_modalities");

    if (array != NULL && !json_is_null(array) && draft->fault[0] == '\0') {
        draft->blank = 0;
        art_capmap_read_names(array, "supported_modalities", 1, &draft->input,
                              draft->fault);
    }
}


static int
art_capmap_is_litellm(const json_t *model)
{
    return json_is_string(json_object_get(model, "litellm_provider"))
           || json_is_string(json_object_get(model, "mode"));
}


/*
 * models.dev's api.json, provider -> models -> model: the README of
 * anomalyco/models.dev; "attachment" is about the user interface and is ignored
 * here.
 */

static const art_capmap_flag_t  art_capmap_models_dev_flags[] = {
    { "tool_call", 1, art_string("tool_calling") },
    { "structured_output", 1, art_string("structured_output") },
    { "reasoning", 1, art_string("reasoning") },
    { NULL, 0, art_null_string }
};


static int
art_capmap_models_dev_match(json_t *root)
{
    return art_capmap_has_member(root, art_capmap_is_models_dev);
}


static int
art_capmap_models_dev_read(art_capmap_reader_t *reader, json_t *root)
{
    json_t      *provider, *models, *model;
    const char  *id, *key;

    json_object_foreach(root, id, provider) {
        models = json_object_get(provider, "models");

        if (!json_is_object(models)) {
            art_capmap_warn(reader, "provider", art_cstr(id),
                            " has no object \"models\", skipped");
            continue;
        }

        json_object_foreach(models, key, model) {
            if (art_capmap_models_dev_model(reader, id, key, model)
                != ART_OK)
            {
                return ART_ERROR;
            }
        }
    }

    return ART_OK;
}


/* Each provider has its own name for a model, so the id consists of both. */

static int
art_capmap_models_dev_model(art_capmap_reader_t *reader, const char *provider,
    const char *key, const json_t *model)
{
    char                 id[ART_CAPMAP_ID_MAX + 2];
    int                  len;
    art_capmap_draft_t   draft;

    static const char *const  keys[2] = { "input", "output" };

    len = snprintf(id, sizeof(id), "%s/%s", provider, key);

    if (!json_is_object(model) || len < 0 || (size_t) len >= sizeof(id)) {
        art_capmap_warn(reader, "service", art_cstr(id),
                        json_is_object(model)
                        ? " has an id of more than 1024 bytes, skipped"
                        : " is not an object, skipped");
        return ART_OK;
    }

    art_capmap_draft(&draft, art_str(id, (size_t) len));

    draft.provider = art_cstr(provider);
    draft.model = art_cstr(key);
    draft.name = art_capmap_read_string(reader, model, "name", &draft);

    art_capmap_read_caps(json_object_get(model, "modalities"), "modalities",
                         keys, 1, &draft);
    (void) art_capmap_read_flags(model, art_capmap_models_dev_flags, &draft);

    return art_capmap_push_entry(reader, &draft);
}


static int
art_capmap_is_models_dev(const json_t *provider)
{
    return json_is_object(json_object_get(provider, "models"));
}


/*
 * OpenRouter's list of models (/api/v1/models), {"data":[..]}:
 * openrouter.ai/docs, "Models", "Supported Parameters".
 */

static const struct {
    art_str_t  parameter;
    art_str_t  name;
} art_capmap_openrouter_parameters[] = {
    { art_string("tools"), art_string("tool_calling") },
    { art_string("structured_outputs"), art_string("structured_output") },
    { art_string("reasoning"), art_string("reasoning") }
};


static int
art_capmap_openrouter_match(json_t *root)
{
    return json_is_array(json_object_get(root, "data"));
}


static int
art_capmap_openrouter_read(art_capmap_reader_t *reader, json_t *root)
{
    return art_capmap_each(reader, json_object_get(root, "data"),
                           art_capmap_openrouter_model);
}


static int
art_capmap_openrouter_model(art_capmap_reader_t *reader, const json_t *model,
    size_t i)
{
    art_str_t            id;
    art_capmap_draft_t   draft;

    static const char *const  keys[2] = { "input_modalities",
                                          "output_modalities" };

    id = art_capmap_string(model, "id");

    if (id.len == 0) {
        art_capmap_warn_at(reader, "data", i, json_is_object(model)
                           ? "has no non-empty string \"id\", skipped"
                           : "is not an object, skipped");
        return ART_OK;
    }

    art_capmap_draft(&draft, id);

    draft.model = art_capmap_read_string(reader, model, "canonical_slug",
                                         &draft);
    draft.name = art_capmap_read_string(reader, model, "name", &draft);
    draft.description = art_capmap_read_string(reader, model, "description",
                                               &draft);

    art_capmap_read_caps(json_object_get(model, "architecture"),
                         "architecture", keys, 1, &draft);
    art_capmap_openrouter_output(json_object_get(model,
                                                 "supported_parameters"),
                                 &draft);

    return art_capmap_push_entry(reader, &draft);
}


static void
art_capmap_openrouter_output(const json_t *parameters,
    art_capmap_draft_t *draft)
{
    size_t         i, j;
    art_str_t      name;
    const json_t  *value;

    if (parameters == NULL || json_is_null(parameters)
        || draft->fault[0] != '\0')
    {
        return;
    }

    if (!json_is_array(parameters)) {
        snprintf(draft->fault, ART_CAPMAP_FAULT,
                 ": \"supported_parameters\" is not an array");
        return;
    }

    for (i = 0; i < json_array_size(parameters); i++) {
        value = json_array_get(parameters, i);
        name = art_str(json_string_value(value), json_string_length(value));

        for (j = 0; j < art_nitems(art_capmap_openrouter_parameters); j++) {
            if (art_str_eq(art_capmap_openrouter_parameters[j].parameter,
                           name)
                && !art_capmap_add_name(&draft->output,
                                    art_capmap_openrouter_parameters[j].name))
            {
                snprintf(draft->fault, ART_CAPMAP_FAULT,
                         ": more than %d capabilities", ART_CAPMAP_NAMES);
            }
        }
    }
}


/*
 * Reads the flags of a table that ends with a key of NULL; returns how many of
 * them the entry has.  null counts as absent; any other value than true and
 * false is a fault.  After a flag of the input the draft is no longer blank.
 */

static unsigned
art_capmap_read_flags(const json_t *entry, const art_capmap_flag_t *flags,
    art_capmap_draft_t *draft)
{
    unsigned       n;
    const json_t  *value;

    for (n = 0; flags->key != NULL; flags++) {
        value = json_object_get(entry, flags->key);

        if (value == NULL || json_is_null(value)) {
            continue;
        }

        n++;
        draft->blank &= flags->output;

        if (!json_is_boolean(value)) {
            if (draft->fault[0] == '\0') {
                snprintf(draft->fault, ART_CAPMAP_FAULT,
                         ": \"%s\" is neither true nor false", flags->key);
            }

        } else if (json_is_true(value)
                   && !art_capmap_add_name(flags->output ? &draft->output
                                                         : &draft->input,
                                           flags->name)
                   && draft->fault[0] == '\0')
        {
            snprintf(draft->fault, ART_CAPMAP_FAULT,
                     ": more than %d capabilities", ART_CAPMAP_NAMES);
        }
    }

    return n;
}


/* Whether a document is an object with a member for which "is" holds. */

static int
art_capmap_has_member(json_t *root, int (*is)(const json_t *))
{
    json_t      *member;
    const char  *key;

    json_object_foreach(root, key, member) {
        if (is(member)) {
            return 1;
        }
    }

    return 0;
}
