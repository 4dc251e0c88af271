
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <errno.h>

#include "core/text/art_charset.h"


#define ART_CHARSET_LABEL_MAX  32


typedef struct {
    const char  *name;           /* for glibc's iconv_open() */
    unsigned     traits;
    const char  *labels;         /* in lower case, separated by spaces */
} art_charset_t;


typedef struct {
    const char  *charset;
    size_t       len;
    uint8_t      bytes[4];
} art_charset_mark_t;


static const art_charset_t *art_charset_get(const char *charset);
static int art_charset_listed(const char *labels, const char *label,
    size_t len);
static int art_charset_space(uint8_t c);
static void art_charset_keep(const art_charset_t *row, const char *name);


/*
 * The labels are those of the WHATWG Encoding Standard, section 4.2, and some
 * used by programming languages and libmagic.  As there, a label means the
 * superset in actual use: "gb2312" the whole of GB18030, "shift_jis" Windows'
 * code page, "iso-8859-1" windows-1252.  glibc's windows code pages leave 80 to
 * 9F partly unassigned where the standard has C1 controls, hence
 * ART_CHARSET_C1.  Where this table departs from the standard:
 *
 *   - ASCII is UTF-8, which contains it, not windows-1252;
 *   - "utf-16" has no byte order of its own, and there is UTF-32;
 *   - "big5" is CP950, and only "big5-hkscs" is Big5-HKSCS: glibc's Hong Kong
 *     table lacks some punctuation of the common part;
 *   - the standard's "replacement" labels and "x-user-defined" are unknown.
 */

