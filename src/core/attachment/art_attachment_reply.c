
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The answer to a message with attachments, and the words for one that the
 * model does not get, with their reasons for logs.
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/capability/art_capability.h"
#include "core/format/art_route.h"
#include "core/render/art_describe.h"
#include "core/attachment/art_attachment.h"


typedef struct {
    const char  *label;
    const char  *forward;        /* who can take it, for another agent */
} art_attachment_type_words_t;


typedef enum {
    ART_ATTACHMENT_IMAGE = 0,
    ART_ATTACHMENT_AUDIO,
    ART_ATTACHMENT_VIDEO,
    ART_ATTACHMENT_FILE,
    ART_ATTACHMENT_UNKNOWN
} art_attachment_type_t;


static const char  *art_attachment_types[] = {
    "image", "audio", "video", "file", NULL
};


/* By kind; the last row is for unknown ones. */

static const struct {
    art_attachment_type_t   type;
    unsigned                requires;        /* ART_CAP_*, or 0 */
} art_attachment_kinds[ART_KIND_MAX + 1] = {
    { ART_ATTACHMENT_FILE, 0 },
    { ART_ATTACHMENT_IMAGE, ART_CAP_VISION },
    { ART_ATTACHMENT_AUDIO, ART_CAP_AUDIO },
    { ART_ATTACHMENT_VIDEO, ART_CAP_VIDEO },
    { ART_ATTACHMENT_FILE, ART_CAP_FILE },
    { ART_ATTACHMENT_FILE, ART_CAP_FILE },
    { ART_ATTACHMENT_UNKNOWN, 0 }
};


static const struct {
    const char                   *begin;
    const char                   *type;
    const char                   *name;
    const char                   *id;
    const char                   *size;
    const char                   *pixels;
    const char                   *mime;
    const char                   *limits[ART_REASON_READ];
    const char                   *agents;
    const char                   *unread;
    const char                   *cut;
    const char                   *locked;
    const char                   *gone;
    const char                   *malformed;
    art_attachment_type_words_t   types[ART_ATTACHMENT_UNKNOWN + 1];
} art_attachment_texts[ART_LANG_MAX] = {
    {
        "【收到附件】", "\n类型: ", "\n文件名: ", "\n工件ID: ", "\n文件大小: ",
        "\n像素: ", "\nMIME类型: ",
        {
            "",
            "\n\n当前模型不支持直接处理此类型内容。",
            "\n\n当前模型的接口不接受此格式，未附内容。",
            "\n\n文件超过允许内联的大小上限，未附内容。",
            "\n\n当前模型不支持直接处理此类型内容。",
            "\n\n图片的像素尺寸超过当前模型接口的上限，未附内容。"
        },
        "\n建议转发给: ",
        "\n\n附件读取失败: 无法读取文件内容，可稍后凭工件ID重试。",
        "\n\n附件读取失败: 无法读取文件内容，请检查文件是否损坏。",
        "\n\n附件读取失败: 文件受密码保护，请移除密码后重试。",
        "\n\n附件读取失败: 工件不存在或已被删除。",
        "\n\n附件读取失败: 工件引用格式无效。",
        {
            { "图片", "\n如需处理此图片，可以使用 send_message 工具将其"
              "转发给具备视觉理解能力的智能体。" },
            { "音频", "\n如需处理此音频，可以使用 send_message 工具将其"
              "转发给具备音频理解能力的智能体。" },
            { "视频", "\n如需处理此视频，可以使用 send_message 工具将其"
              "转发给具备视频理解能力的智能体。" },
            { "文件", "\n如需处理此文件，可以使用 send_message 工具将其"
              "转发给具备文件阅读能力的智能体。" },
            { NULL, "" }
        }
    },
    {
        "[Attachment received]", "\nType: ", "\nFile name: ",
        "\nArtifact ID: ", "\nFile size: ", "\nPixels: ", "\nMIME type: ",
        {
            "",
            "\n\nThe current model cannot process this kind of content "
            "directly.",
            "\n\nThe interface of the current model does not take this "
            "format, the content is left out.",
            "\n\nThe file is larger than may be inlined, its content is left "
            "out.",
            "\n\nThe current model cannot process this kind of content "
            "directly.",
            "\n\nThe image has more pixels on a side than the interface of "
            "the current model takes, the content is left out."
        },
        "\nSuggested agents: ",
        "\n\nReading the attachment failed: its content could not be read; "
        "it may be tried again later by its artifact ID.",
        "\n\nReading the attachment failed: its content could not be read; "
        "please check whether the file is damaged.",
        "\n\nReading the attachment failed: the file is protected by a "
        "password; please remove the password.",
        "\n\nReading the attachment failed: the artifact does not exist or "
        "has been deleted.",
        "\n\nReading the attachment failed: the artifact reference is "
        "malformed.",
        {
            { "Image", "\nTo have this image processed, forward it with the "
              "send_message tool to an agent that understands images." },
            { "Audio", "\nTo have this audio processed, forward it with the "
              "send_message tool to an agent that understands audio." },
            { "Video", "\nTo have this video processed, forward it with the "
              "send_message tool to an agent that understands video." },
            { "File", "\nTo have this file processed, forward it with the "
              "send_message tool to an agent that reads files." },
            { NULL, "" }
        }
    }
};


