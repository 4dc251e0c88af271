
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_describe.h"


/* Ids are written in pieces of so many bytes. */

#define ART_DESCRIBE_PIECE  64


static const char *art_describe_advice(const art_view_t *view);
static void art_words_put(art_out_t *out, const char *words, unsigned level);


/*
 * The fixed words, a row for each language.  Limits are indexed by reason, and
 * so is what may be done: "advice", or "alone", unless it is NULL, where there
 * are no agents.  A model that no map has is told the same as one that lacks
 * the capability: the difference concerns only the operator.
 */

static const struct {
    const char  *unreadable;
    const char  *type;
    const char  *size;
    const char  *pixels;
    const char  *limits[ART_REASON_READ];
    const char  *advice[ART_REASON_READ];
    const char  *alone[ART_REASON_READ];
    const char  *failed;
    const char  *failed_end;
    const char  *locked_end;
    const char  *lead;
    const char  *content_of;
    const char  *content;
    const char  *from;
    const char  *from_end;
} art_words[ART_LANG_MAX] = {
    {
        "[无法读取] ", "类型: ", "大小: ", "像素: ",
        {
            "",
            "当前模型不支持读取此类文件。",
            "当前模型的接口不接受此格式，未附内容。",
            "文件超过允许内联的大小上限，未附内容。",
            "当前模型不支持读取此类文件。",
            "图片的像素尺寸超过当前模型接口的上限，未附内容。"
        },
        {
            "",
            "建议创建具备相应能力的智能体协助处理。",
            "建议转换为受支持的格式，或创建可读取该格式的智能体协助处理。",
            "建议拆分文件或改用其他方式读取。",
            "建议创建具备相应能力的智能体协助处理。",
            "建议缩小图片后再读取。"
        },
        { NULL },
        "[文件处理失败: ",
        "]\n错误: 无法读取文件内容\n请检查文件是否损坏",
        "]\n错误: 文件受密码保护\n请移除密码后重试",
        "工件内容 (",
        "工件内容 (", "工件内容 (",
        "由 ", " 转换):\n"
    },
    {
        "[Unreadable] ", "Type: ", "Size: ", "Pixels: ",
        {
            "",
            "The current model cannot read this kind of file. ",
            "The interface of the current model does not take this format, "
            "the content is left out. ",
            "The file is larger than may be inlined, its content is left "
            "out. ",
            "The current model cannot read this kind of file. ",
            "The image has more pixels on a side than the interface of the "
            "current model takes, its content is left out. "
        },
        {
            "",
            "Consider creating an agent with the required capability to help.",
            ("Consider converting it, or creating an agent that can read it "
             "to help."),
            "Consider splitting it or reading it in another way.",
            "Consider creating an agent with the required capability to help.",
            "Consider scaling it down."
        },
        {
            NULL,
            "Consider asking for it in another form.",
            "Consider converting it.",
            NULL,
            "Consider asking for it in another form.",
            NULL
        },
        "[File processing failed: ",
        "]\nError: the file content could not be read\n"
        "Please check whether the file is damaged",
        "]\nError: the file is protected by a password\n"
        "Please remove the password",
        "Artifact content (",
        "Content of ", "Content ",
        "converted from ", ":\n"
    }
};


void
art_describe(art_out_t *out, const art_view_t *view, unsigned level)
{
    const art_view_t  *stored;

    stored = view->origin != NULL ? view->origin : view;

    if (view->decision.reason == ART_REASON_NONE) {
        art_describe_lead(out, view, level);
        return;
    }

    if (view->decision.reason == ART_REASON_READ) {
        art_words_put(out, art_words[view->lang].failed, level);
        art_json_string(out, stored->name, level);
        art_words_put(out, view->end == ART_END_LOCKED
                           ? art_words[view->lang].locked_end
                           : art_words[view->lang].failed_end, level);
        return;
    }

    art_words_put(out, art_words[view->lang].unreadable, level);
    art_json_string(out, stored->name, level);

    if (stored->id.data != NULL) {
        art_words_put(out, " (artifact:", level);
        art_describe_id(out, stored->id, level);
        art_words_put(out, ")", level);
    }

    art_words_put(out, "\n", level);

    art_words_put(out, art_words[view->lang].type, level);
    art_json_string(out, art_media_friendly(stored->mime, view->lang), level);
    art_words_put(out, "\n", level);

    if (stored->size_known) {
        art_words_put(out, art_words[view->lang].size, level);
        art_describe_size(out, stored->size);
        art_words_put(out, "\n", level);
    }

    if (view->decision.reason == ART_REASON_PIXELS && stored->width > 0) {
        art_words_put(out, art_words[view->lang].pixels, level);
        art_describe_pixels(out, stored->width, stored->height);
        art_words_put(out, "\n", level);
    }

    art_words_put(out, art_words[view->lang].limits[view->decision.reason],
                  level);
    art_words_put(out, art_describe_advice(view), level);
}


static const char *
art_describe_advice(const art_view_t *view)
{
    const char  *alone;

    alone = art_words[view->lang].alone[view->decision.reason];

    return alone != NULL && !view->agents
           ? alone : art_words[view->lang].advice[view->decision.reason];
}


void
art_describe_id(art_out_t *out, art_str_t id, unsigned level)
{
    size_t     n;
    uint8_t    buf[3 * ART_DESCRIBE_PIECE];
    art_out_t  line;

    while (id.len > 0) {
        n = art_utf8_cut(id.data, id.len, ART_DESCRIBE_PIECE);

        line = art_out(buf, sizeof(buf));

        art_utf8_name(&line, art_str(id.data, n));
        art_json_string(out, art_str(buf, line.len), level);

        id.data += n;
        id.len -= n;
    }
}


void
art_describe_lead(art_out_t *out, const art_view_t *view, unsigned level)
{
    art_words_put(out, art_words[view->lang].lead, level);
    art_json_string(out, view->name, level);
    art_words_put(out, "):", level);
}


void
art_describe_converted(art_out_t *out, const art_view_t *view,
    unsigned level)
{
    const art_view_t  *origin;

    origin = view->origin;

    if (origin->name.len > 0) {
        art_words_put(out, art_words[view->lang].content_of, level);
        art_json_string(out, origin->name, level);
        art_words_put(out, ", ", level);

    } else {
        art_words_put(out, art_words[view->lang].content, level);
    }

    art_words_put(out, art_words[view->lang].from, level);
    art_json_string(out, origin->mime, level);
    art_words_put(out, art_words[view->lang].from_end, level);
}


static void
art_words_put(art_out_t *out, const char *words, unsigned level)
{
    art_json_string(out, art_cstr(words), level);
}


void
art_describe_size(art_out_t *out, uint64_t size)
{
    unsigned  unit;
    uint64_t  tenths, scale;

    static const char  *units[] = { "B", "KB", "MB", "GB", NULL };

    if (size < 1024) {
        art_out_uint(out, size);
        art_out_cstr(out, " B");
        return;
    }

    unit = 0;
    scale = 1;

    do {
        unit++;
        scale *= 1024;

        /* whole and fraction apart: ten times size may overflow */

        tenths = size / scale * 10
                 + (size % scale * 10 + scale / 2) / scale;

    } while (tenths >= 10240 && units[unit + 1] != NULL);

    art_out_uint(out, tenths / 10);
    art_out_char(out, '.');
    art_out_uint(out, tenths % 10);
    art_out_char(out, ' ');
    art_out_cstr(out, units[unit]);
}


void
art_describe_pixels(art_out_t *out, uint32_t width, uint32_t height)
{
    art_out_uint(out, width);
    art_out_char(out, 'x');
    art_out_uint(out, height);
}
