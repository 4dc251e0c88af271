
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * References in the arguments of tools: what they become, wherever a body is
 * cut, and what is known of a call for its error.
 */


#include "core/expand/art_expand_error.h"
#include "core/json/art_json_scan.h"
#include "core/expand/expand_run.h"


#define CALL(arguments)                                                       \
    "{'method':'tools/call','params':{'arguments':" arguments "},'id':7}"

#define PNG       "UE5HREFUQQ=="
#define PNG_URL   "data:image/png;base64," PNG
#define TXT_URL   "data:text/plain;base64,YSAidGV4dCIK"


static const struct {
    art_argument_t   argument;
    const char      *body;
    const char      *want;               /* NULL: the body as it is */
} vectors[] = {
    { ART_ARGUMENT_DATA, CALL("{'x':'artifact:img'}"),
      CALL("{'x':'" PNG_URL "'}") },
    { ART_ARGUMENT_DATA, CALL("{'x':['artifact:txt',{'y':'artifact:nil'}]}"),
      CALL("{'x':['" TXT_URL "',{'y':'data:text/plain;base64,'}]}") },
    { ART_ARGUMENT_DATA, CALL("{'x':'[artifact:" IMG_ID "]'}"),
      CALL("{'x':'" PNG_URL "'}") },
    { ART_ARGUMENT_DATA, CALL("['\\u005bartifact:img\\u005d']"),
      CALL("['" PNG_URL "']") },
    { ART_ARGUMENT_BASE64, CALL("{'x':'artifact\\u003aimg','y':[[1,'" IMG_ID
                                "']]}"),
      CALL("{'x':'" PNG "','y':[[1,'" IMG_ID "']]}") },
    { ART_ARGUMENT_BASE64, CALL("{'x':'https://h/a/img?q','y':'https:\\/\\/h/a"
                                "/artifact:img'}"),
      CALL("{'x':'" PNG "','y':'" PNG "'}") },
    { ART_ARGUMENT_URL, CALL("{'x':'artifact:img','y':'https://h/a/img'}"),
      CALL("{'x':'https://h/a/img','y':'https://h/a/img'}") },
    { ART_ARGUMENT_DATA, "{'params':{'arguments':{'x':'artifact:img'}},"
                         "'method':'tools\\/call'}",
      "{'params':{'arguments':{'x':'" PNG_URL "'}},"
      "'method':'tools\\/call'}" },

    { ART_ARGUMENT_DATA, CALL("{'artifact:img':'see artifact:img'}"), NULL },
    { ART_ARGUMENT_DATA, CALL("{'x':'[artifact:img'}"), NULL },
    { ART_ARGUMENT_DATA, CALL("{'x':'[artifact:img][artifact:img]'}"), NULL },
    { ART_ARGUMENT_DATA, CALL("{'x':'[artifact:]','y':'artifact:'}"), NULL },
    { ART_ARGUMENT_DATA, CALL("'artifact:img'"), NULL },
    { ART_ARGUMENT_DATA, CALL("{'x':'artifact:none'}"), NULL },
    { ART_ARGUMENT_DATA, "{'method':'tools/list','params':{'arguments':"
                         "{'x':'artifact:img'}}}", NULL },
    { ART_ARGUMENT_DATA, "{'method':'tools/call','arguments':"
                         "{'x':'artifact:img'}}", NULL },
    { ART_ARGUMENT_DATA, "[" CALL("{'x':'artifact:img'}") "]", NULL }
};


/* Ids, as they stand in the call; NULL: none that an answer can repeat. */

static const struct {
    const char      *body;
    const char      *id;
} ids[] = {
    { "{'id':1,'method':'tools/call'}", "1" },
    { "{'method':'tools/call','id': -1.5e3 }", "-1.5e3" },
    { "{'id':'a\\u00e9'}", "'a\\u00e9'" },
    { "{'id':''}", "''" },
    { "{'id':1,'id':2}", "2" },
    { "{'id':1,'params':{'id':2},'x':[{'id':3}]}", "1" },
    { "{'id':null}", NULL },
    { "{'id':true}", NULL },
    { "{'id':1,'id':false}", NULL },
    { "{'id':{'id':1}}", NULL },
    { "{'id':[1]}", NULL },
    { "{}", NULL },
    { "[{'id':1}]", NULL }
};