static void art_reply_open(const art_reply_t *reply, art_out_t *out);
static void art_reply_words(const art_reply_t *reply, art_out_t *out);
static void art_reply_close(const art_reply_t *reply, art_out_t *out);
static void art_reply_unsupported(const art_reply_t *reply, art_out_t *out);
static void art_reply_tail(const art_reply_t *reply, art_out_t *out);
static art_reply_step_t art_reply_go(art_reply_t *reply,
    art_reply_state_t state);
static art_reply_step_t art_reply_attachment(art_reply_t *reply);
static art_reply_step_t art_reply_listed(art_reply_t *reply, uint32_t from,
    art_reply_state_t state, art_reply_state_t then);
static art_reply_step_t art_reply_content_end(art_reply_t *reply);
static unsigned art_reply_has_text(const art_reply_t *reply);
static void art_reply_suggest(const art_reply_t *reply,
    const art_attachment_t *attachment, art_suggestions_t *suggestions);
static int art_reply_rename(const art_reply_t *reply, art_view_t *view,
    const art_pool_t *pool);
static void art_attachment_line(art_out_t *out, const char *label,
    art_str_t value, unsigned level);
static void art_attachment_limit(art_out_t *out,
    const art_attachment_t *attachment, art_lang_t lang, unsigned level);
static void art_attachment_agents(art_out_t *out,
    const art_suggestions_t *suggestions, art_lang_t lang, unsigned level);
static void art_attachment_put(art_out_t *out, const char *text,
    unsigned level);
static void art_attachment_print(art_out_t *out,
    const art_attachment_t *attachment,
    const art_suggestions_t *suggestions);


void
art_reply_init(art_reply_t *reply, const art_reply_conf_t *conf)
{
    memset(reply, 0, sizeof(*reply));

    reply->conf = *conf;
}


art_reply_step_t
art_reply_next(art_reply_t *reply)
{
    switch (reply->state) {

    case ART_REPLY_AT_START:
        return art_reply_go(reply, ART_REPLY_AT_OPEN);

    case ART_REPLY_AT_OPEN:

        if (!art_reply_has_text(reply)) {
            return art_reply_attachment(reply);
        }

        reply->state = ART_REPLY_AT_TEXT;
        return ART_REPLY_TEXT;

    case ART_REPLY_AT_TEXT:
        reply->parts++;
        reply->has_text = 1;
        return art_reply_go(reply, ART_REPLY_AT_TEXT_END);

    case ART_REPLY_AT_TEXT_END:
        return art_reply_attachment(reply);

    case ART_REPLY_AT_COMMA:

        if (reply->conf.message->items[reply->at].outcome
            != ART_ATTACHED_PENDING)
        {
            return art_reply_content_end(reply);
        }

        reply->state = ART_REPLY_AT_CONTENT;
        return ART_REPLY_CONTENT;

    case ART_REPLY_AT_CONTENT:
        return art_reply_content_end(reply);

    case ART_REPLY_AT_WORDS:
        reply->at++;
        return art_reply_attachment(reply);

    case ART_REPLY_AT_CLOSE:
        reply->listed = 0;
        return art_reply_listed(reply, 0, ART_REPLY_AT_UNSUPPORTED,
                                ART_REPLY_AT_DESCRIBED);

    case ART_REPLY_AT_UNSUPPORTED:
        reply->listed++;
        return art_reply_listed(reply, reply->at + 1,
                                ART_REPLY_AT_UNSUPPORTED,
                                ART_REPLY_AT_DESCRIBED);

    case ART_REPLY_AT_DESCRIBED:
        reply->listed = 0;
        return art_reply_listed(reply, 0, ART_REPLY_AT_DESCRIPTION,
                                ART_REPLY_AT_TAIL);

    case ART_REPLY_AT_DESCRIPTION:
        reply->listed++;
        return art_reply_listed(reply, reply->at + 1,
                                ART_REPLY_AT_DESCRIPTION,
                                ART_REPLY_AT_TAIL);

    default:
        reply->state = ART_REPLY_AT_END;
        return ART_REPLY_END;
    }
}


