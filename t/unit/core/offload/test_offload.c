
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Base64 in answers: where it is found, what goes in its place, and that not a
 * byte changes where nothing is made of it.
 */


#include "offload_answers.h"


static char  want[OUT_MAX];


/* The same with "|" for line ends. */

static size_t
lines_of(char *dst, const char *text, const char *end)
{
    size_t  i, len;
    char    line[OUT_MAX / 2];

    (void) text_of(line, text);

    for (i = 0, len = 0; line[i] != '\0'; i++) {
        if (line[i] == '|') {
            len += (size_t) sprintf(dst + len, "%s", end);

        } else {
            dst[len++] = line[i];
        }
    }

    dst[len] = '\0';

    return len;
}


/* "want" of NULL: it stays as it is. */

static const struct {
    const char  *api;
    unsigned     stream;
    const char  *text;
    const char  *want;
    const char  *name;
} cases[] = {
    { "images", 0, "{'created':1, 'data':[{'b64_json' : '#','x':1},"
                   "{'b64_json':'#'}]}",
      "{'created':1, 'data':[{'url':" URL ",'x':1},{'url':" URL "}]}",
      "two images" },
    { "images", 0, "{'data':[{'b64_json':'~'},{'b64_json':'#'}]}",
      "{'data':[{'b64_json':'~'},{'url':" URL "}]}", "one is too short" },
    { "images", 0, "{'data':[{'b64_json':null},{'b64_json':{'b64_json':'#'}},"
                   "{'b64_json':'#'}]}",
      "{'data':[{'b64_json':null},{'b64_json':{'b64_json':'#'}},{'url':" URL
      "}]}", "what is no string" },
    { "images", 0, "{'data':[{'b64\\u005fjson':'#'}]}",
      "{'data':[{'url':" URL "}]}", "a key with escapes" },
    { "images", 0, "{'data':[{'b64_json':'#!'}]}", NULL, "no base64" },
    { "images", 0, "{'data':[{'b64_json':'data:image/png;base64,#'},"
                   "{'b64_json':'DATA:;Base64,#'},{'b64_json':'da\\u0074a:"
                   "image\\/png;a=b;base64,#','x':1}]}",
      "{'data':[{'url':" URL "},{'url':" URL "},{'url':" URL ",'x':1}]}",
      "data URLs" },
    { "images", 0, "{'data':[{'b64_json':'data:image/png;base64,~'},"
                   "{'b64_json':'data:image/png,#'},{'b64_json':'data:#'},"
                   "{'b64_json':'data'},{'b64_json':'data:'},{'b64_json':"
                   "'#data:image/png;base64,#'},{'b64_json':"
                   "'data:image/png;base64,#!'},{'b64_json':'file:#'}]}",
      NULL, "what is no data URL, or is short" },
    { "images", 0, "{'data':[{'b64_json':'dataiVBO#'},{'b64_json':'dat#AAA'},"
                   "{'b64_json':'DaTA####'}]}",
      "{'data':[{'url':" URL "},{'url':" URL "},{'url':" URL "}]}",
      "base64 that begins as one" },
    { "images", 0, "{'data':[{'b64_json':'#=#'}]}", NULL,
      "padding in between" },
    { "images", 0, "{'b64_json':'#','data':{'b64_json':'#'}}", NULL,
      "another place" },
    { "images", 0, "{'data':[{'b64_json':'#'", "{'data':[{'url':" URL,
      "cut behind the value" },
    { "images", 0, "{'data':[{'b64_json':'#A", NULL, "cut in the value" },
    { "images", 0, "[{'data':[{'b64_json':'#'}]}]", NULL, "no answer" },
    { "images", 1, "{'type':'image_generation.completed','b64_json':'#'}",
      "{'type':'image_generation.completed','url':" URL "}", "an event" },
    { "images", 1, "{'type':'image_edit.completed','a':0,'b64_json':'#'}",
      "{'type':'image_edit.completed','a':0,'url':" URL "}", "an edit" },
    { "images", 1, "{'type':'image_generation.partial_image','b64_json':'#'}",
      NULL, "an event of a part" },
    { "images", 1, "{'b64_json':'#','type':'image_generation.completed'}",
      "{'url':" URL ",'type':'image_generation.completed'}",
      "an event whose type comes last" },
    { "images", 1, "{'b64_json':'#','type':"
                   "'image_generation.partial_image','x':[{'a':1}]}",
      NULL, "an event of a part whose type comes behind" },
    { "images", 1, "{'b64_json':'#','b64_json':1,'b64_json':'#','type':"
                   "'image_edit.completed'}",
      "{'b64_json':'#','b64_json':1,'url':" URL ",'type':"
      "'image_edit.completed'}", "a member that comes three times" },
    { "images", 1, "{'b64_json':'#','b64_json':{'x':1},'b64_json':'#',"
                   "'type':'image_edit.completed'}",
      "{'b64_json':'#','b64_json':{'x':1},'url':" URL ",'type':"
      "'image_edit.completed'}", "once it is an object" },
    { "images", 1, "{'b64_json':'#','x':1}", NULL, "an event without a type" },

    { "openai", 0, "{'choices':[{'message':{'images':[{'type':'image_url',"
                   "'image_url':{'url': 'data:image/png;base64,#'}}]}}]}",
      "{'choices':[{'message':{'images':[{'type':'image_url','image_url':"
      "{'url': " URL "}}]}}]}", "a data URL" },
    { "openrouter", 1, "{'choices':[{'delta':{'images':[{'image_url':"
                       "{'url':'DATA:;BASE64,#','detail':'x'}}]}}]}",
      "{'choices':[{'delta':{'images':[{'image_url':{'url':" URL
      ",'detail':'x'}}]}}]}", "one without a type, of a stream" },
    { "openai", 0, "{'choices':[{'message':{'images':[{'image_url':{'url':"
                   "'data:text/plain,###'}}]}}]}", NULL, "no base64" },
    { "openai", 0, "{'choices':[{'message':{'images':[{'image_url':{'url':"
                   "'https://h/####'}}]}}]}", NULL, "no data" },
    { "openai", 0, "{'choices':[{'message':{'content':"
                   "'data:image/png;base64,#'}}]}", NULL, "in a text" },
    { "mistral", 0, "{'choices':[{'message':{'images':[{'image_url':{'url':"
                    "'data:image/png;base64,~'}}]}}]}", NULL, "short" },

    { "gemini", 0, PARTS("{'inlineData': {'mimeType':'image/jpeg','data':'#'},"
                         "'thought':true},{'text':'x'}"),
      PARTS("{'fileData': {'mimeType':'image/png','fileUri':" URL "},"
            "'thought':true},{'text':'x'}"), "inline data" },
    { "gemini", 0, PARTS("{'inlineData':{'data':'#','mimeType' : "
                         "'image/jpeg','displayName':'n'}}"),
      PARTS("{'fileData':{'fileUri':" URL ",'mimeType' : 'image/png',"
            "'displayName':'n'}}"), "the type behind" },
    { "gemini", 0, PARTS("{'inlineData':{'data':'data:a/b;base64,#'}}"),
      PARTS("{'fileData':{'fileUri':" URL ",'mimeType':'image/png'}}"),
      "a data URL" },
    { "gemini", 0, PARTS("{'inlineData':{'data':'#'}}"),
      PARTS("{'fileData':{'fileUri':" URL ",'mimeType':'image/png'}}"),
      "no type" },
    { "gemini", 0, PARTS("{'inline_data':{'mime_type':'a/b','data':'#'}}"),
      PARTS("{'file_data':{'mime_type':'image/png','file_uri':" URL "}}"),
      "snakes" },
    { "gemini", 0, "[" PARTS("{'inlineData':{'mimeType':'a/b','data':'#'}}")
                   ",\n" PARTS("{'text':'x'}") "]",
      "[" PARTS("{'fileData':{'mimeType':'image/png','fileUri':" URL "}}")
      ",\n" PARTS("{'text':'x'}") "]", "an array of answers" },
    { "gemini", 0, PARTS("{'inlineData':{'mimeType':'a/b','data':'~'}}"),
      NULL, "short" },
    { "gemini", 0, PARTS("{'inlineData':null},{'inlineData':[]},{'inlineData':"
                         "{'data':1}},{'inlineData':{'data':'#%'}}"),
      NULL, "nothing" },
    { "gemini", 0, PARTS("{'inlineData':{'data':'#','data':'#'}}"),
      PARTS("{'fileData':{'fileUri':" URL ",'data':'#','mimeType':"
            "'image/png'}}"), "twice" },

    { "mcp", 0, MCP("{'type':'image','data':'#','mimeType':'image/jpeg',"
                    "'annotations':{'audience':['user']},'_meta':{}}"),
      MCP("{" BLOCK ",'annotations':{'audience':['user']},'_meta':{}}"),
      "an image as a text" },
    { "mcp", 0, MCP("{ '_meta' : {'a':[1,{'x':'y'}]} , 'x':{'_meta':1},"
                    "'mimeType':'a/b', 'data' : '#' , 'y':[{'annotations':1}],"
                    " 'annotations' : null ,'type' : 'audio','z':1 } "),
      MCP("{" BLOCK ",'_meta' : {'a':[1,{'x':'y'}]},'annotations' : null} "),
      "audio as a text, with members of its own" },
    { "mcp", 0, MCP("{'type':'image','mimeType':'a/b','data':'#',"
                    "'_meta':'#####','x':'####','_meta':7,'data':'#',"
                    "'annotations':{'a':'###'}},{'type':'text','text':'x',"
                    "'y':1}"),
      MCP("{" BLOCK ",'_meta':'#####','_meta':7,'annotations':{'a':'###'}},"
          "{'type':'text','text':'x','y':1}"), "more behind the data" },
    { "mcp", 0, MCP("{'resource':{'_meta':{'a':1},'blob':'#','uri':'u',"
                    "'mimeType':'a/b','annotations':{}},'_meta':{'b':1},"
                    "'type':'resource'},{'type':'resource','resource':{"
                    "'uri':'u','text':'#'}},{'type':'image','data':'~'}"),
      MCP("{" BLOCK ",'_meta':{'b':1}},{'type':'resource','resource':{"
          "'uri':'u','text':'#'}},{'type':'image','data':'~'}"),
      "a resource as a text" },
    { "mcp", 0, MCP("{'type':'image','data':'data:image/png;base64,#',"
                    "'mimeType':'image/png'},{'type':'resource','resource':{"
                    "'uri':'u','blob':'data:a/b;base64,#'},'_meta':{}}"),
      MCP("{" BLOCK "},{" BLOCK ",'_meta':{}}"), "data URLs" },
    { "mcp", 0, MCP("{'data':'#'},{'data':'#','type':'chart'},{'data':'#',"
                    "'type':7,'_meta':{}},{'type':'text','data':'#'},"
                    "{'type':'image','data':'#%'}"),
      NULL, "no images" },
    { "mcp", 0, "[" MCP("{'type':'image','data':'#'}") ",{'result':{'content':"
                "[{'type':'image','mimeType':'a/b','data':'#','x':'y',}]}}]",
      "[" MCP("{" BLOCK "}") ",{'result':{'content':[{" BLOCK "}]}}]",
      "a comma too much" },
    { "mcp", 0, MCP("{'type':'image','mimeType':'a/b','data':'#','type':"
                    "'text','text':'#'}"), MCP("{" BLOCK "}"),
      "another type behind" },
    { "mcp", 0, "{'result':{'content':[{'type':'image','mimeType':'a/b','data'"
                ":'#','_meta':{'a'",
      "{'result':{'content':[{" BLOCK ",'_meta':{'a'", "cut in what is kept" },
    { "mcp", 0, "{'result':{'content':[{'type':'image','mimeType':'a/b','data'"
                ":'#','x':{'a'",
      "{'result':{'content':[{" BLOCK, "cut in what is not" },
    { "mcp", 0, "{'result':{'content':[{'type':'image','mimeType':'a/b','data'"
                ":'#','x':{'a' %'_meta':1}]}}",
      "{'result':{'content':[{" BLOCK "%'_meta':1}]}}", "no JSON behind" },

    { "links", 0, MCP("{'type':'image','data':'#','mimeType':'image/jpeg',"
                    "'annotations':{'audience':['user']},'_meta':{}}"),
      MCP("{'type':'resource_link'," LINK ",'mimeType':'image/png',"
          "'annotations':{'audience':['user']},'_meta':{}}"), "an image" },
    { "links", 0, MCP("{'_meta':{'a':[1]},'mimeType':'audio/wav', 'data':'#',"
                    "'type':'audio'}"),
      MCP("{'_meta':{'a':[1]},'mimeType':'image/png', " LINK
          ",'type':'resource_link'}"), "audio, the type behind" },
    { "links", 0, MCP("{'data':'#'}"), NULL, "without a type" },
    { "links", 0, MCP("{'data':'#','mimeType':'a/b','type':'chart'},"
                    "{'data':'#','type':'image'}"),
      MCP("{'data':'#','mimeType':'a/b','type':'chart'},"
          "{" LINK ",'type':'resource_link','mimeType':'image/png'}"),
      "a type of its own behind the data" },
    { "links", 0, MCP("{'data':'#','type':7},{'data':'#','type':{'type':"
                      "'image'}"
                    "},{'data':'#','x':{'type':'image'}}"),
      NULL, "what is no type behind the data" },
    { "links", 0, MCP("{'resource':{'blob':'#','mimeType':'a/b','uri':'u'},"
                    "'annotations':{},'type':'resource_link'}"),
      NULL, "a resource that is a link" },
    { "links", 0, MCP("{'data':'#','resource':{'uri':'u'},'type':'image'}"),
      MCP("{" LINK ",'resource':{'uri':'u'},'type':'resource_link',"
          "'mimeType':'image/png'}"), "a resource in an image" },
    { "links", 0, MCP("{'type':'text','text':'x','data':'#'}"), NULL,
      "another type" },
    { "links", 0, MCP("{'type':'resource','resource':{'uri':'file:///x',"
                    "'mimeType':'a/b','blob':'#'},'annotations':{}}"),
      MCP("{'type':'resource_link','uri':" URL ",'mimeType':'image/png',"
          "'name':'ID.png','size':48,'annotations':{}}"), "a resource" },
    { "links", 0, MCP("{'type':'resource', 'resource': {'blob':'#',"
                    "'_meta':{'a':1},'uri':'u'} }"),
      MCP("{'type':'resource_link', 'name':'ID.png','size':48,"
          "'_meta':{'a':1},'uri':" URL ",'mimeType':'image/png' }"),
      "a resource with its URI behind" },
    { "links", 0, MCP("{'resource':{'blob':'#'},'type':'resource'}"),
      MCP("{'name':'ID.png','size':48,'uri':" URL ",'mimeType':'image/png',"
          "'type':'resource_link'}"), "a resource without URI" },
    { "links", 0, MCP("{'type':'resource','resource':{'uri':'u','text':'#'}}"),
      NULL, "a resource that is text" },
    { "links", 0, MCP("{'type':'resource','resource':{'uri':'u','blob':'~'}},"
                    "{'type':'image','data':'~','mimeType':'a/b'},"
                    "{'type':'image','data':'#-%','mimeType':'a/b'}"),
      NULL, "short ones, and no base64" },
    { "mcp", 0, "{'result':{'contents':[{'uri':'u','blob':'#'}],"
                "'structuredContent':{'data':'#'}}}", NULL, "another answer" }
};


