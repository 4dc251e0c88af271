
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libuchardet is right as soon as there are some words, but not with a comment
 * of Chinese, Japanese or Korean alone.  There the charsets of these languages
 * are tried first: the one counts whose characters are the most frequent ones.
 */


#include <errno.h>
#include <uchardet/uchardet.h>

#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"
#include "core/text/art_charset_frequent.h"
#include "core/text/art_utf8.h"


/* How many bytes are examined, at about 0.1 us a byte. */

#define ART_CHARSET_COUNT_MAX   512
#define ART_CHARSET_DETECT_MAX  1024
#define ART_CHARSET_RESUME_MAX  256


/* With fewer bytes that are not ASCII, libuchardet is not asked first. */

#define ART_CHARSET_SHORT       24


/* Fewer of them may be damage. */

#define ART_CHARSET_DAMAGE      4


/* The least of what characters of the right charset tell on average. */

#define ART_CHARSET_FREQUENT    150      /* hundredths */
#define ART_CHARSET_LIKELY      100


/* The fewest characters that tell a charset of pairs. */

#define ART_CHARSET_WIDE        2


/* One in so many characters need not fit. */

#define ART_CHARSET_SHARE       32


/* A piece always fits its output: glibc converts again what did not fit. */

#define ART_CHARSET_PIECE       256


/* In place of a language: what characters tell is not counted. */

#define ART_CHARSET_ANY         (-1)


/* For how many lines alone a charset is looked for. */

#define ART_CHARSET_LINES       8


/* The result of a conversion. */

typedef struct {
    size_t  faults;
    size_t  wide;                /* characters that are not ASCII */
    size_t  score;               /* what they tell (art_charset_frequent()) */
} art_charset_count_t;


/* Which bytes of a text are not ASCII. */

typedef struct {
    size_t    high;
    size_t    letters;           /* of ASCII */
    unsigned  same:1;            /* all of them are the same */
    unsigned  apart:1;           /* half of them have ASCII on both sides */
    unsigned  inside:1;          /* western letters within words */
    unsigned  broken:1;          /* some may be a part of UTF-8 */
    unsigned  control:1;         /* there are control characters, not NULs */
} art_charset_bytes_t;


/*
 * Where a text declares its charset: after "word" and an "=" or ":", if "start"
 * comes first and no "end" is between the two.
 */

typedef struct {
    const char  *start;
    const char  *word;
    uint8_t      end;
    unsigned     first:1;        /* "start" must begin the text */
} art_charset_rule_t;


/*
 * So many pairs of bytes that are UTF-8 are that by no accident: one ideograph
 * in four looks like a letter of UTF-8.  Three or four bytes do not.
 */

#define ART_LINE_PAIRS    5


/*
 * A line with bad bytes is damaged UTF-8 if it has more than so many good
 * characters for each of them, where those of three bytes and more count twice.
 */

#define ART_LINE_DAMAGED  4


/* ASCII that is kept on both sides of other bytes. */

#define ART_LINE_AROUND   8


static const char *art_charset_of_words(const uint8_t *p, size_t len,
    unsigned whole, const art_charset_bytes_t *bytes);
static void art_charset_look(const uint8_t *p, size_t len,
    art_charset_bytes_t *bytes);
static const char *art_charset_by_characters(const uint8_t *p, size_t len,
    size_t least);
static unsigned art_charset_is_paired(const uint8_t *p, size_t len,
    uint8_t single, uint8_t trail);
static const char *art_charset_by_library(const uint8_t *p, size_t len);
static const char *art_charset_windows(const char *charset);
static unsigned art_charset_fits(const char *charset, const uint8_t *p,
    size_t len, unsigned last);
static unsigned art_charset_is_letter(uint8_t c);
static unsigned art_charset_is_western(const uint8_t *p, size_t len);
static void art_charset_read(const char *charset, const uint8_t *p, size_t len,
    unsigned last, int language, art_charset_count_t *count);
static void art_charset_convert(iconv_t cd, unsigned traits, const uint8_t *p,
    size_t len, unsigned last, int language, art_charset_count_t *count);
static void art_charset_add(art_charset_count_t *count, const uint8_t *p,
    size_t len, int language);
