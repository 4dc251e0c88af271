
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Messages with attachments: what is read, what is answered.
 */


#include "core/attachment/attachment_run.h"


static const char  map_text[] =
    "{'services':["
    "{'id':'text-model','capabilities':{'input':['text']}},"
    "{'id':'vision-model','capabilities':{'input':['text','vision']}},"
    "{'id':'multimodal-model',"
     "'capabilities':{'input':['text','vision','audio','file']}},"
    "{'id':'film-model','capabilities':{'input':['text','video']}}],"
    "'agents':["
    "{'id':'vision-agent','serviceId':'vision-model'},"
    "{'id':'multimodal-agent','serviceId':'multimodal-model'}]}";


static int
answers(const char *body, const char *format, unsigned caps,
    const char *want, const char *name)
{
    int    rc;
    char  *b, *w;

    b = quoted(body);
    w = quoted(want);

    answer_len = 0;

    if (read_message(b, strlen(b), 64) == ART_ATTACHMENTS_OK) {
        (void) answer_message(b, format, caps, ART_LANG_ZH);
    }

    rc = is_mem(answer, answer_len, w, strlen(w), name);

    pool_free();
    free(b);
    free(w);

    return rc;
}


/* The words of the design document, to the byte. */

static void
check_words(void)
{
    char              *text;
    art_out_t          out;
    uint8_t            buf[2000];
    art_attachment_t   item;
    art_suggestions_t  none, who;

    static const char  want[] =
        "【收到附件】\n类型: 图片\n文件名: screenshot.png\n"
        "工件ID: artifact:abc123-def456\n文件大小: 1.2 MB\n"
        "MIME类型: image/png\n\n当前模型不支持直接处理此类型内容。\n"
        "如需处理此图片，可以使用 send_message 工具将其转发给"
        "具备视觉理解能力的智能体。\n"
        "建议转发给: vision-agent, multimodal-agent";

    static const char  bare[] =
        "[Attachment received]\n\n"
        "Reading the attachment failed: the artifact does not exist or has "
        "been deleted.";

    static const char  own[] = "own \\\"words\\\"";

    text = quoted(map_text);
    known = map_of(text);
    free(text);

    memset(&item, 0, sizeof(item));
    memset(&none, 0, sizeof(none));

    item.id = art_cstr("abc123-def456");
    item.name = art_cstr("screenshot.png");
    item.mime = art_cstr("image/png");
    item.size = 1258291;
    item.size_known = 1;
    item.kind = ART_KIND_IMAGE;
    item.reason = ART_REASON_CAPABILITY;
    item.outcome = ART_ATTACHED_DESCRIBED;

    art_capmap_suggest(known, ART_CAP_VISION, NULL, &who);

    out = art_out(buf, sizeof(buf));
    art_attachment_words(&out, &item, &who, ART_LANG_ZH, 1, 0);
    is_mem(buf, out.len, want, sizeof(want) - 1, "the document's example");

    out = art_out(buf, sizeof(buf));
    art_attachment_words(&out, &item, &none, ART_LANG_ZH, 0, 0);
    is_mem(buf, out.len, want, (size_t) (strstr(want, "\n建议转发给")
                                         - want), "without agents the same");

    out = art_out(buf, sizeof(buf));
    art_attachment_words(&out, &item, &none, ART_LANG_EN, 0, 0);
    buf[out.len] = '\0';
    ok(strstr((char *) buf, "directly.") != NULL
       && strstr((char *) buf, "send_message") == NULL
       && strstr((char *) buf, "agent") == NULL, "but not in English");

    memset(&item, 0, sizeof(item));
    item.kind = ART_KIND_MAX;
    item.outcome = ART_ATTACHED_GONE;

    out = art_out(buf, sizeof(buf));
    art_attachment_words(&out, &item, &none, ART_LANG_EN, 1, 0);
    is_mem(buf, out.len, bare, sizeof(bare) - 1, "nothing is known of it");

    item.words = art_cstr("own \"words\"");

    out = art_out(buf, sizeof(buf));
    art_attachment_words(&out, &item, &none, ART_LANG_EN, 1, 1);
    is_mem(buf, out.len, own, sizeof(own) - 1, "words of one's own");
}


