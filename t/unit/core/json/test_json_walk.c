
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Walks by rules: what observers are told of a text in pieces of any size.
 */


#include "core/json/art_json_walk.h"
#include "exact.h"
#include "tap.h"


#define DEPTH  4


enum { NONE = ART_WALK_NONE, ROOT = ART_WALK_ROOT, LIST, ITEM, PART, OPEN };

enum { PASS = 0, NOTE, TEXT, STOP, DROP };


/* What an observer was told, and how many bytes of strings it asks for. */

typedef struct {
    art_walk_t        walk;
    art_walk_frame_t  frames[DEPTH + ART_WALK_SPARE];
    char              told[400];
    size_t            len;
} seen_t;


static const art_walk_rule_t  root = { NULL, NONE, ROOT, LIST, PASS };

static const art_walk_rule_t  rules[] = {
    { "list", ROOT, NONE, LIST, PASS },
    { "note", ROOT, NONE, NONE, NOTE },
    { "text", ROOT, PART, NONE, TEXT },
    { "stop", ROOT, NONE, NONE, STOP },
    { "tree", ROOT, ART_WALK_TREE, ART_WALK_TREE, NOTE },
    { "open", ROOT, OPEN, NONE, PASS },
    { NULL, LIST, ITEM, LIST, PASS },
    { "list", ITEM, NONE, LIST, NOTE },
    { "drop", ITEM, PART, NONE, DROP },
    { "text", PART, NONE, NONE, TEXT },
    { "list", OPEN, NONE, LIST, PASS },
    { ART_WALK_ANY, OPEN, NONE, ART_WALK_TREE, NOTE },
    { NULL, NONE, NONE, NONE, PASS }
};

static const art_walk_rule_t  others[] = {
    { "other", ROOT, PART, NONE, NOTE },
    { "text", ROOT, NONE, NONE, NOTE },
    { "x", PART, NONE, NONE, NOTE },
    { NULL, NONE, NONE, NONE, PASS }
};


static void
tell(seen_t *seen, const char *what, const void *p, size_t n)
{
    art_out_t  out;

    out = art_out(seen->told + seen->len, sizeof(seen->told) - seen->len - 1);

    art_out_cstr(&out, what);
    art_out_mem(&out, p, n);
    art_out_char(&out, ' ');

    seen->len += out.len;
    seen->told[seen->len] = '\0';
}


static int
enter(void *data, art_walk_frame_t *frame)
{
    char     what[40];
    seen_t  *seen;

    seen = data;

    if (frame->rule->act == DROP) {
        frame->node = NONE;
    }

    snprintf(what, sizeof(what), "%c%u@%u", frame->array ? '[' : '{',
             frame->node, (unsigned) frame->pos);
    tell(seen, what, NULL, 0);

    return ART_OK;
}


static int
leave(void *data, art_walk_frame_t *frame, uint64_t end)
{
    char     what[40];
    seen_t  *seen;

    seen = data;

    snprintf(what, sizeof(what), "%u%c@%u:%u", frame->node,
             frame->array ? ']' : '}', (unsigned) end, frame->count);
    tell(seen, what, NULL, 0);

    return ART_OK;
}


static int
key(void *data, uint64_t pos, uint64_t end, art_str_t name)
{
    seen_t  *seen;

    seen = data;

    if (seen->walk.rule != NULL) {
        tell(seen, "k:", name.data, name.len);
    }

    return end > pos ? ART_OK : ART_ERROR;
}


static size_t
wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    (void) data;
    (void) pos;

    return rule->act == TEXT ? ART_LEX_STREAM : rule->act == NOTE ? 8 : 0;
}


static int
value(void *data, const art_walk_rule_t *rule, const art_lex_value_t *got)
{
    if (rule->act == STOP) {
        return ART_ERROR;
    }

    tell(data, "v:", got->text.data, got->text.len);

    return ART_OK;
}


static void
text(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    seen_t  *seen;

    (void) end;

    /* pieces are joined */

    seen = data;

    if (seen->len > 1 && seen->told[seen->len - 2] == '~') {
        seen->len -= 2;
    }

    tell(seen, "", p, n);
    seen->told[seen->len - 1] = '~';
    seen->told[seen->len++] = ' ';
    seen->told[seen->len] = '\0';
}


