
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Each API, in each position, with each of its parts, for contents of all kinds
 * and readers that see, only read, or are not known.
 */


#include "expand_run.h"
#include "expand_shapes.h"


/* A user's message, with a text where documents need one beside them. */

static const char *
user_shape(size_t s)
{
    return strcmp(shapes[s].api, "bedrock") == 0
           ? "{'messages':[{'role':'user','content':[{'text':'q'},%s]}]}"
           : shapes[s].bodies[ART_ROLE_USER];
}


static const struct {
    const char  *id;
    int          kind;           /* as a bit; 0: text; -1: missing */
    const char  *base64;
    const char  *lead;
    const char  *type;           /* as it is described */
} contents[] = {
    { "img", IMAGE, "UE5HREFUQQ==", "shot.png", "PNG image" },
    { "pdf", DOCUMENT, "JVBERi0x", "r.pdf", "PDF document" },
    { "mp3", AUDIO, "SUQz", "a.mp3", "MP3 audio" },
    { "mp4", VIDEO, "ZnR5cA==", "v.mp4", "MP4 video" },
    { "txt", 0, "YSAidGV4dCIK", "t.txt", "" },
    { "no", -1, "-", "-", "-" }
};


/* What is taken at all, in a tool's result, for any model, and by URL. */

static const struct {
    const char  *api;
    int          takes;
    int          in_tool;
    int          anyone;
    int          fetched;
} takes[] = {
    { "openai", IMAGE | AUDIO | DOCUMENT, IMAGE | AUDIO | DOCUMENT, 0, IMAGE },
    { "openrouter", IMAGE | AUDIO | VIDEO | DOCUMENT,
      IMAGE | AUDIO | VIDEO | DOCUMENT, DOCUMENT, IMAGE | DOCUMENT },
    { "mistral", IMAGE | AUDIO | DOCUMENT, IMAGE | AUDIO | DOCUMENT, 0,
      IMAGE | DOCUMENT },
    { "openai_responses", IMAGE | DOCUMENT, IMAGE | DOCUMENT, 0,
      IMAGE | DOCUMENT },
    { "anthropic", IMAGE | DOCUMENT, IMAGE | DOCUMENT, 0, IMAGE | DOCUMENT },
    { "gemini", IMAGE | AUDIO | VIDEO | DOCUMENT,
      IMAGE | AUDIO | VIDEO | DOCUMENT, 0, IMAGE | DOCUMENT },
    { "bedrock", IMAGE | AUDIO | VIDEO | DOCUMENT,
      IMAGE | VIDEO | DOCUMENT, 0, 0 }
};


static const char *const  readers[] = {
    "sees", "text", "unknown", "fetches"
};


static int
has(const char *text)
{
    return strstr((char *) composed, text) != NULL;
}


/* What of it all should be there, in the order of the rules. */

static int
is_right(const char *api, art_message_role_t role, size_t p, size_t c,
    const char *reader)
{
    int     kind, taken, place;
    char    text[200];
    size_t  i;

    kind = contents[c].kind;

    for (i = 0; strcmp(takes[i].api, api) != 0; i++) { /* void */ }

    if (kind < 0) {
        return has("[Unreadable] artifact:no\\nThe artifact does not exist");
    }

    if (kind == 0) {
        return has("\"a \\\"text\\\"\\n\"") && !has(contents[c].base64);
    }

    taken = kind & takes[i].takes;

    if (strcmp(reader, "text") == 0
        || (strcmp(reader, "unknown") == 0 && !(kind & parts[p].kinds)))
    {
        taken = kind & takes[i].anyone;
    }

    place = role == ART_ROLE_USER ? kind
            : role == ART_ROLE_TOOL ? kind & takes[i].in_tool
            : role == ART_ROLE_ASSISTANT && strcmp(api, "gemini") == 0
            ? kind : 0;

    snprintf(text, sizeof(text), "Artifact content (%s): artifact:%s",
             contents[c].lead, contents[c].id);

    /* the parts of a function response are inline */

    if (taken && place && strcmp(reader, "fetches") == 0
        && (kind & takes[i].fetched)
        && (role != ART_ROLE_TOOL || strcmp(api, "gemini") != 0))
    {
        snprintf(text, sizeof(text), "\"https://h/a/%s\"", contents[c].id);

        return has(text) && !has(contents[c].base64) && !has("[Unreadable]");
    }

    if (taken && place) {
        return has(contents[c].base64) && !has("[Unreadable]");
    }

    if (taken) {
        return has(text) && !has(contents[c].base64);
    }

    snprintf(text, sizeof(text), "[Unreadable] %s (artifact:%s)\\nType: %s",
             contents[c].lead, contents[c].id, contents[c].type);

    return has(text) && !has(contents[c].base64);
}


