
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signatures, file by file, texts that begin like them, and libmagic's answer.
 */


#include "core/media/art_signature.h"
#include "sniff_run.h"
#include "tap.h"


#define S   ART_SIGN_STRONG
#define SG  (ART_SIGN_STRONG | ART_SIGN_GENERIC)
#define W   0


/*
 * The head of a file: bytes at its start and at two other places, what is
 * between filled with bytes that are no text.
 */

typedef struct {
    const char  *name;
    const char  *bytes;
    size_t       len;
    size_t       at;
    const char  *more;
    size_t       more_len;
    const char  *mime;
    unsigned     sign;
} head_t;


#define NO            0, "", 0
#define HEAD_LEN      600

#define LOCAL(n, name)                                                        \
                      B("PK\3\4\x14\0\0\0\x08\0\0\0!\0\x11\x22\x33\x44\0\1\0" \
                        "\0\0\2\0\0" n "\0\0\0" name)
#define FTYP(brand)   B("\0\0\0\x20" "ftyp" brand "\0\0\2\0" "mp42isom")
#define EBML(type)    B("\x1a\x45\xdf\xa3\x9f\x42\x86\x81\1\x42\xf7\x81\1"     \
                        "\x42\xf2\x81\4\x42\xf3\x81\x08\x42\x82" type)
#define OGG(packet)   B("OggS\0\2\0\0\0\0\0\0\0\0\x11\x22\x33\x44\0\0\0\0"     \
                        "\x55\x66\x77\x88\1\x1e" packet)

#define OOXML         "application/vnd.openxmlformats-officedocument."
#define ODF           "application/vnd.oasis.opendocument."