static const art_walk_observer_t  observer = {
    sizeof(art_walk_rule_t), sizeof(art_walk_frame_t), DEPTH, &root,
    enter, leave, key, wants, NULL, value, text
};

static const art_walk_observer_t  silent = {
    sizeof(art_walk_rule_t), sizeof(art_walk_frame_t), DEPTH, &root,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL
};


static const struct {
    const char  *name;
    const char  *in;
    const char  *told;           /* NULL: it fails */
    const char  *other;
} texts[] = {
    { "a scalar", "1", "v: ", "v: " },
    { "nothing of interest", "{\"a\":{\"list\":[{}],\"note\":\"n\"},\"b\":[]}",
      "{1@0 1}@37:2 ", "{1@0 1}@37:2 " },
    { "a note", "{\"note\":\"x\"}", "{1@0 k:note v:x 1}@12:1 ",
      "{1@0 1}@12:1 " },
    { "an escaped key", "{\"n\\u006fte\":\"x\"}",
      "{1@0 k:note v:x 1}@17:1 ", "{1@0 1}@17:1 " },
    { "an object where none is entered", "{\"note\":{\"text\":\"t\"}}",
      "{1@0 k:note {0@8 0}@20:0 1}@21:1 ", "{1@0 1}@21:1 " },
    { "a list", "{\"list\":[1,{\"text\":1},[{\"list\":[]}]]}",
      "{1@0 k:list [2@8 v: {3@11 3}@21:1 [2@22 {3@23 k:list [0@31 0]@33:0 "
      "3}@34:1 2]@35:1 2]@36:3 1}@37:1 ", "{1@0 1}@37:1 " },
    { "what an observer drops", "{\"list\":[{\"drop\":{\"text\":\"a\"}}]}",
      "{1@0 k:list [2@8 {3@9 k:drop {0@17 0}@29:0 3}@30:1 2]@31:1 1}@32:1 ",
      "{1@0 1}@32:1 " },
    { "two observers, one skips",
      "{\"other\":{\"x\":\"1\",\"y\":[]},\"text\":{\"text\":\"abc\",\"n\":{}}}",
      "{1@0 k:text {4@33 k:text abc~ v: 4}@54:2 1}@55:2 ",
      "{1@0 k:other {4@9 k:x v:1 4}@25:2 k:text {0@33 0}@54:0 1}@55:2 " },
    { "one has a text, the other a part of it",
      "{\"text\":\"0123456789abcdef\"}",
      "{1@0 k:text 0123456789abcdef~ v:01234567 1}@27:1 ",
      "{1@0 k:text v:01234567 1}@27:1 " },
    { "a tree, whose values have its rule",
      "{\"tree\":{\"a\":\"1\",\"note\":[{\"text\":\"2\"},[[3]]],\"b\":{}},"
      "\"note\":\"4\"}",
      "{1@0 k:tree {255@8 v:1 v:2 v: 255}@52:3 k:note v:4 1}@64:2 ",
      "{1@0 1}@64:2 " },
    { "a tree deeper than what is entered",
      "{\"tree\":[[[[[[[[[\"1\"]]]],{\"stop\":\"2\"}]]]],\"3\"],\"x\":{}}",
      "{1@0 k:tree [255@8 v:1 v:2 v:3 255]@46:3 1}@54:2 ",
      "{1@0 1}@54:2 " },
    { "any member of an object",
      "{\"open\":{\"\":\"a\",\"list\":[1],\"x\":[[\"b\"],{\"text\":2}],"
      "\"y\":{\"z\":3}}}",
      "{1@0 k:open {5@8 k: v:a k:list [2@23 v: 2]@26:1 k:x [255@31 v:b v: "
      "255]@49:2 k:y {0@54 0}@61:0 5}@62:4 1}@63:1 ", "{1@0 1}@63:1 " },
    { "an error of an observer", "{\"stop\":1}", NULL, NULL }
};


