
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libuchardet is good at longer texts, but not at a line of Chinese, Japanese
 * or Korean, and such lines are common (names, comments, tables).  So the
 * charsets of these languages are tried first: the one counts in which most
 * characters are frequent ones.
 */


#include <errno.h>
#include <uchardet/uchardet.h>

#include "core/base/art_char.h"
#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"
#include "core/text/art_charset_frequent.h"


/* How many bytes are examined, at some 0.1 us a byte. */

#define ART_CHARSET_COUNT_MAX   512
#define ART_CHARSET_DETECT_MAX  1024
#define ART_CHARSET_RESUME_MAX  256

/* The least share of frequent characters among those that are not ASCII. */

#define ART_CHARSET_FREQUENT    55       /* percent */


/* A share that no wrong charset comes near. */

#define ART_CHARSET_CLEAR       80


/* A piece always fits its output: glibc converts again what did not fit. */

#define ART_CHARSET_PIECE       256


/* What a conversion found. */

typedef struct {
    size_t  faults;
    size_t  wide;                /* characters that are not ASCII, of them: */
    size_t  han;                 /* frequent ideographs */
    size_t  kana;
    size_t  hangul;
    size_t  marks;               /* punctuation and full-width forms */
} art_charset_count_t;


typedef enum {
    ART_CHARSET_ANY = 0,         /* ideographs are not counted */
    ART_CHARSET_HAN,
    ART_CHARSET_KANA,
    ART_CHARSET_HANGUL
} art_charset_language_t;


static const char *art_charset_by_characters(const uint8_t *p, size_t len);
static const char *art_charset_by_library(const uint8_t *p, size_t len);
static unsigned art_charset_is_western(const uint8_t *p, size_t len);
static unsigned art_charset_is_paired(const uint8_t *p, size_t len,
    uint8_t single, uint8_t trail);
static void art_charset_read(const char *charset, const uint8_t *p, size_t len,
    unsigned last, art_charset_language_t language,
    art_charset_count_t *count);
static void art_charset_add(art_charset_count_t *count, const uint8_t *p,
    size_t len, art_charset_language_t language);
static void art_charset_add_one(art_charset_count_t *count, const uint8_t *p,
    size_t n, art_charset_language_t language);


/*
 * In order of preference: of two that fit equally, the first counts.  No second
 * byte is below "trail".  Bytes from "single" on may be whole characters; 0: no
 * byte is.
 */

static const struct {
    const char              *charset;
    art_charset_language_t   language;
    uint8_t                  single;
    uint8_t                  trail;
} art_charset_candidates[] = {
    { "GB18030", ART_CHARSET_HAN, 0, 0x30 },
    { "CP950", ART_CHARSET_HAN, 0, 0x40 },
    { "CP932", ART_CHARSET_KANA, 0xa0, 0x40 },
    { "EUC-JP-MS", ART_CHARSET_KANA, 0, 0x80 },
    { "UHC", ART_CHARSET_HANGUL, 0, 0x41 }
};


const char *
art_charset_detect(const uint8_t *p, size_t len, unsigned whole,
    unsigned few, const char *says, unsigned *guessed)
{
    unsigned     western;
    const char  *charset;

    *guessed = 0;

    if (says != NULL && strcmp(says, "UTF-8") != 0 && !art_charset_wide(says)
        && art_charset_faults(says, p, len, whole) == 0)
    {
        return says;
    }

    *guessed = 1;
    western = art_charset_is_western(p, len);

    if (!western) {
        charset = art_charset_by_characters(p, len);

        if (charset != NULL
            && art_charset_faults(charset, p, len, whole) == 0)
        {
            return charset;
        }
    }

    if (few) {
        return NULL;
    }

    charset = western ? "CP1252" : art_charset_by_library(p, len);

    if (charset == NULL || strcmp(charset, "UTF-8") == 0
        || art_charset_wide(charset)
        || art_charset_faults(charset, p, len, whole) != 0)
    {
        return NULL;
    }

    return charset;
}


/* The charset in which most characters are frequent in its language. */

static const char *
art_charset_by_characters(const uint8_t *p, size_t len)
{
    size_t               i, score, best;
    const char          *charset;
    art_charset_count_t  count;

    charset = NULL;
    best = ART_CHARSET_FREQUENT;
    len = len < ART_CHARSET_COUNT_MAX ? len : ART_CHARSET_COUNT_MAX;

    for (i = 0; i < art_nitems(art_charset_candidates); i++) {

        /* opening a converter is expensive */

        if (!art_charset_is_paired(p, len, art_charset_candidates[i].single,
                                   art_charset_candidates[i].trail))
        {
            continue;
        }

        art_charset_read(art_charset_candidates[i].charset, p, len, 0,
                         art_charset_candidates[i].language, &count);

        switch (art_charset_candidates[i].language) {

        case ART_CHARSET_HAN:
            score = count.han > 0 ? count.han + count.marks : 0;
            break;

        case ART_CHARSET_KANA:
            score = count.kana + count.han > 0
                    ? count.kana + count.han + count.marks : 0;
            break;

        default: /* ART_CHARSET_HANGUL */
            score = count.hangul > 0 ? count.hangul + count.marks : 0;
        }

        if (count.faults == 0 && count.wide > 0
            && score * 100 > best * count.wide)
        {
            best = score * 100 / count.wide;
            charset = art_charset_candidates[i].charset;

            if (best >= ART_CHARSET_CLEAR) {
                break;
            }
        }
    }

    return charset;
}


/*
 * Whether all bytes that are not ASCII may be paired.  They are not where words
 * with an odd number of such letters end.  EUC's 8F is followed by a pair.
 */

