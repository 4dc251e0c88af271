
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a content is taken for: every rule with its cases, and what has to
 * hold for any claims and any content.
 */


#include <iconv.h>

#include "../../src/core/art_classify.h"
#include "../../src/core/art_text.h"
#include "tap.h"


#define B(bytes)   bytes, sizeof(bytes) - 1

#define OOXML      "application/vnd.openxmlformats-officedocument."
#define DOCX       OOXML "wordprocessingml.document"
#define XLSX       OOXML "spreadsheetml.sheet"
#define MSEXCEL    "application/vnd.ms-excel"
#define OCTETS     "application/octet-stream"
#define ZIP_HEAD   "PK\3\4\x14\0\0\0\x08\0\0\0!\0\x11\x22\x33\x44\0\1\0\0"    \
                   "\0\2\0\0\x08\0\0\0"
#define MP4_HEAD   "\0\0\0\x20" "ftyp"
#define OGG_HEAD   "OggS\0\2\0\0\0\0\0\0\0\0\x11\x22\x33\x44\0\0\0\0"        \
                   "\x55\x66\x77\x88\1\x1e"
#define LATIN      "A long enough sentence on a caf\xe9, in Latin 1 as it was."


typedef enum {
    UNREAD = 0,              /* no evidence: the content was not looked at */
    EMPTY,
    TEXT,
    CHINESE,
    GBK,
    GBK_OLD,
    STRAY,
    NULTEXT,
    BINARY,
    UTF16LE,
    UTF16BE,
    MARKED,
    PNG,
    JPEG,
    GIF,
    PDF,
    ELF,
    GZIP,
    ZIP,
    WORD,
    SHEET,
    OLE,
    XML,
    SVG,
    HTML,
    VORBIS,
    THEORA,
    MP4,
    M4A,
    HEIC,
    HEIF,
    WEBM,
    MKV,
    MP3,
    CONTENTS
} content_t;


static const struct {
    const char  *bytes;
    size_t       len;
} contents[CONTENTS] = {
    { B("") },
    { B("") },
    { B("only words\n") },
    { B("工件内容\n") },
    { B("\xb9\xa4\xbc\xfe\xc4\xda\xc8\xdd\n") },
    { B("\xb9\xa4\xbc\xfe\xc4\xda\xc8\xdd\r\n\x1a") },
    { B(LATIN) },
    { B("words\0and more words\n") },
    { B("\x93\0\1\2\xff\xfe\0\0\0\x11\x9c\x81") },
    { B("h\0e\0l\0l\0o\0\n\0") },
    { B("\0h\0e\0l\0l\0o\0\n") },
    { B("\xff\xfeh\0e\0l\0l\0o\0") },
    { B("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1") },
    { B("\xff\xd8\xff\xe0\0\x10JFIF\0\1") },
    { B("GIF89a\1\0\1\0\x80\0\0") },
    { B("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj") },
    { B("\x7f" "ELF\2\1\1\0\0\0\0\0") },
    { B("\x1f\x8b\x08\0\0\0\0\0\0\3") },
    { B(ZIP_HEAD "a.txt\0\0\0") },
    { B(ZIP_HEAD "[Content_Types].xml\0\0" ZIP_HEAD "word/document.xml") },
    { B(ZIP_HEAD "[Content_Types].xml\0\0" ZIP_HEAD "xl/workbook.xml") },
    { B("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0") },
    { B("<?xml version=\"1.0\"?>\n<feed/>\n") },
    { B("<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n") },
    { B("<!DOCTYPE html>\n<title>t</title>\n") },
    { B(OGG_HEAD "\1vorbis") },
    { B(OGG_HEAD "\x80theora") },
    { B(MP4_HEAD "isom\0\0\2\0isomiso2") },
    { B(MP4_HEAD "M4A \0\0\2\0isommp42") },
    { B(MP4_HEAD "heic\0\0\0\0mif1heic") },
    { B(MP4_HEAD "mif1\0\0\0\0mif1heic") },
    { B("\x1a\x45\xdf\xa3\x9f\x42\x86\x81\1\x42\x82\x84webm\0\0") },
    { B("\x1a\x45\xdf\xa3\x9f\x42\x86\x81\1\x42\x82\x88matroska\0") },
    { B("ID3\3\0\0\0\0\x1f\x76TIT2\0\0") }
};


typedef struct {
    content_t     content;
    const char   *declared[2];
    const char   *extension;
    const char   *name;
    const char   *mime;          /* NULL: nothing is known yet */
    art_kind_t    kind;
    art_from_t    from;
    const char   *charset;
} case_t;


#define TYPE(type)      { type, NULL }, NULL, NULL
#define NAMED(name)     { NULL, NULL }, NULL, name
#define EXT(extension)  { NULL, NULL }, extension, NULL
#define NOTHING         { NULL, NULL }, NULL, NULL

#define IS_TEXT     ART_KIND_TEXT
#define IS_IMAGE    ART_KIND_IMAGE
#define IS_AUDIO    ART_KIND_AUDIO
#define IS_VIDEO    ART_KIND_VIDEO
#define IS_DOC      ART_KIND_DOCUMENT
#define IS_OTHER    ART_KIND_OTHER

#define DECLARED    ART_FROM_METADATA
#define BY_NAME     ART_FROM_NAME
#define BY_CONTENT  ART_FROM_CONTENT


