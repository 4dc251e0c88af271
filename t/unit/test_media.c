
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The media type table, and the parsing of media types and extensions.
 */


#include "../../src/core/art_media_table.h"
#include "../../src/core/art_utf8.h"
#include "tap.h"


#define GENERIC  "application/octet-stream"


typedef struct {
    const char  *text;
    size_t       len;
    const char  *mime;
    const char  *charset;
    const char  *name;
} parse_case_t;


#define IN(text)  text, sizeof(text) - 1
#define NOTHING   "", NULL


static const parse_case_t  parse_cases[] = {
    { IN("image/png"), "image/png", NULL, "a plain type" },
    { IN("IMAGE/Png"), "image/png", NULL, "case does not matter" },
    { IN(" \timage/png\t "), "image/png", NULL, "nor white space around" },
    { IN("image/png;"), "image/png", NULL, "an empty parameter" },
    { IN("image/png ; q=\"x;y\""), "image/png", NULL, "parameters" },
    { IN("image/jpg"), "image/jpeg", NULL, "an alias" },
    { IN("Image/PJPEG; a=b"), "image/jpeg", NULL, "an alias in capitals" },
    { IN("application/x-rar-compressed"), "application/vnd.rar", NULL,
      "an alias of the seeds' table" },
    { IN("audio/mp3"), "audio/mpeg", NULL, "audio/mp3" },
    { IN("text/x-unheard-of"), "text/x-unheard-of", NULL,
      "a type without a row" },
    { IN("application/vnd.a.b-c+json"), "application/vnd.a.b-c+json", NULL,
      "all characters of a subtype" },

    { IN("text/plain; charset=utf-8"), "text/plain", "utf-8", "a charset" },
    { IN("text/plain;charset=GBK"), "text/plain", "GBK",
      "a charset as declared" },
    { IN("text/plain; CharSet=\"gb2312\""), "text/plain", "gb2312",
      "a quoted charset" },
    { IN("text/plain; format=flowed; charset=big5; x=y"), "text/plain",
      "big5", "a charset among others" },
    { IN("text/plain; a=\"b;charset=c\"; charset=d"), "text/plain", "d",
      "not one inside of quotes" },
    { IN("text/plain; a=\"b\\\";charset=c;\"; charset=d"), "text/plain", "d",
      "nor behind a quoted quote (RFC 9110 section 5.6.4)" },
    { IN("text/plain; xcharset=a; charset=b"), "text/plain", "b",
      "nor of another name that ends so" },
    { IN("text/plain; charset"), "text/plain", NULL,
      "a charset without a value" },
    { IN("text/plain; charset=a/b\r\nX: y"), "text/plain", NULL,
      "a charset that is no token" },
    { IN("application/x-javascript; charset=latin1"), "text/javascript",
      "latin1", "a charset of an alias" },

    { IN(GENERIC), NOTHING, "a generic type" },
    { IN("Application/Octet-Stream; charset=utf-8"), NOTHING,
      "a generic type in capitals, with parameters" },
    { IN("binary/octet-stream"), NOTHING, "binary/octet-stream" },
    { IN("application/force-download"), NOTHING,
      "application/force-download" },
    { IN(""), NOTHING, "nothing" },
    { IN("   "), NOTHING, "blanks" },
    { IN("image"), NOTHING, "a bare word" },
    { IN("png"), NOTHING, "another" },
    { IN("image/"), NOTHING, "no subtype" },
    { IN("/png"), NOTHING, "no type" },
    { IN("/"), NOTHING, "a slash" },
    { IN("x/y/z"), NOTHING, "two slashes" },
    { IN("image//png"), NOTHING, "two slashes in one" },
    { IN("image png"), NOTHING, "a blank for a slash" },
    { IN("image/png x"), NOTHING, "a word behind" },
    { IN("image /png"), NOTHING, "a blank in front of the slash" },
    { IN("image/ png"), NOTHING, "a blank behind the slash" },
    { IN("image/png, text/html"), NOTHING, "a list" },
    { IN(";"), NOTHING, "a semicolon" },
    { IN(";charset=utf-8"), NOTHING, "a parameter alone" },
    { IN("*/*"), NOTHING, "a range" },
    { IN("text/*"), NOTHING, "a range of subtypes" },
    { IN("text/plain\0"), NOTHING, "a NUL" },
    { IN("text/plain\r\nX: y"), NOTHING, "a line feed" },
    { IN("text/\"plain\""), NOTHING, "quotes" },
    { IN("im\xe4\xb8\x80ge/png"), NOTHING, "an ideograph" },
    { IN("image/\xff"), NOTHING, "a byte of no UTF-8" }
};


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
    { "application/vnd.oasis.opendocument.graphics", ART_KIND_DOCUMENT, 1,
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
    "application/json", "application/x-ipynb+json"
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
           && art_media_row(i) == row && art_media_index(row) == i
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
            || !art_str_eq(parsed(alias, &type), mime))
        {
            diag("alias %s", art_media_aliases[i].alias);
            bad++;
        }
    }

    ok(i > 0 && bad == 0, "aliases are sorted and name a row");
}


