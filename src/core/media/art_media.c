
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/form/art_pair.h"
#include "core/media/art_media_table.h"


static int art_media_has_extension(const art_media_t *media,
    art_str_t extension);
static art_kind_t art_media_kind(art_str_t mime, unsigned *known);
static art_family_t art_media_family(art_str_t mime);
static int art_media_is_inert(art_str_t mime);
static const void *art_media_search(art_str_t s, const void *rows,
    unsigned n, size_t size);
static int art_media_has_suffix(art_str_t mime, const char *suffix);
static int art_media_has_prefix(art_str_t mime, const char *prefix);
static void art_media_replace_alias(art_media_type_t *type);
static size_t art_media_essence(art_str_t text, uint8_t *buf, size_t *end);
static int art_media_token_char(uint8_t c);
static art_str_t art_media_charset(art_str_t params);


/* The kinds of types without a row, by how they begin. */

static const struct {
    const char    *prefix;
    art_kind_t     kind;
} art_media_majors[] = {
    { "text/", ART_KIND_TEXT },
    { "image/", ART_KIND_IMAGE },
    { "audio/", ART_KIND_AUDIO },
    { "video/", ART_KIND_VIDEO },
    { "message/", ART_KIND_TEXT },
    { "font/", ART_KIND_OTHER },
    { "model/", ART_KIND_OTHER },
    { "application/vnd.openxmlformats-officedocument.", ART_KIND_DOCUMENT },
    { "application/vnd.oasis.opendocument.", ART_KIND_DOCUMENT },
    { "application/vnd.ms-word", ART_KIND_DOCUMENT },
    { "application/vnd.ms-excel", ART_KIND_DOCUMENT },
    { "application/vnd.ms-powerpoint", ART_KIND_DOCUMENT }
};


static const char  *art_kind_names[ART_KIND_MAX] = {
    "text", "image", "audio", "video", "document", "other"
};


const art_media_t *
art_media_find(art_str_t mime)
{
    return art_media_search(mime, art_media_table, art_media_table_size,
                            sizeof(art_media_t));
}


const art_media_t *
art_media_by_extension(art_str_t extension)
{
    unsigned  i;

    if (extension.len == 0) {
        return NULL;
    }

    for (i = 0; i < art_media_table_size; i++) {
        if (art_media_has_extension(&art_media_table[i], extension)) {
            return &art_media_table[i];
        }
    }

    return NULL;
}


/* An extension is not empty; one with a space is in no row. */

static int
art_media_has_extension(const art_media_t *media, art_str_t extension)
{
    size_t       n;
    const char  *p;

    for (p = media->extensions; *p != '\0'; p += *p == ' ') {

        for (n = 0; n < extension.len && *p > ' '
                    && (uint8_t) *p == extension.data[n]; n++)
        {
            p++;
        }

        if (n == extension.len && (*p == ' ' || *p == '\0')) {
            return 1;
        }

        while (*p > ' ') {
            p++;
        }
    }

    return 0;
}


int
art_media_is_textual(const art_media_t *media)
{
    return media->kind == ART_KIND_TEXT || media->family == ART_FAMILY_XML
           || (media->flags & ART_MEDIA_TEXTUAL);
}


const art_media_t *
art_media_row(unsigned i)
{
    return i < art_media_table_size ? &art_media_table[i] : NULL;
}


art_media_traits_t
art_media_traits(art_str_t mime)
{
    art_media_traits_t  traits;

    traits.row = art_media_find(mime);

    if (traits.row != NULL) {
        traits.kind = traits.row->kind;
        traits.family = traits.row->family;
        traits.flags = traits.row->flags;
        traits.known = 1;

        return traits;
    }

    traits.kind = art_media_kind(mime, &traits.known);
    traits.family = art_media_family(mime);
    traits.flags = art_media_is_inert(mime) ? 0 : ART_MEDIA_ACTIVE;

    if (art_media_has_suffix(mime, "+json")) {
        traits.flags = ART_MEDIA_JSON;
    }

    return traits;
}


static art_kind_t
art_media_kind(art_str_t mime, unsigned *known)
{
    unsigned  i;

    *known = 1;

    for (i = 0; i < art_nitems(art_media_majors); i++) {
        if (art_media_has_prefix(mime, art_media_majors[i].prefix)) {
            return art_media_majors[i].kind;
        }
    }

    if (art_media_has_suffix(mime, "+json")
        || art_media_has_suffix(mime, "+xml")
        || art_media_has_suffix(mime, "+yaml"))
    {
        return ART_KIND_TEXT;
    }

    *known = 0;

    return ART_KIND_OTHER;
}


