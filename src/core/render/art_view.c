
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/render/art_view.h"


void
art_view_derive(art_view_t *view, const art_view_t *origin, uint8_t *name)
{
    view->id = origin->id;
    view->workspace = origin->workspace;
    view->path = origin->path;
    view->name = art_media_rename(origin->name, view->mime, name);
    view->meta = origin->meta;
    view->origin = origin;
    view->url = art_str(NULL, 0);
}
