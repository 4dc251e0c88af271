
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The formats of the providers: every part byte for byte, the table of what
 * they take, and any content in any pieces.
 */


#include <jansson.h>

#include "core/text/art_base64.h"
#include "core/media/art_media.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_render.h"
#include "exact.h"
#include "provider_part.h"
#include "tap.h"


#define OOXML  "application/vnd.openxmlformats-officedocument."
#define DOCX   OOXML "wordprocessingml.document"
#define PPTX   OOXML "presentationml.presentation"


/* Expected texts have ' for ", and BODY where the content stands. */

static const struct {
    const char  *format;
    const char  *mime;
    const char  *name;
    const char  *want;
} cases[] = {
    { "openai", "image/png", "a.png",
      "{'type':'image_url',"
      "'image_url':{'url':'data:image/png;base64,BODY'}}" },
    { "openai", "audio/mpeg", "a.mp3",
      "{'type':'input_audio',"
      "'input_audio':{'data':'BODY','format':'mp3'}}" },
    { "openai", "audio/wav", "a.wav",
      "{'type':'input_audio',"
      "'input_audio':{'data':'BODY','format':'wav'}}" },
    { "openai", "application/pdf", "r.pdf",
      "{'type':'file','file':{'filename':'r.pdf',"
      "'file_data':'data:application/pdf;base64,BODY'}}" },
    { "openai", "application/pdf", "report",
      "{'type':'file','file':{'filename':'report.pdf',"
      "'file_data':'data:application/pdf;base64,BODY'}}" },
    { "openai", "text/html", "a.html", "{'type':'text','text':'BODY'}" },

    { "openai_responses", "image/gif", "a.gif",
      "{'type':'input_image','detail':'auto',"
      "'image_url':'data:image/gif;base64,BODY'}" },
    { "openai_responses", PPTX, "a.PPTX",
      "{'type':'input_file','filename':'a.PPTX',"
      "'file_data':'data:" PPTX ";base64,BODY'}" },
    { "openai_responses", DOCX, "a.doc",
      "{'type':'input_file','filename':'a.doc.docx',"
      "'file_data':'data:" DOCX ";base64,BODY'}" },
    { "openai_responses", "text/css", "a.css",
      "{'type':'input_text','text':'BODY'}" },

    { "anthropic", "image/jpeg", "a.jpg",
      "{'type':'image','source':{'type':'base64',"
      "'media_type':'image/jpeg','data':'BODY'}}" },
    { "anthropic", "application/pdf", "报告 \"1\".pdf",
      "{'type':'document','title':'报告 \\'1\\'.pdf',"
      "'source':{'type':'base64','media_type':'application/pdf',"
      "'data':'BODY'}}" },
    { "anthropic", "text/plain", "a", "{'type':'text','text':'BODY'}" },

    { "gemini", "image/heic", "a",
      "{'inlineData':{'mimeType':'image/heic','data':'BODY'}}" },
    { "gemini", "audio/mpeg", "a",
      "{'inlineData':{'mimeType':'audio/mp3','data':'BODY'}}" },
    { "gemini", "video/quicktime", "a",
      "{'inlineData':{'mimeType':'video/mov','data':'BODY'}}" },
    { "gemini", "application/pdf", "a",
      "{'inlineData':{'mimeType':'application/pdf','data':'BODY'}}" },
    { "gemini", "application/json", "a", "{'text':'BODY'}" },

    { "bedrock", "image/jpeg", "a",
      "{'image':{'format':'jpeg','source':{'bytes':'BODY'}}}" },
    { "bedrock", "audio/mp4", "a",
      "{'audio':{'format':'mp4','source':{'bytes':'BODY'}}}" },
    { "bedrock", "audio/x-matroska", "a",
      "{'audio':{'format':'mka','source':{'bytes':'BODY'}}}" },
    { "bedrock", "video/3gpp", "a",
      "{'video':{'format':'three_gp','source':{'bytes':'BODY'}}}" },
    { "bedrock", DOCX, "a  v1.2 (x).docx",
      "{'document':{'format':'docx','name':'a v1-2 (x)-docx [430af163]',"
      "'source':{'bytes':'BODY'}}}" },
    { "bedrock", "text/markdown", "a", "{'text':'BODY'}" },

    { "mistral", "image/webp", "a",
      "{'type':'image_url','image_url':'data:image/webp;base64,BODY'}" },
    { "mistral", "audio/wav", "a",
      "{'type':'input_audio','input_audio':'BODY'}" },
    { "mistral", "application/pdf", "a.pdf",
      "{'type':'document_url',"
      "'document_url':'data:application/pdf;base64,BODY',"
      "'document_name':'a.pdf'}" },
    { "mistral", "text/plain", "a", "{'type':'text','text':'BODY'}" },

    { "openrouter", "image/png", "a",
      "{'type':'image_url',"
      "'image_url':{'url':'data:image/png;base64,BODY'}}" },
    { "openrouter", "audio/mp4", "a",
      "{'type':'input_audio',"
      "'input_audio':{'data':'BODY','format':'m4a'}}" },
    { "openrouter", "video/mp4", "a",
      "{'type':'video_url',"
      "'video_url':{'url':'data:video/mp4;base64,BODY'}}" },
    { "openrouter", "application/pdf", "a.pdf",
      "{'type':'file','file':{'filename':'a.pdf',"
      "'file_data':'data:application/pdf;base64,BODY'}}" },
    { "openrouter", "text/plain", "a", "{'type':'text','text':'BODY'}" },

    { "mcp", "image/webp", "a",
      "{'type':'image','data':'BODY','mimeType':'image/webp'}" },
    { "mcp", "audio/amr", "a",
      "{'type':'audio','data':'BODY','mimeType':'audio/amr'}" },
    { "mcp", "video/mp4", "a",
      "{'type':'resource','resource':{'uri':'artifact:ws:w%201:YQ',"
      "'mimeType':'video/mp4','blob':'BODY'}}" },
    { "mcp", "application/zip", "a",
      "{'type':'resource','resource':{'uri':'artifact:ws:w%201:YQ',"
      "'mimeType':'application/zip','blob':'BODY'}}" },
    { "mcp", "text/plain", "a", "{'type':'text','text':'BODY'}" }
};