static art_reply_step_t
art_reply_go(art_reply_t *reply, art_reply_state_t state)
{
    reply->state = state;

    return ART_REPLY_PIECE;
}


/* The step for attachment reply->at, or for what follows the last one. */

static art_reply_step_t
art_reply_attachment(art_reply_t *reply)
{
    return art_reply_go(reply, reply->at < reply->conf.message->n
                               ? ART_REPLY_AT_COMMA : ART_REPLY_AT_CLOSE);
}


static art_reply_step_t
art_reply_content_end(art_reply_t *reply)
{
    art_attachment_t  *attachment;

    attachment = &reply->conf.message->items[reply->at];

    reply->parts++;

    if (art_attachment_is_unsupported(attachment)) {
        attachment->filed = 0;
        reply->unsupported++;
        reply->has_text = 1;

        return art_reply_go(reply, ART_REPLY_AT_WORDS);
    }

    if (attachment->filed) {
        reply->has_document = 1;

    } else if (attachment->kind == ART_KIND_TEXT) {
        reply->has_text = 1;
    }

    reply->at++;

    return art_reply_attachment(reply);
}


/* Sets "state" if there is one more unsupported attachment, else "then". */

static art_reply_step_t
art_reply_listed(art_reply_t *reply, uint32_t from, art_reply_state_t state,
    art_reply_state_t then)
{
    const art_attachments_t  *message;

    message = reply->conf.message;
    reply->at = from;

    while (reply->at < message->n
           && !art_attachment_is_unsupported(&message->items[reply->at]))
    {
        reply->at++;
    }

    return art_reply_go(reply, reply->at < message->n ? state : then);
}


void
art_reply_print(const art_reply_t *reply, art_out_t *out)
{
    switch (reply->state) {

    case ART_REPLY_AT_OPEN:
        art_reply_open(reply, out);
        break;

    case ART_REPLY_AT_TEXT_END:
        art_out_char(out, '}');
        break;

    case ART_REPLY_AT_COMMA:
        art_out_cstr(out, reply->parts > 0 ? "," : "");
        break;

    case ART_REPLY_AT_WORDS:
        art_out_cstr(out, reply->conf.format->message.text);
        art_out_char(out, '"');
        art_reply_words(reply, out);
        art_out_cstr(out, "\"}");
        break;

    case ART_REPLY_AT_CLOSE:
        art_reply_close(reply, out);
        break;

    case ART_REPLY_AT_UNSUPPORTED:
        art_reply_unsupported(reply, out);
        break;

    case ART_REPLY_AT_DESCRIBED:
        art_out_cstr(out, reply->unsupported > 0 ? "],\"textDescription\":\""
                                                 : "]");
        break;

    case ART_REPLY_AT_DESCRIPTION:
        art_reply_words(reply, out);
        break;

    default:  /* ART_REPLY_AT_TAIL */
        art_reply_tail(reply, out);
    }
}


static void
art_reply_open(const art_reply_t *reply, art_out_t *out)
{
    art_out_cstr(out, "{\"processedContent\":");
    art_out_cstr(out, reply->conf.format->message.open);

    if (art_reply_has_text(reply)) {
        art_out_cstr(out, reply->conf.format->message.text);
    }
}


/* No format takes an empty text as a part, and some reject a blank one. */

static unsigned
art_reply_has_text(const art_reply_t *reply)
{
    const art_attachments_t  *message;

    message = reply->conf.message;

    return message->text.end - message->text.pos > sizeof("\"\"") - 1
           && (!message->blank
               || !(reply->conf.format->flags & ART_FORMAT_FILLED));
}


