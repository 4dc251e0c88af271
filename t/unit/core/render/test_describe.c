
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Words for people: sizes, descriptions of contents that are not sent, and the
 * line that leads in those that are.
 */


#include <jansson.h>

#include "core/render/art_describe.h"
#include "core/text/art_utf8.h"
#include "out_buf.h"
#include "tap.h"


static const struct {
    uint64_t     size;
    const char  *want;
} sizes[] = {
    { 0, "0 B" },
    { 1, "1 B" },
    { 1023, "1023 B" },
    { 1024, "1.0 KB" },
    { 1075, "1.0 KB" },
    { 1076, "1.1 KB" },
    { 1536, "1.5 KB" },
    { 10240, "10.0 KB" },
    { 102400, "100.0 KB" },
    { 1048524, "1023.9 KB" },
    { 1048525, "1.0 MB" },
    { 1048575, "1.0 MB" },
    { 1048576, "1.0 MB" },
    { 1258291, "1.2 MB" },
    { 20971520, "20.0 MB" },
    { 1073689395, "1023.9 MB" },
    { 1073689396, "1.0 GB" },
    { 1073741823, "1.0 GB" },
    { 1073741824, "1.0 GB" },
    { 1099511627776, "1024.0 GB" },
    { UINT64_MAX, "17179869184.0 GB" }
};


#define CANNOT_ZH                                                             \
    "当前模型不支持读取此类文件。建议创建具备相应能力的智能体协助处理。"
#define CANNOT_EN                                                             \
    "The current model cannot read this kind of file. Consider creating an "  \
    "agent with the required capability to help."


/* What the contract writes out, in Chinese and English. */

static const struct {
    const char     *id;
    const char     *name;
    const char     *mime;
    int64_t         size;        /* -1: not known */
    art_reason_t    reason;
    const char     *zh;
    const char     *en;
} descriptions[] = {
    { "abc123", "shot.png", "image/png", 1258291, ART_REASON_CAPABILITY,
      "[无法读取] shot.png (artifact:abc123)\n类型: PNG 图片\n"
      "大小: 1.2 MB\n" CANNOT_ZH,
      "[Unreadable] shot.png (artifact:abc123)\nType: PNG image\n"
      "Size: 1.2 MB\n" CANNOT_EN },
    { "def456", "report.pdf", "application/pdf", 5, ART_REASON_CAPABILITY,
      "[无法读取] report.pdf (artifact:def456)\n类型: PDF 文档\n"
      "大小: 5 B\n" CANNOT_ZH,
      "[Unreadable] report.pdf (artifact:def456)\nType: PDF document\n"
      "Size: 5 B\n" CANNOT_EN },
    { "ghi789", "录音.mp3", "audio/mpeg", -1, ART_REASON_CAPABILITY,
      "[无法读取] 录音.mp3 (artifact:ghi789)\n类型: MP3 音频\n" CANNOT_ZH,
      "[Unreadable] 录音.mp3 (artifact:ghi789)\nType: MP3 audio\n"
      CANNOT_EN },
    { "ws:w1:YQ", "a", "application/x-new", 0, ART_REASON_CAPABILITY,
      "[无法读取] a (artifact:ws:w1:YQ)\n类型: application/x-new\n"
      "大小: 0 B\n" CANNOT_ZH,
      "[Unreadable] a (artifact:ws:w1:YQ)\nType: application/x-new\n"
      "Size: 0 B\n" CANNOT_EN },
    { "x", "x.bin", "application/octet-stream", 1024, ART_REASON_CAPABILITY,
      "[无法读取] x.bin (artifact:x)\n类型: 二进制文件\n"
      "大小: 1.0 KB\n" CANNOT_ZH,
      "[Unreadable] x.bin (artifact:x)\nType: binary file\n"
      "Size: 1.0 KB\n" CANNOT_EN },
    { "x", "x.zip", "application/zip", 1, ART_REASON_TYPE,
      "[无法读取] x.zip (artifact:x)\n类型: ZIP 压缩包\n大小: 1 B\n"
      "当前模型的接口不接受此格式，未附内容。"
      "建议转换为受支持的格式，或创建可读取该格式的智能体协助处理。",
      "[Unreadable] x.zip (artifact:x)\nType: ZIP archive\nSize: 1 B\n"
      "The interface of the current model does not take this format, the "
      "content is left out. Consider converting it, or creating an agent "
      "that can read it to help." },
    { "x", "x.png", "image/png", 1024, ART_REASON_PIXELS,
      "[无法读取] x.png (artifact:x)\n类型: PNG 图片\n大小: 1.0 KB\n"
      "像素: 9000x6000\n"
      "图片的像素尺寸超过当前模型接口的上限，未附内容。"
      "建议缩小图片后再读取。",
      "[Unreadable] x.png (artifact:x)\nType: PNG image\nSize: 1.0 KB\n"
      "Pixels: 9000x6000\n"
      "The image has more pixels on a side than the interface of the current "
      "model takes, its content is left out. Consider scaling it down." },
    { "p/a)\n\x1b[2J\xe2\x80\xae\xff", "x.zip", "application/zip", 1,
      ART_REASON_CAPABILITY,
      "[无法读取] x.zip (artifact:p/a)__[2J_\xef\xbf\xbd)\n"
      "类型: ZIP 压缩包\n大小: 1 B\n" CANNOT_ZH, NULL },
    { "x", "xxx.pdf", "application/pdf", 5, ART_REASON_READ,
      "[文件处理失败: xxx.pdf]\n错误: 无法读取文件内容\n"
      "请检查文件是否损坏", NULL }
};