static void
check_shapes(void)
{
    size_t  i, len, wanted;

    for (i = 0; i < nitems(cases); i++) {
        len = text_of(text, cases[i].text);
        wanted = text_of(want, cases[i].want ? cases[i].want : cases[i].text);

        if (cases[i].stream) {
            len = event_of(text, len);
            wanted = event_of(want, wanted);
        }

        keep = 1;
        run(cases[i].api, cases[i].stream, (uint8_t *) text, len, len);
        is_mem(out.data, out.len, want, wanted, cases[i].name);

        run(cases[i].api, cases[i].stream, (uint8_t *) text, len, 1);
        is_mem(out.data, out.len, want, wanted, cases[i].name);

        keep = 0;
        run(cases[i].api, cases[i].stream, (uint8_t *) text, len, 0);
        is_mem(out.data, out.len, text, len, cases[i].name);
    }

    /* a type that nothing tells stays what was declared */

    keep = 2;
    len = text_of(text, PARTS("{'inlineData':{'mimeType':'a/b','data':'#'}},"
                              "{'inlineData':{'data':'#','mimeType':'c/d'}}"));
    wanted = text_of(want, PARTS("{'fileData':{'mimeType':'a/b','fileUri':" URL
                                 "}},{'fileData':{'fileUri':" URL
                                 ",'mimeType':'c/d'}}"));
    run("gemini", 0, (uint8_t *) text, len, 0);
    is_mem(out.data, out.len, want, wanted, "an unknown type");
}


