
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Records of requests: whatever is written into one fits, and is read back.
 */


#include "core/answer/art_recent.h"
#include "tap.h"


static uint8_t  text[65536];


static const char *
printed(const art_recent_t *recent)
{
    art_out_t  out;

    out = art_out(text, sizeof(text) - 1);
    art_recent_print(&out, &recent, 1, 0);
    text[out.len < sizeof(text) ? out.len : 0] = '\0';

    return (const char *) text;
}


static void
check_empty(void)
{
    art_recent_t        recent;
    art_recent_query_t  query;

    is_int(sizeof(art_recent_t), ART_RECENT_BYTES, "a record has 1024 bytes");

    art_recent_init(&recent);
    recent.number = 7;

    is_str(printed(&recent), "{\"requests\":[{\"number\":7,\"time\":"
           "\"1970-01-01T00:00:00.000Z\",\"seconds\":0.000,\"status\":0,"
           "\"handler\":\"artifact\",\"connection\":0,\"refs\":[]}],"
           "\"kept\":1000}", "nothing is known");

    art_recent_query_init(&query);
    is_int(art_recent_matches(&query, &recent), 1, "nothing is asked for");

    art_recent_query_set(&query, ART_RECENT_BY_REF, art_cstr("x"));
    is_int(art_recent_matches(&query, &recent), 0, "it has no reference");
}


static void
check_entries(void)
{
    art_recent_t        recent;
    art_recent_query_t  query;

    art_recent_init(&recent);
    art_recent_set(&recent, ART_RECENT_MODEL, art_cstr("Gpt"));
    art_recent_add(&recent, ART_BECAME_DEGRADED, ART_KIND_IMAGE,
                   art_cstr("a"), "type");
    art_recent_add(&recent, ART_BECAME_DEGRADED, ART_KIND_IMAGE,
                   art_cstr("a"), "type");
    art_recent_add(&recent, ART_BECAME_KEPT, ART_KIND_AUDIO,
                   art_str(NULL, 0), NULL);
    art_recent_add(&recent, ART_BECAME_REFUSED, ART_KIND_OTHER,
                   art_str(NULL, 0), "code");

    is_str(strstr(printed(&recent), "\"refs\""), "\"refs\":["
           "{\"ref\":\"artifact:a\",\"became\":\"degraded\","
           "\"reason\":\"type\"},{\"kind\":\"audio\",\"became\":\"kept\"},"
           "{\"became\":\"refused\",\"reason\":\"code\"}]}],\"kept\":1000}",
           "once each");

    art_recent_query_init(&query);
    art_recent_query_set(&query, ART_RECENT_BY_MODEL, art_cstr("gP"));
    art_recent_query_set(&query, ART_RECENT_BY_REF, art_cstr("artifact:a"));
    art_recent_query_set(&query, ART_RECENT_BY_REASON, art_cstr("type"));
    is_int(art_recent_matches(&query, &recent), 1, "found by all");

    art_recent_query_set(&query, ART_RECENT_BY_REASON, art_cstr("kept"));
    is_int(art_recent_matches(&query, &recent), 0, "of another one");

    art_recent_query_set(&query, ART_RECENT_BY_REF, art_cstr(""));
    is_int(art_recent_matches(&query, &recent), 1, "which is there");
}


/* The longest texts, and entries until there is no room, of any bytes. */

static void
check_full(void)
{
    int           bad;
    size_t        len;
    uint8_t       id[400], name[400];
    unsigned      i, k, n, added;
    const char   *p;
    art_recent_t  recent;

    bad = 0;

    for (i = 0; i < 2000 && bad == 0; i++) {
        art_recent_init(&recent);

        for (k = 0; k < ART_RECENT_TEXTS; k++) {
            len = tap_below(2) ? sizeof(name) : tap_below(sizeof(name));
            memset(name, tap_below(2) ? 0xe5 : 'n', len);
            art_recent_set(&recent, (art_recent_text_t) k,
                           art_str(name, len));
        }

        added = (unsigned) (1 + tap_below(60));

        for (k = 0; k < added; k++) {
            len = 4 + tap_below(tap_below(2) ? 30 : sizeof(id) - 4);
            memset(id, 'a' + (int) (k % 26), len);
            id[0] = (uint8_t) ('A' + k);
            art_recent_add(&recent, ART_BECAME_MISSING, ART_KIND_OTHER,
                           art_str(id, len), NULL);
        }

        n = recent.more;

        for (p = printed(&recent); (p = strstr(p, "\"ref\"")) != NULL; p++) {
            n++;
        }

        bad += n != added || recent.len > sizeof(recent.data)
               || art_recent_size(&recent) > ART_RECENT_BYTES
               || recent.len < (recent.more ? sizeof(recent.data) - 200 : 0);
    }

    is_int(bad, 0, "what does not fit is counted");
}


int
main(void)
{
    check_empty();
    check_entries();
    check_full();

    return done();
}