static void art_charset_add_one(art_charset_count_t *count, const uint8_t *p,
    size_t n, int language);
static const char *art_charset_comment(art_str_t text);
static art_str_t art_charset_find_text(art_str_t text, const char *lower);
static art_str_t art_charset_label(art_str_t text);
static size_t art_charset_clip(const uint8_t *p, size_t len, uint8_t *out);


/*
 * In order of preference: of two that fit equally, the first counts.  No second
 * byte is below "trail".  Bytes from "single" on may be whole characters; 0: no
 * byte is.
 */

static const struct {
    const char      *charset;
    art_frequent_t   language;
    uint8_t          single;
    uint8_t          trail;
} art_charset_candidates[] = {
    { "GB18030", ART_FREQUENT_SIMPLIFIED, 0, 0x30 },
    { "CP950", ART_FREQUENT_TRADITIONAL, 0, 0x40 },
    { "CP932", ART_FREQUENT_JAPANESE, 0xa0, 0x40 },
    { "EUC-JP-MS", ART_FREQUENT_JAPANESE, 0, 0x80 },
    { "UHC", ART_FREQUENT_KOREAN, 0, 0x41 }
};


static const art_charset_rule_t  art_charset_rules[] = {
    { "<?xml", "encoding", '>', 1 },
    { "@charset", "@charset", ';', 1 },
    { "<meta", "charset", '>', 0 }
};


const char *
art_charset_detect(const uint8_t *p, size_t len, unsigned whole,
    unsigned few, const char *says, unsigned *guessed)
{
    const char           *charset;
    art_charset_bytes_t   bytes;

    *guessed = 0;

    if (says != NULL && strcmp(says, "UTF-8") != 0 && !art_charset_wide(says)
        && art_charset_faults(says, p, len, whole) == 0)
    {
        return says;
    }

    *guessed = 1;

    art_charset_look(p, len, &bytes);

    if (bytes.control) {
        return NULL;
    }

    if (bytes.high < ART_CHARSET_SHORT && !bytes.apart) {
        charset = art_charset_by_characters(p, len, ART_CHARSET_FREQUENT);

        /* characters tell it, so one that is cut off at the end is damage */

        if (charset != NULL && art_charset_fits(charset, p, len, 0)) {
            return charset;
        }
    }

    if (few || bytes.high < ART_CHARSET_DAMAGE) {

        if (bytes.inside) {
            return "CP1252";
        }

        if (bytes.high < 2 || bytes.broken || bytes.letters < bytes.high) {
            return NULL;
        }
    }

    /* however often: one byte is damage, or a letter of western Europe */

    if (bytes.same) {
        return art_charset_is_western(p, len) ? "CP1252" : NULL;
    }

    return art_charset_of_words(p, len, whole, &bytes);
}


/* There is more than damage: which charset has it? */

static const char *
art_charset_of_words(const uint8_t *p, size_t len, unsigned whole,
    const art_charset_bytes_t *bytes)
{
    const char  *charset;

    for (charset = art_charset_by_library(p, len); charset != NULL;
         charset = art_charset_windows(charset))
    {
        if (strcmp(charset, "UTF-8") != 0 && !art_charset_wide(charset)
            && art_charset_fits(charset, p, len, whole))
        {
            return charset;
        }
    }

    if (art_charset_is_western(p, len)) {
        return "CP1252";
    }

    charset = bytes->apart ? NULL
              : art_charset_by_characters(p, len, ART_CHARSET_LIKELY);

    return charset != NULL && art_charset_fits(charset, p, len, 0)
           ? charset : NULL;
}


const char *
art_charset_detect_lines(const uint8_t *p, size_t len)
{
    size_t          n;
    unsigned        i, guessed;
    const char     *charset;
    const uint8_t  *lf;

    for (i = 0; len > 0 && i < ART_CHARSET_LINES; p += n, len -= n) {
        lf = memchr(p, '\n', len);
        n = lf != NULL ? (size_t) (lf - p) + 1 : len;

        if (art_charset_line(p, n) != ART_LINE_OTHER) {
            continue;
        }

        charset = art_charset_detect(p, n, 0, 0, NULL, &guessed);

        if (charset != NULL) {
            return charset;
        }

        i++;
    }

    return NULL;
}


