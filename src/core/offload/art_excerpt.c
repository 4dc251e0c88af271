
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A string is read character by character: an escape, some bytes of UTF-8, or a
 * run of bytes that are the same in the text.  Line feeds are always escapes.
 */


#include "core/offload/art_excerpt.h"
#include "core/base/art_simd.h"
#include "core/render/art_describe.h"
#include "core/text/art_utf8.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* ASCII and escapes of one letter: their bytes, and those of the text. */

typedef struct {
    size_t      raw;
    size_t      n;
    uint64_t    lines;
    unsigned    feed:1;          /* the last one is a line feed */
} art_excerpt_simple_t;


/* Bytes that are looked at together. */

#ifdef __SSE2__
#define ART_EXCERPT_WIDE  sizeof(__m128i)
#else
#define ART_EXCERPT_WIDE  sizeof(uint64_t)
#endif


/* A character: its bytes in the string, and in the text. */

typedef struct {
    size_t          raw;
    size_t          n;
    const uint8_t  *p;
    uint8_t         utf8[4];
    unsigned        run;         /* both are the same, of many characters */
} art_excerpt_char_t;


static void art_excerpt_read(art_excerpt_t *excerpt, const uint8_t *p,
    size_t len);
static size_t art_excerpt_simple(art_excerpt_t *excerpt, const uint8_t *p,
    size_t len);
static void art_excerpt_scan(art_excerpt_simple_t *simple, const uint8_t *p,
    size_t len, size_t max, uint8_t *dst);
#ifdef art_target_avx512
static void art_excerpt_scan_avx512(art_excerpt_simple_t *simple,
    const uint8_t *p, size_t len, size_t max, uint8_t *dst);
#endif
static size_t art_excerpt_plain(const uint8_t *p);
static size_t art_excerpt_rest(art_excerpt_t *excerpt, const uint8_t *p,
    size_t len);
static int art_excerpt_char(const uint8_t *p, size_t len, unsigned last,
    art_excerpt_char_t *c);
static int art_excerpt_escape(const uint8_t *p, size_t len, unsigned last,
    art_excerpt_char_t *c);
static int art_excerpt_unit(const uint8_t *p, size_t len, unsigned last,
    art_excerpt_char_t *c);
static int art_excerpt_hex(const uint8_t *p, size_t len, unsigned *unit);
static void art_excerpt_take(art_excerpt_t *excerpt, const uint8_t *p,
    const art_excerpt_char_t *c);
static void art_excerpt_take_head(art_excerpt_t *excerpt, const uint8_t *p,
    const art_excerpt_char_t *c);
static void art_excerpt_text(art_excerpt_t *excerpt, const uint8_t *p,
    size_t len);
static void art_excerpt_flush(art_excerpt_t *excerpt);
static size_t art_excerpt_trim_simple(art_excerpt_t *excerpt, size_t i);
static void art_excerpt_trim_marked(art_excerpt_t *excerpt);
static void art_excerpt_trim(art_excerpt_t *excerpt);
static size_t art_excerpt_skip(art_excerpt_t *excerpt, size_t max);
static size_t art_excerpt_next(const art_excerpt_t *excerpt, size_t i,
    uint64_t *pos, unsigned *line);
static void art_excerpt_put(art_out_t *out, const char *text, uint64_t first,
    uint64_t last, uint64_t all);


/*
 * A sentence, as it stands in a JSON string: in "lines" and "bytes", "%a" and
 * "%b" are the first and the last that are left out.
 */

typedef struct {
    const char  *open;
    const char  *lines;
    const char  *bytes;
    const char  *left;           /* and the size of what is left out */
    const char  *of;             /* and that of the text */
    const char  *whole;          /* and the id */
    const char  *close;
} art_excerpt_words_t;


