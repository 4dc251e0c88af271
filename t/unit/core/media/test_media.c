
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The media type table: its rows, what stands for a type without one, and the
 * extensions of names.
 */


#include "core/media/art_media.h"
#include "core/media/art_media_table.h"
#include "core/text/art_utf8.h"
#include "tap.h"


#define GENERIC   "application/octet-stream"

#define IN(text)  text, sizeof(text) - 1


/* Without a row only what cannot be markup is taken for inert. */

static const struct {
    const char    *mime;
    art_kind_t     kind;
    unsigned       known;
    art_family_t   family;
    unsigned       flags;
} kind_cases[] = {
    { "image/x-new", ART_KIND_IMAGE, 1, ART_FAMILY_NONE, 0 },
    { "audio/x-new", ART_KIND_AUDIO, 1, ART_FAMILY_NONE, 0 },
    { "video/x-new", ART_KIND_VIDEO, 1, ART_FAMILY_NONE, 0 },
    { "text/x-new", ART_KIND_TEXT, 1, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "message/x-new", ART_KIND_TEXT, 1, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "font/x-new", ART_KIND_OTHER, 1, ART_FAMILY_NONE, 0 },
    { "application/ld+json", ART_KIND_TEXT, 1, ART_FAMILY_NONE,
      ART_MEDIA_JSON },
    { "application/rss+xml", ART_KIND_TEXT, 1, ART_FAMILY_XML,
      ART_MEDIA_ACTIVE },
    { "image/svg-xml", ART_KIND_IMAGE, 1, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "image/x-new+xml", ART_KIND_IMAGE, 1, ART_FAMILY_XML,
      ART_MEDIA_ACTIVE },
    { "application/x-new+yaml", ART_KIND_TEXT, 1, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "application/x-new+zip", ART_KIND_OTHER, 0, ART_FAMILY_ZIP,
      ART_MEDIA_ACTIVE },
    { "application/x-new", ART_KIND_OTHER, 0, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "application/xml-new", ART_KIND_OTHER, 0, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "chemical/x-pdb", ART_KIND_OTHER, 0, ART_FAMILY_NONE,
      ART_MEDIA_ACTIVE },
    { "application/vnd.oasis.opendocument.chart", ART_KIND_DOCUMENT, 1,
      ART_FAMILY_ZIP, ART_MEDIA_ACTIVE },
    { "application/vnd.openxmlformats-officedocument.wordprocessingml."
      "template", ART_KIND_DOCUMENT, 1, ART_FAMILY_ZIP, ART_MEDIA_ACTIVE },

    /* OOXML with macros, ECMA-376 packages like those without */

    { "application/vnd.ms-excel.sheet.macroenabled.12", ART_KIND_DOCUMENT, 1,
      ART_FAMILY_ZIP, ART_MEDIA_ACTIVE },
    { "application/vnd.ms-word.document.macroenabled.12", ART_KIND_DOCUMENT,
      1, ART_FAMILY_ZIP, ART_MEDIA_ACTIVE },
    { "application/vnd.ms-powerpoint.presentation.macroenabled.12",
      ART_KIND_DOCUMENT, 1, ART_FAMILY_ZIP, ART_MEDIA_ACTIVE }
};


/* The names of the seeds' table, and what stands for a type without one. */

static const char  *friendly_cases[][3] = {
    { "image/jpeg", "JPEG 图片", "JPEG image" },
    { "image/png", "PNG 图片", "PNG image" },
    { "image/gif", "GIF 图片", "GIF image" },
    { "image/webp", "WebP 图片", "WebP image" },
    { "image/bmp", "BMP 图片", "BMP image" },
    { "image/svg+xml", "SVG 图片", "SVG image" },
    { "application/pdf", "PDF 文档", "PDF document" },
    { "application/msword", "Word 文档", "Word document" },
    { "application/vnd.openxmlformats-officedocument.wordprocessingml."
      "document", "Word 文档", "Word document" },
    { "application/vnd.ms-excel", "Excel 表格", "Excel spreadsheet" },
    { "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "Excel 表格", "Excel spreadsheet" },
    { "application/vnd.ms-powerpoint", "PowerPoint 演示",
      "PowerPoint presentation" },
    { "application/vnd.openxmlformats-officedocument.presentationml."
      "presentation", "PowerPoint 演示", "PowerPoint presentation" },
    { "audio/mpeg", "MP3 音频", "MP3 audio" },
    { "audio/wav", "WAV 音频", "WAV audio" },
    { "audio/ogg", "OGG 音频", "OGG audio" },
    { "video/mp4", "MP4 视频", "MP4 video" },
    { "video/webm", "WebM 视频", "WebM video" },
    { "video/quicktime", "QuickTime 视频", "QuickTime video" },
    { "application/zip", "ZIP 压缩包", "ZIP archive" },
    { "application/vnd.rar", "RAR 压缩包", "RAR archive" },
    { "application/octet-stream", "二进制文件", "binary file" },
    { "application/x-new", "application/x-new", "application/x-new" }
};


static const struct {
    const char  *name;
    size_t       len;
    const char  *want;
} extension_cases[] = {
    { IN("a.png"), "png" },
    { IN(".PNG"), "png" },
    { IN("a.b.TXT"), "txt" },
    { IN("a.tar.gz"), "gz" },
    { IN("dir.css/noext"), "" },
    { IN("dir.css/a.js"), "js" },
    { IN("noext"), "" },
    { IN("a."), "" },
    { IN("."), "" },
    { IN(""), "" },
    { IN("a.1234567890123456"), "1234567890123456" },
    { IN("a.12345678901234567"), "" },
    { IN("a.\xe5\x9b\xbe"), "\xe5\x9b\xbe" },
    { IN("a.b\0c"), NULL },
    { IN("a. "), " " }
};


static const char  *json_types[] = {
    "application/json", "application/x-ipynb+json", "model/gltf+json"
};

static const char  *active_types[] = {
    "application/xhtml+xml", "application/xml", "image/svg+xml", "text/html",
    "text/xml"
};


static art_str_t
parsed(art_str_t text, art_media_type_t *type)
{
    art_media_parse(text, type);

    return art_str(type->buf, type->len);
}


static int
listed(const char *mime, const char **list, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (strcmp(list[i], mime) == 0) {
            return 1;
        }
    }

    return 0;
}


