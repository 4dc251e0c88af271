
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Counters: their places, and both forms of what they come to.
 */


#include <jansson.h>
#include <stdlib.h>

#include "core/format/art_route.h"
#include "core/media/art_classify.h"
#include "core/api/art_api.h"
#include "core/answer/art_counters.h"
#include "core/mcp/art_mcp_request.h"
#include "core/attachment/art_attachment.h"
#include "tap.h"


static art_counters_t  counters;


static char *
printed(void (*print)(art_out_t *, const art_counters_t *, const uint64_t *),
    const uint64_t *values)
{
    char       *text;
    art_out_t   out;

    out = art_out(NULL, 0);
    print(&out, &counters, values);

    text = malloc(out.len + 1);
    if (text == NULL) {
        abort();
    }

    out = art_out(text, out.len);
    print(&out, &counters, values);
    text[out.len] = '\0';

    return text;
}


/* Every combination of values has a place of its own, and no other is left. */

static void
test_places(void)
{
    unsigned   f, i, place, bad, at[ART_COUNT_LABELS];
    uint64_t  *seen;

    seen = calloc(counters.n, sizeof(uint64_t));
    if (seen == NULL) {
        abort();
    }

    bad = 0;

    for (f = 0; f < ART_COUNT_MAX; f++) {
        memset(at, 0, sizeof(at));

        do {
            place = art_counters_index(&counters, (art_count_t) f, at);
            bad += place >= counters.n || seen[place]++ > 0;

            for (i = 0; i < ART_COUNT_LABELS; i++) {
                if (++at[i] < counters.values[f][i]) {
                    break;
                }

                at[i] = 0;
            }
        } while (i < ART_COUNT_LABELS);
    }

    for (place = 0; place < counters.n; place++) {
        bad += seen[place] != 1;
    }

    ok(bad == 0, "places: each combination has one, each is one's");
    ok(counters.n < 4096, "places: they are few");

    at[0] = ART_COUNT_BY_FILES + 1;
    at[1] = 0;
    ok(art_counters_index(&counters, ART_COUNT_REQUESTS, at) == counters.n
       && art_counters_index(&counters, ART_COUNT_REQUESTS + 1, at)
          == counters.n,
       "places: none for a value that is not there");

    free(seen);
}


static int
has_values(art_count_t family, unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned  *values;

    values = counters.values[family];

    return values[0] == a && values[1] == b && values[2] == c && values[3] == d;
}


/* The enums here and the words of the table are in the same order. */

static void
test_values(void)
{
    unsigned  formats, apis;

    for (formats = 0; art_format_row(formats) != NULL; formats++) {
        /* void */
    }

    for (apis = 0; art_api_request_row(apis) != NULL; apis++) {
        /* void */
    }

    ok(counters.values[ART_COUNT_REQUESTS][0] == ART_COUNT_BY_FILES + 1,
       "values: handlers");
    ok(has_values(ART_COUNT_ROUTED, formats, ART_KIND_MAX,
                  ART_ROUTING_FILE + 1, ART_REASON_CONVERSION + 1),
       "values: routed");
    ok(has_values(ART_COUNT_PARTS, apis, ART_KIND_MAX,
                  ART_COUNT_PART_EXPIRED + 1, 0), "values: parts");
    ok(has_values(ART_COUNT_DERIVED, ART_KIND_MAX, ART_COUNT_NOT_DERIVED + 1,
                  0, 0), "values: derived");
    ok(has_values(ART_COUNT_MCP, ART_MCP_METHODS, ART_COUNT_MCP_ERROR + 1,
                  0, 0), "values: messages of MCP");
    ok(has_values(ART_COUNT_FILES, ART_COUNT_FILES_OTHER + 1,
                  ART_COUNT_FILES_FAILED + 1, 0, 0), "values: files");
    ok(has_values(ART_COUNT_WRITES, ART_COUNT_POST + 1, ART_COUNT_FAILED + 1,
                  0, 0), "values: writes");
    ok(has_values(ART_COUNT_TYPES, ART_FROM_CONTENT + 1, 0, 0, 0)
       && has_values(ART_COUNT_FOLDS, ART_COUNT_NOT_FOLDED + 1, 0, 0, 0)
       && has_values(ART_COUNT_LOOKUPS, ART_COUNT_MISS + 1, 0, 0, 0)
       && has_values(ART_COUNT_OFFLOADED, ART_COUNT_OFFLOADED_TEXT + 1,
                     ART_COUNT_NOT_STORED + 1, 0, 0)
       && has_values(ART_COUNT_UNKNOWN, ART_COUNT_BY_FILES + 1, 0, 0, 0)
       && has_values(ART_COUNT_FIRST_BYTE, ART_COUNT_BY_FILES + 1,
                     ART_COUNT_SUM + 1, 0, 0)
       && has_values(ART_COUNT_SOURCE_WAIT, ART_COUNT_BY_FILES + 1,
                     ART_COUNT_SUM + 1, 0, 0)
       && has_values(ART_COUNT_ATTACHMENTS, ART_ATTACHED_EXPIRED + 1, 0, 0, 0),
       "values: types, folds, lookups, offloaded, attachments");
}