static void
art_charset_look(const uint8_t *p, size_t len, art_charset_bytes_t *bytes)
{
    size_t   i, alone;
    uint8_t  first;

    memset(bytes, 0, sizeof(*bytes));

    bytes->same = 1;
    bytes->inside = 1;
    first = 0;
    alone = 0;

    for (i = 0; i < len; i++) {

        if (p[i] < 0x80) {
            bytes->letters += art_charset_is_letter(p[i]);
            bytes->control |= p[i] != '\0'
                              && (p[i] < '\b' || (p[i] > '\r' && p[i] < ' '
                                                  && p[i] != 0x1b));
            continue;
        }

        first = first == 0 ? p[i] : first;

        bytes->high++;
        bytes->same &= p[i] == first;
        alone += (i == 0 || p[i - 1] < 0x80)
                 && (i + 1 == len || p[i + 1] < 0x80);
        bytes->broken |= i > 0 && p[i - 1] >= 0xc0 && p[i] < 0xc0;
        bytes->inside &= art_charset_is_letter(p[i])
                         && i > 0 && art_charset_is_letter(p[i - 1])
                         && i + 1 < len && art_charset_is_letter(p[i + 1]);
    }

    bytes->apart = 2 * alone >= bytes->high;
}


/*
 * The charset in which the characters are the most frequent ones of its
 * language, if they tell "least" hundredths on average.
 */

static const char *
art_charset_by_characters(const uint8_t *p, size_t len, size_t least)
{
    size_t               i, best;
    const char          *charset;
    art_charset_count_t  count;

    charset = NULL;
    best = 0;
    len = len < ART_CHARSET_COUNT_MAX ? len : ART_CHARSET_COUNT_MAX;

    for (i = 0; i < art_nitems(art_charset_candidates); i++) {

        /* opening a converter is expensive */

        if (!art_charset_is_paired(p, len, art_charset_candidates[i].single,
                                   art_charset_candidates[i].trail))
        {
            continue;
        }

        art_charset_read(art_charset_candidates[i].charset, p, len, 0,
                         (int) art_charset_candidates[i].language, &count);

        if (count.faults * ART_CHARSET_SHARE <= count.wide
            && count.wide >= ART_CHARSET_WIDE && count.score > best
            && count.score * 100 >= least * count.wide)
        {
            best = count.score;
            charset = art_charset_candidates[i].charset;
        }
    }

    return charset;
}


/*
 * Whether all bytes that are not ASCII may be paired; an odd number of them
 * before ASCII cannot.  EUC's 8F is followed by a pair.
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

    /* the superset in use */

    return charset != NULL && strcmp(charset, "ISO-8859-8") == 0
           ? "CP1255" : charset;
}


/*
 * The code page of Windows for the same languages, which has more letters or
 * quotation marks from 80 to 9F; NULL if there is none.
 */

static const char *
art_charset_windows(const char *charset)
{
    size_t  i;

    static const char *const  pages[][2] = {
        { "ISO-8859-2", "CP1250" },
        { "ISO-8859-7", "CP1253" },
        { "ISO-8859-13", "CP1257" },
        { "ISO-8859-15", "CP1252" }
    };

    for (i = 0; i < art_nitems(pages); i++) {
        if (strcmp(charset, pages[i][0]) == 0) {
            return pages[i][1];
        }
    }

    return NULL;
}


/* A letter of ASCII, or of all western languages in windows-1252. */

