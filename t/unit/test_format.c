
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The formats: every form of every format byte for byte, and what has to hold
 * of them for any names and ids.
 */


#include <jansson.h>

#include "../../src/core/art_format.h"
#include "../../src/core/art_print.h"
#include "../../src/core/art_utf8.h"
#include "tap.h"


#define BYTES  20000


/*
 * What a case is about.  FULL_* have all the metadata there can be, BARE_*
 * nothing that may be absent.
 */

typedef enum {
    IMAGE = 0,
    FILE_PART,
    TEXT,
    FULL_TEXT,
    FULL_FILE,
    BARE_TEXT,
    BARE_IMAGE,
    NO_VISION,
    NO_FILE,
    TOO_LARGE,
    UNREAD,
    UNREAD_TEXT,
    VIEWS
} view_id_t;


static const art_str_t  suggestions[] = {
    art_string("gpt-4-vision"), art_string("claude-3")
};


#define CREATED  "2026-01-01T00:00:00.000Z"
#define UPDATED  "2026-02-03T04:05:06.789Z"

/* Expected texts have ' for ", and BODY where the content stands. */

#define SHOT                                                                  \
    "'id':'abc123','type':'image/png','filename':'shot.png',"                 \
    "'mimeType':'image/png','size':12345,'createdAt':'" CREATED "'"
#define REPORT                                                                \
    "'id':'def456','type':'application/pdf','filename':'r.pdf',"              \
    "'mimeType':'application/pdf','size':2621440"
#define NOTE                                                                  \
    "'id':'n1','type':'note','filename':'a.md','mimeType':'text/markdown',"   \
    "'size':7"
#define FULL(type)                                                            \
    "'id':'ws:w1:YS9iLnR4dA','type':'" type "','filename':'b.txt',"           \
    "'mimeType':'" type "','size':99,'createdAt':'" CREATED "',"              \
    "'updatedAt':'" UPDATED "','messageId':'m-1','workspaceId':'w1',"         \
    "'relativePath':'a/b.txt'"
#define CALL(content)                                                         \
    "{'role':'tool','tool_call_id':'call_1','content':" content "}"
#define PNG_PART                                                              \
    "{'type':'image_url','image_url':{'url':'data:image/png;base64,BODY'}}"
#define PDF_PART                                                              \
    "{'type':'file','file':{'filename':'r.pdf',"                              \
    "'mimeType':'application/pdf','data':'BODY'}}"


