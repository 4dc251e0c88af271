
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"
#include "core/extract/art_answer_text.h"


/* The result of a step through a block. */

typedef enum {
    ART_BLOCK_REST = 0,          /* the end of the piece */
    ART_BLOCK_MAYBE,             /* the last byte may be the first of a block */
    ART_BLOCK_NOT,               /* what began is not a block, or malformed */
    ART_BLOCK_OVER               /* the last byte ends an array */
} art_block_event_t;


/* What a member has to be. */

typedef enum {
    ART_ITEM_STRING = 0,
    ART_ITEM_NUMBER,
    ART_ITEM_STRINGS,            /* an array of them */
    ART_ITEM_ROWS,               /* an array of these */
    ART_ITEM_FORMAT
} art_item_value_t;


typedef struct {
    const char        *type;
    const char        *key;
    art_item_value_t   value;
    unsigned           optional;
} art_item_rule_t;


static void art_answer_begin(art_answer_text_t *answer, art_edits_t *edits,
    uint64_t pos, uint64_t event, uint64_t reach);
static void art_answer_drop(art_answer_text_t *answer, art_edits_t *edits);
static uint64_t art_answer_pos(const art_answer_run_t *run, size_t i);
static uint64_t art_answer_end(const art_answer_run_t *run, size_t i);
static int art_answer_expected(const art_answer_again_t *again,
    const art_block_t *block);
static art_block_event_t art_block_read(art_block_t *block, const uint8_t *p,
    size_t len, size_t *n);
static art_block_event_t art_block_matched(art_block_t *block);
static int art_block_take(art_block_t *block, const uint8_t *p, size_t n);
static int art_block_is_array(art_block_t *block, const uint8_t *p, size_t n);
static int art_block_keep(art_block_t *block, const uint8_t *p, size_t n);
static void art_urls_read(art_urls_t *urls, const uint8_t *p, size_t len);
static art_str_t art_urls_found(art_urls_t *urls);
static size_t art_urls_is_last(const art_urls_t *urls, const char *word);
static void art_urls_begin(art_urls_t *urls);
static void art_urls_go_on(art_urls_t *urls, uint8_t c);
static void art_urls_finish(art_urls_t *urls);
static size_t art_urls_ending(const art_urls_t *urls);
static int art_urls_is_space(uint64_t last);
static int art_urls_put(art_urls_t *urls, uint8_t c);
static size_t art_items_print(art_out_t *out, art_str_t array);
static size_t art_items_print_urls(art_out_t *out, art_str_t urls);
static int art_item_is_sound(art_str_t item);
static int art_item_is_member(art_str_t value, art_item_value_t what);
static int art_item_are_all(art_str_t array, art_item_value_t what);
static int art_item_is_word(art_str_t value, const char *word);
static void art_item_print(art_out_t *out, art_str_t item);


static const art_str_t  art_block_tag = art_string("<artifacts>");
static const art_str_t  art_block_end = art_string("</artifacts>");


/* Only whether the lexer accepts the bytes matters. */

static const art_lex_handler_t  art_block_handler;


static const char *const  art_urls_schemes[] = { "http://", "https://" };

static const char *const  art_urls_endings[] = {
    ".png", ".jpg", ".jpeg", ".webp", ".gif"
};


static const art_item_rule_t  art_item_rules[] = {
    { "image", "url", ART_ITEM_STRING, 0 },
    { "image", "title", ART_ITEM_STRING, 1 },
    { "image", "width", ART_ITEM_NUMBER, 1 },
    { "image", "height", ART_ITEM_NUMBER, 1 },

    { "text", "content", ART_ITEM_STRING, 0 },
    { "text", "format", ART_ITEM_FORMAT, 1 },

    { "table", "headers", ART_ITEM_STRINGS, 0 },
    { "table", "rows", ART_ITEM_ROWS, 0 },
    { "table", "title", ART_ITEM_STRING, 1 },

    { "file", "name", ART_ITEM_STRING, 0 },
    { "file", "path", ART_ITEM_STRING, 0 },
    { "file", "mimeType", ART_ITEM_STRING, 1 }
};


static const char *const  art_item_formats[] = {
    "plain", "markdown", "code"
};


void
art_answer_init(art_answer_text_t *answer, unsigned strips)
{
    memset(answer, 0, sizeof(art_answer_text_t));

    answer->strips = strips & 1;
    answer->hold = ART_EXTRACT_NOWHERE;
}


