
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The parsing of media types: what is one, its canonical name, and its charset.
 */


#include "core/media/art_media.h"
#include "core/media/art_media_table.h"
#include "exact.h"
#include "tap.h"


#define GENERIC  "application/octet-stream"


typedef struct {
    const char  *text;
    size_t       len;
    const char  *mime;
    const char  *charset;
    const char  *name;
} parse_case_t;


#define IN(text)  text, sizeof(text) - 1
#define NOTHING   "", NULL


static const parse_case_t  parse_cases[] = {
    { IN("image/png"), "image/png", NULL, "a plain type" },
    { IN("IMAGE/Png"), "image/png", NULL, "case does not matter" },
    { IN(" \timage/png\t "), "image/png", NULL, "nor white space around" },
    { IN("image/png;"), "image/png", NULL, "an empty parameter" },
    { IN("image/png ; q=\"x;y\""), "image/png", NULL, "parameters" },
    { IN("image/jpg"), "image/jpeg", NULL, "an alias" },
    { IN("Image/PJPEG; a=b"), "image/jpeg", NULL, "an alias in capitals" },
    { IN("application/x-rar-compressed"), "application/vnd.rar", NULL,
      "an alias of the seeds' table" },
    { IN("audio/mp3"), "audio/mpeg", NULL, "audio/mp3" },
    { IN("text/x-unheard-of"), "text/x-unheard-of", NULL,
      "a type without a row" },
    { IN("application/vnd.a.b-c+json"), "application/vnd.a.b-c+json", NULL,
      "all characters of a subtype" },

    { IN("text/plain; charset=utf-8"), "text/plain", "utf-8", "a charset" },
    { IN("text/plain;charset=GBK"), "text/plain", "GBK",
      "a charset as declared" },
    { IN("text/plain; CharSet=\"gb2312\""), "text/plain", "gb2312",
      "a quoted charset" },
    { IN("text/plain; format=flowed; charset=big5; x=y"), "text/plain",
      "big5", "a charset among others" },
    { IN("text/plain; a=\"b;charset=c\"; charset=d"), "text/plain", "d",
      "not one inside of quotes" },
    { IN("text/plain; a=\"b\\\";charset=c;\"; charset=d"), "text/plain", "d",
      "nor behind a quoted quote (RFC 9110 section 5.6.4)" },
    { IN("text/plain; xcharset=a; charset=b"), "text/plain", "b",
      "nor of another name that ends so" },
    { IN("text/plain; charset"), "text/plain", NULL,
      "a charset without a value" },
    { IN("text/plain; charset=a/b\r\nX: y"), "text/plain", NULL,
      "a charset that is no token" },
    { IN("application/x-javascript; charset=latin1"), "text/javascript",
      "latin1", "a charset of an alias" },

    { IN(GENERIC), NOTHING, "a generic type" },
    { IN("Application/Octet-Stream; charset=utf-8"), NOTHING,
      "a generic type in capitals, with parameters" },
    { IN("binary/octet-stream"), NOTHING, "binary/octet-stream" },
    { IN("application/force-download"), NOTHING,
      "application/force-download" },
    { IN(""), NOTHING, "nothing" },
    { IN("   "), NOTHING, "blanks" },
    { IN("image"), NOTHING, "a bare word" },
    { IN("png"), NOTHING, "another" },
    { IN("image/"), NOTHING, "no subtype" },
    { IN("/png"), NOTHING, "no type" },
    { IN("/"), NOTHING, "a slash" },
    { IN("x/y/z"), NOTHING, "two slashes" },
    { IN("image//png"), NOTHING, "two slashes in one" },
    { IN("image png"), NOTHING, "a blank for a slash" },
    { IN("image/png x"), NOTHING, "a word behind" },
    { IN("image /png"), NOTHING, "a blank in front of the slash" },
    { IN("image/ png"), NOTHING, "a blank behind the slash" },
    { IN("image/png, text/html"), NOTHING, "a list" },
    { IN(";"), NOTHING, "a semicolon" },
    { IN(";charset=utf-8"), NOTHING, "a parameter alone" },
    { IN("*/*"), NOTHING, "a range" },
    { IN("text/*"), NOTHING, "a range of subtypes" },
    { IN("text/plain\0"), NOTHING, "a NUL" },
    { IN("text/plain\r\nX: y"), NOTHING, "a line feed" },
    { IN("text/\"plain\""), NOTHING, "quotes" },
    { IN("im\xe4\xb8\x80ge/png"), NOTHING, "an ideograph" },
    { IN("image/\xff"), NOTHING, "a byte of no UTF-8" }
};


static art_str_t
parsed(art_str_t text, art_media_type_t *type)
{
    art_media_parse(text, type);

    return art_str(type->buf, type->len);
}


