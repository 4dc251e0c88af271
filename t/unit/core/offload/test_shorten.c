
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which strings of a tool's answer become excerpts, and that not a byte of the
 * others changes.  Single quotes stand for double ones, "#" for a text that is
 * long, "~" for one that is not, "$" for base64 that is long, "^" for what a
 * long text becomes.
 */


#include "core/json/art_json_scan.h"
#include "core/offload/art_shorten.h"
#include "tap.h"


#define SIZE     1024
#define OUT_MAX  (1 << 20)

#define MCP(blocks)                                                           \
    "{'jsonrpc':'2.0','id':1,'result':{'content':[" blocks "]}}"


typedef struct {
    uint8_t  data[OUT_MAX];
    size_t   len;
} bytes_t;


static art_shorten_t  sh;
static bytes_t        out, raw, content, input, want;
static unsigned       values;
static int            keep;
static unsigned       idle;          /* after each piece */
static char           type[256];
static char           long_text[8000], short_text[2000], solid[4000];
static char           becomes[9000];
static void          *blocks[64];
static size_t         nblocks;


static int
put(bytes_t *to, const uint8_t *p, size_t len)
{
    memcpy(to->data + to->len, p, len);
    to->len += len;

    return ART_OK;
}


static int
put_out(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    return put(&out, p, len);
}


static int
put_raw(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    return put(&raw, p, len);
}


static int
put_content(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    return put(&content, p, len);
}


static void *
memory(void *data, size_t size)
{
    (void) data;
    blocks[nblocks] = malloc(size);
    return blocks[nblocks++];
}


static void
settle(art_offload_status_t status)
{
    size_t     sent;
    art_out_t  mime;

    if (status == ART_OFFLOAD_OVER && keep) {
        mime = art_out(type, sizeof(type) - 1);
        art_shorten_type(&mime, &sh);
        type[mime.len] = '\0';

        (void) art_shorten_made(&sh, art_cstr("ID"), ART_LANG_EN);
        values++;

    } else {
        sent = art_shorten_sent(&sh);
        (void) art_shorten_left(&sh);
        (void) put_out(NULL, raw.data + sent, raw.len - sent);
    }

    raw.len = 0;
    content.len = 0;
}


static void
run(unsigned events, size_t piece)
{
    size_t                n, left, read;
    uint8_t              *copy, *p;
    art_offload_sink_t    sink = { put_out, put_raw, put_content, NULL };
    art_offload_status_t  status;
    art_shorten_limits_t  limits = { SIZE, 100, 60 };

    out.len = 0;
    raw.len = 0;
    content.len = 0;
    values = 0;
    nblocks = 0;
    p = input.data;
    left = input.len;

    art_shorten_init(&sh, art_api_find(art_cstr("mcp")), events, &limits,
                     &sink, memory);

    while (left > 0 || art_shorten_is_behind(&sh)) {
        n = piece ? piece : 1 + tap_below(300);
        n = n < left ? n : left;

        copy = malloc(n + 1);
        memcpy(copy, p, n);

        status = art_shorten_feed(&sh, copy, n, &read);
        free(copy);

        if (status != ART_OFFLOAD_MORE) {
            settle(status);
        }

        p += read;
        left -= read;

        if (idle && !art_shorten_is_behind(&sh)) {
            art_shorten_idle(&sh);
        }
    }

    status = art_shorten_end(&sh);

    if (status != ART_OFFLOAD_MORE) {
        settle(status);
        (void) art_shorten_end(&sh);
    }

    while (nblocks > 0) {
        free(blocks[--nblocks]);
    }
}


static void
spell(bytes_t *to, const char *text)
{
    to->len = 0;

    for (/* void */; *text != '\0'; text++) {
        switch (*text) {

        case '\'':
            (void) put(to, (const uint8_t *) "\"", 1);
            break;

        case '#':
            (void) put(to, (uint8_t *) long_text, strlen(long_text));
            break;

        case '~':
            (void) put(to, (uint8_t *) short_text, strlen(short_text));
            break;

        case '$':
            (void) put(to, (uint8_t *) solid, strlen(solid));
            break;

        case '^':
            (void) put(to, (uint8_t *) becomes, strlen(becomes));
            break;

        default:
            (void) put(to, (const uint8_t *) text, 1);
        }
    }
}


