
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of files in headers: Content-Disposition, written and read.
 */


#include "core/answer/art_headers.h"
#include "core/text/art_utf8.h"
#include "exact.h"
#include "out_buf.h"
#include "tap.h"


static const struct {
    const char  *name;
    const char  *want;
} dispositions[] = {
    { "a.txt", "; filename=\"a.txt\"" },
    { "a b;c=d.txt", "; filename=\"a b;c=d.txt\"" },
    { "a'b(c)", "; filename=\"a'b(c)\"" },
    { "", "" },
    { "工件.pdf", "; filename=\"__.pdf\"; "
      "filename*=UTF-8''%E5%B7%A5%E4%BB%B6.pdf" },
    { "na\xc3\xafve.md", "; filename=\"na_ve.md\"; "
      "filename*=UTF-8''na%C3%AFve.md" },
    { "\xf0\x9f\x98\x80", "; filename=\"_\"; "
      "filename*=UTF-8''%F0%9F%98%80" },
    { "say \"hi\".txt", "; filename=\"say _hi_.txt\"; "
      "filename*=UTF-8''say%20%22hi%22.txt" },
    { "100%.txt", "; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt" },
    { "%41.txt", "; filename=\"_41.txt\"; filename*=UTF-8''%2541.txt" },
    { "a/b\\c.txt", "; filename=\"a_b_c.txt\"" },
    { "../工", "; filename=\".._" "_\"; filename*=UTF-8''.._%E5%B7%A5" },
    { "工!#$&+-.^_`|~", "; filename=\"_!#$&+-.^_`|~\"; "
      "filename*=UTF-8''%E5%B7%A5!#$&+-.^_`|~" },
    { "工()<>@,;:[]?={}*'", "; filename=\"_()<>@,;:[]?={}*'\"; "
      "filename*=UTF-8''%E5%B7%A5%28%29%3C%3E%40%2C%3B%3A%5B%5D%3F%3D%7B%7D"
      "%2A%27" }
};


static const struct {
    const char  *value;
    size_t       len;
    const char  *want;
    const char  *name;
} header_names[] = {
    { IN("attachment; filename=\"a b.txt\""), "a b.txt", "a quoted name" },
    { IN("attachment; filename=a.txt"), "a.txt", "a token" },
    { IN("inline;FILENAME = \"a.txt\" ; x=y"), "a.txt",
      "any case, and blanks" },
    { IN("attachment; filename=\"a;b.txt\""), "a;b.txt",
      "a semicolon inside" },
    { IN("attachment; filename=\"a\\\"b.txt\""), "a\"b.txt",
      "a quote inside" },
    { IN("attachment; filename=\"_.txt\"; filename*=UTF-8''%E5%B7%A5.txt"),
      "工.txt", "the extended name wins" },
    { IN("attachment; filename*=utf-8'en'a%20b; filename=c"), "a b",
      "wherever it stands" },
    { IN("attachment; filename=\"good.txt\"; filename*=UTF-8''bad%zz"),
      "good.txt", "not with a bad escape" },
    { IN("attachment; filename=\"good.txt\"; filename*=UTF-8''b%4"),
      "good.txt", "nor with half of one" },
    { IN("attachment; filename=\"good.txt\"; filename*=KOI8-R''%c1"),
      "good.txt", "nor of another charset" },
    { IN("attachment; filename=\"../../etc/passwd\""), "passwd",
      "the last component only" },
    { IN("attachment; filename*=UTF-8''..%2F..%5Ca.txt"), "a.txt",
      "of an extended name, too" },
    { IN("attachment; filename=\"dir/\""), "", "a folder is no name" },
    { IN("attachment; filename=\"\""), "", "an empty name" },
    { IN("attachment; filename="), "", "nothing behind it" },
    { IN("attachment; filename"), "", "not even that" },
    { IN("attachment; filename=\""), "", "an open quote" },
    { IN("attachment; xfilename=\"a\"; filenames=b"), "", "other names" },
    { IN("attachment; x=\"; filename=a.txt\""), "", "a name within quotes" },
    { IN("attachment"), "", "no parameters" },
    { IN("filename=a.txt"), "", "no type" },
    { IN(""), "", "nothing" }
};


static void
check_disposition(void)
{
    char       want[400];
    size_t     i;
    unsigned   attachment;
    art_out_t  out;

    for (i = 0; i < nitems(dispositions); i++) {
        for (attachment = 0; attachment <= 1; attachment++) {
            (void) snprintf(want, sizeof(want), "%s%s",
                            attachment ? "attachment" : "inline",
                            dispositions[i].want);

            out = new_out();
            art_disposition(&out, art_cstr(dispositions[i].name),
                            attachment);
            is_mem(buf, out.len, want, strlen(want), want);
        }
    }

    out = new_out();
    out.room = 12;
    art_disposition(&out, art_cstr("工"), 0);
    ok(memcmp(buf, "inline; file##", 14) == 0 && out.len == 48,
       "a small room is not overrun, and counted beyond");
}


