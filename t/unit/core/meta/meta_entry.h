
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The entry of a path in a workspace's metadata, as readers look it up.
 */


#ifndef META_ENTRY_H_INCLUDED_
#define META_ENTRY_H_INCLUDED_


#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"


static inline art_meta_status_t
meta_entry(art_str_t text, art_str_t path, art_meta_t *meta)
{
    uint8_t            buf[ART_ID_PATH_MAX];
    art_str_t          key;
    art_meta_status_t  status;

    status = art_meta_parse_key(text, path, 0, meta);

    if (status == ART_META_ABSENT && path.len <= sizeof(buf)
        && art_meta_other_key(path, buf, &key))
    {
        status = art_meta_parse_key(text, key, 0, meta);
    }

    return status;
}


#endif /* META_ENTRY_H_INCLUDED_ */