static const art_excerpt_words_t  art_excerpt_words[ART_LANG_MAX] = {
    [ART_LANG_EN] =
    { "[.. ", "lines %a to %b of %n", "bytes %a to %b of %n",
      " are left out, ", " of ", ". The whole text is artifact:",
      "; read_artifact reads parts of it: \\\"lines\\\", \\\"bytes\\\", "
      "\\\"grep\\\".]" },
    [ART_LANG_ZH] =
    { "[.. 此处省略第 ", "%a 至 %b 行（共 %n 行，",
      "%a 至 %b 字节（共 %n 字节，", "", " / ", "）。全文: artifact:",
      "，可用 read_artifact 的 \\\"lines\\\"、\\\"bytes\\\"、\\\"grep\\\" "
      "分段读取]" }
};


/* What escapes of one letter mean; 0 for letters that are no escape. */

static const uint8_t  art_excerpt_letters[256] = {
    ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
    ['"'] = '"', ['\\'] = '\\', ['/'] = '/'
};


void
art_excerpt_init(art_excerpt_t *excerpt, size_t head, size_t tail,
    uint8_t *memory, art_sink_pt sink, void *data)
{
    size_t  room;

    memset(excerpt, 0, offsetof(art_excerpt_t, kept));

    room = 6 * head + ART_EXCERPT_UNIT;

    excerpt->sink = sink;
    excerpt->data = data;
    excerpt->head_max = head;
    excerpt->tail_max = tail;
    excerpt->head = memory;
    excerpt->tail = memory + room;
    excerpt->tail_room = art_excerpt_memory(head, tail) - room;
    excerpt->front_line = 1;
    excerpt->ntext = 0;
}


int
art_excerpt_feed(art_excerpt_t *excerpt, const uint8_t *p, size_t len)
{
    if (len > excerpt->tail_room - excerpt->tail_len) {
        art_excerpt_trim_marked(excerpt);
    }

    if (len > excerpt->tail_room - excerpt->tail_len) {
        art_excerpt_trim(excerpt);
    }

    excerpt->marked = (excerpt->nkept == 0);
    excerpt->mark = excerpt->tail_len;
    excerpt->mark_size = excerpt->size;
    excerpt->mark_line = excerpt->size == 0 || excerpt->feed;

    memcpy(excerpt->tail + excerpt->tail_len, p, len);
    excerpt->tail_len += len;

    art_excerpt_read(excerpt, p, len);
    art_excerpt_flush(excerpt);

    return excerpt->failed ? ART_ERROR : ART_OK;
}


static void
art_excerpt_read(art_excerpt_t *excerpt, const uint8_t *p, size_t len)
{
    size_t              i;
    art_excerpt_char_t  c;

    for (i = art_excerpt_rest(excerpt, p, len); i < len; i += c.raw) {

        if (excerpt->headed) {
            i += art_excerpt_simple(excerpt, p + i, len - i);

            if (i == len) {
                return;
            }
        }

        if (!art_excerpt_char(p + i, len - i, 0, &c)) {
            excerpt->nkept = len - i;
            memcpy(excerpt->kept, p + i, excerpt->nkept);
            return;
        }

        art_excerpt_take(excerpt, p + i, &c);
    }
}


/* Reads the simple beginning of a piece; returns how many bytes that is. */

static size_t
art_excerpt_simple(art_excerpt_t *excerpt, const uint8_t *p, size_t len)
{
    size_t                i, room;
    art_excerpt_simple_t  simple;

    i = 0;

    do {
        if (sizeof(excerpt->text) - excerpt->ntext < ART_EXCERPT_WIDE) {
            art_excerpt_flush(excerpt);
        }

        room = sizeof(excerpt->text) - excerpt->ntext;

        art_excerpt_scan(&simple, p + i, len - i, room,
                         excerpt->text + excerpt->ntext);

        if (simple.n > 0) {
            excerpt->feed = simple.feed;
            excerpt->lines += simple.lines;
            excerpt->size += simple.n;
            excerpt->ntext += simple.n;
        }

        i += simple.raw;

    } while (room - simple.n < ART_EXCERPT_WIDE);

    return i;
}