static const art_charset_t  art_charsets[] = {

    { "UTF-8", 0,
      "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 "
      "x-unicode20utf8 us-ascii ascii ansi_x3.4-1968 iso-ir-6 646" },

    { "UTF-16", ART_CHARSET_UNIT2, "utf-16 utf16 csutf16" },
    { "UTF-16LE", ART_CHARSET_UNIT2,
      "utf-16le utf16le csutf16le csunicode iso-10646-ucs-2 ucs-2 ucs-2le "
      "unicode unicodefeff" },
    { "UTF-16BE", ART_CHARSET_UNIT2,
      "utf-16be utf16be csutf16be ucs-2be unicodefffe" },

    { "UTF-32", ART_CHARSET_UNIT4,
      "utf-32 utf32 csutf32 iso-10646-ucs-4 ucs-4" },
    { "UTF-32LE", ART_CHARSET_UNIT4, "utf-32le utf32le csutf32le ucs-4le" },
    { "UTF-32BE", ART_CHARSET_UNIT4, "utf-32be utf32be csutf32be ucs-4be" },

    { "GB18030", ART_CHARSET_PAIRS,
      "gb18030 gbk gb2312 chinese csgb2312 csiso58gb231280 gb_2312 gb_2312-80 "
      "iso-ir-58 x-gbk csgbk csgb18030 cp936 ms936 936 windows-936 euc-cn "
      "euccn gb2312-80" },
    { "CP950", ART_CHARSET_PAIRS,
      "big5 cn-big5 csbig5 x-x-big5 big5-tw cp950 ms950 950 windows-950" },
    { "BIG5-HKSCS", ART_CHARSET_PAIRS|ART_CHARSET_COMBINES,
      "big5-hkscs big5hkscs csbig5hkscs" },

    { "CP932", ART_CHARSET_PAIRS,
      "shift_jis shift-jis sjis csshiftjis ms932 ms_kanji windows-31j x-sjis "
      "cswindows31j cp932 932 shiftjis s_jis" },
    { "EUC-JP-MS", ART_CHARSET_PAIRS,
      "euc-jp eucjp x-euc-jp cseucpkdfmtjapanese euc_jp ujis" },
    { "ISO-2022-JP", ART_CHARSET_PAIRS7,
      "iso-2022-jp csiso2022jp iso2022jp iso2022_jp" },
    { "UHC", ART_CHARSET_PAIRS,
      "euc-kr euckr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 "
      "ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949 ms949 949 uhc "
      "euc_kr" },

    { "CP1252", ART_CHARSET_C1,
      "windows-1252 cp1252 x-cp1252 1252 iso-8859-1 latin1 l1 iso8859-1 "
      "iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 csisolatin1 cp819 "
      "ibm819 latin-1" },
    { "ISO-8859-2", 0,
      "iso-8859-2 latin2 l2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 "
      "iso-ir-101 csisolatin2" },
    { "ISO-8859-3", 0,
      "iso-8859-3 latin3 l3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 "
      "iso-ir-109 csisolatin3" },
    { "ISO-8859-4", 0,
      "iso-8859-4 latin4 l4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 "
      "iso-ir-110 csisolatin4" },
    { "ISO-8859-5", 0,
      "iso-8859-5 cyrillic iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 "
      "iso-ir-144 csisolatincyrillic" },
    { "ISO-8859-6", 0,
      "iso-8859-6 arabic iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 "
      "iso-ir-127 csisolatinarabic asmo-708 ecma-114 csiso88596e csiso88596i "
      "iso-8859-6-e iso-8859-6-i" },
    { "ISO-8859-7", 0,
      "iso-8859-7 greek greek8 iso8859-7 iso88597 iso_8859-7 "
      "iso_8859-7:1987 iso-ir-126 csisolatingreek ecma-118 elot_928 "
      "sun_eu_greek" },
    { "ISO-8859-8", 0,
      "iso-8859-8 hebrew visual logical iso8859-8 iso88598 iso_8859-8 "
      "iso_8859-8:1988 iso-ir-138 csisolatinhebrew csiso88598e csiso88598i "
      "iso-8859-8-e iso-8859-8-i" },
    { "ISO-8859-10", 0,
      "iso-8859-10 latin6 l6 iso8859-10 iso885910 iso-ir-157 csisolatin6" },
    { "ISO-8859-13", 0, "iso-8859-13 iso8859-13 iso885913" },
    { "ISO-8859-14", 0, "iso-8859-14 iso8859-14 iso885914" },
    { "ISO-8859-15", 0,
      "iso-8859-15 latin9 l9 iso8859-15 iso885915 iso_8859-15 csisolatin9 "
      "latin-9" },
    { "ISO-8859-16", 0, "iso-8859-16 iso8859-16 iso885916" },

    { "CP874", ART_CHARSET_C1,
      "windows-874 tis-620 iso-8859-11 iso8859-11 iso885911 dos-874 cp874" },
    { "CP1250", ART_CHARSET_C1, "windows-1250 cp1250 x-cp1250 1250" },
    { "CP1251", ART_CHARSET_C1, "windows-1251 cp1251 x-cp1251 1251" },
    { "CP1253", ART_CHARSET_C1, "windows-1253 cp1253 x-cp1253 1253" },
    { "CP1254", ART_CHARSET_C1,
      "windows-1254 cp1254 x-cp1254 1254 iso-8859-9 latin5 l5 iso8859-9 "
      "iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 csisolatin5" },
    { "CP1255", ART_CHARSET_C1|ART_CHARSET_COMBINES,
      "windows-1255 cp1255 x-cp1255 1255" },
    { "CP1256", ART_CHARSET_C1, "windows-1256 cp1256 x-cp1256 1256" },
    { "CP1257", ART_CHARSET_C1, "windows-1257 cp1257 x-cp1257 1257" },
    { "CP1258", ART_CHARSET_C1|ART_CHARSET_COMBINES,
      "windows-1258 cp1258 x-cp1258 1258" },

    { "KOI8-R", 0, "koi8-r koi8 koi koi8_r cskoi8r" },
    { "KOI8-U", 0, "koi8-u koi8-ru" },
    { "IBM866", 0, "ibm866 cp866 866 csibm866" },
    { "MACINTOSH", 0, "macintosh mac x-mac-roman csmacintosh" },
    { "MAC-UK", 0, "x-mac-cyrillic x-mac-ukrainian" },

    { NULL, 0, NULL }
};


/* UTF-32LE's mark starts with UTF-16LE's, so it is tried first. */

static const art_charset_mark_t  art_charset_marks[] = {
    { "UTF-32LE", 4, { 0xff, 0xfe, 0x00, 0x00 } },
    { "UTF-32BE", 4, { 0x00, 0x00, 0xfe, 0xff } },
    { "UTF-16LE", 2, { 0xff, 0xfe } },
    { "UTF-16BE", 2, { 0xfe, 0xff } },
    { "UTF-8", 3, { 0xef, 0xbb, 0xbf } },
    { "GB18030", 4, { 0x84, 0x31, 0x95, 0x33 } },
    { NULL, 0, { 0 } }
};


const char *
art_charset_find(art_str_t label)
{
    char                  name[ART_CHARSET_LABEL_MAX];
    size_t                i;
    const art_charset_t  *row;

    while (label.len > 0 && art_charset_space(label.data[0])) {
        label.data++;
        label.len--;
    }

    while (label.len > 0 && art_charset_space(label.data[label.len - 1])) {
        label.len--;
    }

    if (label.len == 0 || label.len > sizeof(name)) {
        return NULL;
    }

    for (i = 0; i < label.len; i++) {
        name[i] = (char) art_char_lower(label.data[i]);
    }

    for (row = art_charsets; row->name; row++) {
        if (art_charset_listed(row->labels, name, label.len)) {
            return row->name;
        }
    }

    return NULL;
}


