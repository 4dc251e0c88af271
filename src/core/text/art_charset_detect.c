
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

#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"


/* How many bytes are examined, at about 0.1 us a byte. */

#define ART_CHARSET_COUNT_MAX   512
#define ART_CHARSET_DETECT_MAX  1024
#define ART_CHARSET_RESUME_MAX  256

/* The least share of frequent characters among those that are not ASCII. */

#define ART_CHARSET_FREQUENT    55       /* percent */


/* A share that no wrong charset reaches: no other one is tried. */

#define ART_CHARSET_CLEAR       80

/* A piece always fits its output: glibc converts again what did not fit. */

#define ART_CHARSET_PIECE       256

#define ART_CHARSET_IDEOGRAPH   3        /* bytes of UTF-8 */


/* The result of a conversion. */

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

static const char *art_charset_by_characters(const uint8_t *p, size_t len);
static unsigned art_charset_is_paired(const uint8_t *p, size_t len,
    uint8_t single, uint8_t trail);
static const char *art_charset_by_library(const uint8_t *p, size_t len);
static unsigned art_charset_is_western(const uint8_t *p, size_t len);
static void art_charset_read(const char *charset, const uint8_t *p, size_t len,
    unsigned last, art_charset_language_t language, art_charset_count_t *count);
static void art_charset_add(art_charset_count_t *count, const uint8_t *p,
    size_t len, art_charset_language_t language);
static void art_charset_add_one(art_charset_count_t *count, const uint8_t *p,
    size_t n, art_charset_language_t language);
static const char *art_charset_comment(art_str_t text);
static art_str_t art_charset_find_text(art_str_t text, const char *lower);
static art_str_t art_charset_label(art_str_t text);
static unsigned art_charset_is_frequent(const uint8_t *utf8);
static uint32_t art_charset_ideograph(const uint8_t *utf8);


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


static const art_charset_rule_t  art_charset_rules[] = {
    { "<?xml", "encoding", '>', 1 },
    { "@charset", "@charset", ';', 1 },
    { "<meta", "charset", '>', 0 }
};


/*
 * Some 700 of the most frequent ideographs of Chinese (simplified or
 * traditional) and Japanese, sorted by code point.  They make up four fifths of
 * an everyday text; when bytes are read in a wrong charset, hardly one
 * ideograph in six is among them.
 */

static const char  art_charset_ideographs[] =
    "一万三上下不与且世业东丝两並个中串为主举么义之也"
    "乡书了予争事二于云五些交产京人什今从他付代以们件"
    "价任休会传但位低住体何作你使來例価便係保信修個們"
    "候値值做停備傳像儲儿元先光克兒入內全兩公共关其内"
    "冊册再军冬决几処出函分切划列刘则删別利刪别到制削"
    "前劃力功加务动動務化北区區十半单南単即却原去县参"
    "參又及友反发取受变口古只可右号司各合同名后向否听"
    "启吴告员周命和品响員商問單器四回因国图國圖土在地"
    "场址坏型城基報場增壞声売处备変夏外多夜大天太失头"
    "夾女她好如始姓子字存孙学學它安完定实実客家容密實"
    "对导対将將對導小少尔就展山川工左己已市师带師帰帶"
    "常平年并幾床库应店度庫建开异式张強强当录形径很後"
    "得從德心必志思性总息情想意感應成我或战戰戶户戻所"
    "手才打把択护报拉指损据接描提損擇據支改放政敗教数"
    "數文料斯新方於族无日早时明春昨是昼時曜更書最會月"
    "有服望朝期木本术机权李束条来杨東析林果查标校样格"
    "案條検業様樣機檔檢權次歡止正此死段母比氏民气気氣"
    "水求汉江決沒没河治法注活测海消添清測湖漢灣火点為"
    "無然爭父爾片版物特王现現理生產用由电男画界番當疑"
    "登發白的目直相省看真眼着知短码硬确碟確碼示社神私"
    "秋种科称程種空立站章笔符第筆等简管簡类系約索細終"
    "結給統經網編總繁级细经结给统维编网罗置美義老者而"
    "耳联聞聲聽能臉自至臺與色节花落處號螺行術街表被裡"
    "西要見規視覧觀见观规视觉解言訂計訊記設許註詢試話"
    "詳認語誤說読請論識警議護讀變讓计订认让议记许论设"
    "识试诗话询该详语误说请读象買資購败购资走赵起足路"
    "身車軍軟載輯輸载辑边达过迎运返还这进述追這通進運"
    "過道達選還那邮郑部郭都配释釋里重量金錄錯録钉钱错"
    "長长門閉開間關门问间队陈院除隊难集難雨雪零電需霜"
    "非面音頁項領頭頻題額類顯页项领频题额风食飲首馬駅"
    "马體高鸟麼黄默點";


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


/* "utf8" is an ideograph of three bytes. */

static unsigned
art_charset_is_frequent(const uint8_t *utf8)
{
    size_t       from, to, middle;
    uint32_t     code;
    const char  *row;

    code = art_charset_ideograph(utf8);
    from = 0;
    to = (sizeof(art_charset_ideographs) - 1) / ART_CHARSET_IDEOGRAPH;

    while (to - from > 1) {
        middle = (from + to) / 2;
        row = art_charset_ideographs + middle * ART_CHARSET_IDEOGRAPH;

        if (art_charset_ideograph((const uint8_t *) row) <= code) {
            from = middle;

        } else {
            to = middle;
        }
    }

    row = art_charset_ideographs + from * ART_CHARSET_IDEOGRAPH;

    return art_charset_ideograph((const uint8_t *) row) == code;
}


static uint32_t
art_charset_ideograph(const uint8_t *utf8)
{
    return (uint32_t) utf8[0] << 16 | (uint32_t) utf8[1] << 8 | utf8[2];
}