static int
good_extensions(const art_media_t *row)
{
    size_t       n;
    unsigned     i;
    const char  *p;

    for (p = row->extensions; *p != '\0'; p += n + (p[n] == ' ')) {
        n = strcspn(p, " ");

        if (n == 0 || n > ART_MEDIA_EXT_MAX || (p[n] == ' ' && !p[n + 1])) {
            return 0;
        }

        for (i = 0; i < n; i++) {
            if (p[i] == '.' || (p[i] >= 'A' && p[i] <= 'Z')) {
                return 0;
            }
        }

        /* unique: the look-up finds this row and no earlier one */

        if (art_media_by_extension(art_str(p, n)) != row) {
            return 0;
        }
    }

    return 1;
}


static int
good_row(unsigned i)
{
    art_str_t           mime;
    const art_media_t  *row;
    art_media_type_t    type;

    row = &art_media_table[i];
    mime = art_cstr(row->mime);

    return (i == 0 || strcmp(art_media_table[i - 1].mime, row->mime) < 0)
           && mime.len <= ART_MEDIA_TYPE_MAX
           && art_media_row(i) == row
           && art_media_find(mime) == row
           && (strcmp(row->mime, GENERIC) == 0
               || art_str_eq(parsed(mime, &type), mime))
           && row->kind < ART_KIND_MAX
           && strlen(row->names[ART_LANG_ZH]) > 0
           && strlen(row->names[ART_LANG_EN]) > 0
           && art_utf8_valid((const uint8_t *) row->names[ART_LANG_ZH],
                             strlen(row->names[ART_LANG_ZH]))
           && strspn(row->names[ART_LANG_EN], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "abcdefghijklmnopqrstuvwxyz0123456789 +#-")
              == strlen(row->names[ART_LANG_EN])
           && good_extensions(row);
}


/*
 * The flags say what the contract says of these types: a browser executes the
 * ones listed, and never images of dots, sound or video.
 */

static int
good_flags(const art_media_t *row)
{
    if ((row->flags & ART_MEDIA_CONTAINER) && row->family == ART_FAMILY_NONE) {
        return 0;
    }

    if ((row->flags & ART_MEDIA_SIGNED) && row->kind == ART_KIND_TEXT) {
        return 0;
    }

    if (listed(row->mime, active_types, nitems(active_types))) {
        return (row->flags & ART_MEDIA_ACTIVE) != 0;
    }

    return !(row->flags & ART_MEDIA_JSON)
              == !listed(row->mime, json_types, nitems(json_types))
           && !((row->flags & ART_MEDIA_ACTIVE)
                && (row->kind != ART_KIND_TEXT
                    || strcmp(row->mime, "text/plain") == 0));
}


static void
check_table(void)
{
    unsigned  i, bad;

    bad = 0;

    for (i = 0; i < art_media_table_size; i++) {
        if (!good_row(i)) {
            diag("row %u, %s", i, art_media_table[i].mime);
            bad++;
        }
    }

    ok(i > 0 && bad == 0, "rows are sorted, named and found again");
    ok(art_media_row(i) == NULL && art_media_row(i + 1) == NULL
       && art_media_row((unsigned) -1) == NULL, "no row past the end");

    bad = 0;

    for (i = 0; i < art_media_table_size; i++) {
        if (!good_flags(&art_media_table[i])) {
            diag("row %u, %s", i, art_media_table[i].mime);
            bad++;
        }
    }

    ok(bad == 0, "flags are those of the contract");
}