static const head_t  heads[] = {
    { "PNG", B("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1"), NO, "image/png", S },
    { "JPEG, JFIF", B("\xff\xd8\xff\xe0\0\x10JFIF\0\1"), NO,
      "image/jpeg", S },
    { "JPEG, Exif", B("\xff\xd8\xff\xe1\x12\x34" "Exif\0\0"), NO,
      "image/jpeg", S },
    { "GIF 87a", B("GIF87a\1\0\1\0\x80\0\0"), NO, "image/gif", S },
    { "GIF 89a", B("GIF89a\1\0\1\0\x80\0\0"), NO, "image/gif", S },
    { "WebP", B("RIFF\x24\0\0\0WEBPVP8 "), NO, "image/webp", S },
    { "WAV", B("RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0"), NO, "audio/wav", S },
    { "AVI", B("RIFF\0\1\2\0AVI LIST"), NO, "video/x-msvideo", S },
    { "another RIFF", B("RIFF\0\1\2\0ACONanih"), NO, NULL, 0 },
    { "PDF", B("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"), NO,
      "application/pdf", S },
    { "PDF 2.0", B("%PDF-2.0\r\n%\xe2\xe3\xcf\xd3"), NO, "application/pdf",
      S },

    { "ZIP", LOCAL("\x05", "a.txt"), NO, "application/zip", SG },
    { "ZIP, empty", B("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), NO,
      "application/zip", SG },
    { "ZIP, split", B("PK\7\x08PK\3\4\x14\0"), NO, "application/zip", SG },
    { "DOCX", LOCAL("\x13", "[Content_Types].xml"), 400, LOCAL("\x11",
      "word/document.xml"),
      OOXML "wordprocessingml.document", S },
    { "XLSX", LOCAL("\x13", "[Content_Types].xml"), 400, LOCAL("\x0f",
      "xl/workbook.xml"),
      OOXML "spreadsheetml.sheet", S },
    { "PPTX", LOCAL("\x13", "[Content_Types].xml"), 400, LOCAL("\x14",
      "ppt/presentation.xml"),
      OOXML "presentationml.presentation", S },
    { "DOCX, relations first", LOCAL("\x0b", "_rels/.rels"), 400,
      LOCAL("\x11", "word/document.xml"), OOXML "wordprocessingml.document",
      S },
    { "another OPC package", LOCAL("\x13", "[Content_Types].xml"), 400,
      B("Documents/1/FixedDocument.fdoc"), "application/zip", SG },
    { "ODT", LOCAL("\x08", "mimetype" ODF "textPK\3\4"), NO, ODF "text", S },
    { "ODS", LOCAL("\x08", "mimetype" ODF "spreadsheetPK\3\4"), NO,
      ODF "spreadsheet", S },
    { "ODP", LOCAL("\x08", "mimetype" ODF "presentationPK\3\4"), NO,
      ODF "presentation", S },
    { "ODG", LOCAL("\x08", "mimetype" ODF "graphicsPK\3\4"), NO, ODF "graphics",
      S },
    { "EPUB", LOCAL("\x08", "mimetypeapplication/epub+zipPK\3\4"), NO,
      "application/epub+zip", S },
    { "JAR", LOCAL("\x14", "META-INF/MANIFEST.MF"), NO,
      "application/java-archive",
      SG },
    { "OLE", B("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0"), NO,
      "application/x-ole-storage", SG },

    { "MP4", FTYP("isom"), NO, "video/mp4", SG },
    { "MP4, another brand", FTYP("mp42"), NO, "video/mp4", SG },
    { "M4A", FTYP("M4A "), NO, "audio/mp4", S },
    { "M4B", FTYP("M4B "), NO, "audio/mp4", S },
    { "QuickTime", FTYP("qt  "), NO, "video/quicktime", S },
    { "3GP", FTYP("3gp4"), NO, "video/3gpp", SG },
    { "3G2", FTYP("3g2a"), NO, "video/3gpp2", SG },
    { "HEIC", FTYP("heic"), NO, "image/heic", S },
    { "HEIC, extended", FTYP("heix"), NO, "image/heic", S },
    { "HEIC, sequence", FTYP("hevc"), NO, "image/heic", S },
    { "AVIF", FTYP("avif"), NO, "image/avif", S },
    { "AVIF, sequence", FTYP("avis"), NO, "image/avif", S },
    { "MKV", EBML("\x88matroska"), NO, "video/x-matroska", SG },
    { "WebM", EBML("\x84webm"), NO, "video/webm", SG },
    { "Ogg Vorbis", OGG("\1vorbis"), NO, "audio/ogg", SG },
    { "Ogg Opus", OGG("OpusHead\1"), NO, "audio/ogg", SG },
    { "Ogg Speex", OGG("Speex   1.2"), NO, "audio/ogg", SG },
    { "Ogg FLAC", OGG("\x7f" "FLAC\1"), NO, "audio/ogg", SG },
    { "Ogg Theora", OGG("\x80theora\3"), NO, "video/ogg", SG },
    { "Ogg Skeleton", OGG("fishead\0\3"), NO, "application/ogg", SG },
    { "WMV", B("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa"), NO,
      "video/x-ms-wmv", SG },
    { "FLV", B("FLV\1\5\0\0\0\x09\0\0\0\0"), NO, "video/x-flv", S },
    { "MPEG-PS", B("\0\0\1\xba\x44\0\4\0"), NO, "video/mpeg", S },
    { "MPEG-1 video", B("\0\0\1\xb3\x16\0\xf0\x15"), NO, "video/mpeg", S },
    { "MPEG-TS", B("G\x40\0\x10\0\0\xb0\x0d"), NO, NULL, 0 },

    { "MP3 with ID3", B("ID3\3\0\0\0\0\x1f\x76TIT2"), NO, "audio/mpeg", SG },
    { "MP3", B("\xff\xfb\x90\x64\0\0"), 417, B("\xff\xfb\x90\x64"),
      "audio/mpeg", W },
    { "MP3, one frame", B("\xff\xfb\x90\x64\0\0"), NO, NULL, 0 },
    { "MP3, a frame too late", B("\xff\xfb\x90\x64\0\0"), 418,
      B("\xff\xfb\x90\x64"), NULL, 0 },
    { "MP3, of no rate", B("\xff\xfb\x00\x64\0\0"), NO, NULL, 0 },
    { "MP3, MPEG-2", B("\xff\xf3\x40\xc4\0\0"), 104, B("\xff\xf3\x40\xc4"),
      "audio/mpeg", W },
    { "AAC", B("\xff\xf1\x50\x80\x02\x1f"), 16,
      B("\xff\xf1\x50\x80\x02\x1f"), "audio/aac", W },
    { "AAC, one frame", B("\xff\xf1\x50\x80\x02\x1f"), NO, NULL, 0 },
    { "AAC and MP3", B("\xff\xf1\x50\x80\x02\x1f"), 16,
      B("\xff\xfb\x90\x64"), NULL, 0 },
    { "FLAC", B("fLaC\0\0\0\x22\x10\0"), NO, "audio/flac", S },
    { "MIDI", B("MThd\0\0\0\6\0\1\0\2"), NO, "audio/midi", S },
    { "AMR", B("#!AMR\n\x3c\x91\x17\x16"), NO, "audio/amr", S },
    { "AU", B(".snd\0\0\0\x18\0\0"), NO, "audio/basic", W },
    { "AIFF", B("FORM\0\0\x10\0AIFFCOMM"), NO, "audio/aiff", S },
    { "AIFF-C", B("FORM\0\0\x10\0AIFCFVER"), NO, "audio/aiff", S },

    { "ELF", B("\x7f" "ELF\2\1\1\0\0"), NO, "application/x-executable", S },
    { "a DOS program", B("MZ\x90\0\3\0\0\0\4\0"), NO,
      "application/x-executable", W },
    { "Mach-O, 32 bits, big-endian", B("\xfe\xed\xfa\xce\0\0\0\x12"), NO,
      "application/x-executable", S },
    { "Mach-O, 64 bits, big-endian", B("\xfe\xed\xfa\xcf\1\0\0\7"), NO,
      "application/x-executable", S },
    { "Mach-O, 32 bits", B("\xce\xfa\xed\xfe\7\0\0\0"), NO,
      "application/x-executable", S },
    { "Mach-O, 64 bits", B("\xcf\xfa\xed\xfe\7\0\0\1"), NO,
      "application/x-executable", S },
    { "Mach-O, fat", B("\xca\xfe\xba\xbe\0\0\0\2\1\0\0\7"), NO,
      "application/x-executable", S },
    { "a Java class", B("\xca\xfe\xba\xbe\0\0\0\x34\0\x1d"), NO,
      "application/java-vm", S },
    { "WebAssembly", B("\0asm\1\0\0\0"), NO, "application/wasm", S },

    { "gzip", B("\x1f\x8b\x08\0\0\0\0\0\0\3"), NO, "application/gzip", S },
    { "bzip2", B("BZh91AY&SY\xe4\x9e\0"), NO, "application/x-bzip2", W },
    { "xz", B("\xfd" "7zXZ\0\0\4\xe6\xd6"), NO, "application/x-xz", S },
    { "zstd", B("\x28\xb5\x2f\xfd\4\x58"), NO, "application/zstd", S },
    { "7z", B("7z\xbc\xaf\x27\x1c\0\4"), NO, "application/x-7z-compressed",
      S },
    { "RAR 4", B("Rar!\x1a\7\0\xcf"), NO, "application/vnd.rar", S },
    { "RAR 5", B("Rar!\x1a\7\1\0\x33"), NO, "application/vnd.rar", S },
    { "CAB", B("MSCF\0\0\0\0\x12\x34\0\0"), NO,
      "application/vnd.ms-cab-compressed", S },
    { "tar, POSIX", B("src/main.c\0\0\0"), 257, B("ustar\0" "00"),
      "application/x-tar", S },
    { "tar, GNU", B("src/main.c\0\0\0"), 257, B("ustar  \0"),
      "application/x-tar", S },
    { "deb", B("!<arch>\ndebian-binary   1410122664  0     0     100644  4 "
               "        `\n2.0\n"), NO,
      "application/vnd.debian.binary-package", S },

    { "SQLite", B("SQLite format 3\0\x10\0\1\1"), NO,
      "application/vnd.sqlite3", S },
    { "Parquet", B("PAR1\x15\4\x15\x90\1"), NO,
      "application/vnd.apache.parquet", S },

    { "BMP", B("BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"), NO, "image/bmp",
      S },
    { "BMP, version 5", B("BM\x8a\0\0\0\0\0\0\0\x8a\0\0\0\x7c\0\0\0"), NO,
      "image/bmp", S },
    { "BMP of OS/2", B("BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0"), NO,
      "image/bmp", S },
    { "TIFF, little-endian", B("II*\0\x08\0\0\0"), NO, "image/tiff", S },
    { "TIFF, big-endian", B("MM\0*\0\0\0\x08"), NO, "image/tiff", S },
    { "PSD", B("8BPS\0\1\0\0\0\0\0\0\0\3"), NO,
      "image/vnd.adobe.photoshop", S },
    { "JPEG 2000", B("\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14" "ftypjp2 "), NO,
      "image/jp2", S },
    { "JPEG XL", B("\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14" "ftypjxl "), NO,
      "image/jxl", S },
    { "JPEG XL, bare", B("\xff\x0a\xfa\x1f\1"), NO, "image/jxl", W },
    { "ICO", B("\0\0\1\0\1\0\x10\x10\0\0\1\0"), NO, "image/x-icon", W },
    { "HEIF", FTYP("mif1"), NO, "image/heif", SG },
    { "HEIF, sequence", FTYP("msf1"), NO, "image/heif", SG },

    { "OpenType", B("OTTO\0\x0a\0\x80\0\3"), NO, "font/otf", S },
    { "TrueType", B("\0\1\0\0\0\x10\1\0"), NO, "font/ttf", W },
    { "WOFF", B("wOFF\0\1\0\0\0\0"), NO, "font/woff", S },
    { "WOFF2", B("wOF2\0\1\0\0\0\0"), NO, "font/woff2", S },

    /* two formats in one: what the file begins with counts */

    { "a GIF and a ZIP", B("GIF89a\1\0\1\0\x80\0\0"), 300, LOCAL("\x05",
      "a.txt"),
      "image/gif", S },
    { "a JPEG and a script", B("\xff\xd8\xff\xfe\0\x20<?php eval($_GET"), 300,
      B("<html>"), "image/jpeg", S },
    { "a PDF and a ZIP", B("%PDF-1.4\n"), 300, LOCAL("\x05", "a.txt"),
      "application/pdf", S },
    { "a ZIP with a PDF in it", LOCAL("\x05", "a.pdf"), 300, B("%PDF-1.4\n"),
      "application/zip", SG },
    { "a tar whose first file is called \"MZ.txt\"", B("MZ.txt\0\0\0"), 257,
      B("ustar\0" "00"), "application/x-tar", S },
    { "a tar whose first file is called \".sndrc\"", B(".sndrc\0\0\0"), 257,
      B("ustar\0" "00"), "application/x-tar", S },
    { "an unknown format", B("\x93NEW\0\1"), NO, NULL, 0 },
    { "letters at the wrong place", B("\0GIF89a\1\0"), NO, NULL, 0 },
    { "AIFF without its FORM", B("\1\2\3\4\5\6\7\x0e" "AIFF"), NO, NULL, 0 }
};


/* All of them are text; a signature there is only what no prose starts with. */

static const struct {
    const char  *text;
    const char  *mime;
    unsigned     sign;
} texts[] = {
    { "GIF89a is a format of 1989.\n", NULL, 0 },
    { "GIF87a", NULL, 0 },
    { "GIF89a/*\n* a script\n*/=1;alert(1)", NULL, 0 },
    { "%PDF- is how a PDF file begins\n", NULL, 0 },
    { "%PDF-", NULL, 0 },
    { "%PDF-x.y\n", NULL, 0 },
    { "A text on %PDF-1.7\n", NULL, 0 },
    { "RIFF", NULL, 0 },
    { "RIFF and WAVE are older\n", NULL, 0 },
    { "RIFF or WEBP: which?", NULL, 0 },
    { "BM", NULL, 0 },
    { "BM is how a bitmap begins, with its size behind it.\n", NULL, 0 },
    { "PK", NULL, 0 },
    { "PKWARE wrote the note on ZIP\n", NULL, 0 },
    { "MZ was the initial of an engineer at Microsoft.\n", NULL, 0 },
    { "ID3 tags hold the title of a song.\n", NULL, 0 },
    { "OggS is the capture pattern of a page.\n", NULL, 0 },
    { "fLaC is for free lossless audio.\n", NULL, 0 },
    { "MThd, MTrk: the chunks of MIDI.\n", NULL, 0 },
    { "#!AMR\n", NULL, 0 },
    { ".snd files of the NeXT\n", NULL, 0 },
    { "The old AIFF files\n", NULL, 0 },
    { "An iff: AIFC\n", NULL, 0 },
    { "BZh91AY&SY", NULL, 0 },
    { "wOFF and wOF2", NULL, 0 },
    { "wOF2 and wOFF", NULL, 0 },
    { "PAR1 of 3\n", NULL, 0 },
    { "OTTO Normalverbraucher\n", NULL, 0 },
    { "FLV files\n", NULL, 0 },
    { "II* and MM*\n", NULL, 0 },
    { "8BPS\n", NULL, 0 },
    { "7z is a program\n", NULL, 0 },
    { "Rar! said the crow.\n", NULL, 0 },
    { "MSCF\n", NULL, 0 },
    { "SQLite format 3", NULL, 0 },
    { "!<arch>\n", NULL, 0 },
    { "!<arch>\ndebian-binary is the first member\n", NULL, 0 },
    { "ELF and dwarf\n", NULL, 0 },
    { "The ftyp box is the first of an MP4 file.\n", NULL, 0 },
    { "See ftypisom, ftypM4A and others\n", NULL, 0 },
    { "G", NULL, 0 },
    { "<b>bold</b>", NULL, 0 },
    { "a < b, <svg> is a tag", NULL, 0 },
    { "<svgfoo/>", NULL, 0 },
    { "<!-- no end <svg>", NULL, 0 },
    { "<?xmlx?>", NULL, 0 },

    { "%PDF-1.4\n1 0 obj\n<< >>\nendobj\n%%EOF\n", "application/pdf", S },
    { "{\\rtf1\\ansi Hello}", "application/rtf", W },
    { "%!PS-Adobe-3.0 EPSF-3.0\n", "application/postscript", W },
    { "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "image/svg+xml", W },
    { "\xef\xbb\xbf <SVG>", "image/svg+xml", W },
    { "<?xml version=\"1.0\"?>\n<!-- a drawing -->\n<svg>", "image/svg+xml",
      W },
    { "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C\">",
      "image/svg+xml", W },
    { "<!DOCTYPE html>\n<title>t</title>", "text/html", W },
    { "\r\n<!-- c --> <!-- d -->\n<HTML lang=en>", "text/html", W },
    { "<?xml version=\"1.0\"?>\n<html xmlns=\"x\">",
      "application/xhtml+xml", W },
    { "<?xml version=\"1.0\"?>\n<feed/>", "application/xml",
      ART_SIGN_GENERIC },
    { "<?xml", "application/xml", ART_SIGN_GENERIC }
};


static void
fill(uint8_t *p, size_t n)
{
    size_t                i;
    static const uint8_t  noise[] = { 0x00, 0x93, 0x07, 0xee, 0x1c };

    for (i = 0; i < n; i++) {
        p[i] = noise[i % sizeof(noise)];
    }
}


static void
build(const head_t *head)
{
    fill(buf, HEAD_LEN);
    memcpy(buf, head->bytes, head->len);
    memcpy(buf + head->at, head->more_len ? head->more : head->bytes,
           head->more_len);
}


static void
check_heads(void)
{
    size_t           i, len;
    unsigned         bad;
    const char      *want;
    const head_t    *head;
    art_evidence_t   evidence;

    bad = 0;

    for (i = 0; i < nitems(heads); i++) {
        head = &heads[i];
        want = head->mime ? head->mime : "none";

        build(head);
        sniff(buf, HEAD_LEN, 0, &evidence);

        if (!ok(strcmp(media_of(&evidence), want) == 0
                && evidence.sign == head->sign
                && evidence.text == ART_TEXT_BINARY
                && evidence.magic_asked == 0 && evidence.magic_len == 0,
                "signature: %s", head->name))
        {
            diag("got %s, sign %u, text class %u", media_of(&evidence),
                 evidence.sign, evidence.text);
        }

        for (len = 0; len <= 64; len++) {
            sniff(buf, len, 1, &evidence);
            bad += strcmp(media_of(&evidence), "no row") == 0;
        }
    }

    ok(bad == 0, "heads cut anywhere");
}


/* Formats that need more than a head and noise. */

static void
check_long_heads(void)
{
    art_evidence_t  evidence;

    fill(buf, HEAD_LEN);
    memcpy(buf, "MZ\x90\0\3\0\0\0\4\0", 10);
    memcpy(buf + 0x3c, "\x80\0\0\0", 4);
    memcpy(buf + 0x80, "PE\0\0\x64\x86", 6);
    sniff(buf, HEAD_LEN, 0, &evidence);
    ok(strcmp(media_of(&evidence), "application/x-executable") == 0
       && evidence.sign == S, "signature: a program of Windows");

    fill(buf, HEAD_LEN);
    buf[0] = 'G';
    buf[188] = 'G';
    buf[376] = 'G';
    sniff(buf, HEAD_LEN, 0, &evidence);
    ok(strcmp(media_of(&evidence), "video/mp2t") == 0 && evidence.sign == S,
       "signature: MPEG-TS of three packets");

    sniff(buf, 376, 0, &evidence);
    is_str(media_of(&evidence), "none", "two packets are not enough");

    memset(buf, 'G', HEAD_LEN);
    sniff(buf, HEAD_LEN, 1, &evidence);
    is_str(media_of(&evidence), "none", "a text of \"G\" is no MPEG-TS");
}


/* How much of a text may stand in a test's name. */

static int
printable(const char *text)
{
    int  n;

    for (n = 0; n < 30 && text[n] >= ' ' && text[n] < 0x7f; n++) {
        /* void */
    }

    return n;
}


static void
check_texts(void)
{
    size_t          i;
    const char     *want;
    art_evidence_t  evidence;

    for (i = 0; i < nitems(texts); i++) {
        want = texts[i].mime ? texts[i].mime : "none";

        sniff((const uint8_t *) texts[i].text, strlen(texts[i].text), 1,
              &evidence);

        if (!ok(strcmp(media_of(&evidence), want) == 0
                && evidence.sign == texts[i].sign,
                "text %zu: %.*s", i, printable(texts[i].text),
                texts[i].text))
        {
            diag("got %s, sign %u", media_of(&evidence), evidence.sign);
        }
    }
}


/*
 * One byte of Latin 1 in an English sentence makes no other format of it,
 * whatever two or three letters it begins with.
 */

static void
check_stray_texts(void)
{
    char             text[200];
    size_t           i;
    art_evidence_t   evidence;

    static const char  *words[] = {
        "MZ", "ID3", "BZh", ".snd", "BM", "PK", "RIFF", "PAR1", "MThd",
        "OggS", "fLaC", "wOFF", "See an AIFF"
    };

    for (i = 0; i < nitems(words); i++) {
        (void) snprintf(text, sizeof(text), "%s files were what I collected "
                        "in those days at the caf\xe9, and many of them, "
                        "too.\n", words[i]);

        sniff((const uint8_t *) text, strlen(text), 1, &evidence);

        if (!ok(evidence.media == 0 && evidence.text == ART_TEXT_STRAY,
                "a text of Latin 1 that begins with \"%s\"", words[i]))
        {
            diag("got %s, sign %u", media_of(&evidence), evidence.sign);
        }
    }
}


static void
check_magic(void)
{
    char             text[200];
    art_evidence_t   evidence;

    sniff(buf, 0, 1, &evidence);
    art_sniff_magic(&evidence, art_cstr("Image/JPG; charset=binary"));
    ok(evidence.magic_asked && evidence.media == 0
       && art_str_eq(art_str(evidence.magic, evidence.magic_len),
                     art_cstr("image/jpeg")), "libmagic's answer, canonical");

    art_sniff_magic(&evidence, art_cstr("application/octet-stream"));
    ok(evidence.magic_asked && evidence.magic_len == 0,
       "a generic answer is none");

    sniff(buf, 0, 1, &evidence);
    art_sniff_magic(&evidence, art_cstr(""));
    ok(evidence.magic_asked && evidence.magic_len == 0, "no answer");

    memset(text, 'a', sizeof(text));
    text[1] = '/';
    art_sniff_magic(&evidence, art_str(text, ART_MEDIA_TYPE_MAX));
    is_int(evidence.magic_len, ART_MEDIA_TYPE_MAX, "the longest answer");

    art_sniff_magic(&evidence, art_str(text, sizeof(text)));
    is_int(evidence.magic_len, 0, "one too long");
}


int
main(void)
{
    check_heads();
    check_long_heads();
    check_texts();
    check_stray_texts();
    check_magic();

    return done();
}