/* In every spelling the content is the same. */

static void
check_contents(void)
{
    size_t   i, j, k, n, len, size;
    uint8_t  bytes[700];
    unsigned failed;

    static const char  digits[2][65] = {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    };

    static const char *const  leads[] = {
        "", "", "data:;base64,", "Data:image\\/png;a=b;BASE64,"
    };

    static const char *const  wraps[] = { "", "\\n", "\\r\\n", " " };

    keep = 1;
    failed = 0;

    for (i = 0; i < 3000; i++) {
        size = MIN + tap_below(sizeof(bytes) - MIN);
        const char *alphabet = digits[tap_below(2)];
        const char *wrap = wraps[tap_below(nitems(wraps))];
        unsigned padded = (unsigned) tap_below(2);
        unsigned slashes = (unsigned) tap_below(2);

        for (j = 0; j < size; j++) {
            bytes[j] = (uint8_t) tap_below(256);
        }

        len = (size_t) sprintf(text, "{\"data\":[{\"b64_json\":\"%s",
                               leads[tap_below(nitems(leads))]);

        for (j = 0; j < size; j += 3) {
            n = size - j < 3 ? size - j : 3;
            uint32_t v = (uint32_t) bytes[j] << 16
                         | (n > 1 ? (uint32_t) bytes[j + 1] << 8 : 0)
                         | (n > 2 ? bytes[j + 2] : 0);

            for (k = 0; k < 4; k++) {

                if (k > n) {
                    len += (size_t) sprintf(text + len, padded ? "=" : "");
                    continue;
                }

                int c = alphabet[v >> (18 - 6 * k) & 63];
                len += (size_t) sprintf(text + len, c == '/' && slashes
                                        ? "\\%c" : "%c", c);
            }

            if (j / 3 % 19 == 18) {
                len += (size_t) sprintf(text + len, "%s", wrap);
            }
        }

        len += (size_t) sprintf(text + len, "\"}]}");

        run("images", 0, (uint8_t *) text, len, tap_below(3) ? 0 : 1);

        if (values != 1 || contents.len != size
            || memcmp(contents.data, bytes, size) != 0)
        {
            diag("%s", text);
            failed++;
        }
    }

    is_int((int) failed, 0, "any spelling of base64 gives the bytes");
}