/* Declared types, and what contradicts them. */

static const case_t  declared_cases[] = {
    { PNG, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { PNG, TYPE("Image/PNG; a=b"), "image/png", IS_IMAGE, DECLARED, NULL },
    { PNG, TYPE("text/plain"), "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { PNG, TYPE("text/plain; charset=gbk"), "image/png", IS_IMAGE,
      BY_CONTENT, NULL },
    { PNG, TYPE("application/json"), "image/png", IS_IMAGE, BY_CONTENT,
      NULL },
    { PNG, TYPE("image/svg+xml"), "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { PNG, TYPE("video/mp4"), "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { JPEG, TYPE("image/png"), "image/jpeg", IS_IMAGE, BY_CONTENT, NULL },
    { JPEG, TYPE("image/jpg"), "image/jpeg", IS_IMAGE, DECLARED, NULL },
    { ELF, TYPE("image/png"), "application/x-executable", IS_OTHER,
      BY_CONTENT, NULL },
    { PDF, TYPE("image/png"), "application/pdf", IS_DOC, BY_CONTENT, NULL },
    { PDF, TYPE(DOCX), "application/pdf", IS_DOC, BY_CONTENT, NULL },
    { GZIP, TYPE("application/zip"), "application/gzip", IS_OTHER,
      BY_CONTENT, NULL },
    { MP3, TYPE("application/pdf"), "audio/mpeg", IS_AUDIO, BY_CONTENT,
      NULL },
    { MP3, TYPE("audio/flac"), "audio/flac", IS_AUDIO, DECLARED, NULL },

    /* no signature: the metadata is believed */

    { TEXT, TYPE("image/png"), "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { TEXT, TYPE("application/pdf"), "text/plain", IS_TEXT, BY_CONTENT,
      NULL },
    { TEXT, TYPE("image/svg+xml"), "image/svg+xml", IS_IMAGE, DECLARED,
      NULL },
    { BINARY, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { BINARY, TYPE("video/x-new"), "video/x-new", IS_VIDEO, DECLARED, NULL },
    { NULTEXT, TYPE("application/pdf"), "application/pdf", IS_DOC, DECLARED,
      NULL },
    { EMPTY, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { EMPTY, TYPE("text/html"), "text/html", IS_TEXT, DECLARED, NULL },

    /* what is not text is binary whatever it is declared */

    { NULTEXT, TYPE("text/plain"), OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { NULTEXT, TYPE("text/x-new"), OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { NULTEXT, TYPE("application/ld+json"), OCTETS, IS_OTHER, BY_CONTENT,
      NULL },
    { NULTEXT, TYPE("image/svg+xml"), OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { NULTEXT, TYPE("text/plain; charset=gbk"), OCTETS, IS_OTHER,
      BY_CONTENT, NULL },
    { BINARY, TYPE("text/markdown"), OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { NULTEXT, TYPE("text/plain; charset=utf-16"), "text/plain", IS_TEXT,
      DECLARED, "UTF-16" },

    /* compatible types, the more specific of them */

    { WORD, TYPE("application/zip"), DOCX, IS_DOC, DECLARED, NULL },
    { WORD, TYPE(DOCX), DOCX, IS_DOC, DECLARED, NULL },
    { ZIP, TYPE(DOCX), DOCX, IS_DOC, DECLARED, NULL },
    { ZIP, TYPE("application/x-zip-compressed"), "application/zip", IS_OTHER,
      DECLARED, NULL },
    { ZIP, TYPE("application/epub+zip"), "application/epub+zip", IS_DOC,
      DECLARED, NULL },
    { ZIP, TYPE("application/vnd.oasis.opendocument.graphics"),
      "application/vnd.oasis.opendocument.graphics", IS_DOC, DECLARED,
      NULL },
    { ZIP, TYPE("application/vnd.android.package-archive"),
      "application/vnd.android.package-archive", IS_OTHER, DECLARED, NULL },
    { ZIP, TYPE("text/plain"), "application/zip", IS_OTHER, BY_CONTENT,
      NULL },
    { SHEET, TYPE(DOCX), XLSX, IS_DOC, BY_CONTENT, NULL },
    { ZIP, TYPE(MSEXCEL ".sheet.macroEnabled.12"),
      MSEXCEL ".sheet.macroenabled.12", IS_DOC, DECLARED, NULL },
    { OLE, TYPE("application/msword"), "application/msword", IS_DOC,
      DECLARED, NULL },
    { OLE, TYPE(MSEXCEL), MSEXCEL, IS_DOC, DECLARED, NULL },
    { OLE, TYPE("application/vnd.ms-powerpoint"),
      "application/vnd.ms-powerpoint", IS_DOC, DECLARED, NULL },
    { OLE, TYPE("application/vnd.ms-outlook"), "application/vnd.ms-outlook",
      IS_DOC, DECLARED, NULL },
    { OLE, TYPE("application/vnd.ms-project"), "application/vnd.ms-project",
      IS_OTHER, DECLARED, NULL },
    { OLE, TYPE("image/png"), "application/x-ole-storage", IS_OTHER,
      BY_CONTENT, NULL },
    { SVG, TYPE("application/xml"), "image/svg+xml", IS_IMAGE, DECLARED,
      NULL },
    { SVG, TYPE("text/xml; charset=gbk"), "image/svg+xml", IS_IMAGE,
      DECLARED, "GB18030" },
    { SVG, TYPE("image/svg"), "image/svg+xml", IS_IMAGE, DECLARED, NULL },
    { XML, TYPE("image/svg+xml"), "image/svg+xml", IS_IMAGE, DECLARED,
      NULL },
    { XML, TYPE("application/rss+xml"), "application/rss+xml", IS_TEXT,
      DECLARED, NULL },
    { XML, TYPE("text/xml"), "text/xml", IS_TEXT, DECLARED, NULL },
    { SVG, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED, NULL },
    { HTML, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED, NULL },
    { HTML, TYPE("application/xml"), "application/xml", IS_TEXT, DECLARED,
      NULL },
    { VORBIS, TYPE("audio/ogg"), "audio/ogg", IS_AUDIO, DECLARED, NULL },
    { VORBIS, TYPE("video/ogg"), "video/ogg", IS_VIDEO, DECLARED, NULL },
    { THEORA, TYPE("audio/ogg"), "audio/ogg", IS_AUDIO, DECLARED, NULL },
    { VORBIS, TYPE("application/ogg"), "audio/ogg", IS_AUDIO, DECLARED,
      NULL },
    { THEORA, TYPE("application/ogg"), "video/ogg", IS_VIDEO, DECLARED,
      NULL },
    { MP4, TYPE("video/mp4"), "video/mp4", IS_VIDEO, DECLARED, NULL },
    { MP4, TYPE("audio/mp4"), "audio/mp4", IS_AUDIO, DECLARED, NULL },
    { MP4, TYPE("video/quicktime"), "video/quicktime", IS_VIDEO, DECLARED,
      NULL },
    { M4A, TYPE("audio/x-m4a"), "audio/mp4", IS_AUDIO, DECLARED, NULL },
    { HEIF, TYPE("image/heic"), "image/heic", IS_IMAGE, DECLARED, NULL },
    { HEIC, TYPE("video/mp4"), "image/heic", IS_IMAGE, BY_CONTENT, NULL },
    { HEIF, TYPE("video/mp4"), "image/heif", IS_IMAGE, BY_CONTENT, NULL },
    { MP4, TYPE("image/heic"), "video/mp4", IS_VIDEO, BY_CONTENT, NULL },
    { MP4, TYPE("image/avif"), "video/mp4", IS_VIDEO, BY_CONTENT, NULL },
    { WEBM, TYPE("audio/webm"), "audio/webm", IS_AUDIO, DECLARED, NULL },
    { WEBM, TYPE("video/x-matroska"), "video/webm", IS_VIDEO, DECLARED,
      NULL },
    { MKV, TYPE("video/webm"), "video/webm", IS_VIDEO, DECLARED, NULL },

    /* a type that does not tell its kind leaves that to the content */

    { TEXT, TYPE("application/x-new"), "application/x-new", IS_TEXT,
      DECLARED, NULL },
    { CHINESE, TYPE("application/x-new"), "application/x-new", IS_TEXT,
      DECLARED, NULL },
    { STRAY, TYPE("application/x-new"), "application/x-new", IS_TEXT,
      DECLARED, NULL },
    { UTF16LE, TYPE("application/x-new"), "application/x-new", IS_TEXT,
      DECLARED, "UTF-16LE" },
    { XML, TYPE("application/x-new"), "application/x-new", IS_TEXT, DECLARED,
      NULL },
    { HTML, TYPE("application/x-new"), "application/x-new", IS_TEXT,
      DECLARED, NULL },
    { GBK, TYPE("application/x-new"), "application/x-new", IS_OTHER,
      DECLARED, NULL },
    { BINARY, TYPE("application/x-new"), "application/x-new", IS_OTHER,
      DECLARED, NULL },
    { EMPTY, TYPE("application/x-new"), "application/x-new", IS_OTHER,
      DECLARED, NULL },
    { PNG, TYPE("application/x-new"), "image/png", IS_IMAGE, BY_CONTENT,
      NULL },

    /* charsets */

    { TEXT, TYPE("text/plain; charset=UTF-8"), "text/plain", IS_TEXT,
      DECLARED, NULL },
    { TEXT, TYPE("text/plain; charset=no-such"), "text/plain", IS_TEXT,
      DECLARED, NULL },
    { GBK, TYPE("text/plain; charset=GB2312"), "text/plain", IS_TEXT,
      DECLARED, "GB18030" },
    { GBK, TYPE("text/csv;charset=\"gbk\""), "text/csv", IS_TEXT, DECLARED,
      "GB18030" },
    { GBK, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED, NULL },
    { GBK_OLD, TYPE("text/plain; charset=gbk"), "text/plain", IS_TEXT,
      DECLARED, "GB18030" },
    { GBK_OLD, TYPE("text/plain"), OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { GBK_OLD, TYPE("text/plain; charset=utf-8"), OCTETS, IS_OTHER,
      BY_CONTENT, NULL },
    { GBK_OLD, NOTHING, OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { STRAY, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED, NULL },
    { UTF16LE, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED,
      "UTF-16LE" },
    { UTF16BE, TYPE("text/plain; charset=utf-8"), "text/plain", IS_TEXT,
      DECLARED, "UTF-16BE" },
    { UTF16BE, TYPE("text/plain; charset=utf-16be"), "text/plain", IS_TEXT,
      DECLARED, "UTF-16BE" },
    { MARKED, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED, NULL }
};


/* What declares nothing, and what is looked at then. */

static const case_t  fallback_cases[] = {
    { TEXT, { "text/html", "text/css" }, ".md", "a.js", "text/html", IS_TEXT,
      DECLARED, NULL },
    { TEXT, { OCTETS, "text/css" }, ".md", "a.js", "text/css", IS_TEXT,
      DECLARED, NULL },
    { TEXT, { "image", "text/css" }, ".md", "a.js", "text/css", IS_TEXT,
      DECLARED, NULL },
    { TEXT, { "image", "a b/c" }, ".md", "a.js", "text/markdown", IS_TEXT,
      BY_NAME, NULL },
    { TEXT, { "image/", "" }, "md", "a.js", "text/markdown", IS_TEXT,
      BY_NAME, NULL },
    { TEXT, { OCTETS, "*/*" }, NULL, "a.js", "text/javascript", IS_TEXT,
      BY_NAME, NULL },
    { TEXT, { OCTETS, NULL }, NULL, NULL, "text/plain", IS_TEXT, BY_CONTENT,
      NULL },
    { TEXT, EXT(".MD"), "text/markdown", IS_TEXT, BY_NAME, NULL },
    { TEXT, EXT("MD"), "text/markdown", IS_TEXT, BY_NAME, NULL },
    { GZIP, EXT("tar.gz"), "application/gzip", IS_OTHER, BY_NAME, NULL },
    { TEXT, EXT("."), "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { TEXT, EXT(""), "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { TEXT, EXT("an extension longer than any"), "text/plain", IS_TEXT,
      BY_CONTENT, NULL },
    { TEXT, { NULL, NULL }, ".unknown", "a.css", "text/css", IS_TEXT,
      BY_NAME, NULL },
    { TEXT, { NULL, NULL }, ".unknown", "a.unknown", "text/plain", IS_TEXT,
      BY_CONTENT, NULL },
    { TEXT, NAMED("dir.css/noext"), "text/plain", IS_TEXT, BY_CONTENT,
      NULL },
    { TEXT, NAMED("a.b.CSS"), "text/css", IS_TEXT, BY_NAME, NULL },
    { PNG, NAMED("a.bin"), "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { PNG, NAMED("a.txt"), "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { PNG, EXT(".jpg"), "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { NULTEXT, NAMED("a.txt"), OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { ZIP, NAMED("a.docx"), DOCX, IS_DOC, BY_NAME, NULL },
    { OLE, NAMED("a.xls"), MSEXCEL, IS_DOC, BY_NAME, NULL },

    /* a bare container gives way to a name that says what is in it */

    { ZIP, { "application/zip", NULL }, NULL, "a.docx", DOCX, IS_DOC,
      DECLARED, NULL },
    { ZIP, { "application/zip", NULL }, NULL, "a.png", "application/zip",
      IS_OTHER, DECLARED, NULL },
    { PDF, { "application/zip", NULL }, NULL, "a.docx", "application/pdf",
      IS_DOC, BY_CONTENT, NULL },
    { OLE, { "application/x-cdf", NULL }, ".doc", NULL, "application/msword",
      IS_DOC, DECLARED, NULL },
    { UNREAD, { "text/xml", NULL }, NULL, "a.svg", "image/svg+xml", IS_IMAGE,
      DECLARED, NULL },
    { UNREAD, { "text/plain", NULL }, NULL, "a.svg", "text/plain", IS_TEXT,
      DECLARED, NULL },

    /* content alone */

    { PNG, NOTHING, "image/png", IS_IMAGE, BY_CONTENT, NULL },
    { WORD, NOTHING, DOCX, IS_DOC, BY_CONTENT, NULL },
    { SVG, NOTHING, "image/svg+xml", IS_IMAGE, BY_CONTENT, NULL },
    { HTML, NOTHING, "text/html", IS_TEXT, BY_CONTENT, NULL },
    { XML, NOTHING, "application/xml", IS_TEXT, BY_CONTENT, NULL },
    { TEXT, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { CHINESE, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { STRAY, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { GBK, NOTHING, OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { UTF16LE, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, "UTF-16LE" },
    { UTF16BE, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, "UTF-16BE" },
    { MARKED, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { NULTEXT, NOTHING, OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { BINARY, NOTHING, OCTETS, IS_OTHER, BY_CONTENT, NULL },
    { EMPTY, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, NULL },

    /* not looked at: verifying is off */

    { UNREAD, TYPE("text/plain; charset=gbk"), "text/plain", IS_TEXT,
      DECLARED, "GB18030" },
    { UNREAD, TYPE("application/x-new"), "application/x-new", IS_OTHER,
      DECLARED, NULL },
    { UNREAD, NAMED("a.png"), "image/png", IS_IMAGE, BY_NAME, NULL },
    { UNREAD, NOTHING, NULL, IS_OTHER, BY_CONTENT, NULL },
    { UNREAD, TYPE(OCTETS), NULL, IS_OTHER, BY_CONTENT, NULL },
    { UNREAD, NAMED("a.bin"), NULL, IS_OTHER, BY_CONTENT, NULL }
};


static art_str_t
maybe(const char *text)
{
    return text ? art_cstr(text) : art_str(NULL, 0);
}


static const art_evidence_t *
look(content_t content, art_evidence_t *evidence)
{
    if (content == UNREAD) {
        return NULL;
    }

    art_sniff((const uint8_t *) contents[content].bytes,
              contents[content].len, 1, evidence);

    return evidence;
}


static int
is_type(const art_verdict_t *verdict, const char *mime)
{
    return art_str_eq(art_str(verdict->type.buf, verdict->type.len),
                      art_cstr(mime));
}


static void
check_cases(const case_t *c, size_t n, const char *what)
{
    int              rc, pass;
    size_t           i;
    art_claims_t     claims;
    art_verdict_t    verdict;
    art_evidence_t   evidence;

    for (i = 0; i < n; i++, c++) {
        memset(&claims, 0, sizeof(claims));
        memset(&verdict, '#', sizeof(verdict));

        claims.declared[0] = maybe(c->declared[0]);
        claims.declared[1] = maybe(c->declared[1]);
        claims.extension = maybe(c->extension);
        claims.names[i % ART_NAMES_MAX] = maybe(c->name);

        rc = art_classify(&claims, look(c->content, &evidence), &verdict);

        if (c->mime == NULL) {
            ok(rc == ART_ERROR, "%s %zu: nothing is known", what, i);
            continue;
        }

        pass = rc == ART_OK && is_type(&verdict, c->mime)
               && verdict.kind == c->kind && verdict.from == c->from
               && strcmp(verdict.charset ? verdict.charset : "-",
                         c->charset ? c->charset : "-") == 0;

        if (!ok(pass, "%s %zu: content %u, declared \"%s\", \"%s\": %s", what,
                i, c->content, c->declared[0] ? c->declared[0] : "",
                c->extension ? c->extension : c->name ? c->name : "",
                c->mime))
        {
            diag("got %.*s, %s, from %s, charset %s",
                 (int) verdict.type.len, (const char *) verdict.type.buf,
                 art_kind_name(verdict.kind), art_from_name(verdict.from),
                 verdict.charset ? verdict.charset : "-");
        }
    }
}


/* Types that a server's configuration knows. */

static art_str_t
lookup(void *data, art_str_t extension)
{
    size_t         i;
    unsigned      *calls;

    static const char  *types[][2] = {
        { "cst", "text/x-custom" }, { "md", "text/x-other; charset=gbk" },
        { "js", OCTETS }, { "css", "css" }, { "gif2", "image/gif" },
        { "ts", "video/mp2t" }
    };

    calls = data;
    (*calls)++;

    for (i = 0; i < nitems(types); i++) {
        if (art_str_eq(extension, art_cstr(types[i][0]))) {
            return art_cstr(types[i][1]);
        }
    }

    return art_str(NULL, 0);
}


static void
check_lookup(void)
{
    size_t            i;
    unsigned          calls;
    art_claims_t      claims;
    art_verdict_t     verdict;
    art_evidence_t    evidence;

    static const struct {
        content_t    content;
        const char  *extension;
        const char  *name;
        const char  *mime;
        const char  *what;
    } cases[] = {
        { TEXT, ".cst", NULL, "text/x-custom", "a type only it knows" },
        { TEXT, ".MD", NULL, "text/x-other", "before the built-in table" },
        { TEXT, ".js", NULL, "text/javascript", "a generic type is none" },
        { TEXT, ".css", NULL, "text/css", "a malformed one neither" },
        { TEXT, ".py", NULL, "text/x-python", "else the built-in table" },
        { TEXT, ".unknown", "a.cst", "text/x-custom", "and then the name" },
        { TEXT, ".py", "a.cst", "text/x-python",
          "the extension comes first" },
        { GIF, "gif2", NULL, "image/gif", "an extension without a dot" },
        { PNG, ".cst", NULL, "image/png", "the content wins over it" },
        { TEXT, ".ts", NULL, "text/x-typescript",
          "text named like a video is what the built-in table says" },
        { UNREAD, ".cst", NULL, "text/x-custom", "content not looked at" }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&claims, 0, sizeof(claims));
        calls = 0;

        claims.extension = maybe(cases[i].extension);
        claims.names[0] = maybe(cases[i].name);
        claims.lookup = lookup;
        claims.data = &calls;

        (void) art_classify(&claims, look(cases[i].content, &evidence),
                            &verdict);

        if (!ok(is_type(&verdict, cases[i].mime) && calls > 0,
                "server's types: %s", cases[i].what))
        {
            diag_mem("type", verdict.type.buf, verdict.type.len);
        }
    }

    (void) art_classify(&claims, NULL, &verdict);
    claims.extension = art_cstr(".md");
    (void) art_classify(&claims, NULL, &verdict);
    is_str(verdict.charset ? verdict.charset : "-", "GB18030",
           "server's types: with a charset");
}


static void
check_magic_wanted(void)
{
    size_t           i;
    art_claims_t     claims;
    art_evidence_t   evidence;

    static const struct {
        content_t    content;
        const char  *declared;
        const char  *name;
        int          wanted;
        const char  *what;
    } cases[] = {
        { BINARY, NULL, NULL, 1, "unknown bytes that nothing declares" },
        { BINARY, OCTETS, NULL, 1, "a generic type" },
        { BINARY, NULL, "a.unknown", 1, "an unknown extension" },
        { GBK, NULL, NULL, 1, "what is hardly text" },
        { NULTEXT, "text/plain", NULL, 1, "declared text that is none" },
        { NULTEXT, NULL, "a.txt", 1, "named text that is none" },
        { BINARY, "image/png", NULL, 0, "declared, not contradicted" },
        { BINARY, "application/x-new", NULL, 0, "a type without a row" },
        { BINARY, NULL, "a.png", 0, "named, not contradicted" },
        { GBK, "text/plain", NULL, 0, "declared text that may be text" },
        { PNG, NULL, NULL, 0, "a signature" },
        { PNG, "text/plain", NULL, 0, "a signature of another kind" },
        { TEXT, NULL, NULL, 0, "text" },
        { TEXT, "image/png", NULL, 0, "text, whatever it is declared" },
        { EMPTY, NULL, NULL, 0, "nothing to look at" }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&claims, 0, sizeof(claims));

        claims.declared[0] = maybe(cases[i].declared);
        claims.names[0] = maybe(cases[i].name);
        (void) look(cases[i].content, &evidence);

        is_int(art_classify_wants_magic(&claims, &evidence), cases[i].wanted,
               cases[i].what);

        art_sniff_magic(&evidence, art_cstr(""));

        if (cases[i].wanted) {
            is_int(art_classify_wants_magic(&claims, &evidence), 0,
                   "libmagic is asked once");
        }
    }
}


static void
check_magic_used(void)
{
    size_t           i;
    art_claims_t     claims;
    art_verdict_t    verdict;
    art_evidence_t   evidence;

    static const struct {
        content_t     content;
        const char   *declared;
        const char   *magic;
        const char   *mime;
        art_kind_t    kind;
    } cases[] = {
        { BINARY, NULL, "image/x-new", "image/x-new", ART_KIND_IMAGE },
        { BINARY, NULL, "application/x-new", "application/x-new",
          ART_KIND_OTHER },
        { BINARY, NULL, "application/x-cdf", "application/x-ole-storage",
          ART_KIND_OTHER },
        { NULTEXT, "text/plain", "font/sfnt", "font/ttf", ART_KIND_OTHER },
        { BINARY, NULL, "text/plain", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "text/x-c; charset=binary", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "application/json", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, OCTETS, OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "", OCTETS, ART_KIND_OTHER },
        { GBK, NULL, "text/plain", OCTETS, ART_KIND_OTHER },
        { BINARY, "audio/mpeg", "image/x-new", "audio/mpeg",
          ART_KIND_AUDIO },
        { PNG, NULL, "video/x-new", "image/png", ART_KIND_IMAGE },
        { TEXT, NULL, "image/x-new", "text/plain", ART_KIND_TEXT }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&claims, 0, sizeof(claims));

        claims.declared[0] = maybe(cases[i].declared);
        (void) look(cases[i].content, &evidence);
        art_sniff_magic(&evidence, art_cstr(cases[i].magic));

        ok(art_classify(&claims, &evidence, &verdict) == ART_OK
           && is_type(&verdict, cases[i].mime)
           && verdict.kind == cases[i].kind,
           "libmagic says \"%s\": %s", cases[i].magic, cases[i].mime);
    }
}


static void
check_unknown(void)
{
    art_verdict_t  verdict;

    memset(&verdict, '#', sizeof(verdict));
    art_classify_unknown(&verdict);

    ok(is_type(&verdict, OCTETS) && verdict.kind == ART_KIND_OTHER
       && verdict.from == ART_FROM_CONTENT && verdict.charset == NULL,
       "what could not be read is other");

    is_str(art_from_name(ART_FROM_METADATA), "metadata", "from metadata");
    is_str(art_from_name(ART_FROM_NAME), "name", "from the name");
    is_str(art_from_name(ART_FROM_CONTENT), "content", "from content");
}


/* Claims and contents for the properties. */

static const char  *some_types[] = {
    NULL, "", "image", OCTETS, "text/plain", "text/plain; charset=utf-16",
    "text/plain; charset=gbk", "TEXT/HTML;charset=utf-8", "application/json",
    "application/xml; charset=utf-32le", "image/svg+xml", "text/xml",
    "image/png", "image/jpg", "application/zip", DOCX, "application/msword",
    "application/x-new", "application/x-new; charset=utf-16be",
    "application/a+xml", "application/b+json", "audio/mp4", "video/mp4",
    "audio/ogg", "application/ogg", "application/pdf", "x/y/z", "message/a",
    "text/x-a;charset=\"UTF-16LE\"", "application/vnd.ms-a", "font/ttf"
};

static const char  *some_names[] = {
    NULL, "", "a", ".", "a.txt", "a.md", "b.png", ".svg", "c.xml", "d.zip",
    "e.docx", "f.unknown", "a.b/c", "g.ts", ".cst", "h.xls", "i.bin", "css"
};

static const char  *some_magic[] = {
    "", OCTETS, "text/plain", "image/x-new", "application/x-new",
    "application/json", "application/x+xml", "image/svg+xml", "no type"
};


#define PICK(list)  maybe(list[tap_below(nitems(list))])


static void
random_claims(art_claims_t *claims, unsigned *calls)
{
    size_t  i;

    memset(claims, 0, sizeof(*claims));

    claims->declared[0] = PICK(some_types);
    claims->declared[1] = tap_below(2) ? PICK(some_types) : art_str(NULL, 0);
    claims->extension = tap_below(2) ? PICK(some_names) : art_str(NULL, 0);

    for (i = 0; i < ART_NAMES_MAX; i++) {
        claims->names[i] = tap_below(2) ? PICK(some_names)
                                        : art_str(NULL, 0);
    }

    if (tap_below(2)) {
        claims->lookup = lookup;
        claims->data = calls;
    }
}


/* A known content, random bytes, or one behind the other. */

static void
random_evidence(art_evidence_t *evidence)
{
    size_t        len, want;
    uint8_t       bytes[800];
    content_t     content;

    static const uint8_t  noise[] = " aZ\n\r\t\0\1\x1a\x80\xe5\xb7\xa5\xff";

    len = 0;

    if (tap_below(4)) {
        content = (content_t) (1 + tap_below(CONTENTS - 1));
        len = contents[content].len;
        memcpy(bytes, contents[content].bytes, len);
    }

    if (tap_below(2)) {
        want = len + tap_below(sizeof(bytes) - len);

        while (len < want) {
            bytes[len++] = noise[tap_below(sizeof(noise) - 1)];
        }

    } else if (tap_below(2)) {
        want = len + tap_below(sizeof(bytes) - len);

        while (len < want) {
            bytes[len++] = (uint8_t) tap_rand();
        }
    }

    art_sniff(bytes, len, (unsigned) tap_below(2), evidence);

    if (tap_below(2)) {
        art_sniff_magic(evidence, PICK(some_magic));
    }
}


/* The charset that a binary content needs to be text; NULL for none. */

static const char *
declared_charset(const art_claims_t *claims)
{
    size_t             i;
    art_media_type_t   type;

    for (i = 0; i < 2; i++) {
        art_media_parse(claims->declared[i], &type);

        if (type.len > 0) {
            return art_charset_find(type.charset);
        }
    }

    return NULL;
}


static int
may_be_text(const art_claims_t *claims, const art_verdict_t *v, unsigned text)
{
    const char  *charset;

    if (text != ART_TEXT_BINARY && text != ART_TEXT_MIXED) {
        return 1;
    }

    /* a server's types may have charsets, too */

    charset = v->from == ART_FROM_NAME ? art_charset_find(v->type.charset)
                                       : declared_charset(claims);

    if (charset == NULL) {
        return 0;
    }

    return text == ART_TEXT_BINARY ? art_charset_wide(charset)
                                   : strcmp(charset, "UTF-8") != 0;
}


/* What holds for any claims and any content. */

static int
sound(const art_claims_t *claims, const art_evidence_t *evidence,
    const art_verdict_t *v)
{
    unsigned            known;
    art_str_t           mime;
    art_kind_t          kind;
    art_media_type_t    type;

    mime = art_str(v->type.buf, v->type.len);
    kind = art_media_kind(mime, &known);

    if (v->type.len == 0 || v->type.len > ART_MEDIA_TYPE_MAX
        || v->kind >= ART_KIND_MAX || v->from > ART_FROM_CONTENT
        || (v->charset && strcmp(v->charset, "UTF-8") == 0))
    {
        return 0;
    }

    art_media_parse(mime, &type);

    if (!art_str_eq(art_str(type.buf, type.len), mime)
        && !is_type(v, OCTETS))
    {
        return 0;
    }

    if (v->kind != kind && (known || v->kind != ART_KIND_TEXT)) {
        return 0;
    }

    if (evidence == NULL) {
        return v->from != ART_FROM_CONTENT;
    }

    return v->kind != ART_KIND_TEXT
           || may_be_text(claims, v, evidence->text);
}


static int
same(const art_verdict_t *a, const art_verdict_t *b)
{
    return a->type.len == b->type.len
           && memcmp(a->type.buf, b->type.buf, a->type.len) == 0
           && a->kind == b->kind && a->from == b->from
           && strcmp(a->charset ? a->charset : "",
                     b->charset ? b->charset : "") == 0;
}


static void
show(const art_claims_t *claims, const art_evidence_t *evidence,
    const art_verdict_t *v)
{
    size_t  i;

    diag_mem("declared", claims->declared[0].data, claims->declared[0].len);
    diag_mem("declared", claims->declared[1].data, claims->declared[1].len);
    diag_mem("extension", claims->extension.data, claims->extension.len);

    for (i = 0; i < ART_NAMES_MAX; i++) {
        diag_mem("name", claims->names[i].data, claims->names[i].len);
    }

    if (evidence) {
        diag("row %u, sign %u, text class %u", evidence->media,
             evidence->sign, evidence->text);
        diag_mem("magic", evidence->magic, evidence->magic_len);
    }

    diag_mem("type", v->type.buf, v->type.len);
    diag("%s, from %s, charset %s", art_kind_name(v->kind),
         art_from_name(v->from), v->charset ? v->charset : "-");
}


static void
check_random(void)
{
    int                     rc, again;
    size_t                  i;
    unsigned                calls, unsound, differ, binary;
    art_claims_t            claims;
    art_verdict_t           verdict, other;
    art_evidence_t          storage;
    const art_evidence_t   *evidence;

    unsound = 0;
    differ = 0;
    binary = 0;
    calls = 0;

    for (i = 0; i < 20000 && unsound + differ == 0; i++) {
        random_claims(&claims, &calls);
        random_evidence(&storage);
        evidence = i % 8 ? &storage : NULL;

        memset(&verdict, 0, sizeof(verdict));
        memset(&other, 0xff, sizeof(other));

        rc = art_classify(&claims, evidence, &verdict);
        again = art_classify(&claims, evidence, &other);

        if (rc == ART_ERROR) {
            unsound += evidence != NULL;
            differ += again != ART_ERROR;

        } else {
            unsound += !sound(&claims, evidence, &verdict);
            differ += again != ART_OK || !same(&verdict, &other);
        }

        if (unsound + differ) {
            show(&claims, evidence, &verdict);
        }

        binary += evidence != NULL && storage.text == ART_TEXT_BINARY;
    }

    ok(unsound == 0, "any claims and content: a sound verdict, no text of "
       "what is binary");
    ok(differ == 0, "the same twice");
    ok(calls > 100 && binary > 2000, "of all sorts a good part");
}


/* Random characters of a range, in a charset; returns the bytes. */

static size_t
legacy_text(uint8_t *dst, size_t max, iconv_t cd, const uint32_t *range)
{
    char      *in, *out;
    size_t     left, room;
    uint32_t   code;

    out = (char *) dst;
    room = max;

    while (room >= 4) {
        code = range[0] + (uint32_t) tap_below(range[1]);
        in = (char *) &code;
        left = sizeof(code);

        (void) iconv(cd, &in, &left, &out, &room);
    }

    return max - room;
}


/*
 * A text that is declared to be of a charset, and is, stays so, even if it
 * could be of another.
 */

static void
check_legacy(void)
{
    size_t            i, k, len;
    char              type[80];
    uint8_t           bytes[400];
    iconv_t           cd;
    unsigned          failed;
    art_claims_t      claims;
    art_verdict_t     verdict;
    art_evidence_t    evidence;

    static const struct {
        const char  *charset;
        uint32_t     range[2];
    } texts[] = {
        { "GB18030", { 0x4e00, 0x5200 } },
        { "CP950", { 0x4e00, 0x5200 } },
        { "CP932", { 0x3041, 0x52 } },
        { "CP932", { 0x4e00, 0x5200 } },
        { "EUC-JP", { 0x3041, 0x52 } },
        { "UHC", { 0xac00, 0x2ba4 } },
        { "CP1251", { 0x410, 0x40 } },
        { "KOI8-R", { 0x410, 0x40 } },
        { "CP1253", { 0x391, 0x38 } },
        { "CP874", { 0xe01, 0x2e } }
    };

    for (i = 0; i < nitems(texts); i++) {
        cd = iconv_open(texts[i].charset, "UTF-32LE");
        failed = cd == (iconv_t) -1;

        memset(&claims, 0, sizeof(claims));
        (void) snprintf(type, sizeof(type), "text/plain; charset=%s",
                        texts[i].charset);
        claims.declared[0] = art_cstr(type);

        for (k = 0; k < 200 && failed == 0; k++) {
            len = legacy_text(bytes, 30 + tap_below(300), cd,
                              texts[i].range);

            if (k % 2) {
                bytes[len++] = '\n';
            }

            art_sniff(bytes, len, 1, &evidence);
            (void) art_classify(&claims, &evidence, &verdict);

            if (verdict.kind != ART_KIND_TEXT || verdict.charset == NULL
                || strcmp(verdict.charset,
                          art_charset_find(art_cstr(texts[i].charset))) != 0)
            {
                diag("text class %u, charset %s", evidence.text,
                     verdict.charset ? verdict.charset : "-");
                diag_mem("source", bytes, len);
                failed++;
            }
        }

        ok(failed == 0, "declared %s stays so, U+%04X and on",
           texts[i].charset, texts[i].range[0]);

        if (cd != (iconv_t) -1) {
            (void) iconv_close(cd);
        }
    }
}


/*
 * Content with a strong signature is either what the signature says, or a
 * compatible type of the same container.
 */

static void
check_random_strong(void)
{
    size_t              i;
    unsigned            failed, calls;
    art_str_t           mime;
    art_claims_t        claims;
    art_verdict_t       verdict;
    art_evidence_t      evidence;
    const art_media_t  *row;

    failed = 0;
    calls = 0;

    for (i = 0; i < 5000 && failed == 0; i++) {
        random_claims(&claims, &calls);
        (void) look((content_t) (PNG + tap_below(CONTENTS - PNG)), &evidence);

        if (!(evidence.sign & ART_SIGN_STRONG)) {
            continue;
        }

        row = art_media_row(evidence.media - 1u);
        (void) art_classify(&claims, &evidence, &verdict);
        mime = art_str(verdict.type.buf, verdict.type.len);

        if (!art_str_eq(mime, art_cstr(row->mime))
            && (!(evidence.sign & ART_SIGN_GENERIC)
                || (art_media_family(mime) != row->family
                    && art_media_find(mime) != NULL)))
        {
            show(&claims, &evidence, &verdict);
            failed++;
        }
    }

    ok(failed == 0, "a strong signature is never overruled");
}


int
main(void)
{
    check_cases(declared_cases, nitems(declared_cases), "declared");
    check_cases(fallback_cases, nitems(fallback_cases), "fallback");
    check_lookup();
    check_magic_wanted();
    check_magic_used();
    check_unknown();
    check_random();
    check_random_strong();
    check_legacy();

    return done();
}