/*
 * Most of a text is ASCII, with escapes of one letter: finds how much of it at
 * the beginning, some bytes at a time, that is at most "max" bytes of text,
 * which go to "dst" unless that is NULL.
 */

static void
art_excerpt_scan(art_excerpt_simple_t *simple, const uint8_t *p, size_t len,
    size_t max, uint8_t *dst)
{
    size_t   i, n, plain;
    uint8_t  c;

    memset(simple, 0, sizeof(*simple));

#ifdef art_target_avx512

    if (dst != NULL && art_simd_level() == ART_SIMD_AVX512) {
        art_excerpt_scan_avx512(simple, p, len, max, dst);
    }

#endif

    i = simple->raw;
    n = simple->n;

    while (len - i >= ART_EXCERPT_WIDE && max - n >= ART_EXCERPT_WIDE) {
        plain = art_excerpt_plain(p + i);
        c = 0;

        if (plain < ART_EXCERPT_WIDE && p[i + plain] == '\\'
            && i + plain + 1 < len)
        {
            c = art_excerpt_letters[p[i + plain + 1]];
        }

        if (dst != NULL) {
            memcpy(dst + n, p + i, ART_EXCERPT_WIDE);
        }

        i += plain;
        n += plain;

        if (plain > 0 || c != 0) {
            simple->feed = (c == '\n');
        }

        if (c != 0) {
            if (dst != NULL) {
                dst[n] = c;
            }

            i += 2;
            n++;
            simple->lines += c == '\n';

        } else if (plain < ART_EXCERPT_WIDE) {
            break;
        }
    }

    simple->raw = i;
    simple->n = n;
}


#ifdef art_target_avx512

/*
 * The same by 64 bytes.  Of each pair of an escape the first byte is left out,
 * and the second one is what it means.  A backslash is the first byte of a pair
 * if it is not the second one: after an odd number of them.
 */

art_target_avx512
static void
art_excerpt_scan_avx512(art_excerpt_simple_t *simple, const uint8_t *p,
    size_t len, size_t max, uint8_t *dst)
{
    size_t     used;
    __m512i    bytes, meant, low, high;
    uint64_t   slashes, after, odd, second, wrong, kept, feeds;

    const uint64_t  even = UINT64_MAX / 3;

    low = _mm512_loadu_si512(art_excerpt_letters);
    high = _mm512_loadu_si512(art_excerpt_letters + 64);

    do {
        if (len - simple->raw < 64 || max - simple->n < 64) {
            return;
        }

        bytes = _mm512_loadu_si512(p + simple->raw);
        meant = _mm512_permutex2var_epi8(low, bytes, high);

        slashes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
        after = slashes << 1;
        odd = slashes & ~even & ~after;
        second = (even ^ ((odd + slashes) << 1)) & after;
        slashes &= ~second;

        /* what is no such escape, no ASCII, or half of a pair */

        wrong = _mm512_movepi8_mask(bytes);
        wrong |= (second & (wrong | ~_mm512_test_epi8_mask(meant, meant))) >> 1
                 | (slashes & (UINT64_C(1) << 63));

        used = wrong != 0 ? (size_t) __builtin_ctzll(wrong) : 64;

        if (used == 0) {
            return;
        }

        kept = ~slashes & (UINT64_MAX >> (64 - used));
        feeds = second & kept
                & _mm512_cmpeq_epi8_mask(meant, _mm512_set1_epi8('\n'));

        bytes = _mm512_mask_mov_epi8(bytes, second, meant);
        _mm512_storeu_si512(dst + simple->n,
                            _mm512_maskz_compress_epi8(kept, bytes));

        simple->raw += used;
        simple->n += (size_t) __builtin_popcountll(kept);
        simple->lines += (uint64_t) __builtin_popcountll(feeds);
        simple->feed = (unsigned) (feeds >> (used - 1)) & 1;

    } while (used >= 63);
}

