
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_describe.h"
#include "core/expand/art_expand_words.h"


/* Two media types, and what is around them. */

#define ART_WORDS_TYPES  (2 * ART_MEDIA_TYPE_MAX + 8)


static art_str_t art_words_types(const art_message_slot_t *slot,
    art_str_t name, uint8_t *buf);


static const struct {
    const char  *missing;
    const char  *gone;
    const char  *kinds[ART_KIND_MAX];
} art_words[ART_LANG_MAX] = {
    {
        "[无法读取] artifact:", "\n工件不存在或已被删除。",
        { "文本", "图片", "音频", "视频", "文档", "文件" }
    },
    {
        "[Unreadable] artifact:",
        "\nThe artifact does not exist or has been deleted.",
        { "Text", "Image", "Audio", "Video", "Document", "File" }
    }
};


void
art_words_described(art_out_t *out, const art_view_t *view,
    art_str_t description)
{
    art_out_char(out, '"');

    if (description.len > 0) {
        art_json_string(out, description, 1);

    } else {
        art_describe(out, view, 1);
    }

    art_out_char(out, '"');
}


void
art_words_lead(art_out_t *out, const art_view_t *view, unsigned named)
{
    uint8_t  buf[ART_WORDS_LINE];

    art_out_char(out, '"');
    art_describe_lead(out, view, 1);

    if (named) {
        art_json_string(out, art_cstr(" artifact:"), 1);
        art_json_string(out, art_words_line(view->id, buf), 1);
    }

    art_out_char(out, '"');
}


void
art_words_missing(art_out_t *out, art_str_t id, art_lang_t lang)
{
    uint8_t  buf[ART_WORDS_LINE];

    art_out_char(out, '"');
    art_json_string(out, art_cstr(art_words[lang].missing), 1);
    art_json_string(out, art_words_line(id, buf), 1);
    art_json_string(out, art_cstr(art_words[lang].gone), 1);
    art_out_char(out, '"');
}


void
art_words_media(art_out_t *out, const art_message_slot_t *slot,
    art_reason_t reason, art_lang_t lang, unsigned agents)
{
    uint8_t     buf[ART_WORDS_LINE], types[ART_WORDS_LINE + ART_WORDS_TYPES];
    art_str_t   kind;
    art_view_t  view;

    kind = art_cstr(art_words[lang].kinds[slot->kind]);

    memset(&view, 0, sizeof(view));

    view.lang = lang;
    view.agents = agents != 0;
    view.kind = slot->kind;
    view.decision.reason = reason;
    view.mime = slot->mime_type.len > 0 ? slot->mime_type : kind;
    view.size = slot->size;
    view.width = slot->width;
    view.height = slot->height;
    view.size_known = slot->held == ART_HELD_DATA
                      || slot->held == ART_HELD_RUN;
    view.name = slot->name.len > 0 ? slot->name
                : slot->text.len > 0 ? slot->text : kind;
    view.name = art_words_line(view.name, buf);

    if (slot->locked) {
        view.end = ART_END_LOCKED;

    } else if (reason == ART_REASON_READ) {
        view.name = art_words_types(slot, view.name, types);
    }

    art_words_described(out, &view, art_str(NULL, 0));
}


/*
 * A name with the declared type and that of the content behind it, if these are
 * two, in "buf" of ART_WORDS_TYPES bytes more than it has.
 */

static art_str_t
art_words_types(const art_message_slot_t *slot, art_str_t name, uint8_t *buf)
{
    art_out_t  out;

    if (slot->declared.len == 0 || slot->mime_type.len == 0
        || art_str_eq(slot->declared, slot->mime_type))
    {
        return name;
    }

    out = art_out(buf, name.len + ART_WORDS_TYPES);

    art_out_str(&out, name);
    art_out_cstr(&out, " (");
    art_out_str(&out, slot->declared);
    art_out_cstr(&out, ": ");
    art_out_str(&out, slot->mime_type);
    art_out_char(&out, ')');

    return art_str(buf, out.len);
}


void
art_words_short(art_out_t *out, const art_message_slot_t *slot)
{
    uint8_t  buf[ART_WORDS_LINE];

    art_out_cstr(out, "\"[");
    art_json_string(out, slot->mime_type.len > 0
                         ? slot->mime_type
                         : art_cstr(art_kind_name(slot->kind)), 1);

    if (slot->held == ART_HELD_URL || slot->held == ART_HELD_FILE) {

        if (slot->text.len > 0) {
            art_out_cstr(out, ", ");
            art_json_string(out, art_words_line(slot->text, buf), 1);
        }

    } else {
        art_out_cstr(out, ", ");
        art_describe_size(out, slot->size);
    }

    art_out_cstr(out, "]\"");
}


art_str_t
art_words_line(art_str_t text, uint8_t *buf)
{
    size_t     n;
    art_out_t  line;

    n = text.len;

    if (n > ART_WORDS_LABEL) {
        n = art_utf8_cut(text.data, n, ART_WORDS_LABEL);
    }

    line = art_out(buf, ART_WORDS_LINE);
    art_utf8_name(&line, art_str(text.data, n));

    return art_str(buf, line.len < ART_WORDS_LINE ? line.len : ART_WORDS_LINE);
}