/* 200 lines of 10 bytes: ten at the begin and six at the end are left. */

static void
fill(void)
{
    size_t  i, len;

    for (len = 0, i = 1; i <= 200; i++) {
        len += (size_t) sprintf(long_text + len, "line %04zu\\n", i);
    }

    (void) sprintf(becomes, "%.*s[.. lines 11 to 194 of 200 are left out, "
                   "1.8 KB of 2.0 KB. The whole text is artifact:ID; "
                   "read_artifact reads parts of it: \\\"lines\\\", "
                   "\\\"bytes\\\", \\\"grep\\\".]\\n%s", 110, long_text,
                   long_text + 11 * 194);

    (void) sprintf(short_text, "%.*s", 1023, long_text);
    short_text[1022] = 'x';
    memset(solid, 'A', 3000);
}


static const struct {
    unsigned     events;
    const char  *text;
    const char  *want;
    const char  *name;
} cases[] = {
    { 0, MCP("{'type':'text','text':'#'}"), MCP("{'type':'text','text':'^'}"),
      "a text" },
    { 0, MCP("{'text':'#','type':'text'}, {'x':1,'type':'text','text' : '#' ,"
             "'_meta':{'a':1}}"),
      MCP("{'text':'^','type':'text'}, {'x':1,'type':'text','text' : '^' ,"
          "'_meta':{'a':1}}"), "members in any order" },
    { 0, MCP("{'type':'text','text':'~'},{'type':'text','text':''}"), NULL,
      "short ones" },
    { 0, MCP("{'type':'text','text':'$'},{'type':'text','text':"
             "'data:image/png;base64,$'}"), NULL, "base64, a data URL" },
    { 0, MCP("{'text':'#'},{'text':'#','type':'image'},{'type':'image',"
             "'text':'#'},{'text':'#','type':7},{'type':['text'],'text':'#'}"),
      NULL, "no texts" },
    { 0, MCP("{'type':'text','text':'#','annotations':{'audience':['user']}},"
             "{'annotations':{'audience':['user','user'],'x':1},'type':'text',"
             "'text':'#'}"), NULL, "for users alone" },
    { 0, MCP("{'type':'text','text':'#','annotations':{'audience':['user',"
             "'assistant']}},{'annotations':{'audience':[]},'type':'text',"
             "'text':'#'}"),
      MCP("{'type':'text','text':'^','annotations':{'audience':['user',"
          "'assistant']}},{'annotations':{'audience':[]},'type':'text',"
          "'text':'^'}"), "for others, too" },
    { 0, MCP("{'type':'text','text':'#','_meta':{'artifact/ref':'artifact:1'}}"
             ",{'_meta':{'x':{'artifact/ref':1},'artifact/ref':'a'},'type':"
             "'text','text':'#'},{'_meta':{'x':{'artifact/ref':1}},'type':"
             "'text','text':'#'}"),
      MCP("{'type':'text','text':'#','_meta':{'artifact/ref':'artifact:1'}}"
          ",{'_meta':{'x':{'artifact/ref':1},'artifact/ref':'a'},'type':"
          "'text','text':'#'},{'_meta':{'x':{'artifact/ref':1}},'type':"
          "'text','text':'^'}"), "of artifacts" },
    { 0, MCP("{'type':'resource','resource':{'uri':'file:x','text':'#'}},"
             "{'resource':{'text':'#','uri':'file:x'},'type':'resource'}"),
      MCP("{'type':'resource','resource':{'uri':'file:x','text':'^'}},"
          "{'resource':{'text':'^','uri':'file:x'},'type':'resource'}"),
      "resources" },
    { 0, MCP("{'type':'resource','resource':{'uri':'ui://x','text':'#'}},"
             "{'type':'resource','resource':{'text':'#','uri':'UI://x'}},"
             "{'type':'text','resource':{'text':'#'}},{'type':'resource',"
             "'text':'#'},{'type':'resource','resource':{'blob':'#'}}"),
      NULL, "resources that stay" },
    { 0, "{'result':{'isError':true,'structuredContent':{'a':['#',{'b':'#'}],"
         "'#':'~','c':'$','d':1}}}",
      "{'result':{'isError':true,'structuredContent':{'a':['^',{'b':'^'}],"
      "'#':'~','c':'$','d':1}}}", "structured content" },
    { 0, "{'result':{'structuredContent':'#'}}",
      "{'result':{'structuredContent':'^'}}", "a string of it" },
    { 0, "{'result':{'contents':[{'uri':'x','text':'#'}],'messages':[{"
         "'content':{'type':'text','text':'#'}}]},'error':{'data':'#'},"
         "'params':{'content':[{'type':'text','text':'#'}]}}",
      NULL, "no results of tools" },
    { 0, "[" MCP("{'type':'text','text':'#'}") ",{'id':2}]",
      "[" MCP("{'type':'text','text':'^'}") ",{'id':2}]", "a batch" },
    { 0, "{'result':{'content':[{'type':'text','text':'#", NULL,
      "cut in the text" },
    { 0, "{'result':{'content':[{'type':'text','text':'#','x'", NULL,
      "cut behind it" },
    { 0, "{'result':{'content':[{'type':'text','text':'~", NULL,
      "cut in a short one" },
    { 0, "{'result':{'content':[{'type':'text','text':'#'x}]}}", NULL,
      "no JSON behind" },
    { 0, "{'result':{'content':[{'type':'text','text':'#\n'}]}}", NULL,
      "no JSON in it" },
    { 0, "{'result':{'structuredContent':'#'x",
      "{'result':{'structuredContent':'^'x", "no JSON behind a string" },
    { 1, "event: message\ndata: " MCP("{'type':'text','text':'#'}")
         "\n\n: x\n\ndata: {'method':'notifications/progress','params':{"
         "'message':'#'}}\r\n\r\ndata: " MCP("{'type':'text','text':'#'}")
         "\n\n",
      "event: message\ndata: " MCP("{'type':'text','text':'^'}")
      "\n\n: x\n\ndata: {'method':'notifications/progress','params':{"
      "'message':'#'}}\r\n\r\ndata: " MCP("{'type':'text','text':'^'}")
      "\n\n", "events" },
    { 1, "data: {'result':{'content':[{'type':'text',\ndata: 'text':'#',\n"
         "data: 'x':\ndata: 1}]}}\n\n",
      "data: {'result':{'content':[{'type':'text',\ndata: 'text':'^',\n"
      "data: 'x':\ndata: 1}]}}\n\n", "lines of data" },
    { 1, "data: {'result':{'structuredContent':'#\ndata: #'}}\n\ndata: "
         MCP("{'type':'text','text':'#'}") "\n\n",
      "data: {'result':{'structuredContent':'#\ndata: #'}}\n\ndata: "
      MCP("{'type':'text','text':'^'}") "\n\n", "a line end in a text" },
    { 1, "data: {'result':{'structuredContent':'#\n\ndata: {'result':{"
         "'structuredContent':'~\n\ndata: "
         MCP("{'type':'text','text':'#'}") "\n\ndata: {'result':{'content':[{"
         "'type':'text','text':'#'\n\nx",
      "data: {'result':{'structuredContent':'#\n\ndata: {'result':{"
      "'structuredContent':'~\n\ndata: "
      MCP("{'type':'text','text':'^'}") "\n\ndata: {'result':{'content':[{"
      "'type':'text','text':'#'\n\nx", "events that end in a text" }
};


