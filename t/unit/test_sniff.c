
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signatures, file by file, and the telling of text from binary.
 */


#include "../../src/core/art_sniff.h"
#include "naive_utf8.h"
#include "tap.h"


#define BYTES  8192

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


#define B(bytes)      bytes, sizeof(bytes) - 1
#define NO            0, "", 0
#define HEAD_LEN      600

#define LOCAL(name)   B("PK\3\4\x14\0\0\0\x08\0\0\0!\0\x11\x22\x33\x44\0\1\0" \
                        "\0\0\2\0\0\x08\0\0\0" name)
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

    { "ZIP", LOCAL("a.txt"), NO, "application/zip", SG },
    { "ZIP, empty", B("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), NO,
      "application/zip", SG },
    { "ZIP, split", B("PK\7\x08PK\3\4\x14\0"), NO, "application/zip", SG },
    { "DOCX", LOCAL("[Content_Types].xml"), 400, B("word/document.xml"),
      OOXML "wordprocessingml.document", S },
    { "XLSX", LOCAL("[Content_Types].xml"), 400, B("xl/workbook.xml"),
      OOXML "spreadsheetml.sheet", S },
    { "PPTX", LOCAL("[Content_Types].xml"), 400, B("ppt/presentation.xml"),
      OOXML "presentationml.presentation", S },
    { "DOCX, relations first", LOCAL("_rels/.rels"), 400,
      B("word/document.xml"), OOXML "wordprocessingml.document", S },
    { "another OPC package", LOCAL("[Content_Types].xml"), 400,
      B("Documents/1/FixedDocument.fdoc"), "application/zip", SG },
    { "ODT", LOCAL("mimetype" ODF "textPK\3\4"), NO, ODF "text", S },
    { "ODS", LOCAL("mimetype" ODF "spreadsheetPK\3\4"), NO,
      ODF "spreadsheet", S },
    { "ODP", LOCAL("mimetype" ODF "presentationPK\3\4"), NO,
      ODF "presentation", S },
    { "ODG", LOCAL("mimetype" ODF "graphicsPK\3\4"), NO, "application/zip",
      SG },
    { "EPUB", LOCAL("mimetypeapplication/epub+zipPK\3\4"), NO,
      "application/epub+zip", S },
    { "JAR", LOCAL("META-INF/MANIFEST.MF"), NO, "application/java-archive",
      SG },
    { "OLE", B("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0"), NO,
      "application/x-ole-storage", SG },

    { "MP4", FTYP("isom"), NO, "video/mp4", SG },
    { "MP4, another brand", FTYP("mp42"), NO, "video/mp4", SG },
    { "M4A", FTYP("M4A "), NO, "audio/mp4", S },
    { "M4B", FTYP("M4B "), NO, "audio/mp4", S },
    { "QuickTime", FTYP("qt  "), NO, "video/quicktime", S },
    { "3GP", FTYP("3gp4"), NO, "video/3gpp", S },
    { "3G2", FTYP("3g2a"), NO, "video/3gpp", S },
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
    { "MP3", B("\xff\xfb\x90\x64\0\0"), NO, "audio/mpeg", W },
    { "MP3, MPEG-2", B("\xff\xf3\x40\xc4\0\0"), NO, "audio/mpeg", W },
    { "AAC", B("\xff\xf1\x50\x80\x02\x1f"), NO, "audio/aac", W },
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

    { "a GIF and a ZIP", B("GIF89a\1\0\1\0\x80\0\0"), 300, LOCAL("a.txt"),
      "image/gif", S },
    { "a JPEG and a script", B("\xff\xd8\xff\xfe\0\x20<?php eval($_GET"), 300,
      B("<html>"), "image/jpeg", S },
    { "a PDF and a ZIP", B("%PDF-1.4\n"), 300, LOCAL("a.txt"),
      "application/pdf", S },
    { "a ZIP with a PDF in it", LOCAL("a.pdf"), 300, B("%PDF-1.4\n"),
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


typedef struct {
    const char  *bytes;
    size_t       len;
    unsigned     whole;
    unsigned     text;
    const char  *name;
} class_case_t;


#define A32  "abcdefghijklmnopqrstuvwxyz 01234"
#define ZH   "\xe5\xb7\xa5\xe4\xbb\xb6"


static const class_case_t  class_cases[] = {
    { B(""), 1, ART_TEXT_EMPTY, "nothing" },
    { B("x"), 1, ART_TEXT_CLEAN, "a letter" },
    { B("a\tb\r\nc\x0b\x0c\x08\x1b[0m\n"), 1, ART_TEXT_CLEAN,
      "white space and escapes of a terminal" },
    { B(ZH "\n"), 1, ART_TEXT_CLEAN, "Chinese" },
    { B("\xef\xbb\xbf" ZH), 1, ART_TEXT_CLEAN, "UTF-8 with its mark" },
    { B("\xf0\x9f\x98\x80"), 1, ART_TEXT_CLEAN, "an emoji" },
    { B(ZH "\xe5\xb7"), 0, ART_TEXT_CLEAN, "a character cut off" },
    { B(ZH "\xe5"), 0, ART_TEXT_CLEAN, "one cut off after a byte" },
    { B("\xf0\x9f\x98"), 0, ART_TEXT_CLEAN, "nothing but one cut off" },
    { B(ZH "\xe5\xb7"), 1, ART_TEXT_LOOSE, "one that ends so" },
    { B(A32 "\xe5\xb7"), 1, ART_TEXT_STRAY, "one that ends a longer text" },
    { B(A32 "\xe9" A32), 0, ART_TEXT_STRAY, "a byte of Latin 1" },
    { B(A32 "\x07"), 1, ART_TEXT_STRAY, "a bell" },
    { B(A32 "\x7f"), 1, ART_TEXT_STRAY, "a DEL" },
    { B("caf\xe9"), 1, ART_TEXT_LOOSE, "a word of Latin 1" },
    { B("\x01\x02"), 1, ART_TEXT_LOOSE, "control characters" },
    { B("\xb9\xa4\xbc\xfe\xc4\xda\xc8\xdd\n"), 1, ART_TEXT_LOOSE, "GBK" },
    { B("\xc0\xaf" A32 A32), 1, ART_TEXT_STRAY, "overlong UTF-8" },
    { B("\xed\xa0\x80" A32 A32 A32), 1, ART_TEXT_STRAY, "a surrogate" },
    { B(A32 A32 A32 A32 "\xe9\x01"), 1, ART_TEXT_MIXED,
      "a bad byte and a control character" },
    { B("\0"), 1, ART_TEXT_BINARY, "a NUL" },
    { B("words\0and more words\n"), 1, ART_TEXT_BINARY, "a NUL in a text" },
    { B("a\0b"), 1, ART_TEXT_BINARY, "a NUL between letters" },
    { B(A32 A32 A32 "\0" A32), 1, ART_TEXT_BINARY, "a NUL in a longer one" },
    { B("\0\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY, "NULs" },
    { B("one\0two\0three\0four\0five\0six\0"), 1, ART_TEXT_BINARY,
      "words that end in NULs" },
    { B("a\0\0\0b\0\0\0c\0\0\0d\0\0\0e\0\0\0"), 1, ART_TEXT_BINARY,
      "UTF-32 without a mark" },
    { B("\xff\xfe"), 1, ART_TEXT_MARKED, "a mark of UTF-16LE alone" },
    { B("\xfe\xff"), 1, ART_TEXT_MARKED, "a mark of UTF-16BE alone" },
    { B("\xff\xfe" "h\0"), 1, ART_TEXT_MARKED, "a mark and a letter" },
    { B("\xff\xfe\0\0h\0\0\0\x00\xf6\1\0"), 1, ART_TEXT_MARKED,
      "UTF-32LE with a mark" },
    { B("\0\0\xfe\xff\0\0\0h\0\1\xf6\0"), 1, ART_TEXT_MARKED,
      "UTF-32BE with a mark" },
    { B("\xff\xfe\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-32LE and NULs" },
    { B("\0\0\xfe\xff\0\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-32BE and NULs" },
    { B("\xff\xfe" "a\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-16LE and NULs" },
    { B("\xff\xfe\x12\xd8\x13\xdb\x17\xe0\x01\x00\x02\x00\x05\x00"), 1,
      ART_TEXT_BINARY, "a mark of UTF-16LE and no text" }
};


/*
 * Texts of several languages, in UTF-8.  "marked": looked for only with a mark,
 * as other bytes read as these scripts too easily.
 */

static const struct {
    const char  *name;
    const char  *text;
    unsigned     marked;
} languages[] = {
    { "English", "The quick brown fox jumps over the lazy dog.\r\n"
      "It costs 12,000 a year (or more).\n", 0 },
    { "English with a euro sign",
      "The price rose from \xe2\x82\xac""5 \xe2\x86\x92 \xe2\x82\xac""6 "
      "\xe2\x80\x94 \xe2\x80\x9cquite a lot\xe2\x80\x9d\xe2\x84\xa2, or so "
      "they all said when they saw the new list of prices.\n", 0 },
    { "Chinese", "工件内容读取失败。\r\n请检查文件是否损坏，"
      "然后重新上传第 2 版。\n", 0 },
    { "Chinese with an emoji", "完成了\xf0\x9f\x8e\x89 下一步：部署到"
      "测试环境\n再通知所有的人\xe2\x9c\x85\n", 0 },
    { "Japanese", "ファイルを読み取れませんでした。\n"
      "もう一度お試しください\n", 0 },
    { "Korean", "파일을 읽을 수 없습니다.\n다시 시도해 주십시오.\n", 0 },
    { "Russian", "Не удалось прочитать файл.\nПопробуйте ещё раз.\n", 0 },
    { "German", "Die Datei ließ sich nicht lesen; prüfen Sie die Größe.\n", 0 },
    { "Vietnamese", "Không thể đọc được tệp này, vui lòng kiểm tra lại.\n",
      1 },
    { "Arabic", "تعذرت قراءة الملف. يرجى التحقق من الملف والمحاولة\n", 1 },
    { "Hebrew", "לא ניתן לקרוא את הקובץ. נא לבדוק את הקובץ ולנסות שוב\n", 1 },
    { "Hindi", "फ़ाइल पढ़ी नहीं जा सकी। कृपया जाँच कर फिर प्रयास करें\n", 1 },
    { "Thai", "ไม่สามารถอ่านไฟล์ได้ โปรดตรวจสอบไฟล์แล้วลองอีกครั้ง\n", 1 }
};


static uint8_t  buf[BYTES];


static const char *
media_of(const art_evidence_t *evidence)
{
    const art_media_t  *row;

    if (evidence->media == 0) {
        return "none";
    }

    row = art_media_row(evidence->media - 1u);

    return row ? row->mime : "no row";
}


static void
fill(uint8_t *p, size_t n)
{
    size_t                i;
    static const uint8_t  noise[] = { 0x00, 0x93, 0x07, 0xee, 0x1c };

    for (i = 0; i < n; i++) {
        p[i] = noise[i % sizeof(noise)];
    }
}


/* A copy of exactly that size, so that a sanitizer sees one read too many. */

static void
sniff(const uint8_t *p, size_t len, unsigned whole, art_evidence_t *evidence)
{
    uint8_t  *copy;

    copy = malloc(len + (len == 0));
    memcpy(copy, p, len);
    memset(evidence, '#', sizeof(*evidence));

    art_sniff(copy, len, whole, evidence);

    free(copy);
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
check_classes(void)
{
    size_t               i;
    art_evidence_t       evidence;
    const class_case_t  *c;

    for (i = 0; i < nitems(class_cases); i++) {
        c = &class_cases[i];

        sniff((const uint8_t *) c->bytes, c->len, c->whole, &evidence);
        is_int(evidence.text, c->text, c->name);
    }

    art_sniff(NULL, 0, 1, &evidence);
    is_int(evidence.text, ART_TEXT_EMPTY, "no bytes at all");

    ok(art_text_is_text(ART_TEXT_EMPTY) && art_text_is_text(ART_TEXT_CLEAN)
       && art_text_is_text(ART_TEXT_STRAY)
       && art_text_is_text(ART_TEXT_UTF16LE)
       && art_text_is_text(ART_TEXT_UTF16BE)
       && art_text_is_text(ART_TEXT_MARKED)
       && !art_text_is_text(ART_TEXT_LOOSE)
       && !art_text_is_text(ART_TEXT_MIXED)
       && !art_text_is_text(ART_TEXT_BINARY), "which of them are text");
}


/* Characters of every length across the last byte that is looked at. */

static void
check_edge(void)
{
    size_t           shift, n;
    unsigned         bad;
    art_evidence_t   evidence;

    static const char  *chars[] = { "\xc3\xa9", "\xe5\xb7\xa5",
                                    "\xf0\x9f\x98\x80" };
    bad = 0;

    for (shift = 0; shift < 4; shift++) {
        for (n = 0; n < nitems(chars); n++) {
            memset(buf, 'x', sizeof(buf));
            memcpy(buf + ART_SNIFF_MAX - shift, chars[n], strlen(chars[n]));

            sniff(buf, 5000, 1, &evidence);
            bad += evidence.text != ART_TEXT_CLEAN;

            sniff(buf, ART_SNIFF_MAX, 0, &evidence);
            bad += evidence.text != ART_TEXT_CLEAN;

            sniff(buf, ART_SNIFF_MAX, 1, &evidence);
            bad += evidence.text != (shift > 0 && shift < strlen(chars[n])
                                     ? ART_TEXT_STRAY : ART_TEXT_CLEAN);
        }
    }

    is_int(bad, 0, "a character cut at byte 4096");

    memset(buf, 'x', sizeof(buf));
    buf[ART_SNIFF_MAX] = 0;
    sniff(buf, 5000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_CLEAN, "what follows byte 4096 is ignored");

    buf[ART_SNIFF_MAX - 1] = 0;
    sniff(buf, 5000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_BINARY, "a NUL as byte 4096");
}


static size_t
put_unit(uint8_t *dst, uint32_t unit, unsigned big)
{
    dst[big ? 0 : 1] = (uint8_t) (unit >> 8);
    dst[big ? 1 : 0] = (uint8_t) unit;

    return 2;
}


/* Valid UTF-8 as UTF-16; returns the length. */

static size_t
utf16(uint8_t *dst, const char *text, unsigned big, unsigned mark)
{
    int             i, n;
    size_t          len;
    uint32_t        code;
    const uint8_t  *p;

    len = mark ? put_unit(dst, 0xfeff, big) : 0;

    for (p = (const uint8_t *) text; *p != 0; p += n) {
        n = naive_char(p, strlen((const char *) p));
        code = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));

        for (i = 1; i < n; i++) {
            code = code << 6 | (p[i] & 0x3f);
        }

        if (code >= 0x10000) {
            len += put_unit(dst + len, 0xd7c0 + (code >> 10), big);
            code = 0xdc00 | (code & 0x3ff);
        }

        len += put_unit(dst + len, code, big);
    }

    return len;
}


static void
check_utf16(unsigned mark)
{
    size_t           i, len;
    unsigned         big, want;
    art_evidence_t   evidence;

    for (i = 0; i < nitems(languages); i++) {
        for (big = 0; big <= 1 && mark >= languages[i].marked; big++) {
            want = mark ? ART_TEXT_MARKED
                        : big ? ART_TEXT_UTF16BE : ART_TEXT_UTF16LE;

            len = utf16(buf, languages[i].text, big, mark);
            sniff(buf, len, 1, &evidence);

            if (!ok(evidence.text == want && evidence.media == 0,
                    "UTF-16%s %s a mark: %s", big ? "BE" : "LE",
                    mark ? "with" : "without", languages[i].name))
            {
                diag("text class %u, %s", evidence.text,
                     media_of(&evidence));
            }
        }
    }
}


/* A long text, cut within its pairs of surrogates. */

static void
check_utf16_edge(void)
{
    size_t          len;
    unsigned        big, mark, bad;
    art_evidence_t  evidence;

    bad = 0;

    for (big = 0; big <= 1; big++) {
        for (mark = 0; mark <= 1; mark++) {
            len = 0;

            while (len < 6000) {
                len += utf16(buf + len, "ab\xf0\x9f\x98\x81", big,
                             mark && len == 0);
            }

            sniff(buf, len, 1, &evidence);
            bad += !art_text_is_text(evidence.text);

            sniff(buf, 999, 0, &evidence);
            bad += !art_text_is_text(evidence.text);
        }
    }

    is_int(bad, 0, "UTF-16 cut within a character");
}


static size_t
random_bytes(uint8_t *dst, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        dst[i] = (uint8_t) tap_rand();
    }

    return len;
}


/*
 * Random bytes are no text, not even behind a byte order mark; of UTF-16, where
 * most units are some character, it takes more of them to tell.
 */

static void
check_random_binary(void)
{
    size_t           i, k, len;
    unsigned         failed;
    art_evidence_t   evidence;

    static const struct {
        const char  *bytes;
        size_t       len;
        size_t       least;
        const char  *name;
    } starts[] = {
        { B(""), 64, "random bytes" },
        { B("\xef\xbb\xbf"), 64, "behind a mark of UTF-8" },
        { B("\xff\xfe"), 1500, "behind a mark of UTF-16LE" },
        { B("\xfe\xff"), 1500, "behind a mark of UTF-16BE" },
        { B("\xff\xfe\0\0a\0\0\0"), 64, "behind a mark of UTF-32LE" },
        { B("\0\0\xfe\xff\0\0\0a"), 64, "behind a mark of UTF-32BE" }
    };

    for (k = 0; k < nitems(starts); k++) {
        failed = 0;

        for (i = 0; i < 600 && failed == 0; i++) {
            memcpy(buf, starts[k].bytes, starts[k].len);
            len = random_bytes(buf + starts[k].len,
                               starts[k].least + tap_below(500))
                  + starts[k].len;

            sniff(buf, len, i % 2, &evidence);

            if (art_text_is_text(evidence.text)) {
                diag("class %u", evidence.text);
                diag_mem("source", buf, len);
                failed++;
            }
        }

        ok(failed == 0, "no text: %s", starts[k].name);
    }
}


/* Random characters that are no control characters; returns the length. */

static size_t
random_utf8(uint8_t *dst, size_t max)
{
    size_t    len;
    uint32_t  code;

    static const uint32_t  ranges[][2] = {
        { 0x20, 0x5f }, { 0x61, 26 }, { 0xa0, 0x760 }, { 0x4e00, 0x5000 },
        { 0x10000, 0x100000 }
    };

    len = 0;

    while (len + 4 <= max) {
        code = (uint32_t) tap_below(nitems(ranges));
        code = ranges[code][0] + (uint32_t) tap_below(ranges[code][1]);
        len += naive_encode(dst + len, code);
    }

    return len;
}


static void
check_random_text(void)
{
    size_t           i, len;
    unsigned         failed;
    art_evidence_t   evidence;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        len = random_utf8(buf, 8 + tap_below(i % 16 ? 300 : BYTES - 8));
        sniff(buf, len, 1, &evidence);
        failed += evidence.text != ART_TEXT_CLEAN;

        len = 1 + tap_below(len);
        sniff(buf, len, 0, &evidence);
        failed += evidence.text != ART_TEXT_CLEAN;

        sniff(buf, len, 1, &evidence);
        failed += len <= ART_SNIFF_MAX
                  && (evidence.text == ART_TEXT_CLEAN)
                     != naive_valid(buf, len);
    }

    if (!ok(failed == 0, "valid UTF-8, cut anywhere, is clean")) {
        diag_mem("source", buf, len);
    }
}


/* Words and a few NULs: "NUL bytes in declared text" are a contradiction. */

static void
check_random_nuls(void)
{
    size_t           i, k, len, words;
    unsigned         failed;
    art_evidence_t   evidence;

    failed = 0;

    for (i = 0; i < 2000 && failed == 0; i++) {
        len = 0;

        for (words = 4 + tap_below(40); words > 0; words--) {
            for (k = 1 + tap_below(8); k > 0; k--) {
                buf[len++] = (uint8_t) ('a' + tap_below(26));
            }

            buf[len++] = (uint8_t) " \n"[tap_below(8) == 0];
        }

        for (k = 1 + tap_below(3); k > 0; k--) {
            buf[tap_below(len)] = 0;
        }

        sniff(buf, len, i % 2, &evidence);
        failed += evidence.text != ART_TEXT_BINARY;
    }

    if (!ok(failed == 0, "words with NULs among them are binary")) {
        diag("class %u", evidence.text);
        diag_mem("source", buf, len);
    }
}


static void
check_random_ends(void)
{
    size_t           i, len;
    unsigned         failed;
    art_evidence_t   all, head;

    failed = 0;

    for (i = 0; i < 200 && failed == 0; i++) {
        len = i % 2 ? random_utf8(buf, BYTES) : random_bytes(buf, BYTES);
        len = ART_SNIFF_MAX + 1 + tap_below(len - ART_SNIFF_MAX - 1);

        sniff(buf, len, i % 3 == 0, &all);
        sniff(buf, ART_SNIFF_MAX, 0, &head);

        failed += memcmp(&all, &head, sizeof(all)) != 0;
    }

    ok(failed == 0, "only the first 4096 bytes count");
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
    check_classes();
    check_edge();
    check_utf16(1);
    check_utf16(0);
    check_utf16_edge();
    check_random_binary();
    check_random_text();
    check_random_nuls();
    check_random_ends();
    check_magic();

    return done();
}
