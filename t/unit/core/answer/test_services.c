
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Queries about services: paths with ids of any form, arguments, pages.
 */


#include <jansson.h>

#include "core/capability/art_capmap.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_services.h"
#include "tap.h"


#define RANDOM_MAPS  200


static const char  map_text[] =
    "{\"services\":["
    "{\"id\":\"full\",\"name\":\"F\\u0001\",\"model\":\"m\",\"description\":"
    "\"\xe5\x85\xa8\",\"capabilityTags\":[\"a\",\"b\"],\"format\":\"route\","
    "\"apiKey\":\"sk-1\",\"baseURL\":\"https://host/\",\"accepts\":"
    "[\"image/png\"],\"capabilities\":{\"input\":[\"text\",\"vision\"],"
    "\"output\":[\"text\",\"a/b\"]}},"
    "{\"id\":\"openai/gpt-4o\"},"
    "{\"id\":\"x:free\",\"capabilities\":{\"input\":[],\"output\":"
    "[\"vision\"]}},"
    "{\"id\":\"odd/capabilities\"},"
    "{\"id\":\"odd/capabilities/vision\"}]}";


static art_capmap_t *
load(const char *text)
{
    art_capmap_t        *map;
    art_capmap_error_t   err;

    map = art_capmap_create();

    if (art_capmap_add(map, art_cstr(text), NULL, NULL, &err) != ART_OK
        || art_capmap_finish(map) != ART_OK)
    {
        diag("the map is refused");
    }

    return map;
}


/* What is printed; the same with and without measuring. */

static const char *
printed(const art_capmap_t *map, const art_services_query_t *query)
{
    art_out_t    out;
    static char  text[65536];

    memset(&out, 0, sizeof(out));
    art_services_print(&out, map, query);

    out.data = (uint8_t *) text;
    out.room = sizeof(text) - 1;
    out.len = 0;
    art_services_print(&out, map, query);

    text[out.len < out.room ? out.len : out.room] = '\0';

    return text;
}


/* What the first service of a map is said to have. */

static int
supported(const art_capmap_t *map, const char *capability,
    art_direction_t direction)
{
    art_services_query_t  query;

    memset(&query, 0, sizeof(query));

    query.what = ART_SERVICES_CAP;
    query.service = art_capmap_get(map, 0);
    query.capability = art_cstr(capability);
    query.direction = direction;

    return strstr(printed(map, &query), "\"supported\":true}") != NULL;
}


/* The same by definition. */

static int
has(const art_service_t *s, art_str_t capability, art_direction_t direction)
{
    int  input, output;

    input = art_capability_has(&s->input, capability);
    output = art_capability_has(&s->output, capability);

    return direction == ART_DIRECTION_INPUT ? input
           : direction == ART_DIRECTION_OUTPUT ? output : input && output;
}