/* What precedes the data waits, up to 4 KB of it. */

static void
check_held(void)
{
    size_t  i, len, limit;

    static const size_t  sizes[] = { 0, 3000, 4000, 4100, 9000, 60000 };

    for (i = 0; i < nitems(sizes); i++) {
        len = (size_t) sprintf(text, "{\"result\":{\"content\":[{\"type\":"
                               "\"image\",\"_meta\":\"");
        memset(text + len, 'x', sizes[i]);
        len += sizes[i];
        len += (size_t) sprintf(text + len, "\",\"data\":\"" LONG "\"}]}}");

        keep = 1;
        limit = len - 30 - strlen(LONG);
        run("links", 0, (uint8_t *) text, len, i % 2);

        if (limit < ART_OFFLOAD_HELD) {
            is_int((int) values, 1, "not too many bytes before");

        } else {
            is_mem(out.data, out.len, text, len, "too many bytes before");
        }

        run("links", 0, (uint8_t *) text, len, 4096);
        is_int((int) values, limit < ART_OFFLOAD_HELD, "in large pieces");
    }

    /* a type behind that is too long to be replaced */

    len = text_of(text, PARTS("{'inlineData':{'data':'#','mimeType':'"));
    len = (size_t) (strstr(text, "mimeType\":\"") + 11 - text);
    memset(text + len, 'x', 9000);
    len += 9000;
    len += text_of(text + len, "'}}]}}]}");
    run("gemini", 0, (uint8_t *) text, len, 0);
    is_mem(out.data, out.len, text, len, "a long type behind");
    run("gemini", 0, (uint8_t *) text, len, 8192);
    is_mem(out.data, out.len, text, len, "in pieces of 8 KB, too");
    run("gemini", 0, (uint8_t *) text, len, len);
    is_mem(out.data, out.len, text, len, "and in one piece");
}