/* A size as a description states it, terminated. */

static char *
size_text(uint64_t size)
{
    char        *text, *end;
    art_out_t    out;
    art_view_t   view;

    memset(&view, 0, sizeof(view));

    view.lang = ART_LANG_EN;
    view.mime = art_cstr("image/png");
    view.size = size;
    view.size_known = 1;
    view.decision.reason = ART_REASON_CAPABILITY;

    out = new_out();
    art_describe(&out, &view, 0);
    buf[out.len < BYTES ? out.len : 0] = '\0';

    text = strstr((char *) buf, "\nSize: ");
    end = text != NULL ? strchr(text + 1, '\n') : NULL;

    if (end == NULL) {
        return (char *) buf + out.len;
    }

    *end = '\0';

    return text + 7;
}


static void
check_sizes(void)
{
    size_t  i;

    for (i = 0; i < nitems(sizes); i++) {
        is_str(size_text(sizes[i].size), sizes[i].want, sizes[i].want);
    }
}


/* A size is told to half of its last digit, in the unit that fits. */

static void
check_random_sizes(void)
{
    int        n;
    char       unit[3], *text;
    size_t     i;
    double     number, scale;
    uint64_t   size;
    unsigned   failed;

    failed = 0;

    for (i = 0; i < 5000 && failed == 0; i++) {
        size = tap_rand() >> (8 + tap_below(40));

        if (tap_below(2)) {
            size = (1ull << tap_below(40)) + tap_below(200) - 100;
        }

        size &= 0x7fffffffff;

        text = size_text(size);

        if (sscanf(text, "%lf %2[BKMG]%n", &number, unit, &n) != 2
            || text[n] != '\0')
        {
            failed++;

        } else {
            scale = unit[0] == 'B' ? 1 : unit[0] == 'K' ? 1024
                    : unit[0] == 'M' ? 1048576 : 1073741824;

            failed += number * scale > (double) size + scale * 0.0501
                      || number * scale < (double) size - scale * 0.0501
                      || (number < 1 && scale > 1)
                      || (number >= 1024 && unit[0] != 'G')
                      || (scale == 1) != (strchr(text, '.') == NULL);
        }

        if (failed) {
            diag("%llu: %s", (unsigned long long) size, text);
        }
    }

    ok(failed == 0, "any size to one decimal");
}


static void
set_view(art_view_t *view, const art_meta_t *meta, size_t i, art_lang_t lang)
{
    memset(view, 0, sizeof(*view));

    view->meta = meta;
    view->id = art_cstr(descriptions[i].id);
    view->name = art_cstr(descriptions[i].name);
    view->mime = art_cstr(descriptions[i].mime);
    view->lang = lang;
    view->kind = ART_KIND_OTHER;
    view->agents = 1;
    view->decision.described = 1;
    view->decision.reason = descriptions[i].reason;
    view->width = 9000;
    view->height = 6000;

    if (descriptions[i].size >= 0) {
        view->size = (uint64_t) descriptions[i].size;
        view->size_known = 1;
    }
}


