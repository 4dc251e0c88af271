
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The formats: every form of every format byte for byte, and the parts that
 * they are filled with.
 */


#include <jansson.h>

#include "core/render/art_format.h"
#include "format_scene.h"
#include "tap.h"


/* Expected texts have ' for ", and BODY where the content stands. */

#define SHOT                                                                  \
    "'id':'abc123','type':'image/png','filename':'shot.png',"                 \
    "'mimeType':'image/png','size':12345,'createdAt':'" CREATED "'"
#define REPORT                                                                \
    "'id':'def456','type':'application/pdf','filename':'r.pdf',"              \
    "'mimeType':'application/pdf','size':2621440"
#define SHOT_AS(type)                                                         \
    "'id':'abc123','type':'image/png','filename':'shot.png',"                 \
    "'mimeType':'image/png','derivedType':'" type "','size':12345,"           \
    "'createdAt':'" CREATED "'"
#define REPORT_AS(type)                                                       \
    "'id':'def456','type':'application/pdf','filename':'r.pdf',"              \
    "'mimeType':'application/pdf','derivedType':'" type "','size':2621440"
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
#define JPEG_PART                                                             \
    "{'type':'image_url','image_url':{'url':'data:image/jpeg;base64,BODY'}}"
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
      "'mimeType':'text/css','reason':'read'}" },

    /* a derived content: parts are made of it, metadata of its origin */

    { "route", DERIVED_IMAGE, ART_LANG_ZH, 0,
      "{'contentType':'image','routing':'image_url',"
      "'content':'工件内容 (shot.jpg):','imageUrl':" JPEG_PART ","
      "'metadata':{" SHOT_AS("image/jpeg") ",'binaryType':'image'}}" },
    { "route", DERIVED_TEXT, ART_LANG_ZH, 0,
      "{'contentType':'text','routing':'text',"
      "'content':'工件内容 (r.pdf, 由 application/pdf 转换):\\nBODY',"
      "'metadata':{" REPORT_AS("text/plain") ",'binaryType':'document'}}" },
    { "route", DERIVED_CUT, ART_LANG_EN, 0,
      "{'contentType':'text','routing':'text',"
      "'content':'Content of r.pdf, converted from application/pdf:\\nBODY',"
      "'metadata':{" REPORT_AS("text/plain") ",'binaryType':'document',"
      "'truncated':true}}" },
    { "route", DERIVED_UNNAMED, ART_LANG_ZH, 0,
      "{'contentType':'text','routing':'text',"
      "'content':'工件内容 (由 image/gif 转换):\\nBODY',"
      "'metadata':{'id':'y','type':'image/gif','mimeType':'image/gif',"
      "'derivedType':'text/markdown','binaryType':'image'}}" },
    { "route", DERIVED_UNNAMED, ART_LANG_EN, 0,
      "{'contentType':'text','routing':'text',"
      "'content':'Content converted from image/gif:\\nBODY',"
      "'metadata':{'id':'y','type':'image/gif','mimeType':'image/gif',"
      "'derivedType':'text/markdown','binaryType':'image'}}" },
    { "tool_message", DERIVED_IMAGE, ART_LANG_ZH, 0,
      CALL("[{'type':'text','text':'工件内容 (shot.jpg):'}," JPEG_PART "]") },
    { "tool_message", DERIVED_TEXT, ART_LANG_EN, 0,
      CALL("'{\\'status\\':\\'success\\',\\'contentType\\':\\'text\\',"
           "\\'routing\\':\\'text\\',\\'content\\':\\'Content of r.pdf, "
           "converted from application/pdf:\\\\nBODY\\',"
           "\\'metadata\\':{\\'id\\':\\'def456\\',"
           "\\'type\\':\\'application/pdf\\',\\'filename\\':\\'r.pdf\\',"
           "\\'mimeType\\':\\'application/pdf\\',"
           "\\'derivedType\\':\\'text/plain\\',\\'size\\':2621440,"
           "\\'binaryType\\':\\'document\\'}}'") },
    { "object", DERIVED_SMALL, ART_LANG_ZH, 0,
      "{'id':'ws:w1:YS9iLnR4dA','content':'BODY','type':'image/png',"
      "'createdAt':'" CREATED "','messageId':'m-1',"
      "'meta':{'name':'b.txt','filename':'b.txt','workspaceId':'w1',"
      "'relativePath':'a/b.txt'},"
      "'isBinary':true,'mimeType':'image/png','derivedType':'image/webp'}" },
    { "object", DERIVED_TEXT, ART_LANG_EN, 0,
      "{'id':'def456','content':'Content of r.pdf, converted from "
      "application/pdf:\\nBODY','type':'application/pdf','createdAt':null,"
      "'messageId':null,'meta':null,'isBinary':false,"
      "'mimeType':'application/pdf','derivedType':'text/plain'}" },
    { "openai", DERIVED_IMAGE, ART_LANG_ZH, 0, JPEG_PART },
    { "openai", DERIVED_TEXT, ART_LANG_ZH, 0,
      "{'type':'text','text':'工件内容 (r.pdf, 由 application/pdf 转换):"
      "\\nBODY'}" },
    { "anthropic", DERIVED_TEXT, ART_LANG_EN, 0,
      "{'type':'text','text':'Content of r.pdf, converted from "
      "application/pdf:\\nBODY'}" },
    { "gemini", DERIVED_IMAGE, ART_LANG_EN, 0,
      "{'inlineData':{'mimeType':'image/jpeg','data':'BODY'}}" }
};


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


