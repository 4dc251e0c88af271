
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents of all sorts and what may be claimed of them, for the tests of
 * art_classify.
 */


#ifndef ART_CLASSIFY_CONTENTS_H_INCLUDED_
#define ART_CLASSIFY_CONTENTS_H_INCLUDED_


#include "core/media/art_classify.h"
#include "tap.h"


#define B(bytes)   bytes, sizeof(bytes) - 1

#define OOXML      "application/vnd.openxmlformats-officedocument."
#define DOCX       OOXML "wordprocessingml.document"
#define OCTETS     "application/octet-stream"
#define ZIP_HEAD(n)                                                           \
                   "PK\3\4\x14\0\0\0\x08\0\0\0!\0\x11\x22\x33\x44\0\1\0\0"    \
                   "\0\2\0\0" n "\0\0\0"
#define MP4_HEAD   "\0\0\0\x20" "ftyp"
#define OGG_HEAD   "OggS\0\2\0\0\0\0\0\0\0\0\x11\x22\x33\x44\0\0\0\0"        \
                   "\x55\x66\x77\x88\1\x1e"
#define GBK4       "\xb9\xa4\xbc\xfe\xc4\xda\xc8\xdd\n\xb5\xc4\n\xca\xc7\n"  \
                   "\xb9\xa4\xbc\xfe\xb5\xc4\xc4\xda\xc8\xdd\n"
#define QUOTES8    "\x93\x93\x93\x93\x93\x93\x93\x93"
#define LATIN      "A long enough sentence on a caf\xe9, in Latin 1 as it was."


typedef enum {
    UNREAD = 0,              /* no evidence: the content was not looked at */
    EMPTY,
    TEXT,
    CHINESE,
    GBK,
    GBK_OLD,
    GBK_LONG,
    GBK_SAID,
    GBK_HTML,
    QUOTES,
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
    { B(GBK4 GBK4 GBK4) },
    { B("<meta charset=gbk>" GBK4 GBK4 GBK4) },
    { B("<!DOCTYPE html>\n<p>" GBK4 GBK4 GBK4) },
    { B(QUOTES8 QUOTES8 QUOTES8 QUOTES8 QUOTES8 QUOTES8 QUOTES8 QUOTES8) },
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
    { B(ZIP_HEAD("\x05") "a.txt\0\0\0") },
    { B(ZIP_HEAD("\x13") "[Content_Types].xml\0\0"
        ZIP_HEAD("\x11") "word/document.xml") },
    { B(ZIP_HEAD("\x13") "[Content_Types].xml\0\0"
        ZIP_HEAD("\x0f") "xl/workbook.xml") },
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


/* A claim; NULL for none. */

static inline art_str_t
maybe(const char *text)
{
    return text ? art_cstr(text) : art_str(NULL, 0);
}


/* The evidence of a content; NULL if it was not looked at. */

static inline const art_evidence_t *
look(content_t content, art_evidence_t *evidence)
{
    if (content == UNREAD) {
        return NULL;
    }

    art_sniff((const uint8_t *) contents[content].bytes,
              contents[content].len, 1, evidence);

    return evidence;
}


static inline int
is_type(const art_verdict_t *verdict, const char *mime)
{
    return art_str_eq(art_str(verdict->type.buf, verdict->type.len),
                      art_cstr(mime));
}


/* Types that a server's configuration knows; "data" counts the calls. */

static inline art_str_t
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


#endif /* ART_CLASSIFY_CONTENTS_H_INCLUDED_ */