static art_family_t
art_media_family(art_str_t mime)
{
    if (art_media_has_suffix(mime, "+xml")) {
        return ART_FAMILY_XML;
    }

    if (art_media_has_suffix(mime, "+zip")
        || art_media_has_suffix(mime, ".macroenabled.12")
        || art_media_has_prefix(mime, "application/vnd.ms-xpsdocument")
        || art_media_has_prefix(mime,
                                "application/vnd.openxmlformats-officedocument")
        || art_media_has_prefix(mime, "application/vnd.oasis.opendocument"))
    {
        return ART_FAMILY_ZIP;
    }

    if (art_media_has_prefix(mime, "application/vnd.ms-")) {
        return ART_FAMILY_OLE;
    }

    return ART_FAMILY_NONE;
}


/*
 * Browsers execute more types than anyone can list ("text/xsl",
 * "image/svg-xml", ...), so types without a row are trusted only if they cannot
 * be markup.
 */

static int
art_media_is_inert(art_str_t mime)
{
    size_t  i;

    if (art_media_has_prefix(mime, "audio/")
        || art_media_has_prefix(mime, "video/")
        || art_media_has_prefix(mime, "font/"))
    {
        return 1;
    }

    if (!art_media_has_prefix(mime, "image/")) {
        return 0;
    }

    for (i = 0; i + 3 <= mime.len; i++) {
        if (memcmp(mime.data + i, "svg", 3) == 0
            || memcmp(mime.data + i, "xml", 3) == 0)
        {
            return 0;
        }
    }

    return 1;
}


int
art_media_in(art_str_t range, art_str_t mime)
{
    if (art_str_eq(range, art_cstr("*")) || art_str_eq(range, art_cstr("*/*")))
    {
        return 1;
    }

    if (range.len > 2 && memcmp(range.data + range.len - 2, "/*", 2) == 0) {
        range.len--;

        return mime.len > range.len
               && memcmp(mime.data, range.data, range.len) == 0;
    }

    return art_str_eq(range, mime);
}


const char *
art_kind_name(art_kind_t kind)
{
    return art_kind_names[kind];
}


art_str_t
art_media_friendly(art_str_t mime, art_lang_t lang)
{
    const art_media_t  *media;

    media = art_media_find(mime);

    return media != NULL ? art_cstr(media->names[lang]) : mime;
}


art_str_t
art_media_extension(art_str_t name, uint8_t *buf)
{
    size_t  i, n;

    for (i = name.len; i > 0 && name.data[i - 1] != '.'; i--) {
        if (name.data[i - 1] == '/') {
            return art_str(NULL, 0);
        }
    }

    n = name.len - i;

    /* a name that only starts with a dot (".env") is looked up whole */

    if (i == 0 || n == 0 || n > ART_MEDIA_EXT_MAX) {
        return art_str(NULL, 0);
    }

    for (n = 0; i < name.len; i++, n++) {
        buf[n] = art_char_lower(name.data[i]);
    }

    return art_str(buf, n);
}


art_str_t
art_media_rename(art_str_t name, art_str_t was, art_str_t mime, uint8_t *buf)
{
    art_out_t           out;
    art_str_t           extension;
    const art_media_t  *from, *to;

    extension = art_media_extension(name, buf);
    from = art_media_find(was);
    to = art_media_find(mime);

    if (from == NULL || !art_media_has_extension(from, extension)) {
        from = art_media_by_extension(extension);
    }

    out = art_out(buf, name.len + ART_MEDIA_EXT_MAX);

    if (from == NULL || to == NULL || from == to || *to->extensions == '\0') {
        art_out_str(&out, name);
        return art_str(buf, out.len);
    }

    art_out_str(&out, art_str(name.data, name.len - extension.len));
    art_out_mem(&out, to->extensions, strcspn(to->extensions, " "));

    return art_str(buf, out.len);
}


/*
 * A row of either table, which begins with its name and is sorted by it, or
 * NULL.  Most names begin alike: what the string has in common with the names
 * below and above those that are left it has with all of them in between, and
 * is not compared again.
 */

static const void *
art_media_search(art_str_t s, const void *rows, unsigned n, size_t size)
{
    size_t       i, below, above;
    unsigned     low, high, middle;
    const char  *name, *row;

    low = 0;
    high = n;
    below = 0;
    above = 0;

    while (low < high) {
        middle = low + (high - low) / 2;
        row = (const char *) rows + middle * size;
        name = *(const char *const *) row;

        i = below < above ? below : above;

        while (i < s.len && name[i] != '\0' && s.data[i] == (uint8_t) name[i]) {
            i++;
        }

        if (i == s.len && name[i] == '\0') {
            return row;
        }

        /* where the name has ended its zero is less than any byte of a key */

        if (i < s.len && (name[i] == '\0' || s.data[i] > (uint8_t) name[i])) {
            low = middle + 1;
            below = i;

        } else {
            high = middle;
            above = i;
        }
    }

    return NULL;
}


