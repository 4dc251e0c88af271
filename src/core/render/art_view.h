
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Everything that is known about an artifact when its answer is written.
 */


#ifndef ART_VIEW_H_INCLUDED_
#define ART_VIEW_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"
#include "core/format/art_route.h"


/*
 * "meta" is the sidecar's record (empty without a sidecar).  "name" is one line
 * already (art_utf8_name()); "mime" is the media type in effect.  "suggestions"
 * are ids of services that could read the content.  "url", with an id appended,
 * is the URL of the content; empty if there is none.  Nothing is owned.
 */

typedef struct {
    art_str_t           id;          /* canonical, without "artifact:" */
    art_str_t           workspace;   /* empty for a regular artifact */
    art_str_t           path;
    art_str_t           name;
    art_str_t           mime;
    const art_meta_t   *meta;
    art_kind_t          kind;
    uint64_t            size;        /* bytes, of the stored content */
    uint32_t            width;       /* pixels, of an image; 0: unknown */
    uint32_t            height;
    unsigned            size_known:1;
    unsigned            truncated:1; /* the text was cut */

    art_decision_t      decision;
    art_lang_t          lang;
    art_str_t           tool_call_id;
    art_str_t           url;
    const art_str_t    *suggestions;
    unsigned            nsuggestions;
} art_view_t;


#endif /* ART_VIEW_H_INCLUDED_ */
