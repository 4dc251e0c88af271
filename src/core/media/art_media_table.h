
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


#endif /* ART_MEDIA_TABLE_H_INCLUDED_ */
