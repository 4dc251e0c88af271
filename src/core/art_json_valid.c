
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "art_json_valid.h"
#include "art_utf8.h"


/* A bit for each open bracket: 1 for an object. */

typedef struct {
    uint8_t   bits[ART_JSON_VALID_DEPTH / 8];
    unsigned  depth;
} art_json_stack_t;


static const uint8_t *art_json_start(const uint8_t *p, const uint8_t *end,
    art_json_stack_t *stack, unsigned *open);
static const uint8_t *art_json_end(const uint8_t *p, const uint8_t *end,
    art_json_stack_t *stack);
static int art_json_push(art_json_stack_t *stack, unsigned object);
static unsigned art_json_in_object(const art_json_stack_t *stack);
static const uint8_t *art_json_member(const uint8_t *p, const uint8_t *end);
static const uint8_t *art_json_scalar(const uint8_t *p, const uint8_t *end);
static const uint8_t *art_json_text(const uint8_t *p, const uint8_t *end);
static const uint8_t *art_json_number(const uint8_t *p, const uint8_t *end);
static const uint8_t *art_json_digits(const uint8_t *p, const uint8_t *end);
static const uint8_t *art_json_skip(const uint8_t *p, const uint8_t *end);


int
art_json_valid(const uint8_t *p, size_t len)
{
    unsigned          open;
    const uint8_t    *end;
    art_json_stack_t  stack;

    end = p + len;
    memset(&stack, 0, sizeof(stack));

    do {
        p = art_json_start(p, end, &stack, &open);

        if (p != NULL && !open) {
            p = art_json_end(p, end, &stack);
        }

        if (p == NULL) {
            return 0;
        }

    } while (open || stack.depth > 0);

    return art_json_skip(p, end) == end;
}


/*
 * Reads a scalar, an empty object or array, or (*open set) an opening bracket,
 * with the key of an object's first member.
 */

static const uint8_t *
art_json_start(const uint8_t *p, const uint8_t *end, art_json_stack_t *stack,
    unsigned *open)
{
    uint8_t  c;

    *open = 0;
    p = art_json_skip(p, end);

    if (p == end) {
        return NULL;
    }

    c = *p;

    if (c != '{' && c != '[') {
        return art_json_scalar(p, end);
    }

    p = art_json_skip(p + 1, end);

    if (p < end && *p == c + 2) {
        return stack->depth < ART_JSON_VALID_DEPTH ? p + 1 : NULL;
    }

    if (art_json_push(stack, c == '{') != ART_OK) {
        return NULL;
    }

    *open = 1;

    return c == '{' ? art_json_member(p, end) : p;
}


/*
 * Reads what follows a value: closing brackets, up to a comma with the key of
 * the next member, or to the end of the outermost value.
 */

static const uint8_t *
art_json_end(const uint8_t *p, const uint8_t *end, art_json_stack_t *stack)
{
    unsigned  object;

    while (stack->depth > 0) {
        p = art_json_skip(p, end);

        if (p == end) {
            return NULL;
        }

        object = art_json_in_object(stack);

        if (*p == ',') {
            return object ? art_json_member(p + 1, end) : p + 1;
        }

        if (*p != (object ? '}' : ']')) {
            return NULL;
        }

        stack->depth--;
        p++;
    }

    return p;
}


static int
art_json_push(art_json_stack_t *stack, unsigned object)
{
    uint8_t  mask;

    if (stack->depth == ART_JSON_VALID_DEPTH) {
        return ART_ERROR;
    }

    mask = (uint8_t) (1u << (stack->depth % 8));

    if (object) {
        stack->bits[stack->depth / 8] |= mask;

    } else {
        stack->bits[stack->depth / 8] &= (uint8_t) ~mask;
    }

    stack->depth++;

    return ART_OK;
}


static unsigned
art_json_in_object(const art_json_stack_t *stack)
{
    unsigned  top;

    if (stack->depth == 0) {
        return 0;
    }

    top = stack->depth - 1;

    return stack->bits[top / 8] >> (top % 8) & 1;
}


/* A member's key and colon, up to where its value starts; NULL if malformed. */

static const uint8_t *
art_json_member(const uint8_t *p, const uint8_t *end)
{
    p = art_json_skip(p, end);

    if (p == end || *p != '"') {
        return NULL;
    }

    p = art_json_text(p + 1, end);

    if (p == NULL) {
        return NULL;
    }

    p = art_json_skip(p, end);

    return p < end && *p == ':' ? p + 1 : NULL;
}


static const uint8_t *
art_json_scalar(const uint8_t *p, const uint8_t *end)
{
    size_t  i;

    static const struct {
        const char  *word;
        size_t       len;
    } words[] = { { "true", 4 }, { "false", 5 }, { "null", 4 } };

    if (*p == '"') {
        return art_json_text(p + 1, end);
    }

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if ((size_t) (end - p) >= words[i].len
            && memcmp(p, words[i].word, words[i].len) == 0)
        {
            return p + words[i].len;
        }
    }

    return art_json_number(p, end);
}


/* The inside of a string; returns what stands behind its closing quote. */

static const uint8_t *
art_json_text(const uint8_t *p, const uint8_t *end)
{
    int       n;
    unsigned  i;

    while (p < end) {

        if (*p == '"') {
            return p + 1;
        }

        if (*p < 0x20) {
            return NULL;
        }

        if (*p >= 0x80) {
            n = art_utf8_char(p, (size_t) (end - p));

            if (n <= 0) {
                return NULL;
            }

            p += n;
            continue;
        }

        if (*p != '\\') {
            p++;
            continue;
        }

        if (end - p < 2 || p[1] == '\0' || strchr("\"\\/bfnrtu", p[1]) == NULL)
        {
            return NULL;
        }

        if (p[1] != 'u') {
            p += 2;
            continue;
        }

        if (end - p < 6) {
            return NULL;
        }

        for (i = 2; i < 6; i++) {
            if (p[i] == '\0'
                || strchr("0123456789abcdefABCDEF", p[i]) == NULL)
            {
                return NULL;
            }
        }

        p += 6;
    }

    return NULL;
}


static const uint8_t *
art_json_number(const uint8_t *p, const uint8_t *end)
{
    if (p < end && *p == '-') {
        p++;
    }

    if (p < end && *p == '0') {
        p++;

    } else {
        p = art_json_digits(p, end);
    }

    if (p != NULL && p < end && *p == '.') {
        p = art_json_digits(p + 1, end);
    }

    if (p != NULL && p < end && (*p == 'e' || *p == 'E')) {
        p++;

        if (p < end && (*p == '+' || *p == '-')) {
            p++;
        }

        p = art_json_digits(p, end);
    }

    return p;
}


static const uint8_t *
art_json_digits(const uint8_t *p, const uint8_t *end)
{
    const uint8_t  *start;

    start = p;

    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }

    return p > start ? p : NULL;
}


static const uint8_t *
art_json_skip(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) {
        p++;
    }

    return p;
}