/* What follows the data waits as well, for what tells that they are some. */

static void
check_held_behind(void)
{
    size_t   i, len, wanted;
    json_t  *is;

    static const size_t  sizes[] = { 0, 3000, 4000, 4100, 9000, 60000 };

    keep = 1;

    for (i = 0; i < nitems(sizes); i++) {

        /* all that is missing is the media type, or the type itself */

        for (unsigned typed = 0; typed < 2; typed++) {
            len = (size_t) sprintf(text, "{\"result\":{\"content\":[{%s"
                                   "\"data\":\"" LONG "\",\"_meta\":\"",
                                   typed ? "\"type\":\"image\"," : "");
            memset(text + len, 'x', sizes[i]);
            len += sizes[i];
            len += (size_t) sprintf(text + len, "\"%s}]}}", typed
                                    ? "" : ",\"type\":\"image\"");

            run("links", 0, (uint8_t *) text, len, 1 + i % 2);
            is_int((int) values, typed || sizes[i] <= 4000,
                   "as much as there is room for");

            wanted = out.len;
            memcpy(want, out.data, out.len);

            run("links", 0, (uint8_t *) text, len, len);
            is_mem(out.data, out.len, want, wanted, "in one piece");

            is = json_loadb((char *) out.data, out.len, 0, NULL);
            ok(is != NULL, "which is JSON");
            json_decref(is);
        }
    }
}