static void
check_aliases(void)
{
    unsigned           i, bad;
    art_str_t          alias, mime;
    art_media_type_t   type;

    bad = 0;

    for (i = 0; i < art_media_aliases_size; i++) {
        alias = art_cstr(art_media_aliases[i].alias);
        mime = art_cstr(art_media_aliases[i].mime);

        if ((i > 0 && strcmp(art_media_aliases[i - 1].alias,
                             art_media_aliases[i].alias) >= 0)
            || art_media_find(alias) != NULL
            || art_media_find(mime) == NULL
            || (!art_str_eq(parsed(alias, &type), mime)
                && !(type.len == 0
                     && art_str_eq(mime,
                                   art_cstr("application/octet-stream")))))
        {
            diag("alias %s", art_media_aliases[i].alias);
            bad++;
        }
    }

    ok(i > 0 && bad == 0, "aliases are sorted and name a row");
}


static void
check_kinds(void)
{
    size_t              i;
    art_str_t           mime;
    art_media_traits_t  traits;

    for (i = 0; i < nitems(kind_cases); i++) {
        mime = art_cstr(kind_cases[i].mime);
        traits = art_media_traits(mime);

        ok(traits.row == NULL
           && traits.kind == kind_cases[i].kind
           && traits.known == kind_cases[i].known
           && traits.family == kind_cases[i].family
           && traits.flags == kind_cases[i].flags,
           "without a row: %s", kind_cases[i].mime);
    }

    is_str(art_kind_name(ART_KIND_TEXT), "text", "the name of text");
    is_str(art_kind_name(ART_KIND_IMAGE), "image", "of images");
    is_str(art_kind_name(ART_KIND_AUDIO), "audio", "of audio");
    is_str(art_kind_name(ART_KIND_VIDEO), "video", "of video");
    is_str(art_kind_name(ART_KIND_DOCUMENT), "document", "of documents");
    is_str(art_kind_name(ART_KIND_OTHER), "other", "of all else");
}


static void
check_friendly(void)
{
    size_t     i;
    art_str_t  mime, zh, en;

    for (i = 0; i < nitems(friendly_cases); i++) {
        mime = art_cstr(friendly_cases[i][0]);
        zh = art_media_friendly(mime, ART_LANG_ZH);
        en = art_media_friendly(mime, ART_LANG_EN);

        if (!ok(art_str_eq(zh, art_cstr(friendly_cases[i][1]))
                && art_str_eq(en, art_cstr(friendly_cases[i][2])),
                "for people: %s", friendly_cases[i][0]))
        {
            diag_mem("zh", zh.data, zh.len);
            diag_mem("en", en.data, en.len);
        }
    }
}


static void
check_extensions(void)
{
    size_t              i;
    uint8_t             buf[ART_MEDIA_EXT_MAX];
    art_str_t           got;
    const char         *want;
    const art_media_t  *row;

    for (i = 0; i < nitems(extension_cases); i++) {
        got = art_media_extension(art_str(extension_cases[i].name,
                                          extension_cases[i].len), buf);
        want = extension_cases[i].want;

        ok(want ? art_str_eq(got, art_cstr(want))
                : art_media_by_extension(got) == NULL,
           "extension of \"%s\"", extension_cases[i].name);
    }

    ok(art_media_by_extension(art_cstr("")) == NULL
       && art_media_by_extension(art_cstr(" ")) == NULL
       && art_media_by_extension(art_cstr("jpg jpeg")) == NULL
       && art_media_by_extension(art_cstr("jp")) == NULL,
       "no row of what is no extension");

    row = art_media_by_extension(art_cstr("jpeg"));
    is_str(row ? row->mime : "", "image/jpeg", "the row of an extension");
}


static void
check_rename(void)
{
    size_t     i;
    uint8_t    buf[64];
    art_str_t  name, got;

    static const struct {
        const char  *name;
        const char  *was;
        const char  *mime;
        const char  *want;
    } cases[] = {
        { "scan.png", "image/png", "text/plain", "scan.txt" },
        { "scan.png", "image/gif", "text/plain", "scan.txt" },
        { "scan.png", "", "text/plain", "scan.txt" },
        { "a.b.HEIC", "image/heic", "image/jpeg", "a.b.jpg" },
        { "x.jpeg", "image/jpeg", "image/jpeg", "x.jpeg" },
        { "x.jpeg", "image/png", "image/jpeg", "x.jpeg" },
        { "app.log", "image/png", "text/plain", "app.log" },
        { "photo", "image/png", "image/jpeg", "photo" },
        { "release 1.2", "application/pdf", "text/markdown", "release 1.2" },
        { "scan.png", "image/png", "image/x-new", "scan.png" },
        { "a.jpg jpeg", "image/jpeg", "text/plain", "a.jpg jpeg" },
        { "a.jpegs", "image/jpeg", "text/plain", "a.jpegs" },
        { ".png", "image/png", "image/jpeg", ".jpg" },
        { "工.docx", "application/zip", "text/markdown", "工.md" },
        { "", "image/png", "image/jpeg", "" }
    };

    for (i = 0; i < nitems(cases); i++) {
        name = art_cstr(cases[i].name);
        got = art_media_rename(name, art_cstr(cases[i].was),
                               art_cstr(cases[i].mime), buf);

        is_mem(got.data, got.len, cases[i].want, strlen(cases[i].want),
               cases[i].name);
    }
}


int
main(void)
{
    check_table();
    check_aliases();
    check_kinds();
    check_friendly();
    check_extensions();
    check_rename();

    return done();
}