void
art_answer_done(art_answer_text_t *answer)
{
    free(answer->block.data);
    free(answer->urls.data);

    memset(answer, 0, sizeof(art_answer_text_t));
}


void
art_answer_read(art_answer_text_t *answer, art_edits_t *edits,
    const art_answer_run_t *run, uint64_t event, uint64_t reach)
{
    size_t             i, n;
    art_block_event_t  what;

    for (i = 0; i < run->n && !art_block_is_complete(&answer->block); i += n) {

        what = art_block_read(&answer->block, run->p + i, run->n - i, &n);

        if (answer->hold != ART_EXTRACT_NOWHERE && n > 0) {
            art_edits_cut(edits, art_answer_pos(run, i),
                          art_answer_end(run, i + n));
        }

        switch (what) {

        case ART_BLOCK_MAYBE:

            if (answer->strips) {
                art_answer_begin(answer, edits, art_answer_pos(run, i + n - 1),
                                 event, reach);
                art_edits_cut(edits, art_answer_pos(run, i + n - 1),
                              art_answer_end(run, i + n));
            }

            break;

        case ART_BLOCK_OVER:
            answer->strips = 0;
            answer->cut = answer->hold != ART_EXTRACT_NOWHERE;
            answer->hold = ART_EXTRACT_NOWHERE;
            art_edits_settle(edits);
            break;

        case ART_BLOCK_NOT:
            art_answer_drop(answer, edits);
            answer->strips &= answer->block.state == ART_BLOCK_NONE;
            break;

        default:
            break;
        }
    }

    if (!art_block_is_complete(&answer->block)) {
        art_urls_read(&answer->urls, run->p, run->n);
    }
}


static void
art_answer_begin(art_answer_text_t *answer, art_edits_t *edits, uint64_t pos,
    uint64_t event, uint64_t reach)
{
    answer->whole = event != ART_EXTRACT_NOWHERE && pos - event < reach;
    answer->hold = answer->whole ? event : pos;

    art_edits_settle(edits);
}


void
art_answer_give_up(art_answer_text_t *answer, art_edits_t *edits)
{
    answer->strips = 0;
    art_answer_drop(answer, edits);
}


static void
art_answer_drop(art_answer_text_t *answer, art_edits_t *edits)
{
    if (answer->hold != ART_EXTRACT_NOWHERE) {
        answer->hold = ART_EXTRACT_NOWHERE;
        art_edits_back(edits);
    }
}


size_t
art_answer_print(art_answer_text_t *answer, art_out_t *out)
{
    switch (answer->block.state) {

    case ART_BLOCK_ARRAY:
        return art_items_print(out, art_str(answer->block.data,
                                            answer->block.len));

    case ART_BLOCK_MALFORMED:
        return 0;

    default:
        return art_items_print_urls(out, art_urls_found(&answer->urls));
    }
}


/* The position of byte "i" of a run, and the end of those before it. */

static uint64_t
art_answer_pos(const art_answer_run_t *run, size_t i)
{
    return run->end - run->pos == run->n ? run->pos + i : run->pos;
}


static uint64_t
art_answer_end(const art_answer_run_t *run, size_t i)
{
    return run->end - run->pos == run->n ? run->pos + i : run->end;
}


void
art_answer_again(art_answer_again_t *again, const art_answer_text_t *answer,
    art_edits_t *edits, const art_answer_run_t *run)
{
    size_t  i;

    for (i = 0; i < run->n && !again->other; i++) {

        if (again->matched > 0
            && run->p[i] != art_answer_expected(again, &answer->block))
        {
            again->other = again->matched >= art_block_tag.len;
            again->matched = 0;
            again->hold = ART_EXTRACT_NOWHERE;
            art_edits_back(edits);

            if (again->other) {
                break;
            }
        }

        if (again->matched == 0) {

            if (run->p[i] != '<') {
                continue;
            }

            again->hold = art_answer_pos(run, i);
            art_edits_settle(edits);
        }

        again->matched++;
        art_edits_cut(edits, art_answer_pos(run, i),
                      art_answer_end(run, i + 1));

        if (art_answer_expected(again, &answer->block) < 0) {
            again->other = 1;
            again->hold = ART_EXTRACT_NOWHERE;
            art_edits_settle(edits);
        }
    }
}


/* The next byte of the block with its tags, -1 after the last one. */