static const struct {
    const char  *format;
    view_id_t    view;
    art_lang_t   lang;
    unsigned     json;
    const char  *want;
} cases[] = {
    { "route", IMAGE, ART_LANG_ZH, 0,
      "{'contentType':'image','routing':'image_url',"
      "'content':'工件内容 (shot.png):','imageUrl':" PNG_PART ","
      "'metadata':{" SHOT ",'binaryType':'image'}}" },
    { "route", IMAGE, ART_LANG_EN, 0,
      "{'contentType':'image','routing':'image_url',"
      "'content':'Artifact content (shot.png):','imageUrl':" PNG_PART ","
      "'metadata':{" SHOT ",'binaryType':'image'}}" },
    { "route", FILE_PART, ART_LANG_ZH, 0,
      "{'contentType':'binary','routing':'file',"
      "'content':'工件内容 (r.pdf):','file':" PDF_PART ","
      "'metadata':{" REPORT ",'binaryType':'document'}}" },
    { "route", FILE_PART, ART_LANG_EN, 0,
      "{'contentType':'binary','routing':'file',"
      "'content':'Artifact content (r.pdf):','file':" PDF_PART ","
      "'metadata':{" REPORT ",'binaryType':'document'}}" },
    { "route", TEXT, ART_LANG_ZH, 0,
      "{'contentType':'text','routing':'text','content':'BODY',"
      "'metadata':{" NOTE "}}" },
    { "route", TEXT, ART_LANG_EN, 1,
      "{'contentType':'text','routing':'text','content':'BODY',"
      "'metadata':{" NOTE "}}" },
    { "route", FULL_TEXT, ART_LANG_ZH, 0,
      "{'contentType':'text','routing':'text','content':'BODY',"
      "'metadata':{" FULL("text/plain") ",'truncated':true}}" },
    { "route", FULL_FILE, ART_LANG_EN, 0,
      "{'contentType':'binary','routing':'file',"
      "'content':'Artifact content (b.txt):','file':{'type':'file','file':"
      "{'filename':'b.txt','mimeType':'audio/mpeg','data':'BODY'}},"
      "'metadata':{" FULL("audio/mpeg") ",'binaryType':'audio'}}" },
    { "route", BARE_TEXT, ART_LANG_ZH, 0,
      "{'contentType':'text','routing':'text','content':'BODY',"
      "'metadata':{'id':'x','type':'text/plain','filename':'x',"
      "'mimeType':'text/plain'}}" },
    { "route", NO_VISION, ART_LANG_ZH, 0,
      "{'contentType':'image','routing':'text','content':'BODY',"
      "'metadata':{" SHOT ",'binaryType':'image','reason':'capability',"
      "'requires':'vision',"
      "'suggestedServices':['gpt-4-vision','claude-3']}}" },
    { "route", NO_FILE, ART_LANG_EN, 0,
      "{'contentType':'binary','routing':'text','content':'BODY',"
      "'metadata':{" REPORT ",'binaryType':'document',"
      "'reason':'capability','requires':'file'}}" },
    { "route", TOO_LARGE, ART_LANG_ZH, 0,
      "{'contentType':'binary','routing':'text','content':'BODY',"
      "'metadata':{" REPORT ",'binaryType':'document','reason':'size'}}" },
    { "route", UNREAD, ART_LANG_ZH, 0,
      "{'contentType':'binary','routing':'text','content':'BODY',"
      "'metadata':{" REPORT ",'binaryType':'document','reason':'read'}}" },

    { "route", UNREAD_TEXT, ART_LANG_ZH, 0,
      "{'contentType':'text','routing':'text','content':'BODY',"
      "'metadata':{'id':'t','type':'text/css','filename':'t.css',"
      "'mimeType':'text/css','reason':'read'}}" },

    { "tool_message", IMAGE, ART_LANG_ZH, 0,
      CALL("[{'type':'text','text':'工件内容 (shot.png):'}," PNG_PART "]") },
    { "tool_message", IMAGE, ART_LANG_EN, 0,
      CALL("[{'type':'text','text':'Artifact content (shot.png):'},"
           PNG_PART "]") },
    { "tool_message", FILE_PART, ART_LANG_ZH, 0,
      CALL("[{'type':'text','text':'工件内容 (r.pdf):'}," PDF_PART "]") },
    { "tool_message", TEXT, ART_LANG_ZH, 1,
      CALL("'{\\'status\\':\\'success\\',\\'contentType\\':\\'text\\',"
           "\\'routing\\':\\'text\\',\\'content\\':\\'BODY\\',"
           "\\'metadata\\':{\\'id\\':\\'n1\\',\\'type\\':\\'note\\',"
           "\\'filename\\':\\'a.md\\',\\'mimeType\\':\\'text/markdown\\',"
           "\\'size\\':7}}'") },
    { "tool_message", BARE_TEXT, ART_LANG_EN, 0,
      "{'role':'tool','tool_call_id':'','content':"
      "'{\\'status\\':\\'success\\',\\'contentType\\':\\'text\\',"
      "\\'routing\\':\\'text\\',\\'content\\':\\'BODY\\',"
      "\\'metadata\\':{\\'id\\':\\'x\\',\\'type\\':\\'text/plain\\',"
      "\\'filename\\':\\'x\\',\\'mimeType\\':\\'text/plain\\'}}'}" },
    { "tool_message", NO_VISION, ART_LANG_ZH, 0,
      CALL("'{\\'status\\':\\'success\\',\\'contentType\\':\\'image\\',"
           "\\'routing\\':\\'text\\',\\'content\\':\\'BODY\\',"
           "\\'metadata\\':{\\'id\\':\\'abc123\\',"
           "\\'type\\':\\'image/png\\',\\'filename\\':\\'shot.png\\',"
           "\\'mimeType\\':\\'image/png\\',\\'size\\':12345,"
           "\\'createdAt\\':\\'" CREATED "\\',"
           "\\'binaryType\\':\\'image\\',\\'reason\\':\\'capability\\',"
           "\\'requires\\':\\'vision\\',\\'suggestedServices\\':"
           "[\\'gpt-4-vision\\',\\'claude-3\\']}}'") },

    { "object", IMAGE, ART_LANG_ZH, 0,
      "{'id':'abc123','content':'BODY','type':'image/png',"
      "'createdAt':'" CREATED "','messageId':null,"
      "'meta':{'filename':'shot.png','n':[1,2]},'isBinary':true,"
      "'mimeType':'image/png'}" },
    { "object", FILE_PART, ART_LANG_EN, 0,
      "{'id':'def456','content':'BODY','type':'application/pdf',"
      "'createdAt':null,'messageId':null,'meta':null,'isBinary':true,"
      "'mimeType':'application/pdf'}" },
    { "object", TEXT, ART_LANG_ZH, 0,
      "{'id':'n1','content':'BODY','type':'note','createdAt':null,"
      "'messageId':null,'meta':null,'isBinary':false,"
      "'mimeType':'text/markdown'}" },
    { "object", TEXT, ART_LANG_ZH, 1,
      "{'id':'n1','content':BODY,'type':'note','createdAt':null,"
      "'messageId':null,'meta':null,'isBinary':false,"
      "'mimeType':'text/markdown'}" },
    { "object", FULL_TEXT, ART_LANG_ZH, 0,
      "{'id':'ws:w1:YS9iLnR4dA','content':'BODY','type':'text/plain',"
      "'createdAt':'" CREATED "','messageId':'m-1','meta':{'name':'b.txt',"
      "'filename':'b.txt','workspaceId':'w1','relativePath':'a/b.txt'},"
      "'isBinary':false,'mimeType':'text/plain','truncated':true}" },
    { "object", BARE_IMAGE, ART_LANG_ZH, 0,
      "{'id':'y','content':'BODY','type':'image/gif',"
      "'createdAt':'" UPDATED "','messageId':null,'meta':null,"
      "'isBinary':true,'mimeType':'image/gif'}" },
    { "object", TOO_LARGE, ART_LANG_ZH, 0,
      "{'id':'def456','content':null,'type':'application/pdf',"
      "'createdAt':null,'messageId':null,'meta':null,'isBinary':true,"
      "'mimeType':'application/pdf','reason':'size'}" },
    { "object", UNREAD, ART_LANG_EN, 0,
      "{'id':'def456','content':null,'type':'application/pdf',"
      "'createdAt':null,'messageId':null,'meta':null,'isBinary':true,"
      "'mimeType':'application/pdf','reason':'read'}" },
    { "object", UNREAD_TEXT, ART_LANG_EN, 0,
      "{'id':'t','content':null,'type':'text/css','createdAt':null,"
      "'messageId':null,'meta':null,'isBinary':false,"
      "'mimeType':'text/css','reason':'read'}" }
};