/* The last place of a word, or NULL. */

static char *
last(const char *word)
{
    char  *found, *next;

    found = NULL;

    for (next = (char *) composed; (next = strstr(next, word)) != NULL; next++)
    {
        found = next;
    }

    return found;
}


/* The answers to both calls are there, with nobody between them. */

static int
has_pair(art_message_role_t role)
{
    char  *one, *two, *user;

    if (role != ART_ROLE_TOOL) {
        return 1;
    }

    one = last("\"c1\"");
    two = last("\"c2\"");
    user = one != NULL ? strstr(one, "\"role\":\"user\"") : NULL;

    return one != NULL && two > one && (user == NULL || user > two);
}


static unsigned
check_one(const char *api, const char *shape, art_message_role_t role,
    size_t p, size_t c, const char *reader)
{
    long           len;
    char           part[400], body[2000], ref[40];
    json_t        *json;
    json_error_t   error;

    snprintf(ref, sizeof(ref), "artifact:%s", contents[c].id);
    snprintf(part, sizeof(part), parts[p].part, ref);
    snprintf(body, sizeof(body), shape, part);
    quote(body);

    len = compose(api, body, reader);

    json = json_loads((char *) composed, JSON_REJECT_DUPLICATES, &error);

    if (len > 0 && json != NULL && has_pair(role)
        && is_right(api, role, p, c, reader))
    {
        json_decref(json);
        return 0;
    }

    diag("%s: %s", reader, body);
    diag("%ld: %s", len, composed);

    json_decref(json);

    return 1;
}


/* Prose that begins as a reference stays what it is, wherever it stands. */

static const struct {
    const char  *api;
    const char  *body;
} strings[] = {
    { "openai", "{'messages':[{'role':'tool','content':'%s'}]}" },
    { "openai", "{'messages':[{'role':'tool','content':[{'type':'text',"
      "'text':'%s'}]}]}" },
    { "openrouter", "{'messages':[{'role':'tool','content':'%s'}]}" },
    { "mistral", "{'messages':[{'content':'%s','role':'tool'}]}" },
    { "openai_responses", "{'input':[{'type':'function_call_output','call_id':"
      "'c','output':'%s'}]}" },
    { "openai_responses", "{'input':[{'type':'custom_tool_call_output',"
      "'output':[{'type':'input_text','text':'%s'}]}]}" },
    { "anthropic", "{'messages':[{'role':'user','content':[{'type':"
      "'tool_result','tool_use_id':'c','content':'%s'}]}]}" },
    { "anthropic", "{'messages':[{'role':'user','content':[{'type':"
      "'tool_result','content':[{'type':'text','text':'%s'}]}]}]}" },
    { "gemini", "{'contents':[{'parts':[{'functionResponse':{'response':"
      "{'output':'%s'}}}]}]}" },
    { "gemini", "{'contents':[{'parts':[{'functionResponse':{'response':"
      "{'result':'%s'}}}]}]}" },
    { "bedrock", "{'messages':[{'role':'user','content':[{'toolResult':"
      "{'content':[{'text':'%s'}]}}]}]}" }
};

static const char *const  prose[] = {
    "artifact:img is stored", "artifact:img\\n", "artifact:txt\\u3000已保存",
    "https://h/a/img is where it is", "artifact:no such file"
};


static unsigned
stays(const char *api, const char *shape, const char *part,
    const char *reader)
{
    long  len;
    char  body[2000];

    snprintf(body, sizeof(body), shape, part);
    quote(body);
    len = compose(api, body, reader);

    return len == (long) strlen(body)
           && memcmp(composed, body, (size_t) len) == 0;
}