static void
check_descriptions(void)
{
    size_t        i;
    art_out_t     out;
    art_meta_t    meta;
    art_view_t    view;

    memset(&meta, 0, sizeof(meta));

    for (i = 0; i < nitems(descriptions); i++) {
        set_view(&view, &meta, i, ART_LANG_ZH);
        out = new_out();
        art_describe(&out, &view, 0);
        is_mem(buf, out.len, descriptions[i].zh, strlen(descriptions[i].zh),
               "described in Chinese");

        set_view(&view, &meta, i, ART_LANG_EN);
        out = new_out();
        art_describe(&out, &view, 0);

        if (descriptions[i].en) {
            is_mem(buf, out.len, descriptions[i].en,
                   strlen(descriptions[i].en), "described in English");
        }
    }

    /* the last one failed to be read; three lines in English, too */

    buf[out.len] = '\0';
    ok(memcmp(buf, "[", 1) == 0 && strstr((char *) buf, ": xxx.pdf]\n")
       && strchr(strchr((char *) buf, '\n') + 1, '\n')
       && strspn((char *) buf + 1, "abcdefghijklmnopqrstuvwxyz"
                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ []:,.\n") == out.len - 1,
       "a failed reading in English");
}


/* Where there are no agents, nobody is told of any in English. */

static void
check_alone(void)
{
    size_t        i;
    unsigned      bad;
    art_out_t     out;
    art_meta_t    meta;
    art_view_t    view;

    memset(&meta, 0, sizeof(meta));
    bad = 0;

    for (i = 0; i < nitems(descriptions); i++) {
        set_view(&view, &meta, i, ART_LANG_ZH);
        view.agents = 0;
        out = new_out();
        art_describe(&out, &view, 0);
        bad += out.len != strlen(descriptions[i].zh)
               || memcmp(buf, descriptions[i].zh, out.len) != 0;

        set_view(&view, &meta, i, ART_LANG_EN);
        view.agents = 0;
        out = new_out();
        art_describe(&out, &view, 0);
        buf[out.len] = '\0';
        bad += strstr((char *) buf, "agent") != NULL;
    }

    is_int(bad, 0, "Chinese is the same, English names no agents");

    set_view(&view, &meta, 0, ART_LANG_EN);
    view.agents = 0;
    out = new_out();
    art_describe(&out, &view, 0);
    buf[out.len] = '\0';
    ok(strstr((char *) buf, ". Consider asking for it in another form.")
       != NULL, "without agents");
}


/* Too large: the same lines, but it is not the model that cannot read it. */

static void
check_too_large(void)
{
    size_t        start;
    art_out_t     out;
    art_meta_t    meta;
    art_view_t    view;

    memset(&meta, 0, sizeof(meta));
    set_view(&view, &meta, 0, ART_LANG_ZH);
    view.decision.reason = ART_REASON_SIZE;

    out = new_out();
    art_describe(&out, &view, 0);
    buf[out.len] = '\0';
    start = strlen(descriptions[0].zh) - strlen(CANNOT_ZH);

    ok(out.len > start + 10 && memcmp(buf, descriptions[0].zh, start) == 0
       && strstr((char *) buf, "模型不支持") == NULL,
       "a file that is too large");

    set_view(&view, &meta, 0, ART_LANG_EN);
    view.decision.reason = ART_REASON_SIZE;

    out = new_out();
    art_describe(&out, &view, 0);
    buf[out.len] = '\0';
    start = strlen(descriptions[0].en) - strlen(CANNOT_EN);

    ok(out.len > start + 10 && memcmp(buf, descriptions[0].en, start) == 0
       && strstr((char *) buf, "cannot read") == NULL, "in English");
}


/* Undoes one level of JSON strings in place; returns the length, 0 if bad. */

static size_t
unquote(uint8_t *text, size_t len)
{
    json_t  *json;

    memmove(text + 1, text, len);
    text[0] = '"';
    text[len + 1] = '"';

    json = json_loadb((char *) text, len + 2, JSON_DECODE_ANY, NULL);
    len = json ? json_string_length(json) : 0;
    memcpy(text, json ? json_string_value(json) : "", len);
    json_decref(json);

    return len;
}


static void
check_levels(void)
{
    size_t        i, len;
    unsigned      level, k, bad;
    art_out_t     plain, out;
    art_meta_t    meta;
    art_view_t    view;
    uint8_t       want[BYTES], text[BYTES];

    memset(&meta, 0, sizeof(meta));
    bad = 0;

    for (i = 0; i < nitems(descriptions); i++) {
        set_view(&view, &meta, i, i % 2 ? ART_LANG_EN : ART_LANG_ZH);
        view.name = art_cstr("q\"b\\n\\\"工\xf0\x9f\x98\x80/.png");

        plain = (art_out_t) { want, 0, sizeof(want) };
        art_describe(&plain, &view, 0);

        for (level = 1; level <= 3; level++) {
            out = (art_out_t) { text, 0, sizeof(text) - 2 };
            art_describe(&out, &view, level);
            len = out.len;

            for (k = 0; k < level && len > 0; k++) {
                len = unquote(text, len);
            }

            bad += len != plain.len || memcmp(text, want, len) != 0;
        }
    }

    is_int(bad, 0, "a description in JSON strings");
}


/* An id of any bytes is the same line as a name of these bytes. */

static void
check_random_ids(void)
{
    size_t       i, k, len;
    uint8_t      id[400], text[BYTES], *p;
    unsigned     bad;
    art_out_t    out, line;
    art_meta_t   meta;
    art_view_t   view;

    static const char  *some[] = {
        "a", "\n", "工", "\xe2\x80\xae", "\xf0\x9f\x98\x80", "\xe2\x80",
        "\xf0", "\x80", "\xc2\x85"
    };

    memset(&meta, 0, sizeof(meta));
    set_view(&view, &meta, 0, ART_LANG_EN);
    bad = 0;

    for (i = 0; i < 2000; i++) {
        view.id = art_str(id, 0);

        for (k = tap_below(100); k > 0; k--) {
            p = (uint8_t *) (uintptr_t) some[tap_below(nitems(some))];
            len = strlen((char *) p);
            memcpy(id + view.id.len, p, len);
            view.id.len += len;
        }

        line = (art_out_t) { text, 0, sizeof(text) };
        art_utf8_name(&line, view.id);

        out = new_out();
        art_describe(&out, &view, 0);

        k = strlen("[Unreadable] shot.png (artifact:");
        bad += out.len < k + line.len + 2
               || memcmp(buf + k, text, line.len) != 0
               || memcmp(buf + k + line.len, ")\n", 2) != 0;
    }

    is_int(bad, 0, "ids of any bytes are one line");
}


static void
check_lead(void)
{
    art_out_t     out;
    art_meta_t    meta;
    art_view_t    view;

    memset(&meta, 0, sizeof(meta));
    set_view(&view, &meta, 0, ART_LANG_ZH);

    out = new_out();
    art_describe_lead(&out, &view, 0);
    is_mem(buf, out.len, IN("工件内容 (shot.png):"), "the lead-in line");

    view.lang = ART_LANG_EN;
    view.name = art_cstr("a\"b");
    out = new_out();
    art_describe_lead(&out, &view, 1);
    is_mem(buf, out.len, IN("Artifact content (a\\\"b):"), "in English");
}


/* What was made of a document has pixels, the document has none. */

static void
check_no_pixels(void)
{
    art_out_t   out;
    art_view_t  view, origin;

    memset(&view, 0, sizeof(view));
    memset(&origin, 0, sizeof(origin));

    origin.name = art_cstr("a.pdf");
    origin.mime = art_cstr("application/pdf");

    view.lang = ART_LANG_EN;
    view.width = 2500;
    view.height = 1000;
    view.origin = &origin;
    view.decision.reason = ART_REASON_PIXELS;

    out = new_out();
    art_describe(&out, &view, 0);
    buf[out.len < BYTES ? out.len : 0] = '\0';

    ok(strstr((char *) buf, "[Unreadable] a.pdf\nType: PDF document\n"
                            "The image has") != NULL,
       "no pixels of an origin that has none");
}


int
main(void)
{
    check_sizes();
    check_random_sizes();
    check_descriptions();
    check_alone();
    check_too_large();
    check_levels();
    check_random_ids();
    check_lead();
    check_no_pixels();

    return done();
}
