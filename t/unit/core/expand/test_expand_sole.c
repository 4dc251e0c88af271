
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Histories that are kept, and pictures that are edited: where a reference has
 * to become a picture, since no words can take its place.
 */


#include "expand_run.h"


#define IMG   "data:image/png;base64,UE5HREFUQQ=="
#define MASK(mask)                                                            \
    "{'model':'m','tools':[{'type':'function','name':'f','parameters':{}},"   \
    "{'input_image_mask':{" mask "},'type':'image_generation'}],'input':'x'}"


/* "want" of NULL: it stays as it is; of "": the request is refused. */

static const struct {
    const char  *api;
    const char  *reader;
    const char  *body;
    const char  *want;
} vectors[] = {

    /* edits of images */

    { "images", "unknown", "{'images':[{'image_url':'artifact:img'},"
      "{'file_id':'artifact:img'}],'prompt':'p','mask':{'file_id':"
      "'file-art-0190a5f0000070008000000000000001'}}",
      "{'images':[{'image_url':'" IMG "'},{'image_url':'" IMG "'}],"
      "'prompt':'p','mask':{'image_url':'" IMG "'}}" },
    { "images", "text", "{'image':'artifact:img','mask':'artifact:img'}",
      "{'image':'" IMG "','mask':'" IMG "'}" },
    { "images", "sees", "{'image':['https://h/a/img?x',{'url':'artifact:img',"
      "'type':'image_url'}]}",
      "{'image':['" IMG "',{'url':'" IMG "','type':'image_url'}]}" },
    { "images", "fetches", "{'images':[{'file_id':'artifact:img'}],"
      "'mask':'artifact:img'}",
      "{'images':[{'image_url':'https://h/a/img'}],"
      "'mask':'https://h/a/img'}" },

    /* media of the client's own, and texts, stay */

    { "images", "text", "{'images':[{'image_url':'" IMG "'},{'file_id':"
      "'file-abc'},{'image_url':'https://x/y'}],'image':'data:,','mask':null,"
      "'prompt':'artifact:img'}", NULL },
    { "images", "text", "{'image':'see artifact:img','images':'artifact:'}",
      NULL },
    { "images", "text", "{'messages':[{'role':'user','content':[{'type':"
      "'image_url','image_url':{'url':'artifact:img'}}]}]}", NULL },

    /* what is no picture is refused */

    { "images", "sees", "{'images':[{'image_url':'artifact:pdf'}]}", "" },
    { "images", "sees", "{'image':'artifact:txt'}", "" },
    { "images", "sees", "{'image':'artifact:svg'}", "" },
    { "images", "sees", "{'mask':{'file_id':'artifact:no'}}", "" },
    { "images", "sees", "{'image':'artifact:a/b'}", "" },
    { "images", "sees", "{'mask':{'file_id':'artifact:img','image_url':"
      "'artifact:img'}}", "" },

    /* the mask of a tool; other tools hold no reference */

    { "openai_responses", "text", MASK("'image_url':'artifact:img'"),
      MASK("'image_url':'" IMG "'") },
    { "openai_responses", "unknown", MASK("'x':1,'file_id':'artifact:img'"),
      MASK("'x':1,'image_url':'" IMG "'") },
    { "openai_responses", "sees", MASK("'file_id':'artifact:pdf'"), "" },
    { "openai_responses", "sees", MASK("'file_id':'file-abc'"), NULL },
    { "openai_responses", "sees", "{'tools':[{'type':'input_image',"
      "'image_url':'artifact:img'},{'type':'artifact','artifact':"
      "'artifact:img'},'artifact:img',{'type':'text','text':'artifact:img'}]}",
      NULL },
    { "openai", "sees", MASK("'file_id':'artifact:img'"), NULL },

    /* items of a conversation */

    { "openai_responses", "sees", "{'items':[{'type':'message','role':'user',"
      "'content':[{'type':'input_image','image_url':'artifact:img'}]},"
      "{'type':'function_call_output','call_id':'c','output':'artifact:txt'}]"
      "}",
      "{'items':[{'type':'message','role':'user','content':[{'type':"
      "'input_image','image_url':'" IMG "'}]},{'type':'function_call_output',"
      "'call_id':'c','output':'a \\\"text\\\"\\n'}]}" },
    { "openai_responses", "sees", "{'items':[{'role':'user','content':["
      "{'type':'input_image','image_url':'artifact:img'}]}],'input':[]}",
      "pass" }
};


static unsigned
is_refused(void)
{
    uint32_t  i, n;

    n = 0;

    for (i = 0; i < scan.nslots; i++) {
        n += art_plan_is_refused(&plan_of, i) != 0;
    }

    return n;
}


static void
check_vectors(void)
{
    char                  *body, *want;
    size_t                 i;
    art_message_reader_t   who;

    for (i = 0; i < nitems(vectors); i++) {
        body = quoted(vectors[i].body);
        want = quoted(vectors[i].want != NULL ? vectors[i].want
                                              : vectors[i].body);
        who = reader_of(vectors[i].reader);

        if (strcmp(want, "pass") == 0) {
            is_int(scan_body(vectors[i].api, body, strlen(body), 0, 64),
                   ART_SCAN_PASS, vectors[i].body);

        } else if (scan_body(vectors[i].api, body, strlen(body), 0, 64)
                   != ART_SCAN_OK || plan_body(&who) != ART_OK)
        {
            ok(0, "%s", vectors[i].body);

        } else if (want[0] == '\0') {
            is_int(is_refused(), 1, vectors[i].body);

        } else {
            is_int(is_refused(), 0, "it is not refused");
            is_composed(splice_body((const uint8_t *) body, composed), want,
                        vectors[i].body);
        }

        pool_free();
        free(body);
        free(want);
    }
}


/* They count as references, but not as the media of a request. */

static void
check_limits(void)
{
    char                  *body;
    uint32_t               i;
    art_message_reader_t   who;

    body = quoted("{'images':[{'image_url':'artifact:img'},{'image_url':"
                  "'artifact:img'},'artifact:img'],'mask':'artifact:img'}");

    is_int(scan_body("images", body, strlen(body), 0, 3), ART_SCAN_TOO_MANY,
           "more than references may be");
    pool_free();

    is_int(scan_body("images", body, strlen(body), 0, 4), ART_SCAN_OK,
           "as many as there may be");
    is_int(scan.occurrences, 4, "they are counted");

    who = reader_of("sees");
    (void) plan_body(&who);

    is_int(art_edit_budget(&plan_of, 10), ART_BUDGET_TOO_LARGE,
           "no picture that is needed is dropped");

    for (i = 0; i < scan.nslots; i++) {
        is_int(plan_of.edits[i].becomes, ART_BECOMES_PART, "it stays");
    }

    pool_free();
    free(body);
}


int
main(void)
{
    check_vectors();
    check_limits();

    return done();
}