static void
check_parse(void)
{
    int                  pass;
    size_t               i;
    uint8_t             *text;
    art_media_type_t     type;
    const parse_case_t  *c;

    for (i = 0; i < nitems(parse_cases); i++) {
        c = &parse_cases[i];

        /* exactly its bytes, so that a sanitizer sees one read too many */

        text = malloc(c->len + (c->len == 0));
        memcpy(text, c->text, c->len);
        memset(&type, '#', sizeof(type));

        art_media_parse(art_str(text, c->len), &type);

        pass = type.len == strlen(c->mime)
               && memcmp(type.buf, c->mime, type.len) == 0
               && (c->charset == NULL
                   ? type.charset.len == 0
                   : art_str_eq(type.charset, art_cstr(c->charset)));

        if (!ok(pass, "parse: %s", c->name)) {
            diag_mem("type", type.buf, type.len > sizeof(type.buf)
                                       ? 0 : type.len);
            diag_mem("charset", type.charset.data, type.charset.len);
        }

        free(text);
    }

    art_media_parse(art_str(NULL, 0), &type);
    is_int((long long) type.len, 0, "parse: no text at all");
}


static void
check_length(void)
{
    size_t             len;
    char               text[300];
    art_media_type_t   type;

    memset(text, 'A', sizeof(text));
    memcpy(text, "text/", 5);

    for (len = ART_MEDIA_TYPE_MAX; len <= ART_MEDIA_TYPE_MAX + 1; len++) {
        art_media_parse(art_str(text, len), &type);

        is_int((long long) type.len,
               len > ART_MEDIA_TYPE_MAX ? 0 : ART_MEDIA_TYPE_MAX,
               len > ART_MEDIA_TYPE_MAX ? "128 bytes declare nothing"
                                        : "127 bytes are a type");
    }

    text[ART_MEDIA_TYPE_MAX] = ';';
    art_media_parse(art_str(text, sizeof(text)), &type);
    is_int((long long) type.len, ART_MEDIA_TYPE_MAX,
           "parameters do not count");
}