static void
test_status(void)
{
    unsigned  other;

    other = counters.values[ART_COUNT_REQUESTS][1] - 1;

    ok(art_count_status(200) == 0 && art_count_status(404) < other,
       "status: the known ones");
    ok(art_count_status(0) == other && art_count_status(299) == other
       && art_count_status(999) == other, "status: any other");
}


/* All is told: nothing is left out but zeros of the large families. */

static void
test_text(void)
{
    char      *text;
    unsigned   at[ART_COUNT_LABELS];
    uint64_t  *values;

    values = calloc(counters.n, sizeof(uint64_t));
    if (values == NULL) {
        abort();
    }

    at[0] = ART_COUNT_BY_WORKSPACE;
    at[1] = art_count_status(404);
    values[art_counters_index(&counters, ART_COUNT_REQUESTS, at)] = 7;

    at[0] = 0;
    at[1] = ART_KIND_IMAGE;
    at[2] = ART_ROUTING_TEXT;
    at[3] = ART_REASON_CAPABILITY;
    values[art_counters_index(&counters, ART_COUNT_ROUTED, at)] = UINT64_MAX;

    values[art_counters_index(&counters, ART_COUNT_OPEN, NULL)] = 3;

    text = printed(art_counters_text, values);

    ok(strncmp(text, "# HELP artifact_requests_total Requests by what answered "
                     "them and status.\n"
                     "# TYPE artifact_requests_total counter\n"
                     "artifact_requests_total{handler=\"workspace\","
                     "status=\"404\"} 7\n"
                     "# HELP artifact_sent_bytes_total ", 150) == 0,
       "text: a counter, without zeros around it");
    ok(strstr(text, "\nartifact_routed_total{format=\"route\",kind=\"image\","
                    "routing=\"text\",reason=\"capability\"} "
                    "18446744073709551615\n") != NULL,
       "text: four labels, the largest number");
    ok(strstr(text, "# TYPE artifact_open_files gauge\nartifact_open_files 3\n")
       != NULL, "text: a gauge without labels");
    ok(strstr(text, "\nartifact_writes_total{operation=\"put\","
                    "outcome=\"failed\"} 0\n") != NULL,
       "text: zeros of a small family");

    free(text);
    free(values);
}


/* Times: cumulative for Prometheus, and their sum. */

