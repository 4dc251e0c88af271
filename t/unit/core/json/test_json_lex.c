
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Keys of any length, however the text is cut, and strings that another lexer
 * has measured.
 */


#include "core/json/art_json_lex.h"
#include "exact.h"
#include "tap.h"


/* Of a key of "n" bytes: how often it came, or, if too long, its place only. */

typedef struct {
    size_t    n;
    unsigned  right;
    unsigned  wrong;
} keys_t;


static int
note_key(void *data, uint64_t pos, uint64_t end, art_str_t name)
{
    size_t   i, len;
    keys_t  *keys;

    keys = data;
    len = keys->n <= ART_LEX_KEY_MAX ? keys->n : 0;

    if (end - pos < keys->n + 2 || name.len != len
        || (name.data == NULL) != (keys->n > ART_LEX_KEY_MAX))
    {
        keys->wrong++;
        return ART_OK;
    }

    for (i = 0; i < len; i++) {
        keys->wrong += name.data[i] != 'k';
    }

    keys->right++;

    return ART_OK;
}


static void
test_keys(void)
{
    char        text[400];
    size_t      n, i, step, len, piece;
    keys_t      keys;
    uint8_t    *copy, kept[ART_LEX_KEY_MAX];
    art_lex_t   lex;

    static const art_lex_handler_t  handler = { .key = note_key };

    static const char  name[] = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";

    for (n = 1; n < 70; n++) {
        keys.n = n;
        keys.wrong = 0;

        len = (size_t) snprintf(text, sizeof(text), "{\"%.*s\":1 ,\"%.*s\" : {"
                                "\"%.*s\\u006b\":null,\"%.*s\":\"\"}}", (int) n,
                                name, (int) n, name, (int) n - 1, name,
                                (int) n, name);

        for (step = 1; step <= len; step++) {
            keys.right = 0;

            art_lex_init(&lex, &handler, &keys, kept, sizeof(kept));

            for (i = 0; i < len; i += piece) {
                piece = step < len - i ? step : len - i;
                copy = exact((const uint8_t *) text + i, piece);
                keys.wrong += art_lex_feed(&lex, copy, piece) != ART_OK;
                free(copy);
            }

            keys.wrong += art_lex_end(&lex) != ART_OK || keys.right != 4;
        }

        ok(keys.wrong == 0, "keys of %u bytes", (unsigned) n);
    }

    /* what must follow a key */

    for (i = 0; i < 2; i++) {
        art_lex_init(&lex, &handler, &keys, kept, sizeof(kept));
        ok(art_lex_feed(&lex, (const uint8_t *) (i ? "{\"k\"," : "{\"k\"}"), 5)
           != ART_OK && art_lex_fault(&lex) == 4, "no colon");
    }
}


/* Of an object that is skipped, no key is told. */

static int
skip(void *data, uint64_t pos, unsigned object)
{
    (void) data;
    (void) object;

    return pos > 0 ? ART_LEX_SKIP : ART_OK;
}


static void
test_skipped(void)
{
    size_t      i, piece;
    keys_t      keys;
    uint8_t     kept[ART_LEX_KEY_MAX];
    art_lex_t   lex;

    static const art_lex_handler_t  handler = { .open = skip, .key = note_key };

    static const char  text[] = "{\"k\":{\"other\":1,\"k\":[{\"k\":2}]},"
                                "\"k\":3}";

    memset(&keys, 0, sizeof(keys));
    keys.n = 1;

    for (piece = 1; piece < sizeof(text); piece++) {
        art_lex_init(&lex, &handler, &keys, kept, sizeof(kept));

        for (i = 0; i < sizeof(text) - 1; i += piece) {
            keys.wrong += art_lex_feed(&lex, (const uint8_t *) text + i,
                                       piece < sizeof(text) - 1 - i
                                       ? piece : sizeof(text) - 1 - i)
                          != ART_OK;
        }

        keys.wrong += art_lex_end(&lex) != ART_OK || keys.right != 2;
        keys.right = 0;
    }

    ok(keys.wrong == 0, "keys that are skipped");
}


#define LONG  500


/* How much of a string is asked for, and what came. */

typedef struct {
    size_t    wants;
    size_t    came;
    uint64_t  end;
} string_t;


static size_t
wants(void *data, uint64_t pos)
{
    string_t  *string;

    (void) pos;

    string = data;

    return string->wants;
}


static int
value(void *data, const art_lex_value_t *v)
{
    string_t  *string;

    string = data;

    if (v->string) {
        string->end = v->end;
    }

    return ART_OK;
}


static void
take(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    string_t  *string;

    (void) p;
    (void) end;

    string = data;
    string->came += n;
}


static const art_lex_handler_t  strings = {
    .wants = wants, .value = value, .text = take
};


/* Reads the text, "cut" bytes and the rest, after a leap: where that led. */

static uint64_t
leap(const char *text, size_t cut, const art_lex_longs_t *longs,
    string_t *string)
{
    uint64_t        pos;
    uint8_t         kept[ART_LEX_KEY_MAX];
    art_lex_t       lex;
    const uint8_t  *p;

    p = (const uint8_t *) text;
    string->came = 0;
    string->end = 0;

    art_lex_init(&lex, &strings, string, kept, sizeof(kept));

    if (art_lex_feed(&lex, p, cut) != ART_OK) {
        return 0;
    }

    art_lex_leap(&lex, longs);
    pos = art_lex_pos(&lex);

    return art_lex_feed(&lex, p + pos, strlen(text) - (size_t) pos) == ART_OK
           && art_lex_end(&lex) == ART_OK ? pos : 0;
}


/* From within a long string that nobody wants to its end, and nowhere else. */

static void
test_leap(void)
{
    char             text[2 * LONG];
    size_t           i, len, begin, end, wrong;
    uint8_t          kept[ART_LEX_KEY_MAX];
    art_lex_t        lex;
    string_t         string;
    art_lex_longs_t  longs;

    len = (size_t) snprintf(text, sizeof(text), "[1,\"short\",\"%0*d\\n\",2]",
                            LONG, 0);
    begin = strlen("[1,\"short\",");
    end = len - strlen(",2]");

    memset(&longs, 0, sizeof(longs));
    longs.least = LONG;

    art_lex_init(&lex, &strings, memset(&string, 0, sizeof(string)), kept,
                 sizeof(kept));
    art_lex_note(&lex, &longs);

    ok(art_lex_feed(&lex, (const uint8_t *) text, len) == ART_OK
       && art_lex_end(&lex) == ART_OK, "the text");
    ok(longs.n == 1 && longs.pos[0] == begin && longs.end[0] == end,
       "its long string");

    for (wrong = 0, i = 1; i < len; i++) {
        wrong += leap(text, i, &longs, &string)
                 != (i > begin && i < end && text[i - 1] != '\\' ? end - 1 : i);
        wrong += string.end != end;
    }

    ok(wrong == 0, "nothing of it is wanted");

    string.wants = ART_LEX_STREAM;

    for (wrong = 0, i = 1; i < len; i++) {
        wrong += leap(text, i, &longs, &string) != i;
        wrong += string.end != end
                 || string.came != strlen("short") + LONG + 1;
    }

    ok(wrong == 0, "all of it is");

    /* with a beginning its length is told, too */

    string.wants = ART_LEX_KEY_MAX;

    for (wrong = 0, i = 1; i < len; i++) {
        wrong += leap(text, i, &longs, &string) != i;
        wrong += string.end != end;
    }

    ok(wrong == 0, "its length is");
}


int
main(void)
{
    test_keys();
    test_skipped();
    test_leap();

    return done();
}