static void
check_parse(void)
{
    int                  pass;
    size_t               i;
    uint8_t             *text;
    art_media_type_t     type;
    const parse_case_t  *c;

    for (i = 0; i < nitems(parse_cases); i++) {
        c = &parse_cases[i];

        text = exact(c->text, c->len);
        memset(&type, '#', sizeof(type));

        art_media_parse(art_str(text, c->len), &type);

        pass = type.len == strlen(c->mime)
               && memcmp(type.buf, c->mime, type.len) == 0
               && (c->charset == NULL
                   ? type.charset.len == 0
                   : art_str_eq(type.charset, art_cstr(c->charset)));

        if (!ok(pass, "parse: %s", c->name)) {
            diag_mem("type", type.buf, type.len > sizeof(type.buf)
                                       ? 0 : type.len);
            diag_mem("charset", type.charset.data, type.charset.len);
        }

        free(text);
    }

    art_media_parse(art_str(NULL, 0), &type);
    is_int((long long) type.len, 0, "parse: no text at all");
}


static void
check_length(void)
{
    size_t             len;
    char               text[300];
    art_media_type_t   type;

    memset(text, 'A', sizeof(text));
    memcpy(text, "text/", 5);

    for (len = ART_MEDIA_TYPE_MAX; len <= ART_MEDIA_TYPE_MAX + 1; len++) {
        art_media_parse(art_str(text, len), &type);

        is_int((long long) type.len,
               len > ART_MEDIA_TYPE_MAX ? 0 : ART_MEDIA_TYPE_MAX,
               len > ART_MEDIA_TYPE_MAX ? "128 bytes declare nothing"
                                        : "127 bytes are a type");
    }

    text[ART_MEDIA_TYPE_MAX] = ';';
    art_media_parse(art_str(text, sizeof(text)), &type);
    is_int((long long) type.len, ART_MEDIA_TYPE_MAX,
           "parameters do not count");
}


/* Upper case, blanks and parameters around a type; returns the length. */

static size_t
disguise(char *dst, const char *mime)
{
    size_t  i, n;

    static const char  *ends[] = {
        "", " ", ";", "; a=b", ";a=\"x;y\" ; b", " \t;;;", "; =", ";\"", ";="
    };

    n = 0;

    for (i = tap_below(3); i > 0; i--) {
        dst[n++] = tap_below(2) ? ' ' : '\t';
    }

    for (i = 0; mime[i] != '\0'; i++) {
        dst[n] = mime[i];

        if (mime[i] >= 'a' && mime[i] <= 'z' && tap_below(2)) {
            dst[n] = (char) (mime[i] - 0x20);
        }

        n++;
    }

    i = tap_below(nitems(ends));
    memcpy(dst + n, ends[i], strlen(ends[i]));

    return n + strlen(ends[i]);
}


static void
check_random_types(void)
{
    char               text[300];
    size_t             i, len;
    unsigned           failed;
    const char        *mime;
    art_media_type_t   type;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        mime = art_media_table[tap_below(art_media_table_size)].mime;

        if (strcmp(mime, GENERIC) == 0) {
            continue;
        }

        len = disguise(text, mime);

        if (!art_str_eq(parsed(art_str(text, len), &type), art_cstr(mime))) {
            diag_mem("source", text, len);
            failed++;
        }
    }

    ok(failed == 0, "any case, blanks and parameters of any type");
}


/* What parsing promises of its result. */

static int
sound(const art_media_type_t *type, const uint8_t *text, size_t len)
{
    size_t             i, slashes;
    art_media_type_t   again;

    if (type->len == 0) {
        return type->charset.len == 0;
    }

    slashes = 0;

    for (i = 0; i < type->len; i++) {
        slashes += type->buf[i] == '/';

        if (type->buf[i] <= ' ' || type->buf[i] >= 0x7f
            || (type->buf[i] >= 'A' && type->buf[i] <= 'Z')
            || strchr("\"\\;,*()<>@:?=[]{}%'", type->buf[i]) != NULL)
        {
            return 0;
        }
    }

    return slashes == 1 && type->buf[0] != '/' && type->buf[i - 1] != '/'
           && type->len <= ART_MEDIA_TYPE_MAX
           && art_str_eq(parsed(art_str(type->buf, type->len), &again),
                         art_str(type->buf, type->len))
           && (type->charset.len == 0
               || (type->charset.data >= text
                   && type->charset.data + type->charset.len <= text + len));
}


static void
check_random_bytes(void)
{
    size_t             i, k, len;
    uint8_t           *text;
    unsigned           failed, types;
    art_media_type_t   type;

    static const char  pieces[] = "aZ/;=\" \t+-.charset*\\\0\r\n\xff%,:";

    failed = 0;
    types = 0;

    for (i = 0; i < 4000 && failed == 0; i++) {
        len = tap_below(i % 8 ? 24 : 400);
        text = malloc(len + 1);

        for (k = 0; k < len; k++) {
            text[k] = i % 3 ? (uint8_t) pieces[tap_below(sizeof(pieces) - 1)]
                            : (uint8_t) "abc/"[tap_below(4)];
        }

        /* some that are a type, and parameters of any kind */

        if (len > 8 && i % 2) {
            memcpy(text, "a/b; ", 5);
        }

        text = realloc(text, len + (len == 0));
        art_media_parse(art_str(text, len), &type);
        types += type.len > 0;

        if (!sound(&type, text, len)) {
            diag_mem("source", text, len);
            failed++;
        }

        free(text);
    }

    ok(failed == 0, "any bytes make a sound type or none");
    ok(types > 500 && types < 3500, "of both a good part");
}


int
main(void)
{
    check_parse();
    check_length();
    check_random_types();
    check_random_bytes();

    return done();
}
