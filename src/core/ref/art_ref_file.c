
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/media/art_media.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"


static int art_ref_name_ends(art_str_t name, const char *lower);
static int art_ref_name_plain(art_str_t extension);


static const char  art_ref_layout_digits[] = "0123456789abcdef";


size_t
art_ref_file_name(uint8_t *buf, art_str_t id, art_str_t extension)
{
    size_t  len;

    memcpy(buf, id.data, id.len);
    len = id.len;

    if (extension.len > 0) {

        if (extension.data[0] != '.') {
            buf[len++] = '.';
        }

        memcpy(buf + len, extension.data, extension.len);
        len += extension.len;
    }

    buf[len] = '\0';

    return art_ref_name_reserved(art_str(buf, len)) ? 0 : len;
}


int
art_ref_file_guess(art_ref_file_guess_t *guess, art_str_t *extension)
{
    size_t              n;
    const art_media_t  *media;

    if (guess->next == NULL) {
        media = art_media_row(0);
        guess->next = media->extensions;
        *extension = art_str("", 0);

        return 1;
    }

    while (*guess->next == '\0') {
        media = art_media_row(++guess->row);

        if (media == NULL) {
            return 0;
        }

        guess->next = media->extensions;
    }

    n = strcspn(guess->next, " ");
    *extension = art_str(guess->next, n);
    guess->next += n + (guess->next[n] == ' ');

    return 1;
}


int
art_ref_file_rank(art_str_t extension)
{
    int                   rank;
    art_str_t             known;
    art_ref_file_guess_t  guess;

    memset(&guess, 0, sizeof(guess));

    for (rank = 0; art_ref_file_guess(&guess, &known); rank++) {
        if (art_str_eq(known, extension)) {
            return rank;
        }
    }

    return -1;
}


art_str_t
art_ref_file_id(art_str_t name)
{
    size_t     i;
    art_str_t  extension;

    for (i = name.len; i > 1; i--) {

        if (name.data[i - 1] != '.') {
            continue;
        }

        extension = art_str(name.data + i, name.len - i);

        return art_media_by_extension(extension) ? art_str(name.data, i - 1)
                                                 : name;
    }

    return name;
}


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


/* With a space or the like it is the end of a title, not an extension. */

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


int
art_ref_layout_parse(art_str_t text, art_ref_layout_t *layout)
{
    size_t  i;

    memset(layout, 0, sizeof(art_ref_layout_t));

    if (art_str_eq(text, art_cstr("flat"))) {
        return ART_OK;
    }

    for (i = 0; i < text.len; i += 2) {

        if (layout->n == ART_REF_LAYOUT_LEVELS
            || text.data[i] < '1'
            || text.data[i] > '0' + ART_REF_LAYOUT_WIDTH
            || (i + 1 < text.len && text.data[i + 1] != ':'))
        {
            return ART_ERROR;
        }

        layout->width[layout->n++] = (uint8_t) (text.data[i] - '0');
    }

    /* an error if the text is empty or ends with a colon */

    return i == text.len + 1 ? ART_OK : ART_ERROR;
}


/*
 * The binary digits of i + 1 after the first are the widths: one layout has no
 * level, two have one, four have two, eight have three.
 */

int
art_ref_layout_any(unsigned i, art_ref_layout_t *layout)
{
    memset(layout, 0, sizeof(art_ref_layout_t));

    for (i++; i > 1; i >>= 1) {

        if (layout->n == ART_REF_LAYOUT_LEVELS) {
            return ART_ERROR;
        }

        layout->width[layout->n++] = (uint8_t) (1 + (i & 1));
    }

    return ART_OK;
}


size_t
art_ref_layout_len(const art_ref_layout_t *layout)
{
    size_t    len;
    unsigned  i;

    len = 0;

    for (i = 0; i < layout->n; i++) {
        len += layout->width[i] + 1u;
    }

    return len;
}


size_t
art_ref_layout_place(const art_ref_layout_t *layout,
    const uint8_t hash[ART_REF_LAYOUT_HASH], uint8_t *buf)
{
    size_t    len;
    unsigned  i, number, shift;

    /* the last six digits of the hash: no layout uses more */

    number = (unsigned) hash[ART_REF_LAYOUT_HASH - 3] << 16
             | (unsigned) hash[ART_REF_LAYOUT_HASH - 2] << 8
             | hash[ART_REF_LAYOUT_HASH - 1];

    len = 0;

    for (i = 0; i < layout->n; i++) {
        shift = 4u * layout->width[i];

        len += art_ref_layout_name(layout, i, number & ((1u << shift) - 1),
                                   buf + len);
        buf[len++] = '/';

        number >>= shift;
    }

    return len;
}


int
art_ref_layout_number(const art_ref_layout_t *layout, unsigned level,
    art_str_t name)
{
    int          number;
    size_t       i;
    const char  *digit;

    if (name.len != layout->width[level]) {
        return -1;
    }

    number = 0;

    for (i = 0; i < name.len; i++) {
        digit = memchr(art_ref_layout_digits, name.data[i], 16);

        if (digit == NULL) {
            return -1;
        }

        number = number * 16 + (int) (digit - art_ref_layout_digits);
    }

    return number;
}


size_t
art_ref_layout_name(const art_ref_layout_t *layout, unsigned level,
    unsigned number, uint8_t *buf)
{
    size_t  i;

    for (i = layout->width[level]; i > 0; i--) {
        buf[i - 1] = (uint8_t) art_ref_layout_digits[number & 15];
        number >>= 4;
    }

    return layout->width[level];
}