static unsigned
level(const art_format_t *format, art_form_t form, const scene_t *scene)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    return art_format_print(&out, format, form, &scene->view, 0);
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

    set_scene(&scene, TEXT);
    is_int(level(route, ART_FORM_TEXT, &scene), 1,
           "the text of route is a JSON string");
    is_int(route->described == NULL, 1, "so is its description");
    is_int(level(tool, ART_FORM_TEXT, &scene), 2,
           "that of tool_message one in another");
    is_int(level(object, ART_FORM_TEXT, &scene), 1,
           "that of object is one");
    is_int(level(object, ART_FORM_JSON, &scene), 0,
           "but not a JSON value");
    is_int(level(object, ART_FORM_DESCRIBED, &scene), 0,
           "and object has no description");

    scene.view.decision.routing = ART_ROUTING_RAW;
    is_int(art_format_form(route, &scene.view, 1), ART_FORM_TEXT,
           "text unless told otherwise");
}


/* Whether the text of "object" has this in it. */

static int
object_has(scene_t *scene, const char *want)
{
    size_t               n;
    const art_format_t  *object;
    static uint8_t       buf[BYTES + 1];

    object = art_format_find(art_cstr("object"));
    n = assemble(buf, object, &scene->view, 0, "BODY");
    buf[n] = '\0';

    return strstr((const char *) buf, want) != NULL;
}


/* The parts that templates are filled with. */

static void
check_parts(void)
{
    uint8_t    buf[600];
    scene_t    scene;
    art_out_t  out;

    set_scene(&scene, TEXT);
    ok(object_has(&scene, "\"createdAt\":null,\"messageId\":null"),
       "null for what is absent");

    scene.meta.created = art_cstr("a\"\\\n工\xff");
    scene.meta.message_id = art_cstr("");
    ok(object_has(&scene, "\"createdAt\":\"a\\\"\\\\\\n工\xef\xbf\xbd\","
                          "\"messageId\":\"\""), "else a string");

    ok(object_has(&scene, "\"type\":\"note\""),
       "the declared type is the type");

    scene.meta.type = art_str(NULL, 0);
    ok(object_has(&scene, "\"type\":\"text/markdown\""),
       "else the media type in effect");

    memset(buf, '#', sizeof(buf));
    out = (art_out_t) { buf, 0, 30 };
    (void) art_format_print(&out, art_format_find(art_cstr("route")),
                            ART_FORM_TEXT, &scene.view, 1);
    ok(memcmp(buf + 14, "\"id\":\"n1\"", 9) == 0 && buf[30] == '#'
       && out.len > 60, "a small room is not overrun");
}


int
main(void)
{
    check_cases();
    check_all();
    check_rows();
    check_parts();

    return done();
}