static void
check_vectors(void)
{
    char                  *body, *want;
    long                   len;
    size_t                 i, k, n;
    unsigned               wrong;
    art_message_reader_t   who;

    who = reader_of("text");

    for (i = 0; i < nitems(vectors); i++) {
        body = quoted(vectors[i].body);
        want = quoted(vectors[i].want ? vectors[i].want : vectors[i].body);
        n = strlen(body);
        wrong = 0;
        scan_argument = vectors[i].argument;

        for (k = 1; k <= n; k++) {
            len = scan_body("mcp", body, n, k, 64) == ART_SCAN_OK
                  && plan_body(&who) == ART_OK
                  ? splice_body((uint8_t *) body, composed) : -1;
            pool_free();

            wrong += len != (long) strlen(want)
                     || memcmp(want, composed, strlen(want)) != 0;
        }

        ok(wrong == 0, "cut anywhere: %s", vectors[i].body);

        free(body);
        free(want);
    }
}


static void
check_ids(void)
{
    char      *body, *id;
    size_t     i, k, len;
    unsigned   wrong;

    scan_argument = ART_ARGUMENT_DATA;

    for (i = 0; i < nitems(ids); i++) {
        body = quoted(ids[i].body);
        id = quoted(ids[i].id ? ids[i].id : "");
        wrong = 0;

        for (k = 1; k <= strlen(body); k++) {
            (void) scan_body("mcp", body, strlen(body), k, 64);
            pool_free();

            len = (size_t) (scan.call_id.end - scan.call_id.pos);
            wrong += ids[i].id == NULL
                     ? scan.call_id.end != 0
                     : len != strlen(id)
                       || memcmp(body + scan.call_id.pos, id, len) != 0;
        }

        ok(wrong == 0, "the id of %s", ids[i].body);

        free(body);
        free(id);
    }
}


static void
check_refusals(void)
{
    char                  *body;
    size_t                 n;
    unsigned               good;
    art_message_reader_t   who;

    scan_argument = ART_ARGUMENT_BASE64;
    who = reader_of("sees");
    who.inline_max = 6;

    body = quoted(CALL("['artifact:img','artifact:none','artifact:../x',"
                       "'artifact:mp3']"));
    good = scan_body("mcp", body, strlen(body), 0, 64) == ART_SCAN_OK
           && plan_body(&who) == ART_OK;

    ok(good && scan.nslots == 4 && scan.nrefs == 4 && scan.occurrences == 4,
       "four references");
    ok(plan_of.edits[0].becomes == ART_BECOMES_ITSELF
       && plan_of.edits[0].reason == ART_REASON_SIZE, "one is too large");
    ok(plan_of.edits[1].becomes == ART_BECOMES_ITSELF
       && plan_of.edits[1].missing, "one is missing");
    ok(plan_of.edits[2].becomes == ART_BECOMES_ITSELF
       && plan_of.edits[2].missing && art_scan_slot(&scan, 2)->malformed,
       "one is malformed");
    ok(plan_of.edits[3].becomes == ART_BECOMES_PART, "one is taken");
    pool_free();

    ok(scan_body("mcp", body, strlen(body), 0, 3) == ART_SCAN_TOO_MANY
       && scan.nslots == 0 && scan.call_id.end > 0,
       "four are too many, and the id behind them is known");
    pool_free();

    for (n = 0, good = 1; n < 1000; n++) {
        pool_left = n;

        if (scan_body("mcp", body, strlen(body), 0, 64) == ART_SCAN_OK) {
            break;
        }

        good &= scan.status == ART_SCAN_NO_MEMORY;
        pool_free();
    }

    pool_left = SIZE_MAX;
    pool_free();

    ok(good && n > 0 && n < 1000, "out of memory");
    free(body);
}


static void
check_errors(void)
{
    unsigned   i;
    art_out_t  out;
    uint8_t    room[1024];

    static const char  want[] =
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"the "
        "artifact does not exist or has been deleted: artifact:x\",\"data\":"
        "{\"uri\":\"artifact:x\"}}}";

    for (i = 0; i < ART_MESSAGE_ERR_MAX; i++) {
        out = art_out(room, sizeof(room));
        art_message_error_call(&out, (art_message_error_t) i,
                               art_cstr("a\"\xff"), art_cstr("\"i\""),
                               ART_LANG_ZH);
        ok(out.len < sizeof(room) && art_json_valid(room, out.len),
           "error %u is JSON", i);
    }

    out = art_out(room, sizeof(room));
    art_message_error_call(&out, ART_MESSAGE_ERR_MISSING, art_cstr("x"),
                           art_str(NULL, 0), ART_LANG_EN);
    is_mem(room, out.len, want, sizeof(want) - 1, "without an id");
}


int
main(void)
{
    check_vectors();
    check_ids();
    check_refusals();
    check_errors();

    return done();
}