/* Names of any bytes; returns the length. */

static size_t
random_name(uint8_t *dst)
{
    size_t       i, n, len;
    const char  *piece;

    static const char  *pieces[] = {
        "a", "\r\n", "\n", "\r", "\t", "\"", "\\", "/", "%", "%0d%0a", ";",
        "; filename=x", "'", "工", "\xc2\x85", "\xe2\x80\xa8", "\xff",
        "\xe5\xb7", "\x7f", "\x01", " ", "*", "=", "\xe2\x80\xae", ".txt",
        "\xf0\x9f\x98\x80", "\xc0\x8d"
    };

    len = 0;

    for (i = 1 + tap_below(9); i > 0; i--) {
        piece = pieces[tap_below(nitems(pieces))];
        n = strlen(piece);
        memcpy(dst + len, piece, n);
        len += n;
    }

    if (tap_below(4) == 0) {
        for (i = 0; i < len; i++) {
            dst[i] = (uint8_t) tap_rand();
        }
    }

    return len;
}


/* Whether a header's value is one line of plain ASCII, well quoted. */

static int
good_header(const uint8_t *p, size_t len)
{
    size_t  i, quotes;

    quotes = 0;

    for (i = 0; i < len; i++) {
        if (p[i] < 0x20 || p[i] >= 0x7f || p[i] == '\\') {
            return 0;
        }

        quotes += p[i] == '"';
    }

    return quotes == 2 && p[len - 1] != ' ';
}


static void
check_random_names(void)
{
    size_t      i, k, len;
    uint8_t     raw[200], name[800], *back;
    unsigned    failed;
    art_out_t   out, line;
    art_str_t   got;

    failed = 0;

    for (i = 0; i < 3000 && failed == 0; i++) {
        len = random_name(raw);

        line = (art_out_t) { name, 0, sizeof(name) };
        art_utf8_name(&line, art_str(raw, len));

        out = new_out();
        art_disposition(&out, art_str(name, line.len), i & 1);

        for (k = 0; k < line.len; k++) {
            if (name[k] == '/' || name[k] == '\\') {
                name[k] = '_';
            }
        }

        back = malloc(out.len);
        got = art_disposition_name(art_str(buf, out.len), back);

        if (!good_header(buf, out.len)
            || !art_str_eq(got, art_str(name, line.len)))
        {
            diag_mem("name", raw, len);
            diag_mem("header", buf, out.len);
            diag_mem("back", got.data, got.len);
            failed++;
        }

        free(back);
    }

    ok(failed == 0, "any name: one line, and read back");
}


static void
check_header_names(void)
{
    size_t      i;
    uint8_t    *value, *dst;
    art_str_t   got;

    for (i = 0; i < nitems(header_names); i++) {
        value = exact(header_names[i].value, header_names[i].len);
        dst = exact(NULL, header_names[i].len);

        got = art_disposition_name(art_str(value, header_names[i].len), dst);
        is_mem(got.data, got.len, header_names[i].want,
               strlen(header_names[i].want), header_names[i].name);

        free(value);
        free(dst);
    }
}


/* Any header: no name, or one component of what stands in it. */

static void
check_random_headers(void)
{
    size_t       i, k, n, len;
    uint8_t      value[400], *copy, *dst;
    unsigned     failed;
    art_str_t    got;
    const char  *piece;

    static const char  *pieces[] = {
        "attachment", ";", "; ", "filename", "filename*", "=", "\"", "\\",
        "UTF-8''", "utf-8'", "'", "%", "%4", "%41", "%2f", "a", "/", " ",
        "\t", "\xff", "工", "KOI8-R''"
    };

    failed = 0;

    for (i = 0; i < 5000 && failed == 0; i++) {
        len = 0;

        for (k = tap_below(30); k > 0; k--) {
            piece = pieces[tap_below(nitems(pieces))];
            n = strlen(piece);
            memcpy(value + len, piece, n);
            len += n;
        }

        copy = exact(value, len);
        dst = exact(NULL, len);

        got = art_disposition_name(art_str(copy, len), dst);

        if (got.len > len || memchr(got.data, '/', got.len)
            || memchr(got.data, '\\', got.len))
        {
            diag_mem("header", value, len);
            failed++;
        }

        free(copy);
        free(dst);
    }

    ok(failed == 0, "any header gives one component or none");
}


int
main(void)
{
    check_disposition();
    check_random_names();
    check_header_names();
    check_random_headers();

    return done();
}