/* Whether a part is as written, with ' for ". */

static void
is_part(const art_format_t *format, const art_view_t *view, const char *want,
    const char *what)
{
    char            buf[1000];
    size_t          k, len;
    static uint8_t  got[BYTES];

    (void) snprintf(buf, sizeof(buf), "%s", want);

    for (k = 0; buf[k] != '\0'; k++) {
        if (buf[k] == '\'') {
            buf[k] = '"';
        }
    }

    len = assemble(got, format, view, "BODY");

    is_mem(got, len, buf, strlen(buf), what);
}


static void
check_cases(void)
{
    size_t               i;
    art_view_t           view;
    const art_format_t  *format;

    for (i = 0; i < nitems(cases); i++) {
        format = art_format_find(art_cstr(cases[i].format));

        if (!ok(format != NULL, "\"%s\" is a format", cases[i].format)) {
            continue;
        }

        set_view(&view, format, cases[i].mime, art_cstr(cases[i].name));
        is_part(format, &view, cases[i].want, cases[i].mime);
    }
}


/* What is not sent is a link in MCP, where it has a URL that leads to it. */

static void
check_links(void)
{
    art_url_t            url;
    art_view_t           view;
    const art_format_t  *format;

    static const char  text[] = "{'type':'text','text':'BODY'}";

    format = must((void *) (uintptr_t) art_format_find(art_cstr("mcp")));

    set_view(&view, format, "video/mp4", art_cstr("\"v\""));
    memset(&url, 0, sizeof(url));
    url.prefix = art_cstr("https://\"h\"/");
    view.url = &url;

    is_part(format, &view,
            "{'type':'resource','resource':"
            "{'uri':'https://\\'h\\'/ws:w%201:YQ',"
            "'mimeType':'video/mp4','blob':'BODY'}}", "embedded by its URL");

    view.decision.described = 1;
    view.decision.reason = ART_REASON_SIZE;

    is_part(format, &view,
            "{'type':'resource_link','uri':'https://\\'h\\'/ws:w%201:YQ',"
            "'name':'\\'v\\'','mimeType':'video/mp4','description':'BODY'}",
            "a link to what has no known size");

    view.size_known = 1;
    view.size = 7;

    is_part(format, &view,
            "{'type':'resource_link','uri':'https://\\'h\\'/ws:w%201:YQ',"
            "'name':'\\'v\\'','mimeType':'video/mp4','size':7,"
            "'description':'BODY'}", "a link");

    view.decision.reason = ART_REASON_READ;
    is_part(format, &view, text, "none to what cannot be read");

    view.decision.reason = ART_REASON_SIZE;
    view.url = NULL;
    is_part(format, &view, text, "none without a URL");
}


/*
 * The table itself: types are canonical and of the kind that they stand at,
 * so that none is written in vain; each part has a body.
 */

static int
good_types(const art_part_t *part, art_kind_t kind)
{
    size_t            n;
    art_str_t         type;
    const char       *p;
    art_media_type_t  parsed;

    for (p = part->types; *p != '\0'; p += n + (p[n] == ' ')) {
        n = strcspn(p, " ");
        type = art_str(p + (*p == '?'), strcspn(p, " =") - (*p == '?'));

        if (type.len == 0 || type.data[type.len - 1] == '*')
        {
            continue;
        }

        art_media_parse(type, &parsed);

        if (!art_str_eq(type, art_str(parsed.buf, parsed.len))
            || art_media_find(type) == NULL
            || art_media_traits(type).kind != kind)
        {
            diag("%.*s", (int) type.len, (const char *) type.data);
            return 0;
        }
    }

    return 1;
}


