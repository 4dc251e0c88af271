
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whole answers with a text: its charset, and where it is cut.
 */


#include "render_holds.h"
#include "tap.h"


/* Charsets, cut and not, in formats that may be new: in pieces as at once. */

static void
check_charsets(void)
{
    size_t               i, len;
    json_t              *json;
    scene_t              s;
    unsigned             f, failed;
    const art_format_t  *format;

    static const char   *charsets[] = {
        NULL, "UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32", "GB18030",
        "CP950", "ISO-2022-JP", "CP1252", "BIG5-HKSCS", "CP1258"
    };

    for (f = 0; (format = art_format_row(f)) != NULL; f++) {
        failed = 0;

        for (i = 0; i < 400 && failed == 0; i++) {
            set_scene(&s, format->name, ART_KIND_TEXT, "text/plain");
            len = random_content(i % 3 ? ART_KIND_TEXT : ART_KIND_OTHER,
                                 400);

            s.conf.charset = charsets[i % nitems(charsets)];
            s.conf.text_max = tap_below(2) ? 0 : 1 + tap_below(len * 2 + 2);

            if (tap_below(4) == 0 && len > 1) {
                memcpy(content, i & 1 ? "\xff\xfe" : "\xfe\xff", 2);
            }

            failed += !render(&ref, &s, content, len, &whole)
                      || !render(&got, &s, content, len, &random_pieces)
                      || !same(&got, &ref)
                      || !render(&got, &s, content, len, &bytewise)
                      || !same(&got, &ref);

            json = parse(&ref);
            failed += json == NULL;
            json_decref(json);
        }

        if (!ok(failed == 0, "any charset in any pieces: %s", format->name)) {
            report(&s, len);
        }
    }
}


/* What an answer of "object" has as its text, for content of a charset. */

static void
is_text(const void *src, size_t len, const char *charset, const char *want,
    const char *name)
{
    json_t   *json;
    scene_t   s;

    set_scene(&s, "object", ART_KIND_TEXT, "text/plain");
    s.conf.charset = charset;

    if (!render(&ref, &s, src, len, &whole)) {
        ref.len = 0;
    }

    json = parse(&ref);

    is_mem(json_string_value(json_object_get(json, "content")),
           json_string_length(json_object_get(json, "content")), want,
           strlen(want), name);

    json_decref(json);
}


static void
check_texts(void)
{
    is_text("\xb9\xa4\xbc\xfe\n", 5, "GB18030", "工件\n", "GBK");
    is_text("\xff\xfe\xe5\x5d\xf6\x4e", 6, NULL, "工件",
            "UTF-16LE with a mark");
    is_text("\xfe\xff\x5d\xe5\x4e\xf6", 6, "GB18030", "工件",
            "a mark overrides the charset");
    is_text("\x5d\xe5\x4e\xf6", 4, "UTF-16BE", "工件", "UTF-16BE");
    is_text("a\xff\"\\\x01\xe5\xb7", 7, NULL,
            "a\xef\xbf\xbd\"\\\x01\xef\xbf\xbd", "stray bytes");
    is_text("", 0, NULL, "", "no bytes");
    is_text("", 0, "GB18030", "", "no bytes of GBK");
    is_text("caf\xe9", 4, "X-NO-SUCH", "caf\xef\xbf\xbd",
            "a charset that iconv does not have");
}


/* A cut text, at every length in bytes and in characters. */

static void
check_cut(void)
{
    size_t          max, chars, len;
    scene_t         s;
    unsigned        bad;
    art_format_t    format;
    static const char  sample[] = "a工\xf0\x9f\x98\x80\"\\\n\xff\xe9z";

    len = sizeof(sample) - 1;
    bad = 0;

    for (max = 0; max <= len + 8; max++)
    for (chars = 0; chars <= len; chars++) {
        set_scene(&s, "route", ART_KIND_TEXT, "text/plain");
        format = *s.conf.format;
        format.text_max = chars;
        s.conf.format = &format;
        s.conf.text_max = max;
        s.view.size_known = (max + chars) & 1;
        s.view.size = len;

        bad += !render(&ref, &s, (const uint8_t *) sample, len, &whole)
               || !holds(&ref, &s, (const uint8_t *) sample, len)
               || !render(&got, &s, (const uint8_t *) sample, len, &bytewise)
               || !same(&got, &ref);
    }

    is_int(bad, 0, "a text cut at every length");
}


/* Of a text that is to be cut, the first bytes are enough. */

static void
check_input_limit(void)
{
    size_t        i, len;
    scene_t       s;
    unsigned      failed;
    art_format_t  format;

    failed = 0;

    for (i = 0; i < 40 && failed == 0; i++) {
        set_scene(&s, known_formats[i % 3], ART_KIND_TEXT, "text/plain");
        len = random_content(ART_KIND_TEXT, 25000);

        format = *s.conf.format;
        format.text_max = tap_below(3) == 0 ? 0 : 1 + tap_below(1500);
        s.conf.format = &format;
        s.conf.text_max = format.text_max != 0 && tap_below(2) == 0
                          ? 0 : 1 + tap_below(1500);
        s.view.size_known = 1;
        s.view.size = len;

        failed += !render(&ref, &s, content, len, &whole);

        if (ref.limit == 0 || ref.limit >= len) {
            failed += ref.limit == 0
                      && (s.conf.text_max != 0 || len > format.text_max);
            continue;
        }

        failed += !render(&got, &s, content, (size_t) ref.limit,
                          &random_pieces)
                  || !same(&got, &ref) || !got.truncated;
    }

    if (!ok(failed == 0, "the first bytes of a text that is to be cut")) {
        report(&s, len);
    }

    set_scene(&s, "route", ART_KIND_TEXT, "text/plain");
    (void) render(&ref, &s, content, 10, &whole);
    is_int((long long) ref.limit, 0, "all of a text that is not");
}


/* A derived text and the line before it are within the format's limit. */

static void
check_derived(void)
{
    size_t        len;
    json_t       *json;
    scene_t       s;
    unsigned      bad;
    art_view_t    origin;
    art_format_t  format;

    static const char  line[] = "Content of s.png, converted from image/png:\n";
    static const char  text[] = "0123456789";

    bad = 0;

    for (len = 0; len <= 12; len++) {
        set_scene(&s, "object", ART_KIND_TEXT, "text/plain");
        s.view.lang = ART_LANG_EN;
        origin = s.view;
        origin.name = art_cstr("s.png");
        origin.mime = art_cstr("image/png");
        s.view.origin = &origin;

        format = *s.conf.format;
        format.text_max = sizeof(line) - 1 + len;
        s.conf.format = &format;
        s.conf.text_max = tap_below(2) ? 0 : 10;

        bad += !render(&ref, &s, (const uint8_t *) text, 10, &whole)
               || ref.truncated != (len < 10)
               || !render(&got, &s, (const uint8_t *) text, 10, &bytewise)
               || !same(&got, &ref);

        json = parse(&ref);
        bad += json_string_length(json_object_get(json, "content"))
               != sizeof(line) - 1 + (len == 0 ? 1 : len < 10 ? len : 10);
        json_decref(json);
    }

    is_int(bad, 0, "a derived text is cut behind its line");
}


int
main(void)
{
    check_charsets();
    check_texts();
    check_cut();
    check_input_limit();
    check_derived();

    free(ref.data);
    free(got.data);

    return done();
}