typedef struct {
    art_view_t  view;
    art_meta_t  meta;
} scene_t;


static void
set_names(scene_t *s, const char *id, const char *name, const char *mime,
    art_kind_t kind)
{
    memset(s, 0, sizeof(*s));

    s->view.meta = &s->meta;
    s->view.id = art_cstr(id);
    s->view.name = art_cstr(name);
    s->view.mime = art_cstr(mime);
    s->view.kind = kind;
    s->view.tool_call_id = art_cstr("call_1");
    s->view.decision.routing = kind == ART_KIND_TEXT ? ART_ROUTING_TEXT
                               : kind == ART_KIND_IMAGE ? ART_ROUTING_IMAGE_URL
                               : ART_ROUTING_FILE;
}


static void
set_size(scene_t *s, uint64_t size)
{
    s->view.size = size;
    s->view.size_known = 1;
}


static void
set_described(scene_t *s, art_reason_t reason, const char *requires)
{
    s->view.decision.described = 1;
    s->view.decision.routing = ART_ROUTING_TEXT;
    s->view.decision.reason = reason;
    s->view.decision.requires = requires;
}


static void
set_full(scene_t *s, const char *mime, art_kind_t kind)
{
    set_names(s, "ws:w1:YS9iLnR4dA", "b.txt", mime, kind);
    set_size(s, 99);

    s->view.workspace = art_cstr("w1");
    s->view.path = art_cstr("a/b.txt");
    s->meta.created = art_cstr(CREATED);
    s->meta.updated = art_cstr(UPDATED);
    s->meta.message_id = art_cstr("m-1");
    s->meta.agent_id = art_cstr("agent");
    s->meta.object = art_cstr("{\"not\":\"this\"}");
    s->view.truncated = kind == ART_KIND_TEXT;
}


