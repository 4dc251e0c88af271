
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_char.h"
#include "core/text/art_percent.h"
#include "core/media/art_media.h"
#include "core/media/art_media_parse.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_name.h"


static int art_ref_name_ends(art_str_t name, const char *lower);
static int art_ref_name_plain(art_str_t extension);


int
art_ref_name_workspace(art_str_t name)
{
    size_t   i;
    uint8_t  c;

    if (name.len == 0
        || name.len > ART_REF_NAME_WORKSPACE_MAX
        || name.data[0] == '.'
        || name.data[name.len - 1] == '.')
    {
        return 0;
    }

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (!art_char_alnum(c) && c != '_' && c != '-' && c != ':'
            && c != '.')
        {
            return 0;
        }
    }

    /* such a name would be that of another workspace's sidecar */

    return !art_ref_name_ends(name, ".meta.json");
}


int
art_ref_name_path(art_str_t path)
{
    size_t  i, start;

    start = 0;

    for (i = 0; i <= path.len; i++) {

        if (i < path.len && path.data[i] != '/') {
            continue;
        }

        if (i - start > ART_REF_NAME_MAX) {
            return 0;
        }

        start = i + 1;
    }

    return 1;
}


int
art_ref_name_reserved(art_str_t name)
{
    return art_ref_name_ends(name, ".meta")
           || art_ref_name_ends(name, ".meta.json");
}


int
art_ref_name_artifact(art_str_t value, uint8_t *buf, art_str_t *name)
{
    size_t  n;

    *name = art_str(NULL, 0);

    if (value.len == 0) {
        return ART_OK;
    }

    if (art_percent_decode(buf, &n, value) != ART_OK) {
        return ART_ERROR;
    }

    /* the rules for any component of a path */

    if (n > ART_REF_NAME_MAX || !art_id_component(art_str(buf, n))) {
        return ART_ERROR;
    }

    *name = art_str(buf, n);

    return ART_OK;
}


art_str_t
art_ref_name_extension(art_str_t name, art_str_t type, uint8_t *buf)
{
    size_t              len;
    art_str_t           extension;
    art_media_type_t    declared;
    const art_media_t  *media;

    buf[0] = '.';

    extension = art_media_extension(name, buf + 1);

    if (extension.len > 0 && art_ref_name_plain(extension)) {
        return art_str(buf, extension.len + 1);
    }

    art_media_parse(type, &declared);

    media = art_media_find(art_str(declared.buf, declared.len));

    if (media == NULL) {
        return art_str(buf, 0);
    }

    len = strcspn(media->extensions, " ");

    if (len == 0 || len > ART_MEDIA_EXT_MAX) {
        return art_str(buf, 0);
    }

    memcpy(buf + 1, media->extensions, len);

    return art_str(buf, len + 1);
}


static int
art_ref_name_ends(art_str_t name, const char *lower)
{
    size_t  len;

    len = strlen(lower);

    return name.len >= len
           && art_str_is(art_str(name.data + name.len - len, len), lower);
}


/* With a space or the like, it is rather the end of a title. */

static int
art_ref_name_plain(art_str_t extension)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < extension.len; i++) {
        c = extension.data[i];

        if (!art_char_alnum(c) && c != '_' && c != '-' && c != '+') {
            return 0;
        }
    }

    return !art_str_is(extension, "meta");
}
