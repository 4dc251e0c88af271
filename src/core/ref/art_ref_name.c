
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <strings.h>

#include "core/media/art_media.h"
#include "core/media/art_media_parse.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_name.h"


#define art_ref_name_alnum(c)                                                \
    (((c) >= 'a' && (c) <= 'z') || ((c) >= 'A' && (c) <= 'Z')                \
     || ((c) >= '0' && (c) <= '9'))


static int art_ref_name_hex(uint8_t c);
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

        if (!art_ref_name_alnum(c) && c != '_' && c != '-' && c != ':'
            && c != '.')
        {
            return 0;
        }
    }

    /* it would be another workspace's sidecar */

    return name.len < 10
           || !art_str_is(art_str(name.data + name.len - 10, 10),
                          ".meta.json");
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
    size_t                    i, len;
    static const char *const  suffixes[] = { ".meta", ".meta.json" };

    for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        len = strlen(suffixes[i]);

        if (name.len >= len
            && strncasecmp((const char *) name.data + name.len - len,
                           suffixes[i], len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


int
art_ref_name_artifact(art_str_t value, uint8_t *buf, art_str_t *name)
{
    int     high, low;
    size_t  i, n;

    *name = art_str(NULL, 0);

    if (value.len == 0) {
        return ART_OK;
    }

    n = 0;

    for (i = 0; i < value.len; i++) {

        if (value.data[i] != '%') {
            buf[n++] = value.data[i];
            continue;
        }

        if (value.len - i < 3) {
            return ART_ERROR;
        }

        high = art_ref_name_hex(value.data[i + 1]);
        low = art_ref_name_hex(value.data[i + 2]);

        if (high < 0 || low < 0) {
            return ART_ERROR;
        }

        buf[n++] = (uint8_t) (high << 4 | low);
        i += 2;
    }

    /* the same rules as for any other component of a path */

    if (n > ART_REF_NAME_MAX || !art_workspace_valid(art_str(buf, n))) {
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
art_ref_name_hex(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    c |= 0x20;

    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


/* With a space or the like it is the end of a title rather. */

static int
art_ref_name_plain(art_str_t extension)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < extension.len; i++) {
        c = extension.data[i];

        if (!art_ref_name_alnum(c) && c != '_' && c != '-' && c != '+') {
            return 0;
        }
    }

    return !art_str_is(extension, "meta");
}