static void
set_scene(scene_t *s, view_id_t id)
{
    switch (id) {

    case IMAGE:
    case NO_VISION:
        set_names(s, "abc123", "shot.png", "image/png", ART_KIND_IMAGE);
        set_size(s, 12345);
        s->meta.type = art_cstr("image/png");
        s->meta.created = art_cstr(CREATED);
        s->meta.object = art_cstr("{\"filename\":\"shot.png\",\"n\":[1,2]}");

        if (id == NO_VISION) {
            set_described(s, ART_REASON_CAPABILITY, "vision");
            s->view.suggestions = suggestions;
            s->view.nsuggestions = 2;
        }

        return;

    case TEXT:
        set_names(s, "n1", "a.md", "text/markdown", ART_KIND_TEXT);
        set_size(s, 7);
        s->meta.type = art_cstr("note");
        return;

    case FULL_TEXT:
        set_full(s, "text/plain", ART_KIND_TEXT);
        return;

    case FULL_FILE:
        set_full(s, "audio/mpeg", ART_KIND_AUDIO);
        return;

    case BARE_TEXT:
        set_names(s, "x", "x", "text/plain", ART_KIND_TEXT);
        s->view.tool_call_id = art_str(NULL, 0);
        return;

    case UNREAD_TEXT:
        set_names(s, "t", "t.css", "text/css", ART_KIND_TEXT);
        set_described(s, ART_REASON_READ, NULL);
        return;

    case BARE_IMAGE:
        set_names(s, "y", "y", "image/gif", ART_KIND_IMAGE);
        s->meta.updated = art_cstr(UPDATED);
        return;

    default:
        set_names(s, "def456", "r.pdf", "application/pdf",
                  ART_KIND_DOCUMENT);
        set_size(s, 2621440);
    }

    if (id == NO_FILE) {
        set_described(s, ART_REASON_CAPABILITY, "file");

    } else if (id != FILE_PART) {
        set_described(s, id == TOO_LARGE ? ART_REASON_SIZE : ART_REASON_READ,
                      NULL);
    }
}


/* Head, "body" where there is one, and tail; 0 if a measure was wrong. */

static size_t
assemble(uint8_t *dst, const art_format_t *format, const art_view_t *view,
    unsigned json, const char *body)
{
    size_t       head, tail;
    art_out_t    out, measure;
    art_form_t   form;

    form = art_format_form(format, view, json);

    measure = (art_out_t) { NULL, 0, 0 };
    art_format_head(&measure, format, form, view);
    head = measure.len;

    measure.len = 0;
    art_format_tail(&measure, format, form, view);
    tail = measure.len;

    out = (art_out_t) { dst, 0, BYTES };
    art_format_head(&out, format, form, view);

    if (out.len != head) {
        return 0;
    }

    if (strstr(art_format_template(format, form, view), "%B")) {
        art_out_cstr(&out, body);
        head = out.len;
        art_format_tail(&out, format, form, view);

        return out.len == head + tail && out.len <= BYTES ? out.len : 0;
    }

    return tail == 0 ? out.len : 0;
}


static void
check_cases(void)
{
    size_t                i, k, len;
    char                  want[2000];
    scene_t               scene;
    const art_format_t   *format;
    static uint8_t        got[BYTES];

    for (i = 0; i < nitems(cases); i++) {
        (void) snprintf(want, sizeof(want), "%s", cases[i].want);

        for (k = 0; want[k] != '\0'; k++) {
            if (want[k] == '\'') {
                want[k] = '"';
            }
        }

        set_scene(&scene, cases[i].view);
        scene.view.lang = cases[i].lang;
        format = art_format_find(art_cstr(cases[i].format));
        len = format ? assemble(got, format, &scene.view, cases[i].json,
                                "BODY") : 0;

        is_mem(got, len, want, strlen(want), cases[i].format);
    }
}


/* Every view in every format is JSON, for formats that are not above, too. */