#endif


/* How many of so many bytes are ASCII and no backslash, before any other. */

static size_t
art_excerpt_plain(const uint8_t *p)
{
#ifdef __SSE2__

    unsigned  found;
    __m128i   bytes;

    bytes = _mm_loadu_si128((const __m128i *) p);
    found = (unsigned) _mm_movemask_epi8(_mm_or_si128(bytes,
                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));

    return found != 0 ? (size_t) __builtin_ctz(found) : sizeof(bytes);

#else

    uint64_t  word, slashes, found;

    const uint64_t  ones = UINT64_MAX / 0xff;

    memcpy(&word, p, sizeof(word));

#if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    word = __builtin_bswap64(word);
#endif

    /* a bit of the first one, and perhaps of later ones */

    slashes = word ^ (ones * '\\');
    found = (word | ((slashes - ones) & ~slashes)) & (ones * 0x80);

    return found != 0 ? (size_t) __builtin_ctzll(found) / 8 : sizeof(word);

#endif
}


/* Reads what completes the character before; returns how many bytes. */

static size_t
art_excerpt_rest(art_excerpt_t *excerpt, const uint8_t *p, size_t len)
{
    size_t              i, n, old;
    uint8_t             bytes[2 * ART_EXCERPT_UNIT];
    art_excerpt_char_t  c;

    old = excerpt->nkept;
    n = len < ART_EXCERPT_UNIT ? len : ART_EXCERPT_UNIT;

    memcpy(bytes, excerpt->kept, old);
    memcpy(bytes + old, p, n);

    for (i = 0; i < old; i += c.raw) {

        if (!art_excerpt_char(bytes + i, old + n - i, 0, &c)) {
            excerpt->nkept = old + n - i;
            memcpy(excerpt->kept, bytes + i, excerpt->nkept);
            return n;
        }

        art_excerpt_take(excerpt, bytes + i, &c);
    }

    excerpt->nkept = 0;

    return i - old;
}


int
art_excerpt_end(art_excerpt_t *excerpt)
{
    size_t              i;
    art_excerpt_char_t  c;

    for (i = 0; i < excerpt->nkept; i += c.raw) {

        if (!art_excerpt_char(excerpt->kept + i, excerpt->nkept - i, 1, &c)) {
            break;
        }

        art_excerpt_take(excerpt, excerpt->kept + i, &c);
    }

    excerpt->nkept = 0;
    art_excerpt_flush(excerpt);

    return excerpt->failed ? ART_ERROR : ART_OK;
}


/*
 * The next character, or a run of them; 0 if it is not complete, and more may
 * come.  At the end of the string nothing is waited for.
 */

static int
art_excerpt_char(const uint8_t *p, size_t len, unsigned last,
    art_excerpt_char_t *c)
{
    int             n;
    size_t          run, end;
    const uint8_t  *slash;

    c->run = 0;
    c->p = c->utf8;

    if (p[0] == '\\') {
        return art_excerpt_escape(p, len, last, c);
    }

    slash = memchr(p, '\\', len);
    end = slash != NULL ? (size_t) (slash - p) : len;
    run = art_utf8_valid_len(p, end);

    if (run > 0) {
        c->run = 1;
        c->p = p;
        c->raw = run;
        c->n = run;
        return 1;
    }

    n = art_utf8_char(p, end);

    if (n == 0 && slash == NULL && !last) {
        return 0;
    }

    /* the begin of a character that is not continued is one U+FFFD */

    c->raw = n < 0 ? (size_t) (-1 - n) : end;
    c->n = sizeof(ART_UTF8_REPLACEMENT) - 1;
    memcpy(c->utf8, ART_UTF8_REPLACEMENT, c->n);

    return 1;
}