static unsigned
changes(const char *api, const char *shape, const char *part,
    const char *reader)
{
    if (stays(api, shape, part, reader)) {
        return 0;
    }

    diag("%s, %s: %s", api, reader, part);
    diag("%s", composed);

    return 1;
}


static void
check_prose(void)
{
    char      part[400];
    size_t    i, k, s;
    unsigned  failed;

    failed = 0;

    for (k = 0; k < nitems(prose); k++) {

        for (i = 0; i < nitems(strings); i++) {
            failed += changes(strings[i].api, strings[i].body, prose[k],
                              "sees");
            failed += changes(strings[i].api, strings[i].body, prose[k],
                              "text");
        }

        for (i = 0; i < nitems(parts); i++) {

            for (s = 0; strcmp(shapes[s].api, parts[i].api) != 0; s++) {
                /* void */
            }

            if (is_data(parts[i].part)) {
                continue;
            }

            snprintf(part, sizeof(part), parts[i].part, prose[k]);
            failed += changes(shapes[s].api, user_shape(s), part, "unknown");
            failed += changes(shapes[s].api, shapes[s].bodies[ART_ROLE_TOOL],
                              part, "leaves");
        }
    }

    is_int(failed, 0, "prose stays, in each position and slot");
}


/*
 * What a client puts into slots itself, of all types: "stays" are those that
 * the API takes, of which the slot knows, and the rest is described.  "%s" is
 * the type, or the name of a format.
 */

#define DOCX  "application/vnd.openxmlformats-officedocument."                \
              "wordprocessingml.document"

#define WEB   " image/png image/jpeg image/gif image/webp image/jpg "

#define OWN_CHAT(api, stays)                                                  \
    { api, stays, "{'type':'image_url','image_url':{'url':"                   \
      "'data:%s;base64,%s'}}" },                                        \
    { api, stays, "{'type':'file','file':{'filename':'n','file_data':"        \
      "'data:%s;base64,%s'}}" }

#define OWN_MISTRAL  WEB "application/pdf audio/mpeg audio/wav "
#define OWN_PICTURES   WEB "application/pdf " DOCX " application/msword "
#define OWN_RESPONSES  OWN_PICTURES "text/plain text/csv application/json "   \
                     "text/x-odd "
#define OWN_ANTHROPIC  WEB "application/pdf "
#define OWN_GEMINI   " image/png image/jpeg image/webp image/jpg "            \
                     "application/pdf audio/mpeg audio/wav video/mp4 "        \
                     "text/plain text/csv "
#define OWN_LINKED   OWN_GEMINI "application/json text/x-odd "
#define OWN_FORMATS  " png jpeg gif webp pdf docx doc mp3 wav mp4 "
#define OWN_BEDROCK  OWN_FORMATS "txt csv "

static const struct {
    const char  *api;
    const char  *stays;
    const char  *part;
} own[] = {
    OWN_CHAT("openai", WEB "application/pdf audio/mpeg audio/wav "),
    OWN_CHAT("openrouter", WEB "application/pdf audio/mpeg audio/wav "
             "video/mp4 "),
    { "mistral", OWN_MISTRAL, "{'type':'image_url','image_url':"
      "'data:%s;base64,%s'}" },
    { "mistral", OWN_MISTRAL, "{'type':'document_url','document_url':"
      "'data:%s;base64,%s'}" },
    { "openai_responses", OWN_PICTURES, "{'type':'input_image','image_url':"
      "'data:%s;base64,%s'}" },
    { "openai_responses", OWN_RESPONSES, "{'type':'input_file','filename':'n',"
      "'file_data':'data:%s;base64,%s'}" },
    { "anthropic", OWN_ANTHROPIC, "{'type':'image','source':{'type':'base64',"
      "'media_type':'%s','data':'%s'}}" },
    { "anthropic", OWN_ANTHROPIC, "{'type':'document','source':{"
      "'media_type':'%s','data':'%s','type':'base64'}}" },
    { "gemini", OWN_GEMINI,
      "{'inlineData':{'mimeType':'%s','data':'%s'}}" },
    { "gemini", OWN_LINKED,
      "{'file_data':{'mime_type':'%s','file_uri':'https://h/x'}}" },
    { "bedrock", OWN_FORMATS,
      "{'image':{'format':'%s','source':{'bytes':'%s'}}}" },
    { "bedrock", OWN_BEDROCK, "{'document':{'format':'%s','name':'n',"
      "'source':{'bytes':'%s'}}}" }
};