static unsigned
art_charset_is_letter(uint8_t c)
{
    if (c < 0xc0) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    return memchr("\xd0\xd7\xdd\xde\xf0\xf7\xfd\xfe\xff", c, 9) == NULL;
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

            /* between two letters, only an apostrophe */

            if (memchr("\x80\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0\xa1\xa3"
                       "\xa7\xa9\xab\xae\xb0\xb1\xb4\xb5\xb7\xbb\xbf", c, 24)
                == NULL
                || (c != 0x92 && c != 0xb4 && c != 0xb7 && i > 0
                    && art_charset_is_letter(p[i - 1]) && i + 1 < len
                    && art_charset_is_letter(p[i + 1])))
            {
                return 0;
            }

            continue;
        }

        if (!art_charset_is_letter(c)) {
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


static unsigned
art_charset_fits(const char *charset, const uint8_t *p, size_t len,
    unsigned last)
{
    art_charset_count_t  count;

    art_charset_read(charset, p, len, last, ART_CHARSET_ANY, &count);

    return count.faults * ART_CHARSET_SHARE <= count.wide;
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
    unsigned last, int language, art_charset_count_t *count)
{
    iconv_t  cd;

    memset(count, 0, sizeof(*count));

    cd = art_charset_open(charset);

    if (cd == (iconv_t) -1) {
        count->faults = len;
        return;
    }

    art_charset_convert(cd, art_charset_traits(charset), p, len, last,
                        language, count);

    (void) iconv_close(cd);
}


static void
art_charset_convert(iconv_t cd, unsigned traits, const uint8_t *p, size_t len,
    unsigned last, int language, art_charset_count_t *count)
{
    char      *in, *out;
    size_t     left, room, piece, rest, rc, n;
    uint8_t    buf[4 * ART_CHARSET_PIECE];

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
            return;
        }

        n = art_charset_bad_len(traits, (const uint8_t *) in, left, 1);
        in += n;
        left -= n;
        count->faults++;
    }
}


/* "p" has whole characters in UTF-8. */

static void
art_charset_add(art_charset_count_t *count, const uint8_t *p, size_t len,
    int language)
{
    size_t  i, n;

    for (i = 0; i < len; i += n) {

        if (p[i] < 0x80) {
            n = 1;
            continue;
        }

        n = 2u + (p[i] >= 0xe0) + (p[i] >= 0xf0);
        art_charset_add_one(count, p + i, n, language);
    }
}


static void
art_charset_add_one(art_charset_count_t *count, const uint8_t *p, size_t n,
    int language)
{
    unsigned  code;

    count->wide++;

    if (n == 4) {
        return;
    }

    code = art_utf8_code(p, (int) n);

    if (code < 0xa0 || (code >= 0xe000 && code < 0xf900)) {
        count->faults++;
        return;
    }

    if (language != ART_CHARSET_ANY && n == 3) {
        count->score += art_charset_frequent((art_frequent_t) language, p);
    }
}


const char *
art_charset_says(const uint8_t *p, size_t len)
{
    size_t                     i, n;
    art_str_t                  text, found;
    const char                *charset;
    const art_charset_rule_t  *rule;

    len = len < ART_CHARSET_SAYS_MAX ? len : ART_CHARSET_SAYS_MAX;

    for (i = 0; i < art_nitems(art_charset_rules); i++) {
        rule = &art_charset_rules[i];
        text = art_str(p, len);

        for ( ;; ) {
            found = art_charset_find_text(text, rule->start);

            if (found.len == 0 || (rule->first && found.data != p)) {
                break;
            }

            text = art_str(found.data + 1, found.len - 1);

            for (n = 0; n < found.len && found.data[n] != rule->end; n++) {
                /* void */
            }

            found = art_charset_find_text(art_str(found.data, n),
                                          rule->word);

            if (found.len > 0) {
                n = strlen(rule->word);
                charset = art_charset_find(art_charset_label(
                                           art_str(found.data + n,
                                                   found.len - n)));
                if (charset != NULL) {
                    return charset;
                }
            }
        }
    }

    return art_charset_comment(art_str(p, len));
}


/* A declaration in a comment of the first two lines. */

static const char *
art_charset_comment(art_str_t text)
{
    size_t       n;
    unsigned     line;
    art_str_t    found;
    const char  *charset;

    for (line = 0; line < 2 && text.len > 0; line++) {

        for (n = 0; n < text.len && text.data[n] != '\n'; n++) {
            /* void */
        }

        found = art_str(NULL, 0);

        if (text.data[0] != '\0' && strchr("#/;%*-\"", text.data[0]) != NULL) {
            found = art_charset_find_text(art_str(text.data, n), "coding");
        }

        if (found.len > 7) {
            charset = art_charset_find(art_charset_label(
                                       art_str(found.data + 6,
                                               found.len - 6)));
            if (charset != NULL) {
                return charset;
            }
        }

        n += n < text.len;
        text = art_str(text.data + n, text.len - n);
    }

    return NULL;
}


