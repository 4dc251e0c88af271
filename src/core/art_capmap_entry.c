
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdio.h>
#include <stdlib.h>

#include "art_capmap_int.h"


#define ART_CAPMAP_NSTRINGS  5


/* Where the next string and the next names of a block go. */

typedef struct {
    art_str_t  *names;
    uint8_t    *bytes;
} art_capmap_block_t;


static int art_capmap_keep(const json_t *service, const json_t *input,
    const json_t *output, art_capmap_entry_t *entry);
static size_t art_capmap_names_len(const json_t *names);
static void art_capmap_keep_caps(art_capmap_block_t *block,
    const json_t *names, art_caps_t *caps);
static art_str_t art_capmap_keep_string(art_capmap_block_t *block,
    const json_t *string);
static int art_capmap_caps_fault(const json_t *caps, char *fault);
static int art_capmap_names_fault(const json_t *caps, const char *direction,
    char *fault);
static int art_capmap_has_name(const art_caps_t *caps, art_str_t name);


int
art_capmap_read_entry(const json_t *service, size_t i,
    art_capmap_warn_pt warn, void *data, art_capmap_entry_t *entry)
{
    int            rc;
    char           fault[ART_CAPMAP_FAULT];
    const char    *wrong;
    const json_t  *id, *caps;

    id = json_object_get(service, "id");
    wrong = NULL;

    if (!json_is_object(service)) {
        wrong = "is not an object";

    } else if (id == NULL) {
        wrong = "has no \"id\"";

    } else if (json_string_length(id) == 0) {
        wrong = "has an \"id\" that is not a non-empty string";
    }

    if (wrong != NULL) {
        if (warn != NULL) {
            snprintf(fault, sizeof(fault), "services[%zu] %s, skipped", i,
                     wrong);
            warn(data, fault);
        }

        return ART_OK;
    }

    caps = json_object_get(service, "capabilities");

    if (caps == NULL || !art_capmap_caps_fault(caps, fault)) {
        return art_capmap_keep(service, json_object_get(caps, "input"),
                               json_object_get(caps, "output"), entry);
    }

    rc = art_capmap_keep(service, NULL, NULL, entry);

    if (rc == ART_OK) {
        art_capmap_warn(warn, data, entry->service.id, fault);
    }

    return rc;
}


/* Copies what the map keeps of a service; a direction of NULL is text. */

static int
art_capmap_keep(const json_t *service, const json_t *input,
    const json_t *output, art_capmap_entry_t *entry)
{
    size_t                    i, len, nnames;
    const json_t             *value;
    art_service_t            *s = &entry->service;
    art_capmap_block_t        block;
    art_str_t                *strings[ART_CAPMAP_NSTRINGS] = {
                                  &s->id, &s->name, &s->model,
                                  &s->description, &s->format };
    static const char *const  keys[ART_CAPMAP_NSTRINGS] = {
                                  "id", "name", "model", "description",
                                  "format" };

    len = art_capmap_names_len(input) + art_capmap_names_len(output);

    for (i = 0; i < ART_CAPMAP_NSTRINGS; i++) {
        len += json_string_length(json_object_get(service, keys[i]));
    }

    /* one name more each, for a direction that is missing */

    nnames = json_array_size(input) + 1 + json_array_size(output) + 1;

    entry->memory = malloc(nnames * sizeof(art_str_t) + len);
    if (entry->memory == NULL) {
        return ART_ERROR;
    }

    block.names = entry->memory;
    block.bytes = (uint8_t *) (block.names + nnames);

    for (i = 0; i < ART_CAPMAP_NSTRINGS; i++) {
        value = json_object_get(service, keys[i]);

        if (json_is_string(value)) {
            *strings[i] = art_capmap_keep_string(&block, value);
        }
    }

    art_capmap_keep_caps(&block, input, &s->input);
    art_capmap_keep_caps(&block, output, &s->output);

    return ART_OK;
}


static size_t
art_capmap_names_len(const json_t *names)
{
    size_t  i, len;

    len = 0;

    for (i = 0; i < json_array_size(names); i++) {
        len += json_string_length(json_array_get(names, i));
    }

    return len;
}


static void
art_capmap_keep_caps(art_capmap_block_t *block, const json_t *names,
    art_caps_t *caps)
{
    size_t                  i;
    art_str_t               name;
    const json_t           *value;
    static const art_str_t  text = art_string("text");

    caps->names = block->names;

    if (names == NULL) {
        caps->names[caps->nnames++] = text;
        caps->bits = ART_CAP_TEXT;
    }

    for (i = 0; i < json_array_size(names); i++) {
        value = json_array_get(names, i);
        name = art_str(json_string_value(value), json_string_length(value));

        if (!art_capmap_has_name(caps, name)) {
            caps->names[caps->nnames++] = art_capmap_keep_string(block, value);
            caps->bits |= art_cap_bit(name);
        }
    }

    block->names += caps->nnames;
}


static art_str_t
art_capmap_keep_string(art_capmap_block_t *block, const json_t *string)
{
    art_str_t  copy;

    copy = art_str(block->bytes, json_string_length(string));

    memcpy(block->bytes, json_string_value(string), copy.len);
    block->bytes += copy.len;

    return copy;
}


/* Whether there is one; it is then told as the end of a warning. */

static int
art_capmap_caps_fault(const json_t *caps, char *fault)
{
    const char  *wrong;

    wrong = NULL;

    if (!json_is_object(caps)) {
        wrong = "is not an object";

    } else if (json_object_get(caps, "input") == NULL
               && json_object_get(caps, "output") == NULL)
    {
        wrong = "has neither \"input\" nor \"output\"";
    }

    if (wrong != NULL) {
        snprintf(fault, ART_CAPMAP_FAULT,
                 ": \"capabilities\" %s, text only assumed", wrong);
        return 1;
    }

    return art_capmap_names_fault(caps, "input", fault)
           || art_capmap_names_fault(caps, "output", fault);
}


static int
art_capmap_names_fault(const json_t *caps, const char *direction, char *fault)
{
    size_t         i;
    const json_t  *names;

    names = json_object_get(caps, direction);

    if (names == NULL) {
        return 0;
    }

    if (!json_is_array(names)) {
        snprintf(fault, ART_CAPMAP_FAULT,
                 ": \"capabilities.%s\" is not an array, text only assumed",
                 direction);
        return 1;
    }

    for (i = 0; i < json_array_size(names); i++) {
        if (json_string_length(json_array_get(names, i)) == 0) {
            snprintf(fault, ART_CAPMAP_FAULT,
                     ": \"capabilities.%s[%zu]\" is not a non-empty string, "
                     "text only assumed", direction, i);
            return 1;
        }
    }

    return 0;
}


static int
art_capmap_has_name(const art_caps_t *caps, art_str_t name)
{
    unsigned  i;

    for (i = 0; i < caps->nnames; i++) {
        if (art_str_eq(caps->names[i], name)) {
            return 1;
        }
    }

    return 0;
}