typedef struct {
    const char  *type;
    const char  *data;
} own_content_t;

static const own_content_t  own_types[] = {
    { "image/png", "iVBORw0KGgoAAAAASUVORK5CYII=" },
    { "image/jpg", "/9j/2Q==" },
    { "image/gif", "R0lGODlhAQABAAAAADs=" },
    { "image/tiff", "SUkqAAAA" },
    { "image/x-odd", "AAAAAAAA" },
    { "audio/mpeg", "SUQzBAAAAAAAAA==" },
    { "audio/wav", "UklGRgQAAABXQVZF" },
    { "audio/x-odd", "AAAAAAAA" },
    { "video/mp4", "AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29t" },
    { "video/x-odd", "AAAAAAAA" },
    { "application/pdf", "JVBERi0xLjQKJeLjz9MKJSVFT0YK" },
    { DOCX, "UEsDBBQAAAAIAAAAIQA=" },
    { "application/msword", "0M8R4KGxGuEAAAAA" },
    { "application/epub+zip", "UEsDBBQAAAAIAAAAIQA=" },
    { "application/zip", "UEsDBBQAAAAIAAAAIQA=" },
    { "application/x-zip-compressed", "UEsDBBQAAAAIAAAAIQA=" },
    { "application/gzip", "H4sIAAAAAAAAAw==" },
    { "application/x-odd", "AAAAAAAA" },
    { "application/vnd.sqlite3", "U1FMaXRlIGZvcm1hdCAzAA==" },
    { "font/ttf", "AAEAAAAEAAA=" },
    { "text/plain", "YSxiCjEsMgo=" },
    { "text/csv", "YSxiCjEsMgo=" },
    { "application/json", "eyJhIjoxfQo=" },
    { "text/x-odd", "YSxiCjEsMgo=" }
};

static const own_content_t  own_formats[] = {
    { "png", "iVBORw0KGgoAAAAASUVORK5CYII=" },
    { "gif", "R0lGODlhAQABAAAAADs=" },
    { "webp", "UklGRgQAAABXRUJQ" },
    { "tiff", "SUkqAAAA" },
    { "mp3", "SUQzBAAAAAAAAA==" },
    { "mp4", "AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29t" },
    { "pdf", "JVBERi0xLjQKJeLjz9MKJSVFT0YK" },
    { "docx", "UEsDBBQAAAAIAAAAIQA=" },
    { "doc", "0M8R4KGxGuEAAAAA" },
    { "zip", "UEsDBBQAAAAIAAAAIQA=" },
    { "gz", "H4sIAAAAAAAAAw==" },
    { "txt", "YSxiCjEsMgo=" },
    { "csv", "YSxiCjEsMgo=" },
    { "json", "eyJhIjoxfQo=" },
    { "epub", "UEsDBBQAAAAIAAAAIQA=" }
};


/* Whether one of the texts among them is sent as a text. */

static int
has_text(void)
{
    return has("\"a,b\\n1,2\\n\"") || has("\"{\\\"a\\\":1}\\n\"");
}


static void
check_own(void)
{
    char                  part[400], type[120];
    size_t                i, k, s, n;
    int                   sent, url, wrong;
    unsigned              failed;
    const own_content_t  *types;

    for (i = 0; i < nitems(own); i++) {

        for (s = 0; strcmp(shapes[s].api, own[i].api) != 0; s++) {
            /* void */
        }

        n = nitems(own_types);
        types = own_types;

        if (strcmp(own[i].api, "bedrock") == 0) {
            n = nitems(own_formats);
            types = own_formats;
        }

        failed = 0;

        for (k = 0; k < n; k++) {
            snprintf(part, sizeof(part), own[i].part, types[k].type,
                     types[k].data);
            snprintf(type, sizeof(type), " %s ", types[k].type);

            url = strstr(part, "https:") != NULL;

            (void) stays(shapes[s].api, user_shape(s), part, "sees");
            sent = has(url ? "file_uri" : types[k].data);
            wrong = sent != (strstr(own[i].stays, type) != NULL)
                    || (!sent && !(has("[Unreadable]")
                                   && has("does not take this format"))
                        && !has("processing failed") && !has_text());

            /* nothing is withheld from a model that nobody knows */

            (void) stays(shapes[s].api, user_shape(s), part, "unknown");
            wrong |= !has(url ? "file_uri" : types[k].data)
                     && !has("processing failed") && !has_text();

            if (wrong) {
                diag("%s: %s", own[i].api, part);
                diag("%s", composed);
            }

            failed += wrong != 0;
        }

        is_int(failed, 0, own[i].part);
    }
}