#define PNG  "data:image/png;base64,UE5HREFUQQ=="

#define WELL(list)                                                            \
    ",'unsupportedAttachments':[],'requiredCapabilities':['text'" list "],"   \
    "'canProcess':true}"

#define SEE  "{'payload':{'text':'look','attachments':['artifact:img']}}"

#define PDF_WORDS                                                             \
    "【收到附件】\\n类型: 文件\\n文件名: r.pdf\\n工件ID: artifact:pdf\\n" \
    "文件大小: 6 B\\nMIME类型: application/pdf\\n\\n"                          \
    "当前模型不支持直接处理此类型内容。\\n" \
    "如需处理此文件，可以使用 send_message 工具将其转发给" \
    "具备文件阅读能力的智能体。\\n建议转发给: multimodal-agent"

#define FILM_WORDS                                                            \
    "【收到附件】\\n类型: 视频\\n文件名: v.mp4\\n工件ID: artifact:mp4\\n" \
    "文件大小: 4 B\\nMIME类型: video/mp4\\n\\n"                                \
    "当前模型不支持直接处理此类型内容。\\n" \
    "如需处理此视频，可以使用 send_message 工具将其转发给" \
    "具备视频理解能力的智能体。\\n建议转发给: multimodal-agent"


static const struct {
    const char  *name;
    const char  *body;
    const char  *format;
    unsigned     caps;
    const char  *want;
} answers_of[] = {

    { "a text",
      "{'payload':{'text':'h\\u00e9 \\/'}}", "route", 0,
      "{'processedContent':[{'type':'text','text':'h\\u00e9 \\/'}]" WELL("") },

    { "nothing at all", "{}", "route", 0, "{'processedContent':[]" WELL("") },

    { "null is nothing", "{'payload':null,'text':null,'attachments':null}",
      "openai", 0,
      "{'processedContent':{'role':'user','content':[]}" WELL("") },

    { "an empty text is no part", "{'text':'','attachments':['txt']}", "openai",
      0, "{'processedContent':{'role':'user','content':[{'type':'text',"
      "'text':'a \\'text\\'\\n'}]}" WELL("") },

    { "a blank one not everywhere", "{'text':' \\n','attachments':['txt']}",
      "anthropic", 0, "{'processedContent':{'role':'user','content':[{'type':"
      "'text','text':'a \\'text\\'\\n'}]}" WELL("") },

    { "but here", "{'text':' \\n'}", "openai", 0,
      "{'processedContent':{'role':'user','content':[{'type':'text','text':"
      "' \\n'}]}" WELL("") },

    { "members at the top", "{'text':'look','attachments':['artifact:img']}",
      "route", ART_CAP_VISION,
      "{'processedContent':[{'type':'text','text':'look'},{'type':'image_url',"
      "'image_url':{'url':'" PNG "'}}]" WELL(",'vision'") },

    { "the payload's go first",
      "{'text':'no','attachments':['pdf'],'payload':{'text':'look',"
      "'attachments':['img']}}", "route", ART_CAP_VISION,
      "{'processedContent':[{'type':'text','text':'look'},{'type':'image_url',"
      "'image_url':{'url':'" PNG "'}}]" WELL(",'vision'") },

    { "a payload that is a text", "{'payload':'x'}", "gemini", 0,
      "{'processedContent':{'role':'user','parts':[{'text':'x'}]}" WELL("") },

    { "openai", SEE, "openai", ART_CAP_VISION,
      "{'processedContent':{'role':'user','content':[{'type':'text','text':"
      "'look'},{'type':'image_url','image_url':{'url':'" PNG "'}}]}"
      WELL(",'vision'") },

    { "openai_responses", SEE, "openai_responses", ART_CAP_VISION,
      "{'processedContent':{'type':'message','role':'user','content':[{'type':"
      "'input_text','text':'look'},{'type':'input_image','detail':'auto',"
      "'image_url':'" PNG "'}]}" WELL(",'vision'") },

    { "gemini", SEE, "gemini", ART_CAP_VISION,
      "{'processedContent':{'role':'user','parts':[{'text':'look'},"
      "{'inlineData':{'mimeType':'image/png','data':'UE5HREFUQQ=='}}]}"
      WELL(",'vision'") },

    { "gemini_interactions", SEE, "gemini_interactions", ART_CAP_VISION,
      "{'processedContent':{'type':'user_input','content':[{'type':'text',"
      "'text':'look'},{'type':'image','mime_type':'image/png','data':"
      "'UE5HREFUQQ=='}]}" WELL(",'vision'") },

    { "bedrock", SEE, "bedrock", ART_CAP_VISION,
      "{'processedContent':{'role':'user','content':[{'text':'look'},{'image':"
      "{'format':'png','source':{'bytes':'UE5HREFUQQ=='}}}]}"
      WELL(",'vision'") },

    { "mcp", SEE, "mcp", ART_CAP_VISION,
      "{'processedContent':{'role':'user','content':[{'type':'text','text':"
      "'look'},{'type':'image','data':'UE5HREFUQQ==','mimeType':'image/png'}]}"
      WELL(",'vision'") },

    { "a file, its type by what the store knows",
      "{'attachments':[{'type':'image','artifactRef':'artifact:pdf','filename':"
      "'claimed.png','size':1,'mimeType':'image/png'}]}", "route",
      ART_CAP_FILE,
      "{'processedContent':[{'type':'file','file':{'filename':'r.pdf',"
      "'mimeType':'application/pdf','data':'JVBERi0x'}}]" WELL(",'file'") },

    { "a name that the store does not know",
      "{'attachments':[{'artifactRef':'mp3','filename':'lied\\n.mp3'}]}",
      "route", ART_CAP_AUDIO,
      "{'processedContent':[{'type':'file','file':{'filename':'lied_.mp3',"
      "'mimeType':'audio/mpeg','data':'SUQz'}}]" WELL(",'audio'") },

    { "an empty text has a line", "{'attachments':['nil']}", "route", 0,
      "{'processedContent':[{'type':'text','text':'工件内容 (e.txt):'}]"
      WELL("") },

    { "a drawing can be read", "{'attachments':['svg']}", "openai",
      ART_CAP_TEXT,
      "{'processedContent':{'role':'user','content':[{'type':'text','text':"
      "'<svg/>'}]}" WELL("") },

    { "URLs that are references", "{'attachments':['https://h/a/i%6dg?x']}",
      "route", ART_CAP_VISION,
      "{'processedContent':[{'type':'image_url','image_url':{'url':'" PNG "'}}]"
      WELL(",'vision'") },

    { "what two cannot have: order, words, needs",
      "{'payload':{'text':'x','attachments':['pdf','img','mp4','pdf']},"
      "'service':'vision-model'}", "route", ART_CAP_VISION,
      "{'processedContent':[{'type':'text','text':'x'},"
      "{'type':'text','text':'" PDF_WORDS "'},"
      "{'type':'image_url','image_url':{'url':'" PNG "'}},"
      "{'type':'text','text':'" FILM_WORDS "'},"
      "{'type':'text','text':'" PDF_WORDS "'}],'unsupportedAttachments':["
      "{'type':'file','artifactRef':'artifact:pdf','filename':'r.pdf','size':6,"
      "'mimeType':'application/pdf','suggestedAgents':['multimodal-agent']},"
      "{'type':'video','artifactRef':'artifact:mp4','filename':'v.mp4',"
      "'size':4,'mimeType':'video/mp4','suggestedAgents':['multimodal-agent']},"
      "{'type':'file','artifactRef':'artifact:pdf','filename':'r.pdf','size':6,"
      "'mimeType':'application/pdf','suggestedAgents':['multimodal-agent']}],"
      "'textDescription':'" PDF_WORDS "\\n\\n" FILM_WORDS "\\n\\n" PDF_WORDS
      "','requiredCapabilities':['text','file','vision','video'],"
      "'canProcess':false}" },

    { "a format that does not take it", "{'attachments':['mp4']}", "anthropic",
      ALL_CAPS,
      "{'processedContent':{'role':'user','content':[{'type':'text','text':"
      "'【收到附件】\\n类型: 视频\\n文件名: v.mp4\\n工件ID: artifact:mp4\\n"
      "文件大小: 4 B\\nMIME类型: video/mp4\\n\\n当前模型的接口不接受此格式，"
      "未附内容。\\n如需处理此视频，可以使用 send_message 工具将其转发给"
      "具备视频理解能力的智能体。'}]},'unsupportedAttachments':[{'type':"
      "'video','artifactRef':'artifact:mp4','filename':'v.mp4','size':4,"
      "'mimeType':'video/mp4'}],'textDescription':'【收到附件】\\n类型: 视频"
      "\\n文件名: v.mp4\\n工件ID: artifact:mp4\\n文件大小: 4 B\\nMIME类型: "
      "video/mp4\\n\\n当前模型的接口不接受此格式，未附内容。\\n如需处理此视频，"
      "可以使用 send_message 工具将其转发给具备视频理解能力的智能体。',"
      "'requiredCapabilities':['text','video'],'canProcess':false}" },

    { "one that is gone, as it is claimed",
      "{'attachments':[{'type':'image','artifactRef':'artifact:gone',"
      "'filename':'a.png','size':2048,'mimeType':'IMAGE/JPG; x=y'}]}", "route",
      ALL_CAPS,
      "{'processedContent':[{'type':'text','text':'【收到附件】\\n类型: 图片\\n"
      "文件名: a.png\\n工件ID: artifact:gone\\n文件大小: 2.0 KB\\nMIME类型: "
      "image/jpeg\\n\\n附件读取失败: 工件不存在或已被删除。'}],"
      "'unsupportedAttachments':[{'type':'image','artifactRef':'artifact:gone',"
      "'filename':'a.png','size':2048,'mimeType':'image/jpeg'}],"
      "'textDescription':'【收到附件】\\n类型: 图片\\n文件名: a.png\\n工件ID: "
      "artifact:gone\\n文件大小: 2.0 KB\\nMIME类型: image/jpeg\\n\\n"
      "附件读取失败: 工件不存在或已被删除。','requiredCapabilities':['text',"
      "'vision'],'canProcess':false}" },

    { "one of which nothing is known", "{'attachments':['gone']}", "route", 0,
      "{'processedContent':[{'type':'text','text':'【收到附件】\\n工件ID: "
      "artifact:gone\\n\\n附件读取失败: 工件不存在或已被删除。'}],"
      "'unsupportedAttachments':[{'artifactRef':'artifact:gone'}],"
      "'textDescription':'【收到附件】\\n工件ID: artifact:gone\\n\\n"
      "附件读取失败: 工件不存在或已被删除。','requiredCapabilities':['text'],"
      "'canProcess':false}" },

    { "one that cannot be read, by its media type",
      "{'attachments':[{'artifactRef':'bad','mimeType':'audio/ogg','size':1.5,"
      "'type':'sound'}]}", "route", 0,
      "{'processedContent':[{'type':'text','text':'【收到附件】\\n类型: 音频\\n"
      "工件ID: artifact:bad\\nMIME类型: audio/ogg\\n\\n附件读取失败: "
      "无法读取文件内容，可稍后凭工件ID重试。'}],'unsupportedAttachments':[{"
      "'type':'audio','artifactRef':'artifact:bad','mimeType':'audio/ogg'}],"
      "'textDescription':'【收到附件】\\n类型: 音频\\n工件ID: artifact:bad\\n"
      "MIME类型: audio/ogg\\n\\n附件读取失败: 无法读取文件内容，"
      "可稍后凭工件ID重试。','requiredCapabilities':['text','audio'],"
      "'canProcess':false}" },

    { "one that nobody can have", "{'attachments':['../\\n','artifact:',{}]}",
      "gemini", 0,
      "{'processedContent':{'role':'user','parts':[{'text':'【收到附件】\\n"
      "工件ID: ../_\\n\\n附件读取失败: 工件引用格式无效。'},{'text':"
      "'【收到附件】\\n工件ID: artifact:\\n\\n"
      "附件读取失败: 工件引用格式无效。'},{'text':'【收到附件】\\n\\n"
      "附件读取失败: 工件引用格式无效。'}]},"
      "'unsupportedAttachments':[{'artifactRef':'../\\n'},{'artifactRef':"
      "'artifact:'},{}],'textDescription':'【收到附件】\\n工件ID: ../_\\n\\n"
      "附件读取失败: 工件引用格式无效。\\n\\n【收到附件】\\n工件ID: artifact:"
      "\\n\\n附件读取失败: 工件引用格式无效。\\n\\n【收到附件】\\n\\n"
      "附件读取失败: 工件引用格式无效。','requiredCapabilities':['text'],"
      "'canProcess':false}" },

    { "a document wants a text", "{'attachments':['pdf','img']}", "bedrock",
      ALL_CAPS,
      "{'processedContent':{'role':'user','content':[{'document':{'format':"
      "'pdf','name':'r-pdf [21ae044c]','source':{'bytes':'JVBERi0x'}}},{'image'"
      ":{'format':'png','source':{'bytes':'UE5HREFUQQ=='}}},{'text':"
      "'工件内容 (r.pdf):'}]}" WELL(",'file','vision'") },

    { "and has one", "{'attachments':['pdf','txt']}", "bedrock", ALL_CAPS,
      "{'processedContent':{'role':'user','content':[{'document':{'format':"
      "'pdf','name':'r-pdf [21ae044c]','source':{'bytes':'JVBERi0x'}}},{'text':"
      "'a \\'text\\'\\n'}]}" WELL(",'file'") },

    { "a program's object, whatever it can read",
      "{'text':'x','attachments':['txt']}", "object", 0,
      "{'processedContent':[{'type':'text','text':'x'},{'id':'txt','content':"
      "'a \\'text\\'\\n','type':'text/plain','createdAt':null,'messageId':null,"
      "'meta':null,'isBinary':false,'mimeType':'text/plain'}]" WELL("") }
};


