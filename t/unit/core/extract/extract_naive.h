
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What docs/offload.md says of an answer, worked out from all of its bytes with
 * jansson, regcomp() and strstr(), and nothing of src.
 */


#ifndef EXTRACT_NAIVE_H_INCLUDED_
#define EXTRACT_NAIVE_H_INCLUDED_


#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>


#define NAIVE_MAX  (256 * 1024)


/* The text of an answer, or an agent's result, so far. */

typedef struct {
    char    text[NAIVE_MAX];
    size_t  len;
} naive_text_t;


/* Of a text, "from" to "to" is the block that is cut; "items" is JSON. */

typedef struct {
    char    items[NAIVE_MAX];
    size_t  len;
    size_t  nitems;
    size_t  from;
    size_t  to;
} naive_found_t;


static void
naive_add(naive_text_t *text, const json_t *string)
{
    if (json_is_string(string)) {
        memcpy(text->text + text->len, json_string_value(string),
               json_string_length(string));
        text->len += json_string_length(string);
    }
}


/* Of parts, those that have "key" as "word", or not as true. */

static void
naive_parts(naive_text_t *text, const json_t *parts, const char *key,
    const char *word)
{
    size_t         i;
    const json_t  *part, *value;

    json_array_foreach(parts, i, part) {
        value = json_object_get(part, key);

        if (word != NULL
            ? json_is_string(value)
              && strcmp(json_string_value(value), word) == 0
            : !json_is_true(value))
        {
            naive_add(text, json_object_get(part, "text"));
        }
    }
}


/* A choice or candidate is the first one by its index, or by its place. */

static int
naive_is_first(const json_t *choice, size_t place, int by_place)
{
    json_t  *index;

    index = json_object_get(choice, "index");

    return index == NULL || by_place ? place == 0
                                     : json_integer_value(index) == 0;
}


static void
naive_choices(naive_text_t *text, const json_t *root, int sse)
{
    size_t         i;
    const json_t  *choice, *content;

    json_array_foreach(json_object_get(root, "choices"), i, choice) {

        if (!naive_is_first(choice, i, !sse)) {
            continue;
        }

        content = json_object_get(
            json_object_get(choice, sse ? "delta" : "message"), "content");

        naive_add(text, content);
        naive_parts(text, content, "", NULL);
    }
}


static void
naive_candidates(naive_text_t *text, const json_t *root)
{
    size_t         i;
    const json_t  *candidate;

    json_array_foreach(json_object_get(root, "candidates"), i, candidate) {

        if (naive_is_first(candidate, i, 0)) {
            naive_parts(text, json_object_get(
                            json_object_get(candidate, "content"), "parts"),
                        "thought", NULL);
        }
    }
}


static int
naive_is(const json_t *object, const char *key, const char *word)
{
    const char  *value;

    value = json_string_value(json_object_get(object, key));

    return value != NULL && strcmp(value, word) == 0;
}


static void
naive_json(naive_text_t *text, const json_t *root, const char *api)
{
    size_t         i;
    const json_t  *item, *value;

    if (api == NULL) {
        naive_add(text, json_object_get(root, "result"));

    } else if (strcmp(api, "openai_responses") == 0) {

        json_array_foreach(json_object_get(root, "output"), i, item) {
            naive_parts(text, json_object_get(item, "content"), "type",
                        "output_text");
        }

    } else if (strcmp(api, "anthropic") == 0) {
        naive_parts(text, json_object_get(root, "content"), "type", "text");

    } else if (strcmp(api, "gemini") == 0) {
        naive_candidates(text, root);

        json_array_foreach(root, i, value) {
            naive_candidates(text, value);
        }

    } else if (strcmp(api, "bedrock") == 0) {
        value = json_object_get(json_object_get(root, "output"), "message");
        naive_parts(text, json_object_get(value, "content"), "", NULL);

    } else {
        naive_choices(text, root, 0);
    }
}


/* One event; an agent's result goes to "result". */

static void
naive_event(naive_text_t *text, naive_text_t *result, const json_t *root,
    const char *api)
{
    json_t  *delta;

    if (api == NULL) {

        if (naive_is(root, "type", "text")) {
            naive_add(text, json_object_get(root, "text"));

        } else if (naive_is(root, "type", "result")) {
            naive_add(result, json_object_get(root, "result"));
        }

    } else if (strcmp(api, "openai_responses") == 0) {

        if (naive_is(root, "type", "response.output_text.delta")) {
            naive_add(text, json_object_get(root, "delta"));
        }

    } else if (strcmp(api, "anthropic") == 0) {
        delta = json_object_get(root, "delta");

        if (naive_is(delta, "type", "text_delta")) {
            naive_add(text, json_object_get(delta, "text"));
        }

    } else if (strcmp(api, "gemini") == 0) {
        naive_candidates(text, root);

    } else {
        naive_choices(text, root, 1);
    }
}


/* The lines "data:" of each event, however lines end. */