/* The rest of the text from the first "lower" on; empty if it is not found. */

static art_str_t
art_charset_find_text(art_str_t text, const char *lower)
{
    size_t          i, k, n;
    uint8_t         first;
    const uint8_t  *p;

    n = strlen(lower);
    first = (uint8_t) lower[0];

    for (i = 0; i + n <= text.len; i++) {

        /* what begins with no letter is found at once, or is not there */

        if (!art_char_alnum(first)) {
            p = memchr(text.data + i, first, text.len - i);

            if (p == NULL || (size_t) (p - text.data) + n > text.len) {
                break;
            }

            i = (size_t) (p - text.data);
        }

        for (k = 0; k < n; k++) {
            if (art_char_lower(text.data[i + k]) != (uint8_t) lower[k]) {
                break;
            }
        }

        if (k == n) {
            return art_str(text.data + i, text.len - i);
        }
    }

    return art_str(NULL, 0);
}


/* The label after white space, an "=" or ":", and a quote. */

static art_str_t
art_charset_label(art_str_t text)
{
    size_t  i, start;

    for (i = 0; i < text.len && text.data[i] != '\0'
                && strchr(" \t=:\"'", text.data[i]) != NULL; i++)
    {
        /* void */
    }

    start = i;

    while (i < text.len
           && (art_char_alnum(text.data[i]) || text.data[i] == '-'
               || text.data[i] == '_' || text.data[i] == '.'
               || text.data[i] == ':'))
    {
        i++;
    }

    return art_str(text.data + start, i - start);
}


art_line_t
art_charset_line(const uint8_t *p, size_t len)
{
    int     n;
    size_t  i, bad, pairs, longer;

    bad = 0;
    pairs = 0;
    longer = 0;

    for (i = art_utf8_ascii_len(p, len); i < len;
         i += art_utf8_ascii_len(p + i, len - i))
    {
        n = art_utf8_char(p + i, len - i);

        if (n == 0) {
            break;
        }

        if (n < 0) {
            bad++;
            i += (size_t) (-1 - n);

            /* not even if all that follows were UTF-8 */

            if (ART_LINE_DAMAGED * bad
                > pairs + 2 * longer + (len - i) * 2 / 3)
            {
                return ART_LINE_OTHER;
            }

            continue;
        }

        pairs += n == 2;
        longer += n > 2;
        i += (size_t) n;
    }

    if (bad > 0) {
        return pairs + 2 * longer > ART_LINE_DAMAGED * bad ? ART_LINE_UTF8
                                                           : ART_LINE_OTHER;
    }

    return pairs == 0 || longer > 0 || pairs >= ART_LINE_PAIRS
           ? ART_LINE_UTF8 : ART_LINE_UNSURE;
}


size_t
art_charset_foreign(const uint8_t *p, size_t len, uint8_t *out)
{
    size_t          n, total;
    const uint8_t  *lf;

    for (total = 0; len > 0; p += n, len -= n) {
        lf = memchr(p, '\n', len);
        n = lf != NULL ? (size_t) (lf - p) + 1 : len;

        if (art_charset_line(p, n) == ART_LINE_OTHER) {
            total += art_charset_clip(p, n, out + total);
        }
    }

    return total;
}


/* The pieces of a line that are not ASCII, with what is around them. */

static size_t
art_charset_clip(const uint8_t *p, size_t len, uint8_t *out)
{
    size_t  i, from, end, total;

    total = 0;
    end = 0;

    for (i = 0; i < len; i++) {

        if (p[i] < 0x80) {
            continue;
        }

        from = i > end + ART_LINE_AROUND ? i - ART_LINE_AROUND : end;
        end = i + 1 + ART_LINE_AROUND;
        end = end < len ? end : len;

        if (end > from) {
            memcpy(out + total, p + from, end - from);
            total += end - from;
        }
    }

    return total;
}