/* An empty line separates the words of several attachments. */

static void
art_reply_words(const art_reply_t *reply, art_out_t *out)
{
    art_suggestions_t        suggestions;
    const art_attachment_t  *attachment;

    attachment = &reply->conf.message->items[reply->at];

    if (reply->listed > 0) {
        art_out_cstr(out, "\\n\\n");
    }

    art_reply_suggest(reply, attachment, &suggestions);
    art_attachment_words(out, attachment, &suggestions, reply->conf.lang,
                         art_capmap_has_agents(reply->conf.map), 1);
}


static void
art_reply_close(const art_reply_t *reply, art_out_t *out)
{
    uint32_t                     i;
    art_view_t                   view;
    art_attachments_t           *message;
    const art_format_message_t  *shape;

    message = reply->conf.message;
    shape = &reply->conf.format->message;

    if (shape->needs_text && reply->has_document && !reply->has_text) {

        memset(&view, 0, sizeof(view));
        view.lang = reply->conf.lang;

        for (i = 0; !message->items[i].filed; i++) {
            /* void */
        }

        view.name = message->items[i].name;

        art_out_char(out, ',');
        art_out_cstr(out, shape->text);
        art_out_char(out, '"');
        art_describe_lead(out, &view, 1);
        art_out_cstr(out, "\"}");
    }

    art_out_cstr(out, shape->close);
    art_out_cstr(out, ",\"unsupportedAttachments\":[");
}


static void
art_reply_unsupported(const art_reply_t *reply, art_out_t *out)
{
    art_suggestions_t        suggestions;
    const art_attachment_t  *attachment;

    attachment = &reply->conf.message->items[reply->at];

    if (reply->listed > 0) {
        art_out_char(out, ',');
    }

    art_reply_suggest(reply, attachment, &suggestions);
    art_attachment_print(out, attachment, &suggestions);
}


static void
art_reply_suggest(const art_reply_t *reply, const art_attachment_t *attachment,
    art_suggestions_t *suggestions)
{
    memset(suggestions, 0, sizeof(*suggestions));

    if (reply->conf.map != NULL && attachment->needs != 0) {
        art_capmap_suggest(reply->conf.map, attachment->needs,
                           reply->conf.except, suggestions);
    }
}


/* What the attachments need: each capability once, in order. */

static void
art_reply_tail(const art_reply_t *reply, art_out_t *out)
{
    uint32_t                  i;
    unsigned                  bit, seen;
    art_json_put_t            put;
    const art_attachments_t  *message;

    message = reply->conf.message;

    if (reply->unsupported > 0) {
        art_out_char(out, '"');
    }

    art_json_put_init(&put, out, 0);

    /* continues the object */

    put.depth = 1;
    put.more = 1;

    art_json_put_array(&put, "requiredCapabilities");
    art_json_put_string(&put, NULL, art_cstr("text"));

    seen = 0;

    for (i = 0; i < message->n; i++) {
        bit = art_attachment_kinds[message->items[i].kind].requires;

        if (bit != 0 && !(seen & bit)) {
            art_json_put_string(&put, NULL, art_capability_name(bit));
        }

        seen |= bit;
    }

    art_json_put_end(&put);
    art_json_put_bool(&put, "canProcess", reply->unsupported == 0);
    art_json_put_end(&put);
}