static int
art_excerpt_escape(const uint8_t *p, size_t len, unsigned last,
    art_excerpt_char_t *c)
{
    static const char  letters[] = "bfnrt";
    static const char  meant[] = "\b\f\n\r\t";
    const char        *letter;

    if (len < 2) {
        c->raw = len;
        c->n = 0;
        return last != 0;
    }

    if (p[1] == 'u') {
        return art_excerpt_unit(p, len, last, c);
    }

    letter = strchr(letters, p[1]);

    c->raw = 2;
    c->n = 1;
    c->utf8[0] = letter != NULL && p[1] != '\0'
                 ? (uint8_t) meant[letter - letters] : p[1];
    return 1;
}


static int
art_excerpt_unit(const uint8_t *p, size_t len, unsigned last,
    art_excerpt_char_t *c)
{
    int       more;
    unsigned  code, low;

    if (!art_excerpt_hex(p, len, &code)) {
        c->raw = len;
        c->n = 0;
        return last != 0;
    }

    c->raw = 6;

    if (art_utf16_is_high(code)) {
        more = art_excerpt_hex(p + 6, len - 6, &low);

        if (more && art_utf16_is_low(low)) {
            code = art_utf16_pair(code, low);
            c->raw = 12;

        } else if (!more && !last && len < ART_EXCERPT_UNIT
                   && (len < 7 || p[6] == '\\') && (len < 8 || p[7] == 'u'))
        {
            return 0;
        }
    }

    if (code >= 0xd800 && code <= 0xdfff) {
        code = 0xfffd;
    }

    c->n = art_utf8_encode(c->utf8, code);

    return 1;
}


/* Reads "\u" and four digits; 0 if that is not what is there. */

static int
art_excerpt_hex(const uint8_t *p, size_t len, unsigned *unit)
{
    unsigned  i, c;

    if (len < 6 || p[0] != '\\' || p[1] != 'u') {
        return 0;
    }

    *unit = 0;

    for (i = 2; i < 6; i++) {
        c = art_char_lower(p[i]);
        *unit = *unit * 16 + (c <= '9' ? c - '0' : (c - 'a' + 10) & 15);
    }

    return 1;
}


static void
art_excerpt_take(art_excerpt_t *excerpt, const uint8_t *p,
    const art_excerpt_char_t *c)
{
    if (!excerpt->headed) {
        art_excerpt_take_head(excerpt, p, c);
    }

    excerpt->feed = (c->n == 1 && c->p[0] == '\n');
    excerpt->lines += excerpt->feed;
    excerpt->size += c->n;

    if (excerpt->feed && !excerpt->headed) {
        excerpt->line = excerpt->head_len;
        excerpt->line_size = excerpt->size;
        excerpt->head_lines = excerpt->lines;
    }

    art_excerpt_text(excerpt, c->p, c->n);
}


static void
art_excerpt_take_head(art_excerpt_t *excerpt, const uint8_t *p,
    const art_excerpt_char_t *c)
{
    size_t  n, room;

    room = (size_t) (excerpt->head_max - excerpt->head_size);
    n = c->raw;

    if (c->n > room) {
        n = c->run ? art_utf8_cut(p, c->raw, room) : 0;
        excerpt->headed = 1;
    }

    memcpy(excerpt->head + excerpt->head_len, p, n);

    excerpt->head_len += n;
    excerpt->head_size += excerpt->headed ? n : c->n;
}


static void
art_excerpt_text(art_excerpt_t *excerpt, const uint8_t *p, size_t len)
{
    if (len > sizeof(excerpt->text) - excerpt->ntext) {
        art_excerpt_flush(excerpt);
    }

    if (len <= sizeof(excerpt->text)) {
        memcpy(excerpt->text + excerpt->ntext, p, len);
        excerpt->ntext += len;
        return;
    }

    art_solid_feed(&excerpt->solid, p, len);

    if (!excerpt->failed && excerpt->sink(excerpt->data, p, len) != ART_OK) {
        excerpt->failed = 1;
    }
}