static void
check_cases(void)
{
    size_t  i, k;
    int     good;

    for (i = 0; i < nitems(cases); i++) {

        for (keep = 0; keep < 2; keep++) {
            spell(&input, cases[i].text);
            spell(&want, keep && cases[i].want ? cases[i].want
                                               : cases[i].text);
            good = 1;

            for (k = 0; k < 120; k++) {
                idle = k % 2;
                run(cases[i].events, k < 80 ? k / 2 : k < 90 ? 4096 : 0);

                if (out.len != want.len
                    || memcmp(out.data, want.data, out.len) != 0)
                {
                    good = 0;
                    break;
                }
            }

            if (!ok(good, "%s%s", cases[i].name, keep ? "" : ", left")) {
                diag("pieces of %zu, %zu and %zu", k, out.len, want.len);
                (void) is_mem(out.data, out.len, want.data, want.len, "");
            }
        }
    }
}


/* A text is what it says, whatever it is in JSON; its size is that of it. */

static void
check_sizes(void)
{
    size_t  i, n, len;
    char    text[20000];

    keep = 1;

    for (i = 1020; i < 1030; i++) {
        for (len = 0, n = 0; n < i; n++) {
            len += (size_t) sprintf(text + len, n % 7 ? "x" : "\\u0020");
        }

        input.len = 0;
        (void) put(&input, (const uint8_t *)
                   "{\"result\":{\"structuredContent\":\"", 32);
        (void) put(&input, (uint8_t *) text, len);
        (void) put(&input, (const uint8_t *) "\"}}", 3);

        run(0, 0);
        is_int((int) values, i >= SIZE, "a text of about that size");
    }
}