static void
check_all(void)
{
    size_t                len;
    json_t               *json;
    scene_t               scene;
    unsigned              i, v, bad;
    const art_format_t   *format;
    static uint8_t        got[BYTES];

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        bad = 0;

        for (v = 0; v < VIEWS * 2; v++) {
            set_scene(&scene, (view_id_t) (v / 2));
            len = assemble(got, format, &scene.view, v % 2, "4711");
            json = json_loadb((char *) got, len, 0, NULL);

            if (json == NULL) {
                diag_mem("got", got, len);
                bad++;
            }

            json_decref(json);
        }

        ok(bad == 0, "\"%s\" is JSON in all forms", format->name);
        ok(art_format_find(art_cstr(format->name)) == format,
           "\"%s\" is found", format->name);
    }
}


static void
check_rows(void)
{
    unsigned             i;
    scene_t              scene;
    const art_format_t  *route, *tool, *object;

    route = art_format_find(art_cstr("route"));
    tool = art_format_find(art_cstr("tool_message"));
    object = art_format_find(art_cstr("object"));

    ok(art_format_find(art_cstr("")) == NULL
       && art_format_find(art_cstr("Route")) == NULL
       && art_format_find(art_cstr("routes")) == NULL
       && art_format_find(art_cstr("rout")) == NULL,
       "no format of another name");

    for (i = 0; art_format_row(i) != NULL; i++) {
        /* void */
    }

    ok(art_format_row(i + 1) == NULL && art_format_row((unsigned) -1) == NULL,
       "no row past the end");

    ok((object->flags & ART_FORMAT_PROGRAM)
       && !(route->flags & ART_FORMAT_PROGRAM)
       && !(tool->flags & ART_FORMAT_PROGRAM), "only object is for programs");

    ok((tool->flags & ART_FORMAT_CALL_ID)
       && !(route->flags & ART_FORMAT_CALL_ID)
       && !(object->flags & ART_FORMAT_CALL_ID),
       "only tool_message has a call id");

    is_int(art_format_body_level(route->text), 1,
           "the text of route is a JSON string");
    is_int(route->described == NULL, 1, "so is its description");
    is_int(art_format_body_level(tool->text), 2,
           "that of tool_message one in another");
    is_int(art_format_body_level(object->text), 1,
           "that of object is one");
    is_int(art_format_body_level(object->json), 0,
           "but not a JSON value");
    is_int(art_format_body_level(object->described), 0,
           "and object has no description");

    set_scene(&scene, TEXT);
    scene.view.decision.routing = ART_ROUTING_RAW;
    is_int(art_format_form(route, &scene.view, 1), ART_FORM_TEXT,
           "text unless told otherwise");
}


/* Names with everything that could break a JSON string. */

typedef struct {
    uint8_t  data[100];
    size_t   len;
} name_t;


static void
random_name(name_t *name, int hostile)
{
    size_t       i, n;
    const char  *piece;

    static const char  *pieces[] = {
        "a", "b.png", "\"", "\\", "\\\\", "/", "工件", "'", "{", "}", "%B",
        "%n", "%", "\xf0\x9f\x98\x80", "\\u0000", "\\n", " ", "\xe2\x80\xa8",
        "\n", "\t", "\x01", "\x1f", "\x7f", "\xff", "\xe5\xb7", "\xc0\x80"
    };

    name->len = 0;

    for (i = 1 + tap_below(8); i > 0; i--) {
        piece = pieces[tap_below(nitems(pieces) - (hostile ? 0 : 8))];
        n = strlen(piece);
        memcpy(name->data + name->len, piece, n);
        name->len += n;
    }
}


/* A JSON string's value against the bytes it was made of, repaired. */

static int
same_text(const json_t *json, const name_t *name)
{
    uint8_t      buf[400];
    art_out_t    out;
    const char  *text;
    int          n;
    size_t       i;

    out = (art_out_t) { buf, 0, sizeof(buf) };

    for (i = 0; i < name->len; i += (size_t) n) {
        n = art_utf8_char(name->data + i, name->len - i);

        if (n > 0) {
            art_out_mem(&out, name->data + i, (size_t) n);
            continue;
        }

        art_out_cstr(&out, "\xef\xbf\xbd");
        n = n < 0 ? -1 - n : (int) (name->len - i);
    }

    text = json_string_value(json);

    return text != NULL && json_string_length(json) == out.len
           && memcmp(text, buf, out.len) == 0;
}


/* The keys of an object in their order, separated by blanks. */

