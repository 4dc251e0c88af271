
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/capability/art_capability.h"
#include "core/render/art_describe.h"
#include "core/attachment/art_attachment.h"


typedef struct {
    const char  *label;
    const char  *forward;        /* who can take it, for another agent */
} art_attachment_type_words_t;


static void art_attachment_line(art_out_t *out, const char *label,
    art_str_t value, unsigned level);
static void art_attachment_reference(art_out_t *out,
    const art_attachment_t *attachment, unsigned level);
static void art_attachment_limit(art_out_t *out,
    const art_attachment_t *attachment, art_lang_t lang, unsigned level);
static void art_attachment_agents(art_out_t *out,
    const art_suggestions_t *suggestions, art_lang_t lang, unsigned level);
static void art_attachment_ids(art_json_put_t *put, const char *key,
    const art_str_t *ids, unsigned n);
static void art_attachment_put(art_out_t *out, const char *text,
    unsigned level);


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


/* By kinds, and one that is not known. */

static const struct {
    art_attachment_type_t   type;
    unsigned                requires;
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
    const char                   *mime;
    const char                   *limits[ART_REASON_READ];
    const char                   *agents;
    const char                   *unread;
    const char                   *gone;
    const char                   *malformed;
    art_attachment_type_words_t   types[ART_ATTACHMENT_UNKNOWN + 1];
} art_attachment_texts[ART_LANG_MAX] = {
    {
        "【收到附件】", "\n类型: ", "\n文件名: ", "\n工件ID: ", "\n文件大小: ",
        "\nMIME类型: ",
        {
            "",
            "\n\n当前模型不支持直接处理此类型内容。",
            "\n\n当前模型的接口不接受此格式，未附内容。",
            "\n\n文件超过允许内联的大小上限，未附内容。"
        },
        "\n建议转发给: ",
        "\n\n附件读取失败: 无法读取文件内容，可稍后凭工件ID重试。",
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
        "\nArtifact ID: ", "\nFile size: ", "\nMIME type: ",
        {
            "",
            "\n\nThe current model cannot process this kind of content "
            "directly.",
            "\n\nThe interface of the current model does not take this "
            "format, the content is left out.",
            "\n\nThe file is larger than may be inlined, its content is left "
            "out."
        },
        "\nSuggested agents: ",
        "\n\nReading the attachment failed: its content could not be read; "
        "it may be tried again later by its artifact ID.",
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


int
art_attachment_is_unsupported(const art_attachment_t *attachment)
{
    return attachment->outcome > ART_ATTACHED_PART;
}


unsigned
art_attachment_requires(const art_attachment_t *attachment)
{
    return art_attachment_kinds[attachment->kind].requires;
}


void
art_attachment_words(art_out_t *out, const art_attachment_t *attachment,
    const art_suggestions_t *suggestions, art_lang_t lang, unsigned level)
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
        art_attachment_reference(out, attachment, level);
    }

    if (attachment->size_known) {
        art_attachment_put(out, art_attachment_texts[lang].size, level);
        art_describe_size(out, attachment->size);
    }

    art_attachment_line(out, art_attachment_texts[lang].mime,
                        attachment->mime, level);

    art_attachment_limit(out, attachment, lang, level);

    if (attachment->outcome == ART_ATTACHED_DESCRIBED) {
        art_attachment_agents(out, suggestions, lang, level);
    }
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


/* What was given for one may be anything: it is one line here. */

static void
art_attachment_reference(art_out_t *out, const art_attachment_t *attachment,
    unsigned level)
{
    if (!attachment->malformed) {
        art_attachment_put(out, "artifact:", level);
    }

    art_describe_id(out, attachment->id, level);
}


static void
art_attachment_limit(art_out_t *out, const art_attachment_t *attachment,
    art_lang_t lang, unsigned level)
{
    const char  *limit;

    switch (attachment->outcome) {

    case ART_ATTACHED_GONE:
        limit = attachment->malformed ? art_attachment_texts[lang].malformed
                                      : art_attachment_texts[lang].gone;
        break;

    case ART_ATTACHED_UNREAD:
        limit = art_attachment_texts[lang].unread;
        break;

    default:
        limit = art_attachment_texts[lang].limits[attachment->reason];
    }

    art_attachment_put(out, limit, level);

    if (attachment->outcome == ART_ATTACHED_DESCRIBED) {
        art_attachment_put(out, art_attachment_texts[lang].types[
                      art_attachment_kinds[attachment->kind].type].forward,
                      level);
    }
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


void
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
        art_attachment_ids(&put, "suggestedAgents", suggestions->agents,
                           suggestions->nagents);

        /* where the map has no agents, somebody has to be made one */

        if (suggestions->nagents == 0) {
            art_attachment_ids(&put, "suggestedServices",
                               suggestions->services, suggestions->nservices);
        }
    }

    art_json_put_end(&put);
}


static void
art_attachment_ids(art_json_put_t *put, const char *key, const art_str_t *ids,
    unsigned n)
{
    unsigned  i;

    if (n == 0) {
        return;
    }

    art_json_put_array(put, key);

    for (i = 0; i < n; i++) {
        art_json_put_string(put, NULL, ids[i]);
    }

    art_json_put_end(put);
}