static int
art_answer_expected(const art_answer_again_t *again, const art_block_t *block)
{
    size_t  i;

    i = again->matched;

    if (i < art_block_tag.len) {
        return art_block_tag.data[i];
    }

    i -= art_block_tag.len;

    if (i < block->len) {
        return block->data[i];
    }

    i -= block->len;

    return i < art_block_end.len ? art_block_end.data[i] : -1;
}


void
art_answer_again_reset(art_answer_again_t *again, art_edits_t *edits)
{
    if (again->hold != ART_EXTRACT_NOWHERE) {
        art_edits_back(edits);
    }

    again->matched = 0;
    again->other = 0;
    again->hold = ART_EXTRACT_NOWHERE;
}


/*
 * Reads up to "len" bytes (not 0) or the next event; *n is how many were read.
 */

static art_block_event_t
art_block_read(art_block_t *block, const uint8_t *p, size_t len, size_t *n)
{
    size_t          i, lt;
    art_str_t       tag;
    const uint8_t  *found;

    for (i = 0; i < len && !art_block_is_complete(block); /* void */ ) {

        tag = block->state == ART_BLOCK_NONE ? art_block_tag : art_block_end;
        *n = i;

        if (block->matched == 0) {
            found = memchr(p + i, '<', len - i);
            lt = found != NULL ? (size_t) (found - p) : len;

            *n = lt;

            if (art_block_take(block, p + i, lt - i) != ART_OK) {
                return ART_BLOCK_NOT;
            }

            i = lt;

            if (found != NULL) {
                block->matched = 1;
                *n = ++i;

                if (block->state == ART_BLOCK_NONE) {
                    return ART_BLOCK_MAYBE;
                }
            }

            continue;
        }

        if (p[i] == tag.data[block->matched]) {
            *n = ++i;

            if (++block->matched == tag.len
                && art_block_matched(block) != ART_BLOCK_REST)
            {
                return block->state == ART_BLOCK_ARRAY ? ART_BLOCK_OVER
                                                       : ART_BLOCK_NOT;
            }

            continue;
        }

        /* a tag has one "<" only: this is no tag, or one begins again */

        lt = block->matched;
        block->matched = 0;

        if (block->state == ART_BLOCK_NONE
            || art_block_take(block, tag.data, lt) != ART_OK)
        {
            return ART_BLOCK_NOT;
        }
    }

    *n = len;

    return ART_BLOCK_REST;
}


static art_block_event_t
art_block_matched(art_block_t *block)
{
    block->matched = 0;

    switch (block->state) {

    case ART_BLOCK_NONE:
        block->state = ART_BLOCK_OPEN;
        art_lex_init(&block->lex, &art_block_handler, block, block->key,
                     sizeof(block->key));

        return ART_BLOCK_REST;

    case ART_BLOCK_OPEN:

        /* down to its UTF-8 */

        if (art_lex_end(&block->lex) == ART_OK
            && art_json_valid(block->data, block->len))
        {
            block->state = ART_BLOCK_ARRAY;
            return ART_BLOCK_OVER;
        }

        /* fall through */

    default:
        block->state = ART_BLOCK_MALFORMED;
        return ART_BLOCK_NOT;
    }
}


/* Adds bytes outside of tags; ART_ERROR if they make the block malformed. */

static int
art_block_take(art_block_t *block, const uint8_t *p, size_t n)
{
    if (block->state != ART_BLOCK_OPEN || n == 0) {
        return ART_OK;
    }

    if (art_block_is_array(block, p, n)) {
        block->large = n > ART_BLOCK_MAX - block->len;

        if (!block->large && art_block_keep(block, p, n) == ART_OK) {
            return ART_OK;
        }
    }

    free(block->data);

    block->data = NULL;
    block->len = 0;
    block->room = 0;
    block->state = ART_BLOCK_BAD;

    return ART_ERROR;
}


static int
art_block_is_array(art_block_t *block, const uint8_t *p, size_t n)
{
    const uint8_t  *first;

    if (art_lex_is_blank(&block->lex)) {
        first = art_json_space(p, p + n);

        if (first < p + n && *first != '[') {
            return 0;
        }
    }

    return art_lex_feed(&block->lex, p, n) == ART_OK;
}


static int
art_block_keep(art_block_t *block, const uint8_t *p, size_t n)
{
    uint8_t  *data;

    data = art_array_extend(block->data, block->len, n, &block->room, 1);

    if (data == NULL) {
        block->failed = 1;
        return ART_ERROR;
    }

    memcpy(data + block->len, p, n);

    block->data = data;
    block->len += n;

    return ART_OK;
}