static void
check_paths(const art_capmap_t *map)
{
    int                    rc;
    size_t                 i;
    art_services_query_t   query;

    static const struct {
        const char  *path;
        const char  *answer;
    } cases[] = {
        { "full",
          "{\"id\":\"full\",\"name\":\"F\\u0001\",\"model\":\"m\","
          "\"description\":\"\xe5\x85\xa8\",\"capabilityTags\":[\"a\",\"b\"],"
          "\"format\":\"route\",\"capabilities\":{\"input\":[\"text\","
          "\"vision\"],\"output\":[\"text\",\"a/b\"]}}" },
        { "m/capabilities",
          "{\"input\":[\"text\",\"vision\"],\"output\":[\"text\",\"a/b\"]}" },
        { "full/capabilities/", "{\"input\":[\"text\",\"vision\"],"
                                "\"output\":[\"text\",\"a/b\"]}" },
        { "full/capabilities/vision",
          "{\"service\":\"full\",\"capability\":\"vision\","
          "\"direction\":\"input\",\"supported\":true}" },
        { "full/capabilities/a/b",
          "{\"service\":\"full\",\"capability\":\"a/b\","
          "\"direction\":\"input\",\"supported\":false}" },
        { "openai/gpt-4o",
          "{\"id\":\"openai/gpt-4o\",\"capabilities\":{\"input\":[\"text\"],"
          "\"output\":[\"text\"]}}" },
        { "azure/eu/gpt-4o-2024-08-06:free/capabilities/text",
          "{\"service\":\"openai/gpt-4o\",\"capability\":\"text\","
          "\"direction\":\"input\",\"supported\":true}" },
        { "x:free/capabilities", "{\"input\":[],\"output\":[\"vision\"]}" },
        { "odd/capabilities", "{\"id\":\"odd/capabilities\",\"capabilities\":"
          "{\"input\":[\"text\"],\"output\":[\"text\"]}}" },
        { "odd/capabilities/capabilities/text",
          "{\"service\":\"odd/capabilities\",\"capability\":\"text\","
          "\"direction\":\"input\",\"supported\":true}" },
        { "odd/capabilities/vision",
          "{\"id\":\"odd/capabilities/vision\",\"capabilities\":{\"input\":"
          "[\"text\"],\"output\":[\"text\"]}}" },
        { "/capabilities/text", NULL },
        { "nobody/capabilities/text", NULL },
        { "nobody", NULL },
        { "fullcapabilities", NULL },
        { "full/capabilitiesx", NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rc = art_services_locate(map, art_cstr(cases[i].path), &query);

        if (cases[i].answer == NULL) {
            ok(rc == ART_ERROR, "not found: %s", cases[i].path);
            continue;
        }

        is_str(rc == ART_OK ? printed(map, &query) : "", cases[i].answer,
               cases[i].path);
    }

    rc = art_services_locate(map, art_cstr("nobody/y/capabilities/text"),
                             &query);
    ok(rc == ART_ERROR && art_str_eq(query.id, art_cstr("nobody/y")),
       "the id that was not found is told");

    ok(art_services_locate(NULL, art_cstr("a"), &query) == ART_ERROR
       && art_services_locate(NULL, art_cstr("a/capabilities"), &query)
          == ART_ERROR, "no map: nothing is found");
    ok(art_services_locate(NULL, art_cstr(""), &query) == ART_OK, "a list");
    is_str(printed(NULL, &query), "{\"services\":[],\"count\":0}",
           "of nothing");
}


static void
check_arguments(const art_capmap_t *map)
{
    art_direction_t  direction;

    ok(art_services_direction(art_cstr("both"), &direction) == ART_OK
       && direction == ART_DIRECTION_BOTH
       && art_services_direction(art_cstr("Input"), &direction) == ART_ERROR
       && art_services_direction(art_cstr(""), &direction) == ART_ERROR,
       "directions");
    ok(supported(map, "vision", ART_DIRECTION_INPUT)
       && !supported(map, "vision", ART_DIRECTION_OUTPUT)
       && !supported(map, "vision", ART_DIRECTION_BOTH)
       && supported(map, "a/b", ART_DIRECTION_OUTPUT)
       && supported(map, "text", ART_DIRECTION_BOTH),
       "capabilities of a service");
}


static art_capmap_t *
random_map(unsigned n)
{
    char           id[32], *text;
    json_t        *services;
    unsigned       i;
    art_capmap_t  *map;

    static const char *const  all[] = { "text", "vision", "audio", "smell" };

    services = json_array();

    for (i = 0; i < n; i++) {
        snprintf(id, sizeof(id), "service/%u:x", i);
        json_array_append_new(services, json_pack("{s:s,s:{s:[s,s],s:[s]}}",
                              "id", id, "capabilities", "input",
                              all[tap_below(4)], all[tap_below(4)], "output",
                              all[tap_below(4)]));
    }

    services = json_pack("{s:o}", "services", services);
    text = json_dumps(services, 0);
    map = load(text);

    free(text);
    json_decref(services);

    return map;
}


/*
 * Property 7 of the capability design, page by page: the pages of a list are
 * exactly the services that have the capability, in order.
 */

static void
check_random(void)
{
    int                    same, counted;
    size_t                 round;
    json_t                *answer, *services;
    unsigned               i, k, n;
    const char            *next;
    art_capmap_t          *map;
    const art_service_t   *s;
    art_services_query_t   query;

    static const char *const  asked[] = { "", "text", "vision", "smell",
                                          "nothing" };

    same = counted = 1;

    for (round = 0; round < RANDOM_MAPS; round++) {
        map = random_map((unsigned) tap_below(40));
        (void) art_services_locate(map, art_cstr(""), &query);
        query.capability = art_cstr(asked[tap_below(5)]);
        query.direction = (art_direction_t) tap_below(3);
        query.limit = 1 + tap_below(12);
        n = 0;

        do {
            answer = json_loads(printed(map, &query), 0, NULL);
            services = json_object_get(answer, "services");
            counted &= json_integer_value(json_object_get(answer, "count"))
                       == (json_int_t) json_array_size(services)
                       && json_array_size(services) <= query.limit;

            for (i = 0; i < json_array_size(services); i++) {

                for ( /* void */ ; (s = art_capmap_get(map, n)) != NULL; n++) {
                    if (query.capability.len == 0
                        || has(s, query.capability, query.direction))
                    {
                        break;
                    }
                }

                same &= s != NULL
                        && art_str_eq(s->id, art_cstr(json_string_value(
                             json_object_get(json_array_get(services, i),
                                             "id"))));
                n++;
            }

            next = json_string_value(json_object_get(answer, "next"));

            if (next != NULL) {
                k = art_services_after(map, art_cstr(next));
                same &= k > query.first && k <= art_capmap_count(map);
                query.first = k;
            }

            k = next != NULL;
            json_decref(answer);

        } while (k && same);

        for ( /* void */ ; (s = art_capmap_get(map, n)) != NULL; n++) {
            same &= query.capability.len > 0
                    && !has(s, query.capability, query.direction);
        }

        art_capmap_destroy(map);
    }

    ok(same, "property 7: pages are the services that have it, in order");
    ok(counted, "and count what they hold");
}


/* A page of large entries ends before its limit. */

static void
check_large(void)
{
    char                  *big, *text;
    json_t                *services;
    unsigned               i;
    art_out_t              out;
    art_capmap_t          *map;
    art_services_query_t   query;

    big = malloc(60001);
    memset(big, '\x01', 60000);
    big[60000] = '\0';

    services = json_array();

    for (i = 0; i < 100; i++) {
        text = malloc(8);
        snprintf(text, 8, "s%u", i);
        json_array_append_new(services, json_pack("{s:s,s:s}", "id", text,
                                                  "description", big));
        free(text);
    }

    services = json_pack("{s:o}", "services", services);
    text = json_dumps(services, 0);
    map = load(text);

    (void) art_services_locate(map, art_cstr(""), &query);
    query.limit = ART_PAGE_LIMIT_MAX;

    memset(&out, 0, sizeof(out));
    art_services_print(&out, map, &query);
    ok(out.len > ART_SERVICES_PAGE
       && out.len < ART_SERVICES_PAGE + 6 * 65536 + 1024,
       "a page of large entries has %zu bytes", out.len);

    art_capmap_destroy(map);
    json_decref(services);
    free(text);
    free(big);
}


int
main(void)
{
    art_capmap_t  *map;

    map = load(map_text);

    check_paths(map);
    check_arguments(map);
    check_random();
    check_large();

    art_capmap_destroy(map);

    return done();
}