static const struct {
    const char                 *body;
    art_attachments_status_t    status;
} requests[] = {
    { "", ART_ATTACHMENTS_BAD },
    { "x", ART_ATTACHMENTS_BAD },
    { "[]", ART_ATTACHMENTS_BAD },
    { "'x'", ART_ATTACHMENTS_BAD },
    { "null", ART_ATTACHMENTS_BAD },
    { "{", ART_ATTACHMENTS_BAD },
    { "{}}", ART_ATTACHMENTS_BAD },
    { "{'text':'\xff'}", ART_ATTACHMENTS_BAD },
    { "{'text':1}", ART_ATTACHMENTS_BAD },
    { "{'payload':[]}", ART_ATTACHMENTS_BAD },
    { "{'payload':1}", ART_ATTACHMENTS_BAD },
    { "{'payload':{'text':{}}}", ART_ATTACHMENTS_BAD },
    { "{'attachments':{}}", ART_ATTACHMENTS_BAD },
    { "{'attachments':'artifact:img'}", ART_ATTACHMENTS_BAD },
    { "{'attachments':[1]}", ART_ATTACHMENTS_BAD },
    { "{'attachments':[null]}", ART_ATTACHMENTS_BAD },
    { "{'attachments':[['img']]}", ART_ATTACHMENTS_BAD },
    { "{'attachments':[]}", ART_ATTACHMENTS_OK },
    { " {} ", ART_ATTACHMENTS_OK },
    { "\xef\xbb\xbf{'text':'x'}", ART_ATTACHMENTS_OK },
    { "{'service':1,'model':[],'text':'x'}", ART_ATTACHMENTS_OK },
    { "{'attachments':['1','2','3']}", ART_ATTACHMENTS_OK },
    { "{'attachments':['1','2','3','4']}", ART_ATTACHMENTS_MANY }
};