/* Damaged answers: any pieces do the same, and nothing is lost. */

static void
check_damaged(void)
{
    size_t    i, n, len;
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 30000; i++) {
        n = tap_below(nitems(cases));
        len = text_of(text, cases[n].text);
        failed += damage(cases[n].api, cases[n].stream, text, len, 2,
                         "{}[],:\"\\n<1A=");
    }

    is_int((int) failed, 0, "damaged answers");
}


/* Events: any line ends, comments, data of several lines, and none of JSON. */

static void
check_events(void)
{
    size_t       i, k, len, wanted;
    char        *p;
    unsigned     failed;

    static const char *const  ends[] = { "\n", "\r\n", "\r" };

    static const char  stream[] =
        ": hello|event: image_generation.partial_image|"
        "data: {'type':'image_generation.partial_image','b64_json':'#'}||"
        "data:{'type':'image_generation.completed',|data: 'b64_json'|:x|"
        "data: :|data: '#'|data: ,'x':1}||"
        "data: {'type':'image_edit.completed','b64_json':'~'}||"
        "data: {'type':'image_edit.completed','b64_json':'#|data: #'}||"
        "data: {'type':'image_edit.completed','b64_json':'#||"
        "data: {'type':'image_edit.completed','b64_json':'#'}||"
        "data: [DONE]||";

    static const char  becomes[] =
        ": hello|event: image_generation.partial_image|"
        "data: {'type':'image_generation.partial_image','b64_json':'#'}||"
        "data:{'type':'image_generation.completed',|data: 'url':" URL "|"
        "data: ,'x':1}||"
        "data: {'type':'image_edit.completed','b64_json':'~'}||"
        "data: {'type':'image_edit.completed','b64_json':'#|data: #'}||"
        "data: {'type':'image_edit.completed','b64_json':'#||"
        "data: {'type':'image_edit.completed','url':" URL "}||"
        "data: [DONE]||";

    failed = 0;

    for (i = 0; i < nitems(ends); i++) {
        len = lines_of(text, stream, ends[i]);
        wanted = lines_of(want, becomes, ends[i]);

        for (k = 0; k < 200; k++) {
            keep = k % 4 != 3;
            run("images", 1, (uint8_t *) text, len, k == 0 ? len : k == 1);
            p = keep ? want : text;

            if (out.len != (keep ? wanted : len)
                || memcmp(out.data, p, out.len) != 0)
            {
                diag("%.*s", (int) out.len, (char *) out.data);
                failed++;
                break;
            }
        }
    }

    is_int((int) failed, 0, "a stream of events");
}


/* At most so many values of an answer; of MCP, of an event. */