static void
art_urls_read(art_urls_t *urls, const uint8_t *p, size_t len)
{
    size_t          i, end;
    const uint8_t  *slash;

    for (i = 0; i < len && !urls->over; /* void */ ) {

        end = len;

        if (!urls->within) {

            /* only slashes matter, and what can be a scheme before them */

            slash = memchr(p + i, '/', len - i);
            end = slash != NULL ? (size_t) (slash - p) + 1 : len;

            if (end - i > sizeof(urls->last)) {
                i = end - sizeof(urls->last);
            }
        }

        do {
            urls->last = urls->last << 8 | p[i];
            urls->lower = urls->lower << 8 | art_char_lower(p[i]);

            if (urls->within) {
                art_urls_go_on(urls, p[i++]);
                break;
            }

            if (p[i++] == '/') {
                art_urls_begin(urls);
            }

        } while (i < end);
    }
}


/* The text has ended: all URLs found, each with a line feed after it. */

static art_str_t
art_urls_found(art_urls_t *urls)
{
    if (urls->within) {
        art_urls_finish(urls);
    }

    return art_str(urls->data, urls->run);
}


/* The length of "word" if the last bytes read are it, else 0. */

static size_t
art_urls_is_last(const art_urls_t *urls, const char *word)
{
    size_t    i, n;
    uint64_t  last;

    n = strlen(word);
    last = urls->lower;

    for (i = n; i > 0 && (uint8_t) last == (uint8_t) word[i - 1]; i--) {
        last >>= 8;
    }

    return i == 0 ? n : 0;
}


static void
art_urls_begin(art_urls_t *urls)
{
    size_t    i, n;

    for (i = 0, n = 0; i < art_nitems(art_urls_schemes) && n == 0; i++) {
        n = art_urls_is_last(urls, art_urls_schemes[i]);
    }

    if (n == 0) {
        return;
    }

    urls->within = 1;
    urls->scheme = n;
    urls->end = 0;

    while (n > 0 && art_urls_put(urls, (uint8_t) (urls->last >> 8 * (n - 1)))) {
        n--;
    }
}


static void
art_urls_go_on(art_urls_t *urls, uint8_t c)
{
    size_t  n;

    if (art_urls_is_space(urls->last)) {
        art_urls_finish(urls);
        return;
    }

    if (urls->len - urls->run == ART_URLS_RUN || !art_urls_put(urls, c)) {
        return;
    }

    n = art_urls_ending(urls);

    if (n > 0 && urls->len - urls->run > urls->scheme + n) {
        urls->end = urls->len - urls->run;
    }
}


static void
art_urls_finish(art_urls_t *urls)
{
    urls->within = 0;
    urls->len = urls->run + urls->end;

    if (urls->end > 0 && art_urls_put(urls, '\n')) {
        urls->run = urls->len;
    }

    urls->len = urls->run;
    urls->over = urls->len >= ART_URLS_MAX;
}


static size_t
art_urls_ending(const art_urls_t *urls)
{
    size_t  i, n;

    for (i = 0, n = 0; i < art_nitems(art_urls_endings) && n == 0; i++) {
        n = art_urls_is_last(urls, art_urls_endings[i]);
    }

    return n;
}


/* White space as defined by ECMAScript, by its last byte. */

static int
art_urls_is_space(uint64_t last)
{
    unsigned  c;

    c = (unsigned) last & 0xff;

    if (c < 0x80) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    if ((last & 0xffff) == 0xc2a0) {
        return 1;
    }

    c = (unsigned) last & 0xffffff;

    return c == 0xe19a80 || (c >= 0xe28080 && c <= 0xe2808a) || c == 0xe280a8
           || c == 0xe280a9 || c == 0xe280af || c == 0xe2819f || c == 0xe38080
           || c == 0xefbbbf;
}


static int
art_urls_put(art_urls_t *urls, uint8_t c)
{
    uint8_t  *data;

    data = art_array_grow(urls->data, urls->len, &urls->room, 1);

    if (data == NULL) {
        urls->failed = 1;
        urls->over = 1;
        return 0;
    }

    urls->data = data;
    urls->data[urls->len++] = c;

    return 1;
}


/*
 * Writes the items of an array as they came, with spaces for the line breaks
 * between tokens; returns their number.
 */