static int
art_charset_listed(const char *labels, const char *label, size_t len)
{
    size_t  n;

    for ( ;; ) {
        n = strcspn(labels, " ");

        if (n == len && memcmp(labels, label, len) == 0) {
            return 1;
        }

        if (labels[n] == '\0') {
            return 0;
        }

        labels += n + 1;
    }
}


/* ASCII white space as the WHATWG Infra Standard defines it. */

static int
art_charset_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}


const char *
art_charset_row(unsigned i)
{
    return i < art_nitems(art_charsets) - 1 ? art_charsets[i].name : NULL;
}


unsigned
art_charset_number(const char *charset)
{
    const art_charset_t  *row;

    row = charset != NULL ? art_charset_get(charset) : NULL;

    return row != NULL ? (unsigned) (row - art_charsets) + 1 : 0;
}


static const art_charset_t *
art_charset_get(const char *charset)
{
    const art_charset_t  *row;

    for (row = art_charsets; row->name; row++) {
        if (strcmp(row->name, charset) == 0) {
            return row;
        }
    }

    return NULL;
}


/* The canonical names are glibc's; musl knows some charsets by a label only. */

iconv_t
art_charset_open(const char *charset)
{
    char                  name[ART_CHARSET_LABEL_MAX + 1];
    size_t                n;
    iconv_t               cd;
    const char           *label;
    const art_charset_t  *row;

    if (strcmp(charset, "UTF-16") == 0) {
        charset = "UTF-16BE";

    } else if (strcmp(charset, "UTF-32") == 0) {
        charset = "UTF-32BE";
    }

    cd = iconv_open("UTF-8", charset);
    row = art_charset_get(charset);

    for (label = row != NULL ? row->labels : "";
         cd == (iconv_t) -1 && errno == EINVAL && *label != '\0';
         label += n + (label[n] == ' '))
    {
        n = strcspn(label, " ");
        memcpy(name, label, n);
        name[n] = '\0';
        charset = name;

        cd = iconv_open("UTF-8", name);
    }

    if (cd != (iconv_t) -1 && row != NULL) {
        art_charset_keep(row, charset);
    }

    return cd;
}


/*
 * The C library loads a charset's tables with the first converter and unloads
 * them soon after the last one, which takes a hundred times longer than all
 * else: one converter of each charset that was in use stays open.  Threads may
 * come here at the same time.
 */

static void
art_charset_keep(const art_charset_t *row, const char *name)
{
    size_t  i;

    static struct {
        unsigned  taken;
        iconv_t   cd;
    } kept[art_nitems(art_charsets)];

    i = (size_t) (row - art_charsets);

    if (!__atomic_exchange_n(&kept[i].taken, 1, __ATOMIC_RELAXED)) {
        kept[i].cd = iconv_open("UTF-8", name);
    }
}


int
art_charset_wide(const char *charset)
{
    return (art_charset_traits(charset)
            & (ART_CHARSET_UNIT2|ART_CHARSET_UNIT4)) != 0;
}


unsigned
art_charset_traits(const char *charset)
{
    const art_charset_t  *row;

    row = art_charset_get(charset);

    return row != NULL ? row->traits : 0;
}


const char *
art_charset_mark(const uint8_t *p, size_t n, unsigned last, size_t *mark)
{
    size_t                     common;
    const art_charset_mark_t  *m;

    *mark = 0;

    for (m = art_charset_marks; m->len; m++) {
        common = n < m->len ? n : m->len;

        if (memcmp(p, m->bytes, common) != 0) {
            continue;
        }

        if (common == m->len) {
            *mark = m->len;
            return m->charset;
        }

        if (!last) {
            *mark = ART_CHARSET_UNDECIDED;
            return NULL;
        }
    }

    return NULL;
}


size_t
art_charset_bad_len(unsigned traits, const uint8_t *p, size_t n, unsigned last)
{
    int     lead, second;
    size_t  unit;

    if (traits & (ART_CHARSET_UNIT2|ART_CHARSET_UNIT4)) {
        unit = traits & ART_CHARSET_UNIT2 ? 2 : 4;
        return unit < n ? unit : n;
    }

    if (traits & ART_CHARSET_PAIRS7) {
        lead = p[0] > 0x20 && p[0] < 0x7f;
        second = n > 1 && p[1] > 0x20 && p[1] < 0x7f;

    } else if (traits & ART_CHARSET_PAIRS) {

        /* A0 never leads an unassigned pair: it is a stray byte in Shift_JIS */

        lead = p[0] > 0x80 && p[0] < 0xff && p[0] != 0xa0;
        second = n > 1 && p[1] >= 0x80;

    } else {
        return 1;
    }

    if (lead && n == 1 && !last) {
        return 0;
    }

    return lead && second ? 2 : 1;
}