static void
art_excerpt_flush(art_excerpt_t *excerpt)
{
    size_t  n;

    n = excerpt->ntext;
    excerpt->ntext = 0;

    if (n == 0) {
        return;
    }

    art_solid_feed(&excerpt->solid, excerpt->text, n);

    if (!excerpt->failed
        && excerpt->sink(excerpt->data, excerpt->text, n) != ART_OK)
    {
        excerpt->failed = 1;
    }
}


/* Passes over what is simple at "i" of the tail, and cannot be of it. */

static size_t
art_excerpt_trim_simple(art_excerpt_t *excerpt, size_t i)
{
    uint64_t              more;
    art_excerpt_simple_t  simple;

    more = excerpt->size - excerpt->front;

    if (more <= excerpt->tail_max) {
        return 0;
    }

    art_excerpt_scan(&simple, excerpt->tail + i, excerpt->tail_len - i,
                     (size_t) (more - excerpt->tail_max), NULL);

    if (simple.n > 0) {
        excerpt->front += simple.n;
        excerpt->front_line = simple.feed;
    }

    return simple.raw;
}


/* What came before the last piece need not be read again. */

static void
art_excerpt_trim_marked(art_excerpt_t *excerpt)
{
    if (!excerpt->marked
        || excerpt->size - excerpt->mark_size < excerpt->tail_max)
    {
        return;
    }

    excerpt->tail_len -= excerpt->mark;
    excerpt->front = excerpt->mark_size;
    excerpt->front_line = excerpt->mark_line;

    memmove(excerpt->tail, excerpt->tail + excerpt->mark, excerpt->tail_len);
}


/* Drops what cannot be of the tail any more: whole characters. */

static void
art_excerpt_trim(art_excerpt_t *excerpt)
{
    size_t              i, n;
    uint64_t            more;
    art_excerpt_char_t  c;

    for (i = 0; i < excerpt->tail_len; i += c.raw) {

        i += art_excerpt_trim_simple(excerpt, i);
        more = excerpt->size - excerpt->front;

        if (i == excerpt->tail_len || more <= excerpt->tail_max
            || !art_excerpt_char(excerpt->tail + i, excerpt->tail_len - i, 0,
                                 &c))
        {
            break;
        }

        more -= excerpt->tail_max;

        if (c.n > more) {
            n = c.run ? art_utf8_cut(excerpt->tail + i, c.raw, (size_t) more)
                      : 0;

            if (n == 0) {
                break;
            }

            c.raw = n;
            c.n = n;
        }

        excerpt->front += c.n;
        excerpt->front_line = (c.n == 1 && c.p[0] == '\n');
    }

    excerpt->tail_len -= i;
    memmove(excerpt->tail, excerpt->tail + i, excerpt->tail_len);
}


art_str_t
art_excerpt_head(const art_excerpt_t *excerpt)
{
    return art_str(excerpt->head, excerpt->line > 0 ? excerpt->line
                                                    : excerpt->head_len);
}


/*
 * The tail begins where a line does, if the text has such a place in its last
 * "tail_max" bytes, before its end; else with the first character there.
 */

void
art_excerpt_tail(const art_excerpt_t *excerpt, art_excerpt_tail_t *tail)
{
    size_t         i, cut;
    unsigned       line;
    uint64_t       pos;
    art_excerpt_t  copy;

    /* what is left of the buffer; its bytes stay */

    memset(&copy, 0, sizeof(copy));

    copy.tail = excerpt->tail;
    copy.tail_len = excerpt->tail_len;
    copy.size = excerpt->size;
    copy.front = excerpt->front;
    copy.front_line = excerpt->front_line;

    cut = art_excerpt_skip(&copy, excerpt->tail_max);
    tail->pos = copy.front;

    pos = copy.front;
    line = copy.front_line;

    for (i = cut; !line && i < copy.tail_len; /* void */ ) {
        i += art_excerpt_next(&copy, i, &pos, &line);
    }

    tail->whole = excerpt->tail_max == 0 || (line && i < copy.tail_len);

    if (!tail->whole) {
        i = cut;

    } else {
        tail->pos = pos;
    }

    tail->bytes = art_str(excerpt->tail + i, excerpt->tail_len - i);
    tail->lines = 0;

    while (i < copy.tail_len) {
        i += art_excerpt_next(&copy, i, &pos, &line);
        tail->lines += line || i == copy.tail_len;
    }
}