static void
test_times(void)
{
    char          *text;
    json_t        *json, *sample;
    size_t         i;
    unsigned       at[2];
    uint64_t      *values;

    static const struct {
        uint64_t  time;
        unsigned  bound;
    } cases[] = {
        { 0, 0 }, { 1, 0 }, { 2, 1 }, { 5, 1 }, { 6, 2 }, { 1000, 8 },
        { 1001, 9 }, { 60000, 13 }, { 60001, 14 }, { UINT64_MAX, 14 }
    };

    for (i = 0; i < nitems(cases); i++) {
        is_int((long long) art_count_bound(cases[i].time),
               (long long) cases[i].bound, "a time and its bound");
    }

    values = calloc(counters.n, sizeof(uint64_t));
    if (values == NULL) {
        abort();
    }

    at[0] = ART_COUNT_BY_API;
    at[1] = art_count_bound(3);
    values[art_counters_index(&counters, ART_COUNT_FIRST_BYTE, at)] = 2;
    at[1] = art_count_bound(70000);
    values[art_counters_index(&counters, ART_COUNT_FIRST_BYTE, at)] = 1;
    at[1] = ART_COUNT_SUM;
    values[art_counters_index(&counters, ART_COUNT_FIRST_BYTE, at)] = 70006;

    text = printed(art_counters_text, values);

    ok(strstr(text, "# TYPE artifact_first_byte_seconds histogram\n"
              "artifact_first_byte_seconds_bucket{handler=\"api\","
              "le=\"0.001\"} 0\n"
              "artifact_first_byte_seconds_bucket{handler=\"api\","
              "le=\"0.005\"} 2\n"
              "artifact_first_byte_seconds_bucket{handler=\"api\","
              "le=\"0.01\"} 2\n") != NULL, "text: a histogram");
    ok(strstr(text, "le=\"60\"} 2\n"
              "artifact_first_byte_seconds_bucket{handler=\"api\","
              "le=\"+Inf\"} 3\n"
              "artifact_first_byte_seconds_sum{handler=\"api\"} 70.006\n"
              "artifact_first_byte_seconds_count{handler=\"api\"} 3\n"
              "# HELP artifact_source_wait_seconds ") != NULL,
       "text: its end, and no other handler's");
    free(text);

    text = printed(art_counters_json, values);
    json = json_loads(text, 0, NULL);
    sample = json_object_get(json_object_get(json,
                                             "artifact_first_byte_seconds"),
                             "samples");
    free(text);
    text = json_dumps(sample, JSON_COMPACT);
    is_str(text, "[{\"labels\":{\"handler\":\"api\"},\"value\":3,"
           "\"sum\":70.006,\"buckets\":{\"0.001\":0,\"0.005\":2,\"0.01\":2,"
           "\"0.025\":2,\"0.05\":2,\"0.1\":2,\"0.25\":2,\"0.5\":2,\"1\":2,"
           "\"2.5\":2,\"5\":2,\"10\":2,\"30\":2,\"60\":2,\"+Inf\":3}}]",
           "json: a histogram");

    json_decref(json);
    free(text);
    free(values);
}


static void
test_json(void)
{
    char          *text;
    json_t        *json, *family, *sample;
    unsigned       i, n, at[ART_COUNT_LABELS];
    uint64_t      *values;
    const char    *key, *value;

    values = calloc(counters.n, sizeof(uint64_t));
    if (values == NULL) {
        abort();
    }

    for (i = 0; i < counters.n; i++) {
        values[i] = i + 1;
    }

    text = printed(art_counters_json, values);
    json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    ok(json_object_size(json) == ART_COUNT_MAX, "json: all families");

    i = 0;

    json_object_foreach(json, key, family) {
        n = (unsigned) json_array_size(json_object_get(family, "samples"));
        i += strstr(key, "_seconds") ? n * (ART_COUNT_SUM + 1) : n;
    }

    ok(i == counters.n, "json: all counters");

    at[0] = ART_COUNT_POST;
    at[1] = ART_COUNT_INCOMPLETE;

    family = json_object_get(json, "artifact_writes_total");
    sample = json_array_get(json_object_get(family, "samples"),
                            ART_COUNT_POST * (ART_COUNT_FAILED + 1)
                            + ART_COUNT_INCOMPLETE);

    is_str(json_string_value(json_object_get(family, "type")), "counter",
           "json: its type");

    value = json_string_value(json_object_get(json_object_get(sample, "labels"),
                                              "outcome"));

    ok(value != NULL && strcmp(value, "incomplete") == 0
       && (uint64_t) json_integer_value(json_object_get(sample, "value"))
          == art_counters_index(&counters, ART_COUNT_WRITES, at) + 1U,
       "json: labels and value of a place");

    json_decref(json);
    free(text);
    free(values);
}


int
main(void)
{
    art_counters_init(&counters);

    test_places();
    test_values();
    test_status();
    test_text();
    test_times();
    test_json();

    return done();
}