static void
check_most(void)
{
    size_t  len;

    most = 2;
    keep = 1;

    len = text_of(text, "data: {'b64_json':'#','type':'image_edit.completed'}"
                  "\n\ndata: {'b64_json':'~','type':'image_edit.completed'}"
                  "\n\ndata: {'b64_json':'#','type':'image_edit.completed'}"
                  "\n\ndata: {'b64_json':'#','type':'image_edit.completed'}"
                  "\n\n");
    run("images", 1, (uint8_t *) text, len, 0);
    is_int((int) values, 2, "two of an answer");

    len = text_of(text, MCP("{'type':'image','data':'#'},{'type':'image',"
                            "'data':'~'},{'type':'image','data':'#'},{'type':"
                            "'audio','data':'#'}"));
    run("mcp", 0, (uint8_t *) text, len, 0);
    is_int((int) values, 2, "two of a message");

    len = text_of(want, MCP("{" BLOCK "},{'type':'image','data':'~'},{" BLOCK
                            "},{'type':'audio','data':'#'}"));
    is_mem(out.data, out.len, want, len, "the third stays");

    len = text_of(text, "data: " MCP("{'type':'image','data':'#'},{'type':"
                                     "'image','data':'#'}")
                  "\n\ndata: " MCP("{'type':'image','data':'#'},{'type':"
                                   "'image','data':'#'},{'type':'image',"
                                   "'data':'#'}") "\n\n");
    run("mcp", 1, (uint8_t *) text, len, 0);
    is_int((int) values, 4, "two of each message");

    most = 0;
    run("mcp", 1, (uint8_t *) text, len, 0);
    is_mem(out.data, out.len, text, len, "none at all");

    most = 1000;
}


/* Of a block, a member may be kept that does not fit what is held. */

static void
check_kept(void)
{
    size_t  i, len, wanted;
    char    member[9000], whole[10000];

    keep = 1;

    for (i = 3000; i < 8000; i += 500) {
        (void) sprintf(member, "\"_meta\":{\"a\":\"%0*d\"}", (int) i, 0);

        (void) sprintf(whole, MCP("{'type':'image','data':'#',%s,'x':1}"),
                       member);
        len = text_of(text, whole);
        (void) sprintf(whole, MCP("{" BLOCK ",%s}"), member);
        wanted = text_of(want, whole);

        run("mcp", 0, (uint8_t *) text, len, len);
        is_mem(out.data, out.len, want, wanted, "a long member");
        run("mcp", 0, (uint8_t *) text, len, 0);
        is_mem(out.data, out.len, want, wanted, "cut anywhere");

        /* the same if it goes */

        member[1] = 'X';

        (void) sprintf(whole, MCP("{'type':'image','data':'#',%s,'_meta':1}"),
                       member);
        len = text_of(text, whole);
        wanted = text_of(want, MCP("{" BLOCK ",'_meta':1}"));

        run("mcp", 0, (uint8_t *) text, len, i % 1000 ? len : 0);
        is_mem(out.data, out.len, want, wanted, "one that goes");
    }
}


/* A block of several lines: lines between what is kept stay lines. */

static void
check_lines(void)
{
    size_t       i, len, wanted;
    static const char *const  ends[] = { "\n", "\r\n", "\r" };

    static const char  stream[] =
        "data: {'result':{'content':[{|data: 'type':'image',|data: '_meta':|"
        "data: {},'data':'#','mimeType':|data: 'a/b',|: x|data: 'x':|data: 1,|"
        "data: 'annotations':|data: {|data: }|data: }]}}||data: {}||";

    static const char  becomes[] =
        "data: {'result':{'content':[{" BLOCK ",'_meta':|data: {}|: x|data: |"
        "data: |data: ,'annotations':|data: {|data: }|data: }]}}||data: {}||";

    keep = 1;

    for (i = 0; i < nitems(ends); i++) {
        len = lines_of(text, stream, ends[i]);
        wanted = lines_of(want, becomes, ends[i]);

        run("mcp", 1, (uint8_t *) text, len, len);
        is_mem(out.data, out.len, want, wanted, "lines of a block");

        run("mcp", 1, (uint8_t *) text, len, 0);
        is_mem(out.data, out.len, want, wanted, "cut anywhere");
    }
}


int
main(void)
{
    check_shapes();
    check_contents();
    check_held();
    check_held_behind();
    check_damaged();
    check_events();
    check_most();
    check_kept();
    check_lines();

    return done();
}
