
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_members.h"
#include "core/declare/art_items.h"


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


static int art_item_is_sound(art_str_t item);
static int art_item_is_member(art_str_t value, art_item_value_t what);
static int art_item_are_all(art_str_t array, art_item_value_t what);
static int art_item_is_word(art_str_t value, const char *word);
static void art_item_print(art_out_t *out, art_str_t item);


size_t
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


size_t
art_items_print_urls(art_out_t *out, art_str_t urls)
{
    size_t          n;
    const uint8_t  *p, *eol, *end;

    p = urls.data;
    end = p + urls.len;

    art_out_char(out, '[');

    for (n = 0; p < end; n++, p = eol + 1) {
        eol = memchr(p, '\n', (size_t) (end - p));

        art_out_cstr(out, n > 0 ? "," : "");
        art_out_cstr(out, "{\"type\":\"image\",\"url\":\"");
        art_json_string(out, art_str(p, (size_t) (eol - p)), 1);
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


/* Whether a value is there, and the string "word". */

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


/* Sound JSON has line breaks between tokens only. */

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
