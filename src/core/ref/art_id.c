
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64.h"
#include "core/text/art_percent.h"
#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"


#define ART_ID_WS_PREFIX   "ws:"

/* Besides letters and digits (RFC 3986, section 2.3). */

#define ART_ID_UNRESERVED  "-._~"

/* A multiple of 3: only the last piece may have an incomplete group. */

#define ART_ID_PIECE       96


static art_id_status_t art_id_parse_regular(art_str_t ref, uint8_t *buf,
    art_ref_t *out);
static art_id_status_t art_id_parse_workspace(art_str_t ref, uint8_t *buf,
    art_ref_t *out);
static art_id_status_t art_id_set(art_str_t workspace, art_str_t path,
    uint8_t *buf, art_ref_t *out);
static art_id_status_t art_id_resolve(art_str_t path, uint8_t *dst, size_t *len,
    unsigned *folder);
static int art_id_strip(art_str_t *s, const char *prefix);


/* Where a UUID has hyphens (RFC 9562, section 4), and digits in lower case. */

#define art_id_is_hyphen(i)  ((i) == 8 || (i) == 13 || (i) == 18 || (i) == 23)
#define art_id_is_digit(c)                                                    \
    (((c) >= '0' && (c) <= '9') || ((c) >= 'a' && (c) <= 'f'))


art_id_status_t
art_id_parse(art_str_t ref, uint8_t *buf, art_ref_t *out)
{
    memset(out, 0, sizeof(art_ref_t));

    (void) art_id_strip(&ref, "artifact:");

    if (art_id_strip(&ref, ART_ID_WS_PREFIX)) {
        return art_id_parse_workspace(ref, buf, out);
    }

    return art_id_parse_regular(ref, buf, out);
}


art_id_status_t
art_id_from_path(art_str_t uri, uint8_t *buf, art_ref_t *out)
{
    size_t          len;
    art_str_t       path;
    const uint8_t  *slash;

    memset(out, 0, sizeof(art_ref_t));

    if (uri.len == 0) {
        return ART_ID_INVALID;
    }

    slash = memchr(uri.data, '/', uri.len);

    if (slash == NULL) {
        return art_id_set(uri, art_str(NULL, 0), buf, out);
    }

    len = (size_t) (slash - uri.data);
    path = art_str(slash + 1, uri.len - len - 1);

    return art_id_set(art_str(uri.data, len), path, buf, out);
}


static art_id_status_t
art_id_parse_regular(art_str_t ref, uint8_t *buf, art_ref_t *out)
{
    if (!art_id_regular(ref)) {
        return ART_ID_INVALID;
    }

    memcpy(buf, ref.data, ref.len);

    out->kind = ART_ID_REGULAR;
    out->id = art_str(buf, ref.len);

    return ART_ID_OK;
}


static art_id_status_t
art_id_parse_workspace(art_str_t ref, uint8_t *buf, art_ref_t *out)
{
    size_t     colon, len, room;
    art_str_t  encoded;

    /* base64url has no colon, so the last one is the separator */

    for (colon = ref.len; colon > 0; colon--) {
        if (ref.data[colon - 1] == ':') {
            break;
        }
    }

    if (colon == 0 || colon == ref.len) {
        return ART_ID_INVALID;
    }

    encoded = art_str(ref.data + colon, ref.len - colon);
    room = encoded.len / 4 * 3 + 3;

    if (art_base64url_decode(buf, &len, encoded.data, encoded.len) != ART_OK
        || len == 0)
    {
        return ART_ID_INVALID;
    }

    return art_id_set(art_str(ref.data, colon - 1), art_str(buf, len),
                      buf + room, out);
}


/* "path" may lie before "buf" in the same buffer, never within it. */

static art_id_status_t
art_id_set(art_str_t workspace, art_str_t path, uint8_t *buf, art_ref_t *out)
{
    size_t           len;
    unsigned         folder;
    art_out_t        id;
    art_id_status_t  status;

    if (!art_id_component(workspace)
        || path.len > ART_ID_PATH_MAX
        || (path.len > 0 && memchr(path.data, '\0', path.len) != NULL)
        || (path.len > 0 && !art_utf8_valid(path.data, path.len)))
    {
        return ART_ID_INVALID;
    }

    status = art_id_resolve(path, buf, &len, &folder);
    if (status != ART_ID_OK) {
        return status;
    }

    id = art_out(buf + len, sizeof(ART_ID_WS_PREFIX) + workspace.len
                            + ART_BASE64URL_LEN(len));

    out->kind = ART_ID_WORKSPACE;
    out->path = art_str(buf, len);

    if (art_id_encode(&id, workspace, out->path) != ART_OK) {

        /* the workspace's own folder: its id is for messages, never parsed */

        art_out_cstr(&id, ART_ID_WS_PREFIX);
        art_out_str(&id, workspace);
        art_out_char(&id, ':');
    }

    out->id = art_str(id.data, id.len);
    out->workspace = art_str(id.data + sizeof(ART_ID_WS_PREFIX) - 1,
                             workspace.len);
    out->folder = folder & 1;
    out->colon = memchr(workspace.data, ':', workspace.len) != NULL;

    return ART_ID_OK;
}


/*
 * Resolves "." and inner "..", repeated "/" and a trailing "/" of a relative
 * path and writes it to "dst" (room for path.len bytes).  Sets *len, and
 * *folder for a trailing "/", "/." or "/.." or an empty result.
 * ART_ID_TRAVERSAL for a leading "/" and for a path that climbs above its
 * start, even if it comes back.  A backslash is an ordinary character.  "dst"
 * must not overlap the path.
 */