/*
 * Base64 that begins as a container: what is declared or named beside it tells
 * what it is, if it can be that.
 */

#define ZIP64  "UEsDBBQAAAAIAAAAIQA="

static void
check_containers(void)
{
    size_t  i, s;

    static const struct {
        const char  *api;
        const char  *part;
        unsigned     stays;
    } cases[] = {
        { "openai", "{'type':'file','file':{'filename':'a.zip','file_data':"
          "'data:application/zip;base64," ZIP64 "'}}", 0 },
        { "openai", "{'type':'file','file':{'file_data':'" ZIP64 "',"
          "'filename':'a.zip'}}", 0 },
        { "openai", "{'type':'file','file':{'file_data':'" ZIP64 "',"
          "'filename':'a.docx'}}", 0 },
        { "openai", "{'type':'image_url','image_url':{'url':"
          "'data:application/octet-stream;base64,"
          "iVBORw0KGgoAAAAASUVORK5CYII='}}", 1 },
        { "openai", "{'type':'file','file':{'file_data':"
          "'data:application/octet-stream;base64,AAAAAAAA'}}", 0 },
        { "openai_responses", "{'type':'input_file','filename':'a.docx',"
          "'file_data':'" ZIP64 "'}", 1 },
        { "openai_responses", "{'type':'input_file','filename':'a',"
          "'file_data':'" ZIP64 "'}", 1 },
        { "openai_responses", "{'type':'input_file','filename':'a.zip',"
          "'file_data':'" ZIP64 "'}", 0 },
        { "gemini", "{'inlineData':{'mimeType':'image/png','data':'" ZIP64
          "'}}", 0 },
        { "gemini", "{'inlineData':{'mimeType':'video/*','data':'AAAA'}}",
          0 },
        { "bedrock", "{'document':{'format':'docx','name':'n','source':"
          "{'bytes':'" ZIP64 "'}}}", 1 },
        { "bedrock", "{'document':{'format':'zip','name':'n','source':"
          "{'bytes':'" ZIP64 "'}}}", 0 },
        { "bedrock", "{'document':{'format':'xls','name':'n','source':"
          "{'bytes':'0M8R4KGxGuEAAAAA'}}}", 1 },
        { "bedrock", "{'document':{'format':'odd','name':'n','source':"
          "{'bytes':'AAAA'}}}", 0 }
    };

    for (i = 0; i < nitems(cases); i++) {

        for (s = 0; strcmp(shapes[s].api, cases[i].api) != 0; s++) {
            /* void */
        }

        (void) stays(shapes[s].api, user_shape(s), cases[i].part, "sees");
        is_int(!has("[Unreadable]") && !has("processing failed"),
               cases[i].stays, cases[i].part);
    }
}


int
main(void)
{
    size_t              s, p, c, r;
    unsigned            failed, n;
    art_message_role_t  role;

    for (s = 0; s < nitems(shapes); s++) {

        for (role = ART_ROLE_USER; role < ART_ROLE_MAX; role++) {
            failed = 0;
            n = 0;

            for (p = 0; p < nitems(parts); p++) {

                if (strcmp(parts[p].api, shapes[s].api) != 0) {
                    continue;
                }

                for (c = 0; c < nitems(contents); c++) {
                    for (r = 0; r < nitems(readers); r++, n++) {
                        failed += check_one(shapes[s].api,
                                            shapes[s].bodies[role], role, p,
                                            c, readers[r]);
                    }
                }
            }

            is_int(failed, 0, shapes[s].api);
            diag("role %u: %u combinations", role, n);
        }
    }

    check_prose();
    check_own();
    check_containers();

    return done();
}
