
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a content is taken for: every rule with its cases.
 */


#include "classify_contents.h"
#include "tap.h"


#define XLSX       OOXML "spreadsheetml.sheet"
#define MSEXCEL    "application/vnd.ms-excel"


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

    /* a charset that is only guessed makes no text of it */

    { GBK_LONG, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { QUOTES, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { QUOTES, TYPE("application/pdf"), "application/pdf", IS_DOC, DECLARED,
      NULL },

    /* but what has not even a container is no Office document */

    { GBK_LONG, TYPE(MSEXCEL), "text/plain", IS_TEXT, BY_CONTENT, "GB18030" },
    { GBK, TYPE(XLSX), "text/plain", IS_TEXT, BY_CONTENT, "GB18030" },
    { GBK_HTML, TYPE(MSEXCEL), "text/html", IS_TEXT, BY_CONTENT, "GB18030" },
    { STRAY, TYPE(MSEXCEL), "text/plain", IS_TEXT, BY_CONTENT, NULL },
    { QUOTES, TYPE(DOCX), "text/plain", IS_TEXT, BY_CONTENT, "CP1252" },
    { BINARY, TYPE(MSEXCEL), MSEXCEL, IS_DOC, DECLARED, NULL },
    { STRAY, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { QUOTES, TYPE("audio/x-new"), "audio/x-new", IS_AUDIO, DECLARED, NULL },
    { GBK_HTML, TYPE("image/png"), "image/png", IS_IMAGE, DECLARED, NULL },
    { GBK_SAID, TYPE("image/png"), "text/plain", IS_TEXT, BY_CONTENT,
      "GB18030" },
    { GBK_LONG, TYPE("image/png; charset=gbk"), "image/png", IS_IMAGE,
      DECLARED, NULL },
    { GBK_LONG, TYPE("text/html"), "text/html", IS_TEXT, DECLARED,
      "GB18030" },
    { QUOTES, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED,
      "CP1252" },

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
    { GBK, TYPE("application/x-new"), "application/x-new", IS_TEXT,
      DECLARED, "GB18030" },
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
    { GBK, TYPE("text/plain"), "text/plain", IS_TEXT, DECLARED, "GB18030" },
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
    { GBK_LONG, EXT(".png"), "image/png", IS_IMAGE, BY_NAME, NULL },
    { QUOTES, NAMED("a.pdf"), "application/pdf", IS_DOC, BY_NAME, NULL },
    { GBK_LONG, NAMED("a.txt"), "text/plain", IS_TEXT, BY_NAME, "GB18030" },
    { GBK_HTML, NAMED("a"), "text/html", IS_TEXT, BY_CONTENT, "GB18030" },
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
    { GBK, NOTHING, "text/plain", IS_TEXT, BY_CONTENT, "GB18030" },
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


int
main(void)
{
    check_cases(declared_cases, nitems(declared_cases), "declared");
    check_cases(fallback_cases, nitems(fallback_cases), "fallback");
    check_unknown();

    return done();
}