static art_id_status_t
art_id_resolve(art_str_t path, uint8_t *dst, size_t *len, unsigned *folder)
{
    size_t          n, size, pos;
    const uint8_t  *name, *slash;

    n = 0;
    *len = 0;
    *folder = 1;

    if (path.len > 0 && path.data[0] == '/') {
        return ART_ID_TRAVERSAL;
    }

    for (pos = 0; pos < path.len; pos += size + 1) {
        name = path.data + pos;
        slash = memchr(name, '/', path.len - pos);
        size = slash ? (size_t) (slash - name) : path.len - pos;

        /* cleared if the last component is a name without a "/" after it */

        *folder = 1;

        if (size == 0 || (size == 1 && name[0] == '.')) {
            continue;
        }

        if (size == 2 && name[0] == '.' && name[1] == '.') {
            if (n == 0) {
                return ART_ID_TRAVERSAL;
            }

            do {
                n--;
            } while (n > 0 && dst[n] != '/');

            continue;
        }

        if (n > 0) {
            dst[n++] = '/';
        }

        memcpy(dst + n, name, size);
        n += size;

        *folder = slash != NULL;
    }

    *len = n;

    return ART_ID_OK;
}


int
art_id_encode(art_out_t *out, art_str_t workspace, art_str_t path)
{
    size_t   pos, size, n;
    uint8_t  piece[ART_BASE64_LEN(ART_ID_PIECE)];

    if (workspace.len == 0 || path.len == 0) {
        return ART_ERROR;
    }

    art_out_cstr(out, ART_ID_WS_PREFIX);
    art_out_str(out, workspace);
    art_out_char(out, ':');

    for (pos = 0; pos < path.len; pos += size) {
        size = path.len - pos;

        if (size > ART_ID_PIECE) {
            size = ART_ID_PIECE;
        }

        n = art_base64url_encode(piece, path.data + pos, size);
        art_out_mem(out, piece, n);
    }

    return ART_OK;
}


int
art_id_component(art_str_t name)
{
    if (name.len == 0
        || name.len > ART_ID_NAME_MAX
        || (name.len == 1 && name.data[0] == '.')
        || (name.len == 2 && name.data[0] == '.' && name.data[1] == '.'))
    {
        return 0;
    }

    return memchr(name.data, '/', name.len) == NULL
           && art_utf8_valid(name.data, name.len)
           && !art_utf8_control(name);
}


int
art_id_regular(art_str_t id)
{
    /* the rules for a component, but dot files are excluded as well */

    return art_id_component(id)
           && id.data[0] != '.'
           && !art_id_strip(&id, ART_ID_WS_PREFIX);
}


int
art_id_is_uuid(art_str_t id)
{
    size_t  i;

    if (id.len != ART_UUID_LEN) {
        return 0;
    }

    for (i = 0; i < ART_UUID_LEN; i++) {

        if (art_id_is_hyphen(i) ? id.data[i] != '-'
                                : art_char_hex(id.data[i]) < 0)
        {
            return 0;
        }
    }

    return 1;
}


int
art_id_from_file(art_str_t file, uint8_t uuid[ART_UUID_LEN])
{
    size_t          i;
    const uint8_t  *p;

    if (file.len != ART_ID_FILE
        || (!art_id_strip(&file, ART_ID_FILE_OPENAI)
            && !art_id_strip(&file, ART_ID_FILE_ANTHROPIC)))
    {
        return 0;
    }

    p = file.data;

    for (i = 0; i < ART_UUID_LEN; i++) {

        if (art_id_is_hyphen(i)) {
            uuid[i] = '-';
            continue;
        }

        if (!art_id_is_digit(*p)) {
            return 0;
        }

        uuid[i] = *p++;
    }

    return 1;
}


int
art_id_file(art_out_t *out, const char *prefix, art_str_t id)
{
    size_t   i, n;
    uint8_t  digits[ART_UUID_LEN];

    if (!art_id_is_uuid(id)) {
        return ART_ERROR;
    }

    n = 0;

    for (i = 0; i < ART_UUID_LEN; i++) {

        if (art_id_is_hyphen(i)) {
            continue;
        }

        if (!art_id_is_digit(id.data[i])) {
            return ART_ERROR;
        }

        digits[n++] = id.data[i];
    }

    art_out_cstr(out, prefix);
    art_out_mem(out, digits, n);

    return ART_OK;
}


void
art_id_key(art_out_t *out, const art_ref_t *ref)
{
    if (ref->kind == ART_ID_REGULAR) {
        art_out_cstr(out, "artifacts/");
        art_percent_encode(out, ref->id, ART_ID_UNRESERVED "/");
        return;
    }

    art_out_cstr(out, "workspaces/");
    art_percent_encode(out, ref->workspace, ART_ID_UNRESERVED "/");
    art_out_char(out, '/');
    art_percent_encode(out, ref->path, ART_ID_UNRESERVED "/");
}


void
art_id_uri(art_out_t *out, art_str_t id)
{
    art_percent_encode(out, id, ART_ID_UNRESERVED ":");
}


static int
art_id_strip(art_str_t *s, const char *prefix)
{
    size_t  len;

    len = strlen(prefix);

    if (s->len < len || memcmp(s->data, prefix, len) != 0) {
        return 0;
    }

    s->data += len;
    s->len -= len;

    return 1;
}