static void
check_requests(void)
{
    char    *body;
    size_t   i;

    for (i = 0; i < nitems(requests); i++) {
        body = quoted(requests[i].body);
        ok(read_message(body, strlen(body), 3) == requests[i].status,
           "%s is %d", requests[i].body, requests[i].status);
        free(body);
        pool_free();
    }

    body = quoted("\xef\xbb\xbf {'service':'g\\u0070t','text' : 'ab' }");
    (void) read_message(body, strlen(body), 3);
    ok(art_str_eq(asked.service, art_cstr("gpt")), "the service");
    is_mem(body + asked.text.pos, (size_t) (asked.text.end - asked.text.pos),
           "\"ab\"", 4, "the place of the text");
    free(body);
    pool_free();
}


/* A document that comes again has another name. */

static void
check_names(void)
{
    char        *body, *first, *second;
    const char   mark[] = "\"name\":\"";

    body = quoted("{'attachments':['pdf','pdf']}");
    (void) read_message(body, strlen(body), 64);
    (void) answer_message(body, "bedrock", ALL_CAPS, ART_LANG_EN);

    first = strstr((char *) answer, mark);
    second = first != NULL ? strstr(first + 1, mark) : NULL;

    ok(second != NULL && strncmp(first, second, 30) != 0,
       "names are unique in a message");

    free(body);
    pool_free();
}


