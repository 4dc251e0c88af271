
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdio.h>
#include <stdlib.h>

#include "art_capmap_int.h"
#include "art_utf8.h"


/* Bytes of an id that a warning shows. */

#define ART_CAPMAP_ID  200


static json_t *art_capmap_load(art_str_t text, art_capmap_error_t *err);


int
art_capmap_read(art_str_t json, art_capmap_warn_pt warn, void *data,
    art_capmap_list_t *list, art_capmap_error_t *err)
{
    int      rc;
    size_t   i, n;
    json_t  *root, *services;

    list->entries = NULL;
    list->n = 0;

    root = art_capmap_load(json, err);
    if (root == NULL) {
        return ART_ERROR;
    }

    services = json_object_get(root, "services");
    n = json_array_size(services);

    list->entries = n < UINT32_MAX / 4
                    ? calloc(n + 1, sizeof(art_capmap_entry_t)) : NULL;
    rc = list->entries ? ART_OK : ART_ERROR;

    for (i = 0; i < n && rc == ART_OK; i++) {
        rc = art_capmap_read_entry(json_array_get(services, i), i, warn,
                                   data, &list->entries[list->n]);

        if (list->entries[list->n].memory != NULL) {
            list->n++;
        }
    }

    json_decref(root);

    if (rc != ART_OK) {
        art_capmap_list_free(list);
        art_capmap_fail(err, 1, 1, "out of memory");
    }

    return rc;
}


void
art_capmap_list_free(art_capmap_list_t *list)
{
    unsigned  i;

    for (i = 0; i < list->n; i++) {
        free(list->entries[i].memory);
    }

    free(list->entries);

    list->entries = NULL;
    list->n = 0;
}


void
art_capmap_warn(art_capmap_warn_pt warn, void *data, art_str_t id,
    const char *text)
{
    char       line[ART_CAPMAP_ID * 3 + ART_CAPMAP_FAULT * 2];
    art_out_t  out;

    if (warn == NULL) {
        return;
    }

    out.data = (uint8_t *) line;
    out.len = 0;
    out.room = sizeof(line) - 1;

    art_out_cstr(&out, "service \"");
    art_utf8_name(&out, art_str(id.data, art_utf8_cut(id.data, id.len,
                                                      ART_CAPMAP_ID)));
    art_out_cstr(&out, id.len > ART_CAPMAP_ID ? "...\"" : "\"");
    art_out_cstr(&out, text);

    line[out.len < out.room ? out.len : out.room] = '\0';

    warn(data, line);
}


void
art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text)
{
    err->line = line > 0 ? line : 1;
    err->column = column > 0 ? column : 1;

    snprintf(err->text, sizeof(err->text), "%s", text);
}


static json_t *
art_capmap_load(art_str_t text, art_capmap_error_t *err)
{
    char          *near;
    json_t        *root;
    json_error_t   error;

    /* no number means anything here, so none can be too big */

    root = json_loadb(text.len ? (const char *) text.data : "", text.len,
                      JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL
                      |JSON_DECODE_INT_AS_REAL, &error);

    if (root == NULL) {

        /* what the parser quotes from the document may be an API key */

        near = strstr(error.text, " near '");
        if (near != NULL) {
            *near = '\0';
        }

        art_capmap_fail(err, error.line, error.column,
                        error.text[0] ? error.text : "out of memory");
        return NULL;
    }

    if (!json_is_array(json_object_get(root, "services"))) {
        json_decref(root);
        art_capmap_fail(err, 1, 1, "no capability map: an object with an "
                        "array \"services\" expected");
        return NULL;
    }

    return root;
}