int
art_reply_decide(art_reply_t *reply, art_view_t *view, unsigned empty,
    const art_pool_t *pool)
{
    art_decision_t      *decision;
    const art_format_t  *format;
    art_attachment_t    *attachment;

    attachment = &reply->conf.message->items[reply->at];
    format = reply->conf.format;
    decision = &view->decision;

    /* the claimed name is better than one made of the id or of a URL */

    if (view->meta->name.data == NULL && view->workspace.len == 0
        && attachment->name.data != NULL)
    {
        view->name = attachment->name;
    }

    view->id = attachment->id;
    view->lang = reply->conf.lang;

    attachment->name = view->name;
    attachment->mime = view->mime.len > 0 ? view->mime : art_str(NULL, 0);
    attachment->kind = decision->kind;
    attachment->size = view->size;
    attachment->width = view->width;
    attachment->height = view->height;
    attachment->end = view->end;
    attachment->size_known = view->size_known;
    attachment->reason = decision->reason;
    attachment->needs = decision->needs;
    attachment->filed = decision->routing == ART_ROUTING_FILE
                        && (decision->kind == ART_KIND_DOCUMENT
                            || decision->kind == ART_KIND_TEXT);

    view->kind = decision->kind;

    if (decision->described && decision->reason != ART_REASON_NONE) {
        attachment->outcome = decision->reason == ART_REASON_READ
                              ? ART_ATTACHED_UNREAD : ART_ATTACHED_DESCRIBED;
        return ART_OK;
    }

    attachment->outcome = ART_ATTACHED_PART;

    /* an empty text is replaced by the line that introduces it */

    if (decision->kind == ART_KIND_TEXT && empty
        && !(format->flags & ART_FORMAT_PROGRAM))
    {
        decision->described = 1;
    }

    return attachment->filed && (format->name_rule.flags & ART_FILENAME_PLAIN)
           ? art_reply_rename(reply, view, pool) : ART_OK;
}


/*
 * Names that have to be unique in a message are made of the id, and of a number
 * if the same document comes again.
 */

static int
art_reply_rename(const art_reply_t *reply, art_view_t *view,
    const art_pool_t *pool)
{
    uint32_t                 i, nth;
    art_out_t                out;
    const art_attachment_t  *items;

    items = reply->conf.message->items;
    nth = 0;

    for (i = 0; i < reply->at; i++) {
        nth += !items[i].malformed && art_str_eq(items[i].id, view->id);
    }

    if (nth == 0) {
        return ART_OK;
    }

    out = art_out(NULL, 0);

    do {
        art_out_str(&out, view->id);
        art_out_char(&out, '#');
        art_out_uint(&out, nth);
    } while (art_out_again(&out, pool));

    if (out.data == NULL) {
        return ART_ERROR;
    }

    view->id = art_str(out.data, out.len);

    return ART_OK;
}


int
art_attachment_is_unsupported(const art_attachment_t *attachment)
{
    return attachment->outcome > ART_ATTACHED_PART;
}


void
art_attachment_words(art_out_t *out, const art_attachment_t *attachment,
    const art_suggestions_t *suggestions, art_lang_t lang, unsigned agents,
    unsigned level)
{
    const char  *type;

    if (attachment->words.len > 0) {
        art_json_string(out, attachment->words, level);
        return;
    }

    type = art_attachment_texts[lang].types[
                      art_attachment_kinds[attachment->kind].type].label;

    art_attachment_put(out, art_attachment_texts[lang].begin, level);

    if (type != NULL) {
        art_attachment_line(out, art_attachment_texts[lang].type,
                            art_cstr(type), level);
    }

    art_attachment_line(out, art_attachment_texts[lang].name,
                        attachment->name, level);

    if (attachment->id.data != NULL) {
        art_attachment_put(out, art_attachment_texts[lang].id, level);
        art_attachment_put(out, attachment->malformed ? "" : "artifact:",
                           level);

        /* a malformed one may be anything: it is printed as one line */

        art_describe_id(out, attachment->id, level);
    }

    if (attachment->size_known) {
        art_attachment_put(out, art_attachment_texts[lang].size, level);
        art_describe_size(out, attachment->size);
    }

    if (attachment->reason == ART_REASON_PIXELS) {
        art_attachment_put(out, art_attachment_texts[lang].pixels, level);
        art_describe_pixels(out, attachment->width, attachment->height);
    }

    art_attachment_line(out, art_attachment_texts[lang].mime,
                        attachment->mime, level);

    art_attachment_limit(out, attachment, lang, level);

    if (attachment->outcome != ART_ATTACHED_DESCRIBED) {
        return;
    }

    /* the Chinese words are those of a platform, whatever its map has */

    if (agents || lang == ART_LANG_ZH) {
        art_attachment_put(out, art_attachment_texts[lang].types[
                      art_attachment_kinds[attachment->kind].type].forward,
                      level);
    }

    art_attachment_agents(out, suggestions, lang, level);
}


static void
art_attachment_line(art_out_t *out, const char *label, art_str_t value,
    unsigned level)
{
    if (value.data != NULL) {
        art_attachment_put(out, label, level);
        art_json_string(out, value, level);
    }
}