/* What is behind a text may decide within 4 KB, and no later. */

static void
check_rest(void)
{
    size_t   i;
    char     pad[8000];
    char     text[20000];

    keep = 1;

    for (i = 3000; i < 5000; i += 100) {
        (void) sprintf(pad, "%0*d", (int) i, 0);
        (void) sprintf(text, MCP("{'type':'text','text':'#','x':'%s','_meta':"
                                 "{'artifact/ref':1}}"), pad);
        spell(&input, text);
        run(0, i % 200 ? 0 : 4096);
        is_int((int) values, i > 4096 - 32, "a reference behind");

        (void) sprintf(text, MCP("{'text':'#','x':'%s','type':'text'}"), pad);
        spell(&input, text);
        run(0, i % 200 ? 0 : 4096);
        is_int((int) values, i < 4096 - 16, "the type behind");
    }
}


static void
check_most(void)
{
    size_t  i;

    keep = 1;
    spell(&want, "#");
    input.len = 0;
    (void) put(&input, (const uint8_t *) "{\"result\":{\"structuredContent\":[",
               32);

    for (i = 0; i < 300; i++) {
        (void) put(&input, (const uint8_t *) ",\"" + (i == 0), i ? 2 : 1);
        (void) put(&input, want.data, want.len);
        (void) put(&input, (const uint8_t *) "\"", 1);
    }

    (void) put(&input, (const uint8_t *) "]}}", 3);

    run(0, 0);
    is_int((int) values, 300, "300 texts");
    ok(art_json_valid(out.data, out.len), "it is JSON");

    run(0, 4096);
    sh.taken = 0;
    is_int((int) values, 300, "300 texts in large pieces");
}


static const struct {
    const char  *declared;
    const char  *type;
} types[] = {
    { "text/markdown", "text/markdown" }, { "Text/HTML; charset=x",
      "text/html" }, { "application/json", "application/json" },
    { "application/ld+JSON ;x", "application/ld+json" },
    { "image/svg+xml", "image/svg+xml" },
    { "application/x-yaml", "application/x-yaml" },
    { "application/octet-stream", "text/plain" }, { "", "text/plain" },
    { "text/", "text/plain" }, { "text/a b", "text/a" },
    { "text/a,b", "text/plain" }, { "+json", "text/plain" },
    { "a+json", "text/plain" }, { "image/png", "text/plain" }
};


static void
check_types(void)
{
    size_t  i, k;
    char    text[1000];

    keep = 1;

    for (i = 0; i < nitems(types); i++) {
        for (k = 0; k < 2; k++) {
            (void) sprintf(text, k ? MCP("{'type':'resource','resource':{"
                                         "'mimeType':'%s','text':'#'}}")
                                   : MCP("{'type':'resource','resource':{"
                                         "'text':'#','mimeType':'%s'}}"),
                           types[i].declared);
            spell(&input, text);
            run(0, 0);
            is_str(type, types[i].type, types[i].declared);
        }
    }

    spell(&input, MCP("{'type':'resource','resource':{'mimeType':'text/a',"
                      "'text':'~'}},{'type':'text','text':'#'}"));
    run(0, 0);
    is_str(type, "text/plain", "another block");
}


int
main(void)
{
    fill();

    check_cases();
    check_sizes();
    check_rest();
    check_most();
    check_types();

    return done();
}
