
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The lines of a map's document that warnings are about: jansson's values do
 * not know where they were.
 */


#include "core/capability/art_capmap_int.h"


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