static void
art_attachment_limit(art_out_t *out, const art_attachment_t *attachment,
    art_lang_t lang, unsigned level)
{
    const char  *limit;

    switch (attachment->outcome) {

    case ART_ATTACHED_GONE:
    case ART_ATTACHED_EXPIRED:
        limit = attachment->malformed ? art_attachment_texts[lang].malformed
                                      : art_attachment_texts[lang].gone;
        break;

    case ART_ATTACHED_UNREAD:
        limit = art_attachment_texts[lang].unread;

        if (attachment->end == ART_END_CUT) {
            limit = art_attachment_texts[lang].cut;

        } else if (attachment->end == ART_END_LOCKED) {
            limit = art_attachment_texts[lang].locked;
        }

        break;

    default:
        limit = art_attachment_texts[lang].limits[attachment->reason];
    }

    art_attachment_put(out, limit, level);
}


static void
art_attachment_agents(art_out_t *out, const art_suggestions_t *suggestions,
    art_lang_t lang, unsigned level)
{
    unsigned  i;

    for (i = 0; i < suggestions->nagents; i++) {
        art_attachment_put(out,
                           i == 0 ? art_attachment_texts[lang].agents : ", ",
                           level);
        art_json_string(out, suggestions->agents[i], level);
    }
}


static void
art_attachment_put(art_out_t *out, const char *text, unsigned level)
{
    art_json_string(out, art_cstr(text), level);
}


/* The same for programs: an object of the members that are known. */

static void
art_attachment_print(art_out_t *out, const art_attachment_t *attachment,
    const art_suggestions_t *suggestions)
{
    const char      *type;
    art_json_put_t   put;

    type = art_attachment_types[art_attachment_kinds[attachment->kind].type];

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);

    art_json_put_string(&put, "type", type != NULL ? art_cstr(type)
                                                   : art_str(NULL, 0));
    art_json_put_prefixed(&put, "artifactRef",
                          attachment->malformed ? "" : "artifact:",
                          attachment->id);
    art_json_put_string(&put, "filename", attachment->name);

    if (attachment->size_known) {
        art_json_put_number(&put, "size", attachment->size);
    }

    art_json_put_string(&put, "mimeType", attachment->mime);

    if (attachment->outcome == ART_ATTACHED_DESCRIBED) {
        if (suggestions->nagents > 0) {
            art_json_put_strings(&put, "suggestedAgents", suggestions->agents,
                                 suggestions->nagents);

        } else if (suggestions->nservices > 0) {

            /* without agents in the map a service has to stand in for one */

            art_json_put_strings(&put, "suggestedServices",
                                 suggestions->services, suggestions->nservices);
        }
    }

    art_json_put_end(&put);
}


void
art_attachment_reasons(const art_attachments_t *attachments,
    art_reasons_t *reasons)
{
    uint32_t                 i;
    art_str_t                id;
    const char              *reason;
    const art_attachment_t  *item;

    static const char  prefix[] = "artifact:";

    for (i = 0; i < attachments->n; i++) {
        item = &attachments->items[i];
        id = item->id;

        /* kept as it was given */

        if (item->malformed && id.len > sizeof(prefix) - 1
            && memcmp(id.data, prefix, sizeof(prefix) - 1) == 0)
        {
            id = art_str(id.data + sizeof(prefix) - 1,
                         id.len - (sizeof(prefix) - 1));
        }

        reason = art_attachment_reason(item);

        if (reason != NULL) {
            art_reasons_add(reasons, id, ART_KIND_OTHER, reason);

        } else if (item->derived.len > 0) {
            art_reasons_derived(reasons, id, ART_KIND_OTHER, item->derived);
        }
    }
}


const char *
art_attachment_reason(const art_attachment_t *attachment)
{
    switch (attachment->outcome) {

    case ART_ATTACHED_GONE:
        return "missing";

    case ART_ATTACHED_EXPIRED:
        return "expired";

    case ART_ATTACHED_UNREAD:
        return art_reason_name(ART_REASON_READ);

    case ART_ATTACHED_DESCRIBED:

        if (attachment->unconverted) {
            return art_reason_name(ART_REASON_CONVERSION);
        }

        return attachment->reason == ART_REASON_NONE
               ? "empty" : art_reason_name(attachment->reason);

    default:
        return NULL;
    }
}
