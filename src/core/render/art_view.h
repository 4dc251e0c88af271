
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Everything that is known about an artifact when its answer is written.
 */


#ifndef ART_VIEW_H_INCLUDED_
#define ART_VIEW_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"
#include "core/ref/art_url.h"
#include "core/meta/art_meta.h"
#include "core/format/art_route.h"


/*
 * "meta" is the sidecar's record (empty without a sidecar).  "name" is one line
 * already (art_utf8_name()); "mime" is the media type in effect.  "suggestions"
 * are ids of services that could read the content.  "url" is how the URL of the
 * content is written; NULL if there is none.  Nothing is owned.
 *
 * "origin" is the view of what a derived content was converted from; NULL for a
 * content that is sent as it is stored.  A derived content has its own type,
 * kind and size, a name with the extension of its type, and no URL; all else is
 * that of its origin (art_view_derive()).  Parts are made of the derived
 * content, metadata and descriptions of its origin.
 */

typedef struct art_view_s  art_view_t;

struct art_view_s {
    art_str_t           id;          /* canonical, without "artifact:" */
    art_str_t           workspace;   /* empty for a regular artifact */
    art_str_t           path;
    art_str_t           name;
    art_str_t           mime;
    const art_meta_t   *meta;
    const art_view_t   *origin;      /* of a derived content, or NULL */
    art_kind_t          kind;
    uint64_t            size;        /* bytes, of the content */
    uint32_t            width;       /* pixels, of an image; 0: unknown */
    uint32_t            height;
    art_end_t           end;
    unsigned            size_known:1;
    unsigned            unproved:1;  /* it lacks its type's signature */
    unsigned            truncated:1; /* the text was cut */
    unsigned            agents:1;    /* the platform has any, to suggest */

    art_decision_t      decision;
    art_lang_t          lang;
    art_str_t           tool_call_id;
    const art_url_t    *url;
    const art_str_t    *suggestions;
    unsigned            nsuggestions;
};


/*
 * Makes "view", which has the type, kind and size of a derived content already,
 * that of a content converted from "origin", which must live as long.  "name"
 * has room for ART_VIEW_NAME_ROOM(origin) bytes, and must live as long as well.
 */

#define ART_VIEW_NAME_ROOM(origin)  ((origin)->name.len + ART_MEDIA_EXT_MAX)

static inline void
art_view_derive(art_view_t *view, const art_view_t *origin, uint8_t *name)
{
    view->id = origin->id;
    view->workspace = origin->workspace;
    view->path = origin->path;
    view->name = art_media_rename(origin->name, origin->mime, view->mime,
                                  name);
    view->meta = origin->meta;
    view->origin = origin;
    view->url = NULL;
}


#endif /* ART_VIEW_H_INCLUDED_ */
