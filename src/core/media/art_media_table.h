
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_media*.c: the tables behind art_media.h.
 */


#ifndef ART_MEDIA_TABLE_H_INCLUDED_
#define ART_MEDIA_TABLE_H_INCLUDED_


#include "core/media/art_media.h"


typedef struct {
    const char  *alias;
    const char  *mime;
} art_media_alias_t;


extern const art_media_t        art_media_table[];
extern const unsigned           art_media_table_size;
extern const art_media_alias_t  art_media_aliases[];
extern const unsigned           art_media_aliases_size;


/* Orders a string against a zero-terminated one, as the tables are sorted. */

static inline int
art_media_cmp(const art_str_t *key, const char *text)
{
    size_t  i;

    for (i = 0; i < key->len; i++) {

        /* where the text has ended its zero is less than any byte of a key */

        if (key->data[i] != (uint8_t) text[i] || text[i] == '\0') {
            return key->data[i] < (uint8_t) text[i] ? -1 : 1;
        }
    }

    return text[i] == '\0' ? 0 : -1;
}


#endif /* ART_MEDIA_TABLE_H_INCLUDED_ */