/* Skips what is before the last "max" bytes of the text. */

static size_t
art_excerpt_skip(art_excerpt_t *excerpt, size_t max)
{
    size_t              i, n;
    uint64_t            more;
    unsigned            line;
    art_excerpt_char_t  c;

    line = excerpt->front_line;

    for (i = 0; i < excerpt->tail_len; i += c.raw) {

        if (excerpt->size - excerpt->front <= max) {
            break;
        }

        more = excerpt->size - excerpt->front - max;

        (void) art_excerpt_char(excerpt->tail + i, excerpt->tail_len - i, 1,
                                &c);

        if (c.run && c.n > more) {

            for (n = (size_t) more; n < c.n && (c.p[n] & 0xc0) == 0x80; n++) {
                /* void */
            }

            c.n = n;
            c.raw = n;
        }

        excerpt->front += c.n;
        line = (c.n == 1 && c.p[0] == '\n');
    }

    excerpt->front_line = line & 1;

    return i;
}


/* Reads on from "i"; *line is whether a line has ended. */

static size_t
art_excerpt_next(const art_excerpt_t *excerpt, size_t i, uint64_t *pos,
    unsigned *line)
{
    art_excerpt_char_t  c;

    (void) art_excerpt_char(excerpt->tail + i, excerpt->tail_len - i, 1, &c);

    *pos += c.n;
    *line = (c.n == 1 && c.p[0] == '\n');

    return c.raw;
}


void
art_excerpt_print(art_out_t *out, const art_excerpt_t *excerpt,
    const art_excerpt_tail_t *tail, art_str_t id, art_lang_t lang)
{
    uint64_t                     from, lines;
    const art_excerpt_words_t   *words;

    words = &art_excerpt_words[lang];
    from = excerpt->line > 0 ? excerpt->line_size : excerpt->head_size;
    lines = excerpt->lines + !excerpt->feed;

    if (from > 0 && excerpt->line == 0) {
        art_out_cstr(out, "\\n");
    }

    art_out_cstr(out, words->open);

    if (tail->whole && (excerpt->line > 0 || excerpt->head_max == 0)) {
        art_excerpt_put(out, words->lines, excerpt->head_lines + 1,
                        lines - tail->lines, lines);

    } else {
        art_excerpt_put(out, words->bytes, from, tail->pos - 1,
                        excerpt->size);
    }

    art_out_cstr(out, words->left);
    art_describe_size(out, tail->pos - from);
    art_out_cstr(out, words->of);
    art_describe_size(out, excerpt->size);
    art_out_cstr(out, words->whole);
    art_out_str(out, id);
    art_out_cstr(out, words->close);

    if (tail->bytes.len > 0) {
        art_out_cstr(out, "\\n");
    }
}


/* "%a" and "%b" are the first and the last, "%n" how many there are. */

static void
art_excerpt_put(art_out_t *out, const char *text, uint64_t first,
    uint64_t last, uint64_t all)
{
    const char  *p;

    for (p = text; *p != '\0'; p++) {

        if (*p != '%') {
            art_out_char(out, *p);
            continue;
        }

        switch (*++p) {

        case 'a':
            art_out_uint(out, first);
            break;

        case 'b':
            art_out_uint(out, last);
            break;

        default: /* 'n' */
            art_out_uint(out, all);
        }
    }
}
