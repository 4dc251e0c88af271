
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of files for the providers: made fit for each of them, and kept where
 * they fit.
 */


#include <jansson.h>

#include "core/render/art_format.h"
#include "provider_part.h"
#include "tap.h"


static int
is_plain(const char *s, size_t len)
{
    size_t  i;

    if (len < 1 || len > 200 || s[0] == ' ' || s[len - 1] == ' '
        || strstr(s, "  "))
    {
        return 0;
    }

    for (i = 0; i < len; i++) {
        if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= 'A' && s[i] <= 'Z')
            && !(s[i] >= '0' && s[i] <= '9')
            && !(s[i] && strchr(" -()[]", s[i])))
        {
            return 0;
        }
    }

    return 1;
}


/* The characters of valid UTF-8. */

static size_t
count(const char *s)
{
    size_t  n;

    for (n = 0; *s != '\0'; s++) {
        n += ((unsigned char) *s & 0xc0) != 0x80;
    }

    return n;
}


static const char *
string_of(json_t *json, const char *outer, const char *key)
{
    const char  *s;

    s = json_string_value(json_object_get(outer ? json_object_get(json, outer)
                                                : json, key));

    return s ? s : "(none)";
}


/* A PDF of any name: the part stays a part, and its name fits. */

static void
check_names(void)
{
    int                  good;
    size_t               i, len;
    json_t              *json;
    unsigned             f, failed;
    art_str_t            name;
    art_view_t           view;
    const char          *file, *title, *plain, *document;
    static uint8_t       buf[BYTES], got[BYTES];
    const art_format_t  *format;

    failed = 0;

    for (i = 0; i < 3000 && failed == 0; i++) {
        name = art_str(buf, random_name(buf));

        for (f = 0; (format = art_format_row(f)) != NULL; f++) {
            set_view(&view, format, "application/pdf", name);
            len = assemble(got, format, &view, "QUJD");

            json = json_loadb((char *) got, len, 0, NULL);
            file = string_of(json, "file", "filename");
            title = string_of(json, NULL, "title");
            plain = string_of(json, "document", "name");
            document = string_of(json, NULL, "document_name");

            good = json_is_object(json)
                   && (strcmp(format->name, "openai") != 0
                       || ends_with(file, ".pdf"))
                   && (strcmp(format->name, "mistral") != 0
                       || ends_with(document, ".pdf"))
                   && (strcmp(format->name, "anthropic") != 0
                       || (count(title) <= 500
                           && strlen(title) <= name.len
                           && memcmp(title, name.data, strlen(title)) == 0
                           && (count(title) == 500
                               || strlen(title) == name.len)))
                   && (strcmp(format->name, "bedrock") != 0
                       || is_plain(plain, strlen(plain)));

            if (!good) {
                diag("%s", format->name);
                diag_mem("got", got, len);
                failed++;
            }

            json_decref(json);
        }
    }

    ok(failed == 0, "any name stays in its string and fits");
}


static void
is_name(const char *format, const char *mime, const char *name,
    const char *want)
{
    uint8_t              buf[3000];
    art_out_t            out;
    art_view_t           view;
    const art_format_t  *row;

    row = art_format_find(art_cstr(format));
    set_view(&view, row, mime, art_cstr(name));

    out = (art_out_t) { buf, 0, sizeof(buf) };
    art_filename_print(&out, &row->name_rule, &view, 1);

    is_mem(buf, out.len, want, strlen(want), name);
}


static void
check_fit(void)
{
    char         name[700];
    uint8_t      one[400], two[400];
    size_t       i;
    art_out_t    a, b;
    art_view_t   view;

    const art_format_t  *bedrock;

    is_name("route", "application/pdf", "a.b", "a.b");
    is_name("openai", "application/pdf", "a.b", "a.b.pdf");
    is_name("openai", "application/pdf", "a.PDF", "a.PDF");
    is_name("openai", "application/pdf", "", ".pdf");
    is_name("openai", "application/x-none", "a", "a");
    is_name("bedrock", "application/pdf", "", "document [430af163]");
    is_name("bedrock", "application/pdf", "报告.工件", "document [430af163]");
    is_name("bedrock", "application/pdf", "-- 报告 2024 - b .",
            "2024-b [430af163]");
    is_name("bedrock", "application/pdf", "a \t\"b\"\\c", "a-b-c [430af163]");

    bedrock = art_format_find(art_cstr("bedrock"));

    for (i = 150; i < 600; i++) {
        memset(name, 'x', i);
        name[i] = '\0';
        name[i / 2] = ' ';
        name[186] = '.';

        set_view(&view, bedrock, "application/pdf", art_cstr(name));
        a = (art_out_t) { one, 0, sizeof(one) - 1 };
        art_filename_print(&a, &bedrock->name_rule, &view, 1);
        one[a.len < sizeof(one) ? a.len : 0] = '\0';

        if (!is_plain((char *) one, a.len)) {
            break;
        }
    }

    is_int((long long) i, 600, "names around 200 characters");

    view.id = art_cstr("another");
    b = (art_out_t) { two, 0, sizeof(two) };
    art_filename_print(&b, &bedrock->name_rule, &view, 1);

    ok(a.len == b.len && memcmp(one, two, a.len) != 0,
       "the same name of another content differs");
}


int
main(void)
{
    check_names();
    check_fit();

    return done();
}