static void
run(seen_t *one, seen_t *two, size_t i, size_t step, int *rc)
{
    size_t          n, len;
    uint8_t        *copy;
    uint8_t         kept[ART_LEX_KEY_MAX];
    art_lex_t       lex;
    const uint8_t  *p;

    one->len = 0;
    two->len = 0;
    one->told[0] = '\0';
    two->told[0] = '\0';

    art_walk_init(&one->walk, &observer, rules, one->frames, one);
    art_walk_init(&two->walk, &observer, others, two->frames, two);
    art_walk_join(&one->walk, &two->walk);
    art_lex_init(&lex, &art_walk_tokens, &one->walk, kept, sizeof(kept));

    *rc = ART_OK;
    p = (const uint8_t *) texts[i].in;

    for (len = strlen(texts[i].in); len > 0 && *rc == ART_OK; len -= n) {
        n = step < len ? step : len;

        copy = exact(p, n);
        *rc = art_lex_feed(&lex, copy, n);
        free(copy);

        p += n;
    }

    if (*rc == ART_OK) {
        *rc = art_lex_end(&lex);
    }
}


static void
test_texts(void)
{
    int            rc;
    size_t         i, step;
    unsigned       wrong;
    static seen_t  one, two;

    for (i = 0; i < nitems(texts); i++) {
        wrong = 0;

        for (step = 1; step <= 100; step += step < 8 ? 1 : 92) {
            run(&one, &two, i, step, &rc);

            wrong += (rc == ART_OK) != (texts[i].told != NULL);

            if (texts[i].told != NULL
                && (strcmp(one.told, texts[i].told) != 0
                    || strcmp(two.told, texts[i].other) != 0))
            {
                wrong++;
                diag("%s | %s", one.told, two.told);
            }
        }

        ok(wrong == 0, "%s", texts[i].name);
    }
}


/* More objects than it enters are skipped; without callbacks nothing is told */

static void
test_depth(void)
{
    int        rc;
    seen_t     seen;
    uint8_t    kept[ART_LEX_KEY_MAX];
    art_lex_t  lex;

    static const char  deep[] = "[[[[[[\"a\"]],2]],3]]";

    seen.len = 0;

    art_walk_init(&seen.walk, &observer, rules, seen.frames, &seen);
    art_lex_init(&lex, &art_walk_tokens, &seen.walk, kept, sizeof(kept));
    rc = art_lex_feed(&lex, (const uint8_t *) deep, sizeof(deep) - 1);

    ok(rc == ART_OK && art_lex_end(&lex) == ART_OK, "a deep text");
    is_str(seen.told, "[2@0 [2@1 [2@2 [2@3 [0@4 0]@11:0 v: 2]@14:2 2]@15:1 v: "
           "2]@18:2 2]@19:1 ", "what is too deep is skipped");

    art_walk_init(&seen.walk, &silent, rules, seen.frames, NULL);
    art_lex_init(&lex, &art_walk_tokens, &seen.walk, kept, sizeof(kept));
    rc = art_lex_feed(&lex, (const uint8_t *) deep, sizeof(deep) - 1);

    ok(rc == ART_OK && art_lex_end(&lex) == ART_OK, "no callbacks");
    ok(seen.walk.depth == 0, "and the walk is over");
}


/* Without rules only the text itself is entered. */

static void
test_no_rules(void)
{
    int        rc;
    seen_t     seen;
    uint8_t    kept[ART_LEX_KEY_MAX];
    art_lex_t  lex;

    static const char  text[] = "{\"note\":\"a\",\"list\":[{\"x\":[1]}]}";

    seen.len = 0;

    art_walk_init(&seen.walk, &observer, NULL, seen.frames, &seen);
    art_lex_init(&lex, &art_walk_tokens, &seen.walk, kept, sizeof(kept));
    rc = art_lex_feed(&lex, (const uint8_t *) text, sizeof(text) - 1);

    ok(rc == ART_OK && art_lex_end(&lex) == ART_OK, "no rules");
    is_str(seen.told, "{1@0 1}@31:2 ", "nothing in it is known");
}


int
main(void)
{
    test_texts();
    test_depth();
    test_no_rules();

    return done();
}