static size_t
art_items_print(art_out_t *out, art_str_t array)
{
    size_t              n;
    art_str_t           item;
    art_json_members_t  elements;

    n = 0;
    art_out_char(out, '[');

    if (art_json_elements(&elements, array) == ART_OK) {

        while (art_json_element(&elements, &item) == 1) {

            if (art_item_is_sound(item)) {
                art_out_cstr(out, n++ > 0 ? "," : "");
                art_item_print(out, item);
            }
        }
    }

    art_out_char(out, ']');

    return n;
}


/* Writes URLs, each with a line feed after it, as items of images. */

static size_t
art_items_print_urls(art_out_t *out, art_str_t urls)
{
    size_t          n, i;
    art_str_t       url;
    const uint8_t  *eol;

    art_out_char(out, '[');

    for (n = 0, i = 0; i < urls.len; n++, i += url.len + 1) {
        eol = memchr(urls.data + i, '\n', urls.len - i);
        url = art_str(urls.data + i, (size_t) (eol - urls.data) - i);

        art_out_cstr(out, n > 0 ? "," : "");
        art_out_cstr(out, "{\"type\":\"image\",\"url\":\"");
        art_json_string(out, url, 1);
        art_out_cstr(out, "\"}");
    }

    art_out_char(out, ']');

    return n;
}


static int
art_item_is_sound(art_str_t item)
{
    size_t      i;
    unsigned    known;
    art_str_t   keys[art_nitems(art_item_rules) + 1];
    art_str_t   values[art_nitems(art_item_rules) + 1];

    if (item.data[0] != '{') {
        return 0;
    }

    for (i = 0; i < art_nitems(art_item_rules); i++) {
        keys[i] = art_cstr(art_item_rules[i].key);
    }

    keys[i] = art_cstr("type");

    if (art_json_find(item, keys, art_nitems(keys), values) != ART_OK) {
        return 0;
    }

    known = 0;

    for (i = 0; i < art_nitems(art_item_rules); i++) {

        if (!art_item_is_word(values[art_nitems(art_item_rules)],
                              art_item_rules[i].type))
        {
            continue;
        }

        known = 1;

        if (values[i].data == NULL
            ? !art_item_rules[i].optional
            : !art_item_is_member(values[i], art_item_rules[i].value))
        {
            return 0;
        }
    }

    return (int) known;
}


static int
art_item_is_member(art_str_t value, art_item_value_t what)
{
    size_t  i;

    switch (what) {

    case ART_ITEM_STRING:
        return value.data[0] == '"';

    case ART_ITEM_NUMBER:
        return value.data[0] == '-'
               || (value.data[0] >= '0' && value.data[0] <= '9');

    case ART_ITEM_STRINGS:
        return art_item_are_all(value, ART_ITEM_STRING);

    case ART_ITEM_ROWS:
        return art_item_are_all(value, ART_ITEM_STRINGS);

    default:

        for (i = 0; i < art_nitems(art_item_formats); i++) {
            if (art_item_is_word(value, art_item_formats[i])) {
                return 1;
            }
        }

        return 0;
    }
}


static int
art_item_are_all(art_str_t array, art_item_value_t what)
{
    int                 rc;
    art_str_t           value;
    art_json_members_t  elements;

    if (art_json_elements(&elements, array) != ART_OK) {
        return 0;
    }

    do {
        rc = art_json_element(&elements, &value);
    } while (rc == 1 && art_item_is_member(value, what));

    return rc == 0;
}


/* Whether a value is present, and the string "word". */

static int
art_item_is_word(art_str_t value, const char *word)
{
    uint8_t    buf[16];
    art_str_t  text;

    if (value.data == NULL || value.data[0] != '"') {
        return 0;
    }

    return art_json_key(art_str(value.data + 1, value.len - 2), buf,
                        sizeof(buf), &text)
               == ART_OK
           && art_str_eq(text, art_cstr(word));
}


/* Valid JSON has line breaks between tokens only. */

static void
art_item_print(art_out_t *out, art_str_t item)
{
    size_t  i, n;

    for (i = 0; i < item.len; i += n + 1) {

        for (n = 0; i + n < item.len
                    && item.data[i + n] != '\n' && item.data[i + n] != '\r';
             n++)
        {
            /* void */
        }

        art_out_mem(out, item.data + i, n);

        if (i + n < item.len) {
            art_out_char(out, ' ');
        }
    }
}