/* Text goes as text unless a service asks for something else. */

static int
only_asked(const char *types)
{
    for ( /* void */ ; types != NULL; types = strchr(types, ' ')) {
        types += *types == ' ';

        if (*types != '?') {
            return 0;
        }
    }

    return 1;
}


static void
check_table(void)
{
    unsigned             i, k, bad;
    const art_part_t    *part;
    const art_format_t  *format;

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        bad = strstr(format->text, "\"%B\"") == NULL
              || !only_asked(format->parts[ART_KIND_TEXT].types);

        for (k = 0; k < ART_KIND_MAX; k++) {
            part = &format->parts[k];

            if (part->template == NULL) {
                bad += part->types != NULL || part->max != 0;
                continue;
            }

            bad += strstr(part->template, "%B\"") == NULL
                   || part->types == NULL || *part->types == '\0'
                   || !good_types(part, (art_kind_t) k)
                   || ((part->flags & ART_PART_ENCODED) && part->max % 4);
        }

        is_int(bad, 0, format->name);
    }
}


/* One answer, in pieces; its length, 0 if a promise was broken. */

static size_t
stream(uint8_t *dst, const art_format_t *format, art_view_t *view,
    const uint8_t *src, size_t len)
{
    size_t              n, room, piece, total;
    uint64_t            length;
    uint8_t            *scratch;
    unsigned            promised;
    art_render_t        render;
    const uint8_t      *p;
    art_render_conf_t   conf;

    memset(&conf, 0, sizeof(conf));

    conf.format = format;
    conf.view = view;

    art_render_init(&render, &conf);

    scratch = malloc(render.room);
    total = 0;

    if (scratch == NULL) {
        return 0;
    }

    art_render_memory(&render, scratch, NULL);
    promised = (unsigned) art_render_length(&render, &length);

    while (render.state != ART_RENDER_DONE && total < BYTES - 100) {
        p = src;
        piece = tap_below(len + 1);
        room = ART_JSON_UNIT_MAX + tap_below(60);

        n = piece;
        total += art_render_update(&render, dst + total, room, &p, &n,
                                   piece == len);
        src += piece - n;
        len -= piece - n;
    }

    art_render_close(&render);
    free(scratch);

    return promised && length != total ? 0 : total;
}


/* The longest string anywhere in a value. */

static const char *
longest(json_t *json)
{
    void        *it;
    const char  *s, *best;

    if (json_is_string(json)) {
        return json_string_value(json);
    }

    best = "";

    for (it = json_object_iter(json); it != NULL;
         it = json_object_iter_next(json, it))
    {
        s = longest(json_object_iter_value(it));
        best = strlen(s) > strlen(best) ? s : best;
    }

    return best;
}


/*
 * Any content of any type, in any pieces: the answer is one object, of the
 * length that was promised, and ends its only long string with the content.
 */

static void
check_stream(void)
{
    int                  good, binary;
    size_t               i, k, len, n;
    json_t              *json;
    unsigned             failed;
    art_str_t            name;
    art_view_t           view;
    art_base64_t         base64;
    const char          *mime;
    const uint8_t       *p;
    static uint8_t       src[3000], buf[BYTES], got[BYTES], want[BYTES];
    const art_format_t  *format;

    failed = 0;

    for (i = 0; i < 4000 && failed == 0; i++) {
        k = tap_below(nitems(cases));
        mime = cases[k].mime;
        format = art_format_find(art_cstr(cases[k].format));

        if (format == NULL) {
            failed++;
            break;
        }

        name = art_str(buf, random_name(buf) % 60);
        set_view(&view, format, mime, name);

        binary = view.kind != ART_KIND_TEXT;
        len = 1200 + tap_below(1500);

        for (n = 0; n < len; n++) {
            src[n] = (uint8_t) (binary ? tap_rand() : ' ' + tap_below(90));
        }

        view.size = len;
        view.size_known = i & 1;

        if (binary) {
            p = src;
            n = len;
            memset(&base64, 0, sizeof(base64));
            k = art_base64_update(&base64, want, sizeof(want), &p, &n);
            k += art_base64_final(&base64, want + k, sizeof(want) - k);

        } else {
            memcpy(want, src, len);
            k = len;
        }

        want[k] = '\0';

        n = stream(got, format, &view, src, len);
        json = json_loadb((char *) got, n, 0, NULL);

        good = json_is_object(json)
               && ends_with(longest(json), (const char *) want);

        if (!good) {
            diag("%s, %s, %zu bytes", format->name, mime, len);
            diag_mem("got", got, n);
            failed++;
        }

        json_decref(json);
    }

    ok(failed == 0, "any content in any pieces");
}


int
main(void)
{
    check_cases();
    check_links();
    check_table();
    check_stream();

    return done();
}