static const char *
keys_of(json_t *object)
{
    void         *it;
    static char   buf[500];

    buf[0] = '\0';

    for (it = json_object_iter(object); it;
         it = json_object_iter_next(object, it))
    {
        (void) snprintf(buf + strlen(buf), sizeof(buf) - strlen(buf), "%s%s",
                        buf[0] ? " " : "", json_object_iter_key(it));
    }

    return buf;
}


static int
has_keys(json_t *object, const char *want)
{
    const char  *got;

    got = keys_of(object);

    if (strcmp(got, want) != 0) {
        diag("keys: %s", got);
        return 0;
    }

    return 1;
}


typedef struct {
    scene_t    scene;
    name_t     id;
    name_t     name;
    name_t     path;
    name_t     call;
    name_t     message;
    name_t     service;
    art_str_t  services[1];
} random_t;


static void
random_scene(random_t *r)
{
    static name_t  mime;

    set_scene(&r->scene, (view_id_t) tap_below(VIEWS));

    random_name(&r->id, 0);
    random_name(&r->name, 0);
    random_name(&r->path, 0);
    random_name(&r->call, 1);
    random_name(&r->message, 1);
    random_name(&r->service, 1);

    r->scene.view.lang = (art_lang_t) tap_below(ART_LANG_MAX);
    r->scene.view.id = art_str(r->id.data, r->id.len);
    r->scene.view.name = art_str(r->name.data, r->name.len);
    r->scene.view.tool_call_id = art_str(r->call.data, r->call.len);
    r->scene.meta.message_id = art_str(r->message.data, r->message.len);

    if (tap_below(4) == 0) {
        random_name(&mime, 1);
        r->scene.meta.type = art_str(mime.data, mime.len);
    }

    if (r->scene.view.workspace.len > 0) {
        r->scene.view.path = art_str(r->path.data, r->path.len);
    }

    r->services[0] = art_str(r->service.data, r->service.len);
    r->scene.view.suggestions = r->services;
    r->scene.view.nsuggestions
        = r->scene.view.decision.reason == ART_REASON_CAPABILITY;
}


static int
good_metadata(json_t *json, const random_t *r)
{
    json_t            *list;
    const art_view_t  *view;

    view = &r->scene.view;
    list = json_object_get(json, "suggestedServices");

    return same_text(json_object_get(json, "id"), &r->id)
           && same_text(json_object_get(json, "filename"), &r->name)
           && same_text(json_object_get(json, "messageId"), &r->message)
           && (view->workspace.len == 0
               || same_text(json_object_get(json, "relativePath"), &r->path))
           && (view->nsuggestions == 0
               ? list == NULL
               : json_array_size(list) == 1
                 && same_text(json_array_get(list, 0), &r->service))
           && !json_object_get(json, "reason")
              == (view->decision.reason == ART_REASON_NONE)
           && !json_object_get(json, "requires")
              == (view->decision.reason != ART_REASON_CAPABILITY)
           && !json_object_get(json, "binaryType")
              == (view->kind == ART_KIND_TEXT);
}


/* The lead-in line has the file's name in it. */

static int
good_lead(const json_t *json, const random_t *r)
{
    name_t       lead;
    const char  *start;

    start = r->scene.view.lang == ART_LANG_ZH ? "工件内容 ("
                                              : "Artifact content (";

    lead.len = strlen(start);
    memcpy(lead.data, start, lead.len);
    memcpy(lead.data + lead.len, r->name.data, r->name.len);
    lead.len += r->name.len;
    memcpy(lead.data + lead.len, "):", 2);
    lead.len += 2;

    return same_text(json, &lead);
}


static int
good_route(json_t *json, const random_t *r)
{
    json_t     *part;
    art_form_t  form;

    form = art_format_form(art_format_find(art_cstr("route")),
                           &r->scene.view, 0);

    if (form == ART_FORM_BASE64 && r->scene.view.kind == ART_KIND_IMAGE) {
        return has_keys(json, "contentType routing content imageUrl metadata")
               && good_lead(json_object_get(json, "content"), r);
    }

    if (form == ART_FORM_BASE64) {
        part = json_object_get(json_object_get(json, "file"), "file");

        return has_keys(json, "contentType routing content file metadata")
               && has_keys(part, "filename mimeType data")
               && same_text(json_object_get(part, "filename"), &r->name)
               && good_lead(json_object_get(json, "content"), r);
    }

    return has_keys(json, "contentType routing content metadata");
}