static void
check_kinds(void)
{
    size_t     i;
    unsigned   known, flags;
    art_str_t  mime;

    for (i = 0; i < nitems(kind_cases); i++) {
        mime = art_cstr(kind_cases[i].mime);
        flags = art_media_flags(mime);

        ok(art_media_find(mime) == NULL
           && art_media_kind(mime, &known) == kind_cases[i].kind
           && known == kind_cases[i].known
           && art_media_family(mime) == kind_cases[i].family
           && flags == kind_cases[i].flags,
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


/* Upper case, blanks and parameters around a type; returns the length. */

static size_t
disguise(char *dst, const char *mime)
{
    size_t  i, n;

    static const char  *ends[] = {
        "", " ", ";", "; a=b", ";a=\"x;y\" ; b", " \t;;;", "; =", ";\"", ";="
    };

    n = 0;

    for (i = tap_below(3); i > 0; i--) {
        dst[n++] = tap_below(2) ? ' ' : '\t';
    }

    for (i = 0; mime[i] != '\0'; i++) {
        dst[n] = mime[i];

        if (mime[i] >= 'a' && mime[i] <= 'z' && tap_below(2)) {
            dst[n] = (char) (mime[i] - 0x20);
        }

        n++;
    }

    i = tap_below(nitems(ends));
    memcpy(dst + n, ends[i], strlen(ends[i]));

    return n + strlen(ends[i]);
}


static void
check_random_types(void)
{
    char               text[300];
    size_t             i, len;
    unsigned           failed;
    const char        *mime;
    art_media_type_t   type;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        mime = art_media_table[tap_below(art_media_table_size)].mime;

        if (strcmp(mime, GENERIC) == 0) {
            continue;
        }

        len = disguise(text, mime);

        if (!art_str_eq(parsed(art_str(text, len), &type), art_cstr(mime))) {
            diag_mem("source", text, len);
            failed++;
        }
    }

    ok(failed == 0, "any case, blanks and parameters of any type");
}


/* What parsing promises of its result. */

static int
sound(const art_media_type_t *type, const uint8_t *text, size_t len)
{
    size_t             i, slashes;
    art_media_type_t   again;

    if (type->len == 0) {
        return type->charset.len == 0;
    }

    slashes = 0;

    for (i = 0; i < type->len; i++) {
        slashes += type->buf[i] == '/';

        if (type->buf[i] <= ' ' || type->buf[i] >= 0x7f
            || (type->buf[i] >= 'A' && type->buf[i] <= 'Z')
            || strchr("\"\\;,*()<>@:?=[]{}%'", type->buf[i]) != NULL)
        {
            return 0;
        }
    }

    return slashes == 1 && type->buf[0] != '/' && type->buf[i - 1] != '/'
           && type->len <= ART_MEDIA_TYPE_MAX
           && art_str_eq(parsed(art_str(type->buf, type->len), &again),
                         art_str(type->buf, type->len))
           && (type->charset.len == 0
               || (type->charset.data >= text
                   && type->charset.data + type->charset.len <= text + len));
}


static void
check_random_bytes(void)
{
    size_t             i, k, len;
    uint8_t           *text;
    unsigned           failed, types;
    art_media_type_t   type;

    static const char  pieces[] = "aZ/;=\" \t+-.charset*\\\0\r\n\xff%,:";

    failed = 0;
    types = 0;

    for (i = 0; i < 4000 && failed == 0; i++) {
        len = tap_below(i % 8 ? 24 : 400);
        text = malloc(len + 1);

        for (k = 0; k < len; k++) {
            text[k] = i % 3 ? (uint8_t) pieces[tap_below(sizeof(pieces) - 1)]
                            : (uint8_t) "abc/"[tap_below(4)];
        }

        /* some that are a type, and parameters of any kind */

        if (len > 8 && i % 2) {
            memcpy(text, "a/b; ", 5);
        }

        text = realloc(text, len + (len == 0));
        art_media_parse(art_str(text, len), &type);
        types += type.len > 0;

        if (!sound(&type, text, len)) {
            diag_mem("source", text, len);
            failed++;
        }

        free(text);
    }

    ok(failed == 0, "any bytes make a sound type or none");
    ok(types > 500 && types < 3500, "of both a good part");
}


int
main(void)
{
    check_table();
    check_aliases();
    check_parse();
    check_length();
    check_kinds();
    check_friendly();
    check_extensions();
    check_random_types();
    check_random_bytes();

    return done();
}