static void
naive_stream(naive_text_t *text, naive_text_t *result, const char *p,
    const char *api)
{
    size_t       n;
    json_t      *root;
    char        *data, *line;
    static char  plain[NAIVE_MAX * 2];

    for (n = 0; *p != '\0'; p++) {
        if (*p != '\n' || n == 0 || p[-1] != '\r') {
            plain[n++] = *p == '\r' ? '\n' : *p;
        }
    }

    plain[n] = '\0';

    for (data = plain, line = plain; *line != '\0'; line += n + 1) {
        n = strcspn(line, "\n");

        if (n == 0) {
            *data = '\0';
            root = json_loads(data = plain, JSON_ALLOW_NUL, NULL);
            if (root != NULL) {
                naive_event(text, result, root, api);
                json_decref(root);
            }

        } else if (strncmp(line, "data: ", 6) == 0) {
            memmove(data, line + 6, n - 6 + 1);
            data += n - 6 + 1;
        }
    }
}


static int
naive_are(const json_t *array, int (*is)(const json_t *))
{
    size_t         i;
    const json_t  *value;

    json_array_foreach(array, i, value) {
        if (!is(value)) {
            return 0;
        }
    }

    return json_is_array(array);
}


static int
naive_is_string(const json_t *value)
{
    return json_is_string(value);
}


static int
naive_is_row(const json_t *value)
{
    return naive_are(value, naive_is_string);
}


static int
naive_may(const json_t *item, const char *key)
{
    json_t  *value;

    value = json_object_get(item, key);

    return value == NULL || json_is_string(value);
}


static int
naive_is_item(const json_t *item)
{
    json_t  *width, *height;

    if (naive_is(item, "type", "image")) {
        width = json_object_get(item, "width");
        height = json_object_get(item, "height");

        return json_is_string(json_object_get(item, "url"))
               && naive_may(item, "title")
               && (width == NULL || json_is_number(width))
               && (height == NULL || json_is_number(height));
    }

    if (naive_is(item, "type", "text")) {
        return json_is_string(json_object_get(item, "content"))
               && (json_object_get(item, "format") == NULL
                   || naive_is(item, "format", "plain")
                   || naive_is(item, "format", "markdown")
                   || naive_is(item, "format", "code"));
    }

    if (naive_is(item, "type", "table")) {
        return naive_may(item, "title")
               && naive_is_row(json_object_get(item, "headers"))
               && naive_are(json_object_get(item, "rows"), naive_is_row);
    }

    return naive_is(item, "type", "file")
           && json_is_string(json_object_get(item, "name"))
           && json_is_string(json_object_get(item, "path"))
           && naive_may(item, "mimeType");
}


static void
naive_put(naive_found_t *found, const char *p, size_t n)
{
    found->items[found->len++] = found->nitems++ > 0 ? ',' : '[';

    for ( /* void */ ; n > 0; p++, n--) {
        found->items[found->len++] = *p == '\n' || *p == '\r' ? ' ' : *p;
    }
}


/* The elements of a sound array, as they stand there. */

static void
naive_items(naive_found_t *found, const char *p, const json_t *array)
{
    int          depth, quoted;
    size_t       i;
    const char  *begin, *end;

    p = strchr(p, '[') + 1;

    for (i = 0; i < json_array_size(array); i++, p++) {

        for (begin = p, depth = quoted = 0;
             quoted || depth > 0 || (*p != ',' && *p != ']');
             p++)
        {
            if (quoted && *p == '\\') {
                p++;

            } else if (*p == '"') {
                quoted = !quoted;

            } else if (!quoted) {
                depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
            }
        }

        for (end = p; isspace((unsigned char) end[-1]); end--) { /* void */ }
        for ( /* void */ ; isspace((unsigned char) *begin); begin++) { }

        if (naive_is_item(json_array_get(array, i))) {
            naive_put(found, begin, (size_t) (end - begin));
        }
    }
}


static void
naive_urls(naive_found_t *found, const char *text)
{
    char        item[8192];
    regex_t     re;
    regmatch_t  at;

    if (regcomp(&re, "https?://[^ \t\r\n\f\v]+\\.(png|jpe?g|webp|gif)",
                REG_EXTENDED | REG_ICASE)
        != 0)
    {
        return;
    }

    for ( /* void */ ; regexec(&re, text, 1, &at, 0) == 0; text += at.rm_eo) {
        json_t  *url;

        url = json_pack("{s:s, s:s%}", "type", "image", "url",
                        text + at.rm_so, (size_t) (at.rm_eo - at.rm_so));
        naive_put(found, item, json_dumpb(url, item, sizeof(item),
                                          JSON_COMPACT | JSON_ENCODE_ANY));
        json_decref(url);
    }

    regfree(&re);
}


/* What a text declares. */

static void
naive_find(naive_found_t *found, naive_text_t *text)
{
    char    *tag, *end;
    json_t  *array;

    found->len = found->nitems = found->from = found->to = 0;
    text->text[text->len] = '\0';

    tag = strstr(text->text, "<artifacts>");
    end = tag != NULL ? strstr(tag, "</artifacts>") : NULL;

    if (end == NULL) {
        naive_urls(found, text->text);

    } else {
        tag += strlen("<artifacts>");
        array = json_loadb(tag, (size_t) (end - tag), JSON_ALLOW_NUL, NULL);

        if (json_is_array(array)) {
            naive_items(found, tag, array);
            found->from = (size_t) (tag - text->text) - strlen("<artifacts>");
            found->to = (size_t) (end - text->text) + strlen("</artifacts>");
        }

        json_decref(array);
    }

    if (found->nitems > 0) {
        found->items[found->len++] = ']';
    }
}


#endif /* EXTRACT_NAIVE_H_INCLUDED_ */