/* Without agents, services; without either, neither. */

static void
check_services(void)
{
    char  *body, *text;

    art_capmap_destroy(known);

    text = quoted("{'services':[{'id':'eyes','capabilities':{'input':['text',"
                  "'vision']}}]}");
    known = map_of(text);
    free(text);

    body = quoted("{'attachments':['img','mp3']}");
    (void) read_message(body, strlen(body), 64);
    (void) answer_message(body, "route", ART_CAP_TEXT, ART_LANG_EN);

    ok(strstr((char *) answer, "\"mimeType\":\"image/png\","
              "\"suggestedServices\":[\"eyes\"]}") != NULL, "services");
    ok(strstr((char *) answer, "\"mimeType\":\"audio/mpeg\"}]") != NULL,
       "none");
    ok(strstr((char *) answer, "Suggested") == NULL, "nobody to forward it to");

    free(body);
    pool_free();
}


static void
check_memory(void)
{
    long    left;
    char   *body;

    body = quoted("{'service':'s','attachments':['pdf','pdf',{'artifactRef':"
                  "'x','filename':'f','mimeType':'a/b'}]}");

    for (left = 0; ; left++) {
        pool_left = (size_t) left;

        if (read_message(body, strlen(body), 64) == ART_ATTACHMENTS_OK
            && answer_message(body, "bedrock", ALL_CAPS, ART_LANG_EN)
               == ART_OK)
        {
            break;
        }

        pool_free();
    }

    ok(left > 5, "%ld allocations that fail", left);

    pool_left = SIZE_MAX;
    pool_free();
    free(body);
}


int
main(void)
{
    size_t  i;

    check_words();

    for (i = 0; i < nitems(answers_of); i++) {
        answers(answers_of[i].body, answers_of[i].format, answers_of[i].caps,
                answers_of[i].want, answers_of[i].name);
    }

    check_requests();
    check_names();
    check_services();
    check_memory();

    art_capmap_destroy(known);

    return done();
}
