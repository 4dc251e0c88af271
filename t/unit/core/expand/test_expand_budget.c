
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests that are larger than the API takes: what is left out, and that the
 * cut stays for many turns.
 */


#include "expand_run.h"


#define TURNS  40
#define MEDIA  1000              /* bytes of base64 in each turn */

/* A whole PNG, which anything may follow. */

#define PNG64  "iVBORw0KGgoAAAAASUVORK5CYIIA"


static char     body[TURNS * (MEDIA + 400)];
static uint8_t  out[sizeof(body)];


/* A history that has had so many turns, each with an image. */

static size_t
history(unsigned turns)
{
    size_t    len;
    unsigned  i;

    len = (size_t) sprintf(body, "{\"messages\":[");

    for (i = 0; i < turns; i++) {
        len += (size_t) sprintf(body + len, "%s{\"role\":\"user\",\"content\":"
                                "[{\"type\":\"image_url\",\"image_url\":"
                                "{\"url\":\"data:image/png;base64," PNG64,
                                i ? "," : "");
        memset(body + len, 'A', MEDIA - sizeof(PNG64) + 1);
        len += MEDIA - sizeof(PNG64) + 1;
        len += (size_t) sprintf(body + len, "\"}}]},{\"role\":\"assistant\","
                                "\"content\":\"turn %u\"}", i);
    }

    return len + (size_t) sprintf(body + len, ",{\"role\":\"user\","
                                  "\"content\":\"?\"}]}");
}


static unsigned
dropped(void)
{
    uint32_t  i;
    unsigned  n;

    n = 0;

    for (i = 0; i < scan.nslots; i++) {
        n += plan_of.edits[i].dropped;
    }

    return n;
}


/* The result of a body with a limit; "out" has what goes out. */

static art_budget_t
limited(const char *reader, size_t len, uint64_t limit)
{
    art_budget_t          rc;
    art_message_reader_t  who;

    who = reader_of(reader);

    if (scan_body("openai", body, len, 4000, 64) != ART_SCAN_OK
        || plan_body(&who) != ART_OK)
    {
        return ART_BUDGET_NO_MEMORY;
    }

    rc = art_edit_budget(&plan_of, limit);

    splice_body((const uint8_t *) body, out);

    return rc;
}


/* Each turn the request fits, and the cut moves in large steps only. */

static void
check_history(const char *reader)
{
    size_t          len, limit;
    unsigned        turn, cut, before, moves, failed;
    json_error_t    error;
    json_t         *json;

    limit = 16000;
    before = 0;
    moves = 0;
    failed = 0;

    for (turn = 1; turn <= TURNS; turn++) {
        len = history(turn);

        failed |= limited(reader, len, limit) != ART_BUDGET_OK
                  || art_edit_total(&plan_of) > limit;

        json = json_loads((char *) out, JSON_REJECT_DUPLICATES, &error);
        failed |= json == NULL;
        json_decref(json);

        cut = dropped();
        failed |= cut < before;
        moves += cut != before;

        if (cut != before) {
            diag("turn %u: %u of its images are described", turn, cut);
        }

        before = cut;
        pool_free();
    }

    ok(!failed, "any turn fits, %s", reader);
    ok(moves >= 2 && moves < 10, "the cut moved %u times in %u turns", moves,
       TURNS);
}


static void
check_steps(void)
{
    size_t  len;

    len = history(10);

    is_int(limited("unknown", len, len), ART_BUDGET_OK, "as large as may be");
    is_int(dropped(), 0, "nothing is left out");
    pool_free();

    is_int(limited("unknown", len, 0), ART_BUDGET_OK, "no limit");
    is_int(dropped(), 0, "nothing is left out then");
    pool_free();

    /* one byte too much: half of the limit goes */

    is_int(limited("unknown", len, len - 1), ART_BUDGET_OK, "a byte too much");
    ok(dropped() > 5 && dropped() < 10, "%u of 10 images are left out",
       dropped());
    ok(plan_of.edits[0].dropped && !plan_of.edits[9].dropped,
       "the oldest of them");
    ok(strstr((char *) out, "[Unreadable] Image\\nType: PNG image\\nSize: "
              "750 B\\nThe file is larger") != NULL, "they are described");
    pool_free();
}


/* What the last message has is never left out. */

static void
check_last(void)
{
    size_t  len;

    len = (size_t) sprintf(body, "{\"messages\":[{\"role\":\"tool\","
        "\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
        "\"data:image/png;base64," PNG64 "%0972d\"}}]},"
        "{\"role\":\"tool\",\"content\":"
        "[{\"type\":\"image_url\",\"image_url\":{\"url\":"
        "\"data:image/png;base64," PNG64 "%0972d\"}}]}]}", 0, 0);

    is_int(limited("unknown", len, 1500), ART_BUDGET_TOO_LARGE,
           "the last message is too large");
    is_int(dropped(), 0, "it is left alone");
    pool_free();

    /* parts of artifacts, which would have been hoisted */

    len = (size_t) sprintf(body, "{\"messages\":[{\"role\":\"tool\","
        "\"content\":\"artifact:img\"},{\"role\":\"user\",\"content\":"
        "\"?\"}],\"x\":\"%01000d\"}", 0);

    scan_body("openai", body, len, 0, 64);
    plan_body(&(art_message_reader_t) { .known = 1, .caps = ALL_CAPS,
                                        .lang = ART_LANG_EN });
    art_plan_length(&plan_of, 0, 5000);

    is_int(art_edit_budget(&plan_of, 2000), ART_BUDGET_OK, "an artifact");
    ok(plan_of.edits[0].dropped && plan_of.edits[0].format == NULL,
       "is described");
    splice_body((const uint8_t *) body, out);
    ok(strstr((char *) out, "\"content\":\"[Unreadable] shot.png "
              "(artifact:img)\\n") != NULL
       && strstr((char *) out, "\"content\":[") == NULL,
       "in its place, nothing is hoisted");
    pool_free();
}


static void
check_limits(void)
{
    const art_api_t  *api;

    api = art_api_find(art_cstr("anthropic"));
    is_int((long long) art_edit_limit(api, 64 << 20), 32 << 20,
           "32 MB for Anthropic");
    is_int((long long) art_edit_limit(api, 1 << 20), 1 << 20,
           "less if less is taken in");
    is_int((long long) art_edit_limit(api, 0), 32 << 20, "or all");

    api = art_api_find(art_cstr("mistral"));
    is_int((long long) art_edit_limit(api, 64 << 20), 64 << 20,
           "Mistral tells none");
}


int
main(void)
{
    check_history("sees");
    check_history("unknown");
    check_steps();
    check_last();
    check_limits();

    return done();
}