/* tool_message: an array of two parts, or a JSON text with all of "route". */

static int
good_tool(json_t *json, const random_t *r)
{
    int      good;
    json_t  *content, *inner;

    content = json_object_get(json, "content");

    if (!has_keys(json, "role tool_call_id content")
        || !same_text(json_object_get(json, "tool_call_id"), &r->call))
    {
        return 0;
    }

    if (json_is_array(content)) {
        return json_array_size(content) == 2
               && !r->scene.view.decision.described
               && r->scene.view.kind != ART_KIND_TEXT
               && good_lead(json_object_get(json_array_get(content, 0),
                                            "text"), r);
    }

    inner = json_loadb(json_string_value(content),
                       json_string_length(content), 0, NULL);

    good = inner != NULL
           && has_keys(inner, "status contentType routing content metadata")
           && good_metadata(json_object_get(inner, "metadata"), r);

    json_decref(inner);

    return good;
}


static int
good_object(json_t *json, const random_t *r)
{
    char               want[200];
    const art_view_t  *view;

    view = &r->scene.view;

    (void) snprintf(want, sizeof(want), "id content type createdAt messageId "
                    "meta isBinary mimeType%s%s",
                    view->truncated ? " truncated" : "",
                    view->decision.reason ? " reason" : "");

    return has_keys(json, want)
           && same_text(json_object_get(json, "id"), &r->id)
           && same_text(json_object_get(json, "messageId"), &r->message)
           && json_is_boolean(json_object_get(json, "isBinary"));
}


static void
check_random(void)
{
    int                  good;
    size_t               i, len;
    json_t              *json;
    random_t             r;
    unsigned             failed;
    static uint8_t       got[BYTES];
    const art_format_t  *format;

    static const char   *formats[] = { "route", "tool_message", "object" };

    failed = 0;

    for (i = 0; i < 3000 && failed == 0; i++) {
        random_scene(&r);

        format = art_format_find(art_cstr(formats[i % 3]));
        len = assemble(got, format, &r.scene.view, (unsigned) tap_below(2),
                       "0");
        json = json_loadb((char *) got, len, 0, NULL);

        good = json != NULL
               && (i % 3 == 0 ? good_route(json, &r)
                                && good_metadata(json_object_get(json,
                                                         "metadata"), &r)
                   : i % 3 == 1 ? good_tool(json, &r)
                   : good_object(json, &r));

        if (!good) {
            diag_mem("got", got, len);
            failed++;
        }

        json_decref(json);
    }

    ok(failed == 0, "any names and ids stay in their strings");
}


/* The parts that templates are filled with. */

static void
check_print(void)
{
    uint8_t    buf[600];
    scene_t    scene;
    art_out_t  out;

    out = (art_out_t) { buf, 0, sizeof(buf) };
    art_print_nullable(&out, art_str(NULL, 0));
    art_print_nullable(&out, art_cstr(""));
    art_print_nullable(&out, art_cstr("a\"\\\n工\xff"));
    is_mem(buf, out.len, "null\"\"\"a\\\"\\\\\\n工\xef\xbf\xbd\"", 21,
           "a string or null");

    set_scene(&scene, TEXT);
    ok(art_str_eq(art_print_type(&scene.view), art_cstr("note")),
       "the declared type is the type");

    scene.meta.type = art_str(NULL, 0);
    ok(art_str_eq(art_print_type(&scene.view), art_cstr("text/markdown")),
       "else the media type in effect");

    out.len = 0;
    art_print_metadata(&out, &scene.view, 2);
    is_mem(buf, out.len < 18 ? out.len : 18,
           "{\\\\\\\"id\\\\\\\":\\\\\\\"n1", 18, "metadata two strings deep");

    memset(buf, '#', sizeof(buf));
    out = (art_out_t) { buf, 0, 10 };
    art_print_metadata(&out, &scene.view, 0);
    ok(memcmp(buf, "{\"id\":\"n1\"##", 12) == 0 && out.len > 60,
       "a small room is not overrun");
}


int
main(void)
{
    check_cases();
    check_all();
    check_rows();
    check_random();
    check_print();

    return done();
}
