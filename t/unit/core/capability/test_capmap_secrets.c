
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps and memory: no secret is left in it, and a map does not
 * change when there is no more of it.
 */


#ifndef _GNU_SOURCE
#define _GNU_SOURCE              /* memmem() */
#endif

#include <jansson.h>
#include <malloc.h>

#include "core/capability/art_capmap.h"
#include "core/capability/art_capmap_int.h"
#include "json_alloc.h"
#include "tap.h"


static void
ignore(void *data, int line, const char *text)
{
    (void) data;
    (void) line;
    (void) text;
}


/* Leaves no secrets in memory that the map may get later. */

static void
wiping_free(void *p)
{
    if (p != NULL) {
        memset(p, 0, malloc_usable_size(p));
        free(p);
    }
}


static int
holds(const art_capmap_t *map, const char *text)
{
    const art_service_t        *s;
    const art_intern_block_t   *block;

    for (block = map->strings.blocks; block != NULL;
         block = *(art_intern_block_t *const *) block)
    {
        if (memmem(block, malloc_usable_size((void *) (uintptr_t) block),
                   text, strlen(text))
            != NULL)
        {
            return 1;
        }
    }

    s = art_capmap_get(map, 0);

    return s != NULL && memmem(s, malloc_usable_size((void *) (uintptr_t) s),
                               text, strlen(text)) != NULL;
}


static void
check_secrets(void)
{
    art_capmap_t        *map;
    art_capmap_error_t   err;
    static const char    text[] =
        "{\"services\":[{\"apiKey\":\"sk-1234567890\",\"id\":\"a\","
        "\"baseURL\":\"https://host/\",\"name\":\"a name to keep\"},"
        "{\"baseURL\":\"https://host/\",\"id\":\"b\","
        "\"apiKey\":\"sk-1234567890\"}]}";

    json_set_alloc_funcs(malloc, wiping_free);

    map = art_capmap_create();
    ok(art_capmap_add(map, art_cstr(text), ignore, NULL, &err) == ART_OK
       && art_capmap_finish(map) == ART_OK, "a map with API keys");

    ok(holds(map, "a name to keep") && !holds(map, "sk-1234567890")
       && !holds(map, "host"), "services are kept without keys and URLs");

    art_capmap_destroy(map);

    /* the parser would quote the token at which it stopped */

    map = art_capmap_create();
    ok(art_capmap_add(map, art_cstr("{\"services\":[{\"apiKey\" \"sk-1\"}]}"),
                      ignore, NULL, &err) == ART_ERROR
       && strstr(err.text, "sk-1") == NULL, "an error does not quote a key");
    art_capmap_destroy(map);

    json_set_alloc_funcs(malloc, free);
}


static void
check_blank(void)
{
    size_t  i;
    char    text[256];

    static const struct {
        const char  *text;
        const char  *blanked;
    } cases[] = {
        { "{\"apiKey\":\"sk-1\",\"a\":\"apiKey\"}",
          "{\"apiKey\":\"****\",\"a\":\"apiKey\"}" },
        { "{ \"baseURL\" :\n\t\"http\\\"x\", \"id\":\"a\"}",
          "{ \"baseURL\" :\n\t\"*******\", \"id\":\"a\"}" },
        { "{\"apiKey\":7,\"apiKey\":\"\",\"b\\\"apiKey\":\"c\"}",
          "{\"apiKey\":7,\"apiKey\":\"\",\"b\\\"apiKey\":\"c\"}" },
        { "[\"apiKey\",\"x\"]", "[\"apiKey\",\"x\"]" },
        { "{\"apiKey\":\"sk", "{\"apiKey\":\"sk" },
        { "{\"apiKey\":", "{\"apiKey\":" },
        { "{\"apiKey", "{\"apiKey" },
        { "\"\\", "\"\\" },
        { "", "" }
    };

    for (i = 0; i < nitems(cases); i++) {
        snprintf(text, sizeof(text), "%s", cases[i].text);
        art_capmap_redact((uint8_t *) text, strlen(text));
        is_str(text, cases[i].blanked, "keys and URLs are overwritten");
    }
}


static void
check_memory(void)
{
    long                 n, sound;
    art_capmap_t        *map;
    art_capmap_error_t   err;

    map = art_capmap_create();
    sound = 0;

    (void) art_capmap_add(map, art_cstr("{\"services\":[{\"id\":\"a\"}]}"),
                          ignore, NULL, &err);
    (void) art_capmap_finish(map);

    json_set_alloc_funcs(failing_malloc, free);

    for (n = 0; n < 1000; n++) {
        alloc_left = n;

        if (art_capmap_add(map, art_cstr("{\"services\":[{\"id\":\"b\","
                                         "\"capabilities\":{\"input\":"
                                         "[\"vision\"]}}]}"),
                           ignore, NULL, &err) == ART_OK)
        {
            break;
        }

        sound += art_capmap_count(map) == 1
                 && art_capmap_find(map, art_cstr("a")) != NULL
                 && err.line == 1 && err.text[0] != '\0';
    }

    json_set_alloc_funcs(malloc, free);

    ok(n > 10 && sound == n && art_capmap_count(map) == 2,
       "%ld allocations of jansson failing in turn", n);

    art_capmap_destroy(map);
}


int
main(void)
{
    check_secrets();             /* first: nothing else has left secrets */
    check_blank();
    check_memory();

    return done();
}