static unsigned
art_charset_is_paired(const uint8_t *p, size_t len, uint8_t single,
    uint8_t trail)
{
    size_t  i;

    for (i = 0; i + 1 < len; i++) {

        if (p[i] < 0x80 || (single != 0 && p[i] >= single)
            || (p[i] == 0x8f && trail >= 0x80))
        {
            continue;
        }

        if (p[++i] < trail) {
            return 0;
        }
    }

    return 1;
}


static const char *
art_charset_by_library(const uint8_t *p, size_t len)
{
    uchardet_t   ud;
    const char  *charset;

    ud = uchardet_new();

    if (ud == NULL) {
        return NULL;
    }

    charset = NULL;
    len = len < ART_CHARSET_DETECT_MAX ? len : ART_CHARSET_DETECT_MAX;

    if (uchardet_handle_data(ud, (const char *) p, len) == 0) {
        uchardet_data_end(ud);
        charset = art_charset_find(art_cstr(uchardet_get_charset(ud)));
    }

    uchardet_delete(ud);

    return charset;
}


static unsigned
art_charset_is_western(const uint8_t *p, size_t len)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < len; i++) {
        c = p[i];

        if (c < 0x80) {
            continue;
        }

        if (c < 0xc0) {
            if (memchr("\x80\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0\xa1\xa3"
                       "\xa7\xa9\xab\xae\xb0\xb1\xb4\xb5\xb7\xbb\xbf", c, 24)
                == NULL)
            {
                return 0;
            }

            continue;
        }

        if (memchr("\xd0\xd7\xdd\xde\xf0\xf7\xfd\xfe\xff", c, 9) != NULL) {
            return 0;
        }

        if (!(i > 0 && art_char_alnum(p[i - 1]))
            && !(i + 1 < len && art_char_alnum(p[i + 1])))
        {
            /* alone, it is a word, as in French, Spanish, Portuguese */

            if ((i > 0 && p[i - 1] >= 0x80)
                || (i + 1 < len && p[i + 1] >= 0x80))
            {
                return 0;
            }
        }
    }

    return 1;
}


size_t
art_charset_faults(const char *charset, const uint8_t *p, size_t len,
    unsigned last)
{
    art_charset_count_t  count;

    art_charset_read(charset, p, len, last, ART_CHARSET_ANY, &count);

    return count.faults;
}


size_t
art_charset_resume(const uint8_t *p, size_t len)
{
    size_t  i;

    len = len < ART_CHARSET_RESUME_MAX ? len : ART_CHARSET_RESUME_MAX;

    for (i = 0; i < len; i++) {

        if (p[i] < 0x30) {
            return i;
        }
    }

    return 0;
}


static void
art_charset_read(const char *charset, const uint8_t *p, size_t len,
    unsigned last, art_charset_language_t language,
    art_charset_count_t *count)
{
    char      *in, *out;
    size_t     left, room, piece, rest, rc, n;
    iconv_t    cd;
    uint8_t    buf[4 * ART_CHARSET_PIECE];
    unsigned   traits;

    memset(count, 0, sizeof(*count));

    cd = art_charset_open(charset);

    if (cd == (iconv_t) -1) {
        count->faults = len;
        return;
    }

    traits = art_charset_traits(charset);
    in = (char *) (uintptr_t) p;
    left = len;

    while (left > 0) {
        out = (char *) buf;
        room = sizeof(buf);
        piece = left < ART_CHARSET_PIECE ? left : ART_CHARSET_PIECE;
        rest = piece;
        errno = 0;

        rc = iconv(cd, &in, &rest, &out, &room);

        left -= piece - rest;
        art_charset_add(count, buf, sizeof(buf) - room, language);

        if (rc != (size_t) -1 || errno == E2BIG
            || (errno == EINVAL && left > rest && rest < piece))
        {
            continue;
        }

        if (errno == EINVAL) {
            count->faults += last;
            break;
        }

        n = art_charset_bad_len(traits, (const uint8_t *) in, left, 1);
        in += n;
        left -= n;
        count->faults++;
    }

    (void) iconv_close(cd);
}


/* "p" has whole characters in UTF-8. */

static void
art_charset_add(art_charset_count_t *count, const uint8_t *p, size_t len,
    art_charset_language_t language)
{
    size_t  i, n;

    for (i = 0; i < len; i += n) {

        if (p[i] < 0x80) {
            n = 1;
            continue;
        }

        n = p[i] < 0xe0 ? 2 : p[i] < 0xf0 ? 3 : 4;
        art_charset_add_one(count, p + i, n, language);
    }
}


static void
art_charset_add_one(art_charset_count_t *count, const uint8_t *p, size_t n,
    art_charset_language_t language)
{
    unsigned  code;

    count->wide++;

    if (n == 2) {
        code = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
        count->faults += code < 0xa0;
        count->marks += code == 0xb7 || code == 0xd7;
        return;
    }

    if (n == 4) {
        return;
    }

    code = (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);

    if (code >= 0x4e00 && code < 0xa000) {
        count->han += language != ART_CHARSET_ANY
                      && art_charset_is_frequent(p);

    } else if (code >= 0x3040 && code < 0x3100) {
        count->kana++;

    } else if (code >= 0xac00 && code < 0xd7a4) {
        count->hangul++;

    } else if (code >= 0xe000 && code < 0xf900) {
        count->faults++;

    } else if ((code >= 0x3000 && code < 0x3040)
               || (code >= 0xff00 && code < 0xff60)
               || (code >= 0x2010 && code < 0x2040))
    {
        count->marks++;
    }
}