static int
art_media_has_suffix(art_str_t mime, const char *suffix)
{
    size_t  len;

    len = strlen(suffix);

    return mime.len > len
           && memcmp(mime.data + mime.len - len, suffix, len) == 0;
}


static int
art_media_has_prefix(art_str_t mime, const char *prefix)
{
    size_t  len;

    len = strlen(prefix);

    return mime.len > len && memcmp(mime.data, prefix, len) == 0;
}


void
art_media_parse(art_str_t text, art_media_type_t *out)
{
    size_t  end;

    out->charset = art_str(NULL, 0);
    out->len = art_media_essence(text, out->buf, &end);

    if (out->len == 0) {
        return;
    }

    art_media_replace_alias(out);

    /* what clients declare for an unknown type */

    if (art_str_eq(art_str(out->buf, out->len),
                   art_cstr("application/octet-stream")))
    {
        out->len = 0;
        return;
    }

    out->charset = art_media_charset(art_str(text.data + end, text.len - end));
}


void
art_media_range(art_str_t text, art_media_type_t *out)
{
    size_t   end;
    uint8_t  copy[ART_MEDIA_TYPE_MAX];

    out->charset = art_str(NULL, 0);
    out->len = 0;

    if (text.len < 2 || text.len > sizeof(copy)) {
        return;
    }

    memcpy(copy, text.data, text.len);

    if (memcmp(copy + text.len - 2, "/*", 2) != 0) {
        out->len = art_media_essence(text, out->buf, &end);
        art_media_replace_alias(out);
        return;
    }

    copy[text.len - 1] = 'x';
    out->len = art_media_essence(art_str(copy, text.len), out->buf, &end);

    if (out->len > 0) {
        out->buf[out->len - 1] = '*';
    }
}


static void
art_media_replace_alias(art_media_type_t *type)
{
    art_str_t                 essence;
    const art_media_alias_t  *alias;

    essence = art_str(type->buf, type->len);

    if (art_media_find(essence) != NULL) {
        return;
    }

    alias = art_media_search(essence, art_media_aliases,
                             art_media_aliases_size,
                             sizeof(art_media_alias_t));

    if (alias != NULL) {
        type->len = strlen(alias->mime);
        memcpy(type->buf, alias->mime, type->len);
    }
}


/*
 * Copies "type/subtype" in lower case and returns its length, 0 if the text is
 * not a media type.  *end is the offset of the parameters.
 */

static size_t
art_media_essence(art_str_t text, uint8_t *buf, size_t *end)
{
    size_t    i, n, slash;
    uint8_t   c;

    for (i = 0; i < text.len && (text.data[i] == ' ' || text.data[i] == '\t');
         i++)
    {
        /* void */
    }

    slash = 0;

    for (n = 0; i < text.len; i++, n++) {
        c = text.data[i];

        if (c == ';' || c == ' ' || c == '\t') {
            break;
        }

        if (n == ART_MEDIA_TYPE_MAX
            || (c == '/' && (slash != 0 || n == 0))
            || (c != '/' && !art_media_token_char(c)))
        {
            return 0;
        }

        if (c == '/') {
            slash = n;
        }

        buf[n] = art_char_lower(c);
    }

    while (i < text.len && (text.data[i] == ' ' || text.data[i] == '\t')) {
        i++;
    }

    if (slash == 0 || slash + 1 == n || (i < text.len && text.data[i] != ';')) {
        return 0;
    }

    *end = i;

    return n;
}


/* The names that RFC 6838 section 4.2 allows; "*" is for ranges only. */

static int
art_media_token_char(uint8_t c)
{
    return art_char_alnum(c)
           || (c != 0 && c < 0x80 && strchr("!#$&-^_.+", c) != NULL);
}


/* The value of the charset parameter, a token, without quotes. */

static art_str_t
art_media_charset(art_str_t params)
{
    size_t      i;
    art_pair_t  param;

    while (art_param_next(&params, &param)) {

        if (!art_str_is(param.name, "charset")) {
            continue;
        }

        for (i = 0; i < param.value.len; i++) {
            if (!art_media_token_char(param.value.data[i])) {
                return art_str(NULL, 0);
            }
        }

        return param.value;
    }

    return art_str(NULL, 0);
}
